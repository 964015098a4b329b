//! The referee: a second implementation of the rules, slow and plain, that shares no code with the engine.
//!
//! Points are pairs of integers on an unbounded grid kept in a set, drawn lines are kept in a list, and every
//! question is answered from the rules as they are written down: a line is legal if exactly one of its points
//! is not set and it shares at most one point (touching) or none (disjoint) with each drawn line of its
//! direction. Every grid is replayed here before it is stored or shown as a result; tests and fuzzing hold the
//! engine against it. The starting cross is drawn below as a picture instead of being computed.

use super::geometry::{Direction, Move, Point};
use super::start::Start;
use super::variant::Variant;
use std::collections::HashSet;

/// The cross for lines of 5; its upper left corner is at (25,25) of the playing area.
const CROSS_5: (i32, [&str; 10]) = (
    25,
    [
        "...oooo...",
        "...o..o...",
        "...o..o...",
        "oooo..oooo",
        "o........o",
        "o........o",
        "oooo..oooo",
        "...o..o...",
        "...o..o...",
        "...oooo...",
    ],
);

/// The cross for lines of 4; its upper left corner is at (26,26).
const CROSS_4: (i32, [&str; 7]) = (
    26, //
    ["..ooo..", "..o.o..", "ooo.ooo", "o.....o", "ooo.ooo", "..o.o..", "..ooo.."],
);

/// A move on the unbounded grid: the new point, and which point (0..length, from the first) of a line in
/// `direction` it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FreeMove {
    /// Column and row of the new point; the playing area is 0..60 in both.
    pub point: (i32, i32),
    /// Direction of the line.
    pub direction: Direction,
    /// Which point of the line is the new one, counted from 0 at its first (leftmost, or uppermost) point.
    pub index: i32,
}

impl FreeMove {
    /// The engine's move as one on the unbounded grid. (A number that names no move, which only damaged data can
    /// hold, makes a move with an impossible index or one at another place.)
    pub fn from_move(mv: Move) -> FreeMove {
        let coordinate = match mv.direction() {
            Direction::Vertical => mv.point().y(),
            _ => mv.point().x(),
        };
        FreeMove {
            point: (mv.point().x(), mv.point().y()),
            direction: mv.direction(),
            index: coordinate - mv.line().start() as i32,
        }
    }

    /// The engine's move; `None` if the line leaves the 60x60 playing area.
    pub fn in_area(self, variant: Variant) -> Option<Move> {
        let point = Point::new(self.point.0, self.point.1)?;
        Move::new(variant, point, self.direction, usize::try_from(self.index).ok()?)
    }

    fn line(self) -> FreeLine {
        let (dx, dy) = self.direction.delta();
        let first = (
            self.point.0.saturating_sub(self.index.saturating_mul(dx)),
            self.point.1.saturating_sub(self.index.saturating_mul(dy)),
        );
        FreeLine { first, direction: self.direction }
    }
}

/// A line on the unbounded grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FreeLine {
    /// Its first point.
    pub first: (i32, i32),
    /// Direction of the line.
    pub direction: Direction,
}

impl FreeLine {
    /// Its points, first to last.
    fn points(self, len: i32) -> Vec<(i32, i32)> {
        let (dx, dy) = self.direction.delta();
        (0..len).map(|i| (self.first.0.saturating_add(i * dx), self.first.1.saturating_add(i * dy))).collect()
    }
}

impl std::fmt::Display for FreeLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({},{}) {}", self.first.0, self.first.1, self.direction.symbol())
    }
}

/// Why a move is illegal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// The number names no move of the variant: its point is not of its line, or either lies outside the area.
    #[error("{0:#010x} is not the number of a move: the data are damaged")]
    Malformed(u32),
    /// The index of the new point is not one of the line's points.
    #[error("point number {index} of the line is asked for, but its points are numbered 0 to {}", .len - 1)]
    NoSuchIndex {
        /// The index given.
        index: i32,
        /// Points in a line.
        len: i32,
    },
    /// The new point is set already.
    #[error("the new point ({},{}) is already set", .0.0, .0.1)]
    PointSet((i32, i32)),
    /// A point of the line other than the new one is not set.
    #[error("the line also needs point ({},{}), which is not set", .0.0, .0.1)]
    PointMissing((i32, i32)),
    /// The line shares too much with a drawn line of its direction.
    #[error(
        "the line shares {shared} {} with the line from {with} of the same direction, {}",
        if *.shared == 1 { "point" } else { "points" },
        if *.allowed == 0 { "but may share none" } else { "but may share only an end point" }
    )]
    Conflict {
        /// The drawn line.
        with: FreeLine,
        /// Number of points shared.
        shared: i32,
        /// Number of points that may be shared: 1 (touching) or 0 (disjoint).
        allowed: i32,
    },
}

/// A game as the referee sees it.
#[derive(Debug, Clone)]
pub struct Referee {
    variant: Variant,
    points: HashSet<(i32, i32)>,
    lines: Vec<FreeLine>,
    played: Vec<FreeMove>,
}

impl Referee {
    /// The starting cross.
    pub fn new(variant: Variant) -> Referee {
        let (corner, rows): (i32, &[&str]) = match variant {
            Variant::T5 | Variant::D5 => (CROSS_5.0, &CROSS_5.1),
            Variant::T4 | Variant::D4 => (CROSS_4.0, &CROSS_4.1),
        };
        let mut points = HashSet::new();
        for (y, row) in (corner..).zip(rows) {
            for (x, cell) in (corner..).zip(row.chars()) {
                if cell == 'o' {
                    points.insert((x, y));
                }
            }
        }
        Referee { variant, points, lines: Vec::new(), played: Vec::new() }
    }

    /// The points of a start.
    pub fn from_start(variant: Variant, start: &Start) -> Referee {
        if start.is_cross() {
            return Referee::new(variant);
        }
        let points = start.points(variant);
        Referee::with(variant, points.iter().map(|point| (point.x(), point.y())), [])
    }

    /// A board with any points and drawn lines, for tests of places that no game reaches.
    pub fn with(
        variant: Variant,
        points: impl IntoIterator<Item = (i32, i32)>,
        lines: impl IntoIterator<Item = FreeLine>,
    ) -> Referee {
        Referee {
            variant,
            points: points.into_iter().collect(),
            lines: lines.into_iter().collect(),
            played: Vec::new(),
        }
    }

    /// The variant played.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The set points.
    pub fn points(&self) -> &HashSet<(i32, i32)> {
        &self.points
    }

    /// The drawn lines in the order of play.
    pub fn lines(&self) -> &[FreeLine] {
        &self.lines
    }

    /// Number of moves played.
    pub fn score(&self) -> u32 {
        self.played.len() as u32
    }

    fn len(&self) -> i32 {
        match self.variant {
            Variant::T5 | Variant::D5 => 5,
            Variant::T4 | Variant::D4 => 4,
        }
    }

    /// Number of points that two lines of one direction may share.
    fn allowed(&self) -> i32 {
        match self.variant {
            Variant::T5 | Variant::T4 => 1,
            Variant::D5 | Variant::D4 => 0,
        }
    }

    /// Whether a move is legal.
    ///
    /// # Errors
    /// The reason why it is not.
    pub fn judge(&self, mv: FreeMove) -> Result<(), Illegal> {
        if mv.index < 0 || mv.index >= self.len() {
            return Err(Illegal::NoSuchIndex { index: mv.index, len: self.len() });
        }
        if self.points.contains(&mv.point) {
            return Err(Illegal::PointSet(mv.point));
        }
        let line = mv.line().points(self.len());
        for &point in &line {
            if point != mv.point && !self.points.contains(&point) {
                return Err(Illegal::PointMissing(point));
            }
        }
        for &with in &self.lines {
            if with.direction == mv.direction {
                let shared = with.points(self.len()).iter().filter(|point| line.contains(point)).count() as i32;
                if shared > self.allowed() {
                    return Err(Illegal::Conflict { with, shared, allowed: self.allowed() });
                }
            }
        }
        Ok(())
    }

    /// All legal moves, those outside the playing area included, in ascending order: every line that lies within
    /// one point of the box around the set points is tried.
    pub fn legal_moves(&self) -> Vec<FreeMove> {
        let (mut moves, len) = (Vec::new(), self.len());
        let (Some(left), Some(right)) =
            (self.points.iter().map(|p| p.0).min(), self.points.iter().map(|p| p.0).max())
        else {
            return moves;
        };
        let top = self.points.iter().map(|p| p.1).min().unwrap_or(0);
        let bottom = self.points.iter().map(|p| p.1).max().unwrap_or(0);
        for direction in Direction::ALL {
            for y in top - len..=bottom + len {
                for x in left - len..=right + len {
                    let line = FreeLine { first: (x, y), direction }.points(len);
                    let missing: Vec<usize> =
                        (0..line.len()).filter(|&i| !self.points.contains(&line[i])).take(2).collect();
                    if let [index] = missing[..] {
                        let mv = FreeMove { point: line[index], direction, index: index as i32 };
                        if self.judge(mv).is_ok() {
                            moves.push(mv);
                        }
                    }
                }
            }
        }
        moves.sort_unstable();
        moves
    }

    /// Plays a move.
    ///
    /// # Errors
    /// The reason why the move is illegal; the game is unchanged then.
    pub fn play(&mut self, mv: FreeMove) -> Result<(), Illegal> {
        self.judge(mv)?;
        self.points.insert(mv.point);
        self.lines.push(mv.line());
        self.played.push(mv);
        Ok(())
    }

    /// Takes back the last move and returns it; `None` at the start.
    pub fn undo(&mut self) -> Option<FreeMove> {
        let mv = self.played.pop()?;
        self.lines.pop();
        self.points.remove(&mv.point);
        Some(mv)
    }
}

/// The first illegal move of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("move {} is illegal: {reason}", .index + 1)]
pub struct ReplayError {
    /// Its index in the sequence, from 0; also the number of legal moves before it.
    pub index: usize,
    /// Why it is illegal.
    pub reason: Illegal,
}

/// Plays the moves from the cross in the order given and returns the game after them; its score is the number of
/// moves.
///
/// # Errors
/// The first illegal move and the reason.
pub fn replay(variant: Variant, moves: &[Move]) -> Result<Referee, ReplayError> {
    replay_from(&Start::CROSS, variant, moves)
}

/// The same from any start.
///
/// # Errors
/// The first illegal move and the reason.
pub fn replay_from(start: &Start, variant: Variant, moves: &[Move]) -> Result<Referee, ReplayError> {
    let mut referee = Referee::from_start(variant, start);
    for (index, &mv) in moves.iter().enumerate() {
        let free = FreeMove::from_move(mv);
        let played = match free.in_area(variant) {
            Some(same) if same == mv => referee.play(free),
            _ => Err(Illegal::Malformed(mv.bits())),
        };
        played.map_err(|reason| ReplayError { index, reason })?;
    }
    Ok(referee)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morpion::geometry::cross;

    #[test]
    fn the_drawn_cross_is_the_engine_s() {
        for variant in Variant::ALL {
            let points: HashSet<(i32, i32)> = cross(variant).iter().map(|p| (p.x(), p.y())).collect();
            assert_eq!(*Referee::new(variant).points(), points, "{variant}");
        }
    }

    #[test]
    fn first_moves_are_as_many_as_known() {
        for (variant, count) in [(Variant::T5, 28), (Variant::D5, 28), (Variant::T4, 40), (Variant::D4, 40)] {
            assert_eq!(Referee::new(variant).legal_moves().len(), count, "{variant}");
        }
    }

    #[test]
    fn reasons_are_told_apart() {
        let mv = |x, y, direction, index| FreeMove { point: (x, y), direction, index };
        let row = Direction::Horizontal;
        // Row 3 of a board with points (0..=7, 3) without (4, 3) and a line drawn over (5..=9, 3).
        let points = (0..10).filter(|&x| x != 4).map(|x| (x, 3));
        let drawn = FreeLine { first: (5, 3), direction: row };
        let touching = Referee::with(Variant::T5, points.clone(), [drawn]);
        let disjoint = Referee::with(Variant::D5, points, [drawn]);
        assert_eq!(touching.judge(mv(4, 3, row, 4)), Ok(()));
        assert_eq!(disjoint.judge(mv(4, 3, row, 4)), Ok(()));
        assert_eq!(touching.judge(mv(4, 3, row, 3)), Ok(()));
        assert_eq!(disjoint.judge(mv(4, 3, row, 3)), Err(Illegal::Conflict { with: drawn, shared: 1, allowed: 0 }));
        assert_eq!(touching.judge(mv(4, 3, row, 2)), Err(Illegal::Conflict { with: drawn, shared: 2, allowed: 1 }));
        assert_eq!(touching.judge(mv(3, 3, row, 2)), Err(Illegal::PointSet((3, 3))));
        assert_eq!(touching.judge(mv(4, 3, Direction::Vertical, 0)), Err(Illegal::PointMissing((4, 4))));
        assert_eq!(touching.judge(mv(4, 3, row, 5)), Err(Illegal::NoSuchIndex { index: 5, len: 5 }));
        // Hostile numbers are answered, too.
        assert!(touching.judge(mv(i32::MAX, i32::MIN, Direction::Falling, 4)).is_err());
        assert_eq!(mv(-1, 3, row, 0).in_area(Variant::T5), None);
        assert_eq!(mv(58, 3, row, 0).in_area(Variant::T5), None);
    }

    /// Moves are read from files as numbers, and any number may be in a damaged one.
    #[test]
    fn any_number_is_judged() {
        use crate::core::seed;
        use rand::RngExt;
        let mut rng = seed::rng(5, &[]);
        let real = Move::new(Variant::T5, Point::new(28, 24).unwrap(), Direction::Vertical, 0).unwrap();
        let mut moves = 0;
        for i in 0..40_000 {
            let mut bits: u32 = rng.random();
            if i % 2 == 0 {
                // A real move with at most one bit of its point and one of its line turned.
                bits = real.bits() ^ (bits & 1) << (bits >> 1 & 15) ^ (bits >> 5 & 1) << (16 + (bits >> 6 & 15));
            }
            let mv: Move = serde_json::from_value(bits.into()).unwrap();
            for variant in Variant::ALL {
                let judged = replay(variant, &[mv]);
                if Move::from_bits(variant, bits).is_none() {
                    let reason = Illegal::Malformed(bits);
                    assert_eq!(judged.unwrap_err(), ReplayError { index: 0, reason }, "seed 5, {bits:#x}");
                } else {
                    moves += 1;
                }
            }
        }
        assert!(moves > 100, "only {moves} moves among the numbers");
    }

    #[test]
    fn messages_name_the_place() {
        let with = FreeLine { first: (5, 3), direction: Direction::Rising };
        let reason = Illegal::Conflict { with, shared: 1, allowed: 0 };
        assert_eq!(
            ReplayError { index: 2, reason }.to_string(),
            "move 3 is illegal: the line shares 1 point with the line from (5,3) / of the same direction, but may \
             share none"
        );
    }
}
