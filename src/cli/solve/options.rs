//! What the games have in common on the command line, and the engine that it asks for.

use super::unit_flags::{UnitFlags, UnitMakingFlags};
use crate::core::game::Value;
use crate::core::quantity::parse_bytes;
use crate::runner::MAX_THREADS;
use crate::runner::engine::Plan;
use crate::solvers::choice::{EngineChoice, Name, Part};
use crate::solvers::solve::Goal;
use crate::solvers::table::LEAST_BYTES;
use anyhow::bail;

/// Memory of the table where nothing is said: of all threads together, and of each worker of units.
const MEMORY: u64 = 512 << 20;
const UNIT_MEMORY: u64 = 64 << 20;

/// What is asked about a position, and how it is searched: of `morpion solve` and of solver jobs.
#[derive(Debug, clap::Args)]
pub struct QuestionFlags {
    /// How to search [default: the game's own solver]
    #[arg(long, value_enum)]
    pub algorithm: Option<Name>,
    /// Parts of the search to do without, separated by commas
    #[arg(long, value_enum, value_name = "PARTS", value_delimiter = ',')]
    pub without: Vec<Part>,
    /// What to find out
    #[arg(long, value_enum, default_value_t = ValueGoal::Exact, conflicts_with = "threshold")]
    pub value: ValueGoal,
    /// Find out only whether the side to move gets at least N points
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(i32).range(-1000..=1000))]
    pub threshold: Option<i32>,
    /// The value that is asked for first, for the side to move: a good guess saves time, a wrong one costs some
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0, conflicts_with = "threshold",
        value_parser = clap::value_parser!(i32).range(-1000..=1000))]
    pub guess: i32,
    /// Memory for the transposition table, such as 512M or 4G [default: 512M; by units 64M for each worker]
    #[arg(long, value_name = "BYTES", value_parser = table_bytes)]
    pub memory: Option<u64>,
}

/// What all games have in common.
#[derive(Debug, clap::Args)]
pub struct SolveFlags {
    #[command(flatten)]
    pub question: QuestionFlags,
    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: u32,
    /// Give up after about so many nodes per position
    #[arg(long, value_name = "N", conflicts_with = "units")]
    pub budget: Option<u64>,
    /// Find the value only, without the principal variation and the best moves
    #[arg(long)]
    pub value_only: bool,
    /// Print one JSON object per position instead of the text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub units: UnitFlags,
}

/// A position of a game and what is asked about it: the settings of a solver job.
#[derive(Debug, clap::Args)]
pub struct Asked<S: clap::Args> {
    #[command(flatten)]
    pub setup: S,
    #[command(flatten)]
    pub question: QuestionFlags,
    #[command(flatten)]
    pub units: UnitMakingFlags,
}

/// What can be found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ValueGoal {
    /// The value of the position
    Exact,
    /// Only who wins
    WinLossDraw,
}

/// A size of a table.
fn table_bytes(text: &str) -> anyhow::Result<u64> {
    let bytes = parse_bytes(text)?;
    if bytes < LEAST_BYTES {
        bail!("too little for a table: at least {LEAST_BYTES} bytes are needed");
    }
    Ok(bytes)
}

impl QuestionFlags {
    /// What is to be found out.
    pub fn goal(&self, point: Value) -> Goal {
        match (self.threshold, self.value) {
            (Some(threshold), _) => Goal::Threshold(threshold * point),
            (None, ValueGoal::Exact) => Goal::Exact,
            (None, ValueGoal::WinLossDraw) => Goal::WinLossDraw,
        }
    }

    /// The value that is asked for first.
    pub fn guess(&self, point: Value) -> Value {
        self.guess * point
    }

    /// The search that the flags choose.
    pub fn choice(&self) -> EngineChoice {
        EngineChoice { algorithm: self.algorithm, without: self.without.clone() }
    }

    /// Bytes of each worker's table by units.
    pub fn unit_memory(&self) -> u64 {
        self.memory.unwrap_or(UNIT_MEMORY)
    }
}

impl SolveFlags {
    /// Bytes of the table; of each worker's with `--units`.
    pub fn memory(&self) -> u64 {
        if self.units.units { self.question.unit_memory() } else { self.question.memory.unwrap_or(MEMORY) }
    }

    /// The engine that the options ask for.
    ///
    /// # Errors
    /// Options that do not go together.
    pub fn plan(&self) -> anyhow::Result<Plan> {
        let threads = self.threads;
        if !(1..=MAX_THREADS).contains(&threads) {
            bail!("--threads {threads} is out of range: 1 to {MAX_THREADS}");
        }
        if let Some(flag) = self.units.settings.given().filter(|_| !self.units.units) {
            bail!("{flag} is about units of work: it needs --units");
        }
        // A unit is one thread's.
        let crew = if self.units.units { 1 } else { usize::try_from(threads)? };
        Ok(Plan::new(&self.question.choice(), crew)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_least_size() {
        assert_eq!(table_bytes("4096").unwrap(), LEAST_BYTES);
        for (text, why) in [("4095", "at least 4096"), ("", "500M"), ("2 pages", "500M")] {
            let error = table_bytes(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
