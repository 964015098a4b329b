//! `morpion tactics`: tactical goals in Go.

mod examples;
mod joseki;
mod learn;
mod mine;
mod patterns;
mod score;

use super::grid_input::plain;
use super::machine;
use super::positions::read_text_file;
use super::streams::say;
use super::values;
use crate::core::game::Side;
use crate::core::quantity::grouped;
use crate::daemon::view::TacticsAnswerView;
use crate::games::go::large::points::{LargeBoard, column};
use crate::games::go::large::position::LargePosition;
use crate::games::go::notation::parse_position;
use crate::games::go::rules::GoRules;
use crate::jobs::tactics::AttackSource;
use crate::tactics::board::TacticsBoard;
use crate::tactics::check::{FILLINGS, check};
use crate::tactics::examples::EXAMPLES;
use crate::tactics::goal::{Question, TacticalGoal, point_of};
use crate::tactics::ladder::ladder_of;
use crate::tactics::proposer::AttackMoves;
use crate::tactics::region::region_of;
use crate::tactics::solve::{LEVELS, TacticsAnswer, USUAL_NODES, solve_with};
use crate::tactics::suite::{AnswerMatch, SuiteQuestion, SuiteTally, parse_suite};
use anyhow::{Context, anyhow, bail, ensure};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Version of the `--json` output.
const JSON_VERSION: u32 = 1;

/// Answer tactical questions in Go: capture, defend, connect, cut, kill, live.
///
/// An answer is one of four: the goal is reached (1), or not (0), or a ko decides in which the side to move captures
/// first (2) or needs the first threat (3). Captures that work are proven, and so are connections, unless the answer
/// says that they are likely. `score` counts finished games, `joseki` looks corners up in a dictionary, `examples`
/// has problems to try.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: TacticsAction,
}

#[derive(Debug, clap::Subcommand)]
enum TacticsAction {
    Solve(SolveArgs),
    Suite(SuiteArgs),
    Match(patterns::MatchArgs),
    Database(patterns::DatabaseArgs),
    Mine(mine::MineArgs),
    Learn(learn::LearnArgs),
    Joseki(joseki::JosekiArgs),
    Score(score::ScoreArgs),
    Examples(examples::ExamplesArgs),
}

/// A question about a position in a file.
#[derive(Debug, clap::Args)]
struct QuestionArgs {
    /// File of the position
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What the side to move wants
    #[arg(long, value_name = "GOAL")]
    goal: GoalWord,
    /// A stone of the chain, such as d4
    #[arg(long, value_name = "POINT")]
    target: String,
    /// A stone of the second chain, for connect and cut
    #[arg(long, value_name = "POINT")]
    with: Option<String>,
    /// Give up after about this many nodes of each reading; one about two chains takes half of them
    #[arg(long, value_name = "N", default_value_t = USUAL_NODES, value_parser = values::nodes)]
    nodes: u64,
}

impl QuestionArgs {
    /// The position and what is asked of it.
    fn ask(&self) -> anyhow::Result<(TacticsBoard, Question)> {
        let (name, text) = read(&self.file)?;
        let parsed = parse_position::<LargePosition>(&text, GoRules::default());
        let position = parsed.map_err(|error| anyhow!("{name}: {error}"))?;
        let size = position.size();
        let target = point_of(size, &self.target)?;
        let with = self.with.as_deref().map(|with| point_of(size, with)).transpose()?;
        let question = Question::new(position.chains(), self.goal.goal(), target, with)?;
        Ok((TacticsBoard::of_position(&position, question.mover()), question))
    }
}

/// Answer one question about a position.
///
/// FILE is a game in SGF, of which the end of the main line is the position, or a board of characters. Who is to move
/// follows from the goal. The exit status is 1 if the answer is not known.
#[derive(Debug, clap::Args)]
struct SolveArgs {
    #[command(flatten)]
    question: QuestionArgs,
    /// Points where the attacker plays, for kill and live: rectangles and points, such as a1:f4,h2; without it, what
    /// is around the chain up to strong chains of the other side
    #[arg(long, value_name = "POINTS")]
    region: Option<String>,
    #[command(flatten)]
    attacks: AttackArgs,
    /// Print a JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Answer a file of questions, and compare the answers with the file.
///
/// FILE has a question a line, in columns that tabs part: number, question (attack, defend, connect, disconnect,
/// kill, live), stone or stones, expected answer such as [1 D4] (it may be empty), size, black stones, white stones
/// and, if a ko forbids the side to move a point, that point. Questions to kill or live may have a region such as
/// a1:f4 in the ninth column. The exit status is 1 if an answer differs from the file or is not known.
#[derive(Debug, clap::Args)]
struct SuiteArgs {
    /// File of questions; without it, the example problems that come with the program
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Give up after about this many nodes of each reading; one about two chains takes half of them
    #[arg(long, value_name = "N", default_value_t = USUAL_NODES, value_parser = values::nodes)]
    nodes: u64,
    #[command(flatten)]
    attacks: AttackArgs,
    /// Check each proof by the naive rules, with 1000 random fillings of the points outside its zone
    #[arg(long)]
    check: bool,
    /// Print a JSON object per question instead of text
    #[arg(long)]
    json: bool,
}

/// Where the attacker's moves come from.
#[derive(Debug, clap::Args)]
struct AttackArgs {
    /// Where the attacker's moves come from
    #[arg(long, value_name = "WHAT", default_value = "generators")]
    moves: MovesWord,
    /// File of patterns; without it, the patterns that come with the program
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum MovesWord {
    /// From patterns alone
    Patterns,
    /// From the points around the chains, without patterns
    Generators,
    /// From patterns first, and then from the points around the chains
    Both,
}

impl AttackArgs {
    fn attacks(&self) -> anyhow::Result<AttackMoves> {
        if let MovesWord::Generators = self.moves {
            ensure!(self.database.is_none(), "--database needs --moves patterns or --moves both");
            return Ok(AttackMoves::Generators);
        }
        let database = patterns::database_or_shipped(self.database.as_deref())?;
        Ok(self.moves.source().moves(&database)?)
    }
}

impl MovesWord {
    fn source(self) -> AttackSource {
        match self {
            MovesWord::Patterns => AttackSource::Patterns,
            MovesWord::Generators => AttackSource::Generators,
            MovesWord::Both => AttackSource::Both,
        }
    }
}

/// A goal on the command line.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum GoalWord {
    /// To capture a chain of the other side
    Capture,
    /// To keep an own chain from being captured
    Defend,
    /// To connect two own chains
    Connect,
    /// To keep two chains of the other side apart
    Cut,
    /// To capture a chain of the other side by moves in a region, however long it takes
    Kill,
    /// To keep an own chain from being captured by moves in a region
    Live,
}

impl GoalWord {
    fn goal(self) -> TacticalGoal {
        match self {
            GoalWord::Capture => TacticalGoal::Capture,
            GoalWord::Defend => TacticalGoal::Defend,
            GoalWord::Connect => TacticalGoal::Connect,
            GoalWord::Cut => TacticalGoal::Cut,
            GoalWord::Kill => TacticalGoal::Kill,
            GoalWord::Live => TacticalGoal::Live,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// A file or a question that cannot be read, or output that cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.action {
        TacticsAction::Solve(args) => solve_one(&args, out),
        TacticsAction::Suite(args) => solve_suite(&args, out),
        TacticsAction::Match(args) => patterns::match_board(&args, out),
        TacticsAction::Database(args) => patterns::run_database(&args, out),
        TacticsAction::Mine(args) => mine::run(&args, out),
        TacticsAction::Learn(args) => learn::run(&args, out),
        TacticsAction::Joseki(args) => joseki::run(&args, out),
        TacticsAction::Score(args) => score::run(&args, out),
        TacticsAction::Examples(args) => examples::run(&args, out),
    }
}

fn read(file: &Path) -> anyhow::Result<(String, String)> {
    let name = plain(&file.display().to_string());
    let text = read_text_file(file)?.with_context(|| format!("{name}: there is no such file"))?;
    Ok((name, text))
}

fn side_name(side: Side) -> &'static str {
    if side == Side::First { "black" } else { "white" }
}

fn first_name(size: LargeBoard, answer: &TacticsAnswer) -> Option<String> {
    answer.first.map(|point| size.name(point))
}

/// The fields of an answer that both commands print.
fn to_json(board: &TacticsBoard, question: &Question, answer: &TacticsAnswer) -> serde_json::Value {
    let mut value = serde_json::json!(TacticsAnswerView::of(board, question, answer));
    value["version"] = JSON_VERSION.into();
    value
}

fn solve_one(args: &SolveArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let (board, mut question) = args.question.ask()?;
    let size = board.chains().size();
    if let Some(region) = &args.region {
        question = question.within(board.chains(), region_of(size, region)?)?;
    }
    let attacks = args.attacks.attacks()?;
    let cpu = machine::process_seconds();
    let answer = solve_with(&board, &question, args.question.nodes, &attacks);
    let code = if answer.verdict.code().is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    let ladder = ladder_of(&board, &question).filter(|_| answer.attack_works(question.goal()));
    let ladder = ladder.map(|line| line.iter().map(|&point| size.name(point)).collect::<Vec<_>>());
    if args.json {
        let mut value = to_json(&board, &question, &answer);
        value["ladder"] = ladder.into();
        writeln!(out, "{value}")?;
        return Ok(code);
    }
    let goal = question.goal().name();
    let with = question.with().map_or(String::new(), |with| format!(" and {}", size.name(with)));
    writeln!(out, "{goal} {}{with}, {} to move", size.name(question.target()), side_name(question.mover()))?;
    write!(out, "{}", drawn(&board, &answer))?;
    let class = answer.verdict.code().map_or(String::new(), |code| format!(" ({code})"));
    let proven = match answer.verdict.code() {
        None => String::new(),
        Some(_) if answer.proven => ", proven".to_owned(),
        Some(_) if answer.attack_works(question.goal()) => {
            format!(", likely; read to level {} of {LEVELS}", answer.levels)
        }
        Some(2..) if question.goal().is_of_life() => ", not proven".to_owned(),
        Some(_) if question.goal().is_of_life() => ", not proven; all attacks in the region fail".to_owned(),
        Some(_) => format!(", not proven; read to level {} of {LEVELS}", answer.levels),
    };
    writeln!(out, "answer      {}{class}{proven}", answer.verdict)?;
    if let Some(first) = first_name(size, &answer) {
        writeln!(out, "move        {first}")?;
    }
    if let Some(ladder) = ladder {
        writeln!(out, "ladder      {}", ladder.join(" "))?;
    }
    if let Some(region) = question.region() {
        writeln!(out, "region      {} points where {} plays", region.len(), side_name(question.attacker()))?;
    }
    if let Some(zone) = answer.zone {
        writeln!(out, "zone        {} points: what is empty of it is marked +", zone.len())?;
    }
    let time = machine::since(cpu).map_or("?".to_owned(), |seconds| format!("{seconds:.3}"));
    writeln!(out, "took        {} nodes, {time} CPU s", grouped(answer.nodes))?;
    Ok(code)
}

/// A board in characters with its letters and numbers; `mark` is what stands on a point.
fn board_text(size: LargeBoard, mark: impl Fn(u16) -> char) -> String {
    let mut text = "   ".to_owned();
    (0..size.width()).for_each(|x| text.extend([' ', column(x)]));
    text.push('\n');
    for y in 0..size.height() {
        text.push_str(&format!("{:>3}", size.height() - y));
        (0..size.width()).filter_map(|x| size.point(x, y)).for_each(|point| text.extend([' ', mark(point)]));
        text.push('\n');
    }
    text
}

/// The board, with the empty points of a zone.
fn drawn(board: &TacticsBoard, answer: &TacticsAnswer) -> String {
    board_text(board.chains().size(), |point| match board.colour(point) {
        Some(Side::First) => 'X',
        Some(Side::Second) => 'O',
        None if answer.zone.is_some_and(|zone| zone.contains(point)) => '+',
        None => '.',
    })
}

fn solve_suite(args: &SuiteArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let (name, text) = match &args.file {
        Some(file) => read(file)?,
        None => ("the example problems".to_owned(), EXAMPLES.to_owned()),
    };
    let questions = parse_suite(&text).map_err(|error| anyhow!("{name}, {error}"))?;
    if questions.is_empty() {
        bail!("{name}: there is no question in it");
    }
    let attacks = args.attacks.attacks()?;
    let cpu = machine::process_seconds();
    let (mut tally, mut checking) = (SuiteTally::default(), 0.0);
    for asked in &questions {
        let answer = solve_with(&asked.board, &asked.question, args.nodes, &attacks);
        let right = asked.expected.as_ref().map(|expected| expected.compare(&answer));
        tally.add(answer.verdict, answer.nodes, right);
        write_answer(asked, &answer, right, args.json, out)?;
        let before = machine::process_seconds();
        for proof in answer.proofs.iter().filter(|_| args.check) {
            tally.checked += 1;
            if let Err(error) = check(&asked.board, &asked.question, proof, FILLINGS, asked.line as u64) {
                tally.refused += 1;
                say!("morpion: {name}, line {}: the proof does not hold: {error}", asked.line);
            }
        }
        checking += machine::since(before).unwrap_or(0.0);
    }
    if !args.json {
        if args.check {
            let SuiteTally { checked, refused, .. } = tally;
            writeln!(out, "{checked} proofs checked, {refused} do not hold, {checking:.2} CPU s")?;
        }
        let time = machine::since(cpu).map_or("?".to_owned(), |seconds| format!("{:.2}", seconds - checking));
        writeln!(out, "{} nodes", grouped(tally.nodes))?;
        writeln!(out, "{tally}, {time} CPU s")?;
    }
    Ok(if tally.is_right() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn write_answer(
    asked: &SuiteQuestion,
    answer: &TacticsAnswer,
    right: Option<AnswerMatch>,
    json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (code, with_move) = (right.map(|right| right.code), right.map(|right| right.with_move));
    if json {
        let mut value = to_json(&asked.board, &asked.question, answer);
        value["line_number"] = asked.line.into();
        value["name"] = asked.name.clone().into();
        value["right_by_code"] = code.into();
        value["right_with_move"] = with_move.into();
        writeln!(out, "{value}")?;
        return Ok(());
    }
    let expected = asked.expected.as_ref().map_or(&[][..], |expected| &expected.codes);
    let answer = &TacticsAnswerView::of(&asked.board, &asked.question, answer);
    ToldAnswer { name: &asked.name, answer, expected }.write(code.zip(with_move), out)
}

/// An answer to a question of a suite as a line tells it.
pub struct ToldAnswer<'a> {
    /// What the line of the question begins with.
    pub name: &'a str,
    /// What it comes to.
    pub answer: &'a TacticsAnswerView,
    /// The codes that are expected, if any are.
    pub expected: &'a [u8],
}

impl ToldAnswer<'_> {
    /// Writes the line; `right` tells whether the code is right, and whether code and move are, if that is known.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, right: Option<(bool, bool)>, out: &mut dyn Write) -> anyhow::Result<()> {
        let ToldAnswer { name, answer, expected } = self;
        let spaced = |name: &Option<String>| name.as_ref().map_or(String::new(), |name| format!(" {}", plain(name)));
        let (with, first) = (spaced(&answer.with), spaced(&answer.first));
        let code = answer.code.map_or("?".to_owned(), |code| code.to_string());
        let remark = match right {
            None => String::new(),
            Some((_, true)) => ", right".to_owned(),
            Some((true, false)) => ", right by code".to_owned(),
            Some(_) if answer.code.is_none() => String::new(),
            Some(_) => {
                let codes: Vec<String> = expected.iter().map(u8::to_string).collect();
                format!(", wrong: the file has {}", codes.join(" or "))
            }
        };
        writeln!(
            out,
            "{} {} {}{with}: {code}{first} ({}{}{remark}; {} nodes)",
            plain(name),
            answer.goal.name(),
            plain(&answer.target),
            answer.verdict,
            if answer.proven { ", proven" } else { "" },
            grouped(answer.nodes),
        )?;
        Ok(())
    }
}
