//! The order in which moves are tried: the remembered one first, then by the game's own order, among equal ones
//! killers, then by history.

use crate::core::game::Side;
use crate::games::go::board::GoBoard;
use crate::games::go::state::{GoMove, PASS, State};
use crate::games::go::symmetry;
use crate::solvers::history::History;
use crate::solvers::killers::Killers;

/// In place of a move's code: none.
pub const NO_MOVE: u8 = 127;

/// What moves have done elsewhere.
#[derive(Debug)]
pub struct Ordering {
    board: GoBoard,
    killers: Killers,
    history: History,
}

impl Ordering {
    /// Nothing has been done yet.
    pub fn new(board: GoBoard) -> Ordering {
        Ordering { board, killers: Killers::default(), history: History::new(u16::from(PASS) + 1) }
    }

    /// How early a move is to be tried, greater being earlier.
    #[inline]
    pub fn rank(&self, ply: usize, state: &State, m: GoMove, remembered: bool) -> i64 {
        if remembered {
            return i64::MAX;
        }
        let code = u16::from(m.0);
        (i64::from(state.prior(self.board, m)) << 40)
            + self.history.of(usize::from(state.side == Side::Second), code)
            + (self.killers.rank(ply, code) << 38)
    }

    /// A move was the last that had to be tried.
    #[inline]
    pub fn cut_off(&mut self, ply: usize, state: &State, m: GoMove) {
        let code = u16::from(m.0);
        self.killers.add(ply, code);
        self.history.add(usize::from(state.side == Side::Second), code, ply);
    }
}

/// The code of a move, carried by a symmetry.
#[inline]
pub fn code(board: GoBoard, m: GoMove, symmetry: u8) -> u8 {
    match m {
        GoMove(point @ 0..64) => {
            symmetry::apply(board, symmetry % symmetry::count(board), 1 << point).trailing_zeros() as u8
        }
        GoMove(pass) => pass,
    }
}

/// The move that a code stands for.
#[inline]
pub fn decode(board: GoBoard, code: u8, symmetry: u8) -> Option<GoMove> {
    match code {
        NO_MOVE => None,
        PASS => Some(GoMove::PASS),
        point => {
            let set = symmetry::unapply(board, symmetry % symmetry::count(board), 1 << point);
            Some(GoMove(set.trailing_zeros() as u8))
        }
    }
}
