//! Tests of the player of Go: legal moves within small budgets, exact play on small boards, captures, and passes.

use super::*;
use crate::games::go::board::GoBoard;
use crate::games::go::large::points::LargeBoard;
use crate::games::go::notation::parse_position;
use crate::games::go::position::GoMove;
use crate::games::go::rules::{GoRules, Ko};
use crate::solvers::monitor::Monitor;
use crate::solvers::solve::{Goal, solve};
use crate::solvers::wander::wander;
use rand::RngExt;

fn small(width: u8, height: u8, ko: Ko) -> GoPosition {
    GoPosition::new(GoBoard::new(width, height).unwrap(), GoRules { ko, ..GoRules::default() })
}

fn large(size: u8, ko: Ko, suicide: bool) -> LargePosition {
    LargePosition::new(LargeBoard::new(size, size).unwrap(), GoRules { ko, suicide, ..GoRules::default() })
}

fn chosen<P: UctPosition>(
    player: &mut UctPlayer<P>,
    position: &P,
    nodes: u64,
    mut looks: u64,
) -> Option<Chosen<P::Move>> {
    let mut time = || {
        looks = looks.saturating_sub(1);
        if looks == 0 { 1.0 } else { 0.0 }
    };
    player.choose(position, &mut Budget { depth: u32::MAX, nodes, time: &mut time }, &mut |_| {})
}

fn small_budgets<P: UctPosition>(start: P, seed: u64) {
    let (mut random, mut player) = (rng(seed, &[]), UctPlayer::new(1 << 18, seed).unwrap());
    for n in 0..40 {
        let position = wander(start.clone(), random.random_range(0..150), &mut random);
        let nodes = [0, 1, 2, 9, 100, 300][random.random_range(0..6)];
        let looks = [1, 2, 3, 20, u64::MAX][random.random_range(0..5)];
        player.set_level(Level::new(random.random_range(1..=10)).unwrap());
        let what = format!("seed {seed}, position {n}: {nodes} nodes, {looks} looks\n{position}");
        let found = chosen(&mut player, &position, nodes, looks).unwrap_or_else(|| panic!("{what}"));
        assert!(found.nodes <= nodes + nodes / 16 + 1, "{what}: {} nodes", found.nodes);
        let (mut position, mut moves) = (position.clone(), Vec::new());
        assert!(!found.line.is_empty(), "{what}");
        for &m in &found.line {
            moves.clear();
            position.moves(&mut moves);
            assert!(moves.contains(&m), "{what}: {} is not legal", position.name(m));
            position.play(m);
        }
    }
}

#[test]
fn moves_and_lines_are_legal_and_budgets_kept() {
    small_budgets(small(5, 5, Ko::Basic), 1);
    small_budgets(small(7, 2, Ko::Superko), 2);
    small_budgets(small(1, 3, Ko::Free), 3);
    small_budgets(large(9, Ko::Superko, false), 4);
    small_budgets(large(6, Ko::Basic, true), 5);
    small_budgets(large(19, Ko::Basic, false), 6);
    small_budgets(large(1, Ko::Basic, false), 7);
}

#[test]
fn a_finished_game_has_no_move() {
    let mut over = small(3, 3, Ko::Basic);
    over.play(crate::games::go::position::GoMove::PASS);
    over.play(crate::games::go::position::GoMove::PASS);
    assert_eq!(chosen(&mut UctPlayer::new(1 << 16, 0).unwrap(), &over, 100, 9), None);
}

/// The board of playouts beside the engine of large boards, move for move.
#[test]
fn the_board_of_playouts_is_that_of_the_game() {
    for (seed, size) in [(1, 2), (2, 3), (3, 5), (4, 9), (5, 13)] {
        let mut random = rng(seed, &[]);
        let mut position = large(size, Ko::Basic, false);
        let mut board = board_of(&position);
        for ply in 0..600 {
            let what = format!("seed {seed}, ply {ply}\n{position}");
            let side = position.side();
            let mut legal = Vec::new();
            for place in (0..size).flat_map(|y| (0..size).map(move |x| (x, y))) {
                assert_eq!(board.stone(place), position.stone(place), "{what}{place:?}");
                let m = position.move_to(Some(place));
                // The game may be over by a repetition, which the board does not know.
                let is_legal = board.may_put(board.point(place), side);
                if position.repeated().is_none() {
                    assert_eq!(is_legal, position.allows(m), "{what}{place:?}");
                }
                if is_legal && !board.is_eye(board.point(place), side) {
                    legal.push((m, board.point(place)));
                }
            }
            board.check().unwrap_or_else(|why| panic!("{what}: {why}"));
            if legal.is_empty() || position.repeated().is_some() {
                break;
            }
            let (m, point) = legal[random.random_range(0..legal.len())];
            position.play(m);
            board.put(point, side);
        }
        let mut moves = Vec::new();
        board.play_out(position.side(), &mut random, &mut moves);
        board.check().unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        // Nothing but eyes is left, unless the playout was cut off.
        assert!(board.score().unsigned_abs() <= u32::from(size) * u32::from(size), "seed {seed}");
    }
}

#[test]
fn small_boards_are_played_exactly() {
    let seed = 8;
    let mut random = rng(seed, &[]);
    for n in 0..12 {
        let start = if n % 2 == 0 { small(3, 3, Ko::Basic) } else { small(3, 4, Ko::Superko) };
        let position = wander(start, random.random_range(0..8), &mut random);
        let (table, monitor) = (Table::new(1 << 20).unwrap(), Monitor::default());
        let mut engine = <GoPosition as Solvable>::own(&table, None, &monitor);
        let solution = solve(&mut engine, &position, Goal::Exact, 0, true, 1, &mut |_| {}).unwrap();
        let mut player = UctPlayer::new(1 << 22, seed).unwrap();
        let found = chosen(&mut player, &position, u64::MAX, u64::MAX).unwrap();
        let what = format!("seed {seed}, position {n}\n{position}");
        // Of those that repeat a position of the past nothing is known.
        if found.decided_in.is_some() {
            assert_eq!(found.value, solution.bounds.lower, "{what}");
            assert!(solution.best.contains(&found.line[0]), "{what}: {found:?}");
        }
    }
}

#[test]
fn what_decides_the_game_is_captured_at_every_level() {
    // Whoever plays a5 takes the other's chain.
    let board = ".XXXX/OOOOO/XXXXX/.X.X./..... black";
    let position: LargePosition = parse_position(board, GoRules::default()).unwrap();
    for level in 1..=10 {
        let mut player = UctPlayer::new(1 << 20, level).unwrap();
        player.set_level(Level::new(level as u8).unwrap());
        let found = chosen(&mut player, &position, 500, u64::MAX).unwrap();
        assert_eq!(position.name(found.line[0]), "a5", "level {level}: {found:?}");
    }
}

#[test]
fn five_by_five_begins_in_the_middle() {
    for seed in 0..3 {
        let mut player = UctPlayer::new(1 << 22, seed).unwrap();
        // From elsewhere black gets a few points; from the middle all of them.
        player.set_komi(100);
        let position = small(5, 5, Ko::Basic);
        let found = chosen(&mut player, &position, 6000, u64::MAX).unwrap();
        assert_eq!(position.name(found.line[0]), "c3", "seed {seed}: {found:?}");
        player.forget();
        assert_eq!(chosen(&mut player, &position, 6000, u64::MAX).unwrap(), found, "the same seed, the same move");
    }
}

#[test]
fn games_end_by_passes_and_nobody_gives_up_a_won_one() {
    for seed in 0..4 {
        let mut position = small(5, 5, Ko::Superko);
        let mut player = UctPlayer::new(1 << 20, seed).unwrap();
        player.set_level(Level::new(4).unwrap());
        let mut plies = 0;
        while let Some(found) = chosen(&mut player, &position, 200, u64::MAX) {
            position.play(found.line[0]);
            plies += 1;
            assert!(plies < 300, "seed {seed}\n{position}");
        }
        assert_eq!(position.passes(), 2, "seed {seed}\n{position}");
    }
    // White has passed; black has more, and ends the game.
    let won = "XX.OO/XX.OO/XXXOO/.XXO./X.XOO black pass";
    let position: LargePosition = parse_position(won, GoRules::default()).unwrap();
    let found = chosen(&mut UctPlayer::new(1 << 20, 1).unwrap(), &position, 200, u64::MAX).unwrap();
    assert_eq!(position.name(found.line[0]), "pass", "{found:?}");
    // With komi it has less, and goes on.
    let mut player = UctPlayer::new(1 << 20, 1).unwrap();
    player.set_komi(95);
    let found = chosen(&mut player, &position, 200, u64::MAX).unwrap();
    assert_ne!(position.name(found.line[0]), "pass", "{found:?}");
}

#[test]
fn an_analysis_has_exact_values_on_small_boards_and_playouts_on_large_ones() {
    let mut player = UctPlayer::new(1 << 22, 1).unwrap();
    let mut random = rng(5, &[]);
    for _ in 0..6 {
        let position = wander(small(3, 3, Ko::Basic), 4, &mut random);
        let mut budget = Budget { depth: u32::MAX, nodes: u64::MAX, time: &mut || 0.0 };
        let found = player.analyse(&position, usize::MAX, &mut budget, &mut |_| {});
        let mut legal = Vec::new();
        position.moves(&mut legal);
        assert_eq!(found.len(), legal.len());
        let table = Table::new(1 << 20).unwrap();
        let monitor = Monitor::default();
        let mut engine = GoPosition::own(&table, None, &monitor);
        let solved = solve(&mut engine, &position, Goal::Exact, 0, true, 20, &mut |_| {}).unwrap();
        let best = solved.bounds.lower;
        let names = |moves: &[GoMove]| moves.iter().map(|&m| position.name(m)).collect::<Vec<_>>();
        let equal: Vec<GoMove> = legal
            .iter()
            .copied()
            .filter(|m| found.iter().any(|chosen| chosen.line[0] == *m && chosen.value == best))
            .collect();
        assert_eq!(names(&equal), names(&solved.best), "{position}");
        assert!(found.iter().all(|chosen| chosen.value <= best && chosen.decided_in.is_some()), "{position}");
    }
    let mut player = UctPlayer::new(1 << 22, 1).unwrap();
    let mut budget = Budget { depth: u32::MAX, nodes: 400, time: &mut || 0.0 };
    let found = player.analyse(&large(9, Ko::Basic, false), 5, &mut budget, &mut |_| {});
    assert_eq!(found.len(), 5);
    assert!(found.is_sorted_by(|a, b| a.nodes >= b.nodes) && found[0].nodes > 20, "{found:?}");
}

/// Two chains of six stones that share two liberties, between living groups: who plays there loses its chain.
#[test]
fn playouts_leave_seki_alone() {
    let rows = [".OOXXX.OOOXX.", "O.OXXX.OOOX.X"];
    let mut start = PlayoutBoard::new(13, 2);
    for (y, row) in (0..).zip(rows) {
        for (x, cell) in (0..).zip(row.bytes()).filter(|(_, cell)| *cell != b'.') {
            let side = if cell == b'X' { Side::First } else { Side::Second };
            start.put(start.point((x, y)), side);
        }
    }
    start.begin(NOWHERE);
    let mut random = rng(1, &[]);
    for n in 0..100 {
        let mut board = start.clone();
        let side = if n % 2 == 0 { Side::First } else { Side::Second };
        board.play_out(side, &mut random, &mut Vec::new());
        assert_eq!((board.stone((3, 0)), board.stone((7, 0))), (Some(Side::First), Some(Side::Second)), "{n}");
        assert_eq!(board.stone((6, 0)).or(board.stone((6, 1))), None, "the shared liberties are left: {n}");
    }
}

/// Two stones inside an eye of four points, whose chain has no liberty outside: a third one is played to kill.
#[test]
fn playouts_fill_an_eye_with_a_shape_that_kills() {
    let rows = ["OOOOX.", "OXXOX.", "O..OX.", "OOOOX.", "XXXXX.", "......"];
    let mut board = PlayoutBoard::new(6, 6);
    for (y, row) in (0..).zip(rows) {
        for (x, cell) in (0..).zip(row.bytes()).filter(|(_, cell)| *cell != b'.') {
            let side = if cell == b'X' { Side::First } else { Side::Second };
            board.put(board.point((x, y)), side);
        }
    }
    board.begin(NOWHERE);
    let (mut random, mut filled) = (rng(1, &[]), 0);
    let inside = [board.point((1, 2)), board.point((2, 2))];
    for _ in 0..200 {
        let (mut played, mut moves) = (board.clone(), Vec::new());
        played.play_out(Side::First, &mut random, &mut moves);
        filled += u32::from(moves[0].1 == Side::First && inside.contains(&moves[0].0));
    }
    assert!(filled > 10, "{filled} of 200 begin there, where 13 points are empty");
}
