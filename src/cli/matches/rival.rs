//! The two sides of a match: the player of this program, or a program that speaks the protocol of the game.

use super::programs::{ProgramGame, RivalProgram};
use crate::cli::machine::thread_seconds;
use crate::cli::weights::weights_file;
use crate::core::game::Value;
use crate::runner::parallel::together;
use crate::solvers::matches::MatchSide;
use crate::solvers::matches::game::SettingMeans;
use crate::solvers::matches::own::{MoveClock, OwnSide, PerMove, SeatedOwn, settings_of};
use std::cell::Cell;
use std::time::Instant;

/// A side of the match.
pub enum Rival<G: ProgramGame> {
    /// The player of this program.
    Own(Box<OwnSide<G>>),
    /// A program, which is started for each game.
    Program(String),
}

impl<G: ProgramGame> Rival<G> {
    /// The side of a name: that of a player of this program, or of a program.
    ///
    /// # Errors
    /// Settings that cannot be, or no memory.
    pub fn named(name: &str) -> anyhow::Result<Rival<G>> {
        let means = SettingMeans { files: &weights_file, together: Ok(together) };
        Ok(match settings_of(name) {
            Some(_) => Rival::Own(Box::new(OwnSide::named(name, means)?)),
            None => Rival::Program(name.to_owned()),
        })
    }

    /// Gets ready for a game from a position with its moves and komi.
    ///
    /// # Errors
    /// The program cannot be started, or does not take the board.
    pub fn start<'r>(
        &'r mut self,
        game: (&G, &[G::Move], Value),
        limit: PerMove,
        clock: &'r dyn MoveClock,
    ) -> anyhow::Result<SeatedRival<'r, G>> {
        Ok(match self {
            Rival::Own(side) => {
                side.prepare(game.0, game.2)?;
                SeatedRival::Own(side.seated(limit, clock))
            }
            Rival::Program(path) => SeatedRival::Program(G::start_program(path, game, limit)?),
        })
    }
}

/// A side in a game.
pub enum SeatedRival<'r, G: ProgramGame> {
    /// The player of this program.
    Own(SeatedOwn<'r, G>),
    /// A program that runs.
    Program(Box<dyn RivalProgram<G>>),
}

impl<G: ProgramGame> MatchSide<G> for SeatedRival<'_, G> {
    fn choose(&mut self, position: &G, last: Option<G::Move>) -> Result<G::Move, String> {
        match self {
            SeatedRival::Own(side) => side.choose(position, last),
            SeatedRival::Program(program) => program.choose(position, last).map_err(|error| format!("{error:#}")),
        }
    }
}

/// The time of a move by the clock, or by the processor if that is wanted and the system tells it.
pub struct RivalClock {
    of_processor: bool,
    began: Cell<(Instant, Option<f64>)>,
}

impl RivalClock {
    /// A clock for moves that have not begun.
    pub fn new(of_processor: bool) -> RivalClock {
        RivalClock { of_processor, began: Cell::new((Instant::now(), None)) }
    }
}

impl MoveClock for RivalClock {
    fn begin(&self) {
        self.began.set((Instant::now(), self.of_processor.then(thread_seconds).flatten()));
    }

    fn seconds(&self) -> f64 {
        let (began, cpu) = self.began.get();
        let spent = cpu.and_then(|before| Some(thread_seconds()? - before));
        spent.unwrap_or_else(|| began.elapsed().as_secs_f64())
    }
}
