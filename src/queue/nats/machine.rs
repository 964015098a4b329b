//! The machines of a pool as its hub knows them, and as the daemon shows them.

use super::message::{Beat, Introduction, PROTOCOL, Speaker};
use crate::queue::effort::Contributor;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A machine that has said so often what cannot be, or refused a unit, is given no more units.
const MOST_REFUSED: u32 = 3;

/// Words of turns that a machine does not have are counted for so long.
const STRAYING: Duration = Duration::from_secs(60);
/// So many of them in each second of that time are one thing that cannot be. A machine whose connection was cut says
/// later, as fast as it can, what its workers have found meanwhile, though others have their turns by then; and the
/// words that a daemon had not heard at its end come to the next one, which knows none of its turns.
const MOST_STRAY: u64 = 2000;
/// And so many more for each of its workers.
const MOST_STRAY_OF_WORKER: u64 = 200;

/// Counts the words of turns that a machine does not have.
#[derive(Debug, Default)]
struct StrayWords {
    count: u64,
    since: Option<Instant>,
}

impl StrayWords {
    /// Notes one of a machine of so many workers; whether they have been very many for long.
    fn note(&mut self, workers: u32, now: Instant) -> bool {
        let time = now.duration_since(*self.since.get_or_insert(now));
        if time < STRAYING {
            self.count += 1;
            return false;
        }
        let most = MOST_STRAY + MOST_STRAY_OF_WORKER * u64::from(workers);
        let are_many = self.count > most.saturating_mul(time.as_secs());
        *self = StrayWords::default();
        are_many
    }
}

/// A machine as the daemon shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineState {
    /// Its number in the pool, 16 hexadecimal digits, another one whenever it begins. Before it come its user of the
    /// server and a dot, if it has one for itself.
    pub id: String,
    /// The name that its user gave it.
    pub name: String,
    /// For whom it computes.
    pub by: Arc<Contributor>,
    /// Version of its program.
    pub version: String,
    /// How many units it computes at once.
    pub workers: u32,
    /// How many it is at.
    pub running: u32,
    /// Units that it has ended.
    pub units: u64,
    /// How often it said what cannot be, or refused a unit.
    pub refused: u32,
    /// The last thing that was refused.
    pub reason: Option<String>,
    /// How it stands.
    pub health: MachineHealth,
    /// Time since it was last heard of.
    pub silent: Duration,
    /// Time since it was first heard of.
    pub since: Duration,
}

/// How a machine stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MachineHealth {
    /// It is there.
    Here,
    /// It takes no more units.
    Leaving,
    /// It has not been heard of for too long.
    Lost,
    /// It has said what cannot be, or refused units, and is not given units any more.
    Distrusted,
    /// Its program is of a version with other messages.
    OtherVersion,
}

/// How the pool stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PoolState {
    /// The hub is connected to the server.
    pub connected: bool,
    /// What went wrong last, while it is not connected.
    pub trouble: Option<String>,
    /// The machines, by their names.
    pub machines: Vec<MachineState>,
    /// The names of the machines that are at the units of the seats, by the numbers of the workers.
    pub places: BTreeMap<u32, String>,
}

/// A machine as the hub knows it.
pub struct KnownMachine {
    /// Its user of the server and its number. Another user with the same number is another machine.
    pub speaker: Speaker,
    /// What it said last.
    pub beat: Beat,
    /// For whom it computes, as it said last.
    pub by: Arc<Contributor>,
    /// When it was first heard of.
    pub first: Instant,
    /// When it was last heard of.
    pub heard: Instant,
    /// Time that has passed since then while the hub heard itself.
    pub silent: Duration,
    /// Units that it has ended.
    pub units: u64,
    /// How often it said what cannot be, or refused a unit.
    pub refused: u32,
    /// The last thing that was refused.
    pub reason: Option<String>,
    stray: StrayWords,
}

impl KnownMachine {
    /// One of which nothing else is known.
    pub fn new(speaker: Speaker) -> KnownMachine {
        let (name, version) = (speaker.id.clone(), String::new());
        let by = Arc::new(Contributor::new(None, None, &name, 0).admitted_as(speaker.user.clone()));
        let beat = Beat {
            protocol: PROTOCOL,
            name,
            version,
            workers: 0,
            leaving: false,
            abilities: Vec::new(),
            turns: Vec::new(),
            user: None,
            team: None,
            speed: 0,
            told: 0,
        };
        let now = Instant::now();
        let (silent, units, refused, reason) = (Duration::ZERO, 0, 0, None);
        KnownMachine {
            speaker,
            beat,
            by,
            first: now,
            heard: now,
            silent,
            units,
            refused,
            reason,
            stray: StrayWords::default(),
        }
    }

    /// Takes in for whom it computes.
    pub fn introduce(&mut self, said: &Introduction) {
        let Introduction { name, user, team, speed } = said;
        let by = Contributor::new(user.as_deref(), team.as_deref(), name, *speed);
        let by = by.admitted_as(self.speaker.user.clone());
        if *self.by != by {
            self.by = Arc::new(by);
        }
    }

    /// Takes in what it says of itself.
    pub fn hear(&mut self, beat: Beat) {
        let Beat { user, team, name, speed, .. } = beat.clone();
        self.introduce(&Introduction { name, user, team, speed });
        (self.heard, self.silent) = (Instant::now(), Duration::ZERO);
        self.beat = beat;
    }

    /// Notes that something that it said is refused.
    pub fn refuse(&mut self, what: String) {
        self.refused += 1;
        self.reason = Some(what);
    }

    /// Notes a word of a turn that it does not have; whether these have been very many for long.
    pub fn strays(&mut self) -> bool {
        self.stray.note(self.beat.workers, Instant::now())
    }

    /// Whether it gets no more units, whatever it says.
    pub fn is_distrusted(&self) -> bool {
        self.refused >= MOST_REFUSED
    }

    /// Whether it has said that it leaves and has nothing any more.
    pub fn has_left(&self) -> bool {
        self.beat.leaving && self.beat.turns.is_empty()
    }

    /// How it stands; it is lost after this time without a word.
    pub fn health(&self, lost: Duration) -> MachineHealth {
        if self.beat.protocol != PROTOCOL {
            MachineHealth::OtherVersion
        } else if self.is_distrusted() {
            MachineHealth::Distrusted
        } else if self.silent >= lost {
            MachineHealth::Lost
        } else if self.beat.leaving {
            MachineHealth::Leaving
        } else {
            MachineHealth::Here
        }
    }

    /// What is shown of it while it is at so many units.
    pub fn state(&self, running: u32, lost: Duration) -> MachineState {
        MachineState {
            id: self.speaker.place(),
            name: self.beat.name.clone(),
            by: Arc::clone(&self.by),
            version: self.beat.version.clone(),
            workers: self.beat.workers,
            running,
            units: self.units,
            refused: self.refused,
            reason: self.reason.clone(),
            health: self.health(lost),
            silent: self.silent,
            since: self.first.elapsed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a machine says too late is forgiven: thousands of words at once, and fewer for hours. Who speaks so
    /// without an end is noted once a minute.
    #[test]
    fn words_of_other_turns_are_refused_where_they_do_not_end() {
        let begin = Instant::now();
        // Whether it is noted, in each of so many minutes with so many words a second.
        let noted = |workers: u32, minutes: u64, words: &dyn Fn(u64) -> u64| {
            let mut stray = StrayWords::default();
            let mut noted = vec![0; minutes as usize + 1];
            for second in 0..60 * minutes + 1 {
                for word in 0..words(second) {
                    let now = begin + Duration::from_secs(second) + Duration::from_micros(word);
                    noted[second as usize / 60] += u32::from(stray.note(workers, now));
                }
            }
            noted
        };
        assert_eq!(noted(2, 3, &|_| 10_000), [0, 1, 1, 1]);
        assert_eq!(noted(2, 3, &|_| 2000), [0; 4]);
        assert_eq!(noted(40, 2, &|_| 9000), [0; 3]);
        // All that its workers have found in an hour without a connection.
        assert_eq!(noted(2, 3, &|second| if second == 0 { 100_000 } else { 20 }), [0; 4]);
        assert_eq!(noted(2, 10, &|second| if second == 5 { 1_000_000 } else { 0 }), [0; 11]);
    }
}
