//! Proves that one side, the *attacker*, wins: by fours, by threats of continuous fours, and by a few quiet moves.
//!
//! It is a depth-first proof-number search (`develop`). What makes it small is that a move of the attacker is
//! judged by what happens if the defender passes (`judge`):
//! - If the attacker then has a victory by continuous fours, the move is a *threat*. A reply that does not touch
//!   these fours changes nothing: it lies on none of their points, and it gives the defender no four while they are
//!   played. Of the others those have to be searched after which there is no victory by continuous fours.
//! - Else the move is *quiet*. First it is proven that the attacker wins if the defender passes. That proof rests on
//!   some points (`zone`); the defender's replies on these are searched, and those that could help it to a four.
//!   Any other reply changes nothing in the proof.
//!
//! The attacker's moves are those that make threes or fours, and the quiet ones that look best. So a search that
//! finds no victory says nothing. What it finds is whole: `whole` adds the replies that were left out while it was
//! looked for. (Threat space search: L. V. Allis, H. J. van den Herik and M. P. H. Huntjens, 1993. Relevance zones of
//! proofs after a pass: I. C. Wu and P. H. Lin, for Connect6, 2010. This is neither of them.)

mod develop;
mod judge;
mod node;
pub mod replies;
mod whole;
mod zone;

use self::node::{NodeStage, ThreatNode, ThreatNodes};
use super::lines::board::LineTables;
use super::lines::codes::MoveClass;
use super::lines::weights::LineWeights;
use super::player::ordering::{Need, rated_moves};
use super::player::stones::SearchStones;
use super::windows::WindowTable;
use crate::core::game::Side;
use crate::games::gomoku::board::{GomokuBoard, POINTS};
use crate::games::gomoku::position::GomokuPosition;
use crate::games::gomoku::rules::{GomokuRules, RowRule};
use crate::solvers::entry::NO_MOVE;
use crate::solvers::monitor::{Monitor, Stopped};
use std::collections::HashSet;

/// In place of a point: the defender passes.
const PASS: u16 = u16::MAX;
const _: () = assert!(PASS as usize >= POINTS);
/// Positions between two reports.
const REPORT: u64 = 1024;

/// What is computed for a board and its rules.
#[derive(Debug)]
pub struct ThreatTables {
    board: GomokuBoard,
    win: u8,
    lines: LineTables,
    windows: WindowTable,
}

impl ThreatTables {
    /// The tables, which take a tenth of a second; `None` under rules that the search is not for: rows other than
    /// those of three to five stones, renju, and Caro.
    pub fn new(board: GomokuBoard, rules: GomokuRules) -> Option<ThreatTables> {
        if !matches!(rules.rule(), RowRule::Five | RowRule::Free) {
            return None;
        }
        let lines = LineTables::with_weights(rules, LineWeights::of_threats()).ok()?;
        let windows = WindowTable::new(board, rules).ok()?;
        Some(ThreatTables { board, win: rules.win(), lines, windows })
    }
}

/// How large a proof is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThreatProofSize {
    /// Positions with the attacker to move, with those that are won by fours.
    pub attacks: u64,
    /// Positions with the defender to move.
    pub defences: u64,
    /// Those of them that come from a quiet move.
    pub quiet: u64,
}

/// A search for the attacker's victory in one position.
pub struct ThreatSearch<'a> {
    stones: SearchStones<'a>,
    board: GomokuBoard,
    win: u8,
    attacker: Side,
    nodes: ThreatNodes,
    /// Positions whose proof leaves no reply out.
    whole: HashSet<u64>,
    /// What judging a position after a threat has shown it to rest on.
    zones: zone::LocalZones,
    monitor: &'a Monitor,
    /// Positions judged so far, and those of them that the monitor knows of.
    judged: u64,
    reported: u64,
    /// At so many it gives up.
    limit: u64,
    /// Quiet moves that are tried in a position.
    quiet_moves: usize,
}

impl<'a> ThreatSearch<'a> {
    /// A search that judges no more than `limit` positions. Each takes some 100 bytes. The position has the board and
    /// the rules of the tables, and no side has won.
    pub fn new(
        tables: &'a ThreatTables,
        position: &GomokuPosition,
        attacker: Side,
        monitor: &'a Monitor,
        limit: u64,
    ) -> ThreatSearch<'a> {
        ThreatSearch {
            stones: SearchStones::new(&tables.lines, Some(&tables.windows), position),
            board: tables.board,
            win: tables.win,
            attacker,
            nodes: ThreatNodes::default(),
            whole: HashSet::new(),
            zones: zone::LocalZones::default(),
            monitor,
            judged: 0,
            reported: 0,
            limit,
            quiet_moves: judge::QUIET_MOVES,
        }
    }

    /// The same search, but without quiet moves: by threats alone.
    pub fn without_quiet_moves(self) -> Self {
        ThreatSearch { quiet_moves: 0, ..self }
    }

    /// Whether the attacker wins, as far as is found. `false` says nothing.
    ///
    /// # Errors
    /// The search is to stop.
    pub fn proves(&mut self) -> Result<bool, Stopped> {
        let hash = self.stones.hash();
        if !self.nodes.contains_key(&hash) {
            let node = self.judge(1, false)?;
            self.nodes.insert(hash, node);
        }
        if self.nodes.get(&hash).is_some_and(ThreatNode::is_open) {
            self.develop(node::INFINITY, node::INFINITY)?;
        }
        let is_proven = self.numbers(hash).0 == 0 && self.make_whole()?;
        // If the question is answered, a stop that comes this late does not matter.
        let _ = self.report();
        Ok(is_proven)
    }

    /// Positions judged so far.
    pub fn judged(&self) -> u64 {
        self.judged
    }

    /// The attacker's move in the position, if it is to move and its victory is proven.
    pub fn first_move(&mut self) -> Option<u16> {
        if self.stones.side() != self.attacker || self.nodes.get(&self.stones.hash())?.proof != 0 {
            return None;
        }
        self.proven_move().or_else(|| self.line_of_fours(judge::ATTACK_LIMIT)?.first().copied())
    }

    /// The replies of the defender, who is to move, that the proof answers one by one. All others change nothing.
    /// `None` if nothing is proven of the position.
    pub fn replies(&self) -> Option<&[u16]> {
        let node = self.nodes.get(&self.stones.hash())?;
        (self.stones.side() != self.attacker && node.proof == 0).then_some(&*node.moves)
    }

    /// The side to move puts a stone on an empty point.
    pub fn play(&mut self, point: u16) {
        if point == PASS { self.stones.pass() } else { self.stones.play(point) }
    }

    /// Takes back the last move.
    pub fn undo(&mut self, point: u16) {
        if point == PASS { self.stones.pass() } else { self.stones.undo(point) }
    }

    /// How large the proof is that was found.
    pub fn size(&mut self) -> ThreatProofSize {
        let mut size = ThreatProofSize::default();
        self.measure(&mut size, &mut HashSet::new());
        size
    }

    fn measure(&mut self, size: &mut ThreatProofSize, seen: &mut HashSet<u64>) {
        let hash = self.stones.hash();
        if !seen.insert(hash) {
            return;
        }
        let moves = if self.stones.side() == self.attacker {
            size.attacks += 1;
            self.proven_move().into_iter().collect::<Vec<u16>>()
        } else {
            let node = self.nodes.get(&hash);
            size.defences += 1;
            size.quiet += u64::from(node.is_some_and(|node| node.stage == NodeStage::Quiet));
            node.map(|node| node.moves.to_vec()).unwrap_or_default()
        };
        for &m in &moves {
            self.play(m);
            self.measure(size, seen);
            self.undo(m);
        }
    }

    /// The attacker's move whose victory is proven, one with a whole proof if there is one; `None` if it wins by
    /// fours without a move. A move that was proven later, but not wholly, must not take the place of a whole one.
    fn proven_move(&self) -> Option<u16> {
        let moves = &self.nodes.get(&self.stones.hash())?.moves;
        let hash = |m: u16| self.stones.hash_after(m_or_pass(m));
        let is_proven = |m: u16| self.nodes.get(&hash(m)).is_some_and(|node| node.proof == 0);
        let whole = moves.iter().find(|&&m| self.whole.contains(&hash(m)));
        whole.or_else(|| moves.iter().find(|&&m| is_proven(m))).copied()
    }

    fn report(&mut self) -> Result<(), Stopped> {
        let more = self.judged - self.reported;
        self.reported = self.judged;
        self.monitor.report(more)
    }
}

/// A move as [`SearchStones::hash_after`] takes it.
fn m_or_pass(m: u16) -> Option<u16> {
    (m != PASS).then_some(m)
}
