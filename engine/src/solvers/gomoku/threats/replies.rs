//! What a plan asks of threats: which replies to a move matter, and what a proof looks like.

use super::node::NodeStage;
use super::zone::QuietReplies;
use super::{PASS, ThreatSearch};
use crate::solvers::monitor::Stopped;

/// The replies that matter after a move of the attacker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThreatReplies {
    /// The defender wins, or may win.
    Lost,
    /// The attacker wins, whatever the reply.
    Won,
    /// The attacker has made a threat: the replies after which it has no continuous fours.
    Threat(Vec<u16>),
    /// The attacker wins by threats if the defender passes: the replies that change something in that.
    Quiet(Vec<u16>),
    /// It does not, as far as is known: all legal replies matter.
    All,
}

/// How the attacker, who is to move, wins in a position of a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProvenAttack {
    /// By this move.
    Move(u16),
    /// By these continuous fours: moves of both sides.
    Fours(Vec<u16>),
}

impl ThreatSearch<'_> {
    /// The replies that matter. The defender is to move, and nothing was searched before.
    ///
    /// # Errors
    /// The search is to stop.
    pub fn replies_that_matter(&mut self) -> Result<ThreatReplies, Stopped> {
        let node = self.judge(0, false)?;
        let (stage, moves) = (node.stage, node.moves.to_vec());
        let (is_won, is_lost) = (node.proof == 0, node.disproof == 0);
        self.nodes.insert(self.stones.hash(), node);
        if is_won {
            return Ok(ThreatReplies::Won);
        }
        if is_lost {
            return Ok(ThreatReplies::Lost);
        }
        if stage == NodeStage::Threat {
            return Ok(ThreatReplies::Threat(moves));
        }
        self.play(PASS);
        let is_proven = self.proves();
        self.undo(PASS);
        if !is_proven? {
            return Ok(ThreatReplies::All);
        }
        let QuietReplies { mut likely, others } = self.replies_to_quiet_move();
        likely.extend(others);
        Ok(ThreatReplies::Quiet(likely))
    }

    /// How the attacker, who is to move, wins here; `None` if that is not proven.
    pub fn attack(&mut self) -> Option<ProvenAttack> {
        if self.numbers(self.stones.hash()).0 != 0 {
            return None;
        }
        if let Some(m) = self.proven_move() {
            return Some(ProvenAttack::Move(m));
        }
        self.line_of_fours(super::judge::ATTACK_LIMIT).map(ProvenAttack::Fours)
    }

    /// The attacker's continuous fours after a reply of the defender, who is to move, or after a pass.
    pub fn fours_after(&mut self, reply: Option<u16>) -> Option<Vec<u16>> {
        if let Some(point) = reply {
            return self.stones.continuous_fours_after(point, super::judge::THREAT_LIMIT).map(|win| win.line);
        }
        self.stones.pass();
        let line = self.line_of_fours(super::judge::THREAT_LIMIT);
        self.stones.pass();
        line
    }

    /// The other side is to move, and nothing else changes; done twice, it is undone.
    pub fn pass(&mut self) {
        self.stones.pass();
    }

    /// The moves of the side to move near stones, in the order of the player, and the point where the attacker has to
    /// play if the defender has a four.
    pub fn ranked_moves(&self) -> (Vec<u16>, Option<u16>) {
        let mut moves = Vec::new();
        super::rated_moves(&self.stones, (super::NO_MOVE, super::Need::Any), &mut moves);
        moves.sort_by_key(|m| (std::cmp::Reverse(m.rating), m.point));
        let forced = self.stones.first_of(self.attacker.other(), super::MoveClass::Five);
        (moves.into_iter().map(|m| m.point).collect(), forced)
    }
}
