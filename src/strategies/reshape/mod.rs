//! Reshaping: local search over the shapes of grids, each of which is filled with lines by an exact solver.
//!
//! A grid is two things: a set of points, its shape, and lines that make them one after the other. Other searches change
//! both at once, and get stuck where a longer grid needs most of the lines elsewhere: the grids of 168 to 177 moves of the best
//! kind known have all but one or two of their points in common with the record of 178, and their lines are quite different. Here the search is over shapes alone. A step
//! takes a few points out of a shape at its edge and a few in beside them, by chance until as many lines fit
//! as there are points (`shape`); and asks a solver for a grid with exactly these points (`fill`), which takes
//! a millisecond. If there is one, the walk goes on from it. The longest grids known leave room for one line more than they have, or for none, so that few shapes are worth asking
//! for, and of those that are a solver decides most at once.
//!
//! The walk is that of Metropolis at a fixed temperature: changes that make the shape a point longer or leave its length are always taken, one by
//! one or two points shorter now and then. (Measured against a pool of shapes, of which the longest were drawn most often and none became shorter:
//! see the results.)
//!
//! Which shapes can be reached this way depends on the grid, so without given grids a search goes in *rounds*: a tempering
//! (`temper`) until it is stuck, then a walk from the longest grid at which it stands until that is stuck. With given grids a round is a walk from one of them,
//! or from the longest that an earlier round has made of it.
//!
//! A tempering is stuck after the 250th part of the `patience` without a longer grid, a walk after one step for each 600,000 of it, some
//! 1,700, and after eight times as many if it has met the longest grid so far;
//! an iteration is a playout, a shape drawn or a conflict of the solver. After `patience` iterations without a longer grid the unit is finished.
//!
//! Each step draws its random numbers from a seed of its own, derived from the unit's seed and the step's number.

mod fill;
mod shape;

use super::codec::check_grid;
use super::codec::{decode_with_results, encode_with_results, restore_error};
use super::finds::Finds;
use super::params::{Params, Strategy};
use super::seen::Seen;
use super::temper::Temper;
use super::unit::Unit;
use crate::core::ctl::{Ctl, Signal};
use crate::core::histogram::Histogram;
use crate::core::search::{End, RestoreError, Search};
use crate::core::seed::{self, Rng, derive};
use crate::morpion::geometry::{Move, Point};
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;
use fill::{Answer, Query, fill};
use rand::RngExt;
use rand::seq::IndexedRandom;
use shape::Shape;

/// The tempering that a round begins with ends after this part of the patience without a longer grid.
const START: u64 = 250;
/// A walk ends when so many steps, as a part of the patience, have had no longer grid.
const STUCK: u64 = 600_000;
/// A walk that has met a grid as long as any of the unit goes on for so many times as many.
const LEADER: u64 = 8;
/// Conflicts of the solver after which it gives a shape up.
const CONFLICTS: u64 = 200;
/// Shapes that a step draws at most until one is worth asking for.
const DRAWS: u64 = 5_000;
/// How many points a step takes out, each as often as it stands here.
const OUT: [usize; 12] = [0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5];
/// By how many points a step makes the shape longer, and how often in [`ALL`]: as if longer ones, as long ones, shorter ones by
/// one and by two were drawn as 3 to 3 to 2 to 1 and taken at a temperature of 0.8 points.
const CHANGES: [(isize, u32); 4] = [(1, 300), (0, 300), (-1, 57), (-2, 8)];
const ALL: u32 = 665;
/// Of how many points, drawn at random, the one that leaves most room for lines comes in.
const CHOICE: [usize; 3] = [1, 2, 4];
/// Points that come and go beside one another lie so far apart at most.
const BESIDE: i32 = 2;
/// Shapes that are remembered to have no grid, and such that have one, 0.4 MB each when saved.
const KNOWN: usize = 1 << 15;
/// What a state begins with.
const FORM: u8 = 2;

/// A resumable search of one unit by reshaping.
pub struct Reshape<R> {
    temper_params: Params,
    unit: Unit,
    /// The position that the games start from.
    position: Position<R>,
    /// Moves that are legal there and may not be played.
    barred: Vec<u32>,
    patience: u64,
    /// Whether there is only one round.
    alone: bool,
    /// Steps without a longer grid after which a walk ends that is not the leader.
    enough: u64,
    /// The tempering under way, if one is.
    tempering: Option<Box<Temper<R>>>,
    own: Own<R>,
}

/// What is known beyond the tempering under way.
struct Own<R> {
    /// The given grids, or what walks have made of them.
    given: Vec<Vec<u32>>,
    walk: Walk,
    /// Rounds that are done, and iterations that they took.
    rounds: u64,
    began: u64,
    /// Shapes that have no grid, as far as is known; and those of grids that were found.
    refused: Seen,
    filled: Seen,
    /// Steps that are done.
    steps: u64,
    /// Iterations that are done.
    games: u64,
    /// Iterations when the longest grid was found, and how long it is without the prefix.
    found_at: u64,
    longest: usize,
    finds: Finds,
    results: Vec<Histogram>,
    bare: Shape<R>,
}

/// Where a walk stands. Grids are given by moves as bits, in an order in which they can be played, without the prefix.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Walk {
    grid: Vec<u32>,
    /// The longest that it met, and how many steps were done then.
    longest: Vec<u32>,
    found: u64,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Saved {
    form: u8,
    tempering: Option<Vec<u8>>,
    given: Vec<Vec<u32>>,
    walk: Walk,
    rounds: u64,
    began: u64,
    refused: Vec<(u32, u64)>,
    filled: Vec<(u32, u64)>,
    steps: u64,
    games: u64,
    found_at: u64,
    longest: usize,
    best: u32,
}

impl<R: Rules> Reshape<R> {
    /// Begins the search of `unit`.
    pub fn new(params: &Params, unit: &Unit) -> Reshape<R> {
        let mut search = Reshape::<R>::empty(params, unit);
        for moves in unit.own(&params.grids) {
            search.own.take_in(&moves);
            search.own.given.push(moves);
        }
        search.begin();
        search
    }

    /// Without grids, and without a search that makes some.
    fn empty(params: &Params, unit: &Unit) -> Reshape<R> {
        let position = unit.position::<R>();
        let moves = unit.moves(&position);
        let barred = position.moves().iter().filter(|mv| !moves.contains(mv)).map(|mv| mv.bits()).collect();
        let patience = params.patience();
        Reshape {
            temper_params: Params {
                strategy: Strategy::Temper,
                grids: Vec::new(),
                patience: Some((patience / START).max(1)),
                ..params.clone()
            },
            unit: unit.clone(),
            barred,
            patience,
            alone: false,
            enough: (patience / STUCK).max(1),
            tempering: None,
            own: Own {
                given: Vec::new(),
                walk: Walk::default(),
                rounds: 0,
                began: 0,
                refused: Seen::new(KNOWN),
                filled: Seen::new(KNOWN),
                steps: 0,
                games: 0,
                found_at: 0,
                longest: 0,
                finds: Finds::default(),
                results: vec![Histogram::default()],
                bare: Shape::new(position.board()),
            },
            position,
        }
    }

    /// Goes on from what [`Search::save`] returned for the same parameters and unit.
    ///
    /// # Errors
    /// If the bytes are no such state.
    pub fn restore(params: &Params, unit: &Unit, saved: &[u8]) -> Result<Reshape<R>, RestoreError> {
        let fail = |reason: &str| restore_error("reshape", reason.to_owned());
        let mut search = Reshape::<R>::empty(params, unit);
        let (saved, results): (Saved, _) = decode_with_results("reshape", saved, 1)?;
        if saved.form != FORM {
            return Err(fail("it is of another version of the program"));
        }
        for grid in saved.given.iter().chain([&saved.walk.grid, &saved.walk.longest]) {
            check_grid::<R>(&unit.prefix, grid).map_err(fail)?;
        }
        search.own.given = saved.given;
        search.own.walk = saved.walk;
        search.own.rounds = saved.rounds;
        search.own.began = saved.began;
        search.own.refused.restore(&saved.refused).map_err(fail)?;
        search.own.filled.restore(&saved.filled).map_err(fail)?;
        search.own.steps = saved.steps;
        search.own.games = saved.games;
        search.own.found_at = saved.found_at;
        search.own.longest = saved.longest;
        search.own.finds.best = saved.best;
        search.own.results = results;
        search.tempering = match saved.tempering {
            None => None,
            Some(state) => Some(Box::new(Temper::restore(&search.temper_params, &search.tempering_unit(), &state)?)),
        };
        Ok(search)
    }

    /// With one round that ends after so many steps without a longer grid.
    pub(super) fn alone(mut self, enough: u64) -> Reshape<R> {
        self.alone = true;
        self.enough = enough;
        self
    }

    /// The unit of the tempering that this round begins with: with what was left of the limit, and a seed of the round.
    fn tempering_unit(&self) -> Unit {
        let Own { rounds, began, .. } = self.own;
        Unit {
            seed: if rounds == 0 { self.unit.seed } else { derive(self.unit.seed, &[rounds, 0, 0, 1]) },
            max_iterations: self.unit.max_iterations.map(|limit| limit.saturating_sub(began)),
            ..self.unit.clone()
        }
    }

    /// Steps without a longer grid after which the walk ends.
    fn enough(&self) -> u64 {
        let leads = self.own.walk.longest.len() >= self.own.longest && !self.alone;
        if leads { self.enough.saturating_mul(LEADER) } else { self.enough }
    }

    /// Begins a round.
    fn begin(&mut self) {
        if self.own.given.is_empty() {
            self.tempering = Some(Box::new(Temper::new(&self.temper_params, &self.tempering_unit())));
        } else {
            let next = self.own.rounds as usize % self.own.given.len();
            self.own.set_out(self.own.given[next].clone());
        }
    }

    /// Ends a round and begins the next.
    fn next_round(&mut self) {
        let own = &mut self.own;
        if !own.given.is_empty() {
            let last = own.rounds as usize % own.given.len();
            own.given[last].clone_from(&own.walk.longest);
        }
        own.rounds += 1;
        own.began = own.games;
        self.begin();
    }

    /// Takes in where the tempering that is done has come to, and begins a walk at the longest of its grids.
    fn end_tempering(&mut self, search: &Temper<R>) {
        self.own.games = self.own.games.saturating_add(search.iterations());
        search.grids().for_each(|grid| self.own.take_in(&grid));
        self.own.results[0].merge(&search.results()[0]);
        self.own.set_out(search.grids().max_by_key(Vec::len).unwrap_or_default());
    }

    /// One step of the walk.
    fn step(&mut self) {
        let mut rng = seed::rng(derive(self.unit.seed, &[self.own.steps]), &[]);
        self.own.steps += 1;
        let mut shape = self.own.shape(&self.own.walk.grid);
        let (found, draws) = self.own.draw(&mut shape, &mut rng);
        self.own.games = self.own.games.saturating_add(draws);
        if !found {
            return;
        }
        let like = &self.own.walk.grid;
        let query = Query { barred: &self.barred, like, limit: CONFLICTS, seed: rng.random() };
        let (answer, conflicts) = fill(&shape, query);
        self.own.games = self.own.games.saturating_add(conflicts);
        let Answer::Grid(moves) = answer else {
            self.own.refused.insert(shape.key());
            return;
        };
        let whole = self.extended(&moves);
        self.own.results[0].add(self.unit.prefix.len() + whole.len());
        self.own.longer(whole.len(), self.own.games);
        self.own.take_in(&whole);
        // Were it always the whole grid, no walk would lead to a shorter one: what it takes out mostly can be played again.
        self.own.walk.grid = if whole.len() > self.own.walk.longest.len() { whole.clone() } else { moves };
        if whole.len() > self.own.walk.longest.len() {
            self.own.walk.longest = whole;
            self.own.walk.found = self.own.steps;
        }
    }

    /// A grid, and what can be played behind it.
    fn extended(&self, grid: &[u32]) -> Vec<u32> {
        let (mut position, mut moves) = (self.position.clone(), grid.to_vec());
        moves.iter().for_each(|&bits| position.play(Move::from_raw(bits)));
        while let Some(&mv) = position.moves().iter().find(|mv| !self.barred.contains(&mv.bits())) {
            position.play(mv);
            moves.push(mv.bits());
        }
        moves
    }
}

impl<R: Rules> Own<R> {
    /// The shape of a grid.
    fn shape(&self, grid: &[u32]) -> Shape<R> {
        let mut shape = self.bare.clone();
        grid.iter().for_each(|&bits| shape.flip(Move::from_raw(bits).point()));
        shape
    }

    /// Changes the shape of a grid into another one into which enough lines fit and that was not refused, if one comes; and how many were drawn.
    fn draw(&self, shape: &mut Shape<R>, rng: &mut Rng) -> (bool, u64) {
        let (rim, outside) = (shape.rim(), shape.outside());
        let (length, key) = (shape.len(), shape.key());
        let mut flipped = Vec::new();
        for draws in 1..=DRAWS {
            let change = change(rng);
            let out = (*OUT.choose(rng).unwrap_or(&1)).max(change.min(0).unsigned_abs());
            let mut last = None;
            for _ in 0..out {
                let point = near_or_any(last, &rim, rng);
                if let Some(point) = point.filter(|&point| shape.has(point) && !shape.is_start(point)) {
                    shape.flip(point);
                    flipped.push(point);
                    last = Some(point);
                }
            }
            for _ in 0..out.saturating_add_signed(change) {
                let mut best: Option<(i32, Point)> = None;
                for _ in 0..*CHOICE.choose(rng).unwrap_or(&1) {
                    let Some(point) = near_or_any(last, &outside, rng).filter(|&point| !shape.has(point)) else {
                        continue;
                    };
                    shape.flip(point);
                    let slack = shape.slack();
                    shape.flip(point);
                    if best.is_none_or(|(most, _)| slack > most) {
                        best = Some((slack, point));
                    }
                }
                if let Some((_, point)) = best {
                    shape.flip(point);
                    flipped.push(point);
                    last = Some(point);
                }
            }
            let wanted = length.checked_add_signed(change) == Some(shape.len()) && shape.key() != key;
            if wanted && shape.slack() >= 0 && !self.refused.contains(shape.key()) {
                return (true, draws);
            }
            flipped.drain(..).for_each(|point| shape.flip(point));
        }
        (false, DRAWS)
    }

    /// Begins a walk at a grid.
    fn set_out(&mut self, grid: Vec<u32>) {
        self.walk = Walk { longest: grid.clone(), grid, found: self.steps };
    }

    /// Notes when a grid of this length was found, if that is new.
    fn longer(&mut self, length: usize, games: u64) {
        if length > self.longest {
            self.longest = length;
            self.found_at = games;
        }
    }

    /// Tells of a grid, if its shape is new.
    fn take_in(&mut self, moves: &[u32]) {
        self.longest = self.longest.max(moves.len());
        if self.filled.insert(self.shape(moves).key()) {
            self.finds.push(moves);
        }
    }

    fn save(&self, tempering: Option<Vec<u8>>) -> Vec<u8> {
        let saved = Saved {
            form: FORM,
            tempering,
            given: self.given.clone(),
            walk: self.walk.clone(),
            rounds: self.rounds,
            began: self.began,
            refused: self.refused.save(),
            filled: self.filled.save(),
            steps: self.steps,
            games: self.games,
            found_at: self.found_at,
            longest: self.longest,
            best: self.finds.best,
        };
        encode_with_results(&saved, &self.results)
    }
}

/// By how many points a step makes the shape longer.
fn change(rng: &mut Rng) -> isize {
    let mut left = rng.random_range(0..ALL);
    for (change, share) in CHANGES {
        if left < share {
            return change;
        }
        left -= share;
    }
    0
}

/// Any of these points, or half of the time one near the last.
fn near_or_any(last: Option<Point>, any: &[Point], rng: &mut Rng) -> Option<Point> {
    match last {
        Some(last) if rng.random_range(0..2) == 0 => {
            let mut step = || rng.random_range(-BESIDE..=BESIDE);
            Point::new(last.x() + step(), last.y() + step())
        }
        _ => any.choose(rng).copied(),
    }
}

/// Passes on what a tempering says.
struct Watch<'a, R> {
    ctl: &'a mut dyn Ctl<Move>,
    own: &'a mut Own<R>,
    unit: &'a Unit,
}

impl<R: Rules> Ctl<Move> for Watch<'_, R> {
    fn poll(&mut self, iterations: u64, best: u32) -> Signal {
        self.ctl.poll(self.own.games.saturating_add(iterations), best.max(self.own.finds.best))
    }

    fn offer_checkpoint(&mut self, save: &mut dyn FnMut() -> Vec<u8>) {
        let own = &*self.own;
        self.ctl.offer_checkpoint(&mut || own.save(Some(save())));
    }

    fn improved(&mut self, moves: &[Move], iterations: u64) {
        let grid: Vec<u32> = moves[self.unit.prefix.len()..].iter().map(|mv| mv.bits()).collect();
        self.own.longer(grid.len(), self.own.games.saturating_add(iterations));
        self.own.take_in(&grid);
        // It is reported here.
        self.own.finds.clear();
        let score = moves.len() as u32;
        if score > self.own.finds.best {
            self.own.finds.best = score;
            self.ctl.improved(moves, self.own.games.saturating_add(iterations));
        }
    }

    fn keep_from(&self) -> u32 {
        self.ctl.keep_from()
    }

    fn found(&mut self, moves: &[Move], iterations: u64) {
        self.ctl.found(moves, self.own.games.saturating_add(iterations));
    }
}

impl<R: Rules> Search<Move> for Reshape<R> {
    fn run(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        self.own.finds.keep_from = ctl.keep_from();
        let limit = self.unit.max_iterations.unwrap_or(u64::MAX);
        loop {
            self.own.finds.report(&self.unit.prefix, self.own.games, ctl);
            if let Some(mut search) = self.tempering.take() {
                match search.run(&mut Watch { ctl: &mut *ctl, own: &mut self.own, unit: &self.unit }) {
                    End::Finished => self.end_tempering(&search),
                    end => {
                        self.tempering = Some(search);
                        return end;
                    }
                }
                continue;
            }
            let stuck = self.own.steps.saturating_sub(self.own.walk.found) >= self.enough();
            if self.own.games.saturating_sub(self.own.found_at) >= self.patience || (stuck && self.alone) {
                return End::Finished;
            }
            if self.own.games >= limit {
                return End::IterationLimit;
            }
            if ctl.poll(self.own.games, self.own.finds.best) == Signal::Stop {
                return End::Stopped;
            }
            ctl.offer_checkpoint(&mut || self.own.save(None));
            if stuck {
                self.next_round();
            } else {
                self.step();
            }
        }
    }

    fn save(&self) -> Vec<u8> {
        self.own.save(self.tempering.as_ref().map(|search| search.save()))
    }

    fn iterations(&self) -> u64 {
        self.own.games.saturating_add(self.tempering.as_ref().map_or(0, |search| search.iterations()))
    }

    fn best(&self) -> u32 {
        self.own.finds.best
    }

    fn results(&self) -> &[Histogram] {
        match &self.tempering {
            Some(search) if self.own.rounds == 0 => search.results(),
            _ => &self.own.results,
        }
    }
}

#[cfg(test)]
mod tests;
