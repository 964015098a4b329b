//! Files that hold either the old content or the new one, whatever happens: written under another name, then renamed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
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
    let beside = beside(path);
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

/// The name under which a file is written before it takes the place of the one at `path`.
pub fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".tmp");
    path.with_file_name(name)
}

/// Gives a file a second name: its own with `.ending-1`, or the next number that is free. That name; nothing if there
/// is no such file. If a file of such a name has the same content already, as after an earlier attempt that failed
/// later, it is that name.
///
/// # Errors
/// If it cannot be given.
pub fn keep_as(path: &Path, ending: &str) -> io::Result<Option<PathBuf>> {
    for number in 1u32.. {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{ending}-{number}"));
        let kept = path.with_file_name(name);
        match fs::hard_link(path, &kept) {
            Ok(()) => return Ok(Some(kept)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(_) if kept.exists() => {
                if same_content(path, &kept)? {
                    return Ok(Some(kept));
                }
            }
            // Not every file system has second names.
            Err(_) => return copy(path, &kept).map(|()| Some(kept)),
        }
    }
    Ok(None)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut target = OpenOptions::new().write(true).create_new(true).open(to)?;
    let copied = File::open(from).and_then(|mut source| io::copy(&mut source, &mut target));
    copied.and_then(|_| target.sync_all()).inspect_err(|_| drop(fs::remove_file(to)))
}

/// Whether two files have the same bytes.
fn same_content(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut bytes, mut others) = ([0; 1 << 14], [0; 1 << 14]);
    loop {
        let read = one.read(&mut bytes)?;
        if read == 0 {
            return Ok(other.read(&mut others)? == 0);
        }
        match other.read_exact(&mut others[..read]) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            outcome => outcome?,
        }
        if bytes[..read] != others[..read] {
            return Ok(false);
        }
    }
}

/// Keeps a damaged file under another name ([`keep_as`]), so that one with what can be read may take its place; that
/// name.
///
/// # Errors
/// If it cannot be kept.
pub fn set_aside(path: &Path) -> Result<PathBuf, FileError> {
    let kept = keep_as(path, "damaged").map_err(FileError::new("keep", path))?;
    kept.ok_or_else(|| FileError::new("keep", path)(io::ErrorKind::NotFound.into()))
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
///
/// # Errors
/// If the device refuses.
pub fn sync_directory(path: &Path) -> io::Result<()> {
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

    #[test]
    fn a_file_that_is_set_aside_takes_no_name_that_is_used() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        for (number, text) in [(1, "one"), (2, "two")] {
            fs::write(&path, text).unwrap();
            let kept = set_aside(&path).unwrap();
            assert_eq!(kept, dir.path().join(format!("a.damaged-{number}")));
            // What is written under its old name from now on is another file.
            replace(&path, b"new", Keep::Brief).unwrap();
            assert_eq!(fs::read_to_string(kept).unwrap(), text);
        }
        assert_eq!(keep_as(&dir.path().join("missing"), "old").unwrap(), None);
        // An attempt after one that ended half way.
        fs::write(&path, "three").unwrap();
        for _ in 0..3 {
            assert_eq!(set_aside(&path).unwrap(), dir.path().join("a.damaged-3"));
        }
        // A copy on a file system without second names.
        fs::remove_file(dir.path().join("a.damaged-3")).unwrap();
        fs::write(dir.path().join("a.damaged-3"), "three").unwrap();
        assert_eq!(set_aside(&path).unwrap(), dir.path().join("a.damaged-3"));
        fs::write(dir.path().join("a.damaged-3"), "thrEe").unwrap();
        assert_eq!(set_aside(&path).unwrap(), dir.path().join("a.damaged-4"));
        assert!(set_aside(&dir.path().join("missing")).is_err());
    }
}
