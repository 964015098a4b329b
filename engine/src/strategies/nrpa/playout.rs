//! One playout: a game in which each move is drawn with probability proportional to its weight.
//!
//! Softmax sampling without a sum: every legal move carries an exponential clock whose rate is its weight, set
//! once, when the move appears; the move whose clock is least is played and its time is taken off all others. The
//! exponential distribution has no memory, so each choice is distributed exactly as if drawn anew with
//! probability weight / sum of weights (the next-reaction form of Gillespie's method; Gibson and Bruck 2000).
//! Remaining times are kept rather than moments of firing, so magnitudes never mix: a difference loses precision
//! only when two clocks agree in their leading digits, which is as rare as it is imprecise.
//!
//! The clocks come from an implementation of [`Times`]. With fixed clocks that do not run the playout is a greedy
//! player: it plays the legal move that comes first in an order of all moves.

use super::clocks::ClockStream;
use super::game::PlayoutGame;
use super::policy::{CODES, Policy, code, code_at};
use crate::morpion::board::Board;
use crate::morpion::geometry::Move;
use crate::morpion::position::MAX_LEGAL;
use crate::morpion::variant::Rules;
use crate::strategies::vector::dispatch::VectorInstructions;
use crate::strategies::vector::slots::{Collision, NEVER, SLOTS, key, unpack};
use std::hint::select_unpredictable;

/// Where the clocks of a playout come from. Variates are taken as in [`ClockStream`]: reserved, read by number,
/// counted.
pub(in crate::strategies) trait Times {
    /// Whether the clocks run: the time of a move played is taken off the others.
    const RUN: bool;

    /// Makes sure that `n` clocks can be read.
    fn reserve<I: VectorInstructions>(&mut self, n: usize);

    /// The number of the next clock.
    fn used(&self) -> usize;

    /// The clock of that number, for the move with `code`.
    fn at(&self, used: usize, code: u32) -> f32;

    /// Notes that the clocks before that number have been taken.
    fn set_used(&mut self, used: usize);
}

/// Drawn for a policy.
struct Sampled<'a> {
    means: &'a [f32; CODES],
    clocks: &'a mut ClockStream,
}

impl Times for Sampled<'_> {
    const RUN: bool = true;

    #[inline(always)]
    fn reserve<I: VectorInstructions>(&mut self, n: usize) {
        self.clocks.reserve::<I>(n);
    }

    #[inline(always)]
    fn used(&self) -> usize {
        self.clocks.used()
    }

    #[inline(always)]
    fn at(&self, used: usize, code: u32) -> f32 {
        self.clocks.at(used) * self.means[code as usize & (CODES - 1)]
    }

    #[inline(always)]
    fn set_used(&mut self, used: usize) {
        self.clocks.set_used(used);
    }
}

/// The scratch memory of playouts from one start.
pub(in crate::strategies) struct Playout<R> {
    start: Board<R>,
    start_moves: Vec<Move>,
    /// Moves after which games end that begin at the first start, and at the present one.
    longest: usize,
    pub room: usize,
    /// Where the games are played.
    pub board: Box<Board<R>>,
    waiting: Waiting,
    /// The last game.
    pub game: Box<PlayoutGame>,
}

impl<R: Rules> Playout<R> {
    /// For games that continue from `start`, where `moves` may be played, and end after `longest` moves.
    pub fn new(start: Board<R>, moves: &[Move], longest: usize) -> Playout<R> {
        Playout {
            board: Box::new(start.clone()),
            start,
            start_moves: moves.to_vec(),
            longest,
            room: longest,
            waiting: Waiting(Vec::with_capacity(MAX_LEGAL)),
            game: PlayoutGame::boxed(),
        }
    }

    /// The position that the games start from.
    pub fn start(&self) -> (&Board<R>, &[Move]) {
        (&self.start, &self.start_moves)
    }

    /// Lets the games start `kept` moves after the first start, where `moves` may be played.
    pub fn restart(&mut self, start: &Board<R>, moves: &[Move], kept: usize) {
        self.keep(kept);
        self.start.copy_from(start);
        self.start_moves.clear();
        self.start_moves.extend(moves.iter().copied());
    }

    /// The next games begin `kept` moves after the first start.
    #[inline(always)]
    pub fn keep(&mut self, kept: usize) {
        self.room = self.longest.saturating_sub(kept);
    }

    /// Plays one game in which moves are drawn by their weights.
    ///
    /// # Safety
    /// The processor has the extension `I`.
    #[inline(always)]
    pub unsafe fn play<I: VectorInstructions>(&mut self, policy: &Policy, clocks: &mut ClockStream) {
        // SAFETY: the caller's promise.
        unsafe { self.play_by::<I, _>(Sampled { means: policy.means(), clocks }) }
    }

    /// Plays one game by these clocks.
    ///
    /// # Safety
    /// The processor has the extension `I`.
    #[inline(always)]
    pub unsafe fn play_by<I: VectorInstructions, T: Times>(&mut self, times: T) {
        self.board.copy_from(&self.start);
        let starts = std::mem::take(&mut self.start_moves);
        // SAFETY: the caller's promise.
        unsafe { self.play_on::<I, T>(times, &starts) };
        self.start_moves = starts;
    }

    /// Plays on by these clocks from the board as it is, where `starts` are the moves that may be played.
    ///
    /// # Safety
    /// The processor has the extension `I`.
    #[inline(always)]
    pub unsafe fn play_on<I: VectorInstructions, T: Times>(&mut self, mut times: T, starts: &[Move]) {
        // The moves of the slots once more, to read a single one.
        let mut mirror = [0u32; SLOTS];
        let mut first = [f32::INFINITY; SLOTS];
        self.waiting.clear();
        for (slot, &mv) in starts.iter().enumerate() {
            times.reserve::<I>(1);
            let clock = times.at(times.used(), code(mv) as u32);
            times.set_used(times.used() + 1);
            if slot < SLOTS {
                (mirror[slot], first[slot]) = (mv.bits(), clock);
            } else {
                self.waiting.push(mv, clock);
            }
        }
        let mut live = if starts.len() < SLOTS { (1u32 << starts.len()) - 1 } else { u32::MAX };
        // SAFETY: the extension by the caller's promise.
        let (mut moves, mut left) = unsafe { I::load(&mirror, &first) };
        let (game, room) = (&mut *self.game, self.room);
        game.clear();
        // SAFETY: the same.
        let mut least = unsafe { I::least(left) };
        // SAFETY: the same.
        let mut soonest = unsafe { I::read(least) };
        // The move of the least clock, known as soon as it is: read from the mirror only when the next step needs it,
        // it would come later.
        let mut next = mirror[unpack(soonest).1];
        while soonest < NEVER && game.has_room(room) {
            if !self.waiting.is_empty()
                && let Some((at, waiting, clock)) = self.waiting.sooner(unpack(soonest).0)
            {
                // A move that found no slot is sooner: it changes places with the one that is up.
                let slot = unpack(soonest).1;
                // SAFETY: the same.
                let own = unsafe { I::store(left) }[slot];
                self.waiting.replace(at, Move::from_raw(next), own);
                // SAFETY: the same.
                unsafe { I::put(&mut moves, &mut left, slot as u32, waiting.bits(), clock) };
                mirror[slot] = waiting.bits();
                soonest = key(clock, slot as u32);
                // SAFETY: the same.
                least = unsafe { I::splat(soonest) };
                next = waiting.bits();
            }
            let mv = Move::from_raw(next);
            let center = mv.point();
            game.play(mv);
            times.reserve::<I>(NEW);
            let mut openings = self.board.place_and_open(mv);
            let elapsed = if T::RUN { unpack(soonest).0 } else { 0.0 };
            let hits;
            // SAFETY: the same.
            unsafe {
                if !T::RUN {
                    least = I::at_once(least);
                }
                (hits, least) = I::settle::<R>(moves, &mut left, live, least, mv.bits());
                soonest = I::read(least);
            }
            live &= !hits;
            next = mirror[unpack(soonest).1];
            if !self.waiting.is_empty() {
                self.waiting.settle(Collision::of::<R>(mv.bits()), elapsed);
            }
            // Counters in registers: the compiler cannot know that what is written between does not change them.
            let (mut appearances, mut used) = (game.appearances, times.used());
            while let Some(opening) = openings.next() {
                let (bits, code) = (opening.mv.bits(), code_at::<R>(center, opening.place));
                let clock = times.at(used, code);
                used += 1;
                // SAFETY: the game had room before the step.
                unsafe { game.appear(appearances, opening.mv, code) };
                appearances += 1;
                if live == u32::MAX {
                    self.waiting.push(opening.mv, clock);
                    continue;
                }
                let slot = (!live).trailing_zeros();
                live |= 1 << slot;
                mirror[slot as usize & (SLOTS - 1)] = bits;
                // SAFETY: the same.
                unsafe {
                    I::put(&mut moves, &mut left, slot, bits, clock);
                    least = I::lower(least, slot, clock);
                }
                let key = key(clock, slot);
                next = select_unpredictable(key < soonest, bits, next);
                soonest = soonest.min(key);
            }
            game.end_step(appearances);
            times.set_used(used);
            if !self.waiting.is_empty() {
                while live != u32::MAX
                    && let Some((mv, clock)) = self.waiting.pop()
                {
                    let slot = (!live).trailing_zeros();
                    live |= 1 << slot;
                    mirror[slot as usize & (SLOTS - 1)] = mv.bits();
                    // SAFETY: the same.
                    unsafe {
                        I::put(&mut moves, &mut left, slot, mv.bits(), clock);
                        least = I::lower(least, slot, clock);
                    }
                    soonest = soonest.min(key(clock, slot));
                }
                next = mirror[unpack(soonest).1];
            }
        }
    }

    /// Fills `game` from moves that are legal from the start in this order.
    pub fn replay(&mut self, moves: &[Move], game: &mut PlayoutGame) {
        self.board.copy_from(&self.start);
        game.clear();
        for &mv in moves {
            if !game.has_room(self.room) {
                break;
            }
            game.play(mv);
            let mut openings = self.board.place_and_open(mv);
            let mut appearances = game.appearances;
            while let Some(opening) = openings.next() {
                let code = code_at::<R>(mv.point(), opening.place);
                // SAFETY: the game has room.
                unsafe { game.appear(appearances, opening.mv, code) };
                appearances += 1;
            }
            game.end_step(appearances);
        }
    }
}

/// No move creates more: five lines in each of four directions.
const NEW: usize = 20;

/// Moves that found no slot, with their clocks: rare, and therefore out of line.
struct Waiting(Vec<(Move, f32)>);

impl Waiting {
    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.0.clear();
    }

    #[cold]
    #[inline(never)]
    fn push(&mut self, mv: Move, clock: f32) {
        self.0.push((mv, clock));
    }

    #[cold]
    #[inline(never)]
    fn pop(&mut self) -> Option<(Move, f32)> {
        self.0.pop()
    }

    /// The place, the move and the clock of the soonest, if it is sooner than `clock`.
    #[cold]
    #[inline(never)]
    fn sooner(&self, clock: f32) -> Option<(usize, Move, f32)> {
        let least = self.0.iter().enumerate().min_by(|a, b| a.1.1.total_cmp(&b.1.1));
        least.filter(|(_, own)| own.1 < clock).map(|(at, &(mv, own))| (at, mv, own))
    }

    #[cold]
    #[inline(never)]
    fn replace(&mut self, at: usize, mv: Move, clock: f32) {
        if let Some(place) = self.0.get_mut(at) {
            *place = (mv, clock);
        }
    }

    /// Takes out what collides and subtracts the time from the clocks of the others.
    #[cold]
    #[inline(never)]
    fn settle(&mut self, collision: Collision, elapsed: f32) {
        self.0.retain(|&(mv, _)| !collision.hits(mv.bits()));
        self.0.iter_mut().for_each(|(_, clock)| *clock -= elapsed);
    }
}
