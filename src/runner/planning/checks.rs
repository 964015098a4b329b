//! Plans that are checked, as a job's units: each is so many moves of the plan, the first one also the first
//! position. A unit leaves nothing but its outcome; one that was stopped is computed again.

use super::units::watched;
use crate::jobs::checking::{CheckJob, CheckRecord, CheckedStart, FoundHole};
use crate::runner::cpu::{milliseconds_since, thread_seconds};
use crate::runner::numbered::portable::{PlayedKind, PortableJob, RecordCheck};
use crate::runner::numbered::unit::{PlayerMaker, UnitClock, UnitPlayer};
use crate::solvers::gomoku::plan::WinningPlan;
use crate::solvers::gomoku::plan::check::{CheckedReplies, PlanCheck, PlanHole};
use crate::solvers::gomoku::threats::ThreatTables;
use crate::solvers::matches::own::MoveClock;
use crate::solvers::monitor::Stopped;
use std::sync::{Arc, OnceLock};

/// Memory of a worker: the positions of a search of threats. A round estimate.
const WORKER_MEMORY: u64 = 64 << 20;

/// What the units of a job share.
struct SharedPlan {
    job: CheckJob,
    plan: WinningPlan,
    tables: ThreatTables,
}

impl SharedPlan {
    fn new(job: &CheckJob) -> Result<SharedPlan, String> {
        let plan = job.plan().map_err(|error| error.to_string())?;
        let tables = plan.tables().map_err(|error| error.to_string())?;
        if plan.moves().len() as u64 != job.moves {
            return Err(format!("the plan has {} moves, not {}", plan.moves().len(), job.moves));
        }
        Ok(SharedPlan { job: job.clone(), plan, tables })
    }

    fn found(&self, hole: &PlanHole) -> FoundHole {
        let board = self.plan.start().board();
        let moves: Vec<String> = hole.moves.iter().map(|&point| board.name(point)).collect();
        FoundHole { moves: moves.join(" "), reason: hole.reason.to_string() }
    }
}

/// Checks parts of a job's plan.
struct PlanChecker {
    shared: Arc<SharedPlan>,
}

/// Makes what checks the plan of a job, which is read once.
pub fn plan_checkers(job: &CheckJob) -> PlayerMaker<CheckRecord> {
    let job = job.clone();
    let shared = OnceLock::<Result<Arc<SharedPlan>, String>>::new();
    Box::new(move || {
        let shared = shared.get_or_init(|| SharedPlan::new(&job).map(Arc::new));
        Ok(Box::new(PlanChecker { shared: shared.clone()? }))
    })
}

impl PlanChecker {
    fn check(&self, unit: u64, clock: &UnitClock<'_>) -> Result<CheckRecord, Stopped> {
        let shared = &*self.shared;
        let (check, monitor) = (PlanCheck::new(&shared.plan, &shared.tables), watched(clock, u64::MAX));
        let replies = CheckedReplies::default();
        let mut record = CheckRecord { moves: 0, replies, start: None, hole: None, milliseconds: 0 };
        if unit == 0 {
            record.start = Some(match check.check_start(&monitor)? {
                Ok(replies) => {
                    record.replies += replies;
                    CheckedStart::Answered
                }
                Err(hole) => CheckedStart::Open(shared.found(&hole)),
            });
        }
        for number in shared.job.moves_of(unit) {
            // Where all replies are planned, no search looks at the monitor.
            if clock.stops() {
                return Err(Stopped::Asked);
            }
            let planned = usize::try_from(number).ok().and_then(|at| shared.plan.moves().get(at));
            let Some(planned) = planned else { break };
            match check.check_move(planned, &monitor)? {
                Ok(replies) => {
                    record.replies += replies;
                    record.moves += 1;
                }
                Err(hole) => {
                    record.hole = Some((number, shared.found(&hole)));
                    break;
                }
            }
        }
        Ok(record)
    }
}

impl UnitPlayer<CheckRecord> for PlanChecker {
    fn play(&mut self, unit: u64, clock: &UnitClock<'_>) -> Result<CheckRecord, String> {
        let began = thread_seconds();
        clock.begin();
        let record = self.check(unit, clock).map_err(|stopped| stopped.to_string())?;
        Ok(CheckRecord { milliseconds: milliseconds_since(began), ..record })
    }
}

impl PortableJob for CheckJob {
    const KIND: PlayedKind = PlayedKind::Check;

    fn memory(&self) -> u64 {
        WORKER_MEMORY
    }

    fn validate(&self) -> Result<(), String> {
        let found = self.plan().map_err(|why| why.to_string())?.moves().len() as u64;
        if found == self.moves { Ok(()) } else { Err(format!("its plan has {found} moves, not {}", self.moves)) }
    }

    fn portable_players(&self) -> PlayerMaker<CheckRecord> {
        plan_checkers(self)
    }

    /// Whether the moves hold is not looked at.
    fn checker(&self) -> Result<RecordCheck<CheckRecord>, String> {
        let job = self.clone();
        Ok(Box::new(move |unit, record, part| {
            let (all, CheckRecord { moves, start, hole, .. }) = (job.moves_of(unit), record);
            // What it says of its moves ends with the first one that does not hold.
            let end = hole.as_ref().map_or(all.end, |(number, _)| *number);
            let is_one = part.is_none()
                && start.is_some() == (unit == 0)
                && hole.as_ref().is_none_or(|(number, _)| all.contains(number))
                && all.start.checked_add(*moves) == Some(end);
            if is_one { Ok(()) } else { Err("its figures are not those of its moves".to_owned()) }
        }))
    }

    fn timeless(record: CheckRecord) -> CheckRecord {
        CheckRecord { milliseconds: 0, ..record }
    }
}
