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
use crate::solvers::gomoku::points::GomokuPoints;
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
/// How far an estimate is above the window, for each ply that is left, where all moves are searched less deep.
const FAR_ABOVE: Value = 15;
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
    /// Continuous fours of the side to move were looked for before the last move, in vain.
    no_fours: bool,
    /// Hashes of positions in which the other side has no continuous fours after a pass, as far as they are looked
    /// for: each position has one place.
    no_passed_fours: Box<[u64; PASSES]>,
    /// Lists of moves, for use again.
    lists: Vec<Vec<RatedMove>>,
    late: LateMoves,
}

/// Places for positions in which a pass lets the other side win by no continuous fours.
const PASSES: usize = 1 << 12;

/// How a node is searched.
#[derive(Debug, Clone, Copy)]
struct Frame {
    ply: usize,
    depth: i32,
    is_exact: bool,
    /// A move of it is expected to be above the window.
    is_cut: bool,
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

/// Which moves of a node may be left out or searched less deep when they come late.
#[derive(Debug, Clone, Copy)]
struct LateKinds {
    /// The side to move.
    side: Side,
    /// Fours that make nothing else of worth are like quiet moves.
    with_fours: bool,
}

impl LateKinds {
    /// Whether a move is neither a four nor in the way of a straight four.
    #[inline]
    fn may_reduce(self, lines: &LineBoard<'_>, point: u16) -> bool {
        let most = if self.with_fours { MoveClass::FourAndMore } else { MoveClass::Threes };
        lines.class(point, self.side) <= most && lines.class(point, self.side.other()) < MoveClass::StraightFour
    }

    /// The same, and it makes no three.
    #[inline]
    fn may_leave_out(self, lines: &LineBoard<'_>, point: u16) -> bool {
        self.may_reduce(lines, point)
            && !(MoveClass::Three..=MoveClass::Threes).contains(&lines.class(point, self.side))
    }

    /// Leaves all that may be left out of a list from a place on.
    fn leave_out(self, lines: &LineBoard<'_>, list: &mut Vec<RatedMove>, from: usize) {
        let mut kept = from;
        for at in from..list.len() {
            let m = list[at];
            if !self.may_leave_out(lines, m.point) {
                list[kept] = m;
                kept += 1;
            }
        }
        list.truncate(kept);
    }
}

/// What is known of a move where it is played.
#[derive(Debug, Clone, Copy)]
struct MoveFacts {
    /// Moves of the node that come before it.
    number: usize,
    /// It is searched less deep if it comes late.
    may_reduce: bool,
    /// How far it is below the best move in the learned order.
    behind: i32,
    /// Plies that every move of the node is searched less deep.
    less: i32,
}

/// What the other side has if the side to move passes.
#[derive(Debug)]
enum PassedFours {
    /// That was not looked for.
    Unknown,
    /// No victory by continuous fours was found. A stone of the side to move gives the other side none.
    None,
    /// A victory: the points where a stone could change it, and the value of all other moves.
    Win { touched: GomokuPoints, value: Value },
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
            no_fours: false,
            no_passed_fours: Box::new([0; PASSES]),
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

    /// The value for the side to move within a window, searched to a depth, so many plies from the root.
    ///
    /// # Errors
    /// The budget is used up. The position is as it was.
    pub fn value(&mut self, alpha: Value, beta: Value, depth: i32, ply: usize) -> Result<Value, OutOfBudget> {
        self.no_fours = false;
        self.visit(alpha, beta, Frame { ply, depth, is_exact: true, is_cut: false })
    }

    /// The value of a node; whether it is exact follows from the window.
    fn visit(&mut self, alpha: Value, beta: Value, frame: Frame) -> Result<Value, OutOfBudget> {
        self.count()?;
        let ply = frame.ply;
        let no_fours = std::mem::take(&mut self.no_fours);
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
        let frame = Frame { is_exact: beta - alpha > 1, ..frame };
        match forced {
            Some(point) => self.forced(point, alpha, beta, frame),
            None => self.open(alpha, beta, frame, no_fours),
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
        let Frame { ply, depth, is_cut, .. } = frame;
        let room = ply + 1 < PLIES.min(3 * self.root_depth.max(2) as usize + 20);
        if !room {
            return Ok(self.estimate());
        }
        let free = self.parts.extend_forced && ply < 2 * self.root_depth.max(1) as usize;
        let next = if free { depth } else { depth - 1 };
        self.table.prefetch(self.stones.hash_after(Some(point)));
        self.stones.play(point);
        let after = Frame { ply: ply + 1, depth: next, is_exact: false, is_cut: !is_cut };
        let value = self.visit(-beta, -alpha, after).map(|value| -value);
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

    /// What the side to move could lose by: the other side's continuous fours if it passes, if they are looked for.
    fn passed_fours(&mut self, ply: usize) -> PassedFours {
        if self.parts.passed_fours == 0 || !self.stones.are_passes_searched() {
            return PassedFours::Unknown;
        }
        let hash = self.stones.hash();
        let known = &mut self.no_passed_fours[hash as usize % PASSES];
        if *known == hash && hash != 0 {
            return PassedFours::None;
        }
        let Some(win) = self.stones.continuous_fours_after_pass(self.parts.passed_fours) else {
            *known = hash;
            return PassedFours::None;
        };
        let value = -(WIN - (ply as Value + 2 * win.length as Value));
        PassedFours::Win { touched: self.stones.touches(&win.line), value }
    }

    /// A node in which nothing is forced. With `no_fours`, continuous fours were not found before the last move of
    /// the other side, and are not looked for.
    fn open(&mut self, mut alpha: Value, beta: Value, frame: Frame, no_fours: bool) -> Result<Value, OutOfBudget> {
        let Frame { ply, mut depth, is_exact, is_cut } = frame;
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
        let mut estimate = None;
        if parts.leaf_cuts && depth <= 0 && !is_exact && beta.abs() < DECIDED {
            let value = *estimate.insert(self.estimate());
            if value >= beta {
                return Ok(value);
            }
        }
        // A search that has been here has looked for fours.
        let limit = if depth <= 0 { parts.leaf_fours } else { parts.inner_fours };
        if entry.is_none()
            && !no_fours
            && let Some(value) = self.by_fours(limit, ply)
        {
            let exact = to_table(value, ply);
            TableEntry { lower: exact, upper: WIN + 1000, depth: 0, best: NO_MOVE }.put(self.table, hash, 1);
            return Ok(value);
        }
        if depth <= 0 || ply + 1 >= PLIES {
            return Ok(estimate.unwrap_or_else(|| self.estimate()));
        }
        let (side, enemy) = (self.stones.side(), self.stones.side().other());
        let threatened = self.stones.lines.count_of(enemy, MoveClass::StraightFour) > 0
            || self.stones.lines.count_of(enemy, MoveClass::Five) > 0;
        let mut is_far_above = false;
        if !is_exact && !threatened && beta.abs() < DECIDED {
            let estimate = self.estimate();
            is_far_above = parts.reduce_far_above && is_cut && estimate >= beta + FAR_ABOVE * depth;
            if parts.child_futility && depth <= FUTILITY.0 && estimate - FUTILITY.1 * depth >= beta {
                return Ok(estimate);
            }
            if parts.razoring && depth <= RAZORING.0 && estimate + RAZORING.1 * depth <= alpha {
                let fours = if no_fours { None } else { self.by_fours(parts.leaf_fours, ply) };
                return Ok(fours.unwrap_or(estimate));
            }
        }
        if parts.reduce_unknown && first == NO_MOVE && depth >= UNKNOWN && ply > 0 {
            depth -= 1;
        }
        let passed = if threatened { PassedFours::Unknown } else { self.passed_fours(ply) };
        let need = match parts.threat_replies && self.stones.answers_are_sure() {
            true => need(&self.stones.lines, side),
            false => Need::Any,
        };
        let mut list = self.lists.pop().unwrap_or_default();
        list.clear();
        rated_moves(self.stones, (first, need), &mut list);
        let (low, mut best, mut best_value) = (alpha, NO_MOVE, -WIN - 1);
        if let PassedFours::Win { touched, value } = &passed {
            // The others lose by these fours, each alike.
            let other = list.iter().filter(|m| !touched.has(m.point)).max_by_key(|m| m.rating).map(|m| m.point);
            list.retain(|m| touched.has(m.point));
            if let Some(point) = other {
                best_value = *value;
                if best_value > alpha {
                    (best, alpha) = (point, best_value);
                }
            }
            if alpha >= beta {
                list.clear();
            }
        }
        let is_learned = parts.reduce_unlikely && self.stones.lines.tables().weights().form == WeightsForm::WithLast;
        let likely = if is_learned { best_rating(&list) } else { i32::MIN };
        let kinds = LateKinds { side, with_fours: parts.late_fours };
        let (before, early) = (self.nodes, self.late.early(depth));
        let (mut tried, mut at) = (0usize, 0);
        let busy = self.busy.filter(|_| depth >= SHARED);
        // Moves at which another thread is, with their numbers.
        let mut later: VecDeque<(RatedMove, usize)> = VecDeque::new();
        let result = loop {
            let next = pick(&mut list, at).map(|m| (m, tried + later.len(), false));
            let next = next.or_else(|| later.pop_front().map(|(m, number)| (m, number, true)));
            let Some((m @ RatedMove { point, rating }, number, is_later)) = next else { break Ok(()) };
            at += usize::from(!is_later);
            let is_late = ply > 0 && best_value > -DECIDED && !is_later && number >= early;
            if parts.prune_late && is_late && kinds.may_leave_out(&self.stones.lines, point) {
                // All others like it are left out, too.
                kinds.leave_out(&self.stones.lines, &mut list, at);
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
                let may_reduce = (parts.late_fours || !threatened) && kinds.may_reduce(&self.stones.lines, point);
                self.stones.play(point);
                let behind = likely.saturating_sub(rating).max(0);
                let facts = MoveFacts { number, may_reduce, behind, less: i32::from(is_far_above) };
                self.no_fours = matches!(passed, PassedFours::None);
                let value = self.by_move(alpha, beta, Frame { ply, depth, is_exact, is_cut }, facts);
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
                    if ply == 0 {
                        // It counts even if the budget ends before the other moves are searched.
                        self.root_best = point;
                    }
                }
            }
            if alpha >= beta {
                break Ok(());
            }
        };
        self.lists.push(list);
        result?;
        if tried == 0 && best_value < -WIN {
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
        let Frame { ply, depth, is_exact, is_cut } = frame;
        let MoveFacts { number, may_reduce, behind, less } = facts;
        let after = |depth: i32, is_cut: bool| Frame { ply: ply + 1, depth, is_exact: false, is_cut };
        let (full, no_fours) = (depth - 1 - less, self.no_fours);
        if number == 0 {
            return Ok(-self.visit(-beta, -alpha, after(full, !is_exact && !is_cut))?);
        }
        let mut reduced = 0;
        if self.parts.reduce_late && may_reduce && depth >= 2 && number >= 2 {
            let unlikely = (behind as f32 * UNLIKELY.0).min(UNLIKELY.1);
            let plies = self.late.reduction(depth, number) + unlikely - f32::from(u8::from(is_exact));
            reduced = (plies as i32).clamp(0, full.max(0));
        }
        let mut value = -self.visit(-alpha - 1, -alpha, after(full - reduced, true))?;
        if reduced > 0 && value > alpha {
            self.no_fours = no_fours;
            value = -self.visit(-alpha - 1, -alpha, after(full, !is_cut))?;
        }
        if value > alpha && value < beta {
            self.no_fours = no_fours;
            value = -self.visit(-beta, -alpha, after(full, false))?;
        }
        Ok(value)
    }
}
