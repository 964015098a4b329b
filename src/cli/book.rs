//! `morpion book`: opening books of Gomoku. And the flag that gives one to a player.

use super::flags::SettingFlags;
use super::grid_input::{counted, plain};
use super::machine;
use super::player_flags::worth_of;
use super::positions::{AskedPosition, read_text_file};
use super::signals;
use super::streams::say;
use super::values::positive;
use super::weights::weights;
use crate::core::quantity::{grouped, parse_bytes, parse_duration};
use crate::files::{FileError, Keep, replace};
use crate::games::gomoku::notation::{parse_moves, play_all};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::runner::Interrupt;
use crate::runner::book::{BookEnd, BookTerms, grow_book};
use crate::solvers::gomoku::book::{OpeningBook, PLANNED, text};
use crate::solvers::gomoku::plan;
use crate::solvers::gomoku::player::{PlayerError, decided_in};
use crate::solvers::solvable::Playable;
use anyhow::{Context, anyhow, ensure};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Version of the `--json` output.
const JSON_VERSION: u32 = 1;
/// More threads than this are taken for a slip of the fingers.
const MAX_THREADS: usize = 1024;
/// Most moves of a position.
const MAX_MOVES: usize = 20;
/// Most positions that a book can be asked to have.
const MAX_POSITIONS: usize = 1_000_000;
/// Time between two versions of the file, at least.
const SAVED_AFTER: Duration = Duration::from_secs(10);
/// The name of the program's own book.
pub const USUAL: &str = "usual";
/// The name of no book.
pub const NO_BOOK: &str = "none";

/// Make opening books of Gomoku, and look into them.
///
/// A book has positions of the opening with their best moves by long searches; `morpion play gomoku` and `morpion
/// pbrain` play by one. The program has a book of its own for 15x15 with exactly five in a row. The moves of plans,
/// which are proven to win (see morpion plan), are in it, too.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: BookAction,
}

#[derive(Debug, clap::Subcommand)]
enum BookAction {
    Grow(BookGrowArgs),
    Show(BookShowArgs),
}

/// Let a book grow, and write it to FILE.
///
/// The next position is the end of the line of play that costs both sides least. If there is such a book already, it
/// goes on growing. The exit status is 0 if the book has all positions that were asked for or no line goes on, and 1
/// if the time was over or Ctrl-C came.
#[derive(Debug, clap::Args)]
struct BookGrowArgs {
    /// File of the book, a new one or one to go on with
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    setup: SettingFlags<GomokuSetup>,
    #[command(flatten)]
    terms: BookGrowFlags,
}

#[derive(Debug, clap::Args)]
struct BookGrowFlags {
    /// Positions that the book is to have
    #[arg(long, value_name = "N", value_parser = positive)]
    positions: usize,
    /// Nodes of the search of a position
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = super::values::nodes)]
    nodes: u64,
    /// Moves that are kept of a position
    #[arg(long, value_name = "N", default_value = "4", value_parser = positive)]
    moves: usize,
    /// File of a plan (see morpion plan): what it proves is not searched
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// File of weights to search with (see morpion tune); the program has weights of its own
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
    /// Memory of each thread for what is known of positions
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = parse_bytes)]
    memory: u64,
    /// Number of threads, each with a position of its own; with more than one, the same command need not give the
    /// same book
    #[arg(long, value_name = "N", default_value = "1", value_parser = positive)]
    threads: usize,
    /// End after this time (90, 60s, 5m, 2h)
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<f64>,
    /// Do not tell of the progress
    #[arg(long)]
    quiet: bool,
}

/// Say what a book has, and its moves in a position.
#[derive(Debug, clap::Args)]
struct BookShowArgs {
    /// File of a book or of a plan [default: the program's own book]
    #[arg(value_name = "FILE", default_value = USUAL, hide_default_value = true)]
    file: String,
    /// Moves that lead to the position (h8i9) [default: the empty board]
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true)]
    moves: String,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// A book or a plan that cannot be read, or a disk that refuses.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.action {
        BookAction::Grow(args) => grow(args, out),
        BookAction::Show(args) => show(&args, out),
    }
}

/// The book of a flag: the program's own one, none, or one from a file of a book or of a plan.
///
/// # Errors
/// A file that cannot be read, or that is neither.
pub fn book(name: &str) -> anyhow::Result<Option<Arc<OpeningBook>>> {
    match name {
        NO_BOOK => Ok(None),
        USUAL => Ok(Some(OpeningBook::usual())),
        file => {
            let shown = plain(file);
            let text = read_text_file(file.as_ref())?.with_context(|| {
                format!("{shown}: there is no such book; expected {USUAL}, {NO_BOOK} or a file of morpion book grow")
            })?;
            if text.starts_with(plan::text::HEADING) {
                let plan = plan::text::parse(&text).map_err(|error| anyhow!("{shown}, {error}"))?;
                let mut book = OpeningBook::new(plan.start().board(), plan.start().rules());
                book.add_plan(&plan);
                return Ok(Some(Arc::new(book)));
            }
            Ok(Some(Arc::new(text::parse(&text).map_err(|error| anyhow!("{shown}, {error}"))?)))
        }
    }
}

/// Why a book stops growing.
#[derive(Debug, thiserror::Error)]
enum GrowError {
    /// The disk refuses.
    #[error(transparent)]
    File(#[from] FileError),
    /// The player cannot be had.
    #[error(transparent)]
    Player(#[from] PlayerError),
}

fn grow(args: BookGrowArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let flags = &args.terms;
    let (start, title) = AskedPosition::<GomokuSetup>::of(args.setup)?.first()?;
    ensure!(start.stones().next().is_none(), "a book begins with the empty board: leave --position out");
    ensure!(flags.threads <= MAX_THREADS, "--threads {} is out of range: 1 to {MAX_THREADS}", flags.threads);
    ensure!(flags.moves <= MAX_MOVES, "--moves {} is out of range: 1 to {MAX_MOVES}", flags.moves);
    ensure!(
        flags.positions <= MAX_POSITIONS,
        "--positions {} is out of range: 1 to {MAX_POSITIONS}",
        flags.positions
    );
    let file = &args.file;
    let name = plain(&file.display().to_string());
    let (mut grown, mut remarks) = match read_text_file(file)? {
        Some(known) => (text::parse(&known).map_err(|error| anyhow!("{name}, {error}"))?, text::remarks(&known)),
        None => (OpeningBook::new(start.board(), start.rules()), Vec::new()),
    };
    ensure!(grown.is_about(&start), "{name} is a book of another board or other rules: give another name");
    if let Some(file) = &flags.plan {
        let name = plain(&file.display().to_string());
        let known = read_text_file(file)?.with_context(|| format!("{name}: there is no such file"))?;
        let plan = plan::text::parse(&known).map_err(|error| anyhow!("{name}, {error}"))?;
        ensure!(grown.is_about(plan.start()), "{name} is a plan for another board or other rules");
        grown.add_plan(&plan);
    }
    let from = grown.positions().len();
    // A command that added nothing has left the same beginning.
    remarks.retain(|remark| !remark.starts_with(&format!("from position {from} on:")));
    remarks.push(provenance(flags, from));
    let weights = weights(flags.weights.as_deref())?;
    // A disk that refuses says so at once.
    replace(file, text::to_text(&grown, &remarks).as_bytes(), Keep::Durable)?;
    if !flags.quiet {
        say!("{title}: {}", counted(from, "position"));
    }
    let interrupt = Interrupt::default();
    signals::watch(interrupt.clone()).context("cannot watch for Ctrl-C")?;
    let (began, cpu) = (Instant::now(), machine::process_seconds());
    let stop = || interrupt.asked() || flags.time.is_some_and(|limit| began.elapsed().as_secs_f64() >= limit);
    let terms = BookTerms {
        threads: flags.threads,
        positions: flags.positions,
        nodes: flags.nodes,
        moves: flags.moves,
        memory: flags.memory,
        weights,
    };
    let saved = Mutex::new(Instant::now());
    let told = |book: &OpeningBook| {
        if !flags.quiet
            && let Some(last) = book.positions().last()
        {
            let way: String = last.way.iter().map(|&point| book.board().name(point)).collect();
            let best = last.moves.first().map_or(String::new(), |m| format!(" {}", book.board().name(m.point)));
            say!("{:>9.1} s  {}: {way}{best}", began.elapsed().as_secs_f64(), book.positions().len());
        }
        if let Ok(mut saved) = saved.lock()
            && saved.elapsed() >= SAVED_AFTER
        {
            replace(file, text::to_text(book, &remarks).as_bytes(), Keep::Durable)?;
            *saved = Instant::now();
        }
        Ok::<(), GrowError>(())
    };
    let end = grow_book(&mut grown, &terms, &stop, &told);
    replace(file, text::to_text(&grown, &remarks).as_bytes(), Keep::Durable)?;
    let end = end?;
    let said = match end {
        BookEnd::Full => "the book has grown",
        BookEnd::Closed => "every line of the book is at its end",
        BookEnd::Stopped => "stopped",
    };
    let time = machine::since(cpu).map_or("?".to_owned(), |seconds| format!("{seconds:.1}"));
    let all = grown.positions().len();
    writeln!(
        out,
        "{said}: {}, {} of them new, {time} CPU s",
        counted(all, "position"),
        grouped((all - from) as u64)
    )?;
    Ok(if end == BookEnd::Stopped { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Where positions come from, as a remark of the file.
fn provenance(flags: &BookGrowFlags, from: usize) -> String {
    let plan = flags.plan.as_ref().and_then(|file| file.file_name()).map(|name| plain(&name.to_string_lossy()));
    format!(
        "from position {from} on: morpion {}, {} nodes a position, {} moves, {}{}{}",
        env!("CARGO_PKG_VERSION"),
        grouped(flags.nodes),
        flags.moves,
        counted(flags.threads, "thread"),
        plan.map_or(String::new(), |name| format!(", plan {name}")),
        if flags.weights.is_some() { ", other weights" } else { "" },
    )
}

fn show(args: &BookShowArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let book = book(&args.file)?.with_context(|| format!("{NO_BOOK} is no book"))?;
    let board = book.board();
    let mut position = GomokuPosition::new(board, book.rules());
    let way = parse_moves(board, &args.moves)?;
    play_all(&mut position, &way)?;
    let (choice, moves) = (book.choice(&position), book.moves(&position));
    let proven = choice.as_ref().filter(|choice| choice.value == PLANNED);
    if args.json {
        let line = |line: &[GomokuMove]| line.iter().map(|m| board.name(m.0)).collect::<Vec<_>>();
        let object = serde_json::json!({
            "version": JSON_VERSION, "command": "book show", "board": board.to_string(),
            "rule": book.rules().rule().name(), "win": book.rules().win(), "positions": book.positions().len(),
            "planned": book.planned(), "proven": proven.is_some(),
            "line": choice.as_ref().map(|choice| line(&choice.line)),
            "moves": moves.iter().map(|&(m, value)| serde_json::json!({"move": board.name(m.0), "value": value}))
                .collect::<Vec<_>>(),
        });
        writeln!(out, "{object}")?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(
        out,
        "{board}, {}: {}, {}",
        book.rules(),
        counted(book.positions().len(), "position"),
        counted(book.planned(), "planned move")
    )?;
    writeln!(out, "{position}")?;
    match &choice {
        None => writeln!(out, "the book does not have this position")?,
        Some(choice) => {
            for &(m, value) in &moves {
                let known = GomokuPosition::known_worth(value).map(str::to_owned);
                let worth = known.unwrap_or_else(|| worth_of(f64::from(value), decided_in(value), false));
                writeln!(out, "{:<4} {worth}", board.name(m.0))?;
            }
            let line: Vec<String> = choice.line.iter().map(|m| board.name(m.0)).collect();
            writeln!(out, "line        {}", line.join(" "))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
