//! Games from other starts than the cross: the engine against the referee, every search, files, hunts. Random choices
//! come from seeds that the messages name.
#![cfg(unix)]

mod hunts;

use hunts::{refuse, succeed, temporary};
use morpion::core::ctl::{Ctl, Signal};
use morpion::core::search::End;
use morpion::core::seed::{self, Rng};
use morpion::morpion::canonical::{canonical_key, canonical_key_from};
use morpion::morpion::geometry::{Direction, Line, Move};
use morpion::morpion::position::{MAX_LEGAL, Position};
use morpion::morpion::referee::{FreeMove, Referee, replay_from};
use morpion::morpion::start::{MOST_POINTS, MOST_SET, Start, StartError};
use morpion::morpion::symmetry::{GridSymmetry, Symmetry};
use morpion::morpion::variant::{Rules, Variant};
use morpion::notation::format::{GridFormat, read, write};
use morpion::notation::grid::Grid;
use morpion::notation::identify::best_orientation;
use morpion::strategies::params::{Jumps, Params, StallTable, Strategy};
use morpion::strategies::prefix::prefix_walk;
use morpion::strategies::table::StrategyRow;
use morpion::strategies::{Unit, resume, start};
use morpion::with_rules;
use rand::RngExt;
use std::collections::{BTreeSet, HashSet};
use std::fs;

const SEED: u64 = 20_261_126;

/// Points in a box of so many columns and rows, each with this probability; those of the corners always.
fn random_points(rng: &mut Rng, columns: i32, rows: i32, share: f64) -> BTreeSet<(i32, i32)> {
    let all = (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y)));
    let mut points: BTreeSet<(i32, i32)> = all.filter(|_| rng.random_bool(share)).take(MOST_POINTS - 2).collect();
    points.extend([(0, 0), (columns - 1, rows - 1)]);
    points
}

fn random_start(rng: &mut Rng) -> BTreeSet<(i32, i32)> {
    let (columns, rows) = (rng.random_range(2..=20), rng.random_range(2..=20));
    let share = rng.random_range(0.1..0.6);
    random_points(rng, columns, rows, share)
}

/// The points as the referee has them: their box in the middle of an area of 60 columns and rows, by another way than
/// the program goes.
fn placed(points: &BTreeSet<(i32, i32)>) -> HashSet<(i32, i32)> {
    let end = |of: fn(&(i32, i32)) -> i32| points.iter().map(of).max().unwrap() + 1;
    let (columns, rows) = (end(|point| point.0), end(|point| point.1));
    let before = |count: i32| (0..60).find(|before| 60 - count - before - before < 2).unwrap();
    points.iter().map(|&(x, y)| (x + before(columns), y + before(rows))).collect()
}

fn picture(points: &BTreeSet<(i32, i32)>) -> String {
    let rows = points.iter().map(|point| point.1).max().unwrap() + 1;
    let columns = points.iter().map(|point| point.0).max().unwrap() + 1;
    let row = |y| (0..columns).map(|x| if points.contains(&(x, y)) { 'o' } else { '.' }).collect::<String>() + "\n";
    (0..rows).map(row).collect()
}

fn free(moves: &[Move]) -> Vec<FreeMove> {
    let mut moves: Vec<FreeMove> = moves.iter().map(|&mv| FreeMove::from_move(mv)).collect();
    moves.sort_unstable();
    moves
}

/// Legal moves, move by move, with steps back, against the referee on the same points.
#[test]
fn legal_moves_equal_the_referee_s_from_random_starts() {
    let mut played = 0;
    for (variant, case) in Variant::ALL.into_iter().flat_map(|variant| (0..12).map(move |case| (variant, case))) {
        let rng = &mut seed::rng(SEED, &[1, variant as u64, case]);
        let points = random_start(rng);
        let start: Start = picture(&points).parse().unwrap();
        let placed = placed(&points);
        assert_eq!(start.points(variant).iter().map(|p| (p.x(), p.y())).collect::<HashSet<_>>(), placed);
        with_rules!(variant, R => {
            let mut position = start.position::<R>();
            let mut referee = Referee::with(variant, placed.clone(), []);
            for _ in 0..40 {
                let theirs: Vec<FreeMove> =
                    referee.legal_moves().into_iter().filter(|mv| mv.in_area(variant).is_some()).collect();
                assert_eq!(free(position.moves()), theirs, "{variant}, case {case}, {:?}", position.played());
                if position.moves().is_empty() {
                    break;
                }
                if rng.random_range(0..8) == 0 {
                    assert_eq!(position.undo().map(FreeMove::from_move), referee.undo());
                    continue;
                }
                let mv = position.moves()[rng.random_range(0..position.moves().len())];
                position.play(mv);
                referee.play(FreeMove::from_move(mv)).unwrap();
                played += 1;
            }
            position.check_from(&start);
            assert!(start.after::<R>(position.played()).is_ok());
            replay_from(&start, variant, position.played()).unwrap();
        });
    }
    assert!(played > 500, "{played}");
}

/// The bound that fixed buffers rest on: as many points as a search can meet, most of them in one block.
#[test]
fn no_board_of_so_many_points_has_more_legal_moves_than_there_is_room_for() {
    for variant in Variant::ALL {
        // Each point is in so many lines, and a legal move needs all points of its line but one.
        let len = variant.line_len();
        assert!(MOST_SET * 4 * len / (len - 1) <= MAX_LEGAL, "{variant}");
    }
}

#[test]
fn names_and_pictures_are_read_and_shown() {
    let greek = ["...oooo...", "...o..o...", "...o..o...", "oooo..oooo", "o........o"];
    let whole: Vec<&str> = greek.iter().chain(greek.iter().rev()).copied().collect();
    assert_eq!(Start::named("cross-4").unwrap().rows(), whole);
    assert_eq!(Start::named("cross-2").unwrap().rows(), [".oo.", "oooo", "oooo", ".oo."]);
    assert_eq!(Start::named("ring-3").unwrap().rows(), ["ooo", "o.o", "ooo"]);
    for (name, points) in [("cross-3", 24), ("cross-5", 48), ("cross-7", 72), ("ring-10", 36), ("ring-20", 76)] {
        let start: Start = name.parse().unwrap();
        assert_eq!(
            (start.points(Variant::T5).len(), start.name(), start.to_string()),
            (points, name.into(), name.into())
        );
        assert_eq!(start.symmetries(Variant::T5).len(), 8, "{name}");
    }
    // The cross of the variant is the cross, however it is drawn; that of another one is not.
    let drawn: Start = whole.join("/").parse().unwrap();
    assert_eq!(drawn.clone().for_variant(Variant::D5), Start::CROSS);
    assert!(!drawn.clone().for_variant(Variant::T4).is_cross());
    assert!(Start::named("cross-3").unwrap().for_variant(Variant::D4).is_cross());
    for text in ["cross-1", "cross-8", "ring-2", "ring-21", "cross-x", "ring-", "square"] {
        assert_eq!(Start::named(text), None, "{text}");
    }
    // Blanks, comments, other marks, empty rows and rows and columns at the edge without a point.
    let same = ["\u{feff}# two points\r\n\r\n  .x..\r\n....\r\n   *\r\n", "o./../.o", "#\no.\n\n o"]
        .map(|text| text.parse());
    let [a, b, c] = same.map(|start: Result<Start, StartError>| start.unwrap());
    assert_eq!((a.rows(), &b), (vec!["o".to_owned(), ".".to_owned(), "o".to_owned()], &c));
    assert_eq!((b.rows().join("/"), b.name()), ("o./../.o".to_owned(), "2 points".to_owned()));
    assert_eq!(b.to_string().parse::<Start>().unwrap(), b);
    let json = serde_json::to_string(&b).unwrap();
    assert_eq!((json.as_str(), serde_json::from_str::<Start>(&json).unwrap()), (r#"["o.","..",".o"]"#, b));
    assert_eq!(serde_json::from_str::<Start>("[]").unwrap(), Start::CROSS);
    assert_eq!(serde_json::to_string(&Start::CROSS).unwrap(), "[]");
    for (text, message) in [
        ("", "it has no points"),
        ("...\n#ooo\n", "it has no points"),
        ("oo\no.q\n", "line 2, column 3: 'q' is not a point"),
        ("# a\n\too", "line 2, column 1: '\\t' is not a point"),
        (&format!("o{}o", ".".repeat(29)), "it takes 31 columns and 1 rows; at most 30"),
        (&format!("o{}o", "\n".repeat(30)), "it takes 1 columns and 31 rows; at most 30"),
        (&format!("{}o", "oooooooooo\n".repeat(10)), "more than 100 points"),
        (&"o".repeat(10_000), "more than 100 points"),
    ] {
        let error = text.parse::<Start>().unwrap_err().to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
    for json in [
        r#"["q"]"#,
        r##"["#o"]"##,
        r#"["o\no"]"#,
        r#"[""]"#,
        r#"["..."]"#,
        r#"["o...............................o"]"#,
        "7",
    ] {
        assert!(serde_json::from_str::<Start>(json).is_err(), "{json}");
    }
    assert!(Start::of_points([(i32::MIN, 0), (i32::MAX, 0)]).is_err());
    assert_eq!(Start::of_points([(i32::MAX, i32::MIN)]).unwrap().rows(), ["o"]);
}

/// Points carried to themselves by a symmetry about the middle of a box.
fn symmetric_points(rng: &mut Rng, symmetry: GridSymmetry) -> BTreeSet<(i32, i32)> {
    let columns = rng.random_range(5..=10);
    let square = matches!(symmetry, GridSymmetry::Falling | GridSymmetry::Rising);
    let rows = if square { columns } else { rng.random_range(5..=10) };
    let (right, bottom) = (columns - 1, rows - 1);
    let image = |(x, y): (i32, i32)| match symmetry {
        GridSymmetry::Central => (right - x, bottom - y),
        GridSymmetry::Horizontal => (x, bottom - y),
        GridSymmetry::Vertical => (right - x, y),
        GridSymmetry::Falling => (y, x),
        GridSymmetry::Rising => (bottom - y, right - x),
    };
    let half = random_points(rng, columns, rows, 0.35);
    half.iter().copied().chain(half.iter().map(|&point| image(point))).take(MOST_POINTS).collect()
}

#[test]
fn symmetries_of_starts_are_seen_and_keys_are_those_of_grids_up_to_them() {
    let mut keys = HashSet::new();
    for (at, symmetry) in GridSymmetry::ALL.into_iter().enumerate() {
        for case in 0..6 {
            let rng = &mut seed::rng(SEED, &[2, at as u64, case]);
            let points = symmetric_points(rng, symmetry);
            let start: Start = picture(&points).parse().unwrap();
            let variant = Variant::ALL[case as usize % 4];
            assert!(start.has(symmetry.symmetry(), variant), "{symmetry}, case {case}\n{}", picture(&points));
            let mut fewer = points.clone();
            let gone = points.iter().copied().find(|&(x, y)| (x, y) != (0, 0)).unwrap();
            fewer.remove(&gone);
            let game: Vec<Move> = with_rules!(variant, R => {
                let mut position = start.position::<R>();
                while position.score() < 12 && !position.moves().is_empty() {
                    position.play(position.moves()[rng.random_range(0..position.moves().len())]);
                }
                position.played().to_vec()
            });
            let key = canonical_key_from(&start, variant, &game);
            assert!(keys.insert((key, variant.line_len())));
            assert_ne!(key, canonical_key(variant, &game));
            let centre = start.centre(variant);
            for own in start.symmetries(variant) {
                let image: Vec<Move> = game.iter().rev().map(|&mv| own.image(centre, mv).unwrap()).collect();
                assert_eq!(canonical_key_from(&start, variant, &image), key, "{own:?}");
                let turned = Grid::from_start(start.clone(), variant, game.clone()).image(own).unwrap();
                assert_eq!((turned.start, turned.moves.len()), (start.clone(), game.len()));
            }
            // Turned in any way the grid stays legal, from the turned start.
            for any in Symmetry::ALL {
                let turned = Grid::from_start(start.clone(), variant, game.clone()).image(any).unwrap();
                replay_from(&turned.start, variant, &turned.moves).unwrap();
                assert_eq!(turned.image(any.inverse()).unwrap().moves, game, "{any:?}");
            }
        }
    }
    let cross = Start::CROSS;
    assert_eq!(canonical_key_from(&cross, Variant::T5, &[]), 0x6303_3B0C_A389_C35A, "as files have it");
}

/// What a search reports; it stops after so many polls.
struct Watch<'a> {
    start: &'a Start,
    variant: Variant,
    polls: u32,
    best: Vec<Move>,
    saved: Option<Vec<u8>>,
}

impl Ctl<Move> for Watch<'_> {
    fn poll(&mut self, _: u64, _: u32) -> Signal {
        self.polls = self.polls.saturating_sub(1);
        if self.polls == 0 { Signal::Stop } else { Signal::Continue }
    }

    fn offer_checkpoint(&mut self, save: &mut dyn FnMut() -> Vec<u8>) {
        self.saved = Some(save());
    }

    fn improved(&mut self, moves: &[Move], _: u64) {
        replay_from(self.start, self.variant, moves).unwrap();
        self.best = moves.to_vec();
    }

    fn keep_from(&self) -> u32 {
        10
    }

    fn found(&mut self, moves: &[Move], _: u64) {
        replay_from(self.start, self.variant, moves).unwrap();
    }
}

/// Runs a search; with `stops`, it stops at each poll, is saved and continued.
fn searched(params: &Params, variant: Variant, unit: &Unit, stops: bool) -> (Vec<Move>, u32, End) {
    let polls = if stops { 1 } else { u32::MAX };
    let mut watch = Watch { start: &params.start, variant, polls, best: Vec::new(), saved: None };
    let mut search = start(variant, params, unit);
    loop {
        let end = search.run(&mut watch);
        if end != End::Stopped {
            let best = search.best();
            return (watch.best, best, end);
        }
        search = resume(variant, params, unit, &search.save()).unwrap();
        watch.polls = 2;
    }
}

fn small_params(strategy: Strategy, start: Start) -> Params {
    let row = strategy.row();
    Params { start, level: row.uses("level").then_some(1), iterations: Some(5), ..row.params() }
}

/// Iterations that take little time: so many games, or what comes to about as much.
fn few(row: &StrategyRow, games: u64) -> u64 {
    match row.name {
        "dfs" => 2_000,
        "relax" => 28_000,
        _ => games,
    }
}

fn small_unit(prefix: Vec<Move>, seed: u64, max_iterations: u64) -> Unit {
    Unit { prefix, candidates: None, seed, max_iterations: Some(max_iterations), known_best: 0 }
}

#[test]
fn every_search_finds_legal_games_from_random_starts_and_continues_where_it_was_stopped() {
    for (at, row) in Strategy::all().enumerate() {
        for case in 0..2 {
            // Two of the variants, others for the next strategy.
            let variant = Variant::ALL[(at + 2 * case as usize) % 4];
            let rng = &mut seed::rng(SEED, &[3, at as u64, case]);
            let (points, what) = (random_points(rng, 9, 8, 0.5), format!("{} {variant}", row.name));
            let start: Start = picture(&points).parse().unwrap();
            let params = small_params(row.strategy, start.clone());
            // Some begin after moves.
            let prefix = with_rules!(variant, R => {
                let mut position = start.position::<R>();
                while position.score() < case as u32 && !position.moves().is_empty() {
                    position.play(position.moves()[rng.random_range(0..position.moves().len())]);
                }
                position.played().to_vec()
            });
            let unit = small_unit(prefix, case, few(row, 240));
            let (moves, best, end) = searched(&params, variant, &unit, false);
            assert!(moves.starts_with(&unit.prefix) && moves.len() as u32 == best && best > 5, "{what}: {best}");
            let again = searched(&params, variant, &unit, true);
            assert_eq!((again.0.len() as u32, again.1, again.2), (best, best, end), "{what}");
        }
    }
}

#[test]
fn symmetric_searches_find_symmetric_grids_from_symmetric_starts() {
    for row in Strategy::all().filter(|row| row.uses("symmetry")) {
        for (at, symmetry) in GridSymmetry::ALL.into_iter().enumerate() {
            for variant in [Variant::T5, Variant::D4] {
                let rng = &mut seed::rng(SEED, &[4, at as u64]);
                let start: Start = picture(&symmetric_points(rng, symmetry)).parse().unwrap();
                let params = Params { symmetry: Some(symmetry), ..small_params(row.strategy, start.clone()) };
                let (moves, best, _) = searched(&params, variant, &small_unit(Vec::new(), 1, 2_000), false);
                assert!(
                    best > 0 && start.symmetries_of(variant, &moves).contains(&symmetry),
                    "{} {symmetry}",
                    row.name
                );
            }
        }
    }
}

/// Starts from which games are as long as searches follow them: blocks in 4T, whose games need not end.
#[test]
fn games_without_an_end_are_ended_and_leave_memory_alone() {
    let block: Start = "oooooooooo/".repeat(10).trim_end_matches('/').parse().unwrap();
    let mut longest = 0;
    for row in Strategy::all() {
        for variant in [Variant::T4, Variant::T5] {
            let params = small_params(row.strategy, block.clone());
            let (moves, best, end) = searched(&params, variant, &small_unit(Vec::new(), 1, few(row, 40)), false);
            assert_eq!(moves.len() as u32, best);
            assert!(end != End::Exhausted && best > 100, "{} {variant}: {best}", row.name);
            let most = block.longest_game(variant);
            assert!(best <= most, "{} {variant}: {best}", row.name);
            longest += u32::from(best == most);
        }
    }
    // In 4T, all searches that begin with whole games.
    assert!(longest >= 6, "{longest}");
}

/// A path that is as long as there is room for is not followed, and nobody says that every grid was seen.
#[test]
fn a_search_that_ends_games_does_not_say_that_it_has_seen_every_grid() {
    let block: Start = "oooooooooo/".repeat(10).trim_end_matches('/').parse().unwrap();
    let variant = Variant::T4;
    let position = block.position::<morpion::morpion::variant::T4>();
    let mut game = position;
    let rng = &mut seed::rng(SEED, &[5]);
    let longest = block.longest_game(variant);
    while game.score() < longest && !game.moves().is_empty() {
        game.play(game.moves()[rng.random_range(0..game.moves().len())]);
    }
    assert_eq!((game.score(), longest), (longest, 388));
    for strategy in [Strategy::Dfs, Strategy::Random, Strategy::Nmcs] {
        let params =
            Params { jumps: Jumps::none(), stall: StallTable(vec![]), ..small_params(strategy, block.clone()) };
        let (moves, best, end) = searched(&params, variant, &small_unit(game.played().to_vec(), 1, 1_000), false);
        assert_eq!((moves.len() as u32, best), (longest, longest));
        assert_ne!(end, End::Exhausted);
    }
}

/// The most moves of a grid, by all sets of lines one after the other; nothing if there are too many.
fn longest<R: Rules>(start: &Start) -> Option<u32> {
    let mut level: HashSet<Vec<Line>> = HashSet::from([Vec::new()]);
    for moves in 0.. {
        let mut next = HashSet::new();
        for lines in &level {
            let mut position = start.position::<R>();
            while let Some(&mv) = position.moves().iter().find(|mv| lines.contains(&mv.line())) {
                position.play(mv);
            }
            for mv in position.moves() {
                let mut lines = lines.clone();
                lines.push(mv.line());
                lines.sort_unstable();
                next.insert(lines);
            }
        }
        if next.is_empty() {
            return Some(moves);
        }
        if next.len() > 5_000 {
            return None;
        }
        level = next;
    }
    None
}

/// Depth-first search with all that it leaves out: symmetric first moves, orders of moves, dominated moves.
#[test]
fn exhaustive_searches_find_the_longest_grids_from_small_starts() {
    let mut compared = 0;
    for (variant, case) in Variant::ALL.into_iter().flat_map(|variant| (0..30).map(move |case| (variant, case))) {
        let rng = &mut seed::rng(SEED, &[6, variant as u64, case]);
        let (columns, rows) = (rng.random_range(3..=6), rng.random_range(3..=6));
        let points = match case % 2 {
            0 => random_points(rng, columns, rows, 0.5),
            _ => symmetric_points(rng, GridSymmetry::ALL[case as usize % 5]),
        };
        let start: Start = picture(&points).parse().unwrap();
        let Some(longest) = with_rules!(variant, R => longest::<R>(&start)) else { continue };
        let params =
            Params { jumps: Jumps::none(), stall: StallTable(vec![]), ..small_params(Strategy::Dfs, start.clone()) };
        let unit = Unit { seed: 1, ..Unit::default() };
        let (_, best, end) = searched(&params, variant, &unit, false);
        assert_eq!((best, end), (longest, End::Exhausted), "{variant}, case {case}\n{}", picture(&points));
        // One first move of each class under the symmetries of the start, and no others.
        let whole = Params { eliminate_dominated: false, ..params.clone() };
        let mut walk = prefix_walk(variant, &whole, &[], 1);
        while walk.next().is_some() {}
        let (symmetries, centre) = (start.symmetries(variant), start.centre(variant));
        let is_first = |mv: &&Move| symmetries.iter().all(|own| own.image(centre, **mv).unwrap() >= **mv);
        let classes = with_rules!(variant, R => start.position::<R>().moves().iter().filter(is_first).count());
        assert_eq!(walk.produced(), classes.max(1) as u64, "{variant}, case {case}\n{}", picture(&points));
        let mut walk = prefix_walk(variant, &params, &[], 2);
        let mut of_units = 0;
        while let Some(prefix) = walk.next() {
            let unit = Unit { prefix: prefix.moves, candidates: Some(prefix.candidates), ..Unit::default() };
            of_units = of_units.max(searched(&params, variant, &unit, false).1);
        }
        assert_eq!(of_units, longest, "{variant}, case {case}, by prefixes\n{}", picture(&points));
        compared += u32::from(longest > 1);
    }
    assert!(compared > 12, "{compared}");
}

fn game_from(start: &Start, variant: Variant, seed: u64) -> Grid {
    let rng = &mut seed::rng(seed, &[]);
    let moves = with_rules!(variant, R => {
        let mut position = start.position::<R>();
        while position.score() < 30 && !position.moves().is_empty() {
            position.play(position.moves()[rng.random_range(0..position.moves().len())]);
        }
        position.played().to_vec()
    });
    Grid::from_start(start.clone(), variant, moves)
}

#[test]
fn texts_hold_a_start_and_records_do_not() {
    for (variant, case) in Variant::ALL.into_iter().zip(0..) {
        let points = random_points(&mut seed::rng(SEED, &[7, case]), 9, 9, 0.5);
        let grid = game_from(&picture(&points).parse().unwrap(), variant, case);
        assert!(grid.score() > 3);
        let text = write(&grid, GridFormat::Pentasol).unwrap();
        let back = read(text.as_bytes(), None).unwrap();
        assert_eq!((&back.grid, back.warnings.len()), (&grid, 0), "{text}");
        // Elsewhere on the paper, with an empty row and column more.
        let corner = grid.start.corner(variant);
        let head = format!("start ({},{})\n", corner.x(), corner.y());
        let other = format!("start ({},{})\n....\n", corner.x() - 101, corner.y() + 6);
        let mut moved = text.replace(&head, &other);
        for row in grid.start.rows() {
            moved = moved.replace(&format!("\n{row}\n"), &format!("\n.{row}\n"));
        }
        let shift = |line: &str| match line.strip_prefix('(').and_then(|rest| rest.split_once([',', ')'])) {
            Some((x, rest)) => {
                let (y, rest) = rest.split_once(')').unwrap();
                format!("({},{}){rest}\n", x.parse::<i32>().unwrap() - 100, y.parse::<i32>().unwrap() + 7)
            }
            None => line.to_owned() + "\n",
        };
        let moved: String = moved.lines().map(shift).collect();
        assert_eq!(read(moved.as_bytes(), Some(variant)).unwrap().grid.moves, grid.moves, "{moved}");
        for format in [GridFormat::MsrCompact, GridFormat::MsrJson] {
            let error = write(&grid, format).unwrap_err().to_string();
            assert!(error.contains("MSR holds grids from the cross only") && error.contains("points"), "{error}");
        }
        // Without its start the moves are those of no grid.
        let bare: String =
            text.lines().filter(|line| !line.starts_with(['s', 'o', '.'])).collect::<Vec<_>>().join("\n");
        assert!(read(bare.as_bytes(), Some(variant)).is_err(), "{bare}");
        assert_eq!(best_orientation(&grid, &grid), None, "only grids from the cross are turned to fit");
    }
    // The cross drawn as a start is the cross, and is written as ever.
    let grid = game_from(&Start::CROSS, Variant::T5, 1);
    let text = write(&grid, GridFormat::Pentasol).unwrap();
    let rows = Start::named("cross-4").unwrap().rows().join("\n");
    let drawn = text.replace("\n(28,28)\n", &format!("\nstart (25,25)\n{rows}\n"));
    assert_ne!(drawn, text);
    let read_back = read(drawn.as_bytes(), None).unwrap().grid;
    assert_eq!(write(&read_back, GridFormat::Pentasol).unwrap(), text);
    for (text, message) in [
        ("start\noo\n", "line 1: 'start': the place of the start is expected"),
        ("start (1,1\no\n", "the place of the start is expected"),
        ("oo\n", "line 1: 'oo': a row of a start is expected after a line such as 'start (25,25)' only"),
        ("(28,28)\nstart (1,1)\no\n", "line 2: 'start (1,1)': the start is expected before the moves"),
        ("start (1,1)\no\n(28,28)\n", "line 3: '(28,28)': a reference point beside a start"),
        ("start (1,1)\no\nstart (1,1)\n", "line 3: 'start (1,1)': the start is expected before the moves, once"),
        ("start (1,1)\n...\n(1,1) - 0\n", "line 1: the start: it has no points"),
        ("start (1,1)\no\n(1,1) - 0\noo\n", "line 4: 'oo': a row of a start is expected"),
        ("start (1,1)\noooo\n(1,1) - 2\n", "(1,1) - 2: the point belongs to the start"),
        ("start (1,1)\nooo\n(4,1) - -2\n", "the line needs point"),
        ("start (1,1)\nooooooooooooooooooooooooooooooooooo\n", "the picture of the start is too large"),
        (&format!("start (1,1)\n{}", "oooooooooo\n".repeat(12)), "the picture of the start is too large"),
    ] {
        let error = read(text.as_bytes(), Some(Variant::T5)).unwrap_err().to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
    let one = read(b"start (1,1)\noooo\n(5,1) - -2\n", None).unwrap();
    assert_eq!((one.grid.variant, one.grid.score(), one.replays_as.len()), (Variant::D5, 1, 2));
    assert_eq!(one.grid.moves[0].direction(), Direction::Horizontal);
}

#[test]
fn the_default_start_leaves_no_trace_in_parameters() {
    let text = serde_json::to_string(&Params::default()).unwrap();
    assert!(!text.contains("start"), "{text}");
    let other = Params { start: Start::named("ring-4").unwrap(), ..Params::default() };
    let text = serde_json::to_string(&other).unwrap();
    assert!(text.contains(r#""start":["oooo","o..o","o..o","oooo"]"#), "{text}");
    assert_eq!(serde_json::from_str::<Params>(&text).unwrap(), other);
    assert_eq!(
        Position::<morpion::morpion::variant::T5>::new().moves(),
        Start::CROSS.position::<morpion::morpion::variant::T5>().moves()
    );
}

#[test]
fn hunts_begin_with_a_start_and_their_files_say_which() {
    let dir = temporary();
    let path = dir.path();
    fs::write(path.join("mine.txt"), "# a start\noooo\no..o\noooo.\noo.oo\n").unwrap();
    let out = succeed(
        path,
        "--start mine.txt --strategy nrpa --level 1 --workers 1 --runs 3 --keep-from 3 --dir a --plain",
    );
    assert!(out.starts_with("hunting 5T from 14 points with nrpa"), "{out}");
    assert!(!out.contains("RECORD") && !out.contains("record"), "{out}");
    let best = fs::read_to_string(path.join("a/best.txt")).unwrap();
    assert!(best.contains("\nstart (") && best.contains("\noooo.\n") && !path.join("a/best.msr").exists(), "{best}");
    let shown = succeed(path, "show a/best.txt");
    assert!(shown.starts_with("5T from 14 points, "), "{shown}");
    assert!(succeed(path, "verify a/best.txt").starts_with("a/best.txt: legal, 5T from 14 points"));
    let verified = succeed(path, "verify --json a/best.txt");
    assert!(verified.contains(r#""start": "14 points""#), "{verified}");
    let listed = succeed(path, "archive a");
    assert!(listed.contains("from 14 points") && listed.contains(" 0 new: 5T from 14 points"), "{listed}");
    let json = succeed(path, "archive a --json");
    assert!(json.contains(r#""start": "14 points""#) && json.contains(r#""record": null"#), "{json}");
    succeed(path, "archive a --limit 1 --export one --format psol");
    let exported = fs::read_dir(path.join("one")).unwrap().next().unwrap().unwrap();
    assert!(exported.file_name().to_string_lossy().starts_with("5T-14-points-"), "{exported:?}");
    assert!(fs::read_to_string(exported.path()).unwrap().contains("\nstart ("));
    let named = succeed(path, "identify a/best.txt");
    assert!(named.contains("5T from 14 points") && named.contains("no known record"), "{named}");
    succeed(path, "render a/best.txt --output a.svg");
    let picture = fs::read_to_string(path.join("a.svg")).unwrap();
    assert!(picture.contains("from 14 points") && !picture.contains("starting cross"));
    assert!(succeed(path, "stats a").contains("from 14 points"));
    refuse(path, "convert a/best.txt a.msr", "MSR holds grids from the cross only");
    refuse(path, "archive --compare a/best.txt a/best.txt", "only grids from the cross can be compared");
    // It continues from the same start.
    let out =
        succeed(path, "--start ring-10 --strategy random --workers 1 --max-iterations 3000 --dir b --plain --seed 1");
    assert!(out.starts_with("hunting 5T from ring-10 with random"), "{out}");
    // A grid to start from brings its start along; another one is refused.
    let out =
        succeed(path, "--init-file a/best.txt 2 --strategy random --workers 1 --max-iterations 100 --dir c --plain");
    assert!(out.starts_with("hunting 5T from 14 points from move 2"), "{out}");
    refuse(
        path,
        "--init-file a/best.txt 2 --start ring-10",
        "the grid to start from begins with 14 points, not with ring-10",
    );
    refuse(path, "--init-dir a --start ring-10", "there is no grid of 5T from ring-10 in it");
    let out = succeed(
        path,
        "--init-dir a --start mine.txt --strategy temper --workers 1 --max-iterations 99 --dir d --plain",
    );
    assert!(out.starts_with("hunting 5T from 14 points with temper"), "{out}");
    // Refusals.
    refuse(path, "--start nothing.txt", "there is no start and no file 'nothing.txt'");
    fs::write(path.join("bad.txt"), "ooo\no?o\n").unwrap();
    refuse(path, "--start bad.txt", "bad.txt: line 2, column 2: '?' is not a point");
    refuse(path, "--start o/o", "no line of 5 can be drawn from the start, 2 points");
    refuse(path, "--start mine.txt --symmetry central", "the start, 14 points, has no central symmetry");
    let out = succeed(
        path,
        "--start ring-10 --symmetry central --strategy temper --workers 1 --max-iterations 999 --dir e --plain",
    );
    assert!(out.starts_with("hunting 5T from ring-10 with temper, central symmetry"), "{out}");
    assert!(succeed(path, "show e/best.txt").lines().next().unwrap().contains("central"));
    // The cross by another name is the cross.
    let out = succeed(path, "--start cross-4 --strategy random --workers 1 --max-iterations 99 --dir f --plain");
    assert!(out.starts_with("hunting 5T with random") && path.join("f/best.msr").exists(), "{out}");
}
