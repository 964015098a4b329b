//! The languages: the catalogues have what the program and its page say, and the commands speak the language that they
//! are asked for. `tests/page/languages.rs` looks at the page.
#![cfg(unix)]

#[path = "api/daemon.rs"]
#[allow(dead_code)]
mod daemon;
#[path = "api/fake.rs"]
#[allow(dead_code)]
mod fake;
mod hunts;
#[path = "language/texts.rs"]
mod texts;

use hunts::{morpion, temporary, text};
use morpion::language::{Language, PoEntry, TextCatalogue};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};
use texts::Text;

fn source(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path))
        .unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The texts of the tables of strategies and settings, as the daemon tells the page of them.
fn of_tables() -> Vec<String> {
    fn collect(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Array(list) => list.iter().for_each(|one| collect(one, found)),
            Value::Object(fields) => {
                for (name, one) in fields {
                    match one {
                        Value::String(text)
                            if ["label", "help", "unit", "summary", "reason", "counts"].contains(&&**name) =>
                        {
                            found.push(text.clone());
                        }
                        Value::Object(defaults) if name == "defaults" => {
                            // Other single words are names of values, and stay as they are.
                            let texts = defaults.values().filter_map(Value::as_str);
                            let is_said = |text: &&str| text.contains(' ') || ["all", "none"].contains(text);
                            found.extend(texts.filter(is_said).map(str::to_owned));
                        }
                        other => collect(other, found),
                    }
                }
            }
            _ => {}
        }
    }
    let daemon = daemon::Daemon::begin();
    let answer = ureq::get(format!("http://{}/api/v1/strategies", daemon.address)).call().unwrap();
    let table: Value = serde_json::from_str(&answer.into_body().read_to_string().unwrap()).unwrap();
    let mut found = Vec::new();
    collect(&table, &mut found);
    assert!(found.len() > 60, "{found:?}");
    found
}

/// What each command does, and what the program does.
fn of_commands() -> Vec<String> {
    let program = morpion::cli::command();
    let shown = program.get_subcommands().filter(|command| !command.is_hide_set());
    shown.chain([&program]).filter_map(|command| Some(command.get_about()?.to_string())).collect()
}

/// All texts that are to be translated, and where they are.
fn all_texts() -> BTreeMap<Text, String> {
    let mut all = BTreeMap::new();
    for (path, content) in texts::files("src", &["rs", "js", "html"]) {
        let found = match path.rsplit_once('.').map(|(_, ending)| ending) {
            Some("rs") => texts::of_rust(&content),
            Some("js") => texts::of_script(&content),
            _ => texts::of_frame(&content),
        };
        all.extend(found.into_iter().map(|text| (text, path.clone())));
    }
    assert!(all.len() > 600, "{} texts are marked", all.len());
    let plain = |text| Text { context: None, one: text, many: None };
    all.extend(of_tables().into_iter().map(|text| (plain(text), "the table of strategies".to_owned())));
    all.extend(of_commands().into_iter().map(|text| (plain(text), "the list of commands".to_owned())));
    all
}

/// The numbers of the values in a text.
fn values(text: &str) -> BTreeSet<&str> {
    let candidates = text.split('{').skip(1).filter_map(|part| part.split_once('}'));
    candidates.map(|(number, _)| number).filter(|number| number.parse::<usize>().is_ok()).collect()
}

fn catalogues() -> impl Iterator<Item = (&'static str, &'static TextCatalogue)> {
    Language::ALL.into_iter().filter_map(|language| Some((language.code(), language.catalogue()?)))
}

#[test]
fn every_text_is_in_every_catalogue_and_no_other() {
    let texts = all_texts();
    let mut complaints = String::new();
    for (code, catalogue) in catalogues() {
        let there: BTreeSet<Text> = catalogue
            .entries()
            .iter()
            .map(|PoEntry { context, id, plural, .. }| Text {
                context: context.clone(),
                one: id.clone(),
                many: plural.clone(),
            })
            .collect();
        for (text, path) in texts.iter().filter(|(text, _)| !there.contains(text)) {
            let _ = writeln!(complaints, "{code}.po lacks {text:?} ({path})");
        }
        for text in there.iter().filter(|text| !texts.contains_key(text)) {
            let _ = writeln!(complaints, "{code}.po has {text:?}, which is nowhere");
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
}

/// A text that stands alone in one place and depends on a number in another would be one key with two meanings.
#[test]
fn a_key_has_one_meaning() {
    let mut keys: BTreeMap<(Option<String>, String), Text> = BTreeMap::new();
    for text in all_texts().into_keys() {
        let other = keys.insert((text.context.clone(), text.one.clone()), text.clone());
        assert!(other.is_none(), "{text:?} and {other:?}");
    }
}

#[test]
fn translations_have_the_values_of_their_texts() {
    let mut complaints = String::new();
    for (code, catalogue) in catalogues() {
        for PoEntry { id, plural, forms, .. } in catalogue.entries() {
            let expected = values(plural.as_ref().unwrap_or(id));
            for form in forms.iter().filter(|form| values(form) != expected) {
                let _ = writeln!(complaints, "{code}.po: '{id}' and '{form}' have different values");
            }
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
}

/// The page knows the languages that the program has.
#[test]
fn the_page_offers_every_language() {
    let script = source("src/daemon/ui/js/language.js");
    let (_, names) = script.split_once("const NAMES = { ").expect("the names of the languages");
    let (names, _) = names.split_once(" };").unwrap();
    let offered: Vec<&str> =
        names.split(", ").filter_map(|pair| pair.split_once(": ")).map(|(code, _)| code).collect();
    assert_eq!(offered, Language::ALL.map(Language::code));
}

/// In French a narrow no-break space goes before high marks, and the apostrophe is a curved one.
#[test]
fn french_is_set_as_french() {
    let mut complaints = String::new();
    for PoEntry { id, forms, .. } in Language::French.catalogue().unwrap().entries() {
        for form in forms {
            let marks = form.char_indices().filter(|&(_, c)| [';', '!', '?', '\u{bb}'].contains(&c));
            let wrong = marks.filter(|&(at, _)| !form[..at].ends_with('\u{202f}')).count();
            if wrong > 0 || form.contains(" :") || form.contains('\'') || form.contains("\u{ab} ") {
                let _ = writeln!(complaints, "'{id}': '{form}'");
            }
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
}

/// Runs the program with these variables and no other that names a language.
fn run_in(dir: &Path, variables: &[(&str, &str)], arguments: &str) -> Output {
    let mut command = morpion(dir, arguments);
    for name in ["LC_ALL", "LC_MESSAGES", "LANG", "MORPION_LANGUAGE"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied()).output().expect("the program can be run")
}

const HUNT: &str = "--threads 2 --strategy random --variant 4D --seed 1 --time 0.3s --dir";

#[test]
fn a_hunt_speaks_the_language_that_it_is_asked_for() {
    let dir = temporary();
    let output = run_in(dir.path(), &[("MORPION_LANGUAGE", "fr"), ("LC_ALL", "C")], &format!("{HUNT} one"));
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(out.starts_with("chasse en 4D avec random, 1 calculateur, graine 1, dans one\n"), "{out}");
    assert!(
        // On a busy machine it ends later.
        out.contains(" s  meilleur ")
            && out.contains("temps \u{e9}coul\u{e9} apr\u{e8}s ")
            && out.contains(" s\u{202f}: "),
        "{out}"
    );
    assert!(err.contains("morpion: pour la reprendre\u{202f}: `morpion resume one --time T`"), "{err}");
    // What programs read is the same in every language.
    let events = std::fs::read_to_string(dir.path().join("one/events.jsonl")).unwrap();
    assert!(events.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()) && events.contains("\"best\""));
    let json = format!("{HUNT} two --json");
    let output = run_in(dir.path(), &[("MORPION_LANGUAGE", "fr")], &json);
    assert!(text(&output.stdout).lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{output:?}");
    for variables in [&[("MORPION_LANGUAGE", "en")][..], &[("MORPION_LANGUAGE", "xx")], &[]] {
        let name = format!("english-{}", variables.first().map_or("none", |(_, value)| value));
        let output = run_in(dir.path(), variables, &format!("{HUNT} {name}"));
        let out = text(&output.stdout);
        assert!(out.starts_with(&format!("hunting 4D with random, 1 worker, seed 1, in {name}\n")), "{out}");
        assert!(text(&output.stderr).contains("morpion: resume it with `morpion resume"), "{output:?}");
    }
}

/// The language of the environment is for terminals: what goes elsewhere is the same for everybody.
#[test]
fn pipes_get_english_and_terminals_the_language_of_the_environment() {
    let dir = temporary();
    let output = run_in(dir.path(), &[("LANG", "fr_FR.UTF-8")], &format!("{HUNT} piped"));
    assert!(text(&output.stdout).starts_with("hunting 4D"), "{output:?}");
    for (name, value, head, end) in [
        ("LANG", "fr_FR.UTF-8", "chasse en 4D avec random", "temps \u{e9}coul\u{e9}"),
        ("LC_ALL", "C", "hunting 4D with random", "the time is up"),
    ] {
        let line = format!("{} {HUNT} seen-{name} --plain", env!("CARGO_BIN_EXE_morpion"));
        let mut command = Command::new("script");
        command
            .args(["-qfec", &line, "/dev/null"])
            .current_dir(dir.path())
            .env("TERM", "xterm")
            .env("LANG", "fr_FR.UTF-8");
        command.env_remove("LC_ALL").env_remove("LC_MESSAGES").env_remove("MORPION_LANGUAGE").env(name, value);
        let output = command.stdin(std::process::Stdio::null()).output().expect("script (of util-linux) can be run");
        let seen = text(&output.stdout);
        assert!(seen.contains(head) && seen.contains(end), "{name}={value}: {seen}");
    }
}

#[test]
fn the_help_of_the_program_is_in_the_language() {
    let dir = temporary();
    let help = |language: &str, arguments: &str| {
        text(&run_in(dir.path(), &[("MORPION_LANGUAGE", language)], arguments).stdout)
    };
    let (short, long) = (help("fr", "-h"), help("fr", "--help"));
    for expected in ["Usage\u{202f}:", "Commandes\u{202f}:", "Chasses", "Exemples\u{202f}:"] {
        assert!(short.contains(expected), "{expected}: {short}");
    }
    for expected in ["Commandes\u{202f}: jeux", "Jouer \u{e0} un jeu \u{e0} deux contre la machine"] {
        assert!(long.contains(expected), "{expected}: {long}");
    }
    let english = help("en", "--help");
    for expected in ["Commands: games", "Play a two-player game against the machine"] {
        assert!(english.contains(expected) && !long.contains(expected), "{expected}: {english}");
    }
}
