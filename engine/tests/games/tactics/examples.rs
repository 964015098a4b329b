//! What comes with the program: each pattern is proven, and so is the answer to each example problem.
//!
//! That the attacker reaches its goal is proven by the solver, and each of its proofs is replayed by the naive rules.
//! That it does not is found by a search of all moves. In questions about life these are the moves in the region, and
//! all positions that they lead to under the naive rules are looked at.

use super::exhaustive::{Exhaustive, Wanted};
use super::{naive, number};
use morpion_engine::games::go::large::points::PointSet;
use morpion_engine::games::go::large::position::LargePosition;
use morpion_engine::games::go::notation::parse_position;
use morpion_engine::games::go::rules::GoRules;
use morpion_engine::notation::sgf::read::read;
use morpion_engine::notation::sgf::write::write;
use morpion_engine::tactics::board::KoThreats;
use morpion_engine::tactics::check::check;
use morpion_engine::tactics::examples::{examples, to_sgf};
use morpion_engine::tactics::goal::TacticalGoal;
use morpion_engine::tactics::pattern::database::PatternDatabase;
use morpion_engine::tactics::pattern::prove::{prove, shipped, unproven};
use morpion_engine::tactics::proof::{ProofEnd, ZoneSearch};
use morpion_engine::tactics::reading::{AttackWidth, GoReading, ReadingLimits};
use morpion_engine::tactics::solve::{USUAL_NODES, solve};
use morpion_engine::tactics::suite::SuiteQuestion;
use std::collections::HashSet;
use std::time::Instant;

/// Nodes of a search of all moves.
const FULL_WIDTH: u64 = 3_000_000;

/// Most positions that the moves in a region lead to.
const MOST_POSITIONS: usize = 400_000;

/// Whether the attacker kills with these threats, when both sides play in the region alone.
fn is_killed(asked: &SuiteQuestion, region: &PointSet, threats: KoThreats) -> Option<bool> {
    let (size, question) = (asked.board.chains().size(), &asked.question);
    let at = |point: u16| {
        let (x, y) = size.place(point);
        (usize::from(x), usize::from(y))
    };
    let wanted = Wanted::Capture(at(question.target()));
    let all = Exhaustive::new(question.attacker(), threats, wanted, MOST_POSITIONS);
    let all = all.within(region.iter().map(at).collect());
    all.wins(&naive(&asked.board, question.mover()), question.goal().mover_attacks())
}

/// Whether the attacker reaches its goal with these threats, when all moves are tried.
fn is_reached(asked: &SuiteQuestion, threats: KoThreats) -> Option<bool> {
    if let Some(region) = asked.question.region() {
        return is_killed(asked, &region, threats);
    }
    let limits = ReadingLimits { liberties: 100, growth: 100, attacks: AttackWidth::All };
    let reading = GoReading::new(asked.board.clone(), asked.question, threats, limits);
    let mut search = ZoneSearch::new(reading, asked.question.goal().mover_attacks(), FULL_WIDTH);
    match search.run() {
        ProofEnd::Won => Some(true),
        ProofEnd::Lost => Some(false),
        ProofEnd::Open => None,
    }
}

#[test]
fn each_example_problem_is_proven() {
    let fillings = number("MORPION_TEST_FILLINGS", 5);
    let all = examples();
    assert!((20..60).contains(&all.len()));
    let names: HashSet<&str> = all.iter().map(|asked| asked.name.as_str()).collect();
    let goals: HashSet<TacticalGoal> = all.iter().map(|asked| asked.question.goal()).collect();
    assert_eq!((names.len(), goals.len()), (all.len(), TacticalGoal::ALL.len()));
    let mut open = Vec::new();
    for asked in &all {
        let SuiteQuestion { name, question, board, expected, .. } = asked;
        let expected = expected.as_ref().unwrap();
        let [code] = expected.codes[..] else { panic!("{name}: one answer is right") };
        let answer = solve(board, question, USUAL_NODES);
        assert!(expected.compare(&answer).with_move, "{name}: {answer:?}");
        assert!((code == 0) == expected.moves.is_empty(), "{name}");
        for proof in &answer.proofs {
            check(board, question, proof, fillings, 1).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        // Whether the attacker reaches its goal without threats, and if a side has some.
        let attacker = question.attacker();
        let (own, other) = (KoThreats::Of(attacker), KoThreats::Of(attacker.other()));
        let claims = match (code, question.goal().mover_attacks()) {
            (1, true) | (0, false) => vec![(KoThreats::Neither, true), (other, true)],
            (0, true) | (1, false) => vec![(KoThreats::Neither, false), (own, false)],
            (2, true) | (3, false) => vec![(KoThreats::Neither, true), (other, false)],
            _ => vec![(KoThreats::Neither, false), (own, true)],
        };
        for (threats, reached) in claims {
            let told = format!("{name}, {threats:?}");
            match reached {
                // Without a ko in what the proof rests on, threats change nothing.
                true if answer.proven => assert!(answer.attack_works(question.goal()), "{told}"),
                true => assert!(answer.proofs.iter().any(|proof| proof.threats == threats), "{told}"),
                false if is_reached(asked, threats) == Some(false) => (),
                false => open.push(told),
            }
        }
    }
    assert!(open.is_empty(), "the attacker may reach its goal: {open:?}");
}

/// The positions of the game trees are those of the questions, and each right move is a variation.
#[test]
fn the_examples_are_game_trees_too() {
    let all = examples();
    let text = write(&to_sgf(&all));
    let trees = read(&text).unwrap();
    assert_eq!((trees.notices.len(), trees.collection.games().len()), (0, all.len()));
    for (asked, &game) in all.iter().zip(trees.collection.games()) {
        let SuiteQuestion { name, board, question, expected, .. } = asked;
        let place = trees.place(&text, game);
        let rest = text.split_inclusive('\n').skip(place.line - 1).collect::<String>();
        // The main line begins with the first right move.
        let position: LargePosition = parse_position(&rest, GoRules::default()).unwrap();
        let mut after = board.clone();
        if let Some(Some(point)) = expected.as_ref().unwrap().moves.first() {
            after.play(*point, question.mover());
        }
        assert_eq!(position.chains().hash(), after.chains().hash(), "{name}");
        let moves = expected.as_ref().unwrap().moves.len().max(1);
        assert_eq!(trees.collection.children(game).len(), moves, "{name}");
    }
}

#[test]
fn each_shipped_pattern_is_proven() {
    let begun = Instant::now();
    let found = shipped();
    println!("proven as they are loaded in {:.1} ms", begun.elapsed().as_secs_f64() * 1000.0);
    assert_eq!(found.notices, [] as [String; 0]);
    for (place, entry) in found.database.entries.iter().enumerate() {
        prove(entry, USUAL_NODES, Some(20)).unwrap_or_else(|why| panic!("{}, {}: {why}", place + 1, entry.name));
    }
    for part in [
        "bamboo joint",
        "table",
        "knight move",
        "tiger's mouth",
        "net",
        "ladder",
        "snapback",
        "throw-in",
        "crane's nest",
    ] {
        assert!(found.database.entries.iter().any(|entry| entry.name.contains(part)), "{part}");
    }
    // What is not proven is named.
    let false_one =
        "(;(;GL[2]N[bamboo joint]AB[aa][ca][ab][cb])(;GL[2]N[jump]AB[aa][ca]AW[bb])(;GL[1]AB[aa]AW[bb]TR[bb]))";
    let database = PatternDatabase::read(false_one.as_bytes()).unwrap().database;
    let notices = unproven(&database, 5_000);
    assert_eq!(notices.len(), 2, "{notices:?}");
    assert!(notices[0].starts_with("pattern 2 (jump) is not proven: "), "{}", notices[0]);
    assert!(notices[1].starts_with("pattern 3 is not proven: "), "{}", notices[1]);
}
