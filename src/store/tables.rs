//! The tables: keys, values and how a change is written to them.

use super::accounts::{AccountRow, CreditTables};
use super::change::{Change, ForgottenJob, MOST_EVENTS, MOST_UNITS, UnitRecord};
use super::grids::{GridRecord, Scope};
use crate::core::frame::{read_row, row};
use redb::{ReadableTable, ReadableTableMetadata, Table, TableDefinition, TableError, WriteTransaction};

/// Numbers by name.
pub const META: TableDefinition<&str, u64> = TableDefinition::new("meta");
/// Jobs by number.
pub const JOBS: TableDefinition<u64, &[u8]> = TableDefinition::new("jobs");
/// What jobs are made of.
pub const SPECS: TableDefinition<u64, &[u8]> = TableDefinition::new("specs");
/// Clients' keys of jobs.
pub const KEYS: TableDefinition<&str, u64> = TableDefinition::new("keys");
/// Forgotten jobs whose files may still be there.
pub const PENDING_DELETIONS: TableDefinition<u64, ()> = TableDefinition::new("doomed");
/// What the folders of forgotten jobs are recognised by.
pub const PENDING_FOLDERS: TableDefinition<u64, &str> = TableDefinition::new("doomed folders");
/// Units by job and number.
pub const UNITS: TableDefinition<(u64, u64), &[u8]> = TableDefinition::new("units");
/// Events by number.
pub const EVENTS: TableDefinition<u64, &[u8]> = TableDefinition::new("events");
/// Grids by canonical key.
pub const GRIDS: TableDefinition<u64, &[u8]> = TableDefinition::new("grids");
/// Grids that cannot be shown, by canonical key.
pub const APART: TableDefinition<u64, &[u8]> = TableDefinition::new("grids set apart");
/// Grids that were removed, by a job that had found them and by key.
pub const REMOVED: TableDefinition<(u64, u64), ()> = TableDefinition::new("grids removed");
/// Grids by scope, descending score, and key.
pub const INDEX: TableDefinition<&[u8], ()> = TableDefinition::new("grids by score");

/// Accounts of users, by user, team, machine and day.
pub const ACCOUNTS: TableDefinition<AccountRow, &[u8]> = TableDefinition::new("accounts");
/// Claims to credit, by job, unit and worker.
pub const CLAIMS: TableDefinition<(u64, u64, u32), &[u8]> = TableDefinition::new("credit claims");
/// Messages to users by number.
pub const MESSAGES: TableDefinition<u64, &[u8]> = TableDefinition::new("messages");

/// Version of the jobs' values.
pub const JOB: u8 = 1;
/// Version of the units' values.
pub const UNIT: u8 = 1;
/// Version of the events' values.
pub const EVENT: u8 = 1;
/// Version of the grids' values.
pub const GRID: u8 = 1;

/// Version of the accounts' values.
pub const ACCOUNT: u8 = 2;
/// Version of the claims' values.
pub const CLAIM: u8 = 2;
/// Version of the messages' values.
pub const MESSAGE: u8 = 1;

/// So many of the oldest events go at once.
const EVENTS_AT_ONCE: usize = 1000;
/// Bytes of a key of the index: scope, its number, score, key.
const INDEX_KEY: usize = 1 + 8 + 4 + 8;

/// A table that may not have been made yet.
pub fn opened<T>(table: Result<T, TableError>) -> Result<Option<T>, redb::Error> {
    match table {
        Ok(table) => Ok(Some(table)),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn scope_key(scope: Scope) -> [u8; 9] {
    let (tag, number) = match scope {
        Scope::All => (0, 0),
        Scope::Variant(variant) => (1, variant as u64),
        Scope::Job(job) => (2, job),
    };
    let mut key = [tag; 9];
    key[1..].copy_from_slice(&number.to_be_bytes());
    key
}

/// The key of a grid in the index.
pub fn index_key(scope: Scope, score: u32, key: u64) -> [u8; INDEX_KEY] {
    let mut bytes = [0; INDEX_KEY];
    bytes[..9].copy_from_slice(&scope_key(scope));
    bytes[9..13].copy_from_slice(&(!score).to_be_bytes());
    bytes[13..].copy_from_slice(&key.to_be_bytes());
    bytes
}

/// The keys of a scope from a grid on, that grid included.
pub fn index_range(scope: Scope, after: Option<(u32, u64)>) -> (Vec<u8>, Vec<u8>) {
    let from = after.map_or_else(|| scope_key(scope).to_vec(), |(score, key)| index_key(scope, score, key).to_vec());
    let mut to = scope_key(scope).to_vec();
    to.extend([0xff; 13]);
    (from, to)
}

/// The keys of the scopes of all jobs.
pub fn index_range_of_jobs() -> (Vec<u8>, Vec<u8>) {
    (scope_key(Scope::Job(0)).to_vec(), index_range(Scope::Job(u64::MAX), None).1)
}

/// Score and key of a grid in the index.
pub fn index_parts(bytes: &[u8]) -> Option<(u32, u64)> {
    let bytes: &[u8; INDEX_KEY] = bytes.try_into().ok()?;
    let (_, rest) = bytes.split_first_chunk::<9>()?;
    let (score, key) = rest.split_first_chunk::<4>()?;
    Some((!u32::from_be_bytes(*score), u64::from_be_bytes(key.try_into().ok()?)))
}

/// Makes the changes, in order.
pub fn apply<'a>(
    transaction: &WriteTransaction,
    changes: impl Iterator<Item = &'a Change>,
) -> Result<(), redb::Error> {
    let mut jobs = transaction.open_table(JOBS)?;
    let mut specs = transaction.open_table(SPECS)?;
    let mut keys = transaction.open_table(KEYS)?;
    let mut pending_deletions = transaction.open_table(PENDING_DELETIONS)?;
    let mut pending_folders = transaction.open_table(PENDING_FOLDERS)?;
    let mut units = transaction.open_table(UNITS)?;
    let mut events = transaction.open_table(EVENTS)?;
    let mut grids = transaction.open_table(GRIDS)?;
    let mut apart = transaction.open_table(APART)?;
    let mut removed = transaction.open_table(REMOVED)?;
    let mut index = transaction.open_table(INDEX)?;
    let mut meta = transaction.open_table(META)?;
    let mut credit = CreditTables::open(transaction)?;
    for change in changes {
        match change {
            Change::Job(id, bytes) => drop(jobs.insert(id, row(JOB, bytes).as_slice())?),
            Change::Spec(id, bytes) => drop(specs.insert(id, row(JOB, bytes).as_slice())?),
            Change::Key(key, job) => drop(keys.insert(key.as_str(), job)?),
            Change::Forget(ForgottenJob { id, key, identity }) => {
                jobs.remove(id)?;
                specs.remove(id)?;
                if let Some(key) = key {
                    keys.remove(key.as_str())?;
                }
                units.retain_in((*id, 0)..=(*id, u64::MAX), |_, _| false)?;
                let (from, to) = index_range(Scope::Job(*id), None);
                index.retain_in::<&[u8], _>(from.as_slice()..to.as_slice(), |_, ()| false)?;
                removed.retain_in((*id, 0)..=(*id, u64::MAX), |_, ()| false)?;
                credit.forget(*id)?;
                pending_deletions.insert(id, ())?;
                if let Some(identity) = identity {
                    pending_folders.insert(id, identity.as_str())?;
                }
            }
            Change::Purged(id) => {
                pending_deletions.remove(id)?;
                pending_folders.remove(id)?;
            }
            Change::SummariseUnits(job) => {
                let quarantined = |value: &[u8]| {
                    let record = read_row(value, UNIT).ok();
                    let record = record.and_then(|(_, bytes)| postcard::from_bytes::<UnitRecord>(bytes).ok());
                    record.is_none_or(|record| record.quarantined)
                };
                units.retain_in((*job, 0)..=(*job, u64::MAX), |_, value| quarantined(value))?;
                credit.forget(*job)?;
            }
            Change::Unit(job, unit, record) if *unit >= MOST_UNITS && !record.quarantined => {
                units.remove((*job, *unit))?;
            }
            Change::Unit(job, unit, record) => {
                units.insert((*job, *unit), row(UNIT, &encoded(record)).as_slice())?;
            }
            Change::Event(id, bytes) => {
                events.insert(id, row(EVENT, bytes).as_slice())?;
                if events.len()? >= MOST_EVENTS + EVENTS_AT_ONCE as u64 {
                    let old = events.iter()?.take(EVENTS_AT_ONCE).map(|entry| Ok(entry?.0.value()));
                    let old: Result<Vec<u64>, redb::Error> = old.collect();
                    for id in old? {
                        events.remove(id)?;
                    }
                }
            }
            Change::Grid(grid) => {
                let mut grid = grid.clone();
                let (own, beside) = (grid.key, grid.key_beside());
                if let Some(job) = grid.source.job
                    && (removed.get((job, own))?.is_some() || removed.get((job, beside))?.is_some())
                {
                    continue;
                }
                let held = |key| Ok::<_, redb::Error>(grids.get(key)?.and_then(|value| grid_of(value.value())));
                grid.make_way(held(own)?.as_ref(), held(beside)?.as_ref());
                let GridRecord { key, variant, score, .. } = *grid;
                if grids.get(key)?.is_none() {
                    grids.insert(key, row(GRID, &encoded(&grid)).as_slice())?;
                    index.insert(index_key(Scope::All, score, key).as_slice(), ())?;
                    index.insert(index_key(Scope::Variant(variant), score, key).as_slice(), ())?;
                }
                if let Some(job) = grid.source.job {
                    index.insert(index_key(Scope::Job(job), score, key).as_slice(), ())?;
                }
            }
            Change::SetApart(key) => {
                let value = grids.remove(key)?.map(|value| value.value().to_vec());
                if let Some(value) = value {
                    let jobs = jobs.iter()?.map(|entry| Ok(entry?.0.value())).collect::<Result<_, redb::Error>>()?;
                    unlist(&mut index, &value, jobs)?;
                    apart.insert(key, value.as_slice())?;
                }
            }
            Change::RemoveGrid(key) => {
                apart.remove(key)?;
                let value = grids.remove(key)?.map(|value| value.value().to_vec());
                if let Some(value) = value {
                    let jobs = jobs.iter()?.map(|entry| Ok(entry?.0.value())).collect::<Result<_, redb::Error>>()?;
                    for job in unlist(&mut index, &value, jobs)? {
                        removed.insert((job, *key), ())?;
                    }
                }
            }
            Change::GridRemoved(job, key) => drop(removed.insert((*job, *key), ())?),
            Change::NotOfJob(job, score, key) => {
                index.remove(index_key(Scope::Job(*job), *score, *key).as_slice())?;
            }
            Change::Number(name, number) => drop(meta.insert(*name, number)?),
            Change::Grant(..)
            | Change::Claim { .. }
            | Change::GrantClaims(..)
            | Change::RefuseClaims(..)
            | Change::Account(..)
            | Change::KeptClaim(..)
            | Change::Message(..) => credit.apply(change, &units)?,
        }
    }
    Ok(())
}

/// Takes a grid out of all lists: `value` is its row, `jobs` are the jobs that may have found it. Those that had.
fn unlist(index: &mut Table<&[u8], ()>, value: &[u8], jobs: Vec<u64>) -> Result<Vec<u64>, redb::Error> {
    let Some(GridRecord { key, variant, score, source, .. }) = grid_of(value) else { return Ok(Vec::new()) };
    for scope in [Scope::All, Scope::Variant(variant)] {
        index.remove(index_key(scope, score, key).as_slice())?;
    }
    let mut found_by = Vec::new();
    for job in jobs.into_iter().chain(source.job) {
        if index.remove(index_key(Scope::Job(job), score, key).as_slice())?.is_some() {
            found_by.push(job);
        }
    }
    Ok(found_by)
}

/// The grid of a row, if it can be read.
fn grid_of(value: &[u8]) -> Option<GridRecord> {
    read_row(value, GRID).ok().and_then(|(_, payload)| postcard::from_bytes(payload).ok())
}

/// A value as bytes.
///
/// # Panics
/// If it is one that the encoding does not have.
pub fn encoded<T: serde::Serialize>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).expect("numbers and texts can be written")
}
