// Two-player games: play against the machine, set a position up or play to it, have it solved, and watch its bounds close.

import { attr, h } from "../dom.js";
import { GAMES, GameSession } from "../gamesession.js";
import { takesDrops } from "../gridfile.js";
import { t } from "../language.js";
import { subscribe, watch } from "../live.js";
import { analysisCard } from "./gameanalysis.js";
import { boardCard, movesCard, opponentCard, rulesCard } from "./gamecards.js";
import { hearKeys } from "./gamekeys.js";
import { jobCard, solveCard } from "./solvecards.js";

export default function games({ query }) {
  const draw = () => {
    for (const one of kinds.children) attr(one, "aria-pressed", String(one.dataset.game === session.game));
    cards.forEach((card) => card.draw());
  };
  const session = new GameSession(query, draw);
  const kinds = h("div", { class: "segmented", role: "group", "aria-label": t`Game` }, Object.entries(GAMES).map(([value, { name }]) =>
    h("button", { type: "button", "data-game": value, onclick: () => session.begin(value, {}) }, name)));
  const board = boardCard(session);
  const beside = [jobCard, opponentCard, analysisCard, movesCard, rulesCard, solveCard].map((card) => card(session));
  const cards = [board, ...beside];
  const moves = beside[3];
  const element = h("div", { class: "cards" }, h("div", { class: "row spread" }, h("h1", {}, t`Reversi, Go and Gomoku`), kinds),
    h("div", { class: "two" }, board, h("div", { class: "cards" }, beside)));
  const unhear = hearKeys(element, cards);
  takesDrops(element, moves.open);
  session.load(query);
  const stop = subscribe(draw);
  let [watched, unwatch] = [null, () => {}];
  const follow = subscribe(() => {
    if (watched === session.job) return;
    unwatch();
    watched = session.job;
    unwatch = watched ? watch(watched) : () => {};
  });
  return { element, title: t`Games`, page: "games", destroy: () => {
    session.stop();
    unhear();
    stop();
    follow();
    unwatch();
  } };
}
