//! Nodes with properties, and the variations below them.

use std::collections::BTreeSet;

/// A node of a [`SgfCollection`]. It stays the same while other nodes come and go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SgfNodeId(u32);

impl SgfNodeId {
    /// The number of the node in its collection, in the order in which nodes were added.
    pub(super) fn number(self) -> usize {
        self.0 as usize
    }
}

/// A property of a node: its name and its values as they are in a file, with their escapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// Capital letters, and digits in some files.
    pub name: String,
    /// At least one. A value ends at the first `]` that has no `\` before it.
    pub values: Vec<String>,
}

impl Property {
    /// A property with one value as it is in a file.
    pub fn new(name: &str, value: &str) -> Property {
        Property { name: name.to_owned(), values: vec![value.to_owned()] }
    }

    /// A property with a text, such as a comment.
    pub fn text(name: &str, text: &str) -> Property {
        Property { name: name.to_owned(), values: vec![escape(text)] }
    }
}

/// A text as the value of a property: `]` and `\` get a `\` before them.
pub fn escape(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    for c in text.chars() {
        if c == ']' || c == '\\' {
            value.push('\\');
        }
        value.push(c);
    }
    value
}

/// The text of a value: a `\` at the end of a line joins it with the next one, and otherwise stands for the character
/// after it.
pub fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(first @ ('\n' | '\r')) => {
                    let second = if first == '\n' { '\r' } else { '\n' };
                    chars.next_if_eq(&second);
                }
                escaped => text.extend(escaped),
            },
            c => text.push(c),
        }
    }
    text
}

#[derive(Debug, Clone, Default)]
struct GameNode {
    parent: Option<SgfNodeId>,
    children: Vec<SgfNodeId>,
    properties: Vec<Property>,
}

/// The games of a file.
#[derive(Debug, Clone, Default)]
pub struct SgfCollection {
    /// Those of nodes that were cut are empty.
    nodes: Vec<GameNode>,
    games: Vec<SgfNodeId>,
}

/// Most nodes of a file that is read.
pub const MOST_NODES: usize = 1 << 20;
/// Most values of a file that is read.
pub const MOST_VALUES: usize = 1 << 22;

impl SgfCollection {
    /// A collection without games.
    pub fn new() -> SgfCollection {
        SgfCollection::default()
    }

    /// The first nodes of its games.
    pub fn games(&self) -> &[SgfNodeId] {
        &self.games
    }

    /// Adds a game with one node.
    pub fn add_game(&mut self, properties: Vec<Property>) -> SgfNodeId {
        let id = self.make(None, properties);
        self.games.push(id);
        id
    }

    /// Adds a node below another one, as its last variation.
    pub fn add_child(&mut self, parent: SgfNodeId, properties: Vec<Property>) -> SgfNodeId {
        let id = self.make(Some(parent), properties);
        self.node_mut(parent).children.push(id);
        id
    }

    /// Puts a node between another one and what is above it.
    pub fn insert_above(&mut self, below: SgfNodeId, properties: Vec<Property>) -> SgfNodeId {
        let parent = self.parent(below);
        let id = self.make(parent, properties);
        self.replace_below(parent, below, Some(id));
        self.node_mut(below).parent = Some(id);
        self.node_mut(id).children.push(below);
        id
    }

    /// Takes a node out with all that is below it: a collection with that as its only game.
    pub fn cut(&mut self, id: SgfNodeId) -> SgfCollection {
        let parent = self.parent(id);
        self.replace_below(parent, id, None);
        let mut cut = SgfCollection::new();
        let first = cut.add_game(std::mem::take(&mut self.node_mut(id).properties));
        let mut open = vec![(id, first)];
        while let Some((from, to)) = open.pop() {
            for child in std::mem::take(&mut self.node_mut(from).children) {
                let properties = std::mem::take(&mut self.node_mut(child).properties);
                open.push((child, cut.add_child(to, properties)));
            }
            self.node_mut(from).parent = None;
        }
        cut
    }

    /// Adds the nodes of a game of another collection below a node, as the variations of that game's first node are.
    /// Children that `same` finds equal become one; the node that was there keeps its properties.
    pub fn merge(
        &mut self,
        below: SgfNodeId,
        other: &SgfCollection,
        game: SgfNodeId,
        same: impl Fn(&[Property], &[Property]) -> bool,
    ) {
        let mut open = vec![(game, below)];
        while let Some((from, to)) = open.pop() {
            for &child in other.children(from) {
                let properties = other.properties(child);
                let there = self.children(to).iter().copied().find(|&id| same(self.properties(id), properties));
                let place = there.unwrap_or_else(|| self.add_child(to, properties.to_vec()));
                open.push((child, place));
            }
        }
    }

    /// The node above; `None` for the first one of a game.
    pub fn parent(&self, id: SgfNodeId) -> Option<SgfNodeId> {
        self.node(id).parent
    }

    /// The variations that begin below a node; the first is the main one.
    pub fn children(&self, id: SgfNodeId) -> &[SgfNodeId] {
        &self.node(id).children
    }

    /// The properties of a node, each name once.
    pub fn properties(&self, id: SgfNodeId) -> &[Property] {
        &self.node(id).properties
    }

    /// The values of a property of a node; none if it does not have it.
    pub fn values(&self, id: SgfNodeId, name: &str) -> &[String] {
        let property = self.properties(id).iter().find(|property| property.name == name);
        property.map_or(&[], |property| &property.values)
    }

    /// Gives a property of a node these values; without any, the property goes.
    pub fn set(&mut self, id: SgfNodeId, name: &str, values: Vec<String>) {
        let properties = &mut self.node_mut(id).properties;
        match properties.iter_mut().find(|property| property.name == name) {
            Some(property) => property.values = values,
            None => properties.push(Property { name: name.to_owned(), values }),
        }
        properties.retain(|property| !property.values.is_empty());
    }

    /// The properties of a node, to be filled by the reader: it has to leave each name once.
    pub(super) fn properties_mut(&mut self, id: SgfNodeId) -> &mut Vec<Property> {
        &mut self.node_mut(id).properties
    }

    /// Changes every value of the nodes of a game.
    pub fn change_values(&mut self, game: SgfNodeId, change: impl Fn(&str, &str) -> String) {
        for id in self.depth_first(game) {
            for Property { name, values } in &mut self.node_mut(id).properties {
                values.iter_mut().for_each(|value| *value = change(name, value));
            }
        }
    }

    /// Changes every name of the properties of a game.
    pub fn change_names(&mut self, game: SgfNodeId, change: impl Fn(&str) -> String) {
        for id in self.depth_first(game) {
            self.node_mut(id).properties.iter_mut().for_each(|property| property.name = change(&property.name));
        }
    }

    /// The nodes from this one to the end of its main variation.
    pub fn main_line(&self, from: SgfNodeId) -> impl Iterator<Item = SgfNodeId> {
        std::iter::successors(Some(from), |&id| self.children(id).first().copied())
    }

    /// A node and all that are below it, each before its children, the first variation first.
    pub fn depth_first(&self, from: SgfNodeId) -> Vec<SgfNodeId> {
        let (mut found, mut open) = (Vec::new(), vec![from]);
        while let Some(id) = open.pop() {
            found.push(id);
            open.extend(self.children(id).iter().rev());
        }
        found
    }

    /// How many nodes there are in its games.
    pub fn node_count(&self) -> usize {
        self.games.iter().map(|&game| self.depth_first(game).len()).sum()
    }

    fn node(&self, id: SgfNodeId) -> &GameNode {
        &self.nodes[id.0 as usize]
    }

    fn node_mut(&mut self, id: SgfNodeId) -> &mut GameNode {
        &mut self.nodes[id.0 as usize]
    }

    fn make(&mut self, parent: Option<SgfNodeId>, properties: Vec<Property>) -> SgfNodeId {
        let id = SgfNodeId(self.nodes.len() as u32);
        self.nodes.push(GameNode { parent, children: Vec::new(), properties });
        id
    }

    /// Puts a node, or nothing, in the place of another one among those below a node or among the games.
    fn replace_below(&mut self, parent: Option<SgfNodeId>, old: SgfNodeId, new: Option<SgfNodeId>) {
        let among = match parent {
            Some(parent) => &mut self.node_mut(parent).children,
            None => &mut self.games,
        };
        if let Some(place) = among.iter().position(|&id| id == old) {
            among.splice(place..=place, new);
        }
    }
}

/// Two collections are equal if their games have the same nodes with the same properties, in whatever order a node
/// has its properties.
impl PartialEq for SgfCollection {
    fn eq(&self, other: &SgfCollection) -> bool {
        fn sorted(node: &GameNode) -> BTreeSet<(&str, &[String])> {
            node.properties.iter().map(|property| (&property.name[..], &property.values[..])).collect()
        }
        if self.games.len() != other.games.len() {
            return false;
        }
        let mut open: Vec<(SgfNodeId, SgfNodeId)> =
            self.games.iter().copied().zip(other.games.iter().copied()).collect();
        while let Some((one, another)) = open.pop() {
            let (one, another) = (self.node(one), other.node(another));
            if one.children.len() != another.children.len() || sorted(one) != sorted(another) {
                return false;
            }
            open.extend(one.children.iter().copied().zip(another.children.iter().copied()));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::read::read;
    use super::*;

    #[test]
    fn texts_are_escaped_and_read_back() {
        for text in ["", "plain", "a]b\\c[d", "two\nlines", "\\", "]", "\u{e9}\\]\u{1F600}"] {
            assert_eq!(unescape(&escape(text)), text);
            let mut collection = SgfCollection::new();
            collection.add_game(vec![Property::text("C", text)]);
            let again = read(&super::super::write::write(&collection)).unwrap();
            let game = again.collection.games()[0];
            assert_eq!(unescape(&again.collection.values(game, "C")[0]), text);
        }
        assert_eq!(unescape("one \\\nline\\\r\n\\: \\]"), "one line: ]");
    }

    #[test]
    fn a_tree_is_cut_and_a_node_put_in() {
        let mut sgf = read("(;N[0];N[1](;N[2];N[3])(;N[4])(;N[5]))").unwrap().collection;
        let names = |sgf: &SgfCollection, from: SgfNodeId| -> String {
            sgf.depth_first(from).into_iter().map(|id| sgf.values(id, "N")[0].clone()).collect()
        };
        let game = sgf.games()[0];
        let [one] = *sgf.children(game) else { panic!() };
        let [two, four, five] = *sgf.children(one) else { panic!() };
        let cut = sgf.cut(two);
        assert_eq!((names(&sgf, game), names(&cut, cut.games()[0])), ("0145".to_owned(), "23".to_owned()));
        assert_eq!((sgf.node_count(), cut.node_count()), (4, 2));
        let new = sgf.insert_above(five, vec![Property::new("N", "6")]);
        assert_eq!(names(&sgf, game), "01465");
        assert_eq!((sgf.parent(five), sgf.parent(new), sgf.children(one)), (Some(new), Some(one), &[four, new][..]));
        let above = sgf.insert_above(game, vec![Property::new("N", "7")]);
        assert_eq!((sgf.games(), names(&sgf, above)), (&[above][..], "701465".to_owned()));
        sgf.cut(above);
        assert!(sgf.games().is_empty());
    }

    #[test]
    fn equal_means_the_same_tree() {
        let of = |text: &str| read(text).unwrap().collection;
        assert_eq!(of("(;A[1]B[2](;C[3])(;D[4]))"), of("( ; B[2] A[1] ( ;C[3] )(;D[4]))"));
        for other in ["(;A[1]B[2](;D[4])(;C[3]))", "(;A[1]B[2](;C[3]))", "(;A[1]B[2][3](;C[3])(;D[4]))"] {
            assert_ne!(of("(;A[1]B[2](;C[3])(;D[4]))"), of(other), "{other}");
        }
    }
}
