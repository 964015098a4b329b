// The search of the browser, below the board: a hint for the next move, and the rest of the game from here.

import { button, h, say, show } from "../dom.js";
import { moves as inMoves, short } from "../format.js";
import { DIRECTION_NAMES, VARIANTS } from "../rules.js";

/** What the search has to say, in words. */
function words({ task, running, hint, game, from, search, failure, played }) {
  if (failure) return failure;
  if (task === "hint" && !running && hint) {
    const { move, needed } = hint;
    const later = needed ? `; ${inMoves(needed)} of that game ${needed === 1 ? "needs" : "need"} it` : "";
    return `Hint: (${move.x}, ${move.y}) ${DIRECTION_NAMES[move.d]}. The search reaches ${inMoves(game.moves.length)} with it${later}.`;
  }
  if (task === "hint") return "Looking for a good move\u2026";
  if (task === "finish") {
    const more = game ? game.moves.length - from : 0;
    const games = search?.playouts ? `, ${short(search.playouts)} games played` : "";
    return `${running ? "Looking for the rest of the game" : "The best game found from here"}: ${more ? `${more} more, ` : ""}best known ${VARIANTS[played.variant].record}${games}.`;
  }
  return "Your browser looks for good moves itself. You stay free to play others.";
}

export function searchPanel(searching) {
  const [text, score] = [h("p", { class: "small faint" }), h("strong", { class: "score num outlookscore", hidden: true })];
  const hint = button("Hint", { glyph: "bulb", title: "Key H", onclick: () => searching.ask() });
  const finish = button("Finish it from here", { glyph: "last", title: "Key F", onclick: () => searching.finish() });
  const stop = button("Stop", { glyph: "stop", onclick: () => searching.stop() });
  const take = button("Play it", { kind: "main", onclick: () => searching.take() });
  const more = button("Look on", { onclick: () => searching.finish() });
  const leave = button("Leave it", { onclick: () => searching.leave() });
  const node = h("div", { class: "row searching", role: "group", "aria-label": "Search" }, hint, finish, stop, take, more, leave, score, text);
  node.draw = (legal) => {
    const { task, running, game } = searching;
    const found = Boolean(task) && !running;
    say(text, legal || task ? words(searching) : "No move is left to look for.");
    show(score, task === "finish" && Boolean(game));
    if (game) say(score, game.moves.length);
    show(hint, !task);
    show(finish, !task);
    hint.disabled = finish.disabled = !legal;
    show(stop, running && task === "finish");
    show(take, found);
    say(take.querySelector("span"), task === "hint" ? "Play it" : "Take it");
    show(more, found && task === "finish");
    show(leave, found);
  };
  /** What a key does, if anything: says whether it did. */
  node.key = (key) => {
    const { task, running } = searching;
    if (key === "Escape" && task) searching.leave();
    else if (key === "h" && !task && !hint.disabled) searching.ask();
    else if (key === "f" && !task && !finish.disabled) searching.finish();
    else if ((key === "h" && task === "hint" && !running) || (key === "f" && task === "finish" && !running)) searching.take();
    else if (key === "f" && task === "finish") searching.stop();
    else return false;
    return true;
  };
  return node;
}
