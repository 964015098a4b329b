// The worker that searches: it is told a position and a seed, and tells each longer game that it meets, until it is ended.

import { engine } from "./engine.js";

/** How often it tells how many games it has played, and how long it searches between two looks at the clock, in milliseconds. */
const [TELL_MS, SLICE_MS] = [500, 30];

addEventListener("message", async ({ data: { variant, moves, known, seed } }) => {
  try {
    const search = await engine();
    search.begin(variant, moves, known, seed);
    let [longest, told, polls, over] = [-1, performance.now(), 1, false];
    while (!over) {
      const began = performance.now();
      over = search.run(polls);
      const ended = performance.now();
      polls = Math.max(1, Math.round(Math.min(2 * polls, (polls * SLICE_MS) / Math.max(0.1, ended - began))));
      if (search.length > longest) {
        longest = search.length;
        postMessage({ moves: search.moves(), playouts: search.playouts });
      }
      if (ended - told > TELL_MS) {
        told = ended;
        postMessage({ playouts: search.playouts });
      }
    }
  } catch (problem) {
    postMessage({ failure: problem.message });
  }
});
