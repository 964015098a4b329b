//! The legal moves of a playout in vector registers, for three vector extensions.
//!
//! Thirty-two *slots* hold a move and its clock each; a bit mask says which are live. Taking moves out is clearing
//! bits, so nothing is shifted or stored, and a step's work on the whole list is a handful of vector instructions.
//! The mean number of legal moves in a good game is about nine, and games of 5T and 5D that hold more than 32 at a
//! time are rare; what does not fit waits in a plain list (see `playout`).
//!
//! The least clock is found together with its slot: as bit patterns, positive floats are ordered like integers, and
//! the five lowest bits of each clock give way to the number of its slot ([`key`]). That rounds a clock by less than
//! 4e-6 of it and lets the lowest slot win a tie, which changes the odds of a move by less than that.
//!
//! All extensions give the same result: each clock undergoes the same subtractions. No closure takes part: one would
//! be compiled without the extension. `extension` chooses.

use crate::morpion::variant::Rules;
use crate::strategies::extension::Plain;

/// Slots in registers.
pub(in crate::strategies) const SLOTS: usize = 32;

/// A clock and its slot as one number, ordered by the clock.
#[inline(always)]
pub(super) fn key(clock: f32, slot: u32) -> u32 {
    clock.to_bits() & !(SLOTS as u32 - 1) | slot
}

/// The clock of a key (rounded down) and its slot.
#[inline(always)]
pub(super) fn unpack(key: u32) -> (f32, usize) {
    (f32::from_bits(key & !(SLOTS as u32 - 1)), key as usize & (SLOTS - 1))
}

/// Not above any key without a clock, and above all others: infinity.
pub(super) const NEVER: u32 = f32::INFINITY.to_bits();

/// What collides with a played move, as bit patterns: a move with point `point`, or one whose bits lie less than
/// `span` above `base` (a line of the same track nearer than a line's cells).
#[derive(Clone, Copy)]
pub(in crate::strategies) struct Collision {
    pub point: u32,
    pub base: u32,
    pub span: u32,
}

impl Collision {
    /// With no move: no point has the number 65535, and no move lies less than 0 above anything.
    pub const NONE: Collision = Collision { point: 0xFFFF, base: 0, span: 0 };

    /// With the move of these bits.
    #[inline(always)]
    pub fn of<R: Rules>(bits: u32) -> Collision {
        let reach = R::BLOCKED as u32 - 1;
        // Starts are at most 60 - LEN, so reach steps up or down never meet a line of another track.
        Collision { point: bits & 0xFFFF, base: (bits >> 16).wrapping_sub(reach) << 16, span: (2 * reach + 1) << 16 }
    }

    /// Whether a move collides.
    #[inline(always)]
    pub fn hits(self, bits: u32) -> bool {
        bits & 0xFFFF == self.point || bits.wrapping_sub(self.base) < self.span
    }
}

/// The slots, as an extension holds them.
///
/// # Safety
/// Every function may only be called on a processor that has the extension.
pub(in crate::strategies) trait Slots {
    /// The moves of all slots.
    type Moves: Copy;
    /// The clocks of all slots.
    type Clocks: Copy;

    /// Fills the slots.
    unsafe fn load(moves: &[u32; SLOTS], clocks: &[f32; SLOTS]) -> (Self::Moves, Self::Clocks);

    /// Subtracts `elapsed` from the clocks of the `live` slots and finds those that do not collide. Returns them as
    /// bits, and the least key among them (at least [`NEVER`] if there is none).
    unsafe fn settle(
        moves: Self::Moves,
        clocks: &mut Self::Clocks,
        live: u32,
        collision: Collision,
        elapsed: f32,
    ) -> (u32, u32);

    /// The clocks of all slots, to be read one by one.
    unsafe fn store(clocks: Self::Clocks) -> [f32; SLOTS];

    /// Puts a move and its clock into a slot.
    unsafe fn put(moves: &mut Self::Moves, clocks: &mut Self::Clocks, slot: u32, bits: u32, clock: f32);
}

impl Slots for Plain {
    type Moves = [u32; SLOTS];
    type Clocks = [f32; SLOTS];

    #[inline(always)]
    unsafe fn load(moves: &[u32; SLOTS], clocks: &[f32; SLOTS]) -> (Self::Moves, Self::Clocks) {
        (*moves, *clocks)
    }

    #[inline(always)]
    unsafe fn settle(
        moves: Self::Moves,
        clocks: &mut Self::Clocks,
        mut live: u32,
        collision: Collision,
        elapsed: f32,
    ) -> (u32, u32) {
        // All slots alike, which a compiler makes vectors of; then the few live ones.
        let mut lost = 0;
        for slot in 0..SLOTS {
            lost |= u32::from(collision.hits(moves[slot])) << slot;
            clocks[slot] -= elapsed;
        }
        let keep = live & !lost;
        live = keep;
        let mut least = NEVER;
        while live != 0 {
            let slot = live.trailing_zeros();
            live &= live - 1;
            least = least.min(key(clocks[slot as usize & (SLOTS - 1)], slot));
        }
        (keep, least)
    }

    #[inline(always)]
    unsafe fn store(clocks: Self::Clocks) -> [f32; SLOTS] {
        clocks
    }

    #[inline(always)]
    unsafe fn put(moves: &mut Self::Moves, clocks: &mut Self::Clocks, slot: u32, bits: u32, clock: f32) {
        moves[slot as usize & (SLOTS - 1)] = bits;
        clocks[slot as usize & (SLOTS - 1)] = clock;
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Collision, NEVER, SLOTS, Slots};
    use crate::strategies::extension::{Avx2, Avx512};
    use std::arch::x86_64::*;

    /// Two registers of sixteen slots.
    impl Slots for Avx512 {
        type Moves = [__m512i; 2];
        type Clocks = [__m512; 2];

        #[inline(always)]
        unsafe fn load(moves: &[u32; SLOTS], clocks: &[f32; SLOTS]) -> (Self::Moves, Self::Clocks) {
            // SAFETY: the caller's promise; the reads lie within the arrays.
            unsafe {
                let (m, c) = (moves.as_ptr(), clocks.as_ptr());
                (
                    [_mm512_loadu_si512(m.cast()), _mm512_loadu_si512(m.add(16).cast())],
                    [_mm512_loadu_ps(c), _mm512_loadu_ps(c.add(16))],
                )
            }
        }

        #[inline(always)]
        unsafe fn settle(
            moves: Self::Moves,
            clocks: &mut Self::Clocks,
            live: u32,
            collision: Collision,
            elapsed: f32,
        ) -> (u32, u32) {
            // SAFETY: the caller's promise.
            unsafe {
                let (point, low) = (_mm512_set1_epi32(collision.point as i32), _mm512_set1_epi32(0xFFFF));
                let base = _mm512_set1_epi32(collision.base as i32);
                let span = _mm512_set1_epi32(collision.span as i32);
                let elapsed = _mm512_set1_ps(elapsed);
                let slots = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                let never = _mm512_set1_epi32(NEVER as i32);
                let high = _mm512_set1_epi32(!(SLOTS as i32 - 1));
                let apart = _mm512_test_epi32_mask(_mm512_xor_si512(moves[0], point), low);
                let clear = _mm512_cmpge_epu32_mask(_mm512_sub_epi32(moves[0], base), span);
                let keep = apart & clear & live as u16;
                clocks[0] = _mm512_sub_ps(clocks[0], elapsed);
                // (clock & high) | slot.
                let keys = _mm512_ternarylogic_epi32::<0xF8>(slots, _mm512_castps_si512(clocks[0]), high);
                let lower = _mm512_mask_mov_epi32(never, keep, keys);
                if live >> 16 == 0 {
                    return (u32::from(keep), _mm512_reduce_min_epu32(lower));
                }
                let apart = _mm512_test_epi32_mask(_mm512_xor_si512(moves[1], point), low);
                let clear = _mm512_cmpge_epu32_mask(_mm512_sub_epi32(moves[1], base), span);
                let upper_keep = apart & clear & (live >> 16) as u16;
                clocks[1] = _mm512_sub_ps(clocks[1], elapsed);
                let slots = _mm512_add_epi32(slots, _mm512_set1_epi32(16));
                let keys = _mm512_ternarylogic_epi32::<0xF8>(slots, _mm512_castps_si512(clocks[1]), high);
                let upper = _mm512_mask_mov_epi32(never, upper_keep, keys);
                let least = _mm512_reduce_min_epu32(_mm512_min_epu32(lower, upper));
                (u32::from(keep) | u32::from(upper_keep) << 16, least)
            }
        }

        #[inline(always)]
        unsafe fn store(clocks: Self::Clocks) -> [f32; SLOTS] {
            // SAFETY: both are 32 floats side by side.
            unsafe { std::mem::transmute::<Self::Clocks, [f32; SLOTS]>(clocks) }
        }

        #[inline(always)]
        unsafe fn put(moves: &mut Self::Moves, clocks: &mut Self::Clocks, slot: u32, bits: u32, clock: f32) {
            // SAFETY: the caller's promise.
            unsafe {
                let (lower, upper) = ((1u32 << slot) as u16, ((1u32 << slot) >> 16) as u16);
                let (bits, clock) = (_mm512_set1_epi32(bits as i32), _mm512_set1_ps(clock));
                moves[0] = _mm512_mask_mov_epi32(moves[0], lower, bits);
                moves[1] = _mm512_mask_mov_epi32(moves[1], upper, bits);
                clocks[0] = _mm512_mask_mov_ps(clocks[0], lower, clock);
                clocks[1] = _mm512_mask_mov_ps(clocks[1], upper, clock);
            }
        }
    }

    /// Lane masks of the slots in `bits` (the lowest eight).
    #[inline(always)]
    unsafe fn lanes(bits: u32) -> __m256 {
        // SAFETY: the caller runs with AVX2.
        unsafe {
            let one = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let set = _mm256_and_si256(_mm256_set1_epi32(bits as i32), one);
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, one))
        }
    }

    /// Which of eight moves collide, as bits.
    #[inline(always)]
    unsafe fn hits_of(m: __m256i, collision: Collision) -> u32 {
        // SAFETY: the caller runs with AVX2.
        unsafe {
            let point = _mm256_set1_epi32(collision.point as i32);
            let same = _mm256_cmpeq_epi32(_mm256_and_si256(m, _mm256_set1_epi32(0xFFFF)), point);
            let above = _mm256_sub_epi32(m, _mm256_set1_epi32(collision.base as i32));
            let span = _mm256_set1_epi32(collision.span as i32);
            let far = _mm256_cmpeq_epi32(_mm256_max_epu32(above, span), above);
            // Same point, or not far: the bits of `!far | same`.
            !_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_andnot_si256(same, far))) as u32 & 0xFF
        }
    }

    /// The keys of eight clocks, the first of slot `first`, where `keep` has their bits; [`NEVER`] elsewhere.
    #[inline(always)]
    unsafe fn keys(clocks: __m256, keep: u32, first: i32) -> __m256i {
        // SAFETY: the caller runs with AVX2.
        unsafe {
            let slots = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(first));
            let high = _mm256_and_si256(_mm256_castps_si256(clocks), _mm256_set1_epi32(!(SLOTS as i32 - 1)));
            let keys = _mm256_castsi256_ps(_mm256_or_si256(high, slots));
            let never = _mm256_castsi256_ps(_mm256_set1_epi32(NEVER as i32));
            _mm256_castps_si256(_mm256_blendv_ps(never, keys, lanes(keep >> first)))
        }
    }

    /// The least of eight keys.
    #[inline(always)]
    unsafe fn least(eight: __m256i) -> u32 {
        // SAFETY: the caller runs with AVX2.
        unsafe {
            let four = _mm_min_epu32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256::<1>(eight));
            let two = _mm_min_epu32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
            _mm_cvtsi128_si32(_mm_min_epu32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two))) as u32
        }
    }

    /// Puts a move and a clock into the chosen lanes.
    #[inline(always)]
    unsafe fn place(moves: &mut __m256i, clocks: &mut __m256, chosen: __m256, bits: __m256, clock: __m256) {
        // SAFETY: the caller runs with AVX2.
        unsafe {
            *moves = _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(*moves), bits, chosen));
            *clocks = _mm256_blendv_ps(*clocks, clock, chosen);
        }
    }

    /// Four registers of eight slots.
    impl Slots for Avx2 {
        type Moves = [__m256i; 4];
        type Clocks = [__m256; 4];

        #[inline(always)]
        unsafe fn load(moves: &[u32; SLOTS], clocks: &[f32; SLOTS]) -> (Self::Moves, Self::Clocks) {
            // SAFETY: the caller's promise; the reads lie within the arrays.
            unsafe {
                let (m, c) = (moves.as_ptr(), clocks.as_ptr());
                (
                    [
                        _mm256_loadu_si256(m.cast()),
                        _mm256_loadu_si256(m.add(8).cast()),
                        _mm256_loadu_si256(m.add(16).cast()),
                        _mm256_loadu_si256(m.add(24).cast()),
                    ],
                    [
                        _mm256_loadu_ps(c),
                        _mm256_loadu_ps(c.add(8)),
                        _mm256_loadu_ps(c.add(16)),
                        _mm256_loadu_ps(c.add(24)),
                    ],
                )
            }
        }

        #[inline(always)]
        unsafe fn settle(
            moves: Self::Moves,
            clocks: &mut Self::Clocks,
            live: u32,
            collision: Collision,
            elapsed: f32,
        ) -> (u32, u32) {
            // SAFETY: the caller's promise.
            unsafe {
                let elapsed = _mm256_set1_ps(elapsed);
                let keep = !(hits_of(moves[0], collision) | hits_of(moves[1], collision) << 8) & live;
                clocks[0] = _mm256_sub_ps(clocks[0], elapsed);
                clocks[1] = _mm256_sub_ps(clocks[1], elapsed);
                let lower = _mm256_min_epu32(keys(clocks[0], keep, 0), keys(clocks[1], keep, 8));
                if live >> 16 == 0 {
                    return (keep, least(lower));
                }
                let lost = hits_of(moves[2], collision) << 16 | hits_of(moves[3], collision) << 24;
                let keep = keep & !lost;
                clocks[2] = _mm256_sub_ps(clocks[2], elapsed);
                clocks[3] = _mm256_sub_ps(clocks[3], elapsed);
                let upper = _mm256_min_epu32(keys(clocks[2], keep, 16), keys(clocks[3], keep, 24));
                (keep, least(_mm256_min_epu32(lower, upper)))
            }
        }

        #[inline(always)]
        unsafe fn store(clocks: Self::Clocks) -> [f32; SLOTS] {
            // SAFETY: both are 32 floats side by side.
            unsafe { std::mem::transmute::<Self::Clocks, [f32; SLOTS]>(clocks) }
        }

        #[inline(always)]
        unsafe fn put(moves: &mut Self::Moves, clocks: &mut Self::Clocks, slot: u32, bits: u32, clock: f32) {
            // SAFETY: the caller's promise.
            unsafe {
                let (bits, clock) = (_mm256_castsi256_ps(_mm256_set1_epi32(bits as i32)), _mm256_set1_ps(clock));
                let slots = 1u32 << slot;
                place(&mut moves[0], &mut clocks[0], lanes(slots), bits, clock);
                place(&mut moves[1], &mut clocks[1], lanes(slots >> 8), bits, clock);
                place(&mut moves[2], &mut clocks[2], lanes(slots >> 16), bits, clock);
                place(&mut moves[3], &mut clocks[3], lanes(slots >> 24), bits, clock);
            }
        }
    }
}
