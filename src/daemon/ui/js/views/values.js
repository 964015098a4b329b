// What the moves of a position are worth: in words, on the board, and as a table.

import { attr, button, h, keyed, say } from "../dom.js";
import { decimal } from "../format.js";
import { between } from "../gameboard.js";
import { t } from "../language.js";

/** Moves of a line that are listed. */
const LONGEST = 8;

/** What a move is worth to the side that makes it, in words. */
export function worth({ value, decided_in: decided }, game) {
  if (decided !== null) {
    if (value === 0) return t`a draw`;
    if (game === "gomoku") return value > 0 ? t`wins in ${decided} plies` : t`loses in ${decided} plies`;
    return value > 0 ? t`wins by ${Math.floor(value)}` : t`loses by ${Math.floor(-value)}`;
  }
  const text = game === "gomoku" ? String(value) : decimal(value.toFixed(1));
  return (value > 0 ? `+${text}` : text).replace("-", "\u2212");
}

/** A move as the board marks it: its value in whole points, or in how many plies the game is decided, as #5. */
export function marked({ move, value, decided_in: decided }, game) {
  if (game === "gomoku" && decided !== null && value !== 0) return { name: move, text: `${value > 0 ? "" : "\u2212"}#${decided}` };
  return { name: move, text: between(Math.round(value), Math.round(value)) };
}

/**
 * A table of moves with their values. `set(moves, game, chosen)` fills it. `point(move)` is called with the move that
 * mouse or keyboard point at, with nothing when they leave it, and `choose(move)` with the one that is pressed.
 */
export function valuesTable({ point = null, choose = null } = {}) {
  const body = h("tbody", {});
  const heads = [t`Move`, t`Value`, t`Depth`, t`Line`];
  const node = h("div", { class: "scroll values", tabindex: 0, role: "region", "aria-label": t`Table of moves` }, h("table", {}, h("thead", {}, h("tr", {},
    heads.map((text, n) => h("th", { scope: "col", class: n === 2 ? "num" : "" }, text)))), body));
  const press = (move) => button(move, { kind: "quiet", title: t`Show this line on the board`, onclick: () => choose(move), onblur: () => point(null),
    onfocus: ({ target }) => target.matches(":focus-visible") && point(move) });
  const row = ({ move }) => h("tr", point && { onpointerenter: ({ pointerType }) => pointerType === "mouse" && point(move), onpointerleave: () => point(null) },
    h("td", {}, choose ? press(move) : move), h("td", {}), h("td", { class: "num" }), h("td", {}));
  node.set = (moves, game, chosen = null) => keyed(body, moves, ({ move }) => move, row, ({ children }, one) => {
    if (choose) attr(children[0].firstChild, "aria-pressed", String(one.move === chosen));
    [worth(one, game), one.depth, one.line.slice(0, LONGEST).join(" ")].forEach((text, n) => say(children[n + 1], text));
  });
  return node;
}
