//! Checks a plan by full width: after each of its moves every legal reply is looked at.
//!
//! A reply leads to another position of the plan, or the attacker wins by threats. The search of threats only
//! proposes how; each of its positions is gone through by [`super::naive`]: where the defender is to move, again
//! every legal reply has to be answered, by a move that is proposed or by continuous fours that are played out on
//! the board. No reply is left out because it lies outside a zone: where a move threatens nothing at once, what
//! follows a pass is gone through anew beside each such reply. Since a move adds a stone, it does not matter in which
//! order the moves of a plan are checked; if all of them hold, and all replies to the first position, the plan is a
//! proof.

use super::naive::{CheckPoint, CheckStones};
use super::{PlannedMove, WinningPlan};
use crate::core::game::{Game, Side};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::solvers::gomoku::threats::replies::ProvenAttack;
use crate::solvers::gomoku::threats::{ThreatSearch, ThreatTables};
use crate::solvers::monitor::{Monitor, Stopped};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Positions in which threats are looked for after a reply that the plan does not have.
const LIMIT: u64 = 200_000;

/// What the check of one move, or of the first position, has come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedReplies {
    /// Legal replies that were looked at.
    pub replies: u64,
    /// Those of them that lead to another position of the plan.
    pub planned: u64,
    /// Those after which threats win.
    pub by_threats: u64,
    /// Positions with the defender to move in the proofs by threats, each of whose legal replies was looked at.
    pub positions: u64,
}

impl std::ops::AddAssign for CheckedReplies {
    fn add_assign(&mut self, other: CheckedReplies) {
        self.replies += other.replies;
        self.planned += other.planned;
        self.by_threats += other.by_threats;
        self.positions += other.positions;
    }
}

/// Why a plan proves nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanHole {
    /// The moves from the plan's first position on, as points.
    pub moves: Vec<u16>,
    /// What is wrong after these.
    pub reason: HoleReason,
}

/// What is wrong in a position of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HoleReason {
    /// The plan does not have the position, and no victory by threats was found.
    #[error("the plan has no move here, and threats are not found to win")]
    Open,
    /// The last reply makes the defender's row.
    #[error("the defender has won")]
    DefenderWins,
    /// The board is full.
    #[error("the board is full")]
    Full,
    /// A victory by threats that the search has found does not hold.
    #[error("the victory by threats does not hold")]
    Refuted,
}

/// A plan that is checked.
#[derive(Debug)]
pub struct PlanCheck<'a> {
    plan: &'a WinningPlan,
    tables: &'a ThreatTables,
}

impl<'a> PlanCheck<'a> {
    /// A check with the tables of the plan's board and rules.
    pub fn new(plan: &'a WinningPlan, tables: &'a ThreatTables) -> PlanCheck<'a> {
        PlanCheck { plan, tables }
    }

    /// Checks the first position: the plan has a move in it, or answers every reply to what is on the board.
    ///
    /// # Errors
    /// The check is to stop.
    pub fn check_start(&self, monitor: &Monitor) -> Result<Result<CheckedReplies, PlanHole>, Stopped> {
        let start = self.plan.start();
        if start.side() != self.plan.attacker() {
            return self.check_replies(start, &[], monitor);
        }
        let mut checked = CheckedReplies { replies: 1, ..CheckedReplies::default() };
        let result = self.check_position(start, &[], &mut checked, monitor)?;
        Ok(result.map(|()| checked))
    }

    /// Checks the replies after one of the plan's moves.
    ///
    /// # Errors
    /// The check is to stop.
    pub fn check_move(
        &self,
        planned: &PlannedMove,
        monitor: &Monitor,
    ) -> Result<Result<CheckedReplies, PlanHole>, Stopped> {
        let PlannedMove { way, answer } = planned;
        let mut position = self.plan.position(planned);
        position.play(GomokuMove(*answer));
        let mut moves = way.clone();
        moves.push(*answer);
        // A row ends the game.
        if position.winner() == Some(self.plan.attacker()) {
            return Ok(Ok(CheckedReplies::default()));
        }
        self.check_replies(&position, &moves, monitor)
    }

    /// Checks what answers a position with the attacker to move, to which `way` leads: the replies after the plan's
    /// move there, or a victory by threats.
    ///
    /// # Errors
    /// The check is to stop.
    pub fn check_answer(&self, way: &[u16], monitor: &Monitor) -> Result<Result<CheckedReplies, PlanHole>, Stopped> {
        let position = self.plan.position_after(way);
        if let Some(answer) = self.plan.answer(&position) {
            return self.check_move(&PlannedMove { way: way.to_vec(), answer }, monitor);
        }
        let mut checked = CheckedReplies { replies: 1, ..CheckedReplies::default() };
        let result = self.check_position(&position, way, &mut checked, monitor)?;
        Ok(result.map(|()| checked))
    }

    /// Checks every legal reply in a position with the defender to move, to which `moves` lead.
    fn check_replies(
        &self,
        position: &GomokuPosition,
        moves: &[u16],
        monitor: &Monitor,
    ) -> Result<Result<CheckedReplies, PlanHole>, Stopped> {
        let mut checked = CheckedReplies::default();
        let board = position.board();
        let hole = |reply: Option<u16>, reason| {
            Ok(Err(PlanHole { moves: moves.iter().copied().chain(reply).collect(), reason }))
        };
        let Some(stones) = CheckStones::new(position) else { return hole(None, HoleReason::Open) };
        let replies = stones.empty_points();
        if replies.is_empty() {
            return hole(None, HoleReason::Full);
        }
        if let Some(&(x, y)) = stones.completions(self.plan.attacker().other()).first() {
            return hole(board.point(x as u8, y as u8), HoleReason::DefenderWins);
        }
        let mut next = position.clone();
        for (x, y) in replies {
            let Some(point) = board.point(x as u8, y as u8) else { return hole(None, HoleReason::Open) };
            checked.replies += 1;
            let undo = next.play(GomokuMove(point));
            let way: Vec<u16> = moves.iter().copied().chain([point]).collect();
            if let Err(hole) = self.check_position(&next, &way, &mut checked, monitor)? {
                return Ok(Err(hole));
            }
            next.undo(GomokuMove(point), undo);
        }
        Ok(Ok(checked))
    }

    /// Checks a position with the attacker to move: the plan has it, or threats win.
    fn check_position(
        &self,
        position: &GomokuPosition,
        moves: &[u16],
        checked: &mut CheckedReplies,
        monitor: &Monitor,
    ) -> Result<Result<(), PlanHole>, Stopped> {
        if self.plan.answer(position).is_some() {
            checked.planned += 1;
            return Ok(Ok(()));
        }
        let hole = |reason| Ok(Err(PlanHole { moves: moves.to_vec(), reason }));
        let mut search =
            ThreatSearch::new(self.tables, position, self.plan.attacker(), monitor, LIMIT).without_quiet_moves();
        if !search.proves()? {
            return hole(HoleReason::Open);
        }
        let Some(stones) = CheckStones::new(position) else { return hole(HoleReason::Open) };
        let mut proof =
            ThreatProofCheck { search, stones, position, attacker: self.plan.attacker(), seen: HashSet::new() };
        if !proof.attacker_wins() {
            return hole(HoleReason::Refuted);
        }
        checked.by_threats += 1;
        checked.positions += proof.seen.len() as u64;
        Ok(Ok(()))
    }
}

/// A proof by threats that is gone through on stones of the checker.
struct ThreatProofCheck<'s> {
    search: ThreatSearch<'s>,
    stones: CheckStones,
    position: &'s GomokuPosition,
    attacker: Side,
    /// Positions with the defender to move that were checked.
    seen: HashSet<Vec<u8>>,
}

impl ThreatProofCheck<'_> {
    fn place(&self, point: u16) -> CheckPoint {
        let (x, y) = self.position.board().place(point);
        (i32::from(x), i32::from(y))
    }

    fn points(&self, line: &[u16]) -> Vec<CheckPoint> {
        line.iter().map(|&point| self.place(point)).collect()
    }

    /// Whether the attacker, who is to move, wins.
    fn attacker_wins(&mut self) -> bool {
        match self.search.attack() {
            None => false,
            Some(ProvenAttack::Fours(line)) => {
                let (line, threatened) = (self.points(&line), self.stones.completions(self.attacker.other()));
                self.stones.wins_by_fours(self.attacker, &line, threatened)
            }
            Some(ProvenAttack::Move(point)) => {
                let place = self.place(point);
                if !self.stones.is_empty(place) {
                    return false;
                }
                if self.stones.wins_at(place, self.attacker) {
                    return true;
                }
                self.search.play(point);
                self.stones.put(place, self.attacker);
                let wins = self.defender_loses();
                self.stones.take(place);
                self.search.undo(point);
                wins
            }
        }
    }

    /// Whether the attacker wins after every legal reply of the defender, who is to move.
    fn defender_loses(&mut self) -> bool {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        if !self.seen.insert(self.stones.key()) {
            return true;
        }
        let replies = self.stones.empty_points();
        if replies.is_empty() || !self.stones.completions(defender).is_empty() {
            return false;
        }
        let rows = self.stones.completions(attacker);
        if rows.len() >= 2 {
            // Whatever the reply, one of them is left.
            return true;
        }
        let searched: Vec<u16> = self.search.replies().unwrap_or_default().to_vec();
        let after_pass = self.search.fours_after(None).unwrap_or_default();
        let after_pass = self.points(&after_pass);
        for place in replies {
            if rows.first().is_some_and(|&row| row != place) {
                continue;
            }
            let Some(point) = self.position.board().point(place.0 as u8, place.1 as u8) else { return false };
            self.stones.put(place, defender);
            let wins = if searched.contains(&point) {
                self.search.play(point);
                let wins = self.attacker_wins();
                self.search.undo(point);
                wins
            } else if after_pass.is_empty() {
                // The move threatens nothing at once: what proves it after a pass holds beside this reply, too.
                self.search.pass();
                let wins = self.attacker_wins();
                self.search.pass();
                wins
            } else {
                self.fours_win(place, point, &after_pass)
            };
            self.stones.take(place);
            if !wins {
                return false;
            }
        }
        true
    }

    /// Whether continuous fours win after a reply, which is on the board: those that win after a pass, or others.
    fn fours_win(&mut self, place: CheckPoint, point: u16, after_pass: &[CheckPoint]) -> bool {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        let threatened = self.stones.completions_in_line(place, defender);
        if self.stones.wins_by_fours(attacker, after_pass, threatened.clone()) {
            return true;
        }
        let Some(line) = self.search.fours_after(Some(point)) else { return false };
        let line = self.points(&line);
        self.stones.wins_by_fours(attacker, &line, threatened)
    }
}
