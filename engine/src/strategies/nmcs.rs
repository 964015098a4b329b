//! Nested Monte Carlo search (Cazenave 2009) with the best sequence of each level remembered.
//!
//! Level 0 is a random playout. A search of level `n` goes through one game. At each step it plays every legal move,
//! each followed by a search of level `n - 1`, remembers the best sequence it has ever found, and plays that
//! sequence's next move. Published means: 84.5 and 99.9 moves at levels 1 and 2 in 5T, 61 and 66.6 in 5D. One
//! iteration is one random playout; a unit is one search of the top level. The levels in progress are an explicit
//! stack, so the search can be stopped between any two playouts. The results of the playouts and of the searches of
//! each level are counted.

use super::codec::{decode_with_results, encode_with_results, restore_error};
use super::flat_position::FlatPosition;
use super::params::Params;
use super::unit::Unit;
use super::vector::dispatch::{VectorInstructions, VectorTask, dispatch};
use super::vector::extension::VectorExtension;
use super::vector::filter::MoveFilter;
use crate::core::ctl::{Ctl, Signal};
use crate::core::histogram::Histogram;
use crate::core::search::{End, Phase, RestoreError, Search};
use crate::core::seed::{self, Rng};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;
use serde::{Deserialize, Serialize};

/// Random playouts between two polls: about half a millisecond.
const POLL: u64 = 512;
/// Levels beyond this one would not end in a lifetime.
const MAX_LEVEL: u32 = 10;

/// A nested search of one unit.
pub struct Nmcs<R> {
    /// The top level first; `levels[i]` is in use for `i < open`.
    levels: Vec<NmcsLevel<R>>,
    open: usize,
    /// Length of the unit's prefix.
    prefix: usize,
    game: FlatPosition<R>,
    max_iterations: Option<u64>,
    iterations: u64,
    best: u32,
    rng: Rng,
    /// Scores of the random playouts and of the searches of levels 1 to the top.
    results: Vec<Histogram>,
}

/// One level of the search in progress: its game so far.
#[derive(Clone)]
struct NmcsLevel<R> {
    position: FlatPosition<R>,
    /// How many moves of the position's list have been tried.
    tried: usize,
    /// The best sequence from the start position that this level has found.
    best: Vec<Move>,
}

#[derive(Serialize, Deserialize)]
struct SavedNmcs {
    iterations: u64,
    best: u32,
    rng: Rng,
    levels: Vec<SavedNmcsLevel>,
}

#[derive(Serialize, Deserialize)]
struct SavedNmcsLevel {
    /// Moves played since the unit's prefix.
    played: Vec<Move>,
    tried: u32,
    best: Vec<Move>,
}

impl<R: Rules> Nmcs<R> {
    /// The search of `unit` at the level of the parameters (taken into 1..=10). Of an illegal prefix the legal
    /// beginning is taken.
    pub fn new(params: &Params, unit: &Unit) -> Nmcs<R> {
        let (level, start) = (params.level(), FlatPosition::new(&params.start, unit));
        let room = params.start.longest_game(R::VARIANT) as usize + 1;
        let mut levels = Vec::new();
        for _ in 0..level.clamp(1, MAX_LEVEL) {
            levels.push(NmcsLevel { position: start.clone(), tried: 0, best: Vec::with_capacity(room) });
        }
        let prefix = start.played().len();
        let rng = seed::rng(unit.seed, &[]);
        let (max_iterations, best) = (unit.max_iterations, prefix as u32);
        let results = vec![Histogram::default(); levels.len() + 1];
        Nmcs { levels, open: 1, prefix, game: start, max_iterations, iterations: 0, best, rng, results }
    }

    /// Continues from a saved state.
    ///
    /// # Errors
    /// If the bytes are not a state of this unit with these parameters.
    pub fn restore(params: &Params, unit: &Unit, saved: &[u8]) -> Result<Nmcs<R>, RestoreError> {
        let error = |reason: String| restore_error("nmcs", reason);
        let mut search = Nmcs::<R>::new(params, unit);
        let (saved, results): (SavedNmcs, _) = decode_with_results("nmcs", saved, search.results.len())?;
        search.results = results;
        if saved.levels.is_empty() || saved.levels.len() > search.levels.len() {
            return Err(error(format!("{} levels instead of 1 to {}", saved.levels.len(), search.levels.len())));
        }
        if saved.best > params.start.longest_game(R::VARIANT) {
            return Err(error(format!("a best score of {} is impossible", saved.best)));
        }
        search.open = saved.levels.len();
        for (level, from) in search.levels.iter_mut().zip(saved.levels) {
            let unplayable = |number: usize| error(format!("move {number} of a sequence cannot be played"));
            level.position.try_play_all(&from.played).map_err(unplayable)?;
            let played = level.position.played();
            if !from.best.is_empty() {
                let Some(rest) = from.best.strip_prefix(played) else {
                    return Err(error("a level has not followed its best sequence".into()));
                };
                search.game.copy_from(&level.position);
                search.game.try_play_all(rest).map_err(unplayable)?;
            }
            level.tried = from.tried as usize;
            if level.tried > level.position.list().len() {
                return Err(error(format!("a level has fewer than {} moves to try", level.tried)));
            }
            level.best.extend_from_slice(&from.best);
        }
        (search.iterations, search.best, search.rng) = (saved.iterations, saved.best, saved.rng);
        Ok(search)
    }

    /// Goes on until the next random game has been played; `false` if the search is over.
    #[inline(always)]
    fn next_game<L: MoveFilter>(&mut self) -> bool {
        let top = self.levels.len();
        loop {
            let (upper, lower) = self.levels.split_at_mut(self.open);
            let level = upper.last_mut().expect("the top level stays open");
            if let Some(&mv) = level.position.list().get(level.tried) {
                level.tried += 1;
                if let Some(below) = lower.first_mut() {
                    below.position.copy_from(&level.position);
                    below.position.play::<L>(mv);
                    below.tried = 0;
                    below.best.clear();
                    if !below.position.list().is_empty() {
                        self.open += 1;
                        continue;
                    }
                }
                self.game.copy_from(&level.position);
                self.game.play::<L>(mv);
                self.game.play_out::<L>(&mut self.rng);
                keep_longer(&mut level.best, self.game.played());
                return true;
            }
            if let Some(&next) = level.best.get(level.position.played().len()) {
                level.position.play::<L>(next);
                level.tried = 0;
            } else if self.open == 1 {
                // A unit is one search of the top level, however often it is run again.
                if self.results[top].is_empty() {
                    self.results[top].add(level.position.played().len());
                }
                return false;
            } else {
                let (above, done) = upper.split_at_mut(self.open - 1);
                keep_longer(&mut above[self.open - 2].best, &done[0].best);
                self.results[top + 1 - self.open].add(done[0].best.len());
                self.open -= 1;
            }
        }
    }

    #[inline(always)]
    fn run_with<L: MoveFilter>(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        let limit = self.max_iterations.unwrap_or(u64::MAX);
        let keep_from = ctl.keep_from();
        if self.iterations == 0 {
            ctl.improved(self.levels[0].position.played(), 0);
        }
        loop {
            let pause = limit.min(self.iterations.saturating_add(POLL));
            while self.iterations < pause {
                if !self.next_game::<L>() {
                    return End::Finished;
                }
                self.iterations += 1;
                let score = self.game.played().len() as u32;
                self.results[0].add(score as usize);
                if score > self.best {
                    self.best = score;
                    ctl.improved(self.game.played(), self.iterations);
                }
                if score >= keep_from {
                    ctl.found(self.game.played(), self.iterations);
                }
            }
            if self.iterations >= limit {
                return End::IterationLimit;
            }
            if ctl.poll(self.iterations, self.best) == Signal::Stop {
                return End::Stopped;
            }
            ctl.offer_checkpoint(&mut || self.save());
        }
    }
}

/// Replaces `best` by `sequence` if that is longer.
fn keep_longer(best: &mut Vec<Move>, sequence: &[Move]) {
    if sequence.len() > best.len() {
        best.clear();
        best.extend_from_slice(sequence);
    }
}

impl<R: Rules> Search<Move> for Nmcs<R> {
    fn run(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        dispatch(VectorExtension::detect(), NmcsRun { search: self, ctl })
    }
    fn save(&self) -> Vec<u8> {
        let levels = self.levels[..self.open].iter().map(|level| SavedNmcsLevel {
            played: level.position.played()[self.prefix..].to_vec(),
            tried: level.tried as u32,
            best: level.best.clone(),
        });
        let saved = SavedNmcs {
            iterations: self.iterations,
            best: self.best,
            rng: self.rng.clone(),
            levels: levels.collect(),
        };
        encode_with_results(&saved, &self.results)
    }

    fn iterations(&self) -> u64 {
        self.iterations
    }

    fn best(&self) -> u32 {
        self.best
    }

    fn results(&self) -> &[Histogram] {
        &self.results
    }

    /// The move that the top level looks for.
    fn phase(&self) -> Option<Phase> {
        Some(Phase { name: "move", number: self.levels[0].position.played().len() as u64 + 1, of: None })
    }
}

/// A call of [`Search::run`].
struct NmcsRun<'a, R> {
    search: &'a mut Nmcs<R>,
    ctl: &'a mut dyn Ctl<Move>,
}

impl<R: Rules> VectorTask for NmcsRun<'_, R> {
    type Output = End;

    #[inline(always)]
    fn run<L: VectorInstructions>(self) -> End {
        self.search.run_with::<L>(self.ctl)
    }
}
