//! A search of some plies with an evaluation at its end, for the Reversi solver: it orders moves and guesses values,
//! and the player and its games to learn from are made of it.
//!
//! Principal variation search with a transposition table (that of the solver, under other hashes). Values are in
//! units of [`FINE`] a disc. The evaluation is by patterns on the full board, by its nine terms on others.

use super::cuts::{ProbableCuts, shallow_depth};
use super::last::take;
use super::ordering::{Ordered, choose};
use super::rules::EndgameRules;
use super::search::Compiled;
use crate::core::game::{Game, Value};
use crate::games::reversi::evaluation;
use crate::games::reversi::patterns::PatternNumbers;
use crate::games::reversi::position::{ReversiPosition, hash};
use crate::games::reversi::weights::{FINE, PatternWeights};
use crate::solvers::entry::{NO_MOVE, PROVEN, TableEntry};
use crate::solvers::monitor::{Stopped, Watch};
use crate::solvers::table::Table;

/// Above all values.
pub(super) const HIGHEST: i32 = 65 * FINE;
/// The window of all values.
pub(super) const WHOLE: (i32, i32) = (-HIGHEST, HIGHEST);
/// What the hashes of the solver are mixed with for the records of this search.
const SALT: u64 = 0x9E6C_63D0_876A_4B35;
/// What each reply that a move leaves takes from its rank.
const REPLY: i32 = FINE / 4;

/// A search on one thread.
#[derive(Debug)]
pub struct Midgame<'a> {
    pub(super) rules: EndgameRules,
    /// Weights of the evaluation by patterns; nothing for that by terms.
    pub(super) weights: Option<&'a PatternWeights>,
    /// Where deep searches may be left out; they never are without such weights.
    pub(super) cuts: Option<&'a ProbableCuts>,
    pub(super) table: &'a Table,
    pub(super) watch: &'a dyn Watch,
    /// How many positions have been visited.
    pub nodes: u64,
    pub(super) reported: u64,
    pub(super) interval: u64,
    /// Why the search was stopped: then its value means nothing.
    pub stopped: Option<Stopped>,
    /// Whether a value found since this was last cleared rests on the evaluation.
    pub estimated: bool,
    /// The moves of all open nodes, those of the last at the end.
    pub(super) moves: Vec<(Ordered, PatternNumbers)>,
}

/// The best cell that the table remembers of a search of some plies.
#[inline(always)]
pub(super) fn remembered(table: &Table, own: u64, enemy: u64) -> Option<u8> {
    TableEntry::get(table, hash(own, enemy) ^ SALT).map(|entry| entry.best as u8).filter(|&best| best < 64)
}

/// A value in the unit of [`Game::POINT`], rounded down.
pub(super) fn in_points(value: i32) -> Value {
    (value * ReversiPosition::POINT).div_euclid(FINE)
}

/// The least value that is so much in points.
pub(super) fn from_points(value: Value) -> i32 {
    -(-value * FINE).div_euclid(ReversiPosition::POINT)
}

impl<'a> Midgame<'a> {
    pub(super) fn new(
        rules: EndgameRules,
        weights: Option<&'a PatternWeights>,
        table: &'a Table,
        watch: &'a dyn Watch,
    ) -> Midgame<'a> {
        let interval = watch.interval();
        Midgame {
            rules,
            weights,
            cuts: None,
            table,
            watch,
            nodes: 0,
            reported: 0,
            interval,
            stopped: None,
            estimated: false,
            moves: Vec::with_capacity(1024),
        }
    }

    /// Reports the nodes not yet reported, and notes whether to stop.
    pub fn report(&mut self) {
        let nodes = self.nodes - self.reported;
        self.reported = self.nodes;
        if let Err(reason) = self.watch.report(nodes) {
            self.stopped = Some(reason);
        }
    }

    /// The evaluation for the side to move.
    #[inline(always)]
    fn evaluation(&mut self, own: u64, enemy: u64, numbers: &PatternNumbers) -> i32 {
        self.estimated = true;
        match self.weights {
            Some(weights) => weights.value(numbers, (self.rules.cells & !(own | enemy)).count_ones()),
            None => self.rules.position(own, enemy).map_or(0, |p| from_points(evaluation::evaluate(&p))),
        }
    }

    /// The value of a position `depth` plies deep, between the bounds (fail-soft).
    pub(super) fn value<I: Compiled>(
        &mut self,
        i: I,
        own: u64,
        enemy: u64,
        depth: u32,
        (alpha, beta): (i32, i32),
    ) -> i32 {
        i.midgame(self, own, enemy, &PatternNumbers::of(own, enemy), depth, (alpha, beta))
    }
}

/// The search, to be compiled for an instruction set.
#[inline(always)]
pub(super) fn midgame_body<I: Compiled>(
    i: I,
    search: &mut Midgame<'_>,
    own: u64,
    enemy: u64,
    numbers: &PatternNumbers,
    depth: u32,
    (alpha, beta): (i32, i32),
) -> i32 {
    search.nodes += 1;
    if search.nodes - search.reported >= search.interval {
        search.report();
    }
    if search.stopped.is_some() {
        return 0;
    }
    if depth == 0 {
        return search.evaluation(own, enemy, numbers);
    }
    let mut moves = i.moves(own, enemy) & search.rules.cells;
    if moves == 0 {
        if i.moves(enemy, own) & search.rules.cells == 0 {
            return FINE * search.rules.score(own, enemy);
        }
        return -i.midgame(search, enemy, own, &numbers.passed(), depth, (-beta, -alpha));
    }
    if depth == 1 {
        return leaves(i, search, (own, enemy), numbers, moves, beta);
    }
    let key = hash(own, enemy) ^ SALT;
    let mut first = NO_MOVE;
    if let Some(known) = TableEntry::get(search.table, key) {
        first = known.best;
        if u32::from(known.depth) >= depth {
            let known_value = if known.lower >= beta || known.lower == known.upper {
                Some(known.lower)
            } else {
                (known.upper <= alpha).then_some(known.upper)
            };
            if let Some(value) = known_value {
                search.estimated |= known.depth != PROVEN;
                return value;
            }
        }
    }
    let before = std::mem::take(&mut search.estimated);
    if beta - alpha == 1 {
        let bound = foreseen(i, search, (own, enemy), numbers, depth, (alpha, beta));
        if search.stopped.is_some() {
            return 0;
        }
        if let Some(bound) = bound {
            search.estimated |= before;
            return bound;
        }
    }
    let begun = search.nodes;
    let start = search.moves.len();
    let empty = (search.rules.cells & !(own | enemy)).count_ones();
    while moves != 0 {
        let square = take(&mut moves);
        let flips = i.flips(own, enemy, square);
        let (next, other) = (enemy ^ flips, own | flips | 1 << square);
        let after = numbers.after(square, flips);
        let mut rank = i32::MAX;
        if u16::from(square) != first {
            let replies = (i.moves(next, other) & search.rules.cells).count_ones() as i32;
            rank = -REPLY * replies;
            if let Some(weights) = search.weights {
                rank -= weights.value(&after, empty - 1);
            }
        }
        search.moves.push((Ordered { rank, square, own: next, enemy: other, hash: 0 }, after));
    }
    let count = search.moves.len() - start;
    let (mut best, mut best_square, mut bound) = (-HIGHEST, 64u8, alpha);
    for n in 0..count {
        choose(&mut search.moves[start + n..], |m| m.0.rank);
        let (m, after) = search.moves[start + n];
        let mut value = -HIGHEST;
        if n > 0 {
            value = -i.midgame(search, m.own, m.enemy, &after, depth - 1, (-bound - 1, -bound));
        }
        if n == 0 || value > bound && value < beta {
            value = -i.midgame(search, m.own, m.enemy, &after, depth - 1, (-beta, -bound));
        }
        if search.stopped.is_some() {
            search.moves.truncate(start);
            return 0;
        }
        if value > best {
            (best, best_square) = (value, m.square);
            bound = bound.max(value);
            if value >= beta {
                break;
            }
        }
    }
    search.moves.truncate(start);
    let entry = TableEntry {
        lower: if best > alpha { best } else { -HIGHEST },
        upper: if best < beta { best } else { HIGHEST },
        depth: if search.estimated { depth.min(u32::from(PROVEN) - 1) as u8 } else { PROVEN },
        best: best_square.into(),
    };
    entry.put(search.table, key, search.nodes - begun);
    search.estimated |= before;
    best
}

/// The bound that the value of a position is probably beyond, as far as a shallow search tells, if it does. On which
/// side that search has a chance is told by the evaluation.
#[inline(always)]
fn foreseen<I: Compiled>(
    i: I,
    search: &mut Midgame<'_>,
    (own, enemy): (u64, u64),
    numbers: &PatternNumbers,
    depth: u32,
    (alpha, beta): (i32, i32),
) -> Option<i32> {
    let empty = (search.rules.cells & !(own | enemy)).count_ones();
    let (weights, cut) = (search.weights?, search.cuts?.cut(empty, depth)?);
    let guess = weights.value(numbers, empty) + cut.evaluation;
    let near = cut.deviation / 2;
    // The shallow value that says so.
    let (is_high, enough) = if guess >= beta + near {
        (true, beta + cut.deviation - cut.shallow)
    } else if guess <= alpha - near {
        (false, alpha - cut.deviation - cut.shallow)
    } else {
        return None;
    };
    let window = if is_high { (enough - 1, enough) } else { (enough, enough + 1) };
    let value = i.midgame(search, own, enemy, numbers, shallow_depth(depth), window);
    let is_beyond = if is_high { value >= enough } else { value <= enough };
    if !is_beyond {
        search.estimated = false;
    }
    is_beyond.then_some(if is_high { beta } else { alpha })
}

/// The last ply: each move is made and evaluated.
#[inline(always)]
fn leaves<I: Compiled>(
    i: I,
    search: &mut Midgame<'_>,
    (own, enemy): (u64, u64),
    numbers: &PatternNumbers,
    mut moves: u64,
    beta: i32,
) -> i32 {
    let mut best = -HIGHEST;
    while moves != 0 {
        let square = take(&mut moves);
        let flips = i.flips(own, enemy, square);
        let (next, other) = (enemy ^ flips, own | flips | 1 << square);
        search.nodes += 1;
        best = best.max(-search.evaluation(next, other, &numbers.after(square, flips)));
        if best >= beta {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::games::reversi::board::ReversiBoard;
    use crate::games::reversi::flips::Plain;
    use crate::games::reversi::position::{Empties, ReversiMove, Start};
    use crate::games::reversi::weights::ReversiEstimate;
    use crate::solvers::monitor::Monitor;
    use crate::solvers::wander::wander;
    use rand::RngExt;

    /// The value by the plainest search, and whether it rests on the evaluation: after the last ply it always does.
    fn plain(position: &ReversiPosition, weights: Option<&PatternWeights>, depth: u32) -> (i32, bool) {
        if depth == 0 {
            let numbers = PatternNumbers::of(position.own(), position.enemy());
            let value = match weights {
                Some(weights) => weights.value(&numbers, position.empty().count_ones()),
                None => from_points(position.heuristic()),
            };
            return (value, true);
        }
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if moves.is_empty() {
            return (FINE * position.outcome() / ReversiPosition::POINT, false);
        }
        let is_pass = moves[0] == ReversiMove::PASS;
        let after = |&m: &ReversiMove| {
            let mut after = *position;
            after.play(m);
            let (value, estimated) = plain(&after, weights, if is_pass { depth } else { depth - 1 });
            (-value, estimated)
        };
        let values: Vec<(i32, bool)> = moves.iter().map(after).collect();
        (values.iter().map(|v| v.0).max().unwrap(), values.iter().any(|v| v.1))
    }

    #[test]
    fn values_are_those_of_a_plain_search() {
        let (seed, watch, mut random) = (11, Monitor::default(), rng(11, &[]));
        let mut exact = 0;
        for n in 0..120 {
            let board = if n % 3 == 0 { ReversiBoard::new(6, 5).unwrap() } else { ReversiBoard::FULL };
            let start = ReversiPosition::new(board, Start::Standard).with_empties(Empties::ToWinner);
            // Every other position is near its end.
            let most = u32::from(board.area()) - 4;
            let plies = if n % 2 == 0 { most - random.random_range(1..5) } else { random.random_range(0..most) };
            let position = wander(start, plies, &mut random);
            let estimate = ReversiEstimate::Usual;
            let (weights, rules) = (estimate.patterns(board), EndgameRules::of(&position));
            let (table, depth) = (Table::new(1 << 14).unwrap(), random.random_range(0..5));
            let (right, estimated) = plain(&position, weights, depth);
            let what = format!("seed {seed}, position {n}, depth {depth}\n{position}");
            let (own, enemy) = (position.own(), position.enemy());
            // What the table knows of lesser depths must not count.
            let mut other = Midgame::new(rules, weights, &table, &watch);
            other.value(Plain, own, enemy, random.random_range(0..=depth).saturating_sub(1), WHOLE);
            for round in 0..3 {
                // With what the table knows from the round before, and by questions about bounds.
                let mut search = Midgame::new(rules, weights, &table, &watch);
                let value = search.value(Plain, own, enemy, depth, WHOLE);
                assert_eq!(value, right, "round {round}, {what}");
                assert!(estimated || !search.estimated, "round {round}, {what}");
                let bound = right + random.random_range(-200..200);
                let answer = search.value(Plain, own, enemy, depth, (bound - 1, bound));
                assert_eq!(answer >= bound, value >= bound, "round {round}, bound {bound}, {what}");
            }
            exact += u32::from(!estimated);
        }
        assert!(exact > 10, "{exact} of 120 positions are decided");
    }

    #[test]
    fn cuts_save_nodes_and_values_stay_near() {
        let (watch, mut random) = (Monitor::default(), rng(12, &[]));
        let start = ReversiPosition::new(ReversiBoard::FULL, Start::Standard).with_empties(Empties::ToWinner);
        let weights = Some(PatternWeights::usual());
        let (mut nodes, mut differences) = ([0, 0], 0);
        for _ in 0..20 {
            let position = wander(start, random.random_range(10..40), &mut random);
            let table = Table::new(1 << 20).unwrap();
            let searched = [None, ProbableCuts::usual()].map(|cuts| {
                table.clear();
                let mut search =
                    Midgame { cuts, ..Midgame::new(EndgameRules::of(&position), weights, &table, &watch) };
                let value = search.value(Plain, position.own(), position.enemy(), 7, WHOLE);
                (search.nodes, value)
            });
            (0..2).for_each(|n| nodes[n] += searched[n].0);
            differences += (searched[0].1 - searched[1].1).abs();
        }
        assert!(2 * nodes[1] < nodes[0], "{nodes:?}");
        assert!(differences < 20 * 2 * FINE, "{differences}");
    }

    #[test]
    fn with_cuts_values_without_an_estimate_are_exact() {
        let (watch, mut random, mut exact) = (Monitor::default(), rng(13, &[]), 0);
        let start = ReversiPosition::new(ReversiBoard::FULL, Start::Standard).with_empties(Empties::ToWinner);
        let weights = Some(PatternWeights::usual());
        for _ in 0..100 {
            let position = wander(start, random.random_range(52..60), &mut random);
            let table = Table::new(1 << 16).unwrap();
            let cuts = ProbableCuts::usual();
            let mut search = Midgame { cuts, ..Midgame::new(EndgameRules::of(&position), weights, &table, &watch) };
            let value = search.value(Plain, position.own(), position.enemy(), 12, WHOLE);
            if !search.estimated {
                exact += 1;
                assert_eq!(value, plain(&position, weights, 12).0, "{position}");
            }
        }
        assert!(exact > 30, "{exact} of 100 values rest on no estimate");
    }

    #[test]
    fn points_are_rounded_down_and_bounds_keep_their_meaning() {
        for value in -HIGHEST..=HIGHEST {
            let points = in_points(value);
            assert!(from_points(points) <= value && value < from_points(points + 1), "{value}");
        }
        assert_eq!((in_points(5 * FINE), in_points(-5 * FINE)), (50, -50));
    }
}
