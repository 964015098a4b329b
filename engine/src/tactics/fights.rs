//! Made-up positions of go full of fights, and questions about them: what estimates are learned from.
//!
//! Both sides put stones near the last one, mostly. Of a few random points the side takes the one that looks best at
//! a glance: it captures, saves, gives atari, or has liberties. So the chains of both sides are short of liberties,
//! and what comes of them has to be read.

use super::board::TacticsBoard;
use super::connection;
use super::goal::{Question, TacticalGoal};
use crate::core::game::Side;
use crate::core::seed::{Rng, rng};
use crate::games::go::large::chains::Chains;
use crate::games::go::large::points::LargeBoard;
use rand::RngExt;

/// Sides of the boards; the largest is twice as likely as each other.
const SIDES: [u8; 4] = [9, 13, 19, 19];
/// Points that are looked at for each move.
const LOOKED_AT: u32 = 14;
/// Of a hundred moves, how many are played anywhere.
const ANYWHERE: u32 = 12;
/// How far from the last stone the others are.
const REACH: i32 = 3;
/// Questions about each position.
const QUESTIONS: usize = 3;
/// Pairs of chains that are looked at for one that is near enough.
const PAIRS: usize = 40;
/// Liberties of the chains that are asked about.
const LIBERTIES: std::ops::RangeInclusive<u32> = 2..=4;
/// Greatest distance of two chains that are asked about.
const DISTANCE: u8 = 3;

/// A question about a position.
#[derive(Debug, Clone)]
pub struct Fight {
    /// The position asked about.
    pub board: TacticsBoard,
    /// What is asked of it.
    pub question: Question,
}

/// How good a move looks, in any units.
fn look(board: &TacticsBoard, point: u16, side: Side) -> i32 {
    let size = board.chains().size();
    let (x, y) = size.place(point);
    let line = x.min(y).min(size.width() - 1 - x).min(size.height() - 1 - y);
    let captured = board.captured_by(point, side).len() as i32;
    let liberties = board.liberties_after(point, side).len();
    let mut value = 30 * captured.min(4);
    value += match liberties {
        0 | 1 if captured == 0 => -40,
        4.. => 7,
        _ => 0,
    };
    let mut is_own = true;
    for &near in board.near(point) {
        let colour = board.colour(near);
        is_own &= colour == Some(side);
        let of_near = board.liberties(near).len();
        value += match (colour.map(|colour| colour == side), of_near) {
            (Some(true), 1) if liberties > 1 => 30,
            (Some(true), 2) => 6,
            (Some(false), 2) => 14,
            (Some(false), _) => 4,
            _ => 0,
        };
    }
    value + if is_own { -50 } else { 0 } + [-12, -4].get(usize::from(line)).copied().unwrap_or(0)
}

/// A position with fights.
fn position(random: &mut Rng) -> TacticsBoard {
    let side = SIDES[random.random_range(0..SIDES.len())];
    let size = LargeBoard::new(side, side).unwrap_or(LargeBoard::FULL);
    let mut board = TacticsBoard::new(Chains::new(size), None);
    let area = size.area();
    let (mut to_move, mut last) = (Side::First, None);
    for _ in 0..random.random_range(area / 6..area * 3 / 5) {
        let anywhere = random.random_range(0..100) < ANYWHERE;
        let mut best: Option<(i32, u16)> = None;
        for _ in 0..LOOKED_AT {
            let point = match last {
                Some(last) if !anywhere => near(size, last, random),
                _ => random.random_range(0..area),
            };
            if board.is_legal(point, to_move) {
                let value = look(&board, point, to_move) + random.random_range(0..25);
                best = best.max(Some((value, point)));
            }
        }
        if let Some((_, point)) = best {
            board.play(point, to_move);
            last = Some(point);
        }
        to_move = to_move.other();
    }
    TacticsBoard::new(board.chains().clone(), None)
}

/// A point at most [`REACH`] columns and rows from another.
fn near(size: LargeBoard, from: u16, random: &mut Rng) -> u16 {
    let (x, y) = size.place(from);
    let mut beside = |at: u8, length: u8| {
        let to = i32::from(at) + random.random_range(-REACH..=REACH);
        to.clamp(0, i32::from(length) - 1) as u8
    };
    let (x, y) = (beside(x, size.width()), beside(y, size.height()));
    size.point(x, y).unwrap_or(from)
}

/// The questions about the position of this number, from 0: about single chains, or about two each if `of_two`. They
/// depend on the seed, the number and the kind alone, and may be none.
pub fn fights(seed: u64, number: u64, of_two: bool) -> Vec<Fight> {
    let mut random = rng(seed, &[number, u64::from(of_two)]);
    let board = position(&mut random);
    let stones = board.chains();
    let is_asked = |&point: &u16| {
        board.colour(point).is_some()
            && stones.root(point) == point
            && LIBERTIES.contains(&stones.liberty_count(point))
    };
    let chains: Vec<u16> = (0..stones.size().area()).filter(is_asked).collect();
    let mut found = Vec::new();
    if chains.is_empty() {
        return found;
    }
    for _ in 0..if of_two { PAIRS } else { QUESTIONS } {
        let target = chains[random.random_range(0..chains.len())];
        let with = of_two.then(|| chains[random.random_range(0..chains.len())]);
        let goal = match (of_two, random.random_range(0..10)) {
            (false, 0..6) => TacticalGoal::Capture,
            (false, _) => TacticalGoal::Defend,
            (true, 0..5) => TacticalGoal::Connect,
            (true, _) => TacticalGoal::Cut,
        };
        let Ok(question) = Question::new(stones, goal, target, with) else { continue };
        let is_near = with.is_none_or(|with| {
            let side = question.attacker();
            connection::distance(&board, target, with, side, connection::FEW_LIBERTIES, DISTANCE.into()) <= DISTANCE
        });
        if is_near {
            found.push(Fight { board: board.clone(), question });
        }
        if found.len() == QUESTIONS {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fights_are_questions_that_their_numbers_give() {
        let (mut goals, mut sizes) = ([0; 4], [0; 20]);
        for of_two in [false, true] {
            for number in 0..60 {
                let found = fights(7, number, of_two);
                assert!(found.len() <= QUESTIONS);
                for (fight, again) in found.iter().zip(fights(7, number, of_two)) {
                    fight.board.chains().check().unwrap();
                    assert_eq!(fight.question, again.question);
                    assert_eq!(fight.board.key(Side::First), again.board.key(Side::First));
                    assert_eq!(fight.question.goal().is_of_two(), of_two);
                    assert!(LIBERTIES.contains(&fight.board.liberties(fight.question.target()).len()));
                    goals[fight.question.goal() as usize] += 1;
                    sizes[usize::from(fight.board.chains().size().width())] += 1;
                }
            }
        }
        assert!(goals.iter().all(|&count| count > 20), "{goals:?}");
        assert!([9, 13, 19].iter().all(|&side| sizes[side] > 20), "{sizes:?}");
    }
}
