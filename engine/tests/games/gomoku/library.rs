//! Libraries (`.lib`): hand-made bytes and the trees that they mean, damaged and hostile files, random trees in both
//! formats.

#[path = "../../../../fuzz/bodies/library.rs"]
#[allow(dead_code)]
mod body;

use body::{HEADER, check};
use morpion_engine::core::seed::{Rng, rng};
use morpion_engine::games::gomoku::board::GomokuBoard;
use morpion_engine::games::gomoku::library::read::{
    LibraryReadError, MOST_BYTES, MOST_LIBRARY_NODES, ReadLibrary, read,
};
use morpion_engine::games::gomoku::library::sgf::{LibrarySgfError, from_sgf, to_sgf};
use morpion_engine::games::gomoku::library::write::write;
use morpion_engine::games::gomoku::library::{GomokuLibrary, LibraryNodeId};
use morpion_engine::games::gomoku::notation::{moves_text, parse_moves};
use morpion_engine::games::gomoku::record::{GomokuRecord, RecordError};
use morpion_engine::notation::sgf;
use rand::RngExt;

const BOARD: GomokuBoard = GomokuBoard::USUAL;
const SEED: u64 = 34;

fn file(nodes: &[u8]) -> Vec<u8> {
    [&HEADER[..], nodes].concat()
}

/// The nodes of a tree in their order: depth, name, `*` marked, `^` start, `?` no move, comment, board text.
fn shown(library: &GomokuLibrary) -> String {
    let node = |id: LibraryNodeId| {
        let name = library.point(id).map_or("-".to_owned(), |point| BOARD.name(point));
        let mut text = format!("{}{name}", library.depth(id));
        for (is_so, sign) in [
            (library.is_marked(id), '*'),
            (library.is_start(id), '^'),
            (!library.is_move(id) && id != library.root(), '?'),
        ] {
            text.extend(is_so.then_some(sign));
        }
        if !library.comment(id).is_empty() {
            text.push_str(&format!("{:?}", library.comment(id)));
        }
        if !library.board_text(id).is_empty() {
            text.push_str(&format!("[{}]", library.board_text(id)));
        }
        text
    };
    library.depth_first().map(node).collect::<Vec<_>>().join(" ")
}

/// The tree of a file, and what is told of it.
fn tree(nodes: &[u8]) -> (String, Vec<String>) {
    let found = read(&file(nodes), None).unwrap_or_else(|error| panic!("{nodes:02X?}: {error}"));
    check(&found.library);
    (shown(&found.library), found.notices.iter().map(ToString::to_string).collect())
}

/// Each flag, and trees with siblings at several depths. The bytes follow from the description of the format.
#[test]
fn bytes_mean_their_trees() {
    let cases: [(&[u8], &str); 26] = [
        (b"", "0-"),
        (b"\x00\x00", "0-"),
        // Without the empty board, as in version 3.0; the moves to a saved part do not say that a line ends.
        (b"\x78\x00", "0- 1h8"),
        (b"\x78\x40", "0- 1h8"),
        (b"\x00\x00\x78\x40", "0- 1h8"),
        // The corners.
        (b"\x00\x00\x01\x00\x0F\x00\xE1\x00\xEF\x40", "0- 1a15 2o15 3a1 4o1"),
        (b"\x78\x00\x69\x00\x87\x40", "0- 1h8 2i9 3g7"),
        // Two beside each other.
        (b"\x78\x00\x69\xC0\x79\x40", "0- 1h8 2i9 2i8"),
        // The nodes that come later are below a node further up: the last that waits for one is the first to get it.
        (b"\x00\x00\x78\x80\x69\x80\x87\x40\x79\x00\x7A\x40\x01\x40", "0- 1h8 2i9 3g7 2i8 3j8 1a15"),
        (
            b"\x78\x80\x69\x80\x87\x80\x86\x40\x88\xC0\x89\x40\x79\xC0\x7A\x40\x01\x00\x02\x40",
            "0- 1h8 2i9 3g7 4f7 3h7 3i7 2i8 2j8 1a15 2b15",
        ),
        // Marks, and where the library is opened.
        (b"\x78\x10\x69\x44", "0- 1h8* 2i9^"),
        (b"\x00\x14\x78\x54", "0-*^ 1h8*^"),
        // Comments of both parities, with one line and several, empty, and of the empty board.
        (b"\x78\x08ab\0\0\x69\x48abc\0", "0- 1h8\"ab\" 2i9\"abc\""),
        (b"\x78\x48one\x08two\r\nthree\0\0", "0- 1h8\"one\\ntwo\\nthree\""),
        (b"\x78\x48\x08two\0\0", "0- 1h8\"\\ntwo\""),
        (b"\x78\x08\0\0\x69\x40", "0- 1h8 2i9"),
        (b"\x00\x08x\0\x78\x40", "0-\"x\" 1h8"),
        // A comment whose last byte of filling is missing at the end of the file.
        (b"\x78\x48ab\0", "0- 1h8\"ab\""),
        // Comments of early versions: Swedish letters, lines, and both parities.
        (b"\x78\x20Hi\xA1\0\x69\x60O\xEB", "0- 1h8\"Hi!\" 2i9\"Ok\""),
        (b"\x78\x60}{|\x08][\xDC", "0- 1h8\"\u{e5}\u{e4}\u{f6}\\n\u{c5}\u{c4}\u{d6}\""),
        // The bit of early versions wins.
        (b"\x78\x68O\xEB", "0- 1h8\"Ok\""),
        // Board texts: on a move, alone, and after a comment.
        (b"\x78\x01\x00\x01A\0\x69\x40", "0- 1h8[A] 2i9"),
        (b"\x78\x00\x69\xC3\x00\x01xy\0\0\x79\x40", "0- 1h8 2i9?[xy] 2i8"),
        (b"\x78\x49\x00\x01c\0t\0", "0- 1h8\"c\"[t]"),
        // An extension without a text.
        (b"\x78\x01\x00\x00\x69\x40", "0- 1h8 2i9"),
        // A pass.
        (b"\x00\x00\x78\x00\x00\x00\x69\x40", "0- 1h8 2- 3i9"),
    ];
    for (nodes, expected) in cases {
        assert_eq!(tree(nodes), (expected.to_owned(), Vec::new()), "{nodes:02X?}");
    }
}

/// A point that is below a node twice is one node.
#[test]
fn nodes_with_the_same_point_become_one() {
    // A move has its board text in a node of its own, as after a library is turned by the original program.
    assert_eq!(tree(b"\x78\x80\x69\x40\x78\x43\x00\x01A\0").0, "0- 1h8[A] 2i9");
    assert_eq!(tree(b"\x78\xC3\x00\x01A\0\x78\x00\x69\x40").0, "0- 1h8[A] 2i9");
    // The comments are put together, unless they are the same, and so are the moves below.
    let twice = b"\x78\x88a\0\x69\x40\x78\x98b\0\x69\x00\x79\x40\x78\x48a\0";
    assert_eq!(tree(twice).0, "0- 1h8*\"a\\nb\\na\" 2i9 3i8");
    assert_eq!(tree(b"\x78\xC8a\0\x78\x48a\0").0, "0- 1h8\"a\"");
}

#[test]
fn what_is_mended_is_told_with_its_byte() {
    let cases: [(&[u8], &str, &str); 9] = [
        // A saved part: the sibling of the first move is not in the file.
        (
            b"\x00\x00\x78\x80\x69\x40",
            "0- 1h8 2i9",
            "byte 26: the file ends before the nodes that have to stand beside 1",
        ),
        (
            b"\x78\x80\x69\xC0\x79\x40",
            "0- 1h8 2i9 2i8",
            "byte 26: the file ends before the nodes that have to stand beside 1",
        ),
        (
            b"\x78\x80\x69\xC0\x79\x00",
            "0- 1h8 2i9 2i8",
            "byte 26: the file ends before the nodes that have to stand beside 1",
        ),
        (
            b"\x78\x80\x69\x80\x79\x80",
            "0- 1h8 2i9 3i8",
            "byte 26: the file ends before the nodes that have to stand beside 3",
        ),
        (
            b"\x78\xC0\x79\x00",
            "0- 1h8 1i8",
            "byte 24: the file ends before the nodes that have to stand below the last",
        ),
        (b"\x78\x40\x69\x40\x79\x40", "0- 1h8 2i9 3i8", "byte 22: a node comes after the end of the tree"),
        (b"\x78\x02\x69\x40", "0- 1h8 2i9", "byte 22: nodes are below a point that has a board text only"),
        (b"\x00\x80\x78\x40", "0- 1h8", "byte 20: the empty board cannot have a node beside it"),
        (b"\x78\x41\x12\x35A\0", "0- 1h8[A]", "byte 20: the extension 1234 has bits that are not known"),
    ];
    for (nodes, expected, notice) in cases {
        let (tree, notices) = tree(nodes);
        assert_eq!(tree, expected, "{nodes:02X?}");
        assert!(notices[0].starts_with(notice), "{nodes:02X?}: {notices:?}");
    }
    let many = read(&file(&b"\x78\x41\x00\x02".repeat(50)), None).unwrap();
    assert_eq!(many.notices.len() + many.more_notices, 50 + 49);
}

#[test]
fn what_is_no_library_is_refused_with_its_byte() {
    let mut newer = file(b"\x78\x40");
    newer[9] = 5;
    let mut newest = newer.clone();
    newest[8..10].copy_from_slice(&[4, 0]);
    let cut = LibraryReadError::Cut { offset: 20, within: "a node" };
    let (comment, text) = ("a comment", "a board text");
    let cases: [(Vec<u8>, LibraryReadError); 17] = [
        (Vec::new(), LibraryReadError::NotLibrary),
        (b"\x78\x40".to_vec(), LibraryReadError::NotLibrary),
        (b"\xFFRenLi".to_vec(), LibraryReadError::NotLibrary),
        (HEADER[..19].to_vec(), LibraryReadError::Cut { offset: 0, within: "the header" }),
        (newer, LibraryReadError::Version { major: 3, minor: 5 }),
        (newest, LibraryReadError::Version { major: 4, minor: 0 }),
        (file(b"\x78"), cut.clone()),
        (file(b"\x78\x41"), cut.clone()),
        (file(b"\x78\x41\x00"), cut),
        (file(b"\x78\x00\x69"), LibraryReadError::Cut { offset: 22, within: "a node" }),
        (file(b"\x78\x48abc"), LibraryReadError::Cut { offset: 22, within: comment }),
        (file(b"\x78\x60abc"), LibraryReadError::Cut { offset: 22, within: comment }),
        (file(b"\x78\x41\x00\x01A"), LibraryReadError::Cut { offset: 24, within: text }),
        (file(b"\x78\x49\x00\x01c\0"), LibraryReadError::Cut { offset: 26, within: text }),
        // Column 0 and row 15 are not on the board.
        (file(b"\x78\x00\x10\x40"), LibraryReadError::Point { offset: 22, byte: 0x10 }),
        (file(b"\xF1\x40"), LibraryReadError::Point { offset: 20, byte: 0xF1 }),
        (file(b"\x78\x00\xFF\x40"), LibraryReadError::Point { offset: 22, byte: 0xFF }),
    ];
    for (bytes, error) in cases {
        assert_eq!(read(&bytes, None).err(), Some(error), "{bytes:02X?}");
    }
    assert_eq!(
        LibraryReadError::Version { major: 3, minor: 5 }.to_string(),
        "byte 8: the library is of version 3.5: versions up to 3.4 are read"
    );
}

/// Versions before 3.4 have the same nodes.
#[test]
fn early_versions_are_read() {
    for version in [[0, 0], [2, 9], [3, 0], [3, 3], [3, 4]] {
        let mut bytes = file(b"\x78\x00\x69\x40");
        bytes[8..10].copy_from_slice(&version);
        let found = read(&bytes, None).unwrap();
        assert_eq!((found.version, shown(&found.library)), (version.into(), "0- 1h8 2i9".to_owned()));
    }
}

fn point(name: &str) -> Option<u16> {
    Some(BOARD.named(name).unwrap())
}

#[test]
fn the_writer_writes_these_bytes() {
    let mut library = GomokuLibrary::new();
    assert_eq!(write(&library, None), Ok(file(b"\x00\x00")));
    let root = library.root();
    library.add_comment(root, "all");
    library.set_start(root, true);
    let first = library.add_move(root, point("h8")).unwrap();
    let second = library.add_move(first, point("i9")).unwrap();
    let third = library.add_move(second, None).unwrap();
    library.set_mark(third, true);
    library.add_comment(third, "one\ntwo\nthree");
    let text = library.add_text_point(first, point("a1").unwrap()).unwrap();
    library.add_board_text(text, "ab");
    let other = library.add_move(root, point("o15")).unwrap();
    library.add_board_text(other, "x");
    library.add_comment(other, "y");
    let expected =
        b"\x00\x0Call\0\x78\x80\x69\x80\x00\x58one\x08two\r\nthree\0\0\xE1\x43\x00\x01ab\0\0\x0F\x49\x00\x01y\0x\0";
    assert_eq!(write(&library, None), Ok(file(expected)));
    check(&library);
    assert!(library.add_move(root, point("h8")) == Ok(first) && library.len() == 6, "there is such a move already");
    let counts = library.counts();
    assert_eq!((counts.nodes, counts.moves, counts.depth, counts.lines), (5, 4, 3, 2));
    assert_eq!((counts.comments, counts.board_texts, counts.marks), (3, 2, 1));
}

#[test]
fn texts_are_in_the_character_set_that_is_asked_for() {
    let comment = |text: &[u8], encoding| {
        let nodes =
            [&b"\x78\x48"[..], text, b"\0", if text.len().is_multiple_of(2) { &b"\0"[..] } else { b"" }].concat();
        let ReadLibrary { library, notices, .. } = read(&file(&nodes), encoding).unwrap();
        let below = library.children(library.root()).next().unwrap();
        (library.comment(below).to_owned(), notices.len())
    };
    assert_eq!(comment("\u{e9}\u{4f60}".as_bytes(), None), ("\u{e9}\u{4f60}".to_owned(), 0));
    assert_eq!(comment(b"\xe9 \x80\x81", None), ("\u{e9} \u{20ac}\u{81}".to_owned(), 0));
    assert_eq!(comment(b"\xc4\xe3", Some(encoding_rs::GBK)), ("\u{4f60}".to_owned(), 0));
    assert_eq!(comment(b"\x83\x5d", Some(encoding_rs::SHIFT_JIS)), ("\u{30be}".to_owned(), 0));
    assert_eq!(comment(b"\xff", Some(encoding_rs::GBK)), ("\u{ff}".to_owned(), 1));
    // One text that is not UTF-8, and no other one is.
    let both = read(&file(b"\x78\x08\xc3\xa9\0\0\x69\x48\xe9\0"), None).unwrap().library;
    assert_eq!(shown(&both), "0- 1h8\"\u{c3}\u{a9}\" 2i9\"\u{e9}\"");
    check(&both);

    let mut library = GomokuLibrary::new();
    library.add_comment(library.root(), "\u{4f60}\n\u{e9}");
    let bytes = write(&library, Some(encoding_rs::GB18030)).unwrap();
    assert!(read(&bytes, Some(encoding_rs::GB18030)).unwrap().library == library);
    let error = write(&library, Some(encoding_rs::WINDOWS_1252)).unwrap_err().to_string();
    assert_eq!(error, "the text `\u{4f60} \u{e9}` has characters that are not in windows-1252");
}

fn random_text(rng: &mut Rng) -> String {
    let signs = ["a", "]", "[", "\\", ":", "\n", "\r\n", "\t", "\u{8}", "\0", "\u{e9}", "\u{4f60}", "\u{1F600}", " "];
    (0..rng.random_range(1..9)).map(|_| signs[rng.random_range(0..signs.len())]).collect()
}

/// A tree with all that the format has.
fn random_library(rng: &mut Rng) -> GomokuLibrary {
    let mut library = GomokuLibrary::new();
    let mut moves = vec![library.root()];
    // Deep ones and wide ones.
    let back = rng.random_range(1..20);
    for _ in 0..rng.random_range(0..120) {
        let at = moves[moves.len() - 1 - rng.random_range(0..moves.len().min(back))];
        let (x, y) = (rng.random_range(0..15), rng.random_range(0..15));
        let point = BOARD.point(x, y).unwrap();
        let made = match rng.random_range(0..10) {
            0 => library.add_text_point(at, point),
            1 => library.add_move(at, None),
            _ => library.add_move(at, Some(point)),
        };
        let id = made.unwrap();
        if library.is_move(id) {
            moves.push(id);
        }
        match rng.random_range(0..12) {
            0 => library.add_comment(id, &random_text(rng)),
            1 => library.add_board_text(id, &random_text(rng)),
            2 => library.set_mark(id, true),
            3 => library.set_start(id, true),
            _ => (),
        }
    }
    library
}

#[test]
fn random_trees_survive_both_formats() {
    let (mut nodes, mut lines) = (0, 0);
    for number in 0..400 {
        let library = random_library(&mut rng(SEED, &[number]));
        let checked = std::panic::catch_unwind(|| check(&library));
        assert!(checked.is_ok(), "tree {number} of seed {SEED}");
        nodes += library.counts().nodes;
        lines += library.counts().lines;
    }
    assert!(nodes > 10_000 && lines > 1_000, "{nodes} nodes, {lines} lines");
}

/// Each beginning of a file is refused, or it is told that something is missing.
#[test]
fn a_file_that_is_cut_off_is_noticed() {
    let mut told = 0;
    for number in 0..40 {
        let library = random_library(&mut rng(SEED, &[1000, number]));
        let bytes = write(&library, None).unwrap();
        // Before the end of the first line, a file may be one of a part of a library.
        let first_end = library.first_line().len();
        for end in HEADER.len()..bytes.len() {
            match read(&bytes[..end], None) {
                Err(LibraryReadError::Cut { .. }) => told += 1,
                Err(other) => panic!("{number}, {end}: {other}"),
                Ok(found) => {
                    let is_line = found.library.counts().lines <= 1 && found.library.counts().depth <= first_end;
                    // The filling after the last text.
                    let is_whole = end + 1 == bytes.len() && found.library == library;
                    assert!(!found.notices.is_empty() || is_line || is_whole, "tree {number} of seed {SEED}, {end}");
                    told += 1;
                }
            }
        }
    }
    assert!(told > 1000, "{told}");
}

/// Files with a few bytes changed, cut out or repeated. What is read all the same is a library.
#[test]
fn damaged_files_are_refused_or_read() {
    let (mut refused, mut accepted) = (0, 0);
    for number in 0..2000 {
        let rng = &mut rng(SEED, &[2000, number]);
        let mut bytes = write(&random_library(rng), None).unwrap();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..bytes.len());
            let end = (at + rng.random_range(0..9)).min(bytes.len());
            match rng.random_range(0..4) {
                0 => bytes[at] = rng.random(),
                1 => bytes[at] ^= 1 << rng.random_range(0..8),
                2 => drop(bytes.drain(at..end)),
                _ => {
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        match read(&bytes, None) {
            Err(_) => refused += 1,
            Ok(found) => {
                accepted += 1;
                let checked = std::panic::catch_unwind(|| check(&found.library));
                assert!(checked.is_ok(), "file {number} of seed {SEED}");
            }
        }
    }
    assert!(refused > 100 && accepted > 100, "{refused} refused, {accepted} accepted");
}

#[test]
fn large_and_deep_files_are_refused_or_read() {
    // One line without an end.
    let deep = file(&b"\x78\x00\x69\x00".repeat(25 << 20));
    assert_eq!(read(&deep, None).err(), Some(LibraryReadError::TooLong(deep.len())));
    assert_eq!(read(&deep[..MOST_BYTES], None).err(), Some(LibraryReadError::Depth(20 + 2 * 225)));
    let most = read(&deep[..20 + 2 * 225], None).unwrap();
    assert_eq!(most.library.counts().depth, 225);
    check(&most.library);
    // The same nodes again and again, and nodes that wait for others.
    let same = file(&b"\x78\xC0".repeat(MOST_LIBRARY_NODES + 1));
    assert_eq!(read(&same, None).err(), Some(LibraryReadError::TooManyNodes));
    let open = file(&b"\x78\x80".repeat(226));
    assert_eq!(read(&open, None).err(), Some(LibraryReadError::Depth(20 + 2 * 225)));
    // One comment, with an end and without.
    let mut long = file(b"\x78\x48");
    long.resize(MOST_BYTES - 2, b'x');
    assert_eq!(read(&long, None).err(), Some(LibraryReadError::Cut { offset: 22, within: "a comment" }));
    long.extend([0, 0]);
    let found = read(&long, None).unwrap().library;
    assert_eq!(found.comment(found.children(found.root()).next().unwrap()).len(), MOST_BYTES - 24);
    // Many texts of one point are put together in time that grows with their length.
    let texts = file(&b"\x78\xC8a\x08b\0\x78\xC8c\0\x78\xC3\x00\x01d\0".repeat(200_000));
    let found = read(&texts, None).unwrap();
    assert_eq!(found.library.len(), 2);
    assert_eq!(found.library.counts().comments, 1);
}

fn library_of(text: &str) -> Result<GomokuLibrary, LibrarySgfError> {
    from_sgf(&sgf::read::read(text).unwrap().collection).map(|made| made.library)
}

#[test]
fn game_trees_in_sgf_become_libraries() {
    let text = "(;GM[4]SZ[15]C[all]LB[hh:A][aa:b\\:c](;B[hh]HO[1]C[one\ntwo];W[ig]START[1])(;B[oo];W[];B[tt];W[aa]))";
    let library = library_of(text).unwrap();
    let tree = "0-\"all\" 1h8*\"one\\ntwo\"[A] 2i9^ 1o1 2- 3- 4a15 1a15?[b:c]";
    assert_eq!(shown(&library), tree);
    check(&library);
    // The same, with the properties of a move in another node, and the same move in two variations.
    let other =
        "(;C[all]LB[hh:A];LB[aa:b\\:c](;;C[one\ntwo];B[hh];HO[1])(;B[hh];W[ig]START[1])(;B[oo];W[];B[];W[aa]))";
    assert_eq!(
        shown(&library_of(other).unwrap()),
        tree.replace("\"one\\ntwo\"", "").replace("\"all\"", "\"all\\none\\ntwo\"")
    );
    let made =
        from_sgf(&sgf::read::read("(;PB[x]N[y];B[hh]LB[zz:x][ig:z]TR[aa])(;B[aa])").unwrap().collection).unwrap();
    assert_eq!(made.left_out.into_iter().collect::<Vec<_>>(), ["LB", "N", "PB", "TR"]);
    assert_eq!((made.more_games, shown(&made.library)), (1, "0- 1h8 2i9?[z]".to_owned()));
    for (text, reason) in [
        ("(;GM[1];B[hh])", "SGF: GM[1] is another game: gomoku is GM[4]"),
        ("(;SZ[19];B[hh])", "SGF: the board is 19x19: a library is of 15x15"),
        ("(;SZ[x];B[hh])", "SGF: SZ[x] is not a valid size of a board"),
        ("(;AB[hh];W[ig])", "SGF: AB sets up stones, which a library cannot hold"),
        ("(;W[hh])", "SGF: white makes the first move: in a library black does"),
        ("(;PL[W])", "SGF: white makes the first move: in a library black does"),
        ("(;B[hh](;W[ig];B[aa])(;B[aa]))", "SGF: move 2 is by the side that made the one before"),
        ("(;B[hp])", "SGF: B[hp] is not a valid point of the board"),
        ("(;B[hh];PL[x])", "SGF: PL[x] is not a valid colour"),
    ] {
        assert_eq!(library_of(text).err().map(|error| error.to_string()).as_deref(), Some(reason), "{text}");
    }
    let deep = format!("({})", ";B[hh];W[ig]".repeat(200_000));
    assert!(matches!(library_of(&deep), Err(LibrarySgfError::Depth(_))));
}

/// What SGF has no place for is counted.
#[test]
fn libraries_become_sgf() {
    let nodes = b"\x00\x00\x78\x80\x69\x40\x00\x19\x00\x01c\0t\0\x01\x40";
    let library = read(&file(nodes), None).unwrap().library;
    let made = to_sgf(&library).unwrap();
    assert_eq!(made.left_out, 1);
    let text = sgf::write::write(&made.collection);
    assert_eq!(text, "(;FF[4]CA[UTF-8]GM[4]SZ[15]\n(;B[hh];W[ig])\n(;B[]C[c]HO[1];W[aa]))\n");
    let alone = read(&file(b"\x78\x00\x69\xDF\x00\x01c\0t\0\x79\x40"), None).unwrap().library;
    assert_eq!(shown(&alone), "0- 1h8 2i9*^?\"c\"[t] 2i8");
    assert_eq!(to_sgf(&alone).unwrap().left_out, 3);
}

#[test]
fn the_position_of_a_library_is_at_the_end_of_its_first_line() {
    let nodes = b"\x00\x00\x01\xC3\x00\x01A\0\x78\x80\x69\x80\x02\xC3\x00\x01B\0\x87\x40\x79\x40\x0F\x40";
    let record = GomokuRecord::parse_library(&file(nodes)).unwrap();
    assert_eq!(
        (moves_text(BOARD, &record.moves), record.first),
        ("h8i9g7".to_owned(), morpion_engine::core::game::Side::First)
    );
    assert_eq!(record.moves, parse_moves(BOARD, "h8i9g7").unwrap());
    // As of the same tree in SGF.
    let text = sgf::write::write(&to_sgf(&read(&file(nodes), None).unwrap().library).unwrap().collection);
    assert_eq!(GomokuRecord::parse_sgf(&text), Ok(record));
    let pass = GomokuRecord::parse_library(&file(b"\x78\x00\x00\x40")).unwrap_err();
    assert_eq!(pass, RecordError::Pass(2));
    assert!(GomokuRecord::parse_library(b"x").is_err());
}
