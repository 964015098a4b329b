//! A side of a match that this program plays: made from a text such as `morpion`, `morpion:7` or
//! `morpion:level=5,nodes=3000`.

use super::MatchSide;
use super::game::{MatchGame, SettingMeans};
use crate::core::game::{Budget, Level, Player, Value};
use crate::core::quantity::parse_duration;
use crate::core::setting::{BadValue, ValueKind, parse_count};

/// The name of this program's own player.
pub const OWN: &str = "morpion";
/// Memory of a player's table.
pub const PLAYER_MEMORY: u64 = 32 << 20;
/// Memory of the table that openings are judged with.
pub const JUDGE_MEMORY: u64 = 1 << 20;
/// Least seconds that a move of a match gets.
pub const LEAST_SECONDS: f64 = 0.001;

/// What a move may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PerMove {
    /// Most seconds that the move takes.
    pub seconds: f64,
    /// Most nodes, if they are limited.
    pub nodes: Option<u64>,
}

/// Tells how long a move has taken.
pub trait MoveClock {
    /// A move begins.
    fn begin(&self);

    /// Seconds since it began.
    fn seconds(&self) -> f64;

    /// Whether nobody needs the game any more. Then it ends soon, and means nothing.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// The settings of this program's player in the name of a side; nothing if the name is another one's.
pub fn settings_of(name: &str) -> Option<&str> {
    match name.split_once(':') {
        Some((OWN, settings)) => Some(settings),
        _ if name == OWN => Some(""),
        _ => None,
    }
}

/// The player of this program as a side of a match.
pub struct OwnSide<G: MatchGame> {
    player: Box<G::Own>,
    /// Its limits, which go before those of the match.
    seconds: Option<f64>,
    nodes: Option<u64>,
    /// Nodes of all its moves.
    visited: u64,
}

impl<G: MatchGame> OwnSide<G> {
    /// The side of a name, which [`settings_of`] knows as one of this program.
    ///
    /// # Errors
    /// Settings that cannot be, or no memory.
    pub fn named(name: &str, means: SettingMeans<'_>) -> Result<OwnSide<G>, BadValue> {
        if name.chars().any(char::is_control) {
            return Err(BadValue("the name of a player cannot have control characters".to_owned()));
        }
        let Some(settings) = settings_of(name) else {
            return Err(BadValue(format!("'{name}' is not a player of this program: expected {OWN} or {OWN}:5")));
        };
        let player = Box::new(G::own_player(PLAYER_MEMORY)?);
        let mut side = OwnSide { player, seconds: None, nodes: None, visited: 0 };
        for setting in settings.split(',').filter(|setting| !setting.is_empty()) {
            side.set(setting, means).map_err(|why| BadValue(format!("'{name}': {why}")))?;
        }
        Ok(side)
    }

    /// Does what a setting says.
    fn set(&mut self, setting: &str, means: SettingMeans<'_>) -> Result<(), BadValue> {
        let (name, text) = setting.split_once('=').unwrap_or(("level", setting));
        let placed = |why: String| BadValue(format!("{name}={text}: {why}"));
        match name {
            "level" => {
                let level = text.parse().ok().and_then(|number| Level::new(number).ok());
                let level = level.ok_or_else(|| BadValue(format!("'{text}': levels are 1 to 10, as in {OWN}:5")));
                self.player.set_level(level?);
            }
            "nodes" => {
                ValueKind::Count { min: 1 }.check(text).map_err(|why| placed(why.0))?;
                self.nodes = Some(parse_count(text).map_err(|why| placed(why.0))?);
            }
            "time" => {
                let seconds = parse_duration(text).map_err(|why| placed(why.to_string()))?;
                self.seconds = Some(seconds.max(LEAST_SECONDS));
            }
            _ => {
                if !G::set(&mut self.player, name, text, means)? {
                    return Err(BadValue(format!("'{setting}' is not {}", G::OWN_SETTINGS)));
                }
            }
        }
        Ok(())
    }

    /// Gets ready for a game from a position, in which white gets `komi` beside its score: it remembers nothing of
    /// other games.
    ///
    /// # Errors
    /// It does not play this board or under these rules.
    pub fn prepare(&mut self, position: &G, komi: Value) -> Result<(), BadValue> {
        self.player.forget();
        G::prepare(&mut self.player, position, komi)
    }

    /// The side in a game with limits of the match.
    pub fn seated<'s>(&'s mut self, limit: PerMove, clock: &'s dyn MoveClock) -> SeatedOwn<'s, G> {
        let limit = PerMove { seconds: self.seconds.unwrap_or(limit.seconds), nodes: self.nodes.or(limit.nodes) };
        SeatedOwn { side: self, limit, clock }
    }

    /// Nodes of all its moves since the last call.
    pub fn take_visited(&mut self) -> u64 {
        std::mem::take(&mut self.visited)
    }
}

/// The player of this program in a game.
pub struct SeatedOwn<'s, G: MatchGame> {
    side: &'s mut OwnSide<G>,
    limit: PerMove,
    clock: &'s dyn MoveClock,
}

impl<G: MatchGame> MatchSide<G> for SeatedOwn<'_, G> {
    fn choose(&mut self, position: &G, _last: Option<G::Move>) -> Result<G::Move, String> {
        let (clock, limit) = (self.clock, self.limit);
        clock.begin();
        if clock.is_stopped() {
            return Err("the game was stopped".to_owned());
        }
        let mut time = || clock.seconds() / limit.seconds;
        let nodes = limit.nodes.unwrap_or(u64::MAX);
        let mut budget = Budget { depth: u32::MAX, nodes, time: &mut time };
        let chosen = self.side.player.choose(position, &mut budget, &mut |_| {});
        let chosen = chosen.ok_or("no move")?;
        self.side.visited = self.side.visited.saturating_add(chosen.nodes);
        chosen.line.first().copied().ok_or_else(|| "no move".to_owned())
    }
}
