//! The parameters of the strategies: a row for each, whichever strategies use it.

use crate::core::setting::{NamedValue, SettingInfo, SettingRow, ValueKind, parse_count, read, read_name};
use crate::core::setting::{read_switch, show_name, show_switch};
use crate::strategies::params::{MAX_LEVEL, MAX_WIDTH, Params};

const fn whole(min: u64, max: u64) -> ValueKind {
    ValueKind::Whole { min, max }
}

const fn choice(value: &'static str, label: &'static str) -> NamedValue {
    NamedValue { value, label }
}

/// How moves are ordered at a node. A move's weight is the number of legal moves that it creates less those that
/// collide with it; total weights count moves, the others distinct new points.
const SORTS: &[NamedValue] = &[
    choice("coords", "smaller x first, then smaller y"),
    choice("no", "as the moves appeared"),
    choice("total_weights_lines", "larger total weight first, ties by the least used direction"),
    choice("total_weights_max", "only moves of the largest total weight"),
    choice("lines_total_weights", "least used direction first, ties by larger total weight"),
    choice("weights_lines", "larger point weight first, ties by the least used direction"),
    choice("weights_max", "only moves of the largest point weight"),
    choice("lines_weights", "least used direction first, ties by larger point weight"),
];

const JUMPS: &[NamedValue] = &[
    choice("frequent", "frequent"),
    choice("nonfrequent", "not frequent"),
    choice("no", "none: the search is exact"),
];

const JUMPS_FROM: &[NamedValue] =
    &[choice("unit", "the unit's longest grid"), choice("hunt", "the hunt's longest grid")];

const ADAPTS: &[NamedValue] = &[
    choice("sequence", "one step per move of the sequence"),
    choice("layers", "one step per layer of moves that are legal at once"),
];

const SYMMETRIES: &[NamedValue] = &[
    choice("central", "half a turn about the centre"),
    choice("horizontal", "mirror image, the axis horizontal"),
    choice("vertical", "mirror image, the axis vertical"),
    choice("falling", "mirror image, the axis falling to the right"),
    choice("rising", "mirror image, the axis rising to the right"),
];

const OPERATORS: &[NamedValue] = &[
    choice("lines", "one or two lines with all that depends on them"),
    choice("region", "the moves in a square"),
    choice("suffix", "the last moves"),
];

/// The parameter of that name.
pub fn parameter(name: &str) -> Option<&'static SettingRow<Params>> {
    PARAMETERS.iter().find(|row| row.about.name == name)
}

/// The parameters, in the order of help texts and forms.
pub static PARAMETERS: [SettingRow<Params>; 24] = [
    SettingRow {
        about: SettingInfo::new(
            "level",
            "Nesting level",
            whole(1, MAX_LEVEL as u64),
            "Nesting level of the search. Each further level multiplies the time by about the iterations per level. \
             In perturb and permute it is the level of the NRPA search that a run without grids begins with; in \
             regrow it is the level of the searches that make grids anew.",
        )
        .unset("no search to begin with"),
        read: |params, text| read(text).map(|level| params.level = Some(level)),
        show: |params| Some(params.level()).filter(|&level| level > 0).map(|level| level.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "iterations",
            "Iterations per level",
            whole(1, 1_000_000),
            "Number of calls (N) that each call of a level makes of the level below.",
        )
        .unit("calls"),
        read: |params, text| read(text).map(|iterations| params.iterations = Some(iterations)),
        show: |params| Some(params.iterations().to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "share",
            "Share calls of level",
            whole(1, 9),
            "All workers work on one search: they make its calls of this level, and the levels above learn from all \
             of them. Level 3 suits a search of level 5.",
        )
        .value_name("LEVEL")
        .unset("each worker has a search of its own"),
        read: |params, text| read(text).map(|share| params.share = Some(share)),
        show: |params| params.share.map(|share| share.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "adapt",
            "Adaptation",
            ValueKind::Choice(ADAPTS),
            "How the policy adapts to the best sequence. Layers are faster on lines of 4.",
        ),
        read: |params, text| read_name(text).map(|adapt| params.adapt = adapt),
        show: |params| Some(show_name(&params.adapt)),
    },
    SettingRow {
        about: SettingInfo::new(
            "alpha",
            "Step length",
            ValueKind::Number { max: 100.0 },
            "Step length of the adaptation: how far the policy moves towards the best sequence.",
        )
        .advanced(),
        read: |params, text| read(text).map(|alpha| params.alpha = alpha),
        show: |params| Some(params.alpha.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "stabilize",
            "Playouts per adaptation",
            whole(1, 1_000_000),
            "Playouts of level 1 from one adaptation to the next (stabilised NRPA). The iterations per level count \
             playouts. With more than one, level 1 is steadier.",
        )
        .value_name("P")
        .unit("playouts")
        .advanced(),
        read: |params, text| read(text).map(|stabilize| params.stabilize = stabilize),
        show: |params| Some(params.stabilize.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "width",
            "Calls in flight",
            whole(1, MAX_WIDTH as u64),
            "With share, each call begins from the policy after the W-th call before it, so that W calls can run at \
             a time. The result depends on W, but not on the number of workers.",
        )
        .value_name("W")
        .unit("calls")
        .unset("one per worker")
        .advanced(),
        read: |params, text| read(text).map(|width| params.width = Some(width)),
        show: |params| params.width.map(|width| width.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "sort",
            "Order of moves",
            ValueKind::Choice(SORTS),
            "Which move is tried first at a node. The weight of a move is the number of legal moves that it creates \
             minus the number of those that collide with it. Total weights count moves; the others count distinct \
             new points.",
        ),
        read: |params, text| read_name(text).map(|sort| params.sort = sort),
        show: |params| Some(show_name(&params.sort)),
    },
    SettingRow {
        about: SettingInfo::new(
            "jumps_back",
            "Jumps back",
            ValueKind::Rows(JUMPS),
            "Where the search jumps back to after a time without a new best. frequent: to half of the best score \
             after 1M iterations, to a quarter after 5M, to move 10 after 20M. nonfrequent: the same after 30M and \
             100M, and to move 5 after 500M. no: never, the search is exact. Or rules of your own, such as \
             1M:best/2,5M:best/4,20M:10.",
        )
        .value_name("RULES"),
        read: |params, text| text.parse().map(|jumps| params.jumps = jumps),
        show: |params| Some(params.jumps.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "jumps_from",
            "Jumps measured from",
            ValueKind::Choice(JUMPS_FROM),
            "Whose longest grid a jump back to a part of the best score is measured from: the unit's own, or the \
             hunt's when the unit was handed out. With hunt the grids depend on the number of workers and on their \
             speed.",
        )
        .advanced(),
        read: |params, text| read_name(text).map(|from| params.jumps_from = from),
        show: |params| Some(show_name(&params.jumps_from)),
    },
    SettingRow {
        about: SettingInfo::new(
            "order_free",
            "Order-free",
            ValueKind::Switch,
            "After the subtree of a move, later siblings no longer consider that move. So each grid is met once, \
             whatever the order of its moves.",
        )
        .advanced(),
        read: |params, text| read_switch(text).map(|on| params.order_free = on),
        show: |params| Some(show_switch(params.order_free).to_owned()),
    },
    SettingRow {
        about: SettingInfo::new(
            "eliminate_dominated",
            "Drop dominated moves",
            ValueKind::Switch,
            "Drops moves whose line only wastes room.",
        )
        .advanced(),
        read: |params, text| read_switch(text).map(|on| params.eliminate_dominated = on),
        show: |params| Some(show_switch(params.eliminate_dominated).to_owned()),
    },
    SettingRow {
        about: SettingInfo::new(
            "operators",
            "What a step takes away",
            ValueKind::List(OPERATORS),
            "What a step takes away from a grid: lines (one or two lines, or those that collide with one or two new \
             ones, and all that depends on them), region (the moves in a square around one of them), suffix (the \
             last moves).",
        ),
        read: |params, text| text.parse().map(|operators| params.operators = operators),
        show: |params| Some(params.operators.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "keep",
            "Moves that are kept",
            whole(0, 485),
            "Moves of a grid that a step keeps. In perturb, with the operator suffix, these are the first K moves \
             (in the thesis K = 28 led from 146 to 148 moves). In regrow they are K moves of a random beginning.",
        )
        .value_name("K")
        .unit("moves")
        .unset("a random number"),
        read: |params, text| read(text).map(|keep| params.keep = Some(keep)),
        show: |params| params.keep.map(|keep| keep.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "swaps",
            "Exchanges per step",
            whole(1, 100),
            "Greatest number of exchanges that a step makes in the order of moves.",
        )
        .unit("exchanges"),
        read: |params, text| read(text).map(|swaps| params.swaps = Some(swaps)),
        show: |params| Some(params.swaps().to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "completion",
            "Playouts per completion",
            whole(1, 1_000_000),
            "Playouts that complete a grid after a step. With more than one, the policy learns from the best of them \
             in between.",
        )
        .unit("playouts")
        .advanced(),
        read: |params, text| read(text).map(|completion| params.completion = completion),
        show: |params| Some(params.completion.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "symmetry",
            "Symmetry",
            ValueKind::Choice(SYMMETRIES),
            "Search only grids whose set of lines is carried to itself by this symmetry of the start. They are a \
             category of records of their own.",
        )
        .unset("all grids"),
        read: |params, text| read_name(text).map(|symmetry| params.symmetry = Some(symmetry)),
        show: |params| params.symmetry.map(|symmetry| symmetry.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "replicas",
            "Walks",
            whole(1, 256),
            "Walks of the tempering, each at its own temperature. A single walk is at the cold temperature.",
        )
        .unit("walks"),
        read: |params, text| read(text).map(|replicas| params.replicas = replicas),
        show: |params| Some(params.replicas.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "refiners",
            "Walks that refine",
            whole(0, 64),
            "Further walks of the tempering, all cold, that refine the longest grids of the other walks. They take a \
             seventeenth of the time. In regrow such walks also refine what each step has made.",
        )
        .unit("walks"),
        read: |params, text| read(text).map(|refiners| params.refiners = refiners),
        show: |params| Some(params.refiners.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "hot",
            "Hottest",
            ValueKind::Number { max: 100.0 },
            "Temperature T of the hottest walk, in moves: a grid that is d moves shorter is accepted with \
             probability exp(-d/T). With a symmetry, T counts pairs of moves.",
        )
        .value_name("T")
        .unit("moves"),
        read: |params, text| read(text).map(|hot| params.hot = hot),
        show: |params| Some(params.hot.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "cold",
            "Coldest",
            ValueKind::Number { max: 100.0 },
            "Temperature of the coldest walk, in moves. The temperatures between are in geometric steps. The colder \
             a walk is, the closer it stays to the longest grids that it has met.",
        )
        .value_name("T")
        .unit("moves"),
        read: |params, text| read(text).map(|cold| params.cold = cold),
        show: |params| Some(params.cold.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "reach",
            "Reach",
            ValueKind::Number { max: 10_000.0 },
            "Size of the steps of a walk: a step that takes more than N moves out of a grid is tried with \
             probability 1/e, one that takes out more than 2 N with 1/e^2, and so on.",
        )
        .value_name("N")
        .unit("moves"),
        read: |params, text| read(text).map(|reach| params.reach = reach),
        show: |params| Some(params.reach.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "pool",
            "Grids in the pool",
            whole(1, 100_000),
            "Grids that a run keeps: in perturb for each score, in permute and regrow in all.",
        )
        .unit("grids"),
        read: |params, text| read(text).map(|pool| params.pool = Some(pool)),
        show: |params| Some(params.pool().to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "patience",
            "Patience",
            ValueKind::Count { min: 0 },
            "A run ends after this many iterations without a longer grid. The parts of a run end sooner. In regrow a \
             tempering ends after 1/50 of the number, the steps from a pool after 1/30, the refining of a grid after \
             1/50 (262,144 at most), and a reshaping after 1/1,000,000 as many steps (2,000 at most). In reshape a \
             tempering ends after 1/250, and a walk over shapes after 1/600,000 as many steps, or eight times that \
             if it has met the longest grid; after a cooled walk it ends after 1/1,600,000 as many steps.",
        )
        .unit("iterations"),
        read: |params, text| parse_count(text).map(|patience| params.patience = Some(patience)),
        show: |params| Some(params.patience().to_string()),
    },
];
