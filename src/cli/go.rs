//! Go for the commands on two-player games: its options and its positions.

use super::positions::{PositionToSolve, read_if_file};
use crate::core::game::Side;
use crate::games::go::board::GREATEST;
use crate::games::go::large;
use crate::games::go::notation::{Goban, parse_position, size_of, to_line};
use crate::games::go::position::GoPosition;
use crate::games::go::rules::{Cycle, GoRules, Ko};
use anyhow::{Context, anyhow, bail};

/// Which board, which rules, which position.
#[derive(Debug, clap::Args)]
pub struct GoSetup {
    /// The board: a number for a square one, or columns and rows, such as 4x5; 1 to 7 each to be solved, else 1 to 19
    /// [default: 4, or the position's]
    #[arg(long, value_name = "N|WxH", value_parser = parse_size)]
    size: Option<Dimensions>,
    /// Which repetitions are forbidden
    #[arg(long, value_enum, default_value_t = KoName::Basic)]
    ko: KoName,
    /// What a game is worth that ends because a position came back (not under superko, where none does)
    #[arg(long, value_enum, default_value_t = CycleName::Tie)]
    cycle: CycleName,
    /// Whether a move may take away two or more own stones
    #[arg(long, value_enum, default_value_t = Switch::Off)]
    suicide: Switch,
    /// A position instead of the empty board: an SGF file (the end of its main line), a file with a board, or the
    /// board itself, such as `.X./.O./... white`
    #[arg(long, value_name = "FILE|STRING", allow_hyphen_values = true)]
    position: Option<String>,
    /// The position is a text, and never the name of a file: it may come from anybody.
    #[arg(skip)]
    pub text_only: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum KoName {
    /// The immediate retaking of a ko
    Basic,
    /// Every board that has been there before (positional superko)
    Superko,
    /// None. What a side gets although cycles are its loss, it gets under every ko rule
    Free,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum CycleName {
    /// Nothing to either side
    Tie,
    /// The whole board to white
    LostForBlack,
    /// The whole board to black
    LostForWhite,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Switch {
    /// Suicide is allowed
    On,
    /// Suicide is forbidden
    Off,
}

/// Columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Dimensions(u8, u8);

/// A size as people write it.
fn parse_size(text: &str) -> anyhow::Result<Dimensions> {
    let side =
        |text: &str| text.parse::<u8>().map_err(|_| anyhow!("not a number of points or two with an x between"));
    let (width, height) = match text.split_once(['x', 'X']) {
        Some((width, height)) => (side(width)?, side(height)?),
        None => (side(text)?, side(text)?),
    };
    large::points::LargeBoard::new(width, height)?;
    Ok(Dimensions(width, height))
}

impl GoSetup {
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

    /// The rules that the flags state.
    pub fn rules(&self) -> GoRules {
        GoRules {
            ko: match self.ko {
                KoName::Basic => Ko::Basic,
                KoName::Superko => Ko::Superko,
                KoName::Free => Ko::Free,
            },
            cycle: match self.cycle {
                CycleName::Tie => Cycle::Tie,
                CycleName::LostForBlack => Cycle::LostForBlack,
                CycleName::LostForWhite => Cycle::LostForWhite,
            },
            suicide: self.suicide == Switch::On,
        }
    }

    /// The position asked for.
    ///
    /// # Errors
    /// Text that is no position, a board of a size that there is not, or a file that cannot be read.
    pub fn first<P: Goban>(&self) -> anyhow::Result<P> {
        let Some(given) = &self.position else {
            let Dimensions(width, height) = self.size.unwrap_or(Dimensions(4, 4));
            return Ok(P::set_up((width, height), self.rules(), &[], Side::First)?);
        };
        let file = self.read(given)?;
        let (name, text) = match &file {
            Some(text) => (given.as_str(), text),
            None => ("--position", given),
        };
        let position: P = parse_position(text, self.rules()).with_context(|| match file {
            Some(_) => format!("cannot use {name}"),
            None => format!("{name} is neither a file nor a position"),
        })?;
        let (width, height) = position.columns_and_rows();
        match self.size {
            Some(size) if size != Dimensions(width, height) => {
                bail!("{name}: the position is on a {width}x{height} board, --size says {}x{}", size.0, size.1)
            }
            _ => Ok(position),
        }
    }

    /// Whether the board is too large for the solvers, so that it is one of [`large`].
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn is_large(&self) -> anyhow::Result<bool> {
        let size = match self.given()? {
            // What is no position is told of by whoever reads it.
            Some(given) => size_of(&given).map_or(Dimensions(0, 0), |(width, height)| Dimensions(width, height)),
            None => self.size.unwrap_or(Dimensions(4, 4)),
        };
        Ok(size.0.max(size.1) > GREATEST)
    }

    /// The position asked for, as one to be solved.
    ///
    /// # Errors
    /// As [`GoSetup::first`].
    pub fn problems(&self) -> anyhow::Result<Vec<PositionToSolve<GoPosition>>> {
        let position: GoPosition = self.first()?;
        Ok(vec![PositionToSolve { label: String::new(), text: to_line(&position), position, known: None }])
    }

    /// The board, the rules and how it begins, in words.
    ///
    /// # Errors
    /// As [`GoSetup::first`].
    pub fn title(&self) -> anyhow::Result<String> {
        let start = if self.position.is_some() { "given position" } else { "empty board" };
        let ko = match self.ko {
            KoName::Basic => "basic ko",
            KoName::Superko => "positional superko",
            KoName::Free => "no ko rule",
        };
        let cycle = match self.cycle {
            _ if self.ko == KoName::Superko => "",
            CycleName::Tie => ", cycles tie",
            CycleName::LostForBlack => ", cycles lost for black",
            CycleName::LostForWhite => ", cycles lost for white",
        };
        let suicide = if self.suicide == Switch::On { ", suicide" } else { "" };
        let (width, height) = self.first::<large::position::LargePosition>()?.columns_and_rows();
        Ok(format!("go {width}x{height}, {start}, {ko}{cycle}{suicide}"))
    }
}
