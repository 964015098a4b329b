//! Reads the file of a proof for the checker.
//!
//! The first line is `morpion proof 1` or `morpion proof 1 deflate`. In the latter the rest is compressed (zlib).
//! Frames follow: length and CRC-32 of the content (4 bytes each, the lowest first), then the content. The first
//! frame is the statement: JSON with `variant`, `moves`, `region` (a text) and `points` (pairs of column and row,
//! without those of the cross). Each other one begins with `U`: the number of a unit, five counts and a time, then
//! its steps (`proofs::steps`). Frames that begin with `G` tell of a grid.

use super::RefusedProof;
use super::rules::Spot;
use crate::morpion::variant::Variant;
use std::collections::VecDeque;

/// Most bytes that are unpacked.
const MOST_BYTES: usize = 4 << 30;
/// Numbers in a unit's frame between its own and the steps.
const COUNTS: usize = 6;

/// What a proof is about.
pub struct Stated {
    pub variant: Variant,
    pub moves: u32,
    pub region: String,
    pub points: Vec<Spot>,
}

/// The number of a unit and the bytes of its steps.
pub type UnitBytes = (u64, Vec<u8>);

/// Reads the frames of a file.
pub struct FrameReader;

fn damaged(what: impl Into<String>) -> RefusedProof {
    RefusedProof::Damaged(what.into())
}

impl FrameReader {
    /// The statement of a file, and its units with the bytes of their steps, in order.
    pub fn read(bytes: &[u8]) -> Result<(Stated, VecDeque<UnitBytes>), RefusedProof> {
        let line = bytes.iter().position(|&byte| byte == b'\n').filter(|&at| at < 64);
        let line = line.ok_or_else(|| damaged("it does not begin with 'morpion proof'"))?;
        let (first, rest) = (&bytes[..line], &bytes[line + 1..]);
        let unpacked;
        let mut rest = match first {
            b"morpion proof 1" => rest,
            b"morpion proof 1 deflate" => {
                unpacked = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(rest, MOST_BYTES)
                    .map_err(|error| damaged(format!("it cannot be unpacked: {error}")))?;
                &unpacked[..]
            }
            _ => return Err(damaged("its first line is not 'morpion proof 1'; another version?")),
        };
        let mut frames = VecDeque::new();
        while !rest.is_empty() {
            frames.push_back(frame(&mut rest).map_err(|what| damaged(format!("frame {}: {what}", frames.len())))?);
        }
        let stated = stated(frames.pop_front().ok_or_else(|| damaged("it has no statement"))?)?;
        let mut units = VecDeque::new();
        for content in frames {
            match content.split_first() {
                Some((b'U', content)) => {
                    let mut numbers = StepNumbers::new(content.to_vec());
                    let unit = numbers.number().map_err(damaged)?;
                    for _ in 0..COUNTS {
                        numbers.number().map_err(damaged)?;
                    }
                    units.push_back((unit, numbers.rest()));
                }
                Some((b'G', _)) => return Err(damaged("it tells of a grid, so it proves nothing")),
                _ => return Err(damaged("a frame is of an unknown kind")),
            }
        }
        Ok((stated, units))
    }
}

fn frame<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], &'static str> {
    let (head, after) = rest.split_first_chunk::<8>().ok_or("it ends within the length")?;
    let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let length = number(0) as usize;
    if after.len() < length {
        return Err("it ends within the content");
    }
    let (content, after) = after.split_at(length);
    *rest = after;
    if crc32fast::hash(content) == number(4) { Ok(content) } else { Err("the checksum is wrong") }
}

fn stated(content: &[u8]) -> Result<Stated, RefusedProof> {
    let object: serde_json::Value =
        serde_json::from_slice(content).map_err(|error| damaged(format!("the statement: {error}")))?;
    let variant = object["variant"].as_str().and_then(|code| code.parse::<Variant>().ok());
    let moves = object["moves"].as_u64().and_then(|moves| u32::try_from(moves).ok());
    let points = object["points"].as_array().and_then(|points| {
        let point = |value: &serde_json::Value| {
            let [x, y] = value.as_array()?.as_slice() else { return None };
            let within = |value: &serde_json::Value| value.as_i64().filter(|n| (0..60).contains(n)).map(|n| n as i32);
            Some((within(x)?, within(y)?))
        };
        points.iter().map(point).collect::<Option<Vec<Spot>>>()
    });
    let (Some(variant), Some(moves), Some(points)) = (variant, moves, points) else {
        return Err(damaged("the statement lacks variant, moves or points, or has wrong ones"));
    };
    Ok(Stated { variant, moves, region: object["region"].as_str().unwrap_or_default().to_owned(), points })
}

/// Numbers one after the other, seven bits in a byte, the lowest first.
pub struct StepNumbers {
    bytes: Vec<u8>,
    at: usize,
}

impl StepNumbers {
    pub fn new(bytes: Vec<u8>) -> StepNumbers {
        StepNumbers { bytes, at: 0 }
    }

    pub fn is_empty(&self) -> bool {
        self.at == self.bytes.len()
    }

    fn rest(self) -> Vec<u8> {
        self.bytes[self.at..].to_vec()
    }

    pub fn byte(&mut self) -> Result<u8, String> {
        let byte = *self.bytes.get(self.at).ok_or("the steps end before the tree is complete")?;
        self.at += 1;
        Ok(byte)
    }

    pub fn number(&mut self) -> Result<u64, String> {
        let mut number = 0u128;
        for place in 0..10 {
            let byte = self.byte()?;
            number |= u128::from(byte & 127) << (7 * place);
            if byte < 128 {
                return u64::try_from(number).map_err(|_| "a number is too large".to_owned());
            }
        }
        Err("a number is too long".to_owned())
    }

    /// The points of a loop, ascending, and its point.
    pub fn point_set(&mut self) -> Result<(Vec<u64>, u64), String> {
        let count = self.number()?;
        let (mut set, mut next) = (Vec::new(), 0u64);
        for _ in 0..count {
            let point = next.checked_add(self.number()?).ok_or("the number of a point is too large")?;
            next = point.checked_add(1).ok_or("the number of a point is too large")?;
            set.push(point);
        }
        Ok((set, self.number()?))
    }

    /// Rows, ascending, with their multipliers.
    pub fn witness(&mut self) -> Result<Vec<(u64, i128)>, String> {
        let count = self.number()?;
        let (mut witness, mut next) = (Vec::new(), 0u64);
        for _ in 0..count {
            let row = next.checked_add(self.number()?).ok_or("the number of a row is too large")?;
            next = row.checked_add(1).ok_or("the number of a row is too large")?;
            let coded = i128::from(self.number()?);
            witness.push((row, if coded % 2 == 0 { coded / 2 } else { -(coded + 1) / 2 }));
        }
        Ok(witness)
    }
}
