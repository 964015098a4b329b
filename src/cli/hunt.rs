//! `morpion hunt`, which is also `morpion` without a subcommand: begins a hunt.

use super::config;
use super::display::{self, HuntDisplay, OutputFlags};
use super::hunt_directory;
use super::values::{NewValue, score_or_none};
use crate::core::quantity::parse_duration;
use crate::jobs::hunt::{Job, MIN_MAIN_DEPTH};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Variant;
use crate::notation::file::load;
use crate::notation::format::{ChosenBy, Format};
use crate::notation::grid::Grid;
use crate::runner::{HuntSession, MAX_THREADS};
use crate::strategies::params::{BadParam, MAX_WIDTH, Params, StallTable, Strategy, parse_count};
use anyhow::{Context, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Begin a hunt for a longest game. It can be stopped at any time (Ctrl-C) and gone on with: `morpion resume`.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Hunt")]
pub struct Args {
    /// Threads: the main thread, which hands out the work, and N-1 workers; at least 2. Default: one worker per
    /// processor, plus the main thread.
    #[arg(long, value_name = "N", value_parser = super::values::threads)]
    pub threads: Option<u32>,
    /// DFS: the main thread walks all combinations of the first N moves and hands each to a worker; at least 2.
    #[arg(long, value_name = "N", default_value_t = 5,
        value_parser = clap::value_parser!(u32).range(i64::from(MIN_MAIN_DEPTH)..=485))]
    pub main_depth: u32,
    /// Start from the first K moves of the grid in FILE (Pentasol or MSR).
    #[arg(long, num_args = 2, value_names = ["FILE", "K"])]
    pub init_file: Option<Vec<String>>,
    /// PERTURB, PERMUTE, TEMPER, REGROW, RESHAPE: begin with the grids of the variant that stand in DIR (Pentasol or MSR).
    #[arg(long, value_name = "DIR", conflicts_with = "init_file")]
    pub init_dir: Option<PathBuf>,
    /// Where the results and the state go: an empty directory, or one that is made. Default: output, or the next of
    /// output-2, output-3, ... where that one is taken.
    #[arg(long, visible_alias = "dir", value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// 5T, 5D, 4T or 4D. Default: what the init file names, else 5T.
    #[arg(long)]
    pub variant: Option<Variant>,
    /// Seed of all random numbers. Default: a new one, which is shown and recorded.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// End after so much time (90, 60s, 5m, 2h, 1d12h), counted over all sessions of the hunt.
    #[arg(long, value_parser = parse_duration)]
    pub time: Option<f64>,
    /// End when a grid of so many moves is found.
    #[arg(long, value_name = "SCORE", value_parser = clap::value_parser!(u32).range(1..))]
    pub target: Option<u32>,
    /// Keep every grid of at least so many moves that any worker finds in the archive of the directory, each once
    /// whatever its orientation and the order of its moves (see `morpion archive`); `none` keeps none. Default: 165 in
    /// 5T, 80 in 5D, 62 in 4T, 35 in 4D.
    #[arg(long, value_name = "SCORE", value_parser = score_or_none)]
    pub keep_from: Option<NewValue<u32>>,
    /// End each unit (a prefix of dfs, a run of the others) after so many iterations (1000, 50M, 2G). A Monte Carlo hunt
    /// then ends after one run per worker, or one of all workers with --share, if --runs says nothing else.
    #[arg(long, value_name = "N", value_parser = positive_count)]
    pub max_iterations: Option<u64>,
    /// Monte Carlo strategies: end after so many runs, one after another with --share. Default: without end.
    #[arg(long, value_name = "N", value_parser = positive_count)]
    pub runs: Option<u64>,
    /// DFS: table that ends stalled units: rows of a score and the iterations within which it must be reached, from a
    /// file (two columns, or TOML with the key stall_table), or in place: 80:10M,90:50M. Default: the table of the
    /// thesis; an empty file ends none.
    #[arg(long, value_name = "FILE")]
    pub stall_table: Option<String>,
    /// DFS: multiplies the iterations of the table; 0.1 ends stalled units ten times sooner.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = factor)]
    pub stall_scale: f64,
    /// Flags from a TOML file: `sort = "coords"`. Flags of the command line win.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputFlags,
    #[command(flatten)]
    pub params: Params,
}

/// Runs the command.
///
/// # Errors
/// Bad input, a directory that is in use or not empty of hunts, and whatever fails on the way.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let threads = args.threads.unwrap_or_else(default_threads);
    let (variant, start) = match &args.init_file {
        Some(values) => init_moves(values, args.variant)?,
        None => (args.variant.unwrap_or_default(), Vec::new()),
    };
    let stall = args.stall_table.as_deref().map(stall_table).transpose()?;
    let grids = args.init_dir.as_deref().map(|directory| init_grids(directory, variant)).transpose()?;
    let job = job(&args, threads - 1, Given { variant, start, stall, grids })?;
    let (directory, notice) = match args.directory {
        Some(directory) => (directory, None),
        None => hunt_directory::next_free()?,
    };
    let session = HuntSession::begin(&directory, job, threads - 1, args.time)?;
    if let Some(notice) = notice.filter(|_| !args.output.quiet) {
        eprintln!("morpion: {notice}");
    }
    let display = HuntDisplay::new(&args.output, &directory, out);
    display::run(session, &args.output, display)
}

/// What the flags that may name files have given.
pub(super) struct Given {
    /// The variant.
    pub variant: Variant,
    /// Moves played before the hunt begins.
    pub start: Vec<Move>,
    /// The stall table, if one is named.
    pub stall: Option<StallTable>,
    /// Grids to begin with, if some are named.
    pub grids: Option<Vec<Vec<Move>>>,
}

/// The hunt that the arguments stand for, with so many workers.
///
/// # Errors
/// If the arguments contradict each other.
pub(super) fn job(args: &Args, workers: u32, given: Given) -> anyhow::Result<Job> {
    let Given { variant, start, stall, grids } = given;
    let mut params = args.params.clone();
    if let Some(stall) = stall {
        params.stall = stall;
    }
    params.stall = params.stall.scaled(args.stall_scale);
    if let Some(grids) = grids {
        if !params.strategy.takes_grids() {
            bail!(
                "--init-dir gives the grids that --strategy perturb, permute, temper, regrow or reshape begins with; others begin with --init-file"
            );
        }
        params.grids = grids;
    }
    if params.level.is_none()
        && matches!(params.strategy, Strategy::Nmcs | Strategy::Nrpa | Strategy::Perturb | Strategy::Regrow)
    {
        params.level = params.strategy.row().best_level(variant);
    }
    if matches!(params.strategy, Strategy::Nrpa | Strategy::Regrow) {
        params.iterations = Some(params.iterations());
    }
    if params.share.is_some() {
        params.width = params.width.or(Some(workers.min(MAX_WIDTH)));
    }
    let shared = params.share.is_some();
    let monte_carlo = params.strategy != Strategy::Dfs;
    if args.runs.is_some() && !monte_carlo {
        bail!("--runs counts the runs of a Monte Carlo strategy: for dfs the units are the prefixes of --main-depth");
    }
    Ok(Job {
        variant,
        start,
        main_depth: args.main_depth,
        seed: args.seed.unwrap_or_else(rand::random),
        max_iterations: args.max_iterations,
        runs: args
            .runs
            .or(args.max_iterations.filter(|_| monte_carlo).map(|_| if shared { 1 } else { workers.into() })),
        target: args.target,
        keep_from: args.keep_from.map_or_else(|| Some(kept_from(variant)), |setting| setting.0),
        params,
    })
}

/// From which score on grids are kept, if nothing is said: few enough that a hunt of weeks stays small, and those that a
/// search for better ones would begin from. For lines of 4 the optimum is known, and only optimal grids are of interest.
const fn kept_from(variant: Variant) -> u32 {
    match variant {
        Variant::T5 => 165,
        Variant::D5 => 80,
        Variant::T4 => 62,
        Variant::D4 => 35,
    }
}

/// One worker per processor, plus the main thread.
fn default_threads() -> u32 {
    std::thread::available_parallelism().map_or(2, |n| (n.get() as u32).saturating_add(1)).min(MAX_THREADS)
}

/// The first moves of a stored grid, as `--init-file FILE K` names them, and the variant: the one asked for, else the one
/// that the file names, else 5T.
pub(super) fn init_moves(values: &[String], variant: Option<Variant>) -> anyhow::Result<(Variant, Vec<Move>)> {
    let [file, count] = values else { bail!("--init-file needs a file and a number of moves") };
    let count: usize =
        count.parse().ok().with_context(|| format!("--init-file {file} {count}: '{count}' is no number of moves"))?;
    let path = Path::new(file);
    let mut loaded = load(path, variant).context("--init-file")?;
    // Every game of 5D is one of 5T too.
    if loaded.chosen_by == ChosenBy::Replay && loaded.replays_as.contains(&Variant::default()) {
        loaded = load(path, Some(Variant::default())).context("--init-file")?;
    }
    let Grid { variant, moves, .. } = loaded.grid;
    if count > moves.len() {
        bail!("--init-file {file} {count}: the grid has only {} moves", moves.len());
    }
    Ok((variant, moves[..count].to_vec()))
}

/// The grids of the variant in a directory, by file name; what is no grid of it is named on standard error and left out.
pub(super) fn init_grids(directory: &Path, variant: Variant) -> anyhow::Result<Vec<Vec<Move>>> {
    let of = |error: std::io::Error| anyhow::anyhow!("--init-dir {}: {error}", directory.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(of)? {
        let path = entry.map_err(of)?.path();
        if path.is_file()
            && path.extension().and_then(|e| e.to_str()).is_some_and(|e| Format::from_extension(e).is_some())
        {
            paths.push(path);
        }
    }
    paths.sort();
    let mut grids = Vec::new();
    for path in paths {
        match load(&path, None) {
            Ok(loaded) if loaded.grid.variant == variant => grids.push(loaded.grid.moves),
            Ok(loaded) if loaded.replays_as.contains(&variant) && loaded.chosen_by == ChosenBy::Replay => {
                grids.push(load(&path, Some(variant)).context("--init-dir")?.grid.moves);
            }
            Ok(_) => {}
            Err(error) => eprintln!("left out: {error}"),
        }
    }
    if grids.is_empty() {
        bail!("--init-dir {}: there is no grid of {variant} in it", directory.display());
    }
    Ok(grids)
}

/// The table that a value of `--stall-table` names.
pub(super) fn stall_table(value: &str) -> anyhow::Result<StallTable> {
    let path = Path::new(value);
    if value.contains(':') && !path.exists() {
        return value.parse().with_context(|| format!("--stall-table {value}"));
    }
    let text = config::read_small(path).context("--stall-table")?;
    let rows = match text.parse::<toml::Table>() {
        Ok(table) if !table.is_empty() => {
            let value = table.get("stall_table").with_context(|| {
                format!("--stall-table {value}: expected the key stall_table = [[80, 10_000_000], ...]")
            })?;
            config::rows(value).with_context(|| format!("--stall-table {}: stall_table", path.display()))?
        }
        _ => text,
    };
    rows.parse().with_context(|| format!("--stall-table {value}"))
}

fn positive_count(text: &str) -> Result<u64, BadParam> {
    match parse_count(text)? {
        0 => Err(BadParam("it must be at least 1".to_owned())),
        count => Ok(count),
    }
}

fn factor(text: &str) -> Result<f64, BadParam> {
    match text.parse::<f64>() {
        Ok(factor) if factor > 0.0 && factor.is_finite() => Ok(factor),
        _ => Err(BadParam("expected a number above 0".to_owned())),
    }
}
