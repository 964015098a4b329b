//! How far two chains are from being connected.
//!
//! The distance counts the stones that the attacker lacks on a way between them, if the defender does nothing: one
//! for an empty point, and for a chain of the defender as many as it has liberties, since it has to be captured.
//! Chains of the defender with many liberties block the way.

use super::board::TacticsBoard;
use crate::core::game::Side;
use crate::games::go::large::points::{MOST_POINTS, PointSet};

/// Greatest distance that is told; what is further off is out of reach.
pub const FARTHEST: u8 = 6;

/// A chain with at most so many liberties can usually be captured on a way.
pub const FEW_LIBERTIES: u8 = 2;

/// The ways between two chains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ways {
    /// The distance; above [`FARTHEST`] if there is no way.
    pub distance: u8,
    /// The empty points on the shortest ways.
    pub on: PointSet,
    /// The empty points on ways that are longer by one.
    pub beside: PointSet,
    /// The empty points next to both chains.
    pub common: PointSet,
}

/// The distance of each point from a chain of `side`: the stones that are lacking up to it, itself included.
fn distances(board: &TacticsBoard, from: u16, side: Side, captured: u8) -> [u8; MOST_POINTS] {
    let mut found = [u8::MAX; MOST_POINTS];
    // The points at each distance, nearest first.
    let mut open: [Vec<u16>; FARTHEST as usize + 1] = Default::default();
    let stones = board.chain(from).map_or(PointSet::EMPTY, |chain| chain.stones);
    stones.iter().for_each(|stone| found[usize::from(stone)] = 0);
    open[0].extend(stones.iter());
    for far in 0..=FARTHEST {
        let mut i = 0;
        while i < open[usize::from(far)].len() {
            let point = open[usize::from(far)][i];
            i += 1;
            if found[usize::from(point)] != far {
                continue;
            }
            for &near in board.near(point) {
                let step = match board.chain(near) {
                    None => 1,
                    Some(_) if board.colour(near) == Some(side) => 0,
                    Some(chain) => chain.liberties.len().min(u32::from(FARTHEST) + 1) as u8,
                };
                let to = far + step;
                if step <= captured && to <= FARTHEST && to < found[usize::from(near)] {
                    found[usize::from(near)] = to;
                    open[usize::from(to)].push(near);
                }
            }
        }
    }
    found
}

/// The ways between the chains on two points, both of `side`. Chains of the other side with more than `captured`
/// liberties block them.
pub fn ways(board: &TacticsBoard, one: u16, other: u16, side: Side, captured: u8) -> Ways {
    let (from_one, from_other) = (distances(board, one, side, captured), distances(board, other, side, captured));
    let distance = from_one[usize::from(other)];
    let mut ways = Ways {
        distance,
        on: PointSet::EMPTY,
        beside: PointSet::EMPTY,
        common: board.liberties(one).common(&board.liberties(other)),
    };
    if distance > FARTHEST {
        return ways;
    }
    for point in 0..board.chains().size().area() {
        let (one, other) = (from_one[usize::from(point)], from_other[usize::from(point)]);
        if one > FARTHEST || other > FARTHEST {
            continue;
        }
        match board.chain(point) {
            // The point itself is in both.
            None if one + other <= distance + 1 => ways.on.insert(point),
            None if one + other == distance + 2 => ways.beside.insert(point),
            Some(chain)
                if board.colour(point) != Some(side)
                    && chain.liberties.len() <= u32::from(captured)
                    && one + other <= distance + 2 * chain.liberties.len() as u8 =>
            {
                ways.on.union(&chain.liberties);
            }
            _ => (),
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::super::board::tests::board;
    use super::super::goal::point_of;
    use super::*;

    #[test]
    fn the_distance_counts_the_stones_that_are_lacking() {
        for (rows, one, other, distance, common) in [
            ("X.X\n...\n...", "a3", "c3", 1, 1),
            ("X..\n...\n..X", "a3", "c1", 3, 0),
            ("X.X\nX.X\nX.X", "a3", "c3", 1, 3),
            ("XOX\n.O.\n.O.", "a3", "c3", 7, 0),
            ("XOX.\nXO.O\nX.XO\n..O.", "a4", "c4", 2, 0),
        ] {
            let board = board(rows);
            let at = |name| point_of(board.chains().size(), name).unwrap();
            let found = ways(&board, at(one), at(other), Side::First, FEW_LIBERTIES);
            let told = if found.distance > FARTHEST { 7 } else { found.distance };
            assert_eq!((told, found.common.len()), (distance, common), "{rows}: {found:?}");
        }
    }
}
