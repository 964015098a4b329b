//! The command line: one file per command, each with its `Args` and a `run`. stdout carries data, stderr messages.
//! Exit status: 0 done, 1 a negative answer (an illegal grid, say), 2 bad input or a failure.

mod bench;
mod convert;
mod enumerate;
mod grid_input;
mod identify;
mod machine;
mod records;
mod render;
mod show;
mod verify;

use clap::{Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;

/// Exit status of bad input and failures.
const FAILURE: u8 = 2;

/// Hunts records in Morpion Solitaire. Without a subcommand it hunts (the same as `morpion hunt`).
#[derive(Debug, Parser)]
#[command(name = "morpion", version, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bench(bench::Args),
    Convert(convert::Args),
    Identify(identify::Args),
    Records(records::Args),
    Render(render::Args),
    Show(show::Args),
    Verify(verify::Args),
    Enumerate(enumerate::Args),
}

/// Runs the command given by the process's arguments.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let result = match cli.command {
        None => Ok(ExitCode::SUCCESS),
        Some(command) => dispatch(command, &mut out),
    };
    let result = result.and_then(|code| out.flush().map(|()| code).map_err(anyhow::Error::from));
    match result {
        Ok(code) => code,
        // The reader of our output has gone (`morpion show | head`): not an error of ours.
        Err(error) if broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("morpion: {error:#}");
            ExitCode::from(FAILURE)
        }
    }
}

fn dispatch(command: Command, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match command {
        Command::Bench(args) => bench::run(args, out),
        Command::Convert(args) => convert::run(args, out),
        Command::Identify(args) => identify::run(args, out),
        Command::Records(args) => records::run(args, out),
        Command::Render(args) => render::run(args, out),
        Command::Show(args) => show::run(args, out),
        Command::Verify(args) => verify::run(args, out),
        Command::Enumerate(args) => enumerate::run(args, out),
    }
}

fn broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
