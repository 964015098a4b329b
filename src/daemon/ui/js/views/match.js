// The parts of a match's page: the points, the difference in strength with its interval, the test, and the games.

import { get, query } from "../api.js";
import { BoundsChart } from "../boundschart.js";
import { button, h, keyed, saveAs, say, show } from "../dom.js";
import { count, decimal, duration, isOver, ofLimit, short, tick, titleOf } from "../format.js";
import { t } from "../language.js";
import { failed } from "./parts.js";

/** Games that are shown at first, and at most. */
const PAGE = 40;
const MOST = 1000;

const card = (title, ...children) => h("section", { class: "card", "aria-label": title }, h("header", {}, h("h2", {}, title)), children);

const round = (elo) => Math.round(elo) + 0;

/** The part of the points that A has, in percent; nothing without a pair. */
export const points = (found) => (found.pairs_counted ? `${decimal((100 * found.score).toFixed(1))} %` : "\u2013");

/** What the test has decided, in words. */
function verdict({ elo0, elo1, decision, log_likelihood_ratio: ratio, bound }) {
  const state = t`likelihood ratio ${decimal(ratio.toFixed(2))}, decided beyond ${decimal(bound.toFixed(2))} either way`;
  if (decision === "stronger") return t`The test has decided: A is stronger by ${elo1} Elo rather than by ${elo0} (${state}).`;
  if (decision === "not stronger") return t`The test has decided: A is stronger by ${elo0} Elo rather than by ${elo1} (${state}).`;
  return t`The test of ${elo1} Elo against ${elo0} has not decided (${state}).`;
}

/** The players and what they have come to. */
export function matchCard() {
  const [title, who] = [h("p", { class: "small" }), h("p", {})];
  const value = h("strong", { class: "score num" });
  const [strength, test] = [h("p", {}), h("p", { class: "small" })];
  const fill = h("i", {});
  const bar = h("div", { class: "bar", role: "progressbar", "aria-label": t`pairs that are counted`, "aria-valuemin": 0, "aria-valuemax": 100 }, fill);
  const node = card(t`Match`, h("div", { class: "stack" }, who, title, value, bar, strength, test));
  node.draw = ({ match: found }) => {
    show(node, Boolean(found));
    if (!found) return;
    say(who, t`A is ${found.a}, B is ${found.b}`);
    say(title, titleOf(found.title));
    say(value, points(found));
    const share = Math.floor((100 * found.pairs_counted) / found.pairs);
    fill.style.width = `${share}%`;
    bar.setAttribute("aria-valuenow", share);
    const [low, high] = found.elo_interval.map(round);
    say(strength, found.pairs_counted ? t`A is ${round(found.elo)} Elo stronger; in 95 of 100 cases the interval from ${low} to ${high} holds the difference.`
      : t`No pair of games is over yet.`);
    show(test, Boolean(found.test));
    if (found.test) say(test, verdict(found.test));
  };
  return node;
}

/** Pairs, games, nodes and time. */
export function matchFactsCard() {
  const rows = {};
  const list = h("dl", { class: "facts" }, [["pairs", t`Pairs`], ["won", t`Won by A`], ["drawn", t`Drawn`], ["lost", t`Lost by A`], ["nodes", t`Nodes`],
    ["rate", t`Per second`], ["time", t`Has run`], ["cpu", t`CPU time`], ["workers", t`Workers`]].map(([name, text]) => {
    rows[name] = h("dd", {}, "\u2013");
    return h("div", {}, h("dt", {}, text), rows[name]);
  }));
  const node = h("section", { class: "card", "aria-label": t`Numbers of the match` }, list);
  node.draw = (job) => {
    const { match: found } = job;
    show(node, Boolean(found));
    if (!found) return;
    say(rows.pairs, ofLimit(count(found.pairs_counted), count(found.pairs)));
    for (const name of ["won", "drawn", "lost"]) say(rows[name], count(found[name]));
    say(rows.nodes, short(job.iterations));
    rows.nodes.title = count(job.iterations);
    say(rows.rate, job.workers ? short(job.rate) : "\u2013");
    say(rows.time, ofLimit(duration(job.seconds), job.limits.seconds && duration(job.limits.seconds)));
    say(rows.cpu, found.cpu_seconds ? tick(found.cpu_seconds) : "\u2013");
    say(rows.workers, ofLimit(job.workers, job.limits.workers));
    // What is over has no speed and no workers.
    for (const row of [rows.rate, rows.workers]) show(row.parentNode, !isOver(job));
  };
  return node;
}

/** The interval of the difference in Elo, against time. */
export function eloCard() {
  const chart = new BoundsChart({ label: t`Elo of A against time, with its interval` });
  const node = card(t`Elo against time`, chart.element);
  let course = [];
  node.hidden = true;
  node.statistics = (view) => { if (view.match) course = view.match.course.filter((p) => p.pairs > 0); };
  const bounds = (seconds, [low, high]) => ({ seconds, lower: round(low), upper: round(high) });
  node.draw = ({ match: found, seconds }) => {
    show(node, Boolean(found?.pairs_counted));
    if (!found?.pairs_counted) return;
    const end = Math.max(seconds, course.at(-1)?.seconds ?? 0);
    chart.set([...course.map((p) => bounds(p.seconds, p.elo_interval)), bounds(end, found.elo_interval)]);
  };
  node.stop = () => chart.destroy();
  return node;
}

/** The settings of a board that the page of games takes, by game. */
const RULES = { gomoku: ["rule", "win"], reversi: ["start", "empties"], go: ["ko", "cycle", "suicide"] };

/** The games that are over; each can be opened on the board and saved. */
export function gamesCard(id) {
  const body = h("tbody", {});
  const [nothing, trouble] = [h("p", { class: "faint" }, t`No game is over yet.`), h("div", {})];
  const more = button(t`More games`, { onclick: () => {
    wanted = Math.min(4 * wanted, MOST);
    load();
  } });
  const rest = h("p", { class: "faint small", hidden: true }, t`The command \u201cmorpion job games ${id}\u201d has all games.`);
  const table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t`Table of games` }, h("table", {}, h("thead", {}, h("tr", {},
    [t`Game`, t`Black`, t`Winner`, t`Plies`, ""].map((text, n) => h("th", { scope: "col", class: n === 0 || n === 3 ? "num" : "" }, text)))), body));
  const node = card(t`Games`, nothing, table, trouble, rest, h("div", {}, more));
  node.hidden = true;
  let [now, games, wanted, loading] = [null, [], PAGE, false];
  const address = (game) => {
    const { settings } = now;
    const found = now.match ?? now.selfplay;
    const rules = Object.fromEntries(RULES[found.game].map((name) => [name, settings[name]]).filter(([, value]) => value !== undefined));
    return `#/games${query({ game: found.game, size: `${found.width}x${found.height}`, ...rules, moves: game.moves.join(".") })}`;
  };
  // A player against itself has two colours and one name.
  const player = (which) => (now.match ? which.toUpperCase() : which === "a" ? t`Black` : t`White`);
  const row = (game) => h("tr", {}, h("td", { class: "num" }, count(game.number + 1)), h("td", {}, player(game.black)),
    h("td", { title: game.failure || "" }, game.winner === "draw" ? t`a draw` : player(game.winner)), h("td", { class: "num" }, count(game.moves.length)),
    h("td", {}, h("div", { class: "row" }, h("a", { href: address(game) }, t`Open`), button(t`Save`, { glyph: "save", quiet: true,
      onclick: () => saveAs(game.text, `job${id}-game${game.number + 1}.${game.saved_as}`) }))));
  async function load() {
    if (loading) return;
    loading = true;
    try {
      // A pair may be over before one with a smaller number.
      const listing = await get(`/jobs/${id}/games${query({ limit: wanted })}`);
      games = listing.items;
      trouble.replaceChildren();
      keyed(body, games, (game) => game.number, row);
      show(nothing, !games.length);
      show(table, games.length > 0);
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
    now = job;
    const done = job.match ? 2 * job.match.pairs_done : job.selfplay?.games_counted;
    show(node, done !== undefined);
    if (done && games.length < Math.min(wanted, done)) load();
  };
  return node;
}

