//! Goals in go as games with zones: when a goal is reached, when it is given up, and which moves are tried.

use super::board::{KoThreats, PASS, TacticsBoard};
use super::candidates;
use super::closure;
use super::connection;
use super::estimate::{EstimateWeights, QuestionKind};
use super::features::{self, ChainPair, FeatureList};
use super::goal::Question;
use super::proposer::{AttackMoves, PatternProposer};
use super::zone::{Candidate, GoalStanding, ZoneGame};
use crate::core::game::Side;
use crate::games::go::large::chains::Chain;
use crate::games::go::large::life::unconditional;
use crate::games::go::large::points::PointSet;
use std::sync::Arc;

/// How far a reading goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadingLimits {
    /// A chain with more liberties, its side being to move, is taken to be out of danger; with one more if the
    /// attacker is to move. Two chains at a greater distance are taken to be apart, too.
    pub liberties: u32,
    /// A chain that has grown by more stones, and is not in atari when its side is to move, is taken to be out of
    /// danger.
    pub growth: u32,
    /// Which of the attacker's moves are tried.
    pub attacks: AttackWidth,
}

/// Which of the attacker's moves are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AttackWidth {
    /// Liberties, the points next to them, and weak chains around.
    Narrow,
    /// Points further off, and stronger chains around.
    Wide,
    /// All legal moves, or those in the region of a question about life, and the pass: for small boards. What is lost
    /// then is proven to be, if no chain can have more liberties than the limit.
    All,
    /// All legal moves in the region of a question about life, and those that save chains around it; of other
    /// questions the same as [`AttackWidth::Wide`].
    Region,
}

/// A question about a position of go.
#[derive(Debug, Clone)]
pub struct GoReading {
    board: TacticsBoard,
    question: Question,
    limits: ReadingLimits,
    /// The stones at the beginning of the side whose chains the question is about.
    own: PointSet,
    patterns: Option<PatternProposer>,
    weights: Arc<EstimateWeights>,
}

impl GoReading {
    /// The question about this board, with threats for a ko as given.
    pub fn new(board: TacticsBoard, question: Question, threats: KoThreats, limits: ReadingLimits) -> GoReading {
        let mut board = board;
        board.set_threats(threats);
        let side = if question.with().is_some() { question.attacker() } else { question.attacker().other() };
        let own = (0..board.chains().size().area()).filter(|&point| board.colour(point) == Some(side)).collect();
        GoReading { board, question, limits, own, patterns: None, weights: EstimateWeights::shipped() }
    }

    /// Says where the attacker's moves come from. Without it, from the generators.
    pub fn set_moves(&mut self, moves: &AttackMoves) {
        self.patterns = PatternProposer::new(moves, &self.board);
    }

    /// Sets what numbers new positions begin with. Without it, those of the shipped weights.
    pub fn set_weights(&mut self, weights: &Arc<EstimateWeights>) {
        self.weights = Arc::clone(weights);
    }

    /// Sets how far it goes.
    pub fn set_limits(&mut self, limits: ReadingLimits) {
        self.limits = limits;
    }

    /// The board as it is now.
    pub fn board(&self) -> &TacticsBoard {
        &self.board
    }

    fn attacker(&self) -> Side {
        self.question.attacker()
    }

    fn defender(&self) -> Side {
        self.question.attacker().other()
    }

    fn side(&self, attacker_moves: bool) -> Side {
        if attacker_moves { self.attacker() } else { self.defender() }
    }

    /// Whether the chain that was to be captured is gone, but was a single stone that can be retaken: in a ko, or
    /// by a snapback. Then nothing is decided yet: the stone that retakes is what has to be captured.
    fn is_retaken(&self) -> bool {
        let (target, defender) = (self.question.target(), self.defender());
        self.board.last_captured().single() == Some(target)
            && !self.board.captured_by(target, defender).is_empty()
            && self.board.is_legal(target, defender)
    }

    /// A zone of a position in which the chain has just been captured and cannot be retaken.
    fn zone_of_capture(&self) -> PointSet {
        let target = self.question.target();
        let mut zone: PointSet = [target].into_iter().collect();
        if self.board.last_captured().single() == Some(target)
            && let Some(chain) = self.board.last().and_then(|last| self.board.chain(last))
        {
            // Because of what is around it.
            zone.union(&chain.stones);
            match chain.liberties.iter().find(|&liberty| liberty != target) {
                Some(other) => zone.insert(other),
                None => zone.union(&self.board.chains().border(&chain.stones)),
            }
        }
        zone
    }

    /// A zone of a position in which the attacker captures the chain on its last liberty; none if a single stone
    /// would be left that can perhaps be retaken.
    fn zone_in_atari(&self, chain: &Chain, last: u16) -> Option<PointSet> {
        let mut zone = chain.stones;
        if chain.stones.single().is_some() {
            let captured = self.board.captured_by(last, self.attacker());
            zone.union(&captured);
            if captured.single().is_some() {
                let liberty = self.board.liberties_after(last, self.attacker()).first()?;
                zone.insert(liberty);
                for &near in self.board.near(last) {
                    match self.board.chain(near) {
                        Some(own) if own.liberties.contains(liberty) => zone.union(&own.stones),
                        _ => (),
                    }
                }
            }
        }
        let mut border = self.board.chains().border(&chain.stones);
        border.insert(last);
        self.board.near(last).iter().for_each(|&near| border.insert(near));
        zone.union(&border);
        if chain.stones.single().is_some() {
            zone.union(&self.board.chains().border(&self.board.captured_by(last, self.attacker())));
        }
        Some(zone)
    }

    /// How a chain stands that is to be captured.
    fn look_at_chain(&self, attacker_moves: bool) -> GoalStanding<PointSet> {
        let target = self.question.target();
        let chain = match self.board.chain(target) {
            Some(chain) if self.board.colour(target) == Some(self.defender()) => chain,
            _ if !attacker_moves && self.is_retaken() => return GoalStanding::Open { proof: 1, disproof: 1 },
            _ if !attacker_moves => return GoalStanding::Reached { zone: self.zone_of_capture(), by: None },
            _ => return GoalStanding::Reached { zone: [target].into_iter().collect(), by: None },
        };
        let count = chain.liberties.len();
        if attacker_moves {
            if let Some(last) = chain.liberties.single()
                && !self.board.is_banned(last, self.attacker())
                && let Some(zone) = self.zone_in_atari(chain, last)
            {
                return GoalStanding::Reached { zone, by: Some(last) };
            }
            if count.saturating_sub(1) > self.limits.liberties || self.lives(chain) {
                return GoalStanding::Lost;
            }
            return self.estimated(QuestionKind::Chain, true, self.features_of_chain(chain, true));
        }
        let is_large = || count > 1 && self.grown(&chain.stones) > self.limits.growth;
        if count > self.limits.liberties || is_large() || self.lives(chain) {
            return GoalStanding::Lost;
        }
        self.estimated(QuestionKind::Chain, false, self.features_of_chain(chain, false))
    }

    /// Whether the chain of a question about life cannot be captured by moves in the region: it lives
    /// unconditionally, or has a liberty elsewhere.
    fn lives(&self, chain: &Chain) -> bool {
        self.question.region().is_some_and(|region| {
            !chain.liberties.is_within(&region)
                || unconditional(self.board.chains(), self.question.target()).is_some()
        })
    }

    /// Stones among these that were not there at the beginning.
    fn grown(&self, stones: &PointSet) -> u32 {
        let mut grown = *stones;
        grown.subtract(&self.own);
        grown.len()
    }

    fn features_of_chain(&self, chain: &Chain, attacker_moves: bool) -> FeatureList {
        let grown = self.grown(&chain.stones);
        features::of_chain(&self.board, chain, self.defender(), attacker_moves, &self.limits, grown)
    }

    fn estimated(&self, kind: QuestionKind, attacker_moves: bool, list: FeatureList) -> GoalStanding<PointSet> {
        let (proof, disproof) = self.weights.numbers(kind, attacker_moves, &list);
        GoalStanding::Open { proof, disproof }
    }

    /// Whether the question is about one chain or two.
    pub fn kind(&self) -> QuestionKind {
        if self.question.with().is_some() { QuestionKind::Pair } else { QuestionKind::Chain }
    }

    /// The features of the position, if the chains are still there.
    pub fn features(&self, attacker_moves: bool) -> Option<FeatureList> {
        let (target, kind) = (self.question.target(), self.kind());
        let side = if kind == QuestionKind::Pair { self.attacker() } else { self.defender() };
        if [Some(target), self.question.with()].into_iter().flatten().any(|at| self.board.colour(at) != Some(side)) {
            return None;
        }
        let one = self.board.chain(target)?;
        let Some(with) = self.question.with() else { return Some(self.features_of_chain(one, attacker_moves)) };
        let other = self.board.chain(with)?;
        let most = self.limits.liberties + u32::from(attacker_moves);
        let distance = self.distance(with, most);
        Some(self.features_of_pair(one, other, distance))
    }

    fn features_of_pair(&self, one: &Chain, other: &Chain, distance: u8) -> FeatureList {
        let grown = self.grown(&one.stones) + self.grown(&other.stones);
        features::of_pair(&self.board, &ChainPair { one, other, distance, grown }, self.attacker(), &self.limits)
    }

    /// The stones that are lacking between the two chains, if they are `most` at most.
    fn distance(&self, with: u16, most: u32) -> u8 {
        connection::distance(&self.board, self.question.target(), with, self.attacker(), self.captured(), most)
    }

    /// The ways between two chains of the attacker. Wide attacks capture stronger chains on them.
    fn ways(&self, one: u16, other: u16) -> connection::Ways {
        connection::ways(&self.board, one, other, self.attacker(), self.captured())
    }

    /// Liberties of the strongest chains that are captured on a way.
    fn captured(&self) -> u8 {
        connection::FEW_LIBERTIES + u8::from(self.limits.attacks != AttackWidth::Narrow)
    }

    /// How two chains stand that are to be connected.
    fn look_at_two(&self, attacker_moves: bool, one: u16, other: u16) -> GoalStanding<PointSet> {
        let attacker = self.attacker();
        if [one, other].iter().any(|&point| self.board.colour(point) != Some(attacker)) {
            return GoalStanding::Lost;
        }
        let (first, second) = (self.board.chain(one), self.board.chain(other));
        let (Some(first), Some(second)) = (first, second) else { return GoalStanding::Lost };
        if first.stones.contains(other) {
            return GoalStanding::Reached { zone: first.stones, by: None };
        }
        let common = first.liberties.common(&second.liberties);
        if attacker_moves && let Some(point) = common.iter().find(|&point| self.board.is_legal(point, attacker)) {
            let mut zone = first.stones;
            zone.union(&second.stones);
            let zone = closure::before_attack(&self.board, attacker, point, &zone);
            return GoalStanding::Reached { zone, by: Some(point) };
        }
        let most = self.limits.liberties + u32::from(attacker_moves);
        let distance = self.distance(other, most);
        let grown = self.grown(&first.stones) + self.grown(&second.stones);
        if u32::from(distance) > most || !attacker_moves && distance > 1 && grown > self.limits.growth + 1 {
            return GoalStanding::Lost;
        }
        let list = self.features_of_pair(first, second, distance);
        self.estimated(QuestionKind::Pair, attacker_moves, list)
    }
}

impl ZoneGame for GoReading {
    type Zone = PointSet;

    fn key(&self, attacker_moves: bool) -> u128 {
        let key = self.board.key(self.side(attacker_moves));
        // What was captured last matters where the chain is gone.
        if attacker_moves || self.board.last_captured().single() != Some(self.question.target()) { key } else { !key }
    }

    fn look(&self, attacker_moves: bool) -> GoalStanding<PointSet> {
        match self.question.with() {
            Some(with) => self.look_at_two(attacker_moves, self.question.target(), with),
            None => self.look_at_chain(attacker_moves),
        }
    }

    fn attacks(&self, list: &mut Vec<Candidate>) {
        if self.limits.attacks == AttackWidth::All {
            let all = 0..self.board.chains().size().area();
            let all = all.filter(|&point| self.question.region().is_none_or(|region| region.contains(point)));
            let legal = all.filter(|&point| self.board.is_legal(point, self.attacker()));
            list.extend(legal.map(|point| Candidate { point, delay: 0 }));
            list.push(Candidate { point: PASS, delay: 0 });
            return;
        }
        if let Some(patterns) = &self.patterns {
            patterns.propose(&self.board, &self.question, list);
            if patterns.is_alone() {
                return;
            }
        }
        if let Some(with) = self.question.with() {
            let ways = self.ways(self.question.target(), with);
            let is_wide = self.limits.attacks == AttackWidth::Wide;
            candidates::to_connect(&self.board, self.question.target(), with, &ways, is_wide, list);
            if u32::from(ways.distance) > self.limits.liberties {
                // Only what shortens the distance is not lost at once.
                let captures = |point| !self.board.captured_by(point, self.attacker()).is_empty();
                list.retain(|candidate| ways.on.contains(candidate.point) || captures(candidate.point));
            }
            return;
        }
        let is_wide = self.limits.attacks >= AttackWidth::Wide;
        candidates::to_capture(&self.board, self.question.target(), is_wide, list);
        if let Some(region) = self.question.region() {
            candidates::in_region(&self.board, self.attacker(), &region, list);
            candidates::to_save(&self.board, self.attacker(), &region, list);
        }
        // Only what takes a liberty is not lost at once, if there are that many.
        let liberties = self.board.liberties(self.question.target());
        if liberties.len() > self.limits.liberties {
            list.retain(|candidate| liberties.contains(candidate.point));
            return;
        }
        if self.board.ban().is_some() {
            // It may wait until the other side has no threats left.
            list.push(Candidate { point: PASS, delay: 4 });
        }
    }

    fn defences(&self, list: &mut Vec<Candidate>) {
        let target = self.question.target();
        match self.question.with() {
            Some(with) => {
                let ways = self.ways(target, with);
                candidates::to_cut(&self.board, target, with, &ways, list);
            }
            None => {
                candidates::to_defend(&self.board, target, list);
                if let Some(region) = self.question.region() {
                    candidates::in_region(&self.board, self.defender(), &region, list);
                }
            }
        }
    }

    fn relevant(&self, zone: &PointSet, list: &mut Vec<u16>) {
        closure::relevant(&self.board, self.defender(), zone, list);
    }

    fn is_legal(&self, point: u16, attacker_moves: bool) -> bool {
        point == PASS || self.board.is_legal(point, self.side(attacker_moves))
    }

    fn play(&mut self, point: u16, attacker_moves: bool) -> bool {
        self.board.play(point, self.side(attacker_moves));
        if let Some(patterns) = &mut self.patterns {
            patterns.follow(&self.board, point, false);
        }
        self.board.took_ko()
    }

    fn undo(&mut self) {
        if let Some(patterns) = &mut self.patterns {
            patterns.follow(&self.board, self.board.last().unwrap_or(PASS), true);
        }
        self.board.undo();
    }

    fn before_attack(&mut self, point: u16, after: &PointSet) -> PointSet {
        if point == PASS {
            return *after;
        }
        closure::before_attack(&self.board, self.question.attacker(), point, after)
    }

    fn before_defence<'a>(&self, after: impl Iterator<Item = &'a PointSet>) -> PointSet {
        let mut zone = PointSet::EMPTY;
        after.for_each(|after| zone.union(after));
        closure::closed(&self.board, self.defender(), zone)
    }
}
