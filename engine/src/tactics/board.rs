//! A board on which moves are played and taken back, with the simple ko rule.
//!
//! The stones, their chains and liberties are those of [`Chains`], which keeps them up to date. A stone that captures
//! a single stone and is then in atari alone makes a ko: the other side may not retake at once. [`KoThreats`] says
//! whether a side has threats elsewhere on the board; one that has may retake at once all the same, since it plays a
//! threat that has to be answered in between. Their number is finite, so that a side which never can end the ko runs
//! out of them.

use crate::core::game::{Game, Side};
use crate::core::seed::derive;
use crate::games::go::large::chains::{Chain, Chains, Taken};
use crate::games::go::large::points::PointSet;
use crate::games::go::large::position::LargePosition;

/// Who has threats elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum KoThreats {
    /// Neither side: a ko is not retaken at once.
    #[default]
    Neither,
    /// This side may retake at once, [`MOST_THREATS`] times, the other may not.
    Of(Side),
}

/// How many threats a side has that has them.
pub const MOST_THREATS: u8 = 3;

/// The number of a pass among moves.
pub const PASS: u16 = u16::MAX;

/// A move that was made, with what takes it back.
#[derive(Debug, Clone)]
struct MadeMove {
    point: u16,
    colour: Side,
    taken: Taken,
    ban: Option<u16>,
    took_ko: bool,
    threats_left: u8,
}

/// Stones on a board, the point that a ko forbids, and the moves made so far.
#[derive(Debug, Clone)]
pub struct TacticsBoard {
    chains: Chains,
    threats: KoThreats,
    threats_left: u8,
    ban: Option<u16>,
    took_ko: bool,
    made: Vec<MadeMove>,
}

impl TacticsBoard {
    /// A board with these stones; `ban` is the point that a ko forbids the side to move.
    pub fn new(chains: Chains, ban: Option<u16>) -> TacticsBoard {
        TacticsBoard { chains, threats: KoThreats::Neither, threats_left: 0, ban, took_ko: false, made: Vec::new() }
    }

    /// The board of a position, for a question in which `mover` moves first. A ko of the position forbids a point to
    /// the side that is to move in it only.
    pub fn of_position(position: &LargePosition, mover: Side) -> TacticsBoard {
        let ban = position.forbidden_retake().filter(|_| position.side() == mover);
        TacticsBoard::new(position.chains().clone(), ban)
    }

    /// The stones with their chains and liberties.
    #[inline]
    pub fn chains(&self) -> &Chains {
        &self.chains
    }

    /// Says who has threats elsewhere, all of them.
    pub fn set_threats(&mut self, threats: KoThreats) {
        self.threats = threats;
        self.threats_left = if threats == KoThreats::Neither { 0 } else { MOST_THREATS };
    }

    /// The stone on a point.
    #[inline]
    pub fn colour(&self, point: u16) -> Option<Side> {
        self.chains.colour(point)
    }

    /// The points next to a point.
    #[inline]
    pub fn near(&self, point: u16) -> &[u16] {
        self.chains.near(point)
    }

    /// The chain of the stone on a point.
    #[inline]
    pub fn chain(&self, point: u16) -> Option<&Chain> {
        self.chains.chain(point)
    }

    /// The liberties of the stone on a point; none if it is empty.
    #[inline]
    pub fn liberties(&self, point: u16) -> PointSet {
        self.chain(point).map_or(PointSet::EMPTY, |chain| chain.liberties)
    }

    /// Whether the last move took a ko: a stone that the other side could retake if the rules let it.
    #[inline]
    pub fn took_ko(&self) -> bool {
        self.took_ko
    }

    /// Whether a ko forbids `colour`, to move, a point: it was taken there just before, and the side has no threat.
    #[inline]
    pub fn is_banned(&self, point: u16, colour: Side) -> bool {
        self.ban == Some(point) && (self.threats != KoThreats::Of(colour) || self.threats_left == 0)
    }

    /// The last move; none at the beginning and after a pass.
    pub fn last(&self) -> Option<u16> {
        self.made.last().map(|made| made.point).filter(|&point| point != PASS)
    }

    /// The stones that the last move captured.
    pub fn last_captured(&self) -> PointSet {
        self.made.last().map_or(PointSet::EMPTY, |made| made.taken.captured)
    }

    /// The point that the side to move may retake only with a threat.
    #[inline]
    pub fn ban(&self) -> Option<u16> {
        self.ban
    }

    /// Number of moves that can be taken back.
    pub fn depth(&self) -> usize {
        self.made.len()
    }

    /// The key of the position with a side to move: equal positions have equal keys.
    #[inline]
    pub fn key(&self, to_move: Side) -> u128 {
        let ban = self.ban.map_or(0, |ban| 1 + u64::from(ban));
        if ban == 0 && to_move == Side::First && self.threats_left == 0 {
            return self.chains.hash();
        }
        let state =
            derive(0x7AC7_0001, &[ban << 8 | u64::from(self.threats_left), u64::from(to_move == Side::Second)]);
        self.chains.hash() ^ (u128::from(state) << 64 | u128::from(state.rotate_left(17)))
    }

    /// Whether `colour` may put a stone on a point: it is empty, the stone or its chain has a liberty then, and no ko
    /// forbids it.
    #[inline]
    pub fn is_legal(&self, point: u16, colour: Side) -> bool {
        self.colour(point).is_none() && !self.is_banned(point, colour) && !self.is_suicide(point, colour)
    }

    /// Whether a stone of `colour` on an empty point would have no liberty, and neither would its chain.
    pub fn is_suicide(&self, point: u16, colour: Side) -> bool {
        let lives = |&near: &u16| match self.colour(near) {
            None => true,
            Some(other) => {
                let last = self.chain(near).is_some_and(|chain| chain.liberties.single().is_some());
                (other == colour) != last
            }
        };
        !self.near(point).iter().any(lives)
    }

    /// Puts a stone on a point where it is legal, or passes.
    pub fn play(&mut self, point: u16, colour: Side) {
        let (ban, took_ko, threats_left) = (self.ban.take(), self.took_ko, self.threats_left);
        self.took_ko = false;
        if ban == Some(point) {
            self.threats_left = self.threats_left.saturating_sub(1);
        }
        let mut taken = Taken::default();
        if point != PASS {
            taken = self.chains.put(point, colour);
            if let Some(captured) = taken.captured.single()
                && let Some(chain) = self.chain(point)
                && chain.stones.single().is_some()
                && chain.liberties.single() == Some(captured)
            {
                self.took_ko = true;
                self.ban = Some(captured);
            }
        }
        self.made.push(MadeMove { point, colour, taken, ban, took_ko, threats_left });
    }

    /// Takes back the last move; nothing if there is none.
    pub fn undo(&mut self) {
        let Some(MadeMove { point, colour, taken, ban, took_ko, threats_left }) = self.made.pop() else { return };
        if point != PASS {
            self.chains.take_back(point, colour, &taken);
        }
        (self.ban, self.took_ko, self.threats_left) = (ban, took_ko, threats_left);
    }

    /// What a stone of `colour` on a point would capture: stones of the other side with no other liberty.
    pub fn captured_by(&self, point: u16, colour: Side) -> PointSet {
        let mut captured = PointSet::EMPTY;
        for &near in self.near(point) {
            if self.colour(near) == Some(colour.other())
                && let Some(chain) = self.chain(near)
                && chain.liberties.single().is_some()
            {
                captured.union(&chain.stones);
            }
        }
        captured
    }

    /// The liberties of the chain that a stone of `colour` on an empty point would make, before captures.
    pub fn liberties_after(&self, point: u16, colour: Side) -> PointSet {
        let mut liberties = PointSet::EMPTY;
        for &near in self.near(point) {
            match self.colour(near) {
                None => liberties.insert(near),
                Some(other) if other == colour => liberties.union(&self.liberties(near)),
                Some(_) => (),
            }
        }
        liberties.remove(point);
        liberties
    }

    /// A stone of each chain of `colour` that touches a set of stones.
    pub fn chains_beside(&self, stones: &PointSet, colour: Side) -> Vec<u16> {
        let mut found: Vec<u16> = Vec::new();
        for near in self.chains.border(stones).iter() {
            if self.colour(near) == Some(colour) && !found.contains(&self.chains.root(near)) {
                found.push(self.chains.root(near));
            }
        }
        found
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::games::go::large::points::LargeBoard;
    use crate::games::rows::parse_rows;
    use rand::RngExt;

    /// A board of rows: `X` black, `O` white, `.` empty.
    pub fn board(rows: &str) -> TacticsBoard {
        let ((width, height), stones) = parse_rows(rows).unwrap();
        let size = LargeBoard::new(width, height).unwrap();
        let mut chains = Chains::new(size);
        for ((x, y), colour) in stones {
            chains.set(size.point(x, y).unwrap(), colour);
        }
        TacticsBoard::new(chains, None)
    }

    #[test]
    fn a_ko_is_not_retaken_at_once_but_by_a_side_with_threats() {
        let mut ko = board(".XO.\nXO.O\n.XO.\n....");
        let (a, b) = (6, 5);
        ko.play(a, Side::First);
        assert!(ko.took_ko() && ko.ban() == Some(b) && !ko.is_legal(b, Side::Second));
        let key = ko.key(Side::Second);
        ko.undo();
        ko.set_threats(KoThreats::Of(Side::Second));
        ko.play(a, Side::First);
        assert!(ko.took_ko() && ko.is_legal(b, Side::Second) && ko.key(Side::Second) != key);
        // Until there is no threat left.
        for left in (0..MOST_THREATS).rev() {
            ko.play(b, Side::Second);
            assert!(ko.ban() == Some(a) && !ko.is_legal(a, Side::First));
            [PASS, PASS].into_iter().zip([Side::First, Side::Second]).for_each(|(pass, side)| ko.play(pass, side));
            ko.play(a, Side::First);
            assert_eq!(ko.is_legal(b, Side::Second), left > 0);
        }
        (0..=4 * MOST_THREATS).for_each(|_| ko.undo());
        assert!(!ko.took_ko() && ko.ban().is_none() && ko.depth() == 0);
        // A pass ends the ban.
        ko.set_threats(KoThreats::Neither);
        ko.play(a, Side::First);
        ko.play(PASS, Side::Second);
        ko.play(PASS, Side::First);
        assert!(ko.is_legal(b, Side::Second));
    }

    /// Random moves and their undoing leave what is kept as it would be found anew, and legality is that of the
    /// rules.
    #[test]
    fn what_is_kept_is_what_would_be_found_anew() {
        const SEED: u64 = 31;
        println!("seed {SEED}");
        let mut random = rng(SEED, &[]);
        for (width, height) in [(3, 3), (5, 4), (9, 9), (19, 19)] {
            let size = LargeBoard::new(width, height).unwrap();
            let mut board = TacticsBoard::new(Chains::new(size), None);
            let mut side = Side::First;
            let mut keys = vec![board.key(side)];
            for step in 0..3000 {
                let point = random.random_range(0..size.area());
                if random.random_range(0..3) == 0 {
                    for _ in 0..random.random_range(0..6) {
                        if keys.len() > 1 {
                            board.undo();
                            keys.pop();
                            side = side.other();
                        }
                    }
                    assert_eq!(Some(&board.key(side)), keys.last(), "{width}x{height}, step {step}");
                } else if board.is_legal(point, side) {
                    let (alone, suicide) = board.chains().look(point, side).expect("a legal move");
                    let captured = board.captured_by(point, side);
                    board.play(point, side);
                    assert_eq!((board.chains().hash(), suicide), (alone, false));
                    assert!(captured.iter().all(|point| board.colour(point).is_none()));
                    side = side.other();
                    keys.push(board.key(side));
                } else if board.colour(point).is_none() && board.ban() != Some(point) {
                    let illegal = board.chains().look(point, side).is_none_or(|(_, suicide)| suicide);
                    assert!(illegal, "{width}x{height}, step {step}");
                }
                board.chains().check().unwrap();
            }
        }
    }
}
