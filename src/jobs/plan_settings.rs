//! The settings of plans that are looked for as a job: what `morpion plan find` takes ([`super::reading`]).

use super::planning::PlanJob;
use super::reading::{FromSettings, GivenSetting, SettingSource, read, set_row, usual_text};
use super::setup::gomoku::GomokuSetup;
use super::setup::setup_of;
use crate::core::game::Side;
use crate::core::setting::{BadValue, NamedValue, SettingInfo, SettingRow, ValueKind, parse_count};
use crate::games::gomoku::notation::colour_name;
use crate::solvers::gomoku::plan::{WinningPlan, text};

/// The setting that has a plan to begin with.
pub const BEGUN_PLAN: &str = "plan";
/// Nodes of a unit, as of a turn of `morpion plan find`.
const NODES: u64 = 5_000_000;
/// Nodes of a reply's own search before it is divided. Most replies to h8 on 15x15 are proven by one of 20 to 60
/// million.
pub const UNDIVIDED_NODES: u64 = 100_000_000;
/// Least nodes of a search: fewer are not enough for the moves of one position, and it comes to nothing.
pub const LEAST_NODES: u64 = 200_000;
/// Most bytes of a plan to begin with: it is in the request, in the store and in the job's folder.
const MOST_BYTES: usize = 900_000;
/// Most characters of a text that are told when it is no plan.
const SHOWN: usize = 60;
/// Most letters of the moves of a position that the name of a job has.
const NAMED: usize = 24;

static SIDES: [NamedValue; 2] = [
    NamedValue { value: "black", label: "The side that begins" },
    NamedValue { value: "white", label: "The other one" },
];

/// What is asked for beside the position.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanTerms {
    wins: Side,
    plan: Option<String>,
    nodes: u64,
    goal_nodes: Option<u64>,
    divide_after: u64,
}

impl Default for PlanTerms {
    fn default() -> PlanTerms {
        PlanTerms { wins: Side::First, plan: None, nodes: NODES, goal_nodes: None, divide_after: UNDIVIDED_NODES }
    }
}

/// The settings that do not say which position, in the order of help texts.
pub static PLAN_TERMS: [SettingRow<PlanTerms>; 5] = [
    SettingRow {
        about: SettingInfo::new("wins", "Side that wins", ValueKind::Choice(&SIDES), "The side that is to win.")
            .value_name("SIDE"),
        read: |terms, text| {
            terms.wins = if text == "white" { Side::Second } else { Side::First };
            Ok(())
        },
        show: |terms| Some(colour_name(terms.wins).to_owned()),
    },
    SettingRow {
        about: SettingInfo::new(
            BEGUN_PLAN,
            "Plan to begin with",
            ValueKind::Lines,
            "A plan to go on with: a file of morpion plan find, or its text. Without other settings of the position, it \
             says which one is meant and who wins.",
        )
        .value_name("FILE|LINES")
        .unset("a plan without moves"),
        read: |terms, text| {
            terms.plan = Some(text.to_owned());
            Ok(())
        },
        show: |terms| terms.plan.clone(),
    },
    SettingRow {
        about: SettingInfo::new(
            "nodes",
            "Nodes of a unit",
            ValueKind::Count { min: LEAST_NODES },
            "Nodes after which a worker puts a reply aside, so that others have their turn.",
        ),
        read: |terms, text| parse_count(text).map(|nodes| terms.nodes = nodes),
        show: |terms| Some(terms.nodes.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "divide_after",
            "Nodes before a reply is divided",
            ValueKind::Count { min: 1 },
            "Nodes after which a reply that its own search has not proven is divided: several moves of the winner are \
             tried against it.",
        ),
        read: |terms, text| parse_count(text).map(|nodes| terms.divide_after = nodes),
        show: |terms| Some(terms.divide_after.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "goal_nodes",
            "Nodes of a reply",
            ValueKind::Count { min: 1 },
            "Nodes after which a reply that has no plan yet is given up.",
        )
        .unset("none is given up"),
        read: |terms, text| parse_count(text).map(|nodes| terms.goal_nodes = Some(nodes)),
        show: |terms| terms.goal_nodes.map(|nodes| nodes.to_string()),
    },
];

/// Whether a setting does not say which position.
pub fn is_plan_term(name: &str) -> bool {
    PLAN_TERMS.iter().any(|row| row.about.name == name)
}

/// The settings of a plan that is looked for: those of the position, and the others.
#[derive(Debug, Default)]
pub struct PlanSettings {
    terms: PlanTerms,
    setup: GomokuSetup,
}

impl FromSettings for PlanSettings {
    fn all() -> Vec<&'static SettingInfo> {
        GomokuSetup::all().into_iter().chain(PLAN_TERMS.iter().map(|row| &row.about)).collect()
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), BadValue> {
        if is_plan_term(name) {
            set_row(&PLAN_TERMS, &mut self.terms, name, text)
        } else {
            self.setup.set(name, text)
        }
    }

    fn usual(name: &str) -> Option<String> {
        if is_plan_term(name) { usual_text(&PLAN_TERMS, name) } else { GomokuSetup::usual(name) }
    }
}

impl PlanSettings {
    /// The plan that is asked for.
    ///
    /// # Errors
    /// If the settings make no sense: what is wrong, where, and what would be right.
    pub fn job(given: &[GivenSetting]) -> Result<PlanJob, BadValue> {
        let (of_terms, of_setup): (Vec<_>, Vec<_>) = given.iter().cloned().partition(|one| is_plan_term(one.name));
        let PlanSettings { terms, .. } = read(&of_terms)?;
        let named = |name: &str| of_terms.iter().rfind(|one| one.name == name);
        let begun = named(BEGUN_PLAN).map(|one| read_plan(one).map(|plan| (one, plan))).transpose()?;
        let start = |position, wins| WinningPlan::begin(position, wins).map_err(|why| BadValue(why.to_string()));
        let plan = match begun {
            Some((one, plan)) if of_setup.is_empty() && named("wins").is_none() => {
                let checked = start(plan.start().clone(), plan.attacker());
                checked.map_err(|why| BadValue(format!("{}: {why}", one.place())))?;
                plan
            }
            begun => {
                let setup: GomokuSetup = setup_of(&of_setup)?;
                let position = setup.position().map_err(|error| error.placed(&of_setup))?;
                let asked = start(position, terms.wins)?;
                match begun {
                    Some((one, plan)) if !plan.is_about_same(&asked) => {
                        return Err(BadValue(format!(
                            "{}: the plan is for another position, other rules or the other side",
                            one.place()
                        )));
                    }
                    Some((_, plan)) => plan,
                    None => asked,
                }
            }
        };
        // What is stored is the text, which has to be read again.
        text::parse(&text::to_text(&plan))
            .map_err(|error| BadValue(format!("the position cannot be stored, {error}")))?;
        let job = PlanJob::new(plan_title(&plan), &plan, terms.nodes, terms.goal_nodes, terms.divide_after);
        if job.goals.is_empty() {
            return Err(BadValue("the plan answers every reply: there is nothing to look for".to_owned()));
        }
        Ok(job)
    }
}

/// The game of a plan and its rules, in words.
pub(super) fn plan_title(plan: &WinningPlan) -> String {
    let start = plan.start();
    let begins = if start.stones().next().is_some() { "given position" } else { "empty board" };
    format!("gomoku {}, {begins}, {}", start.board(), start.rules())
}

/// What a job about a plan is called: its title, with the position's moves where these are few.
pub fn plan_name(title: &str, plan: &str) -> String {
    let start = plan.lines().find_map(|line| line.strip_prefix("start ")).map(str::trim);
    match start.filter(|moves| moves.len() <= NAMED) {
        Some(moves) => title.replace("given position", moves),
        None => title.to_owned(),
    }
}

/// The plan of a setting: what a file has that was named, or a text.
///
/// # Errors
/// If it is too long or no plan: the line, and what is wrong there.
pub(super) fn read_plan(one: &GivenSetting) -> Result<WinningPlan, BadValue> {
    let bytes = one.text.len();
    if bytes > MOST_BYTES {
        let place = one.place();
        return Err(BadValue(format!(
            "{place}: the plan has {bytes} bytes, and that of a job can have {MOST_BYTES}"
        )));
    }
    text::parse(&one.text).map_err(|error| {
        let (place, is_line) = (one.place(), one.text.trim().lines().count() <= 1);
        match one.source {
            SettingSource::Content { .. } => BadValue(format!("{place}, {error}")),
            _ if is_line && !one.text.starts_with(text::HEADING) => {
                let first: String = one.text.trim().chars().take(SHOWN).collect();
                let expected = text::HEADING;
                BadValue(format!("{place}: there is no such file as '{first}', and a plan begins with `{expected}`"))
            }
            _ => BadValue(format!("{place}: {error}")),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::reading::from_json;
    use serde_json::{Value, json};

    fn job(settings: Value) -> Result<PlanJob, String> {
        let given = from_json::<PlanSettings>(settings.as_object().unwrap()).map_err(|error| error.to_string())?;
        PlanSettings::job(&given).map_err(|error| error.to_string())
    }

    const BEGUN: &str = "morpion plan 1\ngame 15x15 free 5\nstart h8\nwins black\n0 h9 i9";

    #[test]
    fn plans_are_asked_for() {
        let usual = job(json!({ "position": "h8" })).unwrap();
        assert_eq!(
            (usual.goals.len(), usual.nodes, usual.goal_nodes, usual.undivided()),
            (35, NODES, None, UNDIVIDED_NODES)
        );
        assert_eq!(usual.title, "gomoku 15x15, given position, exactly 5 in a row");
        assert_eq!(plan_name(&usual.title, &usual.plan), "gomoku 15x15, h8, exactly 5 in a row");
        assert_eq!(usual.known().unwrap().attacker(), Side::First);
        assert_eq!(job(json!({})).unwrap().goals, ["-"]);
        // A plan says itself what it is about; if something else says so, too, it is the same.
        let begun = job(json!({ "plan": BEGUN, "goal_nodes": "1M", "nodes": "400k" })).unwrap();
        assert_eq!((begun.known, begun.goals.len(), begun.turns()), (1, 34, 3));
        assert!(begun.title.ends_with("5 or more in a row") && !begun.goals.contains(&"h9".to_owned()));
        let lines: Vec<&str> = BEGUN.lines().collect();
        assert_eq!(job(json!({ "plan": lines, "goal_nodes": "1M", "nodes": "400k" })).unwrap(), begun);
        assert_eq!(job(json!({ "plan": BEGUN, "position": "h8", "rule": "free" })).unwrap().goals, begun.goals);
        let stored = serde_json::to_string(&begun).unwrap();
        assert_eq!(serde_json::from_str::<PlanJob>(&stored).unwrap(), begun);
        // Jobs of versions without the setting divide a reply after two units.
        let mut older: Value = serde_json::from_str(&stored).unwrap();
        assert_eq!(older.as_object_mut().unwrap().remove("divide_after"), Some(UNDIVIDED_NODES.into()));
        assert_eq!(serde_json::from_value::<PlanJob>(older).unwrap().undivided(), 800_000);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let other = "settings.plan: the plan is for another position, other rules or the other side";
        for (settings, expected) in [
            (json!({ "position": "z99" }), "settings.position is not a position"),
            (json!({ "rule": "renju" }), "plans are for the rules five and free, not for renju"),
            (json!({ "win": 6 }), "plans are for rows of three to five stones, not of 6"),
            (json!({ "size": 3, "win": 3, "position": "a1a2b1b2c1" }), "the game is over in this position"),
            (json!({ "wins": "red" }), "expected one of black, white"),
            (json!({ "nodes": 1000 }), "it must be at least 200000"),
            (json!({ "goal_nodes": 0 }), "it must be at least 1"),
            (
                json!({ "plan": "no.plan" }),
                "settings.plan: there is no such file as 'no.plan', and a plan begins with",
            ),
            (json!({ "plan": format!("{BEGUN}\n9 h7 h8") }), "settings.plan: line 6: it has 9 moves in common"),
            (json!({ "plan": "morpion plan 1\ngame 15x15 renju 5\nstart h8\nwins black" }), "not for renju"),
            (json!({ "plan": BEGUN, "position": "h8" }), other),
            (json!({ "plan": BEGUN, "wins": "black" }), other),
            (json!({ "plan": BEGUN, "position": "h8", "rule": "free", "wins": "white" }), other),
            (
                json!({ "plan": "morpion plan 1\ngame 15x15 five 5\nstart h8h9\nwins black\n0 - i9" }),
                "the plan answers every reply",
            ),
            (json!({ "plan": format!("{BEGUN}{}", "\n".repeat(MOST_BYTES)) }), "and that of a job can have 900000"),
            (json!({ "file": "x" }), "unknown key 'file'"),
        ] {
            let error = job(settings.clone()).unwrap_err();
            let text = settings.to_string();
            assert!(error.contains(expected), "{}: {error}", &text[..text.len().min(80)]);
        }
    }
}
