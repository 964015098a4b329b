//! Pairings: points by twos, so that every open row has both points of one of them. Whenever the attacker takes a
//! point of a pair, the defender takes the other one, and so the attacker makes no row.

use super::rows::{MOST_POINTS, OpenRows, PointSet, bits};

/// A pairing that is looked for.
#[derive(Debug)]
struct PairSearch<'a> {
    rows: Vec<PointSet>,
    through: [u128; MOST_POINTS],
    memory: &'a mut PairMemory,
    /// Steps that are left.
    left: u32,
    /// Fewest rows without a pair so far.
    fewest: u32,
    pairs: Vec<(u32, u32)>,
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
    let Some(through) = rows.by_point() else { return Err(Unpaired(rows.len() as u32)) };
    if rows.iter().any(|row| row.count_ones() < 2) {
        return Err(Unpaired(rows.len() as u32));
    }
    let rows: Vec<PointSet> = rows.iter().collect();
    let open = if rows.len() == u128::BITS as usize { u128::MAX } else { (1 << rows.len()) - 1 };
    let fewest = rows.len() as u32;
    let mut search = PairSearch { rows, through, memory, left: steps, fewest, pairs: Vec::new() };
    if search.extend(open, 0) { Ok(search.pairs) } else { Err(Unpaired(search.fewest)) }
}

impl PairSearch<'_> {
    /// Whether the rows that are open can be paired by points that are not used.
    fn extend(&mut self, open: u128, used: PointSet) -> bool {
        if open == 0 {
            return true;
        }
        self.fewest = self.fewest.min(open.count_ones());
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        // The row with the fewest points that are left.
        let (mut row, mut rest) = (0, open);
        while rest != 0 {
            let points = self.rows[rest.trailing_zeros() as usize] & !used;
            rest &= rest - 1;
            if points.count_ones() < 2 {
                return false;
            }
            if row == 0 || points.count_ones() < PointSet::count_ones(row) {
                row = points;
                if points.count_ones() == 2 {
                    break;
                }
            }
        }
        for (_, first, second) in self.ranked(row, open) {
            let paired = self.through[first as usize] & self.through[second as usize];
            if self.extend(open & !paired, used | 1 << first | 1 << second) {
                self.memory.0[first as usize] = second as u8;
                self.memory.0[second as usize] = first as u8;
                self.pairs.push((first, second));
                return true;
            }
            if self.left == 0 {
                return false;
            }
        }
        false
    }

    /// The pairs of a row, best first: those that were right last, that do for many rows, and whose points are in few
    /// other rows.
    fn ranked(&self, row: PointSet, open: u128) -> Vec<(u32, u32, u32)> {
        let mut pairs = Vec::with_capacity(10);
        for first in bits(row) {
            let remembered = self.memory.0[first as usize];
            let own = self.through[first as usize] & open;
            for second in bits(row >> first >> 1).map(|n| first + 1 + n) {
                let other = self.through[second as usize] & open;
                let all = (own.count_ones() + other.count_ones()).min(63);
                let known = u32::from(u32::from(remembered) == second) * 10_000;
                pairs.push((known + 64 * (own & other).count_ones() + 63 - all, first, second));
            }
        }
        pairs.sort_unstable_by_key(|pair| std::cmp::Reverse(pair.0));
        pairs
    }
}
