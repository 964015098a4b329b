//! One run of the program on one hunt.

mod hunting;

use super::archive::novelty::Novelty;
use super::archive::{self, Archive, ArchiveOrigin, KeptFind};
use super::atomic::{FileError, Keep, replace};
use super::best;
use super::clock::{now, to_milliseconds};
use super::contract::{Changes, HuntListener, SessionLimits, Trap};
use super::directory::Locked;
use super::error::{MAX_WORKERS, RunError};
use super::events::{self, EventLog, HuntEvent, HuntEventKind};
use super::state::{Checkpoint, InFlight, StateFiles};
use super::status::{PROGRESS, Status, THREADS};
use crate::core::search::Search;
use crate::jobs::hunt::{EndedUnit, Find, Hunt, HuntRecord, Job};
use crate::morpion::geometry::Move;
use crate::notation::catalogue::Catalogue;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

/// Default time from one checkpoint to the next request for the workers' states.
pub const CHECKPOINT: Duration = Duration::from_secs(5);

/// One run of the program on one hunt.
pub struct HuntSession {
    directory: Locked,
    store: StateFiles,
    log: EventLog,
    hunt: Hunt,
    workers: u32,
    limits: SessionLimits,
    /// Seconds that the sessions before have run.
    before: f64,
    /// For how long this one has run.
    elapsed: Box<dyn Fn() -> Duration + Send>,
    /// Units begun, as far as their states are known.
    saved: BTreeMap<u64, InFlight>,
    /// Searches that an earlier session began, and that continue.
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
    quarantined: BTreeSet<u64>,
    /// Units that ended after the checkpoint from which the session continues.
    since: Vec<EndedUnit>,
    trap: Option<Trap>,
}

impl HuntSession {
    /// Begins a hunt in a directory that holds none.
    ///
    /// # Errors
    /// If the job, the number of workers or the directory is not fit; nothing is overwritten.
    pub fn begin(path: &Path, job: Job, workers: u32, time_limit: Option<f64>) -> Result<HuntSession, RunError> {
        check_workers(workers)?;
        let hunt = Hunt::new(job)?;
        let directory = Locked::for_new_hunt(path)?;
        let checkpoint = Checkpoint {
            job: hunt.job().clone(),
            state: hunt.snapshot(),
            in_flight: Vec::new(),
            seconds: 0.0,
            time_limit,
            workers,
        };
        let catalogue = Catalogue::load()?;
        let novelty = hunt.job().keep_from.map(|from| Novelty::new(hunt.job().variant, from));
        let store = StateFiles::create(path, &checkpoint)?;
        Ok(HuntSession {
            log: EventLog::open(path)?,
            directory,
            store,
            hunt,
            workers,
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
            quarantined: BTreeSet::new(),
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
        let Checkpoint { job, state, in_flight, seconds, time_limit, workers } = checkpoint;
        let workers = changes.workers.unwrap_or(workers);
        check_workers(workers)?;
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
            workers,
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
            quarantined: BTreeSet::new(),
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

    /// Quarantines units that failed in earlier sessions: they are not tried again.
    pub fn quarantine(&mut self, units: impl IntoIterator<Item = u64>) {
        self.quarantined.extend(units);
    }

    /// Calls `trap` at each attempt at a unit.
    pub fn set_trap(&mut self, trap: Trap) {
        self.trap = Some(trap);
    }

    /// The coordinator of this session.
    pub fn hunt(&self) -> &Hunt {
        &self.hunt
    }

    /// Units that ended after the checkpoint from which the session continues.
    pub fn since(&self) -> &[EndedUnit] {
        &self.since
    }

    /// Number of workers.
    pub fn workers(&self) -> u32 {
        self.workers
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
fn origin(job: &Job) -> ArchiveOrigin {
    let producer = concat!("morpion ", env!("CARGO_PKG_VERSION")).to_owned();
    ArchiveOrigin { variant: job.variant, method: job.params.method(), seed: job.seed, producer }
}

fn check_workers(workers: u32) -> Result<(), RunError> {
    if (1..=MAX_WORKERS).contains(&workers) { Ok(()) } else { Err(RunError::Workers(workers)) }
}
