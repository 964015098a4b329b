//! Reshaping: local search over the shapes of grids. An exact solver fills each shape with lines.
//!
//! A grid is two things: a set of points, its shape, and the lines that make these points one after the other. Other
//! searches change both at once, and get stuck where a longer grid needs most of the lines elsewhere. In 5T the grids
//! of 168 to 177 moves of the best kind known have all but one or two of their points in common with the record of
//! 178, and their lines are quite different. This search is over shapes alone. A step removes a few points at the
//! edge of a shape and adds a few next to them, at random, until as many lines fit as there are points (`draw`,
//! `shape`). It then asks a solver for a grid with exactly these points (`fill`), which takes a millisecond. If there
//! is one, the walk continues from it. The longest grids known have room for one more line than they have, or for
//! none. So few shapes are worth asking for, and the solver decides most of those at once.
//!
//! The walk is that of Metropolis at a fixed temperature. Changes that make the shape a point longer or keep its
//! length are always taken, changes to one or two points less now and then. (Measured against a pool of shapes of
//! which the longest were drawn most often and none became shorter: see the results.)
//!
//! The shapes that can be reached this way depend on the grid. So without given grids a search goes in *rounds*: a
//! tempering (`temper`) until it is stuck, then a walk from the longest of its grids until that is stuck. In 5D a
//! round begins with one walk over sets of lines instead, which is *cooled* (`relax`). That takes a third of a
//! second, and a walk over shapes follows only if its longest grid is two moves shorter than the longest of the unit
//! at most (`BEHIND`). With given grids a round is a walk from one of them, or from the longest that an earlier round
//! has made of it.
//!
//! Other limits are parts of `patience`. A tempering ends after its 250th part without a longer grid (`START_PART`).
//! A walk ends after one step without a longer grid for each 600,000 of it (`WALK_PART`), some 1,700 by default,
//! and eight times as many (`LEADER`) if it has met the longest grid so far. After a cooled walk it is one step for
//! each 1,600,000 (`COOLED_WALK_PART`), 625 by default. After `patience` iterations without a longer grid the unit is
//! finished. An iteration is a playout, a step over sets of lines, a shape drawn or a conflict of the solver.
//!
//! Each step draws its random numbers from a seed of its own, derived from the unit's seed and the step's number.

mod beginning;
mod draw;
pub(crate) mod fill;
mod reach;
pub(crate) mod shape;
mod state;

use super::inner::run_inner;
use super::orbits::{Orbits, Single, own_order};
use super::params::{Params, Strategy};
use super::relax::Relax;
use super::temper::Temper;
use super::unit::Unit;
use crate::core::ctl::{Ctl, Signal};
use crate::core::histogram::Histogram;
use crate::core::search::{End, Phase, RestoreError, Search};
use crate::core::seed::{self, derive};
use crate::morpion::geometry::Move;
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;
use beginning::{Beginning, Form};
use draw::draw;
use fill::{Filling, ON, ShapeQuery, fill_orbits};
use rand::RngExt;
use state::{ReshapeHost, ReshapeState};

/// The tempering that a round begins with ends after this part of the patience without a longer grid.
const START_PART: u64 = 250;
/// A walk ends after one step without a longer grid for each so many iterations of the patience.
const WALK_PART: u64 = 600_000;
/// A walk that has met a grid as long as any of the unit continues for so many times as many steps.
const LEADER: u64 = 8;
/// After a cooled walk a walk ends after one step without a longer grid for each so many iterations of the patience,
/// or if it is by more moves shorter than the longest grid of the unit.
const COOLED_WALK_PART: u64 = 1_600_000;
const BEHIND: usize = 2;
/// Conflicts of the solver after which it gives a shape up.
const CONFLICTS: u64 = 200;

/// A resumable search of one unit by reshaping.
pub struct Reshape<R, O = Single> {
    /// The moves that come together.
    orbits: O,
    /// Those of the search that a round begins with.
    begin_params: Params,
    unit: Unit,
    /// The position that the grids begin with.
    position: Position<R>,
    /// Moves that are legal there and may not be played.
    barred: Vec<Move>,
    patience: u64,
    /// Grids have no more moves.
    longest: usize,
    /// Whether there is only one round.
    alone: bool,
    /// Steps without a longer grid after which a walk ends that is not the leader.
    enough: u64,
    /// The search that the round begins with, if it is under way.
    beginning: Option<Beginning<R, O>>,
    state: ReshapeState<R>,
}

impl<R: Rules, O: Orbits> Reshape<R, O> {
    /// Begins the search of `unit`. With orbits of two moves, the unit's prefix is symmetric, and so are the given
    /// grids; others are left out.
    pub fn new(params: &Params, unit: &Unit) -> Reshape<R, O> {
        Reshape::begun(Reshape::empty(params, unit), params)
    }

    /// Begins likewise, but with temperings in 5D too. Their first grids are longer than those of a cooled walk,
    /// which is hot at first, so the board of the page uses them.
    pub fn tempered(params: &Params, unit: &Unit) -> Reshape<R, O> {
        let mut search = Reshape::empty(params, unit);
        search.state.form = Form::Tempered;
        Reshape::begun(search, params)
    }

    /// With the given grids and the first round.
    fn begun(mut search: Reshape<R, O>, params: &Params) -> Reshape<R, O> {
        let unit = search.unit.clone();
        for moves in unit.own(&params.grids) {
            let Some(moves) = own_order(search.orbits, &search.position, moves) else { continue };
            search.state.absorb_grid(&moves);
            search.state.given.push(moves);
        }
        search.begin();
        search
    }

    /// Without grids, and without a search that makes some.
    fn empty(params: &Params, unit: &Unit) -> Reshape<R, O> {
        let position = unit.position::<R>(params);
        let moves = unit.moves(&position);
        let barred = position.moves().iter().filter(|mv| !moves.contains(mv)).copied().collect();
        let patience = params.patience();
        Reshape {
            orbits: O::asked::<R>(params),
            begin_params: Params {
                strategy: Strategy::Temper,
                grids: Vec::new(),
                patience: Some((patience / START_PART).max(1)),
                ..params.clone()
            },
            unit: unit.clone(),
            barred,
            patience,
            longest: unit.room::<R>(params),
            alone: false,
            enough: (patience / WALK_PART).max(1),
            beginning: None,
            state: ReshapeState::new(position.board(), Form::usual::<R, O>()),
            position,
        }
    }

    /// Continues from what [`Search::save`] returned for the same parameters and unit.
    ///
    /// # Errors
    /// If the bytes are not such a state.
    pub fn restore(params: &Params, unit: &Unit, saved: &[u8]) -> Result<Reshape<R, O>, RestoreError> {
        let mut search = Reshape::<R, O>::empty(params, unit);
        if let Some(inner) = search.state.restore::<O>(saved, search.position.board())? {
            let (params, unit) = (&search.begin_params, search.begin_unit());
            search.beginning = Some(match search.state.form {
                Form::Tempered => Beginning::Tempering(Box::new(Temper::restore(params, &unit, &inner)?)),
                Form::Cooled => Beginning::Cooling(Box::new(Relax::restore_cooled(params, &unit, &inner)?)),
            });
        }
        Ok(search)
    }

    /// With one round that ends after so many steps without a longer grid.
    pub(super) fn alone(mut self, enough: u64) -> Reshape<R, O> {
        self.alone = true;
        self.enough = enough;
        self
    }

    /// The unit of the search that this round begins with: with what was left of the limit, and a seed of the round.
    fn begin_unit(&self) -> Unit {
        let ReshapeState { rounds, began, .. } = self.state;
        Unit {
            seed: if rounds == 0 { self.unit.seed } else { derive(self.unit.seed, &[rounds, 0, 0, 1]) },
            max_iterations: self.unit.max_iterations.map(|limit| limit.saturating_sub(began)),
            ..self.unit.clone()
        }
    }

    /// Whether the walk has come to its end.
    fn is_stuck(&self) -> bool {
        let ReshapeState { walk, longest, form, .. } = &self.state;
        let since = self.state.steps.saturating_sub(walk.found);
        if *form == Form::Cooled && self.state.given.is_empty() {
            return walk.longest.len() + BEHIND < *longest || since >= (self.patience / COOLED_WALK_PART).max(1);
        }
        let leads = walk.longest.len() >= *longest && !self.alone;
        since >= if leads { self.enough.saturating_mul(LEADER) } else { self.enough }
    }

    /// Begins a round.
    fn begin(&mut self) {
        if self.state.given.is_empty() {
            let (params, unit) = (&self.begin_params, self.begin_unit());
            if self.state.form == Form::Cooled {
                self.state.begin_walk(Vec::new());
            }
            self.beginning = Some(match self.state.form {
                Form::Tempered => Beginning::Tempering(Box::new(Temper::new(params, &unit))),
                Form::Cooled => Beginning::Cooling(Box::new(Relax::cooled(params, &unit))),
            });
        } else {
            let next = self.state.rounds as usize % self.state.given.len();
            self.state.begin_walk(self.state.given[next].clone());
        }
    }

    /// Ends a round and begins the next.
    fn next_round(&mut self) {
        let state = &mut self.state;
        if !state.given.is_empty() {
            let last = state.rounds as usize % state.given.len();
            state.given[last].clone_from(&state.walk.longest);
        }
        state.rounds += 1;
        state.began = state.iterations;
        self.begin();
    }

    /// Absorbs where the search that the round began with has come to, and begins a walk at the longest of its grids.
    fn end_beginning(&mut self, search: &Beginning<R, O>) {
        self.state.iterations = self.state.iterations.saturating_add(search.search().iterations());
        self.state.results[0].merge(&search.search().results()[0]);
        let longest = match search {
            Beginning::Tempering(search) => {
                search.grids().for_each(|grid| self.state.absorb_grid(&grid));
                search.grids().max_by_key(Vec::len).unwrap_or_default()
            }
            Beginning::Cooling(_) => std::mem::take(&mut self.state.walk.grid),
        };
        self.state.begin_walk(longest);
    }

    /// One step of the walk.
    fn step(&mut self) {
        let mut rng = seed::rng(derive(self.unit.seed, &[self.state.steps]), &[]);
        self.state.steps += 1;
        let mut shape = self.state.shape(&self.state.walk.grid);
        let (found, draws) = draw(&mut shape, self.orbits, |key| self.state.refused.contains(key), &mut rng);
        self.state.iterations = self.state.iterations.saturating_add(draws);
        if !found {
            return;
        }
        let like = &self.state.walk.grid;
        let query = ShapeQuery { barred: &self.barred, like, limit: CONFLICTS, seed: rng.random(), stop: ON };
        let (answer, conflicts) = fill_orbits(&shape, self.orbits, query);
        self.state.iterations = self.state.iterations.saturating_add(conflicts);
        let moves = match answer {
            Filling::Grid(moves) if moves.len() <= self.longest => moves,
            _ => {
                self.state.refused.insert(shape.key());
                return;
            }
        };
        let whole = self.extended(&moves);
        self.state.results[0].add(self.unit.prefix.len() + whole.len());
        self.state.note_length(whole.len(), self.state.iterations);
        self.state.absorb_grid(&whole);
        // Were it always the whole grid, no walk would lead to a shorter one: what it takes out mostly can be played
        // again.
        self.state.walk.grid = if whole.len() > self.state.walk.longest.len() { whole.clone() } else { moves };
        if whole.len() > self.state.walk.longest.len() {
            self.state.walk.longest = whole;
            self.state.walk.found = self.state.steps;
        }
    }

    /// A grid, and what can be played after it.
    fn extended(&self, grid: &[Move]) -> Vec<Move> {
        let (mut position, mut moves) = (self.position.clone(), grid.to_vec());
        moves.iter().for_each(|&mv| position.play(mv));
        let fits = |mv: &&Move| !self.barred.contains(mv) && self.orbits.fit::<R>(**mv);
        // An orbit has two moves at most.
        while moves.len() + 2 <= self.longest
            && let Some(&mv) = position.moves().iter().find(fits)
        {
            for mv in self.orbits.of(mv) {
                position.play(mv);
                moves.push(mv);
            }
        }
        moves
    }
}

impl<R: Rules, O: Orbits> Search<Move> for Reshape<R, O> {
    fn run(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        self.state.finds.keep_from = ctl.keep_from();
        let limit = self.unit.max_iterations.unwrap_or(u64::MAX);
        loop {
            self.state.finds.report(&self.unit.prefix, self.state.iterations, ctl);
            if let Some(mut search) = self.beginning.take() {
                let mut host = ReshapeHost { state: &mut self.state, prefix: self.unit.prefix.len() };
                let end = run_inner(search.search_mut(), &mut host, ctl);
                if end == End::Finished || search.is_whole() {
                    self.end_beginning(&search);
                    continue;
                }
                self.beginning = Some(search);
                return end;
            }
            let stuck = self.is_stuck();
            if self.state.iterations.saturating_sub(self.state.found_at) >= self.patience || (stuck && self.alone) {
                return End::Finished;
            }
            if self.state.iterations >= limit {
                return End::IterationLimit;
            }
            if ctl.poll(self.state.iterations, self.state.finds.best) == Signal::Stop {
                return End::Stopped;
            }
            ctl.offer_checkpoint(&mut || self.state.save(None));
            if stuck {
                self.next_round();
            } else {
                self.step();
            }
        }
    }

    fn save(&self) -> Vec<u8> {
        self.state.save(self.beginning.as_ref().map(|begun| begun.search().save()))
    }

    fn iterations(&self) -> u64 {
        let begun = self.beginning.as_ref().map_or(0, |begun| begun.search().iterations());
        self.state.iterations.saturating_add(begun)
    }

    fn best(&self) -> u32 {
        self.state.finds.best
    }

    /// The beginning or the walk of a round.
    fn phase(&self) -> Option<Phase> {
        let name = self.beginning.as_ref().map_or("walk", Beginning::name);
        Some(Phase { name, number: self.state.rounds + 1, of: None })
    }

    fn results(&self) -> &[Histogram] {
        match &self.beginning {
            Some(begun) if self.state.rounds == 0 => begun.search().results(),
            _ => &self.state.results,
        }
    }
}

#[cfg(test)]
mod tests;
