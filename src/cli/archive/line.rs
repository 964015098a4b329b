//! A grid as the command lists it, whether it comes from an archive, a grid file or a daemon; the table and the JSON.

use super::collect::{GatheredGrid, SHOWN_DIGITS};
use crate::cli::grid_input::{self, counted};
use crate::daemon::view::{GridSort, GridView};
use crate::morpion::symmetry::{GridSymmetry, in_words};
use crate::morpion::variant::Variant;
use crate::notation::facts::GridFacts;
use crate::runner::archive::novelty::MOST_PER_SCORE;
use crate::runner::clock::utc;
use crate::runner::status::{after, thousands};
use std::collections::BTreeMap;
use std::io::Write;

/// A grid as `--json` tells it.
#[derive(serde::Serialize)]
pub struct ArchiveLine {
    pub id: String,
    /// Canonical key, 16 hexadecimal digits.
    pub key: String,
    pub variant: Variant,
    /// The start by name, if it is not the cross.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    pub score: usize,
    /// When it was found, seconds since 1970 (UTC); null if its source does not say.
    pub time: Option<f64>,
    /// Seconds that its hunt had run.
    seconds: Option<f64>,
    /// Number of the job of a daemon that found it.
    pub job: Option<u64>,
    unit: Option<u64>,
    unit_seed: Option<u64>,
    thread: Option<u32>,
    iterations: Option<u64>,
    /// Seed of its hunt.
    seed: Option<u64>,
    method: Option<String>,
    source: String,
    /// The known record that it equals.
    record: Option<String>,
    /// Null if the daemon does not say.
    pub new: Option<bool>,
    /// The known record that it has most lines in common with.
    nearest: Option<NearestLine>,
    /// The symmetries of its lines.
    symmetries: Vec<GridSymmetry>,
    /// Columns and rows of the smallest box around its points.
    columns: Option<u32>,
    rows: Option<u32>,
    /// The cluster that it stands for, if nearly equal grids are put together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterLine>,
}

/// Nearly equal grids.
#[derive(serde::Serialize)]
pub struct ClusterLine {
    grids: u64,
    shortest: usize,
    /// When the first and the last of them was found; null if their sources do not say.
    first: Option<f64>,
    last: Option<f64>,
}

impl ClusterLine {
    /// Of its grids.
    pub fn of<'a>(lines: impl Iterator<Item = &'a ArchiveLine> + Clone) -> ClusterLine {
        let times = || lines.clone().filter_map(|line| line.time);
        ClusterLine {
            grids: lines.clone().count() as u64,
            shortest: lines.clone().map(|line| line.score).min().unwrap_or(0),
            first: times().reduce(f64::min),
            last: times().reduce(f64::max),
        }
    }
}

#[derive(serde::Serialize)]
struct NearestLine {
    record: String,
    common_lines: u32,
    lines: u32,
}

impl ArchiveLine {
    /// Of a grid that was gathered here.
    pub fn gathered(entry: &GatheredGrid, facts: &GridFacts) -> ArchiveLine {
        let found = entry.found.as_ref();
        let provenance = entry.provenance();
        ArchiveLine {
            id: entry.id(),
            key: format!("{:016x}", entry.key),
            variant: entry.variant,
            start: (!entry.start.is_cross()).then(|| entry.start.name()),
            score: entry.score(),
            time: entry.time(),
            seconds: provenance.seconds,
            job: entry.stored.and_then(|stored| stored.job),
            unit: entry.unit(),
            unit_seed: found.map(|found| found.find.unit_seed),
            thread: found.map(|found| found.find.worker),
            iterations: provenance.iterations,
            seed: provenance.seed,
            method: provenance.method,
            source: entry.source.clone(),
            record: facts.nearest.filter(|nearest| nearest.equal).map(|nearest| nearest.name.to_owned()),
            // The known records are grids from the cross.
            new: entry.start.is_cross().then(|| facts.is_new()),
            nearest: facts.nearest.map(|nearest| NearestLine {
                record: nearest.name.to_owned(),
                common_lines: nearest.common,
                lines: nearest.lines,
            }),
            symmetries: facts.symmetries.clone(),
            columns: Some(facts.columns),
            rows: Some(facts.rows),
            cluster: None,
        }
    }

    /// Of a grid that a daemon has; `url` is where it was asked.
    pub fn of_daemon(view: GridView, url: &str) -> ArchiveLine {
        ArchiveLine {
            id: view.key.chars().take(SHOWN_DIGITS).collect(),
            key: view.key,
            variant: view.variant,
            start: None,
            score: view.score as usize,
            time: Some(view.time),
            seconds: view.seconds,
            job: view.job,
            unit: view.unit,
            unit_seed: None,
            thread: None,
            iterations: None,
            seed: None,
            method: None,
            source: url.to_owned(),
            record: view.record,
            new: view.new,
            nearest: view.nearest.map(|nearest| NearestLine {
                record: nearest.record,
                common_lines: nearest.common_lines,
                lines: nearest.lines,
            }),
            symmetries: view.symmetries.unwrap_or_default(),
            columns: view.columns,
            rows: view.rows,
            cluster: view.cluster.map(|cluster| ClusterLine {
                grids: cluster.grids,
                shortest: cluster.shortest as usize,
                first: Some(cluster.first),
                last: Some(cluster.last),
            }),
        }
    }

    /// Points of the smallest box around the grid; 0 if that is not known.
    pub fn size(&self) -> u32 {
        self.columns.unwrap_or(0).saturating_mul(self.rows.unwrap_or(0))
    }

    /// What the grid has to do with the known records, and its symmetries, in words.
    fn compared(&self) -> String {
        let kinship = match (&self.record, self.new, &self.nearest) {
            (Some(record), _, _) => format!("the known record {}", grid_input::plain(record)),
            (None, Some(false), Some(nearest)) => {
                format!("part of the record {}", grid_input::plain(&nearest.record))
            }
            (None, Some(true), Some(nearest)) => {
                let common = counted(nearest.common_lines as usize, "line");
                format!("new; {common} in common with {}", grid_input::plain(&nearest.record))
            }
            (None, Some(true), None) => "new".to_owned(),
            (None, ..) => self.start.as_ref().map_or("-".to_owned(), |start| format!("from {start}")),
        };
        kinship + &in_words(&self.symmetries)
    }
}

/// How grids are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Table,
    /// One JSON object when all are there.
    Json,
    /// A JSON object in a line for each, as they come.
    JsonLines,
}

/// Prints grids, one after the other.
pub struct Printer {
    form: Form,
    /// What they are sorted by: their sizes are shown if it is that.
    by: GridSort,
    /// Where they come from is shown.
    named: bool,
    /// The numbers of jobs are shown.
    of_daemon: bool,
    /// Each grid stands for a cluster.
    clusters: bool,
    /// Grids of the clusters.
    clustered: u64,
    /// Characters of the column of known records.
    width: usize,
    kept: Vec<ArchiveLine>,
    count: usize,
    new: usize,
    /// By variant and start.
    scores: BTreeMap<(Variant, Option<String>), BTreeMap<usize, usize>>,
}

impl Printer {
    /// For grids that a daemon tells of, which come part by part.
    pub fn of_daemon(form: Form, by: GridSort) -> Printer {
        Printer::new(form, by, false, true, 0)
    }

    /// For grids that are all there. `many`: they come from several sources.
    pub fn gathered(form: Form, by: GridSort, lines: &[ArchiveLine], many: bool) -> Printer {
        // Of grid files, which say nothing of a time or a unit, the name is shown.
        let named = many || lines.iter().any(|line| line.time.is_none());
        let width = lines.iter().map(|line| line.compared().chars().count()).max().unwrap_or(0);
        Printer::new(form, by, named, lines.iter().any(|line| line.job.is_some()), width)
    }

    fn new(form: Form, by: GridSort, named: bool, of_daemon: bool, width: usize) -> Printer {
        let scores = BTreeMap::new();
        let (clusters, clustered, kept, count, new) = Default::default();
        Printer { form, by, named, of_daemon, clusters, clustered, width, kept, count, new, scores }
    }

    /// Shows with each grid how many are in its cluster.
    pub fn with_clusters(self, clusters: bool) -> Printer {
        Printer { clusters, ..self }
    }

    /// Prints a grid, or keeps it until all are there.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn print(&mut self, line: ArchiveLine, out: &mut dyn Write) -> anyhow::Result<()> {
        if self.count == 0 && self.form == Form::Table {
            writeln!(out, "{}", self.head())?;
        }
        self.count += 1;
        self.clustered += line.cluster.as_ref().map_or(1, |cluster| cluster.grids);
        self.new += usize::from(line.new == Some(true));
        *self.scores.entry((line.variant, line.start.clone())).or_default().entry(line.score).or_default() += 1;
        match self.form {
            Form::Table => writeln!(out, "{}", self.row(&line))?,
            Form::JsonLines => writeln!(out, "{}", serde_json::to_string(&line)?)?,
            Form::Json => self.kept.push(line),
        }
        Ok(())
    }

    fn head(&self) -> String {
        let grids = if self.clusters { "   grids" } else { "" };
        let size = if self.by == GridSort::Size { "  size   " } else { "" };
        let job = if self.of_daemon { "     job" } else { "" };
        let source = if self.named { "  found in" } else { "" };
        let (found, width) = ("found (UTC)", self.width);
        let line = format!(
            "score  id      {grids}{size}  {found:20}  {:>12}{job}  {:>6}  {:width$}{source}",
            "after", "unit", "known records"
        );
        line.trim_end().to_owned()
    }

    fn row(&self, line: &ArchiveLine) -> String {
        let number = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
        let size = match (self.by, line.columns, line.rows) {
            (GridSort::Size, Some(columns), Some(rows)) => format!("  {:7}", format!("{columns}x{rows}")),
            (GridSort::Size, ..) => format!("  {:7}", "-"),
            _ => String::new(),
        };
        let grids = match (self.clusters, &line.cluster) {
            (true, Some(cluster)) => format!("  {:>6}", thousands(cluster.grids)),
            (true, None) => format!("  {:>6}", "-"),
            (false, _) => String::new(),
        };
        let job = if self.of_daemon { format!("  {:>6}", number(line.job)) } else { String::new() };
        let source = if self.named { format!("  {}", grid_input::plain(&line.source)) } else { String::new() };
        let found = line.time.map_or("-".to_owned(), utc);
        let seconds = line.seconds.filter(|_| line.time.is_some()).map_or("-".to_owned(), after);
        let (width, unit) = (self.width, number(line.unit));
        let (variant, score, id) = (line.variant, line.score, grid_input::plain(&line.id));
        let compared = line.compared();
        let row = format!(
            "{variant} {score:>3} {id}{grids}{size}  {found:20}  {seconds:>12}{job}  {unit:>6}  {compared:width$}{source}"
        );
        row.trim_end().to_owned()
    }

    /// Prints what comes after the last grid.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn end(self, out: &mut dyn Write) -> anyhow::Result<()> {
        match self.form {
            Form::Json => return grid_input::write_json(&self.kept, out),
            Form::JsonLines => return Ok(()),
            Form::Table if self.count == 0 => writeln!(out, "no grids")?,
            Form::Table => {}
        }
        if self.count == 0 {
            return Ok(());
        }
        // Only the archive of a hunt has that bound.
        let is_full = |count: usize| !self.of_daemon && count as u64 >= MOST_PER_SCORE;
        let full = |count: usize| if is_full(count) { " (no more are kept)" } else { "" };
        let counts = self.scores.iter().map(|((variant, start), scores)| {
            let start = start.as_ref().map_or(String::new(), |start| format!(" from {start}"));
            let of = scores
                .iter()
                .rev()
                .map(|(score, &count)| format!("{} of {score}{}", thousands(count as u64), full(count)));
            format!("{variant}{start} {}", of.collect::<Vec<_>>().join(", "))
        });
        let counts: Vec<String> = counts.collect();
        let noun = match (self.clusters, self.count) {
            (true, count) => {
                let (clusters, grids) = (if count == 1 { "cluster" } else { "clusters" }, thousands(self.clustered));
                format!("{clusters} of {grids} {}", if self.clustered == 1 { "grid" } else { "grids" })
            }
            (false, 1) => "grid".to_owned(),
            (false, _) => "grids".to_owned(),
        };
        let [all, new] = [self.count, self.new].map(|count| thousands(count as u64));
        writeln!(out, "{all} {noun}, {new} new: {}", counts.join("; "))?;
        Ok(())
    }
}
