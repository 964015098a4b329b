//! Libraries read. What the original program takes is taken, and what it mends silently is told.

use super::{
    GomokuLibrary, HEADER, LibraryDepthError, LibraryNodeId, MAGIC, MOST_DEPTH, NEWEST, bit, is_library, is_place,
};
use encoding_rs::{Encoding, WINDOWS_1252};
use std::borrow::Cow;
use std::ops::Range;

/// Most bytes of a file.
pub const MOST_BYTES: usize = 64 << 20;
/// Most nodes of a file, the empty board not counted.
pub const MOST_LIBRARY_NODES: usize = 1 << 23;
/// Notices that are told one by one.
const MOST_NOTICES: usize = 20;

/// Bytes that are no library. Offsets count bytes from the beginning of the file, from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LibraryReadError {
    /// The bytes begin in another way.
    #[error("not a library: it does not begin with the byte FF, RenLib and the byte FF")]
    NotLibrary,
    /// A version whose format is not known.
    #[error("byte 8: the library is of version {major}.{minor}: versions up to {}.{} are read", NEWEST.0, NEWEST.1)]
    Version {
        /// The major number.
        major: u8,
        /// The minor number.
        minor: u8,
    },
    /// The end of the file where more bytes have to follow.
    #[error("byte {offset}: the file ends within {within} that begins here")]
    Cut {
        /// Where the part begins.
        offset: usize,
        /// What it is.
        within: &'static str,
    },
    /// A byte that is not a point.
    #[error("byte {offset}: {byte:02X} is not a point of the 15x15 board")]
    Point {
        /// Where it is.
        offset: usize,
        /// The byte itself.
        byte: u8,
    },
    /// Too many nodes one below the other.
    #[error("byte {0}: more than {MOST_DEPTH} nodes are one below the other")]
    Depth(usize),
    /// Too many bytes.
    #[error("a library of {0} bytes is too long: at most {MOST_BYTES} are read")]
    TooLong(usize),
    /// Too many nodes.
    #[error("a library with more than {MOST_LIBRARY_NODES} nodes is not read")]
    TooManyNodes,
}

/// Something that the format does not have, and what is made of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LibraryFault {
    /// The end before that of the tree.
    #[error("the file ends before the nodes that have to stand beside {0} others: it is a part of a library")]
    MissingSiblings(usize),
    /// The same where only nodes below the last one are missing.
    #[error("the file ends before the nodes that have to stand below the last one: it is a part of a library")]
    MissingBelow,
    /// A node after the end of the tree.
    #[error("a node comes after the end of the tree: it is put below the last one")]
    AfterEnd,
    /// A node that has no move, but nodes below it.
    #[error("nodes are below a point that has a board text only: it is taken as a move")]
    BelowText,
    /// A second empty board.
    #[error("the empty board cannot have a node beside it: this is left out")]
    BesideRoot,
    /// Bits of the extension that are not known.
    #[error("the extension {0:04X} has bits that are not known: they are left out")]
    Extension(u16),
    /// Texts that are not in the character set that was asked for.
    #[error("texts that are not in {set} are read as windows-1252: {count}")]
    CharacterSet {
        /// How many texts there are.
        count: usize,
        /// The name of the character set.
        set: &'static str,
    },
}

/// A fault and the byte where it was noticed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {fault}")]
pub struct LibraryNotice {
    /// Number of the byte, from 0.
    pub offset: usize,
    /// What it is.
    pub fault: LibraryFault,
}

/// What was read.
#[derive(Debug, Clone)]
pub struct ReadLibrary {
    /// The tree that was read.
    pub library: GomokuLibrary,
    /// The version that the file names.
    pub version: (u8, u8),
    /// What was mended. If there is a lot, the first of them.
    pub notices: Vec<LibraryNotice>,
    /// How many more there are.
    pub more_notices: usize,
}

/// Reads the bytes of a file. The format does not say how texts are encoded: without `encoding` they are read as
/// UTF-8 if all of them can be that, and as windows-1252 otherwise, in which every byte is a character.
///
/// Of a point that is below the same node more than once the nodes become one, as in the original program: a move has
/// its board text in a node of its own in some files. Two comments are put together.
///
/// # Errors
/// Bytes that are no library, or one that is cut off within a node or too large.
pub fn read(bytes: &[u8], encoding: Option<&'static Encoding>) -> Result<ReadLibrary, LibraryReadError> {
    if bytes.len() > MOST_BYTES {
        return Err(LibraryReadError::TooLong(bytes.len()));
    }
    if !is_library(bytes) {
        return Err(LibraryReadError::NotLibrary);
    }
    if bytes.len() < HEADER {
        return Err(LibraryReadError::Cut { offset: 0, within: "the header" });
    }
    let (major, minor) = (bytes[MAGIC.len()], bytes[MAGIC.len() + 1]);
    if (major, minor) > NEWEST {
        return Err(LibraryReadError::Version { major, minor });
    }
    let library = GomokuLibrary::new();
    let reader = LibraryReader {
        bytes,
        at: HEADER,
        library,
        nodes: 0,
        texts: Vec::new(),
        notices: Vec::new(),
        more_notices: 0,
    };
    let mut reader = reader.read()?;
    reader.decode(encoding);
    let LibraryReader { library, notices, more_notices, .. } = reader;
    Ok(ReadLibrary { library, version: (major, minor), notices, more_notices })
}

/// A text that is decoded when all are known.
struct FoundText {
    node: LibraryNodeId,
    is_comment: bool,
    place: Range<usize>,
    /// The text, if its characters are known.
    known: Option<String>,
}

struct LibraryReader<'a> {
    bytes: &'a [u8],
    /// Number of the next byte.
    at: usize,
    library: GomokuLibrary,
    /// Nodes that were read; some of them have become one.
    nodes: usize,
    texts: Vec<FoundText>,
    notices: Vec<LibraryNotice>,
    more_notices: usize,
}

impl LibraryReader<'_> {
    fn read(mut self) -> Result<Self, LibraryReadError> {
        // The node that the next one is below, and those to go back to at the ends of lines.
        let (mut above, mut open) = (self.library.root(), Vec::new());
        // Files of a part of a library begin with the moves to that part, which do not say where lines end.
        let (mut is_end, mut has_ends, mut ended) = (false, false, false);
        while self.at < self.bytes.len() {
            let begin = self.at;
            let [place, bits] = self.two(begin)?;
            let extension = if bits & bit::EXTENSION != 0 { self.two(begin)? } else { [0, 0] };
            if !is_place(place) {
                return Err(LibraryReadError::Point { offset: begin, byte: place });
            }
            let unknown = u16::from_be_bytes(extension) & !u16::from(bit::BOARD_TEXT);
            if unknown != 0 {
                self.tell(begin, LibraryFault::Extension(unknown));
            }
            let is_root = begin == HEADER && place == 0;
            let node = if is_root {
                self.library.root()
            } else {
                if std::mem::take(&mut ended) {
                    self.tell(begin, LibraryFault::AfterEnd);
                }
                self.enter(begin, above, place, bits & bit::NO_MOVE == 0)?
            };
            if bits & bit::OLD_COMMENT != 0 {
                self.old_comment(node)?;
            } else if bits & bit::COMMENT != 0 {
                self.text(node, true)?;
            }
            if extension[1] & bit::BOARD_TEXT != 0 {
                self.text(node, false)?;
            }
            if bits & bit::MARK != 0 {
                self.library.set_mark(node, true);
            }
            if bits & bit::START != 0 {
                self.library.set_start(node, true);
            }
            if bits & bit::SIBLING != 0 {
                if is_root {
                    self.tell(begin, LibraryFault::BesideRoot);
                } else {
                    open.push(above);
                }
            }
            above = node;
            is_end = bits & bit::LEAF != 0 && !is_root;
            has_ends |= is_end;
            if is_end {
                match open.pop() {
                    Some(back) => above = back,
                    None => ended = true,
                }
            }
        }
        let siblings = open.len() + usize::from(is_end && !ended);
        if siblings > 0 {
            self.tell(self.bytes.len(), LibraryFault::MissingSiblings(siblings));
        } else if has_ends && !is_end {
            self.tell(self.bytes.len(), LibraryFault::MissingBelow);
        }
        Ok(self)
    }

    fn enter(
        &mut self,
        begin: usize,
        above: LibraryNodeId,
        place: u8,
        is_move: bool,
    ) -> Result<LibraryNodeId, LibraryReadError> {
        self.nodes += 1;
        if self.nodes > MOST_LIBRARY_NODES {
            return Err(LibraryReadError::TooManyNodes);
        }
        if above != self.library.root() && !self.library.is_move(above) {
            self.tell(begin, LibraryFault::BelowText);
        }
        self.library.enter(above, place, is_move).map_err(|LibraryDepthError| LibraryReadError::Depth(begin))
    }

    /// The next two bytes, which belong to a node that begins at `begin`.
    fn two(&mut self, begin: usize) -> Result<[u8; 2], LibraryReadError> {
        let two = self.bytes[self.at..].first_chunk().copied();
        self.at += 2;
        two.ok_or(LibraryReadError::Cut { offset: begin, within: "a node" })
    }

    /// The bytes up to one that ends a text; `at` moves behind it, by an even number of bytes.
    fn until(&mut self, ends: impl Fn(u8) -> bool, within: &'static str) -> Result<Range<usize>, LibraryReadError> {
        let begin = self.at;
        let length = self.bytes[begin..].iter().position(|&byte| ends(byte));
        let length = length.ok_or(LibraryReadError::Cut { offset: begin, within })?;
        self.at = (begin + (length + 1).next_multiple_of(2)).min(self.bytes.len());
        Ok(begin..begin + length)
    }

    fn text(&mut self, node: LibraryNodeId, is_comment: bool) -> Result<(), LibraryReadError> {
        let place = self.until(|byte| byte == 0, if is_comment { "a comment" } else { "a board text" })?;
        self.texts.push(FoundText { node, is_comment, place, known: None });
        Ok(())
    }

    fn old_comment(&mut self, node: LibraryNodeId) -> Result<(), LibraryReadError> {
        let place = self.until(|byte| byte & 0x80 != 0, "a comment")?;
        let text = self.bytes[place.start..=place.end].iter().map(|byte| swedish(byte & 0x7F)).collect();
        self.texts.push(FoundText { node, is_comment: true, place, known: Some(text) });
        Ok(())
    }

    /// Gives the nodes their texts.
    fn decode(&mut self, encoding: Option<&'static Encoding>) {
        let (bytes, texts) = (self.bytes, std::mem::take(&mut self.texts));
        let unknown = texts.iter().filter(|text| text.known.is_none());
        let is_utf8 =
            encoding.is_none() && unknown.clone().all(|text| str::from_utf8(&bytes[text.place.clone()]).is_ok());
        let (mut count, mut first) = (0, 0);
        for FoundText { node, is_comment, place, known } in texts {
            let own = &bytes[place.clone()];
            let text: Cow<'_, str> = match (known, encoding) {
                (Some(text), _) => text.into(),
                (None, None) if is_utf8 => String::from_utf8_lossy(own),
                (None, None) => windows_1252(own),
                (None, Some(asked)) => {
                    let decoded = asked.decode_without_bom_handling_and_without_replacement(own);
                    decoded.unwrap_or_else(|| {
                        first = if count == 0 { place.start } else { first };
                        count += 1;
                        windows_1252(own)
                    })
                }
            };
            if is_comment {
                self.library.add_comment(node, &text.replacen('\u{8}', "\n", 1));
            } else {
                self.library.add_board_text(node, &text);
            }
        }
        if let (Some(asked), 1..) = (encoding, count) {
            self.tell(first, LibraryFault::CharacterSet { count, set: asked.name() });
        }
    }

    fn tell(&mut self, offset: usize, fault: LibraryFault) {
        if self.notices.len() < MOST_NOTICES {
            self.notices.push(LibraryNotice { offset, fault });
        } else {
            self.more_notices += 1;
        }
    }
}

fn windows_1252(bytes: &[u8]) -> Cow<'_, str> {
    WINDOWS_1252.decode_without_bom_handling(bytes).0
}

/// The character of a byte of an early comment, in which Swedish letters are in the places of brackets.
fn swedish(byte: u8) -> char {
    match byte {
        b'}' => '\u{e5}',
        b'{' => '\u{e4}',
        b'|' => '\u{f6}',
        b']' => '\u{c5}',
        b'[' => '\u{c4}',
        b'\\' => '\u{d6}',
        other => char::from(other),
    }
}
