//! `morpion job`: what a user does with a daemon's jobs.

mod analyses;
mod answers;
mod begin;
mod clone;
mod export;
mod follow;
mod games;
mod limits;
mod list;
mod patterns;
mod plan;
mod submit;
mod submit_played;
mod submit_proof;
mod weights;

use super::client::{Client, Connection};
use crate::cli::streams::say;
use crate::daemon::view::{JobId, JobView, PendingOrder};
use crate::jobs::reading::GivenSetting;
use std::io::Write;
use std::process::ExitCode;
use submit::Submit;

pub use follow::told;
pub use list::{best, describe, held, table};
pub use submit::arguments;

/// Submit jobs to a daemon, watch and command them, and fetch what they found.
///
/// The daemon is the one at --url (or MORPION_URL; by default http://127.0.0.1:7878). The exit status is 0 after
/// success, 1 after a negative answer (the job failed or was cancelled), and 2 after bad input, a refusal, or if no
/// daemon answers.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: JobSubcommand,
}

#[derive(Debug, clap::Subcommand)]
enum JobSubcommand {
    Submit(Box<Submit>),
    Clone(Box<clone::CloneJob>),
    List(list::Args),
    /// Show the state of a job and what it found
    Show(Named),
    Wait(follow::Wait),
    /// Print what a job finds as it finds it, until it is over
    Follow(Named),
    /// Take the workers from a job until it is resumed; nothing is lost
    Pause(Named),
    /// Continue a paused job
    Resume(Named),
    /// Run a failed job again; it continues with what it had
    Retry(Named),
    /// End a job; what it found stays
    Cancel(Named),
    /// Begin no further unit of a job, and end it when the running ones are done
    Drain(Named),
    Priority(Priority),
    Begin(begin::Args),
    Limits(limits::Args),
    /// Forget a job that is over; its grids stay in the archive
    Remove(Named),
    Export(export::Args),
    Games(games::Games),
    Analyses(analyses::Analyses),
    Answers(answers::Answers),
    Weights(weights::Weights),
    Patterns(patterns::Patterns),
    Plan(plan::PlanOfJob),
}

// One job. What is done with it is told where the command is named, so there is no text of its own here.
#[derive(Debug, clap::Args)]
struct Named {
    /// Number of the job, as `submit` and `list` print it
    id: JobId,
    /// Print the daemon's JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

/// Change the priority of a job. Jobs of a higher priority are served first.
#[derive(Debug, clap::Args)]
struct Priority {
    /// Number of the job
    id: JobId,
    /// The new priority, -100 to 100; without one, jobs are submitted with 0
    #[arg(allow_negative_numbers = true, value_parser = clap::value_parser!(i32).range(-100..=100))]
    priority: i32,
    /// Share of the workers among jobs of the same priority, 1 to 1000
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    weight: Option<u32>,
    /// Print the daemon's JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Args {
    /// Puts the settings of a configuration file before those of the flags.
    pub fn after(&mut self, file: Vec<GivenSetting>) {
        if let JobSubcommand::Submit(submit) = &mut self.command {
            submit.after(file);
        }
    }

    /// The configuration file that a submission names.
    pub fn config(&self) -> Option<&std::path::Path> {
        match &self.command {
            JobSubcommand::Submit(submit) => submit.config(),
            _ => None,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// If no daemon answers, it refuses, or the output cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.command {
        JobSubcommand::Submit(submit) => submit::run(*submit, out),
        JobSubcommand::Clone(args) => clone::run(*args, out),
        JobSubcommand::List(args) => list::run(&args, out),
        JobSubcommand::Show(named) => list::show(&named, out),
        JobSubcommand::Wait(args) => follow::wait(&args, out),
        JobSubcommand::Follow(named) => follow::run(&named, out),
        JobSubcommand::Pause(named) => command(&named, "pause", out),
        JobSubcommand::Resume(named) => command(&named, "resume", out),
        JobSubcommand::Retry(named) => command(&named, "retry", out),
        JobSubcommand::Cancel(named) => command(&named, "cancel", out),
        JobSubcommand::Drain(named) => command(&named, "drain", out),
        JobSubcommand::Priority(args) => priority(&args, out),
        JobSubcommand::Begin(args) => begin::run(&args, out),
        JobSubcommand::Limits(args) => limits::run(&args, out),
        JobSubcommand::Remove(named) => remove(&named, out),
        JobSubcommand::Games(args) => games::run(&args, out),
        JobSubcommand::Analyses(args) => analyses::run(&args, out),
        JobSubcommand::Answers(args) => answers::run(&args, out),
        JobSubcommand::Weights(args) => weights::run(&args),
        JobSubcommand::Patterns(args) => patterns::run(&args),
        JobSubcommand::Plan(args) => plan::run(&args),
        JobSubcommand::Export(args) => export::run(&args, out),
    }
}

/// Prints a document as the daemon sent it.
fn document<T: serde::Serialize>(value: &T, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "{}", serde_json::to_string_pretty(value)?)?;
    Ok(())
}

fn command(named: &Named, verb: &str, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = Client::new(&named.connection)?;
    let job: JobView = client.ask("POST", &format!("/api/v1/jobs/{}/{verb}", named.id), &[], None)?;
    answered(&job, named.json, out)
}

/// Says how a job stands after a command.
fn answered(job: &JobView, json: bool, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    if json {
        document(job, out)?;
    } else {
        say!("job {} is {}", job.summary.id, standing(job));
    }
    Ok(ExitCode::SUCCESS)
}

/// How a job stands after a command, in words.
pub fn standing(job: &JobView) -> &'static str {
    match job.pending {
        None => job.summary.state.name(),
        Some(PendingOrder::Pausing) => "pausing, which takes longer than usual",
        Some(PendingOrder::Cancelling) => "being cancelled, which takes longer than usual",
    }
}

fn priority(args: &Priority, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = Client::new(&args.connection)?;
    let mut change = serde_json::json!({ "priority": args.priority });
    if let Some(weight) = args.weight {
        change["weight"] = weight.into();
    }
    let path = format!("/api/v1/jobs/{}", args.id);
    let job: JobView = client.ask("PATCH", &path, &[], Some(&serde_json::to_vec(&change)?))?;
    if args.json {
        document(&job, out)?;
    } else {
        say!("job {} has priority {} and weight {}", job.summary.id, job.summary.priority, job.summary.weight);
    }
    Ok(ExitCode::SUCCESS)
}

fn remove(named: &Named, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = Client::new(&named.connection)?;
    client.delete(&format!("/api/v1/jobs/{}", named.id))?;
    if named.json {
        document(&serde_json::json!({ "v": crate::daemon::view::VERSION, "removed": named.id }), out)?;
    } else {
        say!("job {} is forgotten; its grids stay in the archive", named.id);
    }
    Ok(ExitCode::SUCCESS)
}
