//! `morpion solve --units` as a user runs it: killed and gone on with, interrupted, asked for nonsense; and its
//! workers, one of which lies.

use crate::hunts::*;
use crate::stores::stores;
use morpion::core::game::{Game, MAX_VALUE};
use morpion::core::setting::show_name;
use morpion::games::reversi::board::ReversiBoard;
use morpion::games::reversi::position::{ReversiPosition, Start};
use morpion::jobs::tree::coordinator::{Coordinator, LeafUnit};
use morpion::jobs::tree::credit::total;
use morpion::jobs::tree::record::TreeEvent;
use morpion::jobs::tree::settings::{StoreKind, TreeSettings};
use morpion::jobs::tree::state::TreeState;
use morpion::jobs::tree::unit::UnitOutcome;
use morpion::runner::Interrupt;
use morpion::runner::tree::file;
use morpion::runner::tree::solver::{ByEngine, MakeEngine, Solver, SolverAnswer, UnitControl};
use morpion::runner::tree::{CreditedSolver, SolveEnding, SolveListener, TreeError, solve_by_units};
use morpion::solvers::busy::Busy;
use morpion::solvers::monitor::Monitor;
use morpion::solvers::reversi::engine::ReversiEngine;
use morpion::solvers::search::Stats;
use morpion::solvers::solve::Engine;
use morpion::solvers::table::Table;
use rand::RngExt;
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Fixed, so that a failure can be repeated as far as the clock allows.
const SEED: u64 = 20_261;

/// Solving 5x5 takes 2.6 million nodes at once: some hundred units.
const FIVE: &str = "solve reversi --size 5 --units --unit-budget 8k --fresh-tables --memory 1M --json";

fn json(out: &str) -> Value {
    serde_json::from_str(out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

fn credit(found: &Value) -> &Value {
    &found["units"]["credit"]
}

/// Kills the command some times, each `within` so long of its start, then lets it end; what it says then, and how
/// often it was killed.
fn killed(dir: &Path, arguments: &str, within: Duration, rng: &mut morpion::core::seed::Rng) -> (Value, u32) {
    let mut kills = 0;
    let has_file = || StoreKind::ALL.into_iter().any(|kind| dir.join("state").join(file::name(kind)).exists());
    for _ in 0..8 {
        let mut child = morpion(dir, arguments).stderr(Stdio::null()).spawn().unwrap();
        wait_until("the solution has a file", has_file);
        std::thread::sleep(within.mul_f64(rng.random()));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        signal(&child, "KILL");
        child.wait().unwrap();
        kills += 1;
    }
    (json(&succeed(dir, arguments)), kills)
}

#[test]
fn killed_at_any_moment_it_loses_no_finished_unit() {
    let mut rng = morpion::core::seed::rng(SEED, &[]);
    let dir = temporary();
    let began = Instant::now();
    let whole = json(&succeed(dir.path(), FIVE));
    // On every machine there is time for several, also when it is less busy by then.
    let within = began.elapsed() / 16;
    assert_eq!((&whole["lower"], &whole["upper"], &whole["settled"]), (&13.into(), &13.into(), &true.into()));
    assert!(credit(&whole)["accepted"]["units"].as_u64().unwrap() > 100, "{whole}");
    // One worker does the same units in the same order, however often it begins again.
    let same = |found: &Value, whole: &Value, said: &str| {
        for field in ["lower", "upper", "settled", "best_moves"] {
            assert_eq!(found[field], whole[field], "{said}");
        }
        assert_eq!(found["units"]["tree_nodes"], whole["units"]["tree_nodes"], "{said}");
        for field in ["units", "nodes"] {
            assert_eq!(credit(found)["accepted"][field], credit(whole)["accepted"][field], "{said}");
        }
    };
    for store in stores() {
        let (dir, store) = (temporary(), show_name(&store));
        let arguments = format!("{FIVE} --state state --store {store}");
        let (found, kills) = killed(dir.path(), &arguments, within, &mut rng);
        same(&found, &whole, &format!("{store}, seed {SEED}, {kills} kills"));
        assert_eq!(found["units"]["store"], store);
        assert!(kills >= 2, "it was over after {kills} kills");
        // Also while the tree is made that is to be there before the first unit.
        let grown = format!("{FIVE} --initial-depth 6");
        let whole = json(&succeed(dir.path(), &grown));
        assert_eq!((&whole["lower"], &whole["upper"]), (&13.into(), &13.into()));
        let dir = temporary();
        let (found, kills) = killed(dir.path(), &format!("{grown} --state state --store {store}"), within, &mut rng);
        same(&found, &whole, &format!("{store}, grown, seed {SEED}, {kills} kills"));
    }
    // Several may do others, and come to the same value.
    for more in ["--threads 3", "--threads 2 --quorum 2 --feeder random --seed 4"] {
        let dir = temporary();
        let (found, _) = killed(dir.path(), &format!("{FIVE} --state state {more}"), within, &mut rng);
        assert_eq!((&found["lower"], &found["upper"]), (&13.into(), &13.into()), "seed {SEED}");
        let workers = found["units"]["workers"].as_array().unwrap();
        for part in ["accepted", "not_needed", "refused"] {
            let sum: u64 = workers.iter().map(|worker| worker["credit"][part]["nodes"].as_u64().unwrap()).sum();
            assert_eq!(credit(&found)[part]["nodes"], sum);
            assert_eq!(found["units"]["users"]["local"][part]["nodes"], sum);
        }
        assert_eq!(credit(&found)["refused"]["units"], 0);
    }
}

#[test]
fn interrupted_it_says_what_it_knows_and_goes_on() {
    let dir = temporary();
    let command = "solve reversi --size 6 --units --unit-budget 8k --memory 1M --state state --threads 2";
    let child = morpion(dir.path(), command).spawn().unwrap();
    wait_until("it has begun", || dir.path().join("state/tree.redb").exists());
    signal(&child, "INT");
    let cut = wait(child);
    assert_eq!(cut.status.code(), Some(1), "{}", text(&cut.stderr));
    let out = text(&cut.stdout);
    assert!(out.contains("not settled") && out.contains("the same command continues"), "{out}");
    // Another question is not asked of the same file.
    for other in [
        "--threshold 2",
        "--unit-budget 9k",
        "--quorum 2",
        "--start alternative",
        "--algorithm negascout",
        "--initial-depth 2",
    ] {
        let other = format!(
            "{} {other}",
            command.replace("--unit-budget 8k", if other.contains("budget") { "" } else { "--unit-budget 8k" })
        );
        refuse(dir.path(), &other, "holds another solution");
    }
    // Nor is the file of one database opened by another, whether the program has that or not.
    let file = dir.path().join("state/tree.redb");
    let before = std::fs::read(&file).unwrap();
    let other = format!("{command} --store sqlite");
    refuse(dir.path(), &other, "tree.redb holds a solution in the store redb, and not sqlite: give the store redb");
    assert!(std::fs::read(&file).unwrap() == before && !dir.path().join("state/tree.sqlite").exists());
    std::fs::write(&file, "no database").unwrap();
    refuse(dir.path(), command, "state/tree.redb");
    std::fs::rename(&file, dir.path().join("state/tree.sqlite")).unwrap();
    refuse(dir.path(), command, "tree.sqlite holds a solution in the store sqlite, and not redb");
    assert!(!file.exists());
}

#[cfg(not(feature = "sqlite"))]
#[test]
fn without_sqlite_the_command_says_what_to_build() {
    let dir = temporary();
    let command = "solve reversi --size 4 --units --state new --store sqlite";
    refuse(dir.path(), command, "cargo build --release --features sqlite");
    assert!(!dir.path().join("new").exists());
}

#[test]
fn units_solve_what_can_be_asked() {
    let dir = temporary();
    let solve =
        |arguments: &str| json(&succeed(dir.path(), &format!("solve {arguments} --units --memory 1M --json")));
    let found = solve("reversi --size 4 --algorithm negascout --without table --unit-budget 4k");
    assert_eq!((&found["lower"], &found["upper"]), (&(-8).into(), &(-8).into()));
    let found = solve("reversi --size 4x5 --threads 2 --value win-loss-draw --algorithm dfpn");
    assert!(found["lower"].as_i64() >= Some(1), "{found}");
    let found = solve("reversi --size 4x6 --threshold 17 --unit-budget 5k --user ada");
    assert!(found["upper"].as_i64() <= Some(16) && found["units"]["users"]["ada"].is_object(), "{found}");
    let found = solve("go --size 3 --unit-budget 5k --threads 2");
    assert_eq!((&found["lower"], &found["upper"]), (&9.into(), &9.into()));
    for (game, value) in [("reversi --size 4", -8), ("go --size 3", 9)] {
        let found = solve(&format!("{game} --initial-depth 3 --unit-budget 5k"));
        assert_eq!((&found["lower"], &found["upper"]), (&value.into(), &value.into()), "{game}");
        assert_eq!(found["units"]["initial_depth"], 3);
    }
    let out = succeed(dir.path(), "solve reversi --size 4 --units --threads 2");
    assert!(out.contains("-8 for black: white wins") && out.contains("worker      local/2"), "{out}");
}

#[test]
fn what_cannot_be_is_refused() {
    let dir = temporary();
    let command = "solve reversi --size 4";
    for (arguments, expected) in [
        ("--quorum 2", "--units"),
        ("--state x", "--units"),
        ("--units --quorum 2", "as many workers"),
        ("--units --quorum 0", "1..=9"),
        ("--units --unit-budget 0", "0"),
        ("--units --budget 5", "cannot be used with"),
        ("--units --threads 0", "out of range"),
        ("--units --feeder last", "invalid value"),
        ("--units --store redb", "needs --state"),
        ("--store redb", "--units"),
        ("--units --state x --store mysql", "invalid value"),
        ("--units --initial-depth 61", "0..=60"),
    ] {
        refuse(dir.path(), &format!("{command} {arguments}"), expected);
    }
}

struct Special;

impl MakeEngine<ReversiPosition> for Special {
    fn make<'a>(&self, table: &'a Table, _: &'a Busy, monitor: &'a Monitor) -> Box<dyn Engine<ReversiPosition> + 'a> {
        Box::new(ReversiEngine { table, busy: None, monitor, stats: Stats::default() })
    }
}

/// A worker that turns every second answer into its contrary, and one that breaks down at times.
struct Double {
    honest: ByEngine<Special>,
    units: u32,
    lies: bool,
}

impl Solver<ReversiPosition> for Double {
    fn solve(&mut self, work: &LeafUnit<ReversiPosition>, control: &UnitControl) -> SolverAnswer {
        self.units += 1;
        let answer = self.honest.solve(work, control);
        if !self.units.is_multiple_of(2) {
            return answer;
        }
        assert!(self.lies || !self.units.is_multiple_of(10), "a breakdown, as the test wants it");
        let window = answer.window;
        let outcome = match answer.outcome {
            UnitOutcome::Answered { lower, .. } if self.lies && lower >= window.beta => {
                UnitOutcome::Answered { lower: -MAX_VALUE, upper: window.alpha }
            }
            UnitOutcome::Answered { .. } if self.lies => {
                UnitOutcome::Answered { lower: window.beta, upper: MAX_VALUE }
            }
            other => other,
        };
        SolverAnswer { outcome, ..answer }
    }
}

fn member(lies: &[bool], place: usize) -> CreditedSolver<ReversiPosition> {
    let lies = lies[place];
    let solver = move || {
        let honest = ByEngine::new(Special, Arc::new(Table::new(1 << 20)?));
        Ok(Box::new(Double { honest, units: 0, lies }) as Box<dyn Solver<ReversiPosition>>)
    };
    let user = if lies { "mallory" } else { "alice" }.to_owned();
    CreditedSolver { user, name: place.to_string(), factory: Box::new(solver) }
}

/// Notes who is no longer trusted.
#[derive(Default)]
struct Notes(Vec<u32>);

impl SolveListener<ReversiPosition> for Notes {
    fn event(&mut self, _: &TreeState<ReversiPosition>, event: &TreeEvent, _: f64) -> std::io::Result<()> {
        if let TreeEvent::Distrusted { worker } = event {
            self.0.push(*worker);
        }
        Ok(())
    }
}

#[test]
fn with_a_quorum_a_lying_worker_is_named_and_the_value_is_right() {
    let root = ReversiPosition::new(ReversiBoard::new(4, 6).unwrap(), Start::Standard);
    let settings = TreeSettings { quorum: 2, budget: 5000, ..TreeSettings::default() };
    let mut coordinator = Coordinator::new(TreeState::new(root, settings.clone()).unwrap());
    let mut notes = Notes::default();
    let factory = |place: usize| member(&[false, true, false], place);
    let ended = solve_by_units(&mut coordinator, None, 3, &factory, &Interrupt::default(), &mut notes).unwrap();
    let state = coordinator.state();
    assert_eq!((ended, state.bounds().lower, state.bounds().upper), (SolveEnding::Solved, 160, 160));
    assert_eq!(notes.0, [1]);
    let wrong: Vec<u64> = state.workers().iter().map(|worker| worker.wrong).collect();
    assert!(wrong[0] == 0 && wrong[1] >= 3 && wrong[2] == 0, "{wrong:?}");
    assert!(state.workers()[0].failed > 0 && state.workers()[2].failed > 0);
    assert_eq!(total(state.workers()).rejected.units, state.workers()[1].credit.rejected.units);

    // With nobody to decide it is not settled, and says why.
    let mut coordinator = Coordinator::new(TreeState::new(root, settings).unwrap());
    let factory = |place: usize| member(&[false, true], place);
    let error = solve_by_units(&mut coordinator, None, 2, &factory, &Interrupt::default(), &mut notes).unwrap_err();
    assert!(matches!(error, TreeError::Stuck { .. }), "{error}");
    assert!(!coordinator.state().is_finished() && coordinator.running() == 0);
    assert!(coordinator.state().bounds().lower <= 16 * ReversiPosition::POINT);
}

/// A worker that is alone remembers what it searched: the same windows of the same nodes take less. Where several
/// have to agree, each unit begins with nothing.
#[test]
fn tables_are_kept_between_units_unless_they_must_not() {
    let dir = temporary();
    let nodes = |more: &str| {
        let found =
            json(&succeed(dir.path(), &format!("solve reversi --size 5 --units --unit-budget 100k --json {more}")));
        assert_eq!((&found["lower"], &found["upper"]), (&13.into(), &13.into()), "{more}");
        (found["units"]["fresh_tables"].as_bool().unwrap(), credit(&found)["accepted"]["nodes"].as_u64().unwrap())
    };
    let (kept, fresh, quorum) = (nodes(""), nodes("--fresh-tables"), nodes("--threads 2 --quorum 2"));
    assert_eq!((kept.0, fresh.0), (false, true));
    assert!(kept.1 * 5 < fresh.1 * 4, "{} nodes with what was known, {} without", kept.1, fresh.1);
    // Two do each unit.
    assert!(quorum.1 * 10 > fresh.1 * 17, "{} nodes of two, {} of one", quorum.1, fresh.1);
    // A good guess is half the work.
    let guessed = nodes("--guess 13");
    assert!(guessed.1 < kept.1, "{} nodes from 13, {} from 0", guessed.1, kept.1);
}
