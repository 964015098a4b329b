//! The editor of game trees of Go, as far as the daemon is needed for it: SGF is read and written, positions are
//! played to by the rules and counted, tactical questions are answered, patterns are read, added and looked for, and
//! corners are looked up in a dictionary of joseki.
//!
//! Nothing is kept: a client sends what is asked about each time. So everything has a bound, and a question can be
//! stopped at any time.

mod examples;
mod joseki;
mod patterns;
mod question;
mod score;
mod trees;

pub use examples::examples;
pub use joseki::{MOST_DICTIONARY, joseki};
pub use patterns::{add_pattern, match_patterns, patterns};
pub use question::{MOST_BUDGET, answer};
pub use score::score;
pub use trees::{position, read, write};

use crate::games::go::notation::GoReadError;
use crate::games::go::scoring::ScoringError;
use crate::notation::sgf::read::{SgfReadError, TextPlace};
use crate::tactics::goal::QuestionError;
use crate::tactics::joseki::JosekiError;
use crate::tactics::pattern::database::DatabaseError;

/// Most bytes of a file that is read.
pub const MOST_FILE: usize = 512 << 10;
/// Most nodes of the trees of a request or an answer.
pub const MOST_TREE_NODES: usize = 10_000;
/// Most bytes of the trees of an answer, so that they fit into a request when they come back.
const MOST_TREE_BYTES: usize = 900 << 10;

/// Why the editor refuses something.
#[derive(Debug, thiserror::Error)]
pub enum EditorError {
    /// Text that is no SGF.
    #[error(transparent)]
    Sgf(#[from] SgfReadError),
    /// A file that is too long.
    #[error("{1}: SGF of {0} bytes is too long for the editor: it takes at most {MOST_FILE}, as far as here")]
    TooLong(usize, TextPlace),
    /// A file with too many nodes: how many, and where the first one too much is.
    #[error("{1}: {0} nodes are too many for the editor: it takes at most {MOST_TREE_NODES}")]
    TooManyRead(usize, TextPlace),
    /// A dictionary that is too long.
    #[error("{1}: a dictionary of {0} bytes is too long: at most {MOST_DICTIONARY} are read, as far as here")]
    LongDictionary(usize, TextPlace),
    /// A dictionary that cannot be read.
    #[error("dictionary: {0}")]
    Joseki(#[from] JosekiError),
    /// Too many nodes.
    #[error("{0} nodes are too many for the editor: it takes at most {MOST_TREE_NODES}")]
    TooManyNodes(usize),
    /// Trees that could not be sent back.
    #[error(
        "the trees of this file are too large for the editor: as JSON they have {0} bytes of at most {MOST_TREE_BYTES}"
    )]
    TooLarge(usize),
    /// A list without nodes.
    #[error("nodes: expected at least one")]
    NoNode,
    /// A node before the one above it.
    #[error("nodes[{0}].parent: expected the place of a node before it, or null")]
    Parent(usize),
    /// A name that no property has.
    #[error("nodes[{0}]: {1:?} is not the name of a property: expected capital letters, and digits behind them")]
    Name(usize, String),
    /// A property that its node has twice, or without values.
    #[error("nodes[{0}].{1}: expected each property once, with a value at least, and the comment apart from them")]
    Property(usize, String),
    /// A value that would end too early in a file, or too late.
    #[error("nodes[{0}].{1}: a value has a `]` without a `\\` before it, or ends in a `\\`")]
    Value(usize, String),
    /// A place in a list that has no node there.
    #[error("at is {0}: expected the place of one of {1} nodes")]
    At(u32, usize),
    /// A position that cannot be.
    #[error(transparent)]
    Position(#[from] GoReadError),
    /// A question that makes no sense there.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// Marks that contradict a position that is to be counted.
    #[error(transparent)]
    Scoring(#[from] ScoringError),
    /// A komi that is none.
    #[error("komi: expected a number of whole or half points, such as 6.5")]
    Komi,
    /// A budget out of range.
    #[error("budget: expected 1 to {MOST_BUDGET} nodes")]
    Budget,
    /// Text that is no file of patterns.
    #[error("patterns: {0}")]
    Patterns(#[from] DatabaseError),
    /// A pattern that cannot be looked for, or is too large.
    #[error("patterns: pattern {0}: {1}")]
    Pattern(usize, String),
    /// What cannot be added as a pattern.
    #[error("{0}")]
    NotAdded(String),
    /// A word that names no goal of patterns.
    #[error("goal: expected universal, capture or connect")]
    Goal,
    /// A rectangle that is not on the board.
    #[error("rectangle: expected columns and rows of the {0}x{1} board")]
    Rectangle(u8, u8),
}
