//! MSR, the Morpion Solitaire Record format 0.1, through the `morpion-solitaire-record` crate.
//!
//! A record names its variant, its moves (new point, direction, index of the point in its line; the corner of the
//! cross's bounding box is (0,0)) and its provenance. The compact form `MS1:...` is compressed JSON in URL-safe
//! Base64. Deflate gains a factor of up to 1032, so what is unpacked is bounded too ([`LARGEST_RECORD`]).

use super::grid::{Grid, MOST_MOVES, Provenance, TextsTooLong};
use super::replay::{CoordinateFrame, Dialect, WrittenMove};
use crate::morpion::geometry::{Direction, cross_corner};
use crate::morpion::position::Position;
use crate::morpion::variant::Variant;
use crate::with_rules;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};
use std::borrow::Cow;

/// Longest compact form that is unpacked, in bytes; the record grid of 178 moves needs 1300.
pub const LARGEST_COMPACT: usize = 64 * 1024;

/// Longest record as JSON, in bytes: whether it was sent so, or unpacked.
pub const LARGEST_RECORD: usize = 1024 * 1024;

/// Why a text is no MSR record, or a grid cannot be written as one.
#[derive(Debug, thiserror::Error)]
pub enum MsrError {
    /// The compact form is longer than [`LARGEST_COMPACT`].
    #[error("the compact record is {0} bytes long, and at most {LARGEST_COMPACT} are accepted")]
    TooLong(usize),
    /// The record as JSON is longer than [`LARGEST_RECORD`].
    #[error("the record is longer than {LARGEST_RECORD} bytes of JSON, and at most that many are accepted")]
    TooLarge,
    /// There are more moves than in any game.
    #[error("the record has {0} moves, and at most {MOST_MOVES} are accepted")]
    Moves(usize),
    /// The texts of the provenance are too long together.
    #[error(transparent)]
    Texts(#[from] TextsTooLong),
    /// Not base64, not deflate, not JSON, or not the fields of a record.
    #[error("not an MSR record: {0}")]
    Malformed(#[from] ::msr::Error),
    /// The grid does not begin with the cross.
    #[error("MSR holds grids from the cross only, and this one begins with {0}: write it as text (.txt)")]
    OtherStart(String),
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
/// A text that is no record, or one that is larger than any record of a game.
pub fn parse(text: &str) -> Result<ParsedMsr, MsrError> {
    let text = text.trim();
    if is_compact(text) && text.len() > LARGEST_COMPACT {
        return Err(MsrError::TooLong(text.len()));
    }
    let json = if is_compact(text) { Cow::Owned(unpacked(text)?) } else { Cow::Borrowed(text.as_bytes()) };
    if json.len() > LARGEST_RECORD {
        return Err(MsrError::TooLarge);
    }
    let record: ::msr::Record = serde_json::from_slice(&json).map_err(::msr::Error::Json)?;
    if record.moves.len() > MOST_MOVES {
        return Err(MsrError::Moves(record.moves.len()));
    }
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
    provenance.check_length()?;
    Ok(ParsedMsr { moves, variant: record.variant.into(), score: record.score as u64, provenance })
}

/// The JSON of a compact record.
fn unpacked(text: &str) -> Result<Vec<u8>, MsrError> {
    let text = text.strip_prefix(::msr::PREFIX).unwrap_or(text);
    let packed = URL_SAFE_NO_PAD.decode(text.trim()).map_err(|error| ::msr::Error::Base64(error.to_string()))?;
    decompress_to_vec_with_limit(&packed, LARGEST_RECORD).map_err(|error| match error.status {
        TINFLStatus::HasMoreOutput => MsrError::TooLarge,
        _ => MsrError::Malformed(::msr::Error::Inflate(format!("{error:?}"))),
    })
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
///
/// # Errors
/// If the grid does not begin with the cross.
pub fn record(grid: &Grid) -> Result<::msr::Record, MsrError> {
    if !grid.start.is_cross() {
        return Err(MsrError::OtherStart(grid.start.name()));
    }
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
    Ok(record)
}

/// The grid in the compact form, with a final newline.
///
/// # Errors
/// If the grid does not begin with the cross; else only if the record cannot be serialised.
pub fn write_compact(grid: &Grid) -> Result<String, MsrError> {
    Ok(::msr::encode(&record(grid)?)? + "\n")
}

/// The grid as JSON, with a final newline.
///
/// # Errors
/// If the grid does not begin with the cross; else only if the record cannot be serialised.
pub fn write_json(grid: &Grid) -> Result<String, MsrError> {
    Ok(::msr::encode_json(&record(grid)?)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::deflate::compress_to_vec;

    /// The compact form of some JSON.
    fn compact(json: &str) -> String {
        ::msr::PREFIX.to_owned() + &URL_SAFE_NO_PAD.encode(compress_to_vec(json.as_bytes(), 9))
    }

    /// A record with this in its fields.
    fn json(fields: &str) -> String {
        format!("{{\"version\":\"0.1\",\"variant\":\"5T\",\"score\":0,{fields}}}")
    }

    /// 16 million empty tags are 62 KB when they are compressed, and were half a gigabyte of memory.
    #[test]
    fn records_that_are_large_only_when_unpacked_are_refused() {
        let tags = |count: usize| json(&format!("\"moves\":[],\"tags\":[{}\"\"]", "\"\",".repeat(count)));
        let bomb = compact(&tags(15_000_000));
        assert!(bomb.len() < LARGEST_COMPACT, "{}", bomb.len());
        assert!(matches!(parse(&bomb), Err(MsrError::TooLarge)));
        assert!(matches!(parse(&tags(500_000)), Err(MsrError::TooLarge)));
        for text in [tags(200_000), json(&format!("\"moves\":[],\"author\":\"{}\"", "x".repeat(100_000)))] {
            assert!(matches!(parse(&compact(&text)), Err(MsrError::Texts(_))));
            assert!(matches!(parse(&text), Err(MsrError::Texts(_))));
        }
        let mv = "{\"x\":0,\"y\":0,\"dir\":\"H\",\"pos\":0},";
        let moves = mv.repeat(MOST_MOVES + 1);
        let text = json(&format!("\"moves\":[{}]", moves.trim_end_matches(',')));
        assert!(matches!(parse(&compact(&text)), Err(MsrError::Moves(n)) if n == MOST_MOVES + 1));
        // What people write fits.
        let text = json(&format!("\"moves\":[],\"description\":\"{}\",\"tags\":[\"a\",\"b\"]", "text ".repeat(1000)));
        assert_eq!(parse(&compact(&text)).unwrap().provenance.tags, ["a", "b"]);
    }

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
