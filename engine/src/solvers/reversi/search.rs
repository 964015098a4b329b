//! The null-window search of the Reversi solver.
//!
//! Everything asks "more than `alpha`?" and answers fail-soft, in discs: a value at or below `alpha` is an upper
//! bound, one above a lower bound. Wider windows are for the caller ([`super::engine`]).

use super::last::{last, odd_quadrants, take};
use super::midgame::{HIGHEST, Midgame, midgame_body};
use super::ordering::{Ordered, choose, rank, shallow};
use super::rules::EndgameRules;
#[cfg(target_arch = "x86_64")]
use crate::games::reversi::flips::{Avx2, Avx512};
use crate::games::reversi::flips::{Instructions, Plain};
use crate::games::reversi::patterns::PatternNumbers;
use crate::games::reversi::position::hash;
use crate::games::reversi::stability;
use crate::games::reversi::symmetry::least;
use crate::games::reversi::weights::{FINE, PatternWeights};
use crate::solvers::busy::Busy;
use crate::solvers::monitor::{Monitor, Stopped};
use crate::solvers::table::Table;

/// Up to this many empty cells the moves are tried where they lie.
const LAST: u32 = 4;
/// Up to this many they are ordered by parity, and nothing is remembered.
const PARITY: u32 = 7;
/// From this many on children are looked up for a cut-off before any is searched.
const TRANSPOSITION_CUTOFF: u32 = 10;
/// From this many on each move is judged by a search of one ply, and of one ply more for each `JUDGED_STEP` more.
const JUDGED: u32 = 10;
const JUDGED_STEP: u32 = 2;
/// Plies of that search at most.
const JUDGED_DEPTH: u32 = 6;
/// From this many on moves are judged by the learned evaluation, where there is one: by itself up to `SEARCHED`, then
/// after one ply, and after one ply more for each `SEARCHED_STEP` more.
const LEARNED: u32 = 12;
const SEARCHED: u32 = 14;
const SEARCHED_STEP: u32 = 3;
/// Plies of that search at most.
const SEARCHED_DEPTH: u32 = 4;
/// What each reply that a move leaves, and a move into an odd region, counts beside that evaluation.
const REPLY: i32 = FINE * 3 / 2;
const ODD: i32 = FINE / 2;
/// Up to this many discs moves are looked at for others symmetric to them.
const ALIKE: u32 = 8;
/// From this many empty cells on other threads' work is avoided.
const BUSY: u32 = 13;
/// Nodes between two looks at the monitor, if it asks for no more of them.
const INTERVAL: u64 = 1 << 15;

/// A search on one thread.
#[derive(Debug)]
pub(super) struct Endgame<'a> {
    pub rules: EndgameRules,
    /// Positions visited: those with an empty cell.
    pub nodes: u64,
    /// Why the search was stopped: then its value means nothing.
    pub stopped: Option<Stopped>,
    table: &'a Table,
    /// Weights of the evaluation that orders moves; nothing where mobility does.
    weights: Option<&'a PatternWeights>,
    busy: Option<&'a Busy>,
    monitor: &'a Monitor,
    /// What judges moves with the weights.
    judge: Midgame<'a>,
    reported: u64,
    /// Nodes between two looks at the monitor.
    interval: u64,
    /// The moves of all open nodes, those of the last at the end.
    moves: Vec<Ordered>,
}

/// An instruction set that the search is compiled for.
pub(super) trait Compiled: Instructions {
    /// Runs [`inner_body`], compiled for these instructions.
    fn inner(self, search: &mut Endgame, own: u64, enemy: u64, alpha: i32, empty: u32) -> i32;
    /// Runs [`parity_body`], compiled for these instructions.
    fn parity(self, search: &mut Endgame, own: u64, enemy: u64, alpha: i32, empty: u32) -> i32;
    /// Runs [`last`], compiled for these instructions.
    fn last(self, search: &mut Endgame, own: u64, enemy: u64, alpha: i32) -> i32;
    /// Runs [`midgame_body`], compiled for these instructions.
    fn midgame(
        self,
        search: &mut Midgame<'_>,
        own: u64,
        enemy: u64,
        numbers: &PatternNumbers,
        depth: u32,
        window: (i32, i32),
    ) -> i32;
}

impl Compiled for Plain {
    fn inner(self, search: &mut Endgame, own: u64, enemy: u64, alpha: i32, empty: u32) -> i32 {
        inner_body(self, search, own, enemy, alpha, empty)
    }
    fn parity(self, search: &mut Endgame, own: u64, enemy: u64, alpha: i32, empty: u32) -> i32 {
        parity_body(self, search, own, enemy, alpha, empty)
    }
    fn last(self, search: &mut Endgame, own: u64, enemy: u64, alpha: i32) -> i32 {
        last(self, &search.rules, own, enemy, alpha, &mut search.nodes)
    }
    fn midgame(
        self,
        search: &mut Midgame<'_>,
        own: u64,
        enemy: u64,
        numbers: &PatternNumbers,
        depth: u32,
        window: (i32, i32),
    ) -> i32 {
        midgame_body(self, search, own, enemy, numbers, depth, window)
    }
}

/// The same bodies, compiled with the instructions that the type stands for.
#[cfg(target_arch = "x86_64")]
macro_rules! compile {
    ($set:ty, $features:literal) => {
        impl Compiled for $set {
            #[inline(always)]
            fn inner(self, search: &mut Endgame, own: u64, enemy: u64, alpha: i32, empty: u32) -> i32 {
                /// # Safety
                /// The processor has these instructions.
                #[target_feature(enable = $features)]
                fn compiled(i: $set, search: &mut Endgame, own: u64, enemy: u64, alpha: i32, empty: u32) -> i32 {
                    inner_body(i, search, own, enemy, alpha, empty)
                }
                // SAFETY: a value of this type exists only where the processor has the instructions.
                unsafe { compiled(self, search, own, enemy, alpha, empty) }
            }
            #[inline(always)]
            fn parity(self, search: &mut Endgame, own: u64, enemy: u64, alpha: i32, empty: u32) -> i32 {
                /// # Safety
                /// The processor has these instructions.
                #[target_feature(enable = $features)]
                fn compiled(i: $set, search: &mut Endgame, own: u64, enemy: u64, alpha: i32, empty: u32) -> i32 {
                    parity_body(i, search, own, enemy, alpha, empty)
                }
                // SAFETY: as above.
                unsafe { compiled(self, search, own, enemy, alpha, empty) }
            }
            #[inline(always)]
            fn last(self, search: &mut Endgame, own: u64, enemy: u64, alpha: i32) -> i32 {
                /// # Safety
                /// The processor has these instructions.
                #[target_feature(enable = $features)]
                fn compiled(i: $set, search: &mut Endgame, own: u64, enemy: u64, alpha: i32) -> i32 {
                    last(i, &search.rules, own, enemy, alpha, &mut search.nodes)
                }
                // SAFETY: as above.
                unsafe { compiled(self, search, own, enemy, alpha) }
            }
            #[inline(always)]
            fn midgame(
                self,
                search: &mut Midgame<'_>,
                own: u64,
                enemy: u64,
                numbers: &PatternNumbers,
                depth: u32,
                window: (i32, i32),
            ) -> i32 {
                /// # Safety
                /// The processor has these instructions.
                #[target_feature(enable = $features)]
                fn compiled(
                    i: $set,
                    search: &mut Midgame<'_>,
                    own: u64,
                    enemy: u64,
                    numbers: &PatternNumbers,
                    depth: u32,
                    window: (i32, i32),
                ) -> i32 {
                    midgame_body(i, search, own, enemy, numbers, depth, window)
                }
                // SAFETY: as above.
                unsafe { compiled(self, search, own, enemy, numbers, depth, window) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
compile!(Avx2, "avx2,bmi1,bmi2,popcnt,lzcnt");
#[cfg(target_arch = "x86_64")]
compile!(Avx512, "avx512f,avx512vl,avx512cd,avx2,bmi1,bmi2,popcnt,lzcnt");

impl<'a> Endgame<'a> {
    pub fn new(
        rules: EndgameRules,
        table: &'a Table,
        weights: Option<&'a PatternWeights>,
        busy: Option<&'a Busy>,
        monitor: &'a Monitor,
    ) -> Self {
        let (interval, moves) = (INTERVAL.min(monitor.most_between()), Vec::with_capacity(1024));
        // Its nodes are counted and reported with those of this search.
        let judge = Midgame { interval: u64::MAX, ..Midgame::new(rules, weights, table, monitor) };
        Endgame { rules, nodes: 0, stopped: None, table, weights, busy, monitor, judge, reported: 0, interval, moves }
    }

    /// The value of a position some plies deep, in the unit of the weights.
    #[inline(always)]
    fn judge<I: Compiled>(&mut self, i: I, own: u64, enemy: u64, numbers: &PatternNumbers, depth: u32) -> i32 {
        let before = self.judge.nodes;
        let value = i.midgame(&mut self.judge, own, enemy, numbers, depth, (-HIGHEST, HIGHEST));
        self.nodes += self.judge.nodes - before;
        value
    }

    /// The value above or below `alpha`, with whatever instructions suit the number of empty cells.
    #[inline(always)]
    pub fn value<I: Compiled>(&mut self, i: I, own: u64, enemy: u64, alpha: i32, empty: u32) -> i32 {
        if empty <= LAST {
            i.last(self, own, enemy, alpha)
        } else if empty <= PARITY {
            i.parity(self, own, enemy, alpha, empty)
        } else {
            i.inner(self, own, enemy, alpha, empty)
        }
    }

    /// Reports the nodes not yet reported, and notes whether to stop.
    pub fn report(&mut self) {
        let nodes = self.nodes - self.reported;
        self.reported = self.nodes;
        if let Err(reason) = self.monitor.report(nodes) {
            self.stopped = Some(reason);
        }
    }
}

/// Five to [`PARITY`] empty cells: moves into odd quadrants first.
#[inline(always)]
fn parity_body<I: Compiled>(i: I, search: &mut Endgame, own: u64, enemy: u64, alpha: i32, empty: u32) -> i32 {
    search.nodes += 1;
    let moves = i.moves(own, enemy) & search.rules.cells;
    if moves == 0 {
        if i.moves(enemy, own) & search.rules.cells == 0 {
            return search.rules.score(own, enemy);
        }
        return -i.parity(search, enemy, own, -alpha - 1, empty);
    }
    let odd = odd_quadrants(search.rules.cells & !(own | enemy));
    let mut best = i32::MIN;
    for mut part in [moves & odd, moves & !odd] {
        while part != 0 {
            let square = take(&mut part);
            let flips = i.flips(own, enemy, square);
            let (next, other) = (enemy ^ flips, own | flips | 1 << square);
            let value = if empty - 1 <= LAST {
                -i.last(search, next, other, -alpha - 1)
            } else {
                -i.parity(search, next, other, -alpha - 1, empty - 1)
            };
            if value > best {
                best = value;
                if value > alpha {
                    return value;
                }
            }
        }
    }
    best
}

/// Packs what the table keeps: bounds in discs and the best cell.
#[inline(always)]
fn pack(lower: i32, upper: i32, best: u8) -> u64 {
    u64::from(lower as i8 as u8) | u64::from(upper as i8 as u8) << 8 | u64::from(best) << 16
}

/// Lower bound, upper bound, best cell.
#[inline(always)]
fn unpack(data: u64) -> (i32, i32, u8) {
    (i32::from(data as u8 as i8), i32::from((data >> 8) as u8 as i8), (data >> 16) as u8)
}

/// More than [`PARITY`] empty cells.
#[inline(always)]
fn inner_body<I: Compiled>(i: I, search: &mut Endgame, own: u64, enemy: u64, alpha: i32, empty: u32) -> i32 {
    let rules = search.rules;
    let (own, enemy, _) = rules.image(own, enemy, empty);
    // Whether the position may be symmetric in itself: only near the start.
    let turns = empty + ALIKE >= rules.area as u32;
    search.nodes += 1;
    if search.nodes - search.reported >= search.interval {
        search.report();
    }
    if search.stopped.is_some() {
        return 0;
    }
    // Stable enemy discs stay. Worth looking only if they could suffice.
    if rules.area - 2 * enemy.count_ones() as i32 <= alpha {
        let upper = rules.area - 2 * stability::stable(enemy, own, rules.cells).count_ones() as i32;
        if upper <= alpha {
            return upper;
        }
    }
    let hash_here = hash(own, enemy);
    let (mut lower, mut upper, mut first) = (-rules.area, rules.area, 64);
    let known = search.table.get(hash_here);
    if let Some(data) = known {
        (lower, upper, first) = unpack(data);
        if lower > alpha {
            return lower;
        }
        if upper <= alpha {
            return upper;
        }
    }
    let mut moves = i.moves(own, enemy) & rules.cells;
    if moves == 0 {
        if i.moves(enemy, own) & rules.cells == 0 {
            return rules.score(own, enemy);
        }
        return -i.inner(search, enemy, own, -alpha - 1, empty);
    }
    let begun = search.nodes;
    let start = search.moves.len();
    while moves != 0 {
        let square = take(&mut moves);
        let flips = i.flips(own, enemy, square);
        let (next, other) = (enemy ^ flips, own | flips | 1 << square);
        // All enemy discs gone: as good as can be, unless empty cells count for nobody.
        if next == 0 && rules.score(other, 0) > alpha {
            search.moves.truncate(start);
            return rules.score(other, 0);
        }
        if turns {
            // A move symmetric to another one leads to the same position.
            let place = |own, enemy| least(rules.board, own, enemy);
            let (own, enemy, _) = place(next, other);
            let same = |m: &Ordered| place(m.own, m.enemy).0 == own && place(m.own, m.enemy).1 == enemy;
            if search.moves[start..].iter().any(same) {
                continue;
            }
        }
        search.moves.push(Ordered { rank: 0, square, own: next, enemy: other, hash: 0 });
    }
    let count = search.moves.len() - start;
    if empty >= TRANSPOSITION_CUTOFF
        && let Some(value) = transposition_cutoff(search, start, alpha, empty)
    {
        search.moves.truncate(start);
        return value;
    }
    if count > 1 {
        order(i, search, (own, enemy), start, empty, first);
    }
    let mut best = (i32::MIN, 64);
    let busy = search.busy.filter(|_| empty >= BUSY && count > 1);
    // Places that were left for the second round.
    let mut left = 0u64;
    'rounds: for round in 0..2 {
        for n in 0..count {
            if round == 0 {
                choose(&mut search.moves[start + n..], |m| m.rank);
                if n > 0 && busy.is_some_and(|busy| busy.is_set(mark(&search.moves[start + n]))) {
                    left |= 1 << n;
                    continue;
                }
            } else if left >> n & 1 == 0 {
                continue;
            }
            let m = search.moves[start + n];
            let busy = busy.filter(|_| n > 0);
            busy.inspect(|busy| busy.set(mark(&m)));
            let value = -search.value(i, m.own, m.enemy, -alpha - 1, empty - 1);
            busy.inspect(|busy| busy.clear(mark(&m)));
            if search.stopped.is_some() {
                return 0;
            }
            if value > best.0 {
                best = (value, m.square);
                if value > alpha {
                    break 'rounds;
                }
            }
        }
        if left == 0 {
            break;
        }
    }
    search.moves.truncate(start);
    let (value, square) = best;
    if value > alpha {
        lower = lower.max(value);
    } else {
        upper = upper.min(value);
    }
    search.table.put(hash_here, pack(lower, upper, square), search.nodes - begun);
    value
}

/// The mark of the position after a move, for [`Busy`].
#[inline(always)]
fn mark(m: &Ordered) -> u64 {
    m.hash | 1
}

/// A value above `alpha` that a child's entry shows. The moves lie from `start` on.
#[inline(always)]
fn transposition_cutoff(search: &mut Endgame, start: usize, alpha: i32, empty: u32) -> Option<i32> {
    let (table, rules, moves) = (search.table, &search.rules, &mut search.moves[start..]);
    for m in moves.iter_mut() {
        let (own, enemy, _) = rules.image(m.own, m.enemy, empty - 1);
        m.hash = hash(own, enemy);
        table.prefetch(m.hash);
    }
    moves.iter().find_map(|m| {
        let (_, upper, _) = unpack(table.get(m.hash)?);
        (-upper > alpha).then_some(-upper)
    })
}

/// Ranks the moves of a position, which lie from `start` on; `first` is the table's.
#[inline(always)]
fn order<I: Compiled>(i: I, search: &mut Endgame, (own, enemy): (u64, u64), start: usize, empty: u32, first: u8) {
    if let Some(weights) = search.weights.filter(|_| empty >= LEARNED) {
        return order_learned(i, search, weights, (own, enemy), start, empty, first);
    }
    let depth = match empty {
        JUDGED.. => (1 + (empty - JUDGED) / JUDGED_STEP).min(JUDGED_DEPTH),
        _ => 0,
    };
    let Endgame { rules, moves, nodes, .. } = search;
    for m in &mut moves[start..] {
        m.rank = rank(i, rules, m.own, m.enemy, m.square);
        if depth > 0 {
            m.rank = m.rank / 4 - shallow(i, rules, m.own, m.enemy, depth - 1, (-i32::MAX, i32::MAX), nodes);
        }
        if m.square == first {
            m.rank = i32::MAX;
        }
    }
}

/// The same by the learned evaluation, after some plies where there are many empty cells.
#[inline(always)]
fn order_learned<I: Compiled>(
    i: I,
    search: &mut Endgame,
    weights: &PatternWeights,
    (own, enemy): (u64, u64),
    start: usize,
    empty: u32,
    first: u8,
) {
    let depth = match empty {
        SEARCHED.. => (1 + (empty - SEARCHED) / SEARCHED_STEP).min(SEARCHED_DEPTH),
        _ => 0,
    };
    let numbers = PatternNumbers::of(own, enemy);
    let odd = odd_quadrants(search.rules.cells & !(own | enemy));
    for n in start..search.moves.len() {
        let m = search.moves[n];
        search.moves[n].rank = if m.square == first {
            i32::MAX
        } else {
            let after = numbers.after(m.square, (m.enemy ^ own) & !(1 << m.square));
            let value = if depth == 0 {
                search.nodes += 1;
                weights.value(&after, empty - 1)
            } else {
                search.judge(i, m.own, m.enemy, &after, depth)
            };
            let replies = i.moves(m.own, m.enemy) & search.rules.cells;
            let replies = replies.count_ones() + (replies & search.rules.corners).count_ones();
            -value - REPLY * replies as i32 + ODD * (odd >> m.square & 1) as i32
        };
    }
}
