//! Gomoku against its second implementation, against known counts, and against the laws of games; the forbidden
//! points of renju; the games of the thesis.

use morpion_engine::core::game::{Game, Side};
use morpion_engine::core::seed::{Rng, rng};
use morpion_engine::games::gomoku::board::GomokuBoard;
use morpion_engine::games::gomoku::naive::{NaiveGomoku, NaiveRules, Stone};
use morpion_engine::games::gomoku::notation::{parse_moves, parse_position, play_all, to_line};
use morpion_engine::games::gomoku::position::{GomokuMove, GomokuPosition};
use morpion_engine::games::gomoku::record::GomokuRecord;
use morpion_engine::games::gomoku::rules::{GomokuRules, RowRule};
use morpion_engine::games::gomoku::swap2::game::Swap2Game;
use morpion_engine::games::gomoku::symmetry;
use morpion_engine::solvers::perft::perft;
use rand::RngExt;
use std::collections::HashMap;

/// Points whose answers are compared where `MORPION_LONG_GOMOKU` is set.
const LONG: u64 = 500_000;

fn board(width: u8, height: u8) -> GomokuBoard {
    GomokuBoard::new(width, height).unwrap()
}

fn rules(rule: RowRule, win: u8) -> GomokuRules {
    GomokuRules::new(rule, win).unwrap()
}

/// Boards and rules of many kinds.
fn games() -> Vec<(GomokuBoard, GomokuRules)> {
    let mut games = Vec::new();
    for rule in RowRule::ALL {
        for (width, height) in [(15, 15), (20, 20), (5, 5), (7, 9), (6, 5)] {
            games.push((board(width, height), rules(rule, 5)));
        }
        if rule != RowRule::Renju {
            for (width, height, win) in
                [(3, 3, 3), (4, 4, 4), (4, 3, 2), (5, 1, 2), (1, 1, 1), (20, 3, 20), (6, 4, 3)]
            {
                games.push((board(width, height), rules(rule, win)));
            }
        }
    }
    games
}

fn naive_rules(rules: GomokuRules) -> NaiveRules {
    let rule = rules.rule();
    NaiveRules {
        win: rules.win().into(),
        black_longer: rule == RowRule::Free,
        white_longer: matches!(rule, RowRule::Free | RowRule::Renju),
        both_ends: rule == RowRule::Caro,
        forbidden: rule == RowRule::Renju,
    }
}

/// The same position as the naive one sees it.
fn naive(position: &GomokuPosition) -> NaiveGomoku {
    let board = position.board();
    let mut slow = NaiveGomoku::new(board.width().into(), board.height().into(), naive_rules(position.rules()));
    for (point, side) in position.stones() {
        let (x, y) = board.place(point);
        slow.rows[usize::from(y)][usize::from(x)] = if side == Side::First { Stone::Black } else { Stone::White };
    }
    slow.to_move = if position.side() == Side::First { Stone::Black } else { Stone::White };
    slow
}

fn winner_of(position: &GomokuPosition) -> Option<Stone> {
    position.winner().map(|side| if side == Side::First { Stone::Black } else { Stone::White })
}

/// A random legal move, near a stone more often than not, so that rows come about.
fn random_move(position: &GomokuPosition, moves: &[GomokuMove], rng: &mut Rng) -> GomokuMove {
    let board = position.board();
    let near = |m: &GomokuMove| {
        let (x, y) = board.place(m.0);
        let steps = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
        steps
            .filter_map(|(dx, dy)| board.point(x.checked_add_signed(dx)?, y.checked_add_signed(dy)?))
            .any(|point| position.stone(point).is_some())
    };
    for _ in 0..8 {
        let m = moves[rng.random_range(0..moves.len())];
        if near(&m) {
            return m;
        }
    }
    moves[rng.random_range(0..moves.len())]
}

#[test]
fn both_implementations_play_the_same_games() {
    for (board, rules) in games() {
        for seed in 0..if board.area() > 100 { 1 } else { 6 } {
            let mut rng = rng(seed, &[]);
            let mut fast = GomokuPosition::new(board, rules);
            let mut slow = naive(&fast);
            loop {
                let at = || format!("{board}, {rules}, seed {seed}:\n{fast}");
                fast.check();
                assert_eq!(naive(&fast), slow, "{}", at());
                assert_eq!(winner_of(&fast), slow.winner(), "{}", at());
                let mut moves = Vec::new();
                fast.moves(&mut moves);
                let places: Vec<(usize, usize)> =
                    moves.iter().map(|m| board.place(m.0)).map(|(x, y)| (x.into(), y.into())).collect();
                assert_eq!(places, slow.moves(), "{}", at());
                assert!(moves.iter().all(|&m| fast.check_move(m).is_ok()), "{}", at());
                let legal = (0..fast.codes()).filter(|&code| fast.check_move(GomokuMove(code)).is_ok());
                assert_eq!(legal.count(), moves.len(), "{}", at());
                if moves.is_empty() {
                    let sign = winner_of(&fast).map_or(0, |stone| if stone == slow.to_move { 1 } else { -1 });
                    assert_eq!(fast.outcome(), sign * GomokuPosition::POINT, "{}", at());
                    break;
                }
                let m = random_move(&fast, &moves, &mut rng);
                let (x, y) = board.place(m.0);
                fast.play(m);
                slow = slow.after((x.into(), y.into()));
            }
        }
    }
}

#[test]
fn games_keep_the_laws() {
    for (board, rules) in games() {
        let mut keys = HashMap::new();
        for seed in 0..if board.area() > 100 { 1 } else { 10 } {
            let plies = if board.area() > 100 { 40 } else { 400 };
            crate::laws::check(&GomokuPosition::new(board, rules), seed, plies, &mut keys);
        }
        // A choice changes no side, so bounds have to be those of both.
        if let (Ok(game), 30..) = (Swap2Game::new(board, rules), board.area()) {
            for seed in 0..10 {
                crate::laws::check(&game, seed, 12, &mut HashMap::new());
            }
        }
    }
}

#[test]
fn symmetric_positions_share_key_and_moves() {
    for (board, rules) in games() {
        for seed in 0..4 {
            let mut rng = rng(seed, &[]);
            let mut position = GomokuPosition::new(board, rules);
            let mut moves = Vec::new();
            for _ in 0..rng.random_range(1..40) {
                moves.clear();
                position.moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                let m = random_move(&position, &moves, &mut rng);
                position.play(m);
            }
            let key = position.symmetric_key();
            let carried = |position: &GomokuPosition, symmetry: u8| {
                let mut moves = Vec::new();
                position.moves(&mut moves);
                let mut codes: Vec<u16> = moves.iter().map(|&m| position.to_hashed(m, symmetry).0).collect();
                codes.sort_unstable();
                codes
            };
            for s in 0..symmetry::count(board) {
                let stones: Vec<(u16, Side)> =
                    position.stones().map(|(point, side)| (symmetry::apply(board, s, point), side)).collect();
                let image = GomokuPosition::from_stones(board, rules, &stones, position.side()).unwrap();
                let other = image.symmetric_key();
                let at = format!("{board}, {rules}, seed {seed}, symmetry {s}:\n{position}");
                assert_eq!(other.hash, key.hash, "{at}");
                assert_eq!(carried(&image, other.symmetry), carried(&position, key.symmetry), "{at}");
                assert_eq!(image.outcome(), position.outcome(), "{at}");
            }
        }
    }
}

/// Noughts and crosses has 255,168 games. Of them 1440 end at the fifth move, 5328 at the sixth, 47,952 at the
/// seventh, 72,576 at the eighth, the others at the ninth.
const PERFT_333: [u64; 10] = [1, 9, 72, 504, 3024, 15_120, 56_160, 154_944, 255_168, 255_168];

#[test]
fn counts_of_noughts_and_crosses_are_the_known_ones() {
    for rule in [RowRule::Five, RowRule::Free, RowRule::Caro] {
        let mut start = GomokuPosition::new(board(3, 3), rules(rule, 3));
        for (depth, known) in (0..).zip(PERFT_333) {
            assert_eq!(perft(&mut start, depth), known, "{rule:?}, depth {depth}");
        }
    }
}

#[test]
fn counts_of_all_games_equal_the_naive_ones() {
    for (board, rules) in games() {
        let deepest = match board.area() {
            0..=12 => 6,
            13..=30 => 3,
            _ => 1,
        };
        for depth in 0..=deepest {
            let mut fast = GomokuPosition::new(board, rules);
            let slow = naive(&fast);
            assert_eq!(perft(&mut fast, depth), slow.perft(depth), "{board} {rules} depth {depth}");
        }
    }
    // No row of five is possible in two moves.
    let mut start = GomokuPosition::new(GomokuBoard::USUAL, GomokuRules::default());
    assert_eq!(perft(&mut start, 2), 225 * 224);
}

#[test]
fn a_row_wins_by_the_rule() {
    // Stones of black in a line of eleven with white ones beside them, the point to be tried, and who wins then.
    for (line, at, wins) in [
        (".XXXX......", 5, [true, true, true, true]),
        (".XX.XX.....", 3, [true, true, true, true]),
        (".XXX.XX....", 4, [false, true, false, false]),
        ("OXXXX.O....", 5, [true, true, true, false]),
        ("OXXXX......", 5, [true, true, true, true]),
        ("XXXX.O.....", 4, [true, true, true, true]),
        ("OXXXXX.O...", 6, [false, true, false, false]),
    ] {
        for (rule, wins) in RowRule::ALL.into_iter().zip(wins) {
            let rules = rules(rule, 5);
            for (turned, text) in [(false, line.to_owned()), (true, line.chars().map(|c| format!("{c}/")).collect())]
            {
                let position = parse_position(&text, rules, None).unwrap();
                let point = if turned { position.board().point(0, at) } else { position.board().point(at, 0) };
                assert_eq!(position.wins_at(point.unwrap(), Side::First), wins, "{line} {rule:?}");
            }
        }
    }
    // Two rows that one stone completes have won together, and one of six beside them has not.
    let rows = [(0, 2), (1, 2), (3, 2), (4, 2), (2, 0), (2, 1), (2, 3), (2, 4), (7, 5), (7, 6), (8, 6)];
    let mut crossed: Vec<(u16, Side)> =
        rows.iter().map(|&(x, y)| (GomokuBoard::USUAL.point(x, y).unwrap(), Side::First)).collect();
    crossed.extend((0..6).map(|x| (GomokuBoard::USUAL.point(x + 4, 9).unwrap(), Side::First)));
    let mut crossed =
        GomokuPosition::from_stones(GomokuBoard::USUAL, GomokuRules::default(), &crossed, Side::First).unwrap();
    assert!(crossed.winning_stones().is_empty());
    crossed.play(GomokuMove(GomokuBoard::USUAL.point(2, 2).unwrap()));
    let names: Vec<String> = crossed.winning_stones().into_iter().map(|m| GomokuBoard::USUAL.name(m)).collect();
    assert_eq!(names, ["c15", "c14", "a13", "b13", "c13", "d13", "e13", "c12", "c11"]);
    // White's long rows win in renju, black's do not.
    let position = parse_position("XXX.XX...../OOO.OO.....", rules(RowRule::Renju, 5), None).unwrap();
    let point = |y| position.board().point(3, y).unwrap();
    assert!(!position.wins_at(point(0), Side::First) && position.wins_at(point(1), Side::Second));
    assert!(position.is_forbidden(point(0)));
}

/// A position with these stones, black to move.
fn stones(black: &str, white: &str, rule: RowRule) -> GomokuPosition {
    let usual = GomokuBoard::USUAL;
    let of = |text: &str, side| -> Vec<(u16, Side)> {
        parse_moves(usual, text).unwrap().into_iter().map(|point| (point, side)).collect()
    };
    let all = [of(black, Side::First), of(white, Side::Second)].concat();
    GomokuPosition::from_stones(usual, rules(rule, 5), &all, Side::First).unwrap()
}

#[test]
fn the_table_of_forbidden_points_holds() {
    let table = include_str!("renju.txt");
    let mut rows = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let [about, black, white, forbidden, allowed] =
            line.split(';').map(str::trim).collect::<Vec<_>>().try_into().unwrap();
        let position = stones(black, white, RowRule::Renju);
        let slow = naive(&position);
        for (points, expected) in [(forbidden, true), (allowed, false)] {
            for point in parse_moves(GomokuBoard::USUAL, points).unwrap() {
                let (x, y) = position.board().place(point);
                let name = position.board().name(point);
                assert_eq!(position.is_forbidden(point), expected, "{about}: {name}\n{position}");
                assert_eq!(slow.is_forbidden((x.into(), y.into())), expected, "naive, {about}: {name}\n{position}");
                assert_eq!(position.check_move(GomokuMove(point)).is_ok(), !expected, "{about}: {name}");
            }
        }
        rows += 1;
    }
    assert_eq!(rows, 19);
}

/// A board with random stones, black ones in clusters, so that many points are forbidden or nearly so.
fn crowded(rng: &mut Rng) -> GomokuPosition {
    let usual = GomokuBoard::USUAL;
    let mut stones: Vec<(u16, Side)> = Vec::new();
    let (cx, cy) = (rng.random_range(2..13), rng.random_range(2..13));
    for _ in 0..rng.random_range(8..40) {
        let (x, y): (i32, i32) = (cx + rng.random_range(-5..=5), cy + rng.random_range(-5..=5));
        let point = u8::try_from(x).ok().zip(u8::try_from(y).ok()).and_then(|(x, y)| usual.point(x, y));
        let side = if rng.random_range(0..10) < 7 { Side::First } else { Side::Second };
        if let Some(point) = point.filter(|&point| stones.iter().all(|stone| stone.0 != point)) {
            stones.push((point, side));
        }
    }
    GomokuPosition::from_stones(usual, rules(RowRule::Renju, 5), &stones, Side::First)
        .unwrap_or_else(|_| GomokuPosition::new(usual, rules(RowRule::Renju, 5)))
}

#[test]
fn forbidden_points_are_those_of_the_naive_implementation() {
    let wanted = if std::env::var_os("MORPION_LONG_GOMOKU").is_some() { LONG } else { 4000 };
    let (mut compared, mut forbidden, mut seed) = (0, 0, 0);
    while compared < wanted {
        seed += 1;
        let position = crowded(&mut rng(seed, &[]));
        let slow = naive(&position);
        for point in position.board().points().filter(|&point| position.stone(point).is_none()) {
            let (x, y) = position.board().place(point);
            let fast = position.is_forbidden(point);
            let at = position.board().name(point);
            assert_eq!(fast, slow.is_forbidden((x.into(), y.into())), "seed {seed}, {at}:\n{position}");
            compared += 1;
            forbidden += u64::from(fast);
        }
    }
    assert!(forbidden * 500 > compared, "{forbidden} of {compared} points are forbidden");
}

#[test]
fn the_games_of_the_thesis_end_in_five_for_their_winner() {
    let mut plies = Vec::new();
    for line in include_str!("games.txt").lines().filter(|line| !line.starts_with('#')) {
        let [winner, length, text] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let moves = parse_moves(GomokuBoard::USUAL, text).unwrap();
        let mut position = GomokuPosition::new(GomokuBoard::USUAL, GomokuRules::default());
        let (&last, rest) = moves.split_last().unwrap();
        play_all(&mut position, rest).unwrap();
        assert_eq!((position.winner(), position.winning_stones()), (None, Vec::new()));
        play_all(&mut position, &[last]).unwrap();
        position.check();
        let expected = if winner == "black" { Side::First } else { Side::Second };
        assert_eq!(position.winner(), Some(expected), "{line}\n{position}");
        let won = position.winning_stones();
        assert!(won.len() >= 5 && won.contains(&last) && won.iter().all(|&m| position.stone(m) == Some(expected)));
        assert_eq!(naive(&position).winner(), winner_of(&position));
        assert_eq!(length, moves.len().to_string());
        let record = GomokuRecord::of(GomokuBoard::USUAL, &moves.iter().map(|&m| GomokuMove(m)).collect::<Vec<_>>());
        for file in [record.to_psq().unwrap(), record.to_sgf(), to_line(&position)] {
            assert_eq!(parse_position(&file, GomokuRules::default(), None).as_ref(), Ok(&position), "{file}");
        }
        plies.push(moves.len());
    }
    assert_eq!(plies, [58, 19, 66, 15, 18, 40, 61, 50, 49, 27, 45]);
}

/// Tiny games have known values; the naive implementation tries everything.
#[test]
fn values_of_tiny_games_are_the_known_ones() {
    for (width, height, win, value) in
        [(3, 3, 3, 0), (2, 2, 2, 1), (3, 2, 2, 1), (1, 1, 1, 1), (3, 2, 3, 0), (4, 2, 3, 0)]
    {
        let slow = naive(&GomokuPosition::new(board(width, height), rules(RowRule::Free, win)));
        assert_eq!(slow.solve(), value, "{width}x{height}, {win} in a row");
    }
}
