//! A bookmark: which grids were listed until now, so that the next listing has only what has come since.
//!
//! It holds the time of the newest grid that was listed, and the keys of the grids of the day before that time. A
//! listing shows what is younger than that day and is not among the keys. So a grid that reaches the archive late, up
//! to a day after it was found, is shown once, too.

use super::line::ArchiveLine;
use crate::files::{self, Keep};
use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Grids that were found so long before the newest one are remembered by their keys, in seconds.
const MEMORY: f64 = 86_400.0;
/// Largest file that is read, in bytes.
const LARGEST: u64 = 64 << 20;
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    /// Version of the file; the name says what the file is.
    morpion_bookmark: u32,
    /// The filter that it was written with: another one would leave grids out for ever.
    filter: String,
    /// When the newest grid was found, seconds since 1970 (UTC).
    newest: f64,
    /// The keys of the grids of the day before, with their times.
    seen: BTreeMap<String, f64>,
}

/// A bookmark that is read, and written when everything was listed.
pub struct Bookmark {
    path: PathBuf,
    content: Content,
}

impl Bookmark {
    /// Reads a bookmark; a file that is missing is an empty one.
    ///
    /// # Errors
    /// If it cannot be read, is something else, or belongs to another filter.
    pub fn open(path: &Path, filter: String) -> anyhow::Result<Bookmark> {
        let named = || format!("{}: cannot be read", path.display());
        let empty = Content { morpion_bookmark: VERSION, filter: filter.clone(), newest: 0.0, seen: BTreeMap::new() };
        let content = match std::fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => empty,
            Err(error) => return Err(error).with_context(named),
            Ok(file) if file.len() > LARGEST || !file.is_file() => bail!("{}: not a bookmark", path.display()),
            Ok(_) => {
                let bytes = std::fs::read(path).with_context(named)?;
                let content = serde_json::from_slice::<Content>(&bytes);
                content.with_context(|| format!("{}: not a bookmark; it stays as it is", path.display()))?
            }
        };
        let version = content.morpion_bookmark;
        ensure!(version <= VERSION, "{}: version {version}, which a newer program has written", path.display());
        ensure!(
            content.filter == filter,
            "{}: it was written for {}, not for {}: use another file for this",
            path.display(),
            in_words(&content.filter),
            in_words(&filter)
        );
        Ok(Bookmark { path: path.to_owned(), content })
    }

    /// No grid before this time is new: seconds since 1970 (UTC).
    pub fn since(&self) -> f64 {
        (self.content.newest - MEMORY).max(0.0)
    }

    /// Notes a grid that is to be listed; whether it is new.
    pub fn is_new(&mut self, line: &ArchiveLine) -> bool {
        let Some(time) = line.time.filter(|&time| time >= self.since()) else { return false };
        // The same lines may be a game of two variants.
        let name = format!("{} {}", line.variant, line.key);
        self.content.seen.insert(name, time).is_none()
    }

    /// Writes it, when everything was listed.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(mut self) -> anyhow::Result<()> {
        let newest = self.content.seen.values().copied().fold(self.content.newest, f64::max);
        self.content.newest = newest;
        self.content.seen.retain(|_, time| *time >= newest - MEMORY);
        let mut bytes = serde_json::to_vec(&self.content)?;
        bytes.push(b'\n');
        files::replace(&self.path, &bytes, Keep::Durable)?;
        Ok(())
    }
}

fn in_words(filter: &str) -> String {
    if filter.is_empty() { "all grids".to_owned() } else { format!("`{filter}`") }
}
