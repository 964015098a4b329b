//! Parallel tempering: walks over grids at several temperatures, which exchange their grids.
//!
//! A grid is a partial order: each move needs the points of its line, and a move that is removed takes with it all
//! that depends on it, in whatever order they were played (`grid`). A step of a walk brings a move into the grid that
//! the grid does not have. What collides with it goes, with all that depends on that, and the grid is completed by
//! random moves: first those that went, then others of their lines (`recall`). Nothing else of the grid is changed or
//! played again. The new grid replaces the former one if it is not shorter. If it is `d` moves shorter, it does so
//! with probability `exp(-d / T)` at temperature `T` (Metropolis et al. 1953). A hot walk goes everywhere and stays
//! with short grids. A cold one climbs where it is, and stays there.
//!
//! The move that comes is drawn from those that the grid can have, about 150 in a grid of 150 moves. One for which
//! `c` moves would have to go is tried with probability `exp(-(c - 1) / reach)`, since nearly all steps that cost
//! half of the grid are refused.
//!
//! *Replicas* walk at temperatures between a hot and a cold one, in geometric steps. After every 16 steps of each,
//! neighbours exchange their grids with probability `min(1, exp((1/T_cold - 1/T_hot) (L_hot - L_cold)))` for lengths
//! `L` (replica exchange: Swendsen and Wang 1986; Geyer 1991). So a cold walk that is stuck receives a better grid
//! from a hotter one, and no schedule has to know how long the search will be.
//!
//! A cold walk soon leaves a long grid that it meets, since few grids are long and many are nearly as long. So after
//! every 8 million playouts the longest grid met in them is *refined*: further walks, all of them cold, begin with
//! it, and continue until they have found no longer one for half a million playouts. What they find is reported, and
//! does not come back into the search.
//!
//! Random numbers are drawn anew from the unit's seed for each slice of about 4096 playouts, and all that a grid
//! knows beyond its moves is computed anew, so a search can be stopped and saved between two slices. After `patience`
//! playouts without a longer grid the unit is finished.

mod grid;
mod pairs;
mod recall;

use self::grid::{GridOrder, MOST};
use self::pairs::play_orbits;
use self::recall::Recall;
use super::choices::{choices, chosen};
use super::codec::{decode_with_results, encode_with_results, restore_error};
use super::course::{Course, Sliced, run_slices};
use super::nrpa::game::points_fingerprint;
use super::nrpa::playout::Playout;
use super::orbits::{Orbits, Single, own_order};
use super::params::Params;
use super::seen::Seen;
use super::unit::Unit;
use super::vector::dispatch::VectorInstructions;
use crate::core::ctl::Ctl;
use crate::core::histogram::Histogram;
use crate::core::search::{End, RestoreError, Search};
use crate::core::seed::{self, Rng, derive};
use crate::morpion::board::Board;
use crate::morpion::geometry::Move;
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;
use rand::RngExt;
use std::ops::Range;

/// Steps of each replica between two exchanges.
const STEPS: u32 = 16;
/// Playouts between two polls, about 6 ms, if there are not more replicas than that allows.
const SLICE: u32 = 4096;
/// Hashes of reported grids that are remembered, 0.2 MB when saved.
const TOLD: usize = 1 << 14;
/// No game of any variant has more moves, so no grid is that much shorter than another.
const LOSSES: usize = 512;
/// Draws of a move that comes into a grid, at most: then the grid is made anew.
const DRAWS: u32 = 64;
/// Playouts of the search between two terms of refining, and those of a term after its last longer grid: a
/// seventeenth of the time.
const SEARCH: u64 = 8 << 20;
pub(super) const TERM: u64 = 1 << 19;
/// The temperatures between which grids are refined, in moves.
pub(super) const REFINING: (f64, f64) = (0.5, 0.35);
/// Draws of a move for which enough have to go, at most.
const SHAKES: u32 = 100_000;
/// What a state begins with.
const FORM: u8 = 3;

/// A walk at one temperature.
struct Replica<R, O> {
    temperature: f64,
    /// By how many moves the new grid is shorter: the probability that it is taken, of 2^32.
    chances: Box<[u32; LOSSES]>,
    /// Where it is: the moves after the start, and the board with them.
    grid: GridOrder<R, O>,
    board: Box<Board<R>>,
}

impl<R: Rules, O: Orbits> Replica<R, O> {
    fn new(temperature: f64, start: &Board<R>, orbits: O) -> Replica<R, O> {
        // Of two moves that come and go together neither can be lost alone.
        let temperature = if O::PAIRED { 2.0 * temperature } else { temperature };
        let chance = |loss: usize| ((-(loss as f64) / temperature).exp() * 2f64.powi(32)) as u32;
        Replica {
            temperature,
            chances: Box::new(std::array::from_fn(chance)),
            grid: GridOrder::new(start, orbits),
            board: Box::new(start.clone()),
        }
    }
}

/// A resumable search of one unit by parallel tempering.
pub struct Temper<R, O = Single> {
    course: Course,
    /// The moves that come and go together.
    orbits: O,
    /// How many moves may go, in equal shares of the steps.
    limits: Box<[u8; 256]>,
    /// The position that the playouts start from.
    position: Position<R>,
    /// The moves that are legal there and may not be played.
    barred: Vec<Move>,
    /// Those of the search, the hottest first, and those that refine, the hottest first.
    replicas: Vec<Replica<R, O>>,
    /// How many of them search.
    searchers: usize,
    /// Playouts of the search between two terms, and those of a term after its last longer grid.
    spans: (u64, u64),
    /// Whether a grid is being refined, and for how many more playouts that, or the search, continues.
    refining: bool,
    left: u64,
    /// The longest grid that the search has met since the last one that was refined; while one is refined, the
    /// longest that came of it.
    chosen: Vec<Move>,
    playout: Playout<R>,
    recall: Recall,
    /// The moves that a game begins with, and those of a grid: room for them.
    legal: Vec<Move>,
    order: Vec<Move>,
    waiting: Vec<(Move, f32)>,
    rng: Rng,
    /// Moves of the longest grid, without the prefix.
    longest: usize,
    told: Seen,
}

/// How many moves may go in each 256th of the steps: more than `c` with probability `exp(-c / reach)`, and one
/// always.
fn limits(reach: f64) -> [u8; 256] {
    std::array::from_fn(|share| (1.0 - reach * ((share as f64 + 0.5) / 256.0).ln()).min(MOST as f64) as u8)
}

#[derive(serde::Serialize, serde::Deserialize)]
struct SavedTemper {
    form: u8,
    /// The choices of the grids, in their order.
    grids: Vec<Box<[u8]>>,
    refining: bool,
    left: u64,
    /// The choices of the grid chosen.
    chosen: Box<[u8]>,
    slices: u64,
    playouts: u64,
    found_at: u64,
    longest: usize,
    best: u32,
    told: Vec<(u32, u64)>,
}

impl<R: Rules, O: Orbits> Temper<R, O> {
    /// Begins the search of `unit`. With orbits of two moves, the unit's prefix is symmetric, and so are the given
    /// grids; others are left out.
    pub fn new(params: &Params, unit: &Unit) -> Temper<R, O> {
        let orbits = O::asked::<R>(params);
        let position = unit.position::<R>(params);
        let moves = unit.moves(&position);
        let count = params.replicas.max(1) as usize;
        let ladder = |count: usize, hot: f64, cold: f64| {
            (0..count).map(move |at| match count {
                1 => cold,
                _ => hot * (cold / hot).powf(at as f64 / (count - 1) as f64),
            })
        };
        let temperatures =
            ladder(count, params.hot, params.cold).chain(ladder(params.refiners as usize, REFINING.0, REFINING.1));
        let mut search = Temper {
            course: Course::new(params, unit),
            orbits,
            limits: Box::new(limits(params.reach)),
            barred: position.moves().iter().filter(|mv| !moves.contains(mv)).copied().collect(),
            replicas: temperatures.map(|temperature| Replica::new(temperature, position.board(), orbits)).collect(),
            searchers: count,
            spans: (SEARCH, TERM),
            refining: false,
            left: SEARCH,
            chosen: Vec::new(),
            playout: Playout::new(position.board().clone(), moves, unit.room::<R>(params)),
            position,
            recall: Recall::new(),
            legal: Vec::new(),
            order: Vec::new(),
            waiting: Vec::new(),
            rng: seed::rng(unit.seed, &[]),
            longest: 0,
            told: Seen::new(TOLD),
        };
        let own = unit.own(&params.grids);
        let mut grids: Vec<Vec<Move>> =
            own.filter_map(|grid| own_order(search.orbits, &search.position, grid)).collect();
        grids.sort_by_key(|grid| std::cmp::Reverse(grid.len()));
        // The longest for the coldest, and from the beginning again when there are fewer than replicas.
        for (at, grid) in (0..count).rev().zip(grids.iter().cycle()) {
            search.begin_with(at, grid);
        }
        search
    }

    /// Continues from what [`Search::save`] returned for the same parameters and unit.
    ///
    /// # Errors
    /// If the bytes are not such a state.
    pub fn restore(params: &Params, unit: &Unit, saved: &[u8]) -> Result<Temper<R, O>, RestoreError> {
        let fail = |reason: &str| restore_error("temper", reason.to_owned());
        let (saved, results): (SavedTemper, _) = decode_with_results("temper", saved, 1)?;
        if saved.form != FORM {
            return Err(fail("it is of another version of the program"));
        }
        let mut search = Temper::<R, O>::new(params, unit);
        if saved.grids.len() != search.replicas.len() {
            return Err(fail("it has another number of replicas"));
        }
        for (at, grid) in saved.grids.iter().enumerate() {
            let moves = chosen(&search.position, grid).ok_or_else(|| fail("a grid has a move that is not legal"))?;
            search.begin_with(at, &moves);
        }
        search.refining = saved.refining;
        search.left = saved.left;
        search.chosen =
            chosen(&search.position, &saved.chosen).ok_or_else(|| fail("a grid has a move that is not legal"))?;
        search.longest = saved.longest;
        search.told.restore(&saved.told).map_err(fail)?;
        search.course.restore((saved.slices, saved.playouts, saved.found_at), saved.best, results);
        Ok(search)
    }

    /// Where the walks are: the moves of each after the prefix.
    pub(super) fn grids(&self) -> impl Iterator<Item = Vec<Move>> {
        self.replicas.iter().map(|replica| replica.grid.moves().collect())
    }

    /// Lets a replica continue from a grid that comes from elsewhere, of which it keeps [`MOST`] moves.
    fn begin_with(&mut self, at: usize, moves: &[Move]) {
        if moves.len() > self.longest {
            self.longest = moves.len();
            self.course.finds.push(moves);
        }
        let Replica { grid, board, .. } = &mut self.replicas[at];
        let moves = &moves[..moves.len().min(MOST)];
        board.copy_from(self.position.board());
        moves.iter().for_each(|&mv| board.place(mv));
        grid.become_grid(moves);
    }

    /// Which replicas come next: those of the search, or those that refine, which begin with the grid chosen.
    fn turn(&mut self) -> Range<usize> {
        if self.left == 0 {
            self.refining = !self.refining && self.searchers < self.replicas.len();
            self.left = if self.refining { self.spans.1 } else { self.spans.0 };
            let grid = std::mem::take(&mut self.chosen);
            if self.refining {
                (self.searchers..self.replicas.len()).for_each(|at| self.begin_with(at, &grid));
                self.chosen = grid;
            }
        }
        if self.refining { self.searchers..self.replicas.len() } else { 0..self.searchers }
    }

    /// A step of a replica.
    ///
    /// # Safety
    /// The processor has the instructions.
    #[inline(always)]
    unsafe fn step<I: VectorInstructions>(&mut self, at: usize) {
        let Replica { grid, board, chances, .. } = &mut self.replicas[at];
        self.recall.redraw(self.rng.random());
        let length = grid.len();
        let mut change = None;
        for _ in 0..if length > 0 { DRAWS } else { 0 } {
            if let Some(found) = grid.draw(board, &self.limits, &mut self.rng)
                && !self.barred.contains(&found.mv)
            {
                change = Some(found);
                break;
            }
        }
        self.legal.clear();
        match &change {
            Some(change) => {
                let recall = &mut self.recall;
                grid.removed(change, |mv| {
                    board.lift(mv);
                    recall.note(mv);
                });
                self.orbits.of(change.mv).for_each(|mv| board.place(mv));
                board.scan_into(&grid.tracks, &mut self.legal);
                if !self.barred.is_empty() {
                    self.legal.retain(|mv| !self.barred.contains(mv));
                }
            }
            None => {
                grid.moves().for_each(|mv| board.lift(mv));
                self.legal.extend_from_slice(self.playout.start().1);
            }
        }
        let kept = change.as_ref().map_or(0, |change| grid.len_after(change));
        self.playout.keep(kept);
        std::mem::swap(&mut self.playout.board, board);
        if O::PAIRED {
            let recall = &self.recall;
            play_orbits(&mut self.playout, self.orbits, &self.legal, |mv| recall.rank(mv), &mut self.waiting);
        } else {
            // SAFETY: the instructions by the caller's promise.
            unsafe { self.playout.play_on::<I, _>(&self.recall, &self.legal) };
        }
        std::mem::swap(&mut self.playout.board, board);
        self.course.playouts = self.course.playouts.saturating_add(1);
        let game = &self.playout.game;
        let found = kept + game.moves().len();
        self.course.count(found);
        let chosen = found > self.chosen.len();
        if chosen || self.course.wants(found) {
            match &change {
                Some(change) => grid.moves_after(change, game.moves(), &mut self.order),
                None => game.moves().clone_into(&mut self.order),
            }
            if chosen {
                self.chosen.clone_from(&self.order);
                if self.refining {
                    self.left = self.spans.1;
                }
            }
            if found > self.longest {
                self.longest = found;
                self.course.found_at = self.course.playouts;
                self.course.finds.push(&self.order);
            } else if self.course.wants(found) && self.told.insert(points_fingerprint(&self.order)) {
                self.course.finds.push(&self.order);
            }
        }
        let loss = length.saturating_sub(found) % LOSSES;
        if found <= MOST && (loss == 0 || self.rng.random::<u32>() < chances[loss]) {
            match &change {
                Some(change) => {
                    // What was legal on the way, and was not played.
                    self.legal.iter().for_each(|&mv| grid.note(mv));
                    game.appeared[..game.appearances].iter().for_each(|&mv| grid.note(mv));
                    grid.apply(change, game.moves());
                }
                None => {
                    grid.become_grid(game.moves());
                    grid.note_all(board);
                }
            }
        } else {
            game.moves().iter().for_each(|&mv| board.lift(mv));
            match &change {
                Some(change) => {
                    self.orbits.of(change.mv).for_each(|mv| board.lift(mv));
                    grid.removed(change, |mv| board.place(mv));
                }
                None => grid.moves().for_each(|mv| board.place(mv)),
            }
        }
    }

    /// Lets a replica and its hotter neighbour exchange their grids, or not.
    #[inline(never)]
    fn exchange(&mut self, colder: usize) {
        let [hot, cold] = &mut self.replicas[colder - 1..=colder] else { return };
        let gain = hot.grid.len() as f64 - cold.grid.len() as f64;
        let chance = ((1.0 / cold.temperature - 1.0 / hot.temperature) * gain).exp();
        if chance >= 1.0 || self.rng.random::<f64>() < chance {
            std::mem::swap(&mut hot.grid, &mut cold.grid);
            std::mem::swap(&mut hot.board, &mut cold.board);
        }
    }
}

impl<R: Rules> Temper<R> {
    /// Brings a move at random into the grid of the hottest walk for which at least so many have to go, if there is
    /// one, completes the grid as a step does, and lets all walks begin with it. For a search that has not begun.
    pub(super) fn shaken(mut self, least: usize) -> Temper<R> {
        let mut rng = seed::rng(derive(self.course.seed, &[u64::MAX]), &[]);
        let Replica { grid, board, .. } = &mut self.replicas[0];
        grid.note_all(board);
        let barred = &self.barred;
        let change = (0..SHAKES).find_map(|_| {
            grid.draw(board, &[u8::MAX; 256], &mut rng)
                .filter(|change| change.count >= least && !barred.contains(&change.mv))
        });
        let Some(change) = change else { return self };
        self.recall.redraw(rng.random());
        grid.removed(&change, |mv| self.recall.note(mv));
        let mut moves = Vec::new();
        grid.moves_after(&change, &[], &mut moves);
        let mut position = self.position.clone();
        moves.iter().for_each(|&mv| position.play(mv));
        let next = |position: &Position<R>| {
            let legal = position.moves().iter().filter(|mv| !barred.contains(mv));
            legal.min_by(|a, b| self.recall.rank(**a).total_cmp(&self.recall.rank(**b))).copied()
        };
        while let Some(mv) = next(&position) {
            position.play(mv);
            moves.push(mv);
        }
        self.longest = 0;
        self.course.finds.clear();
        (0..self.replicas.len()).for_each(|at| self.begin_with(at, &moves));
        self
    }
}

impl<R: Rules, O: Orbits> Sliced for Temper<R, O> {
    fn course(&mut self) -> &mut Course {
        &mut self.course
    }

    fn is_empty(&self) -> bool {
        self.playout.start().1.is_empty()
    }

    #[inline(always)]
    unsafe fn slice<I: VectorInstructions>(&mut self) {
        self.rng = seed::rng(self.course.next_seed(), &[]);
        let turn = self.turn();
        let before = self.course.playouts;
        for Replica { grid, board, .. } in &mut self.replicas[turn.clone()] {
            self.order.clear();
            self.order.extend(grid.moves());
            grid.become_grid(&self.order);
            grid.note_all(board);
        }
        for round in 0..(SLICE / STEPS / turn.len() as u32).max(1) {
            for at in turn.clone() {
                for _ in 0..u64::from(STEPS).min(self.course.left()) {
                    // SAFETY: the instructions by the caller's promise.
                    unsafe { self.step::<I>(at) };
                }
            }
            // Every other pair in turn.
            for colder in (turn.start + 1 + round as usize % 2..turn.end).step_by(2) {
                self.exchange(colder);
            }
        }
        self.left = self.left.saturating_sub(self.course.playouts - before);
    }
}

impl<R: Rules, O: Orbits> Search<Move> for Temper<R, O> {
    fn run(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        run_slices(self, ctl)
    }

    fn save(&self) -> Vec<u8> {
        let saved = SavedTemper {
            form: FORM,
            grids: self.replicas.iter().map(|replica| choices(&self.position, replica.grid.moves())).collect(),
            refining: self.refining,
            left: self.left,
            chosen: choices(&self.position, self.chosen.iter().copied()),
            slices: self.course.slices,
            playouts: self.course.playouts,
            found_at: self.course.found_at,
            longest: self.longest,
            best: self.course.finds.best,
            told: self.told.save(),
        };
        encode_with_results(&saved, &self.course.results)
    }

    fn iterations(&self) -> u64 {
        self.course.playouts
    }

    fn best(&self) -> u32 {
        self.course.finds.best
    }

    fn results(&self) -> &[Histogram] {
        &self.course.results
    }
}

#[cfg(test)]
mod tests;
