//! A policy: one weight per move code, stored as the mean of the move's exponential clock.
//!
//! A move's *code* is its line and the place of its new point in it. A playout prefers moves of large weight
//! `e^logit`; since its clocks need `e^-logit`, that is what is stored (`mean`), and no exponential is computed in
//! a playout. Logits are kept within `+-MAX_LOGIT`: the quotient of two weights stays a normal `f32` then, and a
//! move at the lower bound beside one at the upper is never played in the lifetime of a hunt, so nothing is lost.

use crate::morpion::board::{PLACES, place};
use crate::morpion::geometry::{Move, Point};
use crate::morpion::variant::Rules;

/// Largest absolute logit of a move.
pub const MAX_LOGIT: f32 = 40.0;

/// Codes per point: four directions, five places.
const PER_POINT: usize = 20;
/// Codes, rounded up to a power of two so that a masked index needs no check.
pub(super) const CODES: usize = 1 << 17;

/// The code of a move: dense by point, so that the codes of a neighbourhood share cache lines.
#[inline(always)]
pub fn code(mv: Move) -> usize {
    mv.point().index() * PER_POINT + mv.direction() as usize * 5 + mv.index()
}

/// The code of the move at a place about `center` (see [`crate::morpion::board::Opening`]).
#[inline(always)]
pub(super) fn code_at<R: Rules>(center: Point, place: usize) -> u32 {
    (center.index() as u32 * PER_POINT as u32).wrapping_add(Relative::<R>::CODES[place & (PLACES - 1)])
}

struct Relative<R>(std::marker::PhantomData<R>);

impl<R: Rules> Relative<R> {
    const CODES: [u32; PLACES] = {
        let mut table = [0; PLACES];
        let mut at = 0;
        while at < PLACES {
            let (direction, start, missing) = place(at);
            let offset = (start + missing - (R::LEN as i32 - 1)) * direction.stride();
            table[at] = (offset * PER_POINT as i32 + direction as i32 * 5 + missing) as u32;
            at += 1;
        }
        table
    };
}

/// Weights of all codes.
#[derive(Clone)]
pub struct Policy {
    means: Box<[f32; CODES]>,
    /// First and last code ever set (inclusive); outside, all means are 1.
    span: (usize, usize),
}

impl Default for Policy {
    fn default() -> Self {
        Policy::uniform()
    }
}

impl Policy {
    /// All weights 1.
    pub fn uniform() -> Policy {
        let means = vec![1.0f32; CODES].into_boxed_slice().try_into().expect("the size is that of the array");
        Policy { means, span: (CODES, 0) }
    }

    /// Becomes a copy of `other`.
    pub fn copy_from(&mut self, other: &Policy) {
        let first = self.span.0.min(other.span.0);
        let last = self.span.1.max(other.span.1);
        if first <= last {
            self.means[first..=last].copy_from_slice(&other.means[first..=last]);
        }
        self.span = other.span;
    }

    /// Mean of the clock of `code`: `e^-logit`.
    #[inline(always)]
    pub fn mean(&self, code: usize) -> f32 {
        self.means[code & (CODES - 1)]
    }

    /// All means, for the playouts.
    #[inline(always)]
    pub(super) fn means(&self) -> &[f32; CODES] {
        &self.means
    }

    /// Sets the mean of a code that [`Policy::cover`] has covered.
    #[inline(always)]
    pub(super) fn set_mean(&mut self, code: usize, mean: f32) {
        self.means[code & (CODES - 1)] = mean;
    }

    /// Announces that `codes` will be set.
    pub(super) fn cover(&mut self, codes: &[u32]) {
        for &code in codes {
            self.span.0 = self.span.0.min(code as usize);
            self.span.1 = self.span.1.max(code as usize);
        }
    }

    /// The codes whose weight is not 1, with their means, for saving.
    pub(super) fn entries(&self) -> Vec<(u32, f32)> {
        if self.span.0 > self.span.1 {
            return Vec::new();
        }
        (self.span.0..=self.span.1)
            .filter(|&code| self.means[code] != 1.0)
            .map(|code| (code as u32, self.means[code]))
            .collect()
    }

    /// The policy with these entries; `None` if a code or a mean is out of range.
    pub(super) fn from_entries(entries: &[(u32, f32)]) -> Option<Policy> {
        let mut policy = Policy::uniform();
        let (least, most) = mean_range();
        for &(code, mean) in entries {
            if code as usize >= CODES || !(least..=most).contains(&mean) {
                return None;
            }
            policy.cover(&[code]);
            policy.set_mean(code as usize, mean);
        }
        Some(policy)
    }
}

/// Smallest and largest mean: those of logits `MAX_LOGIT` and `-MAX_LOGIT`.
#[inline(always)]
pub(super) fn mean_range() -> (f32, f32) {
    // e^-40 and e^40, as constants so that every processor has the same.
    (4.248_354_3e-18, 2.353_852_7e17)
}
