//! Grid files on disk: reading with a bound, writing whole or not at all.
//!
//! A file is written under a temporary name in the same directory, synced, and then given its name in one step, so
//! that a crash leaves the old file or the new one, never half of it.

use super::format::{GridReadError, LARGEST_PICTURE, LoadedGrid, read};
use crate::morpion::variant::Variant;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Why a file could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error("{path}: cannot be read: {error}")]
    Io {
        /// Path of the file.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// It holds no legal grid.
    #[error("{path}: {error}")]
    Grid {
        /// Path of the file.
        path: String,
        /// What is wrong with its content.
        error: GridReadError,
    },
}

/// Reads the grid in a file; `-` is standard input. `variant` overrides what the file says.
///
/// # Errors
/// The file cannot be read, or holds no legal grid.
pub fn load(path: &Path, variant: Option<Variant>) -> Result<LoadedGrid, LoadError> {
    let name = || if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
    let bytes = read_bounded(path).map_err(|error| LoadError::Io { path: name(), error })?;
    read(&bytes, variant).map_err(|error| LoadError::Grid { path: name(), error })
}

/// The bytes of a file (`-`: standard input), cut one byte after [`LARGEST_PICTURE`], so that the reader sees that it
/// is too large.
fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = LARGEST_PICTURE as u64 + 1;
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
    /// Replace the file that exists.
    Replace,
}

/// Writes a file whole or not at all. A link is followed; a device or a pipe is written to, not replaced.
///
/// # Errors
/// Whatever the disk says; [`io::ErrorKind::AlreadyExists`] if the file exists and is to be kept.
pub fn save(path: &Path, bytes: &[u8], existing: Existing) -> io::Result<()> {
    if existing == Existing::Keep {
        return match path.symlink_metadata() {
            Ok(_) => Err(occupied()),
            Err(_) => write_beside(path, bytes, None, |temporary| name_new(temporary, path)),
        };
    }
    let Ok(old) = fs::metadata(path) else {
        return write_beside(path, bytes, None, |temporary| fs::rename(temporary, path));
    };
    if !old.is_file() && !old.is_dir() {
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let target = fs::canonicalize(path)?;
    write_beside(&target, bytes, Some(old.permissions()), |temporary| fs::rename(temporary, &target))
}

/// Whether a new file can be written there: its temporary file is written and removed.
///
/// # Errors
/// As [`save`], which keeps a file that exists.
pub fn try_save(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(_) => Err(occupied()),
        Err(_) => write_beside(path, &[], None, |temporary| fs::remove_file(temporary)),
    }
}

fn occupied() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "the file exists already")
}

/// Gives a file a name that must be free. Linking fails if the name has been taken meanwhile; where links are
/// unknown, renaming must do.
fn name_new(temporary: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(temporary, path) {
        Ok(()) => fs::remove_file(temporary),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(occupied()),
        Err(_) => fs::rename(temporary, path),
    }
}

/// Writes a temporary file beside `path` and has it named; it is removed if anything fails.
fn write_beside(
    path: &Path,
    bytes: &[u8],
    permissions: Option<fs::Permissions>,
    name: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let (temporary, mut file) = create_beside(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    drop(file);
    let permitted = written.and_then(|()| permissions.map_or(Ok(()), |p| fs::set_permissions(&temporary, p)));
    let named = permitted.and_then(|()| name(&temporary));
    if named.is_err() {
        let _ = fs::remove_file(&temporary);
    } else if let Some(directory) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        // The new name is durable once the directory is; systems that cannot sync one do without.
        let _ = File::open(directory).and_then(|d| d.sync_all());
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

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_written_to() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        assert!(save(&link, b"new", Existing::Keep).is_err());
        save(&link, b"new", Existing::Replace).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        save(Path::new("/dev/null"), b"new", Existing::Replace).unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }

    #[test]
    fn large_files_and_directories_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        fs::write(&path, vec![b'#'; super::super::format::LARGEST_FILE + 1]).unwrap();
        assert!(matches!(load(&path, None), Err(LoadError::Grid { error: GridReadError::TooLarge, .. })));
        assert!(matches!(load(dir.path(), None), Err(LoadError::Io { .. })));
        assert!(matches!(load(&dir.path().join("none"), None), Err(LoadError::Io { .. })));
    }
}
