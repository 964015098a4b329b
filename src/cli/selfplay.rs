//! `morpion selfplay`: games of a player against itself, to learn from.

use super::flags::SettingFlags;
use super::grid_input::plain;
use super::positions::AskedPosition;
use super::streams::say;
use super::values;
use super::weights::{reversi_estimate, weights};
use crate::core::quantity::grouped;
use crate::games::reversi::board::ReversiBoard;
use crate::games::reversi::weights::PatternWeights;
use crate::jobs::setup::gomoku::GomokuSetup;
use crate::solvers::gomoku::learning::games::GamesHead;
use crate::solvers::gomoku::learning::selfplay::play_game;
use crate::solvers::gomoku::player::GomokuPlayer;
use crate::solvers::learning::GamesFile;
use crate::solvers::reversi::learning::games::ReversiGamesHead;
use crate::solvers::reversi::learning::selfplay::ReversiLearningPlayer;
use anyhow::{Context, anyhow, bail, ensure};
use crossbeam_channel::bounded;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory of each thread's table.
const MEMORY: u64 = 16 << 20;
/// Longest line of a file of games, in bytes.
const LONGEST: u64 = 1 << 14;
/// Games between two messages.
const TOLD: u64 = 1000;

/// Let a player play against itself, and keep the games to learn from (see morpion tune).
///
/// Each game begins with random stones that are not decided, and has a line in FILE with its moves and their values.
/// A file that is there already is continued: a game depends on the settings and its number alone, and is played
/// once.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    game: SelfplayGame,
}

/// One line per game.
#[derive(Debug, clap::Subcommand)]
enum SelfplayGame {
    /// Gomoku: rows of three to five on boards up to 20x20
    Gomoku(SelfplayOfGomoku),
    /// Reversi on 8x8
    Reversi(SelfplayOfReversi),
}

/// What the games of all kinds are made by.
#[derive(Debug, clap::Args)]
struct SelfplayOf {
    /// File of games, begun or continued
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Number of games in the file at the end
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=4_000_000))]
    games: u64,
    /// Decides the openings
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// File of weights to play with, or by-hand; the program has weights of its own
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
    /// Number of threads that play
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: u64,
}

#[derive(Debug, clap::Args)]
struct SelfplayOfGomoku {
    #[command(flatten)]
    of: SelfplayOf,
    #[command(flatten)]
    setup: SettingFlags<GomokuSetup>,
    /// Most nodes for a move
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = values::nodes)]
    nodes: u64,
}

#[derive(Debug, clap::Args)]
struct SelfplayOfReversi {
    #[command(flatten)]
    of: SelfplayOf,
    /// Plies that are searched for a move, before the last twelve moves, which are played perfectly
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: u32,
}

/// Plays the games.
///
/// # Errors
/// A file with other games or of another kind, settings that are not for games against itself, no memory.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match args.game {
        SelfplayGame::Gomoku(asked) => play_gomoku(asked, out),
        SelfplayGame::Reversi(asked) => play_reversi(&asked, out),
    }
}

fn play_gomoku(asked: SelfplayOfGomoku, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let SelfplayOfGomoku { of, setup, nodes } = asked;
    let (empty, title) = AskedPosition::of(setup)?.first()?;
    if empty.stones().next().is_some() {
        bail!("--position cannot be used here: the games begin with openings of their own");
    }
    let (board, rules) = (empty.board(), empty.rules());
    ensure!(
        rules.win() <= board.width().max(board.height()),
        "no row of {} fits on the {board} board: every game would be a draw",
        rules.win()
    );
    let weights = weights(of.weights.as_deref())?;
    let head = GamesHead { board, rules, seed: of.seed, nodes, weights: weights.sum() };
    let mut players = Vec::new();
    for _ in 0..of.threads {
        let mut player = GomokuPlayer::new(MEMORY)?;
        player.set_weights(weights.clone());
        player.prepare(&empty)?;
        players.push(move |number| {
            let game = play_game(&mut player, (board, rules), (head.seed, number), head.nodes);
            game.with_context(|| format!("no opening was found on the {board} board: it is too small"))
        });
    }
    play_games(&of, &head, &title, players, out)
}

fn play_reversi(asked: &SelfplayOfReversi, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let SelfplayOfReversi { of, depth } = asked;
    let estimate = reversi_estimate(of.weights.as_deref())?;
    let weights = estimate.patterns(ReversiBoard::FULL);
    let head = ReversiGamesHead { seed: of.seed, depth: *depth, weights: weights.map_or(0, PatternWeights::sum) };
    let mut players = Vec::new();
    for _ in 0..of.threads {
        let mut player = ReversiLearningPlayer::new(weights, *depth)?;
        players.push(move |number| Ok(player.play_game(head.seed, number)));
    }
    play_games(of, &head, "reversi 8x8", players, out)
}

/// Plays the games that the file lacks, each player on a thread of its own.
fn play_games<F: GamesFile>(
    of: &SelfplayOf,
    head: &F,
    title: &str,
    players: Vec<impl FnMut(u64) -> anyhow::Result<F::Game> + Send>,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let (mut file, done) = open(&of.file, head)?;
    writeln!(out, "{title}\n{} of {} games are there", grouped(done.min(of.games)), grouped(of.games))?;
    out.flush()?;
    let next = AtomicU64::new(done);
    let written: anyhow::Result<()> = std::thread::scope(|scope| {
        let (send, receive) = bounded(64);
        for mut play in players {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= of.games || send.send((number, play(number))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        // Games that were finished before one with a smaller number.
        let mut early = BTreeMap::new();
        let mut number = done;
        for (at, game) in receive {
            early.insert(at, game);
            while let Some(game) = early.remove(&number) {
                let line = head.game_to_line(&game?, number) + "\n";
                file.write_all(line.as_bytes()).with_context(|| cannot("written", &of.file))?;
                number += 1;
                if number % TOLD == 0 {
                    say!("{} of {} games", grouped(number), grouped(of.games));
                }
            }
        }
        Ok(())
    });
    written?;
    file.sync_all().with_context(|| cannot("written", &of.file))?;
    Ok(ExitCode::SUCCESS)
}

fn cannot(what: &str, path: &Path) -> String {
    format!("{}: cannot be {what}", plain(&path.display().to_string()))
}

/// The file, ready for the next game, and the number of games in it. A last line that was cut off is taken away.
fn open<F: GamesFile>(path: &Path, head: &F) -> anyhow::Result<(File, u64)> {
    let name = plain(&path.display().to_string());
    let mut options = OpenOptions::new();
    let mut file = options.read(true).write(true).create(true).truncate(false).open(path).context(name.clone())?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => bail!("{name}: another process writes games to it"),
        // Not every file system has locks.
        Err(TryLockError::Error(_)) | Ok(()) => {}
    }
    let mut lines = GameLines { input: BufReader::new(&file), name: &name, number: 0, whole: 0 };
    match lines.next()? {
        Some(line) => {
            let found = F::read(&line).map_err(|error| anyhow!("{name}, {error}"))?;
            let (found, asked) = (found.to_line(), head.to_line());
            ensure!(found == asked, "{name}: has other games.\nthere:     {found}\nasked for: {asked}");
        }
        None => {
            let length = file.metadata().context(name.clone())?.len();
            let mut begun = Vec::new();
            file.rewind().and_then(|()| (&file).take(LONGEST).read_to_end(&mut begun)).context(name.clone())?;
            // A first line that was cut off, or nothing.
            let line = head.to_line() + "\n";
            ensure!(length < LONGEST && line.as_bytes().starts_with(&begun), "{name}: is not a file of games");
            file.set_len(0)
                .and_then(|()| file.rewind())
                .and_then(|()| file.write_all(line.as_bytes()))
                .context(name)?;
            return Ok((file, 0));
        }
    }
    let mut done = 0;
    while let Some(line) = lines.next()? {
        head.read_game(&line, done).map_err(|error| anyhow!("{name}, line {}: {error}", lines.number))?;
        done += 1;
    }
    let whole = lines.whole;
    file.set_len(whole).and_then(|()| file.seek(SeekFrom::Start(whole))).context(name)?;
    Ok((file, done))
}

/// The whole lines of a file of games.
pub struct GameLines<'n, R> {
    /// What the lines are read from.
    pub input: R,
    /// Its name, for messages.
    pub name: &'n str,
    /// Number of the last line, from 1.
    pub number: u64,
    /// Bytes of all lines so far.
    pub whole: u64,
}

impl<R: BufRead> GameLines<'_, R> {
    /// The next line without its end; nothing at the end of the file, or if the line has no end.
    ///
    /// # Errors
    /// The file cannot be read, a line is too long, or it is not text.
    pub fn next(&mut self) -> anyhow::Result<Option<String>> {
        let (name, mut line) = (self.name, Vec::new());
        let read = self.input.by_ref().take(LONGEST).read_until(b'\n', &mut line);
        let read = read.with_context(|| format!("{name}: cannot be read"))? as u64;
        self.number += 1;
        if line.pop() != Some(b'\n') {
            ensure!(read < LONGEST, "{name}, line {}: is too long for a game", self.number);
            return Ok(None);
        }
        self.whole += read;
        let line = String::from_utf8(line);
        line.map(Some).map_err(|_| anyhow!("{name}, line {}: is not text in UTF-8", self.number))
    }
}
