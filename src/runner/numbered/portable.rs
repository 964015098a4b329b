//! A unit of a numbered job on its way to another machine, and what that says of it.
//!
//! Such a unit depends on the job and its number alone, so the same program comes to the same on any machine. Players
//! of another version may play otherwise: units go to machines with the version of the daemon only ([`PLAYERS`]). Of
//! what comes back, everything is checked that can be seen without computing it ([`PortableJob::checker`]). Against
//! an outcome that only looks right there is a quorum ([`super::votes`]).

use super::unit::{NoOutcome, PlayedOutcome, PlayedPlace, PlayedUnit, PlayerMaker, PlayerPool};
use crate::core::encoding::{decode, encode};
use crate::core::quantity::mebibytes;
use crate::jobs::analysing::AnalyseJob;
use crate::jobs::checking::CheckJob;
use crate::jobs::matching::MatchJob;
use crate::jobs::mining::MineJob;
use crate::jobs::numbered::NumberedJob;
use crate::jobs::selfplay::SelfplayJob;
use crate::jobs::tactics::TacticsJob;
use crate::queue::any::AnyUnit;
use crate::queue::copies::UnitCopy;
use crate::queue::{Portable, Unpacked};
use crate::runner::journal::MAX_RECORD;
use crate::runner::parcel::Parcel;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The name of what a program needs for units of players: to be of this version.
pub const PLAYERS: &str = concat!("players of version ", env!("CARGO_PKG_VERSION"));
/// Most bytes of a job as JSON: it goes with each of its units.
const MOST_TEXT: usize = 1 << 20;
/// Most bytes of memory that a unit may need elsewhere: what `morpion worker` has for one if nothing else is said.
pub const MOST_MEMORY: u64 = 1 << 30;
/// Most bytes of what goes into a file of its own.
const MOST_PART: usize = 16 << 20;
/// Most bytes that the record of a unit may have, so that it can be stored with the unit's number.
const LONGEST_RECORD: usize = MAX_RECORD - 16;

/// What can be seen of the outcome of a unit: its number, its record, and what goes into a file of its own.
pub type RecordCheck<O> = Box<dyn Fn(u64, &O, Option<&[u8]>) -> Result<(), String> + Send + Sync>;

/// A job of numbered units that other machines can compute, all or some of them.
pub trait PortableJob: NumberedJob {
    /// Which kind of job it is.
    const KIND: PlayedKind;

    /// Bytes of memory of the players of one worker: a round estimate.
    fn memory(&self) -> u64;

    /// Whether a unit depends on the job and its number alone: not on time, nor on other units.
    fn is_portable(&self, _unit: u64) -> bool {
        true
    }

    /// Where a move may take so much time at most: a unit in which one does has no outcome elsewhere, in seconds.
    fn most_seconds(&self) -> Option<f64> {
        None
    }

    /// Whether it is a job that a coordinator could have.
    ///
    /// # Errors
    /// What is wrong with it.
    fn validate(&self) -> Result<(), String>;

    /// Makes the players of its portable units.
    fn portable_players(&self) -> PlayerMaker<Self::Outcome>;

    /// What checks the outcomes of its portable units.
    ///
    /// # Errors
    /// If there is no such job.
    fn checker(&self) -> Result<RecordCheck<Self::Outcome>, String>;

    /// The record as it would be had the unit taken no time.
    fn timeless(record: Self::Outcome) -> Self::Outcome;
}

/// The kinds of jobs whose units are packed here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlayedKind {
    /// Games of a player against itself.
    Selfplay,
    /// Patterns that are mined from games.
    Mine,
    /// Tactical questions that are answered.
    Tactics,
    /// A plan that is checked.
    Check,
    /// Pairs of games of a match.
    Match,
    /// Positions that are analysed.
    Analyse,
}

/// A packed unit of a numbered job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayParcel {
    kind: PlayedKind,
    /// The job as JSON.
    job: String,
    unit: u64,
}

/// What the machine says of the unit.
#[derive(Debug, Serialize, Deserialize)]
enum PlayedWord<O> {
    Ended(PlayedOutcome<O>),
    /// Time would have decided.
    Late,
}

/// A job whose units can be computed elsewhere, as its session knows it.
pub trait PlayedElsewhere<O>: Send + Sync {
    /// Whether a unit can be.
    fn is_portable(&self, unit: u64) -> bool;

    /// A unit as a parcel.
    fn pack(&self, unit: u64) -> Vec<u8>;

    /// Looks whether an outcome can be one of a unit.
    ///
    /// # Errors
    /// What is wrong with it.
    fn check(&self, unit: u64, outcome: &PlayedOutcome<O>) -> Result<(), String>;

    /// Whether two outcomes of a unit say the same. The time that they took may differ.
    fn is_same(&self, one: &PlayedOutcome<O>, other: &PlayedOutcome<O>) -> bool;
}

/// A job with what its units take along.
struct PackedJob<J: PortableJob> {
    job: J,
    text: String,
    checker: RecordCheck<J::Outcome>,
}

/// The job as one whose units can be computed elsewhere; nothing if no unit can be, or if it is too long for that, or
/// needs more memory than a machine may be expected to have.
pub fn packed_job<J: PortableJob>(job: &J) -> Option<Arc<dyn PlayedElsewhere<J::Outcome>>> {
    if job.memory() > MOST_MEMORY || !job.is_portable(0) {
        return None;
    }
    let text = serde_json::to_string(job).ok().filter(|text| text.len() <= MOST_TEXT)?;
    let checker = job.checker().ok()?;
    Some(Arc::new(PackedJob { job: job.clone(), text, checker }))
}

impl<J: PortableJob> PlayedElsewhere<J::Outcome> for PackedJob<J> {
    fn is_portable(&self, unit: u64) -> bool {
        self.job.is_portable(unit)
    }

    fn pack(&self, unit: u64) -> Vec<u8> {
        Parcel::Play(PlayParcel { kind: J::KIND, job: self.text.clone(), unit }).to_bytes()
    }

    fn check(&self, unit: u64, outcome: &PlayedOutcome<J::Outcome>) -> Result<(), String> {
        let PlayedOutcome { record, part } = outcome;
        if encode(record).len() > LONGEST_RECORD || part.as_ref().is_some_and(|part| part.len() > MOST_PART) {
            return Err("its outcome is too long".to_owned());
        }
        (self.checker)(unit, record, part.as_deref())
    }

    fn is_same(&self, one: &PlayedOutcome<J::Outcome>, other: &PlayedOutcome<J::Outcome>) -> bool {
        one.part == other.part && J::timeless(one.record.clone()) == J::timeless(other.record.clone())
    }
}

/// A job with its players.
type JobPlayers<J> = (Arc<J>, Arc<PlayerPool<<J as NumberedJob>::Outcome>>);

/// The players of a job on this machine.
struct KeptPlayers {
    kind: PlayedKind,
    /// The job as JSON.
    text: String,
    job: Arc<dyn Any + Send + Sync>,
    players: Arc<dyn Any + Send + Sync>,
}

/// The players of the jobs that this machine has units of.
pub struct PlayRegistry {
    /// Most bytes of memory of the players of a worker.
    memory: u64,
    kept: Mutex<Vec<KeptPlayers>>,
}

impl fmt::Debug for PlayRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlayRegistry").field("memory", &self.memory).finish_non_exhaustive()
    }
}

impl PlayRegistry {
    /// For workers whose players may have so many bytes of memory each.
    pub fn new(memory: u64) -> PlayRegistry {
        PlayRegistry { memory, kept: Mutex::default() }
    }

    /// The unit of a parcel.
    ///
    /// # Errors
    /// What is wrong with it, or why it cannot be computed here.
    pub fn open(&self, parcel: &PlayParcel) -> Result<AnyUnit, String> {
        match parcel.kind {
            PlayedKind::Selfplay => self.open_of::<SelfplayJob>(parcel),
            PlayedKind::Mine => self.open_of::<MineJob>(parcel),
            PlayedKind::Tactics => self.open_of::<TacticsJob>(parcel),
            PlayedKind::Check => self.open_of::<CheckJob>(parcel),
            PlayedKind::Match => self.open_of::<MatchJob>(parcel),
            PlayedKind::Analyse => self.open_of::<AnalyseJob>(parcel),
        }
    }

    fn open_of<J: PortableJob>(&self, parcel: &PlayParcel) -> Result<AnyUnit, String> {
        let PlayParcel { kind, job: text, unit } = parcel;
        let (job, players) = self.players::<J>(*kind, text)?;
        if *unit >= job.units() || !job.is_portable(*unit) {
            return Err(format!("unit {unit} is not one of its job for another machine"));
        }
        let place = PlayedPlace::FromElsewhere(job.most_seconds());
        Ok(AnyUnit::new(PlayedUnit::<J>::new(*unit, players, None, place)))
    }

    /// A job and its players. When another job comes, those that have no unit give their memory back.
    fn players<J: PortableJob>(&self, kind: PlayedKind, text: &str) -> Result<JobPlayers<J>, String> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.iter().find(|found| found.kind == kind && found.text == text)
            && let (Ok(job), Ok(players)) = (Arc::clone(&found.job).downcast(), Arc::clone(&found.players).downcast())
        {
            return Ok((job, players));
        }
        if text.len() > MOST_TEXT {
            return Err("the job is too long".to_owned());
        }
        let job: J = serde_json::from_str(text).map_err(|error| format!("the job: {error}"))?;
        job.validate().map_err(|why| format!("the job: {why}"))?;
        if job.memory() > self.memory {
            let (needed, most) = (mebibytes(job.memory()), mebibytes(self.memory));
            return Err(format!("it takes {needed} of memory, and a worker may have {most} here (--memory)"));
        }
        let players = Arc::new(PlayerPool::new(job.portable_players()));
        let job = Arc::new(job);
        kept.retain(|other| Arc::strong_count(&other.players) > 1);
        let (own, pool) = (Arc::clone(&job) as _, Arc::clone(&players) as _);
        kept.push(KeptPlayers { kind, text: text.to_owned(), job: own, players: pool });
        Ok((job, players))
    }
}

impl<J: NumberedJob> PlayedUnit<J> {
    fn job_elsewhere(&self) -> Option<&dyn PlayedElsewhere<J::Outcome>> {
        match self.place() {
            PlayedPlace::Anywhere(job, _) => Some(&**job),
            PlayedPlace::HereOnly | PlayedPlace::FromElsewhere(_) => None,
        }
    }
}

impl<J: NumberedJob> Portable<(), Result<PlayedOutcome<J::Outcome>, NoOutcome>> for PlayedUnit<J> {
    fn pack(&self, _attempt: u32) -> Vec<u8> {
        self.job_elsewhere().map(|job| job.pack(self.number())).unwrap_or_default()
    }

    fn ability(&self) -> Option<&'static str> {
        Some(PLAYERS)
    }

    fn copy(&self) -> Option<&UnitCopy> {
        match self.place() {
            PlayedPlace::Anywhere(_, copy) => copy.as_ref(),
            PlayedPlace::HereOnly | PlayedPlace::FromElsewhere(_) => None,
        }
    }

    fn unpack(
        &self,
        _worker: u32,
        message: &[u8],
    ) -> Result<Unpacked<(), Result<PlayedOutcome<J::Outcome>, NoOutcome>>, String> {
        let job = self.job_elsewhere().ok_or("it is not a unit for another machine")?;
        match decode(message).ok_or("its outcome cannot be read")? {
            PlayedWord::Ended(outcome) => {
                job.check(self.number(), &outcome)?;
                Ok(Unpacked::Outcome(Ok(outcome)))
            }
            PlayedWord::Late => Ok(Unpacked::Outcome(Err(NoOutcome::Late))),
        }
    }

    fn order(&self) -> Option<Vec<u8>> {
        None
    }

    fn given_back(&self) {
        if let Some(copy) = self.copy() {
            copy.leave();
        }
    }

    fn continues(&self) -> bool {
        false
    }

    fn pack_report(&self, (): ()) -> Vec<u8> {
        Vec::new()
    }

    /// There never being one is told as an attempt that has failed.
    fn pack_outcome(&self, outcome: Result<PlayedOutcome<J::Outcome>, NoOutcome>) -> Vec<u8> {
        match outcome {
            Ok(outcome) => encode(&PlayedWord::Ended(outcome)),
            Err(NoOutcome::Late) => encode(&PlayedWord::<J::Outcome>::Late),
            Err(NoOutcome::Never(_)) => Vec::new(),
        }
    }

    fn news(&self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    fn agree(&self, one: &[u8], other: &[u8]) -> bool {
        let read = |message| match decode(message) {
            Some(PlayedWord::Ended(outcome)) => Some(outcome),
            _ => None,
        };
        let both = self.job_elsewhere().zip(read(one)).zip(read(other));
        both.is_some_and(|((job, one), other)| job.is_same(&one, &other))
    }

    fn obey(&self, _order: &[u8]) -> Result<(), String> {
        Err("a unit of players takes no orders".to_owned())
    }
}
