//! A playout in which moves come with their images: a greedy one, which plays the move that comes first in an order.

use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;
use crate::strategies::nrpa::playout::Playout;
use crate::strategies::nrpa::policy::code;
use crate::strategies::orbits::Orbits;

/// Plays on from the board as it is, which the orbits carry to itself, where `starts` are the legal moves. `rank`
/// says when a move comes, the least first.
pub(super) fn play_orbits<R: Rules, O: Orbits>(
    playout: &mut Playout<R>,
    orbits: O,
    starts: &[Move],
    rank: impl Fn(Move) -> f32,
    waiting: &mut Vec<(Move, f32)>,
) {
    let Playout { board, game, room, .. } = playout;
    waiting.clear();
    let stands_for_its_orbit = |mv: Move| orbits.first(mv) == mv && orbits.fit::<R>(mv);
    let found = starts.iter().copied().filter(|&mv| stands_for_its_orbit(mv));
    waiting.extend(found.map(|mv| (mv, rank(mv))));
    game.clear();
    // For two moves.
    while game.has_room(room.saturating_sub(1)) {
        let least = (0..waiting.len()).min_by(|&a, &b| waiting[a].1.total_cmp(&waiting[b].1));
        let Some(least) = least else { break };
        let mv = waiting[least].0;
        for mv in orbits.of(mv) {
            board.place(mv);
            game.play(mv);
            game.end_step(game.appearances);
            waiting.retain(|(other, _)| !other.collides::<R>(mv));
        }
        // What goes through the image's point is the image of what goes through the move's.
        let (old, mut appearances) = (waiting.len(), game.appearances);
        board.moves_through(mv.point(), |new| {
            let new = orbits.first(new);
            if orbits.fit::<R>(new) && !waiting[old..].iter().any(|(other, _)| *other == new) {
                // SAFETY: the game had room before the step, and a point is on 20 lines at most.
                unsafe { game.appear(appearances, new, code(new) as u32) };
                appearances += 1;
                waiting.push((new, rank(new)));
            }
        });
        game.appearances = appearances;
    }
}
