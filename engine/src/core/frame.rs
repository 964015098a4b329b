//! How bytes on disk are framed: what a file begins with, how its content is guarded, and what is wrong with bytes
//! that do not fit.
//!
//! A file begins with a [`FrameFormat`]: eight bytes of magic and a version of four. Content carries the CRC-32 of
//! its bytes. A row of a database is a version of one byte, a CRC-32 and the content ([`row`]). All numbers are
//! little-endian.

/// What is wrong with bytes that were read. It names no file: whoever reads one adds its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// They were written in this version of their format, which is newer than this program.
    Newer(u32),
    /// They are not what they should be.
    Damaged(String),
}

impl Flaw {
    /// Damage, in words that continue a sentence about the bytes: "it is too short".
    pub fn damaged(what: impl Into<String>) -> Flaw {
        Flaw::Damaged(what.into())
    }
}

/// Takes `N` bytes off the front of `bytes`.
///
/// # Errors
/// If there are fewer.
pub fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], Flaw> {
    let (front, rest) = bytes.split_first_chunk::<N>().ok_or_else(|| Flaw::damaged("it is too short"))?;
    *bytes = rest;
    Ok(*front)
}

/// The checksum of some content, as it is stored.
pub fn checksum(content: &[u8]) -> [u8; 4] {
    crc32fast::hash(content).to_le_bytes()
}

/// What a kind of file begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameFormat {
    /// The first eight bytes of every file of this kind.
    pub magic: &'static [u8; 8],
    /// The newest version of the format.
    pub version: u32,
    /// What the file is: "the state of a hunt".
    pub what: &'static str,
}

impl FrameFormat {
    /// Bytes that magic and version take.
    pub const HEAD: usize = 8 + 4;

    /// Magic and a version of the format.
    pub fn head(&self, version: u32) -> Vec<u8> {
        [&self.magic[..], &version.to_le_bytes()].concat()
    }

    /// Takes magic and version off the front of a file's bytes; the version, which this program may still not know.
    ///
    /// # Errors
    /// If the file is too short, of another kind, or newer than this program.
    pub fn read(&self, bytes: &mut &[u8]) -> Result<u32, Flaw> {
        if &take::<8>(bytes)? != self.magic {
            return Err(Flaw::damaged(format!("it is not {}", self.what)));
        }
        match u32::from_le_bytes(take(bytes)?) {
            version if version > self.version => Err(Flaw::Newer(version)),
            version => Ok(version),
        }
    }
}

/// A row of a database: a version, the checksum of the content, the content.
pub fn row(version: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(5 + content.len());
    bytes.push(version);
    bytes.extend(checksum(content));
    bytes.extend(content);
    bytes
}

/// The version and the content of a row.
///
/// # Errors
/// If it is newer than `newest`, too short, or does not match its checksum. Of a newer row nothing but the version is
/// looked at.
pub fn read_row(mut bytes: &[u8], newest: u8) -> Result<(u8, &[u8]), Flaw> {
    let [version] = take(&mut bytes)?;
    if version > newest {
        return Err(Flaw::Newer(version.into()));
    }
    let sum = take(&mut bytes)?;
    if checksum(bytes) != sum {
        return Err(Flaw::damaged("its checksum does not match"));
    }
    Ok((version, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: FrameFormat = FrameFormat { magic: b"MorpTest", version: 3, what: "a test" };

    #[test]
    fn heads_are_read_as_written_and_others_are_refused() {
        let head = FORMAT.head(2);
        assert_eq!(head.len(), FrameFormat::HEAD);
        let mut rest = &[&head[..], b"content"].concat()[..];
        assert_eq!(FORMAT.read(&mut rest), Ok(2));
        assert_eq!(rest, b"content");
        assert_eq!(FORMAT.read(&mut &FORMAT.head(4)[..]), Err(Flaw::Newer(4)));
        let other = FrameFormat { magic: b"MorpElse", ..FORMAT };
        assert_eq!(other.read(&mut &head[..]), Err(Flaw::damaged("it is not a test")));
        for cut in 0..head.len() {
            assert_eq!(FORMAT.read(&mut &head[..cut]), Err(Flaw::damaged("it is too short")), "{cut}");
        }
    }

    #[test]
    fn every_changed_bit_of_a_row_is_noticed() {
        let whole = row(1, b"content");
        assert_eq!(whole[..5], [1, 0xa9, 0x30, 0xc5, 0xfe], "version and CRC-32 of the content");
        assert_eq!(read_row(&whole, 1), Ok((1, &b"content"[..])));
        for at in 0..whole.len() * 8 {
            let mut changed = whole.clone();
            changed[at / 8] ^= 1 << (at % 8);
            let read = read_row(&changed, 1);
            // A lower version is for the caller to judge.
            assert!(read.is_err() || read == Ok((0, &b"content"[..])), "bit {at}: {read:?}");
        }
        for cut in 0..whole.len() {
            assert!(read_row(&whole[..cut], 1).is_err(), "{cut}");
        }
    }
}
