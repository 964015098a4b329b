//! The coordinator of a hunt: it hands out the units of one search for a longest game and gathers what they found.
//!
//! For `dfs` the units are the prefixes that the main walk makes, as in the thesis that this program follows ("Řešič
//! Morpion Solitaire", 2021): all combinations of the first moves, the first of them restricted to one per symmetry
//! class. Any free worker can search any of them. For the Monte Carlo strategies the units are independent runs, each
//! with a seed derived from the job's seed and the run's number. Where the workers share one search ([`Pipeline`]),
//! they are its calls.
//!
//! A unit is known by its number in that order. The walk is deterministic, so the state of a hunt is the set of
//! numbers done. A restored hunt walks again, passes over what is done, and first hands out what was begun. The calls
//! of a shared search depend on results, so its state holds those too.

pub use super::find::Find;
pub use super::hunt_job::{Job, MIN_MAIN_DEPTH};
use super::pipeline::{Pipeline, ShareError};
pub use super::record::{EndedCall, EndedUnit, HuntRecord, HuntState, Totals};
pub use super::work::NumberedUnit;
use crate::core::histogram::Results;
use crate::core::search::{End, RestoreError};
use crate::core::seed::derive;
use crate::morpion::geometry::Move;
use crate::morpion::position::IllegalMove;
use crate::morpion::variant::Variant;
use crate::strategies::Unit;
use crate::strategies::nrpa::policy::Snapshot;
use crate::strategies::params::{JumpsFrom, Sort, Strategy};
use crate::strategies::prefix::{LevelProgress, Prefix, PrefixWalk, prefix_walk};
use crate::with_rules;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// More units than this are never begun and not done at once.
pub const MAX_IN_FLIGHT: u64 = 1 << 20;

/// Why a hunt cannot be begun.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The start is not a game.
    #[error("move {number} of the start is illegal in {variant}: {reason}")]
    IllegalStart {
        /// Number of the move, counted from 1.
        number: usize,
        /// Variant by whose rules the start was played.
        variant: Variant,
        /// Why the move is illegal.
        reason: IllegalMove,
    },
    /// The start holds a number that names no move.
    #[error("move {number} of the start is not a move of {variant}")]
    NoMove {
        /// Number of the move, counted from 1.
        number: usize,
        /// Variant that has no such move.
        variant: Variant,
    },
    /// The main depth is too small.
    #[error("the main depth is {0}, but at least 2 is needed")]
    MainDepth(u32),
    /// The search cannot be shared as asked.
    #[error(transparent)]
    Share(#[from] ShareError),
}

/// A state that is not one of this job.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The job is not valid.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The walk no longer makes the units that the state was saved with.
    #[error(
        "the units of this hunt differ from those it was begun with: it was begun by another version of the program"
    )]
    OtherUnits,
    /// The state contradicts itself.
    #[error("the state contradicts itself: {0}")]
    Contradiction(&'static str),
    /// The levels of a shared search cannot be restored.
    #[error(transparent)]
    Levels(#[from] RestoreError),
}

const NO_RESULT: StateError = StateError::Contradiction("the result of a call that is done is missing");

/// What the search of a unit came to.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitResult {
    /// Why it ended.
    pub end: End,
    /// Iterations it took.
    pub iterations: u64,
    /// Its best score.
    pub best: u32,
    /// What its search counted per nesting level.
    pub results: Results,
    /// If the unit was a call of a shared search: the moves of its best game, those of the start included.
    pub game: Option<Vec<Move>>,
}

/// What the hunt has to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum NextUnit {
    /// This unit is to be searched.
    Unit(NumberedUnit),
    /// All units that can be searched now are handed out; some are still being searched.
    Wait,
    /// Nothing is left to do.
    Finished(Over),
}

/// How a hunt came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// A grid of the target's size was found.
    Target,
    /// Every grid was seen: the best one is proven to be a longest one from this start.
    Exhausted,
    /// All units are done, but they did not see every grid.
    Finished,
}

/// Where the units come from.
enum Source {
    Walk(Box<dyn PrefixWalk>),
    Runs,
    Shared(Box<Pipeline>),
}

/// The coordinator of a hunt.
pub struct Hunt {
    job: Job,
    source: Source,
    state: HuntState,
    /// Units that an earlier session began, in order.
    pending: VecDeque<NumberedUnit>,
    /// Units handed out, with their checksums.
    running: BTreeMap<u64, u32>,
    /// The source has no more units.
    dry: bool,
}

impl Hunt {
    /// A hunt that has not begun.
    ///
    /// # Errors
    /// If the job is not valid.
    pub fn new(job: Job) -> Result<Hunt, JobError> {
        if job.main_depth < MIN_MAIN_DEPTH {
            return Err(JobError::MainDepth(job.main_depth));
        }
        check_game(&job, &job.start)?;
        let source = match (job.params.share, job.params.strategy) {
            (Some(share), _) => Source::Shared(Box::new(Pipeline::new(&job, share)?)),
            (None, Strategy::Dfs) => Source::Walk(prefix_walk(job.variant, &job.params, &job.start, job.main_depth)),
            (None, _) => Source::Runs,
        };
        let state = HuntState::default();
        Ok(Hunt { job, source, state, pending: VecDeque::new(), running: BTreeMap::new(), dry: false })
    }

    /// A hunt that continues from a saved state and the changes made since.
    ///
    /// # Errors
    /// If the job is not valid, if the state contradicts itself, or if the units are not those that it was
    /// saved with.
    pub fn restore(job: Job, state: HuntState, since: &[HuntRecord]) -> Result<Hunt, StateError> {
        if !state.done.is_sound() || state.done.end() > state.produced || state.totals.units != state.done.len() {
            return Err(StateError::Contradiction("the units done and their number disagree"));
        }
        let mut hunt = Hunt::new(job)?;
        let saved = (state.produced, state.digest);
        let mut checks = BTreeMap::new();
        let mut end = state;
        for record in since {
            if let Some(ended) = record.ended() {
                checks.insert(ended.id, ended.check);
            }
            end.apply(record);
        }
        hunt.restore_pipeline(&mut end, since)?;
        if let Some(best) = &end.best {
            check_game(&hunt.job, &best.moves)?;
        }
        let produced = saved.0.max(end.done.end());
        if produced - end.done.len() > MAX_IN_FLIGHT {
            return Err(StateError::Contradiction("more units are begun than any machine searches at once"));
        }
        while hunt.state.produced < produced {
            let Some(work) = hunt.produce() else {
                return Err(match hunt.source {
                    Source::Shared(_) => NO_RESULT,
                    _ => StateError::OtherUnits,
                });
            };
            if checks.get(&work.id).is_some_and(|&check| check != work.check()) {
                return Err(StateError::OtherUnits);
            }
            if hunt.state.produced == saved.0 && hunt.state.digest != saved.1 {
                return Err(StateError::OtherUnits);
            }
            if !end.done.contains(work.id) {
                hunt.pending.push_back(work);
            }
        }
        if let Source::Shared(pipeline) = &hunt.source
            && !pipeline.is_complete(&end.done)
        {
            return Err(NO_RESULT);
        }
        end.produced = hunt.state.produced;
        end.digest = hunt.state.digest;
        hunt.state = end;
        Ok(hunt)
    }

    /// Puts the levels of a shared search where the state has them, with the results since.
    fn restore_pipeline(&mut self, end: &mut HuntState, since: &[HuntRecord]) -> Result<(), StateError> {
        let Source::Shared(pipeline) = &mut self.source else { return Ok(()) };
        let state = end.pipeline.take();
        if let Some(state) = &state {
            pipeline.restore(&self.job, state)?;
        }
        let kept = state.iter().flat_map(|state| &state.results).map(|(_, game)| game);
        let new = since.iter().filter_map(|record| match record {
            HuntRecord::Called(called) => Some((called.ended.id, &called.game)),
            _ => None,
        });
        for game in kept.chain(new.clone().map(|(_, game)| game)) {
            if !game.starts_with(&self.job.start) {
                return Err(StateError::Contradiction("a call's result does not begin with the hunt's start"));
            }
            check_game(&self.job, game)?;
        }
        new.for_each(|(id, game)| pipeline.absorb(id, game.clone()));
        self.state.produced = pipeline.next_id();
        if end.done.first_missing() < self.state.produced {
            return Err(StateError::Contradiction("a call that others have learned from is not done"));
        }
        Ok(())
    }

    /// What this hunt searches for, and how.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// The state, to be shown.
    pub fn state(&self) -> &HuntState {
        &self.state
    }

    /// The state, to be saved.
    pub fn snapshot(&self) -> HuntState {
        let pipeline = match &self.source {
            Source::Shared(pipeline) => Some(pipeline.save()),
            _ => None,
        };
        HuntState { pipeline, ..self.state.clone() }
    }

    /// Changes the target of a hunt that is resumed.
    pub fn set_target(&mut self, target: Option<u32>) {
        self.job.target = target;
    }

    /// Changes which grids of a hunt that is resumed are kept.
    pub fn set_keep_from(&mut self, keep_from: Option<u32>) {
        self.job.keep_from = keep_from;
    }

    /// Whether the unit has been handed out and is not done.
    pub fn is_running(&self, id: u64) -> bool {
        self.running.contains_key(&id)
    }

    /// Units begun and not done, including those that wait to be continued.
    pub fn in_flight(&self) -> impl Iterator<Item = u64> + '_ {
        self.running.keys().copied().chain(self.pending.iter().map(|work| work.id))
    }

    /// Units that an earlier session began and that have not been handed out again.
    pub fn pending(&self) -> impl Iterator<Item = &NumberedUnit> + '_ {
        self.pending.iter()
    }

    /// How far the main walk has come, or the levels of a shared search; nothing for independent runs.
    pub fn progress(&self) -> Option<Vec<LevelProgress>> {
        match &self.source {
            Source::Walk(walk) => Some(walk.progress()),
            Source::Shared(pipeline) => Some(pipeline.progress()),
            Source::Runs => None,
        }
    }

    /// What all levels have counted together with the results of the units done, from level 0 on: in a shared search
    /// those above the units too. For a hunt that will not continue.
    pub fn results(mut self) -> Results {
        let mut results = self.state.results;
        if let Source::Shared(pipeline) = &mut self.source {
            results.merge(pipeline.results());
        }
        results
    }

    /// The units with numbers below `end` in their order, whether they are done or not; calls of a shared search with
    /// the uniform policy instead of theirs, which only their predecessors' results give. For a hunt that has not
    /// begun.
    pub fn list(mut self, end: u64) -> impl Iterator<Item = NumberedUnit> {
        (0..end).map_while(move |id| match &self.source {
            Source::Shared(pipeline) => {
                let (unit, call) = pipeline.call(id, Snapshot::uniform());
                Some(NumberedUnit { id, unit, call: Some(call) })
            }
            _ => self.produce(),
        })
    }

    /// What is to be done next.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> NextUnit {
        if self.job.target.is_some_and(|target| self.state.score() >= target) {
            return NextUnit::Finished(Over::Target);
        }
        match self.pending.pop_front().or_else(|| self.produce()) {
            Some(mut work) => {
                if self.job.params.jumps_from == JumpsFrom::Hunt {
                    work.unit.known_best = self.state.score();
                }
                self.running.insert(work.id, work.check());
                NextUnit::Unit(work)
            }
            None if !self.running.is_empty() => NextUnit::Wait,
            None => NextUnit::Finished(self.verdict()),
        }
    }

    /// Absorbs a grid that a unit found: the change to be recorded if it is a new best.
    pub fn absorb_find(&mut self, find: Find) -> Option<HuntRecord> {
        if find.score() <= self.state.score() {
            return None;
        }
        let record = HuntRecord::Best(find);
        self.state.apply(&record);
        Some(record)
    }

    /// Absorbs the outcome of a unit: the change to be recorded; nothing if the unit is not being searched.
    ///
    /// A unit that was only stopped must not be given here.
    pub fn absorb(&mut self, id: u64, outcome: UnitResult) -> Option<HuntRecord> {
        let UnitResult { end, iterations, best, results, game } = outcome;
        debug_assert_ne!(end, End::Stopped, "a stopped unit is not done");
        let check = self.running.remove(&id)?;
        let ended = EndedUnit { id, check, end, iterations, best, results };
        let record = match game {
            Some(game) => {
                if let Source::Shared(pipeline) = &mut self.source {
                    pipeline.absorb(id, game.clone());
                }
                HuntRecord::Called(EndedCall { ended, game })
            }
            None => HuntRecord::Ended(ended),
        };
        self.state.apply(&record);
        Some(record)
    }

    /// The next unit of the source, if there is one and it can be searched now.
    fn produce(&mut self) -> Option<NumberedUnit> {
        if self.dry {
            return None;
        }
        let id = self.state.produced;
        let runs = self.job.runs.unwrap_or(u64::MAX);
        let (work, dry) = match &mut self.source {
            Source::Walk(walk) => {
                let unit = walk.next().map(|prefix| {
                    let Prefix { moves, candidates } = prefix;
                    Unit {
                        prefix: moves,
                        candidates: Some(candidates),
                        seed: derive(self.job.seed, &[id]),
                        max_iterations: self.job.max_iterations,
                        known_best: 0,
                    }
                });
                let dry = unit.is_none();
                (unit.map(|unit| NumberedUnit { id, unit, call: None }), dry)
            }
            Source::Runs if id < runs => {
                let unit = Unit {
                    prefix: self.job.start.clone(),
                    candidates: None,
                    seed: derive(self.job.seed, &[id]),
                    max_iterations: self.job.max_iterations,
                    known_best: 0,
                };
                (Some(NumberedUnit { id, unit, call: None }), false)
            }
            Source::Shared(pipeline) if pipeline.search_of(id) < runs => {
                (pipeline.produce().map(|(unit, call)| NumberedUnit { id, unit, call: Some(call) }), false)
            }
            Source::Runs | Source::Shared(_) => (None, true),
        };
        self.dry = dry;
        let work = work?;
        let before = if work.call.is_some() { 0 } else { self.state.digest };
        self.state.digest = work.digest(before);
        self.state.produced += 1;
        Some(work)
    }

    /// What the end of all units proves.
    fn verdict(&self) -> Over {
        let params = &self.job.params;
        let walk_is_exact = !matches!(params.sort, Sort::TotalWeightsMax | Sort::WeightsMax);
        let all_exhausted = self.state.totals.exhausted == self.state.totals.units;
        match self.source {
            Source::Walk(_) if walk_is_exact && all_exhausted => Over::Exhausted,
            _ => Over::Finished,
        }
    }
}

/// Checks that `moves` can be played from the start of the job.
fn check_game(job: &Job, moves: &[Move]) -> Result<(), JobError> {
    let Job { variant, ref params, .. } = *job;
    for (i, mv) in moves.iter().enumerate() {
        if Move::from_bits(variant, mv.bits()) != Some(*mv) {
            return Err(JobError::NoMove { number: i + 1, variant });
        }
    }
    with_rules!(variant, R => params.start.after::<R>(moves).map(drop))
        .map_err(|(i, reason)| JobError::IllegalStart { number: i + 1, variant, reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::params::{Jumps, Params, StallTable};
    use rand::RngExt;

    fn job(strategy: Strategy) -> Job {
        Job {
            variant: Variant::D5,
            params: Params { strategy, jumps: Jumps::none(), stall: StallTable(Vec::new()), ..Params::default() },
            start: Vec::new(),
            main_depth: 2,
            seed: 1,
            max_iterations: Some(10),
            runs: (strategy != Strategy::Dfs).then_some(40),
            target: None,
            keep_from: None,
        }
    }

    fn ended(end: End) -> UnitResult {
        UnitResult { end, iterations: 1, best: 0, results: Results::default(), game: None }
    }

    fn units(job: &Job) -> Vec<NumberedUnit> {
        let mut hunt = Hunt::new(job.clone()).unwrap();
        let mut all = Vec::new();
        while let NextUnit::Unit(work) = hunt.next() {
            all.push(work);
        }
        all
    }

    fn best(score: usize) -> Find {
        use crate::morpion::{position::Position, variant::D5};
        let mut position = Position::<D5>::new();
        (0..score).for_each(|_| position.play(position.moves()[0]));
        let moves = position.played().to_vec();
        Find { moves, unit: 0, unit_seed: 0, worker: 1, iterations: 1, seconds: 0.0, time: 0.0 }
    }

    /// Random sessions: units are handed out and end in any order, checkpoints are taken, crashes lose what came
    /// after the journal's end; in the end each unit has been done once.
    #[test]
    fn each_unit_is_done_once_over_any_crashes() {
        for strategy in [Strategy::Dfs, Strategy::Nrpa] {
            let job = job(strategy);
            let all = units(&job);
            assert!(all.len() >= 40 && (0..).zip(&all).all(|(id, work)| id == work.id));
            for seed in 0..20 {
                let mut rng = crate::core::seed::rng(seed, &[]);
                let mut hunt = Hunt::new(job.clone()).unwrap();
                let (mut saved, mut journal) = (hunt.state().clone(), Vec::new());
                let mut running: Vec<u64> = Vec::new();
                let mut done = vec![0; all.len()];
                let over = loop {
                    match rng.random_range(0..12) {
                        0..=4 if running.len() < 5 => match hunt.next() {
                            NextUnit::Unit(work) => {
                                assert_eq!(work, all[work.id as usize], "seed {seed}");
                                running.push(work.id);
                            }
                            NextUnit::Wait => assert!(!running.is_empty(), "seed {seed}"),
                            NextUnit::Finished(over) => break over,
                        },
                        5..=9 if !running.is_empty() => {
                            let id = running.swap_remove(rng.random_range(0..running.len()));
                            let record = hunt.absorb(id, ended(End::Exhausted)).expect("it is running");
                            assert_eq!(hunt.absorb(id, ended(End::Exhausted)), None, "seed {seed}");
                            done[id as usize] += 1;
                            journal.push(record);
                        }
                        10 => {
                            saved = hunt.state().clone();
                            journal.clear();
                        }
                        11 => {
                            hunt = Hunt::restore(job.clone(), saved.clone(), &journal).unwrap();
                            let mut begun: Vec<u64> = hunt.in_flight().collect();
                            begun.sort_unstable();
                            assert!(begun.iter().all(|&id| done[id as usize] == 0), "seed {seed}");
                            running.clear();
                        }
                        _ => {}
                    }
                };
                assert!(done.iter().all(|&times| times == 1), "seed {seed}: {done:?}");
                assert_eq!(hunt.state().totals.units, all.len() as u64, "seed {seed}");
                assert_eq!(over == Over::Exhausted, strategy == Strategy::Dfs, "seed {seed}");
            }
        }
    }

    #[test]
    fn exhausted_is_said_only_if_every_unit_was() {
        let all_but_one = |end: End| {
            let mut hunt = Hunt::new(job(Strategy::Dfs)).unwrap();
            loop {
                match hunt.next() {
                    NextUnit::Unit(work) => {
                        let end = if work.id == 3 { end } else { End::Exhausted };
                        hunt.absorb(work.id, ended(end));
                    }
                    NextUnit::Finished(over) => return over,
                    NextUnit::Wait => panic!("nothing is running"),
                }
            }
        };
        assert_eq!(all_but_one(End::Exhausted), Over::Exhausted);
        for end in [End::Finished, End::Stalled, End::IterationLimit] {
            assert_eq!(all_but_one(end), Over::Finished, "{end:?}");
        }
        let mut job = job(Strategy::Dfs);
        job.params.sort = Sort::WeightsMax;
        let mut hunt = Hunt::new(job).unwrap();
        while let NextUnit::Unit(work) = hunt.next() {
            hunt.absorb(work.id, ended(End::Exhausted));
        }
        assert_eq!(hunt.next(), NextUnit::Finished(Over::Finished), "the walk itself left moves out");
    }

    #[test]
    fn units_are_handed_out_with_the_hunts_best_if_jumps_are_measured_from_it() {
        for (jumps_from, known) in [(JumpsFrom::Unit, [0, 0]), (JumpsFrom::Hunt, [0, 3])] {
            let mut job = job(Strategy::Dfs);
            job.params.jumps_from = jumps_from;
            let mut hunt = Hunt::new(job.clone()).unwrap();
            let known_best = |hunt: &mut Hunt| match hunt.next() {
                NextUnit::Unit(work) => work.unit.known_best,
                other => panic!("{other:?}"),
            };
            let before = known_best(&mut hunt);
            hunt.absorb_find(best(3));
            assert_eq!([before, known_best(&mut hunt)], known);
            let mut again = Hunt::restore(job, hunt.snapshot(), &[]).unwrap();
            assert_eq!(known_best(&mut again), known[1], "the checksums of the units do not depend on it");
        }
    }

    #[test]
    fn the_best_only_rises_and_the_target_ends_the_hunt() {
        let mut hunt = Hunt::new(Job { target: Some(5), ..job(Strategy::Dfs) }).unwrap();
        assert!(hunt.absorb_find(best(3)).is_some());
        assert_eq!(hunt.absorb_find(best(3)), None);
        assert_eq!(hunt.absorb_find(best(2)), None);
        assert!(matches!(hunt.next(), NextUnit::Unit(_)));
        assert!(hunt.absorb_find(best(6)).is_some());
        assert_eq!(hunt.next(), NextUnit::Finished(Over::Target));
        hunt.set_target(None);
        assert!(matches!(hunt.next(), NextUnit::Unit(_)));
    }

    #[test]
    fn states_that_do_not_fit_are_refused() {
        let job = job(Strategy::Dfs);
        let mut hunt = Hunt::new(job.clone()).unwrap();
        let mut records = Vec::new();
        for _ in 0..4 {
            let NextUnit::Unit(work) = hunt.next() else { panic!("there are more") };
            records.extend(hunt.absorb(work.id, ended(End::Stalled)));
        }
        let state = hunt.state().clone();
        let refused =
            |job: Job, state: HuntState, since: &[HuntRecord]| Hunt::restore(job, state, since).err().unwrap();
        Hunt::restore(job.clone(), state.clone(), &[]).unwrap();
        let other = Job { params: Params { sort: Sort::LinesWeights, ..job.params.clone() }, ..job.clone() };
        assert!(matches!(refused(other.clone(), state.clone(), &[]), StateError::OtherUnits));
        assert!(matches!(refused(other, HuntState::default(), &records), StateError::OtherUnits));
        let short = HuntState { produced: 2, ..state.clone() };
        assert!(matches!(refused(job.clone(), short, &[]), StateError::Contradiction(_)));
        let long = HuntState { produced: u64::MAX, ..state.clone() };
        assert!(matches!(refused(job.clone(), long, &[]), StateError::Contradiction(_)));
        let mut twice = best(2);
        twice.moves[1] = twice.moves[0];
        let illegal = HuntState { best: Some(twice), ..state.clone() };
        let error = refused(job.clone(), illegal, &[]);
        assert!(matches!(error, StateError::Job(JobError::IllegalStart { number: 2, .. })), "{error}");
        assert!(matches!(Hunt::new(Job { main_depth: 1, ..job }), Err(JobError::MainDepth(1))));
    }
}
