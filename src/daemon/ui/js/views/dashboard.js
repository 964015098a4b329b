// Everything at a glance: the best grids, the jobs, their course, the workers and what happened last.

import { get } from "../api.js";
import { h, keyed, say, show } from "../dom.js";
import { CourseChart } from "../chart.js";
import { VARIANT_TEXTS, about, ago, count, duration, isOver, moves, short } from "../format.js";
import { between } from "../gameboard.js";
import { thumbnail } from "../grid.js";
import { t, tn, tp } from "../language.js";
import { grid, hear, state, subscribe } from "../live.js";
import { CODES, VARIANTS, fromView } from "../rules.js";
import { points } from "./match.js";
import { keptText } from "./mine.js";
import { answeredText } from "./plan.js";
import { blank, calm, course, eventItem, jobButtons, pill } from "./parts.js";
import { closed } from "./proof.js";
import { lossText } from "./tune.js";

const SHOWN_EVENTS = 40;
const SHOWN_OVER = 6;
const COURSES = 5;
const COURSE_MS = 30_000;
/** A grid that could not be loaded is asked for again after so many milliseconds: it is told a moment before it is stored. */
const AGAIN_MS = 2000;

function bestTile(variant) {
  const score = h("strong", { class: "score num" }, "\u2013");
  const origin = h("span", { class: "faint small" }, "\u00a0");
  const badge = h("span", { class: "badge new", hidden: true }, t`new best`);
  const picture = h("a", { class: "picture", "aria-label": t`Best grid of ${variant}` });
  const { record } = VARIANTS[variant];
  let key = null;
  let again = 0;
  const node = h("article", { class: "card tile" },
    h("header", {}, h("h2", { title: VARIANT_TEXTS[variant] }, variant), badge, h("span", { class: "faint small num" }, t`best known ${record}`)),
    picture, h("div", { class: "row spread base" }, score, origin));
  const empty = h("span", { class: "ghost faint" });
  picture.append(empty);
  node.draw = () => {
    const best = state.best[variant];
    if (!best) {
      say(empty, state.loaded ? t`no grid yet` : "");
      return;
    }
    say(score, best.score);
    say(origin, [best.job ? t`job ${best.job}` : t`sent`, best.time && ago(best.time)].filter(Boolean).join(", "));
    if (best.key === key || Date.now() < again) return;
    const fresh = key !== null;
    key = best.key;
    grid(key).then((view) => {
      if (best.key !== key) return;
      picture.href = `#/grids/${best.key}`;
      picture.replaceChildren(thumbnail(variant, view.moves.map(fromView), { label: t`Best grid of ${variant}, ${moves(view.score)}` }));
    }, () => {
      key = null;
      again = Date.now() + AGAIN_MS;
    });
    if (fresh) {
      badge.hidden = false;
      clearTimeout(node.timer);
      node.timer = setTimeout(() => { badge.hidden = true; }, 60_000);
    }
  };
  return node;
}

/** What a job of each kind has come to, in a word. */
const RESULTS = {
  match: points, selfplay: (found) => count(found.games_counted), analyse: (found) => count(found.positions_done), tune: lossText, tactics: (found) => count(found.questions_done),
  mine: keptText, plan: answeredText, check: (found) => count(found.checked), solution: (found) => between(found.lower, found.upper),
};

/** What a job has come to: its best score, or what its kind has instead. */
function bestOf(job) {
  const kind = Object.keys(RESULTS).find((name) => job[name]);
  if (kind) return RESULTS[kind](job[kind]);
  return job.proof && !job.best ? closed(job.proof) : job.best ?? "\u2013";
}

/** A row of the table of jobs. */
export function jobRow(job) {
  const name = h("a", { href: `#/jobs/${job.id}`, class: "jobname" }, job.name);
  const what = h("span", { class: "faint small" });
  const status = pill();
  const cell = (label, cls = "num") => h("td", { role: "cell", class: cls, "data-label": label });
  const [best, rate, workers, time] = [cell(t`best`), cell(t`per second`), cell(t`workers`), cell(t`time`)];
  const buttons = jobButtons(job.id);
  const row = h("tr", { role: "row" },
    h("td", { role: "cell", class: "wide" }, h("span", { class: "faint num" }, `${job.id} `), name, h("br"), what),
    h("td", { role: "cell" }, status), best, rate, workers, time, h("td", { role: "cell", class: "end" }, buttons));
  row.set = (now) => {
    say(name, now.name);
    say(what, about(now));
    status.set(now);
    say(best, bestOf(now));
    say(rate, now.workers ? short(now.rate) : "\u2013");
    say(workers, now.workers || "\u2013");
    say(time, duration(now.seconds));
    buttons.set(now);
  };
  return row;
}

/** The table that job rows stand in. */
export function jobTable(body) {
  const head = (text, cls) => h("th", { role: "columnheader", scope: "col", class: cls }, text);
  return h("table", { role: "table", class: "jobs" },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, head(t`Job`), head(t`State`), head(t`Best`, "num"), head(t`Per second`, "num"),
      head(t`Workers`, "num"), head(t`Time`, "num"), h("th", {}, h("span", { class: "unseen" }, t`Actions`)))), body);
}

function jobsCard() {
  const body = h("tbody", { role: "rowgroup" });
  const table = h("div", {}, jobTable(body));
  const wait = h("p", { class: "wait" }, t`Loading the jobs\u2026`);
  const nothing = blank(t`No job yet`, t`Give the daemon something to hunt for.`, h("a", { class: "button main", href: "#/submit" }, t`New job`));
  const more = h("a", { href: "#/jobs", class: "small" }, t`All jobs`);
  const node = h("section", { class: "card", "aria-label": t`Jobs` }, h("header", {}, h("h2", {}, t`Jobs`), more), wait, nothing, table);
  const ORDER = ["running", "draining", "paused", "queued"];
  node.draw = () => {
    const jobs = [...state.jobs.values()];
    const active = jobs.filter((job) => !isOver(job))
      .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || b.priority - a.priority || b.id - a.id).slice(0, 30);
    const over = jobs.filter(isOver).sort((a, b) => (b.ended ?? 0) - (a.ended ?? 0)).slice(0, SHOWN_OVER);
    show(wait, !state.loaded);
    show(nothing, state.loaded && !jobs.length);
    show(table, jobs.length > 0);
    keyed(body, [...active, ...over], (job) => job.id, jobRow, (row, job) => row.set(job));
    const all = state.health && Object.values(state.health.jobs).reduce((sum, n) => sum + n, 0);
    say(more, all > 1 ? t`All ${count(all)} jobs` : t`All jobs`);
  };
  return node;
}

function courseCard() {
  const chart = new CourseChart({ height: 230 });
  // One variant at a time: scores of different variants have nothing to do with each other.
  let variant = null;
  const choose = h("div", { class: "segmented small", role: "group", "aria-label": t`Variant` }, CODES.map((code) =>
    h("button", { type: "button", "data-variant": code, onclick: () => {
      variant = code;
      node.draw();
    } }, code)));
  const node = h("section", { class: "card", "aria-label": t`Score against time` },
    h("header", {}, h("h2", {}, t`Score against time`), choose), chart.element);
  const courses = new Map();
  let asked = 0;
  node.draw = async () => {
    const jobs = [...state.jobs.values()].filter((job) => job.best && job.variant && !job.settings.start);
    const busy = (code) => jobs.filter((job) => job.variant === code).reduce((sum, job) => sum + 1 + 1000 * job.workers, 0);
    const usual = CODES.reduce((best, code) => (busy(code) > busy(best) ? code : best));
    const now = variant || usual;
    for (const one of choose.children) {
      one.disabled = !busy(one.dataset.variant);
      one.setAttribute("aria-pressed", String(one.dataset.variant === now));
    }
    const mine = jobs.filter((job) => job.variant === now);
    const chosen = [...mine.filter((job) => !isOver(job)).sort((a, b) => b.workers - a.workers || b.id - a.id),
      ...mine.filter(isOver).sort((a, b) => b.id - a.id)].slice(0, COURSES).sort((a, b) => a.id - b.id);
    const due = Date.now() - asked > COURSE_MS;
    if (due) asked = Date.now();
    const missing = chosen.filter((job) => due || !courses.has(job.id));
    for (const id of courses.keys()) if (!state.jobs.has(id)) courses.delete(id);
    await Promise.all(missing.map(async (job) => {
      if (!courses.has(job.id)) courses.set(job.id, []);
      try {
        courses.set(job.id, course(await get(`/jobs/${job.id}/statistics`)));
      } catch {
        // It is asked for again in a while.
      }
    }));
    chart.set(chosen.map((job) => ({ name: `${job.id} ${job.name}`.slice(0, 40), points: courses.get(job.id) || [], end: job.seconds })),
      VARIANTS[now].record);
  };
  node.stop = [() => chart.destroy(), hear((event) => {
    if (event.event === "best") courses.get(event.job)?.push([event.seconds, event.score]);
  })];
  return node;
}

function workersCard() {
  const list = h("ul", { class: "workers" });
  const summary = h("span", { class: "faint small num" });
  const node = h("section", { class: "card", "aria-label": t`Workers` }, h("header", {}, h("h2", {}, t`Workers`), summary), list);
  node.draw = () => {
    const busy = state.workers.filter((w) => w.job).length;
    say(summary, state.workers.length ? t`${busy} of ${state.workers.length} busy` : "");
    keyed(list, state.workers.slice(0, 128), (w) => w.worker, (w) => {
      const [what, best, time] = [h("span", {}), h("span", { class: "num" }), h("span", { class: "num faint" })];
      const item = h("li", {}, h("span", { class: "faint num" }, String(w.worker)), what, best, time);
      item.parts = { what, best, time };
      return item;
    }, (item, w) => {
      item.classList.toggle("idle", !w.job);
      say(item.parts.what, !w.job ? t`idle` : w.machine ? t`job ${w.job}, unit ${w.unit}, on ${w.machine}` : t`job ${w.job}, unit ${w.unit}`);
      say(item.parts.best, w.job && w.best ? w.best : "");
      say(item.parts.time, w.job ? duration(w.seconds) : "");
    });
  };
  return node;
}

/** How a machine stands, in words, and the look of it. */
const STANDINGS = {
  here: ["", ""],
  leaving: [t`leaves`, "faint"],
  lost: [t`lost`, "bad"],
  distrusted: [t`not trusted`, "bad"],
  other_version: [t`of another version`, "bad"],
};

function machinesCard() {
  const list = h("ul", { class: "workers machines" });
  const summary = h("span", { class: "faint small num" });
  const trouble = h("p", { class: "note warn" });
  const nothing = h("p", { class: "faint" }, tp`No machine yet. On another one: ${h("code", {}, "morpion worker --nats URL")}.`);
  const node = h("section", { class: "card", "aria-label": t`Machines` },
    h("header", {}, h("h2", {}, t`Machines`), summary, h("a", { class: "small", href: "#/credit" }, t`Credit`)), trouble, nothing, list);
  node.hidden = true;
  node.draw = () => {
    const pool = state.pool;
    show(node, Boolean(pool?.open));
    if (!pool?.open) return;
    const here = pool.machines.filter((machine) => machine.state === "here");
    const sum = (name) => here.reduce((all, machine) => all + machine[name], 0);
    say(summary, here.length ? t`${sum("running")} of ${sum("workers")} busy` : "");
    show(trouble, !pool.connected);
    say(trouble, pool.trouble || "");
    show(nothing, pool.connected && !pool.machines.length);
    keyed(list, pool.machines.slice(0, 128), (machine) => machine.id, () => {
      const [name, what] = [h("span", {}), h("span", { class: "num" })];
      const [speed, units] = [h("span", { class: "num faint" }), h("span", { class: "num faint" })];
      const item = h("li", {}, name, what, speed, units);
      item.parts = { name, what, speed, units };
      return item;
    }, (item, machine) => {
      const [text, look] = STANDINGS[machine.state] || [machine.state, "bad"];
      item.title = machine.reason ? t`Refused: ${machine.reason}`
        : t`Of user ${machine.user}, version ${machine.version}, here for ${duration(machine.seconds)}`;
      item.classList.toggle("idle", machine.state !== "here");
      item.parts.what.className = `num ${look}`;
      say(item.parts.name, machine.name);
      say(item.parts.what, text || t`${machine.running} of ${machine.workers} busy`);
      say(item.parts.speed, machine.speed ? t`${short(machine.speed)} games/s` : "");
      item.parts.speed.title = t`Random games that one worker plays in a second, by the machine's benchmark`;
      say(item.parts.units, tn(machine.units, "{0} unit", "{0} units", short(machine.units)));
    });
  };
  return node;
}

function eventsCard() {
  const list = h("ol", { class: "events" });
  const nothing = h("p", { class: "faint" }, t`Nothing has happened yet.`);
  const node = h("section", { class: "card", "aria-label": t`Events` }, h("header", {}, h("h2", {}, t`Events`)), nothing, list);
  node.draw = () => {
    show(nothing, state.loaded && !state.events.length);
    keyed(list, calm(state.events).slice(0, SHOWN_EVENTS), (event) => event.id, (event) => eventItem(event));
  };
  return node;
}

export default function dashboard() {
  const tiles = CODES.map(bestTile);
  const cards = [jobsCard(), courseCard(), workersCard(), machinesCard(), eventsCard()];
  const [jobs, course, workers, machines, events] = cards;
  const element = h("div", { class: "cards" },
    h("h1", { class: "unseen" }, t`Dashboard`),
    h("section", { class: "tiles", "aria-label": t`Best grids found` }, tiles),
    h("div", { class: "two" }, h("div", { class: "cards" }, jobs, course), h("div", { class: "cards" }, events, workers, machines)));
  const draw = () => [...tiles, ...cards].forEach((part) => part.draw());
  const stop = subscribe(draw);
  draw();
  return {
    element, title: t`Dashboard`, page: "dashboard",
    destroy: () => {
      stop();
      course.stop.forEach((end) => end());
      tiles.forEach((tile) => clearTimeout(tile.timer));
    },
  };
}
