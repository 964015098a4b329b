//! SGF as the standard asks for it: names in capital letters, each once in a node, with a value at least. The text is
//! UTF-8 and says so (`CA`), and its version is 4 (`FF`).

use super::collection::{SgfCollection, SgfNodeId};

/// Characters after which a node begins a new line.
const LINE: usize = 72;

/// The text of a collection.
pub fn write(collection: &SgfCollection) -> String {
    let mut text = String::new();
    let mut line = 0;
    for &game in collection.games() {
        write_game(collection, game, &mut text, &mut line);
        text.push('\n');
        line = text.len();
    }
    text
}

enum Part {
    /// A node and what follows it.
    From(SgfNodeId),
    /// The same, as a variation of several.
    Variation(SgfNodeId),
    Close,
}

fn write_game(collection: &SgfCollection, game: SgfNodeId, text: &mut String, line: &mut usize) {
    let mut open = vec![Part::Variation(game)];
    while let Some(part) = open.pop() {
        match part {
            Part::Close => text.push(')'),
            Part::Variation(id) => {
                if id != game {
                    text.push('\n');
                    *line = text.len();
                }
                text.push('(');
                open.push(Part::Close);
                open.push(Part::From(id));
            }
            Part::From(id) => {
                if text.len() - *line > LINE {
                    text.push('\n');
                    *line = text.len();
                }
                write_node(collection, id, id == game, text);
                match collection.children(id) {
                    [only] => open.push(Part::From(*only)),
                    several => open.extend(several.iter().rev().copied().map(Part::Variation)),
                }
            }
        }
    }
}

fn write_node(collection: &SgfCollection, id: SgfNodeId, first: bool, text: &mut String) {
    text.push(';');
    if first {
        text.push_str("FF[4]CA[UTF-8]");
    }
    for property in collection.properties(id) {
        if first && ["FF", "CA"].contains(&property.name.as_str()) {
            continue;
        }
        text.push_str(&property.name);
        for value in &property.values {
            text.push('[');
            text.push_str(value);
            text.push(']');
        }
    }
}
