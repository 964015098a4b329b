//! `morpion library`, and libraries where commands take positions of Gomoku.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::path::Path;

const HEADER: &[u8; 20] = b"\xFFRenLib\xFF\x03\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF";
/// After h8: i9 and g7 with a comment, or i8; a board text on a15 beside h8.
const NODES: &[u8] = b"\x00\x00\x01\xC3\x00\x01A\0\x78\x08\xe9t\xe9\0\x69\x80\x87\x58one\x08two\0\x79\x40";
/// Black wins at once by continuous fours: h8 a1 h9 a2 h10 o1, with a variation.
const FOURS: &[u8] = b"\x78\x00\xE1\x00\x68\x80\xD1\x00\x58\x00\xEF\x40\x69\x40";

fn morpion_in(directory: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("morpion").unwrap().current_dir(directory).args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn parsed(directory: &Path, args: &[&str]) -> Value {
    let (status, out, err) = morpion_in(directory, args);
    assert_eq!(status, 0, "{args:?}: {err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn a_library_is_shown_and_converted() {
    let temporary = tempfile::tempdir().unwrap();
    let directory = temporary.path();
    // It is known by what it begins with.
    std::fs::write(directory.join("book.dat"), [HEADER, NODES].concat()).unwrap();
    let (status, out, err) = morpion_in(directory, &["library", "book.dat"]);
    let expected = "\
library of version 3.4
nodes        5
moves        4
depth        3
lines        2
comments     2
board texts  1
marks        1
first line   h8 i9 g7
";
    assert_eq!((status, out.as_str(), err.as_str()), (0, expected, ""));
    let (_, out, _) = morpion_in(directory, &["library", "book.dat", "--lines"]);
    assert_eq!(out, "h8i9g7\nh8i8\n");
    let (_, out, _) = morpion_in(directory, &["library", "book.dat", "--comments"]);
    assert_eq!(out, "h8: \u{e9}t\u{e9}\nh8i9g7: one\n    two\n");
    let found = parsed(directory, &["library", "book.dat", "--json", "--lines", "--comments"]);
    let counts =
        json!({ "nodes": 5, "moves": 4, "depth": 3, "lines": 2, "comments": 2, "board_texts": 1, "marks": 1 });
    assert_eq!((&found["version"], &found["format_version"], &found["counts"]), (&json!(1), &json!("3.4"), &counts));
    assert_eq!(found["first_line"], json!(["h8", "i9", "g7"]));
    assert_eq!(found["lines"], json!([["h8", "i9", "g7"], ["h8", "i8"]]));
    assert_eq!(found["comments"][1], json!({ "moves": ["h8", "i9", "g7"], "comment": "one\ntwo" }));
    assert_eq!(found["notices"], json!([]));

    let (status, out, err) = morpion_in(directory, &["library", "book.dat", "-o", "book.sgf"]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "", ""));
    let sgf =
        "(;FF[4]CA[UTF-8]GM[4]SZ[15]LB[aa:A];B[hh]C[\u{e9}t\u{e9}]\n(;W[ig];B[gi]C[one\ntwo]HO[1])\n(;W[ih]))\n";
    assert_eq!(std::fs::read_to_string(directory.join("book.sgf")).unwrap(), sgf);
    let (status, out, _) = morpion_in(directory, &["library", "book.dat", "-o", "-", "--to", "sgf"]);
    assert_eq!((status, out.as_str()), (0, sgf));

    // And back; the file that is there stays.
    let (status, _, err) = morpion_in(directory, &["library", "book.sgf", "-o", "book.dat", "--to", "lib"]);
    assert!(status == 2 && err.contains("the file exists; --force overwrites it"), "{err}");
    let back = ["library", "book.sgf", "-o", "book.lib", "--encoding", "windows-1252"];
    assert_eq!(morpion_in(directory, &back), (0, String::new(), String::new()));
    // The board text is behind the moves.
    let nodes = b"\x00\x00\x78\x88\xe9t\xe9\0\x69\x80\x87\x58one\x08two\0\x79\x40\x01\x43\x00\x01A\0";
    assert_eq!(std::fs::read(directory.join("book.lib")).unwrap(), [HEADER, &nodes[..]].concat());
    let again = parsed(directory, &["library", "book.lib", "--json", "--lines", "--comments"]);
    assert_eq!(again, found);
    assert_eq!(morpion_in(directory, &[&back[..], &["--force"]].concat()).0, 0);
}

#[test]
fn what_cannot_be_read_or_held_is_told() {
    let temporary = tempfile::tempdir().unwrap();
    let directory = temporary.path();
    let put = |name: &str, bytes: &[u8]| std::fs::write(directory.join(name), bytes).unwrap();
    put("cut.lib", &[HEADER, &NODES[..NODES.len() - 3]].concat());
    put("part.lib", &[HEADER, &b"\x78\x80\x69\x40"[..]].concat());
    put("text.lib", b"h8i9");
    put("chinese.lib", &[HEADER, &b"\x78\x48\xc4\xe3\0\0"[..]].concat());
    put("go.sgf", b"(;GM[1];B[hh])");
    put("rich.sgf", b"(;GM[4]PB[x];B[hh]TR[aa])(;B[aa])");
    for (args, reason) in [
        (&["none.lib"][..], "none.lib: there is no such file"),
        (&["text.lib"], "text.lib: neither a library nor SGF"),
        (&["go.sgf"], "go.sgf: SGF: GM[1] is another game"),
        (&["cut.lib"], "cut.lib: byte 38: the file ends within a comment that begins here"),
        (&["rich.sgf", "-o", "rich"], "rich: which format? end the name in .lib or .sgf, or give --to"),
        (&["rich.sgf", "--encoding", "no-such"], "not a known character set"),
        (&["rich.sgf", "--force"], "--output"),
        (&["chinese.lib", "--encoding", "gbk", "-o", "-", "--to", "lib", "--lines"], "cannot be used with"),
    ] {
        let (status, _, err) = morpion_in(directory, &[&["library"], args].concat());
        assert!(status == 2 && err.contains(reason), "{args:?}: {err}");
    }
    let (status, out, err) = morpion_in(directory, &["library", "part.lib", "--lines"]);
    assert_eq!((status, out.as_str()), (0, "h8i9\n"));
    assert!(err.contains("part.lib: warning: byte 24: the file ends before the nodes"), "{err}");
    let found = parsed(directory, &["library", "rich.sgf", "--json"]);
    let notices = json!(["only the first of 2 games is taken", "a library has no place for PB, TR: left out"]);
    assert_eq!((&found["format"], &found["notices"]), (&json!("sgf"), &notices));
    let (_, out, _) = morpion_in(directory, &["library", "chinese.lib", "--comments", "--encoding", "gbk"]);
    assert_eq!(out, "h8: \u{4f60}\n");
    let (status, _, err) =
        morpion_in(directory, &["library", "chinese.lib", "-o", "x.lib", "--encoding", "shift_jis"]);
    assert!(status == 2 && err.contains("the text `\u{c4}\u{e3}` has characters that are not in Shift_JIS"), "{err}");
}

/// A library says the same as the SGF of the same tree, wherever a position is asked for.
#[test]
fn positions_are_read_from_libraries() {
    let temporary = tempfile::tempdir().unwrap();
    let directory = temporary.path();
    std::fs::write(directory.join("fours.lib"), [HEADER, FOURS].concat()).unwrap();
    assert_eq!(morpion_in(directory, &["library", "fours.lib", "-o", "fours.sgf"]).0, 0);
    for (command, fields) in [
        (&["vcf", "--json"][..], &["position", "side", "moves", "line"][..]),
        (&["analyse", "gomoku", "--json", "--memory", "4M", "--depth", "1", "--best", "3"], &["moves"]),
        (
            &["solve", "gomoku", "--json", "--memory", "4M", "--value-only"],
            &["position", "lower", "upper", "settled"],
        ),
    ] {
        let of = |file: &str| {
            let found = parsed(directory, &[command, &["--position", file]].concat());
            fields.iter().map(|field| found[*field].clone()).collect::<Vec<_>>()
        };
        let found = of("fours.lib");
        assert_eq!(found, of("fours.sgf"), "{command:?}");
        assert_eq!(found, of("h8a1h9a2h10o1"), "{command:?}");
        assert!(found.iter().all(|value| !value.is_null()), "{command:?}: {found:?}");
    }
    let played = |file: &str| {
        let args = ["play", "gomoku", "--you", "both", "--position", file];
        let mut command = Command::cargo_bin("morpion").unwrap();
        let output = command.current_dir(directory).args(args).write_stdin("quit\n").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(played("fours.lib").contains('X'), "{}", played("fours.lib"));
    assert_eq!(played("fours.lib"), played("fours.sgf"));

    // The lines of a library are a file of positions.
    let (_, lines, _) = morpion_in(directory, &["library", "fours.lib", "--lines"]);
    assert_eq!(lines, "h8a1h9a2h10o1\nh8a1i9\n");

    let put = |name: &str, nodes: &[u8]| std::fs::write(directory.join(name), [HEADER, nodes].concat()).unwrap();
    put("pass.lib", b"\x78\x00\x00\x40");
    put("again.lib", b"\x78\x00\x78\x40");
    put("cut.lib", b"\x78\x00\x69");
    for (file, more, reason) in [
        ("pass.lib", &[][..], "pass.lib: library: move 2 of the first line is a pass, which gomoku does not have"),
        ("again.lib", &[], "move 2, h8, is illegal: there is a stone on h8"),
        ("cut.lib", &[], "cut.lib: byte 22: the file ends within a node that begins here"),
        ("fours.lib", &["--size", "9"], "the position is on a 15x15 board"),
    ] {
        let (status, _, err) = morpion_in(directory, &[&["vcf", "--position", file], more].concat());
        assert!(status == 2 && err.contains(reason), "{file}: {err}");
    }
    let (status, _, err) = morpion_in(directory, &["solve", "reversi", "--position", "fours.lib"]);
    assert!(status == 2 && err.contains("fours.lib"), "{err}");
}
