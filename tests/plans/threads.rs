//! The player on several threads: one thread plays as ever, several find the same victories, keep to their budget,
//! and have all ended when the move is there.

use morpion::core::game::{Budget, Chosen, Game, Level, Player};
use morpion::games::gomoku::notation::parse_position;
use morpion::games::gomoku::position::{GomokuMove, GomokuPosition};
use morpion::games::gomoku::rules::{GomokuRules, RowRule};
use morpion::runner::parallel::together;
use morpion::solvers::gomoku::player::GomokuPlayer;
use morpion::solvers::gomoku::player::node::DECIDED;
use morpion::solvers::together::{HelperTask, RunTogether};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

const MEMORY: u64 = 16 << 20;
/// A limit that no search here comes to.
const ENOUGH: u64 = 1_000_000;

/// Depth, value, and nodes that were visited.
type Found = (u32, i32, u64);

/// What one thread finds: position, budget of nodes, what is found, and the line.
const OF_ONE: [(&str, u64, Found, &str); 7] = [
    ("k10k8h11e7g6h10k9i9g5f7j5", ENOUGH, (9, 19_987, 3_866), "g9f8j8g11h9f9h8g8h7h6g7d7"),
    ("k6h9g7e9h5e6f5h11i7j7k5", ENOUGH, (7, 19_989, 2_621), "f9g9h8h7e8e7f7g8g10i12d7"),
    ("h10k6h6k5f7i11h9h11i6f9j6f8", ENOUGH, (7, 19_989, 3_000), "i7h8i8i9g6f6i4i5h5e8j3"),
    ("h5j9i5e8e7g11g8e6", ENOUGH, (8, 19_989, 6_105), "g5j5h4f6h6h7g7g6f8e9j4"),
    ("h8i9g7", 20_000, (10, -176, 20_480), "h9j9g8i10k8i7j7i6j6"),
    ("h8i9g7g9f8h7", 20_000, (13, 387, 20_480), "e9d10e8g8f9e7g10h11f11f7d7c6"),
    ("h8i8j7h10g9", 20_000, (13, -171, 20_302), "i7i6h5f9g6h7g8e9h9f7g5f10"),
];
/// The first of them are won, and not by continuous fours.
const WON: usize = 4;
/// Won, too, and seen after more nodes: they come from games of the player against itself.
const WON_LATER: [&str; 6] = [
    "f5i10j10k7i9h8h7k8j9k9i8g6k6j7k11j11k12l9i6k10i12l12j5k4h12g8g12j12g11",
    "h11i10h6j7k6j8j6i6k8j10i9j11j9h9g8",
    "i6j9e5f7i11k11k9i10j10h12h11g11f10f12e12e11i7",
    "k7i7e5g9e6k9f10h10f8h6j8h9i9g8e7e8g7h7h8f6f7f9d7c7e10f5j5i8j9j10",
    "e6k8i7g10j7h10h7g7h6i10j10j8",
    "i6k6j7h8e9i10i11j9k8l9i7i5k9k10h7g7j10l8g11f10",
];
/// One that is not decided in a long time.
const OPEN: &str = "h8i9g7";

fn position(text: &str) -> GomokuPosition {
    parse_position(text, GomokuRules::new(RowRule::Five, 5).unwrap(), None).unwrap()
}

fn player(threads: usize, together: RunTogether) -> GomokuPlayer {
    let mut player = GomokuPlayer::new(MEMORY).unwrap();
    player.set_threads(threads, together);
    player
}

fn choose(player: &mut GomokuPlayer, position: &GomokuPosition, nodes: u64) -> Chosen<GomokuMove> {
    let mut budget = Budget { depth: u32::MAX, nodes, time: &mut || 0.0 };
    player.choose(position, &mut budget, &mut |_| {}).unwrap()
}

/// For searches that have no helpers.
fn never(_: Vec<HelperTask<'_>>, _: &mut dyn FnMut()) {
    panic!("a search on one thread has asked for others");
}

/// One task after the other, and then the leader: no two are at work at once, and the result is always the same.
fn in_turn(tasks: Vec<HelperTask<'_>>, leader: &mut dyn FnMut()) {
    tasks.into_iter().for_each(|task| task());
    leader();
}

#[test]
fn one_thread_finds_what_it_always_found() {
    for (text, nodes, (depth, value, visited), line) in OF_ONE {
        let position = position(text);
        let mut player = player(1, never);
        let chosen = choose(&mut player, &position, nodes);
        assert_eq!((chosen.depth, chosen.value, chosen.nodes), (depth, value, visited), "{text}");
        let names: String = chosen.line.iter().take(12).map(|&m| position.name(m)).collect();
        assert_eq!(names, line, "{text}");
    }
}

#[test]
fn weaker_levels_stay_on_one_thread() {
    let mut player = player(3, never);
    player.set_level(Level::new(9).unwrap());
    assert!(choose(&mut player, &position(OPEN), 2000).nodes > 0);
    player.set_level(Level::FULL);
    player.set_threads(0, never);
    assert!(choose(&mut player, &position(OPEN), 2000).nodes > 0);
}

#[test]
fn several_threads_find_the_same_victories() {
    for (text, ..) in &OF_ONE[..WON] {
        let mut position = position(text);
        let chosen = choose(&mut player(3, together), &position, ENOUGH);
        assert!(chosen.value >= DECIDED && chosen.decided_in.is_some(), "{text}: {chosen:?}");
        position.check_move(chosen.line[0]).unwrap();
        position.play(chosen.line[0]);
        // A player makes the only move that stops a five without a search; an analysis tells what that move is worth.
        let mut budget = Budget { depth: u32::MAX, nodes: ENOUGH, time: &mut || 0.0 };
        let answer = player(1, never).analyse(&position, 1, &mut budget, &mut |_| {});
        assert!(answer[0].value <= -DECIDED, "{text}: {chosen:?} is answered by {answer:?}");
    }
}

#[test]
fn an_analysis_on_several_threads_finds_a_victory() {
    let position = position(OF_ONE[2].0);
    let mut budget = Budget { depth: u32::MAX, nodes: ENOUGH, time: &mut || 0.0 };
    let found = player(3, together).analyse(&position, 1, &mut budget, &mut |_| {});
    assert!(found.len() == 1 && found[0].value >= DECIDED, "{found:?}");
}

#[test]
fn the_budget_of_nodes_is_that_of_all_threads() {
    const NODES: u64 = 40_000;
    for how in [together as RunTogether, in_turn] {
        let chosen = choose(&mut player(3, how), &position(OPEN), NODES);
        assert!((NODES..=NODES + NODES / 10).contains(&chosen.nodes), "{chosen:?}");
    }
}

/// The leader finds in the table what a helper has left there.
#[test]
fn what_helpers_find_is_used() {
    let (mut of_leader, mut of_one) = (0, 0);
    for text in WON_LATER {
        let one = choose(&mut player(1, never), &position(text), ENOUGH);
        let mut told = Vec::new();
        let mut budget = Budget { depth: u32::MAX, nodes: ENOUGH, time: &mut || 0.0 };
        let chosen = player(2, in_turn).choose(&position(text), &mut budget, &mut |best| told.push(best.nodes));
        let chosen = chosen.unwrap();
        assert!(one.value >= DECIDED && chosen.value >= DECIDED, "{text}: {chosen:?}, by one thread {one:?}");
        // What is told first has the nodes of the helper, who has ended by then.
        let leader = chosen.nodes - told[0];
        of_leader += leader;
        of_one += one.nodes;
        println!("{text}: {leader} nodes of the leader, {} of one thread", one.nodes);
    }
    assert!(2 * of_leader < of_one, "{of_leader} nodes of the leader, {of_one} of one thread");
}

#[test]
fn threads_end_with_the_time_and_with_a_panic() {
    static STARTED: AtomicUsize = AtomicUsize::new(0);
    static RUNNING: AtomicUsize = AtomicUsize::new(0);
    fn watched(tasks: Vec<HelperTask<'_>>, leader: &mut dyn FnMut()) {
        let watch = |task: HelperTask<'_>| {
            STARTED.fetch_add(1, SeqCst);
            RUNNING.fetch_add(1, SeqCst);
            task();
            RUNNING.fetch_sub(1, SeqCst);
        };
        let tasks = tasks.into_iter().map(|task| -> HelperTask<'_> { Box::new(move || watch(task)) });
        together(tasks.collect(), leader);
    }
    let mut player = player(4, watched);
    let (mut asked, position) = (0, position(OPEN));
    let mut time = || {
        asked += 1;
        if asked > 20 { 1.0 } else { 0.0 }
    };
    let mut budget = Budget { depth: u32::MAX, nodes: u64::MAX, time: &mut time };
    let chosen = player.choose(&position, &mut budget, &mut |_| {}).unwrap();
    position.check_move(chosen.line[0]).unwrap();
    assert!((21..=23).contains(&asked), "the time is over, and {asked} times it was asked for");
    assert_eq!((STARTED.load(SeqCst), RUNNING.load(SeqCst)), (3, 0));
    // Without a budget nothing else ends the helpers.
    let mut budget = Budget { depth: u32::MAX, nodes: u64::MAX, time: &mut || 0.0 };
    let told = &mut |best: &Chosen<GomokuMove>| assert!(best.depth < 3, "deep enough");
    let panicked = catch_unwind(AssertUnwindSafe(|| player.choose(&position, &mut budget, told)));
    assert!(panicked.is_err());
    assert_eq!((STARTED.load(SeqCst), RUNNING.load(SeqCst)), (6, 0));
}

/// A table of 64 buckets is overwritten all the time, by positions that no thread is at any more.
#[test]
fn moves_are_legal_whatever_the_table_has() {
    for (rule, size) in [(RowRule::Renju, (9, 9)), (RowRule::Caro, (9, 7))] {
        let rules = GomokuRules::new(rule, 5).unwrap();
        let mut position = parse_position("e5", rules, Some(size)).unwrap();
        let mut player = GomokuPlayer::new(1 << 12).unwrap();
        player.set_threads(3, together);
        let mut moves = Vec::new();
        loop {
            moves.clear();
            position.moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            let chosen = choose(&mut player, &position, 3000);
            let mut after = position.clone();
            for &m in &chosen.line {
                after.check_move(m).unwrap_or_else(|why| panic!("{chosen:?}: {why}\n{position}"));
                after.play(m);
            }
            position.play(chosen.line[0]);
        }
    }
}
