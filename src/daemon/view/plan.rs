//! Plans of Gomoku that are looked for: which replies have a plan, and what is known of the others.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A plan of Gomoku that is looked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PlanView {
    /// The game and its rules, in words.
    pub title: String,
    /// The moves that lead to the first position; empty for the empty board.
    pub start: String,
    /// The side that is to win: `black`, `white`.
    pub wins: String,
    /// Replies to the first position that had no plan when the job began; if the side that is to win moves there, the
    /// position itself is the only one.
    pub goals: u64,
    /// Those of them that are answered.
    pub answered: u64,
    /// The others, with what is known of them.
    pub open: Vec<PlanGoalView>,
    /// Moves of the plan so far.
    pub moves: u64,
    /// Nodes of all units that are done.
    pub nodes: u64,
    /// Searches of threats of all units that are done.
    pub threats: u64,
    /// Nodes of a unit.
    pub unit_nodes: u64,
    /// Nodes of a reply's own search, before it is divided.
    #[serde(default)]
    pub divide_after: u64,
    /// Nodes after which a reply is given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub goal_nodes: Option<u64>,
    /// Whether all moves of the plan were checked; `morpion plan check` does that.
    pub checked: bool,
    /// Seconds of processor time of what is done.
    pub cpu_seconds: f64,
}

/// A reply that has no plan yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PlanGoalView {
    /// The name of its point; `-` for the first position itself.
    pub reply: String,
    /// `open`; `limit` if its nodes are used up, `given up` if there is nothing more to try, `refused` if a plan was
    /// found that does not hold.
    pub state: String,
    /// Its proof number, a guess at the work that is left, if a unit of it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub proof: Option<u32>,
    /// Units of it that are done.
    pub turns: u64,
    /// Nodes of these units.
    pub nodes: u64,
}
