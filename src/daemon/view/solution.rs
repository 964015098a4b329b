//! Solver jobs: the position, what is known of its value and its moves, what that took, and whose credit it is.
//! Values are in points (discs, points of area) for the side to move.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a solver job has found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SolutionView {
    /// The game: `reversi`, `go`, `gomoku`.
    pub game: String,
    /// The game, its board and its rules, in words.
    pub title: String,
    /// Columns of the board.
    pub width: u32,
    /// Rows of the board.
    pub height: u32,
    /// The board by rows from the upper left: `X` black, `O` white, `.` empty.
    pub cells: String,
    /// The position as one line, in the form of the setting `position`.
    pub position: String,
    /// The side to move: `black`, `white`.
    pub side: String,
    /// The question: `exact`, `win-loss-draw`, `at least N`.
    pub goal: String,
    /// Whether the question is answered.
    pub settled: bool,
    /// The value is at least this.
    pub lower: i32,
    /// The value is at most this.
    pub upper: i32,
    /// First moves that reach the value, once the question is answered; there may be more.
    pub best_moves: Vec<String>,
    /// Best play of both sides as far as it is known; empty while the value is unknown.
    pub line: Vec<String>,
    /// The legal first moves and what is known of them.
    pub moves: Vec<MoveBoundsView>,
    /// Nodes of the top of the tree, which the coordinator keeps.
    pub tree_nodes: u64,
    /// Numbers of units.
    pub units: SolutionUnitsView,
    /// Searched nodes, those of the running units included.
    pub nodes: u64,
    /// Seconds of processor time of the units that ended.
    pub cpu_seconds: f64,
    /// The user who gets the credit.
    pub user: String,
    /// Number of workers that have to agree on a unit.
    pub quorum: u32,
    /// Number of accepted answers that contradict earlier accepted answers. Above 0 the value is doubtful.
    pub contradictions: u64,
}

/// A first move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MoveBoundsView {
    /// Name of the move, such as `d3` or `pass`.
    pub name: String,
    /// The value after the move is at least this.
    pub lower: Option<i32>,
    /// The value after the move is at most this.
    pub upper: Option<i32>,
}

/// Numbers of units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SolutionUnitsView {
    /// All units that were made.
    pub made: u64,
    /// Units that were answered.
    pub finished: u64,
    /// Units that did not end within their budget and were replaced by units of their children.
    pub split: u64,
    /// Units that were no longer needed.
    pub cancelled: u64,
    /// The others: running or waiting units.
    pub open: u64,
}

/// A number of units and what they took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TallyView {
    /// Number of units.
    pub units: u64,
    /// Nodes that were searched.
    pub nodes: u64,
    /// Seconds of processor time.
    pub cpu_seconds: f64,
}

/// The credit for units, by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CreditView {
    /// Units whose outcome was accepted.
    pub accepted: TallyView,
    /// Units that were no longer needed, or were given back.
    pub not_needed: TallyView,
    /// Units whose outcome was refused; they give no credit.
    pub refused: TallyView,
}

/// The credit of a user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UserCreditView {
    /// Name of the user.
    pub user: String,
    /// Credit of all workers of the user.
    pub credit: CreditView,
}

/// The credit of a worker, and how far it is trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WorkerCreditView {
    /// Name of the user.
    pub user: String,
    /// Name of the worker among those of the user.
    pub name: String,
    /// Credit of the worker.
    pub credit: CreditView,
    /// Answers that were found right.
    pub right: u64,
    /// Answers that were found wrong.
    pub wrong: u64,
    /// Units on which the worker failed.
    pub failed: u64,
    /// Whether the worker still gets units.
    pub trusted: bool,
}

/// The bounds of the value at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BoundsPoint {
    /// Seconds that the job had run.
    pub seconds: f64,
    /// Nodes until then.
    pub nodes: u64,
    /// Units that had ended.
    pub units: u64,
    /// The value is at least this.
    pub lower: i32,
    /// The value is at most this.
    pub upper: i32,
}

/// The course and the credit of a solver job, as of its last checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SolutionStatisticsView {
    /// Every change of the bounds and some points in between, ascending by time; at most 2000.
    pub course: Vec<BoundsPoint>,
    /// Credit of all workers.
    pub total: CreditView,
    /// Credit by user.
    pub users: Vec<UserCreditView>,
    /// Credit by worker.
    pub workers: Vec<WorkerCreditView>,
}

/// Sums over the solver jobs of a user that the daemon holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SolverTotalsView {
    /// Name of the user.
    pub user: String,
    /// Number of jobs.
    pub jobs: u64,
    /// Units that ended.
    pub units: u64,
    /// Nodes that were searched.
    pub nodes: u64,
    /// Seconds of processor time.
    pub cpu_seconds: f64,
}
