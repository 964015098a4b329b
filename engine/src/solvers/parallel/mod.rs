//! Schemes by which several threads search one game tree to a fixed depth: who splits which node, and when.
//!
//! All but the last are NegaScout without a table. At a *split* several threads search moves of the same node:
//!
//! - [`Scheme::PvSplit`] (T. A. Marsland and M. Campbell 1982): the nodes on the leftmost path are splits, one at a
//!   time from the deepest up, as soon as their first move is searched. Who has no move left waits for the others.
//! - [`Scheme::YoungBrothers`] (R. Feldmann 1993): any node whose first move is searched becomes a split when a
//!   thread is free. Its owner comes back to it, and while it waits it helps those that help it.
//! - [`Scheme::DynamicSplitting`] (R. M. Hyatt 1988): the same, but nodes that are expected to end with a cut-off are
//!   split only after several moves, and a split has no owner: who is the last one there goes on with the node above.
//! - [`Scheme::Abdada`]: all threads search the whole tree over one transposition table and leave for later what
//!   others are at ([`super::busy`]).
//!
//! The value is the same whatever the scheme and the threads. Of several best moves another one may be found.

pub mod speedup;
mod split;
mod worker;

use self::split::Splits;
use self::worker::TreeThread;
use super::busy::Busy;
use super::monitor::{Monitor, Stopped};
use super::negascout::negascout;
use super::search::{LOWEST, NodeSearch, Parts};
use super::table::Table;
use super::together::{HelperTask, ThreadMeans};
use crate::core::game::{Game, Value};
use crate::core::setting::NamedValue;
use std::sync::{Mutex, PoisonError};

/// How threads share a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Principal variation splitting.
    PvSplit,
    /// Young brothers wait.
    YoungBrothers,
    /// Dynamic tree splitting.
    DynamicSplitting,
    /// Simplified ABDADA, over a transposition table.
    Abdada,
}

impl Scheme {
    /// All of them.
    pub const ALL: [Scheme; 4] = [Scheme::PvSplit, Scheme::YoungBrothers, Scheme::DynamicSplitting, Scheme::Abdada];
    /// Their names, in the same order.
    pub const NAMES: [NamedValue; 4] = [
        NamedValue { value: "pvsplit", label: "Principal variation splitting: nodes of the leftmost path" },
        NamedValue { value: "ybw", label: "Young brothers wait: nodes whose first move is searched" },
        NamedValue { value: "dts", label: "Dynamic tree splitting: splits without owners" },
        NamedValue { value: "abdada", label: "Simplified ABDADA: over a transposition table" },
    ];

    /// Its name in [`Scheme::NAMES`].
    pub fn name(self) -> &'static str {
        Scheme::ALL.iter().zip(Scheme::NAMES).find(|(scheme, _)| **scheme == self).map_or("", |(_, name)| name.value)
    }

    /// The scheme of a name.
    pub fn named(name: &str) -> Option<Scheme> {
        Scheme::ALL.into_iter().find(|scheme| scheme.name() == name)
    }

    /// Whether a split belongs to a thread that comes back to it.
    fn has_owners(self) -> bool {
        self != Scheme::DynamicSplitting
    }
}

/// What threads did together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ParallelCounts {
    /// Positions that were visited.
    pub nodes: u64,
    /// Nodes that became splits.
    pub splits: u64,
    /// How often a thread came to the split of another one.
    pub joined: u64,
    /// Seconds of the clock in which threads had nothing to do, summed over the threads; nodes, if these are
    /// simulated.
    pub waited: f64,
}

impl std::ops::AddAssign for ParallelCounts {
    fn add_assign(&mut self, other: ParallelCounts) {
        self.nodes += other.nodes;
        self.splits += other.splits;
        self.joined += other.joined;
        self.waited += other.waited;
    }
}

/// What a parallel search found.
#[derive(Debug, Clone, PartialEq)]
pub struct ParallelResult<M> {
    /// The value for the side to move.
    pub value: Value,
    /// A move of that value; none if the game is over, if the depth is 0, or if the scheme does not tell.
    pub best: Option<M>,
    /// What the threads did for it.
    pub counts: ParallelCounts,
}

/// How a search is shared: by which scheme, among how many threads, of which there is at least one, and how these are
/// started.
#[derive(Debug, Clone, Copy)]
pub struct Sharing {
    /// Who splits which node.
    pub scheme: Scheme,
    /// Threads that search.
    pub threads: usize,
    /// How they are started, wait and tell the time.
    pub means: ThreadMeans,
}

/// Searches a position to a depth. `table` is used by [`Scheme::Abdada`] alone.
///
/// # Errors
/// The search was stopped.
pub fn search_parallel<G: Game + Send + Sync>(
    position: &G,
    depth: u32,
    sharing: Sharing,
    table: &Table,
    monitor: &Monitor,
) -> Result<ParallelResult<G::Move>, Stopped> {
    let Sharing { scheme, threads, means } = sharing;
    if scheme == Scheme::Abdada {
        return search_over_table(position, depth, sharing, table, monitor);
    }
    let splits = Splits::new(scheme, means, monitor);
    let tasks = (1..threads).map(|number| -> HelperTask<'_> {
        let (splits, position) = (&splits, position.clone());
        Box::new(move || TreeThread::new(splits, position, number).help())
    });
    (means.together)(tasks.collect(), &mut || TreeThread::new(&splits, position.clone(), 0).search(depth));
    let (result, counts) = splits.result();
    let (value, best) = result?;
    Ok(ParallelResult { value, best, counts })
}

/// The same by threads that search the whole tree over one table.
fn search_over_table<G: Game + Send + Sync>(
    position: &G,
    depth: u32,
    sharing: Sharing,
    table: &Table,
    monitor: &Monitor,
) -> Result<ParallelResult<G::Move>, Stopped> {
    let busy = (sharing.threads > 1).then(Busy::default);
    let parts = Parts { table: true, prior: true, ..Parts::NONE };
    let results = Mutex::new(Vec::new());
    let search = |position: G| {
        let mut search = NodeSearch::new(position, parts, table, busy.as_ref(), monitor);
        let value = negascout(&mut search, depth, LOWEST, -LOWEST);
        if value.is_ok() {
            monitor.set_answered(true);
        }
        // It may be stopped by now, which does not matter for a value that is found.
        let _ = search.report();
        results.lock().unwrap_or_else(PoisonError::into_inner).push((value, search.stats.nodes));
    };
    monitor.set_answered(false);
    let tasks = (1..sharing.threads).map(|_| -> HelperTask<'_> {
        let (search, position) = (&search, position.clone());
        Box::new(move || search(position))
    });
    (sharing.means.together)(tasks.collect(), &mut || search(position.clone()));
    monitor.set_answered(false);
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    let counts = ParallelCounts { nodes: results.iter().map(|(_, nodes)| nodes).sum(), ..ParallelCounts::default() };
    let mut why = Stopped::Asked;
    for (value, _) in results {
        match value {
            Ok(value) => return Ok(ParallelResult { value, best: None, counts }),
            Err(stopped) => why = stopped,
        }
    }
    Err(why)
}
