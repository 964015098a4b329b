//! `morpion archive`: the good grids that hunts have kept and that daemons have, listed, compared and written as
//! files.

mod bookmark;
mod collect;
mod compare;
mod export;
mod line;
mod remote;

use super::client::{Client, OptionalConnection};
use super::file_format::FileFormat;
use super::hunt_directory::OUTPUT;
use super::moment;
use super::values::positive;
use crate::daemon::view::{GridSort, JobId};
use crate::morpion::symmetry::SymmetryFilter;
use crate::morpion::variant::Variant;
use crate::notation::catalogue::Catalogue;
use crate::notation::clusters::{ClusteredGrid, MOST_DIFFERENCE, MOST_GRIDS, USUAL_DIFFERENCE, clusters};
use crate::notation::facts::GridFacts;
use anyhow::{Context, ensure};
use bookmark::Bookmark;
use collect::{Collection, GatheredGrid};
use line::{ArchiveLine, ClusterLine, Form, Printer};
use std::cmp::Reverse;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// List the good grids that hunts have kept, each once, whatever its orientation and the order of its moves.
///
/// For each grid it shows the score, the id (the first digits of the canonical key), when it was found, how long its
/// hunt had run, the unit that found it, and how it relates to the known records. A grid is called new only if no
/// known record equals it or contains it. The command also compares two grids, and writes grids as files.
///
/// With --url the grids are those of a daemon that runs.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Directories of hunts, state directories of daemons that do not run, directories of grid files, or grid files.
    /// A hunt without an archive gives its best grid
    #[arg(value_name = "DIR|FILE", default_value = OUTPUT, conflicts_with = "url")]
    sources: Vec<PathBuf>,
    /// Only grids of at least this many moves
    #[arg(long, value_name = "SCORE")]
    min: Option<u32>,
    /// Only grids of at most this many moves
    #[arg(long, value_name = "SCORE")]
    max: Option<u32>,
    /// Only grids that no known record equals or contains
    #[arg(long)]
    new: bool,
    /// Only grids of this variant
    #[arg(long, value_name = "5T|5D|4T|4D")]
    variant: Option<Variant>,
    /// Only grids with such symmetries: any, none, central (half a turn), axis (a mirror image about a row or a
    /// column), diagonal (about a diagonal)
    #[arg(long, value_name = "KIND")]
    symmetry: Option<SymmetryFilter>,
    /// Only grids that this job of a daemon found
    #[arg(long, value_name = "ID")]
    job: Option<JobId>,
    /// Only grids found since then: a time ago (2h, 3d), a date, or a date with a time (2026-11-26T08:00). Grid files
    /// have no such time
    #[arg(long, value_name = "TIME", value_parser = moment::past)]
    since: Option<f64>,
    /// Only grids that were not listed the last time with this file, which is written when all were listed. The other
    /// filters have to be the same each time. A grid that reaches the archive more than a day after it was found can
    /// be missed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["limit", "id"])]
    bookmark: Option<PathBuf>,
    /// Only the grid with this id, or with the only id that begins so; may be given several times
    #[arg(long, value_name = "ID")]
    id: Vec<String>,
    /// What the grids are sorted by, the greatest first: score, time (when they were found), or size (columns times
    /// rows of the smallest box around the grid)
    #[arg(long, value_name = "ORDER", default_value = "score")]
    sort: GridSort,
    /// The least first
    #[arg(long)]
    reverse: bool,
    /// Put nearly equal grids together, and show one of each cluster with their number: grids are in one cluster if
    /// they differ in at most K lines in the best of the 8 orientations, or if a chain of such grids links them
    /// [default: 3]
    #[arg(long, value_name = "K", num_args = 0..=1, require_equals = true, default_missing_value = "3",
        conflicts_with = "bookmark", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_DIFFERENCE)))]
    clusters: Option<u32>,
    /// Only the grids of the cluster that has the grid with this id; --clusters=K says how it is made
    #[arg(long, value_name = "ID", conflicts_with_all = ["bookmark", "id"])]
    cluster: Option<String>,
    /// At most this many grids, the first in the order
    #[arg(long, value_name = "N", value_parser = positive)]
    limit: Option<usize>,
    /// Show the lines that differ between two grids, in the orientation in which they have most in common. Each is an
    /// id, a grid file, or a known record by either of the names that `morpion records list` shows
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["export", "bookmark"])]
    compare: Option<Vec<String>>,
    /// Write the grids: one to a file (.psol, .txt, .msr, .json, .png, .svg), or any number to a directory, as files
    /// named VARIANT-SCORE-ID. The directory is made if it is missing. Nothing is overwritten.
    #[arg(long, value_name = "OUT")]
    export: Option<PathBuf>,
    /// Format of the files in a directory
    #[arg(long, value_enum, default_value_t = FileFormat::Psol, requires = "export")]
    format: FileFormat,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Print a JSON object in a line for each grid, as they come
    #[arg(long, conflicts_with_all = ["json", "compare", "export"])]
    json_lines: bool,
    #[command(flatten)]
    daemon: OptionalConnection,
}

impl Args {
    fn form(&self) -> Form {
        match (self.json, self.json_lines) {
            (true, _) => Form::Json,
            (_, true) => Form::JsonLines,
            _ => Form::Table,
        }
    }

    /// The bookmark, if one is named.
    fn open_bookmark(&self) -> anyhow::Result<Option<Bookmark>> {
        self.bookmark.as_ref().map(|path| Bookmark::open(path, self.filter_text())).transpose()
    }

    /// The filter as flags.
    fn filter_text(&self) -> String {
        let Args { min, max, new, variant, symmetry, job, .. } = self;
        let symmetry = symmetry.map(|symmetry| serde_json::json!(symmetry));
        let flags = [
            variant.map(|variant| format!("--variant {variant}")),
            min.map(|min| format!("--min {min}")),
            max.map(|max| format!("--max {max}")),
            symmetry.and_then(|symmetry| Some(format!("--symmetry {}", symmetry.as_str()?))),
            job.map(|job| format!("--job {job}")),
            new.then(|| "--new".to_owned()),
        ];
        flags.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Whether each grid stands for a cluster.
    fn shows_clusters(&self) -> bool {
        self.clusters.is_some() && self.cluster.is_none()
    }

    /// How many lines may differ in a cluster, if grids are put together.
    fn difference(&self) -> Option<u32> {
        self.clusters.or(self.cluster.as_ref().map(|_| USUAL_DIFFERENCE))
    }

    fn accepts(&self, entry: &GatheredGrid, facts: &GridFacts) -> bool {
        let score = entry.score() as u32;
        self.min.is_none_or(|min| score >= min)
            && self.max.is_none_or(|max| score <= max)
            && self.variant.is_none_or(|variant| variant == entry.variant)
            // Of a daemon's grids those of the job were gathered.
            && (self.job.is_none() || entry.stored.is_some())
            && self.since.is_none_or(|since| entry.time().is_some_and(|time| time >= since))
            && self.symmetry.is_none_or(|asked| asked.accepts(&facts.symmetries))
            && (!self.new || facts.is_new())
    }
}

/// Runs the command. Sources that cannot be read are reported on stderr and make the exit status 2.
///
/// # Errors
/// An id that no grid or several grids have, an export that would overwrite something, a closed output, a daemon that
/// does not answer or refuses.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let catalogue = Catalogue::load().context("the built-in records")?;
    match args.daemon.connection() {
        Some(connection) => {
            remote::run(&args, &Client::new(&connection)?, &catalogue, out)?;
            Ok(ExitCode::SUCCESS)
        }
        None => gathered(&args, &catalogue, out),
    }
}

/// Lists, compares or exports the grids of files and directories.
fn gathered(args: &Args, catalogue: &Catalogue, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    // Two files can be compared where no hunt has been.
    let none = args.compare.is_some() && args.sources == [PathBuf::from(OUTPUT)] && !Path::new(OUTPUT).exists();
    let Collection { entries, failed } = collect::collect(if none { &[] } else { &args.sources }, args.job);
    let code = ExitCode::from(if failed { 2 } else { 0 });
    if let Some([a, b]) = args.compare.as_deref() {
        let of_id = |id: &str| collect::by_id(&entries, id).map(GatheredGrid::grid);
        compare::run([a, b], &of_id, catalogue, args.json, out)?;
        return Ok(code);
    }
    let known_ids = args.id.iter().map(|id| Ok(collect::by_id(&entries, id)?.key));
    let ids: Vec<u64> = known_ids.collect::<anyhow::Result<_>>()?;
    let mut bookmark = args.open_bookmark()?;
    let mut chosen: Vec<(&GatheredGrid, ArchiveLine)> = Vec::new();
    for entry in entries.iter().filter(|entry| ids.is_empty() || ids.contains(&entry.key)) {
        let facts = GridFacts::from_start(&entry.start, entry.variant, &entry.moves, catalogue);
        let line = ArchiveLine::gathered(entry, &facts);
        if args.accepts(entry, &facts) && bookmark.as_mut().is_none_or(|bookmark| bookmark.is_new(&line)) {
            chosen.push((entry, line));
        }
    }
    if let Some(difference) = args.difference() {
        let asked = args.cluster.as_ref().map(|id| collect::by_id(&entries, id)).transpose()?;
        chosen = clustered(chosen, difference, asked)?;
    }
    sort(&mut chosen, args.sort, args.reverse);
    chosen.truncate(args.limit.unwrap_or(usize::MAX));
    let (grids, lines): (Vec<&GatheredGrid>, Vec<ArchiveLine>) = chosen.into_iter().unzip();
    if let Some(path) = &args.export {
        export::run(path, &lines, args.format, |number| Ok(grids[number].grid()), out)?;
    } else {
        let many = args.sources.len() > 1;
        let mut printer =
            Printer::gathered(args.form(), args.sort, &lines, many).with_clusters(args.shows_clusters());
        for line in lines {
            printer.print(line, out)?;
        }
        printer.end(out)?;
    }
    saved(bookmark, out)?;
    Ok(code)
}

/// One grid of each cluster, or the grids of the cluster of the one that is asked for.
fn clustered<'a>(
    chosen: Vec<(&'a GatheredGrid, ArchiveLine)>,
    difference: u32,
    asked: Option<&GatheredGrid>,
) -> anyhow::Result<Vec<(&'a GatheredGrid, ArchiveLine)>> {
    ensure!(
        chosen.len() <= MOST_GRIDS,
        "more than {MOST_GRIDS} grids are too many to be put together: choose fewer, by --variant, --min, --max or --since"
    );
    ensure!(
        chosen.iter().all(|(entry, _)| entry.start.is_cross()),
        "grids from another start than the cross cannot be put together: leave them out by --id or other sources"
    );
    let lines = |entry: &GatheredGrid| entry.moves.iter().map(|mv| mv.line()).collect();
    let grids = chosen.iter().map(|(entry, _)| ClusteredGrid { variant: entry.variant, lines: lines(entry) });
    let mut numbers = clusters(&grids.collect::<Vec<_>>(), difference);
    if let Some(asked) = asked {
        let is_asked =
            |(entry, _): &(&GatheredGrid, ArchiveLine)| (entry.variant, entry.key) == (asked.variant, asked.key);
        let at = chosen.iter().position(is_asked);
        let at = at.with_context(|| format!("the filters leave out the grid {}", asked.id()))?;
        numbers = numbers.into_iter().filter(|cluster| cluster.contains(&at)).flatten().map(|at| vec![at]).collect();
    }
    let mut chosen: Vec<Option<(&GatheredGrid, ArchiveLine)>> = chosen.into_iter().map(Some).collect();
    let mut shown = Vec::new();
    for cluster in numbers {
        let members: Vec<_> = cluster.iter().filter_map(|&at| chosen[at].take()).collect();
        let told = asked.is_none().then(|| ClusterLine::of(members.iter().map(|(_, line)| line)));
        // They are in the order of scores, so the first one is the longest.
        if let Some((entry, mut line)) = members.into_iter().next() {
            line.cluster = told;
            shown.push((entry, line));
        }
    }
    Ok(shown)
}

/// Sorts grids that are in the order of scores.
fn sort(chosen: &mut [(&GatheredGrid, ArchiveLine)], by: GridSort, reverse: bool) {
    let rank = |line: &ArchiveLine| match by {
        GridSort::Score => line.score as u64,
        GridSort::Time => line.time.unwrap_or(0.0).max(0.0).to_bits(),
        GridSort::Size => line.size().into(),
    };
    match reverse {
        true => chosen.sort_by_key(|(_, line)| rank(line)),
        false => chosen.sort_by_key(|(_, line)| Reverse(rank(line))),
    }
}

/// Writes the bookmark, if there is one, after what was listed has left the program.
fn saved(bookmark: Option<Bookmark>, out: &mut dyn Write) -> anyhow::Result<()> {
    out.flush()?;
    bookmark.map_or(Ok(()), Bookmark::save)
}
