//! Opening books: what long searches have found in the first positions of a game.
//!
//! A book has positions, up to symmetry, each with a few moves and their values by a search of so many nodes.
//! Where the position after a move is in the book, too, its value counts instead ([`OpeningBook::choice`]), so a move
//! is worth what follows it is worth. [`grow`] adds positions by drop-out expansion (T. R. Lincke, 2000), [`text`]
//! writes and reads books. The moves of a plan ([`super::plan`]), which are proven to win, can be added
//! ([`OpeningBook::add_plan`]). What a plan proves counts instead of what searches say.

pub mod grow;
pub mod text;

use super::plan::{WinningPlan, canonical};
use super::player::node::DECIDED;
use crate::core::game::{Game, Side, Value};
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::gomoku::rules::GomokuRules;
use crate::games::gomoku::symmetry;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

/// The value of a move that a plan proves to win: above all estimates. In how many plies it wins is not known.
pub const PLANNED: Value = DECIDED - 1000;

/// A move of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookMove {
    /// Where the stone is put.
    pub point: u16,
    /// Its value for the side that makes it, by the search of the position.
    pub value: Value,
}

/// A position of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookPosition {
    /// The moves that lead here from the empty board.
    pub way: Vec<u16>,
    /// Its best moves by a search, the best first; one at least.
    pub moves: Vec<BookMove>,
}

/// What a book says in a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookChoice {
    /// The best move and what follows, as far as the book goes.
    pub line: Vec<GomokuMove>,
    /// The value for the side to move.
    pub value: Value,
}

/// What values of moves rest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Count {
    /// What plans prove, where they prove anything, and searches elsewhere.
    Proofs,
    /// Searches alone, whatever is proven.
    Searches,
}

/// A book of one game: a board and rules.
#[derive(Debug, Clone)]
pub struct OpeningBook {
    board: GomokuBoard,
    rules: GomokuRules,
    positions: Vec<BookPosition>,
    /// The number of each position, by the least of its images.
    numbers: HashMap<Box<[u8]>, usize>,
    /// For each move of each position, the number of the position after it, if that is known.
    after: Vec<Vec<Option<usize>>>,
    /// Moves that lead to positions which are not in the book.
    ends: HashMap<Box<[u8]>, Vec<(usize, usize)>>,
    /// The moves of plans, each in its position as the least of its images.
    planned: HashMap<Box<[u8]>, u16>,
    /// The first positions of plans that answer every reply to them: the side to move has lost.
    lost_starts: HashSet<Box<[u8]>>,
    /// What plans prove of each position, for the side to move.
    proven: Vec<Option<Value>>,
    /// The same of each move of each position, for the side that makes it.
    proven_moves: Vec<Vec<Option<Value>>>,
}

impl OpeningBook {
    /// A book without positions.
    pub fn new(board: GomokuBoard, rules: GomokuRules) -> OpeningBook {
        OpeningBook {
            board,
            rules,
            positions: Vec::new(),
            numbers: HashMap::new(),
            after: Vec::new(),
            ends: HashMap::new(),
            planned: HashMap::new(),
            lost_starts: HashSet::new(),
            proven: Vec::new(),
            proven_moves: Vec::new(),
        }
    }

    /// The book that the program has: 15x15, exactly five in a row.
    pub fn usual() -> Arc<OpeningBook> {
        static USUAL: OnceLock<Arc<OpeningBook>> = OnceLock::new();
        let read = || {
            let book = text::parse(include_str!("usual.book"));
            let mut book = book.unwrap_or_else(|_| OpeningBook::new(GomokuBoard::USUAL, GomokuRules::default()));
            if let Ok(plan) =
                super::plan::text::parse(include_str!("../../../../../results/proofs/gomoku-15x15.plan"))
            {
                book.add_plan(&plan);
            }
            Arc::new(book)
        };
        Arc::clone(USUAL.get_or_init(read))
    }

    /// The board that it is about.
    pub fn board(&self) -> GomokuBoard {
        self.board
    }

    /// The rules that it is about.
    pub fn rules(&self) -> GomokuRules {
        self.rules
    }

    /// Its positions, in the order in which they were added.
    pub fn positions(&self) -> &[BookPosition] {
        &self.positions
    }

    /// How many positions it has of plans.
    pub fn planned(&self) -> usize {
        self.planned.len()
    }

    /// Whether it is about the game that a position belongs to.
    pub fn is_about(&self, position: &GomokuPosition) -> bool {
        (self.board, self.rules) == (position.board(), position.rules())
    }

    /// The position that moves lead to from the empty board. They are legal.
    pub fn position(&self, way: &[u16]) -> GomokuPosition {
        let mut position = GomokuPosition::new(self.board, self.rules);
        for &point in way {
            position.play(GomokuMove(point));
        }
        position
    }

    /// Adds a position that `way` leads to, with its best moves, unless it has the position already or there are no
    /// moves; whether it is new. The moves are legal.
    pub fn add(&mut self, way: Vec<u16>, moves: Vec<BookMove>) -> bool {
        let mut position = self.position(&way);
        let (stones, _) = canonical(&position);
        if moves.is_empty() || self.numbers.contains_key(&stones) {
            return false;
        }
        let number = self.positions.len();
        for (parent, nth) in self.ends.remove(&stones).unwrap_or_default() {
            self.after[parent][nth] = Some(number);
        }
        let mut after = Vec::with_capacity(moves.len());
        let mut proven_moves = Vec::with_capacity(moves.len());
        self.proven.push(self.proven_value(&stones, &position));
        for (nth, m) in moves.iter().enumerate() {
            let undo = position.play(GomokuMove(m.point));
            let (next, _) = canonical(&position);
            proven_moves.push(self.proven_value(&next, &position).map(|value| -value));
            position.undo(GomokuMove(m.point), undo);
            after.push(self.numbers.get(&next).copied());
            if after[nth].is_none() {
                self.ends.entry(next).or_default().push((number, nth));
            }
        }
        self.numbers.insert(stones, number);
        self.after.push(after);
        self.proven_moves.push(proven_moves);
        self.positions.push(BookPosition { way, moves });
        true
    }

    /// Adds the moves of a plan about the same game.
    pub fn add_plan(&mut self, plan: &WinningPlan) {
        if !self.is_about(plan.start()) {
            return;
        }
        for planned in plan.moves() {
            let (stones, symmetry) = canonical(&plan.position(planned));
            self.planned.insert(stones, symmetry::apply(self.board, symmetry, planned.answer));
        }
        if plan.start().side() != plan.attacker() && plan.open_replies().is_empty() {
            self.lost_starts.insert(canonical(plan.start()).0);
        }
        for number in 0..self.positions.len() {
            let mut position = self.position(&self.positions[number].way);
            self.proven[number] = self.proven_value(&canonical(&position).0, &position);
            for (nth, m) in self.positions[number].moves.iter().enumerate() {
                let m = GomokuMove(m.point);
                let undo = position.play(m);
                self.proven_moves[number][nth] =
                    self.proven_value(&canonical(&position).0, &position).map(|value| -value);
                position.undo(m, undo);
            }
        }
    }

    /// What plans prove of a position, for the side to move: it has a planned move, or the last move was one.
    fn proven_value(&self, stones: &[u8], position: &GomokuPosition) -> Option<Value> {
        if self.planned.contains_key(stones) {
            return Some(PLANNED);
        }
        let is_lost = self.lost_starts.contains(stones) || self.follows_plan(stones, position);
        is_lost.then_some(-PLANNED)
    }

    /// Whether a planned move leads to a position, whichever of its stones is the last one.
    fn follows_plan(&self, key: &[u8], position: &GomokuPosition) -> bool {
        let (side, stones) = (position.side(), position.stones().collect::<Vec<(u16, Side)>>());
        let is_planned = |last: &(u16, Side)| {
            let before: Vec<(u16, Side)> = stones.iter().copied().filter(|stone| stone != last).collect();
            let Ok(mut before) = GomokuPosition::from_stones(self.board, self.rules, &before, side.other()) else {
                return false;
            };
            let (stones, symmetry) = canonical(&before);
            self.planned.get(&stones).is_some_and(|&answer| {
                before.play(GomokuMove(symmetry::unapply(self.board, symmetry, answer)));
                canonical(&before).0.as_ref() == key
            })
        };
        !self.planned.is_empty() && stones.iter().filter(|stone| stone.1 != side).any(is_planned)
    }

    /// What each position is worth to the side to move.
    fn values(&self) -> Vec<Option<Value>> {
        let mut values = vec![None; self.positions.len()];
        for number in 0..self.positions.len() {
            self.fill_value(number, Count::Proofs, &mut values);
        }
        values
    }

    /// What a position is worth to the side to move: as much as its best move.
    fn fill_value(&self, number: usize, count: Count, values: &mut Vec<Option<Value>>) -> Value {
        if let Some(value) = values[number] {
            return value;
        }
        let value = self.proven[number].filter(|_| count == Count::Proofs).unwrap_or_else(|| {
            let all = 0..self.positions[number].moves.len();
            // That a few moves lose proves nothing of the others.
            match all.map(|nth| self.worth(number, nth, count, values)).max() {
                Some(value) if value == -PLANNED => value + 1,
                value => value.unwrap_or(0),
            }
        });
        values[number] = Some(value);
        value
    }

    /// What a move of a position is worth by what follows it. A move adds a stone, so no position comes after itself.
    fn worth(&self, number: usize, nth: usize, count: Count, values: &mut Vec<Option<Value>>) -> Value {
        let proven = self.proven_moves[number][nth].filter(|_| count == Count::Proofs);
        proven.unwrap_or_else(|| match self.after[number][nth] {
            Some(after) => -self.fill_value(after, count, values),
            None => self.positions[number].moves[nth].value,
        })
    }

    /// What it says in a position: the best move by what follows, or one that a plan proves to win. Nothing if it
    /// does not have the position.
    pub fn choice(&self, position: &GomokuPosition) -> Option<BookChoice> {
        let &(_, best) = self.moves(position).first()?;
        let value = match self.numbers.get(&canonical(position).0) {
            Some(&number) => self.fill_value(number, Count::Proofs, &mut vec![None; self.positions.len()]),
            None => best,
        };
        let mut position = position.clone();
        let mut line = Vec::new();
        while let Some((m, _)) = self.moves(&position).first().copied() {
            line.push(m);
            position.play(m);
        }
        Some(BookChoice { line, value })
    }

    /// The moves that it knows in a position, with their values for the side to move by what follows, the best first.
    /// If a plan has a move there, that one alone. Moves of which the same is proven are in the order of searches.
    pub fn moves(&self, position: &GomokuPosition) -> Vec<(GomokuMove, Value)> {
        if !self.is_about(position) {
            return Vec::new();
        }
        let (stones, symmetry) = canonical(position);
        let back = |point: u16| GomokuMove(symmetry::unapply(self.board, symmetry, point));
        if let Some(&answer) = self.planned.get(&stones) {
            return vec![(back(answer), PLANNED)];
        }
        let Some(&number) = self.numbers.get(&stones) else { return Vec::new() };
        let (_, own) = canonical(&self.position(&self.positions[number].way));
        let [mut proven, mut searched] = [(); 2].map(|()| vec![None; self.positions.len()]);
        let is_lost = self.proven[number] == Some(-PLANNED);
        let mut moves: Vec<(GomokuMove, Value, Value)> = (self.positions[number].moves.iter().enumerate())
            .map(|(nth, m)| {
                let value = if is_lost { -PLANNED } else { self.worth(number, nth, Count::Proofs, &mut proven) };
                let by_search = self.worth(number, nth, Count::Searches, &mut searched);
                (back(symmetry::apply(self.board, own, m.point)), value, by_search)
            })
            .collect();
        moves.sort_by_key(|&(_, value, by_search)| std::cmp::Reverse((value, by_search)));
        moves.into_iter().map(|(m, value, _)| (m, value)).collect()
    }
}
