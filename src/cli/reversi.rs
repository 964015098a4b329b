//! Reversi for the commands on two-player games: its options, its positions, its own solver.

use super::positions::{PositionToSolve, read_if_file};
use crate::games::reversi::board::ReversiBoard;
use crate::games::reversi::notation::{parse_obf, to_obf};
use crate::games::reversi::position::{Empties, ReversiPosition, Start};
use anyhow::{Context, anyhow, bail};

/// Which board and which position.
#[derive(Debug, clap::Args)]
pub struct ReversiSetup {
    /// The board: a number for a square one, or columns and rows, such as 4x6; 4 to 8 each
    #[arg(long, value_name = "N|WxH", default_value = "8", value_parser = parse_size)]
    size: ReversiBoard,
    /// How the four discs of the start lie
    #[arg(long, value_enum, default_value_t = StartName::Standard)]
    start: StartName,
    /// Positions instead of the start: an OBF file, or one line as in such files (cells by rows, X O -, then the side
    /// to move)
    #[arg(long, value_name = "FILE|STRING", conflicts_with = "start", allow_hyphen_values = true)]
    position: Option<String>,
    /// The position is a text, and never the name of a file: it may come from anybody.
    #[arg(skip)]
    pub text_only: bool,
    /// Who gets cells that are empty at the end [default: nobody from the start, the winner with --position]
    #[arg(long, value_enum)]
    empties: Option<EmptiesName>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum StartName {
    /// Crosswise: black begins with d3, c4, f5 or e6 on the full board
    Standard,
    /// Side by side
    Alternative,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum EmptiesName {
    /// Nobody: the value is the difference of discs
    Ignored,
    /// The winner, as in tournaments
    Winner,
}

/// A size as people write it.
fn parse_size(text: &str) -> anyhow::Result<ReversiBoard> {
    let side = |text: &str| text.parse::<u8>().map_err(|_| anyhow!("not a number of cells or two with an x between"));
    let (width, height) = match text.split_once(['x', 'X']) {
        Some((width, height)) => (side(width)?, side(height)?),
        None => (side(text)?, side(text)?),
    };
    Ok(ReversiBoard::new(width, height)?)
}

impl ReversiSetup {
    /// The position that was given, if it was, with the content of the file that it names.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn given(&self) -> anyhow::Result<Option<String>> {
        let Some(given) = &self.position else { return Ok(None) };
        Ok(Some(self.read(given)?.unwrap_or_else(|| given.clone())))
    }

    fn read(&self, given: &str) -> anyhow::Result<Option<String>> {
        if self.text_only { Ok(None) } else { read_if_file(given) }
    }

    /// The board and how it begins, in words.
    pub fn title(&self) -> String {
        let start = match (&self.position, self.start) {
            (Some(_), _) => "given position",
            (None, StartName::Standard) => "standard start",
            (None, StartName::Alternative) => "alternative start",
        };
        format!("reversi {}, {start}", self.size)
    }

    /// The positions asked for: one, or all of a file.
    ///
    /// # Errors
    /// Text that is no position, or a file that cannot be read.
    pub fn problems(&self) -> anyhow::Result<Vec<PositionToSolve<ReversiPosition>>> {
        let empties = match (self.empties, &self.position) {
            (Some(EmptiesName::Ignored), _) | (None, None) => Empties::Ignored,
            (Some(EmptiesName::Winner), _) | (None, Some(_)) => Empties::ToWinner,
        };
        let Some(given) = &self.position else {
            let start = match self.start {
                StartName::Standard => Start::Standard,
                StartName::Alternative => Start::Alternative,
            };
            let position = ReversiPosition::new(self.size, start).with_empties(empties);
            return Ok(vec![PositionToSolve {
                label: String::new(),
                text: to_obf(&position),
                position,
                known: None,
            }]);
        };
        let (name, text) = match self.read(given)? {
            Some(text) => (given.as_str(), text),
            None => ("--position", given.clone()),
        };
        let problems = parse_obf(self.size, &text)
            .with_context(|| format!("{name} is neither a file nor a position on the {} board", self.size))
            .map_err(
                |error| if name == "--position" { error } else { error.context(format!("cannot use {name}")) },
            )?;
        if problems.is_empty() {
            bail!("{name}: there is no position in it");
        }
        let one = problems.len() == 1;
        Ok(problems
            .into_iter()
            .map(|problem| PositionToSolve {
                label: if one { String::new() } else { format!("line {}", problem.line) },
                text: to_obf(&problem.position),
                known: problem.value(),
                position: problem.position.with_empties(empties),
            })
            .collect())
    }

    /// Columns and rows.
    pub fn size(&self) -> (u8, u8) {
        (self.size.width(), self.size.height())
    }

    /// The first of the positions.
    ///
    /// # Errors
    /// As [`ReversiSetup::problems`].
    pub fn first(&self) -> anyhow::Result<ReversiPosition> {
        self.problems()?.into_iter().next().map(|problem| problem.position).context("there is no position")
    }
}
