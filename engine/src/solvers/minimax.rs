//! Minimax (J. von Neumann 1928), without any pruning: every position down to the depth limit is visited.
//!
//! Written for the two sides apart, one that wants much and one that wants little, as the definition has it.

use super::monitor::Stopped;
use super::search::{LOWEST, NodeSearch, Opened};
use crate::core::game::{Game, Side, Value};

/// The value for the side to move, `depth` plies deep.
///
/// # Errors
/// The search is to stop.
pub fn minimax<G: Game>(search: &mut NodeSearch<G>, depth: u32) -> Result<Value, Stopped> {
    let value = of_first(search, depth)?;
    Ok(match search.position.side() {
        Side::First => value,
        Side::Second => -value,
    })
}

/// The value for the first player.
fn of_first<G: Game>(search: &mut NodeSearch<G>, depth: u32) -> Result<Value, Stopped> {
    let first_moves = search.position.side() == Side::First;
    let sign = if first_moves { 1 } else { -1 };
    let node = match search.open(depth, LOWEST, -LOWEST)? {
        Opened::Value(value) => return Ok(sign * value),
        Opened::Moves(node) => node,
    };
    let (mut value, mut best) = (-sign * -LOWEST, None);
    for i in node.first..node.last {
        let m = search.move_at(i);
        let undo = search.play(m);
        let of_child = of_first(search, depth - 1)?;
        search.undo(m, undo);
        let better = if first_moves { of_child > value } else { of_child < value };
        if better {
            (value, best) = (of_child, Some(m));
        }
    }
    search.close(&node, depth, sign * value, best);
    Ok(value)
}
