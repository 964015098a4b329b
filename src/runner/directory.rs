//! The directory of a hunt: one process at a time hunts in it, and nothing that is there already is overwritten.

use super::{archive, events, state, status};
use crate::files::FileError;
use crate::morpion::start::Start;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Name of the file that a running hunt holds locked.
pub const LOCK: &str = "hunt.lock";
/// Name of the file in which the daemon notes to which job a folder belongs. It is there before the hunt begins.
pub const JOB: &str = "job.jsonl";
/// Name of the file in which the daemon notes the state of that job.
pub const JOB_STATE: &str = "job-state.jsonl";
/// Name of the best grid in MSR.
const BEST: &str = "best.msr";
/// Name of the best grid as text, where MSR does not hold its start.
const BEST_TEXT: &str = "best.txt";

/// Name of the best grid of a hunt from a start.
pub fn best_name(start: &Start) -> &'static str {
    if start.is_cross() { BEST } else { BEST_TEXT }
}

/// Why a directory cannot be hunted in.
#[derive(Debug, thiserror::Error)]
pub enum HuntDirectoryError {
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another process hunts in it.
    #[error("another process is hunting in {}: wait for its end, stop it, or choose another directory with --dir", .0.display())]
    Locked(PathBuf),
    /// It holds a hunt already.
    #[error("{} already holds a hunt: resume it with `morpion resume {}`, or choose another directory with --dir", .0.display(), quoted(.0))]
    Occupied(PathBuf),
    /// It holds files that a hunt would write.
    #[error("{} holds {file}, which a hunt would overwrite: choose another directory with --dir", directory.display())]
    InTheWay {
        /// Path of the directory.
        directory: PathBuf,
        /// Name of the first such file.
        file: String,
    },
    /// It holds other files, and no hunt.
    #[error(
        "{} is not empty: it holds {file}, and no hunt. A hunt begins in a new or an empty directory: choose one with --dir",
        directory.display()
    )]
    NotEmpty {
        /// Path of the directory.
        directory: PathBuf,
        /// One of the files.
        file: String,
    },
    /// There is no hunt to resume.
    #[error("{} holds no hunt ({} is missing): begin one with `morpion --dir {}`", .0.display(), state::CHECKPOINT, quoted(.0))]
    Empty(PathBuf),
}

/// The path as a word of a shell's command line.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// What a directory holds, for a hunt that is to begin in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contents {
    /// Nothing, or it does not exist: a hunt can begin.
    Nothing,
    /// A hunt, which may be running.
    Hunt,
    /// Other files: the first of them by name.
    Others(String),
}

impl Contents {
    /// Looks at a directory. Files that an attempt to begin a hunt leaves behind do not count.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(path: &Path) -> Result<Contents, FileError> {
        if path.join(state::CHECKPOINT).exists() {
            return Ok(Contents::Hunt);
        }
        let entries = match fs::read_dir(path) {
            // The error of making the directory says why it cannot be made.
            Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
                return Ok(Contents::Nothing);
            }
            other => other.map_err(FileError::new("read", path))?,
        };
        let mut first: Option<String> = None;
        for entry in entries {
            let entry = entry.map_err(FileError::new("read", path))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let whole = name.strip_suffix(".tmp").unwrap_or(&name);
            let left_behind = [LOCK, JOB, JOB_STATE].contains(&whole)
                || (whole == state::CHECKPOINT && whole != name)
                || state::is_new_journal(&entry.path());
            if !left_behind && first.as_ref().is_none_or(|first| name < *first) {
                first = Some(name);
            }
        }
        Ok(first.map_or(Contents::Nothing, Contents::Others))
    }
}

/// A directory locked by this process. The lock goes with the value, or with the process.
#[derive(Debug)]
pub struct Locked {
    path: PathBuf,
    _lock: File,
}

impl Locked {
    /// Takes a directory for a new hunt; it is made if it is missing.
    ///
    /// # Errors
    /// If it cannot be made or written, is in use, or is not empty; nothing is written then.
    pub fn for_new_hunt(path: &Path) -> Result<Locked, HuntDirectoryError> {
        let directory = path.to_owned();
        match Contents::of(path)? {
            Contents::Nothing => {}
            Contents::Hunt => return Err(HuntDirectoryError::Occupied(directory)),
            Contents::Others(other) => {
                return Err(match in_the_way(path)? {
                    Some(file) => HuntDirectoryError::InTheWay { directory, file },
                    None => HuntDirectoryError::NotEmpty { directory, file: other },
                });
            }
        }
        fs::create_dir_all(path).map_err(FileError::new("make the directory", path))?;
        let locked = Locked::lock(path)?;
        // Another process may have begun a hunt between the look and the lock.
        if path.join(state::CHECKPOINT).exists() {
            return Err(HuntDirectoryError::Occupied(path.to_owned()));
        }
        Ok(locked)
    }

    /// Takes a directory that holds a hunt.
    ///
    /// # Errors
    /// If there is no hunt in it, or it is in use.
    pub fn with_hunt(path: &Path) -> Result<Locked, HuntDirectoryError> {
        if !path.join(state::CHECKPOINT).exists() {
            fs::metadata(path).map_err(FileError::new("read", path))?;
            return Err(HuntDirectoryError::Empty(path.to_owned()));
        }
        Locked::lock(path)
    }

    /// Path of the locked directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn lock(path: &Path) -> Result<Locked, HuntDirectoryError> {
        let name = path.join(LOCK);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&name);
        let file = file.map_err(FileError::new("write", &name))?;
        match file.try_lock() {
            Ok(()) => Ok(Locked { path: path.to_owned(), _lock: file }),
            Err(TryLockError::WouldBlock) => Err(HuntDirectoryError::Locked(path.to_owned())),
            Err(TryLockError::Error(error)) => Err(FileError::new("lock", &name)(error).into()),
        }
    }
}

/// A file that a hunt would write: a status file or a grid named by its score.
fn in_the_way(path: &Path) -> Result<Option<String>, FileError> {
    let mut found: Vec<String> = Vec::new();
    if archive::path_in(path).exists() {
        found.push(format!("{}/{}", archive::DIRECTORY, archive::FILE));
    }
    for entry in fs::read_dir(path).map_err(FileError::new("read", path))? {
        let name = entry.map_err(FileError::new("read", path))?.file_name();
        let Some(name) = name.to_str() else { continue };
        let is_grid =
            name.strip_suffix(".txt").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        if is_grid || [events::FILE, BEST, BEST_TEXT, status::PROGRESS, status::THREADS].contains(&name) {
            found.push(name.to_owned());
        }
    }
    Ok(found.into_iter().min())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_taken_once_and_never_with_files_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a b/c");
        let first = Locked::for_new_hunt(&path).unwrap();
        assert!(matches!(Locked::for_new_hunt(&path), Err(HuntDirectoryError::Locked(_))));
        assert!(matches!(Locked::with_hunt(&path), Err(HuntDirectoryError::Empty(_))));
        drop(first);
        // Files of anybody else's: nothing of a hunt is among them, and nothing is written.
        let home = dir.path().join("home");
        fs::create_dir(&home).unwrap();
        for name in ["letter.txt", "a.pdf"] {
            fs::write(home.join(name), "").unwrap();
        }
        let error = Locked::for_new_hunt(&home).unwrap_err().to_string();
        assert!(error.contains("is not empty: it holds a.pdf") && error.contains("--dir"), "{error}");
        assert_eq!(fs::read_dir(&home).unwrap().count(), 2);
        assert_eq!(Contents::of(&dir.path().join("missing")).unwrap(), Contents::Nothing);
        assert_eq!(Contents::of(&path).unwrap(), Contents::Nothing);
        // What a crash at the beginning of a hunt leaves behind is not in the way; a journal of a hunt is.
        let journal = path.join("hunt-0.journal");
        fs::write(path.join("hunt.state.tmp"), "half").unwrap();
        fs::write(&journal, [0; 24]).unwrap();
        assert_eq!(Contents::of(&path).unwrap(), Contents::Nothing);
        fs::write(&journal, [0; 25]).unwrap();
        assert_eq!(Contents::of(&path).unwrap(), Contents::Others("hunt-0.journal".to_owned()));
        fs::remove_file(&journal).unwrap();
        fs::write(path.join("71.txt"), "").unwrap();
        let error = Locked::for_new_hunt(&path).unwrap_err().to_string();
        assert!(error.contains("holds 71.txt"), "{error}");
        fs::write(path.join(state::CHECKPOINT), "").unwrap();
        assert_eq!(Contents::of(&path).unwrap(), Contents::Hunt);
        let error = Locked::for_new_hunt(&path).unwrap_err().to_string();
        assert!(error.contains("morpion resume '") && error.contains("a b/c'"), "{error}");
        Locked::with_hunt(&path).unwrap();
    }
}
