//! What the dependencies may be: their licences, their sources, that there is one version of each but for those
//! listed, and that the oldest toolchain compiles them. The lists are in `deny.toml`. Nothing is fetched.
//! And what packages of the program are made of: the files that they name exist, or `packaging/deb` makes them.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// All packages that the program and its tests are made of.
fn packages() -> Vec<Value> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--offline", "--locked", "--format-version", "1"]);
    command.args(["--filter-platform", "x86_64-unknown-linux-gnu"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = command.output().expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let Value::Array(packages) = metadata["packages"].take() else { panic!("no packages") };
    assert!(packages.len() > 100, "{} packages", packages.len());
    packages
}

fn text<'a>(package: &'a Value, field: &str) -> &'a str {
    package[field].as_str().unwrap_or_default()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A text file of the repository.
fn file(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn rules() -> toml::Table {
    file("deny.toml").parse().expect("TOML")
}

/// The texts of a list of the rules.
fn list(rules: &toml::Table, section: &str, name: &str) -> Vec<String> {
    let list = rules[section][name].as_array().unwrap_or_else(|| panic!("[{section}] {name}"));
    let text = |item: &toml::Value| item.as_str().or_else(|| item["crate"].as_str()).expect("a text").to_owned();
    list.iter().map(text).collect()
}

/// Whether a licence expression (SPDX, or the older form with a slash) can be met with these licences.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let expression = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words: Vec<&str> = expression.split_whitespace().rev().collect();
    let met = any(&mut words, allowed);
    assert!(words.is_empty(), "'{expression}' cannot be read: {words:?} is left");
    met
}

fn any(words: &mut Vec<&str>, allowed: &[String]) -> bool {
    let mut met = all(words, allowed);
    while words.pop_if(|word| *word == "OR").is_some() {
        met |= all(words, allowed);
    }
    met
}

fn all(words: &mut Vec<&str>, allowed: &[String]) -> bool {
    let mut met = one(words, allowed);
    while words.pop_if(|word| *word == "AND").is_some() {
        met &= one(words, allowed);
    }
    met
}

fn one(words: &mut Vec<&str>, allowed: &[String]) -> bool {
    let word = words.pop().expect("a licence");
    if word == "(" {
        let met = any(words, allowed);
        assert_eq!(words.pop(), Some(")"));
        return met;
    }
    // A licence with an exception permits more than without.
    if words.pop_if(|word| *word == "WITH").is_some() {
        words.pop();
    }
    allowed.iter().any(|known| known == word)
}

#[test]
fn expressions_of_licences_are_understood() {
    let allowed = ["MIT".to_owned(), "Zlib".to_owned()];
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR GPL-3.0) AND Zlib", true),
        ("(GPL-2.0 OR GPL-3.0) AND Zlib", false),
        ("Apache-2.0 WITH LLVM-exception OR MIT", true),
        ("Apache-2.0 WITH LLVM-exception", false),
        ("MIT OR GPL-3.0 AND Other", true),
        ("", false),
    ] {
        if !expression.is_empty() {
            assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
        }
    }
}

#[test]
fn licences_are_among_those_that_are_allowed() {
    let allowed = list(&rules(), "licenses", "allow");
    let mut refused = Vec::new();
    for package in packages() {
        let licence = text(&package, "license");
        if licence.is_empty() || !is_allowed(licence, &allowed) {
            refused.push(format!("{} {}: '{licence}'", text(&package, "name"), text(&package, "version")));
        }
    }
    assert!(refused.is_empty(), "not allowed by deny.toml:\n{}", refused.join("\n"));
}

#[test]
fn packages_come_from_the_registry_alone() {
    let registries = list(&rules(), "sources", "allow-registry");
    for package in packages() {
        let (name, source) = (text(&package, "name"), text(&package, "source"));
        let known = registries.iter().any(|registry| source == format!("registry+{registry}"));
        // The packages of the repository have no source.
        let own = [env!("CARGO_PKG_NAME"), "morpion-engine"].contains(&name);
        assert!(known || (source.is_empty() && own), "{name} comes from '{source}'");
    }
}

#[test]
fn packages_have_one_version_but_for_those_listed() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages() {
        versions.entry(text(&package, "name").to_owned()).or_default().insert(text(&package, "version").to_owned());
    }
    let mut skipped = list(&rules(), "bans", "skip");
    let mut complaints = Vec::new();
    for (name, mut found) in versions {
        let many = found.clone();
        skipped.retain(|skip| {
            let (of, wanted) = skip.split_once('@').unwrap_or_else(|| panic!("'{skip}': expected NAME@VERSION"));
            let fits = |version: &String| {
                version.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '+']))
            };
            let used = of == name && found.len() > 1 && found.iter().any(fits);
            if used {
                found.retain(|version| !fits(version));
            }
            !used
        });
        if found.len() > 1 {
            complaints.push(format!("{name}: {many:?}"));
        }
    }
    assert!(complaints.is_empty(), "several versions, and not in deny.toml:\n{}", complaints.join("\n"));
    assert!(skipped.is_empty(), "no longer needed in deny.toml: {skipped:?}");
}

/// The oldest toolchain is not at hand everywhere. So this reads what each package says that it needs; of this
/// program clippy knows it (`incompatible_msrv`).
#[test]
fn the_oldest_toolchain_compiles_all_packages() {
    let number =
        |version: &str| -> Vec<u32> { version.split('.').map(|part| part.parse().expect("a number")).collect() };
    let ours = number(env!("CARGO_PKG_RUST_VERSION"));
    for package in packages() {
        let needed = text(&package, "rust_version");
        if !needed.is_empty() {
            let name = text(&package, "name");
            assert!(
                number(needed) <= [&ours[..], &[99]].concat(),
                "{name} needs Rust {needed}, and we promise {ours:?}"
            );
        }
    }
}

/// Whether a path, or the folder in front of the first star in it, exists below a folder.
fn exists(folder: &Path, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => folder.join(pattern).is_file(),
        Some((path, ending)) => {
            let ending = ending.rsplit('*').next().unwrap_or_default();
            let files =
                |path: &Path| fs::read_dir(path).into_iter().flatten().map(|entry| entry.expect("an entry").path());
            let has = |path: &Path| files(path).any(|file| file.to_string_lossy().ends_with(ending));
            has(&folder.join(path)) || files(&folder.join(path)).any(|below| has(&below))
        }
    }
}

#[test]
fn the_debian_package_is_made_of_files_that_exist() {
    let cargo: toml::Table = file("Cargo.toml").parse().expect("TOML");
    let deb = &cargo["package"]["metadata"]["deb"];
    // The script is run on a copy of what it reads, with a `cargo` that writes down what it is asked for.
    let copy = tempfile::tempdir().expect("a directory");
    let copy = copy.path();
    for folder in ["packaging", "configs/service", "bin"] {
        fs::create_dir_all(copy.join(folder)).expect("a folder");
    }
    let names = fs::read_dir(root().join("configs/service")).expect("a folder");
    let names = names.map(|entry| format!("configs/service/{}", entry.expect("an entry").file_name().display()));
    for name in names.chain(["packaging/deb".to_owned()]) {
        fs::copy(root().join(&name), copy.join(&name)).expect("a copy");
    }
    let cargo = copy.join("bin/cargo");
    fs::write(&cargo, "#!/bin/sh\necho \"$*\" >>asked\n").expect("a program");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("a mode");
    let path = format!("{}:{}", copy.join("bin").display(), std::env::var("PATH").expect("a path"));
    let mut command = Command::new(copy.join("packaging/deb"));
    let output = command.arg(env!("CARGO_BIN_EXE_morpion")).env("PATH", path).output().expect("bash runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_to_string(copy.join("asked")).expect("cargo was asked"), "deb --locked --no-build\n");

    let profile = deb["profile"].as_str().expect("a profile");
    assert!(copy.join("target").join(profile).join("morpion").is_file(), "no program of the profile {profile}");
    let assets = deb["assets"].as_array().expect("a list");
    for source in assets.iter().map(|asset| asset[0].as_str().expect("a source")) {
        let found = match source.strip_prefix("target/") {
            Some("release/morpion") => true,
            Some(_) => exists(copy, source),
            None => exists(root(), source),
        };
        assert!(found, "there is no {source}");
    }
    // cargo-deb finds these by their names.
    let scripts = copy.join(deb["maintainer-scripts"].as_str().expect("a folder"));
    assert!(scripts.join("morpion.sysusers").is_file());
    for (unit, command) in [("morpion", "daemon"), ("morpion-worker", "worker")] {
        let text = fs::read_to_string(scripts.join(format!("{unit}.service"))).expect("a unit");
        assert!(text.starts_with("[Unit]\n") && !text.contains("/usr/local"), "{text}");
        assert!(text.contains(&format!("\nExecStart=/usr/bin/morpion {command}")), "{text}");
    }
}

/// Appends the files of `results/` that the sources in a folder include.
fn embedded_results(folder: &Path, names: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            embedded_results(&path, names);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            for included in text.split("include_str!(\"").chain(text.split("include_bytes!(\"")).skip(1) {
                let name = included.split('"').next().unwrap_or_default().trim_start_matches("../");
                if name.starts_with("results/") && !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
        }
    }
}

#[test]
fn the_container_is_made_of_files_that_exist() {
    let recipe = file("Dockerfile");
    let minor = env!("CARGO_PKG_RUST_VERSION");
    assert!(recipe.lines().any(|line| line == format!("ARG RUST={minor}")), "it is built with Rust {minor}");
    let copies = recipe.lines().filter_map(|line| line.strip_prefix("COPY ")).filter(|line| !line.starts_with("--"));
    let (mut tried, left_out) = (0, file(".dockerignore"));
    for copy in copies {
        let words: Vec<&str> = copy.split(' ').collect();
        for source in &words[..words.len() - 1] {
            tried += 1;
            assert!(root().join(source).exists(), "there is no {source}");
            assert!(!left_out.lines().any(|name| name == *source), "{source} is left out by .dockerignore");
        }
    }
    assert!(tried >= 4, "only {tried} files were found");
    // What the program has within it comes from these folders only; of the results the container gets what it names.
    let mut embedded = Vec::new();
    for sources in ["engine/src", "src"] {
        embedded_results(&root().join(sources), &mut embedded);
    }
    assert!(!embedded.is_empty(), "no file of results/ is embedded any more");
    for name in embedded {
        assert!(root().join(&name).exists(), "there is no {name}");
        assert!(left_out.lines().any(|line| line == format!("!{name}")), "{name} is left out by .dockerignore");
    }
    for name in ["start", "health"] {
        let path = root().join("packaging/container").join(name);
        assert_ne!(fs::metadata(&path).expect("a file").permissions().mode() & 0o111, 0, "{name} cannot be run");
        assert!(Command::new("sh").arg("-n").arg(&path).status().expect("sh runs").success(), "{name}");
        assert!(recipe.contains(&format!("\"/usr/local/lib/morpion/{name}\"")), "{name} is not used");
    }
}

#[test]
fn the_citation_names_this_version() {
    let citation = file("CITATION.cff");
    let version = format!("version: {}", env!("CARGO_PKG_VERSION"));
    assert!(citation.lines().any(|line| line == version), "CITATION.cff has another version than Cargo.toml");
}
