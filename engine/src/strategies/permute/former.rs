//! The form of state that the program saved before the pool had a window.

use crate::core::histogram::Histogram;
use crate::core::search::RestoreError;
use crate::morpion::geometry::Move;
use crate::strategies::codec::decode_with_results;
use crate::strategies::warm_start::SavedStart;
use serde::{Deserialize, Serialize};

/// A state of that form. A search continues with its grids and counts. What it has of the old pool is not used.
#[derive(Serialize, Deserialize)]
pub(super) struct FormerPermute {
    pub start: Option<SavedStart>,
    pub members: Vec<Vec<Move>>,
    pub seen: Vec<(u32, u64)>,
    pub tries: [u32; 6],
    pub wins: [u32; 6],
    pub slices: u64,
    pub playouts: u64,
    pub found_at: u64,
    pub best: u32,
}

/// Reads such a state, with the counts of results.
pub(super) fn read(saved: &[u8]) -> Result<(FormerPermute, Vec<Histogram>), RestoreError> {
    decode_with_results("permute", saved, 1)
}
