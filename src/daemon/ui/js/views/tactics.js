// The parts of the page of tactical questions: how many are answered and right, the answers, and one of them on the board.

import { query } from "../api.js";
import { button, h, say, show } from "../dom.js";
import { count, ofLimit, short, titleOf } from "../format.js";
import { GameBoard, sideName } from "../gameboard.js";
import { t, tc } from "../language.js";
import { card, factsCard, resultsCard, shareBar } from "./cards.js";

const GOALS = { capture: t`capture`, defend: t`defend`, connect: t`connect`, cut: t`cut`, kill: t`kill`, live: tc("the goal of a question", "live") };
export const VERDICTS = {
  works: t`works`, fails: t`fails`, ko_first: t`ko, the side to move captures first`, ko_threat: t`ko, the side to move needs the first threat`, unknown: t`unknown`,
};

/** What is asked: the goal and the stones. */
const asked = ({ goal, target, with: other }) => [GOALS[goal] || goal, target, other].filter(Boolean).join(" ");

/** What of an answer is right; nothing if the expected one is not given. */
function remark({ code, right_by_code: byCode, right_with_move: withMove, expected }) {
  if (byCode === null || (code === null && !byCode)) return "";
  if (withMove) return t`right`;
  return byCode ? t`right, with another move` : t`wrong: ${expected.join(", ")} is expected`;
}

/** How many answers there are, and how many are right. */
export function tacticsCard() {
  const [title, value, words, proofs] = [h("p", { class: "small" }), h("strong", { class: "score num" }), h("p", {}), h("p", { class: "small" })];
  const bar = shareBar(t`questions that are answered`);
  const node = card(t`Tactics`, h("div", { class: "stack" }, title, value, bar, words, proofs));
  node.draw = ({ tactics: found }) => {
    show(node, Boolean(found));
    if (!found) return;
    say(title, titleOf(found.title));
    say(value, t`${count(found.questions_done)} of ${count(found.questions)}`);
    bar.set((100 * found.questions_done) / found.questions);
    const right = t`Of ${count(found.compared)} expected answers ${count(found.by_code)} are right, ${count(found.with_move)} with the move.`;
    say(words, found.compared ? `${right} ${t`${count(found.unknown)} are unknown.`}` : t`${count(found.unknown)} are unknown.`);
    show(words, found.questions_counted > 0);
    say(proofs, t`${count(found.checked)} proofs are replayed by the naive rules; ${count(found.refused)} do not hold.`);
    show(proofs, found.checked > 0);
  };
  return node;
}

/** Questions, nodes and time. */
export const tacticsFactsCard = () => factsCard(t`Numbers of the questions`, "tactics", [["questions", t`Questions`], ["nodes", t`Nodes`], ["rate", t`Per second`],
  ["time", t`Has run`], ["cpu", t`CPU time`], ["workers", t`Workers`]], (rows, found) => say(rows.questions, ofLimit(count(found.questions_done), count(found.questions))));

/** The question that was chosen, on the board: its first move and the stone that it is about. */
function chosenCard() {
  const board = new GameBoard({ label: t`The position` });
  const [what, told, play] = [h("p", { class: "small" }), h("p", {}), h("a", { class: "button" }, t`Open on the board`)];
  const node = card(t`Chosen question`, board.element, h("div", { class: "stack" }, what, told, h("div", { class: "row" }, play)));
  node.hidden = true;
  node.set = (one) => {
    const { width, height, cells, side, move, target, name, verdict, proven, nodes } = one;
    board.draw({ game: "go", width, height, cells, side }, { best: move ? [move] : [], last: target });
    say(what, `${t`Question ${name}`} \u00b7 ${asked(one)} \u00b7 ${t`${sideName(side)} to move`}`);
    const text = [VERDICTS[verdict] || verdict, verdict !== "unknown" && (proven ? t`proven` : t`not proven`), move && t`move ${move}`, t`${short(nodes)} nodes`, remark(one)];
    say(told, text.filter(Boolean).join(" \u00b7 "));
    const rows = Array.from({ length: height }, (_, y) => cells.slice(y * width, (y + 1) * width));
    play.href = `#/games${query({ game: "go", size: `${width}x${height}`, position: `${rows.join("/")} ${side}` })}`;
    show(node, true);
  };
  return node;
}

/** The questions that are answered. Its `chosen` is the card of the one that was chosen. */
export function answersCard(id) {
  const chosen = chosenCard();
  let any = false;
  const choose = (one) => {
    any = true;
    chosen.set(one);
  };
  const row = (one) => h("tr", {}, h("td", { class: "num" }, one.name), h("td", {}, asked(one)), h("td", {}, VERDICTS[one.verdict] || one.verdict), h("td", {}, one.move ?? "\u2013"),
    h("td", {}, remark(one)), h("td", {}, button(t`Show`, { onclick: () => choose(one) })));
  const node = resultsCard({
    title: t`Answers`, path: `/jobs/${id}/answers`, heads: [t`Question`, t`Goal`, t`Answer`, t`Move`, t`Right`, ""], row,
    done: (job) => job.tactics?.questions_done, loaded: (answers) => { if (!any && answers.length) choose(answers[0]); },
    texts: { table: t`Table of answers`, nothing: t`No question is answered yet.`, more: t`More questions`, rest: t`The command \u201cmorpion job answers ${id}\u201d has all answers.` },
  });
  node.chosen = chosen;
  return node;
}
