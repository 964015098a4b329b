//! Uniformly random playouts: at each step every legal move is as likely as any other. One iteration is one playout.
//!
//! The mean length is 53.6 moves in 5T, 42.9 in 5D, 37.2 in 4T and 24.1 in 4D. A unit is a stream of playouts without
//! an end of its own.

use super::codec::{decode_with_results, encode_with_results, restore_error};
use super::flat_position::FlatPosition;
use super::params::Params;
use super::unit::Unit;
use super::vector::dispatch::{VectorInstructions, VectorTask, dispatch};
use super::vector::extension::VectorExtension;
use super::vector::filter::MoveFilter;
use crate::core::ctl::{Ctl, Signal};
use crate::core::histogram::Histogram;
use crate::core::search::{End, RestoreError, Search};
use crate::core::seed::{self, Rng};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;
use serde::{Deserialize, Serialize};

/// Playouts between two polls: about half a millisecond.
const POLL: u64 = 512;

/// A stream of random playouts of one unit.
pub struct Random<R> {
    start: FlatPosition<R>,
    game: FlatPosition<R>,
    max_iterations: Option<u64>,
    state: RandomPlayouts,
    /// Scores of all playouts: one level.
    results: Vec<Histogram>,
}

#[derive(Serialize, Deserialize)]
struct RandomPlayouts {
    iterations: u64,
    best: u32,
    /// Moves of all playouts together: a check of the generator that costs nothing.
    moves: u64,
    rng: Rng,
}

impl<R: Rules> Random<R> {
    /// The playouts of `unit`. Of an illegal prefix the legal beginning is taken.
    pub fn new(params: &Params, unit: &Unit) -> Random<R> {
        let start = FlatPosition::new(&params.start, unit);
        let best = start.played().len() as u32;
        let state = RandomPlayouts { iterations: 0, best, moves: 0, rng: seed::rng(unit.seed, &[]) };
        let results = vec![Histogram::default()];
        Random { game: start.clone(), start, max_iterations: unit.max_iterations, state, results }
    }

    /// Continues from a saved state.
    ///
    /// # Errors
    /// If the bytes are not a state of this unit.
    pub fn restore(params: &Params, unit: &Unit, saved: &[u8]) -> Result<Random<R>, RestoreError> {
        let (state, results): (RandomPlayouts, _) = decode_with_results("random", saved, 1)?;
        if state.best > params.start.longest_game(R::VARIANT) {
            return Err(restore_error("random", format!("a best score of {} is impossible", state.best)));
        }
        Ok(Random { state, results, ..Random::new(params, unit) })
    }

    /// Mean length of the playouts so far, the unit's prefix included.
    pub fn mean(&self) -> f64 {
        self.state.moves as f64 / self.state.iterations as f64
    }
}

impl<R: Rules> Random<R> {
    #[inline(always)]
    fn run_with<L: MoveFilter>(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        let limit = self.max_iterations.unwrap_or(u64::MAX);
        let keep_from = ctl.keep_from();
        if self.state.iterations == 0 {
            ctl.improved(self.start.played(), 0);
        }
        loop {
            let pause = limit.min(self.state.iterations.saturating_add(POLL));
            while self.state.iterations < pause {
                self.game.copy_from(&self.start);
                self.game.play_out::<L>(&mut self.state.rng);
                self.state.iterations += 1;
                let score = self.game.played().len() as u32;
                self.state.moves = self.state.moves.wrapping_add(u64::from(score));
                self.results[0].add(score as usize);
                if score > self.state.best {
                    self.state.best = score;
                    ctl.improved(self.game.played(), self.state.iterations);
                }
                if score >= keep_from {
                    ctl.found(self.game.played(), self.state.iterations);
                }
            }
            if self.state.iterations >= limit {
                return End::IterationLimit;
            }
            if ctl.poll(self.state.iterations, self.state.best) == Signal::Stop {
                return End::Stopped;
            }
            ctl.offer_checkpoint(&mut || self.save());
        }
    }
}

impl<R: Rules> Search<Move> for Random<R> {
    fn run(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        dispatch(VectorExtension::detect(), RandomRun { search: self, ctl })
    }
    fn save(&self) -> Vec<u8> {
        encode_with_results(&self.state, &self.results)
    }

    fn iterations(&self) -> u64 {
        self.state.iterations
    }

    fn best(&self) -> u32 {
        self.state.best
    }

    fn results(&self) -> &[Histogram] {
        &self.results
    }
}

/// A call of [`Search::run`].
struct RandomRun<'a, R> {
    search: &'a mut Random<R>,
    ctl: &'a mut dyn Ctl<Move>,
}

impl<R: Rules> VectorTask for RandomRun<'_, R> {
    type Output = End;

    #[inline(always)]
    fn run<L: VectorInstructions>(self) -> End {
        self.search.run_with::<L>(self.ctl)
    }
}
