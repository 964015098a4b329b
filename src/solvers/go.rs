//! Go under superko: first what is easily proven, then the game as it is.
//!
//! Superko forbids boards of the past, so the past belongs to the key of a position, and hardly any position is met
//! twice. But what a side can force in the game without any ko rule, although every cycle is its loss there, it can
//! force under superko, too (see [`crate::games::go`]), and that game has no past. So each question is asked there
//! first, from both sides; only what neither answers is searched with the past in the keys. This holds for positions
//! that have no past themselves: from others the search with the past begins at once.

use super::algorithm::{Algorithm, DepthFirst};
use super::busy::Busy;
use super::monitor::Monitor;
use super::search::{Parts, Stats};
use super::solve::{Engine, EngineError};
use super::table::Table;
use crate::core::game::{Game, Side, Value};
use crate::games::go::position::Position;
use crate::games::go::rules::{Cycle, Ko, Rules};

/// The engine: NegaScout in up to three games.
#[derive(Debug)]
pub struct GoEngine<'a> {
    /// Its memory between questions and between threads.
    pub table: &'a Table,
    /// What other threads of the same search are at, if there are any.
    pub busy: Option<&'a Busy>,
    /// Who watches it.
    pub monitor: &'a Monitor,
    /// What was done so far.
    pub stats: Stats,
}

impl GoEngine<'_> {
    fn ask(&mut self, position: &Position, alpha: Value, beta: Value) -> Result<Value, EngineError> {
        let (algorithm, parts) = (Algorithm::NegaScout, Parts::ALL);
        let (table, busy, monitor) = (self.table, self.busy, self.monitor);
        let mut engine = DepthFirst { algorithm, parts, table, busy, monitor, stats: Stats::default() };
        let value = engine.value(position, alpha, beta);
        self.stats += engine.stats;
        value
    }

    /// What the side forces at least in the game without a ko rule, as the value for the side to move.
    fn without_ko(
        &mut self,
        position: &Position,
        forcing: Side,
        alpha: Value,
        beta: Value,
    ) -> Result<Value, EngineError> {
        let cycle = if forcing == Side::First { Cycle::LostForBlack } else { Cycle::LostForWhite };
        let rules = Rules { ko: Ko::Free, cycle, ..position.rules() };
        self.ask(&position.with_rules(rules), alpha, beta)
    }
}

impl Engine<Position> for GoEngine<'_> {
    fn value(&mut self, position: &Position, alpha: Value, beta: Value) -> Result<Value, EngineError> {
        if position.rules().ko != Ko::Superko || position.has_past() {
            return self.ask(position, alpha, beta);
        }
        let side = position.side();
        let lower = self.without_ko(position, side, alpha, beta)?;
        if lower >= beta {
            return Ok(lower);
        }
        // Below the lower bound nothing is left to find out; at the lower end of the window it is no bound.
        let least = if lower > alpha { lower - 1 } else { alpha };
        let upper = self.without_ko(position, side.other(), least, beta)?;
        if upper <= alpha || lower > alpha && upper <= lower {
            return Ok(upper);
        }
        self.ask(position, alpha, beta)
    }

    fn hint(&self, position: &Position) -> Option<<Position as Game>::Move> {
        let (algorithm, parts) = (Algorithm::NegaScout, Parts::ALL);
        let (table, busy, monitor) = (self.table, self.busy, self.monitor);
        DepthFirst { algorithm, parts, table, busy, monitor, stats: Stats::default() }.hint(position)
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}
