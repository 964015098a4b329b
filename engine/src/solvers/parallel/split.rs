//! Splits: nodes that several threads search together.

use super::{ParallelCounts, Scheme};
use crate::core::game::Value;
use crate::solvers::monitor::{Monitor, Stopped};
use crate::solvers::together::ThreadMeans;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How a node is expected to end (D. E. Knuth and R. W. Moore 1975).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// With an exact value: its window has room for one.
    Exact,
    /// With a cut-off by one of its moves.
    Cut,
    /// With no cut-off: all moves have to be searched.
    All,
}

impl NodeKind {
    /// The kind of a node after one of this kind: after its first move, or after one that is only asked whether it
    /// is better.
    pub fn of_child(self, is_first: bool) -> NodeKind {
        match self {
            NodeKind::Exact if is_first => NodeKind::Exact,
            NodeKind::Exact | NodeKind::All => NodeKind::Cut,
            NodeKind::Cut => NodeKind::All,
        }
    }
}

/// The move of a node that a thread is at.
#[derive(Debug, Clone, Copy)]
pub(super) struct AskedMove<M> {
    pub m: M,
    /// The upper end of the window that it was asked with, seen from the node.
    pub upper: Value,
}

/// A node that one thread searches.
#[derive(Debug)]
pub(super) struct OwnNode<M> {
    pub moves: Vec<M>,
    /// How many of the moves have been taken, the one that is being searched included.
    pub taken: usize,
    pub depth: u32,
    pub alpha: Value,
    pub beta: Value,
    pub value: Value,
    pub best: Option<M>,
    pub kind: NodeKind,
    /// Whether it is reached by first moves alone.
    pub is_leftmost: bool,
    pub child: Option<AskedMove<M>>,
}

impl<M: Copy> OwnNode<M> {
    /// Moves that have been searched.
    pub fn searched(&self) -> usize {
        self.taken - usize::from(self.child.is_some())
    }

    /// Whether nothing is left to do but to tell the value.
    pub fn is_done(&self) -> bool {
        self.child.is_none() && (self.value >= self.beta || self.taken == self.moves.len())
    }
}

/// What lies above a split up to the next one: whoever ends the split goes on with it.
#[derive(Debug)]
pub(super) struct Above<M> {
    pub nodes: Vec<OwnNode<M>>,
    /// The split above these, with the move that leads here.
    pub entry: Option<AtSplit<M>>,
}

/// A split that a thread is at.
#[derive(Debug)]
pub(super) struct AtSplit<M> {
    pub split: Arc<Split<M>>,
    /// The move that it is at.
    pub child: Option<AskedMove<M>>,
}

/// A node that several threads search.
#[derive(Debug)]
pub(super) struct Split<M> {
    /// The moves that lead here from the root.
    pub path: Vec<M>,
    pub depth: u32,
    pub beta: Value,
    pub kind: NodeKind,
    /// The number of the thread that made it.
    pub owner: usize,
    /// The next split above.
    pub parent: Option<Arc<Split<M>>>,
    /// Its value is at least `beta`: what is still being searched below is of no use.
    is_cut: AtomicBool,
    state: Mutex<SplitState<M>>,
}

/// What changes while a split is searched.
#[derive(Debug)]
pub(super) struct SplitState<M> {
    pub moves: Vec<M>,
    pub taken: usize,
    pub alpha: Value,
    pub value: Value,
    pub best: Option<M>,
    /// Threads that are at it.
    pub running: usize,
    /// Nothing once a thread has gone on with it.
    pub above: Option<Above<M>>,
}

impl<M: Copy> Split<M> {
    /// Makes a split of a node, for the thread that is there.
    pub fn new(node: OwnNode<M>, path: Vec<M>, owner: usize, above: Above<M>) -> Split<M> {
        let OwnNode { moves, taken, depth, alpha, beta, value, best, kind, .. } = node;
        Split {
            path,
            depth,
            beta,
            kind,
            owner,
            parent: above.entry.as_ref().map(|entry| entry.split.clone()),
            is_cut: AtomicBool::new(false),
            state: Mutex::new(SplitState { moves, taken, alpha, value, best, running: 1, above: Some(above) }),
        }
    }

    /// Its state. A thread that panics ends the search anyway.
    pub fn state(&self) -> MutexGuard<'_, SplitState<M>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the value of a move in.
    pub fn take_in(&self, state: &mut SplitState<M>, m: M, value: Value) {
        if value > state.value {
            (state.value, state.best) = (value, Some(m));
            state.alpha = state.alpha.max(value);
            if value >= self.beta {
                self.is_cut.store(true, Relaxed);
            }
        }
    }

    /// The next move and the window to ask it with, if there is a move left.
    pub fn next_move(&self, state: &mut SplitState<M>) -> Option<AskedMove<M>> {
        if self.is_cut.load(Relaxed) {
            return None;
        }
        let m = *state.moves.get(state.taken)?;
        state.taken += 1;
        Some(AskedMove { m, upper: (state.alpha + 1).min(self.beta) })
    }

    /// Whether what is searched below is of no use.
    pub fn is_pointless(&self) -> bool {
        let mut next = Some(self);
        while let Some(split) = next {
            if split.is_cut.load(Relaxed) {
                return true;
            }
            next = split.parent.as_deref();
        }
        false
    }

    /// Whether it lies below another one.
    pub fn is_below(&self, other: &Split<M>) -> bool {
        let mut next = self.parent.as_deref();
        while let Some(split) = next {
            if std::ptr::eq(split, other) {
                return true;
            }
            next = split.parent.as_deref();
        }
        false
    }
}

/// What all threads of a search share.
#[derive(Debug)]
pub(super) struct Splits<'a, M> {
    pub scheme: Scheme,
    pub means: ThreadMeans,
    pub monitor: &'a Monitor,
    /// Those that may have moves left.
    open: Mutex<Vec<Arc<Split<M>>>>,
    open_count: AtomicUsize,
    /// Threads that look for something to do.
    free: AtomicUsize,
    is_over: AtomicBool,
    result: Mutex<Option<Found<M>>>,
    counts: Mutex<ParallelCounts>,
}

/// The value of the root with a move of that value, or why there is none.
pub(super) type Found<M> = Result<(Value, Option<M>), Stopped>;

impl<'a, M: Copy> Splits<'a, M> {
    /// None so far.
    pub fn new(scheme: Scheme, means: ThreadMeans, monitor: &'a Monitor) -> Splits<'a, M> {
        Splits {
            scheme,
            means,
            monitor,
            open: Mutex::new(Vec::new()),
            open_count: AtomicUsize::new(0),
            free: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            result: Mutex::new(None),
            counts: Mutex::new(ParallelCounts::default()),
        }
    }

    /// Whether the search is over.
    #[inline]
    pub fn are_over(&self) -> bool {
        self.is_over.load(Relaxed)
    }

    /// Ends the search. The first result counts.
    pub fn end(&self, result: Found<M>) {
        self.result.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(result);
        self.is_over.store(true, Relaxed);
    }

    /// Adds what a thread has done.
    pub fn add(&self, counts: ParallelCounts) {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner) += counts;
    }

    /// The result of the search, which is over, and what its threads have done.
    pub fn result(self) -> (Found<M>, ParallelCounts) {
        let found = self.result.into_inner().unwrap_or_else(PoisonError::into_inner);
        (found.unwrap_or(Err(Stopped::Asked)), self.counts.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether more threads are free than there are splits for them.
    #[inline]
    pub fn are_wanted(&self) -> bool {
        let free = self.free.load(Relaxed);
        free > 0 && self.open_count.load(Relaxed) < free
    }

    /// Says that a thread is free, or no more.
    pub fn set_free(&self, is: bool) {
        if is {
            self.free.fetch_add(1, Relaxed);
        } else {
            self.free.fetch_sub(1, Relaxed);
        }
    }

    /// Lets free threads come to a split.
    pub fn publish(&self, split: Arc<Split<M>>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.push(split);
        self.open_count.store(open.len(), Relaxed);
    }

    /// Takes a split away that has no move left.
    pub fn withdraw(&self, split: &Split<M>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|other| !std::ptr::eq(&**other, split));
        self.open_count.store(open.len(), Relaxed);
    }

    /// A split for a free thread, and its first move there: the deepest subtree, and among those alike one that needs
    /// all its moves. A thread that waits for a split of its own gets one below it.
    pub fn join(&self, waits_for: Option<&Split<M>>) -> Option<AtSplit<M>> {
        if self.open_count.load(Relaxed) == 0 {
            return None;
        }
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |split: &&Arc<Split<M>>| waits_for.is_none_or(|own| split.is_below(own)) && !split.is_pointless();
        let best = open.iter().filter(fits).max_by_key(|split| (split.depth, split.kind != NodeKind::Cut))?.clone();
        drop(open);
        let mut state = best.state();
        let child = if state.running > 0 { best.next_move(&mut state) } else { None };
        if child.is_some() {
            state.running += 1;
        }
        drop(state);
        if child.is_none() {
            self.withdraw(&best);
            return None;
        }
        Some(AtSplit { split: best, child })
    }
}
