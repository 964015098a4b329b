//! Streams of standard exponential variates for the clocks of a playout.
//!
//! Eight xoshiro256++ generators (Blackman and Vigna 2019) run side by side, so that a compiler can keep them in
//! vector registers; their output becomes `-ln(u)` by a polynomial (Cephes `logf`, relative error below 2e-7).
//! Only additions, multiplications and integer operations are used, in one order, so every processor gives the
//! same stream.

use crate::core::seed::derive;
use crate::strategies::vector::dispatch::{VectorInstructions, VectorTask, dispatch};

/// Generators run side by side.
const LANES: usize = 8;
/// Variates made at a time.
const BATCH: usize = 1024;

/// A stream of independent exponential variates of mean 1, a function of its seed.
#[derive(Clone)]
pub struct ClockStream {
    state: [[u64; LANES]; 4],
    buffer: Box<[f32; BATCH]>,
    used: usize,
}

impl ClockStream {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> ClockStream {
        let mut clocks = ClockStream { state: [[0; LANES]; 4], buffer: Box::new([0.0; BATCH]), used: BATCH };
        clocks.reseed(seed);
        clocks
    }

    /// Begins the stream of `seed` anew.
    pub fn reseed(&mut self, seed: u64) {
        for (word, lanes) in self.state.iter_mut().enumerate() {
            for (lane, state) in lanes.iter_mut().enumerate() {
                *state = derive(seed, &[lane as u64, word as u64]);
            }
        }
        self.used = BATCH;
    }

    /// Makes sure that at least `n` (at most half a batch) variates can be taken without a check.
    #[inline(always)]
    pub(in crate::strategies) fn reserve<I: VectorInstructions>(&mut self, n: usize) {
        debug_assert!(n <= BATCH / 2);
        if self.used + n > BATCH {
            // Out of line: inlined into a playout it would take all registers for its constants.
            dispatch(I::EXTENSION, Refill(self));
        }
    }

    /// The next variate; [`ClockStream::reserve`] has been called for it.
    #[cfg(test)]
    fn take(&mut self) -> f32 {
        let variate = self.buffer[self.used & (BATCH - 1)];
        self.used += 1;
        variate
    }

    /// How many variates of the buffer have been taken.
    #[inline(always)]
    pub(in crate::strategies) fn used(&self) -> usize {
        self.used
    }

    /// The variate after `used` taken ones.
    #[inline(always)]
    pub(in crate::strategies) fn at(&self, used: usize) -> f32 {
        self.buffer[used & (BATCH - 1)]
    }

    /// Notes that so many variates have been taken.
    #[inline(always)]
    pub(in crate::strategies) fn set_used(&mut self, used: usize) {
        self.used = used;
    }

    /// Replaces the whole buffer. What was left in it is dropped, which keeps the stream a function of the calls.
    #[inline(always)]
    fn refill(&mut self) {
        let [s0, s1, s2, s3] = &mut self.state;
        for chunk in self.buffer.chunks_exact_mut(2 * LANES) {
            for lane in 0..LANES {
                let sum = s0[lane].wrapping_add(s3[lane]);
                let out = sum.rotate_left(23).wrapping_add(s0[lane]);
                let t = s1[lane] << 17;
                s2[lane] ^= s0[lane];
                s3[lane] ^= s1[lane];
                s1[lane] ^= s2[lane];
                s0[lane] ^= s3[lane];
                s2[lane] ^= t;
                s3[lane] = s3[lane].rotate_left(45);
                chunk[lane] = f32::from_bits(out as u32);
                chunk[LANES + lane] = f32::from_bits((out >> 32) as u32);
            }
            for value in chunk.iter_mut() {
                *value = exponential(value.to_bits());
            }
        }
        self.used = 0;
    }
}

/// Replaces the whole buffer.
struct Refill<'a>(&'a mut ClockStream);

impl VectorTask for Refill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: VectorInstructions>(self) {
        self.0.refill();
    }
}

/// `-ln(u)` for the uniform variate `u = (k + 1/2) / 2^23`, `k` the upper 23 of the bits: between 6e-8 and 16.6.
#[inline(always)]
fn exponential(bits: u32) -> f32 {
    // (k + 1/2) 2^-23 = m 2^-24 with m = 2k + 1 odd below 2^24, which is exact in a float.
    -ln(((bits >> 9) * 2 + 1) as i32 as f32 * (1.0 / 16_777_216.0))
}

/// Natural logarithm of a positive normal number.
#[inline(always)]
#[allow(clippy::excessive_precision)]
pub(super) fn ln(x: f32) -> f32 {
    const SQRT_HALF: u32 = 0x3F35_04F3;
    let bits = x.to_bits().wrapping_sub(SQRT_HALF);
    // x = 2^e f with f in [sqrt(1/2), sqrt(2)).
    let e = ((bits as i32) >> 23) as f32;
    let f = f32::from_bits((bits & 0x007F_FFFF).wrapping_add(SQRT_HALF)) - 1.0;
    let z = f * f;
    let mut p = 7.037_683_629_2e-2;
    for c in [
        -1.151_461_031_0e-1,
        1.167_699_874_0e-1,
        -1.242_014_084_6e-1,
        1.424_932_278_7e-1,
        -1.666_805_766_5e-1,
        2.000_071_476_5e-1,
        -2.499_999_399_3e-1,
        3.333_333_117_4e-1,
    ] {
        p = p * f + c;
    }
    let tail = p * f * z + e * -2.121_944_4e-4 - z * 0.5;
    f + tail + e * 0.693_359_375
}

/// `e^x` for `|x| <= 80` (Cephes `expf`, relative error below 2e-7).
#[inline(always)]
#[allow(clippy::excessive_precision)]
pub(super) fn exp(x: f32) -> f32 {
    // Adding and subtracting 1.5 * 2^23 rounds to the nearest integer.
    const ROUND: f32 = 12_582_912.0;
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = x - n * 0.693_359_375 - n * -2.121_944_4e-4;
    let mut p = 1.987_569_150_0e-4;
    for c in [1.398_199_950_7e-3, 8.333_451_907_3e-3, 4.166_579_589_4e-2, 1.666_666_545_9e-1, 5.000_000_120_1e-1] {
        p = p * r + c;
    }
    let y = p * (r * r) + r + 1.0;
    // The integer is in the low bits of `shifted`.
    let scale = f32::from_bits(((shifted.to_bits() as i32 + 127) << 23) as u32);
    y * scale
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::vector::extension::PlainVectors;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    #[test]
    fn lanes_are_xoshiro() {
        let mut clocks = ClockStream::new(11);
        let mut reference: Vec<_> = (0..LANES)
            .map(|lane| {
                let mut seed = [0u8; 32];
                for word in 0..4 {
                    let state = derive(11, &[lane as u64, word as u64]);
                    seed[8 * word..][..8].copy_from_slice(&state.to_le_bytes());
                }
                Xoshiro256PlusPlus::from_seed(seed)
            })
            .collect();
        for _ in 0..3 {
            clocks.reserve::<PlainVectors>(BATCH / 2);
            let taken: Vec<f32> = (0..2 * LANES).map(|_| clocks.take()).collect();
            let outs: Vec<u64> = reference.iter_mut().map(|r| r.next_u64()).collect();
            let wanted: Vec<f32> = outs
                .iter()
                .map(|&o| exponential(o as u32))
                .chain(outs.iter().map(|&o| exponential((o >> 32) as u32)))
                .collect();
            assert_eq!(taken, wanted);
            // The rest of the batch.
            for _ in 1..BATCH / (2 * LANES) {
                reference.iter_mut().for_each(|r| {
                    r.next_u64();
                });
            }
            clocks.used = BATCH;
        }
    }

    #[test]
    fn logarithm_and_exponential_are_accurate() {
        for i in 1..2_000_000u32 {
            let x = i as f32 * 8.4e-6;
            let error = (f64::from(ln(x)) - f64::from(x).ln()).abs();
            assert!(error <= 2e-7 * f64::from(x).ln().abs().max(0.1), "ln({x}) is off by {error}");
        }
        for i in -800_000..800_000 {
            let x = i as f32 * 1e-4;
            let ratio = f64::from(exp(x)) / f64::from(x).exp();
            assert!((ratio - 1.0).abs() < 3e-7, "exp({x}) is off by a factor {ratio}");
        }
    }

    #[test]
    fn variates_have_the_moments_of_an_exponential() {
        let mut clocks = ClockStream::new(5);
        let n = 1_000_000;
        let (mut sum, mut squares, mut least, mut most) = (0.0, 0.0, f32::MAX, 0.0f32);
        for _ in 0..n {
            clocks.reserve::<PlainVectors>(1);
            let x = clocks.take();
            sum += f64::from(x);
            squares += f64::from(x) * f64::from(x);
            least = least.min(x);
            most = most.max(x);
        }
        let (mean, second) = (sum / f64::from(n), squares / f64::from(n));
        // Standard errors: 0.001 and 0.0045.
        assert!((mean - 1.0).abs() < 0.005 && (second - 2.0).abs() < 0.023, "moments {mean} {second}");
        assert!(least > 0.0 && most < 17.0 && most > 10.0, "range {least} {most}");
    }
}
