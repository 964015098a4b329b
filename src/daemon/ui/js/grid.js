// Draws grids as SVG, in the colours of the program's pictures: a move has a colour by its age (or its direction), which the
// style sheet gives to the classes a0 to a21 (d0 to d3), so that a change of theme costs nothing here.

import { h, s } from "./dom.js";
import { moves as inMoves } from "./format.js";
import { t } from "./language.js";
import { bounds, cross, ends } from "./rules.js";

/** Units of the drawing per cell. */
export const CELL = 20;
const AGES = 22;
const MARGIN = 0.9;

/** Class of move `n` (from 0) of `total`. */
export const ageClass = (n, total) => `a${total > 1 ? Math.round((n / (total - 1)) * (AGES - 1)) : 0}`;

/** The box that shows all of a grid: [left, top, width, height] in cells; square, at least as large as asked for. */
export function box(variant, moves, least = 0, margin = MARGIN) {
  const [left, top, right, bottom] = bounds(variant, moves);
  const side = Math.max(right - left, bottom - top, least) + 2 * margin;
  return [(left + right - side) / 2, (top + bottom - side) / 2, side, side];
}

const viewBox = (b) => b.map((v) => +(v * CELL).toFixed(2)).join(" ");

function rules(b) {
  const [left, top, width, height] = b;
  let d = "";
  for (let x = Math.ceil(left); x < left + width; x++) d += `M${x * CELL} ${top * CELL}v${height * CELL}`;
  for (let y = Math.ceil(top); y < top + height; y++) d += `M${left * CELL} ${y * CELL}h${width * CELL}`;
  return s("path", { class: "rule", d });
}

const dot = ([x, y]) => `M${x * CELL} ${y * CELL}h0`;

/**
 * A small still picture: few nodes, one path for the moves of each age. `mark(n)` may give the class of move n instead of that of
 * its age.
 */
export function thumbnail(variant, moves, { label, mark, view } = {}) {
  const b = view || box(variant, moves);
  const groups = new Map();
  moves.forEach((move, n) => {
    const name = mark ? mark(n) : ageClass(n, moves.length);
    const [x1, y1, x2, y2] = ends(variant, move);
    const group = groups.get(name) || { lines: "", dots: "" };
    group.lines += `M${x1 * CELL} ${y1 * CELL}L${x2 * CELL} ${y2 * CELL}`;
    group.dots += dot([move.x, move.y]);
    groups.set(name, group);
  });
  const all = [...groups];
  return s("svg", { class: "grid thumb", viewBox: viewBox(b), role: "img", "aria-label": label || `${variant}, ${inMoves(moves.length)}` },
    all.map(([name, group]) => s("path", { class: `line ${name}`, d: group.lines })),
    s("path", { class: "crossdot", d: cross(variant).map(dot).join("") }),
    all.map(([name, group]) => s("path", { class: `dot ${name}`, d: group.dots })));
}

/** Moves as two paths: their lines, and their points as dots. */
export function pathOf(variant, moves) {
  const all = moves.map((move) => ends(variant, move).map((v) => v * CELL));
  return { lines: all.map(([x1, y1, x2, y2]) => `M${x1} ${y1}L${x2} ${y2}`).join(""), dots: moves.map(({ x, y }) => dot([x, y])).join("") };
}

/**
 * A small drawing that explains something: points, [x, y], and lines, {from, to, point, look}, the last two what it adds and how it
 * looks; so many cells wide and high.
 */
export function diagram(points, lines, { width, height, label }) {
  const look = [-MARGIN, -MARGIN, width - 1 + 2 * MARGIN, height - 1 + 2 * MARGIN];
  return s("svg", { class: "grid thumb diagram", viewBox: viewBox(look), role: "img", "aria-label": label }, rules(look),
    lines.map(({ from, to, look: name }) => s("path", { class: `line ${name}`, d: `M${from.map((v) => v * CELL).join(" ")}L${to.map((v) => v * CELL).join(" ")}` })),
    s("path", { class: "crossdot", d: points.map(dot).join("") }),
    lines.filter(({ point }) => point).map(({ point, look: name }) => s("path", { class: `dot ${name}`, d: dot(point) })));
}

/** A large picture whose moves can be shown up to any number, without being built anew. */
export class Picture {
  constructor({ numbers = true, label = t`Grid` } = {}) {
    this.lines = s("g", { class: "lines" });
    this.points = s("g", {});
    this.below = s("g", {});
    this.above = s("g", {});
    this.last = s("circle", { class: "last", r: 0.5 * CELL, visibility: "hidden" });
    this.ruled = s("g", {});
    this.crossed = s("g", {});
    this.element = s("svg", { class: "grid large", role: "img", "aria-label": label },
      this.ruled, this.below, this.lines, this.crossed, this.points, this.last, this.above);
    this.numbers(numbers);
    this.nodes = [];
    this.moves = [];
    this.upto = 0;
  }

  /** With numbers in the points, or without. */
  numbers(on) {
    this.element.classList.toggle("numbered", on);
  }

  /** The part of the area that is seen, as `box` gives it. */
  look(b) {
    const text = viewBox(b);
    if (this.element.getAttribute("viewBox") === text) return;
    this.element.setAttribute("viewBox", text);
    this.ruled.replaceChildren(rules(b));
  }

  /**
   * Draws the moves, those before number `upto` visible. `total` says how many make the whole range of colours; `mark(n)` may give
   * a class of its own to move n.
   */
  draw(variant, moves, { upto = moves.length, total = moves.length, mark, view } = {}) {
    this.look(view || box(variant, moves));
    if (this.variant !== variant) {
      this.variant = variant;
      this.crossed.replaceChildren(...cross(variant).map(([x, y]) =>
        s("circle", { class: "cross", cx: x * CELL, cy: y * CELL, r: 0.25 * CELL })));
      this.#clear(0);
    }
    let equal = 0;
    while (equal < moves.length && equal < this.nodes.length && this.moves[equal] === moves[equal]) equal++;
    this.#clear(equal);
    for (let n = equal; n < moves.length; n++) this.#add(variant, moves[n], n);
    this.moves = [...moves];
    this.nodes.forEach((node, n) => {
      const name = mark ? mark(n) : `${ageClass(n, Math.max(total, 2))} d${moves[n].d}`;
      if (node.name !== name) {
        node.name = name;
        node.line.setAttribute("class", `line ${name}`);
        node.point.setAttribute("class", `point ${name}`);
      }
    });
    this.show(Math.min(upto, moves.length), true);
  }

  #clear(from) {
    for (const node of this.nodes.splice(from)) {
      node.line.remove();
      node.point.remove();
    }
    this.upto = Math.min(this.upto, from);
  }

  #add(variant, move, n) {
    const [x1, y1, x2, y2] = ends(variant, move).map((v) => v * CELL);
    const node = {
      line: s("line", { x1, y1, x2, y2 }),
      point: s("g", {},
        s("circle", { cx: move.x * CELL, cy: move.y * CELL, r: 0.35 * CELL }),
        s("text", { x: move.x * CELL, y: move.y * CELL, dy: "0.35em", class: n > 98 ? "small" : undefined }, String(n + 1))),
    };
    this.lines.append(node.line);
    this.points.append(node.point);
    this.nodes.push(node);
  }

  /** Shows the first `upto` moves. */
  show(upto, all = false) {
    const [from, to] = all ? [0, this.nodes.length] : [Math.min(upto, this.upto), Math.max(upto, this.upto)];
    for (let n = from; n < to && n < this.nodes.length; n++) {
      const seen = n < upto ? "visible" : "hidden";
      this.nodes[n].line.setAttribute("visibility", seen);
      this.nodes[n].point.setAttribute("visibility", seen);
    }
    this.upto = upto;
    const move = this.moves[upto - 1];
    this.last.setAttribute("visibility", move && upto < this.nodes.length ? "visible" : "hidden");
    if (move) {
      this.last.setAttribute("cx", move.x * CELL);
      this.last.setAttribute("cy", move.y * CELL);
    }
  }
}

const CHOICE = "morpion.grid";

function choices() {
  try {
    return { numbers: true, colours: "age", ...JSON.parse(localStorage.getItem(CHOICE) || "{}") };
  } catch {
    return { numbers: true, colours: "age" };
  }
}

/** What the reader wants to see of grids, kept for the next time: switches for numbers and colours, to stand under a picture. */
export function switches(picture) {
  const chosen = choices();
  const apply = () => {
    picture.numbers(chosen.numbers);
    picture.element.classList.toggle("by-direction", chosen.colours === "direction");
    try {
      localStorage.setItem(CHOICE, JSON.stringify(chosen));
    } catch {
      // Then the choice holds for this picture only.
    }
  };
  apply();
  const numbers = h("input", { type: "checkbox", checked: chosen.numbers, onchange: (e) => {
    chosen.numbers = e.target.checked;
    apply();
  } });
  const colours = h("select", { "aria-label": t`Colours of the moves`, onchange: (e) => {
    chosen.colours = e.target.value;
    apply();
  } }, h("option", { value: "age" }, t`colours by age`), h("option", { value: "direction" }, t`colours by direction`));
  colours.value = chosen.colours;
  return h("div", { class: "row faint switches" }, h("label", { class: "check" }, numbers, " ", t`numbers`), colours);
}
