//! Job kinds: what a request for a job comes to. The settings of a kind are declared and read above this folder; so
//! the reader is passed in when the daemon is opened.

use super::view::{JobLimits, JobRequest};
use crate::games::go::large::position::LargePosition;
use crate::jobs::hunt::Job;
use crate::jobs::solve::SolveJob;
use serde_json::{Map, Value};

/// What a request comes to.
#[derive(Debug, Clone)]
pub struct PreparedJob {
    /// A name made from the settings, for requests without one.
    pub name: String,
    /// Limits that the settings contain. The limits of the request are added to them.
    pub limits: JobLimits,
    /// The settings with all defaults.
    pub settings: Map<String, Value>,
    /// Strategy of a hunt, algorithm of a solver job.
    pub strategy: String,
    /// What the job runs.
    pub work: JobWork,
}

/// What a job runs.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobWork {
    /// A hunt for grids.
    Hunt(Job),
    /// A solution of a position of a two-player game by units.
    Solve(SolveJob),
}

/// A position of a two-player game that a person plays from.
#[derive(Debug)]
pub enum PlayedFrom {
    /// A position that can be solved.
    Solvable(SolveJob),
    /// A position of go on a board that is too large to be solved.
    Large {
        /// The board, the rules and the start, in words.
        title: String,
        /// The position to play from.
        root: Box<LargePosition>,
    },
}

/// Reads requests for jobs of all kinds.
pub trait JobKinds: Send + Sync + 'static {
    /// What a request comes to on a daemon with this number of workers.
    ///
    /// # Errors
    /// If the request is not valid: what is wrong, where, and what would be right.
    fn prepare(&self, request: &JobRequest, workers: u32) -> Result<PreparedJob, String>;

    /// The position of the settings of a solver job. Its board may be too large to be solved.
    ///
    /// # Errors
    /// As [`JobKinds::prepare`].
    fn start(&self, settings: Map<String, Value>) -> Result<PlayedFrom, String>;
}
