// Grids as text: Pentasol, MSR (as JSON and compact), and the short form that stands in an address.

import { CODES, DIRECTIONS, Game, VARIANTS, bounds } from "./rules.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** `5T.` and three letters per move: column, row, and 5 times the direction plus the place in the line. */
export function toAddress(variant, moves) {
  return `${variant}.${moves.map((m) => LETTERS[m.x] + LETTERS[m.y] + LETTERS[5 * m.d + m.i]).join("")}`;
}

/** The game that an address names, as far as it is legal; nothing if it names none. */
export function fromAddress(text) {
  const [variant, letters = ""] = (text || "").split(".");
  if (!CODES.includes(variant)) return null;
  const moves = [];
  for (let n = 0; n + 2 < letters.length; n += 3) {
    const [x, y, rest] = [...letters.slice(n, n + 3)].map((c) => LETTERS.indexOf(c));
    if (x < 0 || y < 0 || rest < 0) break;
    moves.push({ x, y, d: Math.floor(rest / 5), i: rest % 5 });
  }
  return { variant, moves: new Game(variant, moves).moves };
}

/** One move as Pentasol writes it. */
export const pentasolMove = (m) => `(${m.x},${m.y}) ${DIRECTIONS[m.d]} ${2 - m.i}`;

/** Pentasol text. */
export function pentasol(variant, moves) {
  return [`# variant ${variant}`, `# score ${moves.length}`, "(28,28)", ...moves.map(pentasolMove), ""].join("\n");
}

/** MSR as JSON: coordinates count from the corner of the cross's box. */
export function msrJson(variant, moves) {
  const corner = 28 - (VARIANTS[variant].length - 2);
  const left = new Game(variant, moves).legal().length;
  return JSON.stringify({
    version: "0.1",
    producer: "morpion",
    variant,
    score: moves.length,
    available_moves: left,
    terminal: left === 0,
    bbox: bounds(variant, moves).map((v) => v - corner),
    saved_at: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    moves: moves.map((m) => ({ x: m.x - corner, y: m.y - corner, dir: ["H", "V", "DN", "DP"][m.d], pos: m.i })),
  });
}

/** MSR in its compact form: the JSON deflated, in URL-safe base64. */
export async function msrCompact(variant, moves) {
  const stream = new Blob([msrJson(variant, moves)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (const byte of packed) text += String.fromCharCode(byte);
  return `MS1:${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}\n`;
}
