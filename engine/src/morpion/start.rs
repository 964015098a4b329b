//! The points that a game begins with: the cross of the variant, or another set of points.
//!
//! Another start is drawn as rows with one character per point: `o` where a point is set, `.` where none is. It
//! stands with its box in the middle of the playing area. So the same picture is the same start wherever it was
//! drawn, and the symmetries of a start are those about the middle of its box.
//!
//! The proved bounds on the length of a game hold for the cross. From other starts a game can be longer, with lines
//! of 4 perhaps without end, so every search ends such a game when as many points are set as its memory has room for
//! ([`MOST_SET`]).

use super::board::Board;
use super::geometry::{Move, Point, SIDE, cross};
use super::position::{IllegalMove, Position};
use super::symmetry::{Centre, GridSymmetry, Symmetry};
use super::variant::{Rules, Variant};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Most points of a start.
pub const MOST_POINTS: usize = 100;

/// Most columns and rows of the box around a start: it stands at least 15 points from the edge of the area.
pub const LARGEST_BOX: i32 = 30;

/// Points at which searches end a game from another start than the cross.
pub const MOST_SET: usize = 488;

/// What a game begins with. The default is the cross of the variant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Start(Option<Arc<[Point]>>);

/// Why points are no start, or a text draws none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// There is no point.
    #[error("it has no points: a start is drawn as rows of o (a point) and . (none)")]
    Empty,
    /// A word that is the name of no start.
    #[error("there is no start '{0}': expected cross, cross-2 to cross-7, ring-3 to ring-20, or a picture")]
    UnknownName(String),
    /// A character that stands for nothing.
    #[error("line {line}, column {column}: {found:?} is not a point: o is one, and . or a blank is none")]
    Character {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What stands there.
        found: char,
    },
    /// More than [`MOST_POINTS`].
    #[error("it has more than {MOST_POINTS} points")]
    TooManyPoints,
    /// Larger than [`LARGEST_BOX`].
    #[error("it takes {columns} columns and {rows} rows; at most {LARGEST_BOX} of each are supported")]
    TooLarge {
        /// Columns of its box.
        columns: i64,
        /// Rows of its box.
        rows: i64,
    },
}

/// Where the box begins that has so many columns (or rows) and stands in the middle of the area.
const fn first_of(count: i32) -> i32 {
    (SIDE - count) / 2
}

impl Start {
    /// The cross of the variant.
    pub const CROSS: Start = Start(None);

    /// The points at these columns and rows, wherever they are, moved to the middle of the area.
    ///
    /// # Errors
    /// If there is no point, or there are too many or too far apart.
    pub fn of_points(points: impl IntoIterator<Item = (i32, i32)>) -> Result<Start, StartError> {
        let mut points: Vec<(i32, i32)> = points.into_iter().take(MOST_POINTS * MOST_POINTS).collect();
        points.sort_unstable_by_key(|&(x, y)| (y, x));
        points.dedup();
        let ends = |of: &dyn Fn(&(i32, i32)) -> i32| (points.iter().map(of).min(), points.iter().map(of).max());
        let ((Some(left), Some(right)), (Some(top), Some(bottom))) = (ends(&|point| point.0), ends(&|point| point.1))
        else {
            return Err(StartError::Empty);
        };
        let (columns, rows) = (i64::from(right) - i64::from(left) + 1, i64::from(bottom) - i64::from(top) + 1);
        if columns.max(rows) > i64::from(LARGEST_BOX) {
            return Err(StartError::TooLarge { columns, rows });
        }
        if points.len() > MOST_POINTS {
            return Err(StartError::TooManyPoints);
        }
        let (column, row) = (first_of(columns as i32), first_of(rows as i32));
        Ok(Start(Some(points.iter().filter_map(|&(x, y)| Point::new(x - left + column, y - top + row)).collect())))
    }

    /// The start that a picture of rows shows. Lines that begin with `#` are comments; `/` may stand for the end of a
    /// row.
    ///
    /// # Errors
    /// If a character stands for nothing, or the points are no start.
    pub fn drawn(text: &str) -> Result<Start, StartError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (mut points, mut row) = (Vec::new(), 0);
        for (line, text) in (1..).zip(text.lines()) {
            if text.starts_with('#') {
                continue;
            }
            let mut x = 0;
            for (column, found) in (1..).zip(text.trim_end().chars()) {
                match found {
                    'o' | 'O' | 'x' | 'X' | '*' if points.len() <= MOST_POINTS => points.push((x, row)),
                    'o' | 'O' | 'x' | 'X' | '*' => return Err(StartError::TooManyPoints),
                    '.' | ' ' => {}
                    '/' => (x, row) = (-1, row + 1),
                    found => return Err(StartError::Character { line, column, found }),
                }
                x += 1;
            }
            row += 1;
        }
        Start::of_points(points)
    }

    /// The start of that name: `cross`; `cross-N`, a cross whose sides have N points; `ring-N`, the edge of a square
    /// of N columns.
    pub fn named(name: &str) -> Option<Start> {
        if name == "cross" {
            return Some(Start::CROSS);
        }
        let (kind, side) = name.split_once('-')?;
        let side: i32 = side.parse().ok()?;
        let points = match (kind, side) {
            ("cross", 2..=7) => {
                let arm = side - 1..=2 * side - 2;
                outline(3 * side - 2, &|x, y| arm.contains(&x) || arm.contains(&y))
            }
            ("ring", 3..=20) => outline(side, &|_, _| true),
            _ => return None,
        };
        Start::of_points(points).ok()
    }

    /// The same start for games of a variant: its cross, if the points are those.
    pub fn for_variant(self, variant: Variant) -> Start {
        let cross = cross(variant);
        match &self.0 {
            Some(points) if points.len() == cross.len() && cross.iter().all(|point| points.contains(point)) => {
                Start::CROSS
            }
            _ => self,
        }
    }

    /// Whether it is the cross of the variant.
    pub fn is_cross(&self) -> bool {
        self.0.is_none()
    }

    /// Its points, in no order that means anything.
    pub fn points(&self, variant: Variant) -> Vec<Point> {
        self.0.as_ref().map_or_else(|| cross(variant), |points| points.to_vec())
    }

    /// The picture of another start than the cross, one text per row.
    pub fn rows(&self) -> Vec<String> {
        let Some(points) = &self.0 else { return Vec::new() };
        let (corner, columns, rows) = box_of(points);
        let row = |y: i32| {
            let set =
                |x: i32| Point::new(corner.x() + x, corner.y() + y).is_some_and(|point| points.contains(&point));
            (0..columns).map(|x| if set(x) { 'o' } else { '.' }).collect()
        };
        (0..rows).map(row).collect()
    }

    /// The north-west corner of the box around it.
    pub fn corner(&self, variant: Variant) -> Point {
        box_of(&self.points(variant)).0
    }

    /// What it is called: by the name that it is typed by if it has one, else by its number of points.
    pub fn name(&self) -> String {
        let Some(points) = &self.0 else { return "cross".to_owned() };
        let crosses = (2..=7).map(|side| format!("cross-{side}"));
        let names = crosses.chain((3..=20).map(|side| format!("ring-{side}")));
        let own = names.into_iter().find(|name| Start::named(name).as_ref() == Some(self));
        own.unwrap_or_else(|| match points.len() {
            1 => "1 point".to_owned(),
            count => format!("{count} points"),
        })
    }

    /// About what symmetries of its grids are.
    pub fn centre(&self, variant: Variant) -> Centre {
        match &self.0 {
            None => Centre::from(variant),
            Some(points) => {
                let (corner, columns, rows) = box_of(points);
                Centre::new(variant, (2 * corner.x() + columns - 1, 2 * corner.y() + rows - 1))
            }
        }
    }

    /// The symmetries that carry it to itself, the identity first: all eight for the cross.
    pub fn symmetries(&self, variant: Variant) -> Vec<Symmetry> {
        Symmetry::ALL.into_iter().filter(|&symmetry| self.has(symmetry, variant)).collect()
    }

    /// Whether a symmetry carries it to itself.
    pub fn has(&self, symmetry: Symmetry, variant: Variant) -> bool {
        let (Some(points), centre) = (&self.0, self.centre(variant)) else { return true };
        points.iter().all(|&point| symmetry.point(centre, point).is_some_and(|image| points.contains(&image)))
    }

    /// The symmetries of a grid with these moves: those that carry the start and the set of lines to themselves.
    pub fn symmetries_of(&self, variant: Variant, moves: &[Move]) -> Vec<GridSymmetry> {
        let has = |symmetry: &GridSymmetry| {
            self.has(symmetry.symmetry(), variant) && symmetry.carries(self.centre(variant), moves)
        };
        GridSymmetry::ALL.into_iter().filter(has).collect()
    }

    /// A search follows no game further than to so many moves. From the cross no game has more.
    pub fn longest_game(&self, variant: Variant) -> u32 {
        self.0.as_ref().map_or(variant.upper_bound(), |points| (MOST_SET - points.len()) as u32)
    }

    /// The same start, turned.
    pub fn image(&self, symmetry: Symmetry, variant: Variant) -> Start {
        let Some(points) = &self.0 else { return Start::CROSS };
        let centre = self.centre(variant);
        let images = points.iter().map(|point| symmetry.plane(centre, point.x(), point.y()));
        // As many points in as large a box.
        Start::of_points(images).unwrap_or_default()
    }

    /// The board before the first move.
    pub fn board<R: Rules>(&self) -> Board<R> {
        Board::of_points(&self.points(R::VARIANT))
    }

    /// The position before the first move.
    pub fn position<R: Rules>(&self) -> Position<R> {
        Position::of_board(self.board())
    }

    /// The position after `moves`, each checked.
    ///
    /// # Errors
    /// The index of the first illegal move and why it is illegal.
    pub fn after<R: Rules>(&self, moves: &[Move]) -> Result<Position<R>, (usize, IllegalMove)> {
        let mut position = self.position::<R>();
        for (i, &mv) in moves.iter().enumerate() {
            position.try_play(mv).map_err(|reason| (i, reason))?;
        }
        Ok(position)
    }

    /// Whether a line can be drawn from it.
    pub fn is_playable(&self, variant: Variant) -> bool {
        crate::with_rules!(variant, R => !self.position::<R>().moves().is_empty())
    }

    /// One number for the start, which is 0 for the cross. It is part of the keys in files and never changes: with
    /// `mix` the output function of SplitMix64, it is `mix` folded over `row * 2^8 + column` of each point, by rows,
    /// counted from the corner of the box.
    pub fn key(&self) -> u64 {
        let Some(points) = &self.0 else { return 0 };
        let corner = box_of(points).0;
        let place = |point: &Point| ((point.y() - corner.y()) as u64) << 8 | (point.x() - corner.x()) as u64;
        points.iter().fold(points.len() as u64, |key, point| super::canonical::mix(key ^ place(point)))
    }
}

/// The corner of the box around points, of which there is one at least, and its columns and rows.
fn box_of(points: &[Point]) -> (Point, i32, i32) {
    let ends = |of: fn(Point) -> i32| {
        let each = || points.iter().map(|&point| of(point));
        (each().min().unwrap_or(0), each().max().unwrap_or(0))
    };
    let ((left, right), (top, bottom)) = (ends(Point::x), ends(Point::y));
    (Point::new(left, top).unwrap_or(Point::ORIGIN), right - left + 1, bottom - top + 1)
}

/// The points of a square of so many columns that are inside and beside one that is not.
fn outline(columns: i32, inside: &dyn Fn(i32, i32) -> bool) -> Vec<(i32, i32)> {
    let inside = |x: i32, y: i32| (0..columns).contains(&x) && (0..columns).contains(&y) && inside(x, y);
    let open = |x: i32, y: i32| (y - 1..=y + 1).any(|y| (x - 1..=x + 1).any(|x| !inside(x, y)));
    let all = (0..columns).flat_map(|y| (0..columns).map(move |x| (x, y)));
    all.filter(|&(x, y)| inside(x, y) && open(x, y)).collect()
}

/// A name, or a picture.
impl FromStr for Start {
    type Err = StartError;

    fn from_str(text: &str) -> Result<Start, StartError> {
        // No row of a picture begins with such a letter.
        let is_word =
            text.starts_with(|c: char| c.is_alphabetic() && !"oOxX".contains(c)) && text.lines().count() == 1;
        match Start::named(text) {
            Some(start) => Ok(start),
            None if is_word => Err(StartError::UnknownName(text.chars().take(40).collect())),
            None => Start::drawn(text),
        }
    }
}

/// As it is typed: by its name, or by its rows with `/` between.
impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        f.pad(&if Start::named(&name).is_some() { name } else { self.rows().join("/") })
    }
}

impl serde::Serialize for Start {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rows().serialize(serializer)
    }
}

/// The rows; none for the cross.
impl<'de> serde::Deserialize<'de> for Start {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Start, D::Error> {
        let rows = Vec::<String>::deserialize(deserializer)?;
        if rows.is_empty() {
            return Ok(Start::CROSS);
        }
        // No row is a comment, and none holds the end of another.
        if rows.iter().flat_map(|row| row.chars()).any(|c| c != 'o' && c != '.') {
            return Err(serde::de::Error::custom("a row of the start has another character than o and ."));
        }
        Start::drawn(&rows.join("\n")).map_err(serde::de::Error::custom)
    }
}
