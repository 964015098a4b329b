// The card of the page of two-player games that tells what the best moves of the position are worth, in longer and longer searches.

import { attr, button, h, say, show } from "../dom.js";
import { decimal } from "../format.js";
import { sideName } from "../gameboard.js";
import { GAMES } from "../gamesession.js";
import { t } from "../language.js";
import { refusal } from "./fields.js";
import { valuesTable } from "./values.js";

export function analysisCard(session) {
  const on = button(t`Analyse this position`, { onclick: () => session.analyse(!session.analysing) });
  const rest = button(t`Stop`, { glyph: "stop", onclick: () => session.rest() });
  const [words, trouble] = [h("p", { class: "small", role: "status" }), h("p", { class: "problem", role: "alert", hidden: true })];
  const table = valuesTable({ point: (move) => session.point(move), choose: (move) => session.choose(move) });
  const about = h("p", { class: "faint small" }, t`Point at a move, or press it, to see its line on the board.`);
  const node = h("section", { class: "card stack", "aria-label": t`Analysis` }, h("header", {}, h("h2", {}, t`Analysis`), h("div", { class: "row" }, rest, on)),
    words, trouble, table, about);
  const state = () => {
    const { analysing, analysis } = session;
    if (!analysing) return t`Values the best moves of each position that is shown.`;
    if (session.isMachinesTurn()) return t`No analysis while the machine is to move.`;
    if (analysis && session.valuing) return t`What the best moves are worth to ${sideName(analysis.side)}, after ${decimal(analysis.seconds.toFixed(1))} s; it searches on \u2026`;
    if (analysis) return t`What the best moves are worth to ${sideName(analysis.side)}, after ${decimal(analysis.seconds.toFixed(1))} s.`;
    return session.valuing ? t`It thinks \u2026` : session.rests ? t`The search was stopped.` : "";
  };
  node.draw = () => {
    const { game, analysing, analysis, unanalysed } = session;
    show(node, Boolean(GAMES[game].machine));
    attr(on, "aria-pressed", String(analysing));
    say(words, state());
    say(trouble, refusal(unanalysed).text);
    show(trouble, Boolean(unanalysed));
    show(rest, session.valuing);
    show(table, Boolean(analysis));
    show(about, Boolean(analysis));
    table.set(analysis?.moves || [], game, session.chosen);
  };
  node.key = (key) => {
    if (key === "a") on.click();
    return key === "a";
  };
  return node;
}
