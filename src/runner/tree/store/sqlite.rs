//! The checkpoint of a solution in a SQLite file (<https://sqlite.org/fileformat2.html>), which other programs can
//! read while no transaction is written.
//!
//! SQLite checks the structure of a file and not its content. So the file has one more flag, the *sum*: that of the
//! CRC-32s of all rows and flags, each with its table and number. It tells if a row is missing, old, or elsewhere.
//! The sum is brought up to date with each row that is written. The first 100 bytes are compared with those
//! that this program writes, and the structure is checked by `PRAGMA quick_check`.
//!
//! A transaction keeps the pages that it overwrites in a file beside (a rollback journal, `tree.sqlite-journal`), and
//! SQLite puts them back if a crash came between. SQLite's own locks belong to a process and are lost when it closes
//! the file anywhere, as a backup does. So the file has another lock as well, the same as a file of redb.

use super::database::{
    CACHE, EachRow, FoundDatabase, RowError, RowReader, RowTable, RowWriter, TreeBackend, TreeDatabase, WriteRows,
    lock, open_file, remove,
};
use crate::files::set_aside;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, Statement, TransactionBehavior};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a program that reads the file may keep this one from writing.
const PATIENCE: Duration = Duration::from_secs(5);
/// The names of the tables with numbers.
const TABLES: [&str; 3] = ["nodes", "units", "workers"];
/// The place of the flags among the tables, for the sum.
const FLAGS: u8 = TABLES.len() as u8;
/// The flag with the sum, which does not count itself: a number in little-endian.
const SUM: &str = "sum";
/// "MrTr": by it a file is known to be a solution.
const APPLICATION: u32 = 0x4d72_5472;
/// Bytes of the head.
const HEAD: usize = 100;
/// What the head has at some places; its numbers are in big-endian. The name of the format. The size of a page, that
/// there is a rollback journal, and how pages are used. The version of the tables' descriptions. No automatic vacuum,
/// and texts in UTF-8. No incremental vacuum. Whose file it is.
const HEADS: [(usize, &[u8]); 6] = [
    (0, b"SQLite format 3\0"),
    (16, &[16, 0, 1, 1, 0, 64, 32, 32]),
    (44, &[0, 0, 0, 4]),
    (52, &[0, 0, 0, 0, 0, 0, 0, 1]),
    (64, &[0; 4]),
    (68, &APPLICATION.to_be_bytes()),
];

/// How a table is made: its name, and the text by which SQLite knows it.
fn schema() -> BTreeMap<String, String> {
    let numbered = TABLES.map(|name| format!("CREATE TABLE {name} (number INTEGER PRIMARY KEY, row BLOB NOT NULL)"));
    let flags = "CREATE TABLE flags (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID".to_owned();
    TABLES.into_iter().zip(numbered).chain([("flags", flags)]).map(|(name, text)| (name.to_owned(), text)).collect()
}

/// The place of a table; nothing for that of the first format, which no file of SQLite has.
fn place(table: RowTable) -> Option<usize> {
    match table {
        RowTable::Nodes => Some(0),
        RowTable::Units => Some(1),
        RowTable::Workers => Some(2),
        RowTable::Records => None,
    }
}

/// What a row adds to the sum. It is never 0.
fn part(table: u8, key: &[u8], row: &[u8]) -> u64 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&[table, key.len() as u8]);
    hasher.update(key);
    hasher.update(row);
    u64::from(hasher.finalize()) + 1
}

fn part_of_row(table: usize, number: i64, row: &[u8]) -> u64 {
    part(table as u8, &number.to_le_bytes(), row)
}

fn failed(error: rusqlite::Error) -> RowError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => RowError::Damaged(error.to_string()),
        _ => RowError::Failed(error.into()),
    }
}

/// An error of reading: what does not come from the system comes from the file.
fn unreadable(error: rusqlite::Error) -> RowError {
    use ErrorCode::*;
    match error.sqlite_error_code() {
        Some(
            SystemIoFailure
            | OutOfMemory
            | DiskFull
            | CannotOpen
            | PermissionDenied
            | ReadOnly
            | DatabaseBusy
            | DatabaseLocked
            | FileLockingProtocolFailed,
        ) => RowError::Failed(error.into()),
        _ => RowError::Damaged(error.to_string()),
    }
}

fn damaged(what: &str) -> RowError {
    RowError::Damaged(what.to_owned())
}

/// The number of a row as SQLite has it.
fn signed(number: u64) -> Result<i64, RowError> {
    i64::try_from(number).map_err(|_| RowError::Failed(format!("row {number} is beyond this table").into()))
}

/// Where SQLite keeps the pages that a transaction overwrites.
fn rollback_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push("-journal");
    path.with_file_name(name)
}

fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    connection.execute_batch(&format!(
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -{};",
        CACHE >> 10
    ))?;
    Ok(connection)
}

/// Databases of SQLite.
#[derive(Debug)]
pub struct Sqlite;

impl TreeBackend for Sqlite {
    fn create(&self, path: &Path) -> Result<Box<dyn TreeDatabase>, RowError> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        lock(&file)?;
        let tables: String = schema().values().map(|table| format!("{table};\n")).collect();
        let made = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE).and_then(|connection| {
            connection.execute_batch(&format!(
                "PRAGMA page_size = 4096; PRAGMA application_id = {APPLICATION};\nBEGIN;\n{tables}COMMIT;"
            ))?;
            connection.execute("INSERT INTO flags VALUES (?1, ?2)", (SUM, 0u64.to_le_bytes()))
        });
        made.map_err(failed)?;
        Box::new(FoundSqlite { file, path: path.to_owned() }).open()
    }

    fn find(&self, path: &Path) -> Result<Box<dyn FoundDatabase>, RowError> {
        let file = open_file(path)?;
        lock(&file)?;
        Ok(Box::new(FoundSqlite { file, path: path.to_owned() }))
    }

    fn prepare(&self, path: &Path, beside: &Path) -> Result<(), RowError> {
        // One of a file that was moved away: SQLite would put its pages into the new file.
        let stray = rollback_of(path);
        if fs::metadata(&stray).is_ok_and(|file| file.len() > 0) {
            set_aside(&stray).map_err(|error| RowError::Failed(error.into()))?;
        }
        for file in [&stray, beside, &rollback_of(beside)] {
            remove(file)?;
        }
        Ok(())
    }
}

/// A file that is locked.
struct FoundSqlite {
    file: File,
    path: PathBuf,
}

impl FoundSqlite {
    /// Compares the first bytes with those that this program writes.
    fn check_head(&self) -> Result<(), RowError> {
        use std::os::unix::fs::FileExt;
        let mut head = [0; HEAD];
        match self.file.read_exact_at(&mut head, 0) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(damaged("it ends too early")),
            read => read?,
        }
        let is_right = |&(at, bytes): &(usize, &[u8])| head[at..].starts_with(bytes);
        match HEADS.iter().position(|expected| !is_right(expected)) {
            None => Ok(()),
            Some(0) => Err(damaged("it is not a database of SQLite")),
            Some(_) => Err(damaged("its head is not as this program writes it")),
        }
    }
}

impl FoundDatabase for FoundSqlite {
    fn inspect(&self, read: &mut dyn FnMut(&dyn RowReader)) -> Result<(), RowError> {
        self.check_head()?;
        // Only SQLite can undo a transaction that a crash cut off, and it does so when it reads.
        let undo = fs::metadata(rollback_of(&self.path)).is_ok_and(|file| file.len() > 0);
        let flags = if undo { OpenFlags::SQLITE_OPEN_READ_WRITE } else { OpenFlags::SQLITE_OPEN_READ_ONLY };
        let mut connection = connect(&self.path, flags).map_err(unreadable)?;
        let transaction = connection.transaction().map_err(unreadable)?;
        check_structure(&transaction)?;
        let reader = SqliteReader::new(&transaction)?;
        read(&reader);
        reader.check_sum()
    }

    fn open(self: Box<Self>) -> Result<Box<dyn TreeDatabase>, RowError> {
        let FoundSqlite { file, path } = *self;
        let connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(failed)?;
        connection.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA;").map_err(failed)?;
        let sum = connection.query_row("SELECT value FROM flags WHERE name = ?1", [SUM], |row| row.get(0));
        Ok(Box::new(OpenSqlite { connection, sum: u64::from_le_bytes(sum.map_err(failed)?), file }))
    }
}

/// Whether there are the right tables, and all pages and rows are in their places.
fn check_structure(connection: &Connection) -> Result<(), RowError> {
    let mut found = connection.prepare("SELECT name, sql FROM sqlite_schema").map_err(unreadable)?;
    let found = found.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).map_err(unreadable)?;
    if found.collect::<Result<BTreeMap<String, String>, _>>().map_err(unreadable)? != schema() {
        return Err(damaged("it has other tables than a solution"));
    }
    let said: String = connection.query_row("PRAGMA quick_check(1)", (), |row| row.get(0)).map_err(unreadable)?;
    if said == "ok" { Ok(()) } else { Err(damaged(&said.replace('\n', " "))) }
}

/// Reads tables, and adds up what has been read.
struct SqliteReader<'c> {
    connection: &'c Connection,
    flags: BTreeMap<String, Vec<u8>>,
    /// The parts of the tables that were read.
    sums: [Cell<Option<u64>>; TABLES.len()],
}

impl<'c> SqliteReader<'c> {
    fn new(connection: &'c Connection) -> Result<SqliteReader<'c>, RowError> {
        let mut flags = connection.prepare("SELECT name, value FROM flags").map_err(unreadable)?;
        let flags = flags.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).map_err(unreadable)?;
        let flags = flags.collect::<Result<_, _>>().map_err(unreadable)?;
        Ok(SqliteReader { connection, flags, sums: Default::default() })
    }

    /// Calls `each` for all rows of a table.
    fn each(&self, table: usize, each: &mut EachRow<'_>) -> Result<(), RowError> {
        let mut sum = 0u64;
        let query = format!("SELECT number, row FROM {} ORDER BY number", TABLES[table]);
        let mut statement = self.connection.prepare(&query).map_err(unreadable)?;
        let mut rows = statement.query(()).map_err(unreadable)?;
        while let Some(row) = rows.next().map_err(unreadable)? {
            let (number, content) = (row.get_ref(0).map_err(unreadable)?, row.get_ref(1).map_err(unreadable)?);
            let (ValueRef::Integer(number), ValueRef::Blob(content)) = (number, content) else {
                return Err(damaged("a row is of another type"));
            };
            sum = sum.wrapping_add(part_of_row(table, number, content));
            each(u64::try_from(number).map_err(|_| damaged("a row has a negative number"))?, content)?;
        }
        self.sums[table].set(Some(sum));
        Ok(())
    }

    /// Whether all rows and flags are those that were written.
    fn check_sum(&self) -> Result<(), RowError> {
        let flags = self.flags.iter().filter(|(name, _)| *name != SUM);
        let mut sum = flags.fold(0, |sum: u64, (name, value)| sum.wrapping_add(part(FLAGS, name.as_bytes(), value)));
        for (table, part) in self.sums.iter().enumerate() {
            if part.get().is_none() {
                self.each(table, &mut |_, _| Ok(()))?;
            }
            sum = sum.wrapping_add(part.get().unwrap_or_default());
        }
        let noted = self.flags.get(SUM).ok_or_else(|| damaged("its sum is missing"))?;
        if *noted == sum.to_le_bytes() { Ok(()) } else { Err(damaged("its rows do not match their sum")) }
    }
}

impl RowReader for SqliteReader<'_> {
    fn flag(&self, name: &str) -> Result<Option<Vec<u8>>, RowError> {
        Ok(self.flags.get(name).cloned())
    }

    fn rows(&self, table: RowTable, each: &mut EachRow<'_>) -> Result<(), RowError> {
        place(table).map_or(Ok(()), |table| self.each(table, each))
    }
}

/// An open database. The connection is closed before the lock is given back.
#[derive(Debug)]
struct OpenSqlite {
    connection: Connection,
    /// The sum of what is in the file.
    sum: u64,
    file: File,
}

impl TreeDatabase for OpenSqlite {
    fn write(&mut self, body: &mut WriteRows<'_>) -> Result<(), RowError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let mut writer = SqliteWriter::new(&transaction, self.sum).map_err(failed)?;
        body(&mut writer)?;
        let sum = writer.sum;
        writer.flags.put(SUM, &sum.to_le_bytes()).map_err(failed)?;
        drop(writer);
        transaction.commit().map_err(failed)?;
        self.sum = sum;
        Ok(())
    }

    fn bytes(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }
}

/// What can be done with a row of a table, whose first column is its key.
struct RowStatements<'c> {
    get: Statement<'c>,
    put: Statement<'c>,
    remove: Statement<'c>,
}

impl<'c> RowStatements<'c> {
    fn new(connection: &'c Connection, table: &str, key: &str, value: &str) -> rusqlite::Result<RowStatements<'c>> {
        Ok(RowStatements {
            get: connection.prepare(&format!("SELECT {value} FROM {table} WHERE {key} = ?1"))?,
            put: connection.prepare(&format!("REPLACE INTO {table} ({key}, {value}) VALUES (?1, ?2)"))?,
            remove: connection.prepare(&format!("DELETE FROM {table} WHERE {key} = ?1"))?,
        })
    }

    /// What the row with a key adds to the sum, if there is one.
    fn known<K: rusqlite::ToSql>(&mut self, key: K, part: impl Fn(&[u8]) -> u64) -> rusqlite::Result<u64> {
        let mut rows = self.get.query([key])?;
        let row = rows.next()?;
        row.map_or(Ok(0), |row| Ok(part(row.get_ref(0)?.as_blob()?)))
    }

    fn put<K: rusqlite::ToSql>(&mut self, key: K, value: &[u8]) -> rusqlite::Result<()> {
        self.put.execute((key, value)).map(drop)
    }
}

struct SqliteWriter<'c> {
    tables: [RowStatements<'c>; TABLES.len()],
    flags: RowStatements<'c>,
    /// The sum with what was written.
    sum: u64,
}

impl<'c> SqliteWriter<'c> {
    fn new(connection: &'c Connection, sum: u64) -> rusqlite::Result<SqliteWriter<'c>> {
        let numbered = |table| RowStatements::new(connection, table, "number", "row");
        let [nodes, units, workers] = TABLES.map(numbered);
        let flags = RowStatements::new(connection, "flags", "name", "value")?;
        Ok(SqliteWriter { tables: [nodes?, units?, workers?], flags, sum })
    }

    /// Brings the sum up to date: one part in place of another.
    fn replace(&mut self, old: u64, new: u64) {
        self.sum = self.sum.wrapping_sub(old).wrapping_add(new);
    }
}

impl RowWriter for SqliteWriter<'_> {
    fn set_flag(&mut self, name: &str, value: &[u8]) -> Result<(), RowError> {
        let part = |value: &[u8]| part(FLAGS, name.as_bytes(), value);
        let old = self.flags.known(name, part).map_err(failed)?;
        self.flags.put(name, value).map_err(failed)?;
        self.replace(old, part(value));
        Ok(())
    }

    fn put(&mut self, table: RowTable, number: u64, row: &[u8]) -> Result<(), RowError> {
        let table = place(table).ok_or_else(|| RowError::Failed("records belong into the journal".into()))?;
        let number = signed(number)?;
        let part = |row: &[u8]| part_of_row(table, number, row);
        let old = self.tables[table].known(number, part).map_err(failed)?;
        self.tables[table].put(number, row).map_err(failed)?;
        self.replace(old, part(row));
        Ok(())
    }

    fn remove(&mut self, table: RowTable, number: u64) -> Result<(), RowError> {
        let Some(table) = place(table) else { return Ok(()) };
        let number = signed(number)?;
        let old = self.tables[table].known(number, |row| part_of_row(table, number, row)).map_err(failed)?;
        self.tables[table].remove.execute([number]).map_err(failed)?;
        self.replace(old, 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of so many bytes are more than the cache holds, so that some are in the file before a transaction ends.
    const LONG: usize = 3000;
    const MANY: u64 = 2 * CACHE as u64 / LONG as u64;

    fn named(dir: &tempfile::TempDir) -> PathBuf {
        dir.path().join("tree.sqlite")
    }

    /// Writes the rows with these numbers, each of which tells `what`.
    fn write(database: &mut dyn TreeDatabase, numbers: std::ops::Range<u64>, what: u8) -> Result<(), RowError> {
        database.write(&mut |writer| {
            writer.set_flag("what", &[what])?;
            numbers.clone().try_for_each(|number| writer.put(RowTable::Nodes, number, &[what; LONG]))
        })
    }

    /// What the flag and all rows tell, and their number.
    fn told(path: &Path) -> Result<(u8, u64), RowError> {
        let (mut what, mut count, mut whole) = (0, 0, true);
        Sqlite.find(path)?.inspect(&mut |reader| {
            what = reader.flag("what").unwrap().unwrap()[0];
            let rows = reader.rows(RowTable::Nodes, &mut |number, row| {
                whole &= number == count && row == [what; LONG];
                count += 1;
                Ok(())
            });
            whole &= rows.is_ok();
        })?;
        assert!(whole, "{count} rows that passed are not those that tell {what}");
        Ok((what, count))
    }

    /// A file whose rows tell 1.
    fn first(path: &Path) -> Box<dyn TreeDatabase> {
        let mut database = Sqlite.create(path).unwrap();
        write(&mut *database, 0..MANY, 1).unwrap();
        database
    }

    #[test]
    fn a_transaction_that_a_crash_cuts_off_is_undone() {
        let (dir, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (path, copied) = (named(&dir), named(&copy));
        let mut database = first(&path);
        let crashed = database.write(&mut |writer| {
            writer.set_flag("what", &[2])?;
            (0..MANY).try_for_each(|number| writer.put(RowTable::Nodes, number, &[2; LONG]))?;
            for (from, to) in [(&path, &copied), (&rollback_of(&path), &rollback_of(&copied))] {
                fs::copy(from, to)?;
            }
            Err(damaged("a crash"))
        });
        assert!(crashed.is_err());
        let changed = fs::read(&copied).unwrap();
        assert!(changed.windows(LONG / 2).any(|bytes| bytes == [2; LONG / 2]), "nothing was in the file yet");
        assert_eq!(told(&copied).unwrap(), (1, MANY));
        assert_ne!(fs::read(&copied).unwrap(), changed);
        // Without the pages that were overwritten it is neither the old state nor the new one.
        fs::write(&copied, changed).unwrap();
        assert!(matches!(told(&copied), Err(RowError::Damaged(_))));
        // The one that lives goes on.
        write(&mut *database, 0..MANY, 3).unwrap();
        drop(database);
        assert_eq!(told(&path).unwrap(), (3, MANY));
    }

    #[test]
    fn a_full_disk_leaves_what_was_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = named(&dir);
        drop(first(&path));
        let connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
        let pages: u32 = connection.query_row("PRAGMA page_count", (), |row| row.get(0)).unwrap();
        connection.execute_batch(&format!("PRAGMA max_page_count = {}", pages + 3)).unwrap();
        let sum = connection.query_row("SELECT value FROM flags WHERE name = ?1", [SUM], |row| row.get(0)).unwrap();
        let mut database = OpenSqlite { connection, sum: u64::from_le_bytes(sum), file: open_file(&path).unwrap() };
        match write(&mut database, 0..2 * MANY, 2) {
            Err(RowError::Failed(error)) => assert!(error.to_string().contains("full"), "{error}"),
            other => panic!("{other:?}"),
        }
        // Its sum is the old one, too.
        write(&mut database, 0..MANY, 3).unwrap();
        drop(database);
        assert_eq!(told(&path).unwrap(), (3, MANY));
    }

    /// Each row is right by itself; only the sum tells that they do not belong together.
    #[test]
    fn rows_that_another_program_changed_are_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = named(&dir);
        let database = first(&path);
        assert!(matches!(Sqlite.find(&path), Err(RowError::InUse)));
        drop(database);
        let whole = fs::read(&path).unwrap();
        for change in [
            "DELETE FROM nodes WHERE number = (SELECT max(number) FROM nodes)",
            "INSERT INTO units SELECT number, row FROM nodes WHERE number = 7",
            "DELETE FROM flags WHERE name = 'what'; INSERT INTO flags VALUES ('what', x'02')",
            "DELETE FROM flags WHERE name = 'sum'",
            "CREATE TABLE more (number INTEGER)",
            "CREATE INDEX more ON nodes (row)",
        ] {
            fs::write(&path, &whole).unwrap();
            connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap().execute_batch(change).unwrap();
            let found = Sqlite.find(&path).unwrap().inspect(&mut |_| ());
            assert!(matches!(found, Err(RowError::Damaged(_))), "{change}: {found:?}");
        }
        // What changes no row is allowed.
        fs::write(&path, &whole).unwrap();
        connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap().execute_batch("VACUUM").unwrap();
        assert_eq!(told(&path).unwrap(), (1, MANY));
    }

    #[test]
    fn overwritten_pages_of_a_file_that_was_moved_away_are_kept_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let path = named(&dir);
        let beside = dir.path().join("tree.sqlite.new");
        for stray in [rollback_of(&path), beside.clone(), rollback_of(&beside)] {
            fs::write(stray, "pages").unwrap();
        }
        Sqlite.prepare(&path, &beside).unwrap();
        let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["tree.sqlite-journal.damaged-1"]);
    }
}
