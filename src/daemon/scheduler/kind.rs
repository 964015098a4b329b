//! What the scheduler has to know of a kind of job. A new kind is an `impl` of [`JobKind`] in a file of its own, a
//! variant of [`JobWork`], and a line in [`kind`].

use super::memory::JobMemory;
use super::reporter::JobReporter;
use crate::daemon::folder::{FolderContent, FolderError};
use crate::daemon::kinds::JobWork;
use crate::daemon::memory::MemoryNeed;
use crate::daemon::service::Refusal;
use crate::daemon::view::{
    AnalyseView, AnalysedPositionView, AnsweredQuestionView, CheckView, JobId, JobLimits, MatchGameView, MatchView,
    MineView, PlanView, ProofView, SelfplayView, SolutionView, StatisticsView, TacticsView, TuneView,
};
use crate::jobs::ending::JobEnd;
use crate::morpion::variant::Variant;
use crate::queue::Terms;
use crate::runner::SessionLimits;
use crate::runner::orders::OrderReceiver;
use crate::store::StoreError;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The kind of a job.
pub fn kind(work: &JobWork) -> &dyn JobKind {
    match work {
        JobWork::Hunt(job) => job,
        JobWork::Solve(job) => job,
        JobWork::Prove(job) => job,
        JobWork::Match(job) => job,
        JobWork::Selfplay(job) => job,
        JobWork::Analyse(job) => job,
        JobWork::Tune(job) => job,
        JobWork::Tactics(job) => job,
        JobWork::Mine(job) => job,
        JobWork::Plan(job) => job,
        JobWork::Check(job) => job,
    }
}

/// A kind of job.
pub trait JobKind {
    /// What is known of the job before it begins.
    ///
    /// # Errors
    /// If it cannot begin: why.
    fn facts(&self) -> Result<JobFacts, String>;

    /// What the folder holds, as far as this job is concerned. Nothing is changed.
    ///
    /// # Errors
    /// If it cannot be read.
    fn content(&self, folder: &Path) -> Result<FolderContent, CannotRun>;

    /// The memory that it needs on a daemon with so many workers, as far as is known before it begins.
    fn memory(&self, workers: u32, limits: &JobLimits) -> MemoryNeed;

    /// Runs the job in its folder until it is over or is ordered to stop.
    ///
    /// # Errors
    /// If it cannot continue.
    fn run(&self, context: RunContext<'_>) -> Result<CoordinatorEnd, CannotRun>;

    /// The course of the job, from the files in its folder: as of the last checkpoint.
    ///
    /// # Errors
    /// If they cannot be read.
    fn statistics(&self, job: JobId, folder: &Path) -> Result<StatisticsView, String>;

    /// The results of the job's units, from this number on, at most so many.
    ///
    /// # Errors
    /// If they cannot be read.
    fn results(&self, _folder: &Path, _from: u64, _most: usize) -> Result<JobResults, String> {
        Ok(JobResults::Others)
    }

    /// A file that is the result of the job.
    ///
    /// # Errors
    /// If it cannot be read.
    fn file(&self, _folder: &Path, _which: JobFile) -> Result<FoundFile, String> {
        Ok(FoundFile::OtherKind)
    }
}

/// Results of the units of a job, ascending by number.
pub enum JobResults {
    /// None that are listed.
    Others,
    /// Games that were played.
    Games(Vec<MatchGameView>),
    /// Positions that were analysed.
    Analyses(Vec<AnalysedPositionView>),
    /// Tactical questions that were answered.
    Answers(Vec<AnsweredQuestionView>),
}

/// A file that is the result of a kind of job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobFile {
    /// Weights that are learned.
    Weights,
    /// Patterns that are mined.
    Patterns,
    /// A plan that is found.
    Plan,
}

impl JobFile {
    /// What is in it, and what a job does that makes it, with its participle.
    pub fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            JobFile::Weights => ("weights", "learns", "learned"),
            JobFile::Patterns => ("patterns", "mines", "mined"),
            JobFile::Plan => ("plan", "finds", "found"),
        }
    }
}

/// A file that was looked for.
pub enum FoundFile {
    /// The job makes no such file.
    OtherKind,
    /// The job has not made it.
    Missing,
    /// What is in it.
    File(Vec<u8>),
}

impl FoundFile {
    /// The file at this path, if there is one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(path: &Path) -> Result<FoundFile, String> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(FoundFile::File(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(FoundFile::Missing),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// What is known of a job before it begins.
#[derive(Debug, Default)]
pub struct JobFacts {
    /// Variant of a hunt.
    pub variant: Option<Variant>,
    /// Seed of its random numbers.
    pub seed: Option<u64>,
    /// The question of a solver job.
    pub solution: Option<SolutionView>,
    /// What a proof is about.
    pub proof: Option<ProofView>,
    /// The players and the game of a match.
    pub matched: Option<MatchView>,
    /// The game of games of a player against itself.
    pub selfplay: Option<SelfplayView>,
    /// The positions of an analysis.
    pub analyse: Option<AnalyseView>,
    /// The games that weights are learned from.
    pub tune: Option<TuneView>,
    /// Tactical questions that are answered.
    pub tactics: Option<TacticsView>,
    /// The games that patterns are mined from.
    pub mine: Option<MineView>,
    /// The position whose plan is looked for.
    pub plan: Option<PlanView>,
    /// The plan that is checked.
    pub check: Option<CheckView>,
}

/// What a coordinator works with.
pub struct RunContext<'a> {
    /// Where it reports.
    pub reporter: JobReporter<'a>,
    /// Where it receives orders.
    pub ordered: &'a OrderReceiver,
    /// What the job may use.
    pub limits: SessionLimits,
    /// How the job shares the workers.
    pub terms: Terms,
    /// Number of units that were quarantined in earlier sessions.
    pub quarantined: u64,
    /// The part of the daemon's memory that it was granted.
    pub memory: Arc<JobMemory>,
}

/// How a coordinator ended.
pub enum CoordinatorEnd {
    /// The job is over.
    Finished(JobEnd),
    /// The job can continue.
    Stopped,
    /// The job can continue when the disk allows it.
    Refused(String),
    /// The job failed.
    Failed(String),
    /// The job can continue when there is memory for it.
    Waits(String),
    /// The job is set apart until somebody resumes it.
    Quarantined(String),
}

impl From<Option<JobEnd>> for CoordinatorEnd {
    /// A session that came to no end of its job can continue.
    fn from(end: Option<JobEnd>) -> CoordinatorEnd {
        end.map_or(CoordinatorEnd::Stopped, CoordinatorEnd::Finished)
    }
}

/// Why a job cannot run.
pub enum CannotRun {
    /// The disk or the system refuses for now.
    Refused(String),
    /// The job has failed.
    Failed(String),
    /// Its folder belongs to another job.
    Foreign(String),
    /// There is no memory for it at present.
    Waits(String),
    /// It is set apart until somebody has mended what is wrong, and resumes it.
    Quarantined(String),
}

impl From<FolderError> for CannotRun {
    fn from(error: FolderError) -> CannotRun {
        match error {
            FolderError::File(_) => CannotRun::Refused(error.to_string()),
            FolderError::Another { .. } => CannotRun::Foreign(error.to_string()),
            FolderError::Newer { .. } => CannotRun::Quarantined(error.to_string()),
        }
    }
}

impl From<CannotRun> for Refusal {
    fn from(why: CannotRun) -> Refusal {
        match why {
            CannotRun::Refused(why) | CannotRun::Waits(why) => Refusal::Unavailable(why),
            CannotRun::Failed(why) | CannotRun::Foreign(why) | CannotRun::Quarantined(why) => Refusal::Conflict(why),
        }
    }
}

impl From<StoreError> for CannotRun {
    fn from(error: StoreError) -> CannotRun {
        CannotRun::Refused(error.to_string())
    }
}
