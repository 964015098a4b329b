//! Plans of Gomoku that are checked as the scheduler runs them: jobs of numbered units, each some moves of the plan.

use super::kind::JobFacts;
use super::numbered::NumberedKind;
use super::planning::start_and_winner;
use crate::daemon::records::JobStanding;
use crate::daemon::view::{CheckView, HoleView, StatisticsView};
use crate::jobs::checking::{CheckJob, CheckRecord, CheckTally, CheckedStart, FoundHole};
use crate::jobs::numbered::NumberedProgress;
use crate::runner::numbered::portable::{PlayedElsewhere, PortableJob, packed_job};
use crate::runner::numbered::session::NumberedStanding;
use crate::runner::numbered::unit::PlayerMaker;
use crate::runner::planning::checks::plan_checkers;
use std::path::Path;
use std::sync::Arc;

/// Memory of the tables of threats and of the plan: a round estimate.
const SHARED_MEMORY: u64 = 32 << 20;

impl NumberedKind for CheckJob {
    /// The outcomes of its units are its course.
    type Point = ();

    fn players(&self, _folder: &Path) -> PlayerMaker<CheckRecord> {
        plan_checkers(self)
    }

    fn elsewhere(&self) -> Option<Arc<dyn PlayedElsewhere<CheckRecord>>> {
        packed_job(self)
    }

    fn memory_of_worker(&self) -> u64 {
        PortableJob::memory(self)
    }

    fn shared_memory(&self) -> u64 {
        SHARED_MEMORY
    }

    fn first_facts(&self) -> Result<JobFacts, String> {
        Ok(JobFacts::default())
    }

    fn show(&self, tally: &CheckTally, units: &NumberedProgress, standing: &mut JobStanding) -> Result<(), String> {
        let (start, wins) = start_and_winner(&self.plan);
        let unanswered = match &tally.start {
            Some(CheckedStart::Open(hole)) => Some(hole_view(None, hole)),
            _ => None,
        };
        standing.check = Some(CheckView {
            title: self.title.clone(),
            start,
            wins,
            moves: self.moves,
            checked: tally.moves,
            unit_moves: self.unit_moves,
            start_answered: tally.start.as_ref().map(|start| *start == CheckedStart::Answered),
            unanswered,
            hole: tally.hole.as_ref().map(|(number, hole)| hole_view(Some(*number), hole)),
            replies: tally.replies.replies,
            planned: tally.replies.planned,
            by_threats: tally.replies.by_threats,
            positions: tally.replies.positions,
            cpu_seconds: units.cpu,
        });
        Ok(())
    }

    fn point(&self, _now: &NumberedStanding<CheckJob>) {}

    fn course(_points: Vec<()>, _statistics: &mut StatisticsView) {}
}

fn hole_view(number: Option<u64>, hole: &FoundHole) -> HoleView {
    HoleView { number, moves: hole.moves.clone(), reason: hole.reason.clone() }
}
