//! Answers of the search against the definition.

use super::*;
use crate::core::seed;
use crate::games::go::rules::Cycle;
use rand::RngExt;
use std::collections::HashMap;

/// A state with its moves by number, or how it ends.
struct RacePlace {
    state: State,
    next: Vec<u32>,
}

/// All states that can come up from the empty board.
fn all_states(board: GoBoard, rules: GoRules) -> Vec<RacePlace> {
    let points = board.points();
    let mut numbers = HashMap::from([(State::EMPTY, 0u32)]);
    let mut places = vec![RacePlace { state: State::EMPTY, next: Vec::new() }];
    let mut at = 0;
    while at < places.len() {
        let state = places[at].state;
        if state.passes < 2 {
            let placements = state.placements(points, rules.suicide);
            let moves = board.all().filter(|&point| placements >> point & 1 != 0).map(GoMove);
            for m in moves.chain([GoMove::PASS]) {
                let after = state.play(points, rules, m);
                let number = *numbers.entry(after).or_insert_with(|| {
                    places.push(RacePlace { state: after, next: Vec::new() });
                    places.len() as u32 - 1
                });
                places[at].next.push(number);
            }
        }
        at += 1;
    }
    places
}

/// By the definition: a yes is an end that the attacker wants, one of its moves that leads to a yes, or all of the
/// other side's.
fn attractor(places: &[RacePlace], points: u64, attacker: Side, target: i32) -> Vec<bool> {
    let mut yes = vec![false; places.len()];
    loop {
        let mut changed = false;
        for (i, place) in places.iter().enumerate().rev().filter(|(i, _)| !yes[*i]).collect::<Vec<_>>() {
            let attacks = place.state.side == attacker;
            let is = if place.next.is_empty() {
                let score = place.state.score(points);
                (if attacks { score } else { -score }) >= target
            } else if attacks {
                place.next.iter().any(|&next| yes[next as usize])
            } else {
                place.next.iter().all(|&next| yes[next as usize])
            };
            yes[i] = is;
            changed |= is;
        }
        if !changed {
            return yes;
        }
    }
}

/// Every answer against the definition, with a table and a memory that are shared, and small ones at that.
#[test]
fn answers_are_those_of_the_definition() {
    let mut rng = seed::rng(7, &[]);
    let (mut asked, mut yeses, mut open) = (0, 0, 0);
    for (width, height) in [(2, 2), (2, 3), (3, 2), (4, 1), (5, 1), (3, 3)] {
        let board = GoBoard::new(width, height).unwrap();
        let points = board.points();
        let zobrist = Zobrist::new(board);
        for (ko, suicide) in [(Ko::Basic, false), (Ko::Free, false), (Ko::Basic, true), (Ko::Free, true)] {
            let rules = GoRules { ko, cycle: Cycle::Tie, suicide };
            let places = all_states(board, rules);
            for attacker in [Side::First, Side::Second] {
                let target = rng.random_range(1 - board.area() as i32..=board.area() as i32);
                let yes = attractor(&places, points, attacker, target);
                let table = Table::new(1 << [12, 16, 20][rng.random_range(0..3)]).unwrap();
                let mut conditional = Conditional::new(1 << [10, 14, 18][rng.random_range(0..3)]);
                let question = RaceQuestion { attacker, target, rules };
                for _ in 0..150 {
                    let i = rng.random_range(0..places.len());
                    let monitor = Monitor::with_budget(40_000);
                    let mut race = Race::new(question, board, &zobrist, &table, &mut conditional, None, &monitor);
                    match race.answer(places[i].state) {
                        Ok(Some(answer)) => {
                            let what = format!("{board} {question:?} {:?}", places[i].state);
                            assert_eq!(answer, yes[i], "{what}");
                            (asked, yeses) = (asked + 1, yeses + u32::from(answer));
                        }
                        Ok(None) | Err(_) => open += 1,
                    }
                }
            }
        }
    }
    assert!(asked > 5000 && yeses > 1000 && yeses < asked - 1000, "{asked} asked, {yeses} yes, {open} open");
}

/// Once a guess that is stored for its move passed for an answer at the depth limit, and the limit grew for ever.
#[test]
fn long_games_are_answered() {
    let board = GoBoard::new(2, 6).unwrap();
    let zobrist = Zobrist::new(board);
    for (attacker, target, answer) in [(Side::First, 12, true), (Side::Second, 5, false), (Side::Second, -11, false)]
    {
        let (table, monitor) = (Table::new(1 << 24).unwrap(), Monitor::with_budget(2_000_000));
        let mut conditional = Conditional::new(1 << 22);
        let question = RaceQuestion { attacker, target, rules: GoRules::default() };
        let mut race = Race::new(question, board, &zobrist, &table, &mut conditional, None, &monitor);
        assert_eq!(race.answer(State::EMPTY), Ok(Some(answer)), "{question:?}");
    }
}
