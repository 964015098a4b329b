//! `morpion boinc project`: writes what a BOINC project has to know of the application.

use super::SpoolFlag;
use crate::core::quantity::{parse_bytes, parse_duration};
use crate::queue::boinc::project::Project;
use anyhow::{Context, bail, ensure};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write the templates, scripts and descriptions that a BOINC project needs
///
/// The files are laid out as in the directory of a project, where they are copied to. Two of them, `project.xml.part`
/// and `config.xml.part`, are to be put into the files of the project that are called so. No file is overwritten.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Directory for the files
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    spool: SpoolFlag,
    /// Name of the application in the project
    #[arg(long, value_name = "NAME", default_value = "morpion")]
    app: String,
    /// Name of the application for people
    #[arg(long, value_name = "TEXT", default_value = "Morpion Solitaire")]
    title: String,
    /// Number of the version, such as 1.00
    #[arg(long, value_name = "N.NN", value_parser = version, default_value = "1.00")]
    app_version: u32,
    /// Platform of the program, as BOINC calls it
    #[arg(long, value_name = "NAME", default_value = PLATFORM)]
    platform: String,
    /// Program for the volunteers. Default: this one
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Most memory that the table of a solver may take; a unit may take 512 MiB more
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "256M")]
    memory: u64,
    /// Estimate of what a unit takes, in floating-point operations; a processor makes some 5e9 in a second. A client
    /// ends a unit that takes a thousand times as many
    #[arg(long, value_name = "N", default_value_t = 1e13)]
    operations: f64,
    /// Time within which a result is expected
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "7d")]
    deadline: f64,
    /// Results of different volunteers that have to agree, for values of solutions. Grids prove themselves
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10), default_value_t = 1)]
    quorum: u32,
}

/// The platform that this program was built for.
const PLATFORM: &str = if cfg!(all(target_os = "linux", target_arch = "aarch64")) {
    "aarch64-unknown-linux-gnu"
} else if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
    "arm64-apple-darwin"
} else if cfg!(target_os = "macos") {
    "x86_64-apple-darwin"
} else {
    "x86_64-pc-linux-gnu"
};

/// A version as BOINC counts.
fn version(text: &str) -> Result<u32, String> {
    let parts = text.split_once('.').and_then(|(major, minor)| {
        let is_short = minor.len() == 2 && !minor.starts_with(['+', '-']);
        Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok().filter(|_| is_short)?))
    });
    match parts {
        Some((major @ 0..=99, minor)) if (major, minor) != (0, 0) => Ok(100 * major + minor),
        _ => Err("expected a number with two decimals from 0.01 to 99.99".to_owned()),
    }
}

/// Runs the command.
///
/// # Errors
/// Names that cannot be used, and files that are there or cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let is_word = |text: &str| !text.is_empty() && text.len() <= 40 && text.chars().all(is_plain);
    ensure!(is_word(&args.app), "--app: give 1 to 40 letters, digits, '-' and '.'");
    ensure!(is_word(&args.platform), "--platform: give 1 to 40 letters, digits, '-', '_' and '.'");
    ensure!(!args.app.contains('_'), "--app: the name must not contain '_', which ends it in the names of files");
    ensure!(args.operations.is_finite() && args.operations >= 1.0, "--operations: give a number of at least 1");
    ensure!(!args.title.chars().any(char::is_control), "--title: no control characters are allowed");
    let program = std::env::current_exe().context("where this program is cannot be found out")?;
    let spool = std::path::absolute(&args.spool.spool)?;
    let project = Project {
        app: args.app,
        title: args.title,
        version: args.app_version,
        platform: args.platform,
        memory: args.memory,
        operations: args.operations,
        deadline: args.deadline.max(60.0) as u64,
        quorum: args.quorum,
        program: program.clone(),
        spool,
    };
    let mut files: Vec<(PathBuf, Vec<u8>, bool)> = project
        .files()
        .into_iter()
        .map(|file| (args.output.join(file.path), file.text.into_bytes(), file.executable))
        .collect();
    let source = args.program.unwrap_or(program);
    let bytes = fs::read(&source).with_context(|| format!("cannot read {}", source.display()))?;
    files.push((args.output.join(project.version_directory()).join(project.program_file()), bytes, true));
    if let Some((path, ..)) = files.iter().find(|(path, ..)| path.exists()) {
        bail!("{} is there already: give another directory, or remove it", path.display());
    }
    for (path, bytes, executable) in &files {
        write(path, bytes, *executable).with_context(|| format!("cannot write {}", path.display()))?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || ['-', '_', '.'].contains(&c)
}

fn write(path: &Path, bytes: &[u8], executable: bool) -> std::io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let mode = if executable { 0o755 } else { 0o644 };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_counted_as_boinc_does() {
        assert_eq!(version("1.04"), Ok(104));
        assert_eq!(version("0.01"), Ok(1));
        for wrong in ["1", "1.4", "1.004", "0.00", "100.00", "1.+4", "-1.00", "a.bc", ""] {
            assert!(version(wrong).is_err(), "{wrong}");
        }
    }
}
