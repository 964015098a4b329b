//! The single-player searches, one technique per file, interchangeable behind [`Search`].
//!
//! A strategy searches one *unit*: the subtree below a prefix (`dfs`) or one independent seeded run (`random`,
//! `nmcs`, `nrpa`, `perturb`, `permute`, `temper`, `relax`, `regrow`, `reshape`). It knows nothing of threads, files
//! or clocks. [`table`] lists the strategies with all that is derived from the list; what is generic over the rules
//! is entered there, once per unit.

mod choices;
mod codec;
mod course;
pub mod dfs;
mod finds;
mod flat_position;
mod inner;
pub mod nmcs;
pub mod nrpa;
mod orbits;
mod ordering;
pub mod params;
pub mod permute;
pub mod perturb;
pub mod prefix;
mod priorities;
pub mod random;
pub mod regrow;
pub mod relax;
pub mod reshape;
mod seen;
pub mod table;
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
use params::Params;
pub use unit::Unit;

/// Begins the search of `unit`.
pub fn start(variant: Variant, params: &Params, unit: &Unit) -> Box<dyn Search<Move>> {
    (params.strategy.row().start)(variant, params, unit)
}

/// Continues a search of `unit` from what its [`Search::save`] returned.
///
/// # Errors
/// If the bytes are not a state of this strategy with these parameters.
pub fn resume(
    variant: Variant,
    params: &Params,
    unit: &Unit,
    saved: &[u8],
) -> Result<Box<dyn Search<Move>>, RestoreError> {
    (params.strategy.row().restore)(variant, params, unit, saved)
}

/// Begins one call of an NRPA search of `unit`.
pub fn start_call(variant: Variant, params: &Params, unit: &Unit, call: &Call) -> Box<dyn Search<Move>> {
    with_rules!(variant, R => Box::new(nrpa::Nrpa::<R>::new(params, unit, Some(call))))
}

/// Continues one call of an NRPA search of `unit` from what its [`Search::save`] returned.
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
