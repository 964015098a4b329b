//! Events: messages to observers.

use super::document::JobId;
use super::job::JobState;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An event: a message to observers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EventView {
    /// Version of this document.
    pub v: u32,
    /// Number of the event: the id of the server-sent event. Numbers ascend, also over restarts of the daemon.
    pub id: u64,
    /// When it happened.
    pub time: f64,
    /// Number of the job that it concerns.
    pub job: Option<JobId>,
    /// What happened, with its details.
    #[serde(flatten)]
    pub what: EventKind,
}

/// What happened, with the details of each kind of event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventKind {
    /// The daemon was started.
    Started {
        /// Version of the program.
        version: String,
    },
    /// A job was submitted.
    Submitted {
        /// Name of the job.
        name: String,
    },
    /// The state of a job changed.
    State {
        /// The new state.
        state: JobState,
        /// Why, if there is more to say.
        reason: Option<String>,
    },
    /// A hunt has a new best grid.
    Best {
        /// Number of moves.
        score: u32,
        /// Key of the grid.
        grid: String,
        /// Name of the known record that the grid equals, if it equals one.
        record: Option<String>,
        /// Whether the grid is new: it is at least as long as the shortest known record of its variant, and equals
        /// none.
        new: bool,
        /// Seconds that the job had run.
        seconds: f64,
    },
    /// A solver job found closer bounds of the value of its position, in points for the side to move.
    Bounds {
        /// The value is at least this.
        lower: i32,
        /// The value is at most this.
        upper: i32,
        /// Whether the question is answered.
        settled: bool,
        /// Nodes until then.
        nodes: u64,
        /// Seconds that the job had run.
        seconds: f64,
    },
    /// A worker of a solver job gave so many wrong answers that it gets no more units.
    Distrusted {
        /// User and name of the worker.
        worker: String,
    },
    /// Something about a job that a person should know and that stops nothing: a damaged file of which the rest is
    /// used, or a limit of disk that is near.
    Notice {
        /// What it is, in one sentence.
        text: String,
    },
    /// An attempt at a unit failed.
    UnitFailed {
        /// Number of the unit.
        unit: u64,
        /// Attempts so far; after three the unit is quarantined.
        attempts: u32,
        /// What the attempt reported.
        error: String,
    },
    /// Progress of a running job, about every second. This event is not stored.
    Progress {
        /// Iterations so far.
        iterations: u64,
        /// Iterations per second at present.
        rate: f64,
        /// Best score so far.
        best: u32,
        /// Units that are finished.
        units_done: u64,
        /// Workers that compute units of the job.
        #[serde(default)]
        workers: u32,
        /// The older name of `workers`.
        threads: u32,
        /// Seconds that the job has run.
        seconds: f64,
    },
}
