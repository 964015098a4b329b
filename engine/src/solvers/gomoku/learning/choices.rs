//! What the player chose, and the fit of the order of moves to it: weights that say how likely a move is chosen, by
//! logistic regression over all moves that the search would try (a *softmax*).
//!
//! As in [`super::fit`] a code's weight is the sum of what its four lines are worth, of what its move class is worth,
//! and of a part of its own, with a penalty on squares. A tenth of the games is not learned from.

use super::fit::{FitSettings, FitState, PENALTIES, WeightParts, is_training};
use super::games::LearningGame;
use super::sample::{Replayed, replay};
use crate::games::gomoku::board::GomokuBoard;
use crate::solvers::gomoku::lines::board::LineTables;
use crate::solvers::gomoku::lines::codes::{CODES, MoveCodes};
use crate::solvers::gomoku::lines::weights::CodeWeights;
use crate::solvers::gomoku::player::ordering::{candidates, need};
use crate::solvers::learning::FitLoss;

/// Units of the order of moves that are one unit of the exponent.
const UNITS: f64 = 100.0;
/// Step of Adam at the beginning, in units of the exponent.
const STEP: f64 = 0.05;
/// Positions that the penalty of the settings is meant for, and its part for the order of moves: there are some
/// seventy moves for each position.
const USUAL_POSITIONS: f64 = 200_000.0;
const PENALTY_PART: f64 = 1.0 / 280.0;

/// A position in which one of several moves was chosen.
#[derive(Debug, Clone, Copy)]
struct Choice {
    /// Number of the game.
    game: u32,
    /// Its moves in the list of all.
    from: usize,
    to: usize,
    /// The one that was chosen, in the list of all.
    chosen: usize,
}

/// What was chosen in the positions of games.
#[derive(Debug, Default)]
pub struct Choices {
    /// The codes of all moves, for the side that could make them and for the other one.
    moves: Vec<[u16; 2]>,
    positions: Vec<Choice>,
}

impl Choices {
    /// Adds the choices of a game that were searched.
    pub fn add(&mut self, game: &LearningGame, number: u32, board: GomokuBoard, tables: &LineTables) {
        let Choices { moves, positions } = self;
        replay(game, board, tables, |Replayed { lines, side, point, .. }| {
            let (from, mut chosen) = (moves.len(), None);
            candidates(lines, side, need(lines, side), |candidate, makes| {
                if candidate == point {
                    chosen = Some(moves.len());
                }
                moves.push(makes.map(|makes| makes.code));
            });
            match chosen {
                Some(chosen) if moves.len() > from + 1 => {
                    positions.push(Choice { game: number, from, to: moves.len(), chosen });
                }
                // There was no choice, or it was one that the search would not try.
                _ => moves.truncate(from),
            }
        });
    }

    /// Number of positions.
    pub fn positions(&self) -> usize {
        self.positions.len()
    }
}

/// A fit of the order of moves to choices, step by step.
pub struct OrderFit<'c> {
    choices: &'c Choices,
    settings: FitSettings,
    parts: WeightParts,
}

impl<'c> OrderFit<'c> {
    /// A fit to choices under a numbering of codes.
    pub fn new(choices: &'c Choices, codes: &MoveCodes, settings: FitSettings) -> OrderFit<'c> {
        let mut parts = WeightParts::new(2 * CODES, PENALTIES[0]);
        for role in 0..2 {
            for code in 0..CODES as u16 {
                parts.add_code(&[role * CODES + usize::from(code)], role, codes, code);
            }
        }
        OrderFit { choices, settings, parts }
    }

    /// Its state before the first step.
    pub fn begin(&self) -> FitState {
        self.parts.begin()
    }

    /// Whether a state is one of such a fit.
    pub fn has(&self, state: &FitState) -> bool {
        self.parts.has(state)
    }

    /// The mean of how unlikely the choices are under the weights of a state: the negative logarithm.
    pub fn loss(&self, state: &FitState) -> FitLoss {
        let weights = self.parts.weights(state);
        let (mut sums, mut worth) = ([(0.0, 0u64); 2], Vec::new());
        for choice in &self.choices.positions {
            let all = self.exponents(choice, &weights, &mut worth);
            let sum = &mut sums[usize::from(is_training(choice.game))];
            sum.0 -= f64::from(worth[choice.chosen - choice.from] / all).max(1e-30).ln();
            sum.1 += 1;
        }
        let [validation, training] = sums.map(|(sum, count)| sum / count.max(1) as f64);
        FitLoss { training, validation }
    }

    /// How likely the moves of a choice are, but for a factor: the sum of all is the result.
    fn exponents(&self, choice: &Choice, weights: &[f32], worth: &mut Vec<f32>) -> f32 {
        let moves = &self.choices.moves[choice.from..choice.to];
        worth.clear();
        worth.extend(
            moves.iter().map(|&[own, theirs]| weights[usize::from(own)] + weights[CODES + usize::from(theirs)]),
        );
        let most = worth.iter().copied().fold(f32::MIN, f32::max);
        worth.iter_mut().for_each(|exponent| *exponent = (*exponent - most).exp());
        worth.iter().sum()
    }

    /// Makes a step, unless `stop` says to stop; whether it is made.
    pub fn step(&self, state: &mut FitState, stop: &mut dyn FnMut() -> bool) -> bool {
        let weights = self.parts.weights(state);
        let (mut gradient, mut worth) = (vec![0.0f64; 2 * CODES], Vec::new());
        for part in self.choices.positions.chunks(1024) {
            if stop() {
                return false;
            }
            for choice in part.iter().filter(|choice| is_training(choice.game)) {
                let all = self.exponents(choice, &weights, &mut worth);
                let moves = &self.choices.moves[choice.from..choice.to];
                for (&[own, theirs], likely) in moves.iter().zip(&worth) {
                    let likely = f64::from(likely / all);
                    gradient[usize::from(own)] += likely;
                    gradient[CODES + usize::from(theirs)] += likely;
                }
                let [own, theirs] = self.choices.moves[choice.chosen];
                gradient[usize::from(own)] -= 1.0;
                gradient[CODES + usize::from(theirs)] -= 1.0;
            }
        }
        let penalty = self.settings.penalty * PENALTY_PART * self.choices.positions.len() as f64 / USUAL_POSITIONS;
        self.parts.step(state, &gradient, (STEP, self.settings.steps), penalty);
        true
    }

    /// The order of moves of a state, see `LineWeights::order`.
    pub fn order(&self, state: &FitState) -> [CodeWeights; 2] {
        let weights = self.parts.weights(state);
        let whole = |weight: f32| (f64::from(weight) * UNITS).round().clamp(-16_000.0, 16_000.0) as i16;
        [0, CODES].map(|from| weights[from..from + CODES].iter().map(|&weight| whole(weight)).collect())
    }
}

/// Fits an order of moves to the choices. `told` gets step and loss now and then.
pub fn fit_order(
    choices: &Choices,
    codes: &MoveCodes,
    settings: FitSettings,
    told: &mut dyn FnMut(u32, FitLoss),
) -> [CodeWeights; 2] {
    let fit = OrderFit::new(choices, codes, settings);
    let mut state = fit.begin();
    let step = |state: &mut FitState| {
        fit.step(state, &mut || false);
    };
    state.go_on(settings.steps, &step, &|state| fit.loss(state), told);
    fit.order(&state)
}
