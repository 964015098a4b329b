//! Games of a player against itself: how many are made, and how they ended.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Games of a player against itself, to learn from. Figures are those of the games that are counted: all games up to
/// the first unit that is not done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SelfplayView {
    /// The game: `gomoku` or `reversi`.
    pub game: String,
    /// The board, the rules and the start, in words.
    pub title: String,
    /// Columns of the board.
    pub width: u8,
    /// Rows of the board.
    pub height: u8,
    /// Games that are asked for.
    pub games: u64,
    /// Games that are counted.
    pub games_counted: u64,
    /// Games that black has won.
    pub won_black: u64,
    /// Games that ended in a draw.
    pub drawn: u64,
    /// Games that white has won.
    pub won_white: u64,
    /// Moves of the counted games, with those of their openings.
    pub plies: u64,
    /// The first line of a file with the games, as `morpion selfplay` writes it.
    pub head: String,
    /// Seconds of processor time of the games that are done.
    pub cpu_seconds: f64,
}

/// Such a job at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SelfplayPoint {
    /// Seconds that the job had run.
    pub seconds: f64,
    /// Games that were counted.
    pub games: u64,
}

/// The course of such a job, as of its last checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SelfplayStatisticsView {
    /// Points of the course, ascending by time; at most 2000.
    pub course: Vec<SelfplayPoint>,
}
