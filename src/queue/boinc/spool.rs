//! The spool: the directory by which the daemon and the programs of a BOINC server pass units and results to each
//! other. A workunit is known by its name, and its files have that name:
//!
//! | folder | what | written by | removed by |
//! |---|---|---|---|
//! | `units` | the file of the unit | the daemon | the daemon, which moves it to `done` |
//! | `made` | the server has it (`yes`), or is just being given it (`begun`) | the work generator | the daemon |
//! | `results` | its result, which the validator has passed | the assimilator | the daemon |
//! | `failed` | why the server has given it up | the assimilator | the daemon |
//! | `cancel` | the server may cancel it | the daemon | the work generator |
//! | `done` | the file of a unit that is no longer needed, to judge late results by | the daemon | the daemon |
//!
//! The daemon has the truth. A unit whose files are lost is handed out again under another name, and a result is
//! taken in once, whatever comes late or twice.

use super::package::{PackageError, UnitHash, UnitWords, read_unit};
use super::slot::{Slot, SlotError};
use crate::files::{FileError, Keep, replace};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const UNITS: &str = "units";
const MADE: &str = "made";
const RESULTS: &str = "results";
const FAILED: &str = "failed";
const CANCEL: &str = "cancel";
const DONE: &str = "done";

/// What is wrong with a spool.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] SlotError),
    /// A file is damaged.
    #[error("{}: {what}", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong with it.
        what: PackageError,
    },
    /// The directory is not one that a daemon has made.
    #[error("{} is not the directory of volunteers of a daemon (`morpion daemon --boinc DIR`)", .0.display())]
    NoSpool(PathBuf),
    /// Another daemon has it.
    #[error("{} is used by another daemon", .0.display())]
    Taken(PathBuf),
    /// The name could not be one of a workunit.
    #[error("'{0}' is not the name of a workunit of this program")]
    Name(String),
}

/// How far a workunit has got on its way to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Making {
    /// Nobody has begun to give it to the server.
    Waiting,
    /// Somebody has begun to, and perhaps was interrupted.
    Begun,
    /// The server has it.
    Made,
}

/// A directory that a daemon shares with a server.
#[derive(Debug, Clone)]
pub struct Spool(PathBuf);

/// What a daemon holds while it uses a spool.
#[derive(Debug)]
pub struct SpoolLock(#[allow(dead_code, reason = "it is held")] File);

/// The name of a workunit: what its unit is recognised by, and digits that make it one that is used once.
pub fn workunit_name(identity: UnitHash, random: u64) -> String {
    format!("morpion-{}-{random:016x}", identity.digits())
}

/// Whether a text could be the name of a workunit.
pub fn is_name(text: &str) -> bool {
    let digits = |part: &str| part.len() == 16 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts: Vec<&str> = text.split('-').collect();
    matches!(parts[..], ["morpion", identity, random] if digits(identity) && digits(random))
}

/// The name of the workunit that a file of the server belongs to: the server appends to the name, beginning with `_`.
pub fn workunit_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    Some(name.split('_').next().unwrap_or(name).to_owned()).filter(|name| is_name(name))
}

impl Spool {
    /// Makes the directory if it is missing, for the daemon.
    ///
    /// # Errors
    /// If it cannot be made, or another daemon uses it.
    pub fn create(directory: &Path) -> Result<(Spool, SpoolLock), SpoolError> {
        for folder in [UNITS, MADE, RESULTS, FAILED, CANCEL, DONE] {
            let path = directory.join(folder);
            fs::create_dir_all(&path).map_err(FileError::new("make", &path))?;
        }
        let path = directory.join("lock");
        let opened = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let file = opened.map_err(FileError::new("lock", &path))?;
        match file.try_lock() {
            Ok(()) => Ok((Spool(directory.to_owned()), SpoolLock(file))),
            Err(fs::TryLockError::WouldBlock) => Err(SpoolError::Taken(directory.to_owned())),
            Err(fs::TryLockError::Error(error)) => Err(FileError::new("lock", &path)(error).into()),
        }
    }

    /// One that a daemon has made.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(directory: &Path) -> Result<Spool, SpoolError> {
        let is_whole = [UNITS, MADE, RESULTS, FAILED].iter().all(|folder| directory.join(folder).is_dir());
        if is_whole { Ok(Spool(directory.to_owned())) } else { Err(SpoolError::NoSpool(directory.to_owned())) }
    }

    fn path(&self, folder: &str, name: &str) -> PathBuf {
        self.0.join(folder).join(name)
    }

    /// Path of the file of a unit that is needed.
    pub fn unit_path(&self, name: &str) -> PathBuf {
        self.path(UNITS, name)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, SpoolError> {
        let path = self.0.join(folder);
        let error = || FileError::new("read", &path);
        let mut names = Vec::new();
        for entry in fs::read_dir(&path).map_err(error())? {
            let name = entry.map_err(error())?.file_name();
            // Others are files that are just being written.
            names.extend(name.to_str().filter(|name| is_name(name)).map(str::to_owned));
        }
        names.sort();
        Ok(names)
    }

    fn remove(&self, folder: &str, name: &str) -> Result<(), SpoolError> {
        let path = self.path(folder, name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(FileError::new("remove", &path)(error).into())
            }
            _ => Ok(()),
        }
    }

    fn write(&self, folder: &str, name: &str, bytes: &[u8]) -> Result<(), SpoolError> {
        Ok(replace(&self.path(folder, name), bytes, Keep::Durable)?)
    }

    /// The workunits whose units are needed.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn units(&self) -> Result<Vec<String>, SpoolError> {
        self.list(UNITS)
    }

    /// The workunits that have a result.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn results(&self) -> Result<Vec<String>, SpoolError> {
        self.list(RESULTS)
    }

    /// The workunits that the server has given up.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn failures(&self) -> Result<Vec<String>, SpoolError> {
        self.list(FAILED)
    }

    /// The workunits that the server may cancel.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn cancellations(&self) -> Result<Vec<String>, SpoolError> {
        self.list(CANCEL)
    }

    /// Puts a unit there.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn put_unit(&self, name: &str, file: &[u8]) -> Result<(), SpoolError> {
        self.write(UNITS, name, file)
    }

    /// The packed unit of a workunit, and whether it is still needed; nothing if it has been forgotten.
    ///
    /// # Errors
    /// If its file cannot be read.
    pub fn unit(&self, name: &str) -> Result<Option<(Vec<u8>, bool)>, SpoolError> {
        if !is_name(name) {
            return Err(SpoolError::Name(name.to_owned()));
        }
        for folder in [UNITS, DONE] {
            let path = self.path(folder, name);
            let bytes = match Slot::read(&path) {
                Ok(bytes) => bytes,
                Err(SlotError::File(error)) if error.source.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error.into()),
            };
            let packed = read_unit(&bytes).map_err(|what| SpoolError::Damaged { path, what })?;
            return Ok(Some((packed.to_vec(), folder == UNITS)));
        }
        Ok(None)
    }

    /// How old the file of a unit is that is needed.
    pub fn age(&self, name: &str) -> Option<Duration> {
        let written = fs::metadata(self.path(UNITS, name)).and_then(|file| file.modified()).ok()?;
        SystemTime::now().duration_since(written).ok()
    }

    /// How far a workunit has got.
    pub fn making(&self, name: &str) -> Making {
        match fs::read(self.path(MADE, name)) {
            Ok(text) if text == b"yes\n" => Making::Made,
            Ok(_) => Making::Begun,
            Err(_) => Making::Waiting,
        }
    }

    /// Notes how far a workunit has got.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn note_making(&self, name: &str, is_made: bool) -> Result<(), SpoolError> {
        self.write(MADE, name, if is_made { b"yes\n" } else { b"begun\n" })
    }

    /// The result of a workunit, once the assimilator has put it there.
    ///
    /// # Errors
    /// If its file cannot be read.
    pub fn result(&self, name: &str) -> Result<UnitWords, SpoolError> {
        let path = self.path(RESULTS, name);
        UnitWords::from_file(&Slot::read(&path)?).map_err(|what| SpoolError::Damaged { path, what })
    }

    /// Puts a result there.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn put_result(&self, name: &str, file: &[u8]) -> Result<(), SpoolError> {
        self.write(RESULTS, name, file)
    }

    /// Why the server has given a workunit up.
    pub fn failure(&self, name: &str) -> String {
        fs::read_to_string(self.path(FAILED, name)).unwrap_or_default().trim().to_owned()
    }

    /// Notes that the server has given a workunit up.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn put_failure(&self, name: &str, why: &str) -> Result<(), SpoolError> {
        if !is_name(name) {
            return Err(SpoolError::Name(name.to_owned()));
        }
        self.write(FAILED, name, why.as_bytes())
    }

    /// A workunit is not needed any more. If the server still computes it, `cancel` has it stop.
    ///
    /// # Errors
    /// If a file cannot be moved.
    pub fn end(&self, name: &str, cancel: bool) -> Result<(), SpoolError> {
        if cancel && self.making(name) != Making::Waiting {
            self.write(CANCEL, name, b"")?;
        }
        let (from, to) = (self.path(UNITS, name), self.path(DONE, name));
        match fs::rename(&from, &to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(FileError::new("move", &from)(error).into());
            }
            _ => {}
        }
        for folder in [RESULTS, FAILED, MADE] {
            self.remove(folder, name)?;
        }
        Ok(())
    }

    /// The server has been told to cancel a workunit.
    ///
    /// # Errors
    /// If the note cannot be removed.
    pub fn note_cancelled(&self, name: &str) -> Result<(), SpoolError> {
        self.remove(CANCEL, name)
    }

    /// Forgets units that were done so long ago that nothing comes of them any more.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn forget(&self, after: Duration) -> Result<(), SpoolError> {
        for name in self.list(DONE)? {
            let written = fs::metadata(self.path(DONE, &name)).and_then(|file| file.modified());
            if written.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > after)) {
                self.remove(DONE, &name)?;
            }
        }
        Ok(())
    }
}
