//! Units as they travel to other machines: what a coordinator packs is opened here. Nothing in it is trusted: a unit
//! is opened only if it is one that could have been handed out.

use super::tree::unit::portable::{SolveParcel, SolverRegistry};
use super::worker::portable::HuntParcel;
use crate::core::encoding::{decode, encode};
use crate::queue::any::AnyUnit;
use serde::{Deserialize, Serialize};

/// A packed unit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Parcel {
    /// A unit of a hunt.
    Hunt(HuntParcel),
    /// A unit of a solution.
    Solve(SolveParcel),
}

impl Parcel {
    /// The parcel as bytes, as [`ParcelOpener::open`] reads them.
    pub fn to_bytes(&self) -> Vec<u8> {
        encode(self)
    }
}

/// Opens parcels, and keeps what the units of one job can share on this machine.
#[derive(Debug, Default)]
pub struct ParcelOpener {
    solvers: SolverRegistry,
}

impl ParcelOpener {
    /// For units whose solvers have tables of at most `memory` bytes each.
    pub fn new(memory: u64) -> ParcelOpener {
        ParcelOpener { solvers: SolverRegistry::new(memory) }
    }

    /// The unit of a parcel, for this worker.
    ///
    /// # Errors
    /// What is wrong with it, or why it cannot be computed here.
    pub fn open(&self, bytes: &[u8], worker: u32) -> Result<AnyUnit, String> {
        match decode::<Parcel>(bytes).ok_or("the unit cannot be read")? {
            Parcel::Hunt(parcel) => parcel.open().map(AnyUnit::new),
            Parcel::Solve(parcel) => self.solvers.open(parcel, worker),
        }
    }
}
