//! The depth-first algorithms by name, and the engine that runs one of them.

use super::alphabeta::alphabeta;
use super::busy::Busy;
use super::deepening::deepen;
use super::entry::{NO_MOVE, TableEntry};
use super::minimax::minimax;
use super::monitor::{Monitor, Stopped};
use super::mtdf::mtdf;
use super::negamax::negamax;
use super::negascout::negascout;
use super::search::{NodeSearch, Parts, Stats, UNLIMITED};
use super::solve::{Engine, EngineError};
use super::table::Table;
use crate::core::game::{Game, Value};

/// A depth-first algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// Minimax without any cut: [`super::minimax`].
    Minimax,
    /// Alpha-beta with two sides: [`super::alphabeta`].
    AlphaBeta,
    /// Alpha-beta in negamax form: [`super::negamax`].
    Negamax,
    /// Principal variation search: [`super::negascout`].
    NegaScout,
    /// Memory-enhanced test driver: [`super::mtdf`].
    Mtdf,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Algorithm; 5] =
        [Algorithm::Minimax, Algorithm::AlphaBeta, Algorithm::Negamax, Algorithm::NegaScout, Algorithm::Mtdf];

    /// Searches to the depth limit `last`, by iterative deepening if that part is on. Minimax heeds no window. The
    /// value is proven unless [`NodeSearch::estimated`] is set afterwards.
    ///
    /// # Errors
    /// The search is to stop.
    pub fn search<G: Game>(
        self,
        search: &mut NodeSearch<G>,
        last: u32,
        alpha: Value,
        beta: Value,
    ) -> Result<Value, Stopped> {
        deepen(search, last, |search, depth, before| match self {
            Algorithm::Minimax => minimax(search, depth),
            Algorithm::AlphaBeta => alphabeta(search, depth, alpha, beta),
            Algorithm::Negamax => negamax(search, depth, alpha, beta),
            Algorithm::NegaScout => negascout(search, depth, alpha, beta),
            Algorithm::Mtdf => mtdf(search, depth, alpha, beta, before.unwrap_or(0)),
        })
    }
}

/// An engine that answers by one of the algorithms.
#[derive(Debug)]
pub struct DepthFirst<'a> {
    /// The algorithm that searches.
    pub algorithm: Algorithm,
    /// The parts of the search that are switched on.
    pub parts: Parts,
    /// Its memory between questions and between threads.
    pub table: &'a Table,
    /// What other threads of the same search are at, if there are any.
    pub busy: Option<&'a Busy>,
    /// Who watches it.
    pub monitor: &'a Monitor,
    /// What was done for all questions so far.
    pub stats: Stats,
}

impl<G: Game> Engine<G> for DepthFirst<'_> {
    fn value(&mut self, position: &G, alpha: Value, beta: Value) -> Result<Value, EngineError> {
        let mut search = NodeSearch::new(position.clone(), self.parts, self.table, self.busy, self.monitor);
        let value = self.algorithm.search(&mut search, UNLIMITED, alpha, beta);
        let told = search.report();
        self.stats += search.stats;
        let value = value?;
        if search.estimated {
            return Err(EngineError::TooDeep(UNLIMITED));
        }
        // The question is answered: a stop that comes this late does not matter.
        let _ = told;
        Ok(value)
    }

    fn hint(&self, position: &G) -> Option<G::Move> {
        let key = if self.parts.symmetry { position.symmetric_key() } else { position.key() };
        let best = TableEntry::get(self.table, key.hash).map_or(NO_MOVE, |entry| entry.best);
        position.decode(best).map(|m| position.from_hashed(m, key.symmetry))
    }

    fn stats(&self) -> Stats {
        self.stats
    }

    fn heeds_windows(&self) -> bool {
        self.algorithm != Algorithm::Minimax
    }
}
