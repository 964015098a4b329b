//! Ways in files: the moves that lead to a position, written as how many it has in common with the line before, and
//! the others.

use crate::core::game::Game;
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::notation::{GomokuReadError, parse_moves};
use crate::games::gomoku::position::{GomokuMove, GomokuMoveError, GomokuPosition};

/// In place of moves: none.
pub const NONE: &str = "-";

/// What is wrong with a way.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WayFault {
    /// A point cannot be read.
    #[error(transparent)]
    Moves(#[from] GomokuReadError),
    /// More moves in common than the line before has.
    #[error("it has {0} moves in common with the line before, which has {1}")]
    Common(usize, usize),
    /// A move that cannot be made.
    #[error("{0} is illegal: {1}")]
    Illegal(String, GomokuMoveError),
}

/// How many moves a way has in common with the one before, and the names of the others.
pub fn to_text(board: GomokuBoard, before: &[u16], way: &[u16]) -> String {
    let common = before.iter().zip(way).take_while(|(one, other)| one == other).count();
    let rest: String = way[common..].iter().map(|&point| board.name(point)).collect();
    format!("{common} {}", if rest.is_empty() { NONE } else { &rest })
}

/// Reads a way from its two words: the number, and the names of the other moves.
///
/// # Errors
/// The line before is not so long, or a name is none.
pub fn parse(board: GomokuBoard, before: &[u16], common: usize, rest: &str) -> Result<Vec<u16>, WayFault> {
    let mut way = before.get(..common).ok_or(WayFault::Common(common, before.len()))?.to_vec();
    if rest != NONE {
        way.extend(parse_moves(board, rest)?);
    }
    Ok(way)
}

/// The position that a way leads to.
///
/// # Errors
/// A move cannot be made.
pub fn follow(start: &GomokuPosition, way: &[u16]) -> Result<GomokuPosition, WayFault> {
    let mut position = start.clone();
    for &point in way {
        check(&position, point)?;
        position.play(GomokuMove(point));
    }
    Ok(position)
}

/// Whether a move can be made.
///
/// # Errors
/// It cannot.
pub fn check(position: &GomokuPosition, point: u16) -> Result<(), WayFault> {
    let illegal = |error| WayFault::Illegal(position.board().name(point), error);
    position.check_move(GomokuMove(point)).map_err(illegal)
}
