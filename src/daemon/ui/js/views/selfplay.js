// The parts of the page of games of a player against itself: how many are made, and how fast.

import { query } from "../api.js";
import { h, say, show } from "../dom.js";
import { count, decimal, isOver, titleOf } from "../format.js";
import { t } from "../language.js";
import { card, factsCard, shareBar } from "./cards.js";

/** The games that are made, and how many are to be made. */
export function selfplayCard(id) {
  const [title, words] = [h("p", { class: "small" }), h("p", {})];
  const value = h("strong", { class: "score num" });
  const bar = shareBar(t`games that are made`);
  const save = h("p", { class: "small faint" }, t`The command \u201cmorpion job games ${id} --file FILE\u201d writes a file of games that \u201cmorpion tune\u201d learns from.`);
  const learn = h("a", { class: "button" }, t`Learn weights`);
  const node = card(t`Self-play`, h("div", { class: "stack" }, title, value, bar, words, save, h("div", { class: "row" }, learn)));
  node.draw = ({ selfplay: found }) => {
    show(node, Boolean(found));
    if (!found) return;
    learn.href = `#/tune${query({ game: found.game, games_of: id })}`;
    say(title, titleOf(found.title));
    say(value, t`${count(found.games_counted)} of ${count(found.games)}`);
    bar.set((100 * found.games_counted) / found.games);
    const plies = found.games_counted ? found.plies / found.games_counted : 0;
    say(words, found.games_counted ? t`Black has won ${count(found.won_black)}, white ${count(found.won_white)}, ${count(found.drawn)} are drawn; ${decimal(plies.toFixed(1))} moves on average.`
      : t`No game is over yet.`);
  };
  return node;
}

/** Games and time. */
export const selfplayFactsCard = () => factsCard(t`Numbers of the self-play`, "selfplay", [["games", t`Games`], ["rate", t`Games per second`], ["time", t`Has run`],
  ["cpu", t`CPU time`], ["workers", t`Workers`]], (rows, found, job) => {
  say(rows.games, count(job.iterations));
  // Of a job that is over the mean is told.
  const rate = isOver(job) ? job.iterations / Math.max(job.seconds, 1e-3) : job.rate;
  say(rows.rate, job.workers || isOver(job) ? decimal(rate.toFixed(2)) : "\u2013");
  show(rows.rate.parentNode, true);
});
