//! `morpion enumerate`: how many distinct grids (or ordered sequences) there are after each number of moves.

use super::streams::say;
use crate::jobs::enumerate::enumerate;
use crate::morpion::enumerate::{CountKind, MAX_DEPTH, known_grids, known_sequences};
use crate::morpion::variant::Variant;
use anyhow::{Context, ensure};
use std::io::Write;
use std::process::ExitCode;

/// Version of the `--json` output.
const JSON_VERSION: u32 = 1;

/// Count the distinct grids after each number of moves, up to the 8 symmetries of the cross.
///
/// A grid is a set of lines; neither the order of the moves nor the orientation matters. Prints one line per number
/// of moves and compares it with the known tables (OEIS A204108, A204107, A204110 and A204109). The exit status is 1
/// if a count differs from them. Each further move takes 2 to 6 times as long; the memory used does not grow.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Line length and touching rule: 5T, 5D, 4T or 4D.
    #[arg(long, default_value_t = Variant::T5)]
    variant: Variant,
    /// Greatest number of moves, at most 25.
    #[arg(long, value_name = "N", default_value_t = 9)]
    depth: u32,
    /// Count ordered sequences of moves instead, without regard to symmetry.
    #[arg(long)]
    ordered: bool,
    /// Print one JSON object instead of the table.
    #[arg(long)]
    json: bool,
    /// Number of threads [default: one per processor].
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

/// Runs the command.
///
/// # Errors
/// A depth or number of threads out of range, threads that cannot be started, or output that cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let Args { variant, depth, ordered, json, threads } = args;
    ensure!(
        depth <= MAX_DEPTH,
        "--depth {depth} is too deep: at most {MAX_DEPTH}, beyond which a move could leave the playing area"
    );
    let threads = match threads {
        Some(n) => n,
        None => std::thread::available_parallelism().map_or(1, |n| n.get()),
    };
    ensure!((1..=MAX_THREADS).contains(&threads), "--threads {threads} is out of range: 1 to {MAX_THREADS}");
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .with_context(|| format!("cannot start {threads} threads"))?;

    let (kind, noun, known) = if ordered {
        (CountKind::Sequences, "sequences", known_sequences(variant))
    } else {
        (CountKind::Grids, "grids", known_grids(variant))
    };
    say!(
        "counting {noun} of {variant} to depth {depth} on {threads} {}; memory: at most {} MB at any depth",
        if threads == 1 { "thread" } else { "threads" },
        BASE_MB + threads / THREADS_PER_MB,
    );
    // Drawn on stderr, and only if that is a terminal.
    let bar = indicatif::ProgressBar::new(0);
    bar.set_style(indicatif::ProgressStyle::with_template("{wide_bar} {percent:>3}%  {elapsed} gone, {eta} to go")?);
    let counts = pool.install(|| {
        enumerate(variant, kind, depth, &|done, total| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        })
    });
    bar.finish_and_clear();

    let wrong = counts.iter().zip(known).position(|(count, known)| count != known);
    if json {
        let object = serde_json::json!({
            "version": JSON_VERSION,
            "command": "enumerate",
            "variant": variant,
            "kind": noun,
            "counts": counts,
            "agrees_with_known": wrong.is_none(),
        });
        writeln!(out, "{object}")?;
    } else {
        let width = counts.iter().map(|n| n.to_string().len()).max().unwrap_or(0).max(noun.len());
        writeln!(out, " n  {noun:>width$}")?;
        for (n, count) in counts.iter().enumerate() {
            writeln!(out, "{n:>2}  {count:>width$}")?;
        }
    }
    out.flush()?;
    match wrong {
        Some(n) => {
            say!("the count at depth {n} is wrong: it is known to be {}", known[n]);
            Ok(ExitCode::FAILURE)
        }
        None => {
            let compared = counts.len().min(known.len());
            say!("the counts to depth {} equal those known", compared - 1);
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// More threads than this are taken for a slip of the fingers.
const MAX_THREADS: usize = 1024;

/// Bound of the memory used, in MB, by program, tables and the units of the widest variant: measured 9 MB in 4T with
/// 2 threads.
const BASE_MB: usize = 16;

/// Threads whose walks (0.2 MB each, mostly the capacity of a position's lists) and stacks fit into one MB.
const THREADS_PER_MB: usize = 2;
