//! What can be changed in the store.

use super::accounts::{Account, AccountKey, CreditClaim, Grant};
use super::grids::GridRecord;
use crate::core::search::End;
use serde::{Deserialize, Serialize};

/// Units with larger numbers are not noted one by one, unless they are quarantined.
pub const MOST_UNITS: u64 = 1 << 20;
/// Most events kept, give or take a thousand.
pub const MOST_EVENTS: u64 = 100_000;
/// A unit of a job, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitRecord {
    /// How often it was begun; for a unit done the failed attempts and the last one.
    pub attempts: u32,
    /// Why it ended, if it is done.
    pub end: Option<End>,
    /// Iterations of the unit.
    pub iterations: u64,
    /// Moves of its longest grid.
    pub best: u32,
    /// The last failure.
    pub error: Option<String>,
    /// It is quarantined: it failed too often.
    pub quarantined: bool,
}

/// A job that is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForgottenJob {
    /// Number of the job.
    pub id: u64,
    /// The key that a client gave it.
    pub key: Option<String>,
    /// What its folder is recognised by.
    pub identity: Option<String>,
}

/// A change of the store.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A job, in the daemon's own words.
    Job(u64, Vec<u8>),
    /// What a job is made of, in the daemon's own words.
    Spec(u64, Vec<u8>),
    /// The key that a client gave a job.
    Key(String, u64),
    /// A job is forgotten, with its units, its list of grids and its key; its number is noted until
    /// [`Change::Purged`].
    Forget(ForgottenJob),
    /// What else there was of a forgotten job is gone, too.
    Purged(u64),
    /// The units of a job go, but for quarantined ones.
    SummariseUnits(u64),
    /// A unit of a job.
    Unit(u64, u64, UnitRecord),
    /// An event, in the daemon's own words.
    Event(u64, Vec<u8>),
    /// A grid. One that is there is left as it is; the job is noted as one that found it. One that was removed when
    /// its job had found it is left out.
    Grid(Box<GridRecord>),
    /// A grid that cannot be shown leaves all lists; its value is set apart.
    SetApart(u64),
    /// A grid goes, also one that was set apart. The jobs that have found it do not bring it back.
    RemoveGrid(u64),
    /// The grid of this key was removed after the job had found it.
    GridRemoved(u64, u64),
    /// A grid of this score and key leaves the list of a job.
    NotOfJob(u64, u32, u64),
    /// Credit for a unit of a job that has not ended before. To be made before [`Change::Unit`] notes its end.
    Grant(u64, u64, Vec<Grant>),
    /// Credit for what a worker claims of a unit. It is given when the claims are granted, or at once.
    Claim {
        /// Number of the job.
        job: u64,
        /// Number of its unit.
        unit: u64,
        /// Number of the worker in its job.
        worker: u32,
        /// What it is given for.
        grants: Vec<Grant>,
        /// It is given at once.
        early: bool,
    },
    /// A unit of a job is decided, and all claims to it that were not refused are granted. No more are taken.
    GrantClaims(u64, u64),
    /// Claims are refused: those of a job, of one unit of it or all, of one worker or all.
    RefuseClaims(u64, Option<u64>, Option<u32>),
    /// An account as it is, with what it has.
    Account(AccountKey, Account),
    /// A claim to credit as it is, by job, unit and worker.
    KeptClaim((u64, u64, u32), CreditClaim),
    /// A message to users by its number, in the daemon's own words.
    Message(u64, Vec<u8>),
    /// A number by name.
    Number(&'static str, u64),
}

impl Change {
    /// Whether it may change accounts.
    pub fn is_of_accounts(&self) -> bool {
        matches!(
            self,
            Change::Grant(..) | Change::Claim { early: true, .. } | Change::GrantClaims(..) | Change::Account(..)
        )
    }

    /// Whether grids come, go, or leave the list of a job.
    pub fn is_of_grids(&self) -> bool {
        matches!(
            self,
            Change::Grid(_) | Change::SetApart(_) | Change::RemoveGrid(_) | Change::NotOfJob(..) | Change::Forget(_)
        )
    }
}
