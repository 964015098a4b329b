//! A list of entries, kept as SGF.
//!
//! Each entry is a child of the root: `GL` is the number of its goal, `PS` its columns and rows, `N` its name,
//! `AB` and `AW` are its stones from the upper left on, and `TR` marks its targets. The moves of a tesuji
//! follow it as `B` and `W`. `GL` and `PS` are those of ShapeGo (R. Hamplová 2010); these are ours:
//!
//! | property | value |
//! |---|---|
//! | `PT[aa:3]` | a point that allows several contents: the sum of 1 empty, 2 black, 4 white |
//! | `PE[LT]` | the sides that are on the edge of the board: `L`, `T`, `R`, `B` |
//! | `PQ[aa:2-3]` | the liberties of the chain of a stone, at least and at most |
//!
//! Other properties are kept.

use super::arrangement::{Arrangement, LibertyCondition, PatternEdges, PatternPlace, PointMask};
use super::entry::{EntryFault, PatternEntry, PatternGoal};
use super::index::PatternIndex;
use super::key::KeyKind;
use super::tree::MoveTree;
use crate::core::game::Side;
use crate::notation::sgf::collection::{Property, SgfCollection, SgfNodeId, unescape};
use crate::notation::sgf::point::{name, parse_all};
use crate::notation::sgf::read::{SgfReadError, TextPlace, decode, read_bytes};
use crate::notation::sgf::write::write;

/// Greatest columns and rows of a pattern.
const GREATEST: u8 = 19;
/// Properties of an entry that have a meaning here.
const KNOWN: [&str; 10] = ["GL", "PS", "N", "AB", "AW", "AE", "TR", "PT", "PE", "PQ"];

/// The patterns that come with the program.
pub const SHIPPED: &str = include_str!("shipped.sgf");

/// Entries in their order in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatternDatabase {
    /// The patterns, as they were entered.
    pub entries: Vec<PatternEntry>,
    /// What the root of the file has.
    pub root: Vec<Property>,
}

/// A file that is no database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DatabaseError {
    /// Text that is not SGF.
    #[error(transparent)]
    Sgf(#[from] SgfReadError),
    /// An entry that cannot be read.
    #[error("{place}: pattern {number}{}: {fault}", quoted(.name))]
    Entry {
        /// Where it begins in the text.
        place: TextPlace,
        /// Its number, from 1.
        number: usize,
        /// What it is called.
        name: String,
        /// What is wrong with it.
        fault: EntryReadFault,
    },
}

fn quoted(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(" ({name})") }
}

/// What may be wrong with an entry of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryReadFault {
    /// A value that means nothing.
    #[error("{0}[{1}] is not a valid {2}")]
    Value(String, String, &'static str),
    /// A size that does not hold a point.
    #[error("{0}[{1}] is outside of its {2} columns and {3} rows")]
    Outside(String, String, u8, u8),
    /// A point with two contents.
    #[error("the point {0} is given more than once")]
    Twice(String),
    /// No stone and no size.
    #[error("it has no stones and no size (PS)")]
    Empty,
    /// Moves out of turn.
    #[error("its moves have to take turns, and black begins")]
    Turn,
    /// No pattern at all.
    #[error(transparent)]
    Entry(#[from] EntryFault),
}

/// What was read.
#[derive(Debug, Clone)]
pub struct ReadDatabase {
    /// The patterns of the file.
    pub database: PatternDatabase,
    /// What was mended.
    pub notices: Vec<String>,
}

impl PatternDatabase {
    /// The patterns that come with the program.
    ///
    /// # Panics
    /// Never: a test reads them.
    pub fn shipped() -> PatternDatabase {
        PatternDatabase::read(SHIPPED.as_bytes()).expect("the shipped patterns can be read").database
    }

    /// The patterns of a file's bytes.
    ///
    /// # Errors
    /// Bytes that are no SGF, and the first entry that cannot be read.
    pub fn read(bytes: &[u8]) -> Result<ReadDatabase, DatabaseError> {
        let read = read_bytes(bytes)?;
        let mut notices: Vec<String> = read.notices.iter().map(ToString::to_string).collect();
        if read.more_notices > 0 {
            notices.push(format!("and {} more of this kind", read.more_notices));
        }
        let sgf = &read.collection;
        let mut database = PatternDatabase::default();
        for (place, &game) in sgf.games().iter().enumerate() {
            if place == 0 {
                database.root = sgf.properties(game).to_vec();
            }
            for &child in sgf.children(game) {
                let number = database.entries.len() + 1;
                let name = sgf.values(child, "N").first().map(|name| unescape(name)).unwrap_or_default();
                let failed = |fault| DatabaseError::Entry {
                    place: read.place(&decode(bytes), child),
                    number,
                    name: name.clone(),
                    fault,
                };
                let mut told = Vec::new();
                let entry = read_entry(sgf, child, &mut told).map_err(failed)?;
                entry.steps().map_err(|fault| failed(fault.into()))?;
                notices.extend(told.into_iter().map(|notice| format!("pattern {number}{}: {notice}", quoted(&name))));
                database.entries.push(entry);
            }
        }
        Ok(ReadDatabase { database, notices })
    }

    /// The text of its file.
    pub fn write(&self) -> String {
        let mut sgf = SgfCollection::new();
        let mut root = self.root.clone();
        for (name, value) in [("GM", "1"), ("SZ", "19")] {
            if !root.iter().any(|property| property.name == name) {
                root.push(Property::new(name, value));
            }
        }
        let game = sgf.add_game(root);
        for entry in &self.entries {
            write_entry(&mut sgf, game, entry);
        }
        write(&sgf)
    }

    /// Adds the entries of another one that are not here yet, whatever they are called and however they are turned.
    /// How many were added.
    pub fn merge(&mut self, other: &PatternDatabase) -> usize {
        let before = self.entries.len();
        for entry in &other.entries {
            if !self.entries.iter().any(|known| is_same(known, entry)) {
                self.entries.push(entry.clone());
            }
        }
        self.entries.len() - before
    }

    /// The index of its search patterns.
    ///
    /// # Errors
    /// The place of an entry that is no pattern.
    pub fn index(&self) -> Result<PatternIndex, (usize, EntryFault)> {
        PatternIndex::new(&self.entries, KeyKind::default())
    }
}

/// Whether two entries are the same pattern, perhaps turned.
pub fn is_same(one: &PatternEntry, other: &PatternEntry) -> bool {
    let sorted = |entry: &PatternEntry, symmetry: Option<u8>| {
        let carry = |place| symmetry.map_or(place, |symmetry| entry.start.carried(place, symmetry));
        let mut targets: Vec<PatternPlace> = entry.targets.iter().map(|&place| carry(place)).collect();
        let paths = (0..entry.tree.moves().len()).map(|id| entry.tree.path(id));
        let place = |id: usize| carry(entry.tree.moves()[id].place);
        let mut lines: Vec<Vec<PatternPlace>> = paths.map(|path| path.into_iter().map(place).collect()).collect();
        targets.sort_unstable();
        lines.sort_unstable();
        (targets, lines)
    };
    let plain = |entry: &PatternEntry| {
        let mut start = entry.start.clone();
        start.liberties.sort_unstable();
        start
    };
    let (first, second) = (plain(one), plain(other));
    one.goal == other.goal
        && (0..super::arrangement::SYMMETRIES)
            .any(|symmetry| second.turned(symmetry) == first && sorted(other, Some(symmetry)) == sorted(one, None))
}

fn read_goal(sgf: &SgfCollection, id: SgfNodeId, notices: &mut Vec<String>) -> Result<PatternGoal, EntryReadFault> {
    let Some(value) = sgf.values(id, "GL").first() else {
        notices.push("it has no goal (GL): it is taken to be universal".to_owned());
        return Ok(PatternGoal::Universal);
    };
    let word = value.trim().to_ascii_lowercase();
    let found = PatternGoal::ALL.into_iter().find(|goal| goal.number().to_string() == word || goal.name() == word);
    let expected = "goal: 0 universal, 1 capture, 2 connect";
    found.ok_or_else(|| EntryReadFault::Value("GL".to_owned(), value.clone(), expected))
}

fn read_entry(sgf: &SgfCollection, id: SgfNodeId, notices: &mut Vec<String>) -> Result<PatternEntry, EntryReadFault> {
    let goal = read_goal(sgf, id, notices)?;
    let all = |property: &str| -> Result<Vec<PatternPlace>, EntryReadFault> {
        let mut found = Vec::new();
        for value in sgf.values(id, property) {
            let wrong = || EntryReadFault::Value(property.to_owned(), value.clone(), "point of a pattern");
            found.extend(parse_all((GREATEST, GREATEST), value).ok_or_else(wrong)?);
        }
        Ok(found)
    };
    let (black, white, targets) = (all("AB")?, all("AW")?, all("TR")?);
    let mut wider: Vec<(PatternPlace, PointMask)> = Vec::new();
    for value in sgf.values(id, "PT") {
        let wrong = || EntryReadFault::Value("PT".to_owned(), value.clone(), "point with the sum of what it allows");
        let (points, bits) = value.rsplit_once(':').ok_or_else(wrong)?;
        let mask = bits.trim().parse().ok().and_then(PointMask::new).ok_or_else(wrong)?;
        let places = parse_all((GREATEST, GREATEST), points).ok_or_else(wrong)?;
        wider.extend(places.into_iter().map(|place| (place, mask)));
    }
    let (width, height) = read_size(sgf, id, (&black, &white, &wider), notices)?;
    let inside = |property: &str, (x, y): PatternPlace| {
        let outside = || EntryReadFault::Outside(property.to_owned(), name((x, y)), width, height);
        if x < width && y < height { Ok((x, y)) } else { Err(outside()) }
    };
    let mut start = Arrangement::new(width, height);
    let stones = |places: Vec<PatternPlace>, mask| places.into_iter().map(move |place| (place, mask));
    let points = stones(black, PointMask::BLACK).chain(stones(white, PointMask::WHITE)).chain(wider);
    for (place, mask) in points {
        if start.at(inside("a point", place)?) != PointMask::EMPTY {
            return Err(EntryReadFault::Twice(name(place)));
        }
        start.set(place, mask);
    }
    for value in sgf.values(id, "PE") {
        let wrong = || EntryReadFault::Value("PE".to_owned(), value.clone(), "list of sides: L, T, R, B");
        start.edges = PatternEdges::parse(value.trim()).ok_or_else(wrong)?;
    }
    for value in sgf.values(id, "PQ") {
        let wrong =
            || EntryReadFault::Value("PQ".to_owned(), value.clone(), "point with least and most liberties: aa:1-3");
        let (point, counts) = value.split_once(':').ok_or_else(wrong)?;
        let (least, most) = counts.split_once('-').unwrap_or((counts, counts));
        let number = |text: &str| text.trim().parse::<u8>().map_err(|_| wrong());
        let (least, most) = (number(least)?, number(most)?);
        let place = parse_all((GREATEST, GREATEST), point).filter(|places| places.len() == 1).ok_or_else(wrong)?[0];
        if least > most {
            return Err(wrong());
        }
        start.liberties.push(LibertyCondition { place: inside("PQ", place)?, least, most });
    }
    start.liberties.sort_unstable();
    let others = sgf.properties(id).iter().filter(|property| !KNOWN.contains(&property.name.as_str())).cloned();
    let targets = targets.into_iter().map(|place| inside("TR", place)).collect::<Result<_, _>>()?;
    let entry_name = sgf.values(id, "N").first().map(|name| unescape(name)).unwrap_or_default();
    let tree = read_tree(sgf, id, (width, height))?;
    Ok(PatternEntry { name: entry_name, goal, start, targets, tree, others: others.collect() })
}

/// The size that an entry says, or that of what it has.
fn read_size(
    sgf: &SgfCollection,
    id: SgfNodeId,
    (black, white, wider): (&[PatternPlace], &[PatternPlace], &[(PatternPlace, PointMask)]),
    notices: &mut Vec<String>,
) -> Result<(u8, u8), EntryReadFault> {
    let Some(value) = sgf.values(id, "PS").first() else {
        let places = || black.iter().chain(white).copied().chain(wider.iter().map(|&(place, _)| place));
        let (x, y) = (places().map(|(x, _)| x).max(), places().map(|(_, y)| y).max());
        let (Some(x), Some(y)) = (x, y) else { return Err(EntryReadFault::Empty) };
        notices.push(format!("it has no size (PS): it is taken to be {} {}", x + 1, y + 1));
        return Ok((x + 1, y + 1));
    };
    let wrong = || EntryReadFault::Value("PS".to_owned(), value.clone(), "size: columns and rows from 1 to 19");
    let mut numbers = value.split(|c: char| !c.is_ascii_digit()).filter(|text| !text.is_empty());
    let mut number = || numbers.next().and_then(|text| text.parse::<u8>().ok());
    let (width, height) = (number().ok_or_else(wrong)?, number().ok_or_else(wrong)?);
    let fits = (1..=GREATEST).contains(&width) && (1..=GREATEST).contains(&height) && numbers.next().is_none();
    if fits { Ok((width, height)) } else { Err(wrong()) }
}

fn read_tree(sgf: &SgfCollection, id: SgfNodeId, size: (u8, u8)) -> Result<MoveTree, EntryReadFault> {
    let mut tree = MoveTree::default();
    let mut open: Vec<(SgfNodeId, Option<usize>)> = sgf.children(id).iter().rev().map(|&node| (node, None)).collect();
    while let Some((node, parent)) = open.pop() {
        let side = parent.map_or(Side::First, |parent| tree.moves()[parent].side.other());
        let property = if side == Side::First { "B" } else { "W" };
        let Some(value) = sgf.values(node, property).first() else { return Err(EntryReadFault::Turn) };
        let wrong = || EntryReadFault::Value(property.to_owned(), value.clone(), "move on a point of the pattern");
        let place = parse_all(size, value).filter(|places| places.len() == 1).ok_or_else(wrong)?[0];
        let others = sgf.properties(node).iter().filter(|other| other.name != property).cloned().collect();
        let at = tree.add(parent, place, others);
        open.extend(sgf.children(node).iter().rev().map(|&child| (child, Some(at))));
    }
    Ok(tree)
}

fn write_entry(sgf: &mut SgfCollection, game: SgfNodeId, entry: &PatternEntry) {
    let (width, height) = entry.start.size();
    let mut properties = vec![
        Property::new("GL", &entry.goal.number().to_string()),
        Property::new("PS", &format!("{width} {height}")),
    ];
    let mut add = |property: &str, values: Vec<String>| {
        if !values.is_empty() {
            properties.push(Property { name: property.to_owned(), values });
        }
    };
    if !entry.name.is_empty() {
        add("N", Property::text("N", &entry.name).values);
    }
    let named = |mask| entry.start.holding(mask).map(name).collect::<Vec<_>>();
    add("AB", named(PointMask::BLACK));
    add("AW", named(PointMask::WHITE));
    add("TR", entry.targets.iter().copied().map(name).collect());
    let wider = entry.start.places().filter(|&place| !entry.start.at(place).is_definite());
    add("PT", wider.map(|place| format!("{}:{}", name(place), entry.start.at(place).bits())).collect());
    add("PE", vec![entry.start.edges.letters()].into_iter().filter(|letters| !letters.is_empty()).collect());
    let of =
        |condition: &LibertyCondition| format!("{}:{}-{}", name(condition.place), condition.least, condition.most);
    add("PQ", entry.start.liberties.iter().map(of).collect());
    properties.extend(entry.others.iter().cloned());
    let first = sgf.add_child(game, properties);
    let mut nodes = Vec::with_capacity(entry.tree.moves().len());
    for step in entry.tree.moves() {
        let property = if step.side == Side::First { "B" } else { "W" };
        let mut properties = vec![Property::new(property, &name(step.place))];
        properties.extend(step.others.iter().cloned());
        let above = step.parent.map_or(first, |parent| nodes[parent]);
        nodes.push(sgf.add_child(above, properties));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "(;FF[4]CA[UTF-8]GM[1]SZ[19]
(;GL[1]PS[4 3]N[a \\] net]AB[aa]AW[bb]TR[bb]PT[ca:3][da:7]PE[LB]PQ[bb:2-3]C[a text]
(;B[cb]C[first];W[bc];B[ac])
(;B[bc]))
(;GL[2]PS[3 2]N[bamboo joint]AB[aa][ca][ab][cb]))\n";

    #[test]
    fn a_file_comes_back_unchanged() {
        let read = PatternDatabase::read(TEXT.as_bytes()).unwrap();
        assert_eq!(read.notices, [] as [String; 0]);
        let entry = &read.database.entries[0];
        assert_eq!((&*entry.name, entry.goal, entry.tree.moves().len()), ("a ] net", PatternGoal::Capture, 4));
        assert_eq!((entry.start.at((2, 0)).bits(), entry.start.edges.letters()), (3, "LB".to_owned()));
        let text = read.database.write();
        let flat = |text: &str| text.replace('\n', "");
        assert_eq!(flat(&text), flat(TEXT));
        assert_eq!(PatternDatabase::read(text.as_bytes()).unwrap().database, read.database);
    }

    #[test]
    fn what_real_files_have_is_mended_and_told() {
        let read = PatternDatabase::read(b"(;(;AB[aa][bb]AW[ba])(;GL[connect]PS[2 x 1]AB[aa][ba])").unwrap();
        assert_eq!(read.database.entries.len(), 2);
        assert_eq!(read.database.entries[0].start.size(), (2, 2));
        assert_eq!(read.database.entries[1].goal, PatternGoal::Connect);
        let all = read.notices.join("\n");
        assert!(
            all.contains("no goal (GL)") && all.contains("no size (PS)") && all.contains("the text ends"),
            "{all}"
        );
    }

    #[test]
    fn what_cannot_be_read_says_which_pattern_and_why() {
        for (entry, reason) in [
            ("GL[9]AB[aa]", "pattern 2: GL[9] is not a valid goal"),
            ("GL[1]AB[zz]", "AB[zz] is not a valid point"),
            ("GL[1]PS[2 2]AB[cc]", "is outside of its 2 columns and 2 rows"),
            ("GL[1]PS[20 2]AB[aa]", "PS[20 2] is not a valid size"),
            ("GL[1]PS[2 2]", "no black stone and no moves"),
            ("GL[1]", "no stones and no size"),
            ("GL[1]AB[aa]AW[aa]", "the point aa is given more than once"),
            ("GL[1]N[odd]AB[aa]PT[ba:8]", "pattern 2 (odd): PT[ba:8] is not a valid"),
            ("GL[1]AB[aa]PE[X]", "PE[X] is not a valid list of sides"),
            ("GL[1]AB[aa]PQ[aa:3-2]", "PQ[aa:3-2] is not a valid point"),
            ("GL[1]AB[ab]TR[aa]", "its target in column 1 and row 1 is not a stone"),
            ("GL[1]AB[ab];W[aa]", "take turns, and black begins"),
            ("GL[1]AB[ab];B[ab]", "is on a point that is not certainly empty"),
            ("GL[1]AB[ab];B[cc]", "B[cc] is not a valid move"),
        ] {
            let text = format!("(;(;GL[0]AB[aa])\n(;{entry}))");
            let error = PatternDatabase::read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(reason) && error.starts_with("line 2, column 2: "), "{entry}: {error}");
        }
        assert!(PatternDatabase::read(b"nothing").unwrap_err().to_string().contains("not SGF"));
    }

    #[test]
    fn merging_adds_what_is_new_however_it_is_turned() {
        let mut one = PatternDatabase::read(TEXT.as_bytes()).unwrap().database;
        let other = PatternDatabase::read(b"(;(;GL[2]PS[2 3]AB[aa][ba][ac][bc])(;GL[1]PS[2 3]AB[aa][ba][ac][bc]))");
        assert_eq!(one.merge(&other.unwrap().database), 1);
        assert_eq!(one.entries.len(), 3);
        let same = one.clone();
        assert_eq!(one.merge(&same), 0);
    }
}
