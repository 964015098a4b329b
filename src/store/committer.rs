//! The thread that writes: changes that come within a short time become one transaction.

use super::change::Change;
use super::file::{OpenDatabase, SharedStore, StoreError, open_shadow, open_verified};
use super::tables;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use redb::{Database, ReadableDatabase};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long further changes are gathered if somebody waits.
const SOON: Duration = Duration::from_millis(5);
/// How long they are gathered if nobody waits.
const LATER: Duration = Duration::from_millis(250);
/// More changes than this make a transaction of their own.
const MOST: usize = 50_000;
/// Time between two attempts to write what the disk has refused.
const AGAIN: Duration = Duration::from_secs(1);

/// Changes that are to be written.
pub struct WaitingChanges {
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// Where the result goes, if somebody waits for it.
    pub answer: Option<Sender<Result<(), String>>>,
}

/// The thread that writes. Dropping it waits until everything is written, or cannot be.
pub struct Committer {
    waiting: Option<Sender<WaitingChanges>>,
    thread: Option<JoinHandle<()>>,
}

impl Committer {
    /// Starts the thread.
    pub fn start(inner: &Arc<SharedStore>) -> Result<Committer, StoreError> {
        let (waiting, incoming) = unbounded();
        let of_thread = Arc::clone(inner);
        let builder = std::thread::Builder::new().name("store".to_owned());
        let thread = builder.spawn(move || Writing { inner: of_thread, kept: Vec::new() }.run(&incoming));
        let thread = thread.map_err(|source| StoreError::Open { path: inner.path.clone(), source })?;
        Ok(Committer { waiting: Some(waiting), thread: Some(thread) })
    }

    /// Hands over changes.
    pub fn send(&self, changes: WaitingChanges) {
        if let Some(waiting) = &self.waiting {
            let _ = waiting.send(changes);
        }
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.waiting = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Writing {
    inner: Arc<SharedStore>,
    /// Changes for which nobody waits and which the disk has refused.
    kept: Vec<Change>,
}

impl Writing {
    fn run(mut self, incoming: &Receiver<WaitingChanges>) {
        loop {
            let first = if self.kept.is_empty() {
                incoming.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                incoming.recv_timeout(AGAIN)
            };
            match first {
                Ok(first) => {
                    let batch = gather(first, incoming);
                    self.write(batch);
                }
                Err(RecvTimeoutError::Timeout) => self.write(Vec::new()),
                Err(RecvTimeoutError::Disconnected) => {
                    if !self.kept.is_empty() {
                        self.write(Vec::new());
                    }
                    return;
                }
            }
        }
    }

    /// Writes a batch after what was kept. If the disk refuses, callers who wait get the error, and nothing of theirs
    /// is kept.
    fn write(&mut self, mut batch: Vec<WaitingChanges>) {
        let changes = self.kept.iter().chain(batch.iter().flat_map(|waiting| &waiting.changes));
        let written = self.transact(changes);
        match &written {
            Ok(()) => {
                self.kept.clear();
                self.inner.set_trouble(None);
            }
            Err(reason) => {
                self.inner.set_trouble(Some(format!("cannot write {}: {reason}", self.inner.path.display())));
                let unwatched = batch.iter_mut().filter(|waiting| waiting.answer.is_none());
                self.kept.extend(unwatched.flat_map(|waiting| std::mem::take(&mut waiting.changes)));
            }
        }
        for answer in batch.into_iter().filter_map(|waiting| waiting.answer) {
            let _ = answer.send(written.clone());
        }
    }

    fn transact<'a>(&self, changes: impl Iterator<Item = &'a Change> + Clone) -> Result<(), String> {
        self.reopen()?;
        let of_grids = changes.clone().filter(|change| change.is_of_grids()).count() as u64;
        let of_accounts = changes.clone().filter(|change| change.is_of_accounts()).count() as u64;
        let written = {
            let database = self.inner.database.read().unwrap_or_else(PoisonError::into_inner);
            let Some(OpenDatabase { database, writable: true }) = &*database else {
                return Err("it is closed".to_owned());
            };
            commit(database, changes)
        };
        self.inner.changes_of_grids.fetch_add(of_grids, Ordering::SeqCst);
        self.inner.changes_of_accounts.fetch_add(of_accounts, Ordering::SeqCst);
        written.map_err(|error| {
            // redb does nothing more after an error of the disk; opened anew it has the last state that was
            // committed.
            *self.inner.database.write().unwrap_or_else(PoisonError::into_inner) = None;
            let _ = self.reopen();
            error.to_string()
        })
    }

    /// Opens the file if it was closed or could only be read; at least for reading.
    fn reopen(&self) -> Result<(), String> {
        let mut opened = self.inner.database.write().unwrap_or_else(PoisonError::into_inner);
        if opened.as_ref().is_some_and(|opened| opened.writable) {
            return Ok(());
        }
        // Its pages were verified when the store was opened; all wait while it is opened again.
        match open_verified(&self.inner) {
            Ok(database) => {
                *opened = Some(OpenDatabase { database, writable: true });
                Ok(())
            }
            Err(error) => {
                if opened.is_none() {
                    *opened =
                        open_shadow(&self.inner).ok().map(|database| OpenDatabase { database, writable: false });
                }
                Err(error.to_string())
            }
        }
    }
}

/// The first changes and whatever comes soon after them.
fn gather(first: WaitingChanges, incoming: &Receiver<WaitingChanges>) -> Vec<WaitingChanges> {
    let begun = Instant::now();
    let mut watched = first.answer.is_some();
    let mut size = first.changes.len();
    let mut batch = vec![first];
    while size < MOST {
        let until = begun + if watched { SOON } else { LATER };
        let Ok(next) = incoming.recv_deadline(until) else { break };
        watched |= next.answer.is_some();
        size += next.changes.len();
        batch.push(next);
    }
    batch
}

fn commit<'a>(database: &Database, changes: impl Iterator<Item = &'a Change>) -> Result<(), redb::Error> {
    let mut changes = changes.peekable();
    if changes.peek().is_none() {
        // Even so it says whether the file can be used.
        database.begin_read()?;
        return Ok(());
    }
    let mut transaction = database.begin_write()?;
    transaction.set_quick_repair(true);
    tables::apply(&transaction, changes)?;
    transaction.commit()?;
    Ok(())
}
