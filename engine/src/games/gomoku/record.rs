//! Games in files: PSQ, the files of the Piskvork manager, SGF (GM\[4\], the main line), and the first line of a
//! library ([`super::library`]).
//!
//! A PSQ file begins with `Piskvorky 15x15, 11:11, 1`; a line `x,y,milliseconds` is a move, counted from 1 at the
//! upper left; the first line of another form ends the moves. Black makes the first move, and the sides alternate.
//!
//! A game that begins with Swap2 has the property ON\[Swap2\], with what was chosen: ON\[Swap2: add, white\].

use super::board::GomokuBoard;
use super::library::read::{LibraryReadError, read};
use super::notation::{GomokuReadError, play_all};
use super::position::{GomokuMove, GomokuPosition};
use super::rules::GomokuRules;
use super::swap2::{Swap2, Swap2Choice};
use crate::core::game::{Game, Side};
use crate::games::sgf::{SgfError, board_of, main_line, points_of};
use crate::games::size::BoardSizeError;
use std::fmt::Write;

/// A game: the stones that it begins with, and the moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GomokuRecord {
    /// The board that it is played on.
    pub board: GomokuBoard,
    /// Stones that lie there before the first move.
    pub begin: Vec<(u16, Side)>,
    /// The side that makes the first move.
    pub first: Side,
    /// The points of the moves; the sides alternate.
    pub moves: Vec<u16>,
    /// What was chosen so far, if the game begins with Swap2.
    pub swap2: Option<Vec<Swap2Choice>>,
}

/// What the name of an opening says was chosen, if it is Swap2.
fn choices_of(opening: &str) -> Option<Vec<Swap2Choice>> {
    let mut words = opening.split(|c: char| c.is_whitespace() || ":,;".contains(c)).filter(|word| !word.is_empty());
    words.next().filter(|name| name.eq_ignore_ascii_case(Swap2::NAME))?;
    words.map(Swap2Choice::named).collect()
}

/// A text that is no game, or a game that a format cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// Text that is no SGF.
    #[error(transparent)]
    Sgf(#[from] SgfError),
    /// A size that no board has.
    #[error(transparent)]
    Board(#[from] BoardSizeError),
    /// SGF of another game.
    #[error("SGF: GM[{0}] is another game: gomoku is GM[4]")]
    OtherGame(String),
    /// A move of the side that is not to move.
    #[error("SGF: move {0} is by the side that made the one before")]
    Turn(usize),
    /// Stones that are set up within the game.
    #[error("SGF: stones are set up after move {0}: that is possible before the first move only")]
    Late(usize),
    /// A first line of PSQ without a size.
    #[error("line 1: `{0}` has no size of a board: expected Piskvorky 15x15")]
    Head(String),
    /// A move of PSQ that is off the board.
    #[error("line {line}: {x},{y} is not a point of the {board} board")]
    Point {
        /// Number of the line, from 1.
        line: usize,
        /// Column, from 1.
        x: i64,
        /// Row, from 1.
        y: i64,
        /// The board that the file names.
        board: GomokuBoard,
    },
    /// Bytes that are no library.
    #[error(transparent)]
    Library(#[from] LibraryReadError),
    /// A pass of a library, which the game does not have.
    #[error("library: move {0} of the first line is a pass, which gomoku does not have")]
    Pass(usize),
    /// A game that PSQ cannot hold.
    #[error("a PSQ file cannot hold a game that does not begin with black on an empty board")]
    NotPsq,
}

impl GomokuRecord {
    /// The position before its first move.
    ///
    /// # Errors
    /// Stones that cannot be.
    pub fn start(&self, rules: GomokuRules) -> Result<GomokuPosition, GomokuReadError> {
        Ok(GomokuPosition::from_stones(self.board, rules, &self.begin, self.first)?)
    }

    /// The position at its end.
    ///
    /// # Errors
    /// Stones that cannot be, illegal moves.
    pub fn position(&self, rules: GomokuRules) -> Result<GomokuPosition, GomokuReadError> {
        let mut position = self.start(rules)?;
        play_all(&mut position, &self.moves)?;
        Ok(position)
    }

    /// Whether a text begins like PSQ.
    pub fn is_psq(text: &str) -> bool {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        text.get(..9).is_some_and(|head| head.eq_ignore_ascii_case("piskvorky"))
    }

    /// Reads PSQ.
    ///
    /// # Errors
    /// No size, or a move off the board.
    pub fn parse_psq(text: &str) -> Result<GomokuRecord, RecordError> {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let mut lines = text.lines();
        let head = lines.next().unwrap_or_default();
        let wrong = || RecordError::Head(head.chars().take(40).collect());
        let size = head.split_whitespace().nth(1).ok_or_else(wrong)?.trim_end_matches(',');
        let (width, height) = size.split_once(['x', 'X']).ok_or_else(wrong)?;
        let number = |text: &str| text.parse::<u8>().map_err(|_| wrong());
        let board = GomokuBoard::new(number(width)?, number(height)?)?;
        let mut moves = Vec::new();
        for (line, text) in (2..).zip(lines) {
            let numbers: Option<Vec<i64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
            let Some([x, y, _]) = numbers.as_deref() else { break };
            let place = |n: &i64| n.checked_sub(1).and_then(|n| u8::try_from(n).ok());
            let point = place(x).zip(place(y)).and_then(|(x, y)| board.point(x, y));
            moves.push(point.ok_or(RecordError::Point { line, x: *x, y: *y, board })?);
        }
        Ok(GomokuRecord { board, begin: Vec::new(), first: Side::First, moves, swap2: None })
    }

    /// Writes PSQ, without times.
    ///
    /// # Errors
    /// A game that does not begin with black on an empty board.
    pub fn to_psq(&self) -> Result<String, RecordError> {
        if !self.begin.is_empty() || self.first == Side::Second {
            return Err(RecordError::NotPsq);
        }
        let mut text = format!("Piskvorky {}, 11:11, 0\n", self.board);
        for &point in &self.moves {
            let (x, y) = self.board.place(point);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{},{},0", x + 1, y + 1);
        }
        Ok(text)
    }

    /// Reads the main line of the first game of an SGF file.
    ///
    /// # Errors
    /// No SGF, another game, points off the board, stones set up within the game, two moves of a side in a row.
    pub fn parse_sgf(text: &str) -> Result<GomokuRecord, RecordError> {
        let nodes = main_line(text)?;
        if let Some((_, values)) = nodes[0].iter().find(|(name, _)| name == "GM")
            && values[0].trim() != "4"
        {
            return Err(RecordError::OtherGame(values[0].trim().to_owned()));
        }
        let usual = (GomokuBoard::USUAL.width(), GomokuBoard::USUAL.height());
        let size = board_of(&nodes[0], usual)?;
        let board = GomokuBoard::new(size.0, size.1)?;
        let (mut begin, mut first, mut moves, mut swap2) = (Vec::new(), None, Vec::new(), None);
        for (name, values) in nodes.iter().flatten() {
            let colour = if name.ends_with('B') { Side::First } else { Side::Second };
            match name.as_str() {
                "AB" | "AW" | "AE" => {
                    if !moves.is_empty() {
                        return Err(RecordError::Late(moves.len()));
                    }
                    for value in values {
                        for (x, y) in points_of(size, name, value)? {
                            let Some(point) = board.point(x, y) else { continue };
                            begin.retain(|&(other, _)| other != point);
                            if name != "AE" {
                                begin.push((point, colour));
                            }
                        }
                    }
                }
                "PL" => {
                    let side = match values[0].trim() {
                        "B" | "b" => Side::First,
                        "W" | "w" => Side::Second,
                        value => return Err(SgfError::value(name, value, "colour").into()),
                    };
                    // After moves it may only say what they say.
                    let begins = if moves.len() % 2 == 0 { side } else { side.other() };
                    if !moves.is_empty() && first != Some(begins) {
                        return Err(RecordError::Late(moves.len()));
                    }
                    first = Some(begins);
                }
                "B" | "W" => {
                    let (x, y) = match points_of(size, name, &values[0])?[..] {
                        [place] => place,
                        _ => return Err(SgfError::value(name, &values[0], "point of the board").into()),
                    };
                    let turn = if moves.is_empty() {
                        colour
                    } else {
                        let first = first.unwrap_or(Side::First);
                        if moves.len() % 2 == 0 { first } else { first.other() }
                    };
                    if turn != colour {
                        return Err(RecordError::Turn(moves.len() + 1));
                    }
                    if moves.is_empty() {
                        first = Some(colour);
                    }
                    moves.extend(board.point(x, y));
                }
                "ON" => swap2 = choices_of(&values[0]),
                _ => (),
            }
        }
        Ok(GomokuRecord { board, begin, first: first.unwrap_or(Side::First), moves, swap2 })
    }

    /// Reads the first line of a library: of each branching the first move.
    ///
    /// # Errors
    /// No library, a pass.
    pub fn parse_library(bytes: &[u8]) -> Result<GomokuRecord, RecordError> {
        let line = read(bytes, None)?.library.first_line();
        let moves = (1..).zip(line).map(|(number, point)| point.ok_or(RecordError::Pass(number)));
        let (board, begin, first) = (GomokuBoard::USUAL, Vec::new(), Side::First);
        Ok(GomokuRecord { board, begin, first, moves: moves.collect::<Result<_, _>>()?, swap2: None })
    }

    /// The game as an SGF file.
    pub fn to_sgf(&self) -> String {
        self.to_sgf_with("")
    }

    /// The same with properties of the game, such as `PB[x]`.
    pub fn to_sgf_with(&self, more: &str) -> String {
        let (width, height) = (self.board.width(), self.board.height());
        let size = if width == height { width.to_string() } else { format!("{width}:{height}") };
        let mut text = format!("(;FF[4]GM[4]CA[UTF-8]SZ[{size}]{more}");
        if let Some(choices) = &self.swap2 {
            let names: Vec<&str> = choices.iter().map(|choice| choice.name()).collect();
            let colon = if names.is_empty() { "" } else { ": " };
            let _ = write!(text, "ON[Swap2{colon}{}]", names.join(", "));
        }
        let point = |point: u16| {
            let (x, y) = self.board.place(point);
            format!("[{}{}]", char::from(b'a' + x), char::from(b'a' + y))
        };
        for (name, colour) in [("AB", Side::First), ("AW", Side::Second)] {
            let own: String =
                self.begin.iter().filter(|stone| stone.1 == colour).map(|stone| point(stone.0)).collect();
            if !own.is_empty() {
                text.push_str(name);
                text.push_str(&own);
            }
        }
        if self.first == Side::Second {
            text.push_str("PL[W]");
        }
        let mut side = self.first;
        for &at in &self.moves {
            text.push_str(if side == Side::First { "\n;B" } else { "\n;W" });
            text.push_str(&point(at));
            side = side.other();
        }
        text.push_str(")\n");
        text
    }

    /// The record of a game from the empty board.
    pub fn of(board: GomokuBoard, moves: &[GomokuMove]) -> GomokuRecord {
        let moves = moves.iter().map(|m| m.0).collect();
        GomokuRecord { board, begin: Vec::new(), first: Side::First, moves, swap2: None }
    }

    /// The record of a game that begins with a position.
    pub fn from_position(position: &GomokuPosition) -> GomokuRecord {
        let (board, first) = (position.board(), position.side());
        GomokuRecord { board, begin: position.stones().collect(), first, moves: Vec::new(), swap2: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::gomoku::notation::parse_moves;

    fn record(moves: &str) -> GomokuRecord {
        let board = GomokuBoard::USUAL;
        let moves: Vec<GomokuMove> = parse_moves(board, moves).unwrap().into_iter().map(GomokuMove).collect();
        GomokuRecord::of(board, &moves)
    }

    #[test]
    fn psq_is_read_and_written() {
        let psq = "Piskvorky 15x15, 11:11, 1\n8,8,0\n9,7,1500\r\n7,9, 20\npbrain-a.exe\n1,2,3\n";
        let read = GomokuRecord::parse_psq(psq).unwrap();
        assert_eq!(read, record("h8i9g7"));
        let written = read.to_psq().unwrap();
        assert_eq!(written, "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,7,0\n7,9,0\n");
        assert_eq!(GomokuRecord::parse_psq(&written), Ok(read));
        for (text, reason) in [
            ("Piskvorky", "line 1: `Piskvorky` has no size"),
            ("piskvorky 15", "has no size"),
            ("Piskvorky 15xa, 1:1", "has no size"),
            ("Piskvorky 25x15, 1:1", "there is no 25x15 board"),
            ("Piskvorky 15x15\n8,8,0\n16,8,0", "line 3: 16,8 is not a point of the 15x15 board"),
            ("Piskvorky 15x15\n0,8,0", "line 2: 0,8 is not a point"),
            ("Piskvorky 15x15\n-9223372036854775808,8,0", "is not a point"),
        ] {
            let error = GomokuRecord::parse_psq(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
        let later = GomokuRecord { first: Side::Second, ..record("h8") };
        assert_eq!(later.to_psq(), Err(RecordError::NotPsq));
    }

    #[test]
    fn whose_turn_it_is_may_be_said_after_moves() {
        for text in ["(;GM[4]SZ[15];B[hh];PL[W])", "(;SZ[15];B[hh]PL[W];W[hi])", "(;SZ[15]PL[W];W[hh];PL[B])"] {
            let without = text.replace(";PL[W])", ")").replace(";PL[B])", ")").replace("]PL[W];W[hi", "];W[hi");
            let said = GomokuRecord::parse_sgf(text).unwrap();
            assert_eq!(said.to_sgf(), GomokuRecord::parse_sgf(&without).unwrap().to_sgf(), "{text}");
        }
        assert!(GomokuRecord::parse_sgf("(;SZ[15];B[hh];PL[B])").is_err(), "it is white's turn");
    }

    #[test]
    fn sgf_is_read_and_written() {
        let sgf = "(;GM[4]FF[4]SZ[15];B[hh];W[ig](;B[gi];W[aa])(;B[oo]))";
        let read = GomokuRecord::parse_sgf(sgf).unwrap();
        assert_eq!(read, record("h8i9g7a15"));
        assert_eq!(GomokuRecord::parse_sgf(&read.to_sgf()), Ok(read));
        let set = GomokuRecord::parse_sgf("(;SZ[4:3]AB[aa:bb][dc]AW[ca]AE[bb]PL[W];W[cb];B[db])").unwrap();
        let position = set.position(GomokuRules::default()).unwrap();
        assert_eq!(super::super::notation::to_line(&position), "XXO./X.OX/...X white");
        assert_eq!(GomokuRecord::parse_sgf(&set.to_sgf()), Ok(set));
        let begun = GomokuRecord::from_position(&position);
        assert_eq!(GomokuRecord::parse_sgf(&begun.to_sgf()).unwrap().position(GomokuRules::default()), Ok(position));
        for (text, reason) in [
            ("(;GM[1])", "GM[1] is another game: gomoku is GM[4]"),
            ("(;SZ[21])", "there is no 21x21 board"),
            ("(;B[aa];B[bb])", "move 2 is by the side that made the one before"),
            ("(;B[aa];AB[bb])", "stones are set up after move 1"),
            ("(;B[])", "B[] is not a valid point of the board"),
            ("(;B[aa:bb])", "B[aa:bb] is not a valid point"),
            ("(;PL[x])", "PL[x] is not a valid colour"),
            ("(;B[pa])", "B[pa] is not a valid point"),
        ] {
            let error = GomokuRecord::parse_sgf(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_file_panics(
            psq in "Piskvorky [0-9]{1,3}x[0-9]{1,3},?\n([0-9-]{1,4},[0-9-]{1,4},[0-9]{1,3}\n){0,5}\\PC{0,9}",
            sgf in "\\(;(GM\\[4\\])?([;A-Z]{1,3}\\[[a-z:]{0,5}\\]){0,8}\\)?",
        ) {
            if let Ok(record) = GomokuRecord::parse_psq(&psq) {
                proptest::prop_assert_eq!(GomokuRecord::parse_psq(&record.to_psq().unwrap()), Ok(record));
            }
            if let Ok(record) = GomokuRecord::parse_sgf(&sgf) {
                proptest::prop_assert_eq!(GomokuRecord::parse_sgf(&record.to_sgf()), Ok(record));
            }
        }
    }
}
