//! The one list operation that a compiler does not vectorise by itself, for three instruction sets.
//!
//! All give the same result: order is kept, the smallest index wins a tie, and each clock undergoes one
//! subtraction. [`Isa`] is chosen once per search at run time ([`detect`]); the playout is compiled once per
//! instruction set around it.

/// Room of the move list: the largest number of legal moves of any position, and slack for whole vectors.
pub(super) const ROOM: usize = crate::morpion::position::MAX_LEGAL + 35;

/// A list of legal moves ([`crate::morpion::geometry::Move::bits`]) with their clocks.
#[repr(C, align(64))]
pub(super) struct List {
    pub moves: [u32; ROOM],
    pub clocks: [f32; ROOM],
    pub len: usize,
}

impl List {
    pub fn boxed() -> Box<List> {
        Box::new(List { moves: [0; ROOM], clocks: [0.0; ROOM], len: 0 })
    }
}

/// What collides with a played move, as bit patterns: a move with point `point`, or one whose bits lie less than
/// `span` above `base` (a line of the same track nearer than a line's cells).
#[derive(Clone, Copy)]
pub(super) struct Collision {
    pub point: u32,
    pub base: u32,
    pub span: u32,
}

impl Collision {
    #[inline(always)]
    pub fn of<R: crate::morpion::variant::Rules>(bits: u32) -> Collision {
        let reach = R::BLOCKED as u32 - 1;
        // Starts are below 60 - LEN + 1, so reach steps up or down never meet a line of another track.
        Collision {
            point: bits & 0xFFFF,
            base: ((bits >> 16).wrapping_sub(reach)) << 16,
            span: (2 * reach + 1) << 16,
        }
    }

    #[inline(always)]
    fn hits(self, mv: u32) -> bool {
        mv & 0xFFFF == self.point || mv.wrapping_sub(self.base) < self.span
    }
}

/// The smallest clock of a list.
#[derive(Clone, Copy)]
pub(super) struct Least {
    pub clock: f32,
    pub index: usize,
}

/// An instruction set.
pub(super) trait Isa {
    /// Removes what collides, subtracts `elapsed` from the remaining clocks and finds the least of them
    /// (infinity at index 0 if none remains).
    ///
    /// # Safety
    /// The processor has the instruction set, and `list.len <= ROOM - 32`.
    unsafe fn settle(list: &mut List, hit: Collision, elapsed: f32) -> Least;
}

/// Plain Rust.
pub(super) struct Scalar;

impl Isa for Scalar {
    #[inline(always)]
    unsafe fn settle(list: &mut List, hit: Collision, elapsed: f32) -> Least {
        let mut kept = 0;
        let mut least = Least { clock: f32::INFINITY, index: 0 };
        for i in 0..list.len.min(ROOM) {
            let mv = list.moves[i];
            if hit.hits(mv) {
                continue;
            }
            let clock = list.clocks[i] - elapsed;
            list.moves[kept] = mv;
            list.clocks[kept] = clock;
            if clock < least.clock {
                least = Least { clock, index: kept };
            }
            kept += 1;
        }
        list.len = kept;
        least
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Collision, Isa, Least, List};
    use std::arch::x86_64::*;

    /// AVX-512 F, VL, BW: sixteen entries at a time, removal by compression.
    pub struct Avx512;

    impl Isa for Avx512 {
        #[inline(always)]
        unsafe fn settle(list: &mut List, hit: Collision, elapsed: f32) -> Least {
            // SAFETY: the caller has checked the instruction set; every access lies within `len` rounded up to a
            // vector, which the arrays have room for.
            unsafe {
                let (moves, clocks) = (list.moves.as_mut_ptr(), list.clocks.as_mut_ptr());
                let (point, low) = (_mm512_set1_epi32(hit.point as i32), _mm512_set1_epi32(0xFFFF));
                let (base, span) = (_mm512_set1_epi32(hit.base as i32), _mm512_set1_epi32(hit.span as i32));
                let (elapsed, never) = (_mm512_set1_ps(elapsed), _mm512_set1_ps(f32::INFINITY));
                let len = list.len;
                let (mut kept, mut i) = (0, 0);
                let mut least = Least { clock: f32::INFINITY, index: 0 };
                while i < len {
                    let m = _mm512_loadu_si512(moves.add(i).cast());
                    let c = _mm512_loadu_ps(clocks.add(i));
                    let valid = _bzhi_u32(0xFFFF, (len - i) as u32) as u16;
                    let apart = _mm512_test_epi32_mask(_mm512_xor_si512(m, point), low);
                    let clear = _mm512_cmpge_epu32_mask(_mm512_sub_epi32(m, base), span);
                    let keep = apart & clear & valid;
                    let c = _mm512_mask_compress_ps(never, keep, _mm512_sub_ps(c, elapsed));
                    _mm512_storeu_si512(moves.add(kept).cast(), _mm512_maskz_compress_epi32(keep, m));
                    _mm512_storeu_ps(clocks.add(kept), c);
                    let first = _mm512_reduce_min_ps(c);
                    if first < least.clock {
                        let at = _mm512_cmpeq_ps_mask(c, _mm512_set1_ps(first)).trailing_zeros() as usize;
                        least = Least { clock: first, index: kept + at };
                    }
                    kept += keep.count_ones() as usize;
                    i += 16;
                }
                list.len = kept;
                least
            }
        }
    }

    /// AVX2 and BMI2: eight entries at a time, removal by a table of permutations.
    pub struct Avx2;

    /// Row `m`: the positions of the set bits of `m`, then anything.
    static COMPRESS: [[u32; 8]; 256] = {
        let mut table = [[0; 8]; 256];
        let mut mask = 0;
        while mask < 256 {
            let (mut bit, mut at) = (0, 0);
            while bit < 8 {
                if mask >> bit & 1 == 1 {
                    table[mask][at] = bit;
                    at += 1;
                }
                bit += 1;
            }
            mask += 1;
        }
        table
    };

    /// Which of eight moves collide, as bits.
    #[inline(always)]
    unsafe fn hits(m: __m256i, hit: Collision) -> u32 {
        // SAFETY: the caller runs with AVX2.
        unsafe {
            let same = _mm256_cmpeq_epi32(
                _mm256_and_si256(m, _mm256_set1_epi32(0xFFFF)),
                _mm256_set1_epi32(hit.point as i32),
            );
            let above = _mm256_sub_epi32(m, _mm256_set1_epi32(hit.base as i32));
            // Unsigned above < span, that is above <= span - 1.
            let last = _mm256_set1_epi32(hit.span as i32 - 1);
            let near = _mm256_cmpeq_epi32(_mm256_min_epu32(above, last), above);
            _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_or_si256(same, near))) as u32
        }
    }

    impl Isa for Avx2 {
        #[inline(always)]
        unsafe fn settle(list: &mut List, hit: Collision, elapsed: f32) -> Least {
            // SAFETY: the caller has checked the instruction set; every access lies within `len` rounded up to a
            // vector, which the arrays have room for.
            unsafe {
                let (moves, clocks) = (list.moves.as_mut_ptr(), list.clocks.as_mut_ptr());
                let elapsed = _mm256_set1_ps(elapsed);
                let never = _mm256_set1_ps(f32::INFINITY);
                let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
                let len = list.len;
                let (mut kept, mut i) = (0, 0);
                let mut least = Least { clock: f32::INFINITY, index: 0 };
                while i < len {
                    let m = _mm256_loadu_si256(moves.add(i).cast());
                    let c = _mm256_sub_ps(_mm256_loadu_ps(clocks.add(i)), elapsed);
                    let valid = _bzhi_u32(0xFF, (len - i) as u32);
                    let keep = !hits(m, hit) & valid;
                    let order = _mm256_loadu_si256(COMPRESS[keep as usize].as_ptr().cast());
                    let count = keep.count_ones();
                    let inside = _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), lanes);
                    let c = _mm256_blendv_ps(never, _mm256_permutevar8x32_ps(c, order), _mm256_castsi256_ps(inside));
                    _mm256_storeu_si256(moves.add(kept).cast(), _mm256_permutevar8x32_epi32(m, order));
                    _mm256_storeu_ps(clocks.add(kept), c);
                    let half = _mm_min_ps(_mm256_castps256_ps128(c), _mm256_extractf128_ps::<1>(c));
                    let pair = _mm_min_ps(half, _mm_movehl_ps(half, half));
                    let first = _mm_cvtss_f32(_mm_min_ss(pair, _mm_movehdup_ps(pair)));
                    if first < least.clock {
                        let equal = _mm256_cmp_ps::<_CMP_EQ_OQ>(c, _mm256_set1_ps(first));
                        let at = _mm256_movemask_ps(equal).trailing_zeros() as usize;
                        least = Least { clock: first, index: kept + at };
                    }
                    kept += count as usize;
                    i += 8;
                }
                list.len = kept;
                least
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
