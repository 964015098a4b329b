//! Grids, the archive, and positions of the puzzle.

use super::document::JobId;
use crate::daemon::object;
use crate::morpion::variant::Variant;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A move. `x` grows to the right and `y` downwards; the north-west corner of the starting cross's inner square is at
/// (28,28), as in Pentasol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveView {
    /// Column of the new point.
    pub x: i32,
    /// Row of the new point.
    pub y: i32,
    /// Direction of the line: `-`, `|`, `\` or `/`.
    #[schema(value_type = String, pattern = r"^[-|/\\]$")]
    pub direction: char,
    /// Number of steps along the line from the new point to the middle of the line.
    #[schema(minimum = -2, maximum = 2)]
    pub shift: i32,
}

/// A grid of the archive, a known record, or a grid that was checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GridView {
    /// Version of this document.
    pub v: u32,
    /// 16 hexadecimal digits. Grids that are equal up to symmetry and order of moves have the same key.
    pub key: String,
    /// Variant of the puzzle.
    pub variant: Variant,
    /// Number of moves.
    pub score: u32,
    /// Number of legal moves after the last move.
    pub moves_left: u32,
    /// The moves in order. Listings leave them out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<MoveView>>,
    /// Name of the known record that the grid equals, if it equals one.
    pub record: Option<String>,
    /// Number of the job that found it; null if a client sent it.
    pub job: Option<JobId>,
    /// Number of the unit of that job.
    pub unit: Option<u64>,
    /// When it was found or sent.
    pub time: f64,
    /// Seconds that the job had run.
    pub seconds: Option<f64>,
}

/// What two grids share, in the orientation that shares most lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ComparisonView {
    /// Version of this document.
    pub v: u32,
    /// The first grid, with its moves.
    pub left: GridView,
    /// The second grid, with its moves, in the orientation that shares most lines with the first one.
    pub right: GridView,
    /// Numbers (from 0) of the moves of `left` whose lines are in `right`.
    pub shared_left: Vec<u32>,
    /// Numbers (from 0) of the moves of `right` whose lines are in `left`.
    pub shared_right: Vec<u32>,
}

/// A position of the puzzle: the answer to `POST /api/v1/board`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BoardView {
    /// Version of this document.
    pub v: u32,
    /// Variant of the puzzle.
    pub variant: Variant,
    /// Points of the starting cross: pairs of column and row.
    pub cross: Vec<(i32, i32)>,
    /// The moves that were played.
    pub moves: Vec<MoveView>,
    /// The legal moves.
    pub legal: Vec<MoveView>,
}

/// The body of `POST /api/v1/board`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BoardRequest {
    /// Variant of the puzzle.
    pub variant: Variant,
    /// The moves to play, in order.
    #[serde(default, deserialize_with = "object::list")]
    pub moves: Vec<MoveView>,
}

/// A known record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RecordView {
    /// Name of the record, as in the field `record` of grids.
    pub name: String,
    /// Key of its grid, as in `/api/v1/grids/{key}`.
    pub key: String,
    /// Variant of the puzzle.
    pub variant: Variant,
    /// Number of moves.
    pub score: u32,
}

/// Number of grids of one variant and one score in the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GridCount {
    /// Variant of the puzzle.
    pub variant: Variant,
    /// Number of moves.
    pub score: u32,
    /// Number of grids.
    pub count: u64,
}

/// The content of the archive in numbers, and the known records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ArchiveView {
    /// Version of this document.
    pub v: u32,
    /// Number of grids by variant and score, the best score of each variant first.
    pub counts: Vec<GridCount>,
    /// The known records. `/api/v1/grids/{key}` and the comparison of grids accept their keys, too.
    pub records: Vec<RecordView>,
}
