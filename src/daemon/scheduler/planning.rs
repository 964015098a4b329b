//! Plans of Gomoku that are looked for as the scheduler runs them: jobs of numbered units, those of each reply a
//! chain.

use super::kind::{CannotRun, FoundFile, JobFacts, JobFile};
use super::numbered::NumberedKind;
use crate::daemon::records::JobStanding;
use crate::daemon::view::{PlanGoalView, PlanView, StatisticsView};
use crate::jobs::numbered::NumberedProgress;
use crate::jobs::planning::{PlanGoalTally, PlanJob, PlanRecord, PlanTally, PlanTurnEnd};
use crate::runner::numbered::session::NumberedStanding;
use crate::runner::numbered::unit::PlayerMaker;
use crate::runner::planning::units::{PLAN, goal_searchers, plan_so_far, write_plan};
use std::path::Path;

/// Memory of a worker: the tree of a reply, or its division with the player that ranks moves. A round estimate.
const WORKER_MEMORY: u64 = 160 << 20;
/// Memory of the tables of threats and of the plan that the job begins with: a round estimate.
const SHARED_MEMORY: u64 = 32 << 20;

impl NumberedKind for PlanJob {
    /// The outcomes of its units are its course.
    type Point = ();

    fn players(&self, folder: &Path) -> PlayerMaker<PlanRecord> {
        goal_searchers(self, folder)
    }

    fn memory_of_worker(&self) -> u64 {
        WORKER_MEMORY
    }

    fn shared_memory(&self) -> u64 {
        SHARED_MEMORY
    }

    fn finish(&self, folder: &Path) -> Result<(), CannotRun> {
        write_plan(self, folder).map_err(CannotRun::Refused)
    }

    fn first_facts(&self) -> Result<JobFacts, String> {
        Ok(JobFacts::default())
    }

    fn show(&self, tally: &PlanTally, units: &NumberedProgress, standing: &mut JobStanding) -> Result<(), String> {
        let (start, wins) = start_and_winner(&self.plan);
        let goals = self.goals.iter().zip(&tally.goals);
        let open = goals.filter(|(_, goal)| goal.end != Some(PlanTurnEnd::Answered));
        standing.plan = Some(PlanView {
            title: self.title.clone(),
            start,
            wins,
            goals: self.goals.len() as u64,
            answered: tally.answered(),
            open: open.map(|(reply, goal)| self.goal_view(reply, goal)).collect(),
            moves: tally.goals.iter().fold(self.known, |sum, goal| sum.saturating_add(goal.moves)),
            nodes: tally.nodes,
            threats: tally.threats,
            unit_nodes: self.nodes,
            divide_after: self.undivided(),
            goal_nodes: self.goal_nodes,
            checked: false,
            cpu_seconds: units.cpu,
        });
        Ok(())
    }

    fn point(&self, _now: &NumberedStanding<PlanJob>) {}

    fn course(_points: Vec<()>, _statistics: &mut StatisticsView) {}

    /// As long as the job runs, it is put together of what its units have left.
    fn result_file(&self, folder: &Path, which: JobFile) -> Result<FoundFile, String> {
        if which != JobFile::Plan {
            return Ok(FoundFile::OtherKind);
        }
        match FoundFile::read(&folder.join(PLAN))? {
            FoundFile::Missing if folder.exists() => {
                plan_so_far(self, folder).map(|text| FoundFile::File(text.into()))
            }
            FoundFile::Missing => Ok(FoundFile::File(self.plan.clone().into())),
            found => Ok(found),
        }
    }
}

/// The moves to the first position of a plan, nothing for the empty board, and the side that wins, as its text says.
pub(super) fn start_and_winner(plan: &str) -> (String, String) {
    let line =
        |key: &str| plan.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')).unwrap_or_default();
    (Some(line("start")).filter(|moves| *moves != "-").unwrap_or_default().to_owned(), line("wins").to_owned())
}

impl PlanJob {
    fn goal_view(&self, reply: &str, goal: &PlanGoalTally) -> PlanGoalView {
        let state = match &goal.end {
            Some(PlanTurnEnd::GivenUp) => "given up",
            Some(PlanTurnEnd::Refused(_)) => "refused",
            _ if goal.turns >= self.turns() => "limit",
            _ => "open",
        };
        PlanGoalView {
            reply: reply.to_owned(),
            state: state.to_owned(),
            proof: goal.proof,
            turns: goal.turns,
            nodes: goal.nodes,
        }
    }
}
