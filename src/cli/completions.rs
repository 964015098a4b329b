//! `morpion completions`: what a shell needs to complete the command line.

use clap_complete::Shell;
use std::io::Write;
use std::process::ExitCode;

/// Print the script that lets a shell complete commands and flags.
///
/// For bash, `morpion completions bash > ~/.local/share/bash-completion/completions/morpion`; for zsh, a file
/// `_morpion` in a directory of `$fpath`; for fish, `~/.config/fish/completions/morpion.fish`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell that the script is for
    shell: Shell,
}

/// Runs the command.
///
/// # Errors
/// Output that cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    // The generator panics where its writer fails, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "morpion", &mut script);
    out.write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
