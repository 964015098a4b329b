//! A search of some plies with an estimate at their end: what a player looks ahead with.

use crate::core::game::{Game, Value};
use crate::solvers::monitor::Stopped;
use crate::solvers::negascout::negascout;
use crate::solvers::search::NodeSearch;

/// A search that stands at a position.
pub trait PlySearch<G: Game> {
    /// The value of a move of the position for the side that makes it, `depth` plies deep, of which the move is one.
    /// It is exact between alpha and beta, and a bound at or beyond them.
    ///
    /// # Errors
    /// The search is to stop; it is of no further use.
    fn value_of(&mut self, m: G::Move, depth: u32, alpha: Value, beta: Value) -> Result<Value, Stopped>;

    /// Whether a value that was found since this was last asked rests on an estimate.
    fn take_estimated(&mut self) -> bool;

    /// How many positions have been visited.
    fn nodes(&self) -> u64;

    /// Reports the positions that were not yet reported.
    ///
    /// # Errors
    /// The search is to stop.
    fn report(&mut self) -> Result<(), Stopped>;
}

impl<G: Game> PlySearch<G> for NodeSearch<'_, G> {
    fn value_of(&mut self, m: G::Move, depth: u32, alpha: Value, beta: Value) -> Result<Value, Stopped> {
        let undo = self.play(m);
        let value = -negascout(self, depth - 1, -beta, -alpha)?;
        self.undo(m, undo);
        Ok(value)
    }

    fn take_estimated(&mut self) -> bool {
        std::mem::take(&mut self.estimated)
    }

    fn nodes(&self) -> u64 {
        self.stats.nodes
    }

    fn report(&mut self) -> Result<(), Stopped> {
        NodeSearch::report(self)
    }
}
