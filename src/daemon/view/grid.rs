//! Grids, the archive, and positions of the puzzle.

use super::document::JobId;
use crate::daemon::object;
use crate::morpion::symmetry::GridSymmetry;
use crate::morpion::variant::Variant;
use crate::notation::facts::GridFacts;
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
    /// The symmetries of its lines, in its own orientation; null if the grid cannot be read.
    #[serde(default)]
    pub symmetries: Option<Vec<GridSymmetry>>,
    /// Columns of the smallest box around its points.
    #[serde(default)]
    pub columns: Option<u32>,
    /// Rows of that box.
    #[serde(default)]
    pub rows: Option<u32>,
    /// Whether no known record equals it or contains it.
    #[serde(default)]
    pub new: Option<bool>,
    /// The known record with which it has most lines in common.
    #[serde(default)]
    pub nearest: Option<NearestRecordView>,
    /// In a list of clusters: the cluster that the grid stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterView>,
}

/// Grids that are nearly equal. The longest stands for them, of equally long ones the one that was found first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ClusterView {
    /// Number of grids, that one included.
    pub grids: u64,
    /// Number of moves of the shortest.
    pub shortest: u32,
    /// When the first of them was found or sent.
    pub first: f64,
    /// When the last of them was found or sent.
    pub last: f64,
}

impl GridView {
    /// Takes over what lists tell of a grid.
    pub fn with_facts(self, facts: &GridFacts) -> GridView {
        let nearest = facts.nearest.map(|nearest| NearestRecordView {
            record: nearest.name.to_owned(),
            common_lines: nearest.common,
            lines: nearest.lines,
        });
        GridView {
            symmetries: Some(facts.symmetries.clone()),
            columns: Some(facts.columns),
            rows: Some(facts.rows),
            new: Some(facts.is_new()),
            nearest,
            ..self
        }
    }
}

/// A known record, compared with a grid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NearestRecordView {
    /// Name of the record.
    pub record: String,
    /// Lines in common in the best orientation.
    pub common_lines: u32,
    /// Lines of the record.
    pub lines: u32,
}

/// What grids are sorted by: the greatest first, unless it is asked for in reverse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GridSort {
    /// The number of moves.
    #[default]
    Score,
    /// When they were found or sent.
    Time,
    /// The points of the smallest box around the grid: columns times rows.
    Size,
}

impl std::str::FromStr for GridSort {
    type Err = UnknownSort;

    fn from_str(text: &str) -> Result<GridSort, UnknownSort> {
        match text {
            "score" => Ok(GridSort::Score),
            "time" => Ok(GridSort::Time),
            "size" => Ok(GridSort::Size),
            _ => Err(UnknownSort),
        }
    }
}

/// A text names nothing that grids are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected score, time or size")]
pub struct UnknownSort;

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
