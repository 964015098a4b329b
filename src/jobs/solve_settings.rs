//! The settings of a solution as one typed value: flags, configuration files and requests are read into it
//! ([`super::reading`]), and it becomes a [`SolveJob`].
//!
//! They are those of the game, which say which position is meant ([`super::setup`]), and the rows here: what is asked
//! about the position, which engine searches, and how the work is cut into units.

use super::reading::{FromSettings, GivenSetting, SettingSource, from_json, from_toml, json_of, set_row, usual_text};
use super::setup::{GAMES, GameSetup, SetupError, SetupVisitor, check_exclusive, games_text, setup_of, with_game};
use super::solve::SolveJob;
use super::tree::settings::{FEEDERS, Feeder, MAX_INITIAL_DEPTH, MAX_QUORUM, STORES, StoreKind, TreeSettings};
use crate::core::game::{Game, Value};
use crate::core::quantity::{bytes_text, parse_bytes};
use crate::core::setting::{
    BadValue, NamedValue, SettingInfo, SettingRow, ValueKind, parse_count, read as read_text, read_name, show_name,
};
use crate::solvers::choice::{ALGORITHMS, ChoiceError, EngineChoice, Name, PARTS, Part};
use crate::solvers::solvable::Playable;
use crate::solvers::solve::Goal;
use crate::solvers::table::LEAST_BYTES;
use serde_json::{Map, Value as Json};

/// Legal moves from which on searches that order the moves of a position see one ply only: they would take a minute.
const MANY_MOVES: usize = 100;
/// Bytes of the table of each worker of units, where nothing is said.
const UNIT_MEMORY: u64 = 64 << 20;
/// Longest name of a user, in characters.
const LONGEST_USER: usize = 64;
/// Values that can be asked for, in points.
const POINTS: ValueKind = ValueKind::Integer { min: -1000, max: 1000 };

/// What can be found out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AskedValue {
    /// The value of the position.
    #[default]
    Exact,
    /// Only who wins.
    WinLossDraw,
}

/// What is asked about a position, how it is searched, and how units are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolveOptions {
    /// The algorithm; none is the game's own solver.
    pub algorithm: Option<Name>,
    /// Parts of the search that are switched off.
    pub without: Vec<Part>,
    /// What to find out.
    pub value: AskedValue,
    /// Find out only whether the side to move gets so many points.
    pub threshold: Option<i32>,
    /// The value that is asked for first, in points.
    pub guess: i32,
    /// Bytes of a table.
    pub memory: Option<u64>,
    /// How units are made. Goal and guess in it are not used: they depend on the game's points.
    pub units: TreeSettings,
    /// Who gets the credit.
    pub user: String,
    /// The database of the file of a solution by units.
    pub store: StoreKind,
    /// Plies of the tree that are made before the first unit.
    pub initial_depth: u32,
}

impl Default for SolveOptions {
    fn default() -> SolveOptions {
        SolveOptions {
            algorithm: None,
            without: Vec::new(),
            value: AskedValue::Exact,
            threshold: None,
            guess: 0,
            memory: None,
            units: TreeSettings::default(),
            user: "local".to_owned(),
            store: StoreKind::default(),
            initial_depth: 0,
        }
    }
}

static VALUES: [NamedValue; 2] = [
    NamedValue { value: "exact", label: "The value of the position" },
    NamedValue { value: "win-loss-draw", label: "Only who wins" },
];

/// Pairs of settings that contradict each other.
const EXCLUSIVE: [(&str, &str); 2] = [("threshold", "value"), ("threshold", "guess")];

/// The settings that are about units of work alone.
pub const OF_UNITS: [&str; 8] =
    ["unit_budget", "feeder", "quorum", "fresh_tables", "seed", "user", "initial_depth", "store"];

/// The settings of a solution apart from the position, in the order of help texts.
pub static SOLVE_SETTINGS: [SettingRow<SolveOptions>; 14] = [
    SettingRow {
        about: SettingInfo::new("algorithm", "Algorithm", ValueKind::Choice(&ALGORITHMS), "The search algorithm.")
            .value_name("ALGORITHM")
            .unset("the game's own solver"),
        read: |options, text| read_name(text).map(|name| options.algorithm = Some(name)),
        show: |options| options.algorithm.as_ref().map(show_name),
    },
    SettingRow {
        about: SettingInfo::new("without", "Without", ValueKind::List(&PARTS), "Parts of the search to do without.")
            .value_name("PARTS")
            .unset("none"),
        read: |options, text| {
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            options.without = parts.map(read_name).collect::<Result<_, _>>()?;
            Ok(())
        },
        show: |options| {
            let parts: Vec<String> = options.without.iter().map(show_name).collect();
            (!parts.is_empty()).then(|| parts.join(","))
        },
    },
    SettingRow {
        about: SettingInfo::new("value", "Find out", ValueKind::Choice(&VALUES), "What to find out.")
            .value_name("VALUE"),
        read: |options, text| {
            options.value = if text == "exact" { AskedValue::Exact } else { AskedValue::WinLossDraw };
            Ok(())
        },
        show: |options| {
            Some(match options.value {
                AskedValue::Exact => "exact".to_owned(),
                AskedValue::WinLossDraw => "win-loss-draw".to_owned(),
            })
        },
    },
    SettingRow {
        about: SettingInfo::new(
            "threshold",
            "Threshold",
            POINTS,
            "Find out only whether the side to move gets at least N points.",
        )
        .unit("points")
        .unset("none"),
        read: |options, text| read_text(text).map(|threshold| options.threshold = Some(threshold)),
        show: |options| options.threshold.map(|threshold| threshold.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "guess",
            "First guess",
            POINTS,
            "The value that is asked for first, for the side to move. A good guess saves time; a wrong one costs \
             some.",
        )
        .unit("points"),
        read: |options, text| read_text(text).map(|guess| options.guess = guess),
        show: |options| Some(options.guess.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "memory",
            "Memory",
            ValueKind::Bytes,
            "Memory for the transposition table, such as 512M or 4G.",
        )
        .unset("512M; by units 64M for each worker"),
        read: |options, text| table_bytes(text).map(|bytes| options.memory = Some(bytes)),
        show: |options| options.memory.map(bytes_text),
    },
    SettingRow {
        about: SettingInfo::new(
            "unit_budget",
            "Nodes per unit",
            ValueKind::Count { min: 1 },
            "Nodes that a unit may take, checked every few thousand nodes. A unit that takes more is replaced by its \
             children.",
        )
        .unit("nodes"),
        read: |options, text| parse_count(text).map(|budget| options.units.budget = budget),
        show: |options| Some(options.units.budget.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "feeder",
            "Order of units",
            ValueKind::Choice(&FEEDERS),
            "Order in which units are handed out.",
        )
        .value_name("FEEDER"),
        read: |options, text| read_name::<Feeder>(text).map(|feeder| options.units.feeder = feeder),
        show: |options| Some(show_name(&options.units.feeder)),
    },
    SettingRow {
        about: SettingInfo::new(
            "quorum",
            "Workers that must agree",
            ValueKind::Whole { min: 1, max: MAX_QUORUM as u64 },
            "How many workers have to agree on a unit.",
        )
        .unit("workers"),
        read: |options, text| read_text(text).map(|quorum| options.units.quorum = quorum),
        show: |options| Some(options.units.quorum.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "fresh_tables",
            "Fresh tables",
            // Lists of settings have always shown `true` and `false`.
            ValueKind::Text,
            "Clear the table before each unit, so that its work depends on the unit alone. With a quorum this is \
             always done.",
        )
        .value_name("on|off"),
        read: |options, text| {
            options.units.fresh = match text {
                "on" | "true" => true,
                "off" | "false" => false,
                _ => return Err(BadValue("expected on or off".to_owned())),
            };
            Ok(())
        },
        show: |options| Some(options.units.fresh.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "seed",
            "Seed",
            ValueKind::Whole { min: 0, max: u64::MAX },
            "Seed of the random feeder.",
        ),
        read: |options, text| read_text(text).map(|seed| options.units.seed = seed),
        show: |options| Some(options.units.seed.to_string()),
    },
    SettingRow {
        about: SettingInfo::new("user", "User", ValueKind::Text, "Who gets the credit for the units.")
            .value_name("NAME"),
        read: |options, text| read_user(text).map(|user| options.user = user),
        show: |options| Some(options.user.clone()),
    },
    SettingRow {
        about: SettingInfo::new(
            "initial_depth",
            "Plies before units",
            ValueKind::Whole { min: 0, max: MAX_INITIAL_DEPTH as u64 },
            "Plies of the game tree that are made before the first unit is handed out. It ends sooner once the tree \
             has 20,000 nodes.",
        )
        .unit("plies"),
        read: |options, text| read_text(text).map(|depth| options.initial_depth = depth),
        show: |options| Some(options.initial_depth.to_string()),
    },
    SettingRow {
        about: SettingInfo::new("store", "Store", ValueKind::Choice(&STORES), "Database of the solution's file.")
            .value_name("STORE"),
        read: |options, text| read_name(text).map(|store| options.store = store),
        show: |options| Some(show_name(&options.store)),
    },
];

/// A size of a table.
fn table_bytes(text: &str) -> Result<u64, BadValue> {
    match parse_bytes(text) {
        Ok(bytes) if bytes < LEAST_BYTES => {
            Err(BadValue(format!("too little for a table: at least {LEAST_BYTES} bytes are needed")))
        }
        read => read.map_err(|error| BadValue(error.to_string())),
    }
}

fn read_user(text: &str) -> Result<String, BadValue> {
    if text.is_empty() || text.chars().count() > LONGEST_USER || text.chars().any(char::is_control) {
        return Err(BadValue(format!("a name has 1 to {LONGEST_USER} characters, none of them a control character")));
    }
    Ok(text.to_owned())
}

impl SolveOptions {
    /// What is to be found out; `point` is the game's.
    pub fn goal(&self, point: Value) -> Goal {
        match (self.threshold, self.value) {
            (Some(threshold), _) => Goal::Threshold(threshold * point),
            (None, AskedValue::Exact) => Goal::Exact,
            (None, AskedValue::WinLossDraw) => Goal::WinLossDraw,
        }
    }

    /// The value that is asked for first; `point` is the game's.
    pub fn guess(&self, point: Value) -> Value {
        self.guess * point
    }

    /// The algorithm that searches, and the parts that it does without.
    pub fn choice(&self) -> EngineChoice {
        EngineChoice { algorithm: self.algorithm, without: self.without.clone() }
    }

    /// Bytes of each worker's table by units.
    pub fn unit_memory(&self) -> u64 {
        self.memory.unwrap_or(UNIT_MEMORY)
    }

    /// The settings of a solution of a position by units.
    pub fn tree<G: Game>(&self, root: &G) -> TreeSettings {
        let mut moves = Vec::new();
        root.moves(&mut moves);
        let most = if moves.len() > MANY_MOVES { 1 } else { self.units.look_ahead };
        let look_ahead = self.units.look_ahead.min(most);
        TreeSettings { goal: self.goal(G::POINT), guess: self.guess(G::POINT), look_ahead, ..self.units.clone() }
    }
}

/// The settings of a solution of a position of one game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SolveSettings<S> {
    /// The settings of the game: which position is meant.
    pub setup: S,
    /// What is asked about it, and how it is searched.
    pub options: SolveOptions,
}

impl<S: FromSettings> FromSettings for SolveSettings<S> {
    fn all() -> Vec<&'static SettingInfo> {
        S::all().into_iter().chain(SOLVE_SETTINGS.iter().map(|row| &row.about)).collect()
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), BadValue> {
        if SOLVE_SETTINGS.iter().any(|row| row.about.name == name) {
            return set_row(&SOLVE_SETTINGS, &mut self.options, name, text);
        }
        self.setup.set(name, text)
    }

    fn usual(name: &str) -> Option<String> {
        usual_text(&SOLVE_SETTINGS, name).or_else(|| S::usual(name))
    }
}

impl<S: GameSetup> SolveSettings<S> {
    /// The settings that were given.
    ///
    /// # Errors
    /// If a text is not a valid value, or two settings contradict each other.
    pub fn of(given: &[GivenSetting]) -> Result<SolveSettings<S>, BadValue> {
        let (of_setup, rest): (Vec<_>, Vec<_>) =
            given.iter().cloned().partition(|one| S::all().iter().any(|info| info.name == one.name));
        let setup = setup_of(&of_setup)?;
        let options = super::reading::read::<SolveSettings<S>>(&rest)?.options;
        check_exclusive::<SolveSettings<S>>(&rest, &EXCLUSIVE)?;
        Ok(SolveSettings { setup, options })
    }

    /// The job that these settings stand for.
    ///
    /// # Errors
    /// As [`SolveSettings::of`]; also if there is no such position, or the parts of the search do not fit together.
    pub fn job(given: &[GivenSetting]) -> Result<SolveJob, BadValue> {
        let SolveSettings { setup, options } = SolveSettings::<S>::of(given)?;
        let problem = match <[_; 1]>::try_from(setup.problems().map_err(|error| error.placed(given))?) {
            Ok([problem]) => problem,
            Err(all) => return Err(SetupError::Several(all.len()).placed(given)),
        };
        let choice = options.choice();
        choice.kind(1).map_err(|error| placed(error, given))?;
        Ok(SolveJob {
            title: setup.title(problem.position.size()),
            settings: options.tree(&problem.position),
            problem: setup.stored(problem),
            choice,
            memory: options.unit_memory(),
            user: options.user,
            store: options.store,
            initial_depth: options.initial_depth,
        })
    }
}

/// What does not go together, with the names of the settings as they were given.
fn placed(error: ChoiceError, given: &[GivenSetting]) -> BadValue {
    match given.iter().rfind(|one| one.name == "without") {
        Some(one) if error == ChoiceError::Own => {
            let algorithm = one.sibling("algorithm");
            BadValue(format!("{} is for the general algorithms: choose one by {algorithm}", one.place()))
        }
        _ => BadValue(error.to_string()),
    }
}

/// What was asked of a solver, of whichever game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedSolution {
    /// The name of the game, one of [`GAMES`].
    pub game: &'static str,
    /// The settings that were given.
    pub given: Vec<GivenSetting>,
}

impl AskedSolution {
    /// Reads the settings of a request, of which one is the game.
    ///
    /// # Errors
    /// If there is no such game or no such setting.
    pub fn from_json(mut map: Map<String, Json>) -> Result<AskedSolution, BadValue> {
        struct JsonReader<'a>(&'a Map<String, Json>);
        impl SetupVisitor for JsonReader<'_> {
            type Out = Result<Vec<GivenSetting>, BadValue>;
            fn visit<S: GameSetup>(self) -> Self::Out {
                from_json::<SolveSettings<S>>(self.0)
            }
        }
        let game = map.remove("game");
        let game = game_of(game.as_ref().map(|game| (game.as_str(), game.to_string())), "settings: ")?;
        let given = with_game(game, JsonReader(&map)).unwrap_or_else(|| Ok(Vec::new()))?;
        Ok(AskedSolution { game, given })
    }

    /// Reads a table of a configuration file, of which one key is the game; `source` says where a key is.
    ///
    /// # Errors
    /// As [`AskedSolution::from_json`].
    pub fn from_toml(
        mut table: toml::Table,
        source: impl Fn(&str) -> SettingSource,
    ) -> Result<AskedSolution, BadValue> {
        struct TomlReader<F>(toml::Table, F);
        impl<F: Fn(&str) -> SettingSource> SetupVisitor for TomlReader<F> {
            type Out = Result<Vec<GivenSetting>, BadValue>;
            fn visit<S: GameSetup>(self) -> Self::Out {
                from_toml::<SolveSettings<S>>(&self.0, self.1)
            }
        }
        let place = match source("game") {
            SettingSource::Line { file, line } => format!("{file}, line {line}: "),
            _ => String::new(),
        };
        let game = table.remove("game");
        let game = game_of(game.as_ref().map(|game| (game.as_str(), game.to_string())), &place)?;
        let given = with_game(game, TomlReader(table, source)).unwrap_or_else(|| Ok(Vec::new()))?;
        Ok(AskedSolution { game, given })
    }

    /// The job that is asked for.
    ///
    /// # Errors
    /// As [`SolveSettings::job`].
    pub fn job(&self) -> Result<SolveJob, BadValue> {
        struct JobMaker<'a>(&'a [GivenSetting]);
        impl SetupVisitor for JobMaker<'_> {
            type Out = Result<SolveJob, BadValue>;
            fn visit<S: GameSetup>(self) -> Self::Out {
                SolveSettings::<S>::job(self.0)
            }
        }
        with_game(self.game, JobMaker(&self.given)).unwrap_or_else(|| Err(BadValue(no_game(self.game))))
    }

    /// All settings by name, as they were given, defaults filled in: what [`AskedSolution::from_json`] reads as the
    /// same job.
    pub fn shown(&self) -> Map<String, Json> {
        struct Shower<'a>(&'a [GivenSetting]);
        impl SetupVisitor for Shower<'_> {
            type Out = Map<String, Json>;
            fn visit<S: GameSetup>(self) -> Self::Out {
                let texts = SolveSettings::<S>::all().into_iter().filter_map(|info| {
                    let given = self.0.iter().rfind(|one| one.name == info.name).map(|one| match info.name {
                        // `on` is the same as `true`.
                        "fresh_tables" => (one.text == "on" || one.text == "true").to_string(),
                        _ => one.text.clone(),
                    });
                    Some((info.name.to_owned(), json_of(&given.or_else(|| SolveSettings::<S>::usual(info.name))?)))
                });
                texts.collect()
            }
        }
        let mut shown = with_game(self.game, Shower(&self.given)).unwrap_or_default();
        // What a table takes where nothing is said depends on who is asked; here each worker has one.
        shown.entry("memory").or_insert_with(|| UNIT_MEMORY.into());
        shown.insert("game".to_owned(), self.game.into());
        shown
    }
}

/// The game of this name; `place` begins the message if there is none.
fn game_of(given: Option<(Option<&str>, String)>, place: &str) -> Result<&'static str, BadValue> {
    let Some((name, text)) = given else {
        return Err(BadValue(format!("{place}game is missing: expected {}", games_text())));
    };
    let found = name.and_then(|name| GAMES.into_iter().find(|game| *game == name));
    found.ok_or_else(|| BadValue(format!("{place}game: {}", no_game(name.unwrap_or(&text)))))
}

fn no_game(name: &str) -> String {
    format!("there is no '{name}': expected {}", games_text())
}

#[cfg(test)]
mod tests;
