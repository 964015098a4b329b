// The parts of a solver job's page: the position with what is known of its moves, the bounds as they close, the units, the credit.

import { BoundsChart } from "../boundschart.js";
import { h, keyed, say, show } from "../dom.js";
import { count, duration, ofLimit, short, tick } from "../format.js";
import { GameBoard, between, sideName } from "../gameboard.js";
import { t, tc } from "../language.js";
import { hear } from "../live.js";
import { card } from "./cards.js";

/** What the bounds mean, in words. */
export function verdict(found) {
  const [side, other] = found.side === "black" ? [sideName("black"), sideName("white")] : [sideName("white"), sideName("black")];
  const { lower, upper, goal } = found;
  if (!found.settled) return t`for ${side}, who is to move; not settled`;
  const least = /^at least (-?\d+)$/.exec(goal);
  if (least) return lower >= Number(least[1]) ? t`at least ${least[1]} for ${side}: yes` : t`at least ${least[1]} for ${side}: no`;
  if (lower > 0) return t`for ${side}, who is to move: ${side} wins`;
  if (upper < 0) return t`for ${side}, who is to move: ${other} wins`;
  return t`a draw`;
}

/** The position of a job, and what is known. */
export function positionCard() {
  const board = new GameBoard({ label: t`The position` });
  const value = h("strong", { class: "score num" });
  const words = h("p", {});
  const line = h("p", { class: "small" });
  const doubt = h("p", { class: "note bad small", hidden: true });
  const play = h("a", { class: "button" }, t`Open on the board`);
  const text = h("code", { class: "preview" });
  const node = card(t`Position`, board.element, h("div", { class: "stack" }, h("div", { class: "row base" }, value, words), line, doubt,
    h("div", { class: "row" }, play), h("details", {}, h("summary", { class: "small" }, t`As text`), text)));
  node.draw = (job) => {
    const found = job.solution;
    show(node, Boolean(found));
    if (!found) return;
    board.draw(found, { moves: found.moves, best: found.best_moves });
    say(value, between(found.lower, found.upper));
    say(words, verdict(found));
    say(line, found.line.length ? t`Best play: ${found.line.join(" ")}` : found.best_moves.length ? t`Best: ${found.best_moves.join(" ")}` : t`Values of first moves appear as they are found.`);
    say(doubt, t`The answers contradict each other (${found.contradictions}): a worker was wrong and was not found out.`);
    show(doubt, found.contradictions > 0);
    play.href = `#/games?job=${job.id}`;
    say(text, found.position);
  };
  return node;
}

/** Bounds against time. */
export function boundsCard(id) {
  const chart = new BoundsChart();
  const node = card(t`Bounds against time`, chart.element);
  let points = [];
  let now = null;
  node.hidden = true;
  node.statistics = (view) => { if (view.solution) points = view.solution.course; };
  node.draw = (job) => {
    show(node, Boolean(job.solution));
    if (!job.solution) return;
    now = { seconds: Math.max(job.seconds, points.at(-1)?.seconds ?? 0), lower: job.solution.lower, upper: job.solution.upper };
    chart.set([...points, now]);
  };
  const stop = hear((event) => {
    if (event.event === "bounds" && event.job === id) points.push(event);
  });
  node.stop = () => {
    stop();
    chart.destroy();
  };
  return node;
}

/** Units and nodes. */
export function unitsCard() {
  const rows = {};
  const list = h("dl", { class: "facts" }, [["nodes", t`Nodes`], ["rate", t`Per second`], ["time", t`Has run`], ["cpu", t`CPU time`], ["workers", t`Workers`],
    ["made", t`Units made`], ["finished", t`Answered`], ["split", t`Split`], ["cancelled", t`Not needed`], ["open", tc("units", "Open")], ["tree", t`Nodes on top`]].map(([name, text]) => {
    rows[name] = h("dd", {}, "\u2013");
    return h("div", {}, h("dt", {}, text), rows[name]);
  }));
  const node = h("section", { class: "card", "aria-label": t`Units` }, list);
  node.draw = (job) => {
    const found = job.solution;
    show(node, Boolean(found));
    if (!found) return;
    say(rows.nodes, short(Math.max(found.nodes, job.iterations)));
    rows.nodes.title = count(found.nodes);
    say(rows.rate, job.workers ? short(job.rate) : "\u2013");
    say(rows.time, duration(job.seconds));
    say(rows.cpu, found.cpu_seconds ? tick(found.cpu_seconds) : "\u2013");
    say(rows.workers, ofLimit(job.workers, job.limits.workers));
    for (const name of ["made", "finished", "split", "cancelled", "open"]) say(rows[name], count(found.units[name]));
    say(rows.tree, count(found.tree_nodes));
  };
  return node;
}

/** Whose credit it is. */
export function creditCard() {
  const body = h("tbody", {});
  const heads = [t`Worker`, t`Units`, t`Nodes`, t`CPU time`, t`Not needed`, t`Refused`, t`Wrong`];
  const node = card(t`Credit`, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t`Table of credit` }, h("table", {}, h("thead", {}, h("tr", {}, heads.map((text, n) =>
    h("th", { scope: "col", class: n ? "num" : "" }, text)))), body)));
  node.hidden = true;
  node.statistics = (view) => {
    const found = view.solution;
    show(node, Boolean(found?.workers.length));
    if (!found) return;
    const users = found.users.length > 1 ? found.users : [];
    const rows = [...found.workers.map((w) => [`${w.user}/${w.name}${w.trusted ? "" : ` (${t`not trusted`})`}`, w.credit, w.wrong]),
      ...users.map((u) => [t`user ${u.user}`, u.credit, null]), [tc("users", "all"), found.total, null]];
    keyed(body, rows, (row) => row[0], () => h("tr", {}, heads.map((_, n) => h("td", { class: n ? "num" : "" }))), (row, [name, credit, wrong]) =>
      [name, count(credit.accepted.units), short(credit.accepted.nodes), tick(credit.accepted.cpu_seconds), count(credit.not_needed.units),
        count(credit.refused.units), wrong ?? "\u2013"].forEach((text, n) => say(row.children[n], text)));
  };
  return node;
}
