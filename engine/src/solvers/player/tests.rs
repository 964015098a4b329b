//! Tests of the player: legal moves within small budgets, victories in one move, exact endings.

use super::*;
use crate::core::game::Side;
use crate::core::seed::rng;
use crate::games::go::board::GoBoard;
use crate::games::go::position::GoPosition;
use crate::games::go::rules::GoRules;
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::notation::parse_position;
use crate::games::gomoku::position::GomokuPosition;
use crate::games::gomoku::rules::{GomokuRules, RowRule};
use crate::games::reversi::board::ReversiBoard;
use crate::games::reversi::notation::parse_board;
use crate::games::reversi::position::{Empties, ReversiPosition, Start};
use crate::solvers::monitor::Monitor;
use crate::solvers::solvable::Playable;
use crate::solvers::solve::{Goal, solve};
use crate::solvers::wander::wander;
use rand::RngExt;

fn reversi(width: u8, height: u8) -> ReversiPosition {
    ReversiPosition::new(ReversiBoard::new(width, height).unwrap(), Start::Standard)
}

fn gomoku(size: u8, win: u8) -> GomokuPosition {
    GomokuPosition::new(GomokuBoard::new(size, size).unwrap(), GomokuRules::new(RowRule::Five, win).unwrap())
}

/// The choice within so many nodes, with a clock that is at its end from the look `looks` on.
fn chosen<G: Solvable>(
    player: &mut SearchPlayer<G>,
    position: &G,
    depth: u32,
    nodes: u64,
    mut looks: u64,
) -> Option<Chosen<G::Move>> {
    let mut time = || {
        looks = looks.saturating_sub(1);
        if looks == 0 { 1.0 } else { 0.0 }
    };
    player.choose(position, &mut Budget { depth, nodes, time: &mut time }, &mut |_| {})
}

fn check_line<G: Solvable>(position: &G, chosen: &Chosen<G::Move>, what: &str) {
    let (mut position, mut moves) = (position.clone(), Vec::new());
    assert!(!chosen.line.is_empty(), "{what}\n{position}");
    for &m in &chosen.line {
        moves.clear();
        position.moves(&mut moves);
        assert!(moves.contains(&m), "{what}: {} is not legal\n{position}", position.name(m));
        position.play(m);
    }
}

fn small_budgets<G: Solvable>(start: G, seed: u64) {
    let (mut random, mut player) = (rng(seed, &[]), SearchPlayer::new(1 << 16).unwrap());
    for n in 0..60 {
        let position = wander(start.clone(), random.random_range(0..70), &mut random);
        let nodes = [0, 1, 2, 3, 10, 100, 1000, 20_000][random.random_range(0..8)];
        let looks = [1, 2, 3, 20, u64::MAX][random.random_range(0..5)];
        let depth = [0, 1, 2, 5, u32::MAX][random.random_range(0..5)];
        player.set_level(Level::new(random.random_range(1..=10)).unwrap());
        let what = format!("seed {seed}, position {n}: {nodes} nodes, {looks} looks, depth {depth}");
        let Some(chosen) = chosen(&mut player, &position, depth, nodes, looks) else { panic!("{what}\n{position}") };
        check_line(&position, &chosen, &what);
        assert!(chosen.nodes <= nodes + nodes / 16 + 4096, "{what}: {} nodes", chosen.nodes);
    }
}

#[test]
fn moves_and_lines_are_legal_and_budgets_kept() {
    small_budgets(reversi(8, 8), 1);
    small_budgets(reversi(6, 4), 2);
    small_budgets(reversi(5, 7).with_empties(Empties::ToWinner), 3);
    small_budgets(gomoku(5, 4), 4);
    small_budgets(GoPosition::new(GoBoard::new(3, 3).unwrap(), GoRules::default()), 5);
}

#[test]
fn a_finished_game_has_no_move() {
    let over = parse_position("a3a1b3b1c3", GomokuRules::new(RowRule::Five, 3).unwrap(), Some((3, 3))).unwrap();
    assert_eq!(chosen(&mut SearchPlayer::new(1 << 16).unwrap(), &over, 9, 100, 9), None);
    let full = parse_board(ReversiBoard::new(4, 4).unwrap(), "XXXX XXXX OOOO XXXX X").unwrap();
    assert_eq!(chosen(&mut SearchPlayer::new(1 << 16).unwrap(), &full, 9, 100, 9), None);
}

#[test]
fn every_level_finds_a_victory_in_one_move() {
    let row = parse_position("a3a1b3b1", GomokuRules::new(RowRule::Five, 3).unwrap(), Some((3, 3))).unwrap();
    // Black takes the last white discs.
    let wipe = "-------- -------- -------- --XXXO-- -------- ---X---- --XX---- -------- X";
    let wipe = parse_board(ReversiBoard::FULL, wipe).unwrap();
    for level in 1..=10 {
        let level = Level::new(level).unwrap();
        let mut player = SearchPlayer::new(1 << 16).unwrap();
        player.set_level(level);
        let found = chosen(&mut player, &row, u32::MAX, 10_000, u64::MAX).unwrap();
        assert_eq!(row.name(found.line[0]), "c3", "{level:?}");
        let mut player = SearchPlayer::new(1 << 16).unwrap();
        player.set_level(level);
        let found = chosen(&mut player, &wipe, u32::MAX, 10_000, u64::MAX).unwrap();
        assert_eq!(wipe.name(found.line[0]), "g4", "{level:?}");
    }
}

/// The value of a position and all moves that reach it, by the solver.
fn exact(position: &ReversiPosition) -> (Value, Vec<crate::games::reversi::position::ReversiMove>) {
    let (table, monitor) = (Table::new(1 << 20).unwrap(), Monitor::default());
    let mut engine = <ReversiPosition as Solvable>::own(&table, None, &monitor);
    let solution = solve(&mut engine, position, Goal::Exact, 0, true, 1, &mut |_| {}).unwrap();
    (solution.bounds.lower, solution.best)
}

#[test]
fn the_end_of_reversi_is_played_exactly() {
    let seed = 7;
    let mut random = rng(seed, &[]);
    let mut decided = 0;
    for n in 0..40 {
        let start = if n % 2 == 0 { reversi(8, 8) } else { reversi(6, 6).with_empties(Empties::ToWinner) };
        let area = u32::from(start.board().area());
        let position = wander(start, area - 4 - 12, &mut random);
        let (value, best) = exact(&position);
        let mut player = SearchPlayer::new(1 << 20).unwrap();
        let found = chosen(&mut player, &position, u32::MAX, 5_000_000, u64::MAX).unwrap();
        let what = format!("seed {seed}, position {n}\n{position}");
        check_line(&position, &found, &what);
        assert!(best.contains(&found.line[0]), "{what}: {:?} of {best:?}", found.line);
        if found.decided_in.is_some() {
            assert_eq!(found.value, value, "{what}");
            decided += 1;
        }
    }
    // All but those with one legal move, about.
    assert!(decided > 25, "seed {seed}: {decided}");
}

#[test]
fn levels_see_as_many_plies_as_they_say() {
    let seed = 8;
    let mut random = rng(seed, &[]);
    for n in 0..10u8 {
        let position = wander(reversi(8, 8), 20, &mut random);
        let mut player = SearchPlayer::new(1 << 20).unwrap();
        let level = Level::new(n % 9 + 1).unwrap();
        player.set_level(level);
        let found = chosen(&mut player, &position, u32::MAX, 3_000_000, u64::MAX).unwrap();
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if moves.len() > 1 {
            assert_eq!(found.depth, u32::from(level.number()), "seed {seed}, position {n}\n{position}");
        }
    }
}

#[test]
fn another_board_or_rule_is_another_game() {
    let mut player = SearchPlayer::new(1 << 20).unwrap();
    let seed = 9;
    let mut random = rng(seed, &[]);
    for n in 0..20 {
        // The same discs under both rules, with the same player.
        let ignored = wander(reversi(4, 4), 5, &mut random);
        for position in [ignored, ignored.with_empties(Empties::ToWinner)] {
            let (value, _) = exact(&position);
            let found = chosen(&mut player, &position, u32::MAX, 5_000_000, u64::MAX).unwrap();
            let is_known = found.decided_in.is_none() || found.value == value;
            assert!(is_known, "seed {seed}, position {n}: {found:?}, not {value}\n{position}");
        }
    }
    assert_eq!(reversi(4, 4).side(), Side::First);
}

/// All moves, with nothing but nodes to end the analysis.
fn analysed<G: Solvable>(
    player: &mut SearchPlayer<G>,
    position: &G,
    most: usize,
    nodes: u64,
) -> Vec<Chosen<G::Move>> {
    player.analyse(position, most, &mut Budget { depth: u32::MAX, nodes, time: &mut || 0.0 }, &mut |_| {})
}

#[test]
fn an_analysis_has_the_values_of_the_solver_for_all_moves() {
    let (mut random, mut player) = (rng(31, &[]), SearchPlayer::new(1 << 22).unwrap());
    for n in 0..12 {
        // Both ways to the end: the general search of small boards, and the game's own engine.
        let start = if n % 2 == 0 { reversi(4, 4) } else { reversi(6, 6) };
        let area = Playable::size(&start).0 * Playable::size(&start).1;
        let position = wander(start, u32::from(area) - 4 - 9, &mut random);
        let found = analysed(&mut player, &position, usize::MAX, u64::MAX);
        let mut legal = Vec::new();
        position.moves(&mut legal);
        assert_eq!(found.len(), legal.len());
        assert!(found.is_sorted_by_key(|chosen| Reverse(chosen.value)));
        for chosen in &found {
            let mut after = position;
            after.play(chosen.line[0]);
            let mut replies = Vec::new();
            after.moves(&mut replies);
            let table = Table::new(1 << 20).unwrap();
            let monitor = Monitor::default();
            let mut engine = <ReversiPosition as Solvable>::own(&table, None, &monitor);
            let exact = match replies[..] {
                [] => after.outcome(),
                _ => solve(&mut engine, &after, Goal::Exact, 0, false, 0, &mut |_| {}).unwrap().bounds.lower,
            };
            assert_eq!((chosen.value, chosen.decided_in.is_some()), (-exact, true), "{n}: {:?}\n{position}", chosen);
        }
        let best: Vec<Value> = found.iter().map(|chosen| chosen.value).take(2).collect();
        let two = analysed(&mut player, &position, 2, u64::MAX);
        assert_eq!(two.iter().map(|chosen| chosen.value).collect::<Vec<_>>(), best);
    }
    let over = reversi(4, 4);
    assert_eq!(analysed(&mut player, &wander(over, 3, &mut random), 1, 1).len(), 1, "a move in any case");
}
