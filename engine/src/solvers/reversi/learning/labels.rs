//! What positions are worth by searches of some plies: to learn from in place of the ends of games, which tell little
//! of single positions.

use super::fit::ReversiSample;
use super::games::start;
use super::selfplay::EXACT;
use crate::core::game::Side;
use crate::games::reversi::board::ReversiBoard;
use crate::games::reversi::position::ReversiPosition;
use crate::games::reversi::weights::{FINE, PatternWeights};
use crate::solvers::monitor::Monitor;
use crate::solvers::reversi::cuts::ProbableCuts;
use crate::solvers::reversi::plies::ReversiPlies;
use crate::solvers::table::{Table, TableError};

/// Parts in which all positions are searched, one after the other.
pub const PARTS: usize = 10;
/// Positions of a part that are searched with one table, most of them of the same games.
pub const TOGETHER: usize = 512;
/// Bytes of a searcher's table.
const MEMORY: u64 = 1 << 20;

/// The positions of a part of so many: the size of all parts but the last.
pub fn part_size(positions: usize) -> usize {
    positions / PARTS + 1
}

/// Searches positions for what they are worth.
#[derive(Debug)]
pub struct Labeller<'w> {
    table: Table,
    weights: &'w PatternWeights,
    depth: u32,
}

impl<'w> Labeller<'w> {
    /// A searcher of so many plies, two at least, with these weights.
    ///
    /// # Errors
    /// There is no memory for its table.
    pub fn new(weights: &'w PatternWeights, depth: u32) -> Result<Labeller<'w>, TableError> {
        Ok(Labeller { table: Table::new(MEMORY)?, weights, depth })
    }

    /// Sets what these positions are worth. Those from which games are played perfectly stay as they are. What it
    /// says depends on these positions alone: nothing is remembered of others. `stop` is asked before each position;
    /// whether it let all be searched.
    pub fn label(&mut self, samples: &mut [ReversiSample], stop: &dyn Fn() -> bool) -> bool {
        self.table.clear();
        for sample in samples.iter_mut().filter(|sample| sample.empty() > EXACT) {
            let position = ReversiPosition::from_discs(ReversiBoard::FULL, sample.own, sample.enemy, Side::First);
            // Positions of games have discs on the board, and none that both sides have.
            let Ok(position) = position else { continue };
            if stop() {
                return false;
            }
            let position = position.with_empties(start().empties());
            let watch = Monitor::default();
            let cuts = ProbableCuts::usual();
            let mut search = ReversiPlies::new(&position, Some(self.weights), cuts, &self.table, &watch);
            let mut last = [0, 0];
            for depth in 1..=self.depth {
                last = [last[1], search.value(depth)];
            }
            // The evaluation favours the side that has moved last, so even and odd depths are averaged.
            sample.worth = (last[0] + last[1]) as f32 / (2 * FINE) as f32;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solvers::reversi::learning::fit::samples_of;
    use crate::solvers::reversi::learning::selfplay::ReversiLearningPlayer;

    #[test]
    fn positions_are_worth_what_searches_say_and_perfect_ends_what_the_game_says() {
        let weights = PatternWeights::usual();
        let mut player = ReversiLearningPlayer::new(Some(weights), 1).unwrap();
        let mut samples = Vec::new();
        (0..8).for_each(|number| samples_of(&player.play_game(3, number), number as u32, |s| samples.push(s)));
        let before = samples.clone();
        let mut labeller = Labeller::new(weights, 4).unwrap();
        assert!(labeller.label(&mut samples, &|| false));
        let mut changed = 0;
        for (sample, old) in samples.iter().zip(&before) {
            if old.empty() > EXACT {
                changed += u32::from(sample.worth != old.worth);
            } else {
                assert_eq!(sample.worth, old.worth);
            }
        }
        assert!(changed > 50, "{changed} of {} positions", samples.len());
        // A search that is asked again, or after others, says the same.
        let first = samples.clone();
        assert!(!labeller.label(&mut samples, &|| true) && labeller.label(&mut samples, &|| false));
        assert!(samples.iter().zip(&first).all(|(again, first)| again.worth == first.worth));
    }
}
