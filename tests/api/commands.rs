//! `morpion job` and `morpion token`, the real program against a service in memory.

use crate::daemon::Daemon;
use std::process::Output;

fn morpion(url: &str, arguments: &[&str]) -> Output {
    let mut command = assert_cmd::Command::cargo_bin("morpion").unwrap();
    command.env_remove("MORPION_TOKEN").env("MORPION_URL", url).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn a_job_goes_its_way() {
    let daemon = Daemon::begin();
    let url = format!("http://{}", daemon.address);
    let run = |arguments: &[&str]| morpion(&url, arguments);
    let submitted = run(&["job", "submit", "--strategy", "nrpa", "--level", "2", "--name", "mine"]);
    assert_eq!((text(&submitted.stdout), submitted.status.code()), ("1\n", Some(0)));
    assert_eq!(text(&run(&["job", "submit", "--idempotency-key", "k"]).stdout), "2\n");
    assert_eq!(text(&run(&["job", "submit", "--idempotency-key", "k"]).stdout), "2\n");
    let shown: serde_json::Value = serde_json::from_slice(&run(&["job", "show", "1", "--json"]).stdout).unwrap();
    assert_eq!((&shown["name"], &shown["settings"]["level"]), (&"mine".into(), &2.into()));
    let list: serde_json::Value = serde_json::from_slice(&run(&["job", "list", "--json"]).stdout).unwrap();
    assert_eq!((list["items"].as_array().unwrap().len(), &list["v"]), (2, &1.into()));
    assert_eq!(run(&["job", "priority", "1", "-7"]).status.code(), Some(0));
    assert_eq!(run(&["job", "pause", "1"]).status.code(), Some(0));
    assert_eq!(run(&["job", "resume", "1"]).status.code(), Some(0));
    assert_eq!(run(&["job", "drain", "1"]).status.code(), Some(0));
    assert_eq!(run(&["job", "wait", "1"]).status.code(), Some(0));
    let followed = run(&["job", "follow", "1"]);
    assert_eq!(followed.status.code(), Some(0));
    assert!(text(&followed.stdout).contains("submitted: mine") && text(&followed.stdout).contains("finished"));
    assert_eq!(run(&["job", "cancel", "2"]).status.code(), Some(0));
    assert_eq!(run(&["job", "wait", "2"]).status.code(), Some(1));

    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let export = || run(&["job", "export", "1", "-o", out.to_str().unwrap()]);
    assert_eq!(export().status.code(), Some(0));
    for file in ["job.json", "statistics.json", "best.txt", "best.msr", "best.png"] {
        assert!(out.join(file).is_file(), "{file}");
    }
    let again = export();
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("exists"));
    assert_eq!(run(&["job", "remove", "1"]).status.code(), Some(0));
    let gone = run(&["job", "show", "1"]);
    assert_eq!((gone.status.code(), text(&gone.stderr)), (Some(2), "morpion: there is no job 1\n"));
}

#[test]
fn nobody_there_is_said_clearly() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let alone = morpion(&format!("http://{free}"), &["job", "list"]);
    assert_eq!(alone.status.code(), Some(2));
    assert!(text(&alone.stderr).contains("no daemon answers"), "{}", text(&alone.stderr));
    assert_eq!(morpion("ftp://x", &["job", "list"]).status.code(), Some(2));
}

#[test]
fn tokens_are_made_shown_once_and_taken_back() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().join("state");
    let run =
        |arguments: &[&str]| morpion("", &[&["token"], arguments, &["--state", state.to_str().unwrap()]].concat());
    let made = run(&["create", "laptop", "--role", "operate"]);
    let secret = text(&made.stdout).trim();
    assert!(secret.starts_with("morpion_") && secret.len() == 72, "{secret}");
    let stored = std::fs::read_to_string(state.join("tokens.json")).unwrap();
    assert!(stored.contains("laptop") && !stored.contains(&secret[8..]));
    assert!(text(&run(&["list"]).stdout).contains("operate"));
    assert_eq!(run(&["remove", "laptop"]).status.code(), Some(0));
    assert_eq!(run(&["remove", "laptop"]).status.code(), Some(2));
}
