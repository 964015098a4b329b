//! The legal moves of a playout in vector registers, for three instruction sets.
//!
//! Thirty-two *slots* hold a move and its clock each; a bit mask says which are live. Taking moves out is clearing
//! bits, so nothing is shifted or stored, and a step's work on the whole list is a handful of vector instructions.
//! The mean number of legal moves in a good game is about nine, and games of 5T and 5D that hold more than 32 at a
//! time are rare; what does not fit waits in a plain list (see `playout`).
//!
//! All instruction sets give the same result: each clock undergoes the same subtractions, and the lowest slot wins
//! a tie. No closure takes part: one would be compiled without the instruction set. [`detect`] chooses once per search; the playout is compiled once per instruction set around [`Isa`].

use crate::morpion::variant::Rules;

/// Slots in registers.
pub(super) const SLOTS: usize = 32;

/// What collides with a played move, as bit patterns: a move with point `point`, or one whose bits lie less than
/// `span` above `base` (a line of the same track nearer than a line's cells).
#[derive(Clone, Copy)]
pub(super) struct Collision {
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

/// An instruction set.
///
/// # Safety
/// Every function may only be called on a processor that has the instruction set.
pub(super) trait Isa {
    /// The moves of all slots.
    type Moves: Copy;
    /// The clocks of all slots.
    type Clocks: Copy;

    /// Fills the slots.
    unsafe fn load(moves: &[u32; SLOTS], clocks: &[f32; SLOTS]) -> (Self::Moves, Self::Clocks);

    /// Subtracts `elapsed` from the clocks of the `live` slots and finds those that do not collide. Returns them as
    /// bits, the least clock among them (infinity if there is none) and the lowest slot that has it.
    unsafe fn settle(
        moves: Self::Moves,
        clocks: &mut Self::Clocks,
        live: u32,
        collision: Collision,
        elapsed: f32,
    ) -> (u32, f32, u32);

    /// Puts a move and its clock into a slot.
    unsafe fn put(moves: &mut Self::Moves, clocks: &mut Self::Clocks, slot: u32, bits: u32, clock: f32);
}

/// Plain Rust.
pub(super) struct Scalar;

impl Isa for Scalar {
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
    ) -> (u32, f32, u32) {
        // All slots alike, which a compiler makes vectors of; then the few live ones.
        let mut lost = 0;
        for slot in 0..SLOTS {
            lost |= u32::from(collision.hits(moves[slot])) << slot;
            clocks[slot] -= elapsed;
        }
        let keep = live & !lost;
        live = keep;
        let (mut least, mut at) = (f32::INFINITY, 0);
        while live != 0 {
            let slot = live.trailing_zeros();
            live &= live - 1;
            let clock = clocks[slot as usize & (SLOTS - 1)];
            if clock < least {
                (least, at) = (clock, slot);
            }
        }
        (keep, least, at)
    }

    #[inline(always)]
    unsafe fn put(moves: &mut Self::Moves, clocks: &mut Self::Clocks, slot: u32, bits: u32, clock: f32) {
        moves[slot as usize & (SLOTS - 1)] = bits;
        clocks[slot as usize & (SLOTS - 1)] = clock;
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Collision, Isa, SLOTS};
    use std::arch::x86_64::*;

    /// AVX-512 F, VL, BW, DQ: two registers of sixteen slots.
    pub struct Avx512;

    impl Isa for Avx512 {
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
        ) -> (u32, f32, u32) {
            // SAFETY: the caller's promise.
            unsafe {
                let (point, low) = (_mm512_set1_epi32(collision.point as i32), _mm512_set1_epi32(0xFFFF));
                let base = _mm512_set1_epi32(collision.base as i32);
                let span = _mm512_set1_epi32(collision.span as i32);
                let elapsed = _mm512_set1_ps(elapsed);
                let never = _mm512_set1_ps(f32::INFINITY);
                let apart = _mm512_test_epi32_mask(_mm512_xor_si512(moves[0], point), low);
                let clear = _mm512_cmpge_epu32_mask(_mm512_sub_epi32(moves[0], base), span);
                let keep = apart & clear & live as u16;
                clocks[0] = _mm512_sub_ps(clocks[0], elapsed);
                let lower = _mm512_mask_mov_ps(never, keep, clocks[0]);
                if live >> 16 == 0 {
                    let least = _mm512_reduce_min_ps(lower);
                    let at = u32::from(_mm512_cmpeq_ps_mask(lower, _mm512_set1_ps(least)));
                    return (u32::from(keep), least, at.trailing_zeros());
                }
                let apart = _mm512_test_epi32_mask(_mm512_xor_si512(moves[1], point), low);
                let clear = _mm512_cmpge_epu32_mask(_mm512_sub_epi32(moves[1], base), span);
                let keep = u32::from(keep) | u32::from(apart & clear & (live >> 16) as u16) << 16;
                clocks[1] = _mm512_sub_ps(clocks[1], elapsed);
                let upper = _mm512_mask_mov_ps(never, (keep >> 16) as u16, clocks[1]);
                let least = _mm512_reduce_min_ps(_mm512_min_ps(lower, upper));
                let all = _mm512_set1_ps(least);
                let at =
                    u32::from(_mm512_cmpeq_ps_mask(lower, all)) | u32::from(_mm512_cmpeq_ps_mask(upper, all)) << 16;
                (keep, least, at.trailing_zeros())
            }
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

    /// AVX2 and BMI2: four registers of eight slots.
    pub struct Avx2;

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

    /// The clocks of the lanes in `keep` (its lowest eight bits), infinity in the others.
    #[inline(always)]
    unsafe fn only(clocks: __m256, keep: u32) -> __m256 {
        // SAFETY: the caller runs with AVX2.
        unsafe { _mm256_blendv_ps(_mm256_set1_ps(f32::INFINITY), clocks, lanes(keep)) }
    }

    /// The least of eight clocks, in all lanes.
    #[inline(always)]
    unsafe fn least_of(eight: __m256) -> __m256 {
        // SAFETY: the caller runs with AVX2.
        unsafe {
            let four = _mm_min_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
            let two = _mm_min_ps(four, _mm_movehl_ps(four, four));
            _mm256_broadcastss_ps(_mm_min_ss(two, _mm_movehdup_ps(two)))
        }
    }

    /// Which of eight clocks are equal, as bits.
    #[inline(always)]
    unsafe fn equal(a: __m256, b: __m256) -> u32 {
        // SAFETY: the caller runs with AVX2.
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b)) as u32 }
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

    impl Isa for Avx2 {
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
        ) -> (u32, f32, u32) {
            // SAFETY: the caller's promise.
            unsafe {
                let elapsed = _mm256_set1_ps(elapsed);
                let keep = !(hits_of(moves[0], collision) | hits_of(moves[1], collision) << 8) & live;
                clocks[0] = _mm256_sub_ps(clocks[0], elapsed);
                clocks[1] = _mm256_sub_ps(clocks[1], elapsed);
                let a = only(clocks[0], keep);
                let b = only(clocks[1], keep >> 8);
                if live >> 16 == 0 {
                    let least = least_of(_mm256_min_ps(a, b));
                    let at = equal(a, least) | equal(b, least) << 8;
                    return (keep, _mm256_cvtss_f32(least), at.trailing_zeros());
                }
                let lost = hits_of(moves[2], collision) << 16 | hits_of(moves[3], collision) << 24;
                let keep = keep & !lost;
                clocks[2] = _mm256_sub_ps(clocks[2], elapsed);
                clocks[3] = _mm256_sub_ps(clocks[3], elapsed);
                let c = only(clocks[2], keep >> 16);
                let d = only(clocks[3], keep >> 24);
                let least = least_of(_mm256_min_ps(_mm256_min_ps(a, b), _mm256_min_ps(c, d)));
                let at = equal(a, least) | equal(b, least) << 8 | equal(c, least) << 16 | equal(d, least) << 24;
                (keep, _mm256_cvtss_f32(least), at.trailing_zeros())
            }
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

/// The instruction sets a search can be compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Plain Rust.
    Scalar,
    /// AVX2, BMI1, BMI2, POPCNT, LZCNT.
    Avx2,
    /// AVX-512 F, VL, BW, DQ beside the former.
    Avx512,
}

impl Level {
    /// Whether this processor has it.
    pub fn available(self) -> bool {
        match self {
            Level::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("popcnt")
                    && is_x86_feature_detected!("lzcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                Level::Avx2.available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }
}

/// The best instruction set of this processor.
pub fn detect() -> Level {
    [Level::Avx512, Level::Avx2].into_iter().find(|l| l.available()).unwrap_or(Level::Scalar)
}
