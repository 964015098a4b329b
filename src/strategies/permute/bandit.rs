//! How far to wind back: a bandit that plays the arm with the largest upper confidence bound.
//!
//! An arm is a number of last moves to be given up. The bound is mean plus `sqrt(BONUS / tries)`, a simple form of UCB1
//! (Auer, Cesa-Bianchi and Fischer 2002) without the logarithm; when an arm has [`MEMORY`] tries, the counts of all are
//! halved, since what pays changes as the grids grow.

use serde::{Deserialize, Serialize};

/// Moves to be given up.
pub(super) const ARMS: [usize; 6] = [4, 8, 16, 32, 64, 128];
/// Weight of not knowing.
const BONUS: f64 = 0.5;
/// Tries of an arm at which it forgets half.
const MEMORY: u32 = 4096;

/// What the arms have brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Bandit {
    tries: [u32; ARMS.len()],
    wins: [u32; ARMS.len()],
}

impl Bandit {
    /// The arm to be played next.
    pub fn choose(&self) -> usize {
        let bound = |arm: usize| {
            let tries = f64::from(self.tries[arm]).max(0.5);
            f64::from(self.wins[arm]) / tries + (BONUS / tries).sqrt()
        };
        (0..ARMS.len()).max_by(|&a, &b| bound(a).total_cmp(&bound(b))).unwrap_or(0)
    }

    /// Notes what an arm has brought.
    pub fn learn(&mut self, arm: usize, won: bool) {
        self.tries[arm] += 1;
        self.wins[arm] += u32::from(won);
        if self.tries[arm] >= MEMORY {
            self.tries.iter_mut().chain(&mut self.wins).for_each(|count| *count /= 2);
        }
    }

    /// Whether the counts are some that can come about.
    pub fn is_sound(&self) -> bool {
        self.tries.iter().all(|&tries| tries < MEMORY) && self.wins.iter().zip(&self.tries).all(|(won, of)| won <= of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use rand::RngExt;

    /// The arm that pays is played most, and another one when that one pays instead.
    #[test]
    fn the_arm_that_pays_is_played() {
        let (mut bandit, rng) = (Bandit::default(), &mut rng(6, &[]));
        for pays in [2, 4] {
            let mut played = [0; ARMS.len()];
            for _ in 0..60_000 {
                let arm = bandit.choose();
                played[arm] += 1;
                bandit.learn(arm, rng.random_bool(if arm == pays { 0.3 } else { 0.1 }));
                assert!(bandit.is_sound());
            }
            assert!(played[pays] > 40_000, "{pays}: {played:?}");
            assert!(played.iter().all(|&n| n > 5), "{played:?}");
        }
    }
}
