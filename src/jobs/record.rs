//! The state of a hunt and its changes. The same change is applied when it happens and when it is read again from the
//! journal, so both lead to the same state.

use super::done::DoneSet;
use super::find::Find;
use crate::core::histogram::{Histogram, Results, SCORES};
use crate::core::search::End;
use crate::morpion::geometry::Move;
use serde::{Deserialize, Serialize};

/// A unit that has come to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedUnit {
    /// Number of the unit.
    pub id: u64,
    /// Checksum of the unit, to recognise it by.
    pub check: u32,
    /// Why it ended.
    pub end: End,
    /// Iterations it took.
    pub iterations: u64,
    /// Its best score.
    pub best: u32,
    /// What its search counted per nesting level.
    pub results: Results,
}

/// A call of a search that is shared has come to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedCall {
    /// The unit that the call was.
    pub ended: EndedUnit,
    /// Its result: the moves of its best game, those of the start included.
    pub game: Vec<Move>,
}

/// A change of the hunt's state that must not be lost: the same value is applied live and on replay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum HuntRecord {
    /// A new best grid.
    Best(Find),
    /// A unit is done.
    Ended(EndedUnit),
    /// A call of a search that is shared is done.
    Called(EndedCall),
}

impl HuntRecord {
    /// The new best grid, if it is one.
    pub fn best(&self) -> Option<&Find> {
        match self {
            HuntRecord::Best(best) => Some(best),
            HuntRecord::Ended(_) | HuntRecord::Called(_) => None,
        }
    }

    /// The unit that is done by it, if one is.
    pub fn ended(&self) -> Option<&EndedUnit> {
        match self {
            HuntRecord::Best(_) => None,
            HuntRecord::Ended(ended) | HuntRecord::Called(EndedCall { ended, .. }) => Some(ended),
        }
    }
}

/// Sums over the units done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Units that are done.
    pub units: u64,
    /// Iterations of all of them.
    pub iterations: u64,
    /// How many of them searched all of their space.
    pub exhausted: u64,
    /// How many the stall table ended.
    pub stalled: u64,
}

/// What is saved of the levels above the calls of a shared search, in addition to the numbers of the calls done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PipelineState {
    /// Results that the saved levels have absorbed.
    pub fed: u64,
    /// The levels ([`crate::strategies::nrpa::upper::UpperLevels::save`]).
    pub levels: Vec<u8>,
    /// The results of later calls, by their numbers.
    pub results: Vec<(u64, Vec<Move>)>,
}

/// The state of a hunt as it is saved: with the job, all of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HuntState {
    /// Units handed out or done have numbers below this.
    pub produced: u64,
    /// CRC-32 of the units with numbers below `produced`, in order; of a search that is shared, of the last one with
    /// its policy.
    pub digest: u32,
    /// Numbers of the units that are done.
    pub done: DoneSet,
    /// Sums over the units that are done.
    pub totals: Totals,
    /// The best grid so far.
    pub best: Option<Find>,
    /// Best scores of the units done.
    pub scores: Histogram,
    /// What the searches of the units done counted per nesting level.
    pub results: Results,
    /// The levels above the calls, for a search that is shared; only in a state that is to be saved.
    pub pipeline: Option<PipelineState>,
}

impl HuntState {
    /// Applies a change. Changes that the state has seen already leave it as it is.
    pub fn apply(&mut self, record: &HuntRecord) {
        match record {
            HuntRecord::Best(best) => {
                if self.best.as_ref().is_none_or(|old| old.score() < best.score()) {
                    self.best = Some(best.clone());
                }
            }
            HuntRecord::Ended(ended) | HuntRecord::Called(EndedCall { ended, .. }) => {
                if self.done.insert(ended.id) {
                    self.totals.units += 1;
                    self.totals.iterations = self.totals.iterations.saturating_add(ended.iterations);
                    self.totals.exhausted += u64::from(ended.end == End::Exhausted);
                    self.totals.stalled += u64::from(ended.end == End::Stalled);
                    if (ended.best as usize) < SCORES {
                        self.scores.add(ended.best as usize);
                    }
                    self.results.merge(ended.results.levels());
                }
            }
        }
    }

    /// The best score, 0 if there is no grid yet.
    pub fn score(&self) -> u32 {
        self.best.as_ref().map_or(0, Find::score)
    }
}
