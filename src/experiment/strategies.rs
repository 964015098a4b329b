//! Searches side by side: the best score of each against the processor time, over paired seeds.
//!
//! A run is what a hunt with one worker does: its coordinator hands out the units, one after another, on the thread
//! whose time is measured. Each search has the same seeds; every other one is compared with the first by the mean of
//! the paired differences, whose 95 % interval is given, for single runs scatter too widely to compare.

use super::budget::{RunBudget, Stopwatch};
use super::error::{ExperimentError, Within, mistake};
use super::journal::{BestStep, ConfigSum, Journal, RecordedRun};
use super::sample::{Estimate, estimate, quantile};
use super::{Experiment, ExperimentResults, Listener, each};
use crate::core::ctl::{Ctl, Signal};
use crate::core::histogram::Results as Counts;
use crate::core::search::End;
use crate::jobs::hunt::{self as hunts, Hunt, Job};
use crate::jobs::hunt_settings::{HuntSettings, HuntStart};
use crate::jobs::reading::{SettingSource, from_toml};
use crate::morpion::geometry::Move;
use crate::morpion::referee;
use crate::morpion::variant::Variant;
use crate::notation::grid::{Grid, Provenance};
use crate::render::chart::{Chart, Marks, Panel, Series};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Flags of a hunt that a comparison sets itself, that name files, or that say what a terminal shows.
const REFUSED: [&str; 16] = [
    "variant",
    "start",
    "seed",
    "time",
    "threads",
    "workers",
    "directory",
    "dir",
    "config",
    "init_file",
    "init_dir",
    "stall_table",
    "keep_from",
    "quiet",
    "json",
    "checkpoint",
];
/// Times at which scores are given, in seconds, as far as the budget goes.
const TIMES: [f64; 11] =
    [1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 1800.0, 3600.0, 3.0 * 3600.0, 10.0 * 3600.0, 100.0 * 3600.0];
/// Places of a curve, evenly on the logarithmic axis of time.
const PLACES: u32 = 200;
/// The curves begin at this share of the budget.
const BEGIN: f64 = 1.0 / 3000.0;

/// A comparison of searches, as its configuration file states it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Strategies {
    #[serde(rename = "experiment")]
    _experiment: Experiment,
    variant: Variant,
    /// Of each run.
    cpu_seconds: Option<f64>,
    iterations: Option<u64>,
    /// How many seeds.
    seeds: u32,
    /// The first of them.
    #[serde(default = "one")]
    first_seed: u64,
    /// Scores; the time until each is given.
    #[serde(default)]
    targets: Vec<u32>,
    /// The searches: each a name and flags of a hunt.
    search: Vec<toml::Table>,
}

fn one() -> u64 {
    1
}

/// One of the searches that are compared.
struct SearchCase {
    name: String,
    job: Job,
}

/// The searches of a configuration, and what was left out of it.
fn cases(config: &Strategies) -> Result<(Vec<SearchCase>, Vec<String>), ExperimentError> {
    if config.search.is_empty() {
        return mistake("search: at least one is expected".to_owned());
    }
    let (mut cases, mut warnings) = (Vec::<SearchCase>::new(), Vec::new());
    for (number, table) in (1..).zip(&config.search) {
        let mut flags = table.clone();
        let Some(toml::Value::String(name)) = flags.remove("name") else {
            return mistake(format!("search number {number}: a name is expected, as a text"));
        };
        let within = || format!("search '{name}'");
        if cases.iter().any(|case| case.name == name) {
            return mistake("there are two of this name".to_owned()).within(within);
        }
        let (job, left_out) = job(&name, &flags, config.variant).within(within)?;
        warnings.extend(left_out.into_iter().map(|warning| format!("{}: {warning}", within())));
        cases.push(SearchCase { name, job });
    }
    Ok((cases, warnings))
}

/// The hunt of a search, and what was left out of its flags.
fn job(name: &str, flags: &toml::Table, variant: Variant) -> Result<(Job, Vec<String>), ExperimentError> {
    if name.contains([',', '|', '\n']) {
        return mistake("a name has no comma, bar or new line".to_owned());
    }
    if let Some(key) = flags.keys().find(|key| REFUSED.contains(&key.replace('-', "_").as_str())) {
        return mistake(format!("{key} is not for a comparison"));
    }
    let given = from_toml::<HuntSettings>(flags, |_| SettingSource::Table)?;
    // Each run has a seed of its own.
    let prepared = HuntSettings::prepare(&given, HuntStart { variant, ..HuntStart::default() }, 1, 0)?;
    let job = Job { keep_from: None, ..prepared.job };
    Hunt::new(job.clone())?;
    Ok((job, prepared.warnings))
}

/// Watches a run.
struct RunWatch {
    stopwatch: Stopwatch,
    budget: RunBudget,
    target: Option<u32>,
    /// Iterations of the units that are done.
    before: u64,
    bests: Vec<BestStep>,
    moves: Vec<Move>,
}

impl RunWatch {
    fn is_over(&self, iterations: u64) -> bool {
        self.target.is_some_and(|target| self.moves.len() >= target as usize)
            || match self.budget {
                RunBudget::CpuSeconds(seconds) => self.stopwatch.seconds() >= seconds,
                RunBudget::Iterations(n) => self.before + iterations >= n,
            }
    }
}

impl Ctl<Move> for RunWatch {
    fn poll(&mut self, iterations: u64, _best: u32) -> Signal {
        if self.is_over(iterations) { Signal::Stop } else { Signal::Continue }
    }

    fn improved(&mut self, moves: &[Move], iterations: u64) {
        if moves.len() > self.moves.len() {
            self.moves = moves.to_vec();
            let (seconds, iterations) = (self.stopwatch.seconds(), self.before + iterations);
            self.bests.push(BestStep { seconds, iterations, score: moves.len() as u32 });
        }
    }
}

/// A hunt with one worker, as long as the budget lasts.
fn run(case: &SearchCase, seed: u64, budget: RunBudget) -> Result<RecordedRun, ExperimentError> {
    let mut hunt = Hunt::new(Job { seed, ..case.job.clone() })?;
    let (variant, params) = (case.job.variant, &case.job.params);
    let stopwatch = Stopwatch::start();
    let target = case.job.target;
    let mut watch = RunWatch { stopwatch, budget, target, before: 0, bests: Vec::new(), moves: Vec::new() };
    while let hunts::NextUnit::Unit(mut work) = hunt.next() {
        // The rest of the budget.
        if let RunBudget::Iterations(n) = budget {
            let left = n - watch.before;
            work.unit.max_iterations = Some(work.unit.max_iterations.map_or(left, |own| own.min(left)));
        }
        let mut search = work.start(variant, params);
        let end = search.run(&mut watch);
        watch.before += search.iterations();
        if end == End::Stopped || watch.is_over(0) {
            break;
        }
        let result = hunts::UnitResult {
            end,
            iterations: search.iterations(),
            best: search.best(),
            results: Counts::from(search.results()),
            game: work.call.is_some().then(|| search.best_game()),
        };
        hunt.absorb(work.id, result);
    }
    // Nothing is shown or stored that the referee has not seen.
    referee::replay(variant, &watch.moves)?;
    Ok(RecordedRun {
        search: case.name.clone(),
        seed,
        seconds: watch.stopwatch.seconds(),
        iterations: watch.before,
        bests: watch.bests,
        moves: watch.moves.iter().map(|mv| mv.bits()).collect(),
    })
}

/// The runs of a search by seed.
struct SearchRuns<'a> {
    name: &'a str,
    runs: Vec<&'a RecordedRun>,
}

impl RecordedRun {
    /// The score after so much processor time.
    fn at(&self, seconds: f64) -> f64 {
        let last = self.bests.iter().take_while(|step| step.seconds <= seconds).last();
        last.map_or(0.0, |step| f64::from(step.score))
    }

    fn score(&self) -> f64 {
        self.at(f64::INFINITY)
    }

    /// Processor time until a score; infinite if it was not reached.
    fn until(&self, score: u32) -> f64 {
        self.bests.iter().find(|step| step.score >= score).map_or(f64::INFINITY, |step| step.seconds)
    }
}

impl SearchRuns<'_> {
    fn of(&self, value: impl Fn(&RecordedRun) -> f64) -> Vec<f64> {
        self.runs.iter().map(|run| value(run)).collect()
    }
}

/// A comparison that can be run: everything in its configuration has been checked.
pub struct ComparisonPlan {
    config: Strategies,
    budget: RunBudget,
    cases: Vec<SearchCase>,
    /// The last seed.
    last: u64,
    sum: ConfigSum,
    warnings: Vec<String>,
}

impl ComparisonPlan {
    /// Checks a configuration; `text` is what it was read from.
    ///
    /// # Errors
    /// A value that is out of range, or a search that there is not.
    pub fn new(config: Strategies, text: &str) -> Result<ComparisonPlan, ExperimentError> {
        let budget = RunBudget::new(config.cpu_seconds, config.iterations)?;
        let (cases, warnings) = cases(&config)?;
        if config.seeds == 0 {
            return mistake("seeds = 0: at least one is expected".to_owned());
        }
        let Some(last) = config.first_seed.checked_add(u64::from(config.seeds) - 1) else {
            return mistake(format!("first_seed = {}: the seeds after it are too large", config.first_seed));
        };
        let sum = ConfigSum::new(text, &Values::of(&config, &cases));
        Ok(ComparisonPlan { config, budget, cases, last, sum, warnings })
    }

    /// By which the configuration is recognised.
    pub fn sum(&self) -> ConfigSum {
        self.sum
    }

    /// What was left out of the configuration, a line each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// The values of a configuration, defaults filled in: equal for two files that ask for the same.
#[derive(Serialize)]
struct Values<'a> {
    variant: Variant,
    cpu_seconds: Option<f64>,
    iterations: Option<u64>,
    seeds: u32,
    first_seed: u64,
    targets: &'a [u32],
    searches: Vec<(&'a str, &'a Job)>,
}

impl Values<'_> {
    fn of<'a>(config: &'a Strategies, cases: &'a [SearchCase]) -> Values<'a> {
        let &Strategies { variant, cpu_seconds, iterations, seeds, first_seed, ref targets, .. } = config;
        let searches = cases.iter().map(|case| (&case.name[..], &case.job)).collect();
        Values { variant, cpu_seconds, iterations, seeds, first_seed, targets, searches }
    }
}

/// Runs a comparison, but for the runs that the journal has.
///
/// # Errors
/// If a run fails, or cannot be written to the journal.
pub fn strategies(
    plan: &ComparisonPlan,
    threads: usize,
    journal: Option<Journal>,
    listener: Listener<'_>,
) -> Result<ExperimentResults, ExperimentError> {
    let ComparisonPlan { config, budget, cases, last, .. } = plan;
    let (budget, last) = (*budget, *last);
    let seeds = config.first_seed..=last;
    // Seed by seed, so that what is there if it is stopped can be compared.
    let all: Vec<(&SearchCase, u64)> =
        seeds.clone().flat_map(|seed| cases.iter().map(move |case| (case, seed))).collect();
    let mut known = journal.as_ref().map_or_else(Vec::new, |journal| journal.runs.clone());
    known.retain(|run| all.iter().any(|(case, seed)| case.name == run.search && *seed == run.seed));
    let is_known = |case: &SearchCase, seed| known.iter().any(|run| run.search == case.name && run.seed == seed);
    let todo: Vec<(&SearchCase, u64)> = all.iter().copied().filter(|&(case, seed)| !is_known(case, seed)).collect();
    if !known.is_empty() {
        listener(&format!("{} of {} runs are done already", known.len(), all.len()));
    }
    let (journal, failed) = (Mutex::new(journal), AtomicBool::new(false));
    let new = each(todo.len(), threads, listener, |i| {
        let (case, seed) = todo[i];
        if failed.load(Ordering::Relaxed) {
            // A run that cannot be kept would be for nothing.
            return (format!("{}, seed {seed}: left out", case.name), Err(ExperimentError::LeftOut));
        }
        let run = run(case, seed, budget).and_then(|run| {
            let mut journal = journal.lock().map_err(|_| ExperimentError::Panicked)?;
            if let Some(journal) = &mut *journal {
                journal.add(&run)?;
            }
            Ok(run)
        });
        failed.fetch_or(run.is_err(), Ordering::Relaxed);
        let told = run.as_ref().map_or_else(ToString::to_string, |run| format!("{}", run.score()));
        (format!("{}, seed {seed}: {told}", case.name), run)
    })?;
    for run in new {
        known.push(run?);
    }
    known.sort_by_key(|run| run.seed);
    let of_case = |case: &'_ SearchCase| known.iter().filter(|run| run.search == case.name).collect();
    let searches: Vec<SearchRuns> =
        cases.iter().map(|case| SearchRuns { name: &case.name, runs: of_case(case) }).collect();
    let what = match config.seeds {
        1 => format!("seed {last}"),
        n => format!("{n} seeds ({} to {last})", config.first_seed),
    };
    let title = format!("{}: best score against processor time", config.variant.code());
    let longest = known.iter().map(|run| run.seconds).fold(0.0, f64::max);
    let end = if let RunBudget::CpuSeconds(seconds) = budget { seconds } else { longest };
    Ok(ExperimentResults {
        table: table(&known),
        title: title.clone(),
        summary: Some(summary(config, &searches, &what, budget, end)),
        grid: best(config.variant, &known),
        chart: Some(Chart { title, note: what, panels: vec![panel(&searches, end)] }),
    })
}

/// The longest grid of all runs, the first of equal ones.
fn best(variant: Variant, runs: &[RecordedRun]) -> Option<Grid> {
    let run = runs.iter().reduce(|best, run| if run.moves.len() > best.moves.len() { run } else { best })?;
    let moves = run.moves.iter().map(|&bits| Move::from_bits(variant, bits)).collect::<Option<Vec<_>>>()?;
    let last = run.bests.last();
    let provenance = Provenance {
        tool: Some(format!("morpion {}", env!("CARGO_PKG_VERSION"))),
        method: Some(run.search.clone()),
        seed: Some(run.seed),
        iterations: last.map(|step| step.iterations),
        seconds: last.map(|step| step.seconds),
        ..Provenance::default()
    };
    referee::replay(variant, &moves).ok()?;
    Some(Grid { provenance, ..Grid::new(variant, moves) })
}

fn table(runs: &[RecordedRun]) -> String {
    let mut table = String::from("search,seed,cpu_seconds,iterations,best\n");
    for RecordedRun { search, seed, seconds, iterations, bests, .. } in runs {
        for step in bests {
            writeln!(table, "{search},{seed},{:.3},{},{}", step.seconds, step.iterations, step.score)
                .expect("writing to a string");
        }
        let best = bests.last().map_or(0, |step| step.score);
        writeln!(table, "{search},{seed},{seconds:.3},{iterations},{best}").expect("writing to a string");
    }
    table
}

fn summary(config: &Strategies, searches: &[SearchRuns], what: &str, budget: RunBudget, end: f64) -> String {
    let mut text = format!(
        "{what}, {} each. Scores: mean with its 95 % interval; median (lower to upper quartile).\n\n",
        budget.describe()
    );
    let mut times: Vec<f64> = TIMES.iter().copied().filter(|time| *time < 0.999 * end).collect();
    times.push(f64::INFINITY);
    if matches!(budget, RunBudget::Iterations(_)) {
        times = vec![f64::INFINITY];
    }
    let heads: Vec<String> =
        times.iter().map(|&time| if time.is_finite() { clock(time) } else { "at the end".to_owned() }).collect();
    let first = &searches[0];
    let against = if searches.len() > 1 { format!("less {}, paired", first.name) } else { String::new() };
    let mut row = |cells: &[String]| text.push_str(&format!("| {} |\n", cells.join(" | ")));
    let mut head = vec!["search".to_owned()];
    head.extend(heads);
    head.push("best".to_owned());
    if searches.len() > 1 {
        head.push(against);
    }
    row(&head);
    row(&vec!["---".to_owned(); head.len()]);
    for search in searches {
        let mut cells = vec![search.name.to_owned()];
        for &time in &times {
            let scores = search.of(|run| run.at(time));
            let quartile = |share| quantile(&scores, share).unwrap_or(0.0);
            let mean = estimated(estimate(&scores), false);
            cells.push(format!("{mean}; {} ({} to {})", quartile(0.5), quartile(0.25), quartile(0.75)));
        }
        let scores = search.of(RecordedRun::score);
        cells.push(format!("{}", scores.iter().copied().fold(0.0, f64::max)));
        if searches.len() > 1 {
            let differences: Vec<f64> =
                scores.iter().zip(first.of(RecordedRun::score)).map(|(own, of)| own - of).collect();
            let same = std::ptr::eq(search, first);
            cells.push(if same { String::new() } else { estimated(estimate(&differences), true) });
        }
        row(&cells);
    }
    if !config.targets.is_empty() {
        text.push_str("\nProcessor time until a score: median over all seeds (how many reached it).\n\n");
        let mut row = |cells: &[String]| text.push_str(&format!("| {} |\n", cells.join(" | ")));
        let mut head = vec!["moves".to_owned()];
        head.extend(searches.iter().map(|search| search.name.to_owned()));
        row(&head);
        row(&vec!["---".to_owned(); head.len()]);
        for &target in &config.targets {
            let mut cells = vec![target.to_string()];
            for search in searches {
                let until = search.of(|run| run.until(target));
                let reached = until.iter().filter(|time| time.is_finite()).count();
                let median = quantile(&until, 0.5).filter(|time| time.is_finite());
                let median = median.map_or("-".to_owned(), clock);
                cells.push(format!("{median} ({reached} of {})", until.len()));
            }
            row(&cells);
        }
    }
    text
}

fn estimated(Estimate { mean, half }: Estimate, signed: bool) -> String {
    let mean = if signed { format!("{mean:+.1}") } else { format!("{mean:.1}") };
    half.map_or(mean.clone(), |half| format!("{mean} +- {half:.1}"))
}

/// A time in the unit that suits it.
fn clock(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 60.0 => (s, "s"),
        s if s < 3600.0 => (s / 60.0, "min"),
        s => (s / 3600.0, "h"),
    };
    if value < 0.01 {
        return "< 0.01 s".to_owned();
    }
    let decimals = if value < 0.095 { 2 } else { usize::from(value < 10.0) };
    let value = format!("{value:.decimals$}");
    format!("{} {unit}", value.strip_suffix(".0").unwrap_or(&value))
}

fn panel(searches: &[SearchRuns], end: f64) -> Panel {
    let end = end.max(1e-3);
    let begin = end * BEGIN;
    let at = |i: u32| begin * (end / begin).powf(f64::from(i) / f64::from(PLACES));
    let series = searches.iter().map(|search| {
        let (mut points, mut band) = (Vec::new(), Vec::new());
        for time in (0..=PLACES).map(at) {
            let scores = search.of(|run| run.at(time));
            let quartile = |share| quantile(&scores, share).unwrap_or(0.0);
            // Not before every run has told of a game.
            if scores.iter().all(|score| *score > 0.0) && !scores.is_empty() {
                points.push((time.log10(), quartile(0.5)));
                band.push((time.log10(), quartile(0.25), quartile(0.75)));
            }
        }
        let scores = search.of(RecordedRun::score);
        let middle = quantile(&scores, 0.5).unwrap_or(0.0);
        Series { name: format!("{}: {middle} at the end", search.name), points, band }
    });
    let ticks = [0.01, 0.1, 1.0, 10.0, 60.0, 600.0, 3600.0, 36_000.0, 360_000.0];
    let places = ticks.into_iter().filter(|time| (begin..=end * 1.001).contains(time));
    Panel {
        x: "processor time of the run, logarithmic".to_owned(),
        y: "best score: median and quartiles over the seeds".to_owned(),
        places: places.map(|time| (time.log10(), clock(time))).collect(),
        log: false,
        marks: Marks::Lines,
        series: series.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configurations_are_comparisons() {
        for name in ["strategies-5t", "strategies-5d", "nrpa-5t", "nrpa-5d-82"] {
            let path = format!("{}/configs/experiments/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            let config: Strategies = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
            let (cases, warnings) = cases(&config).unwrap();
            assert_eq!((cases.len(), warnings.len()), (config.search.len(), 0), "{name}");
            assert!(cases.iter().all(|case| case.job.variant == config.variant && case.job.params.grids.is_empty()));
        }
    }

    #[test]
    fn times_are_told_in_their_unit() {
        let told = [0.001, 0.01, 0.1, 0.25, 1.0, 12.34, 60.0, 90.0, 600.0, 5400.0].map(clock);
        let wanted = ["< 0.01 s", "0.01 s", "0.1 s", "0.2 s", "1 s", "12 s", "1 min", "1.5 min", "10 min", "1.5 h"];
        assert_eq!(told, wanted);
    }

    #[test]
    fn a_run_is_a_step_function() {
        let step = |seconds, score| BestStep { seconds, iterations: 1, score };
        let bests = vec![step(1.0, 50), step(3.0, 70)];
        let run = RecordedRun { search: "a".into(), seed: 1, seconds: 5.0, iterations: 9, bests, moves: Vec::new() };
        assert_eq!([0.9, 1.0, 2.9, 3.0, 9.0].map(|t| run.at(t)), [0.0, 50.0, 50.0, 70.0, 70.0]);
        assert_eq!([1, 50, 51, 70].map(|s| run.until(s)), [1.0, 1.0, 3.0, 3.0]);
        assert_eq!(run.until(71), f64::INFINITY);
    }

    /// Comments, layout, the order of keys and defaults that are written out make no other configuration; values do.
    #[test]
    fn a_configuration_is_its_values() {
        let sum = |text: &str| {
            let plan = ComparisonPlan::new(toml::from_str(text).unwrap(), text).unwrap();
            // Only by its values.
            ConfigSum::new("", &Values::of(&plan.config, &plan.cases))
        };
        let config = "experiment = 'strategies'\nvariant = '5T'\ncpu_seconds = 60\nseeds = 3\n\
                      [[search]]\nname = 'a'\nstrategy = 'nrpa'\nlevel = 3\n";
        for same in [
            config.replace("seeds = 3", "seeds = 3 # three\n\n"),
            config.replace("cpu_seconds = 60", "targets = []\ncpu_seconds = 6e1\nfirst_seed = 1"),
            config.replace("strategy = 'nrpa'\nlevel = 3", "level = '3'\nstrategy = \"nrpa\"\nalpha = 1.0"),
        ] {
            assert_ne!(same, config);
            assert_eq!(sum(&same), sum(config), "{same}");
        }
        for (old, new) in [
            ("seeds = 3", "seeds = 4"),
            ("cpu_seconds = 60", "cpu_seconds = 61"),
            ("cpu_seconds = 60", "iterations = 60"),
            ("'5T'", "'5D'"),
            ("seeds = 3", "seeds = 3\nfirst_seed = 2"),
            ("seeds = 3", "seeds = 3\ntargets = [80]"),
            ("name = 'a'", "name = 'b'"),
            ("level = 3", "level = 4"),
            ("'nrpa'", "'nmcs'"),
        ] {
            assert_ne!(sum(&config.replace(old, new)), sum(config), "{new}");
        }
    }
}
