// The parts of the page of positions that are analysed: how many, their best moves, and one of them on the board.

import { query } from "../api.js";
import { button, h, keyed, say, show } from "../dom.js";
import { count, decimal, ofLimit, titleOf } from "../format.js";
import { GameBoard, sideName } from "../gameboard.js";
import { t } from "../language.js";
import { card, factsCard, resultsCard, shareBar } from "./cards.js";

/** Moves whose values are on the board, moves of a line. */
const MARKED = 9;
const LONGEST = 8;
/** Moves of a position that are listed. */
const LISTED = 15;

/** What a move is worth to the side that makes it, in words. */
function worth({ value, decided_in: decided }, game) {
  if (decided !== null) {
    if (value === 0) return t`a draw`;
    if (game === "gomoku") return value > 0 ? t`wins in ${decided} plies` : t`loses in ${decided} plies`;
    return value > 0 ? t`wins by ${Math.floor(value)}` : t`loses by ${Math.floor(-value)}`;
  }
  const text = game === "gomoku" ? String(value) : decimal(value.toFixed(1));
  return (value > 0 ? `+${text}` : text).replace("-", "\u2212");
}

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
  const [what, play, body] = [h("p", { class: "small" }), h("a", { class: "button" }, t`Open on the board`), h("tbody", {})];
  const heads = [t`Move`, t`Value`, t`Depth`, t`Line`];
  const table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t`Table of moves` }, h("table", {}, h("thead", {}, h("tr", {},
    heads.map((text, n) => h("th", { scope: "col", class: n === 2 ? "num" : "" }, text)))), body));
  const node = card(t`Chosen position`, board.element, h("div", { class: "stack" }, what, h("div", { class: "row" }, play), table));
  node.hidden = true;
  node.set = (position, game) => {
    const { number, side, played, moves, width, height, cells } = position;
    const marked = moves.slice(0, MARKED).map(({ move, value }) => ({ name: move, lower: Math.round(value), upper: Math.round(value) }));
    board.draw({ game, width, height, cells, side }, { moves: marked, best: moves.slice(0, 1).map(({ move }) => move), last: played.at(-1) ?? null });
    const over = moves.length ? "" : ` \u00b7 ${t`the game is over`}`;
    say(what, `${t`Position ${count(number + 1)}`} \u00b7 ${t`${sideName(side)} to move`}${over}`);
    play.href = `#/games${query({ game, size: game === "reversi" ? `${width}x${height}` : undefined, position: position.position })}`;
    keyed(body, moves.slice(0, LISTED), (one) => `${number} ${one.move}`, (one) => h("tr", {}, h("td", {}, one.move), h("td", {}, worth(one, game)),
      h("td", { class: "num" }, one.depth), h("td", {}, one.line.slice(0, LONGEST).join(" "))));
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
