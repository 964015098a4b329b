//! Which grids are new to an archive: shared by the workers, each of which settles its own finds.
//!
//! A search near its best offers the same grid again and again. A worker first asks its own small cache of
//! fingerprints, which do not depend on the order of the moves (some 0.1 microseconds); what is not in it gets its
//! canonical key (some 20 microseconds), which is looked up among those of all grids of the archive. Two different
//! grids have one key with a probability of about `pairs / 2^64`: for a million grids one in 37 million.

use crate::morpion::canonical::canonical_key_from;
use crate::morpion::geometry::Move;
use crate::morpion::start::Start;
use crate::morpion::variant::Variant;
use crate::with_rules;
use ahash::AHashSet;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// So many grids of each score are kept at most: some 20 MB of memory and 600 MB of disk per score.
pub const MOST_PER_SCORE: u64 = 1 << 20;
/// Places in a worker's cache.
const RECENT: usize = 1 << 12;

/// The keys of the grids that an archive holds.
#[derive(Debug)]
pub struct Novelty {
    start: Start,
    variant: Variant,
    keep_from: AtomicU32,
    /// How often it was reopened for grids that were refused before.
    reopened: AtomicU32,
    held: Mutex<KnownKeys>,
}

#[derive(Debug, Default)]
struct KnownKeys {
    keys: AHashSet<u64>,
    per_score: BTreeMap<u32, u64>,
}

impl KnownKeys {
    fn longest(&self) -> u32 {
        self.per_score.last_key_value().map_or(0, |(&score, _)| score)
    }
}

impl Novelty {
    /// For an archive that takes grids of at least `keep_from` moves, and holds none yet.
    pub fn new(variant: Variant, keep_from: u32) -> Novelty {
        let (keep_from, reopened) = (AtomicU32::new(keep_from), AtomicU32::new(0));
        Novelty { start: Start::CROSS, variant, keep_from, reopened, held: Mutex::default() }
    }

    /// The same for grids that begin with a start.
    pub fn from_start(self, start: &Start) -> Novelty {
        Novelty { start: start.clone(), ..self }
    }

    /// The smallest score that is kept.
    pub fn keep_from(&self) -> u32 {
        self.keep_from.load(Ordering::Relaxed)
    }

    /// Sets the smallest score that is kept from now on.
    pub fn set_keep_from(&self, keep_from: u32) {
        self.keep_from.store(keep_from, Ordering::Relaxed);
    }

    /// The archive has room again for grids of at least `keep_from` moves. One that was forgotten is taken when a
    /// worker meets it again.
    pub fn reopen(&self, keep_from: u32) {
        self.set_keep_from(keep_from);
        self.reopened.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that the archive does not hold a grid after all. It is new again for a worker that has not met it
    /// lately.
    pub fn forget(&self, key: u64, score: u32) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.keys.remove(&key)
            && let Some(count) = held.per_score.get_mut(&score)
        {
            *count -= 1;
            if *count == 0 {
                held.per_score.remove(&score);
            }
        }
    }

    /// Moves of the longest grid that is held; 0 if none is.
    pub fn longest(&self) -> u32 {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).longest()
    }

    /// Keeps longer grids only: at most the better half of what is held would have been kept so. The new smallest
    /// score that is kept.
    pub fn keep_better_half(&self) -> u32 {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let least = self.keep_from().saturating_add(1);
        let kept: u64 = held.per_score.range(least - 1..).map(|(_, count)| count).sum();
        let mut better = 0;
        let above = held.per_score.range(least..).rev().take_while(|&(_, count)| {
            better += count;
            2 * better <= kept
        });
        // Where even the best score is more than half, only longer grids than all are better.
        let keep_from = above.last().map_or_else(|| held.longest().saturating_add(1), |(&score, _)| score).max(least);
        drop(held);
        self.set_keep_from(keep_from);
        keep_from
    }

    /// Notes a grid that the archive holds; whether it is to be kept: it is new, and its score has room.
    pub fn note(&self, key: u64, score: u32) -> bool {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let count = held.per_score.get(&score).copied().unwrap_or(0);
        if count >= MOST_PER_SCORE || !held.keys.insert(key) {
            return false;
        }
        held.per_score.insert(score, count + 1);
        true
    }
}

/// A worker's view of the archive.
#[derive(Debug)]
pub struct Offers<'a> {
    novelty: &'a Novelty,
    recent: Box<[u64; RECENT]>,
    /// How often the archive had been reopened when the cache was last emptied.
    reopened: u32,
}

impl<'a> Offers<'a> {
    /// With an empty cache.
    pub fn to(novelty: &'a Novelty) -> Offers<'a> {
        let reopened = novelty.reopened.load(Ordering::Relaxed);
        Offers { novelty, recent: Box::new([0; RECENT]), reopened }
    }

    /// The key of a game that is long enough, finished, and new to all workers; it is noted as held.
    pub fn settle(&mut self, moves: &[Move]) -> Option<u64> {
        if moves.len() < self.novelty.keep_from() as usize {
            return None;
        }
        let reopened = self.novelty.reopened.load(Ordering::Relaxed);
        if std::mem::replace(&mut self.reopened, reopened) != reopened {
            self.recent.fill(0);
        }
        let print = fingerprint(moves);
        let place = &mut self.recent[print as usize % RECENT];
        if std::mem::replace(place, print) == print {
            return None;
        }
        if !is_finished(&self.novelty.start, self.novelty.variant, moves) {
            return None;
        }
        let key = canonical_key_from(&self.novelty.start, self.novelty.variant, moves);
        self.novelty.note(key, moves.len() as u32).then_some(key)
    }
}

/// Whether no move is left; of what is no game the referee will say more. An order-free search leaves games at which
/// an earlier branch has tried the moves that are left; it has offered the finished ones there.
fn is_finished(start: &Start, variant: Variant, moves: &[Move]) -> bool {
    with_rules!(variant, R => start.after::<R>(moves).map_or(true, |position| position.moves().is_empty()))
}

/// A hash of the set of lines, whatever their order; never 0.
fn fingerprint(moves: &[Move]) -> u64 {
    let sum = moves.iter().fold(0u64, |sum, mv| {
        let product = u64::from(mv.line().key()).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        sum.wrapping_add((product ^ product >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93))
    });
    (sum ^ sum >> 29) | 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morpion::canonical::canonical_key;
    use crate::morpion::symmetry::Symmetry;
    use crate::notation::records::known;

    #[test]
    fn a_grid_is_new_once_in_any_order_and_orientation() {
        let record = &known().unwrap()[0].grid;
        let novelty = Novelty::new(record.variant, 100);
        let (mut one, mut two) = (Offers::to(&novelty), Offers::to(&novelty));
        assert_eq!(one.settle(&record.moves[..99]), None, "too short");
        let key = one.settle(&record.moves).unwrap();
        assert_eq!(key, canonical_key(record.variant, &record.moves));
        for symmetry in Symmetry::ALL {
            let mut moves: Vec<Move> =
                record.moves.iter().map(|&mv| symmetry.image(record.variant, mv).unwrap()).collect();
            moves.reverse();
            for offers in [&mut one, &mut two] {
                assert_eq!(offers.settle(&moves), None);
                assert_eq!(offers.settle(&moves), None);
            }
        }
        assert_eq!(two.settle(&record.moves[..177]), None, "a move is left");
        let other = &known().unwrap()[1].grid;
        assert!(two.settle(&other.moves).is_some(), "another set of lines");
    }

    #[test]
    fn the_better_half_is_kept_and_then_the_better_half_of_it() {
        let novelty = Novelty::new(Variant::T5, 1);
        let mut key = 0;
        for (score, count) in [(60, 100), (61, 60), (62, 30), (70, 9), (80, 1)] {
            for _ in 0..count {
                key += 1;
                assert!(novelty.note(key, score));
            }
        }
        let kept: Vec<u32> = (0..5).map(|_| novelty.keep_better_half()).collect();
        assert_eq!(kept, [61, 62, 70, 80, 81], "of 200 the 100, of 100 the 40, of 40 the 10, of 10 the 1, then more");
        assert_eq!((novelty.keep_better_half(), novelty.keep_from()), (82, 82));
    }

    #[test]
    fn a_grid_that_was_refused_is_taken_when_there_is_room_again() {
        let record = &known().unwrap()[0].grid;
        let novelty = Novelty::new(record.variant, 100);
        let (mut one, mut two) = (Offers::to(&novelty), Offers::to(&novelty));
        let key = one.settle(&record.moves).unwrap();
        assert_eq!((two.settle(&record.moves), novelty.longest()), (None, 178));
        // The archive has no room for it.
        novelty.forget(key, 178);
        novelty.forget(key, 178);
        assert_eq!(novelty.longest(), 0);
        novelty.set_keep_from(u32::MAX);
        assert_eq!((one.settle(&record.moves), two.settle(&record.moves)), (None, None));
        novelty.reopen(100);
        assert_eq!(one.settle(&record.moves), Some(key));
        assert_eq!((one.settle(&record.moves), two.settle(&record.moves)), (None, None));
        assert_eq!(novelty.longest(), 178);
    }

    #[test]
    fn each_score_has_its_room() {
        let novelty = Novelty::new(Variant::T5, 1);
        assert!((0..MOST_PER_SCORE).all(|key| novelty.note(key, 165)));
        assert!(!novelty.note(u64::MAX, 165));
        assert!(novelty.note(u64::MAX, 166));
    }
}
