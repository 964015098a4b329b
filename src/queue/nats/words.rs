//! The words of a turn in the order in which they were said.
//!
//! What the server has sent over a connection that was lost it sends again some seconds later, when it has already
//! sent what was said after it. It may also send a word twice. A best score, for example, is believed only after its
//! grid, and a state comes in parts. So words are numbered, and those that come early wait.

use super::message::{MOST_BYTES, Word};
use std::collections::BTreeMap;

/// Bytes that a word takes at least while it waits.
const LEAST: usize = 200;

/// Puts the words of one turn into their order, and drops those that were heard before.
#[derive(Debug, Default)]
pub struct WordQueue {
    /// Number of words that were taken out.
    heard: u64,
    /// The others, by their numbers.
    waiting: BTreeMap<u64, Word>,
    /// Bytes that they take.
    bytes: usize,
}

impl WordQueue {
    /// Puts a word in that came in a message of so many bytes; not if those that wait are too many.
    pub fn put(&mut self, number: u64, word: Word, bytes: usize) -> bool {
        if number < self.heard || self.waiting.contains_key(&number) {
            return true;
        }
        let after = self.bytes + bytes + LEAST;
        let fits = number == self.heard || after <= MOST_BYTES;
        if fits {
            self.waiting.insert(number, word);
            self.bytes = after;
        }
        fits
    }

    /// The next word, if it is here.
    pub fn next(&mut self) -> Option<Word> {
        let word = self.waiting.remove(&self.heard)?;
        self.heard += 1;
        if self.waiting.is_empty() {
            self.bytes = 0;
        }
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(number: u64) -> Word {
        Word::Unit(vec![number as u8])
    }

    #[test]
    fn words_come_out_once_and_in_their_order() {
        let mut queue = WordQueue::default();
        let mut heard = Vec::new();
        for number in [2, 0, 0, 1, 3, 1, 5, 5, 2, 4, 0, 6] {
            assert!(queue.put(number, word(number), 1));
            heard.extend(std::iter::from_fn(|| queue.next()));
        }
        assert_eq!(heard, (0..7).map(word).collect::<Vec<_>>());
        assert_eq!(queue.bytes, 0);
    }

    #[test]
    fn not_everything_waits() {
        let mut queue = WordQueue::default();
        assert!(queue.put(1, word(1), MOST_BYTES / 2));
        assert!(!queue.put(2, word(2), MOST_BYTES / 2));
        // The one that the others wait for is taken however much waits.
        assert!(queue.put(0, word(0), MOST_BYTES / 2));
        assert_eq!((queue.next(), queue.next(), queue.next()), (Some(word(0)), Some(word(1)), None));
        assert!(queue.put(2, word(2), MOST_BYTES / 2));
    }
}
