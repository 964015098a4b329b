//! What a position looks like from afar: the value of a search a few plies deep, to order moves and to guess which of
//! them will cut off. Nothing that is proven rests on it.

use crate::core::game::{Game, Value};
use crate::solvers::algorithm::Algorithm;
use crate::solvers::monitor::Monitor;
use crate::solvers::search::{LOWEST, NodeSearch, Parts};
use crate::solvers::table::{LEAST_BYTES, Table};

/// The parts that pay in a search that shallow: no memory, no iterations.
const PARTS: Parts = Parts { table: false, transposition_cutoff: false, deepening: false, ..Parts::ALL };

/// The value of an unfinished game for the side to move, as `plies` plies tell.
pub fn estimate<G: Game>(position: &G, plies: u32) -> Value {
    if plies == 0 {
        return position.heuristic();
    }
    let Ok(table) = Table::new(LEAST_BYTES) else { return position.heuristic() };
    let monitor = Monitor::default();
    let mut search = NodeSearch::new(position.clone(), PARTS, &table, None, &monitor);
    Algorithm::NegaScout.search(&mut search, plies, LOWEST, -LOWEST).unwrap_or_else(|_| position.heuristic())
}
