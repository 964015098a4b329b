//! Every route, what it answers and what it refuses.

use crate::daemon::Daemon;
use crate::http::{Answer, get, post, request};
use serde_json::{Value, json};
use std::net::SocketAddr;

const HUNT: &str = r#"{"kind":"hunt","settings":{"strategy":"nrpa"}}"#;

fn text(address: SocketAddr, path: &str, body: &str) -> Answer {
    request(address, "POST", path, &[("content-type", "text/plain; charset=utf-8")], body.as_bytes())
}

#[test]
fn the_page_is_there_and_says_what_browsers_may_do() {
    let daemon = Daemon::begin();
    let page = get(daemon.address, "/");
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(page.text().to_ascii_lowercase().starts_with("<!doctype html>"));
    let policy = page.header("content-security-policy");
    for part in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
        assert!(policy.contains(part), "{policy}");
    }
    // Of what is called unsafe only WebAssembly is allowed: files of the page, not text that becomes code.
    assert!(!policy.replace("'wasm-unsafe-eval'", "").contains("unsafe"), "{policy}");
    for (name, value) in
        [("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"), ("x-frame-options", "DENY")]
    {
        assert_eq!(page.header(name), value);
        assert_eq!(get(daemon.address, "/api/v1/jobs").header(name), value);
    }
    assert!(page.headers.iter().all(|(name, _)| !name.starts_with("access-control")));
    let head = request(daemon.address, "HEAD", "/", &[], b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert!(request(daemon.address, "POST", "/", &[], b"").header("allow").contains("GET"));
    daemon.end().unwrap();
}

#[test]
fn health_statistics_metrics_and_the_description() {
    let daemon = Daemon::begin();
    assert_eq!(post(daemon.address, "/api/v1/jobs", HUNT).status, 201);
    let health = get(daemon.address, "/api/v1/health");
    assert_eq!((health.status, health.header("content-type")), (200, "application/json"));
    assert_eq!(health.json()["status"], "ok");
    let totals = get(daemon.address, "/api/v1/statistics").json();
    assert_eq!((&totals["jobs"]["running"], &totals["iterations"]), (&json!(1), &json!(1000)));
    assert_eq!(totals["best"][0]["score"], 82);
    get(daemon.address, "/api/v1/jobs/77").problem(404);
    let metrics = get(daemon.address, "/metrics");
    assert_eq!(metrics.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    for line in [
        "morpion_jobs{state=\"running\"} 1",
        "morpion_best{variant=\"5D\"} 82",
        "morpion_workers_busy 1",
        "morpion_machines{state=\"here\"} 1",
        "morpion_machines{state=\"lost\"} 0",
        "morpion_iterations 1000",
        "morpion_http_requests_total{route=\"/api/v1/jobs\",method=\"POST\",status=\"201\"} 1",
        "morpion_http_requests_total{route=\"/api/v1/jobs/{id}\",method=\"GET\",status=\"404\"} 1",
    ] {
        assert!(metrics.text().lines().any(|l| l == line), "{line}\n{}", metrics.text());
    }
}

#[test]
fn the_description_names_every_route_and_no_other() {
    let daemon = Daemon::begin();
    let description = get(daemon.address, "/api/v1/openapi.json").json();
    assert!(description["openapi"].as_str().unwrap().starts_with("3."));
    let paths = description["paths"].as_object().unwrap();
    let (mut operations, mut names) = (0, std::collections::BTreeSet::new());
    for (path, item) in paths {
        let here = path
            .replace("{id}", "1")
            .replace("{key}", "0")
            .replace("{a}", "0")
            .replace("{b}", "0")
            .replace("{name}", "x");
        for (method, operation) in item.as_object().unwrap() {
            operations += 1;
            assert!(operation["summary"].is_string(), "{method} {path} says nothing");
            let name = operation["operationId"].as_str().unwrap();
            assert!(names.insert(name), "{name} names two operations");
            let answer = match (path.as_str(), method.as_str()) {
                ("/api/v1/events", _) => continue,
                (_, "get") => get(daemon.address, &here),
                (_, method) => request(daemon.address, &method.to_ascii_uppercase(), &here, &[], b""),
            };
            // A route that is not there would not get as far as to the job, the grid or the content type.
            assert_ne!(answer.status, 405, "{method} {path}");
            if answer.status == 404 {
                let detail = answer.problem(404)["detail"].as_str().unwrap().to_owned();
                assert!(!detail.contains("openapi.json"), "{method} {path}: {detail}");
            }
        }
    }
    assert_eq!(operations, 56, "{:?}", paths.keys().collect::<Vec<_>>());
    // A number that is any of 64 bits says so; utoipa has a spelling of its own.
    let id = &description["paths"]["/api/v1/jobs/{id}"]["get"]["parameters"][0]["schema"];
    assert_eq!((&id["format"], &id["maximum"]), (&"uint64".into(), &u64::MAX.into()), "{id}");
    assert!(!description.to_string().contains("u-int"));
    let key = &description["paths"]["/api/v1/jobs"]["post"]["parameters"][0];
    assert_eq!((&key["name"], &key["in"]), (&"Idempotency-Key".into(), &"header".into()));
    // Names that clients made from the description may know, whatever the types are called here.
    for name in ["Colours", "Form", "JobRequest", "JobView", "Limits", "Problem", "Start", "UnitState"] {
        assert!(description["components"]["schemas"][name].is_object(), "{name}");
    }
    let mut references = Vec::new();
    collect_references(&description, &mut references);
    assert!(references.len() > 50);
    for reference in references {
        let found = description.pointer(reference.trim_start_matches('#'));
        assert!(found.is_some(), "{reference} leads nowhere");
    }
}

fn collect_references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            found.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
            map.values().for_each(|value| collect_references(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| collect_references(value, found)),
        _ => {}
    }
}

#[test]
fn credit_and_messages() {
    let daemon = Daemon::begin();
    let at = daemon.address;
    let credit = get(at, "/api/v1/credit").json();
    let first = &credit["users"][0];
    assert_eq!((&first["name"], &first["units"], &first["credit"]), (&json!("ada"), &json!(90), &json!(382.5)));
    let account = get(at, "/api/v1/credit/users/bob%20b.").json();
    assert_eq!((&account["name"], &account["days"][0]["day"]), (&json!("bob b."), &json!("2026-11-20")));
    get(at, "/api/v1/credit/users/eve").problem(404);
    let table = get(at, "/api/v1/credit/export");
    assert_eq!((table.status, table.header("content-type")), (200, "text/csv; charset=utf-8"));
    assert_eq!(table.text(), "user,team\nada,lab\n");
    let sent = post(at, "/api/v1/messages", r#"{"text":"We prove 4D now.","to":"ada"}"#);
    assert_eq!((sent.status, &sent.json()["number"]), (201, &json!(1)));
    assert_eq!(get(at, "/api/v1/messages").json()["items"][0]["text"], "We prove 4D now.");
    post(at, "/api/v1/messages", r#"{"text":""}"#).problem(422);
    post(at, "/api/v1/messages", r#"{"words":"x"}"#).problem(422);
    post(at, "/api/v1/messages", "{").problem(400);
    request(at, "DELETE", "/api/v1/messages", &[], b"").problem(405);
    daemon.end().unwrap();
}

/// A better name comes in addition to the old one, in what is sent and in what is accepted.
#[test]
fn old_and_new_names_are_both_there() {
    let daemon = Daemon::begin();
    let at = daemon.address;
    let body = json!({ "kind": "hunt", "limits": { "workers": 2 } }).to_string();
    let job = post(at, "/api/v1/jobs", &body).json();
    assert_eq!((&job["limits"]["workers"], &job["limits"]["threads"]), (&json!(2), &json!(2)), "{job}");
    assert_eq!((&job["workers"], &job["threads"]), (&json!(1), &json!(1)));
    assert_eq!((&job["units_quarantined"], &job["units_poisoned"]), (&json!(0), &json!(0)));
    // An old client changes a copy of the limits that it was given.
    let mut limits = job["limits"].clone();
    limits["threads"] = json!(3);
    let patch = |limits: &Value| {
        let body = json!({ "limits": limits }).to_string();
        request(at, "PATCH", "/api/v1/jobs/1", &[("content-type", "application/json")], body.as_bytes())
    };
    let changed = patch(&limits).json();
    assert_eq!((&changed["limits"]["workers"], &changed["limits"]["threads"]), (&json!(3), &json!(3)));
    let detail = patch(&json!({ "workers": 5, "threads": 4 })).problem(422)["detail"].clone();
    assert!(detail.as_str().unwrap().contains("give workers only"), "{detail}");
    let totals = get(at, "/api/v1/statistics").json();
    assert_eq!((&totals["workers"], &totals["threads"]), (&json!(1), &json!(1)), "{totals}");
    assert_eq!(totals["units_quarantined"], totals["units_poisoned"]);
    for state in ["poisoned", "quarantined"] {
        assert_eq!(get(at, &format!("/api/v1/jobs/1/units?state={state}")).status, 200, "{state}");
    }
}

#[test]
fn a_job_is_submitted_commanded_and_removed() {
    let daemon = Daemon::begin();
    let at = daemon.address;
    let made = post(at, "/api/v1/jobs", HUNT);
    assert_eq!((made.status, made.header("location")), (201, "/api/v1/jobs/1"));
    assert_eq!(get(at, "/api/v1/jobs/1").json(), made.json());
    for (verb, state) in [("pause", "paused"), ("resume", "running")] {
        let told = post(at, &format!("/api/v1/jobs/1/{verb}"), "");
        assert_eq!((told.status, &told.json()["state"]), (200, &json!(state)));
    }
    let patch =
        |body: &str| request(at, "PATCH", "/api/v1/jobs/1", &[("content-type", "application/json")], body.as_bytes());
    let changed = patch(r#"{"priority":5,"limits":{"seconds":60}}"#).json();
    assert_eq!((&changed["priority"], &changed["weight"]), (&json!(5), &json!(1)));
    assert_eq!(changed["limits"]["seconds"], 60.0);
    patch(r#"{"priority":101}"#).problem(422);
    patch(r#"{"colour":1}"#).problem(422);
    // An array is no object, even if its items would fit the fields.
    for array in ["[null,null]", r#"{"limits":[null,null]}"#, r#"{"limits":[60.0]}"#] {
        patch(array).problem(422);
    }
    assert_eq!(get(at, "/api/v1/jobs/1").json()["limits"]["seconds"], 60.0);
    patch("{").problem(400);
    request(at, "DELETE", "/api/v1/jobs/1", &[], b"").problem(409);
    assert_eq!(post(at, "/api/v1/jobs/1/cancel", "").status, 200);
    post(at, "/api/v1/jobs/1/drain", "").problem(409);
    post(at, "/api/v1/jobs/1/retry", "").problem(409);
    let removed = request(at, "DELETE", "/api/v1/jobs/1", &[], b"");
    assert_eq!((removed.status, removed.body.len()), (204, 0));
    for path in ["/api/v1/jobs/1", "/api/v1/jobs/1/units", "/api/v1/jobs/1/statistics", "/api/v1/units?job=1"] {
        get(at, path).problem(404);
    }
    for path in ["/api/v1/jobs/x", "/api/v1/jobs/-1", "/api/v1/jobs/99999999999999999999"] {
        get(at, path).problem(400);
    }
}

#[test]
fn the_same_submission_is_made_once() {
    let daemon = Daemon::begin();
    let submit = |key: &str, body: &str| {
        let headers = [("content-type", "application/json"), ("idempotency-key", key)];
        request(daemon.address, "POST", "/api/v1/jobs", &headers, body.as_bytes())
    };
    assert_eq!(submit("mine", HUNT).json()["id"], 1);
    let again = submit("mine", HUNT);
    assert_eq!((again.status, &again.json()["id"]), (201, &json!(1)));
    assert_eq!(submit("other", HUNT).json()["id"], 2);
    submit("mine", r#"{"kind":"hunt"}"#).problem(409);
    submit("", HUNT).problem(400);
    submit(&"x".repeat(129), HUNT).problem(400);
    assert_eq!(submit(&"x".repeat(128), HUNT).status, 201);
}

#[test]
fn what_the_service_refuses_is_told_and_defects_are_not() {
    let daemon = Daemon::begin();
    let kind = |kind: &str| post(daemon.address, "/api/v1/jobs", &json!({ "kind": kind }).to_string());
    assert!(kind("gather").problem(422)["detail"].as_str().unwrap().contains("hunt is expected"));
    let full = kind("full");
    full.problem(503);
    assert_eq!(full.header("retry-after"), "2");
    assert!(!kind("broken").problem(500).to_string().contains("secret"));
    kind("panic").problem(500);
    let log = daemon.log.lock().unwrap();
    assert!(log.iter().any(|line| line.contains("POST /api/v1/jobs: secret details")), "{log:?}");
    assert_eq!(log.len(), 2, "{log:?}");
}

#[test]
fn lists_come_in_parts() {
    let daemon = Daemon::begin();
    let at = daemon.address;
    for _ in 0..5 {
        assert_eq!(post(at, "/api/v1/jobs", HUNT).status, 201);
    }
    assert_eq!(post(at, "/api/v1/jobs/2/pause", "").status, 200);
    let ids =
        |list: &Value| list["items"].as_array().unwrap().iter().map(|job| job["id"].clone()).collect::<Vec<_>>();
    let first = get(at, "/api/v1/jobs?limit=2").json();
    assert_eq!(ids(&first), [5, 4]);
    let second = get(at, &format!("/api/v1/jobs?limit=3&cursor={}", first["next"].as_str().unwrap())).json();
    assert_eq!((ids(&second), &second["next"]), (vec![json!(3), json!(2), json!(1)], &Value::Null));
    assert_eq!(ids(&get(at, "/api/v1/jobs?state=paused&kind=hunt").json()), [2]);
    assert_eq!(ids(&get(at, "/api/v1/jobs?kind=solve").json()), [0u8; 0]);
    let long = "5 ".repeat(200);
    let request = json!({ "kind": "hunt", "settings": { "strategy": "random", "start": long } });
    assert_eq!(post(at, "/api/v1/jobs", &request.to_string()).status, 201);
    let start = |form: &str| get(at, &format!("/api/v1/jobs?limit=1{form}")).json()["items"][0]["settings"].clone();
    assert_eq!((&start("")["start"], &start("&settings=whole")["start"]), (&json!(long), &json!(long)));
    let short = start("&settings=short");
    assert_eq!(
        (&short["start"], &short["strategy"]),
        (&json!(format!("{}\u{2026}", &long[..200])), &json!("random"))
    );
    assert_eq!(get(at, "/api/v1/jobs?settings=none").status, 400);
    let units = get(at, "/api/v1/jobs/1/units?state=running").json();
    assert_eq!((units["items"].as_array().unwrap().len(), &units["items"][0]["unit"]), (1, &json!(2)));
    assert_eq!(get(at, "/api/v1/units?job=1").json()["items"].as_array().unwrap().len(), 3);
    assert_eq!(get(at, "/api/v1/workers").json()["items"][0]["worker"], 1);
    assert_eq!(get(at, "/api/v1/jobs/1/statistics").json()["levels"][0]["left"], 3);
    for query in
        ["limit=0", "limit=1001", "limit=-1", "limit=x", "state=idle", "limit=1&limit=2", "colour=red", "cursor=%"]
    {
        get(at, &format!("/api/v1/jobs?{query}")).problem(if query.starts_with("cursor") { 422 } else { 400 });
    }
    get(at, &format!("/api/v1/jobs?cursor={}", "x".repeat(257))).problem(400);
    get(at, "/api/v1/units").problem(400);
    get(at, "/api/v1/units?job=9").problem(404);
}

#[test]
fn grids_are_shown_in_every_form() {
    let daemon = Daemon::begin();
    let at = daemon.address;
    let list = get(at, "/api/v1/grids?variant=5D&min_score=82").json();
    assert_eq!((&list["items"][0]["score"], &list["items"][0]["moves"]), (&json!(82), &Value::Null));
    let key = list["items"][0]["key"].as_str().unwrap();
    let path = format!("/api/v1/grids/{key}");
    let grid = get(at, &path).json();
    assert_eq!(grid["moves"].as_array().unwrap().len(), 82);
    for (format, media_type, begins) in [
        ("json", "application/json", &b"{"[..]),
        ("pentasol", "text/plain; charset=utf-8", b"#"),
        ("msr", "text/plain; charset=utf-8", b"MS1:"),
        ("svg", "image/svg+xml", b"<"),
        ("png", "image/png", b"\x89PNG"),
    ] {
        let shown = get(at, &format!("{path}?format={format}&size=300"));
        assert_eq!((shown.status, shown.header("content-type")), (200, media_type));
        assert!(shown.body.starts_with(begins), "{format}");
        assert!(shown.header("content-security-policy").contains("sandbox"));
    }
    let accept = |accept: &str| request(at, "GET", &path, &[("accept", accept)], b"");
    assert_eq!(accept("image/png, */*;q=0.1").header("content-type"), "image/png");
    assert_eq!(accept("text/plain").header("content-type"), "text/plain; charset=utf-8");
    accept("application/pdf").problem(406);
    let dark = get(at, &format!("{path}?format=svg&theme=dark"));
    assert_ne!(dark.body, get(at, &format!("{path}?format=svg")).body);
    for query in ["format=gif", "size=299", "size=2001", "theme=blue", "shape=round"] {
        get(at, &format!("{path}?{query}")).problem(400);
    }
    for key in ["0000000000000000", "0", "..%2f..%2fetc%2fpasswd", &key.to_uppercase()] {
        get(at, &format!("/api/v1/grids/{key}")).problem(404);
    }
    assert_eq!(get(at, "/api/v1/grids?min_score=83").json()["items"], json!([]));
    assert_eq!(get(at, "/api/v1/grids?job=3").json()["items"], json!([]));
}

#[test]
fn grids_that_are_sent_go_through_the_referee() {
    let daemon = Daemon::begin();
    let at = daemon.address;
    let good = "(28,28)\n(31,29) | -2\n(27,27) / 0\n";
    let checked = text(at, "/api/v1/grids/check?variant=5T", good);
    assert_eq!(
        (checked.status, &checked.json()["variant"], &checked.json()["score"]),
        (200, &json!("5T"), &json!(2))
    );
    let key = checked.json()["key"].as_str().unwrap().to_owned();
    get(at, &format!("/api/v1/grids/{key}")).problem(404);
    let stored = text(at, "/api/v1/grids?variant=5T", good);
    assert_eq!((stored.status, stored.header("location")), (201, &*format!("/api/v1/grids/{key}")));
    assert_eq!(get(at, stored.header("location")).json()["moves"], checked.json()["moves"]);
    let illegal = text(at, "/api/v1/grids", "(28,28)\n(31,29) | -2\n(31,29) | -2\n").problem(422);
    assert_eq!((&illegal["type"], &illegal["number"]), (&json!("urn:morpion:illegal-move"), &json!(2)));
    for bad in ["", "hello", "<svg>", "MS1:AAAA", "\u{0}"] {
        text(at, "/api/v1/grids", bad).problem(422);
        text(at, "/api/v1/grids/check", bad).problem(422);
    }
    post(at, "/api/v1/grids", good).problem(400);
    request(at, "POST", "/api/v1/grids", &[], good.as_bytes()).problem(415);
    request(at, "POST", "/api/v1/grids", &[("content-type", "text/html")], good.as_bytes()).problem(415);
    let records = get(at, "/api/v1/archive").json();
    let record = &records["records"][0];
    let as_msr = get(at, &format!("/api/v1/grids/{}?format=msr", record["key"].as_str().unwrap()));
    let again = text(at, "/api/v1/grids/check", as_msr.text()).json();
    assert_eq!((&again["record"], &again["key"]), (&record["name"], &record["key"]));
}

#[test]
fn the_archive_is_counted_and_compared() {
    let daemon = Daemon::begin();
    let at = daemon.address;
    let archive = get(at, "/api/v1/archive").json();
    assert_eq!(archive["counts"][0], json!({"variant": "5D", "score": 82, "count": 1}));
    assert_eq!(archive["records"].as_array().unwrap().len(), 15);
    let key = |n: usize| archive["records"][n]["key"].as_str().unwrap();
    let same = get(at, &format!("/api/v1/grids/{0}/compare/{0}", key(0))).json();
    assert_eq!(same["shared_left"].as_array().unwrap().len(), 178);
    let other = get(at, &format!("/api/v1/grids/{}/compare/{}", key(0), key(1))).json();
    let (left, right) = (other["shared_left"].as_array().unwrap(), other["shared_right"].as_array().unwrap());
    assert!(left.len() == right.len() && !left.is_empty() && left.len() < 177);
    let of_fours = archive["records"].as_array().unwrap().iter().find(|r| r["variant"] == "4T").unwrap();
    let path = format!("/api/v1/grids/{}/compare/{}", key(0), of_fours["key"].as_str().unwrap());
    get(at, &path).problem(422);
    get(at, &format!("/api/v1/grids/{}/compare/0000000000000000", key(0))).problem(404);
}

#[test]
fn a_person_plays_on_the_board() {
    let daemon = Daemon::begin();
    let board = |body: Value| post(daemon.address, "/api/v1/board", &body.to_string());
    let start = board(json!({"variant": "5T"})).json();
    assert_eq!(start["legal"].as_array().unwrap().len(), 28);
    assert_eq!(start["cross"].as_array().unwrap().len(), 36);
    let mut moves = Vec::new();
    loop {
        let position = board(json!({"variant": "5T", "moves": moves})).json();
        assert_eq!(position["moves"].as_array().unwrap().len(), moves.len());
        let Some(next) = position["legal"].as_array().unwrap().first().cloned() else { break };
        moves.push(next);
        if moves.len() == 12 {
            break;
        }
    }
    assert_eq!(moves.len(), 12);
    let twice = json!({"variant": "5T", "moves": [moves[0], moves[1], moves[0]]});
    assert_eq!(board(twice).problem(422)["number"], 3);
    for bad in [
        json!({"x": 28, "y": 28, "direction": "x", "shift": 0}),
        json!({"x": -1, "y": 28, "direction": "-", "shift": 0}),
        json!({"x": 28, "y": i32::MAX, "direction": "|", "shift": i32::MIN}),
    ] {
        assert_eq!(board(json!({"variant": "4D", "moves": [bad]})).problem(422)["number"], 1);
    }
    board(json!({"variant": "6T"})).problem(422);
    board(json!({"variant": "5T", "moves": [{"x": 1}]})).problem(422);
    board(json!({"variant": "5D", "moves": vec![moves[0].clone(); 85]})).problem(422);
    post(daemon.address, "/api/v1/board", "{\"variant\":").problem(400);
    post(daemon.address, "/api/v1/board", &"[".repeat(100_000)).problem(422);
    let deep = format!(r#"{{"kind":"hunt","settings":{{"seed":{}"#, "[".repeat(100_000));
    post(daemon.address, "/api/v1/jobs", &deep).problem(400);
}

#[test]
fn the_machine_makes_moves() {
    let daemon = Daemon::begin();
    let ask = |body: Value| post(daemon.address, "/api/v1/position/move", &body.to_string());
    let quick = |settings: Value, moves: Value| json!({ "settings": settings, "moves": moves, "seconds": 0.05 });
    let gomoku = || json!({ "game": "gomoku" });
    // It completes a row of five, and it stops one.
    let row = json!(["h8", "a1", "i8", "a3", "j8", "a5", "k8", "a7"]);
    let won = ask(quick(gomoku(), row.clone())).json();
    assert_eq!((&won["side"], &won["decided_in"]), (&"black".into(), &1.into()));
    assert!(["g8", "l8"].contains(&won["line"][0].as_str().unwrap()), "{won}");
    let row = json!(["h8", "g8", "i8", "a3", "j8", "a5", "k8"]);
    let held = ask(quick(gomoku(), row)).json();
    assert_eq!((&held["side"], &held["line"][0]), (&"white".into(), &"l8".into()));
    let weak = ask(json!({ "settings": gomoku(), "level": 1, "seconds": 0.05 })).json();
    assert_eq!(weak["line"], json!(["h8"]));
    // The player of patterns is chosen by its name, and looks as deep as its level.
    let other = |name: &str, game: Value| {
        ask(json!({ "settings": game, "moves": ["h8", "i9"], "brain": name, "level": 2, "seconds": 5 }))
    };
    assert_eq!(other("thesis", gomoku()).json()["depth"], 2);
    let unknown = other("nobody", gomoku()).problem(422);
    assert!(unknown["detail"].as_str().unwrap().contains("no player of the name 'nobody'"), "{unknown}");
    let over = json!(["h8", "a1", "i8", "a3", "j8", "a5", "k8", "a7", "l8"]);
    for (body, what) in [
        (quick(gomoku(), over), "the game is over"),
        (quick(gomoku(), json!(["h8", "h8"])), "move 2"),
        (quick(json!({ "game": "chess" }), json!([])), "chess"),
        (quick(gomoku(), json!(vec!["h8"; 1001])), "at most 1000"),
        (json!({ "settings": gomoku(), "level": 0 }), "levels are 1 to 10"),
        (json!({ "settings": gomoku(), "level": 11 }), "levels are 1 to 10"),
        (json!({ "settings": gomoku(), "threads": 0 }), "threads"),
        (json!({ "settings": gomoku(), "seconds": 0 }), "seconds"),
        (json!({ "settings": gomoku(), "seconds": 10.1 }), "seconds"),
        (json!({ "settings": gomoku(), "seconds": -1e300 }), "seconds"),
    ] {
        let problem = ask(body).problem(422);
        assert!(problem["detail"].as_str().unwrap().contains(what), "{problem}");
    }
    daemon.end().unwrap();
}

#[test]
fn moves_of_a_position_are_valued() {
    let daemon = Daemon::begin();
    let ask = |body: Value| post(daemon.address, "/api/v1/position/analysis", &body.to_string());
    let gomoku = || json!({ "game": "gomoku" });
    // Black completes its row at once, by either end; white has one reply to it.
    let row = json!(["h8", "a1", "i8", "a3", "j8", "a5", "k8", "a7"]);
    let found = ask(json!({ "settings": gomoku(), "moves": row, "best": 2, "threads": 2, "seconds": 0.2 })).json();
    assert_eq!((&found["game"], &found["side"]), (&"gomoku".into(), &"black".into()));
    let mut names: Vec<&str> =
        found["moves"].as_array().unwrap().iter().map(|m| m["move"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["g8", "l8"], "{found}");
    assert!(found["moves"].as_array().unwrap().iter().all(|m| m["decided_in"] == 1), "{found}");
    // Five moves are told if no number is given; values of Reversi and Go are points.
    for settings in [gomoku(), json!({ "game": "reversi", "size": 8 }), json!({ "game": "go", "size": 9 })] {
        let moves = json!(if settings["game"] == "reversi" { [].as_slice() } else { &["d4"] });
        let found = ask(json!({ "settings": settings, "moves": moves, "seconds": 0.5 })).json();
        let told = found["moves"].as_array().unwrap();
        let most = if settings["game"] == "reversi" { 4 } else { 5 };
        assert!((1..=most).contains(&told.len()), "{found}");
        assert!(told.iter().all(|m| m["line"][0] == m["move"] && m["value"].is_number()), "{found}");
    }
    let over = json!(["h8", "a1", "i8", "a3", "j8", "a5", "k8", "a7", "l8"]);
    for (body, what) in [
        (json!({ "settings": gomoku(), "moves": over, "seconds": 0.1 }), "the game is over"),
        (json!({ "settings": gomoku(), "moves": ["h8", "h8"] }), "move 2"),
        (json!({ "settings": gomoku(), "best": 0 }), "best: expected 1 to 100"),
        (json!({ "settings": gomoku(), "best": 101 }), "best: expected 1 to 100"),
        (json!({ "settings": gomoku(), "threads": 0 }), "threads: expected 1 to 256"),
        (json!({ "settings": gomoku(), "threads": 257 }), "threads: expected 1 to 256"),
        (json!({ "settings": gomoku(), "seconds": 11 }), "seconds: expected more than 0, at most 10"),
        (json!({ "settings": gomoku(), "level": 3 }), "level"),
    ] {
        let problem = ask(body).problem(422);
        assert!(problem["detail"].as_str().unwrap().contains(what), "{problem}");
    }
    daemon.end().unwrap();
}

#[test]
fn a_person_plays_a_two_player_game() {
    let daemon = Daemon::begin();
    let ask = |settings: Value, moves: Value| {
        let body = json!({ "settings": settings, "moves": moves });
        post(daemon.address, "/api/v1/position", &body.to_string())
    };
    let start = ask(json!({"game": "reversi", "size": 4}), json!([])).json();
    assert_eq!((&start["cells"], &start["side"]), (&".....OX..XO.....".into(), &"black".into()));
    assert_eq!(start["legal"].as_array().unwrap().len(), 4);
    let first = start["legal"][0].clone();
    let after = ask(json!({"game": "reversi", "size": 4}), json!([first])).json();
    assert_eq!(
        (&after["side"], &after["moves"], &after["outcome"]),
        (&"white".into(), &json!([first]), &Value::Null)
    );
    // What one line says is the same position.
    let again = ask(json!({"game": "reversi", "size": 4, "position": after["position"]}), json!([])).json();
    assert_eq!((&again["cells"], &again["legal"]), (&after["cells"], &after["legal"]));
    let go = ask(json!({"game": "go", "size": "2x3"}), json!(["a1", "PASS", "pass"])).json();
    assert_eq!((&go["legal"], &go["outcome"], &go["side"]), (&json!([]), &(-6).into(), &"white".into()));
    let go = ask(json!({"game": "go", "size": "2x3"}), json!(["pass", "pass"])).json();
    assert_eq!((&go["outcome"], &go["solvable"]), (&0.into(), &true.into()));
    // Whether a solution will most likely not end; a finished game needs none.
    let far = ask(json!({"game": "go", "size": 7}), json!(["d4"])).json();
    assert_eq!(far["beyond_reach"], json!({"empty": 48, "most": 25, "by_threats": false}));
    let far = ask(json!({"game": "gomoku"}), json!([])).json();
    assert_eq!(far["beyond_reach"], json!({"empty": 225, "most": 49, "by_threats": true}));
    let over = ask(json!({"game": "go", "size": 7}), json!(["pass", "pass"])).json();
    assert!([start, go, over].iter().all(|view| view.get("beyond_reach").is_none()));
    // Larger boards are for play.
    let large = ask(json!({"game": "go", "size": 19}), json!(["q4", "d16", "q16", "j10"])).json();
    assert_eq!((&large["width"], &large["solvable"], &large["side"]), (&19.into(), &false.into(), &"black".into()));
    assert_eq!(
        (large["legal"].as_array().unwrap().len(), &large["cells"].as_str().unwrap()[3 * 19 + 3..][..1]),
        (358, "O")
    );
    let again = ask(json!({"game": "go", "position": large["position"]}), json!([])).json();
    assert_eq!((&again["cells"], &again["side"]), (&large["cells"], &large["side"]));
    for (settings, moves, status) in [
        (json!({"game": "go", "size": 20}), json!([]), 422),
        (json!({"game": "go", "size": 9}), json!(["i5"]), 422),
        (json!({"game": "go", "size": 9}), json!(["a1", "a1"]), 422),
        (json!({"game": "chess"}), json!([]), 422),
        (json!({"game": "reversi", "size": 3}), json!([]), 422),
        (json!({"game": "go", "position": "/etc/passwd"}), json!([]), 422),
        (json!({}), json!([]), 422),
        (json!({"game": "reversi"}), json!(["a1"]), 422),
        (json!({"game": "reversi"}), json!(["z9"]), 422),
        (json!({"game": "reversi"}), json!(vec!["a1"; 1001]), 422),
        (json!({"game": "reversi"}), json!("a1"), 422),
    ] {
        ask(settings, moves).problem(status);
    }
    assert_eq!(ask(json!({"game": "reversi", "size": 4}), json!([first, first])).problem(422)["number"], 2);
}

#[test]
fn a_solver_job_is_shown() {
    let daemon = Daemon::begin();
    let body = json!({"kind": "solve", "settings": {"game": "reversi", "size": 4}});
    let job = post(daemon.address, "/api/v1/jobs", &body.to_string()).json();
    let found = &job["solution"];
    assert_eq!((&found["lower"], &found["upper"], &found["side"]), (&(-10).into(), &(-6).into(), &"black".into()));
    assert_eq!(found["units"]["made"], 9);
    let hunt = post(daemon.address, "/api/v1/jobs", "{\"kind\":\"hunt\"}").json();
    assert!(hunt.get("solution").is_none());
    let course = get(daemon.address, "/api/v1/jobs/1/statistics").json();
    assert_eq!(course["solution"]["course"][2]["lower"], -10);
    assert_eq!(course["solution"]["users"][0]["user"], "ada");
    let totals = get(daemon.address, "/api/v1/statistics").json();
    let sum = json!([{"user": "ada", "jobs": 1, "units": 7, "nodes": 1234, "cpu_seconds": 0.5}]);
    assert_eq!(totals["solver"], sum);
    let metrics = get(daemon.address, "/metrics");
    assert!(metrics.text().lines().any(|line| line == "morpion_solver_nodes{user=\"ada\"} 1234"));
}

/// The document from which a form for a new hunt is made: all that the program's tables have.
#[test]
fn the_strategies_and_their_settings_are_told() {
    let daemon = Daemon::begin();
    let told = get(daemon.address, "/api/v1/strategies").json();
    assert_eq!((&told["v"], &told["default"]), (&json!(1), &json!("auto")));
    let auto: Vec<(&str, &str)> = told["auto"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["variant"].as_str().unwrap(), one["strategy"].as_str().unwrap()))
        .collect();
    assert_eq!(auto, [("5T", "reshape"), ("5D", "reshape"), ("4T", "nrpa"), ("4D", "nrpa")]);
    let strategies = told["strategies"].as_array().unwrap();
    assert_eq!(strategies.len(), 10);
    let names: Vec<&str> = strategies.iter().map(|one| one["name"].as_str().unwrap()).collect();
    for (part, least) in [("parameters", 25), ("common", 5), ("limits", 4)] {
        let settings = told[part].as_array().unwrap();
        assert!(settings.len() >= least, "{part}");
        for setting in settings {
            for text in ["name", "label", "help", "kind"] {
                assert!(!setting[text].as_str().unwrap().is_empty(), "{setting}");
            }
            let users = setting["used_by"].as_array().unwrap();
            assert!(
                !users.is_empty() && users.iter().all(|user| names.contains(&user.as_str().unwrap())),
                "{setting}"
            );
            for user in users {
                let default = setting["defaults"][user.as_str().unwrap()].as_str().unwrap();
                assert!(!default.is_empty(), "{user}: {setting}");
                // A form that sends the default asks for the same.
                let strategy = strategies.iter().find(|one| one["name"] == *user).unwrap();
                let lists = strategy["parameters"].as_array().unwrap().contains(&setting["name"]);
                // A limit may have the name of a parameter.
                assert!(part == "limits" || lists == (part == "parameters"), "{user}: {setting}");
            }
        }
    }
    let level = told["parameters"].as_array().unwrap().iter().find(|one| one["name"] == "level").unwrap();
    assert_eq!((&level["kind"], &level["min"], &level["max"]), (&json!("whole"), &json!(1.0), &json!(10.0)));
    assert_eq!(level["defaults"]["nrpa"], "5 in 5T and 5D, else 3");
}
