//! `morpion man`: the manual pages.

use super::grid_input::save;
use anyhow::{Context, bail};
use clap_mangen::Man;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Print a page of the manual, or write all of them.
///
/// `morpion man hunt | man -l -` shows the page of the command `hunt`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The command that the page is about (`job submit` are two words); none is the program
    #[arg(conflicts_with = "dir")]
    command: Vec<String>,
    /// Write all pages into this directory (`/usr/local/share/man/man1`), made if it does not exist
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Overwrite pages that exist
    #[arg(long, requires = "dir")]
    force: bool,
}

/// Runs the command.
///
/// # Errors
/// A command that does not exist, or output that cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let mut root = super::command().disable_help_subcommand(true);
    root.build();
    match &args.dir {
        Some(dir) => {
            std::fs::create_dir_all(dir).with_context(|| format!("{}: cannot be made", dir.display()))?;
            let mut pages = Vec::new();
            collect(&root, &mut pages)?;
            for (name, page) in pages {
                let path = dir.join(name);
                save(&path, &page, args.force)?;
                writeln!(out, "{}", path.display())?;
            }
        }
        None => {
            let mut command = &root;
            for name in &args.command {
                let Some(found) = command.find_subcommand(name) else {
                    bail!("there is no command '{}' (morpion help lists them)", args.command.join(" "));
                };
                command = found;
            }
            out.write_all(&page(command)?)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn page(command: &clap::Command) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Man::new(command.clone()).render(&mut bytes)?;
    Ok(bytes)
}

/// The pages of a command and of those below it, with their names.
fn collect(command: &clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    let man = Man::new(command.clone());
    pages.push((man.get_filename(), page(command)?));
    command.get_subcommands().try_for_each(|below| collect(below, pages))
}
