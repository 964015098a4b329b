//! The experiments of the 2021 thesis ("Řešič Morpion Solitaire") on the depth-first search.

use super::budget::{RunBudget, RunLimit, Stopwatch};
use super::error::{ExperimentError, Within, mistake};
use super::{Experiment, ExperimentResults, Listener, each, parse};
use crate::core::search::{End, Search};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Variant;
use crate::render::chart::{Chart, Marks, Panel, Series};
use crate::strategies::dfs::Dfs;
use crate::strategies::params::{Jumps, Params, Sort, StallTable};
use crate::strategies::prefix::prefix_walk;
use crate::strategies::{self, Unit};
use crate::with_rules;
use serde::Deserialize;
use std::fmt::Write as _;

/// The configuration of the experiment on the times of return.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReturnTime {
    #[serde(rename = "experiment")]
    _experiment: Experiment,
    variant: Variant,
    cpu_seconds: Option<f64>,
    iterations: Option<u64>,
    sort: Sort,
}

/// The configuration of the comparison of orderings.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Orderings {
    #[serde(rename = "experiment")]
    _experiment: Experiment,
    variant: Variant,
    cpu_seconds: Option<f64>,
    iterations: Option<u64>,
    sorts: Vec<Sort>,
    jumps: Vec<JumpTable>,
}

/// The configuration of the experiment on the depth of the main walk.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Depth {
    #[serde(rename = "experiment")]
    _experiment: Experiment,
    variant: Variant,
    cpu_seconds: Option<f64>,
    iterations: Option<u64>,
    depths: Vec<u32>,
    sort: Sort,
    jumps: JumpTable,
    stall_scale: f64,
}

impl ReturnTime {
    /// Reads a configuration; `name` is that of its file.
    ///
    /// # Errors
    /// If it is not valid: where, and what would be right.
    pub fn read(text: &str, name: &str) -> Result<ReturnTime, ExperimentError> {
        let config: ReturnTime = parse(text, name)?;
        RunBudget::new(config.cpu_seconds, config.iterations).within(|| name.to_owned())?;
        Ok(config)
    }
}

impl Orderings {
    /// Reads a configuration; `name` is that of its file.
    ///
    /// # Errors
    /// If it is not valid: where, and what would be right.
    pub fn read(text: &str, name: &str) -> Result<Orderings, ExperimentError> {
        let config: Orderings = parse(text, name)?;
        config.check().within(|| name.to_owned())?;
        Ok(config)
    }

    fn check(&self) -> Result<(), ExperimentError> {
        RunBudget::new(self.cpu_seconds, self.iterations)?;
        if self.sorts.is_empty() {
            return mistake("sorts = []: at least one ordering is expected".to_owned());
        }
        if self.jumps.is_empty() {
            return mistake("jumps = []: at least one table is expected".to_owned());
        }
        Ok(())
    }
}

impl Depth {
    /// Reads a configuration; `name` is that of its file.
    ///
    /// # Errors
    /// If it is not valid: where, and what would be right.
    pub fn read(text: &str, name: &str) -> Result<Depth, ExperimentError> {
        let config: Depth = parse(text, name)?;
        config.check().within(|| name.to_owned())?;
        Ok(config)
    }

    fn check(&self) -> Result<(), ExperimentError> {
        RunBudget::new(self.cpu_seconds, self.iterations)?;
        if self.depths.is_empty() {
            return mistake("depths = []: at least one depth is expected".to_owned());
        }
        let longest = self.variant.upper_bound();
        if let Some(depth) = self.depths.iter().find(|&depth| !(1..=longest).contains(depth)) {
            return mistake(format!("depths: {depth} is not possible: 1 to {longest} are"));
        }
        let scale = self.stall_scale;
        if !scale.is_finite() || scale <= 0.0 {
            return mistake(format!("stall_scale = {scale}: a positive number is expected"));
        }
        Ok(())
    }
}

/// A table of jumps back.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum JumpTable {
    Frequent,
    Nonfrequent,
    No,
}

impl JumpTable {
    fn jumps(self) -> Jumps {
        match self {
            JumpTable::Frequent => Jumps::frequent(),
            JumpTable::Nonfrequent => Jumps::nonfrequent(),
            JumpTable::No => Jumps::none(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            JumpTable::Frequent => "frequent",
            JumpTable::Nonfrequent => "nonfrequent",
            JumpTable::No => "no",
        }
    }
}

fn sort_name(sort: Sort) -> String {
    crate::core::setting::show_name(&sort)
}

fn whole(max_iterations: Option<u64>) -> Unit {
    Unit { prefix: Vec::new(), candidates: None, seed: 0, max_iterations, known_best: 0 }
}

/// Time until the search first returns to move n: plain against order-free.
///
/// # Errors
/// If a run panics.
pub fn return_time(
    config: &ReturnTime,
    threads: usize,
    listener: Listener<'_>,
) -> Result<ExperimentResults, ExperimentError> {
    let budget = RunBudget::new(config.cpu_seconds, config.iterations)?;
    let names = ["depth-first search", "order-free depth-first search"];
    let runs = each(2, threads, listener, |i| {
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
            writeln!(table, "{name},{mv},{iterations},{seconds:.6}").expect("writing to a string");
        }
        let points = returns.iter().map(|&(mv, _, seconds)| (f64::from(mv), seconds)).collect();
        series.push(Series { name: name.to_owned(), points, band: Vec::new() });
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
    Ok(ExperimentResults::charted(table, Chart { title, note: String::new(), panels: vec![panel] }))
}

/// Move, iterations and seconds of each first return, by ascending move, and the best score.
type ReturnTimes = (Vec<(u32, u64, f64)>, u32);

/// Runs a search in slices of a fraction of a millisecond and notes the first return to each move.
fn returns_of<S: Search<Move>>(search: &mut S, budget: RunBudget, first: impl Fn(&S) -> Vec<u64>) -> ReturnTimes {
    let watch = Stopwatch::start();
    let mut found: Vec<(u32, u64, f64)> = Vec::new();
    let (mut iterations_before, mut seconds_before) = (0, 0.0);
    loop {
        let mut ctl = RunLimit { watch, budget, polls_left: 8 };
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
///
/// # Errors
/// If a run panics.
pub fn orderings(
    config: &Orderings,
    threads: usize,
    listener: Listener<'_>,
) -> Result<ExperimentResults, ExperimentError> {
    let budget = RunBudget::new(config.cpu_seconds, config.iterations)?;
    let cases: Vec<(Sort, JumpTable)> =
        config.sorts.iter().flat_map(|&sort| config.jumps.iter().map(move |&jumps| (sort, jumps))).collect();
    let runs = each(cases.len(), threads, listener, |i| {
        let (sort, jumps) = cases[i];
        let params = Params { sort, jumps: jumps.jumps(), stall: StallTable(Vec::new()), ..Params::default() };
        let watch = Stopwatch::start();
        let mut search = strategies::start(config.variant, &params, &whole(budget.iterations()));
        search.run(&mut RunLimit { watch, budget, polls_left: u32::MAX });
        let name = sort_name(sort);
        let message = format!("{name}, jumps {}: {}", jumps.name(), search.best());
        (message, (name, jumps.name(), search.best(), search.iterations(), watch.seconds()))
    })?;
    let mut table = String::from("sort,jumps,best,iterations,cpu_seconds\n");
    for (sort, jumps, best, iterations, seconds) in &runs {
        writeln!(table, "{sort},{jumps},{best},{iterations},{seconds:.2}").expect("writing to a string");
    }
    let series = config.jumps.iter().enumerate().map(|(j, jumps)| {
        let own = runs.iter().skip(j).step_by(config.jumps.len());
        let points = (0..).zip(own).map(|(i, run)| (f64::from(i), f64::from(run.2))).collect();
        Series { name: format!("jumps back: {}", jumps.name()), points, band: Vec::new() }
    });
    let places = (0..).zip(&config.sorts).map(|(i, &sort)| (f64::from(i), sort_name(sort))).collect();
    let (x, y, series) = (String::new(), "best score".to_owned(), series.collect());
    let panel = Panel { x, y, places, log: false, marks: Marks::Points, series };
    let code = config.variant.code();
    let title = format!("{code}: best score by ordering and jumps back, {} each", budget.describe());
    Ok(ExperimentResults::charted(table, Chart { title, note: String::new(), panels: vec![panel] }))
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
///
/// # Errors
/// If a run panics.
pub fn depth(config: &Depth, threads: usize, listener: Listener<'_>) -> Result<ExperimentResults, ExperimentError> {
    let budget = RunBudget::new(config.cpu_seconds, config.iterations)?;
    let scale = config.stall_scale;
    let params = Params {
        sort: config.sort,
        jumps: config.jumps.jumps(),
        stall: StallTable::thesis().scaled(scale),
        ..Params::default()
    };
    let mut depths = config.depths.clone();
    depths.sort_unstable();
    depths.dedup();
    let runs = each(depths.len(), threads, listener, |i| {
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
            let end = search.run(&mut RunLimit { watch, budget, polls_left: u32::MAX });
            best = best.max(search.best());
            iterations += search.iterations();
            // Short units end before their first poll.
            let over = match budget {
                RunBudget::CpuSeconds(seconds) => watch.seconds() >= seconds,
                RunBudget::Iterations(n) => iterations >= n,
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
        writeln!(table, "{depth},{best},{seconds:.2},{iterations},{units},{finished}").expect("writing to a string");
    }
    let places: Vec<(f64, String)> = depths.iter().map(|&d| (f64::from(d), d.to_string())).collect();
    let panel = |y: &str, log: bool, value: fn(&DepthRun) -> f64| {
        let of = |finished: bool| -> Vec<(f64, f64)> {
            let own = depths.iter().zip(&runs).filter(|(_, run)| run.finished == finished);
            own.map(|(&depth, run)| (f64::from(depth), value(run))).collect()
        };
        let done = format!("every prefix searched until it stalled (the thesis's table x {scale})");
        let series = vec![
            Series { name: done, points: of(true), band: Vec::new() },
            Series { name: format!("cut off after {}", budget.describe()), points: of(false), band: Vec::new() },
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
    Ok(ExperimentResults::charted(table, Chart { title, note: String::new(), panels }))
}
