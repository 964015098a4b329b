//! A walk that visits all numbers of lines alike (a flat histogram: Wang and Landau 2001).
//!
//! At a fixed temperature a walk keeps to sets of about one length. Here each number of lines has a *height*, which
//! rises a little with each visit, and a step up to a height that is greater by `d` is taken with probability
//! `exp(-d)`. So the walk leaves what it has visited often, wherever that is: the heights come to follow the
//! logarithm of how many sets there are, and all numbers of lines are visited alike. Again and again the walk loses
//! many of its lines and grows them anew, slowly where few ways lead on. The heights never stop rising, so it is
//! also driven out of a set that has no neighbours.

use super::chances::Acceptance;
use crate::core::seed::Rng;
use rand::RngExt;

/// A height of one, by which a step is taken with probability 1/e.
const ONE: u64 = 1 << 20;
/// By how much a visit raises a height.
const RISE: u64 = ONE / 1000;
/// Heights are told apart by so many parts of one.
const PARTS: u64 = 64;
/// Steps up by as many parts and more are never taken.
const STEEPEST: usize = 22 * PARTS as usize;
/// No set has as many lines.
const MOST_LINES: usize = 512;

/// How often each number of lines was visited, as a height.
pub(super) struct FlatHistogram {
    heights: Box<[u64; MOST_LINES]>,
    /// Fewer lines than these are not visited.
    least: usize,
    /// The numbers of lines up to this one have a height.
    known: usize,
    /// The probability of a step up by so many parts, of 2^32.
    chances: Box<[u32; STEEPEST]>,
}

impl FlatHistogram {
    /// Nothing was visited yet. The walk begins with `lines` lines.
    pub fn new(lines: usize) -> FlatHistogram {
        let chance = |parts: usize| ((-(parts as f64) / PARTS as f64).exp() * 2f64.powi(32)) as u32;
        FlatHistogram {
            heights: Box::new([0; MOST_LINES]),
            least: 0,
            known: lines,
            chances: Box::new(std::array::from_fn(chance)),
        }
    }

    /// Keeps the walk to sets of at least so many lines from now on.
    pub fn set_least(&mut self, least: usize) {
        self.least = least;
    }

    /// The walk has so many lines after a step, taken or not.
    #[inline(always)]
    pub fn visit(&mut self, lines: usize) {
        self.heights[lines % MOST_LINES] += RISE;
    }
}

impl Acceptance for FlatHistogram {
    #[inline(always)]
    fn take(&mut self, lines: usize, lost: i32, _lent: i32, rng: &mut Rng) -> bool {
        let after = (lines as i32 - lost) as usize % MOST_LINES;
        if after < self.least {
            return false;
        }
        let height = self.heights[lines % MOST_LINES];
        if after > self.known {
            // As high as where the walk comes from, so that it goes on from there as it likes.
            self.known = after;
            self.heights[after] = height;
        }
        let parts = self.heights[after].saturating_sub(height) * PARTS / ONE;
        parts == 0 || (parts as usize) < STEEPEST && rng.random::<u32>() < self.chances[parts as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;

    /// A walk over the numbers 20 to 60, of which each is three times as hard to reach as the one before, visits all
    /// of them about as often.
    #[test]
    fn all_numbers_of_lines_are_visited_alike() {
        let mut flat = FlatHistogram::new(20);
        flat.set_least(20);
        let rng = &mut rng(5, &[]);
        let mut lines = 20;
        let mut visits = [0u32; 61];
        for step in 0..4_000_000 {
            let up = rng.random_ratio(1, 4);
            if if up { lines < 60 && flat.take(lines, -1, 0, rng) } else { lines > 0 && flat.take(lines, 1, 0, rng) }
            {
                lines = if up { lines + 1 } else { lines - 1 };
            }
            flat.visit(lines);
            if step >= 2_000_000 {
                visits[lines] += 1;
            }
        }
        assert!(visits[..20].iter().all(|&count| count == 0));
        let mean = 2_000_000 / 41;
        let (least, most) = (visits[20..].iter().min(), visits[20..].iter().max());
        assert!(least > Some(&(mean / 2)) && most < Some(&(mean * 2)), "{visits:?}");
    }

    /// Where each set has been visited alike, a step is taken; to where the walk has been more often, seldom.
    #[test]
    fn a_step_to_what_was_visited_more_is_rare() {
        let mut flat = FlatHistogram::new(2);
        let rng = &mut rng(6, &[]);
        assert!(flat.take(2, -1, 0, rng) && flat.take(3, 1, 0, rng));
        (0..3000).for_each(|_| flat.visit(3));
        let taken = (0..10_000).filter(|_| flat.take(2, -1, 0, rng)).count();
        assert!((400..600).contains(&taken), "{taken} of 10,000: exp(-3) is 5 in 100");
        assert!(flat.take(3, 1, 0, rng));
        (0..50_000).for_each(|_| flat.visit(3));
        assert!(!flat.take(2, -1, 0, rng));
        flat.set_least(3);
        assert!(!flat.take(3, 1, 0, rng) && flat.take(3, 0, 0, rng));
    }
}
