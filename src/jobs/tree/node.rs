//! A node of the top of the tree.

use crate::core::game::{Game, Value};
use crate::solvers::solve::Bounds;
use serde::{Deserialize, Serialize};

/// Number of a node, in the order in which they were made; the root is 0.
pub type NodeId = u32;

/// The root has no parent.
pub const NO_PARENT: NodeId = NodeId::MAX;

/// A move to a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// The move's code.
    pub code: u16,
    /// The node that the move leads to.
    pub node: NodeId,
}

/// A node. Values are for its side to move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeNode {
    /// The node that it was made from, the first one of perhaps several above it.
    pub parent: NodeId,
    /// Code of the move that leads here from there.
    pub code: u16,
    /// Plies from the root.
    pub level: u16,
    /// The value is at least this.
    pub lower: Value,
    /// The value is at most this.
    pub upper: Value,
    /// What a shallow search makes of it; of an expanded node, what those of its children make of it.
    pub estimate: Value,
    /// Key of the position, shared by symmetric ones.
    pub hash: u64,
    /// Children in order of promise, those that are equal up to symmetry once; none in a leaf of the top.
    pub children: Vec<Edge>,
    /// Which of the children the lower bound comes from, if it comes from one.
    pub proof: Option<u16>,
    /// All nodes above it; made anew from their children when a state is restored.
    #[serde(skip)]
    pub parents: Vec<NodeId>,
}

impl TreeNode {
    /// Whether it has no children in the top.
    pub fn is_leaf(&self) -> bool {
        self.children.is_empty()
    }

    /// What is known of the value, for the side to move.
    pub fn bounds(&self) -> Bounds {
        Bounds { lower: self.lower, upper: self.upper }
    }

    /// The estimate as far as it is possible.
    pub fn likely(&self) -> Value {
        self.estimate.max(self.lower).min(self.upper)
    }
}

/// Bounds that the game itself knows of an unfinished position, in whole points.
pub(super) fn own_bounds<G: Game>(position: &G) -> (Value, Value) {
    let (lower, upper) = position.bounds();
    round(lower, upper, G::POINT)
}

/// Bounds in whole points: values are.
pub(super) fn round(lower: Value, upper: Value, point: Value) -> (Value, Value) {
    (-(-lower).div_euclid(point) * point, upper.div_euclid(point) * point)
}
