//! A game of two sides: who gets the points, and what a move that is none costs.

use super::*;
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::gomoku::rules::{GomokuRules, RowRule};

/// Plays these points, then makes no move.
struct Scripted(Vec<u16>);

impl MatchSide<GomokuPosition> for Scripted {
    fn choose(&mut self, _position: &GomokuPosition, _last: Option<GomokuMove>) -> Result<GomokuMove, String> {
        if self.0.is_empty() { Err("it has no move left".to_owned()) } else { Ok(GomokuMove(self.0.remove(0))) }
    }
}

/// The numbers of points of the board, by rows.
fn game(a: &[u8], b: &[u8], black: usize) -> PlayedGame<GomokuMove> {
    let board = GomokuBoard::new(5, 5).unwrap();
    let empty = GomokuPosition::new(board, GomokuRules::new(RowRule::Free, 3).unwrap());
    let points = |all: &[u8]| Scripted(all.iter().map(|at| board.point(at % 5, at / 5).unwrap()).collect());
    let (mut a, mut b) = (points(a), points(b));
    play_game::<GomokuPosition>([&mut a, &mut b], black, (&empty, 0))
}

#[test]
fn the_points_go_to_whoever_wins_with_either_colour() {
    let row: Vec<u8> = (0..3).collect();
    let other: Vec<u8> = (10..13).collect();
    let points: Vec<u8> = [0, 1].map(|black| game(&row, &other, black).half_points).to_vec();
    assert_eq!(points, [2, 0], "black has its row first");
    let won = game(&row, &other, 0);
    assert_eq!((won.moves.len(), won.failure), (5, None));
}

#[test]
fn who_makes_no_legal_move_has_lost() {
    let lost = game(&[0], &[10], 0);
    assert_eq!((lost.half_points, lost.failure.as_deref()), (0, Some("it has no move left")));
    let lost = game(&[0, 1], &[0], 0);
    assert_eq!(lost.half_points, 2);
    assert!(lost.failure.unwrap().contains("is not legal"));
}

#[test]
fn a_pair_has_both_colours_and_all_half_points() {
    let played: Result<_, ()> = play_pair(vec![7u16], |opening, black| {
        assert_eq!(opening, [7]);
        Ok(PlayedGame { moves: vec![], half_points: if black == 0 { 2 } else { 1 }, failure: None })
    });
    let played = played.unwrap();
    assert_eq!((played.half_points(), played.games[1].half_points), (3, 1));
}
