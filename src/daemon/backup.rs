//! The files of a backup: a copy of a state directory that a daemon can start from.
//!
//! The folder of a job is copied while the job runs. Some of its files are only appended to (journals, logs, archives
//! of grids); a copy of such a file that ends early is what a crash leaves, and every reader copes with that. Other
//! files are replaced or changed in place. So these are copied first, then journals and logs, then archives, on which
//! journals rest. If a file of the first sort has changed by then, everything is copied again.

use crate::files::{FileError, Keep, beside, replace, sync_directory};
use crate::runner::clock::utc;
use crate::runner::status;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

/// Name of the folder of backups in a state directory.
pub const BACKUPS: &str = "backups";
/// Name of the file that a whole backup has: what is in it.
pub const NOTE: &str = "backup.json";
/// How often a folder is copied again because something in it has changed.
const ATTEMPTS: u32 = 50;
/// Time between two attempts.
const PAUSE: Duration = Duration::from_millis(200);
/// Changes that follow each other more quickly may leave a file the same time of change.
const COARSE: Duration = Duration::from_millis(50);

/// Why a backup cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file never stayed the same for as long as it takes to copy its folder.
    #[error("{} changes faster than it can be copied: pause its job for the time of the backup", .0.display())]
    Restless(PathBuf),
}

/// What a backup has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupSize {
    /// Number of files that were copied.
    pub files: u64,
    /// Sum of their sizes in bytes.
    pub bytes: u64,
}

/// What is noted in a whole backup.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BackupNote {
    /// When it was begun: seconds since 1970 (UTC).
    pub time: f64,
    /// Version of the program.
    pub version: String,
    /// Number of jobs in it.
    pub jobs: u64,
    /// What it takes.
    #[serde(flatten)]
    pub size: BackupSize,
}

/// The name of a backup that is begun at this time. Names ascend with time.
pub fn name_of(time: f64) -> String {
    utc(time).replace(':', "-")
}

/// This time, or the first second after it whose name no backup has.
pub fn free_time(state: &Path, mut time: f64) -> f64 {
    while state.join(BACKUPS).join(name_of(time)).exists() {
        time += 1.0;
    }
    time
}

fn is_name(name: &str) -> bool {
    let form = "0000-00-00T00-00-00Z";
    name.len() == form.len()
        && name.bytes().zip(form.bytes()).all(|(a, b)| if b == b'0' { a.is_ascii_digit() } else { a == b })
}

/// The whole backups of a state directory, the oldest first.
///
/// # Errors
/// If the folder of backups cannot be read.
pub fn list(state: &Path) -> Result<Vec<(String, BackupNote)>, FileError> {
    let folder = state.join(BACKUPS);
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(FileError::new("read", &folder))?,
    };
    let mut found = BTreeMap::new();
    for entry in entries {
        let name = entry.map_err(FileError::new("read", &folder))?.file_name();
        let Some(name) = name.to_str().filter(|name| is_name(name)) else { continue };
        let note = fs::read(folder.join(name).join(NOTE)).ok();
        if let Some(note) = note.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            found.insert(name.to_owned(), note);
        }
    }
    Ok(found.into_iter().collect())
}

/// Removes what an earlier daemon left of backups that it did not finish. One daemon has the directory, and makes one
/// backup at a time.
fn remove_drafts(folder: &Path) -> Result<(), FileError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(FileError::new("read", folder))?,
    };
    for entry in entries {
        let path = entry.map_err(FileError::new("read", folder))?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| is_name(stem));
        if stem.is_some_and(|stem| beside(&folder.join(stem)) == path) {
            fs::remove_dir_all(&path).map_err(FileError::new("remove", &path))?;
        }
    }
    Ok(())
}

/// Removes all whole backups but the newest `keep`. What has no note of a backup is left alone.
///
/// # Errors
/// If one cannot be removed.
pub fn remove_old(state: &Path, keep: usize) -> Result<Vec<String>, FileError> {
    let mut names: Vec<String> = list(state)?.into_iter().map(|(name, _)| name).collect();
    names.truncate(names.len().saturating_sub(keep));
    for name in &names {
        let path = state.join(BACKUPS).join(name);
        // Without its note it is no backup, also if its removal is interrupted.
        fs::remove_file(path.join(NOTE)).map_err(FileError::new("remove", &path))?;
        fs::remove_dir_all(&path).map_err(FileError::new("remove", &path))?;
    }
    Ok(names)
}

/// A backup that is being made. It has its name when it is whole; if it is dropped before, nothing is left of it.
pub struct BackupDraft {
    draft: PathBuf,
    path: PathBuf,
    whole: bool,
    /// What has been copied.
    pub size: BackupSize,
}

impl BackupDraft {
    /// Begins one in the folder of backups of a state directory.
    ///
    /// # Errors
    /// If its folder cannot be made, or exists.
    pub fn begin(state: &Path, name: &str) -> Result<BackupDraft, FileError> {
        let path = state.join(BACKUPS).join(name);
        if path.exists() {
            return Err(FileError::new("make", &path)(io::ErrorKind::AlreadyExists.into()));
        }
        remove_drafts(&state.join(BACKUPS))?;
        let draft = beside(&path);
        make(&draft)?;
        Ok(BackupDraft { draft, path, whole: false, size: BackupSize::default() })
    }

    /// The folder that is to be filled.
    pub fn folder(&self) -> &Path {
        &self.draft
    }

    /// Notes what is in it and gives it its name.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self, note: &BackupNote) -> Result<(), FileError> {
        let bytes = serde_json::to_vec_pretty(note).unwrap_or_default();
        replace(&self.draft.join(NOTE), &bytes, Keep::Durable)?;
        fs::rename(&self.draft, &self.path).map_err(FileError::new("rename", &self.draft))?;
        self.whole = true;
        sync_directory(&self.path).map_err(FileError::new("write", &self.path))
    }

    /// Counts a file that somebody else has written into the folder.
    ///
    /// # Errors
    /// If it is not there.
    pub fn count_file(&mut self, name: &str) -> Result<(), FileError> {
        let path = self.draft.join(name);
        let bytes = fs::metadata(&path).map_err(FileError::new("read", &path))?.len();
        self.add(BackupSize { files: 1, bytes });
        Ok(())
    }

    /// Copies a file that is replaced as a whole whenever it changes, if it exists.
    ///
    /// # Errors
    /// If it cannot be read or copied.
    pub fn copy_file(&mut self, from: &Path, name: &str) -> Result<(), FileError> {
        if from.exists() {
            self.add(copy_file(from, &self.draft.join(name))?);
        }
        Ok(())
    }

    /// Copies the folder of a job, in which files change meanwhile. A folder that does not exist is left out.
    ///
    /// # Errors
    /// If a file cannot be read or copied, or the folder changes all the time.
    pub fn copy_folder(&mut self, from: &Path, below: &Path) -> Result<(), BackupError> {
        let to = self.draft.join(below);
        let mut changed = None;
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                sleep(PAUSE);
                let _ = fs::remove_dir_all(&to);
            }
            let Some(before) = look(from)? else { return Ok(()) };
            changed = before.restless();
            if changed.is_some() {
                continue;
            }
            let Some(size) = copy_all(from, &to, &before)? else { continue };
            changed = match look(from)? {
                Some(after) => before.differs(&after),
                None => Some(PathBuf::new()),
            };
            if changed.is_none() {
                self.add(size);
                return Ok(());
            }
        }
        Err(BackupError::Restless(from.join(changed.unwrap_or_default())))
    }

    fn add(&mut self, size: BackupSize) {
        self.size.files += size.files;
        self.size.bytes += size.bytes;
    }
}

impl Drop for BackupDraft {
    fn drop(&mut self) {
        if !self.whole {
            let _ = fs::remove_dir_all(&self.draft);
        }
    }
}

/// How a file of a job changes. The order is that in which they are copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FileSort {
    /// As a whole, or in place.
    Replaced,
    /// For people, all the time; nothing rests on it.
    Shown,
    /// It grows and is never replaced.
    Log,
    /// It grows, and logs rest on it.
    Archive,
}

fn sort_of(path: &Path) -> FileSort {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match path.extension().and_then(|extension| extension.to_str()) {
        _ if [status::PROGRESS, status::THREADS].contains(&name) => FileSort::Shown,
        Some("journal" | "jsonl" | "log") => FileSort::Log,
        Some("bin") => FileSort::Archive,
        _ => FileSort::Replaced,
    }
}

/// What tells whether a file has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileLook {
    /// Number of the file on its device; 0 where there is none.
    number: u64,
    length: u64,
    changed: Option<SystemTime>,
}

/// The files of a folder, by their paths in it, in the order in which they are copied.
struct FolderLook(BTreeMap<(FileSort, PathBuf), FileLook>);

impl FolderLook {
    /// A file that has changed so lately that a further change might not be seen.
    fn restless(&self) -> Option<PathBuf> {
        let now = SystemTime::now();
        let is_new = |state: &FileLook| {
            state.changed.is_some_and(|changed| now.duration_since(changed).is_ok_and(|age| age < COARSE))
        };
        self.0
            .iter()
            .find(|((sort, _), state)| *sort == FileSort::Replaced && is_new(state))
            .map(|((_, path), _)| path.clone())
    }

    /// A file for which a copy made between the two is not good enough.
    fn differs(&self, after: &FolderLook) -> Option<PathBuf> {
        let same = |sort: FileSort, old: &FileLook, new: &FileLook| match sort {
            FileSort::Replaced => old == new,
            FileSort::Shown => true,
            FileSort::Log | FileSort::Archive => old.number == new.number && old.length <= new.length,
        };
        let gone_or_changed = self.0.iter().find(|((sort, path), old)| {
            *sort != FileSort::Shown && after.0.get(&(*sort, path.clone())).is_none_or(|new| !same(*sort, old, new))
        });
        let new = || after.0.keys().find(|key| key.0 != FileSort::Shown && !self.0.contains_key(*key));
        gone_or_changed.map(|(key, _)| key).or_else(new).map(|(_, path)| path.clone())
    }
}

/// The files of a folder as they are now; nothing if it does not exist. Locks, links and what is being written under
/// another name are left out.
fn look(folder: &Path) -> Result<Option<FolderLook>, FileError> {
    let mut files = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        let path = folder.join(&below);
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && below.as_os_str().is_empty() => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries.map_err(FileError::new("read", &path))?,
        };
        for entry in entries {
            let entry = entry.map_err(FileError::new("read", &path))?;
            let name = below.join(entry.file_name());
            let ignored = name.extension().is_some_and(|extension| extension == "tmp" || extension == "lock");
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                folders.push(name);
            } else if kind.is_file()
                && !ignored
                && let Ok(found) = entry.metadata()
            {
                files.insert((sort_of(&name), name), state_of(&found));
            }
        }
    }
    Ok(Some(FolderLook(files)))
}

fn state_of(found: &fs::Metadata) -> FileLook {
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(found);
    #[cfg(not(unix))]
    let number = 0;
    FileLook { number, length: found.len(), changed: found.modified().ok() }
}

/// Copies the files; nothing if one of them is gone.
fn copy_all(from: &Path, to: &Path, files: &FolderLook) -> Result<Option<BackupSize>, FileError> {
    make(to)?;
    let mut size = BackupSize::default();
    for (sort, path) in files.0.keys() {
        let target = to.join(path);
        if let Some(parent) = target.parent().filter(|parent| !parent.is_dir()) {
            make(parent)?;
        }
        match copy_file(&from.join(path), &target) {
            Err(error) if error.source.kind() == io::ErrorKind::NotFound && *sort == FileSort::Shown => {}
            Err(error) if error.source.kind() == io::ErrorKind::NotFound => return Ok(None),
            copied => {
                let copied = copied?;
                size.files += copied.files;
                size.bytes += copied.bytes;
            }
        }
    }
    Ok(Some(size))
}

fn copy_file(from: &Path, to: &Path) -> Result<BackupSize, FileError> {
    let mut source = File::open(from).map_err(FileError::new("read", from))?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut target = options.open(to).map_err(FileError::new("write", to))?;
    let bytes = io::copy(&mut source, &mut target).map_err(FileError::new("copy", from))?;
    target.sync_all().map_err(FileError::new("write", to))?;
    Ok(BackupSize { files: 1, bytes })
}

/// Makes a folder for its owner alone, with those above it.
fn make(path: &Path) -> Result<(), FileError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(FileError::new("make", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_change_during_a_copy_is_seen_where_it_matters() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["hunt.state", "hunt-1.journal", "archive/grids.bin", "main_progress.txt", "hunt.lock"] {
            written(&dir.path().join(name), "one");
        }
        let before = look(dir.path()).unwrap().unwrap();
        assert_eq!(before.restless(), Some("hunt.state".into()));
        let order: Vec<&str> = before.0.keys().map(|(_, path)| path.to_str().unwrap()).collect();
        assert_eq!(order, ["hunt.state", "main_progress.txt", "hunt-1.journal", "archive/grids.bin"]);
        let changed = |name: &str, text: &str| {
            written(&dir.path().join(name), text);
            before.differs(&look(dir.path()).unwrap().unwrap())
        };
        assert_eq!(changed("main_progress.txt", "two"), None);
        assert_eq!(changed("hunt-1.journal", "one two"), None);
        assert_eq!(changed("archive/grids.bin", "one two"), None);
        assert_eq!(changed("archive/grids.bin", ""), Some("archive/grids.bin".into()));
        assert_eq!(changed("archive/grids.bin", "one"), None);
        assert_eq!(changed("hunt-2.journal", "one"), Some("hunt-2.journal".into()));
        fs::remove_file(dir.path().join("hunt-2.journal")).unwrap();
        replace(&dir.path().join("hunt.state"), b"one", Keep::Brief).unwrap();
        assert_eq!(before.differs(&look(dir.path()).unwrap().unwrap()), Some("hunt.state".into()));
    }

    #[test]
    fn only_whole_backups_are_listed_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let job = dir.path().join("jobs/1");
        written(&job.join("hunt.state"), "state");
        sleep(COARSE);
        let note = |time| BackupNote { time, version: "1".to_owned(), jobs: 1, size: BackupSize::default() };
        for time in [1e9, 2e9, 3e9] {
            let mut draft = BackupDraft::begin(dir.path(), &name_of(time)).unwrap();
            draft.copy_folder(&job, Path::new("jobs/1")).unwrap();
            assert_eq!(draft.size, BackupSize { files: 1, bytes: 5 });
            draft.finish(&note(time)).unwrap();
        }
        let folder = dir.path().join(BACKUPS);
        // What a daemon that was killed has left.
        written(&folder.join("2020-01-01T00-00-00Z.tmp/hunt.state"), "a part");
        drop(BackupDraft::begin(dir.path(), &name_of(4e9)).unwrap());
        assert!(!folder.join("2020-01-01T00-00-00Z.tmp").exists());
        written(&folder.join("mine/notes.txt"), "text");
        written(&folder.join("2020-01-01T00-00-00Z/hunt.state"), "no note");
        let names = |state: &Path| list(state).unwrap().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(dir.path()), [name_of(1e9), name_of(2e9), name_of(3e9)]);
        assert!(BackupDraft::begin(dir.path(), &name_of(3e9)).is_err(), "nothing is overwritten");
        assert_eq!((free_time(dir.path(), 3e9), free_time(dir.path(), 4e9)), (3e9 + 1.0, 4e9));
        assert_eq!(remove_old(dir.path(), 1).unwrap(), [name_of(1e9), name_of(2e9)]);
        assert_eq!(names(dir.path()), [name_of(3e9)]);
        assert!(folder.join("mine/notes.txt").exists() && folder.join("2020-01-01T00-00-00Z").exists());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
    }
}
