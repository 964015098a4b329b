//! The grids of one search: all that are at most a *window* of moves shorter than the longest, each set of points
//! once.
//!
//! A draw takes rank `n u^10` of `n` grids, `u` uniform, so the first of a thousand grids gets half of the draws.
//! Ranks are renewed once in a *round*, in turn by two orders: the longest first, and the least drawn first. In
//! between, newcomers come last. When there are more grids than the pool is to hold, the window becomes one move
//! narrower and the shortest leave. A grid longer than all others opens it to ten again, and so does a long time
//! without newcomers (after Tishchenko 2026).

use crate::core::seed::Rng;
use crate::morpion::geometry::Move;
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;
use crate::strategies::choices::{choices, chosen};
use crate::strategies::seen::Seen;
use ahash::{AHashMap, AHashSet};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::cmp::Reverse;

/// The widest window at first, and how far it is opened when nothing new comes in.
pub(super) const WINDOW: u32 = 10;
/// A round with so many newcomers is not an idle one.
const NEWCOMERS: u32 = 10;
/// Idle rounds until the window is opened.
const IDLE: u32 = 128;
/// So many times the grids that the pool is to hold may be there in the middle of a round.
const SURPLUS: usize = 4;
/// Grids wound back that are remembered, 0.6 MB when saved.
const REMEMBERED: usize = 1 << 16;

/// A grid of the pool.
pub(super) struct WindowMember {
    /// In the order of their priorities.
    moves: Vec<Move>,
    /// The hash of its set of points.
    hash: u64,
    /// Draws since the last newcomer that came of it.
    draws: u32,
    /// What is saved of the moves, once it has been asked for.
    choices: OnceCell<Box<[u8]>>,
}

/// Whether a grid came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offer {
    /// It came in.
    New,
    /// Its set of points is at this place, and has taken over its order and its lines.
    Known(u32),
    /// It is too short.
    Short,
}

pub(super) struct WindowPool {
    /// Places of members; those that are free are in `free`.
    members: Vec<WindowMember>,
    free: Vec<u32>,
    /// Where the set of points with a hash is.
    places: AHashMap<u64, u32>,
    /// Places by rank.
    ranks: Vec<u32>,
    capacity: usize,
    best: usize,
    window: u32,
    /// Newcomers of this round.
    newcomers: u32,
    /// Idle rounds in a row.
    idle: u32,
    rounds: u64,
    rewound: Seen,
}

/// A pool as it is saved.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedWindowPool {
    /// By rank: for each move its number among the legal ones, and the draws.
    members: Vec<(Box<[u8]>, u32)>,
    window: u32,
    newcomers: u32,
    idle: u32,
    rounds: u64,
    rewound: Vec<(u32, u64)>,
}

impl WindowPool {
    pub fn new(capacity: usize) -> WindowPool {
        WindowPool {
            members: Vec::new(),
            free: Vec::new(),
            places: AHashMap::new(),
            ranks: Vec::new(),
            capacity: capacity.max(1),
            best: 0,
            window: WINDOW,
            newcomers: 0,
            idle: 0,
            rounds: 0,
            rewound: Seen::new(REMEMBERED),
        }
    }

    /// The number of grids.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.ranks.len()
    }

    /// The largest score, 0 without members.
    pub fn best(&self) -> usize {
        self.best
    }

    /// Scores from this one on may come in.
    pub fn least(&self) -> usize {
        self.best.saturating_sub(self.window as usize)
    }

    /// Rounds so far.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Draws a place; nothing from a pool without members.
    #[inline]
    pub fn draw(&mut self, rng: &mut Rng) -> Option<u32> {
        let u: f64 = rng.random();
        let rank = ((self.ranks.len() as f64 * u.powi(10)) as usize).min(self.ranks.len().checked_sub(1)?);
        let place = self.ranks[rank];
        let draws = &mut self.members[place as usize].draws;
        *draws = draws.saturating_add(1);
        Some(place)
    }

    /// The moves of the grid at a place in the order of their priorities, and the hash of its points.
    #[inline]
    pub fn grid(&self, place: u32) -> (&[Move], u64) {
        let member = &self.members[place as usize];
        (&member.moves, member.hash)
    }

    /// Whether a set of points is there.
    pub fn knows(&self, hash: u64) -> bool {
        self.places.contains_key(&hash)
    }

    /// Notes that a newcomer came of the grid at this place.
    pub fn reward(&mut self, place: u32) {
        self.members[place as usize].draws = 0;
    }

    /// Absorbs a grid, if it is long enough and its set of points, given by its hash, is not there.
    pub fn offer(&mut self, moves: &[Move], hash: u64) -> Offer {
        let score = moves.len();
        if score < self.least() {
            return Offer::Short;
        }
        if let Some(&place) = self.places.get(&hash) {
            let member = &mut self.members[place as usize];
            // Sets of points of another size can only share a hash by chance.
            if member.moves.len() == score {
                member.moves.copy_from_slice(moves);
                member.choices.take();
            }
            return Offer::Known(place);
        }
        if score > self.best {
            self.best = score;
            self.window = WINDOW;
            self.idle = 0;
        } else if self.ranks.len() >= SURPLUS.saturating_mul(self.capacity) {
            return Offer::Short;
        }
        self.newcomers = self.newcomers.saturating_add(1);
        let place = self.free.pop().unwrap_or(self.members.len() as u32);
        let member = WindowMember { moves: moves.to_vec(), hash, draws: 0, choices: OnceCell::new() };
        match self.members.get_mut(place as usize) {
            Some(free) => *free = member,
            None => self.members.push(member),
        }
        self.places.insert(hash, place);
        self.ranks.push(place);
        Offer::New
    }

    /// The longest grid that has not been wound back, which it is from now on.
    pub fn source(&mut self) -> Option<u32> {
        let fresh = |place: &&u32| !self.rewound.contains(self.members[**place as usize].hash);
        // The first of equally long ones.
        let longest =
            self.ranks.iter().filter(fresh).rev().max_by_key(|place| self.members[**place as usize].moves.len());
        let place = longest.copied()?;
        self.rewound.insert(self.members[place as usize].hash);
        Some(place)
    }

    /// Ends a round: narrows or opens the window, and ranks the grids anew.
    pub fn end_round(&mut self) {
        self.rounds = self.rounds.wrapping_add(1);
        if self.ranks.len() > self.capacity && self.window > 0 {
            self.window -= 1;
            self.idle = 0;
            let least = self.least();
            self.leave(|member, _| member.moves.len() < least);
        }
        let (members, ranks) = (&self.members, &mut self.ranks);
        let longest = |place: &u32| (Reverse(members[*place as usize].moves.len()), members[*place as usize].draws);
        if self.window == 0 && ranks.len() > self.capacity {
            // All are equally long: those that are drawn most often without a newcomer leave.
            ranks.sort_by_key(longest);
            let leaving: AHashSet<u32> = ranks[self.capacity..].iter().copied().collect();
            self.leave(|_, place| leaving.contains(&place));
        } else if self.rounds.is_multiple_of(2) {
            ranks.sort_by_key(longest);
        } else {
            ranks.sort_by_key(|&place| members[place as usize].draws);
        }
        self.idle = if std::mem::take(&mut self.newcomers) < NEWCOMERS { self.idle + 1 } else { 0 };
        if self.idle >= IDLE {
            self.idle = 0;
            self.window = self.window.saturating_add(WINDOW);
        }
    }

    /// Lets the grids leave of which `leaves` says so, given them and their places.
    fn leave(&mut self, leaves: impl Fn(&WindowMember, u32) -> bool) {
        let (gone, stay): (Vec<u32>, Vec<u32>) =
            self.ranks.iter().partition(|&&place| leaves(&self.members[place as usize], place));
        self.ranks = stay;
        for &place in &gone {
            let member = &mut self.members[place as usize];
            self.places.remove(&member.hash);
            (member.moves, member.choices) = (Vec::new(), OnceCell::new());
        }
        self.free.extend(gone);
    }

    /// The grids by rank.
    #[cfg(test)]
    pub fn grids(&self) -> impl Iterator<Item = &[Move]> {
        self.ranks.iter().map(|&place| self.members[place as usize].moves.as_slice())
    }

    /// What is to be saved. The grids begin at `start`.
    pub fn save<R: Rules>(&self, start: &Position<R>) -> SavedWindowPool {
        let saved = |&place: &u32| {
            let member = &self.members[place as usize];
            (member.choices.get_or_init(|| choices(start, member.moves.iter().copied())).clone(), member.draws)
        };
        SavedWindowPool {
            members: self.ranks.iter().map(saved).collect(),
            window: self.window,
            newcomers: self.newcomers,
            idle: self.idle,
            rounds: self.rounds,
            rewound: self.rewound.save(),
        }
    }

    /// Becomes what was saved, from an empty pool; `hash` gives that of a grid's points.
    pub fn restore<R: Rules>(
        &mut self,
        saved: SavedWindowPool,
        start: &Position<R>,
        mut hash: impl FnMut(&[Move]) -> u64,
    ) -> Result<(), &'static str> {
        // A longest grid comes into a full pool too, so there may be more than newcomers are let in.
        let capacity = std::mem::replace(&mut self.capacity, usize::MAX);
        for (choices, draws) in saved.members {
            let moves = chosen(start, &choices).ok_or("a grid has a move that is not legal")?;
            let hash = hash(&moves);
            self.window = u32::MAX;
            if self.offer(&moves, hash) != Offer::New {
                return Err("a set of points is there twice");
            }
            let place = self.places[&hash] as usize;
            self.members[place].draws = draws;
            self.members[place].choices = OnceCell::from(choices);
        }
        self.capacity = capacity;
        (self.window, self.newcomers, self.idle, self.rounds) =
            (saved.window, saved.newcomers, saved.idle, saved.rounds);
        self.rewound.restore(&saved.rewound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::morpion::variant::T5;
    use crate::strategies::choices::tests::game;

    /// Any move, distinguished from others by a number.
    fn mv(number: u32) -> Move {
        Move::from_raw(number)
    }

    /// A hash such as sets of points have.
    fn hash(n: u64) -> u64 {
        (n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    #[test]
    fn a_pool_takes_what_the_window_lets_in_each_set_of_points_once() {
        let mut pool = WindowPool::new(1000);
        assert!(pool.draw(&mut rng(4, &[])).is_none() && pool.source().is_none());
        assert_eq!(pool.offer(&[mv(1); 40], hash(7)), Offer::New);
        assert_eq!((pool.best(), pool.least()), (40, 30));
        assert_eq!(pool.offer(&[mv(1); 29], hash(8)), Offer::Short);
        assert_eq!(pool.offer(&[mv(1); 30], hash(8)), Offer::New);
        // Another order of the same.
        assert_eq!(pool.offer(&[mv(2); 40], hash(7)), Offer::Known(0));
        assert_eq!(pool.grids().collect::<Vec<_>>(), [&[mv(2); 40][..], &[mv(1); 30]]);
        // The longest is wound back first, each once.
        let sources: Vec<usize> =
            std::iter::from_fn(|| pool.source().map(|place| pool.grid(place).0.len())).take(3).collect();
        assert_eq!(sources, [40, 30]);
        // A longer one shuts the shorter out.
        assert_eq!(
            (pool.offer(&[mv(3); 41], hash(9)), pool.offer(&[mv(3); 30], hash(10))),
            (Offer::New, Offer::Short)
        );
    }

    #[test]
    fn a_full_pool_narrows_its_window_and_a_longer_grid_opens_it() {
        let mut pool = WindowPool::new(30);
        for n in 0..60u64 {
            assert_eq!(pool.offer(&vec![mv(n as u32); 60 + n as usize % 6], n + 1), Offer::New, "{n}");
        }
        // Ten of each of six lengths: three narrowings leave those of 63 to 65.
        let mut seen = Vec::new();
        for _ in 0..9 {
            pool.end_round();
            seen.push((pool.window, pool.len()));
        }
        assert_eq!(seen, [(9, 60), (8, 60), (7, 60), (6, 60), (5, 60), (4, 50), (3, 40), (2, 30), (2, 30)]);
        assert_eq!(pool.offer(&[mv(0); 62], 100), Offer::Short);
        assert_eq!(pool.offer(&[mv(0); 66], 101), Offer::New);
        assert_eq!((pool.window, pool.offer(&[mv(0); 56], 102)), (WINDOW, Offer::New));
        // What has left is no longer known.
        assert_eq!(pool.offer(&[mv(0); 60], 1), Offer::New);
        // Equally long ones beyond the capacity leave too.
        let mut pool = WindowPool::new(30);
        for n in 0..50u64 {
            assert_eq!(pool.offer(&[mv(n as u32); 60], n + 1), Offer::New);
        }
        (0..WINDOW).for_each(|_| pool.end_round());
        assert_eq!((pool.window, pool.len(), pool.places.len(), pool.free.len()), (0, 30, 30, 20));
    }

    #[test]
    fn ranks_are_by_length_and_by_draws_in_turn() {
        let mut pool = WindowPool::new(1000);
        for n in 0..100u32 {
            assert_eq!(pool.offer(&vec![mv(n); 40 + n as usize % 3], u64::from(n) + 1), Offer::New);
        }
        let rng = &mut rng(5, &[]);
        for round in 1..5 {
            pool.end_round();
            let by_length = pool.grids().collect::<Vec<_>>().is_sorted_by_key(|grid| Reverse(grid.len()));
            let draws = |place: &u32| pool.members[*place as usize].draws;
            let by_draws = pool.ranks.is_sorted_by_key(draws);
            assert_eq!((by_length, by_draws), (round % 2 == 0, round % 2 == 1), "{round}");
            for _ in 0..5000 {
                pool.draw(rng);
            }
        }
        // A newcomer's parent counts as fresh again.
        let place = pool.ranks[0];
        pool.reward(place);
        assert_eq!(pool.members[place as usize].draws, 0);
    }

    /// Of 1024 ranks the first is drawn with probability 1024^(-1/10) = 1/2, the first 32 with 0.707.
    #[test]
    fn ranks_are_drawn_by_the_tenth_power() {
        let mut pool = WindowPool::new(2000);
        for n in 0..1024 {
            assert_eq!(pool.offer(&[mv(n); 40], u64::from(n) + 1), Offer::New);
        }
        let rng = &mut rng(5, &[]);
        let places: Vec<u32> = (0..20_000).filter_map(|_| pool.draw(rng)).collect();
        let drawn: Vec<u32> = places.into_iter().map(|place| pool.grid(place).0[0].bits()).collect();
        let share = |ranks: u32| drawn.iter().filter(|&&rank| rank < ranks).count() as f64 / 20_000.0;
        assert!((share(1) - 0.5).abs() < 0.015 && (share(32) - 0.707).abs() < 0.015, "{} {}", share(1), share(32));
        assert!(drawn.iter().max() > Some(&900));
    }

    #[test]
    fn long_without_newcomers_the_window_opens() {
        let mut pool = WindowPool::new(30);
        assert_eq!(pool.offer(&[mv(1); 60], 1), Offer::New);
        (0..IDLE - 1).for_each(|_| pool.end_round());
        assert_eq!(pool.window, WINDOW);
        pool.end_round();
        assert_eq!((pool.window, pool.least(), pool.idle), (2 * WINDOW, 40, 0));
    }

    #[test]
    fn a_saved_pool_is_restored_as_it_was() {
        let start = Position::<T5>::new();
        let fold =
            |moves: &[Move]| moves.iter().fold(1, |sum: u64, mv| sum.wrapping_mul(31).wrapping_add(mv.bits().into()));
        let (mut pool, rng) = (WindowPool::new(50), &mut rng(6, &[]));
        for seed in 0..400 {
            let moves = game::<T5>(seed, 40 + seed as usize % 6);
            pool.offer(&moves, fold(&moves));
            for _ in 0..50 {
                pool.draw(rng);
            }
            if seed % 40 == 39 {
                pool.end_round();
                pool.source();
            }
        }
        assert!(pool.len() > 20 && pool.window < WINDOW && !pool.free.is_empty());
        let bytes = |pool: &WindowPool| postcard::to_stdvec(&pool.save(&start)).unwrap();
        let saved = bytes(&pool);
        let mut copy = WindowPool::new(50);
        copy.restore(postcard::from_bytes(&saved).unwrap(), &start, fold).unwrap();
        assert_eq!(bytes(&copy), saved);
        assert_eq!(copy.grids().collect::<Vec<_>>(), pool.grids().collect::<Vec<_>>());
        assert_eq!((copy.best, copy.least(), &copy.rewound), (pool.best, pool.least(), &pool.rewound));
        // So is a small one that longer and longer grids have filled beyond what newcomers are let into.
        let mut small = WindowPool::new(1);
        for length in 20..=28 {
            assert_eq!(small.offer(&game::<T5>(1, length), length as u64), Offer::New);
        }
        (0..2).for_each(|_| small.end_round());
        assert_eq!(small.len(), 9, "the longest is the first");
        let mut copy = WindowPool::new(1);
        copy.restore(small.save(&start), &start, |moves| moves.len() as u64).unwrap();
        assert_eq!((bytes(&copy), copy.capacity), (bytes(&small), 1));
        // What contradicts itself is refused.
        let damaged = |damage: &dyn Fn(&mut SavedWindowPool)| {
            let mut saved = pool.save(&start);
            damage(&mut saved);
            WindowPool::new(50).restore(saved, &start, fold)
        };
        assert!(damaged(&|_| ()).is_ok());
        assert!(damaged(&|saved| saved.members[0].0[3] = 254).is_err());
        assert!(damaged(&|saved| saved.members[1] = saved.members[0].clone()).is_err());
        assert!(damaged(&|saved| saved.rewound.push((u32::MAX, 1))).is_err());
    }
}
