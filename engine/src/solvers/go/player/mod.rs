//! A player of Go on boards of all sizes: Monte Carlo tree search (R. Coulom 2006; L. Kocsis and C. Szepesvári 2006)
//! with playouts that are random but for answers to atari ([`playout`]), and a tree that learns from them ([`tree`]).
//!
//! The tree knows the rules in force, superko and cycles among them. A playout knows basic ko only and is cut off
//! when it is long. It is worth 1 if it is won and 0 if it is lost, with a small part for the score, so that a side
//! that is sure of either still plays for points. Own eyes are not filled. Boards of up to 16 points are solved
//! exactly instead, where the budget lets it.
//!
//! A node of a budget is a playout. The depth of a budget means nothing here. A level has so many playouts at most.

pub mod playout;
pub mod tree;

use self::playout::{NOWHERE, PlayoutBoard};
use self::tree::{UctEdge, UctTree};
use crate::core::game::{Budget, Chosen, Game, Level, Player, Side, ToldMoves, Value};
use crate::core::seed::{Rng, rng};
use crate::games::go::large::position::LargePosition;
use crate::games::go::notation::Goban;
use crate::games::go::position::GoPosition;
use crate::solvers::monitor::Watch;
use crate::solvers::player::all_moves::AllMoves;
use crate::solvers::player::budget::BudgetWatch;
use crate::solvers::player::ending::finish;
use crate::solvers::solvable::Solvable;
use crate::solvers::table::{LEAST_BYTES, Table, TableError};

/// Most playouts of levels 1 to 9.
const PLAYOUTS: [u64; 9] = [8, 20, 50, 120, 300, 800, 2000, 5000, 12_000];
/// Playouts between two looks at the budget.
const BETWEEN: u64 = 8;
/// Most plies of the tree.
const DEEPEST: usize = 120;
/// How much of a playout's worth is its score.
const PART_OF_SCORE: f32 = 0.1;
/// Part of the budget that is spent on solving a small board at most.
const PART_TO_SOLVE: f64 = 0.5;
/// Playouts that a pass gets before it is judged beside the best move.
const PASSES: u32 = 32;
/// What a pass may be worse than the best move where the game is decided, in worth and in points.
const PASS_WORSE: (f32, f32) = (0.02, 0.6);
/// From this mean on a game is taken to be decided, and below 1 less it.
const SURE: f32 = 0.9;
/// Most moves of a line.
const LONGEST: usize = 12;

/// A position of Go on some board.
pub trait UctPosition: Goban + Clone {
    /// The exact value and a line of best play, if the board is one that is solved and the budget lets it.
    fn solved(&self, _table: &Table, _watch: &BudgetWatch<'_>) -> Option<(Value, Vec<Self::Move>)> {
        None
    }

    /// Whether what is known of positions of that game holds in this one: the same board under the same rules.
    fn is_same_game(&self, _other: &Self) -> bool {
        true
    }
}

impl UctPosition for LargePosition {}

impl UctPosition for GoPosition {
    fn solved(&self, table: &Table, watch: &BudgetWatch<'_>) -> Option<(Value, Vec<Self::Move>)> {
        let mut start = self.clone();
        start.forget();
        start.ending().filter(|ending| ending.nodes <= watch.left())?;
        let found = finish(&start, table, (watch, PART_TO_SOLVE), 0, LONGEST)?;
        // What repeats a position of the past is worth something else.
        let mut after = self.clone();
        after.play(*found.1.first()?);
        after.repeated().is_none().then_some(found)
    }

    fn is_same_game(&self, other: &Self) -> bool {
        self.shares_tables(other)
    }
}

/// A player of Go.
#[derive(Debug)]
pub struct UctPlayer<P: Game> {
    tree: UctTree<P::Move>,
    /// For what is solved exactly.
    table: Table,
    level: Level,
    /// What white gets beside its area, in tenths of a point.
    komi: Value,
    seed: u64,
    random: Rng,
    /// The last position, for which the table is.
    last: Option<P>,
}

impl<P: UctPosition> UctPlayer<P> {
    /// A player at full strength whose tree and table take so many bytes, about. The same seed gives the same moves.
    ///
    /// # Errors
    /// The memory cannot be had.
    pub fn new(memory: u64, seed: u64) -> Result<UctPlayer<P>, TableError> {
        let table = Table::new((memory / 4).max(LEAST_BYTES))?;
        let tree = UctTree::new(memory - memory / 4);
        Ok(UctPlayer { tree, table, level: Level::FULL, komi: 0, seed, random: rng(seed, &[]), last: None })
    }

    /// Another seed of the playouts.
    pub fn set_seed(&mut self, seed: u64) {
        (self.seed, self.random) = (seed, rng(seed, &[]));
    }

    /// What white gets beside its area from now on, in tenths of a point.
    pub fn set_komi(&mut self, komi: Value) {
        self.komi = komi;
    }
}

impl<P: UctPosition> Player<P> for UctPlayer<P> {
    fn choose(
        &mut self,
        position: &P,
        budget: &mut Budget<'_>,
        told: &mut dyn FnMut(&Chosen<P::Move>),
    ) -> Option<Chosen<P::Move>> {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let fallback = moves.iter().copied().rev().max_by_key(|&m| position.prior(m))?;
        let watch = BudgetWatch::new(budget);
        self.begin(position);
        if self.level == Level::FULL
            && let Some((value, line)) = position.solved(&self.table, &watch)
        {
            let (depth, nodes) = (line.len() as u32, watch.nodes());
            let value = value + if position.side() == Side::First { -self.komi } else { self.komi };
            let chosen = Chosen { line, value, decided_in: Some(depth), depth, nodes };
            told(&chosen);
            return Some(chosen);
        }
        let playouts = self.playouts();
        Some(self.search(position).run(fallback, playouts, &watch, told))
    }

    fn analyse(
        &mut self,
        position: &P,
        most: usize,
        budget: &mut Budget<'_>,
        told: ToldMoves<'_, P::Move>,
    ) -> Vec<Chosen<P::Move>> {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if moves.is_empty() {
            return Vec::new();
        }
        let watch = BudgetWatch::new(budget);
        self.begin(position);
        if self.level == Level::FULL {
            let komi = if position.side() == Side::First { -self.komi } else { self.komi };
            let mut all = AllMoves::new(moves, most);
            if all.iterate(|m, _| solved_after(position, m, &self.table, &watch, komi)) {
                told(&all.best);
                return all.best;
            }
        }
        let playouts = self.playouts();
        self.search(position).analyse(most, playouts, &watch, told)
    }

    fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    fn forget(&mut self) {
        self.table.clear();
        self.tree.clear();
        self.random = rng(self.seed, &[]);
    }
}

impl<P: UctPosition> UctPlayer<P> {
    /// Gets ready for a position.
    fn begin(&mut self, position: &P) {
        if self.last.as_ref().is_some_and(|last| !last.is_same_game(position)) {
            self.table.clear();
        }
        self.last = Some(position.clone());
    }

    /// Most playouts of a move at its level.
    fn playouts(&self) -> u64 {
        match self.level.number() {
            10.. => u64::MAX,
            number => PLAYOUTS[usize::from(number.clamp(1, 9)) - 1],
        }
    }

    /// A search of a position, with an empty tree.
    fn search<'s>(&'s mut self, position: &'s P) -> UctSearch<'s, P> {
        self.tree.clear();
        UctSearch {
            root: position,
            position: position.clone(),
            board: board_of(position),
            tree: &mut self.tree,
            random: &mut self.random,
            komi: self.komi,
            path: Vec::new(),
            moves: Vec::new(),
            owners: Vec::new(),
        }
    }
}

/// The exact value of a move, to which `komi` is added, with a line of best play after it.
fn solved_after<P: UctPosition>(
    position: &P,
    m: P::Move,
    table: &Table,
    watch: &BudgetWatch<'_>,
    komi: Value,
) -> Option<Chosen<P::Move>> {
    let (before, mut after, mut moves) = (watch.nodes(), position.clone(), Vec::new());
    after.play(m);
    after.moves(&mut moves);
    let (value, rest) = if moves.is_empty() { (after.outcome(), Vec::new()) } else { after.solved(table, watch)? };
    let line: Vec<P::Move> = std::iter::once(m).chain(rest).collect();
    let depth = line.len() as u32;
    Some(Chosen { line, value: komi - value, decided_in: Some(depth), depth, nodes: watch.nodes() - before })
}

/// The board of a position for playouts.
fn board_of<P: Goban>(position: &P) -> PlayoutBoard {
    let (width, height) = position.columns_and_rows();
    let mut board = PlayoutBoard::new(width, height);
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    for place in places {
        if let Some(side) = position.stone(place) {
            let point = board.point(place);
            board.put(point, side);
        }
    }
    let ko = position.ko_and_pass().0.map_or(NOWHERE, |place| board.point(place));
    board.begin(ko);
    board
}

/// The search of one position.
struct UctSearch<'s, P: Goban> {
    root: &'s P,
    /// The position that the tree is left at, played from the root and back.
    position: P,
    board: PlayoutBoard,
    tree: &'s mut UctTree<P::Move>,
    random: &'s mut Rng,
    komi: Value,
    /// Nodes with the places of the moves chosen there.
    path: Vec<(u32, usize)>,
    /// What a playout has played.
    moves: Vec<(u16, Side)>,
    /// Which side was the first to play on each point.
    owners: Vec<Option<Side>>,
}

impl<P: UctPosition> UctSearch<'_, P> {
    fn run(
        &mut self,
        fallback: P::Move,
        playouts: u64,
        watch: &BudgetWatch<'_>,
        told: &mut dyn FnMut(&Chosen<P::Move>),
    ) -> Chosen<P::Move> {
        let before = watch.nodes();
        let done = |watch: &BudgetWatch<'_>| watch.nodes() - before;
        self.expand();
        let mut next_told = 1000;
        let mut best = Chosen { line: vec![fallback], value: 0, decided_in: None, depth: 0, nodes: 0 };
        // A single move is made anyway.
        let playouts = if self.tree.edges(0).len() == 1 { playouts.min(1) } else { playouts };
        while watch.part() < 1.0 && done(watch) < playouts {
            let batch = BETWEEN.min(playouts - done(watch)).min(watch.left());
            (0..batch).for_each(|_| self.playout(None));
            if watch.report(batch).is_err() {
                break;
            }
            if done(watch) >= next_told {
                best = self.chosen(self.most_visited(), watch);
                told(&best);
                next_told *= 2;
            }
        }
        if done(watch) > 0 {
            best = self.chosen(self.most_visited(), watch);
        }
        if let Some(pass) = self.pass_instead(watch, done(watch)) {
            best = self.chosen(pass, watch);
        }
        best.nodes = watch.nodes();
        told(&best);
        best
    }

    /// The moves with most playouts, their mean scores and how many playouts each has.
    fn analyse(
        &mut self,
        most: usize,
        playouts: u64,
        watch: &BudgetWatch<'_>,
        told: ToldMoves<'_, P::Move>,
    ) -> Vec<Chosen<P::Move>> {
        let before = watch.nodes();
        self.expand();
        let mut next_told = 1000;
        loop {
            let done = watch.nodes() - before;
            let batch = BETWEEN.min(playouts.saturating_sub(done)).min(watch.left());
            let is_over = batch == 0 || watch.part() >= 1.0;
            if !is_over {
                (0..batch).for_each(|_| self.playout(None));
            }
            if is_over || watch.report(batch).is_err() {
                return self.ranked(most, watch);
            }
            if watch.nodes() - before >= next_told {
                told(&self.ranked(most, watch));
                next_told *= 2;
            }
        }
    }

    /// The moves with most playouts, `most` of them at most.
    fn ranked(&self, most: usize, watch: &BudgetWatch<'_>) -> Vec<Chosen<P::Move>> {
        let edges = self.tree.edges(0);
        let mut places: Vec<usize> = (0..edges.len()).collect();
        places.sort_by(|&a, &b| {
            let (a, b) = (&edges[a], &edges[b]);
            b.visits.cmp(&a.visits).then(b.mean().total_cmp(&a.mean()))
        });
        let chosen = |place: usize| Chosen { nodes: edges[place].visits.into(), ..self.chosen(place, watch) };
        places.into_iter().take(most).map(chosen).collect()
    }

    /// The place of the move with most playouts, among those alike the better one.
    fn most_visited(&self) -> usize {
        let edges = self.tree.edges(0);
        let better = |&a: &usize, &b: &usize| {
            let (a, b) = (&edges[a], &edges[b]);
            (a.visits, a.mean()).partial_cmp(&(b.visits, b.mean())).unwrap_or(std::cmp::Ordering::Equal)
        };
        (0..edges.len()).max_by(better).unwrap_or(0)
    }

    /// The place of the pass, if the game is decided and the pass costs nothing: so games end.
    fn pass_instead(&mut self, watch: &BudgetWatch<'_>, done: u64) -> Option<usize> {
        let pass = self.tree.edges(0).iter().position(|edge| edge.point == NOWHERE)?;
        if self.root.ko_and_pass().1 {
            // The pass ends the game: its worth is known.
            let mut after = self.root.clone();
            after.play(self.tree.edges(0)[pass].m);
            let (worth, _) = self.worth_of_end(&after);
            let worth = if self.root.side() == Side::First { worth } else { 1.0 - worth };
            if worth > 0.5 {
                return Some(pass);
            }
        }
        let best = self.tree.edges(0)[self.most_visited()];
        let is_decided = best.mean() >= SURE || best.mean() <= 1.0 - SURE;
        if !is_decided || done < u64::from(PASSES) {
            return None;
        }
        let more = PASSES.saturating_sub(self.tree.edges(0)[pass].visits);
        for _ in 0..more {
            if watch.report(1).is_err() {
                break;
            }
            self.playout(Some(pass));
        }
        let edge = &self.tree.edges(0)[pass];
        let costs_nothing =
            edge.mean() >= best.mean() - PASS_WORSE.0 && edge.mean_score() >= best.mean_score() - PASS_WORSE.1;
        (edge.visits >= PASSES && costs_nothing).then_some(pass)
    }

    fn chosen(&self, place: usize, watch: &BudgetWatch<'_>) -> Chosen<P::Move> {
        let edge = &self.tree.edges(0)[place];
        let (mut line, mut node) = (vec![edge.m], edge.child);
        while node != 0 && line.len() < LONGEST {
            let Some(next) = self.tree.edges(node).iter().max_by_key(|edge| edge.visits) else { break };
            if next.visits == 0 {
                break;
            }
            line.push(next.m);
            node = next.child;
        }
        let value = (P::POINT as f32 * edge.mean_score()).round() as Value;
        let depth = line.len() as u32;
        Chosen { line, value, decided_in: None, depth, nodes: watch.nodes() }
    }

    /// Makes a node of the position that the search is at. It has no moves if the game is over.
    fn expand(&mut self) -> Option<u32> {
        let (mut moves, side) = (Vec::new(), self.position.side());
        self.position.moves(&mut moves);
        let (position, board) = (&self.position, &self.board);
        let edges = moves.into_iter().filter_map(|m| match position.place_of(m) {
            None => Some(UctEdge::new(m, NOWHERE, if position.ko_and_pass().1 { 0.0 } else { -0.6 })),
            Some(place) => {
                let point = board.point(place);
                (!board.is_eye(point, side)).then(|| UctEdge::new(m, point, board.promise(point, side)))
            }
        });
        self.tree.add(edges)
    }

    /// What a finished game is worth to black, 0 to 1, and its score with komi in points.
    fn worth_of_end(&self, position: &P) -> (f32, f32) {
        let of_black = if position.side() == Side::First { position.outcome() } else { -position.outcome() };
        // A cycle that is a tie is one whatever the komi is.
        let is_tie = position.repeated().is_some() && of_black == 0;
        self.worth(if is_tie { 0 } else { of_black - self.komi })
    }

    /// What a score of black's, in tenths of a point, is worth to it, and the score in points.
    fn worth(&self, score: Value) -> (f32, f32) {
        let (width, height) = self.root.columns_and_rows();
        let area = P::POINT as f32 * f32::from(width) * f32::from(height);
        let part = (score as f32 / area).clamp(-1.0, 1.0);
        let worth = 0.5 + 0.5 * ((1.0 - PART_OF_SCORE) * score.signum() as f32 + PART_OF_SCORE * part);
        (worth, score as f32 / P::POINT as f32)
    }

    /// One playout, from the root through the tree; `first` is the place of the first move if it is given.
    fn playout(&mut self, first: Option<usize>) {
        let mut board = self.board.clone();
        std::mem::swap(&mut board, &mut self.board);
        // `self.board` is played on now; `board` is that of the root.
        let (mut node, mut undos) = (0, Vec::new());
        self.path.clear();
        self.moves.clear();
        let mut over = false;
        loop {
            if self.tree.edges(node).is_empty() {
                over = true;
                break;
            }
            let place = match first {
                Some(place) if node == 0 => place,
                _ => self.tree.choose(node),
            };
            let edge = self.tree.edges(node)[place];
            self.path.push((node, place));
            let side = self.position.side();
            undos.push((edge.m, self.position.play(edge.m)));
            if edge.point == NOWHERE {
                self.board.pass();
            } else {
                self.board.put(edge.point, side);
                self.moves.push((edge.point, side));
            }
            if edge.child != 0 && self.path.len() < DEEPEST {
                node = edge.child;
                continue;
            }
            // The first playout through a move adds its node.
            if edge.child == 0
                && let Some(child) = self.expand()
            {
                self.tree.edges_mut(node)[place].child = child;
                over = self.tree.edges(child).is_empty();
            }
            break;
        }
        let (worth, score) = if over {
            let position = &self.position;
            self.worth_of_end(position)
        } else {
            self.board.play_out(self.position.side(), self.random, &mut self.moves);
            self.worth(P::POINT * self.board.score() - self.komi)
        };
        while let Some((m, undo)) = undos.pop() {
            self.position.undo(m, undo);
        }
        self.board = board;
        self.learn(worth, score);
    }

    /// Puts what a playout came to into the nodes that it passed.
    fn learn(&mut self, worth: f32, score: f32) {
        self.owners.clear();
        self.owners.resize(self.board.numbers(), None);
        let root = self.root.side();
        let mut moves = self.moves.len();
        // From the end to the root, so that what was played first on a point is noted last.
        let in_tree: usize =
            self.path.iter().filter(|&&(node, place)| self.tree.edges(node)[place].point != NOWHERE).count();
        while moves > in_tree {
            moves -= 1;
            let (point, side) = self.moves[moves];
            self.owners[usize::from(point)] = Some(side);
        }
        for (ply, &(node, place)) in self.path.iter().enumerate().rev() {
            let side = if ply % 2 == 0 { root } else { root.other() };
            let (own, points) = if side == Side::First { (worth, score) } else { (1.0 - worth, -score) };
            let point = self.tree.edges(node)[place].point;
            if point != NOWHERE {
                self.owners[usize::from(point)] = Some(side);
            }
            let owners = &self.owners;
            let edges = self.tree.edges_mut(node);
            edges[place].visits += 1;
            edges[place].worth += own;
            edges[place].score += points;
            for edge in edges.iter_mut().filter(|edge| edge.point != NOWHERE) {
                if owners[usize::from(edge.point)] == Some(side) {
                    edge.add_later(own);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
