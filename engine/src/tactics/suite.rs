//! Files of tactical questions with the answers that are expected, in the columns of GNU Go's reading suites.
//!
//! A line has, between tabs: a number, the question (`attack` or `capture`, `defend`, `connect`, `disconnect` or
//! `cut`, `kill` or `owl_attack`, `live` or `owl_defend`), the stone it is about or the two stones, the expected
//! answer, the size of the board, the black stones, the white stones and, if a ko forbids the side to move a point,
//! that point. Behind it a question about life may have its region, such as `a1:f4`. The expected answer is the code
//! of the verdict and the moves that are right, such as `[1 (D4|E5)]` or `[(2|3) P5]`; a `*` behind it is ignored,
//! and an empty one is not compared. Lines that are empty or begin with `#` are left out.

use super::board::TacticsBoard;
use super::goal::{Question, QuestionError, TacticalGoal, point_of};
use super::region::region_of;
use super::solve::TacticsAnswer;
use super::verdict::TacticsVerdict;
use crate::core::game::Side;
use crate::games::go::large::chains::Chains;
use crate::games::go::large::points::LargeBoard;
use crate::games::size::BoardSizeError;
use std::fmt;

/// A question of a suite.
#[derive(Debug, Clone)]
pub struct SuiteQuestion {
    /// Number of its line in the file, from 1.
    pub line: usize,
    /// What its line begins with.
    pub name: String,
    /// The position that it is about.
    pub board: TacticsBoard,
    /// What is asked of it.
    pub question: Question,
    /// What is expected, if the file says it.
    pub expected: Option<ExpectedAnswer>,
}

/// An answer that a suite expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedAnswer {
    /// The codes that are right: see [`super::verdict::TacticsVerdict::code`].
    pub codes: Vec<u8>,
    /// The first moves that are right, a pass being none; if there are none at all, any is.
    pub moves: Vec<Option<u16>>,
}

impl ExpectedAnswer {
    /// Whether the code of an answer is right.
    pub fn has_code(&self, answer: &TacticsAnswer) -> bool {
        answer.verdict.code().is_some_and(|code| self.codes.contains(&code))
    }

    /// Whether code and first move of an answer are right.
    pub fn has_move(&self, answer: &TacticsAnswer) -> bool {
        self.has_code(answer) && (self.moves.is_empty() || self.moves.contains(&answer.first))
    }

    /// What of an answer is right.
    pub fn compare(&self, answer: &TacticsAnswer) -> AnswerMatch {
        AnswerMatch { code: self.has_code(answer), with_move: self.has_move(answer) }
    }
}

/// What of an answer is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AnswerMatch {
    /// Whether its code is.
    pub code: bool,
    /// Whether code and first move are.
    pub with_move: bool,
}

/// What the answers to the questions of a suite come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SuiteTally {
    /// Questions that are answered.
    pub questions: u64,
    /// Those whose expected answers are in the file.
    pub compared: u64,
    /// Answers whose code is right.
    pub by_code: u64,
    /// Answers whose code and first move are right.
    pub with_move: u64,
    /// Questions whose answer the budget did not reach.
    pub unknown: u64,
    /// Nodes of all readings.
    pub nodes: u64,
    /// Proofs that were replayed by the naive rules.
    pub checked: u64,
    /// Those that do not hold.
    pub refused: u64,
}

impl SuiteTally {
    /// Counts an answer; `right` tells what of it is, if the file says that.
    pub fn add(&mut self, verdict: TacticsVerdict, nodes: u64, right: Option<AnswerMatch>) {
        self.questions += 1;
        self.compared += u64::from(right.is_some());
        self.by_code += u64::from(right.is_some_and(|right| right.code));
        self.with_move += u64::from(right.is_some_and(|right| right.with_move));
        self.unknown += u64::from(verdict.code().is_none());
        self.nodes = self.nodes.saturating_add(nodes);
    }

    /// Whether every question has an answer, none differs from the file, and every proof holds.
    pub fn is_right(&self) -> bool {
        self.by_code == self.compared && self.unknown == 0 && self.refused == 0
    }
}

/// All but the nodes and the proofs that were checked.
impl fmt::Display for SuiteTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SuiteTally { questions, by_code, with_move, unknown, .. } = self;
        write!(
            f,
            "{questions} questions, {by_code} right by code, {with_move} right with the move, {unknown} unknown"
        )
    }
}

/// A line of a suite that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct SuiteError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub fault: SuiteFault,
}

/// What may be wrong with a line of a suite.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SuiteFault {
    /// Too few or too many columns.
    #[error(
        "{0} columns: expected number, question, target, answer, size, black stones, white stones, and perhaps a ko \
         and a region, between tabs"
    )]
    Columns(usize),
    /// A question of another kind.
    #[error("`{0}` is not a question: expected attack, defend, connect, disconnect, kill or live")]
    Kind(String),
    /// A size that no board has.
    #[error("`{0}` is not the size of a board: expected a number from 1 to 19")]
    NotASize(String),
    /// A size out of range.
    #[error(transparent)]
    Board(#[from] BoardSizeError),
    /// Two stones on one point.
    #[error("the point {0} holds two stones")]
    Both(String),
    /// A chain that should have been captured.
    #[error("the stone on {0} has no liberty: such chains are not on the board in go")]
    Captured(String),
    /// A ko on a point with a stone.
    #[error("the ko at {0} is on no empty point")]
    Ko(String),
    /// An expected answer that means nothing.
    #[error("`{0}` is not an answer: expected a code from 0 to 3 and moves, such as [1 (D4|E5)]")]
    Answer(String),
    /// A target or another point that cannot be.
    #[error(transparent)]
    Question(#[from] QuestionError),
}

/// Reads the questions of a file.
///
/// # Errors
/// The first line that cannot be read.
pub fn parse_suite(text: &str) -> Result<Vec<SuiteQuestion>, SuiteError> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    lines.map(|(line, text)| parse_line(line, text).map_err(|fault| SuiteError { line, fault })).collect()
}

fn parse_line(line: usize, text: &str) -> Result<SuiteQuestion, SuiteFault> {
    let columns: Vec<&str> = text.trim_end_matches(['\r', '\n']).split('\t').collect();
    let &[name, kind, target, expected, size, black, ref rest @ ..] = &columns[..] else {
        return Err(SuiteFault::Columns(columns.len()));
    };
    if rest.len() > 3 {
        return Err(SuiteFault::Columns(columns.len()));
    }
    let [white, ko, region] = [0, 1, 2].map(|place| rest.get(place).map_or("", |column| column.trim()));
    let goal = match kind.trim() {
        "attack" | "capture" => TacticalGoal::Capture,
        "defend" => TacticalGoal::Defend,
        "connect" => TacticalGoal::Connect,
        "disconnect" | "cut" => TacticalGoal::Cut,
        "kill" | "owl_attack" => TacticalGoal::Kill,
        "live" | "owl_defend" => TacticalGoal::Live,
        other => return Err(SuiteFault::Kind(other.to_owned())),
    };
    let side: u8 = size.trim().parse().map_err(|_| SuiteFault::NotASize(size.trim().to_owned()))?;
    let size = LargeBoard::new(side, side)?;
    let mut chains = Chains::new(size);
    for (stones, colour) in [(black, Side::First), (white, Side::Second)] {
        for stone in stones.split_whitespace() {
            let point = point_of(size, stone)?;
            if chains.colour(point).is_some() {
                return Err(SuiteFault::Both(size.name(point)));
            }
            chains.set(point, colour);
        }
    }
    let captured = |&point: &u16| chains.chain(point).is_some_and(|chain| chain.liberties.is_empty());
    if let Some(point) = (0..size.area()).find(captured) {
        return Err(SuiteFault::Captured(size.name(point)));
    }
    let ban = if ko.is_empty() { None } else { Some(point_of(size, ko)?) };
    if let Some(ban) = ban.filter(|&ban| chains.colour(ban).is_some()) {
        return Err(SuiteFault::Ko(size.name(ban)));
    }
    let targets: Vec<u16> = target.split_whitespace().map(|name| point_of(size, name)).collect::<Result<_, _>>()?;
    let (first, second) = match targets[..] {
        [first] => (first, None),
        [first, second] => (first, Some(second)),
        _ => (point_of(size, target)?, None),
    };
    let mut question = Question::new(&chains, goal, first, second)?;
    if !region.is_empty() {
        question = question.within(&chains, region_of(size, region)?)?;
    }
    let expected = parse_answer(size, expected.trim())?;
    Ok(SuiteQuestion {
        line,
        name: name.trim().to_owned(),
        board: TacticsBoard::new(chains, ban),
        question,
        expected,
    })
}

fn parse_answer(size: LargeBoard, text: &str) -> Result<Option<ExpectedAnswer>, SuiteFault> {
    let wrong = || SuiteFault::Answer(text.to_owned());
    let inner = text.trim_end_matches('*').trim();
    let inner = inner.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(inner).trim();
    if inner.is_empty() {
        return Ok(None);
    }
    let (codes, moves) = inner.split_once(' ').unwrap_or((inner, ""));
    let parts = |text: &str| -> Vec<String> {
        let bare = text.trim().trim_start_matches('(').trim_end_matches(')');
        bare.split('|').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
    };
    let code = |part: &String| part.parse::<u8>().ok().filter(|&code| code <= 3).ok_or_else(wrong);
    let codes = parts(codes).iter().map(code).collect::<Result<Vec<u8>, _>>()?;
    let point = |part: &String| match part.eq_ignore_ascii_case("pass") {
        true => Ok(None),
        false => point_of(size, part).map(Some).map_err(|_| wrong()),
    };
    let moves = parts(moves).iter().map(point).collect::<Result<Vec<_>, _>>()?;
    if codes.is_empty() { Err(wrong()) } else { Ok(Some(ExpectedAnswer { codes, moves })) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read_with_their_answers() {
        let text = "# a comment\n\n7\tattack\tA1\t[(2|3) (B1|PASS)]*\t3\tB2\tA1 C3\tB3\r\n8\tconnect\tA1 C3\t\t3\tB2\tA1 C3\n";
        let all = parse_suite(text).unwrap();
        let [first, second] = &all[..] else { panic!("{all:?}") };
        assert_eq!((first.line, &*first.name, first.board.ban()), (3, "7", Some(1)));
        assert_eq!((first.question.goal(), first.question.mover()), (TacticalGoal::Capture, Side::First));
        assert_eq!(first.expected, Some(ExpectedAnswer { codes: vec![2, 3], moves: vec![Some(7), None] }));
        assert_eq!((second.question.with(), &second.expected), (Some(2), &None));
        let text = "9\tkill\tA1\t[1 B1]\t3\tB2\tA1\n9\towl_defend\tA1\t[1 B1]\t3\tB2\tA1\t\ta1:b2\n";
        let [first, second] = &parse_suite(text).unwrap()[..] else { panic!("{text}") };
        assert_eq!((first.question.goal(), second.question.goal()), (TacticalGoal::Kill, TacticalGoal::Live));
        let points = |asked: &SuiteQuestion| asked.question.region().unwrap().len();
        assert_eq!((points(first), points(second), second.board.ban()), (9, 4, None));
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_line() {
        for (line, reason) in [
            ("1\tattack\tA1\t[0]\t3", "line 2: 5 columns"),
            ("1\tattack\tA1\t[0]\t3\tB2\tA1\tB3\ta1\tx", "10 columns"),
            ("1\tattack\tA1\t[0]\t3\tB2\tA1\tB3\ta1", "the goal capture has no region"),
            ("1\tkill\tA1\t[0]\t3\tB2\tA1\tB3\tx", "the point `x` is not on the 3x3 board"),
            ("1\tkill\tA1\t[0]\t3\tB2\tA1\t\ta1", "the region leaves out a2, a liberty"),
            ("1\tseki\tA1\t[0]\t3\tB2\tA1", "`seki` is not a question"),
            ("1\tattack\tA1\t[0]\tx\tB2\tA1", "`x` is not the size of a board"),
            ("1\tattack\tA1\t[0]\t20\tB2\tA1", "no 20x20 board"),
            ("1\tattack\tA1\t[0]\t3\tB2\tA1 D1", "the point `D1` is not on the 3x3 board"),
            ("1\tattack\tA1\t[0]\t3\tA1\tA1", "the point a1 holds two stones"),
            ("1\tattack\tA1\t[0]\t2\tA2 B1\tA1", "the stone on a1 has no liberty"),
            ("1\tattack\tB1\t[0]\t3\tB2\tA1", "there is no stone on b1"),
            ("1\tattack\tA1 B2\t[0]\t3\tB2\tA1", "is about one chain"),
            ("1\tattack\t\t[0]\t3\tB2\tA1", "the point `` is not on"),
            ("1\tconnect\tA1\t[0]\t3\tB2\tA1", "is about two chains"),
            ("1\tattack\tA1\t[4]\t3\tB2\tA1", "`[4]` is not an answer"),
            ("1\tattack\tA1\t[1 X9]\t3\tB2\tA1", "`[1 X9]` is not an answer"),
            ("1\tattack\tA1\t[0]\t3\tB2\tA1\tB2", "the ko at b2 is on no empty point"),
        ] {
            let error = parse_suite(&format!("#\n{line}\n")).unwrap_err().to_string();
            assert!(error.contains(reason) && error.starts_with("line 2"), "{line}: {error}");
        }
    }
}
