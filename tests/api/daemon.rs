//! The API over a real socket, with the service in memory behind it.

use crate::fake::Fake;
use morpion::daemon::api::{ServeError, ServerLimits, ServerOptions, serve};
use morpion::daemon::tokens::TokenStore;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// A daemon that ends with this value.
pub struct Daemon {
    pub address: SocketAddr,
    pub service: Arc<Fake>,
    pub log: Arc<Mutex<Vec<String>>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

impl Daemon {
    pub fn begin() -> Daemon {
        Daemon::with(ServerLimits::default())
    }

    pub fn with(limits: ServerLimits) -> Daemon {
        Daemon::listening("127.0.0.1:0", limits, None)
    }

    pub fn listening(address: &str, limits: ServerLimits, tokens: Option<Arc<dyn TokenStore>>) -> Daemon {
        let service = Arc::new(Fake::new());
        let log: Arc<Mutex<Vec<String>>> = Arc::default();
        let lines = Arc::clone(&log);
        let mut options = ServerOptions::new(Arc::new(move |line: &str| lines.lock().unwrap().push(line.to_owned())));
        options.limits = limits;
        options.tokens = tokens;
        let listener = std::net::TcpListener::bind(address).unwrap();
        listener.set_nonblocking(true).unwrap();
        let bound = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let behind = Arc::clone(&service);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                serve(behind, listener, options, async { drop(stopped.await) }).await
            })
        });
        let address = SocketAddr::from(([127, 0, 0, 1], bound.port()));
        Daemon { address, service, log, stop: Some(stop), thread: Some(thread) }
    }

    /// Ends it and returns how it ended.
    pub fn end(mut self) -> Result<(), ServeError> {
        self.stop.take();
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            if !std::thread::panicking() {
                ended.unwrap().unwrap();
            }
        }
    }
}
