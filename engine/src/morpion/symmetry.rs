//! The 8 symmetries of the starting cross, acting on points, lines and moves.
//!
//! A symmetry is an exchange of x and y or not, followed by a mirror image in x or not and in y or not. The
//! cross stands in the area so that a mirror image sends coordinate `c` to `k - c` with `k = 59` for lines of 5
//! (the cross's centre is (29.5,29.5), also the area's) and `k = 58` for lines of 4 (centre (29,29)). So the
//! area for lines of 5 is mapped to itself, and for lines of 4 column 59 and row 59 are mapped out of it: the
//! maps return `None` there. The known grids of 4T and 4D stay more than 20 points away from those; the `Option`
//! spares the proof that all do, and serves boards that no game makes. Symmetries of another start are about the
//! middle of its box ([`Start::centre`](super::start::Start::centre)), with 59 for an even number of columns or rows
//! and 58 for an odd one.

use super::geometry::{Direction, Line, Move, Point, cross_corner};
use super::position::Position;
use super::variant::{Rules, Variant};

/// A symmetry of the cross: bit 2, exchange x and y first; then bit 0, mirror x; bit 1, mirror y.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The symmetry that moves nothing.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// All eight, the identity first.
    pub const ALL: [Symmetry; 8] = {
        let mut all = [Symmetry(0); 8];
        let mut i = 0;
        while i < 8 {
            all[i] = Symmetry(i as u8);
            i += 1;
        }
        all
    };

    const fn exchanges(self) -> bool {
        self.0 & 4 != 0
    }

    /// The symmetry that undoes this one.
    pub const fn inverse(self) -> Symmetry {
        // With an exchange before them, the mirrors trade places; a mirror alone is its own inverse.
        if self.exchanges() { Symmetry(4 | (self.0 & 1) << 1 | (self.0 & 2) >> 1) } else { self }
    }

    /// This symmetry and then another one, as one.
    pub const fn then(self, next: Symmetry) -> Symmetry {
        // An exchange makes a mirror image in x of what was one in y.
        let mirrors = if next.exchanges() { (self.0 & 1) << 1 | (self.0 & 2) >> 1 } else { self.0 & 3 };
        Symmetry((self.0 ^ next.0) & 4 | mirrors ^ next.0 & 3)
    }

    /// A turn by so many quarters, clockwise on a board whose y grows downwards.
    pub const fn turn(quarters: u32) -> Symmetry {
        match quarters % 4 {
            0 => Symmetry::IDENTITY,
            1 => Symmetry(5),
            2 => Symmetry(3),
            _ => Symmetry(6),
        }
    }

    /// Where the integer point `(x, y)` of the unbounded plane goes.
    pub fn plane(self, centre: impl Into<Centre>, x: i32, y: i32) -> (i32, i32) {
        let Centre { sums: (across, down), .. } = centre.into();
        // With an exchange the two sums change places, too; they differ only where no exchange is a symmetry.
        let ((x, y), (across, down)) =
            if self.exchanges() { ((y, x), (down, across)) } else { ((x, y), (across, down)) };
        (if self.0 & 1 != 0 { across - x } else { x }, if self.0 & 2 != 0 { down - y } else { y })
    }

    /// Image of a point; `None` if it lies outside the playing area (lines of 4 or another start than the cross only,
    /// see the module's text).
    #[inline]
    pub fn point(self, centre: impl Into<Centre>, point: Point) -> Option<Point> {
        let (x, y) = self.plane(centre, point.x(), point.y());
        Point::new(x, y)
    }

    /// Image of a direction.
    pub const fn direction(self, direction: Direction) -> Direction {
        match direction {
            Direction::Horizontal if self.exchanges() => Direction::Vertical,
            Direction::Vertical if self.exchanges() => Direction::Horizontal,
            // An exchange maps each diagonal direction to itself, one mirror exchanges them.
            Direction::Falling if (self.0 & 3).count_ones() == 1 => Direction::Rising,
            Direction::Rising if (self.0 & 3).count_ones() == 1 => Direction::Falling,
            same => same,
        }
    }

    /// Image of a line; `None` if it leaves the playing area, or if `line` is no line of it.
    #[inline]
    pub fn line(self, centre: impl Into<Centre>, line: Line) -> Option<Line> {
        let (track, start, centre) = (line.track(), line.start() as i32, centre.into());
        let first = self.point(centre, line.direction().point(track, start)?)?;
        let last_before = line.direction().point(track, start + centre.variant.line_len() as i32 - 1)?;
        let last = self.point(centre, last_before)?;
        let direction = self.direction(line.direction());
        let (track, one) = direction.track(first);
        let (_, other) = direction.track(last);
        Some(Line::pack(direction, track, one.min(other)))
    }

    /// Image of a move; `None` if it leaves the playing area.
    #[inline]
    pub fn image(self, centre: impl Into<Centre>, mv: Move) -> Option<Move> {
        let centre = centre.into();
        Some(Move::pack(self.point(centre, mv.point())?, self.line(centre, mv.line())?))
    }
}

/// About what points, lines and moves of a variant are mirrored and turned. That of a variant is the centre of its
/// cross.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Centre {
    variant: Variant,
    /// What a coordinate and its mirror image add up to: of columns, of rows.
    sums: (i32, i32),
}

impl Centre {
    /// With what a coordinate and its mirror image add up to: of columns, of rows.
    pub(super) const fn new(variant: Variant, sums: (i32, i32)) -> Centre {
        Centre { variant, sums }
    }
}

impl From<Variant> for Centre {
    #[inline]
    fn from(variant: Variant) -> Centre {
        Centre { variant, sums: (mirror_sum(variant), mirror_sum(variant)) }
    }
}

/// A symmetry that a grid can have: one that carries its set of lines to itself and is its own inverse.
///
/// Up to the symmetries of the cross there are three kinds: the central ones, those about a row or column, and those
/// about a diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum GridSymmetry {
    /// Half a turn about the centre of the cross.
    Central,
    /// A mirror image about the horizontal axis.
    Horizontal,
    /// A mirror image about the vertical axis.
    Vertical,
    /// A mirror image about the diagonal that falls to the right.
    Falling,
    /// A mirror image about the diagonal that rises to the right.
    Rising,
}

impl GridSymmetry {
    /// All of them.
    pub const ALL: [GridSymmetry; 5] = [
        GridSymmetry::Central,
        GridSymmetry::Horizontal,
        GridSymmetry::Vertical,
        GridSymmetry::Falling,
        GridSymmetry::Rising,
    ];

    /// The map of points, lines and moves.
    pub const fn symmetry(self) -> Symmetry {
        Symmetry(match self {
            GridSymmetry::Central => 3,
            GridSymmetry::Horizontal => 2,
            GridSymmetry::Vertical => 1,
            GridSymmetry::Falling => 4,
            GridSymmetry::Rising => 7,
        })
    }

    /// The name as it is typed.
    pub const fn name(self) -> &'static str {
        match self {
            GridSymmetry::Central => "central",
            GridSymmetry::Horizontal => "horizontal",
            GridSymmetry::Vertical => "vertical",
            GridSymmetry::Falling => "falling",
            GridSymmetry::Rising => "rising",
        }
    }

    /// Whether it carries the set of lines of these moves to itself.
    pub fn carries(self, centre: impl Into<Centre>, moves: &[Move]) -> bool {
        let centre = centre.into();
        let mut lines: Vec<Line> = moves.iter().map(|mv| mv.line()).collect();
        let images: Option<Vec<Line>> = lines.iter().map(|&line| self.symmetry().line(centre, line)).collect();
        let Some(mut images) = images else { return false };
        lines.sort_unstable();
        images.sort_unstable();
        lines == images
    }

    /// Those that carry the set of lines of these moves from the cross to itself.
    pub fn of_grid(variant: Variant, moves: &[Move]) -> Vec<GridSymmetry> {
        GridSymmetry::ALL.into_iter().filter(|symmetry| symmetry.carries(variant, moves)).collect()
    }
}

impl std::fmt::Display for GridSymmetry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// Which symmetries a grid is asked to have. Grids are equal up to the symmetries of the cross, so a row and a column
/// are not told apart, nor are the two diagonals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SymmetryFilter {
    /// One or more of them.
    Any,
    /// None at all, as most grids.
    None,
    /// Half a turn about the centre of the cross.
    Central,
    /// A mirror image about the horizontal or the vertical axis.
    Axis,
    /// A mirror image about a diagonal.
    Diagonal,
}

impl SymmetryFilter {
    /// Whether a grid with these symmetries is one that is asked for.
    pub fn accepts(self, symmetries: &[GridSymmetry]) -> bool {
        use GridSymmetry::{Central, Falling, Horizontal, Rising, Vertical};
        let has = |kinds: &[GridSymmetry]| symmetries.iter().any(|symmetry| kinds.contains(symmetry));
        match self {
            SymmetryFilter::Any => !symmetries.is_empty(),
            SymmetryFilter::None => symmetries.is_empty(),
            SymmetryFilter::Central => has(&[Central]),
            SymmetryFilter::Axis => has(&[Horizontal, Vertical]),
            SymmetryFilter::Diagonal => has(&[Falling, Rising]),
        }
    }
}

impl std::str::FromStr for SymmetryFilter {
    type Err = UnknownSymmetry;

    fn from_str(text: &str) -> Result<SymmetryFilter, UnknownSymmetry> {
        match text {
            "any" => Ok(SymmetryFilter::Any),
            "none" => Ok(SymmetryFilter::None),
            "central" => Ok(SymmetryFilter::Central),
            "axis" => Ok(SymmetryFilter::Axis),
            "diagonal" => Ok(SymmetryFilter::Diagonal),
            _ => Err(UnknownSymmetry),
        }
    }
}

/// A text names none of the symmetries that a grid can be asked to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected any, none, central, axis or diagonal")]
pub struct UnknownSymmetry;

/// The symmetries of a grid as the end of a sentence: nothing if there are none, else `, central symmetry`.
pub fn in_words(symmetries: &[GridSymmetry]) -> String {
    let names: Vec<&str> = symmetries.iter().map(|symmetry| symmetry.name()).collect();
    match names.as_slice() {
        [] => String::new(),
        names => format!(", {} symmetry", names.join(" and ")),
    }
}

/// What a coordinate and its mirror image add up to.
const fn mirror_sum(variant: Variant) -> i32 {
    // The cross's box has 3 * LEN - 5 points to a side: arms of LEN - 1 points overlap at their corners.
    let side = 3 * variant.line_len() as i32 - 5;
    2 * cross_corner(variant) + side - 1
}

/// The moves of the starting position with one move of each class of moves that are equal up to symmetry: in
/// each class the one with the smallest [`Move::bits`] (direction, then track, then place on it), in ascending
/// order of it. 4 moves for lines of 5.
pub fn first_move_classes<R: Rules>() -> Vec<Move> {
    let mut moves = Position::<R>::new().moves().to_vec();
    moves.sort_unstable();
    moves.retain(|&mv| Symmetry::ALL.iter().all(|s| s.image(R::VARIANT, mv).is_none_or(|image| mv <= image)));
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morpion::geometry::{SIDE, cross};
    use crate::with_rules;

    #[test]
    fn the_cross_is_mapped_to_itself() {
        for variant in Variant::ALL {
            let mut points = cross(variant);
            points.sort_unstable();
            for s in Symmetry::ALL {
                let mut images: Vec<_> = points.iter().map(|&p| s.point(variant, p).unwrap()).collect();
                images.sort_unstable();
                assert_eq!(images, points, "{variant} {s:?}");
            }
        }
    }

    #[test]
    fn symmetries_differ_and_have_inverses() {
        for variant in Variant::ALL {
            let p = Point::new(31, 12).unwrap();
            let mut images: Vec<_> = Symmetry::ALL.iter().map(|s| s.point(variant, p).unwrap()).collect();
            for (s, &image) in Symmetry::ALL.iter().zip(&images) {
                assert_eq!(s.inverse().point(variant, image), Some(p), "{s:?}");
            }
            images.sort_unstable();
            images.dedup();
            assert_eq!(images.len(), 8);
        }
    }

    #[test]
    fn symmetries_follow_each_other() {
        let p = Point::new(31, 12).unwrap();
        for a in Symmetry::ALL {
            for b in Symmetry::ALL {
                let both = a.point(Variant::T5, p).and_then(|image| b.point(Variant::T5, image));
                assert_eq!(a.then(b).point(Variant::T5, p), both, "{a:?} {b:?}");
            }
            assert_eq!(a.then(a.inverse()), Symmetry::IDENTITY);
        }
        // By hand, about the centre (29.5, 29.5): a point above it goes to the right of it.
        assert_eq!(Symmetry::turn(1).plane(Variant::T5, 31, 12), (47, 31));
        let twice = Symmetry::turn(1).then(Symmetry::turn(1));
        assert_eq!((twice, twice.then(Symmetry::turn(1))), (Symmetry::turn(2), Symmetry::turn(3)));
    }

    /// Every move of the area goes where its points go, and only lines of 4 at the far edge leave it.
    #[test]
    fn moves_go_where_their_points_go() {
        for variant in Variant::ALL {
            with_rules!(variant, R => for y in 0..SIDE {
                for x in 0..SIDE {
                    for direction in Direction::ALL {
                        let Some(mv) = Move::new(variant, Point::new(x, y).unwrap(), direction, 1) else { continue };
                        for s in Symmetry::ALL {
                            let images: Option<Vec<Point>> =
                                mv.line().points::<R>().map(|p| s.point(variant, p)).collect();
                            let Some(mut images) = images else {
                                assert_eq!(variant.line_len(), 4);
                                assert_eq!(s.image(variant, mv), None);
                                continue;
                            };
                            let image = s.image(variant, mv).unwrap();
                            assert_eq!(Some(image), Move::from_bits(variant, image.bits()));
                            assert_eq!(s.point(variant, mv.point()), Some(image.point()));
                            let mut of_image: Vec<Point> = image.line().points::<R>().collect();
                            images.sort_unstable();
                            of_image.sort_unstable();
                            assert_eq!(images, of_image, "{variant} {mv:?} {s:?}");
                            assert_eq!(s.inverse().image(variant, image), Some(mv));
                        }
                    }
                }
            });
        }
    }

    #[test]
    fn symmetries_of_grids_are_their_own_inverses_and_are_seen() {
        for (at, symmetry) in GridSymmetry::ALL.into_iter().enumerate() {
            let map = symmetry.symmetry();
            assert!(map != Symmetry::IDENTITY && map.inverse() == map);
            assert_eq!(GridSymmetry::ALL.iter().position(|other| other.symmetry() == map), Some(at));
            let named: GridSymmetry = serde_json::from_str(&format!("\"{symmetry}\"")).unwrap();
            assert_eq!(named, symmetry);
        }
        // By hand, about the centre (29.5, 29.5): where (31, 12) goes.
        let goes = |symmetry: GridSymmetry| symmetry.symmetry().plane(Variant::T5, 31, 12);
        assert_eq!(GridSymmetry::ALL.map(goes), [(28, 47), (31, 47), (28, 12), (12, 31), (47, 28)]);
        for variant in Variant::ALL {
            with_rules!(variant, R => {
                let moves = Position::<R>::new().moves().to_vec();
                for symmetry in GridSymmetry::ALL {
                    for &mv in &moves {
                        let image = symmetry.symmetry().image(variant, mv).unwrap();
                        assert!(symmetry.carries(variant, &[mv, image]));
                        assert_eq!(symmetry.carries(variant, &[mv]), image.line() == mv.line());
                    }
                }
            });
        }
        assert_eq!(in_words(&[]), "");
        assert_eq!(in_words(&[GridSymmetry::Central]), ", central symmetry");
        assert_eq!(in_words(&GridSymmetry::ALL[3..]), ", falling and rising symmetry");
    }

    #[test]
    fn symmetries_are_asked_for_up_to_the_symmetries_of_the_cross() {
        use GridSymmetry::{Central, Falling, Horizontal, Rising, Vertical};
        let accepted = |text: &str, symmetries: &[GridSymmetry]| {
            let asked: SymmetryFilter = text.parse().unwrap();
            assert_eq!(serde_json::to_value(asked).unwrap(), text);
            asked.accepts(symmetries)
        };
        for (symmetries, expected) in [
            (&[][..], ["none"].as_slice()),
            (&[Central], &["any", "central"]),
            (&[Horizontal], &["any", "axis"]),
            (&[Vertical], &["any", "axis"]),
            (&[Falling], &["any", "diagonal"]),
            (&[Rising], &["any", "diagonal"]),
            (&[Central, Vertical], &["any", "central", "axis"]),
        ] {
            for text in ["any", "none", "central", "axis", "diagonal"] {
                assert_eq!(accepted(text, symmetries), expected.contains(&text), "{text} {symmetries:?}");
            }
        }
        assert_eq!("rising".parse::<SymmetryFilter>(), Err(UnknownSymmetry));
    }

    #[test]
    fn first_moves_fall_into_classes_that_cover_all() {
        for (variant, classes) in [(Variant::T5, 4), (Variant::D5, 4), (Variant::T4, 5), (Variant::D4, 5)] {
            with_rules!(variant, R => {
                let representatives = first_move_classes::<R>();
                assert_eq!(representatives.len(), classes, "{variant}");
                let mut covered: Vec<Move> = representatives
                    .iter()
                    .flat_map(|&mv| Symmetry::ALL.map(|s| s.image(variant, mv).unwrap()))
                    .collect();
                covered.sort_unstable();
                covered.dedup();
                let mut all = Position::<R>::new().moves().to_vec();
                all.sort_unstable();
                assert_eq!(covered, all);
            });
        }
    }
}
