//! Orders of the moves at a node of the depth-first search: the eight of the 2021 thesis.
//!
//! The *weight* of a move is what playing it does to the node's choice: *total* weight is the number of legal
//! moves that it creates less the moves of the list that collide with it; *point* weight counts the distinct new
//! points of both instead. *Lines* ranks a move by how often its direction has been drawn so far, the least used
//! first. All sorts but the one by coordinates are stable; by coordinates, moves of one point are ranked by their
//! line, so that the order does not depend on how the list came about.

use super::params::Sort;
use crate::morpion::board::Board;
use crate::morpion::geometry::{Move, Point};
use crate::morpion::variant::Rules;

/// Memory for sorting by weights, reused from node to node.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    keyed: Vec<((i32, i32), u32)>,
}

/// Sorts the list of moves (as bits) of the node on `board`, after so many `lines` per direction, and returns how
/// many of its first moves are to be tried: all but for the orderings of only the largest weight.
pub(super) fn sort<R: Rules>(
    sort: Sort,
    board: &mut Board<R>,
    list: &mut [u32],
    lines: &[u32; 4],
    scratch: &mut Scratch,
) -> usize {
    let total = match sort {
        Sort::No => return list.len(),
        Sort::Coords => {
            list.sort_unstable_by_key(|&bits| coords(bits));
            return list.len();
        }
        Sort::TotalWeightsLines | Sort::TotalWeightsMax | Sort::LinesTotalWeights => true,
        Sort::WeightsLines | Sort::WeightsMax | Sort::LinesWeights => false,
    };
    let keyed = &mut scratch.keyed;
    keyed.clear();
    for &bits in list.iter() {
        let mv = Move::from_raw(bits);
        let weight = if total { total_weight(board, list, mv) } else { point_weight(board, list, mv) };
        let used = lines[mv.direction() as usize] as i32;
        let key = match sort {
            Sort::LinesTotalWeights | Sort::LinesWeights => (used, -weight),
            Sort::TotalWeightsMax | Sort::WeightsMax => (-weight, 0),
            _ => (-weight, used),
        };
        keyed.push((key, bits));
    }
    keyed.sort_by_key(|&(key, _)| key);
    for (bits, &(_, sorted)) in list.iter_mut().zip(keyed.iter()) {
        *bits = sorted;
    }
    match sort {
        Sort::TotalWeightsMax | Sort::WeightsMax => keyed.iter().take_while(|(key, _)| *key == keyed[0].0).count(),
        _ => list.len(),
    }
}

/// Sorts a list whose first `sorted` moves are in the order of [`Sort::Coords`] already: for few new moves.
#[inline(always)]
pub(super) fn insert_by_coords(list: &mut [u32], sorted: usize) {
    for i in sorted..list.len() {
        let new = list[i];
        let key = coords(new);
        let mut at = i;
        while at > 0 && coords(list[at - 1]) > key {
            list[at] = list[at - 1];
            at -= 1;
        }
        list[at] = new;
    }
}

/// Rank of a move by coordinates: x of the new point, then its y, then the line.
#[inline(always)]
fn coords(bits: u32) -> u32 {
    (bits & 63) << 26 | (bits >> 6 & 63) << 20 | bits >> 16
}

/// Legal moves that `mv` creates less moves of the list that collide with it (itself included).
fn total_weight<R: Rules>(board: &mut Board<R>, list: &[u32], mv: Move) -> i32 {
    let mut weight = 0;
    for &other in list {
        weight -= i32::from(Move::from_raw(other).collides::<R>(mv));
    }
    board.place(mv);
    board.moves_through(mv.point(), |_| weight += 1);
    board.lift(mv);
    weight
}

/// Distinct new points of the moves that `mv` creates less those of the moves that collide with it.
fn point_weight<R: Rules>(board: &mut Board<R>, list: &[u32], mv: Move) -> i32 {
    let mut points = Distinct::default();
    for &other in list {
        let other = Move::from_raw(other);
        if other.collides::<R>(mv) {
            points.add(other.point());
        }
    }
    let lost = points.count();
    board.place(mv);
    let mut points = Distinct::default();
    board.moves_through(mv.point(), |new| points.add(new.point()));
    board.lift(mv);
    points.count() - lost
}

/// A small set of points. A move collides with the moves of its point and with at most 9 lines, and creates at
/// most 20 moves.
#[derive(Default)]
struct Distinct {
    points: [u16; 32],
    len: usize,
}

impl Distinct {
    fn add(&mut self, point: Point) {
        let point = point.index() as u16;
        if self.len < self.points.len() && !self.points[..self.len].contains(&point) {
            self.points[self.len] = point;
            self.len += 1;
        }
    }

    fn count(&self) -> i32 {
        self.len as i32
    }
}
