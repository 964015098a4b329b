//! What the API shows of a solver job: the position, what is known of its value and its moves, what that took, and whose
//! credit it is. Values are in points (discs, points of area) for the side to move.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// What a solver job has found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SolutionView {
    /// The game: `reversi`, `go`.
    pub game: String,
    /// The game, its board and its rules, in words.
    pub title: String,
    /// Columns of the board.
    pub width: u32,
    /// Rows of the board.
    pub height: u32,
    /// The board by rows from the upper left: `X` black, `O` white, `.` empty.
    pub cells: String,
    /// The position as one line, as the setting `position` takes it.
    pub position: String,
    /// The side to move: `black`, `white`.
    pub side: String,
    /// What is asked: `exact`, `win-loss-draw`, `at least N`.
    pub goal: String,
    /// Whether that is answered.
    pub settled: bool,
    /// The value is at least this.
    pub lower: i32,
    /// The value is at most this.
    pub upper: i32,
    /// First moves that reach what was found, once it is settled; there may be more.
    pub best_moves: Vec<String>,
    /// Best play of both sides, as far as it is known; none before the value is.
    pub line: Vec<String>,
    /// The legal first moves and what is known of them.
    pub moves: Vec<MoveBoundsView>,
    /// Nodes of the top of the tree, which the coordinator keeps.
    pub tree_nodes: u64,
    /// Units by what became of them.
    pub units: SolutionUnitsView,
    /// Nodes searched, those of the running units included.
    pub nodes: u64,
    /// Seconds of processor time of the units that ended.
    pub cpu_seconds: f64,
    /// Who gets the credit.
    pub user: String,
    /// How many workers have to agree on a unit.
    pub quorum: u32,
    /// How often something believed contradicted something believed before: above 0 the value is doubtful.
    pub contradictions: u64,
}

/// A first move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MoveBoundsView {
    /// Its name, such as `d3` or `pass`.
    pub name: String,
    /// It is worth at least this.
    pub lower: Option<i32>,
    /// It is worth at most this.
    pub upper: Option<i32>,
}

/// Units by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SolutionUnitsView {
    /// All that were made.
    pub made: u64,
    /// Answered.
    pub finished: u64,
    /// Not ended within their budget, and replaced by their children.
    pub split: u64,
    /// Not needed any more.
    pub cancelled: u64,
    /// Neither: running or waiting.
    pub open: u64,
}

/// Units and what they took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TallyView {
    /// Units.
    pub units: u64,
    /// Nodes.
    pub nodes: u64,
    /// Seconds of processor time.
    pub cpu_seconds: f64,
}

/// Credit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CreditView {
    /// Units whose outcome was taken in.
    pub accepted: TallyView,
    /// Units that were no longer needed, or given back.
    pub not_needed: TallyView,
    /// Units whose outcome was refused: no credit.
    pub refused: TallyView,
}

/// The credit of a user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UserCreditView {
    /// The user.
    pub user: String,
    /// The credit of all workers of that name.
    pub credit: CreditView,
}

/// The credit of a worker, and how far it is trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WorkerCreditView {
    /// The user.
    pub user: String,
    /// The worker's name among the user's.
    pub name: String,
    /// Its credit.
    pub credit: CreditView,
    /// Answers found right.
    pub right: u64,
    /// Answers found wrong.
    pub wrong: u64,
    /// Units that it broke down on.
    pub failed: u64,
    /// Whether it still gets units.
    pub trusted: bool,
}

/// How the bounds stood at a moment.
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
    /// Every change of the bounds and some points between, ascending; at most 2000.
    pub course: Vec<BoundsPoint>,
    /// The credit of all.
    pub total: CreditView,
    /// By user name.
    pub users: Vec<UserCreditView>,
    /// By worker.
    pub workers: Vec<WorkerCreditView>,
}

/// What the solver jobs of a user came to, over all jobs that there are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SolverTotalsView {
    /// The user.
    pub user: String,
    /// Jobs.
    pub jobs: u64,
    /// Units that ended.
    pub units: u64,
    /// Nodes.
    pub nodes: u64,
    /// Seconds of processor time.
    pub cpu_seconds: f64,
}

/// A position that is asked about: `POST /api/v1/position`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionRequest {
    /// The settings of a solver job: `game`, `size`, `position`, ...
    #[schema(value_type = Object)]
    pub settings: Map<String, Value>,
    /// Moves played from there, by name, in order.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub moves: Vec<String>,
}

/// A position of a two-player game as a person plays it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PositionView {
    /// Version of this document.
    pub v: u32,
    /// The game: `reversi`, `go`.
    pub game: String,
    /// The game, its board and its rules, in words.
    pub title: String,
    /// Columns of the board.
    pub width: u32,
    /// Rows of the board.
    pub height: u32,
    /// The board by rows from the upper left: `X` black, `O` white, `.` empty.
    pub cells: String,
    /// The position as one line, as the setting `position` takes it.
    pub position: String,
    /// The side to move: `black`, `white`.
    pub side: String,
    /// The moves played.
    pub moves: Vec<String>,
    /// The legal moves.
    pub legal: Vec<String>,
    /// Whether a solver job can be made of it: boards of go beyond 7x7 are only for play.
    pub solvable: bool,
    /// If the game is over: its value for the side to move, in points.
    pub outcome: Option<i32>,
}
