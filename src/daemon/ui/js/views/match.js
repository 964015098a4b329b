// The parts of a match's page: the points, the difference in strength with its interval, the test, and the games.

import { query } from "../api.js";
import { BoundsChart } from "../boundschart.js";
import { button, h, saveAs, say, show } from "../dom.js";
import { count, decimal, ofLimit, titleOf } from "../format.js";
import { t } from "../language.js";
import { card, factsCard, resultsCard, shareBar } from "./cards.js";

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
  const bar = shareBar(t`pairs that are counted`);
  const node = card(t`Match`, h("div", { class: "stack" }, who, title, value, bar, strength, test));
  node.draw = ({ match: found }) => {
    show(node, Boolean(found));
    if (!found) return;
    say(who, t`A is ${found.a}, B is ${found.b}`);
    say(title, titleOf(found.title));
    say(value, points(found));
    bar.set((100 * found.pairs_counted) / found.pairs);
    const [low, high] = found.elo_interval.map(round);
    say(strength, found.pairs_counted ? t`A is ${round(found.elo)} Elo stronger; in 95 of 100 cases the interval from ${low} to ${high} holds the difference.`
      : t`No pair of games is over yet.`);
    show(test, Boolean(found.test));
    if (found.test) say(test, verdict(found.test));
  };
  return node;
}

/** Pairs, games, nodes and time. */
export const matchFactsCard = () => factsCard(t`Numbers of the match`, "match", [["pairs", t`Pairs`], ["won", t`Won by A`], ["drawn", t`Drawn`], ["lost", t`Lost by A`],
  ["nodes", t`Nodes`], ["rate", t`Per second`], ["time", t`Has run`], ["cpu", t`CPU time`], ["workers", t`Workers`]], (rows, found) => {
  say(rows.pairs, ofLimit(count(found.pairs_counted), count(found.pairs)));
  for (const name of ["won", "drawn", "lost"]) say(rows[name], count(found[name]));
});

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
  let now = null;
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
  return resultsCard({
    title: t`Games`, path: `/jobs/${id}/games`, heads: [t`Game`, t`Black`, t`Winner`, t`Plies`, ""], numeric: [0, 3], row,
    done: (job) => {
      now = job;
      return job.match ? 2 * job.match.pairs_done : job.selfplay?.games_counted;
    },
    texts: { table: t`Table of games`, nothing: t`No game is over yet.`, more: t`More games`, rest: t`The command \u201cmorpion job games ${id}\u201d has all games.` },
  });
}
