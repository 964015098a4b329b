//! The commands for grid files, run as a user runs them.

use assert_cmd::Command;
use std::path::Path;

fn morpion(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("morpion").unwrap().current_dir(dir).args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn exported() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let (status, out, _) = morpion(dir.path(), &["records", "export"]);
    assert_eq!((status, out.as_str()), (0, "grids: 15 records written, 0 unchanged\n"));
    dir
}

#[test]
fn exported_records_verify_and_are_kept() {
    let dir = exported();
    let path = dir.path();
    let (status, out, err) = morpion(path, &["verify", "grids/5T-178-rosin.txt", "grids/4D-35-hyyroporanen.txt"]);
    assert_eq!(status, 0, "{err}");
    assert_eq!(
        out,
        "grids/5T-178-rosin.txt: legal, 5T, 178 moves, finished\n\
         grids/4D-35-hyyroporanen.txt: legal, 4D, 35 moves, finished\n"
    );
    assert_eq!(morpion(path, &["records", "export"]).1, "grids: 0 records written, 15 unchanged\n");
    let changed = path.join("grids/5D-82-rosin.txt");
    std::fs::write(&changed, "mine").unwrap();
    std::fs::remove_file(path.join("grids/5T-178-rosin.txt")).unwrap();
    let (status, _, err) = morpion(path, &["records", "export"]);
    assert!(status == 2 && err.contains("5D-82-rosin.txt: the file exists and differs; --force"), "{err}");
    assert_eq!(std::fs::read(&changed).unwrap(), b"mine");
    assert_eq!(morpion(path, &["records", "export", "--force"]).1, "grids: 2 records written, 13 unchanged\n");
}

#[test]
fn the_committed_grids_are_those_exported() {
    let dir = exported();
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("grids");
    for entry in std::fs::read_dir(dir.path().join("grids")).unwrap() {
        let path = entry.unwrap().path();
        let ours = committed.join(path.file_name().unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&ours).unwrap(), "{}", ours.display());
    }
    let starts: Vec<String> = std::fs::read_dir(committed.join("starts"))
        .unwrap()
        .map(|entry| entry.unwrap().path().display().to_string())
        .collect();
    assert!(!starts.is_empty());
    let mut args = vec!["identify"];
    args.extend(starts.iter().map(String::as_str));
    let (status, out, err) = morpion(dir.path(), &args);
    assert_eq!((status, out.matches(", part of the record ").count()), (0, starts.len()), "{out}{err}");
}

#[test]
fn verify_tells_illegal_from_unreadable() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    std::fs::write(path.join("bad.txt"), "(28,28)\n(31,29) | -2\n(31,30) | -1\n").unwrap();
    std::fs::write(path.join("text.txt"), "hello\n").unwrap();
    let (status, out, err) = morpion(path, &["verify", "bad.txt"]);
    assert_eq!((status, err.as_str()), (1, ""));
    assert_eq!(
        out,
        "bad.txt: illegal as 5T after 1 legal move: line 3 (move 2): (31,30) | -1: the line shares a segment with the \
         line of move 1 ((31,29) | -2), which 5T forbids\n"
    );
    let (status, _, err) = morpion(path, &["verify", "text.txt", "none.txt"]);
    assert_eq!(status, 2);
    assert!(err.contains("text.txt: line 1: 'hello'") && err.contains("none.txt: cannot be read"), "{err}");
    let (status, out, _) = morpion(path, &["verify", "--json", "bad.txt", "none.txt"]);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((status, &report["version"]), (2, &serde_json::json!(1)));
    assert_eq!(report["results"][0]["legal"], serde_json::json!(false));
    assert_eq!(report["results"][0]["line"], serde_json::json!(3));
    assert_eq!(report["results"][1]["legal"], serde_json::json!(null));
    assert_eq!(morpion(path, &["verify", "--variant", "6T", "bad.txt"]).0, 2);
}

/// A file's name may hold what a terminal would obey.
#[test]
#[cfg(unix)]
fn names_of_files_do_not_reach_the_terminal_raw() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    let (good, bad, none) = ("good\u{1b}[2J.txt", "bad\u{1b}[2J.txt", "none\u{1b}[2J.txt");
    std::fs::write(path.join(good), "(28,28)\n(31,29) | -2\n").unwrap();
    std::fs::write(path.join(bad), "hello\n").unwrap();
    for args in [&["verify", good, bad, none][..], &["identify", good, good], &["identify", bad], &["show", none]] {
        let (_, out, err) = morpion(path, args);
        assert!(!out.contains('\u{1b}') && !err.contains('\u{1b}'), "{args:?}: {out:?} {err:?}");
        assert!(format!("{out}{err}").contains("\\u{1b}[2J.txt"), "{args:?}: {out:?} {err:?}");
    }
    // Data for programs keeps the name, as JSON writes it.
    let (_, out, _) = morpion(path, &["verify", "--json", good]);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["results"][0]["file"], good);
}

#[test]
fn convert_goes_round_and_overwrites_nothing() {
    let dir = exported();
    let path = dir.path();
    let first = "grids/4T-62-hyyroporanen.txt";
    for (from, to) in [(first, "a.msr"), ("a.msr", "b.json"), ("b.json", "c.psol"), ("c.psol", "d.svg")] {
        let (status, out, err) = morpion(path, &["convert", from, to]);
        assert_eq!((status, out.as_str(), err.as_str()), (0, "", ""));
    }
    let text = |name| std::fs::read_to_string(path.join(name)).unwrap();
    let without_notes: String =
        text(first).split_inclusive('\n').filter(|line| !line.starts_with("# note")).collect();
    assert_eq!(text("c.psol"), without_notes);
    let (status, _, err) = morpion(path, &["convert", first, "a.msr"]);
    assert!(status == 2 && err.contains("a.msr: the file exists; --force overwrites it"), "{err}");
    assert_eq!(morpion(path, &["convert", first, "a.msr", "--force"]).0, 0);
    assert!(morpion(path, &["convert", first, "x.gif"]).2.contains("which format?"));
    let (status, out, _) = morpion(path, &["convert", "a.msr", "-", "--to", "pentasol"]);
    assert_eq!((status, out), (0, without_notes));
    assert!(!path.join("x.gif").exists());
    let (_, out, _) = morpion(path, &["convert", "a.msr", "-", "--to", "pentasol", "--first", "2"]);
    assert!(out.contains("# score 2\n") && out.contains("# description first 2 moves of: 4T record"), "{out}");
    assert_eq!(morpion(path, &["convert", "a.msr", "e.txt", "--first", "63"]).0, 2);
}

#[test]
fn identify_sees_through_order_and_orientation() {
    let dir = exported();
    let path = dir.path();
    // A quarter turn about the cross's corner: (x, y) becomes (59 - y, x); the moves in another order.
    std::fs::write(path.join("turned.txt"), turned(&path.join("grids/5D-82-rosin.txt"))).unwrap();
    let (status, out, err) = morpion(path, &["identify", "turned.txt", "grids/5D-82-rosin.txt"]);
    assert_eq!(status, 0, "{err}");
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].ends_with("equals the record Rosin 82 (5D), equals grids/5D-82-rosin.txt"), "{out}");
    let key = |line: &str| line.split(": ").nth(1).unwrap()[..16].to_owned();
    assert_eq!(key(lines[0]), key(lines[1]));
}

/// The grid turned by a quarter, as bare moves.
fn turned(path: &Path) -> String {
    let mut text = "(28,28)\n".to_owned();
    for line in std::fs::read_to_string(path).unwrap().lines().filter(|line| line.contains(") ")) {
        let Some((x, y, rest)) = line.strip_prefix('(').and_then(|l| {
            let (point, rest) = l.split_once(") ")?;
            let (x, y) = point.split_once(',')?;
            Some((x.parse::<i32>().ok()?, y.parse::<i32>().ok()?, rest))
        }) else {
            continue;
        };
        let (direction, offset) = rest.split_once(' ').unwrap();
        let offset: i32 = offset.parse().unwrap();
        // Steps along a direction keep their sign if the direction is turned into one with the same sense.
        let (direction, sign) = match direction {
            "-" => ("|", 1),
            "|" => ("-", -1),
            "\\" => ("/", -1),
            _ => ("\\", 1),
        };
        text += &format!("({},{}) {direction} {}\n", 59 - y, x, sign * offset);
    }
    text
}

#[test]
fn show_numbers_the_board() {
    let dir = exported();
    let path = dir.path();
    let (status, out, _) = morpion(path, &["show", "grids/4D-31-demaine.txt", "--at", "2"]);
    assert_eq!(status, 0);
    assert!(out.starts_with("4D, 2 moves of 31, "), "{out}");
    assert!(!out.contains('\u{1b}') && out.contains(" 2 ") && out.contains('+') && out.contains("o  o  o"), "{out}");
    assert!(morpion(path, &["show", "grids/4D-31-demaine.txt", "--color", "always"]).1.contains("\u{1b}["));
    let (status, _, err) = morpion(path, &["show", "grids/4D-31-demaine.txt", "--at", "32"]);
    assert!(status == 2 && err.contains("--at 32 asks for more than its 31 moves"), "{err}");
    for entry in std::fs::read_dir(path.join("grids")).unwrap() {
        let name = entry.unwrap().path().display().to_string();
        let (_, out, _) = morpion(path, &["show", &name]);
        assert!(out.lines().skip(4).all(|line| line.len() <= 80), "{out}");
    }
}

#[test]
fn render_draws_a_directory_and_keeps_what_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    std::fs::create_dir(path.join("in")).unwrap();
    std::fs::write(path.join("in/one.txt"), "(28,28)\n(31,29) | -2\n").unwrap();
    std::fs::write(path.join("in/two.psol"), "(28,28)\n").unwrap();
    std::fs::write(path.join("in/README.md"), "no grid").unwrap();
    let (status, out, err) = morpion(path, &["render", "in", "-o", "out", "--size", "300"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(out.lines().count(), 2);
    assert!(std::fs::read(path.join("out/one.png")).unwrap().starts_with(b"\x89PNG"));
    let (status, _, err) = morpion(path, &["render", "in/one.txt", "-o", "out/one.png"]);
    assert!(status == 2 && err.contains("--force"), "{err}");
    std::fs::write(path.join("in/bad.txt"), "(28,28)\n(31,29) | 0\n").unwrap();
    let (status, out, err) = morpion(path, &["render", "in", "-o", "svg", "--format", "svg", "--theme", "dark"]);
    assert_eq!((status, out.lines().count()), (2, 2), "{err}");
    assert!(err.contains("in/bad.txt: line 2 (move 1)"), "{err}");
    assert!(morpion(path, &["render", "in/one.txt", "-o", "x.gif"]).2.contains(".png or .svg"));
}

/// A picture of a part of a grid, turned, is a grid file of that part.
#[test]
fn render_cuts_and_turns_a_grid() {
    let dir = exported();
    let path = dir.path();
    let grid = "grids/5D-82-rosin.txt";
    let moves = |file: &str, flags: &[&str]| {
        let (status, _, err) = morpion(path, &[&["render", grid, "-o", file], flags].concat());
        assert_eq!(status, 0, "{err}");
        let (status, out, err) = morpion(path, &["convert", file, "-", "--to", "psol"]);
        assert_eq!(status, 0, "{err}");
        out.lines().filter(|line| line.starts_with('(')).map(str::to_owned).collect::<Vec<_>>()
    };
    let whole = moves("whole.svg", &[]);
    assert_eq!(moves("start.svg", &["--at", "20"]), whole[..21]);
    let svg = |name: &str| std::fs::read_to_string(path.join(name)).unwrap();
    assert!(svg("start.svg").contains("20 of 82 moves") && svg("start.svg").contains("legal moves\n"));
    assert!(!svg("whole.svg").contains("legal moves\n"));
    // The turn by hand that identify is tested with.
    let by_hand: Vec<String> = turned(&path.join(grid)).lines().map(str::to_owned).collect();
    assert_eq!(moves("quarter.svg", &["--rotate", "90"]), by_hand);
    let half = moves("half.svg", &["--rotate", "180"]);
    assert_ne!(half, whole);
    assert_eq!(
        moves("flipped.svg", &["--rotate", "180", "--flip", "left-right"]),
        moves("b.svg", &["--flip", "top-bottom"])
    );
    let (status, _, err) = morpion(path, &["render", grid, "-o", "x.svg", "--at", "83"]);
    assert!(status == 2 && err.contains("--at 83 asks for more than its 82 moves"), "{err}");
    assert!(!path.join("x.svg").exists());
    assert_eq!(morpion(path, &["render", grid, "-o", "x.svg", "--rotate", "45"]).0, 2);
}

#[test]
fn render_draws_pairs_and_pipes() {
    let dir = exported();
    let path = dir.path();
    let (a, b) = ("grids/5T-177-rosin-a.txt", "grids/5T-177-rosin-b.txt");
    for (name, flags, common) in [("apart.svg", &[][..], false), ("fit.svg", &["--fit"], true)] {
        let (status, _, err) = morpion(path, &[&["render", a, "--beside", b, "-o", name], flags].concat());
        assert_eq!(status, 0, "{err}");
        let svg = std::fs::read_to_string(path.join(name)).unwrap();
        assert_eq!(svg.contains("broad: the 39 lines only here\n"), common, "{name}");
        assert!(svg.matches("177 moves").count() >= 2);
        assert!(morpion(path, &["verify", name]).2.contains("a picture that carries no record"));
    }
    for (flags, expected) in [
        (&["--beside", "grids"][..], "--beside grids: two files are expected"),
        (&["--fit"], "--beside"),
        (&["--beside", "grids/4D-35-hyyroporanen.txt", "--fit"], "cannot be turned to fit the first grid"),
        (&["--beside", "none.txt"], "none.txt"),
    ] {
        let (status, _, err) = morpion(path, &[&["render", a, "-o", "x.svg"], flags].concat());
        assert!(status == 2 && err.contains(expected), "{flags:?}: {err}");
    }
    let text = std::fs::read(path.join(a)).unwrap();
    for (format, begins) in [("svg", &b"<svg"[..]), ("png", b"\x89PNG")] {
        let mut command = Command::cargo_bin("morpion").unwrap();
        command.current_dir(path).args(["render", "-", "-o", "-", "--size", "300", "--format", format]);
        let output = command.write_stdin(text.clone()).output().unwrap();
        assert!(output.status.success() && output.stdout.starts_with(begins), "{format}");
        std::fs::write(path.join("piped"), output.stdout).unwrap();
        assert_eq!(morpion(path, &["verify", "piped"]).1, "piped: legal, 5T, 177 moves, finished\n");
    }
    assert_eq!(morpion(path, &["render", "-", "--beside", "-", "-o", "x.svg"]).0, 2);
    assert_eq!(morpion(path, &["render", "grids", "-o", "-"]).0, 2);
    assert!(!path.join("x.svg").exists() && !path.join("-").exists());
}

#[test]
fn lines_are_counted_by_direction() {
    let dir = exported();
    let (status, out, err) = morpion(dir.path(), &["show", "grids/5T-178-rosin.txt"]);
    assert_eq!(status, 0, "{err}");
    // As published in the thesis that the program follows.
    let table = "direction     -   |   \\   /\nlines        45  47  42  44\n";
    assert!(out.ends_with(table), "{out}");
}

#[test]
fn records_have_their_history() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    let (_, out, _) = morpion(path, &["records", "list"]);
    assert!(out.contains("Rosin 178                 Christopher D. Rosin, August 2011\n"), "{out}");
    assert!(out.contains("Charles-Henri Bruneau, April 1976\n"), "{out}");
    // It was not the longest one.
    assert!(out.lines().any(|line| line.starts_with("5T  145") && line.ends_with("  Akiyama")), "{out}");
    let (status, _, err) = morpion(path, &["records", "timeline", "-o", "t.svg"]);
    assert_eq!(status, 0, "{err}");
    assert!(std::fs::read_to_string(path.join("t.svg")).unwrap().contains("Christopher D. Rosin, August 2011"));
    assert!(morpion(path, &["records", "timeline", "-o", "t.svg"]).2.contains("--force"));
    assert!(morpion(path, &["records", "timeline", "-o", "t.gif"]).2.contains(".png or .svg"));
}

/// A picture is a grid file: the record in it survives, whoever looks at it.
#[test]
fn pictures_carry_their_record() {
    let dir = exported();
    let path = dir.path();
    let grid = "grids/5T-170-bruneau.txt";
    let plain = morpion(path, &["convert", grid, "plain.msr"]);
    assert_eq!(plain.0, 0, "{}", plain.2);
    for name in ["a.png", "a.svg"] {
        assert_eq!(morpion(path, &["render", grid, "-o", name, "--size", "300"]).0, 0);
        let (status, out, err) = morpion(path, &["verify", name]);
        assert_eq!((status, out), (0, format!("{name}: legal, 5T, 170 moves, finished\n")), "{err}");
        let back = format!("{name}.msr");
        assert_eq!(morpion(path, &["convert", name, &back]).0, 0);
        assert_eq!(std::fs::read(path.join(&back)).unwrap(), std::fs::read(path.join("plain.msr")).unwrap());
    }
    // Behind the pixels it is found as well: the chunk moves to the end.
    let png = std::fs::read(path.join("a.png")).unwrap();
    let at = png.windows(8).position(|bytes| bytes == b"tEXtmsr\0").unwrap() - 4;
    let length = u32::from_be_bytes(png[at..at + 4].try_into().unwrap()) as usize + 12;
    let (chunk, end) = (&png[at..at + length], png.len() - 12);
    let moved = [&png[..at], &png[at + length..end], chunk, &png[end..]].concat();
    std::fs::write(path.join("moved.png"), &moved).unwrap();
    assert_eq!(morpion(path, &["verify", "moved.png"]).0, 0);

    let without = [&png[..at], &png[at + length..]].concat();
    let svg = std::fs::read_to_string(path.join("a.svg")).unwrap();
    for (name, bytes, message) in [
        ("without.png", without, "a picture that carries no record"),
        ("half.png", moved[..moved.len() / 2].to_vec(), "a damaged PNG picture"),
        (
            "without.svg",
            svg.replace("morpion-solitaire-record", "other").into_bytes(),
            "a picture that carries no record",
        ),
        ("forged.svg", svg.replace("MS1:", "MS1:AAAA").into_bytes(), "record"),
    ] {
        std::fs::write(path.join(name), bytes).unwrap();
        let (status, _, err) = morpion(path, &["show", name]);
        assert!(status == 2 && err.contains(message), "{name}: {err}");
    }
}

#[test]
fn shells_and_readers_of_manuals_get_their_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (status, out, _) = morpion(path, &["completions", shell]);
        assert_eq!(status, 0);
        assert!(out.contains("morpion") && out.contains("enumerate") && out.contains("symmetry"), "{shell}");
    }
    let (status, out, err) = morpion(path, &["man", "--dir", "man1"]);
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("man1/morpion.1\n") && out.contains("man1/morpion-job-submit.1\n"), "{out}");
    assert_eq!(morpion(path, &["man", "--dir", "man1"]).0, 2);
    assert_eq!(morpion(path, &["man", "--dir", "man1", "--force"]).0, 0);
    let page = std::fs::read_to_string(path.join("man1/morpion-job-submit.1")).unwrap();
    assert_eq!(morpion(path, &["man", "job", "submit"]).1, page);
    assert!(page.contains(".TH") && page.contains("\\-\\-priority"), "{page}");
    let (status, _, err) = morpion(path, &["man", "job", "dance"]);
    assert!(status == 2 && err.contains("there is no command 'job dance'"), "{err}");
}
