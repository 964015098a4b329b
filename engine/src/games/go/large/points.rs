//! The shape of a large board, the names of its points, and sets of points.
//!
//! The point in column `x` and row `y`, both from 0 at the upper left, has the number `y * width + x`.

use crate::games::size::{BoardSize, BoardSizeError};
use std::sync::Arc;

/// Greatest width and height.
pub const GREATEST: u8 = 19;
/// Points of the largest board.
pub const MOST_POINTS: usize = GREATEST as usize * GREATEST as usize;
/// Letters of the columns: as is usual in go, there is no i.
const LETTERS: &[u8; GREATEST as usize] = b"abcdefghjklmnopqrst";
/// Words of a set.
const WORDS: usize = MOST_POINTS.div_ceil(64);

/// Width and height of a board, in points.
pub type LargeBoard = BoardSize<1, GREATEST>;

impl LargeBoard {
    /// `width` columns and `height` rows.
    ///
    /// # Errors
    /// A width or height outside 1 to [`GREATEST`].
    pub fn new(width: u8, height: u8) -> Result<LargeBoard, BoardSizeError> {
        LargeBoard::within(width, height, "go here")
    }

    /// The number of the point in column `x` and row `y`, both from 0 at the upper left; `None` off the board.
    pub fn point(self, x: u8, y: u8) -> Option<u16> {
        self.has(x, y).then(|| u16::from(y) * u16::from(self.width()) + u16::from(x))
    }

    /// Column and row of a point.
    #[inline]
    pub fn place(self, point: u16) -> (u8, u8) {
        let width = u16::from(self.width());
        // Both are below 19.
        ((point % width) as u8, (point / width) as u8)
    }

    /// The name of a point: its column as a letter, i left out, and its row as a number from the bottom.
    pub fn name(self, point: u16) -> String {
        let (x, y) = self.place(point);
        format!("{}{}", column(x), self.height().saturating_sub(y))
    }

    /// The points next to each point.
    pub fn neighbours(self) -> Arc<[Neighbours]> {
        let around = |point: u16| {
            let (x, y) = self.place(point);
            let steps = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
            let (mut points, mut count) = ([0; 4], 0);
            for near in steps.into_iter().filter_map(|(x, y)| self.point(x, y)) {
                points[count] = near;
                count += 1;
            }
            Neighbours { points, count: count as u8 }
        };
        (0..self.area()).map(around).collect()
    }
}

/// The letter of a column, from 0.
pub fn column(x: u8) -> char {
    LETTERS.get(usize::from(x)).map_or('?', |&letter| char::from(letter))
}

/// The points next to a point: two to four, on narrow boards fewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbours {
    points: [u16; 4],
    count: u8,
}

impl Neighbours {
    /// Numbers of these points.
    #[inline]
    pub fn get(&self) -> &[u16] {
        &self.points[..usize::from(self.count)]
    }
}

/// What finds the points next to those of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    width: u32,
    all: PointSet,
    /// All points but those of the first column, and of the last.
    not_first: PointSet,
    not_last: PointSet,
}

impl Spread {
    /// That of boards of a size.
    pub fn new(size: LargeBoard) -> Spread {
        let of = |has: fn(u8, u8) -> bool| {
            (0..size.area()).filter(|&point| has(size.place(point).0, size.width())).collect()
        };
        Spread {
            width: u32::from(size.width()),
            all: of(|_, _| true),
            not_first: of(|x, _| x > 0),
            not_last: of(|x, width| x + 1 < width),
        }
    }

    /// All points of the board.
    pub fn all(&self) -> &PointSet {
        &self.all
    }

    /// The points next to a point of a set; those of the set that have such a neighbour are among them.
    #[inline]
    pub fn beside(&self, points: &PointSet) -> PointSet {
        let mut found = points.common(&self.not_last).up(1);
        found.union(&points.common(&self.not_first).down(1));
        found.union(&points.up(self.width));
        found.union(&points.down(self.width));
        found.common(&self.all)
    }
}

/// A set of points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PointSet([u64; WORDS]);

impl PointSet {
    /// The set without a point.
    pub const EMPTY: PointSet = PointSet([0; WORDS]);

    /// Puts a point in.
    #[inline]
    pub fn insert(&mut self, point: u16) {
        self.0[usize::from(point >> 6)] |= 1 << (point & 63);
    }

    /// Takes a point out.
    #[inline]
    pub fn remove(&mut self, point: u16) {
        self.0[usize::from(point >> 6)] &= !(1 << (point & 63));
    }

    /// Whether a point is in it.
    #[inline]
    pub fn contains(&self, point: u16) -> bool {
        self.0[usize::from(point >> 6)] >> (point & 63) & 1 != 0
    }

    /// Puts in all points of another.
    #[inline]
    pub fn union(&mut self, other: &PointSet) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }

    /// Takes out all points of another.
    #[inline]
    pub fn subtract(&mut self, other: &PointSet) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word &= !other);
    }

    /// The points that are in both.
    #[inline]
    pub fn common(&self, other: &PointSet) -> PointSet {
        PointSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// Whether all its points are in another.
    #[inline]
    pub fn is_within(&self, other: &PointSet) -> bool {
        self.0.iter().zip(other.0).all(|(word, other)| word & !other == 0)
    }

    /// Number of points.
    #[inline]
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// The points whose numbers are greater by `by`, 1 to 63; beyond the last word they are lost.
    #[inline]
    fn up(&self, by: u32) -> PointSet {
        PointSet(std::array::from_fn(|i| self.0[i] << by | if i == 0 { 0 } else { self.0[i - 1] >> (64 - by) }))
    }

    /// The points whose numbers are less by `by`, 1 to 63; below 0 they are lost.
    #[inline]
    fn down(&self, by: u32) -> PointSet {
        PointSet(std::array::from_fn(|i| self.0[i] >> by | self.0.get(i + 1).map_or(0, |next| next << (64 - by))))
    }

    /// The only point, if there is one and no other.
    #[inline]
    pub fn single(&self) -> Option<u16> {
        let mut only = None;
        for (i, &word) in (0u16..).zip(&self.0) {
            if word != 0 {
                if only.is_some() || word & (word - 1) != 0 {
                    return None;
                }
                only = Some(64 * i + word.trailing_zeros() as u16);
            }
        }
        only
    }

    /// The point of the lowest number.
    #[inline]
    pub fn first(&self) -> Option<u16> {
        let found = (0u16..).zip(&self.0).find(|(_, word)| **word != 0);
        found.map(|(i, word)| 64 * i + word.trailing_zeros() as u16)
    }

    /// The points in order.
    pub fn iter(&self) -> impl Iterator<Item = u16> + use<> {
        let words = self.0;
        (0u16..).zip(words).flat_map(|(i, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as u16)?;
                word &= word - 1;
                Some(64 * i + bit)
            })
        })
    }
}

impl FromIterator<u16> for PointSet {
    fn from_iter<I: IntoIterator<Item = u16>>(points: I) -> PointSet {
        let mut set = PointSet::EMPTY;
        points.into_iter().for_each(|point| set.insert(point));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use rand::RngExt;

    #[test]
    fn what_is_beside_a_set_is_beside_one_of_its_points() {
        const SEED: u64 = 32;
        println!("seed {SEED}");
        let mut random = rng(SEED, &[]);
        for (width, height) in [(1, 1), (1, 19), (19, 1), (2, 3), (5, 4), (9, 9), (16, 16), (19, 19)] {
            let size = LargeBoard::new(width, height).unwrap();
            let (spread, neighbours) = (Spread::new(size), size.neighbours());
            for part in 0..20 {
                let points: PointSet = (0..size.area()).filter(|_| random.random_range(0..20) <= part).collect();
                let each = points.iter().flat_map(|point| neighbours[usize::from(point)].get().to_vec());
                assert_eq!(spread.beside(&points), each.collect(), "{width}x{height}");
            }
        }
    }

    #[test]
    fn points_names_and_sets() {
        let size = LargeBoard::new(19, 19).unwrap();
        let at = |x, y| size.point(x, y).unwrap();
        assert_eq!([at(0, 18), at(7, 0), at(8, 3), at(18, 0)].map(|p| size.name(p)), ["a1", "h19", "j16", "t19"]);
        assert_eq!(size.point(19, 0), None);
        for (width, height) in [(0, 3), (20, 7), (255, 1)] {
            assert!(LargeBoard::new(width, height).is_err());
        }
        let small = LargeBoard::new(3, 2).unwrap();
        let near: Vec<Vec<u16>> = small.neighbours().iter().map(|near| near.get().to_vec()).collect();
        assert_eq!(near, [vec![1, 3], vec![0, 2, 4], vec![1, 5], vec![4, 0], vec![3, 5, 1], vec![4, 2]]);

        let mut set: PointSet = [0, 63, 64, 200, 360].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 200, 360]);
        assert_eq!((set.len(), set.contains(200), set.contains(201), set.single()), (5, true, false, None));
        let some: PointSet = [63, 200, 201].into_iter().collect();
        assert_eq!((set.common(&some), set.first()), ([63, 200].into_iter().collect(), Some(0)));
        assert!(set.common(&some).is_within(&set) && !some.is_within(&set) && PointSet::EMPTY.first().is_none());
        let mut rest = set;
        rest.subtract(&some);
        assert_eq!(rest.iter().collect::<Vec<_>>(), [0, 64, 360]);
        set.union(&[201].into_iter().collect());
        [0, 63, 64, 200, 360].into_iter().for_each(|point| set.remove(point));
        assert_eq!((set.single(), set.is_empty()), (Some(201), false));
        set.remove(201);
        assert!(set.is_empty() && set.single().is_none());
    }
}
