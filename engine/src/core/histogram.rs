//! How often each score came up: what a search counts per nesting level.
//!
//! A score is below 512 (no game of any variant that a search plays has more than 487 moves), so that counting is one
//! addition at a masked place and costs a hot loop nothing that can be measured. Only scores that came up are saved.

use serde::{Deserialize, Serialize};

/// Scores are below this.
pub const SCORES: usize = 512;
/// No count that is read from a file may be above this, so that counting on never overflows.
const MOST: u64 = 1 << 62;

/// Counts of scores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Vec<(u16, u64)>", try_from = "Vec<(u16, u64)>")]
pub struct Histogram {
    counts: Box<[u64; SCORES]>,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { counts: Box::new([0; SCORES]) }
    }
}

impl Histogram {
    /// Counts a score, which is below [`SCORES`].
    #[inline(always)]
    pub fn add(&mut self, score: usize) {
        debug_assert!(score < SCORES);
        self.counts[score & (SCORES - 1)] += 1;
    }

    /// How often a score came up.
    #[inline(always)]
    pub fn count(&self, score: usize) -> u64 {
        self.counts.get(score).copied().unwrap_or(0)
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Histogram) {
        for (count, more) in self.counts.iter_mut().zip(other.counts.iter()) {
            *count = count.saturating_add(*more);
        }
    }

    /// Sets all counts to zero.
    pub fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// The scores that came up, ascending, and how often each did.
    pub fn counts(&self) -> impl DoubleEndedIterator<Item = (u32, u64)> + '_ {
        (0..SCORES as u32).zip(self.counts.iter().copied()).filter(|&(_, count)| count > 0)
    }

    /// All counts together.
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// Whether nothing has been counted.
    pub fn is_empty(&self) -> bool {
        self.counts.iter().all(|&count| count == 0)
    }

    /// Mean score; nothing without counts.
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self.counts().map(|(score, count)| f64::from(score) * count as f64).sum();
        (!self.is_empty()).then(|| sum / self.total() as f64)
    }

    /// The smallest score that at least the share `share` (0..=1) of all counts does not exceed: 0 gives the least
    /// score,
    /// 0.5 the (lower) median, 1 the largest; nothing without counts.
    pub fn quantile(&self, share: f64) -> Option<u32> {
        let wanted = ((self.total() as f64 * share).ceil() as u64).max(1);
        let mut seen = 0u64;
        let reached = self.counts().find(|&(_, count)| {
            seen = seen.saturating_add(count);
            seen >= wanted
        });
        reached.or_else(|| self.counts().next_back()).map(|(score, _)| score)
    }
}

/// More nesting levels than any search has.
const MOST_LEVELS: usize = 16;

/// Results per nesting level of one or more searches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Vec<(u16, u64)>>")]
pub struct Results(Vec<Histogram>);

impl Results {
    /// Level by level, from 0.
    pub fn levels(&self) -> &[Histogram] {
        &self.0
    }

    /// Adds the counts of each level.
    pub fn merge(&mut self, more: &[Histogram]) {
        if self.0.len() < more.len() {
            self.0.resize(more.len(), Histogram::default());
        }
        for (sum, more) in self.0.iter_mut().zip(more) {
            sum.merge(more);
        }
    }
}

impl From<&[Histogram]> for Results {
    fn from(levels: &[Histogram]) -> Results {
        Results(levels.to_vec())
    }
}

impl TryFrom<Vec<Vec<(u16, u64)>>> for Results {
    type Error = BadCount;

    fn try_from(levels: Vec<Vec<(u16, u64)>>) -> Result<Results, BadCount> {
        if levels.len() > MOST_LEVELS {
            return Err(BadCount::Levels(levels.len()));
        }
        levels.into_iter().map(Histogram::try_from).collect::<Result<_, _>>().map(Results)
    }
}

impl From<Histogram> for Vec<(u16, u64)> {
    fn from(histogram: Histogram) -> Vec<(u16, u64)> {
        histogram.counts().map(|(score, count)| (score as u16, count)).collect()
    }
}

/// Saved counts that are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadCount {
    /// A score or a count is too large, or a score is counted twice.
    #[error("{count} results of {score} moves are impossible, or counted twice")]
    Count {
        /// The score that was counted, in moves.
        score: u16,
        /// How often it is said to have occurred.
        count: u64,
    },
    /// There are too many levels.
    #[error("results of {0} nesting levels, but at most {MOST_LEVELS} are possible")]
    Levels(usize),
}

impl TryFrom<Vec<(u16, u64)>> for Histogram {
    type Error = BadCount;

    fn try_from(counts: Vec<(u16, u64)>) -> Result<Histogram, BadCount> {
        let mut histogram = Histogram::default();
        for (score, count) in counts {
            match histogram.counts.get_mut(usize::from(score)) {
                Some(place) if *place == 0 && count <= MOST => *place = count,
                _ => return Err(BadCount::Count { score, count }),
            }
        }
        Ok(histogram)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn figures_are_those_of_the_sorted_list(mut scores in prop::collection::vec(0usize..SCORES, 1..60), share in 0.0..=1.0f64) {
            let mut histogram = Histogram::default();
            scores.iter().for_each(|&score| histogram.add(score));
            scores.sort_unstable();
            let at = ((scores.len() as f64 * share).ceil() as usize).max(1) - 1;
            prop_assert_eq!(histogram.quantile(share), Some(scores[at] as u32));
            prop_assert_eq!(histogram.total(), scores.len() as u64);
            let mean = scores.iter().sum::<usize>() as f64 / scores.len() as f64;
            prop_assert!((histogram.mean().unwrap() - mean).abs() < 1e-9);
            let bytes = postcard::to_stdvec(&histogram).unwrap();
            prop_assert_eq!(postcard::from_bytes::<Histogram>(&bytes).unwrap(), histogram.clone());
            let mut twice = Results::from(&[histogram.clone()][..]);
            twice.merge(&[histogram.clone(), histogram.clone()]);
            prop_assert_eq!(twice.levels()[0].total(), 2 * histogram.total());
            prop_assert_eq!(&twice.levels()[1], &histogram);
            let bytes = postcard::to_stdvec(&twice).unwrap();
            prop_assert_eq!(postcard::from_bytes::<Results>(&bytes).unwrap(), twice);
        }
    }

    #[test]
    fn impossible_counts_are_refused_and_nothing_has_no_figures() {
        for counts in [vec![(512u16, 1u64)], vec![(3, u64::MAX)], vec![(3, 1), (3, 1)]] {
            let bytes = postcard::to_stdvec(&counts).unwrap();
            assert!(postcard::from_bytes::<Histogram>(&bytes).is_err(), "{counts:?}");
        }
        let levels = postcard::to_stdvec(&vec![Histogram::default(); MOST_LEVELS + 1]).unwrap();
        assert!(postcard::from_bytes::<Results>(&levels).is_err());
        let none = Histogram::default();
        assert_eq!((none.mean(), none.quantile(0.5), none.total(), none.is_empty()), (None, None, 0, true));
    }
}
