//! A player of Gomoku: iterative deepening over [`node`], with a victory by continuous fours looked for in front.
//!
//! Several threads search by [`helpers`].
//!
//! The player takes every board and every rule whose row has three to five stones. It reads no clock: who asks for a
//! move tells which part of its time is used ([`Budget::time`]).

mod analysis;
pub mod helpers;
pub mod node;
pub mod opening;
pub mod ordering;
pub mod selectivity;
pub mod stones;

use self::analysis::analyse;
use self::helpers::{Helpers, MOST_THREADS, with_helpers};
use self::node::{DECIDED, OutOfBudget, PlayerSearch, SharedSearch, WIN};
use self::selectivity::Selectivity;
use self::stones::SearchStones;
use super::book::{BookChoice, OpeningBook};
use super::lines::board::{LineLengthError, LineTables};
use super::lines::codes::MoveClass;
use super::lines::weights::LineWeights;
use super::thesis::PatternRowError;
use super::vcf::VcfWin;
use super::windows::WindowTable;
use crate::core::game::{Budget, Chosen, Game, Level, Player, ToldMoves, Value};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::solvers::entry::{NO_MOVE, TableEntry};
use crate::solvers::monitor::Monitor;
use crate::solvers::player::all_moves::AllMoves;
use crate::solvers::table::{Table, TableError};
use crate::solvers::together::RunTogether;
use std::sync::Arc;

/// Positions in which a victory by continuous fours is looked for before all else.
const FRONT: usize = 20_000;
/// Half the width of the first window around the last value.
const WINDOW: Value = 30;
/// Most plies that are ever asked for.
const DEEPEST: u32 = 64;
/// Part of the time after which no further depth is begun. A depth that is not finished can find a better move, too,
/// so nearly all of the time is used.
const LAST_START: f64 = 0.9;

/// A player of Gomoku with its memory.
#[derive(Debug)]
pub struct GomokuPlayer {
    tables: Option<LineTables>,
    windows: Option<WindowTable>,
    table: Table,
    helpers: Option<Helpers>,
    level: Level,
    weights: LineWeights,
    book: Option<Arc<OpeningBook>>,
    /// Which parts of the search are switched on.
    pub parts: Selectivity,
}

/// A player that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// The memory asked for is too little or too much.
    #[error(transparent)]
    Memory(#[from] TableError),
    /// The row that wins is too short or too long.
    #[error(transparent)]
    Length(#[from] LineLengthError),
    /// The same, of the player of patterns.
    #[error(transparent)]
    PatternRow(#[from] PatternRowError),
}

impl GomokuPlayer {
    /// A player at full strength with a table of so many bytes.
    ///
    /// # Errors
    /// The memory cannot be had.
    pub fn new(memory: u64) -> Result<GomokuPlayer, PlayerError> {
        let table = Table::new(memory)?;
        let (level, parts, weights) = (Level::FULL, Selectivity::USUAL, LineWeights::usual());
        let (tables, windows, helpers, book) = (None, None, None, None);
        Ok(GomokuPlayer { tables, windows, table, helpers, level, weights, book, parts })
    }

    /// Lets so many threads search at [`Level::FULL`], at least 1 and at most [`MOST_THREADS`]: the calling one, and
    /// others by `together`. Before the first call it is one. Weaker levels see so many plies, however fast they are,
    /// and stay on one thread.
    ///
    /// A budget of nodes is that of all threads, each of which may go a few hundred nodes beyond it. With more than
    /// one thread the same question need not have the same answer.
    pub fn set_threads(&mut self, number: usize, together: RunTogether) {
        let helpers = number.min(MOST_THREADS).saturating_sub(1);
        self.helpers = (helpers > 0).then(|| Helpers::new(helpers, together));
    }

    /// Lets it play with other weights.
    pub fn set_weights(&mut self, weights: LineWeights) {
        (self.weights, self.tables) = (weights, None);
    }

    /// Lets it play the moves of a book at [`Level::FULL`], without a search. Before the first call it has none.
    pub fn set_book(&mut self, book: Option<Arc<OpeningBook>>) {
        self.book = book;
    }

    /// Gives it another table of so many bytes, which is empty.
    ///
    /// # Errors
    /// The memory cannot be had; then it keeps its table.
    pub fn set_memory(&mut self, memory: u64) -> Result<(), PlayerError> {
        self.table = Table::new(memory)?;
        Ok(())
    }

    /// Gets the tables ready for the rules and the board of a position, which takes a tenth of a second at first.
    ///
    /// # Errors
    /// A row that wins that the player cannot play for.
    pub fn prepare(&mut self, position: &GomokuPosition) -> Result<(), PlayerError> {
        let (rules, board) = (position.rules(), position.board());
        if self.tables.as_ref().is_none_or(|tables| tables.rules() != rules) {
            self.tables = Some(LineTables::with_weights(rules, self.weights.clone())?);
            self.windows = None;
            self.table.clear();
        }
        if self.windows.as_ref().is_none_or(|windows| windows.board() != board) {
            // There are none in Caro.
            self.windows = WindowTable::new(board, rules).ok();
            self.table.clear();
        }
        Ok(())
    }

    /// A search within a budget, once the tables are ready: what its threads have in common, who helps, and in how
    /// many positions continuous fours are looked for before all else.
    fn search<'s>(
        &'s self,
        position: &'s GomokuPosition,
        budget: &mut Budget<'_>,
        monitor: &'s Monitor,
    ) -> Option<(SharedSearch<'s>, Option<&'s Helpers>, usize)> {
        budget.depth = budget.depth.clamp(1, DEEPEST).min(deepest(self.level));
        let helpers = self.helpers.as_ref().filter(|_| self.level == Level::FULL);
        let (parts, front) = in_force(self.parts, self.level);
        let shared = SharedSearch {
            position,
            tables: self.tables.as_ref()?,
            windows: self.windows.as_ref(),
            table: &self.table,
            parts,
            monitor,
            busy: helpers.map(Helpers::busy),
            deepest: budget.depth,
        };
        Some((shared, helpers, front))
    }
}

impl Player<GomokuPosition> for GomokuPlayer {
    fn choose(
        &mut self,
        position: &GomokuPosition,
        budget: &mut Budget<'_>,
        told: &mut dyn FnMut(&Chosen<GomokuMove>),
    ) -> Option<Chosen<GomokuMove>> {
        let moves = legal_moves(position);
        let fallback = *moves.iter().max_by_key(|&&m| position.prior(m))?;
        let at_once =
            |point: GomokuMove| Chosen { line: vec![point], value: 0, decided_in: None, depth: 0, nodes: 0 };
        if self.prepare(position).is_err() {
            return Some(at_once(fallback));
        }
        self.table.next_generation();
        let book = self.book.as_ref().filter(|_| self.level == Level::FULL);
        if let Some(BookChoice { line, value }) = book.and_then(|book| book.choice(position)) {
            return Some(Chosen { line, value, decided_in: decided_in(value), depth: 0, nodes: 0 });
        }
        if position.stones().next().is_none() {
            let board = position.board();
            let middle = board.point(board.width() / 2, board.height() / 2)?;
            return Some(at_once(GomokuMove(middle)));
        }
        let monitor = Monitor::with_budget(budget.nodes);
        let (shared, helpers, front) = self.search(position, budget, &monitor)?;
        let mut search = RootSearch { stones: shared.stones(), shared, moves: &moves, fallback };
        Some(search.choose(helpers, front, budget, told))
    }

    fn analyse(
        &mut self,
        position: &GomokuPosition,
        most: usize,
        budget: &mut Budget<'_>,
        told: ToldMoves<'_, GomokuMove>,
    ) -> Vec<Chosen<GomokuMove>> {
        let moves = legal_moves(position);
        if moves.is_empty() || self.prepare(position).is_err() {
            return Vec::new();
        }
        self.table.next_generation();
        let (mut all, monitor) = (AllMoves::new(moves, most), Monitor::with_budget(budget.nodes));
        let Some((shared, helpers, front)) = self.search(position, budget, &monitor) else { return Vec::new() };
        analyse(shared, helpers, front, budget, &mut all, told);
        all.found()
    }

    fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    fn forget(&mut self) {
        self.table.clear();
    }
}

fn legal_moves(position: &GomokuPosition) -> Vec<GomokuMove> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves
}

/// The parts of the search at a level, and in how many positions continuous fours are looked for before all else.
fn in_force(parts: Selectivity, level: Level) -> (Selectivity, usize) {
    let parts = limited(parts, level);
    (parts, if level == Level::FULL { FRONT } else { parts.inner_fours })
}

/// In how many plies the game is decided by a value.
pub fn decided_in(value: Value) -> Option<u32> {
    (value.abs() >= DECIDED).then(|| (WIN - value.abs()).max(0) as u32)
}

/// Plies that a level sees.
fn deepest(level: Level) -> u32 {
    match level.number() {
        10.. => DEEPEST,
        number => u32::from(number),
    }
}

/// What a level does of the search: weak ones do not see fours that follow each other.
fn limited(parts: Selectivity, level: Level) -> Selectivity {
    let fours = |most: usize| match level.number() {
        10.. => most,
        number => most.min([0, 0, 0, 2, 4, 8, 16, 32, 64][usize::from(number.clamp(1, 9)) - 1]),
    };
    Selectivity {
        leaf_fours: fours(parts.leaf_fours),
        inner_fours: fours(parts.inner_fours),
        passed_fours: fours(parts.passed_fours),
        ..parts
    }
}

/// The search of the moves of the position that was asked about.
struct RootSearch<'s> {
    stones: SearchStones<'s>,
    shared: SharedSearch<'s>,
    moves: &'s [GomokuMove],
    fallback: GomokuMove,
}

impl RootSearch<'_> {
    fn choose(
        &mut self,
        helpers: Option<&Helpers>,
        front: usize,
        budget: &mut Budget<'_>,
        told: &mut dyn FnMut(&Chosen<GomokuMove>),
    ) -> Chosen<GomokuMove> {
        let (side, enemy) = (self.stones.side(), self.stones.side().other());
        // Rows are completed and fours are answered without a search.
        if let Some(point) = self.stones.first_of(side, MoveClass::Five) {
            return chosen(vec![GomokuMove(point)], WIN - 1, 1, 1);
        }
        let under_attack = self.stones.lines.count_of(enemy, MoveClass::Five) > 0;
        if front > 0
            && let Some(VcfWin { length, line }) = self.stones.continuous_fours(front)
        {
            let line = line.into_iter().map(GomokuMove).collect();
            return chosen(line, WIN - 2 * length as Value + 1, 1, 1);
        }
        let only = (under_attack && self.stones.answers_are_sure())
            .then(|| self.stones.first_of(enemy, MoveClass::Five))
            .flatten()
            .map(GomokuMove)
            .filter(|m| self.moves.contains(m));
        if let Some(only) = only {
            return chosen(vec![only], 0, 1, 1);
        }
        if let [only] = self.moves {
            return chosen(vec![*only], 0, 1, 1);
        }
        let mut best = chosen(vec![self.fallback], 0, 0, 0);
        let (shared, moves, has_helpers) = (self.shared, self.moves, helpers.is_some());
        let mut search = PlayerSearch::new(&mut self.stones, &shared, &mut *budget.time);
        let help = |search: &mut PlayerSearch<'_, '_, '_>| help(search, shared.deepest);
        with_helpers(helpers, &shared, &help, &mut || lead(&mut search, (&shared, moves), &mut best, told));
        // The helpers have ended, too.
        best.nodes = shared.monitor.nodes();
        // A depth that was not finished may have found a better move. The table has those of helpers, too.
        let is_own = search.root_best != NO_MOVE || !has_helpers || best.depth == 0;
        let line = line_of(search.stones, shared.table, search.root_best, best.depth as usize + 8);
        if let Some(first) = line.first()
            && is_own
            && moves.contains(first)
            && best.line.first() != Some(first)
        {
            best.line = line;
            best.decided_in = None;
        }
        debug_assert_eq!(self.stones.side(), shared.position.side());
        best
    }
}

fn chosen(line: Vec<GomokuMove>, value: Value, depth: u32, nodes: u64) -> Chosen<GomokuMove> {
    Chosen { line, value, decided_in: decided_in(value), depth, nodes }
}

/// Searches deeper and deeper until the budget is used up or the game is decided, and tells what is best each time.
fn lead(
    search: &mut PlayerSearch<'_, '_, '_>,
    (shared, moves): (&SharedSearch<'_>, &[GomokuMove]),
    best: &mut Chosen<GomokuMove>,
    told: &mut dyn FnMut(&Chosen<GomokuMove>),
) {
    for depth in 1..=shared.deepest {
        (search.root_depth, search.root_best) = (depth as i32, NO_MOVE);
        let value = with_window(search, best.value, depth);
        let is_spent = search.report().is_err();
        let Ok(value) = value else { break };
        let line = line_of(search.stones, shared.table, search.root_best, depth as usize + 8);
        if let Some(&first) = line.first()
            && moves.contains(&first)
        {
            *best = chosen(line, value, depth, shared.monitor.nodes());
            told(best);
        }
        let part = (search.time)();
        if value.abs() >= DECIDED || part >= LAST_START || is_spent {
            break;
        }
    }
}

/// What a helper does: the same without a word.
fn help(search: &mut PlayerSearch<'_, '_, '_>, deepest: u32) {
    let mut last = 0;
    for depth in 1..=deepest {
        search.root_depth = depth as i32;
        let Ok(value) = with_window(search, last, depth) else { break };
        if value.abs() >= DECIDED {
            break;
        }
        last = value;
    }
}

/// The value at a depth, by a window around the last one that grows where the value lies outside.
fn with_window(search: &mut PlayerSearch<'_, '_, '_>, last: Value, depth: u32) -> Result<Value, OutOfBudget> {
    let (mut width, far) = (WINDOW, WIN + 1);
    let narrow = search.parts.aspiration && depth >= 3 && last.abs() < DECIDED;
    let (mut alpha, mut beta) = if narrow { (last - width, last + width) } else { (-far, far) };
    loop {
        let value = search.value(alpha, beta, depth as i32, 0)?;
        width *= 4;
        if value <= alpha && alpha > -far {
            alpha = if width > 1000 { -far } else { (value - width).max(-far) };
        } else if value >= beta && beta < far {
            beta = if width > 1000 { far } else { (value + width).min(far) };
        } else {
            return Ok(value);
        }
    }
}

/// The line of best moves that the table has, after a first one that is known, or [`NO_MOVE`].
fn line_of(stones: &mut SearchStones<'_>, table: &Table, first: u16, most: usize) -> Vec<GomokuMove> {
    let mut line: Vec<GomokuMove> = Vec::new();
    while line.len() < most {
        let (side, enemy) = (stones.side(), stones.side().other());
        if let Some(five) = stones.first_of(side, MoveClass::Five) {
            line.push(GomokuMove(five));
            break;
        }
        let best = match line.is_empty() && first != NO_MOVE {
            true => first,
            false => TableEntry::get(table, stones.hash()).map_or(NO_MOVE, |entry| entry.best),
        };
        let next = match best {
            NO_MOVE => stones.first_of(enemy, MoveClass::Five).or(stones.first_of(side, MoveClass::StraightFour)),
            best => Some(best),
        };
        let Some(next) = next else { break };
        let is_point = usize::from(next) < crate::games::gomoku::board::POINTS && stones.lines.is_empty(next);
        if !is_point || !stones.may_play(next) {
            break;
        }
        stones.play(next);
        line.push(GomokuMove(next));
    }
    // The move that completes the row ends the line and is not on the board.
    let played = line.iter().rev().skip_while(|m| stones.lines.is_empty(m.0));
    let played: Vec<u16> = played.map(|m| m.0).collect();
    played.into_iter().for_each(|point| stones.undo(point));
    line
}
