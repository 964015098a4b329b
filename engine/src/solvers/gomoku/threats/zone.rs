//! What a proof rests on: which replies to a quiet move change something in the proof that begins with a pass.
//!
//! A further stone of the defender changes that proof only if
//! - it lies on a point that the proof uses: a move of either side, or a point of continuous fours; or
//! - it helps the defender to a four that would not be there otherwise. Then it lies in a window without a stone of
//!   the attacker that holds all but one of the stones of a four with it. Beside the stones on the board, these can
//!   be the defender's answers to continuous fours, and one stone wherever it likes: after a threat it may reply on
//!   any point, and the continuous fours follow. For each quiet move of the proof there is one more such stone.
//!
//! A stone that does neither is left out: the attacker plays as if it were not there. Further stones of the defender
//! never help the attacker's rows, and never hinder them from a point that these do not use.

use super::judge::{ATTACK_LIMIT, THREAT_LIMIT};
use super::node::{NodeStage, PositionHasher};
use super::{PASS, ThreatSearch};
use crate::solvers::gomoku::lines::codes::MoveClass;
use crate::solvers::gomoku::points::GomokuPoints;
use crate::solvers::gomoku::vcf::answers_of;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Most quiet moves on one way of a proof for which points that help are told apart from others.
const DEEPEST: usize = 1;

/// What a part of a proof rests on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Zone {
    /// Points that it uses.
    used: GomokuPoints,
    /// Points that help the defender to a four, by how many quiet moves there are on a way.
    near: [GomokuPoints; DEEPEST + 1],
}

/// What single positions rest on, by their hashes.
pub(super) type LocalZones = HashMap<u64, Zone, BuildHasherDefault<PositionHasher>>;

/// The replies to a quiet move that have to be searched.
pub(super) struct QuietReplies {
    /// Those on points that the proof uses.
    pub(super) likely: Vec<u16>,
    /// Those that could help the defender to a four.
    pub(super) others: Vec<u16>,
}

impl Zone {
    fn join(&mut self, other: &Zone) {
        self.used.join(&other.used);
        self.near.iter_mut().zip(&other.near).for_each(|(set, other)| set.join(other));
    }
}

impl ThreatSearch<'_> {
    /// The replies to the attacker's quiet move. It is proven what happens if the defender passes.
    pub(super) fn replies_to_quiet_move(&mut self) -> QuietReplies {
        let mut zone = Zone::default();
        self.play(PASS);
        let quiet = self.rests_on(&mut zone, &mut HashMap::default());
        self.undo(PASS);
        let mut replies = QuietReplies { likely: Vec::new(), others: Vec::new() };
        for point in self.board.points().filter(|&point| self.stones.lines.is_empty(point)) {
            if zone.used.has(point) {
                replies.likely.push(point);
            } else if zone.near.get(quiet).is_none_or(|near| near.has(point)) {
                replies.others.push(point);
            }
        }
        replies
    }

    /// Adds what the proof of the position rests on. Returns the greatest number of quiet moves on one way.
    fn rests_on(
        &mut self,
        zone: &mut Zone,
        seen: &mut HashMap<u64, usize, BuildHasherDefault<PositionHasher>>,
    ) -> usize {
        let hash = self.stones.hash();
        if let Some(&quiet) = seen.get(&hash) {
            return quiet;
        }
        let quiet = if self.stones.side() == self.attacker {
            match self.proven_move() {
                Some(m) => {
                    zone.used.add(m);
                    self.play(m);
                    let quiet = self.rests_on(zone, seen);
                    self.undo(m);
                    quiet
                }
                None => {
                    zone.join(&self.zone_of_fours());
                    0
                }
            }
        } else {
            let Some(node) = self.nodes.get(&hash) else { return 0 };
            let (mut moves, stage) = (node.moves.to_vec(), node.stage);
            moves.iter().for_each(|&m| zone.used.add(m));
            if stage == NodeStage::Quiet {
                moves.push(PASS);
            } else {
                zone.join(&self.zone_of_threat(hash, &moves));
            }
            let mut most = 0;
            for &m in &moves {
                self.play(m);
                most = most.max(self.rests_on(zone, seen));
                self.undo(m);
            }
            most + usize::from(stage == NodeStage::Quiet)
        };
        seen.insert(hash, quiet);
        quiet
    }

    /// What the attacker's continuous fours rest on, with which the position ends.
    fn zone_of_fours(&mut self) -> Zone {
        let mut zone = Zone::default();
        let answers = self.line_of_fours(ATTACK_LIMIT).map(|line| add_line(&mut zone, &line)).unwrap_or_default();
        // No stone is put elsewhere here.
        self.add_near(&mut zone, &answers, 0);
        zone
    }

    /// What is rested on where the defender answers a threat: with replies that are searched, or in vain.
    fn zone_of_threat(&mut self, hash: u64, searched: &[u16]) -> Zone {
        if let Some(zone) = self.zones.get(&hash) {
            return *zone;
        }
        let (mut zone, mut answers) = (Zone::default(), GomokuPoints::default());
        let fives: Vec<u16> = (self.stones.lines.fours(self.attacker))
            .filter(|&(_, class)| class == MoveClass::Five)
            .map(|(point, _)| point)
            .collect();
        if fives.is_empty() {
            self.stones.pass();
            let line = self.line_of_fours(THREAT_LIMIT).unwrap_or_default();
            self.stones.pass();
            let touched = self.stones.touches(&line);
            answers = add_line(&mut zone, &line);
            for point in self.board.points() {
                if self.stones.lines.is_empty(point)
                    && touched.has(point)
                    && !searched.contains(&point)
                    && let Some(win) = self.stones.continuous_fours_after(point, THREAT_LIMIT)
                {
                    answers.join(&add_line(&mut zone, &win.line));
                }
            }
        } else {
            fives.into_iter().for_each(|point| zone.used.add(point));
        }
        self.add_near(&mut zone, &answers, 1);
        self.zones.insert(hash, zone);
        zone
    }

    /// Adds the points that help the defender to a four, where it gets these answers and `more` stones anywhere.
    fn add_near(&self, zone: &mut Zone, answers: &GomokuPoints, more: usize) {
        for (quiet, near) in zone.near.iter_mut().enumerate() {
            // One stone is on the point itself, and a four lacks one of the row.
            let least = usize::from(self.win).saturating_sub(2 + more + quiet);
            self.stones.points_of_windows(self.attacker.other(), |point| answers.has(point), least, |p| near.add(p));
        }
    }
}

/// Adds the points of continuous fours, and returns those where the defender may answer.
fn add_line(zone: &mut Zone, line: &[u16]) -> GomokuPoints {
    line.iter().for_each(|&point| zone.used.add(point));
    answers_of(line).collect()
}
