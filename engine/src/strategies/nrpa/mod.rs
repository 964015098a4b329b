//! Nested rollout policy adaptation (Rosin 2011).
//!
//! A call of level `n` makes N calls of level `n - 1`, each with its own copy of the policy. It keeps the best game
//! (of equal ones the later), and after each call adapts its policy toward it. Level 0 is a playout. Level 1 may play
//! several playouts between two adaptations (stabilised NRPA: Cazenave, Sevestre and Toulemont 2020). The nesting is
//! an explicit stack of levels (`nest`), so a search can be stopped and saved between any two calls of level 1.
//! Each call of level 1 draws its random numbers from a seed of its own, derived from the unit's seed and the call's
//! number. The results of the calls of each level are counted.
//!
//! A search may also be one call of a lower level, whose policy comes from elsewhere ([`Call`]). The levels above it
//! are in [`upper`] then.

pub(super) mod clocks;
pub(super) mod game;
mod lesson;
pub(super) mod nest;
pub(super) mod playout;
pub mod policy;
pub mod upper;

use crate::core::ctl::{Ctl, Signal};
use crate::core::histogram::Histogram;
use crate::core::search::{End, Phase, RestoreError, Search};
use crate::core::seed::derive;
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;
use crate::strategies::codec::{decode_with_results, encode_with_results, restore_error};
use crate::strategies::params::{Adapt, Params};
use crate::strategies::unit::Unit;
use crate::strategies::vector::dispatch::{VectorInstructions, VectorTask, dispatch};
use crate::strategies::vector::extension::VectorExtension;
use clocks::ClockStream;
use nest::{Nest, SavedNest, ascend, learn};
use playout::Playout;
use policy::{Policy, Snapshot};

/// One call of a search whose levels above it are elsewhere. Made in their order and each from the policy that all
/// before it have left, the calls do what one search does that holds all levels.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Its level, from 1.
    pub level: u32,
    /// Calls of level 1 in the calls before it: the seeds of its own count on from there.
    pub first: u64,
    /// The policy that it begins with.
    pub policy: Snapshot,
}

/// A resumable NRPA search of one unit: one call of the top level, or of a lower one.
pub struct Nrpa<R> {
    adapt: Adapt,
    alpha: f32,
    calls: u32,
    /// Playouts between two adaptations of level 1.
    stabilize: u32,
    seed: u64,
    limit: u64,
    extension: VectorExtension,
    prefix: Vec<Move>,
    playout: Playout<R>,
    board: crate::morpion::board::Board<R>,
    clocks: ClockStream,
    /// Levels 1 to that of the call.
    nests: Vec<Nest>,
    /// The policy that a call of level 1 begins with if there is no level above, if it is not the uniform one.
    root: Option<Policy>,
    /// A call of level 1 is in the middle.
    open: bool,
    /// Calls of level 1 done, those before the search included if it is one call of several.
    batches: u64,
    playouts: u64,
    best: u32,
    finished: bool,
    /// The top level ends when so many of its calls have had a result as long as its best.
    settling: u64,
    /// Scores of the playouts and of the calls of levels 1 to the top.
    results: Vec<Histogram>,
    /// Lengths of the playouts of the last slice, without the prefix: the hot function only stores them.
    lengths: Box<[u16; SLICE as usize]>,
    /// Scores of the earlier slices of the open call of level 1, which a stop makes again.
    recent: Histogram,
}

/// The saved state; what follows from parameters and unit is not in it.
#[derive(serde::Serialize, serde::Deserialize)]
struct SavedNrpa {
    batches: u64,
    playouts: u64,
    best: u32,
    finished: bool,
    nests: Vec<SavedNest>,
}

impl<R: Rules> Nrpa<R> {
    /// Begins the search of `unit`, of which `call` is to be made, or the whole.
    pub fn new(params: &Params, unit: &Unit, call: Option<&Call>) -> Nrpa<R> {
        Nrpa::with_extension(params, unit, call, VectorExtension::detect())
    }

    /// Ends, from level 2 on, when so many calls of the level below the top have had a result as long as the best:
    /// the policy has settled by then, and further calls seldom bring a longer one.
    pub(super) fn settling(mut self, calls: u64) -> Nrpa<R> {
        self.settling = calls;
        self
    }

    /// Counts the result of the top level and ends it, if it has settled.
    fn settle(&mut self) {
        let [.., below, top] = &mut self.results[1..] else { return };
        let score = self.prefix.len() + self.nests.last().map_or(0, |nest| nest.best.moves().len());
        if !self.finished && below.count(score) >= self.settling {
            top.add(score);
            self.finished = true;
        }
    }

    /// The same with a chosen extension (where the processor lacks it, plain code).
    fn with_extension(params: &Params, unit: &Unit, call: Option<&Call>, extension: VectorExtension) -> Nrpa<R> {
        let position = unit.position::<R>(params);
        let moves = unit.moves(&position);
        let level = call.map_or(params.level(), |call| call.level).max(1);
        let mut nests: Vec<Nest> = (0..level).map(|_| Nest::new()).collect();
        let root = call.map(|call| call.policy.policy());
        if let Some(root) = &root {
            nests.iter_mut().for_each(|nest| nest.begin(root));
        }
        Nrpa {
            adapt: params.adapt,
            alpha: params.alpha as f32,
            calls: params.iterations(),
            stabilize: params.stabilize.max(1),
            seed: unit.seed,
            limit: unit.max_iterations.unwrap_or(u64::MAX),
            extension,
            prefix: unit.prefix.clone(),
            playout: Playout::new(position.board().clone(), moves, unit.room::<R>(params)),
            board: position.board().clone(),
            clocks: ClockStream::new(0),
            nests,
            root,
            open: false,
            batches: call.map_or(0, |call| call.first),
            playouts: 0,
            best: 0,
            finished: false,
            settling: u64::MAX,
            results: vec![Histogram::default(); level as usize + 1],
            lengths: Box::new([0; SLICE as usize]),
            recent: Histogram::default(),
        }
    }

    /// Continues from what [`Search::save`] returned for the same parameters, unit and call.
    ///
    /// # Errors
    /// If the bytes are not such a state.
    pub fn restore(params: &Params, unit: &Unit, call: Option<&Call>, saved: &[u8]) -> Result<Nrpa<R>, RestoreError> {
        let fail = |reason: &str| restore_error("nrpa", reason.to_owned());
        let mut search = Nrpa::<R>::new(params, unit, call);
        let (saved, results): (SavedNrpa, _) = decode_with_results("nrpa", saved, search.results.len())?;
        search.results = results;
        if saved.nests.len() + 1 != search.nests.len() {
            return Err(fail("it has another number of levels"));
        }
        for (nest, saved) in search.nests[1..].iter_mut().zip(saved.nests) {
            nest.restore(saved, search.calls, &mut search.playout).map_err(fail)?;
        }
        search.batches = saved.batches;
        search.playouts = saved.playouts;
        search.best = saved.best;
        search.finished = saved.finished;
        Ok(search)
    }

    /// Begins a call of level 1 under the policy of the level above or goes on with the open one, for [`SLICE`]
    /// playouts at most; when it is complete, hands its result upwards.
    ///
    /// # Safety
    /// The processor has the instructions.
    #[inline(always)]
    unsafe fn batch<I: VectorInstructions>(&mut self) {
        let (lowest, upper) = self.nests.split_first_mut().expect("there is a level 1");
        if !self.open {
            self.clocks.reseed(derive(self.seed, &[self.batches]));
            match (upper.first(), &self.root) {
                (Some(above), _) => lowest.begin(&above.policy),
                (None, Some(root)) => lowest.begin(root),
                (None, None) => lowest.begin(&Policy::uniform()),
            }
            self.open = true;
        }
        let pause = self.calls.min(lowest.done.saturating_add(SLICE));
        while lowest.done < pause && self.playouts < self.limit {
            if lowest.done > 0 && lowest.done.is_multiple_of(self.stabilize) {
                learn(lowest, self.adapt, self.alpha, &self.playout, &mut self.board);
            }
            // SAFETY: the instructions by the caller's promise.
            unsafe { self.playout.play::<I>(&lowest.policy, &mut self.clocks) };
            self.playouts += 1;
            self.lengths[(lowest.done % SLICE) as usize] = self.playout.game.moves().len() as u16;
            lowest.offer(&mut self.playout.game, self.adapt);
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
        let Nrpa { nests, calls, adapt, alpha, playout, board, results, prefix, .. } = self;
        self.finished = ascend(nests, *calls, *adapt, *alpha, playout, board, &mut results[1..], prefix.len());
    }

    /// Counts the playouts of the slice that began at playout number `from` of its call, and the call if it is
    /// complete.
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

/// Playouts between two polls at most: about 20 ms.
const SLICE: u32 = 4096;

/// One call of level 1, or a slice of it.
struct Batch<'a, R>(&'a mut Nrpa<R>);

impl<R: Rules> VectorTask for Batch<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<I: VectorInstructions>(self) {
        // SAFETY: a task is entered only on a processor that has the instructions.
        unsafe { self.0.batch::<I>() }
    }
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
            self.settle();
            // The call of level 1 has just ended; its best game stays in place until the next begins.
            let found = self.nests[0].best.moves();
            let score = (self.prefix.len() + found.len()) as u32;
            if score > self.best || score >= keep_from {
                let mut moves = self.prefix.clone();
                moves.extend(found.iter().copied());
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
        let nests = self.nests[1..].iter().map(Nest::save).collect();
        let saved = SavedNrpa {
            batches: self.batches,
            playouts: self.playouts,
            best: self.best,
            finished: self.finished,
            nests,
        };
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

    /// The calls that the top level has made.
    fn phase(&self) -> Option<Phase> {
        let done = self.nests.last()?.done.min(self.calls.saturating_sub(1));
        Some(Phase { name: "call", number: u64::from(done) + 1, of: Some(self.calls.into()) })
    }

    fn best_game(&self) -> Vec<Move> {
        let best = self.nests.last().map_or(&[][..], |top| top.best.moves());
        self.prefix.iter().copied().chain(best.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests;
