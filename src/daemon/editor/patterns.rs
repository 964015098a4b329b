//! Patterns: a file of them, a part of a position as one, and those that fit a position.

use super::EditorError;
use super::trees::{NodeAt, read_within, side_word};
use crate::core::game::{Game, Side};
use crate::daemon::view::{
    AddPatternRequest, MatchPatternsRequest, MatchedMoveView, MatchedPatternsView, PatternMoveView, PatternView,
    PatternsRequest, PatternsView, RectangleView, SgfNodeView, SgfPropertyView, VERSION,
};
use crate::games::go::large::position::{LargeMove, LargePosition};
use crate::notation::sgf::collection::{Property, SgfCollection, SgfNodeId};
use crate::notation::sgf::point::{BoardSize, name, parse};
use crate::notation::sgf::write::write;
use crate::tactics::goal::point_of;
use crate::tactics::pattern::arrangement::PatternEdges;
use crate::tactics::pattern::database::{DatabaseError, PatternDatabase, ReadDatabase, is_same};
use crate::tactics::pattern::entry::{PatternEntry, PatternGoal};
use crate::tactics::pattern::prove::{place_name, shipped};
use crate::tactics::pattern::tree::MoveTree;
use crate::tactics::proposer::patterns_on;

/// Most moves of a pattern.
const MOST_MOVES: usize = 1000;
/// Most moves that are told of the patterns that fit.
const MOST_MATCHED: usize = 2000;
/// Most characters of a pattern's name.
const LONGEST_NAME: usize = 200;

/// The patterns of a file's text, or those that come with the program, which are proven when they are read first.
pub(super) fn database(text: Option<&str>) -> Result<ReadDatabase, EditorError> {
    let Some(text) = text else {
        return Ok(shipped().clone());
    };
    let sgf = read_within(text.as_bytes())?.collection;
    let entries = sgf.games().iter().flat_map(|&game| sgf.children(game)).enumerate();
    for (place, &entry) in entries {
        if sgf.depth_first(entry).len() > MOST_MOVES {
            return Err(EditorError::Pattern(place + 1, format!("it has more than {MOST_MOVES} moves")));
        }
    }
    Ok(PatternDatabase::read(text.as_bytes())?)
}

/// The patterns of a file.
///
/// # Errors
/// Text that is no file of patterns.
pub fn patterns(request: &PatternsRequest) -> Result<PatternsView, EditorError> {
    Ok(view(database(request.patterns.as_deref())?))
}

fn view(read: ReadDatabase) -> PatternsView {
    let ReadDatabase { database, notices } = read;
    let items = database.entries.iter().map(entry_view).collect();
    PatternsView { v: VERSION, items, text: database.write(), notices }
}

fn entry_view(entry: &PatternEntry) -> PatternView {
    let (width, height) = entry.start.size();
    let point = |place| place_name(&entry.start, place);
    let moves = entry.tree.moves().iter().map(|step| PatternMoveView {
        side: side_word(step.side).to_owned(),
        name: point(step.place),
        parent: step.parent.map(|parent| parent as u32),
    });
    PatternView {
        name: entry.name.clone(),
        goal: entry.goal.name().to_owned(),
        kind: if entry.is_tesuji() { "tesuji" } else { "shape" }.to_owned(),
        width,
        height,
        cells: entry.start.places().map(|place| entry.start.at(place).mark()).collect(),
        edges: entry.start.edges.letters(),
        targets: entry.targets.iter().copied().map(point).collect(),
        moves: moves.collect(),
    }
}

/// A file of patterns with one more: its last one is that which was added.
///
/// # Errors
/// Nodes that are no trees, a position that cannot be, or what is no pattern or is in the file already.
pub fn add_pattern(request: &AddPatternRequest) -> Result<PatternsView, EditorError> {
    let goal = PatternGoal::ALL.into_iter().find(|goal| goal.name() == request.goal).ok_or(EditorError::Goal)?;
    let mut read = database(request.patterns.as_deref())?;
    let at = NodeAt::new(&request.nodes, request.at)?.sound()?;
    let size = (at.position.size().width(), at.position.size().height());
    let whole = RectangleView { x: 0, y: 0, width: size.0, height: size.1 };
    let part = PatternPart::new(request.rectangle.unwrap_or(whole), size, request.inverted)?;
    let mut sgf = SgfCollection::new();
    let game = sgf.add_game(vec![Property::new("SZ", "19")]);
    let first = sgf.add_child(game, start_of(request, goal, &at, &part)?);
    if request.tesuji {
        copy_moves(&at, &part, &mut sgf, first)?;
    }
    let entry = match PatternDatabase::read(write(&sgf).as_bytes()) {
        Ok(mut read) => read.database.entries.pop(),
        Err(DatabaseError::Entry { fault, .. }) => return Err(EditorError::NotAdded(fault.to_string())),
        Err(error) => return Err(error.into()),
    };
    let Some(entry) = entry else { return Err(EditorError::NotAdded("there is nothing to add".to_owned())) };
    if request.tesuji && !entry.is_tesuji() {
        return Err(EditorError::NotAdded("there are no moves below this node: a tesuji has some".to_owned()));
    }
    if let Some(place) = read.database.entries.iter().position(|known| is_same(known, &entry)) {
        let text = format!("pattern {} is the same, perhaps turned", place + 1);
        return Err(EditorError::NotAdded(text));
    }
    read.database.entries.push(entry);
    Ok(view(read))
}

/// A part of a board as a pattern has it.
struct PatternPart {
    rectangle: RectangleView,
    size: BoardSize,
    inverted: bool,
}

impl PatternPart {
    fn new(rectangle: RectangleView, size: BoardSize, inverted: bool) -> Result<PatternPart, EditorError> {
        let RectangleView { x, y, width, height } = rectangle;
        let within =
            |first: u8, length: u8, all: u8| length > 0 && u16::from(first) + u16::from(length) <= all.into();
        if within(x, width, size.0) && within(y, height, size.1) {
            Ok(PatternPart { rectangle, size, inverted })
        } else {
            Err(EditorError::Rectangle(size.0, size.1))
        }
    }

    /// The name of a point of the board in the pattern.
    fn carried(&self, (x, y): (u8, u8)) -> Option<String> {
        let RectangleView { x: x0, y: y0, width, height } = self.rectangle;
        let (x, y) = (x.checked_sub(x0)?, y.checked_sub(y0)?);
        (x < width && y < height).then(|| name((x, y)))
    }

    /// The property that a stone or a move of a side is written with.
    fn property(&self, side: Side, of_first: &'static str, of_second: &'static str) -> &'static str {
        if (side == Side::First) != self.inverted { of_first } else { of_second }
    }

    /// The sides of the part that are on the edge of the board.
    fn edges(&self) -> PatternEdges {
        let RectangleView { x, y, width, height } = self.rectangle;
        PatternEdges { left: x == 0, top: y == 0, right: x + width == self.size.0, bottom: y + height == self.size.1 }
    }
}

/// The properties of a pattern's first node.
fn start_of(
    request: &AddPatternRequest,
    goal: PatternGoal,
    at: &NodeAt,
    part: &PatternPart,
) -> Result<Vec<Property>, EditorError> {
    if request.name.chars().count() > LONGEST_NAME {
        return Err(EditorError::NotAdded(format!("name: expected at most {LONGEST_NAME} characters")));
    }
    let RectangleView { width, height, .. } = part.rectangle;
    let mut properties =
        vec![Property::new("GL", &goal.number().to_string()), Property::new("PS", &format!("{width} {height}"))];
    let mut add = |property: &str, values: Vec<String>| {
        if !values.is_empty() {
            properties.push(Property { name: property.to_owned(), values });
        }
    };
    if !request.name.trim().is_empty() {
        add("N", Property::text("N", request.name.trim()).values);
    }
    let size = at.position.size();
    for side in [Side::First, Side::Second] {
        let own = (0..size.area()).filter(|&point| at.position.chains().colour(point) == Some(side));
        add(part.property(side, "AB", "AW"), own.filter_map(|point| part.carried(size.place(point))).collect());
    }
    let mut targets = Vec::new();
    for target in &request.targets {
        let point = point_of(size, target)?;
        let outside = || EditorError::NotAdded(format!("the marked stone on {target} is outside of the rectangle"));
        targets.push(part.carried(size.place(point)).ok_or_else(outside)?);
    }
    add("TR", targets);
    let edges = if request.edges { part.edges().letters() } else { String::new() };
    add("PE", vec![edges].into_iter().filter(|letters| !letters.is_empty()).collect());
    Ok(properties)
}

/// Copies the moves below a node with their comments.
fn copy_moves(at: &NodeAt, part: &PatternPart, sgf: &mut SgfCollection, first: SgfNodeId) -> Result<(), EditorError> {
    let mut open: Vec<(SgfNodeId, SgfNodeId)> = vec![(at.id, first)];
    let mut count = 0;
    while let Some((from, to)) = open.pop() {
        for &child in at.collection.children(from) {
            count += 1;
            if count > MOST_MOVES {
                return Err(EditorError::NotAdded(format!("there are more than {MOST_MOVES} moves below this node")));
            }
            let of = |side: Side| at.collection.values(child, if side == Side::First { "B" } else { "W" }).first();
            let made = [Side::First, Side::Second].into_iter().find_map(|side| Some((side, of(side)?)));
            let Some((side, value)) = made else {
                return Err(EditorError::NotAdded("a node below this one has no move".to_owned()));
            };
            let place = parse(part.size, value.trim()).and_then(|place| part.carried(place));
            let outside = || EditorError::NotAdded(format!("the move [{value}] is outside of the rectangle"));
            let mut properties = vec![Property::new(part.property(side, "B", "W"), &place.ok_or_else(outside)?)];
            let comment = at.collection.properties(child).iter().filter(|property| property.name == "C");
            properties.extend(comment.cloned());
            open.push((child, sgf.add_child(to, properties)));
        }
    }
    Ok(())
}

/// The patterns that fit the position at a node, for the side to move, with their moves as variations.
///
/// # Errors
/// Nodes that are no trees, a position that cannot be, or text that is no file of patterns.
pub fn match_patterns(request: &MatchPatternsRequest) -> Result<MatchedPatternsView, EditorError> {
    let database = database(request.patterns.as_deref())?.database;
    let index = database.index().map_err(|(place, fault)| EditorError::Pattern(place + 1, fault.to_string()))?;
    let NodeAt { position, .. } = NodeAt::new(&request.nodes, request.at)?.sound()?;
    let size = position.size();
    let point_name = |(x, y): (u8, u8)| size.point(x, y).map_or_else(String::new, |point| size.name(point));
    let mut tree = MoveTree::default();
    let mut proposed: Vec<((u8, u8), usize)> = Vec::new();
    let mut left_out = 0;
    for (one, proposals) in patterns_on(&index, position.chains()) {
        if index.to_move(one.pattern) != position.side() {
            continue;
        }
        let more = index.tree(&one);
        if tree.moves().len() + more.moves().len() > MOST_MATCHED {
            left_out += more.moves().len() as u64;
            continue;
        }
        tree.merge(&more, |place| place);
        proposed.extend(proposals.into_iter().map(|proposal| (proposal.place, proposal.entry)));
    }
    proposed.sort_unstable();
    proposed.dedup();
    let allowed = |(x, y): (u8, u8)| size.point(x, y).is_some_and(|point| position.is_legal(LargeMove(point)));
    let moves = proposed.iter().filter(|(place, _)| allowed(*place)).map(|&(place, entry)| MatchedMoveView {
        name: point_name(place),
        number: entry as u64 + 1,
        pattern: database.entries[entry].name.clone(),
        goal: database.entries[entry].goal.name().to_owned(),
    });
    let moves: Vec<MatchedMoveView> = moves.collect();
    let told = |move_name: &str| {
        let of = moves.iter().filter(|one| one.name == move_name);
        let words = of.map(|one| {
            let number = format!("pattern {}", one.number);
            format!("{} ({})", if one.pattern.is_empty() { &number } else { &one.pattern }, one.goal)
        });
        Some(words.collect::<Vec<_>>().join("\n")).filter(|text| !text.is_empty())
    };
    let nodes = variations(&position, &tree, |place| told(&point_name(place)));
    Ok(MatchedPatternsView { v: VERSION, side: side_word(position.side()).to_owned(), moves, nodes, left_out })
}

/// The legal moves of a tree from a position as nodes; `comment` is called for the first ones.
fn variations(
    position: &LargePosition,
    tree: &MoveTree,
    comment: impl Fn((u8, u8)) -> Option<String>,
) -> Vec<SgfNodeView> {
    let size = position.size();
    let mut nodes: Vec<SgfNodeView> = Vec::new();
    let mut places: Vec<Option<u32>> = Vec::with_capacity(tree.moves().len());
    for (id, step) in tree.moves().iter().enumerate() {
        places.push(None);
        let mut at = position.clone();
        let legal = tree.path(id).into_iter().all(|id| {
            let (x, y) = tree.moves()[id].place;
            let m = size.point(x, y).map(LargeMove).filter(|&m| at.is_legal(m));
            m.map(|m| at.play(m)).is_some()
        });
        let parent = step.parent.map(|parent| places[parent]);
        if !legal || parent == Some(None) {
            continue;
        }
        // The patterns are for black; here the side to move takes its place.
        let mover = if step.side == Side::First { position.side() } else { position.side().other() };
        places[id] = Some(nodes.len() as u32);
        nodes.push(SgfNodeView {
            parent: parent.flatten(),
            properties: vec![SgfPropertyView {
                name: if mover == Side::First { "B" } else { "W" }.to_owned(),
                values: vec![name(step.place)],
            }],
            comment: if step.parent.is_none() { comment(step.place) } else { None },
        });
    }
    nodes
}
