//! Reversi against its second implementation, against known counts, and against the laws of games.

use crate::laws;
use morpion_engine::core::game::{Game, Side};
use morpion_engine::core::seed::rng;
use morpion_engine::games::reversi::board::ReversiBoard;
use morpion_engine::games::reversi::naive::{Cell, NaiveReversi};
use morpion_engine::games::reversi::position::{Empties, ReversiMove, ReversiPosition, Start};
use morpion_engine::games::reversi::symmetry;
use morpion_engine::solvers::perft::perft;
use rand::RngExt;
use std::collections::HashMap;

fn boards() -> impl Iterator<Item = ReversiBoard> {
    (4..=8).flat_map(|w| (4..=8).map(move |h| ReversiBoard::new(w, h).unwrap()))
}

fn board(width: u8, height: u8) -> ReversiBoard {
    ReversiBoard::new(width, height).unwrap()
}

/// The same position as the naive one sees it.
fn naive(position: &ReversiPosition) -> NaiveReversi {
    let (black, white) = position.discs();
    let cell = |square: u8| match (black >> square & 1, white >> square & 1) {
        (0, 0) => Cell::Empty,
        (1, 0) => Cell::Black,
        _ => Cell::White,
    };
    let squares: Vec<u8> = position.board().squares().collect();
    let rows = squares.chunks(position.board().width().into()).map(|row| row.iter().map(|&s| cell(s)).collect());
    let to_move = if position.side() == Side::First { Cell::Black } else { Cell::White };
    NaiveReversi { rows: rows.collect(), to_move }
}

#[test]
fn both_implementations_play_the_same_games() {
    for board in boards() {
        for (start, seed) in
            [(Start::Standard, 1), (Start::Alternative, 2), (Start::Standard, 3), (Start::Standard, 4)]
        {
            let mut rng = rng(seed, &[]);
            let mut fast = ReversiPosition::new(board, start);
            let mut slow =
                NaiveReversi::new(board.width().into(), board.height().into(), start == Start::Alternative);
            loop {
                assert_eq!(naive(&fast), slow, "{board}, seed {seed}:\n{fast}");
                let mut moves = Vec::new();
                fast.moves(&mut moves);
                let placed = |m: &ReversiMove| (*m != ReversiMove::PASS).then(|| board.place(m.0));
                let names: Vec<_> = moves.iter().map(|m| placed(m).map(|(x, y)| (x.into(), y.into()))).collect();
                assert_eq!(names, slow.moves(), "{board}, seed {seed}:\n{fast}");
                if moves.is_empty() {
                    let sign = if fast.side() == Side::First { 1 } else { -1 };
                    assert_eq!(fast.outcome(), sign * ReversiPosition::POINT * slow.difference());
                    break;
                }
                assert!(moves.iter().all(|&m| fast.is_legal(m)));
                let i = rng.random_range(0..moves.len());
                fast.play(moves[i]);
                slow = slow.after(names[i]);
            }
        }
    }
}

#[test]
fn games_keep_the_laws() {
    for board in boards() {
        let mut keys = HashMap::new();
        for seed in 0..20 {
            let start = if seed % 2 == 0 { Start::Standard } else { Start::Alternative };
            let position = ReversiPosition::new(board, start).with_empties(Empties::Ignored);
            laws::check(&position, seed, 200, &mut keys);
        }
    }
}

#[test]
fn symmetric_positions_share_key_and_moves() {
    for board in boards() {
        for seed in 0..8 {
            let mut rng = rng(seed, &[]);
            let mut position = ReversiPosition::new(board, Start::Standard);
            let mut moves = Vec::new();
            for _ in 0..rng.random_range(1..40) {
                moves.clear();
                position.moves(&mut moves);
                let Some(&m) = moves.get(rng.random_range(0..moves.len().max(1))) else { break };
                position.play(m);
            }
            moves.clear();
            position.moves(&mut moves);
            let key = position.symmetric_key();
            let carry = |position: &ReversiPosition, symmetry: u8, moves: &[ReversiMove]| {
                let mut codes: Vec<_> = moves.iter().map(|&m| position.to_hashed(m, symmetry).0).collect();
                codes.sort_unstable();
                codes
            };
            let (black, white) = position.discs();
            for s in 0..symmetry::count(board) {
                let (b, w) = (symmetry::apply(board, s, black), symmetry::apply(board, s, white));
                let image = ReversiPosition::from_discs(board, b, w, position.side()).unwrap();
                let other = image.symmetric_key();
                assert_eq!(other.hash, key.hash, "{board}, seed {seed}, symmetry {s}:\n{position}");
                let mut moved = Vec::new();
                image.moves(&mut moved);
                assert_eq!(carry(&image, other.symmetry, &moved), carry(&position, key.symmetry, &moves));
            }
        }
    }
}

/// A pass is one move, a finished game one leaf: the usual counting. (The thesis has 3,005,264 at depth 9: at depth 8
/// there are 24 positions where the side to move has to pass, and its prototype drops them instead of passing.)
const PERFT_8X8: [u64; 12] = [1, 4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_288, 24_571_284, 212_258_800];

#[test]
fn counts_from_the_start_are_the_known_ones() {
    let mut start = ReversiPosition::new(ReversiBoard::FULL, Start::Standard);
    for (depth, known) in (0..=8).zip(PERFT_8X8) {
        assert_eq!(perft(&mut start, depth), known, "depth {depth}");
    }
}

#[test]
#[ignore = "takes seconds in a release build, minutes otherwise"]
fn deep_counts_from_the_start_are_the_known_ones() {
    let mut start = ReversiPosition::new(ReversiBoard::FULL, Start::Standard);
    for (depth, known) in (9..=11).zip(&PERFT_8X8[9..]) {
        assert_eq!(perft(&mut start, depth), *known, "depth {depth}");
    }
}

/// Explains the thesis's count at depth 9: it is the usual one without the positions at depth 8 that have to pass.
#[test]
fn the_count_at_depth_nine_of_the_thesis_drops_passes() {
    fn without_passes(position: &mut ReversiPosition, depth: u32) -> (u64, u64) {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if depth == 0 {
            // All placements are positions of the next depth; a pass is counted beside them.
            return if moves == [ReversiMove::PASS] { (0, 1) } else { (moves.len() as u64, 0) };
        }
        let mut sum = (0, 0);
        for m in moves {
            let undo = position.play(m);
            let (placements, passes) = without_passes(position, depth - 1);
            sum = (sum.0 + placements, sum.1 + passes);
            position.undo(m, undo);
        }
        sum
    }
    let mut start = ReversiPosition::new(ReversiBoard::FULL, Start::Standard);
    let (placements, passes) = without_passes(&mut start, 8);
    assert_eq!((placements, passes), (3_005_264, 24));
}

#[test]
fn counts_of_all_boards_equal_the_naive_ones() {
    for board in boards() {
        for start in [Start::Standard, Start::Alternative] {
            let slow = NaiveReversi::new(board.width().into(), board.height().into(), start == Start::Alternative);
            let mut fast = ReversiPosition::new(board, start);
            for depth in 0..=4 {
                assert_eq!(perft(&mut fast, depth), slow.perft(depth), "{board} {start:?} depth {depth}");
            }
        }
    }
}

#[test]
fn empty_cells_go_to_the_winner_if_that_is_the_rule() {
    let square = |x, y| 1u64 << board(4, 5).square(x, y).unwrap();
    let discs =
        ReversiPosition::from_discs(board(4, 5), square(0, 0) | square(1, 0), square(0, 3), Side::Second).unwrap();
    assert_eq!(discs.outcome(), -ReversiPosition::POINT);
    assert_eq!(discs.with_empties(Empties::ToWinner).outcome(), -18 * ReversiPosition::POINT);
}
