//! Lines and points by tracks, as bits: what a step asks of them before it changes anything.

use super::lines::{POINTS, zeros};
use crate::morpion::geometry::Direction;
use crate::morpion::variant::Rules;
use std::marker::PhantomData;

/// Tracks of a direction, with room for lines that begin outside the area.
const TRACKS: usize = 128;
/// What the points of the start count: never one line or two, and never none.
const OF_START: u16 = 1024;
/// By direction: what a step along it adds to the number of a point.
const STRIDES: [i32; 4] =
    [Direction::ALL[0].stride(), Direction::ALL[1].stride(), Direction::ALL[2].stride(), Direction::ALL[3].stride()];

/// The point that lies `n` steps along a direction, by numbers. It may lie outside the area.
#[inline(always)]
pub(super) fn along(first: usize, direction: usize, n: i32) -> usize {
    (first as i32 + STRIDES[direction % 4] * n) as usize & (POINTS - 1)
}

/// The track of a point in a direction, and the point's coordinate there. The tables stand in place of branches,
/// which a processor could not foresee.
#[inline(always)]
fn on_track(direction: usize, point: usize) -> (usize, u32) {
    const FIRST: [u32; 4] = [0, TRACKS as u32, 2 * TRACKS as u32 + 63, 3 * TRACKS as u32];
    const BY_COLUMN: [u32; 4] = [0, 1, 1, 1];
    const BY_ROW: [u32; 4] = [1, 0, u32::MAX, 1];
    /// The coordinate is the row on vertical tracks, the column elsewhere.
    const COORDINATE: [u32; 4] = [0, 6, 0, 0];
    let (direction, point) = (direction % 4, point as u32);
    let (column, row) = (point % 64, point / 64);
    let track = FIRST[direction]
        .wrapping_add(column * BY_COLUMN[direction])
        .wrapping_add(row.wrapping_mul(BY_ROW[direction]));
    (track as usize % (4 * TRACKS), (point >> COORDINATE[direction]) % 64)
}

/// What lies on a track. A bit stands for a coordinate.
#[derive(Clone, Copy, Default)]
struct TrackBits {
    /// Where a line begins.
    begun: u64,
    /// Points of lines, and of the start.
    covered: u64,
    /// Points that exactly one line has, and that are not of the start.
    single: u64,
    /// Where no line can ever begin.
    shut: u64,
}

/// A line, with its place on a track.
#[derive(Clone, Copy)]
pub(super) struct PlacedLine {
    pub number: usize,
    direction: usize,
    track: usize,
    coordinate: u32,
}

impl PlacedLine {
    /// The line with a number.
    #[inline(always)]
    pub fn new(number: usize) -> PlacedLine {
        let direction = number / POINTS % 4;
        let (track, coordinate) = on_track(direction, number % POINTS);
        PlacedLine { number, direction, track, coordinate }
    }

    /// Its `n`-th point.
    #[inline(always)]
    pub fn point(self, n: i32) -> usize {
        along(self.number % POINTS, self.direction, n)
    }

    /// Its points, first to last.
    #[inline(always)]
    pub fn points<R: Rules>(self) -> impl Iterator<Item = usize> {
        (0..R::LEN as i32).map(move |n| self.point(n))
    }
}

/// The lines that a line overlaps: none, one or two.
#[derive(Clone, Copy)]
pub(super) struct Overlapped {
    lines: [PlacedLine; 2],
    /// By how much each begins behind the line.
    shifts: [i32; 2],
    count: usize,
}

impl Overlapped {
    #[inline(always)]
    pub fn lines(&self) -> &[PlacedLine] {
        &self.lines[..self.count]
    }
}

/// The tracks of an area.
pub(super) struct LineTracks<R> {
    tracks: Box<[TrackBits; 4 * TRACKS]>,
    /// By point: how many lines have it.
    counts: Box<[u16; POINTS]>,
    /// Points beyond the start that a line has.
    drawn: usize,
    rules: PhantomData<R>,
}

impl<R: Rules> LineTracks<R> {
    /// The points of a line that begins at the lowest bit.
    const LINE: u64 = (1 << R::LEN) - 1;

    /// No lines and no start.
    pub fn new() -> LineTracks<R> {
        LineTracks {
            tracks: Box::new([TrackBits::default(); 4 * TRACKS]),
            counts: zeros(),
            drawn: 0,
            rules: PhantomData,
        }
    }

    /// Makes a point one of the start.
    pub fn add_start(&mut self, point: usize) {
        self.counts[point] = OF_START;
        for direction in 0..4 {
            let (track, coordinate) = on_track(direction, point);
            self.tracks[track].covered |= 1 << coordinate;
        }
    }

    /// Bars a line for good.
    pub fn shut(&mut self, line: PlacedLine) {
        self.tracks[line.track].shut |= 1 << line.coordinate;
    }

    /// How many points beyond the start the lines have.
    #[inline(always)]
    pub fn drawn(&self) -> usize {
        self.drawn
    }

    /// How many lines have a point.
    #[inline(always)]
    pub fn count(&self, point: usize) -> u16 {
        self.counts[point] % OF_START
    }

    /// Whether a point is of the start.
    #[inline(always)]
    pub fn is_of_start(&self, point: usize) -> bool {
        self.counts[point] >= OF_START
    }

    /// Whether a line is neither there nor barred.
    #[inline(always)]
    pub fn is_open(&self, line: PlacedLine) -> bool {
        let track = &self.tracks[line.track];
        (track.begun | track.shut) >> line.coordinate & 1 == 0
    }

    /// The lines that a line overlaps, in the order of their coordinates.
    #[inline(always)]
    pub fn overlapped(&self, line: PlacedLine) -> Overlapped {
        let reach = R::BLOCKED as u32 - 1;
        // Coordinates from 60 on have no lines, so nothing comes in at the other end.
        let begun = self.tracks[line.track].begun.rotate_right(line.coordinate.wrapping_sub(reach));
        let mut near = begun & ((1 << (2 * reach + 1)) - 1);
        let count = near.count_ones().min(2) as usize;
        let (mut lines, mut shifts) = ([line; 2], [0; 2]);
        for (other, shift) in lines.iter_mut().zip(&mut shifts).take(count) {
            *shift = near.trailing_zeros() as i32 - reach as i32;
            other.number = line.number.wrapping_add_signed((STRIDES[line.direction % 4] * *shift) as isize);
            other.coordinate = line.coordinate.wrapping_add_signed(*shift);
            near &= near - 1;
        }
        Overlapped { lines, shifts, count }
    }

    /// How many points of a line neither the start nor another line has.
    #[inline(always)]
    pub fn new_points(&self, line: PlacedLine) -> usize {
        let covered = self.tracks[line.track].covered.rotate_right(line.coordinate) & Self::LINE;
        R::LEN - covered.count_ones() as usize
    }

    /// How many points a line alone has.
    #[inline(always)]
    pub fn single_points(&self, line: PlacedLine) -> usize {
        (self.tracks[line.track].single.rotate_right(line.coordinate) & Self::LINE).count_ones() as usize
    }

    /// How many points are gone if a line comes in and others go for it.
    #[inline(always)]
    pub fn lost_points(&self, line: PlacedLine, others: &Overlapped) -> usize {
        let single = self.tracks[line.track].single & !Self::LINE.rotate_left(line.coordinate);
        let lost = |other: &PlacedLine| (single.rotate_right(other.coordinate) & Self::LINE).count_ones() as usize;
        others.lines().iter().map(lost).sum()
    }

    /// A point of a line that nothing has once others have gone for it.
    #[inline(always)]
    pub fn own_point(&self, line: PlacedLine, others: &Overlapped) -> Option<usize> {
        let track = &self.tracks[line.track];
        let of_other = |shift: &i32| Self::LINE.rotate_left(*shift as u32 % 64);
        let shifts = &others.shifts[..others.count];
        let of_others = shifts.iter().fold(0, |all, shift| all | of_other(shift));
        let left =
            !track.covered.rotate_right(line.coordinate) | track.single.rotate_right(line.coordinate) & of_others;
        if left & Self::LINE != 0 {
            return Some(line.point((left & Self::LINE).trailing_zeros() as i32));
        }
        // Two lines that go may share a point, where lines may touch.
        let [first, second] = shifts else { return None };
        let shared = of_other(first) & of_other(second) & Self::LINE;
        let point = line.point(shared.trailing_zeros() as i32);
        (shared != 0 && self.counts[point] == 2).then_some(point)
    }

    /// Brings a line in, where it overlaps none.
    #[inline(always)]
    pub fn put_in(&mut self, line: PlacedLine) {
        self.tracks[line.track].begun |= 1 << line.coordinate;
        for point in line.points::<R>() {
            self.counts[point] += 1;
            match self.counts[point] {
                1 => {
                    self.drawn += 1;
                    self.on_tracks(point, |track, bit| {
                        (track.covered, track.single) = (track.covered | bit, track.single | bit)
                    });
                }
                2 => self.on_tracks(point, |track, bit| track.single &= !bit),
                _ => {}
            }
        }
    }

    /// Takes a line out that is there.
    #[inline(always)]
    pub fn take_out(&mut self, line: PlacedLine) {
        self.tracks[line.track].begun &= !(1 << line.coordinate);
        for point in line.points::<R>() {
            self.counts[point] -= 1;
            match self.counts[point] {
                0 => {
                    self.drawn -= 1;
                    self.on_tracks(point, |track, bit| {
                        (track.covered, track.single) = (track.covered & !bit, track.single & !bit)
                    });
                }
                1 => self.on_tracks(point, |track, bit| track.single |= bit),
                _ => {}
            }
        }
    }

    /// Changes the tracks of all directions at a point.
    #[inline(always)]
    fn on_tracks(&mut self, point: usize, change: impl Fn(&mut TrackBits, u64)) {
        for direction in 0..4 {
            let (track, coordinate) = on_track(direction, point);
            change(&mut self.tracks[track], 1 << coordinate);
        }
    }

    /// Tells the numbers of the lines that have a point.
    #[inline(always)]
    pub fn lines_at(&self, point: usize, mut tell: impl FnMut(usize)) {
        for direction in 0..4 {
            let (track, coordinate) = on_track(direction, point);
            let before = R::LEN as u32 - 1;
            let mut near = self.tracks[track].begun.rotate_right(coordinate.wrapping_sub(before)) & Self::LINE;
            while near != 0 {
                let first = along(point, direction, near.trailing_zeros() as i32 - before as i32);
                tell(direction * POINTS + first);
                near &= near - 1;
            }
        }
    }
}

#[cfg(test)]
impl<R: Rules> PartialEq for LineTracks<R> {
    fn eq(&self, other: &LineTracks<R>) -> bool {
        let bits = |track: &TrackBits| (track.begun, track.covered, track.single, track.shut);
        self.tracks.iter().map(bits).eq(other.tracks.iter().map(bits))
            && (&self.counts, self.drawn) == (&other.counts, other.drawn)
    }
}
