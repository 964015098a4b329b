//! `morpion tactics score`: the count of a finished game of Go.

use super::{JSON_VERSION, board_text, read};
use crate::cli::grid_input::{counted, plain};
use crate::core::game::Side;
use crate::daemon::view::GoScoreView;
use crate::games::go::large::chains::Chains;
use crate::games::go::large::points::PointSet;
use crate::games::go::large::position::LargePosition;
use crate::games::go::notation::{GoReadError, GoReplay, parse_position};
use crate::games::go::rules::GoRules;
use crate::games::go::scoring::{
    GoScore, ScoreTerms, ScoringRules, SgfScoring, StoneMarks, points_text, read_half_points, score,
};
use crate::games::sgf::{is_sgf, main_line};
use crate::tactics::goal::point_of;
use anyhow::{anyhow, ensure};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Count a finished game, by territory and prisoners or by area.
///
/// FILE is a game in SGF, of which the main line is played and its captures are counted, or a board of characters.
/// Dead chains and chains in seki are those that are given: the command does not find out what lives. If the file has
/// a result that is a count (RE), it is compared, and the exit status is 1 if it is another one.
#[derive(Debug, clap::Args)]
pub struct ScoreArgs {
    /// File of the game
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Count the position after this move of the main line instead of the last one
    #[arg(long = "move", value_name = "N")]
    number: Option<usize>,
    /// A stone of each dead chain, such as d4,e5
    #[arg(long, value_name = "POINTS", value_delimiter = ',')]
    dead: Vec<String>,
    /// A stone of each chain in seki: its eyes are no territory; they count by area
    #[arg(long, value_name = "POINTS", value_delimiter = ',')]
    seki: Vec<String>,
    /// Stones that black and white had captured before the file begins, such as 3,2
    #[arg(long, value_name = "BLACK,WHITE", value_parser = prisoners)]
    prisoners: Option<[u32; 2]>,
    /// What white gets, in whole or half points; without it, the KM of the file, or 0
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true, value_parser = komi)]
    komi: Option<i32>,
    /// What is counted; without it, what the RU of the file says, or territory
    #[arg(long, value_name = "RULES")]
    rules: Option<RulesWord>,
    /// Print a JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// What is counted.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum RulesWord {
    /// Territory and prisoners, as Japanese rules do
    Territory,
    /// Territory and living stones, as Chinese rules do
    Area,
}

fn komi(text: &str) -> Result<i32, String> {
    read_half_points(text).ok_or_else(|| "expected a number of whole or half points, such as 6.5".to_owned())
}

/// Most prisoners that can be given.
const MOST_PRISONERS: u32 = 100_000;

fn prisoners(text: &str) -> Result<[u32; 2], String> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&count| count <= MOST_PRISONERS);
    let both = text.split_once(',').and_then(|(black, white)| Some([number(black)?, number(white)?]));
    both.ok_or_else(|| format!("expected two numbers of stones up to {MOST_PRISONERS}, such as 3,2"))
}

/// A position to be counted.
struct FinishedGame {
    position: LargePosition,
    moves: usize,
    captured: [u32; 2],
    says: SgfScoring,
}

impl FinishedGame {
    /// The game of a text, up to a move if its number is given.
    fn read(text: &str, number: Option<usize>, has_komi: bool) -> Result<FinishedGame, GoReadError> {
        let rules = GoRules::default();
        if !is_sgf(text) {
            let position = parse_position(text, rules)?;
            return Ok(FinishedGame { position, moves: 0, captured: [0; 2], says: SgfScoring::default() });
        }
        let nodes = main_line(text)?;
        let first = |error: GoReadError| error.of_node(text, 0);
        let mut replay = GoReplay::<LargePosition>::new(&nodes[0], rules).map_err(first)?;
        replay.follow(&nodes[0]).map_err(first)?;
        let mut says = SgfScoring::of_node(&nodes[0], has_komi)?;
        for (place, node) in nodes.iter().enumerate().skip(1) {
            if number.is_some_and(|number| replay.move_count() >= number) {
                // The result is that of the whole game.
                says.result = None;
                break;
            }
            replay.follow(node).map_err(|error| error.of_node(text, place))?;
        }
        let (moves, captured) = (replay.move_count(), replay.captured());
        Ok(FinishedGame { position: replay.position().clone(), moves, captured, says })
    }
}

/// Runs `morpion tactics score`.
///
/// # Errors
/// A file that cannot be read, marks that contradict the position, or output that cannot be written.
pub fn run(args: &ScoreArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let (name, text) = read(&args.file)?;
    let game = FinishedGame::read(&text, args.number, args.komi.is_some());
    let game = game.map_err(|error| anyhow!("{name}: {error}"))?;
    if let Some(number) = args.number {
        let moves = counted(game.moves, "move");
        ensure!(game.moves >= number, "{name}: there is no move {number}: the main line has {moves}");
    }
    let chains = game.position.chains();
    let size = chains.size();
    let points = |names: &[String]| names.iter().map(|name| point_of(size, name)).collect::<Result<PointSet, _>>();
    let marks = StoneMarks { dead: points(&args.dead)?, seki: points(&args.seki)? };
    let rules = args.rules.map(|word| match word {
        RulesWord::Territory => ScoringRules::Territory,
        RulesWord::Area => ScoringRules::Area,
    });
    let before = args.prisoners.unwrap_or_default();
    let terms = ScoreTerms {
        rules: rules.or(game.says.rules).unwrap_or_default(),
        komi: args.komi.or(game.says.komi).unwrap_or_default(),
        captured: [0, 1].map(|side| game.captured[side].saturating_add(before[side])),
    };
    let found = score(chains, &marks, terms)?;
    let view = GoScoreView::of(size, &found, &game.says);
    let code = if view.agrees == Some(false) { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    if args.json {
        let mut value = serde_json::json!(view);
        value["version"] = JSON_VERSION.into();
        writeln!(out, "{value}")?;
    } else {
        write!(out, "{}", drawn(chains, &found))?;
        write_figures(&found, &view, out)?;
    }
    Ok(code)
}

/// The board with its territory.
fn drawn(chains: &Chains, found: &GoScore) -> String {
    board_text(chains.size(), |point| {
        let is_dead = found.dead.iter().any(|stones| stones.contains(point));
        match (chains.colour(point), found.owner(point)) {
            (Some(Side::First), _) => {
                if is_dead {
                    'x'
                } else {
                    'X'
                }
            }
            (Some(Side::Second), _) => {
                if is_dead {
                    'o'
                } else {
                    'O'
                }
            }
            (None, Some(Side::First)) => '+',
            (None, Some(Side::Second)) => '-',
            (None, None) => '.',
        }
    })
}

fn write_figures(found: &GoScore, view: &GoScoreView, out: &mut dyn Write) -> anyhow::Result<()> {
    let GoScoreView { black, white, .. } = view;
    writeln!(out, "+ black's territory, - white's, x and o dead stones")?;
    writeln!(out, "{:<18}{:>8}{:>8}", "", "black", "white")?;
    let mut row =
        |what: &str, of_black: String, of_white: String| writeln!(out, "{what:<18}{of_black:>8}{of_white:>8}");
    let text = |count: u32| count.to_string();
    row("territory", text(black.territory), text(white.territory))?;
    match view.rules {
        ScoringRules::Territory => {
            row("captured", text(black.captured), text(white.captured))?;
            row("dead stones taken", text(black.dead), text(white.dead))?;
        }
        ScoringRules::Area => row("living stones", text(black.living), text(white.living))?,
    }
    row("komi", String::new(), points_text(found.terms.komi.into()))?;
    row("total", points_text(found.total(Side::First)), points_text(found.total(Side::Second)))?;
    if view.dame + view.seki > 0 {
        let seki = if view.seki > 0 { format!(", {} in seki", view.seki) } else { String::new() };
        writeln!(out, "nobody's          {}{seki}", counted(view.dame as usize, "neutral point"))?;
    }
    writeln!(out, "result            {} by {}", view.result, view.rules.name())?;
    if let Some(result) = &view.file_result {
        let remark = match view.agrees {
            Some(true) => "the same",
            Some(false) => "another one",
            None => "not decided by a count",
        };
        writeln!(out, "in the file       {}: {remark}", plain(result))?;
    }
    Ok(())
}
