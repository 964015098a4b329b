//! The search patterns of a database, found on a board by the keys of rectangles.
//!
//! Each search pattern goes by its *core*: its whole rectangle if all points of that are certain and there are few
//! enough, else the largest rectangle in it for which this holds. Cores of one size are a group with a table from
//! their keys. So a match of a whole board makes the key of each rectangle for each size of a core; how many patterns
//! there are costs little. Where a core is not all, the rest is compared row by row, as bits.

use super::arrangement::{Arrangement, PatternEdges, PatternPlace, PointMask, SYMMETRIES};
use super::entry::{EntryFault, PatternEntry, PatternGoal, PatternStep};
use super::key::{BoardRows, KeyKind, MOST_KEYED, Rectangle};
use super::tree::MoveTree;
use crate::core::game::Side;
use ahash::AHashMap;

/// Stands for nothing.
const NONE: u32 = u32::MAX;
/// Bits of a filter for each key, at least.
const FILTER_BITS: usize = 8;

/// Where a search pattern comes from.
#[derive(Debug, Clone, Copy)]
struct Origin {
    step: u32,
    symmetry: u8,
    /// The next origin of the same search pattern.
    next: u32,
}

#[derive(Debug, Clone)]
struct SearchPattern {
    size: (u8, u8),
    core: PatternPlace,
    edges: PatternEdges,
    to_move: Side,
    /// A bit for the number of each goal.
    goals: u8,
    has_liberties: bool,
    /// The first of its rows in the index; [`NONE`] if the core is all.
    rows: u32,
    origin: u32,
}

/// The patterns with one key: their numbers follow each other.
#[derive(Debug, Clone, Copy)]
struct SameKey {
    first: u32,
    count: u32,
    /// Whether none of them has more to compare than the key.
    is_plain: bool,
}

/// The patterns with cores of one size.
#[derive(Debug, Clone)]
struct CoreGroup {
    size: (u8, u8),
    /// Of each key the patterns, as they are added.
    added: AHashMap<u64, Vec<u32>>,
    /// The same when all are added.
    by_key: AHashMap<u64, SameKey>,
    /// Bits that are set for each key in the table, so that most of the others are not looked up.
    filter: Vec<u64>,
    /// How far patterns reach beyond the core: left, up, right, down.
    reach: [u8; 4],
}

impl CoreGroup {
    #[inline]
    fn filter_bit(&self, key: u64) -> (usize, u64) {
        let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 16;
        ((mixed >> 6) as usize & (self.filter.len() - 1), 1 << (mixed & 63))
    }

    #[inline]
    fn find(&self, key: u64) -> Option<SameKey> {
        let (word, bit) = self.filter_bit(key);
        if self.filter[word] & bit == 0 { None } else { self.by_key.get(&key).copied() }
    }

    fn set_filter(&mut self) {
        let words = (self.by_key.len() * FILTER_BITS).div_ceil(64).next_power_of_two();
        self.filter = vec![0; words];
        let keys: Vec<u64> = self.by_key.keys().copied().collect();
        for key in keys {
            let (word, bit) = self.filter_bit(key);
            self.filter[word] |= bit;
        }
    }
}

/// A search pattern that fits a board, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatternMatch {
    /// Its number in the index.
    pub pattern: u32,
    /// Its rectangle on the board.
    pub at: Rectangle,
}

/// A move that a match proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternProposal {
    /// Number of the entry in the database.
    pub entry: usize,
    /// Column and row on the board.
    pub place: (u8, u8),
    /// The targets of the entry on the board that have stones.
    pub targets: Vec<(u8, u8)>,
}

/// The search patterns of a database.
#[derive(Debug, Clone)]
pub struct PatternIndex {
    kind: KeyKind,
    steps: Vec<(u32, PatternStep)>,
    goals: Vec<PatternGoal>,
    patterns: Vec<SearchPattern>,
    origins: Vec<Origin>,
    /// What is forbidden in each row of patterns: to be empty, black, white.
    rows: Vec<[u32; 3]>,
    groups: Vec<CoreGroup>,
}

impl PatternIndex {
    /// The index of these entries.
    ///
    /// # Errors
    /// The place of the first entry that is no pattern.
    pub fn new(entries: &[PatternEntry], kind: KeyKind) -> Result<PatternIndex, (usize, EntryFault)> {
        let mut index = PatternIndex {
            kind,
            steps: Vec::new(),
            goals: entries.iter().map(|entry| entry.goal).collect(),
            patterns: Vec::new(),
            origins: Vec::new(),
            rows: Vec::new(),
            groups: Vec::new(),
        };
        let mut known = AHashMap::new();
        for (place, entry) in entries.iter().enumerate() {
            for step in entry.steps().map_err(|fault| (place, fault))? {
                let id = index.steps.len() as u32;
                for symmetry in 0..SYMMETRIES {
                    let black = step.arrangement.turned(symmetry);
                    let white = black.exchanged();
                    for (arrangement, side) in [(black, Side::First), (white, Side::Second)] {
                        index.add(arrangement, side, entry.goal, (id, symmetry), &mut known);
                    }
                }
                index.steps.push((place as u32, step));
            }
        }
        index.groups.sort_by_key(|group| group.size);
        index.number_by_keys();
        Ok(index)
    }

    fn add(
        &mut self,
        arrangement: Arrangement,
        to_move: Side,
        goal: PatternGoal,
        (step, symmetry): (u32, u8),
        known: &mut AHashMap<(Arrangement, Side), u32>,
    ) {
        let new = self.patterns.len() as u32;
        let id = *known.entry((arrangement.clone(), to_move)).or_insert(new);
        if id == new {
            let pattern = self.search_pattern(&arrangement, to_move);
            self.patterns.push(pattern);
        }
        let pattern = &mut self.patterns[id as usize];
        pattern.goals |= 1 << goal.number();
        self.origins.push(Origin { step, symmetry, next: pattern.origin });
        pattern.origin = self.origins.len() as u32 - 1;
    }

    /// Numbers the patterns anew, so that those of one key follow each other.
    fn number_by_keys(&mut self) {
        let old = std::mem::take(&mut self.patterns);
        for group in &mut self.groups {
            let mut all: Vec<(u64, Vec<u32>)> = std::mem::take(&mut group.added).into_iter().collect();
            all.sort_unstable();
            for (key, ids) in all {
                let first = self.patterns.len() as u32;
                self.patterns.extend(ids.iter().map(|&id| old[id as usize].clone()));
                let is_plain = ids.iter().all(|&id| {
                    let pattern = &old[id as usize];
                    pattern.rows == NONE && pattern.edges == PatternEdges::default()
                });
                let count = ids.len() as u32;
                group.by_key.insert(key, SameKey { first, count, is_plain });
            }
            group.set_filter();
        }
    }

    fn search_pattern(&mut self, arrangement: &Arrangement, to_move: Side) -> SearchPattern {
        let core = core_of(arrangement);
        let (width, height) = arrangement.size();
        let is_all = (core.width, core.height) == (width, height);
        let rows = if is_all { NONE } else { self.rows.len() as u32 };
        if !is_all {
            for y in 0..height {
                let forbidden = |mask: PointMask| {
                    (0..width).filter(|&x| !arrangement.at((x, y)).meets(mask)).fold(0, |row, x| row | 1 << x)
                };
                self.rows.push([PointMask::EMPTY, PointMask::BLACK, PointMask::WHITE].map(forbidden));
            }
        }
        let content = |(x, y)| match arrangement.at((core.x + x, core.y + y)) {
            PointMask::BLACK => Some(Side::First),
            PointMask::WHITE => Some(Side::Second),
            _ => None,
        };
        let alone = BoardRows::new((core.width, core.height), content);
        let key = alone.key(self.kind, Rectangle { x: 0, y: 0, ..core });
        let size = (core.width, core.height);
        let group = self.groups.iter().position(|group| group.size == size).unwrap_or_else(|| {
            let (added, by_key, filter) = (AHashMap::new(), AHashMap::new(), Vec::new());
            self.groups.push(CoreGroup { size, added, by_key, filter, reach: [0; 4] });
            self.groups.len() - 1
        });
        let group = &mut self.groups[group];
        let reach = [core.x, core.y, width - core.x - core.width, height - core.y - core.height];
        group.reach.iter_mut().zip(reach).for_each(|(most, reach)| *most = reach.max(*most));
        group.added.entry(key).or_default().push(self.patterns.len() as u32);
        SearchPattern {
            size: (width, height),
            core: (core.x, core.y),
            edges: arrangement.edges,
            to_move,
            goals: 0,
            has_liberties: !arrangement.liberties.is_empty(),
            rows,
            origin: NONE,
        }
    }

    /// How many search patterns there are: equal ones count once.
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Rows of the tallest search pattern.
    pub fn tallest(&self) -> u8 {
        self.patterns.iter().map(|pattern| pattern.size.1).max().unwrap_or(0)
    }

    /// The side that a pattern is for.
    pub fn to_move(&self, pattern: u32) -> Side {
        self.patterns[pattern as usize].to_move
    }

    /// Whether a pattern comes from an entry with one of these goals, given as bits of their numbers.
    pub fn has_goal(&self, pattern: u32, goals: u8) -> bool {
        self.patterns[pattern as usize].goals & goals != 0
    }

    /// Appends what fits a board, whatever conditions on liberties there are.
    pub fn match_board(&self, rows: &BoardRows, found: &mut Vec<PatternMatch>) {
        let (width, height) = rows.size();
        self.match_near(rows, Rectangle { x: 0, y: 0, width, height }, found);
    }

    /// Appends what fits a board and has a point in a rectangle, whatever conditions on liberties there are.
    pub fn match_near(&self, rows: &BoardRows, region: Rectangle, found: &mut Vec<PatternMatch>) {
        let (width, height) = rows.size();
        for group in &self.groups {
            let (w, h) = group.size;
            if w > width || h > height {
                continue;
            }
            let [left, up, right, down] = group.reach;
            let first = |from: u8, size: u8, reach: u8| (from + 1).saturating_sub(size).saturating_sub(reach);
            let last =
                |from: u8, length: u8, reach: u8, most: u8| (from + length - 1).saturating_add(reach).min(most);
            let columns = first(region.x, w, right)..=last(region.x, region.width, left, width - w);
            let lines = first(region.y, h, down)..=last(region.y, region.height, up, height - h);
            for y in lines {
                for x in columns.clone() {
                    let core = Rectangle { x, y, width: w, height: h };
                    let Some(same) = group.find(rows.key(self.kind, core)) else { continue };
                    let patterns = same.first..same.first + same.count;
                    if same.is_plain && core.meets(region) {
                        found.extend(patterns.map(|pattern| PatternMatch { pattern, at: core }));
                        continue;
                    }
                    for id in patterns {
                        let pattern = &self.patterns[id as usize];
                        if let Some(at) = self.fits(pattern, rows, core).filter(|at| at.meets(region)) {
                            found.push(PatternMatch { pattern: id, at });
                        }
                    }
                }
            }
        }
    }

    /// The rectangle of a pattern whose core is there, if the rest fits.
    #[inline]
    fn fits(&self, pattern: &SearchPattern, rows: &BoardRows, core: Rectangle) -> Option<Rectangle> {
        let (board_width, board_height) = rows.size();
        let (width, height) = pattern.size;
        let x = core.x.checked_sub(pattern.core.0)?;
        let y = core.y.checked_sub(pattern.core.1)?;
        let (to_right, to_bottom) = (board_width.checked_sub(x + width)?, board_height.checked_sub(y + height)?);
        let PatternEdges { left, top, right, bottom } = pattern.edges;
        if left && x > 0 || top && y > 0 || right && to_right > 0 || bottom && to_bottom > 0 {
            return None;
        }
        if pattern.rows != NONE {
            let forbidden = &self.rows[pattern.rows as usize..][..usize::from(height)];
            for (dy, [empty, black, white]) in (0..).zip(forbidden) {
                let (of_black, of_white) = rows.row(x, y + dy);
                if !(of_black | of_white) & empty | of_black & black | of_white & white != 0 {
                    return None;
                }
            }
        }
        Some(Rectangle { x, y, width, height })
    }

    /// Appends the moves of a match, if its conditions on liberties hold: `liberties` says how many the chain on a
    /// point has, 0 if it is empty.
    pub fn proposals(
        &self,
        found: &PatternMatch,
        liberties: impl Fn((u8, u8)) -> u32,
        list: &mut Vec<PatternProposal>,
    ) {
        let pattern = &self.patterns[found.pattern as usize];
        let mut next = pattern.origin;
        while next != NONE {
            let origin = self.origins[next as usize];
            next = origin.next;
            let (entry, step) = &self.steps[origin.step as usize];
            let on_board = |place: PatternPlace| {
                let (x, y) = step.arrangement.carried(place, origin.symmetry);
                (found.at.x + x, found.at.y + y)
            };
            let holds = !pattern.has_liberties
                || step.arrangement.liberties.iter().all(|condition| {
                    let count = liberties(on_board(condition.place));
                    count > 0 && (u32::from(condition.least)..=u32::from(condition.most)).contains(&count)
                });
            if !holds {
                continue;
            }
            let targets: Vec<(u8, u8)> = step.targets.iter().map(|&target| on_board(target)).collect();
            for first in step.tree.children(None) {
                let place = on_board(step.tree.moves()[first].place);
                let proposal = PatternProposal { entry: *entry as usize, place, targets: targets.clone() };
                if !list.contains(&proposal) {
                    list.push(proposal);
                }
            }
        }
    }

    /// All moves that a match tells of, for both sides, on the board; black of the pattern is the side to move.
    pub fn tree(&self, found: &PatternMatch) -> MoveTree {
        let mut tree = MoveTree::default();
        let mut next = self.patterns[found.pattern as usize].origin;
        while next != NONE {
            let origin = self.origins[next as usize];
            next = origin.next;
            let (_, step) = &self.steps[origin.step as usize];
            tree.merge(&step.tree, |place| {
                let (x, y) = step.arrangement.carried(place, origin.symmetry);
                (found.at.x + x, found.at.y + y)
            });
        }
        tree
    }

    /// The goal of an entry.
    pub fn goal(&self, entry: usize) -> PatternGoal {
        self.goals[entry]
    }
}

/// The largest rectangle of certain points that has a key; among equal ones that with the most stones.
fn core_of(arrangement: &Arrangement) -> Rectangle {
    let (width, height) = arrangement.size();
    let mut best = (Rectangle { x: 0, y: 0, width: 0, height: 0 }, (0, 0));
    for y in 0..height {
        for x in 0..width {
            // The columns from here on that are certain in all rows so far.
            let mut most = width - x;
            for below in y..height {
                let certain = (x..x + most).take_while(|&x| arrangement.at((x, below)).is_definite()).count() as u8;
                most = certain;
                let lines = below + 1 - y;
                let columns = most.min(MOST_KEYED / lines);
                if columns == 0 {
                    break;
                }
                let inside = (y..=below).flat_map(|y| (x..x + columns).map(move |x| (x, y)));
                let stones = inside.filter(|&place| arrangement.at(place) != PointMask::EMPTY).count();
                let worth = (usize::from(lines) * usize::from(columns), stones);
                if worth > best.1 {
                    best = (Rectangle { x, y, width: columns, height: lines }, worth);
                }
            }
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::super::database::PatternDatabase;
    use super::super::entry::tests::shape;
    use super::*;

    fn index(entry: &PatternEntry) -> PatternIndex {
        PatternIndex::new(std::slice::from_ref(entry), KeyKind::default()).unwrap()
    }

    /// The most search patterns of one colour that ShapeGo says an entry has: 8 b for a shape with b black stones,
    /// 8 bn for a tesuji with bn moves of black.
    fn most(entry: &PatternEntry) -> usize {
        let moves = entry.tree.moves().iter().filter(|step| step.side == Side::First).count();
        let stones = entry.start.holding(PointMask::BLACK).count();
        usize::from(SYMMETRIES) * if entry.is_tesuji() { moves } else { stones }
    }

    /// The index has both colours, so it counts twice of what ShapeGo does.
    #[test]
    fn a_shape_has_eight_search_patterns_for_each_black_stone() {
        for (rows, stones, of_one_colour) in [
            // Without symmetry: all are different, whichever stone is left out.
            ("XX.X .X..", 4, 32),
            ("XXO .X.", 3, 24),
            // The thesis' figure 4.1: of the 24 of an empty triangle, 4 lack an arm and 2 the stone in the middle.
            ("XX X.", 3, 6),
            // Of a bamboo joint all four stones are alike.
            ("X.X X.X", 4, 8),
            ("X", 1, 1),
        ] {
            let entry = shape("", PatternGoal::Connect, rows);
            assert_eq!(most(&entry), 8 * stones);
            assert_eq!(index(&entry).len(), 2 * of_one_colour, "{rows}");
        }
        // Equal ones have their trees merged: each of a triangle comes from two, and has the moves of both.
        let triangle = index(&shape("", PatternGoal::Connect, "XX X."));
        for pattern in 0..triangle.len() as u32 {
            let at = Rectangle { x: 0, y: 0, width: 2, height: 2 };
            assert_eq!(triangle.tree(&PatternMatch { pattern, at }).moves().len(), 2);
        }
    }

    #[test]
    fn a_tesuji_has_eight_search_patterns_for_each_move_of_black() {
        let mut tesuji = shape("", PatternGoal::Capture, "XO.. .X.. ....");
        let first = tesuji.tree.add(None, (2, 0), Vec::new());
        assert_eq!((most(&tesuji), index(&tesuji).len()), (8, 2 * 8));
        // It is recognised half-way, after each answer of white.
        for (number, (answer, move_after)) in (2..).zip([((3, 0), (3, 1)), ((2, 1), (3, 2))]) {
            let answer = tesuji.tree.add(Some(first), answer, Vec::new());
            tesuji.tree.add(Some(answer), move_after, Vec::new());
            assert_eq!((most(&tesuji), index(&tesuji).len()), (8 * number, 2 * 8 * number));
        }
        // Another move of black in the same arrangement makes none more: bn is the most.
        tesuji.tree.add(None, (2, 2), Vec::new());
        assert_eq!((most(&tesuji), index(&tesuji).len()), (32, 2 * 24));
    }

    #[test]
    fn no_shipped_pattern_has_more_search_patterns_than_that() {
        let (mut all, mut full) = ([0; 2], [0; 2]);
        for entry in PatternDatabase::shipped().entries {
            let (most, found) = (2 * most(&entry), index(&entry).len());
            assert!((1..=most).contains(&found), "{}: {found} of {most}", entry.name);
            all[usize::from(entry.is_tesuji())] += 1;
            full[usize::from(entry.is_tesuji())] += u32::from(found == most);
        }
        // Some of both kinds have as many as that.
        println!("{full:?} of {all:?} shapes and tesuji have as many as they can");
        assert!(full.iter().all(|&count| count > 0), "{full:?} of {all:?}");
    }
}
