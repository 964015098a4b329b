//! What the server brings late, in another order, twice or not at all, and what takes long.

use crate::conformance::{Count, Nature, Probe};
use crate::daemons::wait_until;
use crate::hostile::{ID, Liar};
use crate::pool::Pool;
use crate::proxy::Proxy;
use crate::server::{self, Server};
use async_nats::jetstream;
use crossbeam_channel::{Receiver, unbounded};
use futures_util::StreamExt;
use morpion::core::encoding::{decode, encode};
use morpion::queue::local::{Local, LocalOptions};
use morpion::queue::nats::hub::Hub;
use morpion::queue::nats::machine::MachineHealth;
use morpion::queue::nats::message::{Introduction, JobMessage, PART, PROTOCOL, PartRequest, TurnMessage, Word};
use morpion::queue::nats::worker::{Machine, MachineIdentity, WorkerEvent};
use morpion::queue::nats::{NatsOptions, NatsServer, POOL};
use morpion::queue::{Message, Portable, Queue, Terms};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A hub of a queue without threads, and a client that plays a machine with one worker. It says all the time that it
/// is there, and that it is at nothing.
struct Played {
    queue: Arc<Local<Count>>,
    hub: Hub,
    messages: Receiver<Message<Count>>,
    liar: Liar,
    is_over: Arc<AtomicBool>,
    beating: Option<std::thread::JoinHandle<()>>,
}

impl Played {
    /// With one unit that waits for it.
    fn begin(server: &Server, times: NatsOptions, unit: Count) -> Played {
        let place = NatsServer { url: server.url(), pool: POOL.to_owned(), ..NatsServer::default() };
        let queue = Arc::new(Local::new(0, LocalOptions::default()).unwrap());
        let hub = Hub::open(&queue, &place, times).unwrap();
        wait_until("there are streams", || hub.pool().connected);
        let (sender, messages) = unbounded();
        let lane = queue.open(Terms::default(), sender.into());
        queue.put(lane, 1, unit).unwrap();
        let is_over = Arc::<AtomicBool>::default();
        let (ends, url) = (Arc::clone(&is_over), server.url());
        let beating = std::thread::spawn(move || {
            let liar = Liar::connect(&url, None).unwrap();
            while !ends.load(Ordering::SeqCst) {
                liar.publish(liar.names.beat(ID), liar.beat("played"));
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        let liar = Liar::connect(&server.url(), None).unwrap();
        wait_until("the machine has a place", || queue.elsewhere() == 1);
        Played { queue, hub, messages, liar, is_over, beating: Some(beating) }
    }

    /// What the coordinator hears until the unit is done: values of reports, and the outcome.
    fn heard(&self) -> (Vec<u64>, u64) {
        let mut reports = Vec::new();
        loop {
            match self.messages.recv_timeout(crate::daemons::PATIENCE).expect("a message") {
                Message::Report { report, .. } => reports.push(report),
                Message::Done { outcome, .. } => return (reports, outcome),
                Message::Failed { error, .. } => panic!("{error}"),
            }
        }
    }
}

impl Drop for Played {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        if let Some(beating) = self.beating.take() {
            assert!(beating.join().is_ok() || std::thread::panicking());
        }
    }
}

#[test]
fn words_are_heard_once_and_in_their_order() {
    if !server::is_there("words_are_heard_once_and_in_their_order") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let server = Server::start(directory.path());
    let unit = Count::new(1, 5, Nature::Plain, &Arc::<Probe>::default());
    let played = Played::begin(&server, NatsOptions::default(), unit.clone());
    let turn = played.liar.fetch("played").turn;
    let outcome = unit.pack_outcome(77);
    let (first, second) = outcome.split_at(1);
    let part = |bytes: &[u8], more| Word::Part { bytes: bytes.to_vec(), more };
    let words = [
        Word::Begun(Introduction::default()),
        Word::Unit(unit.pack_report(5)),
        Word::Unit(unit.pack_report(6)),
        part(first, true),
        part(second, false),
    ];
    // As after a connection that was lost: what was on its way comes again when later words have come.
    for number in [0, 2, 4, 1, 1, 2, 3, 3, 4] {
        played.liar.say(&turn, number as u64, words[number].clone());
    }
    assert_eq!(played.heard(), (vec![5, 6], 77));
    wait_until("the hub shows it", || played.hub.pool().machines.iter().any(|machine| machine.units == 1));
    let seen = played.hub.pool().machines;
    assert_eq!((seen[0].refused, seen[0].units, played.messages.try_recv().is_err()), (0, 1, true), "{seen:?}");
}

#[test]
fn a_turn_that_is_fetched_late_is_left_to_its_worker() {
    if !server::is_there("a_turn_that_is_fetched_late_is_left_to_its_worker") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let server = Server::start(directory.path());
    let unit = Count::new(1, 5, Nature::Plain, &Arc::<Probe>::default());
    let lost = Duration::from_secs(2);
    let played = Played::begin(&server, NatsOptions { lost, ..NatsOptions::default() }, unit.clone());
    wait_until("the turn is on its way", || played.queue.worker_states().iter().any(|worker| worker.unit.is_some()));
    // Longer than a machine may be silent about a turn that it has.
    std::thread::sleep(3 * lost + lost / 4);
    let turn = played.liar.fetch("played").turn;
    played.liar.say(&turn, 0, Word::Begun(Introduction::default()));
    // The hub has looked whether machines have lost turns.
    wait_until("the hub has seen it", || played.hub.pool().machines.iter().any(|machine| machine.running == 1));
    played.liar.say(&turn, 1, Word::Unit(unit.pack_outcome(77)));
    assert_eq!(played.heard(), (vec![], 77));
}

#[test]
fn a_slow_link_is_as_good_as_a_fast_one() {
    if !server::is_there("a_slow_link_is_as_good_as_a_fast_one") {
        return;
    }
    let pool = Pool::new(1, LocalOptions::default(), true);
    // The server's answers take more than five seconds, after which a client is tempted to say everything again.
    pool.proxy.as_ref().unwrap().delay(Duration::from_millis(2600));
    let (sender, messages) = unbounded();
    let lane = pool.open(Terms::default(), sender.into());
    let probe = Arc::<Probe>::default();
    pool.put(lane, 1, Count::new(1, 5, Nature::Plain, &probe)).unwrap();
    let mut heard = Vec::new();
    while heard.len() < 2 {
        heard.push(messages.recv_timeout(crate::daemons::PATIENCE).expect("a message"));
    }
    assert!(matches!(heard[..], [Message::Report { report: 5, .. }, Message::Done { outcome: 5, .. }]), "{heard:?}");
}

#[test]
fn a_machine_waits_for_its_unit_and_begins_it_once() {
    if !server::is_there("a_machine_waits_for_its_unit_and_begins_it_once") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let server = Server::start(directory.path());
    let place = NatsServer { url: server.url(), pool: POOL.to_owned(), ..NatsServer::default() };
    // A hub makes the streams. Then the client plays it.
    let queue = Arc::new(Local::<Count>::new(0, LocalOptions::default()).unwrap());
    let hub = Hub::open(&queue, &place, NatsOptions::default()).unwrap();
    wait_until("there are streams", || hub.pool().connected);
    drop(hub);
    let liar = Liar::connect(&server.url(), None).unwrap();
    let (names, client) = (liar.names.clone(), liar.client.clone());
    let mut said = liar.runtime.block_on(async {
        let said = client.subscribe(names.said("*")).await.unwrap();
        client.flush().await.unwrap();
        said
    });
    let (events, told) = unbounded();
    let (leave, leaving) = tokio::sync::watch::channel(false);
    let lease = LocalOptions::default().lease;
    let (name, identity) = ("waits".to_owned(), MachineIdentity::default());
    let machine = Machine { server: place, name, workers: 2, lease, abilities: Vec::new(), identity };
    let probe = Arc::<Probe>::default();
    let unit = Count::new(1, 5, Nature::Plain, &probe).pack(1);
    let length = unit.len();
    let open = move |bytes: &[u8], _| {
        assert!(bytes[length..].iter().all(|&byte| byte == 7), "its parts are mixed up");
        Ok(Count::open(&bytes[..length])?)
    };
    let working = std::thread::spawn(move || {
        machine.work(Arc::new(open), leaving, Box::new(move |event| _ = events.send(event))).unwrap();
    });
    let mut packed = unit;
    packed.resize(2 * PART + 100, 7);
    let message = |protocol, turn: &str| {
        let (turn, bytes, packed) = (turn.to_owned(), packed.len() as u64, packed[..PART].to_vec());
        encode(&JobMessage { protocol, turn, bytes, packed })
    };
    // The server may bring a turn once more while a worker has it: here the other worker fetches it.
    for _ in 0..2 {
        liar.publish(names.jobs("1-turn"), message(PROTOCOL, "1-turn"));
    }
    let mut words: Vec<TurnMessage> = Vec::new();
    let mut hear = |liar: &Liar, words: &mut Vec<TurnMessage>| {
        let next =
            liar.runtime.block_on(async { tokio::time::timeout(Duration::from_millis(100), said.next()).await });
        if let Ok(Some(message)) = next {
            words.push(decode(&message.payload).expect("a word"));
        }
    };
    wait_until("the unit has begun", || {
        hear(&liar, &mut words);
        !words.is_empty()
    });
    // For a while there is nobody to answer, as when a daemon starts again.
    std::thread::sleep(Duration::from_secs(1));
    let mut parts = liar.runtime.block_on(async {
        let parts = client.subscribe(names.parts()).await.unwrap();
        client.flush().await.unwrap();
        parts
    });
    let mut asked: BTreeMap<u32, u32> = BTreeMap::new();
    let outcome = Count::new(1, 5, Nature::Plain, &probe).pack_outcome(5);
    wait_until("the unit is done", || {
        liar.runtime.block_on(async {
            while let Ok(Some(asks)) = tokio::time::timeout(Duration::from_millis(50), parts.next()).await {
                let PartRequest { number, .. } = decode(&asks.payload).expect("a request");
                *asked.entry(number).or_default() += 1;
                let from = number as usize * PART;
                let part = packed[from..packed.len().min(from + PART)].to_vec();
                client.publish(asks.reply.unwrap(), part.into()).await.unwrap();
                client.flush().await.unwrap();
            }
        });
        hear(&liar, &mut words);
        words.last().is_some_and(|last| last.word == Word::Unit(outcome.clone()))
    });
    assert_eq!(asked, BTreeMap::from([(1, 1), (2, 1)]));
    let numbers: Vec<u64> = words.iter().map(|word| word.number).collect();
    assert_eq!(numbers, (0..words.len() as u64).collect::<Vec<_>>(), "{words:?}");
    let left = || {
        liar.runtime.block_on(async {
            let stream = jetstream::new(client.clone()).get_stream(names.jobs_stream()).await.unwrap();
            stream.cached_info().state.messages
        })
    };
    wait_until("both are out of the stream", || left() == 0);
    hear(&liar, &mut words);
    assert_eq!(words.iter().filter(|word| matches!(word.word, Word::Begun(_))).count(), 1, "{words:?}");
    // A turn of a daemon of another version is left to others.
    liar.publish(names.jobs("2-turn"), message(PROTOCOL + 1, "2-turn"));
    wait_until("it is told", || {
        let told = told.try_iter();
        told.into_iter().any(|event| matches!(event, WorkerEvent::Refused(what) if what.contains("another version")))
    });
    assert_eq!(left(), 1);
    leave.send(true).unwrap();
    working.join().unwrap();
    assert_eq!(left(), 1);
}

#[test]
fn a_hub_whose_own_connection_is_silent_loses_no_machine() {
    if !server::is_there("a_hub_whose_own_connection_is_silent_loses_no_machine") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let server = Server::start(directory.path());
    let proxy = Proxy::start(server.address().ip(), server.address());
    let place = |url| NatsServer { url, pool: POOL.to_owned(), ..NatsServer::default() };
    let queue = Arc::new(Local::<Count>::new(0, LocalOptions::default()).unwrap());
    // A client notices after some 15 seconds that its connection is silent.
    let times = NatsOptions { lost: Duration::from_secs(6), ..NatsOptions::default() };
    let hub = Hub::open(&queue, &place(proxy.url()), times).unwrap();
    let (leave, leaving) = tokio::sync::watch::channel(false);
    let (lease, name) = (LocalOptions::default().lease, "there".to_owned());
    let identity = MachineIdentity::default();
    let machine = Machine { server: place(server.url()), name, workers: 1, lease, abilities: Vec::new(), identity };
    let working = std::thread::spawn(move || {
        machine.work(Arc::new(|bytes, _| Ok(Count::open(bytes)?)), leaving, Box::new(|_| ())).unwrap();
    });
    wait_until("the machine has a place", || queue.elsewhere() == 1);
    let connections = proxy.accepted();
    assert_eq!(proxy.silence(), 1);
    let mut healths = Vec::new();
    wait_until("the hub is connected anew and hears the machine", || {
        hub.pool().machines.pop().is_some_and(|machine| {
            healths.push(machine.health);
            proxy.accepted() > connections && machine.silent < Duration::from_secs(1)
        })
    });
    assert!(healths.iter().all(|health| *health == MachineHealth::Here));
    drop(hub);
    leave.send(true).unwrap();
    working.join().unwrap();
}
