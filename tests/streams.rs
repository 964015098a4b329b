//! Every command with output that cannot be written: full (`/dev/full`) or with a reader that has gone. No command
//! panics. The daemon and hunts save all the same. MORPION_TEST_STREAMS=1 tries more pairs of streams.
#![cfg(target_os = "linux")]

mod daemons;

use daemons::program::Program;
use daemons::{PATIENCE, number, wait_until};
use std::collections::HashMap;
use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Instant;

/// What a stream is connected with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    /// A file.
    Sound,
    /// A device without room.
    Full,
    /// A pipe whose reader has gone.
    Gone,
}

impl Stream {
    fn open(self, file: &Path) -> Stdio {
        match self {
            Stream::Sound => File::create(file).expect("a file").into(),
            Stream::Full => File::options().write(true).open("/dev/full").expect("/dev/full").into(),
            Stream::Gone => {
                let (reader, writer) = std::io::pipe().expect("a pipe");
                drop(reader);
                writer.into()
            }
        }
    }
}

/// What a run of the program left.
struct Ended {
    status: ExitStatus,
    out: String,
    err: String,
}

/// A place for files, and a daemon for the commands that need one.
struct Stage {
    directory: tempfile::TempDir,
    daemon: Program,
    /// Makes names that are used once.
    count: AtomicU32,
    /// Jobs that are over, by the word that stands for them. No command changes them.
    jobs_over: Mutex<HashMap<&'static str, String>>,
}

const HUNT: [&str; 9] = ["--strategy", "random", "--runs", "3", "--max-iterations", "50", "--seed", "1", "--threads"];

impl Stage {
    fn new() -> Stage {
        let directory = tempfile::tempdir().unwrap();
        let daemon = Program::start(&directory.path().join("state"));
        let stage = Stage { directory, daemon, count: AtomicU32::new(0), jobs_over: Mutex::default() };
        std::fs::write(
            stage.path("experiment.toml"),
            "experiment = 'strategies'\nvariant = '4T'\niterations = 300\nseeds = 2\nfirst_seed = 7\n\
             targets = [20]\n[[search]]\nname = 'random'\nstrategy = 'random'\n",
        )
        .unwrap();
        for folder in ["units", "made", "results", "failed", "cancel", "done"] {
            std::fs::create_dir_all(stage.path("spool").join(folder)).unwrap();
        }
        std::fs::write(stage.path("board.txt"), ".X./XO./...").unwrap();
        std::fs::write(stage.path("suite.tsv"), "1\tattack\tB2\t[1]\t3\tB3 A2 C2\tB2\n").unwrap();
        std::fs::write(stage.path("corner.txt"), ["........."; 9].join("/")).unwrap();
        std::fs::write(stage.path("joseki.sgf"), "(;SZ[9];B[gc])").unwrap();
        std::fs::write(stage.path("renju.sgf"), "(;GM[4];B[hh](;W[ih])(;W[ig]))").unwrap();
        std::fs::write(stage.path("patterns.sgf"), "(;(;GL[2]PS[3 2]AB[aa][ca][ab][cb]))").unwrap();
        let hunted = stage.sound(&["--dir", &stage.name("hunt"), "--quiet", "--json", "--time", "0.1"]);
        assert!(hunted.status.success(), "{}", hunted.err);
        let games = ["selfplay", "gomoku", &stage.name("games"), "--size", "7", "--games", "40", "--nodes", "50"];
        let played = stage.sound(&games);
        assert!(played.status.success(), "{}", played.err);
        let games = ["selfplay", "reversi", &stage.name("reversi"), "--games", "40", "--depth", "1"];
        let played = stage.sound(&games);
        assert!(played.status.success(), "{}", played.err);
        // Tokens come and go while commands are tried; with this one the list is never empty.
        let made = stage.sound(&["token", "create", "first", "--state", &stage.name("tokens")]);
        assert!(made.status.success(), "{}", made.err);
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).to_str().expect("UTF-8").to_owned()
    }

    /// The number of a job that is over, for a word of [`JOBS_OVER`]. It is made once.
    fn over(&self, (word, submit): (&'static str, &str)) -> String {
        if let Some(id) = self.jobs_over.lock().expect("no thread has panicked").get(word) {
            return id.clone();
        }
        let arguments = self.filled(submit);
        let arguments: Vec<&str> =
            ["job", "submit"].into_iter().chain(arguments.iter().map(String::as_str)).collect();
        let id = self.sound(&arguments).out.trim().to_owned();
        self.daemon.wait_over(id.parse().expect("a number"));
        self.jobs_over.lock().expect("no thread has panicked").insert(word, id.clone());
        id
    }

    fn fresh(&self, name: &str) -> String {
        self.name(&format!("{}-{name}", self.count.fetch_add(1, Ordering::Relaxed)))
    }

    /// Runs the program with these streams.
    fn run(&self, arguments: &[&str], out: Stream, err: Stream) -> Ended {
        let files = [self.fresh("out"), self.fresh("err")].map(PathBuf::from);
        let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
        command.env_remove("MORPION_TOKEN").env("MORPION_URL", &self.daemon.url).current_dir(self.directory.path());
        let spawned = command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(out.open(&files[0]))
            .stderr(err.open(&files[1]))
            .spawn();
        let mut process = spawned.expect("it can be started");
        let end = Instant::now() + PATIENCE / 4;
        let status = loop {
            if let Some(status) = process.try_wait().expect("it can be waited for") {
                break status;
            }
            if Instant::now() > end {
                let _ = process.kill();
                panic!("{arguments:?} with stdout {out:?} and stderr {err:?} does not end");
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        };
        let [out, err] = files.map(|file| std::fs::read_to_string(file).unwrap_or_default());
        Ended { status, out, err }
    }

    fn sound(&self, arguments: &[&str]) -> Ended {
        self.run(arguments, Stream::Sound, Stream::Sound)
    }

    /// The arguments with what stands for files, jobs and tokens put in, made anew.
    fn filled(&self, arguments: &str) -> Vec<String> {
        let record = concat!(env!("CARGO_MANIFEST_DIR"), "/grids/5T-178-rosin.txt");
        let submitted = |more: &[&str]| {
            let done = self.sound(&[&["job", "submit"], &HUNT[..], &["2"], more].concat());
            assert!(done.status.success(), "{}", done.err);
            done.out.trim().to_owned()
        };
        let word = |word: &str| match word {
            "GRID" => record.to_owned(),
            "HUNT" => self.name("hunt"),
            "COPY" => {
                let copy = self.fresh("copy");
                let copied = Command::new("cp").arg("-r").args([&self.name("hunt"), &copy]).status();
                assert!(copied.is_ok_and(|status| status.success()));
                copy
            }
            "JOB" => submitted(&[]),
            "LONG" => submitted(&["--runs", "1000000000"]),
            "DONE" => {
                let id = submitted(&[]);
                self.daemon.wait_over(id.parse().expect("a number"));
                id
            }
            "TOKEN" => {
                let name = format!("t{}", self.count.fetch_add(1, Ordering::Relaxed));
                let made = self.sound(&["token", "create", &name, "--state", &self.name("tokens")]);
                assert!(made.status.success(), "{}", made.err);
                name
            }
            "GAMES" => self.name("games"),
            "REVERSI" => self.name("reversi"),
            "FRESH" => self.fresh("fresh"),
            "FRESH.svg" => self.fresh("fresh.svg"),
            "FRESH.msr" => self.fresh("fresh.msr"),
            "CERTIFICATE" => concat!(env!("CARGO_MANIFEST_DIR"), "/results/proofs/5D-85-hull-rosin.cert").to_owned(),
            "BOARD" => self.name("board.txt"),
            "CORNER" => self.name("corner.txt"),
            "JOSEKI" => self.name("joseki.sgf"),
            "RENJU" => self.name("renju.sgf"),
            "PATTERNS" => self.name("patterns.sgf"),
            "PLAN" => concat!(env!("CARGO_MANIFEST_DIR"), "/tests/plans/first.plan").to_owned(),
            "SUITE" => self.name("suite.tsv"),
            "TOKENS" => self.name("tokens"),
            "SPOOL" => self.name("spool"),
            "EXPERIMENT" => self.name("experiment.toml"),
            other => match JOBS_OVER.iter().find(|(word, _)| *word == other) {
                Some(job) => self.over(*job),
                None => other.to_owned(),
            },
        };
        arguments.split_whitespace().map(word).collect()
    }
}

/// Words of [`COMMANDS`] that stand for a job which is over, and what submits it.
const JOBS_OVER: &[(&str, &str)] = &[
    ("ANALYSIS", "analyse gomoku --size 7 --nodes 50"),
    ("ANSWERED", "tactics SUITE"),
    ("MATCH", "match morpion morpion:1 --size 9 --pairs 1 --nodes 100"),
    ("MINED", "mine --games 1 --size 5 --playouts 5 --nodes 200"),
    ("PLANNED", "plan --size 6x5 --win 4 --rule free"),
    ("PLAYED", "selfplay gomoku --games 40 --nodes 50 --size 7"),
    ("TUNED", "tune gomoku --games-of PLAYED --steps 2"),
];

/// Every command that can be run, by its path, with arguments. `FRESH` and so on are filled in before each run.
const COMMANDS: &[(&str, &str)] = &[
    ("", "--strategy random --runs 3 --max-iterations 50 --seed 1 --threads 2 --dir FRESH"),
    ("analyse go", "--size 3 --nodes 100"),
    ("analyse gomoku", "--size 9 --depth 1"),
    ("analyse reversi", "--size 4"),
    ("archive", "HUNT"),
    ("backup", "--keep 3"),
    ("bench", "--seconds 0.01 --threads 1 --variant 4D --strategy random"),
    ("board", "--output FRESH"),
    ("boinc assimilate", "--spool SPOOL --error 1 morpion-0123456789abcdef-0123456789abcdef 1 0"),
    ("boinc make-work", "--spool SPOOL --project SPOOL"),
    ("boinc project", "--output FRESH --spool SPOOL --program PATTERNS"),
    ("boinc run", "FRESH"),
    ("boinc validate", "--spool SPOOL GRID"),
    ("book grow", "FRESH --size 9 --positions 2 --nodes 100"),
    ("book show", ""),
    ("branching go", "--games 3 --size 3"),
    ("branching gomoku", "--games 3 --size 3 --win 3"),
    ("branching reversi", "--games 3 --size 4"),
    ("completions", "bash"),
    ("convert", "GRID FRESH.msr"),
    ("credit", "--csv"),
    ("daemon", "--state FRESH --listen 0.0.0.0:0"),
    ("free-start", "--variant 5D --threads 1 --max-steps 30000"),
    ("enumerate", "--variant 4D --depth 3 --threads 1"),
    ("experiment", "EXPERIMENT --output FRESH"),
    ("grid remove", "0123456789abcdef"),
    ("gtp", ""),
    ("hunt", "--strategy random --runs 3 --max-iterations 50 --seed 1 --threads 2 --json --dir FRESH"),
    ("identify", "GRID"),
    ("job analyses", "ANALYSIS"),
    ("job answers", "ANSWERED"),
    ("job begin", "LONG"),
    ("job cancel", "LONG"),
    ("job clone", "JOB --time 0.1s"),
    ("job drain", "LONG"),
    ("job export", "DONE -o FRESH"),
    ("job follow", "JOB"),
    ("job games", "MATCH"),
    ("job list", ""),
    ("job limits", "LONG --time 1h"),
    ("job patterns", "MINED -o FRESH"),
    ("job pause", "LONG"),
    ("job plan", "PLANNED -o FRESH"),
    ("job priority", "LONG 3"),
    ("job remove", "DONE"),
    ("job resume", "LONG"),
    ("job retry", "JOB"),
    ("job show", "JOB"),
    ("job submit", "--strategy random --runs 1 --max-iterations 50"),
    ("job submit analyse", "gomoku --size 7 --nodes 50"),
    ("job submit check", "--plan PLAN"),
    ("job submit match", "morpion morpion:1 --size 9 --pairs 1 --nodes 100"),
    ("job submit prove", "--moves 36 --hull GRID"),
    ("job submit selfplay", "gomoku --games 1 --nodes 20 --size 7"),
    ("job submit mine", "--games 1 --size 5 --playouts 5 --nodes 200"),
    ("job submit plan", "--size 6x5 --win 4 --rule free"),
    ("job submit tactics", "SUITE"),
    ("job submit tune", "gomoku --games-of PLAYED --steps 2"),
    ("job submit solve go", "--size 2"),
    ("job submit solve gomoku", "--size 3 --win 3"),
    ("job submit solve reversi", "--size 4"),
    ("job wait", "JOB"),
    ("job weights", "TUNED -o FRESH"),
    ("library", "RENJU --lines"),
    ("man", "hunt"),
    ("match", "morpion morpion:1 --size 9 --pairs 1 --nodes 100"),
    ("nats-users", "box -o FRESH"),
    ("nboard", ""),
    ("pbrain", ""),
    ("perft go", "--size 3 --depth 2"),
    ("perft gomoku", "--size 3 --win 3 --depth 2"),
    ("perft reversi", "--size 4 --depth 2"),
    ("play go", "--size 3 --time 0.01s"),
    ("play gomoku", ""),
    ("play reversi", ""),
    ("plan check", "PLAN"),
    ("plan find", "FRESH --size 6x5 --win 4 --rule free"),
    ("plan hold", "--size 6 --win 5 --check"),
    ("plot", "HUNT -o FRESH.svg"),
    ("prove", "--check CERTIFICATE"),
    ("records export", "FRESH"),
    ("records list", ""),
    ("records timeline", "-o FRESH.svg"),
    ("render", "GRID -o FRESH.svg"),
    ("resume", "COPY --time 0.3"),
    ("selfplay gomoku", "FRESH --size 7 --games 2 --nodes 50"),
    ("selfplay reversi", "FRESH --games 2 --depth 1"),
    ("show", "GRID"),
    ("solve go", "--size 2 --memory 1M"),
    ("solve gomoku", "--size 3 --win 3 --memory 1M"),
    ("solve reversi", "--size 4 --memory 1M --units --state FRESH"),
    ("speedup gomoku", "--size 7 --depths 2 --positions 1 --memory 1M"),
    ("speedup reversi", "--size 4 --depths 2 --positions 1 --plies 2 --memory 1M"),
    ("state", "HUNT --units"),
    ("stats", "HUNT"),
    ("tactics database add", "FRESH BOARD --goal capture --target b2"),
    ("tactics database check", "PATTERNS"),
    ("tactics database list", ""),
    ("tactics database merge", "PATTERNS -o FRESH"),
    ("tactics examples", ""),
    ("tactics joseki", "CORNER --dictionary JOSEKI"),
    ("tactics learn", "-o FRESH --positions 10 --nodes 200 --rounds 1"),
    ("tactics match", "BOARD --database PATTERNS"),
    ("tactics mine", "-o FRESH --games 1 --size 5 --playouts 5 --nodes 200"),
    ("tactics score", "BOARD"),
    ("tactics solve", "BOARD --goal capture --target b2"),
    ("tactics suite", "SUITE"),
    ("token create", "name --state FRESH"),
    ("token list", "--state TOKENS"),
    ("token remove", "TOKEN --state TOKENS"),
    ("top", ""),
    ("tune gomoku", "GAMES -o FRESH --steps 2"),
    ("tune gomoku-network", "GAMES -o FRESH --passes 1"),
    ("tune reversi", "REVERSI -o FRESH --steps 2"),
    // Too few games, which it says at once: enough of them take minutes.
    ("tune reversi-cuts", "REVERSI -o FRESH"),
    ("vcf", "--position h8a1h9a2h10o1"),
    ("verify", "GRID /dev/null"),
    ("worker", "--nats http://["),
];

/// The commands that can be run, with those below them.
fn leaves(command: &clap::Command, path: &str, found: &mut Vec<String>) {
    if !command.is_subcommand_required_set() {
        found.push(path.trim().to_owned());
    }
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        leaves(below, &format!("{path} {}", below.get_name()), found);
    }
}

#[test]
fn every_command_is_tried() {
    let mut found = Vec::new();
    leaves(&morpion::cli::command(), "", &mut found);
    let tried = |path: &&String| COMMANDS.iter().any(|(known, _)| known == *path);
    let missing: Vec<&String> = found.iter().filter(|path| !tried(path)).collect();
    assert!(missing.is_empty(), "COMMANDS has no arguments for {missing:?}");
    let gone: Vec<&str> =
        COMMANDS.iter().map(|(path, _)| *path).filter(|path| !found.iter().any(|f| f == path)).collect();
    assert!(gone.is_empty(), "COMMANDS has {gone:?}, which are no commands");
}

const NO_ROOM: &str = "standard output cannot be written: No space left on device";

#[test]
fn no_command_panics_when_output_cannot_be_written() {
    use Stream::{Full, Gone, Sound};
    let stage = &Stage::new();
    let every_pair = number("MORPION_TEST_STREAMS", 0) > 0;
    let pairs: &[(Stream, Stream)] = if every_pair {
        &[(Sound, Sound), (Full, Sound), (Gone, Sound), (Sound, Full), (Sound, Gone), (Full, Full), (Gone, Gone)]
    } else {
        &[(Sound, Sound), (Full, Sound), (Gone, Full)]
    };
    let next = &AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                while let Some((path, arguments)) = COMMANDS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    try_command(stage, path, arguments, pairs);
                }
            });
        }
    });
}

fn try_command(stage: &Stage, path: &str, arguments: &str, pairs: &[(Stream, Stream)]) {
    use Stream::{Full, Gone, Sound};
    let mut first: Option<(Option<i32>, bool)> = None;
    for &(out, err) in pairs {
        let words = [path.split_whitespace().map(str::to_owned).collect(), stage.filled(arguments)].concat();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ended = stage.run(&words, out, err);
        let what = format!("{words:?} with stdout {out:?}, stderr {err:?}: {}, {}", ended.status, ended.err);
        assert!(!ended.err.contains("panicked"), "{what}");
        let code = ended.status.code();
        let (usual, has_data) = *first.get_or_insert((code, !ended.out.is_empty()));
        assert!(matches!(usual, Some(0..=2)), "{what}");
        match out {
            Sound => assert_eq!((code, !ended.out.is_empty()), (usual, has_data), "{what}"),
            Full if has_data => assert_eq!(code, Some(2), "{what}"),
            Gone if has_data => assert!(code == usual || code == Some(0), "{what}"),
            Full | Gone => assert_eq!(code, usual, "{what}"),
        }
        // A reader that goes is not worth a word.
        if err == Sound {
            assert_eq!(ended.err.contains("standard output"), out == Full && has_data, "{what}");
            assert_eq!(ended.err.contains(NO_ROOM), out == Full && has_data, "{what}");
        }
        // So many jobs run at once and no more: those that do not end by themselves would keep the others waiting.
        for (word, id) in arguments.split_whitespace().zip(&words[path.split_whitespace().count()..]) {
            if word == "LONG" {
                let answer = stage.daemon.ask("POST", &format!("/jobs/{id}/cancel"), None, None);
                assert!(answer.is_some_and(|(status, _)| status < 300 || status == 409), "{what}");
            }
        }
    }
    let command: Vec<&str> = path.split_whitespace().collect();
    let help = stage.run(&[&command[..], &["--help"]].concat(), Full, Sound);
    assert!(help.status.code() == Some(2) && help.err.contains(NO_ROOM), "{path} --help: {}", help.err);
    let help = stage.run(&[&command[..], &["--help"]].concat(), Gone, Full);
    assert_eq!(help.status.code(), Some(0), "{path} --help");
    let refused = stage.run(&[&command[..], &["--no-such-flag"]].concat(), Sound, Gone);
    assert_eq!(refused.status.code(), Some(2), "{path} --no-such-flag");
}

fn signal(process: u32, name: &str) {
    let sent = Command::new("kill").arg(name).arg(process.to_string()).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

/// The last event of a hunt's log.
fn last_event(directory: &Path) -> serde_json::Value {
    let log = std::fs::read_to_string(directory.join("events.jsonl")).unwrap_or_default();
    // A line that is being written is none yet.
    let whole = log.rfind('\n').map_or("", |end| &log[..end]);
    whole.lines().last().map_or(serde_json::Value::Null, |line| serde_json::from_str(line).expect("JSON"))
}

#[test]
fn a_hunt_saves_when_its_output_cannot_be_written() {
    use Stream::{Full, Gone, Sound};
    // Where nobody hears of anything, Ctrl-C stops the hunt; without a place for its data it stops by itself.
    for (out, err, code) in [(Sound, Gone, 0), (Sound, Full, 0), (Gone, Sound, 0), (Full, Sound, 2), (Full, Full, 2)]
    {
        let directory = tempfile::tempdir().unwrap();
        let hunt = directory.path().join("hunt");
        let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
        command.args(["--strategy", "nrpa", "--level", "6", "--seed", "1", "--threads", "3", "--checkpoint", "10s"]);
        command.arg("--dir").arg(&hunt).stdin(Stdio::null());
        let file = |name| directory.path().join(name);
        let spawned = command.stdout(out.open(&file("out"))).stderr(err.open(&file("err"))).spawn();
        let mut process = spawned.expect("it can be started");
        if out == Sound {
            wait_until("it has found something", || last_event(&hunt)["event"] == "best");
            signal(process.id(), "-INT");
        }
        let status = process.wait().expect("it ends");
        let told = std::fs::read_to_string(file("err")).unwrap_or_default();
        assert_eq!(status.code(), Some(code), "stdout {out:?}, stderr {err:?}: {told}");
        assert_eq!(last_event(&hunt)["event"], "stop", "stdout {out:?}, stderr {err:?}: {told}");
        assert_eq!(last_event(&hunt)["reason"], "interrupted");
        if (out, err) == (Full, Sound) {
            assert!(told.contains(NO_ROOM) && told.contains("morpion resume"), "{told}");
        }
        let resumed = Command::new(env!("CARGO_BIN_EXE_morpion"))
            .args(["resume", "--quiet", "--json", "--time", "0.001"])
            .arg(&hunt)
            .output()
            .unwrap();
        let text = String::from_utf8(resumed.stderr).unwrap();
        assert!(resumed.status.success() || text.contains("give it more by --time"), "{text}");
    }
}

#[test]
fn the_daemon_runs_and_saves_without_messages() {
    for err in [Stream::Full, Stream::Gone] {
        let directory = tempfile::tempdir().unwrap();
        let state = directory.path().join("state");
        let asked = |url: &str, arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
            command.env_remove("MORPION_TOKEN").env("MORPION_URL", url).args(arguments).output().unwrap()
        };
        // Nobody hears which port it takes. One that was free a moment ago may be taken.
        let begun = (0..10).find_map(|_| {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
            command.args(["daemon", "--threads", "2", "--listen", &format!("127.0.0.1:{port}")]);
            command.arg("--state").arg(&state).stdin(Stdio::null()).stdout(err.open(&state));
            let mut process = command.stderr(err.open(&state)).spawn().expect("it can be started");
            let url = format!("http://127.0.0.1:{port}");
            let mut ended = false;
            wait_until("it answers, or has ended", || {
                ended = process.try_wait().unwrap().is_some();
                ended || asked(&url, &["job", "list"]).status.success()
            });
            (!ended).then_some((process, url))
        });
        let (mut process, url) = begun.unwrap_or_else(|| panic!("{err:?}: no daemon runs"));
        let morpion = |arguments: &[&str]| asked(&url, arguments);
        let submitted = morpion(&["job", "submit", "--strategy", "nrpa", "--level", "6", "--seed", "1"]);
        assert!(submitted.status.success(), "{err:?}: {}", String::from_utf8_lossy(&submitted.stderr));
        wait_until("the job has a score", || {
            let shown = morpion(&["job", "show", "1", "--json"]);
            let job: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap_or_default();
            job["best"].as_u64().is_some_and(|best| best > 0)
        });
        // The first asks it to end with the units, which it says; the second to end now.
        signal(process.id(), "-INT");
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert!(process.try_wait().unwrap().is_none(), "{err:?}: it has ended at the first Ctrl-C");
        signal(process.id(), "-TERM");
        assert_eq!(process.wait().unwrap().code(), Some(0), "{err:?}");
        let again = Program::start(&state);
        assert!(again.job(1)["best"].as_u64().is_some_and(|best| best > 0), "{err:?}");
    }
}
