// The bounds of a value against time, as SVG: a band that closes. It fills the width that it is given, at a fixed height.

import { h, s, say } from "./dom.js";
import { fitted, ticks, timeTicks } from "./chart.js";
import { tick } from "./format.js";
import { between } from "./gameboard.js";
import { t } from "./language.js";

const PAD = { left: 44, right: 14, top: 10, bottom: 26 };

/** `set([{seconds, lower, upper}, ...])`, ascending. */
export class BoundsChart {
  constructor({ height = 200 } = {}) {
    this.height = height;
    this.points = [];
    this.svg = s("svg", { class: "chart bounds", height, role: "img", "aria-label": t`Bounds of the value against time` });
    this.readout = h("p", { class: "readout faint" }, "\u00a0");
    this.element = h("figure", { class: "figure" }, this.svg, this.readout);
    this.fit = fitted(this.element, () => this.draw());
  }

  set(points) {
    const last = points.at(-1);
    const stamp = JSON.stringify([points.length, last?.lower, last?.upper, Math.round(Math.log(Math.max(last?.seconds || 0, 1e-3)) * 200)]);
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    this.points = [...points].sort((a, b) => a.seconds - b.seconds);
    this.draw();
  }

  destroy() {
    this.fit.stop();
  }

  draw() {
    const width = this.fit.width();
    if (!width || !this.points.length) return;
    const { points } = this;
    attrs(this.svg, width, this.height);
    const last = Math.max(points.at(-1).seconds, 1e-3);
    const [low, high] = [Math.min(...points.map((p) => p.lower)) - 1, Math.max(...points.map((p) => p.upper)) + 1];
    const inner = width - PAD.left - PAD.right;
    const x = (time) => PAD.left + (inner * Math.min(time, last)) / last;
    const y = (v) => this.height - PAD.bottom - ((this.height - PAD.top - PAD.bottom) * (v - low)) / (high - low);
    const parts = ticks(low, high, this.height / 40).filter(Number.isInteger).flatMap((v) => [
      s("path", { class: "gridline", d: `M${PAD.left} ${y(v).toFixed(1)}h${inner}` }),
      s("text", { class: "tick", x: PAD.left - 8, y: (y(v) + 4).toFixed(1), "text-anchor": "end" }, between(v, v))]);
    for (const time of timeTicks(last, inner / 80, false, 0)) {
      parts.push(s("text", { class: "tick", x: x(time).toFixed(1), y: this.height - 8, "text-anchor": "middle" }, tick(time)));
    }
    // Each bound is a staircase; the band is what lies between.
    const stairs = (of) => points.map((p, n) => `${n ? `H${x(p.seconds).toFixed(1)}V` : `${PAD.left} `}${y(of(p)).toFixed(1)}`).join("");
    const back = [...points].reverse();
    const under = back.map((p, n) => `${n ? "V" : "L"}${n ? "" : `${x(p.seconds).toFixed(1)} `}${y(p.lower).toFixed(1)}H${(n + 1 < back.length ? x(p.seconds) : PAD.left).toFixed(1)}`).join("");
    parts.push(s("path", { class: "band", d: `M${stairs((p) => p.upper)}${under}z` }),
      s("path", { class: "series s1", d: `M${stairs((p) => p.upper)}` }), s("path", { class: "series s0", d: `M${stairs((p) => p.lower)}` }),
      s("path", { class: "axis", d: `M${PAD.left} ${this.height - PAD.bottom}h${inner}` }));
    this.svg.replaceChildren(...parts);
    say(this.readout, t`after ${tick(last)}: ${between(points.at(-1).lower, points.at(-1).upper)}`);
  }
}

function attrs(svg, width, height) {
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
}
