//! The page, as somebody uses it: in a headless Chromium, over the real API with a service in memory behind it.
//!
//! Where there is no Chromium these tests say so and pass, unless `MORPION_BROWSER=required` is in the environment.
#![cfg(unix)]

#[path = "api/daemon.rs"]
#[allow(dead_code)]
mod daemon;
#[path = "api/fake.rs"]
#[allow(dead_code)]
mod fake;

#[path = "page/board.rs"]
mod board;
mod browser;
#[path = "page/credit.rs"]
mod credit;
mod daemons;
#[path = "page/editor.rs"]
mod editor;
#[path = "page/games.rs"]
mod games;
#[path = "page/languages.rs"]
mod languages;
#[path = "page/openings.rs"]
mod openings;

use browser::{Browser, Page};
use daemon::Daemon;
use daemons::program::Program;
use morpion::daemon::api::ServerLimits;
use morpion::daemon::service::Service;
use morpion::daemon::tokens::{Role, TokenFile, make};
use morpion::morpion::variant::Variant;
use morpion::notation::records::known;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, OnceLock};

struct World {
    browser: Browser,
    daemon: Daemon,
}

/// The browser and the daemon that all tests share; nothing if there is no browser.
fn world() -> Option<&'static World> {
    static WORLD: OnceLock<Option<World>> = OnceLock::new();
    let begin = || {
        let Some(program) = browser::program() else {
            let required = std::env::var_os("MORPION_BROWSER").is_some_and(|value| value == "required");
            assert!(!required, "MORPION_BROWSER=required, and there is no Chromium on the path");
            eprintln!(
                "NOT TESTED: there is no Chromium on the path, so the page was not looked at (apt-get install chromium-headless-shell)"
            );
            return None;
        };
        let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
        for entry in std::fs::read_dir(tmp).unwrap().flatten() {
            if entry.file_name().to_string_lossy().starts_with("chromium-") {
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
        let profile = tmp.join(format!("chromium-{}", std::process::id()));
        Some(World { browser: Browser::start(&program, &profile), daemon: Daemon::begin() })
    };
    WORLD.get_or_init(begin).as_ref()
}

impl World {
    fn at(&self, view: &str) -> String {
        format!("http://{}/#{view}", self.daemon.address)
    }

    /// A desktop's window with a view open.
    fn desk(&self, view: &str) -> Page<'_> {
        self.open(view, 1280, 900, false)
    }

    fn open(&self, view: &str, width: u32, height: u32, dark: bool) -> Page<'_> {
        let page = self.browser.page(width, height, dark);
        page.open(&self.at(view));
        page.wait("document.querySelector('#link')?.dataset.state === 'live'");
        page
    }

    /// Nothing went wrong in the page, and it has asked nobody but the daemon.
    fn approve(&self, page: &Page) {
        approve(page, &format!("http://{}/", self.daemon.address));
    }
}

/// Nothing went wrong in the page, and it has asked nobody but its own daemon.
fn approve(page: &Page, own: &str) {
    assert_eq!(page.problems(), Vec::<String>::new());
    for url in page.requests() {
        // The browser draws the button of a field for dates from a picture of its own.
        let is_own = url.starts_with(own) || url.starts_with("blob:") || url.starts_with("data:");
        assert!(is_own || url == "about:blank", "asked for {url}");
    }
}

/// How long a button that asks once more waits for the second press.
const CONFIRM_MS: u32 = 4000;

/// The views, and what is there when each has loaded.
fn views(job: u64, grids: &[String]) -> Vec<(String, &'static str)> {
    let (a, b) = (&grids[0], &grids[1]);
    vec![
        (
            "/".into(),
            "document.querySelector('.jobs .pill') && document.querySelector('.tile .thumb') \
             && /^lab-73 of 8 busy1.20?.M games.s41 units/.test(document.querySelector('.machines li').textContent)",
        ),
        ("/jobs".into(), "document.querySelector('.jobs .pill')"),
        (
            format!("/jobs/{job}"),
            "document.querySelector('.replay .point') && document.querySelector('.chart .series')",
        ),
        ("/archive".into(), "document.querySelectorAll('.thumbs .thumb').length > 1"),
        (format!("/grids/{a}"), "document.querySelector('.replay .point') && document.querySelector('.downloads')"),
        (format!("/compare/{a}/{b}"), "document.querySelectorAll('figure .thumb').length > 1"),
        ("/submit".into(), "document.querySelector('form .choice')"),
        ("/match".into(), "document.querySelectorAll('form .field').length > 10"),
        ("/credit".into(), "document.querySelectorAll('tbody tr').length === 3"),
        (
            "/credit/users/bob%20b.".into(),
            "document.querySelector('.chart .bars') && document.querySelector('tbody tr')",
        ),
        ("/board".into(), "document.querySelectorAll('.board .hint').length > 20"),
        ("/games".into(), "document.querySelectorAll('.gameboard .choice-cell').length > 2"),
        ("/games?game=go&size=3x4".into(), "document.querySelectorAll('.gameboard.go .choice-cell').length === 12"),
        (
            "/editor".into(),
            "document.querySelectorAll('.choice-cell').length === 81 && document.querySelector('.patternpicture .stone')",
        ),
        ("/nowhere".into(), "document.querySelector('h1').textContent.includes('no such page')"),
    ]
}

/// Puts the known grids of a variant into the archive and returns their keys.
fn archive(daemon: &Daemon, variant: Variant) -> Vec<String> {
    let known = known().unwrap().into_iter().filter(|known| known.grid.variant == variant);
    known.map(|known| daemon.service.add_grid(known.grid).unwrap().key).collect()
}

/// Submits a job of a kind and returns its number.
fn submit_kind(daemon: &Daemon, kind: &str, name: &str, settings: Value) -> u64 {
    let request = json!({ "kind": kind, "name": name, "settings": settings });
    daemon.service.submit(serde_json::from_value(request).unwrap(), None).unwrap().summary.id
}

/// Submits a hunt of a name.
fn submit(daemon: &Daemon, name: &str) -> u64 {
    submit_kind(daemon, "hunt", name, json!({ "variant": "5T", "strategy": "nrpa" }))
}

fn solve(daemon: &Daemon) -> u64 {
    submit_kind(daemon, "solve", "four", json!({ "game": "reversi", "size": 4 }))
}

fn prove(daemon: &Daemon) -> u64 {
    submit_kind(daemon, "prove", "a box", json!({ "moves": 83, "box": "3,2,2,2" }))
}

fn play_match(daemon: &Daemon) -> u64 {
    let settings = json!({ "a": "morpion:5", "b": "morpion:2", "game": "reversi", "size": 6, "sprt": "0,30" });
    submit_kind(daemon, "match", "five against two", settings)
}

fn analyse(daemon: &Daemon) -> u64 {
    submit_kind(daemon, "analyse", "a game", json!({ "size": 5 }))
}

fn tune(daemon: &Daemon) -> u64 {
    submit_kind(daemon, "tune", "new weights", json!({ "games_of": 3 }))
}

/// Submits tactical questions.
fn tactics(daemon: &Daemon) -> u64 {
    submit_kind(daemon, "tactics", "questions", json!({ "questions": "1" }))
}

/// Submits games that are searched for patterns.
fn mine(daemon: &Daemon) -> u64 {
    submit_kind(daemon, "mine", "new patterns", json!({}))
}

/// Submits a plan of Gomoku.
fn plan(daemon: &Daemon) -> u64 {
    submit_kind(daemon, "plan", "a plan", json!({ "position": "h8" }))
}

/// Submits a plan of Gomoku that is to be checked.
fn check(daemon: &Daemon) -> u64 {
    submit_kind(daemon, "check", "a check", json!({ "plan": "morpion plan 1" }))
}

/// The page of a match tells the score, the Elo with its interval, the test, and the games, which open on the board.
#[test]
fn the_page_of_a_match_tells_how_it_stands() {
    let Some(world) = world() else { return };
    let of_match = play_match(&world.daemon);
    let page = world.desk(&format!("/jobs/{of_match}"));
    page.wait("document.querySelector('[aria-label=\"Match\"] .score')?.textContent === '66.7 %'");
    page.wait("document.querySelectorAll('[aria-label=\"Games\"] tbody tr').length === 26");
    page.wait("document.querySelector('[aria-label=\"Elo against time\"] .band')");
    let text = |card: &str| {
        let text = page.eval(&format!("document.querySelector('section[aria-label=\"{card}\"]').textContent"));
        text.as_str().unwrap().to_owned()
    };
    let told = text("Match");
    for part in ["A is morpion:5, B is morpion:2", "120 Elo stronger", "from -4 to 280", "0.73", "has not decided"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let numbers = text("Numbers of the match");
    for part in ["Pairs12 of 40", "Won by A15", "Drawn2", "Lost by A7"] {
        assert!(numbers.contains(part), "{part}: {numbers}");
    }
    let hidden = "['Score against time', 'Best grid', 'Numbers', 'Position', 'Proof'].every((name) => \
                  !document.querySelector(`section[aria-label=\"${name}\"]`)?.checkVisibility())";
    assert_eq!(page.eval(hidden), json!(true), "cards of other kinds are shown");
    let rows = "[...document.querySelectorAll('[aria-label=\"Games\"] tbody tr')].slice(0, 3).map((row) => \
                [...row.cells].slice(1, 4).map((cell) => cell.textContent).join(' '))";
    assert_eq!(page.eval(rows), json!(["A A 3", "B B 3", "A a draw 3"]));
    page.eval("document.querySelector('[aria-label=\"Games\"] tbody a').click()");
    page.wait("document.querySelectorAll('.gameboard.reversi .stone').length === 7");
    let moves = "[...document.querySelectorAll('.movelist li')].map((item) => item.textContent).join(' ')";
    assert_eq!(page.eval(moves), json!("c2 b2 b3"));
    page.open(&world.at("/jobs"));
    page.wait("[...document.querySelectorAll('table.jobs td')].some((cell) => cell.textContent === '66.7 %')");
    world.approve(&page);
}

/// The page of games of a player against itself tells how many there are, how they ended, and has the games.
#[test]
fn the_page_of_self_play_tells_how_it_stands() {
    let Some(world) = world() else { return };
    let id = submit_kind(&world.daemon, "selfplay", "to learn", json!({ "size": 15 }));
    let page = world.desk(&format!("/jobs/{id}"));
    page.wait("document.querySelector('[aria-label=\"Self-play\"] .score')?.textContent.startsWith('240 of 1')");
    page.wait("document.querySelectorAll('[aria-label=\"Games\"] tbody tr').length === 26");
    let told = page.eval("document.querySelector('section[aria-label=\"Self-play\"]').textContent");
    for part in ["Black has won 130, white 90, 20 are drawn; 35.0 moves", &format!("morpion job games {id} --file")] {
        assert!(told.as_str().unwrap().contains(part), "{part}: {told}");
    }
    let row = "[...document.querySelector('[aria-label=\"Games\"] tbody tr').cells].slice(1, 3).map((cell) => cell.textContent)";
    assert_eq!(page.eval(row), json!(["Black", "Black"]));
    let hidden = "['Match', 'Elo against time', 'Numbers', 'Proof'].every((name) => \
                  !document.querySelector(`section[aria-label=\"${name}\"]`)?.checkVisibility())";
    assert_eq!(page.eval(hidden), json!(true), "cards of other kinds are shown");
    world.approve(&page);
}

/// The page of positions that are analysed tells how many are done, what their best moves are, and shows one of them.
#[test]
fn the_page_of_an_analysis_tells_what_moves_are_worth() {
    let Some(world) = world() else { return };
    let id = analyse(&world.daemon);
    let page = world.desk(&format!("/jobs/{id}"));
    page.wait("document.querySelector('[aria-label=\"Analysis\"] .score')?.textContent === '2 of 3'");
    page.wait("document.querySelectorAll('[aria-label=\"Best moves\"] tbody tr').length === 2");
    let rows = "[...document.querySelectorAll('[aria-label=\"Best moves\"] tbody tr')].map((row) => \
                [...row.cells].slice(1, 6).map((cell) => cell.textContent).join(' '))";
    let won = "white b3 wins in 5 plies";
    assert_eq!(page.eval(rows), json!([format!("{won} b3 wins in 5 plies"), format!("{won} b2 ")]));
    let stones = "document.querySelectorAll('[aria-label=\"Chosen position\"] .stone').length";
    assert_eq!(page.eval(stones), json!(1));
    page.eval("document.querySelectorAll('[aria-label=\"Best moves\"] tbody button')[1].click()");
    assert_eq!(page.eval(stones), json!(2));
    let told = page.eval("document.querySelector('section[aria-label=\"Chosen position\"]').textContent");
    for part in ["Position 2", "white to move", "b3 d3", "d2\u{2212}4"] {
        assert!(told.as_str().unwrap().contains(part), "{part}: {told}");
    }
    let hidden = "['Match', 'Self-play', 'Numbers', 'Position', 'Games'].every((name) => \
                  !document.querySelector(`section[aria-label=\"${name}\"]`)?.checkVisibility())";
    assert_eq!(page.eval(hidden), json!(true), "cards of other kinds are shown");
    world.approve(&page);
}

/// The form for analyses sends the lines that were typed.
#[test]
fn positions_are_submitted_by_their_form() {
    let Some(world) = world() else { return };
    let page = world.desk("/submit");
    page.wait("document.querySelector('a[href=\"#/analyse\"]')");
    page.eval("document.querySelector('a[href=\"#/analyse\"]').click()");
    page.wait("document.querySelector('form textarea[name=positions]')");
    type_in(&page, "game", "reversi");
    for (name, value) in [("positions", "f5d6\\nf5f6"), ("every_move", "on"), ("depth", "4"), ("workers", "1")] {
        type_in(&page, name, value);
    }
    let command = page.eval("document.querySelector('form .preview').textContent");
    let expected =
        "morpion job submit analyse reversi --positions 'f5d6\nf5f6' --every-move=on --depth 4 --threads 1";
    assert_eq!(command, json!(expected));
    page.eval("document.querySelector('form').requestSubmit()");
    page.wait("location.hash.startsWith('#/jobs/')");
    let sent =
        page.eval("import('/js/api.js').then((api) => api.get(`/jobs/${location.hash.split('/')[2]}/request`))");
    let settings = json!({ "game": "reversi", "positions": "f5d6\nf5f6", "every_move": "on", "depth": 4 });
    assert_eq!((&sent["kind"], &sent["settings"]), (&json!("analyse"), &settings));
    world.approve(&page);
}

/// The page of weights that are learned tells their loss after each part of the fit.
#[test]
fn the_page_of_weights_tells_their_loss() {
    let Some(world) = world() else { return };
    let id = tune(&world.daemon);
    let page = world.desk(&format!("/jobs/{id}"));
    page.wait("document.querySelector('[aria-label=\"Weights\"] .score')?.textContent === '0.6155'");
    let rows = "[...document.querySelectorAll('[aria-label=\"Loss\"] tbody tr')].map((row) => \
                [...row.cells].map((cell) => cell.textContent.replace(/\\s/g, '')).join(' '))";
    assert_eq!(page.eval(rows), json!(["150 52100 0.6123 0.6201", "300 52100 0.6012 0.6154"]));
    let told = page.eval("document.querySelector('section[aria-label=\"Weights\"]').textContent");
    for part in ["gomoku 15x15", "on the others it is 0.6013", "Before it was 0.6345"] {
        assert!(told.as_str().unwrap().contains(part), "{part}: {told}");
    }
    let linked =
        "[...document.querySelectorAll('[aria-label=\"Numbers of the weights\"] a')].map((link) => link.hash)";
    assert_eq!(page.eval(linked), json!(["#/jobs/3", "#/jobs/5"]));
    let hidden = "['Match', 'Self-play', 'Numbers', 'Position', 'Games', 'Analysis'].every((name) => \
                  !document.querySelector(`section[aria-label=\"${name}\"]`)?.checkVisibility())";
    assert_eq!(page.eval(hidden), json!(true), "cards of other kinds are shown");
    world.approve(&page);
}

/// The form for weights sends the jobs that were named.
#[test]
fn weights_are_submitted_by_their_form() {
    let Some(world) = world() else { return };
    let page = world.desk("/tune?game=reversi&games_of=4");
    page.wait("document.querySelector('form [name=games_of]')?.value === '4'");
    for (name, value) in [("games_of", "4,6"), ("steps", "20"), ("after", "6")] {
        type_in(&page, name, value);
    }
    let command = page.eval("document.querySelector('form .preview').textContent");
    assert_eq!(command, json!("morpion job submit tune reversi --games-of 4,6 --steps 20 --after 6"));
    page.eval("document.querySelector('form').requestSubmit()");
    page.wait("location.hash.startsWith('#/jobs/')");
    let sent =
        page.eval("import('/js/api.js').then((api) => api.get(`/jobs/${location.hash.split('/')[2]}/request`))");
    let settings = json!({ "game": "reversi", "games_of": "4,6", "steps": 20 });
    assert_eq!((&sent["kind"], &sent["settings"], &sent["after"]), (&json!("tune"), &settings, &json!(6)));
    world.approve(&page);
}

/// The pages of tactical questions and of patterns tell what was found, and show one of the questions.
#[test]
fn the_pages_of_tactics_and_patterns_tell_what_was_found() {
    let Some(world) = world() else { return };
    let (questions, patterns) = (tactics(&world.daemon), mine(&world.daemon));
    let page = world.desk(&format!("/jobs/{questions}"));
    page.wait("document.querySelector('[aria-label=\"Tactics\"] .score')?.textContent === '2 of 3'");
    page.wait("document.querySelectorAll('[aria-label=\"Answers\"] tbody tr').length === 2");
    let rows = "[...document.querySelectorAll('[aria-label=\"Answers\"] tbody tr')].map((row) => \
                [...row.cells].slice(0, 5).map((cell) => cell.textContent).join(' '))";
    let expected = json!(["17 capture b2 works b1 right", "18 defend b2 fails \u{2013} wrong: 1 is expected"]);
    assert_eq!(page.eval(rows), expected);
    page.eval("document.querySelectorAll('[aria-label=\"Answers\"] tbody button')[1].click()");
    let told = page.eval("document.querySelector('section[aria-label=\"Chosen question\"]').textContent");
    for part in ["Question 18", "white to move", "fails", "750 nodes"] {
        assert!(told.as_str().unwrap().contains(part), "{part}: {told}");
    }
    assert_eq!(page.eval("document.querySelectorAll('[aria-label=\"Chosen question\"] .stone').length"), json!(4));
    let hidden = "['Match', 'Self-play', 'Numbers', 'Analysis', 'Weights', 'Patterns'].every((name) => \
                  !document.querySelector(`section[aria-label=\"${name}\"]`)?.checkVisibility())";
    assert_eq!(page.eval(hidden), json!(true), "cards of other kinds are shown");
    world.approve(&page);
    let page = world.desk(&format!("/jobs/{patterns}"));
    page.wait("document.querySelector('[aria-label=\"Patterns\"] .score')?.textContent === '321'");
    let told = page.eval("document.querySelector('section[aria-label=\"Patterns\"]').textContent");
    for part in ["go 9x9", "Of 4\u{202f}321 patterns these came up in 2 games or more"] {
        assert!(told.as_str().unwrap().contains(part), "{part}: {told}");
    }
    world.approve(&page);
}

/// The forms for tactical questions and patterns send what was typed.
#[test]
fn questions_and_patterns_are_submitted_by_their_forms() {
    let Some(world) = world() else { return };
    let sent = |page: &Page| {
        page.eval("document.querySelector('form').requestSubmit()");
        page.wait("location.hash.startsWith('#/jobs/')");
        page.eval("import('/js/api.js').then((api) => api.get(`/jobs/${location.hash.split('/')[2]}/request`))")
    };
    let page = world.desk("/tactics");
    page.wait("document.querySelector('form textarea[name=questions]')");
    for (name, value) in [("questions", "1 one\\n2 two"), ("moves", "both"), ("check", "on"), ("nodes", "5k")] {
        type_in(&page, name, value);
    }
    let command = page.eval("document.querySelector('form .preview').textContent");
    let expected = "morpion job submit tactics '1 one\n2 two' --nodes 5k --moves both --check=on";
    assert_eq!(command, json!(expected));
    let settings = json!({ "questions": "1 one\n2 two", "moves": "both", "check": "on", "nodes": "5k" });
    let request = sent(&page);
    assert_eq!((&request["kind"], &request["settings"]), (&json!("tactics"), &settings));
    let page = world.desk("/mine");
    page.wait("document.querySelector('form [name=least]')");
    for (name, value) in [("games", "30"), ("size", "7"), ("least", "3"), ("workers", "2")] {
        type_in(&page, name, value);
    }
    let command = page.eval("document.querySelector('form .preview').textContent");
    assert_eq!(command, json!("morpion job submit mine --games 30 --size 7 --least 3 --threads 2"));
    let request = sent(&page);
    assert_eq!(
        (&request["kind"], &request["settings"]),
        (&json!("mine"), &json!({ "games": 30, "size": 7, "least": 3 }))
    );
    world.approve(&page);
}

/// The page of a plan tells which replies have one, and what is known of the others; its form sends what was typed.
#[test]
fn the_page_of_a_plan_tells_which_replies_are_answered() {
    let Some(world) = world() else { return };
    let page = world.desk(&format!("/jobs/{}", plan(&world.daemon)));
    page.wait("document.querySelector('[aria-label=\"Plan\"] .score')?.textContent === '32 of 35'");
    let told = page.eval("document.querySelector('section[aria-label=\"Plan\"]').textContent");
    for part in ["gomoku 15x15", "Replies after h8", "by which black wins", "is not checked", "Save the plan"] {
        assert!(told.as_str().unwrap().contains(part), "{part}: {told}");
    }
    let rows = "[...document.querySelectorAll('[aria-label=\"Replies without a plan\"] tbody tr')].map((row) => \
                [...row.cells].slice(0, 4).map((cell) => cell.textContent).join(' '))";
    let expected = json!(["i9 open 726 3", "h9 its nodes are used up 64 9", "a1 open \u{2013} 0"]);
    assert_eq!(page.eval(rows), expected);
    let hidden = "['Match', 'Patterns', 'Tactics', 'Analysis', 'Weights'].every((name) => \
                  !document.querySelector(`section[aria-label=\"${name}\"]`)?.checkVisibility())";
    assert_eq!(page.eval(hidden), json!(true), "cards of other kinds are shown");
    world.approve(&page);
    let page = world.desk("/plan");
    page.wait("document.querySelector('form textarea[name=plan]')");
    for (name, value) in [("position", "c3"), ("size", "6x5"), ("win", "4"), ("rule", "free"), ("goal_nodes", "2M")] {
        type_in(&page, name, value);
    }
    let command = page.eval("document.querySelector('form .preview').textContent");
    let expected = "morpion job submit plan --position c3 --size 6x5 --rule free --win 4 --goal-nodes 2M";
    assert_eq!(command, json!(expected));
    page.eval("document.querySelector('form').requestSubmit()");
    page.wait("location.hash.startsWith('#/jobs/')");
    let sent = "import('/js/api.js').then((api) => api.get(`/jobs/${location.hash.split('/')[2]}/request`))";
    let settings = json!({ "position": "c3", "size": "6x5", "rule": "free", "win": 4, "goal_nodes": "2M" });
    let request = page.eval(sent);
    assert_eq!((&request["kind"], &request["settings"]), (&json!("plan"), &settings));
    world.approve(&page);
}

/// The page of a check tells how many moves hold and what does not; its form takes a file or what was typed.
#[test]
fn the_page_of_a_check_tells_what_does_not_hold() {
    let Some(world) = world() else { return };
    let page = world.desk(&format!("/jobs/{}", check(&world.daemon)));
    let score = "document.querySelector('[aria-label=\"Check of a plan\"] .score')?.textContent";
    page.wait(&format!("{score} === '4\u{202f}320 of 17\u{202f}177'"));
    let text = |card: &str| {
        let text = page.eval(&format!("document.querySelector('section[aria-label=\"{card}\"]').textContent"));
        text.as_str().unwrap().to_owned()
    };
    let told = text("Check of a plan");
    for part in [
        "gomoku 15x15",
        "by which black wins after h8",
        "does not answer every reply to its first position. After a1: the plan has no move",
        "Move 4\u{202f}320 of the plan does not hold. After h9 i9 k12: the plan has no move",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let numbers = text("Numbers of the check");
    for part in
        ["Moves checked4\u{202f}320 of 17\u{202f}177", "Answered by the plan4\u{202f}100", "Positions of threats"]
    {
        assert!(numbers.contains(part), "{part}: {numbers}");
    }
    let hidden = "['Plan', 'Match', 'Patterns', 'Tactics'].every((name) => \
                  !document.querySelector(`section[aria-label=\"${name}\"]`)?.checkVisibility())";
    assert_eq!(page.eval(hidden), json!(true), "cards of other kinds are shown");
    world.approve(&page);
    let page = world.desk("/check");
    page.wait("document.querySelector('form textarea[name=plan]')");
    type_in(&page, "plan", "morpion plan 1");
    let command = || page.eval("document.querySelector('form .preview').textContent");
    assert_eq!(command(), json!("morpion job submit check --plan 'morpion plan 1'"));
    page.eval(
        "(() => { const [input, files] = [document.querySelector('form input[type=file]'), new DataTransfer()]; \
         files.items.add(new File(['morpion plan 1\\ngame 6x5 free 4\\n'], 'my game.plan')); \
         input.files = files.files; input.dispatchEvent(new Event('change')); })()",
    );
    page.wait("document.querySelector('form textarea').value.includes('6x5')");
    type_in(&page, "moves", "5");
    assert_eq!(command(), json!("morpion job submit check --plan 'my game.plan' --moves 5"));
    world.approve(&page);
    page.eval("document.querySelector('form').requestSubmit()");
    page.wait("location.hash.startsWith('#/jobs/')");
    let sent = "import('/js/api.js').then((api) => api.get(`/jobs/${location.hash.split('/')[2]}/request`))";
    let settings = json!({ "plan": "morpion plan 1\ngame 6x5 free 4", "moves": 5 });
    let request = page.eval(sent);
    assert_eq!((&request["kind"], &request["settings"]), (&json!("check"), &settings));
}

/// Types a value into a field of a form.
fn type_in(page: &Page, name: &str, value: &str) {
    page.eval(&format!(
        "(() => {{ const field = document.querySelector('form [name={name}]'); field.value = '{value}'; \
         field.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
    ));
}

/// The form for a match sends what was typed, and shows a refusal at the field that it is about.
#[test]
fn a_match_is_submitted_by_its_form() {
    let Some(world) = world() else { return };
    let page = world.desk("/submit");
    page.wait("document.querySelector('a[href=\"#/match\"]')");
    page.eval("document.querySelector('a[href=\"#/match\"]').click()");
    page.wait("document.querySelector('form [name=komi]')");
    let is_shown = |name: &str| {
        page.eval(&format!("document.querySelector('form [name={name}]').checkVisibility()")) == json!(true)
    };
    assert!(is_shown("rule") && !is_shown("komi"), "fields of Gomoku");
    type_in(&page, "game", "go");
    assert!(!is_shown("rule") && is_shown("komi"), "fields of Go");
    for (name, value) in [("a", "morpion:3"), ("komi", "6.5"), ("size", "7"), ("pairs", "12"), ("seconds", "2h")] {
        type_in(&page, name, value);
    }
    let command = page.eval("document.querySelector('form .preview').textContent");
    let expected =
        "morpion job submit match morpion:3 morpion --game go --size 7 --komi 6.5 --pairs 12 --all-time 7200s";
    assert_eq!(command, json!(expected));
    page.eval("document.querySelector('form').requestSubmit()");
    page.wait("location.hash.startsWith('#/jobs/')");
    let sent =
        page.eval("import('/js/api.js').then((api) => api.get(`/jobs/${location.hash.split('/')[2]}/request`))");
    let settings = json!({ "game": "go", "a": "morpion:3", "b": "morpion", "size": 7, "komi": 6.5, "pairs": 12 });
    assert_eq!((&sent["kind"], &sent["settings"]), (&json!("match"), &settings));
    assert_eq!(sent["limits"]["seconds"].as_f64(), Some(7200.0));
    world.approve(&page);
}

/// The form for games of a player against itself shows the settings of the game that is chosen, and sends them.
#[test]
fn self_play_is_submitted_by_its_form() {
    let Some(world) = world() else { return };
    let page = world.desk("/submit");
    page.wait("document.querySelector('a[href=\"#/selfplay\"]')");
    page.eval("document.querySelector('a[href=\"#/selfplay\"]').click()");
    page.wait("document.querySelector('form [name=depth]')");
    let is_shown = |name: &str| {
        page.eval(&format!("document.querySelector('form [name={name}]').checkVisibility()")) == json!(true)
    };
    assert!(is_shown("nodes") && is_shown("rule") && !is_shown("depth"), "fields of Gomoku");
    type_in(&page, "nodes", "500");
    type_in(&page, "game", "reversi");
    assert!(!is_shown("nodes") && !is_shown("rule") && is_shown("depth"), "fields of Reversi");
    for (name, value) in [("depth", "2"), ("games", "24"), ("weights", "by-hand"), ("workers", "1")] {
        type_in(&page, name, value);
    }
    let command = page.eval("document.querySelector('form .preview').textContent");
    let expected = "morpion job submit selfplay reversi --games 24 --depth 2 --weights by-hand --threads 1";
    assert_eq!(command, json!(expected));
    page.eval("document.querySelector('form').requestSubmit()");
    page.wait("location.hash.startsWith('#/jobs/')");
    let sent =
        page.eval("import('/js/api.js').then((api) => api.get(`/jobs/${location.hash.split('/')[2]}/request`))");
    let settings = json!({ "game": "reversi", "games": 24, "depth": 2, "weights": "by-hand" });
    assert_eq!((&sent["kind"], &sent["settings"]), (&json!("selfplay"), &settings));
    assert_eq!(sent["limits"]["workers"], json!(1));
    world.approve(&page);
}

/// The page of a proof tells what is closed and open, what it took, what is left, and grids that were met.
#[test]
fn the_page_of_a_proof_tells_how_it_stands() {
    let Some(world) = world() else { return };
    let proof = prove(&world.daemon);
    let page = world.desk(&format!("/jobs/{proof}"));
    page.wait("document.querySelector('[aria-label=\"Proof\"] .score')?.textContent === '53.51 %'");
    page.wait("document.querySelector('[aria-label=\"Percent closed against time\"] .series')");
    let text = |card: &str| {
        let text = page.eval(&format!("document.querySelector('section[aria-label=\"{card}\"]').textContent"));
        text.as_str().unwrap().to_owned()
    };
    let told = text("Proof");
    for part in ["no grid of 83 moves lies in the box 3,2,2,2", "174 points", "15 random descents", "099 cases"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let numbers = text("Numbers of the proof");
    for part in ["Units open13", "Units done6", "Cases568", "Linear programs5", "Point sets refuted12", "Grids met0"]
    {
        assert!(numbers.contains(part), "{part}: {numbers}");
    }
    let hidden = "['Score against time', 'Best grid', 'Numbers', 'Position'].every((name) => \
                  !document.querySelector(`section[aria-label=\"${name}\"]`)?.checkVisibility())";
    assert_eq!(page.eval(hidden), json!(true), "cards of other kinds are shown");
    page.open(&world.at("/jobs"));
    page.wait("[...document.querySelectorAll('table.jobs td')].some((cell) => cell.textContent === '53.51 %')");
    world.approve(&page);
}

#[test]
fn every_view_loads_in_light_and_dark_at_a_desk_and_on_a_phone() {
    let Some(world) = world() else { return };
    let daemon = &world.daemon;
    let job = submit(daemon, "to be looked at");
    let (solver, proof, of_match) = (solve(daemon), prove(daemon), play_match(daemon));
    let grids = archive(daemon, Variant::T5);
    for (width, height, dark) in [(1280, 900, false), (360, 740, true)] {
        let page = world.open("/", width, height, dark);
        let solved = "document.querySelector('.gameboard .stone') && document.querySelector('.chart .band')";
        let proved = "document.querySelector('[aria-label=\"Proof\"] .score')?.textContent.includes('%')";
        let played = "document.querySelectorAll('[aria-label=\"Games\"] tbody tr').length === 26";
        let others = [
            (format!("/jobs/{solver}"), solved),
            (format!("/jobs/{proof}"), proved),
            (format!("/jobs/{of_match}"), played),
        ];
        for (view, loaded) in views(job, &grids).into_iter().chain(others) {
            // By its address, or from the view before.
            if dark {
                page.follow(&view)
            } else {
                page.open(&world.at(&view))
            }
            page.wait(loaded);
            page.wait("document.title.endsWith('morpion') && document.querySelectorAll('h1').length === 1");
            let wide = page.eval("document.documentElement.scrollWidth").as_u64().unwrap();
            assert!(wide <= width.into(), "{view} is {wide} wide in a window of {width}");
            let unnamed = page.eval(
                "[...document.querySelectorAll('button, input, select, textarea, a')].filter((e) => e.checkVisibility() && !e.hasAttribute('aria-hidden') \
                 && !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length)).map((e) => e.outerHTML)",
            );
            assert_eq!(unnamed, json!([]), "{view} has controls without a name");
        }
        let ground = page.eval("getComputedStyle(document.body).backgroundColor");
        let sum: u32 = numbers(ground.as_str().unwrap()).iter().sum();
        assert_eq!(sum < 128 * 3, dark, "{ground}");
        world.approve(&page);
    }
}

fn numbers(text: &str) -> Vec<u32> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

/// The moves that stand in the list of the board.
fn moves(page: &Page) -> u64 {
    page.eval("document.querySelectorAll('.movelist li').length").as_u64().unwrap()
}

fn has_moves(page: &Page, n: u64) {
    page.wait(&format!("document.querySelectorAll('.movelist li').length === {n}"));
}

/// Clicks on a point of the board.
fn tap(page: &Page, x: i32, y: i32) {
    page.wait("document.querySelector('.board svg .hint')");
    let place = page.eval(&format!(
        "(() => {{ const svg = document.querySelector('.board svg'); svg.scrollIntoView(); \
         const p = new DOMPoint({x} * 20, {y} * 20).matrixTransform(svg.getScreenCTM()); return [p.x, p.y]; }})()"
    ));
    page.click_at(place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
}

#[test]
fn a_person_plays_with_the_mouse_and_loses_nothing() {
    let Some(world) = world() else { return };
    let page = world.desk("/board");
    tap(&page, 28, 24);
    has_moves(&page, 1);
    // No legal move is there.
    tap(&page, 34, 25);
    assert_eq!(moves(&page), 1);
    tap(&page, 31, 30);
    has_moves(&page, 2);
    assert_eq!(page.eval("document.querySelector('.movelist').innerText.trim()"), "(28,24) | 2\n(31,30) | 2");
    // Through this point two lines go: one is chosen by its number.
    tap(&page, 31, 29);
    page.wait("document.querySelectorAll('.board .label').length === 2");
    assert_eq!(moves(&page), 2);
    page.click(".board .label[data-choice='1']");
    has_moves(&page, 3);
    page.key("u");
    has_moves(&page, 2);
    page.key("u");
    has_moves(&page, 1);
    page.key("r");
    has_moves(&page, 2);
    let before = page.eval("location.hash");
    page.reload();
    has_moves(&page, 2);
    assert_eq!(page.eval("location.hash"), before);
    // The move taken back is still there.
    page.key("r");
    has_moves(&page, 3);
    // Without an address the browser's own memory knows the game.
    page.open(&world.at("/board"));
    has_moves(&page, 3);
    page.click("[data-variant='4D']");
    has_moves(&page, 0);
    page.wait("document.querySelectorAll('.board circle.cross').length === 24");
    world.approve(&page);
}

#[test]
fn a_person_plays_with_the_keyboard_alone() {
    let Some(world) = world() else { return };
    let page = world.desk("/board?g=5D.");
    page.wait("document.querySelector('.board svg .hint')");
    // The first stop is the link that jumps over the navigation.
    page.key("Tab");
    page.wait("document.activeElement.classList.contains('skip')");
    page.key("Enter");
    page.wait("document.activeElement.id === 'main'");
    for _ in 0..12 {
        page.key("Tab");
        if page.eval("document.activeElement.classList.contains('board')") == true {
            break;
        }
    }
    page.wait("document.activeElement.classList.contains('board')");
    assert_ne!(page.eval("getComputedStyle(document.activeElement).outlineStyle"), "none", "the focus is seen");
    page.key("n");
    page.key("Enter");
    has_moves(&page, 1);
    page.key("n");
    page.key("Enter");
    page.wait("document.querySelectorAll('.movelist li').length === 2 || document.querySelector('.board .label')");
    if moves(&page) == 1 {
        page.key("1");
        has_moves(&page, 2);
    }
    page.wait("document.querySelector('#say').textContent.startsWith('Move 2:')");
    page.key("u");
    has_moves(&page, 1);
    world.approve(&page);
}

/// The rules of the page are those of the engine, and what it writes is read as the same game.
#[test]
fn the_board_knows_the_rules() {
    let Some(world) = world() else { return };
    let page = world.desk("/board");
    let differences = page.eval(
        "(async () => {
            const { Game, cross, toView, fromView } = await import('/js/rules.js');
            const { pentasol, msrJson, msrCompact, toAddress, fromAddress } = await import('/js/notation.js');
            const { post, checkGrid } = await import('/js/api.js');
            let seed = 12345;
            const random = (n) => { seed = (seed * 48271) % 2147483647; return seed % n; };
            const name = (m) => [m.x, m.y, m.direction, m.shift].join(' ');
            const wrong = [];
            let most = 0;
            for (const variant of ['5T', '5D', '4T', '4D']) {
                const game = new Game(variant);
                for (;;) {
                    const legal = game.legal();
                    if (game.moves.length % 7 === 0 || !legal.length) {
                        const view = await post('/board', { variant, moves: game.moves.map(toView) });
                        const [ours, theirs] = [legal.map(toView).map(name).sort(), view.legal.map(name).sort()];
                        if (String(ours) !== String(theirs)) wrong.push([variant, game.moves.length, ours, theirs]);
                        const points = (list) => String(list.map(String).sort());
                        if (points(cross(variant)) !== points(view.cross)) wrong.push([variant, 'cross']);
                    }
                    if (!legal.length) break;
                    game.play(legal[random(legal.length)]);
                }
                most = Math.max(most, game.moves.length);
                for (const text of [pentasol(variant, game.moves), msrJson(variant, game.moves), await msrCompact(variant, game.moves)]) {
                    const view = await checkGrid(text);
                    if (view.variant !== variant || String(view.moves.map(name)) !== String(game.moves.map(toView).map(name)))
                        wrong.push([variant, text.slice(0, 60)]);
                }
                const back = fromAddress(toAddress(variant, game.moves));
                if (String(back.moves.map(toView).map(name)) !== String(game.moves.map(toView).map(name))) wrong.push([variant, 'address']);
                while (game.moves.length) game.undo();
                if (game.legal().length !== new Game(variant).legal().length) wrong.push([variant, 'undo']);
            }
            if (most < 30) wrong.push(['short games', most]);
            return wrong;
        })()",
    );
    assert_eq!(differences, json!([]));
    world.approve(&page);
}

#[test]
fn grids_are_loaded_by_pasting_and_sent_to_a_hunt() {
    let Some(world) = world() else { return };
    let page = world.desk("/board");
    let load = "[...document.querySelectorAll('button')].find((b) => b.textContent === 'Load\u{2026}').click()";
    page.wait("document.querySelectorAll('.board .hint').length > 0");
    page.eval(load);
    page.fill("dialog[open] textarea", "(28,28)\n(31,29) | -1\n");
    page.click("dialog[open] button[type=submit]");
    page.wait("document.querySelector('dialog[open] .problem').textContent.includes('(31,30), which is not set')");
    page.fill("dialog[open] textarea", "# variant 5T\n(28,28)\n(31,29) | -2\n(27,27) / 0\n");
    page.click("dialog[open] button[type=submit]");
    has_moves(&page, 2);
    // The refused text left its status in the console; everything else is clean.
    assert!(page.problems().iter().all(|problem| problem.contains("422")), "{:?}", page.problems());
    page.eval("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Hunt from here').click()");
    page.fill("dialog[open] input:not([type=number])", "soon");
    page.click("dialog[open] button[type=submit]");
    page.wait("document.querySelector('dialog[open] .problem').textContent.includes('soon')");
    page.fill("dialog[open] input:not([type=number])", "1m30s");
    page.click("dialog[open] button[type=submit]");
    page.wait("/^#\\/jobs\\/\\d+$/.test(location.hash) && document.querySelector('h1').textContent === 'From a position of 2 moves'");
    let id = page.eval("Number(location.hash.slice(7))").as_u64().unwrap();
    let request = world.daemon.service.request(id).expect("the job's request");
    assert_eq!((request.limits.seconds, request.settings["strategy"].as_str()), (Some(90.0), Some("auto")));
    let start = request.start.unwrap();
    assert_eq!(start.moves, Some(2));
    let grid = morpion::notation::format::read(start.grid.as_bytes(), None).unwrap().grid;
    assert_eq!((grid.variant, grid.score()), (Variant::T5, 2));
}

#[test]
fn a_job_is_submitted_watched_and_ended() {
    let Some(world) = world() else { return };
    let page = world.desk("/submit");
    page.click("input[name=variant][value='5D']");
    page.click("input[name=strategy][value='dfs']");
    page.wait("!document.querySelector('[name=level]').checkVisibility() && document.querySelector('[name=main_depth]').checkVisibility()");
    page.fill("[name=name]", "From the form");
    page.fill("[name=main_depth]", "6");
    page.fill("[name=seconds]", "tomorrow");
    page.eval("document.querySelector('[name=seconds]').removeAttribute('pattern')");
    page.click("button[type=submit]");
    page.wait("document.querySelector('[name=seconds]').getAttribute('aria-invalid') === 'true'");
    page.wait("document.activeElement.name === 'seconds'");
    page.fill("[name=seconds]", "1h");
    page.click("button[type=submit]");
    page.wait(
        "document.querySelector('h1').textContent === 'From the form' && document.querySelector('.pill.running')",
    );
    let id = page.eval("Number(location.hash.slice(7))").as_u64().unwrap();
    let request = world.daemon.service.request(id).unwrap();
    assert_eq!(Value::Object(request.settings), json!({ "variant": "5D", "strategy": "dfs", "main_depth": 6 }));
    assert_eq!(request.limits.seconds, Some(3600.0));
    // Another window sees it, and what is done to it, without being asked.
    let other = world.desk("/");
    let row = format!(
        "[...document.querySelectorAll('.jobs tbody tr')].find((r) => r.querySelector('a').getAttribute('href') === '#/jobs/{id}')"
    );
    other.wait(&row);
    // Other jobs take its workers, and give one back.
    for (workers, state) in [(0, "queued"), (1, "running")] {
        world.daemon.service.share(id, workers);
        other.wait(&format!("{row}.querySelector('.pill.{state}')"));
        page.wait(&format!("document.querySelector('h1 + .row .pill.{state}')"));
    }
    page.eval("[...document.querySelectorAll('.buttons button')].find((b) => b.textContent === 'Pause').click()");
    page.wait("document.querySelector('h1 + .row .pill.paused')");
    other.wait(&format!("{row}.querySelector('.pill.paused')"));
    // Cancelling is asked twice.
    page.scale_timers(CONFIRM_MS, 50);
    let cancel =
        "[...document.querySelectorAll('.buttons button')].find((b) => /cancel/i.test(b.textContent)).click()";
    page.eval(cancel);
    page.wait("document.querySelector('.buttons .sure')");
    assert_eq!(page.eval("Boolean(document.querySelector('h1 + .row .pill.paused'))"), true);
    page.eval(cancel);
    page.wait("document.querySelector('h1 + .row .pill.cancelled')");
    other.wait(&format!("{row}.querySelector('.pill.cancelled')"));
    world.approve(&page);
    world.approve(&other);
}

/// The program itself behind the page: a hunt from the form to its best grid.
#[test]
fn a_hunt_of_the_real_daemon_is_begun_by_the_form_and_seen_to_its_end() {
    let Some(world) = world() else { return };
    let state = tempfile::tempdir().unwrap();
    let program = Program::start(&state.path().join("state"));
    let page = world.browser.page(1280, 900, false);
    page.open(&format!("{}/#/submit", program.url));
    page.wait("document.querySelector('#link')?.dataset.state === 'live'");
    page.click("input[name=variant][value='5D']");
    page.click("input[name=strategy][value='nrpa']");
    page.fill("[name=name]", "A small hunt");
    page.fill("[name=level]", "2");
    page.fill("[name=seed]", "4");
    page.eval("document.querySelectorAll('form details').forEach((details) => { details.open = true; })");
    page.fill("[name=runs]", "3");
    page.click("button[type=submit]");
    page.wait("document.querySelector('h1').textContent === 'A small hunt'");
    page.wait("document.querySelector('h1 + .row .pill.finished')");
    let job = program.job(page.eval("Number(location.hash.slice(7))").as_u64().unwrap());
    assert_eq!(job["settings"]["runs"], 3, "{job}");
    let (best, key) = (job["best"].as_u64().unwrap(), job["best_grid"].as_str().unwrap());
    assert!(best > 40, "{job}");
    // The grid is drawn, with a point for each move, and is the one that the daemon has.
    let drawn = format!(
        "document.querySelector('.controls output').textContent === '{best} / {best}' && \
         document.querySelectorAll('.replay .point:not([visibility=hidden])').length === {best}"
    );
    page.wait(&drawn);
    page.wait(&format!("document.querySelector('main a[href=\"#/grids/{key}\"]')"));
    page.open(&format!("{}/#/grids/{key}", program.url));
    page.wait(&drawn);
    approve(&page, &format!("{}/", program.url));
    program.stop();
}

/// What the daemon refuses is shown at the field that it is about, and the form can be sent again.
#[test]
fn a_refusal_of_self_play_is_told_at_its_field() {
    let Some(world) = world() else { return };
    let state = tempfile::tempdir().unwrap();
    let program = Program::start(&state.path().join("state"));
    let page = world.browser.page(1280, 900, false);
    page.open(&format!("{}/#/selfplay?game=reversi&games=8&depth=30", program.url));
    page.wait("document.querySelector('#link')?.dataset.state === 'live'");
    // The browser would not send a number out of its range.
    page.eval("document.querySelector('form').noValidate = true");
    page.eval("document.querySelector('form').requestSubmit()");
    page.wait("document.querySelector('form [role=alert]').checkVisibility()");
    let told = page.eval("document.querySelector('form [name=depth]').closest('.field').textContent");
    assert!(told.as_str().unwrap().contains("is out of range: 1 to 20 is expected"), "{told}");
    type_in(&page, "depth", "1");
    page.eval("document.querySelector('form').requestSubmit()");
    page.wait("location.hash.startsWith('#/jobs/')");
    program.stop();
}

/// A hunt from another start: the form takes it, and the page of the job says where its grids are.
#[test]
fn a_hunt_from_another_start_is_begun_by_the_form() {
    let Some(world) = world() else { return };
    let state = tempfile::tempdir().unwrap();
    let program = Program::start(&state.path().join("state"));
    let page = world.browser.page(1280, 900, false);
    page.open(&format!("{}/#/submit", program.url));
    page.wait("document.querySelector('#link')?.dataset.state === 'live'");
    page.click("input[name=strategy][value='nrpa']");
    page.fill("[name=level]", "1");
    page.eval("document.querySelectorAll('form details').forEach((details) => { details.open = true; })");
    page.fill("[name=start_points]", "cross-5");
    page.fill("[name=runs]", "3");
    page.click("button[type=submit]");
    page.wait("document.querySelector('h1').textContent === '5T cross-5 nrpa level 1'");
    page.wait("document.querySelector('h1 + .row .pill.finished')");
    let job = program.job(page.eval("Number(location.hash.slice(7))").as_u64().unwrap());
    assert_eq!((&job["settings"]["start"], &job["best_grid"]), (&"cross-5".into(), &Value::Null), "{job}");
    assert!(job["best"].as_u64().unwrap() > 5, "{job}");
    page.wait("document.body.innerText.includes('The grids of this job are in its folder, not in the archive.')");
    assert_eq!(page.eval("document.body.innerText.includes('No grid yet')"), false);
    approve(&page, &format!("{}/", program.url));
    page.open(&format!("{}/#/archive", program.url));
    page.wait("document.querySelector('#link')?.dataset.state === 'live'");
    page.wait("document.querySelectorAll('main a[href^=\"#/grids/\"]').length === 0");
    program.stop();
}

#[test]
fn a_refusal_is_told_at_its_field() {
    let Some(world) = world() else { return };
    let page = world.desk("/submit");
    page.wait("document.querySelector('form .choice')");
    page.eval("document.querySelectorAll('form details').forEach((details) => { details.open = true; })");
    page.fill("[name=weight]", "0");
    page.eval("document.querySelector('form').noValidate = true");
    page.click("button[type=submit]");
    page.wait("document.querySelector('[name=weight]').getAttribute('aria-invalid') === 'true'");
    page.wait("document.activeElement.name === 'weight'");
    assert_eq!(
        page.eval("document.querySelector('[name=weight]').closest('.field').querySelector('.problem').textContent"),
        "The weight is out of range: 1 to 1000 is expected"
    );
}

#[test]
fn a_grid_is_replayed() {
    let Some(world) = world() else { return };
    let key = archive(&world.daemon, Variant::D5).remove(0);
    let page = world.desk(&format!("/grids/{key}"));
    let shown = |n: u32| {
        page.wait(&format!(
            "document.querySelector('.controls output').textContent === '{n} / 82' && \
             document.querySelectorAll('.replay .point:not([visibility=hidden])').length === {n}"
        ));
    };
    shown(82);
    page.click(".replay .frame");
    page.eval("document.querySelector('.replay .frame').focus()");
    page.key("Home");
    shown(0);
    page.key("ArrowRight");
    page.key("ArrowRight");
    shown(2);
    page.key("ArrowLeft");
    shown(1);
    page.eval("(() => { const s = document.querySelector('.replay .slider'); s.value = 40; s.dispatchEvent(new Event('input')); })()");
    shown(40);
    // The steps come fast, so it is stopped by the page itself.
    page.eval(
        "new MutationObserver((_, observer) => { \
         if (document.querySelector('.controls output').textContent !== '43 / 82') return; \
         observer.disconnect(); document.querySelector('.controls .main').click(); \
         }).observe(document.querySelector('.controls'), { childList: true, characterData: true, subtree: true })",
    );
    page.click(".controls .main");
    page.wait("document.querySelector('.controls .main').title === 'Play'");
    shown(43);
    page.key("End");
    shown(82);
    world.approve(&page);
}

#[test]
fn a_grid_is_removed_by_pressing_twice() {
    let Some(world) = world() else { return };
    // A daemon of its own: the others look at their grids meanwhile.
    let daemon = Daemon::begin();
    let page = world.browser.page(1280, 900, false);
    let at = |view: &str| format!("http://{}/#{view}", daemon.address);
    let keys = archive(&daemon, Variant::D5);
    let held = || {
        let list = page.eval("fetch('/api/v1/grids?limit=1000').then((answer) => answer.json())");
        let key = |grid: &Value| grid["key"].as_str().unwrap().to_owned();
        list["items"].as_array().unwrap().iter().map(key).collect::<Vec<_>>()
    };
    page.open(&at(&format!("/grids/{}", keys[0])));
    page.scale_timers(CONFIRM_MS, 50);
    let button = "button[aria-label^=\"Remove this grid\"]";
    page.wait(&format!("document.querySelector('{button}')"));
    page.click(button);
    page.wait(&format!("document.querySelector('{button}').textContent.includes('Really remove?')"));
    let before = held();
    assert!(before.contains(&keys[0]), "pressed once");
    page.click(button);
    page.wait(
        "location.hash.startsWith('#/archive') && document.body.textContent.includes('was removed from the archive')",
    );
    assert_eq!(held(), before.into_iter().filter(|key| *key != keys[0]).collect::<Vec<_>>(), "pressed twice");
    approve(&page, &format!("http://{}/", daemon.address));
}

#[test]
fn the_archive_is_filtered_and_two_grids_are_compared() {
    let Some(world) = world() else { return };
    let keys = archive(&world.daemon, Variant::T5);
    archive(&world.daemon, Variant::T4);
    let page = world.desk("/archive?variant=5T");
    let tiles = "document.querySelectorAll('.thumbs li').length";
    page.wait(&format!("{tiles} >= {}", keys.len()));
    assert_eq!(
        page.eval("[...document.querySelectorAll('.thumbs .base .faint')].every((e) => e.textContent === '5T')"),
        true
    );
    page.fill("input[max='485']", "177");
    page.click("form.filter button[type=submit]");
    page.wait(&format!("{tiles} === 3"));
    page.click(".thumbs li:nth-child(2) input");
    page.wait("document.querySelector('.choosebar').checkVisibility() && document.querySelector('.choosebar .main').disabled");
    page.click(".thumbs li:nth-child(3) input");
    page.click(".choosebar .main");
    page.wait("document.querySelector('h1').textContent === '5T: 177 and 177 moves'");
    let words = page.eval("document.querySelector('main').innerText");
    let counts: Vec<u32> = numbers(words.as_str().unwrap().split("lines are in both").next().unwrap());
    let shared = *counts.last().unwrap();
    assert!(shared > 0 && shared < 177, "{words}");
    page.eval("[...document.querySelectorAll('.segmented button')].at(-1).click()");
    page.wait("[...document.querySelectorAll('figure')].filter((f) => f.checkVisibility()).length === 1");
    world.approve(&page);
}

#[test]
fn the_colours_are_chosen_and_kept() {
    let Some(world) = world() else { return };
    let page = world.open("/", 1280, 900, true);
    let ground = "getComputedStyle(document.body).backgroundColor";
    let dark = page.eval(ground);
    page.click("#theme");
    page.wait("document.documentElement.dataset.theme === 'light'");
    assert_ne!(page.eval(ground), dark);
    page.reload();
    page.wait("document.querySelector('#theme').title === 'Colours: light'");
    assert_ne!(page.eval(ground), dark);
    page.click("#theme");
    page.wait("document.documentElement.dataset.theme === 'dark'");
    assert_eq!(page.eval(ground), dark);
    world.approve(&page);
}

/// The daemon goes away and its page says so and keeps what it shows.
#[test]
fn a_lost_daemon_is_told() {
    let Some(world) = world() else { return };
    let daemon = Daemon::begin();
    let page = world.browser.page(1280, 900, false);
    page.open(&format!("http://{}/", daemon.address));
    page.wait("document.querySelector('#link')?.dataset.state === 'live'");
    submit(&daemon, "kept in sight");
    page.wait("document.querySelector('.jobs tbody')?.textContent.includes('kept in sight')");
    daemon.end().unwrap();
    page.wait("document.querySelector('#link').dataset.state === 'offline' && document.querySelector('#trouble').checkVisibility()");
    assert_eq!(page.eval("document.querySelector('.jobs tbody').textContent.includes('kept in sight')"), true);
}

/// A job is opened while the daemon is away: the page says so, and shows the job as soon as the daemon is back. The
/// timer that asks again four times a minute is switched off here, so the return of the daemon is what brings the
/// job.
#[test]
fn the_view_of_a_job_comes_back_with_the_daemon() {
    let Some(world) = world() else { return };
    let daemon = Daemon::begin();
    let address = daemon.address.to_string();
    let page = world.browser.page(1280, 900, false);
    page.open(&format!("http://{address}/"));
    page.wait("document.querySelector('#link')?.dataset.state === 'live'");
    let job = submit(&daemon, "opened too early");
    page.wait("document.querySelector('.jobs tbody')?.textContent.includes('opened too early')");
    daemon.end().unwrap();
    page.wait("document.querySelector('#link').dataset.state === 'offline'");
    page.eval("(() => { const real = setTimeout; window.setTimeout = (act, ms, ...rest) => (ms >= 15000 ? 0 : real(act, ms, ...rest)); })()");
    page.eval(&format!("location.hash = '#/jobs/{job}'"));
    page.wait("document.querySelector('main .note.bad')?.textContent.includes('cannot be reached')");
    let daemon = Daemon::listening(&address, ServerLimits::default(), None);
    assert_eq!(submit(&daemon, "opened too early"), job);
    page.wait("document.querySelector('#link').dataset.state === 'live'");
    page.wait("![...document.querySelectorAll('main .note.bad')].some((e) => e.checkVisibility()) && document.querySelector('h1').textContent === 'opened too early'");
    page.wait("document.querySelector('.replay .point') && document.querySelector('.chart .series')");
    drop(daemon);
}

/// The newest move of a long game is in sight, and the list is no wider than its card.
#[test]
fn the_list_of_a_long_game_shows_the_newest_move() {
    let Some(world) = world() else { return };
    for (width, height) in [(1280, 900), (390, 844)] {
        let key = archive(&world.daemon, Variant::D5).remove(0);
        let page = world.open(&format!("/board?grid={key}"), width, height, false);
        has_moves(&page, 82);
        let sight = page.eval(
            "(() => { const list = document.querySelector('.movelist'); const [a, b] = [list, list.lastChild].map((e) => e.getBoundingClientRect()); \
             return [list.scrollWidth <= list.clientWidth, b.left >= a.left && b.right <= a.right + 1, b.top >= a.top && b.bottom <= a.bottom + 1]; })()",
        );
        assert_eq!(sight, json!([true, true, true]), "in a window of {width}");
        world.approve(&page);
    }
}

/// A daemon that other machines reach asks for a token, and the page for it, until it is the right one.
#[test]
fn a_token_is_asked_for() {
    let Some(world) = world() else { return };
    let state = tempfile::tempdir().unwrap();
    let tokens = TokenFile::in_directory(state.path());
    let (token, secret) = make("page", Role::Operate, ([1; 4], [2; 32]), 0).unwrap();
    tokens.add(token).unwrap();
    let store = Arc::new(TokenFile::in_directory(state.path()));
    let daemon = Daemon::listening("0.0.0.0:0", ServerLimits::default(), Some(store));
    let page = world.browser.page(1280, 900, false);
    page.open(&format!("http://{}/", daemon.address));
    for guess in ["wrong", secret.as_str()] {
        page.fill("dialog[open] input[type=password]", guess);
        page.click("dialog[open] button");
        if guess == "wrong" {
            page.wait("document.querySelector('dialog[open] .problem')");
        }
    }
    page.wait("document.querySelector('#link').dataset.state === 'live' && !document.querySelector('dialog')");
    page.eval("import('/js/api.js').then((api) => api.post('/jobs', { kind: 'hunt', name: 'with a token' }))");
    page.wait("document.querySelector('.jobs tbody').textContent.includes('with a token')");
    // The tab remembers it.
    page.reload();
    page.wait("document.querySelector('.jobs tbody').textContent.includes('with a token')");
    assert_eq!(page.eval("document.querySelector('dialog')"), Value::Null);
}

/// The values of the form's fields, whatever the strategy: what a person might fill in everywhere.
const FILLED: [(&str, &str); 11] = [
    ("level", "2"),
    ("alpha", "0.9"),
    ("target", "60"),
    ("seed", "12345678901234567890"),
    ("runs", "3"),
    ("seconds", "1h30m"),
    ("workers", "1"),
    ("limit_iterations", "5M"),
    ("memory", "512M"),
    ("name", "It's a $test"),
    ("weight", "3"),
];

/// The command that the form shows makes the same job as the form does.
#[test]
fn the_command_in_the_form_submits_the_same_job() {
    let Some(world) = world() else { return };
    let state = tempfile::tempdir().unwrap();
    let program = Program::start(&state.path().join("state"));
    let page = world.browser.page(1280, 900, false);
    let start = page_address(&page, &program);
    page.open(&format!("{}/#/submit?start={start}&strategy=nrpa", program.url));
    page.wait("document.querySelector('[name=alpha]')");
    page.eval("document.querySelectorAll('form details').forEach((details) => { details.open = true; })");
    for (name, value) in FILLED {
        page.fill(&format!("[name={name}]"), value);
    }
    page.fill("[name=priority]", "-2");
    page.fill("[name=start]", "1");
    let command = page.eval("document.querySelector('code.preview').textContent");
    let command = command.as_str().unwrap().strip_prefix("morpion job submit ").unwrap().to_owned();
    for part in ["--time 1h30m", "--threads 2", "--memory 512M", "--all-iterations 5M", "--priority=-2", "--weight 3"]
    {
        assert!(command.contains(part), "{part} is missing: {command}");
    }
    assert!(command.ends_with("--init-file grid.txt 1") && command.contains("'It'\\''s a $test'"), "{command}");
    std::fs::write(state.path().join("grid.txt"), "# variant 5T\n(28,28)\n(31,29) | -2\n(27,27) / 0\n").unwrap();
    let run = format!("exec \"$MORPION\" job submit {command} --url {}", program.url);
    let ran = std::process::Command::new("sh")
        .args(["-c", &run])
        .env("MORPION", env!("CARGO_BIN_EXE_morpion"))
        .current_dir(state.path())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{command}: {}", String::from_utf8_lossy(&ran.stderr));
    let by_command: u64 = String::from_utf8(ran.stdout).unwrap().trim().parse().unwrap();
    page.click("button[type=submit]");
    page.wait("/^#\\/jobs\\/\\d+$/.test(location.hash)");
    let by_form = page.eval("Number(location.hash.slice(7))").as_u64().unwrap();
    let [one, other] = [by_command, by_form].map(|id| {
        let job = program.job(id);
        ["name", "priority", "weight", "limits", "settings", "seed"].map(|field| job[field].clone())
    });
    assert_ne!(by_command, by_form);
    assert_eq!(one, other);
    assert_eq!(one[1], json!(-2));
    program.stop();
}

/// The address of a game of two moves on the board.
fn page_address(page: &Page, program: &Program) -> String {
    page.open(&format!("{}/#/board", program.url));
    page.wait("document.querySelector('#link')?.dataset.state === 'live'");
    let address = page.eval(
        "import('/js/notation.js').then(async (notation) => { const { checkGrid } = await import('/js/api.js'); const { fromView } = await import('/js/rules.js'); \
         const view = await checkGrid('# variant 5T\\n(28,28)\\n(31,29) | -2\\n(27,27) / 0\\n'); return notation.toAddress(view.variant, view.moves.map(fromView)); })",
    );
    address.as_str().unwrap().to_owned()
}

/// Pictures that are dropped on the board or sent into the archive are read by the record that they carry.
#[test]
fn pictures_are_dropped_on_the_board() {
    let Some(world) = world() else { return };
    let page = world.desk("/board");
    for (format, variant) in [("png", Variant::D5), ("svg", Variant::D4)] {
        let key = archive(&world.daemon, variant).remove(0);
        page.open(&world.at("/board"));
        page.wait("document.querySelector('section[aria-label=Board]')");
        page.eval(&format!(
            "(async () => {{
                const {{ get }} = await import('/js/api.js');
                const answer = await fetch('/api/v1/grids/{key}?format={format}', {{ headers: {{ accept: '*/*' }} }});
                const transfer = new DataTransfer();
                transfer.items.add(new File([await answer.blob()], 'grid.{format}'));
                const board = document.querySelector('section[aria-label=Board]');
                for (const kind of ['dragenter', 'dragover', 'drop'])
                    board.dispatchEvent(new DragEvent(kind, {{ bubbles: true, cancelable: true, dataTransfer: transfer }}));
            }})()"
        ));
        let score = page
            .eval(&format!("import('/js/api.js').then((api) => api.get('/grids/{key}')).then((grid) => grid.score)"));
        page.wait(&format!(
            "document.querySelector('section[aria-label=Game] .score').textContent === '{score}' \
             && document.querySelector('[data-variant=\"{variant}\"]').getAttribute('aria-pressed') === 'true'"
        ));
        assert_eq!(page.eval("document.querySelector('dialog[open]') === null"), true);
    }
    let refusal = page.eval(
        "import('/js/gridfile.js').then(async ({ gridText }) => {
            const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 255, 255, 255, 255, 0, 0, 0, 0]);
            try { return await gridText(new File([png], 'a.png')); } catch (problem) { return problem.message; }
        })",
    );
    assert_eq!(refusal, "The picture carries no record.");
}

/// The form offers what the daemon says there is: each strategy with its settings, and the best one of the variant
/// first.
#[test]
fn the_form_offers_what_the_program_takes() {
    let Some(world) = world() else { return };
    let page = world.desk("/submit");
    page.wait("document.querySelector('form .choice')");
    let known = page.eval("import('/js/api.js').then((api) => api.get('/strategies'))");
    let named = |value: &Value| value["name"].as_str().unwrap().to_owned();
    let strategies = known["strategies"].as_array().unwrap();
    assert!(strategies.len() > 8, "{known}");
    page.eval("document.querySelectorAll('form details').forEach((details) => { details.open = true; })");
    assert_eq!(page.eval("document.querySelector('input[name=strategy]:checked').value"), "auto");
    for auto in known["auto"].as_array().unwrap() {
        page.click(&format!("input[name=variant][value='{}']", auto["variant"].as_str().unwrap()));
        let reason = auto["reason"].as_str().unwrap();
        page.wait(&format!(
            "document.querySelector('input[value=auto]').closest('label').textContent.includes({})",
            json!(reason)
        ));
    }
    for strategy in strategies {
        page.click(&format!("input[name=strategy][value='{}']", named(strategy)));
        let shown = page.eval(
            "[...document.querySelectorAll('form .field')].filter((e) => e.checkVisibility()).map((e) => e.querySelector('[name]').name)",
        );
        for parameter in known["parameters"].as_array().unwrap() {
            let name = named(parameter);
            let used = parameter["used_by"].as_array().unwrap().contains(&strategy["name"]);
            assert_eq!(shown.as_array().unwrap().contains(&json!(name)), used, "{name} of {}", named(strategy));
        }
        let boxes = page.eval("[...document.querySelectorAll('h3')].some((e) => e.textContent === 'Grids to begin with' && e.checkVisibility())");
        assert_eq!(boxes, strategy["takes_grids"], "{}", named(strategy));
    }
    world.approve(&page);
}

/// Presses the cell of that name on the board of a game.
fn press(page: &Page, name: &str) {
    page.wait(&format!("document.querySelector('.gameboard [data-name={name}][role=button]')"));
    page.click(&format!(".gameboard [data-name={name}] .catch"));
}

#[test]
fn a_person_plays_reversi_and_has_it_solved() {
    let Some(world) = world() else { return };
    let page = world.desk("/games?game=reversi&size=4");
    page.wait("document.querySelectorAll('.gameboard .choice-cell').length === 4");
    assert_eq!(page.eval("document.querySelectorAll('.gameboard .stone').length"), 4);
    press(&page, "a2");
    page.wait("document.querySelectorAll('.gameboard .stone.black').length === 4");
    page.wait("document.querySelectorAll('.movelist li').length === 1 && document.querySelector('.prompt').textContent.startsWith('white to move')");
    // It is in the address, so that nothing is lost.
    page.reload();
    page.wait("document.querySelectorAll('.movelist li').length === 1 && document.querySelectorAll('.gameboard .stone.black').length === 4");
    page.eval("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Undo').click()");
    page.wait("document.querySelectorAll('.gameboard .stone').length === 4 && document.querySelectorAll('.gameboard .choice-cell').length === 4");
    // By the keyboard: to the first move, to its neighbour, and play.
    page.eval("document.querySelector('.gameboard .choice-cell').focus()");
    page.key("ArrowDown");
    let at = page.eval("document.activeElement.dataset.name");
    page.key("Enter");
    page.wait("document.querySelectorAll('.movelist li').length === 1");
    assert_eq!(page.eval("document.querySelector('.movelist li').textContent"), at);
    page.eval("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Undo').click()");
    page.wait("document.querySelectorAll('.gameboard .choice-cell').length === 4");

    page.fill("[name=workers]", "2");
    page.click("button[type=submit]");
    page.wait("document.querySelector('section[aria-label=Solver]').checkVisibility()");
    let id = page.eval("Number(new URLSearchParams(location.hash.split('?')[1]).get('job'))").as_u64().unwrap();
    let request = world.daemon.service.request(id).unwrap();
    let settings =
        json!({ "game": "reversi", "size": "4x4", "position": "-----OX--XO----- X", "empties": "ignored" });
    assert_eq!((Value::Object(request.settings), request.limits.workers), (settings, Some(2)));
    // What is known of the moves stands on the board, and the bounds close as they are told.
    page.wait("document.querySelector('.gameboard [data-name=c4] .value')?.textContent === '\u{2212}8'");
    page.wait("document.querySelector('section[aria-label=Solver] .score').textContent === '\u{2212}10..\u{2212}6'");
    world.daemon.service.closer(id, -9, -8);
    page.wait("document.querySelector('section[aria-label=Solver] .score').textContent === '\u{2212}9..\u{2212}8'");
    world.daemon.service.closer(id, -8, -8);
    page.wait("document.querySelector('section[aria-label=Solver]').textContent.includes('white wins')");
    page.wait("document.querySelector('.gameboard [data-name=c4] .bestmark')");
    page.open(&world.at(&format!("/jobs/{id}")));
    page.wait(
        "document.querySelector('section[aria-label=Position] .bestmark') && document.querySelector('.chart .band')",
    );
    page.wait("document.querySelector('section[aria-label=Position]').textContent.includes('Best play: c4 d2')");
    page.wait("document.querySelector('section[aria-label=Credit] tbody').textContent.includes('ada/1')");
    page.wait("document.querySelector('.events').textContent.includes('is solved')");
    world.approve(&page);
}

#[test]
fn a_person_sets_up_go() {
    let Some(world) = world() else { return };
    let page = world.desk("/games");
    page.wait("document.querySelector('[aria-label=\\'Position as text\\']').value.length === 66");
    page.click("[data-game=go]");
    page.wait("document.querySelectorAll('.gameboard.go .choice-cell').length === 81");
    page.eval("const size = document.querySelector('section[aria-label=Rules] input'); size.value = '3x4'; size.dispatchEvent(new Event('change'))");
    page.wait("document.querySelectorAll('.gameboard.go .choice-cell').length === 12");
    press(&page, "b2");
    page.wait("document.querySelectorAll('.gameboard .stone').length === 1 && document.querySelector('.prompt').textContent.startsWith('white')");
    page.eval("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Pass').click()");
    page.wait("document.querySelectorAll('.movelist li').length === 2 && document.querySelector('.prompt').textContent.startsWith('black')");
    page.click("[data-tool=O]");
    page.wait("document.querySelectorAll('.gameboard .choice-cell').length === 12");
    press(&page, "a1");
    page.wait("document.querySelectorAll('.gameboard .stone.white').length === 1");
    page.wait("document.querySelector('[aria-label=\\'Position as text\\']').value === '.../.../.X./O.. black'");
    page.eval("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Other side to move').click()");
    page.wait("document.querySelector('[aria-label=\\'Position as text\\']').value.endsWith('white')");
    page.wait("location.hash.includes('white')");
    page.click("[data-tool='']");
    page.wait("document.querySelectorAll('.gameboard .choice-cell').length === 10");
    // A position that cannot be is told, and not sent.
    let text = "document.querySelector('[aria-label=\\'Position as text\\']')";
    page.eval(&format!("{text}.value = 'nonsense'; {text}.dispatchEvent(new Event('change'))"));
    page.wait("document.querySelector('section[aria-label=Board] .note.bad')");
    page.eval(&format!("{text}.value = '.X./X.X/.X. white'; {text}.dispatchEvent(new Event('change'))"));
    page.wait("!document.querySelector('section[aria-label=Board] .note.bad') && document.querySelectorAll('.gameboard .stone').length === 4");
    // The browser notes the refusal, and nothing else.
    let problems = page.problems();
    assert!(
        problems.iter().all(|problem| problem.contains("422") && problem.contains("/api/v1/position")),
        "{problems:?}"
    );
}

/// Files of games are opened, whatever game they are of, and games are saved as such files.
#[test]
fn an_answer_that_comes_late_brings_nobody_back_to_the_games() {
    let Some(world) = world() else { return };
    let page = world.desk("/editor");
    page.eval(
        "{
            const real = fetch;
            globalThis.fetch = async (...request) => {
                const answer = await real(...request);
                if (!String(request[0]).endsWith('/position')) return answer;
                const text = await answer.text();
                await new Promise((done) => { globalThis.release = done; });
                setTimeout(() => { globalThis.heard = true; }, 100);
                return { ok: true, status: 200, text: async () => text };
            };
        }",
    );
    // Before the other view is drawn, and after that.
    for leave in ["location.hash = '#/editor'; release();", "location.hash = '#/editor'; setTimeout(release, 200);"] {
        page.eval("globalThis.release = null; globalThis.heard = false");
        page.follow("/games");
        page.wait("globalThis.release");
        page.eval(&format!("{{ {leave} }}"));
        page.wait("globalThis.heard && document.querySelector('section[aria-label=\"Game tree\"]')");
        assert_eq!(page.eval("location.hash"), "#/editor", "{leave}");
    }
    assert_eq!(page.problems(), [""; 0]);
}

#[test]
fn games_are_opened_and_saved() {
    let Some(world) = world() else { return };
    let page = world.desk("/games");
    page.wait("document.querySelector('input[name=game-file]')");
    let open = |name: &str, text: &str| {
        page.eval(&format!(
            "{{
                const data = new DataTransfer();
                data.items.add(new File([{text:?}], {name:?}));
                const input = document.querySelector('input[name=game-file]');
                input.files = data.files;
                input.dispatchEvent(new Event('change'));
            }}"
        ));
    };
    let stones = |game: &str, count: usize| {
        page.wait(&format!("document.querySelectorAll('.gameboard.{game} .stone').length === {count}"));
    };
    open("a.sgf", "(;GM[1]SZ[5];B[cc];W[dd])");
    stones("go", 2);
    press(&page, "b2");
    stones("go", 3);
    page.eval(
        "{
            const make = URL.createObjectURL;
            URL.createObjectURL = (blob) => {
                blob.text().then((text) => { globalThis.savedText = text; });
                return make.call(URL, blob);
            };
        }",
    );
    page.eval("[...document.querySelectorAll('section[aria-label=Moves] button')].find((b) => b.textContent === 'Save').click()");
    page.wait("globalThis.savedText?.startsWith('(;FF[4]GM[1]SZ[5]') && savedText.endsWith(';B[bd])')");
    open("a.psq", "Piskvorky 15x15, 11:11, 1\n8,8,0\n9,7,1500\n7,9,20\n");
    stones("gomoku", 3);
    open(
        "a.ggf",
        "(;GM[Othello]BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[d6];)",
    );
    stones("reversi", 6);
    open("a.obf", "--------------OX----XO-------------- X");
    stones("reversi", 4);
    // What is not a game of the kind that it says is told, and nothing is lost.
    open("a.sgf", "(;GM[1]SZ[5];B[zz])");
    page.wait("document.querySelector('section[aria-label=Board] .note.bad')");
    open("a.sgf", "(;GM[4]SZ[15];B[hh])");
    stones("gomoku", 1);
    page.wait("!document.querySelector('section[aria-label=Board] .note.bad')");
}

#[test]
fn a_person_plays_gomoku_to_its_end() {
    let Some(world) = world() else { return };
    let page = world.desk("/games");
    page.click("[data-game=gomoku]");
    page.wait("document.querySelectorAll('.gameboard.gomoku .choice-cell').length === 225");
    // The letters leave none out, and the rows are counted from below.
    for (number, name) in ["h8", "i8", "h9", "i9", "h10", "i10", "h11", "i11"].into_iter().enumerate() {
        press(&page, name);
        page.wait(&format!("document.querySelectorAll('.movelist li').length === {}", number + 1));
    }
    press(&page, "h12");
    page.wait("document.querySelector('.prompt').textContent === 'The game is over: black wins (5 black, 4 white)'");
    assert_eq!(page.eval("document.querySelectorAll('.gameboard .ring').length"), json!(5), "the row that has won");
    // Under another rule the same moves; a board by hand; a position as moves.
    page.eval("document.querySelector('select[name=win]').value = '3'; document.querySelector('select[name=win]').dispatchEvent(new Event('change'))");
    page.wait("document.querySelectorAll('.gameboard .stone').length === 0");
    page.eval("const size = document.querySelector('section[aria-label=Rules] input'); size.value = '3'; size.dispatchEvent(new Event('change'))");
    page.wait("document.querySelectorAll('.gameboard .choice-cell').length === 9");
    page.click("[data-tool=O]");
    press(&page, "b2");
    page.wait("document.querySelector('[aria-label=\\'Position as text\\']').value === '.../.O./... black'");
    page.click("[data-tool='']");
    page.wait("document.querySelectorAll('.gameboard .choice-cell').length === 8");
    page.eval("const text = document.querySelector('[aria-label=\\'Position as text\\']'); text.value = 'a1b2'; text.dispatchEvent(new Event('change'))");
    page.wait("document.querySelectorAll('.gameboard .stone.white').length === 1 && document.querySelectorAll('.gameboard .choice-cell').length === 7");
    world.approve(&page);
}

#[test]
fn a_person_plays_gomoku_against_the_machine() {
    let Some(world) = world() else { return };
    let page = world.desk("/games?game=gomoku");
    page.wait("document.querySelectorAll('.gameboard.gomoku .choice-cell').length === 225");
    let choose = |name: &str, value: &str| {
        page.eval(&format!("{{ const it = document.querySelector('select[name={name}]'); it.value = '{value}'; it.dispatchEvent(new Event('change')); }}"));
    };
    choose("think", "0.3");
    choose("level", "2");
    choose("machine", "white");
    press(&page, "h8");
    // It answers, and then it is the person's turn.
    page.wait("document.querySelectorAll('.movelist li').length === 2 && document.querySelector('.prompt').textContent.startsWith('black to move')");
    page.wait("document.querySelector('section[aria-label=\\'The machine\\']').textContent.includes('White played')");
    // All of it is in the address.
    page.reload();
    page.wait("document.querySelectorAll('.movelist li').length === 2 && document.querySelector('select[name=machine]').value === 'white'");
    // A hint is marked, and not played.
    page.eval("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Hint').click()");
    page.wait("document.querySelector('.gameboard .bestmark')");
    assert_eq!(page.eval("document.querySelectorAll('.movelist li').length"), 2);
    // Both moves are taken back, and made again.
    page.eval("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Undo').click()");
    page.wait("document.querySelectorAll('.movelist li').length === 0 && document.querySelectorAll('.gameboard .choice-cell').length === 225");
    page.wait("!document.querySelector('section[aria-label=\\'The machine\\']').textContent.includes('hint for')");
    page.eval("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Redo').click()");
    page.wait("document.querySelectorAll('.movelist li').length === 2 && document.querySelectorAll('.gameboard .choice-cell').length === 223");
    // It plays the other side from now on: at once, since that one is to move.
    choose("machine", "black");
    page.wait("document.querySelectorAll('.movelist li').length === 3 && document.querySelector('.prompt').textContent.startsWith('white to move')");
    // It plays the other games as well.
    for (game, size, first, cells) in [("reversi", "6", "c2", 4), ("go", "3", "b2", 9), ("go", "9", "e5", 81)] {
        page.click(&format!("[data-game={game}]"));
        page.wait(&format!("document.querySelector('[data-game={game}]').getAttribute('aria-pressed') !== 'false'"));
        page.eval(&format!("{{ const size = document.querySelector('section[aria-label=Rules] input'); size.value = '{size}'; size.dispatchEvent(new Event('change')); }}"));
        page.wait(&format!("document.querySelectorAll('.gameboard .choice-cell').length === {cells}"));
        choose("think", "0.3");
        choose("machine", "white");
        press(&page, first);
        page.wait("document.querySelectorAll('.movelist li').length === 2 && document.querySelector('.prompt').textContent.startsWith('black to move')");
        page.wait(
            "document.querySelector('section[aria-label=\\'The machine\\']').textContent.includes('White played')",
        );
    }
    world.approve(&page);
}

#[test]
fn the_position_that_is_shown_is_analysed() {
    let Some(world) = world() else { return };
    let page = world.desk("/games?game=gomoku&moves=h8.i9.g7");
    page.wait("document.querySelector('.prompt').textContent.startsWith('white to move')");
    let card = "document.querySelector('section[aria-label=Analysis]')";
    let values = "document.querySelectorAll('.gameboard .value')";
    assert_eq!(page.eval(&format!("{values}.length")), json!(0));
    let switch =
        format!("[...{card}.querySelectorAll('button')].find((b) => b.textContent === 'Analyse this position')");
    page.eval(&format!("{switch}.click()"));
    page.wait(&format!("{card}.textContent.includes('worth to white, after')"));
    page.wait(&format!("{card}.querySelectorAll('tbody tr').length >= 3 && {values}.length >= 3"));
    // The first row is the best move, which the board marks.
    let best = page.eval(&format!("{card}.querySelector('tbody td').textContent"));
    let marked = "document.querySelector('.gameboard .bestmark').closest('[data-name]').dataset.name";
    page.wait(&format!("{marked} === {card}.querySelector('tbody td').textContent"));
    assert!(best.as_str().is_some_and(|name| name.len() >= 2), "{best}");
    // After a move it is the position after that.
    press(&page, "i8");
    page.wait(&format!("{card}.textContent.includes('worth to black, after')"));
    // Nothing is left of it when it is off, or when the game is over.
    page.eval(&format!("{switch}.click()"));
    page.wait(&format!("{values}.length === 0 && {card}.querySelector('table').checkVisibility() === false"));
    assert_eq!(page.eval(&format!("{switch}.getAttribute('aria-pressed')")), json!("false"));
    world.approve(&page);
}

#[test]
fn nearly_equal_grids_are_one_tile_that_can_be_opened() {
    let Some(world) = world() else { return };
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(dir.path());
    let record = &known().unwrap()[0].grid;
    let agent: ureq::Agent = ureq::Agent::config_builder().proxy(None).build().into();
    for moves in [178, 176, 174, 150] {
        let text = morpion::notation::format::write(
            &record.prefix(moves).unwrap(),
            morpion::notation::format::GridFormat::MsrCompact,
        );
        let sent = agent.post(format!("{}/api/v1/grids", program.url)).content_type("text/plain").send(text.unwrap());
        assert_eq!(sent.unwrap().status(), 201);
    }
    for (width, height) in [(1400, 900), (390, 844)] {
        let page = world.browser.page(width, height, false);
        page.open(&format!("{}/#/archive", program.url));
        let tiles = "document.querySelectorAll('.thumbs li').length";
        page.wait(&format!("{tiles} === 4"));
        page.click("form.filter input[type=checkbox]");
        page.wait(&format!("{tiles} === 2 && location.hash.includes('clusters=3')"));
        assert_eq!(
            page.eval("document.querySelector('.thumbs li a:not(.picture)[href*=cluster]').textContent"),
            "and 2 nearly equal"
        );
        page.click(".thumbs li a[href*=cluster]");
        page.wait(&format!("{tiles} === 3 && document.body.innerText.includes('nearly equal to this one')"));
        page.click("main a.button[href*=archive]");
        page.wait(&format!("{tiles} === 2"));
        // Another order has other names for the pages.
        page.eval("(() => { const order = [...document.querySelectorAll('form.filter select')].at(-1); order.value = 'time'; order.dispatchEvent(new Event('change')); })()");
        page.wait(
            "location.hash.includes('sort=time') && document.querySelector('.paging').innerText.includes('Older')",
        );
        let fits = "document.documentElement.scrollWidth <= innerWidth";
        assert_eq!(page.eval(fits), true, "{width}");
        approve(&page, &program.url);
    }
}

#[test]
fn a_job_tells_when_it_begins_and_is_submitted_again() {
    let Some(world) = world() else { return };
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(dir.path());
    let first = program.submit(&json!({ "kind": "hunt", "settings": daemons::endless(3) }));
    let held = json!({ "kind": "hunt", "name": "the next", "settings": daemons::small(4), "after": first, "not_before": 4e9 });
    let second = program.submit(&held);
    let page = world.browser.page(1280, 900, false);
    page.open(&format!("{}/#/jobs/{second}", program.url));
    page.wait(&format!(
        "document.querySelector('h1 + .row').innerText.includes('waits until job {first} has finished')"
    ));
    page.wait("/Begins at the earliest/.test(document.body.innerText) && /2096/.test(document.body.innerText)");
    // Until it begins that can be changed.
    page.eval(
        "{
            const adjust = document.querySelector('details.adjust');
            adjust.open = true;
            adjust.querySelector('input[type=datetime-local]').value = '2090-01-02T03:04';
            adjust.querySelector('form').requestSubmit();
        }",
    );
    page.wait("/2090-01-02 03:04/.test(document.body.innerText)");
    assert_eq!(program.job(second)["after"], first);
    page.click(&format!("dd a[href='#/jobs/{first}']"));
    page.wait(&format!("document.querySelector('h1 + .row').innerText.includes('Job {first}')"));
    page.open(&format!("{}/#/jobs/{second}", program.url));
    page.wait("document.querySelector('h1').textContent === 'the next'");
    let again =
        "[...document.querySelectorAll('.buttons button')].find((b) => b.textContent === 'Submit again').click()";
    page.eval(again);
    page.wait(&format!("location.hash !== '#/jobs/{second}' && document.querySelector('.pill.finished')"));
    let third = page.eval("Number(location.hash.slice(7))").as_u64().unwrap();
    let job = program.job(third);
    assert_eq!((&job["name"], &job["after"], &job["state"]), (&"the next".into(), &Value::Null, &"finished".into()));
    approve(&page, &program.url);
}
