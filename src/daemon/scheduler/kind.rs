//! What the scheduler has to know of a kind of job. A new one is an `impl` of [`JobKind`] in a file of its own, a variant of
//! [`JobWork`], and a line below.

use super::active::{CoordinatorEnd, JobReporter};
use crate::daemon::kinds::JobWork;
use crate::daemon::view::{JobId, SolutionView, StatisticsView};
use crate::morpion::variant::Variant;
use crate::queue::Terms;
use crate::runner::SessionLimits;
use crate::runner::orders::OrderReceiver;
use crate::store::StoreError;
use std::path::Path;

/// The kind of what a job runs.
pub fn kind(work: &JobWork) -> &dyn JobKind {
    match work {
        JobWork::Hunt(job) => job,
        JobWork::Solve(job) => job,
    }
}

/// A kind of job.
pub trait JobKind {
    /// What is known of the job before it begins.
    ///
    /// # Errors
    /// If it cannot be begun: why.
    fn facts(&self) -> Result<JobFacts, String>;

    /// Runs it in its folder until it is over or told to stop.
    ///
    /// # Errors
    /// If it cannot go on.
    fn run(&self, context: RunContext<'_>) -> Result<CoordinatorEnd, CannotRun>;

    /// Its course, from the files in its folder: as of the last checkpoint.
    ///
    /// # Errors
    /// If they cannot be read.
    fn statistics(&self, job: JobId, folder: &Path) -> Result<StatisticsView, String>;
}

/// What is known of a job before it begins.
#[derive(Debug, Default)]
pub struct JobFacts {
    /// Variant, if it is about one.
    pub variant: Option<Variant>,
    /// Seed of its random numbers.
    pub seed: Option<u64>,
    /// What is asked, of a solver job.
    pub solution: Option<SolutionView>,
}

/// What a coordinator works with.
pub struct RunContext<'a> {
    /// Where it tells what happens.
    pub reporter: JobReporter<'a>,
    /// Where its orders come out.
    pub ordered: &'a OrderReceiver,
    /// What it may use.
    pub limits: SessionLimits,
    /// On which terms it shares the workers.
    pub terms: Terms,
    /// Units set aside in earlier sessions.
    pub poisoned: u64,
}

/// Why a job does not run.
pub enum CannotRun {
    /// The disk, or the system, may let it go on later.
    Refused(String),
    /// It has failed.
    Failed(String),
}

impl From<StoreError> for CannotRun {
    fn from(error: StoreError) -> CannotRun {
        CannotRun::Refused(error.to_string())
    }
}
