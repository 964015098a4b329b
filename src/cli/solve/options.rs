//! What the games have in common on the command line, and the engine that it asks for.

use super::Special;
use super::units::UnitOptions;
use crate::core::game::{Game, Value};
use crate::runner::MAX_THREADS;
use crate::runner::parallel::Parallel;
use crate::runner::tree::crew::MakeEngine;
use crate::solvers::algorithm::{Algorithm, DepthFirst};
use crate::solvers::busy::Busy;
use crate::solvers::dfpn::Dfpn;
use crate::solvers::monitor::Monitor;
use crate::solvers::search::{Parts, Stats};
use crate::solvers::solve::{Engine, Goal};
use crate::solvers::table::{LEAST_BYTES, Table};
use anyhow::{Context, bail};

/// Memory of the table where nothing is said: of all threads together, and of each worker of units.
const MEMORY: u64 = 512 << 20;
const UNIT_MEMORY: u64 = 64 << 20;

/// What all games have in common.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// How to search [default: the game's own solver, or negascout]
    #[arg(long, value_enum)]
    pub algorithm: Option<Name>,
    /// Parts of the search to do without, separated by commas
    #[arg(long, value_enum, value_name = "PARTS", value_delimiter = ',')]
    pub without: Vec<Part>,
    /// What to find out
    #[arg(long, value_enum, default_value_t = What::Exact, conflicts_with = "threshold")]
    pub value: What,
    /// Find out only whether the side to move gets at least N points
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(i32).range(-1000..=1000))]
    pub threshold: Option<i32>,
    /// Memory for the transposition table, such as 512M or 4G [default: 512M; with --units 64M for each worker]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory: Option<u64>,
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
    pub units: UnitOptions,
}

/// The ways to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Name {
    /// The solver made for this game alone
    Special,
    /// Every position down to the end
    Minimax,
    /// Alpha-beta, written for both sides apart
    Alphabeta,
    /// Alpha-beta, in negamax form
    Negamax,
    /// NegaScout (principal variation search)
    Negascout,
    /// MTD(f)
    Mtdf,
    /// Depth-first proof-number search
    Dfpn,
}

/// What can be found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum What {
    /// The value
    Exact,
    /// Who wins
    WinLossDraw,
}

/// The parts of a search that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Transposition table
    Table,
    /// Symmetric positions as one
    Symmetry,
    /// Enhanced transposition cut-off
    Etc,
    /// Killer moves
    Killers,
    /// History heuristic
    History,
    /// The game's own order of moves
    Prior,
    /// The game's own bounds, such as stable discs
    Bounds,
    /// Iterative deepening
    Deepening,
}

/// A number of bytes with a unit: powers of 1024.
fn parse_bytes(text: &str) -> anyhow::Result<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1u64,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        _ => bail!("not a number of bytes with K, M or G behind it"),
    };
    let number: u64 =
        digits.parse().map_err(|_| anyhow::anyhow!("not a number of bytes with K, M or G behind it"))?;
    let bytes = number.checked_mul(factor).context("more bytes than any machine has")?;
    if bytes < LEAST_BYTES {
        bail!("too little for a table: at least {LEAST_BYTES} bytes");
    }
    Ok(bytes)
}

impl Options {
    /// The parts that are not left out.
    pub fn parts(&self) -> Parts {
        let mut parts = Parts::ALL;
        for part in &self.without {
            *match part {
                Part::Table => &mut parts.table,
                Part::Symmetry => &mut parts.symmetry,
                Part::Etc => &mut parts.transposition_cutoff,
                Part::Killers => &mut parts.killers,
                Part::History => &mut parts.history,
                Part::Prior => &mut parts.prior,
                Part::Bounds => &mut parts.bounds,
                Part::Deepening => &mut parts.deepening,
            } = false;
        }
        parts
    }

    /// What is to be found out.
    pub fn goal(&self, point: Value) -> Goal {
        match (self.threshold, self.value) {
            (Some(threshold), _) => Goal::Threshold(threshold * point),
            (None, What::Exact) => Goal::Exact,
            (None, What::WinLossDraw) => Goal::WinLossDraw,
        }
    }

    /// Bytes of the table; of each worker's with `--units`.
    pub fn memory(&self) -> u64 {
        self.memory.unwrap_or(if self.units.units { UNIT_MEMORY } else { MEMORY })
    }

    /// The engine that the options ask for.
    ///
    /// # Errors
    /// Options that do not go together.
    pub fn plan<G>(&self, special: Option<Special<G>>) -> anyhow::Result<Plan<G>> {
        let threads = self.threads;
        if !(1..=MAX_THREADS).contains(&threads) {
            bail!("--threads {threads} is out of range: 1 to {MAX_THREADS}");
        }
        let name = self.algorithm.unwrap_or(if special.is_some() { Name::Special } else { Name::Negascout });
        // A unit is one thread's.
        let crew = if self.units.units { 1 } else { usize::try_from(threads)? };
        let parts = self.parts();
        let shares = matches!(name, Name::Special | Name::Negascout | Name::Mtdf);
        if crew > 1 && !shares {
            bail!("--threads {threads}: only special, negascout and mtdf share their work among threads");
        }
        if crew > 1 && !parts.table {
            bail!("--threads {threads} needs the transposition table, which --without table takes away");
        }
        let kind = match name {
            Name::Special => {
                if !self.without.is_empty() {
                    bail!("--without is for the general algorithms: choose one by --algorithm");
                }
                Kind::Special(special.context("this game has no solver of its own: choose another --algorithm")?)
            }
            Name::Dfpn => Kind::Dfpn,
            Name::Minimax => Kind::DepthFirst(Algorithm::Minimax),
            Name::Alphabeta => Kind::DepthFirst(Algorithm::AlphaBeta),
            Name::Negamax => Kind::DepthFirst(Algorithm::Negamax),
            Name::Negascout => Kind::DepthFirst(Algorithm::NegaScout),
            Name::Mtdf => Kind::DepthFirst(Algorithm::Mtdf),
        };
        Ok(Plan { kind, parts, crew })
    }
}

/// A kind of engine.
#[derive(Debug)]
enum Kind<G> {
    Special(Special<G>),
    DepthFirst(Algorithm),
    Dfpn,
}

/// An engine, yet to be made.
#[derive(Debug)]
pub struct Plan<G> {
    kind: Kind<G>,
    parts: Parts,
    /// Number of threads.
    crew: usize,
}

impl<G: Game + Sync> MakeEngine<G> for Plan<G> {
    fn make<'a>(&self, table: &'a Table, busy: &'a Busy, monitor: &'a Monitor) -> Box<dyn Engine<G> + 'a> {
        let Plan { parts, crew, .. } = *self;
        let stats = Stats::default();
        match self.kind {
            Kind::Special(make) => make(crew, table, busy, monitor),
            Kind::Dfpn => {
                let (symmetry, bounds) = (parts.symmetry, parts.bounds);
                Box::new(Dfpn { symmetry, bounds, table, monitor, stats })
            }
            Kind::DepthFirst(algorithm) => {
                let busy = (crew > 1).then_some(busy);
                let engine = || DepthFirst { algorithm, parts, table, busy, monitor, stats };
                Box::new(Parallel::new(crew, monitor, engine))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_memory_are_read() {
        for (text, bytes) in
            [("4096", 4096), ("64k", 65_536), ("512M", 512 << 20), ("4G", 4 << 30), ("1GiB", 1 << 30)]
        {
            assert_eq!(parse_bytes(text).unwrap(), bytes);
        }
        for text in ["", "M", "-1", "1", "4T", "99999999999999999999", "18446744073709551615G", "1.5G", "\u{e9}"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }
}
