//! Units as they travel to other machines: what a coordinator packs is opened here. Nothing in it is trusted: a unit
//! is opened only if it is one that could have been handed out.

use super::numbered::portable::{PLAYERS, PlayParcel, PlayRegistry};
use super::proving::portable::{LINEAR_PROGRAMS, ProgramRegistry, ProveParcel};
use super::proving::unit::solver;
use super::tree::unit::portable::{SolveParcel, SolverRegistry, UnitKnowledge};
use super::worker::portable::HuntParcel;
use crate::core::encoding::{decode, encode};
use crate::queue::any::AnyUnit;
use crate::queue::nats::worker::NotOpened;
use serde::{Deserialize, Serialize};

/// A packed unit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Parcel {
    /// A unit of a hunt.
    Hunt(HuntParcel),
    /// A unit of a solution.
    Solve(SolveParcel),
    /// A unit of a proof.
    Prove(ProveParcel),
    /// A unit of a solution with what is known.
    SolveKnowing(SolveParcel, UnitKnowledge),
    /// A unit of a numbered job.
    Play(PlayParcel),
}

impl Parcel {
    /// The parcel as bytes, as [`ParcelOpener::open`] reads them.
    pub fn to_bytes(&self) -> Vec<u8> {
        encode(self)
    }
}

/// What a packed unit is recognised by when it is packed again: all of it but how far it has come, and what its hunt
/// has found meanwhile.
pub fn identity(packed: &[u8]) -> Option<Vec<u8>> {
    Some(match decode::<Parcel>(packed)? {
        Parcel::Hunt(parcel) => Parcel::Hunt(parcel.without_progress()).to_bytes(),
        Parcel::Solve(_) | Parcel::Prove(_) | Parcel::Play(_) => packed.to_vec(),
        Parcel::SolveKnowing(parcel, _) => Parcel::Solve(parcel).to_bytes(),
    })
}

/// Opens parcels, and keeps what the units of one job can share on this machine.
#[derive(Debug)]
pub struct ParcelOpener {
    solvers: SolverRegistry,
    programs: ProgramRegistry,
    players: PlayRegistry,
}

impl ParcelOpener {
    /// For so many workers, whose solvers have tables, and whose players have memory, of at most `memory` bytes each.
    pub fn new(memory: u64, workers: u32) -> ParcelOpener {
        ParcelOpener {
            solvers: SolverRegistry::new(memory, workers),
            programs: ProgramRegistry::default(),
            players: PlayRegistry::new(memory),
        }
    }

    /// The unit of a parcel, for this worker.
    ///
    /// # Errors
    /// What is wrong with it, or why it cannot be computed here.
    pub fn open(&self, bytes: &[u8], worker: u32) -> Result<AnyUnit, NotOpened> {
        match decode::<Parcel>(bytes).ok_or_else(|| "the unit cannot be read".to_owned())? {
            Parcel::Hunt(parcel) => Ok(AnyUnit::new(parcel.open()?)),
            Parcel::Solve(parcel) => Ok(self.solvers.open(parcel, UnitKnowledge::default(), worker)?),
            Parcel::SolveKnowing(parcel, known) => Ok(self.solvers.open(parcel, known, worker)?),
            Parcel::Prove(parcel) => Ok(AnyUnit::new(self.programs.open(parcel, solver())?)),
            Parcel::Play(parcel) => Ok(self.players.open(&parcel)?),
        }
    }

    /// What this program can do that not every program can.
    pub fn abilities() -> Vec<String> {
        ParcelOpener::abilities_of_volunteers().into_iter().chain([PLAYERS.to_owned()]).collect()
    }

    /// The same for a program of volunteers. Units of players are not for them: most take seconds.
    pub fn abilities_of_volunteers() -> Vec<String> {
        solver().map(|_| LINEAR_PROGRAMS.to_owned()).into_iter().collect()
    }
}
