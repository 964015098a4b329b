//! What is known of moves: the bounds of each first move, and the line of play that the value rests on.
//!
//! A node whose bounds have met has a child that its lower bound comes from. Play from child to child of this kind
//! keeps what both sides are sure of, as far as the top of the tree goes; below it the units know, and forget.

use super::node::NodeId;
use super::state::TreeState;
use crate::core::game::Game;
use crate::solvers::solve::Bounds;

impl<G: Game> TreeState<G> {
    /// The legal first moves with what is known of them, for the side to move. Nothing is known as long as the root
    /// is not expanded.
    pub fn first_moves(&self) -> Vec<(G::Move, Option<Bounds>)> {
        let mut moves = Vec::new();
        self.root.moves(&mut moves);
        let known = |m: &G::Move| {
            let mut after = self.keyed.clone();
            after.play(*m);
            // Symmetric moves share a node.
            let id = self.keys.get(&(1, after.symmetric_key().hash))?;
            let node = self.nodes.get(*id as usize)?;
            Some(Bounds { lower: -node.upper, upper: -node.lower })
        };
        moves.into_iter().map(|m| (m, known(&m))).collect()
    }

    /// The moves from the root that both sides play best, as far as that is known; none before the value is.
    pub fn line(&self) -> Vec<G::Move> {
        let (mut line, mut at) = (Vec::new(), 0 as NodeId);
        let (mut position, mut keyed) = (self.root.clone(), self.keyed.clone());
        let mut moves = Vec::new();
        loop {
            let node = &self.nodes[at as usize];
            if node.lower < node.upper {
                return line;
            }
            moves.clear();
            position.moves(&mut moves);
            // Moves of the position itself: those in the tree may belong to a symmetric one.
            let best = moves.iter().find_map(|&m| {
                let mut after = keyed.clone();
                after.play(m);
                let id = *self.keys.get(&(node.level + 1, after.symmetric_key().hash))?;
                let keeps =
                    node.children.iter().any(|edge| edge.node == id) && -self.nodes[id as usize].upper >= node.lower;
                keeps.then_some((m, id))
            });
            let Some((m, id)) = best else { return line };
            line.push(m);
            position.play(m);
            keyed.play(m);
            at = id;
        }
    }
}
