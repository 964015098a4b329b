// The archive: small pictures of the grids, longest first; filter, part by part; choose two to compare; send one in.

import { get, query, sendGrid } from "../api.js";
import { button, h, newId, say, show, toast } from "../dom.js";
import { ago, moves } from "../format.js";
import { thumbnail } from "../grid.js";
import { grid } from "../live.js";
import { CODES, fromView } from "../rules.js";
import { blank, failed } from "./parts.js";

const PART = 24;
/** Largest grid file that the daemon takes, in bytes. */
export const LARGEST = 1024 * 1024;

export default function archive({ query: asked }) {
  const values = { variant: asked.get("variant") || "", min_score: asked.get("min") || "", job: asked.get("job") || "" };
  const ids = [newId("filter"), newId("filter"), newId("filter")];
  const variant = h("select", { id: ids[0] }, h("option", { value: "" }, "all"), CODES.map((code) => h("option", { value: code }, code)));
  const least = h("input", { id: ids[1], type: "number", min: 1, max: 485, inputmode: "numeric", placeholder: "any", value: values.min_score });
  const job = h("input", { id: ids[2], type: "number", min: 1, inputmode: "numeric", placeholder: "any", value: values.job });
  variant.value = values.variant;
  const apply = (event) => {
    event?.preventDefault();
    location.hash = `#/archive${query({ variant: variant.value, min: least.value, job: job.value, with: asked.get("with") })}`;
  };
  variant.addEventListener("change", apply);
  const file = h("input", { type: "file", class: "unseen", accept: ".txt,.psol,.msr,.json", tabindex: -1, "aria-hidden": "true", onchange: () => send(file.files[0]) });
  const form = h("form", { class: "row filter", onsubmit: apply },
    [["Variant", variant], ["Moves at least", least], ["Found by job", job]].map(([text, input]) =>
      h("div", { class: "field" }, h("label", { for: input.id }, text), input)),
    button("Show", { type: "submit" }), button("Send a grid\u2026", { glyph: "open", onclick: () => file.click() }), file);

  const list = h("ul", { class: "thumbs", "aria-label": "Grids" });
  const wait = h("p", { class: "wait" }, "Loading the grids\u2026");
  const nothing = blank("No grid here", "Hunts put every good grid here; a wider filter may show some.", h("a", { class: "button", href: "#/archive" }, "Show all"));
  const trouble = h("div", {});
  const chosen = new Map();
  if (asked.get("with")) chosen.set(asked.get("with"), null);
  const compareText = h("span", {});
  const compare = button("Compare", { kind: "main", onclick: () => { location.hash = `#/compare/${[...chosen.keys()].join("/")}`; } });
  const clear = button("Choose none", { onclick: () => {
    chosen.clear();
    list.querySelectorAll("input").forEach((box) => { box.checked = false; });
    drawChosen();
  } });
  // The known records can be compared with, whether or not they are in the archive.
  const records = h("select", { "aria-label": "A known record to compare with", onchange: () => {
    if (records.value && chosen.size === 1) location.hash = `#/compare/${[...chosen.keys()][0]}/${records.value}`;
  } });
  const bar = h("div", { class: "choosebar card row spread", role: "status" }, compareText, h("div", { class: "row" }, records, clear, compare));
  get("/archive").then((view) => records.replaceChildren(h("option", { value: "" }, "or with a known record\u2026"),
    ...view.records.map((one) => h("option", { value: one.key }, one.name))), () => records.remove());
  const drawChosen = () => {
    show(bar, chosen.size > 0);
    compare.disabled = chosen.size !== 2;
    show(records, chosen.size === 1 && records.childElementCount > 0);
    say(compareText, chosen.size === 2 ? "Two grids are chosen" : "One grid is chosen: choose another one to compare");
  };

  // Pictures are loaded when they come near the window.
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watch.unobserve(entry.target);
      const { key } = entry.target.dataset;
      grid(key).then((view) => entry.target.replaceChildren(thumbnail(view.variant, view.moves.map(fromView))),
        () => entry.target.replaceChildren(h("span", { class: "ghost faint" }, "cannot be loaded")));
    }
  }, { rootMargin: "300px" });

  function tile(view) {
    const picture = h("a", { class: "picture", href: `#/grids/${view.key}`, "data-key": view.key, "aria-label": `${view.variant}, ${moves(view.score)}` },
      h("span", { class: "ghost" }));
    const box = h("input", { type: "checkbox", checked: chosen.has(view.key), onchange: () => {
      if (box.checked) {
        // The one chosen first makes room for a third.
        if (chosen.size === 2) {
          const [old] = chosen.keys();
          chosen.get(old)?.(false);
          chosen.delete(old);
        }
        chosen.set(view.key, (on) => { box.checked = on; });
      } else {
        chosen.delete(view.key);
      }
      drawChosen();
    } });
    watch.observe(picture);
    const origin = view.job ? h("a", { href: `#/jobs/${view.job}` }, `job ${view.job}`) : "sent";
    return h("li", { class: "card tile" }, picture,
      h("div", { class: "row spread base" }, h("span", {}, h("strong", { class: "score num" }, String(view.score)), " ", h("span", { class: "faint" }, view.variant)),
        h("label", { class: "check small" }, box, " compare")),
      h("p", { class: "faint small cut" }, origin, ", ", ago(view.time), view.record && [" \u00b7 ", h("span", { title: `equals the known record ${view.record}` }, view.record)]));
  }

  const before = [];
  let cursor;
  let next = null;
  const back = button("Longer", { glyph: "back", onclick: () => load(before.pop()) });
  const forth = button("Shorter", { glyph: "forth", onclick: () => {
    before.push(cursor);
    load(next);
    scrollTo(0, 0);
  } });
  async function load(to) {
    cursor = to;
    try {
      const part = await get(`/grids${query({ ...values, limit: PART, cursor })}`);
      watch.disconnect();
      next = part.next;
      list.replaceChildren(...part.items.map(tile));
      show(nothing, !part.items.length);
      trouble.replaceChildren();
    } catch (problem) {
      trouble.replaceChildren(failed(problem, () => load(to)));
    }
    wait.hidden = true;
    back.disabled = cursor === undefined;
    forth.disabled = !next;
  }

  async function send(chosenFile) {
    file.value = "";
    if (!chosenFile) return;
    if (chosenFile.size > LARGEST) {
      toast("The file is larger than 1 MiB: no grid file is.", "bad");
      return;
    }
    try {
      const view = await sendGrid(await chosenFile.text());
      toast(`Taken: ${view.variant}, ${moves(view.score)}.`);
      location.hash = `#/grids/${view.key}`;
    } catch (problem) {
      toast(`${chosenFile.name} is not taken: ${problem.message}`, "bad");
    }
  }

  nothing.hidden = true;
  drawChosen();
  load();
  return {
    element: h("div", { class: "cards" }, h("h1", {}, "Archive"), form, trouble, bar, wait, nothing, list,
      h("div", { class: "row end paging" }, back, forth)),
    title: "Archive", page: "archive", destroy: () => watch.disconnect(),
  };
}
