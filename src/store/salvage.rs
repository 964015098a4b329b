//! What can be read of a store that cannot be used: every row that can be reached and matches its checksum.
//!
//! The file is read over a storage that keeps writes in memory, so that nothing in it changes. A table is read from
//! its beginning until something is wrong, and then from its end. Grids are judged as any grid that is to be stored.

use super::change::{Change, ForgottenJob, UnitRecord};
use super::grids::GridRecord;
use super::review;
use super::shadow::Shadow;
use super::tables::{self, EVENTS, GRIDS, INDEX, JOBS, KEYS, META, PENDING_DELETIONS, PENDING_FOLDERS, SPECS, UNITS};
use super::tables::{index_parts, opened};
use crate::core::frame::read_row;
use redb::{Builder, Key, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, Value};
use serde::de::DeserializeOwned;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fs::File;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// What could be read of a store.
#[derive(Debug, Default)]
pub struct Remains {
    /// Records of jobs, in the daemon's own words.
    pub jobs: BTreeMap<u64, Vec<u8>>,
    /// What jobs are made of, in the daemon's own words.
    pub specs: BTreeMap<u64, Vec<u8>>,
    /// Numbers by name.
    pub numbers: BTreeMap<String, u64>,
    /// Everything else, and the note that it is to be reviewed.
    pub changes: Vec<Change>,
    /// Number of grids among the changes.
    pub grids: u64,
    /// Greatest number of an event.
    pub last_event: u64,
    /// Names of the tables of which something could not be read.
    pub damaged: Vec<&'static str>,
}

impl Remains {
    /// Reads what can be read of the file, if there is one.
    pub fn of(path: &Path) -> Remains {
        let mut remains = Remains { changes: vec![review::due()], ..Remains::default() };
        let Ok(shadow) = File::open(path).and_then(Shadow::over) else { return remains };
        // A database that does not know what to make of its file may panic, also when it is dropped.
        let database = guarded(|| Builder::new().create_with_backend(shadow).ok());
        let database = database.map(ManuallyDrop::new);
        let transaction = database.as_ref().and_then(|database| guarded(|| database.begin_read().ok()));
        match transaction.map(ManuallyDrop::new) {
            Some(transaction) => remains.read(&transaction),
            None => remains.damaged.push("all"),
        }
        remains
    }

    fn read(&mut self, transaction: &ReadTransaction) {
        let Remains { jobs, specs, numbers, changes, grids, last_event, damaged } = self;
        let mut note = |name, whole: bool| damaged.extend((!whole).then_some(name));
        note("numbers", walk(transaction, META, |name, number| _ = numbers.insert(name.to_owned(), number)));
        let bad = &mut false;
        let read = walk(transaction, JOBS, |id, row| match content(row, tables::JOB) {
            Some(bytes) => _ = jobs.insert(id, bytes.to_vec()),
            None => *bad = true,
        });
        let read = walk(transaction, SPECS, |id, row| match content(row, tables::JOB) {
            Some(bytes) => _ = specs.insert(id, bytes.to_vec()),
            None => *bad = true,
        }) && read;
        note("jobs", read && !std::mem::take(bad));
        note("keys", walk(transaction, KEYS, |key, job| changes.push(Change::Key(key.to_owned(), job))));
        let mut folders = BTreeMap::new();
        let read = walk(transaction, PENDING_FOLDERS, |id, identity| _ = folders.insert(id, identity.to_owned()));
        let read = walk(transaction, PENDING_DELETIONS, |id, ()| {
            changes.push(Change::Forget(ForgottenJob { id, key: None, identity: folders.remove(&id) }));
        }) && read;
        note("removed jobs", read);
        let read = walk(transaction, UNITS, |(job, unit), row| match value::<UnitRecord>(row, tables::UNIT) {
            Some(record) => changes.push(Change::Unit(job, unit, record)),
            None => *bad = true,
        });
        note("units", read && !std::mem::take(bad));
        let read = walk(transaction, EVENTS, |id, row| match content(row, tables::EVENT) {
            Some(bytes) => {
                *last_event = id.max(*last_event);
                changes.push(Change::Event(id, bytes.to_vec()));
            }
            None => *bad = true,
        });
        note("events", read && !std::mem::take(bad));
        let mut held = BTreeMap::new();
        let read = walk(transaction, GRIDS, |key, row| {
            match value::<GridRecord>(row, tables::GRID).filter(|grid| grid.key == key && grid.grid().is_ok()) {
                Some(grid) => _ = held.insert(key, grid),
                None => *bad = true,
            }
        });
        note("grids", read && !std::mem::take(bad));
        *grids = held.len() as u64;
        changes.extend(held.values().map(|grid| Change::Grid(Box::new(grid.clone()))));
        let read = walk(transaction, INDEX, |bytes, ()| {
            let job = bytes.strip_prefix(&[2]).and_then(|rest| rest.first_chunk::<8>());
            let (Some(job), Some((_, key))) = (job, index_parts(bytes)) else { return };
            if let Some(grid) = held.get(&key) {
                let mut grid = grid.clone();
                grid.source.job = Some(u64::from_be_bytes(*job));
                // The grid is there, so this adds it to the list of the job alone.
                changes.push(Change::Grid(Box::new(grid)));
            }
        });
        note("lists of grids", read);
    }
}

/// Goes through what can be read of a table; whether that is all of it.
fn walk<K: Key + 'static, V: Value + 'static>(
    transaction: &ReadTransaction,
    definition: TableDefinition<K, V>,
    mut each: impl FnMut(K::SelfType<'_>, V::SelfType<'_>),
) -> bool {
    let mut last: Option<Vec<u8>> = None;
    let forwards = guarded(|| {
        let Some(table) = opened(transaction.open_table(definition)).ok()? else { return Some(()) };
        for entry in table.iter().ok()? {
            let (key, value) = entry.ok()?;
            let bytes = K::as_bytes(&key.value()).as_ref().to_vec();
            // Damage can lead in circles.
            if last.as_ref().is_some_and(|last| K::compare(last, &bytes) != Ordering::Less) {
                return None;
            }
            each(key.value(), value.value());
            last = Some(bytes);
        }
        Some(())
    });
    if forwards.is_some() {
        return true;
    }
    let mut next: Option<Vec<u8>> = None;
    let _: Option<()> = guarded(|| {
        let table = opened(transaction.open_table(definition)).ok()??;
        for entry in table.iter().ok()?.rev() {
            let (key, value) = entry.ok()?;
            let bytes = K::as_bytes(&key.value()).as_ref().to_vec();
            let descends = next.as_ref().is_none_or(|next| K::compare(&bytes, next) == Ordering::Less);
            let is_new = last.as_ref().is_none_or(|last| K::compare(last, &bytes) == Ordering::Less);
            if !descends || !is_new {
                return None;
            }
            each(key.value(), value.value());
            next = Some(bytes);
        }
        None
    });
    false
}

fn guarded<T>(read: impl FnOnce() -> Option<T>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(read)).ok().flatten()
}

fn content(row: &[u8], known: u8) -> Option<&[u8]> {
    read_row(row, known).ok().map(|(_, payload)| payload)
}

fn value<T: DeserializeOwned>(row: &[u8], known: u8) -> Option<T> {
    postcard::from_bytes(content(row, known)?).ok()
}
