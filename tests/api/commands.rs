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
    // The daemon chooses the strategy, so its reason is shown.
    let chosen = "morpion: strategy nrpa, as the daemon chose\n";
    let quiet = run(&["job", "submit", "--quiet", "--idempotency-key", "k"]);
    assert!(submitted.stderr.is_empty() && !text(&quiet.stderr).contains("strategy"), "{}", text(&quiet.stderr));
    assert_eq!(text(&run(&["job", "submit", "--idempotency-key", "k"]).stderr), chosen);
    assert_eq!(text(&run(&["job", "submit", "--idempotency-key", "k"]).stdout), "2\n");
    assert_eq!(text(&run(&["job", "submit", "--idempotency-key", "k"]).stdout), "2\n");
    let shown: serde_json::Value = serde_json::from_slice(&run(&["job", "show", "1", "--json"]).stdout).unwrap();
    assert_eq!((&shown["name"], &shown["settings"]["level"]), (&"mine".into(), &2.into()));
    let list: serde_json::Value = serde_json::from_slice(&run(&["job", "list", "--json"]).stdout).unwrap();
    assert_eq!((list["items"].as_array().unwrap().len(), &list["v"]), (2, &1.into()));
    assert_eq!(run(&["job", "priority", "1", "-7"]).status.code(), Some(0));
    let limits = |arguments: &str| {
        let told = run(&format!("job limits 1 {arguments}").split_whitespace().collect::<Vec<_>>());
        (told.status.code(), text(&told.stderr).trim_end().to_owned())
    };
    let none = "limits of job 1: time none, iterations none, workers none, memory none, disk none";
    assert_eq!(limits(""), (Some(0), none.to_owned()));
    let changed = limits("--disk 8G --workers 3 --time 90s");
    let told = "limits of job 1: time 90 s, iterations none, workers 3, memory none, disk 8589934592 bytes";
    assert_eq!(changed, (Some(0), told.to_owned()));
    let told = "limits of job 1: time none, iterations 5000, workers 3, memory none, disk 8589934592 bytes";
    assert_eq!(limits("--time none --all-iterations 5k"), (Some(0), told.to_owned()));
    assert_eq!(limits("--disk none --workers none --all-iterations none"), (Some(0), none.to_owned()));
    for (wrong, expected) in [("--disk 8X", "or none"), ("--workers 99999999999", "workers")] {
        let (code, told) = limits(wrong);
        assert!(code == Some(2) && told.contains(expected), "{wrong}: {told}");
    }
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
fn a_solver_job_goes_its_way() {
    let daemon = Daemon::begin();
    let url = format!("http://{}", daemon.address);
    let run = |arguments: &[&str]| morpion(&url, arguments);
    let sent = |id: &str| {
        let shown = run(&["job", "show", id, "--json"]);
        let job: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
        (job["kind"].clone(), job["settings"].clone(), job["limits"].clone(), job["priority"].clone())
    };
    let submit = "job submit solve reversi --size 4x6 --threshold -3 --memory 2M --quorum 2 --user ada --threads 3 \
                  --all-memory 1G --time 90 --priority -5 --name small --idempotency-key k";
    let submit: Vec<&str> = submit.split_whitespace().collect();
    assert_eq!(text(&run(&submit).stdout), "1\n");
    assert_eq!(text(&run(&submit).stdout), "1\n");
    let settings = serde_json::json!({
        "game": "reversi", "size": "4x6", "threshold": -3, "memory": "2M", "quorum": 2, "user": "ada",
    });
    let limits =
        serde_json::json!({ "seconds": 90.0, "iterations": null, "workers": 3, "threads": 3, "memory": 1 << 30 });
    assert_eq!(sent("1"), ("solve".into(), settings, limits, (-5).into()));

    let directory = tempfile::tempdir().unwrap();
    let sgf = directory.path().join("a.sgf");
    std::fs::write(&sgf, "(;SZ[3];B[bb])").unwrap();
    let go = run(&["job", "submit", "solve", "go", "--ko", "superko", "--position", sgf.to_str().unwrap()]);
    assert_eq!(text(&go.stdout), "2\n", "{}", text(&go.stderr));
    let settings = serde_json::json!({ "game": "go", "ko": "superko", "position": "(;SZ[3];B[bb])" });
    assert_eq!(sent("2").1, settings);
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/jobs/solve-reversi.toml");
    let submitted = run(&["job", "submit", config, "--priority", "9"]);
    assert_eq!(text(&submitted.stdout), "3\n", "{}", text(&submitted.stderr));
    let (kind, settings, limits, priority) = sent("3");
    assert_eq!((kind, &settings["size"], &settings["game"]), ("solve".into(), &6.into(), &"reversi".into()));
    assert_eq!((&limits["workers"], priority), (&2.into(), 9.into()));

    let shown = run(&["job", "show", "1"]);
    let shown = text(&shown.stdout);
    for line in [
        "position    reversi 4x4, standard start: -----OX--XO----- X",
        "value       -10..-6 for black, not settled",
        "moves       b1 -10..-6, a2 -16..-10, c4 -8",
        "tree        17 nodes on top; units: 9 made, 4 answered, 1 split, 2 not needed, 2 open",
        "took        1 234 nodes, 0.5 CPU seconds of ada",
    ] {
        assert!(shown.lines().any(|l| l == line), "{line}\n{shown}");
    }
    assert!(text(&run(&["job", "list"]).stdout).contains("-10..-6"));
    for (wrong, expected) in [
        ("solve", "go"),
        ("solve chess", "chess"),
        ("solve reversi --size 3", "width and height are 4 to 8"),
        ("solve reversi --position XO", "position"),
        ("solve go --position missing.sgf", "neither a file nor a position"),
        ("solve reversi --units", "--units"),
        ("solve reversi --state x", "--state"),
        ("solve reversi --value exact --threshold 3", "cannot be used with"),
    ] {
        let arguments: Vec<&str> = ["job", "submit"].into_iter().chain(wrong.split_whitespace()).collect();
        let refused = run(&arguments);
        assert_eq!(refused.status.code(), Some(2), "{wrong}");
        assert!(text(&refused.stderr).contains(expected), "{wrong}: {}", text(&refused.stderr));
    }
}

#[test]
fn nobody_there_is_said_clearly() {
    // The port of a client: nobody listens there, and nobody else can take it.
    let somewhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let client = std::net::TcpStream::connect(somewhere.local_addr().unwrap()).unwrap();
    let alone = morpion(&format!("http://{}", client.local_addr().unwrap()), &["job", "list"]);
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

#[test]
fn tokens_that_are_changed_at_once_are_all_changed() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().join("state");
    let run = |verb: &str, name: &str| {
        let output = morpion("", &["token", verb, name, "--state", state.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{verb} {name}: {}", text(&output.stderr));
    };
    let names = |tag: &str| (0..12).map(|n| format!("{tag} {n}")).collect::<Vec<_>>();
    let (old, new) = (names("old"), names("new"));
    let at_once = |orders: &[(&str, &String)]| {
        std::thread::scope(|scope| {
            for &(verb, name) in orders {
                scope.spawn(move || run(verb, name));
            }
        });
    };
    at_once(&old.iter().map(|name| ("create", name)).collect::<Vec<_>>());
    let removed = old.iter().map(|name| ("remove", name));
    at_once(&removed.chain(new.iter().map(|name| ("create", name))).collect::<Vec<_>>());
    let stored: serde_json::Value =
        serde_json::from_slice(&std::fs::read(state.join("tokens.json")).unwrap()).unwrap();
    let mut left: Vec<&str> =
        stored["tokens"].as_array().unwrap().iter().map(|token| token["name"].as_str().unwrap()).collect();
    let mut expected: Vec<&str> = new.iter().map(String::as_str).collect();
    left.sort_unstable();
    expected.sort_unstable();
    assert_eq!(left, expected);
}

#[test]
fn grids_are_removed_by_their_keys() {
    let daemon = Daemon::begin();
    let url = format!("http://{}", daemon.address);
    let listed = || {
        let list = crate::http::get(daemon.address, "/api/v1/grids?limit=1000").json();
        list["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|grid| grid["key"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let record = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/grids/5T-178-rosin.txt")).unwrap();
    let sent =
        crate::http::request(daemon.address, "POST", "/api/v1/grids", &[("content-type", "text/plain")], &record);
    assert_eq!(sent.status, 201);
    let before = listed();
    assert_eq!(before.len(), 2);
    // One that cannot be a key: nothing is removed.
    let refused = morpion(&url, &["grid", "remove", &before[0], "12"]);
    assert_eq!((refused.status.code(), listed().len()), (Some(2), before.len()));
    assert!(text(&refused.stderr).contains("'12' is not the key of a grid"), "{}", text(&refused.stderr));
    let removed = morpion(&url, &["grid", "remove", &before[0].to_uppercase(), &before[1]]);
    assert_eq!(removed.status.code(), Some(0), "{}", text(&removed.stderr));
    assert_eq!(listed(), before[2..]);
    let gone = morpion(&url, &["grid", "remove", &before[0]]);
    assert_eq!(text(&gone.stderr), format!("morpion: there is no grid {}\n", before[0]));
}
