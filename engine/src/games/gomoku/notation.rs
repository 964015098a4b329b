//! Positions as text: the moves of a game (`h8i9g7`), boards of characters, and the files of [`super::record`].
//!
//! A board is written by rows from the top, `X` black, `O` white, `.` empty, rows ended by `/` or the end of a line;
//! then `black` or `white` (to move). What `Display` of a position writes can be read, too.

use super::board::GomokuBoard;
use super::position::{GomokuMove, GomokuMoveError, GomokuPosition, GomokuStonesError};
use super::record::{GomokuRecord, RecordError};
use super::rules::{GomokuRules, RowRule};
use crate::core::game::{Game, Side};
use crate::games::rows::{RowsError, parse_rows};
use crate::games::sgf::is_sgf;
use crate::games::size::BoardSizeError;

/// Text that is no position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GomokuReadError {
    /// Rows of points that are no board.
    #[error(transparent)]
    Rows(#[from] RowsError),
    /// A file that is no game.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A word after the board that means nothing.
    #[error("`{0}` after the board: expected black or white")]
    Word(String),
    /// A size that no board has.
    #[error(transparent)]
    Board(#[from] BoardSizeError),
    /// Stones that cannot be.
    #[error(transparent)]
    Stones(#[from] GomokuStonesError),
    /// Something among moves that is no point of the board.
    #[error("`{found}` is not a point of the {board} board, such as {example}")]
    Point {
        /// What is there.
        found: String,
        /// The board that it should be on.
        board: GomokuBoard,
        /// A point of it.
        example: String,
    },
    /// A move that cannot be made.
    #[error("move {number}, {name}, is illegal: {reason}")]
    Illegal {
        /// Number of the move, from 1.
        number: usize,
        /// Name of the point.
        name: String,
        /// Why it cannot be made.
        reason: GomokuMoveError,
    },
}

/// Whether a text is moves by the names of their points: a letter with a digit after it is in no board.
fn is_moves(text: &str) -> bool {
    text.as_bytes().windows(2).any(|two| two[0].is_ascii_alphabetic() && two[1].is_ascii_digit())
}

/// Reads moves by the names of their points, with or without blanks and commas between them, and with or without
/// numbers before them: `h8i9`, `h8 i9`, `1.H8, 2.I9`.
///
/// # Errors
/// Something that is no point of the board.
pub fn parse_moves(board: GomokuBoard, text: &str) -> Result<Vec<u16>, GomokuReadError> {
    let wrong = |found: &str| {
        let example = board.points().nth(usize::from(board.area() / 2)).map_or_else(String::new, |at| board.name(at));
        GomokuReadError::Point { found: found.chars().take(20).collect(), board, example }
    };
    let mut moves = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || ",;.".contains(c)) {
        // The number of a move.
        if word.bytes().all(|c| c.is_ascii_digit()) {
            continue;
        }
        let mut rest = word;
        while !rest.is_empty() {
            let digits = rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
            let (name, after) = rest.split_at_checked(1 + digits).ok_or_else(|| wrong(rest))?;
            moves.push(board.named(name).ok_or_else(|| wrong(name))?);
            rest = after;
        }
    }
    Ok(moves)
}

/// The word for a colour.
pub fn colour_name(side: Side) -> &'static str {
    if side == Side::First { "black" } else { "white" }
}

/// Moves as one word that [`parse_moves`] reads.
pub fn moves_text(board: GomokuBoard, moves: &[u16]) -> String {
    moves.iter().map(|&point| board.name(point)).collect()
}

/// Plays moves one after the other.
///
/// # Errors
/// The first that is illegal.
pub fn play_all(position: &mut GomokuPosition, moves: &[u16]) -> Result<(), GomokuReadError> {
    for (i, &point) in moves.iter().enumerate() {
        let m = GomokuMove(point);
        position.check_move(m).map_err(|reason| GomokuReadError::Illegal {
            number: i + 1,
            name: position.name(m),
            reason,
        })?;
        position.play(m);
    }
    Ok(())
}

/// Reads a position: SGF or PSQ if it begins like one, moves if it has names of points, else a board of characters.
/// `size`, columns and rows, is that of the board for moves alone, which do not say it; 15x15 if there is none.
///
/// # Errors
/// Text that is none of these, stones that cannot be, illegal moves.
pub fn parse_position(
    text: &str,
    rules: GomokuRules,
    size: Option<(u8, u8)>,
) -> Result<GomokuPosition, GomokuReadError> {
    let (mut position, moves) = parse_game(text, rules, size)?;
    play_all(&mut position, &moves)?;
    Ok(position)
}

/// Reads the same as a position and the points of the moves after it, of which a board of characters has none. The
/// moves may be illegal.
///
/// # Errors
/// Text that is none of these, stones that cannot be.
pub fn parse_game(
    text: &str,
    rules: GomokuRules,
    size: Option<(u8, u8)>,
) -> Result<(GomokuPosition, Vec<u16>), GomokuReadError> {
    let is_sgf = is_sgf(text);
    if is_sgf || GomokuRecord::is_psq(text) {
        let record = if is_sgf { GomokuRecord::parse_sgf(text)? } else { GomokuRecord::parse_psq(text)? };
        return Ok((record.start(rules)?, record.moves));
    }
    if is_moves(text) {
        let board = size.map_or(Ok(GomokuBoard::USUAL), |(width, height)| GomokuBoard::new(width, height))?;
        return Ok((GomokuPosition::new(board, rules), parse_moves(board, text)?));
    }
    let lower = text.to_ascii_lowercase();
    let end = ["black", "white"].iter().filter_map(|word| lower.find(word)).min().unwrap_or(text.len());
    let ((width, height), stones) = parse_rows(&text[..end])?;
    let mut side = Side::First;
    for word in lower[end..].split(|c: char| c.is_whitespace() || ",;/".contains(c)) {
        match word {
            "black" => side = Side::First,
            "white" => side = Side::Second,
            "" | "(x)" | "(o)" | "to" | "move" => (),
            other => return Err(GomokuReadError::Word(other.chars().take(20).collect())),
        }
    }
    let board = GomokuBoard::new(width, height)?;
    let point = |&((x, y), colour): &((u8, u8), Side)| board.point(x, y).map(|point| (point, colour));
    let stones: Vec<(u16, Side)> = stones.iter().filter_map(point).collect();
    Ok((GomokuPosition::from_stones(board, rules, &stones, side)?, Vec::new()))
}

/// The position as one line that [`parse_position`] reads.
pub fn to_line(position: &GomokuPosition) -> String {
    let mut text = String::new();
    for point in position.board().points() {
        if position.board().place(point).0 == 0 && !text.is_empty() {
            text.push('/');
        }
        text.push(match position.stone(point) {
            None => '.',
            Some(Side::First) => 'X',
            Some(Side::Second) => 'O',
        });
    }
    text.push_str(if position.side() == Side::First { " black" } else { " white" });
    text
}

/// A board and rules as a line of a file: `game 15x15 five 5`.
pub fn game_line(board: GomokuBoard, rules: GomokuRules) -> String {
    format!("game {board} {} {}", rules.rule().name(), rules.win())
}

/// Reads such a line.
pub fn parse_game_line(line: &str) -> Option<(GomokuBoard, GomokuRules)> {
    let mut words = line.strip_prefix("game ")?.split(' ');
    let (width, height) = words.next()?.split_once('x')?;
    let board = GomokuBoard::new(width.parse().ok()?, height.parse().ok()?).ok()?;
    let rule = words.next()?;
    let rule = RowRule::ALL.into_iter().find(|known| known.name() == rule)?;
    let rules = GomokuRules::new(rule, words.next()?.parse().ok()?).ok()?;
    words.next().is_none().then_some((board, rules))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<GomokuPosition, GomokuReadError> {
        parse_position(text, GomokuRules::default(), None)
    }

    #[test]
    fn moves_and_boards_are_read_and_written() {
        let board = GomokuBoard::USUAL;
        let moves = parse_moves(board, "h8I9 g7, 4.O15,5. a1").unwrap();
        assert_eq!(moves_text(board, &moves), "h8i9g7o15a1");
        let position = read("1.H8, 2.I9, 3.G7").unwrap();
        assert_eq!((position.side(), position.empty()), (Side::Second, 222));
        assert_eq!(read(&to_line(&position)), Ok(position.clone()));
        assert_eq!(read(&position.to_string()), Ok(position));
        for line in [".X./O.O/... black", "X.. white", "./. black", "O/X white"] {
            let position = read(line).unwrap();
            assert_eq!(to_line(&position), line);
            assert_eq!(read(&position.to_string()), Ok(position));
        }
        let small = parse_position("a1 b3", GomokuRules::default(), Some((2, 3))).unwrap();
        assert_eq!(to_line(&small), ".O/../X. black");
    }

    #[test]
    fn what_is_no_position_is_refused_with_its_place() {
        for (text, reason) in [
            ("", "there is no board in it"),
            ("white", "there is no board in it"),
            ("X.?", "row 1: `?` is not a point of a board"),
            ("X../X.", "row 2 has 2 points, the first row has 3"),
            ("X.. green", "row 1: `g` is not a point"),
            ("X.. black to lose", "`lose` after the board: expected black or white"),
            (".....................", "there is no 21x1 board for gomoku"),
            ("XXXXX/OOOOO", "both sides have a row that wins"),
            ("h8p1", "`p1` is not a point of the 15x15 board, such as h8"),
            ("h8i", "`i` is not a point"),
            ("h8\u{e4}9", "`\u{e4}9` is not a point"),
            ("h8\u{e4}", "`\u{e4}` is not a point"),
            ("h8h8", "move 2, h8, is illegal: there is a stone on h8"),
            ("a1a2b1b2c1c2d1d2e1e2", "move 10, e2, is illegal: the game is over"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(
            text in "\\PC{0,60}",
            moves in "[a-tA-T0-9., ]{0,40}",
            rows in "[XO./\n ]{0,60}(black|white)?",
        ) {
            for text in [text, moves, rows] {
                let _ = read(&text);
            }
        }
    }
}
