//! The units of a solution that are not settled, and what workers claim about them.

use super::credit::{Spent, WorkerId};
use super::node::NodeId;
use super::settings::Window;
use crate::core::game::{MAX_VALUE, Value};
use serde::{Deserialize, Serialize};

/// Number of a unit, never used again within a solution.
pub type UnitId = u64;

/// How a worker came to an end with a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnitOutcome {
    /// The value is within these.
    Answered {
        /// At least this.
        lower: Value,
        /// At most this.
        upper: Value,
    },
    /// The budget was used up.
    Exhausted,
    /// It was stopped, or gave up.
    Stopped,
    /// The solver failed.
    Failed,
}

impl UnitOutcome {
    /// The outcome of a search that found `value` within `window` (fail-soft).
    pub fn of_value(value: Value, window: Window) -> UnitOutcome {
        UnitOutcome::Answered {
            lower: if value > window.alpha { value } else { -MAX_VALUE },
            upper: if value < window.beta { value } else { MAX_VALUE },
        }
    }
}

/// What an outcome says about a window: outcomes are compared by this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// At most alpha.
    Low,
    /// At least beta.
    High,
    /// This value, between them.
    Exact(Value),
    /// Nothing, within the budget.
    Exhausted,
}

impl Class {
    /// The class of an outcome, `None` if it answers nothing or contradicts itself.
    pub fn of(outcome: UnitOutcome, window: Window) -> Option<Class> {
        match outcome {
            UnitOutcome::Answered { lower, upper } if lower > upper => None,
            UnitOutcome::Answered { upper, .. } if upper <= window.alpha => Some(Class::Low),
            UnitOutcome::Answered { lower, .. } if lower >= window.beta => Some(Class::High),
            UnitOutcome::Answered { lower, upper } if lower == upper => Some(Class::Exact(lower)),
            UnitOutcome::Exhausted => Some(Class::Exhausted),
            UnitOutcome::Answered { .. } | UnitOutcome::Stopped | UnitOutcome::Failed => None,
        }
    }
}

/// An outcome that waits for others to compare it with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The worker that claims it.
    pub worker: WorkerId,
    /// The window that it searched.
    pub window: Window,
    /// The outcome that it claims.
    pub outcome: UnitOutcome,
    /// What it spent.
    pub spent: Spent,
}

/// A unit that is not settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenUnit {
    /// The leaf that it asks about.
    pub node: NodeId,
    /// What it asks, as far as it is still needed.
    pub window: Window,
    /// What was claimed so far.
    pub claims: Vec<Claim>,
    /// Workers whose claim was refused: they are not asked again.
    pub barred: Vec<WorkerId>,
    /// Whether its window was changed: then workers may differ in what they take.
    pub moved: bool,
    /// How often a worker failed on it.
    pub failures: u32,
}

impl OpenUnit {
    /// Whether a worker has had its say on it.
    pub fn knows(&self, worker: WorkerId) -> bool {
        self.barred.contains(&worker) || self.claims.iter().any(|claim| claim.worker == worker)
    }

    /// Whether as many have answered as are to agree, none of them wrong, but one of them has used up the budget: the
    /// window was changed meanwhile.
    pub fn is_undecided(&self, quorum: usize) -> bool {
        let has_exhausted = self.claims.iter().any(|claim| claim.outcome == UnitOutcome::Exhausted);
        self.moved && self.claims.len() >= quorum && has_exhausted
    }
}
