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
    keyed: Vec<((i32, i32), Move)>,
}

/// Sorts the list of moves of the node on `board`, after so many `lines` per direction, and returns how
/// many of its first moves are to be tried: all but for the orderings of only the largest weight.
pub(super) fn sort<R: Rules>(
    sort: Sort,
    board: &mut Board<R>,
    list: &mut [Move],
    lines: &[u32; 4],
    scratch: &mut Scratch,
) -> usize {
    let total = match sort {
        Sort::No => return list.len(),
        Sort::Coords => {
            list.sort_unstable_by_key(|&mv| coords(mv));
            return list.len();
        }
        Sort::TotalWeightsLines | Sort::TotalWeightsMax | Sort::LinesTotalWeights => true,
        Sort::WeightsLines | Sort::WeightsMax | Sort::LinesWeights => false,
    };
    let keyed = &mut scratch.keyed;
    keyed.clear();
    for &mv in list.iter() {
        let weight = if total { total_weight(board, list, mv) } else { point_weight(board, list, mv) };
        let used = lines[mv.direction() as usize] as i32;
        let key = match sort {
            Sort::LinesTotalWeights | Sort::LinesWeights => (used, -weight),
            Sort::TotalWeightsMax | Sort::WeightsMax => (-weight, 0),
            _ => (-weight, used),
        };
        keyed.push((key, mv));
    }
    keyed.sort_by_key(|&(key, _)| key);
    for (mv, &(_, sorted)) in list.iter_mut().zip(keyed.iter()) {
        *mv = sorted;
    }
    match sort {
        Sort::TotalWeightsMax | Sort::WeightsMax => keyed.iter().take_while(|(key, _)| *key == keyed[0].0).count(),
        _ => list.len(),
    }
}

/// Sorts a list whose first `sorted` moves are in the order of [`Sort::Coords`] already: for few new moves.
#[inline(always)]
pub(super) fn insert_by_coords(list: &mut [Move], sorted: usize) {
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
fn coords(mv: Move) -> u32 {
    let bits = mv.bits();
    (bits & 63) << 26 | (bits >> 6 & 63) << 20 | bits >> 16
}

/// Legal moves that `mv` creates less moves of the list that collide with it (itself included).
fn total_weight<R: Rules>(board: &mut Board<R>, list: &[Move], mv: Move) -> i32 {
    let mut weight = 0;
    for &other in list {
        weight -= i32::from(other.collides::<R>(mv));
    }
    board.place(mv);
    board.moves_through(mv.point(), |_| weight += 1);
    board.lift(mv);
    weight
}

/// Distinct new points of the moves that `mv` creates less those of the moves that collide with it.
fn point_weight<R: Rules>(board: &mut Board<R>, list: &[Move], mv: Move) -> i32 {
    let mut points = Distinct::default();
    for &other in list {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed;
    use crate::morpion::position::Position;
    use crate::morpion::variant::Variant;
    use crate::with_rules;
    use rand::RngExt;
    use std::collections::HashSet;

    const ALL: [Sort; 8] = [
        Sort::No,
        Sort::Coords,
        Sort::TotalWeightsLines,
        Sort::TotalWeightsMax,
        Sort::LinesTotalWeights,
        Sort::WeightsLines,
        Sort::WeightsMax,
        Sort::LinesWeights,
    ];

    /// Both weights from the lists of legal moves before and after, as sets.
    fn weights<R: Rules>(position: &Position<R>, list: &[Move], mv: Move) -> (i32, i32) {
        let before: HashSet<Move> = position.moves().iter().copied().collect();
        let mut next = position.clone();
        next.play(mv);
        let after: HashSet<Move> = next.moves().iter().copied().collect();
        let created: Vec<Move> = after.difference(&before).copied().collect();
        let lost: Vec<Move> = list.iter().copied().filter(|m| !after.contains(m)).collect();
        let points = |moves: &[Move]| moves.iter().map(|m| m.point()).collect::<HashSet<_>>().len() as i32;
        (created.len() as i32 - lost.len() as i32, points(&created) - points(&lost))
    }

    /// Sorts by definition: by insertion, with a comparison of two moves.
    fn slow<R: Rules>(position: &Position<R>, list: &[Move], order: Sort) -> (Vec<Move>, usize) {
        let used = |mv: Move| position.played().iter().filter(|m| m.direction() == mv.direction()).count() as i32;
        let rank = |mv: Move| {
            let (total, point) = weights(position, list, mv);
            match order {
                Sort::No => (0, 0, 0),
                Sort::Coords => (mv.point().x(), mv.point().y(), i32::from(mv.line().key())),
                Sort::TotalWeightsLines => (-total, used(mv), 0),
                Sort::TotalWeightsMax => (-total, 0, 0),
                Sort::LinesTotalWeights => (used(mv), -total, 0),
                Sort::WeightsLines => (-point, used(mv), 0),
                Sort::WeightsMax => (-point, 0, 0),
                Sort::LinesWeights => (used(mv), -point, 0),
            }
        };
        let mut sorted: Vec<Move> = Vec::new();
        for &mv in list {
            let at = sorted.iter().position(|&other| rank(other) > rank(mv)).unwrap_or(sorted.len());
            sorted.insert(at, mv);
        }
        let tried = match order {
            Sort::TotalWeightsMax | Sort::WeightsMax => {
                sorted.iter().filter(|&&mv| rank(mv) == rank(sorted[0])).count()
            }
            _ => list.len(),
        };
        (sorted, tried)
    }

    #[test]
    fn all_orderings_follow_their_definition() {
        for variant in Variant::ALL {
            with_rules!(variant, R => for game in 0..3 {
                let mut rng = seed::rng(5, &[variant as u64, game]);
                let mut position = Position::<R>::new();
                while !position.moves().is_empty() {
                    // The list of a node may hold fewer moves than are legal.
                    let mut list = position.moves().to_vec();
                    list.retain(|_| rng.random_bool(0.8));
                    let mut lines = [0; 4];
                    position.played().iter().for_each(|mv| lines[mv.direction() as usize] += 1);
                    for order in ALL {
                        let mut sorted = list.clone();
                        let mut board = position.board().clone();
                        let tried = sort::<R>(order, &mut board, &mut sorted, &lines, &mut Scratch::default());
                        let by_definition = slow(&position, &list, order);
                        assert_eq!((sorted, tried), by_definition, "{variant} game {game} {order:?}");
                        assert!(board == *position.board());
                    }
                    position.play(position.moves()[rng.random_range(0..position.moves().len())]);
                }
            });
        }
    }

    #[test]
    fn new_moves_are_inserted_where_a_sort_puts_them() {
        let mut rng = seed::rng(6, &[]);
        for _ in 0..2000 {
            let position = Position::<crate::morpion::variant::T5>::new();
            let mut list: Vec<Move> = position.moves().to_vec();
            list.retain(|_| rng.random_bool(0.5));
            for i in (1..list.len()).rev() {
                list.swap(i, rng.random_range(0..=i));
            }
            let sorted = rng.random_range(0..=list.len());
            list[..sorted].sort_by_key(|&mv| coords(mv));
            let mut expected = list.clone();
            expected.sort_by_key(|&mv| coords(mv));
            insert_by_coords(&mut list, sorted);
            assert_eq!(list, expected);
        }
    }
}
