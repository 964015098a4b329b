//! A job's coordinator: the thread that runs its hunt's session, and what it tells the daemon.

use super::{Daemon, Shutdown, now};
use crate::daemon::kinds::Work;
use crate::daemon::records::{Spec, key_text};
use crate::daemon::view::{EventKind, JobId, Limits as Allowed};
use crate::jobs::hunt::{Best, Job, Over};
use crate::morpion::geometry::Move;
use crate::notation::grid::Grid;
use crate::queue::{LaneId, Terms};
use crate::runner::archive::{self, Find, Reader};
use crate::runner::best::{method, provenance};
use crate::runner::directory::DirectoryError;
use crate::runner::events::{Event, Stopped, What};
use crate::runner::orders::{NotDone, Order, Ordered, Orders, orders};
use crate::runner::state::StoreError;
use crate::runner::status::Status;
use crate::runner::{
    Changes, Clocking, Ending, Failure, Interrupt, Limits, Observer, Place, Report, RunError, Session,
    archive::ArchiveError, best::BestError, events::LogError, state,
};
use crate::store::grids::{Found, GridRecord};
use crate::store::{Change, UnitRecord};
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// An order that a coordinator has not carried out by then has failed.
const PATIENCE: Duration = Duration::from_secs(30);
/// Subscribers are told of a running job's progress so often.
const TELL: Duration = Duration::from_secs(1);
/// The figures of a running job are stored so often.
const STORE: Duration = Duration::from_secs(10);

/// So many grids of a job's own archive go into that of the daemon, besides its bests: some ten megabytes.
const MOST_GRIDS: usize = 10_000;

/// What the daemon holds of a coordinator.
pub struct Active {
    orders: Orders,
    pub live: Arc<Mutex<Live>>,
    /// It is to end for good.
    pub cancelled: bool,
}

/// What a coordinator last said.
#[derive(Debug, Default)]
pub struct Live {
    /// Its lane in the queue.
    pub lane: Option<LaneId>,
    /// How the hunt stands.
    pub status: Option<Status>,
    /// Failed attempts of units that are not done.
    pub failures: BTreeMap<u64, u32>,
}

impl Active {
    /// With where its orders come out.
    pub fn new() -> (Active, Ordered) {
        let (orders, ordered) = orders();
        (Active { orders, live: Arc::default(), cancelled: false }, ordered)
    }

    /// What it last said.
    pub fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells it to end.
    pub fn end(&self, how: Shutdown) {
        self.orders.send(match how {
            Shutdown::Now => Order::Stop,
            Shutdown::WhenUnitsEnd => Order::Drain,
        });
    }

    /// A way to give it orders.
    pub fn orders(&self) -> Orders {
        self.orders.clone()
    }
}

/// Gives an order and waits until it is carried out.
///
/// # Errors
/// If the coordinator has ended, or does not answer.
pub fn give(orders: &Orders, order: Order) -> Result<(), NotDone> {
    orders.give(order, PATIENCE)
}

/// How a coordinator ended.
pub enum Ended {
    /// The job is over, for this reason.
    Finished(&'static str),
    /// It can go on.
    Stopped,
    /// It can go on when the disk lets it.
    Refused(String),
    /// It failed.
    Failed(String),
}

/// The terms and limits that a session is to keep.
pub fn allowed(limits: &Allowed, priority: i32, weight: u32) -> (Limits, Terms) {
    let Allowed { seconds, iterations, threads, memory } = *limits;
    (Limits { seconds, iterations, memory }, Terms { priority, weight, workers: threads })
}

impl Daemon {
    /// Runs a job until it is over or told to stop, with its last status.
    pub(super) fn drive(&self, id: JobId, live: &Arc<Mutex<Live>>, ordered: &Ordered) -> (Ended, Option<Status>) {
        let ran = catch_unwind(AssertUnwindSafe(|| self.run(id, live, ordered)));
        let ended = match ran {
            Ok(Ok(Report { ending, status })) => return (self.ended(ending), Some(status)),
            Ok(Err(Stop::Run(RunError::TimeIsUp { .. }))) => Ended::Finished("time"),
            Ok(Err(Stop::Run(error))) if is_of_the_disk(&error) => Ended::Refused(error.to_string()),
            Ok(Err(Stop::Run(error))) => Ended::Failed(error.to_string()),
            Ok(Err(Stop::Store(error))) => Ended::Refused(error.to_string()),
            Ok(Err(Stop::Lost)) => Ended::Failed("what it is made of is missing from the store".to_owned()),
            Err(_) => Ended::Failed("its coordinator failed (a defect of this program)".to_owned()),
        };
        let status = live.lock().unwrap_or_else(PoisonError::into_inner).status.clone();
        (ended, status)
    }

    fn ended(&self, ending: Ending) -> Ended {
        match ending {
            Ending::Over(Over::Target) => Ended::Finished("target"),
            Ending::Over(Over::Exhausted) => Ended::Finished("exhausted"),
            Ending::Over(Over::Finished) => Ended::Finished("finished"),
            Ending::Stopped(Stopped::Time) => Ended::Finished("time"),
            Ending::Stopped(Stopped::Iterations) => Ended::Finished("iterations"),
            Ending::Stopped(Stopped::Drained) => Ended::Finished("drained"),
            Ending::Stopped(Stopped::Interrupted | Stopped::Failed) => Ended::Stopped,
        }
    }

    fn run(&self, id: JobId, live: &Arc<Mutex<Live>>, ordered: &Ordered) -> Result<Report, Stop> {
        let spec = self.store.spec(id)?.ok_or(Stop::Lost)?;
        let Spec { work: Work::Hunt(job), .. } = serde_json::from_slice(&spec).map_err(|_| Stop::Lost)?;
        let (limits, terms, poisoned) = {
            let mut core = self.lock();
            let Some(open) = core.open(id) else { return Err(Stop::Lost) };
            let record = &open.record;
            let (limits, terms) = allowed(&record.limits, record.priority, record.weight);
            (limits, terms, record.units_poisoned)
        };
        let workers = terms.workers.map_or(self.workers, |most| most.clamp(1, self.workers));
        let path = self.directory.job(id);
        let resumed = path.join(state::CHECKPOINT).exists();
        let mut session = if resumed {
            let changes =
                Changes { threads: Some(workers + 1), time_limit: Some(limits.seconds), ..Changes::default() };
            Session::resume(&path, changes)?
        } else {
            Session::begin(&path, job.clone(), workers + 1, limits.seconds)?
        };
        session.set_pace(self.pace);
        session.set_limits(limits);
        if let Some(trap) = &self.trap {
            session.set_trap(Arc::clone(trap));
        }
        let mut reporter = Reporter {
            daemon: self,
            id,
            seed: job.seed,
            method: method(&job.params),
            job,
            live,
            told: Instant::now(),
            stored: Instant::now(),
            saved: 0,
            grids: 0,
        };
        if resumed {
            reporter.catch_up(&session)?;
        }
        if poisoned > 0 {
            let mut aside = Vec::new();
            self.store.units(id, 0, |unit, record| {
                aside.extend(record.aside.then_some(unit));
                true
            })?;
            session.set_aside(aside);
        }
        let place = Place { queue: Arc::clone(&self.queue) as _, terms, clocking: Clocking::Busy };
        Ok(session.run_on(&place, &Interrupt::default(), ordered, &mut reporter)?)
    }
}

/// Why a job does not run.
enum Stop {
    Run(RunError),
    Store(crate::store::StoreError),
    /// The store does not know what it is made of.
    Lost,
}

impl From<RunError> for Stop {
    fn from(error: RunError) -> Stop {
        Stop::Run(error)
    }
}

impl From<crate::store::StoreError> for Stop {
    fn from(error: crate::store::StoreError) -> Stop {
        Stop::Store(error)
    }
}

/// Whether the disk may let the job go on later: it is full, say.
fn is_of_the_disk(error: &RunError) -> bool {
    matches!(
        error,
        RunError::File(_)
            | RunError::Observer(_)
            | RunError::Spawn(_)
            | RunError::Directory(DirectoryError::File(_) | DirectoryError::Locked(_))
            | RunError::Store(StoreError::File(_))
            | RunError::Log(LogError::File(_))
            | RunError::Best(BestError::File(_))
            | RunError::Archive(ArchiveError::File(_))
    )
}

/// Passes on to the daemon what happens in a session.
struct Reporter<'a> {
    daemon: &'a Daemon,
    id: JobId,
    seed: u64,
    method: String,
    job: Job,
    live: &'a Arc<Mutex<Live>>,
    told: Instant,
    stored: Instant,
    /// Checkpoints begun.
    saved: u32,
    /// Grids of the job's archive that have gone into the daemon's.
    grids: usize,
}

impl Reporter<'_> {
    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A change that puts a grid into the archive, and its key.
    fn grid(&self, moves: &[Move], unit: u64, iterations: u64, seconds: f64, time: f64) -> Option<(u64, Change)> {
        let mut provenance = provenance(&self.method, unit, self.seed);
        provenance.iterations = Some(iterations);
        provenance.seconds = Some(seconds);
        let grid = Grid { variant: self.job.variant, moves: moves.to_vec(), provenance };
        let found = Found { job: Some(self.id), unit: Some(unit), time, seconds: Some(seconds) };
        // The referee has passed it, so that it can be written.
        let record = GridRecord::new(&grid, found, &self.daemon.catalogue).ok()?;
        Some((record.key, Change::Grid(Box::new(record))))
    }

    fn put_best(&self, best: &Best) {
        let Best { moves, unit, iterations, seconds, time, .. } = best;
        let Some((key, change)) = self.grid(moves, *unit, *iterations, *seconds, *time) else { return };
        let mut core = self.daemon.lock();
        if let Some(open) = core.open(self.id) {
            open.record.best = Some(best.score());
            open.record.best_grid = Some(key);
            self.daemon.store.later(vec![change, Change::Job(self.id, open.record.bytes())]);
        }
    }

    fn put_find(&mut self, find: &Find) {
        if self.grids >= MOST_GRIDS {
            return;
        }
        self.grids += 1;
        let Find { moves, unit, iterations, seconds, time, .. } = find;
        if let Some((_, change)) = self.grid(moves, *unit, *iterations, *seconds, *time) {
            self.daemon.store.later(vec![change]);
        }
    }

    /// Stores what a crash may have kept from the store: what the session's own files say is what counts.
    fn catch_up(&mut self, session: &Session) -> Result<(), Stop> {
        let store = &self.daemon.store;
        for ended in session.since() {
            let known = store.unit(self.id, ended.id)?;
            if known.as_ref().is_none_or(|known| known.end.is_none()) {
                let attempts = known.map_or(1, |known| known.attempts + 1);
                let record = UnitRecord {
                    attempts,
                    end: Some(ended.end),
                    iterations: ended.iterations,
                    best: ended.best,
                    error: None,
                    aside: false,
                };
                store.later(vec![Change::Unit(self.id, ended.id, record)]);
            }
        }
        if let Some(best) = session.hunt().state().best.clone() {
            self.put_best(&best);
        }
        let path = archive::path_in(&self.daemon.directory.job(self.id));
        if path.exists() {
            for find in Reader::open(&path).map_err(RunError::from)? {
                let find = find.map_err(RunError::from)?;
                // Another job may have found it, too.
                if store.found_by(self.id, find.score(), find.key)? {
                    self.grids += 1;
                } else {
                    self.put_find(&find);
                }
            }
        }
        Ok(())
    }
}

impl Observer for Reporter<'_> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match &event.what {
            What::Best { score, record, new, .. } => {
                let grid = self.daemon.lock().open(self.id).and_then(|open| open.record.best_grid);
                let what = EventKind::Best {
                    score: *score,
                    grid: grid.map(key_text).unwrap_or_default(),
                    record: record.clone(),
                    new: *new,
                    seconds: event.seconds,
                };
                self.daemon.tell(Some(self.id), what);
            }
            What::Unit { unit, end, iterations, best, .. } => {
                let failed = self.live().failures.remove(unit).unwrap_or(0);
                let (end, iterations, best) = (Some(*end), *iterations, *best);
                let record = UnitRecord { attempts: failed + 1, end, iterations, best, error: None, aside: false };
                self.daemon.store.later(vec![Change::Unit(self.id, *unit, record)]);
            }
            What::Start(_) | What::Resume(_) | What::Progress { .. } | What::Stop { .. } | What::End { .. } => {}
        }
        Ok(())
    }

    fn status(&mut self, status: &Status) -> io::Result<()> {
        self.live().status = Some(status.clone());
        if self.told.elapsed() >= TELL {
            self.told = Instant::now();
            self.daemon.tell(
                Some(self.id),
                EventKind::Progress {
                    iterations: status.iterations,
                    rate: status.rate,
                    best: status.best,
                    units_done: status.ended,
                    threads: status.running.len() as u32,
                    seconds: status.seconds,
                },
            );
        }
        if self.stored.elapsed() >= STORE {
            self.stored = Instant::now();
            let mut core = self.daemon.lock();
            if let Some(open) = core.open(self.id) {
                open.record.update(status);
                self.daemon.store.later(vec![Change::Job(self.id, open.record.bytes())]);
            }
        }
        Ok(())
    }

    fn began(&mut self, lane: LaneId) {
        self.live().lane = Some(lane);
        self.daemon.has_begun(self.id, now());
    }

    fn best(&mut self, best: &Best) {
        self.put_best(best);
    }

    fn found(&mut self, find: &Find) {
        self.put_find(find);
    }

    fn failed(&mut self, failure: &Failure) {
        let Failure { unit, attempts, error, aside } = failure.clone();
        self.live().failures.insert(unit, attempts);
        let record = UnitRecord { attempts, end: None, iterations: 0, best: 0, error: Some(error.clone()), aside };
        let mut changes = vec![Change::Unit(self.id, unit, record)];
        let mut core = self.daemon.lock();
        if aside && let Some(open) = core.open(self.id) {
            open.record.units_poisoned += 1;
            changes.push(Change::Job(self.id, open.record.bytes()));
        }
        self.daemon.store.later(changes);
        drop(core);
        self.daemon.tell(Some(self.id), EventKind::UnitFailed { unit, attempts, error });
    }

    fn saving(&mut self) -> io::Result<()> {
        self.daemon.store.barrier().map_err(io::Error::other)?;
        self.saved += 1;
        if self.saved == 2 {
            // The first checkpoint has been written.
            self.daemon.recovered();
        }
        Ok(())
    }
}
