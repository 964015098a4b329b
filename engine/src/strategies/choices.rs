//! Games in few bytes: of each move its number among the legal ones.

use crate::morpion::geometry::Move;
use crate::morpion::position::Position;
use crate::morpion::variant::Rules;

/// A game as its choices: the number of each move among the legal ones, one byte, or 255 and two more.
pub(super) fn choices<R: Rules>(start: &Position<R>, moves: impl IntoIterator<Item = Move>) -> Box<[u8]> {
    let mut position = start.clone();
    let mut choices = Vec::new();
    for mv in moves {
        let legal = position.moves().iter().position(|&other| other == mv);
        let number = legal.expect("the moves of a grid are legal in their order") as u16;
        match u8::try_from(number) {
            Ok(small) if small < u8::MAX => choices.push(small),
            _ => choices.extend([[u8::MAX].as_slice(), &number.to_le_bytes()].concat()),
        }
        position.play(mv);
    }
    choices.into()
}

/// The game that made these choices, if there is one.
pub(super) fn chosen<R: Rules>(start: &Position<R>, choices: &[u8]) -> Option<Vec<Move>> {
    let mut position = start.clone();
    let mut moves = Vec::with_capacity(choices.len());
    let mut choices = choices.iter().copied();
    while let Some(byte) = choices.next() {
        let number =
            if byte < u8::MAX { u16::from(byte) } else { u16::from_le_bytes([choices.next()?, choices.next()?]) };
        let mv = *position.moves().get(usize::from(number))?;
        moves.push(mv);
        position.play(mv);
    }
    Some(moves)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::morpion::variant::Variant;
    use crate::with_rules;
    use rand::RngExt;

    /// A game of so many moves at random, from the start.
    pub fn game<R: Rules>(seed: u64, moves: usize) -> Vec<Move> {
        let (mut position, rng) = (Position::<R>::new(), &mut rng(seed, &[]));
        while position.played().len() < moves
            && let legal = position.moves()
            && !legal.is_empty()
        {
            position.play(legal[rng.random_range(0..legal.len())]);
        }
        position.played().to_vec()
    }

    #[test]
    fn a_game_is_its_choices() {
        for variant in Variant::ALL {
            with_rules!(variant, R => {
                let start = Position::<R>::new();
                for seed in 0..50 {
                    let moves = game::<R>(seed, usize::MAX);
                    let choices = choices(&start, moves.iter().copied());
                    assert!(choices.len() >= moves.len());
                    assert_eq!(chosen(&start, &choices).as_ref(), Some(&moves));
                    // No other byte at the end is the same game; one that is not the number of a legal move is not a
                    // game.
                    let mut other = choices.to_vec();
                    *other.last_mut().unwrap() = 254;
                    assert_eq!(chosen(&start, &other), None);
                    assert_eq!(chosen(&start, &[&other[..other.len() - 1], &[255, 0]].concat()), None);
                }
            });
        }
    }
}
