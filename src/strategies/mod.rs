//! The single-player searches, one technique per file, interchangeable behind [`Search`].
//!
//! A strategy searches one *unit*: the subtree below a prefix (`dfs`) or one independent seeded run (`random`,
//! `nmcs`, `nrpa`, `perturb`, `permute`, `temper`, `regrow`, `reshape`). It knows nothing of threads, files or clocks. [`start`] and [`resume`] are the only places
//! that list the strategies; what is generic over the rules is entered there, once per unit.

mod choices;
mod codec;
mod course;
pub mod dfs;
mod finds;
mod flat_position;
mod inner;
pub mod nmcs;
pub mod nrpa;
mod ordering;
pub mod params;
pub mod permute;
pub mod perturb;
pub mod prefix;
mod priorities;
pub mod random;
pub mod regrow;
pub mod reshape;
mod seen;
pub mod temper;
mod tree;
mod unit;
mod vector;
mod warm_start;

use crate::core::search::{RestoreError, Search};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Variant;
use crate::with_rules;
use nrpa::Call;
use params::{Params, Strategy};
pub use unit::Unit;

/// Begins the search of `unit`.
pub fn start(variant: Variant, params: &Params, unit: &Unit) -> Box<dyn Search<Move>> {
    match params.strategy {
        Strategy::Random => with_rules!(variant, R => Box::new(random::Random::<R>::new(unit))),
        Strategy::Dfs => with_rules!(variant, R => Box::new(dfs::Dfs::<R>::new(params, unit))),
        Strategy::Nmcs => with_rules!(variant, R => Box::new(nmcs::Nmcs::<R>::new(params.level(), unit))),
        Strategy::Nrpa => with_rules!(variant, R => Box::new(nrpa::Nrpa::<R>::new(params, unit, None))),
        Strategy::Perturb => with_rules!(variant, R => Box::new(perturb::Perturb::<R>::new(params, unit))),
        Strategy::Permute => with_rules!(variant, R => Box::new(permute::Permute::<R>::new(params, unit))),
        Strategy::Temper => with_rules!(variant, R => Box::new(temper::Temper::<R>::new(params, unit))),
        Strategy::Regrow => with_rules!(variant, R => Box::new(regrow::Regrow::<R>::new(params, unit))),
        Strategy::Reshape => with_rules!(variant, R => Box::new(reshape::Reshape::<R>::new(params, unit))),
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
        Strategy::Random => with_rules!(variant, R => Box::new(random::Random::<R>::restore(unit, saved)?)),
        Strategy::Dfs => with_rules!(variant, R => Box::new(dfs::Dfs::<R>::restore(params, unit, saved)?)),
        Strategy::Nmcs => with_rules!(variant, R => Box::new(nmcs::Nmcs::<R>::restore(params.level(), unit, saved)?)),
        Strategy::Nrpa => with_rules!(variant, R => Box::new(nrpa::Nrpa::<R>::restore(params, unit, None, saved)?)),
        Strategy::Perturb => {
            with_rules!(variant, R => Box::new(perturb::Perturb::<R>::restore(params, unit, saved)?))
        }
        Strategy::Permute => {
            with_rules!(variant, R => Box::new(permute::Permute::<R>::restore(params, unit, saved)?))
        }
        Strategy::Temper => with_rules!(variant, R => Box::new(temper::Temper::<R>::restore(params, unit, saved)?)),
        Strategy::Regrow => with_rules!(variant, R => Box::new(regrow::Regrow::<R>::restore(params, unit, saved)?)),
        Strategy::Reshape => {
            with_rules!(variant, R => Box::new(reshape::Reshape::<R>::restore(params, unit, saved)?))
        }
    })
}

/// Begins one call of an NRPA search of `unit`.
pub fn start_call(variant: Variant, params: &Params, unit: &Unit, call: &Call) -> Box<dyn Search<Move>> {
    with_rules!(variant, R => Box::new(nrpa::Nrpa::<R>::new(params, unit, Some(call))))
}

/// Goes on with one call of an NRPA search of `unit` from what its [`Search::save`] returned.
///
/// # Errors
/// If the bytes are not a state of such a call.
pub fn resume_call(
    variant: Variant,
    params: &Params,
    unit: &Unit,
    call: &Call,
    saved: &[u8],
) -> Result<Box<dyn Search<Move>>, RestoreError> {
    Ok(with_rules!(variant, R => Box::new(nrpa::Nrpa::<R>::restore(params, unit, Some(call), saved)?)))
}
