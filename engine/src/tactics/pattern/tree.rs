//! The moves of a tesuji for both sides, as a tree.

use super::arrangement::PatternPlace;
use crate::core::game::Side;
use crate::notation::sgf::collection::Property;

/// A move of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeMove {
    /// Where the stone is put.
    pub place: PatternPlace,
    /// Black begins, and the sides take turns.
    pub side: Side,
    /// The move before it; `None` for a first one.
    pub parent: Option<usize>,
    /// What else its node in the file has: comments, marks.
    pub others: Vec<Property>,
}

/// Moves, each after the one that it follows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MoveTree {
    moves: Vec<TreeMove>,
}

impl MoveTree {
    /// A tree with this only move of black.
    pub fn single(place: PatternPlace) -> MoveTree {
        MoveTree { moves: vec![TreeMove { place, side: Side::First, parent: None, others: Vec::new() }] }
    }

    /// All moves, each after the one that it follows.
    pub fn moves(&self) -> &[TreeMove] {
        &self.moves
    }

    /// Whether it has no move.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The moves that follow one, or the first ones.
    pub fn children(&self, parent: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        (0..self.moves.len()).filter(move |&id| self.moves[id].parent == parent)
    }

    /// Adds a move, unless the same one is there. Its number.
    pub fn add(&mut self, parent: Option<usize>, place: PatternPlace, others: Vec<Property>) -> usize {
        let known = self.children(parent).find(|&id| self.moves[id].place == place);
        known.unwrap_or_else(|| {
            let side = parent.map_or(Side::First, |parent| self.moves[parent].side.other());
            self.moves.push(TreeMove { place, side, parent, others });
            self.moves.len() - 1
        })
    }

    /// Adds the moves of another tree, carried to other places.
    pub fn merge(&mut self, other: &MoveTree, carry: impl Fn(PatternPlace) -> PatternPlace) {
        let mut here = Vec::with_capacity(other.moves.len());
        for step in &other.moves {
            let parent = step.parent.map(|parent| here[parent]);
            here.push(self.add(parent, carry(step.place), step.others.clone()));
        }
    }

    /// The moves up to one, from the first on.
    pub fn path(&self, to: usize) -> Vec<usize> {
        let mut path: Vec<usize> = std::iter::successors(Some(to), |&id| self.moves[id].parent).collect();
        path.reverse();
        path
    }

    /// What follows a move, as a tree of its own; the whole tree for `None`.
    pub fn below(&self, top: Option<usize>) -> MoveTree {
        let Some(top) = top else { return self.clone() };
        let mut below = MoveTree::default();
        let mut places = vec![None; self.moves.len()];
        for (id, step) in self.moves.iter().enumerate() {
            let Some(parent) = step.parent else { continue };
            if parent == top || places[parent].is_some() {
                let parent = if parent == top { None } else { places[parent] };
                let side = step.side;
                below.moves.push(TreeMove { parent, side, ..step.clone() });
                places[id] = Some(below.moves.len() - 1);
            }
        }
        below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_merged_and_cut() {
        let mut one = MoveTree::default();
        let a = one.add(None, (0, 0), Vec::new());
        let b = one.add(Some(a), (1, 0), Vec::new());
        one.add(Some(b), (2, 0), Vec::new());
        let mut other = MoveTree::default();
        let c = other.add(None, (0, 0), Vec::new());
        other.add(Some(c), (0, 1), Vec::new());
        other.add(None, (5, 5), Vec::new());
        one.merge(&other, |place| place);
        let told: Vec<_> =
            one.moves().iter().map(|step| (step.place, step.parent, step.side == Side::First)).collect();
        let all = [
            ((0, 0), None, true),
            ((1, 0), Some(0), false),
            ((2, 0), Some(1), true),
            ((0, 1), Some(0), false),
            ((5, 5), None, true),
        ];
        assert_eq!(told, all);
        one.merge(&other, |place| place);
        assert_eq!(one.moves().len(), all.len());
        let below = one.below(Some(b));
        assert_eq!((below.moves().len(), below.moves()[0].place, below.moves()[0].parent), (1, (2, 0), None));
        assert_eq!(one.path(2), [0, 1, 2]);
    }
}
