//! Files that hold either the old content or the new one, whatever happens: written under another name, then renamed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// An operation on a file that failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}", path.display())]
pub struct FileError {
    /// What was tried: "write", "read", ...
    pub action: &'static str,
    /// On which file.
    pub path: PathBuf,
    /// What went wrong.
    pub source: io::Error,
}

impl FileError {
    /// Wraps the error of doing `action` on `path`.
    pub fn new(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
        let path = path.to_owned();
        move |source| FileError { action, path, source }
    }
}

/// How long a file must live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// It must survive a power cut: it is flushed to the device before it takes the old one's place.
    Durable,
    /// It is rewritten all the time; a power cut may lose it.
    Brief,
}

/// Writes `bytes` to `path` atomically, replacing what is there.
///
/// # Errors
/// If a step fails; the old file is untouched then, and the new one's remains are removed.
pub fn replace(path: &Path, bytes: &[u8], keep: Keep) -> Result<(), FileError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".tmp");
    let beside = path.with_file_name(name);
    let written = write_all(&beside, bytes, keep).and_then(|()| fs::rename(&beside, path));
    if let Err(source) = written {
        let _ = fs::remove_file(&beside);
        return Err(FileError { action: "write", path: path.to_owned(), source });
    }
    if keep == Keep::Durable {
        sync_directory(path).map_err(FileError::new("write", path))?;
    }
    Ok(())
}

fn write_all(path: &Path, bytes: &[u8], keep: Keep) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    match keep {
        Keep::Durable => file.sync_all(),
        Keep::Brief => Ok(()),
    }
}

/// Makes the names in the directory of `path` durable; only where directories can be opened as files.
fn sync_directory(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_whole_files_and_leaves_nothing_beside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        for (text, keep) in [("one", Keep::Brief), ("two", Keep::Durable)] {
            replace(&path, text.as_bytes(), keep).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        let error = replace(&dir.path().join("missing/a"), b"x", Keep::Brief).unwrap_err();
        assert!(error.to_string().starts_with("cannot write "), "{error}");
    }
}
