//! How the top of the tree grows: a leaf gets its children; how it begins; and how bounds go up.

use super::estimate::estimate;
use super::node::{Edge, NodeId, TreeNode, own_bounds};
use super::record::{Misfit, TreeEvent};
use super::state::TreeState;
use crate::core::game::{Game, Value};
use std::cmp::Reverse;
use std::collections::BTreeSet;

impl<G: Game> TreeState<G> {
    /// Makes a part of the tree before the first unit: splits all open leaves above `plies`, level by level, as long
    /// as the tree has fewer than `most` nodes and `stop` does not say otherwise. Whether it is done, as it always is
    /// once there was a unit. This is not a record, since the outcome depends on the root alone. Whoever stores the
    /// state takes a checkpoint before the first unit.
    ///
    /// # Errors
    /// None that a whole state gives.
    pub fn grow(
        &mut self,
        plies: u32,
        most: usize,
        stop: &mut dyn FnMut() -> bool,
        events: &mut Vec<TreeEvent>,
    ) -> Result<bool, Misfit> {
        let before = self.bounds();
        let mut done = true;
        'levels: for level in 0..plies {
            for id in 0..self.nodes.len() {
                let node = &self.nodes[id];
                if u32::from(node.level) != level || !node.is_leaf() || node.lower >= node.upper {
                    continue;
                }
                if self.meta.next_unit > 0 || self.nodes.len() >= most || self.is_finished() {
                    break 'levels;
                }
                if stop() {
                    done = false;
                    break 'levels;
                }
                self.expand(id as NodeId, events)?;
            }
        }
        self.meta.nodes = self.nodes.len() as NodeId;
        if done {
            // Only now, so that the next window does not depend on where it stopped.
            self.settle(before, false, events)?;
        } else {
            self.look_down();
            if self.bounds() != before {
                events.push(TreeEvent::Closer(self.bounds()));
            }
        }
        Ok(done)
    }

    /// Gives a leaf its children.
    pub(super) fn expand(&mut self, id: NodeId, events: &mut Vec<TreeEvent>) -> Result<(), Misfit> {
        self.is_stale = true;
        let (position, keyed) = self.position_and_keyed(id)?;
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let level = self.nodes[id as usize].level.saturating_add(1);
        let mut edges: Vec<(Value, i32, Edge)> = Vec::with_capacity(moves.len());
        for m in moves {
            let (mut after, mut key) = (position.clone(), keyed.clone());
            after.play(m);
            key.play(m);
            let hash = key.symmetric_key().hash;
            let code = position.code(m);
            let node = match self.keys.get(&(level, hash)) {
                Some(&known) => known,
                None => self.add_child(&after, Edge { code, node: id }, level, hash)?,
            };
            // A symmetric move leads to the same child.
            if edges.iter().all(|(_, _, edge)| edge.node != node) {
                let known = &mut self.nodes[node as usize];
                // Sorted, as they come when a state is restored.
                known.parents.insert(known.parents.partition_point(|&other| other < id), id);
                edges.push((known.likely(), -position.prior(m), Edge { code, node }));
            }
        }
        edges.sort_by_key(|&(likely, prior, _)| (likely, prior));
        self.nodes[id as usize].children = edges.into_iter().map(|(_, _, edge)| edge).collect();
        self.dirty.nodes.insert(id);
        events.push(TreeEvent::Split { node: id });
        self.back_up(id, events);
        Ok(())
    }

    /// Adds a node for the position after a move; `from` is the move and the node before it.
    fn add_child(&mut self, position: &G, from: Edge, level: u16, hash: u64) -> Result<NodeId, Misfit> {
        let id = NodeId::try_from(self.nodes.len()).map_err(|_| Misfit("the tree has too many nodes".to_owned()))?;
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let (lower, upper, estimate) = if moves.is_empty() {
            let value = position.outcome();
            (value, value, value)
        } else {
            let (lower, upper) = own_bounds(position);
            (lower, upper, estimate(position, self.meta.settings.look_ahead))
        };
        self.nodes.push(TreeNode {
            parent: from.node,
            code: from.code,
            level,
            lower,
            upper,
            estimate,
            hash,
            children: Vec::new(),
            proof: None,
            parents: Vec::new(),
        });
        self.keys.insert((level, hash), id);
        self.dirty.nodes.insert(id);
        Ok(id)
    }

    /// Brings the bounds and the estimate of a node up to date with its children, and so on up to the root.
    pub(super) fn back_up(&mut self, id: NodeId, events: &mut Vec<TreeEvent>) {
        self.is_stale = true;
        // The deepest first, so that each node is done once, after all below it.
        let mut open = BTreeSet::from([(Reverse(self.nodes[id as usize].level), id)]);
        while let Some((_, id)) = open.pop_first() {
            if self.update(id, events) {
                self.dirty.nodes.insert(id);
                let nodes = &self.nodes;
                open.extend(nodes[id as usize].parents.iter().map(|&up| (Reverse(nodes[up as usize].level), up)));
            }
        }
    }

    /// Brings a node up to date with its children; whether it changed.
    fn update(&mut self, id: NodeId, events: &mut Vec<TreeEvent>) -> bool {
        let node = &self.nodes[id as usize];
        if node.is_leaf() {
            // Its bounds were changed by whoever asks.
            return true;
        }
        let (mut lower, mut upper, mut estimate, mut proof) = (Value::MIN, Value::MIN, Value::MIN, 0);
        for (i, edge) in node.children.iter().enumerate() {
            let child = &self.nodes[edge.node as usize];
            if -child.upper > lower {
                (lower, proof) = (-child.upper, i);
            }
            upper = upper.max(-child.lower);
            estimate = estimate.max(-child.likely());
        }
        let node = &mut self.nodes[id as usize];
        if lower > node.upper || upper < node.lower {
            self.meta.contradictions += 1;
            events.push(TreeEvent::Contradiction { node: id });
            return false;
        }
        let before = (node.lower, node.upper, node.estimate, node.proof);
        if lower > node.lower {
            (node.lower, node.proof) = (lower, u16::try_from(proof).ok());
        }
        node.upper = node.upper.min(upper);
        node.estimate = estimate;
        before != (node.lower, node.upper, node.estimate, node.proof)
    }
}
