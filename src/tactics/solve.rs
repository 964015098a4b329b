//! The answer to a question, from up to three readings that differ in who has threats for a ko.
//!
//! With neither side having threats, a goal that is reached works or is a ko in which the mover captures first; one that
//! is not fails or is a ko in which the mover needs the first threat. Which of the two is told by a second reading, with
//! all threats for the side that would need them; it is left out if no ko came up in what the first one rests on.

//!
//! Each reading goes through levels: at first a chain counts as safe with few liberties, later with more, and more
//! attacks are tried. What is won at any level is won. What is lost at the last level that the budget reaches is said
//! to fail, and that it is not proven.

use super::board::{KoThreats, TacticsBoard};
use super::goal::Question;
use super::proof::{ProofEnd, ProofSearch};
use super::reading::{AttackWidth, GoReading, ReadingLimits};
use super::verdict::Verdict;
use crate::games::go::large::points::PointSet;

/// The levels of a reading, each with its share of the budget in hundredths.
pub const LEVELS: [(ReadingLimits, u64); 5] = [
    (ReadingLimits { liberties: 2, growth: 2, attacks: AttackWidth::Narrow }, 10),
    (ReadingLimits { liberties: 3, growth: 3, attacks: AttackWidth::Narrow }, 20),
    (ReadingLimits { liberties: 3, growth: 5, attacks: AttackWidth::Wide }, 20),
    (ReadingLimits { liberties: 4, growth: 6, attacks: AttackWidth::Narrow }, 20),
    (ReadingLimits { liberties: 4, growth: 10, attacks: AttackWidth::Wide }, 30),
];

/// The first level at which a goal can be said to fail.
const LEAST_LEVEL: usize = 1;

/// An answer with what it rests on.
#[derive(Debug, Clone)]
pub struct TacticsAnswer {
    /// What the question comes to for the mover.
    pub verdict: Verdict,
    /// Whether it is proven. An attack that is said to fail is not: only candidates are tried.
    pub proven: bool,
    /// The mover's first move, if the goal is reached or a ko; none if nothing needs to be played.
    pub first: Option<u16>,
    /// Moves played by the search.
    pub moves: u64,
    /// The zone of the proof, if the attacker reaches its goal.
    pub zone: Option<PointSet>,
    /// The levels that were read to their end, the least of all readings.
    pub levels: usize,
}

/// A reading with given threats.
struct Reading {
    /// Whether the attacker reaches its goal; none if it is not known.
    won: Option<bool>,
    /// The search that says so.
    search: Option<ProofSearch<GoReading>>,
    levels: usize,
    moves: u64,
}

fn read(board: &TacticsBoard, question: &Question, threats: KoThreats, budget: u64) -> Reading {
    let mut reading = Reading { won: None, search: None, levels: 0, moves: 0 };
    for (limits, share) in LEVELS {
        let game = GoReading::new(board.clone(), *question, threats, limits);
        let within = (budget.saturating_mul(share) / 100).max(1);
        let mut search = ProofSearch::new(game, question.goal().mover_attacks(), within);
        let end = search.run();
        reading.moves += search.moves();
        if end == ProofEnd::Open {
            // A deeper level would take longer.
            break;
        }
        reading.levels += 1;
        if end == ProofEnd::Won || reading.levels > LEAST_LEVEL {
            (reading.won, reading.search) = (Some(end == ProofEnd::Won), Some(search));
        }
        if end == ProofEnd::Won {
            break;
        }
    }
    reading
}

/// Reads a question within a budget of moves played; the budget is that of each reading.
pub fn solve(board: &TacticsBoard, question: &Question, budget: u64) -> TacticsAnswer {
    let mover_attacks = question.goal().mover_attacks();
    let first = read(board, question, KoThreats::Neither, budget);
    let (mut moves, mut levels) = (first.moves, first.levels);
    let unknown = |moves, levels| TacticsAnswer {
        verdict: Verdict::Unknown,
        proven: false,
        first: None,
        moves,
        zone: None,
        levels,
    };
    let (Some(won), Some(search)) = (first.won, first.search) else { return unknown(moves, levels) };
    let reached = won == mover_attacks;
    let (mut verdict, mut used) = (if reached { Verdict::Works } else { Verdict::Fails }, (won, search));
    let mut proven = won;
    if used.1.is_of_ko() {
        let all = if reached { question.mover().other() } else { question.mover() };
        let second = read(board, question, KoThreats::Of(all), budget);
        moves += second.moves;
        levels = levels.min(second.levels);
        let (Some(again), Some(search)) = (second.won, second.search) else { return unknown(moves, levels) };
        proven = again;
        if again == won {
            used = (again, search);
        } else if reached {
            verdict = Verdict::KoFirst;
            proven = false;
        } else {
            (verdict, used) = (Verdict::KoThreat, (again, search));
            proven = false;
        }
    }
    let (won, search) = used;
    let first = if verdict == Verdict::Fails { None } else { search.best(search.root()) };
    let zone = won.then(|| search.zone(search.root()).copied()).flatten();
    TacticsAnswer { verdict, proven, first, moves, zone, levels }
}
