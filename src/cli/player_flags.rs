//! What every command with a player asks for: strength, budget of a move, memory. And what a move is worth, in words.

use super::values;
use crate::core::game::{Budget, Chosen, Level, Value};
use crate::core::quantity::{parse_bytes, parse_duration};
use crate::solvers::gomoku::brain::GomokuBrain;
use crate::solvers::matches::game::player_threads;
use crate::solvers::solvable::Playable;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::time::Instant;

/// Least seconds of a move.
pub const LEAST_SECONDS: f64 = 0.001;

/// The defaults of a command.
pub trait PlayerDefaults: Debug {
    /// Most time for a move.
    const TIME: &'static str;
    /// Memory of the player.
    const MEMORY: &'static str;
}

/// Strength, budget and memory of a player.
#[derive(Debug, clap::Args)]
pub struct PlayerFlags<D: PlayerDefaults + Send + Sync + 'static> {
    /// How strong the machine plays: 1 to 10
    #[arg(long, value_name = "N", default_value = "10", value_parser = level)]
    pub level: Level,
    /// Most time for a move
    #[arg(long, value_name = "TIME", default_value = D::TIME, value_parser = parse_duration)]
    time: f64,
    /// Most nodes for a move, in Go playouts; then, with time enough, the same games give the same moves
    #[arg(long, visible_alias = "playouts", value_name = "N", value_parser = values::nodes)]
    nodes: Option<u64>,
    /// Memory for what is known of positions
    #[arg(long, value_name = "SIZE", default_value = D::MEMORY, value_parser = parse_bytes)]
    pub memory: u64,
    #[arg(skip)]
    defaults: PhantomData<D>,
}

impl<D: PlayerDefaults + Send + Sync + 'static> PlayerFlags<D> {
    /// What a move may take.
    pub fn limits(&self) -> MoveLimits {
        MoveLimits { seconds: self.time, nodes: self.nodes.unwrap_or(u64::MAX), depth: u32::MAX }
    }
}

/// What a move may take.
#[derive(Debug, Clone, Copy)]
pub struct MoveLimits {
    /// Seconds of the clock.
    pub seconds: f64,
    /// Nodes, in Go playouts.
    pub nodes: u64,
    /// Plies that are searched full width.
    pub depth: u32,
}

impl MoveLimits {
    /// What a search finds that begins now; `stop` tells that it is to end.
    pub fn spend<T>(self, stop: &mut dyn FnMut() -> bool, search: impl FnOnce(&mut Budget<'_>) -> T) -> T {
        let (began, seconds) = (Instant::now(), self.seconds.max(LEAST_SECONDS));
        let mut time = || if stop() { 1.0 } else { began.elapsed().as_secs_f64() / seconds };
        search(&mut Budget { depth: self.depth, nodes: self.nodes, time: &mut time })
    }
}

/// A level as a flag has it.
///
/// # Errors
/// It is not 1 to 10.
pub fn level(text: &str) -> Result<Level, String> {
    let number = text.parse().map_err(|_| "levels are 1 to 10".to_owned())?;
    Level::new(number).map_err(|error| error.to_string())
}

/// Threads of the player of Gomoku as a flag has them.
///
/// # Errors
/// It is no number, or not one that a search can have.
pub fn threads(text: &str) -> Result<usize, String> {
    player_threads(text).map_err(|why| why.0)
}

/// A player of Gomoku as a flag has it.
///
/// # Errors
/// There is none of this name.
pub fn brain(text: &str) -> Result<GomokuBrain, String> {
    GomokuBrain::named(text).ok_or_else(|| {
        let names = GomokuBrain::NAMES.map(|name| name.value);
        format!("expected {}", names.join(" or "))
    })
}

/// What a move is worth to the side that makes it, in words.
pub fn worth<G: Playable>(chosen: &Chosen<G::Move>) -> String {
    if let Some(known) = G::known_worth(chosen.value) {
        return known.to_owned();
    }
    let value = f64::from(chosen.value);
    worth_of(if G::HAS_SCORE { value / f64::from(G::POINT) } else { value }, chosen.decided_in, G::HAS_SCORE)
}

/// The same by the value, in points if the game has a score, and in how many plies the game is decided.
pub fn worth_of(value: f64, decided_in: Option<u32>, has_score: bool) -> String {
    let points = value.abs().trunc();
    match decided_in {
        Some(_) if value == 0.0 => "a draw".to_owned(),
        Some(_) if has_score && value > 0.0 => format!("wins by {points}"),
        Some(_) if has_score => format!("loses by {points}"),
        Some(plies) if value > 0.0 => format!("wins in {plies} plies"),
        Some(plies) => format!("loses in {plies} plies"),
        None if has_score && value != 0.0 => format!("value {value:+.1}"),
        None => format!("value {value}"),
    }
}

/// By how much a game is won, if it has a score.
pub fn by_points<G: Playable>(value: Value) -> String {
    if G::HAS_SCORE { format!(" by {}", (value / G::POINT).abs()) } else { String::new() }
}
