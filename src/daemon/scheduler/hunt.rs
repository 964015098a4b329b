//! Hunts as the scheduler runs them.

use super::kind::{CannotRun, CoordinatorEnd, JobFacts, JobKind, RunContext};
use super::reporter::JobReporter;
use crate::daemon::course;
use crate::daemon::credit::UnitKind;
use crate::daemon::folder::FolderContent;
use crate::daemon::memory::MemoryNeed;
use crate::daemon::records::{JobStanding, key_text};
use crate::daemon::view::{EventKind, JobId, JobLimits, StatisticsView};
use crate::jobs::ending::JobEnd;
use crate::jobs::hunt::{Find, Hunt, Job};
use crate::morpion::canonical::key_of_variant;
use crate::notation::catalogue::Catalogue;
use crate::notation::grid::Grid;
use crate::queue::LaneId;
use crate::queue::any::TypedQueue;
use crate::queue::effort::Efforts;
use crate::runner::archive::{self, ArchiveError, KeptFind, Reader};
use crate::runner::best::{BestError, provenance};
use crate::runner::directory::{Contents, HuntDirectoryError};
use crate::runner::events::{HuntEvent, HuntEventKind};
use crate::runner::state::{self, StateFileError};
use crate::runner::status::Status;
use crate::runner::{
    Changes, Clocking, FailedAttempt, HuntListener, HuntSession, Interrupt, RunError, SessionReport, WorkerShare,
};
use crate::store::grids::{GridRecord, GridSource};
use crate::store::{Change, UnitRecord};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Most grids of a job's own archive that go into the daemon's archive, in addition to new bests: about ten
/// megabytes.
const MOST_GRIDS: usize = 10_000;

/// Bytes of memory of a hunt, and of each of its searches: a round estimate.
const HUNT: u64 = 4 << 20;
const SEARCH: u64 = 4 << 20;

impl JobKind for Job {
    fn facts(&self) -> Result<JobFacts, String> {
        Hunt::new(self.clone()).map_err(|error| error.to_string())?;
        Ok(JobFacts { variant: Some(self.variant), seed: Some(self.seed), ..JobFacts::default() })
    }

    fn content(&self, folder: &Path) -> Result<FolderContent, CannotRun> {
        let contents = Contents::of(folder).map_err(RunError::from)?;
        match contents {
            Contents::Nothing => Ok(FolderContent::Nothing),
            Contents::Others(file) => Ok(FolderContent::Other(format!("it holds {file}"))),
            Contents::Hunt => {
                let (checkpoint, _) = state::read(folder).map_err(RunError::from)?;
                Ok(if checkpoint.job == *self {
                    FolderContent::OfJob
                } else {
                    let Job { variant, ref params, seed, .. } = checkpoint.job;
                    let found = format!("a hunt in {variant} by {}, seed {seed}", params.strategy.name());
                    FolderContent::Other(found)
                })
            }
        }
    }

    fn memory(&self, workers: u32, limits: &JobLimits) -> MemoryNeed {
        let workers = limits.workers.map_or(workers, |most| most.clamp(1, workers));
        let wanted = HUNT + SEARCH * u64::from(workers);
        MemoryNeed { least: HUNT + SEARCH, wanted: limits.memory.map_or(wanted, |most| wanted.min(HUNT + most)) }
    }

    fn run(&self, context: RunContext<'_>) -> Result<CoordinatorEnd, CannotRun> {
        let RunContext { reporter, ordered, limits, terms, quarantined, memory: _ } = context;
        let (daemon, id) = (reporter.daemon, reporter.id);
        let workers = terms.workers.map_or(daemon.workers, |most| most.clamp(1, daemon.workers));
        let path = daemon.directory.job(id);
        let resumed = path.join(state::CHECKPOINT).exists();
        let opened = if resumed {
            let changes = Changes { workers: Some(workers), time_limit: Some(limits.seconds), ..Changes::default() };
            HuntSession::resume(&path, changes)
        } else {
            HuntSession::begin(&path, self.clone(), workers, limits.seconds)
        };
        let mut session = match opened {
            Err(RunError::TimeIsUp { .. }) => return Ok(CoordinatorEnd::Finished(JobEnd::Time)),
            opened => opened?,
        };
        // The folder has been taken for this job, so only a hand that mixed its files can cause this.
        if session.hunt().job() != self {
            let reason = format!("{} holds the state of another hunt: it is not continued", path.display());
            return Err(CannotRun::Foreign(reason));
        }
        session.set_pace(daemon.pace);
        session.set_limits(limits);
        if let Some(trap) = &daemon.trap {
            session.set_trap(Arc::clone(trap));
        }
        let mut observer = HuntObserver { reporter, job: self, grids: 0, efforts: Efforts::default() };
        if resumed {
            observer.catch_up(&session)?;
        }
        if quarantined > 0 {
            let mut units = Vec::new();
            daemon.store.units(id, 0, |unit, record| {
                units.extend(record.quarantined.then_some(unit));
                true
            })?;
            session.quarantine(units);
        }
        let queue = Arc::new(TypedQueue(Arc::clone(&daemon.queue) as _));
        let place = WorkerShare { queue, terms, clocking: Clocking::Busy };
        let SessionReport { ending, status } =
            session.run_on(&place, &Interrupt::default(), ordered, &mut observer)?;
        observer.reporter.live().standing = Some(of_hunt(&status));
        Ok(ending.job_end().into())
    }

    fn statistics(&self, job: JobId, folder: &Path) -> Result<StatisticsView, String> {
        course::read(job, folder).map_err(|error| error.to_string())
    }
}

/// What a hunt reports of itself.
fn of_hunt(status: &Status) -> JobStanding {
    JobStanding { progress: status.progress.clone(), ..JobStanding::default() }
}

impl From<RunError> for CannotRun {
    fn from(error: RunError) -> CannotRun {
        let why = error.to_string();
        match error {
            error if is_of_the_disk(&error) => CannotRun::Refused(why),
            error if is_to_be_mended(&error) => CannotRun::Quarantined(why),
            _ => CannotRun::Failed(why),
        }
    }
}

/// Whether the job can continue when somebody has put its files right.
fn is_to_be_mended(error: &RunError) -> bool {
    matches!(
        error,
        RunError::Store(StateFileError::Damaged { .. } | StateFileError::Newer { .. })
            | RunError::Archive(
                ArchiveError::Damaged { .. }
                    | ArchiveError::Newer { .. }
                    | ArchiveError::OtherVariant { .. }
                    | ArchiveError::OtherStart { .. }
            )
            | RunError::State { .. }
            | RunError::Search { .. }
            | RunError::Directory(
                HuntDirectoryError::InTheWay { .. }
                    | HuntDirectoryError::NotEmpty { .. }
                    | HuntDirectoryError::Occupied(_)
                    | HuntDirectoryError::Empty(_)
            )
    )
}

/// Whether the job can continue when the disk allows it, for example after it was full.
fn is_of_the_disk(error: &RunError) -> bool {
    matches!(
        error,
        RunError::File(_)
            | RunError::Observer(_)
            | RunError::Spawn(_)
            | RunError::Directory(HuntDirectoryError::File(_) | HuntDirectoryError::Locked(_))
            | RunError::Store(StateFileError::File(_))
            | RunError::Best(BestError::File(_))
            | RunError::Archive(ArchiveError::File(_))
    )
}

/// A grid that a hunt has found, as the archive keeps it; nothing if the referee refuses it, it could not be read
/// back, or it begins with another start than the cross: the archive is of grids from the cross.
pub fn grid_record(job: &Job, id: JobId, find: &Find, catalogue: &Catalogue) -> Option<GridRecord> {
    let Find { unit, iterations, seconds, time, .. } = *find;
    let mut provenance = provenance(&job.params.method(), unit, job.seed);
    provenance.iterations = Some(iterations);
    provenance.seconds = Some(seconds);
    let grid = Grid::from_start(job.params.start.clone(), job.variant, find.moves.clone());
    let grid = Grid { provenance, ..grid };
    let source = GridSource { job: Some(id), unit: Some(unit), time, seconds: Some(seconds) };
    GridRecord::new(&grid, source, catalogue).ok()
}

/// The grids of the archive in a hunt's folder, as many as can be read and go into the daemon's archive.
pub fn own_grids(folder: &Path) -> impl Iterator<Item = KeptFind> {
    let reader = Reader::open(&archive::path_in(folder)).ok();
    reader.into_iter().flatten().map_while(Result::ok).take(MOST_GRIDS)
}

/// Reports to the daemon what happens in a session of a hunt.
struct HuntObserver<'a> {
    reporter: JobReporter<'a>,
    job: &'a Job,
    /// Number of grids of the job's archive that have gone into the daemon's archive.
    grids: usize,
    /// Whose work the unit is whose end is told next.
    efforts: Efforts,
}

impl HuntObserver<'_> {
    /// A change that puts a grid into the archive, and its key there; neither if the grid was removed. The session
    /// has had the referee check the grid before, so only a defect can cause that nothing is returned.
    fn grid(&self, find: &Find) -> Option<Option<(u64, Change)>> {
        let JobReporter { daemon, id, .. } = self.reporter;
        let mut record = grid_record(self.job, id, find, &daemon.catalogue)?;
        // By the keys that it may have been removed under, so before it gets the one that it is to have now.
        if daemon.store.was_removed(id, &record).unwrap_or(false) {
            return Some(None);
        }
        // Where it cannot be looked up, the store itself finds it a key.
        let _ = daemon.store.settle_key(&mut record);
        Some(Some((record.key, Change::Grid(Box::new(record)))))
    }

    fn put_best(&self, best: &Find) {
        let grid = match self.grid(best) {
            // Grids from another start are in the job's folder only.
            None if !self.job.params.start.is_cross() => None,
            None => return,
            Some(grid) => grid,
        };
        let (key, change) = grid.unzip();
        let mut core = self.reporter.daemon.lock();
        if let Some(open) = core.open(self.reporter.id) {
            open.record.summary.best = Some(best.score());
            open.record.best_grid = key;
            let job = Change::Job(self.reporter.id, open.record.bytes());
            self.reporter.daemon.store.later(change.into_iter().chain([job]).collect());
        }
    }

    fn put_find(&mut self, find: &Find) {
        if self.grids >= MOST_GRIDS {
            return;
        }
        self.grids += 1;
        if let Some(Some((_, change))) = self.grid(find) {
            self.reporter.daemon.store.later(vec![change]);
        }
    }

    /// Stores what a crash may have kept from the store. The session's own files are what counts.
    fn catch_up(&mut self, session: &HuntSession) -> Result<(), CannotRun> {
        for ended in session.since() {
            let (end, iterations, best) = (Some(ended.end), ended.iterations, ended.best);
            let record = UnitRecord { attempts: 1, end, iterations, best, error: None, quarantined: false };
            self.reporter.catch_up(ended.id, record)?;
        }
        // Bests that were surpassed before the store had them.
        let surpassed = session.bests().iter().filter_map(|best| self.grid(best).flatten());
        self.reporter.daemon.store.later(surpassed.map(|(_, change)| change).collect());
        if let Some(best) = session.hunt().state().best.clone() {
            self.put_best(&best);
        }
        let path = archive::path_in(&self.reporter.daemon.directory.job(self.reporter.id));
        if path.exists() {
            for find in Reader::open(&path).map_err(RunError::from)? {
                let KeptFind { key, find } = find.map_err(RunError::from)?;
                // The grid may be there because another job found it, too.
                let found_by = |key| self.reporter.daemon.store.found_by(self.reporter.id, find.score(), key);
                if found_by(key)? || found_by(key_of_variant(self.job.variant, key))? {
                    self.grids += 1;
                } else {
                    self.put_find(&find);
                }
            }
        }
        Ok(())
    }
}

impl HuntListener for HuntObserver<'_> {
    fn event(&mut self, event: &HuntEvent) -> io::Result<()> {
        let JobReporter { daemon, id, .. } = self.reporter;
        match &event.what {
            HuntEventKind::Best { score, record, new, .. } => {
                let grid = daemon.lock().open(id).and_then(|open| open.record.best_grid);
                let what = EventKind::Best {
                    score: *score,
                    grid: grid.map(key_text).unwrap_or_default(),
                    record: record.clone(),
                    new: *new,
                    seconds: event.seconds,
                };
                daemon.publish(Some(id), what);
            }
            HuntEventKind::Unit { unit, end, iterations, best, .. } => {
                let (end, iterations, best) = (Some(*end), *iterations, *best);
                let record = UnitRecord { attempts: 1, end, iterations, best, error: None, quarantined: false };
                let efforts = std::mem::take(&mut self.efforts);
                self.reporter.unit_credited(*unit, record, UnitKind::Hunt, &[efforts]);
            }
            HuntEventKind::Start(_)
            | HuntEventKind::Resume(_)
            | HuntEventKind::Progress { .. }
            | HuntEventKind::Stop { .. }
            | HuntEventKind::End { .. } => {}
        }
        Ok(())
    }

    fn status(&mut self, status: &Status) -> io::Result<()> {
        self.reporter.standing(of_hunt(status));
        Ok(())
    }

    fn began(&mut self, lane: LaneId) {
        self.reporter.began(lane);
    }

    fn noticed(&mut self, text: &str) {
        let JobReporter { daemon, id, .. } = self.reporter;
        daemon.publish(Some(id), EventKind::Notice { text: text.to_owned() });
    }

    fn best(&mut self, best: &Find) {
        self.put_best(best);
    }

    fn found(&mut self, find: &KeptFind) {
        self.put_find(&find.find);
    }

    fn computed(&mut self, _unit: u64, efforts: &Efforts) {
        self.efforts = efforts.clone();
    }

    fn failed(&mut self, failure: &FailedAttempt) {
        let FailedAttempt { unit, attempts, error, quarantined } = failure;
        self.reporter.unit_failed(*unit, *attempts, error, *quarantined);
    }

    fn may_save(&self) -> bool {
        self.reporter.may_save()
    }

    fn saving(&mut self) -> io::Result<()> {
        self.reporter.saving()
    }
}
