//! Which points of a shape can be reached from the start, each by a line that has all its others, while lines go out
//! and come back.
//!
//! A way in which all are reached is kept: of each point the line that draws it (its *source*). When a line goes out,
//! the point that it draws needs another source: a line whose other points were all drawn before it. A point without
//! one is cut off, and so is what rests on it. Then what is cut off is drawn again, as far as lines can.
//!
//! All of this is done with one word per track: bit `c` is its point at coordinate `c`, or the line that begins
//! there. (Counters of the points that each line lacks made the whole solver a third slower.)

use super::shape::{Shape, TRACKS};
use crate::morpion::geometry::{Direction, Line, Point};
use crate::morpion::variant::Rules;
use std::marker::PhantomData;

/// Bits of the word of a track.
const BITS: usize = 64;

/// The lines that fit into a shape, and which points they have.
pub(super) struct ShapeLines {
    /// The points beyond the start, by rows. Their numbers are their places here.
    pub points: Vec<Point>,
    /// The lines, in the order of the shape's runs.
    pub lines: Vec<Line>,
    /// Of each line, its points by number; where it has a point of the start, or a line of four no fifth, the number
    /// after the last.
    own: Vec<[u16; 5]>,
    /// The lines that have the points, one point after the other, and where those of each begin.
    of_points: Vec<u16>,
    begin: Vec<usize>,
}

impl ShapeLines {
    pub fn new<R: Rules>(shape: &Shape<R>) -> ShapeLines {
        let points = shape.added();
        let mut numbers = vec![points.len() as u16; 1 << 12];
        (0..).zip(&points).for_each(|(number, point): (u16, &Point)| numbers[point.index()] = number);
        let mut lines = Vec::new();
        for run in shape.runs() {
            let starts = run.cells - R::BLOCKED as u32 + 1;
            lines.extend((0..starts).map(|step| Line::pack(run.direction, run.track, run.start + step)));
        }
        let of_line = |line: &Line| {
            let mut own = [points.len() as u16; 5];
            own.iter_mut().zip(line.points::<R>()).for_each(|(own, point)| *own = numbers[point.index()]);
            own
        };
        let own: Vec<[u16; 5]> = lines.iter().map(of_line).collect();
        let mut begin = vec![0; points.len() + 2];
        own.iter().flatten().for_each(|&point| begin[usize::from(point) + 1] += 1);
        (1..begin.len()).for_each(|at| begin[at] += begin[at - 1]);
        let (mut next, mut of_points) = (begin.clone(), vec![0; 5 * lines.len()]);
        for (line, own) in own.iter().enumerate() {
            for &point in own {
                of_points[next[usize::from(point)]] = line as u16;
                next[usize::from(point)] += 1;
            }
        }
        ShapeLines { points, lines, own, of_points, begin }
    }

    /// The lines that have a point.
    pub fn of_point(&self, point: usize) -> &[u16] {
        &self.of_points[self.begin[point]..self.begin[point + 1]]
    }
}

/// What is known of a track.
#[derive(Clone, Copy, Default)]
struct ReachTrack {
    /// The points that are reached.
    reached: u64,
    /// The lines that are not out.
    open: u64,
    /// The lines that are the source of a point.
    sources: u64,
    /// The lines that fit into the shape, whether they are out or not.
    lines: u64,
}

impl ReachTrack {
    /// Where a line would have all its points but one.
    #[inline(always)]
    fn one_missing<R: Rules>(&self) -> u64 {
        let missing = !self.reached;
        let (mut one, mut more) = (missing, 0);
        for step in 1..R::LEN {
            more |= one & missing >> step;
            one |= missing >> step;
        }
        one & !more
    }
}

/// Which points are reached while lines go out and come back.
pub(super) struct Reach<R> {
    /// Of each point, the number of its track and its coordinate there, by direction.
    places: Vec<[(u16, u8); 4]>,
    /// Of each line, the number of its track and where it begins.
    begins: Vec<(u16, u8)>,
    tracks: Vec<ReachTrack>,
    /// By track and bit: the number of the line that begins there, and that of the point.
    line_at: Vec<u16>,
    point_at: Vec<u16>,
    /// The point that a line is the source of, if it is one.
    draws: Vec<u16>,
    /// When the points were drawn; those of the start before all others.
    ranks: Vec<u32>,
    drawn: u32,
    /// Points that have lost their sources.
    lost: Vec<u16>,
    /// Lines that came back since points were last drawn.
    reopened: Vec<u16>,
    /// How many of the points that are not reached had no line to draw them when points were last drawn.
    stuck: usize,
    /// The points that are not reached, and which ones are not.
    cut: Vec<u16>,
    is_cut: Vec<bool>,
    /// Points that can be drawn, and the lines that draw them.
    ready: Vec<(u16, u16)>,
    rules: PhantomData<R>,
}

/// The lines that have the point at a coordinate, if all that could be were there.
#[inline(always)]
fn through<R: Rules>(c: u8) -> u64 {
    ((1u64 << R::LEN) - 1) << c >> (R::LEN - 1)
}

/// Calls `found` with each bit of a word.
#[inline(always)]
fn each_bit(mut word: u64, mut found: impl FnMut(usize)) {
    while word != 0 {
        found(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

impl<R: Rules> Reach<R> {
    /// With all lines and no point reached.
    pub fn new(shape: &Shape<R>, all: &ShapeLines) -> Reach<R> {
        let points = all.points.len();
        // The track with number 0 has no lines.
        let mut numbers = vec![0u16; 4 * TRACKS];
        let mut tracks = vec![ReachTrack::default()];
        let mut begins = Vec::with_capacity(all.lines.len());
        for line in &all.lines {
            let (direction, track, start) = (line.direction(), line.track(), line.start());
            let number = &mut numbers[direction as usize * TRACKS + track];
            if *number == 0 {
                *number = tracks.len() as u16;
                tracks.push(ReachTrack { reached: shape.start_of(direction, track), ..ReachTrack::default() });
            }
            let track = &mut tracks[usize::from(*number)];
            track.lines |= 1 << start;
            track.open |= 1 << start;
            begins.push((*number, start as u8));
        }
        let mut line_at = vec![0; BITS * tracks.len()];
        let mut point_at = vec![points as u16; line_at.len()];
        for (line, &(track, start)) in (0..).zip(&begins) {
            line_at[BITS * usize::from(track) + usize::from(start)] = line;
        }
        let place = |(number, &point): (u16, &Point)| {
            Direction::ALL.map(|direction| {
                let (track, c) = direction.track(point);
                let track = numbers[direction as usize * TRACKS + track];
                point_at[BITS * usize::from(track) + c as usize] = number;
                (track, c as u8)
            })
        };
        let places = (0..).zip(&all.points).map(place).collect();
        Reach {
            places,
            begins,
            tracks,
            line_at,
            point_at,
            draws: vec![0; all.lines.len()],
            ranks: vec![0; points + 1],
            drawn: 0,
            lost: Vec::new(),
            reopened: Vec::new(),
            stuck: 0,
            cut: (0..points as u16).collect(),
            is_cut: vec![true; points],
            ready: Vec::new(),
            rules: PhantomData,
        }
    }

    /// Whether a line is not out.
    #[inline(always)]
    pub fn is_open(&self, line: u16) -> bool {
        let (track, start) = self.begins[usize::from(line)];
        self.tracks[usize::from(track)].open >> start & 1 == 1
    }

    /// Takes a line back that was out.
    #[inline(always)]
    pub fn reopen(&mut self, line: u16) {
        let (track, start) = self.begins[usize::from(line)];
        self.tracks[usize::from(track)].open |= 1 << start;
        self.reopened.push(line);
    }

    /// Lets a line go out. What it draws is cut off by [`Reach::cut_off`], before anything else is asked.
    #[inline(always)]
    pub fn close(&mut self, line: u16) {
        let (track, start) = self.begins[usize::from(line)];
        self.tracks[usize::from(track)].open &= !(1 << start);
    }

    /// Seeks other sources for what these lines draw, which went out. What has none is cut off, and what rests on it.
    #[inline(always)]
    pub fn cut_off(&mut self, out: &[u16]) {
        self.lost.clear();
        for &line in out {
            let (track, start) = self.begins[usize::from(line)];
            let sources = &mut self.tracks[usize::from(track)].sources;
            if *sources >> start & 1 == 1 {
                *sources ^= 1 << start;
                self.lost.push(self.draws[usize::from(line)]);
            }
        }
        let mut at = 0;
        while let Some(&point) = self.lost.get(at) {
            at += 1;
            if self.has_other_source(point) {
                continue;
            }
            self.is_cut[usize::from(point)] = true;
            self.cut.push(point);
            for (track, c) in self.places[usize::from(point)] {
                let track = usize::from(track);
                let own = &mut self.tracks[track];
                own.reached &= !(1 << c);
                let lost = own.sources & through::<R>(c);
                own.sources ^= lost;
                each_bit(lost, |start| self.lost.push(self.draws[usize::from(self.line_at[BITS * track + start])]));
            }
        }
    }

    /// Gives a point that has lost its source another one, if there is a line whose other points were all drawn
    /// before it.
    #[inline(always)]
    fn has_other_source(&mut self, point: u16) -> bool {
        let rank = self.ranks[usize::from(point)];
        for (track, c) in self.places[usize::from(point)] {
            let track = usize::from(track);
            let own = &mut self.tracks[track];
            let whole = (1..R::LEN).fold(own.reached, |whole, step| whole & own.reached >> step);
            let mut drawing = whole & own.open & !own.sources & through::<R>(c);
            while drawing != 0 {
                let start = drawing.trailing_zeros() as usize;
                drawing &= drawing - 1;
                let place = BITS * track + start;
                let older = |&number: &u16| self.ranks[usize::from(number)] < rank || number == point;
                if self.point_at[place..place + R::LEN].iter().all(older) {
                    own.sources |= 1 << start;
                    self.draws[usize::from(self.line_at[place])] = point;
                    return true;
                }
            }
        }
        false
    }

    /// Draws what is cut off, as far as it can be reached; whether all of it can.
    #[inline(always)]
    pub fn reconnect(&mut self) -> bool {
        if self.cut.is_empty() {
            self.reopened.clear();
            return true;
        }
        self.ready.clear();
        for line in self.reopened.drain(..) {
            let (track, start) = self.begins[usize::from(line)];
            let place = BITS * usize::from(track) + usize::from(start);
            let own = &self.tracks[usize::from(track)];
            if own.open & own.one_missing::<R>() & 1 << start != 0 {
                let missing = (!own.reached >> start).trailing_zeros() as usize;
                self.ready.push((self.point_at[place + missing], line));
            }
        }
        for &point in &self.cut[self.stuck..] {
            for (track, c) in self.places[usize::from(point)] {
                let track = usize::from(track);
                let own = &self.tracks[track];
                let there = own.reached | 1 << c;
                let whole = (1..R::LEN).fold(there, |whole, step| whole & there >> step);
                let drawing = whole & own.open & through::<R>(c);
                if drawing != 0 {
                    let start = drawing.trailing_zeros() as usize;
                    self.ready.push((point, self.line_at[BITS * track + start]));
                    break;
                }
            }
        }
        let mut at = 0;
        while let Some(&(point, line)) = self.ready.get(at) {
            at += 1;
            if self.is_cut[usize::from(point)] {
                self.draw(point, line);
            }
        }
        let is_cut = &self.is_cut;
        self.cut.retain(|&point| is_cut[usize::from(point)]);
        self.stuck = self.cut.len();
        self.cut.is_empty()
    }

    /// Draws a point by a line that lacks no other; what lines can draw after that comes after what is ready.
    #[inline(always)]
    fn draw(&mut self, point: u16, line: u16) {
        self.is_cut[usize::from(point)] = false;
        self.drawn += 1;
        self.ranks[usize::from(point)] = self.drawn;
        let (track, start) = self.begins[usize::from(line)];
        self.tracks[usize::from(track)].sources |= 1 << start;
        self.draws[usize::from(line)] = point;
        for (track, c) in self.places[usize::from(point)] {
            let track = usize::from(track);
            let own = &mut self.tracks[track];
            own.reached |= 1 << c;
            let missing = !own.reached;
            each_bit(own.one_missing::<R>() & own.open & through::<R>(c), |start| {
                let place = BITS * track + start;
                let point = self.point_at[place + (missing >> start).trailing_zeros() as usize];
                self.ready.push((point, self.line_at[place]));
            });
        }
    }

    /// Calls `found` with each line that has exactly one of the points that cannot be reached, in the order of the
    /// lines.
    pub fn singles(&self, mut found: impl FnMut(usize)) {
        for (track, own) in self.tracks.iter().enumerate() {
            each_bit(own.one_missing::<R>() & own.lines, |start| {
                found(usize::from(self.line_at[BITS * track + start]))
            });
        }
    }
}

/// Draws the points of a shape one after the other, by the lines that are there.
pub(super) struct DrawingOrder<'a> {
    all: &'a ShapeLines,
    is_there: &'a [bool],
    is_drawn: Vec<bool>,
    /// Of each line, how many of its points are not drawn.
    lacking: Vec<u8>,
    /// Lines that may be able to draw a point, first come first served.
    queue: std::collections::VecDeque<u16>,
}

impl<'a> DrawingOrder<'a> {
    /// With all lines that are there, before any point is drawn.
    pub fn new(all: &'a ShapeLines, is_there: &'a [bool]) -> DrawingOrder<'a> {
        let lacking =
            |own: &[u16; 5]| own.iter().filter(|&&point| usize::from(point) < all.points.len()).count() as u8;
        let lacking: Vec<u8> = all.own.iter().map(lacking).collect();
        let queue = (0..all.lines.len()).filter(|&line| lacking[line] == 1 && is_there[line]);
        DrawingOrder {
            is_drawn: vec![false; all.points.len()],
            queue: queue.map(|line| line as u16).collect(),
            lacking,
            all,
            is_there,
        }
    }

    /// The next line of the queue that lacks a point: another may have drawn it meanwhile.
    fn next_ready(&mut self) -> Option<u16> {
        loop {
            let line = self.queue.pop_front()?;
            if self.lacking[usize::from(line)] == 1 {
                return Some(line);
            }
        }
    }

    /// A point that a line lacks.
    fn lacked(&self, line: u16) -> Option<u16> {
        let own = self.all.own[usize::from(line)];
        own.into_iter().find(|&point| self.is_drawn.get(usize::from(point)) == Some(&false))
    }

    /// Draws the only point that a line lacks.
    fn draw(&mut self, line: u16) -> Option<u16> {
        let point = self.lacked(line)?;
        self.is_drawn[usize::from(point)] = true;
        for &other in self.all.of_point(usize::from(point)) {
            let lacking = &mut self.lacking[usize::from(other)];
            *lacking -= 1;
            if *lacking == 1 && self.is_there[usize::from(other)] {
                self.queue.push_back(other);
            }
        }
        Some(point)
    }

    /// Lines and their points in an order in which they can be drawn.
    pub fn of_lines(mut self) -> Vec<(usize, usize)> {
        let mut order = Vec::new();
        while let Some(line) = self.next_ready() {
            order.extend(self.draw(line).map(|point| (usize::from(line), usize::from(point))));
        }
        order
    }

    /// Likewise, each line with its image at once. Where there are more lines than points, either both draw a point
    /// or none. A line does not draw the point that its image lacks too.
    pub fn of_orbits(mut self, images: &[u16]) -> Vec<(usize, usize)> {
        let mut order = Vec::new();
        while let Some(line) = self.next_ready() {
            let image = images[usize::from(line)];
            if image != line && self.lacked(line) == self.lacked(image) {
                continue;
            }
            for line in [Some(line), Some(image).filter(|&image| image != line)].into_iter().flatten() {
                if let Some(point) = self.draw(line) {
                    order.push((usize::from(line), usize::from(point)));
                }
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::morpion::position::Position;
    use crate::morpion::variant::Variant;
    use crate::strategies::choices::tests::game;
    use crate::with_rules;
    use rand::RngExt;

    /// Whatever lines go out and come back, the points that are reached are those that a search from nothing reaches.
    #[test]
    fn reached_is_what_a_search_from_the_start_reaches() {
        for variant in Variant::ALL {
            with_rules!(variant, R => {
                for seed in 0..4 {
                    let moves = game::<R>(seed, usize::MAX);
                    let (first, rest) = moves.split_at(moves.len() * seed as usize / 5);
                    let start = Position::<R>::after(first).expect("a game is legal");
                    let mut shape = Shape::new(start.board());
                    rest.iter().for_each(|mv| shape.flip(mv.point()));
                    let all = ShapeLines::new(&shape);
                    let mut reach = Reach::new(&shape, &all);
                    let (mut out, mut whole, mut broken): (Vec<u16>, u32, u32) = (Vec::new(), 0, 0);
                    let rng = &mut rng(seed, &[variant as u64]);
                    for _ in 0..400 {
                        // As a solver does: the last that went come back.
                        if rng.random_range(0..3) == 0 {
                            let keep = rng.random_range(0..=out.len());
                            out.drain(keep..).for_each(|line| reach.reopen(line));
                        }
                        let before = out.len();
                        for _ in 0..rng.random_range(1..4) {
                            let line = rng.random_range(0..all.lines.len()) as u16;
                            if reach.is_open(line) {
                                reach.close(line);
                                out.push(line);
                            }
                        }
                        reach.cut_off(&out[before..]);
                        let connected = reach.reconnect();
                        *(if connected { &mut whole } else { &mut broken }) += 1;
                        let lacks = |line: usize, is_cut: &[bool]| -> Vec<usize> {
                            let own = all.own[line].map(usize::from).into_iter();
                            own.filter(|&point| is_cut.get(point) == Some(&true)).collect()
                        };
                        let mut is_cut = vec![true; all.points.len()];
                        loop {
                            let there = (0..all.lines.len()).filter(|&line| !out.contains(&(line as u16)));
                            let lacking = there.map(|line| lacks(line, &is_cut));
                            let drawn: Vec<usize> = lacking.filter(|lacks| lacks.len() == 1).flatten().collect();
                            if drawn.is_empty() {
                                break;
                            }
                            drawn.into_iter().for_each(|point| is_cut[point] = false);
                        }
                        assert_eq!(reach.is_cut, is_cut, "{variant} {seed}");
                        assert_eq!(connected, !is_cut.contains(&true));
                        let mut singles = Vec::new();
                        reach.singles(|line| singles.push(line));
                        let lacks_one = |&line: &usize| lacks(line, &is_cut).len() == 1;
                        let expected: Vec<usize> = (0..all.lines.len()).filter(lacks_one).collect();
                        assert_eq!(singles, expected);
                    }
                    assert!(whole > 5 && broken > 5, "{variant} {seed}: {whole} and {broken}");
                }
            });
        }
    }
}
