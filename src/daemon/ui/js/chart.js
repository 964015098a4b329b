// Two kinds of charts, as SVG: best score against time, and counts of scores. They fill the width they are given, at a fixed
// height, so that nothing jumps when the data comes.

import { h, s, say } from "./dom.js";
import { count, tick } from "./format.js";
import { t } from "./language.js";

const PAD = { left: 44, right: 14, top: 10, bottom: 26 };

/** Round values from `low` to `high`, about `n` of them. */
export function ticks(low, high, n) {
  const rough = (high - low) / Math.max(1, n);
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((f) => f >= rough * 0.999);
  const found = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-6; v += step) found.push(+v.toPrecision(12));
  return found;
}

const TIMES = [0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 36_000, 86_400, 864_000, 8_640_000];
const TIME_STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400,
  172_800, 432_000, 864_000, 1_728_000, 4_320_000, 8_640_000];

/** Round times up to `high`, about `n` of them. */
export function timeTicks(high, n, log, low) {
  if (log) return TIMES.filter((t) => t >= low && t <= high);
  const step = TIME_STEPS.find((t) => high / t <= n) || high / n;
  return ticks(0, high, high / step).length < 2 ? [0] : Array.from({ length: Math.floor(high / step) + 1 }, (_, k) => k * step);
}

/** Watches the width of an element and has it drawn again when that changes. */
export function fitted(element, draw) {
  let width = 0;
  const watch = new ResizeObserver(([entry]) => {
    const now = Math.round(entry.contentRect.width);
    if (now && now !== width) {
      width = now;
      draw(width);
    }
  });
  watch.observe(element);
  return { width: () => width, stop: () => watch.disconnect() };
}

/**
 * Best score against time. `set([{name, points: [[seconds, score], ...], end}], record)`: each a staircase that goes on to `end`, below
 * the line of the best known score if there is one.
 */
export class CourseChart {
  constructor({ height = 220, label = t`Best score against time`, text = (v) => t`${v} moves` } = {}) {
    this.height = height;
    this.text = text;
    this.series = [];
    this.log = true;
    this.svg = s("svg", { class: "chart", height, role: "img", "aria-label": label });
    this.readout = h("p", { class: "readout faint" }, "\u00a0");
    this.legend = h("ul", { class: "legend" });
    const scale = h("button", { type: "button", class: "quiet", "aria-pressed": "true", onclick: () => {
      this.log = !this.log;
      scale.setAttribute("aria-pressed", String(this.log));
      this.draw();
    } }, t`logarithmic time`);
    this.empty = h("p", { class: "faint empty" }, t`Nothing to draw yet: the first point comes with the first grid.`);
    this.element = h("figure", { class: "figure" }, this.svg, this.empty,
      h("div", { class: "row spread" }, this.readout, scale), this.legend);
    this.fit = fitted(this.element, () => this.draw());
    this.svg.addEventListener("pointermove", (event) => this.#point(event));
    this.svg.addEventListener("pointerleave", () => this.#leave());
  }

  set(series, record = null) {
    this.series = series.filter((one) => one.points.length);
    this.record = record;
    // Time goes on every second; it is drawn when it can be seen, that is when an end has moved by half a percent.
    const stamp = JSON.stringify([record, ...this.series.map((one) =>
      [one.name, one.points.length, Math.round(Math.log(Math.max(one.end || 0, 1e-3)) * 200)])]);
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    this.draw();
  }

  destroy() {
    this.fit.stop();
  }

  draw() {
    const width = this.fit.width();
    if (!width) return;
    this.empty.hidden = this.series.length > 0;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
    if (!this.series.length) {
      this.svg.replaceChildren();
      this.legend.replaceChildren();
      return;
    }
    const all = this.series.flatMap((one) => one.points);
    const last = Math.max(...this.series.map((one) => Math.max(one.end || 0, one.points.at(-1)[0])), 1e-3);
    const first = Math.min(...all.map(([t]) => t).filter((t) => t > 0), last / 10);
    // Six powers of ten are enough: what comes before is over before one looks.
    const low = Math.max(first, last / 1e6, 1e-3);
    // On a logarithmic axis a course begins at its left end, with what was the best by then.
    const courses = this.series.map(({ points }) => {
      const before = points.findLastIndex(([t]) => t <= low);
      return this.log && before > 0 ? [[low, points[before][1]], ...points.slice(before + 1)] : points;
    });
    const scores = courses.flat().map(([, score]) => score);
    let [bottom, top] = [Math.min(...scores), Math.max(...scores, this.record ?? 0)];
    const room = Math.max(2, (top - bottom) * 0.08);
    [bottom, top] = [Math.max(0, Math.floor(bottom - room)), Math.ceil(top + room)];
    const inner = width - PAD.left - PAD.right;
    const x = (t) => PAD.left + inner * (this.log
      ? Math.max(0, Math.log(Math.max(t, low) / low) / Math.max(1e-9, Math.log(last / low))) : t / last);
    const y = (v) => this.height - PAD.bottom - (this.height - PAD.top - PAD.bottom) * ((v - bottom) / (top - bottom));
    this.scale = { x, last, low, inner };
    const parts = [];
    for (const v of ticks(bottom, top, this.height / 45).filter(Number.isInteger)) {
      parts.push(s("path", { class: "gridline", d: `M${PAD.left} ${y(v).toFixed(1)}h${inner}` }),
        s("text", { class: "tick", x: PAD.left - 8, y: y(v).toFixed(1), dy: "0.32em", "text-anchor": "end" }, String(v)));
    }
    if (this.record !== null) {
      const at = y(this.record).toFixed(1);
      parts.push(s("path", { class: "recordline", d: `M${PAD.left} ${at}h${inner}` }),
        s("text", { class: "tick", x: PAD.left + 4, y: at, dy: "1.15em" }, t`best known ${this.record}`));
    }
    let right = -100;
    for (const time of timeTicks(last, Math.max(2, inner / 90), this.log, low)) {
      const at = x(time);
      parts.push(s("path", { class: "gridline", d: `M${at.toFixed(1)} ${PAD.top}v${this.height - PAD.top - PAD.bottom}` }));
      if (at - right < 54) continue;
      right = at;
      parts.push(s("text", { class: "tick", x: at.toFixed(1), y: this.height - 8, "text-anchor": "middle" }, time === 0 ? "0" : tick(time)));
    }
    this.series.forEach((one, n) => {
      let d = "";
      let level = null;
      for (const [t, score] of courses[n]) {
        d += level === null ? `M${x(t).toFixed(1)} ${y(score).toFixed(1)}` : `H${x(t).toFixed(1)}V${y(score).toFixed(1)}`;
        level = score;
      }
      d += `H${x(one.end || one.points.at(-1)[0]).toFixed(1)}`;
      parts.push(s("path", { class: `series s${n % 6}`, d }));
    });
    this.cursor = s("path", { class: "cursor", visibility: "hidden" });
    this.svg.replaceChildren(...parts, this.cursor);
    this.legend.replaceChildren(...(this.series.length > 1 ? this.series.map((one, n) =>
      h("li", {}, h("span", { class: `swatch s${n % 6}` }), one.name)) : []));
    if (!this.over) say(this.readout, this.#now());
  }

  #now() {
    if (this.series.length !== 1) return "\u00a0";
    const [{ points }] = this.series;
    const best = points.at(-1)[1];
    return t`${this.text(best)} since ${tick(points.find(([, score]) => score === best)[0])}`;
  }

  #point(event) {
    if (!this.scale || !this.series.length) return;
    this.over = true;
    const { last, low, inner } = this.scale;
    const share = Math.min(1, Math.max(0, (event.clientX - this.svg.getBoundingClientRect().left - PAD.left) / inner));
    const time = this.log ? low * (last / low) ** share : share * last;
    const at = (one) => one.points.findLast(([t]) => t <= time)?.[1];
    this.cursor.setAttribute("visibility", "visible");
    this.cursor.setAttribute("d", `M${(PAD.left + share * inner).toFixed(1)} ${PAD.top}V${this.height - PAD.bottom}`);
    const values = this.series.map((one) => at(one) ?? "\u2013");
    say(this.readout, `${tick(time)}: ${this.text(values.length === 1 ? values[0] : values.join(", "))}`);
  }

  #leave() {
    this.over = false;
    this.cursor?.setAttribute("visibility", "hidden");
    if (this.series.length) say(this.readout, this.#now());
  }
}

/** Counts of scores, one row per nesting level over one axis of scores. `set([{level, counts: [[score, n], ...]}])`. */
const nameOf = (row, rows) => row.name || (row.level > 0 || rows.length > 1 ? t`level ${row.level}` : t`games`);

export class Histogram {
  constructor() {
    this.rows = [];
    this.svg = s("svg", { class: "chart", role: "img", "aria-label": t`How often each score came up, per nesting level` });
    this.empty = h("p", { class: "faint empty" }, t`No counts yet.`);
    this.log = true;
    const scale = h("button", { type: "button", class: "quiet", "aria-pressed": "true", onclick: () => {
      this.log = !this.log;
      scale.setAttribute("aria-pressed", String(this.log));
      this.draw();
    } }, t`logarithmic counts`);
    this.element = h("figure", { class: "figure" }, this.svg, this.empty, h("div", { class: "row end" }, scale));
    this.fit = fitted(this.element, () => this.draw());
  }

  set(rows) {
    const stamp = JSON.stringify(rows);
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    this.rows = rows.filter((row) => row.counts.length);
    this.draw();
  }

  destroy() {
    this.fit.stop();
  }

  draw() {
    const width = this.fit.width();
    if (!width) return;
    const ROW = 62;
    this.empty.hidden = this.rows.length > 0;
    if (!this.rows.length) {
      this.svg.replaceChildren();
      this.svg.setAttribute("height", 0);
      return;
    }
    const height = this.rows.length * ROW + PAD.bottom;
    this.svg.setAttribute("height", height);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const scores = this.rows.flatMap((row) => row.counts.map(([score]) => score));
    const [low, high] = [Math.min(...scores) - 1, Math.max(...scores) + 1];
    const inner = width - PAD.left - PAD.right - 52;
    const x = (v) => PAD.left + (inner * (v - low)) / (high - low);
    const bar = Math.max(1, (inner / (high - low)) * 0.82);
    const parts = ticks(low, high, inner / 70).filter(Number.isInteger).flatMap((v) => [
      s("path", { class: "gridline", d: `M${x(v).toFixed(1)} 0V${height - PAD.bottom}` }),
      s("text", { class: "tick", x: x(v).toFixed(1), y: height - 8, "text-anchor": "middle" }, String(v))]);
    this.rows.forEach((row, n) => {
      const most = Math.max(...row.counts.map(([, k]) => k));
      const tall = (k) => (ROW - 14) * (this.log ? Math.log(1 + k) / Math.log(1 + most) : k / most);
      const base = (n + 1) * ROW;
      let d = "";
      for (const [score, k] of row.counts) {
        d += `M${(x(score) - bar / 2).toFixed(1)} ${base}v${-Math.max(1, tall(k)).toFixed(1)}h${bar.toFixed(1)}V${base}z`;
      }
      const total = row.counts.reduce((sum, [, k]) => sum + k, 0);
      parts.push(s("path", { class: `bars s${[0, 2, 3, 1, 4, 5][n % 6]}`, d }, s("title", {}, t`${nameOf(row, this.rows)}: ${count(total)} results`)),
        s("path", { class: "axis", d: `M${PAD.left} ${base}h${inner}` }),
        s("text", { class: "tick strong", x: 0, y: base - 4 }, nameOf(row, this.rows)),
        s("text", { class: "tick", x: width, y: base - 4, "text-anchor": "end" }, count(total)));
    });
    this.svg.replaceChildren(...parts);
  }
}
