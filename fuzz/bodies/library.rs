//! Any bytes as a library of Gomoku and as SGF that becomes one. What is accepted survives being written and read, in
//! both formats, and has the shape that a reader by the grammar of the format finds.

use morpion_engine::games::gomoku::library::read::{ReadLibrary, read};
use morpion_engine::games::gomoku::library::sgf::{from_sgf, to_sgf};
use morpion_engine::games::gomoku::library::write::write;
use morpion_engine::games::gomoku::library::{GomokuLibrary, LibraryNodeId, MOST_DEPTH};
use morpion_engine::notation::sgf;
use morpion_engine::notation::sgf::collection::SgfCollection;
use std::collections::HashMap;

/// A header of version 3.4.
pub const HEADER: [u8; 20] = *b"\xFFRenLib\xFF\x03\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF";

/// Depth, first byte and whether it is a move of the nodes in a sound file without early comments, by recursion: a
/// node is followed by those below it unless it says that there are none, and then by the one beside it if it says so.
fn by_grammar(bytes: &[u8]) -> Vec<(usize, u8, bool)> {
    fn one(bytes: &mut &[u8], depth: usize, found: &mut Vec<(usize, u8, bool)>) {
        fn take(bytes: &mut &[u8]) -> [u8; 2] {
            let (two, rest) = bytes.split_first_chunk().expect("two bytes");
            *bytes = rest;
            *two
        }
        loop {
            let [place, bits] = take(bytes);
            let texts = if bits & 1 != 0 { usize::from(take(bytes)[1] & 1) } else { 0 } + usize::from(bits & 8 != 0);
            for _ in 0..texts {
                while !take(bytes).contains(&0) {}
            }
            found.push((depth, place, bits & 2 == 0));
            let is_root = depth == 0;
            if bits & 0x40 == 0 && !(is_root && bytes.is_empty()) {
                one(bytes, depth + 1, found);
            }
            if bits & 0x80 == 0 {
                break;
            }
        }
    }
    let (mut found, mut rest) = (Vec::new(), &bytes[HEADER.len()..]);
    one(&mut rest, 0, &mut found);
    assert!(rest.is_empty(), "{} bytes are left", rest.len());
    found
}

/// The first byte of a node, computed from its name: `h8` is 78.
fn place(library: &GomokuLibrary, id: LibraryNodeId) -> u8 {
    let Some(point) = library.point(id) else { return 0 };
    let name = morpion_engine::games::gomoku::board::GomokuBoard::USUAL.name(point);
    let row: u8 = name[1..].parse().expect("a row");
    (15 - row) * 16 + (name.as_bytes()[0] - b'a') + 1
}

/// What SGF can hold of a library, points with a board text only behind the moves.
fn sgf_form(library: &GomokuLibrary) -> GomokuLibrary {
    let mut form = GomokuLibrary::new();
    let mut places: HashMap<LibraryNodeId, LibraryNodeId> = HashMap::from([(library.root(), form.root())]);
    for id in library.depth_first() {
        let at = match library.parent(id) {
            Some(parent) if library.is_move(id) => form.add_move(places[&parent], library.point(id)).expect("depth"),
            Some(_) => continue,
            None => form.root(),
        };
        places.insert(id, at);
        form.add_comment(at, library.comment(id));
        form.set_mark(at, library.is_marked(id));
        form.set_start(at, library.is_start(id));
    }
    for id in library.depth_first() {
        if let (Some(point), Some(parent)) = (library.point(id), library.parent(id))
            && !library.board_text(id).is_empty()
        {
            let at = form.add_text_point(places[&parent], point).expect("depth");
            form.add_board_text(at, library.board_text(id));
        }
    }
    form
}

/// Board texts have no order in SGF.
fn sort_labels(collection: &mut SgfCollection) {
    for id in collection.depth_first(collection.games()[0]) {
        let mut values = collection.values(id, "LB").to_vec();
        values.sort_unstable();
        collection.set(id, "LB", values);
    }
}

/// Checks what holds for every library.
///
/// # Panics
/// If something does not hold.
pub fn check(library: &GomokuLibrary) {
    let bytes = write(library, None).expect("UTF-8 has every character");
    let ReadLibrary { library: again, version, notices, .. } = read(&bytes, None).expect("it is a library");
    assert!(notices.is_empty(), "{notices:?}");
    assert_eq!(version, (3, 4));
    assert!(again == *library, "{bytes:02X?}");
    assert_eq!(write(&again, None).as_ref(), Ok(&bytes));
    let shape: Vec<(usize, u8, bool)> = library
        .depth_first()
        .map(|id| (library.depth(id), place(library, id), library.is_move(id) || id == library.root()))
        .collect();
    assert_eq!(by_grammar(&bytes), shape);
    let counts = library.counts();
    assert!(counts.depth <= MOST_DEPTH && counts.lines <= counts.moves && counts.moves <= counts.nodes);
    let line = library.line_ends().next().map_or_else(Vec::new, |end| library.path(end));
    assert_eq!(library.first_line(), line);

    let text = sgf::write::write(&to_sgf(library).expect("few nodes").collection);
    let found = sgf::read::read(&text).expect("SGF");
    assert!(found.notices.is_empty(), "{:?}", found.notices);
    let back = from_sgf(&found.collection).expect("a library");
    assert!(back.left_out.is_empty(), "{:?}", back.left_out);
    assert!(back.library == sgf_form(library), "{text}");
    let [mut first, mut second] =
        [library, &back.library].map(|library| to_sgf(library).expect("few nodes").collection);
    for collection in [&mut first, &mut second] {
        sort_labels(collection);
    }
    assert_eq!(first, second, "{text}");
}

/// Runs one input.
///
/// # Panics
/// If what is accepted does not survive being written and read.
pub fn run(data: &[u8]) {
    if let Ok(found) = read(data, None) {
        check(&found.library);
    }
    if let Ok(found) = read(&[&HEADER[..], data].concat(), None) {
        check(&found.library);
    }
    if let Ok(found) = sgf::read::read_bytes(data)
        && let Ok(made) = from_sgf(&found.collection)
    {
        check(&made.library);
    }
}
