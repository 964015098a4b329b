//! Parallel NRPA with a shared policy: the calls of one level are the units of work, and the levels above it learn here
//! from all of them (after Nagorko, "Parallel nested rollout policy adaptation", 2019).
//!
//! Call `i` begins from the policies that the results of the calls up to `i - W` have left, taken in in their order,
//! whatever order they come in; W is the width. So up to W calls can be made at a time, a worker waits only if one call
//! takes as long as W others, and what is found depends on seed and width, never on threads or timing; with a width of 1
//! it is what one search finds that holds all levels. A call that begins anew at some level (the first of its parent)
//! while its parent's predecessors are still being made begins from the policy of the lowest level above whose own call
//! is under way; the first calls of a search, from the uniform policy, while the last of the search before are made.
//!
//! Two copies of the upper levels are held: one that the policies come from, and one that is behind by a width and gets
//! saved. From it and the results since, a restored hunt makes the policies of the calls in flight again.

use super::hunt::Job;
use crate::core::search::RestoreError;
use crate::core::seed::derive;
use crate::morpion::geometry::Move;
use crate::strategies::Unit;
use crate::strategies::nrpa::Call;
use crate::strategies::nrpa::policy::Snapshot;
use crate::strategies::nrpa::upper::{self, UpperLevels};
use crate::strategies::params::{MAX_WIDTH, Params, Strategy};
use crate::strategies::prefix::LevelProgress;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Parameters of a shared policy that do not go together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShareError {
    /// Only NRPA has a policy.
    #[error("only nrpa has a policy to share between the workers")]
    Strategy,
    /// There is no level above the shared calls.
    #[error("calls of level {share} cannot be shared in a search of level {level}: a level from 1 to {} is needed", level.saturating_sub(1))]
    Level {
        /// The level asked for.
        share: u32,
        /// The search's level.
        level: u32,
    },
    /// The width is out of range.
    #[error("a width of {0} is not possible: 1 to {MAX_WIDTH} calls can be made at a time")]
    Width(u32),
}

/// What is saved of a pipeline beside the numbers of the calls done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PipelineState {
    /// Results that the saved levels have taken in.
    pub fed: u64,
    /// The levels ([`UpperLevels::save`]).
    pub levels: Vec<u8>,
    /// The results of later calls, by their numbers.
    pub results: Vec<(u64, Vec<Move>)>,
}

/// Levels and numbers of calls, which follow from the job.
#[derive(Debug, Clone, Copy)]
struct Shape {
    share: u32,
    top: u32,
    width: u64,
    /// N: calls of the level below per call.
    calls: u64,
    /// Calls of the shared level in one search.
    per_search: u64,
    /// Playouts of a call, and its calls of level 1.
    playouts: u64,
    batches: u64,
    /// The playouts of a search end here.
    limit: Option<u64>,
}

impl Shape {
    fn of(params: &Params, limit: Option<u64>, share: u32) -> Result<Shape, ShareError> {
        let top = params.level();
        if params.strategy != Strategy::Nrpa {
            return Err(ShareError::Strategy);
        }
        if share < 1 || share >= top {
            return Err(ShareError::Level { share, level: top });
        }
        let width = params.width.unwrap_or(1);
        if !(1..=MAX_WIDTH).contains(&width) {
            return Err(ShareError::Width(width));
        }
        // Numbers that do not fit are never reached.
        let calls = u64::from(params.iterations.max(1));
        let playouts = calls.saturating_pow(share);
        let all = calls.saturating_pow(top - share);
        let per_search = limit.map_or(all, |limit| all.min(limit.div_ceil(playouts).max(1)));
        let batches = calls.saturating_pow(share - 1);
        Ok(Shape { share, top, width: width.into(), calls, per_search, playouts, batches, limit })
    }

    /// Results that are taken in before call `id` begins.
    fn needs(&self, id: u64) -> u64 {
        (id + 1).saturating_sub(self.width)
    }

    /// The number of the search that a call belongs to, and the call's number in it.
    fn place(&self, id: u64) -> (u64, u64) {
        (id / self.per_search, id % self.per_search)
    }

    /// The lowest level above the shared one whose call holds call `id` and is under way when `fed` results have been
    /// taken in; nothing if the search has not begun.
    fn parent(&self, id: u64, fed: u64) -> Option<u32> {
        let ((search, call), (fed_search, fed_call)) = (self.place(id), self.place(fed));
        let mut same = (call, fed_call);
        let level = (self.share + 1..=self.top).find(|_| {
            same = (same.0 / self.calls, same.1 / self.calls);
            same.0 == same.1
        });
        level.filter(|_| search == fed_search)
    }
}

/// The upper levels with the number of results taken in.
struct Levels {
    fed: u64,
    upper: Box<dyn UpperLevels>,
}

impl Levels {
    /// Takes in results up to number `until`; the first that is missing stops it.
    fn feed(&mut self, until: u64, shape: &Shape, results: &BTreeMap<u64, Vec<Move>>) {
        while self.fed < until
            && let Some(game) = results.get(&self.fed)
        {
            if shape.place(self.fed).1 + 1 == shape.per_search {
                self.upper.reset();
            } else {
                self.upper.take_in(game);
            }
            self.fed += 1;
        }
    }
}

/// The upper levels of the searches of a hunt and the calls below them.
pub struct Pipeline {
    shape: Shape,
    seed: u64,
    start: Vec<Move>,
    /// Where the policies of new calls come from.
    ahead: Levels,
    /// Far enough behind for the policies of all calls in flight.
    behind: Levels,
    /// The results that `behind` has not taken in.
    results: BTreeMap<u64, Vec<Move>>,
    /// Number of the next call.
    next: u64,
}

impl Pipeline {
    /// At the beginning of a job that shares calls of level `share` and whose start is legal.
    ///
    /// # Errors
    /// If the job cannot be shared in this way.
    pub fn new(job: &Job, share: u32) -> Result<Pipeline, ShareError> {
        let shape = Shape::of(&job.params, job.max_iterations, share)?;
        let levels = || Levels { fed: 0, upper: upper::begin(job.variant, &job.params, share, &job.start) };
        let (ahead, behind) = (levels(), levels());
        let start = job.start.clone();
        Ok(Pipeline { shape, seed: job.seed, start, ahead, behind, results: BTreeMap::new(), next: 0 })
    }

    /// Goes back to a saved state; the next call is then the first that may have been in flight. The results must be
    /// legal games.
    ///
    /// # Errors
    /// If the levels cannot be restored.
    pub fn restore(&mut self, job: &Job, saved: &PipelineState) -> Result<(), RestoreError> {
        let levels = || upper::restore(job.variant, &job.params, self.shape.share, &job.start, &saved.levels);
        let (ahead, behind) = (levels()?, levels()?);
        self.ahead = Levels { fed: saved.fed, upper: ahead };
        self.behind = Levels { fed: saved.fed, upper: behind };
        self.results = saved.results.iter().cloned().collect();
        self.next = if saved.fed == 0 { 0 } else { saved.fed.saturating_add(self.shape.width - 1) };
        Ok(())
    }

    /// The state, for [`Pipeline::restore`].
    pub fn save(&self) -> PipelineState {
        let results = self.results.iter().map(|(&id, game)| (id, game.clone())).collect();
        PipelineState { fed: self.behind.fed, levels: self.behind.upper.save(), results }
    }

    /// Number of the next call.
    pub fn next_id(&self) -> u64 {
        self.next
    }

    /// The next call, if all results that its policy takes are in.
    pub fn produce(&mut self) -> Option<(Unit, Call)> {
        let needed = self.shape.needs(self.next);
        self.ahead.feed(needed, &self.shape, &self.results);
        if self.ahead.fed < needed {
            return None;
        }
        let policy = match self.shape.parent(self.next, needed) {
            Some(level) => self.ahead.upper.policy(level),
            None => Snapshot::uniform(),
        };
        let made = self.call(self.next, policy);
        self.next += 1;
        // A call in flight is at most a width before the next one.
        let oldest = self.shape.needs(self.next.saturating_sub(self.shape.width));
        self.behind.feed(oldest, &self.shape, &self.results);
        self.results = self.results.split_off(&self.behind.fed);
        Some(made)
    }

    /// Call `id`, which begins from `policy`.
    pub fn call(&self, id: u64, policy: Snapshot) -> (Unit, Call) {
        let (search, number) = self.shape.place(id);
        let before = number.saturating_mul(self.shape.playouts);
        let left = self.shape.limit.map(|limit| limit.saturating_sub(before));
        let unit = Unit {
            prefix: self.start.clone(),
            candidates: None,
            seed: derive(self.seed, &[search]),
            max_iterations: left.filter(|&left| left < self.shape.playouts),
        };
        let first = number.saturating_mul(self.shape.batches);
        (unit, Call { level: self.shape.share, first, policy })
    }

    /// The search that call `id` belongs to, from 0.
    pub fn search_of(&self, id: u64) -> u64 {
        self.shape.place(id).0
    }

    /// Takes in the result of a call: the whole game, legal and with the job's start.
    pub fn take_in(&mut self, id: u64, game: Vec<Move>) {
        if id >= self.behind.fed {
            self.results.insert(id, game);
        }
    }

    /// How far the search is whose calls are handed out: per level from the top how many of the N calls of the level
    /// below are left.
    pub fn progress(&self) -> Vec<LevelProgress> {
        let (_, mut call) = self.shape.place(self.next);
        let mut levels: Vec<LevelProgress> = (self.shape.share + 1..=self.shape.top)
            .map(|level| {
                let left = self.shape.calls - call % self.shape.calls;
                call /= self.shape.calls;
                LevelProgress { level, left: left as u32, total: self.shape.calls as u32 }
            })
            .collect();
        levels.reverse();
        levels
    }
}
