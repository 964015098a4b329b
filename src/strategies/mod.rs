//! The single-player searches, one technique per file, interchangeable behind [`Search`].
//!
//! A strategy searches one *unit*: the subtree below a prefix (`dfs`) or one independent seeded run (`random`,
//! `nmcs`, `nrpa`). It knows nothing of threads, files or clocks. [`start`] and [`resume`] are the only places
//! that list the strategies; what is generic over the rules is entered there, once per unit.

pub mod dfs;
mod ordering;
pub mod params;
pub mod prefix;
mod tree;

use crate::core::search::{RestoreError, Search};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Variant;
use crate::with_rules;
use params::{Params, Strategy};

/// One unit of work for a strategy.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Unit {
    /// Moves played before the search begins; legal in this order.
    pub prefix: Vec<Move>,
    /// The moves that the unit may begin with, if not all legal ones: order-free search hands over only those
    /// that no earlier unit has entered.
    pub candidates: Option<Vec<Move>>,
    /// Seed of the unit's random numbers.
    pub seed: u64,
    /// End the unit after so many iterations.
    pub max_iterations: Option<u64>,
}

/// Begins the search of `unit`.
pub fn start(variant: Variant, params: &Params, unit: &Unit) -> Box<dyn Search<Move>> {
    match params.strategy {
        Strategy::Dfs => with_rules!(variant, R => Box::new(dfs::Dfs::<R>::new(params, unit))),
        _ => unimplemented!(),
    }
}

/// Goes on with a search of `unit` from what its [`Search::save`] returned.
///
/// # Errors
/// If the bytes are not a state of this strategy with these parameters.
pub fn resume(
    variant: Variant,
    params: &Params,
    unit: &Unit,
    saved: &[u8],
) -> Result<Box<dyn Search<Move>>, RestoreError> {
    Ok(match params.strategy {
        Strategy::Dfs => with_rules!(variant, R => Box::new(dfs::Dfs::<R>::restore(params, unit, saved)?)),
        _ => unimplemented!(),
    })
}

fn restore_error(strategy: &'static str, reason: String) -> RestoreError {
    RestoreError { strategy, reason }
}
