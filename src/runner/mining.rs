//! Patterns that are mined from games, as a job's units: each game is searched by itself, and the last unit puts the
//! patterns of all games together, as if they had been played one after the other.

use super::cpu::{milliseconds_since, thread_seconds};
use super::numbered::parts::{packed_part, read_part, unpacked_part};
use super::numbered::portable::{PlayedKind, PortableJob, RecordCheck};
use super::numbered::unit::{PlayerMaker, UnitClock, UnitPlayer};
use crate::files::{Keep, replace};
use crate::jobs::mine_settings::{MOST_GAMES, SIZES};
use crate::jobs::mining::{MineJob, MineRecord, MinedFigures};
use crate::solvers::matches::own::MoveClock;
use crate::tactics::pattern::database::PatternDatabase;
use crate::tactics::pattern::mine::{MinedGame, MinedPatterns, PLAYER_MEMORY};
use std::path::{Path, PathBuf};

/// Name of the file with the patterns in the job's folder.
pub const PATTERNS: &str = "patterns.sgf";

/// Memory of a reading for each node, and of what a worker has beside that and its player: round estimates.
const NODE_MEMORY: u64 = 256;
const REST: u64 = 16 << 20;

/// Mines the patterns of a job.
struct GameMiner {
    job: MineJob,
    /// The job's folder, where this process has it.
    folder: Option<PathBuf>,
    /// What the last game leaves.
    part: Option<Vec<u8>>,
}

fn miners_in(job: &MineJob, folder: Option<PathBuf>) -> PlayerMaker<MineRecord> {
    let job = job.clone();
    Box::new(move || Ok(Box::new(GameMiner { job: job.clone(), folder: folder.clone(), part: None })))
}

/// Makes what mines the patterns of a job in this folder.
pub fn miners(job: &MineJob, folder: &Path) -> PlayerMaker<MineRecord> {
    miners_in(job, Some(folder.to_owned()))
}

impl GameMiner {
    /// Plays a game and searches it. Its patterns are a part of the job, as a database.
    fn search(&mut self, unit: u64, clock: &UnitClock<'_>) -> Result<MinedFigures, String> {
        let games = self.job.played().map_err(|error| error.to_string())?;
        let game = games.play(unit, &mut || clock.stops()).map_err(|error| error.to_string())?;
        let MinedGame { positions, asked, patterns } = game.ok_or("the game was stopped")?;
        let database = PatternDatabase { entries: patterns, ..PatternDatabase::default() };
        self.part = Some(packed_part(&database.write()));
        Ok(MinedFigures::Game { positions, asked, patterns: database.entries.len() as u64 })
    }

    /// Puts the patterns of all games together.
    fn put_together(&self, clock: &UnitClock<'_>) -> Result<MinedFigures, String> {
        let folder = self.folder.as_deref().ok_or("the patterns of the games are not here")?;
        let mut all = MinedPatterns::default();
        for game in 0..self.job.games {
            if clock.stops() {
                return Err("it was stopped".to_owned());
            }
            let text: String = read_part(folder, game)?;
            let read = PatternDatabase::read(text.as_bytes()).map_err(|error| format!("game {game}: {error}"))?;
            all.add_game(read.database.entries);
        }
        let database = all.database(self.job.least);
        let written = replace(&folder.join(PATTERNS), database.write().as_bytes(), Keep::Durable);
        written.map_err(|error| error.to_string())?;
        Ok(MinedFigures::Whole { patterns: all.len() as u64, kept: database.entries.len() as u64 })
    }
}

impl UnitPlayer<MineRecord> for GameMiner {
    fn play(&mut self, unit: u64, clock: &UnitClock<'_>) -> Result<MineRecord, String> {
        let began = thread_seconds();
        clock.begin();
        let found = if unit < self.job.games { self.search(unit, clock) } else { self.put_together(clock) }?;
        Ok(MineRecord { found, milliseconds: milliseconds_since(began) })
    }
    fn take_part(&mut self) -> Option<Vec<u8>> {
        self.part.take()
    }
}

impl PortableJob for MineJob {
    const KIND: PlayedKind = PlayedKind::Mine;

    fn memory(&self) -> u64 {
        self.nodes.saturating_mul(NODE_MEMORY).saturating_add(PLAYER_MEMORY + REST)
    }

    /// The last unit needs the patterns of all games.
    fn is_portable(&self, unit: u64) -> bool {
        unit < self.games
    }

    fn validate(&self) -> Result<(), String> {
        let MineJob { games, size, playouts, least, .. } = self;
        let is_asked = (1..=MOST_GAMES).contains(games) && SIZES.contains(&u64::from(*size));
        if is_asked && *playouts > 0 && *least > 0 { Ok(()) } else { Err("no such patterns are mined".to_owned()) }
    }

    fn portable_players(&self) -> PlayerMaker<MineRecord> {
        miners_in(self, None)
    }

    /// The patterns are read as they were when they were written. Whether they hold is not looked at.
    fn checker(&self) -> Result<RecordCheck<MineRecord>, String> {
        let most = 2 * u64::from(self.size) * u64::from(self.size);
        Ok(Box::new(move |_, record, part| {
            let MinedFigures::Game { positions, patterns, .. } = record.found else {
                return Err("its outcome is not one of a game".to_owned());
            };
            let text: Option<String> = part.and_then(unpacked_part);
            let text = text.ok_or("it shows no patterns")?;
            let database =
                PatternDatabase::read(text.as_bytes()).map_err(|error| format!("its patterns: {error}"))?;
            if positions > most || database.database.entries.len() as u64 != patterns {
                return Err("its figures are not those of its game".to_owned());
            }
            Ok(())
        }))
    }

    fn timeless(record: MineRecord) -> MineRecord {
        MineRecord { milliseconds: 0, ..record }
    }
}
