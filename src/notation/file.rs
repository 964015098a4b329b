//! Grid files on disk: reading with a bound, writing whole or not at all.
//!
//! A file is written under a temporary name in the same directory, synced, and then given its name in one step, so
//! that a crash leaves the old file or the new one, never half of it.

use super::format::{LARGEST_FILE, Loaded, ReadError, read};
use crate::morpion::variant::Variant;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Why a file could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error("{path}: cannot be read: {source}")]
    Io {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// It holds no legal grid.
    #[error("{path}: {source}")]
    Grid {
        /// The file.
        path: String,
        /// Why.
        source: ReadError,
    },
}

/// Reads the grid in a file; `-` is standard input. `variant` overrides what the file says.
///
/// # Errors
/// The file cannot be read, or holds no legal grid.
pub fn load(path: &Path, variant: Option<Variant>) -> Result<Loaded, LoadError> {
    let name = || path.display().to_string();
    let bytes = read_bounded(path).map_err(|source| LoadError::Io { path: name(), source })?;
    read(&bytes, variant).map_err(|source| LoadError::Grid { path: name(), source })
}

/// The bytes of a file (`-`: standard input), cut one byte after [`LARGEST_FILE`], so that the reader sees that it is
/// too large.
fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = LARGEST_FILE as u64 + 1;
    if path == Path::new("-") {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)?;
    } else {
        if fs::metadata(path)?.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory, and a file is expected"));
        }
        File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// What to do if the file exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Leave it and fail with [`io::ErrorKind::AlreadyExists`].
    Keep,
    /// Replace it.
    Replace,
}

/// Writes a file whole or not at all.
///
/// # Errors
/// Whatever the disk says; [`io::ErrorKind::AlreadyExists`] if the file exists and is to be kept.
pub fn save(path: &Path, bytes: &[u8], existing: Existing) -> io::Result<()> {
    let occupied = || io::Error::new(io::ErrorKind::AlreadyExists, "the file exists already");
    if existing == Existing::Keep && path.symlink_metadata().is_ok() {
        return Err(occupied());
    }
    let (temporary, mut file) = create_beside(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    drop(file);
    let named = written.and_then(|()| match existing {
        Existing::Replace => fs::rename(&temporary, path),
        // Linking fails if the name has been taken meanwhile; where links are unknown, renaming must do.
        Existing::Keep => match fs::hard_link(&temporary, path) {
            Ok(()) => fs::remove_file(&temporary),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(occupied()),
            Err(_) => fs::rename(&temporary, path),
        },
    });
    if named.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    named
}

/// A new file in the directory of `path`, under a name that no other writer uses.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it has no file name"));
    };
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{number}.tmp", std::process::id()));
        let temporary = path.with_file_name(hidden);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_whole_and_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        save(&path, b"one", Existing::Keep).unwrap();
        assert_eq!(save(&path, b"two", Existing::Keep).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        save(&path, b"two", Existing::Replace).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert!(save(&dir.path().join("no/such"), b"x", Existing::Keep).is_err());
        assert!(save(Path::new("/"), b"x", Existing::Replace).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn large_files_and_directories_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        fs::write(&path, vec![b'#'; LARGEST_FILE + 1]).unwrap();
        assert!(matches!(load(&path, None), Err(LoadError::Grid { source: ReadError::TooLarge, .. })));
        assert!(matches!(load(dir.path(), None), Err(LoadError::Io { .. })));
        assert!(matches!(load(&dir.path().join("none"), None), Err(LoadError::Io { .. })));
    }
}
