//! Drawing another shape: points at the edge of a shape are removed and others added next to them, until enough lines
//! fit.

use super::shape::Shape;
use crate::core::seed::Rng;
use crate::morpion::geometry::Point;
use crate::morpion::variant::Rules;
use crate::strategies::orbits::Orbits;
use rand::RngExt;
use rand::seq::IndexedRandom;

/// Shapes that a step draws at most until one is worth asking for.
pub(super) const DRAWS: u64 = 5_000;
/// How many points a step takes out, each as often as it is given here.
const OUT: [usize; 12] = [0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5];
/// By how many points a step makes the shape longer, and how often in [`ALL`]: as if longer ones, as long ones,
/// shorter ones by one and by two were drawn as 3 to 3 to 2 to 1 and taken at a temperature of 0.8 points.
pub(super) const CHANGES: [(isize, u32); 4] = [(1, 300), (0, 300), (-1, 57), (-2, 8)];
pub(super) const ALL: u32 = 665;
/// Of how many points, drawn at random, the one that leaves most room for lines comes in.
const CHOICE: [usize; 3] = [1, 2, 4];
/// Points that are changed next to one another are so far apart at most.
const BESIDE: i32 = 2;

/// Changes a shape into another one into which enough lines fit and that was not `refused`, if one comes; and how
/// many were drawn. If none comes, the shape is what it was. Points that come together
/// count as one.
pub(super) fn draw<R: Rules, O: Orbits>(
    shape: &mut Shape<R>,
    orbits: O,
    refused: impl Fn(u64) -> bool,
    rng: &mut Rng,
) -> (bool, u64) {
    let (rim, outside) = (shape.rim(), shape.outside());
    let (length, key) = (shape.len(), shape.key());
    let mut flipped = Vec::new();
    for draws in 1..=DRAWS {
        let change = change(rng);
        let out = (*OUT.choose(rng).unwrap_or(&1)).max(change.min(0).unsigned_abs());
        let mut last = None;
        for _ in 0..out {
            let point = near_or_any(last, &rim, rng);
            if let Some(point) = point.filter(|&point| shape.has(point) && !shape.is_start(point)) {
                if flip(shape, orbits, point) {
                    flipped.push(point);
                }
                last = Some(point);
            }
        }
        for _ in 0..out.saturating_add_signed(change) {
            if let Some(point) = roomiest(shape, orbits, last, &outside, rng) {
                flip(shape, orbits, point);
                flipped.push(point);
                last = Some(point);
            }
        }
        let grown = shape.len() as isize - length as isize;
        let wanted = grown.div_euclid(if O::PAIRED { 2 } else { 1 }) == change && shape.key() != key;
        if wanted && shape.slack() >= 0 && !refused(shape.key()) {
            return (true, draws);
        }
        for point in flipped.drain(..) {
            flip(shape, orbits, point);
        }
    }
    (false, DRAWS)
}

/// Takes a point in or out, with what comes with it; whether that can be.
fn flip<R: Rules, O: Orbits>(shape: &mut Shape<R>, orbits: O, point: Point) -> bool {
    let Some((point, image)) = orbits.of_point(point) else { return false };
    shape.flip(point);
    image.into_iter().for_each(|image| shape.flip(image));
    true
}

/// Of a few points outside, the one that leaves most room for lines.
fn roomiest<R: Rules, O: Orbits>(
    shape: &mut Shape<R>,
    orbits: O,
    last: Option<Point>,
    outside: &[Point],
    rng: &mut Rng,
) -> Option<Point> {
    let mut best: Option<(i32, Point)> = None;
    for _ in 0..*CHOICE.choose(rng).unwrap_or(&1) {
        let Some(point) = near_or_any(last, outside, rng).filter(|&point| !shape.has(point)) else {
            continue;
        };
        if !flip(shape, orbits, point) {
            continue;
        }
        let slack = shape.slack();
        flip(shape, orbits, point);
        if best.is_none_or(|(most, _)| slack > most) {
            best = Some((slack, point));
        }
    }
    best.map(|(_, point)| point)
}

/// By how many points a step makes the shape longer.
pub(super) fn change(rng: &mut Rng) -> isize {
    let mut left = rng.random_range(0..ALL);
    for (change, share) in CHANGES {
        if left < share {
            return change;
        }
        left -= share;
    }
    0
}

/// Any of these points, or half of the time one near the last.
fn near_or_any(last: Option<Point>, any: &[Point], rng: &mut Rng) -> Option<Point> {
    match last {
        Some(last) if rng.random_range(0..2) == 0 => {
            let mut step = || rng.random_range(-BESIDE..=BESIDE);
            Point::new(last.x() + step(), last.y() + step())
        }
        _ => any.choose(rng).copied(),
    }
}
