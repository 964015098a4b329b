//! Players of Reversi and Go against chance: they win nearly all games. MORPION_LONG_STRENGTH=100 plays so many games
//! of each kind, and Go on 9x9 as well.

use morpion::core::game::{Budget, Game, Player, Side};
use morpion::core::seed::{Rng, rng};
use morpion::games::go::large::points::LargeBoard;
use morpion::games::go::large::position::{LargeMove, LargePosition};
use morpion::games::go::rules::{GoRules, Ko};
use morpion::games::reversi::board::ReversiBoard;
use morpion::games::reversi::position::{ReversiPosition, Start};
use morpion::solvers::go::player::UctPlayer;
use morpion::solvers::player::SearchPlayer;
use rand::RngExt;

/// Games of each kind.
fn games(usual: u64) -> (u64, bool) {
    let long = std::env::var("MORPION_LONG_STRENGTH").ok().and_then(|text| text.parse().ok());
    (long.unwrap_or(usual), long.is_some())
}

/// Games won and drawn by a player with so many nodes a move against a side that plays as `chance` says. Colours are
/// taken in turn.
fn against<G: Game, P: Player<G>>(
    start: &G,
    player: &mut P,
    nodes: u64,
    games: u64,
    chance: fn(&G, &mut Rng) -> G::Move,
) -> (u64, u64) {
    let (mut won, mut drawn) = (0, 0);
    for seed in 0..games {
        let own = if seed % 2 == 0 { Side::First } else { Side::Second };
        let (mut random, mut position, mut moves) = (rng(seed, &[]), start.clone(), Vec::new());
        player.forget();
        for _ in 0..1000 {
            moves.clear();
            position.moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            let m = if position.side() == own {
                let mut budget = Budget { depth: u32::MAX, nodes, time: &mut || 0.0 };
                player.choose(&position, &mut budget, &mut |_| {}).expect("a move").line[0]
            } else {
                chance(&position, &mut random)
            };
            position.play(m);
        }
        let value = if position.side() == own { position.outcome() } else { -position.outcome() };
        won += u64::from(value > 0);
        drawn += u64::from(value == 0);
    }
    (won, drawn)
}

/// Any stone that does not fill an eye, else a pass.
fn stone(position: &LargePosition, random: &mut Rng) -> LargeMove {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let own = |point: u16| position.chains().colour(point) == Some(position.side());
    moves.retain(|&m| m != LargeMove::PASS && !position.chains().near(m.0).iter().all(|&near| own(near)));
    if moves.is_empty() { LargeMove::PASS } else { moves[random.random_range(0..moves.len())] }
}

#[test]
fn go_is_won_against_chance() {
    let (games, is_long) = games(6);
    for size in [5u8, 7, 9] {
        if size == 9 && !is_long {
            continue;
        }
        let rules = GoRules { ko: Ko::Superko, ..GoRules::default() };
        let start = LargePosition::new(LargeBoard::new(size, size).unwrap(), rules);
        for nodes in [20, 200] {
            let mut player = UctPlayer::new(1 << 22, 0).unwrap();
            let (won, drawn) = against(&start, &mut player, nodes, games, stone);
            println!("{size}x{size}, {nodes} playouts, seeds 0 to {}: won {won}, drew {drawn}", games - 1);
            assert!(10 * won >= 8 * games, "{size}x{size}, {nodes} playouts: won {won}, drew {drawn} of {games}");
        }
    }
}

#[test]
fn reversi_is_won_against_chance() {
    let (games, _) = games(10);
    let start = ReversiPosition::new(ReversiBoard::FULL, Start::Standard);
    for nodes in [10, 1000] {
        let mut player = SearchPlayer::new(1 << 20).unwrap();
        let (won, drawn) = against(&start, &mut player, nodes, games, |position, random| {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            moves[random.random_range(0..moves.len())]
        });
        println!("8x8, {nodes} nodes, seeds 0 to {}: won {won}, drew {drawn}", games - 1);
        assert!(10 * won >= 8 * games, "{nodes} nodes: won {won}, drew {drawn} of {games}");
    }
}
