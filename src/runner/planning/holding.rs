//! Finding and checking defences of Gomoku ([`crate::solvers::gomoku::hold`]) on several threads: if the attacker is
//! to move, a task for each of its moves.

use crate::core::game::{Game, Side};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::runner::stoppable::{lock, on_threads};
use crate::solvers::gomoku::hold::check::{HoldCheck, HoldChecked, HoldHole};
use crate::solvers::gomoku::hold::rows::{HoldBoard, OpenRows};
use crate::solvers::gomoku::hold::search::{HoldAnswer, HoldSearch, Mover};
use crate::solvers::monitor::{Monitor, Stopped};
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// How a defence is looked for.
#[derive(Debug, Clone, Copy)]
pub struct HoldTerms {
    /// Threads, each with a table of its own.
    pub threads: usize,
    /// Bytes of all tables together.
    pub memory: u64,
    /// Whether each defence is checked.
    pub is_checked: bool,
}

/// What has become of one move of the attacker, or of the position itself.
#[derive(Debug, Clone)]
pub struct HoldNews {
    /// The attacker's move; `None` if the defender is to move.
    pub attack: Option<u16>,
    /// The defender's answer, if it holds.
    pub answer: Option<u16>,
    /// Held, refuted by a row, or left open for want of memory.
    pub end: HoldAnswer,
    /// Positions that its search has visited.
    pub nodes: u64,
    /// What the check has come to, if there was one.
    pub checked: Option<Result<HoldChecked, HoldHole>>,
}

/// What the search for a defence has come to.
#[derive(Debug, Clone)]
pub struct HoldReport {
    /// Held if every move is answered; not held if one of them is not.
    pub end: HoldAnswer,
    /// Moves of the attacker that there are, up to symmetry, or 1 if the defender is to move.
    pub tasks: usize,
    /// Those of them that are known to fail.
    pub held: usize,
    /// Positions that all searches have visited.
    pub nodes: u64,
    /// What all checks have looked at.
    pub checked: HoldChecked,
    /// The moves after which a defence does not hold, if there are any.
    pub hole: Option<HoldHole>,
}

/// Looks for a defence, and checks it. `told` gets the news of each task with the report so far; `stop` says when
/// time is over. `None` if the position has too many open rows, or a row already, or if the defender may not play
/// everywhere (see [`HoldBoard::new`]).
pub fn find_defence(
    position: &GomokuPosition,
    attacker: Side,
    terms: HoldTerms,
    stop: &dyn Fn() -> bool,
    told: &(dyn Fn(&HoldNews, &HoldReport) + Sync),
) -> Option<HoldReport> {
    let (board, rows) = HoldBoard::new(position, attacker)?;
    let attacks = attacks(position, attacker, &board, &rows);
    let report = HoldReport {
        end: HoldAnswer::Open,
        tasks: attacks.len(),
        held: 0,
        nodes: 0,
        checked: HoldChecked::default(),
        hole: None,
    };
    let (next, report) = (AtomicUsize::new(0), Mutex::new(report));
    let threads = terms.threads.clamp(1, attacks.len().max(1));
    let limit = HoldSearch::positions_in(terms.memory / threads as u64);
    let turns = |monitor: &Monitor| {
        while let Some(&attack) = attacks.get(next.fetch_add(1, SeqCst)) {
            let task = HoldTask { position, attacker, board: &board, rows: &rows, attack };
            let Ok(news) = task.run(monitor, limit, terms.is_checked) else { break };
            let mut report = lock(&report);
            report.add(&news);
            told(&news, &report);
            // One move that works is enough.
            if report.end == HoldAnswer::NotHeld || report.hole.is_some() {
                next.store(attacks.len(), SeqCst);
            }
        }
    };
    on_threads(threads, u64::MAX, stop, &turns);
    let mut report = report.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if report.held == report.tasks {
        report.end = HoldAnswer::Held;
    }
    Some(report)
}

impl HoldReport {
    fn add(&mut self, news: &HoldNews) {
        self.nodes += news.nodes;
        match (news.end, &news.checked) {
            (HoldAnswer::NotHeld, _) => self.end = HoldAnswer::NotHeld,
            (HoldAnswer::Held, Some(Err(hole))) => self.hole = Some(hole.clone()),
            (HoldAnswer::Held, Some(Ok(checked))) => {
                self.held += 1;
                self.checked += *checked;
            }
            (HoldAnswer::Held, None) => self.held += 1,
            (HoldAnswer::Open, _) => {}
        }
    }
}

/// The attacker's moves in open rows, one of those that lead to images of the same position; or one task without a
/// move, if the defender is to move.
fn attacks(position: &GomokuPosition, attacker: Side, board: &HoldBoard, rows: &OpenRows) -> Vec<Option<u16>> {
    if position.side() != attacker {
        return vec![None];
    }
    let (mut seen, mut position) = (HashSet::new(), position.clone());
    let points: Vec<u16> = position.board().points().collect();
    let is_new = |point: &u16| {
        let is_open = board.bit(*point).is_some_and(|bit| rows.points() >> bit & 1 != 0);
        if !is_open || position.check_move(GomokuMove(*point)).is_err() {
            return false;
        }
        let undo = position.play(GomokuMove(*point));
        let key = position.symmetric_key().hash;
        position.undo(GomokuMove(*point), undo);
        seen.insert(key)
    };
    points.into_iter().filter(is_new).map(Some).collect()
}

/// One move of the attacker, or the position itself.
struct HoldTask<'a> {
    position: &'a GomokuPosition,
    attacker: Side,
    board: &'a HoldBoard,
    rows: &'a OpenRows,
    attack: Option<u16>,
}

impl HoldTask<'_> {
    fn run(&self, monitor: &Monitor, limit: u64, is_checked: bool) -> Result<HoldNews, Stopped> {
        let (mut position, mut rows) = (self.position.clone(), self.rows.clone());
        if let Some(attack) = self.attack {
            position.play(GomokuMove(attack));
            rows = self.board.bit(attack).map_or(rows.clone(), |bit| rows.attacked(bit));
        }
        let mut search = HoldSearch::with_table(self.board, monitor, limit);
        let end = search.search(Mover::Defender, &rows)?;
        let answer = search.answer(&rows).filter(|_| end == HoldAnswer::Held).map(|bit| self.board.point(bit));
        let nodes = search.nodes();
        let checked = if is_checked && end == HoldAnswer::Held {
            let check = HoldCheck::new(self.board, &mut search, monitor, position, self.attacker);
            let below = |hole: HoldHole| HoldHole(self.attack.into_iter().chain(hole.0).collect());
            Some(check.check(&rows)?.map_err(below))
        } else {
            None
        };
        Ok(HoldNews { attack: self.attack, answer, end, nodes, checked })
    }
}
