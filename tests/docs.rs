//! The documents are true as far as a program can check it: links and anchors exist, every command line shown is one
//! that the program accepts, `docs/commands.md` is what the command line says of itself, and the book lists every
//! page.
//!
//! `MORPION_WRITE=1 cargo test --test docs` writes the generated pages anew: `docs/commands.md`,
//! `docs/parameters.md` and `docs/library.md`.

#[path = "docs/surface.rs"]
mod surface;

use clap::Command;
use clap::error::ErrorKind;
use morpion::core::setting::{SettingInfo, ValueKind};
use morpion::jobs::hunt_settings::{self, COMMON, HUNT_SETTINGS};
use morpion::strategies::table::STRATEGIES;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Columns of the help texts in `docs/commands.md`.
const WIDTH: usize = 100;

/// A Markdown file.
struct Document {
    /// Path below the repository's root, with `/`.
    name: String,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All Markdown files of the repository, sorted by name.
fn documents() -> Vec<Document> {
    let mut paths = Vec::new();
    collect(root(), &mut paths);
    paths.sort();
    assert!(paths.len() > 10, "too few documents below {}", root().display());
    paths
        .iter()
        .map(|path| Document { name: name_of(path), text: fs::read_to_string(path).expect("a text") })
        .collect()
}

fn collect(directory: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" {
                collect(&path, paths);
            }
        } else if name.ends_with(".md") {
            paths.push(path);
        }
    }
}

fn name_of(path: &Path) -> String {
    let below = path.strip_prefix(root()).expect("below the root");
    below.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// The documents that show commands to be typed. Those in `results/` show what was typed, with placeholders.
fn guides() -> impl Iterator<Item = Document> {
    documents()
        .into_iter()
        .filter(|document| !document.name.starts_with("results/") && document.name != "CHANGELOG.md")
}

/// Fails with all complaints at once.
fn report(complaints: &str) {
    assert!(complaints.is_empty(), "\n{complaints}");
}

/// The numbered lines of a document; `true` for those of a block of code.
fn lines(text: &str) -> impl Iterator<Item = (usize, bool, &str)> {
    let mut fenced = false;
    (1..).zip(text.lines()).map(move |(number, line)| {
        let fence = line.trim_start().starts_with("```");
        let code = fenced || fence || line.starts_with("    ");
        fenced ^= fence;
        (number, code && !fence, if fence { "" } else { line })
    })
}

/// The line without what stands between backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// What stands between backticks in the line.
fn spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The targets of the links and pictures in a line.
fn targets(line: &str) -> Vec<String> {
    let line = without_code(line);
    line.match_indices("](").filter_map(|(at, _)| line[at + 2..].split(')').next().map(str::to_owned)).collect()
}

/// The anchors of a document, as GitHub and mdBook make them from headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for (_, code, line) in lines(text) {
        if let (false, true, Some(title)) =
            (code, line.starts_with('#'), line.trim_start_matches('#').strip_prefix(' '))
        {
            let anchor = anchor(title);
            let free = (0..).map(|n| if n == 0 { anchor.clone() } else { format!("{anchor}-{n}") });
            let name = free.into_iter().find(|name| !known.contains(name)).expect("one is free");
            known.insert(name);
        }
    }
    known
}

fn anchor(title: &str) -> String {
    let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut complaints = String::new();
    let mut tried = 0;
    for document in documents() {
        let folder = root().join(&document.name).parent().expect("a folder").to_owned();
        for (number, code, line) in lines(&document.text) {
            if code {
                continue;
            }
            for target in targets(line) {
                if target.contains("://") || target.starts_with("mailto:") {
                    continue;
                }
                tried += 1;
                let (path, wanted) = target.split_once('#').map_or((target.as_str(), None), |(p, a)| (p, Some(a)));
                let path = if path.is_empty() { root().join(&document.name) } else { folder.join(path) };
                let complaint = match wanted {
                    _ if !path.exists() => "there is no such file",
                    Some(wanted) if !anchors(&fs::read_to_string(&path).unwrap_or_default()).contains(wanted) => {
                        "the file has no such heading"
                    }
                    _ => continue,
                };
                let _ = writeln!(complaints, "{}:{number}: {target}: {complaint}", document.name);
            }
        }
    }
    report(&complaints);
    assert!(tried > 50, "only {tried} links were found");
}

/// Folders of the repository whose files are named in running text.
const FOLDERS: [&str; 10] =
    ["engine/", "src/", "tests/", "docs/", "configs/", "results/", "grids/", "fuzz/", "examples/", "packaging/"];

#[test]
fn every_file_that_is_named_exists() {
    let mut complaints = String::new();
    let mut tried = 0;
    for document in guides() {
        for (number, _, line) in lines(&document.text).filter(|(_, code, _)| !code) {
            // Not one that the reader is to choose, nor several.
            let fixed = |span: &&str| !span.contains([' ', '*']) && !span.contains("NAME");
            for span in spans(line).filter(fixed).filter(|span| FOLDERS.iter().any(|folder| span.starts_with(folder)))
            {
                tried += 1;
                if !root().join(span).exists() {
                    let _ = writeln!(complaints, "{}:{number}: there is no {span}", document.name);
                }
            }
        }
    }
    report(&complaints);
    assert!(tried > 50, "only {tried} files were found");
}

/// The words of all sources, and of the tests but for this one.
fn words_of_the_source() -> BTreeSet<String> {
    let mut paths = Vec::new();
    for folder in ["engine/src", "engine/tests", "src", "tests"] {
        collect_sources(&root().join(folder), &mut paths);
    }
    paths.retain(|path| !path.ends_with("tests/docs.rs"));
    let texts = paths.iter().map(|path| fs::read_to_string(path).expect("a source is read"));
    let word =
        |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect::<Vec<_>>();
    texts.flat_map(|text| word(&text)).collect()
}

fn collect_sources(directory: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a folder is read") {
        let path = entry.expect("an entry is read").path();
        if path.is_dir() {
            collect_sources(&path, paths);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            paths.push(path);
        }
    }
}

#[test]
fn every_name_of_the_code_is_one() {
    let words = words_of_the_source();
    let (mut complaints, mut tried) = (String::new(), 0);
    // The changelog names what was.
    for document in documents().into_iter().filter(|document| document.name != "CHANGELOG.md") {
        for (number, _, line) in lines(&document.text).filter(|(_, code, _)| !code) {
            let names = spans(line).filter(|span| span.contains("::") && !span.contains([' ', '/', '"']));
            for (span, name) in names.flat_map(|span| span.split("::").map(move |name| (span, name))) {
                let name = name.split(['(', '<', '{', '!']).next().unwrap_or_default();
                tried += 1;
                if !words.contains(name) && !name.is_empty() {
                    let _ =
                        writeln!(complaints, "{}:{number}: there is no {name} in the source: {span}", document.name);
                }
            }
        }
    }
    report(&complaints);
    assert!(tried > 30, "only {tried} names were found");
}

#[test]
fn the_map_has_every_folder_of_the_source() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the map");
    for sources in ["engine/src", "src"] {
        let start = format!("| `{sources}/");
        let rows = map.lines().filter_map(|line| line.strip_prefix(&*start)?.split_once("/` |"));
        let named: BTreeSet<String> = rows.map(|(folder, _)| folder.to_owned()).collect();
        let entries = fs::read_dir(root().join(sources)).expect("the source").map(|entry| entry.expect("an entry"));
        let folders = entries.filter(|entry| entry.path().is_dir());
        let folders: BTreeSet<String> =
            folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        assert_eq!(named, folders, "{sources}");
    }
}

/// The words of a line of a shell; quotes keep words together, ` #` begins a comment. `None` if a quote stays open.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(q), _) if q == c => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// The calls of the program in a line of a shell: the words after `morpion` or `cargo run --release --`.
fn calls(line: &str) -> Vec<Vec<String>> {
    let line = line.trim_start().trim_start_matches("$ ").replace("$(morpion ", "; morpion ").replace(')', " ; ");
    let Some(words) = words(&line.replace("; ", " ; ")) else { return Vec::new() };
    let commands = words.split(|word| ["|", "&&", ";", "&", "||"].contains(&word.as_str()));
    commands
        .filter_map(|command| {
            let is_variable = |word: &String| word.contains('=') && !word.starts_with('-');
            let start = command.iter().position(|word| !is_variable(word))?;
            let command = &command[start..];
            let command = command.split(|word| word == ">" || word == "<").next()?;
            let arguments = match command {
                [program, rest @ ..] if program == "morpion" => rest,
                [cargo, run, release, dashes, rest @ ..]
                    if [cargo.as_str(), run, release, dashes] == ["cargo", "run", "--release", "--"] =>
                {
                    rest
                }
                _ => return None,
            };
            Some(arguments.to_vec())
        })
        .collect()
}

/// What the documents write for a value of the reader's own.
const PLACEHOLDERS: [(&str, &str); 7] =
    [("ID", "1"), ("N", "1"), ("K", "1"), ("SCORE", "100"), ("TIME", "1h"), ("GAME", "reversi"), ("COMMAND", "show")];

/// Why the program would not take these arguments.
fn refusal(arguments: &[String]) -> Option<clap::Error> {
    let value = |word: &String| match PLACEHOLDERS.iter().find(|(name, _)| name == word) {
        Some((_, value)) => (*value).to_owned(),
        None if word.starts_with('$') => "1".to_owned(),
        None => word.clone(),
    };
    let words = ["morpion".to_owned()].into_iter().chain(arguments.iter().map(value));
    let error = morpion::cli::command().try_get_matches_from(words).err()?;
    (!matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)).then_some(error)
}

/// Whether the error is only that something is left out, which a name of a command in running text may do.
fn is_incomplete(error: &clap::Error) -> bool {
    use ErrorKind::*;
    matches!(
        error.kind(),
        DisplayHelpOnMissingArgumentOrSubcommand | MissingRequiredArgument | MissingSubcommand | TooFewValues
    )
}

#[test]
fn every_command_that_is_shown_is_one() {
    let mut complaints = String::new();
    let mut tried = 0;
    // The reference of commands is generated, and checked by a test of its own.
    for document in guides().filter(|document| document.name != "docs/commands.md") {
        for (number, code, line) in lines(&document.text) {
            let shown: Vec<&str> = if code { vec![line] } else { spans(line).collect() };
            for arguments in shown.into_iter().flat_map(calls) {
                // A command left open in running text.
                if !code && arguments.iter().any(|word| word == "...") {
                    continue;
                }
                tried += 1;
                if let Some(error) = refusal(&arguments).filter(|error| code || !is_incomplete(error)) {
                    let error = error.to_string();
                    let error = error.lines().next().unwrap_or_default();
                    let _ =
                        writeln!(complaints, "{}:{number}: morpion {}: {error}", document.name, arguments.join(" "));
                }
            }
        }
    }
    report(&complaints);
    assert!(tried > 60, "only {tried} commands were found");
}

/// The text of `docs/commands.md`.
fn reference() -> String {
    let mut text = String::from(
        "# Commands\n\nEvery command with its flags, as `morpion COMMAND --help` prints them. This page is generated \
         from the program\n(`MORPION_WRITE=1 cargo test --test docs`), so please do not edit it.\n",
    );
    let mut program = morpion::cli::command().term_width(WIDTH);
    program.build();
    let flags: BTreeSet<String> = program.get_arguments().map(|flag| flag.get_id().to_string()).collect();
    describe(&program, "morpion", &flags, &mut text);
    text
}

/// Writes the help of a command and of those below it. The flags of a hunt are written once, with the program itself.
fn describe(command: &Command, path: &str, hunt: &BTreeSet<String>, text: &mut String) {
    let _ = write!(text, "\n## {path}\n\n");
    let is_hunt = |command: &Command| {
        let flags: BTreeSet<String> = command.get_arguments().map(|flag| flag.get_id().to_string()).collect();
        flags.is_superset(&hunt.iter().filter(|flag| *flag != "version").cloned().collect())
    };
    let mut shown = command.clone().mut_args(|flag| flag.hide_env_values(true)).disable_help_flag(true);
    if path != "morpion" && is_hunt(command) {
        text.push_str("It also takes every flag of a hunt; see [morpion](#morpion).\n\n");
        shown = shown.mut_args(|flag| if hunt.contains(flag.get_id().as_str()) { flag.hide(true) } else { flag });
    }
    let help = shown.render_long_help().to_string();
    let _ = write!(text, "```text\n{}\n```\n", tidied(&help));
    for below in command.get_subcommands().filter(|below| below.get_name() != "help" && !below.is_hide_set()) {
        describe(below, &format!("{path} {}", below.get_name()), hunt, text);
    }
}

/// The help without blanks at the ends of lines.
fn tidied(help: &str) -> String {
    help.trim().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// The text of `docs/parameters.md`.
fn parameters() -> String {
    let mut text = String::from(
        "# Parameters\n\nThe strategies of hunts and their parameters, as the program's tables have them. This page is \
         generated from the program\n(`MORPION_WRITE=1 cargo test --test docs`), so please do not edit it. \
         [Strategies](strategies.md) says what each search does.\n",
    );
    let _ = write!(
        text,
        "\nIn a configuration file the name of a parameter has `_` for `-` and no dashes in front. Counts take units: \
         1000, 50M, 2G.\n\n## Strategies\n\n| strategy | what it does | counts | takes grids |\n|---|---|---|---|\n"
    );
    for row in STRATEGIES.iter().rev() {
        let grids = if row.takes_grids { "yes" } else { "" };
        let _ = writeln!(text, "| `{}` | {} | {} | {grids} |", row.name, row.summary, row.counts);
    }
    text.push_str(
        "\n## Parameters of strategies\n\n| flag | used by (default) | values | what it does |\n|---|---|---|---|\n",
    );
    for about in hunt_settings::of_strategies() {
        add_row(about, &used_by(about), &mut text);
    }
    text.push_str("\n## Settings of every hunt\n\n| flag | default | values | what it does |\n|---|---|---|---|\n");
    for row in HUNT_SETTINGS.iter().filter(|row| COMMON.contains(&row.about.name)) {
        add_row(&row.about, row.about.unset, &mut text);
    }
    text
}

fn add_row(about: &SettingInfo, used_by: &str, text: &mut String) {
    let choices = about.kind.choices().iter().map(|choice| choice.value).collect::<Vec<_>>().join(", ");
    let values = match about.kind {
        ValueKind::Switch => "on, off".to_owned(),
        ValueKind::Rows(_) if !choices.is_empty() => format!("{choices}, or rows of your own"),
        kind => kind.range().unwrap_or(choices),
    };
    let values = format!("{values} {}", about.unit.unwrap_or_default());
    let cells = [&format!("`{}`", about.flag()), used_by, values.trim(), about.help];
    let _ = writeln!(text, "| {} |", cells.map(|cell| cell.replace('|', "\\|")).join(" | "));
}

/// The strategies that use the setting, those of one default together.
fn used_by(about: &SettingInfo) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for row in hunt_settings::users(about.name) {
        let default = hunt_settings::default_text(row, about);
        match groups.iter_mut().find(|(known, _)| *known == default) {
            Some((_, names)) => names.push(row.name),
            None => groups.push((default, vec![row.name])),
        }
    }
    let groups = groups.into_iter().map(|(default, names)| format!("{} ({default})", names.join(", ")));
    groups.collect::<Vec<_>>().join("; ")
}

/// Compares a generated page with what is there, or writes it.
fn check_generated(name: &str, wanted: &str) {
    let path = root().join(name);
    if std::env::var_os("MORPION_WRITE").is_some() {
        fs::write(&path, wanted).expect("the page is written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    let differing = wanted.lines().zip(found.lines()).position(|(wanted, found)| wanted != found);
    let line = 1 + differing.unwrap_or(wanted.lines().count().min(found.lines().count()));
    assert!(
        wanted == found,
        "{name}:{line} is not what the program says: write it anew by MORPION_WRITE=1 cargo test --test docs"
    );
}

#[test]
fn the_generated_pages_are_what_the_program_says() {
    check_generated("docs/commands.md", &reference());
    check_generated("docs/parameters.md", &parameters());
    check_generated("docs/library.md", &surface::page(root()));
}

/// The flags in a help text: what follows each, on one line.
fn flags_in(help: &str) -> BTreeMap<String, String> {
    let mut flags: BTreeMap<String, String> = BTreeMap::new();
    let mut current = None;
    for line in help.lines() {
        let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.starts_with(|c: char| !c.is_whitespace()) {
            current = None;
        } else if let Some((flag, rest)) =
            words.strip_prefix("--").map(|flag| flag.split_once(' ').unwrap_or((flag, "")))
        {
            flags.insert(flag.to_owned(), rest.to_owned());
            current = flags.get_mut(flag);
        } else if let Some(text) = &mut current {
            text.push(' ');
            text.push_str(&words);
        }
    }
    flags
}

/// What is wrong with the texts of the strategies' parameters in the help of a command.
fn wrong_parameters(path: &str, short: &str, long: &str) -> String {
    let mut complaints = String::new();
    let (short, long) = (flags_in(short), flags_in(long));
    for about in hunt_settings::of_strategies() {
        let flag = about.name.replace('_', "-");
        let help = about.help.trim_end_matches('.');
        let begin = |text: &str| format!("<{}> {text}", about.value_name);
        let defaults =
            hunt_settings::users(about.name).into_iter().map(|row| hunt_settings::default_text(row, about));
        let details = defaults.into_iter().chain(about.kind.range());
        let choices = about.kind.choices().iter().map(|choice| choice.value.to_owned());
        let mut complain = |fault: &str| {
            let _ = writeln!(complaints, "{path}: --{flag}: {fault}");
        };
        match long.get(&flag) {
            None => complain("--help does not name it"),
            Some(text) if !text.starts_with(&begin(help)) => complain(&format!("--help says: {text}")),
            Some(text) => {
                for missing in details.chain(choices).filter(|detail| !text.contains(detail.as_str())) {
                    complain(&format!("--help lacks: {missing}"));
                }
            }
        }
        // The short help has what every hunt uses.
        if short.contains_key(&flag) {
            complain("-h names it, but it is for some strategies only");
        }
    }
    complaints
}

#[test]
fn the_help_of_hunts_has_every_parameter_as_its_table_says() {
    // Unwrapped.
    let mut program = morpion::cli::command().term_width(0);
    program.build();
    let mut complaints = String::new();
    for path in ["", "hunt", "job submit"] {
        let mut below = |command: Command, name| command.find_subcommand(name).expect("it exists").clone();
        let mut command = path.split_whitespace().fold(program.clone(), &mut below);
        let (short, long) = (command.render_help().to_string(), command.render_long_help().to_string());
        complaints += &wrong_parameters(&format!("morpion {path}"), &short, &long);
    }
    report(&complaints);
}

#[test]
fn the_book_lists_every_page_once() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("the book's summary");
    let mut listed: Vec<String> = summary.lines().flat_map(targets).map(|page| format!("docs/{page}")).collect();
    listed.sort();
    let pages = documents().into_iter().map(|document| document.name);
    let pages: Vec<String> = pages.filter(|name| name.starts_with("docs/") && name != "docs/SUMMARY.md").collect();
    assert_eq!(listed, pages);
    let book: toml::Table =
        fs::read_to_string(root().join("docs/book.toml")).expect("book.toml").parse().expect("TOML");
    assert_eq!(book["book"]["src"].as_str(), Some("."), "the pages are beside book.toml");
}

/// The checks above would notice what they look for.
#[test]
fn the_checks_see() {
    assert_eq!(anchor("To change X, read Y"), "to-change-x-read-y");
    assert_eq!(anchor("The `reshape` search (5T)"), "the-reshape-search-5t");
    let text = "# A b\n\n```text\n# no heading\n```\n\n## A b\n\n    # none either\n";
    assert_eq!(anchors(text).into_iter().collect::<Vec<_>>(), ["a-b", "a-b-1"]);
    assert_eq!(targets("see [a](b.md#c), `[d](e)` and ![f](g.png)"), ["b.md#c", "g.png"]);
    assert_eq!(spans("a `b c` d `e`").collect::<Vec<_>>(), ["b c", "e"]);
    assert_eq!(words("a 'b c' d#e # f"), Some(["a", "b c", "d#e"].map(str::to_owned).to_vec()));
    assert_eq!(words("a 'b"), None);
    let one = |line: &str| calls(line).into_iter().map(|words| words.join(" ")).collect::<Vec<_>>();
    assert_eq!(one("    morpion show a.txt | head   # b"), ["show a.txt"]);
    assert_eq!(one("id=$(morpion job submit --time 2h)     # c"), ["job submit --time 2h"]);
    assert_eq!(
        one("morpion job wait $id && morpion job export $id -o found"),
        ["job wait $id", "job export $id -o found"]
    );
    assert_eq!(one("A=b morpion top > c"), ["top"]);
    assert_eq!(one("cargo run --release -- --time 5m"), ["--time 5m"]);
    assert!(one("morpionx a").is_empty() && one("cargo test").is_empty());
    let refused = |line: &str| refusal(&calls(line)[0]).is_some();
    assert!(!refused("morpion --time 5m --threads 2") && !refused("morpion solve reversi --size 6"));
    assert!(refused("morpion --tmie 5m") && refused("morpion sovle reversi") && refused("morpion verify"));
    let help = "Search:\n      --cold <T>  Of the\n                  coldest\n\n  -q, --quiet\nX\n      --hot\n";
    let flags = flags_in(help).into_iter().collect::<Vec<_>>();
    assert!(flags[0] == ("cold".to_owned(), "<T> Of the coldest  -q, --quiet".to_owned()), "{flags:?}");
    assert_eq!(flags[1], ("hot".to_owned(), String::new()));
    let parameters = hunt_settings::of_strategies().count();
    assert!(parameters > 20 && wrong_parameters("", "", "").lines().count() >= parameters);
}
