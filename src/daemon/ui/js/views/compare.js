// Two grids of a variant: what they share and what differs, side by side or one over the other.

import { get } from "../api.js";
import { h, say } from "../dom.js";
import { moves } from "../format.js";
import { box, thumbnail } from "../grid.js";
import { t, tp } from "../language.js";
import { bounds, fromView } from "../rules.js";
import { failed } from "./parts.js";

export default function compare({ params }) {
  const [a, b] = params;
  const title = h("h1", {}, t`Two grids`);
  const body = h("div", { class: "cards" }, h("p", { class: "wait" }, t`Comparing\u2026`));
  const load = () => get(`/grids/${a}/compare/${b}`).then((view) => {
    const { variant } = view.left;
    const [left, right] = [view.left.moves.map(fromView), view.right.moves.map(fromView)];
    const [inLeft, inRight] = [new Set(view.shared_left), new Set(view.shared_right)];
    const shared = inLeft.size;
    say(title, t`${variant}: ${left.length} and ${right.length} moves`);
    // One frame for all pictures, so that the same point stands at the same place in each.
    const whole = bounds(variant, [...left, ...right]);
    const corners = [{ x: whole[0], y: whole[1] }, { x: whole[2], y: whole[3] }];
    const frame = box(variant, corners);
    const markLeft = (n) => (inLeft.has(n) ? "both" : "only-left");
    const markRight = (n) => (inRight.has(n) ? "both" : "only-right");
    const onlyRight = right.filter((_, n) => !inRight.has(n));
    const over = [...left, ...onlyRight];
    const sides = h("div", { class: "two even" }, [[view.left, left, markLeft, "only-left"], [view.right, right, markRight, "only-right"]].map(
      ([one, list, mark, cls]) => h("figure", { class: "card stack" },
        h("figcaption", { class: "row spread" }, h("a", { href: `#/grids/${one.key}` }, moves(list.length)),
          h("span", { class: "row small faint" }, h("span", { class: `swatch grid-key ${cls}` }), t`${list.length - shared} of its own`)),
        thumbnail(variant, list, { mark, view: frame, label: t`${moves(list.length)}, ${list.length - shared} of its own` }))));
    const laid = h("figure", { class: "card stack", hidden: true },
      h("figcaption", { class: "faint small" }, t`The second grid is turned so that it shares most lines with the first.`),
      thumbnail(variant, over, { view: frame, label: t`Both grids, one over the other`,
        mark: (n) => (n >= left.length ? "only-right" : markLeft(n)) }));
    const number = (n) => h("span", { class: "num" }, String(n));
    const way = (text, on, both) => h("button", { type: "button", "aria-pressed": String(on), onclick: (event) => {
      sides.hidden = both;
      laid.hidden = !both;
      for (const other of event.target.parentElement.children) other.setAttribute("aria-pressed", String(other === event.target));
    } }, text);
    body.replaceChildren(
      h("div", { class: "row spread" },
        h("p", {}, tp`${h("strong", { class: "num" }, String(shared))} lines are in both, ${number(left.length - shared)} only in the first, ${number(right.length - shared)} only in the second.`),
        h("div", { class: "segmented", role: "group", "aria-label": t`Arrangement` }, way(t`Side by side`, true, false), way(t`One over the other`, false, true))),
      h("ul", { class: "legend" }, [["both", t`in both`], ["only-left", t`only in the first`], ["only-right", t`only in the second`]].map(([cls, text]) =>
        h("li", {}, h("span", { class: `swatch grid-key ${cls}` }), text))),
      sides, laid);
  }, (problem) => body.replaceChildren(failed(problem, problem.unreachable ? load : null), h("p", {}, h("a", { href: "#/archive" }, t`Back to the archive`))));
  load();
  return { element: h("div", { class: "cards" }, title, body), title: t`Compare`, page: "archive" };
}
