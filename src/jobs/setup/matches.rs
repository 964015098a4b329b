//! The games in which players are matched, and the settings that say which board and rules: those of all games in one
//! list. A game takes its own.

use super::go::GoSetup;
use super::gomoku::GomokuSetup;
use super::reversi::ReversiSetup;
use super::{GameSetup, setup_of};
use crate::core::game::Game;
use crate::core::setting::{BadValue, NamedValue, SettingInfo};
use crate::games::go::large::position::LargePosition;
use crate::games::gomoku::position::GomokuPosition;
use crate::games::reversi::position::ReversiPosition;
use crate::jobs::reading::{FromSettings, GivenSetting, SettingSource};
use crate::solvers::matches::game::MatchGame;
use crate::solvers::solvable::Playable;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The games by their names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchGameName {
    /// Rows of three to five.
    #[default]
    Gomoku,
    /// Also called Othello.
    Reversi,
    /// Go, in which area counts.
    Go,
}

/// The games as people choose them.
pub static MATCH_GAMES: [NamedValue; 3] = [
    NamedValue { value: "gomoku", label: "Rows of three to five" },
    NamedValue { value: "reversi", label: "Reversi, also called Othello" },
    NamedValue { value: "go", label: "Go, area counted" },
];

/// Rows and columns of a board of Go where a game is played and no size is given.
pub const PLAYED_SIZE: &str = "9";

/// An action on a game, whichever it is.
pub trait MatchVisitor {
    /// What the visit returns.
    type Out;

    /// Does it for a game.
    fn visit<G: MatchBoard>(self) -> Self::Out;
}

impl MatchGameName {
    /// All games in the order of help texts.
    pub const ALL: [MatchGameName; 3] = [MatchGameName::Gomoku, MatchGameName::Reversi, MatchGameName::Go];

    /// The name as people write it.
    pub fn text(self) -> &'static str {
        MATCH_GAMES[self as usize].value
    }

    /// The settings that the game has.
    pub fn settings(self) -> Vec<&'static SettingInfo> {
        struct Lister;
        impl MatchVisitor for Lister {
            type Out = Vec<&'static SettingInfo>;
            fn visit<G: MatchBoard>(self) -> Self::Out {
                G::settings()
            }
        }
        self.visit(Lister)
    }

    /// Calls the visitor with the game.
    pub fn visit<V: MatchVisitor>(self, visitor: V) -> V::Out {
        match self {
            MatchGameName::Gomoku => visitor.visit::<GomokuPosition>(),
            MatchGameName::Reversi => visitor.visit::<ReversiPosition>(),
            MatchGameName::Go => visitor.visit::<LargePosition>(),
        }
    }

    /// Checks that the game has all these settings, and that none is a position.
    ///
    /// # Errors
    /// One that is of another game, or a position.
    pub fn check(self, given: &[GivenSetting]) -> Result<(), BadValue> {
        match given.iter().find(|one| one.name == "position") {
            Some(one) => {
                let place = one.place();
                Err(BadValue(format!("{place} cannot be used here: a match begins with openings of its own")))
            }
            None => self.check_known(given),
        }
    }

    /// Checks that the game has all these settings.
    ///
    /// # Errors
    /// One that is of another game.
    pub fn check_known(self, given: &[GivenSetting]) -> Result<(), BadValue> {
        match given.iter().find(|one| !games_with(one.name).contains(&self)) {
            Some(one) => Err(BadValue(format!("{} is not a setting of {}", one.place(), self.text()))),
            None => Ok(()),
        }
    }
}

/// A game whose settings are known.
pub trait MatchBoard: MatchGame<Move: Send, Own: Send> + Send + Sync + 'static {
    /// The settings of its board and rules.
    fn settings() -> Vec<&'static SettingInfo>;

    /// The position with which a game begins by these settings, and its title.
    ///
    /// # Errors
    /// A text that is not a valid value, or a board that there is not.
    fn begin(given: &[GivenSetting]) -> Result<(Self, String), BadValue>;

    /// The games that these settings ask for, and their title: one, or all of a text with several.
    ///
    /// # Errors
    /// As for [`MatchBoard::begin`], or an illegal move.
    fn games(given: &[GivenSetting]) -> Result<(Vec<WrittenGame<Self>>, String), BadValue>;
}

/// A game as it was written down.
#[derive(Debug, Clone)]
pub struct WrittenGame<G: Game> {
    /// Where it begins.
    pub start: G,
    /// Its moves, all of them legal: none if only a position was written down.
    pub moves: Vec<G::Move>,
}

impl<G: Game> WrittenGame<G> {
    /// The position after so many of its moves.
    pub fn after(&self, moves: usize) -> G {
        let mut position = self.start.clone();
        for &m in self.moves.iter().take(moves) {
            position.play(m);
        }
        position
    }
}

/// The settings of a board that a job keeps by their names.
pub fn stored_settings<G: MatchBoard>(kept: &BTreeMap<String, String>) -> Vec<GivenSetting> {
    let given = |info: &'static SettingInfo| {
        let text = kept.get(info.name)?.clone();
        Some(GivenSetting { name: info.name, typed: info.name.to_owned(), text, source: SettingSource::Request })
    };
    G::settings().into_iter().filter_map(given).collect()
}

/// The first position of the settings of a game that can be solved, with its title.
fn first<S: GameSetup>(given: &[GivenSetting]) -> Result<(S::Position, String), BadValue> {
    let setup: S = setup_of(given)?;
    let problems = setup.problems().map_err(|error| error.placed(given))?;
    let position = problems.into_iter().next().map(|problem| problem.position);
    let position = position.ok_or_else(|| BadValue("there is no position".to_owned()))?;
    let title = setup.title(Playable::size(&position));
    Ok((position, title))
}

impl MatchBoard for GomokuPosition {
    fn settings() -> Vec<&'static SettingInfo> {
        GomokuSetup::all()
    }

    fn begin(given: &[GivenSetting]) -> Result<(Self, String), BadValue> {
        first::<GomokuSetup>(given)
    }

    fn games(given: &[GivenSetting]) -> Result<(Vec<WrittenGame<Self>>, String), BadValue> {
        let setup: GomokuSetup = setup_of(given)?;
        let (start, moves) = setup.game().map_err(|error| error.placed(given))?;
        let title = setup.title(Playable::size(&start));
        Ok((vec![WrittenGame { start, moves }], title))
    }
}

impl MatchBoard for ReversiPosition {
    fn settings() -> Vec<&'static SettingInfo> {
        ReversiSetup::all()
    }

    fn begin(given: &[GivenSetting]) -> Result<(Self, String), BadValue> {
        first::<ReversiSetup>(given)
    }

    fn games(given: &[GivenSetting]) -> Result<(Vec<WrittenGame<Self>>, String), BadValue> {
        let setup: ReversiSetup = setup_of(given)?;
        let games = setup.games().map_err(|error| error.placed(given))?;
        let title = setup.title(Playable::size(&games[0].0));
        Ok((games.into_iter().map(|(start, moves)| WrittenGame { start, moves }).collect(), title))
    }
}

impl MatchBoard for LargePosition {
    fn settings() -> Vec<&'static SettingInfo> {
        GoSetup::all()
    }

    fn begin(given: &[GivenSetting]) -> Result<(Self, String), BadValue> {
        let (games, title) = LargePosition::games(given)?;
        Ok((games[0].after(usize::MAX), title))
    }

    fn games(given: &[GivenSetting]) -> Result<(Vec<WrittenGame<Self>>, String), BadValue> {
        let mut given = given.to_vec();
        add_played_size(&mut given);
        let setup: GoSetup = setup_of(&given)?;
        let (start, moves) = setup.game::<LargePosition>().map_err(|error| error.placed(&given))?;
        let title = setup.title(Playable::size(&start));
        Ok((vec![WrittenGame { start, moves }], title))
    }
}

/// Adds the usual size of a board of Go where a game is played, if neither a size nor a position is given.
pub fn add_played_size(given: &mut Vec<GivenSetting>) {
    if !given.iter().any(|one| one.name == "size" || one.name == "position") {
        let (typed, text) = ("size".to_owned(), PLAYED_SIZE.to_owned());
        given.push(GivenSetting { name: "size", typed, text, source: SettingSource::Flag });
    }
}

/// The settings of whichever game it is.
#[derive(Debug, Default)]
pub struct MatchSetup {
    gomoku: GomokuSetup,
    reversi: ReversiSetup,
    go: GoSetup,
}

/// The games that have a setting.
pub fn games_with(name: &str) -> Vec<MatchGameName> {
    let has = |game: &MatchGameName| game.settings().iter().any(|info| info.name == name);
    MatchGameName::ALL.into_iter().filter(has).collect()
}

impl FromSettings for MatchSetup {
    fn all() -> Vec<&'static SettingInfo> {
        let mut all: Vec<&'static SettingInfo> = Vec::new();
        for info in MatchGameName::ALL.into_iter().flat_map(MatchGameName::settings) {
            if all.iter().all(|known| known.name != info.name) {
                all.push(info);
            }
        }
        all
    }

    /// A text is taken if one of the games takes it; which game it is is not known yet.
    fn set(&mut self, name: &str, text: &str) -> Result<(), BadValue> {
        let first = self.gomoku.set(name, text);
        first.or_else(|why| {
            let others = self.reversi.set(name, text).or_else(|_| self.go.set(name, text));
            others.map_err(|other| if games_with(name).contains(&MatchGameName::Gomoku) { why } else { other })
        })
    }

    fn usual(name: &str) -> Option<String> {
        GomokuSetup::usual(name).or_else(|| ReversiSetup::usual(name)).or_else(|| GoSetup::usual(name))
    }
}
