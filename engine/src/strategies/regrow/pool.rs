//! A pool of grids of different kinds: of those that begin alike it holds the longest.
//!
//! Long grids come in clusters of thousands that share a core: the moves that all others rest on. The core decides
//! how long a grid can become. Two grids begin alike if the moves that both have, and that need nothing but each
//! other, are at least a sixth of the shorter one, somewhat fewer than a step keeps. Each kind has one place. The
//! grid that is drawn is the longest, but draws without success make a grid count less: after [`TRIES`] draws it is
//! worth one move less. So no kind is tried for long before the others have been. The longest grid is mostly of a
//! kind that leads no further.

use crate::core::seed::Rng;
use crate::morpion::geometry::Move;
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Draws that make a grid worth one move less.
const TRIES: u32 = 3;
/// Grids are of one kind if they have this part of the shorter one in common as a beginning: one of six moves.
const SAME: usize = 6;

/// A grid of the pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KindMember {
    /// Its moves in an order in which they can be played.
    pub moves: Vec<Move>,
    /// How often it was drawn since it came.
    uses: u32,
}

impl KindMember {
    /// What it is worth, in draws.
    fn worth(&self) -> i64 {
        self.moves.len() as i64 * i64::from(TRIES) - i64::from(self.uses)
    }
}

/// The grids of one search.
pub(super) struct KindPool<R> {
    members: Vec<KindMember>,
    /// Of each, its moves in the order of their numbers.
    sorted: Vec<Vec<Move>>,
    capacity: usize,
    best: usize,
    /// Where the grids begin.
    start: Position<R>,
}

/// The moves in the order of their numbers.
fn sorted(moves: &[Move]) -> Vec<Move> {
    let mut sorted = moves.to_vec();
    sorted.sort_unstable();
    sorted
}

impl<R: Rules> KindPool<R> {
    /// For so many grids that begin at a position.
    pub fn new(capacity: usize, start: Position<R>) -> KindPool<R> {
        KindPool { members: Vec::new(), sorted: Vec::new(), capacity: capacity.max(1), best: 0, start }
    }

    /// The length of the longest, 0 without members.
    pub fn best(&self) -> usize {
        self.best
    }

    /// The grid that is worth most, of equal ones any.
    pub fn draw(&mut self, rng: &mut Rng) -> Option<&KindMember> {
        let most = self.members.iter().map(KindMember::worth).max()?;
        let equal: Vec<usize> = (0..self.members.len()).filter(|&at| self.members[at].worth() == most).collect();
        let member = &mut self.members[equal[rng.random_range(0..equal.len())]];
        member.uses = member.uses.saturating_add(1);
        Some(member)
    }

    /// The longer of any two grids, which counts as no draw.
    pub fn any(&self, rng: &mut Rng) -> Option<&KindMember> {
        let mut one = || (!self.members.is_empty()).then(|| &self.members[rng.random_range(0..self.members.len())]);
        let (first, second) = (one()?, one()?);
        Some(if first.moves.len() >= second.moves.len() { first } else { second })
    }

    /// How many moves a grid has in common with another, whose moves are given in the order of their numbers, that
    /// need nothing but each other.
    fn common(&self, grid: &[Move], other: &[Move]) -> usize {
        let mut position = self.start.clone();
        for &mv in grid {
            // In the order of the grid what a move needs comes before it.
            if other.binary_search(&mv).is_ok() && position.moves().contains(&mv) {
                position.play(mv);
            }
        }
        position.played().len() - self.start.played().len()
    }

    /// Absorbs a grid, if it is of a kind of its own or longer than all that are of its kind; those leave. One as
    /// long as the one of its kind takes its place, and has been drawn as often. Whether it was taken in.
    pub fn insert(&mut self, moves: &[Move]) -> bool {
        self.insert_drawn(moves, 0)
    }

    /// Absorbs the grids of another pool, which have been drawn as often as there, and leaves it empty.
    pub fn merge(&mut self, other: &mut KindPool<R>) {
        for member in std::mem::take(&mut other.members) {
            self.insert_drawn(&member.moves, member.uses);
        }
        other.sorted.clear();
        other.best = 0;
    }

    /// As [`KindPool::insert`], a grid that has been drawn so often.
    fn insert_drawn(&mut self, moves: &[Move], drawn: u32) -> bool {
        let own = sorted(moves);
        if moves.is_empty() || self.sorted.contains(&own) {
            return false;
        }
        let same = |at: usize| {
            let shorter = own.len().min(self.sorted[at].len());
            self.common(moves, &self.sorted[at]) * SAME >= shorter
        };
        let kind: Vec<usize> = (0..self.members.len()).filter(|&at| same(at)).collect();
        let longest = kind.iter().map(|&at| self.members[at].moves.len()).max().unwrap_or(0);
        if longest > moves.len() {
            return false;
        }
        let as_long = kind.iter().filter(|&&at| self.members[at].moves.len() == moves.len());
        let uses = as_long.map(|&at| self.members[at].uses).max().unwrap_or(0).max(drawn);
        let new = KindMember { moves: moves.to_vec(), uses };
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
        self.sorted.push(own);
        true
    }

    fn remove(&mut self, at: usize) {
        self.members.remove(at);
        self.sorted.remove(at);
    }

    /// All grids, in the order in which they came.
    pub fn members(&self) -> &[KindMember] {
        &self.members
    }

    /// Becomes a pool with these members, of which the caller has checked that they are games.
    pub fn restore(&mut self, members: Vec<KindMember>) -> Result<(), &'static str> {
        if members.len() > self.capacity {
            return Err("there are more grids than the pool holds");
        }
        self.best = members.iter().map(|member| member.moves.len()).max().unwrap_or(0);
        self.sorted = members.iter().map(|member| sorted(&member.moves)).collect();
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
    fn a_common_beginning_needs_nothing_else() {
        let pool = KindPool::<T5>::new(4, Position::new());
        let (a, b) = (game::<T5>(1, usize::MAX), game::<T5>(2, usize::MAX));
        let common = pool.common(&a, &sorted(&b));
        let both = a.iter().filter(|mv| b.contains(mv)).count();
        assert!(common <= both && both < a.len());
        assert_eq!((pool.common(&b, &sorted(&a)), pool.common(&a, &sorted(&a))), (common, a.len()));
        assert_eq!((pool.common(&a, &[]), pool.common(&a, &sorted(&a[..9]))), (0, 9));
        // Without its first move, what rests on it is not common either.
        let without = pool.common(&a, &sorted(&a[1..]));
        let rests = |at: usize| Position::<T5>::after(&[&a[1..at], &a[at..=at]].concat()).is_err();
        assert!(without < a.len() - 1 && (1..a.len()).any(rests), "{without}");
    }

    #[test]
    fn of_each_kind_the_longest_stays() {
        let mut pool = KindPool::<T5>::new(10, Position::new());
        let long = game::<T5>(1, usize::MAX);
        let short = &long[..long.len() - 2];
        let unlike = |other: &Vec<Move>| pool.common(other, &sorted(&long)) * SAME < short.len().min(other.len());
        let other = (2..50).map(|seed| game::<T5>(seed, usize::MAX)).find(unlike).unwrap();
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
    fn a_pool_takes_over_another_with_what_was_drawn_there() {
        let (mut old, mut young) = (KindPool::<T5>::new(4, Position::new()), KindPool::new(4, Position::new()));
        let long = game::<T5>(1, usize::MAX);
        assert!(old.insert(&long[..long.len() - 2]) && young.insert(&long));
        (0..5).for_each(|seed| assert!(young.draw(&mut rng(seed, &[])).is_some()));
        old.merge(&mut young);
        assert_eq!(
            old.members(),
            [KindMember { moves: long.clone(), uses: 5 }],
            "the longer one of the kind, drawn as often"
        );
        assert_eq!((old.best(), young.best(), young.members().len()), (long.len(), 0, 0));
        assert!(young.insert(&long), "what is empty takes in anything");
    }

    #[test]
    fn what_was_tried_in_vain_counts_less_and_the_least_worth_leaves() {
        let mut pool = KindPool::<T5>::new(3, Position::new());
        let mut grids = Vec::<Vec<Move>>::new();
        for grid in (0..400).map(|seed| game::<T5>(seed, usize::MAX)) {
            let unlike = |other: &Vec<Move>| {
                grid.len() != other.len() && pool.common(&grid, &sorted(other)) * SAME < grid.len().min(other.len())
            };
            if grids.iter().all(unlike) {
                grids.push(grid);
            }
        }
        grids.sort_by_key(|grid| grid.len());
        assert!(grids.len() > 4, "{} grids of as many kinds", grids.len());
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
        let mut copy = KindPool::<T5>::new(3, Position::new());
        copy.restore(pool.members().to_vec()).unwrap();
        assert_eq!((copy.members(), copy.best(), &copy.sorted), (pool.members(), pool.best(), &pool.sorted));
        assert!(KindPool::<T5>::new(2, Position::new()).restore(pool.members().to_vec()).is_err());
        assert!(KindPool::<T5>::new(2, Position::new()).draw(&mut rng).is_none());
    }
}
