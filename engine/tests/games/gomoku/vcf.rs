//! Victory by continuous fours against a slow search that tries every answer; the windows against their check; the
//! values of small m,n,k games.

use morpion_engine::core::game::{Game, Side, Value};
use morpion_engine::core::seed::rng;
use morpion_engine::games::gomoku::board::GomokuBoard;
use morpion_engine::games::gomoku::naive::{NaiveGomoku, NaiveRules, Stone};
use morpion_engine::games::gomoku::notation::{moves_text, parse_moves, play_all};
use morpion_engine::games::gomoku::position::{GomokuMove, GomokuPosition};
use morpion_engine::games::gomoku::problems::parse_problems;
use morpion_engine::games::gomoku::rules::{GomokuRules, RowRule};
use morpion_engine::solvers::algorithm::{Algorithm, DepthFirst};
use morpion_engine::solvers::busy::Busy;
use morpion_engine::solvers::dfpn::Dfpn;
use morpion_engine::solvers::gomoku::engine::GomokuEngine;
use morpion_engine::solvers::gomoku::vcf::{VcfAnswer, VcfSearch};
use morpion_engine::solvers::gomoku::windows::{WindowBoard, WindowTable};
use morpion_engine::solvers::monitor::{Monitor, Stopped};
use morpion_engine::solvers::search::{LOWEST, Parts, Stats};
use morpion_engine::solvers::solve::{Engine, Goal, solve};
use morpion_engine::solvers::table::Table;
use rand::RngExt;
use rand::seq::SliceRandom;

/// The rules with windows.
const RULES: [RowRule; 3] = [RowRule::Five, RowRule::Free, RowRule::Renju];

fn rules(rule: RowRule, win: u8) -> GomokuRules {
    GomokuRules::new(rule, win).unwrap()
}

fn board(width: u8, height: u8) -> GomokuBoard {
    GomokuBoard::new(width, height).unwrap()
}

/// Whether the long form of a test is asked for.
fn is_long() -> bool {
    std::env::var_os("MORPION_LONG_GOMOKU").is_some()
}

fn naive(position: &GomokuPosition) -> NaiveGomoku {
    let (board, rule) = (position.board(), position.rules().rule());
    let rules = NaiveRules {
        win: position.rules().win().into(),
        black_longer: rule == RowRule::Free,
        white_longer: matches!(rule, RowRule::Free | RowRule::Renju),
        both_ends: false,
        forbidden: rule == RowRule::Renju,
    };
    let mut slow = NaiveGomoku::new(board.width().into(), board.height().into(), rules);
    for (point, side) in position.stones() {
        let (x, y) = board.place(point);
        slow.rows[usize::from(y)][usize::from(x)] = if side == Side::First { Stone::Black } else { Stone::White };
    }
    slow.to_move = if position.side() == Side::First { Stone::Black } else { Stone::White };
    slow
}

/// Whether the side to move wins with `moves` moves at most, each but the last of which threatens to win at once: by
/// trying every move and every answer.
fn wins_with(position: &NaiveGomoku, moves: u32) -> bool {
    let attacker = position.to_move;
    let all = position.moves();
    if all.iter().any(|&m| position.after(m).winner() == Some(attacker)) {
        return moves >= 1;
    }
    moves > 1
        && all.iter().any(|&m| {
            let mut threat = position.after(m);
            let answers = threat.moves();
            // What the attacker could do if the defender did nothing.
            threat.to_move = attacker;
            let threatens = threat.moves().into_iter().any(|five| threat.after(five).winner() == Some(attacker));
            let after = position.after(m);
            threatens
                && answers.iter().all(|&answer| {
                    let next = after.after(answer);
                    next.winner().is_none() && wins_with(&next, moves - 1)
                })
        })
}

/// A position with random stones near the middle, as many of black as of white or one more.
fn crowded(seed: u64, board: GomokuBoard, rules: GomokuRules) -> Option<GomokuPosition> {
    let mut rng = rng(seed, &[]);
    let count = rng.random_range(5..=board.area() * 5 / 11);
    let mut points: Vec<u16> = board.points().collect();
    let mut stones = Vec::new();
    for n in 0..count {
        let point = points.swap_remove(rng.random_range(0..points.len()));
        stones.push((point, if n % 2 == 0 { Side::First } else { Side::Second }));
    }
    let side = if count % 2 == 0 { Side::First } else { Side::Second };
    let position = GomokuPosition::from_stones(board, rules, &stones, side).ok()?;
    position.winner().is_none().then_some(position)
}

/// Checks that a line is play by the rules: fours, forced answers, and a row at the end.
fn check_line(position: &GomokuPosition, length: u32, line: &[u16]) {
    let attacker = position.side();
    let mut at = position.clone();
    let told = format!("{} in\n{position}", moves_text(position.board(), line));
    for (n, &point) in line.iter().enumerate() {
        assert_eq!(at.winner(), None, "{told}");
        assert!(at.check_move(GomokuMove(point)).is_ok(), "{told}");
        if n % 2 == 1 {
            // The defender had no row to complete, and the attacker's is completed there.
            assert!(at.wins_at(point, attacker), "{told}");
            let empty: Vec<u16> = at.board().points().filter(|&point| at.stone(point).is_none()).collect();
            assert!(empty.iter().all(|&point| !at.wins_at(point, attacker.other())), "{told}");
        }
        at.play(GomokuMove(point));
    }
    if at.winner().is_none() {
        // The defender may not play where it has to.
        assert_eq!((at.side(), at.rules().rule()), (Side::First, RowRule::Renju), "{told}");
        let mut completing =
            at.board().points().filter(|&point| at.stone(point).is_none() && at.wins_at(point, attacker));
        assert!(completing.all(|point| at.is_forbidden(point)), "{told}");
        assert_eq!(line.len() as u32, 2 * length - 3, "{told}");
    } else {
        assert_eq!((at.winner(), line.len() as u32), (Some(attacker), 2 * length - 1), "{told}");
    }
}

#[test]
fn the_search_agrees_with_one_that_tries_every_answer() {
    let (seeds, most) = if is_long() { (800, 4) } else { (30, 3) };
    let mut by_length = vec![0; most as usize + 1];
    for (width, height, win) in [(7, 7, 5), (8, 6, 5), (5, 5, 4), (4, 4, 3)] {
        for rule in RULES.into_iter().filter(|&rule| rule != RowRule::Renju || win == 5) {
            let rules = rules(rule, win);
            let table = WindowTable::new(board(width, height), rules).unwrap();
            let mut search = VcfSearch::new(&table);
            for seed in 0..seeds {
                let Some(position) = crowded(seed, board(width, height), rules) else { continue };
                let found = search.search(&position, &Monitor::default()).unwrap();
                let slow = naive(&position);
                let least = (1..=most).find(|&moves| wins_with(&slow, moves));
                let at = format!("{width}x{height}, {rules}, seed {seed}:\n{position}");
                match (&found, least) {
                    (Some(win), least) => {
                        assert_eq!(Some(win.length).filter(|&length| length <= most), least, "{at}");
                        check_line(&position, win.length, &win.line);
                    }
                    (None, least) => assert_eq!(least, None, "{at}"),
                }
                by_length[least.unwrap_or(0) as usize] += 1;
                let mut windows = WindowBoard::new(&table, &position);
                let limited = search.search_on(&position, &mut windows, usize::MAX);
                windows.check(&position);
                assert_eq!(limited, found.map_or(VcfAnswer::NoWin, VcfAnswer::Win), "{at}");
            }
        }
    }
    assert!(by_length.iter().all(|&count| count > 2), "victories by their length: {by_length:?}");
}

#[test]
fn windows_follow_the_stones() {
    for (width, height, win) in [(15, 15, 5), (20, 20, 5), (5, 9, 4), (6, 6, 3), (20, 7, 7), (4, 4, 5), (3, 3, 3)] {
        for rule in RULES.into_iter().filter(|&rule| rule != RowRule::Renju || win == 5) {
            let rules = rules(rule, win);
            let table = WindowTable::new(board(width, height), rules).unwrap();
            for seed in 0..3 {
                let mut rng = rng(seed, &[]);
                let mut position = GomokuPosition::new(board(width, height), rules);
                let mut windows = WindowBoard::new(&table, &position);
                let mut played = Vec::new();
                for _ in 0..rng.random_range(1..=u32::from(board(width, height).area())) {
                    let mut moves = Vec::new();
                    position.moves(&mut moves);
                    if moves.is_empty() {
                        break;
                    }
                    let m = moves[rng.random_range(0..moves.len())];
                    windows.put(m.0, position.side());
                    played.push((m, position.side(), position.play(m)));
                }
                windows.check(&position);
                for colour in [Side::First, Side::Second] {
                    let completing =
                        |&point: &u16| position.stone(point).is_none() && position.wins_at(point, colour);
                    let all: Vec<u16> = position.board().points().filter(completing).collect();
                    let found: Vec<u16> = windows.completions(colour).into_iter().flatten().collect();
                    assert_eq!(found.len(), all.len().min(2), "{rules}, seed {seed}:\n{position}");
                    assert!(found.iter().all(|point| all.contains(point)), "{rules}, seed {seed}:\n{position}");
                }
                while let Some((m, side, undo)) = played.pop() {
                    position.undo(m, undo);
                    windows.take(m.0, side);
                }
                windows.check(&position);
            }
        }
    }
}

/// With a limit, what is found is the same however the stones came onto the board.
#[test]
fn what_a_limited_search_finds_depends_on_the_position_alone() {
    let (rules, board) = (rules(RowRule::Five, 5), board(15, 15));
    let table = WindowTable::new(board, rules).unwrap();
    let mut search = VcfSearch::new(&table);
    let (mut wins, mut unknown) = (0, 0);
    for seed in 0..if is_long() { 2_000 } else { 200 } {
        let Some(position) = crowded(seed, board, rules) else { continue };
        let empty = GomokuPosition::new(board, rules);
        let mut stones: Vec<(u16, Side)> = position.stones().collect();
        for limit in [2, 5, 20, 100] {
            let mut found = Vec::new();
            for order in 0..4 {
                stones.shuffle(&mut rng(seed, &[order]));
                let mut windows = WindowBoard::new(&table, &empty);
                stones.iter().for_each(|&(point, colour)| windows.put(point, colour));
                windows.check(&position);
                found.push(search.search_on(&position, &mut windows, limit));
            }
            assert!(
                found.iter().all(|other| *other == found[0]),
                "seed {seed}, limit {limit}: {found:?}\n{position}"
            );
            wins += u32::from(matches!(found[0], VcfAnswer::Win(_)));
            unknown += u32::from(found[0] == VcfAnswer::Unknown);
        }
    }
    assert!(wins > 100 && unknown > 10, "{wins} victories, {unknown} unknown");
}

/// Black stones, white stones, the rule, and the least number of moves of black, 0 if there is no victory.
const TRAPS: [(&str, &str, RowRule, u32); 12] = [
    // A four with both ends open wins with two moves.
    ("f8g8h8", "a1a2", RowRule::Five, 2),
    // Beside another own stone one end makes a row of six: nothing in exact five, a victory in free-style.
    ("d8f8g8h8", "i8a1a2", RowRule::Five, 1),
    ("c8d8f8g8h8", "i8a1a2", RowRule::Five, 0),
    ("c8d8f8g8h8", "i8a1a2", RowRule::Free, 1),
    // Two fours at once.
    ("e8f8g8h5h6h7", "d8h4a1", RowRule::Five, 2),
    ("e8f8g8h5h6h7", "d8h4a1", RowRule::Renju, 0),
    // White completes a row of its own first.
    ("e8f8g8h5h6h7", "d8h4a1a2a3a4", RowRule::Five, 0),
    // The point that completes white's row makes a four of black, too, so black goes on.
    ("e8f8g8h5h6h7b5c5d5", "d8h4a1a2a3a4", RowRule::Five, 3),
    // A point of white that would make six threatens nothing in exact five.
    ("e8f8g8h5h6h7", "d8h4a1a2a3a5a6", RowRule::Five, 2),
    ("e8f8g8h5h6h7", "d8h4a1a2a3a5a6", RowRule::Free, 0),
    // The stone that would make a four with one row makes the other too long.
    ("e8f8g8i8j8", "c8k8", RowRule::Five, 0),
    ("", "", RowRule::Five, 0),
];

#[test]
fn the_traps_are_known() {
    for (black, white, rule, length) in TRAPS {
        let rules = rules(rule, 5);
        let of = |text: &str, side| -> Vec<(u16, Side)> {
            parse_moves(GomokuBoard::USUAL, text).unwrap().into_iter().map(|point| (point, side)).collect()
        };
        let stones = [of(black, Side::First), of(white, Side::Second)].concat();
        let position = GomokuPosition::from_stones(GomokuBoard::USUAL, rules, &stones, Side::First).unwrap();
        let table = WindowTable::new(GomokuBoard::USUAL, rules).unwrap();
        let found = VcfSearch::new(&table).search(&position, &Monitor::default()).unwrap();
        assert_eq!(found.as_ref().map_or(0, |win| win.length), length, "{rules}\n{position}");
        if let Some(win) = found {
            check_line(&position, win.length, &win.line);
        }
    }
}

#[test]
fn what_has_no_windows_is_refused_and_stops_are_heeded() {
    let usual = GomokuBoard::USUAL;
    for (rule, win, reason) in [
        (RowRule::Caro, 5, "caro is not supported here"),
        (RowRule::Free, 8, "rows of 8 are not"),
        (RowRule::Five, 2, "rows of 2"),
    ] {
        let error = WindowTable::new(usual, rules(rule, win)).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let rules = rules(RowRule::Five, 4);
    let table = WindowTable::new(board(15, 15), rules).unwrap();
    // Many threes far from each other: more positions than the budget has.
    let mut stones = Vec::new();
    for (x, y) in (0..4).flat_map(|x| (0..7).map(move |y| (4 * x, 2 * y))) {
        stones.push((usual.point(x, y).unwrap(), Side::First));
        stones.push((usual.point(x + 1, y).unwrap(), Side::First));
        stones.extend(usual.point(x + 2, y).filter(|_| x < 12).map(|point| (point, Side::Second)));
    }
    let position = GomokuPosition::from_stones(usual, rules, &stones, Side::Second).unwrap();
    let position = GomokuPosition::from_stones(usual, rules, &stones, position.side().other()).unwrap();
    let monitor = Monitor::default();
    monitor.stop();
    let mut search = VcfSearch::new(&table);
    // A search that is shorter than the time between two reports answers; a longer one stops.
    match search.search(&position, &monitor) {
        Ok(_) => assert!(search.visited() < 2000),
        Err(stopped) => assert_eq!(stopped, Stopped::Asked),
    }
    let mut windows = WindowBoard::new(&table, &position);
    let limited = search.search_on(&position, &mut windows, 0);
    assert!(matches!(limited, VcfAnswer::Unknown | VcfAnswer::Win(_)), "{limited:?}");
    windows.check(&position);
}

/// The positions of a file, if `MORPION_VCF_SUITE` names one: existence and length agree for all.
#[test]
fn a_suite_is_answered_without_mistake() {
    let Some(file) = std::env::var_os("MORPION_VCF_SUITE") else { return };
    let (usual, rules) = (GomokuBoard::USUAL, GomokuRules::default());
    let problems = parse_problems(usual, rules, &std::fs::read_to_string(file).unwrap()).unwrap();
    let table = WindowTable::new(usual, rules).unwrap();
    let mut search = VcfSearch::new(&table);
    for problem in problems {
        let found = search.search(&problem.position, &Monitor::default()).unwrap();
        let length = found.as_ref().map_or(0, |win| win.length);
        assert_eq!(Some(length), problem.known, "line {}:\n{}", problem.line, problem.position);
        if let Some(win) = found {
            check_line(&problem.position, win.length, &win.line);
        }
    }
}

fn exact<E: Engine<GomokuPosition>>(engine: &mut E, position: &GomokuPosition) -> Value {
    let solution = solve(engine, position, Goal::Exact, 0, true, 400, &mut |_| {}).unwrap();
    assert_eq!(solution.bounds.lower, solution.bounds.upper);
    assert!(!solution.best.is_empty() && !solution.line.is_empty());
    let mut end = position.clone();
    let line: Vec<u16> = solution.line.iter().map(|m| m.0).collect();
    play_all(&mut end, &line).unwrap();
    let sign = if end.side() == position.side() { 1 } else { -1 };
    assert_eq!(sign * end.outcome(), solution.bounds.lower, "the line ends with the value\n{end}");
    solution.bounds.lower / GomokuPosition::POINT
}

/// The value by every algorithm but minimax.
fn check_value(position: &GomokuPosition, value: i32, general: bool) {
    let monitor = Monitor::default();
    let new = || Table::new(64 << 20).unwrap();
    let (table, stats) = (new(), Stats::default());
    let busy = Busy::default();
    for busy in [None, Some(&busy)].into_iter().take(if general { 2 } else { 1 }) {
        let table = new();
        let mut own = GomokuEngine { table: &table, busy, monitor: &monitor, stats };
        assert_eq!(exact(&mut own, position), value, "{position}");
        // Every window is answered as it is asked.
        for alpha in [LOWEST, -150, -100, -99, -1, 0, 1, 99, 100] {
            for beta in [-100, -1, 0, 1, 100, -LOWEST].into_iter().filter(|&beta| alpha < beta) {
                let (found, known) = (own.value(position, alpha, beta).unwrap(), value * GomokuPosition::POINT);
                let right = match found {
                    found if found <= alpha => known <= found,
                    found if found >= beta => known >= found,
                    found => known == found,
                };
                assert!(right, "{found} within {alpha}..{beta} for {known}\n{position}");
            }
        }
    }
    if general {
        for algorithm in [Algorithm::NegaScout, Algorithm::Mtdf, Algorithm::AlphaBeta, Algorithm::Negamax] {
            let table = new();
            let (parts, monitor) = (Parts::ALL, &monitor);
            let mut engine = DepthFirst { algorithm, parts, table: &table, busy: None, monitor, stats };
            assert_eq!(exact(&mut engine, position), value, "{algorithm:?}\n{position}");
        }
        let mut dfpn = Dfpn { symmetry: true, bounds: true, table: &table, monitor: &monitor, stats };
        assert_eq!(exact(&mut dfpn, position), value, "df-pn\n{position}");
    }
}

/// Known values of m,n,k games: noughts and crosses, 4,4,4 and 5,5,4 are drawn, 4,3,3 and 6,5,4 are won.
#[test]
fn small_games_have_their_known_values() {
    let start = |width, height, rule, win| GomokuPosition::new(board(width, height), rules(rule, win));
    for rule in [RowRule::Five, RowRule::Free, RowRule::Caro] {
        check_value(&start(3, 3, rule, 3), 0, true);
        check_value(&start(2, 2, rule, 2), 1, true);
    }
    check_value(&start(4, 3, RowRule::Free, 3), 1, true);
    check_value(&start(4, 4, RowRule::Free, 4), 0, is_long());
    for (width, height, won) in [(5, 5, 0), (6, 5, 1)] {
        let position = start(width, height, RowRule::Free, 4);
        let (table, monitor) = (Table::new(64 << 20).unwrap(), Monitor::default());
        let mut own = GomokuEngine { table: &table, busy: None, monitor: &monitor, stats: Stats::default() };
        let value = own.value(&position, LOWEST, -LOWEST).unwrap();
        assert_eq!(value, won * GomokuPosition::POINT, "{width},{height},4");
        if is_long() {
            check_value(&position, won, false);
        }
    }
}

/// The engine agrees with the definition on positions with few empty points.
#[test]
fn the_engine_agrees_with_the_definition() {
    let seeds = if is_long() { 4000 } else { 300 };
    let mut by_value = [0; 3];
    for seed in 0..seeds {
        let mut rng = rng(seed, &[7]);
        let rule = RowRule::ALL[rng.random_range(0..4)];
        let win = if rule == RowRule::Renju { 5 } else { rng.random_range(3..=5) };
        let rules = rules(rule, win);
        let mut position = GomokuPosition::new(board(5, rng.random_range(4..=6)), rules);
        let left = rng.random_range(1..=7);
        let mut moves = Vec::new();
        while position.empty() > left {
            moves.clear();
            position.moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            position.play(moves[rng.random_range(0..moves.len())]);
        }
        moves.clear();
        position.moves(&mut moves);
        if moves.is_empty() {
            continue;
        }
        let value = value(&mut position);
        by_value[(value / GomokuPosition::POINT + 1) as usize] += 1;
        let (table, monitor) = (Table::new(1 << 12).unwrap(), Monitor::default());
        let mut own = GomokuEngine { table: &table, busy: None, monitor: &monitor, stats: Stats::default() };
        assert_eq!(own.value(&position, LOWEST, -LOWEST).unwrap(), value, "{rules}, seed {seed}:\n{position}");
    }
    assert!(by_value.iter().all(|&count| count > 2), "{by_value:?}");
}

/// The definition.
fn value(position: &mut GomokuPosition) -> Value {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let mut best = None;
    for m in moves {
        let undo = position.play(m);
        let value = -value(position);
        position.undo(m, undo);
        best = best.max(Some(value));
    }
    best.unwrap_or_else(|| position.outcome())
}
