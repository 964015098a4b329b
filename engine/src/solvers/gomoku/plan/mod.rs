//! Plans: proofs that one side, the *attacker*, wins from positions in which threats alone do not win yet.
//!
//! A *plan* ([`WinningPlan`]) says which move the attacker makes in a position. It has the positions that may arise,
//! up to symmetry, in which the attacker does not win by threats ([`super::threats`]) already. [`search`] looks for
//! one by proof numbers ([`saved`] keeps such a search), [`text`] writes and reads it, and [`check`] goes through it
//! by rules of its own: after each of its moves every legal reply has to lead to another position of the plan, or to
//! a victory by threats. A move adds a stone, so a plan whose moves all hold proves its first position. (L. V. Allis,
//! H. J. van den Herik and M. P. H. Huntjens, 1993, proved 15x15 by proof numbers and threats; this is not their
//! search.)

pub mod check;
pub mod naive;
pub mod node;
pub mod saved;
pub mod search;
pub mod text;

use crate::core::game::{Game, Side};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::gomoku::rules::RowRule;
use crate::games::gomoku::symmetry;
use crate::solvers::gomoku::threats::ThreatTables;
use std::collections::{HashMap, HashSet};

/// A position of a plan, with the attacker to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedMove {
    /// The moves that lead from the plan's first position here, from a reply of the defender on; nothing for the
    /// first position itself.
    pub way: Vec<u16>,
    /// The attacker's move.
    pub answer: u16,
}

/// A position from which no plan can be looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlanStartError {
    /// Rules in which a move may be forbidden, or a row not enough.
    #[error("plans are for the rules five and free, not for {0}")]
    Rule(&'static str),
    /// A row that is too long or too short.
    #[error("plans are for rows of three to five stones, not of {0}")]
    Row(u8),
    /// Nothing can be played.
    #[error("the game is over in this position")]
    Over,
    /// It cannot be written as the moves of a game.
    #[error(
        "a plan begins with a position of a game, in which black has as many stones as white or one more; this one has \
         {0} and {1}"
    )]
    Stones(usize, usize),
}

/// Which move the attacker makes where threats alone do not win.
#[derive(Debug, Clone)]
pub struct WinningPlan {
    start: GomokuPosition,
    attacker: Side,
    moves: Vec<PlannedMove>,
    /// For each position, as the least of its images, the answer in that image.
    answers: HashMap<Box<[u8]>, u16>,
}

impl WinningPlan {
    /// A plan without moves for the side that is to win from a position on.
    pub fn new(start: GomokuPosition, attacker: Side) -> WinningPlan {
        WinningPlan { start, attacker, moves: Vec::new(), answers: HashMap::new() }
    }

    /// A plan without moves, if one can be looked for from this position on.
    ///
    /// # Errors
    /// The game is over, no game leads to the position, or plans are not for these rules.
    pub fn begin(start: GomokuPosition, attacker: Side) -> Result<WinningPlan, PlanStartError> {
        let plan = WinningPlan::new(start, attacker);
        plan.tables()?;
        let start = &plan.start;
        if start.winner().is_some() || start.empty() == 0 {
            return Err(PlanStartError::Over);
        }
        let black = start.stones().filter(|&(_, colour)| colour == Side::First).count();
        let white = start.stones().count() - black;
        if black == white || black == white + 1 { Ok(plan) } else { Err(PlanStartError::Stones(black, white)) }
    }

    /// The tables of its board and rules.
    ///
    /// # Errors
    /// Plans are not for these rules.
    pub fn tables(&self) -> Result<ThreatTables, PlanStartError> {
        let rules = self.start.rules();
        if ![RowRule::Five, RowRule::Free].contains(&rules.rule()) {
            return Err(PlanStartError::Rule(rules.rule().name()));
        }
        ThreatTables::new(self.start.board(), rules).ok_or(PlanStartError::Row(rules.win()))
    }

    /// Whether it is about the same as another plan: the position, the rules and the attacker.
    pub fn is_about_same(&self, other: &WinningPlan) -> bool {
        let about = |plan: &WinningPlan| (plan.start.board(), plan.start.rules(), plan.attacker);
        about(self) == about(other) && self.start.stones().eq(other.start.stones())
    }

    /// The first position.
    pub fn start(&self) -> &GomokuPosition {
        &self.start
    }

    /// The side that wins.
    pub fn attacker(&self) -> Side {
        self.attacker
    }

    /// Its positions with the moves made there, in the order in which they were added.
    pub fn moves(&self) -> &[PlannedMove] {
        &self.moves
    }

    /// The attacker's move in a position where it is to move, if the plan has the position or an image of it.
    pub fn answer(&self, position: &GomokuPosition) -> Option<u16> {
        let (stones, symmetry) = canonical(position);
        let &image = self.answers.get(&stones)?;
        Some(symmetry::unapply(position.board(), symmetry, image))
    }

    /// Adds a position, unless the plan has it already; whether it is new. The moves are legal.
    pub fn add(&mut self, way: Vec<u16>, position: &GomokuPosition, answer: u16) -> bool {
        let (stones, symmetry) = canonical(position);
        if self.answers.contains_key(&stones) {
            return false;
        }
        self.answers.insert(stones, symmetry::apply(position.board(), symmetry, answer));
        self.moves.push(PlannedMove { way, answer });
        true
    }

    /// The moves that lead to the positions that a plan has to answer first and does not: one reply each, one of
    /// those that lead to images of the same position; or none, if the attacker is to move in the first position.
    pub fn open_replies(&self) -> Vec<Vec<u16>> {
        if self.start.side() == self.attacker {
            return if self.answer(&self.start).is_some() { Vec::new() } else { vec![Vec::new()] };
        }
        let (mut seen, mut open, mut position) = (HashSet::new(), Vec::new(), self.start.clone());
        for point in self.start.board().points().filter(|&point| self.start.stone(point).is_none()) {
            let undo = position.play(GomokuMove(point));
            if seen.insert(canonical(&position).0) && self.answer(&position).is_none() {
                open.push(vec![point]);
            }
            position.undo(GomokuMove(point), undo);
        }
        open
    }

    /// The position of a planned move.
    pub fn position(&self, planned: &PlannedMove) -> GomokuPosition {
        self.position_after(&planned.way)
    }

    /// The position that moves lead to from the first one. They are legal.
    pub fn position_after(&self, way: &[u16]) -> GomokuPosition {
        let mut position = self.start.clone();
        for &point in way {
            position.play(GomokuMove(point));
        }
        position
    }
}

/// The stones of a position as the least of its images, and the symmetry that leads there.
pub fn canonical(position: &GomokuPosition) -> (Box<[u8]>, u8) {
    let board = position.board();
    let image = |symmetry: u8| -> Box<[u8]> {
        let mut stones: Vec<(u16, u8)> = (position.stones())
            .map(|(point, colour)| (symmetry::apply(board, symmetry, point), u8::from(colour == Side::Second)))
            .collect();
        stones.sort_unstable();
        stones.into_iter().flat_map(|(point, colour)| [(point >> 8) as u8, point as u8, colour]).collect()
    };
    let images = (0..symmetry::count(board)).map(|symmetry| (image(symmetry), symmetry));
    images.min().unwrap_or_default()
}
