//! With what probabilities a walk takes a step.

use crate::core::seed::Rng;
use rand::RngExt;

/// By how much the number of lent points changes in a step, at most, up or down.
const MOST_LENT: usize = 16;

/// What decides whether a walk takes a step.
pub(super) trait Acceptance {
    /// Whether a set of `lines` lines takes a step by which `lost` lines less are there (-1 to 1) and `lent` points
    /// more are lent.
    fn take(&mut self, lines: usize, lost: i32, lent: i32, rng: &mut Rng) -> bool;
}

/// With what probabilities a walk takes a step at a temperature and a price.
pub(super) struct Chances {
    /// Of 2^32, by lines lost (beginning with one won) and by points lent ([`MOST_LENT`] for none).
    of: [[u32; 2 * MOST_LENT + 1]; 3],
}

impl Chances {
    /// At a temperature, in lines, where a lent point has a price, likewise in lines.
    pub fn new(temperature: f64, price: f64) -> Chances {
        let chance = |lost: f64, lent: f64| {
            let worse = lost + price * lent;
            if worse <= 0.0 { u32::MAX } else { ((-worse / temperature).exp() * 2f64.powi(32)) as u32 }
        };
        let row = |lost: usize| std::array::from_fn(|lent| chance(lost as f64 - 1.0, lent as f64 - MOST_LENT as f64));
        Chances { of: std::array::from_fn(row) }
    }
}

impl Acceptance for Chances {
    #[inline(always)]
    fn take(&mut self, _lines: usize, lost: i32, lent: i32, rng: &mut Rng) -> bool {
        let lent = (lent + MOST_LENT as i32).clamp(0, 2 * MOST_LENT as i32) as usize;
        let chance = self.of[(lost + 1) as usize % 3][lent];
        chance == u32::MAX || rng.random::<u32>() < chance
    }
}
