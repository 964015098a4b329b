//! The archive of a daemon from the command line: of one that runs, and of one that has ended.

use crate::daemons::program::Program;
use crate::daemons::request;
use morpion::morpion::position::Position;
use morpion::morpion::symmetry::{GridSymmetry, Symmetry};
use morpion::morpion::variant::{T5, Variant};
use morpion::notation::format::{GridFormat, read, write};
use morpion::notation::grid::Grid;
use morpion::notation::records::known;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn succeed(output: Output) -> String {
    assert!(output.status.success(), "{:?}: {}", output.status, text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// What `morpion archive --url` with these words prints.
fn archive(program: &Program, words: &str) -> String {
    let words: Vec<&str> = ["archive", "--url"].into_iter().chain(words.split_whitespace()).collect();
    succeed(program.morpion(&words))
}

fn refused(program: &Program, words: &str, expected: &str) {
    let words: Vec<&str> = ["archive", "--url"].into_iter().chain(words.split_whitespace()).collect();
    let output = program.morpion(&words);
    assert_eq!(output.status.code(), Some(2), "{words:?}");
    assert!(text(&output.stderr).contains(expected), "{words:?}: {}", text(&output.stderr));
}

/// The grids that it lists as JSON lines.
fn lines(program: &Program, words: &str) -> Vec<Value> {
    let listed = archive(program, &format!("{words} --json-lines"));
    listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn keys(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["key"].as_str().unwrap()).collect()
}

/// Sends a grid into the archive.
fn send(program: &Program, grid: &Grid) {
    let body = write(grid, GridFormat::MsrCompact).unwrap();
    let agent: ureq::Agent = ureq::Agent::config_builder().proxy(None).build().into();
    let sent = agent.post(format!("{}/api/v1/grids", program.url)).content_type("text/plain").send(&body);
    assert_eq!(sent.unwrap().status(), 201);
}

/// Two moves that half a turn exchanges.
fn symmetric() -> Grid {
    let first = Position::<T5>::new().moves()[0];
    let other = GridSymmetry::Central.symmetry().image(Variant::T5, first).unwrap();
    Grid::new(Variant::T5, vec![first, other])
}

/// A daemon with the known records, a symmetric grid, and two jobs' grids of 4D.
fn with_grids(state: &Path) -> Program {
    let program = Program::start(state);
    for record in known().unwrap() {
        send(&program, &record.grid);
    }
    send(&program, &symmetric());
    for seed in [1, 2] {
        let settings = json!({
            "strategy": "random", "variant": "4D", "max_iterations": 300, "runs": 2, "seed": seed, "keep_from": 10,
        });
        let id = program.submit(&request(&settings, &json!({})));
        assert_eq!(program.wait_over(id)["state"], "finished");
    }
    program
}

#[test]
fn grids_are_listed_filtered_and_sorted() {
    let dir = tempfile::tempdir().unwrap();
    let program = with_grids(&dir.path().join("state"));
    let all = lines(&program, "");
    let records = known().unwrap().len();
    assert!(all.len() > 100 + records, "{}", all.len());
    assert_eq!(keys(&all).into_iter().collect::<BTreeSet<_>>().len(), all.len(), "each once");
    // Whatever the size of the parts, the list is the same.
    for order in ["", "&sort=time", "&sort=size&reverse=true", "&sort=score&reverse=true"] {
        let of_parts = |limit: usize| program.list(&format!("/grids?limit={limit}{order}"));
        let whole = of_parts(1000);
        assert_eq!(whole, of_parts(7), "{order}");
        assert_eq!(whole.len(), all.len(), "{order}");
    }
    let number = |line: &Value, name: &str| line[name].as_f64().unwrap();
    let area = |line: &Value| number(line, "columns") * number(line, "rows");
    let is_sorted = |lines: &[Value], rank: &dyn Fn(&Value) -> f64| {
        lines.len() == all.len() && lines.is_sorted_by(|one, other| rank(one) >= rank(other))
    };
    assert!(is_sorted(&all, &|line| number(line, "score")));
    assert!(is_sorted(&lines(&program, "--sort time"), &|line| number(line, "time")));
    assert!(is_sorted(&lines(&program, "--sort size"), &area));
    assert!(is_sorted(&lines(&program, "--sort score --reverse"), &|line| -number(line, "score")));
    assert!(is_sorted(&lines(&program, "--sort time --reverse"), &|line| -number(line, "time")));
    let listed = archive(&program, "--sort size --limit 3");
    assert!(listed.lines().next().unwrap().contains("size") && listed.lines().count() == 5, "{listed}");

    // Each filter, against the whole list.
    let filtered = |words: &str, accepts: &dyn Fn(&Value) -> bool| {
        let expected: Vec<&Value> = all.iter().filter(|line| accepts(line)).collect();
        let found = lines(&program, words);
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{words}");
        assert!(!found.is_empty() && found.len() < all.len(), "{words}: {}", found.len());
    };
    let is = |line: &Value, name: &str, value: &str| line[name] == value;
    filtered("--variant 5T", &|line| is(line, "variant", "5T"));
    filtered("--min 20 --max 82", &|line| (20.0..=82.0).contains(&number(line, "score")));
    filtered("--variant 4D --max 22", &|line| is(line, "variant", "4D") && number(line, "score") <= 22.0);
    filtered("--job 2", &|line| line["job"] == 2);
    filtered("--new", &|line| line["new"] == true);
    filtered("--symmetry any", &|line| !line["symmetries"].as_array().unwrap().is_empty());
    filtered("--symmetry none --new", &|line| {
        line["symmetries"].as_array().unwrap().is_empty() && line["new"] == true
    });
    let middle = number(&lines(&program, "--sort time")[all.len() / 2], "time");
    let since = morpion::runner::clock::utc(middle + 1.0);
    let later = lines(&program, &format!("--since {since}"));
    assert!(later.len() < all.len() && later.iter().all(|line| number(line, "time") >= middle.floor()));

    // The facts are those of the grids.
    let rosin = all.iter().find(|line| line["record"] == "Rosin 178").unwrap();
    let grid = &known().unwrap()[0].grid;
    assert_eq!((&rosin["columns"], &rosin["rows"]), (&grid.bounds().columns().into(), &grid.bounds().rows().into()));
    assert_eq!(rosin["nearest"], json!({ "record": "Rosin 178", "common_lines": 178, "lines": 178 }));
    let table = archive(&program, "--variant 5T --min 178");
    assert!(table.contains("5T 178 ") && table.contains("the known record Rosin 178"), "{table}");

    for (words, expected) in [
        ("--sort best", "expected score, time or size"),
        ("--symmetry much", "expected any, none, central, axis or diagonal"),
        ("--since tomorrow", "a time ago"),
        ("--id 12", "is not an id"),
        ("--id 0123", "no grid has the id 0123"),
        ("--limit 0", "at least 1"),
    ] {
        refused(&program, words, expected);
    }
    for (query, status) in [
        ("sort=best", 400),
        ("since=inf", 400),
        ("since=-1", 400),
        ("new=2", 400),
        ("symmetry=x", 400),
        ("cursor=x", 422),
        // A cursor of another order.
        ("sort=time&cursor=178-0123456789abcdef", 422),
        ("sort=size&cursor=time-0123456789abcdef-0123456789abcdef", 422),
    ] {
        let (found, answer) = program.ask("GET", &format!("/grids?{query}"), None, None).unwrap();
        assert_eq!(found, status, "{query}: {answer}");
    }
}

#[test]
fn a_bookmark_shows_what_is_new_since_the_last_time() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(&dir.path().join("state"));
    let records = known().unwrap();
    let file = dir.path().join("seen");
    let flag = format!("--bookmark {}", file.display());
    let send_some = |from: usize, to: usize| records[from..to].iter().for_each(|record| send(&program, &record.grid));
    assert!(lines(&program, &flag).is_empty());
    send_some(0, 4);
    assert_eq!(lines(&program, &flag).len(), 4);
    assert!(lines(&program, &flag).is_empty());
    send_some(2, 7);
    assert_eq!(lines(&program, &flag).len(), 3, "two were there");
    // Another filter would lose grids; what is not a bookmark is not overwritten.
    refused(&program, &format!("{flag} --variant 5T"), "it was written for all grids, not for `--variant 5T`");
    let other = dir.path().join("other");
    fs::write(&other, "my notes\n").unwrap();
    refused(&program, &format!("--bookmark {}", other.display()), "not a bookmark");
    assert_eq!(fs::read_to_string(&other).unwrap(), "my notes\n");
    refused(&program, &format!("{flag} --limit 3"), "cannot be used with");

    // What was not written to the end is shown again.
    send_some(7, 9);
    let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
    command.args(["archive", "--url", &program.url, "--bookmark"]).arg(&file);
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let failed = command.stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(failed.status.code(), Some(2), "{}", text(&failed.stderr));
    assert_eq!(lines(&program, &flag).len(), 2);

    // An export takes its part of the bookmark, too.
    send_some(9, 11);
    let out = dir.path().join("out");
    let words = format!("{flag} --export {} --format msr", out.display());
    assert_eq!(archive(&program, &words).lines().count(), 2);
    refused(&program, &words, "no grid is chosen, nothing was written");
}

#[test]
fn grids_are_exported_and_compared_and_never_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let program = with_grids(&dir.path().join("state"));
    let all = lines(&program, "--job 1");
    for (format, ending) in [("psol", "psol"), ("msr", "msr")] {
        let out = dir.path().join(format);
        let words = format!("--job 1 --format {format} --export {}", out.display());
        let written = archive(&program, &words);
        assert_eq!(written.lines().count(), all.len());
        for path in written.lines() {
            assert!(path.ends_with(ending));
            let grid = read(&fs::read(path).unwrap(), Some(Variant::D4)).unwrap().grid;
            let name = Path::new(path).file_stem().unwrap().to_str().unwrap().to_owned();
            let key = morpion::daemon::grids::key(&grid);
            assert!(name.starts_with(&format!("4D-{}-", grid.score())) && key.starts_with(&name[6..14]), "{path}");
        }
        refused(&program, &words, "the file exists, nothing was written");
    }
    let id = all[0]["id"].as_str().unwrap();
    let one = dir.path().join("one.msr");
    archive(&program, &format!("--id {id} --export {}", one.display()));
    refused(&program, &format!("--id {id} --export {}", one.display()), "the file exists");
    let compared = archive(&program, &format!("--compare {id} {} --json", one.display()));
    let compared: Value = serde_json::from_str(&compared).unwrap();
    assert_eq!(compared["common_lines"], all[0]["score"]);
}

#[test]
fn a_daemon_that_has_ended_is_read_from_its_directory() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let program = with_grids(&state);
    let local = |words: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
        command.arg("archive").arg(&state).args(words.split_whitespace()).stdin(Stdio::null()).output().unwrap()
    };
    let in_use = local("");
    assert_eq!(in_use.status.code(), Some(2));
    assert!(text(&in_use.stderr).contains("ask it with --url"), "{}", text(&in_use.stderr));
    let words = ["", "--job 2", "--variant 5T", "--new", "--symmetry any", "--min 20"];
    let expected: Vec<BTreeSet<String>> =
        words.iter().map(|words| keys(&lines(&program, words)).into_iter().map(str::to_owned).collect()).collect();
    program.stop();
    let before = fs::read(state.join("morpion.redb")).unwrap();
    for (words, expected) in words.iter().zip(expected) {
        let listed = succeed(local(&format!("{words} --json")));
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let found = listed["results"].as_array().unwrap();
        assert_eq!(keys(found).into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), expected, "{words}");
        assert!(found.iter().all(|line| line["time"].is_number()), "{words}");
    }
    assert!(succeed(local("--job 2 --limit 1")).contains("job"));
    assert_eq!(fs::read(state.join("morpion.redb")).unwrap(), before, "nothing is written");
    // It starts again as if nobody had looked.
    let again = Program::start(&state);
    assert!(!lines(&again, "--job 2").is_empty());
}

#[test]
fn a_grid_that_is_replaced_in_another_orientation_has_the_facts_of_that_one() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(&dir.path().join("state"));
    let records = known().unwrap();
    let wide = records.iter().find(|r| r.grid.bounds().columns() != r.grid.bounds().rows()).unwrap();
    send(&program, &wide.grid);
    let first = lines(&program, "--sort size").remove(0);
    let key = first["key"].as_str().unwrap().to_owned();
    succeed(program.morpion(&["grid", "remove", &key]));
    send(&program, &wide.grid.image(Symmetry::turn(1)).unwrap());
    let second = lines(&program, "--sort size").remove(0);
    assert_eq!((&second["columns"], &second["rows"]), (&first["rows"], &first["columns"]));
}

#[test]
fn nearly_equal_grids_are_put_together() {
    let dir = tempfile::tempdir().unwrap();
    let program = with_grids(&dir.path().join("state"));
    let record = &known().unwrap()[0].grid;
    // Shorter and shorter parts of a record: with two lines between them, each is near the next one only.
    for moves in [176, 174, 172, 160] {
        send(&program, &record.prefix(moves).unwrap().image(Symmetry::turn(moves as u32)).unwrap());
    }
    let scores = |lines: &[Value]| lines.iter().map(|line| line["score"].as_u64().unwrap()).collect::<Vec<_>>();
    let all = lines(&program, "--variant 5T");
    let together = lines(&program, "--variant 5T --clusters=2");
    let first = &together[0];
    assert_eq!(
        (&first["score"], &first["cluster"]["grids"], &first["cluster"]["shortest"]),
        (&178.into(), &4.into(), &172.into())
    );
    assert!(first["cluster"]["first"].as_f64() <= first["cluster"]["last"].as_f64());
    let counts = |lines: &[Value]| lines.iter().map(|line| line["cluster"]["grids"].as_u64().unwrap()).sum::<u64>();
    assert_eq!(counts(&together), all.len() as u64);
    assert_eq!(lines(&program, "--variant 5T --clusters=1").len(), all.len());
    // Any grid of a cluster opens it.
    for line in
        all.iter().filter(|line| [178, 174, 172].contains(&line["score"].as_u64().unwrap()) && line["new"] == false)
    {
        if line["nearest"]["record"] == first["nearest"]["record"] {
            let words = format!("--variant 5T --cluster {} --clusters=2", line["key"].as_str().unwrap());
            assert_eq!(scores(&lines(&program, &words)), [178, 176, 174, 172]);
        }
    }
    let table = archive(&program, "--clusters --variant 5T");
    assert!(table.contains("grids") && table.contains(" clusters of "), "{table}");
    // Part by part, and in another order.
    for order in ["", "&sort=size", "&sort=time&reverse=true"] {
        let of_parts = |limit: usize| program.list(&format!("/grids?clusters=5&limit={limit}{order}"));
        let whole = of_parts(1000);
        assert_eq!(whole, of_parts(3), "{order}");
        let sum: u64 = whole.iter().map(|grid| grid["cluster"]["grids"].as_u64().unwrap()).sum();
        assert_eq!(sum as usize, lines(&program, "").len(), "{order}");
        assert!(whole.len() < sum as usize && whole.iter().all(|grid| grid["columns"].is_number()));
    }
    // What comes and goes is seen at once.
    let key = all.iter().find(|line| line["score"] == 174).unwrap()["key"].as_str().unwrap().to_owned();
    succeed(program.morpion(&["grid", "remove", &key]));
    assert_eq!(lines(&program, "--variant 5T --clusters=2")[0]["cluster"]["grids"], 2, "the chain is broken");
    refused(&program, &format!("--cluster {key}"), &format!("there is no grid {key}"));
    refused(&program, "--clusters=21", "21 is not in 1..=20");
    for (query, status) in
        [("clusters=0", 400), ("clusters=21", 400), ("cluster=x", 400), ("cluster=0123456789abcdef", 404)]
    {
        assert_eq!(program.ask("GET", &format!("/grids?{query}"), None, None).unwrap().0, status, "{query}");
    }
    // The same from the files of the daemon when it has ended.
    let expected = lines(&program, "--clusters=4");
    program.stop();
    let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
    let listed = succeed(
        command.arg("archive").arg(dir.path().join("state")).args(["--clusters=4", "--json"]).output().unwrap(),
    );
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let essence = |lines: &[Value]| -> BTreeSet<String> {
        lines.iter().map(|line| format!("{} {}", line["key"], line["cluster"])).collect()
    };
    assert_eq!(essence(listed["results"].as_array().unwrap()), essence(&expected));
}
