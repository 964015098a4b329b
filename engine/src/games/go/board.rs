//! The shape of a board, the names of its points, and sets of points as words of bits.
//!
//! The point in column `x` and row `y`, both from 0 at the upper left, is bit `8 y + x`. The eighth bit of each row
//! is always off the board, so that shifts do not lead from one row into the next.

use crate::games::size::{BoardSize, BoardSizeError};

/// Greatest width and height.
pub const GREATEST: u8 = 7;

/// Width and height of a board that the solvers take, in points.
pub type GoBoard = BoardSize<1, GREATEST>;

impl GoBoard {
    /// A board of `width` columns and `height` rows.
    ///
    /// # Errors
    /// A width or height outside 1 to [`GREATEST`].
    pub fn new(width: u8, height: u8) -> Result<GoBoard, BoardSizeError> {
        GoBoard::within(width, height, "the solvers of go")
    }

    /// The points of the board, as bits.
    pub fn points(self) -> u64 {
        let row = (1u64 << self.width()) - 1;
        (0..self.height()).fold(0, |points, y| points | row << (8 * y))
    }

    /// The bit number of the point in column `x` and row `y`, both from 0 at the upper left; `None` off the board.
    pub fn point(self, x: u8, y: u8) -> Option<u8> {
        self.has(x, y).then(|| 8 * y + x)
    }

    /// The name of a point: its column as a letter, and its row as a number from the bottom, as is usual in go.
    pub fn name(self, point: u8) -> String {
        let (x, y) = (point % 8, point / 8);
        format!("{}{}", char::from(b'a' + x), self.height().saturating_sub(y))
    }

    /// The points by rows from the upper left on, as bit numbers.
    pub fn all(self) -> impl Iterator<Item = u8> {
        (0..self.height()).flat_map(move |y| (0..self.width()).map(move |x| 8 * y + x))
    }
}

/// The points next to a set, some of the set itself perhaps among them; off the board, too.
#[inline(always)]
pub fn neighbours(set: u64) -> u64 {
    set << 1 | set >> 1 | set << 8 | set >> 8
}

/// All points of `within` that are connected to `seed` in it; `seed` lies within.
#[inline(always)]
pub fn connected(seed: u64, within: u64) -> u64 {
    let mut set = seed;
    loop {
        let larger = set | neighbours(set) & within;
        if larger == set {
            return set;
        }
        set = larger;
    }
}

/// The parts of a set that are each connected.
#[inline(always)]
pub fn parts(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let part = connected(set & set.wrapping_neg(), set);
        set &= !part;
        Some(part)
    })
}

/// Most chains or regions of a colour on a board of 49 points.
pub const MOST_PARTS: usize = 32;

/// The same in an array, with their number; `None` if there are more than have room.
#[inline(always)]
pub fn all_parts(set: u64) -> Option<([u64; MOST_PARTS], usize)> {
    let (mut all, mut count) = ([0; MOST_PARTS], 0);
    for part in parts(set) {
        *all.get_mut(count)? = part;
        count += 1;
    }
    Some((all, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_names() {
        for (width, height) in (1..=7).flat_map(|w| (1..=7).map(move |h| (w, h))) {
            let board = GoBoard::new(width, height).unwrap();
            assert_eq!(board.points().count_ones(), u32::from(board.area()));
            assert_eq!(board.all().fold(0, |set, p| set | 1u64 << p), board.points());
            assert_eq!(connected(1, board.points()), board.points());
            // Neighbours on the board are those of the definition.
            for p in board.all() {
                let found = neighbours(1 << p) & board.points();
                let near = |q: u8| (p % 8).abs_diff(q % 8) + (p / 8).abs_diff(q / 8) == 1;
                assert_eq!(found, board.all().filter(|&q| near(q)).fold(0, |set, q| set | 1 << q), "{board} {p}");
            }
        }
        let board = GoBoard::new(4, 5).unwrap();
        assert_eq!((board.name(0), board.name(8 * 4 + 3)), ("a5".to_owned(), "d1".to_owned()));
        for (width, height) in [(0, 3), (8, 7), (255, 1)] {
            assert!(GoBoard::new(width, height).is_err());
        }
    }
}
