//! Go on boards up to 19x19 against the second implementation, against the small boards, and against the laws of
//! games.

use crate::laws;
use morpion_engine::core::game::{Game, Side};
use morpion_engine::core::seed::rng;
use morpion_engine::games::go::board::GoBoard;
use morpion_engine::games::go::large::points::LargeBoard;
use morpion_engine::games::go::large::position::{LargeMove, LargePosition, LargeStonesError};
use morpion_engine::games::go::naive::{NaiveGo, NaivePoint};
use morpion_engine::games::go::notation::{parse_position, to_line};
use morpion_engine::games::go::position as small;
use morpion_engine::games::go::rules::{Cycle, GoRules, Ko};
use morpion_engine::solvers::branching::Branching;
use morpion_engine::solvers::perft::perft;
use rand::RngExt;
use std::collections::HashMap;

fn size(width: u8, height: u8) -> LargeBoard {
    LargeBoard::new(width, height).unwrap()
}

fn all_rules() -> Vec<GoRules> {
    let kinds = [Ko::Basic, Ko::Superko, Ko::Free];
    let all =
        kinds.into_iter().flat_map(|ko| [false, true].map(|suicide| GoRules { ko, suicide, ..GoRules::default() }));
    all.collect()
}

fn moves(position: &LargePosition) -> Vec<LargeMove> {
    let mut list = Vec::new();
    position.moves(&mut list);
    list
}

/// Every move is played and taken back, and what is kept of chains is what is found anew.
fn check_undo(position: &LargePosition, list: &[LargeMove]) {
    let (shown, key) = (position.to_string(), position.key());
    let mut child = position.clone();
    for &m in list {
        let undo = child.play(m);
        child.chains().check().unwrap();
        child.undo(m, undo);
        child.chains().check().unwrap();
        assert_eq!((child.to_string(), child.key()), (shown.clone(), key), "{m:?} is not undone");
    }
    assert_eq!(moves(&child), list);
}

#[test]
fn both_implementations_play_the_same_games() {
    let (mut repeated, mut taken) = (0, 0);
    for (width, height, plies, games) in [
        (1, 1, 20, 2),
        (1, 2, 30, 4),
        (2, 2, 60, 6),
        (3, 2, 90, 6),
        (3, 3, 90, 6),
        (5, 4, 90, 2),
        (13, 2, 60, 1),
        (9, 9, 70, 1),
    ] {
        for (rules, seed) in all_rules().into_iter().flat_map(|rules| (0..games).map(move |seed| (rules, seed))) {
            let board = size(width, height);
            let mut fast = LargePosition::new(board, rules);
            let mut slow = NaiveGo::new(width.into(), height.into(), rules.ko, rules.suicide);
            let mut rng = rng(seed, &[width.into(), height.into()]);
            for ply in 0..plies {
                let at = format!("{board}, {rules:?}, seed {seed}, ply {ply}:\n{fast}");
                let list = moves(&fast);
                let place = |m: &LargeMove| {
                    let (x, y) = board.place(m.0);
                    (*m != LargeMove::PASS).then_some((usize::from(x), usize::from(y)))
                };
                let places: Vec<_> = list.iter().map(place).collect();
                assert_eq!(places, slow.moves(), "{at}");
                for point in 0..board.area() {
                    let (x, y) = board.place(point);
                    let colour = match slow.rows[usize::from(y)][usize::from(x)] {
                        NaivePoint::Empty => None,
                        NaivePoint::Black => Some(Side::First),
                        NaivePoint::White => Some(Side::Second),
                    };
                    assert_eq!(fast.chains().colour(point), colour, "{at}");
                }
                let sign = if fast.side() == Side::First { 1 } else { -1 };
                assert_eq!(sign * fast.score(), slow.difference(), "{at}");
                assert_eq!(fast.repeated().is_some(), slow.is_repeated(), "{at}");
                if ply % 5 == 0 {
                    check_undo(&fast, &list);
                }
                if list.is_empty() {
                    repeated += u32::from(slow.is_repeated());
                    break;
                }
                // Few passes, so that games last.
                let some = if rng.random_bool(0.05) { list.len() } else { (list.len() - 1).max(1) };
                let i = rng.random_range(0..some);
                let stones = |position: &LargePosition| {
                    (0..board.area()).filter(|&p| position.chains().colour(p).is_some()).count()
                };
                let before = stones(&fast);
                fast.play(list[i]);
                taken += u32::from(stones(&fast) < before);
                slow = slow.after(places[i]).unwrap();
            }
        }
    }
    assert!(repeated > 20 && taken > 100, "{repeated} games ended by a repetition, {taken} captures of two or more");
}

/// On the largest board there is no time for the slow one: the chains are checked on their own.
#[test]
fn games_on_19x19_keep_their_chains() {
    for (seed, rules) in (0..).zip(all_rules()) {
        let mut rng = rng(seed, &[]);
        let mut position = LargePosition::new(size(19, 19), rules);
        for ply in 0..600 {
            let list = moves(&position);
            if list.is_empty() {
                break;
            }
            position.play(list[rng.random_range(0..list.len())]);
            if ply % 50 == 0 {
                position.chains().check().unwrap();
                let list = moves(&position);
                check_undo(&position, &list);
                let line = to_line(&position);
                let read: LargePosition = parse_position(&line, rules).unwrap();
                assert_eq!((to_line(&read), moves(&read).len() >= list.len()), (line, true));
            }
        }
    }
}

#[test]
fn counts_equal_those_of_the_small_boards() {
    for (width, height, depth) in [(1, 1, 6), (1, 3, 6), (2, 2, 6), (3, 2, 5), (4, 3, 3), (7, 7, 2), (5, 7, 2)] {
        for rules in all_rules() {
            let mut large = LargePosition::new(size(width, height), rules);
            let mut small = small::GoPosition::new(GoBoard::new(width, height).unwrap(), rules);
            assert_eq!(perft(&mut large, depth), perft(&mut small, depth), "{width}x{height} {rules:?}");
        }
    }
    // Any point, a second one and the pass; then two passes end it. 361 * 361 + 361 + 361 + 1.
    assert_eq!(perft(&mut LargePosition::new(size(19, 19), GoRules::default()), 2), 361 * 361 + 362);
}

#[test]
fn games_keep_the_laws() {
    for (width, height) in [(1, 1), (2, 3), (4, 4), (6, 2), (8, 3), (9, 9)] {
        for rules in all_rules().into_iter().filter(|rules| !rules.suicide) {
            laws::check(&LargePosition::new(size(width, height), rules), 3, 50, &mut HashMap::new());
        }
    }
}

#[test]
fn ends_are_worth_what_the_rules_say() {
    let read = |text: &str, cycle| {
        let rules = GoRules { ko: Ko::Free, cycle, suicide: false };
        parse_position::<LargePosition>(text, rules).unwrap()
    };
    // Two kos: whoever passes in one is taken in the other. Without a ko rule a position comes back after two plies.
    for (cycle, outcome) in [(Cycle::Tie, 0), (Cycle::LostForBlack, -120), (Cycle::LostForWhite, 120)] {
        let mut position = read(".XO./X.XO/.XO. white", cycle);
        for name in ["b2", "c2"] {
            assert!(moves(&position).contains(&position.parse(name).unwrap()), "{position}");
            position.play(position.parse(name).unwrap());
        }
        assert_eq!((position.repeated(), moves(&position).len()), (Some(2), 0), "{position}");
        assert_eq!((position.side(), position.outcome()), (Side::Second, -outcome));
    }
    let mut passed = read("X......../......... black", Cycle::Tie);
    passed.play(LargeMove::PASS);
    passed.play(LargeMove::PASS);
    assert_eq!((moves(&passed).len(), passed.outcome()), (0, 180));

    let nine = size(9, 9);
    for (stones, error) in [
        (vec![(81, Side::First)], LargeStonesError::Outside(nine)),
        (vec![(4, Side::First), (4, Side::Second)], LargeStonesError::Both("e9".to_owned())),
        (vec![(0, Side::First), (1, Side::Second), (9, Side::Second)], LargeStonesError::Captured("a9".to_owned())),
    ] {
        assert_eq!(LargePosition::from_stones(nine, GoRules::default(), &stones, Side::First).unwrap_err(), error);
    }
}

/// What a ko forbids is forbidden by superko, too, and told alike.
#[test]
fn superko_forbids_the_retake_of_a_ko() {
    let (mut rng, mut retakes) = (rng(5, &[]), 0);
    for _ in 0..60 {
        let of = |ko| LargePosition::new(size(5, 4), GoRules { ko, ..GoRules::default() });
        let (mut basic, mut superko) = (of(Ko::Basic), of(Ko::Superko));
        for _ in 0..80 {
            assert_eq!(superko.forbidden_retake(), basic.ko(), "{basic}");
            assert_eq!(basic.forbidden_retake(), basic.ko());
            retakes += u32::from(basic.ko().is_some_and(|point| !superko.is_legal(LargeMove(point))));
            let mut both = moves(&superko);
            both.retain(|&m| m != LargeMove::PASS && basic.is_legal(m));
            if both.is_empty() {
                break;
            }
            let m = both[rng.random_range(0..both.len())];
            basic.play(m);
            superko.play(m);
        }
    }
    assert!(retakes > 20, "only {retakes} kos");
}

#[test]
fn random_games_on_19x19_branch_as_the_board_fills() {
    let start = LargePosition::new(size(19, 19), GoRules { ko: Ko::Superko, ..GoRules::default() });
    let found = Branching::of(&start, 3, 150, 1);
    let averages: Vec<f64> = found.averages().collect();
    assert_eq!(&averages[..3], [362.0, 361.0, 360.0]);
    assert!(averages[149] > 200.0 && averages[149] < 230.0, "{averages:?}");
}
