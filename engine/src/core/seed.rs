//! Seeds derived from a job's seed and the path of a unit in it.
//!
//! Every random number of a search comes from a generator seeded here, never from a thread or a clock, so a
//! unit gives the same result wherever and whenever it runs. The mixing function is SplitMix64 (Steele, Lea
//! and Flood 2014), applied once per path element.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// The generator of every search: xoshiro256++ (Blackman and Vigna 2019).
pub type Rng = Xoshiro256PlusPlus;

/// The seed of the unit that stands at `path` in the job with seed `seed`.
///
/// ```
/// use morpion_engine::core::seed::derive;
/// assert_eq!(derive(1, &[2, 3]), derive(1, &[2, 3]));
/// assert_ne!(derive(1, &[2, 3]), derive(1, &[3, 2]));
/// assert_ne!(derive(1, &[0]), derive(1, &[]));
/// ```
pub fn derive(seed: u64, path: &[u64]) -> u64 {
    path.iter().fold(mix(seed), |state, &step| mix(state ^ mix(step.wrapping_add(0x5851_F42D_4C95_7F2D))))
}

/// A generator for the unit that stands at `path` in the job with seed `seed`.
pub fn rng(seed: u64, path: &[u64]) -> Rng {
    Rng::seed_from_u64(derive(seed, path))
}

/// One step of SplitMix64.
fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
