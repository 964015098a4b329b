// A value for each day, as SVG: bars over an axis of days.

import { s, say } from "./dom.js";
import { ticks } from "./chart.js";
import { decimal } from "./format.js";
import { PAD, PlotFrame } from "./plotframe.js";

const DAY_MS = 86_400_000;

/** Number of a day, written as year-month-day, since 1970. */
const dayNumber = (day) => Math.round(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
const dayText = (number) => new Date(number * DAY_MS).toISOString().slice(0, 10);

/** `set([{day, value}, ...])`, ascending; days without a value have no bar. `text` says what a value is. */
export class DayChart extends PlotFrame {
  constructor({ height, label, text = String } = {}) {
    super({ height, label });
    this.text = text;
    this.svg.addEventListener("pointermove", (event) => this.#point(event));
    this.svg.addEventListener("pointerleave", () => this.#leave());
  }

  set(points) {
    this.show(JSON.stringify(points), points.map(({ day, value }) => ({ at: dayNumber(day), value })));
  }

  parts(inner) {
    // A week at least, so that a first day is not one broad bar.
    const last = this.points.at(-1).at;
    const first = Math.min(this.points[0].at, last - 6);
    const days = last - first + 1;
    const top = Math.max(...this.points.map((p) => p.value)) * 1.08 || 1;
    const x = (at) => PAD.left + (inner * (at - first)) / days;
    const y = this.scaled(0, top);
    this.scale = { first, days, inner };
    const parts = ticks(0, top, this.height / 45).flatMap((v) => this.level(y(v), inner, decimal(v)));
    const step = Math.max(1, Math.ceil(days / Math.max(1, Math.floor(inner / 100))));
    for (let at = last; at >= first; at -= step) {
      const middle = x(at + 0.5);
      if (middle - PAD.left < 30 || PAD.left + inner + PAD.right - middle < 30) continue;
      parts.push(this.below(middle, dayText(at)));
    }
    const broad = Math.max(1, (inner / days) * 0.82);
    const base = y(0);
    const d = this.points.map(({ at, value }) =>
      `M${(x(at + 0.5) - broad / 2).toFixed(1)} ${base}V${Math.min(y(value), base - 1).toFixed(1)}h${broad.toFixed(1)}V${base}z`).join("");
    return [...parts, s("path", { class: "bars s0", d }), this.axis(inner)];
  }

  drawn() {
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
