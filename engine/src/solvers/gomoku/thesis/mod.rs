//! A second, simpler player of Gomoku: that of a thesis on the game, which looks for patterns of five points.
//!
//! A position is worth what the patterns on its lines are worth ([`patterns`]), weighted for attack and defence.
//! Moves are the points of patterns, those of the strongest ones first; other points are not searched. NegaScout
//! ([`crate::solvers::negascout`]) searches them to a fixed depth, which is the level.
//!
//! The thesis names the patterns with their values, but not the weights of attack and defence nor the patterns that
//! are worth nothing; those are chosen here. It also searches its depth alone. Here the depths before it come first,
//! so that a move is there when the budget ends. Rows of other lengths than five have no patterns.

pub mod patterns;
pub mod position;
#[cfg(test)]
mod tests;

use self::patterns::{PATTERN_ROW, PatternTable};
use self::position::{AttackWeights, PatternPosition, WON};
use crate::core::game::{Budget, Chosen, Game, Level, Player, ToldMoves};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::gomoku::rules::GomokuRules;
use crate::solvers::player::all_moves::AllMoves;
use crate::solvers::player::budget::BudgetWatch;
use crate::solvers::player::move_value;
use crate::solvers::search::{NodeSearch, Parts};
use crate::solvers::table::{LEAST_BYTES, Table, TableError};

/// A row that the patterns are not about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the player of patterns plays for five in a row, not for {0}")]
pub struct PatternRowError(u8);

/// The player of patterns.
#[derive(Debug)]
pub struct ThesisPlayer {
    patterns: PatternTable,
    /// The search wants one; this one is not used.
    table: Table,
    level: Level,
}

impl ThesisPlayer {
    /// A player whose depth is that of the greatest level.
    ///
    /// # Errors
    /// The memory cannot be had.
    pub fn new() -> Result<ThesisPlayer, TableError> {
        Ok(ThesisPlayer { patterns: PatternTable::usual(), table: Table::new(LEAST_BYTES)?, level: Level::FULL })
    }

    /// Whether it plays under these rules.
    ///
    /// # Errors
    /// A row of another length than five.
    pub fn check(rules: GomokuRules) -> Result<(), PatternRowError> {
        if rules.win() == PATTERN_ROW { Ok(()) } else { Err(PatternRowError(rules.win())) }
    }

    /// The best moves, deeper each time. Nothing if the game is over or the rules are not those of the patterns.
    fn search(
        &self,
        position: &GomokuPosition,
        most: usize,
        budget: &mut Budget<'_>,
        told: ToldMoves<'_, GomokuMove>,
    ) -> Vec<Chosen<GomokuMove>> {
        let mut moves = Vec::new();
        let weights = |depth| AttackWeights::of(position.side(), depth);
        PatternPosition::new(position, &self.patterns, weights(1)).moves(&mut moves);
        if moves.is_empty() || ThesisPlayer::check(position.rules()).is_err() {
            return Vec::new();
        }
        let (is_only, deepest) = (moves.len() == 1, u32::from(self.level.number()).min(budget.depth.max(1)));
        let watch = BudgetWatch::new(budget);
        let mut all = AllMoves::new(moves, most);
        for depth in 1..=deepest {
            // Plain NegaScout: the order of the moves is that of the patterns.
            let root = PatternPosition::new(position, &self.patterns, weights(depth));
            let mut search = NodeSearch::new(root, Parts::NONE, &self.table, None, &watch);
            let is_whole = all.iterate(|m, bound| {
                let before = search.stats.nodes;
                let value = move_value(&mut search, m, depth, bound).ok()?;
                let decided_in = (value.abs() == WON).then_some(depth);
                Some(Chosen { line: vec![m], value, decided_in, depth, nodes: search.stats.nodes - before })
            });
            if is_whole {
                told(&all.best);
            }
            let is_decided = all.best.first().is_some_and(|best| best.decided_in.is_some());
            if !is_whole || search.report().is_err() || is_decided && most == 1 || all.are_decided() || is_only {
                break;
            }
        }
        if let Some(best) = all.best.first_mut().filter(|_| most == 1) {
            best.nodes = watch.nodes();
        }
        all.found()
    }
}

impl Player<GomokuPosition> for ThesisPlayer {
    fn choose(
        &mut self,
        position: &GomokuPosition,
        budget: &mut Budget<'_>,
        told: &mut dyn FnMut(&Chosen<GomokuMove>),
    ) -> Option<Chosen<GomokuMove>> {
        let found = self.search(position, 1, budget, &mut |found| found.iter().take(1).for_each(&mut *told));
        found.into_iter().next()
    }

    fn analyse(
        &mut self,
        position: &GomokuPosition,
        most: usize,
        budget: &mut Budget<'_>,
        told: ToldMoves<'_, GomokuMove>,
    ) -> Vec<Chosen<GomokuMove>> {
        self.search(position, most, budget, told)
    }

    fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    /// It remembers nothing.
    fn forget(&mut self) {}
}
