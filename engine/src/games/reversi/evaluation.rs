//! A heuristic value from the nine terms that the thesis takes from earlier work on Reversi.
//!
//! Each term is a difference, the side to move less the other: discs, moves, corners, the eight corner-like squares,
//! C squares, X squares, frontier discs, stable discs, sandwiched discs; a side without discs has lost everything.
//! The thesis names the terms but no weights; these are round numbers of ours, in tenths of a disc, not tuned. The
//! eight corner-like squares of its source belong to another board; here they are the border squares two away from a
//! corner (A squares).

use super::board::ReversiBoard;
use super::position::ReversiPosition;
use super::stability;
use crate::core::game::{Game, Value};

/// Weights in tenths of a disc.
const WEIGHTS: EvaluationTerms<i32> = EvaluationTerms {
    discs: -1,
    mobility: 12,
    corners: 40,
    eights: 4,
    c_squares: -8,
    x_squares: -18,
    frontier: -5,
    stable: 12,
    sandwiched: -2,
};

/// One number for each term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EvaluationTerms<T> {
    /// The number of discs.
    pub discs: T,
    /// Legal moves, whoever is to move.
    pub mobility: T,
    /// Discs in corners.
    pub corners: T,
    /// Discs on border squares two away from a corner.
    pub eights: T,
    /// Discs on border squares beside a corner.
    pub c_squares: T,
    /// Discs diagonally beside a corner.
    pub x_squares: T,
    /// Discs beside an empty cell.
    pub frontier: T,
    /// Discs that can never be flipped.
    pub stable: T,
    /// Discs with an enemy disc on both sides along a line.
    pub sandwiched: T,
}

/// The cells with names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Special {
    /// The four corners.
    pub corners: u64,
    /// Border squares beside a corner.
    pub c_squares: u64,
    /// Squares diagonally beside a corner.
    pub x_squares: u64,
    /// Border squares two away from a corner that are none of the former.
    pub eights: u64,
}

impl Special {
    /// The cells of a board that have names.
    #[inline]
    pub fn of(board: ReversiBoard) -> Special {
        let cells = board.cells();
        let first = cells & cells.wrapping_neg();
        let (width, height) = (u32::from(board.width()), u32::from(board.height()));
        let (right, down) = (width - 1, 8 * (height - 1));
        let quad = |dx: u32, dy: u32| {
            let upper = first << (dx + 8 * dy) | first << (right - dx + 8 * dy);
            upper | first << (dx + down - 8 * dy) | first << (right - dx + down - 8 * dy)
        };
        let corners = quad(0, 0);
        let c_squares = quad(1, 0) | quad(0, 1);
        let eights = (quad(2, 0) | quad(0, 2)) & !c_squares;
        Special { corners, c_squares, x_squares: quad(1, 1), eights }
    }
}

/// What a disc on the cell is worth, on a scale where one move of the enemy's mobility is 4: for ordering moves.
#[inline]
pub(super) fn cell_worth(board: ReversiBoard, square: u8) -> i32 {
    let (special, bit) = (Special::of(board), 1u64 << square);
    let of = |cells: u64, worth: i32| if cells & bit != 0 { worth } else { 0 };
    of(special.corners, 16) + of(special.c_squares, -2) + of(special.x_squares, -6) + of(special.eights, 3)
}

/// The terms of both sides: of the side to move, and of the other.
pub fn terms(position: &ReversiPosition) -> [EvaluationTerms<i32>; 2] {
    let (own, enemy, cells) = (position.own(), position.enemy(), position.cells());
    let special = Special::of(position.board());
    let open = neighbours(position.empty());
    let lines = stability::full_lines(own | enemy | !cells);
    let count = |discs: u64| discs.count_ones() as i32;
    let side = |discs: u64, others: u64, moves: u64| EvaluationTerms {
        discs: count(discs),
        mobility: count(moves),
        corners: count(discs & special.corners),
        eights: count(discs & special.eights),
        c_squares: count(discs & special.c_squares),
        x_squares: count(discs & special.x_squares),
        frontier: count(discs & open),
        stable: count(stability::stable_in(discs, cells, &lines)),
        sandwiched: count(discs & between(others)),
    };
    [side(own, enemy, position.mobility()), side(enemy, own, position.enemy_mobility())]
}

/// The estimate for the side to move, in the unit of [`Game::POINT`], at most the whole board.
pub fn evaluate(position: &ReversiPosition) -> Value {
    let all = ReversiPosition::POINT * position.board().area() as i32;
    if position.own() == 0 {
        return -all;
    }
    if position.enemy() == 0 {
        return all;
    }
    let [own, enemy] = terms(position);
    let (w, d) = (WEIGHTS, |term: fn(&EvaluationTerms<i32>) -> i32| term(&own) - term(&enemy));
    let value = w.discs * d(|t| t.discs)
        + w.mobility * d(|t| t.mobility)
        + w.corners * d(|t| t.corners)
        + w.eights * d(|t| t.eights)
        + w.c_squares * d(|t| t.c_squares)
        + w.x_squares * d(|t| t.x_squares)
        + w.frontier * d(|t| t.frontier)
        + w.stable * d(|t| t.stable)
        + w.sandwiched * d(|t| t.sandwiched);
    value.clamp(1 - all, all - 1)
}

const FIRST: u64 = 0x0101_0101_0101_0101;
const LAST: u64 = FIRST << 7;

/// Every cell beside one of these, diagonally too.
#[inline]
pub fn neighbours(cells: u64) -> u64 {
    let row = cells | (cells & !LAST) << 1 | (cells & !FIRST) >> 1;
    row | row << 8 | row >> 8
}

/// Every cell between two of these that are its neighbours on opposite sides.
fn between(cells: u64) -> u64 {
    let inner = !(FIRST | LAST);
    let across = cells << 1 & cells >> 1 & inner;
    let diagonal = (cells << 9 & cells >> 9 | cells << 7 & cells >> 7) & inner;
    across | diagonal | cells << 8 & cells >> 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::notation::parse_board;
    use crate::games::reversi::position::Start;

    #[test]
    fn named_cells_of_the_full_board() {
        let special = Special::of(ReversiBoard::FULL);
        let cells = |names: &[&str]| {
            let square = |name: &str| (0..64).find(|&s| ReversiBoard::FULL.name(s) == name).unwrap();
            names.iter().fold(0u64, |cells, name| cells | 1 << square(name))
        };
        assert_eq!(special.corners, cells(&["a1", "h1", "a8", "h8"]));
        assert_eq!(special.c_squares, cells(&["b1", "g1", "a2", "h2", "a7", "h7", "b8", "g8"]));
        assert_eq!(special.x_squares, cells(&["b2", "g2", "b7", "g7"]));
        assert_eq!(special.eights, cells(&["c1", "f1", "a3", "h3", "a6", "h6", "c8", "f8"]));
        let small = Special::of(ReversiBoard::new(4, 4).unwrap());
        assert_eq!((small.c_squares.count_ones(), small.eights), (8, 0));
    }

    #[test]
    fn terms_of_a_board_counted_by_hand() {
        let board = ReversiBoard::new(4, 4).unwrap();
        let position = parse_board(board, "X--- OX-- OOX- ---- X").unwrap();
        let [own, enemy] = terms(&position);
        // Black: a1, b2, c3. White: a2, a3, b3. Black may play a4, b4; white c2 (flips b2), d3 (c3), d4 has nothing.
        assert_eq!((own.discs, enemy.discs), (3, 3));
        assert_eq!((own.corners, enemy.corners), (1, 0));
        assert_eq!((own.c_squares, enemy.c_squares), (0, 2));
        assert_eq!((own.x_squares, enemy.x_squares), (2, 1));
        assert_eq!((own.stable, enemy.stable), (1, 0));
        assert_eq!((own.frontier, enemy.frontier), (3, 3));
        assert_eq!((own.sandwiched, enemy.sandwiched), (0, 0));
        assert_eq!(own.mobility, position.mobility().count_ones() as i32);
    }

    #[test]
    fn losing_all_discs_is_worst_and_the_start_is_even() {
        let board = ReversiBoard::new(6, 6).unwrap();
        let lost = ReversiPosition::from_discs(board, 0, 0b11 << 27, crate::core::game::Side::First).unwrap();
        assert_eq!(evaluate(&lost), -360);
        assert_eq!(evaluate(&ReversiPosition::new(ReversiBoard::FULL, Start::Standard)), 0);
    }
}
