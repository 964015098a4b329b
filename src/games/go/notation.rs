//! Positions as text: boards of characters, and SGF files (FF\[4\], the main line only).
//!
//! A board is written by rows from the top, `X` black, `O` white, `.` empty, rows ended by `/` or the end of a line;
//! then, if it matters, `black` or `white` (to move), `ko` with a point, and `pass` if the other side has just passed.
//! What `Display` of a position writes can be read, too.

use super::board::{Board, BoardError};
use super::position::{Move, Position, StonesError};
use super::rules::Rules;
use crate::core::game::{Game, Side};

/// Text that is no position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// A character that stands for nothing.
    #[error("row {row}: `{found}` is no point of a board: X is black, O white, . empty")]
    Character {
        /// From 1.
        row: usize,
        /// What is there.
        found: char,
    },
    /// Rows that differ in length.
    #[error("row {row} has {found} points, the first row has {expected}")]
    Ragged {
        /// From 1.
        row: usize,
        /// Its points.
        found: usize,
        /// Those of the first.
        expected: usize,
    },
    /// No rows at all.
    #[error("there is no board in it")]
    Empty,
    /// A word after the board that means nothing.
    #[error("`{0}` after the board: expected black or white, ko with a point such as b3, or pass")]
    Word(String),
    /// A ko that cannot be.
    #[error("the ko at {0} is on no empty point of the board")]
    Ko(String),
    /// A size that no board has.
    #[error(transparent)]
    Size(#[from] BoardError),
    /// Stones that cannot be.
    #[error(transparent)]
    Stones(#[from] StonesError),
    /// SGF that ends early or has something in the wrong place.
    #[error("not SGF: {0}")]
    Sgf(&'static str),
    /// A value in SGF that its property does not take.
    #[error("SGF: {property}[{value}] is no {expected}")]
    Value {
        /// The property.
        property: String,
        /// Its value.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A move in SGF that the rules forbid.
    #[error("SGF: move {number}, {name}, is illegal under these rules")]
    Illegal {
        /// From 1.
        number: usize,
        /// The point.
        name: String,
    },
}

/// Reads rows of points: the board, the black and the white stones.
///
/// # Errors
/// Characters that are no points, rows of unequal length, a size that there is not.
pub fn parse_rows(text: &str) -> Result<(Board, u64, u64), ReadError> {
    let (mut rows, mut black, mut white, mut width) = (0usize, 0u64, 0u64, 0);
    for line in text.split(['/', '\n']) {
        let line = line.trim().trim_start_matches(|c: char| c.is_ascii_digit());
        // Blank, or the letters of the columns.
        if line.chars().all(|c| c.is_whitespace() || ('a'..='g').contains(&c)) {
            continue;
        }
        let mut x = 0usize;
        for c in line.chars().filter(|c| !c.is_whitespace()) {
            let bit = if x < 8 && rows < 8 { 1u64 << (8 * rows + x) } else { 0 };
            match c {
                'X' | 'x' | '#' | '*' => black |= bit,
                'O' | 'o' => white |= bit,
                '.' | '+' | '-' | '_' => (),
                found => return Err(ReadError::Character { row: rows + 1, found }),
            }
            x += 1;
        }
        if rows == 0 {
            width = x;
        }
        rows += 1;
        if x != width {
            return Err(ReadError::Ragged { row: rows, found: x, expected: width });
        }
    }
    if rows == 0 {
        return Err(ReadError::Empty);
    }
    let short = |n: usize| u8::try_from(n).unwrap_or(u8::MAX);
    Ok((Board::new(short(width), short(rows))?, black, white))
}

/// Reads a position: SGF if it begins like it, else a board of characters.
///
/// # Errors
/// Text that is neither, or stones that cannot be.
pub fn parse_position(text: &str, rules: Rules) -> Result<Position, ReadError> {
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('(') {
        return parse_sgf(text, rules);
    }
    let words = ["black", "white", "ko", "pass", "after"];
    let lower = text.to_ascii_lowercase();
    let end = words.iter().filter_map(|word| lower.find(word)).min().unwrap_or(text.len());
    let (board, black, white) = parse_rows(&text[..end])?;
    let (mut side, mut ko, mut passed, mut in_ko) = (Side::First, None, false, false);
    for word in lower[end..].split(|c: char| c.is_whitespace() || ",;/".contains(c)) {
        match word {
            "at" if in_ko => continue,
            name if in_ko => ko = Some(name.to_owned()),
            "black" => side = Side::First,
            "white" => side = Side::Second,
            "pass" => passed = true,
            "ko" | "" | "(x)" | "(o)" | "to" | "move" | "after" | "a" => (),
            other => return Err(ReadError::Word(other.to_owned())),
        }
        in_ko = word == "ko";
    }
    let mut position = Position::from_stones(board, rules, black, white, side)?;
    if let Some(name) = ko {
        let empty = board.points() & !(black | white);
        let point = board.all().find(|&p| board.name(p) == name && empty >> p & 1 != 0);
        position.set_ko(point.ok_or(ReadError::Ko(name))?);
    }
    position.set_passed(passed);
    Ok(position)
}

/// The position as one line that [`parse_position`] reads.
pub fn to_line(position: &Position) -> String {
    let (board, (black, white)) = (position.board(), position.stones());
    let mut text = String::new();
    for point in board.all() {
        if point % 8 == 0 && point > 0 {
            text.push('/');
        }
        text.push(match (black >> point & 1, white >> point & 1) {
            (0, 0) => '.',
            (1, 0) => 'X',
            _ => 'O',
        });
    }
    text.push_str(if position.side() == Side::First { " black" } else { " white" });
    if let Some(point) = position.ko() {
        text.push_str(&format!(" ko {}", board.name(point)));
    }
    if position.passes() > 0 {
        text.push_str(" pass");
    }
    text
}

/// The properties of one node: names and values.
type Node = Vec<(String, Vec<String>)>;

/// The nodes of the main line: of each branching the first branch.
fn main_line(text: &str) -> Result<Vec<Node>, ReadError> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut chars = text.chars().peekable();
    let (mut opened, mut closed) = (false, false);
    while let Some(c) = chars.next() {
        match c {
            _ if c.is_whitespace() || c == '\u{feff}' => (),
            '(' => opened = true,
            // The end of the first variation is the end of the main line.
            ')' => {
                closed = true;
                break;
            }
            ';' if opened => nodes.push(Vec::new()),
            _ if c.is_ascii_alphabetic() => {
                let node = nodes.last_mut().ok_or(ReadError::Sgf("a property before the first node"))?;
                let mut name = String::from(c);
                while let Some(c) = chars.next_if(char::is_ascii_alphabetic) {
                    name.push(c);
                }
                name.retain(|c| c.is_ascii_uppercase());
                let mut values = Vec::new();
                loop {
                    while chars.next_if(|c| c.is_whitespace()).is_some() {}
                    if chars.next_if_eq(&'[').is_none() {
                        break;
                    }
                    let mut value = String::new();
                    loop {
                        match chars.next().ok_or(ReadError::Sgf("it ends within a value"))? {
                            ']' => break,
                            '\\' => value.extend(chars.next()),
                            c => value.push(c),
                        }
                    }
                    values.push(value);
                }
                if values.is_empty() {
                    return Err(ReadError::Sgf("a property without a value"));
                }
                node.push((name, values));
            }
            _ => return Err(ReadError::Sgf("neither a node nor a property where one should be")),
        }
    }
    if nodes.is_empty() || !closed {
        return Err(ReadError::Sgf(if closed { "there is no node in it" } else { "it ends within a game" }));
    }
    Ok(nodes)
}

/// The points of a value: one, or a rectangle `aa:cc`.
fn points_of(board: Board, property: &str, value: &str) -> Result<u64, ReadError> {
    let wrong = || ReadError::Value {
        property: property.to_owned(),
        value: value.to_owned(),
        expected: "point of the board",
    };
    let point = |text: &str| match text.as_bytes() {
        [x @ b'a'..=b'z', y @ b'a'..=b'z'] => board.point(x - b'a', y - b'a').map(|_| (x - b'a', y - b'a')),
        _ => None,
    };
    let (first, last) = value.trim().split_once(':').unwrap_or((value.trim(), value.trim()));
    let ((x0, y0), (x1, y1)) = (point(first).ok_or_else(wrong)?, point(last).ok_or_else(wrong)?);
    if x0 > x1 || y0 > y1 {
        return Err(wrong());
    }
    Ok((y0..=y1).flat_map(|y| (x0..=x1).map(move |x| 1u64 << (8 * y + x))).sum())
}

fn board_of(root: &Node) -> Result<Board, ReadError> {
    let Some(size) = root.iter().find(|(name, _)| name == "SZ").and_then(|(_, values)| values.first()) else {
        return Ok(Board::new(19, 19)?);
    };
    let wrong = || ReadError::Value { property: "SZ".to_owned(), value: size.clone(), expected: "size of a board" };
    let number = |text: &str| text.trim().parse::<u8>().map_err(|_| wrong());
    let (width, height) = size.split_once(':').unwrap_or((size, size));
    Ok(Board::new(number(width)?, number(height)?)?)
}

/// Reads the position at the end of the main line of the first game. It remembers the moves that led to it.
///
/// # Errors
/// No SGF, a board larger than [`super::board::GREATEST`], illegal moves.
pub fn parse_sgf(text: &str, rules: Rules) -> Result<Position, ReadError> {
    let nodes = main_line(text)?;
    let board = board_of(&nodes[0])?;
    let mut position = Position::new(board, rules);
    let mut number = 0;
    for node in &nodes {
        let (mut stones, mut side) = (position.stones(), position.side());
        let mut setup = false;
        for (name, values) in node {
            let mut all = 0;
            if let "AB" | "AW" | "AE" = name.as_str() {
                for value in values {
                    all |= points_of(board, name, value)?;
                }
                setup = true;
                stones = (stones.0 & !all, stones.1 & !all);
            }
            match (name.as_str(), values[0].trim()) {
                ("AB", _) => stones.0 |= all,
                ("AW", _) => stones.1 |= all,
                ("PL", "B" | "b" | "W" | "w") => {
                    side = if values[0].trim().eq_ignore_ascii_case("b") { Side::First } else { Side::Second };
                    setup |= side != position.side();
                }
                ("PL", value) => {
                    let (property, value) = (name.clone(), value.to_owned());
                    return Err(ReadError::Value { property, value, expected: "colour" });
                }
                _ => (),
            }
        }
        if setup {
            position = Position::from_stones(board, rules, stones.0, stones.1, side)?;
        }
        for (name, values) in node.iter().filter(|(name, _)| name == "B" || name == "W") {
            number += 1;
            let side = if name == "B" { Side::First } else { Side::Second };
            if side != position.side() {
                let (black, white) = position.stones();
                position = Position::from_stones(board, rules, black, white, side)?;
            }
            let value = values[0].trim();
            // tt is the pass of older files, on boards that have no such point.
            let m = match value {
                "" | "tt" => Move::PASS,
                _ => match points_of(board, name, value)? {
                    point if point.is_power_of_two() => Move(point.trailing_zeros() as u8),
                    _ => {
                        let (property, value) = (name.clone(), value.to_owned());
                        return Err(ReadError::Value { property, value, expected: "point of the board" });
                    }
                },
            };
            if !position.is_legal(m) {
                return Err(ReadError::Illegal { number, name: position.name(m) });
            }
            position.play(m);
        }
    }
    Ok(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_read_and_written() {
        let rules = Rules::default();
        for line in
            [".X./O.O/... black", "X.. white", "./. black pass", ".XO./X.XO/.XO. white ko b2", "....... black"]
        {
            let position = parse_position(line, rules).unwrap();
            assert_eq!(to_line(&position), line);
            assert_eq!(parse_position(&position.to_string(), rules), Ok(position));
        }
        for (text, reason) in [
            ("", "there is no board in it"),
            ("black", "there is no board in it"),
            ("X.?", "row 1: `?` is no point of a board"),
            ("X../X.", "row 2 has 2 points, the first row has 3"),
            ("........", "there is no 8x1 board"),
            ("X.. green", "row 1: `g` is no point"),
            ("X.. black to lose", "`lose` after the board"),
            ("X.. ko a1", "the ko at a1 is on no empty point"),
            ("XO", "the stone on a1 has no liberty"),
        ] {
            let error = parse_position(text, rules).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn the_main_line_of_sgf_is_played() {
        let rules = Rules::default();
        let read = |text| parse_sgf(text, rules).map(|position| to_line(&position));
        assert_eq!(read("(;SZ[3];B[bb];W[aa](;B[])(;B[cc]))").unwrap(), "O../.X./... white pass");
        let set = "(;FF[4]GM[1]SZ[4:3]C[a \\] b]AB[aa:bb][dc]AW[ca]PL[W];W[cb])";
        assert_eq!(read(set).unwrap(), "XXO./XXO./...X black");
        for (text, reason) in [
            ("(;SZ[3];B[bb];W[bb])", "move 2, b2, is illegal"),
            ("(;SZ[9])", "no 9x9 board"),
            ("(;GM[1])", "no 19x19 board"),
            ("(;SZ[3]AB[dd])", "AB[dd] is no point of the board"),
            ("(;SZ[3]AB[bb:aa])", "AB[bb:aa] is no point"),
            ("(;SZ[3];B[aa:bb])", "B[aa:bb] is no point"),
            ("(;SZ[3]PL[x])", "PL[x] is no colour"),
            ("(;SZ[3]B[a", "it ends within a value"),
            ("(;SZ[3]", "it ends within a game"),
            ("(SZ[3])", "a property before the first node"),
            ("(;SZ)", "a property without a value"),
            ("(;SZ[-1])", "SZ[-1] is no size"),
            ("()", "there is no node"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
