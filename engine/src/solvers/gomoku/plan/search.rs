//! Looks for a plan: a proof-number search over moves that threats alone do not answer.
//!
//! A position is judged by a search of threats, which costs some milliseconds; the tree above these is small and
//! stays in memory. Where the attacker has no victory by threats, its moves are those that the player ranks highest,
//! and a short search of the player orders them. After a move of the attacker the replies that matter are looked at
//! one by one, the most dangerous first, until the number of the move is above the bound; so a bad move costs little.
//!
//! Proof numbers are estimates of work. There are no disproof numbers: a plan is looked for, and nothing follows from
//! a search that finds none. What was spent on a move of the attacker counts against it, too: a move can look nearly
//! proven for very long, while another one that ranks below it is proven at once.

use super::node::{INFINITY, PlanAttack, PlanDefence, PlanHint};
use super::saved::{PlanRestoreError, SavedPlanTree, read_tree, tree_bytes};
use super::{WinningPlan, canonical};
use crate::core::game::{Budget, Game, Player, Side, Value};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition, stone_hash};
use crate::solvers::gomoku::player::{GomokuPlayer, PlayerError};
use crate::solvers::gomoku::threats::replies::ThreatReplies;
use crate::solvers::gomoku::threats::{ThreatSearch, ThreatTables};
use crate::solvers::monitor::{Monitor, Stopped};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// Positions in which threats are looked for when a position is first seen.
pub const THREATS: u64 = 3_000;
/// The same where its own moves are to be searched, and where the defender passes.
const MORE_THREATS: u64 = 2 * THREATS;
const THREATS_AFTER_PASS: u64 = 4 * THREATS;
/// Moves of the attacker that are tried in a position.
const MOVES: usize = 8;
/// By how much the proof number of each further move is above that of the one before. While there are few stones, the
/// best move has to turn out very hard before another one is tried: each costs minutes.
const STEP: u32 = 2;
const FIRST_STEP: u32 = 2_000;
const FEW_STONES: usize = 3;
/// So many nodes that were spent on a move of the attacker count as much as one more in its proof number.
const EFFORT: u64 = 300_000;
/// Nodes of the player for the best move of a position, and for the value of one.
const NODES_OF_BEST: u64 = 20_000;
const NODES_OF_VALUE: u64 = 1_500;
/// Values of the player from here on are victories that it is sure of.
const SURE: Value = 19_000;
/// Memory of the player's table.
const PLAYER_MEMORY: u64 = 16 << 20;

/// The proof number that the player's value for the attacker stands for.
fn proof_of(value: Value) -> u32 {
    if value >= SURE { 2 } else { ((600 - value) / 40).clamp(3, 60) as u32 }
}

/// The move of the attacker that is searched next.
struct PlanChoice {
    point: u16,
    proof: u32,
    /// What may be spent on it before another one is better: nodes, each unit of the proof number being [`EFFORT`].
    room: u64,
}

/// A search for plans, with its memory.
#[derive(Debug)]
pub struct PlanSearch<'a> {
    tables: &'a ThreatTables,
    attacker: Side,
    /// What is proven already.
    known: &'a WinningPlan,
    position: GomokuPosition,
    player: GomokuPlayer,
    attacks: HashMap<u64, PlanAttack>,
    defences: HashMap<u64, PlanDefence>,
    /// The positions with the defender to move on the way to the current one, each with its reply.
    way: Vec<(u64, u16)>,
    /// Searches of threats so far.
    threats: u64,
    /// Nodes so far: positions judged for threats, and those of the player.
    nodes: u64,
}

impl<'a> PlanSearch<'a> {
    /// A search from a position that no side has won yet, for the side that wins by the plan that is known. Positions
    /// of that plan are taken for proven.
    ///
    /// # Errors
    /// The player cannot be had.
    pub fn new(
        tables: &'a ThreatTables,
        position: &GomokuPosition,
        known: &'a WinningPlan,
    ) -> Result<PlanSearch<'a>, PlayerError> {
        Ok(PlanSearch {
            tables,
            attacker: known.attacker(),
            known,
            position: position.clone(),
            player: GomokuPlayer::new(PLAYER_MEMORY)?,
            attacks: HashMap::new(),
            defences: HashMap::new(),
            way: Vec::new(),
            threats: 0,
            nodes: 0,
        })
    }

    /// The search as bytes, from which it goes on later. So that it goes on here in the same way, the player forgets
    /// what it knows, which is not saved.
    pub fn save(&mut self) -> Vec<u8> {
        self.player.forget();
        let PlanSearch { position, known, threats, nodes, attacks, defences, .. } = self;
        tree_bytes(position, known, (*nodes, *threats), attacks, defences)
    }

    /// A search that goes on from what [`PlanSearch::save`] returned.
    ///
    /// # Errors
    /// The bytes are damaged, or of a search in another position, or the player cannot be had. They are also refused
    /// if the plan lacks moves of the one that the search began with: what it took for proven would then have no
    /// moves. Plans only grow, so this is a plan of another origin, and to search again is for whoever has it.
    pub fn restore(
        tables: &'a ThreatTables,
        position: &GomokuPosition,
        known: &'a WinningPlan,
        bytes: &[u8],
    ) -> Result<PlanSearch<'a>, PlanRestoreError> {
        let SavedPlanTree { nodes, threats, attacks, defences } = read_tree(bytes, position, known)?;
        let search = PlanSearch::new(tables, position, known)?;
        Ok(PlanSearch { attacks, defences, threats, nodes, ..search })
    }

    /// Goes on until the attacker's victory is proven (`true`), or nothing more is to be tried.
    ///
    /// # Errors
    /// The search is to stop. What is known remains, and the next call goes on.
    pub fn run(&mut self, monitor: &Monitor) -> Result<bool, Stopped> {
        let before = monitor.nodes();
        let result = self.develop(monitor);
        self.nodes += monitor.nodes() - before;
        result.map(|()| self.proof() == 0)
    }

    fn develop(&mut self, monitor: &Monitor) -> Result<(), Stopped> {
        let hash = self.hash();
        if self.position.side() == self.attacker {
            self.judge(monitor)?;
            return self.develop_attack(hash, (INFINITY, u64::MAX), monitor);
        }
        self.defences.entry(hash).or_insert_with(|| PlanDefence { proof: 1, ..PlanDefence::default() });
        self.develop_defence(hash, (INFINITY, u64::MAX), monitor)
    }

    /// The proof number of the first position: a guess at the work that is left.
    pub fn proof(&self) -> u32 {
        let hash = self.hash();
        match self.position.side() == self.attacker {
            true => self.attacks.get(&hash).map_or(1, |attack| attack.proof),
            false => self.defences.get(&hash).map_or(1, |defence| defence.proof),
        }
    }

    /// The attacker's moves in the first position, where it is to move, the best first; of moves that lead to images
    /// of the same position one. There are none if it is known to win, or if the search stops.
    pub fn ranked_moves(&mut self, monitor: &Monitor) -> Vec<u16> {
        let hash = self.hash();
        let has_moves = self.attacks.get(&hash).is_some_and(|attack| attack.moves.is_some());
        let ranked = self.judge(monitor).and_then(|proof| match proof {
            1.. if !has_moves => self.expand(hash, monitor),
            _ => Ok(()),
        });
        let attack = self.attacks.get(&hash).filter(|_| ranked.is_ok());
        let moves = attack.and_then(|attack| attack.moves.as_ref());
        let mut moves: Vec<u16> = moves.into_iter().flatten().map(|&(point, _)| point).collect();
        self.leave_out_images(&mut moves);
        moves
    }

    /// The replies to the first position that matter, the most dangerous first, where the defender is to move: none
    /// if the attacker wins whatever the reply is. `None` if the attacker is not known to win, and there is nothing
    /// to look at.
    ///
    /// # Errors
    /// The search is to stop.
    pub fn replies(&mut self, monitor: &Monitor) -> Result<Option<Vec<u16>>, Stopped> {
        let hash = self.hash();
        self.defences.entry(hash).or_insert_with(|| PlanDefence { proof: 1, ..PlanDefence::default() });
        self.list_replies(hash, monitor)?;
        let defence = self.defences.get(&hash).filter(|defence| defence.proof < INFINITY);
        let replies = defence.map(|defence| (defence.proof, defence.replies.clone().unwrap_or_default()));
        // On a full board there is no reply.
        Ok(replies.filter(|(proof, replies)| *proof == 0 || !replies.is_empty()).map(|(_, replies)| replies))
    }

    /// Searches of threats so far.
    pub fn threats(&self) -> u64 {
        self.threats
    }

    /// Nodes of all runs so far: positions judged for threats, and those of the player.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    fn hash(&self) -> u64 {
        self.position.stones().fold(0, |hash, (point, colour)| hash ^ stone_hash(colour, point))
    }

    fn after(&self, hash: u64, side: Side, point: u16) -> u64 {
        hash ^ stone_hash(side, point)
    }

    fn play(&mut self, point: u16) {
        self.position.play(GomokuMove(point));
    }

    /// No side has won in a position that is searched.
    fn undo(&mut self, point: u16) {
        self.position.undo(GomokuMove(point), None);
    }

    fn threat_search<'m>(&self, monitor: &'m Monitor, limit: u64) -> ThreatSearch<'m>
    where
        'a: 'm,
    {
        ThreatSearch::new(self.tables, &self.position, self.attacker, monitor, limit).without_quiet_moves()
    }

    /// Whether the attacker, who is to move, is found to win by threats alone.
    fn wins_by_threats(&mut self, monitor: &Monitor, limit: u64) -> Result<bool, Stopped> {
        self.threats += 1;
        self.threat_search(monitor, limit).proves()
    }

    /// The player's value of the position for the attacker, and its best move.
    fn value(&mut self, monitor: &Monitor, nodes: u64) -> Result<(Value, Option<u16>), Stopped> {
        let mut budget = Budget { depth: u32::MAX, nodes, time: &mut || 0.0 };
        let chosen = self.player.choose(&self.position, &mut budget, &mut |_| {});
        monitor.report(nodes)?;
        let Some(chosen) = chosen else { return Ok((0, None)) };
        let value = if self.position.side() == self.attacker { chosen.value } else { -chosen.value };
        Ok((value, chosen.line.first().map(|m| m.0)))
    }

    /// The proof number of a position with the attacker to move, which is judged if it was not before.
    fn judge(&mut self, monitor: &Monitor) -> Result<u32, Stopped> {
        let hash = self.hash();
        if let Some(attack) = self.attacks.get(&hash) {
            return Ok(attack.proof);
        }
        if let Some(answer) = self.known.answer(&self.position) {
            self.attacks.insert(hash, PlanAttack { best: Some(answer), ..PlanAttack::default() });
            return Ok(0);
        }
        let by_threats = self.wins_by_threats(monitor, THREATS)?;
        let proof = if by_threats { 0 } else { proof_of(self.value(monitor, NODES_OF_VALUE)?.0) };
        self.attacks.insert(hash, PlanAttack { proof, by_threats, budget: THREATS, ..PlanAttack::default() });
        Ok(proof)
    }

    /// Searches a position with the attacker to move until its proof number reaches the bound, or the monitor has
    /// counted so many nodes.
    fn develop_attack(&mut self, hash: u64, (bound, end): (u32, u64), monitor: &Monitor) -> Result<(), Stopped> {
        loop {
            let attack = self.attacks.entry(hash).or_default();
            if attack.proof == 0 || attack.proof >= bound || monitor.nodes() >= end {
                return Ok(());
            }
            let Some(moves) = attack.moves.clone() else {
                self.expand(hash, monitor)?;
                continue;
            };
            let (least, choice) = self.choose(hash, &moves);
            let attack = self.attacks.entry(hash).or_default();
            (attack.proof, attack.best) = (least, choice.as_ref().map(|choice| choice.point));
            let Some(PlanChoice { point, proof, room }) = choice.filter(|_| least > 0 && least < bound) else {
                return Ok(());
            };
            let below = self.after(hash, self.attacker, point);
            self.defences.entry(below).or_insert_with(|| PlanDefence { proof, ..PlanDefence::default() });
            let most = proof.saturating_add((room / EFFORT).min(INFINITY.into()) as u32);
            // The move need not be the one of the least number.
            let most = if proof < bound { most.min(bound) } else { most };
            let before = monitor.nodes();
            self.play(point);
            let result = self.develop_defence(below, (most, end.min(before.saturating_add(room))), monitor);
            self.undo(point);
            if let Some(defence) = self.defences.get_mut(&below) {
                defence.effort += monitor.nodes() - before;
            }
            result?;
        }
    }

    /// The least proof number of the attacker's moves, each of which has a number from before it was looked at, and
    /// the move to search next: a proven one, or the least of number and effort together.
    fn choose(&self, hash: u64, moves: &[(u16, u32)]) -> (u32, Option<PlanChoice>) {
        let (mut least, mut choice) = (INFINITY, None);
        let (mut first, mut second) = (u64::MAX, u64::MAX);
        for &(point, before) in moves {
            let defence = self.defences.get(&self.after(hash, self.attacker, point));
            let (proof, effort) = defence.map_or((before, 0), |defence| (defence.proof, defence.effort));
            least = least.min(proof);
            let number = match proof {
                0 => 0,
                INFINITY.. => continue,
                proof => effort.saturating_add(EFFORT * u64::from(proof)),
            };
            if number < first {
                (first, second) = (number, first);
                choice = Some((point, proof));
            } else {
                second = second.min(number);
            }
        }
        let room = second.saturating_add(second / 4).saturating_sub(first).saturating_add(EFFORT);
        (least, choice.map(|(point, proof)| PlanChoice { point, proof, room }))
    }

    /// What answers the same reply in a position like the one before, and what has answered another reply there.
    fn hints(&self) -> Vec<PlanHint> {
        let Some(&(before, reply)) = self.way.last() else { return Vec::new() };
        let Some(defence) = self.defences.get(&before) else { return Vec::new() };
        let of_model = defence.model.and_then(|model| {
            let alike = self.after(model, self.attacker.other(), reply);
            let attack = self.attacks.get(&alike).filter(|attack| attack.proof == 0)?;
            attack.best.map(|point| PlanHint { point, model: self.after(alike, self.attacker, point) })
        });
        let of_other = defence.answered.filter(|hint| of_model.is_none_or(|other| other.point != hint.point));
        let hints = of_model.into_iter().chain(of_other);
        hints.filter(|hint| self.position.stone(hint.point).is_none()).collect()
    }

    /// Whether a hint answers the position, with little work. What is found out on the way is kept.
    fn is_proven_by(&mut self, hash: u64, hint: PlanHint, monitor: &Monitor) -> Result<bool, Stopped> {
        let below = self.after(hash, self.attacker, hint.point);
        let proof = self.attacks.get(&hash).map_or(1, |attack| attack.proof);
        let defence = self.defences.entry(below).or_insert_with(|| PlanDefence { proof, ..PlanDefence::default() });
        defence.model = defence.model.or(Some(hint.model));
        let bound = defence.proof + proof;
        self.play(hint.point);
        let result = self.develop_defence(below, (bound, u64::MAX), monitor);
        self.undo(hint.point);
        result?;
        let is_proven = self.defences.get(&below).is_some_and(|defence| defence.proof == 0);
        if is_proven {
            let attack = self.attacks.entry(hash).or_default();
            (attack.proof, attack.best) = (0, Some(hint.point));
        }
        Ok(is_proven)
    }

    /// Lists the attacker's moves, or finds that threats are enough after all.
    fn expand(&mut self, hash: u64, monitor: &Monitor) -> Result<(), Stopped> {
        let hints = self.hints();
        let is_new = self.attacks.get(&hash).is_some_and(|attack| attack.budget <= THREATS);
        for hint in hints.iter().filter(|_| is_new) {
            if self.is_proven_by(hash, *hint, monitor)? {
                return Ok(());
            }
        }
        let usual = hints.last().map(|hint| hint.point);
        if self.attacks.get(&hash).is_some_and(|attack| attack.budget < MORE_THREATS) {
            let by_threats = self.wins_by_threats(monitor, MORE_THREATS)?;
            let attack = self.attacks.entry(hash).or_default();
            attack.budget = MORE_THREATS;
            if by_threats {
                (attack.proof, attack.by_threats) = (0, true);
                return Ok(());
            }
        }
        let (mut ranked, forced) = self.threat_search(monitor, 1).ranked_moves();
        let moves = match forced {
            Some(only) => vec![(only, 1)],
            None => {
                let step = if self.position.stones().count() <= FEW_STONES { FIRST_STEP } else { STEP };
                let (value, best) = self.value(monitor, NODES_OF_BEST)?;
                ranked.truncate(2 * MOVES);
                ranked.extend(
                    usual.into_iter().chain(best).filter(|point| !ranked.contains(point)).collect::<Vec<_>>(),
                );
                ranked.dedup();
                let mut moves = Vec::new();
                for point in ranked {
                    self.play(point);
                    let found = self.value(monitor, NODES_OF_VALUE);
                    self.undo(point);
                    let own = found?.0;
                    moves.push((point, proof_of(if Some(point) == best { own.max(value) + 40 } else { own })));
                }
                moves.sort_by_key(|&(_, proof)| proof);
                if let Some(at) = moves.iter().position(|&(point, _)| Some(point) == usual) {
                    let (point, proof) = moves.remove(at);
                    moves.insert(0, (point, (proof / 2).max(2)));
                }
                moves.truncate(MOVES);
                (0..).zip(moves).map(|(rank, (point, proof))| (point, proof + STEP + step * rank)).collect()
            }
        };
        self.attacks.entry(hash).or_default().moves = Some(moves);
        Ok(())
    }

    /// Lists the replies that matter, the most dangerous first, or finds that the move wins or loses at once.
    fn list_replies(&mut self, hash: u64, monitor: &Monitor) -> Result<(), Stopped> {
        let mut search = self.threat_search(monitor, THREATS_AFTER_PASS);
        let (found, (ranked, _)) = (search.replies_that_matter()?, search.ranked_moves());
        let (mut replies, mut proof) = (Vec::new(), None);
        let is_slow = found == ThreatReplies::All;
        match found {
            ThreatReplies::Lost => proof = Some(INFINITY),
            ThreatReplies::Won => proof = Some(0),
            ThreatReplies::Threat(points) | ThreatReplies::Quiet(points) => replies = points,
            ThreatReplies::All => {
                let position = &self.position;
                replies = position.board().points().filter(|&point| position.stone(point).is_none()).collect();
            }
        }
        let rank: HashMap<u16, usize> = ranked.iter().enumerate().map(|(rank, &point)| (point, rank)).collect();
        replies.sort_by_key(|point| (rank.get(point).copied().unwrap_or(usize::MAX), *point));
        self.leave_out_images(&mut replies);
        let defence = self.defences.entry(hash).or_default();
        (defence.replies, defence.is_slow) = (Some(replies), is_slow);
        if let Some(proof) = proof {
            defence.proof = proof;
        }
        Ok(())
    }

    /// Of moves that lead to images of the same position one is enough.
    fn leave_out_images(&mut self, moves: &mut Vec<u16>) {
        let mut seen = HashSet::new();
        moves.retain(|&point| {
            self.position.play(GomokuMove(point));
            let is_new = seen.insert(canonical(&self.position).0);
            self.position.undo(GomokuMove(point), None);
            is_new
        });
    }

    /// Looks at replies until the proof number of the position reaches the bound.
    fn look_at_replies(&mut self, hash: u64, bound: u32, monitor: &Monitor) -> Result<(), Stopped> {
        if self.defences.get(&hash).is_none_or(|defence| defence.replies.is_none()) {
            self.list_replies(hash, monitor)?;
        }
        let defender = self.attacker.other();
        let Some(mut defence) = self.defences.get(&hash).cloned() else { return Ok(()) };
        let replies = defence.replies.clone().unwrap_or_default();
        if replies.is_empty() {
            return Ok(());
        }
        let result = loop {
            let proof_after =
                |point: u16| self.attacks.get(&self.after(hash, defender, point)).map_or(1, |attack| attack.proof);
            defence.open.retain(|&point| proof_after(point) > 0);
            defence.proof = defence.combine(defence.open.iter().map(|&point| proof_after(point)));
            if defence.proof >= bound {
                // There may be more.
                defence.proof = defence.proof.saturating_add(u32::from(defence.seen < replies.len())).min(INFINITY);
                break Ok(());
            }
            let Some(&point) = replies.get(defence.seen) else { break Ok(()) };
            self.play(point);
            let proof = self.judge(monitor);
            self.undo(point);
            match proof {
                Ok(0) => {}
                Ok(_) => defence.open.push(point),
                Err(stopped) => {
                    // Nothing is proven before all replies were looked at.
                    defence.proof = defence.proof.max(1);
                    break Err(stopped);
                }
            }
            defence.seen += 1;
        };
        self.defences.insert(hash, defence);
        result
    }

    /// Searches a position with the defender to move until its proof number reaches the bound, or the monitor has
    /// counted so many nodes.
    fn develop_defence(&mut self, hash: u64, (bound, end): (u32, u64), monitor: &Monitor) -> Result<(), Stopped> {
        let defender = self.attacker.other();
        loop {
            self.look_at_replies(hash, bound, monitor)?;
            let Some(defence) = self.defences.get(&hash) else { return Ok(()) };
            let proof = defence.proof;
            if proof == 0 || proof >= bound || monitor.nodes() >= end {
                return Ok(());
            }
            // The reply that is hardest to answer decides whether the move is any good.
            let number = |point: u16| self.attacks.get(&self.after(hash, defender, point)).map_or(1, |a| a.proof);
            let hardest =
                defence.open.iter().map(|&point| (number(point), point)).max_by_key(|&(n, p)| (n, Reverse(p)));
            let Some((own, point)) = hardest else { return Ok(()) };
            let below = self.after(hash, defender, point);
            self.play(point);
            self.way.push((hash, point));
            let most = bound.saturating_sub(proof).saturating_add(own).max(own + 1);
            let result = self.develop_attack(below, (most, end), monitor);
            self.way.pop();
            self.undo(point);
            result?;
            let answer = self.attacks.get(&below).filter(|attack| attack.proof == 0).and_then(|attack| attack.best);
            let answered = answer.map(|point| PlanHint { point, model: self.after(below, self.attacker, point) });
            if let Some(defence) = self.defences.get_mut(&hash)
                && answered.is_some()
            {
                defence.answered = answered;
            }
        }
    }

    /// Adds what is proven to a plan, whose first position leads to that of the search by the moves of `way`: all of
    /// the proof, or else what the best move has been answered by so far.
    pub fn add_to(&mut self, plan: &mut WinningPlan, way: &[u16]) {
        let (hash, mut way) = (self.hash(), way.to_vec());
        if self.position.side() != self.attacker {
            return self.add_replies(hash, plan, &mut way);
        }
        match self.attacks.get(&hash) {
            Some(attack) if attack.proof == 0 => self.add_attack(hash, plan, &mut way),
            Some(PlanAttack { best: Some(point), .. }) => {
                let point = *point;
                self.play(point);
                way.push(point);
                self.add_replies(self.after(hash, self.attacker, point), plan, &mut way);
                self.undo(point);
            }
            _ => {}
        }
    }

    fn add_attack(&mut self, hash: u64, plan: &mut WinningPlan, way: &mut Vec<u16>) {
        let Some(attack) = self.attacks.get(&hash) else { return };
        let (by_threats, best) = (attack.by_threats, attack.best);
        let Some(point) = best.filter(|_| attack.proof == 0 && !by_threats) else { return };
        if !plan.add(way.clone(), &self.position, point) {
            return;
        }
        self.play(point);
        way.push(point);
        let below = self.after(hash, self.attacker, point);
        self.add_replies(below, plan, way);
        way.pop();
        self.undo(point);
    }

    fn add_replies(&mut self, hash: u64, plan: &mut WinningPlan, way: &mut Vec<u16>) {
        let replies = self.defences.get(&hash).and_then(|defence| defence.replies.clone()).unwrap_or_default();
        for point in replies {
            self.play(point);
            way.push(point);
            self.add_attack(self.after(hash, self.attacker.other(), point), plan, way);
            way.pop();
            self.undo(point);
        }
    }
}
