//! Whether one side, the attacker, can force a score that it wants under positional superko.
//!
//! As in [`super::race`], this is a depth-first search with iterative deepening. But here a move that makes a board
//! of the way, or of a given past, is illegal. So every game ends, and yes and no are both finite trees. What is
//! proven is stored with a certificate of what it rests on ([`super::certificate`]), and used again where that holds.
//! So the graph-history interaction costs nodes, never a wrong answer. Answers that rest on the heuristic at the
//! depth limit are stored without regard to the past: nothing is concluded from them.
//!
//! The key of a position contains the moves that superko forbids in it. So a ko that may be taken and one that may
//! not are two positions, as with basic ko.
//!
//! # Life
//! What lives unconditionally ([`crate::games::go::life`]) is kept by stones that take what the enemy puts into its
//! area, and superko might forbid one of them. Such a stone becomes part of a living chain. If the board with it was
//! there before, it was part of a living chain then, and no longer is. So nothing is forbidden if no stone that lived
//! before was in the area where the owner has none now. (It could only be lost by filling own eyes, so this is rare.)
//! Where one was, the search continues. With suicide there are no bounds from life.
//!
//! # Depth
//! An estimate of a position may rest on one of another position, and that on the first again, each made for a past
//! in which the other position could be reached. So estimates are used for their own depth only, and at last for
//! their own past only. Then each iteration looks at games two plies longer than the one before, and games end.

use super::answer::{Answer, AtLimit, RaceEntry};
use super::certificate::{Certificate, Certificates, MOST_BOARDS, Proof};
use super::conditional::{DEEPEST, Plies};
use super::ordering::{NO_MOVE, Ordering, code, decode};
use super::race::RaceQuestion;
use super::zobrist::{Images, Zobrist};
use crate::core::game::Side;
use crate::games::go::board::GoBoard;
use crate::games::go::life::sure;
use crate::games::go::state::{GoMove, State};
use crate::games::go::symmetry;
use crate::solvers::monitor::{INTERVAL, Monitor, Stopped};
use crate::solvers::search::Stats;
use crate::solvers::table::Table;

/// Growth of the depth limit, in plies. Even, so that the side to move at the limit stays the same.
const STEP: u32 = 2;
/// Depth from which on all children are looked up before the first is searched.
const LOOK_DEPTH: u32 = 2;
/// How many times as many plies as points are searched with the heuristic.
const HEURISTIC_PLIES: u32 = 3;
/// The same for estimates that are shared by all pasts: they can lead in circles, and then the search would not come
/// to an end.
const SHARED_PLIES: u32 = 5;

/// A position on the way.
#[derive(Debug, Clone, Copy)]
struct SuperkoStep {
    state: State,
    images: Images,
    /// Sum of the boards before this one.
    past: Images,
    /// Its key and the symmetry that the key is of.
    key: u64,
    symmetry: u8,
    /// Plies before this one have boards that can be made again: stones have left the board since. With suicide all
    /// have.
    before: usize,
    /// Points where superko forbids a stone.
    banned: u64,
    /// Black and white stones that live unconditionally, once they are known.
    alive: [u64; 2],
    /// Those that did so in a position before.
    lived: [u64; 2],
}

impl SuperkoStep {
    #[inline(always)]
    fn stones(&self) -> [u64; 2] {
        self.state.stones().into()
    }

    /// Stones that live in this position or did so before.
    #[inline(always)]
    fn have_lived(&self) -> [u64; 2] {
        [self.lived[0] | self.alive[0], self.lived[1] | self.alive[1]]
    }
}

/// A child of a node.
#[derive(Debug, Clone, Copy)]
struct SuperkoChild {
    rank: i64,
    m: GoMove,
    step: SuperkoStep,
}

/// The search for an answer.
#[derive(Debug)]
pub struct SuperkoRace<'a> {
    question: RaceQuestion,
    board: GoBoard,
    points: u64,
    zobrist: &'a Zobrist,
    salt: u64,
    table: &'a Table,
    certificates: &'a mut Certificates,
    monitor: &'a Monitor,
    /// What has been done.
    pub stats: Stats,
    reported: u64,
    ordering: Ordering,
    path: Vec<SuperkoStep>,
    /// What the answer for the position visited last rests on.
    proof: Proof,
    children: Vec<SuperkoChild>,
    life: bool,
    limit: AtLimit,
    /// Whether estimates are kept apart by the past, too.
    exact: bool,
}

impl<'a> SuperkoRace<'a> {
    /// A search for the answer.
    pub fn new(
        question: RaceQuestion,
        board: GoBoard,
        zobrist: &'a Zobrist,
        table: &'a Table,
        certificates: &'a mut Certificates,
        monitor: &'a Monitor,
    ) -> SuperkoRace<'a> {
        let RaceQuestion { attacker, target, rules } = question;
        let number = u64::from(rules.suicide) | u64::from(attacker == Side::First) << 1 | (target as u32 as u64) << 2;
        let words = [u64::from(board.width()), u64::from(board.height()), number];
        SuperkoRace {
            question,
            board,
            points: board.points(),
            zobrist,
            salt: crate::core::seed::derive(0x62, &words),
            table,
            certificates,
            monitor,
            stats: Stats::default(),
            reported: 0,
            ordering: Ordering::new(board),
            path: Vec::with_capacity(DEEPEST + 1),
            proof: Proof::NONE,
            children: Vec::with_capacity(1024),
            life: !rules.suicide,
            limit: AtLimit::Heuristic,
            exact: false,
        }
    }

    /// Whether the attacker forces it from `state`, which comes after the states of `past`; `None` if games get too
    /// long.
    ///
    /// # Errors
    /// The search is to stop.
    pub fn answer(&mut self, past: &[State], state: State) -> Result<Option<bool>, Stopped> {
        if past.len() + STEP as usize > DEEPEST {
            return Ok(None);
        }
        self.start(past, state);
        let most = DEEPEST - past.len();
        let mut depth = STEP;
        (self.limit, self.exact) = (AtLimit::Heuristic, false);
        loop {
            self.path.truncate(past.len() + 1);
            self.children.clear();
            let answer = self.visit(depth)?;
            if !answer.estimated {
                return Ok(Some(answer.yes));
            }
            if depth as usize >= most {
                return Ok(None);
            }
            depth = (depth + STEP).min(most as u32);
            if depth > HEURISTIC_PLIES * u32::from(self.board.area()) {
                self.limit = if answer.yes { AtLimit::No } else { AtLimit::Yes };
            }
            self.exact = depth > SHARED_PLIES * u32::from(self.board.area());
        }
    }

    /// Begins the path with a past and the position asked.
    fn start(&mut self, past: &[State], state: State) {
        self.path.clear();
        for (ply, &state) in past.iter().chain([&state]).enumerate() {
            let images = self.zobrist.images(state.stones());
            let mut step = SuperkoStep {
                state,
                images,
                past: Images::EMPTY,
                key: 0,
                symmetry: 0,
                // Nothing is known of the moves.
                before: ply,
                banned: 0,
                alive: [0; 2],
                lived: [0; 2],
            };
            if let Some(last) = self.path.last() {
                step.lived = last.have_lived();
                step.past = last.past;
                if last.stones() != step.stones() {
                    step.past.add(&last.images);
                }
            }
            self.finish(&mut step);
            self.live(&mut step);
            self.path.push(step);
        }
    }

    /// The best move as far as is remembered.
    pub fn hint(&mut self, past: &[State], state: State) -> Option<GoMove> {
        self.start(past, state);
        let step = self.path.last()?;
        decode(self.board, RaceEntry::get(self.table, step.key)?.best, step.symmetry)
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

    /// Finds out what superko forbids in a step that comes after the path, and its key.
    #[inline]
    fn finish(&self, step: &mut SuperkoStep) {
        step.banned = 0;
        for past in &self.path[..step.before.min(self.path.len())] {
            step.banned |= self.leads_back(&step.state, past);
        }
        let mut with_banned = step.images;
        self.zobrist.toggle(&mut with_banned, 2, step.banned);
        let (least, symmetry) = with_banned.least();
        let side = u64::from(step.state.side == self.question.attacker) | u64::from(step.state.passes) << 1;
        step.key = least ^ self.salt ^ side.wrapping_mul(0x9FB2_1C65_1E98_DF25);
        step.symmetry = symmetry % symmetry::count(self.board);
    }

    /// The points where a stone makes the board of a step, as a set.
    #[inline(always)]
    fn leads_back(&self, state: &State, past: &SuperkoStep) -> u64 {
        let State { own, enemy, side, .. } = past.state;
        let (own, enemy) = if side == state.side { (own, enemy) } else { (enemy, own) };
        state.placements_making(self.points, self.question.rules.suicide, own, enemy)
    }

    /// Finds out what lives in a step. Returns bounds of the attacker's score, and what is sure for black and for
    /// white.
    #[inline]
    fn live(&self, step: &mut SuperkoStep) -> ((i32, i32), [u64; 2]) {
        let area = self.points.count_ones() as i32;
        if !self.life {
            return ((-area, area), [0; 2]);
        }
        let State { own, enemy, side, passes, .. } = step.state;
        let (mine, theirs) = (sure(own, enemy, self.points), sure(enemy, own, self.points));
        let index = usize::from(side == Side::Second);
        step.alive[index] = mine & own;
        step.alive[1 - index] = theirs & enemy;
        // A side that passed with dead stones in its area may lose it: the game can end before they are taken.
        let theirs_kept = if passes > 0 && theirs & own != 0 { 0 } else { theirs.count_ones() as i32 };
        let (lower, upper) = (2 * mine.count_ones() as i32 - area, area - 2 * theirs_kept);
        let bounds = if side == self.question.attacker { (lower, upper) } else { (-upper, -lower) };
        (bounds, if index == 0 { [mine, theirs] } else { [theirs, mine] })
    }

    /// The colour that wins with an answer: 0 for black.
    #[inline(always)]
    fn winner(&self, yes: bool) -> usize {
        usize::from((self.question.attacker == Side::First) != yes)
    }

    #[inline(always)]
    fn of_attacker(&self, state: &State, score: i32) -> i32 {
        if state.side == self.question.attacker { score } else { -score }
    }

    /// Whether a game that is as good as over is won by the attacker.
    #[inline(always)]
    fn at_end(&self, state: &State) -> Option<bool> {
        if state.passes == 0 {
            return None;
        }
        // A second pass ends the game. (A side that does not want that plays on.)
        let reached = self.of_attacker(state, state.score(self.points)) >= self.question.target;
        (state.passes > 1 || reached == (state.side == self.question.attacker)).then_some(reached)
    }

    /// What is proven of a step that comes after the path, and what that rests on.
    #[inline]
    fn recall(&self, step: &SuperkoStep) -> Option<(bool, Proof)> {
        let SuperkoStep { state, key, symmetry, .. } = *step;
        let stones = step.stones();
        'known: for known in self.certificates.get(key) {
            let same = known.past == step.past.of(symmetry);
            if !same && usize::from(known.count) > MOST_BOARDS {
                continue;
            }
            let area = symmetry::unapply(self.board, symmetry, known.area);
            if !same && step.lived[self.winner(known.yes)] & area != 0 {
                continue;
            }
            let mut proof = Proof { rests: Plies::NONE, made: known.made, area };
            if usize::from(known.count) > MOST_BOARDS {
                proof.rests = Plies::below(self.path.len());
            } else {
                for &board in &known.boards[..known.count.into()] {
                    let Some(ply) = self.path.iter().rposition(|past| past.images.of(symmetry) == board) else {
                        continue 'known;
                    };
                    proof.rests.add(&Plies::one(ply));
                }
            }
            if !known.made.is_empty() {
                proof.made = known.made.carried(|set| symmetry::unapply(self.board, symmetry, set));
                if !same {
                    for past in &self.path {
                        let other = past.stones();
                        if proof.made.may_hold(other, past.images.least().0) && other != stones {
                            continue 'known;
                        }
                    }
                }
            }
            if known.yes != (state.side == self.question.attacker) && step.banned != 0 {
                // The loser is to move; what is forbidden to it is in the key.
                proof.rests.add(&self.banning(step));
            }
            return Some((known.yes, proof));
        }
        None
    }

    /// The plies that forbid moves of a step that comes after the path.
    fn banning(&self, step: &SuperkoStep) -> Plies {
        let mut plies = Plies::NONE;
        let mut left = step.banned;
        while left != 0 {
            let bit = left & left.wrapping_neg();
            left &= left - 1;
            let ply = self.path.iter().rposition(|past| self.leads_back(&step.state, past) & bit != 0);
            plies.add(&ply.map_or(Plies::NONE, Plies::one));
        }
        plies
    }

    /// Stores what is proven of the last step of the path. Takes its own board, and all below, off what it rests on.
    fn store(&mut self, yes: bool, proof: &mut Proof, best: u8, nodes: u64) {
        let ply = self.path.len() - 1;
        let step = self.path[ply];
        proof.rests = proof.rests.above(ply);
        let mut rests = proof.rests;
        if yes != (step.state.side == self.question.attacker) && step.banned != 0 {
            // The key tells these.
            self.path.truncate(ply);
            rests.remove(&self.banning(&step));
            self.path.push(step);
        }
        let mut boards = [0; MOST_BOARDS];
        let mut count = 0;
        while let Some(ply) = rests.deepest() {
            rests = rests.above(ply);
            if count == MOST_BOARDS {
                count += 1;
                break;
            }
            boards[count] = self.path[ply].images.of(step.symmetry);
            count += 1;
        }
        if count > MOST_BOARDS {
            boards = [0; MOST_BOARDS];
        }
        boards.sort_unstable();
        boards.reverse();
        self.certificates.put(Certificate {
            key: step.key,
            past: step.past.of(step.symmetry),
            boards,
            count: count as u8,
            yes,
            area: symmetry::apply(self.board, step.symmetry, proof.area),
            effort: (64 - nodes.leading_zeros()).clamp(1, 63) as u8,
            made: proof.made.carried(|set| symmetry::apply(self.board, step.symmetry, set)),
        });
        let guess = Answer { yes, estimated: true };
        RaceEntry { answer: guess, depth: 0, limit: self.limit, best }.put(self.table, step.key, nodes);
    }

    /// Answers for the position at the end of the path, `depth` plies deep. What a proven answer rests on is in
    /// `proof`.
    fn visit(&mut self, depth: u32) -> Result<Answer, Stopped> {
        self.stats.nodes += 1;
        if self.stats.nodes - self.reported >= INTERVAL {
            self.report()?;
        }
        let ply = self.path.len() - 1;
        let mut step = self.path[ply];
        let state = step.state;
        let attacks = state.side == self.question.attacker;
        let target = self.question.target;
        let proven = |yes| Answer { yes, estimated: false };
        if let Some(yes) = self.at_end(&state) {
            self.proof = Proof::NONE;
            return Ok(proven(yes));
        }
        self.path.truncate(ply);
        let known = self.recall(&step);
        let (bounds, areas) = if known.is_none() { self.live(&mut step) } else { ((0, 0), [0; 2]) };
        self.path.push(step);
        if let Some((yes, proof)) = known {
            self.stats.table_cutoffs += 1;
            self.proof = proof;
            return Ok(proven(yes));
        }
        if self.life && (bounds.0 >= target || bounds.1 < target) {
            let yes = bounds.0 >= target;
            let colour = self.winner(yes);
            let area = areas[colour] & !step.stones()[colour];
            if step.lived[colour] & area == 0 {
                self.stats.bound_cutoffs += 1;
                self.proof = Proof { area, ..Proof::NONE };
                return Ok(proven(yes));
            }
        }
        let (estimate, mut best) = self.estimate(&step, depth);
        if let Some(answer) = estimate {
            self.stats.table_cutoffs += 1;
            return Ok(answer);
        }
        if depth == 0 || ply >= DEEPEST {
            self.stats.estimates += 1;
            let yes = match self.limit {
                AtLimit::Heuristic => self.of_attacker(&state, state.heuristic(self.points)) >= 10 * target,
                AtLimit::Yes => true,
                AtLimit::No => false,
            };
            return Ok(Answer { yes, estimated: true });
        }
        let begun = self.stats.nodes;
        let first = self.children.len();
        self.make_children(&step);
        if depth >= LOOK_DEPTH
            && let Some(answer) = self.cut_off_by_child(&step, first, depth)
        {
            self.children.truncate(first);
            self.stats.transposition_cutoffs += 1;
            return Ok(answer);
        }
        for child in &mut self.children[first..] {
            let remembered = best != NO_MOVE && code(self.board, child.m, step.symmetry) == best;
            child.rank = self.ordering.rank(ply, &state, child.m, remembered);
        }
        let mut answer = Answer { yes: !attacks, estimated: false };
        let mut proof = Proof::NONE;
        let last = self.children.len();
        for i in first..last {
            self.bring_best(i);
            self.path.push(self.children[i].step);
            let of_child = self.visit(depth - 1)?;
            self.path.truncate(ply + 1);
            if of_child.yes == attacks {
                answer = of_child;
                let child = &self.children[i];
                best = code(self.board, child.m, step.symmetry);
                if !answer.estimated {
                    proof = self.proof;
                    self.made(&mut proof, child);
                }
                self.stats.cutoffs += 1;
                self.stats.first_move_cutoffs += u64::from(i == first);
                self.ordering.cut_off(ply, &state, child.m);
                break;
            }
            answer.estimated |= of_child.estimated;
            if !answer.estimated {
                proof.join(&self.proof);
            }
        }
        self.children.truncate(first);
        let nodes = self.stats.nodes - begun;
        if answer.estimated {
            RaceEntry { answer, depth: depth.min(254), limit: self.limit, best }.put(
                self.table,
                self.guess_key(&step),
                nodes,
            );
        } else {
            if answer.yes != attacks && step.banned != 0 {
                self.path.truncate(ply);
                proof.rests.add(&self.banning(&step));
                self.path.push(step);
            }
            self.store(answer.yes, &mut proof, best, nodes);
            self.proof = proof;
        }
        Ok(answer)
    }

    /// The estimate for a position. It is one of its depth alone: a deeper one may rest on this very position.
    #[inline]
    fn estimate(&self, step: &SuperkoStep, depth: u32) -> (Option<Answer>, u8) {
        match RaceEntry::get(self.table, self.guess_key(step)) {
            Some(entry) if entry.limit == self.limit && entry.depth == depth => {
                (Some(Answer { estimated: true, ..entry.answer }), entry.best)
            }
            entry => (None, entry.map_or(NO_MOVE, |entry| entry.best)),
        }
    }

    #[inline(always)]
    fn guess_key(&self, step: &SuperkoStep) -> u64 {
        if self.exact { step.key ^ step.past.of(step.symmetry) } else { step.key }
    }

    /// The winner moves to a child: what its stones make.
    #[inline(always)]
    fn made(&self, proof: &mut Proof, child: &SuperkoChild) {
        if child.m != GoMove::PASS {
            proof.made.add(child.step.stones(), child.step.images.least().0);
        }
    }

    #[inline]
    fn make_children(&mut self, step: &SuperkoStep) {
        let SuperkoStep { state, images, .. } = step;
        let mut placements = state.placements(self.points, self.question.rules.suicide) & !step.banned;
        let (mine, theirs) = if state.side == Side::First { (0, 1) } else { (1, 0) };
        let mut past = step.past;
        past.add(images);
        let count = (state.own | state.enemy).count_ones();
        let lived = step.have_lived();
        while placements != 0 {
            let m = GoMove(placements.trailing_zeros() as u8);
            placements &= placements - 1;
            let after = state.play(self.points, self.question.rules, m);
            let mut of_child = *images;
            self.zobrist.toggle(&mut of_child, mine, after.enemy ^ state.own);
            self.zobrist.toggle(&mut of_child, theirs, after.own ^ state.enemy);
            let takes = (after.own | after.enemy).count_ones() <= count;
            let before = if takes || self.question.rules.suicide { self.path.len() } else { step.before };
            let mut next = SuperkoStep { state: after, images: of_child, past, before, lived, ..*step };
            self.finish(&mut next);
            self.children.push(SuperkoChild { rank: 0, m, step: next });
        }
        let after = state.play(self.points, self.question.rules, GoMove::PASS);
        let before = if self.question.rules.suicide { self.path.len() } else { step.before };
        let mut next = SuperkoStep { state: after, before, lived, ..*step };
        self.finish(&mut next);
        self.children.push(SuperkoChild { rank: 0, m: GoMove::PASS, step: next });
    }

    /// An answer that a child's gives at once.
    #[inline]
    fn cut_off_by_child(&mut self, step: &SuperkoStep, first: usize, depth: u32) -> Option<Answer> {
        let attacks = step.state.side == self.question.attacker;
        for i in first..self.children.len() {
            self.table.prefetch(self.children[i].step.key);
        }
        for i in first..self.children.len() {
            let child = self.children[i];
            if let Some((yes, mut proof)) = self.recall(&child.step)
                && yes == attacks
            {
                self.made(&mut proof, &child);
                let best = code(self.board, child.m, step.symmetry);
                self.store(yes, &mut proof, best, 1);
                self.proof = proof;
                return Some(Answer { yes, estimated: false });
            }
        }
        (self.children[first..].iter())
            .find_map(|child| self.estimate(&child.step, depth - 1).0.filter(|answer| answer.yes == attacks))
    }

    /// Brings the most promising child that is left to the front of `children[first..]`.
    #[inline]
    fn bring_best(&mut self, first: usize) {
        let mut best = first;
        for i in first + 1..self.children.len() {
            if self.children[i].rank > self.children[best].rank {
                best = i;
            }
        }
        self.children.swap(first, best);
    }
}
