//! The daemon's side: seats for the workers of all machines of a pool, and the turns in them.

mod speakers;
mod standing;

use self::speakers::speaker_of;
use super::link::{self, Streams};
use super::machine::{KnownMachine, MachineHealth, PoolState};
use super::message::{
    Beat, JobMessage, MOST_BYTES, Names, Order, PART, PROTOCOL, Speaker, TurnMessage, UserMessage, Word,
};
use super::reader::StreamReader;
use super::turn::{SentTurn, free_workers};
use super::words::WordQueue;
use super::{NatsError, NatsOptions, NatsServer};
use crate::core::encoding::{decode, encode};
use crate::queue::Unit;
use crate::queue::effort::Contributor;
use crate::queue::local::Local;
use crate::queue::local::seat::{Seat, SeatGroup};
use async_nats::connection::State;
use async_nats::jetstream;
use async_nats::{Client, HeaderMap, Message, Subscriber};
use futures_util::StreamExt;
use rand::RngExt;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc};

/// Time between two looks at everything.
const LOOK: Duration = Duration::from_millis(100);
/// Time between two words of the hub to itself.
const ECHO: Duration = Duration::from_secs(1);
/// A hub that has not heard itself for so long hears no machine either: its own connection is silent.
const DEAF: Duration = Duration::from_secs(3);
/// Time after which a worker is told once more to stop.
const AGAIN: Duration = Duration::from_secs(1);
/// Time that a turn may be in the stream without a worker, while there are free ones.
const UNCLAIMED: Duration = Duration::from_secs(120);
/// Machines that are remembered.
const MOST_MACHINES: usize = 1 << 14;
/// Workers of one machine.
const MOST_WORKERS: u32 = 4096;
/// Seats of all machines together.
const MOST_SEATS: usize = 1 << 16;
/// Bytes of a text of a machine.
const MOST_TEXT: usize = 1000;
/// Messages to its user that a machine is sent at once.
const MOST_MESSAGES: usize = 5;
/// A machine that was lost is shown for so long.
const REMEMBERED: Duration = Duration::from_secs(3600);

/// What the hub's thread shares with the others.
#[derive(Debug, Default)]
struct HubState {
    /// The address of the server, and the name of the pool, as the daemon's log has them.
    place: String,
    pool: Mutex<PoolState>,
    /// What users are to be told, the oldest first.
    messages: Mutex<Vec<UserMessage>>,
    /// A machine without a user of its own was heard, and the daemon's log says so.
    is_shared: AtomicBool,
    /// A unit may be there, or one is to stop.
    told: Notify,
    /// The hub is to end.
    closing: Notify,
}

impl HubState {
    /// There is no connection, for this reason. The daemon's log tells each new reason.
    fn trouble(&self, text: String) {
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        if pool.trouble.as_ref() != Some(&text) {
            tracing::warn!("no connection to {}: {text}", self.place);
        }
        (pool.connected, pool.trouble) = (false, Some(text));
    }

    /// The first messages for a user behind the one of this number.
    fn messages_to(&self, user: &str, told: u64) -> Vec<UserMessage> {
        let messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        let is_for = |message: &&UserMessage| message.to.as_ref().is_none_or(|to| to == user);
        messages.iter().filter(|message| message.number > told).filter(is_for).take(MOST_MESSAGES).cloned().collect()
    }
}

/// The hub. Dropping it gives all units back.
pub struct Hub {
    common: Arc<HubState>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub").field("pool", &self.pool()).finish_non_exhaustive()
    }
}

impl Hub {
    /// Opens a pool for the units of a queue. A server that is not there is waited for.
    ///
    /// # Errors
    /// Names, addresses and files that cannot be used.
    pub fn open<U: Unit>(queue: &Local<U>, server: &NatsServer, options: NatsOptions) -> Result<Hub, NatsError> {
        let names = Names::new(&server.pool)?;
        let place = format!("{}, pool {}", server.address(), server.pool);
        let trouble = Some(format!("no connection to {} yet", server.address()));
        let pool = Mutex::new(PoolState { trouble, ..PoolState::default() });
        let common = Arc::new(HubState { place, pool, ..HubState::default() });
        let shared = Arc::clone(&common);
        let connect = link::options(server, "morpion daemon", &names.hub_inbox(), move |what| shared.trouble(what))?;
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(NatsError::Thread)?;
        let waker = Arc::downgrade(&common);
        let group = queue.seat_group(move || {
            if let Some(common) = waker.upgrade() {
                common.told.notify_one();
            }
        });
        let shared = Arc::clone(&common);
        let url = server.address();
        let thread = std::thread::Builder::new()
            .name("nats".to_owned())
            .spawn(move || runtime.block_on(serve(group, connect, &url, names, options, &shared)))
            .map_err(NatsError::Thread)?;
        Ok(Hub { common, thread: Some(thread) })
    }

    /// What the machines are to show to their users from now on, the oldest first.
    pub fn set_messages(&self, messages: Vec<UserMessage>) {
        *self.common.messages.lock().unwrap_or_else(PoisonError::into_inner) = messages;
    }

    /// How the pool stands.
    pub fn pool(&self) -> PoolState {
        self.common.pool.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.common.closing.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Connects, and serves the pool until the hub is closed. Whatever the server refuses is tried again.
async fn serve<U: Unit>(
    group: SeatGroup<U>,
    (addresses, connect): (Vec<async_nats::ServerAddr>, async_nats::ConnectOptions),
    url: &str,
    names: Names,
    options: NatsOptions,
    common: &HubState,
) {
    let trouble = |text: String| common.trouble(text);
    let client = match connect.connect(addresses).await {
        Ok(client) => client,
        Err(error) => return trouble(format!("cannot connect to {url}: {error}")),
    };
    loop {
        let opened = tokio::select! {
            () = common.closing.notified() => return,
            opened = PoolService::open(&group, &client, &names, options, common) => opened,
        };
        let ended = match opened {
            Ok((mut serving, inputs)) => serving.run(inputs).await,
            Err(error) => Err(error),
        };
        match ended {
            Ok(()) => return,
            Err(error) => trouble(error.to_string()),
        }
        tokio::select! {
            () = common.closing.notified() => return,
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
        }
    }
}

/// What the server sends to the hub.
struct Inputs {
    beats: Subscriber,
    echoes: Subscriber,
    parts: Subscriber,
    parts_of_users: Subscriber,
    said: StreamReader,
    published: mpsc::UnboundedReceiver<(String, Result<u64, String>)>,
}

/// A text of another machine, not longer than a person reads.
fn shortened(text: String) -> String {
    if text.len() <= MOST_TEXT { text } else { text.chars().take(MOST_TEXT / 4).chain(['…']).collect() }
}

/// A pool that is being served.
struct PoolService<'a, U: Unit> {
    group: &'a SeatGroup<U>,
    client: Client,
    streams: Streams,
    names: &'a Names,
    options: NatsOptions,
    common: &'a HubState,
    seats: Vec<Seat<U>>,
    /// How many seats there are to be.
    wanted: usize,
    turns: BTreeMap<String, SentTurn>,
    machines: BTreeMap<String, KnownMachine>,
    publishing: mpsc::UnboundedSender<(String, Result<u64, String>)>,
    next_turn: u64,
    looked: Instant,
    /// When the hub last spoke to itself, and when it last heard itself.
    called: Instant,
    echoed: Instant,
}

impl<'a, U: Unit> PoolService<'a, U> {
    async fn open(
        group: &'a SeatGroup<U>,
        client: &Client,
        names: &'a Names,
        options: NatsOptions,
        common: &'a HubState,
    ) -> Result<(PoolService<'a, U>, Inputs), NatsError> {
        let streams = link::prepare(client, names).await?;
        let refused = |what: &str| NatsError::refused(what.to_owned());
        let beats = client.subscribe(names.beat(">")).await;
        let beats = beats.map_err(|error| refused("to hear machines")(error.into()))?;
        let echoes = client.subscribe(names.echo()).await;
        let echoes = echoes.map_err(|error| refused("to hear itself")(error.into()))?;
        let parts = client.subscribe(names.parts()).await;
        let parts = parts.map_err(|error| refused("to be asked for parts")(error.into()))?;
        let parts_of_users = client.subscribe(names.parts_of("*")).await;
        let parts_of_users = parts_of_users.map_err(|error| refused("to be asked for parts")(error.into()))?;
        let said = StreamReader::open(client, streams.hub.clone(), 256).await;
        let said = said.map_err(|error| refused("to hear workers")(error))?;
        let (publishing, published) = mpsc::unbounded_channel();
        let serving = PoolService {
            group,
            client: client.clone(),
            streams,
            names,
            options,
            common,
            seats: Vec::new(),
            wanted: 0,
            turns: BTreeMap::new(),
            machines: BTreeMap::new(),
            publishing,
            next_turn: 1,
            looked: Instant::now(),
            called: Instant::now(),
            echoed: Instant::now(),
        };
        Ok((serving, Inputs { beats, echoes, parts, parts_of_users, said, published }))
    }

    async fn run(&mut self, mut inputs: Inputs) -> Result<(), NatsError> {
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            // In any order: so much of one kind as comes, the others have their turns.
            tokio::select! {
                () = self.common.closing.notified() => {
                    self.close().await;
                    return Ok(());
                }
                said = inputs.said.next() => match said {
                    Ok(message) => {
                        self.hear(&message).await;
                        // Without an answer the server says it once more, and the hub knows what it has had.
                        let _ = message.ack().await;
                    }
                    Err(why) => return Err(NatsError::Refused { what: "to read on".to_owned(), why }),
                },
                Some((turn, sent)) = inputs.published.recv() => self.sent(&turn, sent).await,
                Some(message) = inputs.beats.next() => self.beat(&message).await,
                Some(_) = inputs.echoes.next() => self.echoed = Instant::now(),
                Some(message) = inputs.parts.next() => self.part(message).await,
                Some(message) = inputs.parts_of_users.next() => self.part(message).await,
                () = self.common.told.notified() => self.pump().await,
                _ = look.tick() => self.look().await,
            }
        }
    }

    /// A machine says that it is there.
    async fn beat(&mut self, message: &Message) {
        let Some(speaker) = Speaker::of(&message.subject) else { return };
        let id = speaker.place();
        let id = id.as_str();
        let Some(beat) = Beat::read(&message.payload) else { return };
        if beat.name.len() > 200 || beat.version.len() > 50 || beat.workers > MOST_WORKERS {
            return;
        }
        let Some(machine) = self.know(&speaker) else { return };
        machine.hear(beat);
        let turns = machine.beat.turns.clone();
        if machine.beat.protocol == PROTOCOL {
            let (user, told) = (machine.by.user.clone(), machine.beat.told);
            self.tell_user(id, &user, told).await;
        }
        for name in turns {
            match self.turns.get_mut(&name) {
                Some(turn) if turn.machine.as_deref() == Some(id) => turn.named = Instant::now(),
                // One that it has fetched and not yet spoken of is its own.
                Some(turn) if turn.machine.is_none() => {}
                // What it computes in vain it is to stop.
                _ => self.order(id, &Order::Stop(name)).await,
            }
        }
        if self.place() {
            self.pump().await;
        }
    }

    /// Sends the user of a machine what it has not shown yet. What is lost is sent again after the next beat.
    async fn tell_user(&self, id: &str, user: &str, told: u64) {
        for message in self.common.messages_to(user, told) {
            self.order(id, &Order::Say(message)).await;
        }
    }

    /// Brings the number of seats to what the machines have; whether some were added.
    fn place(&mut self) -> bool {
        let here = self.machines.values().filter(|machine| machine.health(self.options.lost) == MachineHealth::Here);
        let here: Vec<&KnownMachine> = here.collect();
        self.wanted = here.iter().map(|machine| machine.beat.workers as usize).sum::<usize>().min(MOST_SEATS);
        // Any machine may fetch a turn, so only what all of them can do counts.
        let mut abilities = here.first().map_or_else(Vec::new, |machine| machine.beat.abilities.clone());
        abilities.retain(|one| here.iter().all(|machine| machine.beat.abilities.contains(one)));
        self.group.set_abilities(abilities);
        let before = self.seats.len();
        while self.seats.len() < self.wanted {
            self.seats.push(self.group.seat());
        }
        // Those that are free go; the others when they are.
        while self.seats.len() > self.wanted
            && let Some(seat) = self.seats.pop_if(|seat| seat.is_free())
        {
            drop(seat);
        }
        self.seats.len() > before
    }

    /// Fills free seats, passes on what workers are to be told, and stops what is to stop.
    async fn pump(&mut self) {
        if self.client.connection_state() != State::Connected {
            return;
        }
        for at in 0..self.seats.len().min(self.wanted) {
            if !self.seats[at].is_free() {
                continue;
            }
            let Some(packed) = self.take(at) else { break };
            self.publish(at, packed).await;
        }
        let mut stops = Vec::new();
        let mut orders = Vec::new();
        for (name, turn) in &mut self.turns {
            let seat = &mut self.seats[turn.seat];
            turn.stopping |= seat.stop(self.options.slice).is_some();
            if turn.stopping {
                if turn.stopped.is_none_or(|last| last.elapsed() >= AGAIN) {
                    stops.push(name.clone());
                }
            } else if let (Some(machine), Some(order)) = (&turn.machine, seat.order()) {
                orders.push((machine.clone(), Order::Tell(name.clone(), order)));
            }
        }
        for (machine, order) in orders {
            self.order(&machine, &order).await;
        }
        for name in stops {
            self.stop(&name).await;
        }
    }

    /// A unit for a seat. Any machine may fetch its turn. So a unit that is not for all is taken when a free worker
    /// of a machine that may compute it is left for it, besides those that turns without a worker may go to.
    fn take(&mut self, seat: usize) -> Option<Vec<u8>> {
        let (machines, turns, lost) = (&self.machines, &self.turns, self.options.lost);
        let free = OnceCell::new();
        let has_free = |is_open: &dyn Fn(&Contributor) -> bool| {
            let (unclaimed, free) = free.get_or_init(|| free_workers(machines, turns, lost));
            free.iter().filter(|(by, _)| is_open(by)).map(|(_, workers)| workers).sum::<usize>() > *unclaimed
        };
        self.seats[seat].take_for(&has_free)
    }

    async fn publish(&mut self, seat: usize, packed: Vec<u8>) {
        let number = self.next_turn;
        self.next_turn += 1;
        let turn = format!("{number}-{:032x}", rand::rng().random::<u128>());
        let first = packed[..packed.len().min(PART)].to_vec();
        let message =
            JobMessage { protocol: PROTOCOL, turn: turn.clone(), bytes: packed.len() as u64, packed: first };
        let since = Instant::now();
        let kept = SentTurn {
            seat,
            packed,
            sequence: None,
            machine: None,
            since,
            named: since,
            stopping: false,
            stopped: None,
            words: WordQueue::default(),
            parts: Vec::new(),
        };
        self.turns.insert(turn.clone(), kept);
        let (context, publishing) = (self.streams.context.clone(), self.publishing.clone());
        let subject = self.names.jobs(&turn);
        tokio::spawn(async move {
            // By its name the server knows what it has had.
            let mut headers = HeaderMap::new();
            headers.insert(async_nats::header::NATS_MESSAGE_ID, turn.as_str());
            let sent = match context.publish_with_headers(subject, headers, encode(&message).into()).await {
                Ok(sent) => sent.await,
                Err(error) => Err(error),
            };
            let _ = publishing.send((turn, sent.map(|ack| ack.sequence).map_err(|error| error.to_string())));
        });
    }

    /// The server has a turn, or does not.
    async fn sent(&mut self, name: &str, sent: Result<u64, String>) {
        match (sent, self.turns.get_mut(name)) {
            (Ok(sequence), Some(turn)) => turn.sequence = Some(sequence),
            // It was taken back meanwhile.
            (Ok(sequence), None) => _ = self.streams.jobs.delete_message(sequence).await,
            // If a worker has it all the same, it goes on.
            (Err(_), Some(turn)) if turn.machine.is_some() => {}
            (Err(_), Some(_)) => self.take_back(name, Seat::give_back).await,
            (Err(_), None) => {}
        }
    }

    /// Tells whoever is at a turn to stop. If nobody has spoken of it for a second, its unit returns.
    async fn stop(&mut self, name: &str) {
        let Some(turn) = self.turns.get_mut(name) else { return };
        match turn.machine.clone() {
            Some(machine) => {
                turn.stopped = Some(Instant::now());
                self.order(&machine, &Order::Stop(name.to_owned())).await;
            }
            // A worker may just have fetched it.
            None if turn.since.elapsed() < AGAIN => {}
            None => self.take_back(name, Seat::give_back).await,
        }
    }

    async fn order(&self, machine: &str, order: &Order) {
        // One that is lost is given again, or the turn is.
        let _ = self.client.publish(self.names.orders(machine), encode(order).into()).await;
    }

    /// A worker says something.
    async fn hear(&mut self, message: &jetstream::Message) {
        let Some(speaker) = speaker_of(message) else { return };
        let id = speaker.place();
        let Some(TurnMessage { turn: name, number, word }) = decode::<TurnMessage>(&message.payload) else {
            self.refuse_speaker(&speaker, "its words cannot be read");
            return;
        };
        let is_distrusted = self.machines.get(&id).is_some_and(KnownMachine::is_distrusted);
        let Some(turn) = self.turns.get_mut(&name).filter(|_| !is_distrusted) else {
            self.note_stray(&speaker);
            return;
        };
        match &turn.machine {
            // After a loss that was none, two may be at one turn.
            Some(other) if *other != id => {
                self.note_stray(&speaker);
                self.order(&id, &Order::Stop(name)).await;
                return;
            }
            Some(_) => {}
            None => {
                (turn.machine, turn.named) = (Some(id.clone()), Instant::now());
                let is_to_stop = turn.stopping;
                // Its words may come before it has said that it is there.
                self.know(&speaker);
                if is_to_stop {
                    self.stop(&name).await;
                }
            }
        }
        let Some(turn) = self.turns.get_mut(&name) else { return };
        if !turn.words.put(number, word, message.payload.len()) {
            self.refuse(&id, "there are gaps in its words".to_owned());
        }
        while let Some(word) = self.turns.get_mut(&name).and_then(|turn| turn.words.next()) {
            self.hear_word(&id, &name, word).await;
        }
    }

    /// The next word of a turn.
    async fn hear_word(&mut self, id: &str, name: &str, word: Word) {
        let Some(turn) = self.turns.get_mut(name) else { return };
        let seat = turn.seat;
        match word {
            Word::Begun(said) => {
                if let Some(machine) = self.machines.get_mut(id) {
                    machine.introduce(&said);
                }
                self.admit(id, name, seat).await;
            }
            Word::Part { bytes, more } => {
                turn.parts.extend_from_slice(&bytes);
                if turn.parts.len() > MOST_BYTES {
                    turn.parts = Vec::new();
                    self.refuse(id, "its words do not end".to_owned());
                } else if !more {
                    let whole = std::mem::take(&mut turn.parts);
                    self.take_in(id, name, seat, &whole).await;
                }
            }
            Word::Unit(bytes) => self.take_in(id, name, seat, &bytes).await,
            Word::Returned => self.end(name, Seat::give_back).await,
            Word::Refused(what) => {
                self.refuse(id, shortened(what));
                self.end(name, Seat::give_back).await;
            }
            Word::Failed(error) => {
                let error = shortened(error);
                let whom = self.machines.get(id).map_or("a machine", |machine| &machine.beat.name).to_owned();
                self.end(name, |seat| seat.fail(format!("{error} (on {whom})"))).await;
            }
        }
    }

    /// A machine is at a turn. If it is not to compute the unit, the unit goes to another one; whether it may.
    async fn admit(&mut self, id: &str, name: &str, seat: usize) -> bool {
        let by = self.machines.get(id).map(|machine| Arc::clone(&machine.by));
        let by = by.unwrap_or_else(|| {
            let user = id.rsplit_once('.').map(|(user, _)| user.to_owned());
            Arc::new(Contributor::new(None, None, id, 0).admitted_as(user))
        });
        let may = self.seats[seat].admit(&by);
        if !may {
            self.order(id, &Order::Stop(name.to_owned())).await;
            self.take_back(name, Seat::give_back).await;
        }
        may
    }

    async fn take_in(&mut self, id: &str, name: &str, seat: usize, word: &[u8]) {
        if !self.admit(id, name, seat).await {
            return;
        }
        match self.seats[seat].hear(word) {
            Ok(false) => {}
            Ok(true) => {
                if let Some(machine) = self.machines.get_mut(id) {
                    machine.units += 1;
                }
                self.end(name, |_| ()).await;
            }
            Err(what) => {
                self.refuse(id, what);
                self.order(id, &Order::Stop(name.to_owned())).await;
                self.take_back(name, Seat::give_back).await;
            }
        }
    }

    /// A worker has said the last word of a turn, and takes it out of the stream: what becomes of its unit, and the
    /// next one for its seat.
    async fn end(&mut self, name: &str, settle: impl FnOnce(&mut Seat<U>)) {
        let Some(turn) = self.turns.remove(name) else { return };
        settle(&mut self.seats[turn.seat]);
        // Where there are too many seats, this one may be among those that go.
        if self.seats.len() <= self.wanted
            && let Some(packed) = self.take(turn.seat)
        {
            self.publish(turn.seat, packed).await;
        }
    }

    /// The same for a turn of which there may be no last word: it is taken out of the stream here.
    async fn take_back(&mut self, name: &str, settle: impl FnOnce(&mut Seat<U>)) {
        if let Some(sequence) = self.turns.get(name).and_then(|turn| turn.sequence) {
            let stream = self.streams.jobs.clone();
            // The hub does not wait for that.
            tokio::spawn(async move { stream.delete_message(sequence).await });
        }
        self.end(name, settle).await;
    }

    /// Looks after lost machines and turns, and shows how everything stands.
    async fn look(&mut self) {
        let now = Instant::now();
        let connected = self.client.connection_state() == State::Connected;
        let step = now.duration_since(std::mem::replace(&mut self.looked, now)).min(2 * LOOK);
        let lost = self.options.lost;
        if connected && self.called.elapsed() >= ECHO {
            self.called = now;
            self.note_barred();
            let _ = self.client.publish(self.names.echo(), Vec::new().into()).await;
        }
        if connected && self.echoed.elapsed() < DEAF {
            self.machines.values_mut().for_each(|machine| machine.silent += step);
        }
        self.machines.retain(|_, machine| {
            if machine.has_left() { machine.silent < lost } else { machine.heard.elapsed() < REMEMBERED }
        });
        self.place();
        let is_gone = |turn: &SentTurn| match turn.machine.as_ref().map(|id| self.machines.get(id)) {
            None => false,
            Some(Some(machine)) => matches!(machine.health(lost), MachineHealth::Lost | MachineHealth::Distrusted),
            Some(None) => true,
        };
        let gone: Vec<String> =
            self.turns.iter().filter(|(_, turn)| is_gone(turn)).map(|(name, _)| name.clone()).collect();
        for name in gone {
            let machine = self.turns.get(&name).and_then(|turn| turn.machine.clone()).unwrap_or_default();
            let whom = self.machines.get(&machine).map_or(machine.clone(), |m| m.beat.name.clone());
            self.take_back(&name, |seat| seat.lose(&whom)).await;
        }
        // A machine that no longer speaks of a turn has lost it, for example because its message did not arrive.
        let forgotten: Vec<String> = self
            .turns
            .iter()
            .filter(|(name, turn)| match &turn.machine {
                None => connected && turn.since.elapsed() >= UNCLAIMED,
                Some(id) => {
                    turn.named.elapsed() >= 3 * lost
                        && self.machines.get(id).is_some_and(|m| m.silent < lost && !m.beat.turns.contains(name))
                }
            })
            .map(|(name, _)| name.clone())
            .collect();
        for name in forgotten {
            self.take_back(&name, Seat::give_back).await;
        }
        self.place();
        self.pump().await;
        self.show(connected);
    }

    /// Stops all turns and gives the units back.
    async fn close(&mut self) {
        let held: Vec<(String, Option<String>)> =
            self.turns.iter().map(|(name, turn)| (name.clone(), turn.machine.clone())).collect();
        for (name, machine) in held {
            if let Some(machine) = machine {
                self.order(&machine, &Order::Stop(name.clone())).await;
            }
        }
        self.turns.clear();
        self.seats.clear();
        let _ = tokio::time::timeout(Duration::from_secs(2), self.streams.jobs.purge()).await;
        let _ = tokio::time::timeout(Duration::from_secs(2), self.client.flush()).await;
    }
}
