//! `morpion match`: two players of a game against each other, in pairs of games with swapped colours.

mod process;
mod programs;
mod rival;

use self::programs::ProgramGame;
use self::rival::{Rival, RivalClock};
use super::flags::{FlagHelp, SettingFlags};
use super::grid_input::{plain, save};
use super::streams::say;
use crate::core::elo::EloEstimate;
use crate::core::setting::{SettingInfo, ValueKind};
use crate::games::go::large::position::LargePosition;
use crate::games::gomoku::position::GomokuPosition;
use crate::games::reversi::position::ReversiPosition;
use crate::games::tags::GameTags;
use crate::jobs::match_settings::{MATCH_TERMS, MatchSettings};
use crate::jobs::matching::{MatchFigures, MatchJob, MatchTally};
use crate::jobs::reading::FromSettings;
use crate::jobs::setup::matches::{MatchBoard, MatchGameName, MatchSetup};
use crate::solvers::matches::own::JUDGE_MEMORY;
use crate::solvers::matches::{after, game_tags, play_game, play_pair};
use anyhow::{Context, bail, ensure};
use clap::Arg;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Version of the `--json` output.
const JSON_VERSION: u32 = 1;

/// Let two players of Gomoku, Reversi or Go play a match.
///
/// A and B are each morpion, morpion:LEVEL (1 to 10), morpion:SETTINGS, or a program that speaks the protocol of the
/// game: Gomocup for Gomoku, NBoard for Reversi, GTP for Go. SETTINGS are parted by commas: level=N, nodes=N and
/// time=TIME for a move instead of those of the match; in Gomoku and Reversi also weights=FILE; in Gomoku threads=N,
/// without=PART, which switches a part of the search off, and brain=thesis, a simpler player that looks for
/// patterns; in Go seed=N. Games are played in pairs: both begin with the same few moves, which in Gomoku and
/// Reversi are worth about the same to both sides, and each player has black once. A program that makes no legal
/// move in its time has lost the game. Programs of Gomoku are told the nodes of a move, if they are limited. The
/// result is the score of A with its Elo and an interval that holds it in 95 of 100 cases.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The first player
    #[arg(value_name = "A")]
    first: String,
    /// The second player
    #[arg(value_name = "B")]
    second: String,
    #[command(flatten)]
    asked: SettingFlags<MatchSettings>,
    /// Count the time of this program's player in seconds of the processor instead of the clock
    #[arg(long)]
    cpu: bool,
    /// Directory for the games, a file each (SGF; GGF for Reversi on square boards); it is made if it is missing, and
    /// is empty otherwise
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print one JSON object per pair, and one at the end
    #[arg(long)]
    json: bool,
}

/// What of a match goes where.
struct MatchOutput<'o> {
    /// The lines of pairs, and the result.
    out: &'o mut dyn Write,
    json: bool,
    /// Where each game gets a file.
    directory: Option<PathBuf>,
}

impl MatchOutput<'_> {
    /// Saves the game of a number: all its moves from the empty board on, and its tags.
    fn save<G: MatchBoard>(
        &self,
        empty: &G,
        number: u64,
        moves: &[G::Move],
        tags: &GameTags<'_>,
    ) -> anyhow::Result<()> {
        let Some(directory) = &self.directory else { return Ok(()) };
        let position = after(empty, moves);
        let path = directory.join(format!("game{number:06}.{}", position.saved_as()));
        let text = position.saved(empty, moves, tags).trim_end().to_owned() + "\n";
        save(&path, text.as_bytes(), false)
    }
}

/// Makes a directory, or makes sure that it is empty.
fn make_empty(directory: &Path) -> anyhow::Result<()> {
    let name = plain(&directory.display().to_string());
    fs::create_dir_all(directory).with_context(|| format!("{name}: cannot be made"))?;
    let mut entries = fs::read_dir(directory).with_context(|| format!("{name}: cannot be read"))?;
    ensure!(entries.next().is_none(), "{name}: the directory is not empty");
    Ok(())
}

impl FlagHelp for MatchSettings {
    fn heading(info: &SettingInfo) -> &'static str {
        if MATCH_TERMS.iter().any(|row| row.about.name == info.name) { "Match" } else { MatchSetup::heading(info) }
    }

    fn note(info: &SettingInfo) -> String {
        match MATCH_TERMS.iter().find(|row| row.about.name == info.name) {
            Some(row) => {
                let usual = MatchSettings::usual(info.name);
                let usual = usual.map(|text| if info.kind == ValueKind::Seconds { text + "s" } else { text });
                format!("[default: {}]", usual.unwrap_or(row.about.unset.to_owned()))
            }
            None => MatchSetup::note(info),
        }
    }

    fn arranged(info: &SettingInfo, flag: Arg) -> Arg {
        match info.name {
            "komi" => flag.allow_negative_numbers(true),
            "sprt" => flag.allow_hyphen_values(true),
            _ => MatchSetup::arranged(info, flag),
        }
    }
}

/// Plays the match.
///
/// # Errors
/// A player that cannot be had, a position or rules that are not for matches, or output that cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let Args { first, second, asked, cpu, output: directory, json } = args;
    let job = MatchSettings::job(&asked.given, [first, second])?;
    if let Some(directory) = &directory {
        make_empty(directory)?;
    }
    let output = MatchOutput { out, json, directory };
    match job.game {
        MatchGameName::Gomoku => play_match::<GomokuPosition>(&job, cpu, output)?,
        MatchGameName::Reversi => play_match::<ReversiPosition>(&job, cpu, output)?,
        MatchGameName::Go => play_match::<LargePosition>(&job, cpu, output)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn play_match<G: ProgramGame + MatchBoard>(
    job: &MatchJob,
    of_processor: bool,
    output: MatchOutput<'_>,
) -> anyhow::Result<()> {
    let (empty, title) = job.begin::<G>()?;
    let (limit, komi, clock) = (job.per_move(), job.komi, RivalClock::new(of_processor));
    let [mut a, mut b] = [Rival::<G>::named(&job.players[0])?, Rival::<G>::named(&job.players[1])?];
    for rival in [&mut a, &mut b] {
        // What cannot be started at all is an error, not a lost match.
        rival.start((&empty, &[], komi), limit, &clock)?;
    }
    let mut judge = G::own_player(JUDGE_MEMORY)?;
    G::prepare(&mut judge, &empty, komi)?;
    let names = [plain(&job.players[0]), plain(&job.players[1])];
    if !output.json {
        writeln!(output.out, "{title}\nA is {}, B is {}", names[0], names[1])?;
    }
    let mut tally = MatchTally::new(job.sprt);
    for pair in 0..job.pairs {
        let Some(opening) = G::opening(&mut judge, &empty, job.seed, pair) else {
            let (width, height) = empty.size();
            bail!("no even opening was found on the {width}x{height} board: it is too small for a match");
        };
        let played = play_pair(opening, |opening, black| {
            let start = after(&empty, opening);
            let game = (&start, opening, komi);
            let (mut one, mut other) = (a.start(game, limit, &clock)?, b.start(game, limit, &clock)?);
            let played = play_game::<G>([&mut one, &mut other], black, (&start, komi));
            if let Some(reason) = &played.failure {
                // The one that made no move is the one that got nothing.
                let loser = usize::from(played.half_points > 0);
                say!("morpion: {} has lost a game: {}", names[loser], plain(reason));
            }
            anyhow::Ok(played)
        })?;
        tally.add([played.games[0].half_points, played.games[1].half_points]);
        let (opening, half_points) = (&played.opening, played.half_points());
        let moves: String = opening.iter().map(|&m| empty.name(m)).collect();
        let plies: Vec<usize> = played.games.iter().map(|game| opening.len() + game.moves.len()).collect();
        let games = played.games.each_ref().map(|game| [&opening[..], &game.moves].concat());
        for (black, (moves, game)) in games.iter().zip(&played.games).enumerate() {
            let tags = game_tags(&job.players, black, komi, game.half_points, game.failure.is_some());
            output.save(&empty, 2 * pair + black as u64, moves, &tags)?;
        }
        if output.json {
            let names = |moves: &[G::Move]| moves.iter().map(|&m| empty.name(m)).collect::<Vec<_>>();
            let object = serde_json::json!({
                "version": JSON_VERSION, "command": "match", "pair": pair, "opening": moves,
                "half_points": half_points, "plies": plies, "games": games.each_ref().map(|moves| names(moves)),
            });
            writeln!(output.out, "{object}")?;
        } else {
            let points = half_points as f64 / 2.0;
            writeln!(
                output.out,
                "pair {:<4} {points:.1} of 2  plies {:>3} {:>3}  {moves}",
                pair + 1,
                plies[0],
                plies[1]
            )?;
        }
        output.out.flush()?;
        if tally.is_decided() {
            break;
        }
    }
    report(&tally.figures(), output.json, output.out)
}

fn report(figures: &MatchFigures, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    if !json {
        return Ok(writeln!(out, "{}", figures.lines().join("\n"))?);
    }
    let MatchFigures { games: [won, drawn, lost], pairs, score, elo, test } = figures;
    let EloEstimate { elo, interval: (low, high) } = elo;
    let object = serde_json::json!({
        "version": JSON_VERSION, "command": "match", "won": won, "drawn": drawn, "lost": lost,
        "pairs": pairs, "score": score, "elo": elo, "elo_interval": [low, high],
        "log_likelihood_ratio": test.map(|test| test.ratio), "decision": test.map(|test| test.text()),
    });
    writeln!(out, "{object}")?;
    Ok(())
}
