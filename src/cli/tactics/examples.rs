//! `morpion tactics examples`: the example problems that come with the program.

use crate::notation::sgf::write::write;
use crate::tactics::examples::{EXAMPLES, examples, to_sgf};
use std::io::Write;
use std::process::ExitCode;

/// Print the example problems that come with the program.
///
/// They have the columns that `suite` reads, with their answers.
#[derive(Debug, clap::Args)]
pub struct ExamplesArgs {
    /// Print them as game trees in SGF: a game each, with the right moves as variations
    #[arg(long)]
    sgf: bool,
}

/// Runs `morpion tactics examples`.
///
/// # Errors
/// Output that cannot be written.
pub fn run(args: &ExamplesArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let text = if args.sgf { write(&to_sgf(&examples())) } else { EXAMPLES.to_owned() };
    write!(out, "{text}")?;
    Ok(ExitCode::SUCCESS)
}
