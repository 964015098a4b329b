//! The flags of `morpion solve` that are about the process, and the engine that is asked for.

use crate::core::setting::show_name;
use crate::jobs::reading::GivenSetting;
use crate::jobs::solve_settings::{OF_UNITS, SolveOptions};
use crate::runner::MAX_THREADS;
use crate::runner::engine::Plan;
use anyhow::bail;
use std::path::PathBuf;

/// Memory of the table where nothing is said, of all threads together.
const MEMORY: u64 = 512 << 20;

/// What all games have in common.
#[derive(Debug, clap::Args)]
pub struct SolveFlags {
    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: u32,
    /// Give up after about this many nodes per position
    #[arg(long, value_name = "N", conflicts_with = "units")]
    pub budget: Option<u64>,
    /// Find only the value, without the principal variation and the best moves
    #[arg(long)]
    pub value_only: bool,
    /// Print one JSON object per position instead of the text
    #[arg(long)]
    pub json: bool,
    /// Solve by units of work: leaves of the top of the game tree, each answered by one thread on its own. Finds the
    /// value, its cost, and the part of best play that the top of the tree shows
    #[arg(long, help_heading = "Solving by units", display_order = 0)]
    pub units: bool,
    /// Keep the solution in a directory; the same command continues it after Ctrl-C or a crash
    #[arg(long, value_name = "DIR", requires = "units", help_heading = "Solving by units", display_order = 0)]
    pub state: Option<PathBuf>,
}

/// What is asked about the positions, and how.
#[derive(Debug)]
pub struct AskedSearch {
    /// What is asked, and the search that is to answer.
    pub question: SolveOptions,
    /// The flags of the process.
    pub flags: SolveFlags,
    /// The settings as they were given.
    pub given: Vec<GivenSetting>,
}

impl AskedSearch {
    /// Bytes of the table; of each worker's with `--units`.
    pub fn memory(&self) -> u64 {
        if self.flags.units { self.question.unit_memory() } else { self.question.memory.unwrap_or(MEMORY) }
    }

    /// The engine that is asked for.
    ///
    /// # Errors
    /// Options that do not go together.
    pub fn plan(&self) -> anyhow::Result<Plan> {
        let threads = self.flags.threads;
        if !(1..=MAX_THREADS).contains(&threads) {
            bail!("--threads {threads} is out of range: 1 to {MAX_THREADS}");
        }
        if let Some(one) = self.given.iter().find(|one| OF_UNITS.contains(&one.name) && !self.flags.units) {
            bail!("{} is about units of work: it needs --units", one.place());
        }
        if let (Some(one), None) = (self.given.iter().find(|one| one.name == "store"), &self.flags.state) {
            bail!("{} is about the file of a solution: it needs --state", one.place());
        }
        // A unit is one thread's.
        let crew = if self.flags.units { 1 } else { usize::try_from(threads)? };
        Ok(Plan::new(&self.question.choice(), crew)?)
    }

    /// The name of the algorithm, if one was chosen.
    pub fn algorithm(&self) -> Option<String> {
        self.question.algorithm.as_ref().map(show_name)
    }

    /// The names of the parts that are left out.
    pub fn without(&self) -> Vec<String> {
        self.question.without.iter().map(show_name).collect()
    }
}
