// Sets of points of a board of Go as texts: rectangles and points, by name as the API has them (`a4:f1,h2`), and as SGF has them (`aa:fd`,
// `hh`). In between they are lists of names. Nothing here is drawn.

import { nameOf, placeOf } from "./gameboard.js";
import { pointAt } from "./gametree.js";

const placed = (view, name) => {
  const place = placeOf(view, name);
  return [place % view.width, Math.floor(place / view.width)];
};

/** The names of the points of a rectangle between two corners, in whatever order. */
export function between(view, one, other) {
  const { game, height } = view;
  const [[x, y], [toX, toY]] = [placed(view, one), placed(view, other)];
  const names = [];
  for (let row = Math.min(y, toY); row <= Math.max(y, toY); row++) {
    for (let column = Math.min(x, toX); column <= Math.max(x, toX); column++) names.push(nameOf(game, height, column, row));
  }
  return names;
}

/** The points of a text of the API. */
export const pointsOf = (view, text) => (text ? text.split(",").flatMap((part) => between(view, part.split(":")[0], part.split(":").at(-1))) : []);

/** Few rectangles that a list of points consists of, from the upper left on: of each its two corners, as [column, row]. */
function rectangles(view, names) {
  const { width, height } = view;
  const left = new Set(names.map((name) => placeOf(view, name)));
  const found = [];
  for (const first of [...left].toSorted((a, b) => a - b)) {
    if (!left.has(first)) continue;
    const [x, y] = [first % width, Math.floor(first / width)];
    const row = (to, at) => Array.from({ length: to - x + 1 }, (_, n) => at * width + x + n);
    let [right, bottom] = [x, y];
    while (right + 1 < width && left.has(y * width + right + 1)) right += 1;
    while (bottom + 1 < height && row(right, bottom + 1).every((place) => left.has(place))) bottom += 1;
    for (let at = y; at <= bottom; at++) row(right, at).forEach((place) => left.delete(place));
    found.push([[x, y], [right, bottom]]);
  }
  return found;
}

/** The text of a list of points for the API. */
export function textOf(view, names) {
  const told = rectangles(view, names).map((corners) => corners.map(([x, y]) => nameOf(view.game, view.height, x, y)));
  return told.map(([one, other]) => (one === other ? one : `${one}:${other}`)).join(",");
}

/** The values of a property of SGF for a list of points. Single points come first: maxiGos takes their right and lower bounds anew at each. */
export function sgfOf(view, names) {
  const told = rectangles(view, names).map((corners) => corners.map(([x, y]) => pointAt(x, y)));
  const isOne = ([one, other]) => one === other;
  return [...told.filter(isOne).map(([one]) => one), ...told.filter((corners) => !isOne(corners)).map((corners) => corners.join(":"))];
}

/** The points of the values of such a property; those that are not on the board are left out. */
export function namesOfSgf({ game, width, height }, values) {
  const names = new Set();
  for (const value of values) {
    const corners = value.trim().split(":").map((point) => [...point].map((letter) => letter.charCodeAt(0) - 97));
    const [[x, y], [toX, toY]] = [corners[0], corners.at(-1)];
    for (let row = Math.max(0, y); row <= Math.min(height - 1, toY); row++) {
      for (let column = Math.max(0, x); column <= Math.min(width - 1, toX); column++) names.add(nameOf(game, height, column, row));
    }
  }
  return [...names];
}

/** The zone of each position of an answer's proof. */
export function zonesOf(view, { proof_zones: texts, proof_zone_numbers: numbers }) {
  const zones = texts.map((text) => pointsOf(view, text));
  return numbers.map((number) => zones[number]);
}
