//! Moves that come and go together: each alone, or each with its image under a symmetry of the start.
//!
//! A grid is *symmetric* if a symmetry carries its set of lines to itself. Such a grid can be played orbit by orbit:
//! where a symmetric position lets a move be played, it lets its image be played, and playing one does not take away
//! the other unless the two collide. (If the image had all its points already, the lines of the whole grid would
//! have fewer points than lines and start together.) So a search of symmetric grids plays moves with their images.

use super::params::Params;
use crate::morpion::geometry::{Line, Move, Point};
use crate::morpion::position::Position;
use crate::morpion::symmetry::{Centre, Symmetry};
use crate::morpion::variant::Rules;
use std::collections::HashSet;

/// Which moves come and go together.
pub trait Orbits: Copy + Send {
    /// Whether an orbit may have two moves.
    const PAIRED: bool;

    /// As a search with these parameters asks for it.
    fn asked<R: Rules>(params: &Params) -> Self;

    /// The moves of the orbit of a move: itself, then its image if that is another one.
    fn of(self, mv: Move) -> impl Iterator<Item = Move>;

    /// The move that stands for an orbit: the same for all its moves.
    fn first(self, mv: Move) -> Move;

    /// Whether the moves of an orbit can be in one grid, and lie within the area.
    fn fit<R: Rules>(self, mv: Move) -> bool;

    /// The image of a line that comes with it, if that is another one in the area.
    fn image_of_line(self, line: Line) -> Option<Line>;

    /// The points that come with a point, itself first; nothing if one lies outside the area.
    fn of_point(self, point: Point) -> Option<(Point, Option<Point>)>;
}

/// The moves of a grid after a position, as a search plays them; nothing if it cannot, since they are not symmetric.
pub(super) fn own_order<R: Rules, O: Orbits>(orbits: O, start: &Position<R>, grid: Vec<Move>) -> Option<Vec<Move>> {
    if O::PAIRED { by_orbits(orbits, start, &grid) } else { Some(grid) }
}

/// The moves of a grid that begins with a position, in an order in which orbits are played together; nothing if there
/// is none, since the grid is not symmetric.
fn by_orbits<R: Rules, O: Orbits>(orbits: O, start: &Position<R>, grid: &[Move]) -> Option<Vec<Move>> {
    let mut position = start.clone();
    let lines: HashSet<Line> = grid.iter().map(|mv| mv.line()).collect();
    while let Some(&mv) = position.moves().iter().find(|mv| lines.contains(&mv.line()) && orbits.fit::<R>(**mv)) {
        for mv in orbits.of(mv) {
            position.try_play(mv).ok().filter(|()| lines.contains(&mv.line()))?;
        }
    }
    let played = &position.played()[start.played().len()..];
    (played.len() == grid.len()).then(|| played.to_vec())
}

/// Each move is an orbit of its own.
#[derive(Debug, Clone, Copy)]
pub struct Single;

impl Orbits for Single {
    const PAIRED: bool = false;

    #[inline(always)]
    fn asked<R: Rules>(_: &Params) -> Single {
        Single
    }

    #[inline(always)]
    fn of(self, mv: Move) -> impl Iterator<Item = Move> {
        std::iter::once(mv)
    }

    #[inline(always)]
    fn first(self, mv: Move) -> Move {
        mv
    }

    #[inline(always)]
    fn fit<R: Rules>(self, _: Move) -> bool {
        true
    }

    fn image_of_line(self, _: Line) -> Option<Line> {
        None
    }

    #[inline(always)]
    fn of_point(self, point: Point) -> Option<(Point, Option<Point>)> {
        Some((point, None))
    }
}

/// A move and its image under a symmetry that is its own inverse.
#[derive(Debug, Clone, Copy)]
pub struct Paired {
    symmetry: Symmetry,
    centre: Centre,
}

impl Paired {
    #[inline(always)]
    fn image(self, mv: Move) -> Option<Move> {
        self.symmetry.image(self.centre, mv)
    }
}

impl Orbits for Paired {
    const PAIRED: bool = true;

    fn asked<R: Rules>(params: &Params) -> Paired {
        let symmetry = params.symmetry.map_or(Symmetry::IDENTITY, |asked| asked.symmetry());
        Paired { symmetry, centre: params.start.centre(R::VARIANT) }
    }

    #[inline(always)]
    fn of(self, mv: Move) -> impl Iterator<Item = Move> {
        std::iter::once(mv).chain(self.image(mv).filter(|&image| image != mv))
    }

    #[inline(always)]
    fn first(self, mv: Move) -> Move {
        self.image(mv).map_or(mv, |image| mv.min(image))
    }

    #[inline(always)]
    fn fit<R: Rules>(self, mv: Move) -> bool {
        self.image(mv).is_some_and(|image| image == mv || !image.collides::<R>(mv))
    }

    fn image_of_line(self, line: Line) -> Option<Line> {
        self.symmetry.line(self.centre, line).filter(|&image| image != line)
    }

    fn of_point(self, point: Point) -> Option<(Point, Option<Point>)> {
        let image = self.symmetry.point(self.centre, point)?;
        Some((point, Some(image).filter(|&image| image != point)))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::morpion::symmetry::GridSymmetry;
    use crate::morpion::variant::{D4, D5, T4, T5};
    use crate::strategies::params::Strategy;
    use rand::RngExt;
    use std::collections::BTreeSet;

    pub fn paired<R: Rules>(symmetry: GridSymmetry) -> Paired {
        let params = Params { symmetry: Some(symmetry), ..Strategy::Temper.row().params() };
        Paired::asked::<R>(&params)
    }

    /// The moves that stand for the orbits which can be played.
    fn orbits_at<R: Rules>(orbits: Paired, position: &Position<R>) -> Vec<Move> {
        let own = |mv: &&Move| orbits.first(**mv) == **mv && orbits.fit::<R>(**mv);
        position.moves().iter().filter(own).copied().collect()
    }

    /// A game at random in which moves come with their images.
    pub fn symmetric_game<R: Rules>(symmetry: GridSymmetry, seed: u64, moves: usize) -> Vec<Move> {
        let (orbits, rng) = (paired::<R>(symmetry), &mut rng(seed, &[]));
        let mut position = Position::<R>::new();
        while position.played().len() < moves
            && let legal = orbits_at(orbits, &position)
            && !legal.is_empty()
        {
            orbits.of(legal[rng.random_range(0..legal.len())]).for_each(|mv| position.play(mv));
        }
        position.played().to_vec()
    }

    #[test]
    fn what_is_played_by_orbits_is_symmetric_and_legal_in_this_order() {
        fn check<R: Rules>() {
            for symmetry in GridSymmetry::ALL {
                for seed in 0..5 {
                    let game = symmetric_game::<R>(symmetry, seed, usize::MAX);
                    assert!(Position::<R>::after(&game).is_ok() && game.len() > 10);
                    assert!(symmetry.carries(R::VARIANT, &game), "{} {symmetry} {seed}", R::VARIANT);
                    // The same grid in another order of its moves, and one with a move less.
                    let mut position = Position::<R>::new();
                    let lines: HashSet<Line> = game.iter().map(|mv| mv.line()).collect();
                    while let Some(&mv) = position.moves().iter().rfind(|mv| lines.contains(&mv.line())) {
                        position.play(mv);
                    }
                    assert_eq!(position.played().len(), game.len());
                    let ordered = by_orbits(paired::<R>(symmetry), &Position::<R>::new(), position.played());
                    let ordered = ordered.expect("a symmetric grid");
                    assert!(Position::<R>::after(&ordered).is_ok() && symmetry.carries(R::VARIANT, &ordered));
                    let less = &position.played()[..game.len() - 1];
                    let is_symmetric = symmetry.carries(R::VARIANT, less);
                    let found = by_orbits(paired::<R>(symmetry), &Position::<R>::new(), less);
                    assert_eq!(found.is_some(), is_symmetric);
                }
            }
        }
        check::<T5>();
        check::<D5>();
        check::<T4>();
        check::<D4>();
    }

    /// The sets of lines of all games of so many moves.
    fn grids<R: Rules>(moves: usize, next: &dyn Fn(&Position<R>) -> Vec<Vec<Move>>) -> BTreeSet<Vec<Line>> {
        let mut level: BTreeSet<Vec<Line>> = BTreeSet::from([Vec::new()]);
        let mut all = level.clone();
        while !level.is_empty() {
            let mut further = BTreeSet::new();
            for grid in &level {
                let mut position = Position::<R>::new();
                while let Some(&mv) = position.moves().iter().find(|mv| grid.contains(&mv.line())) {
                    position.play(mv);
                }
                for orbit in next(&position) {
                    let mut lines = grid.clone();
                    lines.extend(orbit.iter().map(|mv| mv.line()));
                    lines.sort_unstable();
                    if lines.len() <= moves {
                        further.insert(lines);
                    }
                }
            }
            all.extend(further.iter().cloned());
            level = further;
        }
        all
    }

    #[test]
    fn all_symmetric_grids_can_be_played_by_orbits() {
        fn check<R: Rules>(moves: usize) {
            let every = grids::<R>(moves, &|position| position.moves().iter().map(|&mv| vec![mv]).collect());
            for symmetry in GridSymmetry::ALL {
                let orbits = paired::<R>(symmetry);
                let found = grids::<R>(moves, &|position| {
                    orbits_at(orbits, position).into_iter().map(|mv| orbits.of(mv).collect()).collect()
                });
                let carried = |lines: &&Vec<Line>| {
                    let mut images: Vec<Line> =
                        lines.iter().map(|&line| symmetry.symmetry().line(R::VARIANT, line).unwrap()).collect();
                    images.sort_unstable();
                    images == **lines
                };
                let symmetric: BTreeSet<Vec<Line>> = every.iter().filter(carried).cloned().collect();
                assert!(symmetric.len() > 5, "{symmetry}: {}", symmetric.len());
                assert!(found == symmetric, "{} {symmetry}: {} of {}", R::VARIANT, found.len(), symmetric.len());
            }
        }
        check::<T5>(3);
        check::<D5>(3);
        check::<T4>(4);
        check::<D4>(4);
    }
}
