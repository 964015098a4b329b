// Reads grids from texts without the daemon: Pentasol, MSR (JSON and compact), and addresses of the board. What a text leaves open, the
// variant or the dialect, is decided by playing its moves, as the program does (`notation/format`); `tests/page.rs` compares the two.

import { t } from "./language.js";
import { fromAddress } from "./notation.js";
import { CODES, DIRECTIONS, Game, SIDE, VARIANTS, cross, line } from "./rules.js";

const INNER_CORNER = 28;
/** No game has more moves. */
const MOST_MOVES = 1000;
/** Longest compact record, and longest record that is unpacked, in bytes. */
const [LARGEST_COMPACT, LARGEST_RECORD] = [64 * 1024, 1024 * 1024];
const MSR_DIRECTIONS = ["H", "V", "DN", "DP"];

/** The place of a new point on its line, of what each dialect writes for it. */
const DIALECTS = {
  pentasol: (offset) => 2 - offset,
  // The middle of a line is counted from the other side.
  opposite: (offset, length) => offset + Math.floor((length - 1) / 2),
  index: (offset) => offset,
};

const shown = (text) => (text.length > 60 ? `${text.slice(0, 60)}...` : text);
const fail = (text) => {
  throw new Error(text);
};

const NUMBER = "([+\u2212\u2013-]?\\s*\\d{1,7})";
const POINT = `\\(\\s*${NUMBER}\\s*,\\s*${NUMBER}\\s*\\)`;
const MOVE = new RegExp(`^(?:\\d+[.:)]?\\s*)?${POINT}\\s*([-\u2212\u2013|\\\\/])\\s*${NUMBER}\\s*(#.*)?$`);
const REFERENCE = new RegExp(`^(?:\\d+[.:)]?\\s*)?${POINT}\\s*(#.*)?$`);
const number = (text) => Number(text.replace(/[\u2212\u2013]/, "-").replace(/[\s+]/g, ""));

/** Takes a Pentasol text apart. */
function pentasolText(text) {
  const parsed = { moves: [], reference: null, variant: null };
  text.split(text.includes("\n") ? "\n" : "\r").forEach((raw, n) => {
    const item = raw.trim();
    const wrong = (reason) => fail(t`line ${n + 1}: '${shown(item)}': ${reason}`);
    if (item === "" || /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(item)) return;
    if (item.startsWith("#")) {
      const [, named] = /^#\s*variant[\s:]+(\w+)/i.exec(item) || [];
      if (CODES.includes(named?.toUpperCase())) parsed.variant = named.toUpperCase();
      return;
    }
    if (/^start\b/.test(item)) wrong(t`the grid does not begin with the cross; only such grids are shown here`);
    const move = MOVE.exec(item);
    const point = REFERENCE.exec(item);
    if (move) {
      if (parsed.moves.length === MOST_MOVES) wrong(t`there are 1000 moves before this one, more than any game has`);
      const [x, y, offset] = [move[1], move[2], move[4]].map(number);
      const d = DIRECTIONS.indexOf(move[3].replace(/[\u2212\u2013]/, "-"));
      parsed.moves.push({ x, y, d, offset, line: n + 1, text: `(${x},${y}) ${DIRECTIONS[d]} ${offset}` });
    } else if (!point) {
      wrong(t`a move such as '(31,29) | -2' is expected`);
    } else if (parsed.moves.length) {
      wrong(t`a reference point is expected before the moves only; does a direction lack?`);
    } else if (parsed.reference) {
      wrong(t`a second reference point; does a direction lack?`);
    } else {
      parsed.reference = [number(point[1]), number(point[2])];
    }
  });
  if (!parsed.moves.length && !parsed.reference) fail(t`not a grid file: it has neither a reference point such as '(28,28)' nor a move`);
  return parsed;
}

/** The JSON of a compact record, unpacked no further than any record is long. */
async function unpacked(text) {
  if (text.length > LARGEST_COMPACT) fail(t`the compact record is ${text.length} bytes long, and at most ${LARGEST_COMPACT} are accepted`);
  let bytes;
  try {
    bytes = Uint8Array.from(atob(text.slice(4).trim().replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  } catch {
    fail(t`not an MSR record: it is not base64`);
  }
  const parts = [];
  let size = 0;
  try {
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      size += part.value.length;
      if (size > LARGEST_RECORD) {
        reader.cancel();
        break;
      }
    }
  } catch {
    fail(t`not an MSR record: it cannot be unpacked`);
  }
  if (size > LARGEST_RECORD) fail(t`the record is longer than ${LARGEST_RECORD} bytes of JSON, and at most that many are accepted`);
  return new Blob(parts).text();
}

/** Takes a record apart. */
function record(json) {
  let found;
  try {
    found = JSON.parse(json);
  } catch {
    fail(t`not an MSR record: it is not JSON`);
  }
  const { version, variant, moves } = found || {};
  if (!/^[01](\.|$)/.test(String(version))) fail(t`the record is of MSR version ${shown(String(version))}, and versions 0 and 1 are understood`);
  if (!CODES.includes(variant)) fail(t`not an MSR record: the variant '${shown(String(variant))}' is none of ${CODES.join(", ")}`);
  if (!Array.isArray(moves)) fail(t`not an MSR record: it has no list of moves`);
  if (moves.length > MOST_MOVES) fail(t`the record has ${moves.length} moves, and at most ${MOST_MOVES} are accepted`);
  return { variant, moves: moves.map((move, n) => {
    const { x, y, dir, pos } = move || {};
    const d = MSR_DIRECTIONS.indexOf(dir);
    if (d < 0 || ![x, y, pos].every(Number.isInteger)) fail(t`not an MSR record: move ${n + 1} lacks one of x, y, dir and pos, or has it wrong`);
    return { x, y, d, offset: pos, text: `(${x},${y}) ${dir} ${pos}` };
  }) };
}

/** Why a move of a text is illegal, in the text's own coordinates. */
function reason(game, move, written, [dx, dy], dialect) {
  const { variant, rules: { length, disjoint } } = game;
  if (move.i < 0 || move.i >= length) {
    const middle = Math.floor((length - 1) / 2);
    const [low, high] = { pentasol: [3 - length, 2], opposite: [-middle, length - 1 - middle], index: [0, length - 1] }[dialect];
    return t`the offset ${written[game.moves.length].offset} is out of range: ${low} to ${high} is expected in ${variant}`;
  }
  const points = line(variant, move);
  if (points.some(([x, y]) => x < 0 || y < 0 || x >= SIDE || y >= SIDE)) {
    return t`the move leaves the playing area of ${SIDE}x${SIDE} points (columns ${-dx} to ${SIDE - 1 - dx}, rows ${-dy} to ${SIDE - 1 - dy} in this file)`;
  }
  const by = game.moves.findIndex(({ x, y }) => x === move.x && y === move.y);
  if (by >= 0) return t`the point is already set, by move ${by + 1}`;
  const starts = cross(variant);
  const isSet = ([x, y]) => starts.some((p) => p[0] === x && p[1] === y) || game.moves.some((m) => m.x === x && m.y === y);
  if (isSet([move.x, move.y])) return t`the point belongs to the starting cross`;
  const missing = points.find((point, n) => n !== move.i && !isSet(point));
  if (missing) return t`the line needs point (${missing[0] - dx},${missing[1] - dy}), which is not set`;
  const cells = (m) => line(variant, m).slice(0, disjoint ? length : length - 1).map(String);
  const own = cells(move);
  const other = game.moves.findIndex((m) => m.d === move.d && cells(m).some((cell) => own.includes(cell)));
  return disjoint ? t`the line shares a point with the line of move ${other + 1} (${written[other].text}), which ${variant} forbids`
    : t`the line shares a segment with the line of move ${other + 1} (${written[other].text}), which ${variant} forbids`;
}

/** One way to understand a list of moves: how far it is legal. */
function reading(variant, dialect, shift, written) {
  const game = new Game(variant);
  for (const { x, y, d, offset } of written) {
    const move = { x: x + shift[0], y: y + shift[1], d, i: DIALECTS[dialect](offset, VARIANTS[variant].length) };
    if (!game.play(move)) return { game, failed: () => reason(game, move, written, shift, dialect) };
  }
  return { game, failed: null };
}

/** The first reading that is legal, of the named variant if one is named; else the failure of the one that goes furthest. */
function choose(readings, named, written) {
  const asked = readings.filter(({ game }) => !named || game.variant === named);
  const legal = readings.filter(({ failed }) => !failed).map(({ game }) => game.variant);
  const best = asked.find(({ failed }) => !failed);
  if (best) return { variant: best.game.variant, moves: best.game.moves };
  // Of two that fail at the same move the touching one is the likelier.
  const far = ({ game }) => 2 * game.moves.length + (game.rules.disjoint ? 0 : 1);
  const { game, failed } = asked.reduce((one, other) => (far(other) > far(one) ? other : one));
  const at = written[game.moves.length];
  const place = at.line ? t`line ${at.line} (move ${game.moves.length + 1})` : t`move ${game.moves.length + 1}`;
  const also = legal.length ? ` ${t`(the file is legal as ${[...new Set(legal)].join(` ${t`and as`} `)})`}` : "";
  return fail(t`${place}: ${at.text}: ${failed()}${also}`);
}

/** The grid that a text holds, {variant, moves}; an error says why it holds none. */
export async function readGrid(text) {
  const content = text.replace(/^\ufeff/, "").trim();
  const [, address] = /^\S*[?&]g=([\w.-]+)\S*$/.exec(content) || [];
  const found = address && fromAddress(address);
  if (found) return found;
  if (content.startsWith("MS1:") || content.startsWith("{")) {
    const { variant, moves } = record(content.startsWith("{") ? content : await unpacked(content));
    const length = VARIANTS[variant].length;
    const corner = INNER_CORNER - (length - 2);
    const readings = CODES.filter((code) => VARIANTS[code].length === length).map((code) => reading(code, "index", [corner, corner], moves));
    return choose(readings, variant, moves);
  }
  if (content === "") fail(t`not a grid file: it is empty`);
  const { reference, variant, moves } = pentasolText(content);
  const readings = ["pentasol", "opposite"].flatMap((dialect) => ["5D", "5T", "4D", "4T"].map((code) => {
    const inner = VARIANTS[code].length - 1;
    const [x, y] = reference || (dialect === "pentasol" ? [INNER_CORNER, INNER_CORNER] : [inner, inner]);
    return reference && dialect === "opposite" ? null : reading(code, dialect, [INNER_CORNER - x, INNER_CORNER - y], moves);
  })).filter(Boolean);
  return choose(readings, variant || (moves.length ? null : "5T"), moves);
}
