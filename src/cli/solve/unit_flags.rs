//! The flags of a solution by units.

use crate::core::game::Value;
use crate::jobs::tree::settings::{Feeder, TreeSettings};
use crate::solvers::solve::Goal;
use crate::strategies::params::parse_count;
use anyhow::bail;
use std::path::PathBuf;

/// The options of a solution by units.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Solving by units")]
pub struct UnitFlags {
    /// Solve by units of work: leaves of the top of the game tree, each answered by one thread on its own. Finds
    /// the value, what it takes, and as much of best play as the top of the tree tells
    #[arg(long)]
    pub units: bool,
    /// Keep the solution in a directory; the same command goes on with it after Ctrl-C or a crash
    #[arg(long, value_name = "DIR", requires = "units")]
    pub state: Option<PathBuf>,
    #[command(flatten)]
    pub settings: UnitMakingFlags,
}

/// How units are made: of `morpion solve --units` and of solver jobs.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Solving by units")]
pub struct UnitMakingFlags {
    /// Nodes that a unit may take (looked at every few thousand, or more); one that takes more is replaced by its
    /// children [default: 20M]
    #[arg(long, value_name = "N", value_parser = parse_count)]
    unit_budget: Option<u64>,
    /// In which order units are handed out [default: priority]
    #[arg(long, value_enum)]
    feeder: Option<Feeder>,
    /// How many workers have to agree on a unit [default: 1]
    #[arg(long, value_name = "N")]
    quorum: Option<u32>,
    /// Clear the table before each unit, so that the work of a unit depends on it alone; always so with --quorum
    #[arg(long)]
    fresh_tables: bool,
    /// Seed of the random feeder [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Who gets the credit [default: local]
    #[arg(long, value_name = "NAME", value_parser = parse_user)]
    user: Option<String>,
}

/// Longest name of a user, in characters.
const LONGEST_USER: usize = 64;

fn parse_user(text: &str) -> anyhow::Result<String> {
    if text.is_empty() || text.chars().count() > LONGEST_USER || text.chars().any(char::is_control) {
        bail!("a name has 1 to {LONGEST_USER} characters, none of them a control character");
    }
    Ok(text.to_owned())
}

impl UnitMakingFlags {
    /// A flag that was given, if one was.
    pub fn given(&self) -> Option<&'static str> {
        let UnitMakingFlags { unit_budget, feeder, quorum, fresh_tables, seed, user } = self;
        [
            ("--unit-budget", unit_budget.is_some()),
            ("--feeder", feeder.is_some()),
            ("--quorum", quorum.is_some()),
            ("--fresh-tables", *fresh_tables),
            ("--seed", seed.is_some()),
            ("--user", user.is_some()),
        ]
        .into_iter()
        .find_map(|(flag, given)| given.then_some(flag))
    }

    /// The settings, for a goal and the value that is asked for first.
    pub fn settings(&self, goal: Goal, guess: Value) -> TreeSettings {
        let usual = TreeSettings::default();
        TreeSettings {
            goal,
            guess,
            budget: self.unit_budget.unwrap_or(usual.budget),
            feeder: self.feeder.unwrap_or(usual.feeder),
            quorum: self.quorum.unwrap_or(usual.quorum),
            fresh: self.fresh_tables,
            seed: self.seed.unwrap_or(usual.seed),
            ..usual
        }
    }

    /// Who gets the credit.
    pub fn user(&self) -> &str {
        self.user.as_deref().unwrap_or("local")
    }
}
