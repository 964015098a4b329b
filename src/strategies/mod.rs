//! The single-player searches, one technique per file, interchangeable behind [`Search`].
//!
//! A strategy searches one *unit*: the subtree below a prefix (`dfs`) or one independent seeded run (`random`,
//! `nmcs`, `nrpa`, `perturb`, `permute`, `temper`, `regrow`, `reshape`). It knows nothing of threads, files or clocks. [`start`] and [`resume`] are the only places
//! that list the strategies; what is generic over the rules is entered there, once per unit.

mod choices;
pub mod dfs;
mod extension;
mod lanes;
mod local;
pub mod nmcs;
pub mod nrpa;
mod ordering;
pub mod params;
pub mod permute;
pub mod perturb;
mod playout;
pub mod prefix;
mod priorities;
pub mod random;
pub mod regrow;
pub mod reshape;
pub mod temper;
mod tree;

use crate::core::histogram::{Histogram, Results};
use crate::core::search::{RestoreError, Search};
use crate::morpion::board::Board;
use crate::morpion::geometry::Move;
use crate::morpion::position::Position;
use crate::morpion::variant::{Rules, Variant};
use crate::with_rules;
use nrpa::Call;
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

impl Unit {
    /// The position after the prefix.
    fn position<R: Rules>(&self) -> Position<R> {
        let mut position = Position::new();
        for &mv in &self.prefix {
            position.play(mv);
        }
        position
    }

    /// The moves that the unit may begin with at the position after the prefix.
    fn moves<'a, R: Rules>(&'a self, position: &'a Position<R>) -> &'a [Move] {
        self.candidates.as_deref().unwrap_or(position.moves())
    }

    /// The grids that begin with the prefix and go beyond it, without it.
    fn own<'a>(&'a self, grids: &'a [Vec<Move>]) -> impl Iterator<Item = Vec<u32>> + 'a {
        let own = grids.iter().filter_map(|grid| grid.strip_prefix(&self.prefix[..]));
        own.filter(|grid| !grid.is_empty()).map(|grid| grid.iter().map(|mv| mv.bits()).collect())
    }
}

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

/// Whether a move that may come from anywhere is one of the rules and legal on the board.
fn is_legal<R: Rules>(board: &Board<R>, mv: Move) -> bool {
    Move::from_bits(R::VARIANT, mv.bits()) == Some(mv) && board.is_legal(mv)
}

/// The state in `saved`, all of it.
fn decode<T: serde::de::DeserializeOwned>(strategy: &'static str, saved: &[u8]) -> Result<T, RestoreError> {
    match postcard::take_from_bytes(saved) {
        Ok((state, [])) => Ok(state),
        Ok((_, rest)) => Err(restore_error(strategy, format!("{} bytes follow the end of the state", rest.len()))),
        Err(error) => Err(restore_error(strategy, format!("the bytes are no state: {error}"))),
    }
}

/// The bytes of a state and, after it, of what the search has counted per level.
fn encode_with_results<T: serde::Serialize>(state: &T, results: &[Histogram]) -> Vec<u8> {
    postcard::to_stdvec(&(state, results)).expect("a state of numbers and lists can be written")
}

/// What [`encode_with_results`] has written for a search of so many levels. States saved before results were counted end
/// after the state; their counts begin at zero.
fn decode_with_results<T: serde::de::DeserializeOwned>(
    strategy: &'static str,
    saved: &[u8],
    levels: usize,
) -> Result<(T, Vec<Histogram>), RestoreError> {
    let no_state = |error: postcard::Error| restore_error(strategy, format!("the bytes are no state: {error}"));
    let (state, rest) = postcard::take_from_bytes(saved).map_err(no_state)?;
    if rest.is_empty() {
        return Ok((state, vec![Histogram::default(); levels]));
    }
    let results: Results = decode(strategy, rest)?;
    let found = results.levels().len();
    if found != levels {
        return Err(restore_error(strategy, format!("it has results of {found} levels instead of {levels}")));
    }
    Ok((state, results.levels().to_vec()))
}

fn restore_error(strategy: &'static str, reason: String) -> RestoreError {
    RestoreError { strategy, reason }
}
