//! The two sides of a match: the player of this program, or a program that speaks the protocol of the game.

use super::game::{MatchGame, RivalProgram};
use crate::cli::grid_input::plain;
use crate::cli::machine::thread_seconds;
use crate::cli::values;
use crate::core::game::{Budget, Level, Player, Value};
use crate::core::quantity::parse_duration;
use anyhow::{Context, anyhow, bail, ensure};
use std::time::Instant;

/// Memory of a player's table.
const MEMORY: u64 = 32 << 20;
/// Least seconds that a move of a match gets.
pub const LEAST_SECONDS: f64 = 0.001;
/// The name of this program's own player.
const OWN: &str = "morpion";

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
pub enum Rival<G: MatchGame> {
    /// The player of this program, with limits of its own.
    Own(Box<G::Own>, OwnLimits),
    /// A program, which is started for each game.
    Program(String),
}

/// Limits of a side that go before those of the match.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnLimits {
    nodes: Option<u64>,
    seconds: Option<f64>,
}

impl<G: MatchGame> Rival<G> {
    /// The side of a name: `morpion`, `morpion:LEVEL`, `morpion:` with settings as [`MatchGame::OWN_SETTINGS`] says,
    /// or a program.
    ///
    /// # Errors
    /// Settings that cannot be, or no memory.
    pub fn named(name: &str) -> anyhow::Result<Rival<G>> {
        let settings = match name.split_once(':') {
            Some((OWN, settings)) => settings,
            _ if name == OWN => "",
            _ => return Ok(Rival::Program(name.to_owned())),
        };
        let (mut player, mut limits) = (G::own_player(MEMORY)?, OwnLimits::default());
        for setting in settings.split(',').filter(|setting| !setting.is_empty()) {
            set::<G>(&mut player, &mut limits, setting).with_context(|| format!("'{}'", plain(name)))?;
        }
        Ok(Rival::Own(Box::new(player), limits))
    }

    /// Gets ready for a game from a position with its moves and komi.
    ///
    /// # Errors
    /// The program cannot be started, or does not take the board.
    pub fn start(&mut self, game: (&G, &[G::Move], Value), limit: PerMove) -> anyhow::Result<SeatedRival<'_, G>> {
        Ok(match self {
            Rival::Own(player, own) => {
                player.forget();
                G::prepare(player, game.0, game.2)?;
                let seconds = own.seconds.unwrap_or(limit.seconds);
                SeatedRival::Own(&mut **player, PerMove { seconds, nodes: own.nodes.or(limit.nodes), ..limit })
            }
            Rival::Program(path) => SeatedRival::Program(G::start_program(path, game, limit)?),
        })
    }
}

/// Does what a setting of this program's player says.
fn set<G: MatchGame>(player: &mut G::Own, limits: &mut OwnLimits, setting: &str) -> anyhow::Result<()> {
    let (name, text) = setting.split_once('=').unwrap_or(("level", setting));
    match name {
        "level" => {
            let level = text.parse().ok().and_then(|number| Level::new(number).ok());
            player.set_level(level.with_context(|| format!("'{}': levels are 1 to 10, as in {OWN}:5", plain(text)))?);
        }
        "nodes" => {
            limits.nodes = Some(values::nodes(text).map_err(|why| anyhow!("nodes={}: {why}", plain(text)))?);
        }
        "time" => {
            let seconds = parse_duration(text).map_err(|why| anyhow!("time={}: {why}", plain(text)))?;
            limits.seconds = Some(seconds.max(LEAST_SECONDS));
        }
        _ => {
            if !G::set(player, name, text)? {
                bail!("'{}' is not {}", plain(setting), G::OWN_SETTINGS);
            }
        }
    }
    Ok(())
}

/// A side in a game.
pub enum SeatedRival<'r, G: MatchGame> {
    /// The player of this program.
    Own(&'r mut G::Own, PerMove),
    /// A program that runs.
    Program(Box<dyn RivalProgram<G>>),
}

impl<G: MatchGame> SeatedRival<'_, G> {
    /// The move of this side; `last` is the other's move before, if one was made since the opening.
    ///
    /// # Errors
    /// Why there is none: such a game is lost.
    pub fn choose(&mut self, position: &G, last: Option<G::Move>) -> anyhow::Result<G::Move> {
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
            SeatedRival::Program(program) => program.choose(position, last)?,
        };
        let mut legal = Vec::new();
        position.moves(&mut legal);
        ensure!(legal.contains(&m), "the move {} is not legal", position.name(m));
        Ok(m)
    }
}
