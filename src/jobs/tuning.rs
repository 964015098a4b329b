//! Weights that are learned from games as a job: the fit of `morpion tune`, in units.
//!
//! In Reversi a unit is a stage of the game, which is fitted by itself. If it is learned what searches say of
//! positions, the first units are these searches, and the stages come one after the other. In Gomoku all weights are
//! fitted at once, so a unit is a part of the steps and continues from the outcome of the one before it. So it is of
//! a network, whose steps are passes over all positions.

use super::ending::JobEnd;
use super::numbered::NumberedJob;
use super::selfplay::{BuiltInWeights, SelfplayJob};
use super::setup::matches::MatchGameName;
use crate::games::reversi::weights::STAGES;
use crate::solvers::gomoku::learning::fit::{FitSettings, FitState};
use crate::solvers::gomoku::learning::network::{NetworkFitState, NetworkSettings, without_network};
use crate::solvers::gomoku::lines::codes::MoveCodes;
use crate::solvers::gomoku::lines::weights::LineWeights;
use crate::solvers::learning::FitLoss;
use crate::solvers::reversi::learning::fit::{FittedStage, PatternFitSettings, SquareErrors};
use crate::solvers::reversi::learning::labels::{PARTS, TOGETHER, part_size};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Most units of a fit of Gomoku: what each fits is kept, some hundred kilobytes.
const MOST_PARTS: u64 = 20;
/// Units in which a part of the positions of Reversi is searched, where they are.
const SEARCHES_OF_PART: usize = 10;

/// A job of games of a player against itself, from which weights are learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TuneSource {
    /// Number of the job.
    pub job: u64,
    /// What it makes.
    pub made: SelfplayJob,
}

/// What is learned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TuneSubject {
    /// The weights of the player.
    #[default]
    Weights,
    /// For Gomoku: a network that corrects the estimate of weights, which stay as they are.
    Network,
}

/// Weights that are to be learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TuneJob {
    /// The game whose player learns.
    pub game: MatchGameName,
    /// Whose games it learns from.
    pub sources: Vec<TuneSource>,
    /// What of it; jobs of versions that learned no networks do not say it.
    #[serde(default)]
    pub learn: TuneSubject,
    /// Steps of the fit, in Reversi of each stage; of a network how often each position is taken.
    pub steps: u32,
    /// For Gomoku: how much of the target is the value of the search, 0 to 1.
    pub search_part: f64,
    /// How much weights that few positions speak for are drawn to 0.
    pub penalty: f64,
    /// For Gomoku: the weights that the loss is compared with; a network corrects the usual ones.
    pub weights: BuiltInWeights,
    /// For Reversi: the plies of the searches whose values are learned; 0 if the ends of games are.
    #[serde(default)]
    pub search: u32,
}

impl TuneJob {
    /// The settings of a fit of Gomoku.
    pub fn gomoku_fit(&self) -> FitSettings {
        FitSettings { steps: self.steps, search_part: self.search_part, penalty: self.penalty }
    }

    /// The settings of a fit of Reversi, for one thread.
    pub fn reversi_fit(&self) -> PatternFitSettings {
        PatternFitSettings { steps: self.steps, penalty: self.penalty, parts: 1 }
    }

    /// The settings of the fit of a network.
    pub fn network_fit(&self) -> NetworkSettings {
        NetworkSettings { passes: self.steps, search_part: self.search_part }
    }

    /// For Gomoku: the weights that it compares with. Those that a network corrects have none of their own.
    pub fn line_weights(&self) -> LineWeights {
        let weights = match self.weights {
            BuiltInWeights::Usual => LineWeights::usual(),
            BuiltInWeights::ByHand => LineWeights::by_hand(&MoveCodes::new()),
        };
        if self.learn == TuneSubject::Network { without_network(weights) } else { weights }
    }

    /// The settings of the fit, in words.
    pub fn fit(&self) -> String {
        match (self.game, self.learn) {
            (MatchGameName::Reversi, _) if self.search > 0 => {
                format!("{} search={}", self.reversi_fit(), self.search)
            }
            (MatchGameName::Reversi, _) => self.reversi_fit().to_string(),
            (_, TuneSubject::Weights) => self.gomoku_fit().to_string(),
            (_, TuneSubject::Network) => self.network_fit().told_with(&self.line_weights()),
        }
    }

    /// For Reversi: the number of units that search positions. They come before those of the stages.
    pub fn searches(&self) -> u64 {
        if self.game == MatchGameName::Reversi && self.search > 0 { (PARTS * SEARCHES_OF_PART) as u64 } else { 0 }
    }

    /// For Reversi: the positions that a unit searches, of so many. Those that are searched with one table are whole.
    pub fn searched_by(&self, unit: u64, positions: usize) -> Range<usize> {
        let (part, place) = (unit as usize / SEARCHES_OF_PART, unit as usize % SEARCHES_OF_PART);
        let begin = (part * part_size(positions)).min(positions);
        let end = (begin + part_size(positions)).min(positions);
        let tables = (end - begin).div_ceil(TOGETHER);
        let at = |place: usize| (begin + tables * place / SEARCHES_OF_PART * TOGETHER).min(end);
        at(place)..at(place + 1)
    }

    /// The steps of Gomoku that a unit makes, counted from 0.
    pub fn steps_of(&self, unit: u64) -> Range<u32> {
        let (steps, parts) = (u64::from(self.steps), self.units().max(1));
        let before = |unit: u64| (steps * unit / parts) as u32;
        before(unit)..before(unit + 1)
    }

    /// What makes the games of a job that it learns from.
    pub fn made_by(&self, job: u64) -> Option<SelfplayJob> {
        self.sources.iter().find(|source| source.job == job).map(|source| source.made.clone())
    }

    /// Most games that it can learn from.
    pub fn most_games(&self) -> u64 {
        self.sources.iter().fold(0, |sum, source| sum.saturating_add(source.made.games))
    }
}

/// What a unit fits: it is in a file of its own, since it is long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FittedPart {
    /// Where a fit of Gomoku is that a version before the order of moves was learned has begun.
    Gomoku(FitState),
    /// A stage of Reversi.
    Reversi(FittedStage),
    /// Where the two fits of Gomoku are.
    GomokuWithOrder {
        /// That of the evaluation.
        evaluation: FitState,
        /// That of the order of moves.
        order: FitState,
    },
    /// Where the fit of a network is.
    GomokuNetwork(NetworkFitState),
    /// What positions of Reversi are worth by searches.
    ReversiSearched(Vec<f32>),
}

/// The figures of a part of a fit as they are stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TuneRecord {
    /// Number of games of each source.
    pub games: Vec<u64>,
    /// Number of positions of all games.
    pub positions: u64,
    /// Steps that were made; 0 of a unit that searches positions.
    pub steps: u64,
    /// The loss after it.
    pub part: PartLoss,
    /// For Gomoku, with the first steps: the loss of the weights that are there already.
    pub before: Option<FitLoss>,
    /// For Gomoku, with the last steps: the loss of the weights as they are written.
    pub after: Option<FitLoss>,
    /// For Reversi: how well the stage tells the ends of games.
    pub errors: Option<SquareErrors>,
    /// Processor time that it took.
    pub milliseconds: u64,
}

/// The loss after a part of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PartLoss {
    /// In Gomoku the steps that are made, or the passes of a network; in Reversi the stage. Of a unit that searches
    /// positions nothing here counts.
    pub at: u32,
    /// Positions that it is about.
    pub positions: u64,
    /// The loss on them.
    pub loss: FitLoss,
}

/// What the parts of a fit come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TuneTally {
    /// Number of games that are learned from.
    pub games: u64,
    /// Number of their positions.
    pub positions: u64,
    /// The loss after each part.
    pub losses: Vec<PartLoss>,
    /// The loss of the weights that were there before, if it is known.
    pub before: Option<FitLoss>,
    /// The loss of the weights that were learned; in Reversi that of the stages so far.
    pub after: Option<FitLoss>,
    errors: SquareErrors,
}

impl NumberedJob for TuneJob {
    type Outcome = TuneRecord;
    type Tally = TuneTally;
    const END: JobEnd = JobEnd::Learned;

    fn units(&self) -> u64 {
        match self.game {
            MatchGameName::Reversi => self.searches() + STAGES as u64,
            _ => MOST_PARTS.min(self.steps.into()),
        }
    }

    fn in_turn(&self, unit: u64) -> bool {
        self.game == MatchGameName::Gomoku || (self.search > 0 && unit >= self.searches())
    }

    fn nothing(&self) -> TuneTally {
        TuneTally::default()
    }

    fn count(&self, tally: &mut TuneTally, record: &TuneRecord) {
        tally.games = record.games.iter().sum();
        tally.positions = record.positions;
        if record.steps == 0 {
            return;
        }
        tally.losses.push(record.part);
        tally.before = tally.before.or(record.before);
        tally.after = tally.after.or(record.after);
        if let Some(errors) = &record.errors {
            tally.errors.add(errors);
            tally.after = Some(tally.errors.loss());
        }
    }

    /// The iterations of the job are its steps.
    fn spent(record: &TuneRecord) -> (u64, u64) {
        (record.steps, record.milliseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(game: MatchGameName, steps: u32) -> TuneJob {
        let (learn, search_part, penalty, weights) = (TuneSubject::Weights, 0.0, 16.0, BuiltInWeights::Usual);
        TuneJob { game, sources: Vec::new(), learn, steps, search_part, penalty, weights, search: 0 }
    }

    #[test]
    fn the_units_of_gomoku_make_each_step_once() {
        for steps in [1, 7, 20, 21, 300, 100_000] {
            let job = job(MatchGameName::Gomoku, steps);
            let parts: Vec<Range<u32>> = (0..job.units()).map(|unit| job.steps_of(unit)).collect();
            assert!(parts.iter().all(|part| !part.is_empty()) && parts.len() <= 20, "{parts:?}");
            assert!(parts.windows(2).all(|two| two[0].end == two[1].start), "{parts:?}");
            assert_eq!((parts[0].start, parts.last().unwrap().end), (0, steps));
            assert!(job.in_turn(1));
        }
        let reversi = job(MatchGameName::Reversi, 30);
        assert!(reversi.units() == 15 && !reversi.in_turn(1));
    }

    /// Each position is searched once, and with those that the command searches it with.
    #[test]
    fn the_units_of_reversi_search_each_position_once() {
        let job = TuneJob { search: 6, ..job(MatchGameName::Reversi, 30) };
        assert!(job.units() == 115 && !job.in_turn(99) && job.in_turn(100));
        for positions in [0, 1, 9, 4_000, 51_199, 1_000_003] {
            let mut next = 0;
            for unit in 0..job.searches() {
                let range = job.searched_by(unit, positions);
                assert!(range.start == next && range.end >= next, "{positions}: {unit}, {range:?}");
                let place = range.start % part_size(positions);
                assert!(range.is_empty() || place.is_multiple_of(TOGETHER), "{positions}: {unit}, {range:?}");
                next = range.end;
            }
            assert_eq!(next, positions);
        }
    }
}
