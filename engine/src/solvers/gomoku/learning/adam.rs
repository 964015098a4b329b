//! Adam (D. P. Kingma and J. Ba, 2015): the step of each number is its mean slope, divided by the root of the mean
//! square of its slopes.

/// How fast the mean of the slopes and that of their squares forget.
const FORGET: (f64, f64) = (0.9, 0.999);

/// A step, counted from 1: what the means are divided by, as they begin with 0.
#[derive(Debug, Clone, Copy)]
pub struct AdamStep {
    first: f64,
    second: f64,
}

impl AdamStep {
    /// The step of a number, from 1.
    pub fn new(step: u32) -> AdamStep {
        AdamStep { first: 1.0 - FORGET.0.powf(step.into()), second: 1.0 - FORGET.1.powf(step.into()) }
    }

    /// The direction and length of the step of a number with its means, to be multiplied by the rate and subtracted.
    #[inline]
    pub fn of(self, mean: &mut f64, square: &mut f64, slope: f64) -> f64 {
        let (old, older) = FORGET;
        *mean = old * *mean + (1.0 - old) * slope;
        *square = older * *square + (1.0 - older) * slope * slope;
        (*mean / self.first) / ((*square / self.second).sqrt() + 1e-8)
    }
}
