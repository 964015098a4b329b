//! The size of a board and the names of its points.
//!
//! A point has the number `20 row + column` on every board, row 0 being the uppermost, so one table of random numbers
//! serves all sizes. Its name is its column as a letter (`a` to `t`, none left out) and its row counted from below:
//! `h8` is the middle of a 15x15 board.

use crate::games::size::{BoardSize, BoardSizeError};

/// Greatest width and height.
pub const GREATEST: u8 = 20;
/// Numbers of points, on the board or not.
pub const POINTS: usize = GREATEST as usize * GREATEST as usize;

/// Width and height of a board, in points.
pub type GomokuBoard = BoardSize<1, GREATEST>;

impl GomokuBoard {
    /// The usual board, 15x15.
    pub const USUAL: GomokuBoard = GomokuBoard::square_of::<15>();

    /// A board of `width` columns and `height` rows.
    ///
    /// # Errors
    /// A width or height outside 1 to [`GREATEST`].
    pub fn new(width: u8, height: u8) -> Result<GomokuBoard, BoardSizeError> {
        GomokuBoard::within(width, height, "gomoku")
    }

    /// The number of the point in column `x` and row `y`, both from 0 at the upper left; `None` outside the board.
    #[inline]
    pub fn point(self, x: u8, y: u8) -> Option<u16> {
        self.has(x, y).then(|| u16::from(y) * u16::from(GREATEST) + u16::from(x))
    }

    /// Column and row, both from 0 at the upper left, of a point's number.
    #[inline]
    pub fn place(self, point: u16) -> (u8, u8) {
        ((point % u16::from(GREATEST)) as u8, (point / u16::from(GREATEST)) as u8)
    }

    /// Whether the number is that of a point of this board.
    #[inline]
    pub fn holds(self, point: u16) -> bool {
        let (x, y) = self.place(point);
        self.has(x, y)
    }

    /// The name of a point of the board.
    pub fn name(self, point: u16) -> String {
        let (x, y) = self.place(point);
        format!("{}{}", column(x), self.height().saturating_sub(y))
    }

    /// The point with a name, in any case; `None` if the board has none.
    pub fn named(self, name: &str) -> Option<u16> {
        let (letter, row) = name.split_at_checked(1)?;
        let letter = letter.bytes().next()?.to_ascii_lowercase();
        let is_number = !row.starts_with('0') && row.bytes().all(|digit| digit.is_ascii_digit());
        let row: u8 = row.parse().ok().filter(|_| is_number)?;
        self.point(letter.checked_sub(b'a')?, self.height().checked_sub(row)?)
    }

    /// The points by rows from the upper left.
    pub fn points(self) -> impl Iterator<Item = u16> {
        (0..self.height()).flat_map(move |y| (0..self.width()).filter_map(move |x| self.point(x, y)))
    }
}

/// The letter of a column.
pub fn column(x: u8) -> char {
    char::from(b'a' + x.min(25))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_have_names_and_numbers_of_their_own() {
        for (width, height) in [(1, 1), (15, 15), (20, 20), (7, 5), (20, 3)] {
            let board = GomokuBoard::new(width, height).unwrap();
            let points: Vec<u16> = board.points().collect();
            assert_eq!(points.len(), usize::from(board.area()));
            for &point in &points {
                let (x, y) = board.place(point);
                assert_eq!(board.point(x, y), Some(point));
                assert_eq!(board.named(&board.name(point)), Some(point));
                assert_eq!(board.named(&board.name(point).to_uppercase()), Some(point));
            }
        }
        assert_eq!(GomokuBoard::USUAL.named("H8"), GomokuBoard::USUAL.point(7, 7));
        assert_eq!(GomokuBoard::USUAL.named("i9"), GomokuBoard::USUAL.point(8, 6));
        for name in ["", "h", "8", "h0", "h16", "p1", "h08", "h+8", "\u{e4}1", "h8 ", "hh8", "h300"] {
            assert_eq!(GomokuBoard::USUAL.named(name), None, "{name}");
        }
        for (width, height) in [(0, 8), (8, 21), (0, 0), (255, 4)] {
            assert!(GomokuBoard::new(width, height).is_err());
        }
    }
}
