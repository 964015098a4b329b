//! What units leave in files of their own in the job's folder, since it is too long for the file of outcomes. A part
//! is written before the outcome of its unit is told, so that a unit that is done has its part.

use crate::core::encoding::{decode, encode};
use crate::core::frame::{read_row, row};
use crate::files::{FileError, Keep, replace};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// Version of the files.
const VERSION: u8 = 1;
/// How their names begin.
const PREFIX: &str = "part-";

/// The file with the part of a unit.
fn part_file(folder: &Path, unit: u64) -> PathBuf {
    folder.join(format!("{PREFIX}{unit}"))
}

/// Writes the part of a unit.
///
/// # Errors
/// If the disk refuses.
pub fn write_part<P: Serialize>(folder: &Path, unit: u64, part: &P) -> Result<(), String> {
    write_packed(folder, unit, &packed_part(part)).map_err(|error| error.to_string())
}

/// A part in the form in which it is written.
pub fn packed_part<P: Serialize>(part: &P) -> Vec<u8> {
    encode(part)
}

/// A part out of that form; nothing if the bytes are none.
pub fn unpacked_part<P: DeserializeOwned>(bytes: &[u8]) -> Option<P> {
    decode(bytes)
}

/// Writes the part of a unit that is packed already.
///
/// # Errors
/// If the disk refuses.
pub fn write_packed(folder: &Path, unit: u64, packed: &[u8]) -> Result<(), FileError> {
    replace(&part_file(folder, unit), &row(VERSION, packed), Keep::Durable)
}

/// The part of a unit.
///
/// # Errors
/// If it is missing or damaged.
pub fn read_part<P: DeserializeOwned>(folder: &Path, unit: u64) -> Result<P, String> {
    let path = part_file(folder, unit);
    let bytes = std::fs::read(&path).map_err(|error| format!("{}: cannot be read: {error}", path.display()))?;
    let content = read_row(&bytes, VERSION).ok().and_then(|(_, content)| unpacked_part(content));
    content.ok_or_else(|| format!("{}: is damaged, or was written by a newer version", path.display()))
}

/// The units that have parts in a folder, in the order of their numbers.
///
/// # Errors
/// If the folder cannot be read.
pub fn parts_of(folder: &Path) -> Result<Vec<u64>, String> {
    let failed = |error: std::io::Error| format!("{}: cannot be read: {error}", folder.display());
    let mut units = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        units.extend(name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse::<u64>().ok()));
    }
    units.sort_unstable();
    Ok(units)
}

/// Removes the part of a unit, which is not needed any more.
pub fn remove_part(folder: &Path, unit: u64) {
    // One that stays takes nothing but disk.
    let _ = std::fs::remove_file(part_file(folder, unit));
}

/// Removes the parts of the first `units` units, which are not needed any more.
pub fn remove_parts(folder: &Path, units: u64) {
    (0..units).for_each(|unit| remove_part(folder, unit));
}
