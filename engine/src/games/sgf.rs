//! Positions from SGF, as far as the main line goes, for games that put stones on points.

use super::rows::Place;
use crate::notation::sgf::collection::{Property, unescape};
use crate::notation::sgf::point;
use crate::notation::sgf::read::{ReadSgf, SgfFault, SgfNotice, SgfReadError, TextPlace, read_main_line};

/// Text that is no SGF.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SgfError {
    /// It has no game, a value without an end, or too much.
    #[error(transparent)]
    Read(#[from] SgfReadError),
    /// Something is not as the standard has it.
    #[error("SGF: {0}")]
    Form(SgfNotice),
    /// A value that its property does not take.
    #[error("SGF: {property}[{value}] is not a valid {expected}")]
    Value {
        /// Name of the property.
        property: String,
        /// The value that it has.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
}

impl SgfError {
    /// A value that its property does not take.
    pub fn value(property: &str, value: &str, expected: &'static str) -> SgfError {
        SgfError::Value { property: property.to_owned(), value: value.to_owned(), expected }
    }
}

/// Whether a text begins like SGF.
pub fn is_sgf(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('(')
}

/// The properties of one node: names, each once, and values without their escapes.
pub type Node = Vec<(String, Vec<String>)>;

/// The nodes of the main line of the first game: of each branching the first branch. There is at least one. What
/// follows its end is not looked at.
///
/// # Errors
/// Text that is no SGF, and what may change the position when it is mended.
pub fn main_line(text: &str) -> Result<Vec<Node>, SgfError> {
    let ReadSgf { collection, notices, .. } = read_main_line(text)?;
    let changes_nothing = |notice: &SgfNotice| {
        matches!(notice.fault, SgfFault::BeforeGame | SgfFault::NotAName(_) | SgfFault::Doubled(_))
    };
    if let Some(notice) = notices.into_iter().find(|notice| !changes_nothing(notice)) {
        return Err(SgfError::Form(notice));
    }
    let nodes = collection.main_line(collection.games()[0]);
    Ok(nodes.map(|id| node_of(collection.properties(id))).collect())
}

/// Where a node of the main line of a text begins, by its number from 0: for messages about it.
pub fn main_line_place(text: &str, number: usize) -> Option<TextPlace> {
    let read = read_main_line(text).ok()?;
    let id = read.collection.main_line(*read.collection.games().first()?).nth(number)?;
    Some(read.place(text, id))
}

/// The properties of a node with their values as texts.
pub fn node_of(properties: &[Property]) -> Node {
    let texts =
        |property: &Property| (property.name.clone(), property.values.iter().map(|value| unescape(value)).collect());
    properties.iter().map(texts).collect()
}

/// The points of a value: one, or a rectangle `aa:cc`.
///
/// # Errors
/// A point outside a board of these columns and rows.
pub fn points_of(size: (u8, u8), property: &str, value: &str) -> Result<Vec<Place>, SgfError> {
    let wrong = || SgfError::value(property, value, "point of the board");
    point::parse_all(size, value).ok_or_else(wrong)
}

/// Columns and rows that a root node says, else the usual ones.
///
/// # Errors
/// A size that is no number.
pub fn board_of(root: &Node, usual: (u8, u8)) -> Result<(u8, u8), SgfError> {
    let Some(size) = root.iter().find(|(name, _)| name == "SZ").and_then(|(_, values)| values.first()) else {
        return Ok(usual);
    };
    let wrong = || SgfError::Value { property: "SZ".to_owned(), value: size.clone(), expected: "size of a board" };
    let number = |text: &str| text.trim().parse::<u8>().map_err(|_| wrong());
    let (width, height) = size.split_once(':').unwrap_or((size, size));
    Ok((number(width)?, number(height)?))
}
