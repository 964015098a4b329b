//! `morpion boinc make-work`: gives the units of a spool to the server of a project.

use super::SpoolFlag;
use crate::cli::grid_input::plain;
use crate::cli::signals;
use crate::cli::streams::say;
use crate::core::quantity::parse_duration;
use crate::queue::boinc::spool::{Making, Spool};
use anyhow::{Context, bail};
use crossbeam_channel::RecvTimeoutError;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::time::Duration;

/// Give the units that a daemon offers to the server of a BOINC project
///
/// Calls `bin/stage_file` and `bin/create_work` of the project for each new unit, and `bin/cancel_jobs` for those
/// that are no longer needed. A unit is given once: the command can be interrupted and started again at any time.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    spool: SpoolFlag,
    /// Directory of the project
    #[arg(long, value_name = "DIR")]
    project: PathBuf,
    /// Name of the application in the project
    #[arg(long, value_name = "NAME", default_value = "morpion")]
    app: String,
    /// Look for new units again and again, after such a time. Without it the command looks once
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    every: Option<f64>,
    /// Print the names of the workunits that would be made, and call nothing
    #[arg(long)]
    dry_run: bool,
}

/// Runs the command.
///
/// # Errors
/// A spool or a project that cannot be used. With `--every` it is tried again.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let Some(every) = args.every.filter(|_| !args.dry_run) else {
        return if pass(args, out)? { Ok(ExitCode::SUCCESS) } else { Ok(ExitCode::FAILURE) };
    };
    let every = Duration::try_from_secs_f64(every.max(0.1)).context("--every: the time is too long")?;
    let stops = signals::stops().context("cannot watch for Ctrl-C")?;
    let mut said = String::new();
    loop {
        let trouble = match pass(args, out) {
            Ok(_) => String::new(),
            Err(error) => format!("{error:#}"),
        };
        if trouble != said && !trouble.is_empty() {
            say!("morpion: {}; it is tried again", plain(&trouble));
        }
        said = trouble;
        out.flush()?;
        match stops.recv_timeout(every) {
            Err(RecvTimeoutError::Timeout) => {}
            _ => return Ok(ExitCode::SUCCESS),
        }
    }
}

/// Looks at all units once; whether the server took all that it was given.
fn pass(args: &Args, out: &mut dyn Write) -> anyhow::Result<bool> {
    let spool = Spool::open(&args.spool.spool)?;
    let mut is_well = true;
    for name in spool.units()? {
        let before = spool.making(&name);
        if before == Making::Made {
            continue;
        }
        if args.dry_run {
            writeln!(out, "{name}")?;
            continue;
        }
        spool.note_making(&name, false)?;
        match give(args, &spool, &name, before == Making::Begun) {
            Ok(()) => {
                spool.note_making(&name, true)?;
                if !spool.unit_path(&name).exists() {
                    spool.end(&name, true)?;
                }
                writeln!(out, "{name}")?;
            }
            // The daemon does not need it any more, and has taken its files away meanwhile.
            Err(_) if !spool.unit_path(&name).exists() => spool.end(&name, false)?,
            Err(error) => {
                is_well = false;
                say!("morpion: workunit {name}: {}", plain(&format!("{error:#}")));
            }
        }
    }
    if args.dry_run {
        return Ok(true);
    }
    for name in spool.cancellations()? {
        match call(&args.project, "cancel_jobs", &["--name", &name]) {
            Ok(_) => spool.note_cancelled(&name)?,
            Err(error) => {
                is_well = false;
                say!("morpion: workunit {name}: {}", plain(&format!("{error:#}")));
            }
        }
    }
    Ok(is_well)
}

/// Gives a unit to the server. After an interruption the server may have it.
fn give(args: &Args, spool: &Spool, name: &str, again: bool) -> anyhow::Result<()> {
    let file = spool.unit_path(name);
    // It is moved to where the server wants it, under the name that it has.
    let copy = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
    fs::create_dir_all(&copy).with_context(|| format!("cannot make {}", copy.display()))?;
    let staged = copy.join(name);
    let given = fs::copy(&file, &staged)
        .with_context(|| format!("cannot copy {} to {}", file.display(), staged.display()))
        .and_then(|_| call(&args.project, "stage_file", &[path_text(&staged)?]))
        .and_then(|_| call(&args.project, "create_work", &["--appname", &args.app, "--wu_name", name, name]));
    let _ = fs::remove_dir_all(&copy);
    match given {
        // The database has a workunit of that name.
        Err(error) if again && format!("{error:#}").contains("uplicate") => Ok(()),
        given => given.map(drop),
    }
}

fn path_text(path: &Path) -> anyhow::Result<&str> {
    path.to_str().with_context(|| format!("{} is not a path in UTF-8", path.display()))
}

/// Calls a program of the project.
fn call(project: &Path, program: &str, arguments: &[&str]) -> anyhow::Result<Output> {
    let path = fs::canonicalize(project.join("bin").join(program));
    let path = path.with_context(|| format!("{} has no bin/{program}", project.display()))?;
    let called = Command::new(path).args(arguments).current_dir(project).stdin(Stdio::null()).output();
    let output = called.with_context(|| format!("bin/{program} cannot be started"))?;
    if !output.status.success() {
        let said = [&output.stderr[..], &output.stdout].concat();
        let said = String::from_utf8_lossy(&said).trim().to_owned();
        bail!("bin/{program} ended with {}: {said}", output.status);
    }
    Ok(output)
}
