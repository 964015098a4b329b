//! Saved states: bytes of `postcard`, in which nothing but the order of the fields tells them apart.
//!
//! A state is followed by the counts of results per level. Its grids are checked move by move when it is restored.
//! Version and checksum are added by whoever stores the bytes.

use crate::core::histogram::{Histogram, Results};
use crate::core::search::RestoreError;
use crate::morpion::board::Board;
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;

/// The state in `saved`, all of it.
pub(super) fn decode<T: serde::de::DeserializeOwned>(
    strategy: &'static str,
    saved: &[u8],
) -> Result<T, RestoreError> {
    match postcard::take_from_bytes(saved) {
        Ok((state, [])) => Ok(state),
        Ok((_, rest)) => Err(restore_error(strategy, format!("{} bytes follow the end of the state", rest.len()))),
        Err(error) => Err(restore_error(strategy, format!("the bytes are not a state: {error}"))),
    }
}

/// The bytes of a state and, after it, of what the search has counted per level.
pub(super) fn encode_with_results<T: serde::Serialize>(state: &T, results: &[Histogram]) -> Vec<u8> {
    postcard::to_stdvec(&(state, results)).expect("a state of numbers and lists can be written")
}

/// What [`encode_with_results`] has written for a search of so many levels. States saved before results were counted
/// end after the state; their counts begin at zero.
pub(super) fn decode_with_results<T: serde::de::DeserializeOwned>(
    strategy: &'static str,
    saved: &[u8],
    levels: usize,
) -> Result<(T, Vec<Histogram>), RestoreError> {
    let no_state = |error: postcard::Error| restore_error(strategy, format!("the bytes are not a state: {error}"));
    let (state, rest) = postcard::take_from_bytes(saved).map_err(no_state)?;
    if rest.is_empty() {
        return Ok((state, vec![Histogram::default(); levels]));
    }
    let results: Results = decode(strategy, rest)?;
    let found = results.levels().len();
    if found != levels {
        return Err(restore_error(strategy, format!("it has results of {found} levels instead of {levels}")));
    }
    Ok((state, results.levels().to_vec()))
}

pub(super) fn restore_error(strategy: &'static str, reason: String) -> RestoreError {
    RestoreError { strategy, reason }
}

/// Whether saved moves are a legal game on this board.
pub(super) fn check_grid<R: Rules>(start: &Board<R>, grid: &[Move]) -> Result<(), &'static str> {
    let mut board = start.clone();
    for mv in grid {
        let mv = Move::from_bits(R::VARIANT, mv.bits()).ok_or("a grid has no such move")?;
        if !board.is_legal(mv) {
            return Err("a grid is not legal");
        }
        board.place(mv);
    }
    Ok(())
}
