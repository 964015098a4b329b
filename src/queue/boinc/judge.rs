//! What is checked of a result before it counts: it is one of its unit, and everything that it says passes what the
//! coordinator's side asks of any machine.

use super::package::{UnitHash, UnitWords};
use crate::queue::nats::worker::{NotOpened, OpenUnit};
use crate::queue::{Unit, Unpacked};

/// A result is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Judgement {
    /// The program cannot judge it.
    #[error("the unit: {0}")]
    Unit(#[from] NotOpened),
    /// The result is wrong.
    #[error("{0}")]
    Wrong(String),
}

/// Judges the result of a packed unit; its outcome, packed.
///
/// # Errors
/// What is wrong with it.
pub fn judge<U: Unit>(open: &OpenUnit<U>, packed: &[u8], result: &UnitWords) -> Result<Vec<u8>, Judgement> {
    let wrong = |what: &str| Judgement::Wrong(what.to_owned());
    if UnitHash::of(packed) != result.unit {
        return Err(wrong("it is the result of another unit"));
    }
    let unit = open(packed, 1)?;
    let portable = unit.portable().ok_or_else(|| wrong("its unit is not one for volunteers"))?;
    let mut words = result.words.iter();
    let outcome = loop {
        let word = words.next().ok_or_else(|| wrong("it has no outcome"))?;
        if let Unpacked::Outcome(_) = portable.unpack(1, word).map_err(Judgement::Wrong)? {
            break word;
        }
    };
    if words.next().is_some() { Err(wrong("it goes on after its outcome")) } else { Ok(outcome.clone()) }
}

/// Whether two outcomes of a packed unit that were judged say the same.
///
/// # Errors
/// If the unit cannot be opened.
pub fn agree<U: Unit>(open: &OpenUnit<U>, packed: &[u8], one: &[u8], other: &[u8]) -> Result<bool, Judgement> {
    let unit = open(packed, 1)?;
    let portable =
        unit.portable().ok_or_else(|| Judgement::Wrong("its unit is not one for volunteers".to_owned()))?;
    Ok(portable.agree(one, other))
}
