//! `--weights`: the numbers of the evaluation of Gomoku, from a file.

use super::grid_input::plain;
use super::positions::read_text_file;
use crate::core::setting::BadValue;
use crate::solvers::gomoku::lines::weights::LineWeights;
use crate::solvers::matches::game::gomoku_weights;
use std::path::Path;

/// The weights of a flag: the usual ones without it.
///
/// # Errors
/// A file that cannot be read, or that has no weights.
pub fn weights(name: Option<&str>) -> anyhow::Result<LineWeights> {
    let Some(name) = name else { return Ok(LineWeights::usual()) };
    Ok(gomoku_weights(name, &weights_file)?)
}

/// The text of a file of weights.
///
/// # Errors
/// There is no such file, or it cannot be read.
pub fn weights_file(name: &str) -> Result<String, BadValue> {
    let text = read_text_file(Path::new(name)).map_err(|error| BadValue(format!("{error:#}")))?;
    text.ok_or_else(|| {
        BadValue(format!("{}: there is no such file of weights, which morpion tune gomoku writes", plain(name)))
    })
}
