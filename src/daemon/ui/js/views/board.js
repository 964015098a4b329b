// Morpion by hand, in all four variants. The browser's "back" does not take a move back; "undo" does.

import { BoardPad } from "../boardpad.js";
import { button, h, say, toast } from "../dom.js";
import { switches } from "../grid.js";
import { takesDrops } from "../gridfile.js";
import { grid as loadGrid } from "../live.js";
import { PlayedGame } from "../playedgame.js";
import { CODES, VARIANTS, fromView } from "../rules.js";
import { filesCard, huntDialog, loadDialog, movesCard } from "./boardcards.js";

/** What a key does to the game, if anything. */
function stroke(event, played) {
  if (event.target.closest?.("input, textarea, select, dialog")) return;
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  const command = (event.ctrlKey || event.metaKey) && !event.altKey;
  if ((command && event.key === "z" && !event.shiftKey) || (plain && (event.key === "u" || event.key === "Backspace"))) played.back();
  else if ((command && (event.key === "y" || (event.shiftKey && event.key.toLowerCase() === "z"))) || (plain && event.key === "r")) played.forth();
  else return;
  event.preventDefault();
}

/** The buttons below the board. */
function stepButtons(played) {
  const undo = button("Undo", { glyph: "undo", onclick: () => played.back() });
  const redo = button("Redo", { glyph: "redo", onclick: () => played.forth() });
  const toStart = button("To the start", { glyph: "first", quiet: true, onclick: () => played.go(0) });
  const toEnd = button("To the end", { glyph: "last", quiet: true, onclick: () => played.go(Infinity) });
  const anew = button("New game", { glyph: "restart", onclick: () => {
    // Nothing is lost: redo plays the game again.
    played.go(0);
    toast("The board is empty again; \u201cto the end\u201d brings the game back.");
  } });
  const node = h("div", { class: "row" }, toStart, undo, redo, toEnd, anew);
  node.draw = () => {
    undo.disabled = toStart.disabled = played.moves.length === 0;
    redo.disabled = toEnd.disabled = played.undone.length === 0;
  };
  return node;
}

export default function board({ query }) {
  const pad = new BoardPad((move) => played.play(move));
  const [score, left] = [h("strong", { class: "score num" }, "0"), h("span", { class: "faint num" })];
  const draw = () => {
    pad.draw(played.game);
    say(score, played.moves.length);
    say(left, `${pad.legal.length === 1 ? "1 legal move" : `${pad.legal.length} legal moves`} \u00b7 best known ${VARIANTS[played.variant].record}`);
    for (const one of variants.children) one.setAttribute("aria-pressed", String(one.dataset.variant === played.variant));
    hunt.disabled = pad.legal.length === 0;
    steps.draw();
    list.draw();
    played.keep();
    pad.refocus();
  };
  const played = new PlayedGame(draw);
  const [steps, list] = [stepButtons(played), movesCard(played)];
  const [loading, hunting] = [loadDialog(played), huntDialog(played)];
  const variants = h("div", { class: "segmented", role: "group", "aria-label": "Variant" }, CODES.map((code) =>
    h("button", { type: "button", "data-variant": code, title: VARIANTS[code].text, onclick: () => played.begin(code) }, code)));
  const hints = h("input", { type: "checkbox", checked: true, onchange: () => pad.hinted(hints.checked) });
  const hunt = button("Hunt from here", { kind: "main", glyph: "hunt", onclick: () => hunting.ask() });
  const onkey = (event) => stroke(event, played);
  document.addEventListener("keydown", onkey);

  function open(asked) {
    if (asked.get("grid")) {
      loadGrid(asked.get("grid")).then((view) => played.set(view.variant, view.moves.map(fromView)),
        (problem) => toast(`The grid cannot be loaded: ${problem.message}`, "bad"));
    }
    played.restore(asked);
  }
  const element = h("div", { class: "cards" },
    h("div", { class: "row spread" }, h("h1", {}, "Board"), variants),
    h("div", { class: "two wide" },
      h("section", { class: "card stack tight", "aria-label": "Board" }, pad.element, steps),
      h("div", { class: "cards side" },
        h("section", { class: "card stack", "aria-label": "Game" }, h("div", { class: "row base" }, score, h("span", {}, "moves"), left), hunt,
          h("div", { class: "row spread" }, h("label", { class: "check" }, hints, " show legal moves"), switches(pad.picture))),
        filesCard(played, loading), list)),
    loading, hunting);
  takesDrops(element, loading.takeFile);
  open(query);
  return {
    element, title: "Board", page: "board",
    // The address is the board's own doing, unless somebody opens another position.
    update: (asked) => {
      if (asked.get("g") !== played.address()) open(asked);
      return true;
    },
    destroy: () => document.removeEventListener("keydown", onkey),
  };
}
