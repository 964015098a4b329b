//! Keys of rectangles of a board: equal contents have equal keys.
//!
//! There are three ways to make one. *Zobrist* (A. Zobrist 1970) combines a random number of each point and content.
//! *Matrix* reads the points one by one, two bits each. *Window* keeps the rows of the board as bits, and shifts them
//! to the rectangle; it gives the same keys as the matrix, which are different for different contents, since a
//! rectangle has at most [`MOST_KEYED`] points.

use crate::core::game::Side;
use crate::core::seed::derive;
use crate::games::go::large::points::GREATEST;
use std::sync::OnceLock;

/// Most points of a rectangle with a key: two bits each are one word.
pub const MOST_KEYED: u8 = 32;

/// How a key is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyKind {
    /// Random numbers, combined by exclusive or.
    Zobrist,
    /// Point by point.
    Matrix,
    /// Rows as bits.
    #[default]
    Window,
}

/// The stones of a board as bits: bit `x` of word `y` is the point in column `x` and row `y`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardRows {
    width: u8,
    height: u8,
    black: [u32; GREATEST as usize],
    white: [u32; GREATEST as usize],
}

/// A rectangle on a board: its upper left point, its columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rectangle {
    /// Its first column.
    pub x: u8,
    /// Its first row.
    pub y: u8,
    /// Number of its columns.
    pub width: u8,
    /// Number of its rows.
    pub height: u8,
}

impl Rectangle {
    /// Whether a point is in both.
    #[inline]
    pub fn meets(&self, other: Rectangle) -> bool {
        self.x < other.x + other.width
            && self.y < other.y + other.height
            && self.x + self.width > other.x
            && self.y + self.height > other.y
    }

    /// Whether a point is in it.
    #[inline]
    pub fn contains(&self, (x, y): (u8, u8)) -> bool {
        x.wrapping_sub(self.x) < self.width && y.wrapping_sub(self.y) < self.height
    }
}

fn zobrist(place: usize, content: usize) -> u64 {
    static ALL: OnceLock<Vec<[u64; 3]>> = OnceLock::new();
    let of = |place: u64| std::array::from_fn(|content| derive(0x7AC7_0002, &[place, content as u64]));
    ALL.get_or_init(|| (0..1024).map(of).collect())[place & 1023][content]
}

impl BoardRows {
    /// The rows of a board of so many columns and rows, at most 19 each.
    pub fn new((width, height): (u8, u8), stone: impl Fn((u8, u8)) -> Option<Side>) -> BoardRows {
        let empty = [0; GREATEST as usize];
        let mut rows = BoardRows { width, height, black: empty, white: empty };
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        places.for_each(|place| rows.set(place, stone(place)));
        rows
    }

    /// Columns and rows.
    #[inline]
    pub fn size(&self) -> (u8, u8) {
        (self.width, self.height)
    }

    /// Puts a stone on a point of the board, or makes it empty.
    #[inline]
    pub fn set(&mut self, (x, y): (u8, u8), content: Option<Side>) {
        let bit = 1 << x;
        self.black[usize::from(y)] &= !bit;
        self.white[usize::from(y)] &= !bit;
        match content {
            None => (),
            Some(Side::First) => self.black[usize::from(y)] |= bit,
            Some(Side::Second) => self.white[usize::from(y)] |= bit,
        }
    }

    /// What is on a point of the board.
    #[inline]
    pub fn at(&self, (x, y): (u8, u8)) -> Option<Side> {
        match (self.black[usize::from(y)] >> x & 1, self.white[usize::from(y)] >> x & 1) {
            (0, 0) => None,
            (0, _) => Some(Side::Second),
            _ => Some(Side::First),
        }
    }

    /// The bits of black and white of a row, from a column on.
    #[inline]
    pub fn row(&self, x: u8, y: u8) -> (u32, u32) {
        (self.black[usize::from(y)] >> x, self.white[usize::from(y)] >> x)
    }

    /// The key of a rectangle on the board, of at most [`MOST_KEYED`] points.
    #[inline]
    pub fn key(&self, kind: KeyKind, at: Rectangle) -> u64 {
        match kind {
            KeyKind::Window => {
                let mask = (1u64 << at.width) - 1;
                let mut key = 0;
                for y in at.y..at.y + at.height {
                    let (black, white) = self.row(at.x, y);
                    let row = u64::from(black) & mask | (u64::from(white) & mask) << at.width;
                    // A row of its own can have all 32 points' bits of no more than 19 columns.
                    key = key << (2 * at.width) | row;
                }
                key
            }
            KeyKind::Matrix => {
                let mut key = 0;
                for y in at.y..at.y + at.height {
                    let mut row = 0;
                    for x in 0..at.width {
                        match self.at((at.x + x, y)) {
                            None => (),
                            Some(Side::First) => row |= 1u64 << x,
                            Some(Side::Second) => row |= 1u64 << (x + at.width),
                        }
                    }
                    key = key << (2 * at.width) | row;
                }
                key
            }
            KeyKind::Zobrist => {
                let mut key = 0;
                for y in 0..at.height {
                    for x in 0..at.width {
                        let content = match self.at((at.x + x, at.y + y)) {
                            None => 0,
                            Some(Side::First) => 1,
                            Some(Side::Second) => 2,
                        };
                        key ^= zobrist(usize::from(y) * 32 + usize::from(x), content);
                    }
                }
                key
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use rand::RngExt;
    use std::collections::HashMap;

    /// Equal contents have equal keys wherever they are, and the keys of different ones differ.
    #[test]
    fn keys_tell_contents_apart() {
        const SEED: u64 = 5;
        println!("seed {SEED}");
        let mut random = rng(SEED, &[]);
        let stones: Vec<Option<Side>> = (0..361)
            .map(|_| match random.random_range(0..4) {
                0 => Some(Side::First),
                1 => Some(Side::Second),
                _ => None,
            })
            .collect();
        let mut rows = BoardRows::new((19, 19), |(x, y)| stones[usize::from(y) * 19 + usize::from(x)]);
        rows.set((0, 0), None);
        for (width, height) in [(1, 1), (2, 3), (3, 2), (4, 4), (16, 2), (1, 19), (19, 1)] {
            let mut all: [HashMap<u64, Vec<Option<Side>>>; 3] = Default::default();
            for y in 0..=19 - height {
                for x in 0..=19 - width {
                    let at = Rectangle { x, y, width, height };
                    let contents: Vec<_> = (0..height)
                        .flat_map(|dy| (0..width).map(move |dx| (x + dx, y + dy)))
                        .map(|p| rows.at(p))
                        .collect();
                    let kinds = [KeyKind::Zobrist, KeyKind::Matrix, KeyKind::Window];
                    for (known, kind) in all.iter_mut().zip(kinds) {
                        let old = known.insert(rows.key(kind, at), contents.clone());
                        assert!(old.is_none_or(|old| old == contents), "{kind:?}, {width}x{height} at {x}, {y}");
                    }
                    assert_eq!(rows.key(KeyKind::Matrix, at), rows.key(KeyKind::Window, at));
                }
            }
            assert!(all.iter().all(|known| known.len() == all[0].len()));
        }
    }
}
