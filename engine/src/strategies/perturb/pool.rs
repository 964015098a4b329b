//! A pool of grids by score, from which a local search draws and to which it returns what is new.
//!
//! Grids of the best score and of up to [`DEPTH`] below it are kept, a bounded number of each. Of two drawn grids the
//! one that has been used less is taken; of two drawn for replacement the one used more leaves: so the pool spreads
//! over a plateau instead of staying at one grid. A grid that was seen before, as a set of lines, is not absorbed
//! again.

use crate::core::seed::Rng;
use crate::morpion::geometry::Move;
use crate::strategies::seen::Seen;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Grids are kept up to this many moves below the best.
pub(super) const DEPTH: usize = 10;
/// Entries of the table of hashes (a power of two): half a megabyte.
const REMEMBERED: usize = 1 << 16;
/// Scores are below this.
const SCORES: usize = 512;

/// A grid of the pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ScoreMember {
    /// Its moves in an order in which they can be played.
    pub moves: Vec<Move>,
    /// How often it was drawn.
    pub uses: u32,
}

/// The grids of one search.
pub(super) struct ScorePool {
    /// The members of each score.
    members: Vec<Vec<ScoreMember>>,
    /// Grids kept of each score.
    capacity: usize,
    best: usize,
    seen: Seen,
}

/// A pool as it is saved: its members in order, and what the table of hashes holds.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedScorePool {
    pub members: Vec<ScoreMember>,
    seen: Vec<(u32, u64)>,
}

impl ScorePool {
    pub fn new(capacity: usize) -> ScorePool {
        ScorePool {
            members: (0..SCORES).map(|_| Vec::new()).collect(),
            capacity: capacity.max(1),
            best: 0,
            seen: Seen::new(REMEMBERED),
        }
    }

    /// The largest score, 0 without members.
    pub fn best(&self) -> usize {
        self.best
    }

    /// Scores from this one on may come in.
    pub fn least(&self) -> usize {
        self.best.saturating_sub(DEPTH)
    }

    /// Draws a grid: its score falls below the best by an exponential variate of mean `spread`, rounded down.
    /// Nothing is drawn from a pool without members.
    pub fn draw(&mut self, spread: f32, rng: &mut Rng) -> Option<&ScoreMember> {
        self.members[self.best].first()?;
        let score = loop {
            let below = (-(1.0 - rng.random::<f32>()).ln() * spread) as usize;
            if below <= DEPTH.min(self.best) && !self.members[self.best - below].is_empty() {
                break self.best - below;
            }
        };
        let members = &mut self.members[score];
        let (a, b) = (rng.random_range(0..members.len()), rng.random_range(0..members.len()));
        let at = if members[a].uses <= members[b].uses { a } else { b };
        let member = &mut members[at];
        member.uses = member.uses.saturating_add(1);
        Some(member)
    }

    /// Absorbs a grid, unless it is too short or known by its hash; whether it was taken in.
    pub fn insert(&mut self, moves: &[Move], hash: u64, rng: &mut Rng) -> bool {
        let score = moves.len();
        if score < self.least() || score >= SCORES {
            return false;
        }
        if !self.seen.insert(hash) {
            return false;
        }
        self.best = self.best.max(score);
        let members = &mut self.members[score];
        if members.len() < self.capacity {
            members.push(ScoreMember { moves: moves.to_vec(), uses: 0 });
        } else {
            let (a, b) = (rng.random_range(0..members.len()), rng.random_range(0..members.len()));
            let at = if members[a].uses >= members[b].uses { a } else { b };
            let member = &mut members[at];
            member.moves.clear();
            member.moves.extend_from_slice(moves);
            member.uses = 0;
        }
        true
    }

    /// The members that may still be drawn, longest first.
    pub fn members(&self) -> impl Iterator<Item = &ScoreMember> {
        self.members[self.least()..=self.best].iter().rev().flatten()
    }

    /// What is to be saved.
    pub fn save(&self) -> SavedScorePool {
        SavedScorePool { members: self.members().cloned().collect(), seen: self.seen.save() }
    }

    /// Becomes what was saved; the caller has checked that the members are games.
    pub fn restore(&mut self, saved: SavedScorePool) -> Result<(), &'static str> {
        for member in saved.members {
            let score = member.moves.len();
            let members = self.members.get_mut(score).ok_or("a grid is longer than any game")?;
            if members.len() >= self.capacity {
                return Err("there are more grids of a score than the pool holds");
            }
            members.push(member);
            self.best = self.best.max(score);
        }
        self.seen.restore(&saved.seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;

    #[test]
    fn a_pool_is_bounded_takes_each_grid_once_and_is_restored_as_it_was() {
        let mut rng = rng(4, &[]);
        let mut pool = ScorePool::new(5);
        assert!(pool.draw(1.0, &mut rng).is_none());
        for n in 0..2000u64 {
            let score = 60 + (n / 50) as usize % 20;
            let moves = vec![Move::from_raw(n as u32); score];
            let hash = (n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let wanted = score >= pool.least();
            assert_eq!(pool.insert(&moves, hash, &mut rng), wanted, "{n}");
            assert!(!pool.insert(&moves, hash, &mut rng), "{n}: the same once more");
            let score = pool.draw(2.0, &mut rng).unwrap().moves.len();
            assert!(score + DEPTH >= pool.best() && score <= pool.best());
        }
        assert_eq!(pool.best(), 79);
        let all: Vec<ScoreMember> = pool.members().cloned().collect();
        assert!(all.len() <= 5 * (DEPTH + 1) && all.iter().all(|m| m.moves.len() >= 69));
        let mut copy = ScorePool::new(5);
        copy.restore(pool.save()).unwrap();
        assert_eq!(copy.members().cloned().collect::<Vec<_>>(), all);
        assert_eq!((copy.best(), &copy.seen), (79, &pool.seen));
        assert!(ScorePool::new(1).restore(pool.save()).is_err());
    }

    #[test]
    fn what_has_been_used_less_is_drawn_more() {
        let mut rng = rng(5, &[]);
        let mut pool = ScorePool::new(3);
        for n in 1..=3 {
            pool.insert(&[Move::from_raw(n); 40], u64::from(n) << 32, &mut rng);
        }
        for _ in 0..300 {
            pool.draw(0.1, &mut rng).unwrap();
        }
        for member in pool.members() {
            assert!((97..=103).contains(&member.uses), "{} of 300", member.uses);
        }
    }
}
