// The parts of the page of weights that are learned: how far the fit is, how well the weights tell the ends of games, and the file.

import { h, keyed, say, show } from "../dom.js";
import { count, decimal, ofLimit, titleOf } from "../format.js";
import { t } from "../language.js";
import { card, factsCard, saveButton, shareBar } from "./cards.js";

/** A loss with as many digits as it is worth. */
const digits = (loss, game) => decimal(loss.toFixed(game === "reversi" ? 3 : 4));

/** The loss of the weights on games that they are not learned from. */
export const lossText = ({ after, game }) => (after ? digits(after.validation, game) : "\u2013");

/** The loss, and the file. */
export function tuneCard(id) {
  const [title, value, words] = [h("p", { class: "small" }), h("strong", { class: "score num" }), h("p", {})];
  const bar = shareBar(t`parts of the fit that are done`);
  let game = "";
  const save = saveButton(t`Save the weights`, `/jobs/${id}/weights`, () => `${game}-job${id}.weights`, (message) => t`The weights cannot be saved: ${message}`);
  const node = card(t`Weights`, h("div", { class: "stack" }, title, value, bar, words, h("div", { class: "row" }, save)));
  node.draw = ({ tune: found, reason }) => {
    show(node, Boolean(found));
    if (!found) return;
    ({ game } = found);
    const { after, before, of_network: ofNetwork } = found;
    say(title, ofNetwork ? t`A network for ${titleOf(found.title)}` : titleOf(found.title));
    say(value, lossText(found));
    bar.set((100 * found.parts_done) / found.parts);
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
export const tuneFactsCard = () => factsCard(t`Numbers of the weights`, "tune", [["games", t`Games`], ["positions", t`Positions`], ["parts", t`Parts`], ["steps", t`Steps`],
  ["time", t`Has run`], ["cpu", t`CPU time`], ["workers", t`Workers`], ["of", t`Games of the jobs`]], (rows, found, job) => {
  say(rows.games, found.games ? count(found.games) : "\u2013");
  say(rows.positions, found.positions ? count(found.positions) : "\u2013");
  say(rows.parts, ofLimit(count(found.parts_done), count(found.parts)));
  say(rows.steps, found.of_network ? t`${count(job.iterations)} passes` : count(job.iterations));
  if (!rows.of.querySelector("a")) rows.of.replaceChildren(...found.games_of.flatMap((of, n) => [n ? ", " : "", h("a", { href: `#/jobs/${of}` }, of)]));
});

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
    say(what, game === "reversi" ? t`Empty cells` : found.of_network ? t`Passes` : t`Steps`);
    show(nothing, !losses.length);
    show(table, losses.length > 0);
    keyed(body, losses, (one) => one.at, () => h("tr", {}, Array.from({ length: 4 }, () => h("td", { class: "num" }))), (row, one) =>
      [game === "reversi" ? t`from ${one.at} on` : count(one.at), count(one.positions), digits(one.training, game), digits(one.validation, game)]
        .forEach((text, n) => say(row.children[n], text)));
  };
  return node;
}
