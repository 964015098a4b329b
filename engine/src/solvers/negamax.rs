//! Alpha-beta in negamax form: one function for both sides, each value being that of the side to move.

use super::monitor::Stopped;
use super::search::{LOWEST, NodeSearch, Opened};
use crate::core::game::{Game, Value};

/// The value for the side to move, `depth` plies deep, within a window.
///
/// # Errors
/// The search is to stop.
pub fn negamax<G: Game>(search: &mut NodeSearch<G>, depth: u32, alpha: Value, beta: Value) -> Result<Value, Stopped> {
    let node = match search.open(depth, alpha, beta)? {
        Opened::Value(value) => return Ok(value),
        Opened::Moves(node) => node,
    };
    let mut alpha = node.alpha;
    let (mut value, mut best) = (LOWEST, None);
    for i in node.first..node.last {
        let m = search.move_at(i);
        let undo = search.play(m);
        let of_child = -negamax(search, depth - 1, -node.beta, -alpha)?;
        search.undo(m, undo);
        if of_child > value {
            (value, best) = (of_child, Some(m));
            alpha = alpha.max(value);
            if value >= node.beta {
                search.cut_off(&node, i);
                break;
            }
        }
    }
    search.close(&node, depth, value, best);
    Ok(value)
}
