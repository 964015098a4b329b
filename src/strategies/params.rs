//! The parameters of the strategies: each declared once, with default, range and help; the command line, the
//! configuration files and the state on disk all use these types.

use serde::{Deserialize, Serialize};

/// Which search is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, clap::ValueEnum)]
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
}

/// Order of the moves at a node of the depth-first search. *Weight*: new legal moves created less legal moves that
/// collide; *total* weights count moves, the others distinct new points; *lines*: least used direction first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
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
    /// The unit's best score divided by this number.
    BestOver(u32),
    /// This move number.
    Move(u32),
}

/// One rule of jumping back: after so many iterations without a new best, unwind to a move number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Jump {
    /// Iterations (recursive calls) since the last new best, the last jump of this rule or of a larger one.
    pub after: u64,
    /// Where to.
    pub to: JumpTo,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Adapt {
    /// One gradient step per move of the sequence (Rosin 2011).
    #[default]
    Sequence,
    /// One gradient step per layer: all moves of the grid that are legal at once (Nagorko et al. 2016).
    Layers,
}

/// Parameters of every strategy; each strategy reads its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// Which search.
    pub strategy: Strategy,
    /// DFS: after a move's subtree, later siblings no longer consider that move.
    pub order_free: bool,
    /// DFS: drop moves whose line only wastes room.
    pub eliminate_dominated: bool,
    /// DFS: order of the moves at a node.
    pub sort: Sort,
    /// DFS: jumps back.
    pub jumps: Jumps,
    /// DFS: the table that ends stalled units.
    pub stall: StallTable,
    /// NMCS, NRPA: nesting level, 1..=10.
    pub level: u32,
    /// NRPA: calls of the level below per call (N), 1..=1,000,000.
    pub iterations: u32,
    /// NRPA: step length of the policy's adaptation, above 0, at most 100.
    pub alpha: f64,
    /// NRPA: form of the adaptation.
    pub adapt: Adapt,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            strategy: Strategy::Dfs,
            order_free: true,
            eliminate_dominated: true,
            sort: Sort::Coords,
            jumps: Jumps::frequent(),
            stall: StallTable::thesis(),
            level: 3,
            iterations: 100,
            alpha: 1.0,
            adapt: Adapt::Sequence,
        }
    }
}
