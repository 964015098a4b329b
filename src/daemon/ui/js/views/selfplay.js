// The parts of the page of games of a player against itself: how many are made, and how fast.

import { query } from "../api.js";
import { h, say, show } from "../dom.js";
import { count, decimal, duration, isOver, ofLimit, tick, titleOf } from "../format.js";
import { t } from "../language.js";

const card = (title, ...children) => h("section", { class: "card", "aria-label": title }, h("header", {}, h("h2", {}, title)), children);

/** The games that are made, and how many are to be made. */
export function selfplayCard(id) {
  const [title, words] = [h("p", { class: "small" }), h("p", {})];
  const value = h("strong", { class: "score num" });
  const fill = h("i", {});
  const bar = h("div", { class: "bar", role: "progressbar", "aria-label": t`games that are made`, "aria-valuemin": 0, "aria-valuemax": 100 }, fill);
  const save = h("p", { class: "small faint" }, t`The command \u201cmorpion job games ${id} --file FILE\u201d writes a file of games that \u201cmorpion tune\u201d learns from.`);
  const learn = h("a", { class: "button" }, t`Learn weights`);
  const node = card(t`Self-play`, h("div", { class: "stack" }, title, value, bar, words, save, h("div", { class: "row" }, learn)));
  node.draw = ({ selfplay: found }) => {
    show(node, Boolean(found));
    if (!found) return;
    learn.href = `#/tune${query({ game: found.game, games_of: id })}`;
    say(title, titleOf(found.title));
    say(value, t`${count(found.games_counted)} of ${count(found.games)}`);
    const share = Math.floor((100 * found.games_counted) / found.games);
    fill.style.width = `${share}%`;
    bar.setAttribute("aria-valuenow", share);
    const plies = found.games_counted ? found.plies / found.games_counted : 0;
    say(words, found.games_counted ? t`Black has won ${count(found.won_black)}, white ${count(found.won_white)}, ${count(found.drawn)} are drawn; ${decimal(plies.toFixed(1))} moves on average.`
      : t`No game is over yet.`);
  };
  return node;
}

/** Games and time. */
export function selfplayFactsCard() {
  const rows = {};
  const list = h("dl", { class: "facts" }, [["games", t`Games`], ["rate", t`Games per second`], ["time", t`Has run`], ["cpu", t`CPU time`],
    ["workers", t`Workers`]].map(([name, text]) => {
    rows[name] = h("dd", {}, "\u2013");
    return h("div", {}, h("dt", {}, text), rows[name]);
  }));
  const node = h("section", { class: "card", "aria-label": t`Numbers of the self-play` }, list);
  node.draw = (job) => {
    const { selfplay: found } = job;
    show(node, Boolean(found));
    if (!found) return;
    say(rows.games, count(job.iterations));
    // Of a job that is over the mean is told.
    const rate = isOver(job) ? job.iterations / Math.max(job.seconds, 1e-3) : job.rate;
    say(rows.rate, job.workers || isOver(job) ? decimal(rate.toFixed(2)) : "\u2013");
    say(rows.time, ofLimit(duration(job.seconds), job.limits.seconds && duration(job.limits.seconds)));
    say(rows.cpu, found.cpu_seconds ? tick(found.cpu_seconds) : "\u2013");
    say(rows.workers, ofLimit(job.workers, job.limits.workers));
    show(rows.workers.parentNode, !isOver(job));
  };
  return node;
}
