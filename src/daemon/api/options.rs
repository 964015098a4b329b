//! How the API is served: names, tokens, bounds.

use crate::daemon::tokens::TokenStore;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// Writes a line of the daemon's log.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// How the API is served.
#[derive(Clone)]
pub struct ServerOptions {
    /// Host names of the daemon, in addition to `localhost` and addresses in numbers.
    pub hosts: Vec<String>,
    /// The tokens of clients; `None` for a daemon that only its own machine can reach.
    pub tokens: Option<Arc<dyn TokenStore>>,
    /// Addresses of proxies, which carry the requests of many clients: an address of these takes as many places as
    /// there are. Loopback addresses do so anyway.
    pub proxies: Vec<IpAddr>,
    /// Receives messages that are not for clients.
    pub log: Log,
    /// Bounds on what clients may use.
    pub limits: ServerLimits,
}

impl ServerOptions {
    /// Without further names and tokens, with the default bounds.
    pub fn new(log: Log) -> ServerOptions {
        let limits = ServerLimits::default();
        ServerOptions { hosts: Vec::new(), tokens: None, proxies: Vec::new(), log, limits }
    }
}

/// Bounds on what clients may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// Bytes of a request's body. One with a dictionary of joseki may have four times as many.
    pub body: usize,
    /// Time within which the head of a request, and then its body, must arrive.
    pub reading: Duration,
    /// Time within which a request must be answered.
    pub answering: Duration,
    /// Time without progress after which an answer is given up because its client does not read it.
    pub writing: Duration,
    /// Number of connections at a time. For another one, the connection is closed that has been idle for longest.
    pub connections: usize,
    /// The same for the connections of one address (see [`ServerOptions::proxies`]).
    pub connections_of_one: usize,
    /// Number of requests at work at a time; more of them are refused.
    pub running: usize,
    /// Of these, the number of requests that need much processor time or memory: pictures, checks of grids,
    /// submissions.
    pub heavy: usize,
    /// The same for searches for the machine's moves in two-player games, which take up to ten seconds of a processor
    /// and some 20 MB each, and for tactical questions, which take up to twelve seconds and some 200 MB.
    pub thinking: usize,
    /// Number of requests for the health and the metrics at work at a time, in addition to the others; more of them
    /// wait.
    pub watching: usize,
    /// Number of streams of events at a time.
    pub streams: usize,
    /// The same for the streams of one address (see [`ServerOptions::proxies`]).
    pub streams_of_one: usize,
    /// Time between two keep-alive comments in a stream of events.
    pub keep_alive: Duration,
}

impl ServerLimits {
    /// Bytes that the body of a request at a path may have.
    pub fn of_body(&self, path: &str) -> usize {
        if path == "/api/v1/editor/joseki" { 4 * self.body } else { self.body }
    }
}

impl Default for ServerLimits {
    fn default() -> ServerLimits {
        ServerLimits {
            body: 1 << 20,
            reading: Duration::from_secs(15),
            answering: Duration::from_secs(30),
            writing: Duration::from_secs(60),
            connections: 512,
            connections_of_one: 128,
            running: 64,
            heavy: 4,
            thinking: 2,
            watching: 8,
            streams: 128,
            streams_of_one: 32,
            keep_alive: Duration::from_secs(15),
        }
    }
}
