//! Proofs: what is closed and open, what that took, and what is left.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A proof that a region has no grid of so many moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProofView {
    /// How the region is called.
    pub region: String,
    /// Points of the region beyond the cross.
    pub points: u32,
    /// The number of moves that no grid in the region is to have.
    pub moves: u32,
    /// `open`, `proved`, or `grid` if a grid of so many moves was found.
    pub end: String,
    /// The closed part by volume, 0 to 1: a case that is split counts as two halves, which differ much in size.
    pub closed: f64,
    /// Units that are open: running or waiting.
    pub units_open: u64,
    /// Units that are done.
    pub units_done: u64,
    /// Cases that were looked at.
    pub nodes: u64,
    /// Linear programs that were solved.
    pub programs: u64,
    /// Complete sets of points, each refuted.
    pub shapes: u64,
    /// Conflicts of the filler that refuted them.
    pub conflicts: u64,
    /// Linear programs without a usable answer; their cases were split further.
    pub without_answer: u64,
    /// Seconds of processor time of the units that are done.
    pub cpu_seconds: f64,
    /// What is left, estimated by random descents (Knuth 1975); it scatters widely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub left: Option<ProofLeftView>,
    /// Grids of so many moves that were met: 0, or 1, which ends the proof.
    pub grids: u32,
}

/// An estimate of what is left of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProofLeftView {
    /// Random descents that it comes from.
    pub dives: u32,
    /// Cases below the open units.
    pub nodes: f64,
    /// Complete sets of points below them.
    pub shapes: f64,
    /// Seconds of processor time, from what cases have taken so far.
    pub cpu_seconds: f64,
}

/// A proof at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProofPoint {
    /// Seconds that the job had run.
    pub seconds: f64,
    /// The closed part by volume, 0 to 1.
    pub closed: f64,
    /// Units that were open.
    pub units_open: u64,
    /// Cases until then.
    pub nodes: u64,
    /// Complete sets of points until then.
    pub shapes: u64,
}

/// The course of a proof, as of its last checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProofStatisticsView {
    /// Points of the course, ascending by time; at most 2000.
    pub course: Vec<ProofPoint>,
}
