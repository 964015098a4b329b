//! The parameters of the strategies as a typed value, which is also their form in saved hunts. What people see of
//! them, and how texts are read into them, is in [`table`](super::table).

pub use crate::core::setting::{BadValue as BadParam, parse_count};
use crate::morpion::geometry::Move;
use crate::morpion::start::Start;
use crate::morpion::symmetry::GridSymmetry;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which search is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Uniformly random games.
    Random,
    /// Depth-first search, order-free by default, with orderings and jumps back.
    #[default]
    Dfs,
    /// Nested Monte Carlo search.
    Nmcs,
    /// Nested rollout policy adaptation.
    Nrpa,
    /// Large-neighbourhood search from grids: takes away a part and completes it again.
    Perturb,
    /// Local search over priority orders, of which a greedy player makes grids.
    Permute,
    /// Parallel tempering: walks over grids at several temperatures, which exchange their grids.
    Temper,
    /// Walks over sets of lines that are lent a few points, at rising prices.
    Relax,
    /// Tempering until it is stuck, then grids made anew behind random beginnings of the longest ones, and reshaped.
    Regrow,
    /// Local search over the shapes of grids, their sets of points, which an exact solver fills with lines.
    Reshape,
}

/// Order of the moves at a node of the depth-first search. *Weight*: new legal moves created less legal moves that
/// collide; *total* weights count moves, the others distinct new points; *lines*: least used direction first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// As the moves appeared.
    No,
    /// Smaller x first, then smaller y.
    #[default]
    Coords,
    /// Larger total weight first, ties by lines.
    TotalWeightsLines,
    /// Only moves of the largest total weight.
    TotalWeightsMax,
    /// By lines, ties by larger total weight.
    LinesTotalWeights,
    /// Larger point weight first, ties by lines.
    WeightsLines,
    /// Only moves of the largest point weight.
    WeightsMax,
    /// By lines, ties by larger point weight.
    LinesWeights,
}

/// Where a jump back goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JumpTo {
    /// The best score divided by this number; [`JumpsFrom`] says whose.
    BestOver(u32),
    /// This move number.
    Move(u32),
}

/// One rule of jumping back: after so many iterations without a new best, unwind to a move number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Jump {
    /// Iterations (recursive calls) since the last new best, the last jump of this rule or of a larger one.
    pub after: u64,
    /// The move number that is unwound to.
    pub to: JumpTo,
}

/// Whose longest grid a jump back to a part of the best score is measured from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JumpsFrom {
    /// The unit's own.
    #[default]
    Unit,
    /// The hunt's when the unit was handed out ([`Unit::known_best`](super::Unit::known_best)), or the unit's own if
    /// that is longer.
    Hunt,
}

impl JumpsFrom {
    /// Whether it is [`JumpsFrom::Unit`]: settings saved before there was a choice do not name it.
    fn is_unit(&self) -> bool {
        *self == JumpsFrom::Unit
    }
}

/// The jumps, smallest first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Jumps(pub Vec<Jump>);

impl Jumps {
    /// 1 M iterations: half of the best; 5 M: a quarter; 20 M: move 10.
    pub fn frequent() -> Jumps {
        Jumps(vec![
            Jump { after: 1_000_000, to: JumpTo::BestOver(2) },
            Jump { after: 5_000_000, to: JumpTo::BestOver(4) },
            Jump { after: 20_000_000, to: JumpTo::Move(10) },
        ])
    }

    /// 30 M iterations: half of the best; 100 M: a quarter; 500 M: move 5.
    pub fn nonfrequent() -> Jumps {
        Jumps(vec![
            Jump { after: 30_000_000, to: JumpTo::BestOver(2) },
            Jump { after: 100_000_000, to: JumpTo::BestOver(4) },
            Jump { after: 500_000_000, to: JumpTo::Move(5) },
        ])
    }

    /// No jumps: the search is exact.
    pub fn none() -> Jumps {
        Jumps(Vec::new())
    }
}

/// The table that ends stalled units: rows `(score, iterations)`, ascending. A unit whose best is below a row's
/// score after that row's iterations is ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StallTable(pub Vec<(u32, u64)>);

impl StallTable {
    /// The thesis's table: 80 within 10 M, 90: 50 M, 110: 500 M, 120: 1000 M, 130: 5000 M, 140: 100000 M.
    pub fn thesis() -> StallTable {
        let million = 1_000_000;
        StallTable(vec![
            (80, 10 * million),
            (90, 50 * million),
            (110, 500 * million),
            (120, 1_000 * million),
            (130, 5_000 * million),
            (140, 100_000 * million),
        ])
    }

    /// Whether a unit with this best score has stalled after so many iterations.
    pub fn stalled(&self, best: u32, iterations: u64) -> bool {
        self.0.iter().any(|&(score, limit)| best < score && iterations >= limit)
    }

    /// The table with all iterations multiplied by `scale` (at least one iteration remains).
    pub fn scaled(&self, scale: f64) -> StallTable {
        StallTable(self.0.iter().map(|&(s, n)| (s, ((n as f64 * scale) as u64).max(1))).collect())
    }
}

/// How NRPA adapts its policy toward the best grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Adapt {
    /// One gradient step per move of the sequence (Rosin 2011).
    #[default]
    Sequence,
    /// One gradient step per layer: all moves of the grid that are legal at once (Nagorko et al. 2016).
    Layers,
}

/// What a step of the perturbation search takes away from a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// One or two lines, or what stands in the way of one or two others, with all that depends on it.
    Lines,
    /// The moves in a square about one of them.
    Region,
    /// The last moves.
    Suffix,
}

/// A choice of operators: `lines` first if it is among them, none twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Operators(pub Vec<Operator>);

/// `lines`, `region`, `suffix`, with commas between.
impl FromStr for Operators {
    type Err = BadParam;

    fn from_str(text: &str) -> Result<Operators, BadParam> {
        let mut operators = Vec::new();
        for name in text.split(',') {
            let operator = match name.trim() {
                "lines" => Operator::Lines,
                "region" => Operator::Region,
                "suffix" => Operator::Suffix,
                other => {
                    return bad(format!(
                        "'{other}' is not a valid operator: expected lines, region, suffix, or several of them with commas between"
                    ));
                }
            };
            if operators.contains(&operator) {
                return bad(format!("'{}' is given more than once", name.trim()));
            }
            operators.push(operator);
        }
        operators.sort_by_key(|operator| *operator as u32);
        Ok(Operators(operators))
    }
}

impl fmt::Display for Operators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self
            .0
            .iter()
            .map(|operator| match operator {
                Operator::Lines => "lines",
                Operator::Region => "region",
                Operator::Suffix => "suffix",
            })
            .collect();
        f.write_str(&names.join(","))
    }
}

/// Parameters of every strategy; each strategy reads its own. Their ranges, defaults and help are in
/// [`table`](super::table).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// The search that is run.
    pub strategy: Strategy,
    /// DFS: after a move's subtree, later siblings no longer consider that move.
    pub order_free: bool,
    /// DFS: drop moves whose line only wastes room.
    pub eliminate_dominated: bool,
    /// DFS: order of the moves at a node.
    pub sort: Sort,
    /// DFS: jumps back.
    pub jumps: Jumps,
    /// DFS: whose longest grid the jumps are measured from.
    #[serde(skip_serializing_if = "JumpsFrom::is_unit")]
    pub jumps_from: JumpsFrom,
    /// DFS: the table that ends stalled units.
    pub stall: StallTable,
    /// Nesting level of the outermost search.
    pub level: Option<u32>,
    /// Calls of the level below per call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u32>,
    /// Step length of the adaptation.
    pub alpha: f64,
    /// Playouts of level 1 from one adaptation to the next.
    #[serde(default = "unstabilized")]
    pub stabilize: u32,
    /// Form of the adaptation.
    pub adapt: Adapt,
    /// The level whose calls the workers make, if they share a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<u32>,
    /// Calls in flight in a shared search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// What a step of the perturbation takes away.
    pub operators: Operators,
    /// Moves of a grid that a step keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<u32>,
    /// Playouts of a completion.
    pub completion: u32,
    /// Grids that are kept to work on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<u32>,
    /// Iterations without a longer grid that end a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<u64>,
    /// Exchanges of a step at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swaps: Option<u32>,
    /// How many moves a step of a walk takes out, as a scale of probability.
    pub reach: f64,
    /// Walks of a tempering.
    pub replicas: u32,
    /// Further walks that refine.
    pub refiners: u32,
    /// Temperature of the hottest walk, in moves; with a symmetry, in pairs of moves.
    pub hot: f64,
    /// Temperature of the coldest walk, likewise.
    pub cold: f64,
    /// The symmetry of the grids that are searched; none for all grids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symmetry: Option<GridSymmetry>,
    /// The points that a game begins with.
    #[serde(skip_serializing_if = "Start::is_cross")]
    pub start: Start,
    /// The grids to begin with; without any, each run begins anew.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grids: Vec<Vec<Move>>,
}

/// Largest value of [`Params::level`].
pub const MAX_LEVEL: u32 = 10;
/// Largest value of [`Params::width`].
pub const MAX_WIDTH: u32 = 1024;

/// Hunts begun before there was a choice adapt after each playout.
const fn unstabilized() -> u32 {
    1
}

fn bad<T>(text: String) -> Result<T, BadParam> {
    Err(BadParam(text))
}

/// `no`, `frequent`, `nonfrequent`, or rules `after:best/N` and `after:MOVE` with commas between, smallest first.
impl FromStr for Jumps {
    type Err = BadParam;

    fn from_str(text: &str) -> Result<Jumps, BadParam> {
        match text {
            "no" => return Ok(Jumps::none()),
            "frequent" => return Ok(Jumps::frequent()),
            "nonfrequent" => return Ok(Jumps::nonfrequent()),
            _ => {}
        }
        let expected = "expected frequent, nonfrequent, no, or rules such as 1M:best/2,20M:10";
        let mut rules: Vec<Jump> = Vec::new();
        for rule in text.split(',') {
            let Some((after, to)) = rule.split_once(':') else { return bad(expected.to_owned()) };
            let after = parse_count(after.trim())?;
            let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&n| n > 0);
            let to = match to.trim().strip_prefix("best/") {
                Some(divisor) => number(divisor).map(JumpTo::BestOver),
                None => number(to).map(JumpTo::Move),
            };
            let Some(to) = to else { return bad(format!("'{rule}' is not a valid rule: {expected}")) };
            if after == 0 || rules.last().is_some_and(|last| last.after >= after) {
                return bad(format!("'{rule}': the iterations must be above 0 and rise from rule to rule"));
            }
            rules.push(Jump { after, to });
        }
        Ok(Jumps(rules))
    }
}

impl fmt::Display for Jumps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Jumps::none() {
            return f.write_str("no");
        }
        if *self == Jumps::frequent() {
            return f.write_str("frequent");
        }
        if *self == Jumps::nonfrequent() {
            return f.write_str("nonfrequent");
        }
        for (i, rule) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            match rule.to {
                JumpTo::BestOver(divisor) => write!(f, "{comma}{}:best/{divisor}", rule.after)?,
                JumpTo::Move(number) => write!(f, "{comma}{}:{number}", rule.after)?,
            }
        }
        Ok(())
    }
}

/// Rows of a score and a number of iterations, in lines or with commas between, blanks or a colon between the two;
/// `#` begins a comment. An empty table ends no unit.
impl FromStr for StallTable {
    type Err = BadParam;

    fn from_str(text: &str) -> Result<StallTable, BadParam> {
        let mut rows: Vec<(u32, u64)> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default();
            for row in line.split(',').map(str::trim).filter(|row| !row.is_empty()) {
                let mut fields = row.split(|c: char| c == ':' || c.is_whitespace()).filter(|f| !f.is_empty());
                let (Some(score), Some(iterations), None) = (fields.next(), fields.next(), fields.next()) else {
                    return bad(format!(
                        "line {number}: '{row}' is not a valid row: expected a score and iterations"
                    ));
                };
                let Ok(score) = score.parse::<u32>() else {
                    return bad(format!("line {number}: '{score}' is not a valid score"));
                };
                let iterations = match parse_count(iterations) {
                    Ok(iterations) => iterations,
                    Err(error) => return bad(format!("line {number}: {error}")),
                };
                if rows.last().is_some_and(|&(s, i)| s >= score || i >= iterations) {
                    return bad(format!("line {number}: scores and iterations must rise from row to row"));
                }
                rows.push((score, iterations));
            }
        }
        Ok(StallTable(rows))
    }
}

/// The rows, as they are read.
impl fmt::Display for StallTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<String> = self.0.iter().map(|(score, iterations)| format!("{score}:{iterations}")).collect();
        f.write_str(&rows.join(","))
    }
}

impl Default for Params {
    fn default() -> Params {
        Params {
            strategy: Strategy::Dfs,
            order_free: true,
            eliminate_dominated: true,
            sort: Sort::Coords,
            jumps: Jumps::frequent(),
            jumps_from: JumpsFrom::Unit,
            stall: StallTable::thesis(),
            level: None,
            iterations: None,
            alpha: 1.0,
            stabilize: 2,
            adapt: Adapt::Sequence,
            share: None,
            width: None,
            operators: Operators(vec![Operator::Lines, Operator::Region, Operator::Suffix]),
            keep: None,
            completion: 1,
            pool: None,
            patience: None,
            swaps: None,
            reach: 40.0,
            replicas: 16,
            refiners: 4,
            hot: 2.0,
            cold: 0.3,
            symmetry: None,
            start: Start::CROSS,
            grids: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_are_read_as_they_are_written() {
        for text in ["no", "frequent", "nonfrequent", "7:best/3", "1000:best/2,2000:9"] {
            assert_eq!(text.parse::<Jumps>().unwrap().to_string(), text);
        }
        assert_eq!("1M:best/2, 5M:best/4,20M:10".parse::<Jumps>().unwrap(), Jumps::frequent());
        for text in ["", "often", "5", "5:", "5:best/0", "5:x", "0:3", "9:3,9:2", "9:3,8:2", "99999999999999999999:1"]
        {
            assert!(text.parse::<Jumps>().is_err(), "{text}");
        }
    }

    #[test]
    fn stall_tables_are_read_in_lines_and_in_rows() {
        let lines = "# the thesis's\n80 10M\n90\t50_000_000 # early\n\n110: 500M\n120 1G\n130 5G\n140 100G\n";
        assert_eq!(lines.parse::<StallTable>().unwrap(), StallTable::thesis());
        assert_eq!("80:10M, 90:50M".parse::<StallTable>().unwrap().0, [(80, 10_000_000), (90, 50_000_000)]);
        assert_eq!("".parse::<StallTable>().unwrap().0, []);
        let error = "80 10M\n70 20M".parse::<StallTable>().unwrap_err();
        assert_eq!(error.to_string(), "line 2: scores and iterations must rise from row to row");
        for text in ["80", "80 1 2", "x 1", "80 -1"] {
            assert!(text.parse::<StallTable>().is_err(), "{text}");
        }
    }
}
