//! Swap2 by search: stones that are worth the same to both sides, and the better colour.
//!
//! The stones that are to be put are drawn near the middle, and the best of the draws is taken. The player who
//! answers three stones may also put two more and leave the choice to the other. By the same search that is worth at
//! most nothing, and the better colour at least nothing, so it is never done.

use super::GomokuPlayer;
use crate::core::game::{Budget, Chosen, Game, Level, Player, Side, ToldMoves, Value};
use crate::core::seed::rng;
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::gomoku::rules::GomokuRules;
use crate::games::gomoku::swap2::game::{Swap2Game, Swap2Move};
use crate::games::gomoku::swap2::{Swap2, Swap2Choice, Swap2Turn};
use rand::RngExt;

/// Openings of three stones that are compared.
const OPENINGS: u32 = 40;
/// Most nodes for each.
const NODES: u64 = 5000;
/// Steps from the middle that the stones of an opening may lie.
const SPREAD: u8 = 4;

/// What a player does next in an opening by Swap2, as the first moves of the line: all stones that it puts now, or
/// what it chooses and, if it has white then, the stone after that. Nothing if it is agreed on already or the stones
/// are no opening. The seed decides which stones are tried. The value is that for the player.
pub fn choose_opening(
    player: &mut dyn Player<GomokuPosition>,
    swap: &Swap2,
    (board, rules): (GomokuBoard, GomokuRules),
    seed: u64,
    budget: &mut Budget<'_>,
) -> Option<Chosen<Swap2Move>> {
    match swap.turn() {
        Swap2Turn::Place { .. } => even_stones(player, swap, (board, rules), seed, budget),
        Swap2Turn::Choose { .. } => {
            let chosen = player.choose(&swap.position(rules).ok()?, budget, &mut |_| {})?;
            let (colour, value) =
                if chosen.value >= 0 { (Side::Second, chosen.value) } else { (Side::First, -chosen.value) };
            let line = chosen.line.iter().map(|m| Swap2Move::Stone(m.0));
            let line = std::iter::once(Swap2Move::Choice(Swap2Choice::Colour(colour))).chain(line).collect();
            Some(Chosen { line, value, decided_in: chosen.decided_in, depth: chosen.depth, nodes: chosen.nodes })
        }
        Swap2Turn::Agreed { .. } => None,
    }
}

/// The stones that a player puts now, near the middle, so that the value is nearest to nothing.
fn even_stones(
    player: &mut dyn Player<GomokuPosition>,
    swap: &Swap2,
    (board, rules): (GomokuBoard, GomokuRules),
    seed: u64,
    budget: &mut Budget<'_>,
) -> Option<Chosen<Swap2Move>> {
    let mut random = rng(seed, &[]);
    let mut best: Option<Chosen<Swap2Move>> = None;
    let mut draw = |size: u8| {
        let (from, to) = ((size / 2).saturating_sub(SPREAD), (size / 2 + SPREAD).min(size - 1));
        random.random_range(from..=to)
    };
    let (mut compared, mut nodes) = (0, 0);
    // Draws fail where two stones fall on one point, on small boards often.
    for _ in 0..50 * OPENINGS {
        let mut after = swap.clone();
        while let Swap2Turn::Place { .. } = after.turn() {
            let Some(point) = board.point(draw(board.width()), draw(board.height())) else { break };
            if after.place(point).is_err() {
                break;
            }
        }
        if let Swap2Turn::Place { .. } = after.turn() {
            continue;
        }
        let Ok(position) = after.position(rules) else { continue };
        let mut part = Budget { depth: budget.depth, nodes: NODES.min(budget.nodes), time: &mut *budget.time };
        let Some(chosen) = player.choose(&position, &mut part, &mut |_| {}) else { continue };
        nodes += chosen.nodes;
        let is_late = (budget.time)() >= 1.0;
        // What a search says that had no time means nothing beside the others.
        if best.as_ref().is_none_or(|best| !is_late && best.value < -chosen.value.abs()) {
            let line = after.stones()[swap.stones().len()..].iter().map(|&point| Swap2Move::Stone(point)).collect();
            // The other player takes the better colour.
            let value = -chosen.value.abs();
            best = Some(Chosen { line, value, decided_in: chosen.decided_in, depth: chosen.depth, nodes: 0 });
        }
        compared += 1;
        if compared == OPENINGS || is_late {
            break;
        }
    }
    best.map(|best| Chosen { nodes, ..best })
}

/// A player of Gomoku in games that begin with Swap2.
pub struct OpeningPlayer {
    /// Decides which stones of an opening are tried.
    pub seed: u64,
    /// The player that plays on when the colours are agreed on.
    pub player: Box<dyn Player<GomokuPosition>>,
}

/// The same in the game that begins with Swap2.
fn in_game(chosen: Chosen<GomokuMove>) -> Chosen<Swap2Move> {
    let Chosen { line, value, decided_in, depth, nodes } = chosen;
    Chosen { line: line.into_iter().map(|m| Swap2Move::Stone(m.0)).collect(), value, decided_in, depth, nodes }
}

impl Player<Swap2Game> for OpeningPlayer {
    fn choose(
        &mut self,
        game: &Swap2Game,
        budget: &mut Budget<'_>,
        told: &mut dyn FnMut(&Chosen<Swap2Move>),
    ) -> Option<Chosen<Swap2Move>> {
        let position = game.position();
        if let Swap2Turn::Agreed { .. } = game.opening().turn() {
            return self.player.choose(position, budget, &mut |chosen| told(&in_game(chosen.clone()))).map(in_game);
        }
        let of = (position.board(), position.rules());
        choose_opening(&mut *self.player, game.opening(), of, self.seed, budget)
    }

    /// In the opening nothing but the move that is chosen.
    fn analyse(
        &mut self,
        game: &Swap2Game,
        most: usize,
        budget: &mut Budget<'_>,
        told: ToldMoves<'_, Swap2Move>,
    ) -> Vec<Chosen<Swap2Move>> {
        let in_games = |found: &[Chosen<GomokuMove>]| found.iter().cloned().map(in_game).collect::<Vec<_>>();
        if let Swap2Turn::Agreed { .. } = game.opening().turn() {
            let position = game.position();
            let found = self.player.analyse(position, most, budget, &mut |found| told(&in_games(found)));
            return in_games(&found);
        }
        let found: Vec<Chosen<Swap2Move>> = self.choose(game, budget, &mut |_| {}).into_iter().take(most).collect();
        told(&found);
        found
    }

    fn set_level(&mut self, level: Level) {
        self.player.set_level(level);
    }

    /// Another game has other stones.
    fn forget(&mut self) {
        self.seed = self.seed.wrapping_add(1);
        self.player.forget();
    }
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
        // Who has to answer a four is told to do so, at no value.
        let enemy = position.side().other();
        if board.points().any(|point| position.stone(point).is_none() && position.wins_at(point, enemy)) {
            return None;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_opening_leaves_a_four_to_answer() {
        let (board, rules) = (GomokuBoard::USUAL, GomokuRules::default());
        let mut player = GomokuPlayer::new(1 << 20).unwrap();
        // Before fours were looked for, number 53 was one that black wins by its four.
        for number in 52..55 {
            let stones = even_opening(&mut player, (board, rules), 92, number).unwrap();
            let mut position = GomokuPosition::new(board, rules);
            for &point in &stones {
                position.play(GomokuMove(point));
            }
            let empty = board.points().filter(|&point| position.stone(point).is_none());
            let wins = |point: u16| [Side::First, Side::Second].iter().any(|&side| position.wins_at(point, side));
            assert!(!empty.into_iter().any(wins), "{number}: {position}");
        }
    }
}
