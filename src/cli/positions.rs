//! Positions of two-player games as flags: the settings of each game with their help, and files that hold positions.

use super::flags::{FlagHelp, SettingFlags};
use crate::core::setting::{BadValue, SettingInfo, ValueKind};
use crate::games::go::large::position::LargePosition;
use crate::games::go::notation::Goban;
use crate::games::gomoku::library::is_library;
use crate::games::gomoku::library::read::MOST_BYTES;
use crate::games::gomoku::record::GomokuRecord;
use crate::games::gomoku::swap2::game::{Swap2Game, Swap2Move};
use crate::games::sgf::is_sgf;
use crate::jobs::analysing::POSITIONS;
use crate::jobs::plan_settings::BEGUN_PLAN;
use crate::jobs::reading::{FromSettings, GivenSetting, SettingSource};
use crate::jobs::setup::go::GoSetup;
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::jobs::setup::matches::{MatchGameName, MatchSetup, PLAYED_SIZE, add_played_size, games_with};
use crate::jobs::setup::reversi::ReversiSetup;
use crate::jobs::setup::{GameSetup, setup_of};
use crate::jobs::solve_settings::{OF_UNITS, SolveSettings};
use crate::jobs::tactics_settings::{DATABASE, QUESTIONS};
use crate::notation::sgf::read::{TextPlace, decode};
use crate::solvers::solvable::Playable;
use crate::strategies::table::plain_text;
use anyhow::{Context, bail};
use clap::{Arg, ArgAction};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Longest file of positions, in bytes.
const LONGEST_FILE: u64 = 16 << 20;

/// Settings whose text may be the name of a file that holds it.
const NAME_FILES: [&str; 5] = ["position", POSITIONS, QUESTIONS, DATABASE, BEGUN_PLAN];

/// The settings with the content of the files that a position, a list of positions or questions, or a plan names, if
/// it names one. A position may be in a library of Gomoku: it is the end of the first line of moves.
///
/// # Errors
/// A file that is too long, cannot be read, or is not text.
pub fn with_position_file(mut given: Vec<GivenSetting>) -> anyhow::Result<Vec<GivenSetting>> {
    for one in given.iter_mut().filter(|one| NAME_FILES.contains(&one.name)) {
        let path = Path::new(&one.text);
        let Some(bytes) = read_file(path, LONGEST_FILE)? else { continue };
        let text = if one.name == "position" && is_library(&bytes) {
            let record = GomokuRecord::parse_library(&bytes).with_context(|| path.display().to_string())?;
            record.to_sgf()
        } else {
            text_of(path, bytes)?
        };
        let file = std::mem::replace(&mut one.text, text);
        one.source = SettingSource::Content { file };
    }
    Ok(given)
}

/// The text of a file, if there is one with that name. It is in UTF-8, or SGF in another character set.
///
/// # Errors
/// A file that is too long, cannot be read, or is not text.
pub fn read_text_file(path: &Path) -> anyhow::Result<Option<String>> {
    read_file(path, LONGEST_FILE)?.map(|bytes| text_of(path, bytes)).transpose()
}

/// The bytes of a file, if there is one with that name: at most so many, or of a library what its reader takes.
///
/// # Errors
/// A file that is too long, or cannot be read.
pub fn read_file(path: &Path, most: u64) -> anyhow::Result<Option<Vec<u8>>> {
    if path.metadata().is_err() {
        return Ok(None);
    }
    let cannot = || format!("{}: cannot be read", path.display());
    let mut file = File::open(path).with_context(cannot)?;
    let mut bytes = Vec::new();
    let mut most = most;
    // A device may have no end.
    file.by_ref().take(most + 1).read_to_end(&mut bytes).with_context(cannot)?;
    if is_library(&bytes) {
        most = MOST_BYTES as u64;
        file.take((most + 1).saturating_sub(bytes.len() as u64)).read_to_end(&mut bytes).with_context(cannot)?;
    }
    if bytes.len() as u64 > most {
        let read = bytes.get(..most as usize).filter(|_| !is_library(&bytes));
        let place = read.map_or_else(String::new, |read| format!("{}: ", TextPlace::behind(read)));
        bail!("{}: {place}the file is too long: at most {most} bytes are read", path.display());
    }
    Ok(Some(bytes))
}

/// The text of the bytes of a file.
fn text_of(path: &Path, bytes: Vec<u8>) -> anyhow::Result<String> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(other) if is_sgf(&String::from_utf8_lossy(other.as_bytes())) => Ok(decode(other.as_bytes()).into_owned()),
        Err(_) => bail!("{}: is not text in UTF-8", path.display()),
    }
}

/// The settings of a game that were given, with the positions that they name read from files.
pub struct AskedPosition<S> {
    setup: S,
    given: Vec<GivenSetting>,
}

impl<S: GameSetup> AskedPosition<S> {
    /// What flags ask for.
    ///
    /// # Errors
    /// A file that cannot be read, or flags that contradict each other.
    pub fn of(flags: SettingFlags<S>) -> anyhow::Result<AskedPosition<S>> {
        AskedPosition::of_given(flags.given)
    }

    /// What settings of flags ask for.
    ///
    /// # Errors
    /// As for [`AskedPosition::of`].
    pub fn of_given(given: Vec<GivenSetting>) -> anyhow::Result<AskedPosition<S>> {
        let given = with_position_file(given)?;
        Ok(AskedPosition { setup: setup_of(&given)?, given })
    }

    /// The first of the positions, with its title.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn first(&self) -> anyhow::Result<(S::Position, String)> {
        let problems = self.setup.problems().map_err(|error| error.placed(&self.given))?;
        let position = problems.into_iter().next().context("there is no position")?.position;
        let title = self.setup.title(position.size());
        Ok((position, title))
    }
}

impl AskedPosition<GomokuSetup> {
    /// The beginning of a game that begins with Swap2, the moves of it that were saved, and its title.
    ///
    /// # Errors
    /// If there is no such game.
    pub fn swap2(&self) -> anyhow::Result<(Swap2Game, Vec<Swap2Move>, String)> {
        let (start, moves) = self.setup.swap2().map_err(|error| error.placed(&self.given))?;
        let title = self.setup.swap2_title(Playable::size(&start));
        Ok((start, moves, title))
    }
}

impl AskedPosition<GoSetup> {
    /// The position with its title, as one of boards of all sizes.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn on_any_board(&self) -> anyhow::Result<(LargePosition, String)> {
        let position: LargePosition = self.setup.position().map_err(|error| error.placed(&self.given))?;
        let title = self.setup.title(Playable::size(&position));
        Ok((position, title))
    }

    /// Whether the board is too large for the solvers.
    pub fn is_large(&self) -> bool {
        self.setup.is_large()
    }

    /// The position with its title, if its board is too large for the solvers.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn large(&self) -> anyhow::Result<Option<(LargePosition, String)>> {
        if self.is_large() { self.on_any_board().map(Some) } else { Ok(None) }
    }

    /// A position with the moves after it that lead to the one that is asked for, as far as they are known, and the
    /// title of that.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn game<P: Goban + Playable>(&self) -> anyhow::Result<(P, Vec<P::Move>, String)> {
        let (start, moves) = self.setup.game::<P>().map_err(|error| error.placed(&self.given))?;
        let title = self.setup.title(Playable::size(&start));
        Ok((start, moves, title))
    }
}

/// The settings of Go where a game is played: the board is 9x9, if nothing else is said.
#[derive(Debug, Default)]
pub struct PlayedGo(GoSetup);

impl PlayedGo {
    /// The position that flags ask for.
    ///
    /// # Errors
    /// As for [`AskedPosition::of`].
    pub fn asked(mut given: Vec<GivenSetting>) -> anyhow::Result<AskedPosition<GoSetup>> {
        add_played_size(&mut given);
        AskedPosition::of_given(given)
    }
}

impl FromSettings for PlayedGo {
    fn all() -> Vec<&'static SettingInfo> {
        GoSetup::all()
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), BadValue> {
        self.0.set(name, text)
    }

    fn usual(name: &str) -> Option<String> {
        GoSetup::usual(name)
    }
}

impl FlagHelp for PlayedGo {
    fn heading(info: &SettingInfo) -> &'static str {
        GoSetup::heading(info)
    }

    fn note(info: &SettingInfo) -> String {
        if info.name == "size" { format!("[default: {PLAYED_SIZE}, or the position's]") } else { GoSetup::note(info) }
    }

    fn arranged(info: &SettingInfo, flag: Arg) -> Arg {
        GoSetup::arranged(info, flag)
    }
}

/// The default of a setting, in words.
fn default_note<T: FromSettings>(info: &SettingInfo) -> String {
    let text = T::usual(info.name).map_or(info.unset.to_owned(), |text| plain_text(info, text));
    format!("[default: {text}]")
}

impl FlagHelp for GoSetup {
    fn heading(_: &SettingInfo) -> &'static str {
        "Position"
    }

    fn note(info: &SettingInfo) -> String {
        default_note::<GoSetup>(info)
    }

    fn arranged(info: &SettingInfo, flag: Arg) -> Arg {
        // A board may begin with an empty point.
        if info.name == "position" { flag.allow_hyphen_values(true) } else { flag }
    }
}

impl FlagHelp for GomokuSetup {
    fn heading(_: &SettingInfo) -> &'static str {
        "Position"
    }

    fn note(info: &SettingInfo) -> String {
        default_note::<GomokuSetup>(info)
    }

    fn arranged(info: &SettingInfo, flag: Arg) -> Arg {
        // A board may begin with an empty point.
        if info.name == "position" { flag.allow_hyphen_values(true) } else { flag }
    }
}

impl FlagHelp for ReversiSetup {
    fn heading(_: &SettingInfo) -> &'static str {
        "Position"
    }

    fn note(info: &SettingInfo) -> String {
        default_note::<ReversiSetup>(info)
    }

    fn arranged(info: &SettingInfo, flag: Arg) -> Arg {
        if info.name == "position" { flag.allow_hyphen_values(true) } else { flag }
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

/// The help of what is asked about a position: the settings of the game, then those of the search.
impl<S: FlagHelp> FlagHelp for SolveSettings<S> {
    fn heading(info: &SettingInfo) -> &'static str {
        match info.name {
            name if S::all().iter().any(|own| own.name == name) => S::heading(info),
            name if OF_UNITS.contains(&name) => "Solving by units",
            _ => "Search",
        }
    }

    fn note(info: &SettingInfo) -> String {
        let default = default_note::<SolveSettings<S>>(info);
        match info.kind {
            ValueKind::List(choices) => {
                let labels = choices.iter().map(|choice| format!("{} ({})", choice.value, choice.label));
                format!("{}. {default}", labels.collect::<Vec<_>>().join("; "))
            }
            _ if info.name == "fresh_tables" => "[default: off]".to_owned(),
            _ => default,
        }
    }

    fn arranged(info: &SettingInfo, flag: Arg) -> Arg {
        match info.name {
            "without" => flag.action(ArgAction::Append),
            "threshold" | "guess" => flag.allow_negative_numbers(true),
            // A flag without a value is on.
            "fresh_tables" => flag.num_args(0..=1).require_equals(true).default_missing_value("on"),
            _ => S::arranged(info, flag),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(text: &str) -> GivenSetting {
        let (typed, text) = ("position".to_owned(), text.to_owned());
        GivenSetting { name: "position", typed, text, source: SettingSource::Flag }
    }

    #[test]
    fn a_position_may_be_in_a_file_of_a_bounded_length() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("board");
        std::fs::write(&file, ".X./.O./... white").unwrap();
        let name = file.to_str().unwrap();
        let read = with_position_file(vec![position(name)]).unwrap();
        assert_eq!((read[0].text.as_str(), read[0].place().as_str()), (".X./.O./... white", name));
        let text = with_position_file(vec![position("X..")]).unwrap();
        assert_eq!(text, [position("X..")]);
        // No end.
        let error = with_position_file(vec![position("/dev/zero")]).unwrap_err().to_string();
        assert!(error.contains("/dev/zero") && error.contains("too long"), "{error}");
        let error = with_position_file(vec![position(directory.path().to_str().unwrap())]).unwrap_err();
        assert!(error.to_string().contains("cannot be read"), "{error}");
    }
}
