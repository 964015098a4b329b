//! Which units wait for workers, in the order of their leaves, and which leaf is to have the next unit. Kept step by
//! step, so that thousands of workers are served between two changes of the tree.

use super::unit::UnitId;
use super::walk::Leaf;
use std::collections::BTreeMap;

/// The place of a leaf that is not needed.
const NOWHERE: u32 = u32::MAX;

/// Needed leaves by their places, the surest first, and what is known of their units.
#[derive(Debug, Clone, Default)]
pub(super) struct WaitingUnits {
    /// Which state of the tree it belongs to; `None`: to none.
    version: Option<u64>,
    /// The place of each leaf, by the number of its node.
    places: Vec<u32>,
    /// Whether the leaf at a place has a unit.
    has_unit: Vec<bool>,
    /// The first place whose leaf has none.
    next: usize,
    /// There is no leaf that is to be split for there to be more sure ones.
    is_wide: bool,
    /// Units that need more workers, by the places of their leaves.
    units: BTreeMap<u32, UnitId>,
}

impl WaitingUnits {
    /// Whether it belongs to this state of the tree.
    pub(super) fn is_of(&self, version: u64) -> bool {
        self.version == Some(version)
    }

    /// Begins anew for these leaves, of a tree of so many nodes. No leaf has a unit.
    pub(super) fn begin(&mut self, version: u64, leaves: &[Leaf], nodes: usize) {
        self.version = Some(version);
        self.places.clear();
        self.places.resize(nodes, NOWHERE);
        for (place, leaf) in (0..).zip(leaves) {
            self.places[leaf.node as usize] = place;
        }
        self.has_unit.clear();
        self.has_unit.resize(leaves.len(), false);
        (self.next, self.is_wide) = (0, false);
        self.units.clear();
    }

    /// The leaf of this node has a unit, which needs more workers or not.
    pub(super) fn note(&mut self, node: u32, unit: UnitId, waits: bool) {
        let Some(&place) = self.places.get(node as usize).filter(|&&place| place != NOWHERE) else { return };
        self.has_unit[place as usize] = true;
        while self.has_unit.get(self.next) == Some(&true) {
            self.next += 1;
        }
        if waits {
            self.units.insert(place, unit);
        } else {
            self.units.remove(&place);
        }
    }

    /// Whether no leaf is to be split for there to be more sure ones.
    pub(super) fn is_wide(&self) -> bool {
        self.is_wide
    }

    /// Notes whether none is, until the tree changes.
    pub(super) fn set_wide(&mut self, is_wide: bool) {
        self.is_wide = is_wide;
    }

    /// Whether the leaf at this place has a unit.
    pub(super) fn has_unit(&self, place: usize) -> bool {
        self.has_unit.get(place).copied().unwrap_or(false)
    }

    /// The first place whose leaf has no unit, if there is one.
    pub(super) fn next_place(&self) -> Option<usize> {
        (self.next < self.has_unit.len()).then_some(self.next)
    }

    /// The units that need more workers, in the order of their leaves, with these leaves' places.
    pub(super) fn units(&self) -> impl Iterator<Item = (usize, UnitId)> {
        self.units.iter().map(|(&place, &unit)| (place as usize, unit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tree::settings::Window;

    #[test]
    fn units_wait_in_the_order_of_their_leaves() {
        let leaf = |node, doubt| Leaf { node, window: Window { alpha: 0, beta: 1 }, doubt };
        let leaves = [leaf(7, 0), leaf(3, 0), leaf(9, 1), leaf(2, 4)];
        let mut waiting = WaitingUnits::default();
        assert!(!waiting.is_of(0));
        waiting.begin(5, &leaves, 10);
        assert!(waiting.is_of(5) && !waiting.is_of(4));
        waiting.note(3, 100, true);
        assert_eq!(waiting.next_place(), Some(0));
        waiting.note(7, 101, true);
        waiting.note(4, 102, true); // not needed
        assert_eq!((waiting.next_place(), waiting.units().collect::<Vec<_>>()), (Some(2), vec![(0, 101), (1, 100)]));
        waiting.note(7, 101, false);
        waiting.note(9, 103, false);
        waiting.note(2, 104, true);
        assert_eq!((waiting.next_place(), waiting.units().collect::<Vec<_>>()), (None, vec![(1, 100), (3, 104)]));
        waiting.begin(6, &leaves[..1], 10);
        assert_eq!((waiting.next_place(), waiting.units().count()), (Some(0), 0));
    }
}
