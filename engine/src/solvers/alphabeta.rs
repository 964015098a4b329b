//! Alpha-beta (D. Knuth and R. Moore 1975), written for the two sides apart.
//!
//! The first player is sure of alpha elsewhere, the second of beta: a position outside of these is never reached, and
//! its other moves need no search. Fail-soft (J. Fishburn 1983): the value returned is the best found, even outside.

use super::monitor::Stopped;
use super::search::{LOWEST, NodeSearch, Opened};
use crate::core::game::{Game, Side, Value};

/// The value for the side to move, `depth` plies deep, within a window for the side to move.
///
/// # Errors
/// The search is to stop.
pub fn alphabeta<G: Game>(
    search: &mut NodeSearch<G>,
    depth: u32,
    alpha: Value,
    beta: Value,
) -> Result<Value, Stopped> {
    match search.position.side() {
        Side::First => maximise(search, depth, alpha, beta),
        Side::Second => Ok(-minimise(search, depth, -beta, -alpha)?),
    }
}

/// The value for the first player, who is to move.
fn maximise<G: Game>(search: &mut NodeSearch<G>, depth: u32, alpha: Value, beta: Value) -> Result<Value, Stopped> {
    let node = match search.open(depth, alpha, beta)? {
        Opened::Value(value) => return Ok(value),
        Opened::Moves(node) => node,
    };
    let (mut alpha, beta) = (node.alpha, node.beta);
    let (mut value, mut best) = (LOWEST, None);
    for i in node.first..node.last {
        let m = search.move_at(i);
        let undo = search.play(m);
        let of_child = minimise(search, depth - 1, alpha, beta)?;
        search.undo(m, undo);
        if of_child > value {
            (value, best) = (of_child, Some(m));
            alpha = alpha.max(value);
            if value >= beta {
                search.cut_off(&node, i);
                break;
            }
        }
    }
    search.close(&node, depth, value, best);
    Ok(value)
}

/// The value for the first player when the second is to move. Nodes count for the side to move, hence the signs.
fn minimise<G: Game>(search: &mut NodeSearch<G>, depth: u32, alpha: Value, beta: Value) -> Result<Value, Stopped> {
    let node = match search.open(depth, -beta, -alpha)? {
        Opened::Value(value) => return Ok(-value),
        Opened::Moves(node) => node,
    };
    let (alpha, mut beta) = (-node.beta, -node.alpha);
    let (mut value, mut best) = (-LOWEST, None);
    for i in node.first..node.last {
        let m = search.move_at(i);
        let undo = search.play(m);
        let of_child = maximise(search, depth - 1, alpha, beta)?;
        search.undo(m, undo);
        if of_child < value {
            (value, best) = (of_child, Some(m));
            beta = beta.min(value);
            if value <= alpha {
                search.cut_off(&node, i);
                break;
            }
        }
    }
    search.close(&node, depth, -value, best);
    Ok(value)
}
