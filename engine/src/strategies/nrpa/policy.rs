//! A policy: one weight per move code, stored as the mean of the move's exponential clock.
//!
//! A move's *code* is its line and the place of its new point in it. A playout prefers moves of large weight
//! `e^logit`; since its clocks need `e^-logit`, that is what is stored (`mean`), and no exponential is computed in a
//! playout. Logits are kept within `+-MAX_LOGIT`: the quotient of two weights stays a normal `f32` then. What runs
//! into the bound are single moves that are legal for a whole game and never wanted (with sequence adaptation; with
//! layers logits stay within about 10); at the bound they are played never in the lifetime of a hunt.

use crate::morpion::board::{PLACES, place};
use crate::morpion::geometry::{Move, Point, ROW, SIDE};
use crate::morpion::variant::Rules;

/// Largest absolute logit of a move.
pub const MAX_LOGIT: f32 = 40.0;

/// Codes per point: four directions, five places.
const PER_POINT: usize = 20;
/// Points from one row to the next.
const WIDTH: usize = ROW as usize;
/// Codes, rounded up to a power of two so that a masked index needs no check.
pub(in crate::strategies) const CODES: usize = 1 << 17;

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
    /// Outside, all means are 1.
    used: Span,
}

/// A rectangle of points, all bounds included.
#[derive(Debug, Clone, Copy)]
struct Span {
    x: (usize, usize),
    y: (usize, usize),
}

impl Span {
    const EMPTY: Span = Span { x: (usize::MAX, 0), y: (usize::MAX, 0) };

    /// With the point of `code`.
    #[inline(always)]
    fn with(self, code: usize) -> Span {
        let point = code / PER_POINT;
        let (x, y) = (point % WIDTH, point / WIDTH);
        Span { x: (self.x.0.min(x), self.x.1.max(x)), y: (self.y.0.min(y), self.y.1.max(y)) }
    }

    /// With all points of `other`.
    fn union(self, other: Span) -> Span {
        Span {
            x: (self.x.0.min(other.x.0), self.x.1.max(other.x.1)),
            y: (self.y.0.min(other.y.0), self.y.1.max(other.y.1)),
        }
    }

    /// The codes of each row.
    fn rows(self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let (x, y) = (self.x, self.y);
        (y.0..y.1 + 1).map(move |row| {
            let first = row * WIDTH;
            (first + x.0) * PER_POINT..(first + x.1 + 1) * PER_POINT
        })
    }
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
        Policy { means, used: Span::EMPTY }
    }

    /// Becomes a copy of `other`.
    pub fn copy_from(&mut self, other: &Policy) {
        for row in self.used.union(other.used).rows() {
            self.means[row.clone()].copy_from_slice(&other.means[row]);
        }
        self.used = other.used;
    }

    /// Mean of the clock of `code`: `e^-logit`.
    #[inline(always)]
    pub fn mean(&self, code: usize) -> f32 {
        self.means[code & (CODES - 1)]
    }

    /// All means, for the playouts.
    #[inline(always)]
    pub(in crate::strategies) fn means(&self) -> &[f32; CODES] {
        &self.means
    }

    /// Sets the mean of a code that [`Policy::cover`] has covered.
    #[inline(always)]
    pub(in crate::strategies) fn set_mean(&mut self, code: usize, mean: f32) {
        self.means[code & (CODES - 1)] = mean;
    }

    /// Announces that `codes` will be set.
    pub(in crate::strategies) fn cover(&mut self, codes: &[u32]) {
        for &code in codes {
            self.used = self.used.with(code as usize);
        }
    }

    /// The codes whose weight is not 1, with their means, for saving.
    pub(in crate::strategies) fn entries(&self) -> Vec<(u32, f32)> {
        let used = self.used.rows().flatten();
        used.filter(|&code| self.means[code] != 1.0).map(|code| (code as u32, self.means[code])).collect()
    }

    /// The policy with these entries; `None` if a code or a mean is out of range.
    pub(in crate::strategies) fn from_entries(entries: &[(u32, f32)]) -> Option<Policy> {
        let mut policy = Policy::uniform();
        let (least, most) = mean_range();
        for &(code, mean) in entries {
            if code as usize >= SIDE as usize * WIDTH * PER_POINT || !(least..=most).contains(&mean) {
                return None;
            }
            policy.cover(&[code]);
            policy.set_mean(code as usize, mean);
        }
        Some(policy)
    }
}

/// A policy that is not being changed, small enough to be kept and sent: the codes whose weight is not 1 and their
/// means.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot(std::sync::Arc<[(u32, f32)]>);

impl Snapshot {
    /// All weights 1.
    pub fn uniform() -> Snapshot {
        Snapshot::default()
    }

    /// Of a policy as it is now.
    pub fn of(policy: &Policy) -> Snapshot {
        Snapshot(policy.entries().into())
    }

    /// The one with these entries; `None` if a code or a mean is out of range.
    pub fn from_entries(entries: &[(u32, f32)]) -> Option<Snapshot> {
        Policy::from_entries(entries).map(|policy| Snapshot::of(&policy))
    }

    /// The policy with these entries.
    pub fn policy(&self) -> Policy {
        let mut policy = Policy::uniform();
        for &(code, mean) in &*self.0 {
            policy.cover(&[code]);
            policy.set_mean(code as usize, mean);
        }
        policy
    }

    /// Code and mean (`e^-logit`) of each move whose weight is not 1, in the order of the codes.
    pub fn entries(&self) -> &[(u32, f32)] {
        &self.0
    }
}

/// Smallest and largest mean: those of logits `MAX_LOGIT` and `-MAX_LOGIT`.
#[inline(always)]
pub(super) fn mean_range() -> (f32, f32) {
    // e^-40 and e^40, as constants so that every processor has the same.
    (4.248_354e-18, 2.353_852_7e17)
}
