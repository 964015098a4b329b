//! A grid as a partial order: which move set each point and drew each line, what depends on what, and therefore what has to
//! go if a move comes that the grid does not have.

use crate::core::seed::Rng;
use crate::morpion::board::{Board, Tracks};
use crate::morpion::geometry::{Direction, Line, Move};
use crate::morpion::variant::Rules;
use crate::strategies::nrpa::policy::{CODES, code};
use rand::Rng as _;
use std::marker::PhantomData;

/// Moves of a grid, at most: their numbers are bytes from 1 on. No grid of more than 178 moves is known.
pub(super) const MOST: usize = 255 - 4;

/// Numbers: zero is none, and the last four are those of the start, one for each point of a line that a move needs.
const NUMBERS: usize = 1 << 8;
const START: u8 = MOST as u8 + 1;

/// Words of a [`Set`].
const WORDS: usize = NUMBERS / 64;

/// Numbers of points, rounded up to a power of two so that a masked index needs no check.
const POINTS: usize = 1 << 12;

/// A set of moves of a grid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(align(32))]
struct Set([u64; WORDS]);

impl Set {
    /// Becomes the union with another one.
    #[inline(always)]
    fn unite(&mut self, other: &Set) {
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

/// By number, the set of that move alone. A set that is made by writing one of its words is read only after a stall.
static ALONE: [Set; NUMBERS] = {
    let mut sets = [Set([0; WORDS]); NUMBERS];
    let mut number = 0;
    while number < NUMBERS {
        sets[number].0[number / 64] = 1 << (number % 64);
        number += 1;
    }
    sets
};

/// A move that comes into a grid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    /// Its bits.
    pub bits: u32,
    /// How many moves have to go.
    pub count: usize,
    /// Which: those that collide with it, and all that depends on them.
    removed: Set,
    /// What stays and depends on the point of the move, which another move set before.
    later: Set,
}

/// Whether a grid can have a move.
enum Verdict {
    Possible(Change),
    /// More moves would have to go than are allowed.
    TooMuch,
    Impossible,
}

/// The moves of a grid after the start, and how they depend on each other.
pub(super) struct Grid<R> {
    /// The numbers of the moves in an order in which they can be played.
    order: Vec<u8>,
    /// By number.
    moves: Box<[u32; NUMBERS]>,
    /// By number, who set the other points of its line.
    parents: Box<[[u8; 4]; NUMBERS]>,
    /// By number, the move itself and all that depends on it.
    dependents: Box<[Set; NUMBERS]>,
    /// Numbers not in use.
    free: Vec<u8>,
    /// Of each point, the number of the move that set it.
    creators: Box<[u8; POINTS]>,
    /// Of each direction and cell (named by its point, or its first point), the number of the move that covers it.
    owners: Box<[[u8; POINTS]; 4]>,
    /// The tracks of the points of the start, and all on which points are or were.
    start_tracks: Tracks,
    pub tracks: Tracks,
    /// Moves that the grid does not have and may be able to have, each once.
    pool: Vec<u32>,
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

impl<R: Rules> Grid<R> {
    /// Without moves.
    pub fn new(start: &Board<R>) -> Grid<R> {
        let tracks = Tracks::of_board(start);
        Grid {
            order: Vec::with_capacity(MOST),
            moves: Box::new([0; NUMBERS]),
            parents: Box::new([[START; 4]; NUMBERS]),
            dependents: Box::new([Set::default(); NUMBERS]),
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
        self.order.len()
    }

    /// Its moves, in an order in which they can be played.
    pub fn moves(&self) -> impl Iterator<Item = u32> {
        self.order.iter().map(|&number| self.moves[usize::from(number)])
    }

    /// Becomes the grid of these moves, [`MOST`] at most, whatever it was: the same as a new one with them.
    pub fn become_grid(&mut self, moves: &[u32]) {
        while let Some(number) = self.order.pop() {
            self.mark(self.moves[usize::from(number)], 0);
        }
        self.free.clear();
        self.free.extend((1..=MOST as u8).rev());
        self.tracks = self.start_tracks;
        moves.iter().for_each(|&bits| self.add(bits));
        self.close();
    }

    /// Writes a number, or none, where a move stands.
    #[inline(always)]
    fn mark(&mut self, bits: u32, number: u8) {
        let mv = Move::from_raw(bits);
        self.creators[mv.point().index() & (POINTS - 1)] = number;
        let (direction, first) = (mv.direction(), first(mv));
        for cell in 0..R::BLOCKED as i32 {
            self.owners[direction as usize][along(first, direction, cell)] = number;
        }
    }

    /// Adds a move at the end of the order; what depends on what is to be found again.
    #[inline(always)]
    fn add(&mut self, bits: u32) {
        let Some(number) = self.free.pop() else { return };
        self.moves[usize::from(number)] = bits;
        self.order.push(number);
        self.tracks.extend(Move::from_raw(bits).point());
        self.mark(bits, number);
        self.look_up_parents(number);
    }

    /// Asks the board who set the points that a move needs.
    #[inline(always)]
    fn look_up_parents(&mut self, number: u8) {
        let mv = Move::from_raw(self.moves[usize::from(number)]);
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
    pub fn removed(&self, change: &Change, mut found: impl FnMut(Move)) {
        for (at, &word) in change.removed.0.iter().enumerate() {
            let mut word = word;
            while word != 0 {
                found(Move::from_raw(self.moves[at * 64 + word.trailing_zeros() as usize]));
                word &= word - 1;
            }
        }
    }

    /// Writes the moves after a change, and these further ones, in an order in which they can be played.
    pub fn moves_after(&self, change: &Change, more: &[u32], to: &mut Vec<u32>) {
        let stays = |number: u8| !change.removed.has(number);
        let moves = |late: bool| {
            let chosen = self.order.iter().filter(move |&&number| stays(number) && change.later.has(number) == late);
            chosen.map(|&number| self.moves[usize::from(number)])
        };
        to.clear();
        to.extend(moves(false).chain([change.bits]).chain(moves(true)).chain(more.iter().copied()));
    }

    /// Makes a change, after which these further moves were played.
    #[inline(always)]
    pub fn apply(&mut self, change: &Change, more: &[u32]) {
        for at in 0..WORDS {
            let mut word = change.removed.0[at];
            while word != 0 {
                let number = at * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                let bits = self.moves[number];
                self.mark(bits, 0);
                self.free.push(number as u8);
                self.note(bits);
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
        self.add(change.bits);
        self.order.extend_from_slice(&waiting[..late]);
        for &number in &waiting[..late] {
            self.look_up_parents(number);
        }
        more.iter().for_each(|&bits| self.add(bits));
        self.close();
    }

    /// Notes a move that the grid may be able to have.
    #[inline(always)]
    pub fn note(&mut self, bits: u32) {
        let code = code(Move::from_raw(bits));
        let (word, bit) = (&mut self.pooled[code / 64 % (CODES / 64)], 1u64 << (code % 64));
        if *word & bit == 0 {
            *word |= bit;
            self.pool.push(bits);
        }
    }

    /// Notes all moves that the grid can have, and no others.
    #[inline(always)]
    pub fn note_all(&mut self, board: &Board<R>) {
        for &bits in &self.pool {
            self.pooled[code(Move::from_raw(bits)) / 64 % (CODES / 64)] = 0;
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
                        let bits = Move::pack(point, Line::pack(direction, track, start)).bits();
                        if matches!(self.examine(board, bits, MOST), Verdict::Possible(_)) {
                            self.note(bits);
                        }
                    }
                }
            }
        }
    }

    /// One of the moves noted, drawn at random; none if it is not possible, or more moves would have to go than a limit, one
    /// of those given.
    #[inline(always)]
    pub fn draw(&mut self, board: &Board<R>, limits: &[u8; 256], rng: &mut Rng) -> Option<Change> {
        let random = rng.next_u64();
        let limit = limits[(random & 255) as usize];
        let at = (((random >> 32) * self.pool.len() as u64) >> 32) as usize;
        let bits = *self.pool.get(at)?;
        match self.examine(board, bits, limit.into()) {
            Verdict::Possible(change) => Some(change),
            Verdict::TooMuch => None,
            Verdict::Impossible => {
                self.pool.swap_remove(at);
                let code = code(Move::from_raw(bits));
                self.pooled[code / 64 % (CODES / 64)] &= !(1 << (code % 64));
                None
            }
        }
    }

    /// Whether the grid can have a move, and what has to go.
    #[inline(always)]
    fn examine(&self, board: &Board<R>, bits: u32, limit: usize) -> Verdict {
        let mv = Move::from_raw(bits);
        let (line, index, point) = (mv.line(), mv.index(), mv.point().index() & (POINTS - 1));
        let (direction, track, start) = (line.direction(), line.track(), line.start());
        let first = along(point, direction, -(index as i32));
        let others = ((1u64 << R::LEN) - 1) & !(1 << index);
        let creator = self.creators[point];
        if board.points_of(direction, track) >> start & others != others
            || self.moves[usize::from(creator)] == bits
            || creator == 0 && board.is_set(mv.point())
        {
            return Verdict::Impossible;
        }
        let blocked = board.blocked_of(direction, track) >> start;
        let mut removed = Set::default();
        for cell in 0..R::BLOCKED as i32 {
            let owner = self.owners[direction as usize][along(first, direction, cell)];
            // What no move of the grid covers, and is blocked, never comes free.
            if owner == 0 && blocked >> cell & 1 == 1 {
                return Verdict::Impossible;
            }
            // The move that set the point goes without what depends on it: the new one sets the point as well.
            if owner != creator && owner != 0 {
                removed.unite(&self.dependents[usize::from(owner)]);
            }
        }
        let mut later = Set::default();
        if creator != 0 {
            later = self.dependents[usize::from(creator)];
            removed.unite(&ALONE[usize::from(creator)]);
        }
        let count = removed.len();
        if count > limit {
            return Verdict::TooMuch;
        }
        for step in 0..R::LEN {
            let support = self.creators[along(first, direction, step as i32)];
            if support != 0 && step != index && (removed.has(support) || later.has(support)) {
                return Verdict::Impossible;
            }
        }
        Verdict::Possible(Change { bits, count, removed, later })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::morpion::position::Position;
    use crate::morpion::variant::Variant;
    use crate::strategies::choices::tests::game;
    use crate::with_rules;
    use std::collections::{HashMap, HashSet};

    fn grid<R: Rules>(moves: &[u32]) -> (Grid<R>, Board<R>) {
        let mut board = Board::new();
        let mut grid = Grid::new(&board);
        moves.iter().for_each(|&bits| board.place(Move::from_raw(bits)));
        grid.become_grid(moves);
        (grid, board)
    }

    fn position<R: Rules>(moves: &[u32]) -> Position<R> {
        let moves: Vec<Move> = moves.iter().map(|&bits| Move::from_raw(bits)).collect();
        Position::after(&moves).expect("the moves are legal in this order")
    }

    fn needs<R: Rules>(mv: Move) -> impl Iterator<Item = usize> {
        mv.line().points::<R>().filter(move |&point| point != mv.point()).map(|point| point.index())
    }

    /// What is left of a grid without some moves and all that needs their points.
    fn without<R: Rules>(moves: &[u32], gone: impl Fn(Move) -> bool) -> Vec<Move> {
        let mut points: HashSet<usize> = Board::<R>::new().set_points().map(|point| point.index()).collect();
        let left = moves.iter().map(|&bits| Move::from_raw(bits)).filter(|&mv| {
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
                    let noted: HashSet<u32> = grid.pool.iter().copied().collect();
                    assert_eq!(noted.len(), grid.pool.len());
                    let all = (15..45).flat_map(|y| (15..45).filter_map(move |x| crate::morpion::geometry::Point::new(x, y)));
                    let start = Board::<R>::new();
                    for mv in all.flat_map(|point| {
                        Direction::ALL.into_iter().flat_map(move |d| (0..R::LEN).filter_map(move |i| Move::new(variant, point, d, i)))
                    }) {
                        // It comes before everything that collides with it, so its points come from what is left without.
                        let left = without::<R>(&moves, |other| other.collides::<R>(mv));
                        let has = |point: usize| left.iter().any(|other| other.point().index() == point)
                            || start.set_points().any(|other| other.index() == point);
                        let possible = !start.is_set(mv.point()) && !moves.contains(&mv.bits()) && needs::<R>(mv).all(has);
                        assert_eq!(noted.contains(&mv.bits()), possible, "{variant} {seed}: {mv:?}");
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
                for &bits in &grid.pool {
                    let Verdict::Possible(change) = grid.examine(&board, bits, MOST) else { panic!("it was possible") };
                    let mut removed = Vec::new();
                    grid.removed(&change, |mv| removed.push(mv));
                    let mut after = Vec::new();
                    grid.moves_after(&change, &[], &mut after);
                    assert_eq!((removed.len(), after.len()), (change.count, moves.len() + 1 - change.count));
                    assert!(after.contains(&bits) && after.iter().all(|bits| !removed.iter().any(|mv| mv.bits() == *bits)));
                    position::<R>(&after);
                    let new = Move::from_raw(bits);
                    for mv in &removed {
                        let lost = removed.iter().any(|other| needs::<R>(*mv).any(|point| point == other.point().index()));
                        assert!(lost || mv.collides::<R>(new), "{mv:?} could stay beside {new:?}");
                    }
                    takeovers += usize::from(change.later.len() > 1);
                    // Not more than is allowed.
                    assert!(matches!(grid.examine(&board, bits, change.count - 1), Verdict::TooMuch));
                }
                }
                assert!(takeovers > 0, "{variant}");
            });
        }
    }

    #[test]
    fn a_changed_grid_is_the_grid_of_its_moves() {
        type R = crate::morpion::variant::T5;
        let dependents = |grid: &Grid<R>| -> HashMap<u32, HashSet<u32>> {
            let bits = |number: u8| grid.moves[usize::from(number)];
            let of = |number: u8| {
                (1..=255).filter(|&other| grid.dependents[usize::from(number)].has(other)).map(bits).collect()
            };
            grid.order.iter().map(|&number| (bits(number), of(number))).collect()
        };
        let moves = game::<R>(5, usize::MAX);
        let (mut changed, mut board) = grid::<R>(&moves);
        let (random, limits) = (&mut rng(9, &[]), &[255; 256]);
        for step in 0..300 {
            changed.note_all(&board);
            let change = (0..1000).find_map(|_| changed.draw(&board, limits, random)).unwrap();
            changed.removed(&change, |mv| board.lift(mv));
            board.place(Move::from_raw(change.bits));
            let mut legal = Vec::new();
            board.scan_into(&changed.tracks, &mut legal);
            let mut after = Vec::new();
            changed.moves_after(&change, &[], &mut after);
            let mut at = position::<R>(&after);
            let mut more = Vec::new();
            while let Some(&mv) = at.moves().get(step % at.moves().len().max(1)) {
                more.push(mv.bits());
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
                |grid: &Grid<R>| grid.owners.map(|cells| cells.map(|number| grid.moves[usize::from(number)]));
            assert!(owners(&changed) == owners(&fresh));
        }
    }
}
