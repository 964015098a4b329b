//! What earlier splits at a point have done to the bound (*pseudocosts*; Benichou et al. 1971), and the choice of a
//! point by it.
//!
//! Near the end of a branch most points have been tried so often that what they do is known without solving a
//! program: only those that are not are tried (*reliability branching*; Achterberg, Koch and Martin 2005).

use super::program::PointState;

/// Trials of both states after which the mean gain of a point is relied on.
const RELIABLE: u32 = 4;
/// The least gain that counts: a product of two gains must not be 0 because of one of them.
pub const LEAST: f64 = 1e-3;
/// A column so near to the state that is tried says nothing about its gain.
const NEAR: f64 = 0.01;

/// By how much the bound fell where a point was put in or out: per unit by which its column had to change.
#[derive(Debug, Clone, Copy, Default)]
struct Gain {
    sum: f64,
    trials: u32,
}

impl Gain {
    fn add(&mut self, gain: f64) {
        self.sum += gain;
        self.trials += 1;
    }

    fn mean(self) -> Option<f64> {
        (self.trials > 0).then(|| self.sum / f64::from(self.trials))
    }
}

/// The gains of all points of a program, as far as they were tried. Both arrays hold "out", then "in".
#[derive(Debug, Clone)]
pub struct Gains {
    points: Vec<[Gain; 2]>,
    all: [Gain; 2],
}

/// What a split at a point is expected to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// The number of the point.
    pub point: u16,
    /// By how much the bound falls where the point is out, and where it is in.
    pub gains: [f64; 2],
    /// Whether both were seen often enough.
    pub reliable: bool,
}

/// How good a split is with these gains.
pub fn score(gains: [f64; 2]) -> f64 {
    gains[0] * gains[1]
}

impl Gains {
    /// Nothing is known of so many points.
    pub fn new(points: usize) -> Gains {
        Gains { points: vec![[Gain::default(); 2]; points], all: [Gain::default(); 2] }
    }

    /// The bound fell by `gain` when the point, whose column had this value, was put out (`way` 0) or in (1).
    pub fn add(&mut self, point: u16, way: usize, value: f64, gain: f64) {
        let distance = distances(value)[way];
        if distance > NEAR {
            let gain = gain.max(0.0) / distance;
            self.points[usize::from(point)][way].add(gain);
            self.all[way].add(gain);
        }
    }

    /// The open points of a case whose columns have these values, and what splits at them are expected to do, the
    /// best first. A point that was never tried is taken for a mean one.
    pub fn expected(&self, case: &[PointState], values: &[f64]) -> Vec<Expected> {
        let all = self.all.map(|gain| gain.mean().unwrap_or(1.0));
        let open = (0..case.len()).filter(|&point| case[point] == PointState::Open);
        let mut expected: Vec<Expected> = open
            .map(|point| {
                let (known, distances) = (self.points[point], distances(values[point]));
                let gains = [0, 1].map(|way| (known[way].mean().unwrap_or(all[way]) * distances[way]).max(LEAST));
                let reliable = known.iter().all(|gain| gain.trials >= RELIABLE);
                Expected { point: point as u16, gains, reliable }
            })
            .collect();
        expected.sort_by(|a, b| score(b.gains).total_cmp(&score(a.gains)).then(a.point.cmp(&b.point)));
        expected
    }
}

/// How far a column with this value is from 0 and from 1.
fn distances(value: f64) -> [f64; 2] {
    [value, 1.0 - value].map(|distance| distance.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_ordered_by_what_was_seen_of_them() {
        let mut gains = Gains::new(4);
        let case = [PointState::Open, PointState::In, PointState::Open, PointState::Open];
        let order = |gains: &Gains, values: &[f64]| -> Vec<u16> {
            gains.expected(&case, values).iter().map(|expected| expected.point).collect()
        };
        // Nothing is known: the column nearest to a half comes first, then the lower number.
        assert_eq!(order(&gains, &[0.875, 0.5, 0.625, 0.125]), [2, 0, 3]);
        for trial in 0..RELIABLE {
            assert!(gains.expected(&case, &[0.5; 4]).iter().all(|expected| !expected.reliable), "{trial}");
            gains.add(0, 0, 0.5, 4.0);
            gains.add(0, 1, 0.5, 1.0);
        }
        let expected = gains.expected(&case, &[0.5, 0.0, 0.5, 0.5]);
        assert!(expected[0].reliable && !expected[1].reliable);
        // Half of a unit costs half as much as the unit; what was never tried costs as much as the mean.
        assert_eq!(expected[0].gains, [4.0, 1.0]);
        assert_eq!(expected[1].gains, [4.0, 1.0]);
        gains.add(3, 0, 0.5, 0.0);
        gains.add(3, 1, 0.25, -1e-9);
        assert_eq!(order(&gains, &[0.5; 4]), [0, 2, 3]);
        assert_eq!(gains.expected(&case, &[0.5; 4])[2].gains, [LEAST; 2]);
        // A column that is already where it is put says nothing.
        let before = gains.expected(&case, &[0.5; 4]);
        gains.add(2, 0, 0.001, 0.5);
        assert_eq!(gains.expected(&case, &[0.5; 4]), before);
    }
}
