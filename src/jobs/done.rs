//! The set of finished units as ranges of their numbers. Units finish nearly in order, so a handful of ranges holds
//! millions of them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A set of unit numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoneSet {
    /// First number of each range and the number after its last; ranges neither meet nor overlap.
    ranges: BTreeMap<u64, u64>,
}

impl DoneSet {
    /// Adds `id`; whether it was new.
    pub fn insert(&mut self, id: u64) -> bool {
        let before = self.ranges.range(..=id).next_back().map(|(&from, &to)| (from, to));
        let (mut from, mut to) = (id, id.saturating_add(1));
        match before {
            Some((_, end)) if id < end => return false,
            Some((start, end)) if end == id => from = start,
            _ => {}
        }
        if let Some(end) = self.ranges.remove(&to) {
            to = end;
        }
        self.ranges.insert(from, to);
        true
    }

    /// Whether `id` is in the set.
    pub fn contains(&self, id: u64) -> bool {
        self.ranges.range(..=id).next_back().is_some_and(|(_, &to)| id < to)
    }

    /// How many numbers are in the set.
    pub fn len(&self) -> u64 {
        self.ranges.iter().map(|(from, to)| to - from).sum()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The number after the largest one in the set, 0 for the empty set.
    pub fn end(&self) -> u64 {
        self.ranges.last_key_value().map_or(0, |(_, &to)| to)
    }

    /// The smallest number that is not in the set.
    pub fn first_missing(&self) -> u64 {
        self.ranges.first_key_value().filter(|&(&from, _)| from == 0).map_or(0, |(_, &to)| to)
    }

    /// Whether the ranges are as [`DoneSet::insert`] leaves them: false for a set that was read from a forged file.
    pub fn is_sound(&self) -> bool {
        let mut last = None;
        self.ranges.iter().all(|(&from, &to)| {
            let sound = from < to && last.is_none_or(|end| end < from);
            last = Some(to);
            sound
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn agrees_with_a_plain_set(ids in prop::collection::vec(0u64..60, 0..120)) {
            let (mut done, mut plain) = (DoneSet::default(), BTreeSet::new());
            for id in ids {
                prop_assert_eq!(done.insert(id), plain.insert(id));
                prop_assert!(done.is_sound());
            }
            prop_assert_eq!(done.len(), plain.len() as u64);
            prop_assert_eq!(done.end(), plain.last().map_or(0, |last| last + 1));
            prop_assert_eq!(Some(done.first_missing()), (0..).find(|id| !plain.contains(id)));
            for id in 0..61 {
                prop_assert_eq!(done.contains(id), plain.contains(&id));
            }
            let runs = (0..60).filter(|id| plain.contains(id) && !plain.contains(&(id + 1))).count();
            prop_assert_eq!(done.ranges.len(), runs, "ranges that meet are one");
        }
    }
}
