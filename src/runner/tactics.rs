//! Tactical questions that are answered, as a job's units.

use super::cpu::{milliseconds_since, thread_seconds};
use super::numbered::unit::{PlayerMaker, UnitClock, UnitPlayer};
use crate::jobs::tactics::{TacticsJob, TacticsRecord, TacticsSuite};
use crate::solvers::matches::own::MoveClock;
use crate::tactics::check::{FILLINGS, check};
use crate::tactics::solve::solve_until;
use std::sync::{Arc, OnceLock};

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
