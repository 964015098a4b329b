// The archive: small pictures of the grids, longest first or in another order; filter, nearly equal ones as one, part by
// part; choose two to compare; send one in.

import { get, query, sendGrid } from "../api.js";
import { button, h, newId, say, show, toast } from "../dom.js";
import { ago, count, moves } from "../format.js";
import { thumbnail } from "../grid.js";
import { ACCEPTED, gridText, takesDrops } from "../gridfile.js";
import { t, tc, tp } from "../language.js";
import { grid } from "../live.js";
import { CODES, fromView } from "../rules.js";
import { blank, failed } from "./parts.js";

const PART = 24;

/** Lines that may differ between grids that are put together. */
const DIFFERENCE = "3";

/** The orders of the list: their values for the daemon, their names, and what the pages before and after have. */
const ORDERS = [
  ["score", t`most moves`, t`Longer`, t`Shorter`],
  ["time", t`newest`, t`Newer`, t`Older`],
  ["size", t`largest`, t`Larger`, t`Smaller`],
];

/** The form that chooses which grids are shown; `sent(file)` is called with a file to be sent in. */
function filterForm(asked, sent) {
  const ids = Array.from({ length: 5 }, () => newId("filter"));
  const variant = h("select", { id: ids[0] }, h("option", { value: "" }, tc("variants", "all")), CODES.map((code) => h("option", { value: code }, code)));
  const number = (id, value, max) => h("input", { id, type: "number", min: 1, max, inputmode: "numeric", placeholder: t`any`, value });
  const least = number(ids[1], asked.get("min") || "", 485);
  const job = number(ids[2], asked.get("job") || "");
  const order = h("select", { id: ids[3] }, ORDERS.map(([value, text]) => h("option", { value }, text)));
  const together = h("input", { id: ids[4], type: "checkbox", checked: asked.get("clusters") !== null });
  variant.value = asked.get("variant") || "";
  order.value = ORDERS.some(([value]) => value === asked.get("sort")) ? asked.get("sort") : "score";
  const apply = (event) => {
    event?.preventDefault();
    location.hash = `#/archive${query({ variant: variant.value, min: least.value, job: job.value, sort: order.value === "score" ? "" : order.value,
      clusters: together.checked ? asked.get("clusters") || DIFFERENCE : "", with: asked.get("with") })}`;
  };
  [variant, order, together].forEach((input) => input.addEventListener("change", apply));
  const file = h("input", { type: "file", class: "unseen", accept: ACCEPTED, tabindex: -1, "aria-hidden": "true", onchange: () => {
    const [chosen] = file.files;
    file.value = "";
    if (chosen) sent(chosen);
  } });
  return h("form", { class: "row filter", onsubmit: apply },
    [[t`Variant`, variant], [t`Moves at least`, least], [t`Found by job`, job], [t`First`, order]].map(([text, input]) =>
      h("div", { class: "field" }, h("label", { for: input.id }, text), input)),
    h("label", { class: "check", for: ids[4], title: t`Grids that differ in at most ${DIFFERENCE} lines, turned to fit, and what they link` }, together, " ", t`nearly equal ones as one`),
    button(t`Show`, { type: "submit" }), button(t`Send a grid\u2026`, { glyph: "open", onclick: () => file.click() }), file);
}

/** The bar in which two grids are chosen to be compared; `bar.box(key)` makes the check box of a grid. */
function compareBar(first) {
  /** Keys of the chosen grids, with what unchecks the box of each. */
  const chosen = new Map(first ? [[first, null]] : []);
  const text = h("span", {});
  const compare = button(t`Compare`, { kind: "main", onclick: () => { location.hash = `#/compare/${[...chosen.keys()].join("/")}`; } });
  const clear = button(t`Choose none`, { onclick: () => {
    chosen.forEach((uncheck) => uncheck?.());
    chosen.clear();
    draw();
  } });
  // A grid can also be compared with a known record, whether or not the archive has that one.
  const records = h("select", { "aria-label": t`A known record to compare with`, onchange: () => {
    if (records.value && chosen.size === 1) location.hash = `#/compare/${[...chosen.keys()][0]}/${records.value}`;
  } });
  get("/archive").then((view) => {
    records.replaceChildren(h("option", { value: "" }, t`or with a known record\u2026`), ...view.records.map((one) => h("option", { value: one.key }, one.name)));
    draw();
  }, () => records.remove());
  const bar = h("div", { class: "choosebar card row spread", role: "status" }, text, h("div", { class: "row" }, records, clear, compare));
  const draw = () => {
    show(bar, chosen.size > 0);
    compare.disabled = chosen.size !== 2;
    show(records, chosen.size === 1 && records.childElementCount > 0);
    say(text, chosen.size === 2 ? t`Two grids are chosen` : t`One grid is chosen: choose another one to compare`);
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
      () => target.replaceChildren(h("span", { class: "ghost faint" }, t`cannot be loaded`)));
  }
}, { rootMargin: "300px" });

/** The link to the grids of the cluster that a grid stands for; nothing if it is alone. */
function clusterLink(view, asked) {
  const others = (view.cluster?.grids || 1) - 1;
  if (!others) return null;
  const there = { ...Object.fromEntries(asked), cluster: view.key };
  return h("p", { class: "small" }, h("a", { href: `#/archive${query(there)}` }, t`and ${count(others)} nearly equal`));
}

/** A grid of the list: its picture, its number of moves, where it came from. */
function tile(view, pictures, bar, asked) {
  const picture = h("a", { class: "picture", href: `#/grids/${view.key}`, "data-key": view.key, "aria-label": `${view.variant}, ${moves(view.score)}` },
    h("span", { class: "ghost" }));
  pictures.observe(picture);
  const origin = view.job ? h("a", { href: `#/jobs/${view.job}` }, t`job ${view.job}`) : t`sent in`;
  return h("li", { class: "card tile" }, picture,
    h("div", { class: "row spread base" }, h("span", {}, h("strong", { class: "score num" }, String(view.score)), " ", h("span", { class: "faint" }, view.variant)),
      h("label", { class: "check small" }, bar.box(view.key), " ", t`compare`)),
    h("p", { class: "faint small cut" }, origin, ", ", ago(view.time), view.record && [" \u00b7 ", h("span", { title: t`equals the known record ${view.record}` }, view.record)]),
    clusterLink(view, asked));
}

/** Sends a file into the archive and shows its grid. */
async function send(file) {
  try {
    const view = await sendGrid(await gridText(file));
    toast(t`The archive has it now: ${view.variant}, ${moves(view.score)}.`);
    location.hash = `#/grids/${view.key}`;
  } catch (problem) {
    toast(t`The archive refuses ${file.name}: ${problem.message}`, "bad");
  }
}

/** What is said above the grids of one cluster. */
function opened(asked) {
  if (!asked.get("cluster")) return null;
  const all = Object.fromEntries([...asked].filter(([name]) => name !== "cluster"));
  return h("p", { class: "row" }, h("span", {}, tp`The grids that are nearly equal to ${h("a", { href: `#/grids/${asked.get("cluster")}` }, t`this one`)}, and it itself.`),
    h("a", { class: "button", href: `#/archive${query(all)}` }, t`All again`));
}

export default function archive({ query: asked }) {
  const values = { variant: asked.get("variant") || "", min_score: asked.get("min") || "", job: asked.get("job") || "",
    sort: asked.get("sort") || "", clusters: asked.get("clusters") || "", cluster: asked.get("cluster") || "" };
  const [, , before_, after_] = ORDERS.find(([value]) => value === asked.get("sort")) || ORDERS[0];
  const bar = compareBar(asked.get("with"));
  const list = h("ul", { class: "thumbs", "aria-label": t`Grids` });
  const wait = h("p", { class: "wait" }, t`Loading the grids\u2026`);
  const nothing = blank(t`No grid here`, t`Hunts put every good grid here; a wider filter may show some.`, h("a", { class: "button", href: "#/archive" }, t`Show all`));
  const trouble = h("div", {});
  const pictures = lazyPictures();
  const before = [];
  let cursor;
  let next = null;
  const back = button(before_, { glyph: "back", onclick: () => load(before.pop()) });
  const forth = button(after_, { glyph: "forth", onclick: () => {
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
      list.replaceChildren(...part.items.map((view) => tile(view, pictures, bar, asked)));
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
  const element = h("div", { class: "cards" }, h("h1", {}, t`Archive`), filterForm(asked, send), opened(asked), trouble, bar, wait, nothing, list,
    h("div", { class: "row end paging" }, back, forth));
  takesDrops(element, send);
  return {
    element, title: t`Archive`, page: "archive", destroy: () => pictures.disconnect(),
  };
}
