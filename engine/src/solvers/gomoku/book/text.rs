//! Books as text.
//!
//! The first line is `morpion book 1`, the second the game. Lines that begin with `#` are remarks, such as where the
//! book comes from; they are kept. Each other line is a position with its moves: how many moves it has in common with
//! the position of the line before, the others that lead to it (`-` for none), and the best moves with their values.
//!
//! ```text
//! morpion book 1
//! game 15x15 five 5
//! # morpion book grow usual.book --positions 2000
//! 0 - h8:0
//! 0 h8 h9:-130 i9:-140
//! 1 h9 i9:150 j7:120
//! ```

use super::{BookMove, OpeningBook};
use crate::core::game::Value;
use crate::games::gomoku::notation::{game_line, parse_game_line};
use crate::solvers::gomoku::player::node::WIN;
use crate::solvers::gomoku::ways::{self, WayFault};

/// The first line of a book.
pub const HEADING: &str = "morpion book 1";

/// A text that is no book.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct BookReadError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: BookFault,
}

/// What is wrong with a line of a book.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BookFault {
    /// The file is something else.
    #[error("expected `{HEADING}`")]
    Heading,
    /// A line that is missing or not understood.
    #[error("expected {0}")]
    Expected(&'static str),
    /// The moves cannot be read or made.
    #[error(transparent)]
    Way(#[from] WayFault),
    /// A position that a line before has, or an image of it.
    #[error("the book has this position already")]
    Twice,
}

/// A book as text; each remark becomes a line.
pub fn to_text(book: &OpeningBook, remarks: &[String]) -> String {
    let board = book.board();
    let mut text = format!("{HEADING}\n{}\n", game_line(board, book.rules()));
    for remark in remarks {
        text += &format!("# {remark}\n");
    }
    let mut positions: Vec<_> = book.positions().iter().collect();
    positions.sort_by(|one, other| one.way.cmp(&other.way));
    let mut before: &[u16] = &[];
    for position in positions {
        text += &ways::to_text(board, before, &position.way);
        for m in &position.moves {
            text += &format!(" {}:{}", board.name(m.point), m.value);
        }
        text.push('\n');
        before = &position.way;
    }
    text
}

/// The remarks of a text.
pub fn remarks(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.strip_prefix('#')).map(|line| line.trim().to_owned()).collect()
}

/// Reads a book.
///
/// # Errors
/// The first line that is wrong.
pub fn parse(text: &str) -> Result<OpeningBook, BookReadError> {
    let fault = |line: usize, reason: BookFault| BookReadError { line, reason };
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim_end()));
    if lines.next().is_none_or(|(_, line)| line != HEADING) {
        return Err(fault(1, BookFault::Heading));
    }
    let game = lines.next().and_then(|(_, line)| parse_game_line(line));
    let (board, rules) = game.ok_or(fault(2, BookFault::Expected("`game WxH RULE N`, such as game 15x15 five 5")))?;
    let mut book = OpeningBook::new(board, rules);
    let mut before = Vec::new();
    for (at, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        read_position(line, &mut book, &mut before).map_err(|reason| fault(at, reason))?;
    }
    Ok(book)
}

/// Reads one position; `before` is the way of the line before, and becomes this one's.
fn read_position(line: &str, book: &mut OpeningBook, before: &mut Vec<u16>) -> Result<(), BookFault> {
    const EXPECTED: BookFault =
        BookFault::Expected("a number, moves and moves with values, such as 2 i9 g7:35 f6:-4");
    let mut words = line.split(' ');
    let common: usize = words.next().and_then(|word| word.parse().ok()).ok_or(EXPECTED)?;
    let board = book.board();
    *before = ways::parse(board, before, common, words.next().ok_or(EXPECTED)?)?;
    let position = ways::follow(&book.position(&[]), before)?;
    let mut moves = Vec::new();
    for word in words {
        let (name, value) = word.split_once(':').ok_or(EXPECTED)?;
        let point = board.named(name).ok_or(EXPECTED)?;
        let value: Value = value.parse().ok().filter(|value: &Value| value.abs() <= WIN).ok_or(EXPECTED)?;
        ways::check(&position, point)?;
        if moves.iter().any(|m: &BookMove| m.point == point) {
            return Err(EXPECTED);
        }
        moves.push(BookMove { point, value });
    }
    if moves.is_empty() {
        return Err(EXPECTED);
    }
    if book.add(before.clone(), moves) { Ok(()) } else { Err(BookFault::Twice) }
}
