//! `morpion tactics match` and `morpion tactics database`: patterns on a board, and files of them.

use super::{JSON_VERSION, QuestionArgs, read, side_name};
use crate::cli::grid_input::{counted, plain, save};
use crate::cli::streams::say;
use crate::core::game::Side;
use crate::files::{self, Keep};
use crate::games::go::large::position::LargePosition;
use crate::games::go::notation::parse_position;
use crate::games::go::rules::GoRules;
use crate::tactics::pattern::cut::pattern_of;
use crate::tactics::pattern::database::{PatternDatabase, is_same};
use crate::tactics::pattern::entry::PatternEntry;
use crate::tactics::pattern::index::{PatternIndex, PatternProposal};
use crate::tactics::pattern::prove::{FILLINGS, place_name, prove, shipped};
use crate::tactics::proposer::patterns_on;
use crate::tactics::solve::{USUAL_NODES, solve};
use anyhow::{Context, anyhow, bail, ensure};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Find the patterns of a database on a board, and the moves that they propose.
///
/// FILE is a game in SGF, of which the end of the main line is the position, or a board of characters. A pattern
/// proposes a move, it proves nothing: `morpion tactics solve` does. The exit status is 1 if no pattern fits.
#[derive(Debug, clap::Args)]
pub struct MatchArgs {
    /// File of the position
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// File of patterns; without it, the patterns that come with the program
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
    /// Print a JSON object per move instead of text
    #[arg(long)]
    json: bool,
}

/// List, check and put together files of patterns.
///
/// Such a file is SGF: each pattern is a child of the root, with the properties GL (goal: 0 universal, 1 capture, 2
/// connect) and PS (columns and rows). A pattern with moves is a tesuji, one without is a shape.
#[derive(Debug, clap::Args)]
pub struct DatabaseArgs {
    #[command(subcommand)]
    action: DatabaseAction,
}

#[derive(Debug, clap::Subcommand)]
enum DatabaseAction {
    List(ListArgs),
    Add(AddArgs),
    Check(CheckArgs),
    Merge(MergeArgs),
}

/// List the patterns of a file.
#[derive(Debug, clap::Args)]
struct ListArgs {
    /// File of patterns; without it, the patterns that come with the program
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Draw each pattern: X black, O white, . empty, x black or empty, o white or empty, * black or white, ? any
    #[arg(long)]
    draw: bool,
}

/// Answer a question about a position, and add the proof's zone to a file as a pattern.
///
/// The pattern holds wherever it fits, since nothing outside the zone matters. The file is made if it is missing. A
/// pattern that is in it already, perhaps turned, is not added. The exit status is 1 if nothing is added.
#[derive(Debug, clap::Args)]
struct AddArgs {
    /// File of patterns to add to
    #[arg(value_name = "DATABASE")]
    database: PathBuf,
    #[command(flatten)]
    question: QuestionArgs,
    /// What the pattern is called
    #[arg(long, value_name = "TEXT", default_value = "")]
    name: String,
}

/// Prove each pattern of a file on an empty board.
///
/// It says which patterns hold wherever they fit. The exit status is 1 if a pattern is not proven.
#[derive(Debug, clap::Args)]
struct CheckArgs {
    /// File of patterns; without it, the patterns that come with the program
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Give up after about this many nodes of each reading
    #[arg(long, value_name = "N", default_value_t = USUAL_NODES)]
    nodes: u64,
}

/// Put the patterns of several files into one, each once, however it is turned.
#[derive(Debug, clap::Args)]
struct MergeArgs {
    /// Files of patterns
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Overwrite the file
    #[arg(long)]
    force: bool,
}

/// Runs `morpion tactics database`.
///
/// # Errors
/// A file that cannot be read or written.
pub fn run_database(args: &DatabaseArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match &args.action {
        DatabaseAction::List(args) => list(args, out),
        DatabaseAction::Add(args) => add(args, out),
        DatabaseAction::Check(args) => check(args, out),
        DatabaseAction::Merge(args) => merge(args, out),
    }
}

/// The patterns of a file; what was mended in it is told.
pub fn read_database(file: &Path) -> anyhow::Result<PatternDatabase> {
    let (name, text) = read(file)?;
    let read =
        PatternDatabase::read(text.as_bytes()).map_err(|error| anyhow!("{name}: {}", plain(&error.to_string())))?;
    for notice in &read.notices {
        say!("morpion: {name}: {}", plain(notice));
    }
    Ok(read.database)
}

/// The patterns of a file, or those that come with the program: these are proven, and any that is not is named.
pub fn database_or_shipped(file: Option<&Path>) -> anyhow::Result<PatternDatabase> {
    if let Some(file) = file {
        return read_database(file);
    }
    for notice in &shipped().notices {
        say!("morpion: {notice}");
    }
    Ok(shipped().database.clone())
}

/// The search patterns of a database.
pub fn index_of(database: &PatternDatabase) -> anyhow::Result<PatternIndex> {
    database.index().map_err(|(place, fault)| anyhow!("pattern {}: {fault}", place + 1))
}

fn shown_name(entry: &PatternEntry, place: usize) -> String {
    if entry.name.is_empty() { format!("pattern {}", place + 1) } else { plain(&entry.name) }
}

/// Runs `morpion tactics match`.
///
/// # Errors
/// A file that cannot be read.
pub fn match_board(args: &MatchArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let database = database_or_shipped(args.database.as_deref())?;
    let index = index_of(&database)?;
    let (name, text) = read(&args.file)?;
    let parsed = parse_position::<LargePosition>(&text, GoRules::default());
    let position = parsed.map_err(|error| anyhow!("{name}: {error}"))?;
    let size = position.size();
    let mut moves: Vec<(Side, PatternProposal)> = Vec::new();
    for (one, proposals) in patterns_on(&index, position.chains()) {
        moves.extend(proposals.into_iter().map(|proposal| (index.to_move(one.pattern), proposal)));
    }
    let point_name = |(x, y): (u8, u8)| size.point(x, y).map_or_else(String::new, |point| size.name(point));
    moves.sort_by_key(|(side, one)| (*side == Side::Second, one.place, one.entry));
    moves.dedup_by_key(|(side, one)| (*side, one.place, one.entry));
    for (side, one) in &moves {
        let entry = &database.entries[one.entry];
        let (at, side) = (point_name(one.place), side_name(*side));
        if args.json {
            let targets: Vec<String> = one.targets.iter().copied().map(point_name).collect();
            let value = serde_json::json!({
                "version": JSON_VERSION, "side": side, "move": at, "pattern": one.entry + 1, "name": entry.name,
                "goal": entry.goal.name(), "targets": targets,
            });
            writeln!(out, "{value}")?;
        } else {
            let goal = entry.goal.name();
            writeln!(out, "{side:<5} {at:<3} {goal:<9} {}", shown_name(entry, one.entry))?;
        }
    }
    if !args.json {
        writeln!(out, "{}", counted(moves.len(), "move"))?;
    }
    Ok(if moves.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn list(args: &ListArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let database = database_or_shipped(args.file.as_deref())?;
    for (place, entry) in database.entries.iter().enumerate() {
        let (width, height) = entry.start.size();
        let kind = if entry.is_tesuji() { "tesuji" } else { "shape" };
        let edges = entry.start.edges.letters();
        let edges = if edges.is_empty() { edges } else { format!(", on the edge: {edges}") };
        let (goal, name) = (entry.goal.name(), shown_name(entry, place));
        writeln!(out, "{:>4} {goal:<9} {kind:<6} {width}x{height} {name}{edges}", place + 1)?;
        if args.draw {
            for y in 0..height {
                let row: Vec<String> = (0..width).map(|x| entry.start.at((x, y)).mark().to_string()).collect();
                writeln!(out, "       {}", row.join(" "))?;
            }
            let lines = entry.tree.moves().iter().map(|step| {
                let side = if step.side == Side::First { "black" } else { "white" };
                format!("{side} {}", place_name(&entry.start, step.place))
            });
            let lines: Vec<String> = lines.collect();
            if !lines.is_empty() {
                writeln!(out, "       {}", lines.join(", "))?;
            }
        }
    }
    writeln!(out, "{}", counted(database.entries.len(), "pattern"))?;
    Ok(ExitCode::SUCCESS)
}

fn add(args: &AddArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let name = plain(&args.database.display().to_string());
    let exists = args.database.try_exists().with_context(|| format!("{name}: cannot be read"))?;
    let mut database = if exists { read_database(&args.database)? } else { PatternDatabase::default() };
    let (board, question) = args.question.ask()?;
    ensure!(
        question.goal().mover_attacks() && !question.goal().is_of_life(),
        "the goal has to be capture or connect: a pattern has one of these"
    );
    let answer = solve(&board, &question, args.question.nodes);
    let Some(mut entry) = pattern_of(&board, &question, &answer) else {
        say!(
            "morpion: nothing is added: the answer is \"{}\", and a pattern needs a proof without ko",
            answer.verdict
        );
        return Ok(ExitCode::FAILURE);
    };
    entry.name.clone_from(&args.name);
    if let Some(place) = database.entries.iter().position(|known| is_same(known, &entry)) {
        say!("morpion: nothing is added: {name} has it already, as pattern {}", place + 1);
        return Ok(ExitCode::FAILURE);
    }
    let (width, height) = entry.start.size();
    database.entries.push(entry);
    files::replace(&args.database, database.write().as_bytes(), Keep::Durable)?;
    writeln!(out, "added a pattern of {width}x{height} points, {} now", counted(database.entries.len(), "pattern"))?;
    Ok(ExitCode::SUCCESS)
}

fn check(args: &CheckArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let database = database_or_shipped(args.file.as_deref())?;
    let (mut proven, mut anywhere) = (0, 0);
    for (place, entry) in database.entries.iter().enumerate() {
        let name = shown_name(entry, place);
        match prove(entry, args.nodes, Some(FILLINGS)) {
            Ok(found) => {
                proven += 1;
                anywhere += usize::from(found.anywhere);
                let place = if found.anywhere { "proven wherever it fits" } else { "proven on an empty board" };
                writeln!(out, "{name}: {place} ({} nodes)", crate::core::quantity::grouped(found.nodes))?;
            }
            Err(why) => writeln!(out, "{name}: not proven: {why}")?,
        }
    }
    let all = database.entries.len();
    writeln!(out, "{}, {proven} proven, {anywhere} of them wherever they fit", counted(all, "pattern"))?;
    Ok(if proven == all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn merge(args: &MergeArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let mut merged: Option<PatternDatabase> = None;
    for file in &args.files {
        let database = read_database(file)?;
        // The properties of the first file's root are kept.
        let all = merged.get_or_insert_with(|| PatternDatabase { entries: Vec::new(), root: database.root.clone() });
        let added = all.merge(&database);
        let name = plain(&file.display().to_string());
        writeln!(out, "{name}: {added} of {}", counted(database.entries.len(), "pattern"))?;
    }
    let Some(merged) = merged else { bail!("there is no file to merge") };
    save(&args.output, merged.write().as_bytes(), args.force)?;
    let name = plain(&args.output.display().to_string());
    writeln!(out, "{name}: {}", counted(merged.entries.len(), "pattern"))?;
    Ok(ExitCode::SUCCESS)
}
