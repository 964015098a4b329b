//! The rows that the attacker can still make, as sets of the points that it still needs for them.
//!
//! A row is open as long as the defender has no stone in it. Nothing else matters to a proof that the attacker makes
//! no row: a stone of the attacker takes a point out of the rows through it, and a stone of the defender takes these
//! rows away.

use crate::core::game::Side;
use crate::games::gomoku::position::GomokuPosition;
use crate::games::gomoku::rules::RowRule;
use crate::games::gomoku::symmetry;

/// Points of a [`HoldBoard`], a bit for each.
pub type PointSet = u64;

/// Most points that open rows may have.
pub const MOST_POINTS: usize = PointSet::BITS as usize;

/// The four ways that rows go, as steps in columns and rows.
const WAYS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// Where a symmetry carries the points of each byte of a set.
type Image = [[PointSet; 256]; MOST_POINTS / 8];

/// The points of a board that matter, and its symmetries.
#[derive(Debug)]
pub struct HoldBoard {
    /// The point of each bit.
    points: Vec<u16>,
    /// The symmetries, the first of which is none.
    images: Vec<Image>,
    /// The number of each symmetry's inverse.
    inverses: Vec<usize>,
}

impl HoldBoard {
    /// The board of a position, and the rows that the attacker can still make there. `None` if they have more than
    /// [`MOST_POINTS`] points, if the defender may not play everywhere (black in renju), or if the attacker has a
    /// row.
    pub fn new(position: &GomokuPosition, attacker: Side) -> Option<(HoldBoard, OpenRows)> {
        let (board, rules) = (position.board(), position.rules());
        if rules.rule() == RowRule::Renju && attacker == Side::Second {
            return None;
        }
        let rows = needed(position, attacker);
        if rows.iter().any(Vec::is_empty) {
            return None;
        }
        let is_small = usize::from(board.area()) <= MOST_POINTS;
        let points: Vec<u16> =
            board.points().filter(|point| is_small || rows.iter().any(|row| row.contains(point))).collect();
        if points.len() > MOST_POINTS {
            return None;
        }
        let bit = |point: &u16| points.iter().position(|other| other == point).map_or(0, |n| 1 << n);
        // On a larger board the points that matter need not be carried to each other.
        let symmetries = if is_small { symmetry::count(board) } else { 1 };
        let carried = |s: u8| points.iter().map(|&point| bit(&symmetry::apply(board, s, point))).collect::<Vec<_>>();
        let images: Vec<Vec<PointSet>> = (0..symmetries).map(carried).collect();
        let inverses = images.iter().map(|image| {
            let undoes = |other: &Vec<PointSet>| {
                image.iter().enumerate().all(|(n, to)| other[to.trailing_zeros() as usize] == 1 << n)
            };
            images.iter().position(undoes).unwrap_or(0)
        });
        let inverses = inverses.collect();
        let rows = rows.iter().map(|row| row.iter().map(bit).fold(0, |set, bit| set | bit)).collect();
        Some((HoldBoard { images: images.iter().map(|image| by_bytes(image)).collect(), points, inverses }, rows))
    }

    /// The point of the board that a bit stands for.
    pub fn point(&self, bit: u32) -> u16 {
        self.points[bit as usize]
    }

    /// The bit of a point of the board, if it matters.
    pub fn bit(&self, point: u16) -> Option<u32> {
        self.points.iter().position(|&other| other == point).map(|n| n as u32)
    }

    /// What rows are known by in a table, and the symmetry that carries them there. Rows that a symmetry carries to
    /// each other are mostly known by the same.
    pub fn key(&self, rows: &OpenRows) -> (u64, usize) {
        let all = rows.points();
        let of_size = |size| rows.iter().filter(|row| row.count_ones() == size).fold(0, |set, row| set | row);
        let (twos, threes) = (of_size(2), of_size(3));
        let mut least = ((PointSet::MAX, PointSet::MAX, PointSet::MAX), 0);
        for symmetry in 0..self.images.len() {
            let first = self.apply(symmetry, all);
            if first <= least.0.0 {
                let image = (first, self.apply(symmetry, threes), self.apply(symmetry, twos));
                least = least.min((image, symmetry));
            }
        }
        let hash = rows.iter().fold(0u64, |sum, row| sum.wrapping_add(scattered(self.apply(least.1, row))));
        (hash, least.1)
    }

    /// Where a symmetry carries a set.
    #[inline]
    pub fn apply(&self, symmetry: usize, set: PointSet) -> PointSet {
        let image = &self.images[symmetry];
        set.to_le_bytes().iter().zip(image).fold(0, |to, (&byte, part)| to | part[usize::from(byte)])
    }

    /// The inverse of [`HoldBoard::apply`].
    #[inline]
    pub fn unapply(&self, symmetry: usize, set: PointSet) -> PointSet {
        self.apply(self.inverses[symmetry], set)
    }
}

/// The points that the attacker needs for each row without a stone of the defender.
fn needed(position: &GomokuPosition, attacker: Side) -> Vec<Vec<u16>> {
    let (board, win) = (position.board(), i32::from(position.rules().win()));
    let point = |x: i32, y: i32| board.point(u8::try_from(x).ok()?, u8::try_from(y).ok()?);
    let mut rows = Vec::new();
    for (x, y) in board.points().map(|point| board.place(point)) {
        for (dx, dy) in WAYS {
            let row = (0..win).map(|n| point(i32::from(x) + n * dx, i32::from(y) + n * dy));
            let Some(row) = row.collect::<Option<Vec<u16>>>() else { continue };
            if row.iter().all(|&point| position.stone(point) != Some(attacker.other())) {
                rows.push(row.into_iter().filter(|&point| position.stone(point).is_none()).collect());
            }
        }
    }
    rows
}

fn by_bytes(image: &[PointSet]) -> Image {
    let mut table = [[0; 256]; MOST_POINTS / 8];
    for (byte, part) in table.iter_mut().enumerate() {
        for (value, to) in part.iter_mut().enumerate() {
            let bits = image.iter().skip(8 * byte).take(8).enumerate().filter(|(n, _)| value >> n & 1 != 0);
            *to = bits.fold(0, |set, (_, bit)| set | bit);
        }
    }
    table
}

/// A number that looks like chance (the finalizer of MurmurHash3 with constants by D. Stafford).
fn scattered(set: PointSet) -> u64 {
    let mut x = set.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The bits of a set, least first.
pub fn bits(mut set: PointSet) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (bit < PointSet::BITS).then_some(bit)
    })
}

/// The rows that the attacker can still make. None of them contains another: whoever is in the smaller one is in the
/// larger one, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenRows(Vec<PointSet>);

impl FromIterator<PointSet> for OpenRows {
    fn from_iter<T: IntoIterator<Item = PointSet>>(rows: T) -> OpenRows {
        let mut rows: Vec<PointSet> = rows.into_iter().collect();
        rows.sort_unstable_by_key(|row| (row.count_ones(), *row));
        let mut least: Vec<PointSet> = Vec::with_capacity(rows.len());
        for row in rows {
            if !least.iter().any(|other| other & !row == 0) {
                least.push(row);
            }
        }
        OpenRows(least)
    }
}

impl OpenRows {
    /// The points that are needed for each.
    pub fn iter(&self) -> impl Iterator<Item = PointSet> {
        self.0.iter().copied()
    }

    /// The points that are needed for each, as a list.
    pub fn as_slice(&self) -> &[PointSet] {
        &self.0
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All points of all rows.
    pub fn points(&self) -> PointSet {
        self.iter().fold(0, |set, row| set | row)
    }

    /// The rows after a stone of the attacker.
    pub fn attacked(&self, bit: u32) -> OpenRows {
        let stone = 1 << bit;
        let mut rows: Vec<PointSet> = Vec::with_capacity(self.len());
        // Rows through the stone became smaller by the same point, so none of these contains another.
        rows.extend(self.iter().filter(|row| row & stone != 0).map(|row| row & !stone));
        let smaller = rows.len();
        for row in self.iter().filter(|row| row & stone == 0) {
            if !rows[..smaller].iter().any(|other| other & !row == 0) {
                rows.push(row);
            }
        }
        OpenRows(rows)
    }

    /// The rows after a stone of the defender.
    pub fn defended(&self, bit: u32) -> OpenRows {
        OpenRows(self.iter().filter(|row| row >> bit & 1 == 0).collect())
    }

    /// Which rows go through each point, as bits by their order; none if there are more than 128 rows.
    pub fn by_point(&self) -> Option<[u128; MOST_POINTS]> {
        if self.len() > u128::BITS as usize {
            return None;
        }
        let mut through = [0; MOST_POINTS];
        for (n, row) in self.iter().enumerate() {
            bits(row).for_each(|bit| through[bit as usize] |= 1 << n);
        }
        Some(through)
    }

    /// For each point a point that is at least as good for both sides: all rows through the one go through the
    /// other. The point itself if there is no other.
    pub fn better(&self) -> [u8; MOST_POINTS] {
        let mut better: [u8; MOST_POINTS] = std::array::from_fn(|n| n as u8);
        let Some(through) = self.by_point() else { return better };
        let all = self.points();
        let mut kept = all;
        for bit in bits(all) {
            let rows = through[bit as usize];
            // A better point has to be in every row through this one.
            let common = self.iter().filter(|row| row >> bit & 1 != 0).fold(all, |common, row| common & row);
            let other = bits(common & kept & !(1 << bit)).find(|&other| rows & !through[other as usize] == 0);
            if let Some(other) = other {
                better[bit as usize] = other as u8;
                kept &= !(1 << bit);
            }
        }
        for bit in bits(all) {
            while better[bit as usize] != better[usize::from(better[bit as usize])] {
                better[bit as usize] = better[usize::from(better[bit as usize])];
            }
        }
        better
    }
}
