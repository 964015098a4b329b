//! The lines of a board as words of bits: rows, columns and both kinds of diagonals.
//!
//! Every point lies on four lines, one for each direction. A stone is one bit in each of the four words of its
//! colour, so that rows of stones are found by shifts. In rows and diagonals the bit is the column, in columns it is
//! the row.

use super::board::{GREATEST, GomokuBoard};

/// Directions of lines: rows, columns, falling diagonals, rising diagonals.
pub const DIRECTIONS: usize = 4;
/// Lines of the greatest board.
pub const LINES: usize = 2 * SIDE + 2 * (2 * SIDE - 1);

const SIDE: usize = GREATEST as usize;

/// A bit of a line for every line of the board: the stones of one colour, or the points of the board.
pub type LineBits = [u32; LINES];

/// Number of the line through a place in a direction, and the bit of the place in it.
#[inline(always)]
pub fn line(direction: usize, (x, y): (u8, u8)) -> (usize, u32) {
    let (column, row) = (usize::from(x), usize::from(y));
    match direction {
        0 => (row, x.into()),
        1 => (SIDE + column, y.into()),
        2 => (2 * SIDE + column + SIDE - 1 - row, x.into()),
        _ => (4 * SIDE - 1 + column + row, x.into()),
    }
}

/// The place of a bit on the line through a place: the inverse of [`line()`]. It may lie outside the board.
#[inline(always)]
pub fn place_on(direction: usize, (x, y): (u8, u8), bit: u32) -> (u8, u8) {
    let bit = bit as u8;
    match direction {
        0 => (bit, y),
        1 => (x, bit),
        2 => (bit, (y + bit).wrapping_sub(x)),
        _ => (bit, (x + y).wrapping_sub(bit)),
    }
}

/// The place of a bit on a line by its number. It may lie outside the board.
#[inline(always)]
pub fn place_of(line: usize, bit: u32) -> (u8, u8) {
    let (along, of) = (bit as u8, |first: usize| (line - first) as u8);
    match line {
        _ if line < SIDE => (along, of(0)),
        _ if line < 2 * SIDE => (of(SIDE), along),
        _ if line < 4 * SIDE - 1 => (along, (along + SIDE as u8 - 1).wrapping_sub(of(2 * SIDE))),
        _ => (along, of(4 * SIDE - 1).wrapping_sub(along)),
    }
}

/// Sets or clears the bits of a place.
#[inline(always)]
pub fn toggle(bits: &mut LineBits, place: (u8, u8)) {
    for direction in 0..DIRECTIONS {
        let (line, bit) = line(direction, place);
        bits[line] ^= 1 << bit;
    }
}

/// Whether the bits of a place are set.
#[inline(always)]
pub fn is_set(bits: &LineBits, (x, y): (u8, u8)) -> bool {
    bits[usize::from(y)] >> x & 1 != 0
}

/// The points of a board.
pub fn of_board(board: GomokuBoard) -> LineBits {
    let mut bits = [0; LINES];
    board.points().for_each(|point| toggle(&mut bits, board.place(point)));
    bits
}

/// First and last bit of the row of set bits that `bit`, itself counted as set, is in. Bits are below 31.
#[inline(always)]
pub fn run(bits: u32, bit: u32) -> (u32, u32) {
    let below = (!(bits << (31 - bit)) << 1).leading_zeros();
    let above = (!(bits >> bit) >> 1).trailing_zeros();
    (bit - below, bit + above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_a_bit_of_its_own_on_each_line() {
        let board = GomokuBoard::new(GREATEST, GREATEST).unwrap();
        for direction in 0..DIRECTIONS {
            let mut seen = std::collections::HashSet::new();
            for point in board.points() {
                let place = board.place(point);
                let (number, bit) = line(direction, place);
                assert!(number < LINES && bit < 20 && seen.insert((number, bit)));
                assert_eq!((place_on(direction, place, bit), place_of(number, bit)), (place, place));
                // The neighbour in the direction is the next bit of the same line.
                let (x, y) = place;
                let next = [(x + 1, y), (x, y + 1), (x + 1, y + 1), (x + 1, y.wrapping_sub(1))][direction];
                if board.point(next.0, next.1).is_some() {
                    assert_eq!(line(direction, next), (number, bit + 1));
                    assert_eq!(place_on(direction, place, bit + 1), next);
                }
            }
        }
    }

    #[test]
    fn rows_of_bits_are_found_at_every_place() {
        for bits in 0..1u32 << 10 {
            for bit in 0..10 {
                let set = |i: i64| i == i64::from(bit) || (i >= 0 && bits >> i & 1 != 0);
                let (mut first, mut last) = (i64::from(bit), i64::from(bit));
                while set(first - 1) {
                    first -= 1;
                }
                while set(last + 1) {
                    last += 1;
                }
                assert_eq!(run(bits, bit), (first as u32, last as u32), "{bits:b} {bit}");
            }
        }
        assert_eq!(run(0xF_FFFF, 7), (0, 19));
    }
}
