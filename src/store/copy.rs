//! A copy of the whole store while it is in use: what one moment's transaction sees, in a new file.

use super::file::StoreError;
use super::tables::{
    ACCOUNTS, APART, CLAIMS, EVENTS, GRIDS, INDEX, JOBS, KEYS, MESSAGES, META, PENDING_DELETIONS, PENDING_FOLDERS,
    REMOVED, SPECS, UNITS, opened,
};
use super::{FILE, Store};
use redb::{Database, Key, ReadTransaction, ReadableTable, TableDefinition, Value, WriteTransaction};
use std::fs::{File, OpenOptions};
use std::path::Path;

impl Store {
    /// Writes a copy of the store into a directory that has none. The numbers of the jobs in it.
    ///
    /// # Errors
    /// If the store cannot be read, or the copy cannot be written.
    pub fn copy_into(&self, directory: &Path) -> Result<Vec<u64>, StoreError> {
        let path = directory.join(FILE);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let cannot = |source| StoreError::Open { path: path.clone(), source };
        let file = options.open(&path).map_err(cannot)?;
        self.barrier()?;
        let jobs = self.read(|transaction| copy(transaction, &file))?;
        file.sync_all().map_err(cannot)?;
        Ok(jobs)
    }
}

fn copy(from: &ReadTransaction, file: &File) -> Result<Vec<u64>, redb::Error> {
    let file = file.try_clone().map_err(|error| redb::Error::from(redb::StorageError::Io(error)))?;
    let database = Database::builder().create_file(file)?;
    let mut to = database.begin_write()?;
    to.set_quick_repair(true);
    copy_table(from, &to, META)?;
    copy_table(from, &to, JOBS)?;
    copy_table(from, &to, SPECS)?;
    copy_table(from, &to, KEYS)?;
    copy_table(from, &to, PENDING_DELETIONS)?;
    copy_table(from, &to, PENDING_FOLDERS)?;
    copy_table(from, &to, UNITS)?;
    copy_table(from, &to, EVENTS)?;
    copy_table(from, &to, GRIDS)?;
    copy_table(from, &to, APART)?;
    copy_table(from, &to, REMOVED)?;
    copy_table(from, &to, INDEX)?;
    copy_table(from, &to, ACCOUNTS)?;
    copy_table(from, &to, CLAIMS)?;
    copy_table(from, &to, MESSAGES)?;
    to.commit()?;
    let Some(jobs) = opened(from.open_table(JOBS))? else { return Ok(Vec::new()) };
    jobs.iter()?.map(|entry| Ok(entry?.0.value())).collect()
}

fn copy_table<K: Key + 'static, V: Value + 'static>(
    from: &ReadTransaction,
    to: &WriteTransaction,
    name: TableDefinition<K, V>,
) -> Result<(), redb::Error> {
    let Some(rows) = opened(from.open_table(name))? else { return Ok(()) };
    let mut copy = to.open_table(name)?;
    for row in rows.iter()? {
        let (key, value) = row?;
        copy.insert(key.value(), value.value())?;
    }
    Ok(())
}
