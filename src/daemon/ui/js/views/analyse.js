// The parts of the page of positions that are analysed: how many, their best moves, and one of them on the board.

import { query } from "../api.js";
import { button, h, say, show } from "../dom.js";
import { count, ofLimit, titleOf } from "../format.js";
import { GameBoard, sideName } from "../gameboard.js";
import { t } from "../language.js";
import { card, factsCard, resultsCard, shareBar } from "./cards.js";
import { marked, valuesTable, worth } from "./values.js";

/** Moves whose values are on the board. */
const MARKED = 9;
/** Moves of a position that are listed. */
const LISTED = 15;

/** How many positions are analysed. */
export function analyseCard() {
  const [title, value] = [h("p", { class: "small" }), h("strong", { class: "score num" })];
  const bar = shareBar(t`positions that are analysed`);
  const node = card(t`Analysis`, h("div", { class: "stack" }, title, value, bar));
  node.draw = ({ analyse: found }) => {
    show(node, Boolean(found));
    if (!found) return;
    say(title, titleOf(found.title));
    say(value, t`${count(found.positions_done)} of ${count(found.positions)}`);
    bar.set((100 * found.positions_done) / found.positions);
  };
  return node;
}

/** Positions, nodes and time. */
export const analyseFactsCard = () => factsCard(t`Numbers of the analysis`, "analyse", [["positions", t`Positions`], ["nodes", t`Nodes`], ["rate", t`Per second`],
  ["time", t`Has run`], ["cpu", t`CPU time`], ["workers", t`Workers`]], (rows, found) => say(rows.positions, ofLimit(count(found.positions_done), count(found.positions))));

/** The position that was chosen: its board with the values of its best moves, and all of them in a table. */
function chosenCard() {
  const board = new GameBoard({ label: t`The position` });
  const [what, play, table] = [h("p", { class: "small" }), h("a", { class: "button" }, t`Open on the board`), valuesTable()];
  const node = card(t`Chosen position`, board.element, h("div", { class: "stack" }, what, h("div", { class: "row" }, play), table));
  node.hidden = true;
  node.set = (position, game) => {
    const { number, side, played, moves, width, height, cells } = position;
    board.draw({ game, width, height, cells, side }, { moves: moves.slice(0, MARKED).map((one) => marked(one, game)), best: moves.slice(0, 1).map(({ move }) => move), last: played.at(-1) ?? null });
    const over = moves.length ? "" : ` \u00b7 ${t`the game is over`}`;
    say(what, `${t`Position ${count(number + 1)}`} \u00b7 ${t`${sideName(side)} to move`}${over}`);
    play.href = `#/games${query({ game, size: game === "reversi" ? `${width}x${height}` : undefined, position: position.position })}`;
    table.set(moves.slice(0, LISTED), game);
    show(node, true);
  };
  return node;
}

/** The positions that are analysed, each with its best move. Its `chosen` is the card of the one that was chosen. */
export function analysesCard(id) {
  const chosen = chosenCard();
  let [game, any] = [null, false];
  const choose = (position) => {
    any = true;
    chosen.set(position, game);
  };
  const row = (position) => {
    const [best] = position.moves;
    const made = position.moves.find(({ move }) => move === position.next);
    return h("tr", {}, h("td", { class: "num" }, count(position.number + 1)), h("td", {}, sideName(position.side)), h("td", {}, best ? best.move : t`the game is over`),
      h("td", {}, best ? worth(best, game) : ""), h("td", {}, position.next ?? "\u2013"), h("td", {}, made ? worth(made, game) : ""),
      h("td", {}, button(t`Show`, { onclick: () => choose(position) })));
  };
  const node = resultsCard({
    title: t`Best moves`, path: `/jobs/${id}/analyses`, heads: [t`Position`, t`Side`, t`Best move`, t`Value`, t`Made in the game`, t`Value`, ""], row,
    done: ({ analyse: found }) => {
      game = found?.game;
      return found?.positions_done;
    },
    loaded: (positions) => { if (!any && positions.length) choose(positions[0]); },
    texts: { table: t`Table of positions`, nothing: t`No position is analysed yet.`, more: t`More positions`, rest: t`The command \u201cmorpion job analyses ${id}\u201d has all positions.` },
  });
  node.chosen = chosen;
  return node;
}
