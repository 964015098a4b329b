//! Makes a proof whole: adds the replies that were left out while it was looked for.
//!
//! The search takes a quiet move for proven once the replies on the points that its proof after a pass uses are. Most
//! quiet moves that are tried are of no use, so the others are added where a proof was found, from its end on.

use super::node::{INFINITY, NodeStage};
use super::zone::QuietReplies;
use super::{PASS, ThreatSearch};
use crate::solvers::monitor::Stopped;

/// Positions that are judged for one reply that was left out.
const REPLY_LIMIT: u64 = 200_000;

impl ThreatSearch<'_> {
    /// Adds what is missing to the proof of the position. If a reply that was left out refutes it, another one is
    /// looked for; whether there is one.
    pub(super) fn make_whole(&mut self) -> Result<bool, Stopped> {
        let hash = self.stones.hash();
        if self.whole.contains(&hash) {
            return Ok(true);
        }
        let is_whole = if self.stones.side() == self.attacker {
            self.make_attack_whole(hash)?
        } else {
            self.make_defence_whole(hash)?
        };
        if is_whole {
            self.whole.insert(hash);
        } else if let Some(node) = self.nodes.get_mut(&hash) {
            (node.proof, node.disproof) = (INFINITY, 0);
        }
        Ok(is_whole)
    }

    fn make_attack_whole(&mut self, hash: u64) -> Result<bool, Stopped> {
        // The first time the position is won by fours, or by a move that is proven.
        while self.numbers(hash).0 == 0 {
            let Some(m) = self.proven_move() else { return Ok(self.has_no_moves(hash)) };
            if self.move_is_whole(m)? {
                return Ok(true);
            }
            if self.judged < self.limit {
                self.reopen(hash);
                self.develop(INFINITY, INFINITY)?;
            } else {
                return Ok(false);
            }
        }
        Ok(false)
    }

    fn make_defence_whole(&mut self, hash: u64) -> Result<bool, Stopped> {
        let Some(node) = self.nodes.get(&hash) else { return Ok(false) };
        let (stage, is_complete, mut moves) = (node.stage, node.is_complete, node.moves.to_vec());
        if stage == NodeStage::Passing || stage == NodeStage::Quiet && !self.move_is_whole(PASS)? {
            return Ok(false);
        }
        for &m in &moves {
            if !self.move_is_whole(m)? {
                return Ok(false);
            }
        }
        if stage == NodeStage::Quiet && !is_complete {
            // The proof after a pass may be another one by now.
            let QuietReplies { likely, others } = self.replies_to_quiet_move();
            for m in likely.into_iter().chain(others) {
                if moves.contains(&m) {
                    continue;
                }
                if !self.prove_reply(m)? {
                    return Ok(false);
                }
                moves.push(m);
            }
            if let Some(node) = self.nodes.get_mut(&hash) {
                (node.moves, node.is_complete) = (moves.into(), true);
            }
        }
        Ok(true)
    }

    /// Proves that the attacker wins after a reply that was left out.
    fn prove_reply(&mut self, m: u16) -> Result<bool, Stopped> {
        self.judge_move(m, 0, false)?;
        self.play(m);
        let hash = self.stones.hash();
        let limit = self.limit;
        self.limit = limit.min(self.judged + REPLY_LIMIT);
        let is_open = self.nodes.get(&hash).is_some_and(|node| node.is_open());
        let result = if is_open { self.develop(INFINITY, INFINITY) } else { Ok(()) };
        self.limit = limit;
        let is_whole = match result {
            Ok(()) if self.numbers(hash).0 == 0 => self.make_whole(),
            Ok(()) => Ok(false),
            Err(stopped) => Err(stopped),
        };
        self.undo(m);
        is_whole
    }

    fn move_is_whole(&mut self, m: u16) -> Result<bool, Stopped> {
        self.play(m);
        let is_whole = self.make_whole();
        self.undo(m);
        is_whole
    }

    /// Lets a position be searched again whose proof has not held.
    fn reopen(&mut self, hash: u64) {
        if let Some(node) = self.nodes.get_mut(&hash) {
            (node.proof, node.disproof) = (1, 1);
        }
    }

    /// Whether the attacker needs no move that is searched: it wins by fours.
    fn has_no_moves(&self, hash: u64) -> bool {
        self.nodes.get(&hash).is_some_and(|node| node.moves.is_empty())
    }
}
