//! The search of a plan of Gomoku that was saved before it had come to its end.

use crate::{data, document, fresh, packed, unpacked, write_document};
use morpion::core::game::{Game, Side};
use morpion::games::gomoku::board::GomokuBoard;
use morpion::games::gomoku::notation::parse_moves;
use morpion::games::gomoku::position::{GomokuMove, GomokuPosition};
use morpion::games::gomoku::rules::GomokuRules;
use morpion::runner::planning::check_plan;
use morpion::solvers::gomoku::plan::WinningPlan;
use morpion::solvers::gomoku::plan::search::PlanSearch;
use morpion::solvers::monitor::Monitor;
use serde_json::json;
use std::fs;

/// The position, with black to move.
const MOVES: &str = "h8i9h7g7";
/// Nodes before it is saved.
const NODES: u64 = 150_000;

fn begun() -> WinningPlan {
    let mut start = GomokuPosition::new(GomokuBoard::USUAL, GomokuRules::default());
    for point in parse_moves(start.board(), MOVES).unwrap() {
        start.play(GomokuMove(point));
    }
    WinningPlan::begin(start, Side::First).unwrap()
}

/// How a search goes on is for each version to say; what it knew is still there, and the proof holds.
#[test]
fn a_search_of_a_plan_is_continued_to_a_proof() {
    let (known, recorded) = (begun(), document(&data().join("plans/search.json")));
    let tables = known.tables().unwrap();
    let bytes = unpacked(&data().join("plans/search.gz"));
    let mut search = PlanSearch::restore(&tables, known.start(), &known, &bytes).unwrap();
    let now = json!({ "nodes": search.nodes(), "threats": search.threats(), "proof": search.proof() });
    assert_eq!(now, recorded);
    assert_eq!(search.run(&Monitor::default()), Ok(true));
    let mut plan = known.clone();
    search.add_to(&mut plan, &[]);
    let checked = check_plan(&plan, &tables, 0..plan.moves().len(), 2, &|| false, &|_| ());
    assert!(checked.hole.is_none() && checked.start && checked.moves == plan.moves().len(), "{checked:?}");
}

#[test]
#[ignore = "it writes the files that the other tests compare with"]
fn make_plans() {
    let (known, to) = (begun(), fresh("plans"));
    let tables = known.tables().unwrap();
    let mut search = PlanSearch::new(&tables, known.start(), &known).unwrap();
    assert!(search.run(&Monitor::with_budget(NODES)).is_err(), "it is proven already");
    fs::write(to.join("search.gz"), packed(&search.save())).unwrap();
    let now = json!({ "nodes": search.nodes(), "threats": search.threats(), "proof": search.proof() });
    write_document(&to.join("search.json"), &now);
}
