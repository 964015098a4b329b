//! Any bytes as SGF: the reader may refuse them, with line and column, but not end the program. What it accepts is
//! written so that it reads without a word as the same trees, also after edits.

use morpion_engine::notation::sgf::collection::{Property, SgfCollection};
use morpion_engine::notation::sgf::cursor::{SetUp, SgfCursor};
use morpion_engine::notation::sgf::read::{TextPlace, decode, read, read_bytes};
use morpion_engine::notation::sgf::symmetry::{exchange_colours, turn};
use morpion_engine::notation::sgf::write::write;

/// What is written reads as the same trees.
fn check(collection: &SgfCollection) {
    let text = write(collection);
    let again = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(again.notices.is_empty(), "{:?}\n{text}", again.notices);
    let mut expected = collection.clone();
    for &game in collection.games() {
        expected.set(game, "FF", vec!["4".to_owned()]);
        expected.set(game, "CA", vec!["UTF-8".to_owned()]);
    }
    assert_eq!(again.collection, expected, "{text}");
}

/// Whether a place is in a text, or just behind it.
fn is_within(text: &str, place: TextPlace) -> bool {
    let mut lines = text.split('\n');
    lines.nth(place.line - 1).is_some_and(|line| (1..=line.chars().count() + 1).contains(&place.column))
}

/// Whether a message names a place of the text.
fn has_place(data: &[u8], message: &str) -> bool {
    let number = |word: &str| {
        let rest = message.split_once(word)?.1;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()
    };
    let place = number("line ").zip(number("column "));
    place.is_some_and(|(line, column)| is_within(&decode(data), TextPlace { line, column }))
}

/// Runs one input.
///
/// # Panics
/// If what is accepted does not survive being written and read.
pub fn run(data: &[u8]) {
    let found = match read_bytes(data) {
        Ok(found) => found,
        Err(error) => return assert!(has_place(data, &error.to_string()), "{error}"),
    };
    let text = decode(data);
    for id in found.collection.games().iter().flat_map(|&game| found.collection.depth_first(game)) {
        assert!(is_within(&text, found.place(&text, id)), "{:?}", found.place(&text, id));
    }
    let mut sgf = found.collection;
    check(&sgf);
    let nodes = sgf.node_count();
    let Some(&game) = sgf.games().first() else { return };
    let mut cursor = SgfCursor::new(&mut sgf, game);
    let mut cut = 0;
    for &byte in data.iter().take(64) {
        match byte % 9 {
            0 => _ = cursor.back(),
            1 => _ = cursor.forward(usize::from(byte >> 6)),
            2 => _ = cursor.beside(isize::from(byte >> 6) - 1),
            3 => cursor.play("B", "aa"),
            4 => cursor.set_up([SetUp::Black, SetUp::White, SetUp::Empty][usize::from(byte) % 3], "bb"),
            5 if cursor.collection().parent(cursor.at()).is_some() => {
                cursor.insert(vec![Property::text("C", "a]\\")]);
            }
            6 => cursor.to_end(),
            7 => {
                if let Some(part) = cursor.cut() {
                    cut += part.node_count();
                    cursor.merge(&part, part.games()[0]);
                }
            }
            _ => cursor.to_start(),
        }
    }
    assert!(sgf.node_count() + cut >= nodes);
    check(&sgf);
    for symmetry in 0..8 {
        turn(&mut sgf, game, (19, 19), symmetry);
    }
    exchange_colours(&mut sgf, game);
    check(&sgf);
}
