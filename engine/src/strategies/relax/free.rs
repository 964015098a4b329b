//! Games whose start is free: any points, of which there are no more than so many.
//!
//! Where a game begins is left open. A set of lines that peels needs some points to be lent (`lines`), and these are
//! a start. So the walk is over the same sets as those of [`relax`](super), without a start of their own: a lent
//! point costs nothing, and there are never more of them than the start may have. One walk visits all numbers of
//! lines alike (`flat`), from seven twelfths of the longest game of the run on, or from ten twelfths where it begins
//! with a grid.

use super::flat::FlatHistogram;
use super::lines::PeelingSet;
use crate::core::seed::{self, derive};
use crate::morpion::geometry::{Move, Point};
use crate::morpion::referee;
use crate::morpion::start::{MOST_POINTS, MOST_SET, Start};
use crate::morpion::variant::Rules;

/// Steps of a slice.
const STEPS: u64 = 24_000;
/// A run begins anew after so many steps without a longer game.
const PATIENCE: u64 = 600_000_000;

/// A game and the start that it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct FreeGame {
    /// The points that it begins with, moved to the middle of the area.
    pub start: Start,
    /// The moves from there.
    pub moves: Vec<Move>,
    /// The number of the run that found it, from 0.
    pub run: u64,
}

/// A search for long games whose start is free.
pub struct FreeStart<R> {
    set: PeelingSet<R>,
    flat: FlatHistogram,
    /// The lines that runs begin with.
    given: Vec<Move>,
    points: usize,
    seed: u64,
    /// Runs, slices and steps that are done, and those done when the run began or became longer.
    runs: u64,
    slices: u64,
    steps: u64,
    since: u64,
    /// Moves of the longest game of the run, and of all.
    longest_of_run: usize,
    longest: usize,
}

impl<R: Rules> FreeStart<R> {
    /// A search for games that begin with at most so many points. Runs begin with the lines of the given moves, which
    /// may come from any start with so many points, or with none.
    pub fn new(points: usize, given: &[Move], seed: u64) -> FreeStart<R> {
        let points = points.clamp(R::LEN, MOST_POINTS);
        let mut search = FreeStart {
            set: PeelingSet::new(None, &[]),
            flat: FlatHistogram::new(0),
            given: given.to_vec(),
            points,
            seed,
            runs: 0,
            slices: 0,
            steps: 0,
            since: 0,
            longest_of_run: 0,
            longest: 0,
        };
        search.begin();
        search
    }

    fn begin(&mut self) {
        self.set.become_lines(&self.given, self.points);
        self.flat = FlatHistogram::new(self.set.len());
        self.note_length();
    }

    /// The set has as many lines as the longest game of the run.
    fn note_length(&mut self) {
        self.longest_of_run = self.set.len();
        self.flat.set_least(self.longest_of_run * if self.given.is_empty() { 7 } else { 10 } / 12);
        self.since = self.steps;
    }

    /// The game of the set, if that is longer than all before.
    fn longer_game(&mut self) -> Option<FreeGame> {
        let game = if self.set.len() > self.longest { game_of(&self.set, self.runs) } else { None };
        if game.is_some() {
            self.longest = self.set.len();
        }
        game
    }

    /// Steps that are done.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// A slice, some milliseconds; and the game that it found, if that is longer than all before.
    pub fn slice(&mut self) -> Option<FreeGame> {
        if self.steps - self.since >= PATIENCE {
            self.runs += 1;
            self.begin();
        }
        let mut rng = seed::rng(derive(self.seed, &[self.slices]), &[]);
        self.slices += 1;
        self.set.centre();
        let room = MOST_SET - self.points;
        let mut found = self.longer_game();
        for _ in 0..STEPS {
            self.steps += 1;
            let taken = self.set.step(&mut self.flat, room, self.points, &mut rng);
            self.flat.visit(self.set.len());
            if taken && self.set.len() > self.longest_of_run {
                self.note_length();
                found = self.longer_game().or(found);
            }
        }
        found
    }
}

/// The game of a set, with its start in the middle of the area; nothing if it does not lie within the area then.
fn game_of<R: Rules>(set: &PeelingSet<R>, run: u64) -> Option<FreeGame> {
    let (moves, lent) = set.game()?;
    let start = Start::of_points(lent.iter().map(|point| (point.x(), point.y()))).ok()?;
    let corner = start.corner(R::VARIANT);
    let first = |of: fn(Point) -> i32| lent.iter().map(|&point| of(point)).min();
    let (dx, dy) = (corner.x() - first(Point::x)?, corner.y() - first(Point::y)?);
    let moved = |mv: &Move| {
        let point = Point::new(mv.point().x() + dx, mv.point().y() + dy)?;
        Move::new(R::VARIANT, point, mv.direction(), mv.index())
    };
    let moves: Vec<Move> = moves.iter().map(moved).collect::<Option<_>>()?;
    let start = start.for_variant(R::VARIANT);
    referee::replay_from(&start, R::VARIANT, &moves).ok()?;
    Some(FreeGame { start, moves, run })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morpion::variant::{D5, T4, T5};

    /// What a few slices find is legal, begins with no more points than were asked for, and grows; and the same seed
    /// finds the same.
    #[test]
    fn games_are_legal_and_begin_with_as_many_points_as_asked_for() {
        fn check<R: Rules>(points: usize, least: usize) {
            let run = |slices| {
                let mut search = FreeStart::<R>::new(points, &[], 5);
                (0..slices).filter_map(|_| search.slice()).collect::<Vec<FreeGame>>()
            };
            let games = run(40);
            assert!(games.starts_with(&run(8)));
            assert!(games.windows(2).all(|pair| pair[0].moves.len() < pair[1].moves.len()));
            for game in &games {
                assert!(game.start.points(R::VARIANT).len() <= points, "{}", R::VARIANT);
                assert_eq!(referee::replay_from(&game.start, R::VARIANT, &game.moves).map(drop), Ok(()));
            }
            let longest = games.last().map_or(0, |game| game.moves.len());
            assert!(longest >= least, "{} from {points}: {longest}", R::VARIANT);
        }
        check::<T5>(36, 75);
        check::<D5>(36, 55);
        check::<D5>(10, 3);
        check::<T4>(12, 20);
        // The first line needs all points but one.
        check::<T5>(4, 1);
    }

    /// A search that begins with a grid tells it before any longer one, also from a start of its own.
    #[test]
    fn what_is_given_is_the_first_game() {
        let given = crate::strategies::choices::tests::game::<T5>(4, usize::MAX);
        let mut search = FreeStart::<T5>::new(36, &given, 3);
        let game = search.slice().expect("the game that was given, or a longer one");
        assert!(game.moves.len() >= given.len());
        assert_eq!(referee::replay_from(&game.start, T5::VARIANT, &game.moves).map(drop), Ok(()));
    }
}
