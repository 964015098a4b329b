//! The symmetries of a board: four of a rectangle, eight of a square.
//!
//! A symmetry is a number of three bits: 1 mirrors left and right, 2 mirrors top and bottom, and then 4 exchanges
//! rows and columns.

use super::board::ReversiBoard;

/// How many symmetries the board has: they are numbered from 0, which is none, on.
#[inline]
pub fn count(board: ReversiBoard) -> u8 {
    if board.width() == board.height() { 8 } else { 4 }
}

/// The set of cells carried by a symmetry.
#[inline]
pub fn apply(board: ReversiBoard, symmetry: u8, mut cells: u64) -> u64 {
    if symmetry & 1 != 0 {
        cells = mirror(board, cells);
    }
    if symmetry & 2 != 0 {
        cells = upend(board, cells);
    }
    if symmetry & 4 != 0 {
        cells = transpose(cells);
    }
    cells
}

/// The least of the images of own and enemy discs, and the symmetry that leads to it.
#[inline]
pub fn least(board: ReversiBoard, own: u64, enemy: u64) -> (u64, u64, u8) {
    let image = |symmetry| (apply(board, symmetry, own), apply(board, symmetry, enemy), symmetry);
    (1..count(board)).map(image).fold(image(0), |least, other| least.min(other))
}

/// The inverse of [`apply`].
#[inline]
pub fn unapply(board: ReversiBoard, symmetry: u8, mut cells: u64) -> u64 {
    if symmetry & 4 != 0 {
        cells = transpose(cells);
    }
    if symmetry & 2 != 0 {
        cells = upend(board, cells);
    }
    if symmetry & 1 != 0 {
        cells = mirror(board, cells);
    }
    cells
}

/// Left and right exchanged. A board of odd width lies half a column left of the middle, hence the shift.
#[inline]
fn mirror(board: ReversiBoard, cells: u64) -> u64 {
    cells.reverse_bits().swap_bytes() >> (board.width() & 1)
}

/// Top and bottom exchanged.
#[inline]
fn upend(board: ReversiBoard, cells: u64) -> u64 {
    cells.swap_bytes() >> (8 * (board.height() & 1))
}

/// Rows and columns exchanged (H. S. Warren, "Hacker's Delight", 7-3).
#[inline]
fn transpose(mut cells: u64) -> u64 {
    for (distance, mask) in [(7, 0x00AA_00AA_00AA_00AA), (14, 0x0000_CCCC_0000_CCCC), (28, 0x0000_0000_F0F0_F0F0)] {
        let swap = (cells ^ cells >> distance) & mask;
        cells ^= swap ^ swap << distance;
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_are_permutations_of_the_board_with_inverses() {
        for (width, height) in (4..=8).flat_map(|w| (4..=8).map(move |h| (w, h))) {
            let board = ReversiBoard::new(width, height).unwrap();
            let mut images = Vec::new();
            for symmetry in 0..count(board) {
                assert_eq!(apply(board, symmetry, board.cells()), board.cells(), "{board} {symmetry}");
                for square in board.squares() {
                    let cell = 1u64 << square;
                    let image = apply(board, symmetry, cell);
                    assert_eq!(image.count_ones(), 1);
                    assert_eq!(unapply(board, symmetry, image), cell);
                }
                // Three cells near a corner tell all symmetries apart.
                images.push(apply(
                    board,
                    symmetry,
                    1 << board.square(0, 0).unwrap() | 2 << board.square(0, 0).unwrap(),
                ));
            }
            images.sort_unstable();
            images.dedup();
            assert_eq!(images.len(), usize::from(count(board)), "{board}");
        }
    }
}
