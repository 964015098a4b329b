//! The settings of a match: the flags of `morpion match`, and of a match as a job of the daemon ([`super::reading`]).

use super::matching::MatchJob;
use super::reading::{FromSettings, GivenSetting, read, set_row, usual_text};
use super::setup::go::read_komi;
use super::setup::matches::{MATCH_GAMES, MatchBoard, MatchGameName, MatchSetup, MatchVisitor};
use crate::core::game::Value;
use crate::core::quantity::parse_duration;
use crate::core::setting::{
    BadValue, SettingInfo, SettingRow, ValueKind, parse_count, read as read_text, read_name, show_name,
};
use crate::solvers::matches::game::SettingMeans;
use crate::solvers::matches::own::{LEAST_SECONDS, OwnSide};

/// Most pairs of a match.
pub const MOST_PAIRS: u64 = 1_000_000;

/// How two players play each other, as it is asked for. Board and rules are settings of the game.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchTerms {
    game: MatchGameName,
    komi: Option<Value>,
    pairs: u64,
    seconds: f64,
    nodes: Option<u64>,
    seed: u64,
    sprt: Option<(f64, f64)>,
}

impl Default for MatchTerms {
    fn default() -> MatchTerms {
        let game = MatchGameName::default();
        MatchTerms { game, komi: None, pairs: 50, seconds: 1.0, nodes: None, seed: 0, sprt: None }
    }
}

/// The settings of every match, in the order of help texts.
pub static MATCH_TERMS: [SettingRow<MatchTerms>; 7] = [
    SettingRow {
        about: SettingInfo::new("game", "Game", ValueKind::Choice(&MATCH_GAMES), "Which game is played.")
            .value_name("GAME"),
        read: |terms, text| read_name(text).map(|game| terms.game = game),
        show: |terms| Some(show_name(&terms.game)),
    },
    SettingRow {
        about: SettingInfo::new("komi", "Komi", ValueKind::Text, "For Go: what white gets beside its area.")
            .value_name("POINTS")
            .unit("points")
            .unset("0"),
        read: |terms, text| read_komi(text).map(|komi| terms.komi = Some(komi)),
        show: |terms| terms.komi.map(|komi| (f64::from(komi) / 10.0).to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "pairs",
            "Pairs of games",
            ValueKind::Whole { min: 1, max: MOST_PAIRS },
            "Number of pairs of games.",
        ),
        read: |terms, text| read_text(text).map(|pairs| terms.pairs = pairs),
        show: |terms| Some(terms.pairs.to_string()),
    },
    SettingRow {
        about: SettingInfo::new("time", "Time for a move", ValueKind::Seconds, "Most time for a move.").unit("s"),
        read: |terms, text| {
            let seconds = parse_duration(text).map_err(|error| BadValue(error.to_string()))?;
            terms.seconds = seconds.max(LEAST_SECONDS);
            Ok(())
        },
        show: |terms| Some(terms.seconds.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "nodes",
            "Nodes for a move",
            ValueKind::Count { min: 1 },
            "Most nodes for a move, in Go playouts. If they are used up before the time, the same seed gives the same \
             games.",
        )
        .unset("as many as the time allows"),
        read: |terms, text| parse_count(text).map(|nodes| terms.nodes = Some(nodes)),
        show: |terms| terms.nodes.map(|nodes| nodes.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "seed",
            "Seed",
            ValueKind::Whole { min: 0, max: u64::MAX },
            "Decides the openings.",
        ),
        read: |terms, text| read_text(text).map(|seed| terms.seed = seed),
        show: |terms| Some(terms.seed.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "sprt",
            "Test",
            ValueKind::Text,
            "End as soon as it is decided (with errors of 5 %) whether A is stronger by E1 Elo or by E0, after ten pairs \
             at least.",
        )
        .value_name("E0,E1")
        .unset("no test"),
        read: |terms, text| read_hypotheses(text).map(|sprt| terms.sprt = Some(sprt)),
        show: |terms| terms.sprt.map(|(low, high)| format!("{low},{high}")),
    },
];

/// Two differences in Elo.
fn read_hypotheses(text: &str) -> Result<(f64, f64), BadValue> {
    let read = |text: &str| text.trim().parse::<f64>().ok().filter(|elo| elo.abs() <= 1000.0);
    let both = text.split_once(',').and_then(|(low, high)| Some((read(low)?, read(high)?)));
    let reason = "expected two numbers, the smaller one first, such as 0,30";
    both.filter(|(low, high)| low < high).ok_or_else(|| BadValue(reason.to_owned()))
}

/// Whether a setting is one of every match, not of a game.
fn is_term(name: &str) -> bool {
    MATCH_TERMS.iter().any(|row| row.about.name == name)
}

/// The settings of a match without its players: those of every match, and those of all games.
#[derive(Debug, Default)]
pub struct MatchSettings {
    terms: MatchTerms,
    setup: MatchSetup,
}

impl FromSettings for MatchSettings {
    fn all() -> Vec<&'static SettingInfo> {
        MATCH_TERMS.iter().map(|row| &row.about).chain(MatchSetup::all()).collect()
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), BadValue> {
        if is_term(name) { set_row(&MATCH_TERMS, &mut self.terms, name, text) } else { self.setup.set(name, text) }
    }

    fn usual(name: &str) -> Option<String> {
        if is_term(name) { usual_text(&MATCH_TERMS, name) } else { MatchSetup::usual(name) }
    }
}

impl MatchSettings {
    /// The match that the settings ask for, of these players.
    ///
    /// # Errors
    /// If they make no sense: what is wrong, where, and what would be right.
    pub fn job(given: &[GivenSetting], players: [String; 2]) -> Result<MatchJob, BadValue> {
        let (of_terms, of_setup): (Vec<_>, Vec<_>) = given.iter().cloned().partition(|one| is_term(one.name));
        let MatchSettings { terms, .. } = read(&of_terms)?;
        let MatchTerms { game, komi, pairs, seconds, nodes, seed, sprt } = terms;
        game.check(&of_setup)?;
        if let Some(one) = of_terms.iter().find(|one| one.name == "komi" && game != MatchGameName::Go) {
            return Err(BadValue(format!("{} is not a setting of {}", one.place(), game.text())));
        }
        struct Beginner<'a>(&'a [GivenSetting]);
        impl MatchVisitor for Beginner<'_> {
            type Out = Result<(), BadValue>;
            fn visit<G: MatchBoard>(self) -> Self::Out {
                G::begin(self.0).map(drop)
            }
        }
        game.visit(Beginner(&of_setup))?;
        let setup = of_setup.iter().map(|one| (one.name.to_owned(), one.text.clone())).collect();
        Ok(MatchJob { game, setup, players, komi: komi.unwrap_or(0), pairs, seconds, nodes, seed, sprt })
    }
}

static PLAYERS: [SettingInfo; 2] = [
    SettingInfo::new(
        "a",
        "Player A",
        ValueKind::Text,
        "The first player: morpion, morpion:LEVEL or morpion:SETTINGS.",
    )
    .value_name("A"),
    SettingInfo::new("b", "Player B", ValueKind::Text, "The second player, as the first one.").value_name("B"),
];

/// Whether a setting of a match as a job is one of its players.
pub fn is_player(name: &str) -> bool {
    PLAYERS.iter().any(|info| info.name == name)
}

/// The settings of a match as a job: its players, and [`MatchSettings`].
#[derive(Debug, Default)]
pub struct MatchJobSettings {
    players: [Option<String>; 2],
    rest: MatchSettings,
}

impl FromSettings for MatchJobSettings {
    fn all() -> Vec<&'static SettingInfo> {
        PLAYERS.iter().chain(MatchSettings::all()).collect()
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), BadValue> {
        match PLAYERS.iter().position(|info| info.name == name) {
            Some(at) => {
                self.players[at] = Some(text.to_owned());
                Ok(())
            }
            None => self.rest.set(name, text),
        }
    }

    fn usual(name: &str) -> Option<String> {
        if is_player(name) { None } else { MatchSettings::usual(name) }
    }
}

impl MatchJobSettings {
    /// Whether a setting has the same default value in all games.
    pub fn has_default(name: &str) -> bool {
        is_term(name)
    }

    /// The match that the settings ask for. Both sides are players of this program: a daemon starts no programs and
    /// reads no files for its clients.
    ///
    /// # Errors
    /// If they make no sense: what is wrong, where, and what would be right.
    pub fn job(given: &[GivenSetting]) -> Result<MatchJob, BadValue> {
        let (of_players, rest): (Vec<_>, Vec<_>) = given.iter().cloned().partition(|one| is_player(one.name));
        let MatchJobSettings { players: [a, b], .. } = read(&of_players)?;
        let missing = |name: &str| BadValue(format!("player {name} is missing: expected morpion or morpion:5"));
        let players = [a.ok_or_else(|| missing("a"))?, b.ok_or_else(|| missing("b"))?];
        let job = MatchSettings::job(&rest, players)?;
        struct OwnSidesCheck<'a>(&'a MatchJob, &'a [GivenSetting]);
        impl MatchVisitor for OwnSidesCheck<'_> {
            type Out = Result<(), BadValue>;
            fn visit<G: MatchBoard>(self) -> Self::Out {
                let OwnSidesCheck(job, given) = self;
                let (empty, _) = job.begin::<G>()?;
                for (info, name) in PLAYERS.iter().zip(&job.players) {
                    let place = given.iter().find(|one| one.name == info.name).map(GivenSetting::place);
                    let placed = |why: BadValue| BadValue(format!("{}: {why}", place.unwrap_or_default()));
                    let own = OwnSide::<G>::named(name, JOB_MEANS);
                    own.and_then(|mut side| side.prepare(&empty, job.komi)).map_err(placed)?;
                }
                Ok(())
            }
        }
        job.game.visit(OwnSidesCheck(&job, &of_players))?;
        Ok(job)
    }
}

/// What a player in a daemon may use: no files, and one thread.
pub const JOB_MEANS: SettingMeans<'static> = SettingMeans {
    files: &|name| {
        Err(BadValue(format!(
            "a daemon reads no files for its clients, and so not {name}: use weights=by-hand, or none"
        )))
    },
    together: Err("a player in a daemon has the one thread of its worker: leave it out"),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::reading::from_json;
    use serde_json::json;

    fn job(settings: serde_json::Value) -> Result<MatchJob, String> {
        let given =
            from_json::<MatchJobSettings>(settings.as_object().unwrap()).map_err(|error| error.to_string())?;
        MatchJobSettings::job(&given).map_err(|error| error.to_string())
    }

    #[test]
    fn matches_are_read_stored_and_begun() {
        let go = job(json!({
            "a": "morpion:3", "b": "morpion:nodes=2k,seed=9", "game": "go", "size": 5, "komi": "6.5", "pairs": 7,
            "time": 0.5, "nodes": 300, "seed": 3, "sprt": [0, 30], "ko": "superko",
        }))
        .unwrap();
        assert_eq!((go.komi, go.pairs, go.seconds, go.nodes), (65, 7, 0.5, Some(300)));
        assert_eq!((go.seed, go.sprt, &go.setup["size"][..]), (3, Some((0.0, 30.0)), "5"));
        let stored = serde_json::to_string(&go).unwrap();
        assert_eq!(serde_json::from_str::<MatchJob>(&stored).unwrap(), go);
        let (_, title) = go.begin::<crate::games::go::large::position::LargePosition>().unwrap();
        assert_eq!(title, "go 5x5, empty board, positional superko, komi 6.5");
        let usual = job(json!({ "a": "morpion", "b": "morpion:1" })).unwrap();
        assert_eq!((usual.game, usual.pairs, usual.seconds), (MatchGameName::Gomoku, 50, 1.0));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (settings, expected) in [
            (json!({ "a": "morpion" }), "player b is missing"),
            (json!({ "b": "morpion" }), "player a is missing"),
            (json!({ "a": "morpion", "b": "/bin/sh" }), "settings.b: '/bin/sh' is not a player of this program"),
            (json!({ "a": "morpion:11", "b": "morpion" }), "settings.a: 'morpion:11': '11': levels are 1 to 10"),
            (json!({ "a": "morpion:weights=/etc/passwd", "b": "morpion" }), "a daemon reads no files"),
            (
                json!({ "a": "morpion:threads=2", "b": "morpion" }),
                "settings.a: 'morpion:threads=2': threads=2: a player",
            ),
            (json!({ "a": "morpion\n", "b": "morpion" }), "control characters"),
            (json!({ "a": "morpion", "b": "morpion", "game": "chess" }), "expected one of gomoku, reversi, go"),
            (json!({ "a": "morpion", "b": "morpion", "komi": 3 }), "settings.komi is not a setting of gomoku"),
            (json!({ "a": "morpion", "b": "morpion", "position": "h8" }), "settings.position cannot be used here"),
            (
                json!({ "a": "morpion", "b": "morpion", "game": "reversi", "rule": "free" }),
                "not a setting of reversi",
            ),
            (json!({ "a": "morpion", "b": "morpion", "win": 7 }), "rows of 3 to 5 stones, not for 7"),
            (json!({ "a": "morpion", "b": "morpion", "pairs": 0 }), "0 is not in 1..=1000000"),
            (json!({ "a": "morpion", "b": "morpion", "nodes": 0 }), "at least 1"),
            (json!({ "a": "morpion", "b": "morpion", "time": "soon" }), "settings.time"),
            (json!({ "a": "morpion", "b": "morpion", "sprt": [30, 0] }), "the smaller one first"),
            (json!({ "a": "morpion", "b": "morpion", "level": 3 }), "unknown key 'level'"),
            (json!({ "a": "morpion", "b": "morpion", "game": "reversi", "size": 15 }), "4 to 8"),
        ] {
            let error = job(settings.clone()).unwrap_err();
            assert!(error.contains(expected), "{settings}: {error}");
        }
    }
}
