//! The course of a run that plays in slices, which `perturb`, `permute` and `temper` share.
//!
//! A slice is a few thousand playouts. Its random numbers come from a seed of its own, derived from the unit's seed
//! and the slice's number, so a search can be stopped and saved between two slices.

use super::finds::Finds;
use super::params::Params;
use super::unit::Unit;
use super::vector::dispatch::{VectorInstructions, VectorTask, dispatch};
use super::vector::extension::VectorExtension;
use super::warm_start::WarmStart;
use crate::core::ctl::{Ctl, Signal};
use crate::core::histogram::Histogram;
use crate::core::search::{End, Search};
use crate::core::seed::derive;
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;

/// What every such search keeps of its unit and of how far it has come.
pub(super) struct Course {
    pub seed: u64,
    /// What the slices are compiled for.
    pub extension: VectorExtension,
    pub prefix: Vec<Move>,
    /// Playouts at most.
    pub limit: u64,
    /// A search ends after so many playouts without a longer grid.
    pub patience: u64,
    pub slices: u64,
    pub playouts: u64,
    /// Playouts when the longest grid was found.
    pub found_at: u64,
    pub finds: Finds,
    /// The scores of the playouts, as [`Search::results`] gives them.
    pub results: Vec<Histogram>,
}

impl Course {
    /// The course of a run that begins.
    pub fn new(params: &Params, unit: &Unit) -> Course {
        Course {
            seed: unit.seed,
            extension: VectorExtension::detect(),
            prefix: unit.prefix.clone(),
            limit: unit.max_iterations.unwrap_or(u64::MAX),
            patience: params.patience(),
            slices: 0,
            playouts: 0,
            found_at: 0,
            finds: Finds::default(),
            results: vec![Histogram::default()],
        }
    }

    /// Continues from what was saved, with nothing to report.
    pub fn restore(&mut self, (slices, playouts, found_at): (u64, u64, u64), best: u32, results: Vec<Histogram>) {
        (self.slices, self.playouts, self.found_at, self.results) = (slices, playouts, found_at, results);
        self.finds.best = best;
        self.finds.clear();
    }

    /// Takes over from the search that the run begins with, as it has ended; if it is over, its best grid.
    pub fn hand_over<R: Rules>(&mut self, start: &mut Option<WarmStart<R>>, end: End) -> Option<Vec<Move>> {
        let from = start.as_ref()?;
        (self.playouts, self.finds.best) = (from.iterations(), from.best());
        self.found_at = self.playouts;
        if end == End::Finished { start.take().map(WarmStart::into_grid) } else { None }
    }

    /// The seed of the next slice.
    #[inline(always)]
    pub fn next_seed(&mut self) -> u64 {
        let seed = derive(self.seed, &[self.slices]);
        self.slices = self.slices.wrapping_add(1);
        seed
    }

    /// Playouts until the limit.
    #[inline(always)]
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.playouts)
    }

    /// Counts the result of a game, given without the prefix.
    #[inline(always)]
    pub fn count(&mut self, moves: usize) {
        self.results[0].add(self.prefix.len() + moves);
    }

    /// Whether grids with so many moves after the prefix are wanted.
    #[inline(always)]
    pub fn wants(&self, moves: usize) -> bool {
        (self.prefix.len() + moves) as u64 >= u64::from(self.finds.keep_from)
    }

    /// Notes a grid that has come into the pool, if it is longer than all before or wanted.
    pub fn absorb(&mut self, moves: &[Move], longer: bool) {
        if longer {
            self.found_at = self.playouts;
        }
        if longer || self.wants(moves.len()) {
            self.finds.push(moves);
        }
    }
}

/// A search that plays in slices, and can be stopped and saved between two of them.
pub(super) trait Sliced: Search<Move> {
    fn course(&mut self) -> &mut Course;

    /// Whether there is nothing to search.
    fn is_empty(&self) -> bool;

    /// One slice of playouts, and what is due after it; to be marked `#[inline(always)]`.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn slice<I: VectorInstructions>(&mut self);
}

/// Plays slice after slice until there is nothing to search, nothing was found for too long, the limit is reached or
/// the search is to stop.
pub(super) fn run_slices(search: &mut impl Sliced, ctl: &mut dyn Ctl<Move>) -> End {
    search.course().finds.keep_from = ctl.keep_from();
    loop {
        let Course { prefix, limit, patience, playouts, found_at, finds, .. } = search.course();
        let (playouts, limit, stuck) = (*playouts, *limit, playouts.saturating_sub(*found_at) >= *patience);
        finds.report(prefix, playouts, ctl);
        if stuck || search.is_empty() {
            return End::Finished;
        }
        if playouts >= limit {
            return End::IterationLimit;
        }
        if ctl.poll(playouts, search.best()) == Signal::Stop {
            return End::Stopped;
        }
        ctl.offer_checkpoint(&mut || search.save());
        run_slice(search);
    }
}

/// Plays one slice, with the instructions that the search is compiled for.
pub(super) fn run_slice(search: &mut impl Sliced) {
    dispatch(search.course().extension, Slice(search));
}

/// One slice as a task for the vector extensions.
struct Slice<'a, S>(&'a mut S);

impl<S: Sliced> VectorTask for Slice<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<I: VectorInstructions>(self) {
        // SAFETY: a task is entered only on a processor that has the instructions.
        unsafe { self.0.slice::<I>() }
    }
}
