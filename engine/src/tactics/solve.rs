//! The answer to a question, from up to three readings that differ in who has threats for a ko.
//!
//! With neither side having threats, a goal that is reached works or is a ko in which the mover captures first; one
//! that is not fails or is a ko in which the mover needs the first threat. Which of the two is told by a second
//! reading, with all threats for the side that would need them; it is left out if no ko came up in what the first
//! one rests on.
//!
//! Each reading goes through levels: at first a chain counts as safe with few liberties, later with more, and more
//! attacks are tried. A question about life has one level, with all attacks in its region. Each level may use all of
//! the budget that is left. What is won at any level is won: it is proven. What is lost at the last level that is
//! read to its end is said to be lost. Two chains that are not connected then may be said to be likely connected
//! (`is_likely`). Neither is proven.
//!
//! If a chain can be made to live, a last reading with the attacker to move first tells whether it lives as it is.

use super::board::{KoThreats, TacticsBoard};
use super::check::ZoneProof;
use super::goal::{Question, TacticalGoal};
use super::proof::{ProofEnd, ZoneSearch};
use super::proposer::AttackMoves;
use super::reading::{AttackWidth, GoReading, ReadingLimits};
use super::verdict::TacticsVerdict;
use crate::games::go::large::points::PointSet;

/// Nodes of each reading if nothing else is said. A reading about two chains takes half of what is said: with more of
/// them its answers to GNU Go's questions are no better.
pub const USUAL_NODES: u64 = 60_000;

/// The number of levels of a reading.
pub const LEVELS: usize = 5;

/// The levels of a question about one chain. The first one sees hardly more than ladders.
const CAPTURE_LEVELS: [ReadingLimits; LEVELS] = [
    ReadingLimits { liberties: 1, growth: 1, attacks: AttackWidth::Narrow },
    ReadingLimits { liberties: 2, growth: 2, attacks: AttackWidth::Narrow },
    ReadingLimits { liberties: 3, growth: 3, attacks: AttackWidth::Narrow },
    ReadingLimits { liberties: 3, growth: 5, attacks: AttackWidth::Wide },
    ReadingLimits { liberties: 4, growth: 8, attacks: AttackWidth::Wide },
];

/// The levels of a question about two chains.
const CONNECTION_LEVELS: [ReadingLimits; LEVELS] = [
    ReadingLimits { liberties: 1, growth: 2, attacks: AttackWidth::Narrow },
    ReadingLimits { liberties: 2, growth: 2, attacks: AttackWidth::Narrow },
    ReadingLimits { liberties: 2, growth: 4, attacks: AttackWidth::Narrow },
    ReadingLimits { liberties: 3, growth: 5, attacks: AttackWidth::Narrow },
    ReadingLimits { liberties: 4, growth: 6, attacks: AttackWidth::Wide },
];

/// The only level of a question about life: nothing but unconditional life ends it early.
const LIFE_LEVELS: [ReadingLimits; 1] = [ReadingLimits { liberties: 400, growth: 400, attacks: AttackWidth::Region }];

/// The levels that a question is read through.
pub fn levels_of(goal: TacticalGoal) -> &'static [ReadingLimits] {
    match goal {
        TacticalGoal::Capture | TacticalGoal::Defend => &CAPTURE_LEVELS,
        TacticalGoal::Connect | TacticalGoal::Cut => &CONNECTION_LEVELS,
        TacticalGoal::Kill | TacticalGoal::Live => &LIFE_LEVELS,
    }
}

/// An answer with what it rests on.
#[derive(Debug, Clone)]
pub struct TacticsAnswer {
    /// What the question comes to for the mover.
    pub verdict: TacticsVerdict,
    /// Whether it is proven. An attack that is said to fail is not: only candidates are tried. One that works may be
    /// no more than likely.
    pub proven: bool,
    /// The mover's first move, if the goal is reached or a ko; none if nothing needs to be played.
    pub first: Option<u16>,
    /// Nodes of the search: moves that it played.
    pub nodes: u64,
    /// The zone of the proof, if the attacker reaches its goal.
    pub zone: Option<PointSet>,
    /// The proofs that the attacker reaches its goal, of each reading in which it does.
    pub proofs: Vec<ZoneProof>,
    /// How many levels were read to their end, the least of all readings: of [`LEVELS`], or of one about life.
    pub levels: usize,
}

impl TacticsAnswer {
    /// Whether the side that attacks, of which only some moves are tried, reaches its goal outright.
    pub fn attack_works(&self, goal: TacticalGoal) -> bool {
        self.verdict == if goal.mover_attacks() { TacticsVerdict::Works } else { TacticsVerdict::Fails }
    }

    /// The answer of a reading that the budget ended.
    fn unknown(nodes: u64, levels: usize) -> TacticsAnswer {
        let verdict = TacticsVerdict::Unknown;
        TacticsAnswer { verdict, proven: false, first: None, nodes, zone: None, proofs: Vec::new(), levels }
    }
}

/// A reading with given threats.
struct ThreatReading {
    /// Whether the attacker reaches its goal; none if it is not known.
    won: Option<bool>,
    levels: usize,
    moves: u64,
    /// The move that decides, if there is one.
    first: Option<u16>,
    /// Whether it hangs on who has threats for a ko.
    of_ko: bool,
    /// What was lost is likely to be won all the same; with the most promising first move.
    likely: Option<Option<u16>>,
    zone: Option<PointSet>,
    proof: Option<ZoneProof>,
}

/// Whether two chains are likely to be connected although they are not at so many levels, the budget having ended the
/// next one. Fitted to GNU Go's questions with 100,000 nodes. Of captures nothing like that holds: what runs from a
/// broken ladder needs many nodes, too.
fn is_likely(goal: TacticalGoal, levels: usize) -> bool {
    goal.is_of_two() && levels > 0 && (goal.mover_attacks() || levels < LEVELS - 1)
}

fn read(
    board: &TacticsBoard,
    question: &Question,
    threats: KoThreats,
    budget: u64,
    moves: &AttackMoves,
    stop: &mut dyn FnMut() -> bool,
) -> Option<ThreatReading> {
    let levels = levels_of(question.goal());
    let mut game = GoReading::new(board.clone(), *question, threats, levels[0]);
    game.set_moves(moves);
    let mut search = ZoneSearch::new(game, question.goal().mover_attacks(), 0);
    let budget = if question.goal().is_of_two() { budget / 2 } else { budget };
    let mut reading = ThreatReading {
        won: None,
        levels: 0,
        moves: 0,
        first: None,
        of_ko: false,
        likely: None,
        zone: None,
        proof: None,
    };
    for &limits in levels {
        let within = budget.saturating_sub(reading.moves).max(1);
        search.begin_anew(|game| game.set_limits(limits), within);
        let end = search.run_until(stop);
        if search.is_stopped() {
            return None;
        }
        reading.moves += search.moves();
        if end == ProofEnd::Open {
            // A deeper level would take longer.
            let promising = search.most_promising();
            reading.likely = is_likely(question.goal(), reading.levels).then_some(promising);
            if !question.goal().mover_attacks() {
                // Whether the mover may do without a move is open, so it plays the best one that is known.
                reading.first = reading.first.or(promising);
            }
            break;
        }
        reading.levels += 1;
        reading.won = Some(end == ProofEnd::Won);
        reading.first = search.best(search.root());
        reading.of_ko = search.is_of_ko();
        reading.zone = search.zone(search.root()).copied();
        if end == ProofEnd::Won {
            reading.proof = Some(ZoneProof { threats, nodes: search.proof() });
            break;
        }
    }
    Some(reading)
}

/// Reads a question within a budget of nodes, which is that of each reading, without patterns.
pub fn solve(board: &TacticsBoard, question: &Question, budget: u64) -> TacticsAnswer {
    solve_with(board, question, budget, &AttackMoves::Generators)
}

/// Reads a question with attacks from wherever is said.
pub fn solve_with(board: &TacticsBoard, question: &Question, budget: u64, attacks: &AttackMoves) -> TacticsAnswer {
    solve_until(board, question, budget, attacks, &mut || false).unwrap_or_else(|| TacticsAnswer::unknown(0, 0))
}

/// The same, unless `stop` says to stop, which is asked every millisecond or so. Nothing if it does.
pub fn solve_until(
    board: &TacticsBoard,
    question: &Question,
    budget: u64,
    attacks: &AttackMoves,
    stop: &mut dyn FnMut() -> bool,
) -> Option<TacticsAnswer> {
    let mover_attacks = question.goal().mover_attacks();
    let first = read(board, question, KoThreats::Neither, budget, attacks, stop)?;
    let (mut moves, mut levels) = (first.moves, first.levels);
    let Some(won) = first.won else { return Some(TacticsAnswer::unknown(moves, levels)) };
    let reached = won == mover_attacks;
    let likely = first.likely;
    let (mut verdict, mut used) = (if reached { TacticsVerdict::Works } else { TacticsVerdict::Fails }, first);
    let mut proven = won;
    let mut proofs: Vec<ZoneProof> = used.proof.take().into_iter().collect();
    // So it does if a ko forbids the first move.
    if used.of_ko || board.ban().is_some() {
        let all = if reached { question.mover().other() } else { question.mover() };
        let mut second = read(board, question, KoThreats::Of(all), budget, attacks, stop)?;
        moves += second.moves;
        levels = levels.min(second.levels);
        let Some(again) = second.won else { return Some(TacticsAnswer::unknown(moves, levels)) };
        proven = again && won;
        proofs.extend(second.proof.take());
        if again == won {
            used = second;
        } else if reached {
            verdict = TacticsVerdict::KoFirst;
        } else {
            (verdict, used) = (TacticsVerdict::KoThreat, second);
        }
    }
    let (worse, better) = match mover_attacks {
        true => (TacticsVerdict::Fails, TacticsVerdict::Works),
        false => (TacticsVerdict::Works, TacticsVerdict::Fails),
    };
    if let Some(promising) = likely
        && verdict == worse
    {
        (verdict, used.first) = (better, promising);
    }
    if question.goal() == TacticalGoal::Live && verdict == TacticsVerdict::Works && used.first.is_some() {
        // It may live as it is.
        let quiet = TacticsBoard::new(board.chains().clone(), None);
        let attack = read(&quiet, &question.with_attack_first(), KoThreats::Neither, budget, attacks, stop)?;
        moves += attack.moves;
        if attack.won == Some(false) && !attack.of_ko {
            used.first = None;
        }
    }
    let first = if verdict == TacticsVerdict::Fails { None } else { used.first };
    Some(TacticsAnswer { verdict, proven, first, nodes: moves, zone: used.zone, proofs, levels })
}
