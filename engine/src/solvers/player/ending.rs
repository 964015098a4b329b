//! The end of a game by the game's own engine, in slices: the engine asks its monitor for nodes only, so that between
//! slices the clock is looked at. What a slice has found is in the table, and the next one is soon as far.

use super::budget::BudgetWatch;
use crate::core::game::Value;
use crate::solvers::monitor::{Monitor, Watch};
use crate::solvers::solvable::Solvable;
use crate::solvers::solve::{Bounds, Engine, EngineError, Goal, find_bounds, line};
use crate::solvers::table::Table;

/// Nodes of the first slice.
const FIRST_SLICE: u64 = 1 << 16;
/// Slices grow while one takes less than this part of the budget.
const SLICE_PART: f64 = 0.02;
/// A slice has at least so many looks at its number of nodes.
const LOOKS: u64 = 16;

/// How far the end of the game is, for a player that may try to search to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameEnding {
    /// Plies that the game has left, about.
    pub plies: u32,
    /// Nodes that the game's own engine needs to solve it, about.
    pub nodes: u64,
}

/// The exact value and a line of best play, of at most `longest` moves; nothing if the part `until` of the budget is
/// used up before.
pub fn finish<G: Solvable>(
    position: &G,
    table: &Table,
    (watch, until): (&BudgetWatch<'_>, f64),
    guess: Value,
    longest: usize,
) -> Option<(Value, Vec<G::Move>)> {
    let mut slice = FIRST_SLICE;
    loop {
        let (nodes, before) = (slice.min(watch.left()), watch.part());
        let monitor = Monitor::with_budget(nodes).with_interval((nodes / LOOKS).max(1));
        let mut engine = G::own(table, None, &monitor);
        let found = solved(&mut engine, position, guess, longest);
        let told = watch.report(monitor.nodes());
        match found {
            Ok(found) => return Some(found),
            Err(EngineError::Stopped(_)) if told.is_ok() && watch.part() < until => {}
            Err(_) => return None,
        }
        if watch.part() - before < SLICE_PART {
            slice *= 2;
        }
    }
}

fn solved<G: Solvable>(
    engine: &mut dyn Engine<G>,
    position: &G,
    guess: Value,
    longest: usize,
) -> Result<(Value, Vec<G::Move>), EngineError> {
    let Bounds { lower, upper } = find_bounds(engine, position, Goal::Exact, guess, &mut |_| {})?;
    Ok((lower, line(engine, position, Some(lower), Some(-upper), longest)?))
}
