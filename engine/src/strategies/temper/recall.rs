//! The order in which the rest of a grid is made after a change: what was removed comes again first.
//!
//! First come the moves that went, then the other moves of their lines (the same line, with another point of it as
//! the new one), then all others at random. Sometimes a chain of moves has to be turned round, because one of its
//! points now comes from elsewhere. This order makes it again at once the other way.

use crate::morpion::geometry::Move;
use crate::strategies::nrpa::playout::Times;
use crate::strategies::nrpa::policy::code;
use crate::strategies::vector::dispatch::VectorInstructions;

/// Numbers of points, and codes per point: of each direction five (`policy::code`).
const POINTS: usize = 1 << 12;
const PER_POINT: u32 = 20;
/// Lines, each known by direction and first point.
const LINES: usize = 4 * POINTS;

/// By direction and place of the new point, what leads from the number of a move's point to that of its line.
const TO_LINE: [u32; 32] = {
    let mut table = [0; 32];
    let mut at = 0;
    while at < PER_POINT as usize {
        let (direction, index) = (at / 5, at % 5);
        let stride = crate::morpion::geometry::Direction::ALL[direction].stride();
        table[at] = ((direction * POINTS) as i32 - index as i32 * stride) as u32;
        at += 1;
    }
    table
};

/// The line of a code, and the place of the new point on it.
#[inline(always)]
fn line(code: u32) -> (usize, u32) {
    let rest = code % PER_POINT;
    ((code / PER_POINT).wrapping_add(TO_LINE[rest as usize & 31]) as usize & (LINES - 1), rest % 5)
}

/// What went, and the order of everything else.
pub(super) struct Recall {
    /// Of each line of a move that went: the move's place in their order from 1 on, times 8, and the place of its new
    /// point; of all others zero.
    ranks: Box<[u16; LINES]>,
    /// The lines that are not zero.
    ranked: Vec<u16>,
    seed: u32,
}

/// What is not ranked comes after all that is: clocks of a playout have 18 bits of precision, enough for either.
const OTHERS: f32 = 1024.0;
/// The most moves that are ranked.
const MOST: u16 = 511;

impl Recall {
    /// An order in which no move is ranked.
    pub fn new() -> Recall {
        Recall { ranks: Box::new([0; LINES]), ranked: Vec::with_capacity(usize::from(MOST)), seed: 0 }
    }

    /// Forgets what went; this number makes another order of what is not ranked.
    #[inline(always)]
    pub fn redraw(&mut self, seed: u32) {
        for &line in &self.ranked {
            self.ranks[usize::from(line) & (LINES - 1)] = 0;
        }
        self.ranked.clear();
        self.seed = seed;
    }

    /// Notes a move that went, after those noted before.
    #[inline(always)]
    pub fn note(&mut self, mv: Move) {
        let rank = self.ranked.len() as u16 + 1;
        if rank <= MOST {
            let (line, index) = line(code(mv) as u32);
            self.ranks[line] = rank << 3 | index as u16;
            self.ranked.push(line as u16);
        }
    }
}

impl Recall {
    /// When a move comes: the least first.
    #[inline(always)]
    pub fn rank(&self, mv: Move) -> f32 {
        Times::at(&self, 0, code(mv) as u32)
    }
}

/// The clocks of a game that recalls.
impl Times for &Recall {
    const RUN: bool = false;

    #[inline(always)]
    fn reserve<I: VectorInstructions>(&mut self, _: usize) {}

    #[inline(always)]
    fn used(&self) -> usize {
        0
    }

    #[inline(always)]
    fn at(&self, _: usize, code: u32) -> f32 {
        let (line, index) = line(code);
        let rank = self.ranks[line];
        if rank == 0 {
            // The upper bits of a product depend on all of the code's.
            let random = (code ^ self.seed).wrapping_mul(0x9E37_79B1);
            let random = (random ^ random >> 15).wrapping_mul(0x85EB_CA6B);
            return f32::from_bits(OTHERS.to_bits() | random >> 9);
        }
        let other = u16::from(u32::from(rank & 7) != index);
        f32::from((rank >> 3) + other * (MOST + 1))
    }

    #[inline(always)]
    fn set_used(&mut self, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morpion::geometry::{Line, Point};
    use crate::morpion::position::Position;
    use crate::morpion::variant::{Rules, T4, T5, Variant};
    use crate::strategies::choices::tests::game;
    use crate::with_rules;
    use std::collections::{HashMap, HashSet};

    /// A number is a line's own, and that of all moves that draw it.
    #[test]
    fn lines_have_numbers_of_their_own() {
        for variant in Variant::ALL {
            with_rules!(variant, R => {
                let mut numbers: HashMap<usize, Line> = HashMap::new();
                let mut points: HashSet<Point> = HashSet::new();
                let mut position = Position::<R>::new();
                for next in game::<R>(5, usize::MAX) {
                    for mv in position.moves() {
                        let (number, index) = line(code(*mv) as u32);
                        assert_eq!(index as usize, mv.index());
                        assert_eq!(*numbers.entry(number).or_insert(mv.line()), mv.line(), "{variant}: {mv:?}");
                        points.insert(mv.point());
                    }
                    position.play(next);
                }
                let lines: HashSet<Line> = numbers.values().copied().collect();
                assert!(lines.len() == numbers.len() && points.len() > 15, "{variant}: {} points", points.len());
            });
        }
    }

    /// The other moves of a move's line.
    fn others<R: Rules>(mv: Move) -> Vec<u32> {
        let step = mv.direction().stride() * PER_POINT as i32 + 1;
        let places = (0..R::LEN as i32).map(|place| place - mv.index() as i32);
        places.filter(|&by| by != 0).map(|by| (code(mv) as i32 + by * step) as u32).collect()
    }

    fn what_went_comes_first_then_its_lines<R: Rules>() {
        let mut recall = Recall::new();
        let all: Vec<Move> = game::<R>(1, usize::MAX).into_iter().collect();
        let clock = |recall: &Recall, code: u32| (&recall).at(0, code);
        for (seed, part) in [(1, 2), (2, 10), (3, 1), (3, all.len() + 1)] {
            recall.redraw(seed);
            let (went, rest) = all.split_at(all.len() / part);
            went.iter().for_each(|&mv| recall.note(mv));
            let own: Vec<f32> = went.iter().map(|&mv| clock(&recall, code(mv) as u32)).collect();
            assert!(own.is_sorted_by(|a, b| a < b));
            let mut last = own.last().copied().unwrap_or(0.0);
            for &mv in went {
                let of_line: HashSet<u32> =
                    others::<R>(mv).iter().map(|&other| clock(&recall, other) as u32).collect();
                assert_eq!(of_line.len(), 1, "they are of one rank");
                let rank = of_line.into_iter().next().unwrap() as f32;
                assert!(rank > last);
                last = rank;
            }
            for &mv in rest {
                let clock = clock(&recall, code(mv) as u32);
                assert!(clock > last && (OTHERS..2.0 * OTHERS).contains(&clock), "{clock}");
            }
        }
    }

    #[test]
    fn what_went_comes_again_first() {
        what_went_comes_first_then_its_lines::<T5>();
        what_went_comes_first_then_its_lines::<T4>();
    }

    #[test]
    fn all_others_have_another_order_for_each_number() {
        let mut recall = Recall::new();
        let mut orders = HashSet::new();
        for seed in 0..64 {
            recall.redraw(seed);
            let before: Vec<bool> =
                (0..400).map(|code| (&recall).at(0, code) < (&recall).at(0, code + 7000)).collect();
            let early = before.iter().filter(|&&before| before).count();
            assert!((130..270).contains(&early), "{early} of 400");
            orders.insert(before);
        }
        assert_eq!(orders.len(), 64);
    }
}
