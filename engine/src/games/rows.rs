//! Boards as rows of characters, for games that put stones on points.

use crate::core::game::Side;

/// A point: column and row, both from 0 at the upper left.
pub type Place = (u8, u8);

/// Rows of characters that are no board.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowsError {
    /// A character that stands for nothing.
    #[error("row {row}: `{found}` is not a point of a board: X is black, O white, . empty")]
    Character {
        /// Number of the row, from 1.
        row: usize,
        /// What is there.
        found: char,
    },
    /// Rows that differ in length.
    #[error("row {row} has {found} points, the first row has {expected}")]
    Ragged {
        /// Number of the row, from 1.
        row: usize,
        /// How many points it has.
        found: usize,
        /// Those of the first.
        expected: usize,
    },
    /// No rows at all.
    #[error("there is no board in it")]
    Empty,
}

/// Whether a line has the letters of the columns above a board: the first is no stone.
fn is_head(line: &str) -> bool {
    let mut letters = line.chars().filter(|c| !c.is_whitespace()).peekable();
    letters.peek() == Some(&'a') && letters.all(|c| ('a'..='t').contains(&c))
}

/// Columns and rows of a board, and its stones.
pub type Rows = ((u8, u8), Vec<(Place, Side)>);

/// Reads rows of points.
///
/// # Errors
/// Characters that are no points, rows of unequal length, no rows.
pub fn parse_rows(text: &str) -> Result<Rows, RowsError> {
    let short = |n: usize| u8::try_from(n).unwrap_or(u8::MAX);
    let (mut rows, mut stones, mut width) = (0usize, Vec::new(), 0);
    for line in text.split(['/', '\n']) {
        let line = line.trim().trim_start_matches(|c: char| c.is_ascii_digit());
        if line.trim().is_empty() || is_head(line) {
            continue;
        }
        let mut x = 0usize;
        for c in line.chars().filter(|c| !c.is_whitespace()) {
            let place = (short(x), short(rows));
            match c {
                'X' | 'x' | '#' | '*' => stones.push((place, Side::First)),
                'O' | 'o' => stones.push((place, Side::Second)),
                '.' | '+' | '-' | '_' => (),
                found => return Err(RowsError::Character { row: rows + 1, found }),
            }
            x += 1;
        }
        if rows == 0 {
            width = x;
        }
        rows += 1;
        if x != width {
            return Err(RowsError::Ragged { row: rows, found: x, expected: width });
        }
    }
    if rows == 0 {
        return Err(RowsError::Empty);
    }
    Ok(((short(width), short(rows)), stones))
}
