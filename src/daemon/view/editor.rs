//! The editor of game trees of Go: trees, positions in them, tactical questions about these, and patterns.

use super::score::GoScoreView;
use super::tactics::TacticsAnswerView;
use crate::games::go::scoring::ScoringRules;
use crate::jobs::tactics::AttackSource;
use crate::tactics::goal::TacticalGoal;
use crate::tactics::solve::USUAL_NODES;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A property of a node of a game tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SgfPropertyView {
    /// Its name in SGF: capital letters, and perhaps digits.
    #[schema(max_length = 64, example = "B")]
    pub name: String,
    /// Its values as they are in a file, with their escapes; at least one.
    pub values: Vec<String>,
}

/// A node of a game tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SgfNodeView {
    /// The place of the node above it in the list, which is before its own; null for the first node of a game.
    #[serde(default)]
    pub parent: Option<u32>,
    /// Its properties without the comment, each name once.
    #[serde(default)]
    pub properties: Vec<SgfPropertyView>,
    /// Its comment (`C`) as a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// The game trees of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SgfTreesView {
    /// Version of this document.
    pub v: u32,
    /// The nodes, each after the one above it; the first variation of a node comes first.
    pub nodes: Vec<SgfNodeView>,
    /// What was mended in the text, and the games whose boards have another size than the program knows.
    pub notices: Vec<String>,
}

/// The body of `POST /api/v1/editor/write`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SgfTreesRequest {
    /// The nodes, each after the one above it.
    #[schema(max_items = 10000)]
    pub nodes: Vec<SgfNodeView>,
}

/// A file in SGF.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SgfTextView {
    /// Version of this document.
    pub v: u32,
    /// The text of the file.
    pub text: String,
}

/// The body of `POST /api/v1/editor/position`: a node of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EditedNodeRequest {
    /// Nodes of a tree, each after the one above it. Those on the way to the node are enough.
    #[schema(max_items = 10000)]
    pub nodes: Vec<SgfNodeView>,
    /// The place of the node in the list.
    pub at: u32,
}

/// The position at a node of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EditedPositionView {
    /// Version of this document.
    pub v: u32,
    /// Columns of the board.
    pub width: u32,
    /// Rows of the board.
    pub height: u32,
    /// The points by rows from the upper left: `X` black, `O` white, `.` empty.
    pub cells: String,
    /// The side to move: `black`, `white`.
    pub side: String,
    /// The legal moves by name; `pass` is one of them.
    pub legal: Vec<String>,
    /// The move of the node, if it has one: the name of its point, or `pass`.
    pub last: Option<String>,
    /// The point that a ko forbids.
    pub ko: Option<String>,
    /// What is wrong with a node on the way. The position is that before it, and nothing is legal.
    pub fault: Option<String>,
}

/// The body of `POST /api/v1/editor/solve`: a tactical question about the position at a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EditedQuestionRequest {
    /// Nodes of a tree, each after the one above it. Those on the way to the node are enough.
    #[schema(max_items = 10000)]
    pub nodes: Vec<SgfNodeView>,
    /// The place of the node in the list.
    pub at: u32,
    /// What the side to move wants.
    #[schema(value_type = String, example = "capture")]
    pub goal: TacticalGoal,
    /// A stone of the chain, such as `d4`, or of the first of two.
    #[schema(max_length = 8)]
    pub target: String,
    /// A stone of the second chain, for the goals `connect` and `cut`.
    #[serde(default)]
    #[schema(max_length = 8)]
    pub with: Option<String>,
    /// The points where the attacker plays, for the goals `kill` and `live`: rectangles and points, such as
    /// `a1:f4,h2`. Without it, what is around the chain up to strong chains of the other side.
    #[serde(default)]
    #[schema(max_length = 2000)]
    pub region: Option<String>,
    /// Nodes of each reading.
    #[serde(default = "usual_budget")]
    #[schema(minimum = 1, maximum = 1000000)]
    pub budget: u64,
    /// Where the attacker's moves come from: `generators`, `patterns`, `both`.
    #[serde(default)]
    #[schema(value_type = String, example = "generators")]
    pub moves: AttackSource,
    /// A file of patterns in SGF; without it, those that come with the program.
    #[serde(default)]
    pub patterns: Option<String>,
}

fn usual_budget() -> u64 {
    USUAL_NODES
}

/// The answer to a question about the position at a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EditedAnswerView {
    /// Version of this document.
    pub v: u32,
    /// The question and its answer. It is `unknown` if the time was used up.
    #[serde(flatten)]
    pub answer: TacticsAnswerView,
    /// Whether the time was used up before the budget of nodes.
    pub out_of_time: bool,
    /// The proof that the attacker reaches its goal, if it does: its positions, the one asked about first.
    pub proof: Vec<ProofPositionView>,
    /// Positions of the proof that are left out.
    pub proof_left_out: u64,
    /// The zones of the positions of the proof, each once: the points that what follows rests on, as rectangles and
    /// points, such as `a4:f1,h2`.
    #[serde(default)]
    pub proof_zones: Vec<String>,
    /// Of each position of the proof the place of its zone in that list.
    #[serde(default)]
    pub proof_zone_numbers: Vec<u32>,
    /// The moves of both sides by turns, if the chain is captured in a ladder.
    #[serde(default)]
    pub ladder: Option<Vec<String>>,
    /// Seconds that it took.
    pub seconds: f64,
}

/// A position of a proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProofPositionView {
    /// The side to move: `black`, `white`.
    pub side: String,
    /// Whether that is the attacker, who needs one move; of the defender these are all moves that matter, and the
    /// answer to `pass` is the one to any other move.
    pub attacker: bool,
    /// The moves; none if the goal is reached.
    pub moves: Vec<ProofMoveView>,
}

/// A move of a proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProofMoveView {
    /// The name of its point, or `pass`.
    #[serde(rename = "move")]
    pub name: String,
    /// The place of the position after it in the proof; null if the goal is reached or the position is left out.
    pub next: Option<u32>,
}

/// The body of `POST /api/v1/editor/score`: the position at a node as a finished game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EditedScoreRequest {
    /// Nodes of a tree, each after the one above it. Those on the way to the node are enough.
    #[schema(max_items = 10000)]
    pub nodes: Vec<SgfNodeView>,
    /// The place of the node in the list.
    pub at: u32,
    /// A stone of each dead chain, such as `d4`.
    #[serde(default)]
    #[schema(max_items = 361)]
    pub dead: Vec<String>,
    /// A stone of each chain in seki: its eyes are no territory; they count by area.
    #[serde(default)]
    #[schema(max_items = 361)]
    pub seki: Vec<String>,
    /// What is counted: `territory`, `area`. Without it, what `RU` of the game's first node says, or territory.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "territory")]
    pub rules: Option<ScoringRules>,
    /// What white gets, a text of whole or half points. Without it, `KM` of the game's first node, or 0.
    #[serde(default)]
    #[schema(max_length = 8, example = "6.5")]
    pub komi: Option<String>,
}

/// The position at a node as it was counted. Stones captured on the way to the node are counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EditedScoreView {
    /// Version of this document.
    pub v: u32,
    /// What both sides have.
    #[serde(flatten)]
    pub score: GoScoreView,
}

/// The body of `POST /api/v1/editor/patterns`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PatternsRequest {
    /// A file of patterns in SGF; without it, those that come with the program.
    #[serde(default)]
    pub patterns: Option<String>,
}

/// A file of patterns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PatternsView {
    /// Version of this document.
    pub v: u32,
    /// The patterns in the order of the file.
    pub items: Vec<PatternView>,
    /// The file in SGF.
    pub text: String,
    /// What was mended in the text that was sent.
    pub notices: Vec<String>,
}

/// A pattern, for black to play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PatternView {
    /// What it is called; it may be empty.
    pub name: String,
    /// What it is good for: `universal`, `capture`, `connect`.
    pub goal: String,
    /// `shape` or `tesuji`.
    pub kind: String,
    /// Columns of its rectangle.
    pub width: u8,
    /// Rows of its rectangle.
    pub height: u8,
    /// Its points by rows from the upper left: `X` black, `O` white, `.` empty, `x` black or empty, `o` white or
    /// empty, `*` black or white, `?` any.
    pub cells: String,
    /// The sides that are on the edge of the board: some of `L`, `T`, `R`, `B`.
    pub edges: String,
    /// A stone of each chain that the goal is about: columns as letters, rows from the lower edge of the rectangle.
    pub targets: Vec<String>,
    /// The moves of a tesuji, each after the one that it follows.
    pub moves: Vec<PatternMoveView>,
}

/// A move of a tesuji.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PatternMoveView {
    /// The side that moves: `black`, `white`.
    pub side: String,
    /// The name of its point in the rectangle.
    #[serde(rename = "move")]
    pub name: String,
    /// The place of the move before it; null for a first one.
    pub parent: Option<u32>,
}

/// A rectangle of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RectangleView {
    /// Its first column, from 0.
    pub x: u8,
    /// Its first row from the top, from 0.
    pub y: u8,
    /// How many columns it has.
    #[schema(minimum = 1, maximum = 19)]
    pub width: u8,
    /// How many rows it has.
    #[schema(minimum = 1, maximum = 19)]
    pub height: u8,
}

/// The body of `POST /api/v1/editor/patterns/add`: the position at a node, or a part of it, as a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddPatternRequest {
    /// Nodes of a tree, each after the one above it: those on the way to the node, and for a tesuji those below it.
    #[schema(max_items = 10000)]
    pub nodes: Vec<SgfNodeView>,
    /// The place of the node in the list.
    pub at: u32,
    /// The file of patterns in SGF that it is added to; without it, the patterns that come with the program.
    #[serde(default)]
    pub patterns: Option<String>,
    /// What it is called.
    #[serde(default)]
    #[schema(max_length = 200)]
    pub name: String,
    /// What it is good for: `universal`, `capture`, `connect`.
    pub goal: String,
    /// Whether the moves below the node belong to it: then it is a tesuji, else a shape.
    #[serde(default)]
    pub tesuji: bool,
    /// Whether its colours are exchanged: patterns are for black to play.
    #[serde(default)]
    pub inverted: bool,
    /// Whether it fits only where its sides are on the edge of the board that are so here.
    #[serde(default)]
    pub edges: bool,
    /// The part of the board; without it, the whole board.
    #[serde(default)]
    pub rectangle: Option<RectangleView>,
    /// Stones of the chains that the goal is about, such as `d4`.
    #[serde(default)]
    #[schema(max_items = 2)]
    pub targets: Vec<String>,
}

/// The body of `POST /api/v1/editor/match`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchPatternsRequest {
    /// Nodes of a tree, each after the one above it. Those on the way to the node are enough.
    #[schema(max_items = 10000)]
    pub nodes: Vec<SgfNodeView>,
    /// The place of the node in the list.
    pub at: u32,
    /// A file of patterns in SGF; without it, those that come with the program.
    #[serde(default)]
    pub patterns: Option<String>,
}

/// The patterns that fit a position, for the side to move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MatchedPatternsView {
    /// Version of this document.
    pub v: u32,
    /// The side to move: `black`, `white`.
    pub side: String,
    /// The moves that are proposed, each with a pattern that proposes it.
    pub moves: Vec<MatchedMoveView>,
    /// The moves of all these patterns as variations: nodes, each after the one above it. Those without a node above
    /// belong below the node that was asked about.
    pub nodes: Vec<SgfNodeView>,
    /// Moves that are left out because there are too many.
    pub left_out: u64,
}

/// A move that a pattern proposes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MatchedMoveView {
    /// The name of its point.
    #[serde(rename = "move")]
    pub name: String,
    /// The number of the pattern in the file, from 1.
    pub number: u64,
    /// What the pattern is called; it may be empty.
    pub pattern: String,
    /// What it is good for: `universal`, `capture`, `connect`.
    pub goal: String,
}

/// The body of `POST /api/v1/editor/joseki`: the position at a node, and a dictionary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JosekiRequest {
    /// Nodes of a tree, each after the one above it. Those on the way to the node are enough.
    #[schema(max_items = 10000)]
    pub nodes: Vec<SgfNodeView>,
    /// The place of the node in the list.
    pub at: u32,
    /// A dictionary in SGF: its variations are sequences in one corner. It may have 3 MiB, and the request 4 MiB.
    pub dictionary: String,
}

/// The corners of a position that are in a dictionary of joseki.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JosekiView {
    /// Version of this document.
    pub v: u32,
    /// Positions of the dictionary.
    pub positions: u64,
    /// The corners, from the upper right one clockwise; those that are not in it are left out.
    pub corners: Vec<JosekiCornerView>,
    /// What was mended or left out as the dictionary was read.
    pub notices: Vec<String>,
}

/// A corner with the moves that a dictionary has for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JosekiCornerView {
    /// Which one: `upper right`, `lower right`, `lower left`, `upper left`.
    pub corner: String,
    /// On how many lines, from the edges, the stones are the same.
    pub lines: u8,
    /// The moves, those with most positions behind them first.
    pub moves: Vec<JosekiMoveView>,
}

/// A move of a dictionary of joseki.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JosekiMoveView {
    /// The side that plays it: `black`, `white`.
    pub side: String,
    /// The name of its point; null for a move elsewhere.
    #[serde(rename = "move")]
    pub name: Option<String>,
    /// What the dictionary thinks of it: `bad`, `doubtful`, `interesting`, `good`.
    pub mark: Option<String>,
    /// What the dictionary says after it; it may be empty.
    pub remark: String,
    /// Positions of the dictionary behind it.
    pub positions: u64,
}

/// The example problems that come with the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExampleProblemsView {
    /// Version of this document.
    pub v: u32,
    /// The problems in the order of the suite.
    pub items: Vec<ExampleProblemView>,
}

/// An example problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExampleProblemView {
    /// What it is called.
    pub name: String,
    /// What the side to move wants.
    #[schema(value_type = String, example = "capture")]
    pub goal: TacticalGoal,
    /// The side to move: `black`, `white`.
    pub side: String,
    /// A stone of each chain that it is about.
    pub targets: Vec<String>,
    /// The position as a game tree in SGF, with the right first moves as variations.
    pub text: String,
}
