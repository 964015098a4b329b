//! `--weights`: the numbers of the evaluation of Gomoku or Reversi, from a file.

use super::grid_input::plain;
use crate::core::setting::BadValue;
use crate::games::reversi::position::ReversiPosition;
use crate::games::reversi::weights::ReversiEstimate;
use crate::solvers::gomoku::lines::weights::LineWeights;
use crate::solvers::matches::game::{gomoku_weights, reversi_estimate as estimate_of};
use crate::solvers::player::SearchPlayer;
use std::fs::File;
use std::io::{ErrorKind, Read};

/// Longest file of weights, in bytes.
const LONGEST: u64 = 1 << 26;

/// The weights of a flag: the usual ones without it.
///
/// # Errors
/// A file that cannot be read, or that has no weights.
pub fn weights(name: Option<&str>) -> anyhow::Result<LineWeights> {
    let Some(name) = name else { return Ok(LineWeights::usual()) };
    Ok(gomoku_weights(name, &weights_file)?)
}

/// What a file of weights holds.
///
/// # Errors
/// There is no such file, or it cannot be read.
pub fn weights_file(name: &str) -> Result<Vec<u8>, BadValue> {
    let (shown, mut bytes) = (plain(name), Vec::new());
    // A device may have no end.
    let read = File::open(name).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes));
    match read {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(BadValue(format!("{shown}: there is no such file of weights, which morpion tune writes")))
        }
        Err(error) => Err(BadValue(format!("{shown}: cannot be read: {error}"))),
        Ok(_) if bytes.len() as u64 > LONGEST => Err(BadValue(format!("{shown}: the file is too long for weights"))),
        Ok(_) => Ok(bytes),
    }
}

/// What the estimate of Reversi is made of, by a flag: the usual weights without it.
///
/// # Errors
/// A file that cannot be read, or that has no weights.
pub fn reversi_estimate(name: Option<&str>) -> anyhow::Result<ReversiEstimate> {
    let Some(name) = name else { return Ok(ReversiEstimate::Usual) };
    Ok(estimate_of(name, &weights_file)?)
}

/// A player of Reversi with so many bytes for its tables and the weights of a flag.
///
/// # Errors
/// The memory cannot be had, or as for [`reversi_estimate`].
pub fn reversi_player(memory: u64, name: Option<&str>) -> anyhow::Result<SearchPlayer<ReversiPosition>> {
    let mut player: SearchPlayer<ReversiPosition> = SearchPlayer::new(memory)?;
    let estimate = reversi_estimate(name)?;
    player.change_estimate(|outlook| outlook.estimate = estimate);
    Ok(player)
}
