//! Machines that lie, and machines that may do no more than a machine has to.

use crate::daemons::program::end;
use crate::daemons::*;
use crate::installation::Installation;
use crate::machines::{undisturbed, work};
use crate::server::{self, Server};
use async_nats::HeaderMap;
use async_nats::header::NATS_MESSAGE_ID;
use async_nats::jetstream::{self, consumer::PullConsumer};
use futures_util::StreamExt;
use morpion::core::encoding::{decode, encode};
use morpion::queue::nats::message::{
    Beat, Introduction, JobMessage, Names, PROTOCOL, PartRequest, TurnMessage, Word,
};
use morpion::queue::nats::rights::{configuration, with_machine};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A client that is no machine.
pub struct Liar {
    pub runtime: tokio::runtime::Runtime,
    pub client: async_nats::Client,
    pub names: Names,
    /// The end of its subjects.
    pub place: String,
}

/// Its number as a machine.
pub const ID: &str = "00000000000011ab";

impl Liar {
    /// As a user with a password, or as nobody.
    pub fn connect(url: &str, user: Option<(&str, &str)>) -> Option<Liar> {
        Liar::connect_as(url, user, ID)
    }

    /// The same with another number as a machine.
    pub fn connect_as(url: &str, user: Option<(&str, &str)>, id: &str) -> Option<Liar> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let names = Names::new("morpion").unwrap();
        let mut options = async_nats::ConnectOptions::new();
        let mut place = id.to_owned();
        if let Some((user, password)) = user {
            options = options.user_and_password(user.to_owned(), password.to_owned());
            options = options.custom_inbox_prefix(names.inbox(Some(user)));
            place = format!("{user}.{id}");
        }
        let client = runtime.block_on(options.connect(url)).ok()?;
        Some(Liar { runtime, client, names, place })
    }

    /// Publishes a message.
    pub fn publish(&self, subject: String, bytes: Vec<u8>) {
        self.runtime.block_on(async {
            self.client.publish(subject, bytes.into()).await.unwrap();
            self.client.flush().await.unwrap();
        });
    }

    /// Publishes a message with a status, as only a server should: no client does that by itself.
    fn publish_status(&self, subject: &str, server: &Server, status: u16, description: &str) {
        let (user, password) = EVIL;
        let mut stream = TcpStream::connect(server.address()).unwrap();
        let headers =
            format!("NATS/1.0 {status} {description}\r\n{NATS_MESSAGE_ID}: {:x}\r\n\r\n", rand::random::<u64>());
        let length = headers.len();
        let connect = json!({ "user": user, "pass": password, "verbose": false, "headers": true, "protocol": 1 });
        write!(stream, "CONNECT {connect}\r\nHPUB {subject} {length} {length}\r\n{headers}\r\nPING\r\n").unwrap();
        let mut said = String::new();
        for line in BufReader::new(stream).lines() {
            let line = line.unwrap();
            said.push_str(&line);
            if line.starts_with("PONG") {
                break;
            }
        }
        assert!(!said.contains("-ERR"), "{said}");
    }

    /// What it says to be there, with one worker and no turn.
    pub fn beat(&self, name: &str) -> Vec<u8> {
        let (name, version, turns) = (name.to_owned(), "0.1.0".to_owned(), Vec::new());
        // It says that it is faster than a machine can be.
        let (user, team, speed, told) = (Some(name.clone()), Some("a\n,\"team".to_owned()), u32::MAX, 0);
        let (protocol, workers, leaving, abilities) = (PROTOCOL, 1, false, Vec::new());
        encode(&Beat { protocol, name, version, workers, leaving, abilities, turns, user, team, speed, told })
    }

    /// Fetches a turn, while it says that it is there.
    pub fn fetch(&self, name: &str) -> JobMessage {
        self.runtime.block_on(async {
            let context = jetstream::new(self.client.clone());
            let consumer: PullConsumer =
                context.get_consumer_from_stream("workers", self.names.jobs_stream()).await.unwrap();
            let mut batch = consumer.batch().max_messages(1).expires(PATIENCE).messages().await.unwrap();
            loop {
                self.client.publish(self.names.beat(&self.place), self.beat(name).into()).await.unwrap();
                if let Ok(message) = tokio::time::timeout(Duration::from_millis(500), batch.next()).await {
                    let message = message.expect("a turn").expect("a turn");
                    message.double_ack().await.unwrap();
                    return decode(&message.payload).expect("a turn");
                }
            }
        })
    }

    /// Says a word of a turn, the one of this number.
    pub fn say(&self, turn: &str, number: u64, word: Word) {
        let message = TurnMessage { turn: turn.to_owned(), number, word };
        self.publish_word(self.names.said(&self.place), encode(&message));
    }

    /// Publishes something as a machine publishes a word.
    pub fn publish_word(&self, subject: String, bytes: Vec<u8>) {
        let mut headers = HeaderMap::new();
        headers.insert(NATS_MESSAGE_ID, format!("{:x}", rand::random::<u128>()));
        self.publish_with(subject, headers, bytes);
    }

    fn publish_with(&self, subject: String, headers: HeaderMap, bytes: Vec<u8>) {
        self.runtime.block_on(async {
            self.client.publish_with_headers(subject, headers, bytes.into()).await.unwrap();
            self.client.flush().await.unwrap();
        });
    }

    /// Asks for something, and has the reply sent to a subject.
    fn ask_for(&self, to: String, subject: String, bytes: Vec<u8>) {
        self.runtime.block_on(async {
            self.client.publish_with_reply(subject, to, bytes.into()).await.unwrap();
            self.client.flush().await.unwrap();
        });
    }
}

#[test]
fn a_machine_that_lies_changes_nothing_and_is_named() {
    let Some(site) = Installation::start("a_machine_that_lies_changes_nothing_and_is_named", &["--threads=0"]) else {
        return;
    };
    let settings = json!({ "strategy": "nrpa", "level": 2, "runs": 3, "seed": 9, "keep_from": 60 });
    let id = site.submit(&json!({ "kind": "hunt", "settings": settings }));
    let liar = site.liar();
    site.wait_for_streams();
    // As the words of a hunt are encoded: an improvement that is no game, a unit with 400 moves, nonsense.
    let none = Vec::<Vec<(u16, u64)>>::new();
    let lies = [
        encode(&(0u32, vec![1u32, 2, 3], 1u64, 0u64)),
        encode(&(6u32, 0u32, 5u64, 400u32, none, Option::<Vec<u32>>::None)),
        b"nonsense".to_vec(),
    ];
    for (lie, reason) in lies.into_iter().zip(["referee refuses", "shows no such grid", "cannot be read"]) {
        let job = liar.fetch("liar");
        // What is said of turns that there are not is nothing.
        for said in 0..200 {
            liar.say("77-no-such-turn", said, Word::Unit(lie.clone()));
            if said % 20 == 0 {
                liar.publish(liar.names.beat(ID), liar.beat("liar"));
            }
        }
        liar.say(&job.turn, 0, Word::Begun(Introduction::default()));
        liar.say(&job.turn, 1, Word::Unit(lie));
        wait_until("the lie is refused", || {
            liar.publish(liar.names.beat(ID), liar.beat("liar"));
            let seen = site.machines();
            seen.iter().any(|machine| machine["reason"].as_str().is_some_and(|said| said.contains(reason)))
        });
        assert!(site.job(id)["best"].is_null(), "{}", site.job(id));
    }
    let seen = site.machines();
    assert_eq!(
        (&seen[0]["name"], &seen[0]["state"], &seen[0]["refused"]),
        (&json!("liar"), &json!("distrusted"), &json!(3))
    );
    liar.publish(liar.names.beat(ID), liar.beat("liar"));
    // It has no place any more; an honest one does all the work.
    let honest = site.machine("honest");
    let job = site.wait_over(id);
    assert_eq!((&job["state"], &job["units_done"]), (&json!("finished"), &json!(3)), "{job}");
    assert!(job["best"].as_u64().is_some_and(|best| (60..179).contains(&best)), "{job}");
    let has_done = |name: &str, units: u64| {
        site.machines().iter().any(|machine| machine["name"] == name && machine["units"] == units)
    };
    wait_until("all its units are seen", || has_done("honest", 3));
    assert!(has_done("liar", 0));
    site.stop([honest]);
}

/// A machine that speaks without an end of turns that it does not have, while an honest one works: that one is heard,
/// the result is what it is without the other, and that is named.
#[test]
fn a_machine_that_floods_changes_nothing_and_is_named() {
    let test = "a_machine_that_floods_changes_nothing_and_is_named";
    if !server::is_there(test) {
        return;
    }
    // The stream is there already, as an older version has made it.
    let directory = tempfile::tempdir().unwrap();
    let server = Server::start(directory.path());
    let liar = Liar::connect(&server.url(), None).unwrap();
    let older = jetstream::stream::Config {
        name: liar.names.said_stream(),
        subjects: vec![liar.names.said(">")],
        retention: jetstream::stream::RetentionPolicy::WorkQueue,
        max_bytes: 8 << 30,
        ..Default::default()
    };
    liar.runtime.block_on(async { jetstream::new(liar.client.clone()).create_stream(older).await.unwrap() });
    let url = server.url();
    let site = Installation::on(directory, server, url, &["--threads=0"]);
    let settings = json!({ "strategy": "nrpa", "level": 2, "runs": 3, "seed": 10, "keep_from": 60 });
    let request = json!({ "kind": "hunt", "settings": settings });
    let honest = site.machine("honest");
    let quiet = site.wait_over(site.submit(&request));
    let limits = liar.runtime.block_on(async {
        let stream = jetstream::new(liar.client.clone()).get_stream(liar.names.said_stream()).await.unwrap();
        let config = &stream.cached_info().config;
        (config.discard, config.discard_new_per_subject, config.max_messages_per_subject)
    });
    assert_eq!(limits, (jetstream::stream::DiscardPolicy::New, true, 10_000));
    let over = Arc::new(AtomicBool::new(false));
    let flood = std::thread::spawn({
        let over = Arc::clone(&over);
        move || {
            let message =
                TurnMessage { turn: "77-no-such-turn".to_owned(), number: 0, word: Word::Unit(vec![7; 1000]) };
            let (subject, bytes) = (liar.names.said(&liar.place), encode(&message));
            let mut said = 0u64;
            while !over.load(Ordering::Relaxed) {
                liar.publish(liar.names.beat(&liar.place), liar.beat("flood"));
                for _ in 0..200 {
                    liar.publish_word(subject.clone(), bytes.clone());
                }
                said += 200;
            }
            said
        }
    });
    wait_until("it is seen", || site.seen("flood").is_some());
    let job = site.wait_over(site.submit(&request));
    // In the whole form it goes on until it is distrusted: three minutes.
    let is_whole = std::env::var_os("MORPION_TEST_FLOOD").is_some();
    while is_whole && site.seen("flood").is_some_and(|seen| seen["state"] != "distrusted") {
        std::thread::sleep(Duration::from_secs(1));
    }
    over.store(true, Ordering::Relaxed);
    let said = flood.join().unwrap();
    println!("{said} words were said");
    for name in ["state", "units_done", "best", "iterations"] {
        assert_eq!(job[name], quiet[name], "{name}: {job}");
    }
    let seen = site.seen("flood").unwrap();
    assert_eq!(seen["units"], 0, "{seen}");
    if is_whole {
        let reason = "it speaks again and again of turns that it does not have";
        assert_eq!((&seen["refused"], &seen["reason"]), (&json!(3), &json!(reason)));
    }
    let seen = site.seen("honest").unwrap();
    assert_eq!((&seen["units"], &seen["refused"]), (&json!(6), &json!(0)), "{seen}");
    site.stop([honest]);
}

/// The configuration of `docs/scale-out.md`.
fn documented() -> String {
    let document = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/scale-out.md")).unwrap();
    let (_, rest) = document.split_once("```conf\n").expect("a configuration");
    let (shown, _) = rest.split_once("```").unwrap();
    shown.lines().map(|line| format!("{}\n", line.strip_prefix("   ").unwrap_or(line))).collect()
}

/// Its rights. Where the streams are the flags of a test's server say.
pub fn rights() -> String {
    let shown = documented();
    shown.lines().filter(|line| !line.starts_with("jetstream ")).map(|line| format!("{line}\n")).collect()
}

/// The users of two machines in that configuration, with their passwords.
const HONEST: (&str, &str) = ("lab-1", "password-of-lab-1");
const EVIL: (&str, &str) = ("lab-2", "password-of-lab-2");

/// A user and a password as they stand in an address.
fn admitted((user, password): (&str, &str)) -> String {
    format!("{user}:{password}@")
}

/// A daemon without threads on a server with that configuration; nothing if there is no server to test with.
pub fn with_rights(test: &str) -> Option<Installation> {
    Installation::configured(test, &rights(), "daemon:password-of-daemon@", &["--threads=0"])
}

#[test]
fn the_documents_show_what_the_program_writes() {
    let names = Names::new("morpion").unwrap();
    let mut expected = configuration(&names, Some("/var/lib/nats"), "password-of-daemon").unwrap();
    for (user, password) in [HONEST, EVIL] {
        expected = with_machine(&expected, &names, user, password).unwrap();
    }
    assert_eq!(documented().trim_end(), expected.trim_end(), "{expected}");
}

/// Root may add a machine to the file of the server's own user, which still can read it.
#[test]
fn a_file_of_users_stays_its_owners() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("nats.conf");
    let add = |name: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_morpion"));
        let output = command.args(["nats-users", name, "-o"]).arg(&file).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        file.metadata().unwrap()
    };
    let made = add("lab-1");
    assert_eq!(made.permissions().mode() & 0o777, 0o600);
    if chown(&file, Some(12_345), Some(23_456)).is_err() {
        eprintln!("a_file_of_users_stays_its_owners: NOT TESTED with another owner, that takes root's rights");
    }
    let before = file.metadata().unwrap();
    let after = add("lab-2");
    assert_eq!((after.uid(), after.gid(), after.mode()), (before.uid(), before.gid(), before.mode()));
    assert!(std::fs::read_to_string(&file).unwrap().contains("\"lab-2\""));
}

#[test]
fn a_machine_needs_no_more_rights_than_the_documents_give_it() {
    let Some(site) = with_rights("a_machine_needs_no_more_rights_than_the_documents_give_it") else { return };
    let settings = json!({ "strategy": "nrpa", "level": 2, "runs": 2, "seed": 9 });
    let id = site.submit(&json!({ "kind": "hunt", "settings": settings }));
    let machine = site.machine_as(&admitted(HONEST), "one");
    assert_eq!(site.wait_over(id)["state"], "finished");
    // What a machine has not to do it may not do.
    let liar = Liar::connect(&site.server.url(), Some(EVIL)).unwrap();
    let inside = liar.runtime.enter();
    let context = jetstream::new(liar.client.clone());
    drop(inside);
    let short = Duration::from_secs(2);
    let overheard = liar.runtime.block_on(async {
        let forged = async { context.publish(liar.names.jobs("1-forged"), "x".into()).await.unwrap().await };
        let forged = tokio::time::timeout(short, forged).await;
        assert!(!forged.is_ok_and(|sent| sent.is_ok()), "a turn is forged");
        let stream = tokio::time::timeout(short, context.get_stream(liar.names.said_stream())).await;
        assert!(!stream.is_ok_and(|stream| stream.is_ok()), "the stream of words is read");
        // The words of others, what they are told, and the replies that they and the daemon get.
        let (names, mut overheard) = (&liar.names, Vec::new());
        let honest = format!("{}.>", names.inbox(Some(HONEST.0)));
        for subject in [
            names.said(">"),
            names.beat(">"),
            names.orders(">"),
            names.orders(&format!("{}.*", HONEST.0)),
            honest,
            "mp.morpion.inbox.>".to_owned(),
            format!("{}.>", names.hub_inbox()),
            "_INBOX.>".to_owned(),
            ">".to_owned(),
        ] {
            overheard.push(liar.client.subscribe(subject).await.unwrap());
        }
        liar.client.flush().await.unwrap();
        overheard
    });
    let id = site.submit(&json!({ "kind": "hunt", "settings": settings }));
    assert_eq!(site.wait_over(id)["state"], "finished");
    liar.runtime.block_on(async {
        let all = futures_util::future::select_all(overheard.into_iter().map(|mut one| {
            Box::pin(async move {
                match one.next().await {
                    Some(message) => message,
                    None => std::future::pending().await,
                }
            })
        }));
        if let Ok((message, ..)) = tokio::time::timeout(short, all).await {
            panic!("it overhears {}", message.subject);
        }
    });
    assert!(Liar::connect(&site.server.url(), None).is_none(), "a stranger is admitted");
    assert!(machine.leave().success());
    // A unit that does not fit into one message comes in parts.
    site.submit(&json!({ "kind": "hunt", "settings": settings }));
    let job = liar.fetch("asks");
    let request = encode(&PartRequest { turn: job.turn, number: 0 });
    let asked = liar.names.parts_of(EVIL.0);
    let part = liar.runtime.block_on(liar.client.request(asked.clone(), request.clone().into())).expect("a part");
    assert_eq!(part.payload, job.packed);
    // The daemon sends it to who asks, and nowhere else.
    let orders = liar.names.orders(&liar.place);
    let mut told = liar.runtime.block_on(liar.client.subscribe(orders.clone())).unwrap();
    liar.ask_for(orders, asked, request);
    liar.runtime.block_on(async {
        while let Ok(Some(message)) = tokio::time::timeout(short, told.next()).await {
            assert_ne!(message.payload, job.packed, "it is sent to {}", message.subject);
        }
    });
    site.stop([]);
}

#[test]
fn who_speaks_in_the_name_of_another_machine_harms_itself_alone() {
    let Some(site) = with_rights("who_speaks_in_the_name_of_another_machine_harms_itself_alone") else { return };
    let honest = site.machine_as(&admitted(HONEST), "honest");
    wait_until("the machine is there", || site.seen("honest").is_some_and(|machine| machine["state"] == "here"));
    // It knows the machine's number, which the daemon tells no machine.
    let id = site.seen("honest").unwrap()["id"].as_str().unwrap().to_owned();
    let evil = Liar::connect(&site.server.url(), Some(EVIL)).unwrap();
    let names = &evil.names;
    evil.publish(names.beat(&evil.place), evil.beat("evil"));
    wait_until("the other one is there, too", || site.seen("evil").is_some());
    let as_honest = id.clone();
    let id = id.strip_prefix("lab-1.").expect("the user is told").to_owned();
    for number in 0..10u8 {
        // The server does not let it publish there.
        for place in [&as_honest, &id] {
            evil.publish_word(names.said(place), vec![255, number]);
        }
        // The server and the daemon reply wherever they are asked to.
        let api = |what: &str| format!("$JS.API.CONSUMER.{what}.{}.workers", names.jobs_stream());
        let next = |more: &str| format!("{{\"batch\":1,\"no_wait\":true{more}}}").into_bytes();
        let request = encode(&PartRequest { turn: "1-none".to_owned(), number: 0 });
        for to in [names.said(&as_honest), names.beat(&as_honest), names.orders(&as_honest), names.jobs("1-forged")] {
            evil.ask_for(to.clone(), api("INFO"), Vec::new());
            evil.ask_for(to.clone(), api("MSG.NEXT"), next(""));
            evil.ask_for(to.clone(), names.said(&evil.place), vec![number]);
            evil.ask_for(to, names.parts_of(EVIL.0), request.clone());
        }
        // A message that looks as if the server said that the stream is no more.
        for (status, description) in [(503, "No Responders"), (409, "Consumer Deleted")] {
            evil.publish_status(&names.said(&evil.place), &site.server, status, description);
        }
    }
    let settings = json!({ "strategy": "nrpa", "level": 2, "runs": 3, "seed": 9 });
    let job = site.submit(&json!({ "kind": "hunt", "settings": settings }));
    assert_eq!(site.wait_over(job)["state"], "finished");
    let machine = site.seen("honest").unwrap();
    assert_eq!((&machine["state"], &machine["refused"]), (&json!("here"), &json!(0)), "{machine}");
    assert_eq!(site.get("/machines")["connected"], true);
    // Under its own name it may say that it has the other one's number. That counts against it.
    let refused = || site.seen("evil").unwrap()["refused"].as_u64().unwrap();
    let before = refused();
    for number in 0..10u8 {
        evil.publish_word(names.said(&format!("{}.{id}", EVIL.0)), vec![255, number]);
    }
    wait_until("it counts against it", || refused() >= before + 10);
    assert_eq!(site.seen("evil").unwrap()["state"], "distrusted");
    let machine = site.seen("honest").unwrap();
    assert_eq!((&machine["state"], &machine["refused"]), (&json!("here"), &json!(0)), "{machine}");
    site.stop([honest]);
}

#[test]
fn who_ends_the_turns_of_others_changes_no_result() {
    let Some(site) = with_rights("who_ends_the_turns_of_others_changes_no_result") else { return };
    let work: Vec<Value> = work().into_iter().take(2).collect();
    let expected = undisturbed(site.path(), &work);
    let honest = site.machine_as(&admitted(HONEST), "honest");
    let is_over = Arc::<AtomicBool>::default();
    let (ends, url) = (Arc::clone(&is_over), site.server.url());
    let ending = std::thread::spawn(move || {
        let evil = Liar::connect(&url, Some(EVIL)).unwrap();
        let mut rounds = 0u32;
        while !ends.load(Ordering::SeqCst) && rounds < 200 {
            let jobs = evil.names.jobs_stream();
            let word = ["+ACK", "-NAK", "+TERM", "+WPI"][rounds as usize % 4];
            evil.runtime.block_on(async {
                for (sequence, delivered) in (1..400u32).flat_map(|sequence| [(sequence, 1), (sequence, 2)]) {
                    let turn =
                        format!("$JS.ACK.{jobs}.workers.{delivered}.{sequence}.{sequence}.1700000000000000000.0");
                    evil.client.publish(turn, word.into()).await.unwrap();
                }
                evil.client.flush().await.unwrap();
            });
            rounds += 1;
            std::thread::sleep(Duration::from_millis(20));
        }
        rounds
    });
    let ids: Vec<u64> = work.iter().map(|job| site.submit(job)).collect();
    let found: Vec<Value> = ids.iter().map(|&id| end(&site, id)).collect();
    is_over.store(true, Ordering::SeqCst);
    let rounds = ending.join().unwrap();
    assert_eq!(found, expected);
    let machine = site.seen("honest").unwrap();
    assert!(machine["refused"] == 0 && rounds > 3, "{machine}, {rounds} rounds");
    site.stop([honest]);
}

/// The configuration of version 0.2: all machines have one user.
const SHARED: &str = r#"authorization {
  daemon = { publish = [ "mp.>", "$JS.>" ], subscribe = [ "mp.>", "_INBOX.>" ] }
  worker = {
    publish = [
      "mp.morpion.said.*", "mp.morpion.beat.*", "mp.morpion.parts",
      "$JS.API.CONSUMER.INFO.MP_morpion_JOBS.workers",
      "$JS.API.CONSUMER.MSG.NEXT.MP_morpion_JOBS.workers",
      "$JS.ACK.MP_morpion_JOBS.workers.>"
    ]
    subscribe = [ "mp.morpion.orders.*", "_INBOX.>" ]
  }
  users = [
    { user: daemon, password: daemon-password, permissions: $daemon }
    { user: worker, password: worker-password, permissions: $worker }
  ]
}
"#;

#[test]
fn machines_that_share_a_user_are_served_and_the_log_says_so() {
    let test = "machines_that_share_a_user_are_served_and_the_log_says_so";
    let Some(site) = Installation::configured(test, SHARED, "daemon:daemon-password@", &["--threads=0"]) else {
        return;
    };
    let settings = json!({ "strategy": "nrpa", "level": 2, "runs": 2, "seed": 9 });
    let id = site.submit(&json!({ "kind": "hunt", "settings": settings }));
    let shares = ["one", "two"].map(|name| site.machine_as("worker:worker-password@", name));
    assert_eq!(site.wait_over(id)["state"], "finished");
    let log = site.stop(shares);
    assert_eq!(log.matches("has no user of its own").count(), 1, "{log}");
}
