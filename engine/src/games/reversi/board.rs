//! The shape of a board and the names of its cells.
//!
//! Every board lies in the middle of an 8x8 square of bits: bit `8 row + column`, a1 of the full board being bit 0.
//! Cells outside hold no disc of either side, so rows of discs end there by themselves and one engine serves all
//! sizes; boards of even width and height keep the square's symmetries.

use crate::games::size::{BoardSize, BoardSizeError};

/// Least width and height.
pub const LEAST: u8 = 4;
/// Greatest width and height.
pub const GREATEST: u8 = 8;

/// Width and height of a board, in cells.
pub type ReversiBoard = BoardSize<LEAST, GREATEST>;

impl ReversiBoard {
    /// A board of `width` columns and `height` rows.
    ///
    /// # Errors
    /// A width or height outside [`LEAST`] to [`GREATEST`].
    pub fn new(width: u8, height: u8) -> Result<ReversiBoard, BoardSizeError> {
        ReversiBoard::within(width, height, "reversi")
    }

    /// The cells as bits.
    pub fn cells(self) -> u64 {
        let row = ((1u64 << self.width()) - 1) << self.left();
        (0..self.height()).fold(0, |cells, y| cells | row << (8 * (self.top() + y)))
    }

    fn left(self) -> u8 {
        (GREATEST - self.width()) / 2
    }

    fn top(self) -> u8 {
        (GREATEST - self.height()) / 2
    }

    /// The bit number of the cell in column `x` and row `y`, both from 0; `None` outside the board.
    pub fn square(self, x: u8, y: u8) -> Option<u8> {
        self.has(x, y).then(|| 8 * (self.top() + y) + self.left() + x)
    }

    /// Column and row, both from 0, of a cell of the board.
    pub fn place(self, square: u8) -> (u8, u8) {
        ((square % 8).wrapping_sub(self.left()), (square / 8).wrapping_sub(self.top()))
    }

    /// The name of a cell: its column as a letter and its row as a number, a1 being the upper left one.
    pub fn name(self, square: u8) -> String {
        let (x, y) = self.place(square);
        format!("{}{}", char::from(b'a' + (x & 7)), (y & 7) + 1)
    }

    /// The cells by rows from a1 on, as bit numbers.
    pub fn squares(self) -> impl Iterator<Item = u8> {
        (0..self.height()).flat_map(move |y| (0..self.width()).filter_map(move |x| self.square(x, y)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_lie_in_the_middle() {
        assert_eq!(ReversiBoard::FULL.cells(), u64::MAX);
        assert_eq!(ReversiBoard::new(4, 4).unwrap().cells(), 0x0000_3C3C_3C3C_0000);
        assert_eq!(ReversiBoard::new(6, 6).unwrap().cells(), 0x007E_7E7E_7E7E_7E00);
        for (width, height) in (4..=8).flat_map(|w| (4..=8).map(move |h| (w, h))) {
            let board = ReversiBoard::new(width, height).unwrap();
            assert_eq!(board.cells().count_ones(), u32::from(board.area()));
            assert_eq!(board.squares().fold(0, |cells, s| cells | 1u64 << s), board.cells());
            for square in board.squares() {
                let (x, y) = board.place(square);
                assert_eq!(board.square(x, y), Some(square));
            }
        }
        assert_eq!(ReversiBoard::FULL.name(19), "d3");
        for (width, height) in [(3, 8), (8, 9), (0, 0), (255, 4)] {
            assert!(ReversiBoard::new(width, height).is_err());
        }
    }
}
