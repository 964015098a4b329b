//! `morpion job clone`: a new job with the settings of another one, some of them changed by the flags of `submit`.
//!
//! The daemon tells the request that the job was submitted with. Its kind says which flags there are, so they are
//! read when it is known. What the flags say takes the place of what the request says; the daemon checks the whole.

use super::submit::{GivenFlags, NOT_SETTINGS, SubmitOf, SubmitOnly, TermFlags, scalar, send, sent_beginning};
use super::submit_played::{PlayedSettings, SubmitPlayed};
use super::submit_proof::{SubmitProof, with_hull};
use crate::cli::client::{Client, Connection};
use crate::cli::flags::FlagHelp;
use crate::cli::hunt;
use crate::cli::positions::with_position_file;
use crate::daemon::view::{JobId, JobRequest};
use crate::jobs::analyse_settings::AnalyseSettings;
use crate::jobs::check_settings::CheckSettings;
use crate::jobs::hunt_settings::HuntSettings;
use crate::jobs::match_settings::MatchJobSettings;
use crate::jobs::mine_settings::MineSettings;
use crate::jobs::plan_settings::PlanSettings;
use crate::jobs::prove_settings::ProveSettings;
use crate::jobs::reading::{FromSettings, GivenSetting, read};
use crate::jobs::selfplay_settings::SelfplaySettings;
use crate::jobs::setup::GameSetup;
use crate::jobs::setup::go::GoSetup;
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::jobs::setup::reversi::ReversiSetup;
use crate::jobs::solve_settings::SolveSettings;
use crate::jobs::tactics_settings::TacticsSettings;
use crate::jobs::tune_settings::TuneSettings;
use anyhow::{anyhow, bail, ensure};
use clap::FromArgMatches;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Submit a job with the settings of another one, whether that one is over or not, and print its number.
///
/// The flags are those of `morpion job submit` for the kind of the job, for example --seed 7, --time 2h or --priority
/// 5. Each takes the place of what the job was submitted with. A seed that the daemon has drawn is drawn anew.
/// --after and --at are not taken over.
#[derive(Debug, clap::Args)]
pub struct CloneJob {
    /// Number of the job
    id: JobId,
    /// Print the daemon's JSON document of the new job
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
    /// What is to be different, as flags of `morpion job submit`
    #[arg(value_name = "FLAGS", trailing_var_arg = true, allow_hyphen_values = true)]
    flags: Vec<OsString>,
}

/// Runs the command.
///
/// # Errors
/// If a flag is not one of the kind of the job, no daemon answers, or it refuses.
pub fn run(mut args: CloneJob, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    args.take_connection()?;
    let client = Client::new(&args.connection)?;
    let mut request: JobRequest = client.get(&format!("/api/v1/jobs/{}/request", args.id))?;
    (request.after, request.not_before) = (None, None);
    let key = match request.kind.as_str() {
        "hunt" => of_hunt(&mut request, &args.flags)?,
        "prove" => of_proof(&mut request, &args.flags)?,
        "match" => of_played::<MatchJobSettings>(&mut request, &args.flags)?,
        "selfplay" => of_played::<SelfplaySettings>(&mut request, &args.flags)?,
        "analyse" => of_played::<AnalyseSettings>(&mut request, &args.flags)?,
        "tune" => of_played::<TuneSettings>(&mut request, &args.flags)?,
        "tactics" => of_played::<TacticsSettings>(&mut request, &args.flags)?,
        "mine" => of_played::<MineSettings>(&mut request, &args.flags)?,
        "plan" => of_played::<PlanSettings>(&mut request, &args.flags)?,
        "check" => of_played::<CheckSettings>(&mut request, &args.flags)?,
        "solve" => match request.settings.get("game").and_then(|game| game.as_str()) {
            Some("go") => of_solution::<GoSetup>(&mut request, &args.flags)?,
            Some("gomoku") => of_solution::<GomokuSetup>(&mut request, &args.flags)?,
            _ => of_solution::<ReversiSetup>(&mut request, &args.flags)?,
        },
        other => bail!("job {} is of a kind that this program does not know: {other}", args.id),
    };
    send(&request, key.as_deref(), args.json, &args.connection, out)?;
    Ok(ExitCode::SUCCESS)
}

impl CloneJob {
    /// Takes the flags that are this command's own out of those that are read later: they say where the job is.
    fn take_connection(&mut self) -> anyhow::Result<()> {
        let mut left = Vec::new();
        let mut flags = std::mem::take(&mut self.flags).into_iter();
        while let Some(flag) = flags.next() {
            let text = flag.to_str().unwrap_or_default();
            let (name, value) =
                text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value.to_owned())));
            let name = name.to_owned();
            if name == "--json" && value.is_none() {
                self.json = true;
                continue;
            }
            if name != "--url" && name != "--token" {
                left.push(flag);
                continue;
            }
            let next = || flags.next().and_then(|value| value.into_string().ok());
            let value = value.or_else(next).ok_or_else(|| anyhow!("{name}: a value is missing"))?;
            match name.as_str() {
                "--url" => self.connection.url = value,
                _ => self.connection.token = Some(value),
            }
        }
        self.flags = left;
        Ok(())
    }
}

/// Reads flags, and remembers which of them were given.
fn parsed<A: FromArgMatches>(command: clap::Command, flags: &[OsString]) -> anyhow::Result<GivenFlags<A>> {
    let command = command.no_binary_name(true).disable_help_flag(true);
    let read = command.try_get_matches_from(flags).and_then(|matches| GivenFlags::from_arg_matches(&matches));
    read.map_err(|error| {
        let text = error.to_string();
        let first = text.split("\n\n").next().unwrap_or_default();
        anyhow!("{}", first.trim_start_matches("error: "))
    })
}

/// Takes over the terms that were given. Returns the client's key.
fn take_terms<A>(request: &mut JobRequest, given: &GivenFlags<A>, terms: &TermFlags) -> Option<String> {
    if given.is_given("priority") {
        request.priority = terms.priority;
    }
    if given.is_given("weight") {
        request.weight = terms.weight;
    }
    request.name = terms.name.clone().or(request.name.take());
    request.limits.iterations = terms.all_iterations.or(request.limits.iterations);
    request.limits.disk = terms.disk.or(request.limits.disk);
    (request.after, request.not_before) = (terms.after, terms.at);
    terms.idempotency_key.clone()
}

/// Puts a value in the place of what the request says under any name of the setting.
fn set<T: FromSettings>(request: &mut JobRequest, one: &GivenSetting) {
    forget::<T>(request, one.name);
    request.settings.insert(one.name.to_owned(), scalar(&one.text));
}

/// Takes a setting out, by whatever name the request has it.
fn forget<T: FromSettings>(request: &mut JobRequest, name: &str) {
    let aliases = T::all().into_iter().find(|info| info.name == name).map_or(&[][..], |info| info.aliases);
    request.settings.retain(|key, _| {
        let key = key.replace('-', "_");
        key != name && !aliases.contains(&key.as_str())
    });
}

fn of_hunt(request: &mut JobRequest, flags: &[OsString]) -> anyhow::Result<Option<String>> {
    let given: GivenFlags<SubmitOnly> = parsed(<SubmitOnly as clap::CommandFactory>::command(), flags)?;
    let SubmitOnly { job, hunt: of_hunt } = &given.args;
    ensure!(!given.is_given("kind") || job.kind == "hunt", "--kind: the job is a hunt, and so is a clone of it");
    ensure!(of_hunt.config.is_none(), "--config: a clone takes flags only");
    let key = take_terms(request, &given, &job.terms);
    request.limits.memory = job.memory.or(request.limits.memory);
    let settings = hunt::with_files(of_hunt.settings.given.clone())?;
    let asked: HuntSettings = read(&settings)?;
    // Both are limits of the job; the request may have them as settings.
    if asked.seconds.is_some() {
        forget::<HuntSettings>(request, "time");
        request.limits.seconds = asked.seconds;
    }
    if asked.workers.is_some() {
        forget::<HuntSettings>(request, "threads");
        forget::<HuntSettings>(request, "workers");
        request.limits.workers = asked.workers;
    }
    for one in settings.iter().filter(|one| !NOT_SETTINGS.contains(&one.name)) {
        set::<HuntSettings>(request, one);
    }
    if of_hunt.init_file.is_some() || of_hunt.init_dir.is_some() {
        let variant = request.settings.get("variant").and_then(|variant| variant.as_str()?.parse().ok());
        let start = request.settings.get("start").and_then(|start| start.as_str()?.parse().ok());
        let asked = HuntSettings {
            variant: asked.variant.or(variant),
            start: asked.start.clone().or(start),
            ..asked.clone()
        };
        let begin = hunt::beginning(&of_hunt.init_file, &of_hunt.init_dir, &asked)?;
        request.settings.insert("variant".to_owned(), begin.variant.code().into());
        (request.start, request.grids) = sent_beginning(of_hunt, &asked, begin)?;
    }
    Ok(key)
}

fn of_solution<S: GameSetup + FlagHelp + 'static>(
    request: &mut JobRequest,
    flags: &[OsString],
) -> anyhow::Result<Option<String>> {
    let given: GivenFlags<SubmitOf<S>> =
        parsed(<SubmitOf<S> as clap::Args>::augment_args(clap::Command::new("clone")), flags)?;
    let SubmitOf { asked, terms, time, threads, all_memory, .. } = &given.args;
    let key = take_terms(request, &given, terms);
    request.limits.seconds = time.or(request.limits.seconds);
    request.limits.workers = threads.or(request.limits.workers);
    request.limits.memory = all_memory.or(request.limits.memory);
    for one in with_position_file(asked.given.clone())? {
        set::<SolveSettings<S>>(request, &one);
    }
    Ok(key)
}

fn of_proof(request: &mut JobRequest, flags: &[OsString]) -> anyhow::Result<Option<String>> {
    let given: GivenFlags<SubmitProof> =
        parsed(<SubmitProof as clap::Args>::augment_args(clap::Command::new("clone")), flags)?;
    let SubmitProof { asked, terms, time, threads, .. } = &given.args;
    let key = take_terms(request, &given, terms);
    request.limits.seconds = time.or(request.limits.seconds);
    request.limits.workers = threads.or(request.limits.workers);
    for one in with_hull(asked.given.clone())? {
        set::<ProveSettings>(request, &one);
    }
    Ok(key)
}

fn of_played<T: PlayedSettings>(request: &mut JobRequest, flags: &[OsString]) -> anyhow::Result<Option<String>> {
    let given: GivenFlags<SubmitPlayed<T>> =
        parsed(<SubmitPlayed<T> as clap::Args>::augment_args(clap::Command::new("clone")), flags)?;
    let SubmitPlayed { asked, terms, all_time, threads, all_memory, .. } = &given.args;
    let key = take_terms(request, &given, terms);
    request.limits.seconds = all_time.or(request.limits.seconds);
    request.limits.workers = threads.or(request.limits.workers);
    request.limits.memory = all_memory.or(request.limits.memory);
    for one in with_position_file(asked.given.clone())? {
        set::<T>(request, &one);
    }
    Ok(key)
}
