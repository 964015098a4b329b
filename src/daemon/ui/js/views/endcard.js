// The card of a game that is over: its score beside the record and beside what the search reaches from earlier positions of it.

import { button, h, newId, say, saveAs, show, toast } from "../dom.js";
import { moves as inMoves } from "../format.js";
import { t } from "../language.js";
import { picture } from "../picturefile.js";
import { VARIANTS } from "../rules.js";

/** The positions of a game from which the search goes on: after these parts of its moves. */
const PARTS = [0.75, 0.5, 0.25];

function verdict(score, record) {
  if (score > record) return t`That is more than the best known score of ${record}. Save it and tell somebody.`;
  if (score === record) return t`That is the best known score.`;
  return t`The best known score is ${record}, ${inMoves(record - score)} more.`;
}

/** A score and its bar, beside the largest that is shown. */
function bar(name, value, most, more) {
  const fill = h("i", {});
  fill.style.width = `${(100 * value) / most}%`;
  return [h("div", { class: "row spread small" }, h("span", {}, name), h("span", { class: "row" }, more, h("strong", { class: "num" }, String(value)))),
    h("div", { class: "bar", "aria-hidden": "true" }, fill)];
}

/** Gives the address of the game away: to another program of a phone, else to the clipboard. */
async function shareAddress(played) {
  const url = location.href;
  try {
    if (navigator.share && matchMedia("(pointer: coarse)").matches) await navigator.share({ title: t`Morpion ${played.variant}: ${inMoves(played.moves.length)}`, url });
    else {
      await navigator.clipboard.writeText(url);
      toast(t`The address of this game is in the clipboard.`);
    }
  } catch (problem) {
    if (problem.name !== "AbortError") toast(t`The browser does not give access to its clipboard; the address of the page is that of the game.`, "bad");
  }
}

/** `anew()` begins a new game. */
export function endCard(played, searching, { anew }) {
  const [score, text] = [h("strong", { class: "score num" }), h("p", {})];
  const bars = h("ul", { class: "stack tight reaches" });
  const id = newId("back");
  const back = h("input", { id, type: "number", min: 0, step: 1, class: "short" });
  const look = button(t`What would the search make of it?`, { glyph: "bulb", onclick: () => ask() });
  const share = button(t`Share`, { glyph: "share", onclick: () => shareAddress(played) });
  const node = h("section", { class: "card stack", "aria-label": t`End of the game`, hidden: true },
    h("h2", {}, t`The game is over`), h("div", { class: "row base" }, score, h("span", {}, t`moves`)), text, bars, h("div", {}, look),
    h("form", { class: "row", onsubmit: (event) => {
      event.preventDefault();
      played.go(Math.max(0, Math.min(played.moves.length, Math.round(Number(back.value) || 0))));
    } }, h("label", { for: id }, t`Back to move`), back, button(t`Go`, { type: "submit" })),
    h("div", { class: "row" }, share,
      button(t`Picture`, { glyph: "save", onclick: async () => saveAs(await picture(played.variant, played.moves), `${played.variant}-${played.moves.length}.png`) }),
      button(t`New game`, { glyph: "restart", onclick: anew })));
  /** The game that is over, as a text, and its moves; whether the search is asked about it. */
  let [shown, shownMoves] = ["", 0];
  let asking = false;
  const row = (name, value, more) => bar(name, value, Math.max(shownMoves, VARIANTS[played.variant].record), more);

  async function ask() {
    const moves = [...played.moves];
    const places = [...new Set(PARTS.map((part) => Math.round(part * moves.length)))].filter((n) => n < moves.length);
    asking = true;
    show(look, false);
    [...bars.children].slice(2).forEach((old) => old.remove());
    for (const from of places) {
      let found = null;
      const place = h("li", {});
      bars.append(place);
      const draw = (busy) => place.replaceChildren(...row(t`The search, from your move ${from}${busy ? "\u2026" : ""}`, found?.length ?? from,
        !busy && found && button(t`Show`, { kind: "quiet", "aria-label": t`Show the game that the search found from your move ${from}`, onclick: () => {
          played.go(from);
          searching.show(found);
        } })));
      draw(true);
      const whole = await searching.reach(from, (longer) => {
        found = longer;
        draw(true);
      });
      draw(false);
      if (!whole) {
        show(look, true);
        break;
      }
    }
    asking = false;
  }

  node.draw = (isOver) => {
    show(node, isOver);
    // What was found for a game stays with it while its positions are looked at.
    if (!isOver || shown === played.address()) {
      if (!isOver && asking) searching.leave();
      return;
    }
    if (asking) searching.leave();
    shown = played.address();
    shownMoves = played.moves.length;
    say(score, shownMoves);
    say(text, verdict(shownMoves, VARIANTS[played.variant].record));
    bars.replaceChildren(h("li", {}, row(t`Your game`, shownMoves)), h("li", {}, row(t`Best known`, VARIANTS[played.variant].record)));
    back.max = shownMoves;
    back.value = Math.round(shownMoves / 2);
    show(look, shownMoves > 0);
  };
  return node;
}
