// Files with games and positions that somebody chooses or drops: SGF, GGF, OBF, PSQ, boards as text.

import { t } from "./language.js";

/** Largest file that is read, in bytes. The longest games have some kilobytes. */
const LARGEST = 64 * 1024;

/** The names that a dialog for choosing a file offers. */
export const GAME_FILES = ".sgf,.ggf,.obf,.psq,.txt";

/** What tells the game of a file from its text. */
const MARKS = [["gomoku", /\bGM\s*\[\s*4\s*\]/], ["gomoku", /^Piskvorky/i], ["reversi", /\bGM\s*\[\s*Othello\s*\]/i], ["go", /\bGM\s*\[\s*1\s*\]/],
  ["go", /^\s*\(\s*;(?!.*\bGM\s*\[)/s], ["reversi", /^\s*[-XO*.]{16,64}\s+[XO*]\s*;?/i]];

/** What tells that a game of Gomoku begins with Swap2. */
const SWAP2 = /\bON\s*\[\s*swap2\b/i;

/** Columns of the square board of Reversi that a text is about: GGF names it, a line of OBF has all its cells. */
function reversiSize(text) {
  const [, named] = /\bBO\s*\[\s*(\d+)/.exec(text) || [];
  const size = named ? Number(named) : Math.sqrt(/^[^\s;]*/.exec(text)[0].length);
  return Number.isInteger(size) ? String(size) : undefined;
}

/**
 * The text of a file, the game that it is of (none if the text does not tell), the opening that it begins with, and for Reversi the
 * size of the board. An error has a message to be shown.
 */
export async function gameText(file) {
  if (file.size > LARGEST) throw new Error(t`The file is larger than 64 KiB, which no game is.`);
  const text = (await file.text()).trim();
  if (!text) throw new Error(t`The file is empty.`);
  const game = MARKS.find(([, mark]) => mark.test(text))?.[0] ?? null;
  const opening = game === "gomoku" && SWAP2.test(text) ? "swap2" : "";
  return { text, game, opening, size: game === "reversi" ? reversiSize(text) : undefined };
}
