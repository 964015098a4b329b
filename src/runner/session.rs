//! One run of the program on one hunt.

mod hunting;

use super::archive::novelty::Novelty;
use super::archive::{self, Archive, ArchiveError, KeptFind, Origin};
use super::atomic::{FileError, Keep, replace};
use super::best::{self, BestError};
use super::clock::{now, to_milliseconds};
use super::directory::{HuntDirectoryError, Locked};
use super::events::{self, EventLog, HuntEvent, HuntEventKind, LogError, StopReason};
use super::orders::{Interrupt, OrderReceiver, orders};
use super::progress::Progress;
use super::state::{Checkpoint, InFlight, StateFileError, StateFiles};
use super::status::{PROGRESS, Status, THREADS};
use super::worker::{HuntUnit, Trap};
use crate::core::search::{RestoreError, Search};
use crate::jobs::ending::JobEnd;
use crate::jobs::hunt::{EndedUnit, Find, Hunt, HuntRecord, Job, JobError, Over, StateError};
use crate::morpion::geometry::Move;
use crate::notation::catalogue::Catalogue;
use crate::notation::format::ReadError;
use crate::queue::local::{Local, LocalOptions, SpawnError};
use crate::queue::{LaneId, Queue, Terms, Unit};
use hunting::{Hunting, JobLane};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The workers are asked for their states so long after the last checkpoint, if nothing else is said.
pub const CHECKPOINT: Duration = Duration::from_secs(5);

/// Why a session could not run, or came to a bad end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The directory is not fit.
    #[error(transparent)]
    Directory(#[from] HuntDirectoryError),
    /// The state cannot be read or written.
    #[error(transparent)]
    Store(#[from] StateFileError),
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The event log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A best grid could not be written.
    #[error(transparent)]
    Best(#[from] BestError),
    /// The archive cannot be read or written.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The known records cannot be read.
    #[error("the built-in records: {0}")]
    Records(#[from] ReadError),
    /// The job is not valid.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The saved state does not fit the job.
    #[error("{}: {source}", path.display())]
    State {
        /// The directory.
        path: PathBuf,
        /// What is wrong.
        source: StateError,
    },
    /// The saved state of a search cannot be gone on with.
    #[error("{}: unit {unit}: {source}", path.display())]
    Search {
        /// The directory.
        path: PathBuf,
        /// The unit.
        unit: u64,
        /// What is wrong.
        source: RestoreError,
    },
    /// The number of threads is too small or too large.
    #[error(
        "{0} threads: the main thread and at least one worker are needed, so at least 2, and at most {MAX_THREADS}"
    )]
    Threads(u32),
    /// A thread could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The hunt has run for as long as it was to run.
    #[error(
        "the hunt has run for {seconds:.0} s, and its time is {limit:.0} s: give it more by --time (it counts over all sessions)"
    )]
    TimeIsUp {
        /// Seconds that it has run.
        seconds: f64,
        /// Its limit.
        limit: f64,
    },
    /// Units have failed so often that they were set aside, and nothing else is left to do.
    #[error(
        "the search of unit {unit} failed {} times (a defect of this program): {reason}",
        crate::queue::MOST_ATTEMPTS
    )]
    Failed {
        /// The first of them.
        unit: u64,
        /// What it said last.
        reason: String,
    },
    /// One search alone takes more memory than the hunt may.
    #[error("a search of this hunt takes about {needed} bytes of memory, and its limit is {limit}: give it more")]
    Memory {
        /// What one search takes.
        needed: u64,
        /// What all of them may take.
        limit: u64,
    },
    /// The observer could not pass on an event.
    #[error("cannot pass on an event: {0}")]
    Observer(#[source] io::Error),
    /// All workers have gone.
    #[error("all worker threads have gone (a defect of this program)")]
    NoWorkers,
}

/// More threads than this are taken for a slip.
pub const MAX_THREADS: u32 = 4096;

/// Is told what happens; its errors stop the session.
pub trait HuntListener {
    /// Something happened.
    ///
    /// # Errors
    /// If it cannot be passed on.
    fn event(&mut self, event: &HuntEvent) -> io::Result<()>;

    /// How the hunt stands, a few times per second.
    ///
    /// # Errors
    /// If it cannot be shown.
    fn status(&mut self, status: &Status) -> io::Result<()>;

    /// The session hands out units from now on, into this lane of the queue.
    fn began(&mut self, _lane: LaneId) {}

    /// A new best grid; its event follows.
    fn best(&mut self, _best: &Find) {}

    /// A grid that has gone into the archive.
    fn found(&mut self, _find: &KeptFind) {}

    /// An attempt at a unit has failed.
    fn failed(&mut self, _failure: &FailedAttempt) {}

    /// A checkpoint is about to be written: what was told until now will not be told again after a crash.
    ///
    /// # Errors
    /// If what was told is not yet safe; the checkpoint is not written then.
    fn saving(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An attempt at a unit that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAttempt {
    /// The unit.
    pub unit: u64,
    /// Attempts so far.
    pub attempts: u32,
    /// What it said.
    pub error: String,
    /// The unit is set aside.
    pub aside: bool,
}

/// What a hunt may use.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SessionLimits {
    /// Seconds that it runs, over all its sessions.
    pub seconds: Option<f64>,
    /// Iterations of all its units, over all its sessions.
    pub iterations: Option<u64>,
    /// Bytes of memory of its searches, as estimated from their states.
    pub memory: Option<u64>,
}

/// How a hunt's time is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clocking {
    /// From the beginning of the session to its end.
    Wall,
    /// While at least one worker is at it.
    Busy,
}

/// The workers that a session shares with others, and on which terms. `U` is what its units are.
#[derive(Clone)]
pub struct WorkerShare<U: Unit> {
    /// The workers.
    pub queue: Arc<dyn Queue<U>>,
    /// On which terms.
    pub terms: Terms,
    /// How time is counted.
    pub clocking: Clocking,
}

/// What may be changed when a hunt goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Changes {
    /// Number of threads.
    pub threads: Option<u32>,
    /// Seconds after which the hunt ends, counted over all its sessions; `Some(None)` lifts the limit.
    pub time_limit: Option<Option<f64>>,
    /// Score at which the hunt ends; `Some(None)` lifts the target.
    pub target: Option<Option<u32>>,
    /// Smallest score of the grids that are kept; `Some(None)` keeps no more of them.
    pub keep_from: Option<Option<u32>>,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The hunt is over.
    Over(Over),
    /// The hunt can go on.
    Stopped(StopReason),
}

impl Ending {
    /// The end of the job, if it is not to be resumed.
    pub fn job_end(self) -> Option<JobEnd> {
        match self {
            Ending::Over(over) => Some(over.into()),
            Ending::Stopped(stopped) => stopped.job_end(),
        }
    }
}

/// What a session leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionReport {
    /// How it ended.
    pub ending: Ending,
    /// How the hunt stands.
    pub status: Status,
}

/// One run of the program on one hunt.
pub struct HuntSession {
    directory: Locked,
    store: StateFiles,
    log: EventLog,
    hunt: Hunt,
    threads: u32,
    limits: SessionLimits,
    /// Seconds that the sessions before have run.
    before: f64,
    /// For how long this one has run.
    elapsed: Box<dyn Fn() -> Duration + Send>,
    /// Units begun, as far as their states are known.
    saved: BTreeMap<u64, InFlight>,
    /// Searches that an earlier session began, to be gone on with.
    searches: BTreeMap<u64, Box<dyn Search<Move>>>,
    resumed: bool,
    /// The archive of good grids, once there is one.
    archive: Option<Archive>,
    /// What it holds, until the workers get it.
    novelty: Option<Novelty>,
    /// The known records.
    catalogue: Catalogue,
    /// Time from one checkpoint to the next.
    pace: Duration,
    /// Units that are not to be tried again.
    aside: BTreeSet<u64>,
    /// Units that ended since the checkpoint that the session goes on from.
    since: Vec<EndedUnit>,
    trap: Option<Trap>,
}

impl HuntSession {
    /// Begins a hunt in a directory that holds none.
    ///
    /// # Errors
    /// If the job, the number of threads or the directory is not fit; nothing is overwritten.
    pub fn begin(path: &Path, job: Job, threads: u32, time_limit: Option<f64>) -> Result<HuntSession, RunError> {
        check_threads(threads)?;
        let hunt = Hunt::new(job)?;
        let directory = Locked::for_new_hunt(path)?;
        let checkpoint = Checkpoint {
            job: hunt.job().clone(),
            state: hunt.snapshot(),
            in_flight: Vec::new(),
            seconds: 0.0,
            time_limit,
            threads,
        };
        let catalogue = Catalogue::load()?;
        let novelty = hunt.job().keep_from.map(|from| Novelty::new(hunt.job().variant, from));
        let store = StateFiles::create(path, &checkpoint)?;
        Ok(HuntSession {
            log: EventLog::open(path)?,
            directory,
            store,
            hunt,
            threads,
            limits: SessionLimits { seconds: time_limit, ..SessionLimits::default() },
            before: 0.0,
            elapsed: Box::new(|| Duration::ZERO),
            saved: BTreeMap::new(),
            searches: BTreeMap::new(),
            resumed: false,
            archive: None,
            novelty,
            catalogue,
            pace: CHECKPOINT,
            aside: BTreeSet::new(),
            since: Vec::new(),
            trap: None,
        })
    }

    /// Goes on with the hunt in a directory.
    ///
    /// # Errors
    /// If there is none, if it is in use, or if its state is damaged or newer than this program; nothing is changed
    /// then.
    pub fn resume(path: &Path, changes: Changes) -> Result<HuntSession, RunError> {
        let directory = Locked::with_hunt(path)?;
        let (store, checkpoint, records) = StateFiles::open(path)?;
        let Checkpoint { job, state, in_flight, seconds, time_limit, threads } = checkpoint;
        let threads = changes.threads.unwrap_or(threads);
        check_threads(threads)?;
        let time_limit = changes.time_limit.unwrap_or(time_limit);
        // A best grid of the journal may be younger than the checkpoint's clock.
        let before = records.iter().fold(seconds, |seconds, record| match record {
            HuntRecord::Best(best) => seconds.max(best.seconds),
            HuntRecord::Ended(_) | HuntRecord::Called(_) => seconds,
        });
        if let Some(limit) = time_limit.filter(|&limit| before >= limit) {
            return Err(RunError::TimeIsUp { seconds: before, limit });
        }
        let restored = Hunt::restore(job, state, &records);
        let mut hunt = restored.map_err(|source| RunError::State { path: path.to_owned(), source })?;
        if let Some(target) = changes.target {
            hunt.set_target(target);
        }
        if let Some(keep_from) = changes.keep_from {
            hunt.set_keep_from(keep_from);
        }
        let (archive, novelty) = open_archive(path, hunt.job())?;
        let mut saved: BTreeMap<u64, InFlight> = in_flight.into_iter().map(|unit| (unit.id, unit)).collect();
        let mut searches = BTreeMap::new();
        for work in hunt.pending() {
            let Some(unit) = saved.get(&work.id) else { continue };
            let Job { variant, params, .. } = hunt.job();
            let search = work.resume(*variant, params, &unit.saved);
            let search =
                search.map_err(|source| RunError::Search { path: path.to_owned(), unit: work.id, source })?;
            searches.insert(work.id, search);
        }
        saved.retain(|id, _| searches.contains_key(id));
        let mut session = HuntSession {
            log: EventLog::open(path)?,
            directory,
            store,
            hunt,
            threads,
            limits: SessionLimits { seconds: time_limit, ..SessionLimits::default() },
            before,
            elapsed: Box::new(|| Duration::ZERO),
            saved,
            searches,
            resumed: true,
            archive,
            novelty,
            catalogue: Catalogue::load()?,
            pace: CHECKPOINT,
            aside: BTreeSet::new(),
            since: records.iter().filter_map(HuntRecord::ended).cloned().collect(),
            trap: None,
        };
        session.complete_best()?;
        Ok(session)
    }

    /// Sets the time from one checkpoint to the next: what a crash costs at most of the running units.
    pub fn set_pace(&mut self, pace: Duration) {
        self.pace = pace;
    }

    /// Sets what the hunt may use.
    pub fn set_limits(&mut self, limits: SessionLimits) {
        self.limits = limits;
    }

    /// Sets units aside that failed in earlier sessions.
    pub fn set_aside(&mut self, units: impl IntoIterator<Item = u64>) {
        self.aside.extend(units);
    }

    /// Has `trap` told of each attempt at a unit.
    pub fn set_trap(&mut self, trap: Trap) {
        self.trap = Some(trap);
    }

    /// The hunt.
    pub fn hunt(&self) -> &Hunt {
        &self.hunt
    }

    /// Units that ended after the checkpoint from which the session goes on.
    pub fn since(&self) -> &[EndedUnit] {
        &self.since
    }

    /// Threads, the main thread included.
    pub fn threads(&self) -> u32 {
        self.threads
    }

    /// Seconds that the hunt has run, over all its sessions.
    pub fn seconds(&self) -> f64 {
        to_milliseconds(self.before + (self.elapsed)().as_secs_f64())
    }

    /// The same at a moment in the past.
    fn seconds_at(&self, at: Instant) -> f64 {
        let elapsed = (self.elapsed)().saturating_sub(at.elapsed());
        to_milliseconds(self.before + elapsed.as_secs_f64())
    }

    /// Hunts with workers of its own until the hunt is over, its time is up, or `interrupt` asks to stop. The state is
    /// saved before this returns, with an error too as far as the disk allows.
    ///
    /// # Errors
    /// If a file cannot be written, the observer fails, or a search does.
    pub fn run(self, interrupt: &Interrupt, observer: &mut dyn HuntListener) -> Result<SessionReport, RunError> {
        let queue = Arc::new(Local::new(self.threads - 1, LocalOptions::default())?);
        let (_orders, ordered) = orders();
        let place = WorkerShare { queue, terms: Terms::default(), clocking: Clocking::Wall };
        self.run_on(&place, interrupt, &ordered, observer)
    }

    /// The same with workers that others use too, and with orders from outside.
    ///
    /// # Errors
    /// See [`HuntSession::run`].
    pub fn run_on(
        mut self,
        place: &WorkerShare<HuntUnit>,
        interrupt: &Interrupt,
        ordered: &OrderReceiver,
        observer: &mut dyn HuntListener,
    ) -> Result<SessionReport, RunError> {
        let own = JobLane::open(&mut self, place);
        let (began, queue, lane) = (Instant::now(), Arc::clone(&place.queue), own.id());
        self.elapsed = match place.clocking {
            Clocking::Wall => Box::new(move || began.elapsed()),
            Clocking::Busy => Box::new(move || queue.activity(lane).busy),
        };
        let begun = self.searches.values().fold(0u64, |sum, search| sum.saturating_add(search.iterations()));
        let before = self.hunt.state().totals.iterations.saturating_add(begun);
        let what = events::SessionStart::of(self.hunt.job(), self.threads, before);
        let what = if self.resumed { HuntEventKind::Resume(what) } else { HuntEventKind::Start(what) };
        self.tell(what, observer)?;
        observer.began(lane);
        let old = self.store.is_old();
        let mut hunting = Hunting::new(&mut self, observer, own);
        if old {
            hunting.checkpoint()?;
        }
        let hunted = hunting.hunt(interrupt, ordered);
        let halted = hunting.halt();
        let ending = match hunted {
            Ok(ending) => ending,
            Err(error) => {
                // The state may still be saved; if not, what is on disk is whole and in force.
                let _ = hunting.checkpoint();
                let status = hunting.status();
                let _ = observer.status(&status);
                let _ = self.tell(closing(Ending::Stopped(StopReason::Failed), &status), observer);
                return Err(error);
            }
        };
        halted?;
        hunting.checkpoint()?;
        let status = hunting.status();
        self.write_status(&status)?;
        self.tell(closing(ending, &status), observer)?;
        Ok(SessionReport { ending, status })
    }

    /// Writes what the journal says was found and a crash kept from being written.
    fn complete_best(&mut self) -> Result<(), RunError> {
        let Some(best) = self.hunt.state().best.clone() else { return Ok(()) };
        best::check(self.hunt.job().variant, &best)?;
        best::write(self.directory.path(), self.hunt.job(), &best)?;
        let told = events::read(self.directory.path())?.into_iter().filter_map(|event| match event.what {
            HuntEventKind::Best { score, .. } => Some(score),
            _ => None,
        });
        if told.max().unwrap_or(0) < best.score() {
            self.log.append(&self.best_event(&best))?;
        }
        Ok(())
    }

    fn best_event(&self, best: &Find) -> HuntEvent {
        let touches_border = best::touches_border(self.hunt.job().variant, best);
        HuntEvent::best(self.hunt.job(), best, touches_border, &self.catalogue)
    }

    fn tell(&mut self, what: HuntEventKind, observer: &mut dyn HuntListener) -> Result<(), RunError> {
        let event = HuntEvent { v: events::VERSION, time: now(), seconds: self.seconds(), what };
        self.log.append(&event)?;
        observer.event(&event).map_err(RunError::Observer)
    }

    fn write_status(&self, status: &Status) -> Result<(), FileError> {
        let directory = self.directory.path();
        replace(&directory.join(PROGRESS), status.progress().as_bytes(), Keep::Brief)?;
        replace(&directory.join(THREADS), status.threads().as_bytes(), Keep::Brief)
    }
}

/// The archive that an earlier session has begun, and what is in it, if grids are kept.
fn open_archive(path: &Path, job: &Job) -> Result<(Option<Archive>, Option<Novelty>), RunError> {
    let Some(keep_from) = job.keep_from else { return Ok((None, None)) };
    let novelty = Novelty::new(job.variant, keep_from);
    if !archive::path_in(path).exists() {
        return Ok((None, Some(novelty)));
    }
    let archive = Archive::open(path, &origin(job), |KeptFind { key, find }| {
        novelty.note(*key, find.score());
    })?;
    Ok((Some(archive), Some(novelty)))
}

/// What the archive of a job says about itself.
fn origin(job: &Job) -> Origin {
    let producer = concat!("morpion ", env!("CARGO_PKG_VERSION")).to_owned();
    Origin { variant: job.variant, method: job.params.method(), seed: job.seed, producer }
}

/// The last event of a session.
fn closing(ending: Ending, status: &Status) -> HuntEventKind {
    let Progress { best: score, iterations, units_done: units, .. } = status.progress;
    match ending {
        Ending::Over(reason) => HuntEventKind::End { reason, score, iterations, units },
        Ending::Stopped(reason) => HuntEventKind::Stop { reason, score, iterations, units },
    }
}

fn check_threads(threads: u32) -> Result<(), RunError> {
    if (2..=MAX_THREADS).contains(&threads) { Ok(()) } else { Err(RunError::Threads(threads)) }
}
