//! What fits a board, kept up to date from move to move.

use super::index::{PatternIndex, PatternMatch};
use super::key::{BoardRows, Rectangle};
use crate::core::game::Side;

/// A point with what it held and holds.
type Change = ((u8, u8), Option<Side>);

#[derive(Debug, Clone)]
struct MadeChange {
    before: Vec<Change>,
    removed: Vec<PatternMatch>,
}

/// A board with the patterns that fit it.
#[derive(Debug, Clone)]
pub struct PatternBoard<'a> {
    index: &'a PatternIndex,
    rows: BoardRows,
    /// What fits, by its first row: a change concerns few of them.
    by_row: Vec<Vec<PatternMatch>>,
    /// Rows of the tallest pattern.
    tallest: u8,
    found: Vec<PatternMatch>,
    made: Vec<MadeChange>,
}

impl<'a> PatternBoard<'a> {
    /// The patterns of an index on this board.
    pub fn new(index: &'a PatternIndex, rows: BoardRows) -> PatternBoard<'a> {
        let mut found = Vec::new();
        index.match_board(&rows, &mut found);
        let by_row = vec![Vec::new(); rows.size().1.into()];
        let mut board =
            PatternBoard { index, rows, by_row, tallest: index.tallest(), found: Vec::new(), made: Vec::new() };
        board.add(&found);
        board
    }

    /// What fits, in no order.
    pub fn matches(&self) -> impl Iterator<Item = &PatternMatch> {
        self.by_row.iter().flatten()
    }

    fn add(&mut self, matches: &[PatternMatch]) {
        matches.iter().for_each(|found| self.by_row[usize::from(found.at.y)].push(*found));
    }

    /// Takes out what covers one of these points; it is added to `removed`.
    fn take_out(&mut self, points: &[Change], removed: &mut Vec<PatternMatch>) {
        let Some(around) = rectangle_around(points) else { return };
        let first = (around.y + 1).saturating_sub(self.tallest);
        for row in &mut self.by_row[first.into()..usize::from(around.y + around.height)] {
            // Their order does not matter.
            let mut place = 0;
            while let Some(found) = row.get(place) {
                if covers(found, points) {
                    removed.push(row.swap_remove(place));
                } else {
                    place += 1;
                }
            }
        }
    }

    /// The stones on the board.
    pub fn rows(&self) -> &BoardRows {
        &self.rows
    }

    /// Gives points another content: the stone of a move, and the points of what it captured.
    pub fn change(&mut self, to: impl IntoIterator<Item = ((u8, u8), Option<Side>)>) {
        let mut before = Vec::new();
        for (place, content) in to {
            before.push((place, self.rows.at(place)));
            self.rows.set(place, content);
        }
        let mut removed = Vec::new();
        self.take_out(&before, &mut removed);
        if let Some(around) = rectangle_around(&before) {
            let mut found = std::mem::take(&mut self.found);
            found.clear();
            self.index.match_near(&self.rows, around, &mut found);
            found.retain(|found| covers(found, &before));
            self.add(&found);
            self.found = found;
        }
        self.made.push(MadeChange { before, removed });
    }

    /// Takes back the last change; nothing if there is none.
    pub fn undo(&mut self) {
        let Some(MadeChange { before, removed }) = self.made.pop() else { return };
        before.iter().rev().for_each(|&(place, content)| self.rows.set(place, content));
        // What covered the points before it was removed, so what covers them now came with it.
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        self.take_out(&before, &mut found);
        self.found = found;
        self.add(&removed);
    }
}

#[inline]
fn covers(found: &PatternMatch, points: &[Change]) -> bool {
    points.iter().any(|&(place, _)| found.at.contains(place))
}

fn rectangle_around(points: &[Change]) -> Option<Rectangle> {
    let (&((x, y), _), rest) = points.split_first()?;
    let (mut x0, mut y0, mut x1, mut y1) = (x, y, x, y);
    for &((x, y), _) in rest {
        (x0, y0, x1, y1) = (x0.min(x), y0.min(y), x1.max(x), y1.max(y));
    }
    Some(Rectangle { x: x0, y: y0, width: x1 - x0 + 1, height: y1 - y0 + 1 })
}

#[cfg(test)]
mod tests {
    use super::super::arrangement::{LibertyCondition, PatternEdges};
    use super::super::entry::tests::shape;
    use super::super::entry::{PatternEntry, PatternGoal};
    use super::super::key::KeyKind;
    use super::super::naive;
    use super::*;
    use crate::core::seed::{Rng, rng};
    use crate::games::go::large::chains::Chains;
    use crate::games::go::large::points::LargeBoard;
    use crate::tactics::board::TacticsBoard;
    use rand::RngExt;

    /// Shapes and tesuji with points of all kinds, edges and conditions.
    fn random_entries(random: &mut Rng, count: usize) -> Vec<PatternEntry> {
        let mut entries = Vec::new();
        while entries.len() < count {
            let (width, height) = (random.random_range(1..5), random.random_range(1..4));
            let kinds: &[u8] = if random.random_range(0..2) == 0 { b".X.O" } else { b".XO.xo*?" };
            let row = |random: &mut Rng| -> String {
                (0..width).map(|_| char::from(kinds[random.random_range(0..kinds.len())])).collect()
            };
            let rows: Vec<String> = (0..height).map(|_| row(random)).collect();
            let goal = PatternGoal::ALL[random.random_range(0..3)];
            let mut entry = shape("", goal, &rows.join(" "));
            if random.random_range(0..3) == 0 {
                entry.start.edges =
                    PatternEdges { left: true, bottom: random.random_range(0..2) == 0, ..entry.start.edges };
            }
            let stone = entry
                .start
                .places()
                .find(|&place| entry.start.at(place) == super::super::arrangement::PointMask::WHITE);
            if let Some(place) = stone.filter(|_| random.random_range(0..3) == 0) {
                entry.start.liberties = vec![LibertyCondition { place, least: 1, most: random.random_range(1..4) }];
                entry.targets = vec![place];
            }
            let empty: Vec<_> = entry.start.holding(super::super::arrangement::PointMask::EMPTY).collect();
            if empty.len() > 2 && random.random_range(0..2) == 0 {
                let first = entry.tree.add(None, empty[0], Vec::new());
                let second = entry.tree.add(Some(first), empty[1], Vec::new());
                entry.tree.add(Some(second), empty[2], Vec::new());
            }
            if entry.steps().is_ok() {
                entries.push(entry);
            }
        }
        entries
    }

    fn listed(index: &PatternIndex, board: &TacticsBoard, kept: &PatternBoard<'_>) -> Vec<naive::NaiveProposal> {
        let size = board.chains().size();
        let liberties = |(x, y)| size.point(x, y).map_or(0, |point| board.liberties(point).len());
        let mut all = Vec::new();
        for found in kept.matches() {
            let mut list = Vec::new();
            index.proposals(found, liberties, &mut list);
            assert!(list.iter().all(|one| index.has_goal(found.pattern, 1 << index.goal(one.entry).number())));
            all.extend(list.into_iter().map(|one| (one.entry, index.to_move(found.pattern), one.place)));
        }
        all.sort_by_key(|&(id, side, place)| (id, side == Side::Second, place));
        all.dedup();
        all
    }

    /// The matches kept from move to move, those of a whole board and the naive ones are the same, with each kind of
    /// key.
    #[test]
    fn matches_are_those_of_the_naive_matcher() {
        const SEED: u64 = 19;
        println!("seed {SEED}");
        let mut random = rng(SEED, &[]);
        let mut proposed = 0;
        for (round, (width, height)) in [(4, 4), (9, 9), (7, 5), (13, 13)].into_iter().enumerate() {
            let entries = random_entries(&mut random, 60);
            let kind = [KeyKind::Window, KeyKind::Zobrist, KeyKind::Matrix][round % 3];
            let index = PatternIndex::new(&entries, kind).unwrap();
            let size = LargeBoard::new(width, height).unwrap();
            let mut board = TacticsBoard::new(Chains::new(size), None);
            let stone = |board: &TacticsBoard, (x, y)| size.point(x, y).and_then(|point| board.colour(point));
            let mut kept = PatternBoard::new(&index, BoardRows::new((width, height), |place| stone(&board, place)));
            let mut side = Side::First;
            for step in 0..150 {
                if random.random_range(0..4) == 0 && board.depth() > 0 {
                    board.undo();
                    kept.undo();
                    side = side.other();
                } else {
                    let point = random.random_range(0..size.area());
                    if !board.is_legal(point, side) {
                        continue;
                    }
                    board.play(point, side);
                    let taken = board.last_captured();
                    let taken = taken.iter().map(|point| (size.place(point), None));
                    kept.change(std::iter::once((size.place(point), Some(side))).chain(taken));
                    side = side.other();
                }
                let fresh = PatternBoard::new(&index, BoardRows::new((width, height), |place| stone(&board, place)));
                assert_eq!(kept.rows(), fresh.rows());
                assert_eq!(kept.matches().count(), fresh.matches().count(), "{width}x{height}, step {step}");
                let of = listed(&index, &board, &fresh);
                assert_eq!(listed(&index, &board, &kept), of, "{width}x{height}, step {step}");
                if step % 10 == 0 {
                    let liberties = |(x, y)| size.point(x, y).map_or(0, |point| board.liberties(point).len());
                    let slow = naive::proposals(&entries, (width, height), |place| stone(&board, place), liberties);
                    assert_eq!(of, slow.unwrap(), "{width}x{height}, step {step}");
                    proposed += of.len();
                }
            }
        }
        assert!(proposed > 1000, "{proposed}");
    }
}
