// The parts of the page of patterns that are mined: the games that are searched, what was found in them, and the file.

import { h, say, show } from "../dom.js";
import { count, ofLimit, titleOf } from "../format.js";
import { t } from "../language.js";
import { card, factsCard, saveButton, shareBar } from "./cards.js";

/** The patterns that are kept, as soon as it is known. */
export const keptText = ({ kept }) => (kept === undefined ? "\u2013" : count(kept));

/** The games, the patterns, and the file. */
export function mineCard(id) {
  const [title, value, words] = [h("p", { class: "small" }), h("strong", { class: "score num" }), h("p", {})];
  const bar = shareBar(t`games that are searched`);
  const save = saveButton(t`Save the patterns`, `/jobs/${id}/patterns`, () => `patterns-job${id}.sgf`, (message) => t`The patterns cannot be saved: ${message}`);
  const node = card(t`Patterns`, h("div", { class: "stack" }, title, value, bar, words, h("div", { class: "row" }, save)));
  node.draw = ({ mine: found, reason }) => {
    show(node, Boolean(found));
    if (!found) return;
    say(title, titleOf(found.title));
    const known = found.kept !== undefined;
    say(value, known ? keptText(found) : t`${count(found.games_done)} of ${count(found.games)}`);
    bar.set((100 * found.games_done) / found.games);
    say(words, known ? t`Of ${count(found.patterns)} patterns these came up in ${count(found.least)} games or more.`
      : t`${count(found.patterns_of_games)} patterns are found, those of each game by itself. They are put together when all games are searched.`);
    show(save, reason === "mined");
  };
  return node;
}

/** Games, positions, questions and time. */
export const mineFactsCard = () => factsCard(t`Numbers of the patterns`, "mine", [["games", t`Games`], ["positions", t`Positions`], ["questions", t`Questions`],
  ["found", t`Patterns of the games`], ["kept", t`Patterns that are kept`], ["time", t`Has run`], ["cpu", t`CPU time`], ["workers", t`Workers`]], (rows, found) => {
  say(rows.games, ofLimit(count(found.games_done), count(found.games)));
  say(rows.positions, count(found.positions));
  say(rows.questions, count(found.questions));
  say(rows.found, count(found.patterns_of_games));
  say(rows.kept, keptText(found));
});
