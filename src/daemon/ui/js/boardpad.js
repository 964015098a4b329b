// The board that a person plays on: the drawing, the legal moves at pointer and keyboard, the choice among several lines through
// a point, and in another tone what a search proposes. It knows a `Game` and tells when a move is to be played; what is done with
// moves is the view's matter.

import { BoardZoom } from "./boardzoom.js";
import { announce, attr, h, s, say, show } from "./dom.js";
import { DIRECTION_NAMES } from "./format.js";
import { CELL, Picture, pathOf } from "./grid.js";
import { t, tn } from "./language.js";
import { SIDE, bounds, ends } from "./rules.js";

/** Cells seen at least, so that the board does not grow with each of the first moves. */
const LEAST = 13;

const at = (point) => `${point.x},${point.y}`;

export class BoardPad {
  /** `played(move)` is called when a move is chosen. */
  constructor(played) {
    this.played = played;
    this.picture = new Picture({ label: t`Board` });
    this.svg = this.picture.element;
    this.svg.removeAttribute("role");
    this.svg.removeAttribute("aria-label");
    this.svg.setAttribute("aria-hidden", "true");
    this.hints = s("g", { class: "hints" });
    this.choice = s("g", { class: "choice" });
    this.cursor = s("rect", { class: "cursorbox", width: CELL * 0.94, height: CELL * 0.94, rx: 4, visibility: "hidden" });
    this.outlook = { lines: s("path", { class: "outlook" }), points: s("path", { class: "outlook dots" }) };
    this.advice = s("g", { class: "advice" });
    this.ahead = [];
    this.advised = null;
    this.picture.below.append(this.outlook.lines, this.outlook.points, this.hints);
    this.picture.above.append(this.advice, this.choice, this.cursor);
    this.prompt = h("p", { class: "prompt faint", "aria-live": "polite" }, "\u00a0");
    this.frame = h("div", { class: "frame board", tabindex: 0, role: "application", "aria-label":
      t`Board. Arrow keys go from point to point, N to the next point with a legal move, Enter plays, U takes back, R plays again, H asks for a hint, plus and minus magnify.` }, this.svg);
    this.element = h("div", { class: "stack tight" }, this.frame, this.prompt);
    this.point = null;
    this.chosen = 0;
    this.held = false;
    this.zoom = new BoardZoom(this.frame, this.svg, () => {
      this.picture.look(this.zoom.box());
      this.zoomed?.();
    });
    this.svg.addEventListener("pointermove", (event) => event.pointerType !== "touch" && !this.held && this.#hover(event));
    this.svg.addEventListener("pointerleave", () => !this.held && this.#aim(null));
    this.svg.addEventListener("click", (event) => this.#click(event));
    this.frame.addEventListener("keydown", (event) => this.#key(event));
    this.frame.addEventListener("focus", () => {
      if (this.frame.matches(":focus-visible") && !this.point) this.#aim(this.legal[0] ? { x: this.legal[0].x, y: this.legal[0].y } : { x: 30, y: 30 }, true);
    });
    this.frame.addEventListener("blur", () => {
      attr(this.cursor, "visibility", "hidden");
    });
  }

  /** Whether legal moves are marked. */
  hinted(on) {
    show(this.hints, on);
    this.hints.style.display = on ? "" : "none";
  }

  /** Draws the game. */
  draw(game) {
    this.game = game;
    this.legal = game.legal();
    this.byPoint = Map.groupBy ? Map.groupBy(this.legal, at) : group(this.legal);
    this.#look();
    this.picture.draw(game.variant, game.moves, { view: this.zoom.box(), total: Math.max(game.moves.length, 30) });
    this.hints.replaceChildren(...[...this.byPoint.values()].map(([move, ...more]) =>
      s("circle", { class: more.length ? "hint several" : "hint", cx: move.x * CELL, cy: move.y * CELL, r: more.length ? 4.2 : 3.2 })));
    this.held = false;
    this.#preview();
    const last = game.moves.at(-1);
    attr(this.picture.last, "visibility", last ? "visible" : "hidden");
    if (last) {
      attr(this.picture.last, "cx", last.x * CELL);
      attr(this.picture.last, "cy", last.y * CELL);
    }
  }

  /** Shows what a search has found: the moves that follow the position, and the one that it proposes next. */
  foresee(ahead, advised) {
    if (ahead.length !== this.ahead.length || ahead.some((move, n) => move !== this.ahead[n])) {
      this.ahead = ahead;
      const { lines, dots } = pathOf(this.game.variant, ahead);
      attr(this.outlook.lines, "d", lines);
      attr(this.outlook.points, "d", dots);
      this.#look();
      this.picture.look(this.zoom.box());
    }
    if (advised === this.advised) return;
    this.advised = advised;
    if (!advised) {
      this.advice.replaceChildren();
      return;
    }
    const [x1, y1, x2, y2] = ends(this.game.variant, advised).map((v) => v * CELL);
    this.advice.replaceChildren(s("line", { x1, y1, x2, y2 }), s("circle", { cx: advised.x * CELL, cy: advised.y * CELL, r: 6 }));
    this.zoom.reveal(advised);
  }

  #look() {
    this.zoom.cover(this.#view(this.game));
  }

  /** The part that is seen grows by whole steps, and shrinks only when a game begins anew. */
  #view(game) {
    const [left, top, right, bottom] = bounds(game.variant, game.moves);
    const reach = [...this.legal, ...this.ahead].reduce(([l, t, r, b], m) => [Math.min(l, m.x), Math.min(t, m.y), Math.max(r, m.x), Math.max(b, m.y)], [left, top, right, bottom]);
    const need = Math.max(reach[2] - reach[0], reach[3] - reach[1]);
    const side = Math.max(LEAST, Math.ceil(need / 3) * 3);
    const [x, y] = [(reach[0] + reach[2]) / 2, (reach[1] + reach[3]) / 2];
    const corner = [{ x: Math.floor(x - side / 2), y: Math.floor(y - side / 2) }, { x: Math.floor(x - side / 2) + side, y: Math.floor(y - side / 2) + side }];
    const old = this.seen;
    const fits = old && old.variant === game.variant && game.moves.length > 0 && reach[0] >= old.l && reach[1] >= old.t && reach[2] <= old.r && reach[3] <= old.b;
    if (!fits) {
      this.seen = { variant: game.variant, l: corner[0].x, t: corner[0].y, r: corner[1].x, b: corner[1].y };
    }
    const { l, t, r, b } = this.seen;
    const margin = 1;
    return [l - margin, t - margin, r - l + 2 * margin, b - t + 2 * margin];
  }

  #under(event) {
    const matrix = this.svg.getScreenCTM();
    if (!matrix) return null;
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return { x: p.x / CELL, y: p.y / CELL };
  }

  /** The point with a legal move next to the pointer; a finger may be a cell away. */
  #near(p, reach) {
    let best = null;
    for (const [move] of this.byPoint.values()) {
      const distance = Math.hypot(move.x - p.x, move.y - p.y);
      if (distance <= reach && (!best || distance < best.distance)) best = { x: move.x, y: move.y, distance };
    }
    return best && { x: best.x, y: best.y };
  }

  #hover(event) {
    const p = this.#under(event);
    const point = p && this.#near(p, 0.6);
    if (point && this.point && at(point) === at(this.point)) {
      this.#nearest(p);
      return;
    }
    this.#aim(point);
    if (point) this.#nearest(p);
  }

  /** Of several lines through the point, the one that the pointer leans to. */
  #nearest(p) {
    const moves = this.#here();
    if (moves.length < 2) return;
    const lean = (move) => {
      const [x1, y1, x2, y2] = ends(this.game.variant, move);
      const [mx, my] = [(x1 + x2) / 2 - move.x, (y1 + y2) / 2 - move.y];
      const length = Math.hypot(mx, my) || 1;
      return (mx * (p.x - move.x) + my * (p.y - move.y)) / length - (mx === 0 && my === 0 ? 0.05 : 0);
    };
    const chosen = moves.map(lean).reduce((best, v, n, all) => (v > all[best] ? n : best), 0);
    if (chosen !== this.chosen) {
      this.chosen = chosen;
      this.#preview();
    }
  }

  #here() {
    return (this.point && this.byPoint.get(at(this.point))) || [];
  }

  #click(event) {
    const p = this.#under(event);
    if (this.zoom.tookClick() || !p) return;
    const line = event.target.closest?.("[data-choice]");
    if (line) {
      this.#play(this.#here()[Number(line.dataset.choice)]);
      return;
    }
    const point = this.#near(p, event.pointerType === "touch" ? 0.95 : 0.6);
    if (!point) {
      this.held = false;
      this.#aim(null);
      return;
    }
    const again = this.point && at(point) === at(this.point);
    if (!again || !this.held) this.#aim(point);
    const moves = this.#here();
    if (moves.length === 1) {
      this.#play(moves[0]);
      return;
    }
    // Several lines go through the point: they stay shown until one is chosen.
    this.held = true;
    this.#preview();
  }

  #play(move) {
    if (!move) return;
    this.held = false;
    const keep = this.frame.contains(document.activeElement) && this.frame.matches(":focus-visible");
    this.point = keep ? { x: move.x, y: move.y } : null;
    this.played(move);
    const left = tn(this.legal.length, "{0} legal move is left.", "{0} legal moves are left.");
    announce(`${t`Move ${this.game.moves.length}: column ${move.x}, row ${move.y}, ${DIRECTION_NAMES[move.d]}.`} ${left}`);
  }

  #aim(point, keyboard = false) {
    this.point = point;
    this.chosen = 0;
    this.held = false;
    if (point && keyboard) {
      this.zoom.reveal(point);
      attr(this.cursor, "visibility", "visible");
      attr(this.cursor, "x", (point.x - 0.47) * CELL);
      attr(this.cursor, "y", (point.y - 0.47) * CELL);
    } else {
      attr(this.cursor, "visibility", "hidden");
    }
    this.#preview();
  }

  /** Draws the lines that can be chosen, and says what they are. */
  #preview() {
    const moves = this.#here();
    this.chosen = Math.min(this.chosen, Math.max(0, moves.length - 1));
    const wide = this.held && moves.length > 1;
    this.svg.classList.toggle("choosing", wide);
    this.choice.replaceChildren(...moves.flatMap((move, n) => {
      const [x1, y1, x2, y2] = ends(this.game.variant, move).map((v) => v * CELL);
      const cls = n === this.chosen ? "on" : "";
      const visible = s("line", { class: `candidate ${cls}`, x1, y1, x2, y2 });
      return wide ? [visible, s("line", { class: "catch", "data-choice": n, x1, y1, x2, y2 })] : [visible];
    }), ...(moves.length ? [s("circle", { class: "candidatepoint", cx: this.point.x * CELL, cy: this.point.y * CELL, r: 5 })] : []),
    ...(wide ? moves.map((move, n) => {
      // The number of a line stands at its far end, where it is clear of the others.
      const [x1, y1, x2, y2] = ends(this.game.variant, move).map((v) => v * CELL);
      const far = Math.hypot(x1 - move.x * CELL, y1 - move.y * CELL) > Math.hypot(x2 - move.x * CELL, y2 - move.y * CELL) ? [x1, y1] : [x2, y2];
      return s("g", { class: `label ${n === this.chosen ? "on" : ""}`, "data-choice": n },
        s("circle", { cx: far[0], cy: far[1], r: 7.5 }), s("text", { x: far[0], y: far[1], dy: "0.35em" }, String(n + 1)));
    }) : []));
    const text = !this.point ? "" : !moves.length ? t`(${this.point.x}, ${this.point.y}): no legal move`
      : moves.length === 1 ? `(${this.point.x}, ${this.point.y}) ${DIRECTION_NAMES[moves[0].d]}`
        : wide ? t`(${this.point.x}, ${this.point.y}): ${moves.length} lines, choose one (1 to ${moves.length}, or tap it)`
          : t`(${this.point.x}, ${this.point.y}): ${moves.length} lines, choose one`;
    say(this.prompt, text || (this.legal.length ? t`Choose a marked point.` : t`No legal move is left: the game is over.`));
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const moves = this.#here();
    const from = this.point || { x: 30, y: 30 };
    if (event.key in steps) {
      const [dx, dy] = steps[event.key];
      const inside = (v) => Math.max(0, Math.min(SIDE - 1, v));
      this.#aim({ x: inside(from.x + dx), y: inside(from.y + dy) }, true);
    } else if (event.key === "n" || event.key === "p") {
      const points = [...this.byPoint.values()].map(([m]) => m).sort((a, b) => a.y - b.y || a.x - b.x);
      if (!points.length) return;
      const order = (m) => m.y * 64 + m.x;
      const next = event.key === "n" ? points.find((m) => order(m) > order(from)) || points[0] : points.findLast((m) => order(m) < order(from)) || points.at(-1);
      this.#aim({ x: next.x, y: next.y }, true);
    } else if ((event.key === "Enter" || event.key === " ") && moves.length) {
      if (moves.length === 1 || this.held) this.#play(moves[this.chosen]);
      else {
        this.held = true;
        this.#preview();
      }
    } else if (/^[1-9]$/.test(event.key) && moves[Number(event.key) - 1]) {
      this.#play(moves[Number(event.key) - 1]);
    } else if (event.key === "Tab" && this.held && !event.shiftKey && this.chosen < moves.length - 1) {
      this.chosen += 1;
      this.#preview();
    } else if (event.key === "Escape" && this.held) {
      this.held = false;
      this.#preview();
      event.stopPropagation();
    } else {
      return;
    }
    event.preventDefault();
  }

  /** Puts the keyboard's place back after a move was drawn. */
  refocus() {
    if (this.point && this.frame.matches(":focus-visible")) this.#aim(this.point, true);
  }
}

function group(moves) {
  const map = new Map();
  for (const move of moves) map.set(at(move), [...(map.get(at(move)) || []), move]);
  return map;
}
