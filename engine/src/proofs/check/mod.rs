//! The check of a proof: a second, plain program that shares nothing with the one that makes proofs but the geometry
//! of the puzzle. It trusts no float and no solver.
//!
//! It builds the rows of the linear program from the descriptions in `proofs::program` and `proofs::loops`, walks the
//! tree, evaluates each witness in integers, and decides each complete set of points by a search of its own. A proof
//! that it accepts as a whole shows that there is no grid of `n` or more moves inside the region: a longer grid
//! begins with one of `n`.

mod reader;
mod rules;
mod shape;

use crate::morpion::variant::Variant;
use reader::{FrameReader, Stated, StepNumbers};
use rules::{CheckRules, Spot};
use std::collections::{HashMap, VecDeque};

/// Why a proof is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefusedProof {
    /// The file is not one of a proof, or damaged.
    #[error("the file is not a whole proof: {0}")]
    Damaged(String),
    /// A step does not follow.
    #[error("unit {unit}, step {step}: {reason}")]
    Wrong {
        /// The number of the unit.
        unit: u64,
        /// The number of the step in it, from 1.
        step: u64,
        /// What is wrong.
        reason: String,
    },
}

/// What a checked proof shows.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedProof {
    /// The variant it is about.
    pub variant: Variant,
    /// The number of moves that no grid inside the region has.
    pub moves: u32,
    /// How the proof itself calls its region; not checked.
    pub region: String,
    /// Points of the region beyond the cross.
    pub points: usize,
    /// Extents of the region: least and greatest `x`, `y`, `x + y` and `x - y`; with the cross at its usual place.
    pub extents: [(i32, i32); 4],
    /// Whether the region has all points within these extents.
    pub is_octagon: bool,
    /// Units that are open; none if the proof is complete.
    pub open: u64,
    /// The closed part: the sum of `2^-depth` over closed cases.
    pub closed: f64,
    /// Units in the file.
    pub units: u64,
    /// Witnesses that were evaluated.
    pub witnesses: u64,
    /// Loops whose rows witnesses may name.
    pub loops: u64,
    /// Complete sets of points, each refuted by a search.
    pub shapes: u64,
    /// Nodes of these searches.
    pub nodes: u64,
}

impl CheckedProof {
    /// Whether nothing is open.
    pub fn is_complete(&self) -> bool {
        self.open == 0
    }
}

/// The bounds of the points: least and greatest value.
type PointBounds = Vec<(i128, i128)>;

/// Rows of the linear program, and what is needed to evaluate them.
struct CheckedRows {
    points: Vec<Spot>,
    /// Of each line, its points beyond the cross.
    lines: Vec<Vec<usize>>,
    rows: Vec<CheckedRow>,
}

/// Columns with coefficients, the bound, and whether it is an equation.
type CheckedRow = (Vec<(usize, i128)>, i128, bool);

/// Checks the bytes of a proof. `progress` is called with the number of units done and read.
///
/// # Errors
/// If it is damaged, or a step does not follow. A proof with open units is no error: they are counted.
pub fn check(bytes: &[u8], progress: &mut dyn FnMut(u64, u64)) -> Result<CheckedProof, RefusedProof> {
    let (stated, mut units) = FrameReader::read(bytes)?;
    let rules = CheckRules::new(stated.variant);
    let rows = CheckedRows::new(&rules, &stated)?;
    let (extents, is_octagon) = extents(&rules, &stated.points);
    let mut done = CheckedProof {
        variant: stated.variant,
        moves: stated.moves,
        region: stated.region.clone(),
        points: stated.points.len(),
        extents,
        is_octagon,
        open: 0,
        closed: 0.0,
        units: units.len() as u64,
        witnesses: 0,
        loops: 0,
        shapes: 0,
        nodes: 0,
    };
    // Units get their numbers in the order in which the file has those that hand them on.
    let mut cases: HashMap<u64, (PointBounds, i32)> = HashMap::from([(0, (vec![(0, 1); rows.points.len()], 0))]);
    let (mut next, all) = (1, units.len() as u64);
    let mut count = 0;
    while let Some((unit, steps)) = units.pop_front() {
        let case = cases.remove(&unit).ok_or_else(|| RefusedProof::Damaged(format!("unit {unit} is not open")))?;
        let handed = Walk { rows: &rows, rules: &rules, moves: i128::from(stated.moves), unit, done: &mut done }
            .walk(case, StepNumbers::new(steps))?;
        for case in handed {
            cases.insert(next, case);
            next += 1;
        }
        count += 1;
        progress(count, all);
    }
    done.open = cases.len() as u64;
    Ok(done)
}

/// The walk through the steps of one unit.
struct Walk<'a> {
    rows: &'a CheckedRows,
    rules: &'a CheckRules,
    moves: i128,
    unit: u64,
    done: &'a mut CheckedProof,
}

impl Walk<'_> {
    fn walk(
        &mut self,
        case: (PointBounds, i32),
        mut bytes: StepNumbers,
    ) -> Result<VecDeque<(PointBounds, i32)>, RefusedProof> {
        let (mut stack, mut handed, mut step) = (vec![case], VecDeque::new(), 0);
        let mut loops = Vec::new();
        while let Some((mut bounds, depth)) = stack.pop() {
            step += 1;
            let unit = self.unit;
            let wrong = |reason: String| RefusedProof::Wrong { unit, step, reason };
            let volume = 0.5f64.powi(depth.min(1000));
            match bytes.byte().map_err(wrong)? {
                0 => {
                    self.refuted(&bounds).map_err(wrong)?;
                    self.done.closed += volume;
                }
                1 => handed.push_back((bounds, depth)),
                kind @ 2..=3 => {
                    let point = usize::try_from(bytes.number().map_err(wrong)?).unwrap_or(usize::MAX);
                    if bounds.get(point) != Some(&(0, 1)) {
                        return Err(wrong(format!("point {point} is not open in the case that is split")));
                    }
                    let first = i128::from(kind == 3);
                    let mut second = bounds.clone();
                    second[point] = (1 - first, 1 - first);
                    bounds[point] = (first, first);
                    stack.push((second, depth + 1));
                    stack.push((bounds, depth + 1));
                }
                4 => {
                    let witness = bytes.witness().map_err(wrong)?;
                    self.done.witnesses += 1;
                    if self.rows.closes(&witness, &loops, &mut bounds).map_err(wrong)? {
                        self.done.closed += volume;
                    } else {
                        stack.push((bounds, depth));
                    }
                }
                5 => {
                    let (set, point) = bytes.point_set().map_err(wrong)?;
                    loops.push(self.rows.of_loop(&set, point).map_err(wrong)?);
                    self.done.loops += 1;
                    stack.push((bounds, depth));
                }
                other => return Err(wrong(format!("byte {other} does not begin a step"))),
            }
        }
        if !bytes.is_empty() {
            return Err(RefusedProof::Damaged(format!("unit {} goes on after its tree is complete", self.unit)));
        }
        Ok(handed)
    }

    /// Refutes a case that leaves one set of points.
    fn refuted(&mut self, bounds: &PointBounds) -> Result<(), String> {
        let inside: i128 = bounds.iter().map(|&(low, _)| low).sum();
        let possible: i128 = bounds.iter().map(|&(_, high)| high).sum();
        let has = |&(low, high): &(i128, i128)| {
            if inside == self.moves || inside == possible { low == 1 } else { high == 1 }
        };
        if inside != self.moves && possible != self.moves && inside != possible {
            return Err("a case is called refuted that leaves several sets of points".to_owned());
        }
        let points = bounds.iter().zip(&self.rows.points).filter(|(bounds, _)| has(bounds));
        let points: Vec<Spot> = points.map(|(_, &point)| point).collect();
        self.done.shapes += 1;
        if points.len() as i128 != self.moves {
            return Ok(());
        }
        let (found, nodes) = shape::has_grid(self.rules, &points);
        self.done.nodes += nodes;
        if found { Err(format!("there is a grid with these {} points", points.len())) } else { Ok(()) }
    }
}

/// Least and greatest `x`, `y`, `x + y`, `x - y` of points and cross; whether nothing is missing within.
fn extents(rules: &CheckRules, points: &[Spot]) -> ([(i32, i32); 4], bool) {
    let all: Vec<Spot> = rules.cross.iter().chain(points).copied().collect();
    let values = |(x, y): Spot| [x, y, x + y, x - y];
    let mut extents = [(i32::MAX, i32::MIN); 4];
    for &point in &all {
        for (extent, value) in extents.iter_mut().zip(values(point)) {
            *extent = (extent.0.min(value), extent.1.max(value));
        }
    }
    let inside = |point: Spot| extents.iter().zip(values(point)).all(|(e, value)| (e.0..=e.1).contains(&value));
    let within: usize = (extents[1].0..=extents[1].1)
        .map(|y| (extents[0].0..=extents[0].1).filter(|&x| inside((x, y))).count())
        .sum();
    (extents, within == all.len())
}

impl CheckedRows {
    fn new(rules: &CheckRules, stated: &Stated) -> Result<CheckedRows, RefusedProof> {
        let points = stated.points.clone();
        // By rows, as points are numbered.
        let by_rows = |&(x, y): &Spot| (y, x);
        if !points.is_sorted_by(|a, b| by_rows(a) < by_rows(b)) {
            return Err(RefusedProof::Damaged("the points of the region are not in order".to_owned()));
        }
        if let Some((x, y)) = points.iter().find(|point| rules.cross.contains(point)) {
            return Err(RefusedProof::Damaged(format!("point ({x},{y}) of the region is one of the cross")));
        }
        let mut column: HashMap<Spot, Option<usize>> = rules.cross.iter().map(|&point| (point, None)).collect();
        column.extend(points.iter().enumerate().map(|(number, &point)| (point, Some(number))));
        let mut all: Vec<Spot> = column.keys().copied().collect();
        all.sort_by_key(by_rows);

        // Lines and the cells that they cover, in the order of directions and first points.
        let (mut lines, mut covered) = (Vec::new(), HashMap::new());
        for direction in 0..4 {
            for &first in &all {
                let line = rules.line(direction, first);
                if line.iter().all(|point| column.contains_key(point)) {
                    for cell in rules.cells(direction, first) {
                        covered.entry(cell).or_insert_with(Vec::new).push((points.len() + lines.len(), 1));
                    }
                    lines.push(line.iter().filter_map(|point| column[point]).collect::<Vec<usize>>());
                }
            }
        }
        let mut rows = Vec::new();
        for direction in 0..4 {
            for &first in &all {
                let Some(covering) = covered.get(&(direction, first)) else { continue };
                let second = (!rules.disjoint).then(|| CheckRules::step(direction, first, 1));
                let new: Vec<usize> =
                    [Some(first), second].into_iter().flatten().filter_map(|point| column[&point]).collect();
                if new.is_empty() {
                    rows.push((covering.clone(), 1, false));
                }
                for point in new {
                    let mut entries = covering.clone();
                    entries.push((point, -1));
                    rows.push((entries, 0, false));
                }
            }
        }
        for point in 0..points.len() {
            let on_it = lines.iter().enumerate().filter(|(_, own)| own.contains(&point));
            let mut entries: Vec<(usize, i128)> = on_it.map(|(line, _)| (points.len() + line, -1)).collect();
            entries.push((point, 1));
            rows.push((entries, 0, false));
        }
        let moves = i128::from(stated.moves);
        let ones = |columns: std::ops::Range<usize>| columns.map(|column| (column, 1)).collect();
        rows.push((ones(0..points.len()), moves, true));
        rows.push((ones(points.len()..points.len() + lines.len()), moves, true));
        Ok(CheckedRows { points, lines, rows })
    }

    /// The row of a loop: a grid with the point has a line with exactly one point of the set.
    fn of_loop(&self, set: &[u64], point: u64) -> Result<CheckedRow, String> {
        let mut inside = vec![false; self.points.len()];
        for &member in set {
            let member = usize::try_from(member).ok().and_then(|member| inside.get_mut(member));
            *member.ok_or("a loop has a point that does not exist")? = true;
        }
        let point = usize::try_from(point).unwrap_or(usize::MAX);
        if inside.get(point) != Some(&true) {
            return Err("the point of a loop is not in its set".to_owned());
        }
        let enters = |own: &[usize]| own.iter().filter(|&&point| inside[point]).count() == 1;
        let entering = self.lines.iter().enumerate().filter(|(_, own)| enters(own));
        let mut entries: Vec<(usize, i128)> = entering.map(|(line, _)| (self.points.len() + line, -1)).collect();
        entries.push((point, 1));
        Ok((entries, 0, false))
    }

    /// Whether the witness closes the case; if it does not, the points that it decides are put into the bounds.
    fn closes(
        &self,
        witness: &[(u64, i128)],
        loops: &[CheckedRow],
        bounds: &mut PointBounds,
    ) -> Result<bool, String> {
        let mut sums = vec![0i128; self.points.len() + self.lines.len()];
        let mut right = 0i128;
        for &(row, by) in witness {
            let row = usize::try_from(row).ok().and_then(|row| self.rows.iter().chain(loops).nth(row));
            let (entries, bound, equation) = row.ok_or("a witness names a row that does not exist")?;
            if by < 0 && !equation {
                return Err("a witness has a negative multiplier at a row that is not an equation".to_owned());
            }
            right += by * bound;
            entries.iter().for_each(|&(column, sign)| sums[column] += by * sign);
        }
        let least = self.least(&sums, bounds);
        if least > right {
            return Ok(true);
        }
        // A point that has only one value left takes it; if it has none, the case is closed.
        let mut narrowed = bounds.clone();
        let mut decided = 0;
        for point in 0..bounds.len() {
            if bounds[point] != (0, 1) {
                continue;
            }
            let mut impossible = [0, 1].map(|value| {
                let kept = std::mem::replace(&mut bounds[point], (value, value));
                let closed = self.least_changed(&sums, bounds, point, kept, least) > right;
                bounds[point] = kept;
                closed
            });
            match &mut impossible {
                [true, true] => return Ok(true),
                [true, false] => narrowed[point] = (1, 1),
                [false, true] => narrowed[point] = (0, 0),
                _ => continue,
            }
            decided += 1;
        }
        if decided == 0 {
            return Err("a witness neither closes its case nor decides a point".to_owned());
        }
        *bounds = narrowed;
        Ok(false)
    }

    /// The least value of the sums within the bounds; a line is at most 1, and 0 if one of its points is.
    fn least(&self, sums: &[i128], bounds: &PointBounds) -> i128 {
        let of_points: i128 = bounds.iter().zip(sums).map(|(&(low, high), &sum)| (sum * low).min(sum * high)).sum();
        let of_lines = self.lines.iter().zip(&sums[self.points.len()..]);
        let possible = of_lines.filter(|(line, _)| line.iter().all(|&point| bounds[point].1 == 1));
        of_points + possible.map(|(_, &sum)| sum.min(0)).sum::<i128>()
    }

    /// The same where the bounds of one point have changed, from the value before.
    fn least_changed(
        &self,
        sums: &[i128],
        bounds: &PointBounds,
        point: usize,
        before: (i128, i128),
        least: i128,
    ) -> i128 {
        let own = |(low, high): (i128, i128)| (sums[point] * low).min(sums[point] * high);
        let mut changed = least - own(before) + own(bounds[point]);
        if bounds[point].1 == 0 && before.1 == 1 {
            for (line, &sum) in self.lines.iter().zip(&sums[self.points.len()..]) {
                if line.contains(&point) && line.iter().all(|&other| other == point || bounds[other].1 == 1) {
                    changed -= sum.min(0);
                }
            }
        }
        changed
    }
}
