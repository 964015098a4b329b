// All jobs, by state, part by part.

import { get, query } from "../api.js";
import { button, h, keyed, show } from "../dom.js";
import { STATES } from "../format.js";
import { t } from "../language.js";
import { state, subscribe } from "../live.js";
import { jobRow, jobTable } from "./dashboard.js";
import { blank, failed } from "./parts.js";

const PART = 50;

export default function jobs({ query: asked }) {
  const chosen = asked.get("state") || "";
  const body = h("tbody", { role: "rowgroup" });
  const table = h("div", {}, jobTable(body));
  const wait = h("p", { class: "wait" }, t`Loading the jobs\u2026`);
  const nothing = blank(chosen ? t`No job is ${STATES[chosen]}` : t`No job yet`, t`Give the daemon something to hunt for.`,
    h("a", { class: "button main", href: "#/submit" }, t`New job`));
  const trouble = h("div", {});
  const filter = h("select", { "aria-label": t`State`, onchange: () => {
    location.hash = `#/jobs${query({ state: filter.value })}`;
  } }, h("option", { value: "" }, t`in any state`), Object.entries(STATES).map(([value, text]) => h("option", { value }, text)));
  filter.value = chosen;
  // The cursors of the parts before, so that one can go back.
  const before = [];
  let cursor;
  let next = null;
  let items = [];
  const back = button(t`Newer`, { glyph: "back", onclick: () => load(before.pop()) });
  const forth = button(t`Older`, { glyph: "forth", onclick: () => {
    before.push(cursor);
    load(next);
  } });
  const draw = () => {
    const now = items.map((job) => state.jobs.get(job.id) || job);
    keyed(body, now, (job) => job.id, jobRow, (row, job) => row.set(job));
    show(nothing, !items.length && wait.hidden);
    show(table, items.length > 0);
    back.disabled = cursor === undefined;
    forth.disabled = !next;
  };
  async function load(to) {
    cursor = to;
    try {
      const part = await get(`/jobs${query({ state: chosen, settings: "short", limit: PART, cursor })}`);
      [items, next] = [part.items, part.next];
      trouble.replaceChildren();
    } catch (problem) {
      trouble.replaceChildren(failed(problem, () => load(to)));
    }
    wait.hidden = true;
    draw();
  }
  nothing.hidden = table.hidden = true;
  load();
  const stop = subscribe(draw);
  return {
    element: h("div", { class: "cards" },
      h("div", { class: "row spread" }, h("h1", {}, t`Jobs`), h("div", { class: "row" }, filter, h("a", { class: "button main", href: "#/submit" }, t`New job`))),
      trouble, h("section", { class: "card" }, wait, nothing, table, h("div", { class: "row end paging" }, back, forth))),
    title: t`Jobs`, page: "jobs", destroy: stop,
  };
}
