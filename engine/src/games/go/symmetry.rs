//! The symmetries of a board: four of a rectangle, eight of a square.
//!
//! A symmetry is a number of three bits: 1 mirrors left and right, 2 mirrors top and bottom, and then 4 exchanges
//! rows and columns.

use super::board::GoBoard;

/// How many symmetries the board has: they are numbered from 0, which is none, on.
#[inline]
pub fn count(board: GoBoard) -> u8 {
    if board.width() == board.height() { 8 } else { 4 }
}

/// The set of points carried by a symmetry.
#[inline(always)]
pub fn apply(board: GoBoard, symmetry: u8, mut points: u64) -> u64 {
    if symmetry & 1 != 0 {
        points = mirror(board, points);
    }
    if symmetry & 2 != 0 {
        points = upend(board, points);
    }
    if symmetry & 4 != 0 {
        points = transpose(points);
    }
    points
}

/// The inverse of [`apply`].
#[inline]
pub fn unapply(board: GoBoard, symmetry: u8, mut points: u64) -> u64 {
    if symmetry & 4 != 0 {
        points = transpose(points);
    }
    if symmetry & 2 != 0 {
        points = upend(board, points);
    }
    if symmetry & 1 != 0 {
        points = mirror(board, points);
    }
    points
}

/// Left and right exchanged.
#[inline(always)]
pub fn mirror(board: GoBoard, points: u64) -> u64 {
    points.reverse_bits().swap_bytes() >> (8 - board.width())
}

/// Top and bottom exchanged.
#[inline(always)]
pub fn upend(board: GoBoard, points: u64) -> u64 {
    points.swap_bytes() >> (8 * (8 - board.height()))
}

/// Rows and columns exchanged (H. S. Warren, "Hacker's Delight", 7-3).
#[inline(always)]
pub fn transpose(mut points: u64) -> u64 {
    for (distance, mask) in [(7, 0x00AA_00AA_00AA_00AA), (14, 0x0000_CCCC_0000_CCCC), (28, 0x0000_0000_F0F0_F0F0)] {
        let swap = (points ^ points >> distance) & mask;
        points ^= swap ^ swap << distance;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_are_permutations_of_the_board_with_inverses() {
        for (width, height) in (1..=7).flat_map(|w| (1..=7).map(move |h| (w, h))) {
            let board = GoBoard::new(width, height).unwrap();
            let mut images = Vec::new();
            for symmetry in 0..count(board) {
                assert_eq!(apply(board, symmetry, board.points()), board.points(), "{board} {symmetry}");
                for point in board.all() {
                    let image = apply(board, symmetry, 1 << point);
                    assert_eq!(image.count_ones(), 1);
                    assert_eq!(unapply(board, symmetry, image), 1 << point);
                }
                images.push((apply(board, symmetry, 1), apply(board, symmetry, 3 & board.points())));
            }
            images.sort_unstable();
            images.dedup();
            assert!(images.len() == usize::from(count(board)) || width.min(height) < 2, "{board}");
        }
    }
}
