// The parts of the page of a plan of Gomoku that is checked: how many moves hold, what does not, and what was looked at.

import { h, say, show } from "../dom.js";
import { count, ofLimit, short, titleOf } from "../format.js";
import { sideName } from "../gameboard.js";
import { t } from "../language.js";
import { card, factsCard, shareBar } from "./cards.js";

/** How many moves of the plan are checked. */
const checkedText = (found) => ofLimit(count(found.checked), count(found.moves));

const REASONS = {
  "the plan has no move here, and threats are not found to win": t`the plan has no move, and threats are not found to win`,
  "the defender has won": t`the other side has won`,
  "the board is full": t`the board is full`,
  "the victory by threats does not hold": t`the victory by threats does not hold`,
};

/** Where the plan does not hold, and why. */
function holeText({ moves, reason }) {
  const why = REASONS[reason] || reason;
  return moves ? t`After ${moves}: ${why}.` : t`In the first position: ${why}.`;
}

/** The position, how many moves are checked, and what does not hold. */
export function checkCard() {
  const [title, value, words, first, hole] = [h("p", { class: "small" }), h("strong", { class: "score num" }), h("p", {}), h("p", {}), h("p", { class: "problem" })];
  const bar = shareBar(t`moves of the plan that are checked`);
  const node = card(t`Check of a plan`, h("div", { class: "stack" }, title, value, bar, words, first, hole));
  node.draw = ({ check: found }) => {
    show(node, Boolean(found));
    if (!found) return;
    const [side, isAnswered] = [sideName(found.wins), found.start_answered];
    say(title, titleOf(found.title));
    say(value, checkedText(found));
    bar.set(found.moves ? (100 * found.checked) / found.moves : isAnswered === undefined ? 0 : 100);
    if (found.checked === found.moves && isAnswered) say(words, t`The plan holds: ${side} wins.`);
    else say(words, found.start ? t`Moves of the plan by which ${side} wins after ${found.start}.` : t`Moves of the plan by which ${side} wins on the empty board.`);
    if (found.unanswered) say(first, `${t`The plan does not answer every reply to its first position.`} ${holeText(found.unanswered)}`);
    else say(first, isAnswered ? t`Every reply to its first position is answered.` : t`The replies to its first position are not checked yet.`);
    show(hole, Boolean(found.hole));
    if (found.hole) say(hole, `${t`Move ${count(found.hole.number)} of the plan does not hold.`} ${holeText(found.hole)}`);
  };
  return node;
}

/** Moves, replies, positions and time. */
export const checkFactsCard = () => factsCard(t`Numbers of the check`, "check", [["moves", t`Moves checked`], ["replies", t`Replies`], ["planned", t`Answered by the plan`],
  ["threats", t`Answered by threats`], ["positions", t`Positions of threats`], ["rate", t`Per second`], ["time", t`Has run`], ["cpu", t`CPU time`], ["workers", t`Workers`]], (rows, found) => {
  say(rows.moves, checkedText(found));
  for (const [row, number] of [[rows.replies, found.replies], [rows.planned, found.planned], [rows.threats, found.by_threats], [rows.positions, found.positions]]) {
    say(row, short(number));
    row.title = count(number);
  }
});
