//! The settings of tactical questions that are answered as a job: what `morpion tactics suite` takes
//! ([`super::reading`]).

use super::reading::{GivenSetting, SettingSource, SettingsTable, read};
use super::tactics::{ATTACK_SOURCES, AttackSource, TacticsJob};
use crate::core::setting::{
    BadValue, SettingInfo, SettingRow, ValueKind, parse_count, read_name, read_switch, show_name, show_switch,
};
use crate::tactics::solve::USUAL_NODES;

/// The setting that has the questions.
pub const QUESTIONS: &str = "questions";
/// The setting that has the patterns.
pub const DATABASE: &str = "database";

/// Most questions of a job.
const MOST_QUESTIONS: usize = 10_000;
/// Most bytes of questions and patterns together: they are in the request, in the store and in the job's folder.
pub const MOST_BYTES: usize = 900_000;
/// Most characters of a text that are told when it is no list of questions.
const SHOWN: usize = 60;

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct TacticsSettings {
    questions: String,
    nodes: u64,
    moves: AttackSource,
    database: Option<String>,
    check: bool,
}

impl Default for TacticsSettings {
    fn default() -> TacticsSettings {
        let moves = AttackSource::Generators;
        TacticsSettings { questions: String::new(), nodes: USUAL_NODES, moves, database: None, check: false }
    }
}

/// The settings, in the order of help texts.
pub static TACTICS_SETTINGS: [SettingRow<TacticsSettings>; 5] = [
    SettingRow {
        about: SettingInfo::new(
            QUESTIONS,
            "Questions",
            ValueKind::Lines,
            "The questions: a file, or a text, with one on each line, in columns that tabs part: number, question \
             (attack, defend, connect, disconnect, kill, live), stone or stones, expected answer such as [1 D4] (it may \
             be empty), size, black stones, white stones and, if a ko forbids the side to move a point, that point. \
             Questions to kill or live may have a region such as a1:f4 in the ninth column. Lines that are empty or \
             begin with # are passed over.",
        )
        .value_name("FILE|LINES"),
        read: |asked, text| {
            asked.questions = text.to_owned();
            Ok(())
        },
        show: |asked| (!asked.questions.is_empty()).then(|| asked.questions.clone()),
    },
    SettingRow {
        about: SettingInfo::new(
            "nodes",
            "Nodes of a reading",
            ValueKind::Count { min: 1 },
            "Give up after about this many nodes of each reading; one about two chains takes half of them.",
        ),
        read: |asked, text| parse_count(text).map(|nodes| asked.nodes = nodes),
        show: |asked| Some(asked.nodes.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "moves",
            "Moves of the attacker",
            ValueKind::Choice(&ATTACK_SOURCES),
            "Where the attacker's moves come from.",
        )
        .value_name("WHAT"),
        read: |asked, text| read_name(text).map(|moves| asked.moves = moves),
        show: |asked| Some(show_name(&asked.moves)),
    },
    SettingRow {
        about: SettingInfo::new(
            DATABASE,
            "Patterns",
            ValueKind::Lines,
            "Patterns to take: a file of them, or its text in SGF.",
        )
        .value_name("FILE|SGF")
        .unset("the patterns that come with the program"),
        read: |asked, text| {
            asked.database = Some(text.to_owned());
            Ok(())
        },
        show: |asked| asked.database.clone(),
    },
    SettingRow {
        about: SettingInfo::new(
            "check",
            "Check proofs",
            ValueKind::Switch,
            "Whether each proof is replayed by the naive rules, with 1000 random fillings of the points outside its zone.",
        ),
        read: |asked, text| read_switch(text).map(|on| asked.check = on),
        show: |asked| Some(show_switch(asked.check).to_owned()),
    },
];

impl SettingsTable for TacticsSettings {
    const ROWS: &'static [SettingRow<Self>] = &TACTICS_SETTINGS;
}

impl TacticsSettings {
    /// The questions that are asked for.
    ///
    /// # Errors
    /// If the settings make no sense: what is wrong, where, and what would be right.
    pub fn job(given: &[GivenSetting]) -> Result<TacticsJob, BadValue> {
        let TacticsSettings { questions, nodes, moves, database, check } = read(given)?;
        let named = |name: &str| given.iter().rfind(|one| one.name == name);
        let Some(asked) = named(QUESTIONS) else {
            return Err(BadValue("questions are missing: expected lines, or a file of them".to_owned()));
        };
        let placed = |one: &GivenSetting, why: String| BadValue(format!("{}: {why}", one.place()));
        if let (Some(one), AttackSource::Generators) = (named(DATABASE), moves) {
            let moves = one.sibling("moves");
            return Err(placed(one, format!("patterns are of no use unless {moves} is patterns or both")));
        }
        let bytes = questions.len() + database.as_ref().map_or(0, String::len);
        if bytes > MOST_BYTES {
            let what = if database.is_some() { "the questions and the patterns have" } else { "the questions have" };
            return Err(BadValue(format!(
                "{what} {bytes} bytes, and those of a job can have {MOST_BYTES}: submit several jobs"
            )));
        }
        let mut job = TacticsJob { questions, count: 0, nodes, moves, database, check };
        if let Some(one) = named(DATABASE) {
            // What is wrong with the patterns is not told of the questions.
            let of_patterns = TacticsJob { questions: String::new(), ..job.clone() };
            of_patterns.suite().map_err(|why| placed(one, why.0))?;
        }
        let read = job.questions();
        let read = read.map_err(|why| match asked.source {
            SettingSource::Content { .. } => BadValue(format!("{}, {why}", asked.place())),
            _ if !asked.text.contains('\t') => {
                let first: String = asked.text.lines().next().unwrap_or_default().chars().take(SHOWN).collect();
                placed(asked, format!("there is no such file as '{first}', and questions have tabs between columns"))
            }
            _ => placed(asked, why.0),
        })?;
        if read.is_empty() {
            return Err(placed(asked, "there is no question in it".to_owned()));
        }
        if read.len() > MOST_QUESTIONS {
            let count = read.len();
            return Err(placed(
                asked,
                format!("there are {count} questions, and a job can have {MOST_QUESTIONS}: submit several jobs"),
            ));
        }
        job.count = read.len() as u64;
        Ok(job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::reading::from_json;
    use serde_json::{Value, json};

    const ONE: &str = "7\tattack\tA1\t[1 B1]\t3\tB2\tA1";

    fn job(settings: Value) -> Result<TacticsJob, String> {
        let given = from_json::<TacticsSettings>(settings.as_object().unwrap()).map_err(|error| error.to_string())?;
        TacticsSettings::job(&given).map_err(|error| error.to_string())
    }

    #[test]
    fn questions_are_asked_for() {
        let usual = job(json!({ "questions": [ONE, "# none", "", ONE] })).unwrap();
        assert_eq!(
            (usual.count, usual.nodes, usual.moves, usual.check),
            (2, USUAL_NODES, AttackSource::Generators, false)
        );
        assert_eq!((usual.effort().as_str(), usual.questions().unwrap()[1].line), ("60000 nodes", 4));
        let patterns = "(;(;GL[2]AB[aa][ca]))";
        let other = json!({ "questions": ONE, "nodes": "2k", "moves": "both", "database": patterns, "check": "on" });
        let other = job(other).unwrap();
        assert_eq!((other.effort().as_str(), other.check), ("2000 nodes, patterns first", true));
        let stored = serde_json::to_string(&other).unwrap();
        assert_eq!(serde_json::from_str::<TacticsJob>(&stored).unwrap(), other);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let many = vec![ONE; 10_001].join("\n");
        let long = format!("#{}\n{ONE}", "x".repeat(MOST_BYTES));
        for (settings, expected) in [
            (json!({}), "questions are missing"),
            (json!({ "questions": "# none" }), "settings.questions: there is no question in it"),
            (json!({ "questions": "nofile.tsv" }), "there is no such file as 'nofile.tsv', and questions have tabs"),
            (json!({ "questions": [ONE, "1\tseki\tA1\t\t3\tB2\tA1"] }), "settings.questions: line 2: `seki` is not"),
            (json!({ "questions": many }), "there are 10001 questions, and a job can have 10000"),
            (json!({ "questions": long }), "the questions have 900"),
            (json!({ "questions": ONE, "nodes": 0 }), "it must be at least 1"),
            (json!({ "questions": ONE, "moves": "all" }), "expected one of patterns, generators, both"),
            (
                json!({ "questions": ONE, "database": "(;)" }),
                "settings.database: patterns are of no use unless settings.moves is patterns or both",
            ),
            (json!({ "questions": ONE, "moves": "both", "database": "nothing" }), "settings.database: "),
            (
                json!({ "questions": ONE, "moves": "both", "database": "(;(;GL[9]AB[aa]))" }),
                "GL[9] is not a valid goal",
            ),
            (json!({ "file": "x" }), "unknown key 'file'"),
        ] {
            let error = job(settings.clone()).unwrap_err();
            let text = settings.to_string();
            assert!(error.contains(expected), "{}: {error}", &text[..text.len().min(80)]);
        }
    }
}
