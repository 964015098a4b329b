//! Patterns of the full board: what lies on the cells of a corner, an edge, a row or a diagonal, as a number.
//!
//! A pattern is an image of one of nine shapes under the symmetries of the board, and images of one shape share their
//! weights ([`super::weights`]). The cells of a shape are digits of a number in the balanced ternary system: 1 for a
//! disc of the side to move, -1 for one of the other side, 0 for an empty cell. So the numbers of all patterns are a
//! sum of one vector for each disc, and the other side sees the same numbers with the opposite sign. Patterns as such
//! are those of M. Buro's Logistello ("Experiments with Multi-ProbCut and a new high-quality evaluation function for
//! Othello", 1997).

/// A cell by its column and row, both from 0.
type PatternCell = (u8, u8);

/// The shapes, each at the upper left corner or as near to it as it goes.
const SHAPES: [&[PatternCell]; COUNT] = [
    // The corner of nine cells.
    &[(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)],
    // The triangle at the corner.
    &[(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (0, 3)],
    // The edge with both X squares.
    &[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (1, 1), (6, 1)],
    // Two rows of five cells at the corner.
    &[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (0, 1), (1, 1), (2, 1), (3, 1), (4, 1)],
    // The second, third and fourth row.
    &[(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (7, 1)],
    &[(0, 2), (1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 2), (7, 2)],
    &[(0, 3), (1, 3), (2, 3), (3, 3), (4, 3), (5, 3), (6, 3), (7, 3)],
    // Diagonals of eight, seven, six and five cells.
    &[(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7)],
    &[(1, 0), (2, 1), (3, 2), (4, 3), (5, 4), (6, 5), (7, 6)],
    &[(2, 0), (3, 1), (4, 2), (5, 3), (6, 4), (7, 5)],
    &[(3, 0), (4, 1), (5, 2), (6, 3), (7, 4)],
];

/// Number of shapes.
pub const COUNT: usize = 11;
/// Number of patterns.
pub const PATTERNS: usize = 46;
/// Patterns and what makes the vectors whole registers.
const LANES: usize = 48;
/// Most cells of a shape.
const LONGEST: usize = 10;

/// All patterns: the shape of each, and its cells as bit numbers in the order of the digits.
struct PatternImages {
    shape: [u8; PATTERNS],
    cells: [[u8; LONGEST]; PATTERNS],
}

/// The cell carried by a symmetry (see [`super::symmetry`]).
const fn image((mut x, mut y): PatternCell, symmetry: u8) -> u8 {
    if symmetry & 1 != 0 {
        x = 7 - x;
    }
    if symmetry & 2 != 0 {
        y = 7 - y;
    }
    if symmetry & 4 != 0 {
        (x, y) = (y, x);
    }
    8 * y + x
}

const fn images() -> PatternImages {
    let mut images = PatternImages { shape: [0; PATTERNS], cells: [[0; LONGEST]; PATTERNS] };
    let mut seen = [0u64; PATTERNS];
    let (mut count, mut shape) = (0, 0);
    while shape < COUNT {
        let mut symmetry = 0;
        while symmetry < 8 {
            let (mut cells, mut mask, mut i) = ([0; LONGEST], 0u64, 0);
            while i < SHAPES[shape].len() {
                cells[i] = image(SHAPES[shape][i], symmetry);
                mask |= 1 << cells[i];
                i += 1;
            }
            let (mut is_new, mut i) = (true, 0);
            while i < count {
                is_new &= seen[i] != mask;
                i += 1;
            }
            if is_new {
                seen[count] = mask;
                images.shape[count] = shape as u8;
                images.cells[count] = cells;
                count += 1;
            }
            symmetry += 1;
        }
        shape += 1;
    }
    assert!(count == PATTERNS);
    images
}

/// Number of fillings of a shape.
pub const fn fillings(shape: usize) -> usize {
    3usize.pow(SHAPES[shape].len() as u32)
}

/// Fillings of all shapes together: the length of a table with a weight for each.
pub const ALL_FILLINGS: usize = {
    let (mut sum, mut shape) = (0, 0);
    while shape < COUNT {
        sum += fillings(shape);
        shape += 1;
    }
    sum
};

/// Where the filling with all cells empty of each pattern's shape lies in such a table.
static MIDDLES: [u32; PATTERNS] = middles();

const fn middles() -> [u32; PATTERNS] {
    let images = images();
    let (mut middles, mut i) = ([0; PATTERNS], 0);
    while i < PATTERNS {
        let (mut before, mut shape) = (0, 0);
        while shape < images.shape[i] as usize {
            before += fillings(shape);
            shape += 1;
        }
        middles[i] = (before + fillings(shape) / 2) as u32;
        i += 1;
    }
    middles
}

/// What a disc on each cell adds to the numbers of the patterns.
static DISCS: [PatternNumbers; 64] = discs();

const fn discs() -> [PatternNumbers; 64] {
    let images = images();
    let mut discs = [PatternNumbers([0; LANES]); 64];
    let mut i = 0;
    while i < PATTERNS {
        let length = SHAPES[images.shape[i] as usize].len();
        let (mut at, mut digit) = (0, 1i16);
        while at < length {
            discs[images.cells[i][at] as usize].0[i] += digit;
            digit = digit.wrapping_mul(3);
            at += 1;
        }
        i += 1;
    }
    discs
}

/// The numbers of all patterns of a position, for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(32))]
pub struct PatternNumbers([i16; LANES]);

impl PatternNumbers {
    /// Those of a position.
    #[inline]
    pub fn of(mut own: u64, mut enemy: u64) -> PatternNumbers {
        let mut numbers = [0i16; LANES];
        while own != 0 {
            let disc = &DISCS[own.trailing_zeros() as usize].0;
            numbers.iter_mut().zip(disc).for_each(|(number, disc)| *number = number.wrapping_add(*disc));
            own &= own - 1;
        }
        while enemy != 0 {
            let disc = &DISCS[enemy.trailing_zeros() as usize].0;
            numbers.iter_mut().zip(disc).for_each(|(number, disc)| *number = number.wrapping_sub(*disc));
            enemy &= enemy - 1;
        }
        PatternNumbers(numbers)
    }

    /// Those after a move with these flips, for the other side, who is to move then.
    #[inline(always)]
    pub fn after(&self, square: u8, mut flips: u64) -> PatternNumbers {
        let mut numbers = self.0;
        let disc = &DISCS[square as usize & 63].0;
        numbers.iter_mut().zip(disc).for_each(|(number, disc)| *number = number.wrapping_add(*disc));
        while flips != 0 {
            let disc = &DISCS[flips.trailing_zeros() as usize].0;
            numbers
                .iter_mut()
                .zip(disc)
                .for_each(|(number, disc)| *number = number.wrapping_add(disc.wrapping_shl(1)));
            flips &= flips - 1;
        }
        numbers.iter_mut().for_each(|number| *number = number.wrapping_neg());
        PatternNumbers(numbers)
    }

    /// Those after a pass.
    #[inline(always)]
    pub fn passed(&self) -> PatternNumbers {
        PatternNumbers(self.0.map(i16::wrapping_neg))
    }

    /// The place of each pattern's weight in a table of [`ALL_FILLINGS`].
    #[inline(always)]
    pub fn places(&self) -> [u32; PATTERNS] {
        std::array::from_fn(|i| MIDDLES[i].wrapping_add_signed(self.0[i].into()))
    }

    /// The sum of the weights of the patterns, from a table.
    #[inline(always)]
    pub fn sum(&self, table: &[i16; ALL_FILLINGS]) -> i32 {
        // Two sums, which the processor makes at the same time.
        let weight = |i: usize| i32::from(table[MIDDLES[i].wrapping_add_signed(self.0[i].into()) as usize]);
        let (mut even, mut odd) = (0, 0);
        for i in (0..PATTERNS).step_by(2) {
            even += weight(i);
            odd += weight(i + 1);
        }
        even + odd
    }
}

/// For each filling the one that stands for it: the least of those that look alike under a symmetry of the shape.
pub fn representatives() -> Vec<u32> {
    let mut all: Vec<u32> = Vec::with_capacity(ALL_FILLINGS);
    for (shape, cells) in SHAPES.iter().enumerate() {
        let (start, count) = (all.len(), fillings(shape));
        let place = |square: u8| cells.iter().position(|&cell| image(cell, 0) == square);
        // Where each cell goes, for the symmetries that carry the shape to itself.
        let own: Vec<Vec<usize>> =
            (0..8).filter_map(|symmetry| cells.iter().map(|&cell| place(image(cell, symmetry))).collect()).collect();
        for filling in 0..count {
            let digit = |at: usize| filling / 3usize.pow(at as u32) % 3;
            let alike = |to: &Vec<usize>| -> usize {
                to.iter().enumerate().map(|(at, &to)| digit(at) * 3usize.pow(to as u32)).sum()
            };
            let least = own.iter().map(alike).min().unwrap_or(filling);
            all.push((start + least) as u32);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::game::Game;
    use crate::games::reversi::board::ReversiBoard;
    use crate::games::reversi::position::{ReversiMove, ReversiPosition, Start};
    use crate::games::reversi::symmetry;

    /// The numbers cell by cell.
    fn slow(own: u64, enemy: u64) -> Vec<i32> {
        const IMAGES: PatternImages = images();
        let digit = |square: u8| (own >> square & 1) as i32 - (enemy >> square & 1) as i32;
        (0..PATTERNS)
            .map(|i| {
                let length = SHAPES[IMAGES.shape[i] as usize].len();
                (0..length).rev().fold(0, |number, at| 3 * number + digit(IMAGES.cells[i][at]))
            })
            .collect()
    }

    fn walk(mut each: impl FnMut(&ReversiPosition, &PatternNumbers)) {
        for game in 0..20u64 {
            let mut position = ReversiPosition::new(ReversiBoard::FULL, Start::Standard);
            let mut numbers = PatternNumbers::of(position.own(), position.enemy());
            let (mut moves, mut random) = (Vec::new(), game + 1);
            loop {
                each(&position, &numbers);
                moves.clear();
                position.moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                let m = moves[(random >> 33) as usize % moves.len()];
                let flips = position.play(m);
                numbers = if m == ReversiMove::PASS { numbers.passed() } else { numbers.after(m.0, flips) };
            }
        }
    }

    #[test]
    fn moves_change_the_numbers_to_those_of_the_next_position() {
        walk(|position, numbers| {
            let (own, enemy) = (position.own(), position.enemy());
            assert_eq!(*numbers, PatternNumbers::of(own, enemy));
            let numbers: Vec<i32> = numbers.0[..PATTERNS].iter().map(|&number| number.into()).collect();
            assert_eq!(numbers, slow(own, enemy));
        });
    }

    #[test]
    fn symmetric_positions_have_the_same_fillings() {
        let representatives = representatives();
        let fillings = |own, enemy| {
            let mut all = PatternNumbers::of(own, enemy).places().map(|place| representatives[place as usize]);
            all.sort_unstable();
            all
        };
        walk(|position, _| {
            let (own, enemy) = (position.own(), position.enemy());
            for symmetry in 1..8 {
                let image = |cells| symmetry::apply(ReversiBoard::FULL, symmetry, cells);
                assert_eq!(fillings(own, enemy), fillings(image(own), image(enemy)), "symmetry {symmetry}");
            }
        });
    }

    #[test]
    fn every_cell_is_in_a_pattern_and_every_shape_has_its_part_of_the_table() {
        assert!(DISCS.iter().all(|disc| disc.0.iter().filter(|&&digit| digit != 0).count() >= 4));
        let all_own = PatternNumbers::of(u64::MAX, 0).places();
        assert_eq!(*all_own.iter().max().unwrap() as usize, ALL_FILLINGS - 1);
        let representatives = representatives();
        assert_eq!(representatives.len(), ALL_FILLINGS);
        assert!(representatives.iter().all(|&r| representatives[r as usize] == r));
    }
}
