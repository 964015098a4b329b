//! A pool of grids of different kinds: of those that have nearly all lines in common it holds the longest.
//!
//! Long grids come in clusters of thousands that differ in a few lines. A pool by length alone fills with those of one
//! cluster; here each kind has one place, and the one that is drawn is the longest, where what has been tried without
//! success counts less and less: after [`TRIES`] draws a grid is worth one move less. So all that is long gets its share, and
//! what is much shorter only when the longer ones have been tried long.

use crate::core::seed::Rng;
use crate::morpion::geometry::{Line, Move};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Draws that make a grid worth one move less.
const TRIES: u32 = 10;
/// Grids are of one kind if they have so large a part of the shorter one's lines in common: nine tenths.
const SAME: (usize, usize) = (9, 10);

/// A grid of the pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Member {
    /// Its moves as bits, in an order in which they can be played.
    pub moves: Vec<u32>,
    /// How often it was drawn since it came.
    uses: u32,
}

impl Member {
    /// What it is worth, in draws.
    fn worth(&self) -> i64 {
        self.moves.len() as i64 * i64::from(TRIES) - i64::from(self.uses)
    }
}

/// The grids of one search.
#[derive(Debug)]
pub(super) struct Pool {
    members: Vec<Member>,
    /// Of each, its lines in their order.
    lines: Vec<Vec<Line>>,
    capacity: usize,
    best: usize,
}

/// The lines of some moves, in their order.
fn lines(moves: &[u32]) -> Vec<Line> {
    let mut lines: Vec<Line> = moves.iter().map(|&bits| Move::from_raw(bits).line()).collect();
    lines.sort_unstable();
    lines
}

/// How many lines two lists in order have in common.
fn common(mut a: &[Line], mut b: &[Line]) -> usize {
    let mut count = 0;
    while let (Some((first, rest)), Some((other, others))) = (a.split_first(), b.split_first()) {
        if first <= other {
            a = rest;
        }
        if other <= first {
            b = others;
        }
        count += usize::from(first == other);
    }
    count
}

impl Pool {
    /// For so many grids.
    pub fn new(capacity: usize) -> Pool {
        Pool { members: Vec::new(), lines: Vec::new(), capacity: capacity.max(1), best: 0 }
    }

    /// The length of the longest, 0 without members.
    pub fn best(&self) -> usize {
        self.best
    }

    /// The grid that is worth most, of equal ones any.
    pub fn draw(&mut self, rng: &mut Rng) -> Option<&Member> {
        let most = self.members.iter().map(Member::worth).max()?;
        let equal: Vec<usize> = (0..self.members.len()).filter(|&at| self.members[at].worth() == most).collect();
        let member = &mut self.members[equal[rng.random_range(0..equal.len())]];
        member.uses = member.uses.saturating_add(1);
        Some(member)
    }

    /// Takes in a grid, if it is of a kind of its own or longer than all that are of its kind; those leave. One as long as the
    /// one of its kind takes its place, and has been drawn as often. Whether it was taken in.
    pub fn insert(&mut self, moves: &[u32]) -> bool {
        let own = lines(moves);
        let same = |at: usize| {
            let shorter = own.len().min(self.lines[at].len());
            common(&own, &self.lines[at]) * SAME.1 >= shorter * SAME.0
        };
        let kind: Vec<usize> = (0..self.members.len()).filter(|&at| same(at)).collect();
        let longest = kind.iter().map(|&at| self.members[at].moves.len()).max().unwrap_or(0);
        if longest > moves.len() || moves.is_empty() || kind.iter().any(|&at| self.lines[at] == own) {
            return false;
        }
        let drawn = kind.iter().filter(|&&at| self.members[at].moves.len() == moves.len());
        let uses = drawn.map(|&at| self.members[at].uses).max().unwrap_or(0);
        let new = Member { moves: moves.to_vec(), uses };
        if kind.is_empty() && self.members.len() == self.capacity {
            let least = (0..self.capacity).min_by_key(|&at| self.members[at].worth());
            match least {
                Some(at) if self.members[at].worth() < new.worth() => self.remove(at),
                _ => return false,
            }
        }
        kind.iter().rev().for_each(|&at| self.remove(at));
        self.best = self.best.max(moves.len());
        self.members.push(new);
        self.lines.push(own);
        true
    }

    fn remove(&mut self, at: usize) {
        self.members.remove(at);
        self.lines.remove(at);
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
        self.best = members.iter().map(|member| member.moves.len()).max().unwrap_or(0);
        self.lines = members.iter().map(|member| lines(&member.moves)).collect();
        self.members = members;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::morpion::variant::T5;
    use crate::strategies::choices::tests::game;

    #[test]
    fn lines_in_common_are_counted() {
        let (a, b) = (lines(&game::<T5>(1, usize::MAX)), lines(&game::<T5>(2, usize::MAX)));
        let slow = a.iter().filter(|line| b.contains(line)).count();
        assert!(slow > 0 && slow < a.len());
        assert_eq!((common(&a, &b), common(&b, &a), common(&a, &a), common(&a, &[])), (slow, slow, a.len(), 0));
    }

    #[test]
    fn of_each_kind_the_longest_stays() {
        let mut pool = Pool::new(10);
        let long = game::<T5>(1, usize::MAX);
        let (short, other) = (&long[..long.len() - 2], game::<T5>(2, usize::MAX));
        assert!(pool.insert(short) && pool.insert(&other) && !pool.insert(short));
        pool.draw(&mut rng(1, &[]));
        assert!(pool.insert(&long), "it is longer");
        assert!(!pool.insert(short) && !pool.insert(&long), "what is shorter, or there, does not come in again");
        let held: Vec<(usize, u32)> = pool.members().iter().map(|member| (member.moves.len(), member.uses)).collect();
        let drawn = u32::from(other.len() > short.len());
        assert_eq!(held, [(other.len(), drawn), (long.len(), 0)]);
        assert_eq!(pool.best(), long.len().max(other.len()));
    }

    #[test]
    fn what_was_tried_in_vain_counts_less_and_the_least_worth_leaves() {
        let mut pool = Pool::new(3);
        let mut grids: Vec<Vec<u32>> = (0..30).map(|seed| game::<T5>(seed, usize::MAX)).collect();
        grids.sort_by_key(|grid| grid.len());
        grids.dedup_by_key(|grid| grid.len());
        let longest: Vec<usize> = grids.iter().rev().take(3).map(Vec::len).collect();
        grids.iter().for_each(|grid| assert!(pool.insert(grid), "it is longer than all before"));
        assert!(!pool.insert(&grids[0]), "the pool is full of longer ones");
        let mut held: Vec<usize> = pool.members().iter().map(|member| member.moves.len()).collect();
        held.sort_by_key(|&n| std::cmp::Reverse(n));
        assert_eq!(held, longest);
        let mut rng = rng(3, &[]);
        let lead = (longest[0] - longest[1]) * TRIES as usize;
        for draw in 0..lead {
            assert_eq!(pool.draw(&mut rng).unwrap().moves.len(), longest[0], "draw {draw}");
        }
        let seconds = (0..16).filter(|_| pool.draw(&mut rng).unwrap().moves.len() == longest[1]).count();
        assert!((7..=9).contains(&seconds), "{seconds} of 16");
        let mut copy = Pool::new(3);
        copy.restore(pool.members().to_vec()).unwrap();
        assert_eq!((copy.members(), copy.best(), &copy.lines), (pool.members(), pool.best(), &pool.lines));
        assert!(Pool::new(2).restore(pool.members().to_vec()).is_err());
        assert!(Pool::new(2).draw(&mut rng).is_none());
    }
}
