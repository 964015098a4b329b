//! Messages for the log that clients can cause again and again: each is said once a minute, with the number of times
//! that it was left out.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time after which a message is said again.
const AGAIN: Duration = Duration::from_secs(60);
/// Most messages that are told apart in that time; others are left out.
const MOST: usize = 64;

/// What was said lately.
#[derive(Default)]
pub struct RepeatedMessages(Mutex<HashMap<String, Said>>);

struct Said {
    at: Instant,
    left_out: u64,
}

impl RepeatedMessages {
    /// Whether a message is to be said now; then, how often it was left out since it was last said.
    pub fn is_due(&self, text: &str, now: Instant) -> Option<u64> {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = said.get_mut(text) {
            if now.saturating_duration_since(known.at) < AGAIN {
                known.left_out = known.left_out.saturating_add(1);
                return None;
            }
            known.at = now;
            return Some(std::mem::take(&mut known.left_out));
        }
        if said.len() >= MOST {
            said.retain(|_, known| now.saturating_duration_since(known.at) < AGAIN);
        }
        if said.len() >= MOST {
            return None;
        }
        said.insert(text.to_owned(), Said { at: now, left_out: 0 });
        Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_said_once_a_minute() {
        let (messages, began) = (RepeatedMessages::default(), Instant::now());
        let at = |seconds| began + Duration::from_secs(seconds);
        let said: Vec<u64> = (0..600).filter_map(|second| messages.is_due("the disk is full", at(second))).collect();
        assert_eq!(said, [0, 59, 59, 59, 59, 59, 59, 59, 59, 59]);
        assert_eq!(messages.is_due("another", at(600)), Some(0));
        // Texts that differ do not fill the log, nor the memory.
        let many = (0..100_000).filter_map(|n| messages.is_due(&n.to_string(), at(601))).count();
        assert!((1..MOST).contains(&many), "{many}");
        assert_eq!(messages.is_due("later", at(700)), Some(0));
    }
}
