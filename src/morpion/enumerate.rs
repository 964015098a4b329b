//! Counting the distinct grids after each number of moves: the engine's perft.
//!
//! Grids are walked as a tree in which each class of grids (equal up to symmetry and move order) has exactly one
//! node, so that none of them needs to be remembered: canonical augmentation (McKay, "Isomorph-free exhaustive
//! generation", 1998). A line of a grid can be *taken out* if its new point lies on no other line of the grid;
//! what remains is a grid again, and every grid that this one can be made from by one move arises so. Of these the
//! one with the smallest key is the grid's parent. A node's children are made by all its legal moves,
//! and a child is kept only if the node is its parent, and only once per key.
//!
//! The key of a grid is the smallest of 8 hashes, one for each symmetry, each the exclusive or of a fixed random
//! number per line (Zobrist 1970), so that adding or taking out a line costs 8 exclusive ors. A wrong count needs
//! two different classes among the parents of one grid or among the children of one grid to have the same 64-bit
//! key: about 10 comparisons per grid made, each wrong with probability 8 / 2^64, or less than 10^-8 for all of
//! 5T to depth 12 (10^8 grids made). Memory does not grow with the number of grids.
//!
//! This file does not start threads: [`EnumerationWalk::split`] gives the subtrees of one depth,
//! [`EnumerationWalk::count_below`] counts in one; `jobs::enumerate` runs them in parallel.

use super::canonical::mix;
use super::geometry::{Direction, Line, Move, Point, SIDE};
use super::position::Position;
use super::symmetry::Symmetry;
use super::variant::{Rules, Variant};

/// The greatest depth that can be enumerated: a move widens the box around the points by at most one point, and the
/// cross stands 25 points from the edge of the playing area, so that up to here no move is lost to the edge.
pub const MAX_DEPTH: u32 = 25;

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

/// The subtrees of one depth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subtrees {
    /// What was counted at each depth above the subtrees: `counts[n]` is that of `n` moves.
    pub counts: Vec<u64>,
    /// The roots of the subtrees, each a sequence of `counts.len()` legal moves.
    pub roots: Vec<Vec<Move>>,
}

/// The hashes of each line under the 8 symmetries.
pub struct LineHashes(Vec<[u64; 8]>);

impl LineHashes {
    /// The table of a variant, 2 MB.
    pub fn new(variant: Variant) -> LineHashes {
        let mut table = vec![[0; 8]; 1 << 15];
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
                    let entry = &mut table[usize::from(Line::pack(direction, track, start).key())];
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
        LineHashes(table)
    }

    #[inline(always)]
    fn of(&self, line: Line) -> &[u64; 8] {
        // The mask spares the bounds check: a key is below 2^15 anyway.
        &self.0[usize::from(line.key()) & 0x7FFF]
    }
}

/// A place in the tree of grids or sequences, with the memory for walking below it.
pub struct EnumerationWalk<'a, R> {
    kind: CountKind,
    hashes: &'a LineHashes,
    position: Position<R>,
    /// By number of moves played: the hashes of the grid.
    sums: Vec<[u64; 8]>,
    /// By number of a point: how many lines go through it.
    cover: Vec<u8>,
    /// By number of moves played: the children being gone through, with their keys.
    children: Vec<Vec<(u64, Move)>>,
}

impl<'a, R: Rules> EnumerationWalk<'a, R> {
    /// A walk that stands at the start. Making one costs about a millisecond; use it again.
    pub fn new(kind: CountKind, hashes: &'a LineHashes) -> EnumerationWalk<'a, R> {
        EnumerationWalk {
            kind,
            hashes,
            position: Position::new(),
            sums: vec![[0; 8]],
            cover: vec![0; 1 << 12],
            children: vec![Vec::new(); MAX_DEPTH as usize + 1],
        }
    }

    /// Counts by depth and collects the roots of the subtrees at `depth`.
    pub fn split(&mut self, depth: u32) -> Subtrees {
        self.stand_at(&[]);
        let depth = depth.min(MAX_DEPTH);
        let mut split = Subtrees { counts: vec![0; depth as usize], roots: Vec::new() };
        self.collect(depth, &mut split);
        split
    }

    /// What there is below `root`, one of the roots that [`EnumerationWalk::split`] gives for the same kind: element
    /// `i` of the result counts what has `i` moves more than it, from 1 (the root itself) at 0, to `further` moves
    /// more.
    ///
    /// For other roots (of legal moves in a playable order) the result means nothing.
    pub fn count_below(&mut self, root: &[Move], further: u32) -> Vec<u64> {
        self.stand_at(root);
        let further = further.min(MAX_DEPTH.saturating_sub(root.len() as u32));
        let mut counts = vec![0; further as usize + 1];
        counts[0] = 1;
        self.count(&mut counts[1..]);
        counts
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

    fn play(&mut self, mv: Move) {
        let before = self.sums[self.sums.len() - 1];
        self.sums.push(xor(&before, self.hashes.of(mv.line())));
        for point in mv.line().points::<R>() {
            self.cover[point.index()] += 1;
        }
        self.position.play(mv);
    }

    fn undo(&mut self) {
        if let Some(mv) = self.position.undo() {
            self.sums.pop();
            for point in mv.line().points::<R>() {
                self.cover[point.index()] -= 1;
            }
        }
    }

    /// Puts the children of this place into `children`.
    fn expand(&mut self, children: &mut Vec<(u64, Move)>) {
        children.clear();
        if self.kind == CountKind::Sequences {
            children.extend(self.position.moves().iter().map(|&mv| (0, mv)));
            return;
        }
        let sums = self.sums[self.sums.len() - 1];
        let key = least(&sums);
        // The moves that can be taken out, with the hashes of what is left.
        let mut removable = [(Point::ORIGIN, [0; 8]); MAX_DEPTH as usize];
        let mut n = 0;
        for mv in self.position.played() {
            if self.cover[mv.point().index()] == 1 && n < removable.len() {
                removable[n] = (mv.point(), xor(&sums, self.hashes.of(mv.line())));
                n += 1;
            }
        }
        'moves: for &mv in self.position.moves() {
            let line = mv.line();
            let own = self.hashes.of(line);
            for (point, without) in &removable[..n] {
                let (track, c) = line.direction().track(*point);
                let on_line = track == line.track() && c.wrapping_sub(line.start()) < R::LEN as u32;
                // A removable line whose new point the move uses cannot be taken out of the child any more.
                if !on_line && without.iter().zip(own).any(|(a, b)| a ^ b < key) {
                    continue 'moves;
                }
            }
            let child = least(&xor(&sums, own));
            if children.iter().all(|&(other, _)| other != child) {
                children.push((child, mv));
            }
        }
    }

    /// Takes in this place and all below it down to `left` moves more.
    fn collect(&mut self, left: u32, split: &mut Subtrees) {
        let level = self.position.played().len();
        if left == 0 {
            split.roots.push(self.position.played().to_vec());
            return;
        }
        split.counts[level] += 1;
        let mut children = std::mem::take(&mut self.children[level]);
        self.expand(&mut children);
        for &(_, mv) in &children {
            self.play(mv);
            self.collect(left - 1, split);
            self.undo();
        }
        self.children[level] = children;
    }

    /// Adds to `counts[i]` what is `i + 1` moves below this place. The last level is counted without entering it.
    fn count(&mut self, counts: &mut [u64]) {
        let Some((here, further)) = counts.split_first_mut() else { return };
        if self.kind == CountKind::Sequences && further.is_empty() {
            *here += self.position.moves().len() as u64;
            return;
        }
        let level = self.position.played().len();
        let mut children = std::mem::take(&mut self.children[level]);
        self.expand(&mut children);
        *here += children.len() as u64;
        if !further.is_empty() {
            for &(_, mv) in &children {
                self.play(mv);
                self.count(further);
                self.undo();
            }
        }
        self.children[level] = children;
    }
}

#[inline(always)]
fn xor(a: &[u64; 8], b: &[u64; 8]) -> [u64; 8] {
    std::array::from_fn(|i| a[i] ^ b[i])
}

#[inline(always)]
fn least(sums: &[u64; 8]) -> u64 {
    sums.iter().fold(u64::MAX, |least, &sum| least.min(sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::with_rules;

    #[test]
    fn splitting_changes_nothing() {
        for variant in Variant::ALL {
            let hashes = LineHashes::new(variant);
            for kind in [CountKind::Grids, CountKind::Sequences] {
                with_rules!(variant, R => {
                    let mut walk = EnumerationWalk::<R>::new(kind, &hashes);
                    let whole = walk.count_below(&[], 3);
                    for depth in 0..=3 {
                        let Subtrees { mut counts, roots } = walk.split(depth);
                        counts.resize(4, 0);
                        for root in &roots {
                            for (i, n) in walk.count_below(root, 3 - depth).iter().enumerate() {
                                counts[depth as usize + i] += n;
                            }
                        }
                        assert_eq!(counts, whole, "{variant} {kind:?} split at depth {depth}");
                    }
                });
            }
        }
    }
}
