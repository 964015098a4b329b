//! Matches of two players, A and B: pairs of games that begin with the same opening, in which each has black once.
//!
//! What a game needs for that is in [`game`]; [`own`] is a side that this program plays. Who else may play is for the
//! caller to say ([`MatchSide`]).

pub mod game;
pub mod own;
#[cfg(test)]
mod tests;

use crate::core::game::{Side, Value};
use crate::games::tags::GameTags;
use game::MatchGame;

/// A side in a game of a match.
pub trait MatchSide<G: MatchGame> {
    /// Its move; `last` is the move of the other side, if both have moved since the opening.
    ///
    /// # Errors
    /// Why there is none: it has lost the game.
    fn choose(&mut self, position: &G, last: Option<G::Move>) -> Result<G::Move, String>;
}

/// A game of a match that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedGame<M> {
    /// The moves after the opening.
    pub moves: Vec<M>,
    /// What A gets, in half points: 0 to 2.
    pub half_points: u8,
    /// Why the side that was to move made no move, and so has lost.
    pub failure: Option<String>,
}

/// What the file of a game tells: the names of A and B, of whom `black` has black (0 or 1). `half_points` are those
/// of A, and `failed` says whether one of them made no move.
pub fn game_tags(names: &[String; 2], black: usize, komi: Value, half_points: u8, failed: bool) -> GameTags<'_> {
    let side = |is_a: bool| if is_a == (black == 0) { Side::First } else { Side::Second };
    let forfeit = failed.then(|| side(half_points == 0));
    GameTags { black: &names[black], white: &names[1 - black], komi, forfeit, is_tie: half_points == 1 }
}

/// Two games with one opening. A has black in the first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedPair<M> {
    /// The moves that both games begin with.
    pub opening: Vec<M>,
    /// Both games: A has black in the first one.
    pub games: [PlayedGame<M>; 2],
}

impl<M> PlayedPair<M> {
    /// What A gets, in half points: 0 to 4.
    pub fn half_points(&self) -> usize {
        self.games.iter().map(|game| usize::from(game.half_points)).sum()
    }
}

/// The position after some moves.
pub fn after<G: MatchGame>(empty: &G, moves: &[G::Move]) -> G {
    let mut position = empty.clone();
    for &m in moves {
        position.play(m);
    }
    position
}

/// Plays a pair of games; `game` plays the one in which black is A (0) or B (1).
///
/// # Errors
/// The first error of `game`.
pub fn play_pair<M, E>(
    opening: Vec<M>,
    mut game: impl FnMut(&[M], usize) -> Result<PlayedGame<M>, E>,
) -> Result<PlayedPair<M>, E> {
    let games = [game(&opening, 0)?, game(&opening, 1)?];
    Ok(PlayedPair { opening, games })
}

/// Plays a game of A and B from a position to its end; `black` is the one that has black, 0 for A. White gets `komi`
/// beside its score.
pub fn play_game<G: MatchGame>(
    sides: [&mut dyn MatchSide<G>; 2],
    black: usize,
    (start, komi): (&G, Value),
) -> PlayedGame<G::Move> {
    let (mut position, mut moves, mut legal) = (start.clone(), Vec::new(), Vec::new());
    let (winner, failure) = loop {
        legal.clear();
        position.moves(&mut legal);
        if legal.is_empty() {
            let winner = match position.black_value().map_or(0, |value| value - komi) {
                0 => None,
                1.. => Some(Side::First),
                _ => Some(Side::Second),
            };
            break (winner, None);
        }
        let side = position.side();
        let at = if side == Side::First { black } else { 1 - black };
        let chosen = sides[at].choose(&position, moves.last().copied()).and_then(|m| {
            let refused = || format!("the move {} is not legal", position.name(m));
            legal.contains(&m).then_some(m).ok_or_else(refused)
        });
        match chosen {
            Ok(m) => {
                position.play(m);
                moves.push(m);
            }
            Err(reason) => break (Some(side.other()), Some(reason)),
        }
    };
    let half_points = match winner {
        None => 1,
        Some(side) => 2 * u8::from((side == Side::First) == (black == 0)),
    };
    PlayedGame { moves, half_points, failure }
}
