//! The program itself: `morpion daemon` in a process of its own, talked to over HTTP and by `morpion job`.

use super::{PATIENCE, SEED, essence, wait_until};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// What it says when it can be reached.
const READY: &str = "the daemon runs in ";

/// A running daemon. Dropping it kills it.
pub struct Program {
    process: Mutex<Child>,
    /// What it wrote to stderr.
    said: Arc<Mutex<String>>,
    /// Reads stderr to its end.
    listening: Mutex<Option<JoinHandle<()>>>,
    agent: ureq::Agent,
    /// Where it answers, as `http://127.0.0.1:1234`.
    pub url: String,
}

/// The command that starts a daemon with two workers on a free port.
pub fn command(state: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
    command.args(["daemon", "--listen", "127.0.0.1:0", "--threads", "2"]);
    command.env("LC_ALL", "C").env_remove("MORPION_LANGUAGE");
    command.args(["--quarantine-after", "0", "--keep-units", "1000000000"]);
    command.arg("--state").arg(state);
    command
}

fn agent(patience: Duration) -> ureq::Agent {
    let config = ureq::Agent::config_builder().http_status_as_error(false).proxy(None);
    config.timeout_global(Some(patience)).build().into()
}

impl Program {
    /// Starts one and waits until it can be reached.
    pub fn start(state: &Path) -> Program {
        Program::launch(&mut command(state))
    }

    /// Starts one by a command of one's own.
    pub fn launch(command: &mut Command) -> Program {
        Program::try_launch(command).unwrap_or_else(|(status, said)| panic!("no daemon runs: {status}: {said}"))
    }

    /// Starts one by a command of one's own; or how it ended instead, and what it said.
    pub fn try_launch(command: &mut Command) -> Result<Program, (ExitStatus, String)> {
        let spawned = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut process = spawned.expect("it can be started");
        let errors = BufReader::new(process.stderr.take().expect("a pipe"));
        let said: Arc<Mutex<String>> = Arc::default();
        let (sender, ready) = channel();
        let heard = Arc::clone(&said);
        let listening = std::thread::spawn(move || {
            for line in errors.lines().map_while(Result::ok) {
                let url = line.split_once(READY).and_then(|(_, rest)| rest.rsplit_once(": "));
                if let Some((_, url)) = url {
                    let _ = sender.send(url.trim_end_matches('/').to_owned());
                }
                *heard.lock().unwrap() += &(line + "\n");
            }
        });
        // The channel closes when the process ends.
        let Ok(url) = ready.recv_timeout(PATIENCE) else {
            let _ = process.kill();
            let status = process.wait().expect("it ends");
            let said = said.lock().unwrap().clone();
            return Err((status, said));
        };
        let (process, listening) = (Mutex::new(process), Mutex::new(Some(listening)));
        Ok(Program { process, said, listening, agent: agent(PATIENCE), url })
    }

    /// From now on an answer that takes longer than this is none.
    pub fn answers_within(&mut self, most: Duration) {
        self.agent = agent(most);
    }

    /// Sends a request; status and document of the answer, or nothing if it has died.
    pub fn ask(&self, method: &str, path: &str, key: Option<&str>, body: Option<&Value>) -> Option<(u16, Value)> {
        let request = ureq::http::Request::builder().method(method).uri(format!("{}/api/v1{path}", self.url));
        let request = key.into_iter().fold(request, |request, key| request.header("idempotency-key", key));
        let answer = match body {
            Some(body) => {
                let request = request.header("content-type", "application/json").body(body.to_string());
                self.agent.run(request.unwrap())
            }
            None => self.agent.run(request.body(()).unwrap()),
        };
        let mut answer = answer.ok()?;
        let text = answer.body_mut().read_to_string().ok()?;
        let document = if text.is_empty() { Value::Null } else { serde_json::from_str(&text).ok()? };
        Some((answer.status().as_u16(), document))
    }

    fn expect(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let (status, document) = self
            .ask(method, path, None, body)
            .unwrap_or_else(|| panic!("{method} {path}: it has died: {}", self.said()));
        assert!(status < 300, "{method} {path}: {status} {document}");
        document
    }

    /// A document.
    pub fn get(&self, path: &str) -> Value {
        self.expect("GET", path, None)
    }

    /// What comes of a command.
    pub fn order(&self, path: &str) -> Value {
        self.expect("POST", path, None)
    }

    /// What comes of a document that is sent.
    pub fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        self.expect(method, path, Some(body))
    }

    /// Status with which a document is refused.
    pub fn send_refused(&self, method: &str, path: &str, body: &Value) -> u16 {
        let (status, document) = self.ask(method, path, None, Some(body)).expect("it lives");
        assert!(status >= 400, "{method} {path}: {status} {document}");
        status
    }

    /// Submits a job and returns its number.
    pub fn submit(&self, request: &impl serde::Serialize) -> u64 {
        self.send("POST", "/jobs", &serde_json::to_value(request).unwrap())["id"].as_u64().expect("a number")
    }

    /// All items of a list, or nothing if it has died. `path` has its first parameter.
    pub fn try_list(&self, path: &str) -> Option<Vec<Value>> {
        let (mut items, mut after) = (Vec::new(), String::new());
        loop {
            let (status, mut part) = self.ask("GET", &format!("{path}{after}"), None, None)?;
            assert_eq!(status, 200, "{path}: {part}");
            items.append(part["items"].as_array_mut().expect("items"));
            match part["next"].as_str() {
                Some(next) => after = format!("&cursor={next}"),
                None => return Some(items),
            }
        }
    }

    pub fn list(&self, path: &str) -> Vec<Value> {
        self.try_list(path).unwrap_or_else(|| panic!("{path}: it has died: {}", self.said()))
    }

    pub fn job(&self, id: u64) -> Value {
        self.get(&format!("/jobs/{id}"))
    }

    pub fn wait_over(&self, id: u64) -> Value {
        let mut last = Value::Null;
        wait_until(&format!("job {id} is over"), || {
            last = self.job(id);
            ["finished", "cancelled", "failed"].contains(&last["state"].as_str().unwrap_or_default())
        });
        last
    }

    /// What must be the same of a job however it was disturbed.
    pub fn essence(&self, id: u64) -> Value {
        let (units, grids) = (self.list(&units_of(id)), self.list(&grids_of(id)));
        essence(&self.job(id), units, &grids)
    }

    /// Runs `morpion` with these arguments as a client of this daemon.
    pub fn morpion(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
        command.env_remove("MORPION_TOKEN").env("MORPION_URL", &self.url).args(arguments);
        command.stdin(Stdio::null()).output().expect("it can be started")
    }

    /// Number of its process.
    pub fn process_id(&self) -> u32 {
        self.process.lock().unwrap().id()
    }

    /// What it wrote to stderr.
    pub fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    /// Kills it, as `kill -9` does; requests of other threads find it dead.
    pub fn kill(&self) {
        let mut process = self.process.lock().unwrap();
        process.kill().expect("it can be killed");
        process.wait().expect("it ends");
        assert!(!self.last_words().contains("panicked"), "seed {SEED}: {}", self.said());
    }

    /// All that it wrote to stderr, once it has ended.
    fn last_words(&self) -> String {
        if let Some(listening) = self.listening.lock().unwrap().take() {
            listening.join().expect("stderr is read to its end");
        }
        self.said()
    }

    /// Asks it to end, as systemd does.
    pub fn stop(self) {
        let (status, said) = self.end();
        assert!(status.success(), "{said}");
        assert!(!said.contains("panicked"), "{said}");
    }

    /// Asks it to end, if it still runs; how it ended, and all that it said.
    pub fn end(self) -> (ExitStatus, String) {
        let mut process = self.process.lock().unwrap();
        if process.try_wait().expect("it can be asked for").is_none() {
            let sent = Command::new("kill").arg("-TERM").arg(process.id().to_string()).status();
            assert!(sent.is_ok_and(|status| status.success()));
        }
        (process.wait().expect("it ends"), self.last_words())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let process = self.process.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        let _ = process.kill();
        let _ = process.wait();
    }
}

/// Path of a job's units.
pub fn units_of(id: u64) -> String {
    format!("/jobs/{id}/units?limit=1000")
}

/// Path of the grids that a job found.
pub fn grids_of(id: u64) -> String {
    format!("/grids?job={id}&limit=1000")
}

/// What must come of a job, whatever computes it and whatever happens.
pub fn end(program: &Program, id: u64) -> Value {
    let job = program.wait_over(id);
    assert_eq!(job["state"], "finished", "job {id}: {}", job["reason"]);
    if job["kind"] == "solve" {
        let solution = &job["solution"];
        // A unit that fails three times is replaced by those of its children, so failures alone lead to an answer too.
        let figures = [&solution["units"]["finished"], &solution["nodes"]].map(Value::as_u64);
        assert!(figures.iter().all(|figure| *figure > Some(0)), "no unit is computed: {solution}");
        return json!({ "lower": solution["lower"], "upper": solution["upper"] });
    }
    if job["kind"] == "prove" {
        let proof = &job["proof"];
        let of = |name: &str| proof[name].clone();
        return json!({ "end": of("end"), "moves": of("moves"), "closed": of("closed"), "grids": of("grids") });
    }
    program.essence(id)
}
