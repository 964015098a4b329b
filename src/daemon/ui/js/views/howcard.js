// How the puzzle is played, for who has never seen it: open on the first visit, closed afterwards.

import { h } from "../dom.js";
import { diagram } from "../grid.js";
import { t, tp } from "../language.js";

const SEEN = "morpion.rules";

const dots = (from, to, y) => Array.from({ length: to - from + 1 }, (_, n) => [from + n, y]);

/** A line of five with its new point. */
const first = () => diagram([...dots(2, 5, 2), [2, 0], [2, 1], [5, 3], [5, 4]],
  [{ from: [2, 2], to: [6, 2], point: [6, 2], look: "a7" }], { width: 9, height: 5, label: t`Four points in a row and the new point beside them, with the line through all five` });

/** Two lines of one direction that have an end in common. */
const touching = () => diagram([...dots(0, 3, 2), ...dots(5, 7, 2), [4, 0], [4, 1]],
  [{ from: [0, 2], to: [4, 2], point: [4, 2], look: "a7" }, { from: [4, 2], to: [8, 2], point: [8, 2], look: "a14" }],
  { width: 9, height: 5, label: t`Two lines of five in a row; the end of the first is the beginning of the second` });

/** A line that shares a part with another one. */
const refused = () => diagram([...dots(0, 3, 2), [5, 2], [6, 2], [2, 0], [3, 4]],
  [{ from: [0, 2], to: [4, 2], point: [4, 2], look: "a7" }, { from: [3, 2], to: [7, 2], point: [7, 2], look: "refused" }],
  { width: 9, height: 5, label: t`A line of five, and a dashed one that would go along a part of it` });

const figure = (picture, ...text) => h("figure", { class: "how" }, picture, h("figcaption", { class: "small" }, text));

export function howCard() {
  let seen = false;
  try {
    seen = localStorage.getItem(SEEN) === "seen";
    localStorage.setItem(SEEN, "seen");
  } catch {
    // Then it is open each time.
    seen = false;
  }
  return h("section", { class: "card", "aria-label": t`How to play` },
    h("details", { open: !seen }, h("summary", {}, h("h2", {}, t`How to play`)), h("div", { class: "stack" },
      h("p", {}, t`Each move adds one point and draws one line through five points in a row: across, down or diagonally. Four of them are there already, the fifth is the new one. Make as many moves as you can.`),
      h("div", { class: "hows" },
        figure(first(), t`A move: the coloured point and its line are new.`),
        figure(touching(), tp`${h("strong", {}, "5T")}: two lines of one direction may touch at their ends. In ${h("strong", {}, "5D")} they may not.`),
        figure(refused(), t`Never allowed: a line that goes along a part of another.`)),
      h("p", {}, t`Lines of different directions may cross anywhere. 4T and 4D are the same with lines of four.`),
      h("p", { class: "faint small" }, t`A filled mark on the board is a point with one possible line, a ring one with several. Keys: U undo, R redo, H hint, F finish, T turn, M mirror, + and \u2212 magnify, 0 fit, N next point.`))));
}
