// What one worker of the search in the browser reaches, measured in Node: the table of docs/page.md.
//
//   node --experimental-default-type=module web/measure.mjs [SEEDS] [SECONDS ...]     default: 4 seeds, 1 and 5 seconds
//
// Times are of the processor. The last line is the search after the first moves of the record of 178.

import fs from "node:fs";
import { Engine } from "../src/daemon/ui/js/engine.js";
import { CODES } from "../src/daemon/ui/js/rules.js";

const [seeds = 4, ...times] = process.argv.slice(2).map(Number);
const stops = times.length ? times : [1, 5];
const file = (path) => fs.readFileSync(new URL(path, import.meta.url));
const module = new WebAssembly.Module(file("../src/daemon/ui/js/search.wasm"));

/** The longest games after each of the times, and games per second. */
function measure(variant, moves, seed) {
  const search = new Engine(new WebAssembly.Instance(module).exports);
  search.begin(variant, moves, [], seed);
  const began = process.cpuUsage();
  const spent = () => Object.values(process.cpuUsage(began)).reduce((sum, n) => sum + n, 0) / 1e6;
  const lengths = stops.map((stop) => {
    while (spent() < stop && !search.run(20));
    return search.length;
  });
  return { lengths, rate: search.playouts / spent() };
}

function row(name, variant, moves) {
  const runs = Array.from({ length: seeds }, (_, n) => measure(variant, moves, n + 1));
  const mean = (values) => values.reduce((sum, n) => sum + n, 0) / values.length;
  const reached = stops.map((stop, at) => {
    const lengths = runs.map((run) => run.lengths[at]);
    return `${stop} s: ${mean(lengths).toFixed(1)} (${Math.min(...lengths)} to ${Math.max(...lengths)})`;
  });
  console.log([name, `${Math.round(mean(runs.map((run) => run.rate)))} games/s`, ...reached].join("  "));
}

for (const variant of CODES) row(variant, variant, []);
// What reads grids speaks the language of a browser.
globalThis.navigator ??= { languages: ["en"] };
const { readGrid } = await import("../src/daemon/ui/js/gridtext.js");
const record = await readGrid(file("../grids/5T-178-rosin.txt").toString());
for (const first of [60, 100, 140]) row(`5T after ${first}`, "5T", record.moves.slice(0, first));
