//! The search itself: depth-first proof-number search, as in [`crate::solvers::dfpn`].
//!
//! The proof number of a position is a guess at how much is left to be proven. Where one side has a choice it is the
//! least of its moves; where all moves have to be answered it is their sum after a threat, and the greatest of them
//! and one for each other open one after a quiet move. Disproof numbers are counted in the latter way where the
//! attacker has the choice, since its moves are many and lead to the same positions.

use super::judge::QUIET;
use super::node::{INFINITY, NodeStage, ThreatNode};
use super::{PASS, ThreatSearch, m_or_pass};
use crate::solvers::gomoku::lines::codes::MoveClass;
use crate::solvers::monitor::Stopped;

/// What the moves of a position come to.
struct Combined {
    /// Place of the move to search next, its own number that is summed, and the next best of the other number.
    best: usize,
    summed_of_best: u32,
    second: u32,
    proof: u32,
    disproof: u32,
}

impl ThreatSearch<'_> {
    /// Searches until one of the numbers reaches its threshold, or the limit of positions is reached. The position
    /// was judged, and is open.
    pub(super) fn develop(&mut self, most_proof: u32, most_disproof: u32) -> Result<(), Stopped> {
        let hash = self.stones.hash();
        let Some(node) = self.nodes.get(&hash) else { return Ok(()) };
        let (mut stage, is_complete, mut moves) = (node.stage, node.is_complete, node.moves.to_vec());
        let is_attack = self.stones.side() == self.attacker;
        if is_attack && stage == NodeStage::Judged {
            (moves, stage) = (self.attacks(), NodeStage::Attack);
        }
        // The replies to a threat, unless it is a four, are those after which no continuous fours were found.
        let no_fours = stage == NodeStage::Threat && self.stones.lines.count_of(self.attacker, MoveClass::Five) == 0;
        self.judge_moves(&moves, no_fours)?;
        let (proof, disproof) = loop {
            let Combined { best, summed_of_best, second, proof, disproof } = self.combine(&moves, stage);
            if proof == 0 && stage == NodeStage::Passing {
                (moves, stage) = (self.replies_to_quiet_move().likely, NodeStage::Quiet);
                self.judge_moves(&moves, false)?;
                continue;
            }
            let is_over = proof >= most_proof || disproof >= most_disproof || proof == 0 || disproof == 0;
            if is_over || self.judged >= self.limit {
                break (proof, disproof);
            }
            let (chosen, summed) = if is_attack { (most_proof, most_disproof) } else { (most_disproof, most_proof) };
            let sum = if is_attack { disproof } else { proof };
            let chosen = chosen.min(second.saturating_add(second / 4 + 1));
            let summed = summed.saturating_sub(sum).saturating_add(summed_of_best).max(summed_of_best + 1);
            let (below_proof, below_disproof) = if is_attack { (chosen, summed) } else { (summed, chosen) };
            let m = moves[best];
            self.play(m);
            let result = self.develop(below_proof.min(INFINITY), below_disproof.min(INFINITY));
            self.undo(m);
            result?;
        };
        self.nodes.insert(hash, ThreatNode { proof, disproof, stage, is_complete, moves: moves.into() });
        Ok(())
    }

    /// Judges the positions after these moves.
    fn judge_moves(&mut self, moves: &[u16], no_fours: bool) -> Result<(), Stopped> {
        for (rank, &m) in moves.iter().enumerate() {
            self.judge_move(m, rank, no_fours)?;
        }
        Ok(())
    }

    /// Judges the position after a move, if that was not done before.
    pub(super) fn judge_move(&mut self, m: u16, rank: usize, no_fours: bool) -> Result<(), Stopped> {
        let hash = self.stones.hash_after(m_or_pass(m));
        if self.nodes.contains_key(&hash) {
            return Ok(());
        }
        // A pass is judged by itself.
        let node = if m == PASS {
            self.stones.pass();
            let node = self.judge(rank, no_fours);
            self.stones.pass();
            node
        } else {
            self.stones.put_aside(m);
            let node = self.judge(rank, no_fours);
            self.stones.take_back(m);
            node
        };
        self.nodes.insert(hash, node?);
        Ok(())
    }

    /// The numbers of the position from those of its moves.
    fn combine(&self, moves: &[u16], stage: NodeStage) -> Combined {
        let is_attack = stage == NodeStage::Attack;
        let (mut best, mut summed_of_best, mut least, mut second) = (0, 0, INFINITY, INFINITY);
        let (mut sum, mut greatest, mut open) = (0u32, 0u32, 0u32);
        for (i, &m) in moves.iter().enumerate() {
            let (proof, disproof) = self.numbers(self.stones.hash_after(m_or_pass(m)));
            let (chosen, summed) = if is_attack { (proof, disproof) } else { (disproof, proof) };
            (sum, greatest) = (sum.saturating_add(summed).min(INFINITY), greatest.max(summed));
            open += u32::from(summed > 0);
            if chosen < least || i == 0 {
                second = if i == 0 { INFINITY } else { least };
                (best, summed_of_best, least) = (i, summed, chosen);
            } else {
                second = second.min(chosen);
            }
        }
        let total = match stage {
            _ if greatest >= INFINITY => INFINITY,
            NodeStage::Threat => sum.min(INFINITY - 1),
            NodeStage::Passing if greatest > 0 => greatest.saturating_add(QUIET).min(INFINITY - 1),
            _ => greatest.saturating_add(open.saturating_sub(1)).min(INFINITY - 1),
        };
        let (mut proof, mut disproof) = if is_attack { (least, total) } else { (total, least) };
        if moves.is_empty() && is_attack {
            (proof, disproof) = (INFINITY, 0);
        }
        if proof == 0 {
            disproof = INFINITY;
        } else if disproof == 0 {
            proof = INFINITY;
        }
        Combined { best, summed_of_best, second, proof, disproof }
    }

    /// The numbers of a position that was judged.
    pub(super) fn numbers(&self, hash: u64) -> (u32, u32) {
        self.nodes.get(&hash).map_or((1, 1), |node| (node.proof, node.disproof))
    }
}
