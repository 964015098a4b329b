//! The board's own search, its hints, the end of a game, how the board is turned and magnified, and the site of the
//! board that needs no daemon.

use super::{approve, archive, has_moves, moves, tap, world};
use crate::browser::Page;
use morpion::core::ctl::{Ctl, Signal};
use morpion::core::search::Search;
use morpion::morpion::geometry::Move;
use morpion::morpion::variant::Variant;
use morpion::notation::format::{GridFormat, write};
use morpion::notation::records::known;
use morpion::strategies::Unit;
use morpion::strategies::params::Params;
use morpion::strategies::reshape::Reshape;
use morpion::with_rules;
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Presses the button with this text.
fn press(page: &Page, text: &str) {
    let find = format!(
        "[...document.querySelectorAll('button')].find((b) => b.textContent === {} && b.checkVisibility() && !b.disabled)",
        json!(text)
    );
    page.wait(&find);
    page.eval(&format!("{find}.click()"));
}

/// Every game that the search in the browser finds is legal and finished by the rules of the page and by those of the
/// engine, goes on from the position that it was asked about, and is not short. The same seed finds the same game.
#[test]
fn the_search_in_the_browser_keeps_the_rules() {
    let Some(world) = world() else { return };
    let page = world.desk("/board");
    let wrong = page.eval(
        "(async () => {
            const { engine } = await import('/js/engine.js');
            const { Game } = await import('/js/rules.js');
            const { pentasol } = await import('/js/notation.js');
            const { checkGrid } = await import('/js/api.js');
            const wrong = [];
            const find = async (variant, start, known = []) => {
                const search = await engine();
                search.begin(variant, start, known, 7);
                search.run(40);
                return search.moves();
            };
            for (const [variant, least] of [['5T', 120], ['5D', 66], ['4T', 55], ['4D', 32]]) {
                let start = [];
                for (const from of [0, 17]) {
                    const moves = await find(variant, start);
                    const again = from ? moves : await find(variant, start);
                    const game = new Game(variant, moves);
                    if (game.moves.length !== moves.length || game.legal().length) wrong.push([variant, from, 'rules.js']);
                    const view = await checkGrid(pentasol(variant, moves));
                    if (view.moves.length !== moves.length || view.moves_left) wrong.push([variant, from, 'engine']);
                    if (moves.length < least) wrong.push([variant, from, moves.length]);
                    if (JSON.stringify(again) !== JSON.stringify(moves)) wrong.push([variant, 'another game of the same seed']);
                    if (start.some((move, n) => JSON.stringify(move) !== JSON.stringify(moves[n]))) wrong.push([variant, 'start']);
                    // With a game to begin with the search finds none that is shorter.
                    const known = await find(variant, moves.slice(0, 9), moves.slice(9));
                    if (known.length < moves.length) wrong.push([variant, 'known', known.length]);
                    start = moves.slice(0, 17);
                }
            }
            const search = await engine();
            try {
                search.begin('5T', [{ x: 3, y: 3, d: 0, i: 0 }], [], 1);
                wrong.push('what is no game was taken');
            } catch (problem) {
                if (problem.message !== 'the moves are not a game') wrong.push(problem.message);
            }
            return wrong;
        })()",
    );
    assert_eq!(wrong, json!([]));
    world.approve(&page);
}

/// Runs for so many polls and keeps the longest game.
struct Polls {
    left: u32,
    longest: Vec<Move>,
}

impl Ctl<Move> for Polls {
    fn poll(&mut self, _iterations: u64, _best: u32) -> Signal {
        self.left -= 1;
        if self.left == 0 { Signal::Stop } else { Signal::Continue }
    }

    fn improved(&mut self, moves: &[Move], _iterations: u64) {
        if moves.len() > self.longest.len() {
            self.longest = moves.to_vec();
        }
    }
}

/// The module finds what the program's own search finds: the same games after the same work.
#[test]
fn the_search_in_the_browser_is_that_of_the_program() {
    let Some(world) = world() else { return };
    let page = world.desk("/board");
    for variant in Variant::ALL {
        let mut prefix: Vec<Move> = Vec::new();
        for _ in 0..2 {
            let unit = Unit { prefix: prefix.clone(), seed: 7, ..Unit::default() };
            let mut polls = Polls { left: 15, longest: Vec::new() };
            with_rules!(variant, R => Reshape::<R>::tempered(&Params::default(), &unit).run(&mut polls));
            let as_page = |mv: &Move| json!({ "x": mv.point().x(), "y": mv.point().y(), "d": mv.direction() as u8, "i": mv.index() });
            let begin: Vec<_> = prefix.iter().map(as_page).collect();
            let found = page.eval(&format!(
                "import('/js/engine.js').then(async ({{ engine }}) => {{ const search = await engine(); \
                 search.begin('{variant}', {}, [], 7); search.run(15); return search.moves(); }})",
                json!(begin)
            ));
            let own: Vec<_> = polls.longest.iter().map(as_page).collect();
            assert_eq!(found, json!(own), "{variant} after {} moves", prefix.len());
            prefix = polls.longest[..17].to_vec();
        }
    }
}

/// A hint is shown and may be played; the rest of a game grows on the board until it is stopped, and is taken or left.
#[test]
fn a_person_is_helped_and_sees_what_the_search_makes_of_the_end() {
    let Some(world) = world() else { return };
    let page = world.desk("/board?g=4D.");
    page.wait("document.querySelector('.board .hint')");
    // The time for a hint is over before there is one: the first game that is found gives it.
    page.scale_timers(1000, 0);
    page.key("h");
    page.wait("document.querySelector('.board .advice circle')");
    assert_eq!(moves(&page), 0, "a hint is not played");
    page.wait("document.querySelector('.searching').textContent.includes('The search reaches')");
    page.key("h");
    has_moves(&page, 1);
    page.wait("!document.querySelector('.board .advice circle')");
    // How long the rest of a game is looked for.
    page.scale_timers(8000, 50);
    page.key("f");
    page.wait("Number(document.querySelector('.outlookscore').textContent) > 30 && document.querySelector('.board .outlook').getAttribute('d')");
    press(&page, "Stop");
    press(&page, "Leave it");
    page.wait("!document.querySelector('.board .outlook').getAttribute('d')");
    assert_eq!(moves(&page), 1);
    page.key("f");
    page.wait("document.querySelector('.outlookscore').checkVisibility() && Number(document.querySelector('.outlookscore').textContent) > 30");
    page.key("f");
    page.wait("document.querySelector('.searching .main')?.checkVisibility()");
    press(&page, "Take it");
    page.wait("document.querySelectorAll('.movelist li').length > 30 && document.querySelectorAll('.board .hint').length === 0");
    let score = moves(&page);
    // The game is over: its score stands beside the record, and the search is asked only when somebody wants it.
    page.wait("document.querySelector('section[aria-label=\"End of the game\"]').checkVisibility()");
    assert_eq!(page.eval("document.querySelectorAll('.reaches li').length"), 2);
    press(&page, "What would the search make of it?");
    page.wait("document.querySelectorAll('.reaches li button').length >= 1");
    let from = page.eval("Number(/move (\\d+)/.exec(document.querySelectorAll('.reaches li')[2].textContent)[1])");
    page.eval("document.querySelector('.reaches li button').click()");
    has_moves(&page, from.as_u64().unwrap());
    page.wait("document.querySelector('.board .outlook').getAttribute('d')");
    page.eval("document.querySelector('.steps [title=\"To the end\"]').click()");
    has_moves(&page, score);
    page.fill("section[aria-label='End of the game'] input", "5");
    press(&page, "Go");
    has_moves(&page, 5);
    // The picture that is saved carries its record.
    let back = page.eval(
        "(async () => {
            const { picture } = await import('/js/picturefile.js');
            const { gridText } = await import('/js/gridfile.js');
            const { readGrid } = await import('/js/gridtext.js');
            const { fromAddress } = await import('/js/notation.js');
            const { variant, moves } = fromAddress(new URLSearchParams(location.hash.split('?')[1]).get('g'));
            const file = new File([await picture(variant, moves)], 'a.png');
            const image = await createImageBitmap(file);
            const read = await readGrid(await gridText(file));
            return [image.width, read.variant, JSON.stringify(read.moves) === JSON.stringify(moves)];
        })()",
    );
    assert_eq!(back, json!([1200, "4D", true]));
    world.approve(&page);
}

/// A game that is turned or mirrored stays the same game, and the part of the board that is seen is one's own choice.
#[test]
fn the_board_is_turned_and_magnified() {
    let Some(world) = world() else { return };
    for variant in Variant::ALL {
        let key = archive(&world.daemon, variant).remove(0);
        let page = world.desk(&format!("/board?grid={key}"));
        let score = u64::from(variant.record());
        has_moves(&page, score);
        let address = "new URLSearchParams(location.hash.split('?')[1]).get('g')";
        let first = page.eval(address);
        let mut seen = vec![first.clone()];
        for key in ["t", "t", "t", "m", "t", "t", "t"] {
            page.key(key);
            page.wait(&format!("{address} !== '{}'", seen.last().unwrap().as_str().unwrap()));
            seen.push(page.eval(address));
            assert_eq!(moves(&page), score);
        }
        assert_eq!(seen.iter().collect::<std::collections::HashSet<_>>().len(), 8, "the cross has 8 symmetries");
        // All of that together is one reflection.
        page.key("m");
        page.wait(&format!("{address} === '{}'", first.as_str().unwrap()));
        world.approve(&page);
    }
    let page = world.desk("/board?g=5T.");
    page.wait("document.querySelector('.board .hint')");
    let width = "Number(document.querySelector('.board svg').getAttribute('viewBox').split(' ')[2])";
    let whole = page.eval(width).as_f64().unwrap();
    page.key("+");
    page.wait(&format!("{width} < {whole} * 0.9"));
    page.eval(
        "(() => { const svg = document.querySelector('.board svg'); const r = svg.getBoundingClientRect(); \
         svg.dispatchEvent(new WheelEvent('wheel', { deltaY: -300, clientX: r.x + 9, clientY: r.y + 9, bubbles: true, cancelable: true })); })()",
    );
    page.wait(&format!("{width} < {whole} * 0.7"));
    // Dragging moves it and plays nothing; a click plays.
    let drag = page.eval(
        "(() => { const svg = document.querySelector('.board svg'); const r = svg.getBoundingClientRect(); const before = svg.getAttribute('viewBox'); \
         const at = (kind, n) => svg.dispatchEvent(new PointerEvent(kind, { pointerId: 1, buttons: 1, clientX: r.x + 200 - n, clientY: r.y + 200, bubbles: true })); \
         svg.setPointerCapture = () => {}; at('pointerdown', 0); for (let n = 0; n < 60; n += 6) at('pointermove', n); at('pointerup', 60); \
         svg.dispatchEvent(new MouseEvent('click', { clientX: r.x + 140, clientY: r.y + 200, bubbles: true })); return before !== svg.getAttribute('viewBox'); })()",
    );
    assert_eq!((drag, moves(&page)), (json!(true), 0));
    page.key("0");
    page.wait(&format!("{width} === {whole}"));
    tap(&page, 28, 24);
    has_moves(&page, 1);
    world.approve(&page);
}

/// Texts of grids, good and bad.
fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    for record in known().unwrap() {
        for format in [GridFormat::Pentasol, GridFormat::MsrCompact, GridFormat::MsrJson] {
            texts.push(write(&record.grid, format).unwrap());
        }
    }
    let first = texts[0].clone();
    let plain: Vec<&str> = first.lines().filter(|line| !line.starts_with('#')).collect();
    texts.push(plain.join("\r\n"));
    texts.push(plain[1..].join("\n"));
    let more = [
        "\u{feff}(28,28)\n 1. (31,29) | -2 # so\n\n12.5\n",
        "(28,28)",
        "# variant 4D",
        "(28,28)\n(31,29) | -1\n",
        "# variant 5D\n(28,28)\n(31,29) | -2\n(31,29) | -2\n",
        "(28,28)\n(28,28) | 0\n",
        "(28,28)\n(31,29) | 9\n",
        "(28,28)\n(999,29) | 2\n",
        "(28,28)\n(28,24) | 2\n(28,23) | -2\n",
        "(1,1)\n(4,2) | -2\n(0,0) / 0\n",
        "(28,28)\n(31,29)\n(3,3)",
        "what is this",
        "",
        "MS1:?",
        "MS1:AAAA",
        "{\"version\":\"0.1\"}",
        "{\"version\":\"7\",\"variant\":\"5T\",\"score\":0,\"moves\":[]}",
    ];
    texts.extend(more.map(str::to_owned));
    texts
}

/// Without the daemon the board reads the same grids of the same texts, and refuses the same illegal ones with the
/// same words.
#[test]
fn the_board_reads_files_as_the_program_does() {
    let Some(world) = world() else { return };
    let page = world.desk("/board");
    let read = page.eval(&format!(
        "import('/js/gridtext.js').then(async ({{ readGrid }}) => {{
            const {{ pentasolMove }} = await import('/js/notation.js');
            const answers = [];
            for (const text of {}) {{
                try {{
                    const {{ variant, moves }} = await readGrid(text);
                    answers.push(`${{variant}} ${{moves.map(pentasolMove).join(' ')}}`);
                }} catch (problem) {{ answers.push(problem.message); }}
            }}
            return answers;
        }})",
        json!(texts())
    ));
    let (mut legal, mut illegal) = (0, 0);
    for (text, answer) in texts().iter().zip(read.as_array().unwrap()) {
        let answer = answer.as_str().unwrap();
        match morpion::notation::format::read(text.as_bytes(), None) {
            Ok(loaded) => {
                let grid = loaded.grid;
                let moves = grid.moves.iter().map(|mv| {
                    let point = mv.point();
                    format!("({},{}) {} {}", point.x(), point.y(), mv.direction().symbol(), 2 - mv.index() as i32)
                });
                assert_eq!(answer, format!("{} {}", grid.variant, moves.collect::<Vec<_>>().join(" ")), "{text}");
                legal += 1;
            }
            Err(error) => {
                let error = error.to_string();
                let is_move = error.contains("(move ") || error.starts_with("line ");
                assert!(
                    if is_move { answer == error } else { !answer.starts_with("5T") },
                    "{text}: {answer}: {error}"
                );
                illegal += 1;
            }
        }
    }
    assert!(legal > 45 && illegal > 10, "{legal} legal, {illegal} illegal");
    world.approve(&page);
}

/// Serves the files of a directory below `/some/where/`, as any web server would; its address.
fn serve(root: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/some/where/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, root) = (stream.unwrap(), root.clone());
            std::thread::spawn(move || {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                let Some(request) = lines.next() else { return };
                let _ = lines.find(String::is_empty);
                let path = request.split(' ').nth(1).unwrap_or("").strip_prefix("/some/where/").unwrap_or("no");
                let name = if path.is_empty() { "index.html" } else { path };
                let (status, content) = match std::fs::read(root.join(name)) {
                    Ok(content) => ("200 OK", content),
                    Err(_) => ("404 Not Found", Vec::new()),
                };
                let media_type = match name.rsplit_once('.').map(|(_, ending)| ending) {
                    Some("html") => "text/html",
                    Some("js") => "text/javascript",
                    Some("css") => "text/css",
                    Some("svg") => "image/svg+xml",
                    _ => "application/octet-stream",
                };
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    content.len()
                );
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&content));
            });
        }
    });
    address
}

fn write_site(directory: &Path, more: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
    let ended = command.args(["board", "--output"]).arg(directory).args(more).output().unwrap();
    (ended.status.success(), String::from_utf8(ended.stderr).unwrap())
}

/// The site of the board needs a server of files and nothing else.
#[test]
fn the_board_is_a_site_of_its_own() {
    let Some(world) = world() else { return };
    let directory = tempfile::tempdir().unwrap();
    let site = directory.path().join("site");
    assert_eq!(write_site(&site, &[]), (true, String::new()));
    // What is there stays, unless it is told otherwise.
    std::fs::write(site.join("index.html"), "my own").unwrap();
    let (written, why) = write_site(&site, &[]);
    assert!(!written && why.contains("index.html: the file exists; --force overwrites it"), "{why}");
    assert_eq!(std::fs::read_to_string(site.join("index.html")).unwrap(), "my own");
    assert!(write_site(&site, &["--force"]).0);

    let own = serve(site);
    let page = world.browser.page(1280, 900, false);
    page.open(&own);
    tap(&page, 28, 24);
    has_moves(&page, 1);
    page.key("h");
    page.wait("document.querySelector('.board .advice circle')");
    press(&page, "Leave it");
    for text in ["Hunt from here", "To the archive", "Dashboard"] {
        assert_eq!(page.eval(&format!("document.body.textContent.includes('{text}')")), false, "{text}");
    }
    page.click("[aria-label='Open the record Rosin 178']");
    has_moves(&page, 178);
    page.click("[data-variant='4D']");
    page.wait("document.querySelector('.records').textContent.includes('35')");
    press(&page, "Load\u{2026}");
    page.fill("dialog[open] textarea", "(28,28)\n(31,29) | -1\n");
    page.click("dialog[open] button[type=submit]");
    page.wait("document.querySelector('dialog[open] .problem').textContent.includes('(31,30), which is not set')");
    let text = write(&known().unwrap()[10].grid, GridFormat::MsrCompact).unwrap();
    page.fill("dialog[open] textarea", &text);
    page.click("dialog[open] button[type=submit]");
    has_moves(&page, 82);
    page.wait("document.querySelector('[data-variant=\"5D\"]').getAttribute('aria-pressed') === 'true'");
    approve(&page, &own);
}
