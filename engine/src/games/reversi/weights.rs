//! Weights of patterns: an evaluation of positions of the full board that is learned from games.
//!
//! Each stage of the game has a table with a weight for every filling of the shapes ([`super::patterns`]), and each
//! number of empty cells a weight for the side to move. The value of a position is their sum: the difference of discs
//! that is expected at the end, winner's empty cells included.
//!
//! The file: `REVW`, version, then deflated: the weights of all stages (each filling that represents others only, low
//! bytes before high ones, stage by stage), those of the side to move, and a text that says where they come from; a
//! CRC-32 of everything before it at the end. Numbers are little-endian.

use super::board::ReversiBoard;
use super::patterns::{ALL_FILLINGS, PatternNumbers, representatives};
use std::sync::{Arc, OnceLock};

/// Units of a weight that are one disc.
pub const FINE: i32 = 64;
/// Empty cells of a stage.
pub const WIDTH: u32 = 4;
/// Number of stages.
pub const STAGES: usize = 15;
/// Numbers of empty cells that a position can have: there are at least the four discs of the start.
pub const EMPTIES: usize = 61;

/// The first bytes of a file.
const MAGIC: &[u8; 4] = b"REVW";
/// Version of the format.
const VERSION: u32 = 1;
/// Most bytes that a file may inflate to.
const LARGEST: usize = 1 << 26;

/// A table of weights by filling.
pub type WeightTable = [i16; ALL_FILLINGS];

/// The weights of an evaluation.
#[derive(Clone, PartialEq, Eq)]
pub struct PatternWeights {
    /// A table for each stage.
    tables: Vec<Box<WeightTable>>,
    /// Weights for having the move, by the number of empty cells.
    tempo: [i16; EMPTIES],
    /// Where they come from.
    pub about: String,
}

impl std::fmt::Debug for PatternWeights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PatternWeights").field("about", &self.about).finish_non_exhaustive()
    }
}

/// What the evaluation of a player or of games to learn from is made of.
#[derive(Debug, Clone, Default)]
pub enum ReversiEstimate {
    /// The weights that the program comes with.
    #[default]
    Usual,
    /// No patterns: the nine terms, whose weights are made by hand.
    ByHand,
    /// Weights of a file.
    Own(Arc<PatternWeights>),
}

impl ReversiEstimate {
    /// The weights of patterns for a board; nothing where the terms count: on other boards than the full one always.
    pub fn patterns(&self, board: ReversiBoard) -> Option<&PatternWeights> {
        match self {
            _ if board != ReversiBoard::FULL => None,
            ReversiEstimate::Usual => Some(PatternWeights::usual()),
            ReversiEstimate::ByHand => None,
            ReversiEstimate::Own(weights) => Some(weights),
        }
    }
}

/// Bytes that are no weights.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternWeightsError {
    /// They begin otherwise.
    #[error("is not a file of Reversi weights, which morpion tune reversi writes")]
    Other,
    /// A version of a later program.
    #[error("the weights have version {0}; this program reads version {VERSION}")]
    Version(u32),
    /// The check sum or the contents are wrong.
    #[error("the file is damaged")]
    Damaged,
}

/// The stage of a number of empty cells.
#[inline(always)]
pub fn stage(empty: u32) -> usize {
    ((empty / WIDTH) as usize).min(STAGES - 1)
}

impl PatternWeights {
    /// Weights by stage and filling, and by empty cells for having the move. Fillings that do not represent others
    /// get the weight of the one that represents them.
    pub fn new(by_stage: &[Vec<i16>], tempo: [i16; EMPTIES], about: String) -> PatternWeights {
        let representatives = representatives();
        let table = |stage: usize| -> Box<WeightTable> {
            let weights = by_stage.get(stage);
            let weight = |&place: &u32| weights.and_then(|w| w.get(place as usize)).copied().unwrap_or(0);
            let table: Vec<i16> = representatives.iter().map(weight).collect();
            table.into_boxed_slice().try_into().unwrap_or_else(|_| Box::new([0; ALL_FILLINGS]))
        };
        PatternWeights { tables: (0..STAGES).map(table).collect(), tempo, about }
    }

    /// The weights that the program comes with.
    pub fn usual() -> &'static PatternWeights {
        static USUAL: OnceLock<PatternWeights> = OnceLock::new();
        USUAL.get_or_init(|| {
            let none = || PatternWeights::new(&[], [0; EMPTIES], String::new());
            PatternWeights::read(include_bytes!("usual.weights")).unwrap_or_else(|_| none())
        })
    }

    /// The table of a number of empty cells.
    #[inline(always)]
    pub fn table(&self, empty: u32) -> &WeightTable {
        &self.tables[stage(empty)]
    }

    /// The weight for having the move.
    #[inline(always)]
    pub fn tempo(&self, empty: u32) -> i32 {
        self.tempo[(empty as usize).min(EMPTIES - 1)].into()
    }

    /// The value of a position with so many empty cells for the side to move, in [`FINE`] units a disc; within the
    /// board's discs.
    #[inline(always)]
    pub fn value(&self, numbers: &PatternNumbers, empty: u32) -> i32 {
        (numbers.sum(self.table(empty)) + self.tempo(empty)).clamp(-63 * FINE, 63 * FINE)
    }

    /// A check sum of all weights.
    pub fn sum(&self) -> u32 {
        crc32fast::hash(&self.plain())
    }

    /// The contents of a file before they are deflated.
    fn plain(&self) -> Vec<u8> {
        let representatives = representatives();
        let kept: Vec<usize> = (0..ALL_FILLINGS).filter(|&place| representatives[place] as usize == place).collect();
        let mut bytes = Vec::new();
        for table in &self.tables {
            bytes.extend(kept.iter().map(|&place| table[place].to_le_bytes()[0]));
            bytes.extend(kept.iter().map(|&place| table[place].to_le_bytes()[1]));
        }
        bytes.extend(self.tempo.iter().flat_map(|weight| weight.to_le_bytes()));
        bytes
    }

    /// The weights as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut plain = self.plain();
        plain.extend(self.about.as_bytes());
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(miniz_oxide::deflate::compress_to_vec(&plain, 9));
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<PatternWeights, PatternWeightsError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(PatternWeightsError::Other)?;
        let (version, _) = rest.split_first_chunk::<4>().ok_or(PatternWeightsError::Damaged)?;
        match u32::from_le_bytes(*version) {
            VERSION => {}
            version => return Err(PatternWeightsError::Version(version)),
        }
        let (checked, sum) = bytes.split_last_chunk::<4>().ok_or(PatternWeightsError::Damaged)?;
        if crc32fast::hash(checked) != u32::from_le_bytes(*sum) {
            return Err(PatternWeightsError::Damaged);
        }
        let deflated = checked.get(8..).ok_or(PatternWeightsError::Damaged)?;
        let plain = miniz_oxide::inflate::decompress_to_vec_with_limit(deflated, LARGEST);
        PatternWeights::from_plain(&plain.map_err(|_| PatternWeightsError::Damaged)?)
            .ok_or(PatternWeightsError::Damaged)
    }

    fn from_plain(mut plain: &[u8]) -> Option<PatternWeights> {
        let representatives = representatives();
        let kept: Vec<usize> = (0..ALL_FILLINGS).filter(|&place| representatives[place] as usize == place).collect();
        let mut by_stage = Vec::new();
        for _ in 0..STAGES {
            let low = plain.split_off(..kept.len())?;
            let high = plain.split_off(..kept.len())?;
            let mut weights = vec![0; ALL_FILLINGS];
            for ((&place, &low), &high) in kept.iter().zip(low).zip(high) {
                weights[place] = i16::from_le_bytes([low, high]);
            }
            by_stage.push(weights);
        }
        let tempo = plain.split_off(..2 * EMPTIES)?;
        let tempo = std::array::from_fn(|i| i16::from_le_bytes([tempo[2 * i], tempo[2 * i + 1]]));
        Some(PatternWeights::new(&by_stage, tempo, String::from_utf8(plain.to_vec()).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> PatternWeights {
        let table = |stage: usize| (0..ALL_FILLINGS).map(|i| ((i * (stage + 3)) % 997) as i16 - 498).collect();
        let by_stage: Vec<Vec<i16>> = (0..STAGES).map(table).collect();
        PatternWeights::new(&by_stage, std::array::from_fn(|i| i as i16 - 30), "made for a test".to_owned())
    }

    #[test]
    fn a_file_gives_the_same_weights_and_says_where_they_come_from() {
        let weights = sample();
        let read = PatternWeights::read(&weights.to_bytes()).unwrap();
        assert!(read == weights, "other weights");
        assert_eq!((read.about.as_str(), read.sum()), ("made for a test", weights.sum()));
    }

    #[test]
    fn files_that_are_no_weights_are_refused() {
        let bytes = sample().to_bytes();
        assert_eq!(PatternWeights::read(b"GIF89a").unwrap_err(), PatternWeightsError::Other);
        assert_eq!(PatternWeights::read(&bytes[..40]).unwrap_err(), PatternWeightsError::Damaged);
        let mut later = bytes.clone();
        later[4] = 9;
        assert_eq!(PatternWeights::read(&later).unwrap_err(), PatternWeightsError::Version(9));
        for at in (8..bytes.len()).step_by(bytes.len() / 7) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(PatternWeights::read(&damaged).unwrap_err(), PatternWeightsError::Damaged, "byte {at}");
        }
    }

    #[test]
    fn the_shipped_weights_are_whole() {
        let usual = PatternWeights::usual();
        assert!(usual.about.contains("learned"), "{}", usual.about);
    }
}
