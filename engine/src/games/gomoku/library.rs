//! Libraries of Gomoku and renju (`.lib`, the format of the program RenLib): trees of moves on 15x15 with comments,
//! board texts and marks. They hold opening books and analyses.
//!
//! A file is a header of 20 bytes (`FF`, `RenLib`, `FF`, two bytes of version, ten bytes `FF`) and the nodes of the
//! tree, each before those below it. A node has two bytes. The first is its point, `16 row + column` with rows from 0
//! at the top and columns from 1; 0 is no point. The second has eight bits:
//!
//! | bit | meaning |
//! |---|---|
//! | `80` | another node comes later that is below the same node as this one |
//! | `40` | no node is below this one |
//! | `20` | a comment of early versions follows: characters of 7 bits, the last of which has the bit `80` |
//! | `10` | the node is marked |
//! | `08` | a comment follows, which a byte 0 ends |
//! | `04` | the node is where the library is to be opened |
//! | `02` | no stone is put on the point: it has a board text only |
//! | `01` | two more bytes follow at once; by bit `01` of the second, a board text follows, which a byte 0 ends |
//!
//! A text takes an even number of bytes. In a comment, a byte 8 parts the first line from the others. A board text is
//! shown on the point of its node while the node above is on the board. Since version 3.1 the first node is the empty
//! board, with point 0; where it is missing, as in most files of version 3.0, the first node is the first move.
//! Elsewhere, point 0 is a pass.
//!
//! [`read`] and [`mod@write`] are the format, [`sgf`] converts to game trees in SGF and back. Nothing here is
//! recursive.

pub mod read;
pub mod sgf;
pub mod write;

use super::board::GomokuBoard;
use crate::core::game::Side;

/// What a file begins with.
pub const MAGIC: [u8; 8] = *b"\xFFRenLib\xFF";
/// Bytes of the header.
const HEADER: usize = 20;
/// The newest version of the format, major and minor number.
pub const NEWEST: (u8, u8) = (3, 4);
/// Most nodes one below the other, the empty board not counted.
pub const MOST_DEPTH: usize = 225;

/// The bits of the second byte of a node.
mod bit {
    pub const SIBLING: u8 = 0x80;
    pub const LEAF: u8 = 0x40;
    pub const OLD_COMMENT: u8 = 0x20;
    pub const MARK: u8 = 0x10;
    pub const COMMENT: u8 = 0x08;
    pub const START: u8 = 0x04;
    pub const NO_MOVE: u8 = 0x02;
    pub const EXTENSION: u8 = 0x01;
    /// In the last byte of the extension.
    pub const BOARD_TEXT: u8 = 0x01;
}

/// Whether bytes begin like a library.
pub fn is_library(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// A node of a [`GomokuLibrary`]. Those below a node have greater numbers than the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LibraryNodeId(u32);

/// The number of no node.
const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct LibraryTexts {
    comment: String,
    board_text: String,
}

#[derive(Debug, Clone)]
struct LibraryNode {
    parent: u32,
    first: u32,
    last: u32,
    next: u32,
    /// The point as the format has it.
    place: u8,
    /// How many nodes are above it.
    depth: u8,
    is_move: bool,
    marked: bool,
    start: bool,
    texts: Option<Box<LibraryTexts>>,
}

/// A tree of moves on 15x15; black makes the first one. The root is the empty board. A node is a move, which may be a
/// pass, or a point with a board text only. Nodes below one node have different points.
#[derive(Debug, Clone)]
pub struct GomokuLibrary {
    nodes: Vec<LibraryNode>,
}

/// A tree that would be deeper than [`MOST_DEPTH`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there are more than {MOST_DEPTH} moves one after the other: a library cannot hold them")]
pub struct LibraryDepthError;

/// What there is in a library.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct LibraryCounts {
    /// Nodes of the tree without the root.
    pub nodes: usize,
    /// Those that are moves.
    pub moves: usize,
    /// Moves of the longest line.
    pub depth: usize,
    /// Moves after which there is no other one.
    pub lines: usize,
    /// Nodes with a comment, the root among them.
    pub comments: usize,
    /// Nodes with a board text.
    pub board_texts: usize,
    /// Nodes that are marked.
    pub marks: usize,
}

impl Default for GomokuLibrary {
    fn default() -> GomokuLibrary {
        GomokuLibrary::new()
    }
}

impl GomokuLibrary {
    /// The empty board alone.
    pub fn new() -> GomokuLibrary {
        let root = LibraryNode {
            parent: NONE,
            first: NONE,
            last: NONE,
            next: NONE,
            place: 0,
            depth: 0,
            is_move: false,
            marked: false,
            start: false,
            texts: None,
        };
        GomokuLibrary { nodes: vec![root] }
    }

    /// The empty board.
    pub fn root(&self) -> LibraryNodeId {
        LibraryNodeId(0)
    }

    /// The node above; `None` for the root.
    pub fn parent(&self, id: LibraryNodeId) -> Option<LibraryNodeId> {
        known(self.node(id).parent)
    }

    /// The nodes below a node, in the order of the file; the first move among them is the main one.
    pub fn children(&self, id: LibraryNodeId) -> impl Iterator<Item = LibraryNodeId> {
        std::iter::successors(known(self.node(id).first), |&id| known(self.node(id).next))
    }

    /// The point of a node on the board of 15x15; `None` for a pass and for the root.
    pub fn point(&self, id: LibraryNodeId) -> Option<u16> {
        point_of(self.node(id).place)
    }

    /// Whether a node is a move. Others have a board text only, and the root is none.
    pub fn is_move(&self, id: LibraryNodeId) -> bool {
        self.node(id).is_move
    }

    /// Whether a node is marked.
    pub fn is_marked(&self, id: LibraryNodeId) -> bool {
        self.node(id).marked
    }

    /// Whether the library is to be opened at a node.
    pub fn is_start(&self, id: LibraryNodeId) -> bool {
        self.node(id).start
    }

    /// The comment of a node, empty if there is none. The original program shows its first line by itself.
    pub fn comment(&self, id: LibraryNodeId) -> &str {
        self.node(id).texts.as_ref().map_or("", |texts| &texts.comment)
    }

    /// The text on the point of a node, empty if there is none. It is shown while the node above is on the board.
    pub fn board_text(&self, id: LibraryNodeId) -> &str {
        self.node(id).texts.as_ref().map_or("", |texts| &texts.board_text)
    }

    /// How many nodes are above a node.
    pub fn depth(&self, id: LibraryNodeId) -> usize {
        self.node(id).depth.into()
    }

    /// How many nodes there are, with the root.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing but the empty board.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// The move to this point below a node, or the pass; it is added as the last one if there is none. `None` as a
    /// point is a pass.
    ///
    /// # Errors
    /// If the tree would become too deep.
    pub fn add_move(&mut self, below: LibraryNodeId, point: Option<u16>) -> Result<LibraryNodeId, LibraryDepthError> {
        self.enter(below, point.map_or(0, place_of), true)
    }

    /// The node with this point below a node; it is added as one with a board text only if there is none.
    ///
    /// # Errors
    /// If the tree would become too deep.
    pub fn add_text_point(&mut self, below: LibraryNodeId, point: u16) -> Result<LibraryNodeId, LibraryDepthError> {
        self.enter(below, place_of(point), false)
    }

    /// Adds a text to the comment of a node, as lines of their own, unless it is the comment already. Ends of lines
    /// become `\n`, other control characters blanks.
    pub fn add_comment(&mut self, id: LibraryNodeId, text: &str) {
        let lines = text.replace("\r\n", "\n").replace('\r', "\n");
        append(self.texts_mut(id), |texts| &mut texts.comment, '\n', without_controls(&lines, "\n\t"));
    }

    /// Adds a text to the board text of a node, unless it is that already. Control characters become blanks.
    pub fn add_board_text(&mut self, id: LibraryNodeId, text: &str) {
        append(self.texts_mut(id), |texts| &mut texts.board_text, ' ', without_controls(text, ""));
    }

    /// Marks a node, or not.
    pub fn set_mark(&mut self, id: LibraryNodeId, marked: bool) {
        self.node_mut(id).marked = marked;
    }

    /// Says whether the library is to be opened at a node.
    pub fn set_start(&mut self, id: LibraryNodeId, start: bool) {
        self.node_mut(id).start = start;
    }

    /// The nodes, each before those below it, in the order in which a file has them.
    pub fn depth_first(&self) -> impl Iterator<Item = LibraryNodeId> {
        let (mut open, mut next) = (Vec::new(), Some(self.root()));
        std::iter::from_fn(move || {
            let id = next.or_else(|| open.pop())?;
            open.extend(known(self.node(id).next));
            next = known(self.node(id).first);
            Some(id)
        })
    }

    /// The points from the root to a node; `None` is a pass.
    pub fn path(&self, id: LibraryNodeId) -> Vec<Option<u16>> {
        let line = std::iter::successors(Some(id), |&id| self.parent(id)).filter(|&id| id != self.root());
        let mut points: Vec<Option<u16>> = line.map(|id| self.point(id)).collect();
        points.reverse();
        points
    }

    /// The moves after which there is no other one, in their order.
    pub fn line_ends(&self) -> impl Iterator<Item = LibraryNodeId> {
        self.depth_first().filter(|&id| self.is_move(id) && !self.children(id).any(|below| self.is_move(below)))
    }

    /// The points of the first line: of each branching the first move. `None` is a pass.
    pub fn first_line(&self) -> Vec<Option<u16>> {
        let first = |&id: &LibraryNodeId| self.children(id).find(|&below| self.is_move(below));
        let line = std::iter::successors(first(&self.root()), first);
        line.map(|id| self.point(id)).collect()
    }

    /// The side whose move a node is.
    pub fn side(&self, id: LibraryNodeId) -> Side {
        if self.depth(id) % 2 == 1 { Side::First } else { Side::Second }
    }

    /// What there is in it.
    pub fn counts(&self) -> LibraryCounts {
        let mut counts = LibraryCounts { nodes: self.nodes.len() - 1, ..LibraryCounts::default() };
        for id in (0..self.nodes.len() as u32).map(LibraryNodeId) {
            if self.is_move(id) {
                counts.moves += 1;
                counts.depth = counts.depth.max(self.depth(id));
            }
            counts.comments += usize::from(!self.comment(id).is_empty());
            counts.board_texts += usize::from(!self.board_text(id).is_empty());
            counts.marks += usize::from(self.is_marked(id));
        }
        counts.lines = self.line_ends().count();
        counts
    }

    fn node(&self, id: LibraryNodeId) -> &LibraryNode {
        &self.nodes[id.0 as usize]
    }

    fn node_mut(&mut self, id: LibraryNodeId) -> &mut LibraryNode {
        &mut self.nodes[id.0 as usize]
    }

    fn texts_mut(&mut self, id: LibraryNodeId) -> &mut Option<Box<LibraryTexts>> {
        &mut self.node_mut(id).texts
    }

    /// The node with this place below a node, added if there is none. What has something below it is a move.
    fn enter(&mut self, below: LibraryNodeId, place: u8, is_move: bool) -> Result<LibraryNodeId, LibraryDepthError> {
        let there = self.children(below).find(|&id| self.node(id).place == place);
        if let Some(id) = there {
            self.node_mut(id).is_move |= is_move;
            return Ok(id);
        }
        let depth = self.depth(below) + 1;
        if depth > MOST_DEPTH {
            return Err(LibraryDepthError);
        }
        let id = LibraryNodeId(self.nodes.len() as u32);
        let (first, last, next, depth) = (NONE, NONE, NONE, depth as u8);
        let (marked, start, texts) = (false, false, None);
        self.nodes.push(LibraryNode {
            parent: below.0,
            first,
            last,
            next,
            place,
            depth,
            is_move,
            marked,
            start,
            texts,
        });
        let above = self.node_mut(below);
        above.is_move |= below.0 != 0;
        let last = std::mem::replace(&mut above.last, id.0);
        match known(last) {
            Some(last) => self.node_mut(last).next = id.0,
            None => self.node_mut(below).first = id.0,
        }
        Ok(id)
    }
}

/// Two libraries are equal if their trees have the same nodes in the same order.
impl PartialEq for GomokuLibrary {
    fn eq(&self, other: &GomokuLibrary) -> bool {
        fn content(library: &GomokuLibrary, id: LibraryNodeId) -> impl PartialEq {
            let LibraryNode { place, depth, is_move, marked, start, .. } = *library.node(id);
            (place, depth, is_move, marked, start)
        }
        self.len() == other.len()
            && self.depth_first().zip(other.depth_first()).all(|(one, another)| {
                content(self, one) == content(other, another)
                    && self.comment(one) == other.comment(another)
                    && self.board_text(one) == other.board_text(another)
            })
    }
}

/// Puts a text behind another one, unless one of them is empty or they are the same.
fn append(
    texts: &mut Option<Box<LibraryTexts>>,
    own: impl Fn(&mut LibraryTexts) -> &mut String,
    between: char,
    text: String,
) {
    if text.is_empty() {
        return;
    }
    let there = own(texts.get_or_insert_default());
    if there.is_empty() {
        *there = text;
    } else if *there != text {
        there.push(between);
        there.push_str(&text);
    }
}

fn known(number: u32) -> Option<LibraryNodeId> {
    (number != NONE).then_some(LibraryNodeId(number))
}

/// Whether a byte is a point or no point.
fn is_place(place: u8) -> bool {
    place == 0 || ((1..=15).contains(&(place % 16)) && place / 16 < 15)
}

/// The point of a byte; `None` for no point.
fn point_of(place: u8) -> Option<u16> {
    GomokuBoard::USUAL.point((place % 16).checked_sub(1)?, place / 16)
}

/// The byte of a point.
fn place_of(point: u16) -> u8 {
    let (x, y) = GomokuBoard::USUAL.place(point);
    (16 * y.min(14) + x.min(14)) + 1
}

fn without_controls(text: &str, except: &str) -> String {
    text.chars().map(|c| if c.is_control() && c < '\u{80}' && !except.contains(c) { ' ' } else { c }).collect()
}
