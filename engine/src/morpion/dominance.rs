//! Dominated-move elimination: of the moves with one new point and one direction, leave out those whose line only
//! wastes room.
//!
//! Source: the 2021 thesis "Řešič Morpion Solitaire", in its exact form. Let the run of free cells that holds a
//! move's line be bounded on one side by a blocked cell, with 1 to `BLOCKED - 1` free cells between the two: too
//! few for a line, ever. If the line flush against the bound makes a legal move with the same new point, it
//! *dominates* the other: both set the same point, and what can be drawn on the free cells that the other leaves
//! can be drawn on those that the flush one leaves, so every continuation of the other is one of the flush one,
//! and dropping the other keeps the optimum.
//!
//! If a line is flush on one side and one flush on the other exists as well, with less than a line's room between,
//! each dominates the other; the one at the lower coordinate is kept.
//!
//! The edge of the playing area counts as a bound. For the puzzle on the 60x60 area, the one that is searched
//! here, this is as exact: no line beyond the edge is ever drawn. It could cost something only in a game of the
//! unbounded puzzle that leaves the area, and such a game is out of reach of the search anyway.

use super::board::Board;
use super::geometry::Move;
use super::variant::Rules;

/// Whether a legal move is dominated. Only the board is looked at: the dominating move is legal on it, whether or
/// not a caller's list still has it, and is not itself dominated, or is dominated by one that is not.
///
/// For a move that is not legal the answer means nothing.
#[inline]
pub fn is_dominated<R: Rules>(board: &Board<R>, mv: Move) -> bool {
    let line = mv.line();
    let (track, start) = (line.track(), line.start());
    // Cells from the line's first one upwards, and those below it from the top bit downwards. The bits above the
    // area are blocked in every word, so neither gap wraps around.
    let cells = board.blocked_of(line.direction(), track).rotate_right(start);
    let below = cells.leading_zeros();
    if below == 0 {
        return false;
    }
    let above = (cells >> R::BLOCKED).trailing_zeros();
    let too_short = R::BLOCKED as u32;
    if below >= too_short && (above == 0 || above >= too_short) {
        return false;
    }
    let index = line.direction().track(mv.point()).1 - start;
    let points = board.points_of(line.direction(), track) | 1 << (start + index);
    let all = (1u64 << R::LEN) - 1;
    // Moving the line away from the new point's side may leave the point behind: index + below stays in the line.
    // Its cells are free: those of the gap by definition, the others because the move itself is legal.
    (below < too_short && index + below < R::LEN as u32 && points >> (start - below) & all == all)
        || (above > 0 && above < too_short && above <= index && points >> (start + above) & all == all)
}

/// Removes the dominated moves from a list of legal moves, keeping the order. Does not allocate.
#[inline]
pub fn retain_undominated<R: Rules>(board: &Board<R>, list: &mut Vec<Move>) {
    list.retain(|&mv| !is_dominated(board, mv));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed;
    use crate::morpion::geometry::{Direction, Point};
    use crate::morpion::position::Position;
    use crate::morpion::variant::Variant;
    use crate::with_rules;
    use rand::RngExt;

    /// The definition, word by word: cells one at a time, moves as values.
    fn by_definition<R: Rules>(board: &Board<R>, legal: &[Move], mv: Move) -> bool {
        let line = mv.line();
        let (direction, track, start) = (line.direction(), line.track(), line.start() as i32);
        let blocked = |c: i32| !(0..60).contains(&c) || board.blocked_of(direction, track) >> c & 1 == 1;
        let len = R::LEN as i32;
        let gap_below = (1..).take_while(|&i| !blocked(start - i)).count() as i32;
        let gap_above = (0..).take_while(|&i| !blocked(start + R::BLOCKED as i32 + i)).count() as i32;
        let legal_at = |s: i32| {
            let index = mv.line().start() as i32 + mv.index() as i32 - s;
            (0..len).contains(&index)
                && legal
                    .iter()
                    .any(|m| m.direction() == direction && m.point() == mv.point() && m.line().start() as i32 == s)
        };
        let dominated_below = (1..R::BLOCKED as i32).contains(&gap_below) && legal_at(start - gap_below);
        let dominated_above = (1..R::BLOCKED as i32).contains(&gap_above) && legal_at(start + gap_above);
        dominated_below || (dominated_above && gap_below > 0)
    }

    #[test]
    fn agrees_with_the_definition_along_random_games() {
        for variant in Variant::ALL {
            with_rules!(variant, R => {
                let mut dominated = 0;
                for game in 0..60 {
                    let mut rng = seed::rng(11, &[variant as u64, game]);
                    let mut position = Position::<R>::new();
                    while !position.moves().is_empty() {
                        for &mv in position.moves() {
                            let fast = is_dominated(position.board(), mv);
                            let slow = by_definition(position.board(), position.moves(), mv);
                            assert_eq!(fast, slow, "{variant} game {game} {mv:?} after {:?}", position.played());
                            dominated += u32::from(fast);
                        }
                        let mut kept = position.moves().to_vec();
                        retain_undominated(position.board(), &mut kept);
                        assert!(!kept.is_empty());
                        position.play(position.moves()[rng.random_range(0..position.moves().len())]);
                    }
                }
                assert!(dominated > 0, "{variant}: no dominated move in the sample");
            });
        }
    }

    /// On an otherwise empty row at the edge of the area the line flush with the edge is the one to keep.
    #[test]
    fn the_edge_is_a_bound() {
        let mut board = Board::<crate::morpion::variant::T5>::new();
        let place = |board: &mut Board<_>, x: i32| {
            // A vertical line sets the point without blocking its row.
            board.place(Move::new(Variant::T5, Point::new(x, 10).unwrap(), Direction::Vertical, 2).unwrap());
        };
        for x in [0, 1, 2, 4, 5] {
            place(&mut board, x);
        }
        let row = |x: i32, index| Move::new(Variant::T5, Point::new(x, 10).unwrap(), Direction::Horizontal, index);
        let (flush, inner) = (row(3, 3).unwrap(), row(3, 2).unwrap());
        assert!(board.is_legal(flush) && board.is_legal(inner));
        assert!(!is_dominated(&board, flush));
        assert!(is_dominated(&board, inner));
        let mut list = vec![inner, flush];
        retain_undominated(&board, &mut list);
        assert_eq!(list, [flush]);
    }
}
