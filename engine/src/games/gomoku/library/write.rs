//! Libraries written, in version 3.4, with the empty board as the first node.

use super::{GomokuLibrary, HEADER, LibraryNode, LibraryNodeId, MAGIC, NEWEST, NONE, bit};
use encoding_rs::Encoding;
use std::borrow::Cow;

/// A text that has characters which its character set does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the text `{text}` has characters that are not in {set}")]
pub struct LibraryWriteError {
    /// The beginning of the text.
    pub text: String,
    /// The name of the character set.
    pub set: &'static str,
}

/// The bytes of a library. Texts are in UTF-8 without `encoding`; [`super::read::read`] reads them back with the same
/// one. The program that the format comes from reads them in the character set of its machine.
///
/// # Errors
/// If a text cannot be in this character set.
pub fn write(library: &GomokuLibrary, encoding: Option<&'static Encoding>) -> Result<Vec<u8>, LibraryWriteError> {
    let mut bytes = Vec::with_capacity(HEADER + 2 * library.len());
    bytes.extend(MAGIC);
    bytes.extend([NEWEST.0, NEWEST.1]);
    bytes.resize(HEADER, 0xFF);
    for id in library.depth_first() {
        write_node(library, id, encoding, &mut bytes)?;
    }
    Ok(bytes)
}

fn write_node(
    library: &GomokuLibrary,
    id: LibraryNodeId,
    encoding: Option<&'static Encoding>,
    bytes: &mut Vec<u8>,
) -> Result<(), LibraryWriteError> {
    let &LibraryNode { first, next, place, is_move, marked, start, .. } = library.node(id);
    let (comment, board_text) = (library.comment(id), library.board_text(id));
    let is_root = id == library.root();
    let mut bits = 0;
    for (is_so, bit) in [
        (next != NONE, bit::SIBLING),
        (first == NONE && !is_root, bit::LEAF),
        (marked, bit::MARK),
        (!comment.is_empty(), bit::COMMENT),
        (start, bit::START),
        (!is_move && !is_root, bit::NO_MOVE),
        (!board_text.is_empty(), bit::EXTENSION),
    ] {
        bits |= if is_so { bit } else { 0 };
    }
    bytes.extend([place, bits]);
    if !board_text.is_empty() {
        bytes.extend([0, bit::BOARD_TEXT]);
    }
    if !comment.is_empty() {
        // The first line is a part of its own, and the others end as the program that shows them expects it.
        let parts = comment.split_once('\n');
        let text =
            parts.map_or(comment.into(), |(first, rest)| format!("{first}\u{8}{}", rest.replace('\n', "\r\n")));
        write_text(&text, encoding, bytes)?;
    }
    if !board_text.is_empty() {
        write_text(board_text, encoding, bytes)?;
    }
    Ok(())
}

fn write_text(text: &str, encoding: Option<&'static Encoding>, bytes: &mut Vec<u8>) -> Result<(), LibraryWriteError> {
    let encoded = match encoding {
        None => Cow::Borrowed(text.as_bytes()),
        Some(set) => match set.encode(text) {
            (encoded, _, false) => encoded,
            _ => {
                let text = text.chars().take(20).map(|c| if c.is_control() { ' ' } else { c }).collect();
                return Err(LibraryWriteError { text, set: set.name() });
            }
        },
    };
    bytes.extend(&*encoded);
    bytes.push(0);
    if encoded.len() % 2 == 0 {
        bytes.push(0);
    }
    Ok(())
}
