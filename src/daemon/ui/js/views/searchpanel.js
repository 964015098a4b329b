// The search of the browser, below the board: a hint for the next move, and the rest of the game from here.

import { button, h, say, show } from "../dom.js";
import { DIRECTION_NAMES, moves as inMoves, short } from "../format.js";
import { t, tn } from "../language.js";
import { VARIANTS } from "../rules.js";

/** What the search has to say, in words. */
function words({ task, running, hint, game, from, search, failure, played }) {
  if (failure) return failure;
  if (task === "hint" && !running && hint) {
    const { move, needed } = hint;
    const later = needed ? tn(needed, "; {0} move of that game needs it", "; {0} moves of that game need it") : "";
    return `${t`Hint: (${move.x}, ${move.y}) ${DIRECTION_NAMES[move.d]}. The search reaches ${inMoves(game.moves.length)} with it`}${later}.`;
  }
  if (task === "hint") return t`Looking for a good move\u2026`;
  if (task === "finish") {
    const more = game ? game.moves.length - from : 0;
    const facts = [more && t`${more} more`, t`best known ${VARIANTS[played.variant].record}`,
      search?.playouts && t`${short(search.playouts)} games played`].filter(Boolean).join(", ");
    return running ? t`Looking for the rest of the game: ${facts}.` : t`The best game found from here: ${facts}.`;
  }
  return t`Your browser looks for good moves itself. You stay free to play others.`;
}

export function searchPanel(searching) {
  const [text, score] = [h("p", { class: "small faint" }), h("strong", { class: "score num outlookscore", hidden: true })];
  const hint = button(t`Hint`, { glyph: "bulb", title: t`Key H`, onclick: () => searching.ask() });
  const finish = button(t`Finish it from here`, { glyph: "last", title: t`Key F`, onclick: () => searching.finish() });
  const stop = button(t`Stop`, { glyph: "stop", onclick: () => searching.stop() });
  const take = button(t`Play it`, { kind: "main", onclick: () => searching.take() });
  const more = button(t`Look on`, { onclick: () => searching.finish() });
  const leave = button(t`Leave it`, { onclick: () => searching.leave() });
  const node = h("div", { class: "row searching", role: "group", "aria-label": t`Search` }, hint, finish, stop, take, more, leave, score, text);
  node.draw = (legal) => {
    const { task, running, game } = searching;
    const found = Boolean(task) && !running;
    say(text, legal || task ? words(searching) : t`No move is left to look for.`);
    show(score, task === "finish" && Boolean(game));
    if (game) say(score, game.moves.length);
    show(hint, !task);
    show(finish, !task);
    hint.disabled = finish.disabled = !legal;
    show(stop, running && task === "finish");
    show(take, found);
    say(take.querySelector("span"), task === "hint" ? t`Play it` : t`Take it`);
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
