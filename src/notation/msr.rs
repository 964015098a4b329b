//! MSR, the Morpion Solitaire Record format 0.1, through the `morpion-solitaire-record` crate.
//!
//! A record names its variant, its moves (new point, direction, index of the point in its line; the corner of the
//! cross's bounding box is (0,0)) and its provenance. The compact form `MS1:...` is compressed JSON; it is inflated
//! without a limit, so [`LARGEST_COMPACT`] bounds what may be unpacked (deflate gains a factor of 1032 at most).

use super::grid::{Grid, Provenance};
use super::replay::{CoordinateFrame, Dialect, WrittenMove};
use crate::morpion::geometry::{Direction, cross_corner};
use crate::morpion::position::Position;
use crate::morpion::variant::Variant;
use crate::with_rules;

/// Longest compact form that is unpacked, in bytes; the record grid of 178 moves needs 1300.
pub const LARGEST_COMPACT: usize = 64 * 1024;

/// Why a text is no MSR record, or a grid cannot be written as one.
#[derive(Debug, thiserror::Error)]
pub enum MsrError {
    /// The compact form is longer than [`LARGEST_COMPACT`].
    #[error("the compact record is {0} bytes long, and at most {LARGEST_COMPACT} are accepted")]
    TooLong(usize),
    /// Not base64, not deflate, not JSON, or not the fields of a record.
    #[error("not an MSR record: {0}")]
    Malformed(#[from] ::msr::Error),
    /// A major version that this program does not know.
    #[error("the record is of MSR version {0}, and versions 0 and 1 are understood")]
    Version(String),
}

/// A record taken apart, not yet replayed.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedMsr {
    /// The moves in order, as the record writes them.
    pub moves: Vec<WrittenMove>,
    /// The variant that the record names.
    pub variant: Variant,
    /// The score that the record names.
    pub score: u64,
    /// Where the grid comes from.
    pub provenance: Provenance,
}

/// How the moves of a record are to be understood.
pub fn frame(variant: Variant) -> CoordinateFrame {
    let corner = cross_corner(variant);
    CoordinateFrame { dialect: Dialect::Index, shift: (corner, corner) }
}

/// Whether the text is of the compact form.
pub fn is_compact(text: &str) -> bool {
    text.trim_start().starts_with(::msr::PREFIX)
}

/// Takes a record apart, compact or JSON.
///
/// # Errors
/// A text that is no record, or a compact form that is too long.
pub fn parse(text: &str) -> Result<ParsedMsr, MsrError> {
    let text = text.trim();
    if is_compact(text) && text.len() > LARGEST_COMPACT {
        return Err(MsrError::TooLong(text.len()));
    }
    let record = ::msr::decode(text)?;
    if !matches!(record.version.split('.').next(), Some("0" | "1")) {
        return Err(MsrError::Version(record.version.chars().take(20).collect()));
    }
    let moves = record.moves.iter().map(written).collect();
    let solver = record.solver.unwrap_or(NO_SOLVER);
    let provenance = Provenance {
        author: record.author,
        source: record.source,
        description: record.description,
        transcribed_by: record.transcribed_by,
        producer: record.producer,
        saved_at: record.saved_at,
        tool: solver.tool,
        method: solver.method,
        seed: solver.seed,
        iterations: solver.nodes_explored,
        seconds: solver.elapsed_secs,
        tags: record.tags,
        notes: Vec::new(),
    };
    Ok(ParsedMsr { moves, variant: record.variant.into(), score: record.score as u64, provenance })
}

const NO_SOLVER: ::msr::Solver =
    ::msr::Solver { tool: None, method: None, seed: None, nodes_explored: None, elapsed_secs: None };

fn written(mv: &::msr::RecordMove) -> WrittenMove {
    let direction = match mv.dir {
        ::msr::Direction::H => Direction::Horizontal,
        ::msr::Direction::V => Direction::Vertical,
        ::msr::Direction::DN => Direction::Falling,
        ::msr::Direction::DP => Direction::Rising,
    };
    let text = format!("({},{}) {} {}", mv.x, mv.y, mv.dir.code(), mv.pos);
    WrittenMove { x: mv.x.into(), y: mv.y.into(), direction, offset: mv.pos.into(), line: None, text }
}

/// The grid as a record, with the derived fields (score, legal moves left, bounding box) filled in.
pub fn record(grid: &Grid) -> ::msr::Record {
    let corner = cross_corner(grid.variant);
    let local = |coordinate: i32| (coordinate - corner) as i16;
    let moves = grid.moves.iter().map(|mv| ::msr::RecordMove {
        x: local(mv.point().x()),
        y: local(mv.point().y()),
        dir: match mv.direction() {
            Direction::Horizontal => ::msr::Direction::H,
            Direction::Vertical => ::msr::Direction::V,
            Direction::Falling => ::msr::Direction::DN,
            Direction::Rising => ::msr::Direction::DP,
        },
        pos: mv.index() as u8,
    });
    let p = grid.provenance.clone();
    let mut record = ::msr::Record::new(grid.variant.into(), moves.collect());
    let left = with_rules!(grid.variant, R => Position::<R>::after(&grid.moves).ok().map(|q| q.moves().len()));
    let bounds = grid.bounds();
    record.available_moves = left;
    record.terminal = left.map(|n| n == 0);
    record.bbox = Some([bounds.left, bounds.top, bounds.right, bounds.bottom].map(local));
    record.producer = p.producer;
    record.saved_at = p.saved_at;
    record.description = p.description;
    record.author = p.author;
    record.source = p.source;
    record.transcribed_by = p.transcribed_by;
    record.tags = p.tags;
    let solver = ::msr::Solver {
        tool: p.tool,
        method: p.method,
        seed: p.seed,
        nodes_explored: p.iterations,
        elapsed_secs: p.seconds.filter(|s| s.is_finite()),
    };
    record.solver = (!solver.is_empty()).then_some(solver);
    record
}

/// The grid in the compact form, with a final newline.
///
/// # Errors
/// Only if the record cannot be serialised.
pub fn write_compact(grid: &Grid) -> Result<String, MsrError> {
    Ok(::msr::encode(&record(grid))? + "\n")
}

/// The grid as JSON, with a final newline.
///
/// # Errors
/// Only if the record cannot be serialised.
pub fn write_json(grid: &Grid) -> Result<String, MsrError> {
    Ok(::msr::encode_json(&record(grid))? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_records_are_refused() {
        assert!(matches!(parse(&format!("MS1:{}", "A".repeat(LARGEST_COMPACT))), Err(MsrError::TooLong(_))));
        for text in
            ["", "MS1:", "MS1:!!!!", "MS1:AAAA", "{}", "[[[[", "{\"variant\":\"6T\",\"score\":0,\"moves\":[]}"]
        {
            assert!(matches!(parse(text), Err(MsrError::Malformed(_))), "{text}");
        }
        let text = "{\"version\":\"7.1\",\"variant\":\"5T\",\"score\":0,\"moves\":[]}";
        assert!(matches!(parse(text), Err(MsrError::Version(_))));
        let text = text.replace("7.1", "1").replace("[]", "[{\"x\":-32768,\"y\":32767,\"dir\":\"DN\",\"pos\":255}]");
        let parsed = parse(&text).unwrap();
        assert_eq!(parsed.moves[0].text, "(-32768,32767) DN 255");
    }
}
