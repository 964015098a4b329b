//! Positions as text: boards of `X`, `O` and `-`, and the lines of OBF files that Othello programs are tested with.
//!
//! A line of an OBF file is the board by rows (`X` or `*` black, `O` white, `-` or `.` empty), the side to move, and
//! after semicolons what is known of moves: `A2:+38`, the value of the move for the side to move, in discs, the cells
//! that are empty at the end counted for the winner. What follows a `%` or `#` is a remark.

use super::board::ReversiBoard;
use super::position::{DiscsError, ReversiMove, ReversiPosition};
use crate::core::game::{Game, Side};

/// One line of an OBF file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Number of the line, from 1.
    pub line: usize,
    /// The position to be solved.
    pub position: ReversiPosition,
    /// What the line says of moves: the move and its value for the side to move, in discs.
    pub values: Vec<(ReversiMove, i32)>,
}

impl Problem {
    /// The value of the position for the side to move, in discs, if the line names moves: that of the best.
    pub fn value(&self) -> Option<i32> {
        self.values.iter().map(|&(_, value)| value).max()
    }
}

/// Text that is no position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// A character that stands for nothing.
    #[error("{0:?} is neither a disc (X or O) nor an empty cell (- or .)")]
    Character(char),
    /// Too few or too many cells.
    #[error("the board has {found} cells where a {board} board has {}; the side to move follows them", board.area())]
    Length {
        /// How many cells were read.
        found: usize,
        /// The board they should fill.
        board: ReversiBoard,
    },
    /// No side to move, or another word in its place.
    #[error("{0:?} is not a side to move: X (black) or O (white) follows the board")]
    Side(String),
    /// Something in place of a move and its value.
    #[error("{0:?} is not a move with its value, such as A2:+38")]
    Value(String),
    /// A game that cannot be played so.
    #[error("{0}")]
    Game(String),
    /// The discs contradict each other.
    #[error(transparent)]
    Discs(#[from] DiscsError),
}

/// A line of a file that is no position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct LineError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: TextError,
}

/// Reads a board, by rows, and the side to move after it. Blanks between the cells are passed over.
///
/// # Errors
/// Text of another form, or the wrong number of cells for `board`.
pub fn parse_board(board: ReversiBoard, text: &str) -> Result<ReversiPosition, TextError> {
    let area = board.area() as usize;
    let (mut black, mut white, mut found) = (0u64, 0u64, 0usize);
    let mut rest = text.chars().filter(|c| !c.is_whitespace());
    let mut squares = board.squares();
    for (c, square) in rest.by_ref().take(area).zip(&mut squares) {
        match c {
            'X' | 'x' | '*' | 'B' | 'b' => black |= 1 << square,
            'O' | 'o' | 'W' | 'w' => white |= 1 << square,
            '-' | '.' => (),
            other => return Err(TextError::Character(other)),
        }
        found += 1;
    }
    let side: String = rest.collect();
    // The side to move was taken for the last cell.
    if side.is_empty() && text.split_whitespace().next_back().is_some_and(|last| last.len() == 1) {
        found -= 1;
    }
    if found < area {
        return Err(TextError::Length { found, board });
    }
    let side = match &side[..] {
        "X" | "x" | "*" | "B" | "b" => Side::First,
        "O" | "o" | "W" | "w" => Side::Second,
        other if other.len() > 3 => return Err(TextError::Length { found: found + other.len() - 1, board }),
        other => return Err(TextError::Side(other.to_owned())),
    };
    Ok(ReversiPosition::from_discs(board, black, white, side)?)
}

/// Reads one line of an OBF file, without its remark; `None` if nothing is left.
///
/// # Errors
/// A line that is neither a position nor empty.
pub fn parse_line(board: ReversiBoard, number: usize, line: &str) -> Result<Option<Problem>, TextError> {
    let line = line.split(['%', '#']).next().unwrap_or_default().trim();
    if line.is_empty() {
        return Ok(None);
    }
    let mut parts = line.split(';');
    let position = parse_board(board, parts.next().unwrap_or_default())?;
    let mut values = Vec::new();
    for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
        let wrong = || TextError::Value(part.chars().take(20).collect());
        let (name, value) = part.split_once(':').ok_or_else(wrong)?;
        let name = name.trim();
        let m = if name.eq_ignore_ascii_case("PA") { Some(ReversiMove::PASS) } else { position.parse(name) };
        let area = board.area() as i32;
        let value = value.trim().parse().ok().filter(|value| (-area..=area).contains(value));
        values.push((m.ok_or_else(wrong)?, value.ok_or_else(wrong)?));
    }
    Ok(Some(Problem { line: number, position, values }))
}

/// The position as the first part of a line of an OBF file: cells by rows, a blank, the side to move.
pub fn to_obf(position: &ReversiPosition) -> String {
    let (black, white) = position.discs();
    let cell = |square: u8| match (black >> square & 1, white >> square & 1) {
        (1, _) => 'X',
        (_, 1) => 'O',
        _ => '-',
    };
    let side = if position.side() == Side::First { 'X' } else { 'O' };
    position.board().squares().map(cell).chain([' ', side]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::position::Start;
    use crate::games::reversi::positions::parse_positions;

    const LINE: &str =
        "---------------------------OX------XO--------------------------- X; D3:+0; c4:+0; PA:-2; % start";

    #[test]
    fn lines_are_read_and_written() {
        let problems = parse_positions(ReversiBoard::FULL, &format!("\n% remark\n{LINE}\n")).unwrap();
        let [problem] = &problems[..] else { panic!("{problems:?}") };
        assert_eq!(problem.position, ReversiPosition::new(ReversiBoard::FULL, Start::Standard));
        assert_eq!((problem.line, problem.value()), (3, Some(0)));
        assert_eq!(problem.values, [(ReversiMove(19), 0), (ReversiMove(26), 0), (ReversiMove::PASS, -2)]);
        assert_eq!(to_obf(&problem.position), LINE[..66]);
        let small = ReversiBoard::new(4, 5).unwrap();
        let start = ReversiPosition::new(small, Start::Alternative);
        assert_eq!(parse_board(small, &to_obf(&start)).unwrap(), start);
    }

    #[test]
    fn bad_lines_are_refused_with_their_numbers() {
        let board = &LINE[..64];
        for (line, reason) in [
            (board.to_owned(), "\"\" is not a side"),
            (format!("{board} Z"), "\"Z\" is not a side"),
            (format!("{} X", &board[1..]), "63 cells"),
            (format!("{board}--- X"), "67 cells"),
            (format!("?{} X", &board[1..]), "'?'"),
            (format!("{board} X; Z9:+3"), "\"Z9:+3\""),
            (format!("{board} X; A1"), "\"A1\""),
            (format!("{board} X; A1:+99"), "\"A1:+99\""),
            (format!("{board} X; \u{1F600}:1"), "is not a move"),
        ] {
            let error = parse_positions(ReversiBoard::FULL, &format!("\n{line}")).unwrap_err().to_string();
            assert!(error.starts_with("line 2: ") && error.contains(reason), "{error}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,90}", cells in "[XO.*-]{60,70} ?[XO]?;? ?[A-Ia-i0-9:+-]{0,6}") {
            for text in [text, cells] {
                let _ = parse_positions(ReversiBoard::FULL, &text);
            }
        }
    }
}
