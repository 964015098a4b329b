//! The saved state of an enumeration: one JSON file, small enough to be kept with results, whose last member guards
//! the rest.

use crate::files::{FileError, Keep, replace};
use crate::jobs::done::DoneSet;
use crate::jobs::enumerate::Enumeration;
use crate::morpion::enumerate::CountKind;
use crate::morpion::variant::Variant;
use crate::notation::format::read;
use crate::notation::grid::Grid;
use crate::notation::msr::{MsrError, write_compact};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// The file in the directory of an enumeration.
pub const STATE: &str = "enumeration.json";
/// The file that a running enumeration holds locked.
const LOCK: &str = "enumeration.lock";
/// What the file calls itself.
const FORMAT: &str = "morpion enumeration";
/// The newest version of the format.
const VERSION: u32 = 1;

/// Why the state of an enumeration cannot be kept or continued.
#[derive(Debug, thiserror::Error)]
pub enum EnumerationStateError {
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another process counts there.
    #[error("{} is in use by another process", .0.display())]
    Locked(PathBuf),
    /// The file is damaged or of something else; it is left as it is.
    #[error("{}: {what}", path.display())]
    Damaged {
        /// Where the file is.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// It counts something else.
    #[error("{} counts {found}; continue it with the same flags, or take another directory", path.display())]
    Other {
        /// Where the file is.
        path: PathBuf,
        /// What it counts.
        found: String,
    },
    /// A grid cannot be written.
    #[error(transparent)]
    Grid(#[from] MsrError),
}

/// The content of the file without its checksum.
#[derive(Debug, Serialize, Deserialize)]
struct Saved {
    format: String,
    version: u32,
    variant: Variant,
    kind: String,
    depth: u32,
    cut: u32,
    units: u64,
    done: DoneSet,
    counts: Vec<u64>,
    /// The long grids as compact MSR.
    grids: Vec<String>,
}

/// The content with its checksum, to be written.
#[derive(Debug, Serialize)]
struct Guarded<'a> {
    #[serde(flatten)]
    saved: &'a Saved,
    /// CRC-32 of the rest, written without spaces.
    crc32: u32,
}

/// The directory of an enumeration, locked while this value lives.
#[derive(Debug)]
pub struct EnumerationDirectory {
    path: PathBuf,
    _lock: File,
}

impl EnumerationDirectory {
    /// Opens or makes a directory, and continues what is in it; otherwise `fresh` is what is to be counted.
    ///
    /// # Errors
    /// If the directory is in use, counts something else, is damaged, or cannot be read.
    pub fn open(
        directory: &Path,
        fresh: Enumeration,
    ) -> Result<(EnumerationDirectory, Enumeration), EnumerationStateError> {
        fs::create_dir_all(directory).map_err(FileError::new("create", directory))?;
        let lock = directory.join(LOCK);
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&lock)
            .map_err(FileError::new("open", &lock))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(EnumerationStateError::Locked(directory.to_owned())),
            Err(TryLockError::Error(source)) => return Err(FileError::new("lock", &lock)(source).into()),
        }
        let path = directory.join(STATE);
        let enumeration = match fs::read(&path) {
            Ok(bytes) => restore(&path, &bytes, fresh)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => fresh,
            Err(error) => return Err(FileError::new("read", &path)(error).into()),
        };
        Ok((EnumerationDirectory { path, _lock: file }, enumeration))
    }

    /// Replaces the file by the present state.
    ///
    /// # Errors
    /// If the disk refuses; the old file is untouched then.
    pub fn save(&self, enumeration: &Enumeration) -> Result<(), EnumerationStateError> {
        Ok(replace(&self.path, &to_bytes(enumeration)?, Keep::Durable)?)
    }
}

fn checksum(saved: &Saved) -> Option<u32> {
    serde_json::to_vec(saved).ok().map(|bytes| crc32fast::hash(&bytes))
}

fn kind_name(kind: CountKind) -> &'static str {
    match kind {
        CountKind::Grids => "grids",
        CountKind::Sequences => "sequences",
    }
}

fn to_bytes(enumeration: &Enumeration) -> Result<Vec<u8>, EnumerationStateError> {
    let Enumeration { variant, kind, depth, cut, units, ref done, ref counts, ref long } = *enumeration;
    let grids =
        long.iter().map(|moves| write_compact(&Grid::new(variant, moves.clone()))).collect::<Result<_, _>>()?;
    let saved = Saved {
        format: FORMAT.to_owned(),
        version: VERSION,
        variant,
        kind: kind_name(kind).to_owned(),
        depth,
        cut,
        units,
        done: done.clone(),
        counts: counts.clone(),
        grids,
    };
    let crc32 = checksum(&saved).unwrap_or_default();
    let mut bytes = serde_json::to_vec_pretty(&Guarded { saved: &saved, crc32 }).unwrap_or_default();
    bytes.push(b'\n');
    Ok(bytes)
}

fn restore(path: &Path, bytes: &[u8], fresh: Enumeration) -> Result<Enumeration, EnumerationStateError> {
    let damaged = |what: String| EnumerationStateError::Damaged { path: path.to_owned(), what };
    let mut value: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|error| damaged(format!("it is not JSON ({error})")))?;
    if value["format"] != FORMAT {
        return Err(damaged("it is not the state of an enumeration".to_owned()));
    }
    if value["version"].as_u64().is_some_and(|version| version > u64::from(VERSION)) {
        return Err(damaged("it was written by a newer version of this program".to_owned()));
    }
    let crc32 = value.as_object_mut().and_then(|members| members.remove("crc32"));
    let saved: Saved = serde_json::from_value(value).map_err(|error| damaged(format!("it is damaged ({error})")))?;
    if crc32.and_then(|sum| sum.as_u64()) != checksum(&saved).map(u64::from) {
        return Err(damaged("it is damaged (its checksum is wrong)".to_owned()));
    }
    let Saved { variant, kind, depth, cut, units, done, counts, grids, .. } = saved;
    if (variant, kind.as_str(), depth) != (fresh.variant, kind_name(fresh.kind), fresh.depth) {
        let found = format!("{kind} of {variant} to depth {depth}");
        return Err(EnumerationStateError::Other { path: path.to_owned(), found });
    }
    let fits = (cut, units, counts.len()) == (fresh.cut, fresh.units, fresh.counts.len());
    if !fits || !done.is_sound() || done.end() > units {
        return Err(damaged("it is damaged (its units are not those of the puzzle)".to_owned()));
    }
    let mut long = Vec::new();
    for grid in grids {
        let loaded =
            read(grid.as_bytes(), Some(variant)).map_err(|error| damaged(format!("a grid of it: {error}")))?;
        long.push(loaded.grid.moves);
    }
    Ok(Enumeration { done, counts, long, ..fresh })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::enumeration::run;
    use std::cell::Cell;

    /// Asks whether to stop come after each outcome and now and then, so a few units are done.
    fn counted_in_part(asks: u32) -> Enumeration {
        let mut enumeration = Enumeration::new(Variant::D4, CountKind::Grids, 7);
        let asked = Cell::new(0);
        let stop = || asked.replace(asked.get() + 1) >= asks;
        run(&mut enumeration, 1, &stop, &mut |_| Ok(())).unwrap();
        enumeration
    }

    #[test]
    fn what_was_stopped_is_continued_to_the_same_counts() {
        let directory = tempfile::tempdir().unwrap();
        let fresh = || Enumeration::new(Variant::D4, CountKind::Grids, 7);
        let (place, _) = EnumerationDirectory::open(directory.path(), fresh()).unwrap();
        assert!(matches!(
            EnumerationDirectory::open(directory.path(), fresh()),
            Err(EnumerationStateError::Locked(_))
        ));
        let part = counted_in_part(20);
        assert!(!part.done.is_empty() && !part.is_complete(), "{} of {} units", part.done.len(), part.units);
        place.save(&part).unwrap();
        drop(place);
        let (_place, mut again) = EnumerationDirectory::open(directory.path(), fresh()).unwrap();
        assert_eq!(again, part);
        run(&mut again, 2, &|| false, &mut |_| Ok(())).unwrap();
        assert!(again.is_complete());
        assert_eq!(again.counts, crate::morpion::enumerate::known_grids(Variant::D4)[..=7]);
    }

    #[test]
    fn a_file_that_does_not_fit_is_refused_and_kept() {
        let directory = tempfile::tempdir().unwrap();
        let fresh = || Enumeration::new(Variant::D4, CountKind::Grids, 6);
        let good = to_bytes(&fresh()).unwrap();
        let text = String::from_utf8(good).unwrap();
        let path = directory.path().join(STATE);
        for (bad, message) in [
            (text.replace("\"units\": 73709", "\"units\": 73710"), "checksum"),
            (text.replace("\"version\": 1", "\"version\": 2"), "newer"),
            (text.replace("morpion enumeration", "something"), "not the state"),
            (text[..text.len() / 2].to_owned(), "not JSON"),
        ] {
            assert_ne!(bad, text);
            fs::write(&path, &bad).unwrap();
            let error = EnumerationDirectory::open(directory.path(), fresh()).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), bad);
        }
        fs::write(&path, &text).unwrap();
        let other = Enumeration::new(Variant::D4, CountKind::Grids, 7);
        let error = EnumerationDirectory::open(directory.path(), other).unwrap_err().to_string();
        assert!(error.contains("counts grids of 4D to depth 6"), "{error}");
    }
}
