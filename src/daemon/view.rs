//! The values of the API: what a client sends and what it gets.
//!
//! Every value is a JSON object. A field is never renamed or removed within a version of the API; fields may be
//! added, and a field with a better name is added to the old one. A time is in seconds since 1970 (UTC), a duration
//! in seconds.

mod analyse;
mod backup;
mod check;
mod credit;
mod document;
mod editor;
mod event;
mod grid;
mod job;
mod limits;
mod matches;
mod mine;
mod plan;
mod position;
mod proof;
mod score;
mod selfplay;
mod solution;
mod tactics;
mod tune;

pub use analyse::*;
pub use backup::*;
pub use check::*;
pub use credit::*;
pub use document::*;
pub use editor::*;
pub use event::*;
pub use grid::*;
pub use job::*;
pub use limits::*;
pub use matches::*;
pub use mine::*;
pub use plan::*;
pub use position::*;
pub use proof::*;
pub use score::*;
pub use selfplay::*;
pub use solution::*;
pub use tactics::*;
pub use tune::*;

use crate::morpion::variant::Variant;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// The best grid of a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BestView {
    /// Variant of the puzzle.
    pub variant: Variant,
    /// Number of moves.
    pub score: u32,
    /// Key of the grid, as in `/api/v1/grids/{key}`.
    pub grid: String,
    /// Name of the known record that the grid equals, if it equals one.
    pub record: Option<String>,
}

/// Sums over all jobs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TotalsView {
    /// Version of this document.
    pub v: u32,
    /// Number of jobs in each state.
    pub jobs: BTreeMap<String, u64>,
    /// Iterations of all jobs. What an iteration is depends on the strategy or the algorithm of a job.
    pub iterations: u64,
    /// Iterations per second at present.
    pub rate: f64,
    /// Running times of all jobs, added up.
    pub seconds: f64,
    /// Units that are finished.
    pub units_done: u64,
    /// Finished units that the stall table ended.
    pub units_stalled: u64,
    /// Units that are quarantined because they failed three times.
    #[serde(default)]
    pub units_quarantined: u64,
    /// The older name of `units_quarantined`.
    pub units_poisoned: u64,
    /// Workers that compute units at present.
    #[serde(default)]
    pub workers: u32,
    /// The older name of `workers`.
    pub threads: u32,
    /// Grids in the archive.
    pub grids: u64,
    /// The best grid of each variant that has one.
    pub best: Vec<BestView>,
    /// Sums over the solver jobs of each user.
    #[serde(default)]
    pub solver: Vec<SolverTotalsView>,
}

/// The state of the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HealthView {
    /// Version of this document.
    pub v: u32,
    /// `ok`, `shutting down`, or what is wrong, for example that the disk is full.
    pub status: String,
    /// Version of the program.
    pub version: String,
    /// Seconds since the daemon was started.
    pub uptime: f64,
    /// Number of workers.
    pub workers: u32,
    /// Number of workers that compute a unit.
    pub busy: u32,
    /// Number of jobs in each state.
    pub jobs: BTreeMap<String, u64>,
    /// Grids in the archive.
    pub grids: u64,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Listing<T> {
    /// Version of this document.
    pub v: u32,
    /// The items of this page, in the order of the list.
    pub items: Vec<T>,
    /// The parameter `cursor` of the next page; null on the last page.
    pub next: Option<String>,
}
