// One job: its numbers, its best grid, its course, levels, workers, settings, and its commands.

import { download, get, patch, query } from "../api.js";
import { CourseChart, Histogram } from "../chart.js";
import { attr, button, h, keyed, newId, say, show, toast } from "../dom.js";
import { about, bytes, count, duration, figures, isOver, moment, ofLimit, phaseOf, reason, short } from "../format.js";
import { t } from "../language.js";
import { grid, hear, learn, state, subscribe, watch } from "../live.js";
import { Replay } from "../replay.js";
import { VARIANTS, fromView } from "../rules.js";
import { analyseCard, analyseFactsCard, analysesCard } from "./analyse.js";
import { card } from "./cards.js";
import { checkCard, checkFactsCard } from "./check.js";
import { refusal } from "./fields.js";
import { eloCard, gamesCard, matchCard, matchFactsCard } from "./match.js";
import { mineCard, mineFactsCard } from "./mine.js";
import { openRepliesCard, planCard, planFactsCard } from "./plan.js";
import { blank, calm, course, eventItem, failed, jobButtons, pill } from "./parts.js";
import { closedCard, proofCard, proofFactsCard } from "./proof.js";
import { selfplayCard, selfplayFactsCard } from "./selfplay.js";
import { boundsCard, creditCard, positionCard, unitsCard } from "./solution.js";
import { answersCard, tacticsCard, tacticsFactsCard } from "./tactics.js";
import { lossesCard, tuneCard, tuneFactsCard } from "./tune.js";

const SLOW_MS = 15_000;
/** Most characters of a setting that are shown. */
const LONGEST_SETTING = 400;

/** Links to save a grid in every format. */
export function gridDownloads(key, name) {
  const formats = [["pentasol", "Pentasol", "txt"], ["msr", "MSR", "msr"], ["json", "JSON", "json"], ["svg", "SVG", "svg"], ["png", "PNG", "png"]];
  return h("div", { class: "row downloads" }, formats.map(([format, text, ending]) => button(text, { glyph: "save", onclick: async () => {
    try {
      await download(`/grids/${encodeURIComponent(key)}?format=${format}`, `${name}.${ending}`);
    } catch (problem) {
      toast(t`The grid cannot be saved: ${problem.message}`, "bad");
    }
  } })));
}

/** What numbers of a job mean that need a word. */
const HELP = {
  stalled: t`Units that were ended early, since they found nothing longer for a while`,
  quarantined: t`Units that failed three times and are not tried again`,
};

function factsCard() {
  const rows = {};
  const list = h("dl", { class: "facts" }, [["best", t`Best`], ["rate", t`Per second`], ["iterations", t`Iterations`], ["time", t`Has run`],
    ["workers", t`Workers`], ["units", t`Units done`], ["stalled", t`Stalled`], ["quarantined", t`Quarantined`]].map(([name, text]) => {
    rows[name] = h("dd", {}, "\u2013");
    return h("div", {}, h("dt", { title: HELP[name] }, text), rows[name]);
  }));
  const node = h("section", { class: "card", "aria-label": t`Numbers` }, list);
  node.draw = (job) => {
    const other = Boolean(figures(job));
    show(node, !other);
    if (other) return;
    // The best known score is one from the cross.
    const known = job.variant && !job.settings.start ? ` / ${VARIANTS[job.variant].record}` : "";
    say(rows.best, job.best ? `${job.best}${known}` : "\u2013");
    say(rows.rate, job.workers ? short(job.rate) : "\u2013");
    say(rows.iterations, short(job.iterations));
    rows.iterations.title = count(job.iterations);
    say(rows.time, ofLimit(duration(job.seconds), job.limits.seconds && duration(job.limits.seconds)));
    say(rows.workers, ofLimit(job.workers, job.limits.workers));
    say(rows.units, count(job.units_done));
    say(rows.stalled, count(job.units_stalled));
    say(rows.quarantined, count(job.units_quarantined));
    // What is over has no speed and no workers; only a depth-first search ends units that stall.
    for (const row of [rows.rate, rows.workers]) show(row.parentNode, !isOver(job));
    show(rows.stalled.parentNode, job.strategy === "dfs" || job.units_stalled > 0);
    show(rows.quarantined.parentNode, job.units_quarantined > 0);
  };
  return node;
}

function gridCard(id) {
  const replay = new Replay(t`Best grid of job ${id}`);
  const nothing = blank(t`No grid yet`, t`The best one appears here as soon as there is one.`);
  const tools = h("div", { class: "stack" });
  const body = h("div", { class: "stack", hidden: true }, replay.element, tools);
  const elsewhere = blank(t`Another start than the cross`, t`The grids of this job are in its folder, not in the archive.`);
  const node = card(t`Best grid`, nothing, elsewhere, body);
  let key = null;
  let again = 0;
  node.draw = (job) => {
    // A job about something else than the puzzle has no grids.
    show(node, job.variant !== null && (!job.proof || job.best_grid !== null));
    show(elsewhere, Boolean(job.settings.start));
    show(nothing, !job.settings.start && body.hidden);
    if (!job.best_grid || job.best_grid === key || Date.now() < again) return;
    key = job.best_grid;
    grid(key).then((view) => {
      if (key !== job.best_grid) return;
      replay.set(view.variant, view.moves.map(fromView));
      show(nothing, false);
      show(body, true);
      tools.replaceChildren(
        h("div", { class: "row" }, h("a", { href: `#/grids/${key}`, class: "button" }, t`Look closer`),
          h("a", { href: `#/board?grid=${key}`, class: "button" }, t`Open on the board`),
          h("a", { href: `#/archive?job=${id}`, class: "button" }, t`All its grids`)),
        gridDownloads(key, `${view.variant}-${view.score}-job${id}`));
    }, () => {
      key = null;
      // The event comes a moment before the grid is stored.
      again = Date.now() + 2000;
    });
  };
  node.stop = () => replay.stop();
  return node;
}

function courseCard(id) {
  const chart = new CourseChart({ height: 220 });
  const node = card(t`Score against time`, chart.element);
  let points = [];
  node.statistics = (view) => { points = course(view); };
  node.draw = (job) => {
    show(node, job.variant !== null && !job.proof);
    if (job.variant !== null && !job.proof) {
      chart.set([{ name: job.name, points, end: Math.max(job.seconds, points.at(-1)?.[0] ?? 0) }], job.settings.start ? undefined : VARIANTS[job.variant]?.record);
    }
  };
  const stop = hear((event) => {
    if (event.event === "best" && event.job === id) points.push([event.seconds, event.score]);
  });
  node.stop = () => {
    stop();
    chart.destroy();
  };
  return node;
}

function levelsCard() {
  const list = h("ul", { class: "stack levels" });
  const what = h("p", { class: "faint small" });
  const node = card(t`Progress`, list, what);
  let isDepth = false;
  node.draw = (job) => {
    isDepth = job.strategy === "dfs";
    say(what, isDepth ? t`Parts of the search tree at each depth, and how many of them are done.`
      : t`Calls of each nesting level that are done: one call of a level makes many of the level below it.`);
    for (const item of list.children) item.name();
  };
  node.statistics = (view) => {
    show(node, view.levels.length > 0);
    keyed(list, view.levels, (level) => level.level, (level) => {
      const [name, text, fill] = [h("span", {}), h("span", { class: "num faint" }), h("i", {})];
      const bar = h("div", { class: "bar", role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100 }, fill);
      const item = h("li", {}, h("div", { class: "row spread small" }, name, text), bar);
      item.parts = { text, fill, bar };
      item.name = () => {
        say(name, isDepth ? t`depth ${level.level + 1}` : t`level ${level.level}`);
        attr(bar, "aria-label", name.textContent);
      };
      item.name();
      return item;
    }, (item, level) => {
      const share = level.total ? (level.total - level.left) / level.total : 0;
      say(item.parts.text, t`${count(level.total - level.left)} of ${count(level.total)}`);
      item.parts.fill.style.width = `${100 * share}%`;
      item.parts.bar.setAttribute("aria-valuenow", Math.round(100 * share));
    });
  };
  node.hidden = true;
  return node;
}

function scoresCard() {
  const chart = new Histogram();
  const what = h("p", { class: "faint small" }, t`Level 0 are single games. A result of a level above is the best of many of the level below it.`);
  const node = card(t`How often each score came up`, chart.element, what);
  node.statistics = (view) => {
    const rows = view.scores.filter((row) => row.counts.length);
    if (!rows.length && view.units.length) rows.push({ level: 0, name: t`units`, counts: view.units });
    chart.set(rows);
    show(what, rows.length > 1);
    show(node, rows.length > 0);
  };
  node.stop = () => chart.destroy();
  node.hidden = true;
  return node;
}

function workersCard(id) {
  const body = h("tbody", {});
  const nothing = h("p", { class: "faint" }, t`No worker computes a unit of this job now.`);
  const table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t`Table of workers` }, h("table", {}, h("thead", {}, h("tr", {},
    [t`Worker`, t`Unit`, t`Best`, t`Iterations`, t`Time`].map((text) => h("th", { scope: "col", class: "num" }, text)),
    h("th", { scope: "col" }, t`Phase`))), body));
  const node = card(t`Workers`, nothing, table);
  node.draw = (job) => {
    const mine = state.workers.filter((w) => w.job === id);
    show(node, !isOver(job));
    show(nothing, !mine.length);
    show(table, mine.length > 0);
    keyed(body, mine, (w) => w.worker, () => h("tr", {}, Array.from({ length: 5 }, () => h("td", { class: "num" })), h("td", {})), (row, w) =>
      [w.worker, w.unit, w.best || "\u2013", short(w.iterations), duration(w.seconds), phaseOf(w.phase)].forEach((text, n) => say(row.children[n], text)));
  };
  return node;
}

function quarantineCard(id) {
  const list = h("ul", { class: "stack" });
  const node = card(t`Quarantined units`, h("p", { class: "faint small" }, t`They failed three times and are not tried again.`), list);
  node.hidden = true;
  let known = 0;
  node.draw = async (job) => {
    if (job.units_quarantined === known) return;
    known = job.units_quarantined;
    try {
      const { items } = await get(`/jobs/${id}/units${query({ state: "quarantined", limit: 20 })}`);
      show(node, items.length > 0);
      list.replaceChildren(...items.map((unit) => h("li", {}, h("strong", { class: "num" }, t`Unit ${unit.unit}`), ` ${unit.error || ""}`)));
    } catch {
      known = 0;
    }
  };
  return node;
}

/** A setting as it is shown: a plan may have a hundred thousand characters. */
const shortened = (text) => (text.length > LONGEST_SETTING ? t`${text.slice(0, LONGEST_SETTING)}\u2026 (${count(text.length)} characters)` : text);

function settingsCard(id) {
  const list = h("dl", { class: "list" });
  const facts = h("dl", { class: "list" });
  const adjust = h("details", { class: "adjust" }, h("summary", {}, t`Change priority, limits and beginning`));
  const node = card(t`Settings`, facts, h("details", {}, h("summary", {}, t`All settings`), list), adjust);
  node.classList.add("late");
  const ids = Array.from({ length: 6 }, () => newId("adjust"));
  const [priority, weight, workers, hours] = [
    h("input", { id: ids[0], type: "number", min: -100, max: 100, step: 1 }), h("input", { id: ids[1], type: "number", min: 1, max: 1000, step: 1 }),
    h("input", { id: ids[2], type: "number", min: 1, step: 1, placeholder: t`no limit` }),
    h("input", { id: ids[3], type: "number", min: 0, step: "any", placeholder: t`no limit` })];
  const [after, earliest] = [h("input", { id: ids[4], type: "number", min: 1, step: 1, placeholder: t`none` }), h("input", { id: ids[5], type: "datetime-local" })];
  const trouble = h("p", { class: "problem", role: "alert" });
  const inputs = { priority, weight, workers, seconds: hours, after, not_before: earliest };
  const labelled = ([text, input]) => h("div", { class: "field" }, h("label", { for: input.id }, text), input);
  const begins = [[t`After job`, after], [t`Not before`, earliest]].map(labelled);
  const form = h("form", { class: "stack" }, h("div", { class: "fields narrow" },
    [[t`Priority`, priority], [t`Weight`, weight], [t`Workers at once`, workers], [t`Hours in all`, hours]].map(labelled), begins), trouble, h("div", {}, button(t`Change`, { type: "submit" })));
  adjust.append(form);
  let shown = "";
  let job = null;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const number = (input) => (input.value === "" ? null : Number(input.value));
    try {
      learn(await patch(`/jobs/${id}`, { priority: number(priority) ?? 0, weight: number(weight) ?? 1,
        limits: { ...job.limits, workers: number(workers), seconds: hours.value === "" ? null : Number(hours.value) * 3600 },
        ...(job.began ? {} : { begin: { after: number(after), not_before: earliest.value === "" ? null : new Date(earliest.value).getTime() / 1000 } }) }));
      trouble.textContent = "";
      for (const input of Object.values(inputs)) input.removeAttribute("aria-invalid");
      toast(t`Job ${id} was changed.`);
    } catch (problem) {
      const { name, text } = refusal(problem.message);
      for (const [key, input] of Object.entries(inputs)) attr(input, "aria-invalid", key === name ? "true" : null);
      trouble.textContent = text;
      inputs[name]?.focus();
    }
  });
  node.draw = (now) => {
    job = now;
    show(adjust, !isOver(now));
    for (const field of begins) show(field, !now.began);
    const text = JSON.stringify([now.settings, now.priority, now.weight, now.limits, now.ended, now.began, now.seed, now.after, now.not_before]);
    if (text === shown) return;
    shown = text;
    const entry = ([name, value]) => [h("dt", {}, name), h("dd", { class: "num" }, value)];
    const l = now.limits;
    facts.replaceChildren(...[[t`Submitted`, moment(now.submitted)], now.after && [t`Begins after`, h("a", { href: `#/jobs/${now.after}` }, t`job ${now.after}`)],
      now.not_before && [t`Begins at the earliest`, moment(now.not_before)], now.began && [t`Began`, moment(now.began)], now.ended && [t`Ended`, moment(now.ended)],
      now.seed !== null && [t`Seed`, String(now.seed)], [t`Priority, weight`, `${now.priority}, ${now.weight}`],
      l.seconds && [t`Time limit`, duration(l.seconds)], l.iterations && [t`Iterations at most`, count(l.iterations)],
      l.workers && [t`Workers at most`, String(l.workers)], l.memory && [t`Memory at most`, bytes(l.memory)], l.disk && [t`Disk at most`, bytes(l.disk)]].filter(Boolean).flatMap(entry));
    list.replaceChildren(...Object.entries(now.settings).map(([name, value]) =>
      [name, shortened(typeof value === "string" ? value : JSON.stringify(value))]).flatMap(entry));
    if (!form.contains(document.activeElement)) {
      [priority.value, weight.value, workers.value, hours.value] = [now.priority, now.weight, l.workers ?? "", l.seconds ? l.seconds / 3600 : ""];
      [after.value, earliest.value] = [now.after ?? "", now.not_before ? moment(now.not_before).replace(" ", "T") : ""];
    }
  };
  return node;
}

function eventsCard(id) {
  const list = h("ol", { class: "events" });
  const node = card(t`Events`, list);
  node.draw = () => {
    const mine = calm(state.events.filter((event) => event.job === id)).slice(0, 30);
    show(node, mine.length > 0);
    keyed(list, mine, (event) => event.id, (event) => eventItem(event, false));
  };
  return node;
}

export default function job({ params }) {
  const id = Number(params[0]);
  const [title, what, status, why] = [h("h1", {}, t`Job ${id}`), h("p", { class: "faint" }), pill(), h("span", { class: "small" })];
  const buttons = jobButtons(id, { quiet: false, all: true, removed: () => { location.hash = "#/jobs"; } });
  const parts = { facts: factsCard(), grid: gridCard(id), course: courseCard(id), levels: levelsCard(), scores: scoresCard(),
    workers: workersCard(id), quarantine: quarantineCard(id), settings: settingsCard(id), events: eventsCard(id),
    proofFacts: proofFactsCard(), proof: proofCard(), closed: closedCard(), selfplayFacts: selfplayFactsCard(), selfplay: selfplayCard(id), analyseFacts: analyseFactsCard(), analyse: analyseCard(), analyses: analysesCard(id), tuneFacts: tuneFactsCard(), tune: tuneCard(id), losses: lossesCard(), tacticsFacts: tacticsFactsCard(), tactics: tacticsCard(), answers: answersCard(id), mineFacts: mineFactsCard(), mine: mineCard(id), planFacts: planFactsCard(), plan: planCard(id), openReplies: openRepliesCard(), checkFacts: checkFactsCard(), check: checkCard(), matchFacts: matchFactsCard(), match: matchCard(), elo: eloCard(), games: gamesCard(id), units: unitsCard(), position: positionCard(), bounds: boundsCard(id), credit: creditCard() };
  const trouble = h("div", {});
  const body = h("div", { class: "cards", hidden: true }, parts.facts, parts.units, parts.proofFacts, parts.matchFacts, parts.selfplayFacts, parts.analyseFacts, parts.tuneFacts, parts.tacticsFacts, parts.mineFacts, parts.planFacts, parts.checkFacts, h("div", { class: "two even" },
    h("div", { class: "cards" }, parts.proof, parts.match, parts.selfplay, parts.analyse, parts.analyses.chosen, parts.tune, parts.tactics, parts.answers.chosen, parts.mine, parts.plan, parts.check, parts.grid, parts.position, parts.settings),
    h("div", { class: "cards" }, parts.closed, parts.elo, parts.games, parts.analyses, parts.losses, parts.answers, parts.openReplies, parts.bounds, parts.credit, parts.course, parts.levels, parts.scores, parts.workers, parts.quarantine, parts.events)));
  const wait = h("p", { class: "wait" }, t`Loading job ${id}\u2026`);
  const element = h("div", { class: "cards" },
    h("div", { class: "row spread" }, h("div", {}, title, h("div", { class: "row" }, what, status, why)), buttons), trouble, wait, body);
  buttons.hidden = true;
  // The lists forget old jobs; this view does not.
  let known = null;
  const draw = () => {
    const now = state.jobs.get(id) || known;
    if (!now) return;
    known = now;
    show(wait, false);
    show(body, true);
    show(buttons, true);
    say(title, now.name);
    say(what, t`Job ${id} \u00b7 ${about(now)}`);
    status.set(now);
    say(why, reason(now.reason));
    why.className = now.state === "failed" ? "small problem" : "small faint";
    buttons.set(now);
    Object.values(parts).forEach((part) => part.draw?.(now));
  };
  let timer = 0;
  let over = false;
  // What was asked for while the daemon was away is asked for again as soon as it is back.
  let missed = false;
  async function load(first) {
    clearTimeout(timer);
    try {
      if (first || !state.jobs.has(id)) {
        known = await get(`/jobs/${id}`);
        learn(known);
      }
      if (!document.hidden || first) {
        const view = await get(`/jobs/${id}/statistics`);
        Object.values(parts).forEach((part) => part.statistics?.(view));
      }
      missed = false;
      trouble.replaceChildren();
      draw();
    } catch (problem) {
      missed = problem.status !== 404;
      if (first && !over) {
        wait.hidden = true;
        trouble.replaceChildren(failed(problem, missed ? () => load(true) : null));
      }
    }
    if (!over) timer = setTimeout(() => load(false), SLOW_MS);
  }
  load(true);
  let before = state.link;
  const stop = subscribe(() => {
    const back = state.link === "live" && before !== "live";
    before = state.link;
    if (back && missed) load(true);
    draw();
  });
  const unwatch = watch(id);
  return {
    element, title: t`Job ${id}`, page: "jobs",
    destroy: () => {
      over = true;
      clearTimeout(timer);
      stop();
      unwatch();
      Object.values(parts).forEach((part) => part.stop?.());
    },
  };
}
