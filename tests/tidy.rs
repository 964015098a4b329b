//! The house rules that a program can check, over all of `engine/src/` and `src/`: the order of imports, where output,
//! clock, files and threads may be used, the size of files, and what an `unsafe` block has to say.
//!
//! Comments and the test modules at the ends of files are not looked at, where a rule is about code that runs.

#[path = "tidy/scripts.rs"]
mod scripts;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The modules of the engine in dependency order: each imports only from itself and from those before it.
const ENGINE: [&str; 8] = ["core", "morpion", "notation", "games", "strategies", "proofs", "solvers", "tactics"];

/// The modules of the program likewise. All of them may import from the engine.
const PROGRAM: [&str; 10] =
    ["language", "jobs", "files", "queue", "store", "render", "runner", "experiment", "daemon", "cli"];

/// Where the sources of both packages are, and their modules.
const PACKAGES: [(&str, &[&str]); 2] = [("engine/src", &ENGINE), ("src", &PROGRAM)];

/// Most lines of a file.
const LONGEST: usize = 700;

struct Source {
    /// The folder of the package's sources.
    folder: &'static str,
    /// Path below that, with `/`.
    name: String,
    text: String,
}

impl Source {
    /// The top-level module, or `main` and `lib` for the two files at the top.
    fn module(&self) -> &str {
        self.name.split(['/', '.']).next().unwrap_or_default()
    }

    /// Path from the root of the repository.
    fn path(&self) -> String {
        format!("{}/{}", self.folder, self.name)
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
    PACKAGES.iter().flat_map(|&(folder, _)| sources_of(folder)).collect()
}

fn sources_of(folder: &'static str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    assert!(files.len() > 10, "no sources in {}", root.display());
    let name = |path: &PathBuf| {
        let parts = path.strip_prefix(&root).unwrap().components();
        parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    };
    let source = |path| Source { folder, name: name(path), text: std::fs::read_to_string(path).unwrap() };
    files.iter().map(source).collect()
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
fn modules_are_listed_in_their_order() {
    for (folder, modules) in PACKAGES {
        let sources = sources_of(folder);
        let library = sources.iter().find(|source| source.name == "lib.rs").expect("lib.rs");
        let listed = library.text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
        assert_eq!(listed.collect::<Vec<_>>(), modules, "{folder}/lib.rs lists the modules in the order of PACKAGES");
    }
}

#[test]
fn modules_import_only_from_those_before_them() {
    let place = |module: &str| ENGINE.iter().chain(&PROGRAM).position(|&m| m == module);
    let mut complaints = String::new();
    for source in sources() {
        let Some(own) = place(source.module()) else { continue };
        for (n, line) in source.code() {
            for name in named_modules(line) {
                if place(name).is_some_and(|other| other > own) {
                    let _ = writeln!(complaints, "{}:{n}: {} imports from {name}", source.path(), source.module());
                }
            }
        }
    }
    report(&complaints);
}

/// Words that code of some modules may not have.
#[test]
fn output_clock_files_and_threads_stay_where_they_belong() {
    const PURE: &[&str] =
        &["language", "core", "morpion", "notation", "games", "strategies", "proofs", "solvers", "tactics", "jobs"];
    // The disk, and the rayon pool of the caller.
    const EXCEPT: &[(&str, &[&str])] =
        &[("notation/file.rs", &["std::fs", "std::process"]), ("jobs/enumerate.rs", &["rayon"])];
    const PRINTING: &[&str] = &["println!", "print!", "eprintln!", "eprint!", "io::stdout", "io::stderr"];
    /// The one place that opens the streams.
    const STREAMS: &str = "cli/streams.rs";
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
                    let _ = writeln!(complaints, "{}:{n}: {word} {reason}", source.path());
                }
            };
            forbid(NOWHERE, "is not left in code");
            if source.name != STREAMS {
                forbid(PRINTING, "belongs into src/cli/streams.rs: it panics or hides that a stream is full");
            }
            if module != "cli" {
                forbid(&["process::exit"], "belongs into src/cli");
                if module != "main" {
                    forbid(&["anyhow"], "belongs into src/cli; elsewhere errors are typed");
                }
            }
            if PURE.contains(&module) {
                let excepted =
                    EXCEPT.iter().find(|(name, _)| *name == source.name).map_or(&[][..], |(_, words)| *words);
                let world: Vec<&str> = WORLD.iter().copied().filter(|word| !excepted.contains(word)).collect();
                forbid(&world, "is not allowed here: the module is pure (ARCHITECTURE, invariant 1)");
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
            let _ = writeln!(complaints, "{}: {lines} lines, at most {LONGEST} are allowed", source.path());
        }
        if !source.text.starts_with("//!") {
            let _ = writeln!(complaints, "{}: does not open with what it is (//!)", source.path());
        }
        for (n, line) in (1..).zip(source.text.lines()) {
            for word in ["FIXME", "TODO", "XXX"] {
                if has_word(line, word) {
                    let _ = writeln!(complaints, "{}:{n}: {word} is left", source.path());
                }
            }
        }
    }
    report(&complaints);
}

/// What stands at the top of the repository: nothing comes there by accident.
const TOP: &str = ".cargo .ci .dockerignore .github .gitignore ARCHITECTURE.md CHANGELOG.md CITATION.cff \
    CONTRIBUTING.md Cargo.lock Cargo.toml Dockerfile LICENSE-APACHE LICENSE-MIT README.md SECURITY.md benches \
    clippy.toml configs deny.toml docs engine examples fuzz grids packaging results rustfmt.toml src tests web";

#[test]
fn the_top_has_only_what_belongs_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = std::process::Command::new("git").arg("ls-files").current_dir(root).output();
    let Some(listed) = listed.ok().filter(|listed| listed.status.success() && !listed.stdout.is_empty()) else {
        eprintln!("not in a checkout of git, or without git: the files at the top are not looked at");
        return;
    };
    let listed = String::from_utf8(listed.stdout).unwrap();
    let top: std::collections::BTreeSet<&str> = listed.lines().filter_map(|path| path.split('/').next()).collect();
    let strange: Vec<&&str> = top.iter().filter(|name| !TOP.split(' ').any(|known| known == **name)).collect();
    report(&strange.iter().map(|name| format!("{name}: not a part of the project\n")).collect::<String>());
}

#[test]
fn comments_are_no_wider_than_the_code() {
    const WIDEST: usize = 118;
    let mut complaints = String::new();
    for source in sources() {
        let comments = (1..).zip(source.text.lines()).filter(|(_, line)| line.trim_start().starts_with("//"));
        for (n, columns) in comments.map(|(n, line)| (n, line.chars().count())).filter(|&(_, c)| c > WIDEST) {
            let _ = writeln!(complaints, "{}:{n}: {columns} columns, at most {WIDEST} are allowed", source.path());
        }
    }
    report(&complaints);
}

/// The comments of items: the line that each begins in, from 1, and its number of words.
fn item_comments(text: &str) -> Vec<(usize, usize)> {
    let mut comments: Vec<(usize, usize)> = Vec::new();
    let mut inside = false;
    for (n, line) in (1..).zip(text.lines()) {
        let comment = line.trim_start().strip_prefix("///");
        match (comment, inside) {
            (Some(text), false) => comments.push((n, text.split_whitespace().count())),
            (Some(text), true) => comments.last_mut().expect("one is begun").1 += text.split_whitespace().count(),
            (None, _) => (),
        }
        inside = comment.is_some();
    }
    comments
}

/// What one or two words say of an item ("The unit.") its name says too.
#[test]
fn item_comments_say_more_than_a_name() {
    const LEAST_WORDS: usize = 3;
    let (mut complaints, mut count) = (String::new(), 0);
    for source in sources() {
        for (n, words) in item_comments(&source.text) {
            count += 1;
            if words < LEAST_WORDS {
                let name = source.path();
                let _ = writeln!(complaints, "{name}:{n}: the comment has {words} words: say more, or nothing");
            }
        }
    }
    assert!(count > 1000, "{count} comments");
    report(&complaints);
}

/// The name that a line declares as a type: of a structure, an enumeration, a union, a trait, or, at the top of a
/// module, another name for a type. An indented `type` belongs to a trait.
fn declared_type(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    let indented = rest.len() < line.len();
    if let Some(public) = rest.strip_prefix("pub") {
        let public =
            public.strip_prefix('(').and_then(|scope| scope.split_once(')')).map_or(public, |(_, rest)| rest);
        rest = public.strip_prefix(' ')?;
    }
    rest = rest.strip_prefix("unsafe ").unwrap_or(rest);
    let kinds = ["struct ", "enum ", "union ", "trait "].iter();
    let kinds = kinds.chain((!indented).then_some(&"type "));
    let name = kinds.filter_map(|kind| rest.strip_prefix(kind)).next()?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    name.starts_with(|c: char| c.is_uppercase()).then_some(&name[..end])
}

/// The declarations of types that `of` tells, by what it makes of a file's module and a line: the files of each.
fn declarations<'a, K: Ord>(
    sources: &'a [Source],
    of: impl Fn(&'a str, &'a str) -> Option<K>,
) -> BTreeMap<K, Vec<&'a str>> {
    let mut files: BTreeMap<K, Vec<&str>> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.name.ends_with("tests.rs")) {
        for (_, line) in source.code() {
            if let Some(key) = of(source.module(), line) {
                files.entry(key).or_default().push(&source.name);
            }
        }
    }
    files
}

/// Names that several types have on purpose.
const SHARED_ON_PURPOSE: &[&str] = &["Args", "Error"];

/// The name of a type that has to have one of its own.
fn own_name(line: &str) -> Option<&str> {
    declared_type(line).filter(|name| !SHARED_ON_PURPOSE.contains(name))
}

/// One word for one thing: within a top folder no two public types have the same name.
#[test]
fn public_types_have_names_of_their_own_in_their_folder() {
    let sources = sources();
    let public = |line: &str| line.trim_start().starts_with("pub");
    let names =
        declarations(&sources, |folder, line| own_name(line).filter(|_| public(line)).map(|name| (folder, name)));
    assert!(names.len() > 500, "{} public types", names.len());
    let mut complaints = String::new();
    for ((folder, name), files) in names.iter().filter(|(_, files)| files.len() > 1) {
        let _ = writeln!(complaints, "{folder}: {name} is declared more than once: {}", files.join(", "));
    }
    report(&complaints);
}

/// One word for one thing: a name is declared by one type, public or not, in the whole crate. Before the words were put
/// in order 45 % of the declarations shared their name with another one.
#[test]
fn types_have_names_of_their_own() {
    const MOST_PERCENT: f64 = 2.0;
    let sources = sources();
    let mut names = declarations(&sources, |_, line| own_name(line));
    let all: usize = names.values().map(Vec::len).sum();
    names.retain(|_, files| files.len() > 1);
    let shared: usize = names.values().map(Vec::len).sum();
    let percent = 100.0 * shared as f64 / all as f64;
    println!("{shared} of {all} declarations of types share their name with another one: {percent:.1} %");
    for (name, files) in &names {
        println!("{name}: {}", files.join(", "));
    }
    assert!(all > 500, "{all} types");
    assert!(
        percent <= MOST_PERCENT,
        "{percent:.1} % is more than {MOST_PERCENT} %: give the new type a name of its own"
    );
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
                    let _ = writeln!(complaints, "{}:{}: no SAFETY: comment above unsafe", source.path(), i + 1);
                }
            }
        }
    }
    report(&complaints);
}

/// The name of a function that a line declares as unsafe.
fn unsafe_function(line: &str) -> Option<&str> {
    let rest = line.trim_start();
    let rest = rest.strip_prefix("pub").map_or(rest, |rest| rest.split_once("unsafe").map_or(rest, |(_, _)| rest));
    let (before, name) = rest.split_once("unsafe fn ")?;
    let is_start = before.trim().is_empty() || before.trim().starts_with('(') || before.trim() == "const";
    is_start.then(|| &name[..name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len())])
}

/// Every unsafe function says under `# Safety` what its callers promise. One that implements a trait's function has
/// that of the trait.
#[test]
fn unsafe_functions_say_what_their_callers_promise() {
    let (mut said, mut silent) = (Vec::new(), Vec::new());
    for source in sources() {
        let lines: Vec<&str> = source.text.lines().collect();
        for (i, line) in lines.iter().enumerate() {
            let Some(name) = unsafe_function(without_comment(line)) else { continue };
            let above = lines[..i].iter().rev().map(|line| line.trim_start());
            let mut comment = above.take_while(|line| line.starts_with("///") || line.starts_with("#["));
            if comment.any(|line| line == "/// # Safety") {
                said.push(name.to_owned());
            } else {
                let block = lines[..i].iter().rev().find(|line| line.trim_start().starts_with("impl"));
                let of_trait = block.is_some_and(|line| line.contains(" for "));
                silent.push((name.to_owned(), of_trait, format!("{}:{}", source.path(), i + 1)));
            }
        }
    }
    assert!(said.len() > 20 && silent.len() > 20, "{} and {}", said.len(), silent.len());
    let wrong: Vec<&String> =
        silent.iter().filter(|(name, of_trait, _)| !of_trait || !said.contains(name)).map(|(.., at)| at).collect();
    assert!(wrong.is_empty(), "no section `# Safety`: {wrong:?}");
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
    assert_eq!(declared_type("pub(super) struct Unit<R> {"), Some("Unit"));
    assert_eq!(declared_type("    pub enum Kind {"), Some("Kind"));
    assert_eq!((declared_type("type Rows = u8;"), declared_type("    type Rows = u8;")), (Some("Rows"), None));
    assert_eq!((declared_type("struct_like(x)"), declared_type("let enum_ = 3;")), (None, None));
    assert_eq!(unsafe_function("    pub(super) unsafe fn step<I>(&mut self) {"), Some("step"));
    assert_eq!(unsafe_function("unsafe fn a();"), Some("a"));
    assert_eq!(
        (unsafe_function("fn a() { unsafe { b() } }"), unsafe_function("let f: unsafe fn () = g;")),
        (None, None)
    );
    assert_eq!(item_comments("/// Why.\nx\n    /// A b\n    /// c.\n// d\n///\n"), [(1, 1), (3, 3), (6, 0)]);
    let source =
        Source { folder: "engine/src", name: "core/x.rs".into(), text: "a // b\n#[cfg(test)]\nmod tests {".into() };
    assert_eq!(source.module(), "core");
    assert_eq!(source.code().collect::<Vec<_>>(), [(1, "a ")]);
}
