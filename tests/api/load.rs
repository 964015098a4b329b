//! Latency under load: good requests at a steady rate, with slow, oversized and malformed ones among them.
//!
//! A request's latency counts from the moment that it was due, so that a daemon that stands still is not asked less
//! (coordinated omission). A small round is always run, and asserts the answers, not their times;
//! `cargo test --release --test api load -- --ignored --nocapture` prints figures. `MORPION_LOAD_ADDRESS`
//! (127.0.0.1:7878) asks a daemon that runs instead of one in memory, `MORPION_LOAD_RATE` and `MORPION_LOAD_SECONDS`
//! say how much (1000, 20).

use crate::daemon::Daemon;
use crate::http::{PATIENCE, connect, parse, raw};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Connections that ask good requests in turn.
const ASKING: u32 = 8;

/// What is asked, as often as it stands here.
const PATHS: [&str; 8] = [
    "/api/v1/health",
    "/api/v1/jobs?limit=20",
    "/api/v1/workers",
    "/api/v1/statistics",
    "/api/v1/grids?limit=20",
    "/api/v1/jobs/1",
    "/metrics",
    "/",
];

/// Latencies in seconds by path, and answers by status.
#[derive(Default)]
struct Outcome {
    latencies: Vec<(usize, f64)>,
    statuses: BTreeMap<u16, u64>,
}

/// Asks over one connection, one request each `pace`, each counted from when it was due.
fn ask(address: SocketAddr, pace: Duration, offset: Duration, until: Instant) -> Outcome {
    let mut outcome = Outcome::default();
    let mut stream = connect(address);
    let begun = Instant::now() + offset;
    for n in 0u32.. {
        let due = begun + pace * n;
        if due >= until {
            return outcome;
        }
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        let which = n as usize % PATHS.len();
        let status = exchange(&mut stream, address, PATHS[which]);
        outcome.latencies.push((which, due.elapsed().as_secs_f64()));
        *outcome.statuses.entry(status).or_default() += 1;
    }
    outcome
}

/// One request and its answer on a connection that stays.
fn exchange(stream: &mut TcpStream, address: SocketAddr, path: &str) -> u16 {
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        let count = stream.read(&mut buffer).unwrap();
        assert_ne!(count, 0, "the connection ended within an answer");
        bytes.extend_from_slice(&buffer[..count]);
        let Some(head) = bytes.windows(4).position(|w| w == b"\r\n\r\n") else { continue };
        let answer = parse(&bytes);
        let length: usize = answer.header("content-length").parse().unwrap();
        if bytes.len() >= head + 4 + length {
            return answer.status;
        }
    }
}

/// Clients that mean harm, until they are told to stop; returns how many of their requests were answered.
fn harm(address: SocketAddr, stop: &AtomicBool) -> u64 {
    let head = format!(
        "POST /api/v1/jobs HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n"
    );
    let large = format!("{head}content-length: 99999999\r\n\r\n{}", "x".repeat(100_000));
    let chunks = format!(
        "{head}transfer-encoding: chunked\r\n\r\n{}",
        format!("10000\r\n{}\r\n", " ".repeat(0x10000)).repeat(20)
    );
    let wrong = [
        large,
        chunks,
        format!("{head}content-length: 5\r\n\r\n{{\"a\":"),
        format!("{head}content-length: 1\r\n\r\nx"),
        "GET / HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n".to_owned(),
        "\u{0}\u{1}\u{2}\r\n\r\n".to_owned(),
        format!("GET /api/v1/jobs?limit=x HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n"),
    ];
    let mut answered = 0;
    let mut slow: Vec<TcpStream> = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        for bytes in &wrong {
            if bytes.ends_with("\"a\":") {
                // Never finished; some tens of these are held open at a time.
                let mut stream = connect(address);
                let _ = stream.write_all(&bytes.as_bytes()[..bytes.len() - 3]);
                slow.push(stream);
                if slow.len() > 50 {
                    slow.remove(0);
                }
            } else if !bytes.starts_with('\u{0}') {
                let answer = raw(address, bytes.as_bytes());
                assert!((400..500).contains(&answer.status), "{}", answer.status);
                answered += 1;
            } else {
                let _ = connect(address).write_all(bytes.as_bytes());
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    answered
}

fn load(address: SocketAddr, rate: u32, duration: Duration) -> (Outcome, u64) {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let harmful: Vec<_> = (0..2).map(|_| scope.spawn(|| harm(address, &stop))).collect();
        let pace = Duration::from_secs(1) * ASKING / rate;
        let until = Instant::now() + duration;
        let asking: Vec<_> =
            (0..ASKING).map(|n| scope.spawn(move || ask(address, pace, pace / ASKING * n, until))).collect();
        let mut all = Outcome::default();
        for thread in asking {
            let part = thread.join().unwrap();
            all.latencies.extend(part.latencies);
            for (status, count) in part.statuses {
                *all.statuses.entry(status).or_default() += count;
            }
        }
        stop.store(true, Ordering::Relaxed);
        (all, harmful.into_iter().map(|thread| thread.join().unwrap()).sum())
    })
}

#[test]
fn good_requests_are_answered_among_bad_ones() {
    let daemon = Daemon::begin();
    assert_eq!(crate::http::post(daemon.address, "/api/v1/jobs", r#"{"kind":"hunt"}"#).status, 201);
    let (outcome, harmful) = load(daemon.address, 50, Duration::from_secs(1));
    assert_eq!(outcome.statuses.keys().collect::<Vec<_>>(), [&200]);
    assert!(outcome.latencies.len() > 10 && harmful > 0);
    assert!(outcome.latencies.iter().all(|&(_, seconds)| seconds < PATIENCE.as_secs_f64()));
}

#[test]
#[ignore = "a measurement"]
fn latency_under_load() {
    let setting = |name: &str| std::env::var(name).ok();
    let rate = setting("MORPION_LOAD_RATE").map_or(1000, |text| text.parse().unwrap());
    let seconds = setting("MORPION_LOAD_SECONDS").map_or(20, |text| text.parse().unwrap());
    let own = setting("MORPION_LOAD_ADDRESS").is_none().then(Daemon::begin);
    let address =
        own.as_ref().map_or_else(|| setting("MORPION_LOAD_ADDRESS").unwrap().parse().unwrap(), |d| d.address);
    let (mut outcome, harmful) = load(address, rate, Duration::from_secs(seconds));
    outcome.latencies.sort_by(|a, b| a.1.total_cmp(&b.1));
    let at = |latencies: &[f64], share: f64| {
        let place = ((latencies.len() as f64 * share) as usize).min(latencies.len().saturating_sub(1));
        latencies.get(place).map_or(f64::NAN, |seconds| seconds * 1000.0)
    };
    let row = |name: &str, latencies: &[f64]| {
        let [p50, p90, p99, most] = [0.5, 0.9, 0.99, 1.0].map(|share| at(latencies, share));
        println!("{name:<24} {:>7} {p50:>8.2} {p90:>8.2} {p99:>8.2} {most:>8.2}", latencies.len());
    };
    println!("{rate} requests/s asked for {seconds} s; answers by status {:?}, {harmful} bad ones", outcome.statuses);
    println!("{:<24} {:>7} {:>8} {:>8} {:>8} {:>8}", "milliseconds", "count", "p50", "p90", "p99", "max");
    row("all", &outcome.latencies.iter().map(|&(_, seconds)| seconds).collect::<Vec<_>>());
    for (which, path) in PATHS.iter().enumerate() {
        let own = outcome.latencies.iter().filter(|(w, _)| *w == which).map(|&(_, seconds)| seconds);
        row(path, &own.collect::<Vec<_>>());
    }
}
