//! The estimates that a reading begins with: what they are made of, what they save, and how they are learned.

use morpion_engine::games::go::large::chains::Chains;
use morpion_engine::games::go::large::points::LargeBoard;
use morpion_engine::solvers::learning::FitLoss;
use morpion_engine::tactics::board::{KoThreats, TacticsBoard};
use morpion_engine::tactics::estimate::{EstimateWeights, QuestionKind};
use morpion_engine::tactics::features::FeatureList;
use morpion_engine::tactics::fights::{Fight, fights};
use morpion_engine::tactics::goal::Question;
use morpion_engine::tactics::learn::{LearnSettings, learn};
use morpion_engine::tactics::proof::{ProofEnd, ZoneSearch};
use morpion_engine::tactics::reading::{AttackWidth, GoReading, ReadingLimits};
use std::sync::Arc;

const LIMITS: ReadingLimits = ReadingLimits { liberties: 3, growth: 3, attacks: AttackWidth::Narrow };

fn reading(board: &TacticsBoard, question: Question) -> GoReading {
    GoReading::new(board.clone(), question, KoThreats::Neither, LIMITS)
}

/// The place of a point of a square board under one of its eight symmetries.
fn carried(size: LargeBoard, symmetry: u8, point: u16) -> u16 {
    let last = size.width() - 1;
    let (mut x, mut y) = size.place(point);
    if symmetry & 1 != 0 {
        x = last - x;
    }
    if symmetry & 2 != 0 {
        y = last - y;
    }
    if symmetry & 4 != 0 {
        (x, y) = (y, x);
    }
    size.point(x, y).unwrap()
}

#[test]
fn features_are_those_of_the_turned_board_and_of_the_other_colours() {
    let mut compared = 0;
    for (number, of_two) in (0..40).flat_map(|number| [(number, false), (number, true)]) {
        for Fight { board, question } in fights(11, number, of_two) {
            let size = board.chains().size();
            let known: Vec<FeatureList> =
                [false, true].map(|moves| reading(&board, question).features(moves).unwrap()).into();
            for symmetry in 0..8 {
                let mut turned = Chains::new(size);
                for point in 0..size.area() {
                    if let Some(colour) = board.colour(point) {
                        turned.set(carried(size, symmetry, point), colour.other());
                    }
                }
                let at = |point| carried(size, symmetry, point);
                let (target, with) = (at(question.target()), question.with().map(at));
                let question = Question::new(&turned, question.goal(), target, with).unwrap();
                let turned = reading(&TacticsBoard::new(turned, None), question);
                for (attacker_moves, known) in [false, true].into_iter().zip(&known) {
                    assert_eq!(turned.features(attacker_moves).unwrap(), *known, "{number} {of_two} {symmetry}");
                    compared += 1;
                }
            }
            let kind = reading(&board, question).kind();
            assert_eq!(kind, if of_two { QuestionKind::Pair } else { QuestionKind::Chain });
            let numbers: Vec<u8> = known[0].numbers().to_vec();
            assert!(numbers.is_sorted() && numbers.iter().all(|&number| usize::from(number) < kind.features()));
        }
    }
    assert!(compared > 2_000, "{compared}");
}

/// Questions that are proven within a budget.
fn proven(weights: &Arc<EstimateWeights>, of_two: bool, positions: u64, budget: u64) -> u32 {
    let mut won = 0;
    for fight in (0..positions).flat_map(|number| fights(12, number, of_two)) {
        let mut game = reading(&fight.board, fight.question);
        game.set_weights(weights);
        let mut search = ZoneSearch::new(game, fight.question.goal().mover_attacks(), budget);
        won += u32::from(search.run() == ProofEnd::Won);
    }
    won
}

/// Proofs are proofs whatever the estimates; but with those that were learned more are found within a small budget.
#[test]
fn learned_estimates_find_more_proofs() {
    let (none, shipped) = (Arc::new(EstimateWeights::none()), EstimateWeights::shipped());
    for of_two in [false, true] {
        let found = [&none, &shipped].map(|weights| proven(weights, of_two, 120, 600));
        assert!(found[0] > 10 && found[1] >= found[0] + found[0] / 10, "of two: {of_two}, proven: {found:?}");
    }
}

#[test]
fn weights_are_learned_from_a_seed() {
    let settings = LearnSettings { seed: 3, positions: 80, nodes: 600, rounds: 1 };
    let mut losses = Vec::new();
    let weights = learn(&settings, &mut |round, loss| losses.push((round, *loss)));
    assert_eq!(weights, learn(&settings, &mut |_, _| ()));
    assert_ne!(weights, learn(&LearnSettings { seed: 4, ..settings }, &mut |_, _| ()));
    assert_eq!(losses.len(), 4);
    for (round, fit) in losses {
        // Knowing nothing costs the logarithm of two.
        let nothing = std::f64::consts::LN_2;
        let FitLoss { training, validation } = fit.loss;
        assert!(round == 1 && fit.samples > 400 && training < nothing / 2.0 && validation < nothing, "{fit:?}");
    }
}
