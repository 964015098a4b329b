//! The count of a finished game of Go.

use crate::core::game::Side;
use crate::games::go::large::points::LargeBoard;
use crate::games::go::scoring::{GoScore, ScoringRules, SgfScoring, result_text};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A finished game of Go as it was counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GoScoreView {
    /// What was counted: `territory`, `area`.
    #[schema(value_type = String, example = "territory")]
    pub rules: ScoringRules,
    /// What white got, in points.
    pub komi: f64,
    /// The result as SGF has it: `B+3.5`, `W+3`, `0`.
    pub result: String,
    /// What black has.
    pub black: SideScoreView,
    /// What white has.
    pub white: SideScoreView,
    /// Points of nobody.
    pub dame: u32,
    /// Points that count for nobody because of a seki.
    pub seki: u32,
    /// Whose territory each point is, by rows from the upper left: `X` black's, `O` white's, `.` nobody's.
    pub owners: String,
    /// The points of all dead stones.
    pub dead: Vec<String>,
    /// The result that the file has.
    pub file_result: Option<String>,
    /// Whether that is the same; null if there is none, or if it is no count.
    pub agrees: Option<bool>,
}

/// What a side has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SideScoreView {
    /// Points of territory.
    pub territory: u32,
    /// Stones that live; they count by area only.
    pub living: u32,
    /// Stones captured during the game; they count by territory only.
    pub captured: u32,
    /// Dead stones of the other side, which count as captured ones.
    pub dead: u32,
    /// All that counts, white's with komi, in points.
    pub total: f64,
}

/// Tenths of a point as points.
fn in_points(tenths: i64) -> f64 {
    tenths as f64 / 10.0
}

impl GoScoreView {
    /// The view of a count, and of what the file says about it.
    pub fn of(size: LargeBoard, score: &GoScore, file: &SgfScoring) -> GoScoreView {
        let side = |side: Side| {
            let [own, other] = if side == Side::First { [0, 1] } else { [1, 0] };
            SideScoreView {
                territory: score.territory[own].len(),
                living: score.living[own].len(),
                captured: score.terms.captured[own],
                dead: score.dead[other].len(),
                total: in_points(score.total(side)),
            }
        };
        let owner = |point: u16| score.owner(point).map_or('.', |side| if side == Side::First { 'X' } else { 'O' });
        let is_dead = |point: &u16| score.dead.iter().any(|stones| stones.contains(*point));
        GoScoreView {
            rules: score.terms.rules,
            komi: in_points(score.terms.komi.into()),
            result: result_text(score.margin()),
            black: side(Side::First),
            white: side(Side::Second),
            dame: score.dame.len(),
            seki: score.seki.len(),
            owners: (0..size.area()).map(owner).collect(),
            dead: (0..size.area()).filter(is_dead).map(|point| size.name(point)).collect(),
            file_result: file.result.clone(),
            agrees: file.agrees(score.margin()),
        }
    }
}
