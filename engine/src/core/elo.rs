//! Scores of games played in pairs: one opening, colours swapped. Elo with its interval, and the sequential test of
//! the hypothesis that one side is stronger (A. Wald, 1945; as chess programs are tested, over pairs).
//!
//! The two games of a pair depend on each other by their opening, so the pair is what is counted.

/// How many pairs ended with which score of the first player, in half points of 0 to 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairScores([u64; 5]);

/// An estimate of the difference in strength, in Elo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EloEstimate {
    /// The most likely value.
    pub elo: f64,
    /// Ends of the interval that holds it in 95 of 100 cases.
    pub interval: (f64, f64),
}

/// Most Elo that is told of a score that has no bound.
const GREATEST: f64 = 1200.0;
/// Standard deviations of an interval of 95 %.
const DEVIATIONS: f64 = 1.96;

/// Pairs before which a sequential test decides nothing. The test takes the variance from the pairs themselves, and
/// that of a few pairs is often far too small: three that end almost alike would decide about any difference.
const LEAST_PAIRS: u64 = 10;

/// The expected score of a side that is stronger by so many Elo.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo of an expected score.
fn elo_of(score: f64) -> f64 {
    let least = expected_score(-GREATEST);
    -400.0 * (1.0 / score.clamp(least, 1.0 - least) - 1.0).log10()
}

impl PairScores {
    /// Adds a pair in which the first player got so many half points: 4 at most.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points.min(4)] += 1;
    }

    /// Pairs by half points of the first player.
    pub fn pairs(&self) -> [u64; 5] {
        self.0
    }

    /// Number of pairs.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The part of the points that the first player has: 0 to 1.
    pub fn score(&self) -> f64 {
        let half_points: u64 = (0..).zip(self.0).map(|(points, pairs)| points * pairs).sum();
        half_points as f64 / (4 * self.count().max(1)) as f64
    }

    /// The variance of the score of a pair. Pairs that all ended alike tell nothing of it; then one of each kind is
    /// thought to be there as well.
    fn variance(&self) -> f64 {
        let varied = self.0.iter().filter(|&&pairs| pairs > 0).count() > 1;
        let counts = self.0.map(|pairs| pairs as f64 + if varied { 0.0 } else { 1.0 });
        let all: f64 = counts.iter().sum();
        let mean = (0..).zip(counts).map(|(points, pairs)| f64::from(points) / 4.0 * pairs).sum::<f64>() / all;
        (0..).zip(counts).map(|(points, pairs)| pairs * (f64::from(points) / 4.0 - mean).powi(2)).sum::<f64>() / all
    }

    /// The difference in strength.
    pub fn elo(&self) -> EloEstimate {
        let (score, error) = (self.score(), (self.variance() / self.count().max(1) as f64).sqrt());
        let interval = (elo_of(score - DEVIATIONS * error), elo_of(score + DEVIATIONS * error));
        EloEstimate { elo: elo_of(score), interval }
    }

    /// The logarithm of how much likelier the scores are if the first player is stronger by `elo1` than if by `elo0`
    /// (normal approximation).
    pub fn log_likelihood_ratio(&self, elo0: f64, elo1: f64) -> f64 {
        let (score0, score1) = (expected_score(elo0), expected_score(elo1));
        let pairs = self.count() as f64;
        pairs * (score1 - score0) * (2.0 * self.score() - score0 - score1) / (2.0 * self.variance())
    }

    /// What a sequential test with errors of 5 % of either kind has decided: that the first player is stronger by
    /// `elo1` rather than by `elo0`, or that it is not; nothing yet.
    pub fn decision(&self, elo0: f64, elo1: f64) -> Option<bool> {
        let ratio = self.log_likelihood_ratio(elo0, elo1);
        (self.count() >= LEAST_PAIRS && ratio.abs() > decision_bound()).then_some(ratio > 0.0)
    }
}

/// The bound of [`PairScores::log_likelihood_ratio`] beyond which a test with errors of 5 % of either kind ends.
pub fn decision_bound() -> f64 {
    (0.95f64 / 0.05).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(pairs: [u64; 5]) -> PairScores {
        PairScores(pairs)
    }

    #[test]
    fn scores_become_elo() {
        let even = scores([10, 0, 30, 0, 10]);
        assert_eq!((even.count(), even.score()), (50, 0.5));
        let EloEstimate { elo, interval } = even.elo();
        assert!(elo.abs() < 1e-9 && (interval.0 + interval.1).abs() < 1e-9 && interval.1 > 20.0, "{interval:?}");
        // Three of four points are 191 Elo.
        assert!((scores([0, 0, 50, 0, 50]).elo().elo - 190.85).abs() < 0.01);
        assert!((expected_score(190.85) - 0.75).abs() < 1e-4);
        // Swapped sides are the same with another sign.
        let (one, other) = (scores([1, 2, 30, 4, 5]).elo(), scores([5, 4, 30, 2, 1]).elo());
        assert!((one.elo + other.elo).abs() < 1e-9 && (one.interval.0 + other.interval.1).abs() < 1e-9);
        // All or nothing has a bound, and an interval that is open on one side.
        let all = scores([0, 0, 0, 0, 20]).elo();
        assert!((all.elo - GREATEST).abs() < 1e-6 && all.interval.0 < 600.0, "{all:?}");
        let none = PairScores::default().elo();
        assert!(none.elo.is_finite() && none.interval.0 <= none.interval.1);
    }

    #[test]
    fn more_pairs_narrow_the_interval_and_decide() {
        let width = |n: u64| {
            let (low, high) = scores([n, 0, 4 * n, 0, 2 * n]).elo().interval;
            high - low
        };
        assert!((width(10) / width(40) - 2.0).abs() < 0.02);
        let ratio = |n: u64| scores([n, 0, 4 * n, 0, 2 * n]).log_likelihood_ratio(0.0, 30.0);
        assert!(ratio(1) < decision_bound() && ratio(20) > decision_bound(), "{} {}", ratio(1), ratio(20));
        assert!(scores([20, 0, 80, 0, 20]).log_likelihood_ratio(0.0, 30.0) < 0.0);
        assert!((decision_bound() - 2.944).abs() < 0.001);
    }

    #[test]
    fn a_few_pairs_decide_nothing() {
        let (few, more) = (scores([0, 0, 0, 0, 9]), scores([0, 0, 0, 0, 10]));
        assert!(few.log_likelihood_ratio(0.0, 300.0) > decision_bound(), "the ratio alone would decide");
        assert_eq!((few.decision(0.0, 300.0), more.decision(0.0, 300.0)), (None, Some(true)));
        assert_eq!(scores([10, 0, 0, 0, 0]).decision(0.0, 300.0), Some(false));
    }
}
