//! `morpion experiment`: the experiments of the 2021 thesis on the depth-first search, at a budget given in a file.
//!
//! Each run has one thread; its budget is in seconds of that thread's processor time, or in iterations, which makes
//! the result the same on every machine.

use super::config::read_small;
use super::grid_input::save;
use super::machine;
use crate::core::ctl::{Ctl, Signal};
use crate::core::search::{End, Search};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Variant;
use crate::render::chart::{Chart, Marks, Panel, Series, chart};
use crate::render::pen::Picture;
use crate::strategies::dfs::Dfs;
use crate::strategies::params::{Jumps, Params, Sort, StallTable};
use crate::strategies::prefix::prefix_walk;
use crate::strategies::{self, Unit};
use crate::with_rules;
use anyhow::{Context, bail, ensure};
use clap::ValueEnum;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Width of the charts in pixels.
const WIDTH: u32 = 1400;

/// Run an experiment of the thesis and write its table (CSV) and chart (PNG).
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do, for instance configs/orderings.toml
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
}

/// The key that all configurations have.
#[derive(Deserialize)]
struct Named {
    experiment: Experiment,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReturnTime {
    #[serde(rename = "experiment")]
    _experiment: Experiment,
    variant: Variant,
    cpu_seconds: Option<f64>,
    iterations: Option<u64>,
    sort: Sort,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Orderings {
    #[serde(rename = "experiment")]
    _experiment: Experiment,
    variant: Variant,
    cpu_seconds: Option<f64>,
    iterations: Option<u64>,
    sorts: Vec<Sort>,
    jumps: Vec<Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Depth {
    #[serde(rename = "experiment")]
    _experiment: Experiment,
    variant: Variant,
    cpu_seconds: Option<f64>,
    iterations: Option<u64>,
    depths: Vec<u32>,
    sort: Sort,
    jumps: Table,
    stall_scale: f64,
}

/// A table of jumps back.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Table {
    Frequent,
    Nonfrequent,
    No,
}

impl Table {
    fn jumps(self) -> Jumps {
        match self {
            Table::Frequent => Jumps::frequent(),
            Table::Nonfrequent => Jumps::nonfrequent(),
            Table::No => Jumps::none(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Table::Frequent => "frequent",
            Table::Nonfrequent => "nonfrequent",
            Table::No => "no",
        }
    }
}

fn sort_name(sort: Sort) -> String {
    sort.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// What one run may use up.
#[derive(Debug, Clone, Copy)]
enum Budget {
    CpuSeconds(f64),
    Iterations(u64),
}

impl Budget {
    fn new(cpu_seconds: Option<f64>, iterations: Option<u64>) -> anyhow::Result<Budget> {
        match (cpu_seconds, iterations) {
            (Some(seconds), None) => {
                ensure!(
                    seconds.is_finite() && seconds > 0.0,
                    "cpu_seconds = {seconds}: a positive number of seconds is expected"
                );
                Ok(Budget::CpuSeconds(seconds))
            }
            (None, Some(iterations)) => {
                ensure!(iterations > 0, "iterations = 0: at least one is expected");
                Ok(Budget::Iterations(iterations))
            }
            _ => bail!("one of cpu_seconds and iterations is expected"),
        }
    }

    /// The iterations, if they are limited.
    fn iterations(self) -> Option<u64> {
        match self {
            Budget::CpuSeconds(_) => None,
            Budget::Iterations(n) => Some(n),
        }
    }

    fn describe(self) -> String {
        match self {
            Budget::CpuSeconds(1.0) => "1 CPU second".to_owned(),
            Budget::CpuSeconds(seconds) => format!("{seconds} CPU seconds"),
            Budget::Iterations(n) => format!("{n} iterations"),
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
struct Limit {
    watch: Stopwatch,
    budget: Budget,
    polls_left: u32,
}

impl Ctl<Move> for Limit {
    fn poll(&mut self, _iterations: u64, _best: u32) -> Signal {
        self.polls_left = self.polls_left.saturating_sub(1);
        let over = matches!(self.budget, Budget::CpuSeconds(seconds) if self.watch.seconds() >= seconds);
        if over || self.polls_left == 0 { Signal::Stop } else { Signal::Continue }
    }

    fn improved(&mut self, _moves: &[Move], _iterations: u64) {}
}

/// A table and its chart.
struct Results {
    table: String,
    chart: Chart,
}

/// Runs the command.
///
/// # Errors
/// A configuration that cannot be read or has unknown keys or values; results that exist or cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let path = &args.config;
    let text = read_small(path)?;
    let stem = path.file_stem().with_context(|| format!("{}: a file name is expected", path.display()))?;
    let [csv, png] = ["csv", "png"].map(|extension| args.output.join(stem).with_extension(extension));
    for result in [&csv, &png] {
        // Before the run, not after it.
        let exists = result.symlink_metadata().is_ok();
        ensure!(args.force || !exists, "{}: the file exists; --force overwrites it", result.display());
    }
    std::fs::create_dir_all(&args.output)
        .with_context(|| format!("{}: the directory cannot be made", args.output.display()))?;
    let threads = args.threads as usize;
    let named: Named = parse(&text, path)?;
    let within = || path.display().to_string();
    let mut results = match named.experiment {
        Experiment::ReturnTime => return_time(&parse(&text, path)?, threads).with_context(within)?,
        Experiment::Orderings => orderings(&parse(&text, path)?, threads).with_context(within)?,
        Experiment::Depth => depth(&parse(&text, path)?, threads).with_context(within)?,
    };
    let (version, date, machine) = (env!("CARGO_PKG_VERSION"), machine::date(), machine::describe());
    results.chart.note = format!("morpion {version}, {date}, one thread of {machine}");
    let head =
        format!("# morpion experiment {}\n# version {version}, {date}\n# one thread of {machine}\n", path.display());
    save(&csv, (head + &results.table).as_bytes(), args.force)?;
    save(&png, &chart(&results.chart, Picture::Png, WIDTH)?, args.force)?;
    write!(out, "{}", results.table)?;
    eprintln!("written: {} and {}", csv.display(), png.display());
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

fn whole(max_iterations: Option<u64>) -> Unit {
    Unit { prefix: Vec::new(), candidates: None, seed: 0, max_iterations }
}

/// Time until the search first returns to move n: plain against order-free.
fn return_time(config: &ReturnTime, threads: usize) -> anyhow::Result<Results> {
    let budget = Budget::new(config.cpu_seconds, config.iterations)?;
    let names = ["depth-first search", "order-free depth-first search"];
    let runs = each(2, threads, |i| {
        let params = Params {
            order_free: i == 1,
            sort: config.sort,
            jumps: Jumps::none(),
            stall: StallTable(Vec::new()),
            ..Params::default()
        };
        let returns = with_rules!(config.variant, R => {
            let mut search = Dfs::<R>::new(&params, &whole(budget.iterations()));
            returns_of(&mut search, budget, |search| search.first_returns().to_vec())
        });
        (format!("{}, best {}", names[i], returns.1), returns)
    })?;
    let mut table = String::from("search,move,iterations,cpu_seconds\n");
    let mut series = Vec::new();
    for ((returns, _), name) in runs.iter().zip(names) {
        for (mv, iterations, seconds) in returns {
            writeln!(table, "{name},{mv},{iterations},{seconds:.6}")?;
        }
        let points = returns.iter().map(|&(mv, _, seconds)| (f64::from(mv), seconds)).collect();
        series.push(Series { name: name.to_owned(), points });
    }
    let moves = || runs.iter().flat_map(|(returns, _)| returns.iter().map(|r| r.0));
    let (first, last) = (moves().min().unwrap_or(0), moves().max().unwrap_or(1));
    let step = if last - first > 30 { 5 } else { 1 };
    let places = (first..=last).filter(|mv| mv % step == 0).map(|mv| (f64::from(mv), mv.to_string())).collect();
    let (x, y) = ("move to which the search has returned".to_owned(), "CPU seconds until then".to_owned());
    let panel = Panel { x, y, places, log: true, marks: Marks::Joined, series };
    let sort = sort_name(config.sort);
    let title =
        format!("{}: time until the search first returns to move n (ordering: {sort})", config.variant.code());
    Ok(Results { table, chart: Chart { title, note: String::new(), panels: vec![panel] } })
}

/// Move, iterations and seconds of each first return, by ascending move, and the best score.
type Returns = (Vec<(u32, u64, f64)>, u32);

/// Runs a search in slices of a fraction of a millisecond and notes the first return to each move.
fn returns_of<S: Search<Move>>(search: &mut S, budget: Budget, first: impl Fn(&S) -> Vec<u64>) -> Returns {
    let watch = Stopwatch::start();
    let mut found: Vec<(u32, u64, f64)> = Vec::new();
    let (mut iterations_before, mut seconds_before) = (0, 0.0);
    loop {
        let mut ctl = Limit { watch, budget, polls_left: 8 };
        let end = search.run(&mut ctl);
        let (iterations, seconds) = (search.iterations(), watch.seconds());
        for (mv, &at) in (0..).zip(&first(search)) {
            if at > 0 && !found.iter().any(|f| f.0 == mv) {
                // Within the slice by its share of the iterations.
                let share = (at - iterations_before) as f64 / (iterations - iterations_before).max(1) as f64;
                found.push((mv, at, seconds_before + share * (seconds - seconds_before)));
            }
        }
        (iterations_before, seconds_before) = (iterations, seconds);
        if end != End::Stopped || ctl.polls_left > 0 {
            found.sort_by_key(|f| f.0);
            return (found, search.best());
        }
    }
}

/// Best score per ordering and table of jumps.
fn orderings(config: &Orderings, threads: usize) -> anyhow::Result<Results> {
    let budget = Budget::new(config.cpu_seconds, config.iterations)?;
    ensure!(!config.sorts.is_empty(), "sorts = []: at least one ordering is expected");
    ensure!(!config.jumps.is_empty(), "jumps = []: at least one table is expected");
    let cases: Vec<(Sort, Table)> =
        config.sorts.iter().flat_map(|&sort| config.jumps.iter().map(move |&jumps| (sort, jumps))).collect();
    let runs = each(cases.len(), threads, |i| {
        let (sort, jumps) = cases[i];
        let params = Params { sort, jumps: jumps.jumps(), stall: StallTable(Vec::new()), ..Params::default() };
        let watch = Stopwatch::start();
        let mut search = strategies::start(config.variant, &params, &whole(budget.iterations()));
        search.run(&mut Limit { watch, budget, polls_left: u32::MAX });
        let name = sort_name(sort);
        let message = format!("{name}, jumps {}: {}", jumps.name(), search.best());
        (message, (name, jumps.name(), search.best(), search.iterations(), watch.seconds()))
    })?;
    let mut table = String::from("sort,jumps,best,iterations,cpu_seconds\n");
    for (sort, jumps, best, iterations, seconds) in &runs {
        writeln!(table, "{sort},{jumps},{best},{iterations},{seconds:.2}")?;
    }
    let series = config.jumps.iter().enumerate().map(|(j, jumps)| {
        let own = runs.iter().skip(j).step_by(config.jumps.len());
        let points = (0..).zip(own).map(|(i, run)| (f64::from(i), f64::from(run.2))).collect();
        Series { name: format!("jumps back: {}", jumps.name()), points }
    });
    let places = (0..).zip(&config.sorts).map(|(i, &sort)| (f64::from(i), sort_name(sort))).collect();
    let (x, y, series) = (String::new(), "best score".to_owned(), series.collect());
    let panel = Panel { x, y, places, log: false, marks: Marks::Points, series };
    let code = config.variant.code();
    let title = format!("{code}: best score by ordering and jumps back, {} each", budget.describe());
    Ok(Results { table, chart: Chart { title, note: String::new(), panels: vec![panel] } })
}

/// A walk over the prefixes of one depth.
struct DepthRun {
    best: u32,
    units: u64,
    iterations: u64,
    seconds: f64,
    finished: bool,
}

/// Running time and best score against the depth of the walk over prefixes.
fn depth(config: &Depth, threads: usize) -> anyhow::Result<Results> {
    let budget = Budget::new(config.cpu_seconds, config.iterations)?;
    ensure!(!config.depths.is_empty(), "depths = []: at least one depth is expected");
    let longest = config.variant.upper_bound();
    if let Some(depth) = config.depths.iter().find(|&depth| !(1..=longest).contains(depth)) {
        bail!("depths: {depth} is not possible: 1 to {longest} are");
    }
    let scale = config.stall_scale;
    ensure!(scale.is_finite() && scale > 0.0, "stall_scale = {scale}: a positive number is expected");
    let params = Params {
        sort: config.sort,
        jumps: config.jumps.jumps(),
        stall: StallTable::thesis().scaled(scale),
        ..Params::default()
    };
    let mut depths = config.depths.clone();
    depths.sort_unstable();
    depths.dedup();
    let runs = each(depths.len(), threads, |i| {
        let depth = depths[i];
        let watch = Stopwatch::start();
        let mut walk = prefix_walk(config.variant, &params, &[], depth);
        let (mut best, mut iterations, mut finished) = (0, 0, false);
        while !finished {
            let Some(prefix) = walk.next() else {
                finished = true;
                continue;
            };
            let left = budget.iterations().map(|n| n.saturating_sub(iterations));
            let unit = Unit { prefix: prefix.moves, candidates: Some(prefix.candidates), ..whole(left) };
            let mut search = strategies::start(config.variant, &params, &unit);
            let end = search.run(&mut Limit { watch, budget, polls_left: u32::MAX });
            best = best.max(search.best());
            iterations += search.iterations();
            // Short units end before their first poll.
            let over = match budget {
                Budget::CpuSeconds(seconds) => watch.seconds() >= seconds,
                Budget::Iterations(n) => iterations >= n,
            };
            if over || matches!(end, End::Stopped | End::IterationLimit) {
                break;
            }
        }
        let (units, seconds) = (walk.produced(), watch.seconds());
        let state = if finished { "done" } else { "cut off" };
        let message = format!("depth {depth}: best {best}, {units} prefixes, {state}");
        (message, DepthRun { best, units, iterations, seconds, finished })
    })?;
    let mut table = String::from("main_depth,best,cpu_seconds,iterations,prefixes,finished\n");
    for (depth, DepthRun { best, units, iterations, seconds, finished }) in depths.iter().zip(&runs) {
        writeln!(table, "{depth},{best},{seconds:.2},{iterations},{units},{finished}")?;
    }
    let places: Vec<(f64, String)> = depths.iter().map(|&d| (f64::from(d), d.to_string())).collect();
    let panel = |y: &str, log: bool, value: fn(&DepthRun) -> f64| {
        let of = |finished: bool| -> Vec<(f64, f64)> {
            let own = depths.iter().zip(&runs).filter(|(_, run)| run.finished == finished);
            own.map(|(&depth, run)| (f64::from(depth), value(run))).collect()
        };
        let done = format!("every prefix searched until it stalled (the thesis's table x {scale})");
        let series = vec![
            Series { name: done, points: of(true) },
            Series { name: format!("cut off after {}", budget.describe()), points: of(false) },
        ];
        Panel {
            x: "main depth".to_owned(),
            y: y.to_owned(),
            places: places.clone(),
            log,
            marks: Marks::Joined,
            series,
        }
    };
    let panels =
        vec![panel("best score", false, |run| f64::from(run.best)), panel("CPU seconds", true, |run| run.seconds)];
    let (code, sort) = (config.variant.code(), sort_name(config.sort));
    let title = format!("{code}: best score and running time by main depth (ordering: {sort})");
    Ok(Results { table, chart: Chart { title, note: String::new(), panels } })
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
        assert!(!directory.path().join("results/bad.csv").exists());
    }
}
