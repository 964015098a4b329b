// Times and amounts as people write them, and what the daemon says of its strategies and settings.

import { get } from "./api.js";
import { known } from "./language.js";

let asked = null;

/** The strategies and the settings of a hunt: names, help, ranges, defaults. Asked for once; after a failure once more. */
export function catalogue() {
  asked ||= get("/strategies").then(translated).catch((problem) => {
    asked = null;
    throw problem;
  });
  return asked;
}

const WORDS = ["label", "help", "unit", "summary", "reason"];

/** The same with its texts in the language of the page. */
function translated(value) {
  if (Array.isArray(value)) return value.map(translated);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) =>
    [name, WORDS.includes(name) && typeof one === "string" ? known(one) : translated(one)]));
}

/** Seconds of `90`, `30m`, `1d12h`; nothing for nonsense. */
export function seconds(text) {
  let sum = 0;
  const rest = text.trim().replace(/([0-9.]+)([smhd]?)/g, (_, number, unit) => {
    sum += Number(number) * { "": 1, s: 1, m: 60, h: 3600, d: 86_400 }[unit];
    return "";
  });
  return rest === "" && sum > 0 ? sum : undefined;
}

/** A number of `5000`, `20M`, `2G`, `2GiB`; nothing for nonsense. */
export function amount(text, base = 1000) {
  const match = /^([0-9_.]+)(?:([kKMGT])(?:i?B)?)?$/.exec(text.trim());
  const units = { k: base, K: base, M: base ** 2, G: base ** 3, T: base ** 4 };
  const value = match && Number(match[1].replaceAll("_", "")) * (units[match[2]] ?? 1);
  return Number.isFinite(value) && value !== null ? Math.round(value) : undefined;
}
