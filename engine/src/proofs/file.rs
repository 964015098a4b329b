//! The file of a proof: its statement, then the outcomes of units, each in a frame with a checksum. It is the state
//! of a running proof and its certificate. `check::reader` describes the format, and reads it by code of its own.

use super::branching::{ProofCounts, Step};
use super::region::{Region, RegionError};
use super::steps::{StepBytesError, put_number, read_steps, take_number, write_steps};
use crate::morpion::geometry::{Move, Point};
use crate::morpion::variant::Variant;

/// The first line of a file.
pub const HEAD: &[u8] = b"morpion proof 1\n";
/// The first line of a file whose rest is compressed.
const PACKED_HEAD: &[u8] = b"morpion proof 1 deflate\n";
/// Effort of compression, 0 to 10.
const EFFORT: u8 = 9;
/// Most bytes that are unpacked.
const MOST_BYTES: usize = 4 << 30;

/// What is to be proved: there is no grid of `moves` moves or more in the region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Where grids are looked for.
    pub region: Region,
    /// How the region is called: a text for people.
    pub title: String,
    /// The number of moves.
    pub moves: u32,
}

/// What is written after the statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProofRecord {
    /// The outcome of a unit.
    Unit {
        /// The unit's number.
        unit: u64,
        /// What its search counted.
        counts: ProofCounts,
        /// Processor time, in milliseconds.
        milliseconds: u64,
        /// The tree below its case.
        steps: Vec<Step>,
    },
    /// A grid of so many moves in the region: there is nothing to prove.
    Grid(Vec<Move>),
}

/// Why a file is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProofFileError {
    /// It begins otherwise.
    #[error("it does not begin with 'morpion proof 1'; it is not the file of a proof, or of a newer version")]
    NotAProof,
    /// A frame is damaged.
    #[error("frame {frame} is damaged: {reason}")]
    Damaged {
        /// The number of the frame; that of the statement is 0.
        frame: usize,
        /// What is wrong.
        reason: String,
    },
}

impl Statement {
    fn to_bytes(&self) -> Vec<u8> {
        let points: Vec<[i32; 2]> = self.region.added().iter().map(|point| [point.x(), point.y()]).collect();
        let object = serde_json::json!({
            "variant": self.region.variant(),
            "moves": self.moves,
            "region": self.title,
            "points": points,
        });
        object.to_string().into_bytes()
    }

    fn from_bytes(bytes: &[u8]) -> Result<Statement, String> {
        #[derive(serde::Deserialize)]
        struct StatementText {
            variant: Variant,
            moves: u32,
            region: String,
            points: Vec<[i32; 2]>,
        }
        let text: StatementText = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let points: Option<Vec<Point>> = text.points.iter().map(|&[x, y]| Point::new(x, y)).collect();
        let points = points.ok_or("a point lies outside of the playing area")?;
        let region = Region::new(text.variant, points).map_err(|error: RegionError| error.to_string())?;
        Ok(Statement { region, title: text.region, moves: text.moves })
    }

    /// The frame of the statement.
    pub fn to_frame(&self) -> Vec<u8> {
        frame(&self.to_bytes())
    }
}

impl ProofRecord {
    /// The frame of the record.
    pub fn to_frame(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            ProofRecord::Unit { unit, counts, milliseconds, steps } => {
                bytes.push(b'U');
                let ProofCounts { nodes, programs, shapes, conflicts, unknown } = *counts;
                for number in [*unit, nodes, programs, shapes, conflicts, unknown, *milliseconds] {
                    put_number(&mut bytes, number);
                }
                write_steps(steps, &mut bytes);
            }
            ProofRecord::Grid(moves) => {
                bytes.push(b'G');
                moves.iter().for_each(|mv| bytes.extend(mv.bits().to_le_bytes()));
            }
        }
        frame(&bytes)
    }

    fn from_bytes(variant: Variant, bytes: &[u8]) -> Result<ProofRecord, String> {
        match bytes.split_first() {
            Some((b'U', mut rest)) => {
                let mut next = || take_number(&mut rest).map_err(|error: StepBytesError| error.to_string());
                let unit = next()?;
                let counts = ProofCounts {
                    nodes: next()?,
                    programs: next()?,
                    shapes: next()?,
                    conflicts: next()?,
                    unknown: next()?,
                };
                let milliseconds = next()?;
                let steps = read_steps(rest).map_err(|error| error.to_string())?;
                Ok(ProofRecord::Unit { unit, counts, milliseconds, steps })
            }
            Some((b'G', rest)) => {
                let (numbers, []) = rest.as_chunks::<4>() else { return Err("a move is cut off".to_owned()) };
                let moves = numbers.iter().map(|&bits| Move::from_bits(variant, u32::from_le_bytes(bits)));
                let moves: Option<Vec<Move>> = moves.collect();
                moves.map(ProofRecord::Grid).ok_or_else(|| "a number is not that of a move".to_owned())
            }
            _ => Err("its kind is unknown".to_owned()),
        }
    }
}

fn frame(content: &[u8]) -> Vec<u8> {
    let mut frame = (content.len() as u32).to_le_bytes().to_vec();
    frame.extend(crc32fast::hash(content).to_le_bytes());
    frame.extend(content);
    frame
}

/// What is in the file of a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofFile {
    /// What is to be proved.
    pub statement: Statement,
    /// What has been found out.
    pub records: Vec<ProofRecord>,
    /// How many bytes of the file are whole frames. A crash may have cut the last one off.
    pub whole: usize,
}

/// Reads a file. What a crash has cut off at its end is left out.
///
/// # Errors
/// If it is not the file of a proof, or a frame before its end is damaged.
pub fn read_file(bytes: &[u8]) -> Result<ProofFile, ProofFileError> {
    let unpacked;
    let (bytes, head) = if let Some(packed) = bytes.strip_prefix(PACKED_HEAD) {
        unpacked = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(packed, MOST_BYTES)
            .map_err(|error| ProofFileError::Damaged { frame: 0, reason: error.to_string() })?;
        (&unpacked[..], 0)
    } else {
        (bytes.strip_prefix(HEAD).ok_or(ProofFileError::NotAProof)?, HEAD.len())
    };
    let (mut at, mut contents) = (0, Vec::new());
    while let Some((length, rest)) = bytes[at..].split_first_chunk::<4>() {
        let Some((sum, rest)) = rest.split_first_chunk::<4>() else { break };
        // After a power cut the end of a file may be zeros.
        if bytes[at..].iter().all(|&byte| byte == 0) {
            break;
        }
        let Some(content) = rest.get(..u32::from_le_bytes(*length) as usize) else { break };
        if crc32fast::hash(content) != u32::from_le_bytes(*sum) {
            if content.len() == rest.len() {
                break;
            }
            let reason = "the checksum is wrong".to_owned();
            return Err(ProofFileError::Damaged { frame: contents.len(), reason });
        }
        contents.push(content);
        at += 8 + content.len();
    }
    let damaged = |frame| move |reason| ProofFileError::Damaged { frame, reason };
    let Some((first, others)) = contents.split_first() else {
        return Err(damaged(0)("the statement is missing".to_owned()));
    };
    let statement = Statement::from_bytes(first).map_err(damaged(0))?;
    let variant = statement.region.variant();
    let records = (1..).zip(others);
    let records = records.map(|(frame, content)| ProofRecord::from_bytes(variant, content).map_err(damaged(frame)));
    Ok(ProofFile { statement, records: records.collect::<Result<_, _>>()?, whole: head + at })
}

/// The file in its compressed form.
///
/// # Errors
/// If the bytes do not begin as an uncompressed file does.
pub fn pack(bytes: &[u8]) -> Result<Vec<u8>, ProofFileError> {
    let frames = bytes.strip_prefix(HEAD).ok_or(ProofFileError::NotAProof)?;
    let mut packed = PACKED_HEAD.to_vec();
    packed.extend(miniz_oxide::deflate::compress_to_vec_zlib(frames, EFFORT));
    Ok(packed)
}
