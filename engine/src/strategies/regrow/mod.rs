//! Regrowth: large-neighbourhood search whose neighbourhood is most of the grid.
//!
//! A grid is a partial order, so it has many beginnings: sets of its moves that need nothing but each other. A step
//! takes a grid out of a pool and keeps a random beginning of it, a fifth to three tenths of its moves. A nested
//! search (`nrpa`), which knows nothing of what was there, makes the rest anew, and ends when its results are the
//! same again and again. Cold walks (`temper`) refine the result, and `reshape` works on it, as they do on grids of
//! the pool (`stage`). A grid joins the pool if it is of a new kind, or longer than the others of its kind
//! (`pool`). So a step goes far beyond what a local search reaches from the grid, and yet it often ends at a long
//! grid: the core of a grid decides how long it can become, and the cores of long grids have much in common.
//!
//! The pool begins with given grids, or with what a run of parallel tempering (`temper`) has met when it is stuck.
//! Most such runs end among grids that nothing long can be made of, and only trying shows which do not. So without
//! given grids a search goes in *rounds*: a new tempering; steps from a pool of its own until they are stuck; and
//! then, for as long as that took, steps from a second pool, which holds what all rounds so far have left. Half of
//! the time is spent on what is new, half on what is best.
//!
//! All limits of time are parts of `patience`, in playouts without a longer grid: a fiftieth for the tempering and at
//! most a fiftieth for refining (`searches`), a thirtieth for the steps from a pool (`state`), the whole for the
//! unit. Reshaping ends after one step without a longer grid for each million of it, 2,000 at most.
//!
//! Each step draws its random numbers from a seed of its own, derived from the unit's seed and the step's number.

mod pool;
mod searches;
mod stage;
mod state;

use super::codec::{check_grid, restore_error};
use super::inner::run_inner;
use super::nrpa::Nrpa;
use super::params::Params;
use super::reshape::Reshape;
use super::temper::Temper;
use super::unit::Unit;
use crate::core::ctl::{Ctl, Signal};
use crate::core::histogram::Histogram;
use crate::core::search::{End, Phase, RestoreError, Search};
use crate::core::seed::{self, Rng, derive};
use crate::morpion::geometry::Move;
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;
use rand::RngExt;
use searches::{InnerParams, InnerSearch, SavedInner};
use stage::Stage;
use state::{RegrowHost, RegrowState};
use std::ops::Range;

/// How much of a grid is kept, of its length.
const KEPT: Range<f64> = 0.2..0.3;
/// A step is over when so many calls below its top level have had a result as long as its best.
const SETTLED: u64 = 25;
/// A grid is shaken by a move for which at least so many have to go.
const LEAST: usize = 30;
/// Reshaping ends after so many steps without a longer grid, fewer where that is more than this part of the patience.
const RESHAPED: u64 = 2_000;
const RESHAPED_PART: u64 = 1_000_000;

/// A resumable search of one unit by regrowth.
pub struct Regrow<R> {
    /// The parameters of the searches inside.
    params: InnerParams,
    unit: Unit,
    /// The position that the playouts start from.
    position: Position<R>,
    keep: Option<usize>,
    /// Whether what the steps make is refined.
    refines: bool,
    patience: u64,
    /// Whether a round is the only one, since it began with given grids.
    given: bool,
    /// The search under way, if one is.
    inner: Option<InnerSearch<R>>,
    state: RegrowState<R>,
}

impl<R: Rules> Regrow<R> {
    /// Begins the search of `unit`.
    pub fn new(params: &Params, unit: &Unit) -> Regrow<R> {
        let mut search = Regrow::<R>::empty(params, unit);
        search.state.round.old = search.given;
        for moves in unit.own(&params.grids) {
            search.state.absorb_grid(&moves);
        }
        if !search.given {
            search.inner = Some(search.start());
        }
        search
    }

    /// Without grids, and without a search that makes some.
    fn empty(params: &Params, unit: &Unit) -> Regrow<R> {
        let position = unit.position::<R>(params);
        Regrow {
            params: InnerParams::new(params),
            refines: params.refiners > 0,
            unit: unit.clone(),
            keep: params.keep.map(|keep| (keep as usize).saturating_sub(unit.prefix.len())),
            patience: params.patience(),
            given: unit.own(&params.grids).next().is_some(),
            inner: None,
            state: RegrowState::new(params.pool() as usize, params.level() as usize + 1, &position),
            position,
        }
    }

    /// Continues from what [`Search::save`] returned for the same parameters and unit.
    ///
    /// # Errors
    /// If the bytes are not such a state.
    pub fn restore(params: &Params, unit: &Unit, saved: &[u8]) -> Result<Regrow<R>, RestoreError> {
        let mut search = Regrow::<R>::empty(params, unit);
        if let Some(inner) = search.state.restore(saved, search.position.board())? {
            search.inner = Some(search.restore_inner(inner)?);
        }
        Ok(search)
    }

    /// The search inside, as it was saved in the state that is in place.
    fn restore_inner(&self, inner: SavedInner) -> Result<InnerSearch<R>, RestoreError> {
        Ok(match inner {
            SavedInner::Start(state) => {
                InnerSearch::Start(Box::new(Temper::restore(&self.params.start, &self.start_unit(), &state)?))
            }
            SavedInner::Step(state, kept) => {
                let fail = |reason: &str| restore_error("regrow", reason.to_owned());
                check_grid(self.position.board(), &kept).map_err(fail)?;
                let nrpa = Nrpa::restore(&self.params.step, &self.step(&kept), None, &state)?;
                InnerSearch::Step(Box::new(nrpa.settling(SETTLED)), kept)
            }
            SavedInner::Refine(state) => {
                InnerSearch::Refine(Box::new(Temper::restore(&self.params.refine, &self.further(), &state)?))
            }
            SavedInner::Reshape(state) => {
                let reshape = Reshape::restore(&self.params.reshape, &self.further(), &state)?;
                InnerSearch::Reshape(Box::new(reshape.alone(self.enough())))
            }
        })
    }

    /// The unit of the tempering that this round begins with.
    fn start_unit(&self) -> Unit {
        match self.state.round.number {
            0 => self.unit.clone(),
            // Unlike the seeds of steps and of their searches.
            number => Unit { seed: derive(self.unit.seed, &[number, 0, 0, 1]), ..self.further() },
        }
    }

    /// The tempering that this round begins with.
    fn start(&self) -> InnerSearch<R> {
        InnerSearch::Start(Box::new(Temper::new(&self.params.start, &self.start_unit())))
    }

    /// The unit with what is left of its limit, and a seed of the step and the search.
    fn further(&self) -> Unit {
        Unit {
            seed: derive(self.unit.seed, &[self.state.steps, u64::from(self.state.stage.number()) + 1]),
            max_iterations: self.unit.max_iterations.map(|limit| limit.saturating_sub(self.state.playouts)),
            ..self.unit.clone()
        }
    }

    /// The unit of a step that keeps these moves.
    fn step(&self, kept: &[Move]) -> Unit {
        let prefix = [&self.unit.prefix, kept].concat();
        // What is kept begins as a grid of the unit does.
        Unit { prefix, candidates: None, ..self.further() }
    }

    /// What refines a grid, which begins with the unit's prefix.
    fn refine(&self, grid: Vec<Move>) -> Temper<R> {
        Temper::new(&Params { grids: vec![grid], ..self.params.refine.clone() }, &self.further())
    }

    /// What reshapes a grid, given without the unit's prefix.
    fn reshape(&self, grid: &[Move]) -> InnerSearch<R> {
        let grid = [&self.unit.prefix, grid].concat();
        let params = Params { grids: vec![grid], ..self.params.reshape.clone() };
        InnerSearch::Reshape(Box::new(Reshape::new(&params, &self.further()).alone(self.enough())))
    }

    /// Steps without a longer grid after which reshaping ends.
    fn enough(&self) -> u64 {
        RESHAPED.min(self.patience / RESHAPED_PART).max(1)
    }

    /// The next search, if the pool has a grid for it.
    fn begin(&mut self) -> Option<InnerSearch<R>> {
        let stage = self.state.stage;
        match stage {
            Stage::Regrow if !self.given && self.state.turn(self.patience) => Some(self.start()),
            Stage::Regrow => self.begin_step(),
            Stage::Refine | Stage::Shake(_) => self.begin_shaken(),
            Stage::ReshapeMade => Some(self.reshape(&self.state.made)),
            Stage::ReshapePooled => self.begin_reshaping(),
        }
    }

    /// The next step, if the pool has a grid that can be regrown.
    fn begin_step(&mut self) -> Option<InnerSearch<R>> {
        let mut rng = seed::rng(derive(self.unit.seed, &[self.state.steps]), &[]);
        let moves = &self.state.pool_mut().draw(&mut rng)?.moves;
        let share = rng.random_range(KEPT);
        // One at least, since the unit may be barred from some first moves.
        let count = self.keep.unwrap_or((share * moves.len() as f64) as usize).clamp(1, moves.len().max(1));
        let kept = beginning(&self.position, moves, count, &mut rng);
        let search = Nrpa::new(&self.params.step, &self.step(&kept), None).settling(SETTLED);
        Some(InnerSearch::Step(Box::new(search), kept))
    }

    /// The random numbers that draw a grid for a later search of a step.
    fn draw_rng(&self) -> Rng {
        let stage = u64::from(self.state.stage.number());
        seed::rng(derive(self.unit.seed, &[self.state.steps, stage, 1]), &[])
    }

    /// Refines a grid of the pool that was shaken.
    fn begin_shaken(&self) -> Option<InnerSearch<R>> {
        let grid = self.state.pool().any(&mut self.draw_rng())?;
        let grid = [&self.unit.prefix[..], &grid.moves].concat();
        Some(InnerSearch::Refine(Box::new(self.refine(grid).shaken(LEAST))))
    }

    /// Reshapes a grid of the pool: the longest every other time, since what has been drawn in vain may still become
    /// longer.
    fn begin_reshaping(&self) -> Option<InnerSearch<R>> {
        let pool = self.state.pool();
        let longest = pool.members().iter().max_by_key(|member| member.moves.len())?;
        let member = if self.state.steps.is_multiple_of(2) { longest } else { pool.any(&mut self.draw_rng())? };
        Some(self.reshape(&member.moves))
    }

    /// Absorbs what the search that is done has found.
    fn end(&mut self, inner: InnerSearch<R>) {
        self.state.playouts = self.state.playouts.saturating_add(inner.search().iterations());
        match inner {
            InnerSearch::Start(search) => self.end_start(&search),
            InnerSearch::Step(search, _) => self.end_step(&search),
            // What they have found is in the pool.
            InnerSearch::Refine(_) | InnerSearch::Reshape(_) => {
                self.state.results[0].merge(&inner.search().results()[0]);
                self.state.next_stage(self.refines);
            }
        }
    }

    /// Absorbs where the walks of a tempering are; the longest grids that they met are in the pool.
    fn end_start(&mut self, search: &Temper<R>) {
        let state = &mut self.state;
        search.grids().for_each(|grid| state.absorb_grid(&grid));
        state.made = search.grids().max_by_key(Vec::len).unwrap_or_default();
        state.stage = Stage::ReshapeMade;
        state.results[0].merge(&search.results()[0]);
        state.round.found_at = state.playouts;
    }

    /// Absorbs the grid that a nested search has made, and has it refined.
    fn end_step(&mut self, search: &Nrpa<R>) {
        let state = &mut self.state;
        for (all, new) in state.results.iter_mut().zip(search.results()) {
            all.merge(new);
        }
        let game = search.best_game();
        let moves = game[self.unit.prefix.len()..].to_vec();
        state.note_length(moves.len(), state.playouts);
        state.absorb_grid(&moves);
        state.made = moves;
        state.next_stage(self.refines);
        if state.stage == Stage::Refine {
            self.inner = Some(InnerSearch::Refine(Box::new(self.refine(game))));
        }
    }
}

/// So many moves of a grid, drawn one after the other at random from those of it that are legal.
fn beginning<R: Rules>(start: &Position<R>, grid: &[Move], count: usize, rng: &mut Rng) -> Vec<Move> {
    let (mut position, mut left, mut kept) = (start.clone(), grid.to_vec(), Vec::with_capacity(count));
    while kept.len() < count {
        let legal: Vec<usize> = (0..left.len()).filter(|&at| position.moves().contains(&left[at])).collect();
        if legal.is_empty() {
            break;
        }
        let mv = left.remove(legal[rng.random_range(0..legal.len())]);
        position.play(mv);
        kept.push(mv);
    }
    kept
}

impl<R: Rules> Search<Move> for Regrow<R> {
    fn run(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        self.state.finds.keep_from = ctl.keep_from();
        let limit = self.unit.max_iterations.unwrap_or(u64::MAX);
        loop {
            self.state.finds.report(&self.unit.prefix, self.state.playouts, ctl);
            let mut inner = match self.inner.take() {
                Some(inner) => inner,
                None => {
                    if self.state.stage == Stage::Regrow
                        && self.state.playouts.saturating_sub(self.state.found_at) >= self.patience
                    {
                        return End::Finished;
                    }
                    if self.state.playouts >= limit {
                        return End::IterationLimit;
                    }
                    if ctl.poll(self.state.playouts, self.state.finds.best) == Signal::Stop {
                        return End::Stopped;
                    }
                    let Some(inner) = self.begin() else { return End::Finished };
                    inner
                }
            };
            let kind = inner.kind();
            let collected = kind.is_collected();
            let mut host = RegrowHost { state: &mut self.state, kind, prefix: self.unit.prefix.len() };
            match run_inner(inner.search_mut(), &mut host, ctl) {
                End::Stopped => {
                    self.inner = Some(inner);
                    return End::Stopped;
                }
                End::IterationLimit if collected => {
                    self.inner = Some(inner);
                    return End::IterationLimit;
                }
                _ => self.end(inner),
            }
        }
    }

    fn save(&self) -> Vec<u8> {
        self.state.save(self.inner.as_ref().map(|inner| inner.kind().saved(inner.search().save())))
    }

    fn iterations(&self) -> u64 {
        let inner = self.inner.as_ref().map_or(0, |inner| inner.search().iterations());
        self.state.playouts.saturating_add(inner)
    }

    /// The tempering of a round, or a search of a step.
    fn phase(&self) -> Option<Phase> {
        let number = match &self.inner {
            Some(InnerSearch::Start(_)) => {
                return Some(Phase { name: "tempering", number: self.state.round.number + 1, of: None });
            }
            _ => self.state.steps + 1,
        };
        Some(Phase { name: self.state.stage.name(), number, of: None })
    }

    fn best(&self) -> u32 {
        self.state.finds.best
    }

    fn results(&self) -> &[Histogram] {
        match &self.inner {
            Some(InnerSearch::Start(search)) if self.state.round.number == 0 => search.results(),
            _ => &self.state.results,
        }
    }
}

#[cfg(test)]
mod tests;
