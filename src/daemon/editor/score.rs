//! The count of the position at a node.

use super::EditorError;
use super::trees::NodeAt;
use crate::daemon::view::{EditedScoreRequest, EditedScoreView, GoScoreView, VERSION};
use crate::games::go::large::points::PointSet;
use crate::games::go::notation::GoReadError;
use crate::games::go::scoring::{self, ScoreTerms, SgfScoring, StoneMarks, read_half_points};
use crate::tactics::goal::point_of;

/// Counts the position at a node as a finished game.
///
/// # Errors
/// Nodes that are no trees, a position that cannot be, marks that contradict it, a komi that is none.
pub fn score(request: &EditedScoreRequest) -> Result<EditedScoreView, EditorError> {
    let given = request.komi.as_deref().map(|text| read_half_points(text).ok_or(EditorError::Komi)).transpose()?;
    let at = NodeAt::new(&request.nodes, request.at)?.sound()?;
    let says = SgfScoring::of_node(&at.first(), given.is_some()).map_err(GoReadError::from)?;
    let (chains, size) = (at.position.chains(), at.position.size());
    let points = |names: &[String]| names.iter().map(|name| point_of(size, name)).collect::<Result<PointSet, _>>();
    let marks = StoneMarks { dead: points(&request.dead)?, seki: points(&request.seki)? };
    let terms = ScoreTerms {
        rules: request.rules.or(says.rules).unwrap_or_default(),
        komi: given.or(says.komi).unwrap_or_default(),
        captured: at.captured,
    };
    let found = scoring::score(chains, &marks, terms)?;
    Ok(EditedScoreView { v: VERSION, score: GoScoreView::of(size, &found, &says) })
}
