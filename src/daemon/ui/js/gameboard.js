// A board of a two-player game as SVG: discs or stones, and on top what is known of the moves. Where a move can be made there is a
// control that mouse, finger and keyboard reach; arrows go to the nearest control in their direction.

import { attr, h, s } from "./dom.js";
import { t, tc } from "./language.js";

const CELL = 40;
const PAD = 22;
/** Legal moves that are marked, at most. */
const MOST_HINTS = 50;
/** Moves of a line that are shown, the first one included. */
const LONGEST_LINE = 5;

/** The letters of the columns: as is usual in Go, there is no i. */
const LETTERS = "abcdefghjklmnopqrst";
const ALL_LETTERS = "abcdefghijklmnopqrst";
const lettersOf = (game) => (game === "gomoku" ? ALL_LETTERS : LETTERS);

/** Whether stones lie on the crossings of lines, with the rows counted from the bottom. */
const isLined = (game) => game !== "reversi";

/** The name of a cell: its column as a letter, its row counted from the top in Reversi and from the bottom in Go and Gomoku. */
export const nameOf = (game, height, x, y) => `${lettersOf(game)[x]}${isLined(game) ? height - y : y + 1}`;

/** The place of the cell with a name by rows from the upper left. */
export const placeOf = ({ game, width, height }, name) => {
  const row = Number(name.slice(1));
  return (isLined(game) ? height - row : row - 1) * width + lettersOf(game).indexOf(name[0]);
};

/** The points that are marked on the usual boards of Go and Gomoku. */
function stars(width, height) {
  const at = { 9: [2, 6], 13: [3, 9], 15: [3, 11], 19: [3, 9, 15] }[width];
  if (width !== height || !at) return [];
  const middle = (width - 1) / 2;
  return [...at.flatMap((x) => at.map((y) => [x, y])), ...(at.includes(middle) ? [] : [[middle, middle]])];
}

/** Bounds of a value in few characters: `+4`, `-2..+6`. */
export function between(lower, upper) {
  const signed = (n) => (n > 0 ? `+${n}` : n < 0 ? `\u2212${-n}` : "0");
  return lower === upper ? signed(lower) : `${signed(lower)}..${signed(upper)}`;
}

/** The same, but what says nothing is left out: bounds that the whole board would allow. */
function brief({ lower, upper }, most) {
  if (lower === null || lower === undefined) return "";
  if (lower === upper) return between(lower, upper);
  if (lower <= -most) return upper >= most ? "" : `\u2264${between(upper, upper)}`;
  return upper >= most ? `\u2265${between(lower, lower)}` : between(lower, upper);
}

/** A side as people call it. */
export const sideName = (side) => (side === "black" ? tc("a side", "black") : tc("a side", "white"));

/** How many stones of each side are on the board, in words. */
export function stones(cells) {
  const number = (mark) => [...cells].filter((c) => c === mark).length;
  return t`${number("X")} black, ${number("O")} white`;
}

/** What is below the cells: the ground with its lines, and the names of columns and rows beside it. */
function ground({ game, width, height }) {
  const lined = isLined(game);
  const letters = lettersOf(game);
  const at = (n) => PAD + n * CELL;
  const mid = (n) => at(n) + CELL / 2;
  const parts = [s("rect", { class: "ground", x: PAD, y: PAD, width: width * CELL, height: height * CELL, rx: lined ? 6 : 3 })];
  let lines = "";
  if (lined) {
    for (let x = 0; x < width; x++) lines += `M${mid(x)} ${mid(0)}V${mid(height - 1)}`;
    for (let y = 0; y < height; y++) lines += `M${mid(0)} ${mid(y)}H${mid(width - 1)}`;
  } else {
    for (let x = 1; x < width; x++) lines += `M${at(x)} ${at(0)}V${at(height)}`;
    for (let y = 1; y < height; y++) lines += `M${at(0)} ${at(y)}H${at(width)}`;
  }
  parts.push(s("path", { class: "mesh", d: lines }));
  if (lined) for (const [x, y] of stars(width, height)) parts.push(s("circle", { class: "star", cx: mid(x), cy: mid(y), r: 3.5 }));
  for (let x = 0; x < width; x++) {
    parts.push(s("text", { class: "edge", x: mid(x), y: lined ? height * CELL + 2 * PAD - 7 : 15 }, letters[x]));
  }
  for (let y = 0; y < height; y++) parts.push(s("text", { class: "edge", x: 11, y: mid(y) + 4 }, String(lined ? height - y : y + 1)));
  return parts;
}

/** The line around some cells. */
function outline(view, names) {
  const places = new Set(names.map((name) => placeOf(view, name)));
  const has = (x, y) => x >= 0 && x < view.width && places.has(y * view.width + x);
  let d = "";
  for (const place of places) {
    const [x, y] = [place % view.width, Math.floor(place / view.width)];
    const [left, top] = [PAD + x * CELL, PAD + y * CELL];
    if (!has(x, y - 1)) d += `M${left} ${top}h${CELL}`;
    if (!has(x, y + 1)) d += `M${left} ${top + CELL}h${CELL}`;
    if (!has(x - 1, y)) d += `M${left} ${top}v${CELL}`;
    if (!has(x + 1, y)) d += `M${left + CELL} ${top}v${CELL}`;
  }
  return d;
}

/**
 * `pick(name)` is called with the cell that somebody chose; without it the board is a picture. `point(name)` is called
 * with the cell that mouse or keyboard point at, and with nothing when they leave it. `drag({from, to}, isOver)` is called while a pointer
 * that was pressed on a cell goes to others and when it ends there, if the board is drawn with `drags`; with nothing if that is broken off.
 */
export class GameBoard {
  constructor({ pick = null, point = null, drag = null, label = t`Board` } = {}) {
    this.pick = pick;
    this.svg = s("svg", { class: "gameboard", role: pick ? "group" : "img", "aria-label": label });
    this.element = h("div", { class: "gameframe" }, this.svg);
    this.label = label;
    /** The cell that had the keyboard's place when there was none left to choose. */
    this.left = null;
    if (pick) this.svg.addEventListener("keydown", (event) => this.#key(event));
    if (point) this.#tell(point);
    if (drag) this.#follow(drag);
  }

  /** Calls `drag`. The click at the end of a drag is none. */
  #follow(drag) {
    let [from, to, dragged] = [null, null, false];
    this.svg.addEventListener("pointerdown", (event) => {
      dragged = false;
      if (event.isPrimary) [from, to] = [this.drags && event.button === 0 ? event.target.closest("[data-name]")?.dataset.name : null, null];
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (!from || !event.isPrimary) return;
      const name = this.#under(event);
      if (name === (to ?? from)) return;
      // What was pressed is drawn anew, so the board takes what comes.
      if (!dragged) this.svg.setPointerCapture(event.pointerId);
      [to, dragged] = [name, true];
      drag({ from, to }, false);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      this.svg.addEventListener(end, (event) => {
        if (!event.isPrimary) return;
        if (from && to) drag(end === "pointerup" ? { from, to } : null, end === "pointerup");
        [from, to] = [null, null];
      });
    }
    // What a program for blind people calls a click has no count.
    this.svg.addEventListener("click", (event) => dragged && event.detail > 0 && event.stopPropagation(), { capture: true });
  }

  /** The cell under a pointer, or the nearest one. */
  #under({ clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const { game, width, height } = this.shape;
    const within = (n, most) => Math.min(Math.max(Math.floor((n - PAD) / CELL), 0), most - 1);
    return nameOf(game, height, within(x, width), within(y, height));
  }

  /** Calls `point`. A finger points at nothing: it plays. */
  #tell(point) {
    const named = ({ target }) => target.closest("[data-name]")?.dataset.name ?? null;
    this.svg.addEventListener("pointerover", (event) => point(event.pointerType === "mouse" ? named(event) : null));
    this.svg.addEventListener("pointerleave", () => point(null));
    this.svg.addEventListener("focusin", (event) => point(event.target.matches(":focus-visible") ? named(event) : null));
    this.svg.addEventListener("focusout", () => point(null));
  }

  /**
   * Draws `{game, width, height, cells, side}`. `moves` is a list of {name, lower, upper} or {name, text}, `best` names of moves, `legal` those that
   * can be chosen (all cells if `editing`), `last` the last move. `hints` are the moves with a dot, of the legal ones if it is not given.
   * `zone` are points with a ground of their own, `marked` those with a ring, `labels` texts on points by name, `part` the rectangle
   * {x, y, width, height} that is framed, `region` points with a line around them, `shaded` points that are hardly seen. With `drags` a pointer
   * can be drawn over cells. `dead` are stones that are drawn dimmed, `owners` tells by rows whose territory each point is,
   * `X`, `O` or `.`. `line` are moves that are expected, the first of which is one of `moves`; it is drawn as well if it
   * is a `preview`.
   */
  draw(view, { line = [], preview = false, ...options } = {}) {
    const lined = JSON.stringify([line, preview]);
    if (!this.#drawCells(view, options) && lined === this.lined) return;
    this.lined = lined;
    this.#drawLine(view, line, preview);
  }

  /** Draws the first moves of a line as numbered stones, small and translucent, instead of what else is there. */
  #drawLine(view, line, preview) {
    attr(this.svg, "data-preview", preview || null);
    this.svg.querySelector(".line")?.remove();
    for (const one of this.svg.querySelectorAll(".under")) one.classList.remove("under");
    const ghosts = s("g", { class: "line", "aria-hidden": "true" });
    const [sides, seen] = [view.side === "black" ? ["black", "white"] : ["white", "black"], new Set()];
    line.slice(0, LONGEST_LINE).forEach((name, n) => {
      const at = placeOf(view, name);
      // A pass, or a point where a stone was captured, has no place of its own.
      if (view.cells[at] !== "." || seen.has(name)) return;
      seen.add(name);
      if (n === 0 && !preview) return;
      const [cx, cy] = [at % view.width, Math.floor(at / view.width)].map((place) => PAD + (place + 0.5) * CELL);
      ghosts.append(s("g", { class: `ghost ${sides[n % 2]}`, "data-move": n + 1 }, s("circle", { cx, cy, r: CELL * 0.36 }), s("text", { x: cx, y: cy + 6 }, n + 1)));
      this.svg.querySelector(`[data-name="${name}"]`).classList.add("under");
    });
    this.svg.append(ghosts);
  }

  /** Draws all but a line, if it is another picture than before; returns whether it is. */
  #drawCells(view, { moves = [], best = [], legal = [], editing = false, last = null, hints = null, zone = [], marked = [], labels = {}, part = null, region = [], shaded = [], drags = false, dead = [], owners = "" } = {}) {
    const stamp = JSON.stringify([view.game, view.width, view.height, view.cells, view.side, moves, best, legal, editing, last, hints, zone, marked, labels, part, region, shaded, drags, dead, owners]);
    if (stamp === this.stamp) return false;
    this.stamp = stamp;
    const { game, width, height, cells } = view;
    const lined = isLined(game);
    [this.shape, this.drags] = [{ game, width, height }, drags];
    attr(this.svg, "data-drags", drags || null);
    const [w, tall] = [width * CELL + 2 * PAD, height * CELL + 2 * PAD];
    // The letters of the columns are on one side only.
    attr(this.svg, "viewBox", `0 ${lined ? PAD - 6 : 0} ${w} ${tall - PAD + 6}`);
    attr(this.svg, "class", `gameboard ${game}${width > 9 || height > 9 ? " fine" : ""}`);
    const active = document.activeElement;
    const held = this.svg.contains(active) ? active.dataset.name : active === document.body ? this.left : null;
    const at = (n) => PAD + n * CELL;
    const mid = (n) => at(n) + CELL / 2;
    const parts = ground(view);
    const known = new Map(moves.map((move) => [move.name, move]));
    // What the whole board would be worth, or a won game.
    const most = game === "gomoku" ? 1 : width * height;
    const can = new Set(legal);
    // Where nearly everything is legal, saying so hides the board.
    const dotted = new Set(hints ?? (can.size <= MOST_HINTS ? legal : []));
    const [inZone, ringed, dimmed, inRegion, hidden] = [zone, marked, dead, region, shaded].map((names) => new Set(names));
    const owned = { X: t`black's territory`, O: t`white's territory` };
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const name = nameOf(game, height, x, y);
        const cell = cells[y * width + x];
        const [cx, cy] = [mid(x), mid(y)];
        const group = s("g", { "data-name": name });
        if (inRegion.has(name)) group.append(s("rect", { class: "region", x: at(x), y: at(y), width: CELL, height: CELL }));
        if (inZone.has(name)) group.append(s("rect", { class: "zone", x: at(x), y: at(y), width: CELL, height: CELL }));
        const owner = owners[y * width + x];
        const isDead = dimmed.has(name);
        if (cell === "X" || cell === "O") group.append(s("circle", { class: `stone ${cell === "X" ? "black" : "white"}${isDead ? " dead" : ""}`, cx, cy, r: CELL * 0.42 }));
        if (owner in owned) group.append(s("rect", { class: `owned ${owner === "X" ? "black" : "white"}`, x: cx - CELL * 0.15, y: cy - CELL * 0.15, width: CELL * 0.3, height: CELL * 0.3 }));
        if (ringed.has(name)) group.append(s("circle", { class: "ring", cx, cy, r: CELL * 0.3 }));
        if (labels[name]) group.append(s("text", { class: `label ${cell === "X" ? "black" : cell === "O" ? "white" : ""}`, x: cx, y: cy + 5 }, labels[name]));
        if (name === last) group.append(s("circle", { class: "lastmark", cx, cy, r: 4.5 }));
        const move = known.get(name);
        const isBest = best.includes(name);
        const text = move ? move.text ?? brief(move, most) : "";
        if (cell === "." && (isBest || can.has(name) || text)) {
          if (isBest) group.append(s("circle", { class: "bestmark", cx, cy, r: CELL * 0.42 }));
          if (text) group.append(s("text", { class: `value${text.length > 3 ? " long" : ""}${isBest ? " best" : ""}`, x: cx, y: cy + 4 }, text));
          else if (!isBest && dotted.has(name)) group.append(s("circle", { class: "hint", cx, cy, r: 5 }));
        }
        if (hidden.has(name)) group.append(s("rect", { class: "shade", x: at(x), y: at(y), width: CELL, height: CELL }));
        if (this.pick && (editing || can.has(name))) {
          group.append(s("rect", { class: "catch", x: at(x), y: at(y), width: CELL, height: CELL }));
          const what = { X: tc("a field", "black"), O: tc("a field", "white"), ".": tc("a field", "empty") }[cell];
          const said = [name, editing && what, isDead && t`dead`, inRegion.has(name) && t`in the region`, owned[owner], text && t`worth ${text}`, isBest && t`the best`].filter(Boolean).join(", ");
          for (const [key, value] of [["role", "button"], ["tabindex", "0"], ["aria-label", said]]) attr(group, key, value);
          group.classList.add("choice-cell");
          group.addEventListener("click", () => this.pick(name));
        }
        parts.push(group);
      }
    }
    if (region.length) parts.push(s("path", { class: "regionedge", d: outline(view, region) }));
    if (part) parts.push(s("rect", { class: "part", x: at(part.x), y: at(part.y), width: part.width * CELL, height: part.height * CELL, rx: 4 }));
    this.svg.replaceChildren(...parts);
    if (!this.pick) attr(this.svg, "aria-label", t`${this.label}: ${sideName(view.side)} to move; ${stones(cells)}`);
    if (held) this.#focus(view, held);
    return true;
  }

  /** Takes the keyboard's place back that it gave away, as far as there is a control again. */
  takeBack(view) {
    if (this.left) this.#focus(view, this.left);
  }

  /** Puts the keyboard's place back where it was, or as near as there is a control. */
  #focus(view, name) {
    const distance = (one) => {
      const [from, to] = [placeOf(view, name), placeOf(view, one.dataset.name)];
      return Math.hypot(from % view.width - to % view.width, Math.floor(from / view.width) - Math.floor(to / view.width));
    };
    const all = [...this.svg.querySelectorAll("[tabindex]")].map((one) => [distance(one), one]);
    const [, nearest] = all.reduce((best, one) => (one[0] < best[0] ? one : best), [Infinity, null]);
    this.left = nearest ? null : name;
    nearest?.focus({ preventScroll: true });
  }

  #key(event) {
    const node = event.target.closest("[data-name]");
    if (!node || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.pick(node.dataset.name);
      return;
    }
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const centre = (one) => {
      const box = one.querySelector(".catch");
      return [Number(box.getAttribute("x")), Number(box.getAttribute("y"))];
    };
    const [x, y] = centre(node);
    const far = (one) => {
      const [dx, dy] = [centre(one)[0] - x, centre(one)[1] - y];
      const along = dx * way[0] + dy * way[1];
      return along > 0 ? along + 2.5 * Math.abs(dx * way[1] + dy * way[0]) : Infinity;
    };
    const others = [...this.svg.querySelectorAll("[tabindex]")].map((one) => [far(one), one]).filter(([d]) => d < Infinity);
    others.sort((a, b) => a[0] - b[0])[0]?.[1].focus();
  }
}
