//! Tactical questions that are answered, as a job's units.

use super::cpu::{milliseconds_since, thread_seconds};
use super::numbered::portable::{PlayedKind, PortableJob, RecordCheck};
use super::numbered::unit::{PlayerMaker, UnitClock, UnitPlayer};
use crate::jobs::tactics::{TacticsJob, TacticsRecord, TacticsSuite};
use crate::jobs::tactics_settings::MOST_BYTES;
use crate::solvers::matches::own::MoveClock;
use crate::tactics::check::{FILLINGS, check};
use crate::tactics::solve::solve_until;
use std::sync::{Arc, OnceLock};

/// Memory of what a reading keeps for each node, and of what a worker has beside that: round estimates.
const NODE_MEMORY: u64 = 256;
const REST: u64 = 16 << 20;

/// Answers questions of a job.
struct QuestionSolver {
    nodes: u64,
    check: bool,
    suite: Arc<TacticsSuite>,
}

/// Makes what answers the questions of a job; the questions and the patterns are read once.
pub fn question_solvers(job: &TacticsJob) -> PlayerMaker<TacticsRecord> {
    let (job, shared) = (job.clone(), OnceLock::<Result<Arc<TacticsSuite>, String>>::new());
    Box::new(move || {
        let suite = shared.get_or_init(|| job.suite().map(Arc::new).map_err(|error| error.to_string()));
        Ok(Box::new(QuestionSolver { nodes: job.nodes, check: job.check, suite: suite.clone()? }))
    })
}

impl UnitPlayer<TacticsRecord> for QuestionSolver {
    fn play(&mut self, unit: u64, clock: &UnitClock<'_>) -> Result<TacticsRecord, String> {
        let began = thread_seconds();
        let place = usize::try_from(unit).ok();
        let asked = place.and_then(|place| self.suite.questions.get(place));
        let asked = asked.ok_or_else(|| format!("there is no question {unit}"))?;
        clock.begin();
        let stopped = || "the question was stopped".to_owned();
        let (board, question) = (&asked.board, &asked.question);
        let answer = solve_until(board, question, self.nodes, &self.suite.attacks, &mut || clock.stops());
        let answer = answer.ok_or_else(stopped)?;
        let right = asked.expected.as_ref().map(|expected| expected.compare(&answer));
        let mut record = TacticsRecord::of(&answer, right);
        for proof in answer.proofs.iter().filter(|_| self.check) {
            if clock.stops() {
                return Err(stopped());
            }
            record.checked += 1;
            if let Err(error) = check(board, question, proof, FILLINGS, asked.line as u64) {
                record.refused += 1;
                record.fault.get_or_insert_with(|| error.to_string());
            }
        }
        record.milliseconds = milliseconds_since(began);
        Ok(record)
    }
}

impl PortableJob for TacticsJob {
    const KIND: PlayedKind = PlayedKind::Tactics;

    fn memory(&self) -> u64 {
        self.nodes.saturating_mul(NODE_MEMORY).saturating_add(REST)
    }

    fn validate(&self) -> Result<(), String> {
        let bytes = self.questions.len() + self.database.as_ref().map_or(0, String::len);
        if bytes > MOST_BYTES {
            return Err("its questions and patterns are too long".to_owned());
        }
        let found = self.questions().map_err(|why| why.to_string())?.len() as u64;
        if found == self.count { Ok(()) } else { Err(format!("it has {found} questions, not {}", self.count)) }
    }

    fn portable_players(&self) -> PlayerMaker<TacticsRecord> {
        question_solvers(self)
    }

    /// Whether the answer is right is looked at anew where the questions say it. Whether it follows is not.
    fn checker(&self) -> Result<RecordCheck<TacticsRecord>, String> {
        let (asked, is_checking) = (self.questions().map_err(|why| why.to_string())?, self.check);
        Ok(Box::new(move |unit, record, part| {
            let question = usize::try_from(unit).ok().and_then(|place| asked.get(place));
            let question = question.ok_or_else(|| format!("there is no question {unit}"))?;
            let answer = record.answer(question.board.chains().size()).ok_or("a point is on no such board")?;
            let right = question.expected.as_ref().map(|expected| expected.compare(&answer));
            let (is_sound, checks) = (record.refused == 0, record.checked);
            let is_one = part.is_none()
                && record.right == right
                && record.refused <= checks
                && record.fault.is_none() == is_sound
                && (is_checking || checks == 0);
            if is_one { Ok(()) } else { Err("its figures are not those of its answer".to_owned()) }
        }))
    }

    fn timeless(mut record: TacticsRecord) -> TacticsRecord {
        record.milliseconds = 0;
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::go::large::points::PointSet;
    use crate::runner::journal::MAX_RECORD;
    use crate::tactics::solve::TacticsAnswer;
    use crate::tactics::suite::AnswerMatch;
    use crate::tactics::verdict::TacticsVerdict;

    #[test]
    fn the_longest_outcome_can_be_stored() {
        let answer = TacticsAnswer {
            verdict: TacticsVerdict::KoThreat,
            proven: true,
            first: Some(360),
            nodes: u64::MAX,
            zone: Some((0..361).collect::<PointSet>()),
            proofs: Vec::new(),
            levels: 4,
        };
        let mut record = TacticsRecord::of(&answer, Some(AnswerMatch { code: true, with_move: true }));
        (record.fault, record.milliseconds) = (Some("x".repeat(200)), u64::MAX);
        let bytes = postcard::to_stdvec(&record).unwrap().len();
        assert!((700..MAX_RECORD - 100).contains(&bytes), "{bytes}");
    }
}
