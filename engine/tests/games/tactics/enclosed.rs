//! Made-up questions about life: an eye space of a few points, closed in by one side, which the other side surrounds.

use morpion_engine::core::game::Side;
use morpion_engine::core::seed::{Rng, rng};
use morpion_engine::games::go::large::chains::Chains;
use morpion_engine::games::go::large::points::{LargeBoard, PointSet};
use morpion_engine::tactics::board::TacticsBoard;
use rand::RngExt;

/// Columns and rows.
const SIDE: u8 = 9;

/// The board of a number, and a stone of the largest of the chains around the eye space, which are white. The eye
/// space has so many points, some of them with stones. Both depend on nothing else, and there may be none.
pub fn enclosed(seed: u64, number: u64, points: u32) -> Option<(TacticsBoard, u16)> {
    let mut random = rng(seed, &[number]);
    let size = LargeBoard::new(SIDE, SIDE).ok()?;
    let mut chains = Chains::new(size);
    let eye = eye_space(&mut random, &chains, points);
    let around = chains.border(&eye);
    let mut white = around;
    // Most corners are closed, too.
    let corners = chains.border(&around);
    let touches = |point: u16| {
        let (x, y) = size.place(point);
        eye.iter().map(|of| size.place(of)).any(|(u, v)| x.abs_diff(u) == 1 && y.abs_diff(v) == 1)
    };
    for point in corners.iter().filter(|&point| !eye.contains(point) && touches(point)) {
        if random.random_range(0..4) != 0 {
            white.insert(point);
        }
    }
    let mut inner = eye;
    inner.union(&white);
    let wall = chains.border(&inner);
    inner.union(&wall);
    // Outside all is black but eyes, so that nothing happens there.
    let outside = (0..size.area()).filter(|&point| {
        let (x, y) = size.place(point);
        !inner.contains(point) && (x + 2 * y) % 5 != 0
    });
    let outside: Vec<u16> = outside.collect();
    white.iter().for_each(|point| chains.set(point, Side::Second));
    let open: PointSet = wall.iter().filter(|_| random.random_range(0..12) == 0).collect();
    for point in wall.iter().filter(|&point| !open.contains(point)).chain(outside) {
        chains.set(point, Side::First);
    }
    for point in eye.iter() {
        match random.random_range(0..10) {
            0 | 1 => chains.set(point, Side::First),
            2 => chains.set(point, Side::Second),
            _ => (),
        }
    }
    let alive = |point| chains.chain(point).is_none_or(|chain| !chain.liberties.is_empty());
    if !(0..size.area()).all(alive) {
        return None;
    }
    let target = around.iter().max_by_key(|&point| chains.chain(point).map_or(0, |chain| chain.stones.len()))?;
    Some((TacticsBoard::new(chains, None), target))
}

/// Connected points, half of the time from an edge or a corner on.
fn eye_space(random: &mut Rng, empty: &Chains, points: u32) -> PointSet {
    let size = empty.size();
    let mut at = || match random.random_range(0..4) {
        0 | 1 => random.random_range(0..SIDE),
        2 => 0,
        _ => random.random_range(0..3),
    };
    let first = size.point(at(), at()).unwrap_or(0);
    let mut eye: PointSet = [first].into_iter().collect();
    while eye.len() < points {
        let beside = empty.border(&eye);
        let place = random.random_range(0..beside.len());
        beside.iter().nth(place as usize).into_iter().for_each(|point| eye.insert(point));
    }
    eye
}
