//! What a position keeps through the whole search of the Reversi solver: its board, and how a finished game counts.

use crate::core::game::Side;
use crate::games::reversi::board::ReversiBoard;
use crate::games::reversi::evaluation::Special;
use crate::games::reversi::position::{Empties, ReversiPosition};
use crate::games::reversi::symmetry::least;

/// Up to this many discs symmetric positions are one: games that begin at the start of a board come to them in
/// several ways ...
const SYMMETRIC: u32 = 14;
/// ... if there are at least so many empty cells: with fewer it would cost more than it saves.
const SYMMETRIC_EMPTY: u32 = 13;

/// What a position keeps through the whole search.
#[derive(Debug, Clone, Copy)]
pub(super) struct EndgameRules {
    /// The board's cells.
    pub cells: u64,
    /// How many there are.
    pub area: i32,
    /// Whether the winner gets the cells left empty.
    pub to_winner: bool,
    /// The board's corners.
    pub corners: u64,
    /// The board, whose symmetries count.
    pub board: ReversiBoard,
    /// From this many empty cells on symmetric positions are one.
    symmetric: u32,
}

impl EndgameRules {
    /// Those of a position.
    pub fn of(position: &ReversiPosition) -> EndgameRules {
        EndgameRules {
            cells: position.cells(),
            area: position.board().area().into(),
            to_winner: position.empties() == Empties::ToWinner,
            corners: Special::of(position.board()).corners,
            board: position.board(),
            symmetric: u32::from(position.board().area()).saturating_sub(SYMMETRIC).max(SYMMETRIC_EMPTY),
        }
    }

    /// A position on this board: for what is asked seldom.
    pub fn position(&self, own: u64, enemy: u64) -> Option<ReversiPosition> {
        let empties = if self.to_winner { Empties::ToWinner } else { Empties::Ignored };
        ReversiPosition::from_discs(self.board, own, enemy, Side::First).ok().map(|p| p.with_empties(empties))
    }

    /// The position that stands for one with so many empty cells in the search: an image of it, if there are few
    /// discs. With the symmetry that leads to it.
    #[inline(always)]
    pub fn image(&self, own: u64, enemy: u64, empty: u32) -> (u64, u64, u8) {
        if empty >= self.symmetric { least(self.board, own, enemy) } else { (own, enemy, 0) }
    }

    /// The score of a finished game.
    #[cold]
    pub fn score(&self, own: u64, enemy: u64) -> i32 {
        let (own, enemy) = (own.count_ones() as i32, enemy.count_ones() as i32);
        let left = if self.to_winner { self.area - own - enemy } else { 0 };
        own - enemy + (own - enemy).signum() * left
    }
}
