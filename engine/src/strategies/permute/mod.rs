//! Permutation: local search over priority orders (Tishchenko 2026).
//!
//! A priority order ranks all moves. A greedy player makes a grid of it: of the legal moves it always plays the one
//! that comes first in the order. A step takes a grid out of a pool, exchanges some moves in its order, and plays.
//! The new grid joins the pool if it is not much shorter than the longest and its set of points is new (`pool`).
//! Every second slice the longest grid that has not been wound back is: its last moves are given up, and what is left
//! is completed many times (`rewind`).
//!
//! The order of a grid begins with its own moves. All other moves follow in a random order, which is drawn anew for
//! every playout. The greedy player is NRPA's playout with priorities in place of running clocks (`priorities`). The
//! pool begins with given grids, with the result of an NRPA search (`level`), or with random playouts.
//!
//! After `patience` playouts without a longer grid the unit is finished. Random numbers are drawn anew from the
//! unit's seed for each slice of 4096 playouts, so a search can be stopped and saved between two slices.

mod former;
mod pool;
mod rewind;

use super::codec::{check_grid, decode_with_results, encode_with_results, restore_error};
use super::course::{Course, Sliced, run_slices};
use super::nrpa::game::{PlayoutGame, points_fingerprint};
use super::nrpa::playout::Playout;
use super::nrpa::policy::code;
use super::params::Params;
use super::priorities::{Greedy, Priorities};
use super::unit::Unit;
use super::vector::dispatch::VectorInstructions;
use super::warm_start::{SavedStart, WarmStart};
use crate::core::ctl::Ctl;
use crate::core::histogram::Histogram;
use crate::core::search::{End, Phase, RestoreError, Search};
use crate::core::seed::{self, Rng, derive};
use crate::morpion::geometry::Move;
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;
use pool::{Offer, SavedWindowPool, WindowPool};
use rand::RngExt;
use rewind::Rewind;

/// Playouts between two polls: about 15 ms.
const SLICE: u32 = 4096;
/// Slices between two grids that are wound back.
const REWIND: u64 = 2;
/// Slices in a round of the pool, at most. The first round is one slice, and each is one longer than the one before:
/// the grids grow fastest at first.
const ROUND: u64 = 24;
/// Random playouts at the beginning, if there is no grid.
const RANDOM_PLAYOUTS: u32 = 100;
/// Lists of alternatives that are kept.
const KEPT: usize = 8192;
/// What a state begins with: one that begins with less is of the former form.
const FORM: u8 = 2;

/// A resumable permutation search of one unit.
pub struct Permute<R> {
    course: Course,
    /// Exchanges of a step, at most.
    swaps: u32,
    /// The position that the playouts start from.
    position: Position<R>,
    /// The search that the pool begins with, while it runs.
    start: Option<WarmStart<R>>,
    pool: WindowPool,
    playout: Playout<R>,
    rewind: Rewind<R>,
    priorities: Priorities,
    rng: Rng,
    alternatives: Alternatives,
    /// Slices of this round.
    round: u64,
}

/// By place in the pool: the hash of a grid's points, and the codes of all moves that were legal during it.
struct Alternatives {
    kept: Vec<(u64, Vec<u32>)>,
    game: Box<PlayoutGame>,
}

impl Alternatives {
    fn new() -> Alternatives {
        Alternatives { kept: vec![(0, Vec::new()); KEPT], game: PlayoutGame::boxed() }
    }

    /// Those of the grid of these moves.
    #[inline(always)]
    fn of<R: Rules>(&mut self, place: u32, (moves, hash): (&[Move], u64), playout: &mut Playout<R>) -> &[u32] {
        let kept = &mut self.kept[place as usize % KEPT];
        if kept.0 != hash || kept.1.is_empty() {
            playout.replay(moves, &mut self.game);
            kept.0 = hash;
            kept.1.clear();
            let (_, starts) = playout.start();
            kept.1.extend(starts.iter().map(|&mv| code(mv) as u32));
            kept.1.extend_from_slice(&self.game.codes[..self.game.appearances]);
        }
        &kept.1
    }

    /// Forgets those of a place, whose order has changed.
    fn forget(&mut self, place: u32) {
        self.kept[place as usize % KEPT].1.clear();
    }
}

#[derive(serde::Serialize, serde::Deserialize)]
struct SavedPermute {
    form: u8,
    /// The starting search and its best grid, while it runs.
    start: Option<SavedStart>,
    pool: SavedWindowPool,
    slices: u64,
    round: u64,
    playouts: u64,
    found_at: u64,
    best: u32,
}

impl<R: Rules> Permute<R> {
    /// Begins the search of `unit`.
    pub fn new(params: &Params, unit: &Unit) -> Permute<R> {
        let position = unit.position::<R>(params);
        let moves = unit.moves(&position);
        let mut search = Permute {
            course: Course::new(params, unit),
            swaps: params.swaps().max(1),
            start: None,
            pool: WindowPool::new(params.pool() as usize),
            playout: Playout::new(position.board().clone(), moves, unit.room::<R>(params)),
            rewind: Rewind::new(&position, moves, unit.room::<R>(params)),
            position,
            priorities: Priorities::new(derive(unit.seed, &[u64::MAX])),
            rng: seed::rng(unit.seed, &[]),
            alternatives: Alternatives::new(),
            round: 0,
        };
        unit.own(&params.grids).for_each(|grid| search.absorb(&grid));
        if search.pool.best() == 0 && params.level() > 0 {
            search.start = Some(WarmStart::new(params, unit));
        }
        search
    }

    /// Continues from what [`Search::save`] returned for the same parameters and unit.
    ///
    /// # Errors
    /// If the bytes are not such a state.
    pub fn restore(params: &Params, unit: &Unit, saved: &[u8]) -> Result<Permute<R>, RestoreError> {
        let fail = |reason: &str| restore_error("permute", reason.to_owned());
        let mut search = Permute::<R>::new(params, unit);
        if saved.first().is_some_and(|&form| form < FORM) {
            search.restore_former(params, unit, saved)?;
            return Ok(search);
        }
        let (saved, results): (SavedPermute, _) = decode_with_results("permute", saved, 1)?;
        if saved.form != FORM {
            return Err(fail("it is of another version of the program"));
        }
        search.start = match saved.start {
            Some(start) => Some(WarmStart::restore(params, unit, start)?),
            None => None,
        };
        search.pool = WindowPool::new(params.pool() as usize);
        search.pool.restore(saved.pool, &search.position, points_fingerprint).map_err(fail)?;
        search.round = saved.round;
        search.course.restore((saved.slices, saved.playouts, saved.found_at), saved.best, results);
        Ok(search)
    }

    /// Lets a new search continue from a state of the former form.
    fn restore_former(&mut self, params: &Params, unit: &Unit, saved: &[u8]) -> Result<(), RestoreError> {
        let (saved, results) = former::read(saved)?;
        self.start = match saved.start {
            Some(start) => Some(WarmStart::restore(params, unit, start)?),
            None => None,
        };
        for member in &saved.members {
            check_grid(self.position.board(), member)
                .map_err(|reason| restore_error("permute", reason.to_owned()))?;
            self.absorb(member);
        }
        self.course.restore((saved.slices, saved.playouts, saved.found_at), saved.best, results);
        Ok(())
    }

    /// Absorbs a grid that comes from elsewhere.
    fn absorb(&mut self, moves: &[Move]) {
        if self.pool.offer(moves, points_fingerprint(moves)) == Offer::New {
            self.course.finds.push(moves);
        }
    }

    /// Ranks the moves of a grid first, and exchanges some of them with others.
    #[inline(always)]
    fn exchange(&mut self, place: u32) {
        let (moves, hash) = self.pool.grid(place);
        self.priorities.rank(moves);
        if moves.is_empty() {
            return;
        }
        for _ in 0..self.rng.random_range(self.swaps.min(2)..=self.swaps) {
            let (alternatives, playout) = (&mut self.alternatives, &mut self.playout);
            self.priorities.exchange(moves, move || alternatives.of(place, (moves, hash), playout), &mut self.rng);
        }
    }

    /// Absorbs the game just played, which came of the grid at a place.
    #[inline(never)]
    fn keep_game(&mut self, parent: Option<u32>) {
        let game = &self.playout.game;
        let (moves, best) = (game.moves(), self.pool.best());
        match self.pool.offer(moves, game.points_fingerprint()) {
            Offer::Short => {}
            Offer::Known(place) => self.alternatives.forget(place),
            Offer::New => {
                if let Some(parent) = parent {
                    self.pool.reward(parent);
                }
                self.course.absorb(moves, moves.len() > best);
            }
        }
    }

    /// Absorbs what winding back has found, the shortest first.
    #[inline(never)]
    fn keep_rewound(&mut self) {
        self.course.playouts = self.course.playouts.saturating_add(self.rewind.lengths.len() as u64);
        for length in &self.rewind.lengths {
            self.course.count(*length);
        }
        self.rewind.finds.sort_by_key(|(moves, hash)| (moves.len(), *hash));
        for (moves, hash) in &self.rewind.finds {
            let best = self.pool.best();
            if self.pool.offer(moves, *hash) == Offer::New {
                self.course.absorb(moves, moves.len() > best);
            }
        }
    }

    /// Runs the search that the pool begins with.
    fn run_start(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        let Some(start) = &mut self.start else { return End::Finished };
        let (pool, position, results) = (&self.pool, &self.position, &self.course.results);
        let end = start.run(ctl, &|start| {
            let start = Some(start);
            let pool = pool.save(position);
            let saved =
                SavedPermute { form: FORM, start, pool, slices: 0, round: 0, playouts: 0, found_at: 0, best: 0 };
            encode_with_results(&saved, results)
        });
        if let Some(grid) = self.course.hand_over(&mut self.start, end) {
            self.absorb(&grid);
            // It has been reported.
            self.course.finds.clear();
        }
        end
    }
}

impl<R: Rules> Sliced for Permute<R> {
    fn course(&mut self) -> &mut Course {
        &mut self.course
    }

    fn is_empty(&self) -> bool {
        self.playout.start().1.is_empty()
    }

    #[inline(always)]
    unsafe fn slice<I: VectorInstructions>(&mut self) {
        self.rng = seed::rng(self.course.next_seed(), &[]);
        let random = if self.pool.best() == 0 { RANDOM_PLAYOUTS } else { 0 };
        for n in 0..u64::from(SLICE).min(self.course.left()) as u32 {
            let parent = if n < random { None } else { self.pool.draw(&mut self.rng) };
            self.priorities.redraw(self.rng.random());
            if let Some(place) = parent {
                self.exchange(place);
            }
            // SAFETY: the instructions by the caller's promise.
            unsafe { self.playout.play_by::<I, _>(Greedy(&self.priorities)) };
            self.course.playouts = self.course.playouts.saturating_add(1);
            let found = self.playout.game.moves().len();
            self.course.count(found);
            if found >= self.pool.least() {
                self.keep_game(parent);
            }
        }
        if self.course.slices.is_multiple_of(REWIND)
            && let Some(place) = self.pool.source()
        {
            let (grid, least, pool) = (self.pool.grid(place).0, self.pool.least(), &self.pool);
            let (of, until) = ((&self.position, grid), (least, self.course.left()));
            let (priorities, rng) = (&mut self.priorities, &mut self.rng);
            // SAFETY: the same.
            unsafe { self.rewind.run::<I>(of, until, |hash| pool.knows(hash), priorities, rng) };
            self.keep_rewound();
        }
        self.round += 1;
        if self.round >= ROUND.min(self.pool.rounds() + 1) {
            self.round = 0;
            self.pool.end_round();
        }
    }
}

impl<R: Rules> Search<Move> for Permute<R> {
    fn run(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        if self.start.is_some() {
            match self.run_start(ctl) {
                End::Finished => {}
                end => return end,
            }
        }
        run_slices(self, ctl)
    }

    fn save(&self) -> Vec<u8> {
        let saved = SavedPermute {
            form: FORM,
            start: self.start.as_ref().map(WarmStart::save),
            pool: self.pool.save(&self.position),
            slices: self.course.slices,
            round: self.round,
            playouts: self.course.playouts,
            found_at: self.course.found_at,
            best: self.course.finds.best,
        };
        encode_with_results(&saved, &self.course.results)
    }

    fn iterations(&self) -> u64 {
        self.start.as_ref().map_or(self.course.playouts, WarmStart::iterations)
    }

    fn best(&self) -> u32 {
        self.start.as_ref().map_or(0, WarmStart::best).max(self.course.finds.best)
    }

    fn results(&self) -> &[Histogram] {
        &self.course.results
    }

    /// That of the search that a run without grids begins with; then the round of the pool.
    fn phase(&self) -> Option<Phase> {
        let round = Phase { name: "round", number: self.pool.rounds() + 1, of: None };
        self.start.as_ref().map_or(Some(round), WarmStart::phase)
    }
}

#[cfg(test)]
mod tests;
