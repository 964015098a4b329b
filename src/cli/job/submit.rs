//! `morpion job submit`: the flags of a hunt, or of a solution, become a request.
//!
//! The flags are those of `morpion hunt` or `morpion solve`, read by the same declarations, so a mistake is told
//! before anything is sent. Only flags that were given are sent; the daemon fills in the defaults. Files that flags
//! name are read here, and their content is sent: the daemon may run elsewhere.

use super::submit_played::{PlayedSettings, SubmitPlayed};
use super::submit_proof::SubmitProof;
use crate::cli::client::{Client, Connection};
use crate::cli::config::{ConfigFile, ConfigParts};
use crate::cli::flags::{FlagHelp, SettingFlags};
use crate::cli::hunt;
use crate::cli::moment;
use crate::cli::positions::with_position_file;
use crate::cli::streams::say;
use crate::core::quantity::{parse_bytes, parse_duration};
use crate::daemon::view::{JobId, JobLimits, JobRequest, JobView, StartGrid};
use crate::jobs::analyse_settings::AnalyseSettings;
use crate::jobs::check_settings::CheckSettings;
use crate::jobs::hunt_settings::{HuntSettings, HuntStart};
use crate::jobs::match_settings::MatchJobSettings;
use crate::jobs::mine_settings::MineSettings;
use crate::jobs::plan_settings::PlanSettings;
use crate::jobs::prove_settings::ProveSettings;
use crate::jobs::reading::{FromSettings, GivenSetting, read};
use crate::jobs::selfplay_settings::SelfplaySettings;
use crate::jobs::setup::go::GoSetup;
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::jobs::setup::reversi::ReversiSetup;
use crate::jobs::setup::{GAMES, GameSetup, games_text};
use crate::jobs::solve_settings::SolveSettings;
use crate::jobs::tactics_settings::TacticsSettings;
use crate::jobs::tune_settings::TuneSettings;
use crate::notation::format::{GridFormat, write};
use crate::notation::grid::Grid;
use crate::strategies::params::parse_count;
use anyhow::{Context, bail};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args as _, CommandFactory, FromArgMatches, Subcommand as _};
use serde_json::{Map, Value as Json};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toml::Value;

/// Submit a hunt, with the flags of `morpion hunt`, and print the number of the job. `submit solve GAME` submits a
/// solver job, `submit prove` a proof, `submit match A B` a match of two players, `submit selfplay` games of a player
/// against itself, `submit analyse GAME` positions to be analysed, `submit tune GAME` weights to be learned, `submit
/// tactics FILE` tactical questions in Go to be answered, `submit mine` patterns of Go to be mined, `submit plan` a
/// plan of Gomoku to be found, and `submit check` one to be checked.
///
/// CONFIG is a configuration file of a hunt, or one of a job. A job's file has kind, name, priority, weight, the
/// table [limits] (seconds, iterations, threads, memory, disk), and the flags of the hunt in the table [settings].
/// Flags win over the file.
///
/// Of the hunt's flags, --time and --threads become limits of the job (--threads N: N-1 workers at once). The daemon
/// itself decides on --directory, --checkpoint and --quiet.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Submit {
    #[command(subcommand)]
    other: Option<OtherKind>,
    /// Configuration file of a hunt or of a job
    #[arg(value_name = "CONFIG")]
    file: Option<PathBuf>,
    #[command(flatten)]
    job: JobFlags,
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    hunt: GivenFlags<hunt::Args>,
}

/// The kinds of jobs that are no hunts.
#[derive(Debug, clap::Subcommand)]
enum OtherKind {
    /// Submit a position of a two-player game to be solved by units, with the flags of `morpion solve`
    Solve(Box<SubmitSolve>),
    /// Submit a proof that a region has no grid of so many moves; the daemon must be built with the solver
    Prove(Box<SubmitProof>),
    /// Submit a match of two players of Gomoku, Reversi or Go, with the flags of `morpion match`
    ///
    /// A and B are players of this program: morpion, morpion:LEVEL or morpion:SETTINGS, as in `morpion match`. A
    /// daemon starts no programs and reads no files for its clients. The time of a move is counted in seconds of the
    /// processor. Pairs count in the order of their numbers, so with --nodes the result is that of `morpion match`,
    /// however many workers play.
    Match(Box<SubmitPlayed<MatchJobSettings>>),
    /// Submit games of a player against itself, to learn from, with the flags of `morpion selfplay`
    ///
    /// A unit is eight games. The games are those of `morpion selfplay` with the same settings, however many workers
    /// play; `morpion job games ID --file FILE` writes its file. The iterations of the job are games.
    Selfplay(Box<SubmitPlayed<SelfplaySettings>>),
    /// Submit positions of a two-player game to be analysed, with the flags of `morpion analyse`
    ///
    /// A unit is a position. --position is one position, --positions a file with one on each line; with --every-move
    /// each position of a game is analysed. The time of a position is counted in seconds of the processor. With
    /// --nodes or --depth the values are those of `morpion analyse` with the same memory, however many workers there
    /// are. `morpion job analyses ID` prints them.
    Analyse(Box<SubmitPlayed<AnalyseSettings>>),
    /// Submit weights to be learned from the games of other jobs, with the flags of `morpion tune`
    ///
    /// The games are those of jobs of the kind selfplay; what they have made when this job begins is taken, so it can
    /// be submitted with --after. A unit is a stage of the game in Reversi, and a twentieth of the steps in Gomoku,
    /// one after the other. With --search the first hundred units search the positions. `morpion job weights ID -o
    /// FILE` writes the file of the weights. The iterations of the job are steps.
    Tune(Box<SubmitPlayed<TuneSettings>>),
    /// Submit tactical questions in Go to be answered, with the file and the flags of `morpion tactics suite`
    ///
    /// A unit is a question. The answers are those of `morpion tactics suite`, however many workers there are.
    /// `morpion job answers ID` prints them, and what they come to. The iterations of the job are nodes.
    Tactics(Box<SubmitPlayed<TacticsSettings>>),
    /// Submit games of Go to be played and searched for patterns, with the flags of `morpion tactics mine`
    ///
    /// A unit is a game, and the last one puts the patterns of all games together. They are those of `morpion tactics
    /// mine` with the same settings, however many workers there are. `morpion job patterns ID -o FILE` writes the
    /// file. The iterations of the job are questions.
    Mine(Box<SubmitPlayed<MineSettings>>),
    /// Submit a plan of Gomoku to be found, with the flags of `morpion plan find`
    ///
    /// Each reply to the position is proven by itself. A unit is a reply for so many nodes; replies have their turns
    /// until each has a plan or is given up. The plan comes to the same however many workers there are. `morpion job
    /// plan ID -o FILE` writes its file, also while the job runs; `morpion plan check FILE` checks all of it. The
    /// iterations of the job are nodes.
    Plan(Box<SubmitPlayed<PlanSettings>>),
    /// Submit a plan of Gomoku to be checked, as `morpion plan check` does it
    ///
    /// A unit is so many moves of the plan, the first one also the replies to its first position. The job ends as
    /// soon as a move does not hold (refuted); if all of them hold, it ends as proved, or, if a reply to the first
    /// position has no answer, as finished. What is counted is what `morpion plan check --threads 1` counts, however
    /// many workers there are. The iterations of the job are replies.
    Check(Box<SubmitPlayed<CheckSettings>>),
}

/// The flags of a solver job.
#[derive(Debug, clap::Args)]
struct SubmitSolve {
    #[command(subcommand)]
    game: SubmitGame,
}

/// One line per game.
#[derive(Debug, clap::Subcommand)]
enum SubmitGame {
    /// Go on boards up to 7x7
    Go(SubmitOf<GoSetup>),
    /// Gomoku (five in a row) and m,n,k games on boards up to 20x20
    Gomoku(SubmitOf<GomokuSetup>),
    /// Reversi (Othello) on boards up to 8x8
    Reversi(SubmitOf<ReversiSetup>),
}

#[derive(Debug, clap::Args)]
pub(super) struct SubmitOf<S: FlagHelp + 'static> {
    #[command(flatten)]
    pub(super) asked: SettingFlags<SolveSettings<S>>,
    #[command(flatten)]
    pub(super) terms: TermFlags,
    /// Longest running time (90, 60s, 5m, 2h); default: until it is solved
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(super) time: Option<f64>,
    /// Most workers at once; default: all of the daemon
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) threads: Option<u32>,
    /// Most memory that all its tables may use (500M, 2G)
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(super) all_memory: Option<u64>,
    /// Print the daemon's JSON document of the job
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

/// The flags that may stand in a configuration file.
#[derive(Debug, clap::Parser)]
#[command(name = "morpion", args_override_self = true)]
pub(super) struct SubmitOnly {
    #[command(flatten)]
    pub(super) job: JobFlags,
    #[command(flatten)]
    pub(super) hunt: hunt::Args,
}

/// What is the job's own.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Job")]
pub(super) struct JobFlags {
    /// Kind of the job.
    #[arg(long, default_value = "hunt")]
    pub(super) kind: String,
    #[command(flatten)]
    pub(super) terms: TermFlags,
    /// Most memory that its searches may use (500M, 2G).
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(super) memory: Option<u64>,
}

/// What every job has.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Job")]
pub(super) struct TermFlags {
    /// Name of the job, for people; default: made from the settings.
    #[arg(long)]
    pub(super) name: Option<String>,
    /// Jobs of a higher priority are served first; -100 to 100.
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true,
        value_parser = clap::value_parser!(i32).range(-100..=100))]
    pub(super) priority: i32,
    /// Share of the workers among jobs of the same priority; 1 to 1000.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) weight: u32,
    /// End after this many iterations (nodes) of all units together (1000, 50M, 2G).
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub(super) all_iterations: Option<u64>,
    /// Disk that it may take (500M, 2G): the archive of a hunt, the files of a solution; default: that of the daemon.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(super) disk: Option<u64>,
    /// Begin when this job has finished. If it fails or is cancelled, this one is cancelled.
    #[arg(long, value_name = "ID")]
    pub(super) after: Option<JobId>,
    /// Begin at this time or later: from now on (+2h), a time of day (22:30), or a date with a time
    /// (2026-11-26T08:00, in the zone of this machine unless it ends with one, such as +01:00).
    #[arg(long, value_name = "TIME", value_parser = moment::future, allow_hyphen_values = true)]
    pub(super) at: Option<f64>,
    /// A text of your own. The same text never makes a second job, so a submission can be repeated safely.
    #[arg(long, value_name = "KEY")]
    pub(super) idempotency_key: Option<String>,
}

/// Flags, with the knowledge of which were given.
#[derive(Debug)]
pub(super) struct GivenFlags<A> {
    pub(super) args: A,
    matches: ArgMatches,
}

impl<A: FromArgMatches> FromArgMatches for GivenFlags<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<GivenFlags<A>, clap::Error> {
        Ok(GivenFlags { args: A::from_arg_matches(matches)?, matches: matches.clone() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = GivenFlags::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<A: clap::Args> clap::Args for GivenFlags<A> {
    fn augment_args(command: clap::Command) -> clap::Command {
        A::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        A::augment_args_for_update(command)
    }
}

impl<A> GivenFlags<A> {
    /// Whether a flag is on the command line.
    pub(super) fn is_given(&self, id: &str) -> bool {
        self.matches.value_source(id) == Some(ValueSource::CommandLine)
    }
}

impl Submit {
    /// Puts the settings of a configuration file before those of the flags.
    pub fn after(&mut self, file: Vec<GivenSetting>) {
        match &mut self.other {
            None => self.hunt.args.settings.after(file),
            Some(OtherKind::Solve(solve)) => match &mut solve.game {
                SubmitGame::Go(of) => of.asked.after(file),
                SubmitGame::Gomoku(of) => of.asked.after(file),
                SubmitGame::Reversi(of) => of.asked.after(file),
            },
            Some(OtherKind::Prove(proof)) => proof.asked.after(file),
            Some(OtherKind::Match(of_match)) => of_match.asked.after(file),
            Some(OtherKind::Selfplay(selfplay)) => selfplay.asked.after(file),
            Some(OtherKind::Analyse(analyse)) => analyse.asked.after(file),
            Some(OtherKind::Tune(tune)) => tune.asked.after(file),
            Some(OtherKind::Tactics(tactics)) => tactics.asked.after(file),
            Some(OtherKind::Mine(mine)) => mine.asked.after(file),
            Some(OtherKind::Plan(plan)) => plan.asked.after(file),
            Some(OtherKind::Check(check)) => check.asked.after(file),
        }
    }

    /// The configuration file.
    pub fn config(&self) -> Option<&Path> {
        self.file.as_deref().or(self.hunt.args.config.as_deref())
    }
}

/// Says what may have been meant by a single word that is not the name of a file.
fn instead_of_file(word: &Path, error: anyhow::Error) -> anyhow::Error {
    let is_word = word.to_str().is_some_and(|name| name.chars().all(char::is_alphabetic));
    if !is_word || word.exists() {
        return error;
    }
    if word == Path::new("hunt") {
        return error.context("a hunt needs no word of its own: `morpion job submit --variant 5T --time 1h`");
    }
    let command = OtherKind::augment_subcommands(clap::Command::new("submit"));
    let kinds: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    let name = word.display();
    error.context(format!("{name} is neither a configuration file nor a kind of job ({})", kinds.join(", ")))
}

/// The settings and the flags that a configuration file stands for: that of a hunt, or one in the form of a request.
///
/// # Errors
/// If it cannot be read or names what there is not.
pub fn arguments(path: &Path) -> anyhow::Result<ConfigParts> {
    let file = ConfigFile::read(path).map_err(|error| instead_of_file(path, error))?;
    let mut table = file.table()?;
    match table.get("kind").and_then(Value::as_str) {
        Some("solve") => {}
        Some("prove") => {
            table.remove("kind");
            let command = SubmitProof::augment_args(clap::Command::new("prove").args_override_self(true));
            let (given, arguments) = of_tables::<ProveSettings>(&file, table, &command, solve_limit)?;
            return Ok((given, std::iter::once("prove".into()).chain(arguments).collect()));
        }
        Some("match") => return of_played::<MatchJobSettings>(&file, table),
        Some("selfplay") => return of_played::<SelfplaySettings>(&file, table),
        Some("analyse") => return of_played::<AnalyseSettings>(&file, table),
        Some("tune") => return of_played::<TuneSettings>(&file, table),
        Some("tactics") => return of_played::<TacticsSettings>(&file, table),
        Some("mine") => return of_played::<MineSettings>(&file, table),
        Some("plan") => return of_played::<PlanSettings>(&file, table),
        Some("check") => return of_played::<CheckSettings>(&file, table),
        _ => return of_tables::<HuntSettings>(&file, table, &SubmitOnly::command(), hunt_limit),
    }
    table.remove("kind");
    let game = game_of(&file, &mut table)?;
    let command = clap::Command::new("solve").args_override_self(true);
    let (given, arguments) = match game {
        "go" => {
            let command = SubmitOf::<GoSetup>::augment_args(command);
            of_tables::<SolveSettings<GoSetup>>(&file, table, &command, solve_limit)?
        }
        "gomoku" => {
            let command = SubmitOf::<GomokuSetup>::augment_args(command);
            of_tables::<SolveSettings<GomokuSetup>>(&file, table, &command, solve_limit)?
        }
        _ => {
            let command = SubmitOf::<ReversiSetup>::augment_args(command);
            of_tables::<SolveSettings<ReversiSetup>>(&file, table, &command, solve_limit)?
        }
    };
    Ok((given, ["solve".into(), game.into()].into_iter().chain(arguments).collect()))
}

/// The settings and the arguments of a file in the form of a request for a job of players.
fn of_played<T: PlayedSettings>(file: &ConfigFile, mut table: toml::Table) -> anyhow::Result<ConfigParts> {
    table.remove("kind");
    let command = SubmitPlayed::<T>::augment_args(clap::Command::new(T::KIND).args_override_self(true));
    let (given, arguments) = of_tables::<T>(file, table, &command, match_limit)?;
    Ok((given, std::iter::once(T::KIND.into()).chain(arguments).collect()))
}

/// The settings and the arguments of the tables of a file in the form of a request; `limit` names a limit's flag.
fn of_tables<T: FromSettings>(
    file: &ConfigFile,
    mut table: toml::Table,
    command: &clap::Command,
    limit: fn(&str) -> Option<&'static str>,
) -> anyhow::Result<ConfigParts> {
    let mut parts = Vec::new();
    for name in ["settings", "limits"] {
        match table.remove(name) {
            None => {}
            Some(Value::Table(inner)) => parts.push((Some(name), inner)),
            Some(_) => bail!("{}, line {}: {name}: expected a table", file.name, file.line(None, name)),
        }
    }
    parts.push((None, table));
    let (mut given, mut arguments) = (Vec::<GivenSetting>::new(), Vec::<OsString>::new());
    for (name, table) in parts {
        let is_limits = name == Some("limits");
        if let Some(key) = table.keys().find(|key| is_limits && limit(key).is_none()) {
            let line = file.line(name, key);
            bail!(
                "{}, line {line}: limits: unknown key '{key}': expected one of disk, iterations, memory, seconds, workers",
                file.name
            );
        }
        let flag = |key: &str| limit(key).filter(|_| is_limits).map_or(key.to_owned(), str::to_owned);
        let (settings, rest) = file.split::<T>(table, name, flag, command)?;
        if let Some(twice) = settings.iter().find(|one| given.iter().any(|other| other.name == one.name)) {
            bail!("{} is given more than once", twice.place());
        }
        given.extend(settings);
        arguments.extend(rest);
    }
    Ok((given, arguments))
}

/// Takes the game out of the settings of a solver job.
fn game_of(file: &ConfigFile, table: &mut toml::Table) -> anyhow::Result<&'static str> {
    let (name, expected) = (&file.name, games_text());
    let settings = table.get_mut("settings").and_then(Value::as_table_mut);
    let Some(game) = settings.and_then(|settings| settings.remove("game")) else {
        bail!("{name}: settings: game is missing: expected {expected}");
    };
    let found = GAMES.into_iter().find(|known| game.as_str() == Some(known));
    let line = file.line(Some("settings"), "game");
    found.with_context(|| format!("{name}, line {line}: game: there is no {game}: expected {expected}"))
}

/// The flag or the setting of a hunt that sets a limit.
fn hunt_limit(key: &str) -> Option<&'static str> {
    Some(match key {
        "seconds" => "time",
        "iterations" => "all_iterations",
        "memory" => "memory",
        "disk" => "disk",
        "threads" | "workers" => "workers",
        _ => return None,
    })
}

/// The flag of a solver job that sets a limit.
fn solve_limit(key: &str) -> Option<&'static str> {
    Some(match key {
        "seconds" => "time",
        "iterations" => "all_iterations",
        "memory" => "all_memory",
        "disk" => "disk",
        "threads" | "workers" => "threads",
        _ => return None,
    })
}

/// The flag of a job of players that sets a limit: the time of a match is that of a move.
fn match_limit(key: &str) -> Option<&'static str> {
    if key == "seconds" { Some("all_time") } else { solve_limit(key) }
}

/// Settings that are told to the daemon in another way: as limits.
pub(super) const NOT_SETTINGS: [&str; 3] = ["threads", "workers", "time"];

/// Runs the command.
///
/// # Errors
/// If a file that a flag names cannot be read, no daemon answers, or it refuses.
pub fn run(args: Submit, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.other {
        None => {
            let (key, json) = (args.job.terms.idempotency_key.as_deref(), args.hunt.args.output.json);
            let job = send(&request(&args)?, key, json, &args.connection, out)?;
            // The daemon chooses, so it is the daemon's reason that is shown.
            if let Some(reason) = job.summary.strategy_reason.filter(|_| !json && !args.hunt.args.output.quiet) {
                say!("morpion: {reason}");
            }
            Ok(ExitCode::SUCCESS)
        }
        Some(OtherKind::Solve(solve)) => match solve.game {
            SubmitGame::Go(of) => of.send(out),
            SubmitGame::Gomoku(of) => of.send(out),
            SubmitGame::Reversi(of) => of.send(out),
        },
        Some(OtherKind::Prove(proof)) => proof.send(out),
        Some(OtherKind::Match(of_match)) => of_match.send(out),
        Some(OtherKind::Selfplay(selfplay)) => selfplay.send(out),
        Some(OtherKind::Analyse(analyse)) => analyse.send(out),
        Some(OtherKind::Tune(tune)) => tune.send(out),
        Some(OtherKind::Tactics(tactics)) => tactics.send(out),
        Some(OtherKind::Mine(mine)) => mine.send(out),
        Some(OtherKind::Plan(plan)) => plan.send(out),
        Some(OtherKind::Check(check)) => check.send(out),
    }
}

/// Sends a request, with the client's own key of it if it has one, and prints the job.
pub(super) fn send(
    request: &JobRequest,
    key: Option<&str>,
    json: bool,
    connection: &Connection,
    out: &mut dyn Write,
) -> anyhow::Result<JobView> {
    let client = Client::new(connection)?;
    let key = key.map(|key| ("idempotency-key", key));
    let headers: Vec<(&str, &str)> = key.into_iter().collect();
    let body = serde_json::to_vec(request)?;
    let job: JobView = client.ask("POST", "/api/v1/jobs", &headers, Some(&body))?;
    if json {
        super::document(&job, out)?;
    } else {
        writeln!(out, "{}", job.summary.id)?;
    }
    Ok(job)
}

impl<S: GameSetup + FlagHelp> SubmitOf<S> {
    /// The request that the flags stand for.
    fn request(&self) -> anyhow::Result<JobRequest> {
        let given = with_position_file(self.asked.given.clone())?;
        // Mistakes are told here.
        let job = SolveSettings::<S>::job(&given)?;
        let mut settings = Map::new();
        for one in &given {
            let value = match one.name {
                // The text of one position, whatever else its file says: the daemon may run elsewhere.
                "position" => job.problem.text().into(),
                "fresh_tables" => job.settings.fresh.into(),
                _ => scalar(&one.text),
            };
            settings.insert(one.name.to_owned(), value);
        }
        settings.insert("game".to_owned(), job.game().into());
        let TermFlags { name, priority, weight, all_iterations, disk, after, at, .. } = &self.terms;
        Ok(JobRequest {
            kind: "solve".to_owned(),
            name: name.clone(),
            priority: *priority,
            weight: *weight,
            limits: JobLimits {
                seconds: self.time,
                iterations: *all_iterations,
                workers: self.threads,
                memory: self.all_memory,
                disk: *disk,
            },
            settings,
            start: None,
            grids: Vec::new(),
            after: *after,
            not_before: *at,
        })
    }

    fn send(&self, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
        send(&self.request()?, self.terms.idempotency_key.as_deref(), self.json, &self.connection, out)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The request that the flags of a hunt stand for.
fn request(args: &Submit) -> anyhow::Result<JobRequest> {
    let hunt = &args.hunt.args;
    for (id, flag) in [("directory", "--directory"), ("checkpoint", "--checkpoint"), ("quiet", "--quiet")] {
        if args.hunt.is_given(id) {
            say!("morpion: {flag} is the daemon's business and is left out");
        }
    }
    let given = hunt::with_files(hunt.settings.given.clone())?;
    let asked: HuntSettings = read(&given)?;
    let begin = hunt::beginning(&hunt.init_file, &hunt.init_dir, &asked)?;
    // Mistakes are told here; what a file has beyond what the strategy uses is not sent.
    let prepared = HuntSettings::prepare(&given, begin.clone(), asked.workers.unwrap_or(1), 0)?;
    hunt::tell_warnings(&prepared);
    let sent = prepared.used.iter().filter(|one| !NOT_SETTINGS.contains(&one.name));
    let mut settings: Map<String, Json> = sent.map(|one| (one.name.to_owned(), scalar(&one.text))).collect();
    if hunt.init_file.is_some() {
        settings.insert("variant".to_owned(), begin.variant.code().into());
    }
    let (start, grids) = sent_beginning(hunt, &asked, begin)?;
    let JobFlags { kind, memory, terms } = &args.job;
    let TermFlags { name, priority, weight, all_iterations, disk, after, at, .. } = terms;
    Ok(JobRequest {
        kind: kind.clone(),
        name: name.clone(),
        priority: *priority,
        weight: *weight,
        limits: JobLimits {
            seconds: asked.seconds,
            iterations: *all_iterations,
            workers: asked.workers,
            memory: *memory,
            disk: *disk,
        },
        settings,
        start,
        grids,
        after: *after,
        not_before: *at,
    })
}

/// What a hunt begins with, as it is sent.
pub(super) fn sent_beginning(
    hunt: &hunt::Args,
    asked: &HuntSettings,
    begin: HuntStart,
) -> anyhow::Result<(Option<StartGrid>, Vec<String>)> {
    let HuntStart { variant, start: of_grid, moves, grids } = begin;
    let start_of_grids = asked.start.clone().unwrap_or_default().for_variant(variant);
    let start = match &hunt.init_file {
        Some(_) => {
            let grid = Grid::from_start(of_grid.unwrap_or_default(), variant, moves);
            Some(StartGrid { grid: text(grid)?, moves: None })
        }
        None => None,
    };
    let grids = grids
        .into_iter()
        .map(|moves| text(Grid::from_start(start_of_grids.clone(), variant, moves)))
        .collect::<anyhow::Result<_>>()?;
    Ok((start, grids))
}

/// A value as a configuration file would have it; larger numbers than TOML has stay text.
pub(super) fn scalar(text: &str) -> Json {
    let number = text.parse::<i64>().ok().filter(|number| number.to_string() == text);
    number.map_or_else(|| text.into(), Json::from)
}

fn text(grid: Grid) -> anyhow::Result<String> {
    let format = if grid.start.is_cross() { GridFormat::MsrCompact } else { GridFormat::Pentasol };
    write(&grid, format).context("a grid cannot be written")
}

#[cfg(test)]
mod tests;
