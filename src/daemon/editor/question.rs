//! Tactical questions about the position at a node, with the proof as far as it is not too long.

use super::EditorError;
use super::patterns::database;
use super::trees::{NodeAt, side_word};
use crate::daemon::view::{
    EditedAnswerView, EditedQuestionRequest, ProofMoveView, ProofPositionView, TacticsAnswerView, VERSION,
};
use crate::games::go::large::points::LargeBoard;
use crate::jobs::tactics::AttackSource;
use crate::tactics::board::{PASS, TacticsBoard};
use crate::tactics::check::ZoneProof;
use crate::tactics::goal::{Question, point_of};
use crate::tactics::ladder::ladder_of;
use crate::tactics::proposer::AttackMoves;
use crate::tactics::region::{region_of, text_of};
use crate::tactics::solve::{TacticsAnswer, solve_until};
use crate::tactics::verdict::TacticsVerdict;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Most nodes of each reading.
pub const MOST_BUDGET: u64 = 1_000_000;
/// Longest time of an answer.
const LONGEST: Duration = Duration::from_secs(12);
/// Most positions of a proof that are told.
const MOST_POSITIONS: usize = 3000;

/// Answers a question. It takes some seconds at most; `stop` is asked every millisecond or so whether it is to end.
///
/// # Errors
/// Nodes that are no trees, a position that cannot be, a question that makes no sense there.
pub fn answer(
    request: &EditedQuestionRequest,
    stop: &mut dyn FnMut() -> bool,
) -> Result<EditedAnswerView, EditorError> {
    if !(1..=MOST_BUDGET).contains(&request.budget) {
        return Err(EditorError::Budget);
    }
    let NodeAt { position, .. } = NodeAt::new(&request.nodes, request.at)?.sound()?;
    let size = position.size();
    let target = point_of(size, &request.target)?;
    let with = request.with.as_deref().map(|with| point_of(size, with)).transpose()?;
    let mut question = Question::new(position.chains(), request.goal, target, with)?;
    if let Some(region) = &request.region {
        question = question.within(position.chains(), region_of(size, region)?)?;
    }
    let board = TacticsBoard::of_position(&position, question.mover());
    let attacks = match request.moves {
        AttackSource::Generators => AttackMoves::Generators,
        source => {
            let moves = source.moves(&database(request.patterns.as_deref())?.database);
            moves.map_err(|error| EditorError::NotAdded(format!("patterns: {error}")))?
        }
    };
    let began = Instant::now();
    let mut ends = || stop() || began.elapsed() > LONGEST;
    let found = solve_until(&board, &question, request.budget, &attacks, &mut ends);
    let out_of_time = found.is_none();
    let found = found.unwrap_or_else(nothing);
    let ladder = ladder_of(&board, &question).filter(|_| found.attack_works(question.goal()));
    // The last reading is the one that the answer follows.
    let proof = found.proofs.last();
    let positions = proof.map_or(0, |proof| proof.nodes.len());
    let (proof_zones, proof_zone_numbers) = proof.map(|proof| zones(size, proof)).unwrap_or_default();
    Ok(EditedAnswerView {
        v: VERSION,
        answer: TacticsAnswerView::of(&board, &question, &found),
        out_of_time,
        proof: proof.map_or_else(Vec::new, |proof| told(size, &question, proof)),
        ladder: ladder.map(|line| line.iter().map(|&point| size.name(point)).collect()),
        proof_left_out: positions.saturating_sub(MOST_POSITIONS) as u64,
        proof_zones,
        proof_zone_numbers,
        seconds: (began.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
    })
}

/// The answer of a reading that the time ended.
fn nothing() -> TacticsAnswer {
    TacticsAnswer {
        verdict: TacticsVerdict::Unknown,
        proven: false,
        first: None,
        nodes: 0,
        zone: None,
        proofs: Vec::new(),
        levels: 0,
    }
}

/// The first positions of a proof, in which those after them come later.
fn told(size: LargeBoard, question: &Question, proof: &ZoneProof) -> Vec<ProofPositionView> {
    let name = |point: u16| if point == PASS { "pass".to_owned() } else { size.name(point) };
    let attacker = question.attacker();
    let positions = proof.nodes.iter().take(MOST_POSITIONS).map(|node| ProofPositionView {
        side: side_word(if node.attacker_moves { attacker } else { attacker.other() }).to_owned(),
        attacker: node.attacker_moves,
        moves: node
            .moves
            .iter()
            .map(|&(point, next)| ProofMoveView {
                name: name(point),
                next: next.filter(|&next| next < MOST_POSITIONS).map(|next| next as u32),
            })
            .collect(),
    });
    positions.collect()
}

/// The zones of the same positions, each once, and the number of that of each position. Few differ.
fn zones(size: LargeBoard, proof: &ZoneProof) -> (Vec<String>, Vec<u32>) {
    let (mut texts, mut known) = (Vec::new(), HashMap::new());
    let mut number = |text: String| {
        *known.entry(text).or_insert_with_key(|text| {
            texts.push(text.clone());
            texts.len() as u32 - 1
        })
    };
    let nodes = proof.nodes.iter().take(MOST_POSITIONS);
    let numbers = nodes.map(|node| number(text_of(size, &node.zone))).collect();
    (texts, numbers)
}
