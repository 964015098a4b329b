//! All solvers give the same values: on thousands of small positions of Reversi, with every part on, off, and alone,
//! and on boards whose values are known.

use morpion::core::game::{Game, Side, Value};
use morpion::core::seed::rng;
use morpion::games::reversi::board::ReversiBoard;
use morpion::games::reversi::position::{Empties, ReversiPosition, Start};
use morpion::solvers::algorithm::{Algorithm, DepthFirst};
use morpion::solvers::busy::Busy;
use morpion::solvers::dfpn::Dfpn;
use morpion::solvers::monitor::{Monitor, Stopped};
use morpion::solvers::reversi::engine::ReversiEngine;
use morpion::solvers::search::{LOWEST, NodeSearch, Parts, Stats, UNLIMITED};
use morpion::solvers::solve::{Engine, EngineError, Goal, solve};
use morpion::solvers::table::Table;
use rand::RngExt;

const DISC: Value = ReversiPosition::POINT;

/// A position with `empty` empty cells or fewer, from a random game on a random board.
fn random_position(seed: u64, empty: u32) -> ReversiPosition {
    let mut rng = rng(seed, &[]);
    let board = ReversiBoard::new(rng.random_range(4..=8), rng.random_range(4..=8)).unwrap();
    let start = if rng.random() { Start::Standard } else { Start::Alternative };
    let empties = if rng.random() { Empties::Ignored } else { Empties::ToWinner };
    let mut position = ReversiPosition::new(board, start).with_empties(empties);
    let mut moves = Vec::new();
    while position.empty().count_ones() > empty {
        moves.clear();
        position.moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        position.play(moves[rng.random_range(0..moves.len())]);
    }
    position
}

/// The definition.
fn value<G: Game>(position: &mut G) -> Value {
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

/// The parts: all, none, each alone and each missing.
fn all_parts() -> Vec<Parts> {
    let set: [fn(&mut Parts, bool); 8] = [
        |parts, on| parts.table = on,
        |parts, on| parts.symmetry = on,
        |parts, on| parts.transposition_cutoff = on,
        |parts, on| parts.killers = on,
        |parts, on| parts.history = on,
        |parts, on| parts.prior = on,
        |parts, on| parts.bounds = on,
        |parts, on| parts.deepening = on,
    ];
    let mut all = vec![Parts::ALL, Parts::NONE];
    for part in set {
        let (mut without, mut alone) = (Parts::ALL, Parts::NONE);
        part(&mut without, false);
        part(&mut alone, true);
        all.extend([without, alone]);
    }
    all
}

fn check_fail_soft(what: &str, known: Value, found: Value, alpha: Value, beta: Value) {
    let right = if found <= alpha {
        known <= found
    } else if found >= beta {
        known >= found
    } else {
        known == found
    };
    assert!(right, "{what}: {found} within {alpha}..{beta}, but the value is {known}");
}

#[test]
fn all_algorithms_agree_with_the_definition() {
    let (monitor, parts) = (Monitor::default(), all_parts());
    for seed in 0..3000 {
        let position = random_position(seed, 1 + (seed % 7) as u32);
        let known = value(&mut position.clone());
        // One for all: what one algorithm leaves another finds. Small, so that entries are replaced.
        let table = Table::new(1 << 12).unwrap();
        let mut rng = rng(seed, &[1]);
        for algorithm in Algorithm::ALL {
            let parts = parts[rng.random_range(0..parts.len())];
            let low = known + DISC * rng.random_range(-4..4) - rng.random_range(0..2);
            let high = low + 1 + DISC * rng.random_range(0..3);
            let (alpha, beta) = if rng.random() { (LOWEST, -LOWEST) } else { (low, high) };
            let mut engine = DepthFirst {
                algorithm,
                parts,
                table: &table,
                busy: None,
                monitor: &monitor,
                stats: Stats::default(),
            };
            let found = engine.value(&position, alpha, beta).unwrap();
            let what = format!("seed {seed}, {algorithm:?}, {parts:?}\n{position}\n");
            if algorithm == Algorithm::Minimax {
                assert_eq!(found, known, "{what}");
            } else {
                check_fail_soft(&what, known, found, alpha, beta);
            }
        }
        let special = Table::new(1 << 12).unwrap();
        let mut engine = ReversiEngine { table: &special, busy: None, monitor: &monitor, stats: Stats::default() };
        for (alpha, beta) in
            [(LOWEST, -LOWEST), (known - 1, known), (known, known + 1), (known - 25, known + 31), (-1, 1)]
        {
            let found = engine.value(&position, alpha, beta).unwrap();
            check_fail_soft(&format!("seed {seed}, special\n{position}\n"), known, found, alpha, beta);
        }
        let (symmetry, bounds) = (rng.random(), rng.random());
        let fresh = Table::new(1 << 13).unwrap();
        let mut engine = Dfpn { symmetry, bounds, table: &fresh, monitor: &monitor, stats: Stats::default() };
        assert_eq!(engine.value(&position, LOWEST, -LOWEST).unwrap(), known, "seed {seed}, df-pn\n{position}");
        for target in [known - 1, known, known + 1] {
            assert_eq!(engine.reaches(&position, target).unwrap(), known >= target, "seed {seed}, df-pn\n{position}");
        }
    }
}

/// Depth-limited values do not depend on the algorithm, and neither on what prunes only.
#[test]
fn estimates_agree_at_every_depth() {
    let monitor = Monitor::default();
    let quiet = Parts { deepening: false, ..Parts::NONE };
    for seed in 0..60 {
        let position = random_position(seed, 20);
        for depth in 1..=3 {
            let mut values = Vec::new();
            for algorithm in Algorithm::ALL {
                for (killers, history, prior) in [(false, false, false), (true, true, true)] {
                    let parts = Parts { killers, history, prior, ..quiet };
                    let table = Table::new(1 << 12).unwrap();
                    let mut search = NodeSearch::new(position, parts, &table, None, &monitor);
                    let found = algorithm.search(&mut search, depth, LOWEST, -LOWEST).unwrap();
                    values.push((found, search.estimated));
                }
            }
            values.dedup();
            assert_eq!(values.len(), 1, "seed {seed}, depth {depth}: {values:?}\n{position}");
        }
    }
}

fn solve_with(engine: &mut dyn Engine<ReversiPosition>, position: &ReversiPosition, goal: Goal) -> (Value, Value) {
    let solution = solve(engine, position, goal, 0, true, 100, &mut |_| ()).unwrap();
    (solution.bounds.lower, solution.bounds.upper)
}

/// Goals, the line and the best moves against the definition.
#[test]
fn solutions_are_what_the_definition_says() {
    let monitor = Monitor::default();
    for seed in 0..300 {
        let position = random_position(seed, 6);
        let known = value(&mut position.clone());
        let table = Table::new(1 << 14).unwrap();
        let mut depth_first = DepthFirst {
            algorithm: Algorithm::ALL[seed as usize % 5],
            parts: Parts::ALL,
            table: &table,
            busy: None,
            monitor: &monitor,
            stats: Stats::default(),
        };
        let proof_table = Table::new(1 << 14).unwrap();
        let mut dfpn =
            Dfpn { symmetry: true, bounds: true, table: &proof_table, monitor: &monitor, stats: Stats::default() };
        for engine in [&mut depth_first as &mut dyn Engine<ReversiPosition>, &mut dfpn] {
            let solution = solve(engine, &position, Goal::Exact, 0, true, 100, &mut |_| ()).unwrap();
            assert_eq!((solution.bounds.lower, solution.bounds.upper), (known, known), "seed {seed}\n{position}");
            let mut moves = Vec::new();
            position.moves(&mut moves);
            moves.retain(|&m| {
                let mut after = position;
                after.play(m);
                -value(&mut after) == known
            });
            assert_eq!(solution.best, moves, "seed {seed}\n{position}");
            let mut end = position;
            for &m in &solution.line {
                assert!(end.is_legal(m), "seed {seed}: {:?}\n{position}", solution.line);
                end.play(m);
            }
            moves.clear();
            end.moves(&mut moves);
            let sign = if end.side() == position.side() { 1 } else { -1 };
            assert_eq!((moves.len(), sign * end.outcome()), (0, known), "seed {seed}\n{position}");

            let (lower, upper) = solve_with(engine, &position, Goal::WinLossDraw);
            assert_eq!((lower > 0, upper < 0), (known > 0, known < 0), "seed {seed}\n{position}");
            for target in [known - DISC, known, known + DISC, 3 * DISC] {
                let (lower, upper) = solve_with(engine, &position, Goal::Threshold(target));
                assert_eq!((lower >= target, upper < target), (known >= target, known < target), "seed {seed}");
            }
        }
    }
}

fn start(width: u8, height: u8, start: Start) -> ReversiPosition {
    ReversiPosition::new(ReversiBoard::new(width, height).unwrap(), start)
}

/// Black's difference of discs on small boards; the standard start of 4x4, 4x5 and 4x6 and the alternative one of 4x4
/// are known values, the exchanged rectangles must equal them.
#[test]
fn small_boards_have_their_known_values() {
    let monitor = Monitor::default();
    for (position, discs) in [
        (start(4, 4, Start::Standard), -8),
        (start(4, 4, Start::Alternative), -3),
        (start(4, 5, Start::Standard), 16),
        (start(5, 4, Start::Standard), 16),
    ] {
        for algorithm in [Algorithm::Negamax, Algorithm::NegaScout, Algorithm::Mtdf] {
            let table = Table::new(1 << 22).unwrap();
            let mut engine = DepthFirst {
                algorithm,
                parts: Parts::ALL,
                table: &table,
                busy: None,
                monitor: &monitor,
                stats: Stats::default(),
            };
            let solution = solve(&mut engine, &position, Goal::Exact, 0, true, 64, &mut |_| ()).unwrap();
            assert_eq!(solution.bounds.lower, discs * DISC, "{}, {algorithm:?}", position.board());
        }
    }
}

#[test]
fn a_search_stops_when_told_and_when_its_budget_is_used_up() {
    let position = start(6, 6, Start::Standard);
    let table = Table::new(1 << 20).unwrap();
    let (told, poor) = (Monitor::default(), Monitor::with_budget(50_000));
    told.stop();
    for (monitor, reason, most) in [(&told, Stopped::Asked, 10_000), (&poor, Stopped::Budget, 60_000)] {
        let mut depth_first = DepthFirst {
            algorithm: Algorithm::NegaScout,
            parts: Parts::ALL,
            table: &table,
            busy: None,
            monitor,
            stats: Stats::default(),
        };
        let found = Engine::<ReversiPosition>::value(&mut depth_first, &position, LOWEST, -LOWEST);
        assert_eq!(found, Err(EngineError::Stopped(reason)));
        assert!(depth_first.stats.nodes <= most);
        let mut dfpn = Dfpn { symmetry: true, bounds: true, table: &table, monitor, stats: Stats::default() };
        assert_eq!(dfpn.reaches(&position, 0), Err(EngineError::Stopped(reason)));
    }
}

/// Threads over one table and one set of marks.
#[test]
fn threads_that_share_a_table_agree() {
    for seed in 0..40 {
        let position = random_position(seed, 9);
        let known = value_by_search(&position);
        let (table, busy, monitor) = (Table::new(1 << 13).unwrap(), Busy::default(), Monitor::default());
        let found: Vec<Value> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        let mut search = NodeSearch::new(position, Parts::ALL, &table, Some(&busy), &monitor);
                        Algorithm::NegaScout.search(&mut search, UNLIMITED, LOWEST, -LOWEST).unwrap()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(found, [known; 3], "seed {seed}\n{position}");
    }
}

/// The special solver with more empty cells, where all its kinds of nodes come in, against the generic one.
#[test]
fn the_special_solver_agrees_with_the_generic_one() {
    let monitor = Monitor::default();
    for seed in 0..60 {
        let position = random_position(seed + 1000, 8 + (seed % 7) as u32);
        let tables = [(); 2].map(|()| Table::new(1 << 20).unwrap());
        let mut generic = DepthFirst {
            algorithm: Algorithm::NegaScout,
            parts: Parts::ALL,
            table: &tables[0],
            busy: None,
            monitor: &monitor,
            stats: Stats::default(),
        };
        let mut special = ReversiEngine { table: &tables[1], busy: None, monitor: &monitor, stats: Stats::default() };
        let [slow, fast] = [&mut generic as &mut dyn Engine<ReversiPosition>, &mut special]
            .map(|engine| solve(engine, &position, Goal::Exact, 0, true, 100, &mut |_| ()).unwrap());
        assert_eq!((slow.bounds, slow.best), (fast.bounds, fast.best), "seed {seed}\n{position}");
    }
}

/// Few discs on a small board: games that end early, with all discs of a side gone and cells empty, which is not best
/// if these count for nobody.
#[test]
fn the_special_solver_knows_when_a_game_ends_early() {
    let monitor = Monitor::default();
    let mut gone = 0;
    for seed in 0..400 {
        let mut rng = rng(seed, &[]);
        let board = ReversiBoard::new(4, 4).unwrap();
        let taken = board.squares().filter(|_| rng.random_bool(0.35)).fold(0u64, |cells, s| cells | 1 << s);
        let black = taken & rng.random::<u64>();
        let position = ReversiPosition::from_discs(board, black, taken & !black, Side::First).unwrap();
        let position = position.with_empties(if seed % 4 == 0 { Empties::ToWinner } else { Empties::Ignored });
        let known = value_by_search(&position);
        let mut moves = Vec::new();
        position.moves(&mut moves);
        gone += moves.iter().filter(|&&m| Game::play(&mut { position }, m) == position.enemy()).count();
        for (alpha, beta) in [(known - 1, known), (known, known + 1), (LOWEST, -LOWEST)] {
            let table = Table::new(1 << 16).unwrap();
            let mut engine = ReversiEngine { table: &table, busy: None, monitor: &monitor, stats: Stats::default() };
            let found = engine.value(&position, alpha, beta).unwrap();
            check_fail_soft(&format!("seed {seed}\n{position}\n"), known, found, alpha, beta);
        }
    }
    assert!(gone > 20, "only {gone} moves took all discs");
}

fn value_by_search(position: &ReversiPosition) -> Value {
    let (table, monitor) = (Table::new(1 << 12).unwrap(), Monitor::default());
    let mut search = NodeSearch::new(*position, Parts { table: true, ..Parts::NONE }, &table, None, &monitor);
    Algorithm::Negamax.search(&mut search, UNLIMITED, LOWEST, -LOWEST).unwrap()
}
