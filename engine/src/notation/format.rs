//! Which format a file is in, and which grid it holds.
//!
//! The content decides: a PNG or SVG picture holds a record (see [`super::picture`]), `MS1:` is compact MSR, `{` is
//! MSR JSON, the rest is Pentasol text. Text has no field for
//! the variant and may lack its reference point, so what is missing is decided by replaying: every variant in
//! question and, without a reference point, both dialects (see [`Dialect`]) are tried.
//!
//! The variant is, in this order: the one the caller asks for; the one the file names (`# variant 5D`); the first of
//! 5D, 5T, 4D, 4T by whose rules all moves are legal. A disjoint game is a legal touching one, never mind by whom it
//! was meant; the reverse soon fails: the known 5T records all leave 5D within their first 9 moves.
//! [`LoadedGrid::replays_as`] tells which variants fit.

use super::grid::{Grid, TextsTooLong};
use super::msr::{self, MsrError};
use super::pentasol::{self, Effort, SyntaxError};
use super::picture::{NoRecord, record_in};
use super::replay::{CoordinateFrame, Dialect, IllegalGrid, IllegalReason, WrittenMove, replay};
use crate::morpion::geometry::{INNER_CORNER, Move};
use crate::morpion::start::{Start, StartError};
use crate::morpion::variant::Variant;
use std::fmt;

/// Largest text or record that is read, in bytes.
pub const LARGEST_FILE: usize = 4 * 1024 * 1024;
/// Largest picture that is read, in bytes.
pub const LARGEST_PICTURE: usize = 64 * 1024 * 1024;

/// A format of grid files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GridFormat {
    /// Pentasol text: `.txt`, `.psol`.
    Pentasol,
    /// Compact MSR: `.msr`.
    MsrCompact,
    /// MSR as JSON: `.json`.
    MsrJson,
}

impl GridFormat {
    /// The format that a file name's extension (without the dot) stands for.
    pub fn from_extension(extension: &str) -> Option<GridFormat> {
        match extension.to_ascii_lowercase().as_str() {
            "txt" | "psol" | "pentasol" => Some(GridFormat::Pentasol),
            "msr" => Some(GridFormat::MsrCompact),
            "json" => Some(GridFormat::MsrJson),
            _ => None,
        }
    }

    /// The name used on the command line and in output: `pentasol`, `msr`, `json`.
    pub const fn name(self) -> &'static str {
        match self {
            GridFormat::Pentasol => "pentasol",
            GridFormat::MsrCompact => "msr",
            GridFormat::MsrJson => "json",
        }
    }
}

impl fmt::Display for GridFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Who decided on the variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenBy {
    /// The caller named it.
    Caller,
    /// A field or a comment of the file.
    File,
    /// Only replaying could tell.
    Replay,
}

/// A grid that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedGrid {
    /// The grid; all its moves are legal.
    pub grid: Grid,
    /// The format it was in; of a picture, that of its record.
    pub format: GridFormat,
    /// Who decided on the variant.
    pub chosen_by: ChosenBy,
    /// All variants by whose rules the file is legal, the grid's own first.
    pub replays_as: Vec<Variant>,
    /// What is odd about the file but no reason to refuse it.
    pub warnings: Vec<String>,
}

/// Why a file holds no grid.
#[derive(Debug, thiserror::Error)]
pub enum GridReadError {
    /// Larger than [`LARGEST_FILE`].
    #[error("the file is larger than {} MiB: no grid file is", LARGEST_FILE >> 20)]
    TooLarge,
    /// Neither text nor a record.
    #[error("not a grid file: {0}")]
    NotAGrid(&'static str),
    /// A line of a text that is no move.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// More text than a grid may bring along.
    #[error(transparent)]
    Texts(#[from] TextsTooLong),
    /// A start that is none.
    #[error("line {line}: the start: {reason}")]
    Start {
        /// The line that names its place.
        line: usize,
        /// What is wrong with it.
        reason: StartError,
    },
    /// A damaged record.
    #[error(transparent)]
    Msr(#[from] MsrError),
    /// An illegal move.
    #[error(transparent)]
    Illegal(#[from] Box<IllegalGrid>),
}

/// Reads a grid in any format. `variant` overrides what the file says.
///
/// # Errors
/// See [`GridReadError`]; a grid with an illegal move is an error.
///
/// ```
/// use morpion_engine::morpion::variant::Variant;
/// use morpion_engine::notation::format::read;
/// let loaded = read(b"(28,28)\n(31,29) | -2\n(27,27) / 0\n", Some(Variant::T5)).unwrap();
/// assert_eq!(loaded.grid.score(), 2);
/// let error = read(b"(28,28)\n(31,29) | -1\n", None).unwrap_err();
/// assert_eq!(error.to_string(), "line 2 (move 1): (31,29) | -1: the line needs point (31,30), which is not set");
/// ```
pub fn read(bytes: &[u8], variant: Option<Variant>) -> Result<LoadedGrid, GridReadError> {
    if bytes.len() > LARGEST_PICTURE {
        return Err(GridReadError::TooLarge);
    }
    let record = match record_in(bytes) {
        Some(Ok(record)) => Some(record),
        Some(Err(NoRecord::Absent)) => return Err(GridReadError::NotAGrid(PICTURE_WITHOUT_RECORD)),
        Some(Err(NoRecord::Damaged)) => return Err(GridReadError::NotAGrid("it is a damaged PNG picture")),
        None => None,
    };
    let bytes = record.as_ref().map_or(bytes, |record| record.as_bytes());
    if bytes.len() > LARGEST_FILE {
        return Err(GridReadError::TooLarge);
    }
    let text = as_text(bytes)?;
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.is_empty() {
        return Err(GridReadError::NotAGrid("it is empty"));
    }
    if start.starts_with('<') {
        return Err(GridReadError::NotAGrid("it is a page; Pentasol text or MSR is expected"));
    }
    let compact = msr::is_compact(start);
    if compact || start.starts_with('{') {
        let format = if compact { GridFormat::MsrCompact } else { GridFormat::MsrJson };
        return read_record(start, format, variant);
    }
    read_text(&text, variant)
}

const PICTURE_WITHOUT_RECORD: &str =
    "it is a picture that carries no record; Pentasol text, MSR, or a picture made by morpion is expected";

/// Bytes as text; comments in another encoding than UTF-8 lose their accents, no more.
fn as_text(bytes: &[u8]) -> Result<std::borrow::Cow<'_, str>, GridReadError> {
    if bytes.starts_with(b"\xff\xd8\xff") || bytes.starts_with(b"GIF8") {
        return Err(GridReadError::NotAGrid("it is a picture; Pentasol text or MSR is expected"));
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(GridReadError::NotAGrid("it is UTF-16 text; save it as UTF-8"));
    }
    if bytes.contains(&0) {
        return Err(GridReadError::NotAGrid("it is binary; Pentasol text or MSR is expected"));
    }
    Ok(String::from_utf8_lossy(bytes))
}

fn read_record(text: &str, format: GridFormat, variant: Option<Variant>) -> Result<LoadedGrid, GridReadError> {
    let parsed = msr::parse(text)?;
    let named = variant.unwrap_or(parsed.variant);
    let candidates: Vec<Reading> = Variant::ALL
        .into_iter()
        .filter(|v| v.line_len() == named.line_len())
        .map(|v| Reading::of((Start::CROSS, v), msr::frame(v), &parsed.moves))
        .collect();
    let chosen_by = if variant.is_some() { ChosenBy::Caller } else { ChosenBy::File };
    let (reading, replays_as) = choose(candidates, Some(named), &parsed.moves)?;
    let warnings = score_warning(Some(parsed.score), parsed.moves.len());
    let Reading { start, variant, moves, .. } = reading;
    let grid = Grid { variant, start, moves, provenance: parsed.provenance };
    Ok(LoadedGrid { grid, format, chosen_by, replays_as, warnings })
}

fn read_text(text: &str, variant: Option<Variant>) -> Result<LoadedGrid, GridReadError> {
    let parsed = pentasol::parse(text)?;
    parsed.provenance.check_length()?;
    if parsed.moves.is_empty() && parsed.reference.is_none() && parsed.start.is_none() {
        return Err(GridReadError::NotAGrid("it has neither a reference point such as '(28,28)' nor a move"));
    }
    let named = variant.or(parsed.variant);
    let mut candidates = Vec::new();
    if let Some(drawn) = &parsed.start {
        let start = Start::of_points(drawn.points.iter().copied());
        let start = start.map_err(|reason| GridReadError::Start { line: drawn.line, reason })?;
        let ends = [|point: &(i32, i32)| point.0, |point: &(i32, i32)| point.1];
        let [left, top] = ends.map(|end| drawn.points.iter().map(end).min().unwrap_or(0));
        for variant in [Variant::D5, Variant::T5, Variant::D4, Variant::T4] {
            let corner = start.corner(variant);
            let frame = CoordinateFrame { dialect: Dialect::Pentasol, shift: (corner.x() - left, corner.y() - top) };
            candidates.push(Reading::of((start.clone().for_variant(variant), variant), frame, &parsed.moves));
        }
    }
    let dialects = if parsed.start.is_some() { &[][..] } else { &[Dialect::Pentasol, Dialect::Opposite] };
    for &dialect in dialects {
        for variant in [Variant::D5, Variant::T5, Variant::D4, Variant::T4] {
            let reference = match (parsed.reference, dialect) {
                (Some(point), Dialect::Pentasol) => point,
                (None, Dialect::Pentasol) => (INNER_CORNER, INNER_CORNER),
                // The corner of the cross's box is (1,1), its inner corner is further in by one less than an arm.
                (None, _) => (variant.line_len() as i32 - 1, variant.line_len() as i32 - 1),
                (Some(_), _) => continue,
            };
            let shift = (INNER_CORNER - reference.0, INNER_CORNER - reference.1);
            candidates.push(Reading::of((Start::CROSS, variant), CoordinateFrame { dialect, shift }, &parsed.moves));
        }
    }
    // Nothing has been played: everything fits, and the classic puzzle is meant.
    let named = named.or(parsed.moves.is_empty().then_some(Variant::T5));
    let chosen_by = match (variant, parsed.variant) {
        (Some(_), _) => ChosenBy::Caller,
        (None, Some(_)) => ChosenBy::File,
        (None, None) => ChosenBy::Replay,
    };
    let (reading, replays_as) = choose(candidates, named, &parsed.moves)?;
    let warnings = score_warning(parsed.score, parsed.moves.len());
    let Reading { start, variant, moves, .. } = reading;
    let grid = Grid { variant, start, moves, provenance: parsed.provenance };
    Ok(LoadedGrid { grid, format: GridFormat::Pentasol, chosen_by, replays_as, warnings })
}

fn score_warning(score: Option<u64>, moves: usize) -> Vec<String> {
    let differs = score.filter(|&score| score != moves as u64);
    differs.map(|score| format!("the file says score {score} but holds {moves} moves")).into_iter().collect()
}

/// One way to understand a file.
struct Reading {
    start: Start,
    variant: Variant,
    moves: Vec<Move>,
    failure: Option<(usize, IllegalReason)>,
}

impl Reading {
    fn of((start, variant): (Start, Variant), frame: CoordinateFrame, written: &[WrittenMove]) -> Reading {
        let (moves, failure) = replay(&start, variant, frame, written);
        Reading { start, variant, moves, failure }
    }
}

/// The first reading without failure (of the named variant, if one is named) and all variants without failure. If
/// there is none: the failure of the reading that goes furthest.
fn choose(
    candidates: Vec<Reading>,
    named: Option<Variant>,
    written: &[WrittenMove],
) -> Result<(Reading, Vec<Variant>), Box<IllegalGrid>> {
    let mut legal_as: Vec<Variant> = Vec::new();
    for reading in candidates.iter().filter(|r| r.failure.is_none()) {
        if !legal_as.contains(&reading.variant) {
            legal_as.push(reading.variant);
        }
    }
    let mut best: Option<Reading> = None;
    for reading in candidates {
        let asked = named.is_none_or(|variant| variant == reading.variant);
        // Of two readings that fail at the same move the touching one is the likelier.
        let rank = |r: &Reading| match r.failure {
            None => (true, 0, false),
            Some(_) => (false, r.moves.len(), !r.variant.disjoint()),
        };
        if asked && best.as_ref().is_none_or(|b| rank(&reading) > rank(b)) {
            best = Some(reading);
        }
    }
    let best = best.expect("there is a reading for every variant");
    match best.failure {
        None => {
            legal_as.retain(|&variant| variant != best.variant);
            legal_as.insert(0, best.variant);
            Ok((best, legal_as))
        }
        Some((index, reason)) => Err(Box::new(IllegalGrid {
            variant: best.variant,
            number: index + 1,
            line: written[index].line,
            text: written[index].text.clone(),
            reason,
            legal_as,
        })),
    }
}

/// The grid in a format, as the text of a file.
///
/// # Errors
/// If the format does not hold grids from the grid's start; else only if a record cannot be serialised.
pub fn write(grid: &Grid, format: GridFormat) -> Result<String, MsrError> {
    match format {
        GridFormat::Pentasol => Ok(pentasol::write(grid, Effort::Comments)),
        GridFormat::MsrCompact => msr::write_compact(grid),
        GridFormat::MsrJson => msr::write_json(grid),
    }
}
