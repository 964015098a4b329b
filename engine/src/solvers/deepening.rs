//! Iterative deepening: the search is repeated with a growing depth limit, and what a shallow one left in the
//! transposition table, the killers and the history orders the moves of the next. It ends when nothing was estimated:
//! then the value is proven, however deep the limit was.

use super::monitor::Stopped;
use super::search::{NodeSearch, UNLIMITED};
use crate::core::game::{Game, Value};

/// Growth of the depth limit, in plies. Even, so that the side to move at the limit stays the same.
const STEP: u32 = 2;
/// From twice this depth on the steps grow with it: only games that turn in circles are so long.
const LONG: u32 = 32;

/// Runs `value` (which gets the depth limit and the value before, if any) with growing limits until its value is
/// proven or the limit reaches `last`.
///
/// # Errors
/// The search is to stop.
pub fn deepen<G: Game>(
    search: &mut NodeSearch<G>,
    last: u32,
    mut value: impl FnMut(&mut NodeSearch<G>, u32, Option<Value>) -> Result<Value, Stopped>,
) -> Result<Value, Stopped> {
    let mut before = None;
    let mut depth = if search.parts().deepening { STEP } else { UNLIMITED };
    loop {
        depth = depth.min(last);
        search.estimated = false;
        let now = value(search, depth, before)?;
        if !search.estimated || depth >= last {
            return Ok(now);
        }
        before = Some(now);
        depth += STEP.max(depth / LONG * STEP);
    }
}
