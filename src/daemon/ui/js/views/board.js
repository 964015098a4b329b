// Morpion by hand, in all four variants. The browser's "back" does not take a move back; "undo" does.

import { BoardPad } from "../boardpad.js";
import { BoardSearch } from "../boardsearch.js";
import { button, h, say, toast } from "../dom.js";
import { VARIANT_TEXTS } from "../format.js";
import { switches } from "../grid.js";
import { takesDrops } from "../gridfile.js";
import { readGrid } from "../gridtext.js";
import { t, tn } from "../language.js";
import { PlayedGame } from "../playedgame.js";
import { CODES, VARIANTS } from "../rules.js";
import { filesCard, loadDialog, movesCard, recordsCard } from "./boardcards.js";
import { endCard } from "./endcard.js";
import { howCard } from "./howcard.js";
import { searchPanel } from "./searchpanel.js";

/** What a key does to the game, if anything. */
function stroke(event, { played, search, pad }) {
  if (event.target.closest?.("input, textarea, select, dialog")) return;
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  const command = (event.ctrlKey || event.metaKey) && !event.altKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if ((command && key === "z" && !event.shiftKey) || (plain && (key === "u" || key === "Backspace"))) played.back();
  else if ((command && (key === "y" || (event.shiftKey && key === "z"))) || (plain && key === "r")) played.forth();
  else if (plain && (key === "t" || key === "m")) played.carry(key === "t" ? "turn" : "flip");
  else if (plain && (key === "+" || key === "=")) pad.zoom.by(1.25);
  else if (plain && key === "-") pad.zoom.by(0.8);
  else if (plain && key === "0") pad.zoom.fit();
  else if (!plain || !search.key(key)) return;
  event.preventDefault();
}

/** The buttons below the board. */
function stepButtons(played) {
  const undo = button(t`Undo`, { glyph: "undo", onclick: () => played.back() });
  const redo = button(t`Redo`, { glyph: "redo", onclick: () => played.forth() });
  const toStart = button(t`To the start`, { glyph: "first", quiet: true, onclick: () => played.go(0) });
  const toEnd = button(t`To the end`, { glyph: "last", quiet: true, onclick: () => played.go(Infinity) });
  const anew = button(t`New game`, { glyph: "restart", onclick: () => newGame(played) });
  const node = h("div", { class: "row steps" }, toStart, undo, redo, toEnd, anew);
  node.draw = () => {
    undo.disabled = toStart.disabled = played.moves.length === 0;
    redo.disabled = toEnd.disabled = played.undone.length === 0;
  };
  return node;
}

function newGame(played) {
  // Nothing is lost: redo plays the game again.
  played.go(0);
  toast(t`The board is empty again; \u201cto the end\u201d brings the game back.`);
}

/** The buttons that change how the board is seen. */
function viewButtons(played, pad) {
  const fit = button(t`Fit the board into its frame`, { glyph: "fit", quiet: true, onclick: () => pad.zoom.fit() });
  const node = h("div", { class: "row viewing" },
    button(t`Turn the board`, { glyph: "turn", quiet: true, onclick: () => played.carry("turn") }),
    button(t`Mirror the board`, { glyph: "flip", quiet: true, onclick: () => played.carry("flip") }),
    button(t`Magnify`, { glyph: "plus", quiet: true, onclick: () => pad.zoom.by(1.4) }),
    button(t`Make smaller`, { glyph: "minus", quiet: true, onclick: () => pad.zoom.by(1 / 1.4) }), fit);
  node.draw = () => { fit.disabled = !pad.zoom.isZoomed; };
  return node;
}

/** Without a daemon the board reads files itself, and has no archive and no hunts. */
export default function board({ query }, daemon = null) {
  const pad = new BoardPad((move) => played.play(move));
  const [score, left] = [h("strong", { class: "score num" }, "0"), h("span", { class: "faint num" })];
  const drawSearch = () => {
    search.draw(pad.legal.length > 0);
    pad.foresee(searching.outlook(), searching.hint?.move ?? null);
  };
  const draw = () => {
    searching.follow();
    pad.draw(played.game);
    say(score, played.moves.length);
    say(left, `${tn(pad.legal.length, "{0} legal move", "{0} legal moves")} \u00b7 ${t`best known ${VARIANTS[played.variant].record}`}`);
    for (const one of variants.children) one.setAttribute("aria-pressed", String(one.dataset.variant === played.variant));
    if (hunt) hunt.disabled = pad.legal.length === 0;
    parts.forEach((part) => part.draw());
    end.draw(pad.legal.length === 0);
    drawSearch();
    played.keep();
    pad.refocus();
  };
  const played = new PlayedGame(draw);
  const searching = new BoardSearch(played, drawSearch);
  const search = searchPanel(searching);
  const end = endCard(played, searching, { anew: () => newGame(played) });
  const [steps, looks, list, records] = [stepButtons(played), viewButtons(played, pad), movesCard(played), recordsCard(played)];
  const parts = [steps, looks, list, records];
  pad.zoomed = looks.draw;
  const loading = loadDialog(played, daemon?.read ?? readGrid);
  const hunting = daemon?.huntDialog(played);
  const variants = h("div", { class: "segmented", role: "group", "aria-label": t`Variant` }, CODES.map((code) =>
    h("button", { type: "button", "data-variant": code, title: VARIANT_TEXTS[code], onclick: () => played.begin(code) }, code)));
  const hints = h("input", { type: "checkbox", checked: true, onchange: () => pad.hinted(hints.checked) });
  const hunt = hunting && button(t`Hunt from here`, { glyph: "hunt", onclick: () => hunting.ask() });
  const onkey = (event) => stroke(event, { played, search, pad });
  document.addEventListener("keydown", onkey);

  function open(asked) {
    if (daemon && asked.get("grid")) {
      daemon.grid(asked.get("grid")).then(({ variant, moves }) => played.set(variant, moves),
        (problem) => toast(t`The grid cannot be loaded: ${problem.message}`, "bad"));
    }
    played.restore(asked);
  }
  const element = h("div", { class: "cards" },
    h("div", { class: "row spread" }, h("h1", {}, t`Board`), variants),
    h("div", { class: "two wide" },
      h("section", { class: "card stack tight", "aria-label": t`Board` }, pad.element, h("div", { class: "row spread tools" }, steps, looks), search),
      h("div", { class: "cards side" }, end,
        h("section", { class: "card stack", "aria-label": t`Game` }, h("div", { class: "row base" }, score, h("span", {}, t`moves`), left), hunt,
          h("div", { class: "row spread" }, h("label", { class: "check" }, hints, " ", t`show legal moves`), switches(pad.picture))),
        howCard(), records, filesCard(played, loading, daemon?.sendButton(played)), list)),
    loading, hunting);
  takesDrops(element, loading.takeFile);
  open(query);
  return {
    element, title: t`Board`, page: "board",
    // The address is the board's own doing, unless somebody opens another position.
    update: (asked) => {
      if (asked.get("g") !== played.address()) open(asked);
      return true;
    },
    destroy: () => {
      searching.destroy();
      document.removeEventListener("keydown", onkey);
    },
  };
}
