//! How the weights of estimates are learned.
//!
//! Questions about made-up positions ([`super::fights`]) are read. Each position that has an answer then is a sample:
//! its features, and whether the attacker wins. Logistic regression finds the weights under which the probability of
//! that is right, by stochastic steps whose lengths follow the slopes so far (AdaGrad; J. Duchi et al. 2011). The
//! readings of the first round know nothing, those of each later one use the weights of the round before, so that
//! the samples come from searches like those that the weights are for.
//!
//! A tenth of the positions is not learned from; it says how good the weights are.

use super::estimate::{EstimateWeights, FINE, QuestionKind};
use super::features::FeatureList;
use super::fights::{Fight, fights};
use super::proof::{ProofEnd, ZoneSearch};
use super::reading::GoReading;
use super::solve::levels_of;
use super::zone::ZoneGame;
use crate::core::seed::rng;
use crate::solvers::learning::{FitLoss, VALIDATION};
use crate::tactics::board::KoThreats;
use rand::RngExt;
use std::sync::Arc;

/// Most samples of a level of a reading: those of the least keys.
const SAMPLES: usize = 400;
/// Passes over the samples.
const PASSES: u32 = 12;
/// Length of the first step.
const STEP: f64 = 0.2;
/// What draws each weight to 0, in parts of it for each sample that has its feature.
const PENALTY: f64 = 1e-5;
/// The part of the logarithm of the odds that an estimate is: the whole would be too sure of itself. Chosen by the
/// number of made-up questions that are proven within a budget.
const PART: f64 = 0.4;

/// How weights are learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LearnSettings {
    /// Decides the positions.
    pub seed: u64,
    /// Positions of each round and kind of question.
    pub positions: u64,
    /// Nodes of each reading.
    pub nodes: u64,
    /// Rounds of readings and fits.
    pub rounds: u32,
}

impl Default for LearnSettings {
    fn default() -> LearnSettings {
        LearnSettings { seed: 1, positions: 1500, nodes: 20_000, rounds: 2 }
    }
}

/// A position with an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct EstimateSample {
    /// Its features at a glance.
    pub list: FeatureList,
    /// Whether the attacker is to move.
    pub attacker_moves: bool,
    /// Whether the attacker wins.
    pub won: bool,
    /// Whether it is learned from.
    pub is_training: bool,
}

/// How well the weights of one side to move tell who wins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EstimateLoss {
    /// The kind of question.
    pub kind: QuestionKind,
    /// Whether the attacker is to move.
    pub attacker_moves: bool,
    /// Number of samples.
    pub samples: usize,
    /// The mean cross entropy, in natural units.
    pub loss: FitLoss,
}

/// Reads a question, level by level, and adds its positions with answers to the samples.
pub fn collect(
    fight: &Fight,
    weights: &Arc<EstimateWeights>,
    nodes: u64,
    is_training: bool,
    samples: &mut Vec<EstimateSample>,
) {
    let levels = levels_of(fight.question.goal());
    let mut game = GoReading::new(fight.board.clone(), fight.question, KoThreats::Neither, levels[0]);
    game.set_weights(weights);
    let mut search = ZoneSearch::new(game, fight.question.goal().mover_attacks(), 0);
    let mut left = nodes;
    for &limits in levels {
        search.begin_anew(|game| game.set_limits(limits), left.max(1));
        let end = search.run();
        left = left.saturating_sub(search.moves());
        let mut found = Vec::new();
        search.each_answered(&mut |game, attacker_moves, won| {
            let sample = |list| EstimateSample { list, attacker_moves, won, is_training };
            found.extend(game.features(attacker_moves).map(|list| (game.key(attacker_moves), sample(list))));
        });
        found.sort_by_key(|(key, _)| *key);
        samples.extend(found.into_iter().take(SAMPLES).map(|(_, sample)| sample));
        if end != ProofEnd::Lost {
            break;
        }
    }
}

fn probability(list: &FeatureList, weights: &[f64]) -> f64 {
    let exponent: f64 = list.numbers().iter().map(|&number| weights[usize::from(number)]).sum();
    1.0 / (1.0 + (-exponent).exp())
}

/// Fits the weights of one side to move, and tells their loss. Only its samples count.
pub fn fit(
    samples: &[EstimateSample],
    kind: QuestionKind,
    attacker_moves: bool,
    seed: u64,
) -> (Vec<i16>, EstimateLoss) {
    let own = || samples.iter().filter(|sample| sample.attacker_moves == attacker_moves);
    let mut training: Vec<&EstimateSample> = own().filter(|sample| sample.is_training).collect();
    let mut random = rng(seed, &[kind as u64, u64::from(attacker_moves)]);
    let (mut weights, mut squares) = (vec![0.0; kind.features()], vec![1e-6; kind.features()]);
    for _ in 0..PASSES {
        for last in (1..training.len()).rev() {
            training.swap(last, random.random_range(0..=last));
        }
        for sample in &training {
            let error = f64::from(u8::from(sample.won)) - probability(&sample.list, &weights);
            for &number in sample.list.numbers() {
                let (weight, square) = (&mut weights[usize::from(number)], &mut squares[usize::from(number)]);
                let slope = error - PENALTY * *weight;
                *square += slope * slope;
                *weight += STEP * slope / f64::sqrt(*square);
            }
        }
    }
    let mut sums = [(0.0, 0u32); 2];
    for sample in own() {
        let right = probability(&sample.list, &weights).clamp(1e-9, 1.0 - 1e-9);
        let sum = &mut sums[usize::from(sample.is_training)];
        *sum = (sum.0 - if sample.won { right.ln() } else { (1.0 - right).ln() }, sum.1 + 1);
    }
    let [validation, training] = sums.map(|(sum, count)| sum / f64::from(count.max(1)));
    let units = |weight: &f64| (weight * PART * f64::from(FINE) / std::f64::consts::LN_2).round() as i16;
    let loss = FitLoss { training, validation };
    (weights.iter().map(units).collect(), EstimateLoss { kind, attacker_moves, samples: own().count(), loss })
}

/// Learns weights. `told` hears of each round, from 1, and what its fit came to.
pub fn learn(settings: &LearnSettings, told: &mut dyn FnMut(u32, &EstimateLoss)) -> EstimateWeights {
    let mut weights = Arc::new(EstimateWeights::none());
    for round in 0..settings.rounds {
        let mut next = EstimateWeights::none();
        for kind in QuestionKind::ALL {
            let mut samples = Vec::new();
            let first = u64::from(round) * settings.positions;
            for number in first..first + settings.positions {
                let is_training = !number.is_multiple_of(VALIDATION.into());
                for fight in fights(settings.seed, number, kind == QuestionKind::Pair) {
                    collect(&fight, &weights, settings.nodes, is_training, &mut samples);
                }
            }
            for attacker_moves in [false, true] {
                let (fitted, loss) = fit(&samples, kind, attacker_moves, settings.seed);
                next.set(kind, attacker_moves, &fitted);
                told(round + 1, &loss);
            }
        }
        weights = Arc::new(next);
    }
    Arc::unwrap_or_clone(weights)
}
