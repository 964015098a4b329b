//! Opening books: what long searches have found in the first positions of a game.
//!
//! A book has positions, up to symmetry, each with a few moves and their values by a search of so many nodes.
//! Where the position after a move is in the book, too, its value counts instead ([`OpeningBook::choice`]), so a move
//! is worth what follows it is worth. [`grow`] adds positions by drop-out expansion (T. R. Lincke, 2000), [`text`]
//! writes and reads books. The moves of a plan ([`super::plan`]), which are proven to win, can be added
//! ([`OpeningBook::add_plan`]).

pub mod grow;
pub mod text;

use super::plan::{WinningPlan, canonical};
use super::player::node::DECIDED;
use crate::core::game::{Game, Value};
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::gomoku::rules::GomokuRules;
use crate::games::gomoku::symmetry;
use std::collections::HashMap;
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
        }
    }

    /// The book that the program has: 15x15, exactly five in a row.
    pub fn usual() -> Arc<OpeningBook> {
        static USUAL: OnceLock<Arc<OpeningBook>> = OnceLock::new();
        let read = || {
            let book = text::parse(include_str!("usual.book"));
            let mut book = book.unwrap_or_else(|_| OpeningBook::new(GomokuBoard::USUAL, GomokuRules::default()));
            if let Ok(plan) = super::plan::text::parse(include_str!("../../../../results/proofs/gomoku-15x15.plan")) {
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
        for (nth, m) in moves.iter().enumerate() {
            let undo = position.play(GomokuMove(m.point));
            let (next, _) = canonical(&position);
            position.undo(GomokuMove(m.point), undo);
            after.push(self.numbers.get(&next).copied());
            if after[nth].is_none() {
                self.ends.entry(next).or_default().push((number, nth));
            }
        }
        self.numbers.insert(stones, number);
        self.after.push(after);
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
    }

    /// The values of all positions, for the side to move: of each its best move's.
    fn values(&self) -> Vec<Option<Value>> {
        let mut values = vec![None; self.positions.len()];
        for number in 0..self.positions.len() {
            self.fill_value(number, &mut values);
        }
        values
    }

    fn fill_value(&self, number: usize, values: &mut Vec<Option<Value>>) -> Value {
        if let Some(value) = values[number] {
            return value;
        }
        // A move adds a stone, so no position comes after itself.
        let moves = self.positions[number].moves.iter().zip(&self.after[number]);
        let of_moves = moves.map(|(m, after)| after.map_or(m.value, |after| -self.fill_value(after, values)));
        let best = of_moves.max().unwrap_or(0);
        values[number] = Some(best);
        best
    }

    /// What it says in a position: the best move by what follows, or one that a plan proves to win. Nothing if it
    /// does not have the position.
    pub fn choice(&self, position: &GomokuPosition) -> Option<BookChoice> {
        if !self.is_about(position) {
            return None;
        }
        let (stones, symmetry) = canonical(position);
        let back = |point: u16| GomokuMove(symmetry::unapply(self.board, symmetry, point));
        if let Some(&answer) = self.planned.get(&stones) {
            return Some(BookChoice { line: vec![back(answer)], value: PLANNED });
        }
        let &number = self.numbers.get(&stones)?;
        let value = self.fill_value(number, &mut vec![None; self.positions.len()]);
        let mut position = position.clone();
        let mut line = Vec::new();
        while let Some((m, _)) = self.moves(&position).first().copied() {
            line.push(m);
            position.play(m);
        }
        Some(BookChoice { line, value })
    }

    /// The moves that it knows in a position, with their values for the side to move by what follows, the best first.
    pub fn moves(&self, position: &GomokuPosition) -> Vec<(GomokuMove, Value)> {
        let (stones, symmetry) = canonical(position);
        let Some(&number) = self.numbers.get(&stones) else { return Vec::new() };
        let (_, own) = canonical(&self.position(&self.positions[number].way));
        let here =
            |point: u16| GomokuMove(symmetry::unapply(self.board, symmetry, symmetry::apply(self.board, own, point)));
        let mut values = vec![None; self.positions.len()];
        let moves = self.positions[number].moves.iter().zip(&self.after[number]);
        let mut moves: Vec<(GomokuMove, Value)> = moves
            .map(|(m, after)| (here(m.point), after.map_or(m.value, |after| -self.fill_value(after, &mut values))))
            .collect();
        moves.sort_by_key(|m| std::cmp::Reverse(m.1));
        moves
    }
}
