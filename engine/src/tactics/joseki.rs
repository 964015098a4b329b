//! Joseki: moves in a corner, from a dictionary in SGF that the user has.
//!
//! A dictionary is a game tree whose variations are sequences in one corner. A position of it is known by its stones
//! in the corner: by their distances from the two edges, on the outer `n` lines, for each `n` from the least that
//! leaves a line free behind the stones to half of the board. On a board each corner is looked up turned over its
//! diagonal or not, and with the colours exchanged or not, on as many lines as possible first. What is found are the
//! moves that the dictionary has from there, of both sides, with its remarks.

use crate::core::game::Side;
use crate::core::quantity::grouped;
use crate::core::seed::derive;
use crate::games::go::large::chains::Chains;
use crate::games::go::large::points::LargeBoard;
use crate::games::go::large::position::LargePosition;
use crate::games::go::notation::{GoReadError, GoReplay};
use crate::games::go::rules::GoRules;
use crate::games::sgf::node_of;
use crate::notation::sgf::collection::{SgfCollection, SgfNodeId, unescape};
use crate::notation::sgf::point::parse;
use crate::notation::sgf::read::{SgfReadError, TextPlace, read};
use ahash::AHashMap;
use std::rc::Rc;

/// Fewest lines of a corner that are compared.
const LEAST: u8 = 4;
/// Lines behind the last stone that have to be free, unless it is on the last line of the corner.
const BEHIND: u8 = 1;

/// Columns and rows from the edges of a corner, from 0.
type CornerPlace = (u8, u8);

/// A corner of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corner {
    /// Whether it is on the right.
    pub right: bool,
    /// Whether it is below.
    pub lower: bool,
}

impl Corner {
    /// All corners, from the upper right one clockwise.
    pub const ALL: [Corner; 4] = [
        Corner { right: true, lower: false },
        Corner { right: true, lower: true },
        Corner { right: false, lower: true },
        Corner { right: false, lower: false },
    ];

    /// The corner that a point is nearest to; of several the lower one, and the right one.
    pub fn of(size: LargeBoard, point: u16) -> Corner {
        let (x, y) = size.place(point);
        Corner {
            right: 2 * u16::from(x) + 1 >= size.width().into(),
            lower: 2 * u16::from(y) + 1 >= size.height().into(),
        }
    }

    /// Its words in output.
    pub fn name(self) -> &'static str {
        match (self.lower, self.right) {
            (false, true) => "upper right",
            (true, true) => "lower right",
            (true, false) => "lower left",
            (false, false) => "upper left",
        }
    }

    /// The distances of a place from the edges of the corner, or the place that has these distances.
    fn carried(self, size: LargeBoard, (x, y): CornerPlace) -> CornerPlace {
        let x = if self.right { size.width() - 1 - x } else { x };
        (x, if self.lower { size.height() - 1 - y } else { y })
    }
}

/// What a dictionary thinks of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JosekiMark {
    /// A bad move (`BM`).
    Bad,
    /// A doubtful move (`DO`).
    Doubtful,
    /// An interesting move (`IT`).
    Interesting,
    /// A good move (`TE`).
    Good,
}

impl JosekiMark {
    /// All marks with their properties.
    const PROPERTIES: [(JosekiMark, &'static str); 4] = [
        (JosekiMark::Bad, "BM"),
        (JosekiMark::Doubtful, "DO"),
        (JosekiMark::Interesting, "IT"),
        (JosekiMark::Good, "TE"),
    ];

    /// Its word in output.
    pub fn name(self) -> &'static str {
        match self {
            JosekiMark::Bad => "bad",
            JosekiMark::Doubtful => "doubtful",
            JosekiMark::Interesting => "interesting",
            JosekiMark::Good => "good",
        }
    }
}

/// A move of a dictionary, in its corner.
#[derive(Debug, Clone)]
struct DictionaryMove {
    side: Side,
    /// Nothing is a move elsewhere.
    at: Option<CornerPlace>,
    mark: Option<JosekiMark>,
    remark: String,
    /// Positions of the dictionary behind it.
    behind: usize,
}

/// A move that a dictionary has for a corner of a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JosekiMove {
    /// Who plays it.
    pub side: Side,
    /// The point; nothing is a move elsewhere.
    pub point: Option<u16>,
    /// What the dictionary thinks of it.
    pub mark: Option<JosekiMark>,
    /// What the dictionary says after it.
    pub remark: String,
    /// Positions of the dictionary behind it.
    pub behind: usize,
}

/// A corner whose position is in a dictionary, which has moves for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JosekiMatch {
    /// The corner of the board.
    pub corner: Corner,
    /// On how many lines, from the edges, the stones are the same.
    pub lines: u8,
    /// The dictionary's moves: those with most positions behind them first.
    pub moves: Vec<JosekiMove>,
}

/// A file that is no dictionary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JosekiError {
    /// It is no SGF.
    #[error(transparent)]
    Sgf(#[from] SgfReadError),
    /// A game of it has a board that there is not.
    #[error("{place}: game {number}: {error}")]
    Game {
        /// Where the game begins.
        place: TextPlace,
        /// The number of the game, from 1.
        number: usize,
        /// What is wrong with its board.
        error: GoReadError,
    },
    /// There is no position with moves in it.
    #[error("there are no moves in a corner in it")]
    Empty,
}

/// The positions of corners with the moves from them.
#[derive(Debug, Clone, Default)]
pub struct JosekiDictionary {
    /// The moves of each position, which several nodes may lead to.
    positions: Vec<Vec<DictionaryMove>>,
    /// Positions by their stones on so many lines.
    known: AHashMap<u64, Vec<u32>>,
    /// Positions by all of their stones.
    whole: AHashMap<u64, u32>,
    /// What could not be used: the first notices, and what is counted.
    notices: Vec<String>,
}

/// The move of a node.
struct NodeMove {
    id: SgfNodeId,
    side: Side,
    /// Column and row on the board; nothing is a pass, which a dictionary means as a move elsewhere.
    at: Option<(u8, u8)>,
}

/// A stone of a corner.
type CornerStone = (CornerPlace, Side);

/// The key of stones on so many lines; their order does not matter.
fn key(stones: impl Iterator<Item = CornerStone>, lines: u8) -> u64 {
    let of = |((x, y), side): CornerStone| {
        derive(0x705E_0001, &[u64::from(x), u64::from(y), u64::from(side == Side::Second)])
    };
    stones.fold(derive(0x705E_0002, &[lines.into()]), |key, stone| key ^ of(stone))
}

/// The stones of a board as distances from the edges of a corner.
fn stones_of(stones: &Chains, corner: Corner) -> Vec<CornerStone> {
    let size = stones.size();
    let stone = |point| stones.colour(point).map(|side| (corner.carried(size, size.place(point)), side));
    (0..size.area()).filter_map(stone).collect()
}

/// Lines that a corner may have: up to the middle of the board.
fn most_lines(size: LargeBoard) -> u8 {
    size.width().min(size.height()).div_ceil(2)
}

/// The lines that a place needs.
fn lines_of((x, y): CornerPlace) -> u8 {
    x.max(y) + 1
}

impl JosekiDictionary {
    /// The dictionary in the text of an SGF file: all variations of all its games. What cannot be used is left out
    /// and told by [`JosekiDictionary::notices`]: nodes that cannot be played, and positions with stones beyond a
    /// corner.
    ///
    /// # Errors
    /// No SGF, a board that there is not, or no moves at all.
    pub fn read(text: &str) -> Result<JosekiDictionary, JosekiError> {
        let read = read(text)?;
        let mut dictionary = JosekiDictionary::default();
        dictionary.notices.extend(read.notices.iter().map(ToString::to_string));
        if read.more_notices > 0 {
            dictionary.notices.push(format!("and {} more of this kind", read.more_notices));
        }
        let (mut unplayable, mut beyond) = (0usize, 0usize);
        for (before, &game) in read.collection.games().iter().enumerate() {
            dictionary
                .add_game(&read.collection, game, &mut unplayable, &mut beyond)
                .map_err(|error| JosekiError::Game { place: read.place(text, game), number: before + 1, error })?;
        }
        if unplayable > 0 {
            dictionary.notices.push(format!(
                "nodes that cannot be played, left out with what is below: {}",
                grouped(unplayable as u64)
            ));
        }
        if beyond > 0 {
            dictionary
                .notices
                .push(format!("positions with stones beyond a corner, left out: {}", grouped(beyond as u64)));
        }
        if dictionary.positions.iter().all(Vec::is_empty) {
            return Err(JosekiError::Empty);
        }
        Ok(dictionary)
    }

    /// What was mended or left out as the file was read.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    fn add_game(
        &mut self,
        sgf: &SgfCollection,
        game: SgfNodeId,
        unplayable: &mut usize,
        beyond: &mut usize,
    ) -> Result<(), GoReadError> {
        let behind = nodes_behind(sgf, game);
        let start = GoReplay::<LargePosition>::new(&node_of(sgf.properties(game)), GoRules::default())?;
        let mut open = vec![(game, Rc::new(start))];
        while let Some((id, before)) = open.pop() {
            let mut replay = Rc::unwrap_or_clone(before);
            if replay.follow(&node_of(sgf.properties(id))).is_err() {
                *unplayable += 1;
                continue;
            }
            let stones = replay.position().chains();
            let moves: Vec<NodeMove> =
                sgf.children(id).iter().filter_map(|&child| move_of(sgf, child, stones.size())).collect();
            if !moves.is_empty() && !self.add_position(sgf, stones, &moves, &behind) {
                *beyond += 1;
            }
            let after = Rc::new(replay);
            open.extend(sgf.children(id).iter().rev().map(|&child| (child, Rc::clone(&after))));
        }
        Ok(())
    }

    /// Adds the moves from a position; whether it lies in a corner.
    fn add_position(
        &mut self,
        sgf: &SgfCollection,
        stones: &Chains,
        moves: &[NodeMove],
        behind: &AHashMap<SgfNodeId, usize>,
    ) -> bool {
        let size = stones.size();
        // The corner in which the stones need the fewest lines; the moves, too, as an empty board has no stones.
        let needs = |corner: Corner| {
            let of_stones =
                stones_of(stones, corner).into_iter().map(|(place, _)| lines_of(place)).max().unwrap_or(0);
            let places = moves.iter().filter_map(|one| one.at);
            let of_moves = places.map(|place| lines_of(corner.carried(size, place))).max().unwrap_or(0);
            (of_stones, of_moves)
        };
        let Some((corner, (lines, _))) =
            Corner::ALL.map(|corner| (corner, needs(corner))).into_iter().min_by_key(|&(_, needs)| needs)
        else {
            return false;
        };
        if lines > most_lines(size) {
            return false;
        }
        let own = stones_of(stones, corner);
        let new = self.positions.len() as u32;
        let place = *self.whole.entry(key(own.iter().copied(), u8::MAX)).or_insert(new);
        if place == new {
            self.positions.push(Vec::new());
            let most = most_lines(size);
            for lines in (lines + BEHIND).max(LEAST).min(most)..=most {
                self.known.entry(key(own.iter().copied(), lines)).or_default().push(new);
            }
        }
        let known = &mut self.positions[place as usize];
        for &NodeMove { id, side, at } in moves {
            let at = at.map(|place| corner.carried(size, place));
            let said = |name| sgf.values(id, name).first().map(|value| unescape(value)).unwrap_or_default();
            let behind = behind.get(&id).copied().unwrap_or(0);
            let mark = JosekiMark::PROPERTIES.iter().find(|(_, name)| !sgf.values(id, name).is_empty());
            let remark = said("C").trim().to_owned();
            match known.iter_mut().find(|known| known.side == side && known.at == at) {
                Some(known) => {
                    known.behind += behind;
                    known.mark = known.mark.or(mark.map(|mark| mark.0));
                    if known.remark.is_empty() {
                        known.remark = remark;
                    }
                }
                None => known.push(DictionaryMove { side, at, mark: mark.map(|mark| mark.0), remark, behind }),
            }
        }
        true
    }

    /// The corners of a board whose stones are those of a position of the dictionary, each on as many lines as
    /// possible.
    pub fn look_up(&self, stones: &Chains) -> Vec<JosekiMatch> {
        Corner::ALL.iter().filter_map(|&corner| self.look_up_corner(stones, corner)).collect()
    }

    fn look_up_corner(&self, stones: &Chains, corner: Corner) -> Option<JosekiMatch> {
        let size = stones.size();
        let all = stones_of(stones, corner);
        for lines in (LEAST..=most_lines(size)).rev() {
            let mut moves: Vec<JosekiMove> = Vec::new();
            let mut is_known = false;
            for (turned, exchanged) in [(false, false), (false, true), (true, false), (true, true)] {
                let place = |(x, y): CornerPlace| if turned { (y, x) } else { (x, y) };
                let colour = |side: Side| if exchanged { side.other() } else { side };
                let near = all.iter().filter(|&&(place, _)| lines_of(place) <= lines);
                let key = key(near.map(|&(at, side)| (place(at), colour(side))), lines);
                for &position in self.known.get(&key).into_iter().flatten() {
                    is_known = true;
                    for found in &self.positions[position as usize] {
                        let at = found.at.map(place).filter(|&(x, y)| x < size.width() && y < size.height());
                        let at = at.map(|at| corner.carried(size, at));
                        let point = at.and_then(|(x, y)| size.point(x, y));
                        if point.is_none() && found.at.is_some() {
                            continue;
                        }
                        add(&mut moves, found, colour(found.side), point);
                    }
                }
            }
            if is_known {
                moves.retain(|found| found.point.is_none_or(|point| stones.colour(point).is_none()));
                moves.sort_by_key(|found| (std::cmp::Reverse(found.behind), found.point));
                return (!moves.is_empty()).then_some(JosekiMatch { corner, lines, moves });
            }
        }
        None
    }
}

/// Adds a move to a list, unless it is in it.
fn add(moves: &mut Vec<JosekiMove>, found: &DictionaryMove, side: Side, point: Option<u16>) {
    match moves.iter_mut().find(|known| known.side == side && known.point == point) {
        Some(known) => {
            known.behind = known.behind.max(found.behind);
            known.mark = known.mark.or(found.mark);
            if known.remark.is_empty() {
                known.remark.clone_from(&found.remark);
            }
        }
        None => moves.push(JosekiMove {
            side,
            point,
            mark: found.mark,
            remark: found.remark.clone(),
            behind: found.behind,
        }),
    }
}

fn move_of(sgf: &SgfCollection, id: SgfNodeId, size: LargeBoard) -> Option<NodeMove> {
    let (side, value) = [(Side::First, "B"), (Side::Second, "W")]
        .into_iter()
        .find_map(|(side, name)| sgf.values(id, name).first().map(|value| (side, value)))?;
    let place = parse((size.width(), size.height()), value.trim());
    (place.is_some() || matches!(value.trim(), "" | "tt")).then_some(NodeMove { id, side, at: place })
}

/// How many nodes there are below each node of a game, itself among them.
fn nodes_behind(sgf: &SgfCollection, game: SgfNodeId) -> AHashMap<SgfNodeId, usize> {
    let mut behind = AHashMap::new();
    for id in sgf.depth_first(game).into_iter().rev() {
        let below: usize = sgf.children(id).iter().filter_map(|child| behind.get(child)).sum();
        behind.insert(id, below + 1);
    }
    behind
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use rand::RngExt;

    fn board(size: u8, stones: &[((u8, u8), Side)]) -> Chains {
        let size = LargeBoard::new(size, size).unwrap();
        let mut chains = Chains::new(size);
        stones.iter().for_each(|&((x, y), side)| chains.set(size.point(x, y).unwrap(), side));
        chains
    }

    /// The point of a move, and `-` for one elsewhere, with who plays it.
    fn names(size: u8, found: &JosekiMatch) -> Vec<String> {
        let size = LargeBoard::new(size, size).unwrap();
        let name = |found: &JosekiMove| {
            let side = if found.side == Side::First { 'b' } else { 'w' };
            format!("{side} {}", found.point.map_or("-".to_owned(), |point| size.name(point)))
        };
        found.moves.iter().map(name).collect()
    }

    /// In the upper right corner: the star point, an approach, and three answers.
    const SMALL: &str = "(;SZ[19];B[pd];W[qf](;B[nd]C[the usual one];W[rd])(;B[pf]BM[1])(;W[]))";

    #[test]
    fn corners_are_found_in_all_places_and_colours() {
        let dictionary = JosekiDictionary::read(SMALL).unwrap();
        assert_eq!((dictionary.len(), dictionary.notices().len()), (4, 0));
        let stones = board(19, &[((15, 3), Side::First), ((16, 5), Side::Second)]);
        let found = dictionary.look_up(&stones);
        assert_eq!(
            found.iter().map(|found| found.corner.name()).collect::<Vec<_>>(),
            ["upper right", "lower right", "lower left", "upper left"]
        );
        assert_eq!((found[0].lines, names(19, &found[0])), (10, ["b o16", "w -", "b q14"].map(String::from).into()));
        assert_eq!((&*found[0].moves[0].remark, found[0].moves[0].behind), ("the usual one", 2));
        assert_eq!(found[0].moves[2].mark, Some(JosekiMark::Bad));
        // The other corners are empty; the star point may be taken by both.
        assert_eq!(names(19, &found[1]), ["b q4", "w q4"]);
        // Lower left, turned over the diagonal, colours exchanged; a stone further off is seen on fewer lines.
        let turned = [((3, 15), Side::Second), ((5, 16), Side::First), ((3, 9), Side::First)];
        let found = dictionary.look_up(&board(19, &turned));
        let lower_left = found.iter().find(|found| found.corner.name() == "lower left").unwrap();
        assert_eq!((lower_left.lines, names(19, lower_left)), (9, ["w d6", "b -", "w f4"].map(String::from).into()));
        // A stone on the last line of a corner: the middle of the board.
        let side = JosekiDictionary::read("(;SZ[19];B[pd];W[jd];B[nd])").unwrap();
        let found = side.look_up(&board(19, &[((15, 3), Side::First), ((9, 3), Side::Second)]));
        assert_eq!((found[0].lines, names(19, &found[0])), (10, vec!["b o16".to_owned()]));
        // A smaller board has fewer lines.
        let found = dictionary.look_up(&board(13, &[((9, 3), Side::First), ((10, 5), Side::Second)]));
        assert_eq!((found[0].lines, names(13, &found[0])), (7, ["b h10", "w -", "b k8"].map(String::from).into()));
        assert!(
            dictionary
                .look_up(&board(19, &[((18, 0), Side::First)]))
                .iter()
                .all(|found| found.corner.name() != "upper right")
        );
    }

    #[test]
    fn each_point_has_a_corner() {
        let size = LargeBoard::new(19, 13).unwrap();
        let corner = |x, y| Corner::of(size, size.point(x, y).unwrap()).name();
        assert_eq!([corner(0, 0), corner(8, 5), corner(9, 6)], ["upper left", "upper left", "lower right"]);
        assert_eq!([corner(18, 0), corner(0, 12), corner(10, 7)], ["upper right", "lower left", "lower right"]);
    }

    #[test]
    fn what_is_no_dictionary_is_told() {
        let error = |text: &str| JosekiDictionary::read(text).unwrap_err().to_string();
        assert!(error("nothing").starts_with("not SGF: line 1, column 8: "));
        assert!(error("(;SZ[19])").contains("no moves in a corner"));
        assert!(error("(;SZ[19];B[pd])\n(;SZ[40];B[aa])").starts_with("line 2, column 2: game 2: "));
        let odd = "(;SZ[19]AB[dd][pp];W[aa];W[bb];B[aa])";
        assert!(error(odd).contains("no moves"), "stones in two corners");
        let odd = JosekiDictionary::read("(;SZ[19];B[pd](;W[pd];B[qq])(;W[qf]))").unwrap();
        assert_eq!(odd.notices(), ["nodes that cannot be played, left out with what is below: 1"]);
    }

    /// Every position of a random dictionary is found on every corner, turned and in both colours, with its moves.
    #[test]
    fn random_dictionaries_are_found_again() {
        let mut random = rng(5, &[]);
        let size = LargeBoard::new(19, 19).unwrap();
        for _ in 0..20 {
            let mut position = Chains::new(size);
            let (mut text, mut line) = ("(;SZ[19]".to_owned(), Vec::new());
            for ply in 0..12 {
                let (x, y) = (random.random_range(11..19), random.random_range(0..8));
                let point = size.point(x, y).unwrap();
                let side = if ply % 2 == 0 { Side::First } else { Side::Second };
                if position.look(point, side).is_none() || position.colour(point).is_some() {
                    continue;
                }
                line.push((position.clone(), side, (x, y)));
                text += &format!(
                    ";{}[{}]",
                    if ply % 2 == 0 { "B" } else { "W" },
                    crate::notation::sgf::point::name((x, y))
                );
                position.put(point, side);
            }
            let dictionary = JosekiDictionary::read(&format!("{text})")).unwrap();
            for (before, side, (x, y)) in line {
                let (symmetry, exchanged) = (random.random_range(0..8u8), random.random_range(0..2) == 1);
                let carried = |place| crate::notation::sgf::symmetry::carried((19, 19), place, symmetry);
                let colour = |side: Side| if exchanged { side.other() } else { side };
                let mut turned = Chains::new(size);
                for point in 0..size.area() {
                    if let Some(stone) = before.colour(point) {
                        let (x, y) = carried(size.place(point));
                        turned.set(size.point(x, y).unwrap(), colour(stone));
                    }
                }
                let at = carried((x, y));
                let wanted = (colour(side), size.point(at.0, at.1));
                let found = dictionary.look_up(&turned);
                assert!(found.iter().any(|found| found.moves.iter().any(|m| (m.side, m.point) == wanted)), "{text}");
            }
        }
    }
}
