//! What the local searches over grids (`perturb`, `permute`, `temper`) share: the course of a run and the loop over its slices
//! of games, the NRPA search that it may begin with, the table of the grids seen, and the telling of what was found.

use super::extension::{Extension, Instructions, Task, dispatch};
use super::nrpa::Nrpa;
use super::params::{Params, Strategy};
use super::{Unit, restore_error};
use crate::core::ctl::{Ctl, Signal};
use crate::core::histogram::Histogram;
use crate::core::search::{End, RestoreError, Search};
use crate::core::seed::derive;
use crate::morpion::geometry::Move;
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;

/// A table of hashes that remembers the last of them: direct mapped, a newer one replaces an older one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Seen(Box<[u64]>);

impl Seen {
    /// With so many entries, a power of two.
    pub fn new(entries: usize) -> Seen {
        debug_assert!(entries.is_power_of_two());
        Seen(vec![0; entries].into_boxed_slice())
    }

    /// Remembers a hash; whether it was not there.
    pub fn insert(&mut self, hash: u64) -> bool {
        let place = &mut self.0[(hash >> 32) as usize & (self.0.len() - 1)];
        std::mem::replace(place, hash) != hash
    }

    /// Whether a hash is remembered.
    pub fn contains(&self, hash: u64) -> bool {
        self.0[(hash >> 32) as usize & (self.0.len() - 1)] == hash
    }

    /// The places in use with their hashes.
    pub fn save(&self) -> Vec<(u32, u64)> {
        (0..).zip(&*self.0).filter(|(_, hash)| **hash != 0).map(|(at, &hash)| (at, hash)).collect()
    }

    /// Becomes what [`Seen::save`] has returned for a table of this size or a smaller one, from an empty one.
    pub fn restore(&mut self, saved: &[(u32, u64)]) -> Result<(), &'static str> {
        for &(at, hash) in saved {
            if at as usize >= self.0.len() {
                return Err("a hash stands outside its table");
            }
            self.insert(hash);
        }
        Ok(())
    }
}

/// Whether moves given as bits are a legal game after the prefix.
pub(super) fn check_grid<R: Rules>(prefix: &[Move], grid: &[u32]) -> Result<(), &'static str> {
    let mut moves = prefix.to_vec();
    for &bits in grid {
        moves.push(Move::from_bits(R::VARIANT, bits).ok_or("a grid has no such move")?);
    }
    Position::<R>::after(&moves).map(drop).map_err(|_| "a grid is not legal")
}

/// Grids found, until they are told of.
pub(super) struct Finds {
    /// The best score told of, prefix included.
    pub best: u32,
    /// Scores from which on grids are wanted ([`Ctl::keep_from`]).
    pub keep_from: u32,
    /// Moves without the prefix.
    news: Vec<Vec<u32>>,
}

impl Default for Finds {
    fn default() -> Finds {
        Finds { best: 0, keep_from: u32::MAX, news: Vec::new() }
    }
}

impl Finds {
    /// Notes a grid, given by its moves after the prefix.
    pub fn push(&mut self, moves: &[u32]) {
        self.news.push(moves.to_vec());
    }

    /// Forgets what was noted.
    pub fn clear(&mut self) {
        self.news.clear();
    }

    /// Tells of what was noted, the best first, and forgets it.
    pub fn report(&mut self, prefix: &[Move], iterations: u64, ctl: &mut dyn Ctl<Move>) {
        self.news.sort_by_key(|moves| std::cmp::Reverse(moves.len()));
        for grid in self.news.drain(..) {
            let moves: Vec<Move> =
                prefix.iter().copied().chain(grid.iter().map(|&bits| Move::from_raw(bits))).collect();
            let score = moves.len() as u32;
            if score > self.best {
                self.best = score;
                ctl.improved(&moves, iterations);
            }
            if score >= self.keep_from {
                ctl.found(&moves, iterations);
            }
        }
    }
}

/// What every such search keeps of its unit and of how far it has come.
pub(super) struct Course {
    pub seed: u64,
    /// What the slices are compiled for.
    pub extension: Extension,
    pub prefix: Vec<Move>,
    /// Games at most.
    pub limit: u64,
    /// A search ends after so many games without a longer grid.
    pub patience: u64,
    pub slices: u64,
    pub games: u64,
    /// Games when the longest grid was found.
    pub found_at: u64,
    pub finds: Finds,
    /// The scores of the games, as [`Search::results`] gives them.
    pub results: Vec<Histogram>,
}

impl Course {
    /// At its beginning.
    pub fn new(params: &Params, unit: &Unit) -> Course {
        Course {
            seed: unit.seed,
            extension: Extension::detect(),
            prefix: unit.prefix.clone(),
            limit: unit.max_iterations.unwrap_or(u64::MAX),
            patience: params.patience(),
            slices: 0,
            games: 0,
            found_at: 0,
            finds: Finds::default(),
            results: vec![Histogram::default()],
        }
    }

    /// Goes on from what was saved, with nothing to tell of.
    pub fn restore(&mut self, (slices, games, found_at): (u64, u64, u64), best: u32, results: Vec<Histogram>) {
        (self.slices, self.games, self.found_at, self.results) = (slices, games, found_at, results);
        self.finds.best = best;
        self.finds.clear();
    }

    /// Takes over from the search that the run begins with, as it has ended; if it is over, its best grid.
    pub fn go_on_from<R: Rules>(&mut self, start: &mut Option<WarmStart<R>>, end: End) -> Option<Vec<u32>> {
        let from = start.as_ref()?;
        (self.games, self.finds.best) = (from.iterations(), from.best());
        self.found_at = self.games;
        if end == End::Finished { start.take().map(WarmStart::into_grid) } else { None }
    }

    /// The seed of the next slice.
    #[inline(always)]
    pub fn next_seed(&mut self) -> u64 {
        let seed = derive(self.seed, &[self.slices]);
        self.slices = self.slices.wrapping_add(1);
        seed
    }

    /// Games until the limit.
    #[inline(always)]
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.games)
    }

    /// Counts the result of a game, given without the prefix.
    #[inline(always)]
    pub fn count(&mut self, moves: usize) {
        self.results[0].add(self.prefix.len() + moves);
    }

    /// Whether grids with so many moves after the prefix are wanted.
    #[inline(always)]
    pub fn wants(&self, moves: usize) -> bool {
        (self.prefix.len() + moves) as u64 >= u64::from(self.finds.keep_from)
    }

    /// Notes a grid that has come into the pool, if it is longer than all before or wanted.
    pub fn take_in(&mut self, moves: &[u32], longer: bool) {
        if longer {
            self.found_at = self.games;
        }
        if longer || self.wants(moves.len()) {
            self.finds.push(moves);
        }
    }
}

/// A search that plays its games in slices, and stands still, and is saved, between two of them.
pub(super) trait Sliced: Search<Move> {
    fn course(&mut self) -> &mut Course;

    /// Whether there is nothing to search.
    fn is_empty(&self) -> bool;

    /// One slice of games, and what is due after it; to be marked `#[inline(always)]`.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn slice<I: Instructions>(&mut self);
}

/// Plays slice after slice until there is nothing to search, nothing was found for too long, the limit is reached or the
/// search is to stop.
pub(super) fn run_slices(search: &mut impl Sliced, ctl: &mut dyn Ctl<Move>) -> End {
    search.course().finds.keep_from = ctl.keep_from();
    loop {
        let Course { prefix, limit, patience, games, found_at, finds, .. } = search.course();
        let (games, limit, stuck) = (*games, *limit, games.saturating_sub(*found_at) >= *patience);
        finds.report(prefix, games, ctl);
        if stuck || search.is_empty() {
            return End::Finished;
        }
        if games >= limit {
            return End::IterationLimit;
        }
        if ctl.poll(games, search.best()) == Signal::Stop {
            return End::Stopped;
        }
        ctl.offer_checkpoint(&mut || search.save());
        run_slice(search);
    }
}

/// Plays one slice, with the instructions that the search is compiled for.
pub(super) fn run_slice(search: &mut impl Sliced) {
    dispatch(search.course().extension, Slice(search));
}

/// One slice.
struct Slice<'a, S>(&'a mut S);

impl<S: Sliced> Task for Slice<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self) {
        // SAFETY: a task is entered only on a processor that has the instructions.
        unsafe { self.0.slice::<I>() }
    }
}

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
