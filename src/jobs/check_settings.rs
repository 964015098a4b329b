//! The settings of plans that are checked as a job ([`super::reading`]).

use super::checking::CheckJob;
use super::plan_settings::{plan_title, read_plan};
use super::reading::{GivenSetting, SettingsTable, read};
use crate::core::setting::{BadValue, SettingInfo, SettingRow, ValueKind, read as read_text};
use crate::solvers::gomoku::plan::{WinningPlan, text};

/// The setting that has the plan.
const CHECKED_PLAN: &str = "plan";
/// Moves of a unit.
const UNIT_MOVES: u64 = 20;

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckSettings {
    plan: String,
    moves: u64,
}

impl Default for CheckSettings {
    fn default() -> CheckSettings {
        CheckSettings { plan: String::new(), moves: UNIT_MOVES }
    }
}

/// The settings, in the order of help texts.
pub static CHECK_SETTINGS: [SettingRow<CheckSettings>; 2] = [
    SettingRow {
        about: SettingInfo::new(
            CHECKED_PLAN,
            "Plan",
            ValueKind::Lines,
            "The plan: a file of morpion plan find, or its text.",
        )
        .value_name("FILE|LINES"),
        read: |asked, text| {
            asked.plan = text.to_owned();
            Ok(())
        },
        show: |asked| (!asked.plan.is_empty()).then(|| asked.plan.clone()),
    },
    SettingRow {
        about: SettingInfo::new(
            "moves",
            "Moves of a unit",
            ValueKind::Whole { min: 1, max: u32::MAX as u64 },
            "Moves of the plan that a worker checks before others have their turn.",
        ),
        read: |asked, text| read_text(text).map(|moves| asked.moves = moves),
        show: |asked| Some(asked.moves.to_string()),
    },
];

impl SettingsTable for CheckSettings {
    const ROWS: &'static [SettingRow<Self>] = &CHECK_SETTINGS;
}

impl CheckSettings {
    /// The check that is asked for.
    ///
    /// # Errors
    /// If the settings make no sense: what is wrong, where, and what would be right.
    pub fn job(given: &[GivenSetting]) -> Result<CheckJob, BadValue> {
        let CheckSettings { moves: unit_moves, .. } = read(given)?;
        let Some(one) = given.iter().rfind(|one| one.name == CHECKED_PLAN) else {
            return Err(BadValue("plan is missing: expected the lines of a plan, or a file of them".to_owned()));
        };
        let plan = read_plan(one)?;
        let placed = |why: String| BadValue(format!("{}: {why}", one.place()));
        WinningPlan::begin(plan.start().clone(), plan.attacker()).map_err(|why| placed(why.to_string()))?;
        let moves = plan.moves().len() as u64;
        // What is stored is the text, which has to be read again, with the same moves under the same numbers.
        let stored = text::to_text(&plan);
        let again = text::parse(&stored).map_err(|why| placed(format!("the plan cannot be stored, {why}")))?;
        if again.moves() != plan.moves() {
            return Err(placed("the plan cannot be stored: its text has other moves".to_owned()));
        }
        Ok(CheckJob { title: plan_title(&plan), plan: stored, moves, unit_moves })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::reading::from_json;
    use serde_json::{Value, json};

    const PLAN: &str = "morpion plan 1\ngame 15x15 free 5\nstart h8\nwins black\n0 h9 i9";

    fn job(settings: Value) -> Result<CheckJob, String> {
        let given = from_json::<CheckSettings>(settings.as_object().unwrap()).map_err(|error| error.to_string())?;
        CheckSettings::job(&given).map_err(|error| error.to_string())
    }

    #[test]
    fn checks_are_asked_for() {
        let usual = job(json!({ "plan": PLAN })).unwrap();
        assert_eq!((usual.moves, usual.unit_moves, usual.effort().as_str()), (1, 20, "20 moves a unit"));
        assert_eq!(usual.title, "gomoku 15x15, given position, 5 or more in a row");
        assert_eq!(usual.plan().unwrap().moves().len(), 1);
        let lines: Vec<&str> = PLAN.lines().collect();
        let other = job(json!({ "plan": lines, "moves": 1 })).unwrap();
        assert_eq!((other.plan.as_str(), other.effort().as_str()), (usual.plan.as_str(), "1 move a unit"));
        let stored = serde_json::to_string(&other).unwrap();
        assert_eq!(serde_json::from_str::<CheckJob>(&stored).unwrap(), other);
        // A plan without moves can be checked, too: it may be that threats win.
        assert_eq!(job(json!({ "plan": lines[..4] })).unwrap().moves, 0);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (settings, expected) in [
            (json!({}), "plan is missing: expected the lines of a plan"),
            (json!({ "moves": 5 }), "plan is missing"),
            (json!({ "plan": PLAN, "moves": 0 }), "0 is not in 1..="),
            (
                json!({ "plan": "no.plan" }),
                "settings.plan: there is no such file as 'no.plan', and a plan begins with",
            ),
            (json!({ "plan": format!("{PLAN}\n9 h7 h8") }), "settings.plan: line 6: it has 9 moves in common"),
            (json!({ "plan": format!("{PLAN}\n0 h8 h7") }), "settings.plan: line 6: h8 is illegal"),
            (json!({ "plan": "morpion plan 1\ngame 15x15 renju 5\nstart h8\nwins black" }), "not for renju"),
            (json!({ "plan": "morpion plan 1\ngame 3x3 free 3\nstart a1a2b1b2c1\nwins black" }), "the game is over"),
            (json!({ "plan": format!("{PLAN}{}", "\n".repeat(900_000)) }), "and that of a job can have 900000"),
            (json!({ "plan": PLAN, "position": "h8" }), "unknown key 'position'"),
        ] {
            let error = job(settings.clone()).unwrap_err();
            let text = settings.to_string();
            assert!(error.contains(expected), "{}: {error}", &text[..text.len().min(80)]);
        }
    }
}
