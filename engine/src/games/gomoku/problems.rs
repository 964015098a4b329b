//! Files of positions in which a victory by continuous fours is looked for: one position a line, in columns that tabs
//! part.
//!
//! The columns are the side to move (`1` or `black`, `2` or `white`), the black stones, the white stones, and, if it
//! is known, the least number of the attacker's moves: 0 if there is no victory. `#` begins a remark.

use super::board::GomokuBoard;
use super::notation::{GomokuReadError, parse_moves};
use super::position::GomokuPosition;
use super::rules::GomokuRules;
use crate::core::game::Side;

/// One line of such a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoursProblem {
    /// Number of the line, from 1.
    pub line: usize,
    /// The position, with the side to move.
    pub position: GomokuPosition,
    /// The least number of the attacker's moves, as far as the line says; 0 is none.
    pub known: Option<u32>,
}

/// A line that is not a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct FoursProblemError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: FoursReason,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FoursReason {
    /// Too few or too many columns.
    #[error("{0} columns: expected side, black stones, white stones and perhaps a number of moves, parted by tabs")]
    Columns(usize),
    /// A first column that is not a side.
    #[error("`{0}` is not a side to move: expected 1 (black) or 2 (white)")]
    Side(String),
    /// A last column that is not a number.
    #[error("`{0}` is not a number of moves")]
    Number(String),
    /// Stones that cannot be.
    #[error(transparent)]
    Stones(#[from] GomokuReadError),
}

/// Reads such a file.
///
/// # Errors
/// The first line that is neither a position nor empty.
pub fn parse_problems(
    board: GomokuBoard,
    rules: GomokuRules,
    text: &str,
) -> Result<Vec<FoursProblem>, FoursProblemError> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
    lines
        .filter_map(|(number, line)| {
            let line = line.split('#').next().unwrap_or_default();
            let read = (!line.trim().is_empty()).then(|| parse_line(board, rules, number, line))?;
            Some(read.map_err(|reason| FoursProblemError { line: number, reason }))
        })
        .collect()
}

fn parse_line(board: GomokuBoard, rules: GomokuRules, line: usize, text: &str) -> Result<FoursProblem, FoursReason> {
    let columns: Vec<&str> = text.split('\t').map(str::trim).collect();
    let (side, black, white, known) = match columns[..] {
        [side, black, white] => (side, black, white, None),
        [side, black, white, known] => (side, black, white, Some(known)),
        _ => return Err(FoursReason::Columns(columns.len())),
    };
    let short = |text: &str| text.chars().take(20).collect::<String>();
    let side = match side {
        "1" | "black" => Side::First,
        "2" | "white" => Side::Second,
        other => return Err(FoursReason::Side(short(other))),
    };
    let known = known.map(|text| text.parse().map_err(|_| FoursReason::Number(short(text)))).transpose()?;
    let of = |text: &str, colour| -> Result<Vec<(u16, Side)>, GomokuReadError> {
        Ok(parse_moves(board, text)?.into_iter().map(|point| (point, colour)).collect())
    };
    let stones = [of(black, Side::First)?, of(white, Side::Second)?].concat();
    let position = GomokuPosition::from_stones(board, rules, &stones, side).map_err(GomokuReadError::from)?;
    Ok(FoursProblem { line, position, known })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_bad_ones_refused_with_their_numbers() {
        let read = |text: &str| parse_problems(GomokuBoard::USUAL, GomokuRules::default(), text);
        let problems = read("# a remark\n\n1\th8i8\tg7\t3\n2\t\t\t0 # nothing\nblack\th8\t\n").unwrap();
        let known: Vec<_> = problems.iter().map(|problem| (problem.line, problem.known)).collect();
        assert_eq!(known, [(3, Some(3)), (4, Some(0)), (5, None)]);
        assert_eq!(problems[0].position.empty(), 222);
        for (line, reason) in [
            ("1\th8", "2 columns: expected side"),
            ("1 h8 g7 3", "1 columns: expected side"),
            ("3\th8\tg7\t3", "`3` is not a side to move"),
            ("1\th8\tg7\t-3", "`-3` is not a number of moves"),
            ("1\th8\tp7\t3", "`p7` is not a point of the 15x15 board"),
            ("1\th8\th8\t3", "there are two stones on h8"),
        ] {
            let error = read(&format!("\n{line}")).unwrap_err().to_string();
            assert!(error.starts_with("line 2: ") && error.contains(reason), "{line}: {error}");
        }
    }
}
