//! The fit of a [network](crate::solvers::gomoku::lines::network) to games, by gradients, on top of weights that stay
//! as they are.
//!
//! As in [`super::fit`] the probability that the side to move wins follows from the estimate, a code's lanes are the
//! sum of what its four lines, its move class and itself give, and a tenth of the games is not learned from. The
//! positions are taken in an order that is drawn anew for each pass, `BATCH` of them for each step of
//! [Adam](super::adam).

use super::adam::AdamStep;
use super::fit::{UNITS, entropy, is_training, probability, target};
use super::games::{GamesHead, LearningGame};
use super::sample::{Replayed, outcome_for, replay};
use crate::core::seed::{Rng, rng};
use crate::solvers::gomoku::lines::board::{LineLengthError, LineTables};
use crate::solvers::gomoku::lines::classes::CLASSES;
use crate::solvers::gomoku::lines::codes::{CODES, MOVE_CLASSES, MoveCodes};
use crate::solvers::gomoku::lines::network::{
    CELL_MOST, CELL_SCALE, CellNetwork, HIDDEN, HIDDEN_MOST, HIDDEN_SCALE, HIDDEN_WEIGHT_MOST, LANES, NetworkNumbers,
    NetworkSums, OUT_SCALE, PLAIN_SCALE, SET_SCALE, SUM_PART,
};
use crate::solvers::gomoku::lines::weights::{LineWeights, SETS, WeightsForm};
use crate::solvers::learning::{FitLoss, GameCollector};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// Positions of a step.
const BATCH: usize = 512;
/// Rate of the first step; it goes down evenly to a fiftieth.
const RATE: f64 = 0.003;
/// How much a step takes away from the own lanes of codes, for each unit of the rate; a tenth of it from all else.
const DECAY: f64 = 0.2;
/// Numbers of the beginning are drawn up to this: of lines and move classes, of hidden units.
const DRAWN: [f64; 2] = [0.25, 0.3];
/// Greatest weight in a file.
const MOST: f32 = 16_000.0;

/// Settings of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetworkSettings {
    /// How often each position is taken.
    pub passes: u32,
    /// How much of the target is the value of the search, 0 to 1; the rest is the end of the game.
    pub search_part: f64,
}

impl NetworkSettings {
    /// What of a fit is told with what comes of it: the settings, and which weights the network corrects.
    pub fn told_with(&self, weights: &LineWeights) -> String {
        format!("network {self} on weights {:08x}", weights.sum())
    }
}

impl fmt::Display for NetworkSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "passes={} search-part={}", self.passes, self.search_part)
    }
}

/// A position to learn from.
#[derive(Debug, Clone, PartialEq)]
struct NetworkSample {
    /// Its points among those of all positions.
    cells: Range<usize>,
    /// The estimate without a network, in units of the estimate.
    plain: i32,
    /// Its set of threats.
    set: u16,
    /// How the game ended for the side to move: 0 lost, one half drawn, 1 won.
    outcome: f32,
    /// What the search said, for the side to move.
    value: f32,
    /// Number of the game.
    game: u32,
}

/// Points that are alike: the codes of the side to move and of the other one, and how many there are.
type AlikeCells = ([u16; 2], u16);

/// Weights of [`WeightsForm::Alone`], which a network cannot correct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a network corrects weights of version 2 or 3, which morpion tune gomoku writes; these are made by hand or of \
     version 1"
)]
pub struct NoNetworkError;

/// The positions of games of one board and rule, with their estimates under the weights that the network corrects.
#[derive(Debug)]
pub struct NetworkCollector {
    weights: LineWeights,
    kept: Option<(GamesHead, LineTables)>,
    /// Number of games.
    pub games: u32,
    cells: Vec<AlikeCells>,
    samples: Vec<NetworkSample>,
}

impl NetworkCollector {
    /// Nothing yet; a network that the weights have is left out.
    ///
    /// # Errors
    /// Weights that a network cannot correct.
    pub fn new(weights: LineWeights) -> Result<NetworkCollector, NoNetworkError> {
        if weights.form == WeightsForm::Alone {
            return Err(NoNetworkError);
        }
        let weights = without_network(weights);
        Ok(NetworkCollector { weights, kept: None, games: 0, cells: Vec::new(), samples: Vec::new() })
    }

    /// Number of positions.
    pub fn positions(&self) -> usize {
        self.samples.len()
    }

    /// The weights without a network.
    pub fn weights(&self) -> &LineWeights {
        &self.weights
    }

    /// The loss with regard to the ends of the games alone, with a network or without one: the mean cross entropy per
    /// position, in natural units.
    pub fn loss(&self, network: Option<&CellNetwork>) -> FitLoss {
        mean_loss(&self.samples, |sample| {
            let estimate = network.map_or(sample.plain, |network| {
                let mut sums = NetworkSums::NONE;
                for &(codes, count) in &self.cells[sample.cells.clone()] {
                    (0..count).for_each(|_| network.add(&mut sums, codes));
                }
                network.estimate(&sums, 0, sample.set.into(), sample.plain)
            });
            f64::from(estimate) / UNITS
        })
    }
}

/// Weights whose own network is left out: those that a network is learned for.
pub fn without_network(weights: LineWeights) -> LineWeights {
    LineWeights { network: None, ..weights }
}

/// Weights with a network, in place of their own.
pub fn with_network(weights: LineWeights, network: CellNetwork) -> LineWeights {
    LineWeights { network: Some(Box::new(network)), ..weights }
}

fn mean_loss(samples: &[NetworkSample], exponent: impl Fn(&NetworkSample) -> f64) -> FitLoss {
    let mut sums = [(0.0, 0u64); 2];
    for sample in samples {
        let sum = &mut sums[usize::from(is_training(sample.game))];
        sum.0 += entropy(probability(exponent(sample)), sample.outcome.into());
        sum.1 += 1;
    }
    let [validation, training] = sums.map(|(sum, count)| sum / count.max(1) as f64);
    FitLoss { training, validation }
}

impl GameCollector for NetworkCollector {
    type File = GamesHead;

    fn begin(&mut self, head: &GamesHead) -> Result<(), String> {
        match &self.kept {
            None => {
                let tables = LineTables::with_weights(head.rules, self.weights.clone());
                self.kept = Some((*head, tables.map_err(|error: LineLengthError| error.to_string())?));
                Ok(())
            }
            Some((first, _)) => head.check_alike(first),
        }
    }

    fn add(&mut self, game: &LearningGame) {
        let NetworkCollector { kept, games, cells, samples, .. } = self;
        let number = *games;
        *games += 1;
        let Some((head, tables)) = kept else { return };
        let mut alike: BTreeMap<[u16; 2], u16> = BTreeMap::new();
        replay(game, head.board, tables, |Replayed { lines, side, value, .. }| {
            alike.clear();
            for point in head.board.points().filter(|&point| lines.is_empty(point)) {
                let count = alike.entry([side, side.other()].map(|side| lines.code(point, side))).or_default();
                *count += 1;
            }
            let first = cells.len();
            cells.extend(alike.iter().map(|(&codes, &count)| (codes, count)));
            samples.push(NetworkSample {
                cells: first..cells.len(),
                plain: lines.plain_estimate(side),
                set: lines.set_of_threats(side) as u16,
                outcome: outcome_for(side, game.winner),
                value: value.into(),
                game: number,
            });
        });
    }
}

/// Numbers that are learned, with their slopes of the step that is being made.
struct LearnedNumbers {
    values: Vec<f64>,
    slopes: Vec<f64>,
    mean: Vec<f64>,
    square: Vec<f64>,
}

impl LearnedNumbers {
    fn new(values: Vec<f64>) -> LearnedNumbers {
        let zeros = vec![0.0; values.len()];
        LearnedNumbers { values, slopes: zeros.clone(), mean: zeros.clone(), square: zeros }
    }

    /// Takes the numbers and means of a state, if there are as many.
    fn restore(&mut self, [values, mean, square]: &[Vec<f64>; 3]) -> bool {
        let is_alike = [values, mean, square].iter().all(|of| of.len() == self.values.len());
        if is_alike {
            (self.values, self.mean, self.square) = (values.clone(), mean.clone(), square.clone());
        }
        is_alike
    }

    fn state(&self) -> [Vec<f64>; 3] {
        [self.values.clone(), self.mean.clone(), self.square.clone()]
    }

    /// Makes a step against the slopes, which are 0 after it.
    fn step(&mut self, adam: AdamStep, rate: f64, decay: impl Fn(usize) -> f64) {
        for at in 0..self.values.len() {
            let by = adam.of(&mut self.mean[at], &mut self.square[at], self.slopes[at]);
            self.values[at] -= rate * (by + decay(at) * self.values[at]);
        }
        self.slopes.fill(0.0);
    }
}

/// Parts of a role's lanes: of lines, of move classes, of codes.
const PARTS: usize = CLASSES + MOVE_CLASSES + CODES;

/// The lanes of all codes, those of the side to move first, as they are during a step.
struct CodeFit {
    /// The parts of each code.
    of: Vec<[usize; 6]>,
    parts: LearnedNumbers,
    lanes: Vec<[f32; LANES]>,
    slopes: Vec<[f32; LANES]>,
    /// Codes with slopes.
    touched: Vec<usize>,
    is_touched: Vec<bool>,
}

impl CodeFit {
    fn new(codes: &MoveCodes, draw: &mut impl FnMut(f64) -> f64) -> CodeFit {
        let of = |role: usize, code: u16| {
            let [a, b, c, d] = codes.lines(code).map(|line| role * PARTS + line as usize);
            let class = role * PARTS + CLASSES + codes.class(code) as usize;
            [a, b, c, d, class, role * PARTS + CLASSES + MOVE_CLASSES + usize::from(code)]
        };
        let of = (0..2).flat_map(|role| (0..CODES as u16).map(move |code| of(role, code))).collect();
        let is_own = |at: usize| (at / LANES) % PARTS >= CLASSES + MOVE_CLASSES;
        let values = (0..2 * PARTS * LANES).map(|at| if is_own(at) { 0.0 } else { draw(DRAWN[0]) }).collect();
        let zeros = vec![[0.0; LANES]; 2 * CODES];
        let mut fit = CodeFit {
            of,
            parts: LearnedNumbers::new(values),
            lanes: zeros.clone(),
            slopes: zeros,
            touched: Vec::new(),
            is_touched: vec![false; 2 * CODES],
        };
        fit.add_up();
        fit
    }

    fn add_up(&mut self) {
        for (lanes, of) in self.lanes.iter_mut().zip(&self.of) {
            *lanes = std::array::from_fn(|lane| {
                of.iter().map(|part| self.parts.values[part * LANES + lane]).sum::<f64>() as f32
            });
        }
    }

    /// The codes of a point as places of lanes: for the side to move, and with sides swapped.
    fn places([own, other]: [u16; 2]) -> [[usize; 2]; 2] {
        let (own, other) = (usize::from(own), usize::from(other));
        [[own, CODES + other], [other, CODES + own]]
    }

    /// What a point adds to the sums, before it is cut.
    #[inline(always)]
    fn cell(&self, [own, other]: [usize; 2]) -> [f32; LANES] {
        std::array::from_fn(|lane| self.lanes[own][lane] + self.lanes[other][lane])
    }

    fn add_slopes(&mut self, place: usize, slopes: &[f32; LANES]) {
        if !std::mem::replace(&mut self.is_touched[place], true) {
            self.touched.push(place);
        }
        self.slopes[place].iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope);
    }

    fn step(&mut self, adam: AdamStep, rate: f64) {
        for place in self.touched.drain(..) {
            self.is_touched[place] = false;
            let slopes = std::mem::replace(&mut self.slopes[place], [0.0; LANES]);
            for part in self.of[place] {
                for (lane, slope) in slopes.iter().enumerate() {
                    self.parts.slopes[part * LANES + lane] += f64::from(*slope);
                }
            }
        }
        let is_own = |at: usize| (at / LANES) % PARTS >= CLASSES + MOVE_CLASSES;
        self.parts.step(adam, rate, |at| if is_own(at) { DECAY } else { DECAY / 10.0 });
        self.add_up();
    }
}

/// Where the weights of sets, of hidden units, and the two of all positions begin among the numbers after the sums.
const OF_SETS: usize = 2 * LANES * HIDDEN;
const OF_OUT: usize = OF_SETS + SETS * HIDDEN;
const OF_PLAIN: usize = OF_OUT + HIDDEN;

/// The parts of a network during a fit.
struct NetworkFit {
    codes: CodeFit,
    /// Hidden units, sets, the correction, the factor of the plain estimate, what is always added.
    rest: LearnedNumbers,
}

/// What a position comes to.
struct Forward {
    input: [f32; 2 * LANES],
    units: [f32; HIDDEN],
    exponent: f32,
}

/// Most that a point adds to a sum.
const CUT: f32 = CELL_MOST as f32 / CELL_SCALE;

impl NetworkFit {
    fn new(codes: &MoveCodes) -> NetworkFit {
        let mut random = rng(0, &[]);
        let mut draw = |most: f64| random.random_range(-most..most);
        let codes = CodeFit::new(codes, &mut draw);
        let drawn = |at: usize| at < OF_SETS || (OF_OUT..OF_PLAIN).contains(&at);
        let mut rest: Vec<f64> = (0..OF_PLAIN + 2).map(|at| if drawn(at) { draw(DRAWN[1]) } else { 0.0 }).collect();
        rest[OF_PLAIN] = 1.0;
        NetworkFit { codes, rest: LearnedNumbers::new(rest) }
    }

    fn forward(&self, cells: &[AlikeCells], sample: &NetworkSample) -> Forward {
        let mut input = [0.0; 2 * LANES];
        for &(codes, count) in cells {
            for (half, place) in CodeFit::places(codes).into_iter().enumerate() {
                let cell = self.codes.cell(place);
                for lane in 0..LANES {
                    input[half * LANES + lane] += f32::from(count) * cell[lane].clamp(0.0, CUT) * SUM_PART;
                }
            }
        }
        let rest = &self.rest.values;
        let plain = f64::from(sample.plain) / UNITS;
        let mut exponent = (rest[OF_PLAIN] * plain + rest[OF_PLAIN + 1]) as f32;
        let units = std::array::from_fn(|unit| {
            let weights = &rest[2 * LANES * unit..2 * LANES * (unit + 1)];
            let sum: f32 = weights.iter().zip(&input).map(|(&weight, input)| weight as f32 * input).sum();
            let sum = sum + rest[OF_SETS + usize::from(sample.set) * HIDDEN + unit] as f32;
            exponent += rest[OF_OUT + unit] as f32 * sum.clamp(0.0, HIDDEN_MOST);
            sum
        });
        Forward { input, units, exponent }
    }

    /// Adds the slopes of a position, whose exponent is to fall by `error`.
    fn backward(&mut self, cells: &[AlikeCells], sample: &NetworkSample, forward: &Forward, error: f32) {
        let LearnedNumbers { values, slopes, .. } = &mut self.rest;
        slopes[OF_PLAIN] += f64::from(error) * f64::from(sample.plain) / UNITS;
        slopes[OF_PLAIN + 1] += f64::from(error);
        let mut of_input = [0.0f32; 2 * LANES];
        for (unit, &sum) in forward.units.iter().enumerate() {
            slopes[OF_OUT + unit] += f64::from(error * sum.clamp(0.0, HIDDEN_MOST));
            if sum <= 0.0 || sum >= HIDDEN_MOST {
                continue;
            }
            let slope = error * values[OF_OUT + unit] as f32;
            slopes[OF_SETS + usize::from(sample.set) * HIDDEN + unit] += f64::from(slope);
            for at in 0..2 * LANES {
                slopes[2 * LANES * unit + at] += f64::from(slope * forward.input[at]);
                of_input[at] += slope * values[2 * LANES * unit + at] as f32;
            }
        }
        for &(codes, count) in cells {
            for (half, place) in CodeFit::places(codes).into_iter().enumerate() {
                let cell = self.codes.cell(place);
                let slopes = std::array::from_fn(|lane| {
                    let is_between = cell[lane] > 0.0 && cell[lane] < CUT;
                    if is_between { f32::from(count) * SUM_PART * of_input[half * LANES + lane] } else { 0.0 }
                });
                place.into_iter().for_each(|place| self.codes.add_slopes(place, &slopes));
            }
        }
    }

    fn step(&mut self, number: u32, rate: f64) {
        let adam = AdamStep::new(number);
        self.codes.step(adam, rate);
        self.rest.step(adam, rate, |at| if at < OF_PLAIN { DECAY / 10.0 } else { 0.0 });
    }

    /// The network in whole numbers.
    fn network(&self) -> CellNetwork {
        let whole = |value: f32, most: f32| value.round().clamp(-most, most) as i16;
        let codes = |role: usize| {
            let lanes = self.codes.lanes[role * CODES..][..CODES].iter().flatten();
            lanes.map(|&value| whole(value * CELL_SCALE, MOST)).collect()
        };
        let rest = |range: Range<usize>, scale: f32, most: f32| {
            self.rest.values[range].iter().map(move |&value| whole(value as f32 * scale, most))
        };
        let units = UNITS as f32;
        CellNetwork::new(&NetworkNumbers {
            codes: [codes(0), codes(1)],
            hidden: rest(0..OF_SETS, HIDDEN_SCALE, HIDDEN_WEIGHT_MOST.into()).collect(),
            sets: rest(OF_SETS..OF_OUT, SET_SCALE, MOST).collect(),
            out: rest(OF_OUT..OF_PLAIN, units * OUT_SCALE, MOST)
                .chain(rest(OF_PLAIN..OF_PLAIN + 1, PLAIN_SCALE, MOST))
                .chain(rest(OF_PLAIN + 1..OF_PLAIN + 2, units, MOST))
                .collect(),
        })
    }
}

/// Where a fit of a network is after a number of passes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NetworkFitState {
    /// Passes that were made.
    pub pass: u32,
    /// Of the parts of lanes: the numbers, the means of their slopes, and those of the squares of these.
    parts: [Vec<f64>; 3],
    /// The same of all other numbers.
    rest: [Vec<f64>; 3],
}

impl NetworkFitState {
    /// The fit at this state; nothing if it has other numbers.
    fn fit(&self) -> Option<NetworkFit> {
        let mut fit = NetworkFit::new(&MoveCodes::new());
        let is_known = fit.codes.parts.restore(&self.parts) && fit.rest.restore(&self.rest);
        fit.codes.add_up();
        is_known.then_some(fit)
    }

    /// The network that was learned so far; nothing if the state is not one of this program's networks.
    pub fn network(&self) -> Option<CellNetwork> {
        self.fit().map(|fit| fit.network())
    }
}

/// A fit of a network to positions, pass by pass.
pub struct NetworkCourse<'c> {
    collected: &'c NetworkCollector,
    settings: NetworkSettings,
    fit: NetworkFit,
    /// The positions that are learned from, in the order of the last pass.
    order: Vec<usize>,
    random: Rng,
    /// Passes that were made.
    pass: u32,
}

impl<'c> NetworkCourse<'c> {
    /// A fit before its first pass.
    pub fn new(collected: &'c NetworkCollector, settings: NetworkSettings) -> NetworkCourse<'c> {
        let of_training = |&at: &usize| is_training(collected.samples[at].game);
        let order = (0..collected.samples.len()).filter(of_training).collect();
        NetworkCourse {
            collected,
            settings,
            fit: NetworkFit::new(&MoveCodes::new()),
            order,
            random: rng(1, &[]),
            pass: 0,
        }
    }

    /// A fit that goes on from a state; nothing if the state has other numbers or more passes than there are.
    pub fn resumed(
        collected: &'c NetworkCollector,
        settings: NetworkSettings,
        state: &NetworkFitState,
    ) -> Option<NetworkCourse<'c>> {
        let fit = state.fit().filter(|_| state.pass <= settings.passes)?;
        let mut course = NetworkCourse { fit, ..NetworkCourse::new(collected, settings) };
        (0..state.pass).for_each(|_| course.order.shuffle(&mut course.random));
        course.pass = state.pass;
        Some(course)
    }

    /// Number of passes that were made.
    pub fn passes(&self) -> u32 {
        self.pass
    }

    /// Makes one more pass. `false` if `stops` says to stop, which is asked before each step: then the fit is between
    /// two passes and of no more use.
    pub fn pass(&mut self, stops: &mut dyn FnMut() -> bool) -> bool {
        let NetworkCollector { cells, samples, .. } = self.collected;
        let of_pass = self.order.len().div_ceil(BATCH) as u32;
        let steps = self.settings.passes * of_pass;
        let mut step = self.pass * of_pass;
        self.order.shuffle(&mut self.random);
        for batch in self.order.chunks(BATCH) {
            if stops() {
                return false;
            }
            for &at in batch {
                let sample = &samples[at];
                let cells = &cells[sample.cells.clone()];
                let forward = self.fit.forward(cells, sample);
                let target = target(sample.value, sample.outcome, self.settings.search_part);
                let error = (probability(forward.exponent.into()) - target) / batch.len() as f64;
                self.fit.backward(cells, sample, &forward, error as f32);
            }
            let rate = RATE * (1.0 - f64::from(step) / f64::from(steps)).max(0.02);
            step += 1;
            self.fit.step(step, rate);
        }
        self.pass += 1;
        true
    }

    /// The loss with regard to the ends of the games, before the numbers are made whole.
    pub fn loss(&self) -> FitLoss {
        let NetworkCollector { cells, samples, .. } = self.collected;
        mean_loss(samples, |sample| self.fit.forward(&cells[sample.cells.clone()], sample).exponent.into())
    }

    /// The network that was learned so far.
    pub fn network(&self) -> CellNetwork {
        self.fit.network()
    }

    /// Where the fit is, to go on from there.
    pub fn state(&self) -> NetworkFitState {
        NetworkFitState { pass: self.pass, parts: self.fit.codes.parts.state(), rest: self.fit.rest.state() }
    }
}

/// Fits a network to the positions. `told` gets the number of passes that were made and the loss after each.
pub fn fit_network(
    collected: &NetworkCollector,
    settings: NetworkSettings,
    told: &mut dyn FnMut(u32, FitLoss),
) -> CellNetwork {
    let mut course = NetworkCourse::new(collected, settings);
    while course.passes() < settings.passes {
        course.pass(&mut || false);
        told(course.passes(), course.loss());
    }
    course.network()
}
