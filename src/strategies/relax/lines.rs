//! A set of lines that a game could draw if it were lent some points.
//!
//! The lines are in no order. What is kept of them is which points each has, so a step costs a few additions. A game
//! draws the lines one after the other, each with a new point. So read backwards it takes lines away, each of which
//! has a point that no line still there has and that is not one of the start. A set from which all lines can be taken
//! away like this *peels* (as the hypergraphs do by which erasures are decoded). Whatever is taken first, all go if
//! they can, so a queue finds out. Any part of a set that peels peels too. So to bring a line in needs a look at the
//! others only if all its points are those of other lines.
//!
//! A set that peels has at least as many points beyond the start as lines. What it has more is *lent*: these points
//! have to be there when the game begins. A set without lent points is a grid.

use crate::core::seed::{Rng, derive};
use crate::morpion::board::Board;
use crate::morpion::geometry::{Direction, Line, Move, Point, SIDE};
use crate::morpion::variant::Rules;
use rand::RngExt;
use std::marker::PhantomData;

/// Numbers of points.
const POINTS: usize = 64 * 64;
/// Rows of points.
const ROWS: usize = 64;
/// A line is numbered by its direction, times this, and its first point.
const LINES: usize = 4 * POINTS;
/// One line through a point. Below it is room for the sum of the numbers of nine lines.
const ONE: u32 = 1 << 20;
/// What the points of the start count: never one line, and never none.
const OF_START: u32 = 64 * ONE;
/// The cell that no line may cover.
const BLOCKED: u16 = u16::MAX;
/// One of so many steps takes a line out, as a mask of random bits.
const REMOVALS: u64 = 15;

/// A set without a start is moved to the middle when it has come so near the edge of the area.
const MARGIN: usize = 5;
/// By how much the number of lent points changes in a step, at most, up or down.
const MOST_LENT: usize = 16;

/// With what probabilities a walk takes a step.
pub(super) struct Chances {
    /// Of 2^32, by lines lost (beginning with one won) and by points lent ([`MOST_LENT`] for none).
    of: [[u32; 2 * MOST_LENT + 1]; 3],
}

impl Chances {
    /// At a temperature, in lines, where a lent point has a price, likewise in lines.
    pub fn new(temperature: f64, price: f64) -> Chances {
        let chance = |lost: f64, lent: f64| {
            let worse = lost + price * lent;
            if worse <= 0.0 { u32::MAX } else { ((-worse / temperature).exp() * 2f64.powi(32)) as u32 }
        };
        let row = |lost: usize| std::array::from_fn(|lent| chance(lost as f64 - 1.0, lent as f64 - MOST_LENT as f64));
        Chances { of: std::array::from_fn(row) }
    }

    /// Whether a step is taken by which `lost` lines less are there (-1 to 1) and `lent` points more are lent.
    #[inline(always)]
    fn take(&self, lost: i32, lent: i32, rng: &mut Rng) -> bool {
        let lent = (lent + MOST_LENT as i32).clamp(0, 2 * MOST_LENT as i32) as usize;
        let chance = self.of[(lost + 1) as usize % 3][lent];
        chance == u32::MAX || rng.random::<u32>() < chance
    }
}

/// Lines that peel, with what a walk needs of them.
pub(super) struct PeelingSet<R> {
    /// By point: how many lines have it, times [`ONE`], and the sum of their numbers.
    points: Box<[u32; POINTS]>,
    /// The points that one line has, by rows, as bits.
    single: Box<[u64; ROWS]>,
    /// By direction and cell: the first point of the line that covers it and one; 0 for none.
    cells: Box<[u16; LINES]>,
    /// The lines that cannot come in: those that are there, barred or outside the area. As bits.
    closed: Box<[u64; LINES / 64]>,
    /// The lines, and where each one stands in the list.
    lines: Vec<u16>,
    place: Box<[u16; LINES]>,
    /// The points of the start, near which lines are drawn too.
    start: Vec<u16>,
    /// Points beyond the start that a line has.
    drawn: usize,
    /// The first and the last row that has points.
    rows: (usize, usize),
    /// Room for [`PeelingSet::peels`].
    rest: Box<[u32; POINTS]>,
    waiting: Vec<u16>,
    rules: PhantomData<R>,
}

/// The point that lies `n` steps along a direction, by numbers. It may lie outside the area.
#[inline(always)]
fn along(first: usize, direction: usize, n: i32) -> usize {
    (first as i32 + Direction::ALL[direction].stride() * n) as usize & (POINTS - 1)
}

/// The line with a number.
fn line_of(number: usize) -> Option<Line> {
    let (direction, first) = (Direction::ALL[number / POINTS], number % POINTS);
    let (track, start) = direction.track(Point::new((first % 64) as i32, (first / 64) as i32)?);
    Some(Line::pack(direction, track, start))
}

/// The number of a line.
fn number_of(line: Line) -> usize {
    line.direction() as usize * POINTS + line.first().index()
}

/// Bytes of a box of zeros.
fn zeros<T: Copy + Default, const N: usize>() -> Box<[T; N]> {
    vec![T::default(); N].into_boxed_slice().try_into().unwrap_or_else(|_| unreachable!("the lengths are equal"))
}

impl<R: Rules> PeelingSet<R> {
    /// No lines, for games that begin with a board, or with nothing but what is lent. The lines of barred moves never
    /// come in.
    pub fn new(board: Option<&Board<R>>, barred: &[Move]) -> PeelingSet<R> {
        let mut set = PeelingSet {
            points: zeros(),
            single: zeros(),
            cells: zeros(),
            closed: zeros(),
            lines: Vec::new(),
            place: zeros(),
            start: Vec::new(),
            drawn: 0,
            rows: (SIDE as usize / 2, SIDE as usize / 2),
            rest: zeros(),
            waiting: Vec::new(),
            rules: PhantomData,
        };
        for number in 0..LINES {
            let (direction, first) = (Direction::ALL[number / POINTS], number % POINTS);
            let point = Point::new((first % 64) as i32, (first / 64) as i32);
            if point.and_then(|point| point.step(direction, R::LEN as i32 - 1)).is_none() {
                set.close(number);
            }
        }
        barred.iter().for_each(|mv| set.close(number_of(mv.line())));
        let Some(board) = board else { return set };
        for point in board.set_points() {
            set.points[point.index()] = OF_START;
            set.start.push(point.index() as u16);
            let row = point.y() as usize;
            set.rows = (set.rows.0.min(row), set.rows.1.max(row));
            for direction in Direction::ALL {
                let (track, c) = direction.track(point);
                if board.blocked_of(direction, track) >> c & 1 == 1 {
                    set.cells[direction as usize * POINTS + point.index()] = BLOCKED;
                }
            }
        }
        set
    }

    fn close(&mut self, number: usize) {
        self.closed[number / 64] |= 1 << (number % 64);
    }

    /// How many lines there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// How many points are lent.
    #[inline(always)]
    pub fn lent(&self) -> usize {
        self.drawn - self.lines.len()
    }

    /// The numbers of the lines, in the order in which a walk sees them.
    pub fn numbers(&self) -> &[u16] {
        &self.lines
    }

    /// One number for the lines, whatever their order.
    pub fn key(&self) -> u64 {
        self.lines.iter().fold(0, |key, &number| key ^ derive(u64::from(number), &[]))
    }

    /// Becomes the set of these lines, if they can all be there, and peel, and no more than `lent` points are lent;
    /// else it is empty.
    pub fn become_set(&mut self, numbers: &[u16], lent: usize) -> bool {
        let is_set = self.put_all(numbers) && self.lent() <= lent && self.game().is_some();
        if !is_set {
            self.clear();
        }
        is_set
    }

    fn clear(&mut self) {
        while let Some(&number) = self.lines.last() {
            self.take_out(usize::from(number));
        }
    }

    /// Becomes the set of these lines, or of those up to the first that cannot be there.
    fn put_all(&mut self, numbers: &[u16]) -> bool {
        self.clear();
        for &number in numbers {
            let number = usize::from(number);
            if number >= LINES || self.closed[number / 64] >> (number % 64) & 1 == 1 || self.overlaps(number).1 > 0 {
                return false;
            }
            self.put_in(number);
        }
        true
    }

    /// Becomes the set of the lines of a game.
    pub fn become_game(&mut self, moves: &[Move]) -> bool {
        self.become_lines(moves, 0)
    }

    /// Becomes the set of the lines of a game from another start, with points lent in place of that one.
    pub fn become_lines(&mut self, moves: &[Move], lent: usize) -> bool {
        let numbers: Vec<u16> = moves.iter().map(|mv| number_of(mv.line()) as u16).collect();
        self.become_set(&numbers, lent)
    }

    /// Moves a set without a start to the middle of the area, if it has come near the edge.
    pub fn centre(&mut self) {
        self.fit_rows();
        let row = |row: usize| self.points[64 * row..64 * row + 64].iter();
        let columns = |row_of: &dyn Fn(usize) -> bool| (0..SIDE as usize).filter(|&x| row_of(x)).collect::<Vec<_>>();
        let columns = columns(&|x| (self.rows.0..=self.rows.1).any(|y| row(y).nth(x).is_some_and(|&of| of != 0)));
        let (Some(&left), Some(&right)) = (columns.first(), columns.last()) else { return };
        let near = |first: usize, last: usize| first < MARGIN || last + MARGIN >= SIDE as usize;
        if !near(left, right) && !near(self.rows.0, self.rows.1) {
            return;
        }
        let shift = |first: usize, last: usize| (SIDE - 1 - first as i32 - last as i32) / 2;
        let by = shift(left, right) + 64 * shift(self.rows.0, self.rows.1);
        let moved = |&number: &u16| (i32::from(number) + by) as u16;
        let numbers: Vec<u16> = self.lines.iter().map(moved).collect();
        self.become_set(&numbers, usize::MAX);
        self.fit_rows();
    }

    #[inline(always)]
    fn put_in(&mut self, number: usize) {
        let (direction, first) = (number / POINTS, number % POINTS);
        for n in 0..R::LEN as i32 {
            let point = along(first, direction, n);
            self.points[point] += ONE + number as u32;
            match self.points[point] / ONE {
                1 => {
                    self.drawn += 1;
                    self.single[point / 64] |= 1 << (point % 64);
                }
                2 => self.single[point / 64] &= !(1 << (point % 64)),
                _ => {}
            }
        }
        for n in 0..R::BLOCKED as i32 {
            self.cells[direction * POINTS + along(first, direction, n)] = first as u16 + 1;
        }
        let rows = (first / 64, along(first, direction, R::LEN as i32 - 1) / 64);
        self.rows = (self.rows.0.min(rows.0.min(rows.1)), self.rows.1.max(rows.0.max(rows.1)));
        self.close(number);
        self.place[number] = self.lines.len() as u16;
        self.lines.push(number as u16);
    }

    #[inline(always)]
    fn take_out(&mut self, number: usize) {
        let (direction, first) = (number / POINTS, number % POINTS);
        for n in 0..R::LEN as i32 {
            let point = along(first, direction, n);
            self.points[point] -= ONE + number as u32;
            match self.points[point] / ONE {
                0 => {
                    self.drawn -= 1;
                    self.single[point / 64] &= !(1 << (point % 64));
                }
                1 => self.single[point / 64] |= 1 << (point % 64),
                _ => {}
            }
        }
        for n in 0..R::BLOCKED as i32 {
            self.cells[direction * POINTS + along(first, direction, n)] = 0;
        }
        self.closed[number / 64] &= !(1 << (number % 64));
        let place = usize::from(self.place[number]);
        self.lines.swap_remove(place);
        if let Some(&moved) = self.lines.get(place) {
            self.place[usize::from(moved)] = place as u16;
        }
    }

    /// The lines that a line would overlap, and how many: at most two; or three if it may not be there at all.
    #[inline(always)]
    fn overlaps(&self, number: usize) -> ([usize; 2], usize) {
        let (direction, first) = (number / POINTS, number % POINTS);
        let (mut others, mut count) = ([0; 2], 0);
        let mut before = 0;
        for n in 0..R::BLOCKED as i32 {
            let cell = self.cells[direction * POINTS + along(first, direction, n)];
            if cell == BLOCKED {
                return (others, 3);
            }
            if cell != 0 && cell != before {
                others[count % 2] = direction * POINTS + usize::from(cell) - 1;
                count += 1;
                before = cell;
            }
        }
        (others, count)
    }

    /// Whether a line that is there can be taken away, after others that can.
    #[inline(always)]
    fn peels(&mut self, number: usize) -> bool {
        let rows = 64 * self.rows.0..64 * self.rows.1 + 64;
        self.rest[rows.clone()].copy_from_slice(&self.points[rows]);
        self.waiting.clear();
        for row in self.rows.0..=self.rows.1 {
            let mut single = self.single[row];
            while single != 0 {
                self.waiting.push((64 * row) as u16 + single.trailing_zeros() as u16);
                single &= single - 1;
            }
        }
        while let Some(point) = self.waiting.pop() {
            let of_point = self.rest[usize::from(point)];
            if of_point / ONE != 1 {
                continue;
            }
            let own = (of_point % ONE) as usize;
            if own == number {
                return true;
            }
            let (direction, first) = (own / POINTS % 4, own % POINTS);
            for n in 0..R::LEN as i32 {
                let point = along(first, direction, n);
                self.rest[point] -= ONE + own as u32;
                if self.rest[point] / ONE == 1 {
                    self.waiting.push(point as u16);
                }
            }
        }
        false
    }

    /// The moves of a game that draws the lines, and the points lent for it; nothing if they do not peel.
    pub fn game(&self) -> Option<(Vec<Move>, Vec<Point>)> {
        let mut rest = self.points.clone();
        let mut waiting: Vec<usize> = (0..POINTS).filter(|&point| rest[point] / ONE == 1).collect();
        let mut moves = Vec::with_capacity(self.len());
        while let Some(point) = waiting.pop() {
            if rest[point] / ONE != 1 {
                continue;
            }
            let own = (rest[point] % ONE) as usize;
            let drawn = Point::new((point % 64) as i32, (point / 64) as i32)?;
            moves.push(Move::pack(drawn, line_of(own)?));
            for n in 0..R::LEN as i32 {
                let point = along(own % POINTS, own / POINTS, n);
                rest[point] -= ONE + own as u32;
                if rest[point] / ONE == 1 {
                    waiting.push(point);
                }
            }
        }
        moves.reverse();
        let mut is_drawn = vec![false; POINTS];
        moves.iter().for_each(|mv| is_drawn[mv.point().index()] = true);
        let has_line = |point: &usize| (ONE..OF_START).contains(&self.points[*point]);
        let lent = (0..POINTS).filter(|point| has_line(point) && !is_drawn[*point]);
        let lent = lent.filter_map(|point| Point::new((point % 64) as i32, (point / 64) as i32)).collect();
        (moves.len() == self.len()).then_some((moves, lent))
    }

    /// Narrows the rows that are looked at to those that have points.
    pub fn fit_rows(&mut self) {
        let has_points = |row: &usize| self.points[64 * row..64 * row + 64].iter().any(|&of_point| of_point != 0);
        let first = (0..ROWS).find(has_points).unwrap_or(SIDE as usize / 2);
        self.rows = (first, (first..ROWS).rev().find(has_points).unwrap_or(first));
    }

    /// A step of a walk: a line goes, or one comes and those that it overlaps go. Whether it was taken. There are
    /// never more than `longest` lines, and never more than `lent` points lent.
    #[inline(always)]
    pub fn step(&mut self, chances: &Chances, longest: usize, lent: usize, rng: &mut Rng) -> bool {
        let random = rng.random::<u64>();
        let below = |count: usize| (((random >> 32) * count as u64) >> 32) as usize;
        if random & REMOVALS == 0 {
            if self.lines.is_empty() {
                return false;
            }
            let number = usize::from(self.lines[below(self.lines.len())]);
            let lost = self.single_points(number, |_| true);
            return self.lent() < lent + lost && chances.take(1, 1 - lost as i32, rng) && {
                self.take_out(number);
                true
            };
        }
        // A line through a point of one that is there, or now and then through one of the start.
        let all = self.lines.len() + self.start.len() / 8;
        let point = match self.lines.get(below(all)) {
            Some(&near) => {
                let near = usize::from(near);
                along(near % POINTS, near / POINTS, (((random >> 8 & 0xff) * R::LEN as u64) >> 8) as i32)
            }
            None if self.start.is_empty() => POINTS / 2 + 32,
            None => usize::from(self.start[rng.random_range(0..self.start.len())]),
        };
        let direction = (random >> 4 & 3) as usize;
        // It may also begin or end beside that point.
        let n = (((random >> 16 & 0xff) * (R::LEN as u64 + 2)) >> 8) as i32 - 1;
        let first = along(point, direction, -n);
        let number = direction * POINTS + first;
        if self.closed[number / 64] >> (number % 64) & 1 == 1 {
            return false;
        }
        let (others, count) = self.overlaps(number);
        if count > 2 || (count == 0 && self.lines.len() >= longest) {
            return false;
        }
        let new = (0..R::LEN as i32).filter(|&n| self.points[along(first, direction, n)] == 0).count();
        let is_own = |point: usize| (0..R::LEN as i32).any(|n| along(first, direction, n) == point);
        let lost: usize =
            others[..count].iter().map(|&other| self.single_points(other, |point| !is_own(point))).sum();
        let change = new as i32 - lost as i32 - 1 + count as i32;
        if self.lent() as i32 + change > lent as i32 || !chances.take(count as i32 - 1, change, rng) {
            return false;
        }
        others[..count].iter().for_each(|&other| self.take_out(other));
        let has_own = (0..R::LEN as i32).any(|n| self.points[along(first, direction, n)] == 0);
        self.put_in(number);
        if has_own || self.peels(number) {
            return true;
        }
        self.take_out(number);
        others[..count].iter().for_each(|&other| self.put_in(other));
        false
    }

    /// How many points a line alone has, of those that are asked for.
    #[inline(always)]
    fn single_points(&self, number: usize, asked: impl Fn(usize) -> bool) -> usize {
        let points = (0..R::LEN as i32).map(|n| along(number % POINTS, number / POINTS, n));
        points.filter(|&point| self.single[point / 64] >> (point % 64) & 1 == 1 && asked(point)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::morpion::position::Position;
    use crate::morpion::referee::replay_from;
    use crate::morpion::start::Start;
    use crate::morpion::variant::{D5, T5, Variant};
    use crate::strategies::choices::tests::game;
    use crate::with_rules;
    use std::collections::HashSet;

    /// Whether lines peel, by looking at all of them again and again.
    fn peels_slowly<R: Rules>(lines: &[usize], start: &HashSet<usize>) -> bool {
        let points = |line: usize| (0..R::LEN as i32).map(move |n| along(line % POINTS, line / POINTS, n));
        let mut left = lines.to_vec();
        loop {
            let has_own = |line: &usize| {
                points(*line).any(|point| {
                    !start.contains(&point)
                        && left.iter().filter(|&&other| points(other).any(|p| p == point)).count() == 1
                })
            };
            let Some(at) = left.iter().position(has_own) else { return left.is_empty() };
            left.remove(at);
        }
    }

    /// After any steps: no line overlaps another one, the counters are those of a recount, no more points are lent
    /// than may be, and the game of the set is legal from the start and the points lent.
    #[test]
    fn sets_are_games_from_the_start_and_the_points_lent() {
        for variant in Variant::ALL {
            with_rules!(variant, R => for (price, lent) in [(0.5, 7), (3.0, 2), (3.0, 0)] {
                let prefix = game::<R>(2, 8);
                let position = Position::<R>::after(&prefix).expect("a game");
                let barred = [position.moves()[0]];
                let mut set = PeelingSet::<R>::new(Some(position.board()), &barred);
                let chances = Chances::new(0.6, price);
                let rng = &mut rng(7, &[variant as u64, lent as u64]);
                for round in 0..60 {
                    (0..200).for_each(|_| {
                        set.step(&chances, 40, lent, rng);
                    });
                    let lines: Vec<usize> = set.numbers().iter().map(|&number| usize::from(number)).collect();
                    assert!(set.len() <= 40 && set.lent() <= lent && !lines.contains(&number_of(barred[0].line())));
                    let start: HashSet<usize> = position.board().set_points().map(Point::index).collect();
                    assert!(peels_slowly::<R>(&lines, &start), "{variant} {round}");
                    let mut again = PeelingSet::<R>::new(Some(position.board()), &barred);
                    assert!(again.become_set(set.numbers(), lent));
                    assert!(again.points == set.points && again.single == set.single && again.cells == set.cells);
                    assert_eq!((again.drawn, again.numbers()), (set.drawn, set.numbers()));
                    // The referee knows neither lent points nor numbers of lines.
                    let (moves, lent) = set.game().expect("it peels");
                    assert_eq!((moves.len(), lent.len()), (set.len(), set.lent()), "{variant} {round}");
                    let all = cross_and(&lent, variant);
                    let corner = all.corner(variant);
                    let own = (cross_corner::<R>(), &lent);
                    let first = |of: fn(Point) -> i32, cross: i32| own.1.iter().map(|&p| of(p)).fold(cross, i32::min);
                    let (dx, dy) = (corner.x() - first(Point::x, own.0.0), corner.y() - first(Point::y, own.0.1));
                    let moved: Vec<Move> = prefix.iter().chain(&moves).map(|mv| {
                        let point = Point::new(mv.point().x() + dx, mv.point().y() + dy).expect("within the area");
                        Move::new(variant, point, mv.direction(), mv.index()).expect("within the area")
                    }).collect();
                    assert_eq!(replay_from(&all, variant, &moved).map(drop), Ok(()), "{variant} {round}");
                }
                assert!(set.len() > 10, "{variant} {price}: {}", set.len());
            });
        }
    }

    /// Where the box of the cross begins.
    fn cross_corner<R: Rules>() -> (i32, i32) {
        let points = crate::morpion::geometry::cross(R::VARIANT);
        let first = |of: fn(Point) -> i32| points.iter().map(|&point| of(point)).min().unwrap_or(0);
        (first(Point::x), first(Point::y))
    }

    fn cross_and(lent: &[Point], variant: Variant) -> Start {
        let cross = crate::morpion::geometry::cross(variant);
        let all = cross.iter().chain(lent).map(|point| (point.x(), point.y()));
        Start::of_points(all).expect("a start")
    }

    /// A line whose points are all those of others comes in only where all still peel.
    #[test]
    fn a_line_without_a_point_of_its_own_is_looked_at() {
        let position = Position::<D5>::new();
        let mut set = PeelingSet::<D5>::new(Some(position.board()), &[]);
        let chances = Chances::new(0.4, 0.0);
        let rng = &mut rng(3, &[]);
        let start: HashSet<usize> = position.board().set_points().map(Point::index).collect();
        let (mut refused, mut taken) = (0, 0);
        for _ in 0..100 {
            (0..1000).for_each(|_| {
                set.step(&chances, 300, 10, rng);
            });
            for number in 0..LINES {
                let own = (0..5).any(|n| set.points[along(number % POINTS, number / POINTS, n)] == 0);
                if own || set.closed[number / 64] >> (number % 64) & 1 == 1 || set.overlaps(number).1 > 0 {
                    continue;
                }
                let lines: Vec<usize> = set.numbers().iter().map(|&n| usize::from(n)).chain([number]).collect();
                set.put_in(number);
                let peels = set.peels(number);
                set.take_out(number);
                assert_eq!(peels, peels_slowly::<D5>(&lines, &start));
                *(if peels { &mut taken } else { &mut refused }) += 1;
            }
        }
        assert!(refused > 10 && taken > 10, "{refused} and {taken}");
    }

    #[test]
    fn what_is_no_set_is_refused_and_leaves_nothing() {
        let position = Position::<T5>::new();
        let long = game::<T5>(4, usize::MAX);
        let mut set = PeelingSet::<T5>::new(Some(position.board()), &[]);
        assert!(set.become_game(&long));
        let numbers = set.numbers().to_vec();
        assert!(set.become_set(&numbers, 0) && set.len() == long.len());
        for wrong in [vec![numbers[0], numbers[0]], vec![LINES as u16], vec![u16::MAX], vec![62]] {
            assert!(!set.become_set(&wrong, 50), "{wrong:?}");
            assert_eq!((set.len(), set.drawn), (0, 0));
        }
        // Without the first line a point has to be lent.
        assert!(!set.become_set(&numbers[1..], 0) && set.become_set(&numbers[1..], 1));
    }
}
