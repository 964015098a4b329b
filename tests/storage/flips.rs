//! Single bits of the files of a state directory that fall over while no daemon runs.

use crate::daemons::program::Program;
use crate::daemons::*;
use crate::{end, ended_well, work};
use rand::{Rng, RngExt};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A state directory whose daemon was killed when most of its jobs' units were done.
struct Killed {
    state: PathBuf,
    /// Jobs with what comes of them when nothing happens.
    jobs: Vec<(u64, Value)>,
}

fn killed(directory: &Path) -> Killed {
    let state = directory.join("killed");
    let program = Program::start(&state);
    let over = work(1).map(|job| program.submit(&job));
    over.iter().for_each(|&id| _ = program.wait_over(id));
    // These are under way when the daemon is killed, with a checkpoint and with what happened since.
    let begun = work(4).map(|job| under_way(&program, &job));
    for &id in &begun[..2] {
        program.order(&format!("/jobs/{id}/resume"));
        let before = program.job(id)["units_done"].as_u64();
        wait_until("more is done", || program.job(id)["units_done"].as_u64() > before);
    }
    program.order(&format!("/jobs/{}/resume", begun[2]));
    program.kill();
    let whole = directory.join("whole");
    copy_all(&state, &whole);
    let program = Program::start(&whole);
    let jobs = over.into_iter().chain(begun).map(|id| (id, end(&program, id))).collect();
    program.stop();
    Killed { state, jobs }
}

/// Submits a job and pauses it on its way. The solution takes a fraction of a second, so it may be over before; then
/// there is one more.
fn under_way(program: &Program, job: &Value) -> u64 {
    for tries in 0..100 {
        let id = program.submit(job);
        if job["kind"] != "solve" {
            wait_until("a part is done", || program.job(id)["units_done"].as_u64() > Some(1));
        } else if tries == 0 {
            std::thread::sleep(Duration::from_millis(60));
        }
        let (status, paused) = program.ask("POST", &format!("/jobs/{id}/pause"), None, None).expect("it lives");
        if status < 300 {
            return id;
        }
        assert_eq!(status, 409, "{paused}");
    }
    panic!("it is always over before it is paused: {job}");
}

/// What a file is: its name, with one word for the best grids, which have their scores for names.
fn kind(file: &Path) -> String {
    let name = file.file_name().unwrap().to_str().unwrap();
    let is_score = name.strip_suffix(".txt").is_some_and(|score| score.parse::<u32>().is_ok());
    let is_journal = name.ends_with(".journal");
    if is_score {
        "SCORE.txt"
    } else if is_journal {
        "hunt-N.journal"
    } else {
        name
    }
    .to_owned()
}

/// One of some files: each kind is as likely as the others.
fn choose<'a>(files: &'a [PathBuf], rng: &mut impl Rng) -> &'a PathBuf {
    let kinds: BTreeSet<String> = files.iter().map(|file| kind(file)).collect();
    let chosen = kinds.iter().nth(rng.random_range(0..kinds.len())).expect("there are files");
    let of_kind: Vec<&PathBuf> = files.iter().filter(|file| kind(file) == *chosen).collect();
    of_kind[rng.random_range(0..of_kind.len())]
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            all.extend(files(&entry.path()));
        } else if entry.metadata().unwrap().len() > 0 {
            all.push(entry.path());
        }
    }
    all.sort();
    all
}

/// Turns a bit of a file, one of a byte that is not zero if there are such.
fn flip(file: &Path, rng: &mut impl Rng) -> String {
    let mut bytes = fs::read(file).unwrap();
    let used: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] != 0).collect();
    let at = if used.is_empty() { rng.random_range(0..bytes.len()) } else { used[rng.random_range(0..used.len())] };
    let bit = rng.random_range(0..8);
    bytes[at] ^= 1 << bit;
    fs::write(file, bytes).unwrap();
    format!("bit {bit} of byte {at} of {}", file.file_name().unwrap().display())
}

/// What a list has that another lacks.
fn beyond(found: &Value, expected: &Value) -> Vec<String> {
    let texts = |value: &Value| -> BTreeSet<String> {
        value.as_array().into_iter().flatten().map(Value::to_string).collect()
    };
    texts(found).difference(&texts(expected)).cloned().collect()
}

#[test]
fn whatever_bit_falls_over_nothing_false_is_shown() {
    let dir = tempfile::tempdir().unwrap();
    let Killed { state: whole, jobs } = killed(dir.path());
    let seed = number("MORPION_TEST_SEED", SEED);
    let flips = number("MORPION_TEST_FLIPS", 12);
    let mut rng = morpion::core::seed::rng(seed, &[5]);
    let mut seen: BTreeMap<(String, &str), u64> = BTreeMap::new();
    let state = dir.path().join("state");
    let mut flipped = 0;
    while flipped < flips {
        if state.exists() {
            fs::remove_dir_all(&state).unwrap();
        }
        copy_all(&whole, &state);
        // One bit in the folder of each job, or one elsewhere.
        let mut what: BTreeMap<u64, (String, String)> = BTreeMap::new();
        let mut elsewhere = None;
        if rng.random_bool(0.75) {
            for (id, _) in &jobs {
                let files = files(&state.join("jobs").join(id.to_string()));
                let file = choose(&files, &mut rng);
                what.insert(*id, (kind(file), flip(file, &mut rng)));
            }
        } else {
            let beside: Vec<_> = files(&state).into_iter().filter(|file| file.parent() == Some(&state)).collect();
            let file = choose(&beside, &mut rng);
            elsewhere = Some((kind(file), flip(file, &mut rng)));
        }
        flipped += what.len() as u64 + u64::from(elsewhere.is_some());
        let said = format!("seed {seed}, after {flipped} flips: {elsewhere:?} {what:?}");
        let program = match Program::try_launch(&mut crate::daemons::program::command(&state)) {
            Ok(program) => program,
            Err((status, words)) => {
                assert!(ended_well(status, &words) && words.contains("damaged"), "{said}: {status}: {words}");
                let (kind, _) = elsewhere.unwrap_or_else(|| panic!("{said}: a job's file stops the daemon: {words}"));
                *seen.entry((kind, "the daemon refuses")).or_default() += 1;
                continue;
            }
        };
        for (id, expected) in &jobs {
            let mut job = Value::Null;
            wait_until(&format!("job {id} ends or waits: {said}"), || {
                job = program.job(*id);
                ["finished", "failed", "paused"].contains(&job["state"].as_str().unwrap_or_default())
            });
            let kind = what.get(id).map(|(kind, _)| kind.clone());
            let reason = job["reason"].as_str().unwrap_or_default().to_owned();
            let end_of_job = match job["state"].as_str() {
                Some("paused") => {
                    // A bit of the version itself makes the file one of a newer program.
                    let is_told = ["damaged", "has format version"].iter().any(|words| reason.contains(words));
                    assert!(kind.is_some() && is_told, "{said}: job {id} waits: {reason}");
                    "the job waits for a person"
                }
                Some("finished") => {
                    let found = end(&program, *id);
                    let mut end_of_job = "nothing is lost";
                    for (name, expected) in expected.as_object().unwrap() {
                        if &found[name] != expected {
                            let (added, lost) = (beyond(&found[name], expected), beyond(expected, &found[name]));
                            let is_less = ["grids", "units"].contains(&name.as_str()) && added.is_empty();
                            let what = format!("{said}: job {id}: {name}: added {added:?}, lost {lost:?}");
                            assert!(is_less && kind.is_some(), "{what}");
                            end_of_job = "grids or units are lost";
                        }
                    }
                    end_of_job
                }
                _ => panic!("{said}: job {id}: {} for good: {reason}", job["state"]),
            };
            if let Some(kind) = kind {
                *seen.entry((kind, end_of_job)).or_default() += 1;
            }
        }
        if let Some((kind, _)) = elsewhere {
            *seen.entry((kind, "nothing is lost")).or_default() += 1;
        }
        let (status, words) = program.end();
        assert!(ended_well(status, &words), "{said}: {status}: {words}");
    }
    println!("{flips} flips");
    for ((kind, end), number) in seen {
        println!("{number:6}  {kind}: {end}");
    }
}
