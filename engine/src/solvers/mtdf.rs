//! MTD(f) (A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin 1996): null-window searches around a guess, each of which
//! tells whether the value is above or below, until both meet. Without a transposition table it would repeat itself.

use super::monitor::Stopped;
use super::negascout::negascout;
use super::search::NodeSearch;
use crate::core::game::{Game, Value};

/// The value for the side to move, `depth` plies deep, within a window; `guess` is where to begin.
///
/// # Errors
/// The search is to stop.
pub fn mtdf<G: Game>(
    search: &mut NodeSearch<G>,
    depth: u32,
    alpha: Value,
    beta: Value,
    guess: Value,
) -> Result<Value, Stopped> {
    let (mut lower, mut upper) = (alpha, beta);
    let mut value = guess.clamp(alpha, beta);
    while lower < upper {
        let test = value.max(lower + 1);
        // With a null window negascout is plain alpha-beta.
        value = negascout(search, depth, test - 1, test)?;
        if value < test {
            upper = value;
        } else {
            lower = value;
        }
    }
    Ok(value)
}
