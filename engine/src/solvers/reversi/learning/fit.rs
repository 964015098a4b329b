//! The fit: weights under which the evaluation tells the end of games with the least square error, or what searches
//! say of their positions ([`super::labels`]).
//!
//! Each stage is fitted by itself, by conjugate gradients on the normal equations, to the positions of its numbers of
//! empty cells and of the next few on both sides, which count half: so the stages fit together. A penalty on the
//! square of each weight draws those that few positions speak for to 0. A tenth of the games is not learned from: it
//! says how good the weights are.

use super::games::{ReversiGamesHead, ReversiLearningGame, pass_if_needed, start};
use crate::core::game::{Game, Side};
use crate::games::reversi::patterns::{ALL_FILLINGS, PatternNumbers, representatives};
use crate::games::reversi::position::ReversiMove;
use crate::games::reversi::weights::{EMPTIES, FINE, PatternWeights, STAGES, WIDTH, stage};
use crate::solvers::learning::{FitLoss, GameCollector, VALIDATION};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Empty cells beyond a stage that are learned from with it.
const BESIDE: u32 = 2;
/// How much these positions count.
const BESIDE_PART: f32 = 0.5;

/// A position, and what it is worth.
#[derive(Debug, Clone, Copy)]
pub struct ReversiSample {
    /// Discs of the side to move.
    pub own: u64,
    /// Discs of the other side.
    pub enemy: u64,
    /// The difference of discs for the side to move: at the end of the game, or by a search.
    pub worth: f32,
    /// Whether it is learned from.
    pub is_training: bool,
}

impl ReversiSample {
    /// Number of empty cells.
    pub fn empty(&self) -> u32 {
        (self.own | self.enemy).count_zeros()
    }
}

/// The positions of a game, the number of which decides whether they are learned from.
pub fn samples_of(game: &ReversiLearningGame, number: u32, mut each: impl FnMut(ReversiSample)) {
    let mut position = start();
    for (ply, &square) in game.moves.iter().enumerate() {
        pass_if_needed(&mut position);
        if ply >= game.opening {
            let score = if position.side() == Side::First { game.score } else { -game.score };
            let (own, enemy) = (position.own(), position.enemy());
            each(ReversiSample { own, enemy, worth: score as f32, is_training: !number.is_multiple_of(VALIDATION) });
        }
        position.play(ReversiMove(square));
    }
}

/// The positions of games.
#[derive(Debug, Default)]
pub struct ReversiCollector {
    /// Number of games.
    pub games: u32,
    /// The positions of these games.
    pub samples: Vec<ReversiSample>,
}

impl GameCollector for ReversiCollector {
    type File = ReversiGamesHead;

    fn begin(&mut self, _head: &ReversiGamesHead) -> Result<(), String> {
        Ok(())
    }

    fn add(&mut self, game: &ReversiLearningGame) {
        samples_of(game, self.games, |sample| self.samples.push(sample));
        self.games += 1;
    }
}

/// Settings of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PatternFitSettings {
    /// Steps for each stage.
    pub steps: u32,
    /// How many positions' errors of one disc a weight of one disc is worth.
    pub penalty: f64,
    /// Into how many parts the positions are divided, for as many threads.
    pub parts: usize,
}

/// The settings that the weights depend on.
impl fmt::Display for PatternFitSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "steps={} penalty={}", self.steps, self.penalty)
    }
}

/// Sums of square errors in discs, and the numbers of positions: of those that are not learned from, and of those
/// that are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct SquareErrors([(f64, u64); 2]);

impl SquareErrors {
    /// Adds those of other positions.
    pub fn add(&mut self, other: &SquareErrors) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        }
    }

    /// The root of the mean square error in discs.
    pub fn loss(&self) -> FitLoss {
        let [validation, training] = self.0.map(|(sum, count)| (sum / count.max(1) as f64).sqrt());
        FitLoss { training, validation }
    }

    /// Number of positions.
    pub fn positions(&self) -> u64 {
        self.0[0].1 + self.0[1].1
    }
}

/// How well weights tell the ends of games, on the positions of a stage or of all stages.
pub fn errors(samples: &[ReversiSample], weights: &PatternWeights, of_stage: Option<usize>) -> SquareErrors {
    let mut sums = [(0.0, 0u64); 2];
    for sample in samples.iter().filter(|sample| of_stage.is_none_or(|of| of == stage(sample.empty()))) {
        let value = weights.value(&PatternNumbers::of(sample.own, sample.enemy), sample.empty());
        let error = f64::from(value) / f64::from(FINE) - f64::from(sample.worth);
        let sum = &mut sums[usize::from(sample.is_training)];
        *sum = (sum.0 + error * error, sum.1 + 1);
    }
    SquareErrors(sums)
}

/// The sum over one of the parts that the positions are divided into, by its number.
pub type PartSum<'s> = dyn Fn(usize) -> Vec<f32> + Sync + 's;

/// Makes the sums over so many parts, at the same time if it can.
pub type SumParts<'p> = dyn Fn(usize, &PartSum<'_>) -> Vec<Vec<f32>> + Sync + 'p;

/// Whether the fit is to stop. What it returns then means nothing.
pub type StopFit<'s> = dyn Fn() -> bool + Sync + 's;

/// Positions between two questions whether to stop.
const BETWEEN: usize = 4096;

/// What is fitted for a stage: a weight for each filling, then one for the move by empty cells.
const SIZE: usize = ALL_FILLINGS + EMPTIES;

/// The positions of a stage, and the places that stand for others.
struct StageFit<'s> {
    samples: Vec<&'s ReversiSample>,
    stage: usize,
    representatives: &'s [u32],
    parts: usize,
    sum_parts: &'s SumParts<'s>,
    stop: &'s StopFit<'s>,
}

impl StageFit<'_> {
    /// Calls `each` with the places of the weights of each position, how much it counts, and the sum of its part. The
    /// sums of all parts are added.
    fn sum(&self, each: impl Fn(&ReversiSample, &[u32], f32, &mut [f32]) + Sync) -> Vec<f32> {
        let length = self.samples.len().div_ceil(self.parts).max(1);
        let of_part = |part: usize| {
            let mut sum = vec![0.0; SIZE];
            for (at, sample) in self.samples.chunks(length).nth(part).into_iter().flatten().enumerate() {
                if at.is_multiple_of(BETWEEN) && (self.stop)() {
                    break;
                }
                let places = PatternNumbers::of(sample.own, sample.enemy).places();
                let tempo = ALL_FILLINGS as u32 + sample.empty();
                let mut all = [tempo; 47];
                all.iter_mut().zip(places).for_each(|(all, place)| *all = self.representatives[place as usize]);
                let counts = if stage(sample.empty()) == self.stage { 1.0 } else { BESIDE_PART };
                each(sample, &all, counts, &mut sum);
            }
            sum
        };
        let mut sum = vec![0.0f32; SIZE];
        for part in (self.sum_parts)(self.parts, &of_part) {
            sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
        sum
    }

    /// The weights, by conjugate gradients with each weight scaled by how often it occurs.
    fn fit(&self, settings: PatternFitSettings) -> Vec<f32> {
        let penalty = settings.penalty as f32;
        let counts = self.sum(|_, places, counts, sum| places.iter().for_each(|&p| sum[p as usize] += counts));
        let scale: Vec<f32> = counts.iter().map(|count| 1.0 / (count + penalty).max(1e-6)).collect();
        let mut rest = self.sum(|sample, places, counts, sum| {
            places.iter().for_each(|&p| sum[p as usize] += counts * sample.worth);
        });
        let mut weights = vec![0.0f32; SIZE];
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
        let scaled = |rest: &[f32]| -> Vec<f32> { rest.iter().zip(&scale).map(|(r, s)| r * s).collect() };
        let mut step_of = scaled(&rest);
        let mut norm = dot(&rest, &step_of);
        for _ in 0..settings.steps {
            if (self.stop)() {
                break;
            }
            let mut image = self.sum(|_, places, counts, sum| {
                let value: f32 = counts * places.iter().map(|&p| step_of[p as usize]).sum::<f32>();
                places.iter().for_each(|&p| sum[p as usize] += value);
            });
            image.iter_mut().zip(&step_of).for_each(|(image, step)| *image += penalty * step);
            let length = dot(&step_of, &image);
            if length <= 0.0 || norm <= 0.0 {
                break;
            }
            let rate = (norm / length) as f32;
            weights.iter_mut().zip(&step_of).for_each(|(weight, step)| *weight += rate * step);
            rest.iter_mut().zip(&image).for_each(|(rest, image)| *rest -= rate * image);
            let next = scaled(&rest);
            let after = dot(&rest, &next);
            let kept = (after / norm) as f32;
            step_of.iter_mut().zip(&next).for_each(|(step, next)| *step = next + kept * *step);
            norm = after;
        }
        weights
    }
}

/// The weights of a stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FittedStage {
    /// Which stage it is.
    pub stage: usize,
    /// A weight for each filling.
    fillings: Vec<i16>,
    /// For having the move, by the number of empty cells.
    tempo: Vec<(usize, i16)>,
}

impl FittedStage {
    /// The weights of some stages; those of the others are 0.
    pub fn joined(stages: &[FittedStage]) -> PatternWeights {
        let (mut by_stage, mut tempo) = (vec![Vec::new(); STAGES], [0; EMPTIES]);
        for fitted in stages {
            if let Some(of_stage) = by_stage.get_mut(fitted.stage) {
                of_stage.clone_from(&fitted.fillings);
            }
            for &(empty, weight) in &fitted.tempo {
                if let Some(of_empty) = tempo.get_mut(empty) {
                    *of_empty = weight;
                }
            }
        }
        PatternWeights::new(&by_stage, tempo, String::new())
    }
}

/// Fits the weights of a stage to the samples. `sum_parts` makes the sums, for it may have threads.
pub fn fit_stage(
    samples: &[ReversiSample],
    stage: usize,
    settings: PatternFitSettings,
    sum_parts: &SumParts<'_>,
    stop: &StopFit<'_>,
) -> FittedStage {
    let whole = |weight: f32| (weight * FINE as f32).round().clamp(-32_000.0, 32_000.0) as i16;
    let first = stage as u32 * WIDTH;
    let near = first.saturating_sub(BESIDE)..first + WIDTH + BESIDE;
    let is_near = |sample: &&ReversiSample| sample.is_training && near.contains(&sample.empty());
    let stage_fit = StageFit {
        samples: samples.iter().filter(is_near).collect(),
        stage,
        representatives: &representatives(),
        parts: settings.parts.max(1),
        sum_parts,
        stop,
    };
    let weights = stage_fit.fit(settings);
    let of_stage = (0..EMPTIES).filter(|&empty| self::stage(empty as u32) == stage);
    FittedStage {
        stage,
        fillings: weights[..ALL_FILLINGS].iter().map(|&weight| whole(weight)).collect(),
        tempo: of_stage.map(|empty| (empty, whole(weights[ALL_FILLINGS + empty]))).collect(),
    }
}

/// Fits weights to the samples. `told` gets each stage with its loss and its number of positions.
pub fn fit(
    samples: &[ReversiSample],
    settings: PatternFitSettings,
    sum_parts: &SumParts<'_>,
    told: &mut dyn FnMut(usize, FitLoss, u64),
) -> PatternWeights {
    let mut stages = Vec::new();
    for at in 0..STAGES {
        let fitted = fit_stage(samples, at, settings, sum_parts, &|| false);
        let found = errors(samples, &FittedStage::joined(std::slice::from_ref(&fitted)), Some(at));
        told(at, found.loss(), found.positions());
        stages.push(fitted);
    }
    FittedStage::joined(&stages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::solvers::reversi::learning::selfplay::ReversiLearningPlayer;
    use rand::RngExt;

    /// One part after the other.
    fn in_turn(parts: usize, sum: &PartSum<'_>) -> Vec<Vec<f32>> {
        (0..parts).map(sum).collect()
    }

    const CORNERS: u64 = 0x8100_0000_0000_0081;

    #[test]
    fn what_decides_is_learned_and_nothing_from_chance() {
        let mut player = ReversiLearningPlayer::new(None, 1).unwrap();
        let mut samples = Vec::new();
        for number in 0..300 {
            let game = player.play_game(5, number);
            samples_of(&game, number as u32, |sample| samples.push(sample));
        }
        let settings = PatternFitSettings { steps: 10, penalty: 5.0, parts: 2 };
        let learn = |samples: &[ReversiSample]| {
            let weights = fit(samples, settings, &in_turn, &mut |_, _, _| {});
            errors(samples, &weights, Some(4)).loss()
        };
        for sample in &mut samples {
            let corners = |discs: u64| (discs & CORNERS).count_ones() as f32;
            sample.worth = 10.0 * (corners(sample.own) - corners(sample.enemy));
        }
        let nothing = errors(&samples, &PatternWeights::new(&[], [0; EMPTIES], String::new()), Some(4)).loss();
        let learned = learn(&samples);
        assert!(learned.validation < 0.5 * nothing.validation && learned.training < 2.0, "{learned:?} {nothing:?}");
        let mut random = rng(6, &[]);
        for sample in &mut samples {
            sample.worth = random.random_range(-20..=20) as f32;
        }
        let chance = learn(&samples);
        assert!(chance.validation > 11.0 && chance.training < chance.validation, "{chance:?}");
    }

    #[test]
    fn the_number_of_parts_changes_nothing() {
        let mut player = ReversiLearningPlayer::new(None, 1).unwrap();
        let mut samples = Vec::new();
        (0..30).for_each(|number| samples_of(&player.play_game(8, number), number as u32, |s| samples.push(s)));
        let settings = |parts| PatternFitSettings { steps: 2, penalty: 5.0, parts };
        let fit = |parts| fit(&samples, settings(parts), &in_turn, &mut |_, _, _| {});
        let (one, three) = (fit(1), fit(3));
        let most = samples.iter().map(|sample| {
            let numbers = PatternNumbers::of(sample.own, sample.enemy);
            (one.value(&numbers, sample.empty()) - three.value(&numbers, sample.empty())).abs()
        });
        // Sums in another order are rounded otherwise.
        assert!(most.max().unwrap() <= FINE / 16);
    }
}
