//! Why an experiment cannot be run, or came to no end.

use crate::core::setting::BadValue;
use crate::jobs::hunt::JobError;
use crate::jobs::solve::SolveJobError;
use crate::morpion::referee::ReplayError;
use crate::solvers::choice::ChoiceError;
use crate::solvers::solve::EngineError;
use crate::solvers::table::TableError;
use std::io;
use std::path::PathBuf;

/// Why an experiment has no results.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The configuration is not valid: where, and what would be right.
    #[error("{0}")]
    Config(String),
    /// A setting of a search or a position is not valid.
    #[error(transparent)]
    Setting(#[from] BadValue),
    /// A hunt that cannot be begun.
    #[error(transparent)]
    Hunt(#[from] JobError),
    /// A solution that cannot be begun.
    #[error(transparent)]
    Solve(#[from] SolveJobError),
    /// An engine that cannot be made.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// No memory for a table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A search that ended without a value.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A grid that the referee does not accept.
    #[error("a search has found what is not a legal grid: {0}")]
    Grid(#[from] ReplayError),
    /// Two searches that should agree do not.
    #[error("{0}")]
    Disagreement(String),
    /// The journal of the runs cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A run that was left out since an earlier one had failed.
    #[error("an earlier run has failed")]
    LeftOut,
    /// A thread ended in a panic.
    #[error("a run has panicked")]
    Panicked,
    /// Any of these, with the part of the experiment that it is about.
    #[error("{place}: {error}")]
    Within {
        /// The search, the position or the file.
        place: String,
        /// What is wrong there.
        error: Box<ExperimentError>,
    },
}

impl ExperimentError {
    /// The same error, with the part of the experiment that it is about.
    pub fn within(self, place: impl FnOnce() -> String) -> ExperimentError {
        ExperimentError::Within { place: place(), error: Box::new(self) }
    }
}

/// Adds to an error the part of the experiment that it is about.
pub(super) trait Within<T> {
    /// The same for the error of a result: [`ExperimentError::within`].
    fn within(self, place: impl FnOnce() -> String) -> Result<T, ExperimentError>;
}

impl<T, E: Into<ExperimentError>> Within<T> for Result<T, E> {
    fn within(self, place: impl FnOnce() -> String) -> Result<T, ExperimentError> {
        self.map_err(|error| error.into().within(place))
    }
}

/// A mistake in a configuration.
pub(super) fn mistake<T>(text: String) -> Result<T, ExperimentError> {
    Err(ExperimentError::Config(text))
}

/// Why the journal of a comparison cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The disk refuses.
    #[error("{}: {source}", path.display())]
    File {
        /// The name of the journal.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another process writes it.
    #[error("{}: another comparison is writing it", .0.display())]
    Busy(PathBuf),
    /// A line that cannot be read.
    #[error("{}, line {line}: not a run: {source}", path.display())]
    Line {
        /// The name of the journal.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// It holds the runs of another experiment.
    #[error("{}: the runs in it are of another configuration or version; --force discards them", .0.display())]
    Other(PathBuf),
}
