//! Pairings: points by twos, so that every open row has both points of one of them. Whenever the attacker takes a
//! point of a pair, the defender takes the other one, and so the attacker makes no row.

use super::rows::{MOST_POINTS, OpenRows, PointSet, bits};
use std::ops::{BitAnd, BitOrAssign, Not};

/// Rows by their order, a bit for each.
trait RowSet: Copy + BitAnd<Output = Self> + BitOrAssign + Not<Output = Self> {
    /// Most rows of a set.
    const MOST: usize;
    const NONE: Self;

    fn one(row: usize) -> Self;
    fn count(self) -> u32;
    /// The first row of the set, which is taken out.
    fn take_first(&mut self) -> Option<usize>;
}

macro_rules! row_set {
    ($bits:ty) => {
        impl RowSet for $bits {
            const MOST: usize = <$bits>::BITS as usize;
            const NONE: Self = 0;

            #[inline]
            fn one(row: usize) -> Self {
                1 << row
            }

            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline]
            fn take_first(&mut self) -> Option<usize> {
                let row = self.trailing_zeros();
                *self &= self.wrapping_sub(1);
                (row < Self::BITS).then_some(row as usize)
            }
        }
    };
}
row_set!(u64);
row_set!(u128);

/// A pairing that is looked for.
#[derive(Debug)]
struct PairSearch<'a, Rows> {
    rows: &'a [PointSet],
    through: [Rows; MOST_POINTS],
    memory: &'a mut PairMemory,
    /// Steps that are left.
    left: u32,
    /// Fewest rows without a pair so far.
    fewest: u32,
    pairs: Vec<(u32, u32)>,
    /// The pairs that the steps on the way have still to try.
    ranked: Vec<(u32, u32, u32)>,
}

/// Which points were paired in the pairings that were found last. These are tried first.
#[derive(Debug, Clone)]
pub struct PairMemory([u8; MOST_POINTS]);

impl Default for PairMemory {
    fn default() -> Self {
        PairMemory([u8::MAX; MOST_POINTS])
    }
}

/// Rows for which no pairing was found: the fewest of them that were left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unpaired(pub u32);

/// A pairing for rows, if `steps` are enough to find one.
///
/// # Errors
/// None was found.
pub fn pair(rows: &OpenRows, steps: u32, memory: &mut PairMemory) -> Result<Vec<(u32, u32)>, Unpaired> {
    match rows.len() {
        few if few <= u64::MOST => search::<u64>(rows.as_slice(), steps, memory),
        many if many <= u128::MOST => search::<u128>(rows.as_slice(), steps, memory),
        more => Err(Unpaired(more as u32)),
    }
}

fn search<Rows: RowSet>(rows: &[PointSet], steps: u32, memory: &mut PairMemory) -> Result<Vec<(u32, u32)>, Unpaired> {
    let fewest = rows.len() as u32;
    if rows.iter().any(|&row| !has_two(row)) {
        return Err(Unpaired(fewest));
    }
    let (mut through, mut open) = ([Rows::NONE; MOST_POINTS], Rows::NONE);
    for (n, &row) in rows.iter().enumerate() {
        bits(row).for_each(|bit| through[bit as usize] |= Rows::one(n));
        open |= Rows::one(n);
    }
    let (pairs, ranked) = (Vec::new(), Vec::new());
    let mut search = PairSearch { rows, through, memory, left: steps, fewest, pairs, ranked };
    if search.extend(open, 0) { Ok(search.pairs) } else { Err(Unpaired(search.fewest)) }
}

/// Whether a set has two points or more.
#[inline]
fn has_two(set: PointSet) -> bool {
    set & set.wrapping_sub(1) != 0
}

impl<Rows: RowSet> PairSearch<'_, Rows> {
    /// Whether the rows that are open can be paired by points that are not used.
    fn extend(&mut self, open: Rows, used: PointSet) -> bool {
        let count = open.count();
        if count == 0 {
            return true;
        }
        self.fewest = self.fewest.min(count);
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        // The row with the fewest points that are left.
        let (mut row, mut fewest, mut rest) = (0, u32::MAX, open);
        while let Some(n) = rest.take_first() {
            let points = self.rows[n] & !used;
            let without_one = points & points.wrapping_sub(1);
            if without_one == 0 {
                return false;
            }
            if !has_two(without_one) {
                let (first, second) = (points.trailing_zeros(), without_one.trailing_zeros());
                return self.paired(first, second, open, used);
            }
            let size = points.count_ones();
            if size < fewest {
                (row, fewest) = (points, size);
            }
        }
        let start = self.ranked.len();
        self.rank(row, open);
        let mut is_found = false;
        for n in start..self.ranked.len() {
            let (_, first, second) = self.ranked[n];
            is_found = self.paired(first, second, open, used);
            if is_found || self.left == 0 {
                break;
            }
        }
        self.ranked.truncate(start);
        is_found
    }

    /// Whether the rows that a pair leaves open can be paired.
    fn paired(&mut self, first: u32, second: u32, open: Rows, used: PointSet) -> bool {
        let paired = self.through[first as usize] & self.through[second as usize];
        if !self.extend(open & !paired, used | 1 << first | 1 << second) {
            return false;
        }
        self.memory.0[first as usize] = second as u8;
        self.memory.0[second as usize] = first as u8;
        self.pairs.push((first, second));
        true
    }

    /// Puts the pairs of a row on the list, best first: those that were right last, that do for many rows, and whose
    /// points are in few other rows.
    fn rank(&mut self, row: PointSet, open: Rows) {
        let start = self.ranked.len();
        for first in bits(row) {
            let remembered = self.memory.0[first as usize];
            let own = self.through[first as usize] & open;
            for second in bits(row >> first >> 1).map(|n| first + 1 + n) {
                let other = self.through[second as usize] & open;
                let all = (own.count() + other.count()).min(63);
                let known = u32::from(u32::from(remembered) == second) * 10_000;
                self.ranked.push((known + 64 * (own & other).count() + 63 - all, first, second));
            }
        }
        self.ranked[start..].sort_unstable_by_key(|pair| std::cmp::Reverse(pair.0));
    }
}
