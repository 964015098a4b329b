// One grid, large, with the slider that replays it.

import { remove } from "../api.js";
import { careful, h, say, toast } from "../dom.js";
import { moment, moves, duration } from "../format.js";
import { t } from "../language.js";
import { forgetGrid, grid as load } from "../live.js";
import { Replay } from "../replay.js";
import { VARIANTS, fromView } from "../rules.js";
import { gridDownloads } from "./job.js";
import { failed } from "./parts.js";

/** A button that removes a grid from the archive when it is pressed twice. */
function removal(key) {
  const node = careful(t`Remove`, t`Really remove?`, async () => {
    try {
      await remove(`/grids/${key}`);
      forgetGrid(key);
      toast(t`The grid was removed from the archive. Jobs that found it keep it in their folders.`);
      location.hash = "#/archive";
    } catch (problem) {
      toast(t`The grid could not be removed: ${problem.message}`, "bad");
    }
  });
  node.setAttribute("aria-label", t`Remove this grid from the archive; press twice`);
  return node;
}

export default function grid({ params }) {
  const key = params[0];
  const replay = new Replay(t`Grid`);
  const title = h("h1", {}, t`Grid`);
  const about = h("p", { class: "faint" }, "\u00a0");
  const side = h("div", { class: "stack" }, h("p", { class: "wait" }, t`Loading the grid\u2026`));
  const show = () => load(key).then((view) => {
    say(title, `${view.variant}, ${moves(view.score)}`);
    say(about, view.record ? t`equals the known record ${view.record}` : t`the best known score is ${VARIANTS[view.variant].record}`);
    replay.set(view.variant, view.moves.map(fromView));
    const facts = [[t`Found by`, view.job ? h("a", { href: `#/jobs/${view.job}` }, view.unit !== null ? t`job ${view.job}, unit ${view.unit}` : t`job ${view.job}`) : t`nobody here: it was sent`],
      [t`When`, moment(view.time)], view.seconds !== null && view.seconds !== undefined && [t`After`, duration(view.seconds)],
      [t`Legal moves left`, view.moves_left ?? "\u2013"], [t`Key`, h("code", {}, view.key)]];
    side.replaceChildren(
      h("section", { class: "card stack", "aria-label": t`About` }, h("dl", { class: "list" },
        facts.filter(Boolean).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]))),
      h("section", { class: "card stack", "aria-label": t`Save` }, h("h2", {}, t`Save`), gridDownloads(key, `${view.variant}-${view.score}-${key.slice(0, 8)}`)),
      h("section", { class: "card stack", "aria-label": t`Go on` }, h("h2", {}, t`Go on`),
        h("div", { class: "row" }, h("a", { class: "button", href: `#/board?grid=${key}` }, t`Open on the board`),
          h("a", { class: "button", href: `#/archive?variant=${view.variant}&with=${key}` }, t`Compare with\u2026`),
          h("a", { class: "button", href: `#/submit?grid=${key}` }, t`Hunt from it`), removal(key))));
  }, (problem) => side.replaceChildren(failed(problem, problem.status === 404 ? null : show)));
  show();
  return {
    element: h("div", { class: "cards" }, h("div", {}, title, about),
      h("div", { class: "two wide" }, h("section", { class: "card", "aria-label": t`Replay` }, replay.element), side)),
    title: t`Grid`, page: "archive", destroy: () => replay.stop(),
  };
}
