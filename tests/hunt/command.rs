//! The command that hunts: its files, its flags, its determinism, its refusals.

use crate::hunts::*;
use morpion::morpion::variant::Variant;
use morpion::notation::file::load;
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const GRID: &str = "(28,28)\n(31,29) | -2\n(31,30) | 1\n(27,27) / 0\n(35,28) - -2\n(34,32) | -2\n";

/// A grid of 5D.
const DISJOINT: &str = "(28,28)\n(31,29) | -2\n(27,27) / 0\n";

#[test]
fn the_files_have_the_formats_of_the_thesis() {
    let dir = temporary();
    let hunt = dir.path().join("output");
    let child = morpion(dir.path(), "--threads 3 --main-depth 3 --sort coords --quiet --seed 7").spawn().unwrap();
    wait_until("it has a best and tells how far it is", || {
        let read = |name: &str| fs::read_to_string(hunt.join(name)).unwrap_or_default();
        read("events.jsonl").contains("\"best\"") && read("main_progress.txt").contains("\n1: ")
    });
    signal(&child, "TERM");
    assert!(wait(child).status.success());
    let events = events(&hunt);
    assert!(is(&events[0], "start") && is(events.last().unwrap(), "stop"));
    let bests: Vec<&Value> = events.iter().filter(|event| is(event, "best")).collect();
    assert!(!bests.is_empty());
    for best in &bests {
        assert_eq!(best["v"], 1);
        assert_eq!((&best["strategy"], &best["seed"]), (&"dfs".into(), &7.into()));
        let score = best["score"].as_u64().unwrap();
        let text = fs::read_to_string(hunt.join(format!("{score}.txt"))).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(lines[0], "(28,28)");
        assert_eq!(lines.len() as u64, score + 3);
        let (seconds, iterations) = (lines[lines.len() - 2], lines[lines.len() - 1]);
        assert_eq!(seconds.parse::<f64>().unwrap(), best["seconds"].as_f64().unwrap());
        assert_eq!(iterations.parse::<u64>().unwrap(), best["iterations"].as_u64().unwrap());
        let loaded = load(&hunt.join(format!("{score}.txt")), Some(Variant::T5)).unwrap();
        assert_eq!(loaded.grid.score() as u64, score);
    }
    let best = load(&hunt.join("best.msr"), None).unwrap().grid;
    let last = bests.last().unwrap();
    assert_eq!(best.score() as u64, last["score"].as_u64().unwrap());
    let provenance = best.provenance;
    assert_eq!(provenance.seed, Some(7));
    let method = provenance.method.as_deref().unwrap_or_default();
    assert!(method.ends_with(&format!("unit {}", last["unit"])), "{method}");
    assert_eq!(provenance.iterations, last["iterations"].as_u64());
    assert_eq!(provenance.seconds, last["seconds"].as_f64());
    assert!(provenance.method.unwrap().contains("dfs") && provenance.producer.unwrap().starts_with("morpion "));

    let progress = fs::read_to_string(hunt.join("main_progress.txt")).unwrap();
    assert!(progress.starts_with("0: 4/4\n1: "), "{progress}");
    for (level, line) in progress.lines().enumerate() {
        let (number, counts) = line.split_once(": ").unwrap();
        assert_eq!(number, level.to_string());
        let (left, total) = counts.split_once('/').unwrap();
        assert!(left.parse::<u32>().unwrap() <= total.parse::<u32>().unwrap(), "{line}");
    }
    let entries: Vec<_> = contents(&hunt).into_keys().collect();
    assert!(entries.iter().all(|path| path.extension().is_none_or(|e| e != "tmp")), "{entries:?}");
}

#[test]
fn running_threads_are_listed_while_they_run() {
    let dir = temporary();
    let child = morpion(dir.path(), "--threads 3 --quiet --dir hunt").spawn().unwrap();
    let file = dir.path().join("hunt/running_threads.txt");
    let mut listed = String::new();
    wait_until("both threads are listed", || {
        listed = fs::read_to_string(&file).unwrap_or_default();
        listed.contains("thread 1: ") && listed.contains("thread 2: ")
    });
    signal(&child, "TERM");
    wait(child);
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 3, "{listed}");
    assert!(lines[0].contains(" iterations, best ") && lines[2].starts_with("running for "), "{listed}");
}

/// Two runs at once, so that each disturbs the other's timing.
fn twice(dir: &Path, arguments: &str) -> [Vec<Value>; 2] {
    let start = |name: &str| morpion(dir, &format!("{arguments} --json --dir {name}")).spawn().unwrap();
    let (a, b) = (start("a"), start("b"));
    let outputs = [wait(a), wait(b)];
    for output in &outputs {
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    for name in ["a", "b"] {
        fs::remove_dir_all(dir.join(name)).unwrap();
    }
    outputs.map(|output| timeless(&lines(&text(&output.stdout))))
}

#[test]
fn one_worker_with_one_seed_does_the_same_whatever_the_load() {
    let dir = temporary();
    for arguments in [
        "--threads 2 --seed 3 --main-depth 2 --max-iterations 20k",
        "--threads 2 --seed 3 --target 84 --main-depth 2",
        "--threads 2 --seed 3 --strategy random --max-iterations 3k --runs 2 --variant 5D",
        "--threads 2 --seed 3 --strategy nmcs --level 1 --runs 3 --variant 4D",
        "--threads 2 --seed 3 --strategy nrpa --level 1 --runs 3 --variant 4T",
        "--threads 2 --seed 3 --strategy nrpa --level 2 --runs 2 --variant 5D --adapt layers",
    ] {
        let [a, b] = twice(dir.path(), arguments);
        assert!(a.iter().any(|event| is(event, "best")) && is(a.last().unwrap(), "end"), "{arguments}");
        assert_eq!(a, b, "{arguments}");
    }
}

#[test]
fn another_seed_gives_other_runs() {
    let dir = temporary();
    let scores = |seed: u32| {
        let arguments = format!("--threads 2 --strategy random --max-iterations 500 --runs 2 --json --seed {seed}");
        let out = succeed(dir.path(), &format!("{arguments} --dir s{seed}"));
        timeless(&lines(&out)).into_iter().filter(|event| is(event, "unit")).collect::<Vec<_>>()
    };
    let (a, b) = (scores(1), scores(2));
    assert_eq!(a.len(), 2);
    assert_ne!(a[0]["best"], Value::Null);
    let finds = |seed: u32| timeless(&events(&dir.path().join(format!("s{seed}"))));
    assert!(a != b || finds(1)[1..] != finds(2)[1..]);
}

#[test]
fn small_spaces_are_searched_to_the_end_and_only_then_called_exhausted() {
    let dir = temporary();
    // From the last moves of a random game everything can be seen.
    let best =
        "--threads 2 --strategy random --variant 4D --seed 1 --max-iterations 50 --runs 1 --quiet --dir random";
    succeed(dir.path(), best);
    let files = contents(&dir.path().join("random"));
    let scores = files.keys().filter_map(|p| p.file_stem()?.to_str()?.parse::<u32>().ok());
    let score = scores.max().unwrap();
    let from = format!("--init-file random/{score}.txt {} --variant 4D --threads 2 --main-depth 2", score - 8);
    let out = succeed(dir.path(), &format!("{from} --jumps-back no --stall-table /dev/null --dir all"));
    assert!(out.contains("every grid from this start has been seen, none is longer than"), "{out}");
    let out = succeed(dir.path(), &format!("{from} --max-iterations 3 --dir some"));
    assert!(out.contains("all units are done") && !out.contains("every grid"), "{out}");
}

#[test]
fn flags_win_over_the_configuration_file() {
    let dir = temporary();
    fs::write(dir.path().join("grid.txt"), DISJOINT).unwrap();
    fs::write(dir.path().join("table"), "20 1k\n30 2k # few\n").unwrap();
    let config = r#"
        sort = "lines_weights"
        variant = "5D"
        order_free = false
        init_file = ["grid.txt", 1]
        max_iterations = 500
        jumps_back = [[100, "best/2"], [200, 3]]
        stall_table = [[20, 1000], [30, 2000]]
        threads = 2
        main_depth = 2
        quiet = true
        dir = "from-file"
    "#;
    fs::write(dir.path().join("hunt.toml"), config).unwrap();
    succeed(dir.path(), "hunt --config hunt.toml --sort weights_max --seed 4 --target 12");
    let state = succeed(dir.path(), "state from-file");
    for expected in [
        "variant     5D",
        "dfs, sort weights_max, jumps back 100:best/2,200:3",
        "seed        4",
        "start       1 moves",
    ] {
        assert!(state.contains(expected), "{expected} in {state}");
    }
    let read = |name: &str| events(&dir.path().join(name))[1..].to_vec();
    // The same by flags alone, with the table from a file of each kind.
    fs::write(dir.path().join("table.toml"), "stall_table = [[20, 1000], [30, 2000]]").unwrap();
    for table in ["table", "table.toml", "20:1000,30:2k"] {
        let name = format!("by-{}", table.len());
        let flags = "--sort weights_max --variant 5D --order-free off --init-file grid.txt 1 --max-iterations 500 \
            --jumps-back 100:best/2,200:3 --threads 2 --main-depth 2 --seed 4 --target 12 --quiet";
        succeed(dir.path(), &format!("{flags} --stall-table {table} --dir {name}"));
        assert_eq!(timeless(&read(&name)), timeless(&read("from-file")), "{table}");
    }
}

/// What the thesis's hunts are begun with goes on to mean its search; what names no search gets the best measured
/// one, and is told so, and what a file has for another search is left out, and told.
#[test]
fn a_hunt_that_names_no_strategy_gets_the_best_one_or_that_of_its_settings() {
    let dir = temporary();
    let told = |name: &str, flags: &str| {
        let output = run(dir.path(), &format!("{flags} --threads 2 --time 0.05s --seed 1 --dir {name}"));
        assert!(output.status.success(), "{flags}: {}", text(&output.stderr));
        (text(&output.stderr), succeed(dir.path(), &format!("state {name}")))
    };
    for (variant, method) in [("5T", "reshape from nothing"), ("5D", "reshape from nothing"), ("4D", "nrpa level 3,")]
    {
        let (told, state) = told(variant, &format!("--variant {variant}"));
        assert!(state.contains(method), "{state}");
        let strategy = method.split(' ').next().unwrap();
        assert!(
            told.starts_with(&format!("morpion: strategy {strategy}, the best measured one for {variant}: ")),
            "{told}"
        );
    }
    let (said, state) = told("walk", "--main-depth 3 --sort coords");
    assert!(state.contains("order-free dfs, sort coords"), "{state}");
    assert!(said.starts_with("morpion: strategy dfs, the only one that has main_depth\n"), "{said}");
    let (said, _) = told("quiet", "--quiet");
    assert_eq!(said, "");
    fs::write(dir.path().join("both.toml"), "strategy = \"random\"\n\nsort = \"no\"\nstall_scale = 1.0\n").unwrap();
    let (said, state) = told("file", "--config both.toml");
    let expected = "morpion: warning: both.toml, line 3: sort is not used by random; used by: dfs: it is left out\n";
    assert!(said.starts_with(expected) && state.contains("random games"), "{said} {state}");
    // Flags win over the file.
    let (_, state) = told("flags", "--config both.toml --strategy dfs --sort weights_max");
    assert!(state.contains("dfs, sort weights_max"), "{state}");
}

#[test]
fn a_grid_file_that_names_its_variant_decides_it() {
    let dir = temporary();
    fs::write(dir.path().join("named.txt"), format!("# variant 5D\n{DISJOINT}")).unwrap();
    fs::write(dir.path().join("plain.txt"), DISJOINT).unwrap();
    for (flags, variant) in [("named.txt 1", "5D"), ("named.txt 1 --variant 5T", "5T"), ("plain.txt 1", "5T")] {
        let name = flags.replace(['.', ' ', '-'], "");
        succeed(dir.path(), &format!("--init-file {flags} --threads 2 --target 10 --quiet --dir {name}"));
        let state = succeed(dir.path(), &format!("state {name}"));
        assert!(state.contains(&format!("variant     {variant}\n")), "{flags}: {state}");
    }
}

#[test]
fn a_hunt_that_names_no_directory_takes_the_next_free_name() {
    let dir = temporary();
    let hunt = "--strategy random --variant 4D --threads 2 --runs 1 --max-iterations 200 --seed 1";
    let first = run(dir.path(), hunt);
    assert!(first.status.success() && text(&first.stderr).lines().all(|line| !line.contains("output-2")));
    let before = contents(&dir.path().join("output"));
    let second = run(dir.path(), hunt);
    let (out, told) = (text(&second.stdout), text(&second.stderr));
    assert!(second.status.success() && out.contains("in output-2"), "{out}");
    assert!(told.contains("`morpion resume output`") && told.contains("goes to output-2"), "{told}");
    fs::create_dir(dir.path().join("output-3")).unwrap();
    fs::write(dir.path().join("output-3/mine.txt"), "mine").unwrap();
    succeed(dir.path(), &format!("{hunt} --quiet"));
    assert!(dir.path().join("output-4/hunt.state").exists());
    assert_eq!(contents(&dir.path().join("output")), before);
    assert_eq!(fs::read_dir(dir.path().join("output-3")).unwrap().count(), 1);
    refuse(dir.path(), &format!("{hunt} --dir output"), "morpion resume output");
}

#[test]
fn the_reports_of_a_hunt_are_not_taken_for_grids() {
    let dir = temporary();
    succeed(dir.path(), "--strategy random --variant 4D --threads 2 --runs 1 --max-iterations 20 --quiet");
    let files = fs::read_dir(dir.path().join("output")).unwrap().map(|entry| entry.unwrap().path());
    let texts: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .map(|path| path.strip_prefix(dir.path()).unwrap().display().to_string())
        .collect();
    assert!(texts.iter().any(|name| name.ends_with("main_progress.txt")), "{texts:?}");
    let grids = texts.len() - 2;
    for command in ["verify", "identify"] {
        let output = run(dir.path(), &format!("{command} {}", texts.join(" ")));
        let (out, told) = (text(&output.stdout), text(&output.stderr));
        assert_eq!((output.status.code(), out.lines().count()), (Some(0), grids), "{command}: {out}{told}");
        assert!(told.contains("main_progress.txt") && told.contains("running_threads.txt"), "{told}");
    }
    let output = run(dir.path(), "render output -o pictures --format svg");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // The grids as text, and the best one as MSR too.
    assert_eq!(text(&output.stdout).lines().count(), grids + 1);
    refuse(dir.path(), "verify output/main_progress.txt", "no grid file is left");
}

#[test]
fn bad_input_is_refused_and_nothing_is_made() {
    let dir = temporary();
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    write("grid.txt", GRID);
    write("illegal.txt", "(28,28)\n(31,29) | -2\n(31,29) | -2\n");
    write("noise.txt", "all work and no play\n");
    write("unknown.toml", "sort = \"coords\"\nspeed = 3\n");
    write("value.toml", "sort = \"fast\"\n");
    write("range.toml", "threads = 1\n");
    write("table.toml", "[sort]\nby = 1\n");
    write("broken.toml", "sort = \n");
    write("bad-table", "80 10M\n70 20M\n");
    write("other.toml", "stall = [[80, 1]]\n");
    fs::create_dir(dir.path().join("grids")).unwrap();
    write("grids/grid.txt", GRID);
    fs::create_dir(dir.path().join("full")).unwrap();
    write("full/71.txt", "mine");
    fs::create_dir(dir.path().join("empty")).unwrap();
    fs::create_dir(dir.path().join("theirs")).unwrap();
    write("theirs/a.pdf", "a book");
    let before = contents(dir.path());
    for (arguments, expected) in [
        ("--threads 1", "the main thread"),
        ("--threads many", "invalid value 'many'"),
        ("--threads -3", "-3"),
        ("--main-depth 1", "1 is not in 2..="),
        ("--sort fast", "invalid value 'fast' for '--sort"),
        ("--jumps-back often", "expected frequent, nonfrequent, no, or rules"),
        ("--order-free maybe", "expected on or off"),
        ("--strategy luck", "invalid value 'luck'"),
        ("--variant 6T", "one of 5T, 5D, 4T, 4D is expected"),
        ("--time soon", "60s, 5m, 2h or 1d12h"),
        ("--time 0", "expected a time"),
        ("--target 0", "0 is not in 1.."),
        ("--max-iterations 0", "at least 1"),
        ("--max-iterations 99999999999999999999", "is not a valid number"),
        ("--level 0 --strategy nrpa", "0 is not in 1..=10"),
        ("--alpha nan --strategy nrpa", "above 0"),
        ("--strategy dfs --runs 3", "--runs is not used by dfs; used by: reshape, regrow,"),
        ("--strategy nrpa --sort coords", "--sort is not used by nrpa; used by: dfs"),
        ("--level 3", "--level is not used by reshape (strategy reshape, the best measured one for 5T"),
        ("--swaps 3 --sort no", "--sort is a setting of dfs"),
        ("--strategy nrpa --init-dir grids", "nrpa does not begin with grids; the strategies that do: reshape, "),
        ("--stall-scale -1", "-1"),
        ("--stall-table nowhere", "cannot read nowhere"),
        ("--stall-table bad-table", "line 2: scores and iterations must rise"),
        ("--stall-table other.toml", "expected the key stall_table"),
        ("--init-file nowhere.txt 3", "nowhere.txt"),
        ("--init-file noise.txt 3", "noise.txt: line 1"),
        ("--init-file illegal.txt 1", "line 3 (move 2)"),
        ("--init-file grid.txt 6", "the grid has only 5 moves"),
        ("--init-file grid.txt -1", "-1"),
        ("--init-file grid.txt", "2 values"),
        ("--config nowhere.toml", "cannot read nowhere.toml"),
        ("--config unknown.toml", "unknown.toml, line 2: unknown key 'speed': expected one of"),
        ("--config value.toml", "value.toml, line 1: sort = fast: expected one of coords, no"),
        ("--config range.toml", "range.toml, line 1: threads = 1: 1 is not in 2..=4096"),
        ("--config table.toml", "table.toml, line 1: sort: "),
        ("--config broken.toml", "broken.toml is not TOML"),
        ("--checkpoint 11s", "expected 0.05s to 10s"),
        ("--dir full", "full holds 71.txt, which a hunt would overwrite"),
        ("--dir grid.txt", "cannot make the directory grid.txt"),
        ("--dir grid.txt/below", "cannot make the directory grid.txt/below"),
        ("--dir /proc/nothing", "cannot "),
        ("resume empty", "empty holds no hunt"),
        ("resume nowhere", "cannot read nowhere"),
        ("resume full --threads 1", "and at least one worker"),
        ("--dir theirs", "theirs is not empty: it holds a.pdf"),
        ("--time 5 min", "--time '5 min'"),
        ("state empty", "cannot read empty/hunt.state"),
        ("--frobnicate", "unexpected argument '--frobnicate'"),
        ("hunt hunt", "unexpected argument 'hunt'"),
    ] {
        refuse(dir.path(), arguments, expected);
        assert!(!dir.path().join("output").exists(), "{arguments}");
        assert_eq!(contents(dir.path()), before, "{arguments}");
    }
    assert_eq!(fs::read(dir.path().join("full/71.txt")).unwrap(), b"mine");
    assert_eq!(fs::read_dir(dir.path().join("empty")).unwrap().count(), 0);
}

#[test]
fn a_reader_that_has_gone_stops_the_hunt_quietly() {
    let dir = temporary();
    let script = format!("'{}' --threads 2 --seed 1 --json | head -1", env!("CARGO_BIN_EXE_morpion"));
    let output = std::process::Command::new("sh").args(["-c", &script]).current_dir(dir.path()).output().unwrap();
    assert_eq!(text(&output.stdout).lines().count(), 1);
    assert_eq!(text(&output.stderr), "");
    let last = events(&dir.path().join("output")).last().unwrap().clone();
    assert_eq!((&last["event"], &last["reason"]), (&"stop".into(), &"interrupted".into()));
}

/// Grids come fast at the beginning: their lines are a second apart, but for the first and the last one.
#[test]
fn new_bests_that_come_fast_are_told_once_a_second() {
    let dir = temporary();
    let out = succeed(dir.path(), "--threads 2 --strategy random --variant 5D --seed 1 --time 1.5s --dir hunt");
    let logged = events(&dir.path().join("hunt"));
    let found: Vec<&Value> = logged.iter().filter(|event| is(event, "best")).collect();
    let told: Vec<(f64, u64)> = out
        .lines()
        .filter_map(|line| {
            let (seconds, score) = line.trim_start().split_once(" s  best ")?;
            Some((seconds.parse().ok()?, score.split_whitespace().next()?.parse().ok()?))
        })
        .collect();
    assert!(told.len() >= 2 && told.len() < found.len(), "{out}");
    let score = |event: Option<&&Value>| event.unwrap()["score"].as_u64().unwrap();
    assert_eq!((told[0].1, told[told.len() - 1].1), (score(found.first()), score(found.last())), "{out}");
    // Told to a tenth of a second.
    assert!(told.windows(3).all(|three| three[2].0 - three[0].0 > 0.9), "{out}");
}

/// Runs a line of a shell in a terminal of 80 columns and 24 rows, which `typed` is typed into once the program has
/// drawn; what the terminal got.
fn in_terminal(dir: &Path, line: &str, typed: &str) -> String {
    // The shell of the line lives on after Ctrl-C, whatever it was about to do.
    let line = line.replace("morpion", env!("CARGO_BIN_EXE_morpion"));
    let line = format!("trap : INT; stty rows 24 cols 80; {line}");
    let mut command = Command::new("script");
    command.args(["-qfec", &line, "/dev/null"]).current_dir(dir);
    command.env("SHELL", "/bin/sh").env("TERM", "xterm").env("LC_ALL", "C");
    command.env_remove("NO_COLOR").env_remove("MORPION_LANGUAGE");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("script (of util-linux) can be run");
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut seen = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let count = output.read(&mut piece).unwrap();
        seen.extend(&piece[..count]);
        let drawn = text(&seen).matches("iterations").count() + text(&seen).matches("playouts").count();
        if count == 0 || drawn > 0 {
            break;
        }
    }
    input.write_all(typed.as_bytes()).unwrap();
    output.read_to_end(&mut seen).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success(), "{}", text(&seen));
    text(&seen)
}

const ENTER: &str = "\u{1b}[?1049h";
const LEAVE: &str = "\u{1b}[?1049l";

#[test]
fn a_terminal_shows_a_live_screen_and_gets_its_lines_afterwards() {
    let dir = temporary();
    let hunt = "morpion --threads 2 --strategy random --variant 4D --seed 1 --time 1.2s --dir";
    let seen = in_terminal(dir.path(), &format!("{hunt} hunt; stty -a"), "");
    let (before, rest) = seen.split_once(ENTER).expect("a live screen");
    let (screen, after) = rest.split_once(LEAVE).expect("its end");
    assert!(before.contains("hunting 4D with random, 1 worker, seed 1, in hunt"), "{before}");
    assert!(screen.contains("left") && screen.contains("record") && screen.contains("\u{1b}[38;"), "{screen:?}");
    assert!(after.contains("the time is up after") && after.contains("picture  hunt/"), "{after}");
    assert!(after.contains(" echo ") && !after.contains(ENTER), "{after}");
    let best = load(&dir.path().join("hunt/best.msr"), None).unwrap().grid;
    let picture = load(&dir.path().join(format!("hunt/{}.svg", best.score())), None).unwrap().grid;
    assert_eq!(picture.moves, best.moves);
    // A hunt that is continued has its picture already.
    let seen = in_terminal(dir.path(), "morpion resume hunt --time 3s", "");
    assert!(seen.contains(LEAVE) && seen.contains("picture  hunt/") && !seen.contains("warning"), "{seen}");
    let seen = in_terminal(dir.path(), &format!("NO_COLOR=1 {hunt} grey"), "");
    assert!(seen.contains(ENTER) && !seen.contains("\u{1b}[38;"), "{seen:?}");
    for (number, line) in (1..).zip(["--plain", "--quiet", "--json", "| cat", "> out"]) {
        let line = format!("{hunt} plain{number} {line}; echo the playouts are over");
        assert!(!in_terminal(dir.path(), &line, "").contains(ENTER), "{line}");
    }
    let line = format!("TERM=dumb {hunt} dumb; echo the playouts are over");
    assert!(!in_terminal(dir.path(), &line, "").contains(ENTER));
}

#[test]
fn ctrl_c_ends_a_live_screen_as_it_ends_a_hunt() {
    let dir = temporary();
    let line = "morpion --threads 2 --strategy random --seed 1 --dir hunt; echo status $?; stty -a";
    let seen = in_terminal(dir.path(), line, "\u{3}");
    let (_, after) = seen.split_once(LEAVE).expect("a live screen");
    for expected in ["stopped after", "resume it with `morpion resume hunt`", "status 0", " echo "] {
        assert!(after.contains(expected), "{expected}: {after}");
    }
    let last = events(&dir.path().join("hunt")).last().unwrap().clone();
    assert_eq!((&last["event"], &last["reason"]), (&"stop".into(), &"interrupted".into()));
}

#[test]
fn plots_show_one_hunt_or_several_and_overwrite_nothing() {
    let dir = temporary();
    let flags = "--threads 2 --strategy random --max-iterations 300 --quiet";
    succeed(dir.path(), &format!("{flags} --dir a --seed 1 --runs 1"));
    succeed(dir.path(), &format!("{flags} --dir b --seed 2 --target 10"));
    succeed(dir.path(), "resume b --target none --quiet");
    succeed(dir.path(), "plot a -o one.png");
    succeed(dir.path(), "plot a b -o two.svg --theme dark --axis linear");
    assert!(fs::read(dir.path().join("one.png")).unwrap().starts_with(b"\x89PNG"));
    let svg = fs::read_to_string(dir.path().join("two.svg")).unwrap();
    for expected in
        ["best score of 2 hunts", "a: 5T random, 1 worker, best ", "b: 5T random", "continued after a stop"]
    {
        assert!(svg.contains(expected), "{expected}");
    }
    refuse(dir.path(), "plot a -o one.png", "one.png: the file exists");
    refuse(dir.path(), "plot a -o one.gif", "the name must end in .png or .svg");
    refuse(dir.path(), "plot nowhere -o x.png", "cannot read nowhere/events.jsonl");
    fs::write(dir.path().join("b/events.jsonl"), "{\"v\":1}\n").unwrap();
    refuse(dir.path(), "plot a b -o x.png", "b/events.jsonl:1: not an event of a hunt");
    assert!(!dir.path().join("x.png").exists());
    succeed(dir.path(), "plot a -o one.png --force");
}

#[test]
fn the_configurations_that_come_with_the_program_can_be_hunted_with() {
    let dir = temporary();
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let configs = home.join("configs/hunts");
    // Some name the grids that come with the program, as seen from its folder.
    fs::create_dir(dir.path().join("grids")).unwrap();
    for entry in fs::read_dir(home.join("grids")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "txt" || extension == "msr") {
            fs::copy(&path, dir.path().join("grids").join(path.file_name().unwrap())).unwrap();
        }
    }
    let mut tried = 0;
    for entry in fs::read_dir(configs).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let limits = format!("--threads 2 --time 0.05s --quiet --seed 1 --dir {name}");
            let output = morpion(dir.path(), &limits).arg("--config").arg(&path).output().unwrap();
            assert!(output.status.success(), "{name}: {}", text(&output.stderr));
            tried += 1;
        }
    }
    assert!(tried >= 5, "{tried}");
}
