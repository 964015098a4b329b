//! Tests of the player of patterns: its table against text, its search against plain minimax, and what it sees.

use super::patterns::{KEYS, PATTERN_ROW, PatternSums, PatternTable, VALUED, key_of};
use super::position::{AttackWeights, PatternPosition};
use super::*;
use crate::core::game::Value;
use crate::core::seed::rng;
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::notation::parse_position;
use crate::games::gomoku::rules::RowRule;
use crate::solvers::monitor::Monitor;
use crate::solvers::negascout::negascout;
use crate::solvers::search::LOWEST;
use crate::solvers::wander::wander;
use rand::RngExt;

fn rules(rule: RowRule) -> GomokuRules {
    GomokuRules::new(rule, PATTERN_ROW).unwrap()
}

fn empty(width: u8, height: u8) -> GomokuPosition {
    GomokuPosition::new(GomokuBoard::new(width, height).unwrap(), rules(RowRule::Five))
}

fn position(text: &str) -> GomokuPosition {
    parse_position(text, rules(RowRule::Five), None).unwrap()
}

/// The lines of a board as text, each with the names of its points.
fn lines(position: &GomokuPosition) -> Vec<(String, Vec<u16>)> {
    let board = position.board();
    let (width, height) = (i32::from(board.width()), i32::from(board.height()));
    let mut all = Vec::new();
    for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let inside = |x: i32, y: i32| (0..width).contains(&x) && (0..height).contains(&y);
            if inside(x - dx, y - dy) {
                continue;
            }
            let places = (0..).map(|n| (x + n * dx, y + n * dy)).take_while(|&(x, y)| inside(x, y));
            let points: Vec<u16> = places.map(|(x, y)| board.point(x as u8, y as u8).unwrap()).collect();
            let text = points.iter().map(|&point| match position.stone(point) {
                None => '0',
                Some(side) if side == position.side() => '1',
                Some(_) => '2',
            });
            all.push((text.collect(), points.clone()));
        }
    }
    all
}

#[test]
fn the_table_is_what_the_lines_as_text_say() {
    let (mut random, table) = (rng(3, &[]), PatternTable::usual());
    assert_eq!(key_of("22222") + 1, KEYS);
    for n in 0..60u32 {
        let start = if n % 2 == 0 { empty(9, 9) } else { empty(11, 6) };
        let position = wander(start, random.random_range(0..50), &mut random);
        let (mut sums, mut searched) = (PatternSums::default(), Vec::new());
        for (text, points) in lines(&position) {
            for at in 0..(text.len() + 1).saturating_sub(5) {
                let window = &text[at..at + 5];
                for (pattern, value) in VALUED {
                    sums.own += Value::from(window == pattern) * value;
                    sums.enemy += Value::from(window == pattern.replace('1', "2")) * value;
                }
                let stones = window.replace('0', "");
                let of_one = !(stones.contains('1') && stones.contains('2'));
                let one = stones.len() == 1 && &window[2..3] != "0";
                if of_one && (one || (2..=4).contains(&stones.len())) {
                    searched.extend((0..5).filter(|i| &window[*i..=*i] == "0").map(|i| points[at + i]));
                }
            }
        }
        assert_eq!(table.sums(&position), sums, "{n}\n{position}");
        searched.sort_unstable();
        searched.dedup();
        let mut points = table.points(&position);
        points.sort_unstable();
        assert_eq!(points, searched, "{n}\n{position}");
    }
}

/// Patterns end at the edges: stones at the end of a row and the beginning of the next are none.
#[test]
fn nothing_is_carried_over_an_edge() {
    let table = PatternTable::usual();
    // Two stones at the right end of a row, two at the left of the row below; white far away.
    let split = position("n9h1o9h3a8h5b8h7");
    let sums = table.sums(&split);
    assert_eq!(sums.own, 0, "no three points are together: {sums:?}");
}

fn minimax(position: &mut PatternPosition<'_>, depth: u32) -> Value {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    if moves.is_empty() {
        return position.outcome();
    }
    if depth == 0 {
        return position.heuristic();
    }
    let mut best = LOWEST;
    for m in moves {
        let undo = position.play(m);
        best = best.max(-minimax(position, depth - 1));
        position.undo(m, undo);
    }
    best
}

#[test]
fn negascout_finds_what_minimax_finds() {
    let (mut random, patterns) = (rng(4, &[]), PatternTable::usual());
    let mut player = ThesisPlayer::new().unwrap();
    let mut decided = 0;
    for n in 0..24u32 {
        let start = wander(empty(6, 6), random.random_range(6..24), &mut random);
        let depth = 1 + n % 3;
        let mut root = PatternPosition::new(&start, &patterns, AttackWeights::of(start.side(), depth));
        let exact = minimax(&mut root, depth);
        let (table, monitor) = (Table::new(LEAST_BYTES).unwrap(), Monitor::default());
        let mut search = NodeSearch::new(root.clone(), Parts::NONE, &table, None, &monitor);
        assert_eq!(negascout(&mut search, depth, LOWEST, -LOWEST).unwrap(), exact, "{n}\n{root}");
        // The player itself, where nothing is decided at a smaller depth.
        player.set_level(Level::new(depth as u8).unwrap());
        let mut budget = Budget { depth: u32::MAX, nodes: u64::MAX, time: &mut || 0.0 };
        let chosen = player.choose(&start, &mut budget, &mut |_| {}).unwrap();
        assert!(chosen.depth == depth || chosen.decided_in.is_some());
        decided += u32::from(chosen.decided_in.is_some());
        if chosen.depth == depth {
            assert_eq!(chosen.value, exact, "{n}\n{root}");
        }
    }
    assert!((1..24).contains(&decided), "{decided}");
}

fn chosen(level: u8, text: &str, nodes: u64) -> Chosen<GomokuMove> {
    let mut player = ThesisPlayer::new().unwrap();
    player.set_level(Level::new(level).unwrap());
    let mut budget = Budget { depth: u32::MAX, nodes, time: &mut || 0.0 };
    let asked = if text.is_empty() { empty(15, 15) } else { position(text) };
    player.choose(&asked, &mut budget, &mut |_| {}).unwrap()
}

#[test]
fn rows_are_completed_and_answered() {
    let name = |found: &Chosen<GomokuMove>| GomokuBoard::USUAL.name(found.line[0].0);
    // Four of black's, one end taken: it wins at once; a move later white answers.
    let four = "h8g8i8a1j8c1k8";
    let white = chosen(2, four, u64::MAX);
    assert_eq!(name(&white), "l8");
    let black = chosen(1, "h8g8i8a1j8c1k8e1", u64::MAX);
    assert_eq!((name(&black).as_str(), black.decided_in), ("l8", Some(1)));
    // Six in a row win nothing here, so the point between is no five: g8 makes exactly five.
    let found = chosen(1, "h8a1i8c1j8e1k8g1m8i1", u64::MAX);
    assert_eq!((name(&found).as_str(), found.decided_in), ("g8", Some(1)));
    // The first move is the middle, and hardly a budget is a move.
    assert_eq!(name(&chosen(3, "", u64::MAX)), "h8");
    assert_eq!(chosen(9, "h8", 1).line.len(), 1);
}

/// What a move changes: what the patterns of the side that makes it are worth, and those of the other side.
fn changed(before: &GomokuPosition, point: GomokuMove) -> (Value, Value) {
    let (table, mut after) = (PatternTable::usual(), before.clone());
    after.play(point);
    let (old, new) = (table.sums(before), table.sums(&after));
    (new.enemy - old.own, new.own - old.enemy)
}

/// The thesis measures on three situations: black is to move and defends, black attacks, and black still attacks at
/// small depths but defends at greater ones. It has pictures of them only. These were found in games of the player
/// against itself.
#[test]
fn situations_call_for_attack_or_defence() {
    const SITUATIONS: [(&str, &[&str], &str); 3] = [
        ("i8g10h10f10h8g11i9h11g9i11", &["f11"; 4], "DDDD"),
        ("g6j8g7f10f7g9f6h8i7h7h6i6", &["e6", "e6", "f8", "e6"], "AAAA"),
        ("g9g7g10g12f10h8f9h11e10h10h9i9", &["e9", "e9", "e9", "e9", "f6"], "AAAAD"),
    ];
    for (text, moves, aims) in SITUATIONS {
        let before = position(text);
        assert_eq!(before.side(), crate::core::game::Side::First);
        for ((level, &name), aim) in (1..).zip(moves).zip(aims.chars()) {
            let found = chosen(level, text, u64::MAX);
            assert_eq!((before.name(found.line[0]).as_str(), found.decided_in), (name, None), "{text} {level}");
            match (aim, changed(&before, found.line[0])) {
                ('A', (own, 0)) => assert!(own > 0, "{text} {level}: {own}"),
                ('D', (0, enemy)) => assert!(enemy < 0, "{text} {level}: {enemy}"),
                other => panic!("{text} {level}: {other:?}"),
            }
        }
    }
}

#[test]
fn other_rows_are_refused() {
    let rules = GomokuRules::new(RowRule::Five, 4).unwrap();
    assert!(ThesisPlayer::check(rules).unwrap_err().to_string().contains("five in a row, not for 4"));
    let four = GomokuPosition::new(GomokuBoard::USUAL, rules);
    let mut budget = Budget { depth: 1, nodes: 10, time: &mut || 0.0 };
    assert_eq!(ThesisPlayer::new().unwrap().choose(&four, &mut budget, &mut |_| {}), None);
}
