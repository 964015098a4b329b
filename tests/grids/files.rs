//! Grid files from outside: every known record and many random games through every format and back, foreign
//! dialects, illegal files, and arbitrary bytes.

use morpion::core::seed;
use morpion::morpion::position::Position;
use morpion::morpion::variant::Variant;
use morpion::notation::format::{ChosenBy, GridFormat, GridReadError, LoadedGrid, read, write};
use morpion::notation::grid::{Grid, Provenance};
use morpion::notation::pentasol::{self, Effort};
use morpion::notation::records::known;
use morpion::with_rules;
use proptest::prelude::*;
use rand::RngExt;

const FORMATS: [GridFormat; 3] = [GridFormat::Pentasol, GridFormat::MsrCompact, GridFormat::MsrJson];

fn random_game(variant: Variant, seed: u64, length: usize) -> Grid {
    let mut rng = seed::rng(seed, &[]);
    with_rules!(variant, R => {
        let mut position = Position::<R>::new();
        while !position.moves().is_empty() && position.played().len() < length {
            let mv = position.moves()[rng.random_range(0..position.moves().len())];
            position.play(mv);
        }
        Grid::new(variant, position.played().to_vec())
    })
}

fn back(grid: &Grid, format: GridFormat) -> LoadedGrid {
    let text = write(grid, format).unwrap();
    read(text.as_bytes(), None).unwrap_or_else(|error| panic!("{format}: {error}\n{text}"))
}

#[test]
fn every_record_passes_through_every_format_unchanged() {
    for record in known().unwrap() {
        let mut grid = record.grid.clone();
        for format in FORMATS {
            grid = back(&grid, format).grid;
            let mut expected = record.grid.clone();
            if format != GridFormat::Pentasol {
                expected.provenance.notes.clear();
            }
            grid.provenance.notes.clone_from(&expected.provenance.notes);
            assert_eq!(grid, expected, "{} after {format}", record.name);
        }
        let loaded = back(&record.grid, GridFormat::Pentasol);
        assert_eq!(loaded.grid, record.grid, "{}", record.name);
        assert!(loaded.warnings.is_empty());
    }
}

/// Text without any comment: moves alone.
fn bare(grid: &Grid, reference: bool, shift: (i32, i32)) -> String {
    let mut text = if reference { format!("({},{})\n", 28 + shift.0, 28 + shift.1) } else { String::new() };
    for mv in &grid.moves {
        let (x, y) = (mv.point().x() + shift.0, mv.point().y() + shift.1);
        text += &format!("({x},{y}) {} {:+}\n", mv.direction().symbol(), 2 - mv.index() as i32);
    }
    text
}

#[test]
fn any_reference_point_or_none_gives_the_same_grid() {
    for record in known().unwrap() {
        let expected = Grid::new(record.grid.variant, record.grid.moves.clone());
        for text in [
            bare(&expected, true, (0, 0)),
            bare(&expected, true, (-100, 2000)),
            bare(&expected, false, (0, 0)),
            bare(&expected, true, (1, -1)).replace('\n', "\r\n"),
        ] {
            let loaded = read(text.as_bytes(), None).unwrap();
            assert_eq!(loaded.grid, expected, "{}", record.name);
            assert_eq!(loaded.chosen_by, ChosenBy::Replay);
        }
    }
}

/// The dialect without reference line: cross at 1..10, opposite sign, for lines of 4 the middle at index 1.
#[test]
fn the_opposite_dialect_is_recognised() {
    for record in known().unwrap() {
        let grid = Grid::new(record.grid.variant, record.grid.moves.clone());
        let len = grid.variant.line_len() as i32;
        let text: String = grid
            .moves
            .iter()
            .map(|mv| {
                let (x, y) = (mv.point().x() - 28 + len - 1, mv.point().y() - 28 + len - 1);
                format!("({x},{y}){}{:+}\n", mv.direction().symbol(), mv.index() as i32 - (len - 1) / 2)
            })
            .collect();
        assert_eq!(read(text.as_bytes(), None).unwrap().grid, grid, "{}", record.name);
    }
}

/// The documented rule for files without a variant: disjoint if that is legal. It never errs on prefixes of the
/// 5D record, and on those of 5T records only while they are short.
#[test]
fn a_variant_is_chosen_by_replay() {
    let longest = |grid: &Grid, taken_for: Variant| {
        let fits = |n: &usize| {
            let prefix = grid.prefix(*n).unwrap();
            read(bare(&prefix, true, (0, 0)).as_bytes(), None).unwrap().grid.variant == taken_for
        };
        (1..=grid.score()).take_while(fits).count()
    };
    for record in known().unwrap() {
        let grid = &record.grid;
        if grid.variant == Variant::D5 {
            assert_eq!(longest(grid, Variant::D5), grid.score());
        }
        if grid.variant == Variant::T5 {
            let as_disjoint = longest(grid, Variant::D5);
            assert!(as_disjoint <= 8, "{}: {as_disjoint}", record.name);
        }
    }
    // What the file or the caller says goes first.
    let grid = random_game(Variant::T5, 1, 3);
    let text = bare(&grid, true, (0, 0));
    let loaded = read(text.as_bytes(), None).unwrap();
    assert_eq!((loaded.grid.variant, loaded.replays_as), (Variant::D5, vec![Variant::D5, Variant::T5]));
    assert_eq!(read(text.as_bytes(), Some(Variant::T5)).unwrap().grid.variant, Variant::T5);
    let loaded = read(format!("# variant 5T\n{text}").as_bytes(), None).unwrap();
    assert_eq!((loaded.grid.variant, loaded.chosen_by), (Variant::T5, ChosenBy::File));
    assert_eq!(read(b"(28,28)\n", None).unwrap().grid.variant, Variant::T5);
}

#[test]
fn the_first_illegal_move_is_explained() {
    let cases = [
        ("(28,28)\n(31,29) | -1\n", "line 2 (move 1): (31,29) | -1: the line needs point (31,30), which is not set"),
        // The same in a shifted file: the message keeps the file's coordinates.
        ("(0,0)\n\n(3,1) | -1\n", "line 3 (move 1): (3,1) | -1: the line needs point (3,2), which is not set"),
        ("(28,28)\n(28,28) | -1\n", "line 2 (move 1): (28,28) | -1: the point belongs to the starting cross"),
        ("(28,28)\n(31,29) | -2\n(31,29) - 0\n", "line 3 (move 2): (31,29) - 0: the point is already set, by move 1"),
        (
            "(28,28)\n(31,29) | 3\n",
            "line 2 (move 1): (31,29) | 3: the offset 3 is out of range: -2 to 2 is expected in 5T",
        ),
        (
            "(28,28)\n(59,29) - 2\n",
            "line 2 (move 1): (59,29) - 2: the move leaves the playing area of 60x60 points (columns 0 to 59, rows \
             0 to 59 in this file)",
        ),
        (
            "(128,28)\n(999999,29) - 2\n",
            "line 2 (move 1): (999999,29) - 2: the move leaves the playing area of 60x60 points (columns 100 to 159, \
             rows 0 to 59 in this file)",
        ),
    ];
    for (text, message) in cases {
        match read(text.as_bytes(), None) {
            Err(GridReadError::Illegal(illegal)) => assert_eq!(illegal.to_string(), message),
            other => panic!("{text}: {other:?}"),
        }
    }
    // Two lines of one track that share an end point: forbidden in 5D only.
    let record = known().unwrap().into_iter().find(|r| r.stem == "5T-178-rosin").unwrap();
    let text = pentasol::write(&record.grid, Effort::Comments).replace("variant 5T", "variant 5D");
    let message = read(text.as_bytes(), None).unwrap_err().to_string();
    assert!(message.contains("the line shares a point with the line of move"), "{message}");
    assert!(message.ends_with("which 5D forbids (the file is legal as 5T)"), "{message}");
}

#[test]
fn bad_bytes_are_named() {
    let many = "(28,28)\n".to_owned() + &"# x\n".repeat(2 << 20);
    for (bytes, word) in [
        (&b""[..], "empty"),
        (b" \r\n\t", "empty"),
        (b"# only a comment\n", "neither a reference point"),
        (b"\x89PNG\r\n\x1a\n", "picture"),
        (b"<svg></svg>", "picture"),
        (b"\xff\xfe(\x00", "UTF-16"),
        (b"(28,28)\n\x00", "binary"),
        (b"{\"variant\":", "JSON"),
        (b"MS1:@@@", "Base64"),
        (many.as_bytes(), "larger than 4 MiB"),
    ] {
        let message = read(bytes, None).unwrap_err().to_string();
        assert!(message.contains(word), "{message}");
    }
    assert_eq!(read(b"# author Hyyr\xf6\n(28,28)\n", None).unwrap().grid.score(), 0);
}

#[test]
fn a_wrong_score_is_a_warning() {
    let grid = random_game(Variant::D4, 3, 5);
    let text = write(&grid, GridFormat::Pentasol).unwrap().replace("score 5", "score 6");
    let loaded = read(text.as_bytes(), None).unwrap();
    assert_eq!(loaded.warnings, ["the file says score 6 but holds 5 moves"]);
}

#[test]
fn the_trailer_is_read_back() {
    let mut grid = random_game(Variant::T5, 5, 30);
    grid.provenance.seconds = Some(12.25);
    grid.provenance.iterations = Some(u64::MAX);
    let text = pentasol::write(&grid, Effort::Trailer);
    assert!(text.ends_with("\n12.25\n18446744073709551615\n"), "{text}");
    assert_eq!(read(text.as_bytes(), None).unwrap().grid, grid);
}

/// JSON keeps times to the millisecond exactly; of arbitrary fractions it may lose the last bit.
fn milliseconds() -> impl Strategy<Value = Option<f64>> {
    proptest::option::of((0..1u64 << 50).prop_map(|n| n as f64 / 1000.0))
}

fn provenance() -> impl Strategy<Value = Provenance> {
    let text = || proptest::option::of("\\PC{1,20}|[ -~]{1,9}[\n\t\\\\#:][ -~]{1,9}");
    let numbers = (any::<Option<u64>>(), any::<Option<u64>>(), milliseconds());
    let texts = (text(), text(), text(), text(), text(), text(), text(), text());
    let tags = proptest::collection::vec("[ -~]{1,12}", 0..3);
    (texts, numbers, tags).prop_map(|(t, (seed, iterations, seconds), tags)| Provenance {
        author: t.0,
        source: t.1,
        description: t.2,
        transcribed_by: t.3,
        producer: t.4,
        saved_at: t.5,
        tool: t.6,
        method: t.7,
        seed,
        iterations,
        seconds,
        tags,
        notes: Vec::new(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_games_pass_through_every_format(
        variant in 0..4usize, seed in any::<u64>(), length in 0..200usize, provenance in provenance()
    ) {
        let mut grid = random_game(Variant::ALL[variant], seed, length);
        grid.provenance = provenance;
        for format in FORMATS {
            prop_assert_eq!(&back(&grid, format).grid, &grid, "{}", format);
        }
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes, None);
        let _ = read(&[b"MS1:", &bytes[..]].concat(), None);
        let _ = read(&[b"(28,28)\n", &bytes[..]].concat(), Some(Variant::D4));
    }

    #[test]
    fn almost_grids_do_not_panic(text in "(\\(-?[0-9]{1,9},[0-9]{1,3}\\) ?[-|/x\\\\]? ?[+-]?[0-9]{0,3}\r?\n|[0-9.e]{1,6}\n|# [a-z]{1,7}:? [^\n]{0,9}\n){0,9}") {
        if let Ok(loaded) = read(text.as_bytes(), None) {
            // What was read can be written, and is then read as the same moves.
            let again = back(&loaded.grid, GridFormat::Pentasol);
            prop_assert_eq!(again.grid.moves, loaded.grid.moves);
        }
    }

    #[test]
    fn damaged_grids_do_not_panic(seed in any::<u64>(), format in 0..3usize, at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = write(&random_game(Variant::T5, seed, 40), FORMATS[format]).unwrap().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(loaded) = read(&bytes, None) {
            prop_assert!(loaded.grid.moves_left().is_some());
            prop_assert!(loaded.grid.score() <= 41);
        }
    }
}
