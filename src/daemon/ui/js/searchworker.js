// The worker that searches: it is told a position and a seed, and tells each longer game that it meets, until it is ended.

import { Tempering } from "./tempering.js";

/** How often it tells how many games it has played, in milliseconds. */
const TELL_MS = 500;

addEventListener("message", ({ data: { variant, moves, known, seed } }) => {
  const search = new Tempering(variant, moves, seed, { known });
  let [longest, told] = [-1, performance.now()];
  for (;;) {
    if (search.line.length > longest) {
      longest = search.line.length;
      postMessage({ moves: search.moves(), playouts: search.playouts });
    }
    if (search.isEmpty) return;
    search.slice();
    if (performance.now() - told > TELL_MS) {
      told = performance.now();
      postMessage({ playouts: search.playouts });
    }
  }
});
