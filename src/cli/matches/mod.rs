//! `morpion match`: two players of a game against each other, in pairs of games with swapped colours.

mod game;
mod process;
mod rival;
mod setup;

use self::game::MatchGame;
use self::rival::{LEAST_SECONDS, PerMove, Rival};
use self::setup::{MatchSetup, settings_of};
use super::flags::SettingFlags;
use super::grid_input::plain;
use super::gtp::komi;
use super::positions::{AskedPosition, PlayedGo};
use super::streams::say;
use crate::core::game::{Side, Value};
use crate::core::quantity::parse_duration;
use crate::experiment::elo::{EloEstimate, PairScores};
use crate::games::go::large::position::LargePosition;
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::jobs::setup::reversi::ReversiSetup;
use anyhow::bail;
use std::io::Write;
use std::process::ExitCode;

/// Version of the `--json` output.
const JSON_VERSION: u32 = 1;
/// Memory of the table that openings are judged with.
const MEMORY: u64 = 1 << 20;

/// Let two players of Gomoku, Reversi or Go play a match.
///
/// A and B are each morpion, morpion:LEVEL (1 to 10), morpion:SETTINGS, or a program that speaks the protocol of the
/// game: Gomocup for Gomoku, NBoard for Reversi, GTP for Go. SETTINGS are parted by commas: level=N, nodes=N and
/// time=TIME for a move instead of those of the match; in Gomoku also weights=FILE, without=PART, which switches a
/// part of the search off, and brain=thesis, a simpler player that looks for patterns; in Go seed=N. Games are played
/// in pairs: both begin with the same few moves, which in Gomoku and Reversi are worth about the same to both sides,
/// and each player has black once. A program that makes no legal move in its time has lost the game. The result is
/// the score of A with its Elo and an interval that holds it in 95 of 100 cases.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The first player
    #[arg(value_name = "A")]
    first: String,
    /// The second player
    #[arg(value_name = "B")]
    second: String,
    /// Which game is played
    #[arg(long, value_name = "GAME", default_value = "gomoku")]
    game: MatchGameName,
    /// For Go: what white gets beside its area
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true, value_parser = komi)]
    komi: Option<Value>,
    #[command(flatten)]
    setup: SettingFlags<MatchSetup>,
    /// Number of pairs of games
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pairs: u64,
    /// Most time for a move
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_duration)]
    time: f64,
    /// Count the time of this program's player in seconds of the processor instead of the clock
    #[arg(long)]
    cpu: bool,
    /// Most nodes for a move, in Go playouts; then the same seed gives the same games. Programs of Gomoku are told
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Decides the openings
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// End as soon as it is decided (with errors of 5 %) whether A is stronger by E1 Elo or by E0, after ten pairs at
    /// least
    #[arg(long, value_name = "E0,E1", value_parser = hypotheses, allow_hyphen_values = true)]
    sprt: Option<(f64, f64)>,
    /// Print one JSON object per pair, and one at the end
    #[arg(long)]
    json: bool,
}

/// The games by their names on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum MatchGameName {
    /// Rows of three to five
    Gomoku,
    /// Reversi, also called Othello
    Reversi,
    /// Go, area counted
    Go,
}

impl MatchGameName {
    /// All of them.
    const ALL: [MatchGameName; 3] = [MatchGameName::Gomoku, MatchGameName::Reversi, MatchGameName::Go];

    /// The name in messages.
    fn text(self) -> &'static str {
        match self {
            MatchGameName::Gomoku => "gomoku",
            MatchGameName::Reversi => "reversi",
            MatchGameName::Go => "go",
        }
    }
}

/// Two differences in Elo.
fn hypotheses(text: &str) -> Result<(f64, f64), String> {
    let read = |text: &str| text.trim().parse::<f64>().ok().filter(|elo| elo.abs() <= 1000.0);
    let both = text.split_once(',').and_then(|(low, high)| Some((read(low)?, read(high)?)));
    both.filter(|(low, high)| low < high)
        .ok_or("expected two numbers, the smaller one first, such as 0,30".to_owned())
}

/// How a game ended for A, in half points.
struct GameEnd {
    half_points: usize,
    plies: usize,
}

/// Plays the match.
///
/// # Errors
/// A player that cannot be had, a position or rules that are not for matches, or output that cannot be written.
pub fn run(mut args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let given = settings_of(args.game, std::mem::take(&mut args.setup.given))?;
    if args.komi.is_some() && args.game != MatchGameName::Go {
        bail!("--komi is not a setting of {}", args.game.text());
    }
    match args.game {
        MatchGameName::Gomoku => {
            let (empty, title) = AskedPosition::<GomokuSetup>::of_given(given)?.first()?;
            play_match(&args, &empty, &title, out)?;
        }
        MatchGameName::Reversi => {
            let (empty, title) = AskedPosition::<ReversiSetup>::of_given(given)?.first()?;
            play_match(&args, &empty, &title, out)?;
        }
        MatchGameName::Go => {
            let (empty, title) = PlayedGo::asked(given)?.on_any_board()?;
            let title = match args.komi {
                Some(komi) => format!("{title}, komi {:.1}", f64::from(komi) / 10.0),
                None => title,
            };
            play_match::<LargePosition>(&args, &empty, &title, out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn play_match<G: MatchGame>(args: &Args, empty: &G, title: &str, out: &mut dyn Write) -> anyhow::Result<()> {
    let limit = PerMove { seconds: args.time.max(LEAST_SECONDS), of_processor: args.cpu, nodes: args.nodes };
    let komi = args.komi.unwrap_or(0);
    let mut rivals = [Rival::named(&args.first)?, Rival::named(&args.second)?];
    for rival in &mut rivals {
        // What cannot be started at all is an error, not a lost match.
        rival.start((empty, &[], komi), limit)?;
    }
    let mut judge = G::own_player(MEMORY)?;
    G::prepare(&mut judge, empty, komi)?;
    let names = [plain(&args.first), plain(&args.second)];
    if !args.json {
        writeln!(out, "{title}\nA is {}, B is {}", names[0], names[1])?;
    }
    let (mut scores, mut games) = (PairScores::default(), [0u64; 3]);
    for pair in 0..args.pairs {
        let Some(opening) = G::opening(&mut judge, empty, args.seed, pair) else {
            let (width, height) = empty.size();
            bail!("no even opening was found on the {width}x{height} board: it is too small for a match");
        };
        let mut ends = Vec::new();
        for black in 0..2 {
            let end = game(&mut rivals, black, (empty, &opening, komi), limit, &names)?;
            games[2 - end.half_points] += 1;
            ends.push(end);
        }
        let half_points = ends.iter().map(|end| end.half_points).sum();
        scores.add(half_points);
        let names: String = opening.iter().map(|&m| empty.name(m)).collect();
        let plies: Vec<usize> = ends.iter().map(|end| end.plies).collect();
        if args.json {
            let object = serde_json::json!({
                "version": JSON_VERSION, "command": "match", "pair": pair, "opening": names,
                "half_points": half_points, "plies": plies,
            });
            writeln!(out, "{object}")?;
        } else {
            let points = half_points as f64 / 2.0;
            writeln!(out, "pair {:<4} {points:.1} of 2  plies {:>3} {:>3}  {names}", pair + 1, plies[0], plies[1])?;
        }
        out.flush()?;
        if let Some((low, high)) = args.sprt
            && scores.decision(low, high).is_some()
        {
            break;
        }
    }
    report(&scores, games, args.sprt, args.json, out)
}

/// One game; `black` is the player with black, 0 for A.
fn game<G: MatchGame>(
    rivals: &mut [Rival<G>; 2],
    black: usize,
    (empty, opening, komi): (&G, &[G::Move], Value),
    limit: PerMove,
    names: &[String; 2],
) -> anyhow::Result<GameEnd> {
    let mut position = empty.clone();
    for &m in opening {
        position.play(m);
    }
    let [a, b] = rivals;
    let begin = (&position.clone(), opening, komi);
    let mut seated = [a.start(begin, limit)?, b.start(begin, limit)?];
    let (mut last, mut plies) = (None, opening.len());
    let winner = loop {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if moves.is_empty() {
            break match position.black_value().map_or(0, |value| value - komi) {
                0 => None,
                1.. => Some(Side::First),
                _ => Some(Side::Second),
            };
        }
        let side = position.side();
        let at = if side == Side::First { black } else { 1 - black };
        match seated[at].choose(&position, last) {
            Ok(m) => {
                position.play(m);
                (last, plies) = (Some(m), plies + 1);
            }
            Err(reason) => {
                say!("morpion: {} has lost a game: {}", names[at], plain(&format!("{reason:#}")));
                break Some(side.other());
            }
        }
    };
    let half_points = match winner {
        None => 1,
        Some(side) => {
            if (side == Side::First) == (black == 0) {
                2
            } else {
                0
            }
        }
    };
    Ok(GameEnd { half_points, plies })
}

fn report(
    scores: &PairScores,
    [won, drawn, lost]: [u64; 3],
    sprt: Option<(f64, f64)>,
    json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let EloEstimate { elo, interval: (low, high) } = scores.elo();
    let ratio = sprt.map(|(elo0, elo1)| scores.log_likelihood_ratio(elo0, elo1));
    let decision = sprt.map(|(elo0, elo1)| match scores.decision(elo0, elo1) {
        Some(true) => "stronger",
        Some(false) => "not stronger",
        None => "undecided",
    });
    if json {
        let object = serde_json::json!({
            "version": JSON_VERSION, "command": "match", "won": won, "drawn": drawn, "lost": lost,
            "pairs": scores.pairs(), "score": scores.score(), "elo": elo, "elo_interval": [low, high],
            "log_likelihood_ratio": ratio, "decision": decision,
        });
        writeln!(out, "{object}")?;
        return Ok(());
    }
    writeln!(out, "A won {won}, drew {drawn}, lost {lost}: {:.1} %", 100.0 * scores.score())?;
    // Adding 0 takes the sign from what is rounded to nothing.
    let [elo, low, high] = [elo, low, high].map(|elo| elo.round() + 0.0);
    writeln!(out, "A is {elo:.0} Elo stronger (95 %: {low:.0} to {high:.0})")?;
    if let (Some((elo0, elo1)), Some(ratio), Some(decision)) = (sprt, ratio, decision) {
        writeln!(out, "test of {elo1} against {elo0} Elo: {decision} (log-likelihood ratio {ratio:.2})")?;
    }
    Ok(())
}
