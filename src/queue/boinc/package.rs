//! The files that units travel in: the unit itself, what was computed of it so far, and its result. Each has a magic
//! number, a version and a checksum; their contents are encoded by [`encoding`](crate::core::encoding).

use crate::core::encoding::{decode, encode};
use crate::core::frame::{Flaw, FrameFormat, checksum, take};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::time::Duration;

/// More bytes than any such file has.
pub const MOST_BYTES: u64 = 256 << 20;

const UNIT: FrameFormat = FrameFormat { magic: b"MorpUnit", version: 1, what: "a packed unit" };
const RESULT: FrameFormat = FrameFormat { magic: b"MorpRslt", version: 2, what: "the result of a unit" };
const CHECKPOINT: FrameFormat = FrameFormat { magic: b"MorpSlot", version: 1, what: "the checkpoint of a unit" };

/// What is wrong with the content of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PackageError {
    /// A newer version of the program wrote it.
    #[error("its format has version {0}, which this program does not know: use a newer one")]
    Newer(u32),
    /// It is of another kind, cut off or changed.
    #[error("{0}")]
    Damaged(String),
}

impl From<Flaw> for PackageError {
    fn from(flaw: Flaw) -> PackageError {
        match flaw {
            Flaw::Newer(version) => PackageError::Newer(version),
            Flaw::Damaged(what) => PackageError::Damaged(what),
        }
    }
}

/// What a unit is recognised by: the hash of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnitHash([u8; 32]);

impl UnitHash {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> UnitHash {
        UnitHash(Sha256::digest(bytes).into())
    }

    /// The first digits of the hash, sixteen of them.
    pub fn digits(&self) -> String {
        self.0[..8].iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

fn sealed(format: FrameFormat, content: &[u8]) -> Vec<u8> {
    [&format.head(format.version)[..], &checksum(content), content].concat()
}

/// The version and the content of a file.
fn opened(format: FrameFormat, mut bytes: &[u8]) -> Result<(u32, &[u8]), PackageError> {
    let version = format.read(&mut bytes)?;
    let sum = take(&mut bytes)?;
    if checksum(bytes) == sum {
        Ok((version, bytes))
    } else {
        Err(Flaw::damaged("its checksum does not match").into())
    }
}

fn content<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, PackageError> {
    decode(bytes).ok_or_else(|| Flaw::damaged("its content cannot be read").into())
}

/// The file of a packed unit.
pub fn unit_file(packed: &[u8]) -> Vec<u8> {
    sealed(UNIT, packed)
}

/// The packed unit of a file.
///
/// # Errors
/// What is wrong with the file.
pub fn read_unit(bytes: &[u8]) -> Result<&[u8], PackageError> {
    Ok(opened(UNIT, bytes)?.1)
}

/// What came of a unit: reports, and the outcome as the last one, in the form that
/// [`unpack`](crate::queue::Portable::unpack) reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitWords {
    /// The unit that was computed.
    pub unit: UnitHash,
    /// Version of the program that computed it.
    pub version: String,
    /// What it has to say, in order.
    pub words: Vec<Vec<u8>>,
    /// Processor time that it took, as that program says; none in files of version 1.
    pub time: Duration,
}

/// The same as of version 1.
#[derive(Serialize, Deserialize)]
struct UnitWordsOfVersion1 {
    unit: UnitHash,
    version: String,
    words: Vec<Vec<u8>>,
}

impl UnitWords {
    /// As a file.
    pub fn to_file(&self) -> Vec<u8> {
        sealed(RESULT, &encode(self))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_file(bytes: &[u8]) -> Result<UnitWords, PackageError> {
        match opened(RESULT, bytes)? {
            (1, bytes) => {
                let UnitWordsOfVersion1 { unit, version, words } = content(bytes)?;
                Ok(UnitWords { unit, version, words, time: Duration::ZERO })
            }
            (_, bytes) => content(bytes),
        }
    }
}

/// How far the computation of a unit has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotCheckpoint {
    /// The unit that is computed.
    pub unit: UnitHash,
    /// The unit as it is to be continued, packed.
    pub packed: Vec<u8>,
    /// What it has had to say until now.
    pub words: Vec<Vec<u8>>,
}

impl SlotCheckpoint {
    /// As a file.
    pub fn to_file(&self) -> Vec<u8> {
        sealed(CHECKPOINT, &encode(self))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_file(bytes: &[u8]) -> Result<SlotCheckpoint, PackageError> {
        content(opened(CHECKPOINT, bytes)?.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_as_written_and_every_change_is_noticed() {
        let unit = UnitHash::of(b"packed");
        assert_eq!(unit.digits().len(), 16);
        let time = Duration::from_millis(1500);
        let words = UnitWords { unit, version: "1.2".to_owned(), words: vec![vec![1, 2], Vec::new()], time };
        let checkpoint = SlotCheckpoint { unit, packed: vec![7; 9], words: vec![vec![3]] };
        let files = [unit_file(b"packed"), words.to_file(), checkpoint.to_file()];
        assert_eq!(read_unit(&files[0]), Ok(&b"packed"[..]));
        assert_eq!(UnitWords::from_file(&files[1]), Ok(words));
        assert_eq!(SlotCheckpoint::from_file(&files[2]), Ok(checkpoint));
        let reads = |bytes: &[u8]| {
            [read_unit(bytes).is_ok(), UnitWords::from_file(bytes).is_ok(), SlotCheckpoint::from_file(bytes).is_ok()]
        };
        for (kind, file) in files.iter().enumerate() {
            assert_eq!(reads(file), [0, 1, 2].map(|other| other == kind));
            for at in (0..file.len() * 8).filter(|at| !(8 * 8..12 * 8).contains(at)) {
                let mut changed = file.clone();
                changed[at / 8] ^= 1 << (at % 8);
                assert_eq!(reads(&changed), [false; 3], "file {kind}, bit {at}");
            }
            for cut in 0..file.len() {
                assert_eq!(reads(&file[..cut]), [false; 3], "file {kind}, {cut} bytes");
            }
        }
        let old = UnitWordsOfVersion1 { unit, version: "1.1".to_owned(), words: vec![vec![9]] };
        let read = UnitWords::from_file(&sealed(FrameFormat { version: 1, ..RESULT }, &encode(&old)));
        let expected = UnitWords { unit, version: "1.1".to_owned(), words: vec![vec![9]], time: Duration::ZERO };
        assert_eq!(read, Ok(expected));
        let mut newer = files[0].clone();
        newer[8] = 9;
        assert_eq!(read_unit(&newer), Err(PackageError::Newer(9)));
    }
}
