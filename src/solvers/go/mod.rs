//! The solver for go: questions of yes or no ([`race`]), and under superko first what is easily proven.
//!
//! Each question is whether the side to move gets a number of points, from the least in question upwards. A game without end
//! is worth the same to one side or the other, so one of them has to force an end that it wants, and fails
//! otherwise: then what rests on repetitions can be remembered ([`conditional`]).
//!
//! Superko forbids boards of the past, so the past belongs to the key of a position, and hardly any position is met
//! twice. But what a side can force with basic ko, although every cycle is its loss, it mostly can force under superko, too,
//! and that can be checked ([`strategy`]); what it can force without any ko rule it always can (see [`crate::games::go`]).
//! Those games have no past. So each question is asked there first, from both sides; only what neither answers is searched
//! with the past in the keys. This holds for positions that have no past themselves: from others the search with the past
//! begins at once.
//!
//! What is sure for a side that answers ([`crate::games::go::miai`]) settles questions with basic ko or none. For the
//! sake of superko they are asked without it: an answer could make a board of the past.

pub mod answer;
pub mod conditional;
pub mod race;
pub mod strategy;
pub mod zobrist;

use super::algorithm::{Algorithm, DepthFirst};
use super::busy::Busy;
use super::monitor::Monitor;
use super::search::{Parts, Stats};
use super::solve::{Engine, EngineError};
use super::table::Table;
use crate::core::game::{Game, Side, Value};
use crate::games::go::board::Board;
use crate::games::go::position::Position;
use crate::games::go::rules::{Cycle, Ko, Rules};
use conditional::{Conditional, DEEPEST};
use race::{Question, Race};
use strategy::is_legal_under_superko;
use zobrist::Zobrist;

/// The engine: questions of yes or no, in up to three games.
#[derive(Debug)]
pub struct GoEngine<'a> {
    table: &'a Table,
    busy: Option<&'a Busy>,
    monitor: &'a Monitor,
    stats: Stats,
    conditional: Conditional,
    zobrist: Option<(Board, Zobrist)>,
    /// The question asked last, whose moves the table remembers, and whether it was asked for the sake of superko.
    last: Option<Question>,
    superko: bool,
}

impl<'a> GoEngine<'a> {
    /// An engine that remembers in `table`, between questions and between threads; `busy` is what other threads of the same
    /// search are at, if there are any; `monitor` watches it. It takes up to a quarter of the table's memory besides.
    pub fn new(table: &'a Table, busy: Option<&'a Busy>, monitor: &'a Monitor) -> GoEngine<'a> {
        let conditional = Conditional::new(table.bytes() / 4);
        GoEngine {
            table,
            busy,
            monitor,
            stats: Stats::default(),
            conditional,
            zobrist: None,
            last: None,
            superko: false,
        }
    }

    /// Whether the side to move gets `target` points at least, in a game without superko.
    fn reaches(&mut self, position: &Position, target: i32) -> Result<bool, EngineError> {
        let (rules, side) = (position.rules(), position.side());
        let area = position.board().area() as i32;
        let of_black = match rules.cycle {
            Cycle::Tie => 0,
            Cycle::LostForBlack => -area,
            Cycle::LostForWhite => area,
        };
        let cycle = if side == Side::First { of_black } else { -of_black };
        // Whoever does not like a game without end has to force its own.
        if cycle < target {
            self.forces(position, Question { attacker: side, target, rules })
        } else {
            Ok(!self.forces(position, Question { attacker: side.other(), target: 1 - target, rules })?)
        }
    }

    /// Whether the attacker forces what it wants under superko, as far as that is easily proven.
    fn forces_under_superko(
        &mut self,
        position: &Position,
        attacker: Side,
        target: i32,
    ) -> Result<bool, EngineError> {
        let basic = Rules { ko: Ko::Basic, ..position.rules() };
        if !self.forces(&position.with_rules(basic), Question { attacker, target, rules: basic })? {
            return Ok(false);
        }
        let Some(mut race) = self.race(position.board(), Question { attacker, target, rules: basic }) else {
            return Ok(false);
        };
        let legal = is_legal_under_superko(&mut race, position.with_rules(basic).state());
        let told = race.report();
        let stats = race.stats;
        self.stats += stats;
        if legal? {
            return Ok(true);
        }
        told?;
        let free = Rules { ko: Ko::Free, ..basic };
        self.forces(&position.with_rules(free), Question { attacker, target, rules: free })
    }

    /// Whether the attacker forces what it wants.
    fn forces(&mut self, position: &Position, question: Question) -> Result<bool, EngineError> {
        self.last = Some(question);
        self.prepare(position.board());
        let Some(mut race) = self.race(position.board(), question) else { return Ok(false) };
        let answer = race.answer(position.state());
        let told = race.report();
        let stats = race.stats;
        self.stats += stats;
        let answer = answer?.ok_or(EngineError::TooDeep(DEEPEST as u32))?;
        // The question is answered: a stop that comes this late does not matter.
        let _ = told;
        Ok(answer)
    }

    fn prepare(&mut self, board: Board) {
        if self.zobrist.as_ref().is_none_or(|(of, _)| *of != board) {
            self.zobrist = Some((board, Zobrist::new(board)));
        }
    }

    fn race(&mut self, board: Board, question: Question) -> Option<Race<'_>> {
        let (_, zobrist) = self.zobrist.as_ref()?;
        let (table, busy, monitor) = (self.table, self.busy, self.monitor);
        let race = Race::new(question, board, zobrist, table, &mut self.conditional, busy, monitor);
        Some(if self.superko { race.without_answers() } else { race })
    }

    /// The same by the rules of the position: under superko, with what is easily proven first.
    fn decide(&mut self, position: &Position, target: i32) -> Result<bool, EngineError> {
        self.superko = position.rules().ko == Ko::Superko;
        if !self.superko {
            return self.reaches(position, target);
        }
        if !position.has_past() {
            let side = position.side();
            if self.forces_under_superko(position, side, target)? {
                return Ok(true);
            }
            if self.forces_under_superko(position, side.other(), 1 - target)? {
                return Ok(false);
            }
        }
        let (algorithm, parts) = (Algorithm::NegaScout, Parts::ALL);
        let (table, busy, monitor) = (self.table, self.busy, self.monitor);
        let mut engine = DepthFirst { algorithm, parts, table, busy, monitor, stats: Stats::default() };
        let value = engine.value(position, target * Position::POINT - 1, target * Position::POINT);
        self.stats += engine.stats;
        Ok(value? >= target * Position::POINT)
    }
}

impl Engine<Position> for GoEngine<'_> {
    fn value(&mut self, position: &Position, alpha: Value, beta: Value) -> Result<Value, EngineError> {
        let point = Position::POINT;
        let (lower, upper) = position.bounds();
        let mut low = alpha.div_euclid(point).max(lower.div_euclid(point));
        let mut high = (-(-beta).div_euclid(point)).min(upper.div_euclid(point));
        while low < high {
            if self.decide(position, low + 1)? {
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
        let (board, zobrist) = self.zobrist.as_ref()?;
        let mut none = Conditional::new(0);
        let race = Race::new(self.last?, *board, zobrist, self.table, &mut none, None, self.monitor);
        let race = if self.superko { race.without_answers() } else { race };
        race.hint(position.state()).filter(|&m| position.is_legal(m))
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}
