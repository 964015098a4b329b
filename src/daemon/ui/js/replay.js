// A grid with a slider that goes through its moves: play and pause, steps, arrow keys.

import { button, h, icon, newId, say } from "./dom.js";
import { DIRECTION_NAMES } from "./format.js";
import { Picture, switches } from "./grid.js";
import { t } from "./language.js";

/** Time of one move while it plays, in milliseconds. */
const STEP = 140;

export class Replay {
  constructor(label = t`Grid`) {
    this.picture = new Picture({ label });
    this.total = 0;
    this.at = 0;
    const id = newId("replay");
    this.slider = h("input", { id, type: "range", min: 0, max: 0, value: 0, class: "slider", oninput: () => {
      this.stop();
      this.go(Number(this.slider.value));
    } });
    this.count = h("output", { for: id, class: "number" }, "0 / 0");
    this.what = h("span", { class: "faint what" });
    this.playing = button(t`Play`, { glyph: "play", quiet: true, onclick: () => (this.timer ? this.stop() : this.play()) });
    this.playing.classList.add("main");
    const step = (name, label2, to) => button(label2, { glyph: name, quiet: true, onclick: () => {
      this.stop();
      this.go(to());
    } });
    this.element = h("div", { class: "replay", onkeydown: (event) => this.key(event) },
      h("div", { class: "frame", tabindex: 0, role: "group", "aria-label": t`Grid; arrow keys go through its moves, space plays` },
        this.picture.element),
      h("div", { class: "row controls" },
        step("first", t`To the start`, () => 0),
        step("back", t`One move back`, () => this.at - 1),
        this.playing,
        step("forth", t`One move on`, () => this.at + 1),
        step("last", t`To the end`, () => this.total),
        h("label", { for: id, class: "unseen" }, t`Moves shown`), this.slider, this.count),
      h("div", { class: "row spread" }, this.what, switches(this.picture)));
  }

  /** Shows a grid, all of it, or as far as the reader has gone in it. */
  set(variant, moves) {
    const atEnd = this.at >= this.total;
    this.variant = variant;
    this.moves = moves;
    this.total = moves.length;
    this.slider.max = moves.length;
    this.picture.draw(variant, moves, { upto: 0 });
    this.go(atEnd ? moves.length : Math.min(this.at, moves.length));
  }

  /** Shows the first `n` moves. */
  go(n) {
    this.at = Math.max(0, Math.min(this.total, n));
    this.picture.show(this.at);
    this.slider.value = this.at;
    say(this.count, `${this.at} / ${this.total}`);
    const move = this.moves?.[this.at - 1];
    say(this.what, move ? t`move ${this.at}: (${move.x}, ${move.y}) ${DIRECTION_NAMES[move.d]}` : t`the starting cross`);
  }

  play() {
    if (this.total === 0) return;
    if (this.at >= this.total) this.go(0);
    this.timer = setInterval(() => {
      if (this.at >= this.total || !this.element.isConnected) this.stop();
      else this.go(this.at + 1);
    }, STEP);
    this.#label(t`Pause`, "pause");
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.#label(t`Play`, "play");
  }

  #label(text, glyph) {
    if (this.playing.title === text) return;
    this.playing.title = text;
    this.playing.querySelector("svg").replaceWith(icon(glyph));
    say(this.playing.querySelector("span"), text);
  }

  key(event) {
    if (event.target === this.slider || event.target.tagName === "SELECT" || event.ctrlKey || event.altKey || event.metaKey) return;
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 10, ArrowDown: -10, PageUp: 10, PageDown: -10 };
    if (event.key in steps) {
      this.stop();
      this.go(this.at + steps[event.key]);
    } else if (event.key === "Home" || event.key === "End") {
      this.stop();
      this.go(event.key === "Home" ? 0 : this.total);
    } else if (event.key === " " && event.target.tagName !== "BUTTON" && event.target.tagName !== "INPUT") {
      this.playing.click();
    } else {
      return;
    }
    event.preventDefault();
  }
}
