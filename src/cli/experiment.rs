//! `morpion experiment`: the experiments of the 2021 thesis on the depth-first search ([`depth_first`]), comparisons
//! of searches over many seeds ([`strategies`]), at a budget given in a file, and of solvers of two-player games
//! ([`solvers`]).
//!
//! Each run has one thread; its budget is in seconds of that thread's processor time, or in iterations, which makes
//! the result the same on every machine.

mod depth_first;
mod journal;
mod sample;
mod solvers;
mod strategies;

use super::config::read_small;
use super::grid_input::save;
use super::machine;
use crate::core::ctl::{Ctl, Signal};
use crate::morpion::geometry::Move;
use crate::notation::grid::Grid;
use crate::notation::pentasol::{self, Effort};
use crate::render::chart::{Chart, chart};
use crate::render::pen::PictureFormat;
use anyhow::{Context, bail, ensure};
use journal::Journal;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Width of the charts in pixels.
const WIDTH: u32 = 1400;

/// Run an experiment and write its table (CSV) and chart (PNG): those of the thesis on the depth-first search, a
/// comparison of searches over many seeds, with a summary (Markdown), or one of solvers of two-player games (CSV and
/// Markdown). A comparison of searches that is stopped goes on where it was.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do, for instance configs/experiments/orderings.toml
    config: PathBuf,
    /// Directory of the results, made if it is missing; the files are named like the configuration
    #[arg(long, value_name = "DIR", default_value = "results")]
    output: PathBuf,
    /// Overwrite results that exist
    #[arg(long)]
    force: bool,
    /// Runs at a time, each on one thread
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    threads: u32,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Experiment {
    ReturnTime,
    Orderings,
    Depth,
    Solvers,
    Strategies,
}

/// The key that all configurations have.
#[derive(Deserialize)]
struct NamedExperiment {
    experiment: Experiment,
}

/// What one run may use up.
#[derive(Debug, Clone, Copy)]
enum RunBudget {
    CpuSeconds(f64),
    Iterations(u64),
}

impl RunBudget {
    fn new(cpu_seconds: Option<f64>, iterations: Option<u64>) -> anyhow::Result<RunBudget> {
        match (cpu_seconds, iterations) {
            (Some(seconds), None) => {
                ensure!(
                    seconds.is_finite() && seconds > 0.0,
                    "cpu_seconds = {seconds}: a positive number of seconds is expected"
                );
                Ok(RunBudget::CpuSeconds(seconds))
            }
            (None, Some(iterations)) => {
                ensure!(iterations > 0, "iterations = 0: at least one is expected");
                Ok(RunBudget::Iterations(iterations))
            }
            _ => bail!("one of cpu_seconds and iterations is expected"),
        }
    }

    /// The iterations, if they are limited.
    fn iterations(self) -> Option<u64> {
        match self {
            RunBudget::CpuSeconds(_) => None,
            RunBudget::Iterations(n) => Some(n),
        }
    }

    fn describe(self) -> String {
        match self {
            RunBudget::CpuSeconds(1.0) => "1 CPU second".to_owned(),
            RunBudget::CpuSeconds(seconds) => format!("{seconds} CPU seconds"),
            RunBudget::Iterations(n) => format!("{n} iterations"),
        }
    }
}

/// The processor time of the calling thread since this was made; the clock's where the system does not tell.
#[derive(Clone, Copy)]
struct Stopwatch(Option<f64>, Instant);

impl Stopwatch {
    fn start() -> Stopwatch {
        Stopwatch(machine::thread_seconds(), Instant::now())
    }

    fn seconds(self) -> f64 {
        match (self.0, machine::thread_seconds()) {
            (Some(start), Some(now)) => now - start,
            _ => self.1.elapsed().as_secs_f64(),
        }
    }
}

/// Ends a run when its seconds are used up, or after some polls.
struct RunLimit {
    watch: Stopwatch,
    budget: RunBudget,
    polls_left: u32,
}

impl Ctl<Move> for RunLimit {
    fn poll(&mut self, _iterations: u64, _best: u32) -> Signal {
        self.polls_left = self.polls_left.saturating_sub(1);
        let over = matches!(self.budget, RunBudget::CpuSeconds(seconds) if self.watch.seconds() >= seconds);
        if over || self.polls_left == 0 { Signal::Stop } else { Signal::Continue }
    }

    fn improved(&mut self, _moves: &[Move], _iterations: u64) {}
}

/// A table and what is made of it.
struct ExperimentResults {
    table: String,
    title: String,
    /// What the table comes to, in Markdown, where it is too long to be shown.
    summary: Option<String>,
    /// The longest grid, if there is one to keep.
    grid: Option<Grid>,
    chart: Option<Chart>,
}

impl ExperimentResults {
    /// A table and its chart.
    fn charted(table: String, chart: Chart) -> ExperimentResults {
        ExperimentResults { table, title: chart.title.clone(), summary: None, grid: None, chart: Some(chart) }
    }
}

/// Runs the command.
///
/// # Errors
/// A configuration that cannot be read or has unknown keys or values; results that exist or cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let path = &args.config;
    let text = read_small(path)?;
    let stem = path.file_stem().with_context(|| format!("{}: a file name is expected", path.display()))?;
    let of = |extension| args.output.join(stem).with_extension(extension);
    let (csv, png, md, grid, part) = (of("csv"), of("png"), of("md"), of("psol"), of("part"));
    for result in [&csv, &png, &md, &grid] {
        // Before the run, not after it.
        let exists = result.symlink_metadata().is_ok();
        ensure!(args.force || !exists, "{}: the file exists; --force overwrites it", result.display());
    }
    std::fs::create_dir_all(&args.output)
        .with_context(|| format!("{}: the directory cannot be made", args.output.display()))?;
    let threads = args.threads as usize;
    let named: NamedExperiment = parse(&text, path)?;
    let within = || path.display().to_string();
    let mut results = match named.experiment {
        Experiment::ReturnTime => depth_first::return_time(&parse(&text, path)?, threads),
        Experiment::Orderings => depth_first::orderings(&parse(&text, path)?, threads),
        Experiment::Depth => depth_first::depth(&parse(&text, path)?, threads),
        Experiment::Solvers => solvers::solvers(&parse(&text, path)?, threads),
        Experiment::Strategies => {
            // The whole is read first: a journal that a mistake leaves behind would be in the way of the corrected
            // file.
            let plan = strategies::ComparisonPlan::new(parse(&text, path)?).with_context(within)?;
            let journal = Journal::open(&part, &text, args.force)?;
            strategies::strategies(&plan, threads, journal)
        }
    }
    .with_context(within)?;
    let (version, date, machine) = (env!("CARGO_PKG_VERSION"), machine::date(), machine::describe());
    let head =
        format!("# morpion experiment {}\n# version {version}, {date}\n# one thread of {machine}\n", path.display());
    save(&csv, (head + &results.table).as_bytes(), args.force)?;
    let mut written = vec![&csv];
    if let Some(drawn) = &mut results.chart {
        let machine_note = format!("morpion {version}, {date}, one thread of {machine}");
        drawn.note = match &drawn.note[..] {
            "" => machine_note,
            own => format!("{own}; {machine_note}"),
        };
        save(&png, &chart(drawn, PictureFormat::Png, WIDTH)?, args.force)?;
        written.push(&png);
    }
    if let Some(found) = &results.grid {
        save(&grid, pentasol::write(found, Effort::Comments).as_bytes(), args.force)?;
    }
    match &results.summary {
        Some(summary) => {
            let title = &results.title;
            let head = format!("# {title}\n\nmorpion {version}, {date}, one thread of {machine}\n\n");
            save(&md, (head + summary).as_bytes(), args.force)?;
            write!(out, "{summary}")?;
            written.insert(0, &md);
        }
        None => write!(out, "{}", results.table)?,
    }
    let written: Vec<String> = written.iter().map(|file| file.display().to_string()).collect();
    eprintln!("written: {}", written.join(", "));
    if matches!(named.experiment, Experiment::Strategies) {
        // All that it holds is in the results.
        Journal::remove(&part)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads a configuration; an error names file, line and key.
fn parse<T: DeserializeOwned>(text: &str, path: &Path) -> anyhow::Result<T> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let message = error.message().replace('\n', " ");
        let Some(start) = error.span().map(|span| span.start.min(text.len())) else {
            return anyhow::anyhow!("{}: {message}", path.display());
        };
        let before = text.get(..start).unwrap_or(text);
        // The key may stand some lines above a value of a list.
        let upto = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or("");
        let lines = format!("{before}{upto}");
        let line = before.matches('\n').count() + 1;
        let key = lines
            .lines()
            .rev()
            .find_map(|l| l.split('#').next().unwrap_or("").split_once('='))
            .map(|(k, _)| k.trim());
        match key {
            Some(key) if message.contains(&format!("`{key}`")) || message.starts_with("missing") => {
                anyhow::anyhow!("{}, line {line}: {message}", path.display())
            }
            Some(key) => anyhow::anyhow!("{}, line {line}, {key}: {message}", path.display()),
            None => anyhow::anyhow!("{}, line {line}: {message}", path.display()),
        }
    })
}

/// Does `count` runs, so many at a time, and tells on stderr how far it is; the results are in order.
fn each<T: Send>(count: usize, threads: usize, run: impl Fn(usize) -> (String, T) + Sync) -> anyhow::Result<Vec<T>> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads.min(count) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= count {
                        break;
                    }
                    let (message, result) = run(i);
                    let Ok(mut done) = done.lock() else { break };
                    done.push((i, result));
                    eprintln!("{} of {count}: {message}", done.len());
                }
            });
        }
    });
    let mut done = done.into_inner().ok().context("a run has panicked")?;
    done.sort_by_key(|(i, _)| *i);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERINGS: &str = "experiment = 'orderings'\nvariant = '5D'\niterations = 9000\n\
                             sorts = ['no', 'coords', 'weights_max']\njumps = ['no', 'frequent']\n";
    const DEPTH: &str = "experiment = 'depth'\nvariant = '4D'\niterations = 20000\ndepths = [2, 1, 2, 12]\n\
                         sort = 'coords'\njumps = 'no'\nstall_scale = 0.00001\n";
    const RETURN_TIME: &str = "experiment = 'return_time'\nvariant = '5T'\niterations = 9000\nsort = 'no'\n";

    fn run_in(directory: &Path, name: &str, config: &str, force: bool) -> anyhow::Result<String> {
        let path = directory.join(name).with_extension("toml");
        std::fs::write(&path, config)?;
        let mut out = Vec::new();
        run(Args { config: path, output: directory.join("results"), force, threads: 2 }, &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    #[test]
    fn experiments_write_a_table_and_a_chart() {
        let directory = tempfile::tempdir().unwrap();
        for (name, config, rows) in
            [("orderings", ORDERINGS, 6), ("depth", DEPTH, 3), ("return_time", RETURN_TIME, 4)]
        {
            let table = run_in(directory.path(), name, config, false).unwrap();
            assert!(table.lines().count() > rows, "{name}: {table}");
            let columns = table.lines().next().unwrap().split(',').count();
            assert!(table.lines().all(|line| line.split(',').count() == columns), "{name}: {table}");
            let file = |extension| directory.path().join("results").join(name).with_extension(extension);
            let csv = std::fs::read_to_string(file("csv")).unwrap();
            assert!(csv.starts_with("# morpion experiment ") && csv.ends_with(&table), "{name}: {csv}");
            assert!(std::fs::read(file("png")).unwrap().starts_with(b"\x89PNG"));
            // Again: kept unless it is asked for, and the same but for the time taken.
            let error = run_in(directory.path(), name, config, false).unwrap_err().to_string();
            assert!(error.contains("--force"), "{error}");
            let again = run_in(directory.path(), name, config, true).unwrap();
            let timeless = |table: &str| -> Vec<String> {
                let number = |cell: &&str| !cell.contains('.');
                table.lines().map(|line| line.split(',').filter(number).collect::<Vec<_>>().join(",")).collect()
            };
            assert_eq!(timeless(&again), timeless(&table), "{name}");
        }
    }

    const STRATEGIES: &str = "experiment = 'strategies'\nvariant = '4T'\niterations = 3000\nseeds = 3\nfirst_seed = 7\n\
                              targets = [20, 62]\n[[search]]\nname = 'NRPA'\nstrategy = 'nrpa'\nlevel = 2\niterations = 20\n\
                              [[search]]\nname = 'random'\nstrategy = 'random'\n[[search]]\nname = 'walk'\nmain_depth = 2\n";

    #[test]
    fn a_comparison_goes_on_where_it_was_stopped() {
        let directory = tempfile::tempdir().unwrap();
        let results = directory.path().join("results");
        let summary = run_in(directory.path(), "both", STRATEGIES, false).unwrap();
        let of =
            |name: &str| summary.lines().find(|line| line.starts_with(&format!("| {name} |"))).unwrap().to_owned();
        assert_eq!(of("NRPA").split('|').count(), 6, "{summary}");
        assert!(of("random").contains("+-") && of("62").contains("(0 of 3)"), "{summary}");
        let csv = std::fs::read_to_string(results.join("both.csv")).unwrap();
        let ends: Vec<&str> = csv.lines().filter(|line| line.starts_with("random,8,")).collect();
        assert!(ends.last().unwrap().contains(",3000,"), "{csv}");
        assert!(std::fs::read_to_string(results.join("both.md")).unwrap().ends_with(&summary));
        assert!(!results.join("both.part").exists());
        // The longest grid of all is kept.
        let grid = crate::notation::file::load(&results.join("both.psol"), None).unwrap().grid;
        let best = csv.lines().filter_map(|line| line.rsplit(',').next()?.parse::<usize>().ok()).max();
        assert_eq!(Some(grid.score()), best);

        // As if it had been stopped after some runs: those are not done again.
        let other = tempfile::tempdir().unwrap();
        let part = other.path().join("results/both.part");
        std::fs::create_dir(other.path().join("results")).unwrap();
        let mut journal = Journal::open(&part, STRATEGIES, false).unwrap();
        let run = journal::RecordedRun {
            search: "random".into(),
            seed: 8,
            seconds: 1.0,
            iterations: 5,
            bests: vec![journal::BestStep { seconds: 0.5, iterations: 4, score: 19 }],
            moves: Vec::new(),
        };
        journal.add(&run).unwrap();
        drop(journal);
        run_in(other.path(), "both", STRATEGIES, false).unwrap();
        let again = std::fs::read_to_string(other.path().join("results/both.csv")).unwrap();
        let rows = |csv: &str, name: &str| -> Vec<String> {
            let own = csv.lines().filter(|line| line.starts_with(name));
            own.map(|line| line.split(',').filter(|cell| !cell.contains('.')).collect::<Vec<_>>().join(",")).collect()
        };
        assert_eq!(rows(&again, "random,8,"), ["random,8,4,19", "random,8,5,19"]);
        for name in ["NRPA,7,", "random,9,", "walk,7,"] {
            assert_eq!(rows(&again, name), rows(&csv, name), "{name}");
        }
    }

    #[test]
    fn a_corrected_configuration_is_not_blocked_by_the_wrong_one() {
        let directory = tempfile::tempdir().unwrap();
        for (old, new) in [("seeds = 3", "seed = 3"), ("level = 2", "level = 99"), ("seeds = 3", "seeds = 0")] {
            let error = run_in(directory.path(), "both", &STRATEGIES.replacen(old, new, 1), false);
            assert!(error.is_err(), "{new}");
            assert!(!directory.path().join("results/both.part").exists(), "{new}");
        }
        // One without runs that an earlier version has left behind.
        drop(Journal::open(&directory.path().join("results/both.part"), "another", false).unwrap());
        run_in(directory.path(), "both", STRATEGIES, false).unwrap();
    }

    const SOLVERS: &str = "experiment = 'solvers'\nbudget = 5000\n\
                           [[position]]\nname = 'four'\ngame = 'reversi'\nsize = 4\n\
                           [[position]]\nname = 'go'\ngame = 'go'\nsize = 2\nthreshold = 1\n\
                           [[search]]\nname = 'all'\nalgorithm = 'negascout'\n\
                           [[search]]\nname = 'bare'\nalgorithm = 'negascout'\nwithout = ['table', 'prior', 'bounds']\n\
                           positions = ['four']\n\
                           [[search]]\nname = 'special'\n";

    #[test]
    fn solvers_are_compared_on_positions() {
        let directory = tempfile::tempdir().unwrap();
        let summary = run_in(directory.path(), "solvers", SOLVERS, false).unwrap();
        let row = |name: &str| -> Vec<String> {
            let found = summary.lines().find(|line| line.starts_with(&format!("| {name} |"))).unwrap();
            found.trim_matches('|').split('|').skip(1).map(|cell| cell.trim().to_owned()).collect()
        };
        assert_eq!(row("value"), ["-8", "no"], "{summary}");
        let bare = row("bare");
        assert!(bare[0].starts_with("open after ") && bare[1].is_empty(), "{summary}");
        let csv = std::fs::read_to_string(directory.path().join("results/solvers.csv")).unwrap();
        let nodes =
            |begin: &str| csv.lines().find_map(|line| line.strip_prefix(begin)?.split(',').next()?.parse().ok());
        let (all, special): (u64, u64) = (nodes("four,all,-8,").unwrap(), nodes("four,special,-8,").unwrap());
        assert!(row("all")[0].starts_with(&format!("{},{:03};", all / 1000, all % 1000)) && special > 100, "{csv}");
        assert!(!directory.path().join("results/solvers.png").exists());
        assert!(!directory.path().join("results/solvers.part").exists());
        // Again, the same but for the time.
        let again = run_in(directory.path(), "solvers", SOLVERS, true).unwrap();
        let timeless =
            |text: &str| text.split(';').map(|part| part.split('|').skip(1).collect::<String>()).collect::<Vec<_>>();
        assert_eq!(timeless(&again), timeless(&summary));
    }

    #[test]
    fn the_walk_at_depth_1_is_done_and_the_deep_one_cut_off() {
        let directory = tempfile::tempdir().unwrap();
        let table = run_in(directory.path(), "depth", DEPTH, false).unwrap();
        let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
        let of = |column: usize| rows.iter().map(|row| row[column]).collect::<Vec<_>>();
        assert_eq!(of(0), ["1", "2", "12"]);
        // Five classes of first moves; a walk that is done is below its budget.
        assert_eq!((rows[0][4], rows[0][5], rows[2][5]), ("5", "true", "false"));
        assert_eq!(rows[2][3], "20000");
    }

    #[test]
    fn errors_name_file_and_key() {
        let directory = tempfile::tempdir().unwrap();
        for (old, new, named) in [
            ("iterations = 9000", "iterationz = 9000", "unknown field `iterationz`"),
            ("iterations = 9000", "iterations = -1", "iterations"),
            ("iterations = 9000", "iterations = 0", "iterations = 0"),
            ("iterations = 9000", "cpu_seconds = nan", "cpu_seconds = NaN"),
            ("iterations = 9000", "cpu_seconds = 1\niterations = 1", "one of cpu_seconds and iterations"),
            ("iterations = 9000", "", "one of cpu_seconds and iterations"),
            ("'coords'", "'coordz'", "sorts: unknown variant `coordz`"),
            ("'5D'", "'6D'", "variant: unknown variant `6D`"),
            ("'orderings'", "'order'", "experiment: unknown variant `order`"),
            ("jumps = ['no', 'frequent']", "jumps = []", "jumps = []"),
            ("jumps = ['no', 'frequent']", "", "missing field `jumps`"),
            ("variant", "variant = ", "bad.toml, line 2"),
        ] {
            let config = ORDERINGS.replace(old, new);
            let error = run_in(directory.path(), "bad", &config, false).unwrap_err();
            let text = format!("{error:#}");
            assert!(text.contains("bad.toml") && text.contains(named) && !text.contains('\n'), "{new}: {text}");
        }
        for (old, new, named) in
            [("[2, 1, 2, 12]", "[0]", "depths: 0"), ("0.00001", "-1.0", "stall_scale = -1"), ("'no'", "7", "jumps")]
        {
            let error = run_in(directory.path(), "bad", &DEPTH.replace(old, new), false).unwrap_err();
            let text = format!("{error:#}");
            assert!(text.contains("bad.toml") && text.contains(named), "{new}: {text}");
        }
        for (old, new, named) in [
            ("seeds = 3", "seeds = 0", "seeds = 0"),
            ("name = 'random'", "name = 'NRPA'", "two of this name"),
            ("name = 'random'\n", "", "search number 2: a name"),
            ("name = 'random'", "name = 'a|b'", "no comma"),
            ("strategy = 'random'", "strategy = 'luck'", "search 'random'"),
            ("strategy = 'random'", "seed = 3", "seed is not for a comparison"),
            ("level = 2", "levle = 2", "unknown key 'levle'"),
            ("first_seed = 7", "first_seed = 9223372036854775807\niteration = 1", "unknown field"),
        ] {
            let error = run_in(directory.path(), "bad", &STRATEGIES.replace(old, new), true).unwrap_err();
            let text = format!("{error:#}");
            assert!(text.contains("bad.toml") && text.contains(named), "{new}: {text}");
        }
        for (old, new, named) in [
            ("budget = 5000", "budget = 0", "budget = 0"),
            ("name = 'go'", "name = 'four'", "position 'four': there are two of this name"),
            ("game = 'go'", "game = 'chess'", "there is no 'chess'"),
            ("game = 'go'\n", "", "game is missing"),
            ("size = 2", "size = 8", "search 'all', position 'go'"),
            ("['four']", "['five']", "search 'bare': positions: there is no position 'five'"),
            ("'table', 'prior'", "'tables'", "without"),
            ("name = 'special'", "name = 'special'\nwithout = 'table'", "search 'special', position 'four': without"),
            ("name = 'special'", "name = 'special'\nthreshold = 1", "threshold is given twice"),
            ("name = 'special'", "name = 'special'\ndepth = 1", "unknown key 'depth'"),
            ("name = 'special'", "", "search number 3: a name"),
        ] {
            let error = run_in(directory.path(), "bad", &SOLVERS.replace(old, new), true).unwrap_err();
            let text = format!("{error:#}");
            assert!(text.contains("bad.toml") && text.contains(named), "{new}: {text}");
        }
        assert!(!directory.path().join("results/bad.csv").exists());
    }
}
