//! One thread of a parallel search.
//!
//! A thread keeps the nodes that it is at in a list instead of calling itself, so that another thread can go on with
//! them: those above a split go with it.

use super::split::{Above, AskedMove, AtSplit, NodeKind, OwnNode, Split, Splits};
use super::{ParallelCounts, Scheme};
use crate::core::game::{Game, Value};
use crate::solvers::monitor::{INTERVAL, Stopped};
use crate::solvers::search::LOWEST;
use std::sync::Arc;

/// Nodes with fewer plies below them are not split.
const LEAST_DEPTH: u32 = 2;
/// After so many moves without the cut-off that was expected a node is split.
const CUT_TRIES: usize = 3;
/// A free thread looks so many times for something to do before it gives way to others on its processor.
const LOOKS: u32 = 64;

/// A thread of the search.
pub(super) struct TreeThread<'a, G: Game> {
    splits: &'a Splits<'a, G::Move>,
    number: usize,
    position: G,
    /// The moves from the root to the position, with what takes them back.
    trail: Vec<(G::Move, G::Undo)>,
    /// The split that it is at, if it is at one. Its own nodes lie below.
    entry: Option<AtSplit<G::Move>>,
    nodes: Vec<OwnNode<G::Move>>,
    /// Its own splits that others are still at, the uppermost first.
    waiting: Vec<Arc<Split<G::Move>>>,
    counts: ParallelCounts,
    reported: u64,
}

/// A thread that has an end tells what it has done. One that panics ends the search, because the others would wait
/// for it.
impl<G: Game> Drop for TreeThread<'_, G> {
    fn drop(&mut self) {
        self.report();
        self.splits.end(Err(Stopped::Asked));
        self.splits.add(self.counts);
    }
}

impl<'a, G: Game> TreeThread<'a, G> {
    /// The thread of a number, at the root.
    pub fn new(splits: &'a Splits<'a, G::Move>, position: G, number: usize) -> TreeThread<'a, G> {
        TreeThread {
            splits,
            number,
            position,
            trail: Vec::new(),
            entry: None,
            nodes: Vec::new(),
            waiting: Vec::new(),
            counts: ParallelCounts::default(),
            reported: 0,
        }
    }

    /// Begins at the root.
    pub fn search(mut self, depth: u32) {
        match self.open(depth, LOWEST, -LOWEST, NodeKind::Exact, true) {
            Some(value) => self.splits.end(Ok((value, None))),
            None => self.run(),
        }
    }

    /// Begins with nothing to do.
    pub fn help(mut self) {
        self.run();
    }

    /// Tells the monitor the nodes that it has not heard of, and ends the search if it says so.
    fn report(&mut self) {
        let nodes = self.counts.nodes - self.reported;
        self.reported = self.counts.nodes;
        if let Err(stopped) = self.splits.monitor.report(nodes) {
            self.splits.end(Err(stopped));
        }
    }

    fn run(&mut self) {
        while !self.splits.are_over() {
            if self.entry.is_none() && self.nodes.is_empty() {
                self.find_work();
                continue;
            }
            if let Some(entry) = &self.entry
                && entry.split.is_pointless()
            {
                let ply = entry.split.path.len();
                self.nodes.clear();
                self.rewind(ply);
                self.leave();
                continue;
            }
            if self.splits.are_wanted() {
                self.split();
            }
            match self.nodes.last() {
                Some(node) if node.is_done() => {
                    if let Some(node) = self.nodes.pop() {
                        self.tell(node.value, node.best);
                    }
                }
                Some(_) => self.next_of_node(),
                None => self.next_of_split(),
            }
        }
    }

    /// Begins the node of the position. The value, if there is nothing to search.
    fn open(&mut self, depth: u32, alpha: Value, beta: Value, kind: NodeKind, is_leftmost: bool) -> Option<Value> {
        self.counts.nodes += 1;
        if self.counts.nodes - self.reported >= INTERVAL.min(self.splits.monitor.most_between()) {
            self.report();
        }
        let mut moves = Vec::new();
        self.position.moves(&mut moves);
        if moves.is_empty() {
            return Some(self.position.outcome());
        }
        if depth == 0 {
            return Some(self.position.heuristic());
        }
        moves.sort_by_cached_key(|&m| std::cmp::Reverse(self.position.prior(m)));
        self.nodes.push(OwnNode {
            moves,
            taken: 0,
            depth,
            alpha,
            beta,
            value: LOWEST,
            best: None,
            kind,
            is_leftmost,
            child: None,
        });
        None
    }

    fn play(&mut self, m: G::Move) {
        let undo = self.position.play(m);
        self.trail.push((m, undo));
    }

    /// Takes moves back until so many are left.
    fn rewind(&mut self, ply: usize) {
        while self.trail.len() > ply
            && let Some((m, undo)) = self.trail.pop()
        {
            self.position.undo(m, undo);
        }
    }

    /// Searches the next move of the last of its nodes.
    fn next_of_node(&mut self) {
        let Some(node) = self.nodes.last_mut() else { return };
        let Some(&m) = node.moves.get(node.taken) else { return };
        let is_first = node.taken == 0;
        let upper = if is_first { node.beta } else { (node.alpha + 1).min(node.beta) };
        node.taken += 1;
        node.child = Some(AskedMove { m, upper });
        let (depth, alpha) = (node.depth - 1, node.alpha);
        let (kind, is_leftmost) = (node.kind.of_child(is_first), node.is_leftmost && is_first);
        self.play(m);
        if let Some(value) = self.open(depth, -upper, -alpha, kind, is_leftmost) {
            self.take_in(-value);
        }
    }

    /// Searches a move of the split that it is at, or leaves it.
    fn next_of_split(&mut self) {
        let Some(entry) = &mut self.entry else { return };
        if entry.child.is_none() {
            entry.child = entry.split.next_move(&mut entry.split.state());
        }
        match entry.child {
            Some(child) => self.search_of_split(child),
            None => self.leave(),
        }
    }

    fn search_of_split(&mut self, child: AskedMove<G::Move>) {
        let Some(entry) = &self.entry else { return };
        let (depth, kind) = (entry.split.depth - 1, entry.split.kind.of_child(false));
        self.play(child.m);
        if let Some(value) = self.open(depth, -child.upper, -(child.upper - 1), kind, false) {
            self.take_in(-value);
        }
    }

    /// Tells the node above what a node is worth.
    fn tell(&mut self, value: Value, best: Option<G::Move>) {
        if self.nodes.is_empty() && self.entry.is_none() {
            self.splits.end(Ok((value, best)));
        } else {
            self.take_in(-value);
        }
    }

    /// Takes in what the move is worth that it is at. If it is at least what it was asked about, it may be worth
    /// more, and it is searched again: even where others have found something as good in the meantime.
    fn take_in(&mut self, value: Value) {
        let again = |value: Value, alpha: Value, beta: Value, upper: Value| {
            (value >= upper && upper < beta && value < beta).then(|| value.max(alpha + 1) - 1)
        };
        let (lower, beta, depth) = if let Some(node) = self.nodes.last_mut() {
            let Some(AskedMove { m, upper }) = node.child else { return };
            match again(value, node.alpha, node.beta, upper) {
                Some(lower) => {
                    node.child = Some(AskedMove { m, upper: node.beta });
                    (lower, node.beta, node.depth - 1)
                }
                None => {
                    node.child = None;
                    if value > node.value {
                        (node.value, node.best) = (value, Some(m));
                        node.alpha = node.alpha.max(value);
                    }
                    self.rewind(self.trail.len() - 1);
                    return;
                }
            }
        } else if let Some(AtSplit { split, child }) = &mut self.entry {
            let Some(AskedMove { m, upper }) = *child else { return };
            let mut state = split.state();
            match again(value, state.alpha, split.beta, upper) {
                Some(lower) => {
                    *child = Some(AskedMove { m, upper: split.beta });
                    (lower, split.beta, split.depth - 1)
                }
                None => {
                    split.take_in(&mut state, m, value);
                    *child = None;
                    drop(state);
                    self.rewind(self.trail.len() - 1);
                    return;
                }
            }
        } else {
            return;
        };
        if let Some(value) = self.open(depth, -beta, -lower, NodeKind::Exact, false) {
            self.take_in(-value);
        }
    }

    /// Makes the uppermost of its nodes that may be one a split.
    fn split(&mut self) {
        let scheme = self.splits.scheme;
        if scheme == Scheme::PvSplit && self.entry.is_some() {
            return;
        }
        let fits = |node: &OwnNode<G::Move>| {
            let least = match (scheme, node.kind) {
                (Scheme::DynamicSplitting, NodeKind::Cut) => CUT_TRIES,
                _ => 1,
            };
            node.depth >= LEAST_DEPTH
                && node.searched() >= least
                && node.taken < node.moves.len()
                && node.value < node.beta
                && (scheme != Scheme::PvSplit || node.is_leftmost)
        };
        let Some(at) = self.nodes.iter().position(fits) else { return };
        let first_ply = self.entry.as_ref().map_or(0, |entry| entry.split.path.len() + 1);
        let path = self.trail[..first_ply + at].iter().map(|&(m, _)| m).collect();
        let below = self.nodes.split_off(at + 1);
        let Some(node) = self.nodes.pop() else { return };
        let above = Above { nodes: std::mem::replace(&mut self.nodes, below), entry: self.entry.take() };
        let child = node.child;
        let split = Arc::new(Split::new(node, path, self.number, above));
        self.entry = Some(AtSplit { split: split.clone(), child });
        self.counts.splits += 1;
        self.splits.publish(split);
    }

    /// Leaves the split that it is at, where it has nothing more to do. The position is that of the split.
    fn leave(&mut self) {
        let Some(AtSplit { split, .. }) = self.entry.take() else { return };
        self.splits.withdraw(&split);
        let mut state = split.state();
        state.running -= 1;
        if self.splits.scheme.has_owners() && split.owner != self.number {
            return;
        }
        if state.running == 0 {
            drop(state);
            self.go_on_above(&split);
        } else if split.owner == self.number && self.splits.scheme.has_owners() {
            drop(state);
            self.waiting.push(split);
        }
    }

    /// Goes on above a split that nobody is at any more. The position is that of the split.
    fn go_on_above(&mut self, split: &Split<G::Move>) {
        let mut state = split.state();
        let Some(above) = state.above.take() else { return };
        let (value, best) = (state.value, state.best);
        drop(state);
        (self.nodes, self.entry) = (above.nodes, above.entry);
        self.tell(value, best);
    }

    /// Waits until there is a split to go to, one of its own is done, or the search is over.
    fn find_work(&mut self) {
        let began = (self.splits.means.seconds)();
        self.splits.set_free(true);
        let mut looks = 0u32;
        while !self.splits.are_over() {
            if self.waiting.last().is_some_and(|own| own.state().running == 0)
                && let Some(own) = self.waiting.pop()
            {
                self.splits.set_free(false);
                self.counts.waited += (self.splits.means.seconds)() - began;
                self.go_to(&own.path);
                self.go_on_above(&own);
                return;
            }
            if let Some(entry) = self.splits.join(self.waiting.last().map(|own| &**own)) {
                self.splits.set_free(false);
                self.counts.waited += (self.splits.means.seconds)() - began;
                self.counts.joined += 1;
                self.go_to(&entry.split.path);
                let child = entry.child;
                self.entry = Some(entry);
                if let Some(child) = child {
                    self.search_of_split(child);
                }
                return;
            }
            looks += 1;
            if looks.is_multiple_of(LOOKS) {
                (self.splits.means.give_way)();
                // Nobody else may look at the monitor while all wait for a slow thread.
                if looks.is_multiple_of(LOOKS * LOOKS) {
                    self.report();
                }
            } else {
                std::hint::spin_loop();
            }
        }
        self.splits.set_free(false);
        self.counts.waited += (self.splits.means.seconds)() - began;
    }

    /// Brings the position to the end of a path from the root.
    fn go_to(&mut self, path: &[G::Move]) {
        let shared = self.trail.iter().zip(path).take_while(|((own, _), m)| own == *m).count();
        self.rewind(shared);
        for &m in &path[shared..] {
            self.play(m);
        }
    }
}
