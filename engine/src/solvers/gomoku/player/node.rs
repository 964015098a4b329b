//! The search of a position: principal variation search over line tables (T. A. Marsland, "A review of game-tree
//! pruning", 1986), made selective by what [`super::selectivity`] lists.
//!
//! What is decided at a look is not searched: a row that can be completed; two that the other side can complete; a
//! straight four where the other side can complete nothing. A point that the other side completes leaves one move. So
//! depth is spent on quiet moves. Values of victories say in how many plies: [`WIN`] less the plies.

use super::ordering::{Need, RatedMove, best_rating, need, pick, rated_moves};
use super::selectivity::Selectivity;
use super::stones::SearchStones;
use crate::core::game::{Side, Value};
use crate::games::gomoku::position::GomokuPosition;
use crate::solvers::busy::Busy;
use crate::solvers::entry::{NO_MOVE, TableEntry};
use crate::solvers::gomoku::lines::board::{LineBoard, LineTables};
use crate::solvers::gomoku::lines::codes::MoveClass;
use crate::solvers::gomoku::lines::weights::WeightsForm;
use crate::solvers::gomoku::windows::WindowTable;
use crate::solvers::monitor::Monitor;
use crate::solvers::table::Table;
use std::collections::VecDeque;

/// The value of a game that is won at once.
pub const WIN: Value = 20_000;
/// Values from here on are victories that are proven.
pub const DECIDED: Value = WIN - 1000;
/// Estimates are kept below this.
const MOST: Value = 10_000;
/// Nodes between two looks at the budget.
const LOOK: u64 = 512;
/// Most plies from the root, so that searches end.
const PLIES: usize = 128;
/// Child futility: most plies that are left, and what an estimate has to be above the window for each of them.
const FUTILITY: (i32, Value) = (5, 80);
/// Razoring: most plies that are left, and what an estimate has to be below the window for each of them.
const RAZORING: (i32, Value) = (2, 40);
/// Least plies that are left where a node without a move of the table is searched less deep.
const UNKNOWN: i32 = 4;
/// Plies for each hundredth of the learned order by which a move is below the best one, and the most of them.
const UNLIKELY: (f32, f32) = (0.006, 4.0);
/// Least plies that are left where moves at which another thread is are searched last.
const SHARED: i32 = 3;

/// The budget is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfBudget;

/// What all threads of a search have in common.
#[derive(Debug, Clone, Copy)]
pub struct SharedSearch<'s> {
    /// The position that is searched.
    pub position: &'s GomokuPosition,
    /// The line tables of its rules.
    pub tables: &'s LineTables,
    /// The windows of its board; there are none in Caro.
    pub windows: Option<&'s WindowTable>,
    /// What is known of positions.
    pub table: &'s Table,
    /// Which parts of the search are switched on.
    pub parts: Selectivity,
    /// Gets the nodes of all threads, and has their budget.
    pub monitor: &'s Monitor,
    /// Which moves threads are at, if there are several.
    pub busy: Option<&'s Busy>,
    /// Most plies that are searched full width.
    pub deepest: u32,
}

impl<'s> SharedSearch<'s> {
    /// The stones of the position, for one thread.
    pub fn stones(&self) -> SearchStones<'s> {
        SearchStones::new(self.tables, self.windows, self.position)
    }
}

/// A search of one position, by one thread.
pub struct PlayerSearch<'s, 'a, 'b> {
    /// The position, which is as it was between searches.
    pub stones: &'s mut SearchStones<'a>,
    /// What is known of positions.
    pub table: &'s Table,
    /// Which parts of the search are switched on.
    pub parts: Selectivity,
    /// Tells which part of the time is used.
    pub time: &'s mut (dyn FnMut() -> f64 + 'b),
    monitor: &'s Monitor,
    busy: Option<&'s Busy>,
    /// Nodes visited so far.
    pub nodes: u64,
    /// Those that the monitor knows.
    reported: u64,
    /// Plies of the iteration.
    pub root_depth: i32,
    /// The best move of the position, as the last search of it that was finished has it; or [`NO_MOVE`].
    pub root_best: u16,
    /// Lists of moves, for use again.
    lists: Vec<Vec<RatedMove>>,
    late: LateMoves,
}

/// How a node is searched.
#[derive(Debug, Clone, Copy)]
struct Frame {
    ply: usize,
    depth: i32,
    is_exact: bool,
}

/// A value as the table has it: victories are counted from the position, not from the root.
fn to_table(value: Value, ply: usize) -> Value {
    match value {
        DECIDED.. => value + ply as Value,
        _ if value <= -DECIDED => value - ply as Value,
        _ => value,
    }
}

/// The inverse of [`to_table`].
fn from_table(value: Value, ply: usize) -> Value {
    match value {
        DECIDED.. => value - ply as Value,
        _ if value <= -DECIDED => value + ply as Value,
        _ => value,
    }
}

/// Numbers of moves and plies that have a logarithm of their own.
const LOGARITHMS: usize = 256;

/// What is computed once for all reductions and late moves.
#[derive(Debug)]
struct LateMoves {
    logarithms: [f32; LOGARITHMS],
    /// Moves that are searched at least, by the plies that are left.
    early: [usize; LOGARITHMS],
}

impl LateMoves {
    fn new() -> LateMoves {
        LateMoves {
            logarithms: std::array::from_fn(|n| (n.max(1) as f32).ln()),
            early: std::array::from_fn(|depth| (3.0 + (depth as f32).powf(1.32)) as usize),
        }
    }

    /// How many plies less deep the late move number `n` is searched at a depth.
    #[inline]
    fn reduction(&self, depth: i32, n: usize) -> f32 {
        let log = |n: usize| self.logarithms[n.min(LOGARITHMS - 1)];
        0.4 + log(depth.max(0) as usize) * log(n) / 2.0
    }

    #[inline]
    fn early(&self, depth: i32) -> usize {
        self.early[depth.clamp(0, LOGARITHMS as i32 - 1) as usize]
    }
}

/// Whether a move is neither a four nor in the way of a straight four.
#[inline]
fn is_quiet(lines: &LineBoard<'_>, side: Side, point: u16) -> bool {
    lines.class(point, side) < MoveClass::Four && lines.class(point, side.other()) < MoveClass::StraightFour
}

/// Leaves the quiet moves that make no three out of a list from a place on.
fn leave_out_quiet(lines: &LineBoard<'_>, side: Side, list: &mut Vec<RatedMove>, from: usize) {
    let mut kept = from;
    for at in from..list.len() {
        let m = list[at];
        if !is_quiet(lines, side, m.point) || lines.class(m.point, side) >= MoveClass::Three {
            list[kept] = m;
            kept += 1;
        }
    }
    list.truncate(kept);
}

/// What is known of a move where it is played.
#[derive(Debug, Clone, Copy)]
struct MoveFacts {
    /// Moves of the node that come before it.
    number: usize,
    /// Neither a four nor a reply to a threat.
    is_quiet: bool,
    /// How far it is below the best move in the learned order.
    behind: i32,
}

impl<'s, 'a, 'b> PlayerSearch<'s, 'a, 'b> {
    /// A search that has visited nothing, with stones of this thread.
    pub fn new(
        stones: &'s mut SearchStones<'a>,
        shared: &SharedSearch<'s>,
        time: &'s mut (dyn FnMut() -> f64 + 'b),
    ) -> PlayerSearch<'s, 'a, 'b> {
        let SharedSearch { table, parts, monitor, busy, .. } = *shared;
        let (nodes, reported, root_depth, root_best, lists, late) = (0, 0, 1, NO_MOVE, Vec::new(), LateMoves::new());
        PlayerSearch {
            stones,
            table,
            parts,
            time,
            monitor,
            busy,
            nodes,
            reported,
            root_depth,
            root_best,
            lists,
            late,
        }
    }

    /// Tells the monitor of the nodes that it does not know.
    ///
    /// # Errors
    /// The budget of nodes is used up, or the search is to stop.
    pub fn report(&mut self) -> Result<(), OutOfBudget> {
        let more = self.nodes - self.reported;
        self.reported = self.nodes;
        self.monitor.report(more).map_err(|_| OutOfBudget)
    }

    fn look(&mut self) -> Result<(), OutOfBudget> {
        self.report()?;
        if (self.time)() >= 1.0 { Err(OutOfBudget) } else { Ok(()) }
    }

    /// Counts a node.
    fn count(&mut self) -> Result<(), OutOfBudget> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(LOOK) { self.look() } else { Ok(()) }
    }

    /// The value for the side to move within a window, searched to a depth.
    ///
    /// # Errors
    /// The budget is used up. The position is as it was.
    pub fn value(&mut self, alpha: Value, beta: Value, depth: i32, ply: usize) -> Result<Value, OutOfBudget> {
        self.count()?;
        let (side, enemy) = (self.stones.side(), self.stones.side().other());
        let sure = self.stones.answers_are_sure();
        if self.stones.lines.count_of(side, MoveClass::Five) > 0 {
            return Ok(WIN - ply as Value - 1);
        }
        if self.stones.lines.empty() == 0 {
            return Ok(0);
        }
        let completed = self.stones.lines.count_of(enemy, MoveClass::Five);
        let lost = -(WIN - ply as Value - 2);
        let mut forced = None;
        if sure && completed >= 2 {
            return Ok(lost);
        }
        if sure && completed == 1 {
            forced = self.stones.first_of(enemy, MoveClass::Five);
            if forced.is_some_and(|point| !self.stones.may_play(point)) {
                return Ok(lost);
            }
        }
        if sure && completed == 0 && self.has_straight_four() {
            return Ok(WIN - ply as Value - 3);
        }
        // No victory is nearer than what is found already.
        let (alpha, beta) = (alpha.max(lost), beta.min(WIN - ply as Value - 3));
        if alpha >= beta {
            return Ok(alpha);
        }
        let frame = Frame { ply, depth, is_exact: beta - alpha > 1 };
        match forced {
            Some(point) => self.forced(point, alpha, beta, frame),
            None => self.open(alpha, beta, frame),
        }
    }

    /// Whether the side to move makes a straight four and may do so.
    fn has_straight_four(&mut self) -> bool {
        let side = self.stones.side();
        if self.stones.lines.count_of(side, MoveClass::StraightFour) == 0 {
            return false;
        }
        let points: Vec<u16> =
            self.stones.lines.fours(side).filter(|m| m.1 == MoveClass::StraightFour).map(|m| m.0).collect();
        points.into_iter().any(|point| self.stones.may_play(point))
    }

    /// The only move that does not lose at once.
    fn forced(&mut self, point: u16, alpha: Value, beta: Value, frame: Frame) -> Result<Value, OutOfBudget> {
        let Frame { ply, depth, .. } = frame;
        let room = ply + 1 < PLIES.min(3 * self.root_depth.max(2) as usize + 20);
        if !room {
            return Ok(self.estimate());
        }
        let free = self.parts.extend_forced && ply < 2 * self.root_depth.max(1) as usize;
        let next = if free { depth } else { depth - 1 };
        self.table.prefetch(self.stones.hash_after(Some(point)));
        self.stones.play(point);
        let value = self.value(-beta, -alpha, next, ply + 1).map(|value| -value);
        self.stones.undo(point);
        value
    }

    fn estimate(&mut self) -> Value {
        self.stones.estimate().clamp(-MOST, MOST)
    }

    /// Victory by continuous fours, looked for in `limit` positions.
    fn by_fours(&mut self, limit: usize, ply: usize) -> Option<Value> {
        let side = self.stones.side();
        let lines = &self.stones.lines;
        let fours = [MoveClass::Four, MoveClass::FourAndMore, MoveClass::FourThree, MoveClass::StraightFour];
        if limit == 0 || fours.iter().all(|&class| lines.count_of(side, class) == 0) {
            return None;
        }
        self.stones.continuous_fours(limit).map(|win| WIN - (ply as Value + 2 * win.length as Value - 1))
    }

    /// A node in which nothing is forced.
    fn open(&mut self, mut alpha: Value, beta: Value, frame: Frame) -> Result<Value, OutOfBudget> {
        let Frame { ply, mut depth, is_exact } = frame;
        let (hash, parts) = (self.stones.hash(), self.parts);
        let entry = TableEntry::get(self.table, hash);
        let mut first = NO_MOVE;
        if let Some(entry) = entry {
            first = entry.best;
            let (lower, upper) = (from_table(entry.lower, ply), from_table(entry.upper, ply));
            let deep = i32::from(entry.depth) >= depth.max(0);
            if (deep || lower >= DECIDED) && lower >= beta && !is_exact {
                return Ok(lower);
            }
            if (deep || upper <= -DECIDED) && upper <= alpha && !is_exact {
                return Ok(upper);
            }
            if deep && lower == upper && !is_exact {
                return Ok(lower);
            }
        }
        // A search that has been here has looked for fours.
        let limit = if depth <= 0 { parts.leaf_fours } else { parts.inner_fours };
        if entry.is_none()
            && let Some(value) = self.by_fours(limit, ply)
        {
            let exact = to_table(value, ply);
            TableEntry { lower: exact, upper: WIN + 1000, depth: 0, best: NO_MOVE }.put(self.table, hash, 1);
            return Ok(value);
        }
        if depth <= 0 || ply + 1 >= PLIES {
            return Ok(self.estimate());
        }
        let (side, enemy) = (self.stones.side(), self.stones.side().other());
        let threatened = self.stones.lines.count_of(enemy, MoveClass::StraightFour) > 0
            || self.stones.lines.count_of(enemy, MoveClass::Five) > 0;
        if !is_exact && !threatened && beta.abs() < DECIDED {
            let estimate = self.estimate();
            if parts.child_futility && depth <= FUTILITY.0 && estimate - FUTILITY.1 * depth >= beta {
                return Ok(estimate);
            }
            if parts.razoring && depth <= RAZORING.0 && estimate + RAZORING.1 * depth <= alpha {
                return Ok(self.by_fours(parts.leaf_fours, ply).unwrap_or(estimate));
            }
        }
        if parts.reduce_unknown && first == NO_MOVE && is_exact && depth >= UNKNOWN && ply > 0 {
            depth -= 1;
        }
        let need = match parts.threat_replies && self.stones.answers_are_sure() {
            true => need(&self.stones.lines, side),
            false => Need::Any,
        };
        let mut list = self.lists.pop().unwrap_or_default();
        list.clear();
        rated_moves(self.stones, (first, need), &mut list);
        let is_learned = parts.reduce_unlikely && self.stones.lines.tables().weights().form == WeightsForm::WithLast;
        let likely = if is_learned { best_rating(&list) } else { i32::MIN };
        let (low, before, early) = (alpha, self.nodes, self.late.early(depth));
        let (mut best, mut best_value) = (NO_MOVE, -WIN - 1);
        let (mut tried, mut at) = (0usize, 0);
        let busy = self.busy.filter(|_| depth >= SHARED);
        // Moves at which another thread is, with their numbers.
        let mut later: VecDeque<(RatedMove, usize)> = VecDeque::new();
        let result = loop {
            let next = pick(&mut list, at).map(|m| (m, tried + later.len(), false));
            let next = next.or_else(|| later.pop_front().map(|(m, number)| (m, number, true)));
            let Some((m @ RatedMove { point, rating }, number, is_later)) = next else { break Ok(()) };
            at += usize::from(!is_later);
            let is_quiet = is_quiet(&self.stones.lines, side, point);
            let may_prune = ply > 0
                && is_quiet
                && self.stones.lines.class(point, side) < MoveClass::Three
                && best_value > -DECIDED;
            if parts.prune_late && may_prune && !is_later && number >= early {
                // All others like it are left out, too.
                leave_out_quiet(&self.stones.lines, side, &mut list, at);
                continue;
            }
            if !self.stones.may_play(point) {
                continue;
            }
            let value = if need == Need::MeetThreat && self.stones.leaves_straight_four(point) {
                self.count().map(|()| -(WIN - ply as Value - 4))
            } else {
                let after = self.stones.hash_after(Some(point));
                // The same move at another depth is other work.
                let mark = after ^ (depth as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let busy = busy.filter(|_| number > 0);
                if busy.is_some_and(|busy| !is_later && busy.is_set(mark)) {
                    later.push_back((m, number));
                    continue;
                }
                self.table.prefetch(after);
                if let Some(busy) = busy {
                    busy.set(mark);
                }
                self.stones.play(point);
                let behind = likely.saturating_sub(rating).max(0);
                let facts = MoveFacts { number, is_quiet: is_quiet && !threatened, behind };
                let value = self.by_move(alpha, beta, Frame { ply, depth, is_exact }, facts);
                self.stones.undo(point);
                if let Some(busy) = busy {
                    busy.clear(mark);
                }
                value
            };
            let value = match value {
                Ok(value) => value,
                Err(out) => break Err(out),
            };
            tried += 1;
            if value > best_value {
                best_value = value;
                if value > alpha {
                    (best, alpha) = (point, value);
                }
            }
            if alpha >= beta {
                break Ok(());
            }
        };
        self.lists.push(list);
        result?;
        if tried == 0 {
            // Nothing meets the threat, or black may play nowhere.
            return Ok(if threatened { -(WIN - ply as Value - 4) } else { self.estimate() });
        }
        let known = to_table(best_value, ply);
        let lower = if best_value > low { known } else { -WIN - 1000 };
        let upper = if best_value < beta { known } else { WIN + 1000 };
        let best = if best == NO_MOVE { first } else { best };
        let entry = TableEntry { lower, upper, depth: frame.depth.clamp(0, 100) as u8, best };
        entry.put(self.table, hash, self.nodes - before);
        if ply == 0 {
            self.root_best = best;
        }
        Ok(best_value)
    }

    /// The value of the move that has just been played: on a null window first, and less deep if it is late.
    fn by_move(&mut self, alpha: Value, beta: Value, frame: Frame, facts: MoveFacts) -> Result<Value, OutOfBudget> {
        let (Frame { ply, depth, is_exact }, MoveFacts { number, is_quiet, behind }) = (frame, facts);
        if number == 0 {
            return Ok(-self.value(-beta, -alpha, depth - 1, ply + 1)?);
        }
        let mut reduced = 0;
        if self.parts.reduce_late && is_quiet && depth >= 2 && number >= 2 {
            let unlikely = (behind as f32 * UNLIKELY.0).min(UNLIKELY.1);
            let plies = self.late.reduction(depth, number) + unlikely - f32::from(u8::from(is_exact));
            reduced = (plies as i32).clamp(0, depth - 1);
        }
        let mut value = -self.value(-alpha - 1, -alpha, depth - 1 - reduced, ply + 1)?;
        if reduced > 0 && value > alpha {
            value = -self.value(-alpha - 1, -alpha, depth - 1, ply + 1)?;
        }
        if value > alpha && value < beta {
            value = -self.value(-beta, -alpha, depth - 1, ply + 1)?;
        }
        Ok(value)
    }
}
