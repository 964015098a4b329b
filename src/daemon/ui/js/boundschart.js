// The bounds of a value against time, as SVG: a band that closes.

import { s, say } from "./dom.js";
import { ticks, timeTicks } from "./chart.js";
import { tick } from "./format.js";
import { between } from "./gameboard.js";
import { t } from "./language.js";
import { PAD, PlotFrame } from "./plotframe.js";

/** `set([{seconds, lower, upper}, ...])`, ascending. */
export class BoundsChart extends PlotFrame {
  constructor({ height, label = t`Bounds of the value against time` } = {}) {
    super({ height, label, kind: "chart bounds" });
  }

  set(points) {
    const last = points.at(-1);
    const stamp = JSON.stringify([points.length, last?.lower, last?.upper, Math.round(Math.log(Math.max(last?.seconds || 0, 1e-3)) * 200)]);
    this.show(stamp, [...points].sort((a, b) => a.seconds - b.seconds));
  }

  parts(inner) {
    const { points } = this;
    const last = this.#last();
    const [low, high] = [Math.min(...points.map((p) => p.lower)) - 1, Math.max(...points.map((p) => p.upper)) + 1];
    const x = (time) => PAD.left + (inner * Math.min(time, last)) / last;
    const y = this.scaled(low, high);
    const parts = ticks(low, high, this.height / 40).filter(Number.isInteger).flatMap((v) => this.level(y(v), inner, between(v, v)));
    for (const time of timeTicks(last, inner / 80, false, 0)) parts.push(this.below(x(time), tick(time)));
    // Each bound is a staircase; the band is what lies between.
    const stairs = (of) => points.map((p, n) => `${n ? `H${x(p.seconds).toFixed(1)}V` : `${PAD.left} `}${y(of(p)).toFixed(1)}`).join("");
    const back = [...points].reverse();
    const under = back.map((p, n) => `${n ? "V" : "L"}${n ? "" : `${x(p.seconds).toFixed(1)} `}${y(p.lower).toFixed(1)}H${(n + 1 < back.length ? x(p.seconds) : PAD.left).toFixed(1)}`).join("");
    return [...parts, s("path", { class: "band", d: `M${stairs((p) => p.upper)}${under}z` }),
      s("path", { class: "series s1", d: `M${stairs((p) => p.upper)}` }), s("path", { class: "series s0", d: `M${stairs((p) => p.lower)}` }),
      this.axis(inner)];
  }

  drawn() {
    const { lower, upper } = this.points.at(-1);
    say(this.readout, t`after ${tick(this.#last())}: ${between(lower, upper)}`);
  }

  #last() {
    return Math.max(this.points.at(-1).seconds, 1e-3);
  }
}
