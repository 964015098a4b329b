//! Defences: against all games on small boards, and what the checker refuses.

use super::positions::{after, play_randomly, rules};
use morpion::core::game::{Game, Side};
use morpion::core::seed::rng;
use morpion::games::gomoku::board::GomokuBoard;
use morpion::games::gomoku::position::{GomokuMove, GomokuPosition};
use morpion::games::gomoku::rules::RowRule;
use morpion::runner::planning::holding::{HoldNews, HoldReport, HoldTerms, find_defence};
use morpion::solvers::gomoku::engine::GomokuEngine;
use morpion::solvers::gomoku::hold::check::HoldCheck;
use morpion::solvers::gomoku::hold::pairing::{PairMemory, pair};
use morpion::solvers::gomoku::hold::rows::{HoldBoard, OpenRows, bits};
use morpion::solvers::gomoku::hold::search::{HoldAnswer, HoldSearch, Mover};
use morpion::solvers::monitor::Monitor;
use morpion::solvers::search::{LOWEST, Stats};
use morpion::solvers::solve::Engine;
use morpion::solvers::table::Table;
use rand::RngExt;
use std::collections::HashMap;
use std::sync::Mutex;

fn board(width: u8, height: u8) -> GomokuBoard {
    GomokuBoard::new(width, height).unwrap()
}

fn empty(width: u8, height: u8, win: u8) -> GomokuPosition {
    GomokuPosition::new(board(width, height), rules(RowRule::Free, win))
}

fn mover(position: &GomokuPosition, attacker: Side) -> Mover {
    if position.side() == attacker { Mover::Attacker } else { Mover::Defender }
}

/// All games in which only the attacker's rows count: stones by points, 0 for none, 1 for the attacker.
struct AllGames {
    width: usize,
    rows: Vec<Vec<usize>>,
    known: HashMap<(Vec<u8>, bool), bool>,
}

impl AllGames {
    fn new(width: usize, height: usize, win: usize) -> AllGames {
        let mut rows = Vec::new();
        for (x, y) in (0..height as i32).flat_map(|y| (0..width as i32).map(move |x| (x, y))) {
            for (dx, dy) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let places = (0..win as i32).map(|n| (x + n * dx, y + n * dy));
                let is_on = |&(x, y): &(i32, i32)| (0..width as i32).contains(&x) && (0..height as i32).contains(&y);
                if places.clone().all(|place| is_on(&place)) {
                    rows.push(places.map(|(x, y)| y as usize * width + x as usize).collect());
                }
            }
        }
        AllGames { width, rows, known: HashMap::new() }
    }

    fn stones(&self, position: &GomokuPosition, attacker: Side) -> Vec<u8> {
        let mut stones = vec![0; usize::from(position.board().area())];
        for (point, side) in position.stones() {
            let (x, y) = position.board().place(point);
            stones[usize::from(y) * self.width + usize::from(x)] = if side == attacker { 1 } else { 2 };
        }
        stones
    }

    fn holds(&mut self, stones: &mut Vec<u8>, is_attack: bool) -> bool {
        if self.rows.iter().any(|row| row.iter().all(|&point| stones[point] == 1)) {
            return false;
        }
        if let Some(&holds) = self.known.get(&(stones.clone(), is_attack)) {
            return holds;
        }
        let mut holds = true;
        let empty: Vec<usize> = (0..stones.len()).filter(|&point| stones[point] == 0).collect();
        for &point in &empty {
            stones[point] = if is_attack { 1 } else { 2 };
            holds = self.holds(stones, !is_attack);
            stones[point] = 0;
            if holds != is_attack {
                break;
            }
        }
        self.known.insert((stones.clone(), is_attack), holds);
        holds
    }
}

#[test]
fn small_boards_are_held_just_when_no_game_makes_a_row() {
    let mut rng = rng(61, &[]);
    let (mut held, mut lost) = (0, 0);
    let boards = [(3, 3, 3, 2), (4, 3, 3, 3), (4, 4, 3, 6), (4, 4, 4, 7), (5, 4, 4, 10), (6, 3, 4, 8)];
    for (width, height, win, plies) in boards {
        let mut all = AllGames::new(width, height, win);
        for round in 0..16 {
            let mut position = empty(width as u8, height as u8, win as u8);
            play_randomly(&mut position, plies - round % 3, &mut rng);
            for attacker in [Side::First, Side::Second] {
                // A row that is there is none that can be prevented.
                let Some((board, rows)) = HoldBoard::new(&position, attacker) else {
                    assert!(position.winner().is_some());
                    continue;
                };
                let monitor = Monitor::default();
                let mut search = HoldSearch::new(&board, &monitor, u64::MAX);
                let found = search.search(mover(&position, attacker), &rows).unwrap();
                let holds = all.holds(&mut all.stones(&position, attacker), position.side() == attacker);
                assert_eq!(found, if holds { HoldAnswer::Held } else { HoldAnswer::NotHeld }, "{position}");
                if holds {
                    let check = HoldCheck::new(&board, &mut search, &monitor, position.clone(), attacker);
                    assert!(check.check(&rows).unwrap().unwrap().positions <= 1_000, "{position}");
                }
                *(if holds { &mut held } else { &mut lost }) += 1;
            }
        }
    }
    assert!(held > 40 && lost > 40, "{held} {lost}");
}

#[test]
fn rows_follow_the_stones() {
    let mut rng = rng(62, &[]);
    for (width, height, win) in [(7, 7, 5), (8, 8, 5), (6, 5, 4), (9, 4, 3)] {
        for _ in 0..20 {
            let mut position = empty(width, height, win);
            let (board, mut rows) = HoldBoard::new(&position, Side::First).unwrap();
            for _ in 0..30 {
                let mut moves = Vec::new();
                position.moves(&mut moves);
                let m: GomokuMove = moves[rng.random_range(0..moves.len())];
                let bit = board.bit(m.0).unwrap();
                rows = if position.side() == Side::First { rows.attacked(bit) } else { rows.defended(bit) };
                position.play(m);
                let sorted = |rows: &OpenRows| {
                    let mut rows: Vec<u64> = rows.iter().collect();
                    rows.sort_unstable();
                    rows
                };
                let Some((anew, found)) = HoldBoard::new(&position, Side::First) else { break };
                assert_eq!(sorted(&rows), sorted(&found));
                assert!(board.key(&rows) == anew.key(&found));
                // What is better is on all rows, and is itself the best.
                for (bit, &other) in rows.better().iter().enumerate() {
                    let through = |bit: usize| rows.iter().filter(move |row| row >> bit & 1 != 0);
                    assert!(through(bit).all(|row| row >> other & 1 != 0));
                    assert_eq!(rows.better()[usize::from(other)], other);
                }
                if position.winner().is_some() {
                    break;
                }
            }
        }
    }
}

#[test]
fn pairings_have_a_pair_in_every_row() {
    let mut rng = rng(63, &[]);
    let (mut found, mut memory) = (0, PairMemory::default());
    for _ in 0..200 {
        let mut position = empty(7, 7, 5);
        let plies = rng.random_range(16..46);
        play_randomly(&mut position, plies, &mut rng);
        let Some((_, rows)) = HoldBoard::new(&position, Side::First) else { continue };
        let Ok(pairs) = pair(&rows, 1000, &mut memory) else { continue };
        found += 1;
        let all = pairs.iter().fold(0u64, |all, &(first, second)| all | 1 << first | 1 << second);
        assert_eq!(all.count_ones() as usize, 2 * pairs.len());
        for row in rows.iter() {
            assert!(pairs.iter().any(|&(first, second)| row >> first & row >> second & 1 != 0));
        }
    }
    assert!(found > 20, "{found}");
}

fn defence(position: &GomokuPosition, memory: u64, threads: usize) -> (HoldReport, Vec<HoldNews>) {
    let told = Mutex::new(Vec::new());
    let terms = HoldTerms { threads, memory, is_checked: true };
    let report =
        find_defence(position, Side::First, terms, &|| false, &|news, _| told.lock().unwrap().push(news.clone()));
    (report.unwrap(), told.into_inner().unwrap())
}

#[test]
fn seven_by_seven_is_held_against_five() {
    for threads in [1, 2] {
        let (report, told) = defence(&empty(7, 7, 5), 1 << 30, threads);
        // The ten points of an eighth of the board.
        assert_eq!((report.end, report.tasks, report.held, &report.hole), (HoldAnswer::Held, 10, 10, &None));
        assert_eq!(told.len(), 10);
        assert_eq!(
            report.checked.positions,
            told.iter().map(|news| news.checked.clone().unwrap().unwrap().positions).sum::<u64>()
        );
        assert!(report.checked.pairings > 1000 && report.checked.moves > report.checked.positions);
    }
    // The engine gets it by the same means.
    let (table, monitor, position) = (Table::new(1 << 24).unwrap(), Monitor::default(), empty(7, 7, 5));
    let mut engine = GomokuEngine { table: &table, busy: None, monitor: &monitor, stats: Stats::default() };
    assert_eq!(engine.value(&position, LOWEST, -LOWEST).unwrap(), 0);
    assert!(engine.stats().nodes < 100_000);
}

#[test]
fn what_is_not_held_is_told() {
    // Black makes three in a row on 3x3 if white's rows do not count, and wins 4x3 anyway.
    for position in [empty(3, 3, 3), empty(4, 3, 3)] {
        let (report, _) = defence(&position, 1 << 30, 1);
        assert_eq!(report.end, HoldAnswer::NotHeld);
        assert!(report.held < report.tasks);
    }
    // A little memory is not enough.
    let (report, told) = defence(&empty(7, 7, 5), HoldSearch::LEAST_MEMORY, 1);
    assert_eq!((report.end, report.tasks, told.len()), (HoldAnswer::Open, 10, 10));
    // On 15x15 there are too many rows.
    let terms = HoldTerms { threads: 1, memory: 1 << 20, is_checked: false };
    assert!(find_defence(&empty(15, 15, 5), Side::First, terms, &|| false, &|_, _| ()).is_none());
    // In renju black may not play everywhere.
    let renju = GomokuPosition::new(board(7, 7), rules(RowRule::Renju, 5));
    assert!(HoldBoard::new(&renju, Side::Second).is_none());
    assert!(HoldBoard::new(&renju, Side::First).is_some());
}

#[test]
fn a_defence_against_other_rows_is_refused() {
    let monitor = Monitor::default();
    let position = empty(6, 6, 5);
    let (board, rows) = HoldBoard::new(&position, Side::First).unwrap();
    let mut checks = 0;
    // Without one of the rows there is a defence all the more, but it does not hold on the board.
    for left_out in 0..rows.len() {
        let fewer: OpenRows = rows.iter().enumerate().filter(|&(n, _)| n != left_out).map(|(_, row)| row).collect();
        let mut search = HoldSearch::new(&board, &monitor, 1_000_000);
        assert_eq!(search.search(Mover::Attacker, &fewer).unwrap(), HoldAnswer::Held);
        let check = HoldCheck::new(&board, &mut search, &monitor, position.clone(), Side::First);
        checks += usize::from(check.check(&fewer).unwrap().is_err());
    }
    assert!(checks > rows.len() / 2, "{checks} of {}", rows.len());
    // Black has four in a row, and the search does not know of it.
    let four = after(self::board(6, 6), rules(RowRule::Free, 5), "a1a6b1b6c1c6d1");
    let mut search = HoldSearch::new(&board, &monitor, 1_000_000);
    search.search(Mover::Defender, &rows).unwrap();
    let hole = HoldCheck::new(&board, &mut search, &monitor, four, Side::First).check(&rows).unwrap().unwrap_err();
    assert!(hole.0.len() <= 2, "{hole:?}");
}

#[test]
fn sets_of_points_are_listed() {
    assert_eq!(bits(0).count(), 0);
    assert_eq!(bits(1 | 1 << 5 | 1 << 63).collect::<Vec<_>>(), [0, 5, 63]);
}
