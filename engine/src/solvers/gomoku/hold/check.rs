//! Goes through a defence by rules of its own: stones on a board, and rows that are found by walking.
//!
//! The search only proposes the defender's answers, the pairings and the zones. A pairing holds if its pairs have no
//! point in common, are empty, and every row without a stone of the defender has both points of one of them. Where
//! there is none, every move of the attacker in the zone has to be answered; whatever these answers need belongs to
//! the zone, too. A move outside of it changes no row within it, so it is no better for the attacker than a pass, and
//! a pass is no better than a move in the zone. A move in the zone is left out only if all rows through it go
//! through another point of the zone, which is as good for both sides.

use super::rows::{HoldBoard, OpenRows};
use super::search::{HoldAnswer, HoldSearch, Mover};
use crate::core::game::{Game, Side};
use crate::games::gomoku::position::GomokuPosition;
use crate::solvers::monitor::{Monitor, Stopped};
use std::collections::{BTreeSet, HashMap};

/// Positions between two looks at the monitor.
const REPORT: u64 = 64;

/// What was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HoldChecked {
    /// Different positions with the attacker to move.
    pub positions: u64,
    /// Those of them in which a pairing prevents every row.
    pub pairings: u64,
    /// Moves of the attacker that were answered in the others.
    pub moves: u64,
}

impl std::ops::AddAssign for HoldChecked {
    fn add_assign(&mut self, other: HoldChecked) {
        self.positions += other.positions;
        self.pairings += other.pairings;
        self.moves += other.moves;
    }
}

/// The moves after which a defence does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoldHole(pub Vec<u16>);

/// Points that a defence needs, by their numbers.
type Zone = BTreeSet<usize>;

/// A defence that is checked.
#[derive(Debug)]
pub struct HoldCheck<'a, 's> {
    board: &'a HoldBoard,
    search: &'s mut HoldSearch<'a>,
    monitor: &'a Monitor,
    position: GomokuPosition,
    stones: CheckedStones,
    /// Zones of the positions with the attacker to move that hold, by what these are known by; see
    /// [`CheckedStones::key`].
    known: HashMap<Box<[u8]>, Box<[u16]>>,
    moves: Vec<u16>,
    checked: HoldChecked,
}

/// Why a check ends early.
enum Ended {
    Hole(HoldHole),
    Stopped(Stopped),
}

impl From<Stopped> for Ended {
    fn from(stopped: Stopped) -> Ended {
        Ended::Stopped(stopped)
    }
}

impl<'a, 's> HoldCheck<'a, 's> {
    /// A check of what a search has found, from a position on.
    pub fn new(
        board: &'a HoldBoard,
        search: &'s mut HoldSearch<'a>,
        monitor: &'a Monitor,
        position: GomokuPosition,
        attacker: Side,
    ) -> HoldCheck<'a, 's> {
        let stones = CheckedStones::new(&position, attacker);
        let (known, moves) = (HashMap::new(), Vec::new());
        HoldCheck { board, search, monitor, position, stones, known, moves, checked: HoldChecked::default() }
    }

    /// Checks the position, in which these rows are open.
    ///
    /// # Errors
    /// The monitor says so.
    pub fn check(mut self, rows: &OpenRows) -> Result<Result<HoldChecked, HoldHole>, Stopped> {
        let is_attack = self.stones.attacker == self.position.side();
        let result = if is_attack { self.attack(rows) } else { self.defend(rows) };
        match result {
            Ok(_) => Ok(Ok(self.checked)),
            Err(Ended::Hole(hole)) => Ok(Err(hole)),
            Err(Ended::Stopped(stopped)) => Err(stopped),
        }
    }

    fn hole<T>(&self) -> Result<T, Ended> {
        Err(Ended::Hole(HoldHole(self.moves.clone())))
    }

    /// Puts a stone for the time of a step.
    fn after(
        &mut self,
        point: u16,
        stone: CheckedStone,
        step: impl FnOnce(&mut Self) -> Result<Zone, Ended>,
    ) -> Result<Zone, Ended> {
        let number = self.stones.number(&self.position, point);
        if self.stones.points[number] != CheckedStone::Empty {
            return self.hole();
        }
        self.stones.points[number] = stone;
        self.moves.push(point);
        let result = step(self);
        self.moves.pop();
        self.stones.points[number] = CheckedStone::Empty;
        result
    }

    /// The zone of a position with the attacker to move.
    fn attack(&mut self, rows: &OpenRows) -> Result<Zone, Ended> {
        let open = self.stones.open_rows();
        if open.iter().any(|row| row.len() < 2) {
            return self.hole();
        }
        let (key, image) = self.stones.key();
        if let Some(zone) = self.known.get(&key) {
            return Ok((0..image.len())
                .filter(|&point| zone.binary_search(&(image[point] as u16)).is_ok())
                .collect());
        }
        self.checked.positions += 1;
        if self.checked.positions.is_multiple_of(REPORT) {
            self.monitor.report(0)?;
        }
        let zone = match self.search.pairs(rows) {
            Some(pairs) => {
                self.checked.pairings += 1;
                self.paired(&open, &pairs)?
            }
            None => self.answered(rows, &least(open))?,
        };
        let mut carried: Vec<u16> = zone.iter().map(|&point| image[point] as u16).collect();
        carried.sort_unstable();
        self.known.insert(key, carried.into());
        Ok(zone)
    }

    /// The points of a pairing that prevents these rows.
    fn paired(&self, open: &[Vec<usize>], pairs: &[(u32, u32)]) -> Result<Zone, Ended> {
        let number = |bit: u32| self.stones.number(&self.position, self.board.point(bit));
        let pairs: Vec<(usize, usize)> =
            pairs.iter().map(|&(first, second)| (number(first), number(second))).collect();
        let zone: Zone = pairs.iter().flat_map(|&(first, second)| [first, second]).collect();
        let is_apart = zone.len() == 2 * pairs.len();
        let is_empty = zone.iter().all(|&point| self.stones.points[point] == CheckedStone::Empty);
        let holds =
            |row: &Vec<usize>| pairs.iter().any(|(first, second)| row.contains(first) && row.contains(second));
        if is_apart && is_empty && open.iter().all(holds) { Ok(zone) } else { self.hole() }
    }

    /// The zone of answers to every move in it.
    fn answered(&mut self, rows: &OpenRows, open: &[Vec<usize>]) -> Result<Zone, Ended> {
        if self.search.zone(rows).is_none() && self.search.search(Mover::Attacker, rows)? != HoldAnswer::Held {
            return self.hole();
        }
        let Some(proposed) = self.search.zone(rows) else { return self.hole() };
        let bits = (0..u64::BITS).filter(|bit| proposed >> bit & 1 != 0);
        let mut zone: Zone = bits.map(|bit| self.stones.number(&self.position, self.board.point(bit))).collect();
        let mut tried = Zone::new();
        while let Some(&point) = zone.difference(&tried).next() {
            tried.insert(point);
            if has_better(open, point, &zone) {
                continue;
            }
            let place = self.stones.point(&self.position, point);
            let Some(bit) = place.and_then(|place| self.board.bit(place)) else { return self.hole() };
            let Some(place) = place else { return self.hole() };
            self.checked.moves += 1;
            let next = rows.attacked(bit);
            zone.extend(self.after(place, CheckedStone::Attacker, |check| check.defend(&next))?);
        }
        Ok(zone)
    }

    /// The zone of a position with the defender to move.
    fn defend(&mut self, rows: &OpenRows) -> Result<Zone, Ended> {
        let open = self.stones.open_rows();
        if open.iter().any(Vec::is_empty) {
            return self.hole();
        }
        if open.is_empty() {
            return Ok(Zone::new());
        }
        if self.search.answer(rows).is_none() && self.search.search(Mover::Defender, rows)? != HoldAnswer::Held {
            return self.hole();
        }
        let Some(bit) = self.search.answer(rows) else { return self.hole() };
        let place = self.board.point(bit);
        let next = rows.defended(bit);
        let mut zone = self.after(place, CheckedStone::Defender, |check| check.attack(&next))?;
        zone.insert(self.stones.number(&self.position, place));
        Ok(zone)
    }
}

/// Whether another point of a zone is on every row through a point. Of two points on the same rows the last is
/// better.
fn has_better(open: &[Vec<usize>], point: usize, zone: &Zone) -> bool {
    let mut through = open.iter().filter(|row| row.contains(&point));
    let Some(first) = through.next() else { return true };
    let through: Vec<&Vec<usize>> = through.collect();
    first.iter().filter(|&&other| other != point && zone.contains(&other)).any(|&other| {
        let is_on_all = through.iter().all(|row| row.contains(&other));
        is_on_all && (other > point || open.iter().any(|row| row.contains(&other) && !row.contains(&point)))
    })
}

/// The rows that contain no other row.
fn least(open: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let contains = |row: &Vec<usize>, other: &Vec<usize>| other.iter().all(|point| row.contains(point));
    let is_least = |n: usize| {
        let row = &open[n];
        !open
            .iter()
            .enumerate()
            .any(|(m, other)| m != n && contains(row, other) && (other.len() < row.len() || m < n))
    };
    (0..open.len()).filter(|&n| is_least(n)).map(|n| open[n].clone()).collect()
}

/// What is on a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckedStone {
    Empty,
    Attacker,
    Defender,
}

/// A board with stones, its points by rows from the top.
#[derive(Debug)]
struct CheckedStones {
    width: usize,
    win: usize,
    points: Vec<CheckedStone>,
    attacker: Side,
}

impl CheckedStones {
    fn new(position: &GomokuPosition, attacker: Side) -> CheckedStones {
        let board = position.board();
        let stone = |point| match position.stone(point) {
            None => CheckedStone::Empty,
            Some(side) if side == attacker => CheckedStone::Attacker,
            Some(_) => CheckedStone::Defender,
        };
        let points = board.points().map(stone).collect();
        CheckedStones { width: board.width().into(), win: position.rules().win().into(), points, attacker }
    }

    fn number(&self, position: &GomokuPosition, point: u16) -> usize {
        let (x, y) = position.board().place(point);
        usize::from(y) * self.width + usize::from(x)
    }

    fn point(&self, position: &GomokuPosition, number: usize) -> Option<u16> {
        position.board().point((number % self.width) as u8, (number / self.width) as u8)
    }

    /// The points of each row without a stone of the defender.
    fn open_windows(&self) -> Vec<Vec<usize>> {
        let (width, height, win) = (self.width as i32, (self.points.len() / self.width) as i32, self.win as i32);
        let mut open = Vec::new();
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            for (dx, dy) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
                let (end_x, end_y) = (x + dx * (win - 1), y + dy * (win - 1));
                if (0..width).contains(&end_x) && end_y < height {
                    let row = (0..win).map(|n| ((y + n * dy) * width + x + n * dx) as usize);
                    if row.clone().all(|point| self.points[point] != CheckedStone::Defender) {
                        open.push(row.collect());
                    }
                }
            }
        }
        open
    }

    /// The empty points of each row without a stone of the defender.
    fn open_rows(&self) -> Vec<Vec<usize>> {
        let is_empty = |&point: &usize| self.points[point] == CheckedStone::Empty;
        self.open_windows().into_iter().map(|row| row.into_iter().filter(is_empty).collect()).collect()
    }

    /// What a position is known by, and where each of its points is there: the stones and the empty points of its
    /// open rows, as the least of the images under the symmetries of the board. All other points might as well be the
    /// defender's.
    fn key(&self) -> (Box<[u8]>, Vec<usize>) {
        let mut stones = vec![0u8; self.points.len()];
        for point in self.open_windows().into_iter().flatten() {
            stones[point] = if self.points[point] == CheckedStone::Empty { 1 } else { 2 };
        }
        let (width, height) = (self.width, self.points.len() / self.width);
        let images = (0..if width == height { 8 } else { 4 }).map(|symmetry| {
            let carried = |point: usize| {
                let (mut x, mut y) = (point % width, point / width);
                if symmetry & 1 != 0 {
                    x = width - 1 - x;
                }
                if symmetry & 2 != 0 {
                    y = height - 1 - y;
                }
                if symmetry & 4 != 0 { x * width + y } else { y * width + x }
            };
            let image: Vec<usize> = (0..stones.len()).map(carried).collect();
            // Four points a byte.
            let mut key = vec![0u8; stones.len().div_ceil(4)];
            image.iter().zip(&stones).for_each(|(&to, &stone)| key[to / 4] |= stone << (2 * (to % 4)));
            (key.into_boxed_slice(), image)
        });
        images.min().unwrap_or_default()
    }
}
