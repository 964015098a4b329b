//! What every backend of the queue must do, whatever it is made of. A backend is given as a function that makes one
//! with so many workers, a quantum and a lease; [`all`] then asks everything of it.
//!
//! The units count: each takes steps until it has taken all of them, polls between any two, and leaves traces in a
//! probe that the test reads. Some panic, some fall silent, until they are told.

use crossbeam_channel::{Receiver, Sender, unbounded};
use morpion::core::encoding::{decode, encode};
use morpion::queue::copies::UnitCopy;
use morpion::queue::local::LocalOptions;
use morpion::queue::{LaneId, Lease, MOST_ATTEMPTS, Message, Portable, Queue, Terms, Unit, Unpacked};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

/// A guard against hanging, not a measure.
const PATIENCE: Duration = Duration::from_secs(120);

pub type Made = Box<dyn Queue<Count>>;
pub type Backend = fn(u32, LocalOptions) -> Made;

/// What all units of a test leave behind.
#[derive(Debug, Default)]
pub struct Probe {
    /// Units at work, and the most there ever were.
    working: AtomicU32,
    most: AtomicU32,
    /// Steps by unit.
    steps: Mutex<BTreeMap<u64, u64>>,
    /// Units in the order in which they were begun.
    begun: Mutex<Vec<u64>>,
    /// Units of a smaller number take no step.
    held: AtomicU64,
}

/// Number below which all units are.
const ALL: u64 = u64::MAX;

impl Probe {
    /// From now on units of a smaller number take no step.
    pub fn hold(&self, below: u64) {
        self.held.store(below, Ordering::SeqCst);
    }

    fn holds(&self, unit: u64) -> bool {
        unit < self.held.load(Ordering::SeqCst)
    }
}

/// How a unit behaves.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Nature {
    /// It counts.
    Plain,
    /// Its first attempts panic, so many.
    Panics(u32),
    /// It cannot be begun at its first attempts, so many.
    Refuses(u32),
    /// Its first attempt does not poll while it is held, and then brings its outcome all the same.
    Silent,
    /// It counts; after so many steps all units are held.
    Holds(u64),
}

/// A unit of the suite.
#[derive(Debug, Clone)]
pub struct Count {
    id: u64,
    steps: u64,
    nature: Nature,
    probe: Arc<Probe>,
    /// What a program must be able to do that computes it.
    needs: Option<&'static str>,
    /// Which copy it is, if several have to agree.
    copy: Option<UnitCopy>,
    /// If it was packed: the attempt that it was packed for.
    packed: Option<u32>,
    /// Whether another attempt begins anew.
    anew: bool,
    /// Where it was last interrupted elsewhere: 1 more than the steps that it had taken; 0 if it was never begun.
    left: Arc<AtomicU64>,
}

impl Count {
    /// A unit that takes so many steps.
    pub fn new(id: u64, steps: u64, nature: Nature, probe: &Arc<Probe>) -> Count {
        let (needs, copy, packed, anew, left) = Default::default();
        Count { id, steps, nature, probe: Arc::clone(probe), needs, copy, packed, anew, left }
    }

    /// The same as one that begins anew when it was interrupted.
    #[allow(dead_code, reason = "not every backend is asked for it")]
    pub fn beginning_anew(self) -> Count {
        Count { anew: true, ..self }
    }

    /// The same for programs that are able to do something.
    #[allow(dead_code, reason = "not every backend is asked for it")]
    pub fn needing(self, ability: &'static str) -> Count {
        Count { needs: Some(ability), ..self }
    }

    /// The same as a copy of a unit.
    #[allow(dead_code, reason = "not every backend is asked for it")]
    pub fn with_copy(self, copy: UnitCopy) -> Count {
        Count { copy: Some(copy), ..self }
    }

    /// Makes a unit of what another process was sent. It is this process, so that the probe is the same.
    pub fn open(bytes: &[u8]) -> Result<Count, String> {
        let packed: Option<(u64, u64, Nature, u32, u64, u64)> = decode(bytes);
        let (id, steps, nature, attempt, left, probe) = packed.ok_or("it cannot be read")?;
        let probe = PROBES.lock().unwrap()[probe as usize].upgrade().ok_or("its test is over")?;
        let left = Arc::new(AtomicU64::new(left));
        Ok(Count { packed: Some(attempt), left, ..Count::new(id, steps, nature, &probe) })
    }
}

/// The probes of units that were packed.
static PROBES: Mutex<Vec<Weak<Probe>>> = Mutex::new(Vec::new());

/// What a unit says in packed form.
#[derive(serde::Serialize, serde::Deserialize)]
enum CountWord {
    Report(u64),
    Outcome(u64),
    Left(u64),
}

impl Portable<u64, u64> for Count {
    fn pack(&self, attempt: u32) -> Vec<u8> {
        let mut probes = PROBES.lock().unwrap();
        let own = Arc::downgrade(&self.probe);
        let at = probes.iter().position(|probe| probe.ptr_eq(&own)).unwrap_or_else(|| {
            probes.push(own);
            probes.len() - 1
        });
        encode(&(self.id, self.steps, self.nature, attempt, self.left.load(Ordering::SeqCst), at as u64))
    }

    fn ability(&self) -> Option<&'static str> {
        self.needs
    }

    fn copy(&self) -> Option<&UnitCopy> {
        self.copy.as_ref()
    }

    fn unpack(&self, _worker: u32, message: &[u8]) -> Result<Unpacked<u64, u64>, String> {
        Ok(match decode(message).ok_or("it cannot be read")? {
            CountWord::Report(report) => Unpacked::Report(report),
            CountWord::Outcome(outcome) => Unpacked::Outcome(outcome),
            CountWord::Left(left) => {
                self.left.store(left, Ordering::SeqCst);
                Unpacked::Advanced
            }
        })
    }

    fn order(&self) -> Option<Vec<u8>> {
        None
    }

    fn given_back(&self) {
        self.copy.iter().for_each(UnitCopy::leave);
    }

    fn continues(&self) -> bool {
        !self.anew
    }

    fn pack_report(&self, report: u64) -> Vec<u8> {
        encode(&CountWord::Report(report))
    }

    fn pack_outcome(&self, outcome: u64) -> Vec<u8> {
        encode(&CountWord::Outcome(outcome))
    }

    fn news(&self) -> Vec<Vec<u8>> {
        vec![encode(&CountWord::Left(self.left.load(Ordering::SeqCst)))]
    }

    fn obey(&self, _order: &[u8]) -> Result<(), String> {
        Err("it obeys nothing".to_owned())
    }
}

pub struct Counting {
    attempt: u32,
    taken: u64,
}

struct Working<'a>(&'a Probe);

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.working.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Unit for Count {
    type Running = Counting;
    type Report = u64;
    type Outcome = u64;

    fn begin(&self, attempt: u32) -> Result<Counting, String> {
        let attempt = self.packed.unwrap_or(attempt);
        let left = self.left.load(Ordering::SeqCst);
        let taken = left.saturating_sub(1);
        if left == 0 {
            self.probe.begun.lock().unwrap().push(self.id);
        }
        match self.nature {
            Nature::Refuses(first) if attempt <= first => Err(format!("unit {} refuses attempt {attempt}", self.id)),
            _ => Ok(Counting { attempt, taken }),
        }
    }

    fn run(&self, running: &mut Counting, lease: &dyn Lease<u64>) -> Option<u64> {
        let working = self.probe.working.fetch_add(1, Ordering::SeqCst) + 1;
        let _working = Working(&self.probe);
        self.probe.most.fetch_max(working, Ordering::SeqCst);
        if self.nature == Nature::Silent && running.attempt == 1 {
            wait_until("it is let go", || !self.probe.holds(self.id));
            return Some(u64::MAX);
        }
        while running.taken < self.steps {
            if let Nature::Panics(first) = self.nature
                && running.attempt <= first
            {
                panic!("unit {} panics in attempt {}", self.id, running.attempt);
            }
            std::thread::sleep(Duration::from_millis(1));
            if lease.stop().is_some() {
                if self.packed.is_some() {
                    self.left.store(running.taken + 1, Ordering::SeqCst);
                }
                return None;
            }
            if !self.probe.holds(self.id) {
                running.taken += 1;
                *self.probe.steps.lock().unwrap().entry(self.id).or_default() += 1;
                if self.nature == Nature::Holds(running.taken) {
                    self.probe.hold(ALL);
                }
            }
        }
        lease.report(running.taken);
        Some(running.taken)
    }

    fn portable(&self) -> Option<&dyn Portable<u64, u64>> {
        Some(self)
    }
}

fn wait_until(what: &str, mut ready: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !ready() {
        assert!(Instant::now() < end, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A lane with its inbox.
struct Lane {
    id: LaneId,
    sender: Sender<Message<Count>>,
    inbox: Receiver<Message<Count>>,
    probe: Arc<Probe>,
}

impl Lane {
    fn open(queue: &Made, terms: Terms, probe: &Arc<Probe>) -> Lane {
        let (sender, inbox) = unbounded();
        let id = queue.open(terms, sender.clone().into());
        Lane { id, sender, inbox, probe: Arc::clone(probe) }
    }

    fn put(&self, queue: &Made, id: u64, steps: u64, nature: Nature) {
        queue.put(self.id, id, Count::new(id, steps, nature, &self.probe)).unwrap();
    }

    /// The next message; reports are passed over.
    fn next(&self) -> Message<Count> {
        loop {
            match self.inbox.recv_timeout(PATIENCE).expect("a message") {
                Message::Report { .. } => {}
                message => return message,
            }
        }
    }

    /// Waits for so many units to be done: their outcomes.
    fn done(&self, units: usize) -> BTreeMap<u64, u64> {
        let mut done = BTreeMap::new();
        while done.len() < units {
            match self.next() {
                Message::Done { unit, outcome, worker, .. } => {
                    assert!(worker >= 1);
                    assert!(done.insert(unit, outcome).is_none(), "unit {unit} was done twice");
                }
                message => panic!("{message:?}"),
            }
        }
        done
    }

    fn is_silent(&self) -> bool {
        self.inbox.is_empty() && self.sender.is_empty()
    }
}

fn fast() -> LocalOptions {
    LocalOptions { quantum: Duration::from_millis(20), ..LocalOptions::default() }
}

/// Everything that is asked of a backend.
pub fn all(backend: Backend) {
    every_unit_is_done_once(backend);
    reports_come_before_the_end(backend);
    priority_goes_first_and_preempts(backend);
    weights_are_kept(backend);
    a_lane_keeps_to_its_workers(backend);
    halted_lanes_leave_the_workers(backend);
    withdrawn_units_say_nothing(backend);
    closed_lanes_are_forgotten(backend);
    failures_are_contained(backend);
    a_silent_worker_loses_its_unit(backend);
    many_waiting_units_are_done(backend);
}

fn every_unit_is_done_once(backend: Backend) {
    let (queue, probe) = (backend(3, fast()), Arc::<Probe>::default());
    // Nobody is done before all are put: a unit that is done may be put again.
    probe.hold(ALL);
    let (one, two) = (Lane::open(&queue, Terms::default(), &probe), Lane::open(&queue, Terms::default(), &probe));
    for unit in 0..60 {
        one.put(&queue, unit, 1 + unit % 7, Nature::Plain);
        two.put(&queue, 1000 + unit, 3, Nature::Plain);
        // A second delivery of the same unit is none.
        one.put(&queue, unit, 1 + unit % 7, Nature::Plain);
    }
    probe.hold(0);
    let done = one.done(60);
    assert!(done.iter().all(|(unit, outcome)| *outcome == 1 + unit % 7), "{done:?}");
    assert!(two.done(60).values().all(|&outcome| outcome == 3));
    assert!(one.is_silent() && two.is_silent());
    let most = probe.most.load(Ordering::SeqCst);
    assert!((2..=3).contains(&most), "{most} of 3 workers were at work at once");
    assert_eq!(queue.activity(one.id).running + queue.activity(one.id).waiting, 0);
    assert!(queue.activity(one.id).busy > Duration::ZERO);
}

fn reports_come_before_the_end(backend: Backend) {
    let (queue, probe) = (backend(1, fast()), Arc::default());
    let lane = Lane::open(&queue, Terms::default(), &probe);
    lane.put(&queue, 5, 9, Nature::Plain);
    let first = lane.inbox.recv_timeout(PATIENCE).unwrap();
    assert!(matches!(first, Message::Report { unit: 5, report: 9 }), "{first:?}");
    assert_eq!(lane.done(1), BTreeMap::from([(5, 9)]));
}

fn priority_goes_first_and_preempts(backend: Backend) {
    // A quantum that never ends: only priority takes a worker away.
    let queue = backend(2, LocalOptions { quantum: Duration::from_secs(3600), ..LocalOptions::default() });
    let probe = Arc::new(Probe::default());
    let low = Lane::open(&queue, Terms { priority: -1, ..Terms::default() }, &probe);
    // The second one alone takes steps, until it holds all.
    probe.hold(1);
    low.put(&queue, 0, 30, Nature::Plain);
    low.put(&queue, 1, 30, Nature::Holds(7));
    wait_until("the low ones are on their way", || queue.activity(low.id).running == 2 && probe.holds(1));
    let high = Lane::open(&queue, Terms { priority: 7, ..Terms::default() }, &probe);
    for unit in 10..14 {
        high.put(&queue, unit, 20, Nature::Plain);
    }
    wait_until("the low ones give way", || queue.activity(high.id).running == 2);
    assert_eq!(queue.activity(low.id).running, 0);
    // A low one that has a worker again takes no step before the high ones are done.
    probe.hold(10);
    high.done(4);
    assert!(low.is_silent());
    probe.hold(0);
    assert_eq!(low.done(2), BTreeMap::from([(0, 30), (1, 30)]));
    // Those that gave way have lost nothing of what they had done.
    assert!(probe.steps.lock().unwrap().values().all(|steps| [20, 30].contains(steps)));
    // Priority counts for the waiting ones, too, and can be changed.
    probe.hold(ALL);
    low.put(&queue, 2, 1, Nature::Plain);
    high.put(&queue, 14, 1, Nature::Plain);
    high.put(&queue, 15, 1, Nature::Plain);
    wait_until("the high ones run", || queue.activity(high.id).running == 2);
    queue.adjust(low.id, Terms { priority: 8, ..Terms::default() });
    wait_until("the low one is first", || queue.activity(low.id).running == 1);
    probe.hold(0);
    low.done(1);
    high.done(2);
}

fn weights_are_kept(backend: Backend) {
    let (queue, probe) = (backend(1, fast()), Arc::default());
    let light = Lane::open(&queue, Terms { weight: 1, ..Terms::default() }, &probe);
    let heavy = Lane::open(&queue, Terms { weight: 4, ..Terms::default() }, &probe);
    light.put(&queue, 1, 1 << 40, Nature::Plain);
    heavy.put(&queue, 2, 1 << 40, Nature::Plain);
    // In time at the worker: steps take longer when the machine is busy.
    let busy = |lane: &Lane| queue.activity(lane.id).busy.as_secs_f64();
    // A worker that the system held up may have done one lane more than its share for a moment.
    wait_until("the weights are kept", || {
        let (of_light, of_heavy) = (busy(&light), busy(&heavy));
        of_light + of_heavy > 2.0 && (0.7..0.9).contains(&(of_heavy / (of_light + of_heavy)))
    });
    queue.close(light.id);
    queue.close(heavy.id);
}

fn a_lane_keeps_to_its_workers(backend: Backend) {
    let (queue, probe) = (backend(3, fast()), Arc::new(Probe::default()));
    let lane = Lane::open(&queue, Terms { workers: Some(1), ..Terms::default() }, &probe);
    for unit in 0..6 {
        lane.put(&queue, unit, 5, Nature::Plain);
    }
    lane.done(6);
    assert_eq!(probe.most.load(Ordering::SeqCst), 1);
    probe.hold(ALL);
    for unit in 6..9 {
        lane.put(&queue, unit, 5, Nature::Plain);
    }
    queue.adjust(lane.id, Terms { workers: Some(3), ..Terms::default() });
    wait_until("three run", || queue.activity(lane.id).running == 3);
    queue.adjust(lane.id, Terms { workers: Some(2), ..Terms::default() });
    wait_until("two run", || queue.activity(lane.id).running == 2);
    probe.hold(0);
    lane.done(3);
}

fn halted_lanes_leave_the_workers(backend: Backend) {
    let (queue, probe) = (backend(2, fast()), Arc::new(Probe::default()));
    let lane = Lane::open(&queue, Terms::default(), &probe);
    // The second one alone takes steps, until it holds all.
    probe.hold(2);
    for (unit, nature) in [(0, Nature::Plain), (2, Nature::Holds(7)), (1, Nature::Plain)] {
        lane.put(&queue, unit, 50, nature);
    }
    wait_until("two are on their way", || queue.activity(lane.id).running == 2 && probe.holds(2));
    assert!(queue.halt(lane.id, PATIENCE));
    assert_eq!(probe.working.load(Ordering::SeqCst), 0);
    assert_eq!((queue.activity(lane.id).running, queue.activity(lane.id).waiting), (0, 3));
    assert!(queue.worker_states().iter().all(|worker| worker.unit.is_none()));
    probe.hold(0);
    lane.put(&queue, 3, 1, Nature::Plain);
    let other = Lane::open(&queue, Terms { priority: -9, ..Terms::default() }, &probe);
    other.put(&queue, 9, 1, Nature::Plain);
    other.done(1);
    assert!(lane.is_silent());
    queue.go_on(lane.id);
    assert_eq!(lane.done(4), BTreeMap::from([(0, 50), (1, 50), (2, 50), (3, 1)]));
    // None was begun anew, and none has lost anything.
    assert_eq!(*probe.steps.lock().unwrap(), BTreeMap::from([(0, 50), (1, 50), (2, 50), (3, 1), (9, 1)]));
    let begun = probe.begun.lock().unwrap();
    assert_eq!(begun.iter().filter(|&&unit| unit == 0).count(), 1, "{begun:?}");
}

fn withdrawn_units_say_nothing(backend: Backend) {
    let (queue, probe) = (backend(1, fast()), Arc::new(Probe::default()));
    let lane = Lane::open(&queue, Terms::default(), &probe);
    probe.hold(ALL);
    for unit in 0..3 {
        lane.put(&queue, unit, 2, Nature::Plain);
    }
    wait_until("the first one runs", || queue.activity(lane.id).running == 1);
    assert!(queue.withdraw(lane.id, 0) && queue.withdraw(lane.id, 1));
    assert!(!queue.withdraw(lane.id, 1) && !queue.withdraw(lane.id, 77));
    probe.hold(0);
    assert_eq!(lane.done(1), BTreeMap::from([(2, 2)]));
    assert!(lane.is_silent());
}

fn closed_lanes_are_forgotten(backend: Backend) {
    let (queue, probe) = (backend(1, fast()), Arc::new(Probe::default()));
    let lane = Lane::open(&queue, Terms::default(), &probe);
    lane.put(&queue, 0, 1 << 40, Nature::Plain);
    lane.put(&queue, 1, 1, Nature::Plain);
    wait_until("it runs", || probe.working.load(Ordering::SeqCst) == 1);
    queue.close(lane.id);
    wait_until("the worker has left it", || probe.working.load(Ordering::SeqCst) == 0);
    assert!(queue.put(lane.id, 2, Count::new(2, 1, Nature::Plain, &probe)).is_err());
    let other = Lane::open(&queue, Terms::default(), &probe);
    assert_ne!(other.id, lane.id);
    other.put(&queue, 3, 1, Nature::Plain);
    other.done(1);
    assert!(lane.is_silent());
}

fn failures_are_contained(backend: Backend) {
    let (queue, probe) = (backend(2, fast()), Arc::default());
    let lane = Lane::open(&queue, Terms::default(), &probe);
    lane.put(&queue, 0, 3, Nature::Panics(2));
    lane.put(&queue, 1, 3, Nature::Panics(u32::MAX));
    lane.put(&queue, 2, 3, Nature::Refuses(1));
    lane.put(&queue, 3, 3, Nature::Plain);
    let (mut done, mut failed, mut quarantined) = (BTreeMap::new(), BTreeMap::<u64, Vec<u32>>::new(), Vec::new());
    while done.len() + quarantined.len() < 4 {
        match lane.next() {
            Message::Done { unit, outcome, .. } => assert!(done.insert(unit, outcome).is_none()),
            Message::Failed { unit, attempts, error, quarantined: gone } => {
                assert!(error.contains(&format!("unit {unit} ")), "{error}");
                failed.entry(unit).or_default().push(attempts);
                quarantined.extend(gone.then_some(unit));
            }
            Message::Report { .. } => {}
        }
    }
    assert_eq!(done, BTreeMap::from([(0, 3), (2, 3), (3, 3)]));
    assert_eq!(failed, BTreeMap::from([(0, vec![1, 2]), (1, vec![1, 2, MOST_ATTEMPTS]), (2, vec![1])]));
    assert_eq!(quarantined, [1]);
    // All workers are still there.
    probe.hold(ALL);
    lane.put(&queue, 4, 1, Nature::Plain);
    lane.put(&queue, 5, 1, Nature::Plain);
    wait_until("both workers are at work", || queue.activity(lane.id).running == 2);
    probe.hold(0);
    lane.done(2);
}

fn a_silent_worker_loses_its_unit(backend: Backend) {
    let queue = backend(2, LocalOptions { lease: Duration::from_secs(2), ..fast() });
    let probe = Arc::new(Probe::default());
    let lane = Lane::open(&queue, Terms::default(), &probe);
    probe.hold(ALL);
    lane.put(&queue, 0, 4, Nature::Silent);
    match lane.next() {
        Message::Failed { unit: 0, attempts: 1, quarantined: false, error } => {
            assert!(error.contains("not heard of"), "{error}")
        }
        message => panic!("{message:?}"),
    }
    // The second attempt does what the first one should have, and what that one brings late is dropped.
    wait_until("the unit is begun again", || probe.begun.lock().unwrap().len() == 2);
    probe.hold(0);
    assert_eq!(lane.done(1), BTreeMap::from([(0, 4)]));
    wait_until("the silent one has come back", || probe.working.load(Ordering::SeqCst) == 0);
    lane.put(&queue, 1, 1, Nature::Plain);
    assert_eq!(lane.done(1), BTreeMap::from([(1, 1)]));
    assert!(lane.is_silent());
}

fn many_waiting_units_are_done(backend: Backend) {
    let (queue, probe) = (backend(2, fast()), Arc::default());
    let lane = Lane::open(&queue, Terms::default(), &probe);
    (0..2000).for_each(|unit| lane.put(&queue, unit, 0, Nature::Plain));
    lane.done(2000);
}
