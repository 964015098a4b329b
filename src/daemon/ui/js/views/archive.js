// The archive: small pictures of the grids, longest first; filter, part by part; choose two to compare; send one in.

import { get, query, sendGrid } from "../api.js";
import { button, h, newId, say, show, toast } from "../dom.js";
import { ago, moves } from "../format.js";
import { thumbnail } from "../grid.js";
import { ACCEPTED, gridText, takesDrops } from "../gridfile.js";
import { grid } from "../live.js";
import { CODES, fromView } from "../rules.js";
import { blank, failed } from "./parts.js";

const PART = 24;

/** The form that chooses which grids are shown; `sent(file)` is called with a file to be sent in. */
function filterForm(asked, sent) {
  const ids = [newId("filter"), newId("filter"), newId("filter")];
  const variant = h("select", { id: ids[0] }, h("option", { value: "" }, "all"), CODES.map((code) => h("option", { value: code }, code)));
  const number = (id, value, max) => h("input", { id, type: "number", min: 1, max, inputmode: "numeric", placeholder: "any", value });
  const least = number(ids[1], asked.get("min") || "", 485);
  const job = number(ids[2], asked.get("job") || "");
  variant.value = asked.get("variant") || "";
  const apply = (event) => {
    event?.preventDefault();
    location.hash = `#/archive${query({ variant: variant.value, min: least.value, job: job.value, with: asked.get("with") })}`;
  };
  variant.addEventListener("change", apply);
  const file = h("input", { type: "file", class: "unseen", accept: ACCEPTED, tabindex: -1, "aria-hidden": "true", onchange: () => {
    const [chosen] = file.files;
    file.value = "";
    if (chosen) sent(chosen);
  } });
  return h("form", { class: "row filter", onsubmit: apply },
    [["Variant", variant], ["Moves at least", least], ["Found by job", job]].map(([text, input]) =>
      h("div", { class: "field" }, h("label", { for: input.id }, text), input)),
    button("Show", { type: "submit" }), button("Send a grid\u2026", { glyph: "open", onclick: () => file.click() }), file);
}

/** The bar in which two grids are chosen to be compared; `bar.box(key)` makes the check box of a grid. */
function compareBar(first) {
  /** Keys of the chosen grids, with what unchecks the box of each. */
  const chosen = new Map(first ? [[first, null]] : []);
  const text = h("span", {});
  const compare = button("Compare", { kind: "main", onclick: () => { location.hash = `#/compare/${[...chosen.keys()].join("/")}`; } });
  const clear = button("Choose none", { onclick: () => {
    chosen.forEach((uncheck) => uncheck?.());
    chosen.clear();
    draw();
  } });
  // A grid can also be compared with a known record, whether or not the archive has that one.
  const records = h("select", { "aria-label": "A known record to compare with", onchange: () => {
    if (records.value && chosen.size === 1) location.hash = `#/compare/${[...chosen.keys()][0]}/${records.value}`;
  } });
  get("/archive").then((view) => {
    records.replaceChildren(h("option", { value: "" }, "or with a known record\u2026"), ...view.records.map((one) => h("option", { value: one.key }, one.name)));
    draw();
  }, () => records.remove());
  const bar = h("div", { class: "choosebar card row spread", role: "status" }, text, h("div", { class: "row" }, records, clear, compare));
  const draw = () => {
    show(bar, chosen.size > 0);
    compare.disabled = chosen.size !== 2;
    show(records, chosen.size === 1 && records.childElementCount > 0);
    say(text, chosen.size === 2 ? "Two grids are chosen" : "One grid is chosen: choose another one to compare");
  };
  bar.box = (key) => {
    const uncheck = () => { box.checked = false; };
    const box = h("input", { type: "checkbox", checked: chosen.has(key), onchange: () => {
      if (!box.checked) {
        chosen.delete(key);
      } else {
        // The one chosen first makes room for a third.
        if (chosen.size === 2) {
          const [old] = chosen.keys();
          chosen.get(old)?.();
          chosen.delete(old);
        }
        chosen.set(key, uncheck);
      }
      draw();
    } });
    if (chosen.has(key)) chosen.set(key, uncheck);
    return box;
  };
  draw();
  return bar;
}

/** Loads the picture of each tile when it comes near the window. */
const lazyPictures = () => new IntersectionObserver((entries, watch) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    watch.unobserve(target);
    grid(target.dataset.key).then((view) => target.replaceChildren(thumbnail(view.variant, view.moves.map(fromView))),
      () => target.replaceChildren(h("span", { class: "ghost faint" }, "cannot be loaded")));
  }
}, { rootMargin: "300px" });

/** A grid of the list: its picture, its number of moves, where it came from. */
function tile(view, pictures, bar) {
  const picture = h("a", { class: "picture", href: `#/grids/${view.key}`, "data-key": view.key, "aria-label": `${view.variant}, ${moves(view.score)}` },
    h("span", { class: "ghost" }));
  pictures.observe(picture);
  const origin = view.job ? h("a", { href: `#/jobs/${view.job}` }, `job ${view.job}`) : "sent in";
  return h("li", { class: "card tile" }, picture,
    h("div", { class: "row spread base" }, h("span", {}, h("strong", { class: "score num" }, String(view.score)), " ", h("span", { class: "faint" }, view.variant)),
      h("label", { class: "check small" }, bar.box(view.key), " compare")),
    h("p", { class: "faint small cut" }, origin, ", ", ago(view.time), view.record && [" \u00b7 ", h("span", { title: `equals the known record ${view.record}` }, view.record)]));
}

/** Sends a file into the archive and shows its grid. */
async function send(file) {
  try {
    const view = await sendGrid(await gridText(file));
    toast(`The archive has it now: ${view.variant}, ${moves(view.score)}.`);
    location.hash = `#/grids/${view.key}`;
  } catch (problem) {
    toast(`The archive refuses ${file.name}: ${problem.message}`, "bad");
  }
}

export default function archive({ query: asked }) {
  const values = { variant: asked.get("variant") || "", min_score: asked.get("min") || "", job: asked.get("job") || "" };
  const bar = compareBar(asked.get("with"));
  const list = h("ul", { class: "thumbs", "aria-label": "Grids" });
  const wait = h("p", { class: "wait" }, "Loading the grids\u2026");
  const nothing = blank("No grid here", "Hunts put every good grid here; a wider filter may show some.", h("a", { class: "button", href: "#/archive" }, "Show all"));
  const trouble = h("div", {});
  const pictures = lazyPictures();
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
      pictures.disconnect();
      next = part.next;
      list.replaceChildren(...part.items.map((view) => tile(view, pictures, bar)));
      show(nothing, !part.items.length);
      trouble.replaceChildren();
    } catch (problem) {
      trouble.replaceChildren(failed(problem, () => load(to)));
    }
    wait.hidden = true;
    back.disabled = cursor === undefined;
    forth.disabled = !next;
  }
  nothing.hidden = true;
  load();
  const element = h("div", { class: "cards" }, h("h1", {}, "Archive"), filterForm(asked, send), trouble, bar, wait, nothing, list,
    h("div", { class: "row end paging" }, back, forth));
  takesDrops(element, send);
  return {
    element, title: "Archive", page: "archive", destroy: () => pictures.disconnect(),
  };
}
