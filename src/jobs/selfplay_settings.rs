//! The settings of games of a player against itself, as a job ([`super::reading`]).

use super::reading::{FromSettings, GivenSetting, read, set_row, usual_text};
use super::selfplay::{
    BUILT_IN_WEIGHTS, BuiltInWeights, SELFPLAY_GAMES, SelfplayBoard, SelfplayJob, SelfplayVisitor, with_selfplay,
};
use super::setup::matches::{MatchGameName, MatchSetup};
use crate::core::setting::{
    BadValue, SettingInfo, SettingRow, ValueKind, parse_count, read as read_text, read_name, show_name,
};

/// Most games of a job, as of a file of games.
pub const MOST_GAMES: u64 = 4_000_000;
/// Plies that can be searched for a move of Reversi.
pub const DEPTHS: std::ops::RangeInclusive<u64> = 1..=20;

/// What is asked for in every game.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfplayTerms {
    game: MatchGameName,
    games: u64,
    nodes: u64,
    depth: u32,
    seed: u64,
    weights: BuiltInWeights,
}

impl Default for SelfplayTerms {
    fn default() -> SelfplayTerms {
        let (game, weights) = (MatchGameName::Gomoku, BuiltInWeights::Usual);
        SelfplayTerms { game, games: 1000, nodes: 2000, depth: SelfplayJob::usual_depth(), seed: 0, weights }
    }
}

/// The settings that do not depend on the game, in the order of help texts.
pub static SELFPLAY_TERMS: [SettingRow<SelfplayTerms>; 6] = [
    SettingRow {
        about: SettingInfo::new("game", "Game", ValueKind::Choice(&SELFPLAY_GAMES), "Which game is played.")
            .value_name("GAME"),
        read: |terms, text| read_name(text).map(|game| terms.game = game),
        show: |terms| Some(show_name(&terms.game)),
    },
    SettingRow {
        about: SettingInfo::new("games", "Games", ValueKind::Whole { min: 1, max: MOST_GAMES }, "Number of games."),
        read: |terms, text| read_text(text).map(|games| terms.games = games),
        show: |terms| Some(terms.games.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "nodes",
            "Nodes for a move",
            ValueKind::Count { min: 1 },
            "Most nodes for a move of Gomoku.",
        ),
        read: |terms, text| parse_count(text).map(|nodes| terms.nodes = nodes),
        show: |terms| Some(terms.nodes.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "depth",
            "Plies for a move",
            ValueKind::Whole { min: *DEPTHS.start(), max: *DEPTHS.end() },
            "Plies that are searched for a move of Reversi, before the last twelve moves, which are played perfectly.",
        ),
        read: |terms, text| read_text(text).map(|depth| terms.depth = depth),
        show: |terms| Some(terms.depth.to_string()),
    },
    SettingRow {
        about: SettingInfo::new("seed", "Seed", ValueKind::Whole { min: 0, max: u64::MAX }, "Decides the openings."),
        read: |terms, text| read_text(text).map(|seed| terms.seed = seed),
        show: |terms| Some(terms.seed.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "weights",
            "Weights",
            ValueKind::Choice(&BUILT_IN_WEIGHTS),
            "Which weights it plays with. A daemon reads no files for its clients.",
        ),
        read: |terms, text| read_name(text).map(|weights| terms.weights = weights),
        show: |terms| Some(show_name(&terms.weights)),
    },
];

/// Whether a setting does not depend on the game.
pub fn is_selfplay_term(name: &str) -> bool {
    SELFPLAY_TERMS.iter().any(|row| row.about.name == name)
}

/// The settings of games of a player against itself: those of every game, and those of the boards.
#[derive(Debug, Default)]
pub struct SelfplaySettings {
    terms: SelfplayTerms,
    setup: MatchSetup,
}

impl FromSettings for SelfplaySettings {
    fn all() -> Vec<&'static SettingInfo> {
        struct Learned;
        impl SelfplayVisitor for Learned {
            type Out = Vec<&'static SettingInfo>;
            fn visit<G: SelfplayBoard>(self) -> Self::Out {
                G::settings()
            }
        }
        let mut all: Vec<&'static SettingInfo> = SELFPLAY_TERMS.iter().map(|row| &row.about).collect();
        for info in MatchGameName::ALL.into_iter().filter_map(|game| with_selfplay(game, Learned)).flatten() {
            if info.name != "position" && all.iter().all(|known| known.name != info.name) {
                all.push(info);
            }
        }
        all
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), BadValue> {
        if is_selfplay_term(name) {
            set_row(&SELFPLAY_TERMS, &mut self.terms, name, text)
        } else {
            self.setup.set(name, text)
        }
    }

    fn usual(name: &str) -> Option<String> {
        if is_selfplay_term(name) { usual_text(&SELFPLAY_TERMS, name) } else { MatchSetup::usual(name) }
    }
}

impl SelfplaySettings {
    /// The games that are asked for.
    ///
    /// # Errors
    /// If the settings make no sense: what is wrong, where, and what would be right.
    pub fn job(given: &[GivenSetting]) -> Result<SelfplayJob, BadValue> {
        let (of_terms, of_setup): (Vec<_>, Vec<_>) =
            given.iter().cloned().partition(|one| is_selfplay_term(one.name));
        let SelfplaySettings { terms, .. } = read(&of_terms)?;
        let SelfplayTerms { game, games, nodes, depth, seed, weights } = terms;
        let other = if game == MatchGameName::Reversi { "nodes" } else { "depth" };
        if let Some(one) = of_terms.iter().find(|one| one.name == other) {
            return Err(BadValue(format!("{} is not a setting of games of {}", one.place(), game.text())));
        }
        game.check(&of_setup)?;
        let setup = of_setup.iter().map(|one| (one.name.to_owned(), one.text.clone())).collect();
        let job = SelfplayJob { game, setup, games, nodes, depth, seed, weights };
        struct LearnerCheck<'a>(&'a SelfplayJob, &'a [GivenSetting]);
        impl SelfplayVisitor for LearnerCheck<'_> {
            type Out = Result<(), BadValue>;
            fn visit<G: SelfplayBoard>(self) -> Self::Out {
                // With the names of the settings as they were given.
                let (empty, _) = G::begin(self.1)?;
                empty.learner(self.0).map(drop)
            }
        }
        let none = || Err(BadValue(format!("no player learns of {} by playing against itself", game.text())));
        with_selfplay(game, LearnerCheck(&job, &of_setup)).unwrap_or_else(none)?;
        Ok(job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::reading::from_json;
    use serde_json::json;

    fn job(settings: serde_json::Value) -> Result<SelfplayJob, String> {
        let given =
            from_json::<SelfplaySettings>(settings.as_object().unwrap()).map_err(|error| error.to_string())?;
        SelfplaySettings::job(&given).map_err(|error| error.to_string())
    }

    #[test]
    fn games_are_asked_for() {
        let usual = job(json!({})).unwrap();
        assert_eq!((usual.games, usual.nodes, usual.seed, usual.weights), (1000, 2000, 0, BuiltInWeights::Usual));
        let other = job(json!({ "games": 20, "nodes": "1k", "seed": 3, "weights": "by-hand", "size": 9 })).unwrap();
        assert_eq!((other.games, other.nodes, other.weights), (20, 1000, BuiltInWeights::ByHand));
        assert_eq!([0, 2].map(|unit| other.games_of(unit)), [0..8, 16..20]);
        let reversi = job(json!({ "game": "reversi", "depth": 2 })).unwrap();
        assert_eq!((reversi.game, reversi.depth, reversi.effort().as_str()), (MatchGameName::Reversi, 2, "2 plies"));
        let stored = serde_json::to_string(&other).unwrap();
        assert_eq!(serde_json::from_str::<SelfplayJob>(&stored).unwrap(), other);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (settings, expected) in [
            (json!({ "game": "chess" }), "expected one of gomoku"),
            (json!({ "game": "go" }), "expected one of gomoku"),
            (json!({ "games": 0 }), "0 is not in 1..=4000000"),
            (json!({ "nodes": 0 }), "at least 1"),
            (json!({ "size": 4 }), "no row of 5 fits on the 4x4 board"),
            (json!({ "size": 40 }), "settings.size"),
            (json!({ "win": 7 }), "rows of 3 to 5 stones, not for 7"),
            (json!({ "weights": "/etc/passwd" }), "expected one of usual, by-hand"),
            (json!({ "position": "h8" }), "unknown key 'position'"),
            (json!({ "level": 3 }), "unknown key 'level'"),
            (json!({ "depth": 3 }), "settings.depth is not a setting of games of gomoku"),
            (json!({ "game": "reversi", "nodes": 9 }), "settings.nodes is not a setting of games of reversi"),
            (json!({ "game": "reversi", "depth": 21 }), "21 is not in 1..=20"),
            (json!({ "game": "reversi", "size": 6 }), "from games on 8x8"),
            (json!({ "game": "reversi", "start": "alternative" }), "from the usual start"),
            (json!({ "game": "reversi", "empties": "ignored" }), "the winner gets the empty cells"),
            (json!({ "game": "reversi", "rule": "free" }), "settings.rule is not a setting of reversi"),
        ] {
            let error = job(settings.clone()).unwrap_err();
            assert!(error.contains(expected), "{settings}: {error}");
        }
    }
}
