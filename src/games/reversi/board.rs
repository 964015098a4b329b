//! The shape of a board and the names of its cells.
//!
//! Every board lies in the middle of an 8x8 square of bits: bit `8 row + column`, a1 of the full board being bit 0.
//! Cells outside hold no disc of either side, so rows of discs end there by themselves and one engine serves all
//! sizes; boards of even width and height keep the square's symmetries.

/// Least width and height.
pub const LEAST: u8 = 4;
/// Greatest width and height.
pub const GREATEST: u8 = 8;

/// Width and height of a board, in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReversiBoard {
    width: u8,
    height: u8,
}

/// A size that no board has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no {width}x{height} board for reversi: width and height are {LEAST} to {GREATEST}")]
pub struct ReversiBoardError {
    width: u8,
    height: u8,
}

impl ReversiBoard {
    /// The full board, 8x8.
    pub const FULL: ReversiBoard = ReversiBoard { width: GREATEST, height: GREATEST };

    /// A board of `width` columns and `height` rows.
    ///
    /// # Errors
    /// A width or height outside [`LEAST`] to [`GREATEST`].
    pub fn new(width: u8, height: u8) -> Result<ReversiBoard, ReversiBoardError> {
        let sizes = LEAST..=GREATEST;
        match sizes.contains(&width) && sizes.contains(&height) {
            true => Ok(ReversiBoard { width, height }),
            false => Err(ReversiBoardError { width, height }),
        }
    }

    /// Number of columns.
    #[inline]
    pub fn width(self) -> u8 {
        self.width
    }

    /// Number of rows.
    #[inline]
    pub fn height(self) -> u8 {
        self.height
    }

    /// Number of cells.
    pub fn area(self) -> u32 {
        u32::from(self.width) * u32::from(self.height)
    }

    /// The cells as bits.
    pub fn cells(self) -> u64 {
        let row = ((1u64 << self.width) - 1) << self.left();
        (0..self.height).fold(0, |cells, y| cells | row << (8 * (self.top() + y)))
    }

    fn left(self) -> u8 {
        (GREATEST - self.width) / 2
    }

    fn top(self) -> u8 {
        (GREATEST - self.height) / 2
    }

    /// The bit number of the cell in column `x` and row `y`, both from 0; `None` outside the board.
    pub fn square(self, x: u8, y: u8) -> Option<u8> {
        (x < self.width && y < self.height).then(|| 8 * (self.top() + y) + self.left() + x)
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
        (0..self.height).flat_map(move |y| (0..self.width).filter_map(move |x| self.square(x, y)))
    }
}

impl std::fmt::Display for ReversiBoard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
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
            assert_eq!(board.cells().count_ones(), board.area());
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
