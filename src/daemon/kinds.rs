//! Job kinds: what turns a request into something to be run. The flags of each kind are declared once, where its
//! command is; so the reading is injected by whoever makes the daemon.

use super::view::{JobLimits, JobRequest};
use crate::games::go::large::position::Position as LargePosition;
use crate::jobs::hunt::Job;
use crate::jobs::solve::SolveJob;
use serde_json::{Map, Value};

/// What a request comes to.
#[derive(Debug, Clone)]
pub struct PreparedJob {
    /// A name made from the settings, for requests without one.
    pub name: String,
    /// Limits that stand in the settings; those of the request come on top.
    pub limits: JobLimits,
    /// The settings with all defaults filled in.
    pub settings: Map<String, Value>,
    /// Strategy or algorithm.
    pub strategy: String,
    /// What to run.
    pub work: JobWork,
}

/// What a job runs.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobWork {
    /// A hunt.
    Hunt(Job),
    /// A solution of a position of a two-player game, by units.
    Solve(SolveJob),
}

/// A position of a two-player game that a person plays from.
#[derive(Debug)]
pub enum PlayedFrom {
    /// One that can be solved.
    Solvable(SolveJob),
    /// Of go, on a board too large for that.
    Large {
        /// The board, the rules and how it begins, in words.
        title: String,
        /// The position.
        root: Box<LargePosition>,
    },
}

/// Reads requests.
pub trait JobKinds: Send + Sync + 'static {
    /// What a request comes to on a daemon with so many workers.
    ///
    /// # Errors
    /// If it makes no sense: what is wrong, where, and what would be right.
    fn prepare(&self, request: &JobRequest, workers: u32) -> Result<PreparedJob, String>;

    /// The position that the settings of a solver job are of, or would be if its board were not too large to be
    /// solved.
    ///
    /// # Errors
    /// As [`JobKinds::prepare`].
    fn start(&self, settings: Map<String, Value>) -> Result<PlayedFrom, String>;
}
