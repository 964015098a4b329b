//! Why a hunt could not run, or came to a bad end.

use super::archive::ArchiveError;
use super::best::BestError;
use super::directory::HuntDirectoryError;
use super::state::StateFileError;
use crate::core::search::RestoreError;
use crate::files::FileError;
use crate::jobs::hunt::{JobError, StateError};
pub use crate::jobs::hunt_settings::MAX_THREADS;
use crate::notation::format::GridReadError;
use crate::queue::local::SpawnError;
use std::io;
use std::path::PathBuf;

/// More workers than this are taken for a slip.
pub const MAX_WORKERS: u32 = MAX_THREADS - 1;

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
    /// A best grid could not be written.
    #[error(transparent)]
    Best(#[from] BestError),
    /// The archive cannot be read or written.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The known records cannot be read.
    #[error("the built-in records: {0}")]
    Records(#[from] GridReadError),
    /// The job is not valid.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The saved state does not fit the job.
    #[error("{}: {source}", path.display())]
    State {
        /// Path of the hunt's directory.
        path: PathBuf,
        /// What is wrong.
        source: StateError,
    },
    /// The saved state of a search cannot be restored.
    #[error("{}: unit {unit}: {source}", path.display())]
    Search {
        /// Path of the hunt's directory.
        path: PathBuf,
        /// Number of the unit.
        unit: u64,
        /// What is wrong.
        source: RestoreError,
    },
    /// The number of workers is too small or too large.
    #[error("{0} workers: at least 1 is needed, and at most {MAX_WORKERS}")]
    Workers(u32),
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
        /// Seconds that the hunt may run.
        limit: f64,
    },
    /// Units have failed so often that they are quarantined, and nothing else is left to do.
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
