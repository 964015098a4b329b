//! The linear program of a region: a relaxation of "there is a grid of exactly `n` moves inside".
//!
//! Columns: for each point beyond the cross, 1 if the grid has it; then for each line inside the region, 1 if the
//! grid has it. Rows, in this order (a certificate names them by their numbers):
//!
//! 1. *Cells*, by direction, then by their first point: the lines that cover a cell are at most one, and none
//!    without the points of the cell. A cell is a point (disjoint variants) or a unit segment (touching variants),
//!    as in the shapes of `reshape`. There is one row per point of the cell beyond the cross, and one if there is
//!    none; no row for a cell that no line covers.
//! 2. *Support*, by points: a point beyond the cross lies on a line.
//! 3. The points are `n`. 4. The lines are `n`.
//!
//! The order in which lines are drawn is not in it; rows of `loops` are put after these where they help. Every row
//! has the form `sum <= bound` or `sum = bound`, with coefficients 1 and -1.
//!
//! A *case* decides some points: in the grid or not. A *witness* closes a case, or decides further points of it. It
//! is a whole number for each row, not negative unless the row is an equation. The rows, multiplied by these
//! numbers and added up, give one inequality `sum of g[c] * column[c] <= b`. If the least value of the left side in
//! the case is greater than `b`, there is no grid in the case. If it becomes so when an open point is out (then the
//! lines through it are out, too), the point is in; if it becomes so when it is in, the point is out. This is
//! exact, wherever the numbers come from.

use super::region::Region;
use crate::morpion::geometry::{Direction, Line, Point, cross};
use crate::morpion::variant::Variant;

/// What a case says of a point beyond the cross.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointState {
    /// Nothing is decided.
    Open,
    /// No grid of the case has it.
    Out,
    /// Every grid of the case has it.
    In,
}

/// A row of the program: `sum of coefficient * column`, at most or exactly `bound`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramRow {
    /// Columns with their coefficients, 1 or -1.
    pub entries: Vec<(u32, i8)>,
    /// The bound of the sum.
    pub bound: i64,
    /// Whether the sum is equal to the bound.
    pub equation: bool,
}

/// The linear program of a region and a number of moves.
#[derive(Debug, Clone)]
pub struct Program {
    variant: Variant,
    moves: u32,
    points: Vec<Point>,
    lines: Vec<Line>,
    /// Of each line, the numbers of its points beyond the cross.
    points_of: Vec<Vec<u16>>,
    rows: Vec<ProgramRow>,
}

/// A sparse witness: rows, ascending, with multipliers other than 0. Rows of loops follow those of the program.
pub type Witness = Vec<(u32, i64)>;

/// What a witness says about a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// There is no grid in the case.
    Closed,
    /// The points that it decides, and how.
    Decides(Vec<(u16, PointState)>),
}

impl Program {
    /// The program of "a grid of `moves` moves inside the region".
    pub fn new(region: &Region, moves: u32) -> Program {
        let variant = region.variant();
        let points = region.added().to_vec();
        let start = cross(variant);
        // The number of a point: its column, or none if it is in the cross.
        let mut numbers = vec![None; 1 << 12];
        start.iter().for_each(|point| numbers[point.index()] = Some(None));
        (0..).zip(&points).for_each(|(number, point): (u16, _)| numbers[point.index()] = Some(Some(number)));
        let len = variant.line_len() as i32;
        let mut all: Vec<Point> = points.iter().chain(&start).copied().collect();
        all.sort_unstable();
        let inside = |point: Option<Point>| point.and_then(|point| numbers[point.index()]);

        let (mut lines, mut points_of) = (Vec::new(), Vec::new());
        for direction in Direction::ALL {
            for &point in &all {
                let own: Option<Vec<_>> = (0..len).map(|i| inside(point.step(direction, i))).collect();
                if let Some(own) = own {
                    let (track, at) = direction.track(point);
                    lines.push(Line::pack(direction, track, at));
                    points_of.push(own.into_iter().flatten().collect::<Vec<u16>>());
                }
            }
        }
        let column = |line: usize| (points.len() + line) as u32;
        let at = |line: Line| lines.iter().position(|&other| other == line);

        let mut rows = Vec::new();
        let blocked = if variant.disjoint() { len } else { len - 1 };
        for direction in Direction::ALL {
            for &point in &all {
                let covering = (0..blocked).filter_map(|back| {
                    let (track, at_point) = direction.track(point.step(direction, -back)?);
                    at(Line::pack(direction, track, at_point))
                });
                let covering: Vec<(u32, i8)> = covering.map(|line| (column(line), 1)).collect();
                if covering.is_empty() {
                    continue;
                }
                let ends = [Some(point), if variant.disjoint() { None } else { point.step(direction, 1) }];
                let new: Vec<u16> =
                    ends.into_iter().flatten().filter_map(|end| inside(Some(end)).flatten()).collect();
                if new.is_empty() {
                    rows.push(ProgramRow { entries: covering.clone(), bound: 1, equation: false });
                }
                for number in new {
                    let own = std::iter::once((u32::from(number), -1));
                    rows.push(ProgramRow {
                        entries: own.chain(covering.iter().copied()).collect(),
                        bound: 0,
                        equation: false,
                    });
                }
            }
        }
        let mut support: Vec<Vec<(u32, i8)>> = (0..points.len()).map(|number| vec![(number as u32, 1)]).collect();
        for (line, own) in points_of.iter().enumerate() {
            own.iter().for_each(|&number| support[usize::from(number)].push((column(line), -1)));
        }
        rows.extend(support.into_iter().map(|entries| ProgramRow { entries, bound: 0, equation: false }));
        let ones = |columns: std::ops::Range<u32>| columns.map(|column| (column, 1)).collect();
        let (first, last) = (points.len() as u32, column(lines.len()));
        for columns in [0..first, first..last] {
            rows.push(ProgramRow { entries: ones(columns), bound: i64::from(moves), equation: true });
        }
        Program { variant, moves, points, lines, points_of, rows }
    }

    /// The variant whose grids it is about.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The number of moves asked for.
    pub fn moves(&self) -> u32 {
        self.moves
    }

    /// The points beyond the cross: the first columns.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The lines: the columns after the points.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The numbers of a line's points beyond the cross.
    pub fn points_of_line(&self, line: usize) -> &[u16] {
        &self.points_of[line]
    }

    /// Number of columns: points and lines.
    pub fn columns(&self) -> usize {
        self.points.len() + self.lines.len()
    }

    /// The rows, in the order of the module's description.
    pub fn rows(&self) -> &[ProgramRow] {
        &self.rows
    }

    /// The case in which nothing is decided.
    pub fn whole(&self) -> Vec<PointState> {
        vec![PointState::Open; self.points.len()]
    }

    /// The points of a grid, if the case leaves one set of points only, or none: all are decided, or the number of
    /// points decides the rest.
    pub fn decided(&self, case: &[PointState]) -> Option<Vec<Point>> {
        let count = |state| case.iter().filter(|&&other| other == state).count();
        let (inside, open, moves) = (count(PointState::In), count(PointState::Open), self.moves as usize);
        let rest = inside + open == moves;
        (open == 0 || rest || inside == moves).then(|| {
            let has = |state: PointState| state == PointState::In || rest && state == PointState::Open;
            let points = self.points.iter().zip(case).filter(|(_, state)| has(**state));
            points.map(|(&point, _)| point).collect()
        })
    }

    /// A row of the program, or, by the numbers that follow, one of these loops.
    pub fn row<'a>(&'a self, loops: &'a [ProgramRow], number: u32) -> Option<&'a ProgramRow> {
        let number = number as usize;
        self.rows.get(number).or_else(|| loops.get(number - self.rows.len()))
    }

    /// What a witness says about a case; exact. `loops` are the rows of loops that it may name.
    ///
    /// # Panics
    /// If it names a row that there is not.
    pub fn judge(
        &self,
        witness: &[(u32, i64)],
        loops: &[ProgramRow],
        case: &[PointState],
        sums: &mut Vec<i64>,
    ) -> Verdict {
        sums.clear();
        sums.resize(self.columns(), 0);
        let mut bound = 0;
        for &(row, by) in witness {
            let row = self.row(loops, row).expect("a row of the program or of a loop");
            debug_assert!(row.equation || by > 0);
            bound += by * row.bound;
            row.entries.iter().for_each(|&(column, sign)| sums[column as usize] += by * i64::from(sign));
        }
        // The least value of the left side; and by how much it grows when a point is out, or in.
        let mut least = 0;
        let mut dearer_out = vec![0; case.len()];
        for (column, &sum) in sums.iter().enumerate() {
            if column < case.len() {
                least += match case[column] {
                    PointState::Open => sum.min(0),
                    PointState::Out => 0,
                    PointState::In => sum,
                };
                dearer_out[column] -= sum.min(0);
            } else if sum < 0 {
                let own = &self.points_of[column - case.len()];
                if own.iter().all(|&point| case[usize::from(point)] != PointState::Out) {
                    least += sum;
                    own.iter().for_each(|&point| dearer_out[usize::from(point)] -= sum);
                }
            }
        }
        // How much is lacking to a contradiction.
        let lacking = bound - least;
        if lacking < 0 {
            return Verdict::Closed;
        }
        let mut decided = Vec::new();
        for point in (0..case.len()).filter(|&point| case[point] == PointState::Open) {
            match (sums[point].max(0) > lacking, dearer_out[point] > lacking) {
                (true, true) => return Verdict::Closed,
                (true, false) => decided.push((point as u16, PointState::Out)),
                (false, true) => decided.push((point as u16, PointState::In)),
                (false, false) => {}
            }
        }
        Verdict::Decides(decided)
    }
}
