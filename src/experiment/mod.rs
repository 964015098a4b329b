//! Experiments: those of the 2021 thesis on the depth-first search (`depth_first`), comparisons of searches over many
//! seeds (`strategies`), at a budget given in a file, and of solvers of two-player games (`solvers`).
//!
//! A configuration (TOML) becomes an [`ExperimentPlan`], which is checked as a whole before anything runs. The plan
//! becomes [`ExperimentResults`]: a table, and a chart or a summary. Each run has one thread; its budget is in
//! seconds of that thread's processor time, or in iterations, which makes the result the same on every machine.

mod budget;
mod depth_first;
pub mod error;
pub mod journal;
mod sample;
mod solvers;
mod strategies;

use crate::notation::grid::Grid;
use crate::render::chart::Chart;
use error::{ExperimentError, JournalError};
use journal::Journal;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// Where an experiment says how far it is, a line at a time.
pub type Listener<'a> = &'a (dyn Fn(&str) + Sync);

/// A table and what is made of it.
pub struct ExperimentResults {
    /// The table, as CSV with a head.
    pub table: String,
    /// What the table shows, in a line.
    pub title: String,
    /// What the table comes to, in Markdown, where it is too long to be shown.
    pub summary: Option<String>,
    /// The longest grid, if there is one to keep.
    pub grid: Option<Grid>,
    /// The table as a drawing, where that says something.
    pub chart: Option<Chart>,
}

impl ExperimentResults {
    /// A table and its chart.
    fn charted(table: String, chart: Chart) -> ExperimentResults {
        ExperimentResults { table, title: chart.title.clone(), summary: None, grid: None, chart: Some(chart) }
    }
}

/// An experiment that can be run: everything in its configuration has been checked.
pub struct ExperimentPlan(PlannedRuns);

enum PlannedRuns {
    ReturnTime(depth_first::ReturnTime),
    Orderings(depth_first::Orderings),
    Depth(depth_first::Depth),
    Solvers(solvers::SolverPlan),
    Strategies(Box<strategies::ComparisonPlan>),
}

impl ExperimentPlan {
    /// Reads a configuration; `name` is the name of its file, for messages.
    ///
    /// # Errors
    /// If the text is not the configuration of an experiment: which line or key, and why.
    pub fn read(text: &str, name: &str) -> Result<ExperimentPlan, ExperimentError> {
        let within = || name.to_owned();
        let NamedExperiment { experiment } = parse(text, name)?;
        Ok(ExperimentPlan(match experiment {
            Experiment::ReturnTime => PlannedRuns::ReturnTime(depth_first::ReturnTime::read(text, name)?),
            Experiment::Orderings => PlannedRuns::Orderings(depth_first::Orderings::read(text, name)?),
            Experiment::Depth => PlannedRuns::Depth(depth_first::Depth::read(text, name)?),
            Experiment::Solvers => PlannedRuns::Solvers(
                solvers::SolverPlan::new(parse(text, name)?).map_err(|error| error.within(within))?,
            ),
            Experiment::Strategies => {
                let plan = strategies::ComparisonPlan::new(parse(text, name)?, text);
                PlannedRuns::Strategies(Box::new(plan.map_err(|error| error.within(within))?))
            }
        }))
    }

    /// What was left out of the configuration, a line each.
    pub fn warnings(&self) -> &[String] {
        match &self.0 {
            PlannedRuns::Strategies(plan) => plan.warnings(),
            _ => &[],
        }
    }

    /// Opens or begins the journal of the runs that are done, for an experiment that has one; with `force` over one
    /// of another experiment.
    ///
    /// # Errors
    /// If the file belongs to another experiment, or cannot be read or written.
    pub fn journal(&self, path: &Path, force: bool) -> Result<Option<Journal>, JournalError> {
        match &self.0 {
            PlannedRuns::Strategies(plan) => Journal::open(path, plan.sum(), force).map(Some),
            _ => Ok(None),
        }
    }

    /// Removes the journal of an experiment that has one: its results are elsewhere.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove_journal(&self, path: &Path) -> Result<(), JournalError> {
        match &self.0 {
            PlannedRuns::Strategies(_) => Journal::remove(path),
            _ => Ok(()),
        }
    }

    /// Runs the experiment on so many threads, but for the runs that the journal has.
    ///
    /// # Errors
    /// If a run fails, searches disagree, or the journal cannot be written.
    pub fn run(
        &self,
        threads: usize,
        journal: Option<Journal>,
        listener: Listener<'_>,
    ) -> Result<ExperimentResults, ExperimentError> {
        match &self.0 {
            PlannedRuns::ReturnTime(config) => depth_first::return_time(config, threads, listener),
            PlannedRuns::Orderings(config) => depth_first::orderings(config, threads, listener),
            PlannedRuns::Depth(config) => depth_first::depth(config, threads, listener),
            PlannedRuns::Solvers(plan) => solvers::solvers(plan, threads, listener),
            PlannedRuns::Strategies(plan) => strategies::strategies(plan, threads, journal, listener),
        }
    }
}

/// Reads a configuration; an error names file, line and key.
fn parse<T: DeserializeOwned>(text: &str, name: &str) -> Result<T, ExperimentError> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let message = error.message().replace('\n', " ");
        let Some(start) = error.span().map(|span| span.start.min(text.len())) else {
            return ExperimentError::Config(format!("{name}: {message}"));
        };
        let before = text.get(..start).unwrap_or(text);
        // The key may be some lines above a value of a list.
        let upto = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or("");
        let lines = format!("{before}{upto}");
        let line = before.matches('\n').count() + 1;
        let key = lines
            .lines()
            .rev()
            .find_map(|l| l.split('#').next().unwrap_or("").split_once('='))
            .map(|(k, _)| k.trim());
        ExperimentError::Config(match key {
            Some(key) if message.contains(&format!("`{key}`")) || message.starts_with("missing") => {
                format!("{name}, line {line}: {message}")
            }
            Some(key) => format!("{name}, line {line}, {key}: {message}"),
            None => format!("{name}, line {line}: {message}"),
        })
    })
}

/// Does `count` runs, so many at a time, and tells the listener how far it is; the results are in order.
fn each<T: Send>(
    count: usize,
    threads: usize,
    listener: Listener<'_>,
    run: impl Fn(usize) -> (String, T) + Sync,
) -> Result<Vec<T>, ExperimentError> {
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
                    listener(&format!("{} of {count}: {message}", done.len()));
                }
            });
        }
    });
    let mut done = done.into_inner().map_err(|_| ExperimentError::Panicked)?;
    done.sort_by_key(|(i, _)| *i);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}
