//! The corners of the position at a node in a dictionary of joseki.

use super::EditorError;
use super::trees::{NodeAt, side_word};
use crate::daemon::view::{JosekiCornerView, JosekiMoveView, JosekiRequest, JosekiView, VERSION};
use crate::games::go::large::points::LargeBoard;
use crate::notation::sgf::read::TextPlace;
use crate::tactics::joseki::{JosekiDictionary, JosekiMatch, JosekiMove};

/// Most bytes of a dictionary.
pub const MOST_DICTIONARY: usize = 3 << 20;
/// Most characters of a remark.
const LONGEST_REMARK: usize = 1000;

/// The moves that a dictionary has for the corners of the position at a node.
///
/// # Errors
/// Nodes that are no trees, a position that cannot be, or text that is no dictionary.
pub fn joseki(request: &JosekiRequest) -> Result<JosekiView, EditorError> {
    let text = &request.dictionary;
    if let Some(read) = text.as_bytes().get(..MOST_DICTIONARY).filter(|read| read.len() < text.len()) {
        return Err(EditorError::LongDictionary(text.len(), TextPlace::behind(read)));
    }
    let NodeAt { position, .. } = NodeAt::new(&request.nodes, request.at)?.sound()?;
    let dictionary = JosekiDictionary::read(text)?;
    let found = dictionary.look_up(position.chains());
    let corners = found.into_iter().map(|corner| corner_view(position.size(), corner));
    Ok(JosekiView {
        v: VERSION,
        positions: dictionary.len() as u64,
        corners: corners.collect(),
        notices: dictionary.notices().to_vec(),
    })
}

fn corner_view(size: LargeBoard, JosekiMatch { corner, lines, moves }: JosekiMatch) -> JosekiCornerView {
    let move_view = |JosekiMove { side, point, mark, remark, behind }: JosekiMove| JosekiMoveView {
        side: side_word(side).to_owned(),
        name: point.map(|point| size.name(point)),
        mark: mark.map(|mark| mark.name().to_owned()),
        remark: remark.chars().take(LONGEST_REMARK).collect(),
        positions: behind as u64,
    };
    let moves = moves.into_iter().map(move_view).collect();
    JosekiCornerView { corner: corner.name().to_owned(), lines, moves }
}
