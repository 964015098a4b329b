//! Nested rollout policy adaptation (Rosin 2011).
//!
//! A call of level `n` makes N calls of level `n - 1`, each with its own copy of the policy, keeps the best game
//! (of equal ones the later) and after each adapts its policy toward it; level 0 is a playout. The nesting is held
//! as an explicit stack, so that a search stands still between any two calls of level 1 and can be saved there.
//! Each call of level 1 draws its random numbers from a seed of its own, derived from the unit's seed and the
//! call's number. The results of the calls of each level are counted.

mod clocks;
mod game;
mod lesson;
mod playout;
pub mod policy;
pub(super) mod slots;

use crate::core::ctl::{Ctl, Signal};
use crate::core::histogram::Histogram;
use crate::core::search::{End, RestoreError, Search};
use crate::core::seed::derive;
use crate::morpion::geometry::Move;
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;
use crate::strategies::extension::{Extension, Instructions, Task, dispatch};
use crate::strategies::params::{Adapt, Params};
use crate::strategies::{Unit, decode_with_results, encode_with_results, restore_error};
use clocks::Clocks;
use game::Game;
use lesson::Lesson;
use playout::Playout;
use policy::Policy;

/// What a level remembers between the calls below it.
struct Nest {
    policy: Policy,
    /// Calls of the level below done.
    done: u32,
    /// The best game of the calls done, without the prefix.
    best: Box<Game>,
    lesson: Lesson,
    /// The lesson is that of `best` and up to date with `policy`.
    prepared: bool,
}

impl Nest {
    fn new() -> Nest {
        Nest { policy: Policy::uniform(), done: 0, best: Game::boxed(), lesson: Lesson::new(), prepared: false }
    }

    /// Whether the result of a call of the level below becomes the best: of equal ones the later. To layers, a game
    /// with the same moves in another order is the same.
    #[inline(always)]
    fn accepts(&self, game: &Game, form: Adapt) -> bool {
        let (new, old) = (game.moves(), self.best.moves());
        new.len() > old.len()
            || new.len() == old.len()
                && match form {
                    Adapt::Sequence => new != old,
                    Adapt::Layers => game.fingerprint() != self.best.fingerprint(),
                }
    }

    /// Begins a call with the policy of the level above.
    fn begin(&mut self, above: &Policy) {
        self.policy.copy_from(above);
        (self.done, self.prepared) = (0, false);
        self.best.clear();
    }
}

/// A resumable NRPA search of one unit: one call of the top level.
pub struct Nrpa<R> {
    adapt: Adapt,
    alpha: f32,
    calls: u32,
    seed: u64,
    limit: u64,
    extension: Extension,
    prefix: Vec<Move>,
    playout: Playout<R>,
    board: crate::morpion::board::Board<R>,
    clocks: Clocks,
    /// Levels 1 to the top.
    nests: Vec<Nest>,
    /// A call of level 1 is in the middle.
    open: bool,
    /// Calls of level 1 done.
    batches: u64,
    playouts: u64,
    best: u32,
    finished: bool,
    /// Scores of the playouts and of the calls of levels 1 to the top.
    results: Vec<Histogram>,
    /// Lengths of the playouts of the last slice, without the prefix: the hot function only stores them.
    lengths: Box<[u16; SLICE as usize]>,
    /// Scores of the earlier slices of the open call of level 1, which a stop makes again.
    recent: Histogram,
}

/// The saved state; what follows from parameters and unit is not in it.
#[derive(serde::Serialize, serde::Deserialize)]
struct Saved {
    batches: u64,
    playouts: u64,
    best: u32,
    finished: bool,
    nests: Vec<SavedNest>,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct SavedNest {
    done: u32,
    best: Vec<u32>,
    policy: Vec<(u32, f32)>,
}

impl<R: Rules> Nrpa<R> {
    /// Begins the search of `unit`.
    pub fn new(params: &Params, unit: &Unit) -> Nrpa<R> {
        Nrpa::with_extension(params, unit, Extension::detect())
    }

    /// The same with a chosen extension (where the processor lacks it, plain code).
    fn with_extension(params: &Params, unit: &Unit, extension: Extension) -> Nrpa<R> {
        let mut position = Position::<R>::new();
        for &mv in &unit.prefix {
            position.play(mv);
        }
        let moves = unit.candidates.as_deref().unwrap_or(position.moves());
        Nrpa {
            adapt: params.adapt,
            alpha: params.alpha as f32,
            calls: params.iterations.max(1),
            seed: unit.seed,
            limit: unit.max_iterations.unwrap_or(u64::MAX),
            extension,
            prefix: unit.prefix.clone(),
            playout: Playout::new(position.board().clone(), moves),
            board: position.board().clone(),
            clocks: Clocks::new(0),
            nests: (0..params.level().max(1)).map(|_| Nest::new()).collect(),
            open: false,
            batches: 0,
            playouts: 0,
            best: 0,
            finished: false,
            results: vec![Histogram::default(); params.level().max(1) as usize + 1],
            lengths: Box::new([0; SLICE as usize]),
            recent: Histogram::default(),
        }
    }

    /// Goes on from what [`Search::save`] returned for the same parameters and unit.
    ///
    /// # Errors
    /// If the bytes are no such state.
    pub fn restore(params: &Params, unit: &Unit, saved: &[u8]) -> Result<Nrpa<R>, RestoreError> {
        let fail = |reason: &str| restore_error("nrpa", reason.to_owned());
        let mut search = Nrpa::<R>::new(params, unit);
        let (saved, results): (Saved, _) = decode_with_results("nrpa", saved, search.results.len())?;
        search.results = results;
        if saved.nests.len() + 1 != search.nests.len() {
            return Err(fail("it has another number of levels"));
        }
        for (nest, saved) in search.nests[1..].iter_mut().zip(saved.nests) {
            if saved.done > search.calls {
                return Err(fail("a level has made more calls than it may"));
            }
            let mut moves = unit.prefix.clone();
            for &bits in &saved.best {
                moves.push(Move::from_bits(R::VARIANT, bits).ok_or_else(|| fail("a best game has no such move"))?);
            }
            Position::<R>::after(&moves).map_err(|_| fail("a best game is not legal"))?;
            nest.policy = Policy::from_entries(&saved.policy).ok_or_else(|| fail("a policy is out of range"))?;
            nest.done = saved.done;
            search.playout.replay(&saved.best, &mut nest.best);
        }
        search.batches = saved.batches;
        search.playouts = saved.playouts;
        search.best = saved.best;
        search.finished = saved.finished;
        Ok(search)
    }

    /// Begins a call of level 1 under the policy of the level above or goes on with the open one, for [`SLICE`] playouts
    /// at most; when it is complete, hands its result upwards.
    ///
    /// # Safety
    /// The processor has the instructions.
    #[inline(always)]
    unsafe fn batch<I: Instructions>(&mut self) {
        let (lowest, upper) = self.nests.split_first_mut().expect("there is a level 1");
        if !self.open {
            self.clocks.reseed(derive(self.seed, &[self.batches]));
            match upper.first() {
                Some(above) => lowest.begin(&above.policy),
                None => lowest.begin(&Policy::uniform()),
            }
            self.open = true;
        }
        let pause = self.calls.min(lowest.done.saturating_add(SLICE));
        while lowest.done < pause && self.playouts < self.limit {
            if lowest.done > 0 {
                learn(lowest, self.adapt, self.alpha, &self.playout, &mut self.board);
            }
            // SAFETY: the instructions by the caller's promise.
            unsafe { self.playout.play::<I>(&lowest.policy, &mut self.clocks) };
            self.playouts += 1;
            self.lengths[(lowest.done % SLICE) as usize] = self.playout.game.moves().len() as u16;
            lowest.done += 1;
            if lowest.accepts(&self.playout.game, self.adapt) {
                std::mem::swap(&mut lowest.best, &mut self.playout.game);
                lowest.prepared = false;
            }
        }
        if lowest.done < self.calls && self.playouts < self.limit {
            return;
        }
        self.open = false;
        self.batches += 1;
        if lowest.done < self.calls {
            // The budget is used up in the middle of a call: nothing follows.
            return;
        }
        let mut level = 1;
        while level < self.nests.len() {
            let (below, rest) = self.nests.split_at_mut(level);
            let nest = &mut rest[0];
            nest.done += 1;
            if nest.accepts(&below[level - 1].best, self.adapt) {
                nest.best.copy_from(&below[level - 1].best);
                nest.prepared = false;
            }
            if nest.done < self.calls {
                learn(nest, self.adapt, self.alpha, &self.playout, &mut self.board);
                // The calls completed below begin anew with the policy of the level above them.
                for lower in (1..level).rev() {
                    let (lower, above) = self.nests.split_at_mut(lower + 1);
                    lower.last_mut().expect("it has at least two levels").begin(&above[0].policy);
                }
                return;
            }
            level += 1;
            count(&mut self.results[level], self.prefix.len() + nest.best.moves().len());
        }
        self.finished = true;
    }

    /// Counts the playouts of the slice that began at playout number `from` of its call, and the call if it is complete.
    fn count_slice(&mut self, from: u32) {
        let (done, prefix) = (self.nests[0].done, self.prefix.len());
        let whole = from == 0 && !self.open;
        let counts = if whole { &mut self.results[0] } else { &mut self.recent };
        for number in from..done {
            counts.add(prefix + usize::from(self.lengths[(number % SLICE) as usize]));
        }
        if !whole && !self.open {
            self.results[0].merge(&self.recent);
            self.recent.clear();
        }
        if !self.open && done == self.calls {
            self.results[1].add(prefix + self.nests[0].best.moves().len());
        }
    }
}

/// Counts the result of a call above level 1, out of the way of the hot function.
#[cold]
#[inline(never)]
fn count(results: &mut Histogram, score: usize) {
    results.add(score);
}

/// Playouts between two polls at most: about 20 ms.
const SLICE: u32 = 4096;

/// One call of level 1, or a slice of it.
struct Batch<'a, R>(&'a mut Nrpa<R>);

impl<R: Rules> Task for Batch<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self) {
        // SAFETY: a task is entered only on a processor that has the instructions.
        unsafe { self.0.batch::<I>() }
    }
}

/// Adapts the policy of `nest` toward its best game.
#[inline(always)]
fn learn<R: Rules>(
    nest: &mut Nest,
    form: Adapt,
    alpha: f32,
    playout: &Playout<R>,
    board: &mut crate::morpion::board::Board<R>,
) {
    if nest.best.moves().is_empty() {
        return;
    }
    if !nest.prepared {
        nest.lesson.prepare::<R>(form, playout.start(), board, &nest.best, &mut nest.policy);
        nest.prepared = true;
    }
    nest.lesson.adapt(alpha, &mut nest.policy);
}

impl<R: Rules> Search<Move> for Nrpa<R> {
    fn run(&mut self, ctl: &mut dyn Ctl<Move>) -> End {
        let keep_from = ctl.keep_from();
        loop {
            if self.finished {
                return End::Finished;
            }
            if self.playouts >= self.limit {
                return End::IterationLimit;
            }
            if ctl.poll(self.playouts, self.best) == Signal::Stop {
                if self.open {
                    // A call in the middle is not saved: it will be made again from its seed.
                    self.playouts -= u64::from(self.nests[0].done);
                    self.recent.clear();
                    self.open = false;
                }
                return End::Stopped;
            }
            if !self.open {
                ctl.offer_checkpoint(&mut || self.save());
            }
            let from = if self.open { self.nests[0].done } else { 0 };
            dispatch(self.extension, Batch(self));
            self.count_slice(from);
            if self.open {
                continue;
            }
            // The call of level 1 has just ended; its best game stays in place until the next begins.
            let found = self.nests[0].best.moves();
            let score = (self.prefix.len() + found.len()) as u32;
            if score > self.best || score >= keep_from {
                let mut moves = self.prefix.clone();
                moves.extend(found.iter().map(|&bits| Move::from_raw(bits)));
                if score > self.best {
                    self.best = score;
                    ctl.improved(&moves, self.playouts);
                }
                if score >= keep_from {
                    ctl.found(&moves, self.playouts);
                }
            }
        }
    }

    fn save(&self) -> Vec<u8> {
        let nests = self.nests[1..]
            .iter()
            .map(|n| SavedNest { done: n.done, best: n.best.moves().to_vec(), policy: n.policy.entries() })
            .collect();
        let saved =
            Saved { batches: self.batches, playouts: self.playouts, best: self.best, finished: self.finished, nests };
        encode_with_results(&saved, &self.results)
    }

    fn iterations(&self) -> u64 {
        self.playouts
    }

    fn best(&self) -> u32 {
        self.best
    }

    fn results(&self) -> &[Histogram] {
        &self.results
    }
}

#[cfg(test)]
mod tests;
