//! The slot: the directory in which the BOINC client runs one unit. Files of the project are there under logical
//! names (`in`, `out`), as links that are files of their own; what else is there belongs to the application.

use super::channels::{self, ChannelFile};
use super::package::MOST_BYTES;
use crate::files::{FileError, Keep, replace};
use rustix::fs::{FlockOperation, fcntl_lock};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the client says of the unit, if there is a client.
pub const INIT_DATA: &str = "init_data.xml";
/// The application that has the slot holds a lock on it.
const LOCK: &str = "boinc_lockfile";
/// Says that the application has ended by itself, and with which status.
const FINISHED: &str = "boinc_finish_called";
/// Says after which time the application is to be started again.
const LATER: &str = "boinc_temporary_exit";
/// Longest link; a file that is longer is none.
const LONGEST_LINK: u64 = 512;
/// Time between two checkpoints if the client asks for none.
const PACE: Duration = Duration::from_secs(300);

/// A slot directory.
#[derive(Debug, Clone)]
pub struct Slot(PathBuf);

/// What is wrong with a slot.
#[derive(Debug, thiserror::Error)]
pub enum SlotError {
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file of the client is not one.
    #[error("{INIT_DATA}: {0}")]
    InitData(String),
    /// Another application has the slot.
    #[error("another process has the slot")]
    Taken,
    /// The memory that the client shares cannot be used.
    #[error("boinc_mmap_file: {0}")]
    Memory(io::Error),
    /// A file is longer than any of its kind.
    #[error("{0}: it has more than {MOST_BYTES} bytes")]
    Long(String),
}

/// The lock of a slot; it ends with this value.
#[derive(Debug)]
pub struct SlotLock {
    path: PathBuf,
    _file: File,
}

impl Drop for SlotLock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// What the client says of the unit.
#[derive(Debug, Clone, PartialEq)]
pub struct InitData {
    /// Number of the client's process, if it says so.
    pub client: Option<i32>,
    /// Seconds of the processor that earlier runs of the application have taken up to their last checkpoint.
    pub seconds: f64,
    /// Time between two checkpoints.
    pub pace: Duration,
    /// Where on the way from 0 to 1 the unit begins and ends.
    pub range: (f64, f64),
    /// The unit's name, for messages.
    pub name: String,
    /// Whether the shared memory is a file.
    pub is_mapped: bool,
}

impl InitData {
    /// Reads the client's file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<InitData, String> {
        let values = top_level(text, "app_init_data")?;
        let number = |name: &str, usual: f64| match values.get(name) {
            None => Ok(usual),
            Some(text) => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(number),
                _ => Err(format!("'{text}' in <{name}> is not a number")),
            },
        };
        let pace = number("checkpoint_period", 0.0)?;
        Ok(InitData {
            client: Some(number("client_pid", 0.0)? as i32).filter(|&process| process > 0),
            seconds: number("wu_cpu_time", 0.0)?.max(0.0),
            pace: if pace > 0.0 { Duration::try_from_secs_f64(pace).unwrap_or(PACE) } else { PACE },
            range: (number("fraction_done_start", 0.0)?, number("fraction_done_end", 1.0)?),
            name: values.get("wu_name").cloned().unwrap_or_default(),
            is_mapped: number("shm_key", -1.0)? == -1.0,
        })
    }
}

/// The texts of the elements that the outermost one has directly. What is nested deeper, such as the preferences of
/// the user, may use the same names for other things.
fn top_level(text: &str, outermost: &str) -> Result<BTreeMap<String, String>, String> {
    let mut values = BTreeMap::new();
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    loop {
        let (before, after) = rest.split_once('<').ok_or_else(|| format!("it has no end of <{outermost}>"))?;
        let (tag, after) = after.split_once('>').ok_or("a tag does not end")?;
        rest = after;
        if tag.ends_with('/') || tag.starts_with(['?', '!']) {
            continue;
        }
        let Some(closed) = tag.strip_prefix('/') else {
            let name = tag.split_whitespace().next().unwrap_or_default();
            if open.is_empty() && name != outermost {
                return Err(format!("it begins with <{name}>, and not with <{outermost}>"));
            }
            open.push(name);
            continue;
        };
        match (open.pop(), open.len()) {
            (Some(name), _) if name != closed => return Err(format!("<{name}> is ended by </{closed}>")),
            (Some(_), 0) => return Ok(values),
            (Some(name), 1) => _ = values.insert(name.to_owned(), before.trim().to_owned()),
            (Some(_), _) => {}
            (None, _) => return Err(format!("</{closed}> ends nothing")),
        }
    }
}

impl Slot {
    /// The slot in a directory.
    pub fn new(directory: impl Into<PathBuf>) -> Slot {
        Slot(directory.into())
    }

    /// Path of a file of the application's own.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Where the file with a logical name is. Without a link there it is that name itself.
    pub fn resolved(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        let mut text = String::new();
        let is_link = fs::symlink_metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= LONGEST_LINK)
            && File::open(&path).is_ok_and(|file| file.take(LONGEST_LINK).read_to_string(&mut text).is_ok());
        let linked = text.trim_start().strip_prefix("<soft_link>").and_then(|rest| rest.split_once("</soft_link>"));
        match linked {
            Some((to, _)) if is_link => self.0.join(to.trim()),
            _ => path,
        }
    }

    /// The content of a file.
    ///
    /// # Errors
    /// If it cannot be read, or is longer than any file may be.
    pub fn read(path: &Path) -> Result<Vec<u8>, SlotError> {
        let error = || FileError::new("read", path);
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(error())?;
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(error())?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(SlotError::Long(path.display().to_string()));
        }
        Ok(bytes)
    }

    /// What the client says of the unit; nothing if there is no client.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn init_data(&self) -> Result<Option<InitData>, SlotError> {
        let path = self.path(INIT_DATA);
        let text = match fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(FileError::new("read", &path)(error).into()),
        };
        InitData::parse(&text).map(Some).map_err(SlotError::InitData)
    }

    /// The memory that the client shares.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn channels(&self) -> Result<ChannelFile, SlotError> {
        ChannelFile::open(&self.path(channels::FILE)).map_err(SlotError::Memory)
    }

    /// Takes the slot for this process.
    ///
    /// # Errors
    /// If another process has it, or the file cannot be made.
    pub fn lock(&self) -> Result<SlotLock, SlotError> {
        let path = self.path(LOCK);
        let opened = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let file = opened.map_err(FileError::new("lock", &path))?;
        match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
            // Not every file system has locks.
            Ok(()) | Err(rustix::io::Errno::NOSYS) => Ok(SlotLock { path, _file: file }),
            Err(_) => Err(SlotError::Taken),
        }
    }

    /// Tells the client that the unit has ended by itself.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn note_finished(&self, status: u8) -> Result<(), FileError> {
        replace(&self.path(FINISHED), format!("{status}\n").as_bytes(), Keep::Brief)
    }

    /// Tells the client to start the unit again after a time.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn note_later(&self, after: Duration, why: &str) -> Result<(), FileError> {
        replace(&self.path(LATER), format!("{}\n{why}\n", after.as_secs()).as_bytes(), Keep::Brief)
    }

    /// Takes back what an earlier run of the application has told the client.
    pub fn clear_notes(&self) {
        for name in [FINISHED, LATER] {
            let _ = fs::remove_file(self.path(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "<app_init_data>\n<major_version>7</major_version>\n<project_preferences>\n\
        <wu_cpu_time>99</wu_cpu_time><odd/>\n</project_preferences>\n<wu_name>u1</wu_name>\n<shm_key>-1</shm_key>\n\
        <client_pid>77</client_pid>\n<wu_cpu_time>1.5</wu_cpu_time>\n<checkpoint_period>60.000000</checkpoint_period>\
        \n<fraction_done_start>0.0</fraction_done_start>\n<fraction_done_end>0.5</fraction_done_end>\n<gpu_type>\
        </gpu_type>\n</app_init_data>\n";

    #[test]
    fn the_clients_file_is_read_at_its_top_level() {
        let expected = InitData {
            client: Some(77),
            seconds: 1.5,
            pace: Duration::from_secs(60),
            range: (0.0, 0.5),
            name: "u1".to_owned(),
            is_mapped: true,
        };
        assert_eq!(InitData::parse(TEXT), Ok(expected));
        let least = InitData::parse("<app_init_data>\n</app_init_data>").unwrap();
        assert_eq!((least.client, least.pace, least.range), (None, PACE, (0.0, 1.0)));
        assert!(!InitData::parse(&TEXT.replace("-1", "12345")).unwrap().is_mapped);
        for (wrong, why) in [
            (TEXT.replace("</app_init_data>", ""), "no end of <app_init_data>"),
            (TEXT.replace("1.5", "soon"), "'soon' in <wu_cpu_time>"),
            (TEXT.replace("60.0", "NaN"), "<checkpoint_period>"),
            (TEXT.replace("</gpu_type>", "</gpu>"), "<gpu_type> is ended by </gpu>"),
            ("<html></html>".to_owned(), "begins with <html>"),
            ("</app_init_data>".to_owned(), "ends nothing"),
            ("<app_init_data".to_owned(), "does not end"),
            (String::new(), "no end"),
        ] {
            let error = InitData::parse(&wrong).unwrap_err();
            assert!(error.contains(why), "{why}: {error}");
        }
    }

    #[test]
    fn links_are_followed_and_other_files_are_themselves() {
        let directory = tempfile::tempdir().unwrap();
        let slot = Slot::new(directory.path().join("slots/0"));
        fs::create_dir_all(slot.path("")).unwrap();
        let project = directory.path().join("projects/p/u1");
        fs::create_dir_all(project.parent().unwrap()).unwrap();
        fs::write(&project, "the unit").unwrap();
        fs::write(slot.path("in"), "<soft_link>../../projects/p/u1</soft_link>\n").unwrap();
        assert_eq!(Slot::read(&slot.resolved("in")).unwrap(), b"the unit");
        assert_eq!(slot.resolved("out"), slot.path("out"));
        fs::write(slot.path("plain"), "a file").unwrap();
        assert_eq!(slot.resolved("plain"), slot.path("plain"));
        std::os::unix::fs::symlink(&project, slot.path("symbolic")).unwrap();
        assert_eq!(Slot::read(&slot.resolved("symbolic")).unwrap(), b"the unit");
        assert!(matches!(Slot::read(&slot.path("missing")), Err(SlotError::File(_))));
        assert!(slot.init_data().unwrap().is_none());
        fs::write(slot.path(INIT_DATA), TEXT).unwrap();
        assert_eq!(slot.init_data().unwrap().unwrap().name, "u1");
        fs::write(slot.path(INIT_DATA), "no").unwrap();
        assert!(slot.init_data().unwrap_err().to_string().starts_with("init_data.xml: "));
    }
}
