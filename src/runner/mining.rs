//! Patterns that are mined from games, as a job's units: each game is searched by itself, and the last unit puts the
//! patterns of all games together, as if they had been played one after the other.

use super::cpu::{milliseconds_since, thread_seconds};
use super::numbered::parts::{read_part, write_part};
use super::numbered::unit::{PlayerMaker, UnitClock, UnitPlayer};
use crate::files::{Keep, replace};
use crate::jobs::mining::{MineJob, MineRecord, MinedFigures};
use crate::solvers::matches::own::MoveClock;
use crate::tactics::pattern::database::PatternDatabase;
use crate::tactics::pattern::mine::{MinedGame, MinedPatterns};
use std::path::{Path, PathBuf};

/// Name of the file with the patterns in the job's folder.
pub const PATTERNS: &str = "patterns.sgf";

/// Mines the patterns of a job.
struct GameMiner {
    job: MineJob,
    folder: PathBuf,
}

/// Makes what mines the patterns of a job in this folder.
pub fn miners(job: &MineJob, folder: &Path) -> PlayerMaker<MineRecord> {
    let (job, folder) = (job.clone(), folder.to_owned());
    Box::new(move || Ok(Box::new(GameMiner { job: job.clone(), folder: folder.clone() })))
}

impl GameMiner {
    /// Plays a game and searches it. Its patterns are a part of the job, as a database.
    fn search(&self, unit: u64, clock: &UnitClock<'_>) -> Result<MinedFigures, String> {
        let games = self.job.played().map_err(|error| error.to_string())?;
        let game = games.play(unit, &mut || clock.stops()).map_err(|error| error.to_string())?;
        let MinedGame { positions, asked, patterns } = game.ok_or("the game was stopped")?;
        let database = PatternDatabase { entries: patterns, ..PatternDatabase::default() };
        write_part(&self.folder, unit, &database.write())?;
        Ok(MinedFigures::Game { positions, asked, patterns: database.entries.len() as u64 })
    }

    /// Puts the patterns of all games together.
    fn put_together(&self, clock: &UnitClock<'_>) -> Result<MinedFigures, String> {
        let mut all = MinedPatterns::default();
        for game in 0..self.job.games {
            if clock.stops() {
                return Err("it was stopped".to_owned());
            }
            let text: String = read_part(&self.folder, game)?;
            let read = PatternDatabase::read(text.as_bytes()).map_err(|error| format!("game {game}: {error}"))?;
            all.add_game(read.database.entries);
        }
        let database = all.database(self.job.least);
        let written = replace(&self.folder.join(PATTERNS), database.write().as_bytes(), Keep::Durable);
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
}
