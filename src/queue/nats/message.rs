//! What hubs and workers say to each other, and the subjects that they say it on. The messages are encoded
//! by [`encoding`](crate::core::encoding).

use super::NatsError;
use crate::core::encoding::decode;
use serde::{Deserialize, Serialize};

/// Version of the messages. Machines of other versions are not given units.
pub const PROTOCOL: u32 = 4;

/// Bytes of a unit that go into the message itself; more is fetched in parts, and so is sent what is longer. A part
/// passes a link of 50 kbit/s in five seconds: a connection on which nothing else can pass for longer is given up.
pub const PART: usize = 32 << 10;

/// More bytes than any unit or state may have.
pub const MOST_BYTES: usize = 256 << 20;

/// A unit for a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobMessage {
    /// Version of the messages.
    pub protocol: u32,
    /// Name of the turn, used once.
    pub turn: String,
    /// Bytes of the packed unit in all.
    pub bytes: u64,
    /// The first of them, up to [`PART`].
    pub packed: Vec<u8>,
}

/// Asks the hub for a part of a packed unit: the bytes from `number` times [`PART`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartRequest {
    /// Name of the turn.
    pub turn: String,
    /// Number of the part, from 0.
    pub number: u32,
}

/// What a worker says of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnMessage {
    /// Name of the turn.
    pub turn: String,
    /// How many words of the turn came before: the server may bring them late, and more than once.
    pub number: u64,
    /// What it says.
    pub word: Word,
}

/// Whose machine it is, as it says itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Introduction {
    /// The name that its user gave it.
    pub name: String,
    /// Whom it computes for.
    pub user: Option<String>,
    /// The team of its user.
    pub team: Option<String>,
    /// Random games per second on one thread, by its benchmark.
    pub speed: u32,
}

/// A word of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Word {
    /// It has fetched the turn and begins. It says who it is: its first beat may come later.
    Begun(Introduction),
    /// What the unit says.
    Unit(Vec<u8>),
    /// A part of what the unit says; the last one completes it.
    Part {
        /// Bytes of the part, at most [`PART`].
        bytes: Vec<u8>,
        /// More parts follow.
        more: bool,
    },
    /// The unit was told to stop, and has.
    Returned,
    /// The attempt has failed.
    Failed(String),
    /// The unit cannot be computed on this machine, and why.
    Refused(String),
}

/// What a machine says every second or so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beat {
    /// Version of the messages.
    pub protocol: u32,
    /// The name that its user gave it.
    pub name: String,
    /// Version of the program.
    pub version: String,
    /// How many units it computes at once.
    pub workers: u32,
    /// It takes no more units.
    pub leaving: bool,
    /// What its program can do that not every program can ([`Portable::ability`](crate::queue::Portable::ability)).
    pub abilities: Vec<String>,
    /// Turns that it is at.
    pub turns: Vec<String>,
    /// Whom it computes for.
    pub user: Option<String>,
    /// The team of its user.
    pub team: Option<String>,
    /// Random games per second on one thread, by its benchmark.
    pub speed: u32,
    /// Number of the last message to users that it has shown.
    pub told: u64,
}

/// The same as of version 3.
#[derive(Deserialize)]
struct BeatOfVersion3 {
    protocol: u32,
    name: String,
    version: String,
    workers: u32,
    leaving: bool,
    abilities: Vec<String>,
    turns: Vec<String>,
}

impl Beat {
    /// What a machine says, also one of an earlier version, which is to be named as such.
    pub fn read(bytes: &[u8]) -> Option<Beat> {
        let of_now = |beat: &Beat| beat.protocol >= PROTOCOL;
        decode::<Beat>(bytes).filter(of_now).or_else(|| {
            let beat: BeatOfVersion3 = decode(bytes)?;
            let BeatOfVersion3 { protocol, name, version, workers, leaving, abilities, turns } = beat;
            let (user, team, speed, told) = Default::default();
            (protocol < PROTOCOL).then_some(Beat {
                protocol,
                name,
                version,
                workers,
                leaving,
                abilities,
                turns,
                user,
                team,
                speed,
                told,
            })
        })
    }
}

/// What the daemon has its users told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserMessage {
    /// Messages are numbered in their order.
    pub number: u64,
    /// The user whom it is for, or all of them.
    pub to: Option<String>,
    /// What is said.
    pub text: String,
}

/// What the hub tells a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// A turn is to end; a state to continue from is welcome.
    Stop(String),
    /// A unit is to be told something.
    Tell(String, Vec<u8>),
    /// The machine's user is to be told something.
    Say(UserMessage),
}

/// Who speaks on a subject, or is spoken to: a machine, and the user of the server that it is admitted as. Where each
/// user may publish on subjects with its own name alone, the server vouches for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Speaker {
    /// The user of the server; `None` where machines share the subjects.
    pub user: Option<String>,
    /// The machine's number, 16 hexadecimal digits.
    pub id: String,
}

impl Speaker {
    /// Who has published on a subject of [`Names::said`] or [`Names::beat`]; `None` if it is neither.
    pub fn of(subject: &str) -> Option<Speaker> {
        let mut parts = subject.splitn(4, '.');
        let (Some("mp"), Some(_), Some("said" | "beat")) = (parts.next(), parts.next(), parts.next()) else {
            return None;
        };
        let who = parts.next()?;
        let (user, id) = who.split_once('.').map_or((None, who), |(user, id)| (Some(user), id));
        let is_id = id.len() == 16 && id.bytes().all(|b| b.is_ascii_hexdigit());
        (is_id && user.is_none_or(is_user_name)).then(|| Speaker { user: user.map(str::to_owned), id: id.to_owned() })
    }

    /// The end of its subjects.
    pub fn place(&self) -> String {
        match &self.user {
            Some(user) => format!("{user}.{}", self.id),
            None => self.id.clone(),
        }
    }
}

/// Whether a user of the server can have subjects of its own: 1 to 64 letters, digits, `-` and `_`.
pub fn is_user_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && name.len() <= 64 && name.chars().all(is_plain)
}

/// The names of a pool's streams and subjects. A machine is named by its [`Speaker::place`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    pool: String,
}

impl Names {
    /// Those of a pool.
    ///
    /// # Errors
    /// A name that cannot be part of a subject.
    pub fn new(pool: &str) -> Result<Names, NatsError> {
        if !is_user_name(pool) || pool.len() > 32 {
            return Err(NatsError::Pool(pool.to_owned()));
        }
        Ok(Names { pool: pool.to_owned() })
    }

    /// The name that the pool was given.
    pub fn pool(&self) -> &str {
        &self.pool
    }

    /// All its subjects.
    pub fn all(&self) -> String {
        format!("mp.{}.>", self.pool)
    }

    /// The stream of turns.
    pub fn jobs_stream(&self) -> String {
        format!("MP_{}_JOBS", self.pool)
    }

    /// The stream of what workers say.
    pub fn said_stream(&self) -> String {
        format!("MP_{}_SAID", self.pool)
    }

    /// Where a turn is published, or `>` for all of them.
    pub fn jobs(&self, turn: &str) -> String {
        format!("mp.{}.jobs.{turn}", self.pool)
    }

    /// Where a machine says something of its turns.
    pub fn said(&self, machine: &str) -> String {
        format!("mp.{}.said.{machine}", self.pool)
    }

    /// Where a machine says that it is there.
    pub fn beat(&self, machine: &str) -> String {
        format!("mp.{}.beat.{machine}", self.pool)
    }

    /// Where a machine hears what it is told.
    pub fn orders(&self, machine: &str) -> String {
        format!("mp.{}.orders.{machine}", self.pool)
    }

    /// Where the hub hears itself.
    pub fn echo(&self) -> String {
        format!("mp.{}.echo", self.pool)
    }

    /// Where the hub is asked for parts of units, by machines without subjects of their own.
    pub fn parts(&self) -> String {
        format!("mp.{}.parts", self.pool)
    }

    /// Where the hub is asked for parts of units by a user of the server, or `*` for all of them.
    pub fn parts_of(&self, user: &str) -> String {
        format!("{}.{user}", self.parts())
    }

    /// What the subjects begin with on which a user of the server hears replies; without one, those of all clients
    /// that ask for no others.
    pub fn inbox(&self, user: Option<&str>) -> String {
        user.map_or_else(|| "_INBOX".to_owned(), |user| format!("mp.{}.inbox.{user}", self.pool))
    }

    /// The same for the hub.
    pub fn hub_inbox(&self) -> String {
        format!("mp.{}.hub", self.pool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::encoding::encode;

    #[test]
    fn a_beat_of_an_earlier_version_is_read_as_one() {
        let old = (3u32, "box", "0.1.0", 2u32, false, vec!["lp"], Vec::<&str>::new());
        let read = Beat::read(&encode(&old)).unwrap();
        assert_eq!((read.protocol, read.name.as_str(), read.workers, read.speed), (3, "box", 2, 0));
        let present = Beat { protocol: PROTOCOL, speed: 7, user: Some("ada".to_owned()), ..read };
        assert_eq!(Beat::read(&encode(&present)), Some(present));
        // What claims to be of this version and is not is nothing.
        assert_eq!(
            Beat::read(&encode(&(PROTOCOL, "box", "0.1.0", 2u32, false, vec!["lp"], Vec::<&str>::new()))),
            None
        );
    }

    #[test]
    fn a_pool_is_named_by_what_a_subject_may_hold() {
        assert_eq!(Names::new("lab-2").unwrap().jobs(">"), "mp.lab-2.jobs.>");
        for wrong in ["", "a.b", "a b", "*", ">", "é", &"x".repeat(33)] {
            assert!(Names::new(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn who_speaks_is_known_by_the_subject() {
        let names = Names::new("p").unwrap();
        for user in [None, Some("lab-1".to_owned())] {
            let speaker = Speaker { user, id: "0123456789abcdef".to_owned() };
            for subject in [names.said(&speaker.place()), names.beat(&speaker.place())] {
                assert_eq!(Speaker::of(&subject), Some(speaker.clone()));
            }
        }
        for wrong in [
            "mp.p.beat.0123",
            "mp.p.beat.0123456789abcdeg",
            "mp.p.beat..0123456789abcdef",
            "mp.p.beat.a.b.0123456789abcdef",
            "mp.p.beat.0123456789abcdef.a",
            "mp.p.jobs.0123456789abcdef",
            "mp.p.beat.a b.0123456789abcdef",
            "",
        ] {
            assert_eq!(Speaker::of(wrong), None, "{wrong}");
        }
    }
}
