//! Plans of Gomoku that are checked as a job, as `morpion plan check` checks them. A unit is so many moves of the
//! plan, one after the other; the first one begins with the first position. No unit needs another one, and what they
//! find is counted in the order of the moves, so the first move that does not hold is the same however many workers
//! there are.

use super::ending::JobEnd;
use super::numbered::NumberedJob;
use crate::core::setting::BadValue;
use crate::solvers::gomoku::plan::check::CheckedReplies;
use crate::solvers::gomoku::plan::{WinningPlan, text};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A plan that is to be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckJob {
    /// The game and its rules, in words.
    pub title: String,
    /// The plan as text.
    pub plan: String,
    /// Number of its moves.
    pub moves: u64,
    /// Moves of a unit.
    pub unit_moves: u64,
}

impl CheckJob {
    /// The plan.
    ///
    /// # Errors
    /// If the job was damaged, or made by a newer version.
    pub fn plan(&self) -> Result<WinningPlan, BadValue> {
        text::parse(&self.plan).map_err(|error| BadValue(format!("the plan of the job, {error}")))
    }

    /// The numbers of the moves of a unit.
    pub fn moves_of(&self, unit: u64) -> Range<u64> {
        let first = unit.saturating_mul(self.unit_moves.max(1)).min(self.moves);
        first..first.saturating_add(self.unit_moves.max(1)).min(self.moves)
    }

    /// What a unit is, in words.
    pub fn effort(&self) -> String {
        format!("{} {} a unit", self.unit_moves, if self.unit_moves == 1 { "move" } else { "moves" })
    }
}

/// What is wrong in a position of a plan, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundHole {
    /// The moves that lead there from the plan's first position; nothing for that position itself.
    pub moves: String,
    /// What is wrong there.
    pub reason: String,
}

/// What was found in the first position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CheckedStart {
    /// Every reply is answered.
    Answered,
    /// A reply has no answer, or the like. The moves are checked nevertheless: a plan may not be finished.
    Open(FoundHole),
}

/// A unit as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// Its moves that were checked and hold.
    pub moves: u64,
    /// Replies to these moves, and to the first position if it is the first unit, and the positions after them.
    pub replies: CheckedReplies,
    /// What the first unit has found in the first position.
    pub start: Option<CheckedStart>,
    /// The first of its moves that does not hold, by its number in the plan, and why. Those after it are not checked.
    pub hole: Option<(u64, FoundHole)>,
    /// Processor time that it took.
    pub milliseconds: u64,
}

/// What the units come to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckTally {
    /// Moves that were checked and hold.
    pub moves: u64,
    /// The replies to them and to the first position, and the positions after these.
    pub replies: CheckedReplies,
    /// What was found in the first position, if its unit is done.
    pub start: Option<CheckedStart>,
    /// The first move that does not hold, and why.
    pub hole: Option<(u64, FoundHole)>,
}

impl NumberedJob for CheckJob {
    type Outcome = CheckRecord;
    type Tally = CheckTally;
    const END: JobEnd = JobEnd::Finished;

    /// There is one for the first position even if the plan has no moves.
    fn units(&self) -> u64 {
        self.moves.div_ceil(self.unit_moves.max(1)).max(1)
    }

    fn nothing(&self) -> CheckTally {
        CheckTally::default()
    }

    fn count(&self, tally: &mut CheckTally, record: &CheckRecord) {
        tally.moves = tally.moves.saturating_add(record.moves);
        tally.replies += record.replies;
        tally.start = tally.start.take().or_else(|| record.start.clone());
        tally.hole = tally.hole.take().or_else(|| record.hole.clone());
    }

    fn is_decided(&self, tally: &CheckTally) -> bool {
        tally.hole.is_some()
    }

    fn end(&self, tally: &CheckTally) -> JobEnd {
        let holds = tally.moves == self.moves && tally.start == Some(CheckedStart::Answered);
        if holds { JobEnd::Proved } else { Self::END }
    }

    fn decision(&self, _: &CheckTally) -> JobEnd {
        JobEnd::Refuted
    }

    /// The iterations of the job are its replies.
    fn spent(record: &CheckRecord) -> (u64, u64) {
        (record.replies.replies, record.milliseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::numbered::NumberedCoordinator;

    fn job(moves: u64, unit_moves: u64) -> CheckJob {
        let (title, plan) = ("gomoku".to_owned(), String::new());
        CheckJob { title, plan, moves, unit_moves }
    }

    /// A unit whose moves hold.
    fn record(job: &CheckJob, unit: u64) -> CheckRecord {
        let moves = job.moves_of(unit);
        let moves = moves.end - moves.start;
        let replies = CheckedReplies { replies: 10 * moves, planned: moves, by_threats: 9 * moves, positions: 7 };
        let start = (unit == 0).then_some(CheckedStart::Answered);
        CheckRecord { moves, replies, start, hole: None, milliseconds: 500 }
    }

    fn hole(moves: &str) -> FoundHole {
        FoundHole { moves: moves.to_owned(), reason: "the board is full".to_owned() }
    }

    fn run(job: &CheckJob, records: impl IntoIterator<Item = (u64, CheckRecord)>) -> NumberedCoordinator<CheckJob> {
        let mut coordinator = NumberedCoordinator::new(job.clone());
        for (unit, record) in records {
            coordinator.apply(unit, record).unwrap();
        }
        coordinator
    }

    #[test]
    fn every_move_is_in_one_unit() {
        for (moves, unit_moves, units) in
            [(0, 20, 1), (1, 1, 1), (20, 20, 1), (21, 20, 2), (7, 3, 3), (5, u64::MAX, 1)]
        {
            let job = job(moves, unit_moves);
            assert_eq!(job.units(), units, "{moves} by {unit_moves}");
            let all: Vec<u64> = (0..units).flat_map(|unit| job.moves_of(unit)).collect();
            assert_eq!(all, (0..moves).collect::<Vec<_>>(), "{moves} by {unit_moves}");
            assert!(job.moves_of(units).is_empty() && job.moves_of(u64::MAX).is_empty());
        }
    }

    #[test]
    fn what_all_units_find_is_added_up_in_any_order() {
        let job = job(7, 3);
        let coordinator = run(&job, [2, 0, 1].map(|unit| (unit, record(&job, unit))));
        let tally = coordinator.tally();
        let replies = CheckedReplies { replies: 70, planned: 7, by_threats: 63, positions: 21 };
        assert_eq!((tally.moves, tally.replies, &tally.hole), (7, replies, &None));
        assert!(coordinator.is_over() && !coordinator.is_decided());
        assert_eq!(job.end(tally), JobEnd::Proved);
        let progress = coordinator.progress();
        assert_eq!((progress.done, progress.nodes, progress.cpu), (3, 70, 1.5));
    }

    #[test]
    fn a_first_position_without_all_answers_is_no_proof() {
        let job = job(4, 2);
        let open = CheckRecord { start: Some(CheckedStart::Open(hole("i9"))), ..record(&job, 0) };
        let coordinator = run(&job, [(0, open), (1, record(&job, 1))]);
        assert!(coordinator.is_over() && !coordinator.is_decided());
        assert_eq!(job.end(coordinator.tally()), JobEnd::Finished);
        assert_eq!(coordinator.tally().start, Some(CheckedStart::Open(hole("i9"))));
    }

    /// The first hole counts, by the number of its move, and not the one that was found first.
    #[test]
    fn a_hole_decides() {
        let job = job(9, 2);
        let with_hole = |unit: u64, number: u64| CheckRecord {
            moves: number % 2,
            hole: Some((number, hole("h9 i9"))),
            ..record(&job, unit)
        };
        let mut coordinator = run(&job, [(3, with_hole(3, 7)), (0, record(&job, 0)), (2, record(&job, 2))]);
        assert!(!coordinator.is_over(), "unit 1 may have one before it");
        coordinator.apply(1, with_hole(1, 3)).unwrap();
        assert!(coordinator.is_decided() && coordinator.hand_out().is_none());
        let tally = coordinator.tally();
        assert_eq!((tally.hole.clone(), tally.moves), (Some((3, hole("h9 i9"))), 3));
        assert_eq!(job.decision(tally), JobEnd::Refuted);
    }

    #[test]
    fn records_come_back_from_the_store() {
        let job = job(9, 2);
        let open = CheckedStart::Open(hole(""));
        for record in
            [record(&job, 0), CheckRecord { start: Some(open), hole: Some((1, hole("h9 i9"))), ..record(&job, 0) }]
        {
            let bytes = postcard::to_stdvec(&record).unwrap();
            assert_eq!(postcard::from_bytes::<CheckRecord>(&bytes).unwrap(), record);
        }
    }
}
