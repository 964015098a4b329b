//! Which leaves the window at the root needs, with which windows, and how surely.
//!
//! Alpha-beta down the top, with all bounds that are known. A node that is likely to be at least beta is expected to
//! be cut off by its first open child: the second is needed with cost 1, the third with cost 2, and so on. A node
//! that is likely to be below needs all its children anyway, at no cost. Costs add up along the way; a leaf that
//! several ways lead to has the least of them, and the least window that covers them all.

use super::node::{NodeId, TreeNode};
use super::settings::Window;

/// A leaf that is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    /// The leaf's node.
    pub node: NodeId,
    /// What is asked of it.
    pub window: Window,
    /// How many likely cut-offs are passed over on the way to it.
    pub cost: u32,
}

/// What is known of a node that was walked to.
#[derive(Clone, Copy)]
struct VisitedNode {
    window: Window,
    cost: u32,
}

struct WindowWalk<'a> {
    nodes: &'a [TreeNode],
    /// By the numbers of the nodes.
    seen: Vec<Option<VisitedNode>>,
    /// Leaves that were walked to, in that order.
    leaves: Vec<NodeId>,
}

/// The leaves that `window` at the root needs: the surest first, and among those alike from left to right.
pub fn leaves(nodes: &[TreeNode], window: Window) -> Vec<Leaf> {
    let mut walk = WindowWalk { nodes, seen: vec![None; nodes.len()], leaves: Vec::new() };
    walk.visit(0, window, 0);
    let leaf =
        |&node: &NodeId| walk.seen[node as usize].map(|VisitedNode { window, cost }| Leaf { node, window, cost });
    let mut leaves: Vec<Leaf> = walk.leaves.iter().filter_map(leaf).collect();
    leaves.sort_by_key(|leaf| leaf.cost);
    leaves
}

/// The children in the order in which they are tried: the one that the lower bound comes from, then by promise.
pub fn in_order(node: &TreeNode) -> impl Iterator<Item = NodeId> {
    let proof = node.proof.map(usize::from);
    let first = proof.and_then(|i| node.children.get(i));
    let rest = (node.children.iter().enumerate()).filter(move |&(i, _)| Some(i) != proof).map(|(_, edge)| edge);
    first.into_iter().chain(rest).map(|edge| edge.node)
}

impl WindowWalk<'_> {
    fn visit(&mut self, id: NodeId, window: Window, cost: u32) {
        let nodes = self.nodes;
        let node = &nodes[id as usize];
        let Some(mut window) = window.left(node.lower, node.upper) else { return };
        let mut cost = cost;
        if let Some(seen) = self.seen[id as usize] {
            if seen.window.covers(window) && seen.cost <= cost {
                return;
            }
            (window, cost) = (seen.window.with(window), seen.cost.min(cost));
        } else if node.is_leaf() {
            self.leaves.push(id);
        }
        self.seen[id as usize] = Some(VisitedNode { window, cost });
        let cut_off = node.likely() >= window.beta;
        let mut passed = 0;
        for child in in_order(node) {
            let TreeNode { lower, upper, .. } = nodes[child as usize];
            if window.turned().left(lower, upper).is_some() {
                self.visit(child, window.turned(), cost + passed);
                passed += u32::from(cut_off);
            }
        }
    }
}
