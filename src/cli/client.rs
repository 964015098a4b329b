//! The client's side of the daemon's API: one request, one answer, and the stream of events.

use crate::daemon::api::ProblemDetails;
use crate::daemon::view::{EventView, Listing};
use anyhow::{Context, bail};
use serde::de::DeserializeOwned;
use std::io::{BufRead, BufReader, Read};
use std::marker::PhantomData;
use std::time::Duration;
use ureq::http::Request;

/// Where the daemon is, if nothing is said.
const USUAL: &str = "http://127.0.0.1:7878";

/// Time that an answer may take: pausing waits until no thread works for the job any more.
const PATIENCE: Duration = Duration::from_secs(60);

/// Time to reach the daemon.
const CONNECT: Duration = Duration::from_secs(5);

/// The daemon sends a sign of life more often than this.
const SILENCE: Duration = Duration::from_secs(60);

/// Largest answer that is taken, in bytes.
const LARGEST: u64 = 256 << 20;

/// Longest line of the stream of events, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// The flags that say which daemon is asked, and with which token.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Daemon")]
pub struct Connection {
    /// Address of the daemon.
    #[arg(long, value_name = "URL", env = "MORPION_URL", default_value = USUAL)]
    pub url: String,
    /// Token, if the daemon asks for one. It is safer in the environment, since other users of the machine can see
    /// flags.
    #[arg(long, value_name = "TOKEN", env = "MORPION_TOKEN", hide_env_values = true)]
    pub token: Option<String>,
}

/// The flags of a command that asks a daemon only if it is told to.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Daemon")]
pub struct OptionalConnection {
    /// Ask the daemon at this address; --url alone: the one at MORPION_URL, else at http://127.0.0.1:7878
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    url: Option<String>,
    /// Token, if the daemon asks for one. It is safer in the environment, since other users of the machine can see
    /// flags.
    #[arg(long, value_name = "TOKEN", env = "MORPION_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

impl OptionalConnection {
    /// The daemon that is to be asked, if one is.
    pub fn connection(&self) -> Option<Connection> {
        let usual = || std::env::var("MORPION_URL").ok().filter(|url| !url.is_empty());
        let url = match self.url.as_deref()? {
            "" => usual().unwrap_or_else(|| USUAL.to_owned()),
            url => url.to_owned(),
        };
        Some(Connection { url, token: self.token.clone() })
    }
}

/// Why there is no answer, told apart where a caller goes on.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody answers, or no longer.
    #[error("no daemon answers at {url} ({reason}): `morpion daemon` begins one, --url or MORPION_URL names another")]
    Unreachable {
        /// The daemon's address.
        url: String,
        /// What the system says.
        reason: String,
    },
    /// The daemon does not do what it is asked.
    #[error("{}", refusal(.0))]
    Refused(Box<ProblemDetails>),
    /// What answers is no daemon of this program.
    #[error("what answers at {url} is not a morpion daemon: {reason}")]
    Stranger {
        /// The address that was asked.
        url: String,
        /// What was strange.
        reason: String,
    },
}

fn refusal(problem: &ProblemDetails) -> String {
    match problem.status {
        401 => format!("{} (--token or MORPION_TOKEN; `morpion token create` makes one)", problem.detail),
        _ => problem.detail.clone(),
    }
}

/// A daemon to talk to.
#[derive(Debug, Clone)]
pub struct Client {
    agent: ureq::Agent,
    url: String,
    token: Option<String>,
}

impl Client {
    /// A client for a daemon; nothing is sent yet.
    ///
    /// # Errors
    /// If the address is none.
    pub fn new(connection: &Connection) -> anyhow::Result<Client> {
        let url = connection.url.trim_end_matches('/').to_owned();
        let Some(rest) = url.strip_prefix("http://") else {
            bail!("--url {url}: expected an address such as {USUAL} (a daemon elsewhere is reached through ssh -L)");
        };
        if rest.is_empty() || rest.contains(['/', '?', '#', '@']) {
            bail!("--url {url}: expected nothing but host and port, as in {USUAL}");
        }
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .max_redirects(0)
            .timeout_connect(Some(CONNECT))
            .user_agent(concat!("morpion/", env!("CARGO_PKG_VERSION")));
        let token = connection.token.as_ref().map(|token| token.trim().to_owned()).filter(|token| !token.is_empty());
        Ok(Client { agent: config.build().into(), url, token })
    }

    /// The daemon's address.
    pub fn url(&self) -> &str {
        &self.url
    }

    fn unreachable(&self, error: &dyn std::fmt::Display) -> ClientError {
        ClientError::Unreachable { url: self.url.clone(), reason: error.to_string() }
    }

    fn stranger(&self, error: &dyn std::fmt::Display) -> ClientError {
        ClientError::Stranger { url: self.url.clone(), reason: error.to_string() }
    }

    /// Sends a request whose answer has begun to come, and is no refusal.
    fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
        silence: Option<Duration>,
    ) -> Result<ureq::Body, ClientError> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let made = |error: &dyn std::fmt::Display| self.unreachable(error);
        let answer = match body {
            Some(body) => {
                let request = request.header("content-type", "application/json").body(body.to_vec());
                self.run(request.map_err(|e| made(&e))?, silence)
            }
            None => self.run(request.body(()).map_err(|e| made(&e))?, silence),
        };
        let mut answer = answer.map_err(|error| self.unreachable(&error))?;
        let status = answer.status();
        if status.is_success() {
            return Ok(answer.into_body());
        }
        let text = answer.body_mut().with_config().limit(1 << 20).read_to_string().unwrap_or_default();
        match serde_json::from_str::<ProblemDetails>(&text) {
            Ok(problem) => Err(ClientError::Refused(Box::new(problem))),
            Err(_) => Err(self.stranger(&format!("it says {status}"))),
        }
    }

    fn run<B: ureq::AsSendBody + 'static>(
        &self,
        request: Request<B>,
        silence: Option<Duration>,
    ) -> Result<ureq::http::Response<ureq::Body>, ureq::Error> {
        let config = self.agent.configure_request(request);
        let request = match silence {
            Some(silence) => config.timeout_global(None).timeout_per_read(Some(silence)).build(),
            None => config.timeout_global(Some(PATIENCE)).build(),
        };
        self.agent.run(request)
    }

    /// The bytes at a path.
    ///
    /// # Errors
    /// As the type says.
    pub fn bytes(&self, path: &str) -> Result<Vec<u8>, ClientError> {
        let body = self.send("GET", path, &[], None, None)?;
        let mut bytes = Vec::new();
        let read = body.into_reader().take(LARGEST).read_to_end(&mut bytes);
        read.map_err(|error| self.unreachable(&error)).map(|_| bytes)
    }

    /// Sends a request and reads the JSON document that answers it.
    ///
    /// # Errors
    /// As the type says.
    pub fn ask<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
    ) -> Result<T, ClientError> {
        let body = self.send(method, path, headers, body, None)?;
        let mut bytes = Vec::new();
        body.into_reader().take(LARGEST).read_to_end(&mut bytes).map_err(|error| self.unreachable(&error))?;
        serde_json::from_slice(&bytes).map_err(|error| self.stranger(&error))
    }

    /// The document at a path.
    ///
    /// # Errors
    /// As the type says.
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        self.ask("GET", path, &[], None)
    }

    /// Sends a request whose answer has no content.
    ///
    /// # Errors
    /// As the type says.
    pub fn delete(&self, path: &str) -> Result<(), ClientError> {
        self.send("DELETE", path, &[], None, None).map(drop)
    }

    /// All items of a list (at most `most`), part by part, and whether there are more. `path` has its first
    /// parameter.
    ///
    /// # Errors
    /// As the type says.
    pub fn list<T: DeserializeOwned>(&self, path: &str, most: usize) -> Result<(Vec<T>, bool), ClientError> {
        let mut items = Vec::new();
        let mut parts = self.parts(path, most);
        for part in &mut parts {
            items.extend(part?);
        }
        Ok((items, parts.more))
    }

    /// The same list, part by part as it is asked for: a long one need not be in memory.
    pub fn parts<'a, T>(&'a self, path: &'a str, most: usize) -> ListParts<'a, T> {
        ListParts {
            client: self,
            path,
            left: most,
            cursor: None,
            more: most == 0,
            over: most == 0,
            item: PhantomData,
        }
    }

    /// The events after a number, or from now on; about one job, or all.
    ///
    /// # Errors
    /// As the type says.
    pub fn events(&self, job: Option<u64>, after: Option<u64>) -> Result<Events, ClientError> {
        let path = job.map_or("/api/v1/events".to_owned(), |job| format!("/api/v1/events?job={job}"));
        let after = after.map(|after| after.to_string());
        let mut headers = vec![("accept", "text/event-stream")];
        headers.extend(after.as_deref().map(|after| ("last-event-id", after)));
        let body = self.send("GET", &path, &headers, None, Some(SILENCE))?;
        Ok(Events { lines: BufReader::new(Box::new(body.into_reader())) })
    }
}

/// The parts of a list.
pub struct ListParts<'a, T> {
    client: &'a Client,
    path: &'a str,
    /// Items that may still come.
    left: usize,
    cursor: Option<String>,
    /// The list has more items than were asked for, as far as is known.
    pub more: bool,
    over: bool,
    item: PhantomData<T>,
}

impl<T: DeserializeOwned> Iterator for ListParts<'_, T> {
    type Item = Result<Vec<T>, ClientError>;

    fn next(&mut self) -> Option<Result<Vec<T>, ClientError>> {
        if self.over {
            return None;
        }
        let limit = self.left.min(1000);
        let after = self.cursor.take().map_or(String::new(), |cursor| format!("&cursor={}", encoded(&cursor)));
        let part: Listing<T> = match self.client.get(&format!("{}&limit={limit}{after}", self.path)) {
            Ok(part) => part,
            Err(error) => {
                self.over = true;
                return Some(Err(error));
            }
        };
        self.left = self.left.saturating_sub(part.items.len());
        self.cursor = part.next;
        self.over = self.cursor.is_none() || self.left == 0;
        self.more = self.cursor.is_some();
        Some(Ok(part.items))
    }
}

/// Text as a value of a parameter.
pub fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// What comes along the stream of events.
#[derive(Debug)]
pub enum Heard {
    /// An event that the daemon reports.
    Event(EventView),
    /// The daemon lives, and has nothing to tell.
    Alive,
}

/// The stream of events; it ends when the daemon or the connection does.
pub struct Events {
    lines: BufReader<Box<dyn Read + Send>>,
}

impl Iterator for Events {
    type Item = anyhow::Result<Heard>;

    fn next(&mut self) -> Option<anyhow::Result<Heard>> {
        loop {
            let mut line = Vec::new();
            match (&mut self.lines).take(LONGEST_LINE).read_until(b'\n', &mut line) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => return Some(Err(error).context("the stream of events broke off")),
            }
            // An event of the daemon is one line of data; its id is within it too.
            if let Some(data) = line.strip_prefix(b"data:") {
                let event = serde_json::from_slice(data).context("the daemon sent an event that is none");
                return Some(event.map(Heard::Event));
            }
            if line.starts_with(b":") {
                return Some(Ok(Heard::Alive));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_parameters_are_checked() {
        let client = |url: &str| Client::new(&Connection { url: url.to_owned(), token: None });
        assert_eq!(client("http://localhost:1/").unwrap().url(), "http://localhost:1");
        for url in ["", "localhost:1", "https://localhost", "http://", "http://a/b", "http://u@a"] {
            assert!(client(url).is_err(), "{url}");
        }
        assert_eq!(encoded("a b/c?&=\u{e9}~"), "a%20b%2Fc%3F%26%3D%C3%A9~");
    }

    #[test]
    fn events_are_read_from_a_stream() {
        let stream = ": hello\nretry: 2000\n\nid: 7\ndata: {\"v\":1,\"id\":7,\"time\":1.5,\"job\":null,\
                      \"event\":\"started\",\"version\":\"1\"}\n\n:\n\ndata: {}\n\n";
        let mut events = Events { lines: BufReader::new(Box::new(stream.as_bytes())) };
        assert!(matches!(events.next(), Some(Ok(Heard::Alive))));
        assert!(matches!(events.next(), Some(Ok(Heard::Event(event))) if event.id == 7));
        assert!(matches!(events.next(), Some(Ok(Heard::Alive))));
        assert!(events.next().unwrap().is_err());
        assert!(events.next().is_none());
    }
}
