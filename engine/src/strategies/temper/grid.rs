//! A grid as a partial order: which move set each point and drew each line, and which moves depend on which. It tells
//! what has to go if a move comes that the grid does not have.

use crate::core::seed::Rng;
use crate::morpion::board::{Board, Tracks};
use crate::morpion::geometry::{Direction, Line, Move};
use crate::morpion::variant::Rules;
use crate::strategies::nrpa::policy::{CODES, code};
use crate::strategies::orbits::{Orbits, Single};
use crate::strategies::unit::NO_MOVE;
use rand::Rng as _;
use std::marker::PhantomData;

/// Orbits of a grid, at most: their numbers are bytes from 1 on. No grid of more than 178 moves is known.
pub(super) const MOST: usize = 255 - 4;

/// Numbers: zero is none, and the last four are those of the start, one for each point of a line that a move needs.
const NUMBERS: usize = 1 << 8;
const START: u8 = MOST as u8 + 1;

/// Words of a [`MoveSet`].
const WORDS: usize = NUMBERS / 64;

/// Numbers of points, rounded up to a power of two so that a masked index needs no check.
const POINTS: usize = 1 << 12;

/// A set of orbits of a grid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(align(32))]
struct MoveSet([u64; WORDS]);

impl MoveSet {
    /// Becomes the union with another one.
    #[inline(always)]
    fn unite(&mut self, other: &MoveSet) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }

    #[inline(always)]
    fn has(&self, number: u8) -> bool {
        self.0[usize::from(number) / 64] >> (number % 64) & 1 == 1
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// By number, the set of that orbit alone. A set that is made by writing one of its words is read only after a stall.
static ALONE: [MoveSet; NUMBERS] = {
    let mut sets = [MoveSet([0; WORDS]); NUMBERS];
    let mut number = 0;
    while number < NUMBERS {
        sets[number].0[number / 64] = 1 << (number % 64);
        number += 1;
    }
    sets
};

/// A move that comes into a grid, with its orbit.
#[derive(Debug, Clone, Copy)]
pub(super) struct GridChange {
    pub mv: Move,
    /// How many orbits have to go.
    pub count: usize,
    /// Which: those that collide with it, and all that depends on them.
    removed: MoveSet,
    /// What stays and depends on the point of the move, which another move set before.
    later: MoveSet,
}

/// Whether a grid can have a move.
enum ChangeVerdict {
    Possible(GridChange),
    /// More orbits would have to go than are allowed.
    TooMuch,
    Impossible,
}

/// The moves of a grid after the start, and how they depend on each other. Numbers are those of orbits: of the moves
/// that come and go together. What holds of a move of an orbit holds of its image.
pub(super) struct GridOrder<R, O = Single> {
    orbits: O,
    /// The numbers of the orbits in an order in which they can be played.
    order: Vec<u8>,
    /// A move of each orbit by number.
    moves: Box<[Move; NUMBERS]>,
    /// How many moves there are, where an orbit may have two.
    length: usize,
    /// By number, who set the other points of its line.
    parents: Box<[[u8; 4]; NUMBERS]>,
    /// By number, the orbit itself and all that depends on it.
    dependents: Box<[MoveSet; NUMBERS]>,
    /// Numbers not in use.
    free: Vec<u8>,
    /// Of each point, the number of the orbit that set it.
    creators: Box<[u8; POINTS]>,
    /// Of each direction and cell (named by its point, or its first point), the number of the orbit that covers it.
    owners: Box<[[u8; POINTS]; 4]>,
    /// The tracks of the points of the start, and all on which points are or were.
    start_tracks: Tracks,
    pub tracks: Tracks,
    /// Moves that the grid does not have and may be able to have, each once.
    pool: Vec<Move>,
    /// The codes of those, as bits.
    pooled: Box<[u64; CODES / 64]>,
    rules: PhantomData<R>,
}

/// The point so many steps along a direction.
#[inline(always)]
fn along(point: usize, direction: Direction, steps: i32) -> usize {
    (point as i32 + steps * direction.stride()) as usize & (POINTS - 1)
}

/// The first point of a move's line.
#[inline(always)]
fn first(mv: Move) -> usize {
    along(mv.point().index(), mv.direction(), -(mv.index() as i32))
}

impl<R: Rules, O: Orbits> GridOrder<R, O> {
    /// A grid without moves, whose moves come and go in these orbits. The start is carried to itself by them.
    pub fn new(start: &Board<R>, orbits: O) -> GridOrder<R, O> {
        let tracks = Tracks::of_board(start);
        GridOrder {
            orbits,
            length: 0,
            order: Vec::with_capacity(MOST),
            moves: Box::new([NO_MOVE; NUMBERS]),
            parents: Box::new([[START; 4]; NUMBERS]),
            dependents: Box::new([MoveSet::default(); NUMBERS]),
            free: (1..=MOST as u8).rev().collect(),
            creators: Box::new([0; POINTS]),
            owners: Box::new([[0; POINTS]; 4]),
            start_tracks: tracks,
            tracks,
            pool: Vec::new(),
            pooled: Box::new([0; CODES / 64]),
            rules: PhantomData,
        }
    }

    /// How many moves it has.
    #[inline(always)]
    pub fn len(&self) -> usize {
        if O::PAIRED { self.length } else { self.order.len() }
    }

    /// How many moves it has after a change, before any further ones.
    #[inline(always)]
    pub fn len_after(&self, change: &GridChange) -> usize {
        if O::PAIRED {
            let mut gone = 0;
            self.removed(change, |_| gone += 1);
            self.length - gone + self.orbits.of(change.mv).count()
        } else {
            self.order.len() - change.count + 1
        }
    }

    /// Its moves, in an order in which they can be played.
    pub fn moves(&self) -> impl Iterator<Item = Move> {
        self.order.iter().flat_map(|&number| self.orbits.of(self.moves[usize::from(number)]))
    }

    /// Becomes the grid of these moves, [`MOST`] at most, whatever it was: the same as a new one with them. The
    /// moves of an orbit are all among them.
    pub fn become_grid(&mut self, moves: &[Move]) {
        while let Some(number) = self.order.pop() {
            self.mark(self.moves[usize::from(number)], 0);
        }
        self.length = 0;
        self.free.clear();
        self.free.extend((1..=MOST as u8).rev());
        self.tracks = self.start_tracks;
        moves.iter().for_each(|&mv| self.add(mv));
        self.close();
    }

    /// Writes a number, or none, at the points and the cells of a move and its image.
    #[inline(always)]
    fn mark(&mut self, mv: Move, number: u8) {
        for mv in self.orbits.of(mv) {
            self.creators[mv.point().index() & (POINTS - 1)] = number;
            let (direction, first) = (mv.direction(), first(mv));
            for cell in 0..R::BLOCKED as i32 {
                self.owners[direction as usize][along(first, direction, cell)] = number;
            }
        }
    }

    /// Adds a move with its orbit at the end of the order, unless it came with its image; what depends on what is to
    /// be found again.
    #[inline(always)]
    fn add(&mut self, mv: Move) {
        if O::PAIRED {
            if self.creators[mv.point().index() & (POINTS - 1)] != 0 {
                return;
            }
            self.length += self.orbits.of(mv).count();
        }
        let Some(number) = self.free.pop() else { return };
        self.moves[usize::from(number)] = mv;
        self.order.push(number);
        self.orbits.of(mv).for_each(|mv| self.tracks.extend(mv.point()));
        self.mark(mv, number);
        self.look_up_parents(number);
    }

    /// Asks the board who set the points that a move needs.
    #[inline(always)]
    fn look_up_parents(&mut self, number: u8) {
        let mv = self.moves[usize::from(number)];
        let (direction, first, index) = (mv.direction(), first(mv), mv.index());
        for other in 0..R::LEN - 1 {
            let step = other + usize::from(other >= index);
            let creator = self.creators[along(first, direction, step as i32)];
            self.parents[usize::from(number)][other] = if creator == 0 { START + other as u8 } else { creator };
        }
    }

    /// Finds what depends on what.
    #[inline(always)]
    fn close(&mut self) {
        for &number in &self.order {
            self.dependents[usize::from(number)] = ALONE[usize::from(number)];
        }
        for &number in self.order.iter().rev() {
            let own = self.dependents[usize::from(number)];
            for parent in &self.parents[usize::from(number)][..R::LEN - 1] {
                self.dependents[usize::from(*parent)].unite(&own);
            }
        }
    }

    /// Calls `found` with each move that goes.
    #[inline(always)]
    pub fn removed(&self, change: &GridChange, mut found: impl FnMut(Move)) {
        for (at, &word) in change.removed.0.iter().enumerate() {
            let mut word = word;
            while word != 0 {
                self.orbits.of(self.moves[at * 64 + word.trailing_zeros() as usize]).for_each(&mut found);
                word &= word - 1;
            }
        }
    }

    /// Writes the moves after a change, and these further ones, in an order in which they can be played.
    pub fn moves_after(&self, change: &GridChange, more: &[Move], to: &mut Vec<Move>) {
        let stays = |number: u8| !change.removed.has(number);
        let moves = |late: bool| {
            let chosen = self.order.iter().filter(move |&&number| stays(number) && change.later.has(number) == late);
            chosen.flat_map(|&number| self.orbits.of(self.moves[usize::from(number)]))
        };
        to.clear();
        to.extend(moves(false).chain(self.orbits.of(change.mv)).chain(moves(true)).chain(more.iter().copied()));
    }

    /// Makes a change, after which these further moves were played.
    #[inline(always)]
    pub fn apply(&mut self, change: &GridChange, more: &[Move]) {
        for at in 0..WORDS {
            let mut word = change.removed.0[at];
            while word != 0 {
                let number = at * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                let mv = self.moves[number];
                if O::PAIRED {
                    self.length -= self.orbits.of(mv).count();
                }
                self.mark(mv, 0);
                self.free.push(number as u8);
                self.note(mv);
            }
        }
        // First what does not depend on the new move's point, then the move, then what does.
        let (mut early, mut late) = (0, 0);
        let mut waiting = [0u8; NUMBERS];
        for at in 0..self.order.len() {
            let number = self.order[at];
            let (stays, waits) = (!change.removed.has(number), change.later.has(number));
            self.order[early] = number;
            early += usize::from(stays & !waits);
            waiting[late & (NUMBERS - 1)] = number;
            late += usize::from(stays & waits);
        }
        self.order.truncate(early);
        self.add(change.mv);
        self.order.extend_from_slice(&waiting[..late]);
        for &number in &waiting[..late] {
            self.look_up_parents(number);
        }
        more.iter().for_each(|&mv| self.add(mv));
        self.close();
    }

    /// Notes a move that the grid may be able to have with its orbit.
    #[inline(always)]
    pub fn note(&mut self, mv: Move) {
        let mv = self.orbits.first(mv);
        let code = code(mv);
        let (word, bit) = (&mut self.pooled[code / 64 % (CODES / 64)], 1u64 << (code % 64));
        if *word & bit == 0 {
            *word |= bit;
            self.pool.push(mv);
        }
    }

    /// Notes all moves that the grid can have, and no others.
    #[inline(always)]
    pub fn note_all(&mut self, board: &Board<R>) {
        for &mv in &self.pool {
            self.pooled[code(mv) / 64 % (CODES / 64)] = 0;
        }
        self.pool.clear();
        for direction in Direction::ALL {
            for track in self.tracks.of(direction) {
                let points = board.points_of(direction, track);
                let (full, one_missing) = Board::<R>::lines(points);
                let mut starts = full | one_missing;
                while starts != 0 {
                    let start = starts.trailing_zeros();
                    starts &= starts - 1;
                    let missing = (points >> start).trailing_ones();
                    let places = if full >> start & 1 == 1 { 0..R::LEN as u32 } else { missing..missing + 1 };
                    for index in places {
                        let Some(point) = direction.point(track, (start + index) as i32) else { continue };
                        let mv = Move::pack(point, Line::pack(direction, track, start));
                        if matches!(self.examine(board, mv, MOST), ChangeVerdict::Possible(_)) {
                            self.note(mv);
                        }
                    }
                }
            }
        }
    }

    /// One of the moves noted, drawn at random; none if it is not possible, or more moves would have to go than a
    /// limit, one of those given.
    #[inline(always)]
    pub fn draw(&mut self, board: &Board<R>, limits: &[u8; 256], rng: &mut Rng) -> Option<GridChange> {
        let random = rng.next_u64();
        let limit = limits[(random & 255) as usize];
        let at = (((random >> 32) * self.pool.len() as u64) >> 32) as usize;
        let mv = *self.pool.get(at)?;
        match self.examine(board, mv, limit.into()) {
            ChangeVerdict::Possible(change) => Some(change),
            ChangeVerdict::TooMuch => None,
            ChangeVerdict::Impossible => {
                self.pool.swap_remove(at);
                let code = code(mv);
                self.pooled[code / 64 % (CODES / 64)] &= !(1 << (code % 64));
                None
            }
        }
    }

    /// Whether the grid can have a move, and what has to go.
    #[inline(always)]
    fn examine(&self, board: &Board<R>, mv: Move, limit: usize) -> ChangeVerdict {
        let (line, index, point) = (mv.line(), mv.index(), mv.point().index() & (POINTS - 1));
        let (direction, track, start) = (line.direction(), line.track(), line.start());
        let first = along(point, direction, -(index as i32));
        let others = ((1u64 << R::LEN) - 1) & !(1 << index);
        let creator = self.creators[point];
        if board.points_of(direction, track) >> start & others != others
            || self.orbits.of(self.moves[usize::from(creator)]).any(|other| other == mv)
            || !self.orbits.fit::<R>(mv)
            || creator == 0 && board.is_set(mv.point())
        {
            return ChangeVerdict::Impossible;
        }
        let blocked = board.blocked_of(direction, track) >> start;
        let mut removed = MoveSet::default();
        for cell in 0..R::BLOCKED as i32 {
            let owner = self.owners[direction as usize][along(first, direction, cell)];
            // What no move of the grid covers, and is blocked, never comes free.
            if owner == 0 && blocked >> cell & 1 == 1 {
                return ChangeVerdict::Impossible;
            }
            // The orbit that set the point goes without what depends on it: the new one sets the point as well.
            if owner != creator && owner != 0 {
                removed.unite(&self.dependents[usize::from(owner)]);
            }
        }
        let mut later = MoveSet::default();
        if creator != 0 {
            later = self.dependents[usize::from(creator)];
            removed.unite(&ALONE[usize::from(creator)]);
        }
        let count = removed.len();
        if count > limit {
            return ChangeVerdict::TooMuch;
        }
        for step in 0..R::LEN {
            let support = self.creators[along(first, direction, step as i32)];
            if support != 0 && step != index && (removed.has(support) || later.has(support)) {
                return ChangeVerdict::Impossible;
            }
        }
        ChangeVerdict::Possible(GridChange { mv, count, removed, later })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::morpion::position::Position;
    use crate::morpion::symmetry::GridSymmetry;
    use crate::morpion::variant::Variant;
    use crate::strategies::choices::tests::game;
    use crate::strategies::orbits::tests::{paired, symmetric_game};
    use crate::with_rules;
    use std::collections::{HashMap, HashSet};

    fn grid<R: Rules>(moves: &[Move]) -> (GridOrder<R>, Board<R>) {
        let mut board = Board::new();
        let mut grid = GridOrder::new(&board, Single);
        moves.iter().for_each(|&mv| board.place(mv));
        grid.become_grid(moves);
        (grid, board)
    }

    fn position<R: Rules>(moves: &[Move]) -> Position<R> {
        Position::after(moves).expect("the moves are legal in this order")
    }

    fn needs<R: Rules>(mv: Move) -> impl Iterator<Item = usize> {
        mv.line().points::<R>().filter(move |&point| point != mv.point()).map(|point| point.index())
    }

    /// What is left of a grid without some moves and all that needs their points.
    fn without<R: Rules>(moves: &[Move], gone: impl Fn(Move) -> bool) -> Vec<Move> {
        let mut points: HashSet<usize> = Board::<R>::new().set_points().map(|point| point.index()).collect();
        let left = moves.iter().copied().filter(|&mv| {
            let stays = !gone(mv) && needs::<R>(mv).all(|point| points.contains(&point));
            if stays {
                points.insert(mv.point().index());
            }
            stays
        });
        left.collect()
    }

    #[test]
    fn the_moves_that_a_grid_can_have_are_those_that_some_order_of_its_moves_allows() {
        for variant in Variant::ALL {
            with_rules!(variant, R => {
                for seed in 0..3 {
                    let moves = game::<R>(seed, usize::MAX);
                    let (mut grid, board) = grid::<R>(&moves);
                    grid.note_all(&board);
                    let noted: HashSet<Move> = grid.pool.iter().copied().collect();
                    assert_eq!(noted.len(), grid.pool.len());
                    let all = (15..45).flat_map(|y| (15..45).filter_map(move |x| crate::morpion::geometry::Point::new(x, y)));
                    let start = Board::<R>::new();
                    for mv in all.flat_map(|point| {
                        Direction::ALL.into_iter().flat_map(move |d| (0..R::LEN).filter_map(move |i| Move::new(variant, point, d, i)))
                    }) {
                        // It comes before everything that collides with it, so its points come from what is left
                        // without.
                        let has = |moves: &[Move], point: usize| {
                            moves.iter().any(|other| other.point().index() == point)
                                || start.set_points().any(|other| other.index() == point)
                        };
                        let possible = !start.is_set(mv.point()) && !moves.contains(&mv)
                            // Without these points in the grid there is nothing to look for.
                            && needs::<R>(mv).all(|point| has(&moves, point))
                            && {
                                let left = without::<R>(&moves, |other| other.collides::<R>(mv));
                                needs::<R>(mv).all(|point| has(&left, point))
                            };
                        assert_eq!(noted.contains(&mv), possible, "{variant} {seed}: {mv:?}");
                    }
                }
            });
        }
    }

    #[test]
    fn a_change_takes_out_what_collides_and_what_depends_on_that_and_nothing_else() {
        for variant in Variant::ALL {
            with_rules!(variant, R => {
                let mut takeovers = 0;
                for seed in 70..80 {
                let moves = game::<R>(seed, usize::MAX);
                let (mut grid, board) = grid::<R>(&moves);
                grid.note_all(&board);
                for &mv in &grid.pool {
                    let ChangeVerdict::Possible(change) = grid.examine(&board, mv, MOST) else { panic!("it was possible") };
                    let mut removed = Vec::new();
                    grid.removed(&change, |mv| removed.push(mv));
                    let mut after = Vec::new();
                    grid.moves_after(&change, &[], &mut after);
                    assert_eq!((removed.len(), after.len()), (change.count, moves.len() + 1 - change.count));
                    assert!(after.contains(&mv) && after.iter().all(|mv| !removed.contains(mv)));
                    position::<R>(&after);
                    let new = mv;
                    for mv in &removed {
                        let lost = removed.iter().any(|other| needs::<R>(*mv).any(|point| point == other.point().index()));
                        assert!(lost || mv.collides::<R>(new), "{mv:?} could stay beside {new:?}");
                    }
                    takeovers += usize::from(change.later.len() > 1);
                    // Not more than is allowed.
                    assert!(matches!(grid.examine(&board, mv, change.count - 1), ChangeVerdict::TooMuch));
                }
                }
                assert!(takeovers > 0, "{variant}");
            });
        }
    }

    #[test]
    fn a_changed_grid_is_the_grid_of_its_moves() {
        type R = crate::morpion::variant::T5;
        let dependents = |grid: &GridOrder<R>| -> HashMap<Move, HashSet<Move>> {
            let mv = |number: u8| grid.moves[usize::from(number)];
            let of = |number: u8| {
                (1..=255).filter(|&other| grid.dependents[usize::from(number)].has(other)).map(mv).collect()
            };
            grid.order.iter().map(|&number| (mv(number), of(number))).collect()
        };
        let moves = game::<R>(5, usize::MAX);
        let (mut changed, mut board) = grid::<R>(&moves);
        let (random, limits) = (&mut rng(9, &[]), &[255; 256]);
        for step in 0..300 {
            changed.note_all(&board);
            let change = (0..1000).find_map(|_| changed.draw(&board, limits, random)).unwrap();
            changed.removed(&change, |mv| board.lift(mv));
            board.place(change.mv);
            let mut legal = Vec::new();
            board.scan_into(&changed.tracks, &mut legal);
            let mut after = Vec::new();
            changed.moves_after(&change, &[], &mut after);
            let mut at = position::<R>(&after);
            let mut more = Vec::new();
            while let Some(&mv) = at.moves().get(step % at.moves().len().max(1)) {
                more.push(mv);
                at.play(mv);
                board.place(mv);
            }
            assert!(more.is_empty() == legal.is_empty());
            changed.moves_after(&change, &more, &mut after);
            changed.apply(&change, &more);
            assert_eq!(changed.moves().collect::<Vec<_>>(), after);
            let (fresh, fresh_board) = grid::<R>(&after);
            assert!(board == fresh_board);
            assert_eq!(dependents(&changed), dependents(&fresh));
            let owners =
                |grid: &GridOrder<R>| grid.owners.map(|cells| cells.map(|number| grid.moves[usize::from(number)]));
            assert!(owners(&changed) == owners(&fresh));
        }
    }

    #[test]
    fn a_symmetric_grid_stays_symmetric_and_is_the_grid_of_its_moves() {
        fn check<R: Rules>(symmetry: GridSymmetry, seed: u64) {
            let orbits = paired::<R>(symmetry);
            let moves = symmetric_game::<R>(symmetry, seed, usize::MAX);
            let grid = |moves: &[Move]| {
                let mut board = Board::<R>::new();
                let mut grid = GridOrder::new(&board, orbits);
                moves.iter().for_each(|&mv| board.place(mv));
                grid.become_grid(moves);
                (grid, board)
            };
            let (mut changed, mut board) = grid(&moves);
            let (random, limits) = (&mut rng(seed, &[1]), &[255; 256]);
            for step in 0..60 {
                changed.note_all(&board);
                let Some(change) = (0..1000).find_map(|_| changed.draw(&board, limits, random)) else { return };
                let mut removed = Vec::new();
                changed.removed(&change, |mv| removed.push(mv));
                removed.iter().for_each(|&mv| board.lift(mv));
                orbits.of(change.mv).for_each(|mv| board.place(mv));
                let mut after = Vec::new();
                changed.moves_after(&change, &[], &mut after);
                assert_eq!(
                    (after.len(), changed.len() - removed.len()),
                    (changed.len_after(&change), { after.len() - orbits.of(change.mv).count() })
                );
                // What went collides with what came or lost a point, and nothing else went.
                for &mv in &removed {
                    let lost = removed.iter().any(|other| needs::<R>(mv).any(|point| point == other.point().index()));
                    assert!(lost || orbits.of(change.mv).any(|new| mv.collides::<R>(new)), "{mv:?}");
                }
                let mut at = position::<R>(&after);
                let mut more = Vec::new();
                let fit = |mv: &&Move| orbits.fit::<R>(**mv);
                while let Some(&mv) = at.moves().iter().filter(fit).nth(step % 3) {
                    for mv in orbits.of(mv) {
                        at.play(mv);
                        board.place(mv);
                        more.push(mv);
                    }
                }
                changed.moves_after(&change, &more, &mut after);
                changed.apply(&change, &more);
                assert_eq!(changed.moves().collect::<Vec<_>>(), after);
                assert_eq!(changed.len(), after.len());
                assert!(symmetry.carries(R::VARIANT, &after));
                let (fresh, fresh_board) = grid(&after);
                assert!(board == fresh_board);
                let dependents = |grid: &GridOrder<R, _>| -> HashMap<Move, Vec<Move>> {
                    let first = |number: u8| orbits.first(grid.moves[usize::from(number)]);
                    let of = |number: u8| {
                        let set = grid.dependents[usize::from(number)];
                        let mut all: Vec<Move> =
                            (1..=MOST as u8).filter(|&other| set.has(other)).map(first).collect();
                        all.sort_unstable();
                        all
                    };
                    grid.order.iter().map(|&number| (first(number), of(number))).collect()
                };
                assert_eq!(dependents(&changed), dependents(&fresh));
            }
        }
        for (at, symmetry) in GridSymmetry::ALL.into_iter().enumerate() {
            for variant in Variant::ALL {
                with_rules!(variant, R => check::<R>(symmetry, 31 + at as u64));
            }
        }
    }
}
