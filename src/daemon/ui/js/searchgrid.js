// A grid for the search in the browser: a board in flat arrays, and the grid as a partial order that tells which moves have to go
// when another one comes. The same as `strategies/temper/grid` in the program.
//
// A point is a number, 64 y + x from a margin on. A line is the number of its first point and its direction; a move is its line
// times 8 and the place of its new point. Each move of a grid has a number, from 1 on, and a set of those that depend on it.

import { DELTA, SIDE, VARIANTS, cross } from "./rules.js";

const ROW = 64;
/** Rows above the area, so that no line has a negative number. */
const TOP = 5;
/** Numbers of points per direction: a power of two above 64 rows. */
export const POINTS = 1 << 13;
const LINES = 4 * POINTS;
const STRIDES = DELTA.map(([dx, dy]) => dy * ROW + dx);
const [ACROSS, DOWN, FALLING, RISING] = STRIDES;

/** What set a point, or covers a cell, of the position that the search starts from. */
const START = 255;
/** Numbers of moves, at most. */
const NUMBERS = 254;

const lineOf = (move) => move >> 3;
const pointOf = (move) => ((move >> 3) & (POINTS - 1)) + (move & 7) * STRIDES[move >> 16];

/** From and to the moves of the page. */
export const packed = ({ x, y, d, i }) => ((d * POINTS + (y + TOP) * ROW + x - i * STRIDES[d]) << 3) | i;
export function unpacked(move) {
  const point = pointOf(move);
  return { x: point % ROW, y: Math.floor(point / ROW) - TOP, d: move >> 16, i: move & 7 };
}

function bits(word) {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** What all grids of a search share: constants of the variant, and room for one step at a time. */
export class Shared {
  constructor(variant) {
    const { length, disjoint, bound } = VARIANTS[variant];
    this.length = length;
    this.covered = disjoint ? length : length - 1;
    /** Words of a set of moves. */
    this.words = Math.min(8, Math.ceil((bound + 64) / 32));
    this.numbers = Math.min(NUMBERS, 32 * this.words - 1);
    this.inside = new Uint8Array(POINTS);
    for (let y = 0; y < SIDE; y++) this.inside.fill(1, (y + TOP) * ROW, (y + TOP) * ROW + SIDE);
    /** Of each line that went in a step: the place of its move in their order, and of its new point. */
    this.ranks = new Uint16Array(LINES);
    this.ranked = [];
    /** The number of each move that went, by its place in their order; and by number, whether it has come back. */
    this.went = new Uint8Array(512);
    this.back = new Uint8Array(256);
    /** The step in which a line was looked at last. */
    this.seen = new Int32Array(LINES);
    this.step = 0;
    this.seed = 0;
    /** The moves that may be played on, when each comes, and how many they are. */
    this.legal = new Int32Array(4096);
    this.keys = new Int32Array(4096);
    this.found = 0;
    /** What goes in a step, and what stays and depends on the new move's point. */
    this.gone = new Int32Array(8);
    this.later = new Int32Array(8);
    this.waiting = new Uint8Array(256);
  }
}

/** Words of what goes are kept while a step is tried, so a step has one grid at a time. */
export class SearchGrid {
  constructor(shared, variant, start) {
    this.shared = shared;
    /** Of each point, the number of the move that set it. */
    this.creators = new Uint8Array(POINTS);
    /** Of each direction and cell, the number of the move that covers it. */
    this.owners = new Uint8Array(LINES);
    /** Of each line, how many of its points are set. */
    this.counts = new Uint8Array(LINES);
    this.moves = new Int32Array(256);
    this.parents = new Uint8Array(256 * 4);
    this.dependents = new Int32Array(256 * shared.words);
    this.order = new Uint8Array(256);
    this.size = 0;
    this.free = Array.from({ length: shared.numbers }, (_, n) => shared.numbers - n);
    /** Moves that the grid may be able to have, each once. */
    this.pool = new Int32Array(1 << 14);
    this.pooled = new Uint8Array(LINES * 8);
    this.pools = 0;
    for (const [x, y] of cross(variant)) this.#setPoint((y + TOP) * ROW + x, START, 1);
    for (const move of start) this.place(packed(move), START);
  }

  /** Writes who set a point, and counts it (by 1, or -1) on all lines through it: four directions side by side, which is quick. */
  #setPoint(point, number, by) {
    const { counts, shared: { length } } = this;
    this.creators[point] = number;
    let [a, b, c, d] = [point, POINTS + point, 2 * POINTS + point, 3 * POINTS + point];
    for (let k = 0; k < length; k++) {
      counts[a] += by;
      counts[b] += by;
      counts[c] += by;
      counts[d] += by;
      a -= ACROSS;
      b -= DOWN;
      c -= FALLING;
      d -= RISING;
    }
  }

  /** Sets the point of a move and covers the cells of its line. */
  place(move, number) {
    this.#setPoint(pointOf(move), number, 1);
    this.#cover(move, number);
  }

  #cover(move, number) {
    const stride = STRIDES[move >> 16];
    let cell = lineOf(move);
    for (let k = 0; k < this.shared.covered; k++, cell += stride) this.owners[cell] = number;
  }

  /** Takes a move away. */
  lift(move) {
    this.#setPoint(pointOf(move), 0, -1);
    this.#cover(move, 0);
  }

  /** Whether no cell of a line is covered. */
  #isFree(line) {
    const stride = STRIDES[line >> 13];
    const { owners, shared: { covered } } = this;
    for (let k = 0, cell = line; k < covered; k++, cell += stride) if (owners[cell] !== 0) return false;
    return true;
  }

  /** Adds a move that may be played on, unless its line was looked at in this step. */
  #offer(line, place) {
    const { shared } = this;
    if (shared.seen[line] === shared.step) return;
    if (!shared.inside[(line & (POINTS - 1)) + place * STRIDES[line >> 13]] || !this.#isFree(line)) return;
    shared.seen[line] = shared.step;
    shared.legal[shared.found] = (line << 3) | place;
    shared.keys[shared.found++] = this.#rank(line, place);
  }

  /** The place of the one point of a line that is not set. */
  #missing(line) {
    const stride = STRIDES[line >> 13];
    let point = line & (POINTS - 1);
    let place = 0;
    while (this.creators[point] !== 0) {
      point += stride;
      place += 1;
    }
    return place;
  }

  /** When a move comes: first those that went, then others of their lines, then the rest in an order that the seed makes. */
  #rank(line, place) {
    const rank = this.shared.ranks[line];
    if (rank !== 0) return (rank >> 3) + ((rank & 7) === place ? 0 : 512);
    let random = Math.imul(((line << 3) | place) ^ this.shared.seed, 0x9e3779b1);
    random = Math.imul(random ^ (random >>> 15), 0x85ebca6b);
    return 1024 + (random >>> 9);
  }

  /** Places a move, and offers those that it makes possible. */
  #placeAndOffer(move, number) {
    this.place(move, number);
    const { counts, shared: { length } } = this;
    const point = pointOf(move);
    const wanted = length - 1;
    let [a, b, c, d] = [point, POINTS + point, 2 * POINTS + point, 3 * POINTS + point];
    for (let k = 0; k < length; k++) {
      if (counts[a] === wanted) this.#offer(a, this.#missing(a));
      if (counts[b] === wanted) this.#offer(b, this.#missing(b));
      if (counts[c] === wanted) this.#offer(c, this.#missing(c));
      if (counts[d] === wanted) this.#offer(d, this.#missing(d));
      a -= ACROSS;
      b -= DOWN;
      c -= FALLING;
      d -= RISING;
    }
  }

  /** Offers the moves that set a point which is no longer set. */
  #offerAt(point) {
    const { counts, shared: { length } } = this;
    const wanted = length - 1;
    let [a, b, c, d] = [point, POINTS + point, 2 * POINTS + point, 3 * POINTS + point];
    for (let k = 0; k < length; k++) {
      if (counts[a] === wanted) this.#offer(a, k);
      if (counts[b] === wanted) this.#offer(b, k);
      if (counts[c] === wanted) this.#offer(c, k);
      if (counts[d] === wanted) this.#offer(d, k);
      a -= ACROSS;
      b -= DOWN;
      c -= FALLING;
      d -= RISING;
    }
  }

  /** Offers the moves whose lines share a cell with the line of a move that went. */
  #beside(move) {
    const { counts, shared: { length, covered } } = this;
    const stride = STRIDES[move >> 16];
    let line = lineOf(move) - (covered - 1) * stride;
    for (let k = 1 - covered; k < covered; k++, line += stride) {
      if (counts[line] === length - 1) this.#offer(line, this.#missing(line));
    }
  }

  /** Plays the offered moves, and those that they make possible, until there is none; returns how many. Numbers go into `waiting`. */
  #playOn() {
    const { shared, free } = this;
    const { legal, keys } = shared;
    let played = 0;
    while (shared.found > 0) {
      let least = 0;
      for (let n = 1; n < shared.found; n++) if (keys[n] < keys[least]) least = n;
      const move = legal[least];
      shared.found -= 1;
      legal[least] = legal[shared.found];
      keys[least] = keys[shared.found];
      const point = pointOf(move);
      if (this.creators[point] !== 0 || !this.#isFree(lineOf(move)) || free.length === 0) continue;
      // A move that comes back has its number again: then there is nothing to take back if the step is refused.
      const rank = shared.ranks[lineOf(move)];
      const isBack = rank !== 0 && (rank & 7) === (move & 7);
      const number = isBack ? shared.went[rank >> 3] : free.pop();
      if (isBack) shared.back[number] = 1;
      else this.moves[number] = move;
      this.#placeAndOffer(move, number);
      shared.waiting[played++] = number;
      this.note(move);
    }
    return played;
  }

  /** Notes a move that the grid may be able to have. */
  note(move) {
    if (this.pooled[move] === 0) {
      this.pooled[move] = 1;
      this.pool[this.pools++] = move;
    }
  }

  /** Notes all moves that the grid can have, and no others. */
  noteAll() {
    const { counts, shared: { length, numbers } } = this;
    for (let n = 0; n < this.pools; n++) this.pooled[this.pool[n]] = 0;
    this.pools = 0;
    for (let line = 0; line < LINES; line++) {
      if (counts[line] < length - 1) continue;
      const full = counts[line] === length;
      for (let place = full ? 0 : this.#missing(line), end = full ? length : place + 1; place < end; place++) {
        if (this.#examine((line << 3) | place, numbers) >= 0) this.note((line << 3) | place);
      }
    }
  }

  /**
   * Whether the grid can have a move: how many have to go, which are in `gone`; or -1 if it cannot, and -2 if more would have to go
   * than `limit`.
   */
  #examine(move, limit) {
    const { creators, owners, dependents, shared } = this;
    const { gone, later, words, length, covered } = shared;
    const [line, place, point] = [lineOf(move), move & 7, pointOf(move)];
    const creator = creators[point];
    if (creator === START || !shared.inside[point]) return -1;
    if (this.counts[line] !== (creator !== 0 ? length : length - 1) || (creator !== 0 && this.moves[creator] === move)) return -1;
    const stride = STRIDES[line >> 13];
    for (let w = 0; w < words; w++) gone[w] = later[w] = 0;
    for (let k = 0, cell = line; k < covered; k++, cell += stride) {
      const owner = owners[cell];
      if (owner === START) return -1;
      // The move that set the point goes without what depends on it: the new one sets the point as well.
      if (owner !== 0 && owner !== creator) {
        for (let w = 0, from = owner * words; w < words; w++) gone[w] |= dependents[from + w];
      }
    }
    if (creator !== 0) {
      for (let w = 0, from = creator * words; w < words; w++) later[w] = dependents[from + w];
      gone[creator >> 5] |= 1 << (creator & 31);
    }
    let count = 0;
    for (let w = 0; w < words; w++) count += bits(gone[w]);
    if (count > limit) return -2;
    for (let k = 0, other = line & (POINTS - 1); k < length; k++, other += stride) {
      const support = creators[other];
      if (k !== place && support !== START && ((gone[support >> 5] | later[support >> 5]) >>> (support & 31)) & 1) return -1;
    }
    return count;
  }

  /** One of the moves noted, drawn by a number from 0 to 1; 0 if it is none, or more would have to go than `limit`. */
  draw(random, limit) {
    const at = Math.floor(random * this.pools);
    const move = this.pool[at];
    const count = this.pools ? this.#examine(move, limit) : -2;
    if (count >= 0) return move;
    if (count === -1) {
      this.pool[at] = this.pool[--this.pools];
      this.pooled[move] = 0;
    }
    return 0;
  }

  /**
   * Brings the move that was drawn last into the grid, or without one (0) makes a new grid; completes it by what went, then at
   * random. `keep(length)` decides about the new grid: else all is as before. Returns the length of the grid that was tried.
   */
  change(move, seed, keep) {
    const { shared, moves } = this;
    const { gone, ranks, ranked } = shared;
    shared.step += 1;
    shared.found = 0;
    shared.seed = seed;
    for (let n = 0; n < ranked.length; n++) ranks[ranked[n]] = 0;
    ranked.length = 0;
    if (move === 0) {
      gone.fill(0);
      shared.later.fill(0);
      for (let n = 0; n < this.size; n++) gone[this.order[n] >> 5] |= 1 << (this.order[n] & 31);
    }
    let removed = 0;
    for (let w = 0; w < shared.words; w++) {
      for (let word = gone[w]; word !== 0; word &= word - 1) {
        const number = 32 * w + 31 - Math.clz32(word & -word);
        const old = moves[number];
        this.lift(old);
        removed += 1;
        shared.went[removed] = number;
        shared.back[number] = 0;
        ranks[lineOf(old)] = (removed << 3) | (old & 7);
        ranked.push(lineOf(old));
      }
    }
    let own = 0;
    if (move !== 0) {
      if (this.free.length === 0) {
        this.#restore();
        return 0;
      }
      own = this.free.pop();
      moves[own] = move;
      this.#placeAndOffer(move, own);
      for (let w = 0; w < shared.words; w++) {
        for (let word = gone[w]; word !== 0; word &= word - 1) {
          const old = moves[32 * w + 31 - Math.clz32(word & -word)];
          if (this.creators[pointOf(old)] === 0) this.#offerAt(pointOf(old));
          this.#beside(old);
          this.note(old);
        }
      }
      for (let n = 0; n < shared.found; n++) this.note(shared.legal[n]);
    } else {
      this.#offerAll();
    }
    const played = this.#playOn();
    const length = this.size - removed + (own !== 0 ? 1 : 0) + played;
    if (keep(length)) {
      this.#accept(own, played);
    } else {
      for (let n = played - 1; n >= 0; n--) {
        const number = shared.waiting[n];
        if ((gone[number >> 5] >>> (number & 31)) & 1) continue;
        this.lift(moves[number]);
        this.free.push(number);
      }
      if (own !== 0) {
        this.lift(move);
        this.free.push(own);
      }
      this.#restore();
    }
    return length;
  }

  /** Puts back what went and has not come back. */
  #restore() {
    const { shared: { gone, words, back }, moves } = this;
    for (let w = 0; w < words; w++) {
      for (let word = gone[w]; word !== 0; word &= word - 1) {
        const number = 32 * w + 31 - Math.clz32(word & -word);
        if (back[number] === 0) this.place(moves[number], number);
      }
    }
  }

  #offerAll() {
    const { counts, shared: { length } } = this;
    for (let line = 0; line < LINES; line++) if (counts[line] === length - 1) this.#offer(line, this.#missing(line));
  }

  /** The new grid is the grid from now on. */
  #accept(own, played) {
    const { shared: { gone, later, words, waiting, back }, order, free, size } = this;
    const has = (set, number) => (set[number >> 5] >>> (number & 31)) & 1;
    for (let w = 0; w < words; w++) {
      for (let word = gone[w]; word !== 0; word &= word - 1) {
        const number = 32 * w + 31 - Math.clz32(word & -word);
        if (back[number] === 0) free.push(number);
      }
    }
    // First what does not depend on the new move's point, then the move, then what does, then what was played on.
    const late = [];
    let n = 0;
    for (let k = 0; k < size; k++) {
      const number = order[k];
      if (has(gone, number)) continue;
      if (has(later, number)) late.push(number);
      else order[n++] = number;
    }
    if (own !== 0) {
      order[n++] = own;
      this.#parentsOf(own);
    }
    for (const number of late) {
      order[n++] = number;
      this.#parentsOf(number);
    }
    for (let k = 0; k < played; k++) {
      order[n++] = waiting[k];
      this.#parentsOf(waiting[k]);
    }
    this.size = n;
    this.#close();
  }

  /** Looks up who set the points that a move needs. */
  #parentsOf(number) {
    const { length } = this.shared;
    const move = this.moves[number];
    const [stride, place] = [STRIDES[move >> 16], move & 7];
    let to = number * 4;
    for (let k = 0, point = lineOf(move) & (POINTS - 1); k < length; k++, point += stride) {
      if (k !== place) this.parents[to++] = this.creators[point];
    }
  }

  /** Finds what depends on what. */
  #close() {
    const { dependents, order, parents, size, shared: { words, length } } = this;
    for (let n = 0; n < size; n++) {
      const from = order[n] * words;
      for (let w = 0; w < words; w++) dependents[from + w] = 0;
      dependents[from + (order[n] >> 5)] = 1 << (order[n] & 31);
    }
    for (let n = size - 1; n >= 0; n--) {
      const from = order[n] * words;
      for (let k = 0, at = order[n] * 4; k < length - 1; k++) {
        const parent = parents[at + k];
        if (parent === START) continue;
        for (let w = 0, to = parent * words; w < words; w++) dependents[to + w] |= dependents[from + w];
      }
    }
  }

  /** Whether a move can be played. */
  hasMove() {
    const { counts, shared: { length, inside } } = this;
    return counts.some((count, line) => count === length - 1 && this.#isFree(line) &&
      inside[(line & (POINTS - 1)) + this.#missing(line) * STRIDES[line >> 13]] === 1);
  }

  /** Its moves after the start, in an order in which they can be played. */
  line() {
    return Array.from(this.order.subarray(0, this.size), (number) => this.moves[number]);
  }

  /** Becomes the grid of these moves after the start. */
  become(line) {
    for (let n = 0; n < this.size; n++) {
      this.lift(this.moves[this.order[n]]);
      this.free.push(this.order[n]);
    }
    this.size = 0;
    for (const move of line) {
      if (!this.free.length) break;
      const number = this.free.pop();
      this.moves[number] = move;
      this.place(move, number);
      this.order[this.size++] = number;
      this.#parentsOf(number);
    }
    this.#close();
  }
}
