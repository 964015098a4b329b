//! Positions of two-player games, for a person who plays: what is asked for, the position, the machine's move, and
//! what moves are worth.

use super::AnalysedMoveView;
use crate::core::game::Level;
use crate::solvers::reach::BeyondReach;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// The body of `POST /api/v1/position`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionRequest {
    /// The settings of a solver job: `game`, `size`, `position`, ...
    #[schema(value_type = Object)]
    pub settings: Map<String, Value>,
    /// Moves to play from there, by name, in order.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub moves: Vec<String>,
    /// The opening that the game begins with: `swap2` in Gomoku. Its choices are moves: `white`, `black`, `add`.
    #[serde(default)]
    #[schema(max_length = 20)]
    pub opening: Option<String>,
}

/// A position of a two-player game, for a person who plays it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PositionView {
    /// Version of this document.
    pub v: u32,
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
    /// The moves that were played.
    pub moves: Vec<String>,
    /// The legal moves.
    pub legal: Vec<String>,
    /// Whether a solver job can solve the position. Boards of go above 7x7 are for play only.
    pub solvable: bool,
    /// Why a solver job will most likely not come to its end, if it can be submitted and that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond_reach: Option<BeyondReachView>,
    /// The value for the side to move in points, if the game is over.
    pub outcome: Option<i32>,
    /// The stones of the rows that have won, in Gomoku.
    #[serde(default)]
    pub won: Vec<String>,
    /// The game as the text of a file, which the setting `position` takes: SGF, or for Reversi GGF or a line of OBF.
    pub saved: String,
    /// What the name of such a file ends in: `sgf`, `ggf`, `obf`.
    pub saved_as: String,
    /// How far the opening has come, if the game begins with one.
    pub opening: Option<OpeningView>,
}

/// A position is further from the end of the game than any that its solver has come to the end of. It may be
/// submitted all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BeyondReachView {
    /// Cells or points that are empty.
    pub empty: u32,
    /// From so many the solver has come to the end at most.
    pub most: u32,
    /// Whether a proof by threats may end it all the same, in Gomoku.
    pub by_threats: bool,
}

impl From<BeyondReach> for BeyondReachView {
    fn from(BeyondReach { empty, most, by_threats }: BeyondReach) -> BeyondReachView {
        BeyondReachView { empty, most, by_threats }
    }
}

/// An opening by Swap2. The *opener* puts three stones, black, white, black. The *answerer* takes a colour, or puts
/// two more and lets the opener choose. What can be chosen is among the legal moves: `white`, `black`, `add`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct OpeningView {
    /// What is to be done: `place` (a stone), `choose`, `play` (the colours are agreed on).
    pub turn: String,
    /// Who made each of the moves, and who makes the next one: `opener`, `answerer`.
    pub players: Vec<String>,
    /// How many stones the player who is to put one puts now, that one included.
    pub to_place: u32,
    /// Who has black, once that is agreed on.
    pub black: Option<String>,
}

/// The body of `POST /api/v1/position/move`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    /// The settings of a solver job: `game`, `size`, `position`, ...
    #[schema(value_type = Object)]
    pub settings: Map<String, Value>,
    /// Moves to play from there, by name, in order.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub moves: Vec<String>,
    /// The opening that the game begins with: `swap2` in Gomoku.
    #[serde(default)]
    #[schema(max_length = 20)]
    pub opening: Option<String>,
    /// Decides which stones of an opening are tried; others each time if there is none.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Which player makes the move, if it is not the usual one: `thesis` in Gomoku.
    #[serde(default)]
    #[schema(max_length = 20)]
    pub brain: Option<String>,
    /// How strong the machine plays.
    #[serde(default = "strongest")]
    #[schema(minimum = 1, maximum = 10)]
    pub level: u8,
    /// Threads that search together, in Gomoku at level 10; no more than there are processors.
    #[serde(default = "one_thread")]
    #[schema(minimum = 1, maximum = 256)]
    pub threads: u32,
    /// How long it may think.
    #[serde(default = "usual_seconds")]
    #[schema(exclusive_minimum = 0.0, maximum = 10.0)]
    pub seconds: f64,
}

/// The body of `POST /api/v1/position/analysis`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalysisRequest {
    /// The settings of a solver job: `game`, `size`, `position`, ...
    #[schema(value_type = Object)]
    pub settings: Map<String, Value>,
    /// Moves to play from there, by name, in order.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub moves: Vec<String>,
    /// The opening that the game begins with: `swap2` in Gomoku.
    #[serde(default)]
    #[schema(max_length = 20)]
    pub opening: Option<String>,
    /// How many of the best moves are wanted.
    #[serde(default = "usual_best")]
    #[schema(minimum = 1, maximum = 100)]
    pub best: u16,
    /// Threads that search together, in Gomoku; no more than there are processors.
    #[serde(default = "one_thread")]
    #[schema(minimum = 1, maximum = 256)]
    pub threads: u32,
    /// How long the analysis may take.
    #[serde(default = "usual_seconds")]
    #[schema(exclusive_minimum = 0.0, maximum = 10.0)]
    pub seconds: f64,
}

/// What the best moves of a position of a two-player game are worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PositionAnalysisView {
    /// Version of this document.
    pub v: u32,
    /// The game: `reversi`, `go`, `gomoku`.
    pub game: String,
    /// The side to move: `black`, `white`.
    pub side: String,
    /// The best moves, the best first.
    pub moves: Vec<AnalysedMoveView>,
    /// Time that it took.
    pub seconds: f64,
}

fn usual_best() -> u16 {
    5
}

fn one_thread() -> u32 {
    1
}

fn strongest() -> u8 {
    Level::FULL.number()
}

fn usual_seconds() -> f64 {
    2.0
}

/// The move that the machine makes in a position of a two-player game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ChosenMoveView {
    /// Version of this document.
    pub v: u32,
    /// The game: `reversi`, `go`, `gomoku`.
    pub game: String,
    /// The side that moves: `black`, `white`.
    pub side: String,
    /// The move, and those that the machine expects after it.
    pub line: Vec<String>,
    /// How many moves of the line the machine makes now: in an opening there may be several, else 1.
    pub own: u32,
    /// What the move is worth to the side that makes it. The unit is that of the game's player: only signs and orders
    /// compare.
    pub value: i32,
    /// In how many moves of both sides the game is decided, if the search has found that: won if the value is
    /// positive.
    pub decided_in: Option<u32>,
    /// What is known of the value without a search: `wins by a plan`, `loses to a plan`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    /// Moves of both sides that the search has looked ahead; 0 is without a search.
    pub depth: u32,
    /// Positions that were visited.
    pub nodes: u64,
    /// Time that it took.
    pub seconds: f64,
}
