//! Proofs of goals by proof numbers, with relevance zones.
//!
//! Depth-first proof-number search (A. Nagai 2002) over positions that are kept: each has its proof number (how
//! many positions have to be won to win it) and its disproof number. The attacker needs one move. The defender's
//! moves are not guessed: at first the pass and some likely defences are searched; once the pass is refuted, what
//! remains are the legal moves that change something on the zone of that refutation, and the position is won when
//! all are refuted ([`super::zone`]).
//!
//! The numbers of several moves that are all needed are added up. A new position begins with the numbers that the
//! game estimates ([`GoalStanding::Open`]).
//!
//! A position that comes back on the way to itself counts as lost for the attacker. What rests on that holds for this
//! way only, and is not kept: proofs never rest on it.
//!
//! `won` is a proof. `lost` means that no attack among the candidates is left.

use super::board::PASS;
use super::zone::{Candidate, GoalStanding, ZoneGame, ZoneProofNode};
use ahash::AHashMap;

/// A number that no search brings down.
const INFINITY: u32 = 1 << 28;
/// Most moves of a line; longer ones count as if the position had come back.
const DEEPEST: u32 = 240;
/// Visits of positions for each move of the budget, so that a search of known positions ends as well.
const VISITS: u64 = 8;
/// Visits of positions from one question whether to stop to the next: about a millisecond.
const POLL: u64 = 32;

/// Stands for no position.
const NONE: PositionId = PositionId::MAX;
/// Greatest proof number of a new position with a model.
const MODEL_PROOF: u32 = 4;

/// Not on the way that is searched.
const OFF: u32 = u32::MAX;

/// A position among those that are kept.
pub type PositionId = u32;

/// A move from a position.
#[derive(Debug, Clone, Copy)]
pub struct ProofEdge {
    /// The point, or [`PASS`].
    pub point: u16,
    delay: u8,
    /// Whether the move takes a ko.
    took_ko: bool,
    /// The position after it.
    pub to: PositionId,
}

/// How far the moves of a position are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MovesKnown {
    /// None is known.
    Leaf,
    /// The attacker's candidates, or the likely defences.
    First,
    /// All defences that matter.
    Whole,
}

#[derive(Debug, Clone)]
struct KeptPosition {
    proof: u32,
    disproof: u32,
    /// The first of its edges, and their number.
    edges: (u32, u16),
    stage: MovesKnown,
    /// Whether the result hangs on who has threats for a ko.
    of_ko: bool,
    /// How many moves lead to it on the way that is searched; [`OFF`] if it is not on it.
    on_path: u32,
    /// The number of its zone, if it is won.
    zone: u32,
    /// The move that wins or refutes.
    best: u16,
    /// A position that is won and differs little, whose proof is tried here; [`NONE`] if there is none.
    model: PositionId,
    /// The round in which its numbers were made.
    round: u32,
}

/// What a search came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProofEnd {
    /// The attacker reaches the goal: proven.
    Won,
    /// The attacker does not, as far as its candidates go.
    Lost,
    /// The budget ended.
    Open,
}

/// The numbers of a position as they follow from its moves.
struct Gathered {
    proof: u32,
    disproof: u32,
    /// Place of the move to search next.
    next: usize,
    /// The second best number of the kind that the side to move minimises.
    second: u32,
    /// The earliest position of the way that a loss rests on; [`OFF`] if on none.
    rests: u32,
}

/// The search for one question.
#[derive(Debug)]
pub struct ZoneSearch<G: ZoneGame> {
    game: G,
    budget: u64,
    moves: u64,
    visits: u64,
    stopped: bool,
    nodes: Vec<KeptPosition>,
    edges: Vec<ProofEdge>,
    zones: Vec<G::Zone>,
    known: AHashMap<u128, PositionId>,
    root: PositionId,
    attacker_first: bool,
    list: Vec<Candidate>,
    round: u32,
}

impl<G: ZoneGame> ZoneSearch<G> {
    /// A search of this position within a budget of moves played.
    pub fn new(game: G, attacker_first: bool, budget: u64) -> ZoneSearch<G> {
        let mut search = ZoneSearch {
            game,
            budget,
            moves: 0,
            visits: 0,
            stopped: false,
            nodes: Vec::new(),
            edges: Vec::new(),
            zones: Vec::new(),
            known: AHashMap::new(),
            root: 0,
            attacker_first,
            list: Vec::new(),
            round: 0,
        };
        search.root = search.node(attacker_first);
        search
    }

    /// Begins anew with another budget, after a change of what the game counts as lost and which moves it tries.
    /// What is won stays won.
    pub fn begin_anew(&mut self, change: impl FnOnce(&mut G), budget: u64) {
        change(&mut self.game);
        self.round += 1;
        (self.budget, self.moves, self.visits) = (budget, 0, 0);
        self.root = self.node(self.attacker_first);
    }

    /// The game, in the position asked about.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The position asked about.
    pub fn root(&self) -> PositionId {
        self.root
    }

    /// The move of the position asked about that promises most to the side to move, the pass left out.
    pub fn most_promising(&self) -> Option<u16> {
        let moves = self.edges(self.root).iter().filter(|edge| edge.point != PASS);
        let best = moves.min_by_key(|edge| {
            let to = &self.nodes[edge.to as usize];
            let (own, other) = if self.attacker_first { (to.proof, to.disproof) } else { (to.disproof, to.proof) };
            (own, std::cmp::Reverse(other))
        });
        best.map(|edge| edge.point)
    }

    /// Moves played so far.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// Whether the answer hangs on who has threats for a ko.
    pub fn is_of_ko(&self) -> bool {
        self.nodes[self.root as usize].of_ko
    }

    /// The move that answers the question for the side to move, if one is known and needed.
    pub fn best(&self, node: PositionId) -> Option<u16> {
        Some(self.nodes[node as usize].best).filter(|&best| best != PASS)
    }

    /// The zone of a position that is won.
    pub fn zone(&self, node: PositionId) -> Option<&G::Zone> {
        self.zones.get(self.nodes[node as usize].zone as usize)
    }

    /// The known moves of a position.
    pub fn edges(&self, node: PositionId) -> &[ProofEdge] {
        let (first, count) = self.nodes[node as usize].edges;
        &self.edges[first as usize..first as usize + usize::from(count)]
    }

    /// The positions that a proof consists of, from the one asked about: with the places of positions in this
    /// list. Empty if it is not won.
    pub fn proof(&self) -> Vec<ZoneProofNode<G::Zone>> {
        let mut places: AHashMap<PositionId, usize> = AHashMap::new();
        let mut order = vec![(self.root, self.attacker_first)];
        if self.nodes[self.root as usize].proof != 0 {
            return Vec::new();
        }
        places.insert(self.root, 0);
        let mut found = Vec::new();
        while let Some(&(node, attacker_moves)) = order.get(found.len()) {
            let best = self.nodes[node as usize].best;
            let edges = self.edges(node).iter().filter(|edge| !attacker_moves || edge.point == best);
            let mut moves = Vec::new();
            for edge in edges {
                let place = *places.entry(edge.to).or_insert_with(|| {
                    order.push((edge.to, !attacker_moves));
                    order.len() - 1
                });
                moves.push((edge.point, Some(place)));
            }
            if moves.is_empty() && best != PASS {
                // It reaches the goal.
                moves.push((best, None));
            }
            let zone = self.zones[self.nodes[node as usize].zone as usize].clone();
            found.push(ZoneProofNode { attacker_moves, moves, zone });
        }
        found
    }

    /// Searches until there is an answer or the budget ends.
    pub fn run(&mut self) -> ProofEnd {
        self.run_until(&mut || false)
    }

    /// The same, unless `stop` says to stop, which is asked every millisecond or so. A search that was stopped is
    /// open, and goes no further.
    pub fn run_until(&mut self, stop: &mut dyn FnMut() -> bool) -> ProofEnd {
        let is_open = |search: &Self| {
            let root = &search.nodes[search.root as usize];
            root.proof != 0 && root.disproof != 0
        };
        while is_open(self) && self.within_budget() {
            self.search(self.root, self.attacker_first, (INFINITY, INFINITY), 0, stop);
        }
        let root = &self.nodes[self.root as usize];
        match (root.proof, root.disproof) {
            (0, _) => ProofEnd::Won,
            (_, 0) => ProofEnd::Lost,
            _ => ProofEnd::Open,
        }
    }

    /// Plays through the positions that were searched, each once, and tells of those that have an answer: the game in
    /// that position, whether the attacker is to move, and whether it is won.
    pub fn each_answered(&mut self, each: &mut dyn FnMut(&G, bool, bool)) {
        let mut seen = vec![false; self.nodes.len()];
        self.walk(self.root, self.attacker_first, 0, &mut seen, each);
    }

    fn walk(
        &mut self,
        node: PositionId,
        attacker_moves: bool,
        depth: u32,
        seen: &mut [bool],
        each: &mut dyn FnMut(&G, bool, bool),
    ) {
        let kept = &self.nodes[node as usize];
        if seen[node as usize] || kept.stage == MovesKnown::Leaf || depth >= DEEPEST {
            return;
        }
        seen[node as usize] = true;
        if kept.proof == 0 || kept.disproof == 0 {
            each(&self.game, attacker_moves, kept.proof == 0);
        }
        for place in 0..self.edges(node).len() {
            let edge = self.edges(node)[place];
            self.game.play(edge.point, attacker_moves);
            self.walk(edge.to, !attacker_moves, depth + 1, seen, each);
            self.game.undo();
        }
    }

    /// Whether it was told to stop.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    fn within_budget(&self) -> bool {
        !self.stopped && self.moves < self.budget && self.visits < self.budget.saturating_mul(VISITS)
    }

    /// The node of the game's position, made if it is new.
    fn node(&mut self, attacker_moves: bool) -> PositionId {
        let key = self.game.key(attacker_moves);
        let known = self.known.get(&key).copied();
        if let Some(id) = known {
            let node = &self.nodes[id as usize];
            if node.round == self.round || node.proof == 0 {
                return id;
            }
        }
        let mut node = KeptPosition {
            proof: 1,
            disproof: 1,
            edges: (0, 0),
            stage: MovesKnown::Leaf,
            of_ko: false,
            on_path: OFF,
            zone: u32::MAX,
            best: PASS,
            model: NONE,
            round: self.round,
        };
        match self.game.look(attacker_moves) {
            GoalStanding::Reached { zone, by } => {
                (node.proof, node.disproof) = (0, INFINITY);
                node.best = by.unwrap_or(PASS);
                node.zone = self.keep(zone);
            }
            GoalStanding::Lost => (node.proof, node.disproof) = (INFINITY, 0),
            GoalStanding::Open { proof, disproof } => (node.proof, node.disproof) = (proof.max(1), disproof.max(1)),
        }
        match known {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                let id = self.nodes.len() as PositionId;
                self.nodes.push(node);
                self.known.insert(key, id);
                id
            }
        }
    }

    fn keep(&mut self, zone: G::Zone) -> u32 {
        self.zones.push(zone);
        self.zones.len() as u32 - 1
    }

    /// The edge of a move from the game's position.
    fn edge(&mut self, candidate: Candidate, attacker_moves: bool, model: PositionId) -> ProofEdge {
        self.moves += 1;
        let took_ko = self.game.play(candidate.point, attacker_moves);
        let to = self.node(!attacker_moves);
        self.game.undo();
        self.set_model(to, model);
        ProofEdge { point: candidate.point, delay: candidate.delay, took_ko, to }
    }

    /// Gives a position a model, if it is still to be searched.
    fn set_model(&mut self, node: PositionId, model: PositionId) {
        let node = &mut self.nodes[node as usize];
        let is_new = node.stage == MovesKnown::Leaf && node.proof != 0 && node.disproof != 0;
        if is_new && model != NONE && node.model == NONE {
            node.model = model;
            node.proof = node.proof.min(MODEL_PROOF);
        }
    }

    /// The position after the same move from the model of a position, or after the pass if the defender has no such
    /// move there.
    fn model_after(&self, model: PositionId, point: u16, attacker_moves: bool) -> PositionId {
        if model == NONE {
            return NONE;
        }
        let edges = self.edges(model);
        let same = edges.iter().find(|edge| edge.point == point);
        let found = if attacker_moves { same } else { same.or(edges.first()) };
        found.map(|edge| edge.to).filter(|&to| self.nodes[to as usize].proof == 0).unwrap_or(NONE)
    }

    /// Finds the moves of a position: all of the attacker's that are tried, the first of the defender's.
    fn expand(&mut self, node: PositionId, attacker_moves: bool) {
        let mut list = std::mem::take(&mut self.list);
        list.clear();
        if attacker_moves {
            self.game.attacks(&mut list);
        } else {
            list.push(Candidate { point: PASS, delay: 0 });
            self.game.defences(&mut list);
        }
        let model = self.nodes[node as usize].model;
        if attacker_moves && model != NONE {
            let best = self.nodes[model as usize].best;
            let mut known = false;
            for candidate in &mut list {
                if candidate.point == best {
                    (candidate.delay, known) = (0, true);
                }
            }
            if !known && best != PASS && self.game.is_legal(best, true) {
                list.push(Candidate { point: best, delay: 0 });
            }
        }
        let mut edges = Vec::with_capacity(list.len());
        for &candidate in &list {
            let model = self.model_after(model, candidate.point, attacker_moves);
            let edge = self.edge(candidate, attacker_moves, model);
            edges.push(edge);
            let to = &self.nodes[edge.to as usize];
            // One such move is enough.
            if if attacker_moves { to.proof == 0 } else { to.disproof == 0 } {
                break;
            }
        }
        self.list = list;
        self.set_edges(node, &edges, MovesKnown::First);
    }

    fn set_edges(&mut self, node: PositionId, edges: &[ProofEdge], stage: MovesKnown) {
        let first = self.edges.len() as u32;
        self.edges.extend_from_slice(edges);
        let node = &mut self.nodes[node as usize];
        (node.edges, node.stage) = ((first, edges.len() as u16), stage);
    }

    /// The pass is refuted: what remains are the moves that change something on the zone of the refutation.
    fn widen(&mut self, node: PositionId) {
        let old = self.edges(node).to_vec();
        let pass = old[0];
        let mut points = Vec::new();
        let zone = self.zones[self.nodes[pass.to as usize].zone as usize].clone();
        self.game.relevant(&zone, &mut points);
        let mut edges = vec![pass];
        for point in points {
            let known = old.iter().find(|edge| edge.point == point).copied();
            if let Some(edge) = known {
                self.set_model(edge.to, pass.to);
            }
            let edge = known.unwrap_or_else(|| self.edge(Candidate { point, delay: 1 }, false, pass.to));
            edges.push(edge);
            if self.nodes[edge.to as usize].disproof == 0 {
                break;
            }
        }
        self.set_edges(node, &edges, MovesKnown::Whole);
    }

    /// The numbers of a position from its moves; those in `lost` are lost on this way, as they rest on a position
    /// of it.
    fn gather(&self, node: PositionId, attacker_moves: bool, lost: &[(PositionId, u32)]) -> Gathered {
        // Of the side to move: the number it minimises, and the one that adds up.
        let (mut least, mut second, mut all, mut next) = (INFINITY, INFINITY, 0u32, 0);
        let (mut rests, mut all_solved) = (OFF, true);
        for (place, edge) in self.edges(node).iter().enumerate() {
            let to = &self.nodes[edge.to as usize];
            let (mut proof, mut disproof) = (to.proof, to.disproof);
            let mut on = OFF;
            if proof != 0 && disproof != 0 {
                let here = lost.iter().find(|(id, _)| *id == edge.to).map_or(OFF, |(_, on)| *on);
                on = to.on_path.min(here);
                if on != OFF {
                    (proof, disproof) = (INFINITY, 0);
                }
            }
            let (own, other) = if attacker_moves { (proof, disproof) } else { (disproof, proof) };
            let rank = if own == 0 { 0 } else { (own + u32::from(edge.delay)).min(INFINITY) };
            if attacker_moves {
                // A loss needs all.
                rests = rests.min(on);
            } else if own == 0 {
                // A loss needs one: the one that rests on the latest position, if possible on none.
                if least != 0 || on > rests {
                    (rests, next) = (on, place);
                }
            }
            if rank < least {
                (second, least, next) = (least, rank, place);
            } else {
                second = second.min(rank);
            }
            if other != 0 {
                all_solved = false;
                all = all.saturating_add(other);
            }
        }
        let sum = match least {
            0 => INFINITY,
            _ if all_solved => 0,
            _ => all.min(INFINITY),
        };
        let least = if sum == 0 { INFINITY } else { least };
        let (proof, disproof) = if attacker_moves { (least, sum) } else { (sum, least) };
        Gathered { proof, disproof, next, second, rests: if disproof == 0 { rests } else { OFF } }
    }

    /// Searches a position, which so many moves lead to, until its numbers reach the thresholds. The earliest
    /// position of the way that its loss rests on, if it is lost on this way and perhaps not on others.
    fn search(
        &mut self,
        node: PositionId,
        attacker_moves: bool,
        (proof, disproof): (u32, u32),
        depth: u32,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<u32> {
        self.visits += 1;
        self.stopped |= self.visits.is_multiple_of(POLL) && stop();
        if depth >= DEEPEST {
            return Some(0);
        }
        if self.nodes[node as usize].stage == MovesKnown::Leaf {
            self.expand(node, attacker_moves);
        }
        self.nodes[node as usize].on_path = depth;
        let mut lost: Vec<(PositionId, u32)> = Vec::new();
        let rests = loop {
            if !attacker_moves && self.nodes[node as usize].stage == MovesKnown::First {
                let pass = self.edges(node)[0].to;
                if self.nodes[pass as usize].proof == 0 {
                    self.widen(node);
                }
            }
            let found = self.gather(node, attacker_moves, &lost);
            if found.rests < depth {
                break Some(found.rests);
            }
            let kept = &mut self.nodes[node as usize];
            (kept.proof, kept.disproof) = (found.proof, found.disproof);
            if found.proof == 0 || found.disproof == 0 {
                self.settle(node, attacker_moves, found.next);
                self.nodes[node as usize].of_ko |= found.rests != OFF;
                break None;
            }
            if found.proof >= proof || found.disproof >= disproof || !self.within_budget() {
                break None;
            }
            let edge = self.edges(node)[found.next];
            let to = &self.nodes[edge.to as usize];
            let wider = (found.second + found.second / 8 + 1).saturating_sub(u32::from(edge.delay)).min(INFINITY);
            let (for_proof, for_disproof) = if attacker_moves {
                (proof.min(wider), (disproof - found.disproof).saturating_add(to.disproof).min(INFINITY))
            } else {
                ((proof - found.proof).saturating_add(to.proof).min(INFINITY), disproof.min(wider))
            };
            // It has to be searched at all.
            let (for_proof, for_disproof) = (for_proof.max(to.proof + 1), for_disproof.max(to.disproof + 1));
            self.game.play(edge.point, attacker_moves);
            let lost_here = self.search(edge.to, !attacker_moves, (for_proof, for_disproof), depth + 1, stop);
            self.game.undo();
            lost.extend(lost_here.map(|on| (edge.to, on)));
        };
        self.nodes[node as usize].on_path = OFF;
        rests
    }

    /// Notes what an answered position rests on: its move, its zone, and whether on a ko.
    fn settle(&mut self, node: PositionId, attacker_moves: bool, next: usize) {
        let edges = self.edges(node).to_vec();
        let of_ko = |edge: &ProofEdge| edge.took_ko || self.nodes[edge.to as usize].of_ko;
        let won = self.nodes[node as usize].proof == 0;
        // One move decides, or all count.
        let one = won == attacker_moves;
        let is_of_ko = if one { edges.get(next).is_some_and(of_ko) } else { edges.iter().any(of_ko) };
        let best = if one { edges.get(next).map_or(PASS, |edge| edge.point) } else { PASS };
        let ZoneSearch { game, nodes, zones, .. } = self;
        let after = |edge: &ProofEdge| &zones[nodes[edge.to as usize].zone as usize];
        let zone = won.then(|| match edges.get(next) {
            Some(edge) if attacker_moves => game.before_attack(edge.point, after(edge)),
            _ => game.before_defence(edges.iter().map(after)),
        });
        let zone = zone.map_or(u32::MAX, |zone| self.keep(zone));
        let node = &mut self.nodes[node as usize];
        (node.of_ko, node.best, node.zone) = (is_of_ko, best, zone);
    }
}
