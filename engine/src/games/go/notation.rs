//! Positions as text: boards of characters, and SGF files (FF\[4\], the main line only).
//!
//! A board is written by rows from the top, `X` black, `O` white, `.` empty, rows ended by `/` or the end of a line;
//! then, if it matters, `black` or `white` (to move), `ko` with a point, and `pass` if the other side has just
//! passed. What `Display` of a position writes can be read, too.

use super::board::GoBoard;
use super::large;
use super::position::{GoMove, GoPosition, GoStonesError};
use super::rules::GoRules;
use crate::core::game::{Game, Side};
use crate::games::rows::{Place, RowsError, parse_rows};
use crate::games::sgf::{Node, SgfError, board_of, is_sgf, main_line, main_line_place, points_of};
use crate::games::size::BoardSizeError;
use crate::notation::sgf::read::TextPlace;

/// A position that text is read into and written from, on a small board or a large one.
pub trait Goban: Game {
    /// The position with these stones, no two of them on one point; the empty board has none. Without a past.
    ///
    /// # Errors
    /// A size that no such board has, a chain without liberties.
    fn set_up(size: (u8, u8), rules: GoRules, stones: &[(Place, Side)], side: Side) -> Result<Self, GoReadError>;

    /// Columns and rows.
    fn columns_and_rows(&self) -> (u8, u8);

    /// The stone on a point of the board.
    fn stone(&self, place: Place) -> Option<Side>;

    /// The move to a point of the board, or the pass.
    fn move_to(&self, place: Option<Place>) -> Self::Move;

    /// The point of a move; nothing of a pass.
    fn place_of(&self, m: Self::Move) -> Option<Place>;

    /// Whether a move is legal.
    fn allows(&self, m: Self::Move) -> bool;

    /// Makes a ko forbid an empty point, if the rules know a ko, and says whether the other side has just passed.
    fn set_ko_and_pass(&mut self, ko: Option<Place>, passed: bool);

    /// The point that a ko forbids, and whether the other side has just passed.
    fn ko_and_pass(&self) -> (Option<Place>, bool);
}

impl Goban for GoPosition {
    fn set_up(
        (width, height): (u8, u8),
        rules: GoRules,
        stones: &[(Place, Side)],
        side: Side,
    ) -> Result<GoPosition, GoReadError> {
        let board = GoBoard::new(width, height)?;
        let of = |colour| {
            let own = stones.iter().filter(|stone| stone.1 == colour);
            own.filter_map(|&((x, y), _)| board.point(x, y)).fold(0, |set, point| set | 1u64 << point)
        };
        Ok(GoPosition::from_stones(board, rules, of(Side::First), of(Side::Second), side)?)
    }

    fn columns_and_rows(&self) -> (u8, u8) {
        (self.board().width(), self.board().height())
    }

    fn stone(&self, (x, y): Place) -> Option<Side> {
        let (black, white) = self.stones();
        let bit = 1u64 << self.board().point(x, y)?;
        if black & bit != 0 { Some(Side::First) } else { (white & bit != 0).then_some(Side::Second) }
    }

    fn place_of(&self, m: GoMove) -> Option<Place> {
        (m != GoMove::PASS).then_some((m.0 % 8, m.0 / 8))
    }

    fn move_to(&self, place: Option<Place>) -> GoMove {
        place.and_then(|(x, y)| self.board().point(x, y)).map_or(GoMove::PASS, GoMove)
    }

    fn allows(&self, m: GoMove) -> bool {
        self.is_legal(m)
    }

    fn set_ko_and_pass(&mut self, ko: Option<Place>, passed: bool) {
        if let Some(point) = ko.and_then(|(x, y)| self.board().point(x, y)) {
            self.set_ko(point);
        }
        self.set_passed(passed);
    }

    fn ko_and_pass(&self) -> (Option<Place>, bool) {
        (self.ko().map(|point| (point % 8, point / 8)), self.passes() > 0)
    }
}

impl Goban for large::position::LargePosition {
    fn set_up(
        (width, height): (u8, u8),
        rules: GoRules,
        stones: &[(Place, Side)],
        side: Side,
    ) -> Result<Self, GoReadError> {
        let size = large::points::LargeBoard::new(width, height)?;
        let point = |&((x, y), colour): &(Place, Side)| size.point(x, y).map(|point| (point, colour));
        let stones: Vec<(u16, Side)> = stones.iter().filter_map(point).collect();
        Ok(large::position::LargePosition::from_stones(size, rules, &stones, side)?)
    }

    fn columns_and_rows(&self) -> (u8, u8) {
        (self.size().width(), self.size().height())
    }

    fn stone(&self, (x, y): Place) -> Option<Side> {
        self.chains().colour(self.size().point(x, y)?)
    }

    fn place_of(&self, m: large::position::LargeMove) -> Option<Place> {
        (m != large::position::LargeMove::PASS).then(|| self.size().place(m.0))
    }

    fn move_to(&self, place: Option<Place>) -> large::position::LargeMove {
        let point = place.and_then(|(x, y)| self.size().point(x, y));
        point.map_or(large::position::LargeMove::PASS, large::position::LargeMove)
    }

    fn allows(&self, m: large::position::LargeMove) -> bool {
        self.is_legal(m)
    }

    fn set_ko_and_pass(&mut self, ko: Option<Place>, passed: bool) {
        if let Some(point) = ko.and_then(|(x, y)| self.size().point(x, y)) {
            self.set_ko(point);
        }
        self.set_passed(passed);
    }

    fn ko_and_pass(&self) -> (Option<Place>, bool) {
        (self.ko().map(|point| self.size().place(point)), self.passes() > 0)
    }
}

/// Columns and rows of a game in SGF that does not say it.
const USUAL_SGF: (u8, u8) = (19, 19);

/// The points of a board by rows from the upper left.
fn places((width, height): (u8, u8)) -> impl Iterator<Item = Place> {
    (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
}

/// The name of a point on a board with so many rows.
fn name((x, y): Place, height: u8) -> String {
    format!("{}{}", large::points::column(x), height.saturating_sub(y))
}

/// The stones of a position.
fn stones_of<P: Goban>(position: &P) -> Vec<(Place, Side)> {
    let places = places(position.columns_and_rows());
    places.filter_map(|place| Some((place, position.stone(place)?))).collect()
}

/// How many stones of black and white there are.
fn stone_counts<P: Goban>(position: &P) -> [u32; 2] {
    let mut counts = [0; 2];
    for side in places(position.columns_and_rows()).filter_map(|place| position.stone(place)) {
        counts[usize::from(side == Side::Second)] += 1;
    }
    counts
}

/// Text that is no position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GoReadError {
    /// Rows of points that are no board.
    #[error(transparent)]
    Rows(#[from] RowsError),
    /// A word after the board that means nothing.
    #[error("`{0}` after the board: expected black or white, ko with a point such as b3, or pass")]
    Word(String),
    /// A ko that cannot be.
    #[error("the ko at {0} is on no empty point of the board")]
    Ko(String),
    /// A size that no board has, small or large.
    #[error(transparent)]
    Board(#[from] BoardSizeError),
    /// Stones that cannot be.
    #[error(transparent)]
    Stones(#[from] GoStonesError),
    /// Stones that cannot be, on a large board.
    #[error(transparent)]
    LargeStones(#[from] large::position::LargeStonesError),
    /// Text that is no SGF, or has a value that its property does not take.
    #[error(transparent)]
    Sgf(#[from] SgfError),
    /// A move in SGF that the rules forbid.
    #[error("SGF: move {number}, {name}, is illegal under these rules")]
    Illegal {
        /// Number of the move, from 1.
        number: usize,
        /// Name of the point, such as `c3`.
        name: String,
    },
    /// A fault of a node of a text in SGF.
    #[error("{place}: {error}")]
    Node {
        /// Where the node begins.
        place: TextPlace,
        /// What is wrong with it.
        error: Box<GoReadError>,
    },
}

impl GoReadError {
    /// The same with the place of the node of this number, from 0, of the main line that a text has.
    pub fn of_node(self, text: &str, number: usize) -> GoReadError {
        match main_line_place(text, number) {
            Some(place) => GoReadError::Node { place, error: Box::new(self) },
            None => self,
        }
    }
}

/// Reads a position: SGF if it begins like it, else a board of characters.
///
/// # Errors
/// Text that is neither, or stones that cannot be.
pub fn parse_position<P: Goban>(text: &str, rules: GoRules) -> Result<P, GoReadError> {
    let (mut position, moves) = parse_game::<P>(text, rules)?;
    moves.into_iter().for_each(|m| {
        position.play(m);
    });
    Ok(position)
}

/// Reads the same as a position and the moves after it, of which a board of characters has none.
///
/// # Errors
/// As for [`parse_position`].
pub fn parse_game<P: Goban>(text: &str, rules: GoRules) -> Result<(P, Vec<P::Move>), GoReadError> {
    if is_sgf(text) {
        return parse_sgf(text, rules);
    }
    let (lower, end) = (text.to_ascii_lowercase(), board_end(text));
    let (size, stones) = parse_rows(&text[..end])?;
    let (mut side, mut ko, mut passed, mut in_ko) = (Side::First, None, false, false);
    for word in lower[end..].split(|c: char| c.is_whitespace() || ",;/".contains(c)) {
        match word {
            "at" if in_ko => continue,
            name if in_ko => ko = Some(name.to_owned()),
            "black" => side = Side::First,
            "white" => side = Side::Second,
            "pass" => passed = true,
            "ko" | "" | "(x)" | "(o)" | "to" | "move" | "after" | "a" => (),
            other => return Err(GoReadError::Word(other.to_owned())),
        }
        in_ko = word == "ko";
    }
    let mut position = P::set_up(size, rules, &stones, side)?;
    let ko = match ko {
        Some(given) => {
            let is_empty = |place: &Place| position.stone(*place).is_none() && name(*place, size.1) == given;
            Some(places(size).find(is_empty).ok_or(GoReadError::Ko(given))?)
        }
        None => None,
    };
    position.set_ko_and_pass(ko, passed);
    Ok((position, Vec::new()))
}

/// Columns and rows of the board that a text is about, as [`parse_position`] reads it.
///
/// # Errors
/// Text that has no board.
pub fn size_of(text: &str) -> Result<(u8, u8), GoReadError> {
    if is_sgf(text) {
        let size = board_of(&main_line(text)?[0], USUAL_SGF);
        return size.map_err(|error| GoReadError::from(error).of_node(text, 0));
    }
    Ok(parse_rows(&text[..board_end(text)])?.0)
}

/// Where the words after a board begin.
fn board_end(text: &str) -> usize {
    let lower = text.to_ascii_lowercase();
    let words = ["black", "white", "ko", "pass", "after"];
    words.iter().filter_map(|word| lower.find(word)).min().unwrap_or(text.len())
}

/// The position as one line that [`parse_position`] reads.
pub fn to_line<P: Goban>(position: &P) -> String {
    let (width, height) = position.columns_and_rows();
    let mut text = String::new();
    for place in places((width, height)) {
        if place.0 == 0 && place.1 > 0 {
            text.push('/');
        }
        text.push(match position.stone(place) {
            None => '.',
            Some(Side::First) => 'X',
            Some(Side::Second) => 'O',
        });
    }
    text.push_str(if position.side() == Side::First { " black" } else { " white" });
    let (ko, passed) = position.ko_and_pass();
    if let Some(place) = ko {
        text.push_str(&format!(" ko {}", name(place, height)));
    }
    if passed {
        text.push_str(" pass");
    }
    text
}

/// A game in SGF that is followed node by node.
#[derive(Debug, Clone)]
pub struct GoReplay<P: Goban> {
    size: (u8, u8),
    rules: GoRules,
    position: P,
    start: P,
    moves: Vec<P::Move>,
    number: usize,
    captured: [u32; 2],
}

impl<P: Goban> GoReplay<P> {
    /// The empty board that the first node of a game says, or the usual one; the node is not followed yet.
    ///
    /// # Errors
    /// A size that no such board has.
    pub fn new(first: &Node, rules: GoRules) -> Result<GoReplay<P>, GoReadError> {
        let size = board_of(first, USUAL_SGF)?;
        let position = P::set_up(size, rules, &[], Side::First)?;
        let start = position.clone();
        Ok(GoReplay { size, rules, start, position, moves: Vec::new(), number: 0, captured: [0; 2] })
    }

    /// The position after the nodes so far.
    pub fn position(&self) -> &P {
        &self.position
    }

    /// How many moves were made, passes among them.
    pub fn move_count(&self) -> usize {
        self.number
    }

    /// Stones that black and white have captured by the moves so far; own stones taken away are the other side's.
    pub fn captured(&self) -> [u32; 2] {
        self.captured
    }

    /// Follows a node: sets up what it says, then makes its moves.
    ///
    /// # Errors
    /// Values that mean nothing, stones that cannot be, illegal moves. The position is then the last one before.
    pub fn follow(&mut self, node: &Node) -> Result<(), GoReadError> {
        let (size, rules) = (self.size, self.rules);
        let (mut stones, mut side) = (stones_of(&self.position), self.position.side());
        let mut setup = false;
        for (name, values) in node {
            if let "AB" | "AW" | "AE" = name.as_str() {
                for value in values {
                    let places = points_of(size, name, value)?;
                    stones.retain(|(place, _)| !places.contains(place));
                    let colour = if name == "AB" { Side::First } else { Side::Second };
                    if name != "AE" {
                        stones.extend(places.into_iter().map(|place| (place, colour)));
                    }
                }
                setup = true;
            }
            match (name.as_str(), values[0].trim()) {
                ("PL", "B" | "b" | "W" | "w") => {
                    side = if values[0].trim().eq_ignore_ascii_case("b") { Side::First } else { Side::Second };
                    setup |= side != self.position.side();
                }
                ("PL", value) => {
                    return Err(SgfError::value(name, value, "colour").into());
                }
                _ => (),
            }
        }
        if setup {
            self.begin_at(P::set_up(size, rules, &stones, side)?);
        }
        for (name, values) in node.iter().filter(|(name, _)| name == "B" || name == "W") {
            self.number += 1;
            let side = if name == "B" { Side::First } else { Side::Second };
            // Records go on after the game is over, too.
            if side != self.position.side() || !self.position.allows(self.position.move_to(None)) {
                self.begin_at(P::set_up(size, rules, &stones_of(&self.position), side)?);
            }
            let value = values[0].trim();
            // tt is the pass of older files, on boards that have no such point.
            let place = match value {
                "" | "tt" => None,
                _ => match points_of(size, name, value)?[..] {
                    [place] => Some(place),
                    _ => return Err(SgfError::value(name, value, "point of the board").into()),
                },
            };
            let m = self.position.move_to(place);
            if !self.position.allows(m) {
                return Err(GoReadError::Illegal { number: self.number, name: self.position.name(m) });
            }
            let mut before = stone_counts(&self.position);
            before[usize::from(side == Side::Second)] += u32::from(self.position.place_of(m).is_some());
            self.position.play(m);
            self.moves.push(m);
            let after = stone_counts(&self.position);
            // Black has captured the white stones that are gone.
            for (captured, other) in self.captured.iter_mut().zip([1, 0]) {
                *captured += before[other].saturating_sub(after[other]);
            }
        }
        Ok(())
    }

    fn begin_at(&mut self, position: P) {
        (self.start, self.position, self.moves) = (position.clone(), position, Vec::new());
    }
}

/// Reads the main line of the first game: the position that was set up last, and the moves from there to its end.
///
/// # Errors
/// No SGF, a board of another size than there is, illegal moves.
pub fn parse_sgf<P: Goban>(text: &str, rules: GoRules) -> Result<(P, Vec<P::Move>), GoReadError> {
    let nodes = main_line(text)?;
    let mut replay = GoReplay::new(&nodes[0], rules).map_err(|error: GoReadError| error.of_node(text, 0))?;
    for (number, node) in nodes.iter().enumerate() {
        replay.follow(node).map_err(|error| error.of_node(text, number))?;
    }
    Ok((replay.start, replay.moves))
}

/// A game as SGF that [`parse_sgf`] reads: a position, and the moves that were played from it. Without moves it is
/// one line as [`to_line`] writes it, since SGF has no word for a ko.
pub fn to_sgf<P: Goban>(start: &P, moves: &[P::Move], more: &str) -> String {
    if moves.is_empty() {
        return to_line(start);
    }
    let (width, height) = start.columns_and_rows();
    let size = if width == height { width.to_string() } else { format!("{width}:{height}") };
    let mut text = format!("(;FF[4]GM[1]SZ[{size}]{more}");
    for (name, colour) in [("AB", Side::First), ("AW", Side::Second)] {
        let own: Vec<Place> = stones_of(start).into_iter().filter(|stone| stone.1 == colour).map(|s| s.0).collect();
        if !own.is_empty() {
            text += name;
        }
        own.into_iter().for_each(|place| text += &format!("[{}]", sgf_point(place)));
    }
    let letter = |side: Side| if side == Side::First { "B" } else { "W" };
    let mut side = start.side();
    if start.ko_and_pass().1 {
        text += &format!("PL[{0}];{0}[]", letter(side.other()));
    } else {
        text += &format!("PL[{}]", letter(side));
    }
    for &m in moves {
        let point = start.place_of(m).map_or(String::new(), sgf_point);
        text += &format!(";{}[{point}]", letter(side));
        side = side.other();
    }
    text + ")"
}

/// A point as SGF has it.
fn sgf_point((x, y): Place) -> String {
    [x, y].map(|n| char::from(b'a' + n.min(25))).iter().collect()
}

/// Rows of points as a small board with its black and white stones.
#[cfg(test)]
pub fn small_rows(text: &str) -> (GoBoard, u64, u64) {
    let (size, stones) = parse_rows(text).unwrap();
    let board = GoBoard::new(size.0, size.1).unwrap();
    let of = |colour| {
        let own = stones.iter().filter(|stone| stone.1 == colour);
        own.fold(0, |set, &((x, y), _)| set | 1u64 << board.point(x, y).unwrap())
    };
    (board, of(Side::First), of(Side::Second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_read_and_written() {
        let rules = GoRules::default();
        for line in
            [".X./O.O/... black", "X.. white", "./. black pass", ".XO./X.XO/.XO. white ko b2", "....... black"]
        {
            let position: GoPosition = parse_position(line, rules).unwrap();
            assert_eq!(to_line(&position), line);
            assert_eq!(parse_position(&position.to_string(), rules), Ok(position));
        }
        for (text, reason) in [
            ("", "there is no board in it"),
            ("black", "there is no board in it"),
            ("X.?", "row 1: `?` is not a point of a board"),
            ("X../X.", "row 2 has 2 points, the first row has 3"),
            ("........", "no 8x1 board"),
            ("X.. green", "row 1: `g` is not a point"),
            ("X.. black to lose", "`lose` after the board"),
            ("X.. ko a1", "the ko at a1 is on no empty point"),
            ("XO", "the stone on a1 has no liberty"),
        ] {
            let error = parse_position::<GoPosition>(text, rules).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn the_main_line_of_sgf_is_played() {
        let rules = GoRules::default();
        let read = |text| parse_position::<GoPosition>(text, rules).map(|position| to_line(&position));
        assert_eq!(read("(;SZ[3];B[bb];W[aa](;B[])(;B[cc]))").unwrap(), "O../.X./... white pass");
        // As the versions before read them: jobs are stored with their texts.
        for text in [
            "(;SZ[3]AB[aa]AB[cc];W[bb])",
            "(;SZ[3]AB[aa][cc];W[bb]) and words (;",
            "(;SZ[3]AB[aa][cc];W[bb](;)(;B[ab]",
            "(;SiZe[3]AddBlack[aa][cc]b[ab];W[bb])",
        ] {
            assert_eq!(read(text).unwrap(), "X../.O./..X black", "{text}");
        }
        let set = "(;FF[4]GM[1]SZ[4:3]C[a \\] b]AB[aa:bb][dc]AW[ca]PL[W];W[cb])";
        assert_eq!(read(set).unwrap(), "XXO./XXO./...X black");
        for (text, reason) in [
            ("(;SZ[3]\n;B[bb];W[bb])", "line 2, column 7: SGF: move 2, b2, is illegal"),
            ("(;SZ[9])", "line 1, column 2: there is no 9x9 board"),
            ("(;SZ[900])", "line 1, column 2: SGF: SZ[900] is not a valid size"),
            ("(;GM[1])", "no 19x19 board"),
            ("(;SZ[3]AB[dd])", "AB[dd] is not a valid point of the board"),
            ("(;SZ[3]AB[bb:aa])", "AB[bb:aa] is not a valid point"),
            ("(;SZ[3];B[aa:bb])", "B[aa:bb] is not a valid point"),
            ("(;SZ[3]PL[x])", "PL[x] is not a valid colour"),
            ("(;SZ[3]B[a", "line 1, column 9: the value that begins here has no end"),
            ("(;SZ[3]", "line 1, column 8: the text ends within 1 variations"),
            ("(SZ[3])", "SZ is before the first node"),
            ("(;SZ)", "SZ has no value"),
            ("(;SZ[-1])", "SZ[-1] is not a valid size"),
            ("()", "there is no game in it"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
    #[test]
    fn large_boards_are_read_and_written() {
        let rules = GoRules::default();
        type Large = large::position::LargePosition;
        let board = format!(
            "   a b c d e f g h j\n 9 . . . . . . . . .\n{}",
            (1..=8).rev().map(|row| format!(" {row} . . X O . . . o x\n")).collect::<String>()
        );
        let position: Large = parse_position(&(board + "white to move, ko at a1"), rules).unwrap();
        let line = to_line(&position);
        assert!(line.starts_with("........./..XO...OX/") && line.ends_with("..XO...OX white ko a1"), "{line}");
        assert_eq!(
            parse_position::<Large>(&position.to_string(), rules).map(|read| to_line(&read)),
            Ok(line.clone())
        );
        assert_eq!(size_of(&line), Ok((9, 9)));

        // A ladder stone on the 4-4 point, handicap, a pass of older files, and a capture.
        let sgf = "(;GM[1]SZ[19]HA[2]AB[dp][pd];W[qq];B[tt];W[aa];B[ab];W[ss];B[ba])";
        let position: Large = parse_position(sgf, rules).unwrap();
        assert_eq!(size_of(sgf), Ok((19, 19)));
        let shown = position.to_string();
        assert!(shown.starts_with("    a b c d e f g h j k l m n o p q r s t\n 19 . X . "), "{shown}");
        assert!(shown.contains("\n  4 . . . X . ") && shown.ends_with("white (O) to move"), "{shown}");
        assert_eq!(parse_position::<Large>(&shown, rules).map(|read| to_line(&read)), Ok(to_line(&position)));
        for (text, reason) in [
            ("(;SZ[20])", "no 20x20 board for go here: width and height are 1 to 19"),
            ("(;SZ[9];B[jj])", "B[jj] is not a valid point of the board"),
            ("(;SZ[9]AB[aa]AW[ab][ba])", "the stone on a9 has no liberty"),
            ("(;SZ[9];B[aa];W[aa])", "move 2, a9, is illegal"),
            ("X.. ko i1", "the ko at i1"),
        ] {
            let error = parse_position::<Large>(text, rules).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
        let long = ".".repeat(300);
        assert!(parse_position::<Large>(&long, rules).unwrap_err().to_string().contains("no 255x1 board"));
    }
}
