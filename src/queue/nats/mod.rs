//! Units on other machines, by way of a NATS server with JetStream.
//!
//! The daemon's [`hub`] takes a seat of the local queue for every worker of every machine ([`worker`]) that it hears
//! of. A unit that comes to a seat becomes a *turn*: a message in a stream, which any free worker of the pool
//! fetches. What the worker says of it goes into a second stream, which the hub reads. So
//!
//! - the coordinators and the local threads need not know of other machines, and the shares of the jobs hold for all
//!   workers together;
//! - there are never more turns in the stream than there are workers, so that the order in which units are computed
//!   stays that of the queue, and what is withdrawn is stopped at once;
//! - the server may lose, repeat and reorder messages: a turn has a random name that is used once, its words are
//!   numbered (`words`), and the hub takes one end of each turn that it knows, whoever says it and however often.
//!   What is lost is sent again as another turn. The truth is in the daemon's store alone.
//!
//! A machine is lost when it has not been heard of for [`NatsOptions::lost`] seconds in which the hub heard itself by
//! way of the server. Its units go back into the queue at once. If it comes back, it is told to stop what it still
//! computes.

pub mod hub;
mod link;
pub mod machine;
pub mod message;
mod reader;
pub mod rights;
mod turn;
mod words;
pub mod worker;

use std::path::PathBuf;
use std::time::Duration;

/// The server, and how to be admitted to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NatsServer {
    /// Address, for example `nats://192.168.1.10:4222`; several with commas between them.
    pub url: String,
    /// Name of the pool of workers. A server can have several; each belongs to one daemon.
    pub pool: String,
    /// A file with the certificate of the authority that the server's certificate comes from.
    pub authority: Option<PathBuf>,
    /// Files with a certificate for this client and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

impl NatsServer {
    /// Its address without a user and password in it.
    pub fn address(&self) -> String {
        let one = |url: &str| match url.rsplit_once('@') {
            Some((before, host)) => match before.split_once("://") {
                Some((scheme, _)) => format!("{scheme}://{host}"),
                None => host.to_owned(),
            },
            None => url.to_owned(),
        };
        self.url.split(',').map(|url| one(url.trim())).collect::<Vec<_>>().join(",")
    }
}

/// The name of the pool if nothing else is said.
pub const POOL: &str = "morpion";

/// Times of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NatsOptions {
    /// Time without a word after which a machine is lost.
    pub lost: Duration,
    /// Time that a worker keeps a unit before it looks whether other jobs come first.
    pub slice: Duration,
}

impl Default for NatsOptions {
    fn default() -> NatsOptions {
        NatsOptions { lost: Duration::from_secs(10), slice: Duration::from_secs(60) }
    }
}

/// What went wrong with the server.
#[derive(Debug, thiserror::Error)]
pub enum NatsError {
    /// The name of the pool cannot be part of a subject.
    #[error("'{0}' cannot be the name of a pool: give up to 32 letters, digits, '-' and '_'")]
    Pool(String),
    /// A file with a certificate or a key cannot be used.
    #[error("cannot use {}: {what}", path.display())]
    Certificate {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// There is no connection.
    #[error("cannot connect to the NATS server {url}: {what}")]
    Connect {
        /// Address of the server.
        url: String,
        /// What the client said.
        what: String,
    },
    /// The server refuses something.
    #[error("the NATS server refuses {what}: {why}")]
    Refused {
        /// What was asked.
        what: String,
        /// What the server said.
        why: String,
    },
    /// A thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

impl NatsError {
    fn refused(what: impl Into<String>) -> impl FnOnce(Box<dyn std::error::Error + Send + Sync>) -> NatsError {
        let what = what.into();
        move |error| NatsError::Refused { what, why: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_is_shown() {
        let address = |url: &str| NatsServer { url: url.to_owned(), ..NatsServer::default() }.address();
        assert_eq!(address("nats://worker:secret@lab:4222, nats://b:4222"), "nats://lab:4222,nats://b:4222");
        assert_eq!(address("worker:s@cret@lab"), "lab");
    }
}
