// What small charts share: an SVG that fills the width that it is given, at a fixed height, with a line of text below.

import { h, s } from "./dom.js";
import { fitted } from "./chart.js";

export const PAD = { left: 44, right: 14, top: 10, bottom: 26 };

/** A chart has `parts(inner)`, what is to be drawn of `points` on an area of this width, and `drawn()` if more is to be done then. */
export class PlotFrame {
  constructor({ height = 200, label, kind = "chart" }) {
    this.height = height;
    this.points = [];
    this.svg = s("svg", { class: kind, height, role: "img", "aria-label": label });
    this.readout = h("p", { class: "readout faint" }, "\u00a0");
    this.element = h("figure", { class: "figure" }, this.svg, this.readout);
    this.fit = fitted(this.element, () => this.draw());
  }

  /** Draws these points, unless the last ones had the same stamp. */
  show(stamp, points) {
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    this.points = points;
    this.draw();
  }

  destroy() {
    this.fit.stop();
  }

  draw() {
    const width = this.fit.width();
    if (!width || !this.points.length) return;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
    this.svg.replaceChildren(...this.parts(width - PAD.left - PAD.right));
    this.drawn?.();
  }

  /** The vertical place of each value between `low` and `high`. */
  scaled(low, high) {
    return (v) => this.height - PAD.bottom - ((this.height - PAD.top - PAD.bottom) * (v - low)) / (high - low);
  }

  /** A line across the area, with a text before it. */
  level(at, inner, text) {
    return [s("path", { class: "gridline", d: `M${PAD.left} ${at.toFixed(1)}h${inner}` }),
      s("text", { class: "tick", x: PAD.left - 8, y: at.toFixed(1), dy: "0.32em", "text-anchor": "end" }, text)];
  }

  /** A text below the area. */
  below(at, text) {
    return s("text", { class: "tick", x: at.toFixed(1), y: this.height - 8, "text-anchor": "middle" }, text);
  }

  /** The line at the bottom of the area. */
  axis(inner) {
    return s("path", { class: "axis", d: `M${PAD.left} ${this.height - PAD.bottom}h${inner}` });
  }
}
