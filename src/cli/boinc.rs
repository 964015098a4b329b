//! `morpion boinc`: the application that volunteers run, and the programs that a BOINC server calls.

mod make_work;
mod project;
mod run;
mod server;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Have volunteers compute units, by way of a BOINC project.
///
/// `run` is the application, which the BOINC client of a volunteer starts. The others are for the server of the
/// project: a daemon puts units into a directory (`morpion daemon --boinc DIR`), `make-work` gives them to the
/// server, and `validate` and `assimilate` bring the results back. docs/scale-out.md has the steps.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: BoincCommand,
}

#[derive(Debug, clap::Subcommand)]
enum BoincCommand {
    Run(run::Args),
    Project(project::Args),
    MakeWork(make_work::Args),
    Validate(server::ValidateArgs),
    Assimilate(server::AssimilateArgs),
}

/// The directory that the daemon shares with the server.
#[derive(Debug, clap::Args)]
struct SpoolFlag {
    /// Directory of units and results, as the daemon has it (`morpion daemon --boinc DIR`)
    #[arg(long, value_name = "DIR")]
    spool: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// Directories, files and programs that cannot be used.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.command {
        BoincCommand::Run(args) => run::run(&args),
        BoincCommand::Project(args) => project::run(args, out),
        BoincCommand::MakeWork(args) => make_work::run(&args, out),
        BoincCommand::Validate(args) => server::validate(&args),
        BoincCommand::Assimilate(args) => server::assimilate(&args),
    }
}
