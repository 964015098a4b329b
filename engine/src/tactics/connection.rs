//! How far two chains are from being connected.
//!
//! The distance counts the stones that the attacker lacks on a way between them, if the defender does nothing: one
//! for an empty point, and for a chain of the defender as many as it has liberties, since it has to be captured.
//! Chains of the defender with many liberties block the way.

use super::board::TacticsBoard;
use crate::core::game::Side;
use crate::games::go::large::points::PointSet;

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

/// The points by their distance from a chain: the stones that are lacking up to them, themselves included.
type Waves = [PointSet; FARTHEST as usize + 1];

/// The points at each distance from a chain of `side`. Nothing is found beyond `most`, nor once `until` is reached.
fn waves(board: &TacticsBoard, from: u16, side: Side, captured: u8, most: u32, until: Option<u16>) -> Waves {
    let mut waves = [PointSet::EMPTY; FARTHEST as usize + 1];
    let Some(chain) = board.chain(from) else { return waves };
    waves[0] = chain.stones;
    // What a point costs does not hang on the way to it, so the first way is a shortest one.
    let mut seen = chain.stones;
    for far in 0..=most.min(u32::from(FARTHEST)) as usize {
        let mut edge = waves[far];
        if until.is_some_and(|until| edge.contains(until)) {
            return waves;
        }
        while !edge.is_empty() {
            let mut new = board.chains().border(&edge);
            new.subtract(&seen);
            seen.union(&new);
            let empty = new.common(board.chains().empty());
            if let Some(wave) = waves.get_mut(far + 1) {
                wave.union(&empty);
            }
            new.subtract(&empty);
            edge = PointSet::EMPTY;
            for point in new.iter() {
                let Some(chain) = board.chain(point) else { continue };
                if board.colour(point) == Some(side) {
                    if !edge.contains(point) {
                        edge.union(&chain.stones);
                    }
                    continue;
                }
                let step = chain.liberties.len();
                if step <= u32::from(captured)
                    && let Some(wave) = waves.get_mut(far + step as usize)
                {
                    wave.insert(point);
                }
            }
            seen.union(&edge);
            waves[far].union(&edge);
        }
    }
    waves
}

/// The distance of a point; greater than all if it is in no wave.
fn wave_of(waves: &Waves, point: u16) -> u8 {
    (0..=FARTHEST).find(|&far| waves[usize::from(far)].contains(point)).unwrap_or(u8::MAX)
}

/// The distance of two chains of `side`, if it is `most` at most; else a greater number.
pub fn distance(board: &TacticsBoard, one: u16, other: u16, side: Side, captured: u8, most: u32) -> u8 {
    wave_of(&waves(board, one, side, captured, most, Some(other)), other)
}

/// The ways between the chains on two points, both of `side`. Chains of the other side with more than `captured`
/// liberties block them.
pub fn ways(board: &TacticsBoard, one: u16, other: u16, side: Side, captured: u8) -> Ways {
    let from_one = waves(board, one, side, captured, u32::MAX, None);
    let from_other = waves(board, other, side, captured, u32::MAX, None);
    let distance = wave_of(&from_one, other);
    let mut ways = Ways {
        distance,
        on: PointSet::EMPTY,
        beside: PointSet::EMPTY,
        common: board.liberties(one).common(&board.liberties(other)),
    };
    if distance > FARTHEST {
        return ways;
    }
    for (one, of_one) in (0..).zip(&from_one) {
        for (other, of_other) in (0..).zip(&from_other) {
            for point in of_one.common(of_other).iter() {
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
            for most in 0..8 {
                let found = super::distance(&board, at(one), at(other), Side::First, FEW_LIBERTIES, most);
                assert_eq!(u32::from(found) <= most, u32::from(told) <= most && told < 7, "{rows}, {most}: {found}");
                assert!(u32::from(found) > most || found == told, "{rows}, {most}: {found}");
            }
        }
    }
}
