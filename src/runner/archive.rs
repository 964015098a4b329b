//! The archive of a hunt: every good grid that any worker finds, once.
//!
//! `archive/grids.bin` in the hunt's directory is a header and records that are only ever appended. The header is a
//! magic number, a format version, and a checksummed text of JSON that says where the grids come from; a record is
//! its length and the length's complement (two bytes each), a CRC-32 and its content. A file that ends within a
//! record was cut by a crash, and the rest of the record is cut off when the file is opened again. Anything else that
//! does not fit is damage. A session that continues the hunt keeps what can be read ([`mod@repair`]); other readers
//! report it and leave it alone. Checkpoint and journal note how long the archive was, so what is missing at its end
//! is noticed, too. Moves are stored as column, row, direction and index,
//! three bytes each, which does not depend on how the engine numbers them: about 590 bytes for a grid of 178 moves.
//!
//! Which grids are in it already is kept in memory ([`novelty`]), about 16 bytes for each.

pub mod novelty;
pub mod repair;

use crate::core::frame::{Flaw, FrameFormat, checksum, take};
use crate::files::{FileError, Keep, replace};
use crate::jobs::find::Find;
use crate::morpion::geometry::Move;
use crate::morpion::start::Start;
use crate::morpion::variant::Variant;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Version of the format.
pub const VERSION: u32 = 1;
/// Name of the directory in that of the hunt.
pub const DIRECTORY: &str = "archive";
/// Name of the file in it.
pub const FILE: &str = "grids.bin";
const FORMAT: FrameFormat = FrameFormat { magic: b"MorpArch", version: VERSION, what: "an archive of grids" };
/// Bytes before the header's text: magic, version, length of the text, CRC-32 of the text.
const HEADER: usize = FrameFormat::HEAD + 4 + 4;
/// Longest text of a header.
const LONGEST_TEXT: usize = 1 << 16;

/// Why an archive cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file was written by a newer version of the program.
    #[error("{} has format version {found}, but this program reads up to {VERSION}: use a newer one", path.display())]
    Newer {
        /// Path of the file.
        path: PathBuf,
        /// Version of its format.
        found: u32,
    },
    /// The file is not what it should be.
    #[error("{} is damaged: {what}; nothing was changed: `morpion resume` keeps what can be read", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The file belongs to another hunt.
    #[error("{} holds grids of {found}, but {expected} is hunted here: move it away", path.display())]
    OtherVariant {
        /// Path of the file.
        path: PathBuf,
        /// Variant of its grids.
        found: Variant,
        /// Variant of the hunt.
        expected: Variant,
    },
    /// The file belongs to a hunt from another start.
    #[error("{} holds grids from {found}, but this hunt begins with {expected}: move it away", path.display())]
    OtherStart {
        /// Path of the file.
        path: PathBuf,
        /// Start of its grids.
        found: String,
        /// Start of the hunt.
        expected: String,
    },
}

/// How much an archive of grids held that had been flushed to the device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveMark {
    /// Length of its file in bytes.
    pub length: u64,
    /// Number of its grids.
    pub grids: u64,
}

/// Where the grids of an archive come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveOrigin {
    /// Variant of all its grids.
    pub variant: Variant,
    /// What all its grids begin with.
    #[serde(default, skip_serializing_if = "Start::is_cross")]
    pub start: Start,
    /// Search method and parameters in words.
    pub method: String,
    /// Seed of the hunt.
    pub seed: u64,
    /// Program and version that began the archive.
    pub producer: String,
}

/// A find and its canonical key: equal for grids that are equal up to symmetry and move order
/// ([`crate::morpion::canonical::canonical_key_from`]).
#[derive(Debug, Clone, PartialEq)]
pub struct KeptFind {
    /// The canonical key.
    pub key: u64,
    /// The grid, and where it was found first.
    pub find: Find,
}

/// A record of the file, as postcard encodes it.
#[derive(Serialize, Deserialize)]
struct StoredFind {
    key: u64,
    #[serde(with = "three_bytes")]
    moves: Vec<Move>,
    unit: u64,
    unit_seed: u64,
    worker: u32,
    iterations: u64,
    seconds: f64,
    time: f64,
}

impl From<KeptFind> for StoredFind {
    fn from(KeptFind { key, find }: KeptFind) -> StoredFind {
        let Find { moves, unit, unit_seed, worker, iterations, seconds, time } = find;
        StoredFind { key, moves, unit, unit_seed, worker, iterations, seconds, time }
    }
}

impl From<StoredFind> for KeptFind {
    fn from(stored: StoredFind) -> KeptFind {
        let StoredFind { key, moves, unit, unit_seed, worker, iterations, seconds, time } = stored;
        KeptFind { key, find: Find { moves, unit, unit_seed, worker, iterations, seconds, time } }
    }
}

/// Moves as column, row, and direction (two bits) above the index of the point in its line (three bits).
///
/// A line's length is not known here: what is read may be no move of the variant, as the referee will say.
mod three_bytes {
    use crate::morpion::geometry::{Direction, Move, Point};
    use crate::morpion::variant::Variant;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(moves: &[Move], serializer: S) -> Result<S::Ok, S::Error> {
        let place = |mv: &Move| {
            let point = mv.point();
            [point.x() as u8, point.y() as u8, (mv.direction() as u8) << 3 | mv.index() as u8]
        };
        serializer.serialize_bytes(&moves.iter().flat_map(place).collect::<Vec<u8>>())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Move>, D::Error> {
        let bytes = Vec::<u8>::deserialize(deserializer)?;
        let (places, []) = bytes.as_chunks::<3>() else { return Err(D::Error::custom("a move is cut")) };
        let read = |&[x, y, rest]: &[u8; 3]| {
            let direction = *Direction::ALL.get(usize::from(rest >> 3))?;
            let point = Point::new(i32::from(x), i32::from(y))?;
            // Only lines of 5 have an index of 4, and lines of 4 lie in the area where lines of 5 may not.
            let index = usize::from(rest & 7);
            Move::new(Variant::T4, point, direction, index)
                .or_else(|| Move::new(Variant::T5, point, direction, index))
        };
        places.iter().map(read).collect::<Option<_>>().ok_or_else(|| D::Error::custom("no such move"))
    }
}

/// The path of the archive in a hunt's directory.
pub fn path_in(hunt: &Path) -> PathBuf {
    hunt.join(DIRECTORY).join(FILE)
}

/// An archive open for appending. The caller holds the lock of the hunt's directory.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    file: File,
    /// Length up to the last whole record.
    length: u64,
    /// Number of its grids.
    grids: u64,
    /// Whether records were written since the file was last flushed to the device.
    dirty: bool,
}

impl Archive {
    /// Opens the archive of a hunt's directory, which is made if it is missing; what a crash left of a record is cut
    /// off. `each` is given every grid in it.
    ///
    /// # Errors
    /// If a file cannot be read or written, is damaged, newer than this program, or of another variant; nothing is
    /// changed then.
    pub fn open(
        hunt: &Path,
        origin: &ArchiveOrigin,
        mut each: impl FnMut(&KeptFind),
    ) -> Result<Archive, ArchiveError> {
        let path = path_in(hunt);
        if !path.exists() {
            let directory = hunt.join(DIRECTORY);
            fs::create_dir_all(&directory).map_err(FileError::new("make the directory", &directory))?;
            let header = header(origin).map_err(FileError::new("write", &path))?;
            replace(&path, &header, Keep::Durable)?;
        }
        let mut reader = Reader::open(&path)?;
        let found = reader.origin().variant;
        if found != origin.variant {
            return Err(ArchiveError::OtherVariant { path, found, expected: origin.variant });
        }
        if reader.origin().start != origin.start {
            let (found, expected) = (reader.origin().start.name(), origin.start.name());
            return Err(ArchiveError::OtherStart { path, found, expected });
        }
        let mut grids = 0;
        for find in &mut reader {
            each(&find?);
            grids += 1;
        }
        let length = reader.whole();
        let mut file = OpenOptions::new().write(true).open(&path).map_err(FileError::new("open", &path))?;
        file.set_len(length)
            .and_then(|()| file.seek(SeekFrom::Start(length)))
            .map_err(FileError::new("write", &path))?;
        Ok(Archive { path, file, length, grids, dirty: false })
    }

    /// Appends a grid that the referee has passed. After it returns, no crash of the program loses it, and after
    /// [`Archive::flush`] no power cut does.
    ///
    /// # Errors
    /// If it cannot be written; the file is then as it was.
    pub fn append(&mut self, find: &KeptFind) -> Result<(), ArchiveError> {
        let fail = FileError::new("write", &self.path);
        let bytes = match record(find) {
            Ok(bytes) => bytes,
            Err(error) => return Err(fail(error).into()),
        };
        if let Err(error) = self.file.write_all(&bytes) {
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(fail(error).into());
        }
        self.length += bytes.len() as u64;
        self.grids += 1;
        self.dirty = true;
        Ok(())
    }

    /// How much it holds, also of what was not flushed yet.
    pub fn mark(&self) -> ArchiveMark {
        ArchiveMark { length: self.length, grids: self.grids }
    }

    /// Flushes the archive to the device.
    ///
    /// # Errors
    /// If the device refuses.
    pub fn flush(&mut self) -> Result<(), ArchiveError> {
        if self.dirty {
            self.file.sync_data().map_err(FileError::new("write", &self.path))?;
            self.dirty = false;
        }
        Ok(())
    }
}

/// Length in bytes of a hunt's archive up to the first record that cannot be read; 0 if there is none.
///
/// # Errors
/// If the file cannot be read, or is newer than this program.
pub fn whole(hunt: &Path) -> Result<u64, ArchiveError> {
    let path = path_in(hunt);
    if !path.exists() {
        return Ok(0);
    }
    let mut reader = match Reader::open(&path) {
        Err(ArchiveError::Damaged { .. }) => return Ok(0),
        opened => opened?,
    };
    for find in &mut reader {
        match find {
            Err(ArchiveError::Damaged { .. }) => break,
            find => drop(find?),
        }
    }
    Ok(reader.whole())
}

fn header(origin: &ArchiveOrigin) -> io::Result<Vec<u8>> {
    let text = serde_json::to_vec(origin).map_err(io::Error::other)?;
    let mut bytes = FORMAT.head(VERSION);
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(checksum(&text));
    bytes.extend(text);
    Ok(bytes)
}

fn record(find: &KeptFind) -> io::Result<Vec<u8>> {
    let payload = postcard::to_stdvec(&StoredFind::from(find.clone())).map_err(io::Error::other)?;
    let length = u16::try_from(payload.len()).map_err(io::Error::other)?;
    let mut bytes = Vec::with_capacity(8 + payload.len());
    bytes.extend(length.to_le_bytes());
    bytes.extend((!length).to_le_bytes());
    bytes.extend(checksum(&payload));
    bytes.extend(payload);
    Ok(bytes)
}

/// The grids of an archive, one after the other, also while a hunt appends to it.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    file: BufReader<File>,
    origin: ArchiveOrigin,
    /// Length up to the last whole record read.
    whole: u64,
    over: bool,
}

impl Reader {
    /// Opens an archive file.
    ///
    /// # Errors
    /// If it cannot be read, is no archive, is damaged, or is newer than this program.
    pub fn open(path: &Path) -> Result<Reader, ArchiveError> {
        let flawed = |flaw| match flaw {
            Flaw::Newer(found) => ArchiveError::Newer { path: path.to_owned(), found },
            Flaw::Damaged(what) => ArchiveError::Damaged { path: path.to_owned(), what },
        };
        let damaged = |what: &str| flawed(Flaw::damaged(what));
        let file = File::open(path).map_err(FileError::new("read", path))?;
        let mut file = BufReader::new(file);
        let mut head = [0; HEADER];
        let read = fill(&mut file, &mut head).map_err(FileError::new("read", path))?;
        let mut head = &head[..read];
        FORMAT.read(&mut head).map_err(flawed)?;
        let length = u32::from_le_bytes(take(&mut head).map_err(flawed)?) as usize;
        let sum = take(&mut head).map_err(flawed)?;
        if length > LONGEST_TEXT {
            return Err(damaged("its header is too long"));
        }
        let mut text = vec![0; length];
        let read = fill(&mut file, &mut text).map_err(FileError::new("read", path))?;
        if read < length || checksum(&text) != sum {
            return Err(damaged("the checksum of its header does not match"));
        }
        let origin = serde_json::from_slice(&text).map_err(|_| damaged("its header cannot be read"))?;
        Ok(Reader { path: path.to_owned(), file, origin, whole: (HEADER + length) as u64, over: false })
    }

    /// Whether a file begins as an archive does.
    pub fn recognises(path: &Path) -> bool {
        let mut magic = [0; 8];
        File::open(path)
            .and_then(|mut file| fill(&mut file, &mut magic))
            .is_ok_and(|n| n == 8 && magic == *FORMAT.magic)
    }

    /// Where the grids come from.
    pub fn origin(&self) -> &ArchiveOrigin {
        &self.origin
    }

    /// Length of the file up to the last whole record that has been read.
    fn whole(&self) -> u64 {
        self.whole
    }

    fn damaged(&self, what: &str) -> ArchiveError {
        let what = format!("the record at byte {} {what}", self.whole);
        ArchiveError::Damaged { path: self.path.clone(), what }
    }

    /// The next grid; nothing at the end, or where a crash has cut the file.
    fn read(&mut self) -> Result<Option<KeptFind>, ArchiveError> {
        let mut head = [0; 8];
        let failed = |source| FileError { action: "read", path: self.path.clone(), source };
        if fill(&mut self.file, &mut head).map_err(failed)? < head.len() {
            return Ok(None);
        }
        let length = u16::from_le_bytes([head[0], head[1]]);
        if length != !u16::from_le_bytes([head[2], head[3]]) {
            // Room that a power cut left unwritten is no damage.
            let blank = head == [0; 8] && only_zeros(&mut self.file).map_err(failed)?;
            return if blank { Ok(None) } else { Err(self.damaged("has a damaged length")) };
        }
        let mut payload = vec![0; usize::from(length)];
        if fill(&mut self.file, &mut payload).map_err(failed)? < payload.len() {
            return Ok(None);
        }
        if checksum(&payload) != [head[4], head[5], head[6], head[7]] {
            return Err(self.damaged("has a checksum that does not match"));
        }
        let Ok(stored) = postcard::from_bytes::<StoredFind>(&payload) else {
            return Err(self.damaged("cannot be read"));
        };
        self.whole += 8 + u64::from(length);
        Ok(Some(stored.into()))
    }
}

impl Iterator for Reader {
    type Item = Result<KeptFind, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let next = self.read();
        self.over = !matches!(next, Ok(Some(_)));
        next.transpose()
    }
}

/// Reads until the buffer is full or the file ends; how much was read.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Whether the rest of the file is zeros.
fn only_zeros(file: &mut impl Read) -> io::Result<bool> {
    let mut buffer = [0; 4096];
    loop {
        let n = fill(file, &mut buffer)?;
        if buffer[..n].iter().any(|&byte| byte != 0) {
            return Ok(false);
        }
        if n < buffer.len() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests;
