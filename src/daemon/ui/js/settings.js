// The settings of a hunt that the form offers, with the help that stands at each. Defaults and ranges are the daemon's: what is
// left empty is not sent, and what it refuses comes back with its reason. `for` names the strategies that a setting is of.

export const STRATEGIES = {
  reshape: ["Reshape", "Changes the points of grids and has an exact solver find the lines: the strongest in 5T, from nothing or from grids."],
  regrow: ["Regrow", "Tempering until it is stuck, then grids made anew behind beginnings of the longest, and reshaped, from nothing or from grids."],
  temper: ["Temper", "Walks over grids at several temperatures: soon at long grids in 5T, from nothing or from grids."],
  nrpa: ["NRPA", "Nested rollout policy adaptation, from nothing."],
  perturb: ["Perturb", "Takes parts of grids away and completes them again: best with good grids to begin with."],
  permute: ["Permute", "Local search over orders of moves: the strongest in 5D, from nothing or from grids."],
  dfs: ["Depth-first", "The thesis\u2019s order-free depth-first search; exhaustive where the space is small."],
  nmcs: ["NMCS", "Nested Monte Carlo search."],
  random: ["Random", "Random games, to compare with."],
};

const count = (text) => ({ type: "text", inputmode: "text", placeholder: text, pattern: "[0-9_]+[kMG]?", title: "a number such as 5000, 20M or 2G" });
const whole = (placeholder, min, max) => ({ type: "number", placeholder, min, max, step: 1 });

/** Those that can begin with grids. */
export const TAKE_GRIDS = ["regrow", "reshape", "perturb", "permute", "temper"];

export const SETTINGS = [
  { name: "level", label: "Nesting level", for: ["nrpa", "nmcs", "regrow", "perturb", "permute"], input: whole("best known", 1, 10),
    help: "Each level takes about as many times longer as there are iterations. Default: 5 for NRPA on lines of 5, else 3." },
  { name: "iterations", label: "Iterations per level", for: ["nrpa", "regrow"], input: whole("best known", 1, 1e6), help: "Calls of the level below per call: 100 by default, regrow 160." },
  { name: "share", label: "Share calls of level", for: ["nrpa"], input: whole("no sharing", 1, 9),
    help: "All threads work on one search and make its calls of this level; 3 suits level 5. Default: one search per thread." },
  { name: "adapt", label: "Adaptation", for: ["nrpa"], options: [["", "by sequence"], ["layers", "by layers"]], help: "Layers are faster on lines of 4." },
  { name: "alpha", label: "Step length", for: ["nrpa"], more: true, input: { type: "number", placeholder: "1", min: 0, max: 100, step: "any" }, help: "How far a policy moves towards a game." },
  { name: "stabilize", label: "Playouts per adaptation", for: ["nrpa"], more: true, input: whole("2", 1, 1e6), help: "More than one makes level 1 steadier." },
  { name: "width", label: "Calls in flight", for: ["nrpa"], more: true, input: whole("one per thread", 1, 1024), help: "With a shared level: the result depends on it." },
  { name: "main_depth", label: "Depth of the main walk", for: ["dfs"], input: whole("5", 2, 485), help: "All combinations of the first so many moves are handed out as units." },
  { name: "sort", label: "Order of moves", for: ["dfs"],
    options: [["", "by coordinates"], ...["no", "total_weights_lines", "total_weights_max", "lines_total_weights", "weights_lines", "weights_max", "lines_weights"].map((v) => [v, v.replaceAll("_", " ")])],
    help: "Which move is tried first at a node." },
  { name: "jumps_back", label: "Jumps back", for: ["dfs"], options: [["", "frequent"], ["nonfrequent", "not frequent"], ["no", "none: exact"]], help: "Unwinds when nothing better comes; none keeps the search exact." },
  { name: "stall_scale", label: "Patience with stalled units", for: ["dfs"], input: { type: "number", placeholder: "1", min: 0, step: "any" }, help: "Multiplies the table that ends them; 0.1 is ten times sooner." },
  { name: "order_free", label: "Order-free", for: ["dfs"], more: true, options: [["", "on"], ["off", "off"]], help: "Each grid once, whatever the order of its moves." },
  { name: "eliminate_dominated", label: "Drop dominated moves", for: ["dfs"], more: true, options: [["", "on"], ["off", "off"]], help: "Moves whose line only wastes room." },
  { name: "operators", label: "What a step takes away", for: ["perturb"], input: { type: "text", placeholder: "lines,region,suffix" }, help: "lines, region, suffix, or several with commas between." },
  { name: "keep", label: "Moves that are kept", for: ["perturb", "regrow"], input: whole("random", 0, 485), help: "Perturb: by the operator suffix; 28 was the step from 146 to 148 in the thesis. Regrow: by each step." },
  { name: "completion", label: "Playouts per completion", for: ["perturb"], more: true, input: whole("1", 1, 1e6), help: "With more than one the policy learns in between." },
  { name: "swaps", label: "Exchanges per step", for: ["permute"], input: whole("10", 1, 100), help: "At most so many places change." },
  { name: "replicas", label: "Walks", for: ["temper"], input: whole("16", 1, 256), help: "Each at a temperature of its own." },
  { name: "refiners", label: "Walks that refine", for: ["temper", "regrow", "reshape"], input: whole("4", 0, 64), help: "Cold ones, which go on from the longest grids of the others in a seventeenth of the time; in regrow, from what each step has made." },
  { name: "hot", label: "Hottest", for: ["temper"], input: { type: "number", placeholder: "2", min: 0, max: 100, step: "any" }, help: "Temperature in moves: at it, one move less is taken with probability exp(-1/T)." },
  { name: "cold", label: "Coldest", for: ["temper"], input: { type: "number", placeholder: "0.3", min: 0, max: 100, step: "any" }, help: "The colder, the closer to the longest grids met." },
  { name: "reach", label: "Reach", for: ["temper"], input: { type: "number", placeholder: "40", min: 0, max: 10000, step: "any" }, help: "Steps that take out more moves than that are tried more and more rarely." },
  { name: "pool", label: "Grids in the pool", for: ["perturb", "permute", "regrow"], input: whole("best known", 1, 1e5), help: "Perturb: 200 of each score by default; permute: 20000 in all, regrow 64." },
  { name: "patience", label: "Patience", for: ["perturb", "permute", "temper", "regrow", "reshape"], input: count("best known"), help: "A run ends after so many games without a longer grid: 20M by default, permute and temper 200M, reshape 1G, regrow 3G." },
];

/** Settings of every hunt. */
export const COMMON = [
  { name: "target", label: "Target", input: whole("none", 1, 485), help: "Ends when a grid of so many moves is found." },
  { name: "seed", label: "Seed", input: { type: "text", inputmode: "numeric", placeholder: "a new one", pattern: "[0-9]+" }, help: "The same seed on one thread gives the same result." },
  { name: "keep_from", label: "Keep grids from", more: true, input: { type: "text", placeholder: "near the best known", pattern: "[0-9]+|none" }, help: "Every grid of so many moves goes into the archive." },
  { name: "runs", label: "Runs", more: true, not: ["dfs"], input: count("without end"), help: "Ends after so many runs." },
  { name: "max_iterations", label: "Iterations per unit", more: true, input: count("no limit"), help: "A unit ends after so many: 50M, 2G." },
];

export const LIMITS = [
  { name: "seconds", label: "Time", input: { type: "text", placeholder: "no limit", pattern: "([0-9.]+[smhd]?)+" }, help: "30m, 12h, 7d; waiting and paused time is not counted." },
  { name: "threads", label: "Threads at once", input: whole("all", 1, 4096), help: "Leaves the others to other jobs." },
  { name: "limit_iterations", label: "Iterations in all", more: true, input: count("no limit"), help: "Of all its units together." },
  { name: "memory", label: "Memory", more: true, input: { type: "text", placeholder: "no limit", pattern: "[0-9.]+[kKMG]?" }, help: "Of its searches: 512M, 2G." },
];

/** Seconds of `90`, `30m`, `1d12h`; nothing for nonsense. */
export function seconds(text) {
  let sum = 0;
  const rest = text.trim().replace(/([0-9.]+)([smhd]?)/g, (_, number, unit) => {
    sum += Number(number) * { "": 1, s: 1, m: 60, h: 3600, d: 86_400 }[unit];
    return "";
  });
  return rest === "" && sum > 0 ? sum : undefined;
}

/** A number of `5000`, `20M`, `2G`; nothing for nonsense. */
export function amount(text, base = 1000) {
  const match = /^([0-9_.]+)([kKMG]?)$/.exec(text.trim());
  const value = match && Number(match[1].replaceAll("_", "")) * { "": 1, k: base, K: base, M: base ** 2, G: base ** 3 }[match[2]];
  return Number.isFinite(value) && value !== null ? Math.round(value) : undefined;
}
