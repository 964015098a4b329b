//! Weights as text, and the text of the usual ones.
//!
//! The first line has the name of the format and its version; lines that begin with `#` say where the numbers come
//! from. Then come sections of whole numbers in a fixed order, each after a line with its name. The last line has a
//! check sum (CRC-32, eight hexadecimal digits) of all before it.

use super::codes::{CODES, MOVE_CLASSES, MoveCodes};
use super::network::{CellNetwork, HIDDEN_WEIGHT_MOST, NETWORK_SECTIONS, NetworkNumbers};
use super::weights::{CodeWeights, LineWeights, SETS, SEVERAL, ThreatWeights, WeightsForm};
use std::fmt::Write;

/// The first line.
const HEAD: &str = "morpion gomoku weights";
/// Version of the format, see [`version_of`].
const VERSION: u32 = 3;
/// Greatest weight. So the sum over the greatest board is far from the end of its type.
const MOST: i16 = 16_000;
/// Numbers of a line.
const PER_LINE: usize = 24;
/// The weights that are used, learned from games of the player against itself: `results/gomoku.md` has the commands.
const USUAL: &str = include_str!("usual.weights");
/// The weights of the search of threats. They stay what they are, so that a proof that was found can be found again:
/// a check of a plan searches the threats anew.
const OF_THREATS: &str = include_str!("threats.weights");
/// The section that version 1 does not have.
const SETS_SECTION: &str = "sets of threats";
/// The section whose numbers are smaller.
const HIDDEN_SECTION: &str = NETWORK_SECTIONS[2].0;
/// The sections and how many numbers they have.
const SECTIONS: [(&str, usize); 8] = [
    ("tempo", 1),
    ("threats to move", SEVERAL * MOVE_CLASSES),
    ("threats other", SEVERAL * MOVE_CLASSES),
    ("codes to move", CODES),
    ("codes other", CODES),
    (SETS_SECTION, SETS),
    ("order make", CODES),
    ("order take", CODES),
];

/// The version of files of such weights: 1 has no sets of threats, and 3 has a network.
fn version_of(form: WeightsForm, has_network: bool) -> u32 {
    match form {
        WeightsForm::Alone => 1,
        WeightsForm::WithLast if has_network => VERSION,
        WeightsForm::WithLast => 2,
    }
}

/// The sections of a version, how many numbers they have, and the greatest of these.
fn sections_of(version: u32) -> impl Iterator<Item = (&'static str, usize, i16)> {
    let of_network = NETWORK_SECTIONS.into_iter().filter(move |_| version >= VERSION);
    let sections = SECTIONS.into_iter().filter(move |(name, _)| version > 1 || *name != SETS_SECTION);
    let most = |name: &str| if name == HIDDEN_SECTION { HIDDEN_WEIGHT_MOST } else { MOST };
    sections.chain(of_network).map(move |(name, count)| (name, count, most(name)))
}

/// Text that is no table of weights.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// It is something else.
    #[error("line 1: expected '{HEAD} {VERSION}', the beginning of a file of weights")]
    Head,
    /// A version of a later program.
    #[error("the weights have version {0}; this program reads version {VERSION}")]
    Version(u32),
    /// The last line is missing or another one.
    #[error("the check sum at the end is wrong or missing: the file is damaged or was changed by hand")]
    Sum,
    /// A section is not where it should be.
    #[error("line {line}: expected the line '{name}'")]
    Section {
        /// Number of the line, from 1.
        line: usize,
        /// The section that should begin.
        name: &'static str,
    },
    /// A number that cannot be.
    #[error("line {line}: '{found}' is not a whole number from -{most} to {most}")]
    Number {
        /// Number of the line, from 1.
        line: usize,
        /// What is there.
        found: String,
        /// Greatest number that can be there.
        most: i16,
    },
    /// Too few or too many numbers.
    #[error("'{name}' has {found} numbers instead of {expected}")]
    Count {
        /// The section that is meant.
        name: &'static str,
        /// How many it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
}

impl LineWeights {
    /// The weights that the player uses if nothing else is said.
    pub fn usual() -> LineWeights {
        // A test reads the text; without it these would be as good as any.
        LineWeights::parse(USUAL).unwrap_or_else(|_| LineWeights::by_hand(&MoveCodes::new()))
    }

    /// The weights of the search of threats.
    pub fn of_threats() -> LineWeights {
        LineWeights::parse(OF_THREATS).unwrap_or_else(|_| LineWeights::by_hand(&MoveCodes::new()))
    }

    /// The text of a file; `about` says where the numbers come from.
    pub fn to_text(&self, about: &str) -> String {
        let version = version_of(self.form, self.network.is_some());
        let mut text = format!("{HEAD} {version}\n");
        for line in about.lines() {
            let _ = writeln!(text, "# {}", line.replace(|c: char| c.is_control(), " "));
        }
        let threats = |role: usize| self.threats[role].concat();
        let mut numbers =
            vec![vec![self.tempo], threats(0), threats(1), self.codes[0].clone(), self.codes[1].clone()];
        if self.form == WeightsForm::WithLast {
            numbers.push(self.sets.clone());
        }
        numbers.extend(self.order.clone());
        if let Some(network) = &self.network {
            let NetworkNumbers { codes: [own, other], hidden, sets, out } = network.numbers();
            numbers.extend([own, other, hidden, sets, out]);
        }
        for ((name, ..), numbers) in sections_of(version).zip(numbers) {
            let _ = writeln!(text, "{name}");
            for line in numbers.chunks(PER_LINE) {
                let line: Vec<String> = line.iter().map(i16::to_string).collect();
                let _ = writeln!(text, "{}", line.join(" "));
            }
        }
        let sum = crc32fast::hash(text.as_bytes());
        let _ = writeln!(text, "sum {sum:08x}");
        text
    }

    /// A number that tells these weights from others: the check sum of their text without a remark.
    pub fn sum(&self) -> u32 {
        crc32fast::hash(self.to_text("").as_bytes())
    }

    /// Reads what [`LineWeights::to_text`] writes.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse(text: &str) -> Result<LineWeights, WeightsError> {
        let first = text.lines().next().and_then(|line| line.strip_prefix(HEAD)).ok_or(WeightsError::Head)?;
        let version = first.trim().parse().map_err(|_| WeightsError::Head)?;
        let form = match version {
            1 => WeightsForm::Alone,
            2..=VERSION => WeightsForm::WithLast,
            _ => return Err(WeightsError::Version(version)),
        };
        let body = text.trim_end().rsplit_once("\nsum ").ok_or(WeightsError::Sum)?;
        let sum = crc32fast::hash(format!("{}\n", body.0).as_bytes());
        if u32::from_str_radix(body.1, 16) != Ok(sum) {
            return Err(WeightsError::Sum);
        }
        let mut lines = (1..).zip(body.0.lines()).skip(1).filter(|(_, line)| !line.starts_with('#')).peekable();
        let mut sections = Vec::new();
        for (name, expected, most) in sections_of(version) {
            let line = lines.next().map_or(0, |(number, line)| if line == name { 0 } else { number });
            if line > 0 {
                return Err(WeightsError::Section { line, name });
            }
            let mut numbers: Vec<i16> = Vec::new();
            while let Some((line, text)) = lines.next_if(|(_, text)| sections_of(version).all(|of| of.0 != *text)) {
                for found in text.split_ascii_whitespace() {
                    let number = found.parse().ok().filter(|number: &i16| (-most..=most).contains(number));
                    numbers.push(number.ok_or_else(|| WeightsError::Number {
                        line,
                        found: found.to_owned(),
                        most,
                    })?);
                }
            }
            if numbers.len() != expected {
                return Err(WeightsError::Count { name, found: numbers.len(), expected });
            }
            sections.push(numbers);
        }
        if let Some((line, _)) = lines.next() {
            return Err(WeightsError::Section { line, name: "sum" });
        }
        let threats = |numbers: &CodeWeights| -> ThreatWeights {
            std::array::from_fn(|class| std::array::from_fn(|n| numbers[SEVERAL * class + n]))
        };
        let mut sections = sections.into_iter();
        let mut next = || sections.next().unwrap_or_default();
        let (tempo, of_threats, codes) = (next(), [next(), next()], [next(), next()]);
        let sets = if form == WeightsForm::WithLast { next() } else { vec![0; SETS] };
        let order = [next(), next()];
        let network = (version >= VERSION).then(|| NetworkNumbers {
            codes: [next(), next()],
            hidden: next(),
            sets: next(),
            out: next(),
        });
        Ok(LineWeights {
            form,
            codes,
            threats: of_threats.map(|numbers| threats(&numbers)),
            sets,
            tempo: tempo[0],
            order,
            network: network.map(|numbers| Box::new(CellNetwork::new(&numbers))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The text with its check sum made right again.
    fn summed(text: &str) -> String {
        let body = text.rsplit_once("sum ").map_or(text, |body| body.0);
        format!("{body}sum {:08x}\n", crc32fast::hash(body.as_bytes()))
    }

    #[test]
    fn the_usual_weights_are_learned_ones() {
        let usual = LineWeights::parse(USUAL).unwrap();
        assert_eq!(usual, LineWeights::usual());
        assert_ne!(usual, LineWeights::by_hand(&MoveCodes::new()));
    }

    #[test]
    fn weights_are_read_as_they_are_written() {
        let by_hand = LineWeights::by_hand(&MoveCodes::new());
        assert_eq!(LineWeights::of_threats().form, WeightsForm::Alone);
        assert_ne!(LineWeights::of_threats(), by_hand);
        // A network whose numbers all differ from their neighbours, and files of version 2, which have none.
        let numbers = |count: usize| (0..count as i16).map(|at| at % 1801).collect();
        let [own, other, hidden, sets, out] = NETWORK_SECTIONS.map(|section| numbers(section.1));
        let network = CellNetwork::new(&NetworkNumbers { codes: [own, other], hidden, sets, out });
        let without = LineWeights { network: None, ..LineWeights::usual() };
        let with = LineWeights { network: Some(Box::new(network)), ..without.clone() };
        assert!(without.to_text("").starts_with("morpion gomoku weights 2\n"));
        for weights in [LineWeights::usual(), LineWeights::of_threats(), by_hand, without, with] {
            let text = weights.to_text("from\nnowhere\u{7}");
            assert!(text.contains("\n# from\n# nowhere \n"), "{}", &text[..200]);
            assert_eq!(LineWeights::parse(&text), Ok(weights));
        }
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_place() {
        let text = LineWeights::by_hand(&MoveCodes::new()).to_text("");
        let cases = [
            (String::new(), "line 1: expected 'morpion gomoku weights 3'"),
            (text.replacen("weights 1", "weights 4", 1), "the weights have version 4; this program reads version 3"),
            (text.replacen("weights 1", "weights x", 1), "line 1"),
            (text.replacen("1440", "1441", 1), "check sum"),
            (text.replacen("\nsum ", "\nsun ", 1), "check sum"),
            (text[..text.len() / 2].to_owned(), "check sum"),
            (summed(&text.replacen("1440", "16001", 1)), "line 3: '16001' is not a whole number from -16000"),
            (summed(&text.replacen("1440", "1e3", 1)), "line 3: '1e3' is not"),
            (summed(&text.replacen("1440", "1440 0", 1)), "'tempo' has 2 numbers instead of 1"),
            (summed(&text.replacen("codes other\n", "", 1)), "'codes to move' has 4760 numbers instead of 2380"),
            (summed(&text.replacen("tempo\n", "", 1)), "line 2: expected the line 'tempo'"),
            (summed("morpion gomoku weights 1\n"), "'tempo' has 0 numbers"),
            (summed(&text.replacen("weights 1", "weights 3", 1)), "expected the line 'sets of threats'"),
        ];
        for (text, why) in cases {
            let error = LineWeights::parse(&text).unwrap_err().to_string();
            assert!(error.contains(why), "expected '{why}': {error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(morpion gomoku weights [123]\n)?(tempo\n)?[-0-9a-z #\n]{0,80}") {
            let _ = LineWeights::parse(&text);
            let _ = LineWeights::parse(&summed(&format!("{text}\nsum ")));
        }
    }
}
