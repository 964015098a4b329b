//! The stream of events: what comes live, what is made up for, and how it ends.

use crate::daemon::Daemon;
use crate::http::{PATIENCE, connect, get, request};
use morpion::daemon::api::ServerLimits;
use morpion::daemon::tokens::{Role, TokenFile, make};
use morpion::daemon::view::EventKind;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A stream of events.
struct Stream(BufReader<TcpStream>);

impl Stream {
    fn open(address: SocketAddr, path: &str, headers: &str) -> Stream {
        let mut stream = connect(address);
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\n{headers}\r\n").unwrap();
        let mut stream = Stream(BufReader::new(stream));
        let head = stream.until(|line| line.is_empty());
        assert!(head[0].contains("200"), "{head:?}");
        assert!(head.iter().any(|line| line.eq_ignore_ascii_case("content-type: text/event-stream")), "{head:?}");
        stream
    }

    /// The lines up to one that is as asked for.
    fn until(&mut self, last: impl Fn(&str) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.0.read_line(&mut line).unwrap(), 0, "the stream ended after {lines:?}");
            lines.push(line.trim_end().to_owned());
            if last(line.trim_end()) {
                return lines;
            }
        }
    }

    /// The next event: its id, if it has one, and its data.
    fn next(&mut self) -> (Option<u64>, Value) {
        let mut id = None;
        loop {
            let line = self.until(|_| true).remove(0);
            if let Some(number) = line.strip_prefix("id: ") {
                id = Some(number.parse().unwrap());
            } else if let Some(data) = line.strip_prefix("data: ") {
                return (id, serde_json::from_str(data).unwrap());
            }
        }
    }

    fn ids(&mut self, count: usize) -> Vec<u64> {
        (0..count).filter_map(|_| self.next().0).collect()
    }
}

fn happen(daemon: &Daemon, job: u64, count: u64) {
    for n in 0..count {
        let error = format!("failure {n}");
        daemon.service.happens(Some(job), EventKind::UnitFailed { unit: n, attempts: 1, error });
    }
}

#[test]
fn events_come_live_and_missed_ones_are_made_up_for() {
    let daemon = Daemon::begin();
    happen(&daemon, 1, 3);
    let mut live = Stream::open(daemon.address, "/api/v1/events", "");
    live.until(|line| line == ": events");
    happen(&daemon, 2, 1);
    daemon.service.progress(1, 55);
    happen(&daemon, 1, 1);
    let (id, event) = live.next();
    assert_eq!((id, &event["event"], &event["job"]), (Some(4), &"unit_failed".into(), &2.into()));
    let (id, event) = live.next();
    assert_eq!((id, &event["event"], &event["iterations"]), (None, &"progress".into(), &55.into()));
    assert_eq!(live.next().0, Some(5));
    // One that saw the second gets the others, each once, also while more happen.
    let mut back = Stream::open(daemon.address, "/api/v1/events", "last-event-id: 2\r\n");
    happen(&daemon, 1, 2);
    assert_eq!(back.ids(5), [3, 4, 5, 6, 7]);
    let mut one = Stream::open(daemon.address, "/api/v1/events?job=2&after=0", "");
    assert_eq!(one.next().0, Some(4));
    happen(&daemon, 1, 1);
    happen(&daemon, 2, 1);
    assert_eq!(one.next().0, Some(9));
}

#[test]
fn a_slow_client_misses_nothing_that_is_stored() {
    let daemon = Daemon::begin();
    happen(&daemon, 1, 1);
    let mut slow = Stream::open(daemon.address, "/api/v1/events", "last-event-id: 0\r\n");
    assert_eq!(slow.next().0, Some(1));
    // Far more than the service's channel holds.
    happen(&daemon, 1, 3000);
    assert_eq!(slow.ids(3000), (2..=3001).collect::<Vec<_>>());
}

#[test]
fn streams_end_with_the_daemon_and_are_bounded() {
    let daemon =
        Daemon::with(ServerLimits { streams: 2, keep_alive: Duration::from_millis(50), ..ServerLimits::default() });
    let at = daemon.address;
    let mut first = Stream::open(at, "/api/v1/events", "");
    let second = Stream::open(at, "/api/v1/events", "");
    get(at, "/api/v1/events").problem(503);
    drop(second);
    // Its place is free again when the daemon has noticed, at a sign of life.
    let begun = Instant::now();
    loop {
        let mut stream = connect(at);
        write!(stream, "GET /api/v1/events HTTP/1.1\r\nhost: {at}\r\n\r\n").unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        if line.contains("200") {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{line}");
        std::thread::sleep(Duration::from_millis(20));
    }
    first.until(|line| line == ":");
    for headers in [&[("last-event-id", "x")][..], &[("last-event-id", "-1")]] {
        request(at, "GET", "/api/v1/events", headers, b"").problem(400);
    }
    let reader = std::thread::spawn(move || {
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut first.0, &mut rest)
    });
    daemon.end().unwrap();
    reader.join().unwrap().unwrap();
}

#[test]
fn a_stream_ends_when_its_token_is_taken_back() {
    let state = tempfile::tempdir().unwrap();
    let tokens = TokenFile::in_directory(state.path());
    let mut secrets = Vec::new();
    for n in [1, 2] {
        let (token, secret) = make(&format!("number {n}"), Role::Read, ([n; 4], [n; 32]), 0).unwrap();
        tokens.add(token).unwrap();
        secrets.push(secret);
    }
    // Behind a stream that has ended the daemon waits so long for another request.
    let limits = ServerLimits { reading: Duration::from_secs(2), ..ServerLimits::default() };
    // On a loopback address no token is needed.
    let daemon = Daemon::listening("0.0.0.0:0", limits, Some(Arc::new(tokens.clone())));
    let open = |secret: &str| {
        let mut stream =
            Stream::open(daemon.address, "/api/v1/events", &format!("authorization: Bearer {secret}\r\n"));
        stream.until(|line| line == ": events");
        stream
    };
    let (mut taken, mut other) = (open(&secrets[0]), open(&secrets[1]));
    happen(&daemon, 1, 1);
    assert_eq!((taken.ids(1), other.ids(1)), (vec![1], vec![1]));
    tokens.remove("number 1").unwrap();
    // It ends although nothing happens; what happens later does not reach it.
    let (began, mut line) = (Instant::now(), String::new());
    while taken.0.read_line(&mut line).unwrap() > 0 {
        assert!(!line.contains("data: ") && began.elapsed() < PATIENCE, "it goes on: {line}");
        line.clear();
    }
    happen(&daemon, 1, 1);
    assert_eq!(other.ids(1), [2]);
}
