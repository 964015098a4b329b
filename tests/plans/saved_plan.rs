//! Searches of plans that are saved: they go on to the same proof, and bytes that do not belong to them are refused.

use super::plan::finding;
use super::positions::{after, rules};
use morpion::core::game::Side;
use morpion::games::gomoku::board::GomokuBoard;
use morpion::games::gomoku::position::GomokuPosition;
use morpion::games::gomoku::rules::{GomokuRules, RowRule};
use morpion::runner::planning::division::Division;
use morpion::runner::planning::trees::{PlanTrees, PlanTreesError, TreeName};
use morpion::runner::planning::{PlanFinding, PlanNews, PlanPortions, PlanningError, check_plan, find_plan};
use morpion::solvers::gomoku::plan::saved::PlanRestoreError;
use morpion::solvers::gomoku::plan::search::PlanSearch;
use morpion::solvers::gomoku::plan::{WinningPlan, text};
use morpion::solvers::gomoku::threats::ThreatTables;
use morpion::solvers::monitor::Monitor;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

/// Nodes of one run.
const TURN: u64 = 60_000;

/// A position whose proof needs moves that threaten nothing: white has left the middle.
fn start() -> GomokuPosition {
    after(GomokuBoard::USUAL, GomokuRules::default(), "h8h9i9a1")
}

fn tables(position: &GomokuPosition) -> ThreatTables {
    ThreatTables::new(position.board(), position.rules()).unwrap()
}

/// A search of the position after one turn, as bytes, and one that has come to its end in so many turns.
fn saved(position: &GomokuPosition, known: &WinningPlan) -> Vec<u8> {
    let tables = tables(position);
    let mut search = PlanSearch::new(&tables, position, known).unwrap();
    assert!(search.run(&Monitor::with_budget(TURN)).is_err(), "it is proven at once");
    search.save()
}

fn holds(plan: &WinningPlan) {
    let checked = check_plan(plan, &tables(plan.start()), 0..plan.moves().len(), 2, &|| false, &|_| ());
    assert_eq!((&checked.hole, &checked.unanswered), (&None, &None));
    assert!(checked.start && checked.moves == plan.moves().len());
}

#[test]
fn a_search_that_is_restored_goes_on_in_the_same_way() {
    let (start, monitor) = (start(), Monitor::with_budget(TURN));
    let (tables, known) = (tables(&start), WinningPlan::new(start.clone(), Side::First));
    let mut undisturbed = PlanSearch::new(&tables, &start, &known).unwrap();
    let mut restored = PlanSearch::new(&tables, &start, &known).unwrap();
    let mut turns = 0;
    loop {
        monitor.restart(0);
        let one = undisturbed.run(&monitor);
        monitor.restart(0);
        let other = restored.run(&monitor);
        assert_eq!(one.is_ok(), other.is_ok());
        assert_eq!((undisturbed.nodes(), undisturbed.proof()), (restored.nodes(), restored.proof()));
        let bytes = restored.save();
        assert!(undisturbed.save() == bytes, "turn {turns} differs");
        turns += 1;
        if one.is_ok() {
            assert_eq!((one, other), (Ok(true), Ok(true)));
            break;
        }
        restored = PlanSearch::restore(&tables, &start, &known, &bytes).unwrap();
        assert_eq!(restored.nodes(), undisturbed.nodes());
        assert_eq!(restored.threats(), undisturbed.threats());
    }
    assert!(turns >= 3, "{turns} turns");
    let plan = |mut search: PlanSearch| {
        let mut plan = known.clone();
        search.add_to(&mut plan, &[]);
        plan
    };
    let (one, other) = (plan(undisturbed), plan(restored));
    assert!(one.moves().len() > 2);
    assert_eq!(text::to_text(&one), text::to_text(&other));
    holds(&other);
}

#[test]
fn damaged_bytes_are_refused() {
    let start = start();
    let (tables, known) = (tables(&start), WinningPlan::new(start.clone(), Side::First));
    let bytes = saved(&start, &known);
    let read = |bytes: &[u8]| PlanSearch::restore(&tables, &start, &known, bytes).map(|_| ());
    assert!(read(&bytes).is_ok());
    // Every bit of the beginning, and some of the rest.
    for bit in (0..800).chain((800..bytes.len() * 8).step_by(997)) {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let error = read(&changed).expect_err("damage");
        assert!(matches!(error, PlanRestoreError::Damaged(_) | PlanRestoreError::Newer(_)), "bit {bit}: {error}");
    }
    for length in (0..40).chain([bytes.len() / 2, bytes.len() - 1]) {
        assert!(matches!(read(&bytes[..length]), Err(PlanRestoreError::Damaged(_))), "{length} bytes");
    }
    assert!(matches!(read(&[&bytes[..], &[0]].concat()), Err(PlanRestoreError::Damaged(_))));
    // A sum that matches does not help content that is none.
    let mut other = bytes[..12].to_vec();
    other.extend(morpion::core::frame::checksum(b"nothing"));
    other.extend(b"nothing");
    assert!(matches!(read(&other), Err(PlanRestoreError::Damaged(_))));
}

#[test]
fn bytes_of_another_search_are_refused() {
    let start = start();
    let (tables, known) = (tables(&start), WinningPlan::new(start.clone(), Side::First));
    let bytes = saved(&start, &known);
    let foreign = |position: &GomokuPosition, plan: &WinningPlan| {
        matches!(PlanSearch::restore(&tables, position, plan, &bytes), Err(PlanRestoreError::Foreign))
    };
    for (board, rules, moves) in [
        (GomokuBoard::USUAL, GomokuRules::default(), "h8h9i9a2"),
        (GomokuBoard::USUAL, rules(RowRule::Free, 5), "h8h9i9a1"),
        (GomokuBoard::new(15, 16).unwrap(), GomokuRules::default(), "h9h10i10a2"),
    ] {
        let other = after(board, rules, moves);
        assert!(foreign(&other, &WinningPlan::new(other.clone(), Side::First)), "{moves}");
    }
    assert!(foreign(&start, &WinningPlan::new(start.clone(), Side::Second)));
}

/// What a search takes for proven is what the plan has, so it needs the moves of that plan.
#[test]
fn a_plan_may_grow_but_not_shrink() {
    let start = start();
    let tables = tables(&start);
    let mut known = WinningPlan::new(start.clone(), Side::First);
    let mut first = PlanSearch::new(&tables, &start, &known).unwrap();
    while !first.run(&Monitor::with_budget(u64::MAX)).unwrap() {}
    let mut whole = known.clone();
    first.add_to(&mut whole, &[]);
    // The last positions of the plan, and then all of it.
    let (mut more, moves) = (known.clone(), whole.moves());
    assert!(moves.len() >= 3);
    for (number, planned) in moves[1..].iter().enumerate() {
        let plan = if number == 0 { &mut known } else { &mut more };
        plan.add(planned.way.clone(), &whole.position(planned), planned.answer);
    }
    let (none, mut grown) = (WinningPlan::new(start.clone(), Side::First), known.clone());
    for planned in more.moves() {
        grown.add(planned.way.clone(), &whole.position(planned), planned.answer);
    }
    let mut search = PlanSearch::new(&tables, &start, &known).unwrap();
    let _ = search.run(&Monitor::with_budget(TURN));
    let bytes = search.save();
    let read = |plan: &WinningPlan| PlanSearch::restore(&tables, &start, plan, &bytes).map(|_| ());
    assert!(read(&known).is_ok() && read(&grown).is_ok());
    assert!(matches!(read(&none), Err(PlanRestoreError::Lacking)));
    assert!(matches!(read(&more), Err(PlanRestoreError::Lacking)), "other moves of the same number");
    // A plan that has been written and read is the same.
    assert!(read(&text::parse(&text::to_text(&grown)).unwrap()).is_ok());
}

/// Files with trees in a directory.
fn names(directory: &std::path::Path) -> BTreeSet<String> {
    let names = std::fs::read_dir(directory).unwrap();
    names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn trees_are_kept_until_their_goal_has_a_plan() {
    let folder = tempfile::tempdir().unwrap();
    let (start, path) = (start(), folder.path().join("trees"));
    let tables = tables(&start);
    let mut plan = WinningPlan::new(start.clone(), Side::First);
    let kept = PlanTrees::open(&path, &plan).unwrap();
    assert!(matches!(PlanTrees::open(&path, &plan), Err(PlanTreesError::Locked(_))));
    // It is stopped again and again before it has found the plan.
    let (nodes, most) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    let mut open = 1;
    for call in 1..200 {
        let looks = AtomicUsize::new(0);
        let stop = || looks.fetch_add(1, SeqCst) + 1 >= call;
        let told = |_: &WinningPlan, news: &PlanNews| {
            nodes.lock().unwrap().push(news.nodes);
            Ok::<(), PlanningError>(())
        };
        open = find_plan(&mut plan, &tables, finding(1, Some(&kept)), &stop, &told).unwrap();
        most.fetch_max(call, SeqCst);
        if open == 0 {
            break;
        }
        assert_eq!(names(&path), ["about.plan", "start.tree"].map(str::to_owned).into());
    }
    assert_eq!(open, 0);
    let nodes = nodes.into_inner().unwrap();
    assert!(nodes.is_sorted(), "{nodes:?}");
    assert_eq!(names(&path), ["about.plan".to_owned()].into());
    holds(&plan);
    // The directory is of this plan alone, and a damaged tree is told of.
    drop(kept);
    let other = WinningPlan::new(start.clone(), Side::Second);
    assert!(matches!(PlanTrees::open(&path, &other), Err(PlanTreesError::Other(_))));
    let none = WinningPlan::new(start.clone(), Side::First);
    let kept = PlanTrees::open(&path, &none).unwrap();
    kept.write(TreeName { reply: None, attack: None }, b"MorpPlan").unwrap();
    let begun = AtomicBool::new(false);
    let told = |_: &WinningPlan, _: &PlanNews| {
        begun.store(true, SeqCst);
        Ok::<(), PlanningError>(())
    };
    let error =
        find_plan(&mut none.clone(), &tables, finding(1, Some(&kept)), &|| false, &told).unwrap_err().to_string();
    assert!(error.contains("start.tree: it is damaged") && error.contains("remove the file"), "{error}");
    assert!(!begun.into_inner());
}

/// Threads that are left over keep what they know of the moves that they try, too.
#[test]
fn tasks_that_try_other_moves_keep_their_trees() {
    let folder = tempfile::tempdir().unwrap();
    // It is not answered within seconds.
    let start = after(GomokuBoard::USUAL, GomokuRules::default(), "h8h9i9i8");
    let tables = tables(&start);
    let mut plan = WinningPlan::new(start.clone(), Side::First);
    let kept = PlanTrees::open(folder.path(), &plan).unwrap();
    let mut nodes = Vec::new();
    for _ in 0..2 {
        let (looks, all) = (AtomicUsize::new(0), Mutex::new(0));
        let stop = || looks.fetch_add(1, SeqCst) >= 10;
        let told = |_: &WinningPlan, news: &PlanNews| {
            *all.lock().unwrap() += news.nodes;
            Ok::<(), PlanningError>(())
        };
        assert_eq!(find_plan(&mut plan, &tables, finding(3, Some(&kept)), &stop, &told).unwrap(), 1);
        nodes.push(all.into_inner().unwrap());
        let left = names(folder.path());
        let others = left.iter().filter(|name| name.starts_with("start-") && name.ends_with(".tree")).count();
        assert!(others == 2 && left.contains("start.tree"), "{left:?}");
    }
    assert!(nodes[0] < nodes[1], "{nodes:?}");
}

/// Wherever a search is stopped, it takes nothing for proven before it has looked at all replies.
#[test]
fn what_a_search_proves_holds_wherever_it_was_stopped() {
    let start = start();
    let (tables, known) = (tables(&start), WinningPlan::new(start.clone(), Side::First));
    for turn in [61_000, 67_000, 73_000, 79_000, 85_000, 97_000] {
        let monitor = Monitor::with_budget(turn);
        let mut search = PlanSearch::new(&tables, &start, &known).unwrap();
        while search.run(&monitor) != Ok(true) {
            monitor.restart(0);
        }
        let mut plan = known.clone();
        search.add_to(&mut plan, &[]);
        holds(&plan);
    }
}

#[test]
fn trees_of_replies_have_names_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let start = after(GomokuBoard::USUAL, GomokuRules::default(), "h8");
    let kept = PlanTrees::open(folder.path(), &WinningPlan::new(start.clone(), Side::First)).unwrap();
    let [h1, h10, i9] = ["h1", "h10", "i9"].map(|name| start.board().named(name).unwrap());
    for (reply, attack) in [(Some(h1), None), (Some(h1), Some(i9)), (Some(h10), None), (None, Some(h1))] {
        kept.write(TreeName { reply, attack }, b"").unwrap();
    }
    let all = ["about.plan", "h1.tree", "h1-i9.tree", "h10.tree", "start-h1.tree"];
    assert_eq!(names(folder.path()), all.map(str::to_owned).into());
    kept.remove(Some(h1)).unwrap();
    assert_eq!(names(folder.path()), ["about.plan", "h10.tree", "start-h1.tree"].map(str::to_owned).into());
    kept.remove(None).unwrap();
    assert_eq!(names(folder.path()), ["about.plan", "h10.tree"].map(str::to_owned).into());
}

/// Portions so small that a goal is divided at once, and its parts are divided again.
const SMALL: PlanPortions = PlanPortions { turn: 20_000, alone: 0, part: 10_000, ranking: 20_000 };

/// A goal that its own search does not prove is divided, by one thread or more, and goes on where it was stopped.
#[test]
fn divided_goals_come_to_a_plan() {
    let start = start();
    let tables = tables(&start);
    let never = |_: &WinningPlan, _: &PlanNews| Ok::<(), PlanningError>(());
    let mut plan = WinningPlan::new(start.clone(), Side::First);
    let finding = PlanFinding { threads: 2, kept: None, portions: SMALL };
    assert_eq!(find_plan(&mut plan, &tables, finding, &|| false, &never).unwrap(), 0);
    holds(&plan);

    let folder = tempfile::tempdir().unwrap();
    let mut plan = WinningPlan::new(start.clone(), Side::First);
    let kept = PlanTrees::open(folder.path(), &plan).unwrap();
    let finding = PlanFinding { threads: 1, kept: Some(&kept), portions: SMALL };
    let (nodes, mut stops) = (Mutex::new(Vec::new()), 0);
    for call in 3..200 {
        let looks = AtomicUsize::new(0);
        let stop = || looks.fetch_add(1, SeqCst) + 1 >= call;
        let told = |_: &WinningPlan, news: &PlanNews| {
            nodes.lock().unwrap().push(news.nodes);
            Ok::<(), PlanningError>(())
        };
        if find_plan(&mut plan, &tables, finding, &stop, &told).unwrap() == 0 {
            break;
        }
        stops += 1;
        assert!(names(folder.path()).contains("start-divided.tree"));
    }
    let nodes = nodes.into_inner().unwrap();
    assert!(stops > 0 && nodes.is_sorted(), "{stops} {nodes:?}");
    assert_eq!(names(folder.path()), ["about.plan".to_owned()].into());
    holds(&plan);
}

#[test]
fn divisions_that_do_not_fit_are_refused() {
    let (start, folder) = (start(), tempfile::tempdir().unwrap());
    let none = WinningPlan::new(start.clone(), Side::First);
    let kept = PlanTrees::open(folder.path(), &none).unwrap();
    let bytes = Division::new(Vec::new(), 7, 3).save(&none);
    kept.write_division(None, &bytes).unwrap();
    let read = kept.division(None, &[], &none).unwrap().unwrap();
    assert_eq!((read.nodes(), read.threats(), read.is_proven()), (7, 3, false));
    assert!(matches!(Division::restore(&bytes, &[0], &none), Err(PlanRestoreError::Foreign)));
    let other = WinningPlan::new(start, Side::Second);
    assert!(matches!(Division::restore(&bytes, &[], &other), Err(PlanRestoreError::Foreign)));
    for at in 0..bytes.len() {
        let mut spoiled = bytes.clone();
        spoiled[at] ^= 1;
        assert!(Division::restore(&spoiled, &[], &none).is_err(), "{at}");
        assert!(Division::restore(&bytes[..at], &[], &none).is_err(), "{at}");
    }
    kept.write_division(None, &bytes[..20]).unwrap();
    let error = kept.division(None, &[], &none).unwrap_err().to_string();
    assert!(error.contains("start-divided.tree: it is damaged"), "{error}");
}
