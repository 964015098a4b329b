//! The settings of positions that are analysed as a job: what `morpion analyse` takes ([`super::reading`]).

use super::analysing::{AnalyseJob, AnalysedPositions, POSITIONS};
use super::match_settings::JOB_MEANS;
use super::reading::{FromSettings, GivenSetting, read, set_row, usual_text};
use super::selfplay::{BUILT_IN_WEIGHTS, BuiltInWeights};
use super::setup::go::read_komi;
use super::setup::matches::{MATCH_GAMES, MatchBoard, MatchGameName, MatchSetup, MatchVisitor};
use crate::core::game::Value;
use crate::core::quantity::{parse_bytes, parse_duration};
use crate::core::setting::{
    BadValue, SettingInfo, SettingRow, ValueKind, parse_count, read as read_text, read_name, read_switch, show_name,
    show_switch,
};
use crate::solvers::matches::own::{JUDGE_MEMORY, LEAST_SECONDS};

/// Most positions of a job.
pub const MOST_POSITIONS: u64 = 10_000;
/// Bytes of a player's table if nothing else is said.
const MEMORY: u64 = 64 << 20;

/// What is asked for in every game.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalyseTerms {
    game: MatchGameName,
    positions: Option<String>,
    every_move: bool,
    level: u8,
    seconds: f64,
    nodes: Option<u64>,
    depth: Option<u32>,
    best: Option<u64>,
    komi: Value,
    seed: u64,
    memory: u64,
    weights: BuiltInWeights,
}

impl Default for AnalyseTerms {
    fn default() -> AnalyseTerms {
        AnalyseTerms {
            game: MatchGameName::default(),
            positions: None,
            every_move: false,
            level: 10,
            seconds: 10.0,
            nodes: None,
            depth: None,
            best: None,
            komi: 0,
            seed: 0,
            memory: MEMORY,
            weights: BuiltInWeights::Usual,
        }
    }
}

/// The settings that do not say which board and rules, in the order of help texts.
pub static ANALYSE_TERMS: [SettingRow<AnalyseTerms>; 12] = [
    SettingRow {
        about: SettingInfo::new(
            "game",
            "Game",
            ValueKind::Choice(&MATCH_GAMES),
            "Which game the positions are of.",
        )
        .value_name("GAME"),
        read: |terms, text| read_name(text).map(|game| terms.game = game),
        show: |terms| Some(show_name(&terms.game)),
    },
    SettingRow {
        about: SettingInfo::new(
            POSITIONS,
            "Positions",
            ValueKind::Lines,
            "Several positions or games instead of one: a file, or a text, with one on each line, as position has it. \
             Lines that are empty or begin with # are passed over.",
        )
        .value_name("FILE|LINES")
        .unset("the one position"),
        read: |terms, text| {
            terms.positions = Some(text.to_owned());
            Ok(())
        },
        show: |terms| terms.positions.clone(),
    },
    SettingRow {
        about: SettingInfo::new(
            "every_move",
            "Every move",
            ValueKind::Switch,
            "Whether of a game each position is analysed, and not only the last one.",
        ),
        read: |terms, text| read_switch(text).map(|on| terms.every_move = on),
        show: |terms| Some(show_switch(terms.every_move).to_owned()),
    },
    SettingRow {
        about: SettingInfo::new(
            "level",
            "Level",
            ValueKind::Whole { min: 1, max: 10 },
            "How strong the machine plays.",
        ),
        read: |terms, text| read_text(text).map(|level| terms.level = level),
        show: |terms| Some(terms.level.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "time",
            "Time for a position",
            ValueKind::Seconds,
            "Most time of the processor for a position.",
        )
        .unit("s"),
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
            "Nodes for a position",
            ValueKind::Count { min: 1 },
            "Most nodes for a position, in Go playouts. If they are used up before the time, the values are the same \
             each time.",
        )
        .aliases(&["playouts"])
        .unset("as many as the time allows"),
        read: |terms, text| parse_count(text).map(|nodes| terms.nodes = Some(nodes)),
        show: |terms| terms.nodes.map(|nodes| nodes.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "depth",
            "Plies",
            ValueKind::Whole { min: 1, max: u32::MAX as u64 },
            "For Gomoku and Reversi: most plies to search.",
        )
        .unset("as many as the time allows"),
        read: |terms, text| read_text(text).map(|depth| terms.depth = Some(depth)),
        show: |terms| terms.depth.map(|depth| depth.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "best",
            "Moves",
            ValueKind::Whole { min: 1, max: u16::MAX as u64 },
            "Number of moves to tell of, the best ones.",
        )
        .unset("all"),
        read: |terms, text| read_text(text).map(|best| terms.best = Some(best)),
        show: |terms| terms.best.map(|best| best.to_string()),
    },
    SettingRow {
        about: SettingInfo::new("komi", "Komi", ValueKind::Text, "For Go: what white gets beside its area.")
            .value_name("POINTS")
            .unit("points"),
        read: |terms, text| read_komi(text).map(|komi| terms.komi = komi),
        show: |terms| Some((f64::from(terms.komi) / 10.0).to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "seed",
            "Seed",
            ValueKind::Whole { min: 0, max: u64::MAX },
            "For Go: decides the playouts.",
        ),
        read: |terms, text| read_text(text).map(|seed| terms.seed = seed),
        show: |terms| Some(terms.seed.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "memory",
            "Memory",
            ValueKind::Bytes,
            "Memory of each worker for what is known of positions.",
        ),
        read: |terms, text| {
            terms.memory = parse_bytes(text).map_err(|error| BadValue(error.to_string()))?;
            Ok(())
        },
        show: |terms| Some(terms.memory.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "weights",
            "Weights",
            ValueKind::Choice(&BUILT_IN_WEIGHTS),
            "For Gomoku and Reversi: which weights to judge with. A daemon reads no files for its clients.",
        ),
        read: |terms, text| read_name(text).map(|weights| terms.weights = weights),
        show: |terms| Some(show_name(&terms.weights)),
    },
];

/// Whether a setting does not say which board and rules.
pub fn is_analyse_term(name: &str) -> bool {
    ANALYSE_TERMS.iter().any(|row| row.about.name == name)
}

/// Whether a game has a setting that not all have.
fn has_term(game: MatchGameName, name: &str) -> bool {
    match name {
        "komi" | "seed" => game == MatchGameName::Go,
        "depth" | "weights" => game != MatchGameName::Go,
        _ => true,
    }
}

/// The settings of positions that are analysed: those of every game, and those of the boards.
#[derive(Debug, Default)]
pub struct AnalyseSettings {
    terms: AnalyseTerms,
    setup: MatchSetup,
}

impl FromSettings for AnalyseSettings {
    fn all() -> Vec<&'static SettingInfo> {
        ANALYSE_TERMS.iter().map(|row| &row.about).chain(MatchSetup::all()).collect()
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), BadValue> {
        if is_analyse_term(name) {
            set_row(&ANALYSE_TERMS, &mut self.terms, name, text)
        } else {
            self.setup.set(name, text)
        }
    }

    fn usual(name: &str) -> Option<String> {
        if is_analyse_term(name) { usual_text(&ANALYSE_TERMS, name) } else { MatchSetup::usual(name) }
    }
}

impl AnalyseSettings {
    /// Whether a setting has the same default value in a game as in all that have it.
    pub fn has_default(game: MatchGameName, name: &str) -> bool {
        is_analyse_term(name) && has_term(game, name)
    }

    /// The positions that are asked for.
    ///
    /// # Errors
    /// If the settings make no sense: what is wrong, where, and what would be right.
    pub fn job(given: &[GivenSetting]) -> Result<AnalyseJob, BadValue> {
        let (of_terms, of_setup): (Vec<_>, Vec<_>) = given.iter().cloned().partition(|one| is_analyse_term(one.name));
        let AnalyseSettings { terms, .. } = read(&of_terms)?;
        let AnalyseTerms { game, seconds, nodes, depth, komi, seed, memory, .. } = terms;
        if let Some(one) = of_terms.iter().find(|one| !has_term(game, one.name)) {
            return Err(BadValue(format!("{} is not a setting of {}", one.place(), game.text())));
        }
        game.check_known(&of_setup)?;
        let lines = of_terms.iter().rfind(|one| one.name == POSITIONS);
        if let (Some(lines), Some(one)) = (lines, of_setup.iter().rfind(|one| one.name == "position")) {
            return Err(BadValue(format!("{} cannot be used with {}", lines.place(), one.place())));
        }
        let (count, title) = game.visit(PositionCounter { setup: &of_setup, lines, terms: &terms })?;
        let AnalyseTerms { positions, every_move, level, best, weights, .. } = terms;
        let setup = of_setup.iter().map(|one| (one.name.to_owned(), one.text.clone())).collect();
        Ok(AnalyseJob {
            game,
            setup,
            positions,
            every_move,
            count,
            title,
            level,
            seconds,
            nodes,
            depth,
            best,
            komi,
            seed,
            memory,
            weights,
        })
    }
}

/// Counts the positions, tells their title, and checks that the player plays from them.
struct PositionCounter<'a> {
    /// With the names of the settings as they were given.
    setup: &'a [GivenSetting],
    lines: Option<&'a GivenSetting>,
    terms: &'a AnalyseTerms,
}

impl MatchVisitor for PositionCounter<'_> {
    type Out = Result<(u64, String), BadValue>;

    fn visit<G: MatchBoard>(self) -> Self::Out {
        let AnalyseTerms { every_move, komi, weights, .. } = *self.terms;
        let positions = AnalysedPositions::<G>::read(self.setup, self.lines, every_move)?;
        if positions.is_empty() {
            return Err(BadValue("there is no position in which a move can be made".to_owned()));
        }
        if positions.len() > MOST_POSITIONS {
            return Err(BadValue(format!(
                "there are {} positions, and a job can have {MOST_POSITIONS}: submit several jobs",
                positions.len()
            )));
        }
        let mut player = analyst::<G>(JUDGE_MEMORY, weights, 0)?;
        positions.games.iter().try_for_each(|game| G::prepare(&mut player, &game.start, komi))?;
        Ok((positions.len(), positions.title))
    }
}

/// The player that analyses, with so many bytes for its table.
///
/// # Errors
/// No memory.
pub fn analyst<G: MatchBoard>(memory: u64, weights: BuiltInWeights, seed: u64) -> Result<G::Own, BadValue> {
    let mut player = G::own_player(memory)?;
    if weights != BuiltInWeights::Usual {
        G::set(&mut player, "weights", &show_name(&weights), JOB_MEANS)?;
    }
    // Only a player of Go has one.
    G::set(&mut player, "seed", &seed.to_string(), JOB_MEANS)?;
    Ok(player)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::game::Game;
    use crate::games::go::large::position::LargePosition;
    use crate::games::gomoku::position::GomokuPosition;
    use crate::games::reversi::position::ReversiPosition;
    use crate::jobs::reading::from_json;
    use serde_json::json;

    fn job(settings: serde_json::Value) -> Result<AnalyseJob, String> {
        let given = from_json::<AnalyseSettings>(settings.as_object().unwrap()).map_err(|error| error.to_string())?;
        AnalyseSettings::job(&given).map_err(|error| error.to_string())
    }

    /// The positions, as their texts.
    fn texts<G: MatchBoard>(job: &AnalyseJob) -> Vec<String> {
        let positions = job.read::<G>().unwrap();
        (0..positions.len()).map(|unit| positions.at(unit).unwrap().text()).collect()
    }

    #[test]
    fn positions_are_read_and_stored() {
        let usual = job(json!({})).unwrap();
        assert_eq!((usual.game, usual.count, usual.seconds, usual.best), (MatchGameName::Gomoku, 1, 10.0, None));
        let list = job(json!({ "size": 7, "positions": ["d4", "# none", "", "d4e5 c3"], "nodes": "2k" })).unwrap();
        assert_eq!((list.count, list.nodes, list.effort().as_str()), (2, Some(2000), "2000 nodes, 10 s"));
        assert_eq!(texts::<GomokuPosition>(&list)[0], job_text(json!({ "size": 7, "position": "d4" })));
        let stored = serde_json::to_string(&list).unwrap();
        assert_eq!(serde_json::from_str::<AnalyseJob>(&stored).unwrap(), list);
        let game = job(json!({ "size": 7, "position": "d4e5c3", "every_move": true })).unwrap();
        assert_eq!(
            (game.count, texts::<GomokuPosition>(&game)[1].clone()),
            (4, texts::<GomokuPosition>(&list)[0].clone())
        );
        let reversi = job(json!({ "game": "reversi", "position": "f5d6\nf5f6", "every_move": "on" })).unwrap();
        assert_eq!((reversi.count, texts::<ReversiPosition>(&reversi).len()), (6, 6));
        let go = json!({ "game": "go", "positions": ["(;GM[1]SZ[5];B[cc];W[bb])", "..../..X./..../.... white"],
            "every_move": "on", "komi": 6.5, "seed": 3 });
        let go = job(go).unwrap();
        assert_eq!((go.count, go.komi, go.seed), (4, 65, 3));
        let positions = go.read::<LargePosition>().unwrap();
        assert_eq!((positions.place(1), positions.place(3)), (Some((0, 1)), Some((1, 0))));
        assert_eq!(positions.at(1).unwrap().name(positions.games[0].moves[1]), "b4");
        assert!(positions.at(4).is_none());
    }

    fn job_text(settings: serde_json::Value) -> String {
        texts::<GomokuPosition>(&job(settings).unwrap()).remove(0)
    }

    #[test]
    fn a_game_that_is_over_is_analysed_up_to_its_end() {
        let over = json!({ "size": 5, "win": 3, "position": "a1 a5 b1 b5 c1", "every_move": "on" });
        assert_eq!(job(over).unwrap().count, 5);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (settings, expected) in [
            (json!({ "game": "chess" }), "expected one of gomoku, reversi, go"),
            (json!({ "level": 11 }), "11 is not in 1..=10"),
            (json!({ "time": "soon" }), "settings.time"),
            (json!({ "komi": 3 }), "settings.komi is not a setting of gomoku"),
            (json!({ "game": "go", "depth": 3 }), "settings.depth is not a setting of go"),
            (json!({ "game": "go", "weights": "by-hand" }), "settings.weights is not a setting of go"),
            (json!({ "weights": "/etc/passwd" }), "expected one of usual, by-hand"),
            (json!({ "position": "z99" }), "settings.position is not a position"),
            (json!({ "positions": ["h8", "z99"] }), "settings.positions: cannot use line 2: `z99`"),
            (json!({ "positions": "# none" }), "settings.positions: there is no position in it"),
            (json!({ "positions": "h8", "position": "h8" }), "cannot be used with settings.position"),
            (json!({ "positions": ["h8h8"] }), "settings.positions: cannot use line 1: move 2, h8, is illegal"),
            (json!({ "positions": ["h8"], "size": 30 }), "settings.size"),
            (
                json!({ "positions": ["(;GM[4]SZ[9];B[ee])"], "size": 7 }),
                "line 1: the position is on a 9x9 board, settings.size says 7x7",
            ),
            (json!({ "win": 7 }), "rows of 3 to 5 stones, not for 7"),
            (json!({ "game": "reversi", "rule": "free" }), "settings.rule is not a setting of reversi"),
            (json!({ "game": "reversi", "positions": ["f5"], "start": "alternative" }), "cannot be used with"),
            (json!({ "pairs": 3 }), "unknown key 'pairs'"),
            (json!({ "positions": vec!["h8"; 10_001] }), "10001 positions, and a job can have 10000"),
        ] {
            let error = job(settings.clone()).unwrap_err();
            assert!(error.contains(expected), "{settings}: {error}");
        }
    }
}
