//! Goals in go as games with zones: when a goal is reached, when it is given up, and which moves are tried.

use super::board::{KoThreats, PASS, TacticsBoard};
use super::candidates;
use super::closure;
use super::goal::Question;
use super::zone::{Candidate, Standing, ZoneGame};
use crate::core::game::Side;
use crate::games::go::large::points::PointSet;

/// How far a reading goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadingLimits {
    /// A chain with more liberties, its side being to move, is taken to be out of danger; with one more if the attacker
    /// is to move.
    pub liberties: u32,
    /// A chain that has grown by more stones, and is not in atari when its side is to move, is taken to be out of danger.
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
    /// All legal moves and the pass: for small boards. What is lost then is proven to be, if no chain can have more
    /// liberties than the limit.
    All,
}

/// A question about a position of go.
#[derive(Debug, Clone)]
pub struct GoReading {
    board: TacticsBoard,
    question: Question,
    limits: ReadingLimits,
    /// The defender's stones at the beginning.
    own: PointSet,
}

impl GoReading {
    /// The question about this board, with threats for a ko as given.
    pub fn new(board: TacticsBoard, question: Question, threats: KoThreats, limits: ReadingLimits) -> GoReading {
        let mut board = board;
        board.set_threats(threats);
        let defender = question.attacker().other();
        let own = (0..board.chains().size().area()).filter(|&point| board.colour(point) == Some(defender)).collect();
        GoReading { board, question, limits, own }
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

    /// Whether a legal stone on an empty point takes a ko.
    fn is_ko_stone(&self, point: u16, side: Side) -> bool {
        let captured = self.board.captured_by(point, side);
        self.board.ban() != Some(point)
            && captured.single().is_some()
            && self.board.near(point).iter().all(|&near| self.board.colour(near) == Some(side.other()))
    }

    /// How a chain stands that is to be captured. A stone that was captured in a ko is back if it can be retaken.
    fn look_at_chain(&self, attacker_moves: bool) -> Standing<PointSet> {
        let target = self.question.target();
        let chain = match self.board.chain(target) {
            Some(chain) if self.board.colour(target) == Some(self.defender()) => chain,
            _ if !attacker_moves && self.is_ko_stone(target, self.defender()) => {
                return Standing::Open { proof: 1, disproof: 1 };
            }
            _ => return Standing::Reached { zone: [target].into_iter().collect(), by: None },
        };
        let count = chain.liberties.len();
        if attacker_moves {
            if let Some(last) = chain.liberties.single()
                && self.board.ban() != Some(last)
                && !self.is_ko_stone(last, self.attacker())
            {
                let mut zone = chain.stones;
                if chain.stones.single().is_some() {
                    // It is no ko because of what else is there.
                    zone.union(&self.board.captured_by(last, self.attacker()));
                    self.board.near(last).iter().for_each(|&near| zone.insert(near));
                }
                zone.union(&self.board.chains().border(&zone));
                return Standing::Reached { zone, by: Some(last) };
            }
            return match count {
                0..=1 => Standing::Open { proof: 1, disproof: 2 },
                2 => Standing::Open { proof: 2, disproof: 3 },
                3 => Standing::Open { proof: 6, disproof: 2 },
                _ if count > self.limits.liberties + 1 => Standing::Lost,
                4 => Standing::Open { proof: 16, disproof: 1 },
                _ => Standing::Open { proof: 40, disproof: 1 },
            };
        }
        let mut grown = chain.stones;
        grown.subtract(&self.own);
        if count > self.limits.liberties || count > 1 && grown.len() > self.limits.growth {
            return Standing::Lost;
        }
        // What the chain has after its best extension.
        let gains = chain.liberties.iter().map(|liberty| self.board.liberties_after(liberty, self.defender()).len());
        match gains.max().unwrap_or(0).max(count - 1) {
            0..=1 => Standing::Open { proof: 1, disproof: 6 },
            2 => Standing::Open { proof: 2, disproof: 3 },
            3 => Standing::Open { proof: 6, disproof: 2 },
            4 => Standing::Open { proof: 16, disproof: 1 },
            _ => Standing::Open { proof: 40, disproof: 1 },
        }
    }
}

impl ZoneGame for GoReading {
    type Zone = PointSet;

    fn key(&self, attacker_moves: bool) -> u128 {
        self.board.key(self.side(attacker_moves))
    }

    fn look(&self, attacker_moves: bool) -> Standing<PointSet> {
        self.look_at_chain(attacker_moves)
    }

    fn attacks(&self, list: &mut Vec<Candidate>) {
        if self.limits.attacks == AttackWidth::All {
            let all = 0..self.board.chains().size().area();
            let legal = all.filter(|&point| self.board.is_legal(point, self.attacker()));
            list.extend(legal.map(|point| Candidate { point, delay: 0 }));
            list.push(Candidate { point: PASS, delay: 0 });
            return;
        }
        let is_wide = self.limits.attacks == AttackWidth::Wide;
        candidates::to_capture(&self.board, self.question.target(), is_wide, list);
    }

    fn defences(&self, list: &mut Vec<Candidate>) {
        candidates::to_defend(&self.board, self.question.target(), list);
    }

    fn relevant(&self, zone: &PointSet, list: &mut Vec<u16>) {
        closure::relevant(&self.board, self.defender(), zone, list);
    }

    fn play(&mut self, point: u16, attacker_moves: bool) -> bool {
        self.board.play(point, self.side(attacker_moves));
        self.board.took_ko()
    }

    fn undo(&mut self) {
        self.board.undo();
    }

    fn before_attack(&mut self, point: u16, after: &PointSet) -> PointSet {
        if point == PASS {
            return *after;
        }
        closure::before_attack(&mut self.board, self.question.attacker(), point, after)
    }

    fn before_defence<'a>(&self, after: impl Iterator<Item = &'a PointSet>) -> PointSet {
        let mut zone = PointSet::EMPTY;
        after.for_each(|after| zone.union(after));
        closure::closed(&self.board, self.defender(), zone)
    }
}
