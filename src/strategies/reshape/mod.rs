//! Reshaping: local search over the shapes of grids, each of which is filled with lines by an exact solver.
//!
//! A grid is two things: a set of points, its shape, and lines that make them one after the other. Other searches change
//! both at once, and get stuck where a longer grid needs most of the lines elsewhere: the grids of 168 to 177 moves of the best
//! kind known have all but one or two of their points in common with the record of 178, and their lines are quite different. Here the search is over shapes alone. A step draws a grid,
//! takes a few points out at its edge and a few in beside them, one more or as many, by chance until as many lines fit
//! as there are points (`shape`); and asks a solver for a grid with exactly these points (`fill`), which takes
//! milliseconds. The longest grids known leave room for one line more than they have, or for none, so that few shapes are worth asking
//! for, and of those that are a solver decides most at once.
//!
//! Which shapes can be reached this way depends on the grid, so without given grids a search goes in *rounds*: a tempering
//! (`temper`) until it is stuck, then steps from what it has left until they are stuck; and then, as long as that took, steps from what all rounds so far
//! have left. Half of the time goes into what is new, half into what is best.
//!
//! A tempering is stuck after a hundredth of the `patience` without a longer grid, steps after one for each 250,000 of it, which are 4,000;
//! an iteration is a playout, a shape drawn or a conflict of the solver. After `patience` iterations without a longer grid the unit is finished.
//!
//! Each step draws its random numbers from a seed of its own, derived from the unit's seed and the step's number.

mod fill;
mod pool;
mod shape;

use super::local::{Finds, Seen, check_grid};
use super::params::{Params, Strategy};
use super::temper::Temper;
use super::{Unit, decode_with_results, encode_with_results, restore_error};
use crate::core::ctl::{Ctl, Signal};
use crate::core::histogram::Histogram;
use crate::core::search::{End, RestoreError, Search};
use crate::core::seed::{self, Rng, derive};
use crate::morpion::geometry::{Move, Point};
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;
use fill::{Answer, fill};
use pool::{Member, Pool};
use rand::RngExt;
use rand::seq::IndexedRandom;
use shape::Shape;

/// The tempering that a round begins with ends after this part of the patience without a longer grid.
const START: u64 = 100;
/// Steps from a pool end when so many, as a part of the patience, have had no longer grid.
const STUCK: u64 = 250_000;
/// Conflicts of the solver after which it gives a shape up.
const CONFLICTS: u64 = 5_000;
/// Shapes that a step draws at most until one is worth asking for.
const DRAWS: u64 = 5_000;
/// How many points a step takes out, each as often as it stands here.
const OUT: [usize; 10] = [0, 1, 1, 2, 2, 3, 3, 4, 5, 6];
/// Of how many points, drawn at random, the one that leaves most room for lines comes in.
const CHOICE: [usize; 3] = [1, 2, 4];
/// Every so many steps one looks for a grid as long as the one it begins with.
const SIDEWAYS: u32 = 3;
/// Points that come and go beside one another lie so far apart at most.
const BESIDE: i32 = 2;
/// Shapes that are remembered to have been asked for, 0.4 MB when saved.
const ASKED: usize = 1 << 15;
/// What a state begins with.
const FORM: u8 = 1;

/// A resumable search of one unit by reshaping.
pub struct Reshape<R> {
    start_params: Params,
    unit: Unit,
    /// The position that the games start from, and its shape.
    position: Position<R>,
    bare: Shape<R>,
    /// Moves that are legal there and may not be played.
    barred: Vec<u32>,
    patience: u64,
    /// Whether a round is the only one, since it began with given grids.
    given: bool,
    /// Steps without a longer grid after which the unit is finished.
    enough: u64,
    /// The tempering under way, if one is.
    start: Option<Box<Temper<R>>>,
    own: Own<R>,
}

/// What is known beyond the tempering under way.
struct Own<R> {
    /// Grids of this round.
    young: Pool,
    /// Grids of the rounds before, or those given.
    old: Pool,
    round: Round,
    /// Shapes that were asked for.
    asked: Seen,
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

/// How far the rounds have come.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Round {
    /// Rounds that are done.
    number: u64,
    /// Whether steps are taken from the pool of the rounds before.
    old: bool,
    /// Iterations when the steps from that pool, or else the round, began.
    began: u64,
    /// Iterations that the steps from that pool may take, at least.
    share: u64,
    /// Steps when the longest grid of the pool was found, or the steps from it began.
    found: u64,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Saved {
    form: u8,
    start: Option<Vec<u8>>,
    young: Vec<Member>,
    old: Vec<Member>,
    round: Round,
    asked: Vec<(u32, u64)>,
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
        search.own.round.old = search.given;
        for moves in unit.own(&params.grids) {
            search.own.take_in(&moves);
        }
        if !search.given {
            search.start = Some(search.tempering());
        }
        search
    }

    /// Without grids, and without a search that makes some.
    fn empty(params: &Params, unit: &Unit) -> Reshape<R> {
        let position = unit.position::<R>();
        let moves = unit.moves(&position);
        let barred = position.moves().iter().filter(|mv| !moves.contains(mv)).map(|mv| mv.bits()).collect();
        let patience = params.patience();
        let bare = Shape::new(position.board());
        Reshape {
            start_params: Params {
                strategy: Strategy::Temper,
                grids: Vec::new(),
                patience: Some((patience / START).max(1)),
                ..params.clone()
            },
            unit: unit.clone(),
            barred,
            patience,
            given: unit.own(&params.grids).next().is_some(),
            enough: u64::MAX,
            start: None,
            own: Own {
                young: Pool::new(params.pool() as usize),
                old: Pool::new(params.pool() as usize),
                round: Round::default(),
                asked: Seen::new(ASKED),
                steps: 0,
                games: 0,
                found_at: 0,
                longest: 0,
                finds: Finds::default(),
                results: vec![Histogram::default()],
                bare: bare.clone(),
            },
            bare,
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
        for member in saved.young.iter().chain(&saved.old) {
            check_grid::<R>(&unit.prefix, &member.moves).map_err(fail)?;
        }
        search.own.young.restore(saved.young).map_err(fail)?;
        search.own.old.restore(saved.old).map_err(fail)?;
        search.own.round = saved.round;
        search.own.asked.restore(&saved.asked).map_err(fail)?;
        search.own.steps = saved.steps;
        search.own.games = saved.games;
        search.own.found_at = saved.found_at;
        search.own.longest = saved.longest;
        search.own.finds.best = saved.best;
        search.own.results = results;
        search.start = match saved.start {
            None => None,
            Some(state) => Some(Box::new(Temper::restore(&search.start_params, &search.tempering_unit(), &state)?)),
        };
        Ok(search)
    }

    /// Without further rounds, as if the grids it has were given, and finished after so many steps without a longer grid.
    pub(super) fn alone(mut self, enough: u64) -> Reshape<R> {
        self.given = true;
        self.enough = enough;
        self
    }

    /// The unit of the tempering that this round begins with: with what was left of the limit, and a seed of the round.
    fn tempering_unit(&self) -> Unit {
        let Round { number, began, .. } = self.own.round;
        Unit {
            seed: if number == 0 { self.unit.seed } else { derive(self.unit.seed, &[number, 0, 0, 1]) },
            max_iterations: self.unit.max_iterations.map(|limit| limit.saturating_sub(began)),
            ..self.unit.clone()
        }
    }

    /// That tempering.
    fn tempering(&self) -> Box<Temper<R>> {
        Box::new(Temper::new(&self.start_params, &self.tempering_unit()))
    }

    /// Takes in where the tempering that is done has come to.
    fn end_start(&mut self, search: &Temper<R>) {
        self.own.games = self.own.games.saturating_add(search.iterations());
        search.grids().for_each(|grid| self.own.take_in(&grid));
        self.own.results[0].merge(&search.results()[0]);
        self.own.round.found = self.own.steps;
    }

    /// One step; whether the pool had a grid for it.
    fn step(&mut self) -> bool {
        let mut rng = seed::rng(derive(self.unit.seed, &[self.own.steps]), &[]);
        self.own.steps += 1;
        let Some(member) = self.own.pool_mut().draw(&mut rng) else { return false };
        let mut shape = self.bare.clone();
        member.moves.iter().for_each(|&bits| shape.flip(Move::from_raw(bits).point()));
        let (found, draws) = self.own.draw(&mut shape, &mut rng);
        self.own.games = self.own.games.saturating_add(draws);
        if !found {
            return true;
        }
        self.own.asked.insert(shape.key());
        let (answer, conflicts) = fill(&shape, &self.barred, CONFLICTS, rng.random());
        self.own.games = self.own.games.saturating_add(conflicts);
        if let Answer::Grid(mut moves) = answer {
            self.extend(&mut moves);
            self.own.results[0].add(self.unit.prefix.len() + moves.len());
            self.own.longer(moves.len(), self.own.games);
            self.own.take_in(&moves);
        }
        true
    }

    /// Plays on while there is a move.
    fn extend(&self, moves: &mut Vec<u32>) {
        let mut position = self.position.clone();
        moves.iter().for_each(|&bits| position.play(Move::from_raw(bits)));
        while let Some(&mv) = position.moves().iter().find(|mv| !self.barred.contains(&mv.bits())) {
            position.play(mv);
            moves.push(mv.bits());
        }
    }

    /// Changes the pool that steps are taken from if it is time; whether a tempering comes.
    fn turn(&mut self) -> bool {
        let own = &mut self.own;
        let spent = own.games.saturating_sub(own.round.began);
        let stuck = own.steps.saturating_sub(own.round.found) >= (self.patience / STUCK).max(1);
        if self.given || !stuck || (own.round.old && spent < own.round.share) {
            return false;
        }
        let Round { number, old, .. } = own.round;
        if old {
            own.round = Round { number, began: own.games, found: own.steps, ..Round::default() };
            return true;
        }
        // After the first round there is nothing but what was tried just now.
        let others = own.old.best() > 0;
        own.old.merge(&mut own.young);
        own.round = Round { number: number + 1, old: others, began: own.games, share: spent, found: own.steps };
        !others
    }
}

impl<R: Rules> Own<R> {
    /// Changes the shape of a grid into one that was not asked for and into which enough lines fit, if one comes; and how many were drawn.
    fn draw(&self, shape: &mut Shape<R>, rng: &mut Rng) -> (bool, u64) {
        let (rim, outside) = (shape.rim(), shape.outside());
        let sideways = rng.random_range(0..SIDEWAYS) == 0;
        let wanted = shape.len() + usize::from(!sideways);
        let mut flipped = Vec::new();
        for draws in 1..=DRAWS {
            let out = *OUT.choose(rng).unwrap_or(&1);
            let out = if sideways { out.max(1) } else { out };
            let mut last = None;
            for _ in 0..out {
                let point = near_or_any(last, &rim, rng);
                if let Some(point) = point.filter(|&point| shape.has(point) && !shape.is_start(point)) {
                    shape.flip(point);
                    flipped.push(point);
                    last = Some(point);
                }
            }
            for _ in 0..out + usize::from(!sideways) {
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
            if shape.len() == wanted && shape.slack() >= 0 && !self.asked.contains(shape.key()) {
                return (true, draws);
            }
            flipped.drain(..).for_each(|point| shape.flip(point));
        }
        (false, DRAWS)
    }

    /// The pool that steps are taken from.
    fn pool(&self) -> &Pool {
        if self.round.old { &self.old } else { &self.young }
    }

    fn pool_mut(&mut self) -> &mut Pool {
        if self.round.old { &mut self.old } else { &mut self.young }
    }

    /// Notes when a grid of this length was found, if that is new.
    fn longer(&mut self, length: usize, games: u64) {
        if length > self.pool().best() {
            self.round.found = self.steps;
        }
        if length > self.longest {
            self.longest = length;
            self.found_at = games;
        }
    }

    /// Offers the pool a grid, and tells of it if it is new.
    fn take_in(&mut self, moves: &[u32]) {
        let mut shape = self.bare.clone();
        moves.iter().for_each(|&bits| shape.flip(Move::from_raw(bits).point()));
        self.pool_mut().insert(moves, shape.key());
        self.asked.insert(shape.key());
        self.longest = self.longest.max(moves.len());
        self.finds.push(moves);
    }

    fn save(&self, start: Option<Vec<u8>>) -> Vec<u8> {
        let saved = Saved {
            form: FORM,
            start,
            young: self.young.members().to_vec(),
            old: self.old.members().to_vec(),
            round: self.round.clone(),
            asked: self.asked.save(),
            steps: self.steps,
            games: self.games,
            found_at: self.found_at,
            longest: self.longest,
            best: self.finds.best,
        };
        encode_with_results(&saved, &self.results)
    }
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
            if let Some(mut search) = self.start.take() {
                match search.run(&mut Watch { ctl: &mut *ctl, own: &mut self.own, unit: &self.unit }) {
                    End::Finished => self.end_start(&search),
                    end => {
                        self.start = Some(search);
                        return end;
                    }
                }
                continue;
            }
            let vain = self.own.steps.saturating_sub(self.own.round.found);
            if self.own.games.saturating_sub(self.own.found_at) >= self.patience || vain >= self.enough {
                return End::Finished;
            }
            if self.own.games >= limit {
                return End::IterationLimit;
            }
            if ctl.poll(self.own.games, self.own.finds.best) == Signal::Stop {
                return End::Stopped;
            }
            ctl.offer_checkpoint(&mut || self.own.save(None));
            if self.turn() {
                self.start = Some(self.tempering());
            } else if !self.step() {
                return End::Finished;
            }
        }
    }

    fn save(&self) -> Vec<u8> {
        self.own.save(self.start.as_ref().map(|search| search.save()))
    }

    fn iterations(&self) -> u64 {
        self.own.games.saturating_add(self.start.as_ref().map_or(0, |search| search.iterations()))
    }

    fn best(&self) -> u32 {
        self.own.finds.best
    }

    fn results(&self) -> &[Histogram] {
        match &self.start {
            Some(search) if self.own.round.number == 0 => search.results(),
            _ => &self.own.results,
        }
    }
}

#[cfg(test)]
mod tests;
