//! The solver for go: null windows, and under superko first what is easily proven.
//!
//! In a wide window many moves at a time contribute to a value, and with them all the repetitions that they lead to;
//! then little holds by itself and can be stored. So each question is asked as whether the side to move gets a number of
//! points, from the least in question upwards: so only the last is answered by no, which is what repetitions make
//! hard. (That black gets less than 5 on 3x4 takes 0.1 million nodes, that it gets less than 6 without it, or a wide
//! window, many millions.)
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

/// The engine: NegaScout with null windows, in up to three games.
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
    /// Whether the side to move gets `target` at least.
    fn reaches(&mut self, position: &Position, target: Value) -> Result<bool, EngineError> {
        let (algorithm, parts) = (Algorithm::NegaScout, Parts::ALL);
        let (table, busy, monitor) = (self.table, self.busy, self.monitor);
        let mut engine = DepthFirst { algorithm, parts, table, busy, monitor, stats: Stats::default() };
        let value = engine.value(position, target - 1, target);
        self.stats += engine.stats;
        Ok(value? >= target)
    }

    /// The same by the rules of the position, with what is easily proven first.
    fn decide(&mut self, position: &Position, target: Value) -> Result<bool, EngineError> {
        if position.rules().ko == Ko::Superko && !position.has_past() {
            let side = position.side();
            if self.reaches(&without_ko(position, side), target)? {
                return Ok(true);
            }
            if !self.reaches(&without_ko(position, side.other()), target)? {
                return Ok(false);
            }
        }
        self.reaches(position, target)
    }
}

/// The position in the game without a ko rule in which cycles are lost for a side.
fn without_ko(position: &Position, loser: Side) -> Position {
    let cycle = if loser == Side::First { Cycle::LostForBlack } else { Cycle::LostForWhite };
    position.with_rules(Rules { ko: Ko::Free, cycle, ..position.rules() })
}

impl Engine<Position> for GoEngine<'_> {
    fn value(&mut self, position: &Position, alpha: Value, beta: Value) -> Result<Value, EngineError> {
        let point = Position::POINT;
        let (lower, upper) = position.bounds();
        let mut low = alpha.div_euclid(point).max(lower.div_euclid(point));
        let mut high = (-(-beta).div_euclid(point)).min(upper.div_euclid(point));
        while low < high {
            if self.decide(position, (low + 1) * point)? {
                low += 1;
            } else {
                high = low;
            }
        }
        // Below the window if the bounds of the game are.
        let low = low.min(upper.div_euclid(point));
        Ok(low * point)
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
