//! `--weights`: the numbers of the evaluation of Gomoku, from a file.

use super::grid_input::plain;
use super::positions::read_text_file;
use crate::solvers::gomoku::lines::codes::MoveCodes;
use crate::solvers::gomoku::lines::weights::LineWeights;
use anyhow::{Context, anyhow};
use std::path::Path;

/// In place of a file: the weights that are made by hand, which the first games are played with.
const BY_HAND: &str = "by-hand";

/// The weights of a flag: the usual ones without it.
///
/// # Errors
/// A file that cannot be read, or that has no weights.
pub fn weights(name: Option<&str>) -> anyhow::Result<LineWeights> {
    let Some(name) = name else { return Ok(LineWeights::usual()) };
    if name == BY_HAND {
        return Ok(LineWeights::by_hand(&MoveCodes::new()));
    }
    let shown = plain(name);
    let text = read_text_file(Path::new(name))?
        .with_context(|| format!("{shown}: there is no such file of weights, which morpion tune gomoku writes"))?;
    LineWeights::parse(&text).map_err(|error| anyhow!("{shown}, {error}"))
}
