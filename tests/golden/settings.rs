//! Settings: configuration files and jobs that were sent to the daemon mean what they meant.

use crate::daemons::program::Program;
use crate::hunts::{succeed, temporary};
use crate::{assert_holds, data, document, fresh, write_document};
use morpion::core::setting::parse_count;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Experiments that are done in a moment with small budgets.
const EXPERIMENTS: [&str; 8] =
    ["depth", "orderings", "strategies-5t", "strategies-5d", "nrpa-5t", "permute-5d-82", "regrow-5t", "reshape-5t"];

/// The configuration files whose names begin so, with their names.
fn configs(prefix: &str) -> Vec<(String, PathBuf)> {
    let entries =
        fs::read_dir(data().join("configs")).expect("a directory").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> =
        entries.map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path)).collect();
    files.retain(|(name, _)| name.starts_with(prefix));
    files.sort();
    files
}

/// Begins the hunt of a configuration and reads what its file says of the job.
fn job_of(config: &Path) -> Value {
    let dir = temporary();
    std::os::unix::fs::symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join("grids"), dir.path().join("grids"))
        .unwrap();
    let config = config.to_str().expect("a plain path");
    succeed(dir.path(), &format!("--config {config} --dir hunt --threads 2 --seed 5 --time 0.01s --quiet"));
    let state = fs::read(dir.path().join("hunt/hunt.state")).unwrap();
    // A checksum may have the byte of a brace.
    let begin = state.windows(2).position(|bytes| bytes == b"{\"").expect("the job is JSON");
    let mut documents = serde_json::Deserializer::from_slice(&state[begin..]).into_iter::<Value>();
    let mut job = documents.next().expect("a document").expect("JSON");
    // Which grids there are is not a question of the configuration.
    let grids = job["params"].as_object_mut().expect("an object").remove("grids");
    job["has_grids"] = grids.is_some().into();
    job
}

/// Jobs as they are sent to the daemon, one per kind and some with everything.
fn submissions() -> Vec<Value> {
    vec![
        json!({ "kind": "hunt", "settings": { "strategy": "random", "runs": 2, "max_iterations": 50, "seed": 1 } }),
        json!({ "kind": "hunt", "name": "all", "priority": 3, "weight": 2, "limits": { "threads": 1, "seconds": 9, "iterations": 1000 },
            "settings": { "variant": "4D", "strategy": "nrpa", "level": 3, "iterations": 10, "alpha": 0.5, "stabilize": 4, "adapt": "layers",
                "share": 2, "width": 3, "runs": 1, "seed": "18446744073709551615", "target": 40, "keep_from": 30 } }),
        json!({ "kind": "hunt", "settings": { "main_depth": 3, "sort": "weights_lines", "order_free": "on", "eliminate_dominated": "off",
            "jumps_back": [[1000, "best/2"], [5000, 7]], "stall_table": [[30, 1000], [90, 2000]], "stall_scale": 0.5,
            "max_iterations": "20k", "seed": 9 } }),
        json!({ "kind": "hunt", "settings": { "strategy": "regrow", "keep": 20, "pool": 9, "patience": "2M", "refiners": 2, "replicas": 5,
            "hot": 1.5, "cold": 0.25, "reach": 30, "runs": 1, "max_iterations": 300, "seed": 4 } }),
        json!({ "kind": "hunt", "settings": { "strategy": "permute", "variant": "5D", "swaps": 3, "runs": 1, "max_iterations": 300, "seed": 4 } }),
        json!({ "kind": "hunt", "settings": { "strategy": "perturb", "variant": "5D", "operators": "lines,suffix", "completion": 2, "runs": 1,
            "max_iterations": 300, "seed": 4 } }),
        json!({ "kind": "solve", "settings": { "game": "reversi", "size": 4, "memory": "1M" } }),
        json!({ "kind": "solve", "name": "go", "priority": -3, "settings": { "game": "go", "size": "2x2", "ko": "superko", "memory": "1M",
            "quorum": 2, "unit_budget": "5k", "user": "ada" } }),
        json!({ "kind": "solve", "settings": { "game": "reversi", "size": "4x5", "value": "win-loss-draw", "algorithm": "negascout",
            "without": "killers,history", "memory": "1M", "feeder": "random", "seed": 3 } }),
    ]
}

/// What the daemon makes of a submission, without what depends on the moment.
fn taken(job: &Value) -> Value {
    let mut taken = json!({});
    for field in ["kind", "name", "priority", "weight", "limits", "settings", "variant", "strategy"] {
        taken[field] = job[field].clone();
    }
    // Where none is given, it is another one each time.
    taken["settings"].as_object_mut().expect("an object").remove("seed");
    taken
}

#[test]
fn configurations_of_hunts_mean_what_they_meant() {
    let recorded = document(&data().join("settings/hunts.json"));
    for (name, path) in configs("hunt-") {
        assert_holds(&job_of(&path), &recorded[&name], &name);
    }
}

#[test]
fn jobs_mean_what_they_meant() {
    let recorded = document(&data().join("settings/jobs.json"));
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(dir.path());
    let known = program.get("/strategies");
    for (name, path) in configs("job-") {
        let recorded = used(&known, &recorded["files"][&name]);
        assert_holds(&taken(&submitted(&program, &path)), &recorded, &name);
    }
    for (number, sent) in recorded["sent"].as_array().expect("a list").iter().enumerate() {
        let job = program.send("POST", "/jobs", &sent["request"]);
        let mut recorded = used(&known, &sent["taken"]);
        // Of several parts that are left out the first alone was listed.
        if let Some(parts) = recorded["settings"].get_mut("without") {
            let all = sent["request"]["settings"]["without"].as_str().expect("a text");
            assert_eq!(parts.as_str(), all.split(',').next());
            *parts = all.into();
        }
        assert_holds(&taken(&job), &recorded, &format!("job {number}"));
        let over = program.wait_over(job["id"].as_u64().unwrap());
        assert_holds(&over["state"], &"finished".into(), &format!("job {number}: {over}"));
        assert_holds(&outcome(&over), &sent["outcome"], &format!("job {number}"));
    }
    program.stop();
}

/// What was recorded of a job as the daemon lists it: without the settings that its strategy does not use.
fn used(known: &Value, recorded: &Value) -> Value {
    let mut recorded = recorded.clone();
    for parameter in known["parameters"].as_array().expect("a list") {
        let users = parameter["used_by"].as_array().expect("a list");
        if recorded["kind"] == "hunt" && !users.contains(&recorded["strategy"]) {
            let settings = recorded["settings"].as_object_mut().expect("an object");
            settings.remove(parameter["name"].as_str().expect("a name"));
        }
    }
    // A count that was sent as a text, such as 20k, is listed as a number.
    let settings = recorded["settings"].as_object_mut().expect("an object");
    for setting in
        [&known["parameters"], &known["common"]].into_iter().flat_map(|list| list.as_array().expect("a list"))
    {
        let value = setting["name"].as_str().and_then(|name| settings.get_mut(name));
        if let Some(value) = value.filter(|_| setting["kind"] == "count")
            && let Some(count) = value.as_str().and_then(|text| parse_count(text).ok())
        {
            *value = count.into();
        }
    }
    recorded
}

fn outcome(over: &Value) -> Value {
    json!({ "reason": over["reason"], "score": over["best"]["score"],
        "solution": { "lower": over["solution"]["lower"], "upper": over["solution"]["upper"] } })
}

/// Submits a file as a user does, and cancels it.
fn submitted(program: &Program, path: &Path) -> Value {
    let output = program.morpion(&["job", "submit", path.to_str().unwrap(), "--json"]);
    assert!(output.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
    let job: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    program.order(&format!("/jobs/{}/cancel", job["id"]));
    job
}

/// Experiments, with budgets of a moment: each writes the table that it wrote.
#[test]
fn configurations_of_experiments_mean_what_they_meant() {
    let recorded = document(&data().join("settings/experiments.json"));
    let recorded = recorded.as_object().expect("an object");
    assert!(recorded.len() > 5, "{recorded:?}");
    for (name, table) in recorded {
        assert_eq!(&table_of(name), table, "{name}");
    }
}

/// The table of an experiment, as rows of what does not depend on the clock.
fn table_of(name: &str) -> Value {
    let dir = temporary();
    let config = fs::read_to_string(data().join("configs").join(format!("{name}.toml"))).unwrap();
    let lines = config.lines().map(|line| match line.split(" = ").next() {
        Some("cpu_seconds") => "iterations = 200",
        Some("seeds") => "seeds = 1",
        Some("budget") => "budget = 50",
        _ => line,
    });
    let small = lines.collect::<Vec<_>>().join("\n");
    fs::write(dir.path().join("small.toml"), small).unwrap();
    succeed(dir.path(), "experiment small.toml --output out");
    let table = fs::read_to_string(dir.path().join("out/small.csv")).unwrap();
    let mut rows = table.lines().filter(|line| !line.starts_with('#')).map(|row| row.split(',').collect::<Vec<_>>());
    let head = rows.next().expect("a head");
    let timeless: Vec<usize> = (0..head.len()).filter(|&column| !head[column].contains("second")).collect();
    let part = |row: &Vec<&str>| timeless.iter().map(|&column| row[column].to_owned()).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = std::iter::once(part(&head)).chain(rows.map(|row| part(&row))).collect();
    json!(rows)
}

#[test]
#[ignore = "it makes the files anew, in a new directory: see the head of `main.rs`"]
fn make_settings() {
    let directory = fresh("settings");
    let hunts: serde_json::Map<_, _> =
        configs("hunt-").into_iter().map(|(name, path)| (name, job_of(&path))).collect();
    write_document(&directory.join("hunts.json"), &hunts);
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(dir.path());
    let files: serde_json::Map<_, _> =
        configs("job-").into_iter().map(|(name, path)| (name, taken(&submitted(&program, &path)))).collect();
    let sent = submissions().into_iter().map(|request| {
        let job = program.send("POST", "/jobs", &request);
        let over = program.wait_over(job["id"].as_u64().unwrap());
        json!({ "request": request, "taken": taken(&job), "outcome": outcome(&over) })
    });
    let recorded = json!({ "files": files, "sent": sent.collect::<Vec<_>>() });
    write_document(&directory.join("jobs.json"), &recorded);
    program.stop();
    let experiments: serde_json::Map<_, _> =
        EXPERIMENTS.iter().map(|name| ((*name).to_owned(), table_of(name))).collect();
    write_document(&directory.join("experiments.json"), &experiments);
}
