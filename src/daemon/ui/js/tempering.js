// The search in the browser: parallel tempering, the best short search of 5T that the program has (docs/techniques/tempering.md).
//
// Several walks go from grid to grid, each at a temperature of its own. A step brings a new move into the grid; what stands in its way
// goes, with all that depends on it, and the grid is completed anew. A grid that is d moves shorter is kept with probability e^(-d/T).
// Neighbouring walks exchange their grids now and then, so that cold walks, which improve, get from hot ones what these find.

import { SearchGrid, Shared, packed, unpacked } from "./searchgrid.js";

const WALKS = 12;
/** Temperatures of the hottest and the coldest walk, in moves. */
const [HOT, COLD] = [2.0, 0.35];
/** How many moves a step takes out: more than n with probability e^(-n / REACH). */
const REACH = 25;
/** Steps of each walk between two exchanges, and rounds of these between two new lists of what grids can have. */
const [STEPS, ROUNDS] = [64, 4];
const DRAWS = 64;

/** Random numbers from 0 to 1 that a seed makes (sfc32). */
function generator(seed) {
  let [a, b, c, d] = [seed | 0, 0x9e3779b9 | 0, 0x243f6a88, 1];
  const next = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t | 0;
    return t;
  };
  for (let n = 0; n < 16; n++) next();
  return next;
}

export class Tempering {
  /**
   * A search for the longest game of a variant that begins with these moves; the same seed makes the same search. `known` may be the
   * moves after them of a game to begin with.
   */
  constructor(variant, start, seed, { walks = WALKS, hot = HOT, cold = COLD, reach = REACH, known = [] } = {}) {
    this.start = start;
    this.next = generator(seed);
    this.limits = Array.from({ length: 256 }, (_, n) => Math.min(250, Math.floor(1 - reach * Math.log((n + 0.5) / 256))));
    const shared = new Shared(variant);
    this.walks = Array.from({ length: walks }, (_, n) => ({
      temperature: walks === 1 ? cold : hot * (cold / hot) ** (n / (walks - 1)),
      grid: new SearchGrid(shared, variant, start),
    }));
    this.walks.forEach((walk) => {
      walk.chances = Float64Array.from({ length: 512 }, (_, loss) => Math.exp(-loss / walk.temperature));
    });
    /** The moves after the start of the longest game that was met, packed. */
    this.line = [];
    this.playouts = 0;
    this.round = 0;
    if (known.length) {
      const { grid } = this.walks.at(-1);
      grid.become(known.map(packed));
      this.line = grid.line();
    }
    /** Whether no move is left at the start. */
    this.isEmpty = !this.walks[0].grid.hasMove();
  }

  #random() {
    return (this.next() >>> 0) / 4294967296;
  }

  #step({ grid, chances }) {
    let move = 0;
    for (let n = 0; n < DRAWS && move === 0 && grid.size > 0; n++) move = grid.draw(this.#random(), this.limits[this.next() & 255]);
    const before = grid.size;
    let kept = false;
    const length = grid.change(move, this.next(), (found) => {
      kept = found >= before || this.#random() < chances[Math.min(511, before - found)];
      return kept;
    });
    this.playouts += 1;
    if (kept && length > this.line.length) this.line = grid.line();
  }

  /** A few milliseconds of the search. */
  slice() {
    const { walks } = this;
    if (this.round % ROUNDS === 0) walks.forEach(({ grid }) => grid.noteAll());
    for (const walk of walks) for (let n = 0; n < STEPS; n++) this.#step(walk);
    for (let n = 1 + (this.round % 2); n < walks.length; n += 2) {
      const [hot, cold] = [walks[n - 1], walks[n]];
      const gain = hot.grid.size - cold.grid.size;
      if (this.#random() < Math.exp((1 / cold.temperature - 1 / hot.temperature) * gain)) [hot.grid, cold.grid] = [cold.grid, hot.grid];
    }
    this.round += 1;
  }

  /** The longest game that was met: all its moves, those of the start first. */
  moves() {
    return [...this.start, ...this.line.map(unpacked)];
  }
}
