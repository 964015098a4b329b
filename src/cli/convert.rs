//! `morpion convert`: from one grid format to another, or to a picture.

use crate::cli::file_format::FileFormat;
use crate::cli::grid_input::{self, Input};
use crate::morpion::variant::Variant;
use anyhow::{Context, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Convert a grid file to another format.
///
/// The ending of the output's name decides the format: .txt or .psol (Pentasol), .msr (MSR in its compact form),
/// .json (MSR as JSON), .png or .svg (picture).
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Grid file; - is standard input
    input: PathBuf,
    /// File to write; - is standard output, in the format given by --to
    output: PathBuf,
    /// Format of the output, if its name does not tell it
    #[arg(long, value_name = "FORMAT", value_enum)]
    to: Option<FileFormat>,
    /// Write only the first K moves
    #[arg(long, value_name = "K")]
    first: Option<usize>,
    /// Read the input by the rules of this variant, whatever the file says
    #[arg(long, value_name = "5T|5D|4T|4D")]
    variant: Option<Variant>,
    /// Overwrite the output if it exists
    #[arg(long)]
    force: bool,
}

/// Runs the command.
///
/// # Errors
/// The input is no legal grid or has fewer moves than `--first` asks for, the output's format is not known, or the
/// output exists or cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let to_stdout = args.output == Path::new("-");
    let Some(to) = args.to.or_else(|| FileFormat::of_path(&args.output)) else {
        let name = if to_stdout { "standard output".to_owned() } else { args.output.display().to_string() };
        bail!("{name}: which format? end the name in .txt, .psol, .msr, .json, .png or .svg, or give --to");
    };
    let input = Input::new(&args.input);
    let mut grid = input.load_warned(args.variant)?.grid;
    if let Some(count) = args.first {
        grid = grid_input::first_moves(input, grid, "--first", count)?;
    }
    let bytes = to.write(&grid)?;
    if to_stdout {
        out.write_all(&bytes).context("standard output")?;
    } else {
        grid_input::save(&args.output, &bytes, args.force)?;
    }
    Ok(ExitCode::SUCCESS)
}
