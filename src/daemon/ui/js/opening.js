// The opening Swap2 in words: who does what, and what was chosen. The daemon knows its rules. Nothing here is drawn.

import { sideName } from "./gameboard.js";
import { t, tc } from "./language.js";

/** The openings of Gomoku, by the names that the daemon has for them. */
export const OPENINGS = [["", tc("an opening", "none")], ["swap2", "Swap2"]];

/** What can be chosen, by the names of these moves: as buttons say it, and as a list of moves has it. */
export const CHOICES = { white: t`Take white and go on`, black: t`Take black`, add: t`Put two more stones` };
const CHOSEN = { white: t`takes white`, black: t`takes black`, add: t`puts two more stones` };

/** Whether a move is a choice of an opening. */
export const isChoice = (name) => Object.hasOwn(CHOICES, name);

/** A move as a list has it. */
export const moveText = (name) => (isChoice(name) ? CHOSEN[name] : name);

/** The players: `opener` puts the first three stones. */
export const PLAYERS = { opener: t`first player`, answerer: t`second player` };

/** Who plays for the machine when a game gets an opening, and when it loses it. */
export const OTHER_SEATS = { black: "opener", white: "answerer", opener: "black", answerer: "white" };

/** What the machine does in an opening, in words. */
function machineText(player, turn) {
  if (turn === "place") return player === "opener" ? t`The machine (first player) puts three stones \u2026` : t`The machine (second player) puts two more stones \u2026`;
  return player === "opener" ? t`The machine (first player) chooses \u2026` : t`The machine (second player) chooses \u2026`;
}

/** Who a person is that plays against the machine, or as one of two. */
function nameOf(player, machine) {
  if (PLAYERS[machine]) return player === "opener" ? t`You (first player)` : t`You (second player)`;
  return player === "opener" ? t`First player` : t`Second player`;
}

/** What is to be done in an opening, and by whom; once the colours are agreed on, who has which. */
export function openingText({ view, machine }) {
  const { turn, players, to_place: left, black } = view.opening;
  const [player, colour] = [players.at(-1), sideName(view.side)];
  if (turn === "play") {
    const other = (side) => (side === "black" ? sideName("white") : sideName("black"));
    if (!PLAYERS[machine]) return black === "opener" ? t`the first player has black, the second one white` : t`the second player has black, the first one white`;
    const yours = black === machine ? "white" : "black";
    return t`you have ${sideName(yours)}, the machine ${other(yours)}`;
  }
  if (machine === "both" || machine === player) return machineText(player, turn);
  const who = nameOf(player, machine);
  if (turn === "place") {
    return player === "opener" ? t`${who}: put three stones anywhere, black, white and black. Now ${colour}, stone ${4 - left} of 3.`
      : t`${who}: put two more stones, white and black. Now ${colour}, stone ${3 - left} of 2.`;
  }
  return view.legal.includes("add") ? t`${who}: choose white, or black, or put two more stones and let the first player choose.`
    : t`${who}: choose white or black.`;
}

/** The moves of the machine, or those of a hint, in words. */
export const movesText = (names) => names.map(moveText).join(", ");
