//! A hunt as a job: what is searched for and how.

use crate::morpion::geometry::Move;
use crate::morpion::variant::Variant;
use crate::strategies::params::Params;
use serde::{Deserialize, Serialize};

/// Smallest number of moves that the main walk makes.
pub const MIN_MAIN_DEPTH: u32 = 2;

/// What a hunt searches for and how: all that its result depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Variant of the puzzle that is searched.
    pub variant: Variant,
    /// The strategy and its parameters.
    pub params: Params,
    /// Moves played before the hunt begins.
    pub start: Vec<Move>,
    /// DFS: moves that the main walk makes beyond the start, at least [`MIN_MAIN_DEPTH`].
    pub main_depth: u32,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Iterations after which each unit is ended.
    pub max_iterations: Option<u64>,
    /// Monte Carlo strategies: number of runs, without end if not given.
    pub runs: Option<u64>,
    /// The hunt ends when a grid of this many moves is found.
    pub target: Option<u32>,
    /// Every grid of at least so many moves is kept in the hunt's archive, if any are. What the searches do does not
    /// depend on it.
    #[serde(default)]
    pub keep_from: Option<u32>,
}
