//! Solves by units: a queue's workers and files around the coordinator of [`crate::jobs::tree`].
//!
//! The calling thread hands units to the solvers and absorbs their outcomes ([`SolveSession`]). A unit is in a file
//! before it is put into the queue. An outcome is in a file before it is reported and before another unit is handed
//! out. So a crash loses what was searched of running units since their last states, and nothing else. The file is
//! flushed to the device once a second, so a power cut loses what ended since, too.
//!
//! [`solver`] is what searches, [`mod@unit`] how a worker of the queue has it search, [`exchange`] what solvers of
//! several machines tell each other, [`store`] the file of a solution, [`searches`] the one with the states of
//! searches, and [`mod@file`] how they are begun or opened in their directory.

pub mod exchange;
pub mod file;
pub mod journal;
pub mod searches;
mod session;
pub mod solver;
pub mod store;
pub mod unit;

use super::contract::{Clocking, SessionLimits, Trap, WorkerShare};
use super::events::StopReason;
use super::orders::{Interrupt, orders};
use super::progress::Progress;
use crate::core::game::Game;
use crate::core::quantity::mebibytes;
use crate::files::FileError;
use crate::jobs::ending::JobEnd;
use crate::jobs::tree::coordinator::Coordinator;
use crate::jobs::tree::credit::{Spent, WorkerId};
use crate::jobs::tree::record::{Misfit, TreeEvent};
use crate::jobs::tree::settings::SettingsError;
use crate::jobs::tree::state::TreeState;
use crate::jobs::tree::unit::{UnitId, UnitOutcome};
use crate::queue::effort::Efforts;
use crate::queue::local::{Local, LocalOptions, SpawnError};
use crate::queue::{LaneId, Terms};
use crate::runner::tree::exchange::RecordExchange;
use crate::runner::tree::searches::SearchStates;
use crate::runner::tree::store::{TreeStore, TreeStoreError};
use crate::solvers::table::TableError;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use unit::SolverFactory;

/// Time between two checkpoints, if nothing else is said.
pub const CHECKPOINT: Duration = Duration::from_secs(10);

/// Why a solution by units came to a bad end.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// The state cannot be read or written.
    #[error(transparent)]
    Store(#[from] TreeStoreError),
    /// The states of searches cannot be written.
    #[error(transparent)]
    Searches(#[from] FileError),
    /// The settings make no sense.
    #[error(transparent)]
    TreeSettings(#[from] SettingsError),
    /// The state does not go together.
    #[error("the state of the solution contradicts itself: {0}")]
    Misfit(#[from] Misfit),
    /// The file holds the solution of something else.
    #[error(
        "{} holds another solution, of {stored}, and not of {asked}: give the options that it was begun with, \
         or another directory", path.display()
    )]
    Other {
        /// Path of the solution's file.
        path: PathBuf,
        /// What it holds.
        stored: String,
        /// What was asked for.
        asked: String,
    },
    /// The directory has the file of a solution in another database.
    #[error(
        "{} holds a solution in the store {stored}, and not {asked}: give the store {stored}, or another directory",
        path.display()
    )]
    OtherStore {
        /// Path of the solution's file.
        path: PathBuf,
        /// Name of its store.
        stored: String,
        /// Name of the store that was asked for.
        asked: String,
    },
    /// The directory cannot be made.
    #[error("cannot make {}: {source}", path.display())]
    Directory {
        /// Path of the directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Units are left that no worker may answer.
    #[error(
        "no worker is left for the units that are open: {trusted} of {workers} workers are trusted, \
         and where they do not agree another is needed"
    )]
    Stuck {
        /// Workers that are trusted.
        trusted: usize,
        /// Workers in all, trusted or not.
        workers: usize,
    },
    /// The tables of as many workers as are needed, and the tree, take more memory than the solution may.
    #[error(
        "the tree and its tables take {} of memory at least, and the limit is {}: give it more (limits.memory)",
        mebibytes(*needed), mebibytes(*limit)
    )]
    Memory {
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that they may take.
        limit: u64,
    },
    /// Its files have grown beyond the limit.
    #[error("its files take {taken} bytes of disk, and the limit is {limit}: give it more (limits.disk, --job-disk)")]
    Disk {
        /// Bytes of the files.
        taken: u64,
        /// Bytes that they may take.
        limit: u64,
    },
    /// There is no memory for a table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread could not be started.
    #[error("cannot start a worker: {0}")]
    Thread(io::Error),
    /// A worker of the queue could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// All workers have gone.
    #[error("all worker threads have gone (a defect of this program)")]
    NoWorkers,
    /// The observer could not pass something on.
    #[error("cannot pass on what happened: {0}")]
    Observer(#[source] io::Error),
}

/// A solver, and who gets the credit for its work.
pub struct CreditedSolver<G> {
    /// Who gets its credit.
    pub user: String,
    /// Its name among the user's.
    pub name: String,
    /// Makes the solver.
    pub factory: SolverFactory<G>,
}

/// Receives what happens; its errors stop the session.
pub trait SolveListener<G> {
    /// The session hands out units from now on, into this lane of the queue.
    fn began(&mut self, _lane: LaneId) {}

    /// Something happened.
    ///
    /// # Errors
    /// If it cannot be passed on.
    fn event(&mut self, state: &TreeState<G>, event: &TreeEvent, seconds: f64) -> io::Result<()>;

    /// A solver ended with a unit.
    fn ended(&mut self, _ended: &EndedSearch) {}

    /// A solver failed on a unit.
    fn failed(&mut self, _unit: UnitId, _error: &str) {}

    /// The progress, a few times per second.
    ///
    /// # Errors
    /// If it cannot be shown.
    fn progress(&mut self, _state: &TreeState<G>, _progress: &Progress) -> io::Result<()> {
        Ok(())
    }

    /// Whether a checkpoint may be written now. One that is not urgent is put off until it may.
    fn may_save(&self) -> bool {
        true
    }

    /// A checkpoint is about to be written: what was reported until now will not be reported again after a crash.
    ///
    /// # Errors
    /// If what was reported is not yet safe; the checkpoint is not written then.
    fn saving(&mut self, _state: &TreeState<G>, _progress: &Progress) -> io::Result<()> {
        Ok(())
    }
}

/// How a solver ended with a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedSearch {
    /// Number of the unit.
    pub unit: UnitId,
    /// The solver that had it.
    pub worker: WorkerId,
    /// What came of it.
    pub outcome: UnitOutcome,
    /// What it took, as claimed.
    pub spent: Spent,
    /// Whose work it is.
    pub efforts: Efforts,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SolveEnding {
    /// The question is answered.
    Solved,
    /// The solution can continue.
    Stopped(StopReason),
}

impl SolveEnding {
    /// The end of the job, if it is not to be resumed.
    pub fn job_end(self) -> Option<JobEnd> {
        match self {
            SolveEnding::Solved => Some(JobEnd::Solved),
            SolveEnding::Stopped(stopped) => stopped.job_end(),
        }
    }
}

/// One run of the program on one solution.
pub struct SolveSession<'a, G> {
    /// The coordinator of the solution.
    pub coordinator: &'a mut Coordinator<G>,
    /// Its file, if there is one.
    pub store: Option<&'a mut TreeStore>,
    /// States of searches that were interrupted.
    pub searches: SearchStates,
    /// Makes the solvers, by their numbers from 0.
    pub factory: &'a dyn Fn(usize) -> CreditedSolver<G>,
    /// Least number of solvers, however few workers there are: a quorum needs several.
    pub members: usize,
    /// Bytes that one solver takes.
    pub memory_each: u64,
    /// Most bytes of all solvers. The tree does not count.
    pub tables: u64,
    /// What it may use.
    pub limits: SessionLimits,
    /// Seconds that the sessions before have run.
    pub before: f64,
    /// Time from one checkpoint to the next.
    pub pace: Duration,
    /// Told of each attempt at a unit: for tests.
    pub trap: Option<Trap>,
    /// If workers on other machines may have units: what these take.
    pub elsewhere: Option<Elsewhere>,
}

/// What units take with them to other machines.
#[derive(Debug, Clone)]
pub struct Elsewhere {
    /// The job as JSON.
    pub job: Arc<str>,
    /// What the machines tell each other, unless each unit stands alone.
    pub exchange: Option<Arc<RecordExchange>>,
}

/// Works with `workers` workers of its own, a solver for each, until the question is answered, or the
/// interrupt asked. `files`, if there are any, hold the coordinator's state, and states of searches.
///
/// # Errors
/// A file that cannot be written, or workers that nobody trusts.
pub fn solve_by_units<G: Game + Send + Sync + 'static>(
    coordinator: &mut Coordinator<G>,
    files: Option<(&mut TreeStore, SearchStates)>,
    workers: u32,
    factory: &dyn Fn(usize) -> CreditedSolver<G>,
    interrupt: &Interrupt,
    observer: &mut dyn SolveListener<G>,
) -> Result<SolveEnding, TreeError> {
    let queue = Arc::new(Local::new(workers, LocalOptions::default())?);
    let place = WorkerShare { queue, terms: Terms::default(), clocking: Clocking::Wall };
    let (_orders, ordered) = orders();
    let (store, searches) = files.unzip();
    let session = SolveSession {
        coordinator,
        store,
        searches: searches.unwrap_or_default(),
        factory,
        members: 1,
        memory_each: 0,
        tables: u64::MAX,
        limits: SessionLimits::default(),
        before: 0.0,
        pace: CHECKPOINT,
        trap: None,
        elsewhere: None,
    };
    session.run_on(&place, interrupt, &ordered, observer)
}
