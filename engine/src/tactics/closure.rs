//! How zones grow in go.
//!
//! A zone says which points must have the same contents for the same play to win. So what happens outside must not
//! reach into it:
//!
//! - Of the defender's chains in it, all stones and all points next to them: outside, nothing is joined to them, and
//!   nothing captures them.
//! - Of the attacker's chains in it, all stones and two liberties; if there are fewer, all points next to them: no
//!   single stone outside captures them.
//! - Around an empty point on which the defender may not play, since its stone would have no liberty, the points next
//!   to it: otherwise it might be legal.
//! - The attacker's move, what it captures and the points next to that; one liberty of its chain if it captures
//!   nothing: the move is legal, and does the same.
//!
//! The first three are about positions with the defender to move, and are applied until nothing is added.

use super::board::TacticsBoard;
use crate::core::game::Side;
use crate::games::go::large::points::PointSet;

/// The zone with all that it needs for the defender's moves outside not to matter.
pub fn closed(board: &TacticsBoard, defender: Side, zone: PointSet) -> PointSet {
    let stones = board.chains();
    let (mut zone, mut seen) = (zone, PointSet::EMPTY);
    loop {
        let mut new = zone;
        new.subtract(&seen);
        if new.is_empty() {
            // At last the liberties, so that those that are in it anyway are taken.
            if !add_liberties(board, defender, &mut zone) {
                return zone;
            }
            continue;
        }
        for point in new.iter() {
            if seen.contains(point) {
                continue;
            }
            seen.insert(point);
            match board.chain(point) {
                None => {
                    if board.is_suicide(point, defender) {
                        board.near(point).iter().for_each(|&near| zone.insert(near));
                    }
                }
                Some(chain) => {
                    zone.union(&chain.stones);
                    seen.union(&chain.stones);
                    if board.colour(point) == Some(defender) || chain.liberties.len() < 2 {
                        zone.union(&stones.border(&chain.stones));
                    }
                }
            }
        }
    }
}

/// Adds liberties of the attacker's chains in a zone, up to two of each; whether any were missing.
fn add_liberties(board: &TacticsBoard, defender: Side, zone: &mut PointSet) -> bool {
    let (mut added, mut seen) = (false, PointSet::EMPTY);
    for point in zone.iter() {
        if seen.contains(point) || board.colour(point) != Some(defender.other()) {
            continue;
        }
        let Some(chain) = board.chain(point) else { continue };
        seen.union(&chain.stones);
        let mut have = chain.liberties.common(zone).len();
        if have >= 2 || chain.liberties.len() < 2 {
            continue;
        }
        // Best are those that the defender cannot take.
        let (mut safe, mut other) = (Vec::new(), Vec::new());
        for liberty in chain.liberties.iter().filter(|&liberty| !zone.contains(liberty)) {
            let list = if board.is_suicide(liberty, defender) { &mut safe } else { &mut other };
            list.push(liberty);
        }
        for liberty in safe.into_iter().chain(other) {
            if have < 2 {
                zone.insert(liberty);
                (have, added) = (have + 1, true);
            }
        }
    }
    added
}

/// The zone of a position with the attacker to move, from that after its move.
pub fn before_attack(board: &TacticsBoard, attacker: Side, point: u16, after: &PointSet) -> PointSet {
    let mut zone = *after;
    zone.insert(point);
    let captured = board.captured_by(point, attacker);
    if !captured.is_empty() {
        zone.union(&captured);
        zone.union(&board.chains().border(&captured));
        return zone;
    }
    for &near in board.near(point) {
        if board.colour(near) == Some(attacker)
            && let Some(chain) = board.chain(near)
        {
            zone.union(&chain.stones);
        }
    }
    let liberties = board.liberties_after(point, attacker);
    if liberties.common(&zone).is_empty()
        && let Some(liberty) = liberties.first()
    {
        zone.insert(liberty);
    }
    zone
}

/// The defender's legal moves that change something on a zone: on its points, or by captures in it.
pub fn relevant(board: &TacticsBoard, defender: Side, zone: &PointSet, list: &mut Vec<u16>) {
    let mut points = PointSet::EMPTY;
    for point in zone.iter() {
        match board.chain(point) {
            None => points.insert(point),
            Some(chain) if board.colour(point) != Some(defender) => {
                chain.liberties.single().into_iter().for_each(|last| points.insert(last));
            }
            Some(_) => (),
        }
    }
    list.extend(points.iter().filter(|&point| board.is_legal(point, defender)));
}
