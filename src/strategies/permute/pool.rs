//! A pool of grids in one ranking, from which ranks near the top are drawn by far the most.
//!
//! Longer grids stand first, of equally long ones the newest. A draw takes rank `n u^10` of `n`, `u` uniform (the power
//! is Tishchenko's, 2026). What was seen before, as a set of points, is not taken in again.

use crate::core::seed::Rng;
use crate::strategies::local::Seen;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Grids come in up to this many moves below the best.
pub(super) const DEPTH: usize = 10;
/// Grids seen that are remembered: 400 kB when saved.
const REMEMBERED: usize = 1 << 15;
/// Scores are below this.
const SCORES: usize = 512;

/// The grids of one search, each as its moves as bits, in the order of their priorities.
pub(super) struct Pool {
    /// The best first.
    members: Vec<Vec<u32>>,
    capacity: usize,
    seen: Seen,
}

/// A pool as it is saved.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedPool {
    pub members: Vec<Vec<u32>>,
    seen: Vec<(u32, u64)>,
}

impl Pool {
    pub fn new(capacity: usize) -> Pool {
        Pool { members: Vec::new(), capacity: capacity.max(1), seen: Seen::new(REMEMBERED) }
    }

    /// The largest score, 0 without members.
    pub fn best(&self) -> usize {
        self.members.first().map_or(0, Vec::len)
    }

    /// Scores from this one on may come in.
    pub fn least(&self) -> usize {
        let full = self.members.len() >= self.capacity;
        let last = if full { self.members.last().map_or(0, Vec::len) } else { 0 };
        self.best().saturating_sub(DEPTH).max(last)
    }

    /// Draws a grid; nothing from a pool without any.
    pub fn draw(&self, rng: &mut Rng) -> Option<&[u32]> {
        let u: f64 = rng.random();
        let (square, fourth) = (u * u, u * u * u * u);
        let rank = (self.members.len() as f64 * (square * fourth * fourth)) as usize;
        self.members.get(rank.min(self.members.len().saturating_sub(1))).map(Vec::as_slice)
    }

    /// Takes in a grid, unless it is too short or known by its hash; whether it was taken in. The last one leaves when the
    /// pool is full.
    pub fn insert(&mut self, moves: &[u32], hash: u64) -> bool {
        let score = moves.len();
        if score < self.least() || score >= SCORES || !self.seen.insert(hash) {
            return false;
        }
        // The memory of the one that leaves serves the one that comes.
        let mut member =
            if self.members.len() >= self.capacity { self.members.pop() } else { None }.unwrap_or_default();
        member.clear();
        member.extend_from_slice(moves);
        let at = self.members.partition_point(|other| other.len() > score);
        self.members.insert(at, member);
        true
    }

    /// All members, the best first.
    #[cfg(test)]
    pub fn members(&self) -> &[Vec<u32>] {
        &self.members
    }

    /// What is to be saved.
    pub fn save(&self) -> SavedPool {
        SavedPool { members: self.members.clone(), seen: self.seen.save() }
    }

    /// Becomes what was saved; the caller has checked that the members are games.
    pub fn restore(&mut self, saved: SavedPool) -> Result<(), &'static str> {
        if saved.members.len() > self.capacity {
            return Err("there are more grids than the pool holds");
        }
        if !saved.members.is_sorted_by(|a, b| a.len() >= b.len()) || saved.members.iter().any(|m| m.len() >= SCORES) {
            return Err("the grids are not ranked by their length");
        }
        self.members = saved.members;
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
            assert!(
                pool.members().is_sorted_by(|a, b| a.len() > b.len() || a.len() == b.len() && a[0] > b[0]),
                "{n}"
            );
            assert!(pool.members().len() <= 30 && pool.members()[0].len() == pool.best());
        }
        assert_eq!((pool.best(), pool.members()[0][0]), (79, 1999));
        let mut copy = Pool::new(30);
        copy.restore(pool.save()).unwrap();
        assert_eq!((&copy.members, &copy.seen), (&pool.members, &pool.seen));
        assert!(Pool::new(29).restore(pool.save()).is_err());
        let mut unranked = pool.save();
        unranked.members.reverse();
        unranked.members[0].pop();
        assert!(Pool::new(30).restore(unranked).is_err());
    }

    /// Of 1000 ranks the first is drawn with probability 1000^-0.1 = 0.501, the first ten with 0.631.
    #[test]
    fn ranks_are_drawn_by_the_tenth_power() {
        let mut pool = Pool::new(1000);
        for n in 0..1000 {
            assert!(pool.insert(&[n; 40], (u64::from(n) + 1) << 32));
        }
        let rng = &mut rng(5, &[]);
        let drawn: Vec<u32> = (0..20_000).map(|_| 999 - pool.draw(rng).unwrap()[0]).collect();
        let share = |ranks: u32| drawn.iter().filter(|&&rank| rank < ranks).count() as f64 / 20_000.0;
        assert!((share(1) - 0.501).abs() < 0.018 && (share(10) - 0.631).abs() < 0.018, "{} {}", share(1), share(10));
        assert!(drawn.iter().max() > Some(&900));
    }
}
