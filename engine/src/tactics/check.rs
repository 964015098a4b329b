//! An independent check of a proof: it replays the proof under the naive rules ([`crate::games::go::naive`]) and uses
//! nothing of the search, its board or its closures.
//!
//! - The attacker's move is legal in each position of the proof, and each line ends with the goal reached.
//! - Each legal reply of the defender on the whole board has an answer of its own, or leaves the zone of what
//!   follows a pass as it is.
//! - The proof holds on other boards with the same contents on the zone: the points outside are filled at random, and
//!   lines are played there with any moves of the defender.

use super::board::{KoThreats, MOST_THREATS, PASS, TacticsBoard};
use super::goal::Question;
use super::zone::ZoneProofNode;
use crate::core::game::Side;
use crate::core::seed::{Rng, rng};
use crate::games::go::large::points::PointSet;
use crate::games::go::naive::{NaiveGo, NaivePoint};
use crate::games::go::rules::Ko;
use rand::RngExt;

/// Boards with other points outside the zone that a check usually tries.
pub const FILLINGS: u64 = 1000;

/// A proof that the attacker reaches a goal.
#[derive(Debug, Clone)]
pub struct ZoneProof {
    /// Who has threats for a ko.
    pub threats: KoThreats,
    /// The positions, the one asked about first.
    pub nodes: Vec<ZoneProofNode<PointSet>>,
}

/// What a check went through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CheckedZoneProof {
    /// Positions of the proof.
    pub positions: u64,
    /// Legal replies of the defender in them.
    pub replies: u64,
    /// Other boards on which lines were played.
    pub fillings: u64,
}

/// A proof that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// A move of the attacker that the rules forbid.
    #[error("position {0} of the proof: the attacker's move {1} is illegal")]
    Illegal(usize, String),
    /// A line that ends too early.
    #[error("position {0} of the proof: the line ends before the goal is reached")]
    NotReached(usize),
    /// A reply without an answer.
    #[error("position {0} of the proof: the reply {1} has no answer, and changes the zone of what follows a pass")]
    Unanswered(usize, String),
    /// A board with the same zone on which it does not hold.
    #[error("filling {filling} of seed {seed}, position {node} of the proof: it does not hold on another board")]
    Filling {
        /// Which filling, from 0.
        filling: u64,
        /// The seed of all fillings.
        seed: u64,
        /// Number of the position in which the line failed.
        node: usize,
    },
}

/// A position under the naive rules, with the threats that are left.
#[derive(Clone)]
struct Replay {
    go: NaiveGo,
    left: u8,
    /// The stone of the target that was captured alone by the last move.
    alone: bool,
}

struct Checker<'a> {
    question: &'a Question,
    proof: &'a ZoneProof,
    width: usize,
    height: usize,
}

fn code(side: Side) -> NaivePoint {
    if side == Side::First { NaivePoint::Black } else { NaivePoint::White }
}

impl Checker<'_> {
    fn place(&self, point: u16) -> Option<(usize, usize)> {
        (point != PASS).then(|| (usize::from(point) % self.width, usize::from(point) / self.width))
    }

    fn name(&self, board: &TacticsBoard, point: u16) -> String {
        if point == PASS { "pass".to_owned() } else { board.chains().size().name(point) }
    }

    fn side(&self, attacker_moves: bool) -> Side {
        if attacker_moves { self.question.attacker() } else { self.question.attacker().other() }
    }

    /// The position after a legal move.
    fn after(&self, at: &Replay, point: u16, attacker_moves: bool) -> Option<Replay> {
        let side = self.side(attacker_moves);
        let place = self.place(point);
        let mut go = NaiveGo::new(self.width, self.height, Ko::Basic, false);
        go.rows.clone_from(&at.go.rows);
        go.to_move = code(side);
        let is_ban = at.go.ko.is_some() && at.go.ko == place;
        let may = self.proof.threats == KoThreats::Of(side) && at.left > 0;
        go.ko = at.go.ko.filter(|_| !may);
        let mut next = go.after(place)?;
        let stones = |go: &NaiveGo| go.rows.iter().flatten().filter(|&&point| point != NaivePoint::Empty).count();
        let (x, y) = self.place(self.question.target())?;
        let alone = attacker_moves
            && go.rows[y][x] != NaivePoint::Empty
            && next.rows[y][x] == NaivePoint::Empty
            && stones(&next) == stones(&go);
        // The past is not looked at.
        let mut fresh = NaiveGo::new(self.width, self.height, Ko::Basic, false);
        std::mem::swap(&mut fresh.rows, &mut next.rows);
        (fresh.ko, fresh.to_move) = (next.ko, next.to_move);
        Some(Replay { go: fresh, left: at.left.saturating_sub(u8::from(is_ban)), alone })
    }

    /// Whether the goal is reached.
    fn is_reached(&self, at: &Replay, attacker_moves: bool) -> bool {
        let Some((x, y)) = self.place(self.question.target()) else { return false };
        let (own, other) = (code(self.side(true)), code(self.side(false)));
        if let Some(with) = self.question.with().and_then(|with| self.place(with)) {
            return at.go.rows[y][x] == own && self.chain(&at.go, (x, y)).contains(&with);
        }
        if at.go.rows[y][x] == other {
            return false;
        }
        if attacker_moves || !at.alone {
            return true;
        }
        // A single stone is back if it can be retaken.
        let count = |go: &NaiveGo| go.rows.iter().flatten().filter(|&&point| point == own).count();
        let retaken = self.after(at, self.question.target(), false);
        retaken.is_none_or(|after| count(&after.go) == count(&at.go))
    }

    fn around(&self, (x, y): (usize, usize)) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (width, height) = (self.width, self.height);
        let steps = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
        steps.into_iter().filter(move |&(x, y)| x < width && y < height)
    }

    fn chain(&self, go: &NaiveGo, from: (usize, usize)) -> Vec<(usize, usize)> {
        let (mut found, mut i) = (vec![from], 0);
        while i < found.len() {
            for (x, y) in self.around(found[i]) {
                if go.rows[y][x] == go.rows[from.1][from.0] && !found.contains(&(x, y)) {
                    found.push((x, y));
                }
            }
            i += 1;
        }
        found
    }

    /// All positions of the proof, each once, with all replies.
    fn check_tree(&self, board: &TacticsBoard, start: Replay) -> Result<CheckedZoneProof, CheckError> {
        let mut done = CheckedZoneProof::default();
        let mut seen = vec![false; self.proof.nodes.len()];
        let mut open = vec![(0, start)];
        while let Some((id, at)) = open.pop() {
            if std::mem::replace(&mut seen[id], true) {
                continue;
            }
            done.positions += 1;
            let node = &self.proof.nodes[id];
            if self.is_reached(&at, node.attacker_moves) {
                continue;
            }
            if node.attacker_moves {
                let &(point, next) = node.moves.first().ok_or(CheckError::NotReached(id))?;
                let illegal = || CheckError::Illegal(id, self.name(board, point));
                let after = self.after(&at, point, true).ok_or_else(illegal)?;
                match next {
                    Some(next) => open.push((next, after)),
                    None if self.is_reached(&after, false) => {}
                    None => return Err(CheckError::NotReached(id)),
                }
                continue;
            }
            let &(first, pass) = node.moves.first().ok_or(CheckError::NotReached(id))?;
            let pass = pass.filter(|_| first == PASS).ok_or(CheckError::NotReached(id))?;
            for point in (0..board.chains().size().area()).chain([PASS]) {
                let Some(after) = self.after(&at, point, false) else { continue };
                done.replies += 1;
                match node.moves.iter().find(|(of, _)| *of == point) {
                    Some(&(_, next)) => open.push((next.ok_or(CheckError::NotReached(id))?, after)),
                    None => {
                        let is_same = |point: u16| {
                            self.place(point).is_some_and(|(x, y)| at.go.rows[y][x] == after.go.rows[y][x])
                        };
                        if !self.proof.nodes[pass].zone.iter().all(is_same) {
                            return Err(CheckError::Unanswered(id, self.name(board, point)));
                        }
                    }
                }
            }
        }
        Ok(done)
    }

    /// A board with the same zone and anything else outside; none if that has a chain without liberties in the zone.
    fn filled(&self, start: &Replay, random: &mut Rng) -> Option<Replay> {
        let zone = &self.proof.nodes[0].zone;
        let mut at = start.clone();
        let points = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        let outside: Vec<(usize, usize)> =
            points.filter(|&(x, y)| !zone.contains((y * self.width + x) as u16)).collect();
        let density = random.random_range(0..4);
        for &(x, y) in &outside {
            at.go.rows[y][x] = match random.random_range(0..6) {
                0..=1 if density < 3 => NaivePoint::Black,
                2..=3 if density < 3 => NaivePoint::White,
                4 if density == 0 => NaivePoint::Black,
                5 if density == 1 => NaivePoint::White,
                _ => NaivePoint::Empty,
            };
        }
        for y in 0..self.height {
            for x in 0..self.width {
                if at.go.rows[y][x] == NaivePoint::Empty {
                    continue;
                }
                let chain = self.chain(&at.go, (x, y));
                let is_free =
                    |&stone: &(usize, usize)| self.around(stone).any(|(x, y)| at.go.rows[y][x] == NaivePoint::Empty);
                if !chain.iter().any(is_free) {
                    let free = chain.iter().find(|&&(x, y)| !zone.contains((y * self.width + x) as u16))?;
                    at.go.rows[free.1][free.0] = NaivePoint::Empty;
                }
            }
        }
        Some(at)
    }

    /// Plays a line on another board: the attacker by the proof, the defender at random.
    fn play_line(&self, start: Replay, random: &mut Rng) -> Result<(), usize> {
        let (mut id, mut at) = (0, start);
        loop {
            let node = &self.proof.nodes[id];
            if self.is_reached(&at, node.attacker_moves) {
                return Ok(());
            }
            if node.attacker_moves {
                let &(point, next) = node.moves.first().ok_or(id)?;
                at = self.after(&at, point, true).ok_or(id)?;
                match next {
                    Some(next) => id = next,
                    None => return if self.is_reached(&at, false) { Ok(()) } else { Err(id) },
                }
                continue;
            }
            let any = random.random_range(0..(self.width * self.height) as u16);
            let point = match random.random_range(0..4) {
                0 => any,
                1 => node.zone.iter().nth(random.random_range(0..node.zone.len().max(1)) as usize).unwrap_or(any),
                _ => {
                    node.moves.get(random.random_range(0..node.moves.len().max(1))).map_or(PASS, |&(point, _)| point)
                }
            };
            let (point, after) = match self.after(&at, point, false) {
                Some(after) => (point, after),
                None => (PASS, self.after(&at, PASS, false).ok_or(id)?),
            };
            let known = node.moves.iter().find(|(of, _)| *of == point).or(node.moves.first()).and_then(|(_, to)| *to);
            (id, at) = (known.ok_or(id)?, after);
        }
    }
}

/// Checks a proof, with so many fillings of the points outside its zone.
///
/// # Errors
/// The first thing that does not hold.
pub fn check(
    board: &TacticsBoard,
    question: &Question,
    proof: &ZoneProof,
    fillings: u64,
    seed: u64,
) -> Result<CheckedZoneProof, CheckError> {
    let size = board.chains().size();
    let (width, height) = (usize::from(size.width()), usize::from(size.height()));
    let checker = Checker { question, proof, width, height };
    let mut go = NaiveGo::new(width, height, Ko::Basic, false);
    for point in 0..size.area() {
        if let (Some(colour), Some((x, y))) = (board.colour(point), checker.place(point)) {
            go.rows[y][x] = code(colour);
        }
    }
    go.ko = board.ban().and_then(|ban| checker.place(ban));
    let left = if proof.threats == KoThreats::Neither { 0 } else { MOST_THREATS };
    let start = Replay { go, left, alone: false };
    if proof.nodes.is_empty() {
        return Err(CheckError::NotReached(0));
    }
    let mut done = checker.check_tree(board, start.clone())?;
    let mut random = rng(seed, &[]);
    for filling in 0..fillings {
        if let Some(other) = checker.filled(&start, &mut random) {
            done.fillings += 1;
            checker.play_line(other, &mut random).map_err(|node| CheckError::Filling { filling, seed, node })?;
        }
    }
    Ok(done)
}
