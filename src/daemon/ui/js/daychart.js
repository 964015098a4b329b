// A value for each day, as SVG: bars over an axis of days. It fills the width that it is given, at a fixed height.

import { h, s, say } from "./dom.js";
import { fitted, ticks } from "./chart.js";
import { decimal } from "./format.js";

const PAD = { left: 44, right: 14, top: 10, bottom: 26 };
const DAY_MS = 86_400_000;

/** Number of a day, written as year-month-day, since 1970. */
const dayNumber = (day) => Math.round(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
const dayText = (number) => new Date(number * DAY_MS).toISOString().slice(0, 10);

/** `set([{day, value}, ...])`, ascending; days without a value have no bar. `text` says what a value is. */
export class DayChart {
  constructor({ height = 200, label, text = String } = {}) {
    this.height = height;
    this.text = text;
    this.points = [];
    this.svg = s("svg", { class: "chart", height, role: "img", "aria-label": label });
    this.readout = h("p", { class: "readout faint" }, "\u00a0");
    this.element = h("figure", { class: "figure" }, this.svg, this.readout);
    this.fit = fitted(this.element, () => this.draw());
    this.svg.addEventListener("pointermove", (event) => this.#point(event));
    this.svg.addEventListener("pointerleave", () => this.#leave());
  }

  set(points) {
    const stamp = JSON.stringify(points);
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    this.points = points.map(({ day, value }) => ({ at: dayNumber(day), value }));
    this.draw();
  }

  destroy() {
    this.fit.stop();
  }

  draw() {
    const width = this.fit.width();
    if (!width || !this.points.length) return;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
    // A week at least, so that a first day is not one broad bar.
    const last = this.points.at(-1).at;
    const first = Math.min(this.points[0].at, last - 6);
    const days = last - first + 1;
    const inner = width - PAD.left - PAD.right;
    const top = Math.max(...this.points.map((p) => p.value)) * 1.08 || 1;
    const x = (at) => PAD.left + (inner * (at - first)) / days;
    const y = (v) => this.height - PAD.bottom - ((this.height - PAD.top - PAD.bottom) * v) / top;
    this.scale = { first, days, inner };
    const parts = ticks(0, top, this.height / 45).flatMap((v) => [
      s("path", { class: "gridline", d: `M${PAD.left} ${y(v).toFixed(1)}h${inner}` }),
      s("text", { class: "tick", x: PAD.left - 8, y: y(v).toFixed(1), dy: "0.32em", "text-anchor": "end" }, decimal(v))]);
    const step = Math.max(1, Math.ceil(days / Math.max(1, Math.floor(inner / 100))));
    for (let at = last; at >= first; at -= step) {
      const middle = x(at + 0.5);
      if (middle - PAD.left < 30 || width - middle < 30) continue;
      parts.push(s("text", { class: "tick", x: middle.toFixed(1), y: this.height - 8, "text-anchor": "middle" }, dayText(at)));
    }
    const broad = Math.max(1, (inner / days) * 0.82);
    const base = this.height - PAD.bottom;
    const d = this.points.map(({ at, value }) =>
      `M${(x(at + 0.5) - broad / 2).toFixed(1)} ${base}V${Math.min(y(value), base - 1).toFixed(1)}h${broad.toFixed(1)}V${base}z`).join("");
    parts.push(s("path", { class: "bars s0", d }), s("path", { class: "axis", d: `M${PAD.left} ${base}h${inner}` }));
    this.svg.replaceChildren(...parts);
    if (!this.over) this.#leave();
  }

  #read({ at, value }) {
    say(this.readout, `${dayText(at)}: ${this.text(value)}`);
  }

  #point(event) {
    if (!this.scale) return;
    this.over = true;
    const { first, days, inner } = this.scale;
    const share = (event.clientX - this.svg.getBoundingClientRect().left - PAD.left) / inner;
    const at = first + Math.min(days - 1, Math.max(0, Math.floor(share * days)));
    this.#read(this.points.find((p) => p.at === at) || { at, value: 0 });
  }

  #leave() {
    this.over = false;
    if (this.points.length) this.#read(this.points.at(-1));
  }
}
