//! A damaged archive is made whole again: every record that can be read goes into a new file, and the damaged one is
//! kept under another name.
//!
//! A record begins with its length and the complement of the length, and has a CRC-32. So after a place that cannot
//! be read, the next place at which a whole record begins is looked for.

use super::{ArchiveError, ArchiveOrigin, HEADER, KeptFind, Reader, StoredFind, header, path_in};
use crate::core::frame::checksum;
use crate::files::{FileError, set_aside, sync_directory};
use crate::morpion::referee;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Bytes that are looked at at a time.
const CHUNK: usize = 1 << 20;
/// Most bytes of a record.
const LONGEST: usize = 8 + u16::MAX as usize;

/// Puts a whole archive in the place of a damaged one: what to say of it. Nothing is done if it is not damaged.
///
/// # Errors
/// If a file cannot be read or written, or the archive was written by a newer version of the program.
pub fn repair(hunt: &Path, origin: &ArchiveOrigin) -> Result<Option<String>, ArchiveError> {
    let path = path_in(hunt);
    let Some((what, found)) = damage(&path)? else { return Ok(None) };
    let kept = set_aside(&path)?;
    let beside = path.with_extension("bin.tmp");
    let rewritten = rewrite(&path, &beside, found.as_ref(), origin);
    let Kept { grids, bytes, total } = rewritten.inspect_err(|_| drop(fs::remove_file(&beside)))?;
    let lost = total.saturating_sub(bytes).saturating_sub(HEADER as u64);
    Ok(Some(format!(
        "{} was damaged: {what}; {grids} grids of it are kept, about {lost} bytes could not be read; the file as it was is {}",
        path.display(),
        kept.display()
    )))
}

/// What of an archive can be kept.
struct Kept {
    grids: u64,
    /// Of the records of these grids.
    bytes: u64,
    /// Bytes of the damaged file.
    total: u64,
}

/// Writes the records of an archive that can be read into a file beside it, and puts that in its place. `found`: the
/// origin that its header tells, if it can be read.
fn rewrite(
    path: &Path,
    beside: &Path,
    found: Option<&ArchiveOrigin>,
    origin: &ArchiveOrigin,
) -> Result<Kept, FileError> {
    let read = |source| FileError::new("read", path)(source);
    let write = |source| FileError::new("write", beside)(source);
    let mut source = File::open(path).map_err(read)?;
    let total = source.metadata().map_err(read)?.len();
    let mut target = BufWriter::new(File::create(beside).map_err(write)?);
    // Without its header, nothing says which variant the grids are of.
    let judged = found.is_none();
    let origin = found.unwrap_or(origin);
    target.write_all(&header(origin).map_err(write)?).map_err(write)?;
    let (mut grids, mut bytes) = (0u64, 0u64);
    each_record(&mut source, &mut |record, find| {
        if judged && referee::replay_from(&origin.start, origin.variant, &find.find.moves).is_err() {
            return Ok(());
        }
        (grids, bytes) = (grids + 1, bytes + record.len() as u64);
        target.write_all(record)
    })
    .map_err(read)?;
    let file = target.into_inner().map_err(|error| write(error.into_error()))?;
    file.sync_all().map_err(write)?;
    fs::rename(beside, path).and_then(|()| sync_directory(path)).map_err(write)?;
    Ok(Kept { grids, bytes, total })
}

/// What is wrong with an archive, if something is, and its origin, if its header can be read.
fn damage(path: &Path) -> Result<Option<(String, Option<ArchiveOrigin>)>, ArchiveError> {
    let mut reader = match Reader::open(path) {
        Err(ArchiveError::Damaged { what, .. }) => return Ok(Some((what, None))),
        opened => opened?,
    };
    for find in &mut reader {
        match find {
            Err(ArchiveError::Damaged { what, .. }) => {
                return Ok(Some((what, Some(reader.origin.clone()))));
            }
            find => drop(find?),
        }
    }
    Ok(None)
}

/// Calls `each` with the bytes of every whole record in a file and what it says.
fn each_record(
    file: &mut (impl Read + Seek),
    each: &mut impl FnMut(&[u8], &KeptFind) -> io::Result<()>,
) -> io::Result<()> {
    let (mut at, mut buffer) = (0u64, vec![0; CHUNK + LONGEST]);
    loop {
        file.seek(SeekFrom::Start(at))?;
        let there = super::fill(file, &mut buffer)?;
        let last = there < buffer.len();
        let mut place = 0;
        // A record that may not be whole here is whole in the next part.
        while place < there && (last || place < CHUNK) {
            match record(&buffer[place..there]) {
                Some((bytes, find)) => {
                    each(bytes, &find)?;
                    place += bytes.len();
                }
                None => place += 1,
            }
        }
        if last {
            return Ok(());
        }
        at += place as u64;
    }
}

/// The record at the front of some bytes, if one is there.
fn record(bytes: &[u8]) -> Option<(&[u8], KeptFind)> {
    let &[a, b, c, d, ref sum @ ..] = bytes.first_chunk::<8>()?;
    let length = u16::from_le_bytes([a, b]);
    if length == 0 || length != !u16::from_le_bytes([c, d]) {
        return None;
    }
    let whole = bytes.get(..8 + usize::from(length))?;
    if checksum(&whole[8..]) != *sum {
        return None;
    }
    let stored: StoredFind = postcard::from_bytes(&whole[8..]).ok()?;
    Some((whole, stored.into()))
}
