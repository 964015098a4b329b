//! The bodies of the fuzz targets (see `fuzz/`), run over a short budget of seeded random inputs: the toolchain that
//! the tests use has no libFuzzer.

use morpion_engine::core::seed::{self, Rng};
use morpion_engine::notation::format::{GridFormat, write};
use morpion_engine::notation::records::known;
use rand::RngExt;

const SEED: u64 = 2026;

/// Bytes that mean something in some format.
const LIKELY: &[u8] = b"0123456789-+|/\\(), \r\n#{}[]\":Mo.";

#[path = "../../fuzz/bodies/book.rs"]
mod book;

#[path = "../../fuzz/bodies/engine.rs"]
mod engine;

#[path = "../../fuzz/bodies/grid_reader.rs"]
mod grid_reader;

#[path = "../../fuzz/bodies/go.rs"]
mod go;

#[path = "../../fuzz/bodies/gomoku.rs"]
mod gomoku;

#[path = "../../fuzz/bodies/library.rs"]
mod library;

#[path = "../../fuzz/bodies/reversi.rs"]
mod reversi;

#[path = "../../fuzz/bodies/sgf.rs"]
mod sgf;

/// Runs `body` on `inputs` byte strings that `make` draws, and names the seed of one that fails.
fn feed(name: &str, inputs: u64, make: impl Fn(&mut Rng) -> Vec<u8>, body: fn(&[u8])) {
    for input in 0..inputs {
        let data = make(&mut seed::rng(SEED, &[input]));
        if std::panic::catch_unwind(|| body(&data)).is_err() {
            panic!("{name}: input {input} of seed {SEED} fails: {}", data.escape_ascii());
        }
    }
}

fn bytes(rng: &mut Rng, longest: usize) -> Vec<u8> {
    (0..rng.random_range(0..=longest)).map(|_| rng.random()).collect()
}

#[test]
fn sgf_is_read_edited_and_written() {
    let parts: [&[u8]; 20] = [
        b"(",
        b"(;",
        b")",
        b";",
        b"[",
        b"]",
        b"B[aa]",
        b"W[bb]",
        b"AB[bb][cc]",
        b"LB[aa:x]",
        b"C[",
        b"\\",
        b"\n",
        b" ",
        b"GaMe",
        b"\xe9",
        b"CA[",
        b"gbk",
        b"sz",
        b"SZ[19:7]",
    ];
    let likely = |rng: &mut Rng| -> Vec<u8> {
        let parts = (0..rng.random_range(0..40)).map(|_| parts[rng.random_range(0..parts.len())]);
        [&b"(;"[..]].into_iter().chain(parts).flatten().copied().collect()
    };
    feed("sgf", 3000, likely, sgf::run);
    feed("sgf", 300, |rng| bytes(rng, 100), sgf::run);
}

#[test]
fn engine_agrees_with_the_referee() {
    feed("engine", 60, |rng| bytes(rng, 160), engine::run);
}

#[test]
fn both_implementations_of_reversi_play_any_bytes() {
    feed("reversi", 100, |rng| bytes(rng, 80), reversi::run);
}

#[test]
fn both_implementations_of_gomoku_play_any_bytes() {
    feed("gomoku", 100, |rng| bytes(rng, 60), gomoku::run);
    let likely = b"XO./ \nblackwhiteh8i10a1,;()[]SZGMPLABW:Piskvorky15x15";
    let text =
        |rng: &mut Rng| (0..rng.random_range(0..40)).map(|_| likely[rng.random_range(0..likely.len())]).collect();
    feed("gomoku", 1000, text, gomoku::run);
}

#[test]
fn both_implementations_of_go_play_any_bytes() {
    feed("go", 150, |rng| bytes(rng, 80), go::run);
    let likely = b"XO.xo/ \nblackwhitekopass()[];:\\ABWSZPLabc123";
    let text =
        |rng: &mut Rng| (0..rng.random_range(0..40)).map(|_| likely[rng.random_range(0..likely.len())]).collect();
    feed("go", 2000, text, go::run);
}

#[test]
fn books_and_plans_are_read_and_written() {
    let words: [&str; 20] = [
        "0",
        "1",
        "2",
        "-",
        "d4",
        "c3",
        "e5",
        "c3d4",
        "e5a1",
        "d4:5",
        "c3:-20",
        "e5:19999",
        "e5:99999",
        "a1:0",
        "g6:7",
        "#",
        "morpion book 1",
        "z9",
        "d4:",
        " ",
    ];
    let text = |rng: &mut Rng| -> Vec<u8> {
        let line = |rng: &mut Rng| -> String {
            let count = rng.random_range(1..6);
            (0..count).map(|_| words[rng.random_range(0..words.len())]).collect::<Vec<_>>().join(" ")
        };
        // Half of the lines are right in themselves.
        let right = ["0 - d4:5", "0 d4 c3:-20 e5:4", "1 c3 e5:7", "2 e5 a1:0", "0 c3 d4:5", "0 b3c3 d4"];
        let count = rng.random_range(0..8);
        let lines = (0..count).map(|_| match rng.random_range(0..4) {
            0 => line(rng),
            _ => right[rng.random_range(0..right.len())].to_owned(),
        });
        lines.collect::<Vec<_>>().join("\n").into_bytes()
    };
    feed("book", 3000, text, book::run);
    feed("book", 300, |rng| bytes(rng, 100), book::run);
}

/// Nodes of few points with all kinds of bits and texts, SGF, and plain noise.
#[test]
fn libraries_are_read_and_written() {
    let texts: [&[u8]; 8] =
        [b"A\0", b"ab\0\0", b"x\x08y\0", b"\x08\0", b"\0\0", b"\xe9\xe8\0\0", b"\xc4\xe3]\0", b"H\xe9"];
    let nodes = |rng: &mut Rng| -> Vec<u8> {
        let mut bytes = if rng.random_range(0..4) == 0 { Vec::new() } else { vec![0, 0] };
        for _ in 0..rng.random_range(0..40) {
            let place = [0x78, 0x69, 0x01, 0xEF, 0x00, 0x88, 0x77][rng.random_range(0..7)];
            // Most are nodes of some tree, with few texts.
            let mut bits: u8 = rng.random_range(0..4) << 6;
            if rng.random_range(0..3) == 0 {
                bits |= rng.random::<u8>() & 0x3F;
            }
            bytes.extend([place, bits]);
            if bits & 1 != 0 {
                bytes.extend([0, rng.random_range(0..3)]);
            }
            if bits & 0x29 != 0 {
                bytes.extend(texts[rng.random_range(0..texts.len())]);
            }
            if bits & 0x29 > 8 {
                bytes.extend(texts[rng.random_range(0..texts.len())]);
            }
        }
        bytes
    };
    feed("library", 4000, nodes, library::run);
    feed("library", 300, |rng| bytes(rng, 100), library::run);
    let parts: [&[u8]; 16] = [
        b"(",
        b")",
        b";B[hh]",
        b";W[ig]",
        b";B[gi]",
        b";W[]",
        b";B[tt]",
        b";C[a\nb\\]]",
        b"HO[1]",
        b"LB[hh:A][ig:b]",
        b"LB[aa:\\:x]",
        b"START[1]",
        b"N[x]",
        b"PL[W]",
        b"C[\xe9]",
        b"LB[oo]",
    ];
    let likely = |rng: &mut Rng| -> Vec<u8> {
        let parts = (0..rng.random_range(0..30)).map(|_| parts[rng.random_range(0..parts.len())]);
        [&b"(;GM[4]"[..]].into_iter().chain(parts).flatten().copied().collect()
    };
    feed("library", 2000, likely, library::run);
}

/// Short files of every format with a few bytes changed, cut out or repeated, and plain noise.
#[test]
fn readers_refuse_or_read_any_bytes() {
    let mut files: Vec<Vec<u8>> = Vec::new();
    for known in known().unwrap() {
        for format in [GridFormat::Pentasol, GridFormat::MsrCompact, GridFormat::MsrJson] {
            // Most changes to a long record only make it illegal somewhere.
            for count in [3, 12, known.grid.score()] {
                let grid = known.grid.prefix(count).unwrap();
                files.push(write(&grid, format).unwrap().into_bytes());
            }
        }
    }
    // From another start than the cross.
    let start = "(41,37)\n.oooo\no...o\noo.oo\n";
    files.push(format!("# variant 5T\nstart {start}(41,37) - 2\n").into_bytes());
    files.push(format!("start {start}(46,37) - -2\n(41,37) - 2\n").into_bytes());
    let change = |rng: &mut Rng| {
        let mut data = files[rng.random_range(0..files.len())].clone();
        for _ in 0..rng.random_range(0..4) {
            let at = rng.random_range(0..data.len().max(1));
            let end = (at + rng.random_range(0..9)).min(data.len());
            match rng.random_range(0..5) {
                0 if at < data.len() => data[at] = rng.random(),
                1 if at < data.len() => data[at] = LIKELY[rng.random_range(0..LIKELY.len())],
                2 => drop(data.drain(at.min(end)..end)),
                3 => {
                    let piece = data[at.min(end)..end].to_vec();
                    data.splice(at.min(end)..at.min(end), piece);
                }
                _ => data.truncate(at),
            }
        }
        data
    };
    feed("grid_reader", 600, change, grid_reader::run);
    feed("grid_reader", 200, |rng| bytes(rng, 200), grid_reader::run);
}
