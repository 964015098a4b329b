//! The NRPA search that a run of `perturb` or `permute` begins with when it is given no grids.

use super::codec::{check_grid, restore_error};
use super::inner::{InnerHost, run_inner};
use super::nrpa::Nrpa;
use super::params::{Params, Strategy};
use super::unit::Unit;
use crate::core::ctl::Ctl;
use crate::core::search::{End, Phase, RestoreError, Search};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;

/// The NRPA search that a run without grids begins with, and the best grid of it so far.
pub(super) struct WarmStart<R> {
    search: Box<Nrpa<R>>,
    best: Vec<Move>,
    prefix: usize,
}

/// The state of the search and the moves of its best grid after the prefix.
pub(super) type SavedStart = (Vec<u8>, Vec<Move>);

impl<R: Rules> WarmStart<R> {
    /// A search of the level that the parameters name.
    pub fn new(params: &Params, unit: &Unit) -> WarmStart<R> {
        let search = Box::new(Nrpa::new(&start_params(params), unit, None));
        WarmStart { search, best: Vec::new(), prefix: unit.prefix.len() }
    }

    /// Continues from what was saved.
    pub fn restore(params: &Params, unit: &Unit, (state, best): SavedStart) -> Result<WarmStart<R>, RestoreError> {
        check_grid(unit.position::<R>(params).board(), &best)
            .map_err(|reason| restore_error("nrpa", reason.to_owned()))?;
        let search = Box::new(Nrpa::restore(&start_params(params), unit, None, &state)?);
        Ok(WarmStart { search, best, prefix: unit.prefix.len() })
    }

    /// The state to be saved.
    pub fn save(&self) -> SavedStart {
        (self.search.save(), self.best.clone())
    }

    /// Runs the search; checkpoints are what `save` makes of the saved start.
    pub fn run(&mut self, ctl: &mut dyn Ctl<Move>, save: &dyn Fn(SavedStart) -> Vec<u8>) -> End {
        run_inner(&mut *self.search, &mut WarmStartHost { best: &mut self.best, prefix: self.prefix, save }, ctl)
    }

    /// Playouts so far.
    pub fn iterations(&self) -> u64 {
        self.search.iterations()
    }

    /// Where it stands.
    pub fn phase(&self) -> Option<Phase> {
        self.search.phase().map(|phase| Phase { name: "call of the start", ..phase })
    }

    /// The best score so far, prefix included.
    pub fn best(&self) -> u32 {
        self.search.best()
    }

    /// The moves of the best grid, without the prefix.
    pub fn into_grid(self) -> Vec<Move> {
        self.best
    }
}

fn start_params(params: &Params) -> Params {
    Params { strategy: Strategy::Nrpa, level: Some(params.level()), ..params.clone() }
}

/// The run that begins with the search: it keeps the best grid.
struct WarmStartHost<'a> {
    best: &'a mut Vec<Move>,
    prefix: usize,
    save: &'a dyn Fn(SavedStart) -> Vec<u8>,
}

impl InnerHost for WarmStartHost<'_> {
    fn iterations(&self) -> u64 {
        0
    }

    fn best(&self) -> u32 {
        if self.best.is_empty() { 0 } else { (self.prefix + self.best.len()) as u32 }
    }

    fn absorb(&mut self, moves: &[Move], _games: u64) {
        *self.best = moves[self.prefix..].to_vec();
    }

    fn save(&self, inner: Vec<u8>) -> Vec<u8> {
        (self.save)((inner, self.best.clone()))
    }
}
