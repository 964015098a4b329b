//! A game under the NBoard protocol, line by line.
//!
//! The viewer keeps the game: `set game` gives it as GGF, `move` adds to it, and `go` asks for a move, which the
//! engine does not make before the viewer says so.

use crate::cli::lines::{Flow, Interrupted, Interruption, LineSession};
use crate::cli::player_flags::MoveLimits;
use crate::core::game::{Chosen, Game, Player, Value};
use crate::games::reversi::board::ReversiBoard;
use crate::games::reversi::ggf::{move_text, parse_ggf, parse_move};
use crate::games::reversi::position::{ReversiMove, ReversiPosition, Start};
use crate::solvers::player::SearchPlayer;
use std::io::{self, Write};
use std::time::Instant;

/// A game with a viewer.
pub struct NboardSession {
    player: SearchPlayer<ReversiPosition>,
    position: ReversiPosition,
    limits: MoveLimits,
}

impl NboardSession {
    /// A session before its first line: the start of the game.
    pub fn new(player: SearchPlayer<ReversiPosition>, limits: MoveLimits) -> NboardSession {
        NboardSession { player, position: ReversiPosition::new(ReversiBoard::FULL, Start::Standard), limits }
    }

    fn set(&mut self, rest: &str) -> Result<(), String> {
        let (what, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        match what.to_ascii_lowercase().as_str() {
            "depth" => {
                let depth = value.trim().parse::<u32>().ok().filter(|&depth| depth > 0);
                self.limits.depth = depth.ok_or("set depth: expected a number of plies from 1 on")?;
                Ok(())
            }
            "game" => {
                let game = parse_ggf(value).map_err(|why| format!("set game: {why}"))?;
                let mut position = game.start;
                game.moves.into_iter().for_each(|m| {
                    position.play(m);
                });
                self.position = position;
                Ok(())
            }
            // How drawish it is to play, and what others may say.
            "contempt" => Ok(()),
            other => Err(format!("set {}: expected depth, game or contempt", shown(other))),
        }
    }

    fn play(&mut self, rest: &str) -> Result<(), String> {
        let m = parse_move(&self.position, rest).filter(|&m| self.position.is_legal(m));
        let m = m.ok_or_else(|| format!("move {} cannot be played here", shown(rest)))?;
        self.position.play(m);
        Ok(())
    }

    fn go(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let (position, began) = (self.position, Instant::now());
        let player = &mut self.player;
        let chosen = self.limits.spend(&mut || false, |budget| player.choose(&position, budget, &mut |_| {}));
        let Some(chosen) = chosen else {
            return status(out, "the game is over: nobody moves");
        };
        let (m, seconds) = (chosen.line[0], began.elapsed().as_secs_f64());
        writeln!(out, "=== {}/{}/{seconds:.2}", move_text(&position, m), discs(chosen.value))
    }

    /// The best moves with their values: the best one as it is found, and all of them at the end.
    fn hint(&mut self, rest: &str, stop: Interrupted<'_>, out: &mut dyn Write) -> io::Result<()> {
        let Some(count) = rest.trim().parse::<usize>().ok().filter(|&count| count > 0) else {
            return status(out, "hint: expected a number of moves from 1 on");
        };
        let (position, player, limits) = (self.position, &mut self.player, self.limits);
        let mut written = Ok(());
        let mut told = |chosen: &Chosen<ReversiMove>| {
            if written.is_ok() {
                written = line(&position, chosen, out).and_then(|()| out.flush());
            }
        };
        let found = limits.spend(stop, |budget| {
            if count == 1 {
                return player.choose(&position, budget, &mut told).into_iter().collect();
            }
            player.analyse(&position, count, budget, &mut |found| found.iter().take(1).for_each(&mut told))
        });
        written?;
        if found.is_empty() {
            return status(out, "the game is over: there is no move");
        }
        for chosen in &found {
            line(&position, chosen, out)?;
        }
        status(out, "")
    }
}

/// A value in discs.
fn discs(value: Value) -> String {
    format!("{:.2}", f64::from(value) / f64::from(ReversiPosition::POINT))
}

/// A line about a move: its variation, value and depth.
fn line(position: &ReversiPosition, chosen: &Chosen<ReversiMove>, out: &mut dyn Write) -> io::Result<()> {
    let names: String = chosen.line.iter().map(|&m| move_text(position, m)).collect();
    let depth = if chosen.decided_in.is_some() { "100%".to_owned() } else { chosen.depth.to_string() };
    writeln!(out, "search {names} {} 0 {depth}", discs(chosen.value))
}

fn status(out: &mut dyn Write, text: &str) -> io::Result<()> {
    writeln!(out, "{}", format!("status {text}").trim_end())
}

/// A text of the viewer, fit for a message.
fn shown(text: &str) -> String {
    text.chars().take(30).filter(|c| !c.is_control()).collect()
}

impl LineSession for NboardSession {
    const LONGEST: usize = 1 << 16;

    /// A hint ends when anything else is asked for.
    fn interruption(line: &str) -> Interruption {
        if line.trim().is_empty() { Interruption::None } else { Interruption::StopFirst }
    }

    fn line(&mut self, line: &str, stop: Interrupted<'_>, out: &mut dyn Write) -> io::Result<Flow> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let done = match word.to_ascii_lowercase().as_str() {
            "" | "create" => Ok(()),
            "nboard" => {
                writeln!(out, "set myname morpion")?;
                Ok(())
            }
            "set" => self.set(rest.trim()),
            "move" => self.play(rest.trim()),
            "hint" => return self.hint(rest, stop, out).map(|()| Flow::Continue),
            // What comes meanwhile waits: the move is wanted.
            "go" => return self.go(out).map(|()| Flow::Continue),
            "ping" => {
                writeln!(out, "pong {}", shown(rest.trim()))?;
                Ok(())
            }
            "learn" => {
                writeln!(out, "learned")?;
                Ok(())
            }
            "analyze" => Err("games are not analyzed: ask for hints".to_owned()),
            "quit" => return Ok(Flow::End),
            other => Err(format!("'{}' is not a command of the NBoard protocol", shown(other))),
        };
        if let Err(why) = done {
            status(out, &why)?;
        }
        Ok(Flow::Continue)
    }

    fn too_long(&self, why: &str) -> String {
        format!("status {why}")
    }
}
