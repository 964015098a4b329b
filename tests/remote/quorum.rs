//! Solutions with a quorum: a machine has one say on a unit, however many workers it has.

use crate::daemons::program::{Program, end};
use crate::daemons::*;
use crate::hostile::{ID, Liar};
use crate::installation::Installation;
use async_nats::jetstream::{self, consumer::PullConsumer};
use futures_util::StreamExt;
use morpion::core::encoding::{decode, encode};
use morpion::core::game::MAX_VALUE;
use morpion::queue::nats::message::{Beat, Introduction, JobMessage, Names, Word};
use morpion::queue::nats::rights::{configuration, with_machine};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Reversi 4x4, whose units two have to agree on.
fn solution() -> Value {
    json!({ "kind": "solve", "settings":
            { "game": "reversi", "size": "4x4", "algorithm": "negascout", "unit_budget": 300, "quorum": 2 } })
}

/// What comes of it without machines.
fn undisturbed(directory: &std::path::Path) -> Value {
    let program = Program::start(&directory.join("undisturbed"));
    let id = program.submit(&solution());
    let expected = end(&program, id);
    program.stop();
    expected
}

/// A machine of two workers that answers every unit at once, always that its value is at least what was asked.
struct BusyLiar {
    is_over: Arc<AtomicBool>,
    /// Units that it has answered.
    told: Arc<AtomicU64>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl BusyLiar {
    fn start(url: &str) -> BusyLiar {
        BusyLiar::start_as(url, None, ID, "liar")
    }

    /// One of a user of the server, with a number and a name.
    fn start_as(
        url: &str,
        user: Option<(&'static str, &'static str)>,
        id: &'static str,
        name: &'static str,
    ) -> BusyLiar {
        let (is_over, told) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
        let (ends, tells, url) = (Arc::clone(&is_over), Arc::clone(&told), url.to_owned());
        let thread = std::thread::spawn(move || {
            let liar = Liar::connect_as(&url, user, id).unwrap();
            while !ends.load(Ordering::SeqCst) {
                let beat: Beat = decode(&liar.beat(name)).unwrap();
                liar.publish(liar.names.beat(&liar.place), encode(&Beat { workers: 2, ..beat }));
                let Some(job) = next_turn(&liar) else { continue };
                // A packed unit: its kind, the job, its number, path, window and budget, and whether it is alone.
                type Packed = (u32, String, u64, Vec<u16>, (i32, i32), u64, bool);
                let (kind, .., window, _, _): Packed = decode(&job.packed).expect("a unit of a solution");
                assert_eq!(kind, 1);
                let (said, nobody) = ((0u32, window.1, MAX_VALUE), Option::<String>::None);
                let lie = encode(&(1u32, window, said, (300u64, 1000u64), nobody));
                let introduction = Introduction { name: name.to_owned(), ..Introduction::default() };
                liar.say(&job.turn, 0, Word::Begun(introduction));
                liar.say(&job.turn, 1, Word::Unit(lie));
                tells.fetch_add(1, Ordering::SeqCst);
            }
        });
        BusyLiar { is_over, told, thread: Some(thread) }
    }
}

impl Drop for BusyLiar {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let ended = self.thread.take().map(std::thread::JoinHandle::join);
        assert!(ended.is_some_and(|ended| ended.is_ok()) || std::thread::panicking());
    }
}

/// The next turn, if there is one soon.
pub fn next_turn(liar: &Liar) -> Option<JobMessage> {
    liar.runtime.block_on(async {
        let context = jetstream::new(liar.client.clone());
        let consumer: PullConsumer =
            context.get_consumer_from_stream("workers", liar.names.jobs_stream()).await.ok()?;
        let batch = consumer.batch().max_messages(1).expires(Duration::from_millis(200)).messages().await;
        let message = batch.ok()?.next().await?.ok()?;
        message.double_ack().await.ok()?;
        decode(&message.payload)
    })
}

/// The workers of a solution as its statistics have them, those that are machines.
fn known_machines(program: &Program, id: u64) -> Vec<Value> {
    let statistics = program.get(&format!("/jobs/{id}/statistics"));
    let workers = statistics["solution"]["workers"].as_array().unwrap().clone();
    workers.into_iter().filter(|worker| worker["name"].as_str().unwrap().starts_with("machine ")).collect()
}

#[test]
fn two_workers_of_a_lying_machine_do_not_confirm_each_other() {
    let Some(site) =
        Installation::start("two_workers_of_a_lying_machine_do_not_confirm_each_other", &["--threads=0"])
    else {
        return;
    };
    let expected = undisturbed(site.path());
    let id = site.submit(&solution());
    let liar = BusyLiar::start(&site.server.url());
    // It answers units, but decides none, and the job says why it does not come on.
    let waits = || site.job(id)["reason"].as_str().is_some_and(|why| why.contains("waits for another machine"));
    wait_until("the job waits for another machine", || liar.told.load(Ordering::SeqCst) > 0 && waits());
    wait_until("the log says so", || site.said().contains("waits for another machine"));
    assert_eq!(site.job(id)["solution"]["units"]["finished"], 0, "{}", site.job(id));
    // With an honest one it gets on where they agree. Where they do not a third one decides.
    let honest = site.machine("honest");
    wait_until("the honest one has answered, and they differ", || {
        site.machines().iter().any(|machine| machine["name"] == "honest" && machine["units"].as_u64() > Some(0))
            && waits()
    });
    let third = site.machine_for("third", "", "third", 2);
    assert_eq!(end(&site, id), expected);
    assert_eq!(site.job(id)["solution"]["contradictions"], 0);
    assert!(site.job(id)["reason"] == "solved", "{}", site.job(id));
    let known = known_machines(&site, id);
    let of = |name: &str| known.iter().find(|worker| worker["name"] == name).unwrap_or_else(|| panic!("{known:?}"));
    assert!(of("machine liar")["wrong"].as_u64() > Some(0) && of("machine liar")["user"] == "liar", "{known:?}");
    for honest in ["machine honest", "machine third"] {
        assert_eq!((&of(honest)["wrong"], &of(honest)["trusted"]), (&json!(0), &json!(true)), "{known:?}");
    }
    println!("the liar has answered {} units: {}", liar.told.load(Ordering::SeqCst), of("machine liar"));
    drop(liar);
    site.stop([honest, third]);
}

/// Machines with names of their own are one, if they are admitted as one user of the server.
#[test]
fn machines_of_one_user_of_the_server_do_not_confirm_each_other() {
    let names = Names::new("morpion").unwrap();
    let users = [("lab-1", "one"), ("lab-2", "two"), ("lab-3", "three")];
    let begun = configuration(&names, None, "of-daemon").unwrap();
    let whole = users.iter().fold(begun, |text, (user, word)| with_machine(&text, &names, user, word).unwrap());
    // Where the streams are the flags of the server say.
    let lines = whole.lines().filter(|line| !line.starts_with("jetstream "));
    let rights: String = lines.map(|line| format!("{line}\n")).collect();
    let test = "machines_of_one_user_of_the_server_do_not_confirm_each_other";
    let Some(site) = Installation::configured(test, &rights, "daemon:of-daemon@", &["--threads=0"]) else { return };
    let expected = undisturbed(site.path());
    let id = site.submit(&solution());
    site.wait_for_streams();
    let [_, second, _] = users;
    let liars = [("00000000000011ab", "a"), ("00000000000011ac", "b")]
        .map(|(number, name)| BusyLiar::start_as(&site.server.url(), Some(second), number, name));
    let waits = || site.job(id)["reason"].as_str().is_some_and(|why| why.contains("waits for another machine"));
    wait_until("both are there", || site.machines().len() == 2);
    wait_until("the job waits for another machine", || {
        liars.iter().any(|liar| liar.told.load(Ordering::SeqCst) > 0) && waits()
    });
    assert_eq!(site.job(id)["solution"]["units"]["finished"], 0, "{}", site.job(id));
    let honest =
        [users[0], users[2]].map(|(user, word)| site.machine_as(&format!("{user}:{word}@"), "the same name"));
    assert_eq!(end(&site, id), expected);
    assert_eq!(site.job(id)["solution"]["contradictions"], 0);
    let known = known_machines(&site, id);
    let mut users: Vec<(&str, bool)> =
        known.iter().map(|worker| (worker["user"].as_str().unwrap(), worker["wrong"].as_u64() > Some(0))).collect();
    users.sort_unstable();
    assert_eq!(users, [("lab-1", false), ("lab-2", true), ("lab-3", false)], "{known:?}");
    drop(liars);
    site.stop(honest);
}

/// Units of solutions that a user has credit for.
fn units_of(credit: &Value, user: &str) -> u64 {
    let users = credit["users"].as_array().unwrap();
    users.iter().find(|of| of["name"] == user).and_then(|of| of["units_solve"].as_u64()).unwrap_or(0)
}

/// Two machines of two users solve a game. Until they agree nothing has credit, or with `early` the first answer has.
fn both_have_credit_once(test: &str, early: bool) {
    let flags = if early { &["--threads=0", "--credit-early"][..] } else { &["--threads=0"] };
    let Some(mut site) = Installation::start(test, flags) else { return };
    let expected = undisturbed(site.path());
    let id = site.submit(&solution());
    let one = site.machine_for("ada", "", "one", 2);
    wait_until("it waits for another machine", || {
        site.job(id)["reason"].as_str().is_some_and(|why| why.contains("waits for another machine"))
    });
    // What has credit is stored within a quarter of a second.
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(units_of(&site.get("/credit"), "ada") > 0, early);
    // A restart of the daemon forgets neither the answers nor who has given them.
    site.restart();
    wait_until("it waits again", || {
        site.machines().len() == 1
            && site.job(id)["reason"].as_str().is_some_and(|why| why.contains("waits for another machine"))
    });
    assert_eq!(site.job(id)["solution"]["units"]["finished"], 0);
    let two = site.machine_for("bob", "", "two", 2);
    assert_eq!(end(&site, id), expected);
    let units = site.job(id)["solution"]["units"].clone();
    let [made, decided] = [&["made"][..], &["finished", "split"]]
        .map(|of| of.iter().map(|of| units[of].as_u64().unwrap()).sum::<u64>());
    let known = known_machines(&site, id);
    assert_eq!(known.len(), 2, "{known:?}");
    let mut credit = Value::Null;
    wait_until("all decided units have credit", || {
        credit = site.get("/credit");
        ["ada", "bob"].iter().all(|user| units_of(&credit, user) >= decided)
    });
    for (user, name) in [("ada", "machine one"), ("bob", "machine two")] {
        let worker = known.iter().find(|worker| worker["user"] == user && worker["name"] == name).unwrap();
        let of = |what: &str| worker["credit"][what]["units"].as_u64().unwrap();
        // Both have answered every unit that was decided, once.
        assert_eq!(
            (of("accepted"), of("refused"), worker["right"].as_u64()),
            (decided, 0, Some(decided)),
            "{worker}"
        );
        // Answers to units that were not needed in the end have credit too; stopped searches have none.
        let credited = units_of(&credit, user);
        assert!((decided..=made.min(decided + of("not_needed"))).contains(&credited), "{user}: {credit} {worker}");
    }
    println!("early {early}: {decided} of {made} units decided; {credit}");
    site.restart();
    assert_eq!(site.get("/credit")["total"], credit["total"]);
    site.stop([one, two]);
}

#[test]
fn credit_of_a_quorum_is_given_when_both_agree() {
    both_have_credit_once("credit_of_a_quorum_is_given_when_both_agree", false);
}

#[test]
fn credit_of_a_quorum_is_given_early_where_the_daemon_says_so() {
    both_have_credit_once("credit_of_a_quorum_is_given_early_where_the_daemon_says_so", true);
}
