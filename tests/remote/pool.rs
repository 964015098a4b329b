//! The pool as a backend of the queue.

use crate::conformance::{self, Count, Made};
use crate::proxy::Proxy;
use crate::server::{self, Server};
use morpion::queue::local::{Local, LocalOptions};
use morpion::queue::nats::hub::Hub;
use morpion::queue::nats::machine::MachineHealth;
use morpion::queue::nats::worker::{Machine, MachineIdentity};
use morpion::queue::nats::{NatsOptions, NatsServer};
use morpion::queue::{Activity, Closed, Inbox, LaneId, Queue, Terms, WorkerState};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::watch;

/// A queue all of whose workers are reached through a server.
pub struct Pool {
    queue: Arc<Local<Count>>,
    hub: Option<Hub>,
    leave: watch::Sender<bool>,
    machine: Option<JoinHandle<()>>,
    pub proxy: Option<Proxy>,
    /// Goes last.
    _server: (Server, tempfile::TempDir),
}

impl Pool {
    /// The machine is connected by way of a proxy, if one is wanted.
    pub fn new(workers: u32, options: LocalOptions, by_proxy: bool) -> Pool {
        let directory = tempfile::tempdir().unwrap();
        let server = Server::start(directory.path());
        let proxy = by_proxy.then(|| Proxy::start(server.address().ip(), server.address()));
        let place = NatsServer { url: server.url(), pool: "conformance".to_owned(), ..NatsServer::default() };
        let queue = Arc::new(Local::new(0, options).unwrap());
        let times = NatsOptions { slice: options.quantum, ..NatsOptions::default() };
        let hub = Hub::open(&queue, &place, times).unwrap();
        let (leave, leaving) = watch::channel(false);
        let machine = Machine {
            server: NatsServer { url: proxy.as_ref().map_or(server.url(), Proxy::url), ..place },
            name: "beside".to_owned(),
            workers,
            lease: options.lease,
            abilities: Vec::new(),
            identity: MachineIdentity::default(),
        };
        let machine = std::thread::spawn(move || {
            machine.work(Arc::new(|bytes, _| Ok(Count::open(bytes)?)), leaving, Box::new(|_| ())).unwrap();
        });
        crate::daemons::wait_until("the machine is there", || {
            let pool = hub.pool();
            pool.machines.iter().any(|machine| machine.health == MachineHealth::Here) && queue.elsewhere() == workers
        });
        let (hub, machine) = (Some(hub), Some(machine));
        Pool { queue, hub, leave, machine, proxy, _server: (server, directory) }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        drop(self.hub.take());
        let _ = self.leave.send(true);
        // It leaves when its last words have arrived.
        if let Some(proxy) = &self.proxy {
            proxy.delay(Duration::ZERO);
        }
        if let Some(machine) = self.machine.take() {
            let ended = machine.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the machine came to a bad end");
        }
    }
}

impl Queue<Count> for Pool {
    fn size(&self) -> u32 {
        self.queue.size()
    }

    fn elsewhere(&self) -> u32 {
        self.queue.elsewhere()
    }

    fn open(&self, terms: Terms, inbox: Inbox<Count>) -> LaneId {
        self.queue.open(terms, inbox)
    }

    fn put(&self, lane: LaneId, unit: u64, body: Count) -> Result<(), Closed> {
        self.queue.put(lane, unit, body)
    }

    fn withdraw(&self, lane: LaneId, unit: u64) -> bool {
        self.queue.withdraw(lane, unit)
    }

    fn adjust(&self, lane: LaneId, terms: Terms) {
        self.queue.adjust(lane, terms);
    }

    fn halt(&self, lane: LaneId, patience: Duration) -> bool {
        self.queue.halt(lane, patience)
    }

    fn go_on(&self, lane: LaneId) {
        self.queue.go_on(lane);
    }

    fn close(&self, lane: LaneId) {
        self.queue.close(lane);
    }

    fn activity(&self, lane: LaneId) -> Activity {
        self.queue.activity(lane)
    }

    fn worker_states(&self) -> Vec<WorkerState> {
        self.queue.worker_states()
    }
}

#[test]
fn a_pool_of_machines_conforms() {
    if server::is_there("a_pool_of_machines_conforms") {
        conformance::all(|workers, options| Box::new(Pool::new(workers, options, false)) as Made);
    }
}
