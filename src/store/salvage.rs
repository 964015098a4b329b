//! What can be read of a store that cannot be used: every row that can be reached and matches its checksum.
//!
//! The file is read over a storage that keeps writes in memory, so that nothing in it changes. A table is read from
//! its beginning until something is wrong, and then from its end. Grids are judged as any grid that is to be stored.
//!
//! Damage can make a page its own descendant, and redb would descend for ever. So the pages that are read for one row
//! are bounded, and nothing is kept in a cache, which would hide the reads. What is read in all is bounded, too: keys
//! ascend, and of each table only so many rows are kept.

use super::accounts::{AccountKey, account_of, claim_of};
use super::change::{Change, ForgottenJob, MOST_EVENTS, UnitRecord};
use super::grids::GridRecord;
use super::review;
use super::shadow::{PAGE, Shadow, ShadowContent};
use super::tables::{self, EVENTS, GRIDS, INDEX, JOBS, KEYS, META, PENDING_DELETIONS, PENDING_FOLDERS, SPECS, UNITS};
use super::tables::{ACCOUNTS, CLAIMS, MESSAGES, REMOVED};
use super::tables::{index_parts, opened};
use crate::core::frame::read_row;
use redb::{Builder, Key, ReadTransaction, ReadableDatabase, ReadableTable, StorageBackend, TableDefinition, Value};
use serde::de::DeserializeOwned;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fs::File;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Pages that are read for a row at most: many times the height of a tree.
const READS_OF_ROW: u64 = 1000;
/// Reads for opening a file at most: of each page, and in addition to that.
const READS_TO_OPEN: (u64, u64) = (64, 10_000);
/// Reads of one page for that at most. A page that is its own descendant is no deeper than this, which a stack holds.
const READS_OF_PAGE: u32 = 500;
/// Most rows that are kept of a table: many times what a daemon has.
const MOST_ROWS: usize = 1 << 22;
/// Most jobs that are kept, and their specifications.
const MOST_JOBS: usize = 1 << 18;

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
        let content = shadow.content();
        let pages = shadow.len().unwrap_or(0) / PAGE;
        let most = pages.saturating_mul(READS_TO_OPEN.0).saturating_add(READS_TO_OPEN.1);
        content.allow(most, READS_OF_PAGE);
        // A database that does not know what to make of its file may panic, also when it is dropped.
        let database = guarded(|| Builder::new().set_cache_size(0).create_with_backend(shadow).ok());
        let database = database.map(ManuallyDrop::new);
        let transaction = database.as_ref().and_then(|database| guarded(|| database.begin_read().ok()));
        match transaction.map(ManuallyDrop::new) {
            Some(transaction) => remains.read(&Pages { transaction: &transaction, content: &content }),
            None => remains.damaged.push("all"),
        }
        remains
    }

    fn read(&mut self, transaction: &Pages) {
        let Remains { jobs, specs, numbers, changes, grids, last_event, damaged } = self;
        let mut note = |name, whole: bool| damaged.extend((!whole).then_some(name));
        note("numbers", walk(transaction, META, |name, number| _ = numbers.insert(name.to_owned(), number)));
        let bad = &mut false;
        let read = walk(transaction, JOBS, |id, row| match content(row, tables::JOB) {
            Some(bytes) if jobs.len() < MOST_JOBS => _ = jobs.insert(id, bytes.to_vec()),
            _ => *bad = true,
        });
        let read = walk(transaction, SPECS, |id, row| match content(row, tables::JOB) {
            Some(bytes) if specs.len() < MOST_JOBS => _ = specs.insert(id, bytes.to_vec()),
            _ => *bad = true,
        }) && read;
        note("jobs", read && !std::mem::take(bad));
        note("keys", walk(transaction, KEYS, |key, job| changes.push(Change::Key(key.to_owned(), job))));
        let read = walk(transaction, REMOVED, |(job, key), ()| changes.push(Change::GridRemoved(job, key)));
        note("removed grids", read);
        let read = walk(transaction, ACCOUNTS, |(user, team, machine, day), row| {
            let (user, team, machine) = (user.to_owned(), team.to_owned(), machine.to_owned());
            match account_of(row) {
                Some(account) => changes.push(Change::Account(AccountKey { user, team, machine, day }, account)),
                None => *bad = true,
            }
        });
        note("accounts", read && !std::mem::take(bad));
        let read = walk(transaction, CLAIMS, |place, row| match claim_of(row) {
            Some(claim) => changes.push(Change::KeptClaim(place, claim)),
            None => *bad = true,
        });
        note("claims to credit", read && !std::mem::take(bad));
        let read = walk(transaction, MESSAGES, |number, row| match content(row, tables::MESSAGE) {
            Some(bytes) => changes.push(Change::Message(number, bytes.to_vec())),
            None => *bad = true,
        });
        note("messages", read && !std::mem::take(bad));
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
        // The newest ones, as in a store.
        let mut newest = BTreeMap::new();
        let read = walk(transaction, EVENTS, |id, row| match content(row, tables::EVENT) {
            Some(bytes) => {
                newest.insert(id, bytes.to_vec());
                if newest.len() as u64 > MOST_EVENTS {
                    newest.pop_first();
                }
            }
            None => *bad = true,
        });
        note("events", read && !std::mem::take(bad));
        *last_event = newest.last_key_value().map_or(0, |(&id, _)| id);
        changes.extend(newest.into_iter().map(|(id, bytes)| Change::Event(id, bytes)));
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

/// The pages of a store, of which so many are read at a time.
struct Pages<'a> {
    transaction: &'a ReadTransaction,
    content: &'a ShadowContent,
}

impl Pages<'_> {
    fn open<K: Key + 'static, V: Value + 'static>(
        &self,
        definition: TableDefinition<K, V>,
    ) -> Option<Option<redb::ReadOnlyTable<K, V>>> {
        self.content.allow(READS_OF_ROW, u32::MAX);
        opened(self.transaction.open_table(definition)).ok()
    }
}

/// Goes through what can be read of a table; whether that is all of it.
fn walk<K: Key + 'static, V: Value + 'static>(
    pages: &Pages,
    definition: TableDefinition<K, V>,
    mut each: impl FnMut(K::SelfType<'_>, V::SelfType<'_>),
) -> bool {
    let (mut last, mut rows): (Option<Vec<u8>>, usize) = (None, 0);
    let forwards = guarded(|| {
        let Some(table) = pages.open(definition)? else { return Some(()) };
        let mut entries = table.iter().ok()?;
        loop {
            pages.content.allow(READS_OF_ROW, u32::MAX);
            let Some(entry) = entries.next() else { return Some(()) };
            let (key, value) = entry.ok()?;
            let bytes = K::as_bytes(&key.value()).as_ref().to_vec();
            // Damage can lead in circles.
            if rows >= MOST_ROWS || last.as_ref().is_some_and(|last| K::compare(last, &bytes) != Ordering::Less) {
                return None;
            }
            each(key.value(), value.value());
            (last, rows) = (Some(bytes), rows + 1);
        }
    });
    if forwards.is_some() {
        return true;
    }
    let mut next: Option<Vec<u8>> = None;
    let _: Option<()> = guarded(|| {
        let table = pages.open(definition)??;
        let mut entries = table.iter().ok()?;
        loop {
            pages.content.allow(READS_OF_ROW, u32::MAX);
            let (key, value) = entries.next_back()?.ok()?;
            let bytes = K::as_bytes(&key.value()).as_ref().to_vec();
            let descends = next.as_ref().is_none_or(|next| K::compare(&bytes, next) == Ordering::Less);
            let is_new = last.as_ref().is_none_or(|last| K::compare(last, &bytes) == Ordering::Less);
            if rows >= MOST_ROWS || !descends || !is_new {
                return None;
            }
            each(key.value(), value.value());
            (next, rows) = (Some(bytes), rows + 1);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{FILE, Store};

    const JOBS_HERE: u64 = 3000;
    /// What a page of a branch begins with, and what is before its children in it.
    const BRANCH: u8 = 2;
    const BEFORE: usize = 8;
    const SUM: usize = 16;

    /// The file of a store with many jobs and events.
    fn file() -> Vec<u8> {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let text = |id: u64| format!("{{\"id\":{id},\"text\":\"{}\"}}", "x".repeat(60)).into_bytes();
        let changes = (1..=JOBS_HERE).flat_map(|id| [Change::Job(id, text(id)), Change::Event(id, text(id))]);
        store.commit(changes.collect()).unwrap();
        drop(store);
        std::fs::read(dir.path().join(FILE)).unwrap()
    }

    #[test]
    fn pages_that_lead_in_circles_do_not_keep_it() {
        let whole = file();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        let of = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            Remains::of(&path)
        };
        let all = of(&whole);
        assert_eq!((all.jobs.len() as u64, all.last_event), (JOBS_HERE, JOBS_HERE), "{:?}", all.damaged);
        assert!(all.damaged.is_empty());
        let (mut circles, mut damaged) = (0, 0);
        for (number, page) in (0..).zip(whole.chunks_exact(PAGE as usize)).skip(1) {
            let keys = usize::from(u16::from_le_bytes([page[2], page[3]]));
            let children = BEFORE + SUM * (keys + 1);
            if page[0] != BRANCH || keys == 0 || children + 8 * (keys + 1) > page.len() {
                continue;
            }
            // Each of its children in turn, the first, the last or all of them, is the page itself.
            for chosen in [0..1, keys..keys + 1, 0..keys + 1] {
                let mut bytes = whole.clone();
                for child in chosen {
                    let at = number * PAGE as usize + children + 8 * child;
                    bytes[at..at + 8].copy_from_slice(&(number as u64 - 1).to_le_bytes());
                }
                circles += 1;
                let found = of(&bytes);
                assert!(found.jobs.len() as u64 <= JOBS_HERE && found.last_event <= JOBS_HERE);
                damaged += usize::from(!found.damaged.is_empty());
            }
        }
        println!("{circles} circles, {damaged} noticed");
        // There are old pages, too, which nothing leads to any more.
        assert!(circles >= 6 && damaged >= 3, "{circles} circles, {damaged} noticed");
    }
}
