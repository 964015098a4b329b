//! A player of Gomoku: iterative deepening over [`node`], with a victory by continuous fours looked for in front.
//!
//! The player takes every board and every rule whose row has three to five stones. It reads no clock: who asks for a
//! move tells which part of its time is used ([`Budget::time`]).

mod analysis;
pub mod node;
pub mod opening;
pub mod ordering;
pub mod selectivity;
pub mod stones;

use self::analysis::analyse;
use self::node::{DECIDED, OutOfBudget, PlayerSearch, WIN};
use self::ordering::Memories;
use self::selectivity::Selectivity;
use self::stones::SearchStones;
use super::lines::board::{LineLengthError, LineTables};
use super::lines::codes::MoveClass;
use super::lines::weights::LineWeights;
use super::thesis::PatternRowError;
use super::vcf::VcfWin;
use super::windows::WindowTable;
use crate::core::game::{Budget, Chosen, Game, Level, Player, ToldMoves, Value};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::solvers::entry::{NO_MOVE, TableEntry};
use crate::solvers::player::all_moves::AllMoves;
use crate::solvers::table::{Table, TableError};

/// Positions in which a victory by continuous fours is looked for before all else.
const FRONT: usize = 20_000;
/// Half the width of the first window around the last value.
const WINDOW: Value = 30;
/// Most plies that are ever asked for.
const DEEPEST: u32 = 64;
/// Part of the time after which no further depth is begun; less if the best move has stayed the same.
const LAST_START: f64 = 0.6;

/// A player of Gomoku with its memory.
#[derive(Debug)]
pub struct GomokuPlayer {
    tables: Option<LineTables>,
    windows: Option<WindowTable>,
    table: Table,
    memories: Memories,
    level: Level,
    weights: LineWeights,
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
        Ok(GomokuPlayer { tables: None, windows: None, table, memories: Memories::new(), level, weights, parts })
    }

    /// Lets it play with other weights.
    pub fn set_weights(&mut self, weights: LineWeights) {
        (self.weights, self.tables) = (weights, None);
    }

    /// Gives it another table of so many bytes, which is empty.
    ///
    /// # Errors
    /// The memory cannot be had; then it keeps its table.
    pub fn set_memory(&mut self, memory: u64) -> Result<(), PlayerError> {
        (self.table, self.memories) = (Table::new(memory)?, Memories::new());
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
            self.forget_positions();
        }
        if self.windows.as_ref().is_none_or(|windows| windows.board() != board) {
            // There are none in Caro.
            self.windows = WindowTable::new(board, rules).ok();
            self.forget_positions();
        }
        Ok(())
    }

    fn forget_positions(&mut self) {
        self.table.clear();
        self.memories = Memories::new();
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
        self.memories.next_move();
        let tables = self.tables.as_ref()?;
        let mut stones = SearchStones::new(tables, self.windows.as_ref(), position);
        if position.stones().next().is_none() {
            let board = position.board();
            let middle = board.point(board.width() / 2, board.height() / 2)?;
            return Some(at_once(GomokuMove(middle)));
        }
        let (parts, front) = in_force(self.parts, self.level);
        budget.depth = budget.depth.clamp(1, DEEPEST).min(deepest(self.level));
        let mut search = RootSearch { stones: &mut stones, position, table: &self.table, moves: &moves, fallback };
        let chosen = search.choose(&mut self.memories, parts, front, budget, told);
        Some(chosen)
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
        self.memories.next_move();
        let Some(tables) = &self.tables else { return Vec::new() };
        let mut stones = SearchStones::new(tables, self.windows.as_ref(), position);
        let (parts, front) = in_force(self.parts, self.level);
        budget.depth = budget.depth.clamp(1, DEEPEST).min(deepest(self.level));
        let mut all = AllMoves::new(moves, most);
        analyse(&mut stones, (&self.table, &mut self.memories), (parts, front), budget, &mut all, told);
        all.found()
    }

    fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    fn forget(&mut self) {
        self.forget_positions();
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
fn decided_in(value: Value) -> Option<u32> {
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
    Selectivity { leaf_fours: fours(parts.leaf_fours), inner_fours: fours(parts.inner_fours), ..parts }
}

/// The search of the moves of the position that was asked about.
struct RootSearch<'s, 'a> {
    stones: &'s mut SearchStones<'a>,
    position: &'s GomokuPosition,
    table: &'s Table,
    moves: &'s [GomokuMove],
    fallback: GomokuMove,
}

impl RootSearch<'_, '_> {
    fn choose(
        &mut self,
        memories: &mut Memories,
        parts: Selectivity,
        front: usize,
        budget: &mut Budget<'_>,
        told: &mut dyn FnMut(&Chosen<GomokuMove>),
    ) -> Chosen<GomokuMove> {
        let (side, enemy) = (self.stones.side(), self.stones.side().other());
        let chosen = |line: Vec<GomokuMove>, value: Value, depth: u32, nodes: u64| Chosen {
            line,
            value,
            decided_in: decided_in(value),
            depth,
            nodes,
        };
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
        let mut stable = 0u32;
        let mut search = PlayerSearch {
            stones: &mut *self.stones,
            table: self.table,
            memories,
            parts,
            budget,
            nodes: 0,
            root_depth: 1,
            lists: Vec::new(),
        };
        let most = search.budget.depth;
        for depth in 1..=most {
            search.root_depth = depth as i32;
            let Ok(value) = with_window(&mut search, best.value, depth) else { break };
            let line = line_of(search.stones, self.table, depth as usize + 8);
            let nodes = search.nodes;
            if let Some(&first) = line.first()
                && self.moves.contains(&first)
            {
                stable = if best.line.first() == Some(&first) { stable + 1 } else { 0 };
                best = chosen(line, value, depth, nodes);
                told(&best);
            }
            let part = (search.budget.time)();
            let last_start = LAST_START / f64::from(1 + stable.min(3)).sqrt();
            if value.abs() >= DECIDED || part >= last_start || search.nodes >= search.budget.nodes {
                break;
            }
        }
        // A depth that was not finished may have found a better move.
        best.nodes = search.nodes;
        if let Some(first) = line_of(self.stones, self.table, 1).first()
            && self.moves.contains(first)
            && best.line.first() != Some(first)
        {
            best.line = vec![*first];
            best.decided_in = None;
        }
        debug_assert_eq!(self.stones.side(), self.position.side());
        best
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

/// The line of best moves that the table has.
fn line_of(stones: &mut SearchStones<'_>, table: &Table, most: usize) -> Vec<GomokuMove> {
    let mut line: Vec<GomokuMove> = Vec::new();
    while line.len() < most {
        let (side, enemy) = (stones.side(), stones.side().other());
        if let Some(five) = stones.first_of(side, MoveClass::Five) {
            line.push(GomokuMove(five));
            break;
        }
        let next = match TableEntry::get(table, stones.hash()).map_or(NO_MOVE, |entry| entry.best) {
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
