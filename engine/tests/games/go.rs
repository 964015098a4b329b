//! Go against its second implementation, against known counts and values, and against the laws of games.

mod large;
mod scoring;
mod superko;

use crate::laws;
use morpion_engine::core::game::{Game, Side, Value};
use morpion_engine::core::seed::{Rng, rng};
use morpion_engine::games::go::board::GoBoard;
use morpion_engine::games::go::life::sure;
use morpion_engine::games::go::naive::{NaiveGo, NaivePoint};
use morpion_engine::games::go::position::{GoMove, GoPosition};
use morpion_engine::games::go::rules::{Cycle, GoRules, Ko};
use morpion_engine::games::go::symmetry;
use morpion_engine::solvers::algorithm::{Algorithm, DepthFirst};
use morpion_engine::solvers::dfpn::Dfpn;
use morpion_engine::solvers::go::GoEngine;
use morpion_engine::solvers::monitor::Monitor;
use morpion_engine::solvers::perft::perft;
use morpion_engine::solvers::search::{LOWEST, Parts, Stats};
use morpion_engine::solvers::solve::{Engine, Goal, solve};
use morpion_engine::solvers::table::Table;
use rand::RngExt;
use std::collections::HashMap;

const POINT: Value = GoPosition::POINT;

fn boards() -> impl Iterator<Item = GoBoard> {
    (1..=7).flat_map(|w| (1..=7).map(move |h| board(w, h)))
}

fn board(width: u8, height: u8) -> GoBoard {
    GoBoard::new(width, height).unwrap()
}

fn all_rules() -> Vec<GoRules> {
    let mut all = Vec::new();
    for ko in [Ko::Basic, Ko::Superko, Ko::Free] {
        for suicide in [false, true] {
            for cycle in [Cycle::Tie, Cycle::LostForBlack, Cycle::LostForWhite] {
                if ko != Ko::Superko || cycle == Cycle::Tie {
                    all.push(GoRules { ko, cycle, suicide });
                }
            }
        }
    }
    all
}

fn place(m: GoMove) -> Option<(usize, usize)> {
    (m != GoMove::PASS).then_some((usize::from(m.0 % 8), usize::from(m.0 / 8)))
}

fn moves(position: &GoPosition) -> Vec<GoMove> {
    let mut list = Vec::new();
    position.moves(&mut list);
    list
}

/// Plays a random game of at most `plies`.
fn random_game(start: GoPosition, plies: usize, rng: &mut Rng) -> GoPosition {
    let mut position = start;
    for _ in 0..plies {
        let list = moves(&position);
        if list.is_empty() {
            break;
        }
        let before = position.clone();
        position.play(list[rng.random_range(0..list.len())]);
        if moves(&position).is_empty() {
            return before;
        }
    }
    position
}

/// Tromp's numbers of legal positions, by all ways to fill the board.
#[test]
fn numbers_of_legal_positions_are_the_known_ones() {
    // From J. Tromp and G. Farnebäck, "Combinatorics of go", the small rectangles by symmetry.
    for (width, height, known) in [(1, 1, 1u64), (1, 2, 5), (1, 3, 15), (2, 2, 57), (2, 3, 489), (3, 3, 12_675)] {
        assert_eq!(legal_positions(board(width, height)), known, "{width}x{height}");
        assert_eq!(legal_positions(board(height, width)), known, "{height}x{width}");
    }
}

#[test]
#[ignore = "takes seconds in a release build, minutes otherwise"]
fn the_number_of_legal_positions_of_4x4_is_the_known_one() {
    assert_eq!(legal_positions(board(4, 4)), 24_318_165);
}

fn legal_positions(board: GoBoard) -> u64 {
    let points: Vec<u8> = board.all().collect();
    let mut legal = 0;
    for mut code in 0..3u64.pow(u32::from(board.area())) {
        let mut stones = [0u64; 3];
        for point in &points {
            stones[(code % 3) as usize] |= 1 << point;
            code /= 3;
        }
        legal +=
            u64::from(GoPosition::from_stones(board, GoRules::default(), stones[1], stones[2], Side::First).is_ok());
    }
    legal
}

#[test]
fn both_implementations_play_the_same_games() {
    let mut repeated = 0;
    for (number, board) in boards().enumerate() {
        // Each board under every third of the rules, and each of these on every third board.
        for rules in all_rules().into_iter().skip(number % 3).step_by(3) {
            for seed in [u64::from(board.area())] {
                let mut rng = rng(seed, &[]);
                let mut fast = GoPosition::new(board, rules);
                let mut slow = NaiveGo::new(board.width().into(), board.height().into(), rules.ko, rules.suicide);
                for ply in 0..120 {
                    let at = format!("{board}, {rules:?}, seed {seed}, ply {ply}:\n{fast}");
                    let list = moves(&fast);
                    let names: Vec<_> = list.iter().map(|&m| place(m)).collect();
                    assert_eq!(names, slow.moves(), "{at}");
                    let (black, white) = fast.stones();
                    for (y, row) in slow.rows.iter().enumerate() {
                        for (x, &point) in row.iter().enumerate() {
                            let bit = 1u64 << (8 * y + x);
                            assert_eq!(
                                (point == NaivePoint::Black, point == NaivePoint::White),
                                (black & bit != 0, white & bit != 0),
                                "{at}"
                            );
                        }
                    }
                    let sign = if fast.side() == Side::First { 1 } else { -1 };
                    assert_eq!(sign * fast.score(), slow.difference(), "{at}");
                    assert_eq!(fast.repeated().is_some(), slow.is_repeated(), "{at}");
                    if list.is_empty() {
                        repeated += u32::from(slow.is_repeated());
                        break;
                    }
                    // Few passes, so that games last.
                    let some = if rng.random_bool(0.05) { list.len() } else { (list.len() - 1).max(1) };
                    let i = rng.random_range(0..some);
                    fast.play(list[i]);
                    slow = slow.after(names[i]).unwrap();
                }
            }
        }
    }
    assert!(repeated > 30, "only {repeated} games ended by a repetition");
}

#[test]
fn counts_equal_the_naive_ones() {
    let sizes = [(1, 1, 5), (1, 2, 9), (1, 3, 7), (2, 2, 7), (2, 3, 6), (3, 3, 4), (4, 4, 3), (7, 7, 2)];
    for (at, (width, height, depth)) in sizes.into_iter().enumerate() {
        for (number, rules) in all_rules().into_iter().enumerate() {
            // One ply less under two thirds of the rules.
            let depth = depth - u32::from((at + number) % 3 > 0);
            let slow = NaiveGo::new(width.into(), height.into(), rules.ko, rules.suicide);
            let mut fast = GoPosition::new(board(width, height), rules);
            for depth in 0..=depth {
                assert_eq!(perft(&mut fast, depth), slow.perft(depth), "{width}x{height} {rules:?} depth {depth}");
            }
            assert_eq!(fast, GoPosition::new(board(width, height), rules), "undo");
        }
    }
}

/// Without bounds from life: random games spoil what is sure.
#[test]
fn games_keep_the_laws() {
    for board in boards() {
        for rules in all_rules().into_iter().filter(|rules| rules.ko != Ko::Superko && !rules.suicide) {
            for seed in 0..2 {
                // (With suicide the board can be empty again, for the other side to move, rightly with the same key.)
                // Positions with one key are the same but for their past, which the display shows as a repetition.
                let start = GoPosition::new(board, rules).without_life();
                laws::check(&start, seed, 60, &mut HashMap::new());
            }
        }
        let start = GoPosition::new(board, GoRules { ko: Ko::Superko, ..GoRules::default() }).without_life();
        laws::check(&start, 1, 60, &mut HashMap::new());
    }
}

#[test]
fn symmetric_positions_share_key_and_moves() {
    for board in boards() {
        for seed in 0..6 {
            let mut rng = rng(seed, &[]);
            let position = random_game(GoPosition::new(board, GoRules::default()), 25, &mut rng);
            let (black, white) = position.stones();
            let position = GoPosition::from_stones(board, GoRules::default(), black, white, position.side()).unwrap();
            let carry = |position: &GoPosition, symmetry: u8| {
                let mut codes: Vec<_> = moves(position).iter().map(|&m| position.to_hashed(m, symmetry).0).collect();
                codes.sort_unstable();
                codes
            };
            let key = position.symmetric_key();
            for s in 0..symmetry::count(board) {
                let (b, w) = (symmetry::apply(board, s, black), symmetry::apply(board, s, white));
                let image = GoPosition::from_stones(board, GoRules::default(), b, w, position.side()).unwrap();
                let other = image.symmetric_key();
                assert_eq!(other.hash, key.hash, "{board}, seed {seed}, symmetry {s}:\n{position}");
                assert_eq!(carry(&image, other.symmetry), carry(&position, key.symmetry));
            }
        }
    }
}

/// What is sure is kept whatever the enemy does, while the owner only answers where it is touched, and passes else.
#[test]
fn what_is_sure_stays_sure() {
    let mut seen = 0;
    for seed in 0..2000 {
        let mut rng = rng(seed, &[]);
        let board = board(rng.random_range(3..=7), rng.random_range(2..=5));
        let rules = GoRules::default();
        let (mut own, mut enemy) = (0u64, 0u64);
        for point in board.all() {
            match rng.random_range(0..10) {
                0..=5 => own |= 1 << point,
                6 => enemy |= 1 << point,
                _ => (),
            }
        }
        let Ok(mut position) = GoPosition::from_stones(board, rules, own, enemy, Side::Second) else { continue };
        let area = sure(own, enemy, board.points());
        if area == 0 {
            continue;
        }
        seen += 1;
        for ply in 0..80 {
            let list = moves(&position);
            if list.is_empty() {
                break;
            }
            let (black, white) = position.stones();
            let m = if position.side() == Side::First {
                // Take, or take liberties of, what stands in the own area; else pass.
                let inside = white & area;
                let reply = list.iter().copied().find(|m| {
                    m.0 < 64
                        && area >> m.0 & 1 != 0
                        && morpion_engine::games::go::board::neighbours(1 << m.0) & inside != 0
                });
                assert!(reply.is_some() || inside == 0, "seed {seed}, ply {ply}: no answer\n{position}");
                reply.unwrap_or(GoMove::PASS)
            } else {
                list[rng.random_range(0..list.len())]
            };
            position.play(m);
            let now = sure(position.stones().0, position.stones().1, board.points());
            assert!(black & area & !position.stones().0 == 0, "seed {seed}: a stone is lost\n{position}");
            if position.stones().1 & area == 0 {
                assert_eq!(area & !now, 0, "seed {seed}, ply {ply}: no longer sure\n{position}");
            }
        }
    }
    assert!(seen > 100, "only {seen} positions had something sure");
}

fn depth_first<'a>(algorithm: Algorithm, parts: Parts, table: &'a Table, monitor: &'a Monitor) -> DepthFirst<'a> {
    DepthFirst { algorithm, parts, table, busy: None, monitor, stats: Stats::default() }
}

/// The definition: no table, no bounds, every game to its end. `None` if that takes too many nodes.
fn value(position: &mut GoPosition, budget: &mut u32) -> Option<Value> {
    let list = moves(position);
    *budget = budget.checked_sub(1)?;
    let mut best = None;
    for m in list {
        let undo = position.play(m);
        let value = value(position, budget);
        position.undo(m, undo);
        best = best.max(Some(-value?));
    }
    Some(best.unwrap_or_else(|| position.outcome()))
}

/// All algorithms, with all parts and with few, on small positions under all rules; where it is feasible against the
/// definition.
#[test]
fn all_algorithms_agree() {
    let rules = all_rules();
    let (mut defined, mut ties, mut solved, mut own) = (0, 0, 0, 0);
    for seed in 0..240 {
        let mut rng = rng(seed, &[]);
        let rules = rules[seed as usize % rules.len()];
        let sizes = [(1, 3), (1, 4), (2, 2), (2, 2), (1, 5), (2, 3), (3, 2)];
        let (width, height) = sizes[rng.random_range(0..sizes.len())];
        let plies = rng.random_range(0..12);
        let mut position = random_game(GoPosition::new(board(width, height), rules), plies, &mut rng);
        position.forget();
        // Under superko the past stays; half of the games begin here.
        if seed % 2 == 0 {
            position = position.with_rules(rules);
        }
        let table = Table::new(1 << 18).unwrap();
        // Some of these wander through very many cycles; those are left out.
        let monitor = Monitor::with_budget(100_000);
        let exact = depth_first(Algorithm::NegaScout, Parts::ALL, &table, &monitor).value(&position, LOWEST, -LOWEST);
        let Ok(exact) = exact else { continue };
        solved += 1;
        let what = format!("seed {seed}, {rules:?}\n{position}\n");
        if let Some(known) = value(&mut position.clone(), &mut 20_000) {
            defined += 1;
            assert_eq!(exact, known, "{what}");
        }
        ties += u32::from(exact == 0);
        let few = Parts { table: true, prior: true, ..Parts::NONE };
        for (algorithm, parts) in [
            (Algorithm::Mtdf, Parts::ALL),
            (Algorithm::AlphaBeta, Parts::ALL),
            (Algorithm::Negamax, few),
            (Algorithm::NegaScout, Parts { bounds: false, ..Parts::ALL }),
            (Algorithm::NegaScout, Parts { deepening: false, symmetry: false, ..Parts::ALL }),
        ] {
            // One table for several searches: what one leaves another finds.
            let monitor = Monitor::with_budget(100_000);
            let mut engine = depth_first(algorithm, parts, &table, &monitor);
            for (alpha, beta) in [(exact - 1, exact), (exact, exact + 1), (exact - 5, exact + 5)] {
                let Ok(found) = engine.value(&position, alpha, beta) else { continue };
                let right = if found <= alpha {
                    exact <= found
                } else if found >= beta {
                    exact >= found
                } else {
                    exact == found
                };
                assert!(right, "{what}{algorithm:?} {parts:?}: {found} within {alpha}..{beta}, not {exact}");
            }
        }
        for target in [exact, exact + POINT] {
            let (fresh, monitor) = (Table::new(1 << 20).unwrap(), Monitor::with_budget(100_000));
            let Ok(found) = GoEngine::new(&fresh, None, &monitor).value(&position, target - POINT, target) else {
                continue;
            };
            own += 1;
            assert_eq!(found >= target, exact >= target, "{what}the solver made for go, {target}");
        }
        if width * height <= 4 {
            let monitor = Monitor::with_budget(100_000);
            let fresh = Table::new(1 << 20).unwrap();
            let mut engine =
                Dfpn { symmetry: true, bounds: true, table: &fresh, monitor: &monitor, stats: Stats::default() };
            for target in [exact, exact + POINT] {
                let Ok(found) = engine.reaches(&position, target) else { continue };
                assert_eq!(found, exact >= target, "{what}df-pn {target}");
            }
        }
    }
    assert!(solved > 120, "only {solved} positions were solved");
    assert!(own > 200, "the solver made for go answered {own} questions");
    assert!(defined > 15, "only {defined} positions were small enough");
    assert!(ties > 5, "{ties}");
}

/// The value of the empty board for black, in points.
fn solved(width: u8, height: u8, rules: GoRules) -> i32 {
    let (table, monitor) = (Table::new(1 << 25).unwrap(), Monitor::with_budget(6_000_000));
    let mut engine = GoEngine::new(&table, None, &monitor);
    let position = GoPosition::new(board(width, height), rules);
    let found = solve(&mut engine, &position, Goal::Exact, 0, false, 0, &mut |_| ());
    let found = found.unwrap_or_else(|error| panic!("{width}x{height}, {rules:?}: {error}"));
    assert_eq!(found.bounds.lower, found.bounds.upper);
    found.bounds.lower / POINT
}

/// Black's value of the empty board, as found by E. van der Werf and by others.
#[test]
fn small_boards_have_their_known_values() {
    let (basic, superko) = (GoRules::default(), GoRules { ko: Ko::Superko, ..GoRules::default() });
    for (width, height, known) in [
        (1, 1, 0),
        (1, 2, 0),
        (1, 3, 3),
        (1, 4, 4),
        (1, 5, 0),
        (2, 2, 0),
        (2, 3, 0),
        (2, 4, 8),
        (2, 5, 10),
        (3, 3, 9),
        (3, 4, 4),
    ] {
        assert_eq!(solved(width, height, basic), known, "{width}x{height}");
        assert_eq!(solved(height, width, basic), known, "{height}x{width}");
    }
    for (width, height, known) in [
        (1, 1, 0),
        (1, 3, 3),
        (2, 2, 1),
        (2, 3, 0),
        (2, 4, 8),
        (5, 2, 10),
        (2, 6, 12),
        (3, 3, 9),
        (3, 4, 4),
        (4, 4, 2),
    ] {
        assert_eq!(solved(width, height, superko), known, "{width}x{height} under superko");
    }
}

/// Larger ones, as far as a single question goes: whether black gets so many points.
#[test]
fn larger_boards_reach_their_known_values() {
    let (basic, superko) = (GoRules::default(), GoRules { ko: Ko::Superko, ..GoRules::default() });
    for (rules, width, height, target, known) in
        [(basic, 4, 4, 1, true), (basic, 4, 4, 2, false), (basic, 3, 5, 15, true), (superko, 3, 5, 15, true)]
    {
        let (table, monitor) = (Table::new(1 << 25).unwrap(), Monitor::with_budget(3_000_000));
        let mut engine = GoEngine::new(&table, None, &monitor);
        let position = GoPosition::new(board(width, height), rules);
        let found = engine.value(&position, (target - 1) * POINT, target * POINT).unwrap();
        assert_eq!(found >= target * POINT, known, "{width}x{height}, {rules:?}: at least {target}?");
    }
}

/// 3x3: nine on the middle, three on a side, and minus nine in a corner.
#[test]
fn first_moves_on_3x3_have_their_known_values() {
    let (table, monitor) = (Table::new(1 << 25).unwrap(), Monitor::default());
    for (name, known) in [("b2", 9), ("a2", 3), ("b1", 3), ("a1", -9), ("c3", -9)] {
        let mut position = GoPosition::new(board(3, 3), GoRules::default());
        let m = position.parse(name).unwrap();
        position.play(m);
        let mut engine = depth_first(Algorithm::NegaScout, Parts::ALL, &table, &monitor);
        // Within a window about it, the value that is found is the exact one.
        let value = known * POINT;
        assert_eq!(engine.value(&position, -value - 1, -value + 1).unwrap(), -value, "{name}");
    }
}
