//! Positional superko: what the solver made for go proves for one past has to hold for the pasts that it is used for
//! again.

use morpion_engine::core::game::Game;
use morpion_engine::core::seed::{Rng, rng};
use morpion_engine::games::go::board::GoBoard;
use morpion_engine::games::go::position::GoPosition;
use morpion_engine::games::go::rules::{GoRules, Ko};
use morpion_engine::games::go::state::State;
use morpion_engine::solvers::go::GoEngine;
use morpion_engine::solvers::monitor::Monitor;
use morpion_engine::solvers::solve::Engine;
use morpion_engine::solvers::table::Table;
use rand::RngExt;
use std::collections::{BTreeSet, HashMap};

/// What a position has been found to be: whether its side to move gets so many points. All boards of the past belong
/// to it.
type Memory = HashMap<(State, BTreeSet<(u64, u64)>, i32), bool>;

/// Whether the side to move gets `target` points, by the definition. `None` if that takes too long.
fn reaches(position: &mut GoPosition, target: i32, memory: &mut Memory, budget: &mut u32) -> Option<bool> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    if moves.is_empty() {
        return Some(position.score() >= target);
    }
    let past = position.past().iter().map(State::stones).collect();
    let key = (position.state(), past, target);
    if let Some(&known) = memory.get(&key) {
        return Some(known);
    }
    *budget = budget.checked_sub(1)?;
    // Passes that end the game first, other passes last: that is quickest.
    moves.sort_by_key(|&m| std::cmp::Reverse(position.prior(m)));
    let mut found = false;
    for m in moves {
        let undo = position.play(m);
        let of_other = reaches(position, 1 - target, memory, budget);
        position.undo(m, undo);
        found = !of_other?;
        if found {
            break;
        }
    }
    memory.insert(key, found);
    Some(found)
}

/// A position after a random game with few passes.
fn random_position(board: GoBoard, suicide: bool, most: usize, rng: &mut Rng) -> GoPosition {
    let rules = GoRules { ko: Ko::Superko, suicide, ..GoRules::default() };
    let mut position = GoPosition::new(board, rules);
    for _ in 0..rng.random_range(0..most) {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let some = if rng.random_bool(0.07) { moves.len() } else { (moves.len() - 1).max(1) };
        let before = position.clone();
        let m = moves[rng.random_range(0..some)];
        position.play(m);
        if position.passes() > 1 {
            return before;
        }
    }
    position
}

/// Whether an engine says that the side to move gets `target` points. `None` if its budget is used up.
fn ask(engine: &mut GoEngine, position: &GoPosition, target: i32) -> Option<bool> {
    let point = GoPosition::POINT;
    engine.value(position, (target - 1) * point, target * point).ok().map(|value| value >= target * point)
}

/// Against the definition, with one memory for all positions of a board, small enough to be overwritten, and with
/// fresh ones.
#[test]
fn answers_are_those_of_the_definition_whatever_the_past() {
    const SEEDS: u64 = 8;
    let (mut asked, mut yes, mut hard) = (0, 0, 0);
    for (n, (width, height)) in
        [(1, 3), (1, 4), (5, 1), (1, 6), (7, 1), (2, 2), (2, 3), (3, 2), (2, 4), (3, 3)].into_iter().enumerate()
    {
        let board = GoBoard::new(width, height).unwrap();
        let area = board.area() as i32;
        for suicide in [false, true] {
            let (table, monitor) = (Table::new(1 << 16).unwrap(), Monitor::with_budget(20_000_000));
            let mut shared = GoEngine::new(&table, None, &monitor);
            // The last: what lives had lived before and been lost, and an answer that it needs is forbidden.
            for seed in (0..SEEDS).chain([35]) {
                let mut rng = rng(seed, &[n as u64, suicide.into()]);
                let position = random_position(board, suicide, 100, &mut rng);
                let mut memory = Memory::new();
                for _ in 0..3 {
                    let target = rng.random_range(1 - area..=area);
                    let mut budget = if seed < SEEDS { 2_000 } else { 10_000 };
                    let known = reaches(&mut position.clone().without_life(), target, &mut memory, &mut budget);
                    let Some(known) = known else { continue };
                    hard += u32::from((1..1_900).contains(&budget));
                    let fresh = Table::new(1 << 14).unwrap();
                    let mut alone = GoEngine::new(&fresh, None, &monitor);
                    let found = ask(&mut alone, &position, target).expect("the budget is large enough");
                    for found in [ask(&mut shared, &position, target).expect("the budget is large enough"), found] {
                        (asked, yes) = (asked + 1, yes + u32::from(found));
                        let past = position.past().len();
                        assert_eq!(found, known, "seed {seed}, {past} before, {target} points?\n{position}");
                    }
                }
            }
        }
    }
    assert!(asked > 700 && yes > 300 && yes < asked - 140 && hard > 15, "{asked} asked, {yes} yes, {hard} hard");
}

/// A position is worth what its best move leads to, each asked with its own past, and one engine remembers all of it.
#[test]
fn positions_agree_with_those_after_their_moves() {
    let (mut asked, mut yes) = (0, 0);
    for (width, height, suicide, seeds) in
        [(3, 3, false, 250), (3, 3, true, 100), (2, 4, false, 150), (2, 5, false, 100)]
    {
        let board = GoBoard::new(width, height).unwrap();
        let area = board.area() as i32;
        let (table, monitor) = (Table::new(1 << 24).unwrap(), Monitor::with_budget(20_000_000));
        let mut engine = GoEngine::new(&table, None, &monitor);
        for seed in 0..seeds {
            let mut rng = rng(seed, &[7]);
            let position = random_position(board, suicide, 4 * area as usize, &mut rng);
            let target = rng.random_range(1 - area..=area);
            let what = format!("{board}, seed {seed}, {target} points?\n{position}");
            let found = ask(&mut engine, &position, target).expect("the budget is large enough");
            let mut moves = Vec::new();
            position.moves(&mut moves);
            let best = moves.iter().any(|&m| {
                let mut after = position.clone();
                after.play(m);
                let of_other = match after.passes() {
                    2 => after.score() > -target,
                    _ => ask(&mut engine, &after, 1 - target).expect("the budget is large enough"),
                };
                !of_other
            });
            assert_eq!(found, best, "{what}");
            (asked, yes) = (asked + 1, yes + u32::from(found));
        }
    }
    assert!(yes > 150 && yes < asked - 150, "{yes} of {asked}");
}

/// The same stones with and without their past: what differs is told apart by one memory.
#[test]
fn the_past_makes_a_difference() {
    let rules = GoRules { ko: Ko::Superko, ..GoRules::default() };
    let board = GoBoard::new(2, 2).unwrap();
    let (table, monitor) = (Table::new(1 << 20).unwrap(), Monitor::default());
    let mut engine = GoEngine::new(&table, None, &monitor);
    let (mut compared, mut different) = (0, 0);
    for seed in 0..100 {
        let played = random_position(board, false, 30, &mut rng(seed, &[9]));
        let target = rng(seed, &[10]).random_range(-3..=4);
        let [with, without] = [&played, &played.with_rules(rules)].map(|position| {
            let mut start = position.clone().without_life();
            let known = reaches(&mut start, target, &mut Memory::new(), &mut 20_000)?;
            assert_eq!(ask(&mut engine, position, target), Some(known), "seed {seed}, {target} points?\n{position}");
            Some(known)
        });
        if let (Some(with), Some(without)) = (with, without) {
            compared += 1;
            different += u32::from(with != without);
        }
    }
    assert!(compared > 30 && different > 3, "{different} of {compared}");
}
