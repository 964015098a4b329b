//! What every depth-first search does at a node, whatever its algorithm: count, look for the end of the game, ask the
//! bounds of the game and the transposition table, order the moves, and afterwards remember what was found.
//!
//! An algorithm opens a node, plays its moves in the order given, and closes it. Searches are fail-soft: a value at
//! or below alpha is an upper bound, one at or above beta a lower bound, one between is exact. A value rests either
//! on finished games alone, then it is proven, or also on heuristic values at the depth limit;
//! [`NodeSearch::estimated`] tells which, and the table keeps both apart.
//!
//! A value may also rest on the way to a node: where a game ends because a position came back, the outcome holds only
//! below that position. So the search notes the least ply that what it finds rests on; a value that rests on a ply
//! above its node is not stored, and when the search is back at that ply, the cycle is closed and the value holds by
//! itself. A move that ends a node by a cut-off needs the others no more, nor what they rest on.
//!
//! Enhanced transposition cut-off (A. Plaat et al. 1996): before any move is searched, all children are looked up,
//! and one whose value is known to be good enough ends the node.

use super::busy::Busy;
use super::entry::{NO_MOVE, PROVEN, TableEntry};
use super::history::History;
use super::killers::Killers;
use super::monitor::{Stopped, Watch};
use super::table::Table;
use crate::core::game::{Game, Key, MAX_VALUE, Side, Value};

/// A depth that no game reaches: the search goes to the end of each.
pub const UNLIMITED: u32 = 1000;
/// Lower than every value, and less it is higher than every value.
pub const LOWEST: Value = -MAX_VALUE - 1;
/// Depth from which on children are looked up for a cut-off: above leaves it costs more than it saves.
const TRANSPOSITION_CUTOFF_DEPTH: u32 = 2;
/// Depth from which on other threads' work is avoided.
const BUSY_DEPTH: u32 = 3;

/// The parts of a search that can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// A transposition table is used.
    pub table: bool,
    /// Symmetric positions share their entry in it.
    pub symmetry: bool,
    /// Enhanced transposition cut-off.
    pub transposition_cutoff: bool,
    /// Killer moves are tried early.
    pub killers: bool,
    /// The history heuristic orders moves.
    pub history: bool,
    /// The game's own ordering of moves.
    pub prior: bool,
    /// The game's own bounds of its outcome.
    pub bounds: bool,
    /// The search deepens iteratively.
    pub deepening: bool,
}

impl Parts {
    /// All of them.
    pub const ALL: Parts = Parts {
        table: true,
        symmetry: true,
        transposition_cutoff: true,
        killers: true,
        history: true,
        prior: true,
        bounds: true,
        deepening: true,
    };
    /// None of them.
    pub const NONE: Parts = Parts {
        table: false,
        symmetry: false,
        transposition_cutoff: false,
        killers: false,
        history: false,
        prior: false,
        bounds: false,
        deepening: false,
    };
}

/// What a search has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Stats {
    /// Positions visited, the root and finished games included.
    pub nodes: u64,
    /// Positions at the depth limit, given a heuristic value.
    pub estimates: u64,
    /// Nodes ended by the transposition table.
    pub table_cutoffs: u64,
    /// Nodes ended by a child's entry in it.
    pub transposition_cutoffs: u64,
    /// Nodes ended by the game's bounds.
    pub bound_cutoffs: u64,
    /// Nodes ended by a move.
    pub cutoffs: u64,
    /// Those of them that the first move ended.
    pub first_move_cutoffs: u64,
}

impl std::ops::AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        self.nodes += other.nodes;
        self.estimates += other.estimates;
        self.table_cutoffs += other.table_cutoffs;
        self.transposition_cutoffs += other.transposition_cutoffs;
        self.bound_cutoffs += other.bound_cutoffs;
        self.cutoffs += other.cutoffs;
        self.first_move_cutoffs += other.first_move_cutoffs;
    }
}

/// The state of a search: the position it is at, and its memory. One that was stopped is of no further use.
#[derive(Debug)]
pub struct NodeSearch<'a, G: Game> {
    /// The position that the search is at. Between calls it is the root.
    pub position: G,
    /// Whether a value found since this was last cleared rests on heuristic values.
    pub estimated: bool,
    /// What has been done.
    pub stats: Stats,
    parts: Parts,
    table: Option<&'a Table>,
    busy: Option<&'a Busy>,
    monitor: &'a dyn Watch,
    /// Nodes between two reports to it.
    interval: u64,
    killers: Killers,
    history: History,
    /// Moves of all open nodes, each with its rank; those of the last opened at the end.
    stack: Vec<(i64, G::Move)>,
    moves: Vec<G::Move>,
    ply: usize,
    /// Least ply of a position whose place on the way the values found rest on, since the last node was opened.
    rests_on: i64,
    /// The same for the last node that was closed alone.
    child_rests_on: i64,
    reported: u64,
}

/// In place of a ply that a value rests on: it holds whatever the way.
const NOTHING: i64 = i64::MAX;

/// A node with moves to search: `stack[first..last]`.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchNode {
    /// Index of the first move, the one to be tried first.
    pub first: usize,
    /// One more than the index of the last move.
    pub last: usize,
    /// Lower end of the window, perhaps raised.
    pub alpha: Value,
    /// Upper end of the window, perhaps lowered.
    pub beta: Value,
    key: Key,
    asked: (Value, Value),
    estimated: bool,
    rests_on: i64,
    nodes: u64,
}

/// What opening a node gives.
pub(super) enum Opened {
    /// The value is known already.
    Value(Value),
    /// The moves have to be searched.
    Moves(SearchNode),
}

impl<'a, G: Game> NodeSearch<'a, G> {
    /// A search of `position`. Only with [`Parts::table`] is the table used.
    pub fn new(position: G, parts: Parts, table: &'a Table, busy: Option<&'a Busy>, monitor: &'a dyn Watch) -> Self {
        let history = History::new(position.codes());
        let table = parts.table.then_some(table);
        NodeSearch {
            position,
            estimated: false,
            stats: Stats::default(),
            parts,
            table,
            busy: busy.filter(|_| table.is_some()),
            monitor,
            interval: monitor.interval(),
            killers: Killers::default(),
            history,
            stack: Vec::with_capacity(1024),
            moves: Vec::with_capacity(256),
            ply: 0,
            rests_on: NOTHING,
            child_rests_on: NOTHING,
            reported: 0,
        }
    }

    /// The parts in use.
    pub fn parts(&self) -> Parts {
        self.parts
    }

    /// Reports the nodes that the monitor has not heard of.
    ///
    /// # Errors
    /// The search is to stop.
    pub fn report(&mut self) -> Result<(), Stopped> {
        let nodes = self.stats.nodes - self.reported;
        self.reported = self.stats.nodes;
        self.monitor.report(nodes)
    }

    /// The move at a place of an open node.
    #[inline]
    pub(super) fn move_at(&self, i: usize) -> G::Move {
        self.stack[i].1
    }

    /// Plays a move of the node.
    #[inline]
    pub(super) fn play(&mut self, m: G::Move) -> G::Undo {
        self.ply += 1;
        self.position.play(m)
    }

    /// Takes it back.
    #[inline]
    pub(super) fn undo(&mut self, m: G::Move, undo: G::Undo) {
        self.ply -= 1;
        self.position.undo(m, undo);
    }

    /// Begins a node that is to be searched `depth` plies deep within a window. One that has no room for a value,
    /// from [`LOWEST`] to -[`LOWEST`], is never narrowed.
    #[inline]
    pub(super) fn open(&mut self, depth: u32, alpha: Value, beta: Value) -> Result<Opened, Stopped> {
        self.stats.nodes += 1;
        if self.stats.nodes - self.reported >= self.interval {
            self.report()?;
        }
        self.moves.clear();
        self.position.moves(&mut self.moves);
        self.child_rests_on = NOTHING;
        if self.moves.is_empty() {
            if let Some(back) = self.position.repeated() {
                self.child_rests_on = self.ply as i64 - back as i64;
                self.rests_on = self.rests_on.min(self.child_rests_on);
            }
            return Ok(Opened::Value(self.position.outcome()));
        }
        if depth == 0 {
            self.estimated = true;
            self.stats.estimates += 1;
            return Ok(Opened::Value(self.position.heuristic()));
        }
        let mut node = SearchNode {
            first: self.stack.len(),
            last: self.stack.len() + self.moves.len(),
            alpha,
            beta,
            key: Key { hash: 0, symmetry: 0 },
            asked: (alpha, beta),
            estimated: self.estimated,
            rests_on: self.rests_on,
            nodes: self.stats.nodes,
        };
        let (mut best, mut estimated) = (NO_MOVE, false);
        if let Some(table) = self.table {
            node.key = self.key();
            if let Some(entry) = TableEntry::get(table, node.key.hash) {
                best = entry.best;
                if u32::from(entry.depth) >= depth
                    && let Some(value) = narrow(&mut node, entry.lower, entry.upper)
                {
                    self.estimated |= entry.depth != PROVEN;
                    self.stats.table_cutoffs += 1;
                    return Ok(Opened::Value(value));
                }
                // A window that estimates narrowed makes the rest an estimate, too.
                estimated = (node.alpha, node.beta) != node.asked && entry.depth != PROVEN;
            }
        }
        if self.parts.bounds {
            let (lower, upper) = self.position.bounds();
            if let Some(value) = narrow(&mut node, lower, upper) {
                self.estimated |= estimated;
                self.stats.bound_cutoffs += 1;
                return Ok(Opened::Value(value));
            }
        }
        if self.parts.transposition_cutoff
            && depth >= TRANSPOSITION_CUTOFF_DEPTH
            && let Some(value) = self.transposition_cutoff(depth, node.beta)
        {
            self.estimated |= estimated;
            self.stats.transposition_cutoffs += 1;
            return Ok(Opened::Value(value));
        }
        self.order(best, node.key.symmetry);
        self.estimated = estimated;
        self.rests_on = NOTHING;
        Ok(Opened::Moves(node))
    }

    /// Ends a node whose value was found; `best` is the move that it comes from.
    #[inline]
    pub(super) fn close(&mut self, node: &SearchNode, depth: u32, value: Value, best: Option<G::Move>) {
        self.stack.truncate(node.first);
        // What rests on nothing above this node holds by itself.
        let own = if self.rests_on >= self.ply as i64 { NOTHING } else { self.rests_on };
        (self.child_rests_on, self.rests_on) = (own, node.rests_on.min(own));
        if let Some(table) = self.table {
            let (alpha, beta) = node.asked;
            let known = if self.estimated { depth.min(u32::from(PROVEN) - 1) as u8 } else { PROVEN };
            let best = best.map_or(NO_MOVE, |m| self.position.code(self.position.to_hashed(m, node.key.symmetry)));
            // An estimate is not a truth anyway.
            let holds = own == NOTHING || self.estimated;
            let mut entry = TableEntry {
                lower: if value > alpha && holds { value } else { -MAX_VALUE },
                upper: if value < beta && holds { value } else { MAX_VALUE },
                depth: known,
                best,
            };
            // What was known before from the same depth still holds, and what is proven always does.
            if let Some(old) = TableEntry::get(table, node.key.hash) {
                let (lower, upper) = (entry.lower.max(old.lower), entry.upper.min(old.upper));
                if holds && old.depth == known && lower <= upper {
                    (entry.lower, entry.upper) = (lower, upper);
                } else if old.depth == PROVEN || !holds {
                    entry = TableEntry { best: entry.best, ..old };
                }
            }
            entry.put(table, node.key.hash, self.stats.nodes - node.nodes);
        }
        self.estimated |= node.estimated;
    }

    /// Notes that the move at place `i` ended the node.
    #[inline]
    pub(super) fn cut_off(&mut self, node: &SearchNode, i: usize) {
        self.stats.cutoffs += 1;
        self.stats.first_move_cutoffs += u64::from(i == node.first);
        self.rests_on = self.child_rests_on;
        let code = self.position.code(self.stack[i].1);
        if self.parts.killers {
            self.killers.add(self.ply, code);
        }
        if self.parts.history {
            self.history.add(self.side(), code, self.ply);
        }
    }

    /// Whether another thread is at the move at place `i`, so that it should be left for later.
    #[inline]
    pub(super) fn is_busy(&self, node: &SearchNode, depth: u32, i: usize) -> bool {
        let Some(busy) = self.busy else { return false };
        depth >= BUSY_DEPTH && busy.is_set(self.mark(node, i))
    }

    /// Says that this thread is at it, or no more.
    #[inline]
    pub(super) fn set_busy(&self, node: &SearchNode, depth: u32, i: usize, is: bool) {
        let Some(busy) = self.busy else { return };
        if depth >= BUSY_DEPTH {
            let mark = self.mark(node, i);
            if is { busy.set(mark) } else { busy.clear(mark) }
        }
    }

    /// The mark of a move; never 0.
    #[inline]
    fn mark(&self, node: &SearchNode, i: usize) -> u64 {
        let m = self.position.to_hashed(self.stack[i].1, node.key.symmetry);
        (node.key.hash ^ u64::from(self.position.code(m) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)) | 1
    }

    #[inline]
    fn key(&self) -> Key {
        if self.parts.symmetry { self.position.symmetric_key() } else { self.position.key() }
    }

    #[inline]
    fn side(&self) -> usize {
        usize::from(self.position.side() == Side::Second)
    }

    /// A value of at least `beta` that a child's entry shows.
    #[inline]
    fn transposition_cutoff(&mut self, depth: u32, beta: Value) -> Option<Value> {
        let table = self.table?;
        for i in 0..self.moves.len() {
            let m = self.moves[i];
            let undo = self.position.play(m);
            let hash = self.key().hash;
            let cycle = self.position.repeated().map(|back| (back, -self.position.outcome()));
            self.position.undo(m, undo);
            // A cycle that is good enough ends the node as well; found here, it saves long ways around.
            if let Some((back, value)) = cycle
                && value >= beta
            {
                let on = self.ply as i64 + 1 - back as i64;
                let own = if on >= self.ply as i64 { NOTHING } else { on };
                self.child_rests_on = own;
                self.rests_on = self.rests_on.min(own);
                return Some(value);
            }
            if let Some(entry) = TableEntry::get(table, hash)
                && u32::from(entry.depth) + 1 >= depth
                && -entry.upper >= beta
            {
                self.estimated |= entry.depth != PROVEN;
                return Some(-entry.upper);
            }
        }
        None
    }

    /// Puts the moves on the stack, the most promising first: the table's, then by the game's own order, and among
    /// those alike killers, then by history. (Killers before the game's own order made the trees of Reversi up to
    /// twice as large.)
    #[inline]
    fn order(&mut self, best: u16, symmetry: u8) {
        let first = self.stack.len();
        let best = self.position.decode(best).map(|m| self.position.from_hashed(m, symmetry));
        let side = self.side();
        for i in 0..self.moves.len() {
            let m = self.moves[i];
            let code = self.position.code(m);
            let mut rank = 0;
            if self.parts.prior {
                rank += i64::from(self.position.prior(m).clamp(-1 << 18, 1 << 18)) << 40;
            }
            if self.parts.history {
                rank += self.history.of(side, code);
            }
            if self.parts.killers {
                rank += self.killers.rank(self.ply, code) << 38;
            }
            if best == Some(m) {
                rank = i64::MAX;
            }
            self.stack.push((rank, m));
        }
        // Few moves, mostly: a stable insertion sort, so that equal ranks keep the game's order.
        let moves = &mut self.stack[first..];
        for i in 1..moves.len() {
            let mut j = i;
            while j > 0 && moves[j - 1].0 < moves[j].0 {
                moves.swap(j - 1, j);
                j -= 1;
            }
        }
    }
}

/// Narrows the window of a node by known bounds; the value, if they leave nothing to search.
#[inline]
fn narrow(node: &mut SearchNode, lower: Value, upper: Value) -> Option<Value> {
    if lower >= node.beta || lower == upper {
        return Some(lower);
    }
    if upper <= node.alpha {
        return Some(upper);
    }
    if node.asked != (LOWEST, -LOWEST) {
        node.alpha = node.alpha.max(lower);
        node.beta = node.beta.min(upper);
    }
    None
}
