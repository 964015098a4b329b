//! SGF read leniently: what real files have and the standard does not allow is mended and told. What would lose a
//! value is an error.

use super::collection::{MOST_NODES, MOST_VALUES, Property, SgfCollection, SgfNodeId};
use encoding_rs::Encoding;
use std::borrow::Cow;
use std::collections::HashMap;

/// Most bytes of a file.
pub const MOST_BYTES: usize = 64 << 20;
/// Notices that are told one by one, in addition to the first of each kind.
const MOST_NOTICES: usize = 20;

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPlace {
    /// Number of the line, from 1.
    pub line: usize,
    /// Number of the character in it, from 1.
    pub column: usize,
}

impl TextPlace {
    /// The place behind the bytes of a text; where they are not UTF-8, each byte of the line is a character.
    pub fn behind(bytes: &[u8]) -> TextPlace {
        let last = bytes.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
        let line = 1 + bytes.iter().filter(|&&byte| byte == b'\n').count();
        let characters = std::str::from_utf8(last).map_or(last.len(), |text| text.chars().count());
        TextPlace { line, column: 1 + characters }
    }
}

/// Line and column as messages have them.
impl std::fmt::Display for TextPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Something that is not as the standard has it, and what is made of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SgfFault {
    /// Text before the first game.
    #[error("what is before the first game is left out")]
    BeforeGame,
    /// A character set that is unknown, or that the bytes do not have.
    #[error("the text is not in the character set {0} that it names: it is read as UTF-8 or Latin-1")]
    CharacterSet(String),
    /// A property without a value.
    #[error("{0} has no value: it is left out")]
    NoValue(String),
    /// A property that its node has already.
    #[error("{0} is more than once in its node: its values are put together")]
    Doubled(String),
    /// A second move in a node.
    #[error("{0} is more than once in its node, and only the first one is its move")]
    DoubledMove(String),
    /// A name that does not begin with a capital letter. In versions before the fourth, small letters mean nothing.
    #[error("{0} is not the name of a property: it is left out")]
    NotAName(String),
    /// A property that belongs to no node.
    #[error("{0} is before the first node of its variation or behind a variation: it begins a node")]
    BesideNode(String),
    /// A pair of brackets with nothing in it.
    #[error("a variation without a node is left out")]
    EmptyVariation,
    /// A bracket too much.
    #[error("there is no `(` that belongs to this `)`: it is left out")]
    StrayClose,
    /// A value that no property is before.
    #[error("a value without a property is left out")]
    StrayValue,
    /// Characters that mean nothing.
    #[error("`{0}` is left out")]
    Characters(String),
    /// The end of the text before that of so many variations.
    #[error("the text ends within {0} variations, which end there")]
    Open(usize),
}

/// A fault and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SgfNotice {
    /// Where it is in the text.
    pub place: TextPlace,
    /// What it is.
    pub fault: SgfFault,
}

impl std::fmt::Display for SgfNotice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.fault)
    }
}

/// A text that cannot be read as SGF.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SgfReadError {
    /// It has no game up to its end.
    #[error("not SGF: {0}: the text ends, and there is no game in it (a game begins with `(;`)")]
    NoGame(TextPlace),
    /// It ends before a value does.
    #[error("not SGF: {0}: the value that begins here has no end")]
    OpenValue(TextPlace),
    /// It has too many bytes: how many, and where the last ones are that could be read.
    #[error("{1}: SGF of {0} bytes is too long: at most {MOST_BYTES} are read, as far as here")]
    TooLong(usize, TextPlace),
    /// It has too many nodes: where the first one too much is.
    #[error("{0}: SGF with more than {MOST_NODES} nodes is not read: this is the first one too much")]
    TooManyNodes(TextPlace),
    /// It has too many values: where the first one too much is.
    #[error("{0}: SGF with more than {MOST_VALUES} values is not read: this is the first one too much")]
    TooManyValues(TextPlace),
}

/// What was read.
#[derive(Debug, Clone)]
pub struct ReadSgf {
    /// The games, in their order in the text.
    pub collection: SgfCollection,
    /// What was mended. If there is a lot, the first of them, and the first of each kind.
    pub notices: Vec<SgfNotice>,
    /// How many more there are.
    pub more_notices: usize,
    /// The byte of the text at which each node begins, by its number.
    starts: Vec<u32>,
}

impl ReadSgf {
    /// Where a node begins in the text that was read.
    pub fn place(&self, text: &str, id: SgfNodeId) -> TextPlace {
        let start = self.starts.get(id.number()).map_or(0, |&start| start as usize);
        TextPlace::behind(text.as_bytes().get(..start).unwrap_or_default())
    }
}

/// Reads the bytes of a file. The text has the character set that its property `CA` names, or else UTF-8 if it can be
/// that, and Latin-1 otherwise.
///
/// # Errors
/// If there is no game in it, a value has no end, or it is too large.
pub fn read_bytes(bytes: &[u8]) -> Result<ReadSgf, SgfReadError> {
    check_length(bytes)?;
    let (text, fault) = decoded(bytes);
    let mut found = read(&text)?;
    if let Some(fault) = fault {
        found.notices.insert(0, SgfNotice { place: TextPlace { line: 1, column: 1 }, fault });
    }
    Ok(found)
}

/// The text of the bytes of a file, in the character set that [`read_bytes`] takes.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    decoded(bytes).0
}

/// The text, and what is wrong with the character set that it names.
fn decoded(bytes: &[u8]) -> (Cow<'_, str>, Option<SgfFault>) {
    let mut fault = None;
    if let Some(name) = character_set(bytes) {
        // A name that can be read is not in UTF-16.
        let encoding = Encoding::for_label_no_replacement(name).filter(|encoding| encoding.is_ascii_compatible());
        let decoded = encoding.map(|encoding| encoding.decode_without_bom_handling_and_without_replacement(bytes));
        match decoded {
            Some(Some(text)) => return (text, None),
            _ => fault = Some(SgfFault::CharacterSet(beginning_of(&String::from_utf8_lossy(name)))),
        }
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => encoding_rs::mem::decode_latin1(bytes),
    };
    (text, fault)
}

fn check_length(bytes: &[u8]) -> Result<(), SgfReadError> {
    let too_long = |read: &[u8]| SgfReadError::TooLong(bytes.len(), TextPlace::behind(read));
    if bytes.len() > MOST_BYTES { Err(too_long(&bytes[..MOST_BYTES])) } else { Ok(()) }
}

/// The value of the first property `CA` in the first node.
fn character_set(bytes: &[u8]) -> Option<&[u8]> {
    let begin = &bytes[..bytes.len().min(4096)];
    let at = begin.windows(3).enumerate().find_map(|(at, window)| {
        let apart = at == 0 || !begin[at - 1].is_ascii_alphanumeric();
        (window == b"CA[" && apart).then_some(at + 3)
    })?;
    let length = begin[at..].iter().position(|&byte| byte == b']')?;
    Some(begin[at..at + length].trim_ascii())
}

/// Reads a text.
///
/// # Errors
/// If there is no game in it, a value has no end, or it is too large.
pub fn read(text: &str) -> Result<ReadSgf, SgfReadError> {
    Reader::new(text)?.read(false)
}

/// Reads the first game up to its first `)`, which ends the main line. What follows is not looked at.
///
/// # Errors
/// If there is no game in it, a value has no end, or it is too large.
pub fn read_main_line(text: &str) -> Result<ReadSgf, SgfReadError> {
    Reader::new(text)?.read(true)
}

/// Where the first game begins: at the first `(` that has a `;` after it. Anything may be before it, such as the head
/// of a letter.
fn beginning(text: &str) -> usize {
    let begins = |&(at, _): &(usize, &str)| text[at + 1..].trim_start().starts_with(';');
    text.match_indices('(').find(begins).map_or(0, |(at, _)| at)
}

/// A variation that has begun and not ended.
struct OpenVariation {
    /// The node that it begins below.
    below: Option<SgfNodeId>,
    /// Whether it has a node.
    begun: bool,
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    /// Number of the next byte; it begins a character.
    at: usize,
    collection: SgfCollection,
    /// Where each node begins.
    starts: Vec<u32>,
    values: usize,
    open: Vec<OpenVariation>,
    /// The last node of the variation, or the one that it begins below.
    last: Option<SgfNodeId>,
    /// The node that properties belong to, if one has just begun.
    node: Option<SgfNodeId>,
    /// Its properties, by name.
    names: HashMap<String, usize>,
    notices: Vec<SgfNotice>,
    more_notices: usize,
    /// A place that was counted, so that not all is counted again.
    known: (usize, TextPlace),
}

impl Reader<'_> {
    fn new(text: &str) -> Result<Reader<'_>, SgfReadError> {
        check_length(text.as_bytes())?;
        Ok(Reader {
            text,
            bytes: text.as_bytes(),
            at: beginning(text),
            collection: SgfCollection::new(),
            starts: Vec::new(),
            values: 0,
            open: Vec::new(),
            last: None,
            node: None,
            names: HashMap::new(),
            notices: Vec::new(),
            more_notices: 0,
            known: (0, TextPlace { line: 1, column: 1 }),
        })
    }

    /// `to_first_close`: only as far as the first `)` that has a node before it.
    fn read(mut self, to_first_close: bool) -> Result<ReadSgf, SgfReadError> {
        if !self.text[..self.at].trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty() {
            self.tell(0, || SgfFault::BeforeGame);
        }
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'(' => {
                    self.open.push(OpenVariation { below: self.last, begun: false });
                    self.node = None;
                    self.at += 1;
                }
                b')' if to_first_close => {
                    self.open.clear();
                    break;
                }
                b')' => self.close(),
                b';' if !self.open.is_empty() => {
                    self.add_node(self.at)?;
                    self.at += 1;
                }
                b'[' => {
                    let at = self.at;
                    self.value()?;
                    self.tell(at, || SgfFault::StrayValue);
                }
                _ if byte.is_ascii_alphabetic() && !self.open.is_empty() => self.property()?,
                _ => self.skip(),
            }
        }
        if self.collection.games().is_empty() {
            return Err(SgfReadError::NoGame(TextPlace::behind(self.bytes)));
        }
        if !self.open.is_empty() {
            let count = self.open.len();
            self.tell(self.text.len(), || SgfFault::Open(count));
        }
        let Reader { collection, notices, more_notices, starts, .. } = self;
        Ok(ReadSgf { collection, notices, more_notices, starts })
    }

    fn close(&mut self) {
        let at = self.at;
        self.at += 1;
        match self.open.pop() {
            None => self.tell(at, || SgfFault::StrayClose),
            Some(OpenVariation { below, begun }) => {
                if !begun {
                    self.tell(at, || SgfFault::EmptyVariation);
                }
                (self.last, self.node) = (below, None);
            }
        }
    }

    /// Adds a node that begins at this byte.
    fn add_node(&mut self, at: usize) -> Result<SgfNodeId, SgfReadError> {
        if self.starts.len() == MOST_NODES {
            return Err(SgfReadError::TooManyNodes(self.place(at)));
        }
        self.starts.push(at as u32);
        let id = match self.last {
            Some(above) => self.collection.add_child(above, Vec::new()),
            None => self.collection.add_game(Vec::new()),
        };
        (self.last, self.node) = (Some(id), Some(id));
        self.names.clear();
        if let Some(variation) = self.open.last_mut() {
            variation.begun = true;
        }
        Ok(id)
    }

    fn property(&mut self) -> Result<(), SgfReadError> {
        let at = self.at;
        let length = self.bytes[at..].iter().position(|byte| !byte.is_ascii_alphanumeric());
        let written = &self.text[at..at + length.unwrap_or(self.bytes.len() - at)];
        self.at += written.len();
        let mut values = Vec::new();
        loop {
            self.skip_white();
            if self.bytes.get(self.at) != Some(&b'[') {
                break;
            }
            values.push(self.value()?);
        }
        let name: String = written.chars().filter(|c| !c.is_ascii_lowercase()).collect();
        if values.is_empty() {
            self.tell(at, || SgfFault::NoValue(beginning_of(written)));
            return Ok(());
        }
        if !name.starts_with(|c: char| c.is_ascii_uppercase()) {
            self.tell(at, || SgfFault::NotAName(beginning_of(written)));
            return Ok(());
        }
        let node = match self.node {
            Some(node) => node,
            None => {
                self.tell(at, || SgfFault::BesideNode(beginning_of(&name)));
                self.add_node(at)?
            }
        };
        let properties = self.collection.properties_mut(node);
        match self.names.get(&name) {
            Some(&place) => {
                properties[place].values.append(&mut values);
                let doubled =
                    if ["B", "W"].contains(&name.as_str()) { SgfFault::DoubledMove } else { SgfFault::Doubled };
                self.tell(at, || doubled(beginning_of(&name)));
            }
            None => {
                properties.push(Property { name: name.clone(), values });
                let place = properties.len() - 1;
                self.names.insert(name, place);
            }
        }
        Ok(())
    }

    /// The value at the `[` that comes next, as it is written.
    fn value(&mut self) -> Result<String, SgfReadError> {
        let begin = self.at + 1;
        let mut end = begin;
        loop {
            match self.bytes.get(end) {
                None => return Err(SgfReadError::OpenValue(self.place(self.at))),
                Some(b']') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
            }
        }
        self.values += 1;
        if self.values > MOST_VALUES {
            return Err(SgfReadError::TooManyValues(self.place(self.at)));
        }
        self.at = end + 1;
        Ok(self.text[begin..end].to_owned())
    }

    fn skip_white(&mut self) {
        self.at += self.text[self.at..].len() - self.text[self.at..].trim_start().len();
    }

    /// Leaves out what has no meaning: white space, or else something to be told.
    fn skip(&mut self) {
        let rest = &self.text[self.at..];
        let meaning = |c: char| "()[;".contains(c) || (c.is_ascii_alphabetic() && !self.open.is_empty());
        let length = rest.find(meaning).unwrap_or(rest.len());
        // A character that would mean something, but not here.
        let length = length.max(rest.chars().next().map_or(0, char::len_utf8));
        let left_out = rest[..length].trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if !left_out.is_empty() {
            let at = self.at + (left_out.as_ptr() as usize - rest.as_ptr() as usize);
            self.tell(at, || SgfFault::Characters(beginning_of(left_out)));
        }
        self.at += length;
    }

    fn tell(&mut self, at: usize, fault: impl FnOnce() -> SgfFault) {
        let fault = fault();
        let same = |notice: &SgfNotice| std::mem::discriminant(&notice.fault) == std::mem::discriminant(&fault);
        if self.notices.len() < MOST_NOTICES || !self.notices.iter().any(same) {
            let notice = SgfNotice { place: self.place(at), fault };
            self.notices.push(notice);
        } else {
            self.more_notices += 1;
        }
    }

    fn place(&mut self, at: usize) -> TextPlace {
        let (mut from, mut place) = self.known;
        if at < from {
            (from, place) = (0, TextPlace { line: 1, column: 1 });
        }
        for c in self.text[from..at].chars() {
            place = match c {
                '\n' => TextPlace { line: place.line + 1, column: 1 },
                _ => TextPlace { column: place.column + 1, ..place },
            };
        }
        self.known = (at, place);
        place
    }
}

/// A text that may be long, as it is told.
fn beginning_of(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(20) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::write::write;
    use super::*;
    use proptest::prelude::*;

    /// What is told of a text, each as its place and its words.
    fn told(text: &str) -> Vec<String> {
        let read = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(super::read(&write(&read.collection)).unwrap().notices, [], "{text}");
        read.notices.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_the_standard_allows_is_read_without_a_word() {
        for text in [
            "(;)",
            "(;FF[4]GM[1]SZ[19];B[pd];W[dp](;B[aa]C[a\\]b])(;B[bb]AB[cc][dd]\n[ee:ff]))",
            "\u{feff} (;GM[1])\n(;GM[4])\n",
            "(\n;\nB [aa]\t;W[] )",
            "(;GaMe[1]KGSDE[x]M2[y])",
            "(;C[(;)]X[\\\\])",
        ] {
            assert_eq!(told(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn what_is_mended_is_told_with_its_place() {
        let cases = [
            ("From: x\n\n(;B[aa])", "line 1, column 1: what is before the first game is left out"),
            ("(;B[aa]\n  W;W[bb])", "line 2, column 3: W has no value: it is left out"),
            ("(;AB[aa]\n AB[bb])", "line 2, column 2: AB is more than once in its node: its values are put together"),
            (
                "(;B[aa]B[bb])",
                "line 1, column 8: B is more than once in its node, and only the first one is its move",
            ),
            (
                "(;B[aa](B[bb]))",
                "line 1, column 9: B is before the first node of its variation or behind a variation: it begins a node",
            ),
            ("(;black[aa]W[bb])", "line 1, column 3: black is not the name of a property: it is left out"),
            ("(;B[aa]()(;W[bb]))", "line 1, column 9: a variation without a node is left out"),
            ("(;B[aa])) ", "line 1, column 9: there is no `(` that belongs to this `)`: it is left out"),
            ("(;\u{e9}B[aa], x7!;)", "line 1, column 3: `\u{e9}` is left out"),
            ("(;B[aa];[bb])", "line 1, column 9: a value without a property is left out"),
            ("(;B[aa](;W[bb]", "line 1, column 15: the text ends within 2 variations, which end there"),
        ];
        for (text, notice) in cases {
            assert_eq!(told(text)[0], notice, "{text}");
        }
        let text = format!("(;{})", "#;".repeat(100));
        let read = read(&text).unwrap();
        assert_eq!((read.notices.len(), read.more_notices), (20, 80));
    }

    /// What is behind a variation is not added to the node before it, and no node is told of twice.
    #[test]
    fn properties_behind_a_variation_begin_a_node() {
        let sgf = read("(;B[aa](;W[bb])C[x]D[y])").unwrap();
        assert_eq!(sgf.collection, read("(;B[aa](;W[bb])(;C[x]D[y]))").unwrap().collection);
        assert!(matches!(&sgf.notices[..], [SgfNotice { fault: SgfFault::BesideNode(name), .. }] if name == "C"));
    }

    #[test]
    fn the_main_line_ends_at_the_first_bracket() {
        let names = |text: &str| {
            let read = read_main_line(text).unwrap();
            let game = read.collection.games()[0];
            let values = read.collection.main_line(game).map(|id| read.collection.values(id, "N").join(","));
            (values.collect::<Vec<_>>().join(" "), read.notices.len())
        };
        for (text, line, notices) in [
            ("(;N[1];N[2](;N[3])(;N[4];N[5]))", "1 2 3", 0),
            ("(;N[1](;N[2]) x [ (", "1 2", 0),
            ("(;N[1]N[2])", "1,2", 1),
            ("(;N[1];n[2])", "1 ", 1),
            ("(;N[1]", "1", 1),
        ] {
            assert_eq!(names(text), (line.to_owned(), notices), "{text}");
        }
        assert!(read_main_line("(;N[").is_err() && read_main_line("()").is_err());
    }

    /// Time grows with the length only.
    #[test]
    fn many_properties_and_values_of_a_node_are_read() {
        let same = format!("(;{})", "B[]".repeat(300_000));
        let found = read(&same).unwrap();
        assert_eq!(found.collection.values(found.collection.games()[0], "B").len(), 300_000);
        let several = format!("(;{})", (0..100_000).map(|n| format!("A{n}[]")).collect::<String>());
        let found = read(&several).unwrap();
        assert_eq!(found.collection.properties(found.collection.games()[0]).len(), 100_000);
        let values = format!("(;B{})", "[]".repeat(MOST_VALUES + 1));
        let place = TextPlace { line: 1, column: 4 + 2 * MOST_VALUES };
        assert_eq!(read(&values).unwrap_err(), SgfReadError::TooManyValues(place));
    }

    #[test]
    fn what_cannot_be_read_is_an_error_with_its_place() {
        for text in ["", "x", "[x", "()", ")", "\\"] {
            assert!(matches!(read(text), Err(SgfReadError::NoGame(_) | SgfReadError::OpenValue(_))), "{text}");
        }
        let error = read("a letter\nwithout a game").unwrap_err();
        assert_eq!(
            error.to_string(),
            "not SGF: line 2, column 15: the text ends, and there is no game in it (a game begins with `(;`)"
        );
        let error = read("(;B[aa]\n\u{e9}  C[never\\]\nends").unwrap_err();
        assert_eq!(error.to_string(), "not SGF: line 2, column 5: the value that begins here has no end");
        assert!(read("(;C[\\").is_err());
    }

    /// A file of 100 MB, and one with too many nodes, are refused with the place where that shows.
    #[test]
    fn what_is_too_long_is_an_error_with_its_place() {
        let line = "(;C[\u{e9}])\n";
        let mut long = line.repeat(100_000_000 / line.len() + 1);
        long.truncate(100_000_000);
        // The limit is before the only long character of a line.
        let place = TextPlace { line: 1 + MOST_BYTES / line.len(), column: 1 + MOST_BYTES % line.len() };
        for error in [read(&long).unwrap_err(), read_bytes(long.as_bytes()).unwrap_err()] {
            assert_eq!(error, SgfReadError::TooLong(100_000_000, place));
            assert!(error.to_string().starts_with(&format!("line {}, column ", place.line)), "{error}");
        }
        let many = format!("(\n{})", ";".repeat(MOST_NODES + 1));
        let place = TextPlace { line: 2, column: 1 + MOST_NODES };
        assert_eq!(read(&many).unwrap_err(), SgfReadError::TooManyNodes(place));
    }

    #[test]
    fn nodes_know_where_they_begin() {
        let text = "x\n(;N[\u{e9}]\n ;N[b](;N[c])\nN[d])";
        let found = read(text).unwrap();
        let places = found.collection.depth_first(found.collection.games()[0]).into_iter().map(|id| {
            let TextPlace { line, column } = found.place(text, id);
            (found.collection.values(id, "N")[0].as_str(), line, column)
        });
        let places: Vec<_> = places.collect();
        assert_eq!(places, [("\u{e9}", 2, 2), ("b", 3, 2), ("c", 3, 8), ("d", 4, 1)]);
    }

    /// Deep files end no thread: nothing is recursive.
    #[test]
    fn a_file_may_be_as_deep_as_it_is_long() {
        for text in ["(;B[aa]".repeat(200_000), format!("({})", ";B[aa]".repeat(200_000))] {
            let sgf = read(&text).unwrap().collection;
            assert_eq!(sgf.node_count(), 200_000);
            let mut again = read(&write(&sgf)).unwrap().collection;
            assert_eq!(again.node_count(), sgf.node_count());
            let game = again.games()[0];
            let below = again.children(game)[0];
            assert_eq!(again.cut(below).node_count(), 199_999);
        }
    }

    #[test]
    fn character_sets_are_read() {
        let name = |bytes: &[u8]| {
            let sgf = read_bytes(bytes).unwrap().collection;
            sgf.values(sgf.games()[0], "PB")[0].clone()
        };
        assert_eq!(name("(;PB[\u{e9}])".as_bytes()), "\u{e9}");
        assert_eq!(name(b"(;PB[\xe9])"), "\u{e9}");
        assert_eq!(name(b"(;CA[ISO-8859-2]PB[\xe8])"), "\u{10d}");
        // The second byte of this character is that of `]`.
        assert_eq!(name(b"(;CA[shift_jis]PB[\x83\x5d])"), "\u{30be}");
        for (bytes, text, set) in [
            (&b"(;CA[no such set]PB[\xe9])"[..], "\u{e9}", "no such set"),
            (b"(;CA[UTF-8]PB[\xe9])", "\u{e9}", "UTF-8"),
            (b"(;CA[utf-16]PB[x])", "x", "utf-16"),
            (b"(;CA[iso-2022-kr]PB[x])", "x", "iso-2022-kr"),
            (b"(;CA[gbk]PB[\xff])", "\u{ff}", "gbk"),
        ] {
            assert_eq!(name(bytes), text, "{set}");
            let notices = read_bytes(bytes).unwrap().notices;
            assert_eq!(notices[0].fault, SgfFault::CharacterSet(set.to_owned()));
        }
        let sgf = read_bytes(b"(;CA[gb2312]PB[\xc4\xe3])").unwrap().collection;
        assert_eq!(write(&sgf), "(;FF[4]CA[UTF-8]PB[\u{4f60}])\n");
    }

    /// Texts of the signs that mean something in SGF, and of others.
    fn texts() -> impl Strategy<Value = String> {
        let signs = prop_oneof![
            8 => proptest::sample::select(vec!["(", ")", ";", "[", "]", "B", "W", "AB", "aa", "\\", "\n", " ", "x1"]),
            1 => Just("\u{e9}\u{1F600}"),
        ];
        proptest::collection::vec(signs, 0..60).prop_map(|signs| format!("(;{}", signs.concat()))
    }

    proptest! {
        #[test]
        fn what_was_read_is_the_same_when_it_is_written_and_read_again(text in texts()) {
            if let Ok(first) = read(&text) {
                let written = write(&first.collection);
                let second = read(&written).unwrap();
                prop_assert!(second.notices.is_empty(), "{:?} of {}", second.notices, written);
                for &game in first.collection.games() {
                    prop_assert!(first.collection.depth_first(game).len() <= MOST_NODES);
                }
                // The standard properties of the first node are written first.
                let mut expected = first.collection;
                for game in expected.games().to_vec() {
                    expected.set(game, "FF", vec!["4".to_owned()]);
                    expected.set(game, "CA", vec!["UTF-8".to_owned()]);
                }
                prop_assert_eq!(second.collection, expected);
            }
        }

        #[test]
        fn no_bytes_end_it(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read_bytes(&bytes);
            let _ = read_bytes(&[b"(;CA[gb18030]C[", &bytes[..], b"])"].concat());
        }
    }
}
