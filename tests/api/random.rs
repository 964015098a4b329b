//! Requests made at random: every answer is well formed, every refusal a problem document, and nothing is a defect.

use crate::fake::Fake;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Method, Request, Uri};
use http_body_util::BodyExt;
use morpion::daemon::api::{Api, ServerLimits, ServerOptions};
use proptest::prelude::*;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn method() -> impl Strategy<Value = Method> {
    prop_oneof![
        4 => Just(Method::GET),
        4 => Just(Method::POST),
        1 => Just(Method::PATCH),
        1 => Just(Method::DELETE),
        1 => Just(Method::HEAD),
        1 => Just(Method::OPTIONS),
        1 => "[A-Z]{1,9}".prop_map(|name| Method::from_bytes(name.as_bytes()).unwrap()),
    ]
}

fn path() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("jobs".to_owned()),
        Just("grids".to_owned()),
        Just("check".to_owned()),
        Just("board".to_owned()),
        Just("units".to_owned()),
        Just("statistics".to_owned()),
        Just("pause".to_owned()),
        Just("1".to_owned()),
        Just("compare".to_owned()),
        Just("archive".to_owned()),
        Just("health".to_owned()),
        Just("workers".to_owned()),
        Just("..".to_owned()),
        Just("openapi.json".to_owned()),
        Just("0123456789abcdef".to_owned()),
        "[a-z0-9]{0,4}",
        "(%[0-9a-f]{2}){1,3}",
        "-?[0-9]{1,22}",
    ];
    let below = prop::collection::vec(part, 0..4).prop_map(|parts| format!("/api/v1/{}", parts.join("/")));
    prop_oneof![8 => below, 1 => "/[a-z./]{0,12}", 1 => Just("/metrics".to_owned())]
}

fn query() -> impl Strategy<Value = String> {
    let key = "(limit|cursor|state|kind|variant|min_score|job|format|size|theme|after|x)";
    let value = prop_oneof!["[0-9]{1,6}", "(5T|5D|running|done|png|svg|msr|hunt)", "[ -~]{0,8}", "\\PC{0,4}"];
    prop::collection::vec((key, value), 0..3).prop_map(|pairs| {
        let pair = |(key, value): &(String, String)| {
            let value: String = value.bytes().map(|b| format!("%{b:02x}")).collect();
            format!("{key}={value}")
        };
        if pairs.is_empty() {
            String::new()
        } else {
            format!("?{}", pairs.iter().map(pair).collect::<Vec<_>>().join("&"))
        }
    })
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let move_of = ("-?[0-9]{1,11}", "-?[0-9]{1,3}", "[-|/\\\\x]", "-?[0-9]")
        .prop_map(|(x, y, d, s)| serde_json::json!({"x": x.parse::<i64>().ok(), "y": y.parse::<i64>().ok(), "direction": d, "shift": s.parse::<i64>().ok()}));
    prop_oneof![
        2 => Just(Vec::new()),
        2 => prop::collection::vec(any::<u8>(), 0..200),
        2 => prop::collection::vec(move_of, 0..4)
            .prop_map(|moves| serde_json::json!({"variant": "5T", "moves": moves}).to_string().into_bytes()),
        2 => ("[a-z]{0,5}", any::<i32>(), any::<f64>()).prop_map(|(kind, priority, seconds)| {
            serde_json::json!({"kind": if kind.len() < 3 { "hunt" } else { &kind }, "priority": priority, "limits": {"seconds": seconds}})
                .to_string().into_bytes()
        }),
        1 => "\\(28,28\\)\n(\\([0-9]{1,2},[0-9]{1,2}\\) [-|/\\\\] -?[0-3]\n){0,5}".prop_map(String::into_bytes),
        1 => "[\\[\\]{}\",:0-9a-z]{0,60}".prop_map(String::into_bytes),
    ]
}

fn headers() -> impl Strategy<Value = Vec<(HeaderName, HeaderValue)>> {
    let name = prop_oneof![
        Just("accept"),
        Just("content-type"),
        Just("origin"),
        Just("sec-fetch-site"),
        Just("idempotency-key"),
        Just("last-event-id"),
        Just("authorization"),
        Just("content-length"),
        Just("host"),
    ];
    let value = prop_oneof![
        Just("application/json".to_owned()),
        Just("text/plain".to_owned()),
        Just("*/*".to_owned()),
        Just("localhost".to_owned()),
        Just("http://localhost".to_owned()),
        Just("same-origin".to_owned()),
        "[0-9]{1,4}",
        "[ -~]{0,20}",
    ];
    let pair = (name, value)
        .prop_map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(&value).unwrap()));
    prop::collection::vec(pair, 0..3)
}

#[test]
fn every_answer_is_well_formed() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let lines = Arc::clone(&log);
    let mut options = ServerOptions::new(Arc::new(move |line: &str| lines.lock().unwrap().push(line.to_owned())));
    options.limits = ServerLimits { keep_alive: Duration::from_secs(3600), ..ServerLimits::default() };
    let (_close, closing) = tokio::sync::watch::channel(false);
    let api = Api::new(Arc::new(Fake::new()), options, closing).unwrap();
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(method in method(), path in path(), query in query(), headers in headers(), body in body(),
        json in prop::bool::weighted(0.7))| {
        let Ok(uri) = format!("{path}{query}").parse::<Uri>() else { return Ok(()) };
        let mut request = Request::builder().method(method.clone()).uri(uri);
        if !headers.iter().any(|(name, _)| name == "host") {
            request = request.header("host", "localhost");
        }
        if json && !body.is_empty() && !headers.iter().any(|(name, _)| name == "content-type") {
            request = request.header("content-type", if body.starts_with(b"(") { "text/plain" } else { "application/json" });
        }
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let (parts, answer) = runtime.block_on(async {
            let answer = api.answer(request.body(Body::from(body)).unwrap()).await;
            let (parts, body) = answer.into_parts();
            let stream = parts.headers.get("content-type").is_some_and(|v| v == "text/event-stream");
            let bytes = if stream { Default::default() } else { body.collect().await.unwrap().to_bytes() };
            (parts, bytes)
        });
        let status = parts.status.as_u16();
        prop_assert!((200..500).contains(&status) && !(300..400).contains(&status), "{status} {log:?}");
        prop_assert!(parts.headers.contains_key("content-security-policy"));
        if status >= 400 {
            prop_assert_eq!(&parts.headers["content-type"], "application/problem+json");
            if method != Method::HEAD {
                let problem: serde_json::Value = serde_json::from_slice(&answer).unwrap();
                prop_assert_eq!(&problem["status"], status);
            }
        } else if parts.headers.get("content-type").is_some_and(|v| v == "application/json") && method != Method::HEAD {
            prop_assert!(serde_json::from_slice::<serde_json::Value>(&answer).is_ok());
        }
    });
    assert_eq!(*log.lock().unwrap(), [""; 0]);
}
