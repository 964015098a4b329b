//! A search that can be run in slices, saved and restored: what every strategy is to the rest of the program.

use super::ctl::Ctl;
use super::histogram::Histogram;
use std::fmt;

/// Why a call of [`Search::run`] returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The whole space of the unit has been searched: only an exact search without jumps may say so.
    Exhausted,
    /// The strategy has done all it does with this unit, without a proof.
    Finished,
    /// The stall table ended it: too many iterations without the score that the table asks for.
    Stalled,
    /// The unit's iteration budget is used up.
    IterationLimit,
    /// The control said stop; the search can be run on or saved.
    Stopped,
}

/// Where a search stands in what it does: a stage that has a name, and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phase {
    /// What the search does, such as "tempering".
    pub name: &'static str,
    /// Which one of them it is, from 1.
    pub number: u64,
    /// How many there will be, if that is known.
    pub of: Option<u64>,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Phase { name, number, of } = self;
        write!(f, "{name} {number}")?;
        of.map_or(Ok(()), |of| write!(f, " of {of}"))
    }
}

/// A resumable search. `M` is the move type.
///
/// `run` goes on from wherever the search stands. Two calls with a stop between them visit exactly what one
/// call visits, and so does a search restored from what [`Search::save`] returned.
pub trait Search<M>: Send {
    /// Runs until the unit is done or the control says stop.
    fn run(&mut self, ctl: &mut dyn Ctl<M>) -> End;

    /// The complete state as bytes, to be restored by the strategy that made it. The caller adds version and
    /// checksum.
    fn save(&self) -> Vec<u8>;

    /// Iterations done since the unit began: recursive calls for a tree search, playouts for a Monte Carlo one.
    fn iterations(&self) -> u64;

    /// Score (moves, the unit's prefix included) of the best sequence so far.
    fn best(&self) -> u32;

    /// How often each score (the unit's prefix included) was the result of a call of each nesting level, level 0
    /// being the games that are played out, over all of the unit so far. Saved with the search. Empty for a search
    /// that has no such levels.
    fn results(&self) -> &[Histogram] {
        &[]
    }

    /// Where the search stands, if it has phases that mean something to whoever waits for it.
    fn phase(&self) -> Option<Phase> {
        None
    }

    /// The best sequence of a search that is done, the unit's prefix included, as a coordinator learns from it. Empty
    /// for the searches that nobody learns from.
    fn best_game(&self) -> Vec<M> {
        Vec::new()
    }
}

/// A saved state that cannot be restored.
#[derive(Debug, thiserror::Error)]
#[error("the saved state of a {strategy} search cannot be restored: {reason}")]
pub struct RestoreError {
    /// The strategy that was asked to restore it.
    pub strategy: &'static str,
    /// What is wrong with it.
    pub reason: String,
}
