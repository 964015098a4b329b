//! A job's results are its own: a folder of another job is never continued, read or written, and no number of a
//! folder is used again, whatever becomes of the store beside the folders.

use crate::daemons::program::{Program, command};
use crate::daemons::*;
use morpion::daemon::directory::StateDirectoryError;
use morpion::daemon::scheduler::{Daemon, OpenError, salvage};
use morpion::daemon::service::{GridFilter, JobCommand, Page, Refusal, Service};
use morpion::daemon::view::{JobId, JobState, JobView};
use morpion::morpion::referee;
use morpion::morpion::variant::Variant;
use morpion::notation::records::known;
use morpion::store::StoreError;
use redb::{ReadableTable, TableDefinition};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const STORE: &str = "morpion.redb";

fn none() -> Value {
    json!({})
}

/// A hunt in 5T that begins with the grid of 178 moves, which no game of 5D reaches.
fn long_5t(daemon: &Daemon) -> JobId {
    let msr = morpion::notation::msr::write_compact(&known().unwrap()[0].grid).unwrap();
    let settings = json!({ "strategy": "perturb", "max_iterations": 20, "runs": 1, "seed": 1 });
    let id = daemon.submit(request(&settings, &json!({ "grids": [msr] })), None).unwrap().summary.id;
    assert_eq!(wait_over(daemon, id).summary.best, Some(178));
    id
}

fn short_5d(daemon: &Daemon) -> JobView {
    let settings = json!({ "strategy": "random", "variant": "5D", "max_iterations": 50, "runs": 2, "seed": 7 });
    let id = daemon.submit(request(&settings, &none()), None).unwrap().summary.id;
    wait_over(daemon, id)
}

/// All files below a directory with their contents.
fn contents(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(contents(&path));
        } else {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    all
}

/// What the job comes to where nothing else was.
fn expected() -> JobView {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let view = short_5d(&daemon);
    close(daemon);
    view
}

/// The job of 5D has its own results, and everything that is shown is legal under the variant that it is shown with.
fn holds(daemon: &Daemon, view: &JobView) {
    let expected = expected();
    assert_eq!(
        (view.summary.best, view.summary.iterations, view.summary.units_done),
        (expected.summary.best, expected.summary.iterations, expected.summary.units_done)
    );
    let of_job = GridFilter { job: Some(view.summary.id), ..GridFilter::default() };
    let (of_job, all) = (all_grids(daemon, &of_job), all_grids(daemon, &GridFilter::default()));
    assert!(!of_job.is_empty() && of_job.iter().all(|grid| grid.variant == Variant::D5), "{of_job:?}");
    for shown in all {
        let (view, grid) = daemon.grid(&shown.key).unwrap();
        assert_eq!((grid.variant, grid.moves.len()), (shown.variant, shown.score as usize));
        assert_eq!(view.variant, shown.variant);
        referee::replay(shown.variant, &grid.moves).unwrap();
    }
    let of_5d = daemon.counts().unwrap().into_iter().filter(|count| count.variant == Variant::D5);
    assert!(of_5d.map(|count| count.score).max() == view.summary.best);
}

/// A state whose store is an older copy of itself: it knows the first of these jobs, not the second.
fn with_an_older_store(state: &Path) -> [JobView; 2] {
    let daemon = open(state, 2);
    let known = short_5d(&daemon);
    close(daemon);
    let older = fs::read(state.join(STORE)).unwrap();
    let daemon = open(state, 2);
    let unknown = long_5t(&daemon);
    let unknown = daemon.job(unknown).unwrap();
    close(daemon);
    fs::write(state.join(STORE), older).unwrap();
    [known, unknown]
}

#[test]
fn a_new_store_beside_the_folders_of_another_makes_no_false_record() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let first = long_5t(&daemon);
    close(daemon);
    let folder = dir.path().join(format!("jobs/{first}"));
    let before = contents(&folder);
    // A store of its own, in which numbers begin again.
    let other = tempfile::tempdir().unwrap();
    close(open(other.path(), 1));
    fs::copy(other.path().join(STORE), dir.path().join(STORE)).unwrap();
    let daemon = open(dir.path(), 2);
    let view = short_5d(&daemon);
    assert!(view.summary.id > first, "the number of a folder is not used again: {view:?}");
    holds(&daemon, &view);
    close(daemon);
    assert_eq!(contents(&folder), before, "the folder of another job is left alone");
}

#[test]
fn an_older_copy_of_the_store_makes_no_false_record() {
    let dir = tempfile::tempdir().unwrap();
    let [known, unknown] = with_an_older_store(dir.path());
    let unknown = unknown.summary.id;
    let folder = dir.path().join(format!("jobs/{unknown}"));
    let before = contents(&folder);
    let daemon = open(dir.path(), 2);
    assert_eq!(daemon.job(known.summary.id).unwrap(), known, "a job that the copy knows");
    assert!(daemon.statistics(known.summary.id).unwrap().course.len() > 1);
    let view = short_5d(&daemon);
    assert!(view.summary.id > unknown, "the number of a folder is not used again: {view:?}");
    holds(&daemon, &view);
    daemon.remove(view.summary.id).unwrap();
    close(daemon);
    assert_eq!(contents(&folder), before, "the folder of another job is left alone");
}

/// Texts that cannot be compressed to the length that the reader of compact records takes.
fn long_text() -> String {
    use rand::RngExt;
    let mut rng = morpion::core::seed::rng(SEED, &[5]);
    (0..160_000).map(|_| char::from(rng.random_range(b'!'..=b'~'))).collect()
}

#[test]
fn a_grid_that_could_not_be_read_back_is_not_stored() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 1);
    let record = &known().unwrap()[0].grid;
    let mut labelled = record.clone();
    labelled.provenance.tags = vec![long_text()];
    match daemon.add_grid(labelled) {
        Err(Refusal::Invalid(text)) => {
            assert!(text.contains("the grid cannot be stored") && text.contains("65536"), "{text}")
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(daemon.health().grids, 0);
    let view = daemon.add_grid(record.clone()).unwrap();
    assert_eq!(daemon.grid(&view.key).unwrap().1.moves, record.moves);
    daemon.remove_grid(&view.key).unwrap();
    assert!(matches!(daemon.grid(&view.key), Err(Refusal::NotFound(_))));
    assert!(matches!(daemon.remove_grid(&view.key), Err(Refusal::NotFound(_))));
    assert!(all_grids(&*daemon, &GridFilter::default()).is_empty() && daemon.counts().unwrap().is_empty());
    close(daemon);
}

const GRIDS: TableDefinition<u64, &[u8]> = TableDefinition::new("grids");
const INDEX: TableDefinition<&[u8], ()> = TableDefinition::new("grids by score");
const META: TableDefinition<&str, u64> = TableDefinition::new("meta");
const JOBS: TableDefinition<u64, &[u8]> = TableDefinition::new("jobs");

/// A grid as the store of an earlier version has it: fields one after the other.
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    key: u64,
    variant: Variant,
    score: u32,
    moves_left: u32,
    record: Option<String>,
    job: Option<u64>,
    unit: Option<u64>,
    time: f64,
    seconds: Option<f64>,
    msr: String,
}

fn row(content: &[u8]) -> Vec<u8> {
    [&[1], &crc32fast::hash(content).to_le_bytes()[..], content].concat()
}

fn index_key(scope: (u8, u64), score: u32, key: u64) -> Vec<u8> {
    [&[scope.0][..], &scope.1.to_be_bytes(), &(!score).to_be_bytes(), &key.to_be_bytes()].concat()
}

/// Makes of the store what an earlier version left behind: `change` is given each of its grids.
fn age(state: &Path, change: impl Fn(&mut Stored)) {
    let database = open_database(&state.join(STORE));
    let transaction = database.begin_write().unwrap();
    {
        let mut grids = transaction.open_table(GRIDS).unwrap();
        let mut index = transaction.open_table(INDEX).unwrap();
        let all: Vec<u64> = grids.iter().unwrap().map(|entry| entry.unwrap().0.value()).collect();
        for key in all {
            let mut stored: Stored = postcard::from_bytes(&grids.get(key).unwrap().unwrap().value()[5..]).unwrap();
            index.remove(index_key((1, stored.variant as u64), stored.score, key).as_slice()).unwrap();
            change(&mut stored);
            index.insert(index_key((1, stored.variant as u64), stored.score, key).as_slice(), ()).unwrap();
            grids.insert(key, row(&postcard::to_stdvec(&stored).unwrap()).as_slice()).unwrap();
        }
        let mut meta = transaction.open_table(META).unwrap();
        assert!(meta.remove("grids reviewed").unwrap().is_some());
    }
    transaction.commit().unwrap();
}

#[test]
fn a_stored_grid_that_cannot_be_read_leaves_the_lists_and_can_be_removed() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let record = &known().unwrap()[0].grid;
    let key = daemon.add_grid(record.clone()).unwrap().key;
    let other = daemon.add_grid(known().unwrap()[1].grid.clone()).unwrap().key;
    close(daemon);
    age(dir.path(), |stored| {
        if format!("{:016x}", stored.key) == key {
            let mut grid = record.clone();
            grid.provenance.tags = vec![long_text()];
            stored.msr = morpion::notation::msr::write_compact(&grid).unwrap();
        }
    });
    let daemon = open(dir.path(), 2);
    let keys = |daemon: &Daemon| -> Vec<String> {
        all_grids(daemon, &GridFilter::default()).into_iter().map(|grid| grid.key).collect()
    };
    assert_eq!(keys(&daemon), [other.as_str()]);
    assert_eq!(daemon.counts().unwrap().iter().map(|count| count.count).sum::<u64>(), 1);
    let told = |daemon: &Daemon| match daemon.grid(&key) {
        Err(Refusal::Conflict(text)) => text,
        other => panic!("{other:?}"),
    };
    assert!(told(&daemon).contains("cannot be shown") && told(&daemon).contains("grid remove"), "{}", told(&daemon));
    close(daemon);
    // It stays like this, until a hunt finds the grid again.
    let daemon = open(dir.path(), 2);
    assert!(told(&daemon).contains("cannot be shown"));
    let hunt = long_5t(&daemon);
    let best = daemon.job(hunt).unwrap().best_grid.unwrap();
    assert_eq!((&best, daemon.grid(&best).unwrap().1.moves.len()), (&key, 178));
    let page = Page { limit: 10, cursor: None };
    let of_job = daemon.grids(&GridFilter { job: Some(hunt), ..GridFilter::default() }, &page).unwrap().items;
    assert_eq!(of_job[0].key, key);
    daemon.remove_grid(&key).unwrap();
    assert!(matches!(daemon.grid(&key), Err(Refusal::NotFound(_))), "the old one has gone, too");
    assert_eq!(all_grids(&*daemon, &GridFilter { job: Some(hunt), ..GridFilter::default() }).len(), of_job.len() - 1);
    close(daemon);
}

/// As when another job had found the lines of a job of 5D first, as games of 5T.
#[test]
fn grids_that_were_listed_under_another_variant_get_a_place_under_that_of_their_job() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let view = short_5d(&daemon);
    let of_job = GridFilter { job: Some(view.summary.id), ..GridFilter::default() };
    let before = all_grids(&*daemon, &of_job);
    close(daemon);
    age(dir.path(), |stored| (stored.variant, stored.job, stored.unit) = (Variant::T5, None, None));
    // Nothing is done twice.
    for _ in 0..2 {
        let daemon = open(dir.path(), 2);
        let now = all_grids(&*daemon, &of_job);
        assert_eq!(now.len(), before.len());
        for grid in &now {
            assert!(grid.variant == Variant::D5 && before.iter().all(|old| old.key != grid.key), "{grid:?}");
        }
        let job = daemon.job(view.summary.id).unwrap();
        let (best, grid) = daemon.grid(&job.best_grid.unwrap()).unwrap();
        assert_eq!(
            (job.summary.best, best.variant, grid.moves.len()),
            (view.summary.best, Variant::D5, best.score as usize)
        );
        for variant in [Variant::T5, Variant::D5] {
            let counts = daemon.counts().unwrap();
            let count = counts.iter().filter(|count| count.variant == variant).map(|one| one.count);
            assert_eq!(count.sum::<u64>() as usize, before.len(), "{variant}");
        }
        close(daemon);
    }
}

/// What the defect left in stores: a job of 5D with the grids and the best score of one of 5T.
#[test]
fn false_records_in_a_store_are_found_and_no_longer_shown() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let (job, view) = (long_5t(&daemon), short_5d(&daemon));
    close(daemon);
    age(dir.path(), |stored| {
        if stored.job == Some(job) {
            stored.variant = Variant::D5;
        }
    });
    let database = open_database(&dir.path().join(STORE));
    let transaction = database.begin_write().unwrap();
    {
        let mut jobs = transaction.open_table(JOBS).unwrap();
        let bytes = jobs.get(job).unwrap().unwrap().value().to_vec();
        let mut record: Value = serde_json::from_slice(&bytes[5..]).unwrap();
        record["variant"] = "5D".into();
        jobs.insert(job, row(record.to_string().as_bytes()).as_slice()).unwrap();
        // The list of a job that was removed.
        let mut index = transaction.open_table(INDEX).unwrap();
        let best = u64::from_str_radix(view.best_grid.as_deref().unwrap(), 16).unwrap();
        index.insert(index_key((2, 77), view.summary.best.unwrap(), best).as_slice(), ()).unwrap();
    }
    transaction.commit().unwrap();
    drop(database);
    let daemon = open(dir.path(), 2);
    let falsified = daemon.job(job).unwrap();
    assert_eq!(
        (falsified.summary.variant, falsified.summary.best, &falsified.best_grid),
        (Some(Variant::D5), None, &None)
    );
    assert!(all_grids(&*daemon, &GridFilter { job: Some(job), ..GridFilter::default() }).is_empty());
    assert!(all_grids(&*daemon, &GridFilter { job: Some(77), ..GridFilter::default() }).is_empty());
    holds(&daemon, &view);
    close(daemon);
}

/// Two hunts that were begun and paused: in 5T and in 5D.
fn two_paused(daemon: &Daemon) -> [JobId; 2] {
    ["5T", "5D"].map(|variant| {
        let settings = json!({ "strategy": "nrpa", "level": 4, "variant": variant, "seed": 4 });
        let id = daemon.submit(request(&settings, &none()), None).unwrap().summary.id;
        wait_for(daemon, id, "runs", |view| running(view) && view.summary.iterations > 0);
        daemon.command(id, JobCommand::Pause).unwrap();
        id
    })
}

/// Makes jobs such as an earlier version left behind: without an identity, in the store and in their folders.
fn forget_identities(state: &Path, jobs: &[JobId]) {
    let database = open_database(&state.join(STORE));
    let transaction = database.begin_write().unwrap();
    for &job in jobs {
        let mut table = transaction.open_table(JOBS).unwrap();
        let bytes = table.get(job).unwrap().unwrap().value().to_vec();
        let mut record: Value = serde_json::from_slice(&bytes[5..]).unwrap();
        assert!(record.as_object_mut().unwrap().remove("identity").is_some());
        table.insert(job, row(record.to_string().as_bytes()).as_slice()).unwrap();
        fs::remove_file(state.join(format!("jobs/{job}/job.jsonl"))).unwrap();
        fs::remove_file(state.join(format!("jobs/{job}/job-state.jsonl"))).unwrap();
    }
    transaction.commit().unwrap();
}

fn swap(state: &Path, [a, b]: [JobId; 2]) {
    let folder = |id| state.join(format!("jobs/{id}"));
    fs::rename(folder(a), state.join("jobs/between")).unwrap();
    fs::rename(folder(b), folder(a)).unwrap();
    fs::rename(state.join("jobs/between"), folder(b)).unwrap();
}

/// Each of the jobs is quarantined because its folder is that of the other one, and nothing in `jobs` is changed.
fn folders_are_refused(state: &Path, jobs: [JobId; 2], expected: [&str; 2]) {
    let before = contents(&state.join("jobs"));
    let daemon = open(state, 2);
    for (id, expected) in jobs.into_iter().zip(expected) {
        assert!(matches!(daemon.statistics(id), Err(Refusal::Conflict(_))), "its course is not shown");
        daemon.command(id, JobCommand::Resume).unwrap();
        let view = wait_for(&daemon, id, "is quarantined", |job| job.summary.is_quarantined());
        let reason = view.summary.reason.unwrap_or_default();
        assert!(reason.contains("belongs to another job") && reason.contains(expected), "{reason}");
    }
    daemon.command(jobs[0], JobCommand::Cancel).unwrap();
    daemon.remove(jobs[0]).unwrap();
    close(daemon);
    // A daemon that begins again finishes what was to be removed.
    close(open(state, 2));
    assert_eq!(contents(&state.join("jobs")), before);
}

#[test]
fn a_folder_with_another_identity_is_neither_continued_nor_written_nor_removed() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let jobs = two_paused(&daemon);
    close(daemon);
    swap(dir.path(), jobs);
    folders_are_refused(dir.path(), jobs, ["number 2, identity", "number 1, identity"]);
}

#[test]
fn a_folder_of_an_earlier_version_is_compared_by_what_it_holds() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let jobs = two_paused(&daemon);
    let before = jobs.map(|id| daemon.job(id).unwrap().summary.iterations);
    close(daemon);
    forget_identities(dir.path(), &jobs);
    swap(dir.path(), jobs);
    let copy = tempfile::tempdir().unwrap();
    copy_all(dir.path(), copy.path());
    folders_are_refused(copy.path(), jobs, ["a hunt in 5D by nrpa", "a hunt in 5T by nrpa"]);
    // Each with its own folder again.
    swap(dir.path(), jobs);
    let daemon = open(dir.path(), 2);
    for (id, before) in jobs.into_iter().zip(before) {
        daemon.command(id, JobCommand::Resume).unwrap();
        wait_for(&daemon, id, "goes on", |view| running(view) && view.summary.iterations > before);
        assert!(dir.path().join(format!("jobs/{id}/job.jsonl")).exists(), "it is noted from now on");
        daemon.command(id, JobCommand::Pause).unwrap();
    }
    close(daemon);
    swap(dir.path(), jobs);
    folders_are_refused(dir.path(), jobs, ["number 2, identity", "number 1, identity"]);
}

/// Makes a new store; what was said. The last thread of a daemon that was shut down may still have the directory.
fn salvaged(state: &Path) -> String {
    loop {
        match salvage(state) {
            Err(OpenError::Directory(StateDirectoryError::Locked(_)) | OpenError::Store(StoreError::InUse(_))) => {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            lines => return lines.unwrap_or_else(|error| panic!("{error}")).join("\n"),
        }
    }
}

fn refused(state: &Path) -> String {
    match try_open(|| options(state, 1)) {
        Ok(_) => panic!("it is opened"),
        Err(error) => error.to_string(),
    }
}

/// What a job that is not running must be after a salvage.
fn essentials(view: &JobView) -> Value {
    let mut essentials = serde_json::to_value(view).unwrap();
    for passing in ["ended", "seconds", "rate", "iterations", "units_done"] {
        essentials.as_object_mut().unwrap().remove(passing);
    }
    essentials
}

/// A finished hunt in 5T, a paused one in 5D, and a finished solution; with names, limits and priorities.
fn three_jobs(daemon: &Daemon) -> Vec<JobView> {
    let settings = json!({ "strategy": "nrpa", "level": 1, "runs": 40, "seed": 3, "keep_from": 50 });
    let others = json!({ "name": "one", "priority": 3, "limits": { "workers": 1 } });
    let one = daemon.submit(request(&settings, &others), Some("key of one")).unwrap().summary.id;
    let settings = json!({ "strategy": "nrpa", "level": 4, "variant": "5D", "seed": 4 });
    let two = daemon.submit(request(&settings, &json!({ "name": "two", "weight": 7 })), None).unwrap().summary.id;
    let settings = json!({ "game": "reversi", "size": 4, "memory": "1M" });
    let three = daemon.submit(request(&settings, &json!({ "kind": "solve" })), None).unwrap().summary.id;
    wait_for(daemon, two, "has a grid", |view| running(view) && view.summary.best.is_some());
    daemon.command(two, JobCommand::Pause).unwrap();
    wait_over(daemon, one);
    wait_over(daemon, three);
    [one, two, three].map(|id| daemon.job(id).unwrap()).into()
}

fn keys_of(daemon: &Daemon, job: JobId) -> std::collections::BTreeSet<String> {
    let filter = GridFilter { job: Some(job), ..GridFilter::default() };
    all_grids(daemon, &filter).into_iter().map(|grid| grid.key).collect()
}

#[test]
fn a_store_that_is_missing_or_empty_is_refused_and_made_anew_from_the_folders() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let before = three_jobs(&daemon);
    let grids = keys_of(&daemon, before[0].summary.id);
    close(daemon);
    assert!(salvaged(dir.path()).contains("is in order"));
    let path = dir.path().join(STORE);
    let folders = contents(&dir.path().join("jobs"));
    for emptied in [false, true] {
        if emptied {
            fs::write(&path, "").unwrap();
        } else {
            fs::remove_file(&path).unwrap();
        }
        let error = refused(dir.path());
        assert!(error.contains("the folders of 3 jobs") && error.contains("--salvage"), "{error}");
        assert_eq!(path.exists(), emptied, "nothing is made");
        let said = salvaged(dir.path());
        assert!(said.contains("3 jobs") && said.contains("morpion.redb.old-1") == emptied, "{said}");
        assert_eq!(contents(&dir.path().join("jobs")), folders, "the folders are not changed");
        let daemon = open(dir.path(), 2);
        for before in &before {
            assert_eq!(essentials(&daemon.job(before.summary.id).unwrap()), essentials(before));
        }
        assert_eq!(keys_of(&daemon, before[0].summary.id), grids);
        let settings = json!({ "strategy": "nrpa", "level": 1, "runs": 40, "seed": 3, "keep_from": 50 });
        let others = json!({ "name": "one", "priority": 3, "limits": { "workers": 1 } });
        let again = daemon.submit(request(&settings, &others), Some("key of one")).unwrap();
        assert_eq!(again.summary.id, before[0].summary.id, "the client's key is known");
        close(daemon);
    }
    let daemon = open(dir.path(), 2);
    let two = &before[1].summary;
    daemon.command(two.id, JobCommand::Resume).unwrap();
    wait_for(&daemon, two.id, "goes on", |view| running(view) && view.summary.iterations > two.iterations);
    assert_eq!(short_5d(&daemon).summary.id, 4);
    close(daemon);
}

#[test]
fn jobs_of_folders_that_the_store_does_not_know_are_added() {
    let dir = tempfile::tempdir().unwrap();
    let [known, unknown] = with_an_older_store(dir.path());
    let daemon = open(dir.path(), 2);
    assert_eq!(daemon.unknown_folders(), [unknown.summary.id]);
    close(daemon);
    let said = salvaged(dir.path());
    assert!(said.contains("2 jobs") && said.contains("morpion.redb.old-1"), "{said}");
    let daemon = open(dir.path(), 2);
    assert_eq!(daemon.job(known.summary.id).unwrap(), known);
    assert_eq!(essentials(&daemon.job(unknown.summary.id).unwrap()), essentials(&unknown));
    assert!(daemon.unknown_folders().is_empty());
    holds(&daemon, &known);
    close(daemon);
}

#[test]
fn hunts_of_an_earlier_version_are_salvaged_from_their_states() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let before = three_jobs(&daemon);
    close(daemon);
    let ids: Vec<JobId> = before.iter().map(|view| view.summary.id).collect();
    forget_identities(dir.path(), &ids);
    fs::remove_file(dir.path().join(STORE)).unwrap();
    let said = salvaged(dir.path());
    assert!(said.contains("2 jobs") && said.contains("jobs/3 is left alone"), "{said}");
    let daemon = open(dir.path(), 2);
    let states = [JobState::Finished, JobState::Paused];
    for (before, state) in before.iter().zip(states) {
        let now = daemon.job(before.summary.id).unwrap();
        assert_eq!(now.summary.state, state);
        assert_eq!((now.summary.seed, now.summary.best), (before.summary.seed, before.summary.best));
        assert_eq!((&now.best_grid, &now.settings["level"]), (&before.best_grid, &before.settings["level"]));
    }
    daemon.command(2, JobCommand::Resume).unwrap();
    let reached = before[1].summary.iterations;
    wait_for(&daemon, 2, "goes on", |view| running(view) && view.summary.iterations > reached);
    assert_eq!(short_5d(&daemon).summary.id, 4, "the number of the folder that is left alone is not used");
    close(daemon);
}

#[test]
fn a_damaged_store_is_kept_and_made_anew() {
    let flips = number("MORPION_TEST_FLIPS", 25);
    let dir = tempfile::tempdir().unwrap();
    let daemon = open(dir.path(), 2);
    let before = three_jobs(&daemon);
    let grids = keys_of(&daemon, before[0].summary.id);
    close(daemon);
    drop(try_open(|| options(dir.path(), 1)).map(close));
    let good = fs::read(dir.path().join(STORE)).unwrap();
    let used: Vec<usize> = (0..good.len()).filter(|&at| good[at] != 0).collect();
    use rand::RngExt;
    let mut rng = morpion::core::seed::rng(SEED, &[6]);
    let (mut refusals, mut whole) = (0, 0);
    for flip in 0..flips {
        let state = tempfile::tempdir().unwrap();
        copy_all(dir.path(), state.path());
        let mut bad = good.clone();
        bad[used[rng.random_range(0..used.len())]] ^= 1 << rng.random_range(0..8);
        fs::write(state.path().join(STORE), &bad).unwrap();
        match try_open(|| options(state.path(), 1)) {
            Ok(daemon) => close(daemon),
            Err(error) => {
                assert!(error.to_string().contains("--salvage"), "seed {SEED}, flip {flip}: {error}");
                refusals += 1;
                let said = salvaged(state.path());
                assert!(said.contains("made anew"), "seed {SEED}, flip {flip}: {said}");
                whole += u64::from(!said.contains("could not be read in full"));
                let kept = fs::read(state.path().join("morpion.redb.old-1")).unwrap();
                // redb notes in its head that the file was opened.
                assert!(kept.len() == bad.len() && kept[4096..] == bad[4096..], "seed {SEED}, flip {flip}");
            }
        }
        let daemon = open(state.path(), 2);
        for before in &before {
            let now = daemon.job(before.summary.id).unwrap();
            assert_eq!(essentials(&now), essentials(before), "seed {SEED}, flip {flip}");
        }
        assert_eq!(keys_of(&daemon, before[0].summary.id), grids, "seed {SEED}, flip {flip}");
        close(daemon);
    }
    println!("{flips} flips: {refusals} refused and salvaged, {whole} of them with every row of the old store");
    assert!(refusals > 0);
}

#[test]
fn the_command_salvages_and_names_what_it_leaves_alone() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let daemon = open(&state, 2);
    let view = short_5d(&daemon);
    close(daemon);
    fs::remove_file(state.join(STORE)).unwrap();
    fs::create_dir(state.join("jobs/12")).unwrap();
    let output = command(&state).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("`morpion daemon --salvage`"), "{said}");
    let program = Program::launch(command(&state).arg("--salvage"));
    assert_eq!(program.job(view.summary.id)["best"], json!(view.summary.best));
    let said = program.said();
    assert!(said.contains("1 jobs") && said.contains("jobs/12 is left alone"), "{said}");
    assert!(said.contains("does not know 1 folders") && said.contains(": 12;"), "{said}");
    program.stop();
}

#[test]
#[cfg(unix)]
fn a_store_that_is_a_link_to_nothing_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (state, elsewhere) = (dir.path().join("state"), dir.path().join("elsewhere"));
    fs::create_dir(&state).unwrap();
    std::os::unix::fs::symlink(&elsewhere, state.join(STORE)).unwrap();
    assert!(refused(&state).contains("link to a file that does not exist"), "{}", refused(&state));
    assert!(!elsewhere.exists(), "nothing is made there");
    // A link to a store is a store.
    fs::remove_file(state.join(STORE)).unwrap();
    close(open(&state, 1));
    fs::rename(state.join(STORE), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, state.join(STORE)).unwrap();
    close(open(&state, 1));
}

#[test]
#[cfg(unix)]
fn a_directory_of_somebody_else_that_all_may_write_is_refused() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    fs::create_dir(&state).unwrap();
    if fs::metadata(&state).unwrap().uid() != 0 || !Path::new("/proc/self").exists() {
        eprintln!("NOT TESTED: only root can give a directory to somebody else");
        return;
    }
    let mode = |mode| fs::set_permissions(&state, fs::Permissions::from_mode(mode)).unwrap();
    chown(&state, Some(65_534), Some(65_534)).unwrap();
    mode(0o777);
    assert!(refused(&state).contains("everybody may write into it"), "{}", refused(&state));
    assert_eq!(fs::read_dir(&state).unwrap().count(), 0, "nothing is made there");
    mode(0o755);
    close(open(&state, 1));
    chown(&state, Some(0), Some(0)).unwrap();
    mode(0o777);
    close(open(&state, 1));
}
