//! Tactical questions in Go: how many are answered, and the answers.

use crate::core::game::Side;
use crate::tactics::board::TacticsBoard;
use crate::tactics::goal::{Question, TacticalGoal};
use crate::tactics::solve::TacticsAnswer;
use crate::tactics::suite::SuiteTally;
use crate::tactics::verdict::TacticsVerdict;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Tactical questions that are answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TacticsView {
    /// The game of the questions, in words.
    pub title: String,
    /// Where the attacker's moves come from: `patterns`, `generators`, `both`.
    pub moves: String,
    /// Questions that are to be answered.
    pub questions: u64,
    /// Questions that are answered.
    pub questions_done: u64,
    /// Of those that are counted: the ones whose expected answer is given.
    pub compared: u64,
    /// Answers whose code is right.
    pub by_code: u64,
    /// Answers whose code and first move are right.
    pub with_move: u64,
    /// Questions whose answer the budget of nodes did not reach.
    pub unknown: u64,
    /// Nodes of all readings.
    pub nodes: u64,
    /// Proofs that were replayed by the naive rules.
    pub checked: u64,
    /// Those that do not hold.
    pub refused: u64,
    /// Questions that are counted: all from the first one to the last of them are answered.
    pub questions_counted: u64,
    /// Seconds of processor time of the questions that are answered.
    pub cpu_seconds: f64,
}

impl TacticsView {
    /// What the answers come to.
    pub fn tally(&self) -> SuiteTally {
        let TacticsView { compared, by_code, with_move, unknown, nodes, checked, refused, .. } = *self;
        let questions = self.questions_counted;
        SuiteTally { questions, compared, by_code, with_move, unknown, nodes, checked, refused }
    }
}

/// A tactical question with its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TacticsAnswerView {
    /// What the side to move wants.
    #[schema(value_type = String, example = "capture")]
    pub goal: TacticalGoal,
    /// A stone of the chain that it is about, or of the first of two.
    pub target: String,
    /// A stone of the second chain, of a goal about two.
    pub with: Option<String>,
    /// The points where the attacker plays, of a goal about life.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Vec<String>>,
    /// The side to move: `black` or `white`.
    pub side: String,
    /// The answer: `works`, `fails`, `ko_first`, `ko_threat`, `unknown`.
    #[schema(value_type = String, example = "works")]
    pub verdict: TacticsVerdict,
    /// The number of its class: 0 fails, 1 works, 2 ko in which the side to move captures first, 3 ko in which it
    /// needs the first threat.
    pub code: Option<u8>,
    /// Whether it is proven. An attack that is said to fail is not: only some moves are tried. One that is said to
    /// work without being proven is likely.
    pub proven: bool,
    /// How many of the levels of reading were read to their end; a goal about life has one.
    pub levels: u64,
    /// The first move, if there is one.
    #[serde(rename = "move")]
    pub first: Option<String>,
    /// The points that the proof rests on, if the attacker reaches its goal.
    pub zone: Option<Vec<String>>,
    /// Nodes of the search: moves that it played.
    pub nodes: u64,
}

impl TacticsAnswerView {
    /// A question about a board with its answer.
    pub fn of(board: &TacticsBoard, question: &Question, answer: &TacticsAnswer) -> TacticsAnswerView {
        let size = board.chains().size();
        TacticsAnswerView {
            goal: question.goal(),
            target: size.name(question.target()),
            with: question.with().map(|with| size.name(with)),
            region: question.region().map(|region| region.iter().map(|point| size.name(point)).collect()),
            side: if question.mover() == Side::First { "black" } else { "white" }.to_owned(),
            verdict: answer.verdict,
            code: answer.verdict.code(),
            proven: answer.proven,
            levels: answer.levels as u64,
            first: answer.first.map(|point| size.name(point)),
            zone: answer.zone.map(|zone| zone.iter().map(|point| size.name(point)).collect()),
            nodes: answer.nodes,
        }
    }
}

/// A question of a job with its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AnsweredQuestionView {
    /// Its number in the job, from 0.
    pub number: u64,
    /// The number of its line among the questions, from 1.
    pub line_number: u64,
    /// What its line begins with.
    pub name: String,
    /// Columns of the board.
    pub width: u8,
    /// Rows of the board.
    pub height: u8,
    /// The points by rows from the upper left: `X` black, `O` white, `.` empty.
    pub cells: String,
    /// The question and its answer.
    #[serde(flatten)]
    pub answer: TacticsAnswerView,
    /// The codes that are expected; none if the questions do not say that.
    pub expected: Vec<u8>,
    /// Whether the code is right.
    pub right_by_code: Option<bool>,
    /// Whether code and first move are right.
    pub right_with_move: Option<bool>,
    /// Proofs that were replayed by the naive rules.
    pub proofs_checked: u64,
    /// What is wrong with the first of them that does not hold.
    pub proof_fault: Option<String>,
    /// Seconds of processor time that it took.
    pub seconds: f64,
}
