//! Power cuts: the daemon's operations are written down, and what a cut after any of them may leave is started again.

use crate::daemons::clients::{Seen, assert_same, look, submit_small};
use crate::daemons::program::{Program, grids_of, units_of};
use crate::daemons::*;
use crate::shim::Shim;
use crate::trace::Trace;
use crate::{end, undisturbed, work};
use rand::RngExt;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What a client knew.
enum Fact {
    /// A small job is there, by the number in its key.
    Job(u64, u64),
    /// Units done and grids of a job.
    Seen(u64, Seen),
    /// A job has this state.
    State(u64, &'static str),
    /// A job was removed.
    Removed(u64),
}

/// Facts, each with the length of the trace when it was known.
type Facts = Vec<(u64, Fact)>;

/// Says so when a client is done, or has failed.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Uses a daemon that writes its operations down; what was known and when.
fn observe(shim: &Shim, state: &Path) -> (Vec<u64>, Facts) {
    let program = Program::launch(&mut shim.traced(state));
    let ids: Vec<u64> = work(1).iter().map(|job| program.submit(job)).collect();
    let mut facts: Facts = ids.iter().map(|&id| (shim.position(), Fact::State(id, ""))).collect();
    let over = AtomicBool::new(false);
    let (watched, made) = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut facts = Facts::new();
            while !over.load(Ordering::Relaxed) {
                for &id in &ids[..2] {
                    let seen = look(&program, id).expect("it lives");
                    facts.push((shim.position(), Fact::Seen(id, seen)));
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            facts
        });
        let make = scope.spawn(|| {
            let _end = Over(&over);
            let mut facts = Facts::new();
            for number in (0..60).step_by(2) {
                let id = submit_small(&program, number).expect("it lives");
                facts.push((shim.position(), Fact::Job(number, id)));
                if number % 10 == 4 {
                    let long = program.submit(&request(&endless(number), &json!({})));
                    program.order(&format!("/jobs/{long}/{}", if number % 20 == 4 { "pause" } else { "cancel" }));
                    let state = if number % 20 == 4 { "paused" } else { "cancelled" };
                    facts.push((shim.position(), Fact::State(long, state)));
                }
                if number % 10 == 8 {
                    let small = program.submit(&request(&small(number), &json!({ "priority": 1 })));
                    program.wait_over(small);
                    assert_eq!(program.ask("DELETE", &format!("/jobs/{small}"), None, None).unwrap().0, 204);
                    facts.push((shim.position(), Fact::Removed(small)));
                }
                std::thread::sleep(Duration::from_millis(30));
            }
            for &id in &ids {
                program.wait_over(id);
                facts.push((shim.position(), Fact::State(id, "finished")));
            }
            facts
        });
        (watch.join().unwrap(), make.join().unwrap())
    });
    facts.extend(watched);
    facts.extend(made);
    program.kill();
    (ids, facts)
}

/// Holds a daemon that starts after a cut to what was known before it.
fn check(state: &Path, facts: &Facts, position: u64, said: &str) -> Program {
    let program = Program::start(state);
    let known = || facts.iter().filter(|(at, _)| *at <= position).map(|(_, fact)| fact);
    for job in program.list("/jobs?limit=1000") {
        assert!(job["state"] != "failed" && job["quarantined"] != json!(true), "{said}: {job}");
    }
    for fact in known() {
        match fact {
            Fact::Job(number, id) => assert_eq!(program.job(*id)["seed"], *number, "{said}: job {id}"),
            Fact::State(id, state) => {
                let job = program.job(*id);
                let ended = ["cancelled", "finished"].contains(state);
                assert!(!ended || job["state"] == *state, "{said}: {job} was {state}");
                assert!(*state != "paused" || job["state"] == "paused", "{said}: {job} was paused");
            }
            Fact::Removed(id) => {
                let status = program.ask("GET", &format!("/jobs/{id}"), None, None).expect("it lives").0;
                assert_eq!(status, 404, "{said}: job {id} is back");
            }
            Fact::Seen(..) => {}
        }
    }
    let mut last = std::collections::BTreeMap::new();
    for fact in known() {
        if let Fact::Seen(id, seen) = fact {
            last.insert(*id, seen);
        }
    }
    for (id, (count, units, grids)) in last {
        wait_until("the units done are known again", || program.job(id)["units_done"].as_u64().unwrap() >= *count);
        let now = done(&program.list(&units_of(id)));
        assert!(now.is_superset(units), "{said}: job {id}: units are lost: {:?}", units.difference(&now));
        let now = keys(&program.list(&grids_of(id)));
        assert!(now.is_superset(grids), "{said}: job {id}: grids are lost: {:?}", grids.difference(&now));
    }
    program
}

#[test]
fn whenever_the_power_is_cut_nothing_acknowledged_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let shim = Shim::compile(dir.path());
    let expected: Vec<Value> = undisturbed(&dir.path().join("whole"));
    let (ids, facts) = observe(&shim, &dir.path().join("traced"));
    let trace = Trace::read(&shim.trace);
    let seed = number("MORPION_TEST_SEED", SEED);
    let mut rng = morpion::core::seed::rng(seed, &[4]);
    let cuts = number("MORPION_TEST_CUTS", 5);
    let mut compared = 0;
    for cut in 0..cuts {
        let operations = rng.random_range(0..=trace.len());
        let said = format!("seed {seed}, cut {cut} after {operations} of {} operations", trace.len());
        let state = dir.path().join("cut");
        trace.cut(operations, &state, &mut rng);
        let position = trace.position(operations);
        let program = check(&state, &facts, position, &said);
        if cut % 4 == 3 {
            for (&id, expected) in ids.iter().zip(&expected) {
                let known = facts
                    .iter()
                    .any(|(at, fact)| *at <= position && matches!(fact, Fact::State(known, _) if *known == id));
                if known {
                    assert_same(&end(&program, id), expected, &format!("{said}: job {id}"));
                    compared += 1;
                }
            }
        }
        program.kill();
        std::fs::remove_dir_all(&state).unwrap();
    }
    println!(
        "{cuts} cuts of {} operations, {} facts known; {compared} jobs ended as undisturbed ones",
        trace.len(),
        facts.len()
    );
}
