// The search of the program, for the browser: the module `search.wasm` is the program's own code (`web/` has how it is built).

import { CODES } from "./rules.js";

/** Bytes of a move: x, y, direction, place of the new point in its line. */
const BYTES = 4;

/** The module, ready to search. */
export async function engine() {
  const answer = await fetch(new URL("./search.wasm", import.meta.url));
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  const { instance } = await WebAssembly.instantiate(await answer.arrayBuffer());
  return new Engine(instance.exports);
}

export class Engine {
  constructor(exports) {
    this.exports = exports;
  }

  /** Begins the search after these moves; the same seed makes the same search. `known` may be the moves after them of a game to begin with. */
  begin(variant, moves, known, seed) {
    const all = [...moves, ...known];
    // The place first: the memory may grow for it, and has another buffer then.
    const place = this.exports.input(all.length);
    const input = new Uint8Array(this.exports.memory.buffer, place, BYTES * all.length);
    all.forEach(({ x, y, d, i }, n) => input.set([x, y, d, i], BYTES * n));
    if (!this.exports.begin(CODES.indexOf(variant), moves.length, seed)) throw new Error("the moves are not a game");
  }

  /** Continues for so many polls, about a millisecond each or less; whether the search is over. */
  run(polls) {
    return this.exports.run(polls) === 1;
  }

  /** Moves of the longest game that was met. */
  get length() {
    return this.exports.longest();
  }

  /** That game. */
  moves() {
    const { length } = this;
    const place = this.exports.moves();
    const bytes = new Uint8Array(this.exports.memory.buffer, place, BYTES * length);
    return Array.from({ length }, (_, n) => {
      const [x, y, d, i] = bytes.subarray(BYTES * n);
      return { x, y, d, i };
    });
  }

  /** Games played so far. */
  get playouts() {
    return this.exports.iterations();
  }
}
