//! The board of playouts: stones, chains and what is left of their liberties, on boards of all sizes.
//!
//! A chain is a ring of its stones under one of them, its root. Its liberties are counted once for each stone beside
//! them (pseudo-liberties), with their sum and the sum of their squares: there is one liberty exactly if the count
//! times the sum of squares is the square of the sum. The board has a border, so that no point needs a look at its
//! place.
//!
//! Moves are random but for answers to the last one: a chain in atari is taken or saved. No side fills an eye of its
//! own or a liberty of a seki, and two passes end the game, as does its length.

use crate::core::game::Side;
use crate::core::seed::Rng;
use rand::RngExt;

const EMPTY: u8 = 0;
const BORDER: u8 = 3;
/// The number of no point: a corner of the border.
pub const NOWHERE: u16 = 0;
/// Moves of a playout for each point, at most.
const LONGEST: usize = 3;
/// Of so many answers to a chain in atari one is left out.
const LEFT_OUT: u32 = 10;

/// The colour of a side as a board has it: 1 or 2.
#[inline]
fn colour_of(side: Side) -> u8 {
    if side == Side::First { 1 } else { 2 }
}

/// A ring of stones, as its root has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Ring {
    stones: u16,
    liberties: u16,
    sum: u32,
    squares: u32,
}

impl Ring {
    #[inline]
    fn add(&mut self, point: u16) {
        self.liberties += 1;
        self.sum += u32::from(point);
        self.squares += u32::from(point) * u32::from(point);
    }

    #[inline]
    fn remove(&mut self, point: u16) {
        self.liberties -= 1;
        self.sum -= u32::from(point);
        self.squares -= u32::from(point) * u32::from(point);
    }

    /// The only liberty, if there is one only.
    #[inline]
    fn atari(&self) -> Option<u16> {
        let count = u32::from(self.liberties);
        (count > 0 && u64::from(count) * u64::from(self.squares) == u64::from(self.sum) * u64::from(self.sum))
            .then(|| (self.sum / count) as u16)
    }
}

/// A board for playouts. Points are numbered with the border.
#[derive(Debug, Clone)]
pub struct PlayoutBoard {
    stride: u16,
    width: u8,
    cells: Vec<u8>,
    roots: Vec<u16>,
    next: Vec<u16>,
    rings: Vec<Ring>,
    /// The empty points, and where each of them is in this list.
    empty: Vec<u16>,
    places: Vec<u16>,
    /// The point that a ko forbids, or [`NOWHERE`].
    ko: u16,
    last: u16,
    passes: u8,
}

impl PlayoutBoard {
    /// The empty board of so many columns and rows.
    pub fn new(width: u8, height: u8) -> PlayoutBoard {
        let stride = u16::from(width) + 1;
        let all = usize::from(stride) * (usize::from(height) + 2) + 1;
        let mut board = PlayoutBoard {
            stride,
            width,
            cells: vec![BORDER; all],
            roots: vec![NOWHERE; all],
            next: vec![NOWHERE; all],
            rings: vec![Ring::default(); all],
            empty: Vec::with_capacity(all),
            places: vec![0; all],
            ko: NOWHERE,
            last: NOWHERE,
            passes: 0,
        };
        for y in 0..height {
            for x in 0..width {
                let point = board.point((x, y));
                board.cells[usize::from(point)] = EMPTY;
                board.make_empty(point);
            }
        }
        board
    }

    /// The number of a point, from its column and row.
    #[inline]
    pub fn point(&self, (x, y): (u8, u8)) -> u16 {
        (u16::from(y) + 1) * self.stride + u16::from(x) + 1
    }

    /// How many numbers there are, those of the border included.
    pub fn numbers(&self) -> usize {
        self.cells.len()
    }

    #[inline]
    fn near(&self, point: u16) -> [u16; 4] {
        [point - self.stride, point - 1, point + 1, point + self.stride]
    }

    #[inline]
    fn cell(&self, point: u16) -> u8 {
        self.cells[usize::from(point)]
    }

    #[inline]
    fn ring(&mut self, point: u16) -> &mut Ring {
        &mut self.rings[usize::from(self.roots[usize::from(point)])]
    }

    #[inline]
    fn ring_of(&self, point: u16) -> Ring {
        self.rings[usize::from(self.roots[usize::from(point)])]
    }

    fn make_empty(&mut self, point: u16) {
        self.cells[usize::from(point)] = EMPTY;
        self.places[usize::from(point)] = self.empty.len() as u16;
        self.empty.push(point);
    }

    fn make_full(&mut self, point: u16) {
        let place = usize::from(self.places[usize::from(point)]);
        self.empty.swap_remove(place);
        if let Some(&moved) = self.empty.get(place) {
            self.places[usize::from(moved)] = place as u16;
        }
    }

    /// Puts a stone on an empty point and takes off what has no liberties then, the enemy's first.
    pub fn put(&mut self, point: u16, side: Side) {
        let (own, enemy) = (colour_of(side), colour_of(side.other()));
        self.make_full(point);
        self.cells[usize::from(point)] = own;
        (self.roots[usize::from(point)], self.next[usize::from(point)]) = (point, point);
        let mut ring = Ring { stones: 1, ..Ring::default() };
        for near in self.near(point) {
            match self.cell(near) {
                EMPTY => ring.add(near),
                BORDER => {}
                _ => self.ring(near).remove(point),
            }
        }
        self.rings[usize::from(point)] = ring;
        for near in self.near(point) {
            if self.cell(near) == own && self.roots[usize::from(near)] != self.roots[usize::from(point)] {
                self.join(point, near);
            }
        }
        let (mut taken, mut at) = (0, NOWHERE);
        for near in self.near(point) {
            if self.cell(near) == enemy && self.ring_of(near).liberties == 0 {
                (taken, at) = (taken + self.ring_of(near).stones, near);
                self.take_off(near);
            }
        }
        let ring = self.ring_of(point);
        self.ko = if taken == 1 && ring.stones == 1 && ring.atari() == Some(at) { at } else { NOWHERE };
        if ring.liberties == 0 {
            self.take_off(point);
        }
        (self.last, self.passes) = (point, 0);
    }

    /// Passes for the side to move.
    pub fn pass(&mut self) {
        (self.last, self.ko, self.passes) = (NOWHERE, NOWHERE, self.passes + 1);
    }

    /// Forgets the moves that led here; a ko forbids a point, or [`NOWHERE`].
    pub fn begin(&mut self, ko: u16) {
        (self.last, self.ko, self.passes) = (NOWHERE, ko, 0);
    }

    /// Joins the rings of two stones under the root of the larger one.
    fn join(&mut self, one: u16, other: u16) {
        let (mut to, mut from) = (self.roots[usize::from(one)], self.roots[usize::from(other)]);
        if self.rings[usize::from(to)].stones < self.rings[usize::from(from)].stones {
            (to, from) = (from, to);
        }
        let joined = self.rings[usize::from(from)];
        let mut at = from;
        loop {
            self.roots[usize::from(at)] = to;
            at = self.next[usize::from(at)];
            if at == from {
                break;
            }
        }
        self.next.swap(usize::from(to), usize::from(from));
        let ring = &mut self.rings[usize::from(to)];
        ring.stones += joined.stones;
        ring.liberties += joined.liberties;
        ring.sum += joined.sum;
        ring.squares += joined.squares;
    }

    /// Takes the chain of a stone off the board.
    fn take_off(&mut self, stone: u16) {
        let mut at = stone;
        loop {
            self.make_empty(at);
            at = self.next[usize::from(at)];
            if at == stone {
                break;
            }
        }
        loop {
            for near in self.near(at) {
                if !matches!(self.cell(near), EMPTY | BORDER) {
                    self.ring(near).add(at);
                }
            }
            at = self.next[usize::from(at)];
            if at == stone {
                break;
            }
        }
    }

    /// Whether a side may put a stone there without suicide and without retaking a ko.
    #[inline]
    pub fn may_put(&self, point: u16, side: Side) -> bool {
        if self.cell(point) != EMPTY || point == self.ko {
            return false;
        }
        let own = colour_of(side);
        self.near(point).into_iter().any(|near| match self.cell(near) {
            EMPTY => true,
            BORDER => false,
            of => (of == own) != (self.ring_of(near).liberties == self.touches(near, point)),
        })
    }

    /// How often an empty point counts among the liberties of a stone's chain.
    #[inline]
    fn touches(&self, stone: u16, point: u16) -> u16 {
        let root = self.roots[usize::from(stone)];
        let is_of = |near: u16| !matches!(self.cell(near), EMPTY | BORDER) && self.roots[usize::from(near)] == root;
        self.near(point).into_iter().filter(|&near| is_of(near)).count() as u16
    }

    /// Whether an empty point is an eye that its owner should not fill: own stones all around, and at most one
    /// diagonal point of the enemy's, none at the edge.
    pub fn is_eye(&self, point: u16, side: Side) -> bool {
        let own = colour_of(side);
        if self.near(point).into_iter().any(|near| self.cell(near) != own && self.cell(near) != BORDER) {
            return false;
        }
        let diagonal =
            [point - self.stride - 1, point - self.stride + 1, point + self.stride - 1, point + self.stride + 1];
        let (mut enemies, mut outside) = (0, 0);
        for at in diagonal {
            enemies += u8::from(self.cell(at) == colour_of(side.other()));
            outside += u8::from(self.cell(at) == BORDER);
        }
        enemies + u8::from(outside > 0) < 2
    }

    /// What a stone would leave its chain at least: whether it would have one liberty only, and take nothing.
    fn is_self_atari(&self, point: u16, side: Side) -> bool {
        let own = colour_of(side);
        let mut free = 0;
        for near in self.near(point) {
            match self.cell(near) {
                EMPTY => free += 1,
                BORDER => {}
                // An own chain with other liberties is joined, or an enemy one is taken.
                of if (of == own) == self.ring_of(near).atari().is_none() => return false,
                _ => {}
            }
        }
        free < 2
    }

    /// The other liberty of a stone's chain, if it has two and the point is one of them.
    fn other_liberty(&self, stone: u16, point: u16) -> Option<u16> {
        let (mut ring, times) = (self.ring_of(stone), self.touches(stone, point));
        (0..times).for_each(|_| ring.remove(point));
        ring.atari()
    }

    /// Whether a stone would put its own chain into atari where this chain and one of the enemy's have the same two
    /// liberties and no other, so that neither side should play there. Not so if the stones that the enemy would take
    /// fill its space in a shape in which it makes one eye only.
    fn breaks_seki(&self, point: u16, side: Side) -> bool {
        let own = colour_of(side);
        let (mut other, mut is_beside_enemy) = (None, false);
        for near in self.near(point) {
            match self.cell(near) {
                BORDER | EMPTY => {}
                _ => match self.other_liberty(near, point) {
                    Some(at) if other.is_none_or(|known| known == at) => other = Some(at),
                    // One that is in atari, or has further liberties.
                    _ => return false,
                },
            }
            is_beside_enemy |= self.cell(near) == colour_of(side.other());
        }
        let is_free = |near: u16| self.cell(near) == EMPTY && Some(near) != other;
        let is_shared = is_beside_enemy && self.near(point).into_iter().any(|near| self.cell(near) == own);
        is_shared && !self.near(point).into_iter().any(is_free) && !self.makes_killing_shape(point, own)
    }

    /// Whether a stone and the chains that it joins are of up to six stones and have a shape in which the side that
    /// takes them makes one eye only: one stone is beside all others, or they close a square.
    fn makes_killing_shape(&self, point: u16, own: u8) -> bool {
        const GREATEST_SHAPE: usize = 6;
        let mut shape = vec![point];
        for near in self.near(point) {
            let mut at = near;
            while self.cell(near) == own && !shape.contains(&at) {
                shape.push(at);
                if shape.len() > GREATEST_SHAPE {
                    return false;
                }
                at = self.next[usize::from(at)];
            }
        }
        let beside = |&of: &u16| self.near(of).into_iter().filter(|near| shape.contains(near)).count();
        let (most, all) = shape.iter().map(beside).fold((0, 0), |(most, all), n| (most.max(n), all + n));
        most + 1 >= shape.len() || all / 2 >= shape.len()
    }

    /// A move that answers the last one: chains in atari beside it are taken or saved.
    fn answer(&self, side: Side, random: &mut Rng) -> Option<u16> {
        if self.last == NOWHERE || random.random_range(0..LEFT_OUT) == 0 {
            return None;
        }
        if self.cell(self.last) == colour_of(side.other())
            && let Some(point) = self.ring_of(self.last).atari()
            && self.may_put(point, side)
        {
            return Some(point);
        }
        for near in self.near(self.last) {
            if self.cell(near) == colour_of(side)
                && let Some(point) = self.ring_of(near).atari()
                && self.may_put(point, side)
                && !self.is_self_atari(point, side)
            {
                return Some(point);
            }
        }
        None
    }

    /// A move of a playout; nothing is a pass.
    fn draw(&self, side: Side, random: &mut Rng) -> Option<u16> {
        if let Some(point) = self.answer(side, random) {
            return Some(point);
        }
        if self.empty.is_empty() {
            return None;
        }
        let from = random.random_range(0..self.empty.len());
        let (before, after) = self.empty.split_at(from);
        let fits =
            |&&point: &&u16| self.may_put(point, side) && !self.is_eye(point, side) && !self.breaks_seki(point, side);
        after.iter().chain(before).find(fits).copied()
    }

    /// Plays to the end; `moves` gets the moves, passes left out, with the side that made each.
    pub fn play_out(&mut self, mut side: Side, random: &mut Rng, moves: &mut Vec<(u16, Side)>) {
        let most = LONGEST * self.cells.len();
        for _ in 0..most {
            match self.draw(side, random) {
                Some(point) => {
                    self.put(point, side);
                    moves.push((point, side));
                }
                None => self.pass(),
            }
            if self.passes >= 2 {
                break;
            }
            side = side.other();
        }
    }

    /// Area of black less that of white, where every empty point is beside stones of its owner.
    pub fn score(&self) -> i32 {
        let mut score = 0;
        for &cell in &self.cells {
            score += i32::from(cell == 1) - i32::from(cell == 2);
        }
        for &point in &self.empty {
            let beside = |colour: u8| self.near(point).into_iter().any(|near| self.cell(near) == colour);
            score += i32::from(beside(1) && !beside(2)) - i32::from(beside(2) && !beside(1));
        }
        score
    }

    /// How much a move looks worth trying, from -1 to 1, by what is beside it.
    pub fn promise(&self, point: u16, side: Side) -> f32 {
        let own = colour_of(side);
        let mut promise = 0.0f32;
        for near in self.near(point) {
            match self.cell(near) {
                EMPTY | BORDER => {}
                of if of == own => promise += if self.ring_of(near).atari() == Some(point) { 0.3 } else { 0.02 },
                _ => promise += if self.ring_of(near).atari() == Some(point) { 0.6 } else { 0.1 },
            }
        }
        let at_edge = self.near(point).into_iter().filter(|&near| self.cell(near) == BORDER).count();
        if promise == 0.0 {
            promise -= 0.2 * at_edge as f32;
        }
        if self.is_self_atari(point, side) {
            promise -= 0.5;
        }
        promise.clamp(-1.0, 1.0)
    }

    /// Whether all that is kept is as it would be found anew.
    ///
    /// # Errors
    /// The first thing that is not.
    pub fn check(&self) -> Result<(), String> {
        for point in (0..self.cells.len() as u16).filter(|&point| !matches!(self.cell(point), EMPTY | BORDER)) {
            let (mut ring, mut at) = (Ring::default(), point);
            loop {
                ring.stones += 1;
                self.near(at).into_iter().filter(|&near| self.cell(near) == EMPTY).for_each(|near| ring.add(near));
                if self.roots[usize::from(at)] != self.roots[usize::from(point)] || self.cell(at) != self.cell(point)
                {
                    return Err(format!("{at} is in the ring of {point}"));
                }
                let strays = self.near(at).into_iter().find(|&near| {
                    self.cell(near) == self.cell(point)
                        && self.roots[usize::from(near)] != self.roots[usize::from(at)]
                });
                if let Some(near) = strays {
                    return Err(format!("{near} is not in the ring of {at}"));
                }
                at = self.next[usize::from(at)];
                if at == point {
                    break;
                }
            }
            if ring != self.ring_of(point) {
                return Err(format!("the ring of {point} is {:?}, not {ring:?}", self.ring_of(point)));
            }
        }
        let empty = (0..self.cells.len() as u16).filter(|&point| self.cell(point) == EMPTY).count();
        if empty != self.empty.len() || self.empty.iter().any(|&point| self.cell(point) != EMPTY) {
            return Err("the list of empty points is wrong".to_owned());
        }
        Ok(())
    }

    /// The stone on a point, from its column and row.
    pub fn stone(&self, place: (u8, u8)) -> Option<Side> {
        debug_assert!(place.0 < self.width);
        match self.cell(self.point(place)) {
            1 => Some(Side::First),
            2 => Some(Side::Second),
            _ => None,
        }
    }
}
