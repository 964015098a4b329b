//! A unit as a coordinator hands it out: its number, what to search, and how its search is started or restored.

use crate::core::search::{RestoreError, Search};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Variant;
use crate::strategies::nrpa::Call;
use crate::strategies::params::Params;
use crate::strategies::{self, Unit};

/// A unit and its number.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberedUnit {
    /// Number of the unit in the order of the hunt, from 0.
    pub id: u64,
    /// What to search.
    pub unit: Unit,
    /// The call of the search to be made, if not the whole search; its result goes back to the coordinator.
    pub call: Option<Call>,
}

impl NumberedUnit {
    /// Begins the search.
    pub fn start(&self, variant: Variant, params: &Params) -> Box<dyn Search<Move>> {
        match &self.call {
            Some(call) => strategies::start_call(variant, params, &self.unit, call),
            None => strategies::start(variant, params, &self.unit),
        }
    }

    /// Goes on with the search from what its [`Search::save`] returned.
    ///
    /// # Errors
    /// If the bytes are not a state of this search.
    pub fn resume(
        &self,
        variant: Variant,
        params: &Params,
        saved: &[u8],
    ) -> Result<Box<dyn Search<Move>>, RestoreError> {
        match &self.call {
            Some(call) => strategies::resume_call(variant, params, &self.unit, call, saved),
            None => strategies::resume(variant, params, &self.unit, saved),
        }
    }

    /// Checksum of the unit, but for the policy that a call begins with.
    pub fn check(&self) -> u32 {
        self.feed(crc32fast::Hasher::new()).finalize()
    }

    /// The checksum going on from `check`; for a call with its policy.
    pub(super) fn digest(&self, check: u32) -> u32 {
        let mut hasher = self.feed(crc32fast::Hasher::new_with_initial(check));
        if let Some(call) = &self.call {
            for (code, mean) in call.policy.entries() {
                hasher.update(&code.to_le_bytes());
                hasher.update(&mean.to_le_bytes());
            }
        }
        hasher.finalize()
    }

    fn feed(&self, mut hasher: crc32fast::Hasher) -> crc32fast::Hasher {
        let mut moves = |moves: &[Move]| {
            hasher.update(&(moves.len() as u64).to_le_bytes());
            for mv in moves {
                hasher.update(&mv.bits().to_le_bytes());
            }
        };
        moves(&self.unit.prefix);
        moves(self.unit.candidates.as_deref().unwrap_or_default());
        hasher.update(&self.unit.seed.to_le_bytes());
        if let Some(call) = &self.call {
            hasher.update(&call.first.to_le_bytes());
        }
        hasher
    }
}
