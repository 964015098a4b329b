//! Whether one side, the attacker, can force the end of the game with a score that it wants.
//!
//! This is a depth-first search with iterative deepening for a question of yes or no. A game without end is a failure
//! of the attacker. So a yes rests on finished games alone, and a no may rest on positions that come back: see
//! [`super::conditional`]. At the depth limit a heuristic answers. What rests on it is kept apart, and the limit
//! grows until nothing does. Positions are given up long before the limit if the attacker is so far behind, by the
//! heuristic, that the plies left will hardly do (futility pruning, J. Schaeffer 1986). A wrong no of this kind rests
//! on the heuristic, too, and the next limit is more patient.

use super::answer::{Answer, AtLimit, PROVEN, RaceEntry};
use super::conditional::{Conditional, DEEPEST, KnownAnswer, Plies};
use super::ordering::{NO_MOVE, Ordering, code, decode};
use super::zobrist::{Images, Zobrist};
use crate::core::game::Side;
use crate::games::go::board::GoBoard;
use crate::games::go::rules::{GoRules, Ko};
use crate::games::go::state::{GoMove, State};
use crate::solvers::busy::Busy;
use crate::solvers::monitor::{INTERVAL, Monitor, Stopped};
use crate::solvers::search::Stats;
use crate::solvers::table::Table;

/// Growth of the depth limit, in plies. Even, so that the side to move at the limit stays the same.
const STEP: u32 = 2;
/// From twice this depth on the steps grow with it: only games that turn in circles are so long.
const LONG: u32 = 32;
/// Depth from which on all children are looked up before the first is searched: above leaves it costs more than it
/// saves.
const LOOK_DEPTH: u32 = 2;
/// Depth from which on other threads' work is avoided.
const BUSY_DEPTH: u32 = 3;
/// The attacker's heuristic where it is given up, in twentieths of a point: this for each point of the board at the
/// limit, and so much less for each ply above it.
const GIVEN_UP: i64 = 11;
const PATIENCE: i64 = 12;
/// What the order of moves makes of the heuristic after them, in sixteenths of what it makes of [`State::prior`]: for
/// the attacker, and for the other side.
const FORESIGHT: [i64; 2] = [6, 4];
/// How many times as many plies as points are searched with the heuristic.
const HEURISTIC_PLIES: u32 = 3;

/// Whether the attacker can force a score of at least the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RaceQuestion {
    /// Who wants it.
    pub attacker: Side,
    /// The least score of the attacker that it wants, in points.
    pub target: i32,
    /// The rules of the game that is asked about.
    pub rules: GoRules,
}

/// A position on the way.
#[derive(Debug, Clone, Copy)]
struct RaceStep {
    state: State,
    images: Images,
    /// Its key and the symmetry that the key is of.
    key: u64,
    symmetry: u8,
    /// The attacker's heuristic.
    heuristic: i32,
    /// Plies before this one can be those of the same position: stones have left the board since.
    before: usize,
    /// What the answer rests on.
    rests_on: Plies,
}

/// A child of a node.
#[derive(Debug, Clone, Copy)]
struct RaceChild {
    rank: i64,
    m: GoMove,
    state: State,
    images: Images,
    key: u64,
    symmetry: u8,
    heuristic: i32,
}

/// Whether stones have left the board on the way from a state to its child.
#[inline(always)]
fn takes(state: &State, child: &RaceChild) -> bool {
    let stones = |state: &State| (state.own | state.enemy).count_ones();
    child.m != GoMove::PASS && stones(&child.state) <= stones(state)
}

/// The search for an answer.
#[derive(Debug)]
pub struct Race<'a> {
    question: RaceQuestion,
    board: GoBoard,
    points: u64,
    zobrist: &'a Zobrist,
    salt: u64,
    table: &'a Table,
    conditional: &'a mut Conditional,
    busy: Option<&'a Busy>,
    monitor: &'a Monitor,
    /// What has been done.
    pub stats: Stats,
    reported: u64,
    ordering: Ordering,
    path: Vec<RaceStep>,
    children: Vec<RaceChild>,
    life: bool,
    gives_up: bool,
    limit: AtLimit,
}

impl<'a> Race<'a> {
    /// A search for the answer.
    pub fn new(
        question: RaceQuestion,
        board: GoBoard,
        zobrist: &'a Zobrist,
        table: &'a Table,
        conditional: &'a mut Conditional,
        busy: Option<&'a Busy>,
        monitor: &'a Monitor,
    ) -> Race<'a> {
        let RaceQuestion { attacker, target, rules } = question;
        let rules_number = u64::from(rules.ko == Ko::Free) | u64::from(rules.suicide) << 1;
        let number = rules_number | u64::from(attacker == Side::First) << 2 | (target as u32 as u64) << 3;
        let words = [u64::from(board.width()), u64::from(board.height()), number];
        Race {
            question,
            board,
            points: board.points(),
            zobrist,
            salt: crate::core::seed::derive(0x61, &words),
            table,
            conditional,
            busy,
            monitor,
            stats: Stats::default(),
            reported: 0,
            ordering: Ordering::new(board),
            path: Vec::with_capacity(DEEPEST + 1),
            children: Vec::with_capacity(1024),
            // Who may kill own stones could end the game by a cycle of them.
            life: !rules.suicide,
            gives_up: true,
            limit: AtLimit::Heuristic,
        }
    }

    /// Whether the attacker forces it from `state`; `None` if games get too long.
    ///
    /// # Errors
    /// The search is to stop.
    pub fn answer(&mut self, state: State) -> Result<Option<bool>, Stopped> {
        let images = self.zobrist.images(state.stones());
        let (key, symmetry) = self.key(&state, &images);
        let heuristic = self.of_attacker(&state, state.heuristic(self.points));
        let root = RaceStep { state, images, key, symmetry, heuristic, before: 0, rests_on: Plies::NONE };
        let mut depth = STEP;
        (self.limit, self.gives_up) = (AtLimit::Heuristic, true);
        loop {
            self.path.clear();
            self.children.clear();
            self.path.push(root);
            let answer = self.visit(depth);
            if answer.is_err() {
                self.conditional.abandon();
            }
            let answer = answer?;
            if !answer.estimated {
                return Ok(Some(answer.yes));
            }
            if depth as usize >= DEEPEST {
                return Ok(None);
            }
            depth += STEP.max(depth / LONG * STEP);
            depth = depth.min(DEEPEST as u32);
            self.gives_up = depth <= HEURISTIC_PLIES * u32::from(self.board.area());
            // With no yes by estimate, a yes is one that is proven.
            if answer.yes {
                self.limit = AtLimit::No;
            } else if !self.gives_up {
                self.limit = AtLimit::Yes;
            }
        }
    }

    /// The best move as far as is remembered.
    pub fn hint(&self, state: State) -> Option<GoMove> {
        let (key, symmetry) = self.key(&state, &self.zobrist.images(state.stones()));
        decode(self.board, RaceEntry::get(self.table, key)?.best, symmetry)
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

    /// The key of a state with these stones, and the symmetry that it is of.
    #[inline(always)]
    fn key(&self, state: &State, images: &Images) -> (u64, u8) {
        let mut with_ko = *images;
        self.zobrist.toggle(&mut with_ko, 2, state.ko_bit());
        let (least, symmetry) = with_ko.least();
        let side = u64::from(state.side == self.question.attacker) | u64::from(state.passes) << 1;
        (least ^ self.salt ^ side.wrapping_mul(0x9FB2_1C65_1E98_DF25), symmetry)
    }

    /// The score of the attacker that a score of the side to move is.
    #[inline(always)]
    fn of_attacker(&self, state: &State, score: i32) -> i32 {
        if state.side == self.question.attacker { score } else { -score }
    }

    /// The answer that follows from what is sure for a side.
    #[inline]
    fn by_bounds(&self, state: &State) -> Option<bool> {
        let RaceQuestion { attacker, target, .. } = self.question;
        let attacks = state.side == attacker;
        if !self.life {
            return None;
        }
        // Points that make a yes, and a no.
        let area = self.points.count_ones() as i32;
        let (yes, no) = ((area + target + 1).div_euclid(2).max(0), (area - target).div_euclid(2) + 1);
        if no <= 0 || state.holds(self.points, !attacks, no as u32) {
            return Some(false);
        }
        state.holds(self.points, attacks, yes as u32).then_some(true)
    }

    /// Whether the attacker is given up for now, so many plies above the limit.
    #[inline(always)]
    fn is_given_up(&self, heuristic: i32, depth: u32) -> bool {
        let least = GIVEN_UP * i64::from(self.board.area()) - PATIENCE * i64::from(depth);
        self.gives_up && 2 * i64::from(heuristic) < least
    }

    /// What the table says, in so far as it answers at this depth; and the best move.
    #[inline]
    fn look_up(&self, key: u64, depth: u32) -> (Option<Answer>, u8) {
        match RaceEntry::get(self.table, key) {
            // Depth 0 is that of a guess, stored for the sake of its move.
            Some(entry) if entry.depth == PROVEN || entry.depth >= depth.max(1) && entry.limit == self.limit => {
                (Some(entry.answer), entry.best)
            }
            Some(entry) => (None, entry.best),
            None => (None, NO_MOVE),
        }
    }

    /// Answers for the position at the end of the path, `depth` plies deep. What the answer rests on is in its step.
    fn visit(&mut self, depth: u32) -> Result<Answer, Stopped> {
        self.stats.nodes += 1;
        if self.stats.nodes - self.reported >= INTERVAL {
            self.report()?;
        }
        let ply = self.path.len() - 1;
        let RaceStep { state, images, key, symmetry, heuristic, before, .. } = self.path[ply];
        let attacks = state.side == self.question.attacker;
        let (yes, no) = (Answer { yes: true, estimated: false }, Answer { yes: false, estimated: false });
        let target = self.question.target;
        // A second pass ends the game. (A side that does not want that plays on.)
        if state.passes > 0 {
            let reached = self.of_attacker(&state, state.score(self.points)) >= target;
            if state.passes > 1 || reached == attacks {
                return Ok(if reached { yes } else { no });
            }
        }
        // Positions of the past that are only symmetric to this one count as well.
        if let Some(back) = self.path[..before].iter().rposition(|past| past.key == key) {
            self.path[ply].rests_on = Plies::one(back);
            return Ok(no);
        }
        let (known, mut best) = self.look_up(key, depth);
        if let Some(answer) = known {
            self.stats.table_cutoffs += 1;
            return Ok(answer);
        }
        if let Some(known) = self.conditional.get(key) {
            self.stats.table_cutoffs += 1;
            match known {
                KnownAnswer::No => {
                    RaceEntry { answer: no, depth: PROVEN, limit: self.limit, best }.put(self.table, key, 1)
                }
                KnownAnswer::NoIf(plies) => self.path[ply].rests_on = plies,
            }
            return Ok(no);
        }
        if depth > 0 && self.is_given_up(heuristic, depth) {
            self.stats.estimates += 1;
            return Ok(Answer { yes: false, estimated: true });
        }
        if let Some(yes) = self.by_bounds(&state) {
            self.stats.bound_cutoffs += 1;
            return Ok(Answer { yes, estimated: false });
        }
        if depth == 0 || ply >= DEEPEST {
            self.stats.estimates += 1;
            let yes = match self.limit {
                AtLimit::Heuristic => heuristic >= 10 * target,
                AtLimit::Yes => true,
                AtLimit::No => false,
            };
            return Ok(Answer { yes, estimated: true });
        }
        let begun = self.stats.nodes;
        self.conditional.begin(ply);
        let first = self.children.len();
        self.make_children(&state, &images);
        if depth >= LOOK_DEPTH
            && let Some(answer) = self.cut_off_by_child(ply, first, depth, attacks)
        {
            self.children.truncate(first);
            self.stats.transposition_cutoffs += 1;
            // A step may be passed over again: nothing is stored that is not known below.
            self.conditional.end(ply, None);
            return Ok(answer);
        }
        self.order(first, ply, best, symmetry, &state);
        let mut answer = Answer { yes: !attacks, estimated: false };
        let mut rests_on = Plies::NONE;
        let last = self.children.len();
        // Places below 63 that were left for the second round.
        let mut left = 0u64;
        'rounds: for round in 0..2 {
            for i in first..last {
                let child = self.children[i];
                let place = i - first;
                let bit = if place < 63 { 1u64 << place } else { 0 };
                let mark = (key ^ u64::from(child.m.0 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)) | 1;
                let busy = self.busy.filter(|_| depth >= BUSY_DEPTH && place > 0);
                if round == 0 && bit != 0 && busy.is_some_and(|busy| busy.is_set(mark)) {
                    left |= bit;
                    continue;
                }
                if round == 1 && left & bit == 0 {
                    continue;
                }
                if let Some(busy) = busy {
                    busy.set(mark);
                }
                self.path.push(RaceStep {
                    state: child.state,
                    images: child.images,
                    key: child.key,
                    symmetry: child.symmetry,
                    heuristic: child.heuristic,
                    before: if takes(&state, &child) { ply + 1 } else { before },
                    rests_on: Plies::NONE,
                });
                let of_child = self.visit(depth - 1);
                let below = self.path[ply + 1].rests_on;
                self.path.truncate(ply + 1);
                if let Some(busy) = busy {
                    busy.clear(mark);
                }
                let of_child = of_child?;
                if of_child.yes == attacks {
                    // The others are needed no more, nor what they rest on.
                    (answer, rests_on) = (of_child, below);
                    best = code(self.board, child.m, symmetry);
                    self.stats.cutoffs += 1;
                    self.stats.first_move_cutoffs += u64::from(place == 0);
                    self.ordering.cut_off(ply, &state, child.m);
                    break 'rounds;
                }
                answer.estimated |= of_child.estimated;
                rests_on.add(&below);
            }
            if left == 0 {
                break;
            }
        }
        self.children.truncate(first);
        self.close(ply, key, depth, answer, rests_on, best, self.stats.nodes - begun);
        Ok(answer)
    }

    /// Stores an answer.
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "all of them are the node's own")]
    fn close(&mut self, ply: usize, key: u64, depth: u32, answer: Answer, rests_on: Plies, best: u8, nodes: u64) {
        let above = if answer.yes { Plies::NONE } else { rests_on.above(ply) };
        self.path[ply].rests_on = above;
        let no = (!answer.yes && !answer.estimated).then_some(&above);
        self.conditional.end(ply, no);
        if answer.estimated {
            RaceEntry { answer, depth: depth.min(PROVEN - 1), limit: self.limit, best }.put(self.table, key, nodes);
        } else if above.is_empty() {
            RaceEntry { answer, depth: PROVEN, limit: self.limit, best }.put(self.table, key, nodes);
        } else {
            self.conditional.put(key, &above);
            // The move is worth remembering.
            let guess = Answer { yes: false, estimated: true };
            RaceEntry { answer: guess, depth: 0, limit: self.limit, best }.put(self.table, key, nodes);
        }
    }

    #[inline]
    fn make_children(&mut self, state: &State, images: &Images) {
        let mut placements = state.placements(self.points, self.question.rules.suicide);
        let (mine, theirs) = if state.side == Side::First { (0, 1) } else { (1, 0) };
        while placements != 0 {
            let m = GoMove(placements.trailing_zeros() as u8);
            placements &= placements - 1;
            let after = state.play(self.points, self.question.rules, m);
            let mut of_child = *images;
            self.zobrist.toggle(&mut of_child, mine, after.enemy ^ state.own);
            self.zobrist.toggle(&mut of_child, theirs, after.own ^ state.enemy);
            self.make_child(m, after, of_child);
        }
        let after = state.play(self.points, self.question.rules, GoMove::PASS);
        self.make_child(GoMove::PASS, after, *images);
    }

    #[inline(always)]
    fn make_child(&mut self, m: GoMove, state: State, images: Images) {
        let (key, symmetry) = self.key(&state, &images);
        let heuristic = self.of_attacker(&state, state.heuristic(self.points));
        self.children.push(RaceChild { rank: 0, m, state, images, key, symmetry, heuristic });
    }

    /// An answer that a child's gives at once.
    #[inline]
    fn cut_off_by_child(&mut self, ply: usize, first: usize, depth: u32, attacks: bool) -> Option<Answer> {
        for i in first..self.children.len() {
            self.table.prefetch(self.children[i].key);
        }
        for i in first..self.children.len() {
            let key = self.children[i].key;
            if let (Some(answer), _) = self.look_up(key, depth - 1)
                && answer.yes == attacks
            {
                return Some(answer);
            }
            let child = &self.children[i];
            if !attacks && child.state.passes == 0 && depth > 1 && self.is_given_up(child.heuristic, depth - 1) {
                return Some(Answer { yes: false, estimated: true });
            }
            // A way back to where the path was before, found here, saves long ways around.
            let reach = if takes(&self.path[ply].state, child) { ply + 1 } else { self.path[ply].before };
            if !attacks && let Some(back) = self.path[..reach].iter().rposition(|past| past.key == key) {
                self.path[ply].rests_on = Plies::one(back).above(ply);
                return Some(Answer { yes: false, estimated: false });
            }
            if !attacks && let Some(known) = self.conditional.get(key) {
                if let KnownAnswer::NoIf(plies) = known {
                    // What rests on this very node holds by itself, but then it is no use here.
                    self.path[ply].rests_on = plies.above(ply);
                }
                return Some(Answer { yes: false, estimated: false });
            }
        }
        None
    }

    /// Puts the children in order, the most promising first.
    #[inline]
    fn order(&mut self, first: usize, ply: usize, best: u8, symmetry: u8, state: &State) {
        let attacks = state.side == self.question.attacker;
        for child in &mut self.children[first..] {
            let remembered = best != NO_MOVE && code(self.board, child.m, symmetry) == best;
            child.rank = self.ordering.rank(ply, state, child.m, remembered);
            if !remembered {
                // The heuristic is the attacker's.
                let heuristic = i64::from(child.heuristic);
                let foresight = if attacks { FORESIGHT[0] * heuristic } else { -FORESIGHT[1] * heuristic };
                child.rank += foresight << 36;
            }
        }
        // Few moves, mostly: a stable insertion sort, so that equal ranks keep the order of points.
        let children = &mut self.children[first..];
        for i in 1..children.len() {
            let mut j = i;
            while j > 0 && children[j - 1].rank < children[j].rank {
                children.swap(j - 1, j);
                j -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests;
