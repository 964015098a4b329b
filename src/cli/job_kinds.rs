//! What the daemon's jobs are made of. The settings of a hunt are read below the command line
//! (`daemon::hunt_request`); those of a solver job are the flags of `morpion solve`, by the same parser.

use super::solve::options::Asked;
use super::{config, go, reversi};
use crate::core::game::Game;
use crate::daemon::hunt_request;
use crate::daemon::kinds::{JobKinds, JobWork, PlayedFrom, PreparedJob};
use crate::daemon::view::{JobLimits, JobRequest};
use crate::games::go::position as go_board;
use crate::jobs::solve::{SolveJob, SolvePosition};
use crate::jobs::tree::settings::TreeSettings;
use crate::solvers::choice::Name;
use crate::solvers::solvable::Playable;
use anyhow::{Context, bail};
use clap::{ArgMatches, Args as _, FromArgMatches};
use serde_json::{Map, Value};

/// Flags that name files, and those that say what a terminal shows: none of a job's business.
const REFUSED: [&str; 8] = ["config", "directory", "dir", "init_file", "init_dir", "quiet", "json", "checkpoint"];

/// The kinds of this program.
#[derive(Debug, Clone, Copy)]
pub struct Kinds;

impl JobKinds for Kinds {
    fn prepare(&self, request: &JobRequest, workers: u32) -> Result<PreparedJob, String> {
        let prepared = match request.kind.as_str() {
            "hunt" => return hunt_request::prepare(request, workers, rand::random()),
            "solve" => of_solve(request),
            other => return Err(format!("there is no kind of job '{other}': expected hunt or solve")),
        };
        prepared.map_err(|error| super::message(&error))
    }

    fn start(&self, settings: Map<String, Value>) -> Result<PlayedFrom, String> {
        start(settings).map_err(|error| super::message(&error))
    }
}

fn matches_of(settings: &Map<String, Value>, command: &clap::Command) -> anyhow::Result<ArgMatches> {
    let mut table = toml::Table::new();
    for (key, value) in settings {
        let value = toml::Value::try_from(value).ok();
        table.insert(key.clone(), value.with_context(|| format!("settings: {key}: no value is given"))?);
    }
    let arguments = config::of_table(&table, command).context("settings")?;
    let matches = command.clone().no_binary_name(true).try_get_matches_from(&arguments);
    matches.map_err(|error| anyhow::anyhow!("settings: {}", config::brief(&error)))
}

/// A solver job: its settings are the game, and the flags of the game in `morpion solve` but for those that are about
/// the process (`threads`, `state`).
fn of_solve(request: &JobRequest) -> anyhow::Result<PreparedJob> {
    if request.start.is_some() || !request.grids.is_empty() {
        bail!("start and grids are for hunts: a position is sent as text in the setting position");
    }
    let (job, settings) = solver_job(request.settings.clone())?;
    let strategy = job.choice.algorithm.unwrap_or(Name::Special);
    let strategy = serde_json::to_value(strategy)?.as_str().unwrap_or_default().to_owned();
    let (name, limits) = (job.title.clone(), JobLimits::default());
    Ok(PreparedJob { name, limits, settings, strategy, work: JobWork::Solve(job) })
}

fn start(mut settings: Map<String, Value>) -> anyhow::Result<PlayedFrom> {
    if settings.get("game").and_then(Value::as_str) == Some("go") {
        let game = settings.remove("game");
        let (_, _, mut asked) = asked::<go::GoSetup>(&settings)?;
        asked.setup.text_only = true;
        if asked.setup.is_large()? {
            let root = Box::new(asked.setup.first().context("settings")?);
            return Ok(PlayedFrom::Large { title: asked.setup.title()?, root });
        }
        settings.extend(game.map(|game| ("game".to_owned(), game)));
    }
    Ok(PlayedFrom::Solvable(solver_job(settings)?.0))
}

/// What these settings ask for: the game, and the flags of the game in `morpion solve` but for those that are about
/// the process; and all settings with their defaults.
///
/// # Errors
/// Settings that make no sense.
pub fn solver_job(mut settings: Map<String, Value>) -> anyhow::Result<(SolveJob, Map<String, Value>)> {
    match settings.remove("game").as_ref().map(|game| game.as_str().unwrap_or_default()) {
        Some("reversi") => of_game::<reversi::ReversiSetup>("reversi", &settings, |setup| {
            setup.text_only = true;
            let [problem] = <[_; 1]>::try_from(setup.problems()?)
                .map_err(|all| anyhow::anyhow!("there are {} positions: a job is about one", all.len()))?;
            let ((width, height), empties) = (setup.size(), problem.position.empties());
            let position = problem.text;
            Ok((setup.title(), SolvePosition::Reversi { width, height, empties, position }, reversi_point()))
        }),
        Some("go") => of_game::<go::GoSetup>("go", &settings, |setup| {
            setup.text_only = true;
            let position = match setup.given()? {
                Some(given) => {
                    // Whether it is one, and of the size asked for.
                    setup.first::<go_board::GoPosition>()?;
                    given
                }
                None => setup.first::<go_board::GoPosition>()?.text(),
            };
            Ok((setup.title()?, SolvePosition::Go { rules: setup.rules(), position }, go_point()))
        }),
        Some(other) => bail!("settings: game: there is no '{other}': expected go or reversi"),
        None => bail!("settings: game is missing: expected go or reversi"),
    }
}

fn reversi_point() -> i32 {
    <crate::games::reversi::position::ReversiPosition as Game>::POINT
}

fn go_point() -> i32 {
    <go_board::GoPosition as Game>::POINT
}

/// Settings read as the flags of a game in `morpion solve`.
fn asked<S: clap::Args>(settings: &Map<String, Value>) -> anyhow::Result<(clap::Command, ArgMatches, Asked<S>)> {
    let command = Asked::<S>::augment_args(clap::Command::new("solve")).args_override_self(true);
    let matches = matches_of(settings, &command)?;
    let asked = Asked::<S>::from_arg_matches(&matches)?;
    Ok((command, matches, asked))
}

/// The same for one game: `problem` makes its position, with the title and the worth of a point.
fn of_game<S: clap::Args>(
    game: &str,
    settings: &Map<String, Value>,
    problem: impl FnOnce(&mut S) -> anyhow::Result<(String, SolvePosition, i32)>,
) -> anyhow::Result<(SolveJob, Map<String, Value>)> {
    let (command, matches, mut asked) = asked::<S>(settings)?;
    let (title, problem, point) = problem(&mut asked.setup).context("settings")?;
    let choice = asked.question.choice();
    let job = SolveJob {
        problem,
        title,
        choice,
        memory: asked.question.unit_memory(),
        settings: asked.units.settings(asked.question.goal(point), asked.question.guess(point)),
        user: asked.units.user().to_owned(),
    };
    let mut all = plain_settings(&command, &matches);
    all.insert("game".to_owned(), game.into());
    let TreeSettings { guess, fresh, budget, feeder, quorum, seed, .. } = job.settings;
    let mut default = |name: &str, value: Value| _ = all.entry(name).or_insert(value);
    default("memory", job.memory.into());
    default("unit_budget", budget.into());
    default("guess", guess.div_euclid(point).into());
    default("fresh_tables", fresh.into());
    default("feeder", serde_json::to_value(feeder)?);
    default("quorum", quorum.into());
    default("seed", seed.into());
    default("user", job.user.clone().into());
    Ok((job, all))
}

/// The flags of a command by name, defaults filled in.
fn plain_settings(command: &clap::Command, matches: &ArgMatches) -> Map<String, Value> {
    let mut map = Map::new();
    for arg in command.get_arguments() {
        let (Some(long), id) = (arg.get_long(), arg.get_id().as_str()) else { continue };
        let name = long.replace('-', "_");
        if REFUSED.contains(&name.as_str()) || !matches.ids().any(|known| known.as_str() == id) {
            continue;
        }
        let Ok(Some(mut values)) = matches.try_get_raw(id) else { continue };
        if let Some(value) = values.next() {
            map.insert(name, plain(&value.to_string_lossy()));
        }
    }
    map
}

/// A text as a flag has it, as a number where it is one.
fn plain(text: &str) -> Value {
    match text.parse::<u64>() {
        Ok(number) => number.into(),
        Err(_) => text.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map_or(text.into(), Value::Number),
    }
}
