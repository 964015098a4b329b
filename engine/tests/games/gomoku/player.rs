//! The player: what it calls decided is so, and crowded boards are no burden.

use super::positions::{after, play_randomly, rules};
use morpion_engine::core::game::{Budget, Chosen, Player};
use morpion_engine::core::seed::rng;
use morpion_engine::games::gomoku::board::GomokuBoard;
use morpion_engine::games::gomoku::position::{GomokuMove, GomokuPosition};
use morpion_engine::games::gomoku::rules::{GomokuRules, RowRule};
use morpion_engine::solvers::gomoku::engine::GomokuEngine;
use morpion_engine::solvers::gomoku::player::GomokuPlayer;
use morpion_engine::solvers::monitor::Monitor;
use morpion_engine::solvers::search::{LOWEST, Stats};
use morpion_engine::solvers::solve::Engine;
use morpion_engine::solvers::table::Table;
use rand::RngExt;

fn choose(player: &mut GomokuPlayer, position: &GomokuPosition, nodes: u64) -> Chosen<GomokuMove> {
    let mut budget = Budget { depth: u32::MAX, nodes, time: &mut || 0.0 };
    player.choose(position, &mut budget, &mut |_| {}).unwrap()
}

/// On small boards, where every game can be searched to its end.
#[test]
fn what_the_player_calls_decided_is_so() {
    let mut player = GomokuPlayer::new(1 << 20).unwrap();
    let (table, monitor) = (Table::new(16 << 20).unwrap(), Monitor::default());
    let (mut won, mut lost) = (0, 0);
    let seeds = if std::env::var_os("MORPION_LONG_GOMOKU").is_some() { 3000 } else { 60 };
    for seed in 0..seeds {
        let mut rng = rng(seed, &[12]);
        let rule = [RowRule::Free, RowRule::Five][rng.random_range(0..2)];
        let board = GomokuBoard::new(rng.random_range(5..=6), 5).unwrap();
        let mut position = GomokuPosition::new(board, rules(rule, 4));
        let plies = rng.random_range(2..=9);
        play_randomly(&mut position, plies, &mut rng);
        if position.winner().is_some() || position.empty() == 0 {
            continue;
        }
        player.forget();
        let chosen = choose(&mut player, &position, 3000);
        if chosen.decided_in.is_none() {
            continue;
        }
        let mut engine = GomokuEngine { table: &table, busy: None, monitor: &monitor, stats: Stats::default() };
        let value = engine.value(&position, LOWEST, -LOWEST).unwrap();
        assert_eq!(value.signum(), chosen.value.signum(), "{rule:?}, seed {seed}:\n{position}");
        (won, lost) = (won + u32::from(value > 0), lost + u32::from(value < 0));
    }
    println!("{won} won, {lost} lost");
    assert!(won >= 20 && lost >= 5, "{won} won, {lost} lost");
}

/// White has two open threes that cross. Whatever black plays, white wins.
#[test]
fn a_lost_position_is_said_to_be_lost() {
    let position = after(GomokuBoard::USUAL, GomokuRules::default(), "a1g8o1h8a15i8o15h9a8h7");
    let mut player = GomokuPlayer::new(1 << 22).unwrap();
    let chosen = choose(&mut player, &position, 100_000);
    assert!(chosen.decided_in.is_some() && chosen.value < 0, "{chosen:?}");
    assert!(position.check_move(chosen.line[0]).is_ok());
}

/// Ninety stones, so that both sides can make many fours, in any order. Black wins.
#[test]
fn fours_in_any_order_are_not_all_searched() {
    let moves = "f8g6h6h5i8f7e8g5i5g7g8h8g4i9j10f10g9e7d8c8d7c6i4i6e5d6h4j4e4f4h10e6f6c5c4i11j7k6g10h11f11h9j9h7i7j8k10\
                 i10k7b4a3l8e3e1i13j11k11k12l13l10l7m7d11g12e12e11f13g14d13c14c9c10c12d10e10f9";
    let position = after(GomokuBoard::USUAL, GomokuRules::default(), moves);
    let mut player = GomokuPlayer::new(1 << 24).unwrap();
    let chosen = choose(&mut player, &position, 250_000);
    assert!(chosen.decided_in.is_some() && chosen.value > 0, "{chosen:?}");
    assert!(player.parts.switch_off("late-fours"));
    player.forget();
    let without = choose(&mut player, &position, 250_000);
    assert!(without.decided_in.is_none(), "{without:?}");
}
