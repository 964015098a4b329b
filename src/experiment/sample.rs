//! Samples of a quantity over seeds: quantiles, means, and the mean difference of pairs with its interval.

/// Mean and half the width of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Mean of the values.
    pub mean: f64,
    /// What to add and subtract; none from fewer than two values.
    pub half: Option<f64>,
}

/// The quantile `share` (0 to 1) of values in any order, interpolated between the two nearest; `None` of no values.
/// Infinite values count as such.
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share * (sorted.len().checked_sub(1)?) as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    // Between a number and infinity there is nothing.
    Some(if low == high || place.fract() == 0.0 { low } else { low + place.fract() * (high - low) })
}

/// The mean of values with the interval that Student's distribution gives.
pub fn estimate(values: &[f64]) -> Estimate {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n.max(1.0);
    let half = (values.len() > 1).then(|| {
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        student(values.len() - 1) * (squares / (n - 1.0) / n).sqrt()
    });
    Estimate { mean, half }
}

/// The 0.975 quantile of Student's distribution with so many degrees of freedom: the usual table up to ten, then the
/// expansion of Cornish and Fisher about the normal distribution (Abramowitz and Stegun 26.7.5), good to three digits
/// there.
fn student(freedom: usize) -> f64 {
    const TABLE: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    match TABLE.get(freedom.wrapping_sub(1)) {
        Some(&quantile) => quantile,
        None => {
            let (z, n) = (1.959_964_f64, freedom as f64);
            let second = (z.powi(3) + z) / 4.0;
            let third = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
            z + second / n + third / (n * n)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_values() {
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[7.0], 0.25), Some(7.0));
        let values = [4.0, 1.0, 3.0, 2.0];
        assert_eq!([0.0, 0.25, 0.5, 1.0].map(|share| quantile(&values, share).unwrap()), [1.0, 1.75, 2.5, 4.0]);
        let some = [1.0, f64::INFINITY, 2.0];
        assert_eq!([0.0, 0.5, 0.75].map(|share| quantile(&some, share).unwrap()), [1.0, 2.0, f64::INFINITY]);
    }

    #[test]
    fn intervals_are_students() {
        // By the usual tables: 12 and 30 and 120 degrees of freedom.
        for (freedom, quantile) in [(1, 12.706), (10, 2.228), (12, 2.179), (30, 2.042), (120, 1.980)] {
            assert!((student(freedom) - quantile).abs() < 2e-3, "{freedom}: {}", student(freedom));
        }
        assert_eq!(estimate(&[5.0]), Estimate { mean: 5.0, half: None });
        let Estimate { mean, half } = estimate(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        // Standard error sqrt(2.5 / 5), four degrees of freedom.
        assert!((mean - 3.0).abs() < 1e-12 && (half.unwrap() - 2.776 * 0.5f64.sqrt()).abs() < 1e-9);
    }
}
