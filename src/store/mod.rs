//! The daemon's store: one file (redb) with jobs, units, events and the archive of grids.
//!
//! All writing goes through one thread (`committer`), which gathers the changes of some milliseconds into one
//! transaction. A caller that needs durability waits for it ([`Store::commit`]); others do not ([`Store::later`]). If
//! the disk refuses, changes for which nobody waits are kept in memory and written when there is room again;
//! meanwhile [`Store::trouble`] says so. A file that may only be read for now can still be read (`shadow`).
//!
//! Each value carries a version and a CRC-32. On opening, redb checks the sums of all pages, and every value is read.
//! A file that is damaged or newer than this program is reported, and its content is left alone. redb's quick repair
//! is on: after a crash the file opens at once.

pub mod accounts;
mod change;
mod committer;
mod copy;
mod file;
pub mod grids;
pub mod integrity;
mod review;
pub mod salvage;
mod shadow;
mod tables;

use crate::core::frame::{Flaw, read_row};
use crate::core::panic::catch_quietly;
pub use change::{Change, ForgottenJob, MOST_EVENTS, MOST_UNITS, UnitRecord};
use committer::{Committer, WaitingChanges};
pub use file::StoreError;
use file::{OpenDatabase, SharedStore, open_database, open_shadow};
use grids::{GridRecord, Scope};
use redb::{ReadTransaction, ReadableDatabase, ReadableTableMetadata, TableDefinition};
pub use review::GridReview;
use serde::Deserialize;
use std::ops::RangeBounds;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use tables::{APART, EVENTS, GRIDS, JOBS, KEYS, MESSAGES, META, PENDING_DELETIONS, PENDING_FOLDERS, SPECS, UNITS};
use tables::{index_range, opened};

/// Version of the whole file: of its tables and keys.
pub const VERSION: u64 = 1;
/// Name of the file in the state directory.
pub const FILE: &str = "morpion.redb";
/// The store. Dropping it writes what is still to be written.
pub struct Store {
    inner: Arc<SharedStore>,
    committer: Committer,
}

impl Store {
    /// Opens the store of a state directory; it is made if it is missing, for its owner alone.
    ///
    /// # Errors
    /// If it cannot be opened, is in use, damaged, or newer than this program.
    pub fn open(directory: &Path) -> Result<Store, StoreError> {
        let path = directory.join(FILE);
        let inner = SharedStore::closed(path);
        let database = OpenDatabase { database: open_database(&inner)?, writable: true };
        *inner.database.write().unwrap_or_else(PoisonError::into_inner) = Some(database);
        let store = Store { committer: Committer::start(&inner)?, inner };
        match catch_quietly(|| store.check()) {
            Ok(checked) => checked?,
            Err(_) => return Err(store.inner.damaged("its content cannot be read")),
        }
        Ok(store)
    }

    /// Opens the store of a daemon that does not run to read it. Nothing is written, and its values are checked as
    /// they are read. The caller sees to it that no daemon starts meanwhile.
    ///
    /// # Errors
    /// If it is missing, in use, damaged, or newer than this program.
    pub fn open_to_read(directory: &Path) -> Result<Store, StoreError> {
        let path = directory.join(FILE);
        let inner = SharedStore::closed(path);
        let database = OpenDatabase { database: open_shadow(&inner)?, writable: false };
        *inner.database.write().unwrap_or_else(PoisonError::into_inner) = Some(database);
        let store = Store { committer: Committer::start(&inner)?, inner };
        store.check_version()?;
        Ok(store)
    }

    /// Makes the changes and returns when no crash and no power cut loses them.
    ///
    /// # Errors
    /// If they cannot be written; none of them is made then.
    pub fn commit(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        let (answer, answered) = crossbeam_channel::bounded(1);
        self.committer.send(WaitingChanges { changes, answer: Some(answer) });
        match answered.recv() {
            Ok(Ok(())) => Ok(()),
            Ok(Err(reason)) => Err(self.inner.refused(reason)),
            Err(_) => Err(self.inner.refused("the store is closed")),
        }
    }

    /// Makes the changes soon, in order with all others. They survive the disk being full, but not a crash before.
    pub fn later(&self, changes: Vec<Change>) {
        self.committer.send(WaitingChanges { changes, answer: None });
    }

    /// Returns when all changes until now are safe.
    ///
    /// # Errors
    /// If they cannot be written; they are kept for later.
    pub fn barrier(&self) -> Result<(), StoreError> {
        self.commit(Vec::new())
    }

    /// What keeps the store from writing, if anything does.
    pub fn trouble(&self) -> Option<String> {
        self.inner.trouble()
    }

    /// Reads everything, so that damage is found now and not in a week.
    fn check(&self) -> Result<(), StoreError> {
        let values = |table: TableDefinition<u64, &[u8]>, known: u8, name: &str| {
            self.each(table, .., |id, value| self.value(value, known, &format!("{name} {id}")).map(|_| true))
        };
        self.check_version()?;
        values(JOBS, tables::JOB, "job")?;
        values(SPECS, tables::JOB, "the specification of job")?;
        values(EVENTS, tables::EVENT, "event")?;
        values(MESSAGES, tables::MESSAGE, "message")?;
        self.accounts(None, |_, _| ())?;
        self.check_claims()?;
        self.each(GRIDS, .., |key, value| {
            let name = format!("grid {key:016x}");
            self.decode::<GridRecord>(value, tables::GRID, &name).map(|_| true)
        })?;
        self.read(|transaction| {
            let Some(units) = opened(transaction.open_table(UNITS))? else { return Ok(Ok(())) };
            for entry in units.range::<(u64, u64)>(..)? {
                let (key, value) = entry?;
                let (job, unit) = key.value();
                let name = format!("unit {unit} of job {job}");
                if let Err(error) = self.decode::<UnitRecord>(value.value(), tables::UNIT, &name) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        })??;
        if self.number("version")?.is_none() {
            self.commit(vec![Change::Number("version", VERSION), review::done()])?;
        }
        Ok(())
    }

    fn check_version(&self) -> Result<(), StoreError> {
        match self.number("version")?.filter(|&found| found > VERSION) {
            Some(found) => {
                let what = "it".to_owned();
                Err(StoreError::Newer { path: self.inner.path.clone(), what, found, known: VERSION })
            }
            None => Ok(()),
        }
    }

    fn read<T>(&self, read: impl FnOnce(&ReadTransaction) -> Result<T, redb::Error>) -> Result<T, StoreError> {
        let database = self.inner.database.read().unwrap_or_else(PoisonError::into_inner);
        let Some(OpenDatabase { database, .. }) = &*database else { return Err(self.inner.refused("it is closed")) };
        let transaction = database.begin_read().map_err(|error| self.inner.error(error))?;
        read(&transaction).map_err(|error| self.inner.error(error))
    }

    /// The payload of a value.
    fn value<'a>(&self, bytes: &'a [u8], known: u8, name: &str) -> Result<&'a [u8], StoreError> {
        match read_row(bytes, known) {
            Ok((_, payload)) => Ok(payload),
            Err(Flaw::Newer(version)) => Err(StoreError::Newer {
                path: self.inner.path.clone(),
                what: name.to_owned(),
                found: version.into(),
                known: known.into(),
            }),
            Err(Flaw::Damaged(_)) => Err(self.inner.damaged(format!("{name} does not match its checksum"))),
        }
    }

    fn decode<T: for<'de> Deserialize<'de>>(&self, bytes: &[u8], known: u8, name: &str) -> Result<T, StoreError> {
        let payload = self.value(bytes, known, name)?;
        postcard::from_bytes(payload).map_err(|_| self.inner.damaged(format!("{name} cannot be read")))
    }

    /// The same of a row that `read` can read in several versions.
    fn decode_by<T>(
        &self,
        read: impl Fn(&[u8]) -> Option<T>,
        row: &[u8],
        known: u8,
        name: &str,
    ) -> Result<T, StoreError> {
        self.value(row, known, name)?;
        read(row).ok_or_else(|| self.inner.damaged(format!("{name} cannot be read")))
    }

    fn get(&self, table: TableDefinition<u64, &[u8]>, id: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|transaction| {
            let Some(table) = opened(transaction.open_table(table))? else { return Ok(None) };
            Ok(table.get(id)?.map(|value| value.value().to_vec()))
        })
    }

    /// Goes through a part of a table in order until `each` says to stop.
    fn each(
        &self,
        table: TableDefinition<u64, &[u8]>,
        range: impl RangeBounds<u64>,
        mut each: impl FnMut(u64, &[u8]) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        self.read(|transaction| {
            let Some(table) = opened(transaction.open_table(table))? else { return Ok(Ok(())) };
            for entry in table.range(range)? {
                let (id, value) = entry?;
                match each(id.value(), value.value()) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => return Ok(Err(error)),
                }
            }
            Ok(Ok(()))
        })?
    }

    /// A number by name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn number(&self, name: &str) -> Result<Option<u64>, StoreError> {
        self.read(|transaction| {
            let Some(table) = opened(transaction.open_table(META))? else { return Ok(None) };
            Ok(table.get(name)?.map(|value| value.value()))
        })
    }

    /// Calls `each` with all jobs, ascending.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn jobs(&self, mut each: impl FnMut(u64, &[u8])) -> Result<(), StoreError> {
        self.each(JOBS, .., |id, value| {
            each(id, self.value(value, tables::JOB, &format!("job {id}"))?);
            Ok(true)
        })
    }

    /// A job.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn job(&self, id: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(value) = self.get(JOBS, id)? else { return Ok(None) };
        Ok(Some(self.value(&value, tables::JOB, &format!("job {id}"))?.to_vec()))
    }

    /// What a job is made of.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn spec(&self, id: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(value) = self.get(SPECS, id)? else { return Ok(None) };
        Ok(Some(self.value(&value, tables::JOB, &format!("the specification of job {id}"))?.to_vec()))
    }

    /// The job that a client gave this key.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn keyed(&self, key: &str) -> Result<Option<u64>, StoreError> {
        self.read(|transaction| {
            let Some(table) = opened(transaction.open_table(KEYS))? else { return Ok(None) };
            Ok(table.get(key)?.map(|value| value.value()))
        })
    }

    /// Forgotten jobs of which something may still be there, with what their folders are recognised by; versions of
    /// the program before there was such a thing did not note it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn pending_deletions(&self) -> Result<Vec<(u64, Option<String>)>, StoreError> {
        self.read(|transaction| {
            let Some(table) = opened(transaction.open_table(PENDING_DELETIONS))? else { return Ok(Vec::new()) };
            let folders = opened(transaction.open_table(PENDING_FOLDERS))?;
            let mut pending = Vec::new();
            for entry in table.range::<u64>(..)? {
                let id = entry?.0.value();
                let identity = folders.as_ref().map(|folders| folders.get(id)).transpose()?.flatten();
                pending.push((id, identity.map(|identity| identity.value().to_owned())));
            }
            Ok(pending)
        })
    }

    /// A unit of a job.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn unit(&self, job: u64, unit: u64) -> Result<Option<UnitRecord>, StoreError> {
        let value = self.read(|transaction| {
            let Some(table) = opened(transaction.open_table(UNITS))? else { return Ok(None) };
            Ok(table.get((job, unit))?.map(|value| value.value().to_vec()))
        })?;
        value.map(|value| self.decode(&value, tables::UNIT, &format!("unit {unit} of job {job}"))).transpose()
    }

    /// The units of a job from a number on, ascending, until `each` says to stop.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn units(
        &self,
        job: u64,
        from: u64,
        mut each: impl FnMut(u64, UnitRecord) -> bool,
    ) -> Result<(), StoreError> {
        self.read(|transaction| {
            let Some(table) = opened(transaction.open_table(UNITS))? else { return Ok(Ok(())) };
            for entry in table.range((job, from)..=(job, u64::MAX))? {
                let (key, value) = entry?;
                let unit = key.value().1;
                match self.decode(value.value(), tables::UNIT, &format!("unit {unit} of job {job}")) {
                    Ok(record) => {
                        if !each(unit, record) {
                            break;
                        }
                    }
                    Err(error) => return Ok(Err(error)),
                }
            }
            Ok(Ok(()))
        })?
    }

    /// The events after a number, ascending, until `each` says to stop.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn events(&self, after: u64, mut each: impl FnMut(u64, &[u8]) -> bool) -> Result<(), StoreError> {
        self.each(EVENTS, after.saturating_add(1).., |id, value| {
            Ok(each(id, self.value(value, tables::EVENT, &format!("event {id}"))?))
        })
    }

    /// A grid.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn grid(&self, key: u64) -> Result<Option<GridRecord>, StoreError> {
        let Some(value) = self.get(GRIDS, key)? else { return Ok(None) };
        self.decode(&value, tables::GRID, &format!("grid {key:016x}")).map(Some)
    }

    /// Gives a grid that is to be stored the key that it will have.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn settle_key(&self, grid: &mut GridRecord) -> Result<(), StoreError> {
        grid.make_way(self.grid(grid.key)?.as_ref(), self.grid(grid.key_beside())?.as_ref());
        Ok(())
    }

    /// Whether a grid was removed after a job had found it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn was_removed(&self, job: u64, grid: &GridRecord) -> Result<bool, StoreError> {
        self.read(|transaction| {
            let Some(table) = opened(transaction.open_table(tables::REMOVED))? else { return Ok(false) };
            Ok(table.get((job, grid.key))?.is_some() || table.get((job, grid.key_beside()))?.is_some())
        })
    }

    /// A grid that was set apart.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn grid_apart(&self, key: u64) -> Result<Option<GridRecord>, StoreError> {
        let Some(value) = self.get(APART, key)? else { return Ok(None) };
        self.decode(&value, tables::GRID, &format!("grid {key:016x}")).map(Some)
    }

    /// Whether a grid is noted as one that a job has found.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn found_by(&self, job: u64, score: u32, key: u64) -> Result<bool, StoreError> {
        self.read(|transaction| {
            let Some(table) = opened(transaction.open_table(tables::INDEX))? else { return Ok(false) };
            Ok(table.get(tables::index_key(Scope::Job(job), score, key).as_slice())?.is_some())
        })
    }

    /// The keys of grids, longest first, after the grid of this score and key, until `each` says to stop.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn grid_keys(
        &self,
        scope: Scope,
        after: Option<(u32, u64)>,
        mut each: impl FnMut(u32, u64) -> bool,
    ) -> Result<(), StoreError> {
        self.read(|transaction| {
            let Some(table) = opened(transaction.open_table(tables::INDEX))? else { return Ok(()) };
            let (from, to) = index_range(scope, after);
            for entry in table.range::<&[u8]>(from.as_slice()..to.as_slice())? {
                let (key, _) = entry?;
                let Some((score, grid)) = tables::index_parts(key.value()) else { continue };
                if Some((score, grid)) != after && !each(score, grid) {
                    break;
                }
            }
            Ok(())
        })
    }

    /// The grids themselves in the same order, as they are at one moment.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn grids(
        &self,
        scope: Scope,
        after: Option<(u32, u64)>,
        mut each: impl FnMut(GridRecord) -> bool,
    ) -> Result<(), StoreError> {
        self.read(|transaction| {
            let Some(index) = opened(transaction.open_table(tables::INDEX))? else { return Ok(Ok(())) };
            let Some(grids) = opened(transaction.open_table(GRIDS))? else { return Ok(Ok(())) };
            let (from, to) = index_range(scope, after);
            for entry in index.range::<&[u8]>(from.as_slice()..to.as_slice())? {
                let (place, _) = entry?;
                let Some((score, key)) = tables::index_parts(place.value()) else { continue };
                if Some((score, key)) == after {
                    continue;
                }
                let Some(value) = grids.get(key)? else { continue };
                match self.decode(value.value(), tables::GRID, &format!("grid {key:016x}")) {
                    Ok(record) => {
                        if !each(record) {
                            break;
                        }
                    }
                    Err(error) => return Ok(Err(error)),
                }
            }
            Ok(Ok(()))
        })?
    }

    /// How often grids were added or removed since the store was opened. As long as it is the same, so are they.
    pub fn changes_of_grids(&self) -> u64 {
        self.inner.changes_of_grids.load(Ordering::SeqCst)
    }

    /// Number of grids.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn count_grids(&self) -> Result<u64, StoreError> {
        self.read(|transaction| Ok(opened(transaction.open_table(GRIDS))?.map_or(Ok(0), |table| table.len())?))
    }
}

#[cfg(test)]
mod tests {
    use super::grids::GridSource;
    use super::*;
    use crate::core::frame::row;
    use crate::morpion::variant::Variant;
    use crate::notation::catalogue::Catalogue;
    use crate::notation::grid::Grid;
    use crate::notation::records::known;
    use redb::Database;

    fn record(job: Option<u64>) -> GridRecord {
        let source = GridSource { job, unit: Some(1), time: 5.0, seconds: None };
        GridRecord::new(&known().unwrap()[0].grid, source, &Catalogue::load().unwrap()).unwrap()
    }

    fn keys(store: &Store, scope: Scope) -> Vec<u64> {
        let mut keys = Vec::new();
        store.grid_keys(scope, None, |_, key| (keys.push(key), true).1).unwrap();
        keys
    }

    #[test]
    fn a_grid_is_kept_once_and_known_of_all_who_found_it() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let grid = record(Some(3));
        let (score, key) = (grid.score, grid.key);
        store.commit(vec![Change::Grid(Box::new(grid.clone()))]).unwrap();
        assert!(store.found_by(3, score, key).unwrap() && !store.found_by(4, score, key).unwrap());
        store.later(vec![Change::Grid(Box::new(record(Some(4)))), Change::Grid(Box::new(record(None)))]);
        store.barrier().unwrap();
        assert!(store.found_by(4, score, key).unwrap());
        assert_eq!(store.grid(key).unwrap(), Some(grid.clone()), "the first one stays");
        assert_eq!(store.count_grids().unwrap(), 1);
        for scope in [Scope::All, Scope::Variant(grid.variant), Scope::Job(3), Scope::Job(4)] {
            assert_eq!(keys(&store, scope), [key], "{scope:?}");
        }
        assert!(keys(&store, Scope::Job(5)).is_empty());
        assert_eq!(grid.grid().unwrap().moves, known().unwrap()[0].grid.moves);
    }

    #[test]
    fn a_game_of_5d_and_the_same_lines_as_one_of_5t_are_two_grids() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let catalogue = Catalogue::load().unwrap();
        let moves = known().unwrap().into_iter().find(|known| known.grid.variant == Variant::D5).unwrap().grid.moves;
        let record = |variant, job| {
            let source = GridSource { job: Some(job), unit: None, time: 1.0, seconds: None };
            GridRecord::new(&Grid::new(variant, moves.clone()), source, &catalogue).unwrap()
        };
        let (five_t, five_d) = (record(Variant::T5, 1), record(Variant::D5, 2));
        assert_eq!(five_t.key, five_d.key);
        let change = |record: &GridRecord| Change::Grid(Box::new(record.clone()));
        store
            .commit(vec![change(&five_t), change(&five_d), change(&five_d), change(&record(Variant::D5, 3))])
            .unwrap();
        drop(store);
        let store = Store::open(dir.path()).unwrap();
        assert_eq!(store.count_grids().unwrap(), 2);
        let beside = five_d.key_beside();
        for (scope, expected) in [
            (Scope::Variant(Variant::T5), five_t.key),
            (Scope::Job(1), five_t.key),
            (Scope::Variant(Variant::D5), beside),
            (Scope::Job(2), beside),
            (Scope::Job(3), beside),
        ] {
            assert_eq!(keys(&store, scope), [expected], "{scope:?}");
        }
        let (held, mut other) = (store.grid(beside).unwrap().unwrap(), five_d);
        assert_eq!((held.variant, held.grid().unwrap().moves), (Variant::D5, moves.clone()));
        store.settle_key(&mut other).unwrap();
        assert_eq!(other.key, beside);
        // A second time changes nothing.
        store.settle_key(&mut other).unwrap();
        assert_eq!(other.key, beside);
        store.commit(vec![Change::RemoveGrid(five_t.key)]).unwrap();
        assert_eq!(keys(&store, Scope::All), [beside]);
        // It stays where it is, although its own key is free now.
        let mut again = record(Variant::D5, 4);
        store.commit(vec![change(&again)]).unwrap();
        assert_eq!(keys(&store, Scope::All), [beside]);
        assert_eq!(keys(&store, Scope::Job(4)), [beside]);
        store.settle_key(&mut again).unwrap();
        assert_eq!(again.key, beside);
    }

    #[test]
    fn a_grid_that_was_removed_comes_back_only_by_those_who_had_not_found_it() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let put = |job| store.commit(vec![Change::Grid(Box::new(record(job)))]).unwrap();
        let jobs = (3..6).map(|job| Change::Job(job, b"{}".to_vec())).collect();
        store.commit(jobs).unwrap();
        put(Some(3));
        put(Some(4));
        let key = record(None).key;
        store.commit(vec![Change::RemoveGrid(key)]).unwrap();
        assert_eq!(store.count_grids().unwrap(), 0);
        put(Some(3));
        put(Some(4));
        assert_eq!(store.count_grids().unwrap(), 0, "they find it again when they continue");
        assert!(store.was_removed(3, &record(None)).unwrap() && !store.was_removed(5, &record(None)).unwrap());
        put(Some(5));
        assert_eq!(keys(&store, Scope::All), [key]);
        put(Some(4));
        assert!(keys(&store, Scope::Job(4)).is_empty());
        store
            .commit(vec![Change::RemoveGrid(key), Change::Forget(ForgottenJob { id: 5, key: None, identity: None })])
            .unwrap();
        assert!(!store.was_removed(5, &record(None)).unwrap(), "nothing is left of a job that is forgotten");
        put(None);
        assert_eq!(keys(&store, Scope::All), [key], "a person stores it");
    }

    #[test]
    fn a_newer_store_and_a_newer_value_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        store.commit(vec![Change::Number("version", VERSION + 1), Change::Job(1, b"{}".to_vec())]).unwrap();
        drop(store);
        let error = Store::open(dir.path()).err().unwrap().to_string();
        assert!(error.contains("it has version 2, but this program reads up to 1"), "{error}");
        let database = Database::open(dir.path().join(FILE)).unwrap();
        let transaction = database.begin_write().unwrap();
        transaction.open_table(META).unwrap().insert("version", VERSION).unwrap();
        transaction.open_table(JOBS).unwrap().insert(1, row(9, b"{}").as_slice()).unwrap();
        transaction.commit().unwrap();
        drop(database);
        let error = Store::open(dir.path()).err().unwrap().to_string();
        assert!(error.contains("job 1 has version 9"), "{error}");
    }

    #[test]
    fn a_forgotten_job_takes_its_units_and_key_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let unit = UnitRecord { attempts: 1, end: None, iterations: 2, best: 3, error: None, quarantined: false };
        let store = Store::open(dir.path()).unwrap();
        let mut changes = vec![Change::Key("k".to_owned(), 7)];
        for job in [6, 7, 8] {
            changes.push(Change::Job(job, b"{}".to_vec()));
            changes.extend((0..5).map(|id| Change::Unit(job, id, unit.clone())));
        }
        store.commit(changes).unwrap();
        let mut found = record(Some(7));
        store.commit(vec![Change::Grid(Box::new(found.clone()))]).unwrap();
        found.source.job = Some(6);
        store.commit(vec![Change::Grid(Box::new(found))]).unwrap();
        let (key, identity) = (Some("k".to_owned()), Some("i".to_owned()));
        store.commit(vec![Change::Forget(ForgottenJob { id: 7, key, identity })]).unwrap();
        drop(store);
        let store = Store::open(dir.path()).unwrap();
        assert_eq!((store.job(7).unwrap(), store.keyed("k").unwrap()), (None, None));
        for (job, expected) in [(6, 5), (7, 0), (8, 5)] {
            let mut units = 0;
            store.units(job, 0, |_, _| (units += 1, true).1).unwrap();
            assert_eq!(units, expected, "{job}");
        }
        assert!(keys(&store, Scope::Job(7)).is_empty(), "the list of its grids has gone");
        assert_eq!((keys(&store, Scope::Job(6)).len(), keys(&store, Scope::All).len()), (1, 1), "the grid stays");
        assert_eq!(store.pending_deletions().unwrap(), [(7, Some("i".to_owned()))]);
        store.commit(vec![Change::Purged(7)]).unwrap();
        assert!(store.pending_deletions().unwrap().is_empty());
    }
}
