//! Swap2 by search: three stones that are worth the same to both sides, and the better colour.
//!
//! The player who answers three stones may also put two more and leave the choice to the other. By the same search
//! that is worth at most nothing, and the better colour at least nothing, so it is never done.

use super::GomokuPlayer;
use crate::core::game::{Budget, Game, Player, Side, Value};
use crate::core::seed::rng;
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::gomoku::rules::GomokuRules;
use crate::games::gomoku::swap2::{Swap2, Swap2Turn};
use rand::RngExt;

/// Openings of three stones that are compared.
const OPENINGS: u32 = 40;
/// Most nodes for each.
const NODES: u64 = 5000;
/// Steps from the middle that the stones of an opening may lie.
const SPREAD: u8 = 4;

/// What is to be done in an opening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpeningChoice {
    /// The first three stones: black, white, black.
    Stones([u16; 3]),
    /// A colour is taken; white goes on with this move.
    Take(Side, Option<u16>),
}

/// What the player does next in an opening by Swap2; nothing if it is agreed on already or the stones are no opening.
/// The seed decides which three stones are tried.
pub fn choose_opening(
    player: &mut GomokuPlayer,
    swap: &Swap2,
    (board, rules): (GomokuBoard, GomokuRules),
    seed: u64,
    budget: &mut Budget<'_>,
) -> Option<OpeningChoice> {
    match swap.turn() {
        Swap2Turn::Place { .. } if swap.stones().is_empty() => {
            Some(OpeningChoice::Stones(even_stones(player, board, rules, seed, budget)?))
        }
        Swap2Turn::Choose { .. } => {
            let position = swap.position(rules).ok()?;
            let chosen = player.choose(&position, budget, &mut |_| {})?;
            if chosen.value >= 0 {
                Some(OpeningChoice::Take(Side::Second, chosen.line.first().map(|m| m.0)))
            } else {
                Some(OpeningChoice::Take(Side::First, None))
            }
        }
        Swap2Turn::Place { .. } | Swap2Turn::Agreed { .. } => None,
    }
}

/// Three stones near the middle whose value is nearest to nothing.
fn even_stones(
    player: &mut GomokuPlayer,
    board: GomokuBoard,
    rules: GomokuRules,
    seed: u64,
    budget: &mut Budget<'_>,
) -> Option<[u16; 3]> {
    let mut random = rng(seed, &[]);
    let mut best: Option<(Value, [u16; 3])> = None;
    let mut draw = |size: u8| {
        let (from, to) = ((size / 2).saturating_sub(SPREAD), (size / 2 + SPREAD).min(size - 1));
        random.random_range(from..=to)
    };
    let mut compared = 0;
    // Draws fail where two stones fall on one point, on small boards often.
    for _ in 0..50 * OPENINGS {
        let mut swap = Swap2::new(board);
        while let (Swap2Turn::Place { .. }, true) = (swap.turn(), swap.stones().len() < 3) {
            let Some(point) = board.point(draw(board.width()), draw(board.height())) else { break };
            if swap.place(point).is_err() {
                break;
            }
        }
        let Ok(stones) = <[u16; 3]>::try_from(swap.stones()) else { continue };
        let Ok(position) = swap.position(rules) else { continue };
        let mut part = Budget { depth: budget.depth, nodes: NODES.min(budget.nodes), time: &mut *budget.time };
        let Some(chosen) = player.choose(&position, &mut part, &mut |_| {}) else { continue };
        if best.is_none_or(|(least, _)| chosen.value.abs() < least) {
            best = Some((chosen.value.abs(), stones));
        }
        compared += 1;
        if compared == OPENINGS || (budget.time)() >= 1.0 {
            break;
        }
    }
    best.map(|(_, stones)| stones)
}

/// Plies of an even opening: at least four, and up to eight.
const EVEN_PLIES: [usize; 5] = [4, 5, 6, 7, 8];
/// Openings that are drawn before one is given up.
const DRAWS: u16 = 2000;
/// Nodes of a first look and of a second one at an opening.
const LOOKS: [u64; 2] = [1000, 20_000];
/// Greatest value of the first opening that is drawn; each one that is refused lets the next be worth one more.
const EVEN: Value = 20;

/// The stones of an opening of four to eight plies near the middle that is worth about the same to both sides, in the
/// order of play: the more are refused, the less even the next may be. The same seed and number give the same
/// opening. Nothing if none is found, as on small boards.
pub fn even_opening(
    player: &mut GomokuPlayer,
    (board, rules): (GomokuBoard, GomokuRules),
    seed: u64,
    number: u64,
) -> Option<Vec<u16>> {
    let plies = EVEN_PLIES[(number % EVEN_PLIES.len() as u64) as usize];
    (0..DRAWS).find_map(|draw| {
        let mut random = rng(seed, &[number, draw.into()]);
        let mut position = GomokuPosition::new(board, rules);
        let mut at = |size: u8| {
            let (from, to) = ((size / 2).saturating_sub(SPREAD - 1), (size / 2 + SPREAD - 1).min(size - 1));
            random.random_range(from..=to)
        };
        let mut stones = Vec::new();
        while stones.len() < plies {
            let point = board.point(at(board.width()), at(board.height()))?;
            position.check_move(GomokuMove(point)).ok()?;
            position.play(GomokuMove(point));
            stones.push(point);
        }
        player.forget();
        let is_even = |nodes: u64| {
            let mut budget = Budget { depth: u32::MAX, nodes, time: &mut || 0.0 };
            player
                .choose(&position, &mut budget, &mut |_| {})
                .is_some_and(|chosen| chosen.value.abs() <= EVEN + Value::from(draw))
        };
        LOOKS.into_iter().all(is_even).then_some(stones)
    })
}
