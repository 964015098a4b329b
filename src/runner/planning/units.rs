//! Plans that are looked for, as a job's units: each goes on with a goal from the tree that the unit before it has
//! left, and leaves its own. A goal that its own search does not prove is divided ([`super::division`]).
//!
//! What a unit leaves is a part of the job, in a file of its own: its outcome, the moves of the goal for the plan,
//! and the tree. It is written before the outcome is told. A power cut may take outcomes back whose parts are there;
//! such a unit has its outcome from its part. If the part that a unit goes on from cannot be read, its units are
//! computed again, which come to the same.
//!
//! Workers are threads of this process, so their word is taken. The first answer of a goal is checked at full width
//! nevertheless, as `morpion plan check` does it for all moves of the plan that the job comes to.

use crate::files::{Keep, replace};
use crate::jobs::planning::{PlanJob, PlanRecord, PlanTurnEnd};
use crate::runner::cpu::{milliseconds_since, thread_seconds};
use crate::runner::numbered::parts::{parts_of, read_part, remove_part, write_part};
use crate::runner::numbered::unit::{PlayerMaker, UnitClock, UnitPlayer};
use crate::runner::planning::PlanPortions;
use crate::runner::planning::goal::{GoalSearch, GoalTurn, PlanGround};
use crate::solvers::gomoku::plan::check::{PlanCheck, PlanHole};
use crate::solvers::gomoku::plan::{WinningPlan, text};
use crate::solvers::gomoku::threats::ThreatTables;
use crate::solvers::matches::own::MoveClock;
use crate::solvers::monitor::{Monitor, Stopped};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Name of the file with the plan in the job's folder.
pub const PLAN: &str = "found.plan";
/// A part stays until so many units of its goal are done after it.
const KEPT: u64 = 2;

/// What a unit leaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct PlanPart {
    record: PlanRecord,
    /// Moves that the goal has for the plan, each with the moves that lead there.
    moves: Vec<(Vec<u16>, u16)>,
    /// The search, if there is more to try.
    tree: Option<Vec<u8>>,
}

/// What the units of a job share.
struct SharedGoals {
    job: PlanJob,
    known: WinningPlan,
    /// The moves that lead to each goal from the first position.
    goals: Vec<Vec<u16>>,
    tables: ThreatTables,
}

impl SharedGoals {
    fn new(job: &PlanJob) -> Result<SharedGoals, String> {
        let known = job.known().map_err(|error| error.to_string())?;
        let tables = known.tables().map_err(|error| error.to_string())?;
        let goals = known.open_replies();
        if goals.len() != job.goals.len() {
            return Err(format!("the plan leaves {} replies open, not {}", goals.len(), job.goals.len()));
        }
        Ok(SharedGoals { job: job.clone(), known, goals, tables })
    }
}

/// Looks for the plans of a job's goals.
struct GoalSearcher {
    shared: Arc<SharedGoals>,
    folder: PathBuf,
}

/// Makes what looks for the plan of a job in this folder; the plan that it begins with is read once.
pub fn goal_searchers(job: &PlanJob, folder: &Path) -> PlayerMaker<PlanRecord> {
    let (job, folder) = (job.clone(), folder.to_owned());
    let shared = OnceLock::<Result<Arc<SharedGoals>, String>>::new();
    Box::new(move || {
        let shared = shared.get_or_init(|| SharedGoals::new(&job).map(Arc::new));
        Ok(Box::new(GoalSearcher { shared: shared.clone()?, folder: folder.clone() }))
    })
}

/// A monitor whose search waits while others have the worker, and stops when the unit is to stop.
pub(super) fn watched(clock: &UnitClock<'_>, budget: u64) -> Arc<Monitor> {
    let monitor = Arc::new_cyclic(|own: &std::sync::Weak<Monitor>| {
        let (own, stops) = (own.clone(), clock.stopping());
        let pause = move || {
            if stops()
                && let Some(monitor) = own.upgrade()
            {
                monitor.stop();
            }
        };
        Monitor::with_pause(budget, Box::new(pause))
    });
    monitor.set_pausing(true);
    monitor
}

impl GoalSearcher {
    fn part(&self, goal: usize, turn: u64) -> Option<PlanPart> {
        read_part(&self.folder, self.shared.job.unit_of(goal, turn)).ok()
    }

    fn ground(&self) -> PlanGround<'_> {
        let SharedGoals { job, known, tables, .. } = &*self.shared;
        PlanGround { known, tables, portions: PlanPortions::of(job.nodes, job.undivided()) }
    }

    /// The search of a goal as some unit before this one has left it, with the number of that unit's successor.
    fn begun(&self, goal: usize, turn: u64) -> Result<(GoalSearch<'_>, u64), String> {
        let way = &self.shared.goals[goal];
        for before in (turn.saturating_sub(KEPT)..turn).rev() {
            let tree = self.part(goal, before).and_then(|part| part.tree);
            if let Some(Ok(search)) = tree.map(|tree| GoalSearch::restore(self.ground(), way, &tree)) {
                return Ok((search, before + 1));
            }
        }
        let search = GoalSearch::new(self.ground(), way).map_err(|error| error.to_string())?;
        Ok((search, 0))
    }

    /// Checks at full width what answers a goal.
    fn check(&self, plan: &WinningPlan, goal: usize, monitor: &Monitor) -> Result<Result<(), PlanHole>, Stopped> {
        let check = PlanCheck::new(plan, &self.shared.tables);
        let checked = check.check_answer(&self.shared.goals[goal], monitor)?;
        Ok(checked.map(drop))
    }

    fn search(&self, goal: usize, turn: u64, clock: &UnitClock<'_>) -> Result<PlanPart, String> {
        let stopped = |_| "the search was stopped".to_owned();
        let monitor = watched(clock, self.shared.job.nodes);
        let (mut search, from) = self.begun(goal, turn)?;
        let (mut left, mut before, mut saved) = (GoalTurn::Open, (0, 0), Vec::new());
        for _ in from..=turn {
            before = (search.nodes(), search.threats());
            left = search.run(&monitor).map_err(|error| error.to_string())?.map_err(stopped)?;
            // The player forgets what it knows, as if each unit were computed elsewhere.
            saved = search.save();
        }
        let mut plan = search.plan();
        let end = match left {
            GoalTurn::Proven => match self.check(&plan, goal, &watched(clock, u64::MAX)).map_err(stopped)? {
                Ok(()) => PlanTurnEnd::Answered,
                Err(hole) => PlanTurnEnd::Refused(hole.reason.to_string()),
            },
            GoalTurn::Exhausted => PlanTurnEnd::GivenUp,
            GoalTurn::Open => PlanTurnEnd::Open,
        };
        if matches!(end, PlanTurnEnd::Refused(_)) {
            plan = self.shared.known.clone();
        }
        let moves = search.added(&plan);
        let record = PlanRecord {
            goal: goal as u64,
            proof: search.left(),
            nodes: search.nodes() - before.0,
            threats: search.threats() - before.1,
            moves: moves.len() as u64,
            milliseconds: 0,
            end,
        };
        let tree = (record.end == PlanTurnEnd::Open).then_some(saved);
        Ok(PlanPart { record, moves, tree })
    }
}

impl UnitPlayer<PlanRecord> for GoalSearcher {
    fn play(&mut self, unit: u64, clock: &UnitClock<'_>) -> Result<PlanRecord, String> {
        let began = thread_seconds();
        clock.begin();
        let (goal, turn) = self.shared.job.turn_of(unit);
        if let Some(part) = self.part(goal, turn) {
            return Ok(part.record);
        }
        let mut part = self.search(goal, turn, clock)?;
        part.record.milliseconds = milliseconds_since(began);
        write_part(&self.folder, unit, &part)?;
        if let Some(old) = turn.checked_sub(KEPT) {
            remove_part(&self.folder, self.shared.job.unit_of(goal, old));
        }
        Ok(part.record)
    }
}

/// The plan of a job as far as it is found, from what its units have left in its folder.
///
/// # Errors
/// If the folder cannot be read, or what units have left is no plan.
pub fn plan_so_far(job: &PlanJob, folder: &Path) -> Result<String, String> {
    let mut newest: BTreeMap<usize, PlanPart> = BTreeMap::new();
    for unit in parts_of(folder)? {
        // A unit that runs may remove the part of one before it.
        if let Ok(part) = read_part::<PlanPart>(folder, unit) {
            newest.insert(job.turn_of(unit).0, part);
        }
    }
    let mut plan = job.known().map_err(|error| error.to_string())?;
    for (way, answer) in newest.into_values().flat_map(|part| part.moves) {
        let position = plan.position_after(&way);
        plan.add(way, &position, answer);
    }
    let text = text::to_text(&plan);
    // The moves are checked by the rules of the game.
    text::parse(&text).map_err(|error| format!("the plan that was found, {error}"))?;
    Ok(text)
}

/// Writes the plan into the folder of a job whose units are all done, and removes what they have left.
///
/// # Errors
/// If the disk refuses.
pub fn write_plan(job: &PlanJob, folder: &Path) -> Result<(), String> {
    let path = folder.join(PLAN);
    // After a crash it may be there, and some parts gone.
    if !path.exists() {
        let text = plan_so_far(job, folder)?;
        replace(&path, text.as_bytes(), Keep::Durable).map_err(|error| error.to_string())?;
    }
    parts_of(folder)?.into_iter().for_each(|unit| remove_part(folder, unit));
    Ok(())
}
