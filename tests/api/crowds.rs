//! Crowds of clients that take places and give nothing: the health is answered all the same. MORPION_TEST_CROWD is
//! the number of clients.

use crate::daemon::Daemon;
use crate::http::{PATIENCE, connect, get, post};
use morpion::daemon::api::ServerLimits;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Nobody is given up for being slow: only for being in the way.
fn patient() -> ServerLimits {
    let long = Duration::from_secs(3600);
    let limits = ServerLimits { reading: long, writing: long, ..ServerLimits::default() };
    if crowd() > SMALL { limits } else { ServerLimits { connections: 12, streams: 4, ..limits } }
}

const SMALL: usize = 40;

fn crowd() -> usize {
    std::env::var("MORPION_TEST_CROWD").ok().and_then(|text| text.parse().ok()).unwrap_or(SMALL)
}

/// Asks for what somebody who watches the daemon asks for.
fn look(daemon: &Daemon) {
    let begun = Instant::now();
    for path in ["/api/v1/health", "/metrics", "/api/v1/jobs", "/"] {
        assert_eq!(get(daemon.address, path).status, 200, "{path}");
    }
    println!("four answers in {:.3} s", begun.elapsed().as_secs_f64());
}

/// A crowd whose clients begin with these bytes.
fn gather(daemon: &Daemon, bytes: &[u8]) -> Vec<TcpStream> {
    let gathered = (0..crowd()).map(|_| {
        let mut stream = connect(daemon.address);
        // It may have been closed for the sake of the next one.
        let _ = stream.write_all(bytes);
        stream
    });
    gathered.collect()
}

#[test]
fn silent_clients_and_halves_of_requests_shut_nobody_out() {
    let daemon = Daemon::with(patient());
    let at = daemon.address;
    for bytes in [
        String::new(),
        "GET /api/v1/hea".to_owned(),
        format!(
            "POST /api/v1/jobs HTTP/1.1\r\nhost: {at}\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{{"
        ),
        // A whole request, and then nothing more.
        format!("GET /api/v1/health HTTP/1.1\r\nhost: {at}\r\n\r\n"),
    ] {
        let crowd = gather(&daemon, bytes.as_bytes());
        look(&daemon);
        drop(crowd);
    }
    daemon.end().unwrap();
}

#[test]
fn clients_that_send_a_byte_now_and_then_shut_nobody_out() {
    let daemon = Daemon::with(patient());
    let mut crowd = gather(&daemon, b"GET /api/v1/health HTTP/1.1\r\nx: ");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                crowd.iter_mut().for_each(|stream| _ = stream.write_all(b"y"));
                std::thread::sleep(Duration::from_millis(if SMALL < crowd.len() { 1000 } else { 1 }));
            }
        });
        for _ in 0..20 {
            look(&daemon);
        }
        over.store(true, Ordering::Relaxed);
    });
    drop(crowd);
    daemon.end().unwrap();
}

#[test]
fn clients_that_do_not_read_shut_nobody_out() {
    let daemon = Daemon::with(patient());
    let at = daemon.address;
    // More answers than the system's buffers hold.
    let one = format!("GET /api/v1/openapi.json HTTP/1.1\r\nhost: {at}\r\n\r\n");
    let crowd = gather(&daemon, one.repeat(400).as_bytes());
    look(&daemon);
    drop(crowd);
    daemon.end().unwrap();
}

#[test]
fn streams_of_events_shut_nobody_out() {
    let daemon = Daemon::with(patient());
    let at = daemon.address;
    let asked = format!("GET /api/v1/events HTTP/1.1\r\nhost: {at}\r\n\r\n");
    // Who has a stream keeps it.
    let mut first = connect(at);
    first.write_all(asked.as_bytes()).unwrap();
    let mut answer = [0; 12];
    first.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
    let crowd = gather(&daemon, asked.as_bytes());
    look(&daemon);
    assert_eq!(post(at, "/api/v1/jobs", "{\"kind\":\"hunt\"}").status, 201);
    let (mut heard, begun) = (Vec::new(), Instant::now());
    while !String::from_utf8_lossy(&heard).contains("submitted") {
        let mut part = [0; 4096];
        let count = first.read(&mut part).unwrap();
        heard.extend_from_slice(&part[..count]);
        let so_far = String::from_utf8_lossy(&heard);
        assert!(count > 0, "the stream ended: {so_far}");
        assert!(begun.elapsed() < PATIENCE, "{so_far}");
    }
    drop(crowd);
    daemon.end().unwrap();
}
