//! Game trees as lists of nodes, and the positions at their nodes.

use super::{EditorError, MOST_FILE, MOST_TREE_BYTES, MOST_TREE_NODES};
use crate::core::game::{Game, Side};
use crate::daemon::positions;
use crate::daemon::view::{
    EditedNodeRequest, EditedPositionView, SgfNodeView, SgfPropertyView, SgfTextView, SgfTreesRequest, SgfTreesView,
    VERSION,
};
use crate::games::go::large::position::LargePosition;
use crate::games::go::notation::{GoReadError, GoReplay};
use crate::games::go::rules::GoRules;
use crate::games::sgf::{Node, node_of};
use crate::notation::sgf::collection::{Property, SgfCollection, SgfNodeId, unescape};
use crate::notation::sgf::read::{ReadSgf, TextPlace, decode, read_bytes};
use std::collections::HashMap;

/// Games with a board of another size that are told.
const MOST_BOARD_FAULTS: usize = 10;
/// The property of a comment.
const COMMENT: &str = "C";

/// The trees of a file's bytes. The notices tell what was mended, and which boards the program does not have.
///
/// # Errors
/// Bytes that are no SGF, or more than the editor takes.
pub fn read(bytes: &[u8]) -> Result<SgfTreesView, EditorError> {
    let read = read_within(bytes)?;
    let mut notices = board_faults(&read, &decode(bytes));
    notices.extend(read.notices.iter().map(ToString::to_string));
    if read.more_notices > 0 {
        notices.push(format!("and {} more of this kind", read.more_notices));
    }
    let nodes = to_nodes(&read.collection);
    let length = serde_json::to_vec(&nodes).map_or(0, |bytes| bytes.len());
    if length > MOST_TREE_BYTES {
        return Err(EditorError::TooLarge(length));
    }
    Ok(SgfTreesView { v: VERSION, nodes, notices })
}

/// The games whose boards the program does not have, with their places: as trees they can be edited all the same.
fn board_faults(read: &ReadSgf, text: &str) -> Vec<String> {
    let fault = |&game: &SgfNodeId| {
        let first = node_of(read.collection.properties(game));
        let error = GoReplay::<LargePosition>::new(&first, GoRules::default()).err()?;
        Some(format!("{}: {error}", read.place(text, game)))
    };
    read.collection.games().iter().filter_map(fault).take(MOST_BOARD_FAULTS).collect()
}

/// What a file has that is not too long for the editor.
///
/// # Errors
/// Bytes that are no SGF, too many of them, too many nodes.
pub(super) fn read_within(bytes: &[u8]) -> Result<ReadSgf, EditorError> {
    if bytes.len() > MOST_FILE {
        return Err(EditorError::TooLong(bytes.len(), TextPlace::behind(&bytes[..MOST_FILE])));
    }
    let read = read_bytes(bytes)?;
    let count = read.collection.node_count();
    let games = read.collection.games();
    let beyond = games.iter().flat_map(|&game| read.collection.depth_first(game)).nth(MOST_TREE_NODES);
    match beyond {
        Some(id) => Err(EditorError::TooManyRead(count, read.place(&decode(bytes), id))),
        None => Ok(read),
    }
}

/// The text of trees.
///
/// # Errors
/// Nodes that are no trees.
pub fn write(request: &SgfTreesRequest) -> Result<SgfTextView, EditorError> {
    let (collection, _) = to_collection(&request.nodes)?;
    Ok(SgfTextView { v: VERSION, text: crate::notation::sgf::write::write(&collection) })
}

/// The nodes of a collection, each after the one above it.
fn to_nodes(collection: &SgfCollection) -> Vec<SgfNodeView> {
    let mut nodes: Vec<SgfNodeView> = Vec::new();
    let mut places: HashMap<SgfNodeId, u32> = HashMap::new();
    for id in collection.games().iter().flat_map(|&game| collection.depth_first(game)) {
        places.insert(id, nodes.len() as u32);
        let comment = collection.values(id, COMMENT);
        let others = collection.properties(id).iter().filter(|property| property.name != COMMENT);
        nodes.push(SgfNodeView {
            parent: collection.parent(id).and_then(|parent| places.get(&parent).copied()),
            properties: others.map(property_view).collect(),
            comment: (!comment.is_empty())
                .then(|| comment.iter().map(|text| unescape(text)).collect::<Vec<_>>().join("\n")),
        });
    }
    nodes
}

fn property_view(property: &Property) -> SgfPropertyView {
    SgfPropertyView { name: property.name.clone(), values: property.values.clone() }
}

/// Nodes as a collection, with the node at each place of the list.
///
/// # Errors
/// Nodes that are no trees.
pub(super) fn to_collection(nodes: &[SgfNodeView]) -> Result<(SgfCollection, Vec<SgfNodeId>), EditorError> {
    if nodes.is_empty() {
        return Err(EditorError::NoNode);
    }
    if nodes.len() > MOST_TREE_NODES {
        return Err(EditorError::TooManyNodes(nodes.len()));
    }
    let mut collection = SgfCollection::new();
    let mut ids: Vec<SgfNodeId> = Vec::with_capacity(nodes.len());
    for (place, node) in nodes.iter().enumerate() {
        let properties = properties_of(place, node)?;
        ids.push(match node.parent {
            None => collection.add_game(properties),
            Some(parent) => {
                let above = ids.get(parent as usize).ok_or(EditorError::Parent(place))?;
                collection.add_child(*above, properties)
            }
        });
    }
    Ok((collection, ids))
}

fn properties_of(place: usize, node: &SgfNodeView) -> Result<Vec<Property>, EditorError> {
    let mut properties: Vec<Property> = Vec::with_capacity(node.properties.len());
    for SgfPropertyView { name, values } in &node.properties {
        let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        if !is_name {
            return Err(EditorError::Name(place, name.clone()));
        }
        if values.is_empty() || name == COMMENT || properties.iter().any(|known| known.name == *name) {
            return Err(EditorError::Property(place, name.clone()));
        }
        if !values.iter().all(|value| ends_with_its_bracket(value)) {
            return Err(EditorError::Value(place, name.clone()));
        }
        properties.push(Property { name: name.clone(), values: values.clone() });
    }
    let comment = node.comment.as_deref().filter(|text| !text.is_empty());
    properties.extend(comment.map(|text| Property::text(COMMENT, text)));
    Ok(properties)
}

/// Whether a value has no `]` that would end it.
fn ends_with_its_bracket(value: &str) -> bool {
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        if c == ']' || c == '\\' && chars.next().is_none() {
            return false;
        }
    }
    true
}

/// The nodes on the way to one, the first of its game first.
fn way_to(collection: &SgfCollection, to: SgfNodeId) -> Vec<SgfNodeId> {
    let mut way: Vec<SgfNodeId> = std::iter::successors(Some(to), |&id| collection.parent(id)).collect();
    way.reverse();
    way
}

/// A node of a tree with the position there.
pub(super) struct NodeAt {
    /// The trees of the list.
    pub collection: SgfCollection,
    /// The node among them.
    pub id: SgfNodeId,
    /// The position, or that before the first node on the way that is wrong.
    pub position: LargePosition,
    /// Stones that black and white have captured on the way.
    pub captured: [u32; 2],
    /// What is wrong with that one.
    pub fault: Option<GoReadError>,
}

impl NodeAt {
    /// The node at a place of a list.
    ///
    /// # Errors
    /// Nodes that are no trees, or a board that is none.
    pub fn new(nodes: &[SgfNodeView], at: u32) -> Result<NodeAt, EditorError> {
        let (collection, ids) = to_collection(nodes)?;
        let id = *ids.get(at as usize).ok_or(EditorError::At(at, nodes.len()))?;
        let way = way_to(&collection, id);
        let mut replay = GoReplay::<LargePosition>::new(&node_of(collection.properties(way[0])), GoRules::default())?;
        let fault = way.iter().find_map(|&id| replay.follow(&node_of(collection.properties(id))).err());
        let (position, captured) = (replay.position().clone(), replay.captured());
        Ok(NodeAt { collection, id, position, captured, fault })
    }

    /// The first node of its game.
    pub fn first(&self) -> Node {
        node_of(self.collection.properties(way_to(&self.collection, self.id)[0]))
    }

    /// The position, if no node on the way is wrong.
    ///
    /// # Errors
    /// The first one that is.
    pub fn sound(self) -> Result<NodeAt, EditorError> {
        match self.fault {
            Some(fault) => Err(fault.into()),
            None => Ok(self),
        }
    }

    /// The move of the node.
    fn last(&self) -> Option<String> {
        let node = node_of(self.collection.properties(self.id));
        let (_, values) = node.into_iter().find(|(name, _)| name == "B" || name == "W")?;
        let size = self.position.size();
        let place = crate::notation::sgf::point::parse((size.width(), size.height()), values.first()?.trim());
        let point = place.and_then(|(x, y)| size.point(x, y));
        Some(point.map_or_else(|| "pass".to_owned(), |point| size.name(point)))
    }
}

/// The position at a node. One that cannot be played to is that before the first node that is wrong.
///
/// # Errors
/// Nodes that are no trees, or a board that is none.
pub fn position(request: &EditedNodeRequest) -> Result<EditedPositionView, EditorError> {
    let at = NodeAt::new(&request.nodes, request.at)?;
    let (position, size) = (&at.position, at.position.size());
    let mut legal = Vec::new();
    if at.fault.is_none() {
        position.moves(&mut legal);
    }
    Ok(EditedPositionView {
        v: VERSION,
        width: size.width().into(),
        height: size.height().into(),
        cells: positions::cells(position),
        side: side_word(position.side()).to_owned(),
        legal: legal.into_iter().map(|m| position.name(m)).collect(),
        last: at.fault.is_none().then(|| at.last()).flatten(),
        ko: position.ko().map(|point| size.name(point)),
        fault: at.fault.as_ref().map(ToString::to_string),
    })
}

/// The word for a side.
pub(super) fn side_word(side: Side) -> &'static str {
    if side == Side::First { "black" } else { "white" }
}
