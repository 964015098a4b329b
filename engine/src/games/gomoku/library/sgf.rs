//! Libraries as game trees in SGF (GM\[4\]) and back.
//!
//! | library | SGF |
//! |---|---|
//! | move, pass | `B` and `W` in turn; an empty value is a pass |
//! | comment | `C`; its first line is the first line of the comment |
//! | board text | a value of `LB` in the node above |
//! | mark | `HO[1]` |
//! | where the library is opened | `START[1]`, a property of this program's own |
//!
//! SGF has no place for a board text on a pass, or for what else a point with a board text only has. A library has no
//! place for stones that are set up, for other boards and for all other properties. Variations with the same move
//! become one in a library, and what a node without a move has goes to the node above.

use super::{GomokuLibrary, LibraryDepthError, LibraryNodeId};
use crate::core::game::Side;
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::record::RecordError;
use crate::games::sgf::{SgfError, board_of, node_of};
use crate::notation::sgf::collection::{MOST_NODES, Property, SgfCollection, SgfNodeId, escape, unescape};
use crate::notation::sgf::point;
use std::collections::BTreeSet;

/// The board of every library.
const SIZE: (u8, u8) = (15, 15);
/// The property of the node where a library is opened.
const START: &str = "START";
/// Properties that say of a file what is always so in a library, or how it is shown.
const OF_FILES: [&str; 6] = ["FF", "CA", "AP", "ST", "GM", "SZ"];
/// Names of properties that are told.
const MOST_NAMES: usize = 20;

/// A library as SGF.
#[derive(Debug, Clone)]
pub struct LibrarySgf {
    /// One game with the tree.
    pub collection: SgfCollection,
    /// Texts and marks that SGF has no place for.
    pub left_out: usize,
}

/// A library that was made of SGF.
#[derive(Debug, Clone)]
pub struct SgfLibrary {
    /// The tree that was read.
    pub library: GomokuLibrary,
    /// Properties that a library has no place for, at most 20 names.
    pub left_out: BTreeSet<String>,
    /// Games of the file after the first one, which are not taken.
    pub more_games: usize,
}

/// A tree that one of the formats cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LibrarySgfError {
    /// More nodes than SGF is read with.
    #[error("a library of {0} nodes is too large for SGF: at most {MOST_NODES} nodes are read")]
    TooManyNodes(usize),
    /// SGF of another game, with sides out of turn, or with a value that means nothing.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A board of another size.
    #[error("SGF: the board is {0}x{1}: a library is of 15x15")]
    Size(u8, u8),
    /// Stones that are set up.
    #[error("SGF: {0} sets up stones, which a library cannot hold")]
    SetUp(String),
    /// A game that white begins.
    #[error("SGF: white makes the first move: in a library black does")]
    WhiteBegins,
    /// Too many moves one after the other.
    #[error(transparent)]
    Depth(#[from] LibraryDepthError),
}

impl From<SgfError> for LibrarySgfError {
    fn from(error: SgfError) -> LibrarySgfError {
        LibrarySgfError::Record(error.into())
    }
}

/// The tree as a game in SGF.
///
/// # Errors
/// More nodes than SGF is read with.
pub fn to_sgf(library: &GomokuLibrary) -> Result<LibrarySgf, LibrarySgfError> {
    if library.len() > MOST_NODES {
        return Err(LibrarySgfError::TooManyNodes(library.len()));
    }
    let mut collection = SgfCollection::new();
    let head = vec![Property::new("GM", "4"), Property::new("SZ", "15")];
    let game = collection.add_game([head, properties(library, library.root())].concat());
    let mut left_out = usize::from(!library.board_text(library.root()).is_empty());
    // The places of those nodes that are in the game; the nodes above a node come before it.
    let mut places: Vec<Option<SgfNodeId>> = vec![None; library.len()];
    places[0] = Some(game);
    for id in library.depth_first().skip(1) {
        let above = library.parent(id).and_then(|above| places[above.0 as usize]);
        let Some(above) = above else { continue };
        let name = library.point(id).map(|point| point::name(GomokuBoard::USUAL.place(point)));
        left_out += usize::from(name.is_none() && !library.board_text(id).is_empty());
        if library.is_move(id) {
            let colour = if library.side(id) == Side::First { "B" } else { "W" };
            let own = vec![Property::new(colour, name.as_deref().unwrap_or_default())];
            places[id.0 as usize] = Some(collection.add_child(above, [own, properties(library, id)].concat()));
        } else {
            let other = [!library.comment(id).is_empty(), library.is_marked(id), library.is_start(id)];
            left_out += other.into_iter().filter(|&other| other).count();
        }
    }
    Ok(LibrarySgf { collection, left_out })
}

/// What a node has beside its move, with the board texts of those below it.
fn properties(library: &GomokuLibrary, id: LibraryNodeId) -> Vec<Property> {
    let mut found = Vec::new();
    if !library.comment(id).is_empty() {
        found.push(Property::text("C", library.comment(id)));
    }
    if library.is_marked(id) {
        found.push(Property::new("HO", "1"));
    }
    if library.is_start(id) {
        found.push(Property::new(START, "1"));
    }
    let label = |below: LibraryNodeId| {
        let name = point::name(GomokuBoard::USUAL.place(library.point(below)?));
        let text = escape(library.board_text(below)).replace(':', "\\:");
        (!text.is_empty()).then(|| format!("{name}:{text}"))
    };
    let values: Vec<String> = library.children(id).filter_map(label).collect();
    if !values.is_empty() {
        found.push(Property { name: "LB".to_owned(), values });
    }
    found
}

/// A library of the first game of a collection.
///
/// # Errors
/// Another game or board, stones that are set up, sides out of turn, points off the board, a tree that is too deep.
pub fn from_sgf(collection: &SgfCollection) -> Result<SgfLibrary, LibrarySgfError> {
    let mut found = SgfLibrary {
        library: GomokuLibrary::new(),
        left_out: BTreeSet::new(),
        more_games: collection.games().len().saturating_sub(1),
    };
    let Some(&game) = collection.games().first() else { return Ok(found) };
    let root = node_of(collection.properties(game));
    if let Some(other) = collection.values(game, "GM").first().map(|value| value.trim()).filter(|value| *value != "4")
    {
        return Err(RecordError::OtherGame(other.to_owned()).into());
    }
    match board_of(&root, SIZE)? {
        SIZE => (),
        (width, height) => return Err(LibrarySgfError::Size(width, height)),
    }
    // Moves first, since a board text on a point of a move belongs to the node of the move.
    let (mut open, mut places) = (vec![(game, found.library.root())], Vec::new());
    while let Some((id, above)) = open.pop() {
        let mut at = above;
        for property in collection.properties(id) {
            at = play(&mut found.library, at, property)?;
        }
        places.push((id, at));
        open.extend(collection.children(id).iter().rev().map(|&below| (below, at)));
    }
    for (id, at) in places {
        for property in collection.properties(id) {
            annotate(&mut found, at, property);
        }
    }
    Ok(found)
}

/// The node after a property that moves, or the same one.
fn play(
    library: &mut GomokuLibrary,
    at: LibraryNodeId,
    property: &Property,
) -> Result<LibraryNodeId, LibrarySgfError> {
    let first = || property.values.first().map(|value| unescape(value)).unwrap_or_default();
    let made = library.depth(at);
    let turn = if made.is_multiple_of(2) { "B" } else { "W" };
    match property.name.as_str() {
        "AB" | "AW" | "AE" => Err(LibrarySgfError::SetUp(property.name.clone())),
        "PL" => match first().trim() {
            value if value.eq_ignore_ascii_case(turn) => Ok(at),
            value if !["B", "W", "b", "w"].contains(&value) => Err(SgfError::value("PL", value, "colour").into()),
            _ if made == 0 => Err(LibrarySgfError::WhiteBegins),
            _ => Err(RecordError::Turn(made + 1).into()),
        },
        colour @ ("B" | "W") => {
            if colour != turn {
                let wrong = if made == 0 { LibrarySgfError::WhiteBegins } else { RecordError::Turn(made + 1).into() };
                return Err(wrong);
            }
            let value = first();
            let point = match value.trim() {
                // Versions of SGF before the fourth write a pass as a point beyond the board.
                "" | "tt" => None,
                name => {
                    let place = point::parse(SIZE, name);
                    let wrong = || SgfError::value(colour, name, "point of the board");
                    Some(place.and_then(|(x, y)| GomokuBoard::USUAL.point(x, y)).ok_or_else(wrong)?)
                }
            };
            Ok(library.add_move(at, point)?)
        }
        _ => Ok(at),
    }
}

/// Puts what is no move into the node.
fn annotate(found: &mut SgfLibrary, at: LibraryNodeId, property: &Property) {
    let library = &mut found.library;
    let taken = match property.name.as_str() {
        "C" => {
            property.values.iter().for_each(|value| library.add_comment(at, &unescape(value)));
            true
        }
        "HO" => {
            library.set_mark(at, true);
            true
        }
        START => {
            library.set_start(at, true);
            true
        }
        "LB" => property.values.iter().filter(|value| label(library, at, value).is_none()).count() == 0,
        "B" | "W" | "PL" => true,
        name => OF_FILES.contains(&name),
    };
    if !taken && found.left_out.len() < MOST_NAMES {
        found.left_out.insert(property.name.clone());
    }
}

/// Puts a board text on a point; `None` if that is not possible.
fn label(library: &mut GomokuLibrary, at: LibraryNodeId, value: &str) -> Option<()> {
    let (name, text) = value.split_once(':')?;
    let (x, y) = point::parse(SIZE, name.trim())?;
    let below = library.add_text_point(at, GomokuBoard::USUAL.point(x, y)?).ok()?;
    library.add_board_text(below, &unescape(text));
    Some(())
}
