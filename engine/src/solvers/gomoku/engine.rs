//! The engine for Gomoku: who wins, by alpha-beta on null windows.
//!
//! A side that can complete a row does so; one whose enemy can complete one has to play there, and has lost if there
//! are two such points. Where windows are kept ([`super::windows`]) a victory by continuous fours, looked for in a
//! few hundred positions, ends a node. Everything else is searched full width, moves that are in many open windows
//! first, over a transposition table that symmetric positions share. Values are -1, 0 and 1 won games, so there are
//! two questions to ask at most.
//!
//! On large boards a full width search has no end. There a proof by threats ([`super::threats`]) is looked for before
//! each question: that the side to move wins, or that the other one does. On boards of any size a proof is looked for
//! that a side makes no row, if few points are left for one ([`super::hold`]).

use super::hold::rows::HoldBoard;
use super::hold::search::{HoldAnswer, HoldSearch, Mover};
use super::threats::{ThreatSearch, ThreatTables};
use super::vcf::{VcfAnswer, VcfSearch};
use super::windows::{WindowBoard, WindowTable};
use crate::core::game::{Game, Side, Value};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::gomoku::rules::RowRule;
use crate::solvers::busy::Busy;
use crate::solvers::entry::{NO_MOVE, PROVEN, TableEntry};
use crate::solvers::monitor::{Monitor, Stopped};
use crate::solvers::search::Stats;
use crate::solvers::solve::{Engine, EngineError};
use crate::solvers::table::Table;

/// Positions between two reports of the search.
const REPORT: u64 = 1024;
/// Positions that are looked at for a victory by continuous fours at each node.
const LOOKED_AT: usize = 200;
/// Empty points from which on a proof by threats is looked for in front.
const THREATS_FROM: u16 = 64;
/// Positions of such a proof at most, and bytes of the table for each of them.
const MOST_THREATS: u64 = 4_000_000;
const BYTES_PER_THREAT: u64 = 128;
/// Positions of a proof that a side makes no row, at most: on boards that can be searched at full width, and on
/// larger ones.
const MOST_HELD: [u64; 2] = [30_000, 100_000_000];
/// A won game.
const WON: Value = GomokuPosition::POINT;

/// The engine for Gomoku on one thread.
#[derive(Debug)]
pub struct GomokuEngine<'a> {
    /// Its memory between questions and between threads. Of one board and its rules only.
    pub table: &'a Table,
    /// What other threads of the same search are at, if there are any.
    pub busy: Option<&'a Busy>,
    /// Who watches it.
    pub monitor: &'a Monitor,
    /// What was done for all questions so far.
    pub stats: Stats,
}

impl Engine<GomokuPosition> for GomokuEngine<'_> {
    fn value(&mut self, position: &GomokuPosition, alpha: Value, beta: Value) -> Result<Value, EngineError> {
        let windows = WindowTable::new(position.board(), position.rules()).ok();
        let vcf = windows.as_ref().map(|table| (WindowBoard::new(table, position), VcfSearch::new(table)));
        let GomokuEngine { table, busy, monitor, .. } = *self;
        let mut search = GameSearch { table, busy, monitor, position: position.clone(), vcf, nodes: 0, threats: 0 };
        let front = position.empty() >= THREATS_FROM && position.winner().is_none() && search.at_once_is_open();
        let tables = if front { ThreatTables::new(position.board(), position.rules()) } else { None };
        let (mut low, mut high) = (-WON, WON);
        let mut stopped = None;
        while low < high && high > alpha && low < beta && stopped.is_none() {
            // From what is between, the question that the window needs; whether somebody wins comes first.
            let target = if high - low > WON && beta <= 0 { 0 } else { high };
            let in_front = |search: &mut GameSearch| {
                if let Some(tables) = &tables
                    && let Some(reaches) = search.threats(tables, target)?
                {
                    return Ok(reaches);
                }
                match search.is_held(target)? {
                    Some(reaches) => Ok(reaches),
                    None => search.reaches(target),
                }
            };
            match in_front(&mut search) {
                Ok(true) => low = target,
                Ok(false) => high = target - WON,
                Err(reason) => stopped = Some(reason),
            }
        }
        self.stats.nodes += search.nodes + search.threats;
        // If the question is answered, a stop that comes this late does not matter.
        let _ = monitor.report(search.nodes % REPORT);
        match stopped {
            Some(reason) => Err(reason.into()),
            None => Ok(if high <= alpha { high } else { low }),
        }
    }

    fn hint(&self, position: &GomokuPosition) -> Option<GomokuMove> {
        let key = position.symmetric_key();
        let m = position.decode(TableEntry::get(self.table, key.hash)?.best)?;
        Some(position.from_hashed(m, key.symmetry))
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}

/// A search of one question.
struct GameSearch<'a, 'w> {
    table: &'a Table,
    busy: Option<&'a Busy>,
    monitor: &'a Monitor,
    position: GomokuPosition,
    /// The windows of the position, where they are kept, and the search for continuous fours.
    vcf: Option<(WindowBoard<'w>, VcfSearch<'w>)>,
    nodes: u64,
    /// Positions judged in search of proofs by threats, which the monitor knows of.
    threats: u64,
}

impl GameSearch<'_, '_> {
    /// Whether the position has to be searched, or can be judged at a look.
    fn at_once_is_open(&mut self) -> bool {
        matches!(self.at_once(), Sight::Moves(_))
    }

    /// Whether the side to move gets `target` at least, if a proof by threats says so.
    fn threats(&mut self, tables: &ThreatTables, target: Value) -> Result<Option<bool>, Stopped> {
        let side = self.position.side();
        let attacker = if target > 0 { side } else { side.other() };
        let most = MOST_THREATS.min(self.table.bytes() / BYTES_PER_THREAT);
        let mut search = ThreatSearch::new(tables, &self.position, attacker, self.monitor, most);
        let is_proven = search.proves();
        self.threats += search.judged();
        if !is_proven? {
            return Ok(None);
        }
        let key = self.position.symmetric_key();
        let mut entry = TableEntry { lower: -WON, upper: -WON, depth: PROVEN, best: NO_MOVE };
        if attacker == side {
            let best = search.first_move().map(|point| self.position.to_hashed(GomokuMove(point), key.symmetry));
            (entry.lower, entry.upper) = (WON, WON);
            entry.best = best.map_or(NO_MOVE, |m| self.position.code(m));
        }
        entry.put(self.table, key.hash, search.judged());
        Ok(Some(attacker == side))
    }

    /// Whether the side to move gets `target` at least, if a side is proven to make no row: the side to move if it is
    /// to win, or else the other one.
    fn is_held(&mut self, target: Value) -> Result<Option<bool>, Stopped> {
        let (lower, upper) = self.position.bounds();
        if lower >= target || upper < target {
            return Ok(None);
        }
        let side = self.position.side();
        let (attacker, mover) = if target > 0 { (side, Mover::Attacker) } else { (side.other(), Mover::Defender) };
        let Some((board, rows)) = HoldBoard::new(&self.position, attacker) else { return Ok(None) };
        let most = MOST_HELD[usize::from(self.position.empty() >= THREATS_FROM)];
        let mut search =
            HoldSearch::new(&board, self.monitor, most.min(HoldSearch::positions_in(self.table.bytes())));
        let answer = search.search(mover, &rows);
        self.threats += search.nodes();
        if answer? != HoldAnswer::Held {
            return Ok(None);
        }
        let key = self.position.symmetric_key();
        let known = TableEntry::get(self.table, key.hash);
        let (lower, upper) = known.map_or((-WON, WON), |entry| (entry.lower, entry.upper));
        let mut entry = TableEntry { lower, upper: upper.min(0), depth: PROVEN, best: NO_MOVE };
        if attacker != side {
            (entry.lower, entry.upper) = (lower.max(0), upper);
            let best =
                search.answer(&rows).map(|bit| self.position.to_hashed(GomokuMove(board.point(bit)), key.symmetry));
            entry.best = best.map_or(NO_MOVE, |m| self.position.code(m));
        }
        entry.put(self.table, key.hash, search.nodes());
        Ok(Some(attacker != side))
    }

    /// Whether the side to move gets `target` at least: a won game, or nothing.
    fn reaches(&mut self, target: Value) -> Result<bool, Stopped> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(REPORT) {
            self.monitor.report(REPORT)?;
        }
        let (lower, upper) = self.position.bounds();
        if lower >= target || upper < target {
            return Ok(lower >= target);
        }
        let key = self.position.symmetric_key();
        let entry = TableEntry::get(self.table, key.hash);
        let (mut lower, mut upper, mut best) = (lower, upper, NO_MOVE);
        if let Some(entry) = entry {
            if entry.lower >= target || entry.upper < target {
                return Ok(entry.lower >= target);
            }
            (lower, upper, best) = (lower.max(entry.lower), upper.min(entry.upper), entry.best);
        }
        let nodes = self.nodes;
        let (reaches, by) = match self.at_once() {
            Sight::Wins(m) => (true, Some(m)),
            Sight::Loses => (false, None),
            Sight::Moves(mut moves) => {
                if moves.is_empty() {
                    return Ok(self.position.outcome() >= target);
                }
                let hinted = self.position.decode(best).map(|m| self.position.from_hashed(m, key.symmetry));
                let position = &self.position;
                moves.sort_by_cached_key(|&m| (Some(m) != hinted, std::cmp::Reverse(position.prior(m))));
                let by = self.first_that_reaches(&moves, target, key.hash)?;
                (by.is_some(), by)
            }
        };
        if reaches {
            lower = lower.max(target);
        } else {
            upper = upper.min(target - WON);
        }
        if let Some(m) = by {
            best = self.position.code(self.position.to_hashed(m, key.symmetry));
        }
        let entry = TableEntry { lower, upper, depth: PROVEN, best };
        entry.put(self.table, key.hash, self.nodes - nodes);
        Ok(reaches)
    }

    /// The first of the moves that gets `target` at least. Those that other threads are at come last.
    fn first_that_reaches(
        &mut self,
        moves: &[GomokuMove],
        target: Value,
        hash: u64,
    ) -> Result<Option<GomokuMove>, Stopped> {
        let mark = |m: GomokuMove| (hash ^ u64::from(m.0 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)).max(1);
        let mut later = Vec::new();
        for (n, &m) in moves.iter().enumerate() {
            match self.busy {
                Some(busy) if n > 0 && busy.is_set(mark(m)) => later.push(m),
                Some(busy) if n > 0 => {
                    busy.set(mark(m));
                    let reaches = self.reaches_by(m, target);
                    busy.clear(mark(m));
                    if reaches? {
                        return Ok(Some(m));
                    }
                }
                _ => {
                    if self.reaches_by(m, target)? {
                        return Ok(Some(m));
                    }
                }
            }
        }
        for m in later {
            if self.reaches_by(m, target)? {
                return Ok(Some(m));
            }
        }
        Ok(None)
    }

    fn reaches_by(&mut self, m: GomokuMove, target: Value) -> Result<bool, Stopped> {
        let side = self.position.side();
        let undo = self.position.play(m);
        if let Some((windows, _)) = &mut self.vcf {
            windows.put(m.0, side);
        }
        let reaches = self.reaches(WON - target).map(|theirs| !theirs);
        if let Some((windows, _)) = &mut self.vcf {
            windows.take(m.0, side);
        }
        self.position.undo(m, undo);
        reaches
    }

    /// What is known of an unfinished game without a search of all moves.
    fn at_once(&mut self) -> Sight {
        let side = self.position.side();
        let (own, enemy) = match &self.vcf {
            Some((windows, _)) => (windows.completions(side), windows.completions(side.other())),
            None => (self.completions(side), self.completions(side.other())),
        };
        if let [Some(point), _] = own {
            return Sight::Wins(GomokuMove(point));
        }
        // In Caro a stone may spoil several rows by their ends.
        if self.position.rules().rule() != RowRule::Caro {
            match enemy {
                [Some(point), None] if self.position.check_move(GomokuMove(point)).is_ok() => {
                    return Sight::Moves(vec![GomokuMove(point)]);
                }
                [None, _] => {}
                _ => return Sight::Loses,
            }
        }
        if let Some((windows, search)) = &mut self.vcf
            && let VcfAnswer::Win(win) = search.search_on(&self.position, windows, LOOKED_AT)
            && let Some(&first) = win.line.first()
        {
            return Sight::Wins(GomokuMove(first));
        }
        let mut moves = Vec::new();
        self.position.moves(&mut moves);
        Sight::Moves(moves)
    }

    /// As [`WindowBoard::completions`], where no windows are kept.
    fn completions(&self, colour: Side) -> [Option<u16>; 2] {
        let position = &self.position;
        let empty = position.board().points().filter(|&point| position.stone(point).is_none());
        let mut found = empty.filter(|&point| position.wins_at(point, colour));
        [found.next(), found.next()]
    }
}

/// What is known of a position at a look.
enum Sight {
    /// The side to move wins by this move.
    Wins(GomokuMove),
    /// It loses, whatever it does.
    Loses,
    /// These moves are to be searched: all, or the one that is forced.
    Moves(Vec<GomokuMove>),
}
