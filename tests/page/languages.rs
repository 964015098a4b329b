//! The page in other languages: every view, no text left in English, nothing wider than the window.

use super::{analyse, approve, archive, check, mine, plan, play_match, prove, solve, submit, tactics, tune, world};
use crate::browser::Page;
use crate::daemon::Daemon;
use morpion::language::{Language, PoEntry};
use morpion::morpion::variant::Variant;
use serde_json::{Value, json};
use std::fmt::Write;

/// The English texts whose translation is another one, as the page looks for them: as they are, or, if they have
/// values, as the pieces between these.
fn english(language: Language) -> Value {
    let entries = language.catalogue().expect("a catalogue").entries();
    let differing = entries.iter().filter(|PoEntry { id, plural, forms, .. }| {
        !forms.contains(id) && plural.as_ref().is_none_or(|plural| !forms.contains(plural))
    });
    let texts = differing.flat_map(|entry| [Some(&entry.id), entry.plural.as_ref()]).flatten();
    texts.map(|text| json!(pieces(text))).collect()
}

/// The pieces of a text between its values.
fn pieces(text: &str) -> Vec<&str> {
    text.split('{')
        .enumerate()
        .map(|(n, piece)| if n == 0 { piece } else { piece.split_once('}').map_or(piece, |(_, behind)| behind) })
        .collect()
}

/// Gives a page the function that finds its English texts.
fn look_for_english(page: &Page, english: &Value) {
    page.eval(&format!(
        "(() => {{
            const escaped = (text) => text.replace(/[.*+?^${{}}()|[\\]\\\\]/g, '\\\\$&');
            const plain = new Set();
            const patterns = [];
            for (const pieces of {english}) {{
                if (pieces.length === 1) {{
                    // A letter alone may name a column of a board.
                    if (pieces[0].length > 1) plain.add(pieces[0]);
                }}
                // A few letters between values say nothing of a language.
                else if (pieces.join('').replace(/[^a-z]/gi, '').length > 3) patterns.push(new RegExp(`^${{pieces.map(escaped).join('.+')}}$`, 's'));
            }}
            const known = new Map();
            const isEnglish = (text) => {{
                if (!known.has(text)) known.set(text, plain.has(text) || patterns.some((pattern) => pattern.test(text)));
                return known.get(text);
            }};
            window.leftInEnglish = () => {{
                const found = new Set();
                const look = (text, node) => {{
                    const seen = text.trim();
                    // Commands, and the names of jobs and of settings, stay as they are.
                    if (!seen || !isEnglish(seen) || node.closest('code, script, style, noscript, .jobname, .preview, details dl')) return;
                    found.add(seen);
                }};
                const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
                for (let node = walk.nextNode(); node; node = walk.nextNode()) {{
                    if (node.nodeType === Node.TEXT_NODE) look(node.data, node.parentElement);
                    else for (const name of ['aria-label', 'title', 'placeholder', 'data-label', 'data-empty']) look(node.getAttribute(name) || '', node);
                }}
                look(document.title.replace(/ \\u00b7 morpion$/, ''), document.body);
                return [...found];
            }};
        }})()"
    ));
}

/// The texts of the page that are English: what is seen, what is read aloud, what stands in empty fields.
fn left_in_english(page: &Page) -> Value {
    page.eval("leftInEnglish()")
}

/// The views with what is there when each has loaded, whatever the language.
fn views(daemon: &Daemon) -> Vec<(String, &'static str)> {
    let (job, solver, proof) = (submit(daemon, "5T 1"), solve(daemon), prove(daemon));
    let (of_match, analysis, weights) = (play_match(daemon), analyse(daemon), tune(daemon));
    let (questions, patterns, planned, checked) = (tactics(daemon), mine(daemon), plan(daemon), check(daemon));
    let grids = archive(daemon, Variant::T5);
    let (a, b) = (&grids[0], &grids[1]);
    let of = |view: &str, loaded| (view.to_owned(), loaded);
    vec![
        of(
            "/",
            "document.querySelector('.jobs .pill') && document.querySelector('.tile .thumb') && document.querySelector('.machines li') && document.querySelector('.events li')",
        ),
        of("/jobs", "document.querySelector('.jobs .pill')"),
        of(
            &format!("/jobs/{job}"),
            "document.querySelector('.replay .point') && document.querySelector('.chart .series')",
        ),
        of(
            &format!("/jobs/{solver}"),
            "document.querySelector('.gameboard .stone') && document.querySelector('.chart .band')",
        ),
        of(
            &format!("/jobs/{proof}"),
            "document.querySelector('.bar i') && document.querySelector('.score')?.textContent.includes('%')",
        ),
        of(
            &format!("/jobs/{of_match}"),
            "document.querySelector('[aria-valuenow=\"30\"]') && document.querySelector('td a[href^=\"#/games\"]')",
        ),
        of(
            &format!("/jobs/{analysis}"),
            "document.querySelector('.gameboard .stone') && document.querySelectorAll('tbody button').length === 2",
        ),
        of("/archive", "document.querySelectorAll('.thumbs .thumb').length > 1"),
        of(&format!("/archive?with={a}"), "document.querySelector('.choosebar').checkVisibility()"),
        of(
            &format!("/grids/{a}"),
            "document.querySelector('.replay .point') && document.querySelector('.downloads')",
        ),
        of(&format!("/compare/{a}/{b}"), "document.querySelectorAll('figure .thumb').length > 1"),
        of("/submit", "document.querySelector('form .choice')"),
        of("/match", "document.querySelectorAll('form .field').length > 10"),
        of(
            &format!("/jobs/{weights}"),
            "[...document.querySelectorAll('.score')].some((value) => value.textContent.includes('6155'))",
        ),
        of("/tune", "document.querySelectorAll('form .field').length > 7"),
        of(
            &format!("/jobs/{questions}"),
            "document.querySelector('.gameboard.go .stone') && document.querySelectorAll('tbody button').length === 2",
        ),
        of(
            &format!("/jobs/{patterns}"),
            "[...document.querySelectorAll('.score')].some((value) => value.textContent.includes('321'))",
        ),
        of(
            &format!("/jobs/{planned}"),
            "[...document.querySelectorAll('.score')].some((value) => value.textContent.includes('32'))",
        ),
        of("/plan", "document.querySelectorAll('form .field').length > 10"),
        of(
            &format!("/jobs/{checked}"),
            "[...document.querySelectorAll('.score')].some((value) => value.textContent.includes('177'))",
        ),
        of("/check", "document.querySelectorAll('form .field').length > 4"),
        of("/tactics", "document.querySelectorAll('form .field').length > 7"),
        of("/mine", "document.querySelectorAll('form .field').length > 7"),
        of("/analyse", "document.querySelectorAll('form .field').length > 10"),
        of("/board", "document.querySelectorAll('.board .hint').length > 20"),
        of("/games", "document.querySelectorAll('.gameboard .choice-cell').length > 2"),
        // What is asked before a solution that will most likely not end.
        of(
            "/games?game=go&size=7",
            "document.querySelector('form .note.warn')?.checkVisibility() || (!window.hasSent && document.querySelector('form button[type=submit]:enabled') \
             && (window.hasSent = true, document.querySelector('form').requestSubmit()), false)",
        ),
        of("/games?game=go&size=3x4", "document.querySelectorAll('.gameboard.go .choice-cell').length === 12"),
        of("/games?game=gomoku&size=5", "document.querySelectorAll('.gameboard.gomoku .choice-cell').length === 25"),
        of(
            "/games?game=gomoku&opening=swap2&moves=h8.i9.g7",
            "document.querySelectorAll('.gameboard.gomoku .stone').length === 3 && document.querySelector('[data-choice=add]')",
        ),
        of(
            "/games?game=gomoku&opening=swap2&moves=h8.i9.g7.add.a1.a2.white",
            "document.querySelectorAll('.gameboard.gomoku .stone').length === 5 && document.querySelector('.movelist .chosen')",
        ),
        of(
            "/editor",
            "document.querySelectorAll('.choice-cell').length === 81 && document.querySelector('.patternpicture .stone')",
        ),
        of("/jobs/99999", "document.querySelector('main .note.bad')"),
        of("/nowhere", "document.querySelector('main h1')"),
    ]
}

/// A daemon of its own, since the jobs of other tests have names in English; its views.
fn own_daemon() -> (Daemon, Vec<(String, &'static str)>) {
    let daemon = Daemon::begin();
    let views = views(&daemon);
    (daemon, views)
}

#[test]
fn every_view_is_in_the_language_of_the_browser() {
    let Some(world) = world() else { return };
    let (daemon, views) = own_daemon();
    for language in Language::ALL.into_iter().skip(1) {
        let english = english(language);
        let page = world.browser.page(1400, 900, false);
        page.prefers(&format!("{0}-{1},{0};q=0.9,en;q=0.8", language.code(), language.code().to_uppercase()));
        page.open(&format!("http://{}/", daemon.address));
        page.wait("document.querySelector('#link')?.dataset.state === 'live'");
        look_for_english(&page, &english);
        for (view, loaded) in &views {
            page.resize(1400, 900);
            page.follow(view);
            page.wait(loaded);
            page.wait("document.title.endsWith('morpion')");
            assert_eq!(page.eval("document.documentElement.lang"), language.code());
            // What is closed is there too.
            page.eval("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
            for (width, height) in [(1400, 900), (800, 900), (390, 844)] {
                page.resize(width, height);
                // What follows the size of the window does so before the frame after the next is drawn.
                page.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
                assert_eq!(left_in_english(&page), json!([]), "{view} in {}", language.code());
                let wide = page.eval("document.documentElement.scrollWidth").as_u64().unwrap();
                assert!(wide <= width.into(), "{view} in {} is {wide} wide in a window of {width}", language.code());
            }
        }
        // The browser notes the job that is not there, and nothing else.
        let problems = page.problems();
        assert!(problems.iter().all(|one| one.contains("404") && one.contains("/jobs/99999")), "{problems:?}");
    }
}

/// Puts another catalogue in place of the one that is loaded: each text of it is the English one in double brackets.
const BRACKETS: &str = "
    const real = window.fetch;
    window.fetch = async (...asked) => {
        const answer = await real(...asked);
        if (!String(asked[0]).includes('/language/')) return answer;
        const bracketed = (key) => `\u{27e6}${key.split('\\u0004').at(-1)}\u{27e7}`;
        const texts = Object.entries(await answer.json()).map(([key, text]) =>
            [key, Array.isArray(text) ? [bracketed(key), bracketed(key)] : bracketed(key)]);
        return new Response(JSON.stringify(Object.fromEntries(texts)));
    };";

/// What is not of the page: names of formats, languages, players and rules, and of what the daemon has.
const NAMES: &str = "morpion Pentasol MSR JSON SVG PNG English Fran\u{e7}ais Deutsch nrpa special local renju caro dfs hunt \
                     solve prove match ada lab reversi gomoku Swap2";

/// The texts of the page that no catalogue was asked for: what is neither in brackets nor a name.
fn unmarked(page: &Page) -> Value {
    page.eval(&format!(
        "(() => {{
            const names = {};
            const rest = (text) => {{
                let now = text;
                for (let before = null; before !== now;) [before, now] = [now, now.replace(/\u{27e6}[^\u{27e6}\u{27e7}]*\u{27e7}/g, '')];
                for (const name of names) now = now.replaceAll(name, '');
                return /[A-Za-z]{{3,}}/.test(now);
            }};
            const found = [];
            const skipped = 'code, script, style, noscript, .jobname, .preview, .records li, .choosebar option, .thumbs .cut span, details dl, main h1, .legend li, .credit td, .events';
            const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
            for (let node = walk.nextNode(); node; node = walk.nextNode()) {{
                const at = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
                if (at.closest(skipped)) continue;
                if (node.nodeType === Node.TEXT_NODE) {{
                    // A text with elements in it is in several pieces.
                    if (rest(node.data) && rest(at.textContent) && rest(at.parentElement.textContent)) found.push(node.data);
                }} else {{
                    for (const name of ['aria-label', 'title', 'placeholder', 'data-label', 'data-empty'])
                        if (rest(node.getAttribute(name) || '')) found.push(`${{name}}: ${{node.getAttribute(name)}}`);
                }}
            }}
            return [...new Set(found)];
        }})()",
        json!(NAMES.split(' ').collect::<Vec<_>>())
    ))
}

/// A text that somebody forgets to mark is noticed: every text of the page comes out of the catalogue.
#[test]
fn every_text_of_the_page_is_marked() {
    let Some(world) = world() else { return };
    let (daemon, views) = own_daemon();
    let page = world.browser.page(1400, 900, false);
    page.prefers("fr");
    page.begins_with(BRACKETS);
    page.open(&format!("http://{}/", daemon.address));
    page.wait("document.querySelector('#link')?.dataset.state === 'live'");
    let mut complaints = String::new();
    for (view, loaded) in &views {
        page.follow(view);
        page.wait(loaded);
        page.wait("document.title.includes('\u{27e7}')");
        let found = unmarked(&page);
        if found != json!([]) {
            let _ = writeln!(complaints, "{view}: {found}");
        }
    }
    assert!(complaints.is_empty(), "not marked for translation:\n{complaints}");
}

/// The check itself: in an English page it finds English.
#[test]
fn english_texts_are_noticed() {
    let Some(world) = world() else { return };
    let page = world.desk("/");
    page.wait("document.querySelector('.machines li')");
    look_for_english(&page, &english(Language::French));
    let found = left_in_english(&page);
    for expected in ["Dashboard", "New job", "best known 178", "Skip to the content", "Language"] {
        assert!(found.as_array().unwrap().contains(&json!(expected)), "{expected}: {found}");
    }
}

#[test]
fn the_language_is_chosen_and_kept() {
    let Some(world) = world() else { return };
    let page = world.desk("/board");
    page.wait("document.querySelector('.board .hint')");
    let first = "document.querySelector('.pages a').textContent";
    assert_eq!(page.eval(first), "Dashboard");
    assert_eq!(page.eval("document.documentElement.lang"), "en");
    for (language, word) in [("fr", "Tableau de bord"), ("en", "Dashboard")] {
        page.fill("#language", language);
        page.wait(&format!("document.documentElement.lang === '{language}' && {first} === '{word}'"));
        // The same view as before, also when it is loaded again.
        page.reload();
        page.wait(&format!("{first} === '{word}' && document.querySelector('.board .hint')"));
        assert_eq!(page.eval("document.querySelector('#language').value"), language);
    }
    // Numbers with decimals are as the language has them.
    page.fill("#language", "fr");
    page.wait("document.documentElement.lang === 'fr'");
    let short = page.eval("import('/js/format.js').then(({ short, tick, moves }) => [short(12345678), tick(90), moves(0), moves(1), moves(2)])");
    assert_eq!(short, json!(["12,3\u{202f}M", "1,5\u{202f}min", "0 coup", "1 coup", "2 coups"]));
    world.approve(&page);
}

/// A view of the board in actions: what it says of moves and of what its search finds.
#[test]
fn the_board_speaks_french() {
    let Some(world) = world() else { return };
    let page = world.browser.page(1400, 900, false);
    page.prefers("fr");
    page.open(&world.at("/board?g=4D."));
    page.wait("document.querySelector('.board .hint')");
    look_for_english(&page, &english(Language::French));
    page.key("f");
    page.wait("[...document.querySelectorAll('.searching button')].some((b) => b.textContent === 'La prendre' && b.checkVisibility())");
    assert_eq!(left_in_english(&page), json!([]));
    page.key("f");
    page.wait("document.querySelectorAll('.movelist li').length > 20 && document.querySelector('section .score').textContent !== '0'");
    page.wait("document.querySelector('h2').checkVisibility()");
    assert_eq!(left_in_english(&page), json!([]));
    approve(&page, &format!("http://{}/", world.daemon.address));
}
