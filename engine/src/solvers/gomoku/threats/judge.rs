//! What a position looks like before any move of it is searched.

use super::node::{NodeStage, ThreatNode};
use super::{NO_MOVE, Need, PASS, REPORT, ThreatSearch, rated_moves};
use crate::solvers::gomoku::lines::codes::MoveClass;
use crate::solvers::monitor::Stopped;

/// Positions in which continuous fours of the attacker, who is to move, are looked for.
pub(super) const ATTACK_LIMIT: usize = 300;
/// The same where it would be the defender's turn, and for those of the defender.
pub(super) const THREAT_LIMIT: usize = 200;
/// Quiet moves that are usually tried in a position.
pub(super) const QUIET_MOVES: usize = 12;
/// Proof number of the best quiet move, and how much each later one is above the one before.
pub(super) const QUIET: u32 = 24;
const QUIET_STEP: u32 = 4;
/// An estimate for the attacker from which on a position has proof number 1, and what each further unit of the proof
/// number takes off it.
const PROMISING: i32 = 100;
const ESTIMATE_STEP: i32 = 15;
/// Greatest proof number of a position that is to be searched for the first time.
const MOST_BY_ESTIMATE: i32 = 60;

impl ThreatSearch<'_> {
    /// Judges the position; `rank` is the place of the attacker's last move among its moves. With `no_fours`, the
    /// attacker's continuous fours were looked for already, in vain.
    pub(super) fn judge(&mut self, rank: usize, no_fours: bool) -> Result<ThreatNode, Stopped> {
        self.judged += 1;
        if self.judged - self.reported >= REPORT {
            self.report()?;
        }
        let is_attack = self.stones.side() == self.attacker;
        Ok(if is_attack { self.judge_attack(no_fours) } else { self.judge_defence(rank) })
    }

    /// The attacker is to move.
    fn judge_attack(&mut self, no_fours: bool) -> ThreatNode {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        if self.stones.completions(attacker)[0].is_some() {
            return ThreatNode::won(NodeStage::Attack);
        }
        let [first, second] = self.stones.completions(defender);
        if second.is_some() || self.stones.empty() == 0 {
            return ThreatNode::hopeless(NodeStage::Attack);
        }
        if !no_fours && self.line_of_fours(ATTACK_LIMIT).is_some() {
            return ThreatNode::won(NodeStage::Attack);
        }
        let below = (PROMISING - self.stones.estimate_with_aside()) / ESTIMATE_STEP;
        // A reply that is forced costs nothing.
        let proof = if first.is_some() { 1 } else { below.clamp(0, MOST_BY_ESTIMATE) as u32 + 1 };
        ThreatNode::leaf(proof, 1)
    }

    /// The defender is to move.
    fn judge_defence(&mut self, rank: usize) -> ThreatNode {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        if self.stones.completions(defender)[0].is_some() || self.stones.empty() == 0 {
            return ThreatNode::hopeless(NodeStage::Threat);
        }
        match self.stones.completions(attacker) {
            [None, _] => {}
            [Some(only), None] => return threat(vec![only]),
            _ => return ThreatNode::won(NodeStage::Threat),
        }
        if self.line_of_fours(THREAT_LIMIT).is_some() {
            return ThreatNode::hopeless(NodeStage::Threat);
        }
        self.stones.pass();
        let line = self.line_of_fours(THREAT_LIMIT);
        self.stones.pass();
        let Some(line) = line else {
            let (proof, moves) = (QUIET + QUIET_STEP * rank as u32, Box::new([PASS]));
            return ThreatNode { proof, disproof: 1, stage: NodeStage::Passing, is_complete: false, moves };
        };
        let points = self.replies_to_line(&line);
        if points.is_empty() { ThreatNode::won(NodeStage::Threat) } else { threat(points) }
    }

    /// The replies of the defender, who is to move, after which no continuous fours are found. If it passes, the
    /// attacker has those of `line`; a reply that does not touch them changes nothing.
    fn replies_to_line(&mut self, line: &[u16]) -> Vec<u16> {
        let zone = self.stones.touches(line);
        let open: Vec<u16> =
            (self.board.points()).filter(|&point| self.stones.is_empty(point) && zone.has(point)).collect();
        open.into_iter().filter(|&point| self.stones.continuous_fours_after(point, THREAT_LIMIT).is_none()).collect()
    }

    /// A victory of the side to move by continuous fours, if one is found in so many positions.
    pub(super) fn line_of_fours(&mut self, limit: usize) -> Option<Vec<u16>> {
        self.stones.continuous_fours(limit).map(|win| win.line)
    }

    /// The attacker's moves that are searched, the best first.
    pub(super) fn attacks(&self) -> Vec<u16> {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        if let Some(only) = self.stones.first_of(defender, MoveClass::Five) {
            return vec![only];
        }
        let is_threatened = self.stones.lines.count_of(defender, MoveClass::StraightFour) > 0;
        let need = if is_threatened { Need::MeetThreat } else { Need::Any };
        let mut moves = Vec::new();
        rated_moves(&self.stones, (NO_MOVE, need), &mut moves);
        moves.sort_by_key(|m| (std::cmp::Reverse(m.rating), m.point));
        let mut quiet = 0;
        moves.retain(|m| {
            let is_quiet = self.stones.lines.class(m.point, attacker) < MoveClass::Three;
            quiet += usize::from(is_quiet);
            !is_quiet || is_threatened || quiet <= self.quiet_moves
        });
        moves.into_iter().map(|m| m.point).collect()
    }
}

/// A position in which these replies are to be searched.
fn threat(replies: Vec<u16>) -> ThreatNode {
    let (proof, moves) = (replies.len() as u32, replies.into());
    ThreatNode { proof, disproof: 1, stage: NodeStage::Threat, is_complete: true, moves }
}
