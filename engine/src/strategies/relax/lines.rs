//! A set of lines that a game could draw if it were lent some points.
//!
//! The lines are in no order. A game draws them one after the other, each with a new point. So read backwards it
//! takes lines away, each of which has a point that no line still there has and that is not one of the start. A set
//! from which all lines can be taken away like this *peels* (as the hypergraphs do by which erasures are decoded).
//! Whatever is taken first, all go if they can. Any part of a set that peels peels too. So to bring a line in needs
//! a look at the others only if all its points are those of other lines ([`drawing`](super::drawing)).
//!
//! A set that peels has at least as many points beyond the start as lines. What it has more is *lent*: these points
//! have to be there when the game begins. A set without lent points is a grid.

use super::chances::Acceptance;
use super::drawing::{DrawnPoints, SLOTS};
use super::tracks::{LineTracks, PlacedLine, along};
use crate::core::seed::{Rng, derive};
use crate::morpion::board::Board;
use crate::morpion::geometry::{Direction, Line, Move, Point, SIDE};
use crate::morpion::variant::Rules;
use rand::RngExt;

/// Numbers of points.
pub(super) const POINTS: usize = 64 * 64;
/// A line is numbered by its direction, times [`POINTS`], and its first point.
pub(super) const LINES: usize = 4 * POINTS;
/// One of so many steps takes a line out, as a mask of random bits.
const REMOVALS: u64 = 15;

/// A set without a start is moved to the middle when it has come so near the edge of the area.
const MARGIN: i32 = 5;

/// Lines that peel, with what a walk needs of them.
pub(super) struct PeelingSet<R> {
    tracks: LineTracks<R>,
    drawing: DrawnPoints,
    /// The lines, and where each one stands in the list.
    lines: Vec<u16>,
    place: Box<[u16; LINES]>,
    /// The points of the start, near which lines are drawn too.
    start: Vec<u16>,
}

/// The line with a number.
fn line_of(number: usize) -> Option<Line> {
    let (direction, first) = (Direction::ALL[number / POINTS], number % POINTS);
    let (track, start) = direction.track(point_of(first)?);
    Some(Line::pack(direction, track, start))
}

/// The point with a number.
fn point_of(number: usize) -> Option<Point> {
    Point::new((number % 64) as i32, (number / 64) as i32)
}

/// The number of a line.
fn number_of(line: Line) -> usize {
    line.direction() as usize * POINTS + line.first().index()
}

/// Numbers that are all zero.
pub(super) fn zeros<T: Copy + Default, const N: usize>() -> Box<[T; N]> {
    vec![T::default(); N].into_boxed_slice().try_into().unwrap_or_else(|_| unreachable!("the lengths are equal"))
}

impl<R: Rules> PeelingSet<R> {
    /// No lines, for games that begin with a board, or with nothing but what is lent. The lines of barred moves never
    /// come in.
    pub fn new(board: Option<&Board<R>>, barred: &[Move]) -> PeelingSet<R> {
        let mut tracks = LineTracks::new();
        let is_blocked = |direction: Direction, point: Point| {
            let (track, c) = direction.track(point);
            board.is_some_and(|board| board.blocked_of(direction, track) >> c & 1 == 1)
        };
        for number in 0..LINES {
            let (direction, first) = (Direction::ALL[number / POINTS], number % POINTS);
            let point = |n: usize| point_of(first).and_then(|first| first.step(direction, n as i32));
            let can_be = (0..R::LEN).all(|n| point(n).is_some_and(|p| n >= R::BLOCKED || !is_blocked(direction, p)));
            if !can_be {
                tracks.shut(PlacedLine::new(number));
            }
        }
        barred.iter().for_each(|mv| tracks.shut(PlacedLine::new(number_of(mv.line()))));
        let mut drawing = DrawnPoints::new();
        let start: Vec<u16> =
            board.into_iter().flat_map(Board::set_points).map(|point| point.index() as u16).collect();
        for &point in &start {
            tracks.add_start(usize::from(point));
            drawing.add_start(usize::from(point));
        }
        PeelingSet { tracks, drawing, lines: Vec::new(), place: zeros(), start }
    }

    /// How many lines there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// How many points are lent.
    #[inline(always)]
    pub fn lent(&self) -> usize {
        self.tracks.drawn() - self.lines.len()
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
        if self.put_all(numbers)
            && self.lent() <= lent
            && let Some((moves, _)) = self.game()
        {
            let drawn = moves.iter().map(|mv| (number_of(mv.line()), mv.point().index()));
            self.drawing.draw_all(drawn, &self.tracks);
            return true;
        }
        self.clear();
        false
    }

    fn clear(&mut self) {
        while let Some(&number) = self.lines.last() {
            self.take_out(PlacedLine::new(usize::from(number)));
        }
    }

    /// Becomes the set of these lines, none of which draws a point yet, or of those up to the first that cannot be
    /// there.
    fn put_all(&mut self, numbers: &[u16]) -> bool {
        self.clear();
        for number in numbers.iter().map(|&number| usize::from(number)) {
            let line = PlacedLine::new(number);
            let has_room = number < LINES && self.lines.len() < SLOTS;
            if !has_room || !self.tracks.is_open(line) || !self.tracks.overlapped(line).lines().is_empty() {
                return false;
            }
            self.put_in(line);
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
        let ends = self.lines.iter().flat_map(|&number| {
            let line = PlacedLine::new(usize::from(number));
            [line.point(0), line.point(R::LEN as i32 - 1)]
        });
        let (mut least, mut most) = ([SIDE; 2], [0; 2]);
        for end in ends {
            for (axis, at) in [(end % 64) as i32, (end / 64) as i32].into_iter().enumerate() {
                (least[axis], most[axis]) = (least[axis].min(at), most[axis].max(at));
            }
        }
        let near = |axis: usize| least[axis] < MARGIN || most[axis] + MARGIN >= SIDE;
        if self.lines.is_empty() || !(near(0) || near(1)) {
            return;
        }
        let [columns, rows] = [0, 1].map(|axis| (SIDE - 1 - least[axis] - most[axis]) / 2);
        let numbers: Vec<u16> =
            self.lines.iter().map(|&number| (i32::from(number) + columns + 64 * rows) as u16).collect();
        self.become_set(&numbers, usize::MAX);
    }

    #[inline(always)]
    fn put_in(&mut self, line: PlacedLine) {
        self.tracks.put_in(line);
        self.drawing.put_in::<R>(line);
        self.list(line);
    }

    #[inline(always)]
    fn take_out(&mut self, line: PlacedLine) {
        self.tracks.take_out(line);
        self.drawing.take_out(line, &self.tracks);
        self.unlist(line);
    }

    /// Puts a line at the end of the list.
    #[inline(always)]
    fn list(&mut self, line: PlacedLine) {
        self.place[line.number] = self.lines.len() as u16;
        self.lines.push(line.number as u16);
    }

    /// Takes a line off the list. The last one stands in its place then.
    #[inline(always)]
    fn unlist(&mut self, line: PlacedLine) {
        let place = usize::from(self.place[line.number]);
        self.lines.swap_remove(place);
        if let Some(&moved) = self.lines.get(place) {
            self.place[usize::from(moved)] = place as u16;
        }
    }

    /// Moves lines to the end of the list, as if they had gone and come again. A line that cannot come in does this
    /// to those that would have gone for it: so the same seed gives the same walk as in the releases before, which
    /// took them out to see.
    fn move_to_end(&mut self, lines: &[PlacedLine]) {
        lines.iter().for_each(|&line| self.unlist(line));
        lines.iter().for_each(|&line| self.list(line));
    }

    /// The moves of a game that draws the lines, and the points lent for it; nothing if they do not peel.
    pub fn game(&self) -> Option<(Vec<Move>, Vec<Point>)> {
        // How many lines a point has, and the sum of their numbers: of one line, its number.
        let mut left = vec![(0u16, 0u32); POINTS];
        for &number in &self.lines {
            for point in PlacedLine::new(usize::from(number)).points::<R>() {
                left[point] = (left[point].0 + 1, left[point].1 + u32::from(number));
            }
        }
        let is_last = |of_point: (u16, u32), point: usize| of_point.0 == 1 && !self.tracks.is_of_start(point);
        let mut waiting: Vec<usize> = (0..POINTS).filter(|&point| is_last(left[point], point)).collect();
        let mut moves = Vec::with_capacity(self.len());
        while let Some(point) = waiting.pop() {
            if left[point].0 != 1 {
                continue;
            }
            let own = left[point].1;
            moves.push(Move::pack(point_of(point)?, line_of(own as usize)?));
            for point in PlacedLine::new(own as usize).points::<R>() {
                left[point] = (left[point].0 - 1, left[point].1 - own);
                if is_last(left[point], point) {
                    waiting.push(point);
                }
            }
        }
        moves.reverse();
        let mut is_drawn = vec![false; POINTS];
        moves.iter().for_each(|mv| is_drawn[mv.point().index()] = true);
        let is_lent =
            |&point: &usize| self.tracks.count(point) > 0 && !self.tracks.is_of_start(point) && !is_drawn[point];
        let lent = (0..POINTS).filter(is_lent).filter_map(point_of).collect();
        (moves.len() == self.len()).then_some((moves, lent))
    }

    /// A step of a walk: a line goes, or one comes and those that it overlaps go. Whether it was taken. There are
    /// never more than `longest` lines, and never more than `lent` points lent.
    #[inline(always)]
    pub fn step(&mut self, acceptance: &mut impl Acceptance, longest: usize, lent: usize, rng: &mut Rng) -> bool {
        let random = rng.random::<u64>();
        let below = |count: usize| (((random >> 32) * count as u64) >> 32) as usize;
        if random & REMOVALS == 0 {
            if self.lines.is_empty() {
                return false;
            }
            let line = PlacedLine::new(usize::from(self.lines[below(self.lines.len())]));
            let lost = self.tracks.single_points(line);
            return self.lent() < lent + lost && acceptance.take(self.len(), 1, 1 - lost as i32, rng) && {
                self.take_out(line);
                true
            };
        }
        // A line through a point of one that is there, or now and then through one of the start.
        let all = self.lines.len() + self.start.len() / 8;
        let point = match self.lines.get(below(all)) {
            Some(&near) => {
                PlacedLine::new(usize::from(near)).point((((random >> 8 & 0xff) * R::LEN as u64) >> 8) as i32)
            }
            None if self.start.is_empty() => POINTS / 2 + 32,
            None => usize::from(self.start[rng.random_range(0..self.start.len())]),
        };
        let direction = (random >> 4 & 3) as usize;
        // It may also begin or end beside that point.
        let n = (((random >> 16 & 0xff) * (R::LEN as u64 + 2)) >> 8) as i32 - 1;
        let line = PlacedLine::new(direction * POINTS + along(point, direction, -n));
        if !self.tracks.is_open(line) {
            return false;
        }
        let others = self.tracks.overlapped(line);
        let count = others.lines().len();
        if count == 0 && self.lines.len() >= longest {
            return false;
        }
        let points = self.tracks.new_points(line) as i32 - self.tracks.lost_points(line, &others) as i32;
        let change = points - 1 + count as i32;
        if self.lent() as i32 + change > lent as i32 || !acceptance.take(self.len(), count as i32 - 1, change, rng) {
            return false;
        }
        let own = self.tracks.own_point(line, &others);
        let entry = if own.is_none() { self.drawing.entry(line, &others, &self.tracks) } else { None };
        if own.is_none() && entry.is_none() {
            self.move_to_end(others.lines());
            return false;
        }
        others.lines().iter().for_each(|&other| self.take_out(other));
        self.put_in(line);
        if let Some(own) = own {
            self.drawing.draw_own(line, own, &self.tracks);
        } else if let Some(entry) = entry {
            self.drawing.draw_entry(line, &entry, &self.tracks);
        }
        true
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
    use crate::strategies::relax::chances::Chances;
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
                let mut chances = Chances::new(0.6, price);
                let rng = &mut rng(7, &[variant as u64, lent as u64]);
                for round in 0..60 {
                    (0..200).for_each(|_| {
                        set.step(&mut chances, 40, lent, rng);
                    });
                    let lines: Vec<usize> = set.numbers().iter().map(|&number| usize::from(number)).collect();
                    assert!(set.len() <= 40 && set.lent() <= lent && !lines.contains(&number_of(barred[0].line())));
                    let start: HashSet<usize> = position.board().set_points().map(Point::index).collect();
                    assert!(peels_slowly::<R>(&lines, &start), "{variant} {round}");
                    let mut again = PeelingSet::<R>::new(Some(position.board()), &barred);
                    assert!(again.become_set(set.numbers(), lent));
                    assert!(again.tracks == set.tracks && again.numbers() == set.numbers());
                    set.drawing.check(&set.lines, &set.tracks);
                    again.drawing.check(&again.lines, &again.tracks);
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
        let mut chances = Chances::new(0.4, 0.0);
        let rng = &mut rng(3, &[]);
        let start: HashSet<usize> = position.board().set_points().map(Point::index).collect();
        let (mut refused, mut taken) = (0, 0);
        for _ in 0..100 {
            (0..1000).for_each(|_| {
                set.step(&mut chances, 300, 10, rng);
            });
            for number in 0..LINES {
                let line = PlacedLine::new(number);
                let is_free = set.tracks.is_open(line) && set.tracks.overlapped(line).lines().is_empty();
                if !is_free || set.tracks.new_points(line) > 0 {
                    continue;
                }
                let lines: Vec<usize> = set.numbers().iter().map(|&n| usize::from(n)).chain([number]).collect();
                let others = set.tracks.overlapped(line);
                let peels = set.drawing.entry(line, &others, &set.tracks).is_some();
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
            assert_eq!((set.len(), set.tracks.drawn()), (0, 0));
        }
        // Without the first line a point has to be lent.
        assert!(!set.become_set(&numbers[1..], 0) && set.become_set(&numbers[1..], 1));
    }
}
