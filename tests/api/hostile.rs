//! Clients that mean harm or know no better: every one gets an answer or is given up, and the daemon goes on.

use crate::daemon::Daemon;
use crate::http::{PATIENCE, connect, get, post, raw, request};
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use morpion::daemon::api::{ServeError, ServerLimits};
use morpion::daemon::tokens::{Role, TokenFile, make};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

fn quick() -> ServerLimits {
    ServerLimits { reading: Duration::from_secs(2), writing: Duration::from_secs(2), ..ServerLimits::default() }
}

#[test]
fn large_bodies_are_refused_before_they_are_read() {
    let daemon = Daemon::begin();
    let at = daemon.address;
    let head = |length: &str| {
        format!(
            "POST /api/v1/jobs HTTP/1.1\r\nhost: {at}\r\ncontent-type: application/json\r\nconnection: close\r\n{length}\r\n\r\n"
        )
    };
    // Announced and never sent.
    raw(at, head("content-length: 99999999999").as_bytes()).problem(413);
    let large = vec![b' '; (1 << 20) + 1];
    request(at, "POST", "/api/v1/jobs", &[("content-type", "application/json")], &large).problem(413);
    let mut chunked = head("transfer-encoding: chunked").into_bytes();
    for _ in 0..20 {
        chunked.extend_from_slice(b"10000\r\n");
        chunked.extend(std::iter::repeat_n(b' ', 0x10000));
        chunked.extend_from_slice(b"\r\n");
    }
    chunked.extend_from_slice(b"0\r\n\r\n");
    raw(at, &chunked).problem(413);
    let largest = format!("{{\"kind\":\"hunt\"{}}}", " ".repeat((1 << 20) - 20));
    assert_eq!(post(at, "/api/v1/jobs", &largest).status, 201);
    assert!((400..500).contains(&get(at, &format!("/{}", "x".repeat(100_000))).status));
    assert_eq!(get(at, "/api/v1/health").status, 200);
}

#[test]
fn slow_clients_are_given_up() {
    let daemon = Daemon::with(quick());
    let at = daemon.address;
    let ends = |sent: &[u8]| {
        let mut stream = connect(at);
        stream.write_all(sent).unwrap();
        let mut answer = Vec::new();
        // The daemon ends the connection; a client that waits longer than PATIENCE fails here.
        stream.read_to_end(&mut answer).unwrap();
        answer
    };
    let begun = format!("GET /api/v1/health HTTP/1.1\r\nhost: {at}\r\nx-slow:");
    let half =
        format!("POST /api/v1/jobs HTTP/1.1\r\nhost: {at}\r\nconnection: close\r\ncontent-length: 10\r\n\r\n{{");
    // A kept connection that says nothing more.
    let idle = format!("GET /api/v1/health HTTP/1.1\r\nhost: {at}\r\n\r\n");
    let all = ["", "GET /api/v1/hea", &begun, &half, &idle];
    let [.., half, idle] = std::thread::scope(|scope| {
        all.map(|sent| scope.spawn(move || ends(sent.as_bytes()))).map(|client| client.join().unwrap())
    });
    crate::http::parse(&half).problem(408);
    assert_eq!(crate::http::parse(&idle).status, 200);
    assert_eq!(get(at, "/api/v1/health").status, 200);
}

#[test]
fn a_client_that_reads_nothing_is_given_up() {
    let daemon = Daemon::with(ServerLimits { connections: 1, ..quick() });
    let at = daemon.address;
    let mut deaf = connect(at);
    let one = format!("GET /api/v1/openapi.json HTTP/1.1\r\nhost: {at}\r\n\r\n");
    // More answers than the system's buffers hold, of which none is read.
    deaf.write_all(one.repeat(400).as_bytes()).unwrap();
    let begun = Instant::now();
    // The only place for a connection is free again when the daemon has given up.
    assert_eq!(get(at, "/api/v1/health").status, 200);
    assert!(begun.elapsed() < PATIENCE);
    drop(deaf);
}

#[test]
fn nonsense_is_no_request() {
    let daemon = Daemon::begin();
    let at = daemon.address;
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"hello\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost localhost\r\n\r\n",
        b"POST /api/v1/jobs HTTP/1.1\r\nhost: localhost\r\ncontent-length: x\r\n\r\n",
        b"POST /api/v1/jobs HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut stream = connect(at);
        stream.write_all(bytes).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer);
        assert!(answer.is_empty() || text.starts_with("HTTP/1.1 4") || text.starts_with("HTTP/1.1 5"), "{text}");
    }
    let many: String = (0..200).map(|n| format!("x-{n}: y\r\n")).collect();
    let answer = raw(at, format!("GET / HTTP/1.1\r\nhost: {at}\r\n{many}\r\n").as_bytes());
    assert!((400..500).contains(&answer.status));
    assert_eq!(get(at, "/api/v1/health").status, 200);
}

#[test]
fn other_names_and_other_sites_are_refused() {
    let daemon = Daemon::begin();
    let at = daemon.address;
    let with = |name: &str, value: &str, path: &str| request(at, "GET", path, &[(name, value)], b"");
    for host in ["evil.example", "evil.example:7878", "localhost.evil.example", "127.0.0.1.evil.example"] {
        for path in ["/", "/api/v1/jobs", "/metrics"] {
            with("host", host, path).problem(421);
        }
    }
    assert_eq!(with("host", "localhost:1", "/api/v1/jobs").status, 200);
    raw(at, b"GET / HTTP/1.1\r\nconnection: close\r\n\r\n").problem(400);
    raw(at, b"GET / HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\nconnection: close\r\n\r\n").problem(400);
    raw(at, b"GET http://evil.example/ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").problem(400);
    let json = [("content-type", "application/json"), ("origin", "http://evil.example")];
    request(at, "POST", "/api/v1/jobs", &json, b"{\"kind\":\"hunt\"}").problem(403);
    with("origin", "null", "/api/v1/jobs").problem(403);
    with("origin", &format!("http://localhost:{}", at.port() ^ 1), "/api/v1/jobs").problem(403);
    assert_eq!(with("origin", &format!("http://{at}"), "/api/v1/jobs").status, 200);
    with("sec-fetch-site", "cross-site", "/api/v1/jobs").problem(403);
    assert_eq!(with("sec-fetch-site", "cross-site", "/").status, 200);
    let asked = [("origin", "http://evil.example"), ("access-control-request-method", "POST")];
    let preflight = request(at, "OPTIONS", "/api/v1/jobs", &asked, b"");
    preflight.problem(403);
    assert!(preflight.headers.iter().all(|(name, _)| !name.starts_with("access-control")));
    // What a form of another page could send is refused for its content type, too.
    for media_type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        request(at, "POST", "/api/v1/jobs", &[("content-type", media_type)], b"{\"kind\":\"hunt\"}").problem(415);
    }
    assert_eq!(get(at, "/api/v1/jobs").json()["items"], serde_json::json!([]));
}

#[test]
fn no_path_leads_out() {
    let daemon = Daemon::begin();
    for path in [
        "/../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/js/../../Cargo.toml",
        "//etc/passwd",
        "/api/v1/../../etc/passwd",
        "/api/v1/jobs/../../../etc/passwd",
        "/.git/config",
        "/index.html/",
        "/api",
        "/api/v1",
        "/api/v1/",
        "/api/v2/jobs",
        "/%",
    ] {
        let answer = get(daemon.address, path);
        answer.problem(404);
    }
    get(daemon.address, "/api/v1/jobs/..%2f1").problem(400);
}

#[test]
fn too_much_at_once_is_refused() {
    let daemon = Daemon::with(ServerLimits { running: 0, ..ServerLimits::default() });
    let refused = get(daemon.address, "/api/v1/jobs");
    refused.problem(503);
    assert_eq!(refused.header("retry-after"), "2");
    // Whoever watches the daemon has places of their own.
    for path in ["/api/v1/health", "/metrics"] {
        assert_eq!(get(daemon.address, path).status, 200, "{path}");
    }
}

/// Work that its request no longer waits for is still work: no more of it runs than is allowed.
#[test]
fn a_request_that_is_given_up_keeps_its_place_until_its_work_ends() {
    let limits = ServerLimits { answering: Duration::from_millis(100), heavy: 2, ..ServerLimits::default() };
    let daemon = Daemon::with(limits);
    let at = daemon.address;
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let asking: Vec<_> =
                (0..4).map(|_| scope.spawn(|| post(at, "/api/v1/jobs", "{\"kind\":\"slow\"}"))).collect();
            for answer in asking {
                answer.join().unwrap().problem(503);
            }
        }
    });
    let begun = Instant::now();
    // Where an answer may take a tenth of a second, even this one may be late.
    while get(at, "/api/v1/health").status != 200 {
        assert!(begun.elapsed() < PATIENCE, "the health is not told");
    }
    while daemon.service.at_work.load(Ordering::SeqCst) < 2 {
        assert!(begun.elapsed() < PATIENCE, "less is done than may be");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(daemon.service.most_at_work.load(Ordering::SeqCst), 2);
    // When it ends, others get its place.
    daemon.service.ends_slow.store(true, Ordering::SeqCst);
    while post(at, "/api/v1/jobs", "{\"kind\":\"slow\"}").status != 422 {
        assert!(begun.elapsed() < PATIENCE, "the places stay taken");
    }
    assert_eq!(daemon.service.most_at_work.load(Ordering::SeqCst), 2);
}

/// A record that fits into a request and is half a gigabyte when it is unpacked.
#[test]
fn bombs_are_refused() {
    let daemon = Daemon::begin();
    let json = format!(
        "{{\"version\":\"0.1\",\"variant\":\"5T\",\"score\":0,\"moves\":[],\"tags\":[{}\"\"]}}",
        "\"\",".repeat(15_000_000)
    );
    let mut packed = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(json.as_bytes()).unwrap();
    let bomb = format!("MS1:{}", base64::Engine::encode(&URL_SAFE_NO_PAD, packed.finish().unwrap()));
    for path in ["/api/v1/grids/check", "/api/v1/grids"] {
        let answer = request(daemon.address, "POST", path, &[("content-type", "text/plain")], bomb.as_bytes());
        let problem = answer.problem(422);
        assert!(problem["detail"].as_str().is_some_and(|why| why.contains("bytes of JSON")), "{problem}");
    }
}

#[test]
fn other_machines_need_a_token() {
    let state = tempfile::tempdir().unwrap();
    let tokens = TokenFile::in_directory(state.path());
    let store = || Some(Arc::new(TokenFile::in_directory(state.path())) as Arc<_>);
    let open = Daemon::listening("0.0.0.0:0", ServerLimits::default(), None);
    assert!(matches!(open.end(), Err(ServeError::NeedsToken(_))));
    let empty = Daemon::listening("0.0.0.0:0", ServerLimits::default(), store());
    assert!(matches!(empty.end(), Err(ServeError::NeedsToken(_))));

    let mut secrets = Vec::new();
    for (n, role) in [Role::Read, Role::Operate, Role::Worker].into_iter().enumerate() {
        let (token, secret) = make(role.name(), role, ([n as u8; 4], [n as u8 + 1; 32]), 0).unwrap();
        tokens.add(token).unwrap();
        secrets.push(secret);
    }
    let daemon = Daemon::listening("0.0.0.0:0", ServerLimits::default(), store());
    let at = daemon.address;
    let with = |secret: &str, method: &str, path: &str, body: &str| {
        let bearer = format!("Bearer {secret}");
        let headers = [("authorization", &*bearer), ("content-type", "application/json")];
        request(at, method, path, &headers, body.as_bytes())
    };
    // The page is free, so that a token can be entered there; it holds no secret.
    assert_eq!(get(at, "/").status, 200);
    for path in ["/api/v1/jobs", "/api/v1/health", "/metrics", "/api/v1/openapi.json", "/api/v1/nothing"] {
        let refused = get(at, path);
        refused.problem(401);
        assert!(refused.header("www-authenticate").starts_with("Bearer"));
        with("morpion_wrong", "GET", path, "").problem(401);
        with("", "GET", path, "").problem(401);
    }
    request(at, "GET", "/api/v1/jobs", &[("authorization", &format!("Basic {}", secrets[1]))], b"").problem(401);
    let hunt = r#"{"kind":"hunt"}"#;
    let [read, operate, worker] = [&*secrets[0], &*secrets[1], &*secrets[2]];
    assert_eq!(with(read, "GET", "/api/v1/jobs", "").status, 200);
    assert_eq!(with(read, "POST", "/api/v1/board", r#"{"variant":"5T"}"#).status, 200);
    with(read, "POST", "/api/v1/jobs", hunt).problem(403);
    // Searches for a person who plays take the machine's time.
    for search in ["/api/v1/position/move", "/api/v1/position/analysis"] {
        with(read, "POST", search, r#"{"settings":{"game":"gomoku"},"seconds":0.05}"#).problem(403);
        assert_eq!(with(operate, "POST", search, r#"{"settings":{"game":"gomoku"},"seconds":0.05}"#).status, 200);
    }
    assert_eq!(with(operate, "POST", "/api/v1/jobs", hunt).status, 201);
    assert_eq!(with(worker, "GET", "/api/v1/workers", "").status, 200);
    with(worker, "GET", "/api/v1/jobs", "").problem(403);
    with(worker, "POST", "/api/v1/jobs", hunt).problem(403);
    // Taking one back counts at once; a damaged file lets nobody in.
    tokens.remove("operate").unwrap();
    with(operate, "GET", "/api/v1/jobs", "").problem(401);
    std::fs::write(state.path().join("tokens.json"), "{").unwrap();
    for _ in 0..20 {
        with(read, "GET", "/api/v1/jobs", "").problem(500);
    }
    // A stranger without a valid token cannot fill the log.
    with("wrong", "GET", "/api/v1/health", "").problem(500);
    assert_eq!(daemon.log.lock().unwrap().len(), 1, "{:?}", daemon.log);
    daemon.end().unwrap();
}

/// Clients that have gone away take no search from the others: only a few run at a time.
#[test]
fn a_search_ends_with_the_client_that_waits_for_it() {
    let daemon = Daemon::begin();
    let began = Instant::now();
    let body = json!({ "settings": { "game": "gomoku" }, "moves": ["h8", "i9", "g7"], "seconds": 10 }).to_string();
    for path in ["move", "analysis"].repeat(3) {
        let mut client = TcpStream::connect(daemon.address).unwrap();
        let length = body.len();
        write!(
            client,
            "POST /api/v1/position/{path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}",
            daemon.address
        )
        .unwrap();
        client.flush().unwrap();
        // It is being searched for, or waits for its turn.
        std::thread::sleep(Duration::from_millis(100));
    }
    let short = json!({ "settings": { "game": "gomoku" }, "moves": ["h8"], "seconds": 0.1 }).to_string();
    for path in ["move", "analysis"] {
        assert_eq!(post(daemon.address, &format!("/api/v1/position/{path}"), &short).status, 200);
    }
    let seconds = began.elapsed().as_secs_f64();
    assert!(seconds < 8.0, "{seconds} s: searches have gone on for nobody");
    daemon.end().unwrap();
}
