//! Games whose start is free: any points, of which there are no more than so many.
//!
//! Where a game begins is left open. A set of lines that peels needs some points to be lent (`lines`), and these are
//! a start. So the walks are over the same sets as those of [`relax`](super), without a start of their own: a lent
//! point costs nothing, and there are never more of them than the start may have. What a search does is one of two:
//!
//! - One walk visits all numbers of lines alike (`flat`), from seven twelfths of the longest game of the run on, or
//!   from ten twelfths where it begins with a grid.
//! - Twelve walks stand on a ladder of temperatures, as in [`relax`](super).

use super::flat::FlatHistogram;
use super::lines::PeelingSet;
use super::walks::{LineWalk, Rung, exchange};
use crate::core::seed::{self, derive};
use crate::morpion::geometry::{Move, Point};
use crate::morpion::referee;
use crate::morpion::start::{MOST_POINTS, MOST_SET, Start};
use crate::morpion::variant::Rules;

/// Steps of a slice of the flat walk, and of each walk of a ladder between two exchanges.
const FLAT_STEPS: u64 = 24_000;
const STEPS: u64 = 2000;
/// A run begins anew after so many steps without a longer game.
const PATIENCE: u64 = 600_000_000;
/// The temperatures of the ladder, the hottest first.
const TEMPERATURES: [f64; 12] = [0.6, 0.55, 0.5, 0.46, 0.43, 0.4, 0.38, 0.36, 0.34, 0.32, 0.3, 0.27];

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

/// By what walks games with a free start are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FreeWalks {
    /// One that visits all numbers of lines alike.
    Flat,
    /// Twelve on a ladder of temperatures.
    Ladder,
}

impl FreeWalks {
    /// Those that come further: the flat walk from nothing with lines of five, else the ladder (measured).
    pub fn usual<R: Rules>(given: &[Move]) -> FreeWalks {
        if given.is_empty() && R::LEN == 5 { FreeWalks::Flat } else { FreeWalks::Ladder }
    }
}

struct FlatWalk<R> {
    set: PeelingSet<R>,
    flat: FlatHistogram,
}

enum Walks<R> {
    Flat(Box<FlatWalk<R>>),
    /// The hottest first.
    Ladder(Vec<LineWalk<R>>),
}

/// What was found so far.
#[derive(Default)]
struct Longest {
    /// Runs that are over, and the steps that were done when this one began or became longer.
    runs: u64,
    since: u64,
    /// Moves of the longest game of the run, and of all.
    of_run: usize,
    of_all: usize,
}

impl Longest {
    /// Notes a set after so many steps, which is longer than all of the run before; and the game of it, if it is
    /// longer than all.
    fn note<R: Rules>(&mut self, set: &PeelingSet<R>, steps: u64) -> Option<FreeGame> {
        (self.of_run, self.since) = (set.len(), steps);
        let game = if set.len() > self.of_all { game_of(set, self.runs) } else { None };
        if game.is_some() {
            self.of_all = set.len();
        }
        game
    }
}

/// A search for long games whose start is free.
pub struct FreeStart<R> {
    kind: FreeWalks,
    walks: Walks<R>,
    /// The lines that runs begin with.
    given: Vec<Move>,
    points: usize,
    seed: u64,
    slices: u64,
    steps: u64,
    longest: Longest,
}

impl<R: Rules> FreeStart<R> {
    /// A search for games that begin with at most so many points. Runs begin with the lines of the given moves, which
    /// may come from any start with so many points, or with none.
    pub fn new(points: usize, given: &[Move], kind: FreeWalks, seed: u64) -> FreeStart<R> {
        let mut search = FreeStart {
            kind,
            walks: Walks::Ladder(Vec::new()),
            given: given.to_vec(),
            points: points.clamp(R::LEN, MOST_POINTS),
            seed,
            slices: 0,
            steps: 0,
            longest: Longest::default(),
        };
        search.begin();
        search
    }

    fn begin(&mut self) {
        (self.longest.of_run, self.longest.since) = (0, self.steps);
        self.walks = match self.kind {
            FreeWalks::Flat => {
                let mut set = PeelingSet::new(None, &[]);
                set.become_lines(&self.given, self.points);
                let flat = FlatHistogram::new(set.len());
                Walks::Flat(Box::new(FlatWalk { set, flat }))
            }
            FreeWalks::Ladder => {
                let rung = |temperature: f64| Rung { temperature, price: 0.0, lent: self.points };
                let mut walks: Vec<LineWalk<R>> = TEMPERATURES.map(|at| LineWalk::new(rung(at), None, &[])).into();
                for walk in &mut walks {
                    walk.set.become_lines(&self.given, self.points);
                }
                Walks::Ladder(walks)
            }
        };
    }

    /// Steps that are done.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// A slice of all walks, some milliseconds; and the game that it found, if that is longer than all before.
    pub fn slice(&mut self) -> Option<FreeGame> {
        if self.steps - self.longest.since >= PATIENCE {
            self.longest.runs += 1;
            self.begin();
        }
        let mut rng = seed::rng(derive(self.seed, &[self.slices]), &[]);
        self.slices += 1;
        let room = MOST_SET - self.points;
        let mut found = None;
        match &mut self.walks {
            Walks::Flat(walk) => {
                let FlatWalk { set, flat } = &mut **walk;
                set.centre();
                for _ in 0..FLAT_STEPS {
                    self.steps += 1;
                    let taken = set.step(flat, room, self.points, &mut rng);
                    flat.visit(set.len());
                    if taken && set.len() > self.longest.of_run {
                        flat.set_least(set.len() * if self.given.is_empty() { 7 } else { 10 } / 12);
                        found = self.longest.note(set, self.steps).or(found);
                    }
                }
            }
            Walks::Ladder(walks) => {
                for LineWalk { rung, chances, set } in walks.iter_mut() {
                    set.centre();
                    for _ in 0..STEPS {
                        let taken = set.step(chances, room, rung.lent, &mut rng);
                        if taken && set.len() > self.longest.of_run {
                            found = self.longest.note(set, self.steps).or(found);
                        }
                    }
                    self.steps += STEPS;
                }
                exchange(walks, self.slices % 2 == 1, &mut rng);
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
        fn check<R: Rules>(points: usize, kind: FreeWalks, least: usize) {
            let run = |slices| {
                let mut search = FreeStart::<R>::new(points, &[], kind, 5);
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
        check::<T5>(36, FreeWalks::Flat, 75);
        check::<T5>(36, FreeWalks::Ladder, 90);
        check::<D5>(36, FreeWalks::Flat, 55);
        check::<D5>(10, FreeWalks::Ladder, 3);
        check::<T4>(12, FreeWalks::Ladder, 20);
        // The first line needs all points but one.
        check::<T5>(4, FreeWalks::Flat, 1);
    }

    /// A search that begins with a grid tells it at once, or nearly all of it, also from a start of its own.
    #[test]
    fn what_is_given_is_the_first_game() {
        let given = crate::strategies::choices::tests::game::<T5>(4, usize::MAX);
        for kind in [FreeWalks::Flat, FreeWalks::Ladder] {
            let mut search = FreeStart::<T5>::new(36, &given, kind, 3);
            let game = search.slice().expect("the game that was given, or a longer one");
            assert!(game.moves.len() + 1 >= given.len(), "{kind:?}");
            assert_eq!(referee::replay_from(&game.start, T5::VARIANT, &game.moves).map(drop), Ok(()));
        }
        assert_eq!(FreeWalks::usual::<T5>(&[]), FreeWalks::Flat);
        assert_eq!(FreeWalks::usual::<T5>(&given), FreeWalks::Ladder);
        assert_eq!(FreeWalks::usual::<T4>(&[]), FreeWalks::Ladder);
    }
}
