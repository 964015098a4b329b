//! The worker threads: each takes a unit whole from a channel, searches it to its end or until it is told to stop, and
//! sends back what came of it.

use super::archive::novelty::{Novelty, Offers};
use super::best::{BestError, check_moves};
use crate::core::ctl::{Ctl, Signal};
use crate::core::histogram::Results;
use crate::core::search::{End, Search};
use crate::jobs::hunt::Work;
use crate::morpion::geometry::Move;
use crate::morpion::variant::Variant;
use crate::strategies::params::Params;
use crossbeam_channel::{Receiver, Sender};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A slot's unit while it has none.
pub const NO_UNIT: u64 = u64::MAX;

/// A unit handed to a worker: from its beginning, or with the search to go on with.
pub struct Assignment {
    /// The unit.
    pub work: Work,
    /// Its search, if an earlier session began it.
    pub search: Option<Box<dyn Search<Move>>>,
}

/// What a worker has to say.
#[derive(Debug)]
pub enum Message {
    /// A sequence longer than any that any worker had found.
    Improved {
        /// The worker.
        thread: u32,
        /// The unit.
        unit: u64,
        /// Its seed.
        unit_seed: u64,
        /// The whole game.
        moves: Vec<Move>,
        /// Iterations of the unit until then.
        iterations: u64,
        /// When.
        at: Instant,
    },
    /// A good grid that no worker had found before; the referee has passed it.
    Found {
        /// Its canonical key.
        key: u64,
        /// The worker.
        thread: u32,
        /// The unit.
        unit: u64,
        /// Its seed.
        unit_seed: u64,
        /// The whole game.
        moves: Vec<Move>,
        /// Iterations of the unit until then.
        iterations: u64,
        /// When.
        at: Instant,
    },
    /// A search offered what is no game.
    Refused(BestError),
    /// The unit is done.
    Ended {
        /// The worker.
        thread: u32,
        /// The unit.
        unit: u64,
        /// Why.
        end: End,
        /// Iterations it took.
        iterations: u64,
        /// Its best score.
        best: u32,
        /// What its search counted per nesting level.
        results: Results,
        /// The best game that the coordinator waits for, if the unit is a call of a shared search.
        game: Option<Vec<Move>>,
    },
    /// The unit was stopped and can be gone on with.
    Stopped {
        /// The unit.
        unit: u64,
        /// Iterations so far.
        iterations: u64,
        /// Best score so far.
        best: u32,
        /// The state of its search.
        saved: Vec<u8>,
    },
    /// The search panicked.
    Panicked {
        /// The unit.
        unit: u64,
        /// What it said.
        reason: String,
    },
}

/// What a search has offered to be saved.
#[derive(Debug)]
pub struct Offered {
    /// The unit.
    pub unit: u64,
    /// Its iterations.
    pub iterations: u64,
    /// Its best score.
    pub best: u32,
    /// The state of its search.
    pub saved: Vec<u8>,
}

/// Where a worker leaves its figures for the main thread to read at any time.
#[derive(Debug)]
pub struct Slot {
    /// Number of the unit, [`NO_UNIT`] if none.
    pub unit: AtomicU64,
    /// Iterations of the unit.
    pub iterations: AtomicU64,
    /// Best score of the unit.
    pub best: AtomicU32,
    /// Set by the main thread when a checkpoint is due.
    pub wanted: AtomicBool,
    /// The answer. Whatever the search had found by then has been sent before.
    pub offered: Mutex<Option<Offered>>,
}

/// What all threads share.
#[derive(Debug)]
pub struct Shared {
    /// Tells all workers to stop.
    pub stop: AtomicBool,
    /// Best score of all; shorter sequences are not sent.
    pub best: AtomicU32,
    /// One per worker.
    pub slots: Vec<Slot>,
    /// The grids that the archive holds, if grids are kept.
    pub novelty: Option<Novelty>,
}

impl Shared {
    /// For so many workers, with the best score so far and what the archive holds.
    pub fn new(workers: u32, best: u32, novelty: Option<Novelty>) -> Shared {
        let slot = |_| Slot {
            unit: AtomicU64::new(NO_UNIT),
            iterations: AtomicU64::new(0),
            best: AtomicU32::new(0),
            wanted: AtomicBool::new(false),
            offered: Mutex::new(None),
        };
        let slots = (0..workers).map(slot).collect();
        Shared { stop: AtomicBool::new(false), best: AtomicU32::new(best), slots, novelty }
    }
}

/// A worker.
pub struct Worker {
    /// Its number, from 1.
    pub thread: u32,
    /// What it searches.
    pub variant: Variant,
    /// How.
    pub params: Arc<Params>,
    /// A unit that finds so many moves stops by itself, so that what is found until then depends on no clock.
    pub target: Option<u32>,
    /// What it shares with the others.
    pub shared: Arc<Shared>,
    /// Where its units come from.
    pub units: Receiver<Assignment>,
    /// Where its messages go.
    pub messages: Sender<Message>,
}

impl Worker {
    /// Searches units until the channel closes or all are told to stop.
    pub fn run(self) {
        for assignment in &self.units {
            let unit = assignment.work.id;
            let slot = &self.shared.slots[self.thread as usize - 1];
            slot.iterations.store(0, Ordering::Relaxed);
            slot.best.store(0, Ordering::Relaxed);
            slot.unit.store(unit, Ordering::Relaxed);
            let searched = catch_unwind(AssertUnwindSafe(|| self.search(assignment)));
            slot.unit.store(NO_UNIT, Ordering::Relaxed);
            let message = searched.unwrap_or_else(|panic| {
                let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
                let reason = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
                Message::Panicked { unit, reason }
            });
            if self.messages.send(message).is_err() {
                return;
            }
        }
    }

    fn search(&self, assignment: Assignment) -> Message {
        let Assignment { work, search } = assignment;
        let mut search = search.unwrap_or_else(|| work.start(self.variant, &self.params));
        let offers = self.shared.novelty.as_ref().map(Offers::to);
        let mut control = Control { worker: self, work: &work, best: search.best(), reached: false, offers };
        let end = search.run(&mut control);
        let (thread, unit, iterations, best) = (self.thread, work.id, search.iterations(), search.best());
        match end {
            End::Stopped => Message::Stopped { unit, iterations, best, saved: search.save() },
            end => {
                let results = Results::from(search.results());
                let game = work.call.is_some().then(|| search.best_game());
                Message::Ended { thread, unit, end, iterations, best, results, game }
            }
        }
    }
}

/// A worker's side of one search.
struct Control<'a> {
    worker: &'a Worker,
    work: &'a Work,
    /// Best score of the unit.
    best: u32,
    /// The target has been reached.
    reached: bool,
    /// Where grids to be kept are offered, if any are.
    offers: Option<Offers<'a>>,
}

impl Control<'_> {
    fn slot(&self) -> &Slot {
        &self.worker.shared.slots[self.worker.thread as usize - 1]
    }
}

impl Ctl<Move> for Control<'_> {
    fn poll(&mut self, iterations: u64, best: u32) -> Signal {
        let slot = self.slot();
        slot.iterations.store(iterations, Ordering::Relaxed);
        slot.best.store(best, Ordering::Relaxed);
        self.best = best;
        if self.reached || self.worker.shared.stop.load(Ordering::Relaxed) { Signal::Stop } else { Signal::Continue }
    }

    fn offer_checkpoint(&mut self, save: &mut dyn FnMut() -> Vec<u8>) {
        let slot = self.slot();
        if slot.wanted.load(Ordering::Relaxed) && slot.wanted.swap(false, Ordering::Relaxed) {
            let iterations = slot.iterations.load(Ordering::Relaxed);
            let offered = Offered { unit: self.work.id, iterations, best: self.best, saved: save() };
            *slot.offered.lock().unwrap_or_else(PoisonError::into_inner) = Some(offered);
        }
    }

    fn improved(&mut self, moves: &[Move], iterations: u64) {
        let score = moves.len() as u32;
        self.best = self.best.max(score);
        if self.worker.shared.best.fetch_max(score, Ordering::Relaxed) < score {
            // If the main thread has gone, so has the reason to tell it.
            let _ = self.worker.messages.send(Message::Improved {
                thread: self.worker.thread,
                unit: self.work.id,
                unit_seed: self.work.unit.seed,
                moves: moves.to_vec(),
                iterations,
                at: Instant::now(),
            });
        }
        self.reached |= self.worker.target.is_some_and(|target| score >= target);
    }

    fn keep_from(&self) -> u32 {
        self.worker.shared.novelty.as_ref().map_or(u32::MAX, Novelty::keep_from)
    }

    fn found(&mut self, moves: &[Move], iterations: u64) {
        let Some(key) = self.offers.as_mut().and_then(|offers| offers.settle(moves)) else { return };
        let (unit, unit_seed) = (self.work.id, self.work.unit.seed);
        let message = match check_moves(self.worker.variant, moves, unit) {
            Ok(()) => {
                let (thread, moves, at) = (self.worker.thread, moves.to_vec(), Instant::now());
                Message::Found { key, thread, unit, unit_seed, moves, iterations, at }
            }
            Err(error) => Message::Refused(error),
        };
        let _ = self.worker.messages.send(message);
    }
}
