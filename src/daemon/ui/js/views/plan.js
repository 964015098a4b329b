// The parts of the page of a plan of Gomoku: which replies have one, what is known of the others, and the file.

import { h, keyed, say, show } from "../dom.js";
import { count, ofLimit, short, titleOf } from "../format.js";
import { sideName } from "../gameboard.js";
import { t } from "../language.js";
import { card, factsCard, saveButton, shareBar } from "./cards.js";

/** How many replies have a plan. */
export const answeredText = (found) => ofLimit(count(found.answered), count(found.goals));

const STATES = { open: t`open`, limit: t`its nodes are used up`, "given up": t`nothing more to try`, refused: t`its plan does not hold` };

/** The position, how many replies have a plan, and the file. */
export function planCard(id) {
  const [title, value, words, checked] = [h("p", { class: "small" }), h("strong", { class: "score num" }), h("p", {}), h("p", { class: "small faint" })];
  const bar = shareBar(t`replies that have a plan`);
  const save = saveButton(t`Save the plan`, `/jobs/${id}/plan`, () => `job${id}.plan`, (message) => t`The plan cannot be saved: ${message}`);
  const node = card(t`Plan`, h("div", { class: "stack" }, title, value, bar, words, checked, h("div", { class: "row" }, save)));
  node.draw = ({ plan: found }) => {
    show(node, Boolean(found));
    if (!found) return;
    say(title, titleOf(found.title));
    say(value, answeredText(found));
    bar.set((100 * found.answered) / found.goals);
    const side = sideName(found.wins);
    say(words, found.start ? t`Replies after ${found.start} to which there is a plan by which ${side} wins.` : t`Replies on the empty board to which there is a plan by which ${side} wins.`);
    say(checked, found.checked ? t`All moves of the plan are checked.` : t`The plan is not checked: morpion plan check does that.`);
  };
  return node;
}

/** Moves, searches and time. */
export const planFactsCard = () => factsCard(t`Numbers of the plan`, "plan", [["answered", t`Replies answered`], ["open", t`Replies left`], ["moves", t`Moves of the plan`],
  ["nodes", t`Nodes`], ["threats", t`Searches of threats`], ["rate", t`Per second`], ["time", t`Has run`], ["cpu", t`CPU time`], ["workers", t`Workers`]], (rows, found) => {
  say(rows.answered, answeredText(found));
  say(rows.open, count(found.open.length));
  say(rows.moves, count(found.moves));
  say(rows.threats, short(found.threats));
  rows.threats.title = count(found.threats);
});

/** What is known of the replies that have no plan. */
export function openRepliesCard() {
  const body = h("tbody", {});
  const table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t`Table of replies` }, h("table", {}, h("thead", {}, h("tr", {},
    [t`Reply`, t`State`, t`Proof number`, t`Units`, t`Nodes`].map((text, n) => h("th", { scope: "col", class: n > 1 ? "num" : "" }, text)))), body));
  const node = card(t`Replies without a plan`, h("p", { class: "faint small" }, t`The proof number is a guess at the work that is left.`), table);
  node.draw = ({ plan: found }) => {
    show(node, Boolean(found?.open.length));
    if (!found) return;
    keyed(body, found.open, (one) => one.reply, () => h("tr", {}, Array.from({ length: 5 }, (_, n) => h("td", { class: n > 1 ? "num" : "" }))), (row, one) =>
      [one.reply === "-" ? t`the position` : one.reply, STATES[one.state] || one.state, one.proof === undefined ? "\u2013" : count(one.proof), count(one.turns), short(one.nodes)]
        .forEach((text, n) => say(row.children[n], text)));
  };
  return node;
}
