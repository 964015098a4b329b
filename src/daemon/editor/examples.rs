//! The example problems that come with the program, as game trees.

use super::trees::side_word;
use crate::daemon::view::{ExampleProblemView, ExampleProblemsView, VERSION};
use crate::notation::sgf::write::write;
use crate::tactics::examples::{self, to_sgf};
use crate::tactics::suite::SuiteQuestion;

/// All of them, in the order of their file.
pub fn examples() -> ExampleProblemsView {
    ExampleProblemsView { v: VERSION, items: examples::examples().iter().map(problem_view).collect() }
}

fn problem_view(asked: &SuiteQuestion) -> ExampleProblemView {
    let (question, size) = (asked.question, asked.board.chains().size());
    ExampleProblemView {
        name: asked.name.clone(),
        goal: question.goal(),
        side: side_word(question.mover()).to_owned(),
        targets: std::iter::once(question.target()).chain(question.with()).map(|point| size.name(point)).collect(),
        text: write(&to_sgf(std::slice::from_ref(asked))),
    }
}
