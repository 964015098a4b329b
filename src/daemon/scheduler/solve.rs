//! Solver jobs as the scheduler runs them.

use super::kind::{CannotRun, CoordinatorEnd, JobFacts, JobKind, RunContext};
use super::memory::JobMemory;
use super::reporter::JobReporter;
use crate::core::search::End;
use crate::daemon::folder::FolderContent;
use crate::daemon::memory::MemoryNeed;
use crate::daemon::records::JobStanding;
use crate::daemon::solutions::{BoundsCourse, credit, view};
use crate::daemon::view::{EventKind, JobId, JobLimits, SolutionStatisticsView, StatisticsView};
use crate::files::{Keep, replace};
use crate::jobs::solve::{SolveJob, Visitor};
use crate::jobs::tree::coordinator::Coordinator;
use crate::jobs::tree::credit::{Spent, WorkerId};
use crate::jobs::tree::record::{TreeEvent, TreeRecord};
use crate::jobs::tree::state::TreeState;
use crate::jobs::tree::unit::{UnitId, UnitOutcome};
use crate::queue::LaneId;
use crate::queue::any::TypedQueue;
use crate::runner::directory::Contents;
use crate::runner::engine::Plan;
use crate::runner::orders::Interrupt;
use crate::runner::progress::Progress;
use crate::runner::tree::exchange::RecordExchange;
use crate::runner::tree::file::{self, OpenedTree};
use crate::runner::tree::solver::{ByEngine, SharedTable, Solver};
use crate::runner::tree::store::database::CACHE;
use crate::runner::tree::store::{TreeStore, TreeStoreError};
use crate::runner::tree::{CreditedSolver, Elsewhere, EndedSearch, SolveListener, SolveSession, TreeError};
use crate::runner::{Clocking, WorkerShare};
use crate::solvers::solvable::Solvable;
use crate::store::UnitRecord;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the file in the job's folder with the course and the credit for the API. The state of the job is
/// elsewhere.
const STATISTICS: &str = "statistics.json";

/// Bytes of memory of a solution without its tables and its tree: mostly pages of its file.
const SOLUTION: u64 = CACHE as u64;

/// Bytes of one solver. In addition to its table, an engine takes up to a quarter of the table's size.
fn memory_each(job: &SolveJob) -> u64 {
    job.memory.saturating_add(job.memory / 4)
}

/// Least number of solvers. With a quorum there is one more, to decide if two differ.
fn members(job: &SolveJob) -> usize {
    let quorum = job.settings.quorum as usize;
    if quorum > 1 { quorum + 1 } else { 1 }
}

impl JobKind for SolveJob {
    fn facts(&self) -> Result<JobFacts, String> {
        struct FactsVisitor<'a>(&'a SolveJob);
        impl Visitor for FactsVisitor<'_> {
            type Out = Result<JobFacts, String>;
            fn visit<G: Solvable>(self, root: G) -> Self::Out {
                let FactsVisitor(job) = self;
                let state = job.begin(root.clone()).map_err(|error| error.to_string())?;
                let solution = Some(view(job, &root, &state, &Progress::default()));
                Ok(JobFacts { seed: Some(job.settings.seed), solution, ..JobFacts::default() })
            }
        }
        self.visit(FactsVisitor(self))
    }

    fn content(&self, folder: &Path) -> Result<FolderContent, CannotRun> {
        struct IdentityVisitor<'a>(&'a SolveJob);
        impl Visitor for IdentityVisitor<'_> {
            type Out = String;
            fn visit<G: Solvable>(self, root: G) -> Self::Out {
                self.0.identity(&root.text())
            }
        }
        let path = match file::find(folder, self.store) {
            Err(TreeError::OtherStore { stored, .. }) => {
                return Ok(FolderContent::Other(format!("a solution in the store {stored}")));
            }
            found => found?,
        };
        let Some(path) = path else {
            return Ok(match Contents::of(folder).map_err(|error| CannotRun::Refused(error.to_string()))? {
                Contents::Nothing => FolderContent::Nothing,
                Contents::Others(name) if file::is_part(&name) || name == STATISTICS => FolderContent::Nothing,
                Contents::Others(name) => FolderContent::Other(format!("it holds {name}")),
                Contents::Hunt => FolderContent::Other("a hunt".to_owned()),
            });
        };
        let stored = TreeStore::checkpoint_of(self.store, &path).map_err(TreeError::from)?;
        let identity = self.visit(IdentityVisitor(self));
        let same = stored.job == identity && stored.parts.meta.settings == self.settings;
        Ok(if same { FolderContent::OfJob } else { FolderContent::Other(format!("a solution: {}", stored.job)) })
    }

    fn memory(&self, workers: u32, limits: &JobLimits) -> MemoryNeed {
        let workers = limits.workers.map_or(workers, |most| most.clamp(1, workers));
        let each = memory_each(self);
        let wanted = SOLUTION + each.saturating_mul(u64::from(workers).max(members(self) as u64));
        let least = SOLUTION + each.saturating_mul(u64::from(self.settings.quorum));
        MemoryNeed { least, wanted: limits.memory.map_or(wanted, |most| wanted.min(SOLUTION + most)).max(least) }
    }

    fn run(&self, context: RunContext<'_>) -> Result<CoordinatorEnd, CannotRun> {
        struct RunVisitor<'a>(&'a SolveJob, RunContext<'a>);
        impl Visitor for RunVisitor<'_> {
            type Out = Result<CoordinatorEnd, CannotRun>;
            fn visit<G: Solvable>(self, root: G) -> Self::Out {
                run(self.0, self.1, root)
            }
        }
        self.visit(RunVisitor(self, context))
    }

    fn statistics(&self, job: JobId, folder: &Path) -> Result<StatisticsView, String> {
        let solution = read(&folder.join(STATISTICS)).map_err(|error| error.to_string())?;
        Ok(StatisticsView { solution: Some(solution.unwrap_or_default()), ..StatisticsView::of(job) })
    }
}

/// The course and the credit as last written; `None` if the file is missing or cannot be read by this version.
fn read(path: &Path) -> io::Result<Option<SolutionStatisticsView>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn run<G: Solvable>(job: &SolveJob, context: RunContext<'_>, root: G) -> Result<CoordinatorEnd, CannotRun> {
    let RunContext { reporter, ordered, limits, terms, quarantined: _, memory: share } = context;
    let (daemon, id) = (reporter.daemon, reporter.id);
    let folder = daemon.directory.job(id);
    let plan = Plan::new(&job.choice, 1).map_err(|error| CannotRun::Failed(error.to_string()))?;
    let OpenedTree { state, mut store, since, searches, seconds, notice } =
        file::open(&folder, job.store, &job.identity(&root.text()), root.clone(), job.settings.clone())?;
    if let Some(text) = notice {
        daemon.publish(Some(id), EventKind::Notice { text });
    }
    for record in since.iter().flat_map(TreeRecord::settled) {
        if let &TreeRecord::Settled { unit, outcome, spent, .. } = record
            && let Some(record) = record_of(outcome, spent)
        {
            reporter.catch_up(unit, record)?;
        }
    }
    reporter.forget_claims(|unit| state.units().contains_key(&unit))?;
    let path = folder.join(STATISTICS);
    let course = read(&path).ok().flatten().unwrap_or_default().course;
    let distrusted = (0..).zip(state.workers()).filter(|(_, worker)| worker.distrusted).map(|(id, _)| id).collect();
    let (course, share_of_job) = (BoundsCourse::new(course), Arc::clone(&share));
    let mut observer = SolveObserver { reporter, job, root, course, path, share: share_of_job, distrusted };
    let tables = SharedTable::new(job.memory, 0, &job.settings);
    let factory = |place: usize| {
        tables.add_solver();
        let tables = Arc::clone(&tables);
        CreditedSolver {
            user: job.user.clone(),
            name: (place + 1).to_string(),
            factory: Box::new(move || Ok(Box::new(ByEngine::new(plan, tables.table()?)) as Box<dyn Solver<G>>)),
        }
    };
    let mut coordinator = Coordinator::new(state).growing_to(job.initial_depth);
    share.set_grown(coordinator.state().memory());
    let session = SolveSession {
        coordinator: &mut coordinator,
        store: Some(&mut store),
        searches,
        factory: &factory,
        members: members(job),
        memory_each: memory_each(job),
        tables: share.granted().saturating_sub(SOLUTION),
        limits,
        before: seconds,
        pace: daemon.pace,
        trap: daemon.trap.as_ref().map(Arc::clone),
        elsewhere: serde_json::to_string(job)
            .ok()
            .map(|text| Elsewhere { job: text.into(), exchange: RecordExchange::new(Arc::clone(&tables)) }),
    };
    let queue = Arc::new(TypedQueue(Arc::clone(&daemon.queue) as _));
    let place = WorkerShare { queue, terms, clocking: Clocking::Busy };
    let ending = session.run_on(&place, &Interrupt::default(), ordered, &mut observer)?;
    Ok(ending.job_end().into())
}

impl From<TreeError> for CannotRun {
    fn from(error: TreeError) -> CannotRun {
        // Above its limits it can go on with larger ones.
        let to_be_mended = matches!(
            error,
            TreeError::Store(
                TreeStoreError::Damaged { .. } | TreeStoreError::Newer { .. } | TreeStoreError::NotBuilt(_)
            ) | TreeError::OtherStore { .. }
                | TreeError::Misfit(_)
                | TreeError::Disk { .. }
                | TreeError::Memory { .. }
        );
        if to_be_mended {
            return CannotRun::Quarantined(error.to_string());
        }
        let of_the_disk = matches!(
            error,
            TreeError::Store(TreeStoreError::File { .. } | TreeStoreError::Locked(_))
                | TreeError::Directory { .. }
                | TreeError::Observer(_)
                | TreeError::Thread(_)
        );
        if of_the_disk { CannotRun::Refused(error.to_string()) } else { CannotRun::Failed(error.to_string()) }
    }
}

/// The record of a unit with this outcome; `None` if the unit is still open.
fn record_of(outcome: UnitOutcome, spent: Spent) -> Option<UnitRecord> {
    let end = match outcome {
        UnitOutcome::Answered { .. } => End::Finished,
        UnitOutcome::Exhausted => End::IterationLimit,
        UnitOutcome::Stopped | UnitOutcome::Failed => return None,
    };
    Some(UnitRecord {
        attempts: 1,
        end: Some(end),
        iterations: spent.nodes,
        best: 0,
        error: None,
        quarantined: false,
    })
}

/// Reports to the daemon what happens in a session of a solver job.
struct SolveObserver<'a, G> {
    reporter: JobReporter<'a>,
    job: &'a SolveJob,
    root: G,
    course: BoundsCourse,
    path: PathBuf,
    share: Arc<JobMemory>,
    /// Workers that are not trusted: what they still say gives no claim.
    distrusted: BTreeSet<WorkerId>,
}

impl<G: Solvable> SolveObserver<'_, G> {
    /// What the job reports of itself.
    fn of_job(&self, state: &TreeState<G>, progress: &Progress) -> JobStanding {
        let solution = Some(view(self.job, &self.root, state, progress));
        JobStanding { progress: progress.clone(), solution, ..JobStanding::default() }
    }
}

impl<G: Solvable> SolveListener<G> for SolveObserver<'_, G> {
    fn began(&mut self, lane: LaneId) {
        self.reporter.began(lane);
    }

    fn event(&mut self, state: &TreeState<G>, event: &TreeEvent, seconds: f64) -> io::Result<()> {
        let what = match *event {
            TreeEvent::Closer(_) => {
                let point = self.course.closer::<G>(state, seconds);
                let settled = state.is_finished();
                let (lower, upper, nodes) = (point.lower, point.upper, point.nodes);
                EventKind::Bounds { lower, upper, settled, nodes, seconds }
            }
            TreeEvent::Distrusted { worker } => {
                self.distrusted.insert(worker);
                self.reporter.refuse_claims(None, worker);
                let worker = state.workers().get(worker as usize);
                EventKind::Distrusted { worker: worker.map_or(String::new(), |w| format!("{}/{}", w.user, w.name)) }
            }
            TreeEvent::Closed { unit } => {
                let record = UnitRecord {
                    attempts: 1,
                    end: Some(End::Stopped),
                    iterations: 0,
                    best: 0,
                    error: None,
                    quarantined: false,
                };
                self.reporter.unit_ended(unit, record);
                self.reporter.grant_claims(unit);
                return Ok(());
            }
            TreeEvent::Absorbed { unit, .. } => {
                self.reporter.grant_claims(unit);
                return Ok(());
            }
            TreeEvent::Refused { unit, worker } => {
                self.reporter.refuse_claims(Some(unit), worker);
                return Ok(());
            }
            _ => return Ok(()),
        };
        self.reporter.daemon.publish(Some(self.reporter.id), what);
        Ok(())
    }

    fn ended(&mut self, ended: &EndedSearch) {
        let Some(record) = record_of(ended.outcome, ended.spent) else { return };
        if self.distrusted.contains(&ended.worker) {
            self.reporter.unit_ended(ended.unit, record);
        } else {
            self.reporter.unit_claimed(ended.unit, record, ended.worker, &ended.efforts);
        }
    }

    fn failed(&mut self, unit: UnitId, error: &str) {
        let attempts = self.reporter.live().failures.get(&unit).copied().unwrap_or(0) + 1;
        self.reporter.unit_failed(unit, attempts, error, false);
    }

    fn progress(&mut self, state: &TreeState<G>, progress: &Progress) -> io::Result<()> {
        let standing = self.of_job(state, progress);
        self.reporter.tell_waiting();
        self.share.set_grown(state.memory());
        self.reporter.standing(standing);
        Ok(())
    }

    fn may_save(&self) -> bool {
        self.reporter.may_save()
    }

    fn saving(&mut self, state: &TreeState<G>, progress: &Progress) -> io::Result<()> {
        self.course.note::<G>(state, progress);
        let written = SolutionStatisticsView { course: self.course.points(), ..credit(state.workers()) };
        let bytes = serde_json::to_vec(&written).map_err(io::Error::other)?;
        replace(&self.path, &bytes, Keep::Brief).map_err(io::Error::other)?;
        self.reporter.saving()
    }
}
