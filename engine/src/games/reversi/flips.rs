//! Which discs a move flips, and which moves are legal, for several instruction sets.
//!
//! Flips: along each ray from the new disc the first cell that holds no enemy disc is the lowest (or highest) set bit
//! of a masked word; if an own disc is there, all between is flipped. Legal moves: runs of enemy discs are grown from
//! the own ones by doubling steps (the Kogge-Stone fill of chess programs). AVX2 and AVX-512 do four directions at a
//! time; all give the same bits. The instruction set is a type, so that it is chosen once per search.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Columns and rows that a step along each of the four directions goes, towards higher bits.
const STEPS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];
/// The same as distances between bits.
const SHIFTS: [u32; 4] = [1, 8, 9, 7];
/// Enemy discs in the first and last column end every row but a vertical one.
const INNER: [u64; 4] = [0x7E7E_7E7E_7E7E_7E7E, u64::MAX, 0x7E7E_7E7E_7E7E_7E7E, 0x7E7E_7E7E_7E7E_7E7E];

/// The rays from a cell: towards higher bits, then towards lower ones, in the order of [`STEPS`].
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Rays([[u64; 4]; 2]);

static RAYS: [Rays; 64] = rays();

const fn rays() -> [Rays; 64] {
    let mut all = [Rays([[0; 4]; 2]); 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (dx, dy) = STEPS[direction % 4];
            let sign = if direction < 4 { 1 } else { -1 };
            let (mut x, mut y) = (square as i32 % 8 + sign * dx, square as i32 / 8 + sign * dy);
            while x >= 0 && x < 8 && y >= 0 && y < 8 {
                all[square].0[direction / 4][direction % 4] |= 1 << (8 * y + x);
                x += sign * dx;
                y += sign * dy;
            }
            direction += 1;
        }
        square += 1;
    }
    all
}

/// An instruction set. Having a value of the type proves that the processor has it.
pub trait Instructions: Copy + Send + Sync + 'static {
    /// The enemy discs that an own disc put on the empty cell `square` (0 to 63) flips.
    fn flips(self, own: u64, enemy: u64, square: u8) -> u64;

    /// The cells where an own disc flips something; the caller takes those outside its board away.
    fn moves(self, own: u64, enemy: u64) -> u64;
}

/// Code for any processor.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plain;

impl Instructions for Plain {
    #[inline(always)]
    fn flips(self, own: u64, enemy: u64, square: u8) -> u64 {
        let [up, down] = RAYS[square as usize & 63].0;
        let mut flips = 0;
        for ray in up {
            let open = !enemy & ray;
            let end = open & open.wrapping_neg() & own;
            flips |= ray & end.wrapping_sub(u64::from(end != 0));
        }
        for ray in down {
            let open = !enemy & ray;
            // With no end at all the lowest bit is looked at, which is not an own disc or not on the ray.
            let end = (1 << 63 >> (open | 1).leading_zeros()) & own & ray;
            flips |= ray & (end << 1).wrapping_neg();
        }
        flips
    }

    #[inline(always)]
    fn moves(self, own: u64, enemy: u64) -> u64 {
        let mut moves = 0;
        for (shift, inner) in SHIFTS.into_iter().zip(INNER) {
            let run = enemy & inner;
            let mut up = run & own << shift;
            let mut down = run & own >> shift;
            up |= run & up << shift;
            down |= run & down >> shift;
            let (runs_up, runs_down) = (run & run << shift, run & run >> shift);
            for _ in 0..2 {
                up |= runs_up & up << (2 * shift);
                down |= runs_down & down >> (2 * shift);
            }
            moves |= up << shift | down >> shift;
        }
        moves & !(own | enemy)
    }
}

/// Code for AVX2.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
pub struct Avx2(());

/// Code for AVX-512 with leading zero counts (VL and CD).
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
pub struct Avx512(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// The proof that this processor has AVX2, BMI1, BMI2, POPCNT and LZCNT, if it has.
    pub fn detect() -> Option<Avx2> {
        use std::arch::is_x86_feature_detected as has;
        let all = has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt") && has!("lzcnt");
        all.then_some(Avx2(()))
    }
}

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    /// The proof that this processor has AVX-512 F, VL and CD beside what [`Avx2`] has, if it has.
    pub fn detect() -> Option<Avx512> {
        use std::arch::is_x86_feature_detected as has;
        let all = has!("avx512f") && has!("avx512vl") && has!("avx512cd");
        (all && Avx2::detect().is_some()).then_some(Avx512(()))
    }
}

#[cfg(target_arch = "x86_64")]
impl Instructions for Avx2 {
    #[inline(always)]
    fn flips(self, own: u64, enemy: u64, square: u8) -> u64 {
        // SAFETY: a value of this type exists only where `detect` has asked the processor.
        unsafe { flips_avx2(own, enemy, square) }
    }

    #[inline(always)]
    fn moves(self, own: u64, enemy: u64) -> u64 {
        // SAFETY: as above.
        unsafe { moves_avx2(own, enemy) }
    }
}

#[cfg(target_arch = "x86_64")]
impl Instructions for Avx512 {
    #[inline(always)]
    fn flips(self, own: u64, enemy: u64, square: u8) -> u64 {
        // SAFETY: a value of this type exists only where `detect` has asked the processor.
        unsafe { flips_avx512(own, enemy, square) }
    }

    #[inline(always)]
    fn moves(self, own: u64, enemy: u64) -> u64 {
        // SAFETY: as above; AVX-512 comes with AVX2 there.
        unsafe { moves_avx2(own, enemy) }
    }
}

/// # Safety
/// The processor has these instructions.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn lanes(words: &[u64; 4]) -> __m256i {
    // SAFETY: 32 bytes are read from a reference to 32 bytes, without regard to alignment.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

/// # Safety
/// The processor has these instructions.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn any_lane(words: __m256i) -> u64 {
    let halves = _mm_or_si128(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
    _mm_cvtsi128_si64(_mm_or_si128(halves, _mm_unpackhi_epi64(halves, halves))) as u64
}

/// # Safety
/// The processor has these instructions.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn flips_up(own: __m256i, enemy: __m256i, ray: __m256i) -> __m256i {
    let zero = _mm256_setzero_si256();
    let open = _mm256_andnot_si256(enemy, ray);
    let end = _mm256_and_si256(_mm256_and_si256(open, _mm256_sub_epi64(zero, open)), own);
    // One less where there is an end: the comparison gives 0 there and -1 elsewhere.
    let none = _mm256_cmpeq_epi64(end, zero);
    let below = _mm256_add_epi64(end, _mm256_set1_epi64x(-1));
    _mm256_and_si256(ray, _mm256_andnot_si256(none, below))
}

/// # Safety
/// The processor has these instructions.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn flips_avx2(own: u64, enemy: u64, square: u8) -> u64 {
    let (zero, shift) = (_mm256_setzero_si256(), lanes(&SHIFTS.map(u64::from)));
    let rays = &RAYS[square as usize & 63].0;
    let (own, enemy) = (_mm256_set1_epi64x(own as i64), _mm256_set1_epi64x(enemy as i64));
    let up = flips_up(own, enemy, lanes(&rays[0]));
    // Downwards the highest open bit is wanted: smear all of them down the ray and take what is only in the first.
    let ray = lanes(&rays[1]);
    let open = _mm256_andnot_si256(enemy, ray);
    let twice = _mm256_add_epi64(shift, shift);
    let mut below = _mm256_srlv_epi64(open, shift);
    below = _mm256_or_si256(below, _mm256_srlv_epi64(below, shift));
    below = _mm256_or_si256(below, _mm256_srlv_epi64(below, twice));
    below = _mm256_or_si256(below, _mm256_srlv_epi64(below, _mm256_add_epi64(twice, twice)));
    let end = _mm256_and_si256(_mm256_andnot_si256(below, open), own);
    let down = _mm256_and_si256(ray, _mm256_sub_epi64(zero, _mm256_add_epi64(end, end)));
    any_lane(_mm256_or_si256(up, down))
}

/// # Safety
/// The processor has these instructions.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512cd,avx2,bmi1,bmi2,popcnt,lzcnt")]
fn flips_avx512(own: u64, enemy: u64, square: u8) -> u64 {
    let rays = &RAYS[square as usize & 63].0;
    let (own, enemy) = (_mm256_set1_epi64x(own as i64), _mm256_set1_epi64x(enemy as i64));
    let zero = _mm256_setzero_si256();
    let ray = lanes(&rays[0]);
    let open = _mm256_andnot_si256(enemy, ray);
    let lowest = _mm256_and_si256(open, _mm256_sub_epi64(zero, open));
    let ended = _mm256_test_epi64_mask(lowest, own);
    let up = _mm256_maskz_and_epi64(ended, ray, _mm256_add_epi64(lowest, _mm256_set1_epi64x(-1)));
    let ray = lanes(&rays[1]);
    let open = _mm256_andnot_si256(enemy, ray);
    let highest = _mm256_srlv_epi64(_mm256_set1_epi64x(i64::MIN), _mm256_lzcnt_epi64(open));
    let end = _mm256_and_si256(highest, own);
    let down = _mm256_and_si256(ray, _mm256_sub_epi64(zero, _mm256_add_epi64(end, end)));
    any_lane(_mm256_or_si256(up, down))
}

/// # Safety
/// The processor has these instructions.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn moves_avx2(own: u64, enemy: u64) -> u64 {
    let (shift, inner) = (lanes(&SHIFTS.map(u64::from)), lanes(&INNER));
    let twice = _mm256_add_epi64(shift, shift);
    let discs = _mm256_set1_epi64x(own as i64);
    let run = _mm256_and_si256(_mm256_set1_epi64x(enemy as i64), inner);
    let up = _mm256_and_si256(run, _mm256_sllv_epi64(discs, shift));
    let down = _mm256_and_si256(run, _mm256_srlv_epi64(discs, shift));
    let mut up = _mm256_or_si256(up, _mm256_and_si256(run, _mm256_sllv_epi64(up, shift)));
    let mut down = _mm256_or_si256(down, _mm256_and_si256(run, _mm256_srlv_epi64(down, shift)));
    let runs_up = _mm256_and_si256(run, _mm256_sllv_epi64(run, shift));
    let runs_down = _mm256_srlv_epi64(runs_up, shift);
    for _ in 0..2 {
        up = _mm256_or_si256(up, _mm256_and_si256(runs_up, _mm256_sllv_epi64(up, twice)));
        down = _mm256_or_si256(down, _mm256_and_si256(runs_down, _mm256_srlv_epi64(down, twice)));
    }
    let moves = any_lane(_mm256_or_si256(_mm256_sllv_epi64(up, shift), _mm256_srlv_epi64(down, shift)));
    moves & !(own | enemy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use rand::RngExt;

    /// One step at a time.
    fn flips_by_steps(own: u64, enemy: u64, square: u8) -> u64 {
        let mut flips = 0;
        for (dx, dy) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)] {
            let (mut x, mut y, mut run) = (i32::from(square % 8), i32::from(square / 8), 0);
            loop {
                (x, y) = (x + dx, y + dy);
                if !(0..8).contains(&x) || !(0..8).contains(&y) {
                    break;
                }
                let bit = 1u64 << (8 * y + x);
                if enemy & bit != 0 {
                    run |= bit;
                    continue;
                }
                if own & bit != 0 {
                    flips |= run;
                }
                break;
            }
        }
        flips
    }

    fn check(i: impl Instructions, seed: u64) {
        let mut rng = rng(seed, &[]);
        for round in 0..20_000 {
            // Boards with few empty cells are where a search spends its time, so all densities are drawn.
            let mut taken: u64 = rng.random();
            for _ in 0..round % 5 {
                taken |= rng.random::<u64>();
            }
            let own = taken & rng.random::<u64>() & if round % 3 == 0 { rng.random() } else { u64::MAX };
            let enemy = taken & !own;
            let mut moves = 0;
            for square in (0..64).filter(|s| taken >> s & 1 == 0) {
                let flips = flips_by_steps(own, enemy, square);
                assert_eq!(i.flips(own, enemy, square), flips, "seed {seed}: {own:x} {enemy:x} {square}");
                moves |= u64::from(flips != 0) << square;
            }
            assert_eq!(i.moves(own, enemy), moves, "seed {seed}: {own:x} {enemy:x}");
        }
    }

    #[test]
    fn all_instruction_sets_flip_what_steps_flip() {
        check(Plain, 1);
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(i) = Avx2::detect() {
                check(i, 2);
            }
            if let Some(i) = Avx512::detect() {
                check(i, 3);
            }
        }
    }
}
