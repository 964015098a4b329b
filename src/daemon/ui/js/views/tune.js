// The parts of the page of weights that are learned: how far the fit is, how well the weights tell the ends of games, and the file.

import { download } from "../api.js";
import { button, h, keyed, say, show, toast } from "../dom.js";
import { count, decimal, duration, isOver, ofLimit, tick, titleOf } from "../format.js";
import { t } from "../language.js";

const card = (title, ...children) => h("section", { class: "card", "aria-label": title }, h("header", {}, h("h2", {}, title)), children);

/** A loss with as many digits as it is worth. */
const digits = (loss, game) => decimal(loss.toFixed(game === "reversi" ? 3 : 4));

/** The loss of the weights on games that they are not learned from. */
export const lossText = ({ after, game }) => (after ? digits(after.validation, game) : "\u2013");

/** The loss, and the file. */
export function tuneCard(id) {
  const [title, value, words] = [h("p", { class: "small" }), h("strong", { class: "score num" }), h("p", {})];
  const fill = h("i", {});
  const bar = h("div", { class: "bar", role: "progressbar", "aria-label": t`parts of the fit that are done`, "aria-valuemin": 0, "aria-valuemax": 100 }, fill);
  let game = "";
  const save = button(t`Save the weights`, { glyph: "save", onclick: async () => {
    try {
      await download(`/jobs/${id}/weights`, `${game}-job${id}.weights`);
    } catch (problem) {
      toast(t`The weights cannot be saved: ${problem.message}`, "bad");
    }
  } });
  const node = card(t`Weights`, h("div", { class: "stack" }, title, value, bar, words, h("div", { class: "row" }, save)));
  node.draw = ({ tune: found, reason }) => {
    show(node, Boolean(found));
    if (!found) return;
    ({ game } = found);
    say(title, titleOf(found.title));
    say(value, lossText(found));
    const share = Math.floor((100 * found.parts_done) / found.parts);
    fill.style.width = `${share}%`;
    bar.setAttribute("aria-valuenow", share);
    const { after, before } = found;
    const old = before ? ` ${t`Before it was ${digits(before.validation, game)}.`}` : "";
    const told = () => (game === "reversi"
      ? t`The error in discs on games that are not learned from; on the others it is ${digits(after.training, game)}.`
      : t`The loss on games that are not learned from (0.693 if nothing is known); on the others it is ${digits(after.training, game)}.`);
    say(words, after ? told() + old : t`The loss is known when the fit is done.`);
    show(save, reason === "learned");
  };
  return node;
}

/** Games, positions, steps and time. */
export function tuneFactsCard() {
  const rows = {};
  const list = h("dl", { class: "facts" }, [["games", t`Games`], ["positions", t`Positions`], ["parts", t`Parts`], ["steps", t`Steps`], ["time", t`Has run`],
    ["cpu", t`CPU time`], ["workers", t`Workers`], ["of", t`Games of the jobs`]].map(([name, text]) => {
    rows[name] = h("dd", {}, "\u2013");
    return h("div", {}, h("dt", {}, text), rows[name]);
  }));
  const node = h("section", { class: "card", "aria-label": t`Numbers of the weights` }, list);
  node.draw = (job) => {
    const { tune: found } = job;
    show(node, Boolean(found));
    if (!found) return;
    say(rows.games, found.games ? count(found.games) : "\u2013");
    say(rows.positions, found.positions ? count(found.positions) : "\u2013");
    say(rows.parts, ofLimit(count(found.parts_done), count(found.parts)));
    say(rows.steps, count(job.iterations));
    say(rows.time, ofLimit(duration(job.seconds), job.limits.seconds && duration(job.limits.seconds)));
    say(rows.cpu, found.cpu_seconds ? tick(found.cpu_seconds) : "\u2013");
    say(rows.workers, ofLimit(job.workers, job.limits.workers));
    if (!rows.of.querySelector("a")) rows.of.replaceChildren(...found.games_of.flatMap((of, n) => [n ? ", " : "", h("a", { href: `#/jobs/${of}` }, of)]));
    show(rows.workers.parentNode, !isOver(job));
  };
  return node;
}

/** The loss after each part of the fit. */
export function lossesCard() {
  const body = h("tbody", {});
  const [what, nothing] = [h("th", { scope: "col", class: "num" }), h("p", { class: "faint" }, t`No part of the fit is done yet.`)];
  const heads = [what, ...[t`Positions`, t`Learned from`, t`Not learned from`].map((text) => h("th", { scope: "col", class: "num" }, text))];
  const table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t`Table of losses` }, h("table", {}, h("thead", {}, h("tr", {}, heads)), body));
  const node = card(t`Loss`, nothing, table);
  node.hidden = true;
  node.draw = ({ tune: found }) => {
    show(node, Boolean(found));
    if (!found) return;
    const { game, losses } = found;
    say(what, game === "reversi" ? t`Empty cells` : t`Steps`);
    show(nothing, !losses.length);
    show(table, losses.length > 0);
    keyed(body, losses, (one) => one.at, () => h("tr", {}, Array.from({ length: 4 }, () => h("td", { class: "num" }))), (row, one) =>
      [game === "reversi" ? t`from ${one.at} on` : count(one.at), count(one.positions), digits(one.training, game), digits(one.validation, game)]
        .forEach((text, n) => say(row.children[n], text)));
  };
  return node;
}
