//! Tactical goals in Go: classical shapes, and random small boards against all positions that can come up.

mod enclosed;
mod estimates;
mod examples;
mod exhaustive;
mod life;

use exhaustive::{Exhaustive, Wanted, point};
use morpion_engine::core::game::Side;
use morpion_engine::core::seed::rng;
use morpion_engine::games::go::large::chains::Chains;
use morpion_engine::games::go::large::points::LargeBoard;
use morpion_engine::games::go::naive::NaiveGo;
use morpion_engine::games::go::rules::Ko;
use morpion_engine::games::rows::parse_rows;
use morpion_engine::tactics::board::{KoThreats, TacticsBoard};
use morpion_engine::tactics::check::{CheckError, ZoneProof, check};
use morpion_engine::tactics::goal::{Question, TacticalGoal, point_of};
use morpion_engine::tactics::proof::{ProofEnd, ZoneSearch};
use morpion_engine::tactics::reading::{AttackWidth, GoReading, ReadingLimits};
use morpion_engine::tactics::solve::{LEVELS, TacticsAnswer, solve};
use morpion_engine::tactics::verdict::TacticsVerdict;
use rand::RngExt;

const BUDGET: u64 = 100_000;

/// A count from the environment, for the long form of a test.
fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// A board of rows: `X` black, `O` white, `.` empty.
fn board(rows: &str) -> TacticsBoard {
    let ((width, height), stones) = parse_rows(rows).unwrap();
    let size = LargeBoard::new(width, height).unwrap();
    let mut chains = Chains::new(size);
    for ((x, y), colour) in stones {
        chains.set(size.point(x, y).unwrap(), colour);
    }
    TacticsBoard::new(chains, None)
}

/// The answer, and the name of its first move.
fn answer(rows: &str, goal: TacticalGoal, target: &str, with: Option<&str>) -> (TacticsAnswer, String) {
    let board = board(rows);
    let size = board.chains().size();
    let at = |name: &str| point_of(size, name).unwrap();
    let question = Question::new(board.chains(), goal, at(target), with.map(at)).unwrap();
    let answer = solve(&board, &question, BUDGET);
    let first = answer.first.map_or("-".to_owned(), |point| size.name(point));
    (answer, first)
}

/// Holds a capture and the defence against it to what they come to; `moves` are the right first moves of the capture.
fn capture(rows: &str, target: &str, capture: TacticsVerdict, moves: &[&str], defence: TacticsVerdict) {
    let (found, first) = answer(rows, TacticalGoal::Capture, target, None);
    assert_eq!(found.verdict, capture, "capture of {target}, {first} in {} nodes:\n{rows}", found.nodes);
    assert!(moves.is_empty() || moves.contains(&&*first), "{first}:\n{rows}");
    let (found, first) = answer(rows, TacticalGoal::Defend, target, None);
    assert_eq!(found.verdict, defence, "defence of {target}, {first} in {} nodes:\n{rows}", found.nodes);
}

#[test]
fn a_ladder_works_unless_a_stone_breaks_it() {
    let ladder = |breaker| {
        format!(
            "
            . . . . . . . . .
            . . . . . . {breaker} . .
            . . . . . . . . .
            . . . . . . . . .
            . . X X . . . . .
            . . X O O . . . .
            . . . X X . . . .
            . . . . . . . . .
            . . . . . . . . ."
        )
    };
    capture(&ladder('.'), "d4", TacticsVerdict::Works, &["f4"], TacticsVerdict::Works);
    assert_eq!(answer(&ladder('O'), TacticalGoal::Capture, "d4", None).0.verdict, TacticsVerdict::Fails);
}

#[test]
fn a_snapback_takes_back_more() {
    // White can take the stone that is thrown in at c1, and is in atari again with all.
    let rows = "
        . . . . .
        X X X X .
        X O O O X
        X O . . X
        X O O O X";
    let (found, first) = answer(rows, TacticalGoal::Capture, "b3", None);
    assert_eq!(found.verdict, TacticsVerdict::Works, "{first} {found:?}");
    assert!(["c2", "d2"].contains(&&*first), "{first}");
}

#[test]
fn a_ko_is_a_result_of_its_own() {
    // Black takes the stone on b2 in a ko; white connects if it comes first.
    let rows = "
        X X O . O
        X O . O O
        X X O O .
        . X X X X";
    let (found, first) = answer(rows, TacticalGoal::Capture, "b3", None);
    assert_eq!((found.verdict, first.as_str()), (TacticsVerdict::KoFirst, "c3"));
    assert_eq!(answer(rows, TacticalGoal::Defend, "b3", None).0.verdict, TacticsVerdict::Works);
    // Just after white has taken it, black needs a threat first.
    let stones = board(rows).chains().clone();
    let [target, ko] = ["b3", "c3"].map(|name| point_of(stones.size(), name).unwrap());
    let question = Question::new(&stones, TacticalGoal::Capture, target, None).unwrap();
    let found = solve(&TacticsBoard::new(stones, Some(ko)), &question, BUDGET);
    assert_eq!((found.verdict, found.first), (TacticsVerdict::KoThreat, Some(ko)));
}

/// A question with a proof of some length: a ladder.
fn ladder() -> (TacticsBoard, Question) {
    let rows = ".........\n.........\n.........\n.........\n..XX.....\n..XOO....\n...XX....\n.........\n.........";
    let board = board(rows);
    let target = point_of(board.chains().size(), "d4").unwrap();
    let question = Question::new(board.chains(), TacticalGoal::Capture, target, None).unwrap();
    (board, question)
}

/// The zone of a position has those of all that its proof leads to.
fn zones_shrink(proof: &ZoneProof) {
    for (place, node) in proof.nodes.iter().enumerate() {
        for next in node.moves.iter().filter_map(|&(_, next)| next) {
            assert!(proof.nodes[next].zone.is_within(&node.zone), "{place}, {next}");
        }
    }
}

#[test]
fn a_proof_is_checked_and_a_broken_one_is_refused() {
    const SEED: u64 = 5;
    println!("seed {SEED}");
    let (board, question) = ladder();
    let answer = solve(&board, &question, BUDGET);
    let [proof] = &answer.proofs[..] else { panic!("{answer:?}") };
    let done = check(&board, &question, proof, 200, SEED).unwrap();
    zones_shrink(proof);
    assert!(done.positions > 20 && done.replies > 500 && done.fillings > 100, "{done:?}");
    // A reply without an answer.
    let mut broken = proof.clone();
    let wide = broken.nodes.iter_mut().find(|node| !node.attacker_moves && node.moves.len() > 1).unwrap();
    wide.moves.truncate(1);
    let error = check(&board, &question, &broken, 0, SEED).unwrap_err();
    assert!(matches!(error, CheckError::Unanswered(..)), "{error}");
    // A move on a stone.
    let mut broken = proof.clone();
    broken.nodes[0].moves[0].0 = question.target();
    assert_eq!(check(&board, &question, &broken, 0, SEED), Err(CheckError::Illegal(0, "d4".to_owned())));
    // A line that ends too early.
    let mut broken = proof.clone();
    broken.nodes[0].moves[0].1 = None;
    assert_eq!(check(&board, &question, &broken, 0, SEED), Err(CheckError::NotReached(0)));
    // A zone that is too small: it shows on other boards.
    let mut broken = proof.clone();
    broken.nodes[0].zone = [question.target()].into_iter().collect();
    let error = check(&board, &question, &broken, 200, SEED).unwrap_err();
    assert!(matches!(error, CheckError::Filling { .. }), "{error}");
}

#[test]
fn classical_connections() {
    // The bamboo joint, the table, and two stones a knight's move apart with nothing between.
    for (rows, one, other, cut) in [
        (".....\n.X.X.\n.X.X.\n.....\n.....", "b4", "d4", TacticsVerdict::Fails),
        (".....\n.XO..\n.X.X.\n...O.\n.....", "b3", "d3", TacticsVerdict::Works),
        (".O...\n.X.X.\n.OOO.\n.....\n.....", "b4", "d4", TacticsVerdict::Works),
    ] {
        let (found, first) = answer(rows, TacticalGoal::Connect, one, Some(other));
        assert_eq!((found.verdict, found.proven), (TacticsVerdict::Works, true), "connect, {first}:\n{rows}");
        let (found, first) = answer(rows, TacticalGoal::Cut, one, Some(other));
        assert_eq!(found.verdict, cut, "cut, {first}:\n{rows}");
        assert_eq!(found.proven, cut == TacticsVerdict::Fails);
    }
}

/// A budget that ends within a level leaves a judgement, which is no proof.
#[test]
fn what_the_budget_leaves_open_is_judged() {
    let jump = board(&format!("{0}\n{0}\n{0}\n{0}\n...X.X...\n{0}\n{0}\n{0}\n{0}", "........."));
    let at = |name| point_of(jump.chains().size(), name).unwrap();
    for goal in [TacticalGoal::Connect, TacticalGoal::Cut] {
        let question = Question::new(jump.chains(), goal, at("d5"), Some(at("f5"))).unwrap();
        for budget in [1_000, 3_000] {
            let found = solve(&jump, &question, budget);
            if goal == TacticalGoal::Connect {
                assert_eq!((found.verdict, found.proven), (TacticsVerdict::Works, true), "one move connects");
                continue;
            }
            assert_eq!((found.verdict, found.proven), (TacticsVerdict::Fails, false), "{budget}: {found:?}");
            assert!(
                found.attack_works(goal) && found.zone.is_none() && found.proofs.is_empty() && found.first.is_none()
            );
            assert!((1..LEVELS - 1).contains(&found.levels), "{budget}: {}", found.levels);
        }
    }
}

#[test]
fn classical_captures() {
    // A net: both ladders are broken.
    let net = "
        . . . . . . . . .
        . . . . . . . . .
        . . X X . . . . .
        . X O . . . O . .
        . X . . . . . . .
        . . . . . . . . .
        . . O . . . O . .
        . . . . . . . . .
        . . . . . . . . .";
    capture(net, "c6", TacticsVerdict::Works, &["d5"], TacticsVerdict::Works);
    // The crane's nest: what runs is caught.
    let nest = "
        . . . . . . . . .
        . . . . . . . . .
        . X . X . . . . .
        . X O X . . . . .
        . X O X . . . . .
        . X . X . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .";
    let (found, first) = answer(nest, TacticalGoal::Capture, "c5", None);
    assert_eq!((found.verdict, found.proven), (TacticsVerdict::Works, true), "{first}");
    let (found, first) = answer(nest, TacticalGoal::Defend, "c5", None);
    assert_eq!((found.verdict, found.proven), (TacticsVerdict::Fails, true), "{first}");
    // A stone thrown in at b1 takes the liberty that white needs.
    let throw = "
        . . . . . .
        X X X X . .
        O O O X . .
        . . O X . .
        X . O X . .";
    let (found, first) = answer(throw, TacticalGoal::Capture, "c2", None);
    assert_eq!((found.verdict, found.proven, first.as_str()), (TacticsVerdict::Works, true, "b1"));
}

/// A random board with few empty points and no chain without liberties.
fn random_board(random: &mut impl rand::Rng, width: u8, height: u8, most_empty: usize) -> Option<TacticsBoard> {
    let size = LargeBoard::new(width, height).unwrap();
    let area = usize::from(size.area());
    let empty = random.random_range(1..=most_empty.min(area - 2));
    let mut chains = Chains::new(size);
    let mut free: Vec<u16> = (0..size.area()).collect();
    while free.len() > empty {
        let point = free.swap_remove(random.random_range(0..free.len()));
        chains.set(point, if random.random_range(0..2) == 0 { Side::First } else { Side::Second });
    }
    let alive = |point| chains.chain(point).is_none_or(|chain| !chain.liberties.is_empty());
    (0..size.area()).all(alive).then(|| TacticsBoard::new(chains, None))
}

fn naive(board: &TacticsBoard, to_move: Side) -> NaiveGo {
    let size = board.chains().size();
    let mut go = NaiveGo::new(size.width().into(), size.height().into(), Ko::Basic, false);
    for at in 0..size.area() {
        if let Some(colour) = board.colour(at) {
            let (x, y) = size.place(at);
            go.rows[usize::from(y)][usize::from(x)] = point(colour);
        }
    }
    go.to_move = point(to_move);
    go
}

/// What is proven is true, with candidates and with all moves; with all moves so is what is lost.
#[test]
fn random_small_boards_are_answered_as_by_all_their_positions() {
    let seed = number("MORPION_TEST_TACTICS_SEED", 77);
    let boards = number("MORPION_TEST_TACTICS", 60);
    let most = number("MORPION_TEST_TACTICS_POSITIONS", 1500) as usize;
    println!("seed {seed}, {boards} questions, at most {most} positions each");
    let mut random = rng(seed, &[]);
    let (mut compared, mut won, mut missed, mut of_ko, mut of_two_chains, mut checked) = (0, 0, 0, 0, 0, 0);
    let sizes = [(3, 3, 7), (4, 3, 6), (4, 4, 5), (5, 3, 5), (5, 5, 4)];
    while compared < boards {
        let (width, height, empty) = sizes[random.random_range(0..sizes.len())];
        let Some(board) = random_board(&mut random, width, height, empty) else { continue };
        let size = board.chains().size();
        let mut any = || random.random_range(0..size.area());
        let (target, other) = (any(), any());
        let at = |point: u16| {
            let (x, y) = size.place(point);
            (usize::from(x), usize::from(y))
        };
        let of_two = Question::new(board.chains(), TacticalGoal::Connect, target, Some(other));
        let of_one = Question::new(board.chains(), TacticalGoal::Capture, target, None);
        let (question, wanted) = match (of_one, of_two) {
            (_, Ok(two)) => (two, Wanted::Connection(at(target), at(other))),
            (Ok(one), _) => (one, Wanted::Capture(at(target))),
            _ => continue,
        };
        let attacker = question.attacker();
        let mut results = Vec::new();
        for threats in [KoThreats::Neither, KoThreats::Of(attacker), KoThreats::Of(attacker.other())] {
            for attacker_moves in [true, false] {
                let all = Exhaustive::new(attacker, threats, wanted, most);
                let to_move = if attacker_moves { attacker } else { attacker.other() };
                let Some(truth) = all.wins(&naive(&board, to_move), attacker_moves) else { continue };
                let told = format!("{threats:?}, attacker moves: {attacker_moves}, {wanted:?}\n{board:?}");
                for attacks in [AttackWidth::All, AttackWidth::Wide, AttackWidth::Narrow] {
                    let is_all = attacks == AttackWidth::All;
                    let limits = ReadingLimits { liberties: if is_all { 100 } else { 4 }, growth: 100, attacks };
                    let reading = GoReading::new(board.clone(), question, threats, limits);
                    let mut search = ZoneSearch::new(reading, attacker_moves, BUDGET);
                    match search.run() {
                        ProofEnd::Won => assert!(truth, "won is wrong: {attacks:?}, {told}"),
                        ProofEnd::Lost if is_all => assert!(!truth, "lost is wrong: {told}"),
                        ProofEnd::Lost => missed += u64::from(truth),
                        ProofEnd::Open => println!("open: {told}"),
                    }
                }
                won += u64::from(truth);
                results.push((attacker_moves, truth));
                compared += 1;
            }
        }
        let answer = solve(&board, &question, BUDGET);
        for proof in &answer.proofs {
            checked += 1;
            zones_shrink(proof);
            check(&board, &question, proof, 20, seed)
                .unwrap_or_else(|error| panic!("{error}: {question:?}\n{board:?}"));
        }
        of_two_chains += u64::from(question.with().is_some());
        of_ko += u64::from([true, false].iter().any(|&moves| {
            let mut of = results.iter().filter(|(of, _)| *of == moves).map(|(_, truth)| truth);
            let first = of.next();
            of.any(|truth| Some(truth) != first)
        }));
    }
    println!("{compared} compared, {won} won, {missed} of them missed by the candidates, {of_ko} boards with a ko");
    println!("{of_two_chains} boards with two chains, {checked} proofs checked");
    assert!(won > compared / 10 && won < compared, "{won} of {compared}");
}
