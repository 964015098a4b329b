// What the pages of jobs are made of: cards, bars, lists of numbers, lists of results, files to save.

import { download, get, query } from "../api.js";
import { button, h, keyed, say, show, toast } from "../dom.js";
import { count, duration, isOver, ofLimit, short, tick } from "../format.js";
import { t } from "../language.js";
import { failed } from "./parts.js";

/** Results that are shown at first, and at most. */
const PAGE = 40;
const MOST = 1000;

/** A card with a title. */
export const card = (title, ...children) => h("section", { class: "card", "aria-label": title }, h("header", {}, h("h2", {}, title)), children);

/** A bar that shows a part of a whole; `bar.set(percent)` keeps it up to date. */
export function shareBar(label) {
  const fill = h("i", {});
  const bar = h("div", { class: "bar", role: "progressbar", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": 100 }, fill);
  bar.set = (percent) => {
    fill.style.width = `${percent}%`;
    bar.setAttribute("aria-valuenow", Math.floor(percent));
  };
  return bar;
}

/**
 * The numbers of a job whose figures are its `part`. `heads` are pairs of a name and a text, and `fill(rows, figures, job)` says what the
 * rows hold; those that all kinds have (nodes, rate, time, cpu, workers) are filled before.
 */
export function factsCard(label, part, heads, fill) {
  const rows = {};
  const list = h("dl", { class: "facts" }, heads.map(([name, text]) => {
    rows[name] = h("dd", {}, "\u2013");
    return h("div", {}, h("dt", {}, text), rows[name]);
  }));
  const node = h("section", { class: "card", "aria-label": label }, list);
  const usual = {
    nodes: (job) => short(job.iterations), rate: (job) => (job.workers ? short(job.rate) : "\u2013"),
    time: (job) => ofLimit(duration(job.seconds), job.limits.seconds && duration(job.limits.seconds)),
    cpu: (job) => (job[part].cpu_seconds ? tick(job[part].cpu_seconds) : "\u2013"), workers: (job) => ofLimit(job.workers, job.limits.workers),
  };
  node.draw = (job) => {
    show(node, Boolean(job[part]));
    if (!job[part]) return;
    for (const [name, text] of Object.entries(usual)) if (rows[name]) say(rows[name], text(job));
    if (rows.nodes) rows.nodes.title = count(job.iterations);
    // What is over has no speed and no workers.
    for (const row of [rows.rate, rows.workers]) if (row) show(row.parentNode, !isOver(job));
    fill(rows, job[part], job);
  };
  return node;
}

/**
 * The results of the units of a job, a page of them at first. `path` has them, `done(job)` tells how many there are (nothing if the job has
 * none), `row(result)` makes a row of the table below `heads`, of which `numeric` are numbers; `loaded(results)` is called with what was
 * loaded. `texts` has the name of the table, what is said if there are none, of the button for more, and where all of them are.
 */
export function resultsCard({ title, path, heads, numeric = [0], row, done, loaded, texts }) {
  const body = h("tbody", {});
  const [nothing, trouble] = [h("p", { class: "faint" }, texts.nothing), h("div", {})];
  const more = button(texts.more, { onclick: () => {
    wanted = Math.min(4 * wanted, MOST);
    load();
  } });
  const rest = h("p", { class: "faint small", hidden: true }, texts.rest);
  const table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": texts.table }, h("table", {}, h("thead", {}, h("tr", {},
    heads.map((text, n) => h("th", { scope: "col", class: numeric.includes(n) ? "num" : "" }, text)))), body));
  const node = card(title, nothing, table, trouble, rest, h("div", {}, more));
  node.hidden = true;
  let [known, wanted, loading] = [[], PAGE, false];
  async function load() {
    if (loading) return;
    loading = true;
    try {
      // A unit may be done before one with a smaller number.
      const listing = await get(`${path}${query({ limit: wanted })}`);
      known = listing.items;
      trouble.replaceChildren();
      keyed(body, known, (one) => one.number, row);
      loaded?.(known);
      show(nothing, !known.length);
      show(table, known.length > 0);
      show(more, Boolean(listing.next) && wanted < MOST);
      show(rest, Boolean(listing.next) && wanted >= MOST);
    } catch (problem) {
      trouble.replaceChildren(failed(problem, () => load()));
    }
    loading = false;
  }
  show(table, false);
  show(more, false);
  node.draw = (job) => {
    const there = done(job);
    show(node, there !== undefined);
    if (there && known.length < Math.min(wanted, there)) load();
  };
  return node;
}

/** A button that saves a file of the daemon as `name()`; `problem(message)` is said if it cannot be saved. */
export const saveButton = (text, path, name, problem) => button(text, { glyph: "save", onclick: async () => {
  try {
    await download(path, name());
  } catch ({ message }) {
    toast(problem(message), "bad");
  }
} });

/** The forms for jobs of each kind, with what they are for. */
const FORMS = {
  hunt: ["#/submit", t`Submit a hunt instead`], solve: ["#/games?game=reversi&size=6", t`Solve a two-player game instead`], match: ["#/match", t`Let two players play a match`], selfplay: ["#/selfplay", t`Games of a player against itself`],
  analyse: ["#/analyse", t`Analyse positions`], tune: ["#/tune", t`Learn weights`], tactics: ["#/tactics", t`Answer tactical questions`], mine: ["#/mine", t`Mine patterns`], plan: ["#/plan", t`Look for a plan of Gomoku`], check: ["#/check", t`Check a plan of Gomoku`],
};

/** Links to the forms for jobs of other kinds than this one. */
export const otherForms = (kind) => h("div", { class: "row" }, Object.entries(FORMS).filter(([name]) => name !== kind).map(([, [href, text]]) => h("a", { class: "button", href }, text)));
