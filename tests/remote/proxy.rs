//! A way to a server that can be made long, and on which connections can fall silent: nothing passes any more, and
//! nobody is told. That is what a failing router does to them, and worse than a connection that ends.

use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A connection by way of the proxy.
struct Connection {
    near: TcpStream,
    far: TcpStream,
    /// Nothing passes any more.
    is_silent: AtomicBool,
}

impl Connection {
    fn end(&self) {
        let _ = self.near.shutdown(Shutdown::Both);
        let _ = self.far.shutdown(Shutdown::Both);
    }
}

/// What the threads of a proxy share.
struct ProxyState {
    target: SocketAddr,
    /// Milliseconds that everything takes longer.
    delay: AtomicU64,
    /// Connections that were accepted.
    accepted: AtomicU64,
    closing: AtomicBool,
    /// Those that have not ended, and those that are silent: they stay open.
    connections: Mutex<Vec<Arc<Connection>>>,
}

/// A proxy that listens on a port of its own. Dropping it ends all connections.
pub struct Proxy {
    state: Arc<ProxyState>,
    address: SocketAddr,
    accepting: Option<JoinHandle<()>>,
}

impl Proxy {
    /// Starts one at an address of this computer, for the server at `target`.
    pub fn start(address: IpAddr, target: SocketAddr) -> Proxy {
        let listener = TcpListener::bind((address, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (delay, accepted, closing) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
        let state = Arc::new(ProxyState { target, delay, accepted, closing, connections: Mutex::default() });
        let shared = Arc::clone(&state);
        let accepting = std::thread::spawn(move || {
            for near in listener.incoming() {
                if shared.closing.load(Ordering::SeqCst) {
                    return;
                }
                // Where there is no server, the client is told by the end of its connection.
                let Ok(near) = near else { continue };
                let Ok(far) = TcpStream::connect(shared.target) else { continue };
                let _ = (near.set_nodelay(true), far.set_nodelay(true));
                let connection = Arc::new(Connection { near, far, is_silent: AtomicBool::new(false) });
                shared.connections.lock().unwrap().push(Arc::clone(&connection));
                shared.accepted.fetch_add(1, Ordering::SeqCst);
                for is_up in [true, false] {
                    let (state, connection) = (Arc::clone(&shared), Arc::clone(&connection));
                    let (sender, receiver) = sync_channel(64);
                    let other = Arc::clone(&connection);
                    std::thread::spawn(move || read(&state, &connection, is_up, &sender));
                    std::thread::spawn(move || write(&other, is_up, &receiver));
                }
            }
        });
        Proxy { state, address, accepting: Some(accepting) }
    }

    /// Where it listens, as clients of the server are told.
    pub fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    /// Number of connections that there were or are.
    pub fn accepted(&self) -> u64 {
        self.state.accepted.load(Ordering::SeqCst)
    }

    /// From now on everything takes so much longer.
    pub fn delay(&self, delay: Duration) {
        self.state.delay.store(delay.as_millis() as u64, Ordering::SeqCst);
    }

    /// Lets the connections that there are fall silent for ever; how many.
    pub fn silence(&self) -> u32 {
        let connections = self.state.connections.lock().unwrap();
        let silenced = connections.iter().filter(|one| !one.is_silent.swap(true, Ordering::SeqCst));
        silenced.count() as u32
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.state.closing.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
        self.state.connections.lock().unwrap().iter().for_each(|connection| connection.end());
    }
}

/// Reads one direction of a connection to its end, or until it is silent.
fn read(state: &ProxyState, connection: &Arc<Connection>, is_up: bool, sender: &SyncSender<(Instant, Vec<u8>)>) {
    let mut from = if is_up { &connection.near } else { &connection.far };
    let mut buffer = vec![0; 16 << 10];
    loop {
        let bytes = from.read(&mut buffer).unwrap_or(0);
        if connection.is_silent.load(Ordering::SeqCst) {
            return;
        }
        let at = Instant::now() + Duration::from_millis(state.delay.load(Ordering::SeqCst));
        if bytes == 0 || sender.send((at, buffer[..bytes].to_vec())).is_err() {
            break;
        }
    }
    connection.end();
    state.connections.lock().unwrap().retain(|one| !Arc::ptr_eq(one, connection));
}

/// Writes what was read in one direction, each part when it is time.
fn write(connection: &Connection, is_up: bool, receiver: &Receiver<(Instant, Vec<u8>)>) {
    let mut to = if is_up { &connection.far } else { &connection.near };
    for (at, bytes) in receiver {
        std::thread::sleep(at.saturating_duration_since(Instant::now()));
        if connection.is_silent.load(Ordering::SeqCst) {
            return;
        }
        if to.write_all(&bytes).is_err() {
            return connection.end();
        }
    }
}
