//! What a match needs of each game: the player of this program, and openings.

use crate::core::game::{Game, Player, Side, Value};
use crate::core::seed::rng;
use crate::core::setting::BadValue;
use crate::games::go::large::position::{LargeMove, LargePosition};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::reversi::position::{ReversiMove, ReversiPosition};
use crate::games::reversi::weights::{PatternWeights, ReversiEstimate};
use crate::solvers::go::player::UctPlayer;
use crate::solvers::gomoku::brain::{BrainPlayer, GomokuBrain};
use crate::solvers::gomoku::lines::codes::MoveCodes;
use crate::solvers::gomoku::lines::weights::LineWeights;
use crate::solvers::gomoku::player::helpers::MOST_THREADS;
use crate::solvers::gomoku::player::opening::even_opening as even_stones;
use crate::solvers::gomoku::player::selectivity::Selectivity;
use crate::solvers::player::SearchPlayer;
use crate::solvers::player::opening::even_opening;
use crate::solvers::solvable::Playable;
use crate::solvers::together::RunTogether;
use rand::RngExt;
use std::sync::Arc;

/// In place of a file: the weights that are made by hand, which the first games are played with.
pub const BY_HAND: &str = "by-hand";

/// Reads a file that a setting names.
pub type FileReader<'f> = &'f dyn Fn(&str) -> Result<Vec<u8>, BadValue>;

/// What settings of a player may use that only the program around it has.
#[derive(Clone, Copy)]
pub struct SettingMeans<'m> {
    /// Reads the files that settings name.
    pub files: FileReader<'m>,
    /// Starts further threads of a player, or why a player has one only.
    pub together: Result<RunTogether, &'static str>,
}

/// A game in which players are matched.
pub trait MatchGame: Playable {
    /// The player of this program.
    type Own: Player<Self>;

    /// What can be said of the player of this program after `morpion:`.
    const OWN_SETTINGS: &'static str = "a level or a setting, such as level=5, nodes=3000 or time=0.2s";

    /// A player with so many bytes of memory.
    ///
    /// # Errors
    /// The memory cannot be had.
    fn own_player(memory: u64) -> Result<Self::Own, BadValue>;

    /// Gets a player ready for a game from a position, in which white gets so much beside its score.
    ///
    /// # Errors
    /// The player does not play this board or under these rules.
    fn prepare(_player: &mut Self::Own, _position: &Self, _komi: Value) -> Result<(), BadValue> {
        Ok(())
    }

    /// Does what a setting says that only the player of this game has; whether there is such a setting.
    ///
    /// # Errors
    /// A text that is not a valid value of it.
    fn set(_player: &mut Self::Own, _name: &str, _text: &str, _means: SettingMeans<'_>) -> Result<bool, BadValue> {
        Ok(false)
    }

    /// What black has at the end of the game, beside komi, is worth; nothing if it is a tie whatever the komi is.
    fn black_value(&self) -> Option<Value> {
        Some(if self.side() == Side::First { self.outcome() } else { -self.outcome() })
    }

    /// The moves of an opening, as even as can be; the same seed and number give the same one.
    fn opening(judge: &mut Self::Own, empty: &Self, seed: u64, number: u64) -> Option<Vec<Self::Move>>;
}

fn bad(error: impl std::fmt::Display) -> BadValue {
    BadValue(error.to_string())
}

impl MatchGame for GomokuPosition {
    type Own = BrainPlayer;

    const OWN_SETTINGS: &'static str = "a level or a setting, such as level=5, nodes=3000, time=0.2s, weights=FILE, threads=2, without=aspiration or brain=thesis";

    fn own_player(memory: u64) -> Result<BrainPlayer, BadValue> {
        BrainPlayer::new(memory).map_err(bad)
    }

    fn prepare(player: &mut BrainPlayer, position: &Self, _komi: Value) -> Result<(), BadValue> {
        player.prepare(position).map_err(bad)
    }

    fn set(player: &mut BrainPlayer, name: &str, text: &str, means: SettingMeans<'_>) -> Result<bool, BadValue> {
        match name {
            "weights" => player.usual.set_weights(gomoku_weights(text, means.files)?),
            "threads" => {
                let number = player_threads(text).map_err(|why| BadValue(format!("threads={text}: {}", why.0)))?;
                if number > 1 {
                    let together = means.together.map_err(|why| BadValue(format!("threads={text}: {why}")))?;
                    player.usual.set_threads(number, together);
                }
            }
            "brain" => {
                let names = || GomokuBrain::NAMES.map(|name| name.value).join(" or ");
                let brain = GomokuBrain::named(text);
                player.set_brain(brain.ok_or_else(|| BadValue(format!("brain={text}: expected {}", names())))?);
            }
            "without" => {
                if !player.usual.parts.switch_off(text) {
                    let names = Selectivity::NAMES.join(", ");
                    return Err(BadValue(format!("without={text}: expected a part of the search: {names}")));
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn opening(judge: &mut BrainPlayer, empty: &Self, seed: u64, number: u64) -> Option<Vec<GomokuMove>> {
        let stones = even_stones(&mut judge.usual, (empty.board(), empty.rules()), seed, number)?;
        Some(stones.into_iter().map(GomokuMove).collect())
    }
}

/// A number of threads of the player of Gomoku.
///
/// # Errors
/// It is no number, or not one that a search can have.
pub fn player_threads(text: &str) -> Result<usize, BadValue> {
    let number = text.trim().parse().ok().filter(|number| (1..=MOST_THREADS).contains(number));
    number.ok_or_else(|| BadValue(format!("expected a number of threads from 1 to {MOST_THREADS}")))
}

/// The weights of a name: those that are made by hand, or those of a file.
///
/// # Errors
/// A file that cannot be read, or that has no weights.
pub fn gomoku_weights(name: &str, files: FileReader<'_>) -> Result<LineWeights, BadValue> {
    if name == BY_HAND {
        return Ok(LineWeights::by_hand(&MoveCodes::new()));
    }
    let text = String::from_utf8(files(name)?);
    let text = text.map_err(|_| BadValue(format!("{name}: the file is not text in UTF-8")))?;
    LineWeights::parse(&text).map_err(|error| BadValue(format!("{name}, {error}")))
}

/// What the estimate of Reversi is made of, by a name: the terms, or the weights of a file.
///
/// # Errors
/// A file that cannot be read, or that has no weights.
pub fn reversi_estimate(name: &str, files: FileReader<'_>) -> Result<ReversiEstimate, BadValue> {
    if name == BY_HAND {
        return Ok(ReversiEstimate::ByHand);
    }
    let weights = PatternWeights::read(&files(name)?).map_err(|error| BadValue(format!("{name} {error}")))?;
    Ok(ReversiEstimate::Own(Arc::new(weights)))
}

/// The part of the search of Reversi that a player can be without ([`crate::solvers::reversi::cuts`]).
const CUTS: &str = "cuts";
/// Plies of an opening of Reversi.
const REVERSI_PLIES: [usize; 4] = [6, 7, 8, 9];
/// Greatest value of the first opening of Reversi that is drawn, in tenths of a disc.
const REVERSI_EVEN: Value = 15;

impl MatchGame for ReversiPosition {
    type Own = SearchPlayer<ReversiPosition>;

    const OWN_SETTINGS: &'static str =
        "a level or a setting, such as level=5, nodes=3000, time=0.2s, weights=FILE or without=cuts";

    fn own_player(memory: u64) -> Result<Self::Own, BadValue> {
        SearchPlayer::new(memory).map_err(bad)
    }

    fn set(player: &mut Self::Own, name: &str, text: &str, means: SettingMeans<'_>) -> Result<bool, BadValue> {
        match name {
            "weights" => {
                let estimate = reversi_estimate(text, means.files)?;
                player.change_estimate(|outlook| outlook.estimate = estimate);
            }
            "without" if text == CUTS => player.change_estimate(|outlook| outlook.cuts = false),
            "without" => return Err(BadValue(format!("without={text}: expected a part of the search: {CUTS}"))),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn opening(judge: &mut Self::Own, empty: &Self, seed: u64, number: u64) -> Option<Vec<ReversiMove>> {
        // Small boards are at their end soon.
        let most = (empty.empty().count_ones() / 4) as usize;
        let plies = REVERSI_PLIES[(number % REVERSI_PLIES.len() as u64) as usize].min(most);
        even_opening(judge, empty, plies, REVERSI_EVEN, seed, number)
    }
}

/// Plies of an opening of Go.
const GO_PLIES: [usize; 3] = [2, 3, 4];

impl MatchGame for LargePosition {
    type Own = UctPlayer<LargePosition>;

    fn own_player(memory: u64) -> Result<Self::Own, BadValue> {
        UctPlayer::new(memory, 0).map_err(bad)
    }

    fn prepare(player: &mut Self::Own, _position: &Self, komi: Value) -> Result<(), BadValue> {
        player.set_komi(komi);
        Ok(())
    }

    fn set(player: &mut Self::Own, name: &str, text: &str, _means: SettingMeans<'_>) -> Result<bool, BadValue> {
        if name != "seed" {
            return Ok(false);
        }
        let seed = text.parse();
        player.set_seed(seed.map_err(|_| BadValue(format!("seed={text}: expected a number from 0 on")))?);
        Ok(true)
    }

    /// A cycle that is a tie is one whatever the komi is.
    fn black_value(&self) -> Option<Value> {
        let is_tie = self.repeated().is_some() && self.outcome() == 0;
        (!is_tie).then(|| if self.side() == Side::First { self.outcome() } else { -self.outcome() })
    }

    /// Stones as chance has them. Which colour they favour does not matter, since both players get both.
    fn opening(_judge: &mut Self::Own, empty: &Self, seed: u64, number: u64) -> Option<Vec<LargeMove>> {
        let (mut random, mut position) = (rng(seed, &[number]), empty.clone());
        let (width, height) = (empty.size().width(), empty.size().height());
        let inner = |side: u8| if side >= 5 { 1..side - 1 } else { 0..side };
        let plies = GO_PLIES[(number % GO_PLIES.len() as u64) as usize].min(usize::from(empty.size().area() / 8));
        let mut moves = Vec::new();
        while moves.len() < plies {
            let (x, y) = (random.random_range(inner(width)), random.random_range(inner(height)));
            let m = LargeMove(empty.size().point(x, y)?);
            if position.is_legal(m) {
                position.play(m);
                moves.push(m);
            }
        }
        Some(moves)
    }
}
