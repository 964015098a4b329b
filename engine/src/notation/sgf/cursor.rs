//! A place in a game, from which the tree is walked and edited.

use super::collection::{Property, SgfCollection, SgfNodeId};

/// What a node may set up on a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetUp {
    /// A black stone is put on it (`AB`).
    Black,
    /// A white stone is put on it (`AW`).
    White,
    /// Its stone is taken away (`AE`).
    Empty,
}

impl SetUp {
    const ALL: [SetUp; 3] = [SetUp::Black, SetUp::White, SetUp::Empty];

    fn name(self) -> &'static str {
        match self {
            SetUp::Black => "AB",
            SetUp::White => "AW",
            SetUp::Empty => "AE",
        }
    }
}

/// Whether two nodes have the same move. Nodes without a move are the same if all their properties are.
pub fn same_move(one: &[Property], other: &[Property]) -> bool {
    fn moves(of: &[Property]) -> Vec<(&str, Option<&str>)> {
        let moves = of.iter().filter(|property| ["B", "W"].contains(&property.name.as_str()));
        moves.map(|property| (&property.name[..], property.values.first().map(|value| value.trim()))).collect()
    }
    let (ones, others) = (moves(one), moves(other));
    if ones.is_empty() && others.is_empty() { one == other } else { ones == others }
}

/// A cursor at a node of a game.
#[derive(Debug)]
pub struct SgfCursor<'a> {
    collection: &'a mut SgfCollection,
    at: SgfNodeId,
}

impl<'a> SgfCursor<'a> {
    /// A cursor at a node.
    pub fn new(collection: &'a mut SgfCollection, at: SgfNodeId) -> SgfCursor<'a> {
        SgfCursor { collection, at }
    }

    /// The node that it is at.
    pub fn at(&self) -> SgfNodeId {
        self.at
    }

    /// The collection that it is in.
    pub fn collection(&self) -> &SgfCollection {
        self.collection
    }

    fn go(&mut self, to: Option<SgfNodeId>) -> bool {
        self.at = to.unwrap_or(self.at);
        to.is_some()
    }

    /// Goes to the node before; false at the first one.
    pub fn back(&mut self) -> bool {
        self.go(self.collection.parent(self.at))
    }

    /// Goes into a variation, counted from 0; false if there is none of that number.
    pub fn forward(&mut self, variation: usize) -> bool {
        self.go(self.collection.children(self.at).get(variation).copied())
    }

    /// Goes to the first node of the game.
    pub fn to_start(&mut self) {
        while self.back() {}
    }

    /// Goes to the end of the main variation.
    pub fn to_end(&mut self) {
        while self.forward(0) {}
    }

    /// Goes to the variation so many places after this one at the same branching, before it if negative; false if
    /// there is none.
    pub fn beside(&mut self, places: isize) -> bool {
        let Some(parent) = self.collection.parent(self.at) else { return false };
        let among = self.collection.children(parent);
        let here = among.iter().position(|&id| id == self.at);
        let there = here.and_then(|here| here.checked_add_signed(places));
        self.go(there.and_then(|there| among.get(there).copied()))
    }

    /// Makes a move, `name` being `B` or `W`: goes to the variation that begins with it, or adds that.
    pub fn play(&mut self, name: &str, point: &str) {
        let made = [Property::new(name, point)];
        let among = self.collection.children(self.at);
        let there = among.iter().copied().find(|&id| same_move(self.collection.properties(id), &made));
        self.at = there.unwrap_or_else(|| self.collection.add_child(self.at, made.to_vec()));
    }

    /// Sets a point up. A node with a move gets a node for it below it; several changes after each other are in one
    /// node, and the last one of a point counts.
    pub fn set_up(&mut self, what: SetUp, point: &str) {
        let has_move = ["B", "W"].iter().any(|name| !self.collection.values(self.at, name).is_empty());
        if has_move {
            self.at = self.collection.add_child(self.at, Vec::new());
        }
        for other in SetUp::ALL {
            let mut values = self.collection.values(self.at, other.name()).to_vec();
            values.retain(|value| value.trim() != point);
            if other == what {
                values.push(point.to_owned());
            }
            self.collection.set(self.at, other.name(), values);
        }
    }

    /// Puts a node before this one and goes to it.
    pub fn insert(&mut self, properties: Vec<Property>) {
        self.at = self.collection.insert_above(self.at, properties);
    }

    /// Takes this node out with all that is below it and goes to the node before: what was taken out. Nothing at the
    /// first node of a game.
    pub fn cut(&mut self) -> Option<SgfCollection> {
        let parent = self.collection.parent(self.at)?;
        let cut = self.collection.cut(self.at);
        self.at = parent;
        Some(cut)
    }

    /// Adds the moves of a game below this node. Moves that are there already are not doubled.
    pub fn merge(&mut self, other: &SgfCollection, game: SgfNodeId) {
        self.collection.merge(self.at, other, game, same_move);
    }
}

#[cfg(test)]
mod tests {
    use super::super::read::read;
    use super::super::write::write;
    use super::*;

    fn tree(text: &str) -> SgfCollection {
        read(text).unwrap().collection
    }

    #[test]
    fn it_walks() {
        let mut sgf = tree("(;N[0];N[1](;N[2];N[3])(;N[4])(;N[5]))");
        let game = sgf.games()[0];
        let mut cursor = SgfCursor::new(&mut sgf, game);
        let name = |cursor: &SgfCursor| cursor.collection().values(cursor.at(), "N")[0].clone();
        assert!(!cursor.back() && !cursor.beside(1));
        cursor.to_end();
        assert_eq!(name(&cursor), "3");
        assert!(!cursor.forward(0) && cursor.back() && cursor.beside(2));
        assert_eq!(name(&cursor), "5");
        assert!(!cursor.beside(1) && cursor.beside(-1) && !cursor.beside(-2) && !cursor.beside(isize::MIN));
        assert_eq!(name(&cursor), "4");
        cursor.to_start();
        assert!(cursor.forward(0) && cursor.forward(2) && !cursor.forward(0));
        assert_eq!((cursor.at(), name(&cursor)), (cursor.at(), "5".to_owned()));
    }

    #[test]
    fn it_plays_sets_up_inserts_and_cuts() {
        let mut sgf = tree("(;SZ[9])");
        let game = sgf.games()[0];
        let mut cursor = SgfCursor::new(&mut sgf, game);
        cursor.play("B", "aa");
        cursor.play("W", "bb");
        cursor.back();
        cursor.play("W", "cc");
        cursor.back();
        cursor.play("W", "bb");
        // Several changes in one node, and the last of a point counts.
        cursor.set_up(SetUp::Black, "dd");
        cursor.set_up(SetUp::White, "ee");
        cursor.set_up(SetUp::White, "dd");
        cursor.set_up(SetUp::Empty, "ff");
        cursor.insert(vec![Property::text("C", "before")]);
        let text = "(;FF[4]CA[UTF-8]SZ[9];B[aa]\n(;W[bb];C[before];AW[ee][dd]AE[ff])\n(;W[cc]))\n";
        assert_eq!(write(cursor.collection()), text);
        let cut = cursor.cut().unwrap();
        assert_eq!(write(&cut), "(;FF[4]CA[UTF-8]C[before];AW[ee][dd]AE[ff])\n");
        assert_eq!(cursor.collection().values(cursor.at(), "W"), ["bb"]);
        cursor.to_start();
        assert!(cursor.cut().is_none());
        assert_eq!(write(cursor.collection()), "(;FF[4]CA[UTF-8]SZ[9];B[aa]\n(;W[bb])\n(;W[cc]))\n");
    }

    #[test]
    fn merged_trees_have_each_move_once() {
        let mut sgf = tree("(;SZ[9](;B[aa]C[mine];W[bb])(;B[cc]))");
        let other = tree("(;SZ[9](;B[ aa]C[theirs](;W[bb];B[dd])(;W[ee]))(;AB[ff];W[gg]))");
        let game = sgf.games()[0];
        for _ in 0..2 {
            SgfCursor::new(&mut sgf, game).merge(&other, other.games()[0]);
            let merged = tree("(;SZ[9](;B[aa]C[mine](;W[bb];B[dd])(;W[ee]))(;B[cc])(;AB[ff];W[gg]))");
            assert_eq!(sgf, merged);
        }
    }
}
