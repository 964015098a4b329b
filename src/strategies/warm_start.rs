//! The NRPA search that a run of `perturb` or `permute` begins with when it is given no grids.

use super::codec::{check_grid, restore_error};
use super::nrpa::Nrpa;
use super::params::{Params, Strategy};
use super::unit::Unit;
use crate::core::ctl::{Ctl, Signal};
use crate::core::search::{End, RestoreError, Search};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;

/// The NRPA search that a run without grids begins with, and the best grid of it so far.
pub(super) struct WarmStart<R> {
    search: Box<Nrpa<R>>,
    best: Vec<u32>,
    prefix: usize,
}

/// The state of the search and the moves of its best grid after the prefix.
pub(super) type SavedStart = (Vec<u8>, Vec<u32>);

impl<R: Rules> WarmStart<R> {
    /// Of the level that the parameters name.
    pub fn new(params: &Params, unit: &Unit) -> WarmStart<R> {
        let search = Box::new(Nrpa::new(&start_params(params), unit, None));
        WarmStart { search, best: Vec::new(), prefix: unit.prefix.len() }
    }

    /// Goes on from what was saved.
    pub fn restore(params: &Params, unit: &Unit, (state, best): SavedStart) -> Result<WarmStart<R>, RestoreError> {
        check_grid::<R>(&unit.prefix, &best).map_err(|reason| restore_error("nrpa", reason.to_owned()))?;
        let search = Box::new(Nrpa::restore(&start_params(params), unit, None, &state)?);
        Ok(WarmStart { search, best, prefix: unit.prefix.len() })
    }

    /// What is to be saved.
    pub fn save(&self) -> SavedStart {
        (self.search.save(), self.best.clone())
    }

    /// Runs the search; checkpoints are what `save` makes of the saved start.
    pub fn run(&mut self, ctl: &mut dyn Ctl<Move>, save: &dyn Fn(SavedStart) -> Vec<u8>) -> End {
        self.search.run(&mut Watch { ctl, best: &mut self.best, prefix: self.prefix, save })
    }

    /// Playouts so far.
    pub fn iterations(&self) -> u64 {
        self.search.iterations()
    }

    /// The best score so far, prefix included.
    pub fn best(&self) -> u32 {
        self.search.best()
    }

    /// The moves of the best grid, without the prefix.
    pub fn into_grid(self) -> Vec<u32> {
        self.best
    }
}

fn start_params(params: &Params) -> Params {
    Params { strategy: Strategy::Nrpa, level: Some(params.level()), ..params.clone() }
}

/// Passes on what the starting search says, and keeps its best grid.
struct Watch<'a> {
    ctl: &'a mut dyn Ctl<Move>,
    best: &'a mut Vec<u32>,
    prefix: usize,
    save: &'a dyn Fn(SavedStart) -> Vec<u8>,
}

impl Ctl<Move> for Watch<'_> {
    fn poll(&mut self, iterations: u64, best: u32) -> Signal {
        self.ctl.poll(iterations, best)
    }

    fn offer_checkpoint(&mut self, save: &mut dyn FnMut() -> Vec<u8>) {
        let (best, wrap) = (&*self.best, self.save);
        self.ctl.offer_checkpoint(&mut || wrap((save(), best.clone())));
    }

    fn improved(&mut self, moves: &[Move], iterations: u64) {
        *self.best = moves[self.prefix..].iter().map(|mv| mv.bits()).collect();
        self.ctl.improved(moves, iterations);
    }

    fn keep_from(&self) -> u32 {
        self.ctl.keep_from()
    }

    fn found(&mut self, moves: &[Move], iterations: u64) {
        self.ctl.found(moves, iterations);
    }
}
