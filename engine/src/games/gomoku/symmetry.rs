//! The symmetries of a board: four of a rectangle, eight of a square.
//!
//! A symmetry is a number of three bits: 1 mirrors left and right, 2 mirrors top and bottom, and then 4 exchanges
//! rows and columns.

use super::board::{GREATEST, GomokuBoard};

/// How many symmetries the board has: they are numbered from 0, which is none, on.
#[inline]
pub fn count(board: GomokuBoard) -> u8 {
    if board.width() == board.height() { 8 } else { 4 }
}

/// The point that a symmetry carries a point of the board to.
#[inline]
pub fn apply(board: GomokuBoard, symmetry: u8, point: u16) -> u16 {
    let (mut x, mut y) = board.place(point);
    if symmetry & 1 != 0 {
        x = board.width() - 1 - x;
    }
    if symmetry & 2 != 0 {
        y = board.height() - 1 - y;
    }
    if symmetry & 4 != 0 {
        (x, y) = (y, x);
    }
    u16::from(y) * u16::from(GREATEST) + u16::from(x)
}

/// The inverse of [`apply`].
#[inline]
pub fn unapply(board: GomokuBoard, symmetry: u8, point: u16) -> u16 {
    // With an exchange the two mirrors change places; without one a symmetry is its own inverse.
    let inverse = if symmetry & 4 != 0 { 4 | symmetry >> 1 & 1 | symmetry << 1 & 2 } else { symmetry };
    apply(board, inverse, point)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_are_permutations_of_the_board_with_inverses() {
        for (width, height) in [(1, 1), (3, 3), (15, 15), (20, 20), (5, 7), (20, 19), (4, 1)] {
            let board = GomokuBoard::new(width, height).unwrap();
            let mut images = std::collections::HashSet::new();
            for symmetry in 0..count(board) {
                let image: Vec<u16> = board.points().map(|point| apply(board, symmetry, point)).collect();
                for (point, &at) in board.points().zip(&image) {
                    assert!(board.holds(at));
                    assert_eq!(unapply(board, symmetry, at), point);
                }
                let mut sorted = image.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(board.points()), "{board} {symmetry}");
                images.insert(image);
            }
            // On a board of one row or column some symmetries are the same.
            if width > 1 && height > 1 {
                assert_eq!(images.len(), usize::from(count(board)), "{board}");
            }
        }
    }
}
