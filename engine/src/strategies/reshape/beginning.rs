//! What a round begins with that has no given grid.

use crate::core::search::Search;
use crate::morpion::geometry::Move;
use crate::morpion::variant::{Rules, Variant};
use crate::strategies::orbits::Orbits;
use crate::strategies::relax::Relax;
use crate::strategies::temper::Temper;

/// How the rounds of a search begin. The number is what its saved states begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Form {
    /// Each with a tempering.
    Tempered = 2,
    /// Each with a walk over sets of lines that is cooled.
    Cooled = 3,
}

impl Form {
    /// How the rounds of a search that is begun now begin. Symmetric sets of lines are not walked over, and in the
    /// other variants temperings lead to longer grids.
    pub fn usual<R: Rules, O: Orbits>() -> Form {
        if R::VARIANT == Variant::D5 && !O::PAIRED { Form::Cooled } else { Form::Tempered }
    }

    /// The form of a saved state, which is an older one (with temperings) or the usual one.
    pub fn of_number<R: Rules, O: Orbits>(number: u8) -> Option<Form> {
        [Form::Tempered, Form::usual::<R, O>()].into_iter().find(|&form| form as u8 == number)
    }
}

/// The search that a round begins with.
pub(super) enum Beginning<R, O> {
    Tempering(Box<Temper<R, O>>),
    Cooling(Box<Relax<R>>),
}

impl<R: Rules, O: Orbits> Beginning<R, O> {
    /// What the phase of a search is called meanwhile.
    pub fn name(&self) -> &'static str {
        match self {
            Beginning::Tempering(_) => "tempering",
            Beginning::Cooling(_) => "cooling",
        }
    }

    /// Whether a walk has been cooled to the end.
    pub fn is_whole(&self) -> bool {
        matches!(self, Beginning::Cooling(search) if search.is_cold())
    }

    pub fn search(&self) -> &dyn Search<Move> {
        match self {
            Beginning::Tempering(search) => &**search,
            Beginning::Cooling(search) => &**search,
        }
    }

    pub fn search_mut(&mut self) -> &mut dyn Search<Move> {
        match self {
            Beginning::Tempering(search) => &mut **search,
            Beginning::Cooling(search) => &mut **search,
        }
    }
}
