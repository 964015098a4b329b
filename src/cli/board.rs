//! `morpion board`: the board of the daemon's page as a site of its own.

use super::grid_input::save;
use crate::daemon::ui::board_site;
use anyhow::{Context, bail};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Write the board of the web page as a site of its own: files for any web server, without a daemon.
///
/// Morpion is played on it by hand, with hints by a search in the browser; the known records are there to be
/// replayed, and grid files can be opened. `python3 -m http.server --directory DIR` shows it at once.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Directory to write to, made if it does not exist
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Overwrite files that exist
    #[arg(long)]
    force: bool,
}

/// Runs the command.
///
/// # Errors
/// A file exists and may not be overwritten, or the directory cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let files: Vec<(PathBuf, &[u8])> =
        board_site().into_iter().map(|(name, content)| (args.output.join(name), content)).collect();
    // Looked at before the first is written: a site is whole, or it is not there.
    if let Some((path, _)) = files.iter().find(|(path, _)| !args.force && path.symlink_metadata().is_ok()) {
        bail!("{}: the file exists; --force overwrites it", path.display());
    }
    for (path, content) in &files {
        let folder = path.parent().unwrap_or(&args.output);
        std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
        save(path, content, args.force)?;
    }
    writeln!(out, "{}", args.output.join("index.html").display())?;
    Ok(ExitCode::SUCCESS)
}
