//! What the dependencies may be: their licences, their sources, that there is one version of each but for those
//! listed, and that the oldest toolchain compiles them. The lists are in `deny.toml`. Nothing is fetched.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
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

fn rules() -> toml::Table {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/deny.toml");
    std::fs::read_to_string(path).expect("deny.toml").parse().expect("TOML")
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
        // The program itself has no source.
        assert!(known || (source.is_empty() && name == env!("CARGO_PKG_NAME")), "{name} comes from '{source}'");
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
