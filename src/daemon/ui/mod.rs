//! The page: static files in the binary, so that nothing has to be installed and no other host is asked.
//!
//! `index.html` is the frame; `js/main.js` shows the view that the part of the address after `#` names. The files are
//! served as they are: modern JavaScript modules without a build step, no style or script inside of markup, so that
//! the strictest Content-Security-Policy holds. The module `js/rules.js` knows the rules of the puzzle a second time,
//! so that the board shows legal moves at once; `tests/page.rs` holds it to the engine's.
//!
//! The board needs no daemon: [`board_site`] has `board.html`, which is the frame of the board alone, with all that
//! it loads. `records.json` has the known records for both, `language/` the texts in other languages than English.

use crate::language::Language;
use crate::notation::records::known;
use serde_json::json;
use std::sync::LazyLock;

/// Path, media type and content of each file, by path.
macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, media_type($path), include_bytes!(concat!(".", $path)))),*]
    };
}

/// The files by the paths of their addresses.
const FILES: &[(&str, &str, &[u8])] = files![
    "/board.html",
    "/favicon.svg",
    "/index.html",
    "/js/api.js",
    "/js/boardpad.js",
    "/js/boardsearch.js",
    "/js/boardsite.js",
    "/js/boardzoom.js",
    "/js/boundschart.js",
    "/js/chart.js",
    "/js/daychart.js",
    "/js/dom.js",
    "/js/editorregion.js",
    "/js/editorscore.js",
    "/js/editorsession.js",
    "/js/engine.js",
    "/js/format.js",
    "/js/gameboard.js",
    "/js/gamefile.js",
    "/js/gamesession.js",
    "/js/gametree.js",
    "/js/grid.js",
    "/js/gridfile.js",
    "/js/gridtext.js",
    "/js/language.js",
    "/js/live.js",
    "/js/main.js",
    "/js/notation.js",
    "/js/opening.js",
    "/js/picturefile.js",
    "/js/playedgame.js",
    "/js/plotframe.js",
    "/js/points.js",
    "/js/replay.js",
    "/js/rules.js",
    "/js/search.js",
    "/js/search.wasm",
    "/js/searchworker.js",
    "/js/settings.js",
    "/js/shell.js",
    "/js/theme.js",
    "/js/themes.js",
    "/js/treediagram.js",
    "/js/views/analyse.js",
    "/js/views/analyseform.js",
    "/js/views/archive.js",
    "/js/views/board.js",
    "/js/views/boardcards.js",
    "/js/views/boarddaemon.js",
    "/js/views/cards.js",
    "/js/views/check.js",
    "/js/views/checkform.js",
    "/js/views/compare.js",
    "/js/views/credit.js",
    "/js/views/dashboard.js",
    "/js/views/editor.js",
    "/js/views/editoranswer.js",
    "/js/views/editorcards.js",
    "/js/views/editorjoseki.js",
    "/js/views/editorpatterns.js",
    "/js/views/editorscore.js",
    "/js/views/endcard.js",
    "/js/views/fields.js",
    "/js/views/gameanalysis.js",
    "/js/views/gamecards.js",
    "/js/views/gamefields.js",
    "/js/views/gamekeys.js",
    "/js/views/games.js",
    "/js/views/grid.js",
    "/js/views/howcard.js",
    "/js/views/job.js",
    "/js/views/jobs.js",
    "/js/views/match.js",
    "/js/views/matchform.js",
    "/js/views/mine.js",
    "/js/views/mineform.js",
    "/js/views/openingchoices.js",
    "/js/views/parts.js",
    "/js/views/plan.js",
    "/js/views/planform.js",
    "/js/views/playform.js",
    "/js/views/proof.js",
    "/js/views/searchpanel.js",
    "/js/views/selfplay.js",
    "/js/views/selfplayform.js",
    "/js/views/solution.js",
    "/js/views/solvecards.js",
    "/js/views/startcard.js",
    "/js/views/submit.js",
    "/js/views/submitcard.js",
    "/js/views/tactics.js",
    "/js/views/tacticsform.js",
    "/js/views/tune.js",
    "/js/views/tuneform.js",
    "/js/views/values.js",
    "/style/base.css",
    "/style/grid.css",
    "/style/parts.css",
    "/style/views.css",
];

/// The media type of WebAssembly.
const WASM: &str = "application/wasm";

/// The media type that the end of a path stands for.
const fn media_type(path: &str) -> &'static str {
    match path.as_bytes() {
        [.., b'.', b'h', b't', b'm', b'l'] => "text/html; charset=utf-8",
        [.., b'.', b'c', b's', b's'] => "text/css; charset=utf-8",
        [.., b'.', b's', b'v', b'g'] => "image/svg+xml",
        [.., b'.', b'w', b'a', b's', b'm'] => WASM,
        _ => "text/javascript; charset=utf-8",
    }
}

/// The known records, as `js/views/boardcards.js` reads them: a move is [x, y, direction, place of the new point].
static RECORDS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let records = known().unwrap_or_default();
    let list: Vec<serde_json::Value> = records
        .iter()
        .map(|record| {
            let grid = &record.grid;
            let moves = grid.moves.iter().map(|mv| {
                let point = mv.point();
                json!([point.x(), point.y(), mv.direction() as usize, mv.index()])
            });
            json!({
                "name": record.name,
                "variant": grid.variant.code(),
                "author": grid.provenance.author,
                "moves": moves.collect::<Vec<_>>(),
            })
        })
        .collect();
    serde_json::to_vec(&list).unwrap_or_default()
});

/// Where the known records are.
const RECORDS_PATH: &str = "/records.json";

/// The texts of each language but English, as `js/language.js` reads them: path and content.
static CATALOGUES: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
    let catalogues = Language::ALL.into_iter().filter_map(|language| Some((language, language.catalogue()?)));
    let file = |(language, catalogue): (Language, &crate::language::TextCatalogue)| {
        (format!("/language/{}.json", language.code()), serde_json::to_vec(&catalogue.json()).unwrap_or_default())
    };
    catalogues.map(file).collect()
});

/// A file of the page by the path of its address (`/` is the page itself): its media type and its content.
pub fn file(path: &str) -> Option<(&'static str, &'static [u8])> {
    if path == RECORDS_PATH {
        return Some(("application/json", &RECORDS));
    }
    if let Some((_, content)) = CATALOGUES.iter().find(|(name, _)| name == path) {
        return Some(("application/json", content));
    }
    let path = if path == "/" { "/index.html" } else { path };
    FILES.iter().find(|(name, _, _)| *name == path).map(|&(_, media_type, content)| (media_type, content))
}

/// The board without a daemon: path, from the folder that they are put into, and content of each file.
pub fn board_site() -> Vec<(&'static str, &'static [u8])> {
    let mut paths = vec!["/board.html".to_owned()];
    let mut at = 0;
    while at < paths.len() {
        for path in loaded_by(&paths[at]) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        at += 1;
    }
    let mut site: Vec<(&str, &[u8])> = FILES
        .iter()
        .filter(|(path, _, _)| paths.iter().any(|wanted| wanted == path))
        .map(|&(path, _, content)| (if path == "/board.html" { "index.html" } else { &path[1..] }, content))
        .collect();
    site.push((&RECORDS_PATH[1..], &RECORDS));
    site.extend(CATALOGUES.iter().map(|(path, content)| (&path[1..], &content[..])));
    site
}

/// The paths of what a file of the page loads: the imports and workers of a script, the links and scripts of a frame.
fn loaded_by(path: &str) -> Vec<String> {
    let Some((media_type, content)) = file(path) else { return Vec::new() };
    let content = std::str::from_utf8(content).unwrap_or_default();
    let before: &[&str] = match media_type {
        _ if media_type.starts_with("text/html") => &[" src=\"", " href=\""],
        _ if media_type.starts_with("text/javascript") => &[" from \"", "new URL(\""],
        _ => &[],
    };
    let names = before.iter().flat_map(|before| content.split(*before).skip(1));
    names
        .filter_map(|rest| rest.split_once('"'))
        .map(|(name, _)| name)
        .filter(|name| !name.starts_with('#'))
        .map(|name| resolved(path, name))
        .collect()
}

/// The path that a name stands for in the file at `path`.
fn resolved(path: &str, name: &str) -> String {
    let mut parts: Vec<&str> = if name.starts_with('/') { vec![""] } else { path.split('/').collect() };
    parts.truncate(parts.len().saturating_sub(usize::from(!name.starts_with('/'))).max(1));
    for part in name.trim_start_matches('/').split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The files of a folder of this one, as paths of addresses.
    fn on_disk(folder: &Path, prefix: &str, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}/{}", entry.file_name().to_str().unwrap());
            if entry.path().is_dir() {
                on_disk(&entry.path(), &name, found);
            } else if name != "/mod.rs" {
                found.push(name);
            }
        }
    }

    /// The files that are texts: path, media type, text.
    fn texts() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
        let files = FILES.iter().filter(|(_, media_type, _)| *media_type != WASM);
        files.map(|&(path, media_type, content)| (path, media_type, std::str::from_utf8(content).unwrap()))
    }

    #[test]
    fn every_file_is_in_the_list() {
        let mut found = Vec::new();
        on_disk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/daemon/ui"), "", &mut found);
        found.sort();
        let listed: Vec<&str> = FILES.iter().map(|(path, _, _)| *path).collect();
        assert_eq!(found, listed);
    }

    #[test]
    fn files_are_found_by_their_addresses() {
        assert_eq!(file("/"), file("/index.html"));
        assert_eq!(file("/js/main.js").unwrap().0, "text/javascript; charset=utf-8");
        assert_eq!(file("/style/base.css").unwrap().0, "text/css; charset=utf-8");
        assert!(
            ["", "index.html", "/js", "/js/", "/mod.rs", "/../mod.rs", "/js/../index.html"]
                .iter()
                .all(|p| file(p).is_none())
        );
    }

    /// Every file that the page loads is there, and nothing comes from anywhere else or stands inside of markup.
    #[test]
    fn the_page_asks_nobody_else_and_keeps_the_policy() {
        for (path, media_type, content) in texts() {
            let allowed = ["http://www.w3.org/2000/svg"];
            for at in content.match_indices("://").map(|(at, _)| at) {
                let known = allowed.iter().any(|url| {
                    content[at.saturating_sub(5)..].trim_start_matches('"').starts_with(url)
                        || content[at.saturating_sub(4)..].starts_with(url)
                });
                assert!(
                    known,
                    "{path} names another host: {}",
                    &content[at.saturating_sub(20)..(at + 20).min(content.len())]
                );
            }
            assert!(
                !content.contains("innerHTML") && !content.contains("eval("),
                "{path} makes markup or code of text"
            );
            if media_type.starts_with("text/html") {
                assert!(!content.contains(" style=") && !content.contains(" onclick="), "{path}");
            }
            for name in loaded_by(path) {
                assert!(file(&name).is_some(), "{path} loads {name}");
            }
        }
    }

    /// The site of the board has what it loads by relative addresses, and nothing that talks to a daemon.
    #[test]
    fn the_site_of_the_board_is_whole_and_needs_no_daemon() {
        let site = board_site();
        let names: Vec<&str> = site.iter().map(|(name, _)| *name).collect();
        for wanted in
            ["index.html", "js/boardsite.js", "js/searchworker.js", "js/engine.js", "js/search.wasm", "records.json"]
        {
            assert!(names.contains(&wanted), "{wanted} is not in {names:?}");
        }
        assert!(names.contains(&"language/fr.json") && names.contains(&"language/de.json"), "{names:?}");
        for (name, content) in &site {
            assert!(!["js/api.js", "js/live.js", "js/main.js"].contains(name), "{name}");
            let Ok(content) = std::str::from_utf8(content) else { continue };
            assert!(!content.contains("/api") && !content.contains("=\"/"), "{name} has an absolute address");
        }
        let records: serde_json::Value = serde_json::from_slice(&RECORDS).unwrap();
        let longest =
            records.as_array().unwrap().iter().map(|record| record["moves"].as_array().unwrap().len()).max();
        assert_eq!(longest, Some(178));
    }

    /// The house rule for sources holds for these too.
    #[test]
    fn scripts_and_styles_are_short_and_say_what_they_are() {
        for (path, media_type, content) in texts() {
            assert!(content.lines().count() < 600, "{path}");
            if media_type.starts_with("text/javascript") {
                assert!(content.starts_with("// "), "{path}");
            } else if media_type.starts_with("text/css") {
                assert!(content.starts_with("/* "), "{path}");
            }
        }
    }
}
