//! How well shallow searches tell the values of deep ones: what [`super::super::cuts`] is made of. One position of
//! each game is searched to all depths, without cuts.

use super::games::{ReversiGamesHead, ReversiLearningGame, pass_if_needed, start};
use crate::core::game::Game;
use crate::core::seed::rng;
use crate::games::reversi::position::{ReversiMove, ReversiPosition};
use crate::games::reversi::weights::{FINE, PatternWeights};
use crate::solvers::learning::GameCollector;
use crate::solvers::monitor::Monitor;
use crate::solvers::reversi::cuts::{
    CUT_STAGES, DEEPEST, ProbableCut, ProbableCuts, SHALLOWEST, cut_stage, shallow_depth,
};
use crate::solvers::reversi::plies::ReversiPlies;
use crate::solvers::table::{Table, TableError};
use rand::RngExt;

/// Bytes of a searcher's table: it is cleared for each position.
const MEMORY: u64 = 1 << 24;
/// Positions are no nearer to the end than this beyond the deepest search.
const BEYOND: u32 = 2;
/// Positions whose deep value is greater are left out: such games are decided.
const GREATEST: i32 = 30 * FINE;
/// Fewest positions of a stage.
pub const FEWEST_OF_STAGE: usize = 30;

/// A position of each game.
#[derive(Debug, Default)]
pub struct ForesightCollector {
    /// Number of games.
    pub games: u32,
    /// A position of each of them that has one far enough from its end.
    pub positions: Vec<ReversiPosition>,
}

impl GameCollector for ForesightCollector {
    type File = ReversiGamesHead;

    fn begin(&mut self, _head: &ReversiGamesHead) -> Result<(), String> {
        Ok(())
    }

    fn add(&mut self, game: &ReversiLearningGame) {
        let mut random = rng(0, &[self.games.into()]);
        self.games += 1;
        let last = 60 - (DEEPEST + BEYOND) as usize;
        let plies = random.random_range(4..=last).min(game.moves.len());
        let mut position = start();
        for &square in &game.moves[..plies] {
            pass_if_needed(&mut position);
            position.play(ReversiMove(square));
        }
        pass_if_needed(&mut position);
        if position.mobility() != 0 && position.empty().count_ones() >= DEEPEST + BEYOND {
            self.positions.push(position);
        }
    }
}

/// The values of a position by depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DepthValues {
    /// Empty cells of the position.
    pub empty: u32,
    /// Values from no ply on, in [`FINE`] units a disc.
    pub values: [i32; DEEPEST as usize + 1],
}

/// Searches positions to all depths.
#[derive(Debug)]
pub struct DepthSearcher<'w> {
    table: Table,
    weights: &'w PatternWeights,
}

impl<'w> DepthSearcher<'w> {
    /// A searcher with these weights.
    ///
    /// # Errors
    /// There is no memory for its table.
    pub fn new(weights: &'w PatternWeights) -> Result<DepthSearcher<'w>, TableError> {
        Ok(DepthSearcher { table: Table::new(MEMORY)?, weights })
    }

    /// The values of a position.
    pub fn values(&mut self, position: &ReversiPosition) -> DepthValues {
        self.table.clear();
        let watch = Monitor::default();
        let mut search = ReversiPlies::new(position, Some(self.weights), None, &self.table, &watch);
        let values = std::array::from_fn(|depth| search.value(depth as u32));
        DepthValues { empty: position.empty().count_ones(), values }
    }
}

/// The first stage of the game, from 1 on, that has too few of the positions with these numbers of empty cells.
pub fn stage_with_few(empty: impl Iterator<Item = u32>) -> Option<usize> {
    let mut counts = [0; CUT_STAGES];
    empty.for_each(|empty| counts[cut_stage(empty)] += 1);
    counts.iter().position(|&count| count < FEWEST_OF_STAGE).map(|few| few + 1)
}

/// What positions say of each depth.
///
/// # Errors
/// The stage that has too few positions, from 1 on.
pub fn fit_cuts(positions: &[DepthValues], about: String) -> Result<ProbableCuts, usize> {
    let undecided = |p: &&DepthValues| p.values[DEEPEST as usize].abs() < GREATEST;
    if let Some(few) = stage_with_few(positions.iter().filter(undecided).map(|p| p.empty)) {
        return Err(few);
    }
    let mut of_stage: [Vec<&DepthValues>; CUT_STAGES] = Default::default();
    for position in positions.iter().filter(undecided) {
        of_stage[cut_stage(position.empty)].push(position);
    }
    let cut = |positions: &[&DepthValues], depth: u32| {
        let differences = |shallow: u32| {
            let difference = |p: &&DepthValues| f64::from(p.values[depth as usize] - p.values[shallow as usize]);
            let differences: Vec<f64> = positions.iter().map(difference).collect();
            let count = differences.len().max(1) as f64;
            let mean = differences.iter().sum::<f64>() / count;
            let variance = differences.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / count;
            (mean.round() as i32, variance.sqrt().round() as i32)
        };
        let (shallow, deviation) = differences(shallow_depth(depth));
        ProbableCut { evaluation: differences(0).0, shallow, deviation }
    };
    let stages = of_stage.map(|positions| std::array::from_fn(|n| cut(&positions, SHALLOWEST + n as u32)));
    Ok(ProbableCuts { about, stages })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_finds_means_and_deviations() {
        // Two positions after each other are 10 below and above a mean that grows with the depth.
        let values = |n: u32| -> [i32; DEEPEST as usize + 1] {
            let sign = if n.is_multiple_of(2) { 1 } else { -1 };
            std::array::from_fn(|depth| 3 * depth as i32 + sign * 10 * (depth % 3) as i32)
        };
        let positions: Vec<DepthValues> =
            (0..360).map(|n| DepthValues { empty: 13 + n % 45, values: values(n / 45) }).collect();
        let fitted = fit_cuts(&positions, String::new()).unwrap();
        // Depth 3 is told by depth 1, and depth 8 by depth 4.
        let middle = |depth: u32| *fitted.cut(30, depth).unwrap();
        assert_eq!((middle(3).evaluation, middle(3).shallow, middle(4).shallow), (9, 6, 6));
        assert!((9..=11).contains(&middle(3).deviation), "{:?}", middle(3));
        assert_eq!(fit_cuts(&positions[..100], String::new()).unwrap_err(), 1);
    }

    #[test]
    fn values_are_those_of_searches_without_cuts() {
        let position = start();
        let weights = PatternWeights::usual();
        let mut searcher = DepthSearcher::new(weights).unwrap();
        let first = searcher.values(&position);
        assert_eq!(searcher.values(&position), first);
        assert_eq!(first.empty, 60);
    }
}
