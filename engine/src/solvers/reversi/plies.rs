//! What players of Reversi look ahead with: [`super::midgame`] from a position, in points.

use super::cuts::ProbableCuts;
use super::engine::with_instructions;
use super::midgame::{HIGHEST, Midgame, WHOLE, from_points, in_points, remembered};
use super::rules::EndgameRules;
use crate::core::game::{Game, Value};
use crate::games::reversi::flips::Plain;
#[cfg(target_arch = "x86_64")]
use crate::games::reversi::flips::{Avx2, Avx512};
use crate::games::reversi::position::{ReversiMove, ReversiPosition};
use crate::games::reversi::weights::{PatternWeights, ReversiEstimate};
use crate::solvers::monitor::{Stopped, Watch};
use crate::solvers::player::plies::PlySearch;
use crate::solvers::table::Table;

/// What a player of Reversi looks ahead with.
#[derive(Debug, Clone)]
pub struct ReversiOutlook {
    /// What its evaluation is made of.
    pub estimate: ReversiEstimate,
    /// Whether it leaves deep searches out where shallow ones tell their values ([`super::cuts`]).
    pub cuts: bool,
}

impl Default for ReversiOutlook {
    fn default() -> Self {
        ReversiOutlook { estimate: ReversiEstimate::Usual, cuts: true }
    }
}

/// A search from a position.
#[derive(Debug)]
pub struct ReversiPlies<'a> {
    position: ReversiPosition,
    search: Midgame<'a>,
}

impl<'a> ReversiPlies<'a> {
    /// A search from a position; without weights the evaluation is by its terms, and nothing is cut. Weights are for
    /// the full board.
    pub fn new(
        position: &ReversiPosition,
        weights: Option<&'a PatternWeights>,
        cuts: Option<&'a ProbableCuts>,
        table: &'a Table,
        watch: &'a dyn Watch,
    ) -> ReversiPlies<'a> {
        let search = Midgame { cuts, ..Midgame::new(EndgameRules::of(position), weights, table, watch) };
        ReversiPlies { position: *position, search }
    }

    /// The value of the position itself so many plies deep, in [`FINE`](crate::games::reversi::weights::FINE) units a
    /// disc. It means nothing if the watch has stopped the search.
    pub fn value(&mut self, depth: u32) -> i32 {
        let (own, enemy) = (self.position.own(), self.position.enemy());
        with_instructions!(i => self.search.value(i, own, enemy, depth, WHOLE))
    }

    /// The best move of a position as far as such searches have left it in the table.
    pub fn remembered(position: &ReversiPosition, table: &Table) -> Option<ReversiMove> {
        let pass = position.is_legal(ReversiMove::PASS).then_some(ReversiMove::PASS);
        pass.or_else(|| remembered(table, position.own(), position.enemy()).map(ReversiMove))
    }
}

impl PlySearch<ReversiPosition> for ReversiPlies<'_> {
    fn value_of(&mut self, m: ReversiMove, depth: u32, alpha: Value, beta: Value) -> Result<Value, Stopped> {
        let mut after = self.position;
        after.play(m);
        let bound = |value: Value| from_points(value).clamp(-HIGHEST, HIGHEST);
        // A value of at least beta points is one of at least its lower end; one above alpha is one of the next point.
        let window = (-bound(beta), 1 - bound(alpha.saturating_add(1)));
        let search = &mut self.search;
        let value = -with_instructions!(i => search.value(i, after.own(), after.enemy(), depth - 1, window));
        self.search.stopped.map_or(Ok(in_points(value)), Err)
    }

    fn take_estimated(&mut self) -> bool {
        std::mem::take(&mut self.search.estimated)
    }

    fn nodes(&self) -> u64 {
        self.search.nodes
    }

    fn report(&mut self) -> Result<(), Stopped> {
        self.search.report();
        self.search.stopped.map_or(Ok(()), Err)
    }
}
