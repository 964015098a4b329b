//! The moves of a node in the order in which they are tried.
//!
//! A move is worth what its codes are worth to both sides. Learned weights say how likely the player chooses it.

use super::stones::SearchStones;
use crate::core::game::Side;
use crate::solvers::gomoku::lines::board::{LineBoard, PointMakes};
use crate::solvers::gomoku::lines::codes::MoveClass;
use crate::solvers::gomoku::lines::weights::WeightsForm;

/// Added to the rating of a move that decides the game.
const DECISIVE: i32 = 1 << 18;

/// A move with its worth: greater comes earlier.
#[derive(Debug, Clone, Copy)]
pub struct RatedMove {
    /// The point that gets a stone.
    pub point: u16,
    /// Its worth, for the order alone.
    pub rating: i32,
}

/// Which moves are to be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// All that are near stones.
    Any,
    /// Those that meet a threatened straight four: on its lines, or a four of one's own.
    MeetThreat,
}

/// Worth of a class to the side to move, beside the weights of the codes.
fn own_bonus(class: MoveClass) -> i32 {
    match class {
        MoveClass::Five => 1 << 20,
        MoveClass::StraightFour => 1 << 18,
        MoveClass::FourThree => 4000,
        MoveClass::FourAndMore => 120,
        MoveClass::Four => 60,
        MoveClass::Threes => 1500,
        MoveClass::ThreeAndMore => 150,
        MoveClass::Three => 80,
        _ => 0,
    }
}

/// Worth of a class that is taken from the other side.
fn enemy_bonus(class: MoveClass) -> i32 {
    match class {
        MoveClass::Five => 1 << 19,
        MoveClass::StraightFour => 1 << 16,
        MoveClass::FourThree => 1500,
        MoveClass::Threes => 600,
        _ => 0,
    }
}

/// The need of the side to move, who has no four to answer: to meet a straight four that the other side could make.
pub fn need(lines: &LineBoard<'_>, side: Side) -> Need {
    if lines.count_of(side.other(), MoveClass::StraightFour) > 0 { Need::MeetThreat } else { Need::Any }
}

/// The moves that are to be searched, with what they make for the side to move and for the other one.
#[inline]
pub fn candidates(lines: &LineBoard<'_>, side: Side, need: Need, mut each: impl FnMut(u16, [PointMakes; 2])) {
    lines.candidates(side, |point, makes| {
        if need == Need::Any || makes.iter().any(|makes| makes.class >= MoveClass::Four) {
            each(point, makes);
        }
    });
}

/// Appends the moves with their worth, the first of the table's move or the best one.
pub fn rated_moves(stones: &SearchStones<'_>, (first, need): (u16, Need), list: &mut Vec<RatedMove>) {
    let side = stones.side();
    let weights = stones.lines.tables().weights();
    let is_learned = weights.form == WeightsForm::WithLast;
    let of = |role: usize, code: u16| i32::from(weights.order[role][usize::from(code)]);
    candidates(&stones.lines, side, need, |point, [own, theirs]| {
        let mut rating = if is_learned {
            // A straight four is never learned from, as it needs no search.
            of(0, own.code) + of(1, theirs.code) + if own.class >= MoveClass::StraightFour { DECISIVE } else { 0 }
        } else {
            10 * (of(0, own.code) + own_bonus(own.class) + enemy_bonus(theirs.class)) + 9 * of(1, theirs.code)
        };
        if point == first {
            rating = i32::MAX;
        }
        list.push(RatedMove { point, rating });
    });
}

/// The greatest rating of a list, apart from that of the table's move.
pub fn best_rating(list: &[RatedMove]) -> i32 {
    list.iter().map(|m| m.rating).filter(|&rating| rating < DECISIVE).max().unwrap_or(0)
}

/// Puts the best of the moves from `from` on in its place; no other is moved for nothing.
#[inline]
pub fn pick(list: &mut [RatedMove], from: usize) -> Option<RatedMove> {
    let order = |m: RatedMove| i64::from(m.rating) << 16 | i64::from(!m.point);
    let (mut best, mut greatest) = (from, order(*list.get(from)?));
    for (at, &m) in list.iter().enumerate().skip(from + 1) {
        let order = order(m);
        if order > greatest {
            (best, greatest) = (at, order);
        }
    }
    list.swap(from, best);
    Some(list[from])
}
