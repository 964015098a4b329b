//! The grids whose shapes are changed: longer ones are drawn more often, and what was drawn in vain less and less.

use crate::core::seed::Rng;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// A grid is drawn so many times less often than one with a move more.
const LONGER: u64 = 4;
/// After so many draws a grid is drawn half as often.
const USED: u64 = 2_000;

/// A grid of the pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Member {
    /// Its moves as bits, in an order in which they can be played.
    pub moves: Vec<u32>,
    /// The number of its shape.
    key: u64,
    /// How often it was drawn.
    uses: u64,
}

impl Member {
    /// How often it is drawn, as a share, where the longest grid has so many moves.
    fn share(&self, longest: usize) -> u64 {
        let shorter = (longest - self.moves.len()).min(20) as u32;
        (1 << 50) / LONGER.pow(shorter) / (USED + self.uses)
    }
}

/// Grids of different shapes.
pub(super) struct Pool {
    members: Vec<Member>,
    capacity: usize,
}

impl Pool {
    /// For so many grids.
    pub fn new(capacity: usize) -> Pool {
        Pool { members: Vec::new(), capacity: capacity.max(1) }
    }

    /// The length of the longest, 0 without members.
    pub fn best(&self) -> usize {
        self.members.iter().map(|member| member.moves.len()).max().unwrap_or(0)
    }

    /// A grid at random.
    pub fn draw(&mut self, rng: &mut Rng) -> Option<&Member> {
        let longest = self.best();
        let all: u64 = self.members.iter().map(|member| member.share(longest)).sum();
        if all == 0 {
            return None;
        }
        let mut left = rng.random_range(0..all);
        let drawn = self.members.iter_mut().find(|member| {
            let share = member.share(longest);
            let here = left < share;
            left = left.saturating_sub(share);
            here
        })?;
        drawn.uses += 1;
        Some(drawn)
    }

    /// Takes in a grid, if none of its shape is there and, when the pool is full, one that is drawn more seldom, which leaves.
    pub fn insert(&mut self, moves: &[u32], key: u64) {
        self.put(Member { moves: moves.to_vec(), key, uses: 0 });
    }

    /// Takes in the grids of another pool, which is empty then.
    pub fn merge(&mut self, other: &mut Pool) {
        other.members.drain(..).for_each(|member| self.put(member));
    }

    fn put(&mut self, member: Member) {
        if member.moves.is_empty() || self.members.iter().any(|other| other.key == member.key) {
            return;
        }
        self.members.push(member);
        if self.members.len() > self.capacity {
            let longest = self.best();
            let least = (0..self.members.len()).min_by_key(|&at| self.members[at].share(longest));
            least.map(|at| self.members.remove(at));
        }
    }

    /// All grids, in the order in which they came.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Becomes a pool with these members, of which the caller has checked that they are games.
    pub fn restore(&mut self, members: Vec<Member>) -> Result<(), &'static str> {
        if members.len() > self.capacity {
            return Err("there are more grids than the pool holds");
        }
        if members.iter().any(|member| member.moves.is_empty()) {
            return Err("a grid has no moves");
        }
        self.members = members;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;

    fn lengths(pool: &Pool) -> Vec<usize> {
        pool.members().iter().map(|member| member.moves.len()).collect()
    }

    #[test]
    fn longer_ones_are_drawn_more_often_and_what_was_drawn_less() {
        let mut pool = Pool::new(3);
        (1..=3).for_each(|n| pool.insert(&vec![0; n], n as u64));
        pool.insert(&[0; 9], 3);
        assert_eq!(lengths(&pool), [1, 2, 3], "of each shape one");
        let rng = &mut rng(1, &[]);
        let mut drawn = [0; 4];
        (0..2_000).for_each(|_| drawn[pool.draw(rng).unwrap().moves.len()] += 1);
        assert!(drawn[3] > 2 * drawn[2] && drawn[2] > 2 * drawn[1] && drawn[1] > 30, "{drawn:?}");
        pool.members[2].uses = 1_000_000;
        let mut later = [0; 4];
        (0..2_000).for_each(|_| later[pool.draw(rng).unwrap().moves.len()] += 1);
        assert!(later[2] > 10 * later[3], "{later:?}");
        pool.insert(&[0; 4], 4);
        assert_eq!(lengths(&pool), [1, 2, 4], "the one that was drawn in vain leaves");
        let mut other = Pool::new(3);
        other.insert(&[0; 5], 5);
        other.merge(&mut pool);
        assert_eq!((lengths(&other), lengths(&pool)), (vec![5, 2, 4], vec![]));
        assert!(pool.draw(rng).is_none() && other.restore(vec![other.members[0].clone(); 4]).is_err());
    }
}
