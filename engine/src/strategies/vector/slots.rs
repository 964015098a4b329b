//! The legal moves of a playout in vector registers, for three vector extensions.
//!
//! Thirty-two *slots* hold a move and its clock each; a bit mask says which are live. Taking moves out is clearing
//! bits (for the mask) and setting clocks to infinity (for the least), so nothing is shifted or stored, and a step's
//! work on the whole list is a handful of vector instructions.
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
use crate::strategies::vector::extension::PlainVectors;

/// Slots in registers.
pub(in crate::strategies) const SLOTS: usize = 32;

/// A clock and its slot as one number, ordered by the clock.
#[inline(always)]
pub(in crate::strategies) fn key(clock: f32, slot: u32) -> u32 {
    clock.to_bits() & !(SLOTS as u32 - 1) | slot
}

/// The clock of a key (rounded down) and its slot.
#[inline(always)]
pub(in crate::strategies) fn unpack(key: u32) -> (f32, usize) {
    (f32::from_bits(key & !(SLOTS as u32 - 1)), key as usize & (SLOTS - 1))
}

/// Not above any key without a clock, and above all others: infinity.
pub(in crate::strategies) const NEVER: u32 = f32::INFINITY.to_bits();

/// What collides with a played move, as bit patterns: a move with point `point`, or one whose bits lie less than
/// `span` above `base` (a line of the same track nearer than a line's cells).
#[derive(Clone, Copy)]
pub(in crate::strategies) struct Collision {
    point: u32,
    base: u32,
    span: u32,
}

impl Collision {
    /// With the move of these bits.
    #[inline(always)]
    pub fn of<R: Rules>(bits: u32) -> Collision {
        // Starts are at most 60 - LEN, so reach steps up or down never meet a line of another track.
        Collision { point: bits & 0xFFFF, base: (bits & HIGH).wrapping_sub(reach::<R>()), span: span::<R>() }
    }

    /// Whether a move collides.
    #[inline(always)]
    pub fn hits(self, bits: u32) -> bool {
        bits & 0xFFFF == self.point || bits.wrapping_sub(self.base) < self.span
    }
}

/// The line's bits of a move.
const HIGH: u32 = 0xFFFF_0000;

/// How far apart two lines of a track may start and still conflict, as the bits of a move.
#[inline(always)]
const fn reach<R: Rules>() -> u32 {
    (R::BLOCKED as u32 - 1) << 16
}

/// The number of starts within [`reach`] on either side, as the bits of a move.
#[inline(always)]
const fn span<R: Rules>() -> u32 {
    2 * reach::<R>() + (1 << 16)
}

/// The slots, as an extension holds them. A slot that is not in use has an infinite clock at the beginning, and in
/// vectors always.
///
/// # Safety
/// Every function may only be called on a processor that has the extension.
pub(in crate::strategies) trait Slots {
    /// The moves of all slots.
    type Moves: Copy;
    /// The clocks of all slots.
    type Clocks: Copy;
    /// The least key.
    type Least: Copy;

    /// Fills the slots.
    ///
    /// # Safety
    /// The processor has the extension.
    unsafe fn load(moves: &[u32; SLOTS], clocks: &[f32; SLOTS]) -> (Self::Moves, Self::Clocks);

    /// The least key of all slots (at least [`NEVER`] if no slot is in use).
    ///
    /// # Safety
    /// The processor has the extension.
    unsafe fn least(clocks: Self::Clocks) -> Self::Least;

    /// A key as the least one.
    ///
    /// # Safety
    /// The processor has the extension.
    unsafe fn splat(key: u32) -> Self::Least;

    /// The key of the same slot with a clock of zero: played with it, a move takes no time from the others.
    ///
    /// # Safety
    /// The processor has the extension.
    unsafe fn at_once(least: Self::Least) -> Self::Least;

    /// The least key as a number.
    ///
    /// # Safety
    /// The processor has the extension.
    unsafe fn read(least: Self::Least) -> u32;

    /// The lesser of `least` and the key of a move put into `slot`.
    ///
    /// # Safety
    /// The processor has the extension.
    unsafe fn lower(least: Self::Least, slot: u32, clock: f32) -> Self::Least;

    /// Plays the move of the least key, whose bits are `bits`: takes out what collides with it, itself among that,
    /// and subtracts its time from the clocks of the others. `live` has the bits of the slots in use. Returns the
    /// bits of the slots that collide, among which may be unused ones, and the least key that is left.
    ///
    /// # Safety
    /// The processor has the extension.
    unsafe fn settle<R: Rules>(
        moves: Self::Moves,
        clocks: &mut Self::Clocks,
        live: u32,
        least: Self::Least,
        bits: u32,
    ) -> (u32, Self::Least);

    /// The clocks of all slots, to be read one by one.
    ///
    /// # Safety
    /// The processor has the extension.
    unsafe fn store(clocks: Self::Clocks) -> [f32; SLOTS];

    /// Puts a move and its clock into a slot.
    ///
    /// # Safety
    /// The processor has the extension.
    unsafe fn put(moves: &mut Self::Moves, clocks: &mut Self::Clocks, slot: u32, bits: u32, clock: f32);
}

impl Slots for PlainVectors {
    type Moves = [u32; SLOTS];
    type Clocks = [f32; SLOTS];
    type Least = u32;

    #[inline(always)]
    unsafe fn load(moves: &[u32; SLOTS], clocks: &[f32; SLOTS]) -> (Self::Moves, Self::Clocks) {
        (*moves, *clocks)
    }

    #[inline(always)]
    unsafe fn least(clocks: Self::Clocks) -> u32 {
        (0..SLOTS as u32).fold(u32::MAX, |least, slot| least.min(key(clocks[slot as usize], slot)))
    }

    #[inline(always)]
    unsafe fn splat(key: u32) -> u32 {
        key
    }

    #[inline(always)]
    unsafe fn at_once(least: u32) -> u32 {
        least & (SLOTS as u32 - 1)
    }

    #[inline(always)]
    unsafe fn read(least: u32) -> u32 {
        least
    }

    #[inline(always)]
    unsafe fn lower(least: u32, slot: u32, clock: f32) -> u32 {
        least.min(key(clock, slot))
    }

    #[inline(always)]
    unsafe fn settle<R: Rules>(
        moves: Self::Moves,
        clocks: &mut Self::Clocks,
        live: u32,
        least: u32,
        bits: u32,
    ) -> (u32, u32) {
        // All slots alike, which a compiler makes vectors of; then the few live ones. Their bits suffice to tell them
        // from the others: nothing is gained by making a clock infinite here.
        let (collision, elapsed) = (Collision::of::<R>(bits), unpack(least).0);
        let mut hits = 0;
        for slot in 0..SLOTS {
            hits |= u32::from(collision.hits(moves[slot])) << slot;
            clocks[slot] -= elapsed;
        }
        let (mut left, mut least) = (live & !hits, NEVER);
        while left != 0 {
            let slot = left.trailing_zeros();
            left &= left - 1;
            least = least.min(key(clocks[slot as usize & (SLOTS - 1)], slot));
        }
        (hits, least)
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
    use super::{Collision, HIGH, SLOTS, Slots, key, reach, span, unpack};
    use crate::morpion::variant::Rules;
    use crate::strategies::vector::extension::{Avx2Vectors, Avx512Vectors};
    use std::arch::x86_64::*;

    /// The keys of sixteen clocks, the first of slot `first`.
    ///
    /// # Safety
    /// The processor has AVX-512.
    #[inline(always)]
    unsafe fn keys16(clocks: __m512, first: i32) -> __m512i {
        // SAFETY: the caller runs with AVX-512.
        unsafe {
            let slots = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let slots = _mm512_add_epi32(slots, _mm512_set1_epi32(first));
            // (clock & high) | slot.
            let high = _mm512_set1_epi32(!(SLOTS as i32 - 1));
            _mm512_ternarylogic_epi32::<0xF8>(slots, _mm512_castps_si512(clocks), high)
        }
    }

    /// The least of sixteen keys, in every lane.
    ///
    /// # Safety
    /// The processor has AVX-512.
    #[inline(always)]
    unsafe fn least16(keys: __m512i) -> __m512i {
        // SAFETY: the caller runs with AVX-512.
        unsafe {
            let keys = _mm512_min_epu32(keys, _mm512_shuffle_i32x4::<0b01_00_11_10>(keys, keys));
            let keys = _mm512_min_epu32(keys, _mm512_shuffle_i32x4::<0b10_11_00_01>(keys, keys));
            let keys = _mm512_min_epu32(keys, _mm512_shuffle_epi32::<0b01_00_11_10>(keys));
            _mm512_min_epu32(keys, _mm512_shuffle_epi32::<0b10_11_00_01>(keys))
        }
    }

    /// Sixteen slots after a move: which do not collide with it, and their clocks, infinite for the others.
    ///
    /// # Safety
    /// The processor has AVX-512.
    #[inline(always)]
    unsafe fn settle16<R: Rules>(
        moves: __m512i,
        clocks: __m512,
        played: __m512i,
        base: __m512i,
        elapsed: __m512,
    ) -> (u16, __m512) {
        // SAFETY: the caller runs with AVX-512.
        unsafe {
            // A point has 12 bits: above them, another point is more than any span, and one comparison serves for
            // both.
            let point = _mm512_slli_epi32::<20>(_mm512_xor_si512(moves, played));
            let apart = _mm512_min_epu32(point, _mm512_sub_epi32(moves, base));
            let kept = _mm512_cmpge_epu32_mask(apart, _mm512_set1_epi32(span::<R>() as i32));
            let left = _mm512_sub_ps(clocks, elapsed);
            (kept, _mm512_mask_mov_ps(_mm512_set1_ps(f32::INFINITY), kept, left))
        }
    }

    /// Two registers of sixteen slots.
    impl Slots for Avx512Vectors {
        type Moves = [__m512i; 2];
        type Clocks = [__m512; 2];
        /// In every lane, so that it can be used as it is.
        type Least = __m512i;

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
        unsafe fn least(clocks: Self::Clocks) -> __m512i {
            // SAFETY: the caller's promise.
            unsafe { least16(_mm512_min_epu32(keys16(clocks[0], 0), keys16(clocks[1], 16))) }
        }

        #[inline(always)]
        unsafe fn splat(key: u32) -> __m512i {
            // SAFETY: the caller's promise.
            unsafe { _mm512_set1_epi32(key as i32) }
        }

        #[inline(always)]
        unsafe fn at_once(least: __m512i) -> __m512i {
            // SAFETY: the caller's promise.
            unsafe { _mm512_and_si512(least, _mm512_set1_epi32(SLOTS as i32 - 1)) }
        }

        #[inline(always)]
        unsafe fn read(least: __m512i) -> u32 {
            // SAFETY: the caller's promise.
            unsafe { _mm512_cvtsi512_si32(least) as u32 }
        }

        #[inline(always)]
        unsafe fn lower(least: __m512i, slot: u32, clock: f32) -> __m512i {
            // SAFETY: the caller's promise.
            unsafe {
                let high = _mm512_set1_epi32(!(SLOTS as i32 - 1));
                let (slot, clock) = (_mm512_set1_epi32(slot as i32), _mm512_set1_ps(clock));
                let key = _mm512_ternarylogic_epi32::<0xF8>(slot, _mm512_castps_si512(clock), high);
                _mm512_min_epu32(least, key)
            }
        }

        /// The chain from one least key to the next is what a playout's time consists of. It stays in vectors: the
        /// key's low five bits are the index by which the played move is picked.
        #[inline(always)]
        unsafe fn settle<R: Rules>(
            moves: Self::Moves,
            clocks: &mut Self::Clocks,
            live: u32,
            least: __m512i,
            _bits: u32,
        ) -> (u32, __m512i) {
            // SAFETY: the caller's promise.
            unsafe {
                let played = _mm512_permutex2var_epi32(moves[0], least, moves[1]);
                let elapsed = _mm512_and_si512(least, _mm512_set1_epi32(!(SLOTS as i32 - 1)));
                let elapsed = _mm512_castsi512_ps(elapsed);
                let line = _mm512_and_si512(played, _mm512_set1_epi32(HIGH as i32));
                let base = _mm512_sub_epi32(line, _mm512_set1_epi32(reach::<R>() as i32));
                let (kept, left) = settle16::<R>(moves[0], clocks[0], played, base, elapsed);
                clocks[0] = left;
                let lower = keys16(left, 0);
                if live >> 16 == 0 {
                    return (u32::from(!kept), least16(lower));
                }
                let (upper_kept, left) = settle16::<R>(moves[1], clocks[1], played, base, elapsed);
                clocks[1] = left;
                let upper = keys16(left, 16);
                (!(u32::from(kept) | u32::from(upper_kept) << 16), least16(_mm512_min_epu32(lower, upper)))
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
    ///
    /// # Safety
    /// The processor has AVX2.
    #[inline(always)]
    unsafe fn lanes(bits: u32) -> __m256 {
        // SAFETY: the caller runs with AVX2.
        unsafe {
            let one = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let set = _mm256_and_si256(_mm256_set1_epi32(bits as i32), one);
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, one))
        }
    }

    /// The clocks of eight slots after a move, infinite where it collides, and which do as bits.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[inline(always)]
    unsafe fn settle8(moves: __m256i, clocks: &mut __m256, collision: Collision, elapsed: __m256) -> u32 {
        // SAFETY: the caller runs with AVX2.
        unsafe {
            let point = _mm256_set1_epi32(collision.point as i32);
            let same = _mm256_cmpeq_epi32(_mm256_and_si256(moves, _mm256_set1_epi32(0xFFFF)), point);
            let above = _mm256_sub_epi32(moves, _mm256_set1_epi32(collision.base as i32));
            let span = _mm256_set1_epi32(collision.span as i32);
            let far = _mm256_cmpeq_epi32(_mm256_max_epu32(above, span), above);
            // Kept: far, and not the same point.
            let kept = _mm256_castsi256_ps(_mm256_andnot_si256(same, far));
            *clocks = _mm256_blendv_ps(_mm256_set1_ps(f32::INFINITY), _mm256_sub_ps(*clocks, elapsed), kept);
            !_mm256_movemask_ps(kept) as u32 & 0xFF
        }
    }

    /// The keys of eight clocks, the first of slot `first`.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[inline(always)]
    unsafe fn keys(clocks: __m256, first: i32) -> __m256i {
        // SAFETY: the caller runs with AVX2.
        unsafe {
            let slots = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(first));
            let high = _mm256_and_si256(_mm256_castps_si256(clocks), _mm256_set1_epi32(!(SLOTS as i32 - 1)));
            _mm256_or_si256(high, slots)
        }
    }

    /// The least of eight keys.
    ///
    /// # Safety
    /// The processor has AVX2.
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
    ///
    /// # Safety
    /// The processor has AVX2.
    #[inline(always)]
    unsafe fn place(moves: &mut __m256i, clocks: &mut __m256, chosen: __m256, bits: __m256, clock: __m256) {
        // SAFETY: the caller runs with AVX2.
        unsafe {
            *moves = _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(*moves), bits, chosen));
            *clocks = _mm256_blendv_ps(*clocks, clock, chosen);
        }
    }

    /// Four registers of eight slots.
    impl Slots for Avx2Vectors {
        type Moves = [__m256i; 4];
        type Clocks = [__m256; 4];
        type Least = u32;

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
        unsafe fn least(clocks: Self::Clocks) -> u32 {
            // SAFETY: the caller's promise.
            unsafe {
                let lower = _mm256_min_epu32(keys(clocks[0], 0), keys(clocks[1], 8));
                least(_mm256_min_epu32(lower, _mm256_min_epu32(keys(clocks[2], 16), keys(clocks[3], 24))))
            }
        }

        #[inline(always)]
        unsafe fn splat(key: u32) -> u32 {
            key
        }

        #[inline(always)]
        unsafe fn at_once(least: u32) -> u32 {
            least & (SLOTS as u32 - 1)
        }

        #[inline(always)]
        unsafe fn read(least: u32) -> u32 {
            least
        }

        #[inline(always)]
        unsafe fn lower(least: u32, slot: u32, clock: f32) -> u32 {
            least.min(key(clock, slot))
        }

        #[inline(always)]
        unsafe fn settle<R: Rules>(
            moves: Self::Moves,
            clocks: &mut Self::Clocks,
            live: u32,
            soonest: u32,
            bits: u32,
        ) -> (u32, u32) {
            // SAFETY: the caller's promise.
            unsafe {
                let collision = Collision::of::<R>(bits);
                let elapsed = _mm256_set1_ps(unpack(soonest).0);
                let mut hits = settle8(moves[0], &mut clocks[0], collision, elapsed);
                hits |= settle8(moves[1], &mut clocks[1], collision, elapsed) << 8;
                let lower = _mm256_min_epu32(keys(clocks[0], 0), keys(clocks[1], 8));
                if live >> 16 == 0 {
                    return (hits, least(lower));
                }
                hits |= settle8(moves[2], &mut clocks[2], collision, elapsed) << 16;
                hits |= settle8(moves[3], &mut clocks[3], collision, elapsed) << 24;
                let upper = _mm256_min_epu32(keys(clocks[2], 16), keys(clocks[3], 24));
                (hits, least(_mm256_min_epu32(lower, upper)))
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
