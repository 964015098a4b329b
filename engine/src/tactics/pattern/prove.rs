//! Whether a pattern does what it claims, by the solver.
//!
//! A pattern is put on an empty board of 19x19, on the edges that it names and otherwise in the middle; the board is
//! smaller if the pattern reaches from edge to edge. Points that
//! allow several contents are empty if they may be, else white. A shape has reached its goal: white, to move, cannot
//! prevent it. In a tesuji each of black's moves, after the moves before it, has that effect. All of it has to be
//! proven.
//!
//! The patterns that come with the program are proven as they are loaded ([`shipped`]), which takes some 30
//! milliseconds; files of others when somebody asks for it.
//!
//! If the zones of all these proofs hold only points of the pattern that are certain, then nothing outside matters,
//! and the pattern holds wherever it fits.

use super::arrangement::{Arrangement, PatternPlace, PointMask};
use super::database::{PatternDatabase, ReadDatabase};
use super::entry::{EntryFault, PatternEntry, PatternGoal};
use crate::core::game::Side;
use crate::games::go::large::chains::Chains;
use crate::games::go::large::points::{GREATEST, LargeBoard};
use crate::tactics::board::TacticsBoard;
use crate::tactics::check::{CheckError, check};
use crate::tactics::goal::{Question, QuestionError, TacticalGoal};
use crate::tactics::solve::{USUAL_NODES, solve};
use crate::tactics::verdict::TacticsVerdict;
use std::sync::OnceLock;

/// What a pattern was proven to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProvenPattern {
    /// Whether it holds wherever it fits; else on an empty board.
    pub anywhere: bool,
    /// Positions with white to move that were proven.
    pub positions: usize,
    /// Nodes of the search in all.
    pub nodes: u64,
}

/// Why a pattern is not proven.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternUnproven {
    /// It is no pattern.
    #[error(transparent)]
    Entry(#[from] EntryFault),
    /// There is no goal.
    #[error("its goal is universal: there is nothing to prove")]
    Universal,
    /// The chains that it is about are not clear.
    #[error("mark {0} as its target (TR): it is not clear which stones it is about")]
    Target(&'static str),
    /// A target that is no chain, or two that are one.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// The other side prevents it.
    #[error("{after}, white prevents it{}", at(.by))]
    Prevented {
        /// After which moves.
        after: String,
        /// How, if that is known.
        by: Option<String>,
    },
    /// The budget ended.
    #[error("{0}, the budget ended before an answer")]
    Budget(String),
    /// A proof that the naive rules refuse.
    #[error("{0}, the proof does not hold: {1}")]
    Check(String, CheckError),
}

fn at(by: &Option<String>) -> String {
    by.as_ref().map_or(String::new(), |by| format!(" at {by}"))
}

/// Boards with other points outside the zone that the check of each proof tries.
pub const FILLINGS: u64 = 100;

/// The patterns that come with the program. They are proven when they are asked for first; those that are not proven
/// are named by the notices, and are among the patterns all the same.
pub fn shipped() -> &'static ReadDatabase {
    static SHIPPED: OnceLock<ReadDatabase> = OnceLock::new();
    SHIPPED.get_or_init(|| {
        let database = PatternDatabase::shipped();
        let notices = unproven(&database, USUAL_NODES);
        ReadDatabase { database, notices }
    })
}

/// A notice for each pattern that is not proven with so many nodes for each reading. The search alone is asked, whose
/// proofs are not replayed.
pub fn unproven(database: &PatternDatabase, budget: u64) -> Vec<String> {
    let told = |(place, entry): (usize, &PatternEntry)| {
        let why = prove(entry, budget, None).err()?;
        let name = if entry.name.is_empty() { String::new() } else { format!(" ({})", entry.name) };
        Some(format!("pattern {}{name} is not proven: {why}", place + 1))
    };
    database.entries.iter().enumerate().filter_map(told).collect()
}

/// A place of a pattern as people name it: column and row from the lower left.
pub fn place_name(of: &Arrangement, (x, y): PatternPlace) -> String {
    use crate::games::go::large::points::column;
    format!("{}{}", column(x), of.size().1.saturating_sub(y))
}

/// The first column of a pattern, or its first row, and how many the board has.
fn along(first: bool, last: bool, length: u8) -> (u8, u8) {
    match (first, last) {
        // Both edges are its own.
        (true, true) => (0, length),
        (true, false) => (0, GREATEST),
        (false, true) => (GREATEST - length, GREATEST),
        _ => ((GREATEST - length) / 2, GREATEST),
    }
}

/// A board with a pattern, and where its upper left point is.
///
/// # Errors
/// A chain without liberties.
pub fn board_with(of: &Arrangement) -> Result<(TacticsBoard, (u8, u8)), EntryFault> {
    let ((width, height), edges) = (of.size(), of.edges);
    let (x0, columns) = along(edges.left, edges.right, width);
    let (y0, rows) = along(edges.top, edges.bottom, height);
    let size = LargeBoard::new(columns, rows).map_err(|_| EntryFault::Size(width, height))?;
    let mut chains = Chains::new(size);
    for (x, y) in of.places() {
        let mask = of.at((x, y));
        if !mask.meets(PointMask::EMPTY)
            && let Some(point) = size.point(x0 + x, y0 + y)
        {
            chains.set(point, if mask == PointMask::BLACK { Side::First } else { Side::Second });
        }
    }
    for (x, y) in of.places() {
        if let Some(chain) = size.point(x0 + x, y0 + y).and_then(|point| chains.chain(point))
            && chain.liberties.is_empty()
        {
            return Err(EntryFault::Captured(x + 1, y + 1));
        }
    }
    Ok((TacticsBoard::new(chains, None), (x0, y0)))
}

/// The stones that a pattern is about: those marked, or those of the only chain or chains that it can be about.
fn targets(entry: &PatternEntry) -> Result<Vec<PatternPlace>, PatternUnproven> {
    let (colour, count, what) = match entry.goal {
        PatternGoal::Universal => return Err(PatternUnproven::Universal),
        PatternGoal::Capture => (PointMask::WHITE, 1, "a stone of the white chain"),
        PatternGoal::Connect => (PointMask::BLACK, 2, "a stone of each of the two black chains"),
    };
    let unclear = || PatternUnproven::Target(what);
    if !entry.targets.is_empty() {
        let right =
            entry.targets.len() == count && entry.targets.iter().all(|&place| entry.start.at(place) == colour);
        return if right { Ok(entry.targets.clone()) } else { Err(unclear()) };
    }
    let mut chains: Vec<Vec<PatternPlace>> = Vec::new();
    for place in entry.start.holding(colour) {
        if !chains.iter().any(|chain| chain.contains(&place)) {
            chains.push(entry.start.chain(place));
        }
    }
    if chains.len() == count { Ok(chains.iter().map(|chain| chain[0]).collect()) } else { Err(unclear()) }
}

/// Proves a pattern, with so many nodes for each reading. Each proof is replayed by the naive rules, with so many
/// fillings, if a number is given.
///
/// # Errors
/// Why it is not proven.
pub fn prove(entry: &PatternEntry, budget: u64, fillings: Option<u64>) -> Result<ProvenPattern, PatternUnproven> {
    entry.steps()?;
    let targets = targets(entry)?;
    let mut proven = ProvenPattern { anywhere: true, positions: 0, nodes: 0 };
    let black = (0..entry.tree.moves().len()).filter(|&id| entry.tree.moves()[id].side == Side::First);
    let after: Vec<Option<usize>> = if entry.is_tesuji() { black.map(Some).collect() } else { vec![None] };
    for to in after {
        let arrangement = entry.after(to)?;
        let moves = to.map(|to| entry.tree.path(to)).unwrap_or_default();
        let names: Vec<String> =
            moves.iter().map(|&id| place_name(&entry.start, entry.tree.moves()[id].place)).collect();
        let told = if names.is_empty() { "as it is".to_owned() } else { format!("after {}", names.join(" ")) };
        // Stones off the rectangle are not known, so that the moves are played on the board.
        let (mut board, (x0, y0)) = board_with(&entry.start)?;
        let size = board.chains().size();
        let point = |(x, y): PatternPlace| size.point(x0 + x, y0 + y).unwrap_or(0);
        for &id in &moves {
            let step = &entry.tree.moves()[id];
            if !board.is_legal(point(step.place), step.side) {
                return Err(EntryFault::Move(step.place.0 + 1, step.place.1 + 1).into());
            }
            board.play(point(step.place), step.side);
        }
        let goal = if entry.goal == PatternGoal::Capture { TacticalGoal::Defend } else { TacticalGoal::Cut };
        let (first, second) = (point(targets[0]), targets.get(1).map(|&place| point(place)));
        if goal == TacticalGoal::Defend && board.colour(first) != Some(Side::Second) {
            // It is captured.
            continue;
        }
        let question = match Question::new(board.chains(), goal, first, second) {
            Err(QuestionError::Connected(..)) if to.is_some() => continue,
            made => made?,
        };
        let answer = solve(&board, &question, budget);
        proven.nodes += answer.nodes;
        proven.positions += 1;
        if answer.verdict == TacticsVerdict::Unknown {
            return Err(PatternUnproven::Budget(told));
        }
        if answer.verdict != TacticsVerdict::Fails || !answer.proven {
            let by = answer.first.map(|point| {
                let (x, y) = size.place(point);
                let inside = x >= x0 && y >= y0 && x - x0 < arrangement.size().0 && y - y0 < arrangement.size().1;
                if inside { place_name(&entry.start, (x - x0, y - y0)) } else { "a point outside".to_owned() }
            });
            return Err(PatternUnproven::Prevented { after: told, by });
        }
        for (proof, fillings) in answer.proofs.iter().filter_map(|proof| Some((proof, fillings?))) {
            check(&board, &question, proof, fillings, 1)
                .map_err(|error| PatternUnproven::Check(told.clone(), error))?;
        }
        let certain = |point: u16| {
            let (x, y) = size.place(point);
            let (Some(x), Some(y)) = (x.checked_sub(x0), y.checked_sub(y0)) else { return false };
            let (width, height) = arrangement.size();
            x < width && y < height && entry.start.at((x, y)).is_definite()
        };
        let zones = answer.proofs.iter().filter_map(|proof| proof.nodes.first()).map(|node| node.zone);
        proven.anywhere &= answer.zone.into_iter().chain(zones).all(|zone| zone.iter().all(certain));
    }
    Ok(proven)
}
