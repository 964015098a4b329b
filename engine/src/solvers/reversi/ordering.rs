//! How the Reversi solver orders moves.
//!
//! Fastest first: the move that leaves the opponent the fewest moves, corner moves counted twice, as few moves make
//! small trees and bad moves for the opponent; then few empty cells next to own discs (potential mobility), and
//! parity. With more empty cells each move is judged by a shallow alpha-beta search with an evaluation of the same
//! terms. A worth of cells in addition to that (corners, C and X squares) made the trees of FFO 40 to 42 a fifth
//! larger.

use super::last::odd_quadrants;
use super::rules::EndgameRules;
use crate::games::reversi::evaluation::neighbours;
use crate::games::reversi::flips::Instructions;

/// A move with what it leads to, before it is searched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ordered {
    /// How promising it is.
    pub rank: i32,
    /// The cell that it is played on.
    pub square: u8,
    /// Discs of the opponent, who is to move then.
    pub own: u64,
    /// Discs of the side that made the move.
    pub enemy: u64,
    /// Hash of the position after it, where that was needed.
    pub hash: u64,
}

/// Brings the move of the highest rank to the front.
#[inline(always)]
pub(super) fn choose<T>(moves: &mut [T], rank: impl Fn(&T) -> i32) {
    let mut best = 0;
    for k in 1..moves.len() {
        if rank(&moves[k]) > rank(&moves[best]) {
            best = k;
        }
    }
    moves.swap(0, best);
}

/// The evaluation for the side to move: on a scale where one move is 16.
#[inline(always)]
pub(super) fn evaluate<I: Instructions>(i: I, rules: &EndgameRules, own: u64, enemy: u64) -> i32 {
    let empty = rules.cells & !(own | enemy);
    let side = |own: u64, enemy: u64| {
        let moves = i.moves(own, enemy) & rules.cells;
        let potential = neighbours(enemy) & empty;
        let discs = 60 * (own & rules.corners).count_ones() as i32;
        16 * (moves.count_ones() + (moves & rules.corners).count_ones()) as i32
            + 8 * potential.count_ones() as i32
            + discs
    };
    side(own, enemy) - side(enemy, own)
}

/// The rank of a move from what it leads to, `next` being the discs of the opponent.
#[inline(always)]
pub(super) fn rank<I: Instructions>(i: I, rules: &EndgameRules, next: u64, other: u64, square: u8) -> i32 {
    let empty = rules.cells & !(next | other);
    let moves = i.moves(next, other) & rules.cells;
    let potential = neighbours(other) & empty;
    // The cell was empty before the move.
    let odd = odd_quadrants(empty | 1 << square) >> square & 1;
    -(16 * (moves.count_ones() + (moves & rules.corners).count_ones()) as i32) - 6 * potential.count_ones() as i32
        + 16 * odd as i32
}

/// The value for the side to move `depth` plies deep, by the evaluation.
pub(super) fn shallow<I: Instructions>(
    i: I,
    rules: &EndgameRules,
    own: u64,
    enemy: u64,
    depth: u32,
    (alpha, beta): (i32, i32),
    nodes: &mut u64,
) -> i32 {
    *nodes += 1;
    if depth == 0 {
        return evaluate(i, rules, own, enemy);
    }
    let mut moves = i.moves(own, enemy) & rules.cells;
    if moves == 0 {
        if i.moves(enemy, own) & rules.cells == 0 {
            return 1000 * rules.score(own, enemy);
        }
        return -shallow(i, rules, enemy, own, depth, (-beta, -alpha), nodes);
    }
    let (mut best, mut alpha) = (i32::MIN, alpha);
    while moves != 0 {
        let square = super::last::take(&mut moves);
        let flips = i.flips(own, enemy, square);
        let value = -shallow(i, rules, enemy ^ flips, own | flips | 1 << square, depth - 1, (-beta, -alpha), nodes);
        if value > best {
            best = value;
            alpha = alpha.max(value);
            if value >= beta {
                break;
            }
        }
    }
    best
}
