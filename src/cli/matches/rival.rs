//! The two sides of a match: the player of this program, or a program that speaks the Gomocup protocol.

use crate::cli::grid_input::plain;
use crate::cli::machine::thread_seconds;
use crate::cli::weights::weights;
use crate::core::game::{Budget, Game, Level, Player, Side};
use crate::core::quantity::parse_duration;
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::gomoku::rules::RowRule;
use crate::solvers::gomoku::player::GomokuPlayer;
use crate::solvers::gomoku::player::selectivity::Selectivity;
use anyhow::{Context, anyhow, bail, ensure};
use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// Memory of a player's table.
const MEMORY: u64 = 32 << 20;
/// Longest line that is read of a program, in bytes.
const LONGEST: u64 = 1 << 16;
/// What a program may take beyond its time before it has lost.
const GRACE: Duration = Duration::from_secs(10);
/// Least seconds that a move of a match gets.
pub const LEAST_SECONDS: f64 = 0.001;
/// The name of this program's own player.
const OWN: &str = "morpion";

/// What can be said of this program's player after `morpion:`.
pub const OWN_SETTINGS: &str =
    "a level or a setting, such as level=5, nodes=3000, time=0.2s, weights=FILE or without=aspiration";

/// What a move may take.
#[derive(Debug, Clone, Copy)]
pub struct PerMove {
    /// Most seconds that the move takes.
    pub seconds: f64,
    /// For this program's player they are seconds of the processor instead of the clock.
    pub of_processor: bool,
    /// Most nodes, if they are limited.
    pub nodes: Option<u64>,
}

/// A side of the match.
pub enum Rival {
    /// The player of this program, with limits of its own.
    Own(Box<GomokuPlayer>, OwnLimits),
    /// A program, which is started for each game.
    Program(String),
}

/// Limits of a side that go before those of the match.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnLimits {
    nodes: Option<u64>,
    seconds: Option<f64>,
}

impl Rival {
    /// The side of a name: `morpion`, `morpion:LEVEL`, `morpion:` with settings as [`OWN_SETTINGS`] says, or a
    /// program.
    ///
    /// # Errors
    /// Settings that cannot be, or no memory.
    pub fn named(name: &str) -> anyhow::Result<Rival> {
        let settings = match name.split_once(':') {
            Some((OWN, settings)) => settings,
            _ if name == OWN => "",
            _ => return Ok(Rival::Program(name.to_owned())),
        };
        let (mut player, mut limits) = (GomokuPlayer::new(MEMORY)?, OwnLimits::default());
        for setting in settings.split(',').filter(|setting| !setting.is_empty()) {
            set(&mut player, &mut limits, setting).with_context(|| format!("'{}'", plain(name)))?;
        }
        Ok(Rival::Own(Box::new(player), limits))
    }

    /// Gets ready for a game from a position.
    ///
    /// # Errors
    /// The program cannot be started, or does not take the board.
    pub fn start(&mut self, position: &GomokuPosition, limit: PerMove) -> anyhow::Result<SeatedRival<'_>> {
        Ok(match self {
            Rival::Own(player, own) => {
                player.forget();
                player.prepare(position)?;
                let seconds = own.seconds.unwrap_or(limit.seconds);
                SeatedRival::Own(player, PerMove { seconds, nodes: own.nodes.or(limit.nodes), ..limit })
            }
            Rival::Program(path) => SeatedRival::Program(RivalProcess::start(path, position, limit)?),
        })
    }
}

/// Does what a setting of this program's player says.
fn set(player: &mut GomokuPlayer, limits: &mut OwnLimits, setting: &str) -> anyhow::Result<()> {
    let (name, text) = setting.split_once('=').unwrap_or(("level", setting));
    match name {
        "level" => {
            let level = text.parse().ok().and_then(|number| Level::new(number).ok());
            player.set_level(level.with_context(|| format!("'{}': levels are 1 to 10, as in {OWN}:5", plain(text)))?);
        }
        "nodes" => {
            let nodes = text.parse().ok().filter(|&nodes| nodes > 0);
            limits.nodes =
                Some(nodes.with_context(|| format!("nodes={}: expected a number from 1 on", plain(text)))?);
        }
        "time" => {
            let seconds = parse_duration(text).map_err(|why| anyhow!("time={}: {why}", plain(text)))?;
            limits.seconds = Some(seconds.max(LEAST_SECONDS));
        }
        "weights" => player.set_weights(weights(Some(text))?),
        "without" => {
            let names = || Selectivity::NAMES.join(", ");
            let is_part = player.parts.switch_off(text);
            ensure!(is_part, "without={}: expected a part of the search: {}", plain(text), names());
        }
        _ => bail!("'{}' is not {OWN_SETTINGS}", plain(setting)),
    }
    Ok(())
}

/// A side in a game.
pub enum SeatedRival<'r> {
    /// The player of this program.
    Own(&'r mut GomokuPlayer, PerMove),
    /// A program that runs.
    Program(RivalProcess),
}

impl SeatedRival<'_> {
    /// The move of this side; `last` is the other's move before, if both have moved in this game.
    ///
    /// # Errors
    /// Why there is none: such a game is lost.
    pub fn choose(&mut self, position: &GomokuPosition, last: Option<GomokuMove>) -> anyhow::Result<GomokuMove> {
        let m = match self {
            SeatedRival::Own(player, limit) => {
                let (began, cpu) = (Instant::now(), limit.of_processor.then(thread_seconds).flatten());
                let mut time = || {
                    let spent = cpu.and_then(|before| Some(thread_seconds()? - before));
                    spent.unwrap_or_else(|| began.elapsed().as_secs_f64()) / limit.seconds
                };
                let nodes = limit.nodes.unwrap_or(u64::MAX);
                let mut budget = Budget { depth: u32::MAX, nodes, time: &mut time };
                let chosen = player.choose(position, &mut budget, &mut |_| {}).context("no move")?;
                *chosen.line.first().context("no move")?
            }
            SeatedRival::Program(process) => process.choose(position, last)?,
        };
        position.check_move(m).with_context(|| format!("the move {} is not legal", position.name(m)))?;
        Ok(m)
    }
}

/// A program that plays one game.
pub struct RivalProcess {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    patience: Duration,
    has_board: bool,
}

impl RivalProcess {
    fn start(path: &str, position: &GomokuPosition, limit: PerMove) -> anyhow::Result<RivalProcess> {
        let mut command = Command::new(path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("{path} cannot be started"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else { bail!("no pipes") };
        let (send, lines) = bounded(64);
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut line = Vec::new();
                match output.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
                    Ok(1..) if send.send(String::from_utf8_lossy(&line).trim().to_owned()).is_ok() => {}
                    _ => break,
                }
            }
        });
        let patience = Duration::from_secs_f64(limit.seconds) + GRACE;
        let mut process = RivalProcess { child, input, lines, patience, has_board: false };
        let (board, rules) = (position.board(), position.rules());
        let answer = if board.width() == board.height() {
            process.ask(&format!("START {}", board.width()))?
        } else {
            process.ask(&format!("RECTSTART {},{}", board.width(), board.height()))?
        };
        if answer != "OK" {
            bail!("{path} does not take the {board} board: {answer}");
        }
        let rule = match rules.rule() {
            RowRule::Free => 0,
            RowRule::Five => 1,
            RowRule::Renju => 4,
            RowRule::Caro => 9,
        };
        let milliseconds = (limit.seconds * 1000.0).max(1.0) as u64;
        let mut infos =
            format!("INFO timeout_turn {milliseconds}\nINFO timeout_match 0\nINFO time_left 2147483647\n");
        infos += &format!("INFO max_memory 0\nINFO game_type 1\nINFO rule {rule}");
        if let Some(nodes) = limit.nodes {
            infos += &format!("\nINFO max_node {nodes}");
        }
        process.say(&infos)?;
        Ok(process)
    }

    fn say(&mut self, text: &str) -> anyhow::Result<()> {
        writeln!(self.input, "{text}").and_then(|()| self.input.flush()).context("the program has ended")
    }

    /// The next line that is an answer.
    fn ask(&mut self, text: &str) -> anyhow::Result<String> {
        self.say(text)?;
        let until = Instant::now() + self.patience;
        loop {
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) if line.is_empty() || line.starts_with("MESSAGE") || line.starts_with("DEBUG") => {}
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) => bail!("no answer in {:.0} s", self.patience.as_secs_f64()),
                Err(RecvTimeoutError::Disconnected) => bail!("the program has ended"),
            }
        }
    }

    fn choose(&mut self, position: &GomokuPosition, last: Option<GomokuMove>) -> anyhow::Result<GomokuMove> {
        let (board, side) = (position.board(), position.side());
        let place = |point: u16| {
            let (x, y) = board.place(point);
            format!("{x},{y}")
        };
        let answer = match last.filter(|_| self.has_board) {
            Some(last) => self.ask(&format!("TURN {}", place(last.0)))?,
            None => {
                // Black and white in turn, as they were played.
                let of = |colour: Side| position.stones().filter(move |stone| stone.1 == colour).map(|stone| stone.0);
                let (mut black, mut white) = (of(Side::First), of(Side::Second));
                let mut text = "BOARD\n".to_owned();
                loop {
                    let (one, other) = (black.next(), white.next());
                    if one.is_none() && other.is_none() {
                        break;
                    }
                    for (point, colour) in
                        one.map(|p| (p, Side::First)).into_iter().chain(other.map(|p| (p, Side::Second)))
                    {
                        text += &format!("{},{}\n", place(point), if colour == side { 1 } else { 2 });
                    }
                }
                self.has_board = true;
                self.ask(&(text + "DONE"))?
            }
        };
        let read = |text: &str| text.trim().parse::<u8>().ok();
        let point = answer.split_once(',').and_then(|(x, y)| board.point(read(x)?, read(y)?));
        let shown: String = answer.chars().take(60).filter(|c| !c.is_control()).collect();
        point.map(GomokuMove).ok_or_else(|| anyhow!("the answer '{shown}' is not a point of the board"))
    }
}

impl Drop for RivalProcess {
    fn drop(&mut self) {
        // It may end by itself; it is not waited for.
        let _ = self.say("END");
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
