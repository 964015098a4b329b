//! A pool of grids in one ranking, from which the first ranks are drawn more often than the last.
//!
//! Longer grids stand first, of equally long ones the newest. A draw takes rank `n u^3` of `n`, `u` uniform: the first
//! hundredth of the ranks is drawn in a fifth of the draws. What was seen before, as a set of points, is not taken in again.
//! Tishchenko (2026) draws by the tenth power; with that and 200 grids, runs of 16 M games in 5T ended 13 moves lower than with
//! this and 5,000 (6 seeds). How much of it each of the two does has not been told apart.

use crate::core::seed::Rng;
use crate::strategies::local::Seen;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Grids come in up to this many moves below the best.
pub(super) const DEPTH: usize = 10;
/// Grids seen that are remembered: 3 MB when saved.
const REMEMBERED: usize = 1 << 18;
/// Scores are below this.
const SCORES: usize = 512;

/// The grids of one search, each as its moves as bits, in the order of their priorities.
pub(super) struct Pool {
    /// By score, the newest first.
    members: Vec<VecDeque<Vec<u32>>>,
    /// How many.
    len: usize,
    /// Scores of the first and the last, 0 without members.
    best: usize,
    last: usize,
    capacity: usize,
    seen: Seen,
}

/// A pool as it is saved.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedPool {
    /// The best first.
    pub members: Vec<Vec<u32>>,
    seen: Vec<(u32, u64)>,
}

impl Pool {
    pub fn new(capacity: usize) -> Pool {
        Pool {
            members: vec![VecDeque::new(); SCORES],
            len: 0,
            best: 0,
            last: 0,
            capacity: capacity.max(1),
            seen: Seen::new(REMEMBERED),
        }
    }

    /// The largest score, 0 without members.
    pub fn best(&self) -> usize {
        self.best
    }

    /// Scores from this one on may come in.
    pub fn least(&self) -> usize {
        let last = if self.len >= self.capacity { self.last } else { 0 };
        self.best.saturating_sub(DEPTH).max(last)
    }

    /// Draws a grid; nothing from a pool without any.
    pub fn draw(&self, rng: &mut Rng) -> Option<&[u32]> {
        let u: f64 = rng.random();
        let mut rank = ((self.len as f64 * (u * u * u)) as usize).min(self.len.saturating_sub(1));
        for members in self.members[self.last..=self.best].iter().rev() {
            match members.get(rank) {
                Some(member) => return Some(member),
                None => rank -= members.len(),
            }
        }
        None
    }

    /// Takes in a grid, unless it is too short or known by its hash; whether it was taken in. The last one leaves when the
    /// pool is full.
    pub fn insert(&mut self, moves: &[u32], hash: u64) -> bool {
        let score = moves.len();
        if score < self.least() || score >= SCORES || !self.seen.insert(hash) {
            return false;
        }
        // The memory of the one that leaves serves the one that comes.
        let mut member = Vec::new();
        if self.len >= self.capacity
            && let Some(leaves) = self.members[self.last].pop_back()
        {
            member = leaves;
            self.len -= 1;
        }
        member.clear();
        member.extend_from_slice(moves);
        self.members[score].push_front(member);
        self.len += 1;
        self.best = self.best.max(score);
        self.last = if self.len == 1 { score } else { self.last.min(score) };
        while self.members[self.last].is_empty() {
            self.last += 1;
        }
        true
    }

    /// All members, the best first.
    pub fn members(&self) -> impl Iterator<Item = &[u32]> {
        self.members.iter().rev().flatten().map(Vec::as_slice)
    }

    /// What is to be saved.
    pub fn save(&self) -> SavedPool {
        SavedPool { members: self.members().map(<[u32]>::to_vec).collect(), seen: self.seen.save() }
    }

    /// Becomes what was saved, from an empty pool; the caller has checked that the members are games.
    pub fn restore(&mut self, saved: SavedPool) -> Result<(), &'static str> {
        if saved.members.len() > self.capacity {
            return Err("there are more grids than the pool holds");
        }
        if !saved.members.is_sorted_by(|a, b| a.len() >= b.len()) || saved.members.iter().any(|m| m.len() >= SCORES) {
            return Err("the grids are not ranked by their length");
        }
        self.best = saved.members.first().map_or(0, Vec::len);
        self.last = saved.members.last().map_or(0, Vec::len);
        self.len = saved.members.len();
        for member in saved.members {
            self.members[member.len()].push_back(member);
        }
        self.seen.restore(&saved.seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;

    #[test]
    fn a_pool_is_bounded_and_ranked_takes_each_grid_once_and_is_restored_as_it_was() {
        let mut pool = Pool::new(30);
        assert!(pool.draw(&mut rng(4, &[])).is_none());
        for n in 0..2000u64 {
            let score = 60 + (n / 50) as usize % 20;
            let moves = vec![n as u32; score];
            let hash = (n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let wanted = score >= pool.least();
            assert_eq!(pool.insert(&moves, hash), wanted, "{n}");
            assert!(!pool.insert(&moves, hash), "{n}: the same once more");
            let members: Vec<&[u32]> = pool.members().collect();
            assert!(members.is_sorted_by(|a, b| a.len() > b.len() || a.len() == b.len() && a[0] > b[0]), "{n}");
            assert!(members.len() <= 30 && members.len() == pool.len && members[0].len() == pool.best(), "{n}");
            assert_eq!(members.last().map(|last| last.len()), Some(pool.last), "{n}");
        }
        assert_eq!((pool.best(), pool.members().next().unwrap()[0]), (79, 1999));
        let mut copy = Pool::new(30);
        copy.restore(pool.save()).unwrap();
        assert_eq!((&copy.members, &copy.seen), (&pool.members, &pool.seen));
        assert_eq!((copy.len, copy.best, copy.last), (pool.len, pool.best, pool.last));
        assert!(Pool::new(29).restore(pool.save()).is_err());
        let mut unranked = pool.save();
        unranked.members.reverse();
        unranked.members[0].pop();
        assert!(Pool::new(30).restore(unranked).is_err());
    }

    /// Of 1000 ranks the first is drawn with probability 1000^(-1/3) = 0.1, the first ten with 0.215.
    #[test]
    fn ranks_are_drawn_by_the_third_power() {
        let mut pool = Pool::new(1000);
        for n in 0..1000 {
            // Of two lengths, so that a rank is found among several.
            let moves = if n < 500 { &[n; 39][..] } else { &[n; 40] };
            assert!(pool.insert(moves, (u64::from(n) + 1) << 32));
        }
        let rng = &mut rng(5, &[]);
        let drawn: Vec<u32> = (0..20_000).map(|_| 999 - pool.draw(rng).unwrap()[0]).collect();
        let share = |ranks: u32| drawn.iter().filter(|&&rank| rank < ranks).count() as f64 / 20_000.0;
        assert!((share(1) - 0.1).abs() < 0.011 && (share(10) - 0.215).abs() < 0.015, "{} {}", share(1), share(10));
        assert!(drawn.iter().max() > Some(&900));
    }
}
