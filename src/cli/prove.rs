//! `morpion prove`: that a region has no grid of so many moves.

use super::grid_input::{Input, counted, plain};
use super::values::positive;
use crate::core::quantity::{grouped, parse_duration};
use crate::morpion::geometry::Point;
use crate::morpion::variant::Variant;
use crate::proofs::check::{CheckedProof, check};
use crate::proofs::file::Statement;
use crate::proofs::region::Region;
use anyhow::{Context, ensure};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Version of the `--json` output.
const JSON_VERSION: u32 = 1;
/// Most moves that can be asked for.
const MAX_MOVES: u32 = 1000;

/// Prove that a region has no grid of so many moves, or find one.
///
/// The region is the octagon hull of a grid (all points between its first and last row, column and diagonals), or a
/// box. As the beginning of a grid is a grid, a region without grids of N moves has no longer ones. The exit status
/// is 0 if it is proved, 3 if a grid was found, and 1 if the time was over or Ctrl-C came. With --state, the same
/// command continues an unfinished proof. A complete proof is a file that --check reads again, by other code.
///
/// Proofs need the solver HiGHS, which is built only on request: cargo build --release --features prove. That takes
/// cmake, a C++ compiler and libclang. Without it, --check works.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Check the file of a proof instead of making one: 0 complete, 1 open, 2 refused
    #[arg(long, value_name = "FILE", conflicts_with_all = ["variant", "moves", "box_around", "threads", "time", "state", "dives", "output"])]
    check: Option<PathBuf>,
    /// The number of moves that no grid in the region is to have
    #[arg(long, value_name = "N", required_unless_present = "check", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_MOVES)))]
    moves: Option<u32>,
    /// The region is the octagon hull of this grid; with --check, the proof must be about it
    #[arg(long, value_name = "FILE", required_unless_present_any = ["check", "box_around"])]
    hull: Option<PathBuf>,
    /// The region is the box that reaches so many points beyond the cross to the west, north, east and south
    #[arg(long = "box", value_name = "W,N,E,S", value_delimiter = ',', num_args = 1, conflicts_with = "hull")]
    box_around: Option<Vec<u32>>,
    /// Line length and touching rule: 5T, 5D, 4T or 4D [default: that of the grid; 5D with --box]
    #[arg(long)]
    variant: Option<Variant>,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = positive)]
    threads: Option<usize>,
    /// End after this time (90, 60s, 5m, 2h)
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<f64>,
    /// Keep the proof in this directory, or continue the one that is there
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// If the proof remains open, estimate what is left by so many random descents (Knuth 1975)
    #[arg(long, value_name = "N", default_value_t = 0)]
    dives: u32,
    /// Save a grid that is found here (Pentasol text) [default: grid.txt in the directory of the proof]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Do not tell of the progress
    #[arg(long)]
    quiet: bool,
}

/// Runs the command.
///
/// # Errors
/// A region that cannot be used, a proof that is refused or damaged, or a disk that refuses.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match &args.check {
        Some(file) => run_check(file, &args, out),
        None => proving::run(&args, &statement(&args)?, out),
    }
}

/// What the flags ask for.
fn statement(args: &Args) -> anyhow::Result<Statement> {
    let moves = args.moves.context("--moves N is needed")?;
    let (region, title) = match (&args.hull, &args.box_around) {
        (Some(file), _) => {
            let (region, title) = hull(file, args.variant)?;
            (region, format!("the octagon hull of {title}"))
        }
        (None, Some(beyond)) => {
            let Ok(beyond) = <[u32; 4]>::try_from(beyond.clone()) else {
                anyhow::bail!(
                    "--box has {}; four are needed: west, north, east, south",
                    counted(beyond.len(), "number")
                );
            };
            let region = Region::rectangle(args.variant.unwrap_or(Variant::D5), beyond)?;
            let [west, north, east, south] = beyond;
            (region, format!("the box {west},{north},{east},{south}"))
        }
        (None, None) => anyhow::bail!("a region is needed: --hull FILE or --box W,N,E,S"),
    };
    Ok(Statement { region, title, moves })
}

/// The octagon hull of a grid, and the grid's name.
fn hull(file: &Path, variant: Option<Variant>) -> anyhow::Result<(Region, String)> {
    let input = Input::new(file);
    let grid = input.load_warned(variant)?.grid;
    let points: Vec<Point> = grid.moves.iter().map(|mv| mv.point()).collect();
    let region = Region::octagon(grid.variant, &points)?;
    let name = file.file_stem().map_or_else(|| input.name(), |stem| stem.to_string_lossy().into_owned());
    Ok((region, name))
}

fn run_check(file: &Path, args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let checked = check(&bytes, &mut |_, _| {}).with_context(|| format!("{} is refused", file.display()))?;
    if let Some(grid) = &args.hull {
        let (region, name) = hull(grid, Some(checked.variant))?;
        let same =
            checked.is_octagon && extents(&region) == checked.extents && region.added().len() == checked.points;
        ensure!(same, "{} is refused: its region is not the octagon hull of {name}", file.display());
    }
    if args.json {
        let CheckedProof { variant, moves, region, points, extents, is_octagon, .. } = &checked;
        let CheckedProof { open, closed, units, witnesses, loops, shapes, nodes, .. } = checked;
        let object = serde_json::json!({
            "version": JSON_VERSION, "command": "prove", "file": file.display().to_string(),
            "end": if checked.is_complete() { "proved" } else { "open" },
            "variant": variant, "moves": moves, "region": region, "points": points, "extents": extents,
            "octagon": is_octagon, "open_units": open, "closed": closed, "units": units, "witnesses": witnesses,
            "loops": loops, "shapes": shapes, "search_nodes": nodes,
        });
        writeln!(out, "{object}")?;
    } else {
        write_checked(&checked, out)?;
    }
    Ok(if checked.is_complete() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Least and greatest `x`, `y`, `x + y`, `x - y` of a region with its cross.
fn extents(region: &Region) -> [(i32, i32); 4] {
    let cross = crate::morpion::geometry::cross(region.variant());
    let all: Vec<&Point> = cross.iter().chain(region.added()).collect();
    [Point::x, Point::y, |point: Point| point.x() + point.y(), |point: Point| point.x() - point.y()].map(|of| {
        let values = all.iter().map(|&&point| of(point));
        (values.clone().min().unwrap_or(0), values.max().unwrap_or(0))
    })
}

fn write_checked(checked: &CheckedProof, out: &mut dyn Write) -> std::io::Result<()> {
    let CheckedProof { variant, moves, points, extents, .. } = checked;
    let [x, y, sum, difference] = extents.map(|(low, high)| format!("{low} to {high}"));
    let shape = if checked.is_octagon { "all points" } else { "some of the points" };
    if checked.is_complete() {
        writeln!(out, "checked: no grid of {variant} with {moves} moves or more lies in the region")?;
    } else {
        let percent = 100.0 * checked.closed;
        writeln!(
            out,
            "checked, but open: {} of the tree, {percent:.3} % is closed",
            counted(checked.open as usize, "unit")
        )?;
    }
    writeln!(out, "region      {} (as the file calls it)", plain(&checked.region))?;
    writeln!(out, "            {shape} with x from {x}, y from {y}, x+y from {sum}, x-y from {difference}")?;
    writeln!(out, "            {points} points beyond the cross, whose inner corner is (28,28)")?;
    writeln!(out, "units       {}", grouped(checked.units))?;
    writeln!(out, "witnesses   {}", grouped(checked.witnesses))?;
    writeln!(out, "loops       {}", grouped(checked.loops))?;
    let (shapes, nodes) = (grouped(checked.shapes), grouped(checked.nodes));
    writeln!(out, "point sets  {shapes} refuted by a search of {nodes} nodes")
}

/// Without the solver there are no proofs.
#[cfg(not(feature = "prove"))]
mod proving {
    use super::{Args, ExitCode, Statement, Write};

    /// Says what to build.
    pub fn run(_: &Args, _: &Statement, _: &mut dyn Write) -> anyhow::Result<ExitCode> {
        anyhow::bail!(
            "this program was built without the solver HiGHS: build it by `cargo build --release --features prove` \
             (it takes cmake, a C++ compiler and libclang)"
        )
    }
}

#[cfg(feature = "prove")]
mod proving {
    use super::*;
    use crate::cli::grid_input::save;
    use crate::cli::signals;
    use crate::cli::streams::say;
    use crate::jobs::prove::{ProvingEnd, ProvingProgress};
    use crate::notation::file::try_save;
    use crate::notation::format::{GridFormat, write as write_grid};
    use crate::notation::grid::Grid;
    use crate::proofs::highs::HighsRelaxation;
    use crate::runner::Interrupt;
    use crate::runner::proving::{Estimated, Proving, RestEstimate};
    use std::time::Instant;

    /// More threads than this are taken for a slip of the fingers.
    const MAX_THREADS: usize = 1024;
    /// Exit status if a grid was found.
    const FOUND: u8 = 3;
    /// Seconds between two lines of progress, at most.
    const SLOWEST: f64 = 60.0;

    /// Runs the proof of a statement.
    pub fn run(args: &Args, statement: &Statement, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
        let threads = match args.threads {
            Some(threads) => threads,
            None => std::thread::available_parallelism().map_or(1, |n| n.get()),
        };
        ensure!(threads <= MAX_THREADS, "--threads {threads} is out of range: 1 to {MAX_THREADS}");
        let file = grid_file(args);
        let mut proof = Proving::open(statement, args.state.as_deref())?;
        // The directory of the proof may be that of the file.
        if let Some(file) = args.output.as_ref().filter(|file| file.symlink_metadata().is_err()) {
            try_save(file).with_context(|| format!("{}: cannot be written", file.display()))?;
        }
        if let Some(file) = file.as_ref().filter(|file| file.symlink_metadata().is_ok()) {
            // A continued proof meets its own file again.
            let own = grid_text(statement, &proof.end())?;
            ensure!(
                own.is_some_and(|text| std::fs::read(file).is_ok_and(|found| found == text.as_bytes())),
                "{}: the file exists; a grid that is found would be written there: give another name by --output",
                file.display()
            );
        }
        if !args.quiet {
            let (variant, points) = (statement.region.variant(), statement.region.added().len());
            let how = if proof.progress().done > 0 { "continuing" } else { "beginning" };
            say!(
                "{how}: no grid of {variant} with {} moves in {}, {points} points beyond the cross; {}",
                statement.moves,
                plain(&statement.title),
                counted(threads, "thread"),
            );
        }
        let interrupt = Interrupt::default();
        signals::watch(interrupt.clone()).context("cannot watch for Ctrl-C")?;
        let began = Instant::now();
        let stop = || interrupt.asked() || args.time.is_some_and(|limit| began.elapsed().as_secs_f64() >= limit);
        let mut next = 1.0;
        let mut end = proof.run(threads, HighsRelaxation::new, &stop, &mut |progress| {
            let seconds = began.elapsed().as_secs_f64();
            if !args.quiet && seconds >= next {
                next = (2.0 * seconds).min(seconds + SLOWEST);
                say!("{}", line(seconds, &progress));
            }
        })?;
        let mut estimate = None;
        if end == ProvingEnd::Open && args.dives > 0 {
            match proof.estimate(args.dives, HighsRelaxation::new, &|| interrupt.asked())? {
                Estimated::Rest(rest) => estimate = Some(rest),
                Estimated::Grid(moves) => end = ProvingEnd::Grid(moves),
                Estimated::Nothing => {}
            }
        }
        let found = grid_text(statement, &end)?;
        let certificate = if end == ProvingEnd::Proved { proof.write_certificate()? } else { None };
        let progress = proof.progress();
        let name = certificate.as_ref().map(|(path, _)| path.display().to_string());
        if args.json {
            let object = serde_json::json!({
                "version": JSON_VERSION, "command": "prove",
                "end": match end { ProvingEnd::Proved => "proved", ProvingEnd::Grid(_) => "grid", ProvingEnd::Open => "open" },
                "variant": statement.region.variant(), "moves": statement.moves, "region": statement.title,
                "points": statement.region.added().len(), "closed": progress.closed, "open_units": progress.open,
                "units": progress.done, "nodes": progress.counts.nodes, "programs": progress.counts.programs,
                "shapes": progress.counts.shapes, "conflicts": progress.counts.conflicts,
                "without_answer": progress.counts.unknown, "cpu_seconds": progress.cpu, "certificate": name,
                "grid": found,
                "estimate": estimate.map(|e| serde_json::json!({"dives": e.dives, "nodes": e.nodes, "shapes": e.shapes})),
            });
            writeln!(out, "{object}")?;
        } else {
            write_end(&end, &progress, estimate, statement, out)?;
            if let Some((path, bytes)) = certificate {
                writeln!(out, "certificate   {} ({} bytes)", plain(&path.display().to_string()), grouped(bytes))?;
            }
        }
        // It is on the output by now, whatever comes of the file.
        if let (Some(text), Some(file)) = (found, file) {
            let is_saved = std::fs::read(&file).is_ok_and(|there| there == text.as_bytes());
            if !is_saved {
                save(&file, text.as_bytes(), false)?;
            }
        }
        Ok(match end {
            ProvingEnd::Proved => ExitCode::SUCCESS,
            ProvingEnd::Grid(_) => ExitCode::from(FOUND),
            ProvingEnd::Open => ExitCode::FAILURE,
        })
    }

    /// One line of progress.
    fn line(seconds: f64, progress: &ProvingProgress) -> String {
        let ProvingProgress { counts, closed, open, .. } = progress;
        format!(
            "{seconds:>9.1} s  {:.4} % closed, {open} open, {} nodes, {} programs, {} point sets refuted",
            100.0 * closed,
            grouped(counts.nodes),
            grouped(counts.programs),
            grouped(counts.shapes),
        )
    }

    /// Where a grid is written that is found.
    fn grid_file(args: &Args) -> Option<PathBuf> {
        args.output.clone().or_else(|| Some(args.state.as_ref()?.join("grid.txt")))
    }

    /// The text of the grid that was found.
    fn grid_text(statement: &Statement, end: &ProvingEnd) -> anyhow::Result<Option<String>> {
        let ProvingEnd::Grid(moves) = end else { return Ok(None) };
        let grid = Grid::new(statement.region.variant(), moves.clone());
        Ok(Some(write_grid(&grid, GridFormat::Pentasol)?))
    }

    fn write_end(
        end: &ProvingEnd,
        progress: &ProvingProgress,
        estimate: Option<RestEstimate>,
        statement: &Statement,
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let (variant, title) = (statement.region.variant(), plain(&statement.title));
        match end {
            ProvingEnd::Proved => {
                writeln!(out, "proved: no grid of {variant} with {} moves or more lies in {title}", statement.moves)?;
            }
            ProvingEnd::Grid(moves) => {
                writeln!(out, "found: a grid of {variant} with {} moves lies in {title}", moves.len())?;
                let grid = Grid::new(variant, moves.clone());
                write!(out, "{}", write_grid(&grid, GridFormat::Pentasol)?)?;
            }
            ProvingEnd::Open => {
                let open = counted(progress.open as usize, "unit");
                writeln!(out, "open: {open}; {:.4} % of the tree is closed, by volume", 100.0 * progress.closed)?;
            }
        }
        let counts = progress.counts;
        writeln!(out, "nodes         {}", grouped(counts.nodes))?;
        writeln!(out, "programs      {} ({} without an answer)", grouped(counts.programs), grouped(counts.unknown))?;
        let (shapes, conflicts) = (grouped(counts.shapes), grouped(counts.conflicts));
        writeln!(out, "point sets    {shapes}, decided with {conflicts} conflicts")?;
        writeln!(out, "CPU seconds   {:.1}", progress.cpu)?;
        if let Some(RestEstimate { dives, nodes, shapes }) = estimate {
            writeln!(
                out,
                "left          about {nodes:.0} nodes and {shapes:.0} point sets, by {dives} random descents"
            )?;
        }
        Ok(())
    }
}
