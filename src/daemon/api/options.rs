//! How the API is served: names, tokens, bounds.

use crate::daemon::tokens::TokenStore;
use std::sync::Arc;
use std::time::Duration;

/// Writes a line of the daemon's log.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// How the API is served.
#[derive(Clone)]
pub struct ServerOptions {
    /// Names under which the daemon may be addressed, besides `localhost` and addresses in numbers.
    pub hosts: Vec<String>,
    /// Who may do what; nothing for a daemon that only its own machine reaches.
    pub tokens: Option<Arc<dyn TokenStore>>,
    /// Where messages go that are not for clients.
    pub log: Log,
    /// Bounds.
    pub limits: ServerLimits,
}

impl ServerOptions {
    /// No further names, no tokens, the usual bounds.
    pub fn new(log: Log) -> ServerOptions {
        ServerOptions { hosts: Vec::new(), tokens: None, log, limits: ServerLimits::default() }
    }
}

/// Bounds on what clients may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// Bytes of a request's body.
    pub body: usize,
    /// Time in which a request's head, and then its body, must have come.
    pub reading: Duration,
    /// Time in which it must have been answered.
    pub answering: Duration,
    /// Time without any progress after which an answer is given up that its client does not take.
    pub writing: Duration,
    /// Connections at a time; more of them wait.
    pub connections: usize,
    /// Requests at work at a time; more of them are refused.
    pub running: usize,
    /// Of these, requests that need much of a processor: pictures, grids to be checked.
    pub heavy: usize,
    /// Streams of events.
    pub streams: usize,
    /// Time between two signs of life in a stream of events.
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
