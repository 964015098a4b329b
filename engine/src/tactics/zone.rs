//! Relevance zones: the points that a proof rests on (C.-C. Shih, T.-R. Wu, T.-H. Wei, I-C. Wu, "A novel approach to
//! solving goal-achieving problems for board games", AAAI 2022).
//!
//! A zone of a position that is won by the attacker is a set of points with this property: each position with the
//! same contents on these points is won too, by the same play. So the defender's moves that change nothing on the
//! zone of what wins after a pass need no answer of their own: the answer to the pass is one to them. Each larger
//! set is a zone as well.
//!
//! What the search needs of a game is [`ZoneGame`]. How a zone grows from a position to the one before it is a matter
//! of the game's rules: in go it is `closure`.

use std::fmt::Debug;

/// How a position stands before it is searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GoalStanding<Z> {
    /// The goal is reached, or the attacker reaches it with this move.
    Reached {
        /// A zone of the position.
        zone: Z,
        /// The move, if one is needed.
        by: Option<u16>,
    },
    /// The goal is taken to be out of reach.
    Lost,
    /// It has to be searched: estimates of the proof number and the disproof number, both at least 1.
    Open {
        /// About how many positions have to be won to win it.
        proof: u32,
        /// About how many positions have to be lost to lose it.
        disproof: u32,
    },
}

/// A move to be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The point, or [`super::board::PASS`].
    pub point: u16,
    /// How much later than others it is tried: added to its number as it is compared with theirs.
    pub delay: u8,
}

/// A position of a proof, after those that lead to it: the first one is the position asked about.
#[derive(Debug, Clone)]
pub struct ZoneProofNode<Z> {
    /// Whether the attacker is to move.
    pub attacker_moves: bool,
    /// The attacker's move and the position after it, or the defender's moves; the defender's pass is the first of
    /// them. An attacker's move that reaches the goal has no position after it. Nothing if the goal is reached.
    pub moves: Vec<(u16, Option<usize>)>,
    /// The zone of the position.
    pub zone: Z,
}

/// A game with a goal of one side, the attacker, over positions in which it or the defender is to move.
pub trait ZoneGame {
    /// A set of points.
    type Zone: Clone + Debug;

    /// A key that differs for different positions.
    fn key(&self, attacker_moves: bool) -> u128;

    /// How the position stands.
    fn look(&self, attacker_moves: bool) -> GoalStanding<Self::Zone>;

    /// Appends the attacker's moves that are to be tried, all legal and none twice.
    fn attacks(&self, list: &mut Vec<Candidate>);

    /// Appends defences that are likely to be good, all legal and none twice, without the pass.
    fn defences(&self, list: &mut Vec<Candidate>);

    /// Appends all legal defences that change something on a zone of the position with the attacker to move.
    fn relevant(&self, zone: &Self::Zone, list: &mut Vec<u16>);

    /// Whether a move is legal.
    fn is_legal(&self, point: u16, attacker_moves: bool) -> bool;

    /// Plays a legal move; whether it takes a ko.
    fn play(&mut self, point: u16, attacker_moves: bool) -> bool;

    /// Takes back the last move.
    fn undo(&mut self);

    /// A zone of this position, the attacker being to move, from that after its move.
    fn before_attack(&mut self, point: u16, after: &Self::Zone) -> Self::Zone;

    /// A zone of this position, the defender being to move, from those after the pass and after all that
    /// [`ZoneGame::relevant`] tells of the former.
    fn before_defence<'a>(&self, after: impl Iterator<Item = &'a Self::Zone>) -> Self::Zone
    where
        Self::Zone: 'a;
}
