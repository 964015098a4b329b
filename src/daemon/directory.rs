//! The state directory. One daemon at a time uses it, and only its owner can read what it holds.
//!
//! A missing directory is made with access for its owner only; the permissions of an existing one stay as they are.
//! The lock, the store and the folder of the jobs are always made with access for their owner only.

use crate::files::sync_directory;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Name of the file that a running daemon locks.
pub const LOCK: &str = "daemon.lock";
/// Name of the folder that has a folder for each job that has run.
pub const JOBS: &str = "jobs";

/// No job has a number above this one.
const LAST_NUMBER: u64 = 1 << 53;

/// Why a directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateDirectoryError {
    /// A file operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried, such as `open`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Others may change what is in it.
    #[error(
        "{} belongs to another user, and everybody may write into it, so anybody could change what is kept there: choose another directory with --state, or `chmod o-w` it",
        .0.display()
    )]
    OpenToAll(PathBuf),
    /// Another daemon uses it.
    #[error("another daemon uses {}: stop it, or choose another directory with --state", .0.display())]
    Locked(PathBuf),
    /// A daemon uses it, so its files are not read.
    #[error("a daemon uses {}: ask it with --url, or stop it", .0.display())]
    Read(PathBuf),
}

/// A state directory that this process has locked. The lock ends with the value or with the process.
#[derive(Debug)]
pub struct StateDirectory {
    path: PathBuf,
    _lock: File,
}

impl StateDirectory {
    /// Locks a directory. A missing directory is made.
    ///
    /// # Errors
    /// If it cannot be made or written, or another daemon uses it.
    pub fn take(path: &Path) -> Result<StateDirectory, StateDirectoryError> {
        make(path)?;
        if is_open_to_all(path) {
            return Err(StateDirectoryError::OpenToAll(path.to_owned()));
        }
        let name = path.join(LOCK);
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&name).map_err(failed("write", &name))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StateDirectoryError::Locked(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed("lock", &name)(error)),
        }
        let taken = StateDirectory { path: path.to_owned(), _lock: file };
        make(&taken.path.join(JOBS))?;
        Ok(taken)
    }

    /// Locks a directory to read what is in it; nothing is made or changed. Without the file that daemons lock, no
    /// daemon of this version has used the directory, and nothing is locked.
    ///
    /// # Errors
    /// If a daemon uses it, or the file cannot be opened.
    pub fn lock_to_read(path: &Path) -> Result<Option<File>, StateDirectoryError> {
        let name = path.join(LOCK);
        let file = match File::open(&name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed("open", &name)(error)),
        };
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Err(StateDirectoryError::Read(path.to_owned())),
            Err(TryLockError::Error(error)) => Err(failed("lock", &name)(error)),
        }
    }

    /// Makes the names in it durable: without that a power cut may lose a new file whose content is safe.
    ///
    /// # Errors
    /// If the device refuses.
    pub fn flush_names(&self) -> Result<(), StateDirectoryError> {
        sync_directory(&self.path.join(JOBS)).map_err(failed("write", &self.path))
    }

    /// Path of the state directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of a job.
    pub fn job(&self, id: u64) -> PathBuf {
        self.path.join(JOBS).join(id.to_string())
    }

    /// The numbers of all folders of jobs, ascending.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn numbers(&self) -> Result<Vec<u64>, StateDirectoryError> {
        let path = self.path.join(JOBS);
        let mut numbers = Vec::new();
        for entry in fs::read_dir(&path).map_err(failed("read", &path))? {
            let name = entry.map_err(failed("read", &path))?.file_name();
            let number = name.to_str().and_then(|name| name.parse().ok().filter(|n: &u64| n.to_string() == name));
            numbers.extend(number.filter(|&number| number <= LAST_NUMBER));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Removes the folder of a job, if there is one.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove_job(&self, id: u64) -> Result<(), StateDirectoryError> {
        let path = self.job(id);
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", &path)(error)),
            _ => Ok(()),
        }
    }
}

/// Whether a directory belongs to another user and everybody may write into it.
#[cfg(unix)]
fn is_open_to_all(path: &Path) -> bool {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let directory =
        fs::metadata(path).map(|directory| (directory.permissions().mode() & 0o002 != 0, directory.uid()));
    // The directory of this process belongs to its user; not every system has one.
    let user = fs::metadata("/proc/self").map(|process| process.uid());
    matches!((directory, user), (Ok((true, owner)), Ok(user)) if owner != user)
}

#[cfg(not(unix))]
fn is_open_to_all(_: &Path) -> bool {
    false
}

fn make(path: &Path) -> Result<(), StateDirectoryError> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(failed("make the directory", path))?;
    sync_directory(path).map_err(failed("write", path))
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StateDirectoryError {
    let path = path.to_owned();
    move |source| StateDirectoryError::File { action, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_daemon_has_it_and_others_may_not_look() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/state");
        let taken = StateDirectory::take(&path).unwrap();
        assert!(matches!(StateDirectory::take(&path), Err(StateDirectoryError::Locked(_))));
        #[cfg(unix)]
        for (name, expected) in [("", 0o700), (JOBS, 0o700), (LOCK, 0o600)] {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(path.join(name)).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, expected, "{name}");
        }
        fs::create_dir(taken.job(3)).unwrap();
        taken.remove_job(3).unwrap();
        taken.remove_job(3).unwrap();
        drop(taken);
        StateDirectory::take(&path).unwrap();
    }
}
