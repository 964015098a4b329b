//! Solving by units: whatever the workers do, and in whichever order, the coordinator comes to the solver's value.
//!
//! The workers here are simulated: they answer rightly, late, twice, for windows that are not asked any more, not
//! within their budget, not at all, or with lies; now and then all of them are gone and the state is read again. The
//! order of all that is random, by a seed.

use crate::stores::stores;
use morpion::core::game::{Game, MAX_VALUE, Value};
use morpion::core::seed::{Rng, derive, rng};
use morpion::games::go;
use morpion::games::go::rules::{Cycle, GoRules, Ko};
use morpion::games::reversi;
use morpion::games::reversi::position::{Empties, Start};
use morpion::jobs::tree::coordinator::{Coordinator, Effects, LeafUnit, Next, UnitEnd, UnitOrder};
use morpion::jobs::tree::credit::{Spent, WorkerId, by_user, total};
use morpion::jobs::tree::record::{TreeEvent, TreeRecord};
use morpion::jobs::tree::settings::{Feeder, MOST_INITIAL_NODES, StoreKind, TreeSettings, Window};
use morpion::jobs::tree::state::TreeState;
use morpion::jobs::tree::unit::UnitOutcome;
use morpion::runner::tree::file;
use morpion::runner::tree::store::TreeStore;
use morpion::solvers::algorithm::{Algorithm, DepthFirst};
use morpion::solvers::monitor::Monitor;
use morpion::solvers::search::{LOWEST, Parts, Stats};
use morpion::solvers::solve::{Bounds, Engine, Goal};
use morpion::solvers::table::{LEAST_BYTES, Table};
use proptest::prelude::*;
use rand::RngExt;
use std::collections::BTreeSet;
use std::path::Path;

/// No simulation takes more steps than this.
const MOST_STEPS: usize = 200_000;
/// Units deeper than this many plies never use up their budget.
const DEEPEST_HARD: usize = 3;

/// The value within a window, by the general solver, and the nodes that it took.
fn value<G: Game>(position: &G, window: Window) -> (Value, u64) {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    if moves.is_empty() {
        return (position.outcome(), 1);
    }
    let (table, monitor) = (Table::new(16 * LEAST_BYTES).unwrap(), Monitor::default());
    let (algorithm, parts, stats) = (Algorithm::NegaScout, Parts::ALL, Stats::default());
    let mut engine = DepthFirst { algorithm, parts, table: &table, busy: None, monitor: &monitor, stats };
    let value = engine.value(position, window.alpha, window.beta).unwrap();
    (value, engine.stats.nodes)
}

/// Which workers there are and what they do.
#[derive(Debug, Clone, Copy)]
struct Habits {
    seed: u64,
    workers: u32,
    /// The first of them lies in so many of ten cases.
    lies: u32,
    /// So many of a hundred units use up their budget, if they are not too deep.
    exhausted: u32,
    /// So many of a hundred break down.
    fail: u32,
    /// In so many of a thousand steps all workers are gone and the state is read again.
    restart: u32,
    /// Whether workers heed new windows.
    heed: bool,
}

/// A solution by simulated workers.
struct Simulation<G: Game> {
    root: G,
    habits: Habits,
    rng: Rng,
    coordinator: Coordinator<G>,
    workers: Vec<WorkerId>,
    /// What each worker is at, with the window that it knows.
    at: Vec<(WorkerId, LeafUnit<G>, Window, bool)>,
    /// What was told by workers, as they count it.
    told: u64,
    records: Vec<TreeRecord>,
    distrusted: Vec<WorkerId>,
    /// Plies that are made before the first unit.
    initial: u32,
}

impl<G: Game + std::fmt::Debug> Simulation<G> {
    fn new(root: G, settings: TreeSettings, habits: Habits) -> Self {
        let mut simulation = Simulation {
            coordinator: Coordinator::new(TreeState::new(root.clone(), settings).unwrap()),
            root,
            habits,
            rng: rng(habits.seed, &[]),
            workers: Vec::new(),
            at: Vec::new(),
            told: 0,
            records: Vec::new(),
            distrusted: Vec::new(),
            initial: 0,
        };
        simulation.join();
        simulation
    }

    /// Makes so many plies before the first unit. Now and then it stops on the way, and all of it is read again.
    fn grow(&mut self, plies: u32) {
        self.initial = plies;
        loop {
            let mut left = self.rng.random_range(0..20);
            let mut stop = || {
                left -= 1;
                left < 0
            };
            self.coordinator = self.coordinator.clone().growing_to(plies);
            if self.coordinator.grow(&mut stop).unwrap() {
                break;
            }
            self.coordinator.state().check().unwrap();
            if self.rng.random() {
                self.restart();
            }
        }
        assert!(!self.coordinator.is_growing());
        self.coordinator.take_effects();
    }

    fn join(&mut self) {
        let user = |n: u32| format!("user {}", n % 2);
        self.workers = (0..self.habits.workers)
            .map(|n| self.coordinator.join(&user(n), &format!("worker {n}")).unwrap())
            .collect();
        assert_eq!(self.workers, (0..self.habits.workers).collect::<Vec<_>>());
    }

    /// Until the question is answered.
    fn run(&mut self) {
        let mut steps = 0;
        while !self.coordinator.state().is_finished() {
            self.step();
            steps += 1;
            assert!(steps < MOST_STEPS, "no end: {:?}", self.coordinator.state().leaves());
        }
        // What was still running is told to stop, and says so late or never.
        while let Some((worker, work, window, cancelled)) = self.at.pop() {
            assert!(cancelled, "unit {} goes on after the end", work.unit);
            self.tell(&[unit_end(worker, &work, window, UnitOutcome::Stopped, 3)]);
        }
        self.keep();
        self.coordinator.state().check().unwrap();
    }

    fn step(&mut self) {
        if self.rng.random_range(0..1000) < self.habits.restart {
            self.restart();
        }
        let idle: Vec<WorkerId> =
            self.workers.iter().copied().filter(|worker| self.at.iter().all(|at| at.0 != *worker)).collect();
        if self.at.is_empty() || !idle.is_empty() && self.rng.random() {
            let worker = idle[self.rng.random_range(0..idle.len())];
            match self.coordinator.next(worker).unwrap() {
                Next::Unit(work) => {
                    let window = work.window;
                    self.at.push((worker, *work, window, false));
                }
                Next::Wait => assert!(
                    !self.at.is_empty() || idle.len() > 1,
                    "{worker} waits, and nobody works: {:?}",
                    self.coordinator.state().units()
                ),
                Next::Distrusted => assert!(self.distrusted.contains(&worker)),
                Next::Finished => assert!(self.coordinator.state().is_finished()),
            }
            self.heed();
        } else {
            // Now and then several are heard of at once.
            let most = if self.rng.random_range(0..3) == 0 { self.at.len() } else { 1 };
            let mut ended = Vec::new();
            for _ in 0..self.rng.random_range(1..=most) {
                let (worker, work, window, cancelled) = self.at.swap_remove(self.rng.random_range(0..self.at.len()));
                ended.push(self.end(worker, &work, window, cancelled));
            }
            self.tell(&ended);
            if self.rng.random_range(0..8) == 0 {
                // Once more, and otherwise.
                let again = UnitEnd { outcome: UnitOutcome::Exhausted, spent: Spent::default(), ..ended[0] };
                self.coordinator.absorb_all([again]).unwrap();
                assert_eq!(self.coordinator.take_effects(), Effects::default());
            }
        }
        self.keep();
        if self.rng.random_range(0..8) == 0 {
            self.coordinator.check().unwrap();
        }
    }

    /// Ends a unit in one of the ways in which units end.
    fn end(&mut self, worker: WorkerId, work: &LeafUnit<G>, window: Window, cancelled: bool) -> UnitEnd {
        let Habits { seed, lies, exhausted, fail, .. } = self.habits;
        if cancelled && self.rng.random() {
            return unit_end(worker, work, window, UnitOutcome::Stopped, 5);
        }
        if self.rng.random_range(0..100) < fail {
            return unit_end(worker, work, window, UnitOutcome::Failed, 0);
        }
        // The same for all workers, as a budget is.
        let hard = derive(seed, &work.path.iter().map(|&code| code.into()).collect::<Vec<_>>()) % 100;
        let (outcome, nodes) = if hard < exhausted.into() && work.path.len() < DEEPEST_HARD {
            (UnitOutcome::Exhausted, work.budget)
        } else {
            let (value, nodes) = value(&work.position, window);
            (UnitOutcome::of_value(value, window), nodes)
        };
        let outcome =
            if worker == 0 && self.rng.random_range(0..10) < lies { self.lie(outcome, window) } else { outcome };
        unit_end(worker, work, window, outcome, nodes)
    }

    fn lie(&mut self, outcome: UnitOutcome, Window { alpha, beta }: Window) -> UnitOutcome {
        let far = G::POINT * self.rng.random_range(0..9);
        match self.rng.random_range(0..6) {
            0 => UnitOutcome::Answered { lower: -MAX_VALUE, upper: alpha - far },
            1 => UnitOutcome::Answered { lower: beta + far, upper: MAX_VALUE },
            2 => UnitOutcome::Answered { lower: alpha + 1, upper: alpha + 1 },
            3 => UnitOutcome::Answered { lower: beta, upper: alpha },
            4 if outcome != UnitOutcome::Exhausted => UnitOutcome::Exhausted,
            _ => UnitOutcome::Answered { lower: -far, upper: far },
        }
    }

    fn tell(&mut self, ended: &[UnitEnd]) {
        self.coordinator.absorb_all(ended.iter().copied()).unwrap();
        self.told += ended.iter().map(|end| end.spent.nodes).sum::<u64>();
        self.heed();
    }

    /// What the coordinator has to say.
    fn heed(&mut self) {
        let Effects { events, orders } = self.coordinator.take_effects();
        for event in events {
            match event {
                TreeEvent::Distrusted { worker } => self.distrusted.push(worker),
                TreeEvent::Contradiction { node } => panic!("contradiction at node {node}"),
                TreeEvent::Refused { worker, .. } => {
                    assert!(worker == 0 && self.habits.lies > 0, "{worker} is right")
                }
                _ => (),
            }
        }
        for (worker, unit, order) in orders {
            let at = self.at.iter_mut().find(|(w, work, ..)| (*w, work.unit) == (worker, unit));
            let (_, _, window, cancelled) = at.expect("only who is at a unit is told of it");
            match order {
                UnitOrder::Cancel => *cancelled = true,
                // Perhaps it comes too late.
                UnitOrder::Window(to) if self.habits.heed || self.rng.random() => *window = to,
                UnitOrder::Window(_) => (),
            }
        }
    }

    fn keep(&mut self) {
        self.records.extend(self.coordinator.take_records());
    }

    /// All workers are gone; the state is made anew from its parts, and comes out the same as by a replay.
    fn restart(&mut self) {
        self.keep();
        let state = self.coordinator.state();
        let parts = state.parts();
        let restored = TreeState::restore(self.root.clone(), parts.clone()).unwrap();
        assert!(restored.parts() == parts);
        assert_eq!(restored.leaves(), state.leaves());
        self.coordinator = Coordinator::new(restored);
        self.at.clear();
        self.join();
    }

    /// What all tests hold the end to.
    fn check(&self, settings: &TreeSettings) {
        let state = self.coordinator.state();
        let whole = Window { alpha: LOWEST, beta: -LOWEST };
        let mut root = self.root.clone();
        root.forget();
        let (known, _) = value(&root, whole);
        let Bounds { lower, upper } = state.bounds();
        assert!(lower <= known && known <= upper, "{known} is not within {lower}..{upper}\n{root}");
        assert!(state.bounds().settle(settings.goal));
        for code in state.best_moves() {
            let mut after = root.clone();
            after.play(after.decode(code).unwrap());
            let reached = -value(&after, whole).0;
            assert!(reached >= lower, "{code} reaches {reached} only");
        }
        // Credit: what was told is in the sums, but for what was lost in restarts, which was never told.
        let all = total(state.workers());
        assert_eq!((all.all().nodes, all.all().micros), (self.told, 2 * self.told));
        let users = by_user(state.workers());
        assert_eq!(users.values().map(|credit| credit.all().nodes).sum::<u64>(), self.told);
        assert!(state.units().is_empty() && (all.rejected.units == 0 || self.habits.lies > 0));
        // The records alone lead to the same state.
        let mut again = TreeState::new(self.root.clone(), settings.clone()).unwrap();
        again.grow(self.initial, MOST_INITIAL_NODES, &mut || false, &mut Vec::new()).unwrap();
        for record in &self.records {
            again.apply(record).unwrap();
        }
        assert!(again.parts() == state.parts());
    }
    /// What is known of first moves is true, and the line is best play. Not for games in which a position can come
    /// back: there a position on the way is worth something else than at the start of a game.
    fn check_moves(&self) {
        let state = self.coordinator.state();
        let whole = Window { alpha: LOWEST, beta: -LOWEST };
        let (known, _) = value(&self.root, whole);
        for (m, bounds) in state.first_moves() {
            let mut after = self.root.clone();
            after.play(m);
            let reached = -value(&after, whole).0;
            let Some(Bounds { lower, upper }) = bounds else { continue };
            assert!(lower <= reached && reached <= upper, "{m:?} has {reached}, not {lower}..{upper}");
        }
        // Every position on the line is worth the same.
        let (mut at, mut worth) = (self.root.clone(), known);
        for m in state.line() {
            assert_eq!(value(&at, whole).0, worth, "{m:?} on the line in\n{at}");
            at.play(m);
            worth = -worth;
        }
    }
}

/// What a worker says of its unit.
fn unit_end<G>(worker: WorkerId, work: &LeafUnit<G>, window: Window, outcome: UnitOutcome, nodes: u64) -> UnitEnd {
    let spent = Spent { nodes, micros: 2 * nodes };
    UnitEnd { worker, by: worker, unit: work.unit, window, outcome, spent }
}

/// Plays random moves until it is done, or the game is over.
fn play_until<G: Game>(mut position: G, rng: &mut Rng, done: impl Fn(&G) -> bool) -> G {
    let mut moves = Vec::new();
    while !done(&position) {
        moves.clear();
        position.moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        position.play(moves[rng.random_range(0..moves.len())]);
    }
    position
}

fn reversi_position(seed: u64, empty: u32) -> reversi::position::ReversiPosition {
    let mut rng = rng(seed, &[7]);
    let board = reversi::board::ReversiBoard::new(4, rng.random_range(4..=5)).unwrap();
    let start = if rng.random() { Start::Standard } else { Start::Alternative };
    let empties = if rng.random() { Empties::Ignored } else { Empties::ToWinner };
    let start = reversi::position::ReversiPosition::new(board, start).with_empties(empties);
    play_until(start, &mut rng, |position| position.empty().count_ones() <= empty)
}

fn go_position(seed: u64) -> go::position::GoPosition {
    let mut rng = rng(seed, &[8]);
    let (width, ko) =
        [(2, Ko::Basic), (2, Ko::Superko), (2, Ko::Free), (3, Ko::Basic), (3, Ko::Free), (4, Ko::Basic)]
            [rng.random_range(0..6)];
    let cycle = [Cycle::Tie, Cycle::LostForBlack, Cycle::LostForWhite][rng.random_range(0..3)];
    let rules = GoRules { ko, cycle, suicide: rng.random() };
    let board = go::board::GoBoard::new(width, 2).unwrap();
    let plies = rng.random_range(0..8);
    let mut position = go::position::GoPosition::new(board, rules);
    for _ in 0..plies {
        position = play_until(position.clone(), &mut rng, |now| *now != position);
    }
    // Half of them without their past, which is to make no difference.
    if rng.random() {
        position.forget();
    }
    position
}

fn goals() -> impl Strategy<Value = Goal> {
    prop_oneof![
        4 => Just(Goal::Exact),
        1 => Just(Goal::WinLossDraw),
        1 => (-9..9).prop_map(|points| Goal::Threshold(10 * points)),
    ]
}

fn settings(quorum: u32) -> impl Strategy<Value = TreeSettings> {
    let feeder = prop_oneof![Just(Feeder::Creation), Just(Feeder::Priority), Just(Feeder::Random)];
    (
        goals(),
        -200..200,
        any::<bool>(),
        feeder,
        any::<u64>(),
        0u32..3,
        prop_oneof![Just(50u64), Just(1000), Just(1_000_000)],
    )
        .prop_map(move |(goal, guess, fresh, feeder, seed, look_ahead, budget)| TreeSettings {
            goal,
            guess,
            fresh,
            budget,
            quorum,
            feeder,
            seed,
            look_ahead,
        })
}

fn habits(workers: std::ops::Range<u32>, lies: u32) -> impl Strategy<Value = Habits> {
    (any::<u64>(), workers, 0u32..60, 0u32..20, 0u32..30, any::<bool>()).prop_map(
        move |(seed, workers, exhausted, fail, restart, heed)| Habits {
            seed,
            workers,
            lies,
            exhausted,
            fail,
            restart,
            heed,
        },
    )
}

fn solve<G: Game + std::fmt::Debug>(root: G, settings: &TreeSettings, habits: Habits) -> Simulation<G> {
    solve_grown(root, settings, habits, 0)
}

/// The same, where so many plies of the tree are made before the first unit.
fn solve_grown<G: Game + std::fmt::Debug>(
    root: G,
    settings: &TreeSettings,
    habits: Habits,
    plies: u32,
) -> Simulation<G> {
    let mut simulation = Simulation::new(root, settings.clone(), habits);
    simulation.grow(plies);
    simulation.run();
    simulation.check(settings);
    simulation
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reversi_by_units_has_the_solvers_value(
        seed: u64, empty in 1u32..8, settings in settings(1), habits in habits(1..6, 0)
    ) {
        solve(reversi_position(seed, empty), &settings, habits).check_moves();
    }

    #[test]
    fn go_by_units_has_the_solvers_value(seed: u64, settings in settings(1), habits in habits(1..6, 0)) {
        solve(go_position(seed), &settings, habits);
    }

    #[test]
    fn a_tree_that_begins_with_some_plies_has_the_solvers_value(
        seed: u64, empty in 1u32..7, plies in 1u32..9, settings in settings(1), habits in habits(1..6, 0)
    ) {
        solve_grown(reversi_position(seed, empty), &settings, habits, plies).check_moves();
    }

    #[test]
    fn quorums_of_honest_workers_agree(
        seed: u64, empty in 1u32..7, settings in settings(2), habits in habits(2..6, 0)
    ) {
        let simulation = solve(reversi_position(seed, empty), &settings, habits);
        prop_assert!(simulation.distrusted.is_empty());
    }

    #[test]
    fn a_liar_does_not_change_the_value(
        seed: u64, empty in 1u32..7, settings in settings(2), habits in habits(3..6, 6)
    ) {
        let distrusted = solve(reversi_position(seed, empty), &settings, habits).distrusted;
        prop_assert!(distrusted.iter().all(|&worker| worker == 0));
    }
}

/// One whole board with a worker that always lies: the value is right, the liar is named, and what it did counts for
/// nothing.
#[test]
fn a_worker_that_always_lies_is_named() {
    let board = reversi::board::ReversiBoard::new(4, 4).unwrap();
    let root = reversi::position::ReversiPosition::new(board, Start::Standard);
    let settings = TreeSettings { quorum: 2, budget: 200, ..TreeSettings::default() };
    let habits = Habits { seed: 5, workers: 4, lies: 10, exhausted: 30, fail: 0, restart: 0, heed: true };
    let simulation = solve(root, &settings, habits);
    let state = simulation.coordinator.state();
    assert_eq!(state.bounds(), Bounds { lower: -80, upper: -80 });
    assert_eq!(simulation.distrusted, [0]);
    let liar = &state.workers()[0];
    assert!(liar.distrusted && liar.wrong >= 3 && liar.credit.rejected.nodes > 0, "{liar:?}");
    assert!(state.workers()[1..].iter().all(|worker| !worker.distrusted && worker.wrong == 0));
}

fn start_of<const N: u8>() -> reversi::position::ReversiPosition {
    reversi::position::ReversiPosition::new(reversi::board::ReversiBoard::new(N, N).unwrap(), Start::Standard)
}

/// Whole boards whose first plies are made before the first unit have their known values.
#[test]
fn known_values_after_some_plies() {
    let habits = Habits { seed: 3, workers: 3, lies: 0, exhausted: 30, fail: 5, restart: 5, heed: true };
    let settings = TreeSettings { budget: 5000, ..TreeSettings::default() };
    for plies in [1, 3, 6] {
        let reversi = solve_grown(start_of::<4>(), &settings, habits, plies);
        assert_eq!(reversi.coordinator.state().bounds(), Bounds { lower: -80, upper: -80 }, "{plies} plies");
        let rules = GoRules { ko: Ko::Basic, cycle: Cycle::Tie, suicide: false };
        let root = go::position::GoPosition::new(go::board::GoBoard::new(3, 3).unwrap(), rules);
        let point = go::position::GoPosition::POINT;
        let go = solve_grown(root, &settings, habits, plies.min(3));
        assert_eq!(go.coordinator.state().bounds(), Bounds { lower: 9 * point, upper: 9 * point }, "{plies} plies");
    }
}

/// The tree begins level by level with all positions that differ, and no more nodes than it may have.
#[test]
fn a_tree_begins_with_all_positions_of_its_first_plies() {
    let root = start_of::<6>();
    let grown = |plies: u32, most: usize| {
        let mut state = TreeState::new(root, TreeSettings { look_ahead: 0, ..TreeSettings::default() }).unwrap();
        assert!(state.grow(plies, most, &mut || false, &mut Vec::new()).unwrap());
        state.check().unwrap();
        state
    };
    let mut keyed = root;
    keyed.put_past_in_key();
    let mut level = vec![keyed];
    let mut expected = vec![1];
    for _ in 0..5 {
        let (mut next, mut keys) = (Vec::new(), BTreeSet::new());
        for position in level {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            for m in moves {
                let mut after = position;
                after.play(m);
                if keys.insert(after.symmetric_key().hash) {
                    next.push(after);
                }
            }
        }
        expected.push(next.len());
        level = next;
    }
    let state = grown(5, MOST_INITIAL_NODES);
    let counted = (0..=5).map(|level| state.nodes().iter().filter(|node| node.level == level).count());
    assert_eq!(counted.collect::<Vec<_>>(), expected);
    assert!(expected[5] > 100 && state.nodes().iter().all(|node| node.is_leaf() == (node.level == 5)));
    // Few nodes: whole levels but for the last two.
    let few = grown(5, 40);
    let last = few.nodes().iter().map(|node| node.level).max().unwrap();
    assert!((40..60).contains(&few.nodes().len()) && last < 5, "{} nodes", few.nodes().len());
    assert!(few.nodes().iter().all(|node| !node.is_leaf() || node.level + 1 >= last));
    // With a unit it has begun.
    let mut coordinator = Coordinator::new(grown(0, 0));
    let worker = coordinator.join("somebody", "1").unwrap();
    assert!(matches!(coordinator.next(worker).unwrap(), Next::Unit(_)));
    let nodes = coordinator.state().nodes().len();
    let mut state = coordinator.state().clone();
    assert!(state.grow(5, MOST_INITIAL_NODES, &mut || false, &mut Vec::new()).unwrap());
    assert_eq!(state.nodes().len(), nodes);
    let mut coordinator = coordinator.growing_to(5);
    assert!(coordinator.grow(&mut || false).unwrap() && coordinator.state().nodes().len() == nodes);
}

/// Whatever the moment, the file holds the state.
#[test]
fn the_file_holds_the_state() {
    for (seed, kind) in (0..12).flat_map(|seed| stores().into_iter().map(move |kind| (seed, kind))) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file::name(kind));
        let root = reversi_position(seed, 9);
        let settings = TreeSettings { quorum: 1 + (seed % 2) as u32, budget: 50, ..TreeSettings::default() };
        let habits = Habits { seed, workers: 3, lies: 0, exhausted: 30, fail: 5, restart: 0, heed: true };
        let mut simulation = Simulation::new(root, settings, habits);
        let mut store = TreeStore::create(kind, &path, "job", simulation.coordinator.state_mut()).unwrap();
        assert!(TreeStore::open(kind, &path).is_err_and(|error| error.to_string().contains("another process")));
        simulation.records.clear();
        simulation.coordinator.take_records();
        let (mut stored, mut checkpoints) = (0, 0u32);
        while !simulation.coordinator.state().is_finished() {
            simulation.step();
            store.append(&simulation.records[stored..]).unwrap();
            stored = simulation.records.len();
            if simulation.rng.random_range(0..20) == 0 {
                store.checkpoint(simulation.coordinator.state_mut(), f64::from(checkpoints)).unwrap();
                checkpoints += 1;
            }
            if simulation.rng.random_range(0..20) == 0 {
                drop(store);
                let (again, found) = TreeStore::open(kind, &path).unwrap();
                store = again;
                assert_eq!(found.job, "job");
                assert_eq!(found.seconds, f64::from(checkpoints.saturating_sub(1)));
                let state = found.state(root).unwrap();
                state.check().unwrap();
                assert!(state.parts() == simulation.coordinator.state().parts(), "seed {seed}");
            }
        }
        assert!(checkpoints > 0 || stored < 60, "seed {seed}");
    }
}

/// The journal beside the file: a crash between a checkpoint and its clearing, a power cut, one that was moved away,
/// and that of another solution.
#[test]
fn the_journal_is_read_after_crashes_and_never_for_another_solution() {
    stores().into_iter().for_each(journal_of);
}

fn journal_of(kind: StoreKind) {
    use std::fs;
    let dir = tempfile::tempdir().unwrap();
    let (path, journal) = (dir.path().join(file::name(kind)), dir.path().join("tree.journal"));
    let root = reversi_position(1, 9);
    let settings = TreeSettings { budget: 50, ..TreeSettings::default() };
    let habits = Habits { seed: 1, workers: 2, lies: 0, exhausted: 30, fail: 0, restart: 0, heed: true };
    let mut simulation = Simulation::new(root, settings, habits);
    let mut store = TreeStore::create(kind, &path, "job", simulation.coordinator.state_mut()).unwrap();
    simulation.records.clear();
    simulation.coordinator.take_records();
    let step = |simulation: &mut Simulation<_>, store: &mut TreeStore| {
        let stored = simulation.records.len();
        while simulation.records.len() < stored + 10 {
            simulation.step();
        }
        store.append(&simulation.records[stored..]).unwrap();
    };
    let opened = || {
        let (store, stored) = TreeStore::open(kind, &path).unwrap();
        drop(store);
        stored
    };
    step(&mut simulation, &mut store);
    let before = fs::read(&journal).unwrap();
    store.checkpoint(simulation.coordinator.state_mut(), 3.0).unwrap();
    drop(store);
    let checkpoint = opened();
    assert!(fs::read(&journal).unwrap().len() < before.len() && checkpoint.records.is_empty());
    // A crash before the journal was cleared.
    fs::write(&journal, &before).unwrap();
    assert_eq!(opened(), checkpoint);
    let (mut store, _) = TreeStore::open(kind, &path).unwrap();
    step(&mut simulation, &mut store);
    store.note_seconds(7.5).unwrap();
    drop(store);
    let whole = opened();
    assert!(whole.records.len() >= 10 && whole.seconds == 7.5 && whole.notice.is_none());
    let bytes = fs::read(&journal).unwrap();
    // A power cut: a later page was written and an earlier one not.
    let mut hole = bytes.clone();
    let length = hole.len();
    hole[before.len() + 20..length - 30].fill(0);
    fs::write(&journal, &hole).unwrap();
    assert_eq!(TreeStore::checkpoint_of(kind, &path).unwrap().parts, checkpoint.parts);
    assert!(
        fs::read(&journal).unwrap() == hole && fs::read_dir(dir.path()).unwrap().count() == 2,
        "a look changes it"
    );
    let cut = opened();
    assert!(cut.records.len() < whole.records.len() && whole.records.starts_with(&cut.records));
    assert!(cut.notice.unwrap().contains("as after a power cut"));
    assert_eq!(fs::read(dir.path().join("tree.journal.damaged-1")).unwrap(), hole);
    fs::remove_file(&journal).unwrap();
    let missing = opened();
    assert!(missing.notice.as_ref().is_some_and(|notice| notice.contains("tree.journal was missing")));
    assert!(missing.parts == checkpoint.parts && missing.records.is_empty());
    // That of another one.
    fs::rename(&path, dir.path().join("elsewhere")).unwrap();
    fs::write(&journal, &bytes).unwrap();
    let mut state = TreeState::new(root, TreeSettings::default()).unwrap();
    drop(TreeStore::create(kind, &path, "job", &mut state).unwrap());
    assert!(opened().records.is_empty());
    assert_eq!(fs::read(dir.path().join("tree.journal.damaged-2")).unwrap(), bytes, "it is kept");
    fs::write(&journal, &bytes).unwrap();
    let error = TreeStore::open(kind, &path).unwrap_err().to_string();
    assert!(error.contains("belongs to another solution"), "{error}");
}

/// Writes a flag of a closed file, or removes it, as another program would.
fn edit(kind: StoreKind, path: &Path, name: &str, value: Option<&[u8]>) {
    match kind {
        StoreKind::Redb => {
            let database = redb::Database::open(path).unwrap();
            let transaction = database.begin_write().unwrap();
            let mut table = transaction.open_table(redb::TableDefinition::<&str, &[u8]>::new("meta")).unwrap();
            match value {
                Some(value) => drop(table.insert(name, value).unwrap()),
                None => drop(table.remove(name).unwrap()),
            }
            drop(table);
            transaction.commit().unwrap();
        }
        #[cfg(feature = "sqlite")]
        StoreKind::Sqlite => {
            let database = rusqlite::Connection::open(path).unwrap();
            let edited = match value {
                Some(value) => database.execute("UPDATE flags SET value = ?2 WHERE name = ?1", (name, value)),
                None => database.execute("DELETE FROM flags WHERE name = ?1", [name]),
            };
            assert_eq!(edited, Ok(1));
        }
        #[cfg(not(feature = "sqlite"))]
        StoreKind::Sqlite => unreachable!("it was not built"),
    }
}

/// A file that cannot be right is refused, and not a byte of it is changed.
#[test]
fn damaged_and_newer_files_are_refused_and_left_alone() {
    stores().into_iter().for_each(refused_and_left_alone);
}

fn refused_and_left_alone(kind: StoreKind) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(file::name(kind));
    let root = reversi_position(3, 8);
    let mut state = TreeState::new(root, TreeSettings::default()).unwrap();
    drop(TreeStore::create(kind, &path, "job", &mut state).unwrap());
    let again = TreeStore::create(kind, &path, "job", &mut state);
    assert!(again.is_err_and(|error| error.to_string().contains("already")));
    let whole = std::fs::read(&path).unwrap();

    let edit = |name: &str, value: Option<&[u8]>| {
        std::fs::write(&path, &whole).unwrap();
        edit(kind, &path, name, value);
        let before = std::fs::read(&path).unwrap();
        let error = TreeStore::open(kind, &path).unwrap_err().to_string();
        assert_eq!(std::fs::read(&path).unwrap(), before, "{error}");
        error
    };
    assert!(edit("format", Some(&3u32.to_le_bytes())).contains("use a newer one"));
    assert!(edit("format", Some(b"x")).contains("not a number"));
    assert!(edit("meta", None).contains("missing"));
    assert!(edit("meta", Some(b"\x01aaaabbbb")).contains("checksum"));
    assert!(edit("meta", Some(b"\x09")).contains("version 9"));
    if kind == StoreKind::Sqlite {
        assert!(edit("job", Some(b"jot")).contains("do not match their sum"));
    }

    for bytes in [&b"not a database"[..], b"", &whole[..whole.len() / 2]] {
        std::fs::write(&path, bytes).unwrap();
        let error = TreeStore::open(kind, &path).unwrap_err().to_string();
        assert!(!error.is_empty());
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{error}");
    }
    // Bits that fall over: the same state or a refusal, never another state.
    let mut rng = rng(1, &[]);
    for _ in 0..60 {
        let mut bytes = whole.clone();
        let used = bytes.iter().rposition(|&byte| byte != 0).unwrap() + 1;
        let at = rng.random_range(0..used);
        bytes[at] ^= 1 << rng.random_range(0..8);
        std::fs::write(&path, &bytes).unwrap();
        if let Ok((store, stored)) = TreeStore::open(kind, &path) {
            drop(store);
            assert_eq!(stored.parts, state.parts(), "byte {at}");
            assert_eq!(stored.job, "job", "byte {at}");
        }
    }
    // Another game than the one that it belongs to.
    std::fs::write(&path, &whole).unwrap();
    let (_, stored) = TreeStore::open(kind, &path).unwrap();
    let error = stored.state(reversi_position(4, 8)).unwrap_err().to_string();
    assert!(error.contains("another position"), "{error}");
}

/// A position after a capture and a pass, whose past once changed the value by units but not the solver's.
#[test]
fn the_past_of_the_root_makes_no_difference() {
    let settings = TreeSettings { budget: 50, guess: 0, look_ahead: 0, ..TreeSettings::default() };
    let habits = Habits { seed: 0, workers: 1, lies: 0, exhausted: 36, fail: 0, restart: 0, heed: false };
    let root = go_position(12_605_477_072_074_925_680);
    assert!(root.has_past());
    solve(root, &settings, habits);
}
