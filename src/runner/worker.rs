//! A hunt's units as the workers of a queue compute them: each search is kept in memory between its turns, leaves its
//! figures where the coordinator can read them at any time, and settles its own finds.

pub mod portable;

use super::archive::novelty::{Novelty, Offers};
use super::best::{BestError, check_moves};
use super::clock::{now, to_milliseconds};
use super::contract::Trap;
use crate::core::ctl::{Ctl, Signal};
use crate::core::histogram::Results;
use crate::core::search::{End, Phase, Search};
use crate::jobs::find::Find;
use crate::jobs::hunt::{NumberedUnit, UnitResult};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Variant;
use crate::queue::{Lease, Portable, Stop, Unit};
use crate::strategies::params::Params;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Number in place of a worker's where there is none.
pub const NOBODY: u32 = 0;

/// A search that yields its worker saves its state if it last did so longer ago. A crash costs it no more while it
/// waits.
const SAVED: Duration = Duration::from_secs(1);

/// How long a search runs until it is asked where it stands.
const LOOKED: Duration = Duration::from_millis(500);
/// With more messages than this waiting for the coordinator, a search waits before it reports a further grid.
const MOST_WAITING: usize = 100;
/// Time between two looks whether they have become fewer.
const BREATH: Duration = Duration::from_millis(1);

/// What the units of a hunt share.
pub struct HuntContext {
    /// The variant that is searched.
    pub variant: Variant,
    /// The strategy and its parameters.
    pub params: Params,
    /// Score at which a unit stops by itself, so that what is found until then does not depend on a clock.
    pub target: Option<u32>,
    /// Best score of all; shorter sequences are not sent.
    pub best: AtomicU32,
    /// The grids that the archive holds, if grids are kept.
    pub novelty: Option<Novelty>,
    /// Messages of units that the coordinator has not taken in yet. Stays 0 where it is on another machine.
    pub waiting: AtomicUsize,
    /// Called at each attempt at a unit; for tests.
    pub trap: Option<Trap>,
}

/// What a search reports while it runs.
#[derive(Debug)]
pub enum HuntReport {
    /// A sequence longer than any that any unit had found.
    Improved(FreshFind),
    /// A good grid that no unit had found before, with its canonical key; the referee has passed it.
    Found(u64, FreshFind),
    /// A search offered what is no game.
    Refused(BestError),
}

/// A game as its worker reports it, which does not know for how long the hunt has run.
#[derive(Debug)]
pub struct FreshFind {
    /// Number of the worker that found it.
    pub worker: u32,
    /// Seed of the unit.
    pub unit_seed: u64,
    /// The whole game.
    pub moves: Vec<Move>,
    /// Iterations of the unit until then.
    pub iterations: u64,
    /// When it was found.
    pub at: Instant,
}

impl FreshFind {
    /// The find of this unit; the hunt had run for `seconds` then.
    pub fn of(self, unit: u64, seconds: f64) -> Find {
        let FreshFind { worker, unit_seed, moves, iterations, at } = self;
        let time = to_milliseconds(now() - at.elapsed().as_secs_f64());
        Find { moves, unit, unit_seed, worker, iterations, seconds, time }
    }
}

/// What a unit comes to.
#[derive(Debug)]
pub enum HuntOutcome {
    /// It is done.
    Ended(UnitResult),
    /// It has reached the target, and can continue from the state that it has offered.
    Reached,
}

/// What a search has offered to be saved.
#[derive(Debug)]
pub struct Offered {
    /// Iterations that the search has made.
    pub iterations: u64,
    /// Its best score.
    pub best: u32,
    /// State that the search can be restored from.
    pub saved: Vec<u8>,
}

/// The figures of a running unit, which its worker writes and the main thread reads.
#[derive(Debug, Default)]
pub struct UnitFigures {
    /// The worker that computes it, [`NOBODY`] if none does.
    pub worker: AtomicU32,
    /// Iterations so far.
    pub iterations: AtomicU64,
    /// Moves of its longest grid.
    pub best: AtomicU32,
    /// Set by the coordinator when a checkpoint is due.
    pub wanted: AtomicBool,
    /// Where the search stood when it was last asked.
    phase: Mutex<Option<Phase>>,
    /// On another machine: iterations of the last state that was sent from there.
    sent: AtomicU64,
    /// The last state. Whatever the search had found by then has been reported before.
    offered: Mutex<Option<Arc<Offered>>>,
}

impl UnitFigures {
    /// The last state that the search has offered, or that it went on from.
    pub fn offered(&self) -> Option<Arc<Offered>> {
        self.offered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Where the search stood when it was last asked, if it has phases. Not known of other machines.
    pub fn phase(&self) -> Option<Phase> {
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn offer(&self, offered: Offered) {
        *self.offered.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(offered));
    }
}

/// A unit of a hunt.
#[derive(Clone)]
pub struct HuntUnit {
    shared: Arc<HuntContext>,
    work: Arc<NumberedUnit>,
    progress: Arc<UnitFigures>,
    /// The search that an earlier session began.
    begun: Arc<Mutex<Option<Box<dyn Search<Move>>>>>,
}

impl fmt::Debug for HuntUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HuntUnit").field("work", &self.work).field("progress", &self.progress).finish_non_exhaustive()
    }
}

impl HuntUnit {
    /// A unit. If an earlier session began it, `begun` is its search and the state of that.
    pub fn new(
        shared: &Arc<HuntContext>,
        work: NumberedUnit,
        begun: Option<(Box<dyn Search<Move>>, Offered)>,
    ) -> HuntUnit {
        let progress = UnitFigures::default();
        let search = begun.map(|(search, offered)| {
            progress.iterations.store(offered.iterations, Ordering::Relaxed);
            progress.best.store(offered.best, Ordering::Relaxed);
            progress.offer(offered);
            search
        });
        HuntUnit {
            shared: Arc::clone(shared),
            work: Arc::new(work),
            progress: Arc::new(progress),
            begun: Arc::new(Mutex::new(search)),
        }
    }

    /// Its figures, which can be read while it runs.
    pub fn progress(&self) -> &Arc<UnitFigures> {
        &self.progress
    }
}

/// A search in memory.
pub struct RunningSearch {
    search: Box<dyn Search<Move>>,
    /// When it last saved its state.
    saved_at: Instant,
}

impl Unit for HuntUnit {
    type Running = RunningSearch;
    type Report = HuntReport;
    type Outcome = HuntOutcome;

    /// The first attempt continues from the state that another machine has left, if any. The second one continues
    /// from the last known state, the third one starts anew: the state may be the defect.
    fn begin(&self, attempt: u32) -> Result<RunningSearch, String> {
        if let Some(trap) = &self.shared.trap {
            trap(self.work.id, attempt);
        }
        let HuntContext { variant, params, .. } = &*self.shared;
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner).take();
        let search = match (begun, attempt, self.progress.offered()) {
            (Some(search), ..) => search,
            (None, 1 | 2, Some(offered)) => {
                self.work.resume(*variant, params, &offered.saved).map_err(|error| error.to_string())?
            }
            _ => self.work.start(*variant, params),
        };
        Ok(RunningSearch { search, saved_at: Instant::now() })
    }

    fn run(&self, running: &mut RunningSearch, lease: &dyn Lease<HuntReport>) -> Option<HuntOutcome> {
        let search = &mut running.search;
        let offers = self.shared.novelty.as_ref().map(Offers::to);
        self.progress.worker.store(lease.worker(), Ordering::Relaxed);
        let mut control = SearchControl {
            unit: self,
            lease,
            best: search.best(),
            stopped: None,
            reached: false,
            offers,
            look_at: Instant::now(),
        };
        // The search pauses now and then to be asked where it stands. That changes nothing in what it does.
        let end = loop {
            control.look_at = Instant::now() + LOOKED;
            let end = search.run(&mut control);
            *self.progress.phase.lock().unwrap_or_else(PoisonError::into_inner) = search.phase();
            if end != End::Stopped || control.stopped.is_some() || control.reached {
                break end;
            }
        };
        let (stopped, reached) = (control.stopped, control.reached);
        let (iterations, best) = (search.iterations(), search.best());
        self.progress.iterations.store(iterations, Ordering::Relaxed);
        self.progress.best.store(best, Ordering::Relaxed);
        if end == End::Stopped {
            if reached || stopped != Some(Stop::Preempted) || running.saved_at.elapsed() >= SAVED {
                self.progress.offer(Offered { iterations, best, saved: search.save() });
                running.saved_at = Instant::now();
            }
            self.progress.worker.store(NOBODY, Ordering::Relaxed);
            return reached.then_some(HuntOutcome::Reached);
        }
        self.progress.worker.store(NOBODY, Ordering::Relaxed);
        let results = Results::from(search.results());
        let game = self.work.call.is_some().then(|| search.best_game());
        Some(HuntOutcome::Ended(UnitResult { end, iterations, best, results, game }))
    }

    /// With a trap it stays here.
    fn portable(&self) -> Option<&dyn Portable<HuntReport, HuntOutcome>> {
        self.shared.trap.is_none().then_some(self as _)
    }
}

/// A worker's side of one search.
struct SearchControl<'a> {
    unit: &'a HuntUnit,
    lease: &'a dyn Lease<HuntReport>,
    /// Best score of the unit.
    best: u32,
    /// Why the queue asked it to stop.
    stopped: Option<Stop>,
    /// The target has been reached.
    reached: bool,
    /// Where grids to be kept are offered, if any are.
    offers: Option<Offers<'a>>,
    /// When the search pauses to be asked where it stands.
    look_at: Instant,
}

impl SearchControl<'_> {
    fn find(&self, moves: &[Move], iterations: u64) -> FreshFind {
        let (worker, unit_seed, at) = (self.lease.worker(), self.unit.work.unit.seed, Instant::now());
        FreshFind { worker, unit_seed, moves: moves.to_vec(), iterations, at }
    }
}

impl Ctl<Move> for SearchControl<'_> {
    fn poll(&mut self, iterations: u64, best: u32) -> Signal {
        let progress = &self.unit.progress;
        progress.iterations.store(iterations, Ordering::Relaxed);
        progress.best.store(best, Ordering::Relaxed);
        self.best = best;
        self.stopped = self.lease.stop();
        let is_due = self.reached || self.stopped.is_some() || Instant::now() >= self.look_at;
        if is_due { Signal::Stop } else { Signal::Continue }
    }

    fn offer_checkpoint(&mut self, save: &mut dyn FnMut() -> Vec<u8>) {
        let progress = &self.unit.progress;
        if progress.wanted.load(Ordering::Relaxed) && progress.wanted.swap(false, Ordering::Relaxed) {
            let iterations = progress.iterations.load(Ordering::Relaxed);
            progress.offer(Offered { iterations, best: self.best, saved: save() });
        }
    }

    fn improved(&mut self, moves: &[Move], iterations: u64) {
        let score = moves.len() as u32;
        self.best = self.best.max(score);
        if self.unit.shared.best.fetch_max(score, Ordering::Relaxed) < score {
            self.lease.report(HuntReport::Improved(self.find(moves, iterations)));
        }
        self.reached |= self.unit.shared.target.is_some_and(|target| score >= target);
    }

    fn keep_from(&self) -> u32 {
        self.unit.shared.novelty.as_ref().map_or(u32::MAX, Novelty::keep_from)
    }

    fn found(&mut self, moves: &[Move], iterations: u64) {
        // A search can meet grids more quickly than they can be stored.
        while self.unit.shared.waiting.load(Ordering::Relaxed) > MOST_WAITING && self.lease.stop().is_none() {
            sleep(BREATH);
        }
        let Some(key) = self.offers.as_mut().and_then(|offers| offers.settle(moves)) else { return };
        let shared = &self.unit.shared;
        self.lease.report(match check_moves(&shared.params.start, shared.variant, moves, self.unit.work.id) {
            Ok(()) => HuntReport::Found(key, self.find(moves, iterations)),
            Err(error) => HuntReport::Refused(error),
        });
    }
}
