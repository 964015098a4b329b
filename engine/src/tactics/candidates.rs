//! The moves that are tried: the attacker's, and the defences that are likely to be good.
//!
//! The attacker's list is all that it has; the defender's only says what is looked at before the zones tell what else
//! there is. Each move has a delay: a number that makes the search try it later than others.

use super::board::{PASS, TacticsBoard};
use super::connection::Ways;
use super::zone::Candidate;
use crate::core::game::Side;
use crate::games::go::large::points::PointSet;

/// The delay of moves of a region that nothing else speaks for.
const ELSEWHERE: u8 = 8;

/// A list of legal moves of one side, each with its least delay.
struct MoveList<'a> {
    board: &'a TacticsBoard,
    side: Side,
    list: &'a mut Vec<Candidate>,
}

impl MoveList<'_> {
    fn add(&mut self, point: u16, delay: u8) {
        if let Some(known) = self.list.iter_mut().find(|known| known.point == point) {
            known.delay = known.delay.min(delay);
        } else if self.board.is_legal(point, self.side) {
            self.list.push(Candidate { point, delay });
        }
    }

    fn add_all(&mut self, points: &PointSet, delay: u8) {
        points.iter().for_each(|point| self.add(point, delay));
    }
}

/// The empty points next to a set.
fn empty_beside(board: &TacticsBoard, points: &PointSet) -> PointSet {
    let mut beside = PointSet::EMPTY;
    for point in points.iter() {
        board.near(point).iter().filter(|&&near| board.colour(near).is_none()).for_each(|&near| beside.insert(near));
    }
    beside
}

/// The moves of the other side that may capture the chain on `target`.
pub fn to_capture(board: &TacticsBoard, target: u16, is_wide: bool, list: &mut Vec<Candidate>) {
    let (Some(defender), Some(&chain)) = (board.colour(target), board.chain(target)) else { return };
    let attacker = defender.other();
    let mut moves = MoveList { board, side: attacker, list };
    let liberties = chain.liberties;
    let count = liberties.len();
    // On the liberties, first where the chain would gain most.
    for liberty in liberties.iter() {
        let gain = board.liberties_after(liberty, defender).len();
        moves.add(liberty, 3u32.saturating_sub(gain) as u8);
    }
    // Own chains around it that are in danger, and what endangers them.
    for own in board.chains_beside(&chain.stones, attacker) {
        let of_own = board.liberties(own);
        if of_own.len() <= 2 {
            moves.add_all(&of_own, of_own.len() as u8);
        }
        if of_own.len() <= 3
            && let Some(own_chain) = board.chain(own)
        {
            for enemy in board.chains_beside(&own_chain.stones, defender) {
                let of_enemy = board.liberties(enemy);
                let most = if is_wide { 3 } else { 2 };
                if board.chains().root(enemy) != board.chains().root(target) && of_enemy.len() <= most {
                    moves.add_all(&of_enemy, of_enemy.len() as u8);
                }
            }
        }
    }
    // The next but one points.
    let second = empty_beside(board, &liberties);
    moves.add_all(&second, 2);
    // The chains that it may connect with, if they are weak themselves.
    for liberty in liberties.iter() {
        for &near in board.near(liberty) {
            if board.colour(near) == Some(defender) && board.chains().root(near) != board.chains().root(target) {
                let of_friend = board.liberties(near);
                if of_friend.len() <= 3 {
                    moves.add_all(&of_friend, 1 + of_friend.len() as u8);
                }
            }
            if board.colour(near) == Some(attacker) {
                let of_own = board.liberties(near);
                if of_own.len() <= 2 {
                    moves.add_all(&of_own, 2);
                }
            }
        }
    }
    if count <= 3 && is_wide {
        let third = empty_beside(board, &second);
        moves.add_all(&third, 6);
    }
}

/// The moves of its side that may save the chain on `target`.
pub fn to_defend(board: &TacticsBoard, target: u16, list: &mut Vec<Candidate>) {
    let (Some(defender), Some(chain)) = (board.colour(target), board.chain(target)) else { return };
    let mut moves = MoveList { board, side: defender, list };
    for liberty in chain.liberties.iter() {
        let gain = board.liberties_after(liberty, defender).len();
        moves.add(liberty, 3u32.saturating_sub(gain) as u8);
    }
    for enemy in board.chains_beside(&chain.stones, defender.other()) {
        let of_enemy = board.liberties(enemy);
        match of_enemy.len() {
            1 => moves.add_all(&of_enemy, 0),
            2 => moves.add_all(&of_enemy, 3),
            _ => (),
        }
    }
}

/// Leaves the moves of a region, and adds all others of `side` in it.
pub fn in_region(board: &TacticsBoard, side: Side, region: &PointSet, list: &mut Vec<Candidate>) {
    list.retain(|candidate| candidate.point == PASS || region.contains(candidate.point));
    MoveList { board, side, list }.add_all(&region.common(board.chains().empty()), ELSEWHERE);
}

/// The moves that save chains of the attacker around a region from being captured: on their liberties, and on the
/// last liberties of what is next to them.
pub fn to_save(board: &TacticsBoard, attacker: Side, region: &PointSet, list: &mut Vec<Candidate>) {
    let mut moves = MoveList { board, side: attacker, list };
    for own in board.chains_beside(region, attacker) {
        let Some(chain) = board.chain(own).filter(|chain| chain.liberties.len() <= 2) else { continue };
        moves.add_all(&chain.liberties, chain.liberties.len() as u8);
        for enemy in board.chains_beside(&chain.stones, attacker.other()) {
            board.liberties(enemy).single().into_iter().for_each(|last| moves.add(last, 1));
        }
    }
}

/// The moves of the side of two chains that may connect them. Wide ones are further off the ways, and against
/// stronger chains of the other side.
pub fn to_connect(board: &TacticsBoard, one: u16, other: u16, ways: &Ways, is_wide: bool, list: &mut Vec<Candidate>) {
    let Some(side) = board.colour(one) else { return };
    let mut moves = MoveList { board, side, list };
    moves.add_all(&ways.common, 0);
    moves.add_all(&ways.on, 1);
    moves.add_all(&ways.beside, 3);
    for own in [one, other] {
        add_struggles(&mut moves, own, side, if is_wide { 3 } else { 2 });
    }
    if is_wide {
        moves.add_all(&empty_beside(board, &ways.on), 5);
    }
}

/// The moves of the other side that may keep two chains apart.
pub fn to_cut(board: &TacticsBoard, one: u16, other: u16, ways: &Ways, list: &mut Vec<Candidate>) {
    let Some(side) = board.colour(one) else { return };
    let mut moves = MoveList { board, side: side.other(), list };
    moves.add_all(&ways.common, 0);
    moves.add_all(&ways.on, 1);
    for own in [one, other] {
        let of_own = board.liberties(own);
        if of_own.len() <= 2 {
            moves.add_all(&of_own, 1);
        }
    }
}

/// The liberties of a chain in danger, and of chains of the other side around it with at most so many.
fn add_struggles(moves: &mut MoveList<'_>, own: u16, side: Side, most: u32) {
    let board = moves.board;
    let Some(&chain) = board.chain(own) else { return };
    if chain.liberties.len() <= 2 {
        moves.add_all(&chain.liberties, 2);
    }
    for enemy in board.chains_beside(&chain.stones, side.other()) {
        let of_enemy = board.liberties(enemy);
        if of_enemy.len() <= most {
            moves.add_all(&of_enemy, of_enemy.len() as u8);
        }
    }
}
