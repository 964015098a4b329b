//! Estimates of how much has to be searched to win a position, and to lose it.
//!
//! Proof-number search begins with a proof number and a disproof number for each new position. Both follow from one
//! sum: the weights of the position's features ([`super::features`]). Each [`FINE`] units double the disproof number
//! and halve the proof number. The weights are learned from fights that the program makes up ([`super::learn`]): the
//! sum is a part of the logarithm of the odds that the position is won.
//!
//! Estimates decide what is searched first, and nothing else: a proof does not rest on them. Their arithmetic is in
//! whole numbers, so that a search visits the same positions on every machine.

use super::features::{CHAIN_FEATURES, FeatureList, PAIR_FEATURES};
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

/// Units of a sum that double a number.
pub const FINE: i32 = 16;
/// Both numbers of a position of which nothing is known.
const EVEN: u64 = 16;
/// Greatest number of a position.
const MOST: u64 = 300;
/// The roots of two: powers of its sixteenth root, times 4,096.
const ROOTS: [u64; FINE as usize] =
    [4096, 4277, 4467, 4664, 4871, 5087, 5312, 5547, 5793, 6049, 6317, 6597, 6889, 7194, 7512, 7845];

/// The first line of a file of weights.
const HEAD: &str = "morpion tactics weights 1";
/// The weights that come with the program.
const SHIPPED: &str = include_str!("shipped.weights");

/// What a question is about, as far as weights differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    /// A chain that is to be captured.
    Chain,
    /// Two chains that are to be connected.
    Pair,
}

impl QuestionKind {
    /// Both kinds of questions.
    pub const ALL: [QuestionKind; 2] = [QuestionKind::Chain, QuestionKind::Pair];

    /// Its word in files of weights.
    pub fn name(self) -> &'static str {
        match self {
            QuestionKind::Chain => "chain",
            QuestionKind::Pair => "pair",
        }
    }

    /// Number of features of its positions.
    pub fn features(self) -> usize {
        match self {
            QuestionKind::Chain => CHAIN_FEATURES,
            QuestionKind::Pair => PAIR_FEATURES,
        }
    }
}

/// The weights of all features, for the attacker to move and for the defender to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EstimateWeights {
    /// By [`QuestionKind`] and side: the defender to move, then the attacker.
    tables: [[Vec<i16>; 2]; 2],
}

/// A file that is none of weights.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeightsFileError {
    /// The first line is another one.
    #[error("line 1: expected `{HEAD}`, the beginning of a file of weights")]
    Head,
    /// A line that is none of weights.
    #[error("line {0}: expected `{1} {2}` and {3} whole numbers from -32768 to 32767")]
    Table(usize, &'static str, &'static str, usize),
    /// Something follows the weights.
    #[error("line {0}: nothing may follow the weights")]
    More(usize),
}

impl EstimateWeights {
    /// Weights that know nothing: all numbers are the same.
    pub fn none() -> EstimateWeights {
        let tables = QuestionKind::ALL.map(|kind| [vec![0; kind.features()], vec![0; kind.features()]]);
        EstimateWeights { tables }
    }

    /// The weights that come with the program.
    pub fn shipped() -> Arc<EstimateWeights> {
        static READ: LazyLock<Arc<EstimateWeights>> =
            LazyLock::new(|| Arc::new(EstimateWeights::read(SHIPPED).unwrap_or_else(|_| EstimateWeights::none())));
        Arc::clone(&READ)
    }

    /// Sets the weights of a kind of question for one side to move; features without a weight get none.
    pub fn set(&mut self, kind: QuestionKind, attacker_moves: bool, weights: &[i16]) {
        let table = &mut self.tables[kind as usize][usize::from(attacker_moves)];
        table.fill(0);
        table.iter_mut().zip(weights).for_each(|(weight, &new)| *weight = new);
    }

    /// The estimate of a position: its proof number and its disproof number, both at least 1.
    #[inline]
    pub fn numbers(&self, kind: QuestionKind, attacker_moves: bool, list: &FeatureList) -> (u32, u32) {
        let table = &self.tables[kind as usize][usize::from(attacker_moves)];
        let weight = |&number: &u8| table.get(usize::from(number)).map_or(0, |&weight| i32::from(weight));
        let sum: i32 = list.numbers().iter().map(weight).sum();
        (number_of(-sum), number_of(sum))
    }

    /// The text of a file of these weights; each line of `provenance` becomes a comment.
    pub fn write(&self, provenance: &str) -> String {
        let mut text = format!("{HEAD}\n");
        provenance.lines().for_each(|line| text.push_str(&format!("# {line}\n")));
        for (kind, tables) in QuestionKind::ALL.iter().zip(&self.tables) {
            for (side, table) in SIDES.iter().zip(tables) {
                text.push_str(&format!("{} {side}", kind.name()));
                table.iter().for_each(|weight| {
                    let _ = write!(text, " {weight}");
                });
                text.push('\n');
            }
        }
        text
    }

    /// Reads a file of weights. Lines that begin with `#` are comments.
    ///
    /// # Errors
    /// Anything else than what [`EstimateWeights::write`] writes.
    pub fn read(text: &str) -> Result<EstimateWeights, WeightsFileError> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#'));
        if lines.next().map(|(_, line)| line.trim_end()) != Some(HEAD) {
            return Err(WeightsFileError::Head);
        }
        let mut weights = EstimateWeights::none();
        let after = text.lines().count() + 1;
        for kind in QuestionKind::ALL {
            for (place, side) in SIDES.into_iter().enumerate() {
                let (number, line) = lines.next().unwrap_or((after, ""));
                let fault = || WeightsFileError::Table(number, kind.name(), side, kind.features());
                let mut words = line.split_whitespace();
                if words.next() != Some(kind.name()) || words.next() != Some(side) {
                    return Err(fault());
                }
                let read: Result<Vec<i16>, _> = words.map(str::parse).collect();
                let table = read.map_err(|_| fault())?;
                if table.len() != kind.features() {
                    return Err(fault());
                }
                weights.tables[kind as usize][place] = table;
            }
        }
        match lines.find(|(_, line)| !line.trim().is_empty()) {
            Some((number, _)) => Err(WeightsFileError::More(number)),
            None => Ok(weights),
        }
    }
}

/// The words for the side to move in files of weights.
const SIDES: [&str; 2] = ["defender", "attacker"];

/// [`EVEN`], doubled for each [`FINE`] units, from 1 to [`MOST`].
fn number_of(units: i32) -> u32 {
    // Beyond these it is no other number.
    let units = units.clamp(-6 * FINE, 6 * FINE);
    let (whole, part) = (units.div_euclid(FINE), units.rem_euclid(FINE));
    let number = EVEN * ROOTS[part as usize];
    let number = if whole < 0 { number >> -whole } else { number << whole };
    ((number + 2048) / 4096).clamp(1, MOST) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_double_with_the_units() {
        let known: Vec<u32> = [-200, -64, -16, -8, 0, 8, 16, 32, 64, 200].map(number_of).into();
        assert_eq!(known, [1, 1, 8, 11, 16, 23, 32, 64, 256, 300]);
        assert!((-300..300).all(|units| number_of(units) <= number_of(units + 1)));
        for (units, number) in (-64..=64).map(|units| (units, number_of(units))) {
            let exact = 16.0 * 2f64.powf(f64::from(units) / 16.0);
            assert!((f64::from(number) - exact).abs() <= 0.51, "{units}: {number}, {exact}");
        }
    }

    #[test]
    fn files_of_weights_are_read_as_written() {
        let mut weights = EstimateWeights::none();
        for (place, kind) in QuestionKind::ALL.into_iter().enumerate() {
            for attacker_moves in [false, true] {
                let of = |number: usize| (number as i16 - 50) * (place as i16 + 3) - i16::from(attacker_moves);
                weights.set(kind, attacker_moves, &(0..kind.features()).map(of).collect::<Vec<_>>());
            }
        }
        let text = weights.write("made by a test\nin two lines");
        assert!(
            text.starts_with("morpion tactics weights 1\n# made by a test\n# in two lines\nchain defender -150 ")
        );
        assert_eq!(EstimateWeights::read(&text).unwrap(), weights);
        let fault = |text: &str| EstimateWeights::read(text).unwrap_err().to_string();
        assert!(fault("").starts_with("line 1: expected `morpion tactics weights 1`"));
        assert!(fault(&text.replacen("weights 1", "weights 2", 1)).starts_with("line 1"));
        assert!(fault(&text.replacen("-150", "-99999", 1)).starts_with("line 4: expected `chain defender`"));
        assert!(fault(&text.replacen(" -150", "", 1)).contains("169 whole numbers"));
        assert!(
            fault(&text.replace("pair attacker", "pair defender")).starts_with("line 7: expected `pair attacker`")
        );
        let cut: Vec<&str> = text.lines().take(6).collect();
        assert!(fault(&cut.join("\n")).starts_with("line 7"));
        assert_eq!(fault(&format!("{text}\nmore")), "line 9: nothing may follow the weights");
    }

    #[test]
    fn the_shipped_weights_are_read() {
        let shipped = EstimateWeights::read(SHIPPED).unwrap();
        assert!(shipped.tables.iter().flatten().all(|table| table.iter().any(|&weight| weight != 0)));
        let said: Vec<&str> = SHIPPED.lines().skip(1).take_while(|line| line.starts_with('#')).collect();
        assert!(said.iter().any(|line| line.contains("morpion tactics learn")), "{said:?}");
    }
}
