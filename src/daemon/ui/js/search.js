// Searches of the browser's own: workers that look for the longest game from a position (`engine.js`), and which move of a game that
// they found comes next.

import { t } from "./language.js";
import { line } from "./rules.js";

/** Workers at most: each has a search of its own, and the longest game counts. */
const WORKERS = 4;

export class Search {
  /**
   * Begins a search from a position. `known` may be the rest of a game to begin with. `better(moves)` is called with each longer game,
   * all of its moves; `failed(why)` if the browser does not run the search.
   */
  constructor({ variant, moves, known = [], better, failed, seed = crypto.getRandomValues(new Uint32Array(1))[0] }) {
    this.best = null;
    /** Moves of the position. */
    this.from = moves.length;
    /** What is to be done with the first game that is found, since the time is over; and at the latest. */
    this.overdue = null;
    this.latest = 0;
    /** Games played by each worker. */
    this.played = [];
    this.workers = Array.from({ length: Math.max(1, Math.min(WORKERS, (navigator.hardwareConcurrency || 2) - 1)) }, (_, n) => {
      const worker = new Worker(new URL("./searchworker.js", import.meta.url), { type: "module" });
      const fail = (why) => {
        this.stop();
        failed(why);
      };
      worker.addEventListener("message", ({ data }) => {
        if (data.failure) return fail(data.failure);
        this.played[n] = data.playouts;
        if (!data.moves || data.moves.length <= (this.best?.length ?? -1)) return;
        this.best = data.moves;
        better(data.moves);
        return this.hasGame && this.overdue?.();
      });
      worker.addEventListener("error", (event) => fail(event.message || t`the browser does not run it`));
      worker.postMessage({ variant, moves, known, seed: (seed + n) >>> 0 });
      return worker;
    });
  }

  /** Games played so far. */
  get playouts() {
    return this.played.reduce((sum, n) => sum + n, 0);
  }

  /** Whether it has played on from the position. */
  get hasGame() {
    return (this.best?.length ?? 0) > this.from;
  }

  /** Calls `end` after a time, or with the first game after that: on a slow machine the search may just have begun. Returns the timer. */
  limit(time, end) {
    return setTimeout(() => {
      if (this.hasGame) return end();
      this.overdue = end;
      this.latest = setTimeout(end, 9 * time);
    }, time);
  }

  stop() {
    this.overdue = null;
    clearTimeout(this.latest);
    for (const worker of this.workers) worker.terminate();
  }
}

/**
 * Of the moves of a game that can be played after its first `from`, the one that most of its later moves need, and how many these are:
 * {move, needed}; nothing if the game is over there.
 */
export function nextOf(variant, moves, from) {
  const key = ([x, y]) => 64 * y + x;
  const setBy = new Map(moves.slice(from).map((move, n) => [key([move.x, move.y]), n]));
  const first = moves.slice(from).map((move, n) => {
    const parents = line(variant, move).map((point) => setBy.get(key(point))).filter((by) => by !== undefined && by !== n);
    return { move, n, parents, needs: new Set() };
  });
  for (const one of first) {
    for (const parent of one.parents) {
      one.needs.add(parent);
      for (const n of first[parent].needs) one.needs.add(n);
    }
  }
  const open = first.filter(({ parents }) => !parents.length).map(({ move, n }) =>
    ({ move, needed: first.filter(({ needs }) => needs.has(n)).length }));
  return open.reduce((best, one) => (best === null || one.needed > best.needed ? one : best), null);
}
