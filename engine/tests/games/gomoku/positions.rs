//! Positions that tests begin with, here and in `tests/plans/`.

use morpion_engine::core::game::Game;
use morpion_engine::games::gomoku::board::GomokuBoard;
use morpion_engine::games::gomoku::notation::parse_moves;
use morpion_engine::games::gomoku::position::{GomokuMove, GomokuPosition};
use morpion_engine::games::gomoku::rules::{GomokuRules, RowRule};
use rand::RngExt;

/// The rules of a kind, with so many stones in a row that wins.
pub fn rules(rule: RowRule, win: u8) -> GomokuRules {
    GomokuRules::new(rule, win).unwrap()
}

/// The position after these moves.
pub fn after(board: GomokuBoard, rules: GomokuRules, moves: &str) -> GomokuPosition {
    let mut position = GomokuPosition::new(board, rules);
    for point in parse_moves(board, moves).unwrap() {
        position.play(GomokuMove(point));
    }
    position
}

/// So many random moves; fewer if the game ends.
pub fn play_randomly(position: &mut GomokuPosition, plies: usize, rng: &mut impl RngExt) {
    let mut moves = Vec::new();
    for _ in 0..plies {
        moves.clear();
        position.moves(&mut moves);
        if !moves.is_empty() {
            position.play(moves[rng.random_range(0..moves.len())]);
        }
    }
}
