//! SGF read leniently: what real files have and the standard does not allow is mended and told. What would lose a
//! value is an error.

use super::collection::{MOST_NODES, SgfCollection, SgfNodeId};
use encoding_rs::Encoding;

/// Most bytes of a file.
pub const MOST_BYTES: usize = 64 << 20;
/// Notices that are told one by one.
const MOST_NOTICES: usize = 20;

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPlace {
    /// Number of the line, from 1.
    pub line: usize,
    /// Number of the character in it, from 1.
    pub column: usize,
}

/// Something that is not as the standard has it, and was mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SgfNotice {
    /// Where it is.
    pub place: TextPlace,
    /// What it is, and what was made of it.
    pub what: String,
}

impl std::fmt::Display for SgfNotice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}: {}", self.place.line, self.place.column, self.what)
    }
}

/// A text that cannot be read as SGF.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SgfReadError {
    /// It has no game.
    #[error("not SGF: there is no game in it (a game begins with `(;`)")]
    NoGame,
    /// It ends before a value does.
    #[error("not SGF: line {}, column {}: the value that begins here has no end", .0.line, .0.column)]
    OpenValue(TextPlace),
    /// It has too many bytes.
    #[error("SGF of {0} bytes is too long: at most {MOST_BYTES} are read")]
    TooLong(usize),
    /// It has too many nodes.
    #[error("SGF with more than {MOST_NODES} nodes is not read")]
    TooManyNodes,
}

/// What was read.
#[derive(Debug, Clone)]
pub struct ReadSgf {
    /// The games, in their order in the text.
    pub collection: SgfCollection,
    /// What was mended; the first of them, if there is a lot.
    pub notices: Vec<SgfNotice>,
    /// How many more there are.
    pub more_notices: usize,
}

/// Reads the bytes of a file. The text has the character set that its property `CA` names, or else UTF-8 if it can be
/// that, and Latin-1 otherwise.
///
/// # Errors
/// If there is no game in it, a value has no end, or it is too large.
pub fn read_bytes(bytes: &[u8]) -> Result<ReadSgf, SgfReadError> {
    check_length(bytes.len())?;
    let named = character_set(bytes).and_then(Encoding::for_label);
    if let Some(encoding) = named
        && encoding != encoding_rs::UTF_8
    {
        let (text, _, _) = encoding.decode(bytes);
        return read(&text);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => read(text),
        Err(_) => read(&encoding_rs::mem::decode_latin1(bytes)),
    }
}

fn check_length(bytes: usize) -> Result<(), SgfReadError> {
    if bytes > MOST_BYTES { Err(SgfReadError::TooLong(bytes)) } else { Ok(()) }
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
    check_length(text.len())?;
    let reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: beginning(text),
        collection: SgfCollection::new(),
        nodes: 0,
        open: Vec::new(),
        last: None,
        begun: false,
        notices: Vec::new(),
        more_notices: 0,
        known: (0, TextPlace { line: 1, column: 1 }),
    };
    reader.read()
}

/// Where the first game begins: at the first `(` that has a `;` after it. Anything may be before it, such as the head
/// of a letter.
fn beginning(text: &str) -> usize {
    let begins = |&(at, _): &(usize, &str)| text[at + 1..].trim_start().starts_with(';');
    text.match_indices('(').find(begins).map_or(0, |(at, _)| at)
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    /// Number of the next byte; it begins a character.
    at: usize,
    collection: SgfCollection,
    nodes: usize,
    /// For each variation that is open, the node that it begins below.
    open: Vec<Option<SgfNodeId>>,
    /// The last node of the variation, or the one that it begins below.
    last: Option<SgfNodeId>,
    /// Whether the variation has a node.
    begun: bool,
    notices: Vec<SgfNotice>,
    more_notices: usize,
    /// A place that was counted, so that not all is counted again.
    known: (usize, TextPlace),
}

impl Reader<'_> {
    fn read(mut self) -> Result<ReadSgf, SgfReadError> {
        if !self.text[..self.at].trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty() {
            self.tell(0, || "what is before the first game is left out".to_owned());
        }
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'(' => {
                    self.open.push(self.last);
                    self.begun = false;
                    self.at += 1;
                }
                b')' => self.close(),
                b';' if !self.open.is_empty() => {
                    self.at += 1;
                    self.add_node()?;
                }
                b'[' => {
                    let at = self.at;
                    self.value()?;
                    self.tell(at, || "a value without a property is left out".to_owned());
                }
                _ if byte.is_ascii_alphabetic() && !self.open.is_empty() => self.property()?,
                _ => self.skip(),
            }
        }
        if self.collection.games().is_empty() {
            return Err(SgfReadError::NoGame);
        }
        if !self.open.is_empty() {
            let what = match self.open.len() {
                1 => "1 variation has no `)`: it ends here".to_owned(),
                count => format!("{count} variations have no `)`: they end here"),
            };
            self.tell(self.text.len(), || what);
        }
        let Reader { collection, notices, more_notices, .. } = self;
        Ok(ReadSgf { collection, notices, more_notices })
    }

    fn close(&mut self) {
        let at = self.at;
        self.at += 1;
        match self.open.pop() {
            None => self.tell(at, || "there is no `(` that belongs to this `)`: it is left out".to_owned()),
            Some(below) => {
                if !self.begun {
                    self.tell(at, || "a variation without a node is left out".to_owned());
                }
                (self.last, self.begun) = (below, true);
            }
        }
    }

    fn add_node(&mut self) -> Result<SgfNodeId, SgfReadError> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err(SgfReadError::TooManyNodes);
        }
        let id = match self.last {
            Some(above) => self.collection.add_child(above, Vec::new()),
            None => self.collection.add_game(Vec::new()),
        };
        (self.last, self.begun) = (Some(id), true);
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
        if values.is_empty() {
            self.tell(at, || format!("{} has no value: it is left out", beginning_of(written)));
            return Ok(());
        }
        // Versions before the fourth have small letters in names, which mean nothing.
        let mut name: String = written.chars().filter(|c| !c.is_ascii_lowercase()).collect();
        if !name.starts_with(|c: char| c.is_ascii_uppercase()) {
            name = written.to_ascii_uppercase();
            self.tell(at, || format!("{} is not the name of a property: {name} is", beginning_of(written)));
        }
        let node = match self.last {
            Some(node) if self.begun => node,
            _ => {
                self.tell(at, || format!("{name} is before the first node of its variation: it begins one"));
                self.add_node()?
            }
        };
        if !self.collection.values(node, &name).is_empty() {
            self.tell(at, || format!("{name} is more than once in its node: its values are put together"));
        }
        let mut all = self.collection.values(node, &name).to_vec();
        all.append(&mut values);
        self.collection.set(node, &name, all);
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
            self.tell(at, || format!("`{}` is left out", beginning_of(left_out)));
        }
        self.at += length;
    }

    fn tell(&mut self, at: usize, what: impl FnOnce() -> String) {
        if self.notices.len() < MOST_NOTICES {
            let notice = SgfNotice { place: self.place(at), what: what() };
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
            ("(;B[aa]\n B[bb])", "line 2, column 2: B is more than once in its node: its values are put together"),
            ("(;B[aa](B[bb]))", "line 1, column 9: B is before the first node of its variation: it begins one"),
            ("(;black[aa])", "line 1, column 3: black is not the name of a property: BLACK is"),
            ("(;B[aa]()(;W[bb]))", "line 1, column 9: a variation without a node is left out"),
            ("(;B[aa])) ", "line 1, column 9: there is no `(` that belongs to this `)`: it is left out"),
            ("(;\u{e9}B[aa], x7!;)", "line 1, column 3: `\u{e9}` is left out"),
            ("(;B[aa];[bb])", "line 1, column 9: a value without a property is left out"),
            ("(;B[aa](;W[bb]", "line 1, column 15: 2 variations have no `)`: they end here"),
        ];
        for (text, notice) in cases {
            assert_eq!(told(text)[0], notice, "{text}");
        }
        let text = format!("(;{})", "#;".repeat(100));
        let read = read(&text).unwrap();
        assert_eq!((read.notices.len(), read.more_notices), (20, 80));
    }

    #[test]
    fn what_cannot_be_read_is_an_error_with_its_place() {
        for text in ["", "x", "[x", "()", ")", "\\"] {
            assert!(matches!(read(text), Err(SgfReadError::NoGame | SgfReadError::OpenValue(_))), "{text}");
        }
        let error = read("(;B[aa]\n\u{e9}  C[never\\]\nends").unwrap_err();
        assert_eq!(error.to_string(), "not SGF: line 2, column 5: the value that begins here has no end");
        assert!(read("(;C[\\").is_err());
        let long = " ".repeat(MOST_BYTES + 1);
        assert_eq!(read(&long).unwrap_err(), SgfReadError::TooLong(MOST_BYTES + 1));
        assert_eq!(read_bytes(long.as_bytes()).unwrap_err(), SgfReadError::TooLong(MOST_BYTES + 1));
        let many = format!("({})", ";".repeat(MOST_NODES + 1));
        assert_eq!(read(&many).unwrap_err(), SgfReadError::TooManyNodes);
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
        assert_eq!(name(b"(;CA[no such set]PB[\xe9])"), "\u{e9}");
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
