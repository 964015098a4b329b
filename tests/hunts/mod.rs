//! Runs the program and reads what it says: shared by the tests of hunting and resuming.
#![allow(dead_code)]

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longer than anything here takes: a guard against hanging, not a measure.
const PATIENCE: Duration = Duration::from_secs(240);

/// The program with these arguments (words of one text), run in `dir`.
pub fn morpion(dir: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
    command.current_dir(dir).args(arguments.split_whitespace());
    command.env("LC_ALL", "C").env_remove("MORPION_LANGUAGE");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs it to its end.
pub fn run(dir: &Path, arguments: &str) -> Output {
    morpion(dir, arguments).output().expect("the program can be run")
}

/// Runs it and expects success; its standard output.
pub fn succeed(dir: &Path, arguments: &str) -> String {
    let output = run(dir, arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "morpion {arguments}: {:?}\n{out}\n{err}", output.status);
    out
}

/// Runs it and expects exit status 2 with a message that holds `expected`; the message.
pub fn refuse(dir: &Path, arguments: &str, expected: &str) -> String {
    let output = run(dir, arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "morpion {arguments}: {message}");
    assert!(message.contains(expected), "morpion {arguments}: expected '{expected}' in: {message}");
    message
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn temporary() -> TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

/// The whole lines of a text of JSON lines.
pub fn lines(text: &str) -> Vec<Value> {
    let whole = text.rfind('\n').map_or("", |at| &text[..at]);
    whole.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

/// The events of a hunt's directory.
pub fn events(dir: &Path) -> Vec<Value> {
    lines(&std::fs::read_to_string(dir.join("events.jsonl")).expect("events.jsonl"))
}

/// Events without what depends on the clock.
pub fn timeless(events: &[Value]) -> Vec<Value> {
    let mut events = events.to_vec();
    for event in &mut events {
        let event = event.as_object_mut().expect("an event is an object");
        event.remove("time");
        event.remove("seconds");
    }
    events
}

/// Whether the event is of this kind.
pub fn is(event: &Value, kind: &str) -> bool {
    event["event"] == kind
}

/// Per unit: checksum, end, iterations, best; from the JSON lines of one or more sessions. A unit that ended twice
/// fails.
pub fn outcomes(out: &str) -> BTreeMap<u64, Value> {
    let mut units = BTreeMap::new();
    for mut event in lines(out).into_iter().filter(|event| is(event, "unit")) {
        let fields = event.as_object_mut().expect("an object");
        for field in ["time", "seconds", "thread"] {
            fields.remove(field);
        }
        let id = event["unit"].as_u64().expect("a number");
        assert!(units.insert(id, event).is_none(), "unit {id} was done twice");
    }
    units
}

/// What is in a directory: names and contents, the lock file aside.
pub fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(dir).expect("the directory can be read");
    let files = entries.map(|entry| entry.expect("an entry").path()).filter(|path| !path.ends_with("hunt.lock"));
    files.filter(|path| path.is_file()).map(|path| (path.clone(), std::fs::read(&path).expect("a file"))).collect()
}

/// Waits until `ready` holds.
pub fn wait_until(what: &str, mut ready: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !ready() {
        assert!(Instant::now() < end, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits for the end of a process; one that does not end is killed and fails the test.
pub fn wait(child: Child) -> Output {
    let id = child.id();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    match receiver.recv_timeout(PATIENCE) {
        Ok(output) => output.expect("its output can be read"),
        Err(_) => {
            let _ = Command::new("kill").arg("-KILL").arg(id.to_string()).status();
            panic!("waited in vain until the process ends");
        }
    }
}

/// Sends a signal to a process.
pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status();
    assert!(sent.expect("kill can be run").success());
}
