//! A slow second implementation of matching: it turns the board instead of the patterns, and compares point by point.

use super::arrangement::{Arrangement, PointMask, SYMMETRIES};
use super::entry::{EntryFault, PatternEntry};
use crate::core::game::Side;

/// A move that an entry proposes on a board: the entry's number, the side to move, and column and row.
pub type NaiveProposal = (usize, Side, (u8, u8));

/// All moves that entries propose on a board of this size, sorted and each once. `liberties` says how many the chain
/// on a point has.
///
/// # Errors
/// An entry that is no pattern.
pub fn proposals(
    entries: &[PatternEntry],
    (width, height): (u8, u8),
    stone: impl Fn((u8, u8)) -> Option<Side>,
    liberties: impl Fn((u8, u8)) -> u32,
) -> Result<Vec<NaiveProposal>, EntryFault> {
    let mut found = Vec::new();
    for (id, entry) in entries.iter().enumerate() {
        for step in entry.steps()? {
            for turn in 0..SYMMETRIES {
                // The board as it is seen: `back` is the place on the real one.
                let (columns, lines) = if turn & 4 != 0 { (height, width) } else { (width, height) };
                let back = |(x, y): (u8, u8)| {
                    let (x, y) = if turn & 4 != 0 { (y, x) } else { (x, y) };
                    let x = if turn & 1 != 0 { width - 1 - x } else { x };
                    (x, if turn & 2 != 0 { height - 1 - y } else { y })
                };
                for side in [Side::First, Side::Second] {
                    let seen = |place| match stone(back(place)) {
                        None => PointMask::EMPTY,
                        Some(of) if of == side => PointMask::BLACK,
                        Some(_) => PointMask::WHITE,
                    };
                    let count = |place| liberties(back(place));
                    for at in places(&step.arrangement, (columns, lines)) {
                        if fits(&step.arrangement, at, (columns, lines), seen, count) {
                            for first in step.tree.children(None) {
                                let (x, y) = step.tree.moves()[first].place;
                                found.push((id, side, back((at.0 + x, at.1 + y))));
                            }
                        }
                    }
                }
            }
        }
    }
    found.sort_by_key(|&(id, side, place)| (id, side == Side::Second, place));
    found.dedup();
    Ok(found)
}

fn places(of: &Arrangement, (columns, lines): (u8, u8)) -> Vec<(u8, u8)> {
    let (width, height) = of.size();
    let inside = |(x, y): &(u8, u8)| x + width <= columns && y + height <= lines;
    (0..lines).flat_map(|y| (0..columns).map(move |x| (x, y))).filter(inside).collect()
}

fn fits(
    of: &Arrangement,
    (x, y): (u8, u8),
    (columns, lines): (u8, u8),
    seen: impl Fn((u8, u8)) -> PointMask,
    liberties: impl Fn((u8, u8)) -> u32,
) -> bool {
    let (width, height) = of.size();
    let edges = of.edges;
    (!edges.left || x == 0)
        && (!edges.top || y == 0)
        && (!edges.right || x + width == columns)
        && (!edges.bottom || y + height == lines)
        && of.places().all(|(dx, dy)| of.at((dx, dy)).meets(seen((x + dx, y + dy))))
        && of.liberties.iter().all(|condition| {
            let count = liberties((x + condition.place.0, y + condition.place.1));
            count > 0 && count >= u32::from(condition.least) && count <= u32::from(condition.most)
        })
}
