//! Counting the distinct grids after each number of moves: the engine's perft.
//!
//! Grids are walked as a tree in which each class of grids (equal up to symmetry and move order) has exactly one
//! node, so that none of them needs to be remembered: canonical augmentation (McKay, "Isomorph-free exhaustive
//! generation", 1998). A line of a grid can be *taken out* if its new point lies on no other line of the grid;
//! what remains is a grid again, and every grid that this one can be made from by one move arises so. The line that
//! is taken out to get a grid's parent is the one of highest rank; a rank is a number that a line shares with its
//! images under the 8 symmetries and with no other line. Among lines of one rank it is the one that leaves the grid
//! of smallest key. A node's children are made by all its legal moves, and a child is kept only if the node is its
//! parent, and only once per key.
//!
//! Nearly always the rank alone decides, and then a look at the lines of highest rank is all that a move costs. Two
//! children of one node can be of one class only if a symmetry carries the node to itself, or if two lines of a child
//! have the same rank; only then keys of children are computed.
//!
//! The key of a grid is the smallest of 8 hashes, one for each symmetry, each the exclusive or of a fixed random
//! number per line (Zobrist 1970), so that adding or taking out a line costs 8 exclusive ors. A wrong count needs
//! two different classes among the parents of one grid or among the children of one grid to have the same 64-bit
//! key: fewer than 10 comparisons per grid made, each wrong with probability 8 / 2^64, or less than 10^-6 for all
//! grids of 4D (10^11 of them). Ranks are the upper halves of hashes. Two lines that are no images of each other but
//! share a rank change nothing but the time: which line is taken out is then decided by the keys.
//! Memory does not grow with the number of grids.
//!
//! This file does not start threads: [`GridWalk::split`] gives the subtrees of one depth one after the other,
//! [`GridWalk::count_below`] counts in one; `jobs::enumerate` runs them in parallel.

use super::canonical::mix;
use super::geometry::{Direction, Line, Move, Point, SIDE};
use super::position::Position;
use super::symmetry::Symmetry;
use super::variant::{Rules, Variant};
use crate::with_rules;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// The greatest depth that can be enumerated. All grids of lines of 4 are within it.
pub const MAX_DEPTH: u32 = 64;

/// Distinct grids after 0, 1, 2, ... moves up to the 8 symmetries, as known. Source: OEIS A204108 (5T), A204107
/// (5D), A204110 (4T), A204109 (4D), by their first terms.
pub const fn known_grids(variant: Variant) -> &'static [u64] {
    match variant {
        Variant::T5 => &[
            1,
            4,
            56,
            428,
            2741,
            13247,
            52059,
            167502,
            453377,
            1047750,
            2112634,
            3808004,
            6369041,
            10436597,
            18107008,
            36365073,
            90462493,
            282733629,
            1074838721,
            4716194782,
            22663033612,
            114269420056,
            586835167740,
        ],
        Variant::D5 => &[
            1, 4, 55, 404, 2462, 11196, 41135, 122897, 307319, 652286, 1199755, 1950378, 2885188, 4043706, 5718245,
            8888485, 16594082, 39074532, 115646521,
        ],
        Variant::T4 => &[1, 5, 107, 1212, 11307, 82008, 492459, 2488802, 10810906, 40954087],
        Variant::D4 => &[1, 5, 106, 1174, 10608, 73709, 419916, 1991917, 8027941, 27842848],
    }
}

/// Ordered sequences of 0, 1, 2, ... moves, as known from two independent programs.
pub const fn known_sequences(variant: Variant) -> &'static [u64] {
    match variant {
        Variant::T5 => &[1, 28, 748, 18992, 456520, 10346768],
        Variant::D5 => &[1, 28, 740, 18416, 430488, 9426768],
        Variant::T4 => &[1, 40, 1496, 52352, 1714648, 52542448],
        Variant::D4 => &[1, 40, 1480, 50648, 1602568, 46846512],
    }
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CountKind {
    /// Sets of lines, up to the 8 symmetries of the cross.
    Grids,
    /// Sequences of moves in the order played, without regard to symmetry.
    Sequences,
}

/// The hashes of each line under the 8 symmetries, and its rank.
pub struct LineHashes {
    hashes: Vec<[u64; 8]>,
    ranks: Vec<u32>,
}

impl LineHashes {
    /// The table of a variant, 2 MB.
    pub fn new(variant: Variant) -> LineHashes {
        let mut hashes = vec![[0; 8]; LINES];
        let last = variant.line_len() as i32 - 1;
        for direction in Direction::ALL {
            for y in 0..SIDE {
                for x in 0..SIDE {
                    let (dx, dy) = direction.delta();
                    let Some(first) = Point::new(x, y) else { continue };
                    if first.step(direction, last).is_none() {
                        continue;
                    }
                    let (track, start) = direction.track(first);
                    let entry = &mut hashes[usize::from(Line::pack(direction, track, start).key())];
                    for (hash, symmetry) in entry.iter_mut().zip(Symmetry::ALL) {
                        // In the plane, so that images beyond the edge are told apart as well.
                        let a = symmetry.plane(variant, x, y);
                        let b = symmetry.plane(variant, x + last * dx, y + last * dy);
                        let (x, y) = a.min(b);
                        let word = (symmetry.direction(direction) as u64) << 32
                            | u64::from((x + 64) as u16) << 16
                            | u64::from((y + 64) as u16);
                        *hash = mix(mix(word));
                    }
                }
            }
        }
        let ranks = hashes.iter().map(|of_line| (least(of_line) >> 32) as u32).collect();
        LineHashes { hashes, ranks }
    }

    // The masks spare the bounds checks: a key is below `LINES` anyway.
    #[inline(always)]
    fn of(&self, line: Line) -> &[u64; 8] {
        &self.hashes[usize::from(line.key()) & (LINES - 1)]
    }

    #[inline(always)]
    fn rank(&self, line: Line) -> u32 {
        self.ranks[usize::from(line.key()) & (LINES - 1)]
    }
}

/// Numbers that [`Line::key`] may have.
const LINES: usize = 1 << 15;
/// Numbers that [`Point::index`] may have.
const POINTS: usize = 1 << 12;

/// A line that can be taken out of the grid at hand.
#[derive(Debug, Clone, Copy)]
struct Removable {
    rank: u32,
    /// Which move of the sequence made it.
    played: u32,
}

/// A child of the place at hand.
#[derive(Debug, Clone, Copy)]
struct Child {
    mv: Move,
    /// Its key, if another child may be of its class.
    key: Option<u64>,
}

/// Grids that were met on the way: those with so many moves at least.
#[derive(Debug, Clone, Default)]
struct LongGrids {
    least: u32,
    grids: Vec<Vec<Move>>,
}

/// Most grids that one walk remembers.
const MAX_LONG_GRIDS: usize = 1000;

/// A place in the tree of grids or sequences, with the memory for walking below it.
struct EnumerationWalk<'a, R> {
    kind: CountKind,
    hashes: &'a LineHashes,
    position: Position<R>,
    /// By number of moves played: the hashes of the grid.
    sums: Vec<[u64; 8]>,
    /// By number of a point: the bit of the move whose new point it is, none for the points of the cross.
    maker: Vec<u64>,
    /// The lines that can be taken out after each number of moves, one list after the other, the highest rank first.
    removable: Vec<Removable>,
    /// By number of moves played: where the list begins.
    marks: Vec<usize>,
    /// By number of moves played: the children being gone through.
    children: Vec<Vec<Child>>,
    long: Option<LongGrids>,
    at_edge: bool,
    /// Places to be entered until the walk asks whether to stop.
    until_asking: u32,
}

/// A walk over the grids or the sequences of a variant.
pub trait GridWalk {
    /// From now on grids of at least so many moves are remembered, up to a thousand of them.
    fn remember(&mut self, least: u32);

    /// The grids that were remembered since the last call.
    fn take_long(&mut self) -> Vec<Vec<Move>>;

    /// Whether a grid reached the edge of the playing area, so that moves beyond it may be missing. A move widens the
    /// box around the points by at most one point, and the cross stands 25 points from the edge or more: with fewer
    /// moves this cannot happen.
    fn was_at_edge(&self) -> bool;

    /// Visits the roots of the subtrees at `depth`, numbered from 0 in an order that depends on nothing else, until
    /// `visit` breaks; what was counted at each depth above them: element `n` is that of `n` moves. Each root is a
    /// sequence of `depth` legal moves.
    fn split(&mut self, depth: u32, visit: &mut dyn FnMut(u64, &[Move]) -> ControlFlow<()>) -> Vec<u64>;

    /// What there is below `root`, one of the roots that [`GridWalk::split`] gives for the same kind: element `i` of
    /// the result counts what has `i` moves more than it, from 1 (the root itself) at 0, to `further` moves more.
    /// `None` if it was stopped.
    ///
    /// For other roots (of legal moves in a playable order) the result means nothing.
    fn count_below(&mut self, root: &[Move], further: u32, stop: &AtomicBool) -> Option<Vec<u64>>;
}

/// A walk of a variant that stands at the start. Making one costs about a millisecond; use it again.
pub fn walk<'a>(variant: Variant, kind: CountKind, hashes: &'a LineHashes) -> Box<dyn GridWalk + 'a> {
    with_rules!(variant, R => Box::new(EnumerationWalk::<R>::new(kind, hashes)))
}

/// Places that the walk enters before it asks whether to stop: some milliseconds.
const ASKING_PACE: u32 = 1 << 14;

impl<R: Rules> GridWalk for EnumerationWalk<'_, R> {
    fn remember(&mut self, least: u32) {
        self.long = Some(LongGrids { least, grids: Vec::new() });
    }

    fn take_long(&mut self) -> Vec<Vec<Move>> {
        self.long.as_mut().map(|long| std::mem::take(&mut long.grids)).unwrap_or_default()
    }

    fn was_at_edge(&self) -> bool {
        self.at_edge
    }

    fn split(&mut self, depth: u32, visit: &mut dyn FnMut(u64, &[Move]) -> ControlFlow<()>) -> Vec<u64> {
        self.stand_at(&[]);
        let depth = depth.min(MAX_DEPTH);
        let mut counts = vec![0; depth as usize];
        let mut met = 0;
        let _ = self.collect(&mut counts, &mut met, visit);
        counts
    }

    fn count_below(&mut self, root: &[Move], further: u32, stop: &AtomicBool) -> Option<Vec<u64>> {
        self.stand_at(root);
        let further = further.min(MAX_DEPTH.saturating_sub(root.len() as u32));
        let mut counts = vec![0; further as usize + 1];
        counts[0] = 1;
        self.until_asking = 0;
        self.count(&mut counts[1..], stop).is_continue().then_some(counts)
    }
}

impl<'a, R: Rules> EnumerationWalk<'a, R> {
    fn new(kind: CountKind, hashes: &'a LineHashes) -> EnumerationWalk<'a, R> {
        EnumerationWalk {
            kind,
            hashes,
            position: Position::new(),
            sums: vec![[0; 8]],
            maker: vec![0; POINTS],
            removable: Vec::new(),
            marks: vec![0],
            children: vec![Vec::new(); MAX_DEPTH as usize + 1],
            long: None,
            at_edge: false,
            until_asking: 0,
        }
    }

    fn stand_at(&mut self, root: &[Move]) {
        let common = self.position.played().iter().zip(root).take_while(|(a, b)| a == b).count();
        while self.position.played().len() > common {
            self.undo();
        }
        for &mv in &root[common..] {
            self.play(mv);
        }
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        let before = self.sums[self.sums.len() - 1];
        self.sums.push(xor(&before, self.hashes.of(mv.line())));
        let (from, to) = (self.marks[self.marks.len() - 1], self.removable.len());
        let own = Removable { rank: self.hashes.rank(mv.line()), played: self.position.score() };
        let used = self.makers(mv.line());
        self.marks.push(to);
        self.removable.push(own);
        // In the tree the new line has the highest rank, and the list is in order at once.
        let mut at = to;
        for i in from..to {
            let other = self.removable[i];
            if used >> other.played & 1 == 0 {
                if other.rank > own.rank {
                    self.removable.insert(at, other);
                    at += 1;
                } else {
                    self.removable.push(other);
                }
            }
        }
        self.maker[mv.point().index()] = 1 << own.played;
        self.at_edge |= is_border(mv.point());
        self.position.play(mv);
    }

    #[inline]
    fn undo(&mut self) {
        if let Some(mv) = self.position.undo() {
            self.sums.pop();
            if let Some(from) = self.marks.pop() {
                self.removable.truncate(from);
            }
            self.maker[mv.point().index()] = 0;
        }
    }

    /// The bits of the moves that made the points of a line.
    #[inline(always)]
    fn makers(&self, line: Line) -> u64 {
        let (first, stride) = (line.first().index(), line.direction().stride() as usize);
        let mut makers = 0;
        for i in 0..R::LEN {
            // The mask spares the bounds check. A stride upwards is a large number that wraps.
            makers |= self.maker[first.wrapping_add(i.wrapping_mul(stride)) & (POINTS - 1)];
        }
        makers
    }

    /// Puts the children of this place into `children`.
    fn expand(&mut self, children: &mut Vec<Child>) {
        children.clear();
        if self.kind == CountKind::Sequences {
            children.extend(self.position.moves().iter().map(|&mv| Child { mv, key: None }));
            return;
        }
        let sums = &self.sums[self.sums.len() - 1];
        let removable = &self.removable[self.marks[self.marks.len() - 1]..];
        let is_symmetric = sums[1..].contains(&sums[0]);
        // A move uses at most `LEN - 1` points, so one of the first `LEN` lines remains removable.
        let sure = removable.get(R::LEN - 1).map_or(0, |line| line.rank);
        'moves: for &mv in self.position.moves() {
            let rank = self.hashes.rank(mv.line());
            if rank < sure {
                continue;
            }
            // A removable line whose new point the move uses cannot be taken out of the child any more.
            let used = self.makers(mv.line());
            let mut others =
                removable.iter().filter(|line| used >> line.played & 1 == 0).take_while(|line| line.rank >= rank);
            let own = self.hashes.of(mv.line());
            let mut has_rival = false;
            if let Some(first) = others.next() {
                if first.rank > rank {
                    continue;
                }
                has_rival = true;
                let key = least(sums);
                for line in std::iter::once(first).chain(others) {
                    let rival = self.position.played()[line.played as usize].line();
                    let without = xor(sums, self.hashes.of(rival));
                    if least(&xor(&without, own)) < key {
                        continue 'moves;
                    }
                }
            }
            let key = (has_rival || is_symmetric).then(|| least(&xor(sums, own)));
            if key.is_none() || children.iter().all(|other| other.key != key) {
                children.push(Child { mv, key });
            }
        }
    }

    /// Takes in this place and all below it down to the depth of the roots.
    fn collect(
        &mut self,
        counts: &mut [u64],
        met: &mut u64,
        visit: &mut dyn FnMut(u64, &[Move]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let level = self.position.played().len();
        let Some(here) = counts.get_mut(level) else {
            let number = *met;
            *met += 1;
            return visit(number, self.position.played());
        };
        *here += 1;
        let mut children = std::mem::take(&mut self.children[level]);
        self.expand(&mut children);
        let mut flow = ControlFlow::Continue(());
        for child in &children {
            self.play(child.mv);
            flow = self.collect(counts, met, visit);
            self.undo();
            if flow.is_break() {
                break;
            }
        }
        self.children[level] = children;
        flow
    }

    /// Adds to `counts[i]` what is `i + 1` moves below this place. The last level is counted without entering it.
    fn count(&mut self, counts: &mut [u64], stop: &AtomicBool) -> ControlFlow<()> {
        let Some((here, further)) = counts.split_first_mut() else { return ControlFlow::Continue(()) };
        let level = self.position.played().len();
        match self.until_asking.checked_sub(1) {
            Some(left) => self.until_asking = left,
            None if stop.load(Ordering::Relaxed) => return ControlFlow::Break(()),
            None => self.until_asking = ASKING_PACE,
        }
        if self.kind == CountKind::Sequences && further.is_empty() {
            *here += self.position.moves().len() as u64;
            return ControlFlow::Continue(());
        }
        let mut children = std::mem::take(&mut self.children[level]);
        self.expand(&mut children);
        *here += children.len() as u64;
        if self.long.as_ref().is_some_and(|long| level + 1 >= long.least as usize) {
            self.note_long(&children);
        }
        let mut flow = ControlFlow::Continue(());
        if !further.is_empty() {
            for child in &children {
                self.play(child.mv);
                flow = self.count(further, stop);
                self.undo();
                if flow.is_break() {
                    break;
                }
            }
        }
        self.children[level] = children;
        flow
    }

    #[cold]
    fn note_long(&mut self, children: &[Child]) {
        let Some(long) = &mut self.long else { return };
        for child in children {
            if long.grids.len() < MAX_LONG_GRIDS {
                long.grids.push([self.position.played(), &[child.mv]].concat());
            }
        }
    }
}

/// Whether a point lies on the border of the playing area.
#[inline(always)]
fn is_border(point: Point) -> bool {
    let last = SIDE - 1;
    point.x() == 0 || point.y() == 0 || point.x() == last || point.y() == last
}

#[inline(always)]
fn xor(a: &[u64; 8], b: &[u64; 8]) -> [u64; 8] {
    let mut sums = *a;
    for (sum, hash) in sums.iter_mut().zip(b) {
        *sum ^= hash;
    }
    sums
}

#[inline(always)]
fn least(sums: &[u64; 8]) -> u64 {
    sums.iter().fold(u64::MAX, |least, &sum| least.min(sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting_changes_nothing() {
        for variant in Variant::ALL {
            let hashes = LineHashes::new(variant);
            for kind in [CountKind::Grids, CountKind::Sequences] {
                let mut walk = walk(variant, kind, &hashes);
                let never = AtomicBool::new(false);
                let whole = walk.count_below(&[], 3, &never).unwrap();
                for depth in 0..=3 {
                    let mut roots = Vec::new();
                    let mut counts = walk.split(depth, &mut |number, root| {
                        assert_eq!(number, roots.len() as u64);
                        roots.push(root.to_vec());
                        ControlFlow::Continue(())
                    });
                    counts.resize(4, 0);
                    for root in &roots {
                        for (i, n) in walk.count_below(root, 3 - depth, &never).unwrap().iter().enumerate() {
                            counts[depth as usize + i] += n;
                        }
                    }
                    assert_eq!(counts, whole, "{variant} {kind:?} split at depth {depth}");
                }
            }
        }
    }
}
