// The diagram of a game tree: a column for each node of a line, a row for each variation, moves as stones with their numbers, other
// nodes grey. Only what is in sight is drawn, so that large trees cost no more than small ones.

import { attr, h, s } from "./dom.js";
import { moveOf } from "./gametree.js";

const STEP = 30;
const RADIUS = 11.5;
const PAD = 20;

/** The places of all nodes: {node, parent, column, row, number}, the first line in the first row. */
export function layout(first) {
  const places = new Map();
  const free = [];
  const open = [first];
  let rows = 0;
  while (open.length) {
    const begin = open.pop();
    const line = [];
    for (let node = begin; node; node = node.children[0]) line.push(node);
    const above = places.get(begin.parent) ?? null;
    const column = above ? above.column + 1 : 0;
    // The line that leads down to it takes the column before.
    let row = above ? above.row + 1 : 0;
    for (let n = Math.max(0, column - 1); n < column + line.length; n++) row = Math.max(row, free[n] ?? 0);
    let number = above?.number ?? 0;
    line.forEach((node, n) => {
      if (moveOf(node)) number += 1;
      places.set(node, { node, parent: places.get(node.parent) ?? null, column: column + n, row, number });
      free[column + n] = row + 1;
    });
    if (above) free[column - 1] = Math.max(free[column - 1] ?? 0, row + 1);
    rows = Math.max(rows, row + 1);
    // The last variations of a line are the next ones.
    for (const node of line) open.push(...node.children.slice(1).reverse());
  }
  return { places, columns: free.length, rows };
}

/** `go(node)` is called with the node that somebody chose. */
export class TreeDiagram {
  constructor(go, label) {
    this.go = go;
    this.svg = s("svg", { class: "tree", role: "img", "aria-label": label });
    this.element = h("div", { class: "treeframe", tabindex: 0, role: "group", "aria-label": label }, this.svg);
    this.element.addEventListener("scroll", () => this.#paint());
    this.element.addEventListener("click", (event) => {
      const node = this.shown?.get(event.target.closest("[data-node]"));
      if (node) this.go(node);
    });
    new ResizeObserver(() => this.#paint()).observe(this.element);
  }

  /** Draws the tree of a game with a node marked. `stamp` changes with the tree. */
  draw(first, at, stamp) {
    if (this.stamp !== stamp || this.first !== first) {
      [this.stamp, this.first] = [stamp, first];
      this.laid = layout(first);
      attr(this.svg, "width", this.laid.columns * STEP + 2 * PAD - STEP);
      attr(this.svg, "height", this.laid.rows * STEP + 2 * PAD - STEP);
    }
    const moved = this.at !== at;
    this.at = at;
    if (moved) this.#reveal();
    this.#paint();
  }

  #reveal() {
    const place = this.laid.places.get(this.at);
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!place || !width) return;
    const within = (now, from, length) => Math.min(Math.max(now, from + STEP - length), from - STEP);
    this.element.scrollLeft = within(this.element.scrollLeft, PAD + place.column * STEP, width - STEP);
    this.element.scrollTop = within(this.element.scrollTop, PAD + place.row * STEP, height);
  }

  #paint() {
    if (!this.laid) return;
    const { scrollLeft: left, scrollTop: top, clientWidth: width, clientHeight: height } = this.element;
    const x = (place) => PAD + place.column * STEP;
    const y = (place) => PAD + place.row * STEP;
    const seen = (place) => {
      const from = place.parent ?? place;
      return x(place) >= left - STEP && x(from) <= left + width + STEP && y(place) >= top - STEP && y(from) <= top + height + STEP;
    };
    const [lines, nodes] = [[], []];
    this.shown = new Map();
    for (const place of this.laid.places.values()) {
      if (!seen(place)) continue;
      const { node, parent, number } = place;
      if (parent) {
        const d = parent.row === place.row ? `M${x(parent)} ${y(parent)}H${x(place)}`
          : `M${x(parent)} ${y(parent)}V${y(place) - STEP / 2}L${x(parent) + STEP / 2} ${y(place)}H${x(place)}`;
        lines.push(s("path", { class: "branch", d }));
      }
      const move = moveOf(node);
      const group = s("g", { class: `treenode${node === this.at ? " on" : ""}`, "data-node": "" });
      if (move) group.append(s("circle", { class: `stone ${move.side}`, cx: x(place), cy: y(place), r: RADIUS }),
        s("text", { class: move.side, x: x(place), y: y(place) + 3.5 }, number));
      else group.append(s("rect", { class: "edit", x: x(place) - 8, y: y(place) - 8, width: 16, height: 16, rx: 4 }));
      if (node.comment) group.append(s("circle", { class: "said", cx: x(place) + 9, cy: y(place) - 9, r: 3.2 }));
      if (node === this.at) group.append(s("circle", { class: "here", cx: x(place), cy: y(place), r: RADIUS + 2.5 }));
      this.shown.set(group, node);
      nodes.push(group);
    }
    this.svg.replaceChildren(...lines, ...nodes);
  }
}
