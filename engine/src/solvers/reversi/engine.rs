//! The engine of the Reversi solver: wide windows by null windows, on one thread of perhaps several.

use super::midgame::{Midgame, WHOLE, in_points};
use super::rules::EndgameRules;
use super::search::{Compiled, Endgame};
use crate::core::game::{Game, Value};
use crate::games::reversi::board::ReversiBoard;
use crate::games::reversi::flips::Plain;
#[cfg(target_arch = "x86_64")]
use crate::games::reversi::flips::{Avx2, Avx512};
use crate::games::reversi::position::{ReversiMove, ReversiPosition, hash};
use crate::games::reversi::weights::PatternWeights;
use crate::solvers::busy::Busy;
use crate::solvers::monitor::Monitor;
use crate::solvers::search::Stats;
use crate::solvers::solve::{Engine, EngineError};
use crate::solvers::table::Table;

/// About how many nodes it takes to solve a position with so many empty cells: the median of 60 games, for 10 to 20
/// empty cells. With a learned evaluation, on 8x8, of games to learn from (`morpion selfplay reversi`); without, of
/// games that the player made with 3000 nodes a move. A tenth of them takes three times as many.
pub fn nodes_to_end(board: ReversiBoard, empty: u32) -> u64 {
    let (few, growth) = if board == ReversiBoard::FULL { (3800.0, 2.04_f64) } else { (3900.0, 2.23_f64) };
    (few * growth.powi(empty.min(60) as i32 - FEW_EMPTY)).max(1.0) as u64
}

/// The number of empty cells from which that is counted.
const FEW_EMPTY: i32 = 10;

/// With so many empty cells a value is guessed before it is searched, and by a search of so many plies at most.
const GUESSED: u32 = 14;
const GUESSED_DEPTH: u32 = 10;

/// The weights of the evaluation of a position's board, if they were learned.
fn learned(position: &ReversiPosition) -> Option<&'static PatternWeights> {
    (position.board() == ReversiBoard::FULL).then(PatternWeights::usual)
}

/// The engine for Reversi on one thread.
#[derive(Debug)]
pub struct ReversiEngine<'a> {
    /// Its memory between questions and between threads. Of one board and one rule for empty cells only.
    pub table: &'a Table,
    /// What other threads of the same search are at, if there are any.
    pub busy: Option<&'a Busy>,
    /// Who watches it.
    pub monitor: &'a Monitor,
    /// What was done for all questions so far.
    pub stats: Stats,
}

/// A body with the best instructions that the processor has.
macro_rules! with_instructions {
    ($i:ident => $body:expr) => {{
        #[cfg(target_arch = "x86_64")]
        match (Avx512::detect(), Avx2::detect()) {
            (Some($i), _) => $body,
            (None, Some($i)) => $body,
            (None, None) => {
                let $i = Plain;
                $body
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let $i = Plain;
            $body
        }
    }};
}
pub(super) use with_instructions;

impl Engine<ReversiPosition> for ReversiEngine<'_> {
    fn value(&mut self, position: &ReversiPosition, alpha: Value, beta: Value) -> Result<Value, EngineError> {
        with_instructions!(i => self.run(i, position, alpha, beta))
    }

    /// Where there is a learned evaluation, what a search of some plies says.
    fn guess(&mut self, position: &ReversiPosition, given: Value) -> Result<Value, EngineError> {
        let empty = position.empty().count_ones();
        let Some(weights) = learned(position).filter(|_| given == 0 && empty >= GUESSED) else { return Ok(given) };
        let mut search = Midgame::new(EndgameRules::of(position), Some(weights), self.table, self.monitor);
        let mut value = 0;
        for depth in 1..=(empty - GUESSED / 2).min(GUESSED_DEPTH) {
            value = with_instructions!(i => search.value(i, position.own(), position.enemy(), depth, WHOLE));
        }
        search.report();
        self.stats.nodes += search.nodes;
        match search.stopped {
            Some(reason) => Err(reason.into()),
            None => Ok(in_points(value)),
        }
    }

    fn hint(&self, position: &ReversiPosition) -> Option<ReversiMove> {
        let (own, enemy, symmetry) =
            EndgameRules::of(position).image(position.own(), position.enemy(), position.empty().count_ones());
        let square = (self.table.get(hash(own, enemy))? >> 16) as u8;
        (square < 64).then(|| position.from_hashed(ReversiMove(square), symmetry))
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}

impl ReversiEngine<'_> {
    /// MTD(f): null windows until they leave one value or an end of the window is passed.
    fn run<I: Compiled>(
        &mut self,
        i: I,
        position: &ReversiPosition,
        alpha: Value,
        beta: Value,
    ) -> Result<Value, EngineError> {
        let point = ReversiPosition::POINT;
        let weights = learned(position);
        let mut search = Endgame::new(EndgameRules::of(position), self.table, weights, self.busy, self.monitor);
        let (own, enemy, empty) = (position.own(), position.enemy(), position.empty().count_ones());
        let area = position.board().area() as i32;
        // In discs: what is above `low` and at most `high` is asked for.
        let (low, high) = (alpha.div_euclid(point).max(-area - 1), (-(-beta).div_euclid(point)).min(area + 1));
        let (mut lower, mut upper) = (low, high);
        let (mut value, mut next) = (low, (low + high).div_euclid(2));
        while lower < upper && search.stopped.is_none() {
            let test = next.clamp(lower + 1, upper);
            value = search.value(i, own, enemy, test - 1, empty);
            if value < test {
                (upper, next) = (value, value);
            } else {
                (lower, next) = (value, value + 1);
            }
        }
        self.stats.nodes += search.nodes;
        match search.stopped {
            Some(reason) => Err(reason.into()),
            None => {
                // The question is answered: a stop that comes this late does not matter.
                search.report();
                Ok(point * value)
            }
        }
    }
}
