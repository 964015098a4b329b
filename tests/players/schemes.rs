//! The schemes by which threads share a tree: the value of one thread whatever the scheme, and searches that are
//! stopped.

use morpion::core::game::{Game, Value};
use morpion::core::seed::{Rng, rng};
use morpion::games::gomoku::board::GomokuBoard;
use morpion::games::gomoku::position::GomokuPosition;
use morpion::games::gomoku::rules::{GomokuRules, RowRule};
use morpion::games::reversi::board::ReversiBoard;
use morpion::games::reversi::position::{ReversiPosition, Start};
use morpion::runner::parallel::THREAD_MEANS;
use morpion::solvers::gomoku::thesis::patterns::PatternTable;
use morpion::solvers::gomoku::thesis::position::{AttackWeights, PatternPosition};
use morpion::solvers::monitor::{Monitor, Stopped};
use morpion::solvers::negascout::negascout;
use morpion::solvers::parallel::{ParallelCounts, Scheme, Sharing, search_parallel};
use morpion::solvers::search::{LOWEST, NodeSearch, Parts};
use morpion::solvers::table::{LEAST_BYTES, Table};
use rand::RngExt;

fn reversi(board: ReversiBoard) -> ReversiPosition {
    ReversiPosition::new(board, Start::Standard)
}

/// A position after some random moves, or where the game is over before.
fn after_moves<G: Game>(mut position: G, count: usize, random: &mut Rng) -> G {
    for _ in 0..count {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        position.play(moves[random.random_range(0..moves.len())]);
    }
    position
}

const fn sharing(scheme: Scheme, threads: usize) -> Sharing {
    Sharing { scheme, threads, means: THREAD_MEANS }
}

fn table() -> Table {
    Table::new(LEAST_BYTES).unwrap()
}

/// The value and the nodes of NegaScout on one thread.
fn plain<G: Game>(position: &G, depth: u32) -> (Value, u64) {
    let (table, monitor) = (table(), Monitor::default());
    let parts = Parts { prior: true, ..Parts::NONE };
    let mut search = NodeSearch::new(position.clone(), parts, &table, None, &monitor);
    (negascout(&mut search, depth, LOWEST, -LOWEST).unwrap(), search.stats.nodes)
}

fn check<G: Game + Send + Sync>(position: &G, depth: u32, all: &mut ParallelCounts) {
    let (value, nodes) = plain(position, depth);
    let search = |scheme, threads| {
        search_parallel(position, depth, sharing(scheme, threads), &table(), &Monitor::default()).unwrap()
    };
    for scheme in Scheme::ALL {
        for threads in 1..=5 {
            let found = search(scheme, threads);
            assert_eq!(found.value, value, "{scheme:?} {threads} {depth}\n{position}");
            if scheme == Scheme::Abdada {
                continue;
            }
            if threads == 1 {
                assert_eq!((found.counts.nodes, found.counts.splits), (nodes, 0), "{scheme:?}\n{position}");
            }
            if let Some(best) = found.best {
                let mut after = position.clone();
                after.play(best);
                assert_eq!(-plain(&after, depth - 1).0, value, "{scheme:?} {threads}\n{position}");
            }
            *all += found.counts;
        }
    }
}

#[test]
fn all_schemes_find_the_value_of_one_thread() {
    let (mut random, patterns, mut all) = (rng(11, &[]), PatternTable::usual(), ParallelCounts::default());
    let rules = GomokuRules::new(RowRule::Five, 5).unwrap();
    for n in 0..8u32 {
        let empty = GomokuPosition::new(GomokuBoard::new(7, 7).unwrap(), rules);
        let start = after_moves(empty, random.random_range(4..20), &mut random);
        let depth = 2 + n % 3;
        check(&PatternPosition::new(&start, &patterns, AttackWeights::of(start.side(), depth)), depth, &mut all);
    }
    for n in 0..8u32 {
        let empty = reversi(ReversiBoard::new(6, 6).unwrap());
        let start = after_moves(empty, random.random_range(0..26), &mut random);
        check(&start, 3 + n % 4, &mut all);
    }
    assert!(all.splits > 50 && all.joined > 10, "{all:?}");
}

#[test]
fn searches_of_nothing_end() {
    let board = ReversiBoard::new(4, 4).unwrap();
    let mut over = reversi(board);
    loop {
        let mut moves = Vec::new();
        over.moves(&mut moves);
        let Some(&m) = moves.first() else { break };
        over.play(m);
    }
    for (position, depth) in [(over, 4), (reversi(board), 0)] {
        for scheme in Scheme::ALL {
            let found = search_parallel(&position, depth, sharing(scheme, 3), &table(), &Monitor::default()).unwrap();
            assert_eq!((found.value, found.best), (plain(&position, depth).0, None), "{scheme:?}");
        }
    }
}

#[test]
fn a_search_ends_with_its_budget() {
    let start = reversi(ReversiBoard::FULL);
    for scheme in Scheme::ALL {
        for threads in [1, 4] {
            let monitor = Monitor::with_budget(50_000).with_interval(100);
            let ended = search_parallel(&start, 30, sharing(scheme, threads), &table(), &monitor);
            assert!(matches!(ended, Err(Stopped::Budget)), "{scheme:?} {threads}");
            assert!(monitor.nodes() < 80_000, "{scheme:?} {threads}: {}", monitor.nodes());
        }
    }
}

#[test]
fn names_lead_to_schemes() {
    for scheme in Scheme::ALL {
        assert_eq!(Scheme::named(scheme.name()), Some(scheme));
    }
    assert_eq!(Scheme::named("PVSplit"), None);
}
