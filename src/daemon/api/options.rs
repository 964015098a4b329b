//! How the API is served: names, tokens, bounds.

use crate::daemon::tokens::TokenStore;
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
    /// Receives messages that are not for clients.
    pub log: Log,
    /// Bounds on what clients may use.
    pub limits: ServerLimits,
}

impl ServerOptions {
    /// Without further names and tokens, with the default bounds.
    pub fn new(log: Log) -> ServerOptions {
        ServerOptions { hosts: Vec::new(), tokens: None, log, limits: ServerLimits::default() }
    }
}

/// Bounds on what clients may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// Bytes of a request's body.
    pub body: usize,
    /// Time within which the head of a request, and then its body, must arrive.
    pub reading: Duration,
    /// Time within which a request must be answered.
    pub answering: Duration,
    /// Time without progress after which an answer is given up because its client does not read it.
    pub writing: Duration,
    /// Number of connections at a time; more of them wait.
    pub connections: usize,
    /// Number of requests at work at a time; more of them are refused.
    pub running: usize,
    /// Of these, the number of requests that need much processor time or memory: pictures, checks of grids,
    /// submissions.
    pub heavy: usize,
    /// Number of streams of events at a time.
    pub streams: usize,
    /// Time between two keep-alive comments in a stream of events.
    pub keep_alive: Duration,
}

impl Default for ServerLimits {
    fn default() -> ServerLimits {
        ServerLimits {
            body: 1 << 20,
            reading: Duration::from_secs(15),
            answering: Duration::from_secs(30),
            writing: Duration::from_secs(60),
            connections: 512,
            running: 64,
            heavy: 4,
            streams: 128,
            keep_alive: Duration::from_secs(15),
        }
    }
}
