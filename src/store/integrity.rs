//! Reads a redb file that may be damaged: nothing in it is trusted before its checksums are right, and nothing is
//! written to it.
//!
//! redb compares the checksums of pages in a repair alone. A page that is not what it should be makes it panic, and
//! some of its destructors panic once more, which ends the process. So the file is first verified over a shadow
//! (`shadow.rs`) whose head asks for a repair: redb then follows the checksums from the commit slot down, before it
//! reads anything else, and its repair is stopped when it knows. Only a file that passed is opened, still over a
//! shadow. A database whose code has panicked is never dropped.
//!
//! The first 64 bytes have no checksum. Of these, the sizes are compared with those that redb gives to a new file,
//! and the newer commit slot has to be the primary one, unless a crash left the file open.
//!
//! redb makes a file longer and notes that in the head. A power cut may leave the second without the first, on which
//! redb panics. Nothing is lost then but zeros, so the file gets its length ([`complete`]).

use super::shadow::Shadow;
use crate::core::panic::catch_quietly;
use redb::{Builder, Database, DatabaseError, StorageBackend, StorageError};
use std::fs::{File, TryLockError};
use std::io;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Bytes of pages that are kept in memory.
const CACHE: usize = 16 << 20;
/// Bytes of the head: settings, and two commit slots.
const HEAD: usize = 320;
/// What a file begins with.
const MAGIC: &[u8] = b"redb\x1a\x0a\xa9\x0d\x0a";
/// Place of the flags, and what they mean.
const FLAGS: usize = 9;
const PRIMARY: u8 = 1;
const LEFT_OPEN: u8 = 2;
const TWO_PHASES: u8 = 4;
/// Place and value of what a new file has: bytes of a page, pages of a region's head, most pages of a region.
const SIZES: [(usize, u32); 3] = [(12, 4096), (16, 0), (20, 1 << 20)];
/// Places of the number of full regions, and of the pages of the last one.
const LENGTHS: [usize; 2] = [24, 28];
/// A file becomes longer by its own length at most, and at least by so many bytes.
const GROWTH: u64 = 64 << 20;
/// Places of the commit slots, and within a slot of the transaction's number and of the checksum.
const SLOTS: [usize; 2] = [64, 192];
const NUMBER: usize = 104;
const SLOT_SUM: usize = 112;

/// Why a file cannot be used.
#[derive(Debug)]
pub enum IntegrityError {
    /// Its content is not what it should be.
    Damaged(String),
    /// Another process has it open.
    InUse,
    /// It cannot be read.
    Io(io::Error),
}

impl From<io::Error> for IntegrityError {
    fn from(error: io::Error) -> IntegrityError {
        match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => damaged("it ends too early"),
            _ => IntegrityError::Io(error),
        }
    }
}

impl From<DatabaseError> for IntegrityError {
    fn from(error: DatabaseError) -> IntegrityError {
        match error {
            DatabaseError::DatabaseAlreadyOpen => IntegrityError::InUse,
            DatabaseError::Storage(StorageError::Io(error)) => error.into(),
            DatabaseError::Storage(StorageError::Corrupted(what)) => IntegrityError::Damaged(what),
            DatabaseError::UpgradeRequired(version) => {
                IntegrityError::Damaged(format!("it is a database of version {version}, which is no longer read"))
            }
            other => IntegrityError::Damaged(other.to_string()),
        }
    }
}

fn damaged(what: &str) -> IntegrityError {
    IntegrityError::Damaged(what.to_owned())
}

/// Verifies a file and calls `read` with a database that has its content. What `read` seems to write is lost. The
/// file is locked as long as it is open, so it can be opened for good without another process coming between.
///
/// # Errors
/// If it is damaged, in use, or cannot be read.
pub fn inspect<T>(file: &File, read: impl FnOnce(&Database) -> T) -> Result<T, IntegrityError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Err(IntegrityError::InUse),
        Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => return Err(error.into()),
        _ => (),
    }
    verify(shadow_of(file)?)?;
    let shadow = shadow_of(file)?;
    let content = shadow.content();
    let found = catch_quietly(move || {
        let database = Builder::new().set_cache_size(CACHE).create_with_backend(shadow)?;
        let database = ManuallyDrop::new(database);
        let found = read(&database);
        drop(ManuallyDrop::into_inner(database));
        Ok::<T, DatabaseError>(found)
    });
    // A database that was not dropped still has it.
    content.close();
    match found {
        Ok(found) => Ok(found?),
        Err(_) => Err(damaged("it cannot be read as a database")),
    }
}

/// A shadow over a file that has the length that its head tells.
///
/// # Errors
/// If the file cannot be read.
pub fn shadow_of(file: &File) -> io::Result<Shadow> {
    let shadow = Shadow::over(file.try_clone()?)?;
    if let Some(length) = lacking(&shadow)? {
        shadow.set_len(length)?;
    }
    Ok(shadow)
}

/// Gives a file that [`inspect`] has passed the length that its head tells, if a power cut kept it from being made so
/// long.
///
/// # Errors
/// If it cannot be read or written.
pub fn complete(file: &File) -> io::Result<()> {
    match lacking(&Shadow::over(file.try_clone()?)?)? {
        Some(length) => file.set_len(length).and_then(|()| file.sync_all()),
        None => Ok(()),
    }
}

/// The length that the head of a file tells, if the file is shorter, was left open, and may have been made so long.
fn lacking(shadow: &Shadow) -> io::Result<Option<u64>> {
    let length = shadow.len()?;
    if length < HEAD as u64 {
        return Ok(None);
    }
    let mut head = [0; HEAD];
    shadow.read(0, &mut head)?;
    let word = |at: usize| u64::from(u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
    let [_, _, (_, most_pages)] = SIZES;
    let [full, last] = LENGTHS.map(word);
    let told = 4096 * (1 + full * u64::from(most_pages) + last);
    let possible = told > length && told - length <= GROWTH.max(length);
    Ok((check_head(&head).is_ok() && head[FLAGS] & LEFT_OPEN != 0 && possible).then_some(told))
}

/// Verifies the head, and the checksums of all pages that it leads to.
fn verify(shadow: Shadow) -> Result<(), IntegrityError> {
    const UNKNOWN: u8 = 0;
    const WRONG: u8 = 1;
    const RIGHT: u8 = 2;
    let mut head = [0; HEAD];
    shadow.read(0, &mut head)?;
    check_head(&head)?;
    let other = SLOTS[usize::from(head[FLAGS] & PRIMARY == 0)];
    head[FLAGS] = head[FLAGS] & !TWO_PHASES | LEFT_OPEN;
    head[other + SLOT_SUM] ^= 1;
    shadow.write(0, &head)?;
    let verdict = Arc::new(AtomicU8::new(UNKNOWN));
    let content = shadow.content();
    let told = Arc::clone(&verdict);
    let opened = catch_quietly(move || {
        let mut builder = Builder::new();
        builder.set_cache_size(CACHE).set_repair_callback(move |repair| {
            // It is called before the first look, when the checksums were wrong, and when they were right.
            if repair.progress() > 0.0 {
                told.store(if repair.progress() < 0.5 { WRONG } else { RIGHT }, Ordering::Relaxed);
                repair.abort();
            }
        });
        builder.create_with_backend(shadow).map(std::mem::forget)
    });
    content.close();
    match (verdict.load(Ordering::Relaxed), opened) {
        (RIGHT, _) => Ok(()),
        (WRONG, _) => Err(damaged("a page does not match its checksum")),
        (_, Ok(Err(error))) => Err(error.into()),
        _ => Err(damaged("its head contradicts its size")),
    }
}

/// Checks what has no checksum.
fn check_head(head: &[u8; HEAD]) -> Result<(), IntegrityError> {
    if !head.starts_with(MAGIC) {
        return Err(damaged("it is not a database"));
    }
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    if SIZES.iter().any(|&(at, value)| word(at) != value) {
        return Err(damaged("its head has other sizes than this program writes"));
    }
    let number = |slot: usize| u64::from(word(slot + NUMBER + 4)) << 32 | u64::from(word(slot + NUMBER));
    let primary = usize::from(head[FLAGS] & PRIMARY != 0);
    let newer = number(SLOTS[primary ^ 1]) > number(SLOTS[primary]);
    if newer && head[FLAGS] & LEFT_OPEN == 0 {
        return Err(damaged("its head names an old state, although it was closed"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_has_the_sizes_that_are_expected() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new.redb");
        drop(Database::create(&path).unwrap());
        let bytes = std::fs::read(&path).unwrap();
        let sizes = SIZES.map(|(at, _)| (at, u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())));
        assert_eq!(sizes, SIZES);
        assert!(bytes.starts_with(MAGIC));
        let file = File::open(&path).unwrap();
        inspect(&file, |_| ()).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn a_file_that_is_shorter_than_its_head_tells_is_completed_if_it_was_left_open() {
        const TABLE: redb::TableDefinition<u64, u64> = redb::TableDefinition::new("numbers");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("grown.redb");
        let database = Database::create(&path).unwrap();
        let transaction = database.begin_write().unwrap();
        transaction.open_table(TABLE).unwrap().insert(1, 2).unwrap();
        transaction.commit().unwrap();
        // As it is on the disk while it is open, and the head tells that it has become twice as long.
        let mut bytes = std::fs::read(&path).unwrap();
        drop(database);
        let [_, last] = LENGTHS;
        let pages = 2 * u32::from_le_bytes(bytes[last..last + 4].try_into().unwrap());
        bytes[last..last + 4].copy_from_slice(&pages.to_le_bytes());
        let whole = 4096 * (1 + u64::from(pages));
        assert!(whole > bytes.len() as u64);
        for (flag, fine) in [(LEFT_OPEN, true), (0, false)] {
            bytes[FLAGS] = bytes[FLAGS] & !LEFT_OPEN | flag;
            let cut = dir.path().join("cut.redb");
            std::fs::write(&cut, &bytes).unwrap();
            let file = File::options().read(true).write(true).open(&cut).unwrap();
            let number = inspect(&file, |database| {
                use redb::ReadableDatabase;
                database.begin_read().unwrap().open_table(TABLE).unwrap().get(1).unwrap().unwrap().value()
            });
            assert_eq!(std::fs::read(&cut).unwrap(), bytes, "nothing was changed");
            assert_eq!(number.is_ok(), fine, "{number:?}");
            if fine {
                complete(&file).unwrap();
                assert_eq!(file.metadata().unwrap().len(), whole);
                file.unlock().unwrap();
                drop(Builder::new().create_file(file).unwrap());
            }
        }
    }
}
