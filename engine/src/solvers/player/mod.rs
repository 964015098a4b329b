//! A player for any game that can be solved: iterative deepening over a search of some plies with the game's
//! own estimate ([`plies`]), and the game's own engine for the end of the game as soon as that is probably within
//! reach.
//!
//! Moves are searched in the order of the iteration before (principal variation search at the root, too), so an
//! iteration that the budget cuts short still counts: its first move is the best one known, and what beats it is
//! better. A level sees as many plies as its number, and twice as many at the end of the game; level 10 sees as far
//! as the budget goes.
//!
//! A search of `n` nodes visits at most `n + n / 16 + 4096`: that is how often it looks at its budget, and what the
//! engine of Reversi may visit between two looks.

pub mod all_moves;
pub mod budget;
pub mod ending;
pub mod opening;
pub mod plies;

use self::all_moves::{AllMoves, NO_BOUND};
use self::budget::BudgetWatch;
use self::ending::{GameEnding, finish};
use self::plies::PlySearch;
use super::monitor::Stopped;
use super::search::LOWEST;
use super::solvable::Solvable;
use super::table::{Table, TableError};
use crate::core::game::{Budget, Chosen, Game, Level, MAX_VALUE, Player, ToldMoves, Value};
use std::cmp::Reverse;

/// Most plies that are ever asked for.
const DEEPEST: u32 = 100;
/// Part of the budget after which no further depth is begun.
const LAST_START: f64 = 0.9;
/// The same where there is one move only: it is made anyway, and the search says what it is worth.
const LAST_START_OF_ONE: f64 = 0.01;
/// Part of the budget that is searched before the end of the game is tried.
const BEFORE_ENDING: f64 = 0.1;
/// An ending of so few nodes is tried at once.
const SMALL_ENDING: u64 = 20_000;
/// Nodes of an ending that are worth one of the general search: its engine is faster, and most of the budget is left.
const ENDING_RATIO: u64 = 150;
/// Most moves of a line.
const LONGEST: usize = 12;

/// A player of a game that can be solved, with its memory.
#[derive(Debug)]
pub struct SearchPlayer<G: Solvable> {
    /// What its estimate is made of.
    estimate: G::Estimate,
    /// What the general search knows of positions.
    table: Table,
    /// What the game's own engine knows: it has a format of its own.
    solved: Table,
    level: Level,
    /// The last position, for which the tables are.
    last: Option<G>,
}

impl<G: Solvable> SearchPlayer<G> {
    /// A player at full strength with tables of so many bytes together.
    ///
    /// # Errors
    /// The memory cannot be had.
    pub fn new(memory: u64) -> Result<SearchPlayer<G>, TableError> {
        let (table, solved) = (Table::new(memory / 2)?, Table::new(memory / 2)?);
        Ok(SearchPlayer { estimate: G::Estimate::default(), table, solved, level: Level::FULL, last: None })
    }
}

impl<G: Solvable> SearchPlayer<G> {
    /// Changes what its estimate is made of, and forgets what it knows.
    pub fn change_estimate(&mut self, change: impl FnOnce(&mut G::Estimate)) {
        change(&mut self.estimate);
        self.forget_all();
    }

    fn forget_all(&mut self) {
        self.table.clear();
        self.solved.clear();
    }

    /// Gets ready for a position with these moves: their search, and the plies that it searches at most.
    fn begin<'s>(
        &'s mut self,
        asked: &'s G,
        moves: Vec<G::Move>,
        depth: u32,
        watch: &'s BudgetWatch<'s>,
    ) -> (MovesSearch<'s, G>, u32) {
        if self.last.as_ref().is_some_and(|last| !last.shares_tables(asked)) {
            self.forget_all();
        }
        self.last = Some(asked.clone());
        self.table.next_generation();
        self.solved.next_generation();
        let (deepest, to_the_end) = sight(self.level);
        let mut start = asked.clone();
        start.forget();
        // The end may be tried if the level sees it.
        let ending = start.ending().filter(|ending| ending.plies <= to_the_end.min(depth));
        let SearchPlayer { estimate, table, solved, .. } = &*self;
        (MovesSearch { asked, start, moves, estimate, table, solved, ending, watch }, depth.clamp(1, deepest))
    }
}

/// Plies that a level sees, and those that it sees to the end of the game.
fn sight(level: Level) -> (u32, u32) {
    match level.number() {
        10.. => (DEEPEST, u32::MAX),
        number => (u32::from(number), 2 * u32::from(number)),
    }
}

impl<G: Solvable> Player<G> for SearchPlayer<G> {
    fn choose(
        &mut self,
        position: &G,
        budget: &mut Budget<'_>,
        told: &mut dyn FnMut(&Chosen<G::Move>),
    ) -> Option<Chosen<G::Move>> {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        // The first of those that look best.
        let fallback = moves.iter().copied().rev().max_by_key(|&m| position.prior(m))?;
        let depth = budget.depth;
        let watch = BudgetWatch::new(budget);
        let (mut root, depth) = self.begin(position, moves, depth, &watch);
        Some(root.choose(fallback, depth, told))
    }

    fn analyse(
        &mut self,
        position: &G,
        most: usize,
        budget: &mut Budget<'_>,
        told: ToldMoves<'_, G::Move>,
    ) -> Vec<Chosen<G::Move>> {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if moves.is_empty() {
            return Vec::new();
        }
        moves.sort_by_key(|&m| Reverse(position.prior(m)));
        let depth = budget.depth;
        let watch = BudgetWatch::new(budget);
        let (mut root, depth) = self.begin(position, moves, depth, &watch);
        root.analyse(most, depth, told)
    }

    fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    fn forget(&mut self) {
        self.forget_all();
    }
}

/// The search of the moves of the position that was asked about.
struct MovesSearch<'s, G: Solvable> {
    /// The position with its past, which may forbid moves that the search does not know to be forbidden.
    asked: &'s G,
    start: G,
    /// The legal moves, the best one known in front.
    moves: Vec<G::Move>,
    estimate: &'s G::Estimate,
    table: &'s Table,
    solved: &'s Table,
    /// The end of the game, while it has not been tried.
    ending: Option<GameEnding>,
    watch: &'s BudgetWatch<'s>,
}

impl<G: Solvable> MovesSearch<'_, G> {
    fn choose(&mut self, fallback: G::Move, deepest: u32, told: &mut dyn FnMut(&Chosen<G::Move>)) -> Chosen<G::Move> {
        self.put_first(fallback);
        let (table, watch) = (self.table, self.watch);
        let mut best = Chosen { line: vec![fallback], value: 0, decided_in: None, depth: 0, nodes: 0 };
        let last_start = if self.moves.len() == 1 { LAST_START_OF_ONE } else { LAST_START };
        let mut search = self.start.plies(self.estimate, table, watch);
        for depth in 1..=deepest {
            search.take_estimated();
            let iteration = self.iterate(&mut search, depth);
            if let Some((m, value)) = iteration.best {
                self.put_first(m);
                if iteration.is_whole {
                    best.line = self.line_from(m);
                    (best.value, best.depth) = (value, depth);
                } else if best.line.first() != Some(&m) {
                    (best.line, best.value) = (vec![m], value);
                }
            }
            if !iteration.is_whole || search.report().is_err() {
                break;
            }
            best.nodes = watch.nodes();
            best.decided_in = (!search.take_estimated()).then_some(depth);
            told(&best);
            if best.decided_in.is_some() {
                return best;
            }
            if self.ending_is_near()
                && let Some(found) = self.finished(best.value)
            {
                told(&found);
                return found;
            }
            if watch.part() >= last_start {
                break;
            }
        }
        if self.moves.len() == 1 {
            // A large ending would take what is left.
            self.ending = self.ending.filter(|ending| ending.nodes <= SMALL_ENDING);
        }
        // Levels that see few plies have most of their budget left.
        if let Some(found) = self.finished(best.value) {
            told(&found);
            return found;
        }
        best.nodes = watch.nodes();
        if best.decided_in.is_none()
            && let Some(&m) = self.moves.iter().find(|&&m| self.asked.wins_all(m))
        {
            // Whatever the estimates promise beyond it.
            let mut after = self.asked.clone();
            after.play(m);
            (best.line, best.value, best.decided_in) = (vec![m], -after.outcome(), Some(1));
        }
        best
    }

    fn analyse(&mut self, most: usize, deepest: u32, told: ToldMoves<'_, G::Move>) -> Vec<Chosen<G::Move>> {
        let (table, watch) = (self.table, self.watch);
        let mut all = AllMoves::new(self.moves.clone(), most);
        let mut search = self.start.plies(self.estimate, table, watch);
        for depth in 1..=deepest {
            let is_whole = all.iterate(|m, bound| {
                search.take_estimated();
                let before = search.nodes();
                let value = move_value(&mut search, m, depth, bound).ok()?;
                let line = if value > bound { self.line_from(m) } else { Vec::new() };
                let decided_in = (!search.take_estimated()).then_some(depth);
                Some(Chosen { line, value, decided_in, depth, nodes: search.nodes() - before })
            });
            if is_whole {
                told(&all.best);
            }
            if !is_whole || search.report().is_err() || all.are_decided() {
                break;
            }
            if self.endings_are_near() && self.finish_all(&mut all) {
                told(&all.best);
                return all.found();
            }
        }
        // Levels that see few plies have most of their budget left.
        if !all.are_decided() && self.finish_all(&mut all) {
            told(&all.best);
        }
        all.found()
    }

    /// Whether it is time to try the end of the game after each move.
    fn endings_are_near(&self) -> bool {
        let of_search = self.watch.nodes().saturating_mul(ENDING_RATIO);
        self.ending.is_some_and(|ending| {
            ending.nodes <= SMALL_ENDING || self.watch.part() >= BEFORE_ENDING && ending.nodes <= of_search
        })
    }

    /// The exact values of the moves by the game's own engine; whether what is left was enough. If not, values stay
    /// as they are.
    fn finish_all(&mut self, all: &mut AllMoves<G::Move>) -> bool {
        let Some(ending) = self.ending.filter(|ending| ending.nodes <= self.watch.left()) else { return false };
        self.ending = None;
        all.iterate(|m, _| {
            let before = self.watch.nodes();
            let mut after = self.start.clone();
            after.play(m);
            after.forget();
            let mut moves = Vec::new();
            after.moves(&mut moves);
            let (value, rest) = if moves.is_empty() {
                (after.outcome(), Vec::new())
            } else {
                finish(&after, self.solved, (self.watch, 1.0), 0, LONGEST - 1)?
            };
            let line = self.legal_part(std::iter::once(m).chain(rest).collect());
            let (decided_in, nodes) = (Some(ending.plies), self.watch.nodes() - before);
            Some(Chosen { line, value: -value, decided_in, depth: ending.plies, nodes })
        })
    }

    fn put_first(&mut self, m: G::Move) {
        if let Some(i) = self.moves.iter().position(|&other| other == m) {
            self.moves[..=i].rotate_right(1);
        }
    }

    /// Whether it is time to try the end of the game.
    fn ending_is_near(&self) -> bool {
        let of_search = self.watch.nodes().saturating_mul(ENDING_RATIO);
        self.ending.is_some_and(|ending| {
            ending.nodes <= SMALL_ENDING
                || self.moves.len() > 1 && self.watch.part() >= BEFORE_ENDING && ending.nodes <= of_search
        })
    }

    /// The best move by the game's own engine, if it comes to the end of the game within what is left.
    fn finished(&mut self, guess: Value) -> Option<Chosen<G::Move>> {
        let ending = self.ending.filter(|ending| ending.nodes <= self.watch.left())?;
        self.ending = None;
        let (value, line) = finish(&self.start, self.solved, (self.watch, 1.0), guess, LONGEST)?;
        let line = self.legal_part(line);
        let is_legal = !line.is_empty();
        let (depth, nodes) = (ending.plies, self.watch.nodes());
        is_legal.then_some(Chosen { line, value, decided_in: Some(depth), depth, nodes })
    }

    /// Searches all moves to a depth, or until the budget is used up.
    fn iterate(&self, search: &mut G::Plies<'_>, depth: u32) -> Iteration<G::Move> {
        let mut iteration = Iteration { best: None, is_whole: false };
        let mut alpha = -MAX_VALUE;
        for &m in &self.moves {
            let Ok(value) = value_of(search, m, depth, alpha, iteration.best.is_none()) else { return iteration };
            if value > alpha || iteration.best.is_none() {
                iteration.best = Some((m, value));
                alpha = alpha.max(value);
            }
        }
        Iteration { is_whole: true, ..iteration }
    }

    /// The line that begins with a move and goes on as the table remembers.
    fn line_from(&self, first: G::Move) -> Vec<G::Move> {
        let (mut position, mut line, mut moves) = (self.start.clone(), vec![first], Vec::new());
        position.play(first);
        while line.len() < LONGEST {
            moves.clear();
            position.moves(&mut moves);
            let Some(m) = position.remembered(self.table).filter(|m| moves.contains(m)) else { break };
            position.play(m);
            line.push(m);
        }
        self.legal_part(line)
    }

    /// A line up to the first move that the past forbids.
    fn legal_part(&self, mut line: Vec<G::Move>) -> Vec<G::Move> {
        let (mut position, mut moves, mut length) = (self.asked.clone(), Vec::new(), 0);
        for &m in &line {
            moves.clear();
            position.moves(&mut moves);
            if !moves.contains(&m) {
                break;
            }
            position.play(m);
            length += 1;
        }
        line.truncate(length);
        line
    }
}

/// What an iteration has found.
struct Iteration<M> {
    /// The best of the moves that were searched, with its value.
    best: Option<(M, Value)>,
    /// Whether all moves were searched.
    is_whole: bool,
}

/// The value of a move of the root to a depth: if it is above the bound it is exact.
///
/// # Errors
/// The search is to stop.
pub fn move_value<G: Game>(
    search: &mut impl PlySearch<G>,
    m: G::Move,
    depth: u32,
    bound: Value,
) -> Result<Value, Stopped> {
    let is_first = bound == NO_BOUND;
    value_of(search, m, depth, if is_first { -MAX_VALUE } else { bound }, is_first)
}

/// The value of a move of the root: above alpha it is exact. All but the first move are asked by a null window.
fn value_of<G: Game>(
    search: &mut impl PlySearch<G>,
    m: G::Move,
    depth: u32,
    alpha: Value,
    is_first: bool,
) -> Result<Value, Stopped> {
    let mut value = LOWEST;
    if !is_first {
        value = search.value_of(m, depth, alpha, alpha + 1)?;
    }
    if is_first || value > alpha {
        value = search.value_of(m, depth, alpha, MAX_VALUE)?;
    }
    Ok(value)
}

#[cfg(test)]
mod tests;
