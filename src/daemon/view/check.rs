//! Plans of Gomoku that are checked: how many moves hold, and what does not.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A plan of Gomoku that is checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CheckView {
    /// The game and its rules, in words.
    pub title: String,
    /// The moves that lead to the plan's first position; empty for the empty board.
    pub start: String,
    /// The side that wins by the plan: `black`, `white`.
    pub wins: String,
    /// Moves of the plan.
    pub moves: u64,
    /// Those of them that were checked and hold, from the first one on.
    pub checked: u64,
    /// Moves of a unit.
    pub unit_moves: u64,
    /// Whether the plan answers every reply to its first position; it is known when the first unit is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub start_answered: Option<bool>,
    /// A reply to the first position that has no answer, or whatever else is wrong there. The moves are checked
    /// nevertheless: the plan may not be finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub unanswered: Option<HoleView>,
    /// The first move that does not hold: the job ends with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub hole: Option<HoleView>,
    /// Legal replies that were looked at, to the moves that hold and to the first position.
    pub replies: u64,
    /// Those of them that lead to another position of the plan.
    pub planned: u64,
    /// Those after which threats win.
    pub by_threats: u64,
    /// Positions in the proofs by threats, each of whose legal replies was looked at.
    pub positions: u64,
    /// Seconds of processor time of what is done.
    pub cpu_seconds: f64,
}

/// A position in which a plan does not hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HoleView {
    /// The number of the move of the plan that does not hold, from 0; none for the first position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub number: Option<u64>,
    /// The moves that lead there from the plan's first position; empty for that position itself.
    pub moves: String,
    /// What is wrong there, in words.
    pub reason: String,
}
