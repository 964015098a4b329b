//! Weights as text, and the text of the usual ones.
//!
//! The first line has the name of the format and its version; lines that begin with `#` say where the numbers come
//! from. Then come sections of whole numbers in a fixed order, each after a line with its name. The last line has a
//! check sum (CRC-32, eight hexadecimal digits) of all before it.

use super::codes::{CODES, MOVE_CLASSES, MoveCodes};
use super::weights::{CodeWeights, LineWeights, SETS, SEVERAL, ThreatWeights, WeightsForm};
use std::fmt::Write;

/// The first line.
const HEAD: &str = "morpion gomoku weights";
/// Version of the format: 1 has weights of the form [`WeightsForm::Alone`] and no sets of threats.
const VERSION: u32 = 2;
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
    #[error("line {line}: '{found}' is not a whole number from -{MOST} to {MOST}")]
    Number {
        /// Number of the line, from 1.
        line: usize,
        /// What is there.
        found: String,
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

impl WeightsForm {
    /// Whether files of such weights have a section.
    fn has(self, section: &str) -> bool {
        self == WeightsForm::WithLast || section != SETS_SECTION
    }
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
        let version = match self.form {
            WeightsForm::Alone => 1,
            WeightsForm::WithLast => VERSION,
        };
        let mut text = format!("{HEAD} {version}\n");
        for line in about.lines() {
            let _ = writeln!(text, "# {}", line.replace(|c: char| c.is_control(), " "));
        }
        let threats = |role: usize| self.threats[role].concat();
        let sections = [
            vec![self.tempo],
            threats(0),
            threats(1),
            self.codes[0].clone(),
            self.codes[1].clone(),
            self.sets.clone(),
            self.order[0].clone(),
            self.order[1].clone(),
        ];
        for ((name, _), numbers) in SECTIONS.into_iter().zip(sections).filter(|section| self.form.has(section.0.0)) {
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
        let form = match first.trim().parse() {
            Ok(1) => WeightsForm::Alone,
            Ok(VERSION) => WeightsForm::WithLast,
            Ok(version) => return Err(WeightsError::Version(version)),
            Err(_) => return Err(WeightsError::Head),
        };
        let body = text.trim_end().rsplit_once("\nsum ").ok_or(WeightsError::Sum)?;
        let sum = crc32fast::hash(format!("{}\n", body.0).as_bytes());
        if u32::from_str_radix(body.1, 16) != Ok(sum) {
            return Err(WeightsError::Sum);
        }
        let mut lines = (1..).zip(body.0.lines()).skip(1).filter(|(_, line)| !line.starts_with('#')).peekable();
        let mut sections = Vec::new();
        for (name, expected) in SECTIONS {
            if !form.has(name) {
                sections.push(vec![0; expected]);
                continue;
            }
            let line = lines.next().map_or(0, |(number, line)| if line == name { 0 } else { number });
            if line > 0 {
                return Err(WeightsError::Section { line, name });
            }
            let mut numbers: Vec<i16> = Vec::new();
            while let Some((line, text)) = lines.next_if(|(_, text)| SECTIONS.iter().all(|of| of.0 != *text)) {
                for found in text.split_ascii_whitespace() {
                    let number = found.parse().ok().filter(|number: &i16| (-MOST..=MOST).contains(number));
                    numbers.push(number.ok_or_else(|| WeightsError::Number { line, found: found.to_owned() })?);
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
        let Ok([tempo, own, other, codes_own, codes_other, sets, make, take]) =
            <[CodeWeights; 8]>::try_from(sections)
        else {
            return Err(WeightsError::Head);
        };
        Ok(LineWeights {
            form,
            codes: [codes_own, codes_other],
            threats: [threats(&own), threats(&other)],
            sets,
            tempo: tempo[0],
            order: [make, take],
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
        for weights in [LineWeights::usual(), LineWeights::of_threats(), by_hand] {
            let text = weights.to_text("from\nnowhere\u{7}");
            assert!(text.contains("\n# from\n# nowhere \n"), "{}", &text[..200]);
            assert_eq!(LineWeights::parse(&text), Ok(weights));
        }
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_place() {
        let text = LineWeights::by_hand(&MoveCodes::new()).to_text("");
        let cases = [
            (String::new(), "line 1: expected 'morpion gomoku weights 2'"),
            (text.replacen("weights 1", "weights 3", 1), "the weights have version 3; this program reads version 2"),
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
        ];
        for (text, why) in cases {
            let error = LineWeights::parse(&text).unwrap_err().to_string();
            assert!(error.contains(why), "expected '{why}': {error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(morpion gomoku weights [12]\n)?(tempo\n)?[-0-9a-z #\n]{0,80}") {
            let _ = LineWeights::parse(&text);
            let _ = LineWeights::parse(&summed(&format!("{text}\nsum ")));
        }
    }
}
