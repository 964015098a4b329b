//! The command line: one file per command, each with its `Args` and a `run`. stdout carries data, stderr messages.
//! Exit status: 0 done, 1 a negative answer (an illegal grid, say), 2 bad input or a failure.

mod archive;
mod bench;
mod branching;
mod client;
mod config;
mod convert;
mod daemon;
mod display;
mod enumerate;
mod experiment;
mod go;
mod grid_input;
mod hunt;
mod identify;
mod job;
pub mod job_kinds;
mod machine;
mod perft;
mod plot;
mod records;
mod render;
mod resume;
mod reversi;
mod show;
mod signals;
mod solve;
mod state;
mod stats;
mod token;
mod top;
mod verify;

use clap::{CommandFactory, Parser, Subcommand};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Exit status of bad input and failures.
const FAILURE: u8 = 2;

/// Hunts records in Morpion Solitaire. Without a subcommand it hunts (the same as `morpion hunt`).
#[derive(Debug, Parser)]
#[command(name = "morpion", version, args_conflicts_with_subcommands = true, args_override_self = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    hunt: hunt::Args,
}

/// The arguments of a hunt alone, for reading configuration files.
#[derive(Debug, Parser)]
#[command(name = "morpion", args_override_self = true)]
struct HuntOnly {
    #[command(flatten)]
    hunt: hunt::Args,
}

/// The arguments of the daemon alone, for the same.
#[derive(Debug, Parser)]
#[command(name = "morpion", args_override_self = true)]
struct DaemonOnly {
    #[command(flatten)]
    daemon: daemon::Args,
}

#[derive(Debug, Subcommand)]
enum Command {
    Archive(archive::Args),
    Bench(bench::Args),
    Branching(branching::Args),
    Convert(convert::Args),
    Daemon(daemon::Args),
    Enumerate(enumerate::Args),
    Experiment(experiment::Args),
    Hunt(Box<hunt::Args>),
    Identify(identify::Args),
    Job(job::Args),
    Perft(perft::Args),
    Plot(plot::Args),
    Records(records::Args),
    Render(render::Args),
    Resume(resume::Args),
    Show(show::Args),
    Solve(solve::Args),
    State(state::Args),
    Stats(stats::Args),
    Token(token::Args),
    Top(top::Args),
    Verify(verify::Args),
}

/// Runs the command given by the process's arguments.
pub fn main() -> ExitCode {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let result = parse(std::env::args_os().collect()).and_then(|cli| match cli.command {
        None => hunt::run(cli.hunt, &mut out),
        Some(command) => dispatch(command, &mut out),
    });
    let result = result.and_then(|code| out.flush().map(|()| code).map_err(anyhow::Error::from));
    match result {
        Ok(code) => code,
        // The reader of our output has gone (`morpion show | head`): not an error of ours.
        Err(error) if broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("morpion: {}", message(&error));
            ExitCode::from(FAILURE)
        }
    }
}

fn dispatch(command: Command, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match command {
        Command::Archive(args) => archive::run(args, out),
        Command::Bench(args) => bench::run(args, out),
        Command::Branching(args) => branching::run(args, out),
        Command::Convert(args) => convert::run(args, out),
        Command::Daemon(args) => daemon::run(&args),
        Command::Enumerate(args) => enumerate::run(args, out),
        Command::Experiment(args) => experiment::run(args, out),
        Command::Hunt(args) => hunt::run(*args, out),
        Command::Identify(args) => identify::run(args, out),
        Command::Job(args) => job::run(args, out),
        Command::Perft(args) => perft::run(args, out),
        Command::Plot(args) => plot::run(args, out),
        Command::Records(args) => records::run(args, out),
        Command::Render(args) => render::run(args, out),
        Command::Resume(args) => resume::run(args, out),
        Command::Show(args) => show::run(args, out),
        Command::Solve(args) => solve::run(args, out),
        Command::State(args) => state::run(args, out),
        Command::Stats(args) => stats::run(args, out),
        Command::Token(args) => token::run(args, out),
        Command::Top(args) => top::run(args, out),
        Command::Verify(args) => verify::run(args, out),
    }
}

/// Parses the arguments; those of a configuration file that they name are put before them and parsed again.
fn parse(mut arguments: Vec<OsString>) -> anyhow::Result<Cli> {
    let cli = Cli::parse_from(&arguments);
    let (config, at, command) = match &cli.command {
        None => (cli.hunt.config.clone(), 1, HuntOnly::command()),
        Some(Command::Hunt(args)) => (args.config.clone(), 2, HuntOnly::command()),
        Some(Command::Job(args)) => {
            let Some(config) = args.config() else { return Ok(cli) };
            let from_file = job::arguments(config)?;
            arguments.splice(3..3, from_file);
            return Ok(Cli::parse_from(arguments));
        }
        Some(Command::Daemon(args)) => (args.config.clone(), 2, DaemonOnly::command()),
        Some(_) => return Ok(cli),
    };
    let Some(config) = config else { return Ok(cli) };
    let from_file = config::arguments(&config, &command)?;
    arguments.splice(at..at, from_file);
    Ok(Cli::parse_from(arguments))
}

/// The error and its causes, without the causes that the error's own text ends with.
fn message(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |text, cause| {
        let cause = cause.to_string();
        match text.as_str() {
            "" => cause,
            told if told.ends_with(&cause) => text,
            _ => format!("{text}: {cause}"),
        }
    })
}

fn broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
