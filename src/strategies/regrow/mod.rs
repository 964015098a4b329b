//! Regrowth: large-neighbourhood search whose neighbourhood is most of the grid.
//!
//! A grid is a partial order, so it has many beginnings: sets of its moves that need nothing but each other. A step takes
//! a grid out of a pool and keeps a random beginning of it, a fifth to three tenths of its moves; the rest is made anew by a
//! nested search (`nrpa`) that knows nothing of what was there, and ends where its results are the same again and again;
//! what came of that is refined by cold walks (`temper`), and reshaped (`reshape`), as is one of the pool. What is of a kind of its own, or longer than
//! what there is of its kind, joins the pool.
//! So a step goes far beyond what any local search reaches from the grid, and yet lands among long grids often: the core
//! of a grid decides how long it can become, and long grids have much of theirs in common.
//!
//! The pool begins with given grids, or with what a run of parallel tempering (`temper`) has met when it is stuck. Most such
//! runs end among grids that nothing long can be made of, and which do cannot be told but by trying. So without given grids a
//! search goes in *rounds*: a new tempering, steps from a pool of its own until they are stuck, and then, as long as that
//! took, steps from a second pool, of what all rounds so far have left. Half of the time goes into what is new, half into
//! what is best.
//!
//! Tempering is stuck after a fiftieth of the `patience` without a longer grid, steps after a thirtieth. After `patience`
//! playouts without a longer grid the unit is finished.
//!
//! Each step draws its random numbers from a seed of its own, derived from the unit's seed and the step's number.

mod pool;

use super::codec::check_grid;
use super::codec::{decode_with_results, encode_with_results, restore_error};
use super::finds::Finds;
use super::nrpa::Nrpa;
use super::nrpa::game::points_fingerprint;
use super::params::{Params, Strategy};
use super::reshape::Reshape;
use super::seen::Seen;
use super::temper::{REFINING, Temper};
use super::unit::Unit;
use crate::core::ctl::{Ctl, Signal};
use crate::core::histogram::Histogram;
use crate::core::search::{End, RestoreError, Search};
use crate::core::seed::{self, Rng, derive};
use crate::morpion::geometry::Move;
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;
use pool::{Member, Pool};
use rand::RngExt;
use std::ops::Range;

/// How much of a grid is kept, of its length.
const KEPT: Range<f64> = 0.2..0.3;
/// The tempering that a round begins with ends after this part of the patience without a longer grid.
const START: u64 = 50;
/// Steps from a pool end after this part of the patience without a longer grid in it.
const STUCK: u64 = 30;
/// A step is over when so many calls below its top level have had a result as long as its best.
const SETTLED: u64 = 25;
/// What is refined is done with after so many games without a longer grid.
const REFINED: u64 = 1 << 18;
/// After each step so many grids are shaken: a move comes in for which at least so many have to go.
const SHAKEN: u32 = 4;
const LEAST: usize = 30;
/// Reshaping ends after so many steps without a longer grid, fewer where that is more than this part of the patience.
const RESHAPED: u64 = 2_000;
const RESHAPED_PART: u64 = 1_000_000;
/// The search of a step that reshapes what it has made, and the last, which reshapes a grid of the pool.
const MADE: u32 = 2 + SHAKEN;
const LAST: u32 = 3 + SHAKEN;
/// Grids that are remembered to have been told of, 0.1 MB when saved.
const TOLD: usize = 1 << 13;
/// What a state begins with.
const FORM: u8 = 5;

/// A search that runs inside this one.
enum Inner<R> {
    /// The tempering that a round begins with.
    Start(Box<Temper<R>>),
    /// The search that makes a grid anew behind what is kept of it, the unit's prefix not included.
    Step(Box<Nrpa<R>>, Vec<u32>),
    /// The cold walks that refine what the step has made.
    Refine(Box<Temper<R>>),
    /// What reshapes it at last.
    Reshape(Box<Reshape<R>>),
}

impl<R: Rules> Inner<R> {
    fn search(&self) -> &dyn Search<Move> {
        match self {
            Inner::Start(search) | Inner::Refine(search) => &**search,
            Inner::Step(search, _) => &**search,
            Inner::Reshape(search) => &**search,
        }
    }

    fn form(&self) -> Form {
        match self {
            Inner::Start(_) => Form::Start,
            Inner::Step(_, kept) => Form::Step(kept.clone()),
            Inner::Refine(_) => Form::Refine,
            Inner::Reshape(_) => Form::Reshape,
        }
    }

    fn search_mut(&mut self) -> &mut dyn Search<Move> {
        match self {
            Inner::Start(search) | Inner::Refine(search) => &mut **search,
            Inner::Step(search, _) => &mut **search,
            Inner::Reshape(search) => &mut **search,
        }
    }
}

/// Which search runs inside.
enum Form {
    Start,
    Step(Vec<u32>),
    Refine,
    Reshape,
}

impl Form {
    /// What is saved of it, with its state.
    fn with(&self, state: Vec<u8>) -> SavedInner {
        match self {
            Form::Start => SavedInner::Start(state),
            Form::Step(kept) => SavedInner::Step(state, kept.clone()),
            Form::Refine => SavedInner::Refine(state),
            Form::Reshape => SavedInner::Reshape(state),
        }
    }
}

/// A resumable search of one unit by regrowth.
pub struct Regrow<R> {
    /// Those of the searches inside.
    start_params: Params,
    step_params: Params,
    refine_params: Params,
    reshape_params: Params,
    unit: Unit,
    /// The position that the games start from.
    position: Position<R>,
    keep: Option<usize>,
    /// Whether what the steps make is refined.
    refines: bool,
    patience: u64,
    /// Whether a round is the only one, since it began with given grids.
    given: bool,
    /// The search under way, if one is.
    inner: Option<Inner<R>>,
    own: Own<R>,
}

/// What is known beyond the search under way.
struct Own<R> {
    /// Grids of this round.
    young: Pool<R>,
    /// Grids of the rounds before, or those given.
    old: Pool<R>,
    round: Round,
    told: Seen,
    /// Steps that are done.
    steps: u64,
    /// Searches of the next step that are done: the nested one, the one that refines its result, those
    /// that refine what was shaken, those that reshape the result and a grid of the pool.
    stage: u32,
    /// The longest grid that the step, or the tempering, has made.
    made: Vec<u32>,
    /// Games of the searches that are done.
    games: u64,
    /// Games when the longest grid was found.
    found_at: u64,
    finds: Finds,
    results: Vec<Histogram>,
}

/// How far the rounds have come.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Round {
    /// Rounds that are done.
    number: u64,
    /// Whether steps are taken from the pool of the rounds before.
    old: bool,
    /// Games when the steps from that pool, or else the round, began.
    began: u64,
    /// Games that the steps from that pool may take, at least.
    share: u64,
    /// Games when the longest grid of the pool was found, or the steps from it began.
    found_at: u64,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Saved {
    form: u8,
    inner: Option<SavedInner>,
    young: Vec<Member>,
    old: Vec<Member>,
    round: Round,
    told: Vec<(u32, u64)>,
    steps: u64,
    stage: u32,
    made: Vec<u32>,
    games: u64,
    found_at: u64,
    best: u32,
}

#[derive(serde::Serialize, serde::Deserialize)]
enum SavedInner {
    Start(Vec<u8>),
    Step(Vec<u8>, Vec<u32>),
    Refine(Vec<u8>),
    Reshape(Vec<u8>),
}

impl<R: Rules> Regrow<R> {
    /// Begins the search of `unit`.
    pub fn new(params: &Params, unit: &Unit) -> Regrow<R> {
        let mut search = Regrow::<R>::empty(params, unit);
        search.own.round.old = search.given;
        for moves in unit.own(&params.grids) {
            search.own.take_in(&moves);
        }
        if !search.given {
            search.inner = Some(search.start());
        }
        search
    }

    /// Without grids, and without a search that makes some.
    fn empty(params: &Params, unit: &Unit) -> Regrow<R> {
        let position = unit.position::<R>();
        let patience = params.patience();
        let of = |strategy| Params { strategy, grids: Vec::new(), ..params.clone() };
        Regrow {
            start_params: Params { patience: Some((patience / START).max(1)), ..of(Strategy::Temper) },
            step_params: Params {
                level: Some(params.level()),
                iterations: Some(params.iterations()),
                ..of(Strategy::Nrpa)
            },
            refine_params: Params {
                hot: REFINING.0,
                cold: REFINING.1,
                replicas: params.refiners.max(1),
                refiners: 0,
                patience: Some(REFINED.min(patience / 50).max(1)),
                ..of(Strategy::Temper)
            },
            reshape_params: of(Strategy::Reshape),
            refines: params.refiners > 0,
            unit: unit.clone(),
            position: position.clone(),
            keep: params.keep.map(|keep| (keep as usize).saturating_sub(unit.prefix.len())),
            patience,
            given: unit.own(&params.grids).next().is_some(),
            inner: None,
            own: Own {
                young: Pool::new(params.pool() as usize, position.clone()),
                old: Pool::new(params.pool() as usize, position),
                round: Round::default(),
                told: Seen::new(TOLD),
                steps: 0,
                stage: 0,
                made: Vec::new(),
                games: 0,
                found_at: 0,
                finds: Finds::default(),
                results: vec![Histogram::default(); params.level() as usize + 1],
            },
        }
    }

    /// Goes on from what [`Search::save`] returned for the same parameters and unit.
    ///
    /// # Errors
    /// If the bytes are no such state.
    pub fn restore(params: &Params, unit: &Unit, saved: &[u8]) -> Result<Regrow<R>, RestoreError> {
        let fail = |reason: &str| restore_error("regrow", reason.to_owned());
        let mut search = Regrow::<R>::empty(params, unit);
        let (saved, results): (Saved, _) = decode_with_results("regrow", saved, search.own.results.len())?;
        if saved.form != FORM {
            return Err(fail("it is of another version of the program"));
        }
        if saved.stage > LAST {
            return Err(fail("a step has no such search"));
        }
        for member in saved.young.iter().chain(&saved.old) {
            check_grid::<R>(&unit.prefix, &member.moves).map_err(fail)?;
        }
        check_grid::<R>(&unit.prefix, &saved.made).map_err(fail)?;
        search.own.made = saved.made;
        search.own.young.restore(saved.young).map_err(fail)?;
        search.own.old.restore(saved.old).map_err(fail)?;
        search.own.round = saved.round;
        search.own.told.restore(&saved.told).map_err(fail)?;
        search.own.steps = saved.steps;
        search.own.stage = saved.stage;
        search.own.games = saved.games;
        search.own.found_at = saved.found_at;
        search.own.finds.best = saved.best;
        search.own.results = results;
        search.inner = match saved.inner {
            None => None,
            Some(SavedInner::Start(state)) => {
                Some(Inner::Start(Box::new(Temper::restore(&search.start_params, &search.start_unit(), &state)?)))
            }
            Some(SavedInner::Step(state, kept)) => {
                check_grid::<R>(&unit.prefix, &kept).map_err(fail)?;
                let nrpa = Nrpa::restore(&search.step_params, &search.step(&kept), None, &state)?;
                Some(Inner::Step(Box::new(nrpa.settling(SETTLED)), kept))
            }
            Some(SavedInner::Refine(state)) => {
                let unit = search.further();
                Some(Inner::Refine(Box::new(Temper::restore(&search.refine_params, &unit, &state)?)))
            }
            Some(SavedInner::Reshape(state)) => {
                let reshape = Reshape::restore(&search.reshape_params, &search.further(), &state)?;
                Some(Inner::Reshape(Box::new(reshape.alone(search.enough()))))
            }
        };
        Ok(search)
    }

    /// The unit of the tempering that this round begins with.
    fn start_unit(&self) -> Unit {
        match self.own.round.number {
            0 => self.unit.clone(),
            // Unlike the seeds of steps and of their searches.
            number => Unit { seed: derive(self.unit.seed, &[number, 0, 0, 1]), ..self.further() },
        }
    }

    /// That tempering.
    fn start(&self) -> Inner<R> {
        Inner::Start(Box::new(Temper::new(&self.start_params, &self.start_unit())))
    }

    /// The unit with what is left of its limit, and a seed of the step and the search.
    fn further(&self) -> Unit {
        Unit {
            seed: derive(self.unit.seed, &[self.own.steps, u64::from(self.own.stage) + 1]),
            max_iterations: self.unit.max_iterations.map(|limit| limit.saturating_sub(self.own.games)),
            ..self.unit.clone()
        }
    }

    /// The unit of a step that keeps these moves.
    fn step(&self, kept: &[u32]) -> Unit {
        let prefix = self.unit.prefix.iter().copied().chain(moves_of(kept)).collect();
        // What is kept begins as a grid of the unit does.
        Unit { prefix, candidates: None, ..self.further() }
    }

    /// What refines a grid, which begins with the unit's prefix.
    fn refine(&self, grid: Vec<Move>) -> Temper<R> {
        Temper::new(&Params { grids: vec![grid], ..self.refine_params.clone() }, &self.further())
    }

    /// What reshapes a grid, given without the unit's prefix.
    fn reshape(&self, grid: &[u32]) -> Inner<R> {
        let grid = self.unit.prefix.iter().copied().chain(moves_of(grid)).collect();
        let params = Params { grids: vec![grid], ..self.reshape_params.clone() };
        Inner::Reshape(Box::new(Reshape::new(&params, &self.further()).alone(self.enough())))
    }

    /// Steps without a longer grid after which reshaping ends.
    fn enough(&self) -> u64 {
        RESHAPED.min(self.patience / RESHAPED_PART).max(1)
    }

    /// The next search, if the pool has a grid for it.
    fn begin(&mut self) -> Option<Inner<R>> {
        if self.own.stage == MADE {
            return Some(self.reshape(&self.own.made));
        }
        if self.own.stage == 0 {
            return if self.turn() { Some(self.start()) } else { self.begin_step() };
        }
        let mut rng = seed::rng(derive(self.unit.seed, &[self.own.steps, u64::from(self.own.stage), 1]), &[]);
        if self.own.stage == LAST {
            // The longest every other time: what has been drawn in vain may still become longer.
            let pool = self.own.pool();
            let longest = pool.members().iter().max_by_key(|member| member.moves.len())?;
            let member = if self.own.steps.is_multiple_of(2) { longest } else { pool.any(&mut rng)? };
            return Some(self.reshape(&member.moves));
        }
        let grid = self.unit.prefix.iter().copied().chain(moves_of(&self.own.pool().any(&mut rng)?.moves)).collect();
        Some(Inner::Refine(Box::new(self.refine(grid).shaken(LEAST))))
    }

    /// The next step, if the pool has a grid that can be regrown.
    fn begin_step(&mut self) -> Option<Inner<R>> {
        let mut rng = seed::rng(derive(self.unit.seed, &[self.own.steps]), &[]);
        let moves = &self.own.pool_mut().draw(&mut rng)?.moves;
        let share = rng.random_range(KEPT);
        // One at least, since the unit may be barred from some first moves.
        let count = self.keep.unwrap_or((share * moves.len() as f64) as usize).clamp(1, moves.len().max(1));
        let kept = beginning(&self.position, moves, count, &mut rng);
        let search = Nrpa::new(&self.step_params, &self.step(&kept), None).settling(SETTLED);
        Some(Inner::Step(Box::new(search), kept))
    }

    /// Takes in what the search that is done has found.
    fn end(&mut self, inner: Inner<R>) {
        self.own.games = self.own.games.saturating_add(inner.search().iterations());
        match inner {
            // The longest that it met are in the pool.
            Inner::Start(search) => {
                search.grids().for_each(|grid| self.own.take_in(&grid));
                self.own.made = search.grids().max_by_key(Vec::len).unwrap_or_default();
                self.own.stage = MADE;
                self.own.results[0].merge(&search.results()[0]);
                self.own.round.found_at = self.own.games;
            }
            Inner::Step(search, _) => {
                for (all, new) in self.own.results.iter_mut().zip(search.results()) {
                    all.merge(new);
                }
                let game = search.best_game();
                let moves: Vec<u32> = game[self.unit.prefix.len()..].iter().map(|mv| mv.bits()).collect();
                self.own.longer(moves.len(), self.own.games);
                self.own.take_in(&moves);
                let game = game.to_vec();
                self.own.made = moves;
                self.next_stage();
                if self.own.stage < MADE {
                    self.inner = Some(Inner::Refine(Box::new(self.refine(game))));
                }
            }
            // What it has found is in the pool.
            Inner::Refine(search) => {
                self.own.results[0].merge(&search.results()[0]);
                self.next_stage();
            }
            Inner::Reshape(search) => {
                self.own.results[0].merge(&search.results()[0]);
                self.next_stage();
            }
        }
    }
}

impl<R: Rules> Regrow<R> {
    /// Changes the pool that steps are taken from if it is time; whether another tempering comes.
    fn turn(&mut self) -> bool {
        let own = &mut self.own;
        let spent = own.games.saturating_sub(own.round.began);
        let stuck = own.games.saturating_sub(own.round.found_at) >= (self.patience / STUCK).max(1);
        if self.given || !stuck || (own.round.old && spent < own.round.share) {
            return false;
        }
        let Round { number, old, .. } = own.round;
        if old {
            own.round = Round { number, began: own.games, ..Round::default() };
            return true;
        }
        // After the first round there is nothing but what was tried just now.
        let others = own.old.best() > 0;
        own.old.merge(&mut own.young);
        own.round = Round { number: number + 1, old: others, began: own.games, share: spent, found_at: own.games };
        !others
    }

    /// Goes on to the next search of a step, or the next step.
    fn next_stage(&mut self) {
        self.own.stage = if self.refines { self.own.stage + 1 } else { self.own.stage.max(MADE - 1) + 1 };
        if self.own.stage > LAST {
            self.own.stage = 0;
            self.own.steps += 1;
        }
    }
}

impl<R: Rules> Own<R> {
    /// The pool that steps are taken from.
    fn pool(&self) -> &Pool<R> {
        if self.round.old { &self.old } else { &self.young }
    }

    fn pool_mut(&mut self) -> &mut Pool<R> {
        if self.round.old { &mut self.old } else { &mut self.young }
    }

    /// Notes when a grid of this length was found, if that is new.
    fn longer(&mut self, length: usize, games: u64) {
        if length > self.pool().best() {
            self.round.found_at = games;
        }
        if length > self.young.best().max(self.old.best()) {
            self.found_at = games;
        }
    }

    /// Offers the pool a grid, and tells of it if it is new.
    fn take_in(&mut self, moves: &[u32]) {
        self.pool_mut().insert(moves);
        if self.told.insert(points_fingerprint(moves)) {
            self.finds.push(moves);
        }
    }

    fn save(&self, inner: Option<SavedInner>) -> Vec<u8> {
        let saved = Saved {
            form: FORM,
            inner,
            young: self.young.members().to_vec(),
            old: self.old.members().to_vec(),
            round: self.round.clone(),
            told: self.told.save(),
            steps: self.steps,
            stage: self.stage,
            made: self.made.clone(),
            games: self.games,
            found_at: self.found_at,
            best: self.finds.best,
        };
        encode_with_results(&saved, &self.results)
    }
}

/// Moves of their bits.
fn moves_of(bits: &[u32]) -> impl Iterator<Item = Move> + '_ {
    bits.iter().map(|&bits| Move::from_raw(bits))
}

/// So many moves of a grid, drawn one after the other at random from those of it that are legal.
fn beginning<R: Rules>(start: &Position<R>, grid: &[u32], count: usize, rng: &mut Rng) -> Vec<u32> {
    let (mut position, mut left, mut kept) = (start.clone(), grid.to_vec(), Vec::with_capacity(count));
    while kept.len() < count {
        let legal: Vec<usize> =
            (0..left.len()).filter(|&at| position.moves().iter().any(|mv| mv.bits() == left[at])).collect();
        if legal.is_empty() {
            break;
        }
        let bits = left.remove(legal[rng.random_range(0..legal.len())]);
        position.play(Move::from_raw(bits));
        kept.push(bits);
    }
    kept
}

/// Passes on what a search inside says.
struct Watch<'a, R> {
    ctl: &'a mut dyn Ctl<Move>,
    own: &'a mut Own<R>,
    unit: &'a Unit,
    /// What the saved state of the search inside becomes.
    wrap: &'a dyn Fn(Vec<u8>) -> SavedInner,
    /// Whether the pool takes in what it finds on the way.
    collect: bool,
}

impl<R: Rules> Ctl<Move> for Watch<'_, R> {
    fn poll(&mut self, iterations: u64, best: u32) -> Signal {
        self.ctl.poll(self.own.games.saturating_add(iterations), best.max(self.own.finds.best))
    }

    fn offer_checkpoint(&mut self, save: &mut dyn FnMut() -> Vec<u8>) {
        let (own, wrap) = (&*self.own, self.wrap);
        self.ctl.offer_checkpoint(&mut || own.save(Some(wrap(save()))));
    }

    fn improved(&mut self, moves: &[Move], iterations: u64) {
        if self.collect {
            let grid: Vec<u32> = moves[self.unit.prefix.len()..].iter().map(|mv| mv.bits()).collect();
            self.own.longer(grid.len(), self.own.games.saturating_add(iterations));
            self.own.take_in(&grid);
            if self.own.stage == 1 && grid.len() > self.own.made.len() {
                self.own.made.clone_from(&grid);
            }
            // It is reported here.
            self.own.finds.clear();
        }
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

impl<R: Rules> Search<Move> for Regrow<R> {
    fn run(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        self.own.finds.keep_from = ctl.keep_from();
        let limit = self.unit.max_iterations.unwrap_or(u64::MAX);
        loop {
            self.own.finds.report(&self.unit.prefix, self.own.games, ctl);
            let mut inner = match self.inner.take() {
                Some(inner) => inner,
                None => {
                    if self.own.stage == 0 && self.own.games.saturating_sub(self.own.found_at) >= self.patience {
                        return End::Finished;
                    }
                    if self.own.games >= limit {
                        return End::IterationLimit;
                    }
                    if ctl.poll(self.own.games, self.own.finds.best) == Signal::Stop {
                        return End::Stopped;
                    }
                    let Some(inner) = self.begin() else { return End::Finished };
                    inner
                }
            };
            let form = inner.form();
            let collect = !matches!(inner, Inner::Step(..));
            let wrap = |state| form.with(state);
            let mut watch = Watch { ctl: &mut *ctl, own: &mut self.own, unit: &self.unit, wrap: &wrap, collect };
            match inner.search_mut().run(&mut watch) {
                End::Stopped => {
                    self.inner = Some(inner);
                    return End::Stopped;
                }
                End::IterationLimit if collect => {
                    self.inner = Some(inner);
                    return End::IterationLimit;
                }
                _ => self.end(inner),
            }
        }
    }

    fn save(&self) -> Vec<u8> {
        self.own.save(self.inner.as_ref().map(|inner| inner.form().with(inner.search().save())))
    }

    fn iterations(&self) -> u64 {
        let inner = self.inner.as_ref().map_or(0, |inner| inner.search().iterations());
        self.own.games.saturating_add(inner)
    }

    fn best(&self) -> u32 {
        self.own.finds.best
    }

    fn results(&self) -> &[Histogram] {
        match &self.inner {
            Some(Inner::Start(search)) if self.own.round.number == 0 => search.results(),
            _ => &self.own.results,
        }
    }
}

#[cfg(test)]
mod tests;
