//! The settings of weights that are learned as a job: what `morpion tune` takes, and whose games
//! ([`super::reading`]).

use super::reading::{FromSettings, GivenSetting, SettingsTable, read};
use super::selfplay::{BUILT_IN_WEIGHTS, BuiltInWeights, SELFPLAY_GAMES, SelfplayJob};
use super::setup::matches::MatchGameName;
use super::tuning::{TuneJob, TuneSource, TuneSubject};
use crate::core::setting::{
    BadValue, NamedValue, SettingInfo, SettingRow, ValueKind, read as read_text, read_name, show_name,
};

/// What can be learned, as people choose it.
pub static LEARNED: [NamedValue; 2] = [
    NamedValue { value: "weights", label: "Weights" },
    NamedValue { value: "network", label: "For Gomoku: a network that corrects the estimate of weights" },
];

/// Most jobs whose games are learned from.
const MOST_SOURCES: usize = 100;

/// What makes the games of a job of a player against itself, by its number.
pub type MadeGames<'m> = &'m dyn Fn(u64) -> Result<SelfplayJob, String>;

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct TuneSettings {
    game: MatchGameName,
    jobs: Vec<u64>,
    learn: TuneSubject,
    steps: Option<u32>,
    passes: Option<u32>,
    search_part: Option<f64>,
    penalty: Option<f64>,
    weights: BuiltInWeights,
    search: Option<u32>,
}

impl Default for TuneSettings {
    fn default() -> TuneSettings {
        let (game, weights) = (MatchGameName::Gomoku, BuiltInWeights::Usual);
        TuneSettings {
            game,
            jobs: Vec::new(),
            learn: TuneSubject::Weights,
            steps: None,
            passes: None,
            search_part: None,
            penalty: None,
            weights,
            search: None,
        }
    }
}

/// The settings, in the order of help texts.
pub static TUNE_SETTINGS: [SettingRow<TuneSettings>; 9] = [
    SettingRow {
        about: SettingInfo::new("game", "Game", ValueKind::Choice(&SELFPLAY_GAMES), "The game whose player learns.")
            .value_name("GAME"),
        read: |asked, text| read_name(text).map(|game| asked.game = game),
        show: |asked| Some(show_name(&asked.game)),
    },
    SettingRow {
        about: SettingInfo::new(
            "games_of",
            "Games of the jobs",
            ValueKind::Text,
            "The numbers of the jobs of self-play whose games are learned from, with commas between. What they have \
             made when this job begins is taken.",
        )
        .value_name("ID,ID"),
        read: |asked, text| read_jobs(text).map(|jobs| asked.jobs = jobs),
        show: |asked| {
            let jobs: Vec<String> = asked.jobs.iter().map(u64::to_string).collect();
            (!jobs.is_empty()).then(|| jobs.join(","))
        },
    },
    SettingRow {
        about: SettingInfo::new("learn", "Learn", ValueKind::Choice(&LEARNED), "What is learned.").value_name("WHAT"),
        read: |asked, text| read_name(text).map(|learn| asked.learn = learn),
        show: |asked| Some(show_name(&asked.learn)),
    },
    SettingRow {
        about: SettingInfo::new(
            "steps",
            "Steps",
            ValueKind::Whole { min: 1, max: 100_000 },
            "Steps of the fit, each over all positions; in Reversi for each stage of the game, and at most 10000.",
        )
        .unset("300 for Gomoku, 30 for Reversi"),
        read: |asked, text| read_text(text).map(|steps| asked.steps = Some(steps)),
        show: |asked| asked.steps.map(|steps| steps.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "passes",
            "Passes",
            ValueKind::Whole { min: 1, max: 1000 },
            "For a network: how often each position is taken.",
        )
        .unset("8"),
        read: |asked, text| read_text(text).map(|passes| asked.passes = Some(passes)),
        show: |asked| asked.passes.map(|passes| passes.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "search_part",
            "Part of the search",
            ValueKind::Text,
            "For Gomoku: how much of the target is the value of the search, 0 to 1; the rest is the end of the game.",
        )
        .value_name("PART")
        .unset("0, for a network 0.5"),
        read: |asked, text| read_within(text, 1.0).map(|part| asked.search_part = Some(part)),
        show: |asked| asked.search_part.map(|part| part.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "penalty",
            "Penalty",
            ValueKind::Text,
            "How much weights that few games speak for are drawn to 0: for Gomoku a factor, for Reversi a number of \
             positions that weighs as much.",
        )
        .value_name("N")
        .unset("16 for Gomoku, 50 for Reversi"),
        read: |asked, text| read_within(text, 1e6).map(|penalty| asked.penalty = Some(penalty)),
        show: |asked| asked.penalty.map(|penalty| penalty.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "weights",
            "Weights",
            ValueKind::Choice(&BUILT_IN_WEIGHTS),
            "For Gomoku: the weights to compare with. A network corrects those of the program.",
        ),
        read: |asked, text| read_name(text).map(|weights| asked.weights = weights),
        show: |asked| Some(show_name(&asked.weights)),
    },
    SettingRow {
        about: SettingInfo::new(
            "search",
            "Plies of searches",
            ValueKind::Whole { min: 2, max: 20 },
            "For Reversi: learn what searches of so many plies say of the positions, instead of how the games end. The \
             last twelve moves count as they end.",
        )
        .value_name("PLIES")
        .unset("the ends of games"),
        read: |asked, text| read_text(text).map(|search| asked.search = Some(search)),
        show: |asked| asked.search.map(|search| search.to_string()),
    },
];

/// A number from 0 to the greatest one.
fn read_within(text: &str, most: f64) -> Result<f64, BadValue> {
    let number = text.trim().parse().ok().filter(|number| (0.0..=most).contains(number));
    number.ok_or_else(|| BadValue(format!("expected a number from 0 to {most}")))
}

/// Numbers of jobs with commas between.
fn read_jobs(text: &str) -> Result<Vec<u64>, BadValue> {
    let mut jobs = Vec::new();
    for number in text.split(',') {
        let job = number.trim().parse().map_err(|_| BadValue("expected numbers of jobs, such as 3,5".to_owned()))?;
        if jobs.contains(&job) {
            return Err(BadValue(format!("job {job} is named more than once")));
        }
        jobs.push(job);
    }
    if jobs.len() > MOST_SOURCES {
        return Err(BadValue(format!("at most {MOST_SOURCES} jobs can be named")));
    }
    Ok(jobs)
}

impl SettingsTable for TuneSettings {
    const ROWS: &'static [SettingRow<Self>] = &TUNE_SETTINGS;
}

/// The settings that only some fits have.
const OF_SOME: [&str; 7] = ["learn", "steps", "passes", "search_part", "penalty", "weights", "search"];

/// The default of a setting of a fit; nothing if it has none, or no such setting.
pub fn tune_default(game: MatchGameName, learn: TuneSubject, name: &str) -> Option<String> {
    let (reversi, weights, network) = match (game, learn) {
        (MatchGameName::Reversi, _) => (true, false, false),
        (_, TuneSubject::Weights) => (false, true, false),
        (_, TuneSubject::Network) => (false, false, true),
    };
    let value = match name {
        "steps" if reversi => "30",
        "steps" if weights => "300",
        "penalty" if reversi => "50",
        "penalty" if weights => "16",
        "search_part" if weights => "0",
        "search_part" if network => "0.5",
        "passes" if network => "8",
        "learn" if !reversi => return TuneSettings::usual(name),
        "weights" if weights => return TuneSettings::usual(name),
        _ if OF_SOME.contains(&name) => return None,
        _ => return TuneSettings::usual(name),
    };
    Some(value.to_owned())
}

impl TuneSettings {
    /// Checks what can be checked without the jobs that are named.
    ///
    /// # Errors
    /// If the settings make no sense: what is wrong, where, and what would be right.
    pub fn check(given: &[GivenSetting]) -> Result<TuneSettings, BadValue> {
        let asked: TuneSettings = read(given)?;
        let is_reversi = asked.game == MatchGameName::Reversi;
        // Nothing is searched by default.
        let has = |name: &str| match name {
            "search" => is_reversi,
            _ => tune_default(asked.game, asked.learn, name).is_some(),
        };
        if let Some(one) = given.iter().find(|one| OF_SOME.contains(&one.name) && !has(one.name)) {
            let of = match asked.learn {
                TuneSubject::Weights if one.name == "passes" => "weights, but of a network",
                TuneSubject::Network if !is_reversi => "a network",
                _ => asked.game.text(),
            };
            return Err(BadValue(format!("{} is not a setting of {of}", one.place())));
        }
        if let Some(one) = given.iter().rfind(|one| one.name == "steps")
            && is_reversi
            && asked.steps > Some(10_000)
        {
            return Err(BadValue(format!("{one}: at most 10000 steps can be made in reversi")));
        }
        if asked.jobs.is_empty() {
            return Err(BadValue("games_of is missing: expected the numbers of jobs of self-play".to_owned()));
        }
        Ok(asked)
    }

    /// The weights that are to be learned, from games that `made` knows.
    ///
    /// # Errors
    /// If the settings make no sense, or the games are not there or do not fit together.
    pub fn job(given: &[GivenSetting], made: MadeGames<'_>) -> Result<TuneJob, BadValue> {
        let TuneSettings { game, jobs, learn, steps, passes, search_part, penalty, weights, search } =
            TuneSettings::check(given)?;
        let place = given.iter().rfind(|one| one.name == "games_of").map(GivenSetting::place).unwrap_or_default();
        let placed = |why: String| BadValue(format!("{place}: {why}"));
        let mut sources: Vec<TuneSource> = Vec::new();
        for job in jobs {
            let source = TuneSource { job, made: made(job).map_err(placed)? };
            let title =
                |source: &TuneSource| source.made.board().map(|board| board.title).map_err(|why| placed(why.0));
            if source.made.game != game {
                let (plays, learns) = (source.made.game.text(), game.text());
                return Err(placed(format!("job {job} makes games of {plays}, not of {learns}")));
            }
            if let Some(first) = sources.first()
                && title(first)? != title(&source)?
            {
                let (one, other) = (title(first)?, title(&source)?);
                return Err(placed(format!(
                    "the games must have the same board and rule, but those of job {} are {one}, and those of job {job} \
                     {other}",
                    first.job
                )));
            }
            sources.push(source);
        }
        let usual = |name: &str| tune_default(game, learn, name).unwrap_or_else(|| "0".to_owned());
        let (steps, name) = match learn {
            TuneSubject::Weights => (steps, "steps"),
            TuneSubject::Network => (passes, "passes"),
        };
        Ok(TuneJob {
            game,
            sources,
            learn,
            steps: steps.map_or_else(|| read_text(&usual(name)), Ok)?,
            search_part: search_part.map_or_else(|| read_text(&usual("search_part")), Ok)?,
            penalty: penalty.map_or_else(|| read_text(&usual("penalty")), Ok)?,
            weights,
            search: search.unwrap_or(0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::reading::from_json;
    use crate::jobs::selfplay_settings::SelfplaySettings;
    use serde_json::{Value, json};

    fn made(settings: &Value) -> SelfplayJob {
        let given = from_json::<SelfplaySettings>(settings.as_object().unwrap()).unwrap();
        SelfplaySettings::job(&given).unwrap()
    }

    fn job(settings: Value) -> Result<TuneJob, String> {
        let given = from_json::<TuneSettings>(settings.as_object().unwrap()).map_err(|error| error.to_string())?;
        let known = |job: u64| match job {
            1 | 2 => Ok(made(&json!({ "size": 9, "games": 20, "seed": job }))),
            3 => Ok(made(&json!({ "game": "reversi" }))),
            4 => Ok(made(&json!({ "size": 15 }))),
            other => Err(format!("there is no job {other}")),
        };
        TuneSettings::job(&given, &known).map_err(|error| error.to_string())
    }

    #[test]
    fn weights_are_asked_for() {
        let usual = job(json!({ "games_of": [1, 2] })).unwrap();
        assert_eq!((usual.steps, usual.penalty, usual.search_part, usual.most_games()), (300, 16.0, 0.0, 40));
        assert_eq!(usual.sources.iter().map(|source| source.job).collect::<Vec<_>>(), [1, 2]);
        let other = job(json!({ "games_of": 3, "game": "reversi", "penalty": 2.5 })).unwrap();
        assert_eq!((other.steps, other.penalty, other.fit().as_str()), (30, 2.5, "steps=30 penalty=2.5"));
        let searched = job(json!({ "games_of": 3, "game": "reversi", "search": 6 })).unwrap();
        assert_eq!((searched.search, searched.fit().as_str()), (6, "steps=30 penalty=50 search=6"));
        let network = job(json!({ "games_of": 1, "learn": "network" })).unwrap();
        assert_eq!((network.learn, network.steps, network.search_part), (TuneSubject::Network, 8, 0.5));
        let network = job(json!({ "games_of": 1, "learn": "network", "passes": 30, "search_part": 1 })).unwrap();
        assert_eq!((network.steps, network.search_part), (30, 1.0));
        for asked in [&usual, &network, &searched] {
            let stored = serde_json::to_string(asked).unwrap();
            assert_eq!(serde_json::from_str::<TuneJob>(&stored).unwrap(), *asked);
        }
        // As versions without networks and searches have stored it.
        let mut stored = serde_json::to_value(&usual).unwrap();
        for key in ["learn", "search"] {
            stored.as_object_mut().unwrap().remove(key).unwrap();
        }
        assert_eq!(serde_json::from_value::<TuneJob>(stored).unwrap(), usual);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (settings, expected) in [
            (json!({}), "games_of is missing"),
            (json!({ "games_of": "all" }), "expected numbers of jobs, such as 3,5"),
            (json!({ "games_of": [1, 1] }), "job 1 is named more than once"),
            (json!({ "games_of": [1, 9] }), "settings.games_of: there is no job 9"),
            (json!({ "games_of": [1, 3] }), "job 3 makes games of reversi, not of gomoku"),
            (json!({ "games_of": [1, 4] }), "those of job 1 are gomoku 9x9"),
            (json!({ "games_of": 1, "game": "go" }), "expected one of gomoku, reversi"),
            (json!({ "games_of": 1, "steps": 0 }), "0 is not in 1..=100000"),
            (json!({ "games_of": 1, "search_part": 1.5 }), "expected a number from 0 to 1"),
            (json!({ "games_of": 1, "penalty": -1 }), "expected a number from 0 to 1000000"),
            (json!({ "games_of": 3, "game": "reversi", "weights": "usual" }), "not a setting of reversi"),
            (json!({ "games_of": 3, "game": "reversi", "steps": 20000 }), "at most 10000 steps"),
            (json!({ "games_of": 3, "game": "reversi", "learn": "network" }), "learn is not a setting of reversi"),
            (json!({ "games_of": 1, "learn": "network", "steps": 8 }), "steps is not a setting of a network"),
            (json!({ "games_of": 1, "learn": "network", "penalty": 8 }), "penalty is not a setting of a network"),
            (
                json!({ "games_of": 1, "learn": "network", "weights": "usual" }),
                "weights is not a setting of a network",
            ),
            (json!({ "games_of": 1, "passes": 8 }), "passes is not a setting of weights, but of a network"),
            (json!({ "games_of": 1, "learn": "network", "passes": 0 }), "0 is not in 1..=1000"),
            (json!({ "games_of": 1, "search": 6 }), "search is not a setting of gomoku"),
            (json!({ "games_of": 3, "game": "reversi", "search": 1 }), "1 is not in 2..=20"),
            (json!({ "games_of": 1, "learn": "all" }), "expected one of weights, network"),
            (json!({ "file": "x" }), "unknown key 'file'"),
        ] {
            let error = job(settings.clone()).unwrap_err();
            assert!(error.contains(expected), "{settings}: {error}");
        }
    }
}
