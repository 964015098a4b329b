//! Journals: files of records that are only ever appended to, with marks of what has been flushed.
//!
//! After a header of its own kind, a journal has records and marks. A record is its length (four bytes), a CRC-32 and
//! its content. A *mark* tells how much had been flushed to the device when it was written: it has the length
//! `MARK`, a CRC-32, and the lengths of the journal and the archive and the number of grids in it. So what cannot
//! be read is told apart: before the place that a later mark names it is damage. Behind it, it is what a power cut
//! leaves of writes that were not flushed, of which later ones may have reached the device and earlier ones not;
//! there the journal ends.
//!
//! A power cut may also leave records of units whose grids did not reach the device. So before a record that rests
//! on grids there is a *rest*: like a mark, with the length `REST` and the length that the archive had by then,
//! flushed or not. If the archive is shorter, the journal ends there, and the units are computed again.

use super::archive::ArchiveMark;
use crate::core::frame::{Flaw, checksum, take};
use crate::files::{FileError, Keep, beside, replace, set_aside, sync_directory};
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// No record is longer: a grid has at most 485 moves.
pub const MAX_RECORD: usize = 1 << 16;
/// In the place of a record's length: this is a mark.
const MARK: u32 = u32::MAX;
/// In the place of a record's length: this is a rest.
const REST: u32 = u32::MAX - 1;
/// Bytes of a rest: length, CRC-32 and one number.
const REST_BYTES: usize = 16;
/// Bytes of a mark's content: three numbers.
const MARK_CONTENT: usize = 24;

/// How much had been flushed to the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Length of the journal.
    pub journal: u64,
    /// The archive, if the journal is that of a hunt.
    pub archive: ArchiveMark,
}

/// What a journal holds behind its header.
#[derive(Debug, PartialEq)]
pub struct ReadRecords<R> {
    /// The records, in order.
    pub records: Vec<R>,
    /// Length of the file up to the end of the last of them.
    pub length: u64,
    /// The last mark.
    pub mark: Option<Mark>,
    /// What the records rest on, ascending.
    pub rests: Vec<Rest>,
    /// Why it ends before the end of the file, if there is more than a torn record or zeros.
    pub cut: Option<String>,
}

/// What the records from some place on rest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rest {
    /// Number of the records before it.
    pub records: usize,
    /// Length of the journal before it.
    pub journal: u64,
    /// Length of the archive, in bytes.
    pub archive: u64,
}

/// A rest's bytes.
fn rest_bytes(archive: u64) -> Vec<u8> {
    let content = archive.to_le_bytes();
    [&REST.to_le_bytes()[..], &checksum(&content), &content].concat()
}

/// The length of the archive in the rest at the front of some bytes, if there is one.
fn rest_at(mut bytes: &[u8]) -> Option<u64> {
    if take(&mut bytes) != Ok(REST.to_le_bytes()) {
        return None;
    }
    let sum = take(&mut bytes).ok()?;
    let content = bytes.first_chunk()?;
    (checksum(content) == sum).then(|| u64::from_le_bytes(*content))
}

impl<R> ReadRecords<R> {
    /// Ends the journal before the first record that rests on more than `archive` bytes of the archive.
    pub fn end_within(&mut self, archive: u64) {
        if let Some(&Rest { records, journal, archive: needed }) =
            self.rests.iter().find(|rest| rest.archive > archive)
        {
            self.records.truncate(records);
            self.length = journal;
            self.cut = Some(format!("what follows rests on {needed} bytes of the archive, and {archive} are there"));
        }
    }
}

/// A record's bytes; `payload` is its content.
fn framed(payload: &[u8]) -> Vec<u8> {
    [&(payload.len() as u32).to_le_bytes()[..], &checksum(payload), payload].concat()
}

impl Mark {
    /// The mark's bytes.
    fn bytes(&self) -> Vec<u8> {
        let numbers = [self.journal, self.archive.length, self.archive.grids];
        let content = numbers.map(u64::to_le_bytes).concat();
        [&MARK.to_le_bytes()[..], &checksum(&content), &content].concat()
    }

    /// The mark at the front of some bytes, if there is one.
    fn at(mut bytes: &[u8]) -> Option<Mark> {
        if take(&mut bytes) != Ok(MARK.to_le_bytes()) {
            return None;
        }
        let sum = take(&mut bytes).ok()?;
        let content: &[u8; MARK_CONTENT] = bytes.first_chunk()?;
        if checksum(content) != sum {
            return None;
        }
        let mut content = &content[..];
        let mut number = || take(&mut content).map(u64::from_le_bytes).ok();
        let (journal, length, grids) = (number()?, number()?, number()?);
        Some(Mark { journal, archive: ArchiveMark { length, grids } })
    }
}

/// Reads what follows the header of a journal, which has `header` bytes. `marks`: whether its format has marks.
/// `read` reads the content of a record.
///
/// # Errors
/// If a record that had been flushed cannot be read.
pub fn parse<R>(
    bytes: &[u8],
    header: usize,
    marks: bool,
    read: impl Fn(&[u8]) -> Option<R>,
) -> Result<ReadRecords<R>, Flaw> {
    let mut rest = &bytes[header..];
    let mut found =
        ReadRecords { records: Vec::new(), length: header as u64, mark: None, rests: Vec::new(), cut: None };
    // The end, or room that a power cut left unwritten.
    while rest.iter().any(|&byte| byte != 0) {
        let mark = Mark::at(rest).filter(|_| marks);
        let archive = rest_at(rest).filter(|_| marks);
        if let Some(archive) = archive {
            found.rests.push(Rest { records: found.records.len(), journal: found.length, archive });
        }
        let bytes = match (mark, archive) {
            (Some(_), _) => 8 + MARK_CONTENT,
            (None, Some(_)) => REST_BYTES,
            (None, None) => match record(rest, &read) {
                Ok((record, bytes)) => {
                    found.records.push(record);
                    bytes
                }
                Err(why) => {
                    let at = found.length;
                    let flushed = |place: &[u8]| Mark::at(place).is_some_and(|mark| mark.journal > at);
                    if (0..rest.len()).any(|place| flushed(&rest[place..])) {
                        let what = format!("the record at byte {at} {}, and it had been flushed", why.text());
                        return Err(Flaw::damaged(what));
                    }
                    if !matches!(why, BadRecord::Torn) {
                        found.cut = Some(format!("the record at byte {at} {}", why.text()));
                    }
                    break;
                }
            },
        };
        found.mark = mark.or(found.mark);
        found.length += bytes as u64;
        rest = &rest[bytes..];
    }
    Ok(found)
}

/// What is wrong with a record.
enum BadRecord {
    /// The file ends within it.
    Torn,
    TooLong,
    Checksum,
    Content,
}

impl BadRecord {
    /// In words that continue "the record".
    fn text(&self) -> &'static str {
        match self {
            BadRecord::Torn => "is not whole",
            BadRecord::TooLong => "is too long",
            BadRecord::Checksum => "does not match its checksum",
            BadRecord::Content => "cannot be read",
        }
    }
}

/// The record at the front of some bytes, and how many of them it takes.
fn record<R>(mut bytes: &[u8], read: impl Fn(&[u8]) -> Option<R>) -> Result<(R, usize), BadRecord> {
    let (Ok(size), Ok(sum)) = (take(&mut bytes), take(&mut bytes)) else { return Err(BadRecord::Torn) };
    let size = u32::from_le_bytes(size) as usize;
    if size > MAX_RECORD {
        return Err(BadRecord::TooLong);
    }
    // Zeros would be a record of nothing that matches its checksum.
    if size == 0 {
        return Err(BadRecord::Content);
    }
    let payload = bytes.get(..size).ok_or(BadRecord::Torn)?;
    if checksum(payload) != sum {
        return Err(BadRecord::Checksum);
    }
    read(payload).map(|record| (record, 8 + size)).ok_or(BadRecord::Content)
}

/// Keeps a journal as it is under another name, and puts one in its place that ends at `length`: what to say of it.
///
/// # Errors
/// If a file cannot be read or written.
pub fn cut(path: &Path, length: u64, why: &str) -> Result<String, FileError> {
    let kept = set_aside(path)?;
    let mut bytes = fs::read(path).map_err(FileError::new("read", path))?;
    bytes.truncate(length as usize);
    replace(path, &bytes, Keep::Durable)?;
    Ok(format!(
        "{} ends at byte {length}, as after a power cut: {why}; what was done since is done again; the file as it was \
         is {}",
        path.display(),
        kept.display()
    ))
}

/// A journal that is open for appending.
#[derive(Debug)]
pub struct JournalFile {
    path: PathBuf,
    file: File,
    /// Length up to the last whole record.
    length: u64,
    /// Whether records were written since it was last flushed to the device.
    dirty: bool,
    /// What was last flushed, until the journal has it.
    mark: Option<Mark>,
    /// Length of the archive that the next records rest on.
    archive: u64,
    /// The same as the journal has it.
    rest: u64,
}

impl JournalFile {
    /// Begins a journal with a header, in the place of one that may be there.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(path: &Path, header: &[u8]) -> Result<JournalFile, FileError> {
        let begun = File::create(path).and_then(|mut file| {
            file.write_all(header)?;
            file.sync_all()?;
            Ok(file)
        });
        let file = begun.map_err(|error| {
            let _ = fs::remove_file(path);
            FileError::new("write", path)(error)
        })?;
        let length = header.len() as u64;
        Ok(JournalFile { path: path.to_owned(), file, length, dirty: false, mark: None, archive: 0, rest: 0 })
    }

    /// Opens one to continue behind its first `length` bytes; what follows is cut off.
    ///
    /// # Errors
    /// If it cannot be opened or cut.
    pub fn open(path: &Path, length: u64) -> Result<JournalFile, FileError> {
        let file = OpenOptions::new().write(true).open(path).map_err(FileError::new("open", path))?;
        let mut journal =
            JournalFile { path: path.to_owned(), file, length, dirty: false, mark: None, archive: 0, rest: 0 };
        journal.cut_off().map_err(FileError::new("write", path))?;
        Ok(journal)
    }

    fn cut_off(&mut self) -> std::io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length)).map(drop)
    }

    /// Length up to the last whole record.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Appends records with these contents. After it returns, no crash of the program loses them, and after
    /// [`JournalFile::flush`] no power cut does.
    ///
    /// # Errors
    /// If they cannot be written; the journal is then as it was.
    pub fn append(&mut self, payloads: impl IntoIterator<Item = Vec<u8>>) -> Result<(), FileError> {
        let mut bytes = self.mark.map(|mark| mark.bytes()).unwrap_or_default();
        if self.archive > self.rest {
            bytes.extend(rest_bytes(self.archive));
        }
        payloads.into_iter().for_each(|payload| bytes.extend(framed(&payload)));
        if let Err(error) = self.file.write_all(&bytes) {
            // A torn record would be cut off on reading anyway.
            let _ = self.cut_off();
            return Err(FileError::new("write", &self.path)(error));
        }
        self.length += bytes.len() as u64;
        (self.dirty, self.mark, self.rest) = (true, None, self.archive);
        Ok(())
    }

    /// Notes how long the archive is, on which the next records rest.
    pub fn rest_on(&mut self, archive: u64) {
        self.archive = archive;
    }

    /// Flushes the journal to the device. `archive` has been flushed before. The next record notes both.
    ///
    /// # Errors
    /// If the device refuses.
    pub fn flush(&mut self, archive: ArchiveMark) -> Result<(), FileError> {
        if self.dirty {
            self.file.sync_data().map_err(FileError::new("write", &self.path))?;
            self.dirty = false;
            self.mark = Some(Mark { journal: self.length, archive });
        }
        Ok(())
    }

    /// Takes all records out: a new file with this header takes the place of the old one. In the old file, new
    /// records would be written over flushed ones, and a power cut may leave some of both.
    ///
    /// # Errors
    /// If it cannot be written. The journal is then the old one, or the new one under a name that is not durable.
    pub fn clear(&mut self, header: &[u8]) -> Result<(), FileError> {
        let new = beside(&self.path);
        let begun = JournalFile::begin(&new, header)?;
        fs::rename(&new, &self.path).map_err(|error| {
            let _ = fs::remove_file(&new);
            FileError::new("write", &self.path)(error)
        })?;
        let path = std::mem::take(&mut self.path);
        *self = JournalFile { path, archive: self.archive, ..begun };
        sync_directory(&self.path).map_err(FileError::new("write", &self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    const HEADER: usize = 5;
    type Change<'a> = &'a dyn Fn(&mut [u8]);

    /// A journal of records, with a mark before the record of each number in `marks`, of all that comes before it.
    /// Also the place of each record.
    fn journal(records: &[Vec<u8>], marks: &[usize]) -> (Vec<u8>, Vec<Range<usize>>) {
        let mut bytes = vec![1; HEADER];
        let mut places = Vec::new();
        for (number, record) in records.iter().enumerate() {
            if marks.contains(&number) {
                let archive = ArchiveMark { length: number as u64, grids: 1 };
                bytes.extend(Mark { journal: bytes.len() as u64, archive }.bytes());
            }
            let begin = bytes.len();
            bytes.extend(framed(record));
            places.push(begin..bytes.len());
        }
        (bytes, places)
    }

    fn records(count: u8) -> Vec<Vec<u8>> {
        (0..count).map(|n| vec![n; 20 + usize::from(n)]).collect()
    }

    fn read(bytes: &[u8]) -> Result<ReadRecords<Vec<u8>>, Flaw> {
        parse(bytes, HEADER, true, |payload| Some(payload.to_vec()))
    }

    #[test]
    fn records_that_rest_on_grids_that_are_not_there_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let records = records(4);
        let mut journal = JournalFile::begin(&path, &[1; HEADER]).unwrap();
        journal.append(records[..1].to_vec()).unwrap();
        for (number, archive) in [(1, 100), (2, 100), (3, 250)] {
            journal.rest_on(archive);
            journal.append(records[number..=number].to_vec()).unwrap();
        }
        let bytes = fs::read(&path).unwrap();
        for (archive, left) in [(250, 4), (249, 3), (100, 3), (99, 1), (0, 1)] {
            let mut found = read(&bytes).unwrap();
            found.end_within(archive);
            assert_eq!(found.records, records[..left], "{archive} bytes");
            assert_eq!(found.cut.is_some(), left < 4);
            let end = usize::try_from(found.length).unwrap();
            let again = read(&bytes[..end]).unwrap();
            assert_eq!((again.records, again.cut), (found.records, None), "it ends where a record ends");
        }
    }

    #[test]
    fn what_a_power_cut_leaves_is_cut_and_damage_of_what_was_flushed_is_told() {
        let records = records(6);
        let (whole, places) = journal(&records, &[2, 4]);
        let found = read(&whole).unwrap();
        assert_eq!((&found.records, found.length, &found.cut), (&records, whole.len() as u64, &None));
        assert_eq!(found.mark.unwrap().archive, ArchiveMark { length: 4, grids: 1 });
        for (number, place) in places.into_iter().enumerate() {
            // Zeros before written records, one changed bit, and a length that points beyond the end.
            let changes: [Change; 3] = [&|record| record.fill(0), &|record| record[9] ^= 4, &|record| {
                record[..4].copy_from_slice(&60_000u32.to_le_bytes())
            }];
            for (way, change) in changes.into_iter().enumerate() {
                let mut bytes = whole.clone();
                change(&mut bytes[place.clone()]);
                match read(&bytes) {
                    Err(Flaw::Damaged(what)) => {
                        assert!(number < 4, "record {number}, way {way}: {what}");
                        assert!(what.contains(&format!("at byte {}", place.start)), "{what}");
                    }
                    Ok(found) => {
                        assert!(number >= 4, "record {number}, way {way}: damage of what was flushed");
                        assert_eq!(found.records, records[..number]);
                        assert_eq!(found.length, place.start as u64);
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    #[test]
    fn without_marks_it_ends_at_the_first_record_that_cannot_be_read() {
        let records = records(3);
        let (mut bytes, places) = journal(&records, &[]);
        bytes[places[1].clone()].fill(0);
        let found = read(&bytes).unwrap();
        assert_eq!((&found.records[..], found.length), (&records[..1], places[1].start as u64));
        assert!(found.cut.is_some_and(|cut| cut.contains(&format!("at byte {}", places[1].start))));
    }

    #[test]
    fn what_is_appended_over_flushes_and_openings_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let records = records(6);
        let mut journal = JournalFile::begin(&path, &[1; HEADER]).unwrap();
        journal.append(records[..2].to_vec()).unwrap();
        journal.flush(ArchiveMark::default()).unwrap();
        journal.append(records[2..4].to_vec()).unwrap();
        let mut journal = JournalFile::open(&path, journal.length()).unwrap();
        journal.append(records[4..].to_vec()).unwrap();
        let found = read(&fs::read(&path).unwrap()).unwrap();
        assert_eq!((&found.records, found.length, found.cut), (&records, journal.length(), None));
        assert!(found.mark.is_some());
        let old = fs::File::open(&path).unwrap();
        let length = old.metadata().unwrap().len();
        journal.clear(&[1; HEADER]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), [1; HEADER]);
        assert_eq!(old.metadata().unwrap().len(), length, "the old file is left as it was");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        journal.append(records[..1].to_vec()).unwrap();
        assert_eq!(read(&fs::read(&path).unwrap()).unwrap().records, records[..1]);
    }
}
