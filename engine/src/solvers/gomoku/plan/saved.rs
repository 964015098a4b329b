//! The search of a plan as bytes: a head, a checksum, and what it knows of positions, in the encoding of `postcard`.
//!
//! What is read decides which positions count as proven. So the bytes carry a checksum, and belong to one position,
//! one attacker and one plan, whose moves the search takes for proven. The plan may have grown since: the moves that
//! it had are still its first ones.

use super::node::{INFINITY, PlanAttack, PlanDefence, PlanHint};
use super::{PlannedMove, WinningPlan};
use crate::core::encoding::{decode, encode};
use crate::core::frame::{Flaw, FrameFormat, checksum, take};
use crate::core::game::Side;
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::position::GomokuPosition;
use crate::games::gomoku::rules::GomokuRules;
use crate::solvers::gomoku::player::PlayerError;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What the bytes begin with.
const FORMAT: FrameFormat = FrameFormat { magic: b"MorpPlan", version: 2, what: "the saved search of a plan" };
/// The version without [`PlanDefence::effort`].
const WITHOUT_EFFORT: u32 = 1;

/// Why a search cannot go on from some bytes.
#[derive(Debug, thiserror::Error)]
pub enum PlanRestoreError {
    /// They were written by a newer version of the program.
    #[error("it has format version {0}, which this program does not know")]
    Newer(u32),
    /// They are not what was saved.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// The search was about something else.
    #[error("it belongs to another position, other rules or the other side")]
    Foreign,
    /// The plan lacks moves that the search took for proven.
    #[error("the plan lacks moves that it had when this was saved")]
    Lacking,
    /// The player cannot be had.
    #[error(transparent)]
    Player(#[from] PlayerError),
}

impl From<Flaw> for PlanRestoreError {
    fn from(flaw: Flaw) -> PlanRestoreError {
        match flaw {
            Flaw::Newer(version) => PlanRestoreError::Newer(version),
            Flaw::Damaged(what) => PlanRestoreError::Damaged(what),
        }
    }
}

/// What a search knows.
pub(super) struct SavedPlanTree {
    pub nodes: u64,
    pub threats: u64,
    pub attacks: HashMap<u64, PlanAttack>,
    pub defences: HashMap<u64, PlanDefence>,
}

/// A position with the defender to move as [`WITHOUT_EFFORT`] has it.
#[derive(Deserialize)]
struct PlanDefenceOne {
    proof: u32,
    replies: Option<Vec<u16>>,
    seen: usize,
    open: Vec<u16>,
    is_slow: bool,
    answered: Option<PlanHint>,
    model: Option<u64>,
}

impl From<PlanDefenceOne> for PlanDefence {
    fn from(one: PlanDefenceOne) -> PlanDefence {
        let PlanDefenceOne { proof, replies, seen, open, is_slow, answered, model } = one;
        PlanDefence { proof, replies, seen, open, is_slow, answered, model, effort: 0 }
    }
}

/// What follows the checksum: the head, and what is known of positions.
type TreeContent<D> = (TreeHead, Vec<(u64, PlanAttack)>, Vec<(u64, D)>);

/// What a search is about, and what it has taken.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeHead {
    width: u8,
    height: u8,
    rules: GomokuRules,
    /// Points with `true` for white stones.
    stones: Vec<(u16, bool)>,
    white_wins: bool,
    /// Number of moves of the plan that the search began with, and their checksum.
    known: u64,
    known_sum: [u8; 4],
    nodes: u64,
    threats: u64,
}

impl TreeHead {
    /// Whether what follows the head is about this position, and rests on this plan or the beginning of it.
    ///
    /// # Errors
    /// It is not.
    pub fn fits(&self, position: &GomokuPosition, known: &WinningPlan) -> Result<(), PlanRestoreError> {
        let had = usize::try_from(self.known).unwrap_or(usize::MAX);
        let counts = (self.nodes, self.threats);
        // Which side and position it is about is told first.
        let now = TreeHead::new(position, known, had.min(known.moves().len()), counts);
        let about = |head: &TreeHead| (head.width, head.height, head.rules, head.white_wins);
        if about(&now) != about(self) || now.stones != self.stones {
            return Err(PlanRestoreError::Foreign);
        }
        if now == *self { Ok(()) } else { Err(PlanRestoreError::Lacking) }
    }

    /// The head for a position, the first moves of a plan, nodes and searches of threats.
    pub fn new(
        position: &GomokuPosition,
        known: &WinningPlan,
        first: usize,
        (nodes, threats): (u64, u64),
    ) -> TreeHead {
        let board = position.board();
        TreeHead {
            width: board.width(),
            height: board.height(),
            rules: position.rules(),
            stones: position.stones().map(|(point, colour)| (point, colour == Side::Second)).collect(),
            white_wins: known.attacker() == Side::Second,
            known: first as u64,
            known_sum: moves_sum(&known.moves()[..first]),
            nodes,
            threats,
        }
    }
}

fn moves_sum(moves: &[PlannedMove]) -> [u8; 4] {
    let mut bytes = Vec::new();
    for PlannedMove { way, answer } in moves {
        bytes.extend((way.len() as u64).to_le_bytes());
        bytes.extend(way.iter().chain([answer]).flat_map(|point| point.to_le_bytes()));
    }
    checksum(&bytes)
}

fn sorted<T>(entries: &HashMap<u64, T>) -> Vec<(u64, &T)> {
    let mut entries: Vec<(u64, &T)> = entries.iter().map(|(&hash, entry)| (hash, entry)).collect();
    entries.sort_unstable_by_key(|&(hash, _)| hash);
    entries
}

/// Takes the checksum off the front of bytes, which is that of all others.
///
/// # Errors
/// It is another one.
pub fn check_sum(bytes: &mut &[u8]) -> Result<(), PlanRestoreError> {
    let sum: [u8; 4] = take(bytes)?;
    match sum == checksum(bytes) {
        true => Ok(()),
        false => Err(PlanRestoreError::Damaged("its checksum does not match".to_owned())),
    }
}

/// A search as bytes; `counts` are its nodes and its searches of threats.
pub(super) fn tree_bytes(
    position: &GomokuPosition,
    known: &WinningPlan,
    counts: (u64, u64),
    attacks: &HashMap<u64, PlanAttack>,
    defences: &HashMap<u64, PlanDefence>,
) -> Vec<u8> {
    let head = TreeHead::new(position, known, known.moves().len(), counts);
    let content = encode(&(head, sorted(attacks), sorted(defences)));
    [FORMAT.head(FORMAT.version), checksum(&content).to_vec(), content].concat()
}

/// What [`tree_bytes`] has written of a search in this position with this plan, or with the beginning of it.
pub(super) fn read_tree(
    mut bytes: &[u8],
    position: &GomokuPosition,
    known: &WinningPlan,
) -> Result<SavedPlanTree, PlanRestoreError> {
    let version = FORMAT.read(&mut bytes)?;
    check_sum(&mut bytes)?;
    let content: Option<TreeContent<PlanDefence>> = match version {
        WITHOUT_EFFORT => decode::<TreeContent<PlanDefenceOne>>(bytes).map(|(head, attacks, defences)| {
            (head, attacks, defences.into_iter().map(|(hash, defence)| (hash, defence.into())).collect())
        }),
        version if version == FORMAT.version => decode(bytes),
        _ => return Err(PlanRestoreError::Damaged("there is no such version".to_owned())),
    };
    let content = content.filter(|(_, attacks, defences)| {
        let board = position.board();
        attacks.iter().all(|(_, attack)| fits_attack(attack, board))
            && defences.iter().all(|(_, defence)| fits_defence(defence, board))
    });
    let (head, attacks, defences) =
        content.ok_or_else(|| PlanRestoreError::Damaged("its content cannot be read".to_owned()))?;
    head.fits(position, known)?;
    let (attacks, defences) = (attacks.into_iter().collect(), defences.into_iter().collect());
    Ok(SavedPlanTree { nodes: head.nodes, threats: head.threats, attacks, defences })
}

fn fits_attack(attack: &PlanAttack, board: GomokuBoard) -> bool {
    let moves = attack.moves.iter().flatten();
    attack.proof <= INFINITY
        && moves.clone().all(|&(_, proof)| proof <= INFINITY)
        && moves.map(|&(point, _)| point).chain(attack.best).all(|point| board.holds(point))
}

fn fits_defence(defence: &PlanDefence, board: GomokuBoard) -> bool {
    let hint = defence.answered.map(|hint| hint.point);
    let replies = defence.replies.as_ref().map_or(0, Vec::len);
    let mut points = defence.replies.iter().flatten().chain(&defence.open).copied().chain(hint);
    defence.proof <= INFINITY
        && defence.seen <= replies
        // What is proven has answered all replies.
        && (defence.proof > 0 || defence.seen == replies)
        && points.all(|point| board.holds(point))
}
