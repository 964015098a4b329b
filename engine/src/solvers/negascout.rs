//! NegaScout (A. Reinefeld 1983), also called principal variation search.
//!
//! The first move is taken to be the best. The others are only asked, with a window that has no room for a value (a
//! null window), whether they are better; the few that are get searched again to learn by how much.
//!
//! With several threads a move that another thread is at is left for a second round (see [`super::busy`]).

use super::monitor::Stopped;
use super::search::{LOWEST, NodeSearch, Opened, SearchNode};
use crate::core::game::{Game, Value};

/// The value for the side to move, `depth` plies deep, within a window.
///
/// # Errors
/// The search is to stop.
pub fn negascout<G: Game>(
    search: &mut NodeSearch<G>,
    depth: u32,
    alpha: Value,
    beta: Value,
) -> Result<Value, Stopped> {
    let node = match search.open(depth, alpha, beta)? {
        Opened::Value(value) => return Ok(value),
        Opened::Moves(node) => node,
    };
    let mut alpha = node.alpha;
    let (mut value, mut best) = (LOWEST, None);
    // Places below 64 that were left for the second round.
    let mut left = 0u64;
    'rounds: for round in 0..2 {
        for i in node.first..node.last {
            let place = (i - node.first).min(63);
            let bit = if place < 63 { 1u64 << place } else { 0 };
            if round == 0 && i > node.first && bit != 0 && search.is_busy(&node, depth, i) {
                left |= bit;
                continue;
            }
            if round == 1 && left & bit == 0 {
                continue;
            }
            let of_child = scout(search, &node, depth, alpha, i)?;
            if of_child > value {
                (value, best) = (of_child, Some(search.move_at(i)));
                alpha = alpha.max(value);
                if value >= node.beta {
                    search.cut_off(&node, i);
                    break 'rounds;
                }
            }
        }
        if left == 0 {
            break;
        }
    }
    search.close(&node, depth, value, best);
    Ok(value)
}

/// The value of the move at place `i`: above alpha it is exact or at least beta.
#[inline]
fn scout<G: Game>(
    search: &mut NodeSearch<G>,
    node: &SearchNode,
    depth: u32,
    alpha: Value,
    i: usize,
) -> Result<Value, Stopped> {
    let (m, beta) = (search.move_at(i), node.beta);
    let later = i > node.first;
    if later {
        search.set_busy(node, depth, i, true);
    }
    let undo = search.play(m);
    let upper = if later { alpha + 1 } else { beta };
    let mut value = -negascout(search, depth - 1, -upper, -alpha)?;
    if value > alpha && upper < beta && value < beta {
        value = -negascout(search, depth - 1, -beta, -value.max(alpha + 1) + 1)?;
    }
    search.undo(m, undo);
    if later {
        search.set_busy(node, depth, i, false);
    }
    Ok(value)
}
