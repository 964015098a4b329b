//! Which leaves the window at the root needs, with which windows, and how surely.
//!
//! Alpha-beta down the top, with all bounds that are known. The first open child of a node is needed if the node is.
//! A later one is needed only if none of the open ones before it is at least beta for the node. How likely that is
//! follows from the estimate of each: half if it is beta, and less the further it is beyond. The *doubt* of a leaf is
//! minus the logarithm of the probability that it is needed. Doubts add up along the way; a leaf that several ways
//! lead to has the least of them, and the least window that covers them all.

use super::node::{NodeId, TreeNode};
use super::settings::Window;
use crate::core::game::Value;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::LazyLock;

/// The doubt of what is needed with a probability of one half; two of them are a probability of a quarter.
pub const DOUBT_OF_HALF: u32 = 64;
/// What passing over a child adds to the doubt goes by eighths of the usual error of estimates, from -8 to 8 of them.
const STEPS: Value = 8;
const MOST_ERRORS: Value = 8;
/// What passing over a child adds to the doubt: `log2(1 + exp(x))` halvings where its estimate is `x` usual errors
/// beyond beta, for the node.
static PASSED: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let errors = (-MOST_ERRORS * STEPS..=MOST_ERRORS * STEPS).map(|step| f64::from(step) / f64::from(STEPS));
    errors.map(|x| (f64::from(DOUBT_OF_HALF) * (1.0 + x.exp()).log2()).max(1.0) as u32).collect()
});

/// A leaf that is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    /// The leaf's node.
    pub node: NodeId,
    /// What is asked of it.
    pub window: Window,
    /// How improbable it is that it is needed: [`DOUBT_OF_HALF`] for each halving of the probability.
    pub doubt: u32,
}

/// What is known of a node that was walked to.
#[derive(Clone, Copy)]
struct VisitedNode {
    window: Window,
    doubt: u32,
}

/// The leaves that `window` at the root needs, the surest first. An estimate is often wrong by `scatter`.
pub fn leaves(nodes: &[TreeNode], window: Window, scatter: Value) -> Vec<Leaf> {
    let scatter = scatter.max(1);
    let mut seen: Vec<Option<VisitedNode>> = vec![None; nodes.len()];
    let mut leaves: Vec<NodeId> = Vec::new();
    // Nodes to walk to, in the order in which they were met; those ahead by their doubt, and their places there.
    let mut met: Vec<(NodeId, Window)> = vec![(0, window)];
    let mut ahead = BinaryHeap::from([(Reverse(0u32), Reverse(0usize))]);
    while let Some((Reverse(mut doubt), Reverse(place))) = ahead.pop() {
        let (id, window) = met[place];
        let node = &nodes[id as usize];
        let Some(mut window) = window.left(node.lower, node.upper) else { continue };
        if let Some(seen) = seen[id as usize] {
            if seen.window.covers(window) {
                continue;
            }
            (window, doubt) = (seen.window.with(window), seen.doubt);
        } else if node.is_leaf() {
            leaves.push(id);
        }
        seen[id as usize] = Some(VisitedNode { window, doubt });
        let turned = window.turned();
        for child in in_order(node) {
            let below = &nodes[child as usize];
            if turned.left(below.lower, below.upper).is_some() {
                ahead.push((Reverse(doubt), Reverse(met.len())));
                met.push((child, turned));
                doubt = doubt.saturating_add(passed_over(turned.alpha - below.likely(), scatter));
            }
        }
    }
    let leaf = |node: NodeId| seen[node as usize].map(|VisitedNode { window, doubt }| Leaf { node, window, doubt });
    leaves.into_iter().filter_map(leaf).collect()
}

/// What passing over a child adds to the doubt whose estimate is so far beyond beta, for the node.
fn passed_over(beyond: Value, scatter: Value) -> u32 {
    let step = beyond.saturating_mul(STEPS).div_euclid(scatter).clamp(-MOST_ERRORS * STEPS, MOST_ERRORS * STEPS);
    PASSED[(step + MOST_ERRORS * STEPS) as usize]
}

/// The children in the order in which they are tried: the one that the lower bound comes from, then by promise.
pub fn in_order(node: &TreeNode) -> impl Iterator<Item = NodeId> {
    let proof = node.proof.map(usize::from);
    let first = proof.and_then(|i| node.children.get(i));
    let rest = (node.children.iter().enumerate()).filter(move |&(i, _)| Some(i) != proof).map(|(_, edge)| edge);
    first.into_iter().chain(rest).map(|edge| edge.node)
}

#[cfg(test)]
mod tests {
    use super::super::node::Edge;
    use super::*;

    #[test]
    fn what_is_passed_over_is_half_at_beta_and_more_the_further_it_is_beyond() {
        assert_eq!([-40, 0, 20, 40, 80].map(|beyond| passed_over(beyond, 40)), [28, 64, 89, 121, 196]);
        // A cut-off that is all but certain: as many halvings as log2(exp(8)).
        assert_eq!([320, 321, Value::MAX].map(|beyond| passed_over(beyond, 40)), [738; 3]);
        assert_eq!([-320, -1000, Value::MIN].map(|beyond| passed_over(beyond, 40)), [1; 3]);
    }

    const WINDOW: Window = Window { alpha: 0, beta: 10 };

    fn node(estimate: Value, children: &[NodeId]) -> TreeNode {
        let children = children.iter().map(|&node| Edge { code: node as u16, node }).collect();
        let (lower, upper) = (-1000, 1000);
        TreeNode {
            parent: 0,
            code: 0,
            level: 0,
            lower,
            upper,
            estimate,
            hash: 0,
            children,
            proof: None,
            parents: vec![],
        }
    }

    fn doubts(nodes: &[TreeNode]) -> Vec<(NodeId, u32)> {
        leaves(nodes, WINDOW, 40).iter().map(|leaf| (leaf.node, leaf.doubt)).collect()
    }

    #[test]
    fn a_later_child_is_doubted_as_far_as_earlier_ones_look_like_cut_offs() {
        let mut nodes = [node(50, &[1, 2, 3]), node(-50, &[]), node(30, &[]), node(30, &[])];
        assert_eq!(doubts(&nodes), [(1, 0), (2, 121), (3, 149)]);
        // The first turns out not to cut off.
        nodes[1].lower = 0;
        assert_eq!(doubts(&nodes), [(2, 0), (3, 28)]);
        // The second does.
        nodes[2].upper = -10;
        nodes[0].lower = 10;
        assert_eq!(doubts(&nodes), []);
    }

    #[test]
    fn a_leaf_that_two_ways_lead_to_has_the_least_doubt() {
        // 1 and 2 both lead to 4; 1 leads to 3 first, which is likely to be enough for 1.
        let nodes = [node(0, &[1, 2]), node(0, &[3, 4]), node(0, &[4]), node(-200, &[]), node(0, &[])];
        let passed = passed_over(-10, 40);
        assert_eq!(doubts(&nodes), [(3, 0), (4, passed)]);
        assert_eq!(leaves(&nodes, WINDOW, 40)[1].window, WINDOW);
    }
}
