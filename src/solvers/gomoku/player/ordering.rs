//! The moves of a node in the order in which they are tried, and what is remembered for that.
//!
//! A move is worth what its codes are worth to both sides. Learned weights say how likely the player chooses it. What
//! a move has done before can count, too: *killers* were best in a sibling node, *history* counts how often a move
//! was best anywhere, deep nodes more.

use super::selectivity::Selectivity;
use super::stones::SearchStones;
use crate::core::game::Side;
use crate::games::gomoku::board::POINTS;
use crate::solvers::gomoku::lines::board::{LineBoard, PointMakes};
use crate::solvers::gomoku::lines::codes::MoveClass;
use crate::solvers::gomoku::lines::weights::WeightsForm;

/// Plies from the root that killers are kept for.
pub const PLIES: usize = 128;
/// Greatest count of the history.
const MOST: i32 = 1 << 12;
/// Added to the rating of a move that decides the game.
const DECISIVE: i32 = 1 << 18;
/// In place of a point: none.
pub const NOWHERE: u16 = u16::MAX;

/// What is remembered of moves that were best.
#[derive(Debug)]
pub struct Memories {
    history: Box<[[i32; POINTS]; 2]>,
    killers: Box<[[u16; 2]; PLIES]>,
}

impl Memories {
    /// Nothing is remembered.
    pub fn new() -> Memories {
        Memories { history: Box::new([[0; POINTS]; 2]), killers: Box::new([[NOWHERE; 2]; PLIES]) }
    }

    /// Prepares for the next move of the game: killers go, history fades.
    pub fn next_move(&mut self) {
        self.killers.fill([NOWHERE; 2]);
        self.history.iter_mut().flatten().for_each(|count| *count /= 4);
    }

    /// A quiet move was best; the ones before it were not.
    pub fn was_best(&mut self, side: Side, ply: usize, depth: i32, best: u16, before: &[u16]) {
        let killers = &mut self.killers[ply.min(PLIES - 1)];
        if killers[0] != best {
            *killers = [best, killers[0]];
        }
        let bonus = (depth * depth).clamp(1, 400);
        let history = &mut self.history[usize::from(side == Side::Second)];
        let mut add = |point: u16, by: i32| {
            let count = &mut history[usize::from(point) % POINTS];
            *count += by - *count * by.abs() / MOST;
        };
        add(best, bonus);
        before.iter().for_each(|&point| add(point, -bonus));
    }

    fn history(&self, side: Side, point: u16) -> i32 {
        self.history[usize::from(side == Side::Second)][usize::from(point) % POINTS]
    }
}

impl Default for Memories {
    fn default() -> Memories {
        Memories::new()
    }
}

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
pub fn rated_moves(
    stones: &SearchStones<'_>,
    memories: &Memories,
    parts: &Selectivity,
    (ply, first, need): (usize, u16, Need),
    list: &mut Vec<RatedMove>,
) {
    let side = stones.side();
    let weights = stones.lines.tables().weights();
    let killers = memories.killers[ply.min(PLIES - 1)];
    let is_learned = weights.form == WeightsForm::WithLast;
    let of = |role: usize, code: u16| i32::from(weights.order[role][usize::from(code)]);
    candidates(&stones.lines, side, need, |point, [own, theirs]| {
        let mut rating = if is_learned {
            // A straight four is never learned from, as it needs no search.
            of(0, own.code) + of(1, theirs.code) + if own.class >= MoveClass::StraightFour { DECISIVE } else { 0 }
        } else {
            10 * (of(0, own.code) + own_bonus(own.class) + enemy_bonus(theirs.class)) + 9 * of(1, theirs.code)
        };
        if parts.history {
            rating += memories.history(side, point) / 8;
        }
        if parts.killers && killers.contains(&point) {
            rating += 400;
        }
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
