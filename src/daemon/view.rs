//! The values of the API: what a client sends and sees. All are JSON objects whose fields are never renamed within a
//! version; fields may be added. Times are seconds since 1970 (UTC), durations are seconds.

mod solution;

pub use solution::*;

use super::object;
use crate::core::search::End;
use crate::morpion::variant::Variant;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// Version of these documents: the field `v` of every listing and event.
pub const VERSION: u32 = 1;

/// Number of a job, counted from 1 and never used again.
pub type JobId = u64;

/// What a job is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobRequest {
    /// Kind of the job: `hunt`, `solve`.
    #[schema(min_length = 1, example = "hunt")]
    pub kind: String,
    /// A name for people, without control characters; default: made from the settings.
    #[serde(default)]
    #[schema(pattern = r"^[^\x00-\x1f\x7f-\x9f]{1,128}$")]
    pub name: Option<String>,
    /// Jobs of a higher priority are served first; -100 to 100.
    #[serde(default)]
    #[schema(minimum = -100, maximum = 100)]
    pub priority: i32,
    /// Share of the threads among jobs of one priority; 1 to 1000.
    #[serde(default = "one")]
    #[schema(minimum = 1, maximum = 1000)]
    pub weight: u32,
    /// What the job may use.
    #[serde(default, deserialize_with = "object::one")]
    pub limits: JobLimits,
    /// The flags of the kind's command, named and valued as in its configuration file (`strategy`, `level`, ...; for `solve`
    /// also `game`). Flags that name files or directories are refused: grids and positions are sent as text instead.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub settings: Map<String, Value>,
    /// The grid whose first moves the job starts from.
    #[serde(default, deserialize_with = "object::optional")]
    pub start: Option<StartGrid>,
    /// Grids to begin with (perturb, permute, temper, regrow, reshape), each Pentasol or MSR.
    #[serde(default)]
    pub grids: Vec<String>,
}

fn one() -> u32 {
    1
}

/// A grid and how much of it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Start)]
pub struct StartGrid {
    /// Pentasol or MSR.
    pub grid: String,
    /// So many of its moves; default: all.
    #[serde(default)]
    pub moves: Option<u32>,
}

/// What a job may use; nothing said is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Limits)]
pub struct JobLimits {
    /// Seconds that it has run (waiting and paused time is not counted).
    #[serde(default)]
    #[schema(exclusive_minimum = 0, maximum = 1e12)]
    pub seconds: Option<f64>,
    /// Iterations of all its units; of a solver job nodes.
    #[serde(default)]
    #[schema(minimum = 1)]
    pub iterations: Option<u64>,
    /// Threads that it uses at once.
    #[serde(default)]
    #[schema(minimum = 1)]
    pub threads: Option<u32>,
    /// Bytes of memory of its searches.
    #[serde(default)]
    #[schema(minimum = 1_048_576)]
    pub memory: Option<u64>,
}

/// How a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// No unit of it is running, for others come first.
    Queued,
    /// It has threads.
    Running,
    /// Somebody paused it; its searches are kept, no thread works for it.
    Paused,
    /// Somebody asked it to end when its running units do.
    Draining,
    /// It is over.
    Finished,
    /// Somebody cancelled it.
    Cancelled,
    /// It failed: `reason` says why.
    Failed,
}

impl JobState {
    /// Whether nothing will change it any more.
    pub fn is_over(self) -> bool {
        matches!(self, JobState::Finished | JobState::Cancelled | JobState::Failed)
    }
}

/// A job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JobView {
    /// Version of this document.
    pub v: u32,
    /// Its number.
    pub id: JobId,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// How it stands.
    pub state: JobState,
    /// How it ended (`target`, `exhausted`, `finished`, `solved`, `time`, `iterations`, `drained`), why it failed, or why it
    /// cannot go on for now: what the disk said.
    pub reason: Option<String>,
    /// Variant, if it is about one.
    pub variant: Option<Variant>,
    /// Strategy or algorithm.
    pub strategy: Option<String>,
    /// Seed of all its random numbers.
    pub seed: Option<u64>,
    /// See [`JobRequest`].
    pub priority: i32,
    /// See [`JobRequest`].
    pub weight: u32,
    /// See [`JobRequest`].
    pub limits: JobLimits,
    /// When it was submitted.
    pub submitted: f64,
    /// When it first ran.
    pub began: Option<f64>,
    /// When it ended.
    pub ended: Option<f64>,
    /// Seconds that it has run.
    pub seconds: f64,
    /// Iterations of all its units, the running ones included.
    pub iterations: u64,
    /// Iterations per second lately.
    pub rate: f64,
    /// Units done.
    pub units_done: u64,
    /// How many of these the stall table ended.
    pub units_stalled: u64,
    /// Units set aside because they failed three times.
    pub units_poisoned: u64,
    /// Threads that work for it now.
    pub threads: u32,
    /// Its best score, moves of the best grid.
    pub best: Option<u32>,
    /// Key of that grid, as in `/api/v1/grids/{key}`.
    pub best_grid: Option<String>,
    /// The job's settings, defaults filled in.
    #[schema(value_type = Object)]
    pub settings: Map<String, Value>,
    /// What a solver job has found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solution: Option<SolutionView>,
}

/// How a unit stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnitState {
    /// Waits for a thread.
    Waiting,
    /// A worker is at it.
    Running,
    /// Done.
    Done,
    /// Set aside: it failed three times.
    Poisoned,
}

/// A unit of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UnitView {
    /// Its job.
    pub job: JobId,
    /// Its number within the job.
    pub unit: u64,
    /// How it stands.
    pub state: UnitState,
    /// How often it was begun.
    pub attempts: u32,
    /// Why it ended.
    pub end: Option<End>,
    /// Iterations so far.
    pub iterations: u64,
    /// Best score so far.
    pub best: u32,
    /// The last failure.
    pub error: Option<String>,
}

/// A worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WorkerView {
    /// Its number, from 1.
    pub worker: u32,
    /// Its job, if it has one.
    pub job: Option<JobId>,
    /// Its unit.
    pub unit: Option<u64>,
    /// Iterations of the unit.
    pub iterations: u64,
    /// Best score of the unit.
    pub best: u32,
    /// Seconds that it has been at the unit.
    pub seconds: f64,
}

/// A level of a job's progress: units of the main walk, or calls of a nesting level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LevelView {
    /// The level.
    pub level: u32,
    /// What is left of it.
    pub left: u64,
    /// Of so many.
    pub total: u64,
}

/// A point of a job's course.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CoursePoint {
    /// Seconds that the job had run.
    pub seconds: f64,
    /// Iterations until then.
    pub iterations: u64,
    /// Best score until then.
    pub best: u32,
}

/// Counts of scores of one nesting level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LevelHistogram {
    /// The level, 0 being games played out.
    pub level: u32,
    /// Score and how often it came up, ascending.
    pub counts: Vec<(u32, u64)>,
}

/// The course of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StatisticsView {
    /// Version of this document.
    pub v: u32,
    /// The job.
    pub job: JobId,
    /// Progress by level, from the top.
    pub levels: Vec<LevelView>,
    /// Every new best and some points between, ascending; at most 2000.
    pub course: Vec<CoursePoint>,
    /// Scores per nesting level; empty for strategies without levels.
    pub scores: Vec<LevelHistogram>,
    /// Best scores of the units done.
    pub units: Vec<(u32, u64)>,
    /// Course and credit of a solver job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solution: Option<SolutionStatisticsView>,
}

/// A move: `x` to the right, `y` down, the north-west corner of the starting cross's inner square at (28,28) as in Pentasol;
/// `direction` one of `-`, `|`, `\`, `/`; `shift` the number of steps along it from the new point to the middle of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveView {
    /// Column of the new point.
    pub x: i32,
    /// Row of the new point.
    pub y: i32,
    /// Direction of the line.
    #[schema(value_type = String, pattern = r"^[-|/\\]$")]
    pub direction: char,
    /// Steps to its middle.
    #[schema(minimum = -2, maximum = 2)]
    pub shift: i32,
}

/// A grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GridView {
    /// Version of this document.
    pub v: u32,
    /// 16 hexadecimal digits: equal for grids that are equal up to symmetry and order of moves.
    pub key: String,
    /// Variant.
    pub variant: Variant,
    /// Number of moves.
    pub score: u32,
    /// Legal moves left at its end.
    pub moves_left: u32,
    /// The moves in order; left out in listings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<MoveView>>,
    /// The known record that it equals.
    pub record: Option<String>,
    /// The job that found it, nothing for one that was sent.
    pub job: Option<JobId>,
    /// Unit of that job.
    pub unit: Option<u64>,
    /// When it was found or sent.
    pub time: f64,
    /// Seconds that the job had run.
    pub seconds: Option<f64>,
}

/// What two grids of a variant share, in the orientation that shares most lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ComparisonView {
    /// Version of this document.
    pub v: u32,
    /// The first grid, with its moves.
    pub left: GridView,
    /// The second one, turned so that it shares most lines with the first, with its moves.
    pub right: GridView,
    /// Numbers (from 0) of the moves of `left` whose lines `right` has.
    pub shared_left: Vec<u32>,
    /// Numbers of the moves of `right` whose lines `left` has.
    pub shared_right: Vec<u32>,
}

/// A position as a person plays it: what `POST /api/v1/board` answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BoardView {
    /// Version of this document.
    pub v: u32,
    /// Variant.
    pub variant: Variant,
    /// Points of the starting cross, column and row.
    pub cross: Vec<(i32, i32)>,
    /// The moves played.
    pub moves: Vec<MoveView>,
    /// The legal moves.
    pub legal: Vec<MoveView>,
}

/// A position that is asked about: `POST /api/v1/board`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BoardRequest {
    /// Variant.
    pub variant: Variant,
    /// The moves played, in order.
    #[serde(default, deserialize_with = "object::list")]
    pub moves: Vec<MoveView>,
}

/// A known record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RecordView {
    /// Its name, as in `record` of grids that equal it.
    pub name: String,
    /// Its key, as in `/api/v1/grids/{key}`.
    pub key: String,
    /// Variant.
    pub variant: Variant,
    /// Number of moves.
    pub score: u32,
}

/// How many grids of one variant and score the archive holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GridCount {
    /// Variant.
    pub variant: Variant,
    /// Number of moves.
    pub score: u32,
    /// Grids.
    pub count: u64,
}

/// What the archive holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ArchiveView {
    /// Version of this document.
    pub v: u32,
    /// Grids by variant and score, the best of each variant first.
    pub counts: Vec<GridCount>,
    /// The known records; `/api/v1/grids/{key}` and `compare` know them too.
    pub records: Vec<RecordView>,
}

/// The best grid of a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BestView {
    /// Variant.
    pub variant: Variant,
    /// Number of moves.
    pub score: u32,
    /// Its key.
    pub grid: String,
    /// The known record that it equals.
    pub record: Option<String>,
}

/// Sums over all jobs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TotalsView {
    /// Version of this document.
    pub v: u32,
    /// Jobs by state.
    pub jobs: std::collections::BTreeMap<String, u64>,
    /// Iterations.
    pub iterations: u64,
    /// Iterations per second lately.
    pub rate: f64,
    /// Seconds that the jobs have run, added up.
    pub seconds: f64,
    /// Units done.
    pub units_done: u64,
    /// How many of these the stall table ended.
    pub units_stalled: u64,
    /// Units set aside.
    pub units_poisoned: u64,
    /// Threads at work.
    pub threads: u32,
    /// Grids in the archive.
    pub grids: u64,
    /// The best grid of each variant that has one.
    pub best: Vec<BestView>,
    /// What the solver jobs came to, by user name.
    #[serde(default)]
    pub solver: Vec<SolverTotalsView>,
}

/// Something happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EventView {
    /// Version of this document.
    pub v: u32,
    /// Number of the event, ascending over all sessions of the daemon: the id of the server-sent event.
    pub id: u64,
    /// When.
    pub time: f64,
    /// The job it is about.
    pub job: Option<JobId>,
    /// What.
    #[serde(flatten)]
    pub what: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventKind {
    /// The daemon began.
    Started {
        /// Version of the program.
        version: String,
    },
    /// A job was submitted.
    Submitted {
        /// Its name.
        name: String,
    },
    /// A job's state changed.
    State {
        /// The new state.
        state: JobState,
        /// Why, if there is more to say.
        reason: Option<String>,
    },
    /// A job has a new best grid.
    Best {
        /// Number of moves.
        score: u32,
        /// Key of the grid.
        grid: String,
        /// The known record that it equals.
        record: Option<String>,
        /// It is at least as long as the shortest known record of its variant and equals none of them.
        new: bool,
        /// Seconds that the job had run.
        seconds: f64,
    },
    /// A solver job knows more of the value of its position, in points for the side to move.
    Bounds {
        /// It is at least this.
        lower: i32,
        /// It is at most this.
        upper: i32,
        /// That is all that was asked.
        settled: bool,
        /// Nodes until then.
        nodes: u64,
        /// Seconds that the job had run.
        seconds: f64,
    },
    /// A worker of a solver job was wrong so often that it gets no more units.
    Distrusted {
        /// User and name.
        worker: String,
    },
    /// A unit failed.
    UnitFailed {
        /// The unit.
        unit: u64,
        /// Attempts so far; after three it is set aside.
        attempts: u32,
        /// What it said.
        error: String,
    },
    /// How a running job stands, every second or so; not stored.
    Progress {
        /// Iterations so far.
        iterations: u64,
        /// Iterations per second lately.
        rate: f64,
        /// Best score so far.
        best: u32,
        /// Units done.
        units_done: u64,
        /// Threads that work for it.
        threads: u32,
        /// Seconds that it has run.
        seconds: f64,
    },
}

/// How the daemon stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HealthView {
    /// Version of this document.
    pub v: u32,
    /// `ok`, or what is wrong (the disk is full, say).
    pub status: String,
    /// Version of the program.
    pub version: String,
    /// Seconds since it began.
    pub uptime: f64,
    /// Its workers.
    pub workers: u32,
    /// How many of them have a unit.
    pub busy: u32,
    /// Jobs by state.
    pub jobs: std::collections::BTreeMap<String, u64>,
    /// Grids in the archive.
    pub grids: u64,
}

/// Part of a longer list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Listing<T> {
    /// Version of this document.
    pub v: u32,
    /// The items.
    pub items: Vec<T>,
    /// What to ask for to get the next ones; nothing at the end.
    pub next: Option<String>,
}
