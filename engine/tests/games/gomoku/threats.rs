//! Proofs by threats: against the engine on small boards, and every legal reply to every move of some proofs.

use super::positions::{after, play_randomly, rules};
use morpion_engine::core::game::{Game, Side};
use morpion_engine::core::seed::rng;
use morpion_engine::games::gomoku::board::GomokuBoard;
use morpion_engine::games::gomoku::position::{GomokuMove, GomokuPosition};
use morpion_engine::games::gomoku::rules::RowRule;
use morpion_engine::solvers::gomoku::engine::GomokuEngine;
use morpion_engine::solvers::gomoku::threats::{ThreatProofSize, ThreatSearch, ThreatTables};
use morpion_engine::solvers::gomoku::vcf::VcfSearch;
use morpion_engine::solvers::gomoku::windows::WindowTable;
use morpion_engine::solvers::monitor::{Monitor, Stopped};
use morpion_engine::solvers::search::{LOWEST, Stats};
use morpion_engine::solvers::solve::Engine;
use morpion_engine::solvers::table::Table;
use rand::RngExt;
use std::collections::HashSet;

fn is_long() -> bool {
    std::env::var_os("MORPION_LONG_GOMOKU").is_some()
}

/// What is proven on small boards is what the engine finds, which knows nothing of threats there.
#[test]
fn what_is_proven_on_small_boards_is_true() {
    let seeds = if is_long() { 2000 } else { 24 };
    let (mut proven, mut quiet, mut true_ones) = (0, 0, 0);
    let mut kinds = Vec::new();
    for (width, rule) in [(5, RowRule::Free), (6, RowRule::Five), (6, RowRule::Free)] {
        let (board, rules) = (GomokuBoard::new(width, 5).unwrap(), rules(rule, 4));
        kinds.push((board, rules, ThreatTables::new(board, rules).unwrap()));
    }
    for seed in 0..seeds {
        let mut rng = rng(seed, &[11]);
        let (board, rules, ref tables) = kinds[rng.random_range(0..kinds.len())];
        let mut position = GomokuPosition::new(board, rules);
        let plies = rng.random_range(2..=7);
        play_randomly(&mut position, plies, &mut rng);
        if position.winner().is_some() {
            continue;
        }
        let (table, monitor) = (Table::new(16 << 20).unwrap(), Monitor::default());
        let mut engine = GomokuEngine { table: &table, busy: None, monitor: &monitor, stats: Stats::default() };
        let value = engine.value(&position, LOWEST, -LOWEST).unwrap();
        for attacker in [Side::First, Side::Second] {
            let is_true = if attacker == position.side() { value > 0 } else { value < 0 };
            true_ones += u32::from(is_true);
            let mut search = ThreatSearch::new(tables, &position, attacker, &monitor, 20_000);
            if search.proves().unwrap() {
                assert!(is_true, "{attacker:?} does not win, {rules}, seed {seed}:\n{position}");
                proven += 1;
                quiet += u32::from(search.size().quiet > 0);
            }
        }
    }
    println!("{proven} proven of {true_ones}, {quiet} with quiet moves");
    assert!(proven > true_ones * 9 / 10 && quiet > 1, "{proven} of {true_ones}, {quiet}");
}

/// White has a quiet move after which a pass of black loses, and every reply on a point of that proof does. A reply
/// off these points saves black: it helps to a four.
#[test]
fn a_reply_that_helps_to_a_four_is_not_left_out() {
    let (board, rules) = (GomokuBoard::new(5, 5).unwrap(), rules(RowRule::Free, 4));
    let stone = |name: &str, side: Side| (board.named(name).unwrap(), side);
    let stones =
        [stone("c5", Side::First), stone("e3", Side::First), stone("c2", Side::Second), stone("b1", Side::Second)];
    let position = GomokuPosition::from_stones(board, rules, &stones, Side::First).unwrap();
    let (tables, monitor) = (ThreatTables::new(board, rules).unwrap(), Monitor::default());
    let mut search = ThreatSearch::new(&tables, &position, Side::Second, &monitor, 20_000);
    assert!(!search.proves().unwrap(), "black does not lose\n{position}");
}

/// Follows a proof, and answers every legal reply to each of its moves.
struct ReplyWalk<'a> {
    tables: &'a ThreatTables,
    fours: VcfSearch<'a>,
    monitor: &'a Monitor,
    attacker: Side,
    seen: HashSet<u64>,
    /// Replies that the proof does not answer, after a threat and after a quiet move.
    left_out: [u32; 2],
}

impl ReplyWalk<'_> {
    fn attack(&mut self, search: &mut ThreatSearch, position: &mut GomokuPosition) {
        if !self.seen.insert(position.key().hash) || self.fours.search(position, self.monitor).unwrap().is_some() {
            return;
        }
        let m = search.first_move().unwrap_or_else(|| panic!("the attacker has no move\n{position}"));
        let undo = position.play(GomokuMove(m));
        search.play(m);
        self.defence(search, position);
        search.undo(m);
        position.undo(GomokuMove(m), undo);
    }

    fn defence(&mut self, search: &mut ThreatSearch, position: &mut GomokuPosition) {
        if position.winner() == Some(self.attacker) {
            return;
        }
        let answered = search.replies().unwrap_or_else(|| panic!("no proof\n{position}")).to_vec();
        let mut moves = Vec::new();
        position.moves(&mut moves);
        assert!(!moves.is_empty(), "a draw or a loss\n{position}");
        for m in moves {
            let undo = position.play(m);
            assert_eq!(position.winner(), None, "the defender wins\n{position}");
            if answered.contains(&m.0) {
                search.play(m.0);
                self.attack(search, position);
                search.undo(m.0);
            } else if self.fours.search(position, self.monitor).unwrap().is_some() {
                self.left_out[0] += 1;
            } else {
                let mut anew = ThreatSearch::new(self.tables, position, self.attacker, self.monitor, 200_000);
                assert!(anew.proves().unwrap(), "a reply that was left out has no answer\n{position}");
                self.left_out[1] += 1;
            }
            position.undo(m, undo);
        }
    }
}

/// Every reply to every move of a proof is answered: the proof's own replies by the proof, others by continuous
/// fours, and those to quiet moves by a new search.
#[test]
fn every_reply_is_answered() {
    let (usual, seven) = (GomokuBoard::USUAL, GomokuBoard::new(7, 7).unwrap());
    let mut cases = vec![
        (usual, rules(RowRule::Five, 5), "h8a1i9a2"),
        (usual, rules(RowRule::Free, 5), "h8o1i9o2"),
        (seven, rules(RowRule::Five, 4), "d4a1"),
        (seven, rules(RowRule::Free, 4), "d4g7c4"),
    ];
    if is_long() {
        cases.extend(["h8i9i8g12", "h8i9i8l9", "h8h9i9k6"].map(|moves| (usual, rules(RowRule::Five, 5), moves)));
    }
    let mut left_out = [0; 2];
    for (board, rules, moves) in cases {
        let (tables, windows) = (ThreatTables::new(board, rules).unwrap(), WindowTable::new(board, rules).unwrap());
        let (mut position, attacker, monitor) = (after(board, rules, moves), Side::First, Monitor::default());
        let mut search = ThreatSearch::new(&tables, &position, attacker, &monitor, 1_000_000);
        assert!(search.proves().unwrap(), "{moves} is not proven");
        let ThreatProofSize { attacks, defences, quiet } = search.size();
        println!(
            "{moves}: {attacks} attacks, {defences} defences, {quiet} of quiet moves, {} judged",
            search.judged()
        );
        let (fours, seen) = (VcfSearch::new(&windows), HashSet::new());
        let mut walk = ReplyWalk { tables: &tables, fours, monitor: &monitor, attacker, seen, left_out: [0; 2] };
        if position.side() == attacker {
            walk.attack(&mut search, &mut position);
        } else {
            walk.defence(&mut search, &mut position);
        }
        assert!(walk.seen.len() as u64 <= attacks);
        left_out.iter_mut().zip(walk.left_out).for_each(|(sum, count)| *sum += count);
    }
    println!("left out: {left_out:?}");
    assert!(left_out.iter().all(|&count| count > 100), "{left_out:?}");
}

/// A search that is stopped says so, and one that is limited keeps to its limit. Renju and Caro have no tables.
#[test]
fn limits_are_kept() {
    let (board, five) = (GomokuBoard::USUAL, rules(RowRule::Five, 5));
    let tables = ThreatTables::new(board, five).unwrap();
    let position = after(board, five, "h8i9i8g8");
    let monitor = Monitor::default();
    let mut search = ThreatSearch::new(&tables, &position, Side::First, &monitor, 3000);
    assert!(!search.proves().unwrap());
    assert!((3000..4000).contains(&search.judged()) && search.first_move().is_none());
    assert!((3000..4000).contains(&monitor.nodes()));
    let monitor = Monitor::with_budget(2000);
    let mut search = ThreatSearch::new(&tables, &position, Side::First, &monitor, 1_000_000);
    assert_eq!(search.proves(), Err(Stopped::Budget));
    for rule in [RowRule::Renju, RowRule::Caro] {
        assert!(ThreatTables::new(board, rules(rule, 5)).is_none());
    }
    assert!(ThreatTables::new(board, rules(RowRule::Five, 6)).is_none());
}

/// The engine uses such proofs on large boards, and tells the move.
#[test]
fn the_engine_proves_victories_on_the_usual_board() {
    let (board, five) = (GomokuBoard::USUAL, rules(RowRule::Five, 5));
    let (table, monitor) = (Table::new(64 << 20).unwrap(), Monitor::with_budget(1_000_000));
    let mut engine = GomokuEngine { table: &table, busy: None, monitor: &monitor, stats: Stats::default() };
    let position = after(board, five, "h8a1i9a2");
    assert_eq!(engine.value(&position, LOWEST, -LOWEST), Ok(GomokuPosition::POINT));
    let first = engine.hint(&position).unwrap();
    assert!(engine.stats().nodes > 1000 && monitor.nodes() == engine.stats().nodes);
    let mut next = position.clone();
    next.play(first);
    assert_eq!(engine.value(&next, -GomokuPosition::POINT, 0), Ok(-GomokuPosition::POINT));
}
