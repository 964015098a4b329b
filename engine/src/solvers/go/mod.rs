//! The solver for go. It asks questions of yes or no, each whether the side to move gets a number of points, from the
//! least number in question upwards.
//!
//! With basic ko, and without any ko rule, a game without end is worth the same to one side or the other. So one of
//! them has to force an end that it wants, and fails otherwise, and what rests on repetitions can be remembered
//! ([`race`], [`conditional`]).
//!
//! Positional superko forbids boards of the past, so every game ends, but what is true of a position depends on its
//! past. There each proof is stored with what it asks of a past ([`superko`], [`certificate`]), and used again for
//! every past that fits. The general solvers put the past into the keys, which would leave hardly any position to be
//! met twice.
//!
//! [`ordering`] and [`zobrist`] are common to both. [`player`] plays on boards of all sizes.
//!
//! Some points are sure for a side that answers each threat ([`crate::games::go::miai`]). They settle questions with
//! basic ko or none. Under superko they do not, since an answer could make a board of the past.

pub mod answer;
pub mod certificate;
pub mod conditional;
pub mod ordering;
pub mod player;
pub mod race;
pub mod superko;
pub mod zobrist;

use super::algorithm::{Algorithm, DepthFirst};
use super::busy::Busy;
use super::monitor::Monitor;
use super::search::{Parts, Stats};
use super::solve::{Engine, EngineError};
use super::table::Table;
use crate::core::game::{Game, Side, Value};
use crate::games::go::board::GoBoard;
use crate::games::go::position::GoPosition;
use crate::games::go::rules::{Cycle, GoRules, Ko};
use certificate::Certificates;
use conditional::{Conditional, DEEPEST};
use race::{Race, RaceQuestion};
use superko::SuperkoRace;
use zobrist::Zobrist;

/// Longest past under superko that proofs can tell apart, in plies; after a longer one the general search answers.
const LONGEST_PAST: usize = DEEPEST / 2;

/// Points of the largest board that a player tries to solve.
const SMALL: u16 = 16;

/// About how many nodes it takes to solve the empty board; nothing if it is too large for a player.
pub fn nodes_of_board(board: GoBoard, rules: GoRules) -> Option<u64> {
    let nodes = 10.0 * 2.1f64.powi(board.area().into()) * if rules.ko == Ko::Superko { 4.0 } else { 1.0 };
    (board.area() <= SMALL).then_some(nodes as u64)
}

/// The engine: questions of yes or no.
#[derive(Debug)]
pub struct GoEngine<'a> {
    table: &'a Table,
    busy: Option<&'a Busy>,
    monitor: &'a Monitor,
    stats: Stats,
    conditional: Conditional,
    certificates: Certificates,
    zobrist: Option<(GoBoard, Zobrist)>,
    /// The question asked last, whose moves the table remembers.
    last: Option<RaceQuestion>,
}

impl<'a> GoEngine<'a> {
    /// An engine that remembers in `table`, between questions and between threads; `busy` is what other threads of
    /// the same search are at, if there are any; `monitor` watches it. It takes up to a quarter of the table's memory
    /// besides, under superko up to a half: there each thread keeps its proofs for itself.
    pub fn new(table: &'a Table, busy: Option<&'a Busy>, monitor: &'a Monitor) -> GoEngine<'a> {
        let conditional = Conditional::new(table.bytes_each() / 4);
        let certificates = Certificates::new(table.bytes_each() / 2);
        GoEngine {
            table,
            busy,
            monitor,
            stats: Stats::default(),
            conditional,
            certificates,
            zobrist: None,
            last: None,
        }
    }

    /// Whether the side to move gets `target` points at least, in a game without superko.
    fn reaches(&mut self, position: &GoPosition, target: i32) -> Result<bool, EngineError> {
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
            self.forces(position, RaceQuestion { attacker: side, target, rules })
        } else {
            Ok(!self.forces(position, RaceQuestion { attacker: side.other(), target: 1 - target, rules })?)
        }
    }

    /// Whether the attacker forces what it wants.
    fn forces(&mut self, position: &GoPosition, question: RaceQuestion) -> Result<bool, EngineError> {
        self.last = Some(question);
        self.prepare(position.board());
        let Some(mut race) = self.race(position.board(), question) else { return Ok(false) };
        let answer = race.answer(position.state());
        // The question is answered: a stop that comes this late does not matter.
        let _ = race.report();
        let stats = race.stats;
        self.stats += stats;
        answer?.ok_or(EngineError::TooDeep(DEEPEST as u32))
    }

    fn prepare(&mut self, board: GoBoard) {
        if self.zobrist.as_ref().is_none_or(|(of, _)| *of != board) {
            self.zobrist = Some((board, Zobrist::new(board)));
        }
    }

    fn race(&mut self, board: GoBoard, question: RaceQuestion) -> Option<Race<'_>> {
        let (_, zobrist) = self.zobrist.as_ref()?;
        let (table, busy, monitor) = (self.table, self.busy, self.monitor);
        Some(Race::new(question, board, zobrist, table, &mut self.conditional, busy, monitor))
    }

    /// The same under superko.
    fn reaches_under_superko(&mut self, position: &GoPosition, target: i32) -> Result<bool, EngineError> {
        let question = RaceQuestion { attacker: position.side(), target, rules: position.rules() };
        self.last = Some(question);
        self.prepare(position.board());
        let Some((_, zobrist)) = self.zobrist.as_ref() else { return Ok(false) };
        let (table, certificates, monitor) = (self.table, &mut self.certificates, self.monitor);
        let mut race = SuperkoRace::new(question, position.board(), zobrist, table, certificates, monitor);
        let answer = race.answer(position.past(), position.state());
        // The question is answered: a stop that comes this late does not matter.
        let _ = race.report();
        let stats = race.stats;
        self.stats += stats;
        answer?.ok_or(EngineError::TooDeep(DEEPEST as u32))
    }

    /// The same by the rules of the position.
    fn decide(&mut self, position: &GoPosition, target: i32) -> Result<bool, EngineError> {
        if position.rules().ko != Ko::Superko {
            return self.reaches(position, target);
        }
        if position.past().len() <= LONGEST_PAST {
            return self.reaches_under_superko(position, target);
        }
        let (algorithm, parts) = (Algorithm::NegaScout, Parts::ALL);
        let (table, busy, monitor) = (self.table, self.busy, self.monitor);
        let mut engine = DepthFirst { algorithm, parts, table, busy, monitor, stats: Stats::default() };
        let value = engine.value(position, target * GoPosition::POINT - 1, target * GoPosition::POINT);
        self.stats += engine.stats;
        Ok(value? >= target * GoPosition::POINT)
    }
}

impl Engine<GoPosition> for GoEngine<'_> {
    fn value(&mut self, position: &GoPosition, alpha: Value, beta: Value) -> Result<Value, EngineError> {
        let point = GoPosition::POINT;
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

    fn hint(&self, position: &GoPosition) -> Option<<GoPosition as Game>::Move> {
        let (board, zobrist) = self.zobrist.as_ref()?;
        let question = self.last?;
        let found = if question.rules.ko == Ko::Superko {
            let mut none = Certificates::new(0);
            let mut race = SuperkoRace::new(question, *board, zobrist, self.table, &mut none, self.monitor);
            race.hint(position.past(), position.state())
        } else {
            let mut none = Conditional::new(0);
            let race = Race::new(question, *board, zobrist, self.table, &mut none, None, self.monitor);
            race.hint(position.state())
        };
        found.filter(|&m| position.is_legal(m))
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}
