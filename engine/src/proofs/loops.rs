//! Loops: sets of points that rest on nothing but themselves, and the rows that forbid them.
//!
//! Of any set of points beyond the cross, one is drawn first. Its line has no other point of the set. So if a grid
//! has a point `u` of a set `U`, it has a line with exactly one point of `U`: the column of `u` is at most the sum of
//! the columns of these lines. This holds for every set, so a row that is found in one case serves in all (as loop
//! formulas do in answer set programming: Lin and Zhao 2004).
//!
//! There are too many sets to have all these rows in a program. `LoopFinder` looks for some that the optimum of a
//! case breaks, by a greedy search.

use super::program::{Program, ProgramRow};

/// A column below this is taken as 0.
const ZERO: f64 = 1e-7;
/// Only points with a larger column are asked about one by one.
const LIKELY: f64 = 0.3;

/// A set of points, and one of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Loop {
    /// The numbers of the points of the set, ascending.
    pub set: Vec<u16>,
    /// The number of the point that needs a line with exactly one point of the set.
    pub point: u16,
}

impl Loop {
    /// Whether it is one of this program: the numbers ascend, are those of points, and the point is in the set.
    pub fn fits(&self, program: &Program) -> bool {
        let inside = self.set.last().is_some_and(|&last| usize::from(last) < program.points().len());
        inside && self.set.is_sorted_by(|a, b| a < b) && self.set.binary_search(&self.point).is_ok()
    }

    /// Its row: the column of the point, less those of the lines with exactly one point of the set, is at most 0.
    ///
    /// # Panics
    /// If it does not fit the program.
    pub fn row(&self, program: &Program) -> ProgramRow {
        let points = program.points().len();
        let mut inside = vec![false; points];
        self.set.iter().for_each(|&point| inside[usize::from(point)] = true);
        let enters = |&line: &usize| {
            program.points_of_line(line).iter().filter(|&&point| inside[usize::from(point)]).count() == 1
        };
        let entering = (0..program.lines().len()).filter(enters).map(|line| ((points + line) as u32, -1));
        let entries = std::iter::once((u32::from(self.point), 1)).chain(entering).collect();
        ProgramRow { entries, bound: 0, equation: false }
    }
}

/// How many loops are looked for in a case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoopLimits {
    /// Points that are asked about one by one.
    pub targets: usize,
    /// At most so many loops.
    pub loops: usize,
    /// By how much the optimum must break a row.
    pub broken_by: f64,
}

/// Looks for loops that the optimum of a case breaks.
///
/// From the set of all points with a column above 0, the point with the most lines into it is taken out again and
/// again, by the sum of their columns. The best row on the way is kept. This is done once for the point with the
/// largest column that is left, then for single points that are never taken out, those with the most broken lines
/// first.
#[derive(Debug, Clone)]
pub struct LoopFinder {
    lines_of: Vec<Vec<usize>>,
    inside: Vec<bool>,
    members: Vec<u16>,
    /// Of each line, its points in the set.
    count: Vec<u8>,
    /// Of each point of the set, the sum of the lines that have no other point of it.
    entering: Vec<f64>,
}

impl LoopFinder {
    /// For a program.
    pub fn new(program: &Program) -> LoopFinder {
        let mut lines_of = vec![Vec::new(); program.points().len()];
        for line in 0..program.lines().len() {
            program.points_of_line(line).iter().for_each(|&point| lines_of[usize::from(point)].push(line));
        }
        let (inside, entering) = (vec![false; lines_of.len()], vec![0.0; lines_of.len()]);
        LoopFinder { lines_of, inside, members: Vec::new(), count: vec![0; program.lines().len()], entering }
    }

    /// Loops that these values of the columns break. No point is in two sets of single points.
    pub fn find(&mut self, program: &Program, values: &[f64], limits: LoopLimits) -> Vec<Loop> {
        let (points, lines) = values.split_at(program.points().len());
        let mut asked = vec![false; points.len()];
        let mut found: Vec<Loop> = Vec::new();
        found.extend(self.shrink(program, points, lines, None, limits.broken_by));
        let broken = |point: u16| {
            let own = self.lines_of[usize::from(point)].iter();
            own.filter(|&&line| lines[line] > ZERO && lines[line] < 1.0 - ZERO).count()
        };
        let likely = (0..points.len() as u16).filter(|&point| points[usize::from(point)] > LIKELY);
        let mut targets: Vec<(usize, u16)> = likely.map(|point| (broken(point), point)).collect();
        targets.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut tried = 0;
        for (_, target) in targets {
            found.last().iter().for_each(|last| last.set.iter().for_each(|&point| asked[usize::from(point)] = true));
            if tried == limits.targets || found.len() >= limits.loops {
                break;
            }
            if !asked[usize::from(target)] {
                tried += 1;
                found.extend(self.shrink(program, points, lines, Some(target), limits.broken_by));
            }
        }
        found.iter_mut().for_each(|found| self.widen(program, points, found));
        found
    }

    /// The loop that is broken the most among those that are met while the set shrinks, if by more than `least`.
    fn shrink(
        &mut self,
        program: &Program,
        points: &[f64],
        lines: &[f64],
        target: Option<u16>,
        least: f64,
    ) -> Option<Loop> {
        self.members.clear();
        for (number, &value) in points.iter().enumerate() {
            self.inside[number] = value > ZERO;
            self.entering[number] = 0.0;
            if value > ZERO {
                self.members.push(number as u16);
            }
        }
        let mut sum = 0.0;
        for (line, &value) in lines.iter().enumerate().filter(|(_, value)| **value > ZERO) {
            let own = program.points_of_line(line);
            self.count[line] = own.len() as u8;
            if let &[point] = own {
                self.entering[usize::from(point)] += value;
                sum += value;
            }
        }
        let mut best: Option<(f64, Loop)> = None;
        while self.members.len() > 1 {
            let candidates = (0..self.members.len()).filter(|&at| Some(self.members[at]) != target);
            let entering = |at: usize| self.entering[usize::from(self.members[at])];
            let most = candidates.reduce(|a, b| if entering(b) > entering(a) { b } else { a });
            let taken = usize::from(self.members.swap_remove(most.expect("another point than the target")));
            self.inside[taken] = false;
            for &line in self.lines_of[taken].iter().filter(|&&line| lines[line] > ZERO) {
                self.count[line] -= 1;
                match self.count[line] {
                    0 => sum -= lines[line],
                    1 => {
                        let left =
                            program.points_of_line(line).iter().find(|&&point| self.inside[usize::from(point)]);
                        self.entering[usize::from(*left.expect("a point is left"))] += lines[line];
                        sum += lines[line];
                    }
                    _ => {}
                }
            }
            let value = |&point: &u16| points[usize::from(point)];
            let largest = || self.members.iter().copied().reduce(|a, b| if value(&b) >= value(&a) { b } else { a });
            let point = target.or_else(largest).expect("a point is left");
            let broken_by = value(&point) - sum;
            if broken_by > best.as_ref().map_or(least, |(most, _)| most + 1e-9) {
                best = Some((broken_by, Loop { set: self.members.clone(), point }));
            }
        }
        best.map(|(_, mut found)| {
            found.set.sort_unstable();
            found
        })
    }

    /// Puts points whose column is 0 into the set where this makes the row stronger in other cases: where it has
    /// fewer lines then.
    fn widen(&self, program: &Program, points: &[f64], found: &mut Loop) {
        let mut inside = vec![false; points.len()];
        let mut count = vec![0u8; program.lines().len()];
        let put = |point: usize, inside: &mut [bool], count: &mut [u8]| {
            inside[point] = true;
            self.lines_of[point].iter().for_each(|&line| count[line] += 1);
        };
        found.set.iter().for_each(|&point| put(usize::from(point), &mut inside, &mut count));
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for point in 0..points.len() {
                if inside[point] || points[point] > ZERO {
                    continue;
                }
                let with = |wanted: u8| self.lines_of[point].iter().filter(|&&line| count[line] == wanted).count();
                if with(1) > with(0) {
                    put(point, &mut inside, &mut count);
                    changed = true;
                }
            }
        }
        found.set = (0..points.len() as u16).filter(|&point| inside[usize::from(point)]).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed::rng;
    use crate::morpion::geometry::{Point, cross};
    use crate::morpion::variant::Variant;
    use crate::notation::records::known;
    use crate::proofs::region::Region;
    use rand::RngExt;

    const ALL: LoopLimits = LoopLimits { targets: 1000, loops: 1000, broken_by: 0.0 };

    /// The known grids of a variant with their programs and the values of the columns.
    fn grids() -> impl Iterator<Item = (Program, Vec<f64>)> {
        known().unwrap().into_iter().map(|known| {
            let moves = &known.grid.moves;
            let drawn: Vec<Point> = moves.iter().map(|mv| mv.point()).collect();
            let region = Region::octagon(known.grid.variant, &drawn).unwrap();
            let program = Program::new(&region, moves.len() as u32);
            let points = program.points().iter().map(|point| moves.iter().any(|mv| mv.point() == *point));
            let lines = program.lines().iter().map(|line| moves.iter().any(|mv| mv.line() == *line));
            let values = points.chain(lines).map(|has| f64::from(u8::from(has))).collect();
            (program, values)
        })
    }

    #[test]
    fn no_grid_breaks_the_row_of_a_loop() {
        let mut rng = rng(7, &[]);
        for (program, values) in grids() {
            let mut finder = LoopFinder::new(&program);
            assert_eq!(finder.find(&program, &values, ALL), [], "{} {}", program.variant(), program.moves());
            for _ in 0..50 {
                let share = rng.random::<f64>();
                let points = 0..program.points().len() as u16;
                let set: Vec<u16> = points.filter(|_| rng.random::<f64>() < share).collect();
                for &point in &set {
                    let found = Loop { set: set.clone(), point };
                    assert!(found.fits(&program));
                    let row = found.row(&program);
                    let sum: f64 = row.entries.iter().map(|&(at, sign)| f64::from(sign) * values[at as usize]).sum();
                    assert!(sum <= 0.0, "seed 7, {} {}: {found:?}", program.variant(), program.moves());
                }
            }
        }
    }

    /// A square of 25 points far from the cross has ten lines in rows and columns, and none of its points can be
    /// reached.
    #[test]
    fn points_that_rest_on_themselves_are_found() {
        let points = (0..25).map(|at| Point::new(4 + at % 5, 4 + at / 5).unwrap());
        let region = Region::new(Variant::D5, points).unwrap();
        assert!(!region.added().iter().any(|point| cross(Variant::D5).contains(point)));
        let program = Program::new(&region, 10);
        let mut values = vec![1.0; program.columns()];
        let found = LoopFinder::new(&program).find(&program, &values, ALL);
        let row = found.first().expect("a loop").row(&program);
        let sum: f64 = row.entries.iter().map(|&(at, sign)| f64::from(sign) * values[at as usize]).sum();
        assert!(sum > 0.0 && found[0].fits(&program), "{found:?}");
        // Half a line is not enough to break the rule by more than a half.
        values.fill(0.5);
        let limits = LoopLimits { broken_by: 0.5, ..ALL };
        assert_eq!(LoopFinder::new(&program).find(&program, &values, limits), []);
        let wrong = [
            Loop { set: vec![], point: 0 },
            Loop { set: vec![0, 2], point: 1 },
            Loop { set: vec![2, 0], point: 0 },
            Loop { set: vec![1, 1], point: 1 },
            Loop { set: vec![0, 25], point: 0 },
        ];
        assert!(wrong.iter().all(|wrong| !wrong.fits(&program)));
    }
}
