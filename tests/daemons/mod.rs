//! Daemons for tests: in this process, or in one of their own that can be killed and is talked to by lines.
#![allow(dead_code)]

pub mod clients;
pub mod disks;
pub mod program;

use morpion::daemon::credit::CreditOptions;
use morpion::daemon::directory::StateDirectoryError;
use morpion::daemon::scheduler::{Daemon, DaemonOptions, OpenError, Retention, Shutdown};
use morpion::daemon::service::{GridFilter, JobCommand as Order, JobFilter, Page, Refusal, Service};
use morpion::daemon::view::{GridView, JobId, JobRequest, JobState, JobView, UnitView};
use morpion::queue::local::LocalOptions;
use morpion::store::{Store, StoreError};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than anything here takes: a guard against hanging, not a measure.
pub const PATIENCE: Duration = Duration::from_secs(240);
/// Where a daemon in a process of its own keeps its state; its presence makes the test `child` be one.
pub const STATE: &str = "MORPION_TEST_STATE";
/// Units of such a daemon that panic: `always:3` or `once:5`, with commas between.
pub const PANICS: &str = "MORPION_TEST_PANICS";

/// Time from one checkpoint to the next of such a daemon, in milliseconds.
pub const PACE: &str = "MORPION_TEST_PACE";

/// Fixed, so that a failure can be repeated as far as the clock allows.
pub const SEED: u64 = 20_261;

/// A number from the environment.
pub fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// In a storm of hours a round takes longer.
pub fn wait_until(what: &str, mut ready: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE.max(Duration::from_secs(number("MORPION_TEST_STORM", 0) / 2));
    while !ready() {
        assert!(Instant::now() < end, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Copies a directory with all that is in it.
pub fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_all(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

pub fn options(state: &Path, workers: u32) -> DaemonOptions {
    DaemonOptions {
        state: state.to_owned(),
        workers,
        queue: LocalOptions { quantum: Duration::from_millis(50), ..LocalOptions::default() },
        pace: Duration::from_millis(200),
        memory: 4 << 30,
        job_disk: 4 << 30,
        machine_quorum: 1,
        // Long forms compare the units of jobs that have long been over.
        retention: Retention { jobs: None, units: u64::MAX },
        // They are killed more often than a daemon in use.
        most_deaths: 0,
        credit: CreditOptions::default(),
        trap: None,
    }
}

pub fn open(state: &Path, workers: u32) -> Arc<Daemon> {
    try_open(|| options(state, workers)).unwrap_or_else(|error| panic!("{error}"))
}

/// The last thread of a daemon in this process that was shut down may still have to let its directory go. A process
/// that another test starts has the locks of this one, too, until it runs a program of its own.
pub fn try_open(options: impl Fn() -> DaemonOptions) -> Result<Arc<Daemon>, OpenError> {
    let end = Instant::now() + PATIENCE;
    loop {
        match Daemon::open(options()) {
            Err(OpenError::Directory(StateDirectoryError::Locked(_)) | OpenError::Store(StoreError::InUse(_)))
                if Instant::now() < end =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            opened => return opened,
        }
    }
}

/// Shuts a daemon in this process down. When it returns, the last thread of the daemon has let its files go.
pub fn close(mut daemon: Arc<Daemon>) {
    daemon.shutdown(Shutdown::Now);
    let end = Instant::now() + PATIENCE;
    loop {
        daemon = match Arc::try_unwrap(daemon) {
            Ok(whole) => return drop(whole),
            Err(shared) => shared,
        };
        assert!(Instant::now() < end, "a thread of the daemon does not end");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Opens a file as soon as nobody has it, since a process that another test starts may have it still. `open` returns
/// nothing as long as somebody does.
fn once_free<T>(mut open: impl FnMut() -> Option<T>) -> T {
    let mut opened = None;
    wait_until("nobody has the file", || {
        opened = open();
        opened.is_some()
    });
    opened.expect("it was waited for")
}

/// The file of a store, or of a tree, that no daemon uses any more.
pub fn open_database(path: &Path) -> redb::Database {
    once_free(|| match redb::Database::open(path) {
        Err(redb::DatabaseError::DatabaseAlreadyOpen) => None,
        opened => Some(opened.unwrap()),
    })
}

/// The store of a daemon that was closed.
pub fn open_store(state: &Path) -> Store {
    once_free(|| match Store::open(state) {
        Err(StoreError::InUse(_)) => None,
        opened => Some(opened.unwrap()),
    })
}

/// A request with these settings and, over them, other fields.
pub fn request(settings: &Value, others: &Value) -> JobRequest {
    let mut whole = json!({ "kind": "hunt", "settings": settings });
    for (name, value) in others.as_object().into_iter().flatten() {
        whole[name] = value.clone();
    }
    serde_json::from_value(whole).expect("a request")
}

/// A hunt that is over soon.
pub fn small(seed: u64) -> Value {
    json!({ "strategy": "random", "max_iterations": 50, "runs": 2, "seed": seed })
}

/// Jobs whose units are told apart: each does the same whatever happens.
pub fn jobs() -> Vec<Value> {
    vec![
        json!({ "main_depth": 2, "max_iterations": 200_000, "jumps_back": [[50_000, "best/2"], [170_000, 10]], "seed": 5 }),
        json!({ "strategy": "nrpa", "level": 2, "iterations": 70, "variant": "5D", "runs": 16, "seed": 6, "keep_from": 66 }),
        json!({ "strategy": "nrpa", "level": 3, "share": 2, "width": 2, "variant": "4D", "iterations": 25, "runs": 2, "seed": 7 }),
        json!({ "strategy": "perturb", "level": 2, "iterations": 50, "variant": "4T", "patience": "4k", "runs": 8, "seed": 8, "keep_from": 58 }),
    ]
}

/// What must be the same however a job was disturbed, of it, its units and its grids.
pub fn essence(job: &Value, mut units: Vec<Value>, grids: &[Value]) -> Value {
    for unit in &mut units {
        unit.as_object_mut()
            .unwrap()
            .retain(|name, _| ["unit", "state", "end", "iterations", "best"].contains(&name.as_str()));
    }
    let least = job["settings"]["keep_from"].as_u64().unwrap();
    let grids = grids.iter().filter(|grid| grid["score"].as_u64().unwrap() >= least);
    let grids: BTreeSet<&str> = grids.map(|grid| grid["key"].as_str().unwrap()).collect();
    let mut essence = json!({ "units": units, "grids": grids });
    for name in ["state", "reason", "iterations", "units_done", "units_stalled", "units_poisoned", "best"] {
        essence[name] = job[name].clone();
    }
    essence
}

/// The numbers of the units that are done.
pub fn done(units: &[Value]) -> BTreeSet<u64> {
    units.iter().filter(|unit| unit["state"] == "done").map(|unit| unit["unit"].as_u64().unwrap()).collect()
}

/// The keys of grids.
pub fn keys(grids: &[Value]) -> BTreeSet<String> {
    grids.iter().map(|grid| grid["key"].as_str().unwrap().to_owned()).collect()
}

/// A hunt without end.
pub fn endless(seed: u64) -> Value {
    json!({ "strategy": "nrpa", "level": 4, "seed": seed })
}

pub fn wait_for(daemon: &Daemon, id: JobId, what: &str, ready: impl Fn(&JobView) -> bool) -> JobView {
    let mut last = None;
    wait_until(&format!("job {id} {what}"), || {
        let view = daemon.job(id).expect("the job is there");
        let is_ready = ready(&view);
        assert!(is_ready || !view.summary.state.is_over(), "job {id} is over before it {what}: {view:?}");
        last = Some(view);
        is_ready
    });
    last.expect("it was looked at")
}

pub fn wait_over(daemon: &Daemon, id: JobId) -> JobView {
    wait_for(daemon, id, "is over", |view| view.summary.state.is_over())
}

pub fn running(view: &JobView) -> bool {
    view.summary.state == JobState::Running && view.threads > 0
}

/// Gives an order, and waits until it is carried out: where workers take long to stop, it outlives the call.
pub fn carried_out(daemon: &Daemon, id: JobId, order: Order) -> JobView {
    let mut view = daemon.command(id, order).unwrap();
    if view.pending.is_some() {
        wait_until("the order is carried out", || {
            view = daemon.job(id).unwrap();
            view.pending.is_none()
        });
    }
    view
}

pub fn all_units(daemon: &dyn Service, id: JobId) -> Vec<UnitView> {
    pages(|page| daemon.units(id, None, page).map(|listing| (listing.items, listing.next)))
}

pub fn all_grids(daemon: &dyn Service, filter: &GridFilter) -> Vec<GridView> {
    pages(|page| daemon.grids(filter, page).map(|listing| (listing.items, listing.next)))
}

pub fn all_jobs(daemon: &dyn Service) -> Vec<JobView> {
    pages(|page| daemon.jobs(&JobFilter::default(), page).map(|listing| (listing.items, listing.next)))
}

fn pages<T>(mut read: impl FnMut(&Page) -> Result<(Vec<T>, Option<String>), Refusal>) -> Vec<T> {
    let mut all = Vec::new();
    let mut page = Page { limit: 37, cursor: None };
    loop {
        let (items, next) = read(&page).expect("a page");
        assert!(items.len() <= page.limit);
        all.extend(items);
        match next {
            Some(next) => page.cursor = Some(next),
            None => return all,
        }
    }
}

/// What a daemon in a process of its own does: a line of JSON comes in, one goes out, until the input ends.
pub fn be_a_daemon(state: &Path) {
    let panics = std::env::var(PANICS).unwrap_or_default();
    let (mut always, mut once) = (Vec::new(), Vec::new());
    for panic in panics.split(',').filter(|panic| !panic.is_empty()) {
        let (kind, unit) = panic.split_once(':').expect("kind:unit");
        let unit: u64 = unit.parse().expect("a unit");
        if kind == "always" { always.push(unit) } else { once.push(unit) }
    }
    let mut options = options(state, 2);
    options.pace = Duration::from_millis(number(PACE, options.pace.as_millis() as u64));
    options.trap = Some(Arc::new(move |unit, attempt| {
        if always.contains(&unit) || attempt == 1 && once.contains(&unit) {
            panic!("unit {unit} was told to panic in attempt {attempt}");
        }
    }));
    let answer = |value: Value| {
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "\n@{value}").and_then(|()| out.flush());
    };
    let daemon = match Daemon::open(options) {
        Ok(daemon) => daemon,
        Err(error) => return answer(json!({ "refused": error.to_string() })),
    };
    answer(json!("ready"));
    for line in std::io::stdin().lock().lines() {
        let line: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        answer(carry_out(&daemon, &line));
    }
    daemon.shutdown(Shutdown::Now);
}

fn carry_out(daemon: &Daemon, line: &Value) -> Value {
    fn said<T: serde::Serialize>(result: Result<T, Refusal>) -> Value {
        match result {
            Ok(value) => json!({ "ok": value }),
            Err(error) => json!({ "error": error.to_string(), "kind": format!("{error:?}").split('(').next() }),
        }
    }
    let id = line["id"].as_u64().unwrap_or_default();
    match line["do"].as_str().unwrap_or_default() {
        "submit" => {
            let request = serde_json::from_value(line["request"].clone()).expect("a request");
            said(daemon.submit(request, line["key"].as_str()))
        }
        "job" => said(daemon.job(id)),
        "jobs" => json!({ "ok": all_jobs(daemon) }),
        "units" => json!({ "ok": all_units(daemon, id) }),
        "grids" => json!({ "ok": all_grids(daemon, &GridFilter { job: Some(id), ..GridFilter::default() }) }),
        "events" => json!({ "ok": daemon.events(0, Some(id), 1000) }),
        "statistics" => said(daemon.statistics(id)),
        "health" => json!({ "ok": daemon.health() }),
        "pause" => said(daemon.command(id, Order::Pause)),
        "resume" => said(daemon.command(id, Order::Resume)),
        "cancel" => said(daemon.command(id, Order::Cancel)),
        "retry" => said(daemon.command(id, Order::Retry)),
        "stop" => {
            daemon.shutdown(Shutdown::Now);
            json!({ "ok": null })
        }
        other => panic!("'{other}' is unknown"),
    }
}

/// A daemon in a process of its own.
pub struct Apart {
    pub process: Child,
    input: ChildStdin,
    answers: Receiver<Value>,
}

impl Apart {
    /// Starts one by running the test `child` of this test program, which calls [`be_a_daemon`]; or what it said
    /// instead.
    pub fn start(state: &Path, panics: &str) -> Result<Apart, String> {
        Apart::start_with(state, &[(PANICS, panics)])
    }

    /// Kills the daemon of `state` and starts it again, three times or until the job is over, whenever further units of
    /// the job are done. None of those that were done is lost.
    pub fn killed_and_started(self, state: &Path, id: u64) -> Apart {
        let (mut daemon, mut kills, mut least) = (self, 0, 0);
        for _ in 0..3 {
            let (mut over, mut done) = (false, 0);
            wait_until("some units are done", || {
                let job = daemon.get(&json!({ "do": "job", "id": id }));
                over = job["state"] == "finished";
                done = job["units_done"].as_u64().unwrap();
                over || done > least
            });
            if over {
                break;
            }
            daemon.kill();
            kills += 1;
            daemon = Apart::start(state, "").unwrap();
            wait_until("it has begun again", || daemon.get(&json!({ "do": "job", "id": id }))["state"] != "queued");
            let job = daemon.get(&json!({ "do": "job", "id": id }));
            assert!(job["units_done"].as_u64().unwrap() >= done, "kill {kills}: {done} were done: {job}");
            least = done;
        }
        assert!(kills >= 1, "it was over before it was killed");
        daemon
    }

    /// The same with these variables in its environment.
    pub fn start_with(state: &Path, variables: &[(&str, &str)]) -> Result<Apart, String> {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["child", "--exact", "--nocapture", "--ignored"]);
        command.env(STATE, state).envs(variables.iter().copied());
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut process = spawned.expect("it can be started");
        let (input, output) = (process.stdin.take().expect("a pipe"), process.stdout.take().expect("a pipe"));
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Some(answer) = line.strip_prefix('@')
                    && sender.send(serde_json::from_str(answer).expect("JSON")).is_err()
                {
                    return;
                }
            }
        });
        let apart = Apart { process, input, answers };
        match apart.answers.recv_timeout(PATIENCE) {
            Ok(ready) if ready == "ready" => Ok(apart),
            Ok(other) => Err(other["refused"].as_str().unwrap_or_default().to_owned()),
            Err(error) => panic!("the daemon says nothing: {error}"),
        }
    }

    /// Asks; nothing if it has died meanwhile.
    pub fn ask(&mut self, line: &Value) -> Option<Value> {
        writeln!(self.input, "{line}").and_then(|()| self.input.flush()).ok()?;
        self.answers.recv_timeout(PATIENCE).ok()
    }

    /// Asks and expects that it is done.
    pub fn get(&mut self, line: &Value) -> Value {
        let mut answer = self.ask(line).expect("it lives");
        assert!(answer.get("error").is_none(), "{line}: {answer}");
        answer["ok"].take()
    }

    pub fn submit(&mut self, request: &JobRequest) -> JobId {
        self.get(&json!({ "do": "submit", "request": request }))["id"].as_u64().expect("a number")
    }

    pub fn wait_over(&mut self, id: JobId) -> Value {
        let mut last = Value::Null;
        wait_until(&format!("job {id} is over"), || {
            last = self.get(&json!({ "do": "job", "id": id }));
            ["finished", "cancelled", "failed"].contains(&last["state"].as_str().unwrap_or_default())
        });
        last
    }

    /// What a list holds: `units` or `grids` of a job.
    pub fn list(&mut self, what: &str, id: JobId) -> Vec<Value> {
        match self.get(&json!({ "do": what, "id": id })) {
            Value::Array(items) => items,
            other => panic!("{what}: {other}"),
        }
    }

    /// What must be the same of a job however it was disturbed.
    pub fn essence(&mut self, id: JobId) -> Value {
        let job = self.get(&json!({ "do": "job", "id": id }));
        essence(&job, self.list("units", id), &self.list("grids", id))
    }

    /// Kills it, as `kill -9` does.
    pub fn kill(mut self) {
        self.process.kill().expect("it can be killed");
        self.process.wait().expect("it ends");
    }

    /// Has it end by itself.
    pub fn stop(mut self) {
        self.get(&json!({ "do": "stop" }));
        drop(self.input);
        assert!(self.process.wait().expect("it ends").success());
    }
}

/// The text of a file in `grids/`.
pub fn grid_text(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("grids").join(name)).unwrap()
}
