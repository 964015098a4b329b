//! What an enumeration counts, and which of its units are done: the tree of grids is cut at a fixed depth into units,
//! which are independent of each other and of any order. So an enumeration can be stopped, saved and continued;
//! `runner::enumeration` runs it.

use super::done::DoneSet;
use crate::morpion::enumerate::{CountKind, LineHashes, MAX_DEPTH, walk};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Variant;
use std::ops::ControlFlow;

/// Depth of the units' roots for grids: 13,247 of them in 5T, 82,008 in 4T.
const CUT_GRIDS: u32 = 5;
/// The same if all of 4T is counted: 2,488,802 units.
const CUT_WHOLE_4T: u32 = 7;
/// Depth of the units' roots for sequences: 18,992 of them in 5T, 52,352 in 4T.
const CUT_SEQUENCES: u32 = 3;

/// What is counted, and what has been counted so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enumeration {
    /// Line length and touching rule.
    pub variant: Variant,
    /// Grids or sequences.
    pub kind: CountKind,
    /// The greatest number of moves.
    pub depth: u32,
    /// Moves of the units' roots.
    pub cut: u32,
    /// How many units there are.
    pub units: u64,
    /// The units that are done.
    pub done: DoneSet,
    /// What was counted after 0, 1, 2, ... moves: all that there is above the cut, and what is in the units done.
    pub counts: Vec<u64>,
    /// Grids of at least as many moves as the record of the variant that were met in the units done, up to a thousand
    /// from each unit.
    pub long: Vec<Vec<Move>>,
}

/// What one unit came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitCounts {
    /// Its number among all units.
    pub number: u64,
    /// What there is at its root and 1, 2, ... moves below it.
    pub counts: Vec<u64>,
    /// Long grids in it.
    pub long: Vec<Vec<Move>>,
}

impl Enumeration {
    /// Begins to count up to `depth` moves (at most [`MAX_DEPTH`], which means all there are in lines of 4).
    pub fn new(variant: Variant, kind: CountKind, depth: u32) -> Enumeration {
        let depth = depth.min(MAX_DEPTH);
        let cut = depth.min(match kind {
            CountKind::Sequences => CUT_SEQUENCES,
            CountKind::Grids if variant == Variant::T4 && depth == MAX_DEPTH => CUT_WHOLE_4T,
            CountKind::Grids => CUT_GRIDS,
        });
        let hashes = LineHashes::new(variant);
        let mut units = 0;
        let mut counts = walk(variant, kind, &hashes).split(cut, &mut |_, _| {
            units += 1;
            ControlFlow::Continue(())
        });
        counts.resize(depth as usize + 1, 0);
        Enumeration { variant, kind, depth, cut, units, done: DoneSet::default(), counts, long: Vec::new() }
    }

    /// Whether every unit is done.
    pub fn is_complete(&self) -> bool {
        self.done.len() == self.units
    }

    /// Takes in what a unit came to, once.
    pub fn absorb(&mut self, unit: UnitCounts) {
        if self.done.insert(unit.number) {
            for (sum, n) in self.counts[self.cut as usize..].iter_mut().zip(unit.counts) {
                *sum += n;
            }
            self.long.extend(unit.long);
        }
    }
}
