//! Flags and configuration files as requests, and mistakes in them.

use super::*;
use clap::Parser;

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    submit: Submit,
}

fn request_of(flags: &[&str]) -> JobRequest {
    let line = Line::parse_from([&["submit"], flags].concat());
    request(&line.submit).unwrap()
}

#[test]
fn only_what_was_given_is_sent() {
    let sent = request_of(&["--strategy", "nrpa", "--level", "3", "--alpha", "1.5", "--keep-from", "none"]);
    let expected = serde_json::json!({"strategy": "nrpa", "level": 3, "alpha": "1.5", "keep_from": "none"});
    assert_eq!(Json::from(sent.settings), expected);
    assert_eq!((sent.kind.as_str(), sent.limits, sent.priority, sent.weight), ("hunt", JobLimits::default(), 0, 1));
    let sent = request_of(&[
        "--time",
        "2h",
        "--threads",
        "5",
        "--memory",
        "2G",
        "--all-iterations",
        "3M",
        "--priority",
        "-5",
        "--seed",
        "18446744073709551615",
        "--directory",
        "x",
        "--stall-table",
        "80:10,90:20",
        "--order-free",
        "off",
    ]);
    let limits = JobLimits {
        seconds: Some(7200.0),
        iterations: Some(3_000_000),
        workers: Some(4),
        memory: Some(2 << 30),
        disk: None,
    };
    assert_eq!((sent.limits, sent.priority), (limits, -5));
    let expected =
        serde_json::json!({"seed": u64::MAX.to_string(), "stall_table": "80:10,90:20", "order_free": "off"});
    assert_eq!(Json::from(sent.settings), expected);
}

#[test]
fn grids_are_sent_as_text() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/grids/5T-178-rosin.txt");
    let sent = request_of(&["--init-file", file, "60"]);
    let start = sent.start.unwrap();
    let loaded = crate::notation::format::read(start.grid.as_bytes(), None).unwrap();
    assert_eq!((loaded.grid.score(), start.moves), (60, None));
    assert_eq!(sent.settings["variant"], "5T");
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/grids");
    let sent = request_of(&["--strategy", "perturb", "--variant", "5D", "--init-dir", directory]);
    assert!(!sent.grids.is_empty() && sent.grids.iter().all(|grid| grid.starts_with("MS1:")));
}

#[test]
fn both_forms_of_configuration_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let read = |text: &str| {
        let path = directory.path().join("a.toml");
        std::fs::write(&path, text).unwrap();
        arguments(&path).and_then(|(settings, arguments)| {
            let mut line = Line::try_parse_from(std::iter::once("submit".into()).chain(arguments))?;
            line.submit.after(settings);
            request(&line.submit)
        })
    };
    let job = read(
        "kind = \"hunt\"\nname = \"a\"\npriority = -5\n[limits]\nthreads = 2\nseconds = 90\n\
         [settings]\nmain_depth = 3\nstall_table = [[80, 10_000_000]]\nlevel = 4\n",
    )
    .unwrap();
    assert_eq!((job.name.as_deref(), job.priority), (Some("a"), -5));
    assert_eq!((job.limits.workers, job.limits.seconds), (Some(2), Some(90.0)));
    let expected = serde_json::json!({"main_depth": 3, "stall_table": "80:10000000"});
    assert_eq!(Json::from(job.settings), expected);
    let hunt = read("strategy = 'nrpa'\nlevel = 3\nthreads = 3\n").unwrap();
    assert_eq!((hunt.limits.workers, &hunt.settings["level"]), (Some(2), &Json::from(3)));
    for bad in
        ["a = 1", "settings = 1", "[limits]\nx = 1", "[limits]\nthreads = \"x\"", "level = 3\n[settings]\nlevel = 3"]
    {
        assert!(read(bad).is_err(), "{bad}");
    }
}

#[test]
fn mistakes_in_a_job_file_name_their_own_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.toml");
    let error = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let read = arguments(&path).and_then(|(settings, arguments)| {
            let mut line = Line::try_parse_from(std::iter::once("submit".into()).chain(arguments))?;
            line.submit.after(settings);
            match &line.submit.other {
                None => request(&line.submit),
                Some(OtherKind::Solve(solve)) => match &solve.game {
                    SubmitGame::Go(of) => of.request(),
                    SubmitGame::Gomoku(of) => of.request(),
                    SubmitGame::Reversi(of) => of.request(),
                },
                Some(OtherKind::Prove(proof)) => proof.request(),
                Some(OtherKind::Match(of_match)) => of_match.request(),
                Some(OtherKind::Selfplay(selfplay)) => selfplay.request(),
                Some(OtherKind::Analyse(analyse)) => analyse.request(),
                Some(OtherKind::Tune(tune)) => tune.request(),
                Some(OtherKind::Tactics(tactics)) => tactics.request(),
                Some(OtherKind::Mine(mine)) => mine.request(),
                Some(OtherKind::Plan(plan)) => plan.request(),
                Some(OtherKind::Check(check)) => check.request(),
            }
        });
        read.unwrap_err().to_string().replace(&format!("{}, ", path.display()), "")
    };
    for (text, expected) in [
        ("# a hunt\n\n[limits]\nseconds = 'soon'", "line 4: seconds = soon: expected a time above 0"),
        ("[settings]\nsort = 'no'\n[limits]\nmemory = 'much'", "line 4: memory: invalid value 'much'"),
        ("[limits]\niterations = 'x'", "line 2: iterations: invalid value 'x'"),
        ("\n[limits]\nthreads = 0", "line 3: threads = 0: 0 is not in 1..=4095"),
        ("[limits]\n\nspeed = 3", "line 3: limits: unknown key 'speed': expected one of disk, iterations, memory"),
        ("kind = 'hunt'\nlimits = 3", "line 2: limits: expected a table"),
        ("seconds = 3", "line 1: unknown key 'seconds'"),
        ("level = 3\n[settings]\nlevel = 3", "line 1: level is given more than once"),
        ("kind = 'solve'\n[settings]\ngame = 'chess'", "line 3: game: there is no \"chess\""),
        ("kind = 'solve'\n[settings]\ngame = 'go'\nsize = 20", "line 4: size = 20: there is no 20x20 board"),
        ("kind = 'solve'\n[settings]\ngame = 'go'\nspeed = 2", "line 4: unknown key 'speed'"),
        ("kind = 'solve'\n[settings]\ngame = 'gomoku'\nsize = 21", "line 4: size = 21: there is no 21x21 board"),
        (
            "kind = 'solve'\n[settings]\ngame = 'gomoku'\nrule = 'renju'\nwin = 4",
            "line 5: win: renju is played for five in a row",
        ),
        ("kind = 'solve'\npriority = 500\n[settings]\ngame = 'go'", "line 2: priority: invalid value '500'"),
        ("kind = 'solve'\n[limits]\nseconds = 'x'\n[settings]\ngame = 'go'", "line 3: seconds: invalid value 'x'"),
        ("kind = 'solve'\n[limits]\nworkers = 0\n[settings]\ngame = 'go'", "line 3: workers: invalid value '0'"),
        ("kind = 'prove'\n[settings]\nbox = '1,1,1'\nmoves = 9", "line 3: box = 1,1,1: expected four numbers"),
        ("kind = 'prove'\n[settings]\nmoves = 9\nhull = '/no/grid'", "/no/grid: there is no such file"),
        ("kind = 'prove'\n[settings]\nmoves = 9\nspeed = 2", "line 4: unknown key 'speed'"),
        ("kind = 'match'\n[settings]\na = 'morpion'", "player b is missing"),
        ("kind = 'match'\n[settings]\na = 'morpion'\nb = './x'", "line 4: b: './x' is not a player of this program"),
        (
            "kind = 'match'\n[settings]\na = 'morpion'\nb = 'morpion'\ngame = 'chess'",
            "line 5: game = chess: expected one of gomoku",
        ),
        ("kind = 'match'\n[limits]\nseconds = 'x'", "line 3: seconds: invalid value 'x'"),
        ("kind = 'selfplay'\n[settings]\nsize = 4", "no row of 5 fits on the 4x4 board"),
        ("kind = 'analyse'\n[settings]\ngame = 'chess'", "line 3: game = chess: expected one of gomoku"),
        ("kind = 'analyse'\n[settings]\npositions = ['h8', 'z9']", "line 3: positions: cannot use line 2: `z9`"),
        ("kind = 'tune'\n[settings]\nsteps = 3", "games_of is missing"),
        ("kind = 'tune'\n[settings]\ngames_of = 'x'", "line 3: games_of = x: expected numbers of jobs"),
        ("kind = 'tactics'\n[settings]\nnodes = 3", "questions are missing"),
        ("kind = 'tactics'\n[settings]\nquestions = ['x']", "line 3: questions: there is no such file"),
        ("kind = 'mine'\n[settings]\ngames = 20000", "line 3: games = 20000: a job can have 10000 games"),
        ("kind = 'plan'\n[settings]\nnodes = 3", "line 3: nodes = 3: it must be at least 200000"),
        ("kind = 'plan'\n[settings]\nplan = 'no.plan'", "line 3: plan: there is no such file as 'no.plan'"),
        ("kind = 'check'\n[settings]\nmoves = 3", "plan is missing"),
        ("kind = 'check'\n[settings]\nplan = 'no.plan'", "line 3: plan: there is no such file as 'no.plan'"),
        ("kind = 'match'\n[settings]\nlevel = 3", "line 3: unknown key 'level'"),
    ] {
        let error = error(text);
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn every_size_of_memory_is_read_alike() {
    let solve = |flag: &str, size: &str| {
        let line = Line::try_parse_from(["submit", "solve", "reversi", "--size", "4", flag, size]).ok()?;
        let Some(OtherKind::Solve(solve)) = line.submit.other else { return None };
        let SubmitGame::Reversi(of) = solve.game else { return None };
        of.all_memory.or(SolveSettings::<ReversiSetup>::of(&of.asked.given).unwrap().options.memory)
    };
    let hunt = |size: &str| Line::try_parse_from(["submit", "--memory", size]).ok()?.submit.job.memory;
    for size in ["2GiB", "2G", "2 gb", "2097152k"] {
        let read = (hunt(size), solve("--memory", size), solve("--all-memory", size));
        assert_eq!(read, (Some(2 << 30), Some(2 << 30), Some(2 << 30)), "{size}");
    }
    for size in ["0", "x", "2Gigs", "99999999999G"] {
        assert_eq!((hunt(size), solve("--memory", size), solve("--all-memory", size)), (None, None, None), "{size}");
    }
}
