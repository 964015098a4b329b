//! Patterns that are mined from games of Go: how many games are searched, and what was found.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Patterns that are mined from games of Go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MineView {
    /// The board, in words.
    pub title: String,
    /// Number of games.
    pub games: u64,
    /// Games that are searched.
    pub games_done: u64,
    /// Of those that are counted: positions that were looked at.
    pub positions: u64,
    /// Questions that were asked.
    pub questions: u64,
    /// Patterns of each game by itself, added up.
    pub patterns_of_games: u64,
    /// In at least so many games a pattern has to come up to be kept.
    pub least: u32,
    /// Patterns of all games, each once; it is known when all games are searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub patterns: Option<u64>,
    /// Patterns that are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub kept: Option<u64>,
    /// Seconds of processor time of what is done.
    pub cpu_seconds: f64,
}
