//! A grid worth keeping, and where and when it was found.

use crate::morpion::geometry::Move;
use serde::{Deserialize, Serialize};

/// A find. States and journals of hunts hold it as postcard encodes it, so its fields and their order stay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Find {
    /// All moves from the start.
    pub moves: Vec<Move>,
    /// Unit that found it.
    pub unit: u64,
    /// Seed of that unit.
    pub unit_seed: u64,
    /// Worker that found it, from 1.
    pub worker: u32,
    /// Iterations of the unit until then.
    pub iterations: u64,
    /// Seconds that the hunt had run until then, over all its sessions.
    pub seconds: f64,
    /// When: seconds since 1970 (UTC).
    pub time: f64,
}

impl Find {
    /// Number of moves.
    pub fn score(&self) -> u32 {
        self.moves.len() as u32
    }
}
