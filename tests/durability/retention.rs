//! What a daemon keeps stays within bounds: the disk of each job, the jobs that are over, and the store after a year.

use crate::daemons::*;
use morpion::daemon::scheduler::{Daemon, DaemonOptions, Retention};
use morpion::daemon::service::{Adjustment, GridFilter, JobCommand, Refusal, Service};
use morpion::daemon::view::{EventKind, JobId, JobState, LimitsDocument};
use morpion::runner::archive::Reader;
use morpion::store::{Change, UnitRecord};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

fn with(state: &Path, change: impl Fn(&mut DaemonOptions)) -> Arc<Daemon> {
    let opened = try_open(|| {
        let mut options = options(state, 2);
        change(&mut options);
        options
    });
    opened.unwrap_or_else(|error| panic!("{error}"))
}

fn submit(daemon: &Daemon, settings: &Value, others: &Value) -> JobId {
    daemon.submit(request(settings, others), None).unwrap().summary.id
}

fn notices(daemon: &Daemon, id: JobId) -> Vec<String> {
    let events = daemon.events(0, Some(id), 1000);
    let text = |event: morpion::daemon::view::EventView| match event.what {
        EventKind::Notice { text } => Some(text),
        _ => None,
    };
    events.into_iter().filter_map(text).collect()
}

#[test]
fn an_archive_stays_within_its_limit_and_the_best_find_room() {
    const LIMIT: u64 = 300_000;
    let dir = tempfile::tempdir().unwrap();
    let daemon = with(dir.path(), |options| options.job_disk = LIMIT);
    let settings = json!({ "strategy": "random", "variant": "4D", "max_iterations": 4000, "runs": 4, "seed": 5,
        "keep_from": 1 });
    let id = submit(&daemon, &settings, &json!({}));
    let job = wait_over(&daemon, id);
    let archive = dir.path().join(format!("jobs/{id}/archive/grids.bin"));
    let length = fs::metadata(&archive).unwrap().len();
    assert!(length <= LIMIT && length > LIMIT / 2, "{length}");
    let told = notices(&daemon, id);
    assert!(told.iter().any(|told| told.contains("only grids of at least")), "{told:?}");
    assert!(told.len() <= 12, "{told:?}");
    let finds = Reader::open(&archive).unwrap().map(|find| find.unwrap().find.score());
    assert_eq!(finds.max(), job.summary.best, "the best is in the archive: {told:?}");
    close(daemon);
}

fn keys_of(archive: &Path) -> BTreeSet<u64> {
    Reader::open(archive).unwrap().map(|find| find.unwrap().key).collect()
}

fn limits(disk: u64) -> Adjustment {
    let limits: LimitsDocument = serde_json::from_value(json!({ "disk": disk })).unwrap();
    Adjustment { limits: Some(limits), ..Adjustment::default() }
}

/// A search that meets the same few grids again and again, with room for some of them at first.
#[test]
fn grids_for_which_there_was_no_room_are_kept_when_there_is_room_and_they_are_met_again() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = with(dir.path(), |options| options.job_disk = 3000);
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/grids/4D-31-demaine.txt")).unwrap();
    let start = json!({ "grid": text, "moves": 18 });
    let all = json!({ "strategy": "dfs", "main_depth": 2, "variant": "4D", "keep_from": 1 });
    let id = submit(&daemon, &all, &json!({ "start": start, "limits": { "disk": 1 << 30 } }));
    assert_eq!(wait_over(&daemon, id).summary.state, JobState::Finished);
    let archive = |id: JobId| dir.path().join(format!("jobs/{id}/archive/grids.bin"));
    let expected = keys_of(&archive(id));
    assert!(expected.len() > 20, "{}", expected.len());
    let settings = json!({ "strategy": "random", "variant": "4D", "seed": SEED, "keep_from": 1 });
    let id = submit(&daemon, &settings, &json!({ "start": start }));
    wait_until("the archive is full", || notices(&daemon, id).iter().any(|told| told.contains("kept")));
    wait_for(&daemon, id, "runs", |job| job.summary.iterations > 20_000);
    let held = keys_of(&archive(id));
    assert!(held.len() < expected.len() && held.is_subset(&expected), "{} of {}", held.len(), expected.len());
    daemon.adjust(id, limits(1 << 30)).unwrap();
    wait_until("all grids are there", || keys_of(&archive(id)) == expected);
    close(daemon);
}

#[test]
fn a_grid_that_was_removed_does_not_come_back_when_its_job_continues() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = with(dir.path(), |_| ());
    let settings = json!({ "strategy": "random", "variant": "4D", "seed": SEED, "keep_from": 18 });
    let id = submit(&daemon, &settings, &json!({}));
    let of_job = GridFilter { job: Some(id), ..GridFilter::default() };
    let keys =
        |daemon: &Daemon| -> Vec<String> { all_grids(daemon, &of_job).into_iter().map(|grid| grid.key).collect() };
    wait_until("it has found grids", || keys(&daemon).len() > 20);
    daemon.command(id, JobCommand::Pause).unwrap();
    // The best of all, and one from the middle.
    let (found, best) = (keys(&daemon), daemon.job(id).unwrap().best_grid.unwrap());
    let removed = [best.as_str(), found[found.len() / 2].as_str()];
    removed.iter().for_each(|key| daemon.remove_grid(key).unwrap());
    close(daemon);
    let daemon = with(dir.path(), |_| ());
    let before = daemon.job(id).unwrap().summary.iterations;
    daemon.command(id, JobCommand::Resume).unwrap();
    wait_for(&daemon, id, "goes on", |job| running(job) && job.summary.iterations > before);
    let now = keys(&daemon);
    assert!(removed.iter().all(|key| !now.contains(&(*key).to_owned())), "{removed:?} are back");
    let lost: Vec<&String> =
        found.iter().filter(|key| !removed.contains(&key.as_str()) && !now.contains(key)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    let job = daemon.job(id).unwrap();
    assert!(job.summary.best >= Some(18) && job.best_grid.is_none_or(|key| daemon.grid(&key).is_ok()));
    close(daemon);
}

#[test]
fn units_that_were_summarised_are_not_said_to_be_listed_when_the_job_is_tried_again() {
    let dir = tempfile::tempdir().unwrap();
    let panics = Arc::new(AtomicBool::new(true));
    let daemon = with(dir.path(), |options| {
        let panics = Arc::clone(&panics);
        options.retention = Retention { jobs: None, units: 0 };
        options.trap = Some(Arc::new(move |unit, _| assert!(unit == 0 || !panics.load(Ordering::Relaxed), "{unit}")));
    });
    let settings = json!({ "strategy": "random", "max_iterations": 50, "runs": 3, "seed": SEED });
    let id = submit(&daemon, &settings, &json!({}));
    assert_eq!(wait_over(&daemon, id).summary.state, JobState::Failed);
    let numbers = || all_units(&*daemon, id).iter().map(|unit| unit.unit).collect::<Vec<_>>();
    wait_until("its units are summarised", || daemon.job(id).unwrap().summary.units_summarised);
    assert_eq!(numbers(), [1, 2], "only quarantined ones are listed");
    panics.store(false, Ordering::Relaxed);
    let job = daemon.command(id, JobCommand::Retry).unwrap();
    assert!(job.summary.units_summarised, "unit 0 is not listed any more");
    let job = wait_over(&daemon, id);
    assert_eq!((job.summary.state, job.summary.units_done), (JobState::Finished, 3));
    assert!(job.summary.units_summarised);
    wait_until("the others are summarised, too", || numbers().is_empty());
    close(daemon);
}

#[test]
fn jobs_that_an_earlier_version_ended_are_removed_in_the_order_of_their_ends() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = with(dir.path(), |_| ());
    let ids: Vec<JobId> = (0..6).map(|seed| submit(&daemon, &small(seed), &json!({}))).collect();
    ids.iter().for_each(|&id| _ = wait_over(&daemon, id));
    close(daemon);
    // They ended in another order than that of their numbers, but for the last, which this version ended.
    let store = open_store(dir.path());
    for (&id, ended) in ids[..5].iter().zip([50.0, 10.0, 40.0, 20.0, 30.0]) {
        let mut record: Value = serde_json::from_slice(&store.job(id).unwrap().unwrap()).unwrap();
        record.as_object_mut().unwrap().remove("end_number");
        record["ended"] = ended.into();
        store.commit(vec![Change::Job(id, serde_json::to_vec(&record).unwrap())]).unwrap();
    }
    drop(store);
    let daemon = with(dir.path(), |options| options.retention = Retention { jobs: Some(3), units: 1000 });
    wait_until("the older ones are removed", || daemon.health().jobs.values().sum::<u64>() == 3);
    let left: BTreeSet<JobId> = all_jobs(&*daemon).iter().map(|job| job.summary.id).collect();
    assert_eq!(left, BTreeSet::from([ids[0], ids[2], ids[5]]));
    close(daemon);
}

#[test]
fn a_solution_that_reaches_its_limit_waits_and_goes_on_with_a_higher_one() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = with(dir.path(), |options| options.job_disk = 1 << 20);
    let settings = json!({ "game": "reversi", "size": 4, "memory": "1M", "unit_budget": 200 });
    let id = submit(&daemon, &settings, &json!({ "kind": "solve" }));
    let job = wait_for(&daemon, id, "is quarantined", |job| job.summary.is_quarantined());
    let reason = job.summary.reason.unwrap_or_default();
    assert!(reason.contains("bytes of disk, and the limit is 1048576"), "{reason}");
    assert!(matches!(daemon.adjust(id, limits(1 << 20)), Err(Refusal::Invalid(_))), "too little for any");
    daemon.adjust(id, limits(1 << 30)).unwrap();
    daemon.command(id, JobCommand::Resume).unwrap();
    assert_eq!(wait_over(&daemon, id).summary.reason.as_deref(), Some("solved"));
    close(daemon);
}

#[test]
fn of_jobs_that_are_over_the_newest_are_kept_and_of_the_newest_of_these_the_units() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = with(dir.path(), |_| ());
    let open = submit(&daemon, &endless(1), &json!({}));
    daemon.command(open, JobCommand::Pause).unwrap();
    let over: Vec<JobId> = (0..6).map(|seed| submit(&daemon, &small(seed), &json!({}))).collect();
    let ends = over.iter().map(|&id| wait_over(&daemon, id)).collect::<Vec<_>>();
    assert!(ends.iter().all(|job| !job.summary.units_summarised));
    // One more ends last, although its number is the lowest.
    daemon.command(open, JobCommand::Cancel).unwrap();
    close(daemon);
    let daemon = with(dir.path(), |options| options.retention = Retention { jobs: Some(4), units: 2 });
    wait_until("the older ones are removed", || daemon.health().jobs.values().sum::<u64>() == 4);
    let left: Vec<JobId> = all_jobs(&*daemon).iter().map(|job| job.summary.id).collect();
    assert!(left.contains(&open), "{left:?}");
    for &id in &over {
        let folder = dir.path().join(format!("jobs/{id}"));
        wait_until("the folders of removed jobs are gone", || folder.exists() == left.contains(&id));
        assert_eq!(daemon.units(id, None, &page()).is_ok(), left.contains(&id), "{id}");
    }
    let summarised = || all_jobs(&*daemon).into_iter().filter(|job| job.summary.units_summarised).collect::<Vec<_>>();
    wait_until("units are summarised", || summarised().len() == 2);
    for job in summarised() {
        assert!(all_units(&*daemon, job.summary.id).is_empty());
        assert_eq!((job.summary.state, job.summary.units_done), (JobState::Finished, 2), "its sums stay");
        assert!(!daemon.statistics(job.summary.id).unwrap().units.is_empty());
    }
    let whole = all_jobs(&*daemon).into_iter().filter(|job| !job.summary.units_summarised && job.summary.id != open);
    assert!(whole.map(|job| all_units(&*daemon, job.summary.id).len()).all(|units| units == 2));
    close(daemon);
}

fn page() -> morpion::daemon::service::Page {
    morpion::daemon::service::Page { limit: 10, cursor: None }
}

/// Jobs of a year, put through the store as the daemon does it: `MORPION_TEST_YEAR=20000` for all of them.
#[test]
fn a_store_after_a_year_of_jobs_is_small() {
    const UNITS: u64 = 20;
    let jobs = number("MORPION_TEST_YEAR", 600);
    let kept = jobs / 20;
    let dir = tempfile::tempdir().unwrap();
    let daemon = with(dir.path(), |_| ());
    wait_over(&daemon, submit(&daemon, &small(1), &json!({})));
    close(daemon);
    let store = open_store(dir.path());
    let (job, spec) = (store.job(1).unwrap().unwrap(), store.spec(1).unwrap().unwrap());
    let mut event = Vec::new();
    store.events(0, |_, bytes| (event = bytes.to_vec(), true).1).unwrap();
    let mut record: Value = serde_json::from_slice(&job).unwrap();
    let unit = UnitRecord { attempts: 1, end: None, iterations: 50, best: 60, error: None, quarantined: false };
    let began = Instant::now();
    for id in 2..=jobs {
        record["id"] = id.into();
        record["end_number"] = id.into();
        record["units_summarised"] = (id + kept < jobs).into();
        let mut changes = vec![Change::Job(id, serde_json::to_vec(&record).unwrap()), Change::Spec(id, spec.clone())];
        changes.extend((0..UNITS).map(|number| Change::Unit(id, number, unit.clone())));
        changes.extend((0..6).map(|number| Change::Event(1000 + 6 * id + number, event.clone())));
        changes.extend(id.checked_sub(kept + 1).filter(|&old| old > 0).map(Change::SummariseUnits));
        changes.push(Change::Number("last job", id));
        store.later(changes);
        if id % 100 == 0 {
            store.barrier().unwrap();
        }
    }
    store.barrier().unwrap();
    let mut units = 0;
    for id in 2..=jobs {
        store.units(id, 0, |_, _| (units += 1, true).1).unwrap();
    }
    assert!(units <= (kept + 2) * UNITS && units >= kept * UNITS, "{units}");
    drop(store);
    let written = began.elapsed();
    let length = fs::metadata(dir.path().join("morpion.redb")).unwrap().len();
    let began = Instant::now();
    drop(open_store(dir.path()));
    let opened = began.elapsed();
    let began = Instant::now();
    let daemon = with(dir.path(), |_| ());
    let started = began.elapsed();
    assert_eq!(daemon.health().jobs["finished"], jobs);
    close(daemon);
    println!(
        "{jobs} jobs, {units} units listed: {:.1} MB; written in {:.1} s; store opened in {:.2} s, daemon in {:.2} s; a \
         job {} bytes, its specification {}",
        length as f64 / 1e6,
        written.as_secs_f64(),
        opened.as_secs_f64(),
        started.as_secs_f64(),
        job.len(),
        spec.len()
    );
    // Two megabytes for an empty store, and for each job its record, its specification and its events.
    assert!(length < (4 << 20) + 12_000 * jobs, "{length}");
}
