//! Machines that lie, and machines that may do no more than a machine has to.

use crate::daemons::*;
use crate::machines::{MachineProcess, daemon, machines};
use crate::server::{self, Server};
use async_nats::jetstream::{self, consumer::PullConsumer};
use futures_util::StreamExt;
use morpion::core::encoding::{decode, encode};
use morpion::queue::nats::message::{Beat, Introduction, JobMessage, Names, PROTOCOL, TurnMessage, Word};
use serde_json::json;
use std::time::Duration;

/// A client that is no machine.
pub struct Liar {
    pub runtime: tokio::runtime::Runtime,
    pub client: async_nats::Client,
    pub names: Names,
}

/// Its number as a machine.
pub const ID: &str = "00000000000011ab";

impl Liar {
    /// As a user with a password, or as nobody.
    pub fn connect(url: &str, user: Option<(&str, &str)>) -> Option<Liar> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut options = async_nats::ConnectOptions::new();
        if let Some((user, password)) = user {
            options = options.user_and_password(user.to_owned(), password.to_owned());
        }
        let client = runtime.block_on(options.connect(url)).ok()?;
        Some(Liar { runtime, client, names: Names::new("morpion").unwrap() })
    }

    /// Publishes a message.
    pub fn publish(&self, subject: String, bytes: Vec<u8>) {
        self.runtime.block_on(async {
            self.client.publish(subject, bytes.into()).await.unwrap();
            self.client.flush().await.unwrap();
        });
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
                self.client.publish(self.names.beat(ID), self.beat(name).into()).await.unwrap();
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
        self.publish(self.names.said(ID), encode(&TurnMessage { turn: turn.to_owned(), number, word }));
    }
}

#[test]
fn a_machine_that_lies_changes_nothing_and_is_named() {
    if !server::is_there("a_machine_that_lies_changes_nothing_and_is_named") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let server = Server::start(directory.path());
    let program = daemon(&directory.path().join("state"), &server.url(), 0);
    let settings = json!({ "strategy": "nrpa", "level": 2, "runs": 3, "seed": 9, "keep_from": 60 });
    let id = program.submit(&json!({ "kind": "hunt", "settings": settings }));
    let liar = Liar::connect(&server.url(), None).unwrap();
    wait_until("the daemon has its streams", || program.get("/machines")["connected"] == true);
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
            let seen = machines(&program);
            seen.iter().any(|machine| machine["reason"].as_str().is_some_and(|said| said.contains(reason)))
        });
        assert!(program.job(id)["best"].is_null(), "{}", program.job(id));
    }
    let seen = machines(&program);
    assert_eq!(
        (&seen[0]["name"], &seen[0]["state"], &seen[0]["refused"]),
        (&json!("liar"), &json!("distrusted"), &json!(3))
    );
    liar.publish(liar.names.beat(ID), liar.beat("liar"));
    // It has no place any more; an honest one does all the work.
    let honest = MachineProcess::start(&server.url(), "honest");
    let job = program.wait_over(id);
    assert_eq!((&job["state"], &job["units_done"]), (&json!("finished"), &json!(3)), "{job}");
    assert!(job["best"].as_u64().is_some_and(|best| (60..179).contains(&best)), "{job}");
    let has_done = |name: &str, units: u64| {
        machines(&program).iter().any(|machine| machine["name"] == name && machine["units"] == units)
    };
    wait_until("all its units are seen", || has_done("honest", 3));
    assert!(has_done("liar", 0));
    assert!(honest.leave().success());
    program.stop();
}

/// The rights of `docs/scale-out.md`.
pub fn rights() -> String {
    let document = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/scale-out.md")).unwrap();
    let (_, rest) = document.split_once("```conf\n").expect("a configuration");
    rest.split_once("```").unwrap().0.to_owned()
}

#[test]
fn a_machine_needs_no_more_rights_than_the_documents_give_it() {
    if !server::is_there("a_machine_needs_no_more_rights_than_the_documents_give_it") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let server = Server::configured(directory.path(), &rights());
    let program = daemon(&directory.path().join("state"), &server.url_of("daemon:daemon-password@"), 0);
    let settings = json!({ "strategy": "nrpa", "level": 2, "runs": 2, "seed": 9 });
    let id = program.submit(&json!({ "kind": "hunt", "settings": settings }));
    let url = server.url_of("worker:worker-password@");
    let machine = MachineProcess::start(&url, "one");
    assert_eq!(program.wait_over(id)["state"], "finished");
    // What a machine has not to do it may not do.
    let liar = Liar::connect(&server.url(), Some(("worker", "worker-password"))).unwrap();
    let inside = liar.runtime.enter();
    let context = jetstream::new(liar.client.clone());
    drop(inside);
    let short = Duration::from_secs(2);
    liar.runtime.block_on(async {
        let forged = async { context.publish(liar.names.jobs("1-forged"), "x".into()).await.unwrap().await };
        let forged = tokio::time::timeout(short, forged).await;
        assert!(!forged.is_ok_and(|sent| sent.is_ok()), "a turn is forged");
        let stream = tokio::time::timeout(short, context.get_stream(liar.names.said_stream())).await;
        assert!(!stream.is_ok_and(|stream| stream.is_ok()), "the stream of words is read");
        let mut overheard = liar.client.subscribe(liar.names.said("*")).await.unwrap();
        liar.client.flush().await.unwrap();
        let word = tokio::time::timeout(short, overheard.next()).await;
        assert!(!matches!(word, Ok(Some(_))), "the words of others are heard");
    });
    assert!(Liar::connect(&server.url(), None).is_none(), "a stranger is admitted");
    assert!(machine.leave().success());
    program.stop();
}
