//! Parallel NRPA with a shared policy: the calls of one level are the units of work, and the levels above it learn
//! here from all of them (after Nagorko, "Parallel nested rollout policy adaptation", 2019).
//!
//! Call `i` begins from the policies that the results of the calls up to `i - W` have left, absorbed in their order,
//! whatever order they come in; W is the width. So up to W calls can be made at a time, a worker waits only if one
//! call takes as long as W others, and what is found depends on seed and width, never on threads or timing; with a
//! width of 1 it is what one search finds that holds all levels. A call that begins anew at some level (the first of
//! its parent) while its parent's predecessors are still being made begins from the policy of the lowest level above
//! whose own call is under way; the first calls of a search, from the uniform policy, while the last of the search
//! before are made.
//!
//! Two copies of the upper levels are held: one that the policies come from, and one that is behind by a width and
//! gets saved. From it and the results since, a restored hunt makes the policies of the calls in flight again.

use super::done::DoneSet;
use super::hunt_job::Job;
use super::record::PipelineState;
use crate::core::histogram::Histogram;
use crate::core::search::RestoreError;
use crate::core::seed::derive;
use crate::morpion::geometry::Move;
use crate::strategies::Unit;
use crate::strategies::nrpa::Call;
use crate::strategies::nrpa::policy::Snapshot;
use crate::strategies::nrpa::upper::{self, UpperLevels};
use crate::strategies::params::{MAX_LEVEL, MAX_WIDTH, Params, Strategy};
use crate::strategies::prefix::LevelProgress;
use std::collections::BTreeMap;

/// Parameters of a shared policy that do not go together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShareError {
    /// Only NRPA has a policy.
    #[error("only nrpa has a policy to share between the workers")]
    Strategy,
    /// There is no level above the shared calls.
    #[error("calls of level {share} cannot be shared in a search of level {level}: {}", below(*.level))]
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

/// Which levels can be shared in a search of this level.
fn below(level: u32) -> String {
    match level {
        0 | 1 => "the search has one level".to_owned(),
        _ if level > MAX_LEVEL => format!("a search has at most {MAX_LEVEL} levels"),
        _ => format!("a level from 1 to {} is needed", level - 1),
    }
}

/// Levels and numbers of calls, which follow from the job.
#[derive(Debug, Clone, Copy)]
struct CallPlan {
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

impl CallPlan {
    fn of(params: &Params, limit: Option<u64>, share: u32) -> Result<CallPlan, ShareError> {
        let top = params.level();
        if params.strategy != Strategy::Nrpa {
            return Err(ShareError::Strategy);
        }
        if share < 1 || share >= top || top > MAX_LEVEL {
            return Err(ShareError::Level { share, level: top });
        }
        let width = params.width.unwrap_or(1);
        if !(1..=MAX_WIDTH).contains(&width) {
            return Err(ShareError::Width(width));
        }
        // Numbers that do not fit are never reached.
        let calls = u64::from(params.iterations());
        let playouts = calls.saturating_pow(share);
        let all = calls.saturating_pow(top - share);
        let per_search = limit.map_or(all, |limit| all.min(limit.div_ceil(playouts).max(1)));
        let batches = calls.saturating_pow(share - 1);
        Ok(CallPlan { share, top, width: width.into(), calls, per_search, playouts, batches, limit })
    }

    /// Results that are absorbed before call `id` begins.
    fn needs(&self, id: u64) -> u64 {
        (id + 1).saturating_sub(self.width)
    }

    /// Playouts that are left of a search, if it has a limit, before its call of this number.
    fn left(&self, number: u64) -> Option<u64> {
        let before = number.saturating_mul(self.playouts);
        self.limit.map(|limit| limit.saturating_sub(before))
    }

    /// The number of the search that a call belongs to, and the call's number in it.
    fn place(&self, id: u64) -> (u64, u64) {
        (id / self.per_search, id % self.per_search)
    }

    /// The lowest level above the shared one whose call holds call `id` and is under way when `fed` results have been
    /// absorbed; nothing if the search has not begun.
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

/// The upper levels with the number of results that they have absorbed.
struct Levels {
    fed: u64,
    upper: Box<dyn UpperLevels>,
}

impl Levels {
    /// Absorbs results up to number `until`; the first that is missing stops it.
    fn feed(&mut self, until: u64, shape: &CallPlan, results: &BTreeMap<u64, Vec<Move>>) {
        while self.fed < until
            && let Some(game) = results.get(&self.fed)
        {
            let number = shape.place(self.fed).1;
            // What a call has left that was cut off counts for nothing.
            if shape.left(number).is_none_or(|left| left >= shape.playouts) {
                self.upper.absorb(game);
            }
            if number + 1 == shape.per_search {
                self.upper.reset();
            }
            self.fed += 1;
        }
    }
}

/// The upper levels of the searches of a hunt and the calls below them.
pub struct Pipeline {
    shape: CallPlan,
    seed: u64,
    start: Vec<Move>,
    /// Where the policies of new calls come from.
    ahead: Levels,
    /// Far enough behind for the policies of all calls in flight.
    behind: Levels,
    /// The results that `behind` has not absorbed.
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
        let shape = CallPlan::of(&job.params, job.max_iterations, share)?;
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
        let left = self.shape.left(number);
        let unit = Unit {
            prefix: self.start.clone(),
            candidates: None,
            seed: derive(self.seed, &[search]),
            max_iterations: left.filter(|&left| left < self.shape.playouts),
            known_best: 0,
        };
        let first = number.saturating_mul(self.shape.batches);
        (unit, Call { level: self.shape.share, first, policy })
    }

    /// The search that call `id` belongs to, from 0.
    pub fn search_of(&self, id: u64) -> u64 {
        self.shape.place(id).0
    }

    /// Whether the results of all calls that are `done` are in.
    pub fn is_complete(&self, done: &DoneSet) -> bool {
        (self.behind.fed..self.next).all(|id| !done.contains(id) || self.results.contains_key(&id))
    }

    /// Absorbs the result of a call: the whole game, legal and with the job's start.
    pub fn absorb(&mut self, id: u64, game: Vec<Move>) {
        if id >= self.behind.fed {
            self.results.insert(id, game);
        }
    }

    /// How often the calls of each level above the shared one ended with each score, by level from 0, after all
    /// results that can be absorbed. For a hunt that will not continue.
    pub fn results(&mut self) -> &[Histogram] {
        self.ahead.feed(u64::MAX, &self.shape, &self.results);
        self.ahead.upper.results()
    }

    /// How far the search is whose calls are handed out: per level from the top how many of the N calls of the level
    /// below are not handed out, or not to their end.
    pub fn progress(&self) -> Vec<LevelProgress> {
        let (_, mut call) = self.shape.place(self.next);
        let over = call == 0 && self.next > 0;
        let mut levels: Vec<LevelProgress> = (self.shape.share + 1..=self.shape.top)
            .map(|level| {
                let left = self.shape.calls - call % self.shape.calls;
                call /= self.shape.calls;
                LevelProgress { level, left: if over { 0 } else { left as u32 }, total: self.shape.calls as u32 }
            })
            .collect();
        levels.reverse();
        levels
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ctl::{Ctl, Signal};
    use crate::core::histogram::Results as Counts;
    use crate::core::search::End;
    use crate::jobs::hunt::{
        EndedCall, Hunt, HuntRecord, HuntState, NextUnit, NumberedUnit, Over, StateError, UnitResult,
    };
    use crate::morpion::variant::Variant;
    use crate::strategies::params::Adapt;
    use crate::strategies::start;
    use rand::RngExt;

    fn job(level: u32, iterations: u32, share: Option<u32>, width: u32) -> Job {
        let strategy = Strategy::Nrpa;
        let params = Params {
            strategy,
            level: Some(level),
            iterations: Some(iterations),
            stabilize: 1,
            share,
            ..Params::default()
        };
        Job {
            variant: Variant::D5,
            params: Params { width: share.map(|_| width), ..params },
            start: Vec::new(),
            main_depth: 2,
            seed: 41,
            max_iterations: None,
            runs: Some(2),
            target: None,
            keep_from: None,
        }
    }

    fn called(end: End, iterations: u64, best: u32, game: Vec<Move>) -> UnitResult {
        UnitResult { end, iterations, best, results: Counts::default(), game: Some(game) }
    }

    /// What a search reports, with the iterations of its hunt.
    #[derive(Default)]
    struct Log {
        before: u64,
        best: usize,
        found: Vec<(u64, Vec<Move>)>,
        /// What the last search has counted.
        counts: Counts,
    }

    impl Ctl<Move> for Log {
        fn poll(&mut self, _iterations: u64, _best: u32) -> Signal {
            Signal::Continue
        }

        fn improved(&mut self, moves: &[Move], iterations: u64) {
            if moves.len() > self.best {
                self.best = moves.len();
                self.found.push((self.before + iterations, moves.to_vec()));
            }
        }
    }

    /// Searches a unit to its end.
    fn search(hunt: &Hunt, work: &NumberedUnit, log: &mut Log) -> Outcome {
        let mut search = work.start(hunt.job().variant, &hunt.job().params);
        let end = search.run(log);
        log.before += search.iterations();
        log.counts = Counts::from(search.results());
        (end, search.iterations(), search.best(), search.best_game())
    }

    /// The whole hunt by one worker.
    fn by_one_worker(job: &Job) -> (Log, Vec<NumberedUnit>, Hunt) {
        let mut hunt = Hunt::new(job.clone()).expect("a valid job");
        let (mut log, mut all) = (Log::default(), Vec::new());
        loop {
            match hunt.next() {
                NextUnit::Unit(work) => {
                    let (end, iterations, best, result) = search(&hunt, &work, &mut log);
                    let (results, game) = (log.counts.clone(), work.call.is_some().then_some(result));
                    let done = hunt.absorb(work.id, UnitResult { end, iterations, best, results, game });
                    assert!(done.is_some());
                    all.push(work);
                }
                NextUnit::Wait => panic!("nothing is running"),
                NextUnit::Finished(over) => {
                    assert_eq!(over, Over::Finished);
                    return (log, all, hunt);
                }
            }
        }
    }

    #[test]
    fn with_width_one_it_is_the_search_of_one_worker() {
        for (level, n, share, limit, adapt) in [
            (3, 7, 1, None, Adapt::Sequence),
            (3, 7, 2, None, Adapt::Layers),
            (4, 4, 2, None, Adapt::Sequence),
            (4, 4, 3, Some(111), Adapt::Sequence),
            (4, 4, 3, None, Adapt::Layers),
            (3, 7, 2, Some(30), Adapt::Layers),
        ] {
            let mut alone = job(level, n, None, 1);
            (alone.max_iterations, alone.params.adapt) = (limit, adapt);
            let mut shared = job(level, n, Some(share), 1);
            (shared.max_iterations, shared.params.adapt) = (limit, adapt);
            let ((wanted, _, whole), (got, works, hunt)) = (by_one_worker(&alone), by_one_worker(&shared));
            let case = format!("level {level}, N {n}, share {share}, limit {limit:?}");
            assert_eq!(got.before, wanted.before, "{case}");
            assert!(wanted.found.len() > 1 && got.found == wanted.found, "{case}");
            let calls = limit.map_or(u64::from(n).pow(level), |limit: u64| limit).div_ceil(u64::from(n).pow(share));
            assert_eq!((works.len() as u64, hunt.state().totals.units), (2 * calls, 2 * calls), "{case}");
            // All levels are counted, those above the units too, whether the hunt has been restored or not.
            let restored = Hunt::restore(shared, hunt.snapshot(), &[]).unwrap();
            let counted = [whole, hunt, restored].map(Hunt::results);
            assert_eq!(counted[0].levels().len(), level as usize + 1, "{case}");
            assert!(counted[1] == counted[0] && counted[2] == counted[0], "{case}");
            let complete = if limit.is_none() { 2 } else { 0 };
            assert_eq!(counted[0].levels()[level as usize].total(), complete, "{case}");
        }
    }

    /// End, iterations, best score and result of a unit.
    type Outcome = (End, u64, u32, Vec<Move>);

    /// The result of each call, computed once.
    struct Results(BTreeMap<u64, (NumberedUnit, Outcome)>);

    impl Results {
        /// Searches a unit, or checks that it is the one with its number that was searched before.
        fn of(&mut self, hunt: &Hunt, work: &NumberedUnit) -> &Outcome {
            let entry = self.0.entry(work.id).or_insert_with(|| {
                let result = search(hunt, work, &mut Log::default());
                (work.clone(), result)
            });
            assert!(entry.0 == *work, "call {} has another policy or seed", work.id);
            &entry.1
        }
    }

    /// Calls end in any order, on any number of workers; checkpoints are taken, crashes lose what came after the
    /// journal's end: each call always begins from the same policy.
    #[test]
    fn neither_order_nor_crashes_change_a_call() {
        for (share, width) in [(1, 1), (1, 5), (2, 3), (2, 12)] {
            let job = job(3, 5, Some(share), width);
            let (_, all, _) = by_one_worker(&job);
            let mut results = Results(BTreeMap::new());
            assert_eq!(all.len(), if share == 1 { 50 } else { 10 });
            for seed in 0..8 {
                let mut rng = crate::core::seed::rng(seed, &[]);
                let mut hunt = Hunt::new(job.clone()).unwrap();
                let (mut saved, mut journal) = (hunt.snapshot(), Vec::new());
                let mut running: Vec<NumberedUnit> = Vec::new();
                let mut done = 0;
                loop {
                    match rng.random_range(0..12) {
                        0..=5 => match hunt.next() {
                            NextUnit::Unit(work) => {
                                assert!(work == all[work.id as usize], "share {share}, width {width}, seed {seed}");
                                running.push(work);
                                assert!(running.len() <= width as usize);
                            }
                            NextUnit::Wait => assert!(!running.is_empty(), "seed {seed}"),
                            NextUnit::Finished(_) => break,
                        },
                        6..=9 if !running.is_empty() => {
                            let work = running.swap_remove(rng.random_range(0..running.len()));
                            let (end, iterations, best, game) = results.of(&hunt, &work).clone();
                            journal.extend(hunt.absorb(work.id, called(end, iterations, best, game)));
                            done += 1;
                        }
                        10 => {
                            saved = hunt.snapshot();
                            journal.clear();
                        }
                        11 => {
                            hunt = Hunt::restore(job.clone(), saved.clone(), &journal).unwrap();
                            running.clear();
                        }
                        _ => {}
                    }
                }
                assert_eq!(done, all.len(), "seed {seed}");
                assert_eq!(hunt.results().levels()[3].total(), 2, "seed {seed}: each search counts once at its top");
            }
        }
    }

    /// The part of the time that workers are busy, if calls take from 0.9 to 1.1 units of time.
    fn busy(workers: usize, width: u32, seed: u64) -> f64 {
        let mut rng = crate::core::seed::rng(seed, &[]);
        let mut hunt = Hunt::new(job(3, 100, Some(2), width)).unwrap();
        // When each running call ends, in thousandths.
        let mut running: Vec<(u64, u64)> = Vec::new();
        let (mut now, mut worked) = (0, 0);
        loop {
            while running.len() < workers
                && let NextUnit::Unit(work) = hunt.next()
            {
                let time = rng.random_range(900..1100);
                running.push((now + time, work.id));
                worked += time;
            }
            let Some(first) = (0..running.len()).min_by_key(|&i| running[i]) else { break };
            let (end, id) = running.swap_remove(first);
            now = end;
            hunt.absorb(id, called(End::Finished, 1, 0, Vec::new()));
        }
        assert_eq!(hunt.state().totals.units, 200);
        worked as f64 / (now * workers as u64) as f64
    }

    #[test]
    fn workers_hardly_ever_wait_for_each_other() {
        for seed in 0..3 {
            for workers in [1, 2, 8] {
                let part = busy(workers, workers as u32, seed);
                assert!(part > 0.95, "{workers} workers are busy {part:.3} of the time, seed {seed}");
            }
            // Every second call of two workers has to wait for its predecessor.
            let part = busy(2, 1, seed);
            assert!((0.49..0.51).contains(&part), "{part:.3}, seed {seed}");
        }
    }

    #[test]
    fn a_call_begins_from_the_lowest_level_whose_call_is_under_way() {
        let params = |width| Params {
            strategy: Strategy::Nrpa,
            level: Some(4),
            iterations: Some(3),
            width: Some(width),
            ..Params::default()
        };
        let shape = CallPlan::of(&params(2), None, 2).unwrap();
        assert_eq!((shape.per_search, shape.playouts, shape.batches), (9, 9, 3));
        // Calls of level 2: three to a call of level 3, nine to one of level 4. With width 2 the result before the
        // last is known: the first call of a parent begins while the last one of its predecessor is made.
        let parents: Vec<Option<u32>> = (0..11).map(|id| shape.parent(id, shape.needs(id))).collect();
        let (three, four) = (Some(3), Some(4));
        assert_eq!(parents, [three, three, three, four, three, three, four, three, three, None, three]);
        let shape = CallPlan::of(&params(1), None, 2).unwrap();
        assert!((0..30).all(|id| shape.parent(id, shape.needs(id)) == three));
    }

    #[test]
    fn jobs_that_cannot_be_shared_are_refused() {
        let refused = |job: Job| Hunt::new(job).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refused(job(3, 5, Some(3), 1)).contains("a level from 1 to 2 is needed"));
        assert!(refused(job(3, 5, Some(0), 1)).contains("calls of level 0"));
        assert!(refused(job(11, 5, Some(2), 1)).contains("at most 10 levels"));
        assert!(refused(job(3, 5, Some(2), 0)).contains("a width of 0"));
        let mut other = job(3, 5, Some(2), 1);
        other.params.strategy = Strategy::Nmcs;
        assert!(refused(other).contains("only nrpa"));
        Hunt::new(job(10, 1_000_000, Some(9), MAX_WIDTH)).unwrap();
    }

    #[test]
    fn states_that_do_not_fit_are_refused() {
        let job = job(3, 4, Some(1), 2);
        let mut hunt = Hunt::new(job.clone()).unwrap();
        let mut journal = Vec::new();
        for _ in 0..11 {
            let NextUnit::Unit(work) = hunt.next() else { panic!("there are more") };
            let (end, iterations, best, game) = search(&hunt, &work, &mut Log::default());
            journal.extend(hunt.absorb(work.id, called(end, iterations, best, game)));
        }
        let good = hunt.snapshot();
        let restore = |state: &HuntState, since: &[HuntRecord]| Hunt::restore(job.clone(), state.clone(), since);
        restore(&good, &[]).unwrap();
        restore(&HuntState::default(), &journal).unwrap();
        let forge = |change: &dyn Fn(&mut PipelineState)| {
            let mut state = good.clone();
            change(state.pipeline.as_mut().unwrap());
            restore(&state, &[]).err()
        };
        assert!(good.pipeline.as_ref().is_some_and(|p| p.fed > 0 && p.results.len() > 1));
        assert!(matches!(forge(&|p| p.fed += 1), Some(StateError::OtherUnits)), "another policy");
        assert!(matches!(forge(&|p| p.fed = u64::MAX), Some(StateError::Contradiction(_))));
        assert!(matches!(forge(&|p| p.results.truncate(1)), Some(StateError::Contradiction(_))));
        assert!(matches!(forge(&|p| _ = p.results[0].1.pop()), Some(StateError::OtherUnits)), "another game");
        assert!(matches!(forge(&|p| p.results[0].1.reverse()), Some(StateError::Job(_))), "no game");
        assert!(matches!(forge(&|p| p.levels.truncate(3)), Some(StateError::Levels(_))));
        // A state saved before the upper levels counted ends after them.
        let mut pipeline = Pipeline::new(&job, 1).unwrap();
        pipeline.restore(&job, good.pipeline.as_ref().unwrap()).unwrap();
        let counts = postcard::to_stdvec(pipeline.behind.upper.results()).unwrap().len();
        assert!(forge(&|p| p.levels.truncate(p.levels.len() - counts)).is_none());
        let missing = HuntState { pipeline: None, ..good.clone() };
        assert!(matches!(restore(&missing, &[]), Err(StateError::Contradiction(_))));
        assert!(matches!(restore(&HuntState::default(), &journal[1..]), Err(StateError::Contradiction(_))));
        let plain = journal.iter().map(|record| match record {
            HuntRecord::Called(EndedCall { ended, .. }) => HuntRecord::Ended(ended.clone()),
            other => other.clone(),
        });
        let plain: Vec<HuntRecord> = plain.collect();
        assert!(matches!(restore(&HuntState::default(), &plain), Err(StateError::Contradiction(_))));
    }

    /// The unit of a call is a whole search's for the strategies' entry point, too.
    #[test]
    fn a_call_of_the_whole_is_the_whole() {
        let job = job(2, 6, Some(1), 1);
        let pipeline = Pipeline::new(&job, 1).unwrap();
        let (unit, call) = pipeline.call(0, Snapshot::uniform());
        let whole = NumberedUnit { id: 0, unit: unit.clone(), call: Some(Call { level: 2, ..call }) };
        let (mut a, mut b) = (Log::default(), Log::default());
        assert_eq!(whole.start(job.variant, &job.params).run(&mut a), End::Finished);
        assert_eq!(start(job.variant, &job.params, &unit).run(&mut b), End::Finished);
        assert_eq!(a.found, b.found);
    }
}
