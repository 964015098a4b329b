//! Tactical questions that are answered as the scheduler runs them: jobs of numbered units, each a question.

use super::kind::{JobFacts, JobResults};
use super::numbered::NumberedKind;
use crate::core::game::Side;
use crate::core::setting::show_name;
use crate::daemon::records::JobStanding;
use crate::daemon::view::{AnsweredQuestionView, StatisticsView, TacticsAnswerView, TacticsView};
use crate::jobs::numbered::NumberedProgress;
use crate::jobs::tactics::{TacticsJob, TacticsRecord};
use crate::runner::numbered::outcomes;
use crate::runner::numbered::portable::{PlayedElsewhere, PortableJob, packed_job};
use crate::runner::numbered::session::NumberedStanding;
use crate::runner::numbered::unit::PlayerMaker;
use crate::runner::tactics::question_solvers;
use crate::tactics::suite::{SuiteQuestion, SuiteTally};
use std::path::Path;
use std::sync::Arc;

impl NumberedKind for TacticsJob {
    /// The outcomes of its units are its course.
    type Point = ();

    fn players(&self, _folder: &Path) -> PlayerMaker<TacticsRecord> {
        question_solvers(self)
    }

    fn elsewhere(&self) -> Option<Arc<dyn PlayedElsewhere<TacticsRecord>>> {
        packed_job(self)
    }

    fn memory_of_worker(&self) -> u64 {
        PortableJob::memory(self)
    }

    fn first_facts(&self) -> Result<JobFacts, String> {
        Ok(JobFacts::default())
    }

    fn show(&self, tally: &SuiteTally, units: &NumberedProgress, standing: &mut JobStanding) -> Result<(), String> {
        let SuiteTally { questions, compared, by_code, with_move, unknown, nodes, checked, refused } = *tally;
        standing.tactics = Some(TacticsView {
            title: "go".to_owned(),
            moves: show_name(&self.moves),
            questions: self.count,
            questions_done: units.done,
            compared,
            by_code,
            with_move,
            unknown,
            nodes,
            checked,
            refused,
            questions_counted: questions,
            cpu_seconds: units.cpu,
        });
        Ok(())
    }

    fn point(&self, _now: &NumberedStanding<TacticsJob>) {}

    fn course(_points: Vec<()>, _statistics: &mut StatisticsView) {}

    fn outcomes_shown(&self, folder: &Path, from: u64, most: usize) -> Result<JobResults, String> {
        let asked = self.questions().map_err(|error| error.to_string())?;
        let units = outcomes::<TacticsJob>(folder).map_err(|error| error.to_string())?.into_iter();
        let units = units.filter(|(unit, _)| *unit >= from).take(most);
        let answers = units.map(|(unit, record)| {
            let question = usize::try_from(unit).ok().and_then(|place| asked.get(place));
            view(question.ok_or_else(|| format!("there is no question {unit}"))?, unit, record)
        });
        answers.collect::<Result<_, String>>().map(JobResults::Answers)
    }
}

/// A question with its answer.
fn view(asked: &SuiteQuestion, unit: u64, record: TacticsRecord) -> Result<AnsweredQuestionView, String> {
    let size = asked.board.chains().size();
    let answer = record.answer(size).ok_or_else(|| format!("a point of answer {unit} is on no such board"))?;
    let cell = |point: u16| match asked.board.colour(point) {
        Some(Side::First) => 'X',
        Some(Side::Second) => 'O',
        None => '.',
    };
    let places = (0..size.height()).flat_map(|y| (0..size.width()).filter_map(move |x| size.point(x, y)));
    Ok(AnsweredQuestionView {
        number: unit,
        line_number: asked.line as u64,
        name: asked.name.clone(),
        width: size.width(),
        height: size.height(),
        cells: places.map(cell).collect(),
        answer: TacticsAnswerView::of(&asked.board, &asked.question, &answer),
        expected: asked.expected.as_ref().map(|expected| expected.codes.clone()).unwrap_or_default(),
        right_by_code: record.right.map(|right| right.code),
        right_with_move: record.right.map(|right| right.with_move),
        proofs_checked: record.checked,
        proof_fault: record.fault,
        seconds: record.milliseconds as f64 / 1e3,
    })
}
