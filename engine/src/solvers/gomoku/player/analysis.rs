//! The values of all moves of a position. A move is searched as the choice of one searches it, but with a window of
//! its own; a victory by continuous fours is looked for in front, with more effort than a node gets. Helpers do the
//! same at their depths.

use super::helpers::{Helpers, with_helpers};
use super::node::{PlayerSearch, SharedSearch, WIN};
use super::{decided_in, line_of};
use crate::core::game::{Budget, Chosen, ToldMoves, Value};
use crate::games::gomoku::position::GomokuMove;
use crate::solvers::entry::NO_MOVE;
use crate::solvers::gomoku::lines::codes::MoveClass;
use crate::solvers::gomoku::vcf::VcfWin;
use crate::solvers::player::all_moves::AllMoves;

/// Values the moves, deeper each time, until the budget is used up or the game is decided after each of the best.
/// `front` is in how many positions continuous fours are looked for in front.
pub fn analyse(
    shared: SharedSearch<'_>,
    helpers: Option<&Helpers>,
    front: usize,
    budget: &mut Budget<'_>,
    all: &mut AllMoves<GomokuMove>,
    told: ToldMoves<'_, GomokuMove>,
) {
    let mut stones = shared.stones();
    let by_fours = (front > 0).then(|| stones.continuous_fours(front)).flatten().map(|VcfWin { length, line }| {
        let value = WIN - 2 * length as Value + 1;
        let line = line.into_iter().map(GomokuMove).collect();
        Chosen { line, value, decided_in: decided_in(value), depth: 1, nodes: 1 }
    });
    // Deeper than the board has empty points there is nothing.
    let deepest = shared.deepest.min(u32::from(stones.lines.empty()).max(1));
    let shared = SharedSearch { deepest, ..shared };
    let start = all.clone();
    let mut search = PlayerSearch::new(&mut stones, &shared, &mut *budget.time);
    with_helpers(
        helpers,
        &shared,
        &|search| deepen(search, deepest, None, &mut start.clone(), &mut |_| {}),
        &mut || deepen(&mut search, deepest, by_fours.as_ref(), all, told),
    );
}

/// The same to all depths up to the deepest, with what is known of continuous fours.
fn deepen(
    search: &mut PlayerSearch<'_, '_, '_>,
    deepest: u32,
    by_fours: Option<&Chosen<GomokuMove>>,
    all: &mut AllMoves<GomokuMove>,
    told: ToldMoves<'_, GomokuMove>,
) {
    for depth in 1..=deepest {
        search.root_depth = depth as i32;
        let is_whole = all.iterate(|m, bound| {
            let known = by_fours.filter(|win| win.line.first() == Some(&m));
            let found = value_of(search, m, depth, bound)?;
            let better = known.filter(|win| win.value > found.value);
            Some(better.map_or(found, |win| Chosen { depth, ..win.clone() }))
        });
        if is_whole {
            told(&all.best);
        }
        let is_spent = (search.time)() >= 1.0 || search.report().is_err();
        if !is_whole || all.are_decided() || is_spent {
            break;
        }
    }
}

/// The value of a move at a depth, if it is above the bound, with its line.
fn value_of(
    search: &mut PlayerSearch<'_, '_, '_>,
    m: GomokuMove,
    depth: u32,
    bound: Value,
) -> Option<Chosen<GomokuMove>> {
    let before = search.nodes;
    if search.stones.lines.class(m.0, search.stones.side()) == MoveClass::Five {
        return Some(Chosen { line: vec![m], value: WIN - 1, decided_in: Some(1), depth, nodes: 1 });
    }
    let (far, rest) = (WIN + 1, depth as i32 - 1);
    search.stones.play(m.0);
    let mut value = Ok(bound + 1);
    if bound >= -far {
        value = search.value(-bound - 1, -bound, rest, 1).map(|value| -value);
    }
    if value.is_ok_and(|value| value > bound) {
        value = search.value(-far, -bound.max(-far), rest, 1).map(|value| -value);
    }
    let mut line = vec![m];
    if value.is_ok_and(|value| value > bound) {
        line.extend(line_of(search.stones, search.table, NO_MOVE, depth as usize + 7));
    }
    search.stones.undo(m.0);
    let value = value.ok()?;
    Some(Chosen { line, value, decided_in: decided_in(value), depth, nodes: search.nodes - before })
}
