//! Parallel tempering: walks over grids at several temperatures, which exchange their grids.
//!
//! A grid is what a greedy player makes of a priority order of all moves (`priorities`). A step of a walk exchanges
//! the places of a few moves in the order of its grid, and plays. The new grid takes the place of the former one if it is not
//! shorter; if it is `d` moves shorter, with probability `exp(-d / T)` at temperature `T` (Metropolis et al. 1953).
//! A walk that is hot goes everywhere and stays with short grids; one that is cold climbs where it is, and stays there.
//!
//! So *replicas* walk at temperatures between a hot and a cold one, in geometric steps, and after every 16 steps each
//! neighbours exchange their grids with probability `min(1, exp((1/T_cold - 1/T_hot) (L_hot - L_cold)))` for lengths `L`
//! (replica exchange: Swendsen and Wang 1986; Geyer 1991): a cold one that is stuck is freed by a better grid that comes from
//! above, without a schedule that must know how long the search will be.
//!
//! Random numbers are drawn anew from the unit's seed for each slice of about 4096 games, so a search stands still, and is
//! saved, between two slices. After `patience` games without a longer grid the unit is finished.

use super::choices::{choices, chosen};
use super::extension::{Extension, Instructions, Task, dispatch};
use super::local::{Finds, Seen};
use super::nrpa::game::Game;
use super::nrpa::playout::Playout;
use super::nrpa::policy::code;
use super::params::Params;
use super::priorities::{Greedy, Priorities};
use super::{Unit, decode_with_results, encode_with_results, restore_error};
use crate::core::ctl::{Ctl, Signal};
use crate::core::histogram::Histogram;
use crate::core::search::{End, RestoreError, Search};
use crate::core::seed::{self, Rng, derive};
use crate::morpion::geometry::Move;
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;
use rand::RngExt;

/// Steps of each replica between two exchanges.
const STEPS: u32 = 16;
/// Games between two polls, about 15 ms, if there are not more replicas than that allows.
const SLICE: u32 = 4096;
/// Grids that are remembered to have been told of, 0.2 MB when saved.
const TOLD: usize = 1 << 14;
/// No game of any variant has more moves, so no grid is that much shorter than another.
const LOSSES: usize = 512;
/// What a state begins with.
const FORM: u8 = 1;

/// A walk.
struct Replica {
    temperature: f64,
    /// By how many moves the new grid is shorter: the probability that it is taken, of 2^32.
    chances: Box<[u32; LOSSES]>,
    grid: Grid,
}

/// Where a walk is.
#[derive(Default)]
struct Grid {
    /// In the order in which they were played.
    moves: Vec<u32>,
    /// The codes of all moves that were legal during it.
    alternatives: Vec<u32>,
}

impl Replica {
    fn new(temperature: f64) -> Replica {
        let chance = |loss: usize| ((-(loss as f64) / temperature).exp() * 2f64.powi(32)) as u32;
        Replica { temperature, chances: Box::new(std::array::from_fn(chance)), grid: Grid::default() }
    }
}

/// A resumable search of one unit by parallel tempering.
pub struct Temper<R> {
    seed: u64,
    limit: u64,
    patience: u64,
    /// Exchanges of a step, at most.
    swaps: u32,
    extension: Extension,
    prefix: Vec<Move>,
    /// The position that the games start from.
    position: Position<R>,
    /// The codes of the moves that may be played there.
    starts: Vec<u32>,
    /// The hottest first.
    replicas: Vec<Replica>,
    playout: Playout<R>,
    priorities: Priorities,
    rng: Rng,
    slices: u64,
    games: u64,
    /// Games when the longest grid was found, and its length without the prefix.
    found_at: u64,
    longest: usize,
    finds: Finds,
    told: Seen,
    results: Vec<Histogram>,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Saved {
    form: u8,
    /// The choices of the grids, the hottest first.
    grids: Vec<Box<[u8]>>,
    slices: u64,
    games: u64,
    found_at: u64,
    longest: usize,
    best: u32,
    told: Vec<(u32, u64)>,
}

impl<R: Rules> Temper<R> {
    /// Begins the search of `unit`.
    pub fn new(params: &Params, unit: &Unit) -> Temper<R> {
        let mut position = Position::<R>::new();
        for &mv in &unit.prefix {
            position.play(mv);
        }
        let moves = unit.candidates.as_deref().unwrap_or(position.moves());
        let count = params.replicas.max(1) as usize;
        let temperature = |at: usize| match count {
            1 => params.cold,
            _ => params.hot * (params.cold / params.hot).powf(at as f64 / (count - 1) as f64),
        };
        let mut search = Temper {
            seed: unit.seed,
            limit: unit.max_iterations.unwrap_or(u64::MAX),
            patience: params.patience(),
            swaps: params.swaps().max(1),
            extension: Extension::detect(),
            prefix: unit.prefix.clone(),
            starts: moves.iter().map(|&mv| code(mv) as u32).collect(),
            replicas: (0..count).map(|at| Replica::new(temperature(at))).collect(),
            playout: Playout::new(position.board().clone(), moves),
            position,
            priorities: Priorities::new(derive(unit.seed, &[u64::MAX])),
            rng: seed::rng(unit.seed, &[]),
            slices: 0,
            games: 0,
            found_at: 0,
            longest: 0,
            finds: Finds::default(),
            told: Seen::new(TOLD),
            results: vec![Histogram::default()],
        };
        let own = |grid: &Vec<Move>| Some(grid.strip_prefix(&unit.prefix[..])?.iter().map(|mv| mv.bits()).collect());
        let mut grids: Vec<Vec<u32>> =
            params.grids.iter().filter_map(own).filter(|grid: &Vec<u32>| !grid.is_empty()).collect();
        grids.sort_by_key(|grid| std::cmp::Reverse(grid.len()));
        // The longest for the coldest, and from the beginning again when there are fewer than replicas.
        for (at, grid) in (0..count).rev().zip(grids.iter().cycle()) {
            search.begin_with(at, grid.clone());
        }
        search
    }

    /// Goes on from what [`Search::save`] returned for the same parameters and unit.
    ///
    /// # Errors
    /// If the bytes are no such state.
    pub fn restore(params: &Params, unit: &Unit, saved: &[u8]) -> Result<Temper<R>, RestoreError> {
        let fail = |reason: &str| restore_error("temper", reason.to_owned());
        let (saved, results): (Saved, _) = decode_with_results("temper", saved, 1)?;
        if saved.form != FORM {
            return Err(fail("it is of another version of the program"));
        }
        let mut search = Temper::<R>::new(params, unit);
        if saved.grids.len() != search.replicas.len() {
            return Err(fail("it has another number of replicas"));
        }
        for (at, grid) in saved.grids.iter().enumerate() {
            let moves = chosen(&search.position, grid).ok_or_else(|| fail("a grid has a move that is not legal"))?;
            search.begin_with(at, moves);
        }
        search.slices = saved.slices;
        search.games = saved.games;
        search.found_at = saved.found_at;
        search.longest = saved.longest;
        search.finds.best = saved.best;
        search.told.restore(&saved.told).map_err(fail)?;
        search.results = results;
        search.finds.clear();
        Ok(search)
    }

    /// Lets a replica go on from a grid that comes from elsewhere.
    fn begin_with(&mut self, at: usize, moves: Vec<u32>) {
        let mut game = Game::boxed();
        self.playout.replay(&moves, &mut game);
        if moves.len() > self.longest {
            self.longest = moves.len();
            self.finds.push(&moves);
        }
        let alternatives = [&self.starts, &game.codes[..game.appearances]].concat();
        self.replicas[at].grid = Grid { moves, alternatives };
    }

    /// One slice of games.
    ///
    /// # Safety
    /// The processor has the instructions.
    #[inline(always)]
    unsafe fn slice<I: Instructions>(&mut self) {
        self.rng = seed::rng(derive(self.seed, &[self.slices]), &[]);
        self.slices = self.slices.wrapping_add(1);
        let count = self.replicas.len();
        for round in 0..(SLICE / STEPS / count as u32).max(1) {
            for at in 0..count {
                for _ in 0..u64::from(STEPS).min(self.limit.saturating_sub(self.games)) {
                    // SAFETY: the instructions by the caller's promise.
                    unsafe { self.step::<I>(at) };
                }
            }
            // Every other pair in turn.
            for colder in (1 + round as usize % 2..count).step_by(2) {
                self.exchange(colder);
            }
        }
    }

    /// A step of a replica.
    ///
    /// # Safety
    /// The processor has the instructions.
    #[inline(always)]
    unsafe fn step<I: Instructions>(&mut self, at: usize) {
        let Replica { grid, chances, .. } = &mut self.replicas[at];
        self.priorities.redraw(self.rng.random());
        let length = grid.moves.len();
        if length > 0 {
            self.priorities.rank(&grid.moves);
            for _ in 0..self.rng.random_range(1..=self.swaps) {
                self.priorities.exchange(&grid.moves, || &grid.alternatives, &mut self.rng);
            }
        }
        // SAFETY: the instructions by the caller's promise.
        unsafe { self.playout.play_by::<I, _>(Greedy(&self.priorities)) };
        self.games = self.games.saturating_add(1);
        let game = &self.playout.game;
        let found = game.moves().len();
        self.results[0].add(self.prefix.len() + found);
        let (total, keep_from) = (self.prefix.len() + found, self.finds.keep_from as usize);
        if found > self.longest {
            self.longest = found;
            self.found_at = self.games;
            self.finds.push(game.moves());
        } else if total >= keep_from && self.told.insert(game.points_fingerprint()) {
            self.finds.push(game.moves());
        }
        if found >= length || self.rng.random::<u32>() < chances[(length - found) % LOSSES] {
            grid.moves.clear();
            grid.moves.extend_from_slice(game.moves());
            grid.alternatives.clear();
            grid.alternatives.extend_from_slice(&self.starts);
            grid.alternatives.extend_from_slice(&game.codes[..game.appearances]);
        }
    }

    /// Lets a replica and its hotter neighbour exchange their grids, or not.
    #[inline(never)]
    fn exchange(&mut self, colder: usize) {
        let [hot, cold] = &mut self.replicas[colder - 1..=colder] else { return };
        let gain = hot.grid.moves.len() as f64 - cold.grid.moves.len() as f64;
        let chance = ((1.0 / cold.temperature - 1.0 / hot.temperature) * gain).exp();
        if chance >= 1.0 || self.rng.random::<f64>() < chance {
            std::mem::swap(&mut hot.grid, &mut cold.grid);
        }
    }
}

/// One slice.
struct Slice<'a, R>(&'a mut Temper<R>);

impl<R: Rules> Task for Slice<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self) {
        // SAFETY: a task is entered only on a processor that has the instructions.
        unsafe { self.0.slice::<I>() }
    }
}

impl<R: Rules> Search<Move> for Temper<R> {
    fn run(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        self.finds.keep_from = ctl.keep_from();
        loop {
            self.finds.report(&self.prefix, self.games, ctl);
            if self.starts.is_empty() || self.games.saturating_sub(self.found_at) >= self.patience {
                return End::Finished;
            }
            if self.games >= self.limit {
                return End::IterationLimit;
            }
            if ctl.poll(self.games, self.finds.best) == Signal::Stop {
                return End::Stopped;
            }
            ctl.offer_checkpoint(&mut || self.save());
            dispatch(self.extension, Slice(self));
        }
    }

    fn save(&self) -> Vec<u8> {
        let saved = Saved {
            form: FORM,
            grids: self.replicas.iter().map(|replica| choices(&self.position, &replica.grid.moves)).collect(),
            slices: self.slices,
            games: self.games,
            found_at: self.found_at,
            longest: self.longest,
            best: self.finds.best,
            told: self.told.save(),
        };
        encode_with_results(&saved, &self.results)
    }

    fn iterations(&self) -> u64 {
        self.games
    }

    fn best(&self) -> u32 {
        self.finds.best
    }

    fn results(&self) -> &[Histogram] {
        &self.results
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ctl::KeepBest;
    use crate::morpion::variant::T5;
    use crate::strategies::local::check_grid;
    use crate::strategies::params::Strategy;

    fn params(grids: Vec<Vec<Move>>) -> Params {
        Params { strategy: Strategy::Temper, grids, ..Params::default() }
    }

    fn unit(seed: u64, max_iterations: u64) -> Unit {
        Unit { prefix: Vec::new(), candidates: None, seed, max_iterations: Some(max_iterations) }
    }

    #[test]
    fn a_run_goes_far_beyond_random_games_and_the_cold_replicas_have_the_long_grids() {
        let mut keep = KeepBest::default();
        let mut search = Temper::<T5>::new(&params(Vec::new()), &unit(1, 300_000));
        assert_eq!(search.run(&mut keep), End::IterationLimit);
        assert_eq!((search.iterations(), search.results()[0].total()), (300_000, 300_000));
        assert_eq!(search.best() as usize, keep.best.len());
        // The best of so many random games has about 95 moves.
        assert!(keep.best.len() >= 110, "{}", keep.best.len());
        let temperatures: Vec<f64> = search.replicas.iter().map(|replica| replica.temperature).collect();
        let ends = (temperatures[0] - 1.5).abs().max((temperatures[7] - 0.5).abs());
        assert!(
            temperatures.len() == 8 && ends < 1e-9 && temperatures.is_sorted_by(|a, b| a > b),
            "{temperatures:?}"
        );
        let lengths: Vec<usize> = search.replicas.iter().map(|replica| replica.grid.moves.len()).collect();
        assert!(lengths[..2].iter().sum::<usize>() + 10 < lengths[6..].iter().sum::<usize>(), "{lengths:?}");
        for replica in &search.replicas {
            check_grid::<T5>(&[], &replica.grid.moves).unwrap();
        }
    }

    #[test]
    fn a_shorter_grid_is_taken_as_often_as_the_temperature_says() {
        for temperature in [0.3, 1.0, 2.5] {
            let replica = Replica::new(temperature);
            assert_eq!(replica.chances[0], u32::MAX);
            for loss in 1..LOSSES {
                let expected = (-(loss as f64) / temperature).exp();
                let chance = f64::from(replica.chances[loss]) / 2f64.powi(32);
                assert!((chance - expected).abs() < 1e-9, "{loss} at {temperature}: {chance}");
            }
        }
    }

    #[test]
    fn neighbours_exchange_a_longer_grid_always_and_a_shorter_one_as_often_as_is_right() {
        let mut search = Temper::<T5>::new(&Params { replicas: 2, ..params(Vec::new()) }, &unit(3, 1));
        let mut exchanges = |hot: usize, cold: usize| {
            (0..20_000)
                .filter(|_| {
                    for (at, length) in [hot, cold].into_iter().enumerate() {
                        search.replicas[at].grid.moves = vec![0; length];
                    }
                    search.exchange(1);
                    let lengths = [0, 1].map(|at| search.replicas[at].grid.moves.len());
                    assert!(lengths == [hot, cold] || lengths == [cold, hot]);
                    lengths == [cold, hot]
                })
                .count() as f64
                / 20_000.0
        };
        assert_eq!(exchanges(101, 100), 1.0);
        // 1/0.5 - 1/1.5 = 4/3.
        for loss in 1..4 {
            let (seen, expected) = (exchanges(100, 100 + loss), (-4.0 / 3.0 * loss as f64).exp());
            assert!((seen - expected).abs() < 0.015, "{loss}: {seen}, not {expected}");
        }
    }

    #[test]
    fn given_grids_are_where_the_replicas_begin_and_patience_ends_a_run() {
        let mut keep = KeepBest::default();
        Temper::<T5>::new(&params(Vec::new()), &unit(1, 100_000)).run(&mut keep);
        let short = keep.best[..30].to_vec();
        let params = Params { patience: Some(50_000), ..params(vec![short.clone(), Vec::new(), keep.best.clone()]) };
        let search = Temper::<T5>::new(&params, &unit(2, u64::MAX));
        let lengths: Vec<usize> = search.replicas.iter().rev().map(|replica| replica.grid.moves.len()).collect();
        assert_eq!(lengths, [keep.best.len(), 30].repeat(4));
        // After the first moves of the grids, too.
        let unit = Unit { prefix: short[..10].to_vec(), ..unit(2, u64::MAX) };
        let mut search = Temper::<T5>::new(&params, &unit);
        let mut found = KeepBest::default();
        assert_eq!(search.run(&mut found), End::Finished);
        assert!(found.best.len() >= keep.best.len() && found.best.starts_with(&short[..10]));
        assert!(search.games >= 50_000 && search.games - search.found_at < 50_000 + 2 * u64::from(SLICE));
        assert!(Position::<T5>::after(&found.best).is_ok());
    }

    #[test]
    fn a_restored_search_goes_on_as_if_it_had_not_been_stopped() {
        let params = params(Vec::new());
        let run = |games: u64, saved: Option<&[u8]>| {
            let mut search = match saved {
                Some(saved) => Temper::<T5>::restore(&params, &unit(7, games), saved).unwrap(),
                None => Temper::<T5>::new(&params, &unit(7, games)),
            };
            assert_eq!(search.run(&mut KeepBest::default()), End::IterationLimit);
            search.save()
        };
        let slices = |n: u64| n * u64::from(SLICE);
        let saved = run(slices(31), Some(&run(slices(24), None)));
        assert!(run(slices(60), Some(&saved)) == run(slices(60), None));
        assert!(saved.len() < 4000, "{} bytes", saved.len());
        let other = Params { replicas: 3, ..params.clone() };
        assert!(Temper::<T5>::restore(&other, &unit(7, 1), &saved).is_err());
    }
}
