//! The changes of a solution's state, and the events that they lead to.

use super::credit::{Spent, WorkerId};
use super::node::NodeId;
use super::settings::Window;
use super::unit::{UnitId, UnitOutcome};
use crate::solvers::solve::Bounds;
use serde::{Deserialize, Serialize};

/// A change that must not be lost: the same value is applied live and on replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TreeRecord {
    /// A worker that was not known has come. Workers are numbered in this order.
    Joined {
        /// Who gets its credit.
        user: String,
        /// Its name among the user's.
        name: String,
    },
    /// A unit was made. Units are numbered in this order.
    Made {
        /// For this leaf, with the window that it is needed for.
        node: NodeId,
    },
    /// A leaf was replaced by its children, without asking.
    Split {
        /// The leaf that was replaced.
        node: NodeId,
    },
    /// A worker is done with a unit, whatever became of the unit meanwhile.
    Settled {
        /// Number of the unit.
        unit: UnitId,
        /// The worker that had it.
        worker: WorkerId,
        /// The window that it searched last.
        window: Window,
        /// How it ended.
        outcome: UnitOutcome,
        /// What it took.
        spent: Spent,
    },
    /// Several leaves were replaced or workers done with units, before anybody looked what is needed now. Each of the
    /// records is [`TreeRecord::Split`] or [`TreeRecord::Settled`].
    Together(Vec<TreeRecord>),
}

impl TreeRecord {
    /// What it says of workers that are done with units: records [`TreeRecord::Settled`].
    pub fn settled(&self) -> impl Iterator<Item = &TreeRecord> {
        let all = if let TreeRecord::Together(records) = self { records } else { std::slice::from_ref(self) };
        all.iter().filter(|record| matches!(record, TreeRecord::Settled { .. }))
    }

    /// One record of several, if there are any: alone what is alone, else together.
    pub fn of(mut records: Vec<TreeRecord>) -> Option<TreeRecord> {
        match records.len() {
            0 | 1 => records.pop(),
            _ => Some(TreeRecord::Together(records)),
        }
    }
}

/// What a change led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeEvent {
    /// A unit was settled, and this is known of its node.
    Absorbed {
        /// Number of the unit.
        unit: UnitId,
        /// The node that it asked about.
        node: NodeId,
        /// What is known of it.
        bounds: Bounds,
    },
    /// A unit is not needed any more.
    Closed {
        /// Number of the unit.
        unit: UnitId,
    },
    /// A unit is needed for another window only.
    Window {
        /// Number of the unit.
        unit: UnitId,
        /// What is asked now.
        window: Window,
    },
    /// A leaf was replaced by its children.
    Split {
        /// The leaf that was replaced.
        node: NodeId,
    },
    /// Workers do not agree on a unit.
    Disagreement {
        /// Number of the unit.
        unit: UnitId,
    },
    /// A claim was refused: it contradicts what is known, or most others.
    Refused {
        /// Number of the unit.
        unit: UnitId,
        /// The worker that made the claim.
        worker: WorkerId,
    },
    /// A worker is no longer trusted.
    Distrusted {
        /// The worker that was wrong.
        worker: WorkerId,
    },
    /// What is known of a node's children contradicts what is known of it: some worker was wrong, and believed.
    Contradiction {
        /// The node whose bounds contradict each other.
        node: NodeId,
    },
    /// The bounds of the root are closer.
    Closer(Bounds),
    /// The root is asked another window.
    Asking(Window),
    /// The question is answered.
    Finished(Bounds),
}

/// A record, or a stored state, that cannot be: it was damaged, or belongs to another game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Misfit(pub String);
