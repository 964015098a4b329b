//! Events: numbered, stored in part, and told to whoever listens.
//!
//! Numbers ascend over all sessions of the daemon. Those of events that are not stored are used up, too, so a block of numbers
//! is reserved in the store before any of it is used.

use crate::daemon::view::{EventKind, EventView, JobId, VERSION};
use crate::store::{Change, Store, StoreError};
use std::sync::{Mutex, PoisonError};
use tokio::sync::broadcast;

/// Numbers reserved at a time.
const BLOCK: u64 = 1 << 16;
/// A listener that is so many events behind loses the oldest.
const BEHIND: usize = 4096;
/// Name of the number in the store below which all numbers may have been used.
const RESERVED: &str = "events reserved";

/// The events.
pub struct EventHub {
    numbers: Mutex<EventNumbers>,
    listeners: broadcast::Sender<EventView>,
}

struct EventNumbers {
    next: u64,
    reserved: u64,
}

impl EventHub {
    /// Goes on after the last number of an earlier session.
    pub fn open(store: &Store) -> Result<EventHub, StoreError> {
        let next = store.number(RESERVED)?.unwrap_or(1);
        store.commit(vec![Change::Number(RESERVED, next + BLOCK)])?;
        let numbers = Mutex::new(EventNumbers { next, reserved: next + BLOCK });
        Ok(EventHub { numbers, listeners: broadcast::channel(BEHIND).0 })
    }

    /// Tells of an event; all but progress is stored, too.
    pub fn tell(&self, store: &Store, job: Option<JobId>, what: EventKind) {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changes = Vec::new();
        if numbers.next + 1 >= numbers.reserved {
            // A crash before this is written can at worst use numbers of unstored events again.
            numbers.reserved += BLOCK;
            changes.push(Change::Number(RESERVED, numbers.reserved));
        }
        let event = EventView { v: VERSION, id: numbers.next, time: super::now(), job, what };
        numbers.next += 1;
        if !matches!(event.what, EventKind::Progress { .. })
            && let Ok(bytes) = serde_json::to_vec(&event)
        {
            changes.push(Change::Event(event.id, bytes));
        }
        if !changes.is_empty() {
            store.later(changes);
        }
        // Nobody may be listening.
        let _ = self.listeners.send(event);
    }

    /// A listener to all that comes.
    pub fn listen(&self) -> broadcast::Receiver<EventView> {
        self.listeners.subscribe()
    }
}
