//! The settings of patterns that are mined, by `morpion tactics mine` and as a job ([`super::reading`]).

use super::mining::MineJob;
use super::reading::{GivenSetting, SettingsTable, read};
use crate::core::setting::{BadValue, SettingInfo, SettingRow, ValueKind, parse_count, read as read_text};

/// Most games of a job: each has a file while it runs.
pub const MOST_GAMES: u64 = 10_000;
/// Rows and columns of a board.
pub const SIZES: std::ops::RangeInclusive<u64> = 3..=19;

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct MineSettings {
    job: MineJob,
}

impl Default for MineSettings {
    fn default() -> MineSettings {
        MineSettings { job: MineJob { games: 20, size: 9, playouts: 100, nodes: 2000, least: 2, seed: 0 } }
    }
}

/// The settings, in the order of help texts.
pub static MINE_SETTINGS: [SettingRow<MineSettings>; 6] = [
    SettingRow {
        about: SettingInfo::new(
            "games",
            "Games",
            ValueKind::Whole { min: 1, max: u32::MAX as u64 },
            "Number of games.",
        ),
        read: |asked, text| read_text(text).map(|games| asked.job.games = games),
        show: |asked| Some(asked.job.games.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "size",
            "Board",
            ValueKind::Whole { min: *SIZES.start(), max: *SIZES.end() },
            "Rows and columns of the board.",
        ),
        read: |asked, text| read_text(text).map(|size| asked.job.size = size),
        show: |asked| Some(asked.job.size.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "playouts",
            "Playouts for a move",
            ValueKind::Count { min: 1 },
            "Playouts for each move of the games.",
        ),
        read: |asked, text| parse_count(text).map(|playouts| asked.job.playouts = playouts),
        show: |asked| Some(asked.job.playouts.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "nodes",
            "Nodes of a reading",
            ValueKind::Count { min: 0 },
            "Give up a question after about this many nodes of each reading; one about two chains takes half of them.",
        ),
        read: |asked, text| parse_count(text).map(|nodes| asked.job.nodes = nodes),
        show: |asked| Some(asked.job.nodes.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "least",
            "Games with a pattern",
            ValueKind::Whole { min: 1, max: u32::MAX as u64 },
            "Keep the patterns that come up in at least so many games.",
        ),
        read: |asked, text| read_text(text).map(|least| asked.job.least = least),
        show: |asked| Some(asked.job.least.to_string()),
    },
    SettingRow {
        about: SettingInfo::new("seed", "Seed", ValueKind::Whole { min: 0, max: u64::MAX }, "Decides the games."),
        read: |asked, text| read_text(text).map(|seed| asked.job.seed = seed),
        show: |asked| Some(asked.job.seed.to_string()),
    },
];

impl SettingsTable for MineSettings {
    const ROWS: &'static [SettingRow<Self>] = &MINE_SETTINGS;
}

impl MineSettings {
    /// What is asked for, whether it is a job or not.
    ///
    /// # Errors
    /// A value that is not valid.
    pub fn asked(given: &[GivenSetting]) -> Result<MineJob, BadValue> {
        read::<MineSettings>(given).map(|asked| asked.job)
    }

    /// The patterns that a job is asked for.
    ///
    /// # Errors
    /// If the settings make no sense: what is wrong, where, and what would be right.
    pub fn job(given: &[GivenSetting]) -> Result<MineJob, BadValue> {
        let job = MineSettings::asked(given)?;
        if let Some(one) = given.iter().rfind(|one| one.name == "games")
            && job.games > MOST_GAMES
        {
            return Err(BadValue(format!(
                "{one}: a job can have {MOST_GAMES} games: submit several jobs, with other seeds, and put their patterns \
                 together with morpion tactics database merge"
            )));
        }
        Ok(job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::reading::from_json;
    use serde_json::{Value, json};

    fn job(settings: Value) -> Result<MineJob, String> {
        let given = from_json::<MineSettings>(settings.as_object().unwrap()).map_err(|error| error.to_string())?;
        MineSettings::job(&given).map_err(|error| error.to_string())
    }

    #[test]
    fn patterns_are_asked_for() {
        let usual = job(json!({})).unwrap();
        assert_eq!(usual, MineJob { games: 20, size: 9, playouts: 100, nodes: 2000, least: 2, seed: 0 });
        let other =
            job(json!({ "games": 3, "size": 5, "playouts": "1k", "nodes": 0, "least": 1, "seed": 7 })).unwrap();
        assert_eq!((other.title().as_str(), other.effort().as_str()), ("go 5x5", "1000 playouts, 0 nodes"));
        let stored = serde_json::to_string(&other).unwrap();
        assert_eq!(serde_json::from_str::<MineJob>(&stored).unwrap(), other);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (settings, expected) in [
            (json!({ "games": 0 }), "0 is not in 1..="),
            (json!({ "games": 20_000 }), "settings.games: '20000': a job can have 10000 games"),
            (json!({ "size": 2 }), "2 is not in 3..=19"),
            (json!({ "playouts": 0 }), "it must be at least 1"),
            (json!({ "least": 0 }), "0 is not in 1..="),
            (json!({ "output": "x" }), "unknown key 'output'"),
        ] {
            let error = job(settings.clone()).unwrap_err();
            assert!(error.contains(expected), "{settings}: {error}");
        }
    }
}
