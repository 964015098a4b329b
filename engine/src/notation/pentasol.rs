//! Pentasol text: the format of the record registry.
//!
//! First the reference point, the coordinates of the inner north-west corner of the cross (usually `(28,28)`, which
//! is also where this program's playing area has it), then one move per line: `(x,y) D k` with the new point, the
//! direction `-`, `|`, `\` or `/`, and the signed number of steps from the new point to the middle of its line. For
//! lines of 4 there is no convention; the third point counts as the middle here, and MSR is the better choice. `#`
//! lines are comments. This program writes the variant and the provenance as comments `# key value`, and reads them
//! back. Pentasol knows no other start than the cross; here a text may have, in place of the reference point, a line
//! `start (x,y)` and the picture of the start in rows of `o` and `.`, whose first character stands at (x,y). No other
//! program takes such a text for a grid from the cross. A file may end with a line of seconds and a line of
//! iterations, as the output of a search does.

use super::grid::{Grid, LONGEST_TEXTS, MOST_MOVES, Provenance, TEXT_COSTS};
use super::replay::{Dialect, WrittenMove};
use crate::morpion::geometry::{Direction, INNER_CORNER};
use crate::morpion::start::{LARGEST_BOX, MOST_POINTS};
use crate::morpion::variant::Variant;
use std::fmt::Write;

/// Coordinates beyond this are taken for damage.
const LARGEST: i32 = 1_000_000;

/// A text that is not Pentasol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: '{text}': {reason}")]
pub struct SyntaxError {
    /// Line, from 1.
    pub line: usize,
    /// The line, shortened.
    pub text: String,
    /// What is wrong with it, and what would be right.
    pub reason: &'static str,
}

/// A file taken apart, not yet replayed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParsedPentasol {
    /// The reference point, if the file has one.
    pub reference: Option<(i32, i32)>,
    /// Another start than the cross, if the file draws one.
    pub start: Option<DrawnStart>,
    /// The moves in order, as the file writes them.
    pub moves: Vec<WrittenMove>,
    /// The variant that a comment names.
    pub variant: Option<Variant>,
    /// The score that a comment names.
    pub score: Option<u64>,
    /// Everything else that comments and trailing numbers say.
    pub provenance: Provenance,
}

/// The points of a start, in the coordinates of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnStart {
    /// The line that names its place, from 1.
    pub line: usize,
    /// Where the first character of the picture stands.
    place: (i32, i32),
    /// Rows so far.
    rows: i32,
    /// The points, by rows.
    pub points: Vec<(i32, i32)>,
}

impl DrawnStart {
    /// Adds a row of `o` and `.`.
    fn draw(&mut self, row: &str) -> Result<(), &'static str> {
        if self.rows > LARGEST_BOX || row.len() as i32 > LARGEST_BOX || self.points.len() > MOST_POINTS {
            return Err(
                "the picture of the start is too large: 30 rows of 30 characters and 100 points are supported",
            );
        }
        let (x, y) = self.place;
        let set = row.bytes().enumerate().filter(|&(_, c)| c == b'o');
        self.points.extend(set.map(|(at, _)| (x + at as i32, y + self.rows)));
        self.rows += 1;
        Ok(())
    }
}

/// Takes a text apart. Blanks, blank lines, comments, CRLF, a byte order mark, `+2` for `2`, a leading move number
/// (`12.`) and a missing reference point are all right.
///
/// # Errors
/// The first line that is none of reference point, move, comment and number.
pub fn parse(text: &str) -> Result<ParsedPentasol, SyntaxError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let separator = if text.contains('\n') { '\n' } else { '\r' };
    let mut parsed = ParsedPentasol::default();
    let (mut numbers, mut texts) = (0, 0);
    for (i, raw) in text.split(separator).enumerate() {
        let line = raw.trim();
        let fail = |reason| SyntaxError { line: i + 1, text: shown(line), reason };
        match item(line).map_err(fail)? {
            LineItem::Blank => {}
            LineItem::Comment(comment) => {
                texts += comment.len() + TEXT_COSTS;
                // What is left of them without keys and escapes is checked when all is read.
                if texts > 4 * LONGEST_TEXTS {
                    return Err(fail("the comments up to this line are longer than 128 KiB together"));
                }
                parsed.comment(comment);
            }
            LineItem::Number if parsed.moves.is_empty() => {}
            LineItem::Number => {
                numbers += 1;
                match numbers {
                    1 => parsed.provenance.seconds = parsed.provenance.seconds.or(seconds(line)),
                    2 => parsed.provenance.iterations = parsed.provenance.iterations.or(count(line)),
                    _ => {}
                }
            }
            LineItem::Point(_) if !parsed.moves.is_empty() => {
                return Err(fail("a reference point is expected before the moves only; does a direction lack?"));
            }
            LineItem::Point(_) if parsed.start.is_some() => {
                return Err(fail("a reference point beside a start; does a direction lack?"));
            }
            LineItem::Point(_) if parsed.reference.is_some() => {
                return Err(fail("a second reference point; does a direction lack?"));
            }
            LineItem::Point(point) => parsed.reference = Some(point),
            LineItem::Start(_)
                if parsed.reference.is_some() || parsed.start.is_some() || !parsed.moves.is_empty() =>
            {
                return Err(fail("the start is expected before the moves, once, and in place of a reference point"));
            }
            LineItem::Start(place) => {
                parsed.start = Some(DrawnStart { line: i + 1, place, rows: 0, points: Vec::new() });
            }
            LineItem::Row(row) => match &mut parsed.start {
                Some(start) if parsed.moves.is_empty() => start.draw(row).map_err(fail)?,
                _ => return Err(fail("a row of a start is expected after a line such as 'start (25,25)' only")),
            },
            LineItem::Move(..) if parsed.moves.len() == MOST_MOVES => {
                return Err(fail("there are 1000 moves before this one, more than any game has"));
            }
            LineItem::Move((x, y), direction, offset) => {
                let text = format!("({x},{y}) {} {offset}", direction.symbol());
                parsed.moves.push(WrittenMove { x, y, direction, offset, line: Some(i + 1), text });
            }
        }
    }
    Ok(parsed)
}

/// The start of a line, fit for a message.
pub(super) fn shown(line: &str) -> String {
    const LENGTH: usize = 60;
    let mut text: String = line.chars().take(LENGTH).flat_map(char::escape_debug).collect();
    if line.chars().nth(LENGTH).is_some() {
        text.push_str("...");
    }
    text
}

enum LineItem<'a> {
    Blank,
    Comment(&'a str),
    Number,
    Point((i32, i32)),
    Start((i32, i32)),
    Row(&'a str),
    Move((i32, i32), Direction, i32),
}

fn item(line: &str) -> Result<LineItem<'_>, &'static str> {
    if line.is_empty() {
        return Ok(LineItem::Blank);
    }
    if let Some(comment) = line.strip_prefix('#') {
        return Ok(LineItem::Comment(comment.trim()));
    }
    if seconds(line).is_some() {
        return Ok(LineItem::Number);
    }
    if line.bytes().all(|c| c == b'o' || c == b'.') {
        return Ok(LineItem::Row(line));
    }
    if let Some(place) = line.strip_prefix("start") {
        let mut rest = Cursor(place);
        let place = rest.point().filter(|_| rest.at_end());
        return place.map(LineItem::Start).ok_or("the place of the start is expected, such as 'start (25,25)'");
    }
    let mut rest = Cursor(line);
    // A move number, as in `12. (31,29) | -2`.
    rest.0 = rest.0.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.0.len() < line.len() {
        rest.0 = rest.0.strip_prefix(['.', ':', ')']).unwrap_or(rest.0);
    }
    const SHAPE: &str = "a move such as '(31,29) | -2' is expected";
    let point = rest.point().ok_or(SHAPE)?;
    if rest.at_end() {
        return Ok(LineItem::Point(point));
    }
    let direction = rest.direction().ok_or("one of - | \\ / is expected after the point")?;
    let offset = rest.number().ok_or("a number is expected after the direction")?;
    if !rest.at_end() {
        return Err("nothing but a comment is expected after the move");
    }
    Ok(LineItem::Move(point, direction, offset))
}

/// What is left of a line.
struct Cursor<'a>(&'a str);

impl Cursor<'_> {
    fn take(&mut self, symbol: char) -> Option<()> {
        self.0 = self.0.trim_start().strip_prefix(symbol)?;
        Some(())
    }

    /// A whole number with or without sign, a blank after the sign allowed.
    fn number(&mut self) -> Option<i32> {
        let text = self.0.trim_start();
        let (negative, text) = match text.strip_prefix(['-', '\u{2212}', '\u{2013}']) {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let text = text.trim_start();
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let value: i32 = text[..end].parse().ok().filter(|&v| v <= LARGEST)?;
        self.0 = &text[end..];
        Some(if negative { -value } else { value })
    }

    fn point(&mut self) -> Option<(i32, i32)> {
        self.take('(')?;
        let x = self.number()?;
        self.take(',')?;
        let y = self.number()?;
        self.take(')')?;
        Some((x, y))
    }

    fn direction(&mut self) -> Option<Direction> {
        let text = self.0.trim_start();
        let symbol = text.chars().next()?;
        self.0 = &text[symbol.len_utf8()..];
        match symbol {
            '-' | '\u{2212}' | '\u{2013}' => Some(Direction::Horizontal),
            other => Direction::ALL.into_iter().find(|d| d.symbol() == other),
        }
    }

    fn at_end(&self) -> bool {
        let rest = self.0.trim_start();
        rest.is_empty() || rest.starts_with('#')
    }
}

/// A line that is a finite number that is not negative.
fn seconds(line: &str) -> Option<f64> {
    let digits = line.starts_with(|c: char| c.is_ascii_digit());
    line.parse().ok().filter(|v: &f64| digits && v.is_finite() && *v >= 0.0)
}

/// A line that is a count; written as a float it is rounded down.
fn count(line: &str) -> Option<u64> {
    line.parse().ok().or_else(|| seconds(line).filter(|&v| v < 1.8e19).map(|v| v as u64))
}

impl ParsedPentasol {
    fn comment(&mut self, comment: &str) {
        if comment.is_empty() {
            return;
        }
        if self.field(comment).is_none() {
            let note = comment.strip_prefix("note ").map_or(comment, str::trim);
            self.provenance.notes.push(unescape(note));
        }
    }

    /// Takes `key value` or `key: value` into its field; `None` if it is not of a known key, or not of its type.
    fn field(&mut self, comment: &str) -> Option<()> {
        let (key, value) = comment.split_once([' ', ':', '\t'])?;
        let value = value.trim().strip_prefix(':').unwrap_or(value).trim();
        let p = &mut self.provenance;
        let text = (!value.is_empty()).then(|| unescape(value));
        match key.to_ascii_lowercase().as_str() {
            "variant" => self.variant = Some(value.parse().ok()?),
            "score" => self.score = Some(value.parse().ok()?),
            "author" => p.author = Some(text?),
            "source" => p.source = Some(text?),
            "description" => p.description = Some(text?),
            "transcribed-by" => p.transcribed_by = Some(text?),
            "producer" => p.producer = Some(text?),
            "saved-at" => p.saved_at = Some(text?),
            "tool" => p.tool = Some(text?),
            "method" => p.method = Some(text?),
            "seed" => p.seed = Some(value.parse().ok()?),
            "iterations" => p.iterations = Some(value.parse().ok()?),
            "seconds" => p.seconds = Some(seconds(value)?),
            "tag" => p.tags.push(text?),
            _ => return None,
        }
        Some(())
    }
}

/// Where the seconds and iterations of the search go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Effort {
    /// Into comments, `# seconds 12.5`.
    #[default]
    Comments,
    /// Into two bare lines at the end, as the thesis's program writes its results.
    Trailer,
}

/// The grid as text, with the reference point (28,28), or its start if that is not the cross, and its variant and
/// provenance as comments before it.
///
/// ```
/// use morpion_engine::morpion::{geometry::{Direction, Move, Point}, variant::Variant};
/// use morpion_engine::notation::{grid::Grid, pentasol};
/// let point = Point::new(31, 29).unwrap();
/// let grid = Grid::new(Variant::T5, vec![Move::new(Variant::T5, point, Direction::Vertical, 4).unwrap()]);
/// let text = pentasol::write(&grid, pentasol::Effort::Comments);
/// assert_eq!(text, "# variant 5T\n# score 1\n(28,28)\n(31,29) | -2\n");
/// ```
pub fn write(grid: &Grid, effort: Effort) -> String {
    let p = &grid.provenance;
    let mut text = String::new();
    let mut comment = |key: &str, value: &dyn std::fmt::Display| {
        let value = escape(&value.to_string());
        if !value.is_empty() {
            writeln!(text, "# {key} {value}").expect("writing to a string");
        }
    };
    comment("variant", &grid.variant);
    comment("score", &grid.score());
    for (key, value) in [
        ("author", &p.author),
        ("source", &p.source),
        ("description", &p.description),
        ("transcribed-by", &p.transcribed_by),
        ("producer", &p.producer),
        ("saved-at", &p.saved_at),
        ("tool", &p.tool),
        ("method", &p.method),
    ] {
        comment(key, &value.as_deref().unwrap_or(""));
    }
    if let Some(seed) = p.seed {
        comment("seed", &seed);
    }
    let seconds = p.seconds.filter(|s| s.is_finite() && *s >= 0.0);
    // The trailer is two lines or none: seconds alone could not be told from iterations alone.
    let trailer = if effort == Effort::Trailer { seconds.zip(p.iterations) } else { None };
    if trailer.is_none() {
        if let Some(iterations) = p.iterations {
            comment("iterations", &iterations);
        }
        if let Some(seconds) = seconds {
            comment("seconds", &seconds);
        }
    }
    p.tags.iter().for_each(|tag| comment("tag", tag));
    p.notes.iter().for_each(|note| comment("note", note));
    if grid.start.is_cross() {
        writeln!(text, "({INNER_CORNER},{INNER_CORNER})").expect("writing to a string");
    } else {
        let corner = grid.start.corner(grid.variant);
        writeln!(text, "start ({},{})", corner.x(), corner.y()).expect("writing to a string");
        grid.start.rows().iter().for_each(|row| writeln!(text, "{row}").expect("writing to a string"));
    }
    for mv in &grid.moves {
        let (point, direction) = (mv.point(), mv.direction());
        let offset = Dialect::Pentasol.offset(grid.variant, mv.index() as i32);
        writeln!(text, "({},{}) {} {offset}", point.x(), point.y(), direction.symbol()).expect("writing to a string");
    }
    if let Some((seconds, iterations)) = trailer {
        write!(text, "{seconds}\n{iterations}\n").expect("writing to a string");
    }
    text
}

/// One line that [`unescape`] turns back: control characters, backslashes and outer blanks are written as `\u{..}`.
fn escape(value: &str) -> String {
    let inner = value.trim();
    let start = value.len() - value.trim_start().len();
    let mut text = String::new();
    for (i, c) in value.char_indices() {
        // A colon in front would be taken for the one of `key: value`.
        let outer = i < start || i >= start + inner.len() || (i == 0 && c == ':');
        if c == '\\' || c.is_control() || outer || c == '\u{feff}' {
            text.extend(c.escape_unicode());
        } else {
            text.push(c);
        }
    }
    text
}

/// The inverse of [`escape`]; what is no escape stays as it is.
fn unescape(value: &str) -> String {
    let mut text = String::new();
    let mut rest = value;
    while let Some(at) = rest.find("\\u{") {
        text.push_str(&rest[..at]);
        let body = &rest[at + 3..];
        let decoded = body.find('}').and_then(|end| {
            let c = char::from_u32(u32::from_str_radix(&body[..end], 16).ok()?)?;
            Some((c, &body[end + 1..]))
        });
        match decoded {
            Some((c, after)) => {
                text.push(c);
                rest = after;
            }
            None => {
                text.push_str("\\u{");
                rest = body;
            }
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerant_reader() {
        let text = "\u{feff}# Author: A. Person\r\n\r\n ( 28 , 28 )\r\n(31,29)|-2\r\n2. (31,30) | + 1 # why\r\n\
                    (27,27)/0\r\n(35,28) - -2\r\n12.5\r\n103045\r\n7\r\n# hello world\r\n";
        let parsed = parse(text).unwrap();
        assert_eq!(parsed.reference, Some((28, 28)));
        let moves: Vec<&str> = parsed.moves.iter().map(|m| m.text.as_str()).collect();
        assert_eq!(moves, ["(31,29) | -2", "(31,30) | 1", "(27,27) / 0", "(35,28) - -2"]);
        assert_eq!(parsed.moves[1].line, Some(5));
        let p = &parsed.provenance;
        assert_eq!((p.seconds, p.iterations), (Some(12.5), Some(103045)));
        assert_eq!((p.author.as_deref(), p.notes.as_slice()), (Some("A. Person"), &["hello world".to_owned()][..]));
        assert_eq!(parse("(28,28)\r(31,29) | -2\r").unwrap().moves.len(), 1);
        assert_eq!(parse("(28,28)\n(31,29) | \u{2212}2").unwrap().moves[0].offset, -2);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, line, word) in [
            ("(28,28)\n(31,29)\n", 2, "second reference"),
            ("(31,29) | -2\n(28,28)\n", 2, "before the moves"),
            ("(28,28)\n\n(31,29) x 2", 3, "one of - | \\ /"),
            ("(28,28)\n(31,29) |", 2, "a number"),
            ("(28,28)\n(31,29) | 2 2", 2, "nothing but"),
            ("(28,28)\n(31;29) | 2", 2, "a move such as"),
            ("(28,28)\n(99999999999,29) | 2", 2, "a move such as"),
            ("hello", 1, "a move such as"),
            ("(28,28)\nNaN", 2, "a move such as"),
            ("(28,28)\n-5", 2, "a move such as"),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.line, line, "{text:?}");
            assert!(error.reason.contains(word), "{text:?}: {error}");
        }
        let long = parse(&"\u{1b}[31mx".repeat(100)).unwrap_err().to_string();
        assert!(long.len() < 400 && !long.contains('\u{1b}'), "{long}");
    }

    #[test]
    fn comments_keep_any_text() {
        for text in
            ["a", " a b ", "x\ny", "back\\slash \\u{41}", "# hash", "\u{feff}", "tab\tx", "\u{a0}x\u{a0}", ": a"]
        {
            assert_eq!(unescape(&escape(text)), text);
            assert_eq!(escape(text).trim(), escape(text));
            assert!(!escape(text).contains('\n'));
        }
        assert_eq!(unescape("\\u{zz} \\u{110000} \\u{"), "\\u{zz} \\u{110000} \\u{");
    }
}
