//! The daemon's side: seats of the queue for units that volunteers compute, and the spool that these go through.
//!
//! There are as many seats as workunits may be on their way at once. A unit that a seat takes becomes a workunit,
//! unless one of an earlier turn is still on its way: a job that was paused, or a daemon that was started again,
//! finds its workunits by what their units are recognised by. A volunteer needs hours or days, so nothing is sent
//! after a workunit: orders are not passed on, and a unit that returns to its lane leaves its workunit where it is.
//! The result of a workunit without a seat waits for one.

use super::package::{UnitHash, UnitWords, unit_file};
use super::spool::{Spool, SpoolError, SpoolLock, workunit_name};
use crate::queue::Unit;
use crate::queue::effort::Contributor;
use crate::queue::local::Local;
use crate::queue::local::seat::{Seat, SeatGroup};
use rand::RngExt;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Longest time between two looks at everything.
const LOOK: Duration = Duration::from_secs(1);
/// Shortest time between two of them: where local threads compute short units too, there is news all the time.
const PAUSE: Duration = Duration::from_millis(50);
/// Workunits on their way at most.
pub const MOST_UNITS: u32 = 1 << 16;
/// A worker of another machine looks after so long whether other jobs come first; volunteers are not asked.
const NEVER: Duration = Duration::from_secs(1 << 40);
/// A workunit whose unit no job has handed out again for so long is not waited for, nor is one that was given up
/// judged by it any more.
const KEPT: Duration = Duration::from_secs(60 * 86_400);
/// The name under which all volunteers are counted.
const VOLUNTEERS: &str = "boinc";
/// Time between two looks at what is too old.
const TIDY: Duration = Duration::from_secs(3600);

/// What a hub offers to volunteers, and how.
pub struct HubOptions {
    /// Workunits that are on their way at once.
    pub units: u32,
    /// What the program of the volunteers can do that not every program can.
    pub abilities: Vec<String>,
    /// Random games per second that a volunteer's computer is taken to play on one thread.
    pub speed: u32,
    /// What a packed unit is recognised by when it is packed again.
    pub identify: fn(&[u8]) -> Option<Vec<u8>>,
    /// Hears what happens.
    pub tell: Box<dyn Fn(HubEvent) + Send>,
}

/// What happens to workunits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HubEvent {
    /// A result has been taken in.
    Done(String),
    /// A result says what cannot be: the unit is handed out again.
    Refused(String, String),
    /// The server has given a workunit up.
    Failed(String, String),
    /// The spool cannot be used. What is said again is told once.
    Trouble(String),
}

#[derive(Debug, Default)]
struct HubSignal {
    /// A unit may be there, or one is to stop; and whether the hub is to end.
    state: Mutex<(bool, bool)>,
    told: Condvar,
}

impl HubSignal {
    fn give(&self, closing: bool) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = (true, state.1 || closing);
        self.told.notify_one();
    }

    /// Waits for something to do; whether the hub is to go on.
    fn wait(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.0 {
            state = self.told.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.0 = false;
        !state.1
    }
}

/// The hub. Dropping it gives all units back; their workunits stay where they are.
pub struct VolunteerHub {
    signal: Arc<HubSignal>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl fmt::Debug for VolunteerHub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VolunteerHub").finish_non_exhaustive()
    }
}

/// A hub cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// Its directory cannot be used.
    #[error(transparent)]
    Spool(#[from] SpoolError),
    /// Its thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

impl VolunteerHub {
    /// Opens a hub for the units of a queue.
    ///
    /// # Errors
    /// A directory that cannot be used.
    pub fn open<U: Unit>(queue: &Local<U>, directory: &Path, options: HubOptions) -> Result<VolunteerHub, HubError> {
        let (spool, lock) = Spool::create(directory)?;
        let signal = Arc::<HubSignal>::default();
        let waker = Arc::downgrade(&signal);
        let group = queue.seat_group(move || {
            if let Some(signal) = waker.upgrade() {
                signal.give(false);
            }
        });
        group.set_abilities(options.abilities.clone());
        let volunteer = Arc::new(Contributor::new(Some(VOLUNTEERS), None, VOLUNTEERS, options.speed));
        let mut serving = VolunteerService {
            places: (0..options.units.clamp(1, MOST_UNITS)).map(|_| (group.seat(), None)).collect(),
            parked: parked(&spool)?,
            spool,
            options,
            trouble: String::new(),
            tidied: None,
            volunteer,
            _group: group,
        };
        let shared = Arc::clone(&signal);
        let run = move || {
            let _lock: SpoolLock = lock;
            loop {
                let looked = serving.look();
                serving.note(looked);
                std::thread::sleep(PAUSE);
                if !shared.wait() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("boinc".to_owned()).spawn(run).map_err(HubError::Thread)?;
        Ok(VolunteerHub { signal, thread: Some(thread) })
    }
}

impl Drop for VolunteerHub {
    fn drop(&mut self) {
        self.signal.give(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The workunits of the spool by the first digits of what their units are recognised by.
fn parked(spool: &Spool) -> Result<BTreeMap<String, BTreeSet<String>>, SpoolError> {
    let mut parked: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for name in spool.units()? {
        parked.entry(identity_of(&name)).or_default().insert(name);
    }
    Ok(parked)
}

fn identity_of(name: &str) -> String {
    name.split('-').nth(1).unwrap_or_default().to_owned()
}

struct VolunteerService<U: Unit> {
    spool: Spool,
    options: HubOptions,
    /// The seats, and the workunits of their units.
    places: Vec<(Seat<U>, Option<String>)>,
    /// Workunits without a seat.
    parked: BTreeMap<String, BTreeSet<String>>,
    /// What was last told to be wrong.
    trouble: String,
    tidied: Option<Instant>,
    /// Who has computed what comes back. Their own server knows who they are.
    volunteer: Arc<Contributor>,
    /// That of the seats.
    _group: SeatGroup<U>,
}

impl<U: Unit> VolunteerService<U> {
    fn note(&mut self, looked: Result<(), SpoolError>) {
        let trouble = looked.err().map(|error| error.to_string()).unwrap_or_default();
        if !trouble.is_empty() && trouble != self.trouble {
            (self.options.tell)(HubEvent::Trouble(trouble.clone()));
        }
        self.trouble = trouble;
    }

    /// Looks at every seat and its workunit.
    fn look(&mut self) -> Result<(), SpoolError> {
        let results: BTreeSet<String> = self.spool.results()?.into_iter().collect();
        let failures: BTreeSet<String> = self.spool.failures()?.into_iter().collect();
        for at in 0..self.places.len() {
            let Some(name) = self.places[at].1.clone() else { continue };
            if results.contains(&name) {
                self.take_in(at, &name)?;
            } else if failures.contains(&name) {
                let why = self.spool.failure(&name);
                self.spool.end(&name, false)?;
                self.places[at].1 = None;
                self.places[at].0.fail(format!("{why} (workunit {name})"));
                (self.options.tell)(HubEvent::Failed(name, why));
            } else if self.places[at].0.end_cancelled() {
                self.places[at].1 = None;
                self.spool.end(&name, true)?;
            } else if self.places[at].0.stop(NEVER).is_some() {
                self.park(at);
            }
        }
        self.fill(&results, &failures)?;
        self.forget_strays(results.union(&failures))?;
        self.tidy()
    }

    /// Removes what has come of workunits that ended just when the server put it there.
    fn forget_strays<'n>(&self, come: impl Iterator<Item = &'n String>) -> Result<(), SpoolError> {
        let mut come = come.peekable();
        if come.peek().is_none() {
            return Ok(());
        }
        let units: BTreeSet<String> = self.spool.units()?.into_iter().collect();
        for name in come.filter(|name| !units.contains(*name)) {
            self.spool.end(name, false)?;
        }
        Ok(())
    }

    /// Gives a unit back to its lane; its workunit stays on its way.
    fn park(&mut self, at: usize) {
        self.places[at].0.give_back();
        if let Some(name) = self.places[at].1.take() {
            self.parked.entry(identity_of(&name)).or_default().insert(name);
        }
    }

    /// Takes in the result of a workunit.
    fn take_in(&mut self, at: usize, name: &str) -> Result<(), SpoolError> {
        let refused = match self.judged(at, name) {
            Ok(()) => None,
            Err(ResultRefusal::Wrong(what)) => Some(what),
            Err(ResultRefusal::Spool(error)) => return Err(error),
        };
        // In this order: whatever happens now, the unit has ended, or is handed out anew under another name.
        self.places[at].1 = None;
        if refused.is_some() {
            self.places[at].0.give_back();
        }
        (self.options.tell)(match refused {
            None => HubEvent::Done(name.to_owned()),
            Some(what) => HubEvent::Refused(name.to_owned(), what),
        });
        self.spool.end(name, false)
    }

    fn judged(&mut self, at: usize, name: &str) -> Result<(), ResultRefusal> {
        let wrong = |what: &str| ResultRefusal::Wrong(what.to_owned());
        let UnitWords { unit, words, time, .. } = match self.spool.result(name) {
            Ok(result) => result,
            Err(SpoolError::Damaged { what, .. }) => return Err(ResultRefusal::Wrong(what.to_string())),
            Err(error) => return Err(ResultRefusal::Spool(error)),
        };
        let (packed, _) =
            self.spool.unit(name).map_err(ResultRefusal::Spool)?.ok_or_else(|| wrong("its unit is gone"))?;
        if UnitHash::of(&packed) != unit {
            return Err(wrong("it is the result of another unit"));
        }
        // One thread has computed it, since the unit was offered.
        let longest = self.spool.age(name).unwrap_or_default();
        self.places[at].0.computed_for(&self.volunteer, time.min(longest));
        for word in words {
            if self.places[at].0.hear(&word).map_err(ResultRefusal::Wrong)? {
                return Ok(());
            }
        }
        Err(wrong("it has no outcome"))
    }

    /// Has every free seat take a unit, as far as there are any.
    fn fill(&mut self, results: &BTreeSet<String>, failures: &BTreeSet<String>) -> Result<(), SpoolError> {
        for at in 0..self.places.len() {
            while self.places[at].0.is_free() {
                let Some(packed) = self.places[at].0.take() else { return Ok(()) };
                let Some(identity) = (self.options.identify)(&packed) else {
                    self.places[at].0.fail("the unit cannot be recognised again".to_owned());
                    continue;
                };
                let identity = UnitHash::of(&identity);
                let name = match self.adopt(&identity.digits(), results) {
                    Some(name) => name,
                    None => {
                        let name = workunit_name(identity, rand::rng().random());
                        if let Err(error) = self.spool.put_unit(&name, &unit_file(&packed)) {
                            self.places[at].0.give_back();
                            return Err(error);
                        }
                        name
                    }
                };
                self.places[at].1 = Some(name.clone());
                // Its result may have come before its seat.
                if results.contains(&name) && !failures.contains(&name) {
                    self.take_in(at, &name)?;
                }
            }
        }
        Ok(())
    }

    /// A workunit that is on its way with this unit, first of all one that has a result.
    fn adopt(&mut self, identity: &str, results: &BTreeSet<String>) -> Option<String> {
        let names = self.parked.get_mut(identity)?;
        let name = names.iter().find(|name| results.contains(*name)).or_else(|| names.first())?.clone();
        names.remove(&name);
        if names.is_empty() {
            self.parked.remove(identity);
        }
        Some(name)
    }

    /// Ends what nobody has asked for for long.
    fn tidy(&mut self) -> Result<(), SpoolError> {
        if self.tidied.is_some_and(|last| last.elapsed() < TIDY) {
            return Ok(());
        }
        self.tidied = Some(Instant::now());
        let spool = &self.spool;
        let old: Vec<String> = self
            .parked
            .values()
            .flatten()
            .filter(|name| spool.age(name).is_some_and(|age| age > KEPT))
            .cloned()
            .collect();
        for name in old {
            self.spool.end(&name, true)?;
            if let Some(names) = self.parked.get_mut(&identity_of(&name)) {
                names.remove(&name);
            }
        }
        self.spool.forget(KEPT)
    }
}

/// Why a result is not taken in.
enum ResultRefusal {
    Wrong(String),
    Spool(SpoolError),
}
