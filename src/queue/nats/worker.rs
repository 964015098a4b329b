//! The machine's side: it fetches turns of a pool, computes their units on its threads, and says what they say.

use super::link::{self, ACK_WAIT};
use super::message::{
    Beat, Introduction, JobMessage, MOST_BYTES, Names, Order, PART, PROTOCOL, PartRequest, Speaker, TurnMessage,
    UserMessage, Word,
};
use super::reader::StreamReader;
use super::{NatsError, NatsServer};
use crate::core::encoding::{decode, encode};
use crate::core::panic::panic_text;
use crate::queue::{Lease, Stop, Unit};
use async_nats::connection::State;
use async_nats::header::NATS_MESSAGE_ID;
use async_nats::jetstream::{self, AckKind};
use async_nats::{Client, HeaderMap};
use futures_util::StreamExt;
use rand::RngExt;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;

/// Time between two words of a machine that is there.
const BEAT: Duration = Duration::from_secs(1);
/// Time between two looks at what a unit has to say.
const NEWS: Duration = Duration::from_secs(1);
/// Time after which what failed with the server is tried again.
const AGAIN: Duration = Duration::from_millis(500);
/// Longest wait for the server to say that it has a word, as long as the connection stands: it may be slow.
const SLOWEST: Duration = Duration::from_secs(120);
/// Turns that have ended here and are remembered: the server may bring one again whose end it was not told of.
const MOST_ENDED: usize = 1 << 10;
/// Characters of a message that its user is shown.
const LONGEST_MESSAGE: usize = 1000;
/// Time for which a worker that cannot read a turn leaves the turns to others.
const UNREADABLE: Duration = Duration::from_secs(10);

/// A machine that computes.
#[derive(Debug, Clone)]
pub struct Machine {
    /// The server of the pool.
    pub server: NatsServer,
    /// The name that the daemon shows.
    pub name: String,
    /// Units that are computed at once.
    pub workers: u32,
    /// Time without a poll after which a unit has failed.
    pub lease: Duration,
    /// What its program can do that not every program can.
    pub abilities: Vec<String>,
    /// What credit is given by.
    pub identity: MachineIdentity,
}

/// For whom a machine computes, and how fast it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MachineIdentity {
    /// Name of its user; without one, the machine is one by itself.
    pub user: Option<String>,
    /// The team of its user.
    pub team: Option<String>,
    /// Random games per second on one thread, by its benchmark.
    pub speed: u32,
}

/// What happens on the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerEvent {
    /// It is connected and waits for units.
    Connected,
    /// The connection is lost. Units that it has go on.
    Disconnected,
    /// What went wrong with the server. What is said again is told once.
    Trouble(String),
    /// A unit cannot be computed here.
    Refused(String),
    /// The daemon has its user told something.
    Message(String),
}

/// Why a packed unit is not computed here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotOpened {
    /// It is none that a coordinator could have handed out, or one that asks for too much.
    #[error("{0}")]
    Wrong(String),
    /// The program lacks what the unit needs. Others may have it.
    #[error("{0}")]
    Unable(String),
}

impl From<String> for NotOpened {
    fn from(what: String) -> NotOpened {
        NotOpened::Wrong(what)
    }
}

/// Who opens the units: makes a unit of what its coordinator has packed, for a worker (from 1). It trusts nothing.
pub type OpenUnit<U> = Arc<dyn Fn(&[u8], u32) -> Result<U, NotOpened> + Send + Sync>;

/// The turns that a machine has to do with.
#[derive(Default)]
struct TurnsHere {
    /// Those in hand, and where orders go.
    in_hand: BTreeMap<String, mpsc::UnboundedSender<Order>>,
    /// The last ones that have ended, the newest last.
    ended: VecDeque<String>,
}

impl TurnsHere {
    /// Takes a turn in hand; not if the server brings it once more.
    fn begin(&mut self, turn: &str, orders: mpsc::UnboundedSender<Order>) -> bool {
        let is_new = !self.in_hand.contains_key(turn) && !self.ended.iter().any(|ended| ended == turn);
        if is_new {
            self.in_hand.insert(turn.to_owned(), orders);
        }
        is_new
    }

    fn end(&mut self, turn: &str) {
        self.in_hand.remove(turn);
        if self.ended.len() == MOST_ENDED {
            self.ended.pop_front();
        }
        self.ended.push_back(turn.to_owned());
    }
}

/// What is shared by all workers of the machine.
struct WorkerMachine {
    /// Its number, and the user of the server whose subjects are its own.
    speaker: Speaker,
    names: Names,
    /// Begins the names of its words. Nobody else knows it: the server drops a word whose name it has had.
    secret: String,
    client: Client,
    context: jetstream::Context,
    turns: Mutex<TurnsHere>,
    /// Held by the worker that sends a part of a long word, so that a slow link is free for other words meanwhile.
    sending: tokio::sync::Mutex<()>,
    serial: AtomicU64,
    busy: AtomicU32,
    lease: Duration,
    /// Who it is.
    introduction: Introduction,
    /// Number of the last message to its user that it has shown.
    told: AtomicU64,
    tell: Arc<dyn Fn(WorkerEvent) + Send + Sync>,
}

impl WorkerMachine {
    fn turns(&self) -> MutexGuard<'_, TurnsHere> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Machine {
    fn introduction(&self) -> Introduction {
        let (name, MachineIdentity { user, team, speed }) = (self.name.clone(), self.identity.clone());
        Introduction { name, user, team, speed }
    }

    /// A connection, and the user of the server whose subjects are the machine's own: `user`, unless the server lets
    /// no replies come on its subjects. Then the machine shares those of all machines.
    async fn connect(
        &self,
        user: Option<String>,
        names: &Names,
        tell: &Arc<dyn Fn(WorkerEvent) + Send + Sync>,
    ) -> Result<(Client, Option<String>), NatsError> {
        let mut user = user;
        loop {
            let inbox = names.inbox(user.as_deref());
            let denied = Arc::new(Notify::new());
            let (said, told) = (Mutex::new(String::new()), Arc::clone(tell));
            let (is_denied, own) = (Arc::clone(&denied), format!("Subscription to \"{inbox}."));
            let (addresses, options) = link::options(&self.server, &self.name, &inbox, move |what| {
                if what.contains(&own) {
                    is_denied.notify_one();
                }
                let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
                if *said != what {
                    said.clone_from(&what);
                    told(WorkerEvent::Trouble(what));
                }
            })?;
            let client = options.connect(addresses).await;
            let client =
                client.map_err(|error| NatsError::Connect { url: self.server.address(), what: error.to_string() })?;
            let Some(name) = &user else { return Ok((client, None)) };
            if link::hears_replies(&client, names, &denied).await {
                return Ok((client, user));
            }
            tell(WorkerEvent::Trouble(format!(
                "its configuration has no subjects for the user {name} alone, so the machine shares those of all \
                 machines (see docs/scale-out.md, Many machines)"
            )));
            user = None;
        }
    }

    /// Computes units until `leave` is true. Then units that are at work are stopped and given back with their
    /// states.
    ///
    /// # Errors
    /// Names, addresses and files that cannot be used. A server that is not there is waited for.
    pub fn work<U: Unit>(
        self,
        open: OpenUnit<U>,
        leave: watch::Receiver<bool>,
        tell: Box<dyn Fn(WorkerEvent) + Send + Sync>,
    ) -> Result<(), NatsError> {
        let names = Names::new(&self.server.pool)?;
        let tell: Arc<dyn Fn(WorkerEvent) + Send + Sync> = Arc::from(tell);
        let user = link::user(&self.server)?;
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(NatsError::Thread)?;
        runtime.block_on(async move {
            let mut left = leave.clone();
            let (client, user) = tokio::select! {
                connected = self.connect(user, &names, &tell) => connected?,
                () = asked(&mut left) => return Ok(()),
            };
            let common = Arc::new(WorkerMachine {
                speaker: Speaker { user, id: format!("{:016x}", rand::rng().random::<u64>()) },
                secret: format!("{:032x}", rand::rng().random::<u128>()),
                names,
                context: jetstream::ContextBuilder::new().timeout(SLOWEST).build(client.clone()),
                client,
                turns: Mutex::default(),
                sending: tokio::sync::Mutex::default(),
                serial: AtomicU64::new(0),
                busy: AtomicU32::new(0),
                introduction: self.introduction(),
                told: AtomicU64::new(0),
                lease: self.lease,
                tell,
            });
            let mut slots = tokio::task::JoinSet::new();
            for worker in 1..=self.workers {
                let thread = UnitThread::start(worker)?;
                slots.spawn(slot(Arc::clone(&common), worker, thread, Arc::clone(&open), leave.clone()));
            }
            let orders = tokio::spawn(hear_orders(Arc::clone(&common)));
            let beats = tokio::spawn(beat(Arc::clone(&common), self, leave));
            while slots.join_next().await.is_some() {}
            orders.abort();
            // The daemon hears at once that the machine has gone.
            let _ = beats.await;
            let _ = tokio::time::timeout(Duration::from_secs(5), common.client.flush()).await;
            Ok(())
        })
    }
}

/// Says again and again that the machine is there, and once that it leaves.
async fn beat(common: Arc<WorkerMachine>, machine: Machine, leave: watch::Receiver<bool>) {
    let mut connected = false;
    loop {
        let leaving = *leave.borrow();
        let is = common.client.connection_state() == State::Connected;
        if std::mem::replace(&mut connected, is) != is {
            (common.tell)(if is { WorkerEvent::Connected } else { WorkerEvent::Disconnected });
        }
        let turns: Vec<String> = common.turns().in_hand.keys().cloned().collect();
        let is_last = leaving && turns.is_empty() && common.busy.load(Ordering::SeqCst) == 0;
        let beat = Beat {
            protocol: PROTOCOL,
            name: machine.name.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            workers: if leaving { 0 } else { machine.workers },
            abilities: machine.abilities.clone(),
            leaving,
            turns,
            user: machine.identity.user.clone(),
            team: machine.identity.team.clone(),
            speed: machine.identity.speed,
            told: common.told.load(Ordering::SeqCst),
        };
        // What is lost is said again.
        if is {
            let _ = common.client.publish(common.names.beat(&common.speaker.place()), encode(&beat).into()).await;
        }
        if is_last {
            return;
        }
        let wait = if leaving { BEAT / 10 } else { BEAT };
        let mut told = leave.clone();
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = asked(&mut told), if !leaving => {}
        }
    }
}

/// Returns when the machine is to leave.
async fn asked(leave: &mut watch::Receiver<bool>) {
    let _ = leave.wait_for(|&leave| leave).await;
}

/// Passes on what the hub says.
async fn hear_orders(common: Arc<WorkerMachine>) {
    loop {
        let Ok(mut orders) = common.client.subscribe(common.names.orders(&common.speaker.place())).await else {
            tokio::time::sleep(AGAIN).await;
            continue;
        };
        while let Some(message) = orders.next().await {
            let Some(order) = decode::<Order>(&message.payload) else { continue };
            let turn = match &order {
                Order::Stop(turn) | Order::Tell(turn, _) => turn,
                Order::Say(UserMessage { number, text, .. }) => {
                    // The hub says it again until it has heard that it was shown.
                    if common.told.fetch_max(*number, Ordering::SeqCst) < *number {
                        let text = text.chars().filter(|c| !c.is_control()).take(LONGEST_MESSAGE).collect();
                        (common.tell)(WorkerEvent::Message(text));
                    }
                    continue;
                }
            };
            let sender = common.turns().in_hand.get(turn).cloned();
            if let Some(sender) = sender {
                let _ = sender.send(order);
            }
        }
    }
}

/// One worker: fetches turn after turn.
async fn slot<U: Unit>(
    common: Arc<WorkerMachine>,
    worker: u32,
    mut thread: UnitThread<U>,
    open: OpenUnit<U>,
    mut leave: watch::Receiver<bool>,
) {
    loop {
        let message = tokio::select! {
            () = asked(&mut leave) => return,
            message = fetch(&common) => message,
        };
        common.busy.fetch_add(1, Ordering::SeqCst);
        let is_silent = turn(&common, worker, &thread, &open, &message, &mut leave).await;
        common.busy.fetch_sub(1, Ordering::SeqCst);
        if is_silent {
            // A thread cannot be killed. If it comes back, it finds nothing more to do and ends.
            match UnitThread::start(worker) {
                Ok(another) => thread = another,
                Err(error) => return (common.tell)(WorkerEvent::Refused(error.to_string())),
            }
        }
    }
}

/// The next turn.
async fn fetch(common: &WorkerMachine) -> jetstream::Message {
    loop {
        if let Some(consumer) = link::turns(&common.client, &common.names).await {
            let connection = link::connections(&common.client);
            if let Ok(mut reader) = StreamReader::open(&common.client, consumer, 1).await {
                tokio::select! {
                    biased;
                    message = reader.next() => if let Ok(message) = message {
                        return message;
                    },
                    // What was asked for before might bring a second turn.
                    () = link::connected_again(&common.client, connection) => {}
                }
            }
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// The bytes of a packed unit; nothing if it is none. A part that does not come is asked for again: if nobody has the
/// turn any more, the machine is told to stop.
async fn whole(common: &WorkerMachine, message: &JobMessage) -> Option<Vec<u8>> {
    let bytes = usize::try_from(message.bytes).ok().filter(|&bytes| bytes <= MOST_BYTES)?;
    let mut packed = message.packed.clone();
    let parts = common.speaker.user.as_ref().map_or_else(|| common.names.parts(), |user| common.names.parts_of(user));
    while packed.len() < bytes {
        let number = u32::try_from(packed.len() / PART).ok()?;
        let request = encode(&PartRequest { turn: message.turn.clone(), number });
        match common.client.request(parts.clone(), request.into()).await {
            Ok(part) if part.payload.is_empty() => return None,
            Ok(part) => packed.extend_from_slice(&part.payload),
            Err(_) => tokio::time::sleep(AGAIN).await,
        }
    }
    (packed.len() == bytes).then_some(packed)
}

/// What a thread says of its unit.
enum Told<U: Unit> {
    Report(U::Report),
    Done(U::Outcome),
    Stopped,
    Failed(String),
}

/// Computes the unit of a turn, and says what it says; whether its thread has fallen silent.
async fn turn<U: Unit>(
    common: &WorkerMachine,
    worker: u32,
    thread: &UnitThread<U>,
    open: &OpenUnit<U>,
    message: &jetstream::Message,
    leave: &mut watch::Receiver<bool>,
) -> bool {
    let job = decode::<JobMessage>(&message.payload);
    let is_named = message.headers.as_ref().is_some_and(|headers| headers.get(NATS_MESSAGE_ID).is_some());
    if job.is_none() && !is_named {
        // It is no turn of any daemon: somebody has had the server reply in the stream of turns.
        let _ = message.ack_with(AckKind::Term).await;
        return false;
    }
    // Daemons that know of users give turns names, so that nobody can have the server put them into the stream again.
    let is_known = |job: &JobMessage| job.protocol == PROTOCOL && (is_named || common.speaker.user.is_none());
    let Some(job) = job.filter(is_known) else {
        // Another machine may be able to read it.
        (common.tell)(WorkerEvent::Refused("the daemon's messages are of another version".to_owned()));
        let _ = message.ack_with(AckKind::Nak(None)).await;
        tokio::select! {
            () = tokio::time::sleep(UNREADABLE) => {}
            () = asked(leave) => {}
        }
        return false;
    };
    let (orders, mut ordered) = mpsc::unbounded_channel();
    if !common.turns().begin(&job.turn, orders.clone()) {
        let _ = message.double_ack().await;
        return false;
    }
    let mut words = TurnWords { common, turn: &job.turn, said: 0 };
    words.say(Word::Begun(common.introduction.clone())).await;
    let is_silent = match fetched(common, &job, &orders, &mut ordered, leave).await {
        None => {
            words.say(Word::Returned).await;
            false
        }
        Some(packed) => {
            let packed = packed.ok_or_else(|| NotOpened::Wrong("its unit is not whole".to_owned()));
            let last = match packed.and_then(|packed| open(&packed, worker)) {
                Ok(unit) => computed(&mut words, thread, unit, message, &mut ordered, leave).await,
                Err(error) => {
                    (common.tell)(WorkerEvent::Refused(error.to_string()));
                    Some(match error {
                        NotOpened::Wrong(what) => Word::Refused(what),
                        NotOpened::Unable(_) => Word::Returned,
                    })
                }
            };
            let is_silent = last.is_none();
            let silence = || Word::Failed(format!("worker {worker} was not heard of for {:?}", common.lease));
            words.say(last.unwrap_or_else(silence)).await;
            is_silent
        }
    };
    // In this order: a turn that is taken out of the stream has said its last word.
    let _ = message.double_ack().await;
    common.turns().end(&job.turn);
    is_silent
}

/// The bytes of a turn's unit, as [`whole`] has them; nothing if the turn is to end before they are here.
async fn fetched(
    common: &WorkerMachine,
    job: &JobMessage,
    orders: &mpsc::UnboundedSender<Order>,
    ordered: &mut mpsc::UnboundedReceiver<Order>,
    leave: &mut watch::Receiver<bool>,
) -> Option<Option<Vec<u8>>> {
    let packed = whole(common, job);
    tokio::pin!(packed);
    let mut early = Vec::new();
    let packed = loop {
        tokio::select! {
            biased;
            packed = &mut packed => break packed,
            Some(order) = ordered.recv() => match order {
                Order::Stop(_) => return None,
                Order::Tell(..) => early.push(order),
                Order::Say(_) => {}
            },
            () = asked(leave) => return None,
        }
    };
    // The unit hears them when it is here.
    early.into_iter().for_each(|order| _ = orders.send(order));
    Some(packed)
}

/// Has a thread compute the unit; the last word. There is none if the unit has not polled for its lease.
async fn computed<U: Unit>(
    words: &mut TurnWords<'_>,
    thread: &UnitThread<U>,
    unit: U,
    message: &jetstream::Message,
    ordered: &mut mpsc::UnboundedReceiver<Order>,
    leave: &mut watch::Receiver<bool>,
) -> Option<Word> {
    let common = words.common;
    let stop = Arc::new(AtomicBool::new(false));
    let polls = Arc::new(AtomicU64::new(0));
    let (sender, mut told) = mpsc::unbounded_channel();
    let own = unit.clone();
    if !thread.give(ThreadTask { unit, stop: Arc::clone(&stop), polls: Arc::clone(&polls), told: sender }) {
        return Some(Word::Failed("its thread has gone".to_owned()));
    }
    let Some(portable) = own.portable() else {
        return Some(Word::Failed("it is no unit for another machine".to_owned()));
    };
    let (mut heard, mut silent) = (0, Duration::ZERO);
    // Short units end before there is news.
    let pace = NEWS.min(common.lease / 4);
    let mut news = tokio::time::interval_at(Instant::now() + pace, pace);
    // After the process was stopped as a whole, no time has passed.
    news.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut at_it = tokio::time::interval_at(Instant::now() + ACK_WAIT / 3, ACK_WAIT / 3);
    // News that is said when everything that was told before has been: a score counts only after its grid.
    let mut pending: Vec<Vec<u8>> = Vec::new();
    loop {
        tokio::select! {
            biased;
            told = told.recv() => match told {
                Some(Told::Report(report)) => words.say(Word::Unit(portable.pack_report(report))).await,
                Some(Told::Done(outcome)) => return Some(Word::Unit(portable.pack_outcome(outcome))),
                Some(Told::Stopped) => {
                    for word in portable.news() {
                        words.say(Word::Unit(word)).await;
                    }
                    return Some(Word::Returned);
                }
                Some(Told::Failed(error)) => return Some(Word::Failed(error)),
                None => return Some(Word::Failed("its thread has gone".to_owned())),
            },
            () = std::future::ready(()), if !pending.is_empty() => {
                for word in pending.drain(..) {
                    words.say(Word::Unit(word)).await;
                }
            }
            Some(order) = ordered.recv() => match order {
                Order::Stop(_) => stop.store(true, Ordering::Relaxed),
                Order::Tell(_, order) => if let Err(error) = portable.obey(&order) {
                    (common.tell)(WorkerEvent::Refused(error));
                },
                Order::Say(_) => {}
            },
            () = asked(leave), if !stop.load(Ordering::Relaxed) => {
                stop.store(true, Ordering::Relaxed);
            }
            _ = news.tick() => {
                let polled = polls.load(Ordering::Relaxed);
                let is_silent = std::mem::replace(&mut heard, polled) == polled;
                silent = if is_silent { silent + news.period() } else { Duration::ZERO };
                if silent >= common.lease {
                    return None;
                }
                pending = portable.news();
            }
            _ = at_it.tick() => {
                let _ = message.ack_with(AckKind::Progress).await;
            }
        }
    }
}

/// What is said of a turn.
struct TurnWords<'a> {
    common: &'a WorkerMachine,
    turn: &'a str,
    /// Number of words that were said.
    said: u64,
}

impl TurnWords<'_> {
    /// Says something, and returns when the server has it. While there is no server, it waits.
    async fn say(&mut self, word: Word) {
        if let Word::Unit(bytes) = &word
            && bytes.len() > PART
        {
            let parts = bytes.chunks(PART);
            let last = parts.len() - 1;
            for (at, part) in parts.enumerate() {
                let _sending = self.common.sending.lock().await;
                self.publish(Word::Part { bytes: part.to_vec(), more: at < last }).await;
            }
        } else {
            self.publish(word).await;
        }
    }

    async fn publish(&mut self, word: Word) {
        let common = self.common;
        let bytes = encode(&TurnMessage { turn: self.turn.to_owned(), number: self.said, word });
        self.said += 1;
        // The server drops what it has had.
        let mut headers = HeaderMap::new();
        let serial = common.serial.fetch_add(1, Ordering::Relaxed);
        headers.insert(NATS_MESSAGE_ID, format!("{}-{serial}", common.secret));
        let subject = common.names.said(&common.speaker.place());
        loop {
            let connection = link::connections(&common.client);
            let sending =
                common.context.publish_with_headers(subject.clone(), headers.clone(), bytes.clone().into()).await;
            // A slow link is not helped by saying it again; what went with a connection is.
            let sent = match sending {
                Ok(sent) => tokio::select! {
                    sent = sent => sent.is_ok(),
                    () = link::connected_again(&common.client, connection) => false,
                },
                Err(_) => false,
            };
            if sent {
                return;
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}

/// A unit for a thread.
struct ThreadTask<U: Unit> {
    unit: U,
    stop: Arc<AtomicBool>,
    /// Counts the polls of the unit.
    polls: Arc<AtomicU64>,
    told: mpsc::UnboundedSender<Told<U>>,
}

/// A thread that computes unit after unit. It ends when this value is dropped.
struct UnitThread<U: Unit>(std::sync::mpsc::Sender<ThreadTask<U>>);

impl<U: Unit> UnitThread<U> {
    fn start(worker: u32) -> Result<UnitThread<U>, NatsError> {
        let (sender, tasks) = std::sync::mpsc::channel::<ThreadTask<U>>();
        let name = format!("worker {worker}");
        let run = move || {
            for task in tasks {
                let ThreadTask { unit, stop, polls, told } = task;
                let lease = ThreadLease { worker, stop: &stop, polls: &polls, told: &told };
                let computed = catch_unwind(AssertUnwindSafe(|| {
                    // The coordinator has packed the attempt.
                    let mut running = unit.begin(1)?;
                    Ok(match unit.run(&mut running, &lease) {
                        Some(outcome) => Told::Done(outcome),
                        None => Told::Stopped,
                    })
                }));
                let last = computed.unwrap_or_else(|panic| Err(panic_text(&*panic)));
                let _ = told.send(last.unwrap_or_else(Told::Failed));
            }
        };
        std::thread::Builder::new().name(name).spawn(run).map_err(NatsError::Thread)?;
        Ok(UnitThread(sender))
    }

    fn give(&self, task: ThreadTask<U>) -> bool {
        self.0.send(task).is_ok()
    }
}

/// A thread's hold on a unit.
struct ThreadLease<'a, U: Unit> {
    worker: u32,
    stop: &'a AtomicBool,
    polls: &'a AtomicU64,
    told: &'a mpsc::UnboundedSender<Told<U>>,
}

impl<U: Unit> Lease<U::Report> for ThreadLease<'_, U> {
    fn worker(&self) -> u32 {
        self.worker
    }

    fn stop(&self) -> Option<Stop> {
        self.polls.fetch_add(1, Ordering::Relaxed);
        self.stop.load(Ordering::Relaxed).then_some(Stop::Halted)
    }

    fn report(&self, report: U::Report) {
        let _ = self.told.send(Told::Report(report));
    }
}
