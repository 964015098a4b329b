//! The searches that run inside: which there are, their parameters, and how they are saved.

use crate::core::search::Search;
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;
use crate::strategies::nrpa::Nrpa;
use crate::strategies::params::{Params, Strategy};
use crate::strategies::reshape::Reshape;
use crate::strategies::temper::{REFINING, Temper};
use serde::{Deserialize, Serialize};

/// The tempering that a round begins with ends after this part of the patience without a longer grid.
const START_PART: u64 = 50;
/// Refining ends after so many playouts without a longer grid, fewer where that is more than this part of the
/// patience.
const REFINED: u64 = 1 << 18;
const REFINED_PART: u64 = 50;

/// The parameters of the searches inside, made of those of the whole.
pub(super) struct InnerParams {
    pub start: Params,
    pub step: Params,
    pub refine: Params,
    pub reshape: Params,
}

impl InnerParams {
    pub fn new(params: &Params) -> InnerParams {
        let patience = params.patience();
        let of = |strategy| Params { strategy, grids: Vec::new(), ..params.clone() };
        InnerParams {
            start: Params { patience: Some((patience / START_PART).max(1)), ..of(Strategy::Temper) },
            step: Params { level: Some(params.level()), iterations: Some(params.iterations()), ..of(Strategy::Nrpa) },
            refine: Params {
                hot: REFINING.0,
                cold: REFINING.1,
                replicas: params.refiners.max(1),
                refiners: 0,
                patience: Some(REFINED.min(patience / REFINED_PART).max(1)),
                ..of(Strategy::Temper)
            },
            reshape: of(Strategy::Reshape),
        }
    }
}

/// A search that runs inside.
pub(super) enum InnerSearch<R> {
    /// The tempering that a round begins with.
    Start(Box<Temper<R>>),
    /// The nested search that makes a grid anew behind what is kept of it, the unit's prefix not included.
    Step(Box<Nrpa<R>>, Vec<Move>),
    /// The cold walks that refine a grid.
    Refine(Box<Temper<R>>),
    /// The walk over shapes from a grid.
    Reshape(Box<Reshape<R>>),
}

impl<R: Rules> InnerSearch<R> {
    pub fn search(&self) -> &dyn Search<Move> {
        match self {
            InnerSearch::Start(search) | InnerSearch::Refine(search) => &**search,
            InnerSearch::Step(search, _) => &**search,
            InnerSearch::Reshape(search) => &**search,
        }
    }

    pub fn search_mut(&mut self) -> &mut dyn Search<Move> {
        match self {
            InnerSearch::Start(search) | InnerSearch::Refine(search) => &mut **search,
            InnerSearch::Step(search, _) => &mut **search,
            InnerSearch::Reshape(search) => &mut **search,
        }
    }

    pub fn kind(&self) -> InnerKind {
        match self {
            InnerSearch::Start(_) => InnerKind::Start,
            InnerSearch::Step(_, kept) => InnerKind::Step(kept.clone()),
            InnerSearch::Refine(_) => InnerKind::Refine,
            InnerSearch::Reshape(_) => InnerKind::Reshape,
        }
    }
}

/// Which search runs inside, and what a step keeps.
pub(super) enum InnerKind {
    Start,
    Step(Vec<Move>),
    Refine,
    Reshape,
}

impl InnerKind {
    /// What is saved of such a search, given its state.
    pub fn saved(&self, state: Vec<u8>) -> SavedInner {
        match self {
            InnerKind::Start => SavedInner::Start(state),
            InnerKind::Step(kept) => SavedInner::Step(state, kept.clone()),
            InnerKind::Refine => SavedInner::Refine(state),
            InnerKind::Reshape => SavedInner::Reshape(state),
        }
    }

    /// Whether the pool absorbs what the search finds on the way. Of a nested search only the end counts.
    pub fn is_collected(&self) -> bool {
        !matches!(self, InnerKind::Step(_))
    }
}

/// A search inside as it is saved. The order of the variants is that of the bytes.
#[derive(Serialize, Deserialize)]
pub(super) enum SavedInner {
    Start(Vec<u8>),
    Step(Vec<u8>, Vec<Move>),
    Refine(Vec<u8>),
    Reshape(Vec<u8>),
}
