//! One run of the program on one hunt.

mod hunting;

use super::archive::novelty::Novelty;
use super::archive::repair::repair;
use super::archive::{self, Archive, ArchiveError, ArchiveMark, ArchiveOrigin, KeptFind};
use super::best;
use super::clock::{now, to_milliseconds};
use super::contract::{Changes, HuntListener, SessionLimits, Trap};
use super::directory::Locked;
use super::error::{MAX_WORKERS, RunError};
use super::events::{self, EventLog, HuntEvent, HuntEventKind};
use super::state::{Checkpoint, InFlight, OpenedState, StateFiles};
use super::status::{PROGRESS, Status, THREADS};
use crate::core::search::Search;
use crate::files::{FileError, Keep, replace};
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
    /// Best grids that were found after that checkpoint, in order.
    bests: Vec<Find>,
    /// What was wrong with the files and has been put right, in words for people.
    notices: Vec<String>,
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
            archive: ArchiveMark::default(),
        };
        let catalogue = Catalogue::load()?;
        let novelty = hunt.job().keep_from.map(|from| novelty(hunt.job(), from));
        let store = StateFiles::create(path, &checkpoint)?;
        let (log, _) = EventLog::open(path)?;
        Ok(HuntSession {
            log,
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
            bests: Vec::new(),
            notices: Vec::new(),
            trap: None,
        })
    }

    /// Goes on with the hunt in a directory. A damaged log or archive, and a journal that a power cut has left, are
    /// put right and kept as they were under other names; the listener is told.
    ///
    /// # Errors
    /// If there is none, if it is in use, or if its state is damaged or newer than this program; the state is not
    /// changed then.
    pub fn resume(path: &Path, changes: Changes) -> Result<HuntSession, RunError> {
        let directory = Locked::with_hunt(path)?;
        let OpenedState { files: store, checkpoint, records, archive: held, notice } =
            StateFiles::open(path, archive::whole(path)?)?;
        let mut notices: Vec<String> = notice.into_iter().collect();
        let Checkpoint { job, state, in_flight, seconds, time_limit, workers, archive: _ } = checkpoint;
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
        let (archive, novelty) = open_archive(path, hunt.job(), held, &mut notices)?;
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
        let (log, notice) = EventLog::open(path)?;
        notices.extend(notice);
        let mut session = HuntSession {
            log,
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
            bests: records.iter().filter_map(HuntRecord::best).cloned().collect(),
            notices,
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

    /// The best grids, one after the other, that were found after that checkpoint.
    pub fn bests(&self) -> &[Find] {
        &self.bests
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
        best::check(self.hunt.job(), &best)?;
        best::write(self.directory.path(), self.hunt.job(), &best)?;
        let told = events::read(self.directory.path())?.events.into_iter().filter_map(|event| match event.what {
            HuntEventKind::Best { score, .. } => Some(score),
            _ => None,
        });
        if told.max().unwrap_or(0) < best.score() {
            self.log.append(&self.best_event(&best))?;
        }
        Ok(())
    }

    fn best_event(&self, best: &Find) -> HuntEvent {
        let touches_border = best::touches_border(self.hunt.job(), best);
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

/// The archive that an earlier session has begun, and what is in it, if grids are kept. `held` is what it held at
/// least.
fn open_archive(
    path: &Path,
    job: &Job,
    held: ArchiveMark,
    notices: &mut Vec<String>,
) -> Result<(Option<Archive>, Option<Novelty>), RunError> {
    let Some(keep_from) = job.keep_from else { return Ok((None, None)) };
    let novelty = novelty(job, keep_from);
    let file = archive::path_in(path);
    if !file.exists() {
        if held.grids > 0 {
            notices.push(format!("{} is missing, with the {} grids that it held", file.display(), held.grids));
        }
        return Ok((None, Some(novelty)));
    }
    let open = || Archive::open(path, &origin(job), |KeptFind { key, find }| _ = novelty.note(*key, find.score()));
    let (mended, archive) = match open() {
        Err(ArchiveError::Damaged { .. }) => (repair(path, &origin(job))?, open()?),
        opened => (None, opened?),
    };
    let lost = held.grids.saturating_sub(archive.mark().grids);
    if lost > 0 && mended.is_none() {
        notices.push(format!(
            "{} was cut: it held {} grids, {lost} of them at its end are lost",
            file.display(),
            held.grids
        ));
    }
    notices.extend(mended);
    Ok((Some(archive), Some(novelty)))
}

/// What the archive of a job says about itself.
fn origin(job: &Job) -> ArchiveOrigin {
    let producer = concat!("morpion ", env!("CARGO_PKG_VERSION")).to_owned();
    let start = job.params.start.clone();
    ArchiveOrigin { variant: job.variant, start, method: job.params.method(), seed: job.seed, producer }
}

/// What is new to the archive of a job.
fn novelty(job: &Job, keep_from: u32) -> Novelty {
    Novelty::new(job.variant, keep_from).from_start(&job.params.start)
}

fn check_workers(workers: u32) -> Result<(), RunError> {
    if (1..=MAX_WORKERS).contains(&workers) { Ok(()) } else { Err(RunError::Workers(workers)) }
}
