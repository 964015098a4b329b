//! The house rules that a program can check, over all of `src/`: the order of imports, where output, clock, files and
//! threads may be used, the size of files, and what an `unsafe` block has to say.
//!
//! Comments and the test modules at the ends of files are not looked at, where a rule is about code that runs.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The modules in dependency order: each imports only from itself and from those before it.
const ORDER: [&str; 13] = [
    "core",
    "morpion",
    "notation",
    "games",
    "strategies",
    "solvers",
    "jobs",
    "queue",
    "store",
    "render",
    "runner",
    "daemon",
    "cli",
];

/// Most lines of a file.
const LONGEST: usize = 700;

struct Source {
    /// Path below `src`, with `/`.
    name: String,
    text: String,
}

impl Source {
    /// The top-level module, or `main` and `lib` for the two files at the top.
    fn module(&self) -> &str {
        self.name.split(['/', '.']).next().unwrap_or_default()
    }

    /// The lines with their numbers, without comments, up to the test module.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let code = self.text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
        (1..).zip(code.map(without_comment))
    }
}

/// The line up to a `//` outside of quotes.
fn without_comment(line: &str) -> &str {
    let (mut quoted, mut escaped) = (false, false);
    for (i, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' if !line[..i].ends_with('\'') => quoted = !quoted,
            '/' if !quoted && line[i..].starts_with("//") => return &line[..i],
            _ => (),
        }
    }
    line
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    assert!(files.len() > 10, "no sources in {}", root.display());
    files
        .iter()
        .map(|path| Source {
            name: path
                .strip_prefix(&root)
                .unwrap()
                .components()
                .map(|c| c.as_os_str().to_string_lossy())
                .collect::<Vec<_>>()
                .join("/"),
            text: std::fs::read_to_string(path).unwrap(),
        })
        .collect()
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

/// Fails with all complaints at once.
fn report(complaints: &str) {
    assert!(complaints.is_empty(), "\n{complaints}");
}

/// Whether `word` stands in `line` as a whole word: no letter, digit or underscore goes on at its ends.
fn has_word(line: &str, word: &str) -> bool {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(i, _)| {
        let begins = !line[..i].ends_with(part_of_name);
        let ends = !word.ends_with(part_of_name) || !line[i + word.len()..].starts_with(part_of_name);
        begins && ends
    })
}

/// The top-level modules that a line names after `crate::`, several of them if in braces.
fn named_modules(line: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for (i, _) in line.match_indices("crate::") {
        // `$crate` is a macro's, and `other_crate::` is not ours.
        if line[..i].ends_with(|c: char| c == '$' || c == '_' || c.is_alphanumeric()) {
            continue;
        }
        let rest = &line[i + "crate::".len()..];
        let word = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 0;
            for item in list.split(',') {
                if depth == 0 {
                    let item = item.trim_start();
                    names.push(&item[..word(item)]);
                }
                depth += item.matches('{').count() as i32 - item.matches('}').count() as i32;
            }
        } else {
            names.push(&rest[..word(rest)]);
        }
    }
    names
}

#[test]
fn modules_are_those_that_the_order_names() {
    let listed: Vec<String> = sources()
        .iter()
        .filter(|s| s.name == "lib.rs")
        .flat_map(|s| s.text.lines().map(str::to_owned).collect::<Vec<_>>())
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';').map(str::to_owned))
        .collect();
    let mut known = ORDER.map(str::to_owned);
    known.sort();
    assert_eq!(listed, known, "a new module must be given its place in ORDER");
}

#[test]
fn modules_import_only_from_those_before_them() {
    let place = |module: &str| ORDER.iter().position(|&m| m == module);
    let mut complaints = String::new();
    for source in sources() {
        let Some(own) = place(source.module()) else { continue };
        for (n, line) in source.code() {
            for name in named_modules(line) {
                if place(name).is_some_and(|other| other > own) {
                    let _ = writeln!(complaints, "src/{}:{n}: {} imports from {name}", source.name, source.module());
                }
            }
        }
    }
    report(&complaints);
}

/// Words that code of some modules may not have.
#[test]
fn output_clock_files_and_threads_stay_where_they_belong() {
    const PURE: &[&str] = &["core", "morpion", "games", "strategies", "solvers"];
    const PRINTING: &[&str] =
        &["println!", "print!", "eprintln!", "eprint!", "std::io::stdout", "io::stderr", "process::exit"];
    const WORLD: &[&str] = &[
        "Instant",
        "SystemTime",
        "std::thread",
        "thread::spawn",
        "std::fs",
        "std::net",
        "std::env",
        "std::process",
        "rayon",
        "crossbeam_channel",
        "thread_rng",
        "rand::rng",
    ];
    const NOWHERE: &[&str] = &["dbg!", "todo!", "unimplemented!", "static mut"];
    let mut complaints = String::new();
    for source in sources() {
        let module = source.module();
        for (n, line) in source.code() {
            let mut forbid = |words: &[&str], reason: &str| {
                for word in words.iter().filter(|word| has_word(line, word)) {
                    let _ = writeln!(complaints, "src/{}:{n}: {word} {reason}", source.name);
                }
            };
            forbid(NOWHERE, "is not left in code");
            if module != "cli" {
                forbid(PRINTING, "belongs into src/cli");
                if module != "main" {
                    forbid(&["anyhow"], "belongs into src/cli; elsewhere errors are typed");
                }
            }
            if PURE.contains(&module) {
                forbid(WORLD, "is not for core, morpion, games, strategies and solvers, which are pure");
            }
        }
    }
    report(&complaints);
}

#[test]
fn files_are_short_say_what_they_are_and_leave_nothing_open() {
    let mut complaints = String::new();
    for source in sources() {
        let lines = source.text.lines().count();
        if lines > LONGEST {
            let _ = writeln!(complaints, "src/{}: {lines} lines, at most {LONGEST} are allowed", source.name);
        }
        if !source.text.starts_with("//!") {
            let _ = writeln!(complaints, "src/{}: does not open with what it is (//!)", source.name);
        }
        for (n, line) in (1..).zip(source.text.lines()) {
            for word in ["FIXME", "TODO", "XXX"] {
                if has_word(line, word) {
                    let _ = writeln!(complaints, "src/{}:{n}: {word} is left", source.name);
                }
            }
        }
    }
    report(&complaints);
}

/// A `SAFETY:` comment stands on the line of each unsafe block or implementation or in the lines just above it.
#[test]
fn unsafe_blocks_say_why_they_are_sound() {
    const ABOVE: usize = 4;
    let mut complaints = String::new();
    for source in sources() {
        let lines: Vec<&str> = source.text.lines().collect();
        for (i, line) in lines.iter().enumerate() {
            let code = without_comment(line);
            if has_word(code, "unsafe {") || has_word(code, "unsafe impl") {
                let said = lines[i.saturating_sub(ABOVE)..=i].iter().any(|line| line.contains("SAFETY:"));
                if !said {
                    let _ = writeln!(complaints, "src/{}:{}: no SAFETY: comment above unsafe", source.name, i + 1);
                }
            }
        }
    }
    report(&complaints);
}

/// The checks above would notice what they look for.
#[test]
fn the_checks_see() {
    assert_eq!(without_comment("a // b"), "a ");
    assert_eq!(without_comment("\"http://x\" // b"), "\"http://x\" ");
    assert_eq!(without_comment("'\"' // b"), "'\"' ");
    assert_eq!(without_comment("\"\\\"// c\""), "\"\\\"// c\"");
    assert!(has_word("    println!(\"\")", "println!") && !has_word("eprintln!()", "println!"));
    assert!(has_word("use rayon::x;", "rayon") && !has_word("crayon", "rayon"));
    assert_eq!(named_modules("use crate::cli::x; crate::core::y"), ["cli", "core"]);
    assert_eq!(named_modules("use crate::{cli::{a, b}, core};"), ["cli", "core"]);
    assert!(named_modules("$crate::cli my_crate::cli").is_empty());
    let source = Source { name: "core/x.rs".into(), text: "a // b\n#[cfg(test)]\nmod tests {".into() };
    assert_eq!(source.module(), "core");
    assert_eq!(source.code().collect::<Vec<_>>(), [(1, "a ")]);
}
