//! Growing a book: which position is added next.
//!
//! Drop-out expansion (T. R. Lincke, "Strategies for the automatic construction of opening books", 2000): a position
//! is added where good play ends. The cost of a move is what it is worth less than the best move of its position, and
//! [`PLY`] for its length. The end of the cheapest line is next. So positions are added where both sides play well,
//! the deeper the fewer good moves there are.

use super::{BookMove, Count, OpeningBook};
use crate::core::game::{Chosen, Game, Value};
use crate::games::gomoku::position::GomokuMove;
use crate::solvers::gomoku::plan::canonical;
use crate::solvers::gomoku::player::node::DECIDED;
use std::collections::HashSet;

/// What a move costs because of its length, in the units of values.
pub const PLY: Value = 20;

/// The end of the cheapest line, as the moves that lead there from the empty board, among those that are not at
/// work. Nothing if all lines end with a decided game or a plan.
pub fn next_position(book: &OpeningBook, at_work: &HashSet<Vec<u16>>) -> Option<Vec<u16>> {
    let Some(root) = book.positions().iter().position(|position| position.way.is_empty()) else {
        return (!at_work.contains(&Vec::new())).then(Vec::new);
    };
    let mut costs: Vec<Option<Option<Cheapest>>> = vec![None; book.positions().len()];
    let mut growth = Growth { book, at_work, values: book.values(), costs: &mut costs };
    growth.cheapest(root)?;
    // The way of a position in the book may be another one than the line's, by another order or an image of it. The
    // last position's is taken, with the move that leaves the book.
    let mut number = root;
    loop {
        let cheapest = growth.cheapest(number)?;
        match book.after[number][cheapest.nth] {
            Some(after) => number = after,
            None => {
                let position = &book.positions()[number];
                let mut way = position.way.clone();
                way.push(position.moves[cheapest.nth].point);
                return Some(way);
            }
        }
    }
}

/// The cheapest line from a position on.
#[derive(Debug, Clone, Copy)]
struct Cheapest {
    cost: Value,
    /// The number of its first move.
    nth: usize,
}

struct Growth<'a> {
    book: &'a OpeningBook,
    at_work: &'a HashSet<Vec<u16>>,
    values: Vec<Option<Value>>,
    /// What was found for each position.
    costs: &'a mut Vec<Option<Option<Cheapest>>>,
}

impl Growth<'_> {
    fn cheapest(&mut self, number: usize) -> Option<Cheapest> {
        if let Some(known) = self.costs[number] {
            return known;
        }
        let position = &self.book.positions()[number];
        let best = self.values[number].unwrap_or(0);
        let mut cheapest: Option<Cheapest> = None;
        for (nth, m) in position.moves.iter().enumerate() {
            let after = self.book.after[number][nth];
            let value = self.book.worth(number, nth, Count::Proofs, &mut self.values);
            let rest = match after {
                Some(after) => self.cheapest(after).map(|line| line.cost),
                None => self.is_open(&position.way, *m).then_some(0),
            };
            let Some(rest) = rest else { continue };
            let cost = rest.saturating_add(PLY).saturating_add(best.saturating_sub(value));
            if cheapest.is_none_or(|known| cost < known.cost) {
                cheapest = Some(Cheapest { cost, nth });
            }
        }
        self.costs[number] = Some(cheapest);
        cheapest
    }

    /// Whether a position may follow there.
    fn is_open(&self, way: &[u16], m: BookMove) -> bool {
        let mut next = way.to_vec();
        next.push(m.point);
        if m.value.abs() >= DECIDED || self.at_work.contains(&next) {
            return false;
        }
        let position = self.book.position(&next);
        position.winner().is_none()
            && position.empty() > 0
            && self.book.proven_value(&canonical(&position).0, &position).is_none()
    }
}

/// What a search of a position has found, as moves of the book: `most` at most, one of those that lead to images of
/// the same position. A move of which a plan proves that it wins or loses is worth that.
pub fn judged(book: &OpeningBook, way: &[u16], found: &[Chosen<GomokuMove>], most: usize) -> Vec<BookMove> {
    let mut position = book.position(way);
    let (mut moves, mut seen) = (Vec::new(), HashSet::new());
    for chosen in found {
        let Some(&m) = chosen.line.first() else { continue };
        let undo = position.play(m);
        let (next, _) = canonical(&position);
        let proven = book.proven_value(&next, &position).map(|value| -value);
        position.undo(m, undo);
        if seen.insert(next) {
            moves.push(BookMove { point: m.0, value: proven.unwrap_or(chosen.value) });
        }
    }
    moves.sort_by_key(|m| std::cmp::Reverse(m.value));
    moves.truncate(most);
    moves
}
