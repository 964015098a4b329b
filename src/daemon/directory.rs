//! The state directory: one daemon at a time, and what it holds is for its owner alone from the first byte.
//!
//! The directory itself is made for its owner if it is missing, and left as it is if it is there; the lock, the store and the
//! folder of the jobs are made for their owner in any case.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Name of the file that a running daemon holds locked.
pub const LOCK: &str = "daemon.lock";
/// Name of the folder with a folder for each job that has run.
pub const JOBS: &str = "jobs";

/// Why a directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateDirectoryError {
    /// A file operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// Another daemon runs in it.
    #[error("another daemon runs in {}: stop it, or choose another directory with --state", .0.display())]
    Locked(PathBuf),
}

/// A state directory locked by this process. The lock goes with the value, or with the process.
#[derive(Debug)]
pub struct StateDirectory {
    path: PathBuf,
    _lock: File,
}

impl StateDirectory {
    /// Takes a directory; it is made if it is missing.
    ///
    /// # Errors
    /// If it cannot be made or written, or another daemon runs in it.
    pub fn take(path: &Path) -> Result<StateDirectory, StateDirectoryError> {
        make(path)?;
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

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of a job.
    pub fn job(&self, id: u64) -> PathBuf {
        self.path.join(JOBS).join(id.to_string())
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

fn make(path: &Path) -> Result<(), StateDirectoryError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(failed("make the directory", path))
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
