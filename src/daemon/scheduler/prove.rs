//! Proofs as the scheduler runs them.

use super::kind::{CannotRun, CoordinatorEnd, JobFacts, JobKind, RunContext};
use super::reporter::JobReporter;
use crate::core::search::End;
use crate::daemon::credit::UnitKind;
use crate::daemon::folder::FolderContent;
use crate::daemon::memory::MemoryNeed;
use crate::daemon::prove_request::NO_SOLVER;
use crate::daemon::records::{JobStanding, key_text};
use crate::daemon::view::{
    EventKind, JobId, JobLimits, ProofLeftView, ProofPoint, ProofStatisticsView, ProofView, StatisticsView,
};
use crate::files::{Keep, replace};
use crate::jobs::prove::{ProofMisfit, ProveCoordinator, ProveJob, ProvingEnd, ProvingProgress};
use crate::morpion::geometry::Move;
use crate::notation::grid::Grid;
use crate::proofs::file::read_file;
use crate::queue::LaneId;
use crate::queue::any::TypedQueue;
use crate::queue::effort::Efforts;
use crate::runner::clock::now;
use crate::runner::directory::Contents;
use crate::runner::orders::Interrupt;
use crate::runner::proving::session::{ProveListener, ProveSession, ProveStanding};
use crate::runner::proving::unit::solver;
use crate::runner::proving::{CERTIFICATE, PROOF, Proving, ProvingError, RestEstimate};
use crate::runner::{Clocking, FailedAttempt, WorkerShare};
use crate::store::grids::{GridRecord, GridSource};
use crate::store::{Change, UnitRecord};
use std::io;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;

/// Name of the file in the job's folder with the course for the API. The state of the job is elsewhere.
const STATISTICS: &str = "statistics.json";
/// Most points of a course.
const MOST: usize = 2000;
/// Bytes of memory of a proof, and of each solver of linear programs: round estimates.
const TREE: u64 = 16 << 20;
const SOLVER: u64 = 24 << 20;

impl JobKind for ProveJob {
    fn facts(&self) -> Result<JobFacts, String> {
        let statement = self.statement().map_err(|error| error.to_string())?;
        let coordinator = ProveCoordinator::new(&statement);
        let proof = Some(view(self, &coordinator.progress(), None, &ProvingEnd::Open));
        Ok(JobFacts { variant: Some(self.variant), proof, ..JobFacts::default() })
    }

    fn content(&self, folder: &Path) -> Result<FolderContent, CannotRun> {
        let path = folder.join(PROOF);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(match Contents::of(folder).map_err(|error| CannotRun::Refused(error.to_string()))? {
                    Contents::Nothing => FolderContent::Nothing,
                    Contents::Others(name) if [STATISTICS, CERTIFICATE].contains(&name.as_str()) => {
                        FolderContent::Nothing
                    }
                    Contents::Others(name) => FolderContent::Other(format!("it holds {name}")),
                    Contents::Hunt => FolderContent::Other("a hunt".to_owned()),
                });
            }
            Err(error) => return Err(CannotRun::Refused(format!("cannot read {}: {error}", path.display()))),
        };
        let found = match read_file(&bytes) {
            Ok(found) => ProveJob::from(&found.statement),
            // Cut off within its statement, it has nothing to lose; damaged, it is refused when it is opened.
            Err(_) => return Ok(FolderContent::OfJob),
        };
        Ok(if found == *self {
            FolderContent::OfJob
        } else {
            FolderContent::Other(format!("a proof: {} moves of {} in {}", found.moves, found.variant, found.region))
        })
    }

    fn memory(&self, workers: u32, limits: &JobLimits) -> MemoryNeed {
        let workers = limits.workers.map_or(workers, |most| most.clamp(1, workers));
        let wanted = TREE + SOLVER * u64::from(workers);
        MemoryNeed { least: TREE + SOLVER, wanted: limits.memory.map_or(wanted, |most| wanted.min(TREE + most)) }
    }

    fn run(&self, context: RunContext<'_>) -> Result<CoordinatorEnd, CannotRun> {
        let RunContext { reporter, ordered, limits, terms, quarantined: _, memory: _ } = context;
        let (daemon, id) = (reporter.daemon, reporter.id);
        let Some(solver) = solver() else { return Err(CannotRun::Quarantined(NO_SOLVER.to_owned())) };
        let statement = self.statement().map_err(|error| CannotRun::Failed(error.to_string()))?;
        let folder = daemon.directory.job(id);
        let mut proving = Proving::open(&statement, Some(&folder))?;
        // Stores what a crash may have kept from the store.
        for &(unit, nodes) in proving.replayed() {
            reporter.catch_up(unit, unit_record(nodes))?;
        }
        let path = folder.join(STATISTICS);
        let course = read(&path).ok().flatten().unwrap_or_default().course;
        let before = course.last().map_or(0.0, |point: &ProofPoint| point.seconds);
        let mut listener = ProveObserver { reporter, job: self, course, path, put: false };
        let session = ProveSession {
            proving: &mut proving,
            solver,
            limits,
            before,
            pace: daemon.pace,
            trap: daemon.trap.as_ref().map(Arc::clone),
        };
        let queue = Arc::new(TypedQueue(Arc::clone(&daemon.queue) as _));
        let place = WorkerShare { queue, terms, clocking: Clocking::Busy };
        let ending = session.run_on(&place, &Interrupt::default(), ordered, &mut listener)?;
        if proving.end() == ProvingEnd::Proved {
            proving.write_certificate()?;
        }
        Ok(ending.job_end().into())
    }

    fn statistics(&self, job: JobId, folder: &Path) -> Result<StatisticsView, String> {
        let proof = read(&folder.join(STATISTICS)).map_err(|error| error.to_string())?;
        Ok(StatisticsView { proof: Some(proof.unwrap_or_default()), ..StatisticsView::of(job) })
    }
}

/// The course as last written; `None` if the file is missing or cannot be read by this version.
fn read(path: &Path) -> io::Result<Option<ProofStatisticsView>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A proof as the API shows it.
fn view(job: &ProveJob, now: &ProvingProgress, rest: Option<RestEstimate>, end: &ProvingEnd) -> ProofView {
    let ProvingProgress { counts, closed, open, done, cpu } = *now;
    let each = cpu / (counts.nodes.max(1) as f64);
    ProofView {
        region: job.region.clone(),
        points: job.points.len() as u32,
        moves: job.moves,
        end: match end {
            ProvingEnd::Proved => "proved",
            ProvingEnd::Grid(_) => "grid",
            ProvingEnd::Open => "open",
        }
        .to_owned(),
        closed,
        units_open: open,
        units_done: done,
        nodes: counts.nodes,
        programs: counts.programs,
        shapes: counts.shapes,
        conflicts: counts.conflicts,
        without_answer: counts.unknown,
        cpu_seconds: cpu,
        left: rest.filter(|_| *end == ProvingEnd::Open).map(|RestEstimate { dives, nodes, shapes }| ProofLeftView {
            dives,
            nodes,
            shapes,
            cpu_seconds: nodes * each,
        }),
        grids: u32::from(matches!(end, ProvingEnd::Grid(_))),
    }
}

impl From<ProvingError> for CannotRun {
    fn from(error: ProvingError) -> CannotRun {
        let why = error.to_string();
        match error {
            ProvingError::File(_) | ProvingError::Locked(_) | ProvingError::Listener(_) => CannotRun::Refused(why),
            ProvingError::Damaged { .. }
            | ProvingError::Misfit(ProofMisfit::Steps(_))
            | ProvingError::Disk { .. } => CannotRun::Quarantined(why),
            ProvingError::Other { .. } => CannotRun::Foreign(why),
            ProvingError::Misfit(ProofMisfit::Illegal(_)) | ProvingError::Failed(_) | ProvingError::NoWorkers => {
                CannotRun::Failed(why)
            }
        }
    }
}

/// The record of a unit that is done.
fn unit_record(nodes: u64) -> UnitRecord {
    UnitRecord { attempts: 1, end: Some(End::Finished), iterations: nodes, best: 0, error: None, quarantined: false }
}

/// Reports to the daemon what happens in a session of a proof.
struct ProveObserver<'a> {
    reporter: JobReporter<'a>,
    job: &'a ProveJob,
    course: Vec<ProofPoint>,
    path: PathBuf,
    /// The grid that was found is in the store.
    put: bool,
}

impl ProveObserver<'_> {
    /// Puts the grid that was found into the store, as that of the job.
    fn put_grid(&mut self, moves: &[Move], seconds: f64) {
        let JobReporter { daemon, id, .. } = self.reporter;
        let grid = Grid::new(self.job.variant, moves.to_vec());
        let source = GridSource { job: Some(id), unit: None, time: now(), seconds: Some(seconds) };
        // The proof has had the referee check it.
        let Ok(mut record) = GridRecord::new(&grid, source, &daemon.catalogue) else { return };
        let _ = daemon.store.settle_key(&mut record);
        let (key, score, known) = (record.key, record.score, record.record.clone());
        let change = Change::Grid(Box::new(record));
        let mut core = daemon.lock();
        if let Some(open) = core.open(id) {
            open.record.summary.best = Some(score);
            open.record.best_grid = Some(key);
            daemon.store.later(vec![change, Change::Job(id, open.record.bytes())]);
        }
        drop(core);
        let long = daemon.catalogue.shortest(self.job.variant).is_some_and(|shortest| score as usize >= shortest);
        let new = long && known.is_none();
        daemon.publish(Some(id), EventKind::Best { score, grid: key_text(key), record: known, new, seconds });
    }

    fn note(&mut self, now: &ProveStanding) {
        let ProvingProgress { counts, closed, open, .. } = now.proof;
        let seconds = (now.progress.seconds * 1000.0).round() / 1000.0;
        let point = ProofPoint { seconds, closed, units_open: open, nodes: counts.nodes, shapes: counts.shapes };
        if self.course.last() != Some(&point) {
            self.course.push(point);
        }
        if self.course.len() > MOST {
            let last = self.course.len() - 1;
            let mut at = 0;
            self.course.retain(|_| {
                at += 1;
                at == 1 || at % 2 == 1 || at == last + 1
            });
        }
    }
}

impl ProveListener for ProveObserver<'_> {
    fn began(&mut self, lane: LaneId) {
        self.reporter.began(lane);
    }

    fn ended(&mut self, unit: u64, nodes: u64, efforts: &Efforts) {
        self.reporter.unit_credited(unit, unit_record(nodes), UnitKind::Prove, slice::from_ref(efforts));
    }

    fn failed(&mut self, failure: &FailedAttempt) {
        let FailedAttempt { unit, attempts, error, quarantined } = failure;
        self.reporter.unit_failed(*unit, *attempts, error, *quarantined);
    }

    fn progress(&mut self, now: &ProveStanding) -> io::Result<()> {
        if let ProvingEnd::Grid(moves) = &now.end
            && !std::mem::replace(&mut self.put, true)
        {
            self.put_grid(moves, now.progress.seconds);
        }
        let proof = Some(view(self.job, &now.proof, now.rest, &now.end));
        self.reporter.standing(JobStanding { progress: now.progress.clone(), proof, ..JobStanding::default() });
        Ok(())
    }

    fn may_save(&self) -> bool {
        self.reporter.may_save()
    }

    fn saving(&mut self, now: &ProveStanding) -> io::Result<()> {
        self.note(now);
        let written = ProofStatisticsView { course: self.course.clone() };
        let bytes = serde_json::to_vec(&written).map_err(io::Error::other)?;
        replace(&self.path, &bytes, Keep::Brief).map_err(io::Error::other)?;
        self.reporter.saving()
    }
}
