//! Games of the player against itself, from random openings that are not decided.
//!
//! The opening is three to nine random stones near the middle. A look of as many nodes as a move gets must value it
//! at 150 or less. The game is over when the search finds it decided, and drawn after 120 stones. The player forgets
//! everything before each game, so a game depends on seed, number, nodes and weights alone.

use super::games::LearningGame;
use crate::core::game::{Budget, Game, Player, Side, Value};
use crate::core::seed::rng;
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::gomoku::rules::GomokuRules;
use crate::solvers::gomoku::player::GomokuPlayer;
use crate::solvers::gomoku::player::node::DECIDED;
use rand::RngExt;

/// Steps from the middle that the stones of an opening may lie.
const SPREAD: u8 = 4;
/// Least and most stones of an opening.
const OPENING: std::ops::RangeInclusive<usize> = 3..=9;
/// Greatest value of an opening.
const EVEN: Value = 150;
/// Openings that are drawn before the last one is taken, whatever it is worth.
const DRAWS: u64 = 1000;
/// Most stones of a game; none is decided later.
const LONGEST: usize = 120;

/// The game of a number. Nothing if the board is too small for openings.
pub fn play_game(
    player: &mut GomokuPlayer,
    (board, rules): (GomokuBoard, GomokuRules),
    (seed, number): (u64, u64),
    nodes: u64,
) -> Option<LearningGame> {
    let (mut position, mut moves) = (0..DRAWS).find_map(|draw| {
        let (position, stones) = random_opening((board, rules), (seed, number, draw))?;
        player.forget();
        let chosen = think(player, &position, nodes)?;
        (chosen.1.abs() <= EVEN || draw + 1 == DRAWS).then_some((position, stones))
    })?;
    player.forget();
    let opening = moves.len();
    let mut values = Vec::new();
    let mut legal = Vec::new();
    let winner = loop {
        legal.clear();
        position.moves(&mut legal);
        if legal.is_empty() {
            break position.winner();
        }
        if moves.len() >= LONGEST {
            break None;
        }
        let (best, value) = think(player, &position, nodes)?;
        if value.abs() >= DECIDED {
            break Some(if value > 0 { position.side() } else { position.side().other() });
        }
        values.push(value as i16);
        moves.push(best.0);
        position.play(best);
    };
    Some(LearningGame { opening, moves, values, winner })
}

fn think(player: &mut GomokuPlayer, position: &GomokuPosition, nodes: u64) -> Option<(GomokuMove, Value)> {
    let mut budget = Budget { depth: u32::MAX, nodes, time: &mut || 0.0 };
    let chosen = player.choose(position, &mut budget, &mut |_| {})?;
    Some((*chosen.line.first()?, chosen.value))
}

/// Random stones near the middle, without a row that wins.
fn random_opening(
    (board, rules): (GomokuBoard, GomokuRules),
    (seed, number, draw): (u64, u64, u64),
) -> Option<(GomokuPosition, Vec<u16>)> {
    let mut random = rng(seed, &[number, draw]);
    let mut position = GomokuPosition::new(board, rules);
    let plies = random.random_range(OPENING);
    let mut at =
        |size: u8| random.random_range((size / 2).saturating_sub(SPREAD)..=(size / 2 + SPREAD).min(size - 1));
    let mut stones = Vec::new();
    while stones.len() < plies {
        let point = board.point(at(board.width()), at(board.height()))?;
        if position.check_move(GomokuMove(point)).is_err() {
            // Taken already, or forbidden; the draw is given up where the game is over.
            let mut legal = Vec::new();
            position.moves(&mut legal);
            if legal.is_empty() {
                return None;
            }
            continue;
        }
        position.play(GomokuMove(point));
        stones.push(point);
    }
    (position.winner().is_none()).then_some((position, stones))
}

/// The side whose number is kept of a winner.
pub(super) fn letter(winner: Option<Side>) -> char {
    match winner {
        Some(Side::First) => 'b',
        Some(Side::Second) => 'w',
        None => 'd',
    }
}
