//! Clients of a daemon that may die: jobs that are submitted, and what is seen of them until then.

use super::program::{Program, grids_of, units_of};
use super::*;
use std::path::Path;

pub fn submit_all(program: &Program, jobs: &[Value]) -> Vec<u64> {
    jobs.iter().map(|settings| program.submit(&request(settings, &json!({})))).collect()
}

/// What these jobs come to when nothing disturbs them.
pub fn undisturbed(state: &Path, jobs: &[Value]) -> Vec<Value> {
    let program = Program::start(state);
    let ids = submit_all(&program, jobs);
    let ends = ids.iter().map(|&id| {
        program.wait_over(id);
        program.essence(id)
    });
    let ends = ends.collect();
    program.stop();
    ends
}

pub fn hold(program: &Program, ids: &[u64], expected: &[Value]) {
    for (&id, expected) in ids.iter().zip(expected) {
        program.wait_over(id);
        assert_same(&program.essence(id), expected, &format!("seed {SEED}: job {id}"));
    }
}

/// Compares two documents field by field; of lists only what one of them lacks is shown.
pub fn assert_same(found: &Value, expected: &Value, what: &str) {
    for (name, expected) in expected.as_object().expect("an object") {
        match (&found[name], expected) {
            (Value::Array(found), Value::Array(expected)) => {
                let lacks = |all: &[Value], part: &[Value]| -> Vec<Value> {
                    part.iter().filter(|item| !all.contains(item)).cloned().collect()
                };
                let (lost, added) = (lacks(found, expected), lacks(expected, found));
                assert!(lost.is_empty() && added.is_empty(), "{what}: {name}: lost {lost:?}, added {added:?}");
                assert_eq!(found.len(), expected.len(), "{what}: {name}");
            }
            (found, expected) => assert_eq!(found, expected, "{what}: {name}"),
        }
    }
}

/// Submits a small job with a key, by the API or by the command; its number, or nothing if the daemon has died.
pub fn submit_small(program: &Program, number: u64) -> Option<u64> {
    let key = format!("key-{number}");
    if number.is_multiple_of(2) {
        let request = serde_json::to_value(request(&small(number), &json!({ "priority": 1 }))).unwrap();
        let (status, job) = program.ask("POST", "/jobs", Some(&key), Some(&request))?;
        assert_eq!(status, 201, "{job}");
        return job["id"].as_u64();
    }
    let seed = number.to_string();
    let job = ["--strategy", "random", "--max-iterations", "50", "--runs", "2", "--seed", &seed, "--priority", "1"];
    let output = program.morpion(&[&["job", "submit", "--idempotency-key", &key][..], &job].concat());
    let said = String::from_utf8(output.stdout).unwrap();
    if output.status.success() {
        return Some(said.trim().parse().expect("the job's number alone"));
    }
    assert_eq!((output.status.code(), said.as_str()), (Some(2), ""));
    None
}

/// Units done, those by number, and grids of a job.
pub type Seen = (u64, BTreeSet<u64>, BTreeSet<String>);

pub fn look(program: &Program, id: u64) -> Option<Seen> {
    let (_, job) = program.ask("GET", &format!("/jobs/{id}"), None, None)?;
    let units = program.try_list(&units_of(id))?;
    Some((job["units_done"].as_u64()?, done(&units), keys(&program.try_list(&grids_of(id))?)))
}
