//! The page: static files in the binary, so that nothing has to be installed and no other host is asked.
//!
//! `index.html` is the frame; `js/main.js` shows the view that the part of the address after `#` names. The files are
//! served as they are: modern JavaScript modules without a build step, no style or script inside of markup, so that
//! the strictest Content-Security-Policy holds. The module `js/rules.js` knows the rules of the puzzle a second time,
//! so that the board shows legal moves at once; `tests/page.rs` holds it to the engine's.

/// Path, media type and content of each file, by path.
macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, media_type($path), include_bytes!(concat!(".", $path)))),*]
    };
}

/// The files by the paths of their addresses.
const FILES: &[(&str, &str, &[u8])] = files![
    "/favicon.svg",
    "/index.html",
    "/js/api.js",
    "/js/boardpad.js",
    "/js/boundschart.js",
    "/js/chart.js",
    "/js/dom.js",
    "/js/format.js",
    "/js/gameboard.js",
    "/js/gamesession.js",
    "/js/grid.js",
    "/js/gridfile.js",
    "/js/live.js",
    "/js/main.js",
    "/js/notation.js",
    "/js/playedgame.js",
    "/js/replay.js",
    "/js/rules.js",
    "/js/settings.js",
    "/js/shell.js",
    "/js/theme.js",
    "/js/views/archive.js",
    "/js/views/board.js",
    "/js/views/boardcards.js",
    "/js/views/compare.js",
    "/js/views/dashboard.js",
    "/js/views/fields.js",
    "/js/views/gamecards.js",
    "/js/views/games.js",
    "/js/views/grid.js",
    "/js/views/job.js",
    "/js/views/jobs.js",
    "/js/views/parts.js",
    "/js/views/proof.js",
    "/js/views/solution.js",
    "/js/views/startcard.js",
    "/js/views/submit.js",
    "/style/base.css",
    "/style/grid.css",
    "/style/parts.css",
    "/style/views.css",
];

/// The media type that the end of a path stands for.
const fn media_type(path: &str) -> &'static str {
    match path.as_bytes() {
        [.., b'.', b'h', b't', b'm', b'l'] => "text/html; charset=utf-8",
        [.., b'.', b'c', b's', b's'] => "text/css; charset=utf-8",
        [.., b'.', b's', b'v', b'g'] => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    }
}

/// A file of the page by the path of its address (`/` is the page itself): its media type and its content.
pub fn file(path: &str) -> Option<(&'static str, &'static [u8])> {
    let path = if path == "/" { "/index.html" } else { path };
    FILES.iter().find(|(name, _, _)| *name == path).map(|&(_, media_type, content)| (media_type, content))
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
        let text = |bytes: &'static [u8]| std::str::from_utf8(bytes).unwrap();
        for &(path, media_type, content) in FILES {
            let content = text(content);
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
                for (at, _) in content.match_indices("src=\"").chain(content.match_indices("href=\"/")) {
                    let name = content[at..].split('"').nth(1).unwrap();
                    assert!(file(name).is_some(), "{path} wants {name}");
                }
            }
            if media_type.starts_with("text/javascript") {
                let folder = path.rsplit_once('/').unwrap().0;
                for (at, _) in content.match_indices(" from \"") {
                    let name = content[at..].split('"').nth(1).unwrap();
                    let mut parts: Vec<&str> = folder.split('/').collect();
                    for part in name.split('/') {
                        match part {
                            "." => {}
                            ".." => drop(parts.pop()),
                            part => parts.push(part),
                        }
                    }
                    assert!(file(&parts.join("/")).is_some(), "{path} imports {name}");
                }
            }
        }
    }

    /// The house rule for sources holds for these too.
    #[test]
    fn scripts_and_styles_are_short_and_say_what_they_are() {
        for &(path, media_type, content) in FILES {
            let content = std::str::from_utf8(content).unwrap();
            assert!(content.lines().count() < 600, "{path}");
            if media_type.starts_with("text/javascript") {
                assert!(content.starts_with("// "), "{path}");
            } else if media_type.starts_with("text/css") {
                assert!(content.starts_with("/* "), "{path}");
            }
        }
    }
}
