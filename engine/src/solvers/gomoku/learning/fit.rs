//! The fit: weights under which the estimate tells how games end, by logistic regression.
//!
//! The probability that the side to move wins is 1 / (1 + exp(-estimate / [`UNITS`])). The sum of cross entropies is
//! made small by [Adam](super::adam) on all positions at once. A code's weight is the sum of what its
//! four lines are worth, of what its move class is worth, and of a part of its own; a penalty on squares keeps the
//! parts near 0, the own part most: so a code that is rare is worth what its lines are.
//!
//! A tenth of the games is not learned from; it says how good the weights are.

use super::adam::AdamStep;
use super::sample::{Features, Sample};
use crate::solvers::gomoku::lines::classes::CLASSES;
use crate::solvers::gomoku::lines::codes::{CODES, MOVE_CLASSES, MoveCodes};
use crate::solvers::gomoku::lines::weights::{CodeWeights, FINE, LineWeights, SETS, SEVERAL, WeightsForm};
use crate::solvers::learning::{FitLoss, VALIDATION};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Units of the estimate that are one unit of the exponent.
pub const UNITS: f64 = 200.0;
/// Step of Adam at the beginning, in units of the exponent; it goes down to a twentieth.
const STEP: f64 = 0.02;
/// Penalties on squares, per game of twenty positions: of parts of lines and move classes, of threats, of codes.
pub(super) const PENALTIES: [f64; 3] = [10.0, 10.0, 100.0];

/// Settings of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitSettings {
    /// Steps over all positions.
    pub steps: u32,
    /// How much of the target is the value of the search, 0 to 1; the rest is the end of the game.
    pub search_part: f64,
    /// Factor of the penalties.
    pub penalty: f64,
}

impl fmt::Display for FitSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FitSettings { steps, search_part, penalty } = self;
        write!(f, "steps={steps} search-part={search_part} penalty={penalty}")
    }
}

/// The parts that weights consist of, and which of them each feature has.
pub(super) struct WeightParts {
    /// WeightParts of each feature.
    of: Vec<Vec<u16>>,
    penalty: Vec<f64>,
}

impl WeightParts {
    /// WeightParts of so many features, none of which has any yet; `penalty` is that of lines and move classes.
    pub(super) fn new(features: usize, penalty: f64) -> WeightParts {
        WeightParts { of: vec![Vec::new(); features], penalty: vec![penalty; 2 * (CLASSES + MOVE_CLASSES)] }
    }

    /// Gives features the parts of a code of a role: its lines, its move class, and one of its own.
    pub(super) fn add_code(&mut self, features: &[usize], role: usize, codes: &MoveCodes, code: u16) {
        let lines = codes.lines(code).map(|line| role * CLASSES + line as usize);
        let class = 2 * CLASSES + role * MOVE_CLASSES + codes.class(code) as usize;
        let own = self.penalty.len();
        self.penalty.push(PENALTIES[2]);
        for &feature in features {
            self.of[feature] = lines.iter().copied().chain([class, own]).map(|part| part as u16).collect();
        }
    }

    /// Gives a feature a part of its own.
    fn add_own(&mut self, feature: usize, penalty: f64) {
        self.of[feature].push(self.penalty.len() as u16);
        self.penalty.push(penalty);
    }

    /// The state before the first step.
    pub(super) fn begin(&self) -> FitState {
        let zeros = vec![0.0f64; self.penalty.len()];
        FitState { step: 0, values: zeros.clone(), mean: zeros.clone(), square: zeros }
    }

    /// Whether a state is one of these parts.
    pub(super) fn has(&self, state: &FitState) -> bool {
        [&state.values, &state.mean, &state.square].iter().all(|part| part.len() == self.penalty.len())
    }

    /// The weights of all features.
    pub(super) fn weights(&self, state: &FitState) -> Vec<f32> {
        let worth = |part: &u16| state.values[usize::from(*part)];
        self.of.iter().map(|parts| parts.iter().map(worth).sum::<f64>() as f32).collect()
    }

    /// What a change of the features' weights is for the parts.
    fn fold(&self, by_feature: &[f64]) -> Vec<f64> {
        let mut by_part = vec![0.0; self.penalty.len()];
        for (parts, by) in self.of.iter().zip(by_feature) {
            parts.iter().for_each(|&part| by_part[usize::from(part)] += by);
        }
        by_part
    }

    /// A step of Adam against the slopes of the features' weights; the rate goes down to a twentieth in all steps.
    pub(super) fn step(&self, state: &mut FitState, slopes: &[f64], (first, steps): (f64, u32), penalty: f64) {
        let slopes = self.fold(slopes);
        state.step += 1;
        let FitState { step, values, mean, square } = state;
        let rate = first * 20f64.powf(-f64::from(*step) / f64::from(steps));
        let adam = AdamStep::new(*step);
        for at in 0..values.len() {
            let slope = slopes[at] + penalty * self.penalty[at] * values[at];
            values[at] -= rate * adam.of(&mut mean[at], &mut square[at], slope);
        }
    }
}

/// The parts of the weights of an evaluation. A code has the same weight in the position before the last move.
fn parts_of(codes: &MoveCodes, features: &Features) -> WeightParts {
    let mut parts = WeightParts::new(Features::ALL, PENALTIES[0]);
    for role in 0..2 {
        for code in 0..CODES as u16 {
            let of = [features.code(role, code), features.code_before(role, code)];
            if parts.of[of[0]].is_empty() {
                parts.add_code(&of, role, codes, code);
            }
        }
    }
    (Features::THREATS..Features::ALL).for_each(|feature| parts.add_own(feature, PENALTIES[1]));
    parts
}

fn exponent(sample: &Sample, weights: &[f32]) -> f32 {
    sample.features.iter().map(|&(feature, count)| f32::from(count) * weights[usize::from(feature)]).sum()
}

pub(super) fn probability(exponent: f64) -> f64 {
    1.0 / (1.0 + (-exponent).exp())
}

/// What a position is to be taken for: a part of what the search said of it, and the rest of how the game ended.
pub(super) fn target(value: f32, outcome: f32, search_part: f64) -> f64 {
    search_part * probability(f64::from(value) / UNITS) + (1.0 - search_part) * f64::from(outcome)
}

pub(super) fn entropy(probability: f64, target: f64) -> f64 {
    let p = probability.clamp(1e-9, 1.0 - 1e-9);
    -target * p.ln() - (1.0 - target) * (1.0 - p).ln()
}

/// Whether the game of a number is learned from.
pub(super) fn is_training(game: u32) -> bool {
    !game.is_multiple_of(VALIDATION)
}

/// The loss of weights with regard to the ends of the games alone: the mean cross entropy per position, in natural
/// units, the estimate divided by so many units.
pub fn loss(samples: &[Sample], weights: &LineWeights, codes: &MoveCodes, units: f64) -> FitLoss {
    let weights = by_feature(weights, &Features::new(codes), units);
    loss_of(samples, &weights)
}

fn loss_of(samples: &[Sample], weights: &[f32]) -> FitLoss {
    let mut sums = [(0.0, 0u64); 2];
    for sample in samples {
        let sum = &mut sums[usize::from(is_training(sample.game))];
        sum.0 += entropy(probability(exponent(sample, weights).into()), sample.outcome.into());
        sum.1 += 1;
    }
    let [validation, training] = sums.map(|(sum, count)| sum / count.max(1) as f64);
    FitLoss { training, validation }
}

/// The units for which the loss of weights is least.
pub fn best_units(samples: &[Sample], weights: &LineWeights, codes: &MoveCodes) -> f64 {
    let of = |step: i32| UNITS * 2f64.powf(f64::from(step) / 4.0);
    let losses = (-8..=12).map(|step| (of(step), loss(samples, weights, codes, of(step)).training));
    losses.min_by(|one, other| one.1.total_cmp(&other.1)).map_or(UNITS, |best| best.0)
}

/// The weights of all features in units of the exponent.
fn by_feature(weights: &LineWeights, features: &Features, units: f64) -> Vec<f32> {
    let mut all = vec![0.0; Features::ALL];
    let scaled = |weight: i16| (f64::from(weight) / f64::from(FINE) / units) as f32;
    for role in (0..2).rev() {
        for code in 0..CODES as u16 {
            let weight = scaled(weights.codes[role][usize::from(code)]);
            all[features.code(role, code)] = weight;
            if weights.form == WeightsForm::WithLast {
                all[features.code_before(role, code)] = weight;
            }
        }
        for (class, counts) in weights.threats[role].iter().enumerate() {
            for (count, &weight) in counts.iter().enumerate() {
                all[Features::threat(role, class, count)] = scaled(weight);
            }
        }
    }
    all[Features::TEMPO] = scaled(weights.tempo);
    if weights.form == WeightsForm::WithLast {
        for (set, &weight) in weights.sets.iter().enumerate() {
            all[Features::SETS + set] = scaled(weight);
        }
    }
    all
}

/// Where a fit is after a number of steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitState {
    /// Steps that were made.
    pub step: u32,
    /// The parts of the weights.
    values: Vec<f64>,
    /// The means of their slopes, and of the squares of those, as Adam keeps them.
    mean: Vec<f64>,
    square: Vec<f64>,
}

/// Steps between two looks at the loss.
const TOLD: u32 = 100;

impl FitState {
    /// Takes steps until there are so many. `told` gets the step and the loss now and then, and at the end.
    pub(super) fn go_on(
        &mut self,
        steps: u32,
        step: &dyn Fn(&mut FitState),
        loss: &dyn Fn(&FitState) -> FitLoss,
        told: &mut dyn FnMut(u32, FitLoss),
    ) {
        while self.step < steps {
            if self.step.is_multiple_of(TOLD) {
                told(self.step, loss(self));
            }
            step(self);
        }
        told(steps, loss(self));
    }
}

/// Positions between two questions whether to stop.
const BETWEEN: usize = 1024;

/// A fit of weights to samples, step by step.
pub struct Fit<'s> {
    samples: &'s [Sample],
    settings: FitSettings,
    features: Features,
    parts: WeightParts,
}

impl<'s> Fit<'s> {
    /// A fit to samples of games under a numbering of codes.
    pub fn new(samples: &'s [Sample], codes: &MoveCodes, settings: FitSettings) -> Fit<'s> {
        let features = Features::new(codes);
        let parts = parts_of(codes, &features);
        Fit { samples, settings, features, parts }
    }

    /// Its state before the first step.
    pub fn begin(&self) -> FitState {
        self.parts.begin()
    }

    /// Whether a state is one of such a fit.
    pub fn has(&self, state: &FitState) -> bool {
        self.parts.has(state)
    }

    /// The loss of the weights of a state.
    pub fn loss(&self, state: &FitState) -> FitLoss {
        loss_of(self.samples, &self.parts.weights(state))
    }

    /// Makes a step, unless `stop` says to stop; whether it is made.
    pub fn step(&self, state: &mut FitState, stop: &mut dyn FnMut() -> bool) -> bool {
        let weights = self.parts.weights(state);
        let mut gradient = vec![0.0f64; Features::ALL];
        for part in self.samples.chunks(BETWEEN) {
            if stop() {
                return false;
            }
            for sample in part.iter().filter(|sample| is_training(sample.game)) {
                let target = target(sample.value, sample.outcome, self.settings.search_part);
                let error = probability(exponent(sample, &weights).into()) - target;
                for &(feature, count) in &sample.features {
                    gradient[usize::from(feature)] += error * f64::from(count);
                }
            }
        }
        self.parts.step(state, &gradient, (STEP, self.settings.steps), self.settings.penalty);
        true
    }

    /// The weights of a state, with an order of moves.
    pub fn weights(&self, state: &FitState, order: [CodeWeights; 2]) -> LineWeights {
        let (features, weights) = (&self.features, self.parts.weights(state));
        let whole = |feature: usize| {
            (f64::from(weights[feature]) * UNITS * f64::from(FINE)).round().clamp(-16_000.0, 16_000.0) as i16
        };
        LineWeights {
            form: WeightsForm::WithLast,
            codes: std::array::from_fn(|role| {
                (0..CODES as u16).map(|code| whole(features.code(role, code))).collect()
            }),
            threats: std::array::from_fn(|role| {
                std::array::from_fn(|class| {
                    std::array::from_fn(
                        |count: usize| {
                            if count == 0 { 0 } else { whole(Features::threat(role, class, count)) }
                        },
                    )
                })
            }),
            sets: (0..SETS).map(|set| whole(Features::SETS + set)).collect(),
            tempo: whole(Features::TEMPO),
            order,
            network: None,
        }
    }
}

/// Fits weights to the samples, with an order of moves that is there. `told` gets step and loss now and then.
pub fn fit(
    samples: &[Sample],
    order: [CodeWeights; 2],
    codes: &MoveCodes,
    settings: FitSettings,
    told: &mut dyn FnMut(u32, FitLoss),
) -> LineWeights {
    let fit = Fit::new(samples, codes, settings);
    let mut state = fit.begin();
    let step = |state: &mut FitState| {
        fit.step(state, &mut || false);
    };
    state.go_on(settings.steps, &step, &|state| fit.loss(state), told);
    fit.weights(&state, order)
}

const _: () = assert!(SEVERAL == 3);
