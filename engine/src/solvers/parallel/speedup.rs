//! How much faster several threads search the same positions than one.

use super::{ParallelCounts, Sharing, search_parallel};
use crate::core::game::Game;
use crate::core::seed::rng;
use crate::solvers::monitor::{Monitor, Stopped};
use crate::solvers::table::Table;
use rand::RngExt;

/// A move of a drawn position is one of so many, the first in the order of the search.
const DRAWN_FROM: usize = 4;
/// A position is drawn anew at most so often, where games end early.
const TRIES: u64 = 1000;

/// What one scheme and number of threads took for all positions.
#[derive(Debug, Clone, Copy)]
pub struct SpeedupRow {
    /// The scheme and the threads.
    pub sharing: Sharing,
    /// Seconds of the clock, summed over the positions; nodes of the clock, if the threads are simulated.
    pub seconds: f64,
    /// What was done, summed over the positions.
    pub counts: ParallelCounts,
}

/// Positions that games from `start` have after so many plies: each move is one of the first four in the order of the
/// search. Position `i` depends on `seed` and `i` alone. There are fewer than asked for where games end before.
pub fn draw_positions<G: Game>(start: &G, plies: usize, count: usize, seed: u64) -> Vec<G> {
    let draw = |n: usize| {
        (0..TRIES).find_map(|again| {
            let (mut random, mut position) = (rng(seed, &[n as u64, again]), start.clone());
            for ply in 0..=plies {
                let mut moves = Vec::new();
                position.moves(&mut moves);
                moves.sort_by_cached_key(|&m| std::cmp::Reverse(position.prior(m)));
                if moves.is_empty() {
                    return None;
                }
                if ply < plies {
                    position.play(moves[random.random_range(0..moves.len().min(DRAWN_FROM))]);
                }
            }
            Some(position)
        })
    };
    (0..count).filter_map(draw).collect()
}

/// Measures one way to share the search on all positions. Each search begins with an empty table.
///
/// # Errors
/// The search was stopped.
pub fn measure_speedup<G: Game + Send + Sync>(
    positions: &[G],
    depth: u32,
    sharing: Sharing,
    table: &Table,
    monitor: &Monitor,
) -> Result<SpeedupRow, Stopped> {
    let mut row = SpeedupRow { sharing, seconds: 0.0, counts: ParallelCounts::default() };
    for position in positions {
        table.clear();
        let began = (sharing.means.seconds)();
        row.counts += search_parallel(position, depth, sharing, table, monitor)?.counts;
        row.seconds += (sharing.means.seconds)() - began;
    }
    Ok(row)
}
