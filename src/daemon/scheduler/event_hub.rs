//! Events: numbered, stored but for progress, and sent to all observers.
//!
//! Numbers ascend over all sessions of the daemon. Events that are not stored use up numbers, too, so a block of
//! numbers is reserved in the store before any of them is used.

use super::event_log;
use crate::daemon::view::{EventKind, EventView, JobId, VERSION};
use crate::runner::clock::now;
use crate::store::{Change, Store, StoreError};
use std::sync::{Mutex, PoisonError};
use tokio::sync::broadcast;

/// Numbers reserved at a time.
const BLOCK: u64 = 1 << 16;
/// Events that an observer may be behind. After that it loses the oldest.
const BEHIND: usize = 4096;
/// Name in the store of the number below which all numbers may have been used.
pub const RESERVED: &str = "events reserved";

/// Numbers events, stores them, and sends them to the observers.
pub struct EventHub {
    numbers: Mutex<EventNumbers>,
    observers: broadcast::Sender<EventView>,
}

struct EventNumbers {
    next: u64,
    reserved: u64,
}

impl EventHub {
    /// Continues after the last number of an earlier session.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn open(store: &Store) -> Result<EventHub, StoreError> {
        let next = store.number(RESERVED)?.unwrap_or(1);
        store.commit(vec![Change::Number(RESERVED, next + BLOCK)])?;
        let numbers = Mutex::new(EventNumbers { next, reserved: next + BLOCK });
        Ok(EventHub { numbers, observers: broadcast::channel(BEHIND).0 })
    }

    /// Sends an event to the observers and to the log, and stores it if it is not progress.
    pub fn publish(&self, store: &Store, job: Option<JobId>, what: EventKind) {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changes = Vec::new();
        if numbers.next + 1 >= numbers.reserved {
            // A crash before this is written can at worst use numbers of events again that were not stored.
            numbers.reserved += BLOCK;
            changes.push(Change::Number(RESERVED, numbers.reserved));
        }
        event_log::tell(job, &what);
        let event = EventView { v: VERSION, id: numbers.next, time: now(), job, what };
        numbers.next += 1;
        if !matches!(event.what, EventKind::Progress { .. })
            && let Ok(bytes) = serde_json::to_vec(&event)
        {
            changes.push(Change::Event(event.id, bytes));
        }
        if !changes.is_empty() {
            store.later(changes);
        }
        // It fails if there is no observer.
        let _ = self.observers.send(event);
    }

    /// All events from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<EventView> {
        self.observers.subscribe()
    }
}
