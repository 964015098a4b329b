//! The settings of a match that say which board and rules: those of all games as flags. A game takes its own.

use super::MatchGameName;
use crate::cli::flags::FlagHelp;
use crate::core::setting::{BadValue, SettingInfo};
use crate::jobs::reading::{FromSettings, GivenSetting};
use crate::jobs::setup::go::GoSetup;
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::jobs::setup::reversi::ReversiSetup;
use anyhow::bail;
use clap::Arg;

/// The settings of whichever game it is.
#[derive(Debug, Default)]
pub struct MatchSetup {
    gomoku: GomokuSetup,
    reversi: ReversiSetup,
    go: GoSetup,
}

/// The settings of a game.
fn of(game: MatchGameName) -> Vec<&'static SettingInfo> {
    match game {
        MatchGameName::Gomoku => GomokuSetup::all(),
        MatchGameName::Reversi => ReversiSetup::all(),
        MatchGameName::Go => GoSetup::all(),
    }
}

/// The games that have a setting.
fn games_with(name: &str) -> Vec<MatchGameName> {
    let has = |game: &MatchGameName| of(*game).iter().any(|info| info.name == name);
    MatchGameName::ALL.into_iter().filter(has).collect()
}

impl FromSettings for MatchSetup {
    fn all() -> Vec<&'static SettingInfo> {
        let mut all: Vec<&'static SettingInfo> = Vec::new();
        for info in MatchGameName::ALL.into_iter().flat_map(of) {
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

impl FlagHelp for MatchSetup {
    fn heading(_: &SettingInfo) -> &'static str {
        "Position"
    }

    fn note(info: &SettingInfo) -> String {
        match info.name {
            "size" => "[default: 15 in Gomoku, 8 in Reversi, 9 in Go]".to_owned(),
            name => match games_with(name)[..] {
                [MatchGameName::Gomoku] | [_, _, ..] | [] => GomokuSetup::note(info),
                [MatchGameName::Reversi] => format!("For Reversi. {}", ReversiSetup::note(info)),
                [MatchGameName::Go] => format!("For Go. {}", GoSetup::note(info)),
            },
        }
    }

    fn arranged(info: &SettingInfo, flag: Arg) -> Arg {
        GomokuSetup::arranged(info, flag)
    }
}

/// The given settings, all of which the game has.
///
/// # Errors
/// One that is of another game, or a position.
pub fn settings_of(game: MatchGameName, given: Vec<GivenSetting>) -> anyhow::Result<Vec<GivenSetting>> {
    for one in &given {
        if one.name == "position" {
            bail!("--position cannot be used here: a match begins with openings of its own");
        }
        if !games_with(one.name).contains(&game) {
            bail!("{} is not a setting of {}", one.place(), game.text());
        }
    }
    Ok(given)
}
