//! The walk of a hunt's coordinator: all combinations of the first moves, each of which becomes the prefix of a unit.
//!
//! The walk is the depth-first search itself, cut off at a depth: same order of moves, order-free and with
//! elimination like the search below it, so that the units together search exactly what one search of the whole
//! would. Before the first move the choice is restricted to one of each class under the symmetries of the start: the
//! first of its class in the order of the search, and after a class is done its other moves are no longer
//! considered either, since any grid with one of them is the mirror image of a grid that has been seen.
//! The walk is deterministic and quick (well under a microsecond per node), so it is resumed by walking again.

use super::params::Params;
use super::tree::{Tree, TreeOptions};
use super::vector::extension::PlainVectors;
use crate::morpion::geometry::Move;
use crate::morpion::start::Start;
use crate::morpion::variant::{Rules, Variant};
use crate::with_rules;

/// What the walk yields for a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix {
    /// All moves from the start position, those of the given start included: the unit's prefix.
    pub moves: Vec<Move>,
    /// The moves that the unit may begin with: the unit's candidates. Empty if the game has ended.
    pub candidates: Vec<Move>,
}

/// How far the walk is at one level: `left` of `total` moves have not been done yet, the one in progress
/// included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelProgress {
    /// Moves played since the start of the walk when a move of this level is chosen.
    pub level: u32,
    /// Moves not yet done.
    pub left: u32,
    /// Moves to be tried at this level, below the moves that are being tried at the levels above.
    pub total: u32,
}

/// The walk over all prefixes.
pub trait PrefixWalk: Send {
    /// The next prefix, or `None` after the last.
    fn next(&mut self) -> Option<Prefix>;

    /// How far the walk has come, one entry per level from the first; the levels below the end of a short game are
    /// missing. After the last prefix: one entry with nothing left.
    fn progress(&self) -> Vec<LevelProgress>;

    /// Number of prefixes returned so far.
    fn produced(&self) -> u64;
}

/// The walk over the first `depth` moves after `start` (played as far as it is legal), as the search with `params`
/// tries them. Games that end earlier are handed over as shorter prefixes.
pub fn prefix_walk(variant: Variant, params: &Params, start: &[Move], depth: u32) -> Box<dyn PrefixWalk> {
    with_rules!(variant, R => Box::new(TreeWalk::<R>::new(params, start, depth)))
}

struct TreeWalk<R> {
    tree: Tree<R>,
    depth: usize,
    produced: u64,
    /// Indices of the moves to be tried at the root, if not all of them.
    representatives: Option<Vec<u32>>,
    /// The first call has been made.
    begun: bool,
}

impl<R: Rules> TreeWalk<R> {
    fn new(params: &Params, start: &[Move], depth: u32) -> TreeWalk<R> {
        let mut tree = Tree::new(&params.start, start, None, TreeOptions::from(params));
        let representatives = start.is_empty().then(|| group_by_class(&mut tree, &params.start));
        TreeWalk { tree, depth: depth as usize, produced: 0, representatives, begun: false }
    }

    fn level(&self) -> usize {
        self.tree.frames().len() - 1
    }

    /// Whether the node at the end of the path is handed over.
    fn is_prefix(&self) -> bool {
        self.level() >= self.depth || self.tree.at_leaf()
    }

    /// Enters the next child; `false` if there is none.
    fn enter(&mut self) -> bool {
        if let (0, Some(representatives)) = (self.level(), &self.representatives) {
            let next = self.tree.frames()[0].next;
            match representatives.iter().find(|&&index| index >= next) {
                Some(&index) => self.tree.seek(index),
                None => return false,
            };
        }
        let entered = self.tree.enter::<PlainVectors>();
        if entered && self.level() == 1 && self.representatives.is_some() {
            self.tree.sort_again();
        }
        entered
    }
}

impl<R: Rules> PrefixWalk for TreeWalk<R> {
    fn next(&mut self) -> Option<Prefix> {
        if self.begun {
            // Leaves the node handed over last; at the root there is nothing more.
            if self.is_prefix() && !self.tree.leave() {
                return None;
            }
        }
        self.begun = true;
        while !self.is_prefix() {
            if !self.enter() && !self.tree.leave() {
                return None;
            }
        }
        self.produced += 1;
        Some(Prefix { moves: self.tree.moves(), candidates: self.tree.list() })
    }

    fn progress(&self) -> Vec<LevelProgress> {
        let frames = self.tree.frames();
        let open = frames.len() - 1;
        let mut levels = Vec::new();
        for (level, frame) in frames.iter().enumerate().take(open.max(1)) {
            let done = frame.next - frame.start - u32::from(level < open);
            let total = frame.stop - frame.start;
            let (left, total) = match &self.representatives {
                Some(all) if level == 0 => (all.iter().filter(|&&i| i >= done).count() as u32, all.len() as u32),
                _ => (total - done, total),
            };
            levels.push(LevelProgress { level: level as u32, left, total });
        }
        levels
    }

    fn produced(&self) -> u64 {
        self.produced
    }
}

/// Groups the root's moves by their class under the symmetries of the start, in the order of the first of each
/// class, and returns the indices of those first ones among the moves to be tried. So the moves behind a
/// representative are the rest of its class and the classes not done yet.
fn group_by_class<R: Rules>(tree: &mut Tree<R>, start: &Start) -> Vec<u32> {
    let symmetries = start.symmetries(R::VARIANT);
    let (frame, list) = tree.root_mut();
    let mut tried = vec![false; list.len()];
    tried[..frame.stop as usize].fill(true);
    let mut rest: Vec<(Move, bool)> = list.iter().copied().zip(tried).collect();
    let mut representatives = Vec::new();
    let mut at = 0;
    while let Some(&(first, tried)) = rest.first() {
        if tried {
            representatives.push(at as u32);
        }
        let images = symmetries.iter().filter_map(|symmetry| symmetry.image(start.centre(R::VARIANT), first));
        let class: Vec<Move> = images.collect();
        let (same, other): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(mv, _)| class.contains(mv));
        for (mv, _) in same {
            list[at] = mv;
            at += 1;
        }
        rest = other;
    }
    frame.stop = frame.end;
    representatives
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(order_free: bool, eliminate_dominated: bool) -> Params {
        Params { order_free, eliminate_dominated, ..Params::default() }
    }

    #[test]
    fn symmetric_first_moves_are_grouped() {
        for (variant, classes) in [(Variant::T5, 4), (Variant::D5, 4), (Variant::T4, 5), (Variant::D4, 5)] {
            let mut walk = prefix_walk(variant, &params(true, true), &[], 1);
            let mut sizes = Vec::new();
            while let Some(prefix) = walk.next() {
                assert_eq!(prefix.moves.len(), 1);
                sizes.push(prefix.candidates.len());
            }
            assert_eq!(walk.produced(), classes, "{variant}");
            assert_eq!(sizes.len() as u64, classes);
            assert!(walk.next().is_none());
        }
    }

    #[test]
    fn progress_counts_down_and_names_every_level() {
        let mut walk = prefix_walk(Variant::T5, &params(true, true), &[], 3);
        walk.next();
        let first = walk.progress();
        assert_eq!(first.len(), 3);
        assert!(first.iter().zip(0..).all(|(p, level)| p.level == level && p.left == p.total), "{first:?}");
        assert_eq!((first[0].left, first[0].total), (4, 4));
        let mut last = first;
        while walk.next().is_some() {
            let now = walk.progress();
            let left = |levels: &[LevelProgress]| levels.iter().map(|l| l.left).collect::<Vec<_>>();
            assert!(now[0].left <= last[0].left, "{:?} after {:?}", left(&now), left(&last));
            last = now;
        }
        assert_eq!(walk.progress()[0].left, 0);
    }
}
